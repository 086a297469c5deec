// `hone best --nearest`: the answer of the nearest size that is known.
#pragma once

#include "base/fields.h"
#include "cli/work.h"

extern const struct fields best_nearest_fields;

struct best_nearest {
    struct work *work;
    struct store *const *stores;      // NULL ends them; the first that knows anything answers
    const struct device_info *device; // (or NULL) that is here; its language alone is looked at
    const char *name;                 // (or NULL) of one that is not, or a part of it
    bool options;                     // --options
};

// Returns an exit status, and has said what is wrong.
int show_nearest(const struct best_nearest *n);
