// A keyed permutation in constant memory: a Feistel network over a power of four, walked until the
// position lies inside.
#include "search/permutation.h"

#include "base/random.h"

// Four rounds of a strong round function give a pseudo-random permutation (Luby and Rackoff 1988);
// more make up for the small halves of a small space.
#define FEISTEL_ROUNDS 8
#define LEAST_HALF     4

void permutation_init(struct permutation *p, uint64_t count, uint64_t seed)
{
    *p = (struct permutation){count, {(uint32_t)seed, (uint32_t)(seed >> 32)}, LEAST_HALF};
    while (p->half < 32 && (count - 1) >> (2 * p->half) != 0)
        p->half++;
}

static uint64_t feistel(const struct permutation *p, uint64_t x)
{
    uint32_t mask = (uint32_t)((UINT64_C(1) << p->half) - 1);
    uint32_t left = (uint32_t)(x >> p->half) & mask, right = (uint32_t)x & mask;
    for (uint32_t round = 0; round < FEISTEL_ROUNDS; round++) {
        uint32_t counter[4] = {right, round, p->half, 0}, out[4];
        philox4x32(counter, p->key, out);
        uint32_t next = left ^ (out[0] & mask);
        left = right;
        right = next;
    }
    return (uint64_t)left << p->half | right;
}

uint64_t permutation_at(const struct permutation *p, uint64_t position)
{
    do {
        position = feistel(p, position);
    } while (position >= p->count);
    return position;
}

uint64_t permutation_order(const void *data, uint64_t position)
{
    return permutation_at(data, position);
}
