// How an output is held against its reference: pure functions over host memory.
#ifndef HONE_DEVICE_COMPARE_H
#define HONE_DEVICE_COMPARE_H

#include "job/job.h"
#include "job/result.h"

#include <stddef.h>

// What an output should be: one double for each component that carries data (a reference computed
// in float64), or the buffer's own bytes (another kernel's output, a file).
struct expected {
    const void *data;
    bool doubles;
};

// Compares the region that b->compare names; fills everything in `out` but its name, which is
// b->name. Returns out->ok. Components that are still poisoned (fill.h) count as unwritten where
// the reference has something else.
//
// `norm`, `largest`, `index` are over the components that are finite, written, and so is the
// reference. Where there are others, `index` is the first NaN, else the first unwritten one.
bool compare_output(const struct job_buffer *b, const void *got, const struct expected *x,
                    struct deviation *out);
// Components [first, first + count) that carry data, as doubles.
void compare_load(const struct element *el, const void *data, uint64_t first, uint64_t count,
                  double *out);
// "C: relative norm 3.1e-01 (limit 1e-05), largest deviation 12.5 at component 17 (got 3, expected
// 15.5)". `size` is at least 4.
void compare_message(const struct job_buffer *b, const struct deviation *d, char *out, size_t size);

#endif
