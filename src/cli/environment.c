// Reads everything that the program takes from outside its command line: variables, the worker's
// path, the folders of caches and temporary files. No other file reads them. Workers receive a list
// of NAME=VALUE; a cache that cannot be written is replaced by a folder that lasts as long as the
// run.
#include "cli/environment.h"

#include "base/text.h"
#include "cli/cli.h"
#include "cli/console.h"
#include "os/beside.h"
#include "os/cache_folder.h"
#include "os/sandbox.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *read_variable(const char *name)
{
    const char *value = getenv(name);
    return value && value[0] ? value : NULL;
}

// $XDG_..., when it is absolute as its specification wants, else a folder of the user's home.
// `instead`: what else would do.
static const char *user_folder(struct arena *a, const char *name, const char *below_home,
                               const char *instead, struct error *e)
{
    const char *folder = read_variable(name), *home = read_variable("HOME");
    if (folder && folder[0] == '/')
        return arena_printf(a, "%s/hone", folder);
    if (home)
        return arena_printf(a, "%s/%s/hone", home, below_home);
    error_set(e, ERROR_USAGE, "neither %s nor HOME is set; set one of them%s", name, instead);
    return NULL;
}

const char *environment_store(struct environment *v, struct error *e)
{
    const char *folder = user_folder(&v->arena, "XDG_DATA_HOME", ".local/share",
                                     ", or name the store with --store FILE", e);
    return folder ? arena_printf(&v->arena, "%s/results.sqlite", folder) : NULL;
}

void environment_drivers(const char **out, size_t most)
{
    size_t n = 0;
    for (const char *const *name = sandbox_variables; *name && n + 1 < most; name++) {
        out[n] = read_variable(*name);
        n += out[n] != NULL;
    }
    out[n] = NULL;
}

void environment_date(char out[32])
{
    struct tm utc;
    time_t now = time(NULL);
    strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
}

// ---- the worker --------------------------------------------------------------------------------

static bool find_worker(struct environment *v, struct error *e)
{
    char path[BESIDE_PATH_SIZE];
    v->worker = v->own_worker;
    v->own_worker[0] = read_variable("HONE_WORKER");
    if (v->own_worker[0])
        return true;
    if (beside_worker(path)) {
        v->own_worker[0] = arena_strdup(&v->arena, path);
        return v->own_worker[0] || error_memory(e);
    }
    beside_folder(path);
    return error_set(
        e, ERROR_WORKER,
        "hone-worker is neither in %s nor in %s../libexec/hone; reinstall hone, or set "
        "HONE_WORKER to its path",
        path, path);
}

// ---- folders -----------------------------------------------------------------------------------

const char *environment_scratch_parent(void)
{
    const char *parent = read_variable("TMPDIR");
    return parent && access(parent, W_OK) == 0 ? parent : "/tmp";
}

// ---- what workers receive -----------------------------------------------------------------------

// The caches of drivers and workers, in folders of hone's own unless the user chose others. Only hone bounds
// them: to 1 GiB together. A tuned configuration takes 20 to 100 KB (a cubin, which lies among the references, too), a
// reference of n = 4096 128 MiB.
static const struct cache {
    const char *title;
    const char *variable;
    const char *leaf;
    unsigned depth; // of an entry below the folder
    uint64_t limit_bytes;
} caches[ENVIRONMENT_CACHES] = {
    {"compiled by PoCL", "POCL_CACHE_DIR", "pocl", 2, 256ull << 20},
    {"compiled by NVIDIA's OpenCL", "CUDA_CACHE_PATH", "cuda", 2, 256ull << 20},
    {"references and cubins", "HONE_WORKER_CACHE", "references", 1, 512ull << 20},
};

bool environment_caches(struct arena *a, struct environment_cache out[ENVIRONMENT_CACHES],
                        struct error *e)
{
    const char *folder = user_folder(a, "XDG_CACHE_HOME", ".cache", "", e);
    bool ok = folder || e->code || error_memory(e);
    for (size_t i = 0; ok && folder && i < ENVIRONMENT_CACHES; i++) {
        const struct cache *c = &caches[i];
        const char *chosen = read_variable(c->variable);
        out[i] = (struct environment_cache){
            .title = c->title,
            .name = c->leaf,
            .variable = c->variable,
            .folder = chosen ? arena_strdup(a, chosen) : arena_printf(a, "%s/%s", folder, c->leaf),
            .is_own = !chosen,
            .depth = c->depth,
            .limit_bytes = c->limit_bytes};
        ok = out[i].folder || error_memory(e);
    }
    return ok && folder;
}

// PoCL has 1,024 characters for the path of a file in its cache, and no device where they do not
// do.
enum { CACHE_PATH_MOST = 700 };

// PoCL offers no device at all when it cannot write its cache, so one that may not be written is
// said, and replaced by a folder that lasts as long as this run.
static const char *usable_cache(struct environment *v, const char *folder, struct error *e)
{
    struct error why = ERROR_INIT;
    bool is_short = strlen(folder) <= CACHE_PATH_MOST;
    if (is_short && folder_make(folder, &why) && access(folder, W_OK | X_OK) == 0)
        return folder;
    const char *instead = arena_printf(&v->arena, "%s/cache", v->scratch.path);
    if (!instead || !folder_make(instead, e)) {
        if (!instead)
            error_memory(e);
        return NULL;
    }
    complain("warning: %s %s%s%s: kernels compiled now will be compiled again next time; set "
             "XDG_CACHE_HOME to a folder of yours",
             folder, is_short ? "may not be written" : "is longer than drivers accept",
             why.text[0] ? ": " : "", why.text);
    return instead;
}

static bool add_cache(struct environment *v, size_t index, const char *folder)
{
    const struct cache *c = &caches[index];
    const char *chosen = read_variable(c->variable);
    char *pair = chosen ? arena_printf(&v->arena, "%s=%s", c->variable, chosen)
                        : arena_printf(&v->arena, "%s=%s/%s", c->variable, folder, c->leaf);
    if (!pair)
        return false;
    const char *path = strchr(pair, '=') + 1;
    folder_make(path, NULL); // what counts is whether it can be used
    if (chosen && strlen(path) > CACHE_PATH_MOST)
        complain("warning: the path %s (%d characters) is longer than drivers accept: the driver "
                 "may then offer no device",
                 c->variable, CACHE_PATH_MOST);
    else if (chosen && access(path, W_OK | X_OK) != 0)
        complain("warning: %s: %s is not writable; the driver may then offer no device",
                 c->variable, path);
    v->cache[index] = pair;
    return true;
}

void environment_trim(const struct environment *v)
{
    if (!v->stamp || !cache_trim_due(v->stamp))
        return;
    for (size_t i = 0; v->cache && i < ENVIRONMENT_CACHES && v->cache[i]; i++) {
        if (!read_variable(caches[i].variable))
            cache_trim(strchr(v->cache[i], '=') + 1, caches[i].depth, caches[i].limit_bytes);
    }
}

// Without a home the caches last as long as this run: being slower is no reason to refuse it.
static const char *choose_cache_folder(struct environment *v, struct error *e)
{
    struct error why = ERROR_INIT;
    const char *folder = user_folder(&v->arena, "XDG_CACHE_HOME", ".cache", "", &why);
    if (folder)
        return usable_cache(v, folder, e);
    if (!why.code)
        return error_no_memory(e);
    complain("warning: %s: compiled kernels are not kept for the next run", why.text);
    folder = arena_printf(&v->arena, "%s/cache", v->scratch.path);
    if (!folder)
        error_memory(e);
    return folder && folder_make(folder, e) ? folder : NULL;
}

static bool add_settings(struct environment *v, struct error *e)
{
    const size_t count = ENVIRONMENT_CACHES;
    const char *folder = choose_cache_folder(v, e);
    if (!folder)
        return false;
    v->stamp = arena_printf(&v->arena, "%s/trimmed", folder);
    v->cache = arena_array(&v->arena, count + 1, sizeof *v->cache);
    v->worker_with = arena_array(&v->arena, count + 2, sizeof *v->worker_with);
    for (size_t i = 0; i < count; i++) {
        if (!v->cache || !v->worker_with || !add_cache(v, i, folder))
            return error_memory(e);
        v->worker_with[i] = v->cache[i];
    }
    v->worker_with[count] = arena_printf(&v->arena, "HONE_WORKER_SCRATCH=%s", v->scratch.path);
    return v->worker_with[count] || error_memory(e);
}

bool environment_refuses_commands(void)
{
    const char *said = read_variable("HONE_COMMANDS");
    return said && str_equal(said, "refuse");
}

bool environment_init(struct environment *v, struct error *e)
{
    char host[256] = "";
    *v = (struct environment){.scratch = SCRATCH_NONE};
    arena_init(&v->arena);
    v->device = read_variable("HONE_DEVICE");
    v->path = read_variable("PATH");
    v->also = read_variable("HONE_ALSO");
    v->trace = read_variable("HONE_TRACE");
    v->locks = read_variable("HONE_LOCKS");
    if (!v->locks)
        v->locks = ENVIRONMENT_LOCKS;
    v->allocation = read_variable("SLURM_JOB_NODELIST");
    if (gethostname(host, sizeof host - 1) != 0)
        host[0] = '\0';
    v->host = arena_strdup(&v->arena, host);
    if (!v->host)
        return error_memory(e);
    return find_worker(v, e) && scratch_make(&v->scratch, environment_scratch_parent(), e) &&
           add_settings(v, e);
}

void environment_keep_nothing(struct environment *v)
{
    for (size_t i = 0; i < ENVIRONMENT_CACHES; i++)
        if (str_equal(caches[i].variable, "HONE_WORKER_CACHE"))
            v->cache[i] = v->worker_with[i] = "HONE_WORKER_CACHE=";
}

void environment_release(struct environment *v)
{
    scratch_remove(&v->scratch);
    arena_release(&v->arena);
}
