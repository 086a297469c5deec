// A keyed permutation of 0 .. count-1 in constant memory: a small Feistel network over the next
// power of four, walked until the number lies inside (cycle walking; at most a few steps on
// average).
#pragma once

#include <stdint.h>

struct permutation {
    uint64_t count;
    uint32_t key[2];
    unsigned half; // bits of each half
};

void permutation_init(struct permutation *p, uint64_t count, uint64_t seed);
// position < count.
uint64_t permutation_at(const struct permutation *p, uint64_t position);
// The same as a walk_order: data is the permutation.
uint64_t permutation_order(const void *data, uint64_t position);
