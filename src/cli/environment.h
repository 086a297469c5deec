// Reads the program's surroundings: environment variables, folders, the host. No other file reads
// them.
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "os/scratch.h"

#include <stdint.h>

// All users share one lock for a device, so TMPDIR does not count.
#define ENVIRONMENT_LOCKS "/tmp"

struct environment {
    struct arena arena;
    const char *own_worker[2];
    const char *const *worker; // argv: own_worker, unless a command replaces it
    const char **worker_with;  // NAME=VALUE for workers, NULL-terminated
    const char *stamp;         // its time says when the caches were last kept within bounds
    const char **cache;        // of them, those that say where caches are, NULL-terminated
    const char *device;        // HONE_DEVICE, or NULL
    const char *path;          // PATH, or NULL
    const char *also;          // HONE_ALSO, or NULL
    const char *trace;         // HONE_TRACE, or NULL
    const char *locks;         // HONE_LOCKS, or ENVIRONMENT_LOCKS
    const char *allocation;    // SLURM_JOB_NODELIST, or NULL
    const char *host;
    struct scratch scratch; // for the workers' temporary files
};

// Finds the worker: HONE_WORKER, else beside this program, else in ../libexec/hone.
bool environment_init(struct environment *v, struct error *e);
// Keeps the caches within bounds, at most once a day: for commands that have kernels compiled.
void environment_trim(const struct environment *v);
// From now on workers keep no references and cubins for later ones.
void environment_keep_nothing(struct environment *v);
// Removes the scratch folder.
void environment_release(struct environment *v);

// Where the caches of drivers and workers are.
enum { ENVIRONMENT_CACHES = 3 };
struct environment_cache {
    const char *title;    // "compiled by PoCL"
    const char *name;     // "pocl"
    const char *variable; // of the environment, by which a user chooses another folder
    const char *folder;
    bool is_own;    // false: the user chose it, and hone neither bounds nor clears it
    unsigned depth; // of an entry below the folder, as in cache_folder.h
    uint64_t limit_bytes;
};
// False: there is no home for them, or no memory.
bool environment_caches(struct arena *a, struct environment_cache out[ENVIRONMENT_CACHES],
                        struct error *e);
// The folder that scratch folders are made in.
const char *environment_scratch_parent(void);

// The default store, in the arena.
const char *environment_store(struct environment *v, struct error *e);
// The values of variables by which drivers are found (os/sandbox.h), NULL-terminated, at most `most` with that.
void environment_drivers(const char **out, size_t most);
// Now, as ISO 8601 in UTC ("2024-05-06T07:08:09Z").
void environment_date(char out[32]);
// HONE_COMMANDS=refuse: commands that a spec names are not run.
bool environment_refuses_commands(void);
