// A launcher as srun is one: fake_launcher COMMAND... runs the command under a process of its own, the
// step, that stands for another machine's. Input and output go through both. If this one is killed the
// step lives on, and the input of its command never ends. FAKE_PASSED=<file>: how many bytes went to the
// command, told at the end. FAKE_FLIP=<n>: of the n-th byte that comes back a bit is flipped.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIECE = 65536 };

// 1: passed on, 0: the end, -1: nobody takes it.
static int pass_on(int from, int to, unsigned long long *bytes_passed)
{
    char bytes[PIECE];
    const char *flip = to == 1 ? getenv("FAKE_FLIP") : NULL;
    ssize_t n = read(from, bytes, sizeof bytes);
    if (n <= 0)
        return 0;
    unsigned long long at = flip ? strtoull(flip, NULL, 10) : 0;
    if (flip && at >= *bytes_passed && at < *bytes_passed + (unsigned long long)n)
        bytes[at - *bytes_passed] ^= 4;
    *bytes_passed += (unsigned long long)n;
    for (ssize_t done = 0; done < n;) {
        ssize_t w = write(to, bytes + done, (size_t)(n - done));
        if (w < 0 && errno != EINTR)
            return -1;
        done += w > 0 ? w : 0;
    }
    return 1;
}

// `orderly` has a byte where the input ended, and none where the launcher did.
static int be_the_step(char **argv, int line, int orderly)
{
    int in[2], out[2], status = 0;
    unsigned long long passed = 0;
    char ended;
    setsid();
    if (open("/dev/null", O_RDWR) != 0 || dup(0) != 1 || pipe2(in, O_CLOEXEC) != 0 ||
        pipe2(out, O_CLOEXEC) != 0)
        return 1;
    pid_t command = fork();
    if (command == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        execvp(argv[0], argv);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    struct pollfd fds[] = {{.fd = line, .events = POLLIN}, {.fd = out[0], .events = POLLIN}};
    while (fds[1].fd >= 0 && poll(fds, 2, -1) > 0) {
        if (fds[1].revents && pass_on(out[0], line, &passed) == 0)
            fds[1].fd = -1;
        int more = fds[0].revents ? pass_on(line, in[1], &passed) : 1;
        if (more <= 0)
            fds[0].fd = -1; // below 0: its command is gone, and its output ends, too
        if (more == 0 && read(orderly, &ended, 1) == 1)
            close(in[1]);
    }
    waitpid(command, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 137;
}

int main(int argc, char **argv)
{
    const char *told = getenv("FAKE_PASSED");
    int line[2], orderly[2], status = 0;
    unsigned long long passed = 0, back = 0;
    if (argc < 2)
        return 2;
    signal(SIGPIPE, SIG_IGN);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line) != 0 ||
        pipe2(orderly, O_CLOEXEC) != 0)
        return 1;
    pid_t step = fork();
    if (step == 0) {
        close(line[0]);
        close(orderly[1]);
        close(0); // the launcher's alone
        close(1);
        return be_the_step(argv + 1, line[1], orderly[0]);
    }
    close(line[1]);
    struct pollfd fds[] = {{.fd = 0, .events = POLLIN}, {.fd = line[0], .events = POLLIN}};
    while (poll(fds, 2, -1) > 0) {
        if (fds[1].revents && pass_on(line[0], 1, &back) <= 0)
            break;
        if (fds[0].revents && pass_on(0, line[0], &passed) <= 0) {
            fds[0].fd = -1;
            if (write(orderly[1], "x", 1) != 1)
                break;
            shutdown(line[0], SHUT_WR);
        }
    }
    FILE *f = told ? fopen(told, "w") : NULL;
    if (f && (fprintf(f, "%llu\n", passed) < 0 || fclose(f) != 0))
        return 1;
    waitpid(step, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 137;
}
