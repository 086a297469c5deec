// Reads /proc/PID/task/TID/children, which the kernel keeps for each thread; where it has no such
// file, the parent in /proc/PID/stat of every process is looked at. Memory is the stack's: a thread
// that ends a process must not wait for a lock that another thread of it holds.
#include "os/descendants.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIST_MOST   512
#define PASSES_MOST 100
#define PASS_NS     1000000

// ---- folders of numbers

struct numbers {
    int fd;
    size_t at, length;
    char buffer[2048];
};

// As getdents64() gives it.
struct entry64 {
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

static bool numbers_open(struct numbers *n, const char *path)
{
    n->at = n->length = 0;
    n->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return n->fd >= 0;
}

// The next name that is a number, or 0.
static pid_t numbers_next(struct numbers *n)
{
    for (;;) {
        if (n->at >= n->length) {
            long got = syscall(SYS_getdents64, n->fd, n->buffer, sizeof n->buffer);
            if (got <= 0)
                return 0;
            n->length = (size_t)got;
            n->at = 0;
        }
        const struct entry64 *e = (const void *)(n->buffer + n->at);
        n->at += e->length;
        if (e->name[0] >= '1' && e->name[0] <= '9')
            return (pid_t)strtol(e->name, NULL, 10);
    }
}

static size_t read_small(const char *path, char *out, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, out, size - 1);
    if (fd >= 0)
        close(fd);
    out[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

// The parent of a process that lives; 0: it is dead, or not there.
static pid_t parent_of(pid_t pid)
{
    char path[64], stat[512], state = 'X';
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    read_small(path, stat, sizeof stat);
    const char *behind = strrchr(stat, ')'); // the name may hold anything
    if (!behind || sscanf(behind + 1, " %c %d", &state, &parent) != 2)
        return 0;
    return state == 'Z' || state == 'X' ? 0 : (pid_t)parent;
}

// ---- children

static size_t children_by_walk(pid_t root, pid_t *out, size_t most)
{
    struct numbers all;
    size_t count = 0;
    if (!numbers_open(&all, "/proc"))
        return 0;
    for (pid_t pid; count < most && (pid = numbers_next(&all));) {
        if (parent_of(pid) == root)
            out[count++] = pid;
    }
    close(all.fd);
    return count;
}

// False where the kernel keeps no such file.
static bool children_of_thread(pid_t root, pid_t thread, pid_t *out, size_t most, size_t *count)
{
    char path[96], list[8192];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)root, (int)thread);
    if (access(path, F_OK) != 0)
        return false;
    read_small(path, list, sizeof list);
    for (char *at = list; *count < most && *at;) {
        pid_t pid = (pid_t)strtol(at, &at, 10);
        if (pid > 0 && parent_of(pid))
            out[(*count)++] = pid;
        at += strspn(at, " \n");
    }
    return true;
}

size_t descendants_children(pid_t root, pid_t *out, size_t most)
{
    char path[64];
    struct numbers threads;
    size_t count = 0;
    bool kept = false;
    snprintf(path, sizeof path, "/proc/%d/task", (int)root);
    if (!numbers_open(&threads, path))
        return 0;
    for (pid_t thread; (thread = numbers_next(&threads));)
        kept = children_of_thread(root, thread, out, most, &count) || kept;
    close(threads.fd);
    return kept ? count : children_by_walk(root, out, most);
}

size_t descendants_list(pid_t root, pid_t *out, size_t most)
{
    size_t count = descendants_children(root, out, most);
    for (size_t i = 0; i < count; i++)
        count += descendants_children(out[i], out + count, most - count);
    return count;
}

// ---- their end

bool descendants_adopt(void)
{
    return prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
}

// Until no more are there than were signalled: one that is stopped while it starts another leaves that to be found.
void descendants_signal(pid_t root, int signal)
{
    pid_t list[LIST_MOST];
    size_t count = 0, before;
    do {
        before = count;
        count = descendants_list(root, list, LIST_MOST);
        for (size_t i = 0; i < count; i++)
            kill(list[i], signal);
    } while (count > before);
}

// Again and again: one that is killed while it starts another leaves that to be found.
void descendants_kill(pid_t root)
{
    struct timespec pause = {.tv_nsec = PASS_NS};
    pid_t list[LIST_MOST];
    for (int pass = 0; pass < PASSES_MOST; pass++) {
        size_t count = descendants_list(root, list, LIST_MOST);
        for (size_t i = 0; i < count; i++)
            kill(list[i], SIGKILL);
        if (count == 0)
            return;
        nanosleep(&pause, NULL);
    }
}

static bool is_one_of(pid_t pid, const pid_t *list, size_t count)
{
    while (count > 0 && list[count - 1] != pid)
        count--;
    return count > 0;
}

// A dead child of its own that is still to be understood would hide the others behind it from
// waitid(), so each is asked for by its number.
void descendants_reap(const pid_t *own, size_t count)
{
    char path[64], list[8192];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    read_small(path, list, sizeof list);
    for (char *at = list; *at;) {
        pid_t pid = (pid_t)strtol(at, &at, 10);
        if (pid > 0 && !is_one_of(pid, own, count))
            waitpid(pid, NULL, WNOHANG);
        at += strspn(at, " \n");
    }
}
