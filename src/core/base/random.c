// Philox4x32-10: ten rounds of multiplications on a counter and a key; numbers below a bound
// without bias by rejection.
#include "base/random.h"

// Constants of the paper: two multipliers, and the Weyl steps of the key (golden ratio, sqrt 3 -
// 1).
#define MULTIPLIER_0 0xd2511f53u
#define MULTIPLIER_1 0xcd9e8d57u
#define KEY_STEP_0   0x9e3779b9u
#define KEY_STEP_1   0xbb67ae85u
#define ROUNDS       10

void philox4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t x0 = counter[0], x1 = counter[1], x2 = counter[2], x3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t p0 = (uint64_t)MULTIPLIER_0 * x0;
        uint64_t p1 = (uint64_t)MULTIPLIER_1 * x2;
        x0 = (uint32_t)(p1 >> 32) ^ x1 ^ k0;
        x1 = (uint32_t)p1;
        x2 = (uint32_t)(p0 >> 32) ^ x3 ^ k1;
        x3 = (uint32_t)p0;
        k0 += KEY_STEP_0;
        k1 += KEY_STEP_1;
    }
    out[0] = x0, out[1] = x1, out[2] = x2, out[3] = x3;
}

void rng_init(struct rng *r, uint64_t seed, uint64_t stream)
{
    *r = (struct rng){.key = {(uint32_t)seed, (uint32_t)(seed >> 32)}, .stream = stream};
}

uint32_t rng_u32(struct rng *r)
{
    if (r->left == 0) {
        uint32_t counter[4] = {(uint32_t)r->position, (uint32_t)(r->position >> 32),
                               (uint32_t)r->stream, (uint32_t)(r->stream >> 32)};
        philox4x32(counter, r->key, r->block);
        r->position++;
        r->left = 4;
    }
    return r->block[4 - r->left--];
}

uint64_t rng_u64(struct rng *r)
{
    uint64_t low = rng_u32(r);
    return (uint64_t)rng_u32(r) << 32 | low;
}

uint64_t rng_below(struct rng *r, uint64_t bound)
{
    // The lowest 2^64 mod bound values are refused: what remains is a whole multiple of bound.
    uint64_t least = (0 - bound) % bound;
    uint64_t x;
    do {
        x = rng_u64(r);
    } while (x < least);
    return x % bound;
}

double rng_unit(struct rng *r)
{
    return (double)(rng_u64(r) >> 11) * 0x1p-53;
}

void rng_shuffle(struct rng *r, uint64_t *items, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)rng_below(r, i);
        uint64_t item = items[i - 1];
        items[i - 1] = items[j];
        items[j] = item;
    }
}
