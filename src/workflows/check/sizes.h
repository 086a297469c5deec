// Sizes of a check: for each configuration the smallest value of chosen constants at which the
// spec's restrictions hold and its job can be made.
//
// Divisibility is not monotone, so values are tried in ascending order. Most are refused by the
// restrictions alone, evaluated on the spec as it was read with the constant replaced; only what
// passes is looked at in earnest: the spec read again at that value (as with --set, so that value
// lists and problem size follow), its restrictions, and its job.
#pragma once

#include "workflows/check/checks.h"

// The spec at one choice of sizes. Lives until sizes_free().
struct sized {
    const struct spec *spec;
    const struct spec_sources *sources;
    char *text;      // "WIDTH=48, N=16"; "" where nothing is chosen
    char *constants; // of the spec, as spec_constants_text() writes them
    // Private to sizes.c:
    int64_t *values; // one a choice; 0: the spec's own
    int64_t *order;  // what they amount to
    uint32_t count;  // of both
    struct sized *next;
    struct spec *own_spec;
    struct spec_sources *own_sources;
    bool same_lists; // parameters have the same values as in the spec as it was read
    bool used;       // by a configuration: stays
};

struct sizes;

// Refuses a name that is not an integer constant of the spec. `sources` are those of o->spec.
struct sizes *sizes_new(const struct check_options *o, const struct spec_sources *sources,
                        struct error *e);
// NULL with an error without memory, or when the spec's file has changed meanwhile.
const struct sized *sizes_choose(struct sizes *z, const uint32_t *choice, struct error *e);
// The configuration in the value lists of sized->spec; false when it has no such values.
bool sizes_translate(const struct sizes *z, const struct sized *v, const uint32_t *choice,
                     uint32_t *out);
// The order in which sizes are checked: by the choices' values. Negative, 0, positive.
int sizes_compare(const struct sized *a, const struct sized *b);
void sizes_free(struct sizes *z); // NULL is fine
