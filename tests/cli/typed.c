// typed SHELL ARGUMENT...: a person at an interactive shell, on a terminal of its own. Reads from stdin what to do, a
// line each: "expect TEXT" waits until the shell has written TEXT since the last such line, "type TEXT" types it (\t is
// the tab key, \n the enter key). Writes all that the shell wrote to stdout. Exit status 1: what was expected did not come.
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 60000

static char seen[1 << 18];
static size_t length, from;

// False: nothing more comes.
static int read_some(int terminal)
{
    struct pollfd p = {.fd = terminal, .events = POLLIN};
    if (poll(&p, 1, PATIENCE_MS) <= 0)
        return 0;
    ssize_t got = read(terminal, seen + length, sizeof seen - 1 - length);
    if (got <= 0)
        return 0;
    fwrite(seen + length, 1, (size_t)got, stdout);
    fflush(stdout);
    length += (size_t)got;
    seen[length] = '\0';
    return 1;
}

static int expect(int terminal, const char *text)
{
    const char *found;
    while (!(found = strstr(seen + from, text))) {
        if (!read_some(terminal))
            return 0;
    }
    from = (size_t)(found - seen) + strlen(text);
    return 1;
}

static int type(int terminal, const char *text)
{
    for (; *text; text++) {
        char c = *text;
        if (c == '\\' && (text[1] == 't' || text[1] == 'n'))
            c = *++text == 't' ? '\t' : '\r';
        if (write(terminal, &c, 1) != 1)
            return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    const struct winsize size = {.ws_row = 50, .ws_col = 200};
    int terminal, ok = argc > 1;
    char line[1024];
    pid_t shell = ok ? forkpty(&terminal, NULL, NULL, &size) : -1;
    if (shell < 0)
        return 2;
    if (shell == 0) {
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    while (ok && fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "expect ", 7) == 0)
            ok = expect(terminal, line + 7);
        else if (strncmp(line, "type ", 5) == 0)
            ok = type(terminal, line + 5);
        if (!ok)
            fprintf(stderr, "failed at: %s\n", line);
    }
    kill(shell, SIGKILL);
    waitpid(shell, NULL, 0);
    return ok ? 0 : 1;
}
