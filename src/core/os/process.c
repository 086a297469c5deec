// Child processes by posix_spawn(), a socket for frames and a pipe for what they print. The child leads a
// process group, so that all that it starts can be stopped and ended with it; its end is waited for by its
// own number, so that no other child of the program is touched. What is printed is drained, and its tail
// kept for messages. Where it runs on another machine, a host has its number, its signals and its end.
#include "os/process.h"
#include "base/text.h"
#include "os/beside.h"
#include "os/descendants.h"
#include "os/tool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

uint64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_processor_ns(void)
{
    struct timespec used = {0, 0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

// ---- descriptors

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

// Moves a descriptor above 2, so that the dup2() calls in the child never overwrite a source. It
// matters only in a program that has closed its own 0, 1 or 2.
static bool above_stdio(int *fd)
{
    if (*fd > 2)
        return true;
    int moved = fcntl(*fd, F_DUPFD_CLOEXEC, 3);
    if (moved < 0)
        return false;
    close(*fd);
    *fd = moved;
    return true;
}

static bool set_nonblocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

// Index 0 is our end, index 1 the child's. Only ours is non-blocking.
static bool open_ends(int channel[2], int printed[2])
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0)
        return false;
    if (pipe2(printed, O_CLOEXEC) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        if (!above_stdio(&channel[i]) || !above_stdio(&printed[i]))
            return false;
    }
    return set_nonblocking(channel[0]) && set_nonblocking(printed[0]);
}

// ---- environment

static bool same_name(const char *a, const char *b)
{
    size_t length = strcspn(a, "=");
    return length == strcspn(b, "=") && strncmp(a, b, length) == 0;
}

static bool is_replaced(const char *entry, const char *const *additions)
{
    for (; *additions; additions++) {
        if (same_name(entry, *additions))
            return true;
    }
    return false;
}

static size_t count_variables(const char *const *entries)
{
    size_t n = 0;
    while (entries && entries[n])
        n++;
    return n;
}

// The parent's environment with the additions; only the array is new. NULL: no memory.
static char **merged_environment(const char *const *additions)
{
    static const char *const nothing[] = {NULL};
    const char *const *ours = (const char *const *)environ;
    if (!additions)
        additions = nothing;
    const char **merged =
        calloc(count_variables(ours) + count_variables(additions) + 1, sizeof *merged);
    if (!merged)
        return NULL;
    size_t n = 0;
    for (; ours && *ours; ours++) {
        if (!is_replaced(*ours, additions))
            merged[n++] = *ours;
    }
    for (; *additions; additions++)
        merged[n++] = *additions;
    return (char **)merged;
}

// ---- starting

// A group of its own, and none of the masks and dispositions that our caller may have set: a child
// that inherited an ignored SIGPIPE or a blocked SIGTERM would behave differently under each host.
static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
    int failure = posix_spawnattr_setflags(attributes, flags);
    if (!failure)
        failure = posix_spawnattr_setpgroup(attributes, 0);
    if (!failure)
        failure = posix_spawnattr_setsigdefault(attributes, &all);
    if (!failure)
        failure = posix_spawnattr_setsigmask(attributes, &none);
    return failure;
}

static int set_actions(posix_spawn_file_actions_t *actions, int channel, int printed)
{
    int failure = posix_spawn_file_actions_adddup2(actions, channel, 0);
    if (!failure)
        failure = posix_spawn_file_actions_adddup2(actions, channel, 1);
    if (!failure)
        failure = posix_spawn_file_actions_adddup2(actions, printed, 2);
    return failure;
}

// Returns 0 or an errno; a command that cannot be executed is reported here too.
static int spawn_child(pid_t *pid, const char *const *argv, char **environment, int channel,
                       int printed)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure)
        return failure;
    failure = posix_spawnattr_init(&attributes);
    if (failure)
        goto release_actions;
    failure = set_attributes(&attributes);
    if (!failure)
        failure = set_actions(&actions, channel, printed);
    if (!failure)
        failure =
            posix_spawnp(pid, argv[0], &actions, &attributes, (char *const *)argv, environment);
    posix_spawnattr_destroy(&attributes);
release_actions:
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

static const struct sched_param no_priority;

bool process_batch(void)
{
    return sched_getscheduler(0) == SCHED_OTHER &&
           sched_setscheduler(0, SCHED_BATCH, &no_priority) == 0;
}

void process_batch_end(void)
{
    sched_setscheduler(0, SCHED_OTHER, &no_priority);
}

// The folder's own descriptor is one of those that are counted, as "." and ".." are of the entries.
size_t process_files_left(void)
{
    struct rlimit files;
    size_t open = 0;
    DIR *folder = opendir("/proc/self/fd");
    if (!folder || getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) {
        if (folder)
            closedir(folder);
        return SIZE_MAX;
    }
    while (readdir(folder))
        open++;
    closedir(folder);
    open -= open < 3 ? open : 3;
    return files.rlim_cur > open ? (size_t)files.rlim_cur - open : 0;
}

const char *process_files_advice(int number)
{
    return number == EMFILE ? " (each worker takes two: raise the limit of this process, ulimit -n)"
                            : "";
}

static void start_failed(const char *program, int number, struct error *e)
{
    if (number == ENOMEM)
        error_memory(e);
    else
        error_set_driver(e, ERROR_IO, number, "cannot start '%s': %s%s", program, strerror(number),
                         process_files_advice(number));
}

bool process_start(struct process *p, const char *const *argv, const char *const *environment,
                   struct error *e)
{
    bool ok = false;
    int failure = 0;
    int channel[2] = {-1, -1}, printed[2] = {-1, -1};
    *p = (struct process)PROCESS_NONE;
    char **merged = merged_environment(environment);
    if (!merged) {
        error_memory(e);
        goto out;
    }
    failure = open_ends(channel, printed) ? 0 : errno;
    if (!failure)
        failure = spawn_child(&p->pid, argv, merged, channel[1], printed[1]);
    if (failure) {
        p->pid = 0;
        start_failed(argv[0], failure, e);
        goto out;
    }
    p->channel = channel[0];
    p->printed = printed[0];
    channel[0] = printed[0] = -1;
    ok = true;
out:
    for (int i = 0; i < 2; i++) {
        close_fd(&channel[i]);
        close_fd(&printed[i]);
    }
    free(merged);
    return ok;
}

#define OWNED_WORDS 3 // in front of the program

bool process_start_owned(struct process *p, const char *const *argv, struct error *e)
{
    char worker[BESIDE_PATH_SIZE];
    struct text path = TEXT_INIT;
    size_t count = 0;
    // A program that is not found is started all the same: the attempt reports the reason best.
    bool is_found = tool_find(argv[0], &path) && beside_worker(worker);
    text_release(&path);
    if (!is_found)
        return process_start(p, argv, NULL, e);
    while (argv[count])
        count++;
    const char **words = alloc_zeroed((count + OWNED_WORDS + 1) * sizeof *words, e);
    if (!words)
        return false;
    words[0] = worker;
    words[1] = "--own";
    words[2] = "--";
    memcpy(words + OWNED_WORDS, argv, count * sizeof *words);
    bool ok = process_start(p, words, NULL, e);
    free((void *)words);
    return ok;
}

bool process_start_on(struct process_host *h, struct process *p, const char *const *environment,
                      struct error *e)
{
    *p = (struct process)PROCESS_NONE;
    if (!h->ops->start(h, p, environment, e))
        return false;
    p->host = h;
    return true;
}

// ---- what was printed

static void tail_add(struct process *p, char *bytes, size_t length)
{
    const size_t capacity = sizeof p->tail - 1;
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] == '\0') // the tail is a string
            bytes[i] = ' ';
    }
    if (length > capacity) {
        p->tail_cut = true;
        bytes += length - capacity;
        length = capacity;
    }
    size_t kept = p->tail_length < capacity - length ? p->tail_length : capacity - length;
    p->tail_cut = p->tail_cut || kept < p->tail_length;
    memmove(p->tail, p->tail + p->tail_length - kept, kept);
    memcpy(p->tail + kept, bytes, length);
    p->tail_length = kept + length;
    p->tail[p->tail_length] = '\0';
}

bool process_drain(struct process *p)
{
    // Bounded, or a child that prints faster than we read would keep us here. 64 KiB is what a pipe
    // holds by default.
    char buffer[4096];
    for (int i = 0; i < 16 && p->printed >= 0; i++) {
        ssize_t n = read(p->printed, buffer, sizeof buffer);
        if (n > 0)
            tail_add(p, buffer, (size_t)n);
        else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return true;
        else if (n == 0 || errno != EINTR)
            close_fd(&p->printed);
    }
    return p->printed >= 0;
}

size_t process_tail_length(const struct process *p)
{
    size_t length = p->tail_length;
    while (length > 0 && strchr(" \t\r\n", p->tail[length - 1]))
        length--;
    return length;
}

void process_forget(struct process *p)
{
    p->tail[0] = '\0';
    p->tail_length = 0;
    p->tail_cut = false;
}

// ---- signals

void process_signal(struct process *p, int signal)
{
    if (p->pid <= 0)
        return;
    if (signal == SIGKILL && !p->host) { // those in other groups and sessions, too
        if (kill(-p->pid, SIGSTOP) != 0)
            kill(p->pid, SIGSTOP);
        descendants_kill(p->pid);
    }
    // A child that moved to another group is still ours.
    if (p->host)
        p->host->ops->signal(p->host, p->pid, signal);
    else if (kill(-p->pid, signal) != 0)
        kill(p->pid, signal);
}

void process_stop(struct process *p)
{
    if (p->pid <= 0)
        return;
    process_signal(p, SIGSTOP);
    p->stopped = true;
}

void process_continue(struct process *p)
{
    if (p->stopped)
        process_signal(p, SIGCONT);
    p->stopped = false;
}

// ---- the end

#define PAUSE_LEAST_MS   1
#define PAUSE_MOST_MS    20
#define KILL_PATIENCE_MS 10000

// The child is dead but not yet reaped, so its number cannot belong to anybody else: the moment to
// kill what it left in its group.
static void reap(struct process *p, int *status)
{
    process_signal(p, SIGKILL);
    while (waitpid(p->pid, status, 0) < 0) {
        if (errno != EINTR) {
            *status = PROCESS_STATUS_UNKNOWN;
            break;
        }
    }
    p->pid = 0;
    p->stopped = false;
}

// True when there is no child any more.
static bool is_process_gone(struct process *p, int *status)
{
    siginfo_t info = {.si_pid = 0};
    if (p->host) {
        if (!p->host->ops->is_gone(p->host, p->pid, status))
            return false;
        p->pid = 0;
        p->stopped = false;
        return true;
    }
    if (waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0) {
        if (info.si_pid == 0)
            return false;
        reap(p, status);
        return true;
    }
    if (errno == EINTR)
        return false;
    // ECHILD: the host program ignores SIGCHLD or waited for all its children.
    p->pid = 0;
    p->stopped = false;
    return true;
}

bool process_has_ended(const struct process *p)
{
    siginfo_t info = {.si_pid = 0};
    return p->pid > 0 && !p->host &&
           waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}

// Sleeps until something is printed, at most `ms`.
static void pause_draining(struct process *p, int ms)
{
    struct pollfd printed = {.fd = p->printed, .events = POLLIN}; // -1 is never ready
    poll(&printed, 1, ms);
    process_drain(p);
}

// Looks again and again instead of sleeping in waitpid(): that has no timeout, and the child may be
// blocked on a full pipe that somebody must read.
bool process_wait(struct process *p, int timeout_ms, int *status)
{
    int ignored;
    if (!status)
        status = &ignored;
    *status = PROCESS_STATUS_UNKNOWN;
    if (p->pid <= 0)
        return true;
    uint64_t start = clock_ns();
    int pause = PAUSE_LEAST_MS;
    while (!is_process_gone(p, status)) {
        uint64_t passed = (clock_ns() - start) / 1000000u;
        if (timeout_ms >= 0 && passed >= (uint64_t)timeout_ms)
            return false;
        int left = timeout_ms < 0 ? PAUSE_MOST_MS : timeout_ms - (int)passed;
        pause_draining(p, pause < left ? pause : left);
        pause = pause * 2 < PAUSE_MOST_MS ? pause * 2 : PAUSE_MOST_MS;
    }
    process_drain(p);
    return true;
}

static void end_within(struct process *p, int patience_ms)
{
    int status;
    process_signal(p, SIGKILL); // reaches a stopped child too
    // A driver can hold a dead process in the kernel for long; rather a zombie than a hang.
    if (!process_wait(p, patience_ms, &status) && p->host)
        p->host->ops->forget(p->host, p->pid);
    p->pid = 0;
    p->stopped = false;
    close_fd(&p->channel);
    close_fd(&p->printed);
}

void process_end(struct process *p)
{
    end_within(p, KILL_PATIENCE_MS);
}

void process_leave(struct process *p)
{
    end_within(p, 0);
}

// ---- what is known of it

const char *process_lost(const struct process *p)
{
    return p->host ? p->host->ops->lost(p->host) : NULL;
}

uint64_t process_memory(const struct process *p)
{
    char path[64];
    unsigned long long pages = 0, resident = 0;
    if (p->host)
        return p->pid > 0 ? p->host->ops->memory(p->host, p->pid) : 0;
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)p->pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return 0;
    if (fscanf(f, "%llu %llu", &pages, &resident) != 2)
        resident = 0;
    fclose(f);
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

void process_status_text(int status, char *out, size_t size)
{
    static const struct {
        int number;
        const char *name, *meaning;
    } signals[] = {
        {SIGABRT, "SIGABRT", "aborted"},
        {SIGBUS, "SIGBUS", "bus error"},
        {SIGFPE, "SIGFPE", "arithmetic error"},
        {SIGHUP, "SIGHUP", "hangup"},
        {SIGILL, "SIGILL", "illegal instruction"},
        {SIGINT, "SIGINT", "interrupt"},
        {SIGKILL, "SIGKILL", "killed, by hand or for memory"},
        {SIGPIPE, "SIGPIPE", "its output has no reader"},
        {SIGQUIT, "SIGQUIT", "quit"},
        {SIGSEGV, "SIGSEGV", "segmentation fault"},
        {SIGSYS, "SIGSYS", "forbidden system call"},
        {SIGTERM, "SIGTERM", "terminated"},
        {SIGTRAP, "SIGTRAP", "trap"},
        {SIGXCPU, "SIGXCPU", "CPU time limit"},
        {SIGXFSZ, "SIGXFSZ", "file size limit"},
    };
    if (WIFEXITED(status)) {
        str_format(out, size, "exited with status %d", WEXITSTATUS(status));
        return;
    }
    if (!WIFSIGNALED(status)) {
        str_format(out, size, "ended for an unknown reason");
        return;
    }
    int number = WTERMSIG(status);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        if (signals[i].number == number) {
            str_format(out, size, "was killed by %s (%s)", signals[i].name, signals[i].meaning);
            return;
        }
    }
    str_format(out, size, "was killed by signal %d", number);
}
