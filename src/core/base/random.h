// Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random
// numbers: as easy as 1, 2, 3", SC 2011). A pure function of key and counter, so that any backend
// makes the same inputs, and any element can be made without the ones before it.
#pragma once

#include <stddef.h>
#include <stdint.h>

void philox4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

// A sequential view for strategies and shuffles: same seed and stream, same numbers everywhere.
struct rng {
    uint32_t key[2];
    uint64_t position; // blocks drawn
    uint64_t stream;
    uint32_t block[4];
    unsigned left; // numbers left in the block
};

void rng_init(struct rng *r, uint64_t seed, uint64_t stream);
uint32_t rng_u32(struct rng *r);
uint64_t rng_u64(struct rng *r);
// Uniform in [0, bound), without bias; bound > 0.
uint64_t rng_below(struct rng *r, uint64_t bound);
// Uniform in [0, 1) with 53 bits.
double rng_unit(struct rng *r);
// Fisher-Yates over an array of uint64_t.
void rng_shuffle(struct rng *r, uint64_t *items, size_t count);
