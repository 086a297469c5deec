// Strategies: what is asked for, in which order, and that it ends.
#include "search/permutation.h"
#include "search/search.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define DATA HONE_SOURCE_DIR "/tests/search/data/"
#define GRID 90 // valid configurations of grid.json

struct fixture {
    struct spec *spec;
    struct space *space;
};

static struct fixture open_space(const char *path)
{
    struct error e = ERROR_INIT;
    struct fixture f = {.spec = spec_load(path, NULL, &e)};
    ck_assert_msg(f.spec != NULL, "%s", e.text);
    f.space = space_new(f.spec, NULL, &e);
    ck_assert_msg(f.space != NULL, "%s", e.text);
    return f;
}

static void close_space(struct fixture *f)
{
    space_free(f->space);
    spec_free(f->spec);
}

static struct strategy *start(const struct fixture *f, const char *name, uint64_t budget,
                              uint64_t seed)
{
    struct error e = ERROR_INIT;
    struct strategy_setup setup = {.space = f->space, .budget = budget, .seed = seed};
    struct strategy *s = strategy_new(name, &setup, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    return s;
}

// Asks in uneven portions until the end.
static size_t ask_all(struct strategy *s, uint64_t *out)
{
    size_t count = 0, got;
    while ((got = strategy_ask(s, out + count, 1 + count % 7)) > 0) {
        strategy_tell(s, out[count], STATUS_CORRECT, 1);
        count += got;
        ck_assert_uint_le(count, GRID);
    }
    return count;
}

START_TEST(exhaustive_in_order_default_first)
{
    struct fixture f = open_space(DATA "grid.json");
    struct strategy *s = start(&f, "exhaustive", 0, 1);
    uint64_t asked[GRID + 8], initial, next = 0;
    ck_assert_str_eq(strategy_name(s), "exhaustive");
    ck_assert_uint_eq(ask_all(s, asked), GRID);
    ck_assert(space_default(f.space, &initial));
    ck_assert_uint_eq(asked[0], initial);
    for (size_t i = 1; i < GRID; i++, next++) {
        next += next == initial;
        ck_assert_uint_eq(asked[i], next);
    }
    ck_assert_uint_eq(strategy_ask(s, asked, 4), 0);
    strategy_free(s);
    close_space(&f);
}
END_TEST

START_TEST(random_asks_each_once)
{
    struct fixture f = open_space(DATA "grid.json");
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct strategy *s = start(&f, "random", 10, seed);
        uint64_t asked[GRID + 8], initial;
        bool seen[GRID] = {false};
        ck_assert_uint_eq(ask_all(s, asked), GRID);
        ck_assert(space_default(f.space, &initial));
        ck_assert_uint_eq(asked[0], initial);
        for (size_t i = 0; i < GRID; i++) {
            ck_assert_uint_lt(asked[i], GRID);
            ck_assert(!seen[asked[i]]);
            seen[asked[i]] = true;
        }
        strategy_free(s);
    }
    close_space(&f);
}
END_TEST

START_TEST(random_depends_on_the_seed_alone)
{
    struct fixture f = open_space(DATA "grid.json");
    uint64_t one[GRID + 8], again[GRID + 8], other[GRID + 8];
    struct strategy *s = start(&f, "random", 1, 5);
    ask_all(s, one);
    strategy_free(s);
    s = start(&f, "random", 1, 5);
    ck_assert_uint_eq(strategy_ask(s, again, GRID), GRID); // in one portion
    strategy_free(s);
    s = start(&f, "random", 1, 6);
    ask_all(s, other);
    strategy_free(s);
    ck_assert_mem_eq(one, again, GRID * sizeof *one);
    ck_assert(memcmp(one, other, GRID * sizeof *one) != 0);
    close_space(&f);
}
END_TEST

// 10^15 configurations: no list of them is ever made.
START_TEST(random_in_a_huge_space)
{
    struct fixture f = open_space(DATA "large.json");
    uint64_t asked[1000], upper = 0;
    ck_assert_uint_eq(space_count(f.space), UINT64_C(1000000000000000));
    struct strategy *s = start(&f, NULL, 1000, 3);
    ck_assert_str_eq(strategy_name(s), "random");
    ck_assert_uint_eq(strategy_ask(s, asked, 1000), 1000);
    for (size_t i = 0; i < 1000; i++) {
        ck_assert_uint_lt(asked[i], UINT64_C(1000000000000000));
        upper += asked[i] >= UINT64_C(500000000000000);
    }
    ck_assert_uint_gt(upper, 420);
    ck_assert_uint_lt(upper, 580);
    strategy_free(s);
    close_space(&f);
}
END_TEST

START_TEST(chosen_by_the_budget)
{
    struct fixture f = open_space(DATA "grid.json");
    static const struct {
        uint64_t budget;
        const char *name;
    } cases[] = {{0, "random"}, {90, "exhaustive"}, {1000, "exhaustive"}, {89, "random"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct strategy *s = start(&f, NULL, cases[i].budget, 1);
        ck_assert_str_eq(strategy_name(s), cases[i].name);
        strategy_free(s);
    }
    close_space(&f);
}
END_TEST

START_TEST(unknown_strategy)
{
    struct fixture f = open_space(DATA "grid.json");
    struct strategy_setup setup = {.space = f.space};
    struct error near = ERROR_INIT, far = ERROR_INIT;
    ck_assert_ptr_null(strategy_new("exhaustiv", &setup, &near));
    ck_assert_str_eq(near.text, "unknown strategy 'exhaustiv'; did you mean 'exhaustive'?");
    ck_assert_ptr_null(strategy_new("perhaps!", &setup, &far));
    ck_assert_str_eq(far.text, "unknown strategy 'perhaps!'; there are: exhaustive, random");
    ck_assert_int_eq(far.code, ERROR_USAGE);
    strategy_free(NULL);
    close_space(&f);
}
END_TEST

START_TEST(options_are_refused_where_there_are_none)
{
    struct error e = ERROR_INIT;
    ck_assert(!strategy_check("random:population=3", &e));
    ck_assert_str_eq(e.text, "strategy 'random' has no options, so no 'population'");
    ck_assert_int_eq(e.code, ERROR_USAGE);
    e = (struct error)ERROR_INIT;
    ck_assert(!strategy_check("random:", &e));
    ck_assert_str_eq(e.text, "strategy 'random': '' gives no value; write NAME=VALUE");
    e = (struct error)ERROR_INIT;
    ck_assert(strategy_check("Random", &e));
    ck_assert(strategy_check(NULL, &e));
}
END_TEST

START_TEST(table_is_complete)
{
    const struct strategy_operations *const *table = strategies();
    size_t count = 0;
    for (; table[count]; count++)
        ck_assert(table[count]->name && table[count]->summary && table[count]->create &&
                  table[count]->ask && table[count]->destroy);
    ck_assert_uint_eq(count, 2);
}
END_TEST

// ---- the permutation ---------------------------------------------------------------------------

START_TEST(permutation_is_one)
{
    static const uint64_t counts[] = {1, 2, 3, 10, 255, 256, 257, 1000, 65536, 70000};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        struct permutation p;
        bool *seen = calloc(counts[c], sizeof *seen);
        ck_assert_ptr_nonnull(seen);
        permutation_init(&p, counts[c], 11);
        for (uint64_t i = 0; i < counts[c]; i++) {
            uint64_t at = permutation_at(&p, i);
            ck_assert_uint_lt(at, counts[c]);
            ck_assert(!seen[at]);
            seen[at] = true;
        }
        free(seen);
    }
}
END_TEST

START_TEST(permutation_of_everything)
{
    struct permutation p;
    permutation_init(&p, UINT64_MAX, 1);
    ck_assert_uint_ne(permutation_at(&p, 0), permutation_at(&p, UINT64_MAX - 1));
}
END_TEST

// Over seeds each place holds each number equally often (chi-square, 6 degrees, p = 1e-4).
START_TEST(permutation_is_uniform_over_seeds)
{
    for (uint64_t place = 0; place < 7; place += 3) {
        double drawn[7] = {0}, chi = 0;
        for (uint64_t seed = 0; seed < 7000; seed++) {
            struct permutation p;
            permutation_init(&p, 7, seed);
            drawn[permutation_at(&p, place)]++;
        }
        for (int i = 0; i < 7; i++)
            chi += (drawn[i] - 1000) * (drawn[i] - 1000) / 1000;
        ck_assert_double_lt(chi, 27.9);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("strategy");
    TCase *tests = tcase_create("strategy");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, exhaustive_in_order_default_first);
    tcase_add_test(tests, random_asks_each_once);
    tcase_add_test(tests, random_depends_on_the_seed_alone);
    tcase_add_test(tests, random_in_a_huge_space);
    tcase_add_test(tests, chosen_by_the_budget);
    tcase_add_test(tests, unknown_strategy);
    tcase_add_test(tests, options_are_refused_where_there_are_none);
    tcase_add_test(tests, table_is_complete);
    tcase_add_test(tests, permutation_is_one);
    tcase_add_test(tests, permutation_of_everything);
    tcase_add_test(tests, permutation_is_uniform_over_seeds);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
