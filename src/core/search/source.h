// Results for a space from elsewhere: another device, size, driver or language, or a space whose
// parameters agree in part. Mapped to the axes of the searched space, they predict the value of any
// configuration there: recorded values, and a Gaussian process in between.
//
// Queries do not change a source: many searches may share it, on several threads.
#pragma once

#include "base/error.h"
#include "space/space.h"

struct source_row {
    const uint32_t *choice; // value indices in the parameters of the source
    double value;           // as strategies are told it, smaller is better; NaN: it failed
};

// Copied, but for the space, which outlives the source.
struct source_setup {
    const struct space *space; // that is searched
    const char *name;          // for reports
    // Parameters are the space's where their names are. What the source has beside these is taken at
    // its best; what it lacks makes no difference to it.
    const struct parameter *parameters;
    uint32_t parameter_count;
    const struct source_row *rows;
    uint64_t count;
};

struct source;

// NULL without an error if it says nothing of the space; *why (static) then gives the reason.
struct source *source_new(const struct source_setup *setup, const char **why, struct error *e);
void source_free(struct source *s); // NULL is fine

const char *source_name(const struct source *s);
// How good a configuration of the space is there, standardised as scale.h does it: about -2 for the
// best, above 0 for what is worse than the mean.
double source_value(const struct source *s, const uint32_t *choice);
// Its best that are in the space, the best first.
const uint64_t *source_best(const struct source *s, uint32_t *count);
// Places along the parameters that both have and vary where it has results, whether or not the space
// has a configuration there; and how many these parameters are.
uint64_t source_results(const struct source *s);
uint32_t source_shared(const struct source *s);
