// Selects the part of stores that ships with a spec: only what is needed to tell which
// configurations are the best.
#pragma once

#include "store/upkeep.h"

// How many of a ranking's fastest are kept; without a ranking, only the fastest is.
#define BUNDLE_RANKED 10

// Merges results into the store at `path`, as store_import() does. For each spec, set of constants,
// language, device with its driver, and kernel source, these are the BUNDLE_RANKED fastest of the
// newest ranking, of the newest ranking of the whole space and of the ranking with the fastest; or,
// without a ranking, the fastest. Imported recordings, vendors' routines, specs built with further
// options for a comparison and the limits of devices (`hone peak`) are left out. The newest is
// determined over all files together; the store's own rows stay. out[i] counts what was taken from
// files[i].
bool bundle_best(const char *path, const char *const *files, size_t count,
                 struct store_imported *out, struct error *e);
