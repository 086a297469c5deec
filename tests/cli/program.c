#include "../support/patience.h"

#include "program.h"

#include "os/process.h"
#include "base/text.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/hone-cli-XXXXXX";
static bool has_folder;

// Also called outside tests, where libcheck's assertions are not to be used.
static void must(bool ok, const char *what)
{
    if (ok)
        return;
    perror(what);
    exit(EXIT_FAILURE);
}

const char *program_folder(void)
{
    if (!has_folder) {
        must(mkdtemp(folder) != NULL, folder);
        has_folder = true;
        setenv("XDG_DATA_HOME", folder, 1);
        setenv("XDG_CACHE_HOME", folder, 1);
        setenv("TMPDIR", folder, 1);
        setenv("HONE_LOCKS", folder, 1); // other tests are not waited for
        unsetenv("HONE_DEVICE");
        unsetenv("HONE_WORKER");
    }
    return folder;
}

void program_folder_remove(void)
{
    if (has_folder)
        folder_remove(folder);
}

static char *path_of(const char *name)
{
    struct text path = TEXT_INIT;
    text_addf(&path, "%s/%s", program_folder(), name);
    return text_steal(&path);
}

static pid_t start(const char *redirect, const char *const *words)
{
    char *out = redirect ? strdup(redirect) : path_of("stdout"), *err = path_of("stderr");
    const char *argv[32] = {HONE_PROGRAM};
    for (int i = 0; words[i] && i < 30; i++)
        argv[i + 1] = words[i];
    // Emptied here: who reads along must not find what an earlier run wrote.
    int o = open(out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int e = open(err, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    pid_t pid = fork();
    if (pid == 0) {
        if (o >= 0 && e >= 0 && dup2(o, 1) == 1 && dup2(e, 2) == 2)
            execv(argv[0], (char *const *)argv);
        _exit(127);
    }
    if (o >= 0)
        close(o);
    if (e >= 0)
        close(e);
    free(out);
    free(err);
    must(pid > 0, "fork");
    return pid;
}

static char *content(const char *name)
{
    struct error e = ERROR_INIT;
    struct text text = TEXT_INIT;
    char *path = path_of(name);
    if (!file_read(path, 0, &text, &e))
        text_add(&text, "");
    free(path);
    char *all = text_steal(&text);
    return all ? all : strdup("");
}

static struct ran finish(pid_t pid)
{
    int status = 0;
    must(waitpid(pid, &status, 0) == pid, "waitpid");
    return (struct ran){.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
                        .out = content("stdout"),
                        .err = content("stderr")};
}

struct ran program_run_to(const char *redirect, const char *const *words)
{
    program_folder();
    return finish(start(redirect, words));
}

void ran_release(struct ran *r)
{
    free(r->out);
    free(r->err);
}

struct ran program_interrupt(const char *text, const char *const *words)
{
    program_folder();
    unsetenv("POCL_CACHE_DIR"); // what is compiled already is done before the signal comes
    pid_t pid = start(NULL, words);
    uint64_t end = clock_ns() + patience() * 60000000000u;
    bool seen = false;
    while (!seen && clock_ns() < end) {
        char *out = content("stdout"), *err = content("stderr");
        seen = strstr(out, text) || strstr(err, text);
        free(out);
        free(err);
        usleep(10000);
    }
    kill(pid, SIGINT);
    return finish(pid);
}

bool program_has_device(void)
{
    struct ran r = program_run("devices");
    bool has = r.status == 0;
    ran_release(&r);
    return has;
}

const char *program_typed(const char *before, const char *word, const char *after)
{
    static char typed[1024];
    struct text t = TEXT_INIT;
    text_add(&t, before);
    text_add_shell(&t, word);
    text_add(&t, after);
    str_format(typed, sizeof typed, "%s", text_cstr(&t));
    text_release(&t);
    return typed;
}
