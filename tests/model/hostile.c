#include "hostile.h"

#include "base/random.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static bool attempt(hostile_decoder *decode, const void *bytes, size_t length)
{
    struct text again = TEXT_INIT;
    void *exact = malloc(length ? length : 1);
    ck_assert_ptr_nonnull(exact);
    memcpy(exact, bytes, length);
    bool accepted = decode(length ? exact : NULL, length, &again);
    if (accepted) {
        ck_assert_uint_eq(again.length, length);
        ck_assert_mem_eq(again.data, exact, length);
    }
    text_release(&again);
    free(exact);
    return accepted;
}

void hostile_truncations(hostile_decoder *decode, const struct text *good)
{
    ck_assert(attempt(decode, good->data, good->length));
    for (size_t length = 0; length < good->length; length++)
        ck_assert_msg(!attempt(decode, good->data, length), "%zu bytes accepted", length);
}

void hostile_numbers(hostile_decoder *decode, const struct text *good)
{
    static const uint32_t numbers[] = {0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
    char *bytes = malloc(good->length);
    ck_assert_ptr_nonnull(bytes);
    for (size_t at = 0; at + 4 <= good->length; at++) {
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            memcpy(bytes, good->data, good->length);
            memcpy(bytes + at, &numbers[i], 4);
            attempt(decode, bytes, good->length);
        }
    }
    free(bytes);
}

void hostile_flips(hostile_decoder *decode, const struct text *good, unsigned rounds)
{
    struct rng rng;
    unsigned refused = 0;
    char *bytes = malloc(good->length);
    ck_assert_ptr_nonnull(bytes);
    rng_init(&rng, 2024, 1);
    for (unsigned round = 0; round < rounds; round++) {
        memcpy(bytes, good->data, good->length);
        for (uint64_t flips = 1 + rng_below(&rng, 4); flips > 0; flips--)
            bytes[rng_below(&rng, good->length)] = (char)rng_u32(&rng);
        refused += !attempt(decode, bytes, good->length);
    }
    ck_assert_uint_gt(refused, 0);
    ck_assert_uint_lt(refused, rounds);
    free(bytes);
}
