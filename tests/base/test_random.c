#include "base/random.h"
#include "suite.h"

#include <string.h>

// The known answers published with the authors' Random123 library for philox4x32-10.
static const struct {
    uint32_t counter[4], key[2], out[4];
} answers[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

START_TEST(test_published_answers)
{
    uint32_t out[4];
    philox4x32(answers[_i].counter, answers[_i].key, out);
    ck_assert(memcmp(out, answers[_i].out, sizeof out) == 0);
}
END_TEST

START_TEST(test_out_may_be_the_counter)
{
    uint32_t block[4];
    memcpy(block, answers[2].counter, sizeof block);
    philox4x32(block, answers[2].key, block);
    ck_assert(memcmp(block, answers[2].out, sizeof block) == 0);
}
END_TEST

// The sequences below come from an independent implementation in Python. Recorded sessions replay
// only as long as they hold.
START_TEST(test_sequence_is_fixed)
{
    struct rng r;
    rng_init(&r, 0, 0);
    for (int i = 0; i < 4; i++)
        ck_assert_uint_eq(rng_u32(&r), answers[0].out[i]);

    rng_init(&r, 0x123456789abcdef, 42);
    ck_assert_uint_eq(rng_u64(&r), 0x3d0d511dbbb8d34b);
    ck_assert_uint_eq(rng_u64(&r), 0x268e0d843998a0ef);
    ck_assert_uint_eq(rng_u64(&r), 0xfd6657166949a91b);
}
END_TEST

START_TEST(test_below_is_fixed_and_in_range)
{
    static const uint64_t small[] = {448, 384, 91, 47, 328, 886, 617, 57};
    // Nearly half of all draws are refused with this bound.
    static const uint64_t large[] = {7280647952038102639, 3897208139555152575, 6901147123317216282,
                                     2879595198269127238};
    struct rng r;
    rng_init(&r, 1, 0);
    for (int i = 0; i < 8; i++)
        ck_assert_uint_eq(rng_below(&r, 1000), small[i]);
    rng_init(&r, 1, 0);
    for (int i = 0; i < 4; i++)
        ck_assert_uint_eq(rng_below(&r, (UINT64_C(1) << 63) + 1), large[i]);
    for (int i = 0; i < 100; i++)
        ck_assert_uint_eq(rng_below(&r, 1), 0);
}
END_TEST

START_TEST(test_below_is_uniform)
{
    enum { BOUND = 6, DRAWS = 60000 };
    unsigned counts[BOUND] = {0};
    struct rng r;
    rng_init(&r, 3, 0);
    for (int i = 0; i < DRAWS; i++)
        counts[rng_below(&r, BOUND)]++;
    double chi2 = 0;
    for (int i = 0; i < BOUND; i++) {
        double off = counts[i] - (double)DRAWS / BOUND;
        chi2 += off * off / ((double)DRAWS / BOUND);
    }
    ck_assert_msg(chi2 < 20.5, "chi2 %g with 5 degrees of freedom", chi2); // p = 0.001
}
END_TEST

START_TEST(test_unit_uses_the_high_bits)
{
    struct rng r;
    rng_init(&r, 0, 0);
    ck_assert(rng_unit(&r) == (double)(0xe169c58d6627e8d5 >> 11) / 9007199254740992.0);
    double sum = 0;
    for (int i = 0; i < 10000; i++) {
        double u = rng_unit(&r);
        ck_assert(u >= 0 && u < 1);
        sum += u;
    }
    ck_assert(sum / 10000 > 0.49 && sum / 10000 < 0.51);
}
END_TEST

START_TEST(test_shuffle_is_fixed)
{
    static const uint64_t expected[10] = {7, 3, 2, 6, 8, 1, 5, 4, 9, 0};
    uint64_t items[10];
    struct rng r;
    for (uint64_t i = 0; i < 10; i++)
        items[i] = i;
    rng_init(&r, 2024, 7);
    rng_shuffle(&r, items, 10);
    ck_assert(memcmp(items, expected, sizeof items) == 0);
    rng_shuffle(&r, items, 0);
    rng_shuffle(&r, items, 1);
    ck_assert(memcmp(items, expected, sizeof items) == 0);
}
END_TEST

START_TEST(test_streams_differ)
{
    struct rng a, b, c;
    rng_init(&a, 1, 0);
    rng_init(&b, 1, 1);
    rng_init(&c, 2, 0);
    uint64_t x = rng_u64(&a), y = rng_u64(&b), z = rng_u64(&c);
    ck_assert(x != y && x != z && y != z);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, test_published_answers, 0, sizeof answers / sizeof *answers);
    tcase_add_test(tests, test_out_may_be_the_counter);
    tcase_add_test(tests, test_sequence_is_fixed);
    tcase_add_test(tests, test_below_is_fixed_and_in_range);
    tcase_add_test(tests, test_below_is_uniform);
    tcase_add_test(tests, test_unit_uses_the_high_bits);
    tcase_add_test(tests, test_shuffle_is_fixed);
    tcase_add_test(tests, test_streams_differ);
}

int main(void)
{
    return suite_run("random", add);
}
