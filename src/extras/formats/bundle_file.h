// A bundle: one archive (.tar) of a spec, its kernels' sources with what they include, and everything that a store has of the
// spec, so that somebody else can look at the results and repeat them.
//
//   bundle.json      {"hone_bundle": 1, "hone": "0.2.0", "date": "...", "host": "...", "system": "...", "spec": "files/...",
//                    "results": 72, "devices": [...], "files": [{"file": "files/...", "sha256": "..."}], "left_out": [...]}
//   results.sqlite   a store
//   files/...        as they lie to each other: below the last folder that all of them have in common
#pragma once

#include "base/log.h"
#include "problem/spec.h"
#include "store/upkeep.h"

#define BUNDLE_ENDING ".tar"

struct bundle_options {
    const struct spec *spec;
    const char *store;   // the file
    const char *scratch; // a folder for what is in between
    const char *date, *host;
    bool with_data; // fills and expected outputs from files, too
    const struct log *log;
};

// The archive in memory; *results is how many results are in it. Data files that are left out are named in a warning.
bool bundle_make(const struct bundle_options *o, struct text *out, uint64_t *results,
                 struct error *e);

// Is the file such an archive, by its first bytes?
bool bundle_is_file(const char *path);

struct bundle_taken {
    struct store_imported counts;
    const char *spec; // the file that was unpacked, in the arena
    bool was_there;   // with all files as they are in the bundle
};

// Merges the results into the store at `store`, and unpacks the files into the folder of the archive's name without its
// ending, in the working directory. Whole or not at all: all is read, checked and unpacked beside it before the store is
// touched. A folder that is there with other contents is refused. `merge`: store_import() or bundle_best().
bool bundle_take(const char *path, const char *store, const char *scratch,
                 bool (*merge)(const char *, const char *const *, size_t, struct store_imported *,
                               struct error *),
                 struct arena *a, struct bundle_taken *out, struct error *e);
