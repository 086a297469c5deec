// hone-worker --own: runs a program of the user's (a strategy, a reference) for hone, and owns what it
// starts. Its descendants, also those that leave its group, are this process's once their parents are
// gone, and end with the program, or with hone. The program reads from hone directly; what it writes
// passes through here, so that the end of its output is seen though its input is still open.
#include "worker/modes.h"

#include "os/descendants.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define CANNOT_START 127
#define PART         65536

struct owner {
    pid_t program;
    int output;    // what the program writes; -1: it has closed it
    int ends;      // readable when a child has ended
    bool is_alone; // hone is gone
};

// The program gets the signals as this process had them.
static int start_program(char **argv, const sigset_t *before, int output, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    int code = posix_spawn_file_actions_init(&actions);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    code = code ? code : posix_spawnattr_init(&attributes);
    if (code)
        return code;
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, before);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    code = posix_spawn_file_actions_adddup2(&actions, output, 1);
    code = code ? code : posix_spawnp(pid, argv[0], &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

static void pass_output_on(struct owner *o)
{
    char part[PART];
    ssize_t n = read(o->output, part, sizeof part);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    for (ssize_t done = 0, sent; done < n; done += sent) {
        sent = write(1, part + done, (size_t)(n - done));
        if (sent < 0 && errno != EINTR)
            o->is_alone = true;
        if (o->is_alone)
            return;
        sent = sent < 0 ? 0 : sent;
    }
    if (n > 0)
        return;
    close(o->output);
    o->output = -1;
    shutdown(1, SHUT_WR);
}

// True once the program has ended; others of its descendants are reaped by the way.
static bool has_program_ended(struct owner *o, int *status)
{
    struct signalfd_siginfo info;
    int one;
    if (read(o->ends, &info, sizeof info) < 0 && errno != EAGAIN)
        return true;
    for (pid_t pid; (pid = waitpid(-1, &one, WNOHANG)) > 0;) {
        if (pid == o->program) {
            *status = one;
            return true;
        }
    }
    return false;
}

static int watch_program(struct owner *o)
{
    int status = EXIT_FAILURE << 8;
    for (bool ended = false; !ended && !o->is_alone;) {
        struct pollfd fds[] = {{.fd = o->output, .events = POLLIN},
                               {.fd = o->ends, .events = POLLIN},
                               {.fd = 0}}; // POLLHUP comes unasked
        if (poll(fds, 3, -1) < 0 && errno != EINTR)
            break;
        o->is_alone = fds[2].revents & (POLLHUP | POLLERR);
        ended = fds[1].revents && has_program_ended(o, &status);
        if (fds[0].revents)
            pass_output_on(o);
    }
    descendants_kill(getpid());
    // Passes on the output that the program had written before it ended.
    while (o->output >= 0 && !o->is_alone) {
        struct pollfd left = {.fd = o->output, .events = POLLIN};
        if (poll(&left, 1, 0) <= 0)
            break;
        pass_output_on(o);
    }
    return status;
}

// Runs the program (searched in PATH), whose input, output and errors are this process's, and returns its exit status, or ends
// by its signal. Before that, nothing that it has started is left; likewise when the other end of descriptor 0 is closed.
static int supervise(char **argv)
{
    int ends[2];
    sigset_t children, before;
    struct owner o = {.output = -1};
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    signal(SIGPIPE, SIG_IGN);
    descendants_adopt();
    if (sigprocmask(SIG_BLOCK, &children, &before) != 0 || pipe2(ends, O_CLOEXEC) != 0 ||
        (o.ends = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK)) < 0) {
        fprintf(stderr, "hone-worker: %s\n", strerror(errno));
        return CANNOT_START;
    }
    o.output = ends[0];
    int code = start_program(argv, &before, ends[1], &o.program);
    close(ends[1]);
    if (code != 0) {
        fprintf(stderr, "cannot start '%s': %s\n", argv[0], strerror(code));
        return CANNOT_START;
    }
    int status = watch_program(&o);
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    return EXIT_FAILURE;
}

static int run_own(char **arguments)
{
    bool is_command = *arguments && strcmp(*arguments, "--") == 0 && arguments[1];
    return is_command ? supervise(arguments + 1) : -1;
}

const struct worker_mode own_mode = {"--own", "", "", run_own};
