// Looking after a store as a whole: what is in it, whether every row is what it should be, merging
// others into it, and removing on purpose. All of it may happen while other processes write.
#pragma once

#include "base/arena.h"
#include "store/store.h"

// ---- what is in it -----------------------------------------------------------------------------

struct store_spec_summary {
    const char *name;
    uint64_t configurations, results, correct;
    const char *newest;
};

struct store_device_summary {
    const char *name, *platform, *driver;
    uint64_t results;
    const char *newest;
};

struct store_summary {
    struct store_spec_summary *specs; // by name
    size_t spec_count;
    struct store_device_summary *devices; // by name, the newest driver first
    size_t device_count;
    uint64_t by_status[STATUS_COUNT];
    uint64_t results, jobs, sessions;
    uint64_t earlier; // results of an earlier measuring version: kept, but they answer for nothing
    uint64_t file_bytes;
    const char *oldest, *newest; // dates; "" in an empty store
};

// One look: what another process adds meanwhile is in all of it or in none. The texts live in `a`.
bool store_summarise(struct store *s, struct arena *a, struct store_summary *out, struct error *e);

// ---- whether it is right -----------------------------------------------------------------------

struct store_problem {
    const char *table; // "result", ...; "file" for the file as a whole
    const char *row;   // its id or key in hexadecimal; "" where there is none
    const char *what;  // is wrong with it
};

struct store_checked {
    uint64_t results, jobs, sessions, texts, problems;
};

// Checks every row, not just those that are read: the file's pages and indices; that what a row
// names is there; that each result's body decodes, and its columns say the same; that texts have
// the digest they are named by; the lengths of ids and keys. `problem` is told each. False only
// where the checking itself could not be done.
bool store_verify(struct store *s,
                  void (*problem)(void *context, const struct store_problem *problem),
                  void *context, struct store_checked *out, struct error *e);

// ---- merging -----------------------------------------------------------------------------------

struct store_imported {
    uint64_t results; // in the file
    uint64_t added;   // of them, those that were not here
};

// Merges the files into the store at `path`, which is made when missing: a union by id. Whole or
// not at all: before anything is written each file is opened for reading and verified, and all come
// in one transaction. The store itself, by whatever name, is refused. out[i] is for files[i].
bool store_import(const char *path, const char *const *files, size_t count,
                  struct store_imported *out, struct error *e);

// As store_import(), but only the results whose id `wants` wants, with what they name;
// out[i].results counts these. The store is left as one is shipped (STORE_IMMUTABLE): with a
// rollback journal, and no larger than what is in it.
bool store_import_some(const char *path, const char *const *files, size_t count,
                       bool (*wants)(void *context, const uint8_t id[STORE_ID_BYTES]),
                       void *context, struct store_imported *out, struct error *e);

// ---- removing ----------------------------------------------------------------------------------

// All that are given must hold.
struct store_prune {
    const char *spec;   // (optional) name of the spec
    const char *device; // (optional) part of the device's name, case ignored
    const char *before; // (optional) measured before this date: "2026-05-01"
    // Only what answers for nothing any more: results of an earlier measuring version; failures of
    // what a newer result found correct; and results that a newer one of the same job replaces: of
    // the same status, fault, cold or warm, batch, with as many samples, and not stopped early
    // where this one was not. Never replaced: samples of a fixed count, which add up, and those of
    // a ranking, which decide together.
    bool superseded;
};

struct store_pruned {
    uint64_t results, jobs, sessions; // removed; jobs and sessions are those left without results
    uint64_t results_before;
    uint64_t bytes_before, bytes_after; // of the file
};

// Removes the results, then the jobs, sessions and texts that nothing names any more, in one
// transaction; then gives the space back to the system. With `dry` it is only told what would be
// removed.
bool store_prune(struct store *s, const struct store_prune *what, bool dry,
                 struct store_pruned *out, struct error *e);
