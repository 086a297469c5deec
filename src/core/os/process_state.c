// The state of another process, as /proc and the kernel report it.
#include "os/process_state.h"

#include "os/descendants.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define CHILDREN_MOST 64

static const char *proc_path(pid_t pid, const char *name, char *out, size_t size)
{
    snprintf(out, size, "/proc/%d/%s", (int)pid, name);
    return out;
}

// ---- reading

// The number behind a key of /proc/PID/status.
static uint64_t status_number(const char *status, const char *key, int base)
{
    const char *at = strstr(status, key);
    return at ? strtoull(at + strlen(key), NULL, base) : 0;
}

static bool read_status(pid_t pid, struct process_state *s)
{
    char path[64];
    struct text status = TEXT_INIT;
    bool ok = file_read(proc_path(pid, "status", path, sizeof path), 0, &status, NULL);
    const char *text = text_cstr(&status);
    s->threads = (uint32_t)status_number(text, "\nThreads:", 10);
    s->blocked = status_number(text, "\nSigBlk:", 16);
    s->ignored = status_number(text, "\nSigIgn:", 16);
    s->caught = status_number(text, "\nSigCgt:", 16);
    s->file_mask = (uint32_t)status_number(text, "\nUmask:", 8);
    s->seccomp = (uint32_t)status_number(text, "\nSeccomp:", 10);
    text_release(&status);
    return ok && s->threads > 0;
}

static bool read_files(pid_t pid, struct process_state *s)
{
    char path[64];
    DIR *folder = opendir(proc_path(pid, "fd", path, sizeof path));
    const struct dirent *entry;
    if (!folder)
        return false;
    while ((entry = readdir(folder))) {
        char *end;
        unsigned long fd = strtoul(entry->d_name, &end, 10);
        if (end != entry->d_name && fd < STATE_FILES)
            s->files[fd / 8] |= (uint8_t)(1u << fd % 8);
    }
    closedir(folder);
    return true;
}

// Counts the busy threads besides the first: the state of a thread that is ready to run is R.
static void read_threads(pid_t pid, struct process_state *s)
{
    char path[320];
    DIR *folder = opendir(proc_path(pid, "task", path, sizeof path));
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        struct text stat = TEXT_INIT;
        if (entry->d_name[0] == '.' || atoi(entry->d_name) == (int)pid)
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/stat", (int)pid, entry->d_name);
        if (file_read(path, 0, &stat, NULL)) {
            const char *behind = strrchr(text_cstr(&stat), ')');
            s->busy_threads += behind && behind[1] == ' ' && behind[2] == 'R';
        }
        text_release(&stat);
    }
    if (folder)
        closedir(folder);
}

static uint64_t cores_digest(pid_t pid)
{
    cpu_set_t set;
    uint64_t sum = 14695981039346656037u;
    CPU_ZERO(&set);
    if (sched_getaffinity(pid, sizeof set, &set) != 0)
        return 0;
    for (size_t i = 0; i < CPU_SETSIZE; i++)
        sum = (sum ^ (CPU_ISSET(i, &set) ? i + 1 : 0)) * 1099511628211u;
    return sum;
}

static uint64_t read_personality(pid_t pid)
{
    char path[64];
    struct text text = TEXT_INIT;
    file_read(proc_path(pid, "personality", path, sizeof path), 0, &text, NULL);
    uint64_t value = strtoull(text_cstr(&text), NULL, 16);
    text_release(&text);
    return value;
}

static bool has_timers(pid_t pid)
{
    char path[64];
    struct text text = TEXT_INIT;
    file_read(proc_path(pid, "timers", path, sizeof path), 0, &text, NULL);
    bool any = text.length > 0;
    text_release(&text);
    return any;
}

static bool read_folder(pid_t pid, struct process_state *s)
{
    char path[64];
    ssize_t length =
        readlink(proc_path(pid, "cwd", path, sizeof path), s->folder, sizeof s->folder - 1);
    s->folder[length > 0 ? length : 0] = '\0';
    return length > 0;
}

bool process_state_read(pid_t pid, struct process_state *out)
{
    pid_t children[CHILDREN_MOST];
    memset(out, 0, sizeof *out);
    if (!read_status(pid, out) || !read_files(pid, out) || !read_folder(pid, out))
        return false;
    read_threads(pid, out);
    for (int i = 0; i < STATE_LIMITS; i++) {
        struct rlimit limit = {0, 0};
        if (prlimit(pid, (__rlimit_resource_t)i, NULL, &limit) == 0)
            out->limits[i] = limit.rlim_cur;
    }
    out->children = (uint32_t)descendants_children(pid, children, CHILDREN_MOST);
    out->nice = getpriority(PRIO_PROCESS, (id_t)pid);
    out->policy = sched_getscheduler(pid);
    out->group = getpgid(pid);
    out->session = getsid(pid);
    out->cores = cores_digest(pid);
    out->personality = read_personality(pid);
    out->timers = has_timers(pid);
    return true;
}

// ---- telling

static void tell_one(struct text *out, const char *what)
{
    text_addf(out, "%s%s", out->length ? ", " : "", what);
}

static void tell_signals(uint64_t before, uint64_t now, const char *what, struct text *out)
{
    uint64_t changed = before ^ now;
    int first = 1;
    if (!changed)
        return;
    while (!(changed & 1)) {
        changed >>= 1;
        first++;
    }
    text_addf(out, "%s%s (%s%s)", out->length ? ", " : "", what, strsignal(first),
              changed > 1 ? " and others" : "");
}

static void tell_limits(const struct process_state *before, const struct process_state *now,
                        struct text *out)
{
    static const char *const names[STATE_LIMITS] = {[RLIMIT_CPU] = "processor time",
                                                    [RLIMIT_FSIZE] = "files' sizes",
                                                    [RLIMIT_DATA] = "data",
                                                    [RLIMIT_STACK] = "the stack",
                                                    [RLIMIT_CORE] = "core files",
                                                    [RLIMIT_RSS] = "resident memory",
                                                    [RLIMIT_NPROC] = "processes",
                                                    [RLIMIT_NOFILE] = "open files",
                                                    [RLIMIT_MEMLOCK] = "locked memory",
                                                    [RLIMIT_AS] = "memory",
                                                    [RLIMIT_LOCKS] = "locks",
                                                    [RLIMIT_SIGPENDING] = "pending signals",
                                                    [RLIMIT_MSGQUEUE] = "message queues",
                                                    [RLIMIT_NICE] = "niceness",
                                                    [RLIMIT_RTPRIO] = "real-time priority",
                                                    [RLIMIT_RTTIME] = "real time"};
    const char *changed[STATE_LIMITS];
    int count = 0;
    for (int i = 0; i < STATE_LIMITS; i++) {
        if (before->limits[i] != now->limits[i])
            changed[count++] = names[i];
    }
    for (int i = 0; i < count; i++)
        text_addf(out, "%s%s",
                  i > 0         ? (i + 1 < count ? ", " : " and ")
                  : out->length ? ", changed the limits of "
                                : "changed the limits of ",
                  changed[i]);
}

static void tell_files(const struct process_state *before, const struct process_state *now,
                       pid_t pid, struct text *out)
{
    for (int fd = 0; fd < STATE_FILES; fd++) {
        char path[64], name[256];
        bool was = before->files[fd / 8] >> fd % 8 & 1, is = now->files[fd / 8] >> fd % 8 & 1;
        if (was == is)
            continue;
        if (was) {
            tell_one(out, "closed a file of the worker's");
            return;
        }
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, fd);
        ssize_t length = readlink(path, name, sizeof name - 1);
        name[length > 0 ? length : 0] = '\0';
        text_addf(out, "%sleft a file open (%s)", out->length ? ", " : "", name);
        return;
    }
}

void process_state_tell(const struct process_state *before, const struct process_state *now,
                        pid_t pid, struct text *out)
{
    if (now->children > before->children)
        text_addf(out, "%sleft %u process%s running", out->length ? ", " : "",
                  now->children - before->children,
                  now->children - before->children == 1 ? "" : "es");
    tell_signals(before->blocked, now->blocked, "changed which signals are blocked", out);
    tell_signals(before->ignored, now->ignored, "changed which signals are ignored", out);
    tell_signals(before->caught, now->caught, "changed which signals are handled", out);
    tell_limits(before, now, out);
    tell_files(before, now, pid, out);
    if (strcmp(before->folder, now->folder) != 0)
        text_addf(out, "%schanged the working folder to %s", out->length ? ", " : "", now->folder);
    if (before->file_mask != now->file_mask)
        tell_one(out, "changed the umask");
    if (before->session != now->session || before->group != now->group)
        tell_one(out, "left its process group");
    if (before->nice != now->nice || before->policy != now->policy)
        tell_one(out, "changed its priority");
    if (before->cores != now->cores)
        tell_one(out, "changed the cores that it may use");
    if (before->personality != now->personality)
        tell_one(out, "changed its personality");
    if (before->seccomp != now->seccomp)
        tell_one(out, "filtered its system calls");
    if (now->timers && !before->timers)
        tell_one(out, "left a timer running");
}

// ---- libraries and time

bool process_has_pool(pid_t pid)
{
    static const char *const names[] = {"/libgomp", "/libomp", "/libiomp", "/libmkl_",
                                        "/libtbb",  "blas",    "/libarmpl"};
    char path[64];
    struct text maps = TEXT_INIT;
    bool any = false;
    file_read(proc_path(pid, "maps", path, sizeof path), 0, &maps, NULL);
    for (size_t i = 0; !any && i < sizeof names / sizeof *names; i++)
        any = strstr(text_cstr(&maps), names[i]) != NULL;
    text_release(&maps);
    return any;
}

uint32_t process_threads(pid_t pid)
{
    char path[64];
    struct text stat = TEXT_INIT;
    unsigned count = 0;
    file_read(proc_path(pid, "stat", path, sizeof path), 0, &stat, NULL);
    const char *at = strrchr(text_cstr(&stat), ')');
    for (int field = 2; at && field < 20; field++) { // num_threads is the twentieth
        at = strchr(at, ' ');
        at = at ? at + 1 : NULL;
    }
    count = at ? (unsigned)strtoul(at, NULL, 10) : 0;
    text_release(&stat);
    return count;
}

uint64_t process_used_ns(pid_t pid)
{
    clockid_t clock;
    struct timespec used = {0, 0};
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return 0;
    return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}
