// What a store holds, as recorded spaces: the results of one spec with one set of constants on one
// device in one language. Those under the newest driver and with the newest text of the kernel
// count; older ones do not compare with them.
#ifndef HONE_EXCHANGE_STORED_SPACE_H
#define HONE_EXCHANGE_STORED_SPACE_H

#include "base/arena.h"
#include "store/store.h"

struct stored_space {
    const char *spec, *constants, *device, *platform, *language;
    const char *driver, *identity; // of the newest result, as the rest
    const char *kernels, *hone_version;
    struct digest source;
    uint64_t results; // under that driver and with that text
    bool cold;        // its inputs were, of the newest that is correct: the others are left out
    bool is_timed;    // one is correct
    bool is_imported;
    const char *statistic; // what a time of it is: "median", or as it was imported
};

// What the median of a result's samples is: "median"; of an imported one what was recorded.
const char *result_statistic(const struct result *r);

// Those that the query leaves, the one with the newest result first. In the arena.
bool stored_spaces(struct store *s, const struct store_query *q, struct arena *a,
                   struct stored_space **out, size_t *count, struct error *e);

// Keeps those whose device or platform has `wanted` in its name, case ignored; where a device is
// called so exactly, these alone. Returns how many are left.
size_t stored_spaces_keep(struct stored_space *spaces, size_t count, const char *wanted);

// "  matmul (WIDTH=256) on H200, NVIDIA CUDA, opencl: 17 results": a line each, at most 20 of them.
void stored_spaces_list(const struct stored_space *spaces, size_t count, struct text *out);

// The newest result of each configuration, the newest first, until `each` returns false. What was
// only checked, without a time, and samples of comparisons are left out.
bool stored_space_each(struct store *s, const struct stored_space *space,
                       bool (*each)(void *context, const struct store_row *row), void *context,
                       struct error *e);

#endif
