// How an output is compared with its reference: pure functions over host memory.
#pragma once

#include "model/job.h"
#include "model/result.h"

#include <stddef.h>

// The size of the reference, and how far hone's own tolerance was narrowed (reference_proof.c).
// Zeroed: not known and not narrowed. Not known: found from the components, in a pass of its own.
struct compare_scale {
    bool known;
    double rms, narrowed;
};

// The expected contents of an output: one double for each component that carries data (a reference
// computed in float64), or the buffer's own bytes (another kernel's output, a file).
struct expected {
    const void *data;
    bool doubles;
    struct job_region region; // elements of the reference; count 0: the output's
    const uint8_t *left; // (or NULL) a byte for each of its components: 1 where it wrote nothing
    struct compare_scale scale;
};

// Compares the region that b->compare names; fills everything in `out` but its name, which is
// b->name. Returns out->ok. Components that are still poisoned (fill.h) count as unwritten where
// the reference has something else; where the reference wrote nothing nothing is compared.
//
// `norm`, `largest`, `index` are over the components that are finite, written, and so is the
// reference. Where there are others that are wrong, `index` is the first of these: NaN or infinite
// on either side, else unwritten. SUM: `got` and `expected` are the sums, `norm` and `largest` what
// lies between them. SET: they are what stands at `index` in ascending order.
bool compare_output(const struct job_buffer *b, const void *got, const struct expected *x,
                    struct deviation *out);
// The largest deviation allowed to a component whose reference is r: atol + rtol * |r|. 0: exact.
struct compare_limit {
    double atol, rtol;
};
struct compare_limit compare_limit_of(const struct job_compare *k, double rms, double narrowed);
// Components [first, first + count) that carry data, as doubles.
void compare_load(const struct element *el, const void *data, uint64_t first, uint64_t count,
                  double *out);
// Components of the region that hold the poison; `data` may be the device's where `pass` is.
uint64_t compare_poisoned(const struct job_buffer *b, const void *data);
// "C: relative norm 3.1e-01 (limit 1e-05), largest deviation 12.5 at component 17 (got 3, expected
// 15.5)". `size` is at least 4.
void compare_message(const struct job_buffer *b, const struct deviation *d, char *out, size_t size);
