// The process in which one job of native code runs (cell.h): its start, what passes between it and
// the worker, and what is seen of it from outside. The worker stays what it was forked from: one
// thread beside the one that watches the tuner, and no code of anybody's but hone's.
#include "worker/cell.h"

#include "os/descendants.h"
#include "os/process.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

// How long a cell that has closed its channel may take to end.
#define END_MS 200
// How long a thread may take to go away, and the idle threads of a library to fall asleep.
#define THREADS_NS (UINT64_C(5) * 1000000)
#define POOL_NS    (UINT64_C(1000) * 1000000)
#define LOOK_MS    1
#define GAVE_UP    (EXIT_FAILURE << 8) // as waitpid() gives it
#define TABLE_PART 16384

// ---- its life

enum cell_side cell_start(struct cell *c, struct error *e)
{
    int ends[2];
    pid_t worker = getpid();
    *c = (struct cell){.pid = 0};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        error_set_driver(e, ERROR_IO, errno, "a process for the job: %s", strerror(errno));
        return CELL_FAILED;
    }
    c->pid = fork();
    if (c->pid < 0) {
        error_set_driver(e, ERROR_IO, errno, "a process for the job: %s", strerror(errno));
        close(ends[0]);
        close(ends[1]);
        return CELL_FAILED;
    }
    bool inside = c->pid == 0;
    close(ends[inside ? 0 : 1]);
    channel_init(&c->channel, ends[inside ? 1 : 0]);
    if (!inside)
        return CELL_OUTSIDE;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != worker)
        _exit(EXIT_FAILURE);
    // Closes the files that the worker was started with, which the cell does not use. The worker's own files
    // are close-on-exec, and stay.
    for (int fd = 3; fd < STATE_FILES; fd++) {
        int flags = fcntl(fd, F_GETFD);
        if (flags >= 0 && !(flags & FD_CLOEXEC))
            close(fd);
    }
    return CELL_INSIDE;
}

static void release_channel(struct cell *c)
{
    close(c->channel.fd);
    channel_release(&c->channel);
}

void cell_end(struct cell *c)
{
    if (c->pid <= 0)
        return;
    kill(c->pid, SIGSTOP); // it starts nothing any more while what it has started is ended
    descendants_kill(c->pid);
    kill(c->pid, SIGKILL);
    while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    release_channel(c);
    c->pid = 0;
}

// ---- what passes

// The answer did not come: how has the process ended? One that lives on without its channel, or
// says what no cell says, is ended here.
static void find_end(struct cell *c, const char *wrong, int *status, struct text *why)
{
    uint64_t until = clock_ns() + END_MS * UINT64_C(1000000);
    pid_t gone = 0;
    while (!*wrong && (gone = waitpid(c->pid, status, WNOHANG)) == 0 && clock_ns() < until)
        poll(NULL, 0, LOOK_MS);
    if (gone == c->pid) {
        descendants_kill(getpid()); // what it has left is this process's now
        release_channel(c);
        c->pid = 0;
        return;
    }
    text_addf(why, "the process of the job %s",
              *wrong ? wrong : "closed its channel and did not end");
    cell_end(c);
    *status = GAVE_UP;
}

static bool is_answer(enum verb verb)
{
    return verb == VERB_REPLY_RESULT || verb == VERB_REPLY_BYTES || verb == VERB_REPLY_ERROR;
}

bool cell_ask(struct cell *c, uint32_t sequence, const struct frame *request,
              const struct cell_listener *l, struct frame *answer, int *status, struct text *why)
{
    struct error e = ERROR_INIT;
    const char *wrong = "";
    if (request)
        channel_send(&c->channel, request->verb, sequence, request->payload, request->length, &e);
    for (;;) {
        int got = channel_wait(&c->channel, -1, answer, &e);
        if (got <= 0) {
            wrong = c->channel.ended ? "" : "sent what is not a frame";
            break;
        }
        if (answer->sequence == sequence &&
            (answer->verb == VERB_PHASE || answer->verb == VERB_PART)) {
            l->pass_on(l->context, answer);
            continue;
        }
        if (answer->sequence == sequence && is_answer(answer->verb))
            return true;
        wrong = "answered what it was not asked";
        break;
    }
    find_end(c, wrong, status, why);
    return false;
}

// ---- what is seen of it

void cell_note(struct cell *c)
{
    c->is_noted = process_state_read(c->pid, &c->before);
    c->before.children = 0; // what is started while it is loaded is started, too
}

// Libraries of which the user wants that their threads never sleep.
static bool pools_are_awake(void)
{
    static const char *const names[] = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"};
    bool any = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        any = any || getenv(names[i]);
    return any;
}

// A thread that has just been joined may still be seen for a moment; and those of a library such as
// OpenMP's look for more work a while before they sleep.
static void look_at_threads(const struct cell *c, struct process_state *now, struct text *out)
{
    bool has_pool = now->threads > 1 && process_has_pool(c->pid);
    uint64_t until = clock_ns() + (has_pool ? POOL_NS : THREADS_NS);
    if (has_pool && pools_are_awake())
        return;
    while ((has_pool ? now->busy_threads > 0 : now->threads > c->before.threads) &&
           clock_ns() < until) {
        poll(NULL, 0, LOOK_MS);
        if (!process_state_read(c->pid, now))
            return;
    }
    uint32_t left = has_pool                           ? now->busy_threads
                    : now->threads > c->before.threads ? now->threads - c->before.threads
                                                       : 0;
    if (left > 0)
        text_addf(out, "left %u thread%s running", left, left == 1 ? "" : "s");
}

struct comparison {
    pid_t pid;
    int pages, own_pages; // /proc/PID/pagemap
    bool differs;
};

// True if a page, as /proc/PID/pagemap gives it, is in memory, and no longer the file's but a copy.
static bool is_copied(uint64_t page)
{
    return page >> 63 && !(page >> 61 & 1);
}

// Code is mapped from files: what was written to is seen by its pages, without reading any, which
// would leave the job's data no place in the caches.
static void compare_code(struct comparison *c, uintptr_t at, size_t length)
{
    enum { PAGES = 512 };
    uint64_t theirs[PAGES], own[PAGES];
    size_t size = (size_t)sysconf(_SC_PAGESIZE), first = at / size;
    size_t count = (at + length + size - 1) / size - first;
    for (size_t part; count > 0 && !c->differs; first += part, count -= part) {
        part = count < PAGES ? count : PAGES;
        off_t from = (off_t)(first * sizeof *own);
        ssize_t bytes = (ssize_t)(part * sizeof *own);
        if (pread(c->pages, theirs, (size_t)bytes, from) != bytes ||
            pread(c->own_pages, own, (size_t)bytes, from) != bytes)
            return; // the system does not allow it
        for (size_t i = 0; i < part; i++)
            c->differs = c->differs || (is_copied(theirs[i]) && !is_copied(own[i]));
    }
}

// The program's table of the functions that it calls in libraries: it is complete and read-only from
// the start (linked with -z now).
static void compare_table(struct comparison *c, uintptr_t at, size_t length)
{
    uint8_t theirs[TABLE_PART] = {0}, own[TABLE_PART] = {0};
    for (size_t part; length > 0 && !c->differs; at += part, length -= part) {
        part = length < sizeof theirs ? length : sizeof theirs;
        struct iovec here = {theirs, part}, mine = {own, part}, there = {(void *)at, part};
        // A sanitizer lets nobody read the gaps between variables directly.
        if (process_vm_readv(c->pid, &here, 1, &there, 1, 0) != (ssize_t)part ||
            process_vm_readv(getpid(), &mine, 1, &there, 1, 0) != (ssize_t)part)
            return;
        c->differs = memcmp(theirs, own, part) != 0;
    }
}

static int compare_object(struct dl_phdr_info *o, size_t size, void *context)
{
    bool is_program = o->dlpi_name && !o->dlpi_name[0];
    (void)size;
    for (int i = 0; i < o->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &o->dlpi_phdr[i];
        if (h->p_type == PT_LOAD && (h->p_flags & PF_X))
            compare_code(context, o->dlpi_addr + h->p_vaddr, h->p_memsz);
        if (h->p_type == PT_GNU_RELRO && is_program)
            compare_table(context, o->dlpi_addr + h->p_vaddr, h->p_memsz);
    }
    return 0;
}

// The worker's own code lies in the cell where it lies here.
static bool is_code_changed(const struct cell *c)
{
    char path[64];
    struct comparison code = {.pid = c->pid};
    snprintf(path, sizeof path, "/proc/%d/pagemap", (int)c->pid);
    code.pages = open(path, O_RDONLY | O_CLOEXEC);
    code.own_pages = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    dl_iterate_phdr(compare_object, &code);
    if (code.pages >= 0)
        close(code.pages);
    if (code.own_pages >= 0)
        close(code.own_pages);
    return code.differs;
}

// Daemons: a process whose parent has ended is a child of the worker.
static uint32_t count_orphans(const pid_t *cells, size_t count)
{
    pid_t children[64];
    size_t found = descendants_children(getpid(), children, 64);
    uint32_t orphans = 0;
    for (size_t i = 0; i < found; i++) {
        size_t k = 0;
        while (k < count && cells[k] != children[i])
            k++;
        orphans += k == count;
    }
    return orphans;
}

static bool has_ended(const struct cell *c)
{
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}

void cell_look(const struct cell *c, const pid_t *cells, size_t count, struct text *out)
{
    struct process_state now;
    if (!c->is_noted)
        return; // a system that tells nothing
    if (!process_state_read(c->pid, &now)) {
        text_add(out, has_ended(c) ? "left its process unable to go on: it ended by itself"
                                   : "hid its process from the worker");
        return;
    }
    look_at_threads(c, &now, out);
    now.children += count_orphans(cells, count);
    process_state_tell(&c->before, &now, c->pid, out);
    if (is_code_changed(c))
        text_addf(out, "%schanged the code of the worker, or which functions it calls",
                  out->length ? ", " : "");
    descendants_reap(cells, count);
}
