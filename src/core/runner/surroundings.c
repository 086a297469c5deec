// Failures that the surroundings may have caused are not the configuration's: a full disk, no
// memory, no descriptors or processes left, a worker killed from outside. They are not stored. A
// full disk ends the evaluation, since later jobs would fail alike; so do the others, if several
// configurations fail with them in a row.
//
// The failure's messages decide, unless their words are the job's own, and the room in the folders that the worker and its driver write
// to: their compilers often fail without a message. The room is that of this machine, and is not
// checked if they run on another.
#include "runner/surroundings.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

// A build writes some hundred kilobytes, and what it could not write is gone when we ask.
#define ROOM_LEAST   (4ull << 20)
#define INODES_LEAST 16
// Failures of this kind, one after the other, that end it.
#define HINDERED_MOST 3

// As strerror() has them, and LLVM and C++ for want of memory.
static const char *const disk_texts[] = {"No space left on device", "Disk quota exceeded"};
static const char *const other_texts[] = {
    "Cannot allocate memory", "std::bad_alloc", "LLVM ERROR: out of memory", "Too many open files",
    "Too many open files in system", "Resource temporarily unavailable", "File too large",
    "CL_OUT_OF_HOST_MEMORY", "NVRTC_ERROR_OUT_OF_MEMORY",
    // A driver's own files, on a file system that does not answer just now.
    "Too many levels of symbolic links", "Input/output error", "Stale file handle"};
// A worker's death; the message differs if hone ended it.
static const char *const killed_texts[] = {"was killed by SIGKILL", "was killed by SIGXFSZ"};

#define COUNT(texts) (sizeof(texts) / sizeof *(texts))

static bool holds(const void *at, uint64_t length, const char *text)
{
    return at && memmem(at, (size_t)length, text, strlen(text));
}

// Do its sources or options hold the text? Then a compiler that prints it may quote them.
static bool job_holds(const struct job *j, const char *text)
{
    bool any = false;
    for (uint32_t i = 0; i < j->program_count && !any; i++) {
        const struct job_program *p = &j->programs[i];
        any = holds(p->source, p->length, text);
        for (uint32_t k = 0; k < p->file_count; k++)
            any = any || holds(p->files[k].text, p->files[k].length, text);
        for (uint32_t k = 0; k < p->option_count; k++)
            any = any || strstr(p->options[k], text);
    }
    return any;
}

static bool has_one_of(const char *text, const char *const *texts, size_t count,
                       const struct job *j)
{
    for (size_t i = 0; i < count; i++) {
        if (strstr(text, texts[i]) && !(j && job_holds(j, texts[i])))
            return true;
    }
    return false;
}

static bool tells_of_disk(const char *text, const struct job *j)
{
    return has_one_of(text, disk_texts, COUNT(disk_texts), j);
}

static bool says_disk(const struct job *j, const struct result *r)
{
    return tells_of_disk(r->message, j) || tells_of_disk(r->log, j);
}

static bool is_file_of(const struct job *j, const char *path, size_t length)
{
    for (uint32_t i = 0; i < j->program_count; i++) {
        const struct job_program *p = &j->programs[i];
        for (uint32_t k = 0; k < p->file_count; k++) {
            size_t own = strlen(p->files[k].path);
            if (own <= length && memcmp(path + length - own, p->files[k].path, own) == 0)
                return true;
        }
    }
    return false;
}

// A compiler that found a file could not read it, and it is none of the job's.
static bool cannot_open_other(const struct job *j, const char *text)
{
    static const char words[] = "cannot open file '/";
    const char *at = strstr(text, words);
    if (!at || job_holds(j, words))
        return false;
    at += sizeof words - 2;
    return !is_file_of(j, at, strcspn(at, "'"));
}

static bool was_killed(const struct result *r)
{
    return has_one_of(r->message, killed_texts, COUNT(killed_texts), NULL);
}

static bool says_other(const struct job *j, const struct result *r)
{
    return was_killed(r) || has_one_of(r->message, other_texts, COUNT(other_texts), j) ||
           has_one_of(r->log, other_texts, COUNT(other_texts), j) ||
           cannot_open_other(j, r->message) || cannot_open_other(j, r->log);
}

// ---- folders -----------------------------------------------------------------------------------

static void add_size(struct text *out, uint64_t bytes)
{
    if (bytes < 10ull << 20)
        text_addf(out, "%llu KiB", (unsigned long long)(bytes >> 10));
    else if (bytes < 10ull << 30)
        text_addf(out, "%llu MiB", (unsigned long long)(bytes >> 20));
    else
        text_addf(out, "%llu GiB", (unsigned long long)(bytes >> 30));
}

// Finds the file system of the folder, or of its nearest parent that exists. Some file systems
// (/proc) have no blocks at all.
static bool room_of(const char *folder, struct statvfs *fs)
{
    char path[4096];
    snprintf(path, sizeof path, "%s", folder);
    while (statvfs(path, fs) != 0) {
        char *slash = strrchr(path, '/');
        if (!slash || slash == path)
            return false;
        *slash = '\0';
    }
    return fs->f_blocks > 0;
}

static uint64_t free_bytes(const struct statvfs *fs)
{
    return (uint64_t)(geteuid() == 0 ? fs->f_bfree : fs->f_bavail) * fs->f_frsize;
}

// The worker's folders, those alone that are about full with `full`; with their room.
static void list_folders(const struct surroundings *s, bool full, struct text *out)
{
    const char *at = s->folders ? s->folders : "";
    while (*at) {
        char folder[4096];
        struct statvfs fs;
        size_t length = strcspn(at, "\n");
        snprintf(folder, sizeof folder, "%.*s", (int)length, at);
        at += length + (at[length] == '\n');
        if (!room_of(folder, &fs))
            continue;
        bool is_full =
            free_bytes(&fs) < ROOM_LEAST || (fs.f_files > 0 && fs.f_ffree < INODES_LEAST);
        if (is_full || !full) {
            text_addf(out, "%s'%s' (", out->length ? ", " : "", folder);
            add_size(out, free_bytes(&fs));
            text_add(out, " free of ");
            add_size(out, (uint64_t)fs.f_blocks * fs.f_frsize);
            if (fs.f_files > 0 && fs.f_ffree < INODES_LEAST)
                text_addf(out, ", %llu more files", (unsigned long long)fs.f_ffree);
            text_addc(out, ')');
        }
    }
}

static bool some_folder_is_full(const struct surroundings *s)
{
    struct text full = TEXT_INIT;
    list_folders(s, true, &full);
    bool is = full.length > 0;
    text_release(&full);
    return is;
}

// ---- blame -------------------------------------------------------------------------------------

static void tell_full_disk(const struct surroundings *s, const char *doing, const char *said,
                           struct error *e)
{
    struct text full = TEXT_INIT, all = TEXT_INIT;
    list_folders(s, true, &full);
    list_folders(s, false, &all);
    error_set(e, ERROR_DEVICE,
              "%s: the disk is full: %s. %s%s. Make room, or choose other folders; nothing of this "
              "is stored, and the same command goes on where this one ended",
              doing, said,
              full.length  ? "There is no room in "
              : all.length ? "These folders are written to: "
                           : "The driver's cache or the folder for temporary files is meant",
              full.length ? text_cstr(&full) : text_cstr(&all));
    text_release(&full);
    text_release(&all);
}

bool surroundings_blame_disk(const struct surroundings *s, const char *doing, const char *said,
                             struct error *e)
{
    if (!tells_of_disk(said, NULL) && !some_folder_is_full(s))
        return false;
    tell_full_disk(s, doing, said, e);
    return true;
}

// No word of what is wrong with the source. A log may still say that building failed.
static bool is_silent(const struct result *r)
{
    static const char *const words[] = {"error", "fatal", "undefined", "unresolved"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (str_contains_nocase(r->log, words[i]))
            return false;
    }
    return true;
}

// True if the program has no kernel: its entry in a driver's cache was cut to nothing.
static bool has_no_kernel(const struct result *r)
{
    return r->fault == FAULT_SPEC && strstr(r->message, "is not in the program; it has: none");
}

bool surroundings_may_fail_build(const struct job *j, const struct result *r)
{
    return r->status == STATUS_COMPILE &&
           (has_no_kernel(r) || (r->fault == FAULT_CONFIGURATION &&
                                 (is_silent(r) || says_disk(j, r) || says_other(j, r))));
}

// A page of a file that the disk has no room for is SIGBUS.
static bool may_be_the_disk(const struct surroundings *s, const struct job *j,
                            const struct result *r)
{
    bool wordless = (r->status == STATUS_COMPILE && is_silent(r)) ||
                    (r->status == STATUS_RUNTIME && strstr(r->message, "was killed by SIGBUS"));
    return says_disk(j, r) || (wordless && some_folder_is_full(s));
}

// The limit of this process's address space or data, which its workers inherit: compilers that run
// out of memory do not always say so. 0: there is none.
static uint64_t memory_limit(void)
{
    struct rlimit space, data;
    if (getrlimit(RLIMIT_AS, &space) != 0 || getrlimit(RLIMIT_DATA, &data) != 0)
        return 0;
    rlim_t least = space.rlim_cur < data.rlim_cur ? space.rlim_cur : data.rlim_cur;
    return least == RLIM_INFINITY ? 0 : least;
}

static bool may_be_memory(const struct surroundings *s, const struct result *r)
{
    return !s->is_elsewhere && r->status == STATUS_COMPILE && is_silent(r) && memory_limit() > 0;
}

static bool is_own_failure(const struct result *r)
{
    return r->fault == FAULT_CONFIGURATION &&
           (r->status == STATUS_COMPILE || r->status == STATUS_RUNTIME);
}

bool surroundings_want_proof(const struct surroundings *s, const struct job *j,
                             const struct result *r)
{
    if (!is_own_failure(r) || r->status != STATUS_COMPILE || was_killed(r) ||
        may_be_the_disk(s, j, r))
        return false;
    return says_other(j, r) || may_be_memory(s, r) ? s->hindered + 1 >= HINDERED_MOST
                                                   : !s->have_built;
}

static void mark_hindered(const struct surroundings *s, enum build_proof proof, struct result *r)
{
    struct text limit = TEXT_INIT;
    if (may_be_memory(s, r)) {
        text_add(&limit, " (this process's memory is limited to ");
        add_size(&limit, memory_limit());
        text_add(&limit, ", ulimit -v or -d)");
    }
    const char *message = arena_printf(
        &r->arena, "%s; other processes or limits%s may have caused this%s: it is not stored",
        r->message, text_cstr(&limit),
        proof == PROOF_FAILS ? ", since a kernel of hone's own does not build, either" : "");
    text_release(&limit);
    r->fault = FAULT_SURROUNDINGS;
    r->message = message ? message : r->message;
}

bool surroundings_judge(struct surroundings *s, const char *who, const struct job *j,
                        struct result *r, struct error *e)
{
    enum build_proof proof = PROOF_NONE;
    if (r->status == STATUS_COMPILE) { // a job at the bench may come between
        proof = s->proof;
        s->proof = PROOF_NONE;
    }
    if (is_own_failure(r) && may_be_the_disk(s, j, r)) {
        tell_full_disk(s, who, r->message, e);
        return false;
    }
    bool is_hindered =
        is_own_failure(r) && (proof == PROOF_FAILS || says_other(j, r) || may_be_memory(s, r));
    if (!is_hindered) {
        s->hindered = 0;
        return true;
    }
    mark_hindered(s, proof, r);
    // Others build: the run goes on, and what memory or files may have caused is stored no more than the first.
    if (proof == PROOF_BUILDS && s->hindered + 1 >= HINDERED_MOST)
        return true;
    if (++s->hindered < HINDERED_MOST)
        return true;
    return error_set(e, ERROR_DEVICE,
                     "%u configurations in a row failed for what other processes or limits may "
                     "have caused (memory, open files, processes, the driver's files); the last: "
                     "%s: %s",
                     HINDERED_MOST, who, r->message);
}
