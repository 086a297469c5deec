// Shares of variance: known ones of sums and products over full spaces, what there is too little of, the same answer for the
// same seed.
#include "stats/importance.h"

#include "../base/suite.h"

#include <math.h>
#include <string.h>

enum { SIDE = 6, ROWS = SIDE * SIDE * SIDE };

static uint32_t choices[ROWS][3];
static const uint32_t *rows[ROWS];
static double values[ROWS];
static const uint32_t sizes[3] = {SIDE, SIDE, SIDE};

// Over the whole product of three parameters.
static void fill(double (*of)(double a, double b, double c))
{
    for (uint32_t i = 0; i < ROWS; i++) {
        uint32_t *c = choices[i];
        c[0] = i % SIDE;
        c[1] = i / SIDE % SIDE;
        c[2] = i / SIDE / SIDE;
        rows[i] = c;
        values[i] = of(c[0] - 2.5, c[1] - 2.5, c[2] - 2.5);
    }
}

static struct importance find(struct arena *a, size_t count)
{
    struct importance out;
    const struct importance_data d = {rows, values, count, sizes, 3};
    ck_assert(importance_find(&d, 7, a, &out));
    return out;
}

static double share_of(const struct importance *i, uint32_t parameter)
{
    for (size_t k = 0; k < i->count; k++) {
        if (i->shares[k].first == parameter)
            return i->shares[k].share;
    }
    ck_abort_msg("parameter %u has no share", parameter);
}

static double sum(double a, double b, double c)
{
    (void)c;
    return 3 * a + b;
}

START_TEST(shares_of_a_sum)
{
    struct arena a = {0};
    fill(sum); // variances 9 : 1 : 0
    struct importance i = find(&a, ROWS);
    ck_assert_uint_eq(i.count, 3);
    ck_assert_uint_eq(i.shares[0].first, 0);
    ck_assert_double_eq_tol(share_of(&i, 0), 0.9, 0.05);
    ck_assert_double_eq_tol(share_of(&i, 1), 0.1, 0.05);
    ck_assert_double_lt(share_of(&i, 2), 0.02);
    ck_assert_double_gt(i.explained, 0.9);
    for (size_t k = 0; k < i.count; k++) {
        ck_assert_double_le(i.shares[k].low, i.shares[k].share + 1e-9);
        ck_assert_double_ge(i.shares[k].high, i.shares[k].share - 1e-9);
    }
    for (size_t k = 0; k < i.pair_count; k++)
        ck_assert_double_lt(i.pairs[k].share, 0.05);
    arena_release(&a);
}
END_TEST

static double product(double a, double b, double c)
{
    (void)c;
    return a * b;
}

START_TEST(a_product_is_a_pair)
{
    struct arena a = {0};
    fill(product);
    struct importance i = find(&a, ROWS);
    ck_assert_uint_eq(i.pairs[0].first + i.pairs[0].second, 1); // 0 and 1
    ck_assert_double_gt(i.pairs[0].share, 0.6);
    ck_assert_double_lt(share_of(&i, 0), 0.2);
    arena_release(&a);
}
END_TEST

START_TEST(too_little_says_nothing)
{
    struct arena a = {0};
    fill(sum);
    ck_assert_uint_eq(find(&a, IMPORTANCE_LEAST - 1).count, 0);
    for (size_t k = 0; k < ROWS; k++)
        values[k] = 5;
    ck_assert_uint_eq(find(&a, ROWS).count, 0);
    arena_release(&a);
}
END_TEST

START_TEST(same_seed_same_answer)
{
    struct arena a = {0};
    fill(product);
    struct importance x = find(&a, ROWS), y = find(&a, ROWS);
    ck_assert_uint_eq(x.count, y.count);
    ck_assert_int_eq(memcmp(x.shares, y.shares, x.count * sizeof *x.shares), 0);
    ck_assert_int_eq(memcmp(x.pairs, y.pairs, x.pair_count * sizeof *x.pairs), 0);
    arena_release(&a);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, shares_of_a_sum);
    tcase_add_test(tests, a_product_is_a_pair);
    tcase_add_test(tests, too_little_says_nothing);
    tcase_add_test(tests, same_seed_same_answer);
}

int main(void)
{
    return suite_run("importance", add);
}
