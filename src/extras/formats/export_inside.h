// Shared by the writers of the formats. Private to src/extras/formats.
#pragma once

#include "base/emit.h"
#include "extras/formats/export.h"
#include "stats/stats.h"

// One result, as it is to be written.
struct exported {
    const struct export_options *o;
    const struct store_row *row;
    const uint32_t *choice;
    const uint64_t *samples;    // of a correct one; NULL: none
    struct stats_summary stats; // of them
    const char *statistic;      // what stats.median is: "median", or as it was recorded
    const double *metrics;      // of the spec; NaN: no value
};

// A format: what stands before the rows, a row, what separates and ends them.
struct export_writer {
    void (*head)(const struct export_options *o, struct text *out);
    void (*row)(const struct exported *x, struct text *out);
    const char *between, *end;
};

extern const struct export_writer export_t4, export_cache, export_csv;

// The parameters as members of an object that has begun.
void export_parameters(const struct exported *x, struct emit *j);
// A value of a parameter as JSON, and as Python's str() writes it.
void export_value_text(const struct value *v, struct text *out);
// Nanoseconds as milliseconds under a key; nothing where they are 0, which is not known.
void export_ms_at(struct emit *j, const char *key, double ns);
