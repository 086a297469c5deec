// The checksum on the host: little-endian words, each mixed with its place and added modulo 2^64, so
// that threads, and a device's work-items, may take them in any order.
#include "device/checksum.h"

#include "device/parallel.h"

#include <string.h>

// Below this many words a second thread costs more than it brings.
#define LEAST_WORDS 65536

static inline uint64_t mix(uint64_t word, uint64_t place)
{
    uint64_t x = word ^ (place + 1) * CHECKSUM_PLACE;
    x = (x ^ x >> 30) * CHECKSUM_MIX_1;
    x = (x ^ x >> 27) * CHECKSUM_MIX_2;
    return x ^ x >> 31;
}

uint64_t checksum_word(const void *bytes, uint64_t length, uint64_t place)
{
    uint64_t word = 0;
    memcpy(&word, bytes, (size_t)length);
    return mix(word, place);
}

struct sums {
    const uint8_t *data;
    uint64_t parts[PARALLEL_MOST];
};

static void sum_words(void *context, struct range r)
{
    struct sums *s = context;
    uint64_t sum = 0;
    for (uint64_t i = r.first; i < r.end; i++) {
        uint64_t word;
        memcpy(&word, s->data + 8 * i, 8);
        sum += mix(word, i);
    }
    s->parts[r.part] = sum;
}

uint64_t checksum_of(const void *data, uint64_t length)
{
    struct sums s = {.data = data};
    uint64_t words = length / 8, rest = length % 8, sum = 0;
    unsigned parts = parallel_parts(words, LEAST_WORDS);
    parallel_run(words, parts, 1, sum_words, &s);
    for (unsigned i = 0; i < parts; i++)
        sum += s.parts[i];
    if (rest)
        sum += checksum_word(s.data + 8 * words, rest, words);
    return sum;
}
