// Programs: posix_spawn with one pipe behind both outputs, which is read to its end before the
// child is waited for.
#include "os/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PRINTED_MOST ((size_t)1 << 20)

static bool is_program(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

bool tool_find(const char *name, struct text *path)
{
    const char *at = getenv("PATH");
    text_clear(path);
    if (strchr(name, '/')) {
        text_add(path, name);
        return !path->failed && is_program(name);
    }
    for (at = at ? at : "/usr/local/bin:/usr/bin:/bin"; at; at = strchr(at, ':')) {
        at += *at == ':';
        size_t length = strcspn(at, ":");
        text_clear(path);
        text_addf(path, "%.*s%s%s", (int)length, at, length ? "/" : "./", name);
        if (!path->failed && is_program(text_cstr(path)))
            return true;
    }
    return false;
}

// The caller's environment but for the language. NULL without memory.
static char **english_environment(void)
{
    size_t count = 0, n = 0;
    while (environ && environ[count])
        count++;
    char **list = calloc(count + 2, sizeof *list);
    for (size_t i = 0; list && i < count; i++) {
        if (!str_starts(environ[i], "LC_ALL="))
            list[n++] = environ[i];
    }
    if (list)
        list[n] = (char *)"LC_ALL=C";
    return list;
}

static void read_all(int from, struct text *out)
{
    char buffer[16384];
    for (;;) {
        ssize_t n = read(from, buffer, sizeof buffer);
        if (n == 0 || (n < 0 && errno != EINTR))
            return;
        if (n > 0 && out->length < PRINTED_MOST)
            text_addn(out, buffer, (size_t)n);
    }
}

static int spawn(const char *const *argv, char **environment, int output, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0)
        return code;
    code = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    for (int fd = 1; code == 0 && fd <= 2; fd++)
        code = posix_spawn_file_actions_adddup2(&actions, output, fd);
    if (code == 0)
        code = posix_spawn(pid, argv[0], &actions, NULL, (char *const *)argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

bool tool_run(const char *const *argv, struct text *printed, int *status, struct error *e)
{
    int ends[2];
    pid_t pid = 0;
    char **environment = english_environment();
    *status = 0;
    if (!environment)
        return error_memory(e);
    int code = pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
    if (code == 0) {
        code = spawn(argv, environment, ends[1], &pid);
        close(ends[1]);
        if (code == 0)
            read_all(ends[0], printed);
        close(ends[0]);
    }
    free(environment);
    if (code != 0)
        return error_set_driver(e, ERROR_IO, code, "%s: cannot be run: %s", argv[0],
                                strerror(code));
    while (waitpid(pid, status, 0) < 0 && errno == EINTR)
        ;
    return true;
}
