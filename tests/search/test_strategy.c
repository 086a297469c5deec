// Strategies: what is asked for, in which order, that it ends, and that learning pays.
#include "grid.h"
#include "search/maths.h"
#include "search/permutation.h"
#include "search/search.h"

#include "../base/suite.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

// What the user begins with, then the default where it is none of these, then all others; each once.
START_TEST(starts_are_asked_first)
{
    static const char *const names[] = {"exhaustive", "random", "genetic:population=4", "anneal",
                                        "surrogate:initial=1"};
    struct fixture f = open_space(DATA "grid.json");
    uint64_t initial, starts[8];
    struct error e = ERROR_INIT;
    ck_assert(space_default(f.space, &initial));
    for (uint32_t i = 0; i < 8; i++)
        starts[i] = (initial + 3 + 11 * i) % GRID;
    for (size_t n = 0; n < 2 * sizeof names / sizeof *names; n++) {
        bool has_default = n % 2;
        struct strategy_setup setup = {
            .space = f.space, .budget = 40, .seed = n, .starts = starts, .start_count = 8};
        uint64_t asked[GRID + 8];
        bool seen[GRID] = {false};
        starts[5] = has_default ? initial : (initial + 1) % GRID;
        struct strategy *s = strategy_new(names[n / 2], &setup, &e);
        ck_assert_msg(s != NULL, "%s", e.text);
        ck_assert_uint_eq(ask_all(s, asked), GRID);
        ck_assert_mem_eq(asked, starts, sizeof starts);
        ck_assert_msg(has_default || asked[8] == initial, "%s", names[n / 2]);
        for (size_t i = 0; i < GRID; i++) {
            ck_assert(!seen[asked[i]]);
            seen[asked[i]] = true;
        }
        strategy_free(s);
    }
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
    struct strategy *s = start(&f, "random", 1000, 3);
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
    } cases[] = {{0, "surrogate"}, {90, "exhaustive"}, {1000, "exhaustive"}, {89, "surrogate"}};
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
    ck_assert_str_eq(
        far.text,
        "unknown strategy 'perhaps!'; there are: exhaustive, random, genetic, anneal, surrogate, "
        "exec");
    ck_assert_int_eq(far.code, ERROR_USAGE);
    strategy_free(NULL);
    close_space(&f);
}
END_TEST

START_TEST(table_is_complete)
{
    const struct strategy_operations *const *table = strategies();
    size_t count = 0;
    for (; table[count]; count++)
        ck_assert(table[count]->name && table[count]->summary && table[count]->create &&
                  table[count]->ask && table[count]->destroy);
    ck_assert_uint_eq(count, 6);
}
END_TEST

// ---- every strategy -----------------------------------------------------------------------------

// A bowl with its best at a = 6, b = 3, and a part where everything fails.
static enum status bowl(const struct fixture *f, uint64_t index, double *value)
{
    uint32_t c[2];
    space_get(f->space, index, c);
    *value = 2 + (c[0] - 6.0) * (c[0] - 6.0) + 2 * (c[1] - 3.0) * (c[1] - 3.0);
    return c[0] + c[1] > 13 ? STATUS_RUNTIME : STATUS_CORRECT;
}

static void tell_bowl(const struct fixture *f, struct strategy *s, uint64_t index)
{
    double value;
    enum status status = bowl(f, index, &value);
    strategy_tell(s, index, status, value);
}

// Keeps `flight` outstanding and tells now the oldest, now the newest of them. Returns how many
// were asked.
static size_t run_bowl(const struct fixture *f, struct strategy *s, size_t flight, uint64_t *asked)
{
    uint64_t out[64];
    size_t held = 0, count = 0, got;
    do {
        got = strategy_ask(s, out + held, flight - held);
        for (size_t i = 0; i < got; i++, held++) {
            ck_assert_uint_lt(count, GRID);
            asked[count++] = out[held];
        }
        if (held == 0)
            break;
        size_t which = count % 2 ? 0 : held - 1;
        tell_bowl(f, s, out[which]);
        out[which] = out[--held];
    } while (true);
    return count;
}

START_TEST(all_ask_each_once_the_default_first)
{
    struct fixture f = open_space(DATA "grid.json");
    static const size_t flights[] = {1, 5, 64};
    uint64_t initial;
    ck_assert(space_default(f.space, &initial));
    for (size_t i = 0; i < 3 * 20; i++) {
        for (const struct strategy_operations *const *o = strategies(); *o && !(*o)->argument;
             o++) {
            struct strategy *s = start(&f, (*o)->name, i % 2 ? 30 : 0, i / 3);
            uint64_t asked[GRID];
            bool seen[GRID] = {false};
            ck_assert_msg(run_bowl(&f, s, flights[i % 3], asked) == GRID, "%s", (*o)->name);
            ck_assert_uint_eq(asked[0], initial);
            for (size_t k = 0; k < GRID; k++) {
                ck_assert_uint_lt(asked[k], GRID);
                ck_assert_msg(!seen[asked[k]], "%s", (*o)->name);
                seen[asked[k]] = true;
            }
            ck_assert_uint_eq(strategy_ask(s, asked, 1), 0);
            strategy_free(s);
        }
    }
    close_space(&f);
}
END_TEST

START_TEST(all_depend_on_seed_and_results_alone)
{
    struct fixture f = open_space(DATA "grid.json");
    for (const struct strategy_operations *const *o = strategies(); *o && !(*o)->argument; o++) {
        for (size_t flight = 1; flight <= 9; flight += 4) {
            uint64_t one[GRID], again[GRID];
            struct strategy *s = start(&f, (*o)->name, 0, 5), *t = start(&f, (*o)->name, 0, 5);
            run_bowl(&f, s, flight, one);
            run_bowl(&f, t, flight, again);
            ck_assert_mem_eq(one, again, sizeof one);
            strategy_free(s);
            strategy_free(t);
        }
    }
    close_space(&f);
}
END_TEST

// Where nothing works each ends all the same, and so it does where everything is alike, negative,
// or not a number.
START_TEST(all_end_whatever_is_told)
{
    struct fixture f = open_space(DATA "grid.json");
    static const struct {
        enum status status;
        double value;
    } cases[] = {{STATUS_COMPILE, 1},      {STATUS_TIMEOUT, NAN},      {STATUS_CORRECT, 0},
                 {STATUS_CORRECT, -1e300}, {STATUS_CORRECT, INFINITY}, {STATUS_CORRECT, NAN}};
    for (const struct strategy_operations *const *o = strategies(); *o && !(*o)->argument; o++) {
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
            struct strategy *s = start(&f, (*o)->name, 0, c);
            uint64_t index;
            size_t count = 0;
            while (strategy_ask(s, &index, 1) == 1) {
                double value = count % 3 == 2 ? cases[c].value : -cases[c].value;
                strategy_tell(s, index, cases[c].status, value);
                ck_assert_uint_le(++count, GRID);
            }
            ck_assert_msg(count == GRID, "%s, case %zu", (*o)->name, c);
            strategy_free(s);
        }
    }
    close_space(&f);
}
END_TEST

// What nobody asked, and what is known already, changes nothing.
START_TEST(all_hear_an_answer_once)
{
    struct fixture f = open_space(DATA "grid.json");
    for (const struct strategy_operations *const *o = strategies(); *o && !(*o)->argument; o++) {
        struct strategy *s = start(&f, (*o)->name, 0, 5), *t = start(&f, (*o)->name, 0, 5);
        uint64_t index, other;
        bool asked[GRID] = {false};
        while (strategy_ask(s, &index, 1) == 1) {
            ck_assert_uint_eq(strategy_ask(t, &other, 1), 1);
            ck_assert_msg(index == other, "%s", (*o)->name);
            asked[index] = true;
            for (uint64_t i = 0; i < GRID; i++) {
                if (!asked[i])
                    strategy_tell(t, i, STATUS_CORRECT, -1);
            }
            strategy_tell(t, UINT64_MAX, STATUS_CORRECT, -1);
            tell_bowl(&f, s, index);
            tell_bowl(&f, t, index);
            for (int again = 0; again < 100; again++)
                strategy_tell(t, index, again % 2 ? STATUS_CORRECT : STATUS_RUNTIME, -again);
        }
        ck_assert_uint_eq(strategy_ask(t, &other, 1), 0);
        strategy_free(s);
        strategy_free(t);
    }
    close_space(&f);
}
END_TEST

// 10^15 configurations: a bowl in five dimensions with its best, 1, far from the middle; a seventh
// of it fails. Returns the best of so many asks.
static double best_of_huge(const struct fixture *f, const char *strategy, uint64_t seed,
                           size_t asks)
{
    struct strategy *s = start(f, strategy, asks, seed);
    double best = INFINITY;
    for (size_t i = 0; i < asks; i++) {
        uint64_t index;
        uint32_t c[5];
        double value = 1;
        ck_assert_uint_eq(strategy_ask(s, &index, 1), 1);
        space_get(f->space, index, c);
        for (size_t p = 0; p < 5; p++)
            value += (c[p] - 700.0) * (c[p] - 700.0) / 1e4;
        strategy_tell(s, index, c[0] % 7 == 3 ? STATUS_CORRECTNESS : STATUS_CORRECT, value);
        if (c[0] % 7 != 3 && value < best)
            best = value;
    }
    strategy_free(s);
    return best;
}

START_TEST(ten_thousand_asks_take_little)
{
    struct fixture f = open_space(DATA "large.json");
    for (const struct strategy_operations *const *o = strategies(); *o && !(*o)->argument; o++) {
        clock_t began = clock();
        best_of_huge(&f, (*o)->name, 1, 10000);
        double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
        ck_assert_msg(seconds < 10, "%s: %g s", (*o)->name, seconds); // sanitizers, Valgrind
    }
    close_space(&f);
}
END_TEST

START_TEST(learners_beat_random)
{
    struct fixture f = open_space(DATA "large.json");
    double of_random = 0;
    for (uint64_t seed = 0; seed < 20; seed++)
        of_random += best_of_huge(&f, "random", seed, 200) / 20;
    for (const struct strategy_operations *const *o = strategies(); *o && !(*o)->argument; o++) {
        double mean = 0;
        for (uint64_t seed = 0; seed < 20 && (*o)->tell; seed++)
            mean += best_of_huge(&f, (*o)->name, seed, 200) / 20;
        ck_assert_msg(mean - 1 < (of_random - 1) / 2, "%s: %g, random: %g", (*o)->name, mean,
                      of_random);
    }
    close_space(&f);
}
END_TEST

// The mean cost of 120 questions where a time ends the search, or their number: the last parameter decides it alone, and
// nothing else.
static double mean_cost(const struct fixture *f, uint64_t budget, uint64_t seed)
{
    struct strategy *s = start(f, "surrogate", budget, seed);
    double sum = 0;
    for (size_t i = 0; i < 120; i++) {
        uint64_t index;
        uint32_t c[5];
        double value = 1;
        ck_assert_uint_eq(strategy_ask(s, &index, 1), 1);
        space_get(f->space, index, c);
        for (size_t p = 0; p < 4; p++)
            value += (c[p] - 700.0) * (c[p] - 700.0) / 1e4;
        double cost = c[4] < 500 ? 1e9 : 8e9;
        sum += cost;
        strategy_cost(s, index, cost);
        strategy_cost(s, index, NAN); // is not heard
        strategy_tell(s, index, STATUS_CORRECT, value);
        strategy_cost(s, index, 1); // too late
    }
    strategy_free(s);
    return sum / 120;
}

START_TEST(what_is_dear_waits_where_time_ends)
{
    struct fixture f = open_space(DATA "large.json");
    double by_time = 0, by_count = 0;
    for (uint64_t seed = 0; seed < 4; seed++) {
        by_time += mean_cost(&f, 0, seed) / 4;
        by_count += mean_cost(&f, 120, seed) / 4;
    }
    ck_assert_msg(by_time < by_count * 0.9, "%g s, %g s", by_time / 1e9, by_count / 1e9);
    close_space(&f);
}
END_TEST

// Of the first 16 questions, which nothing is known for: how far apart the two nearest are.
static double nearest_pair(const struct fixture *f, uint64_t budget, uint32_t in_flight,
                           uint64_t seed)
{
    struct error e = ERROR_INIT;
    struct strategy_setup setup = {
        .space = f->space, .budget = budget, .seed = seed, .in_flight = in_flight};
    struct strategy *s = strategy_new("surrogate", &setup, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    uint64_t out[16];
    uint32_t a[5], b[5];
    double nearest = INFINITY;
    ck_assert_uint_eq(strategy_ask(s, out, 16), 16);
    for (size_t i = 0; i < 16; i++) {
        for (size_t k = 0; k < i; k++) {
            double sum = 0;
            space_get(f->space, out[i], a);
            space_get(f->space, out[k], b);
            for (size_t p = 0; p < 5; p++)
                sum += ((double)a[p] - b[p]) * ((double)a[p] - b[p]);
            nearest = fmin(nearest, sqrt(sum));
        }
    }
    strategy_free(s);
    return nearest;
}

START_TEST(as_many_are_spread_as_are_in_flight)
{
    struct fixture f = open_space(DATA "large.json");
    double one = 0, many = 0;
    for (uint64_t seed = 0; seed < 10; seed++) {
        one += nearest_pair(&f, 100, 1, seed) / 10;
        many += nearest_pair(&f, 100, 16, seed) / 10;
    }
    ck_assert_msg(many > 1.5 * one, "%g, %g", many, one);
    close_space(&f);
}
END_TEST

// How far the values of the first six questions are from the middle of their lists: 250 at random.
static void add_from_middle(const struct fixture *f, uint64_t budget, uint64_t seed, double *apart)
{
    struct strategy *s = start(f, "surrogate", budget, seed);
    uint64_t out[6];
    uint32_t a[5];
    for (size_t i = 0; i < 6; i++) {
        ck_assert_uint_eq(strategy_ask(s, &out[i], 1), 1);
        space_get(f->space, out[i], a);
        for (size_t p = 0; p < 5; p++)
            apart[i] += fabs(a[p] - 499.5) / 5;
    }
    strategy_free(s);
}

// The first question is any, the others are apart, however many are allowed: none of them is near the middle of the lists.
START_TEST(nothing_is_assumed_before_the_first_answer)
{
    enum { SEEDS = 20 };
    static const uint64_t budgets[] = {0, 99, 100, 1000};
    struct fixture f = open_space(DATA "large.json");
    double before[6] = {0};
    for (size_t k = 0; k < 4; k++) {
        double apart[6] = {0};
        for (uint64_t seed = 0; seed < SEEDS; seed++)
            add_from_middle(&f, budgets[k], seed, apart);
        ck_assert_double_eq_tol(apart[0] / SEEDS, 250, 40);
        for (size_t i = 1; i < 6; i++)
            ck_assert_msg(apart[i] / SEEDS > 250, "%zu: %g", i, apart[i] / SEEDS);
        ck_assert(k == 0 || memcmp(apart, before, sizeof apart) == 0);
        memcpy(before, apart, sizeof before);
    }
    close_space(&f);
}
END_TEST

START_TEST(one_configuration_is_asked_once)
{
    struct fixture f = {.spec = NULL};
    struct error e = ERROR_INIT;
    struct space_options only = {.configurations = (const char *const[]){"a=3,b=5"},
                                 .configuration_count = 1};
    f.spec = spec_load(DATA "grid.json", NULL, &e);
    ck_assert_ptr_nonnull(f.spec);
    f.space = space_new(f.spec, &only, &e);
    ck_assert_msg(f.space != NULL, "%s", e.text);
    for (const struct strategy_operations *const *o = strategies(); *o && !(*o)->argument; o++) {
        struct strategy *s = start(&f, (*o)->name, 0, 1);
        uint64_t out[4];
        ck_assert_uint_eq(strategy_ask(s, out, 4), 1);
        ck_assert_uint_eq(strategy_ask(s, out + 1, 3), 0);
        strategy_tell(s, out[0], STATUS_CORRECT, 1);
        ck_assert_uint_eq(strategy_ask(s, out, 4), 0);
        strategy_free(s);
    }
    close_space(&f);
}
END_TEST

// ---- options -----------------------------------------------------------------------------------

START_TEST(options_are_read_and_described)
{
    struct fixture f = open_space(DATA "grid.json");
    static const struct {
        const char *text, *full;
    } cases[] = {
        {"exhaustive", "exhaustive"},
        {"genetic", "genetic:population=16,mutation=0.05,tournament=4"},
        {"GENETIC:Mutation=0.25", "genetic:population=16,mutation=0.25,tournament=4"},
        {"anneal:cycle=7,hot=2", "anneal:hot=2.0,cold=0.01,cycle=7"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct strategy *s = start(&f, cases[i].text, 0, 1), *again;
        ck_assert_str_eq(strategy_description(s), cases[i].full);
        again = start(&f, strategy_description(s), 0, 1); // it reads what it writes
        ck_assert_str_eq(strategy_description(again), cases[i].full);
        strategy_free(s);
        strategy_free(again);
    }
    close_space(&f);
}
END_TEST

START_TEST(options_are_checked)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"random:population=3", "strategy 'random' has no options, so no 'population'"},
        {"random:", "strategy 'random': '' gives no value; write NAME=VALUE"},
        {"genetic:populaton=3", "strategy 'genetic' has no option 'populaton'; did you mean "
                                "'population'?"},
        {"genetic:x=3", "strategy 'genetic' has no option 'x'; it has: population, mutation, "
                        "tournament"},
        {"genetic:mutation", "strategy 'genetic': 'mutation' gives no value; write NAME=VALUE"},
        {"genetic:mutation=1.5", "strategy 'genetic': mutation=1.5: give a number in 0.0 .. 1.0"},
        {"genetic:mutation=nan", "strategy 'genetic': mutation=nan: give a number in 0.0 .. 1.0"},
        {"genetic:population=2.5", "strategy 'genetic': population=2.5: give a whole number in "
                                   "2 .. 1000"},
        {"genetic:population=", "strategy 'genetic': population=: give a whole number in 2 .. "
                                "1000"},
        {"genetic:mutation=0,mutation=1", "strategy 'genetic': mutation is given twice"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error e = ERROR_INIT;
        ck_assert_msg(!strategy_check(cases[i].text, &e), "%s", cases[i].text);
        ck_assert_str_eq(e.text, cases[i].why);
        ck_assert_int_eq(e.code, ERROR_USAGE);
    }
    ck_assert(strategy_check("Random", NULL));
    ck_assert(strategy_check("genetic:population=1000,mutation=1", NULL));
    ck_assert(strategy_check(NULL, NULL));
}
END_TEST

// The fallback of each is in its range, and there is room for its options.
START_TEST(options_have_sensible_tables)
{
    for (const struct strategy_operations *const *o = strategies(); *o && !(*o)->argument; o++) {
        size_t count = 0;
        for (const struct strategy_option *p = (*o)->options; p && p->name; p++, count++) {
            ck_assert(p->summary && p->least <= p->fallback && p->fallback <= p->most);
            ck_assert(!p->whole || p->fallback == floor(p->fallback));
        }
        ck_assert_uint_le(count, STRATEGY_OPTIONS_MOST);
    }
}
END_TEST

// ---- maths -------------------------------------------------------------------------------------

START_TEST(maths_agree_with_libm)
{
    for (double x = -699; x < 699; x += 0.37)
        ck_assert_double_lt(fabs(maths_exp(x) / exp(x) - 1), 1e-13);
    for (double x = 1e-300; x < 1e300; x *= 1.37)
        ck_assert_double_lt(fabs(maths_log(x) - log(x)), 1e-14 * fmax(1, fabs(log(x))));
    ck_assert_double_eq(maths_exp(0), 1);
    ck_assert_double_eq(maths_log(1), 0);
    ck_assert_double_eq(maths_exp(-1e9), 0);
    ck_assert(isfinite(maths_exp(1e9)));
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
    tcase_set_timeout(tests, 180);
    tcase_add_test(tests, exhaustive_in_order_default_first);
    tcase_add_test(tests, starts_are_asked_first);
    tcase_add_test(tests, random_asks_each_once);
    tcase_add_test(tests, random_depends_on_the_seed_alone);
    tcase_add_test(tests, random_in_a_huge_space);
    tcase_add_test(tests, chosen_by_the_budget);
    tcase_add_test(tests, unknown_strategy);
    tcase_add_test(tests, table_is_complete);
    tcase_add_test(tests, all_ask_each_once_the_default_first);
    tcase_add_test(tests, all_depend_on_seed_and_results_alone);
    tcase_add_test(tests, all_end_whatever_is_told);
    tcase_add_test(tests, all_hear_an_answer_once);
    tcase_add_test(tests, ten_thousand_asks_take_little);
    if (!SUITE_SANITIZED)
        tcase_add_test(tests, learners_beat_random);
    if (!SUITE_SANITIZED)
        tcase_add_test(tests, what_is_dear_waits_where_time_ends);
    tcase_add_test(tests, as_many_are_spread_as_are_in_flight);
    tcase_add_test(tests, nothing_is_assumed_before_the_first_answer);
    tcase_add_test(tests, one_configuration_is_asked_once);
    tcase_add_test(tests, options_are_read_and_described);
    tcase_add_test(tests, options_are_checked);
    tcase_add_test(tests, options_have_sensible_tables);
    tcase_add_test(tests, maths_agree_with_libm);
    tcase_add_test(tests, permutation_is_one);
    tcase_add_test(tests, permutation_of_everything);
    if (!SUITE_SANITIZED)
        tcase_add_test(tests, permutation_is_uniform_over_seeds);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
