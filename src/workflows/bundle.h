// What of stores goes with a spec when it is shipped: no more than says which configurations are
// the best.
#ifndef HONE_WORKFLOWS_BUNDLE_H
#define HONE_WORKFLOWS_BUNDLE_H

#include "store/upkeep.h"

// Of a ranking; of what was not ranked the fastest alone.
#define BUNDLE_RANKED 10

// Merges into the store at `path`, as store_import() does, of each spec, set of constants,
// language, device with its driver, and text of the kernel: the BUNDLE_RANKED fastest of the newest
// ranking, of the newest of the whole space and of the one with the fastest; or where nothing was
// ranked the fastest. What others recorded, vendors' routines, what was built with further options
// for a comparison and the limits of devices (`hone peak`) are left out. The newest is looked for
// in all files together; what the store has already stays. out[i] counts what was taken of
// files[i].
bool bundle_best(const char *path, const char *const *files, size_t count,
                 struct store_imported *out, struct error *e);

#endif
