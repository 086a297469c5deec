// Prepares a worker before it opens a device: moves its channel away from the standard descriptors,
// sets environment and folders of the drivers, binds threads to cores.
#include "os/sandbox.h"
#include "worker/modes.h"
#include "worker/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define CHANNEL_LEAST  64 // above what drivers open by number
#define FILES_LEAST    128
#define FILES_WANTED   1024
#define BUILD_NICENESS 5

// Drivers open dozens of files: the limit is raised as far as the system allows.
static bool raise_file_limit(struct error *e)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= FILES_WANTED)
        return true;
    rlim_t before = files.rlim_cur;
    files.rlim_cur = files.rlim_max < FILES_WANTED ? files.rlim_max : FILES_WANTED;
    if (files.rlim_cur < FILES_LEAST)
        return error_set(
            e, ERROR_WORKER,
            "only %llu files may be open at once, and a driver needs %d or more: raise "
            "the limit (ulimit -n 1024)",
            (unsigned long long)files.rlim_cur, FILES_LEAST);
    if (files.rlim_cur > before)
        setrlimit(RLIMIT_NOFILE, &files);
    return true;
}

int take_channel(struct error *e)
{
    if (!raise_file_limit(e))
        return -1;
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int channel = nothing < 0 ? -1 : fcntl(0, F_DUPFD_CLOEXEC, CHANNEL_LEAST);
    if (channel < 0 || dup2(nothing, 0) < 0 || dup2(2, 1) < 0) {
        error_set_driver(e, ERROR_IO, errno, "cannot take its channel: %s", strerror(errno));
        channel = -1;
    }
    if (nothing > 2)
        close(nothing);
    return channel;
}

void lead_group(void)
{
    if (getpgrp() != getpid())
        setpgid(0, 0); // fails for a session's leader, who leads its group already
}

// A blank in the path would break the compiler options of drivers that know no quotes; the folder
// is entered, so its path is not seen by them, but a compiler may put its own files there.
static const char *scratch_parent(void)
{
    const char *names[] = {"HONE_WORKER_SCRATCH", "TMPDIR"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *folder = getenv(names[i]);
        if (folder && *folder && access(folder, W_OK) == 0)
            return folder;
    }
    return "/tmp";
}

// Appends the values of those variables that are set; `list` has room for all, and a NULL.
static void list_values(const char *const *names, const char **list)
{
    for (; *names; names++) {
        const char *value = getenv(*names);
        if (value && *value)
            *list++ = value;
    }
    *list = NULL;
}

#define SANDBOX_FILE_BYTES (4ull << 30)

bool enter_sandbox(struct error *e)
{
    static const char *const writing[] = {"HONE_WORKER_SCRATCH", "POCL_CACHE_DIR",
                                          "CUDA_CACHE_PATH", "HONE_WORKER_CACHE", NULL};
    const char *nothing[] = {NULL}, *lists[16], *writable[8];
    const char *wanted = getenv("HONE_WORKER_SANDBOX");
    if (!wanted || !*wanted)
        return true;
    list_values(sandbox_variables, lists);
    list_values(writing, writable);
    const struct sandbox s = {nothing, writable, lists, SANDBOX_FILE_BYTES};
    // Compilers write where the worker may.
    return (setenv("TMPDIR", scratch_parent(), 1) == 0 || error_memory(e)) && sandbox_enter(&s, e);
}

char *enter_scratch(struct error *e)
{
    struct text path = TEXT_INIT;
    text_addf(&path, "%s/hone-worker-XXXXXX", scratch_parent());
    if (path.failed)
        return error_no_memory(e);
    if (!mkdtemp(path.data)) {
        error_set_driver(e, ERROR_IO, errno, "cannot make a folder %s: %s", path.data,
                         strerror(errno));
        text_release(&path);
        return NULL;
    }
    char *absolute = realpath(path.data, NULL);
    if (!absolute || chdir(absolute) != 0)
        error_set_driver(e, ERROR_IO, errno, "%s: %s", path.data, strerror(errno));
    text_release(&path);
    return absolute;
}

void leave_scratch(char *path)
{
    if (!path)
        return;
    if (chdir("/") == 0)
        folder_remove(path);
    free(path);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool starts_like_one_of(const char *entry, const char *const *starts)
{
    while (*starts && !str_starts(entry, *starts))
        starts++;
    return *starts != NULL;
}

char *timing_environment(enum language l)
{
    const struct language_traits *traits = language_traits(l);
    struct text out = TEXT_INIT;
    size_t count = 0, n = 0;
    while (environ && environ[count])
        count++;
    char **found = calloc(count + 1, sizeof *found);
    for (size_t i = 0; found && i < count; i++) {
        if (starts_like_one_of(environ[i], traits->time_variables) &&
            !starts_like_one_of(environ[i], traits->other_variables))
            found[n++] = environ[i];
    }
    if (found)
        qsort(found, n, sizeof *found, compare_names);
    for (size_t i = 0; i < n; i++)
        text_addf(&out, "%s%s", i ? " " : "", found[i]);
    free(found);
    return n ? text_steal(&out) : NULL;
}

char *cache_folder(void)
{
    const char *folder = getenv("HONE_WORKER_CACHE");
    if (!folder || !*folder || !folder_make(folder, NULL))
        return NULL;
    return realpath(folder, NULL);
}

void yield_cores(void)
{
    (void)setpriority(PRIO_PROCESS, 0, BUILD_NICENESS); // where that fails they share alike
}

const char *cuda_toolkit(void)
{
    const char *names[] = {"CUDA_HOME", "CUDA_PATH"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *folder = getenv(names[i]);
        if (folder && *folder)
            return folder;
    }
    return NULL;
}

const char *c_compiler(void)
{
    const char *name = getenv("HONE_CC");
    return name && *name ? name : NULL;
}

void leave_simulator_log(void)
{
    if (getenv("OCLGRIND_LOG"))
        setenv("OCLGRIND_LOG", "/dev/null", 1);
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static bool use_empty_cache(const char *variable, const char *name, struct error *e)
{
    struct text folder = TEXT_INIT;
    text_addf(&folder, "%s/empty-caches-%s/%s", scratch_parent(), name, variable);
    bool ok = (!folder.failed || error_memory(e)) && folder_make(text_cstr(&folder), e) &&
              (setenv(variable, text_cstr(&folder), 1) == 0 || error_memory(e));
    text_release(&folder);
    return ok;
}

bool use_empty_caches(struct error *e)
{
    const char *name = variable("HONE_WORKER_EMPTY_CACHES");
    bool ok = true;
    for (unsigned l = 0; name && l < LANGUAGE_COUNT; l++) {
        const struct language_cache *c = language_traits((enum language)l)->caches;
        for (; ok && c->variable; c++)
            ok = use_empty_cache(c->variable, name, e);
    }
    return ok;
}

static bool may_use_every_core(void)
{
    cpu_set_t set;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (online < 1 || online > CPU_SETSIZE || sched_getaffinity(0, sizeof set, &set) != 0)
        return false;
    for (long i = 0; i < online; i++) {
        if (!CPU_ISSET((size_t)i, &set))
            return false;
    }
    return true;
}

void bind_measuring_threads(void)
{
    if (may_use_every_core())
        setenv("POCL_AFFINITY", "1", 0);
}

static void add_written_folder(struct text *out, const char *folder, const char *below)
{
    if (folder)
        text_addf(out, "%s%s%s", out->length ? "\n" : "", folder, below);
}

void list_written_folders(enum language language, struct text *out)
{
    char here[4096];
    for (const struct language_cache *c = language_traits(language)->caches; c->variable; c++) {
        add_written_folder(out, variable(c->variable), c->below);
        if (variable(c->variable) && !c->is_beside)
            break;
    }
    add_written_folder(out, getcwd(here, sizeof here), "");
    add_written_folder(out, variable("TMPDIR") ? variable("TMPDIR") : "/tmp", "");
    add_written_folder(out, variable("HONE_WORKER_CACHE"), "");
}
