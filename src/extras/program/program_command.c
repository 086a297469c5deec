// posix_spawn with a pipe behind each output. A child of the command's that keeps a pipe open does not keep the command from
// ending: whether it has ended is looked at beside the pipes. What it has started and left is then killed.
#include "extras/program/program_command.h"

#include "os/descendants.h"
#include "os/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PRINTED_MOST ((size_t)64 << 20)
#define SAID_MOST    ((size_t)32 << 10)
#define LOOK_MS      50 // between two looks whether it has ended
#define BUSY_TRIES                                                                                 \
    100 // of a program that was just written, and that a fork of another thread's holds open
#define BUSY_MS 10

// ---- words

// Puts a path in the place of each mark.
static void add_replaced(struct text *out, const char *word, const char *mark, const char *path)
{
    for (const char *at; path && (at = strstr(word, mark)); word = at + strlen(mark)) {
        text_addn(out, word, (size_t)(at - word));
        text_add(out, path);
    }
    text_add(out, word);
}

static char *place_word(const char *word, const struct command_places *places)
{
    struct text half = TEXT_INIT, whole = TEXT_INIT;
    add_replaced(&half, word, "{program}", places->program);
    add_replaced(&whole, text_cstr(&half), "{output}", places->output);
    text_release(&half);
    return text_steal(&whole);
}

static void free_words(char **argv)
{
    for (size_t i = 0; argv && argv[i]; i++)
        free(argv[i]);
    free(argv);
}

// NULL without memory.
static char **make_words(const json_t *words, const struct command_places *places)
{
    char **argv = calloc(json_array_size(words) + 1, sizeof *argv);
    for (size_t i = 0; argv && i < json_array_size(words); i++) {
        const char *word = json_string_value(json_array_get(words, i));
        argv[i] = place_word(word ? word : "", places);
        if (!argv[i]) {
            free_words(argv);
            return NULL;
        }
    }
    return argv;
}

// ---- what it prints

static void keep_said(struct command_end *c, const char *bytes, size_t length)
{
    text_addn(&c->said, bytes, length);
    if (c->said.failed || c->said.length <= 2 * SAID_MOST)
        return;
    size_t drop = c->said.length - SAID_MOST;
    memmove(c->said.data, c->said.data + drop, SAID_MOST);
    c->said.length = SAID_MOST;
    c->said.data[SAID_MOST] = '\0';
}

// False at its end.
static bool read_output_part(int from, bool is_printed, struct command_end *c)
{
    char buffer[65536];
    ssize_t n = read(from, buffer, sizeof buffer);
    if (n < 0)
        return errno == EINTR || errno == EAGAIN;
    if (n > 0 && is_printed && c->printed.length < PRINTED_MOST)
        text_addn(&c->printed, buffer, (size_t)n);
    if (n > 0)
        keep_said(c, buffer, (size_t)n);
    return n > 0;
}

// Until both pipes are at their end, or the command is; true: it was waited for.
static bool read_both(pid_t pid, const int pipes[2], struct command_end *c)
{
    struct pollfd fds[2] = {{pipes[0], POLLIN, 0}, {pipes[1], POLLIN, 0}};
    bool is_gone = false, is_idle = false;
    while ((fds[0].fd >= 0 || fds[1].fd >= 0) && !(is_gone && is_idle)) {
        int ready = poll(fds, 2, is_gone ? 0 : LOOK_MS);
        is_idle = ready == 0;
        for (int i = 0; ready > 0 && i < 2; i++) {
            if (fds[i].revents && !read_output_part(fds[i].fd, i == 0, c))
                fds[i].fd = -1;
        }
        if (is_idle && !is_gone)
            is_gone = waitpid(pid, &c->status, WNOHANG) == pid;
    }
    return is_gone;
}

// ---- its life

static int spawn_words(char **argv, const int ends[2], pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0)
        return code;
    code = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    for (int fd = 1; code == 0 && fd <= 2; fd++)
        code = posix_spawn_file_actions_adddup2(&actions, ends[fd - 1], fd);
    for (int i = 0; code == 0 && i < BUSY_TRIES; i++) {
        code = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
        if (code != ETXTBSY)
            break;
        poll(NULL, 0, BUSY_MS);
        code = i + 1 < BUSY_TRIES ? 0 : ETXTBSY;
    }
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

// A command starts in its folder, and so the worker goes there and back: to name a folder in the actions takes glibc 2.29.
static int spawn_in(const char *folder, char **argv, const int ends[2], pid_t *pid)
{
    int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (here < 0)
        return errno;
    int code = chdir(folder) == 0 ? spawn_words(argv, ends, pid) : errno;
    if (fchdir(here) != 0 && code == 0)
        code = errno;
    close(here);
    return code;
}

static bool run_words(char **argv, const char *folder, struct command_end *c, struct error *e)
{
    int out[2] = {-1, -1}, err[2] = {-1, -1};
    pid_t pid = 0;
    int code = pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0 ? 0 : errno;
    uint64_t start = clock_ns();
    if (code == 0)
        code = spawn_in(folder, argv, (int[2]){out[1], err[1]}, &pid);
    close(out[1]);
    close(err[1]);
    if (code == 0 && !read_both(pid, (int[2]){out[0], err[0]}, c)) {
        while (waitpid(pid, &c->status, 0) < 0 && errno == EINTR)
            ;
    }
    c->took_ns = clock_ns() - start;
    close(out[0]);
    close(err[0]);
    descendants_kill(getpid());
    descendants_reap(NULL, 0);
    return code == 0 || error_set_driver(e, ERROR_IO, code, "'%s' cannot be run in %s: %s", argv[0],
                                         folder, strerror(code));
}

bool command_run(const json_t *words, const struct command_places *places, const char *folder,
                 struct command_end *out, struct error *e)
{
    char **argv = make_words(words, places);
    *out = (struct command_end){.status = 0};
    bool ok = argv && argv[0] ? run_words(argv, folder ? folder : "/", out, e) : error_memory(e);
    free_words(argv);
    return ok && ((!out->printed.failed && !out->said.failed) || error_memory(e));
}

void command_last_line(const struct command_end *c, char *out, size_t size)
{
    const char *text = text_cstr(&c->said);
    size_t end = c->said.length;
    while (end > 0 && strchr(" \t\r\n", text[end - 1]))
        end--;
    size_t start = end;
    while (start > 0 && text[start - 1] != '\n')
        start--;
    str_format(out, size, "%.*s", (int)(end - start), text + start);
}

void command_release(struct command_end *c)
{
    text_release(&c->printed);
    text_release(&c->said);
}
