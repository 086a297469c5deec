// Ends the worker, and all that it has started, when its tuner or its channel ends: a thread sleeps
// until then. The worker's own thread may be in a driver's call or wait for a kernel, and is given
// a moment to end by itself; after that the process group is killed.
//
// The thread watches the parent process, not the thread of it that called posix_spawn(), whose end
// means nothing: a tuner may take each of its steps in another thread. The parent is watched beside
// the channel because a process that the tuner has forked may hold the tuner's end of the channel
// open after it.
//
// A worker that is stopped (SIGSTOP) runs no thread. So the kernel is asked to continue it when
// anything happens on the channel, its end included (O_ASYNC), and when the thread that is its
// parent ends (PR_SET_PDEATHSIG); then the watching thread sees what it was. Nothing is sent to a
// worker that is stopped on purpose; one whose parent's thread ends is continued for nothing, and
// stopped again by its tuner before the next measurement.
#include "worker/watch.h"

#include "os/descendants.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES ((size_t)256 << 10)
// How long the worker may take to end by itself: it takes down its device and removes its folder.
#define GRACE_MS 400
// How often the parent is looked at where the kernel has no descriptors of processes.
#define LOOK_MS 100

// State of the watching thread, until the end of the process.
static struct watch {
    int channel;
    int parent; // descriptor of the process; -1: cannot be had
    pid_t parent_pid;
} watched;

// Closes the race with the parent's end: the descriptor is the parent's if it still is the parent
// afterwards. A parent in another PID namespace is 0 and cannot be watched.
static bool watch_parent(struct watch *w)
{
    w->parent = -1;
    w->parent_pid = getppid();
#ifdef SYS_pidfd_open
    if (w->parent_pid > 0)
        w->parent = (int)syscall(SYS_pidfd_open, w->parent_pid, 0);
#endif
    return getppid() == w->parent_pid;
}

static bool continue_when_stopped(int channel)
{
    int flags = fcntl(channel, F_GETFL);
    return flags >= 0 && fcntl(channel, F_SETOWN, getpid()) == 0 &&
           fcntl(channel, F_SETSIG, SIGCONT) == 0 &&
           fcntl(channel, F_SETFL, flags | O_ASYNC) == 0 && prctl(PR_SET_PDEATHSIG, SIGCONT) == 0;
}

// Has the tuner ended, or closed the channel? Looks for so long at most.
static bool has_ended(const struct watch *w, int timeout_ms)
{
    struct pollfd fds[] = {{.fd = w->channel, .events = POLLRDHUP},
                           {.fd = w->parent, .events = POLLIN}};
    int ready = poll(fds, 2, timeout_ms);
    return ready > 0 || (ready < 0 && errno != EINTR) || getppid() != w->parent_pid;
}

static void kill_group(void)
{
    descendants_kill(getpid()); // also those that have left the group
    kill(getpgrp() == getpid() ? 0 : getpid(), SIGKILL);
}

static void *watch_thread(void *context)
{
    const struct watch *w = context;
    struct timespec grace = {.tv_nsec = GRACE_MS * 1000000L};
    while (!has_ended(w, w->parent < 0 ? LOOK_MS : -1))
        ;
    nanosleep(&grace, NULL);
    kill_group();
    return NULL;
}

void watch_end(void)
{
    if (has_ended(&watched, 0))
        kill_group();
}

// Without the signals of the process: what a driver handles is none of this thread's business.
bool watch_start(int channel)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    watched.channel = channel;
    if (!watch_parent(&watched) || !continue_when_stopped(channel) ||
        pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool ok = pthread_create(&thread, &attributes, watch_thread, &watched) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return ok;
}
