// Workers that hold foreign code: their environment, and a look at what they have taken. A limit of processes does not hold
// for root, and one of address space breaks drivers; so both are counted from outside.
#include "extras/judge/judging_guard.h"

#include "base/text.h"
#include "os/descendants.h"
#include "os/process.h"
#include "os/sandbox.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define LOOK_EVERY_NS     100000000ull
#define BELOW_MOST        4096
#define FORKED_NO_PROGRAM 0x40           // of the kernel's flags of a process
#define WORKER_FOLDER     "hone-worker-" // and letters

// ---- the environment ---------------------------------------------------------------------------

// Each side has folders of its own, in which the other may not look.
static const char *const sides[] = {[GUARD_CANDIDATES] = "candidates",
                                    [GUARD_BASELINE] = "baseline",
                                    [GUARD_VERIFIER] = "verifier"};

static const struct setting {
    const char *name, *below; // below the side's folder; NULL: `value`
    const char *value;
    bool is_verifiers; // the other has none
} settings[] = {{"HONE_WORKER_SANDBOX", NULL, "1", false},
                {"HONE_WORKER_SCRATCH", "", NULL, false},
                {"POCL_CACHE_DIR", "/pocl", NULL, false},
                {"CUDA_CACHE_PATH", "/cuda", NULL, false},
                {"HONE_WORKER_CACHE", "/references", NULL, true}};
#define SETTINGS (sizeof settings / sizeof *settings)

static bool is_of(const char *entry, const struct setting *s)
{
    size_t length = strlen(s->name);
    return strncmp(entry, s->name, length) == 0 && entry[length] == '=';
}

static bool is_setting(const char *entry)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        if (is_of(entry, &settings[i]))
            return true;
    }
    return false;
}

static const char *value_of(const struct setting *s, const char *folder, enum guard_side side,
                            struct arena *a, struct error *e)
{
    const bool has_folder = s->below && (side == GUARD_VERIFIER || !s->is_verifiers);
    const char *value = has_folder ? arena_printf(a, "%s=%s%s", s->name, folder, s->below)
                        : s->below ? arena_printf(a, "%s=", s->name)
                                   : arena_printf(a, "%s=%s", s->name, s->value);
    if (!value)
        error_memory(e);
    else if (has_folder && !folder_make(strchr(value, '=') + 1, e))
        value = NULL;
    return value;
}

const char *const *guard_environment(const char *const *environment, const char *scratch,
                                     enum guard_side side, struct arena *a, struct error *e)
{
    size_t count = 0, n = 0;
    while (environment && environment[count])
        count++;
    const char **out = arena_array(a, count + SETTINGS + 1, sizeof *out);
    const char *folder = arena_printf(a, "%s/judge/%s", scratch, sides[side]);
    if (!out || !folder)
        return error_memory(e), NULL;
    for (size_t i = 0; i < count; i++) {
        if (!is_setting(environment[i]))
            out[n++] = environment[i];
    }
    for (size_t i = 0; i < SETTINGS; i++) {
        if (!(out[n++] = value_of(&settings[i], folder, side, a, e)))
            return NULL;
    }
    return out;
}

const char *guard_cache(const char *entry)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        if (settings[i].below && settings[i].below[0] && is_of(entry, &settings[i]) &&
            entry[strlen(settings[i].name) + 1])
            return entry + strlen(settings[i].name) + 1;
    }
    return NULL;
}

void guard_empty_caches(const char *const *environment)
{
    for (const char *const *entry = environment; entry && *entry; entry++) {
        const char *folder = guard_cache(*entry);
        if (!folder)
            continue;
        folder_remove(folder);
        folder_make(folder, NULL); // where it cannot, drivers say so
    }
}

// The folder in which a process works: a worker makes one of its own when it begins.
static void find_place(pid_t worker, char *out, size_t size)
{
    char link[64];
    str_format(link, sizeof link, "/proc/%ld/cwd", (long)worker);
    ssize_t n = readlink(link, out, size - 1);
    out[n > 0 ? n : 0] = '\0';
}

// Is it a worker's folder in which none works? Not while one begins, whose folder may be there already.
static bool is_left(const char *path, const struct guard_workers *all)
{
    char at[4096];
    for (size_t i = 0; i < all->count; i++) {
        find_place(all->list[i], at, sizeof at);
        if (!strstr(at, WORKER_FOLDER) || str_equal(at, path))
            return false;
    }
    return true;
}

static void tidy_folder(const char *folder)
{
    struct guard_workers all;
    char path[4096];
    guard_note_workers(&all);
    DIR *d = opendir(folder);
    for (struct dirent *f; d && (f = readdir(d));) {
        str_format(path, sizeof path, "%s/%s", folder, f->d_name);
        if (str_starts(f->d_name, WORKER_FOLDER) && is_left(path, &all))
            folder_remove(path);
    }
    if (d)
        closedir(d);
}

void guard_tidy(const char *const *environment)
{
    static const char scratch[] = "HONE_WORKER_SCRATCH=";
    for (const char *const *entry = environment; entry && *entry; entry++) {
        char folder[4096];
        if (str_starts(*entry, scratch) && realpath(*entry + strlen(scratch), folder))
            tidy_folder(folder);
    }
}

const char *guard_words(struct arena *a)
{
    static const struct {
        unsigned bit;
        const char *text;
    } words[] = {{SANDBOX_FILES, "files"},
                 {SANDBOX_NETWORK, "network"},
                 {SANDBOX_SIGNALS, "signals"},
                 {SANDBOX_CALLS, "system calls"}};
    unsigned offers = sandbox_offers();
    struct text out = TEXT_INIT;
    for (size_t i = 0; (offers & SANDBOX_FILES) && i < sizeof words / sizeof *words; i++) {
        if (offers & words[i].bit)
            text_addf(&out, "%s%s", out.length ? ", " : "", words[i].text);
    }
    return text_to_arena(&out, a);
}

// ---- the cores of others -----------------------------------------------------------------------

static void note_threads(pid_t worker, struct guard_cores *out)
{
    char path[64];
    str_format(path, sizeof path, "/proc/%ld/task", (long)worker);
    DIR *folder = opendir(path);
    for (struct dirent *d; folder && (d = readdir(folder)) && out->count < GUARD_THREADS;) {
        pid_t thread = (pid_t)strtol(d->d_name, NULL, 10);
        cpu_set_t *cores = &out->threads[out->count].cores;
        if (thread <= 0 || sched_getaffinity(thread, sizeof *cores, cores) != 0)
            continue;
        out->threads[out->count++].thread = thread;
    }
    if (folder)
        closedir(folder);
}

void guard_note_cores(struct guard_cores *out)
{
    pid_t workers[GUARD_WORKERS];
    size_t count = descendants_children(getpid(), workers, GUARD_WORKERS);
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < count; i++)
        note_threads(workers[i], out);
}

bool guard_cores_changed(const struct guard_cores *noted)
{
    bool changed = false;
    for (size_t i = 0; i < noted->count && !changed; i++) {
        cpu_set_t now;
        CPU_ZERO(&now);
        changed = sched_getaffinity(noted->threads[i].thread, sizeof now, &now) == 0 &&
                  !CPU_EQUAL(&now, &noted->threads[i].cores);
    }
    return changed;
}

// ---- the time of others ------------------------------------------------------------------------

void guard_note_workers(struct guard_workers *out)
{
    out->count = descendants_children(getpid(), out->list, GUARD_WORKERS);
}

// In ticks; those of children that it has waited for included.
static uint64_t used_ticks(pid_t pid)
{
    char path[64], line[1024];
    unsigned long long t[4] = {0, 0, 0, 0};
    str_format(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *f = fopen(path, "r");
    const char *rest = f && fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
    if (f)
        fclose(f);
    if (!rest ||
        sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu", &t[0],
               &t[1], &t[2], &t[3]) != 4)
        return 0;
    return t[0] + t[1] + t[2] + t[3];
}

uint64_t guard_used_ns(const struct guard_workers *noted)
{
    pid_t below[BELOW_MOST];
    uint64_t ticks = 0;
    for (size_t i = 0; i < noted->count; i++) {
        size_t count = descendants_list(noted->list[i], below, BELOW_MOST);
        ticks += used_ticks(noted->list[i]);
        for (size_t k = 0; k < count; k++)
            ticks += used_ticks(below[k]);
    }
    return ticks * (1000000000ull / (uint64_t)sysconf(_SC_CLK_TCK));
}

// ---- what they take ----------------------------------------------------------------------------

static uint64_t resident_bytes(pid_t pid)
{
    char path[64];
    unsigned long long all = 0, resident = 0;
    str_format(path, sizeof path, "/proc/%ld/statm", (long)pid);
    FILE *f = fopen(path, "r");
    if (!f)
        return 0;
    int read = fscanf(f, "%llu %llu", &all, &resident);
    fclose(f);
    return read == 2 ? resident * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

static const char *guard_worker(pid_t worker, uint64_t memory)
{
    pid_t below[BELOW_MOST];
    size_t count = descendants_list(worker, below, BELOW_MOST);
    uint64_t bytes = resident_bytes(worker);
    for (size_t i = 0; i < count && count <= GUARD_PROCESSES;
         i++) { // of one: forked ones share theirs
        uint64_t own = resident_bytes(below[i]);
        bytes = own > bytes ? own : bytes;
    }
    if (count <= GUARD_PROCESSES && bytes <= GUARD_MEMORY + memory)
        return NULL;
    kill(worker, SIGSTOP); // it starts no more of them
    descendants_kill(worker);
    kill(worker, SIGKILL);
    return count > GUARD_PROCESSES ? "it started more processes than a worker may have"
                                   : "it took more memory than a worker may have";
}

// Filters of seccomp that a process is under: in a sandbox there are more than outside.
static unsigned filters_of(pid_t pid)
{
    char path[64], line[256];
    unsigned count = 0;
    str_format(path, sizeof path, "/proc/%ld/status", (long)pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f) && sscanf(line, "Seccomp_filters: %u", &count) != 1)
        ;
    if (f)
        fclose(f);
    return count;
}

// Is it a copy of another process, that has begun no program since? What this process starts has.
static bool is_copy(pid_t pid)
{
    char path[64], line[1024];
    unsigned flags = 0;
    str_format(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *f = fopen(path, "r");
    const char *rest = f && fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
    if (f)
        fclose(f);
    return rest && sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
           (flags & FORKED_NO_PROGRAM);
}

const char *guard_kill_strays(void)
{
    pid_t children[GUARD_WORKERS];
    size_t count = descendants_children(getpid(), children, GUARD_WORKERS);
    const unsigned own = filters_of(getpid());
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        if (!is_copy(children[i]) || filters_of(children[i]) <= own)
            continue;
        found = true;
        kill(children[i], SIGSTOP);
        descendants_kill(children[i]);
        kill(children[i], SIGKILL);
    }
    return found ? "a process that it has started was left by its worker" : NULL;
}

const char *guard_look(uint64_t memory, uint64_t *looked_ns)
{
    pid_t workers[GUARD_WORKERS];
    uint64_t now = clock_ns();
    if (now - *looked_ns < LOOK_EVERY_NS)
        return NULL;
    *looked_ns = now;
    const char *why = NULL;
    guard_kill_strays();
    size_t count = descendants_children(getpid(), workers, GUARD_WORKERS);
    for (size_t i = 0; i < count; i++) {
        const char *own = guard_worker(workers[i], memory);
        why = own ? own : why;
    }
    return why;
}
