// Sources: what they say of a space that is not quite theirs, and what a search makes of one that helps
// and of some that mislead.
#include "search/search.h"
#include "search/source.h"

#include "../base/suite.h"

#include <math.h>
#include <stdlib.h>

#define GRID  HONE_SOURCE_DIR "/tests/search/data/grid.json" // a, b: 0 .. 9, a != b
#define COUNT 90
#define SIDE  10

static struct spec *spec;
static struct space *space;

static void open_grid(void)
{
    struct error e = ERROR_INIT;
    spec = spec_load(GRID, NULL, &e);
    ck_assert_msg(spec != NULL, "%s", e.text);
    space = space_new(spec, NULL, &e);
    ck_assert_msg(space != NULL, "%s", e.text);
}

static void close_grid(void)
{
    space_free(space);
    spec_free(spec);
}

// ---- made sources ------------------------------------------------------------------------------

// Parameters with values first, first + step, ...
struct column {
    const char *name;
    uint32_t count;
    int first, step;
};

typedef double value_of(const uint32_t *choice);

#define COLUMNS_MOST 4
#define ROWS_MOST    4096

// Every combination of the columns' values by `value`, NaN: it failed; every `each`-th of them.
static struct source *make(const struct column *columns, uint32_t count, value_of *value,
                           uint32_t each, const char **why)
{
    static uint32_t choices[ROWS_MOST][COLUMNS_MOST];
    static struct source_row rows[ROWS_MOST];
    struct value values[COLUMNS_MOST][64];
    struct parameter parameters[COLUMNS_MOST];
    struct error e = ERROR_INIT;
    uint32_t all = 1, used = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < columns[i].count; k++)
            values[i][k] = value_int(columns[i].first + (int)k * columns[i].step);
        parameters[i] = (struct parameter){
            .name = columns[i].name, .values = values[i], .count = columns[i].count};
        all *= columns[i].count;
    }
    for (uint32_t row = 0; row < all; row += each) {
        uint32_t rest = row;
        for (uint32_t i = 0; i < count; i++) {
            choices[used][i] = rest % columns[i].count;
            rest /= columns[i].count;
        }
        rows[used] = (struct source_row){choices[used], value(choices[used])};
        used++;
    }
    const struct source_setup setup = {.space = space,
                                       .name = "made",
                                       .parameters = parameters,
                                       .parameter_count = count,
                                       .rows = rows,
                                       .count = used};
    struct source *s = source_new(&setup, why, &e);
    ck_assert_msg(s || *why, "%s", e.text);
    return s;
}

static const struct column own[] = {{"a", SIDE, 0, 1}, {"b", SIDE, 0, 1}};

// A bowl with its bottom at (2, 8).
static double bowl(const uint32_t *c)
{
    double a = (double)c[0] - 2, b = (double)c[1] - 8;
    return 1 + a * a + b * b;
}

static double upside_down(const uint32_t *c)
{
    return 200 / bowl(c);
}

// The bottom at (6, 3).
static double elsewhere(const uint32_t *c)
{
    double a = (double)c[0] - 6, b = (double)c[1] - 3;
    return 1 + a * a + b * b;
}

static double shuffled(const uint32_t *c)
{
    return 1 + (c[0] * 37 + c[1] * 101) % 89;
}

static double equal(const uint32_t *c)
{
    (void)c;
    return 3;
}

static double failing(const uint32_t *c)
{
    (void)c;
    return NAN;
}

static double half_failing(const uint32_t *c)
{
    return c[0] > 4 ? NAN : bowl(c);
}

// Of values -1 .. 10 of a: the bowl, and better than it at the first and the last.
static double better_beyond(const uint32_t *c)
{
    return c[0] == 0 || c[0] == SIDE + 1 ? 0.5 : bowl((const uint32_t[]){c[0] - 1, c[1]});
}

static double at(const struct source *s, uint32_t a, uint32_t b)
{
    return source_value(s, (const uint32_t[]){a, b});
}

// ---- sources -----------------------------------------------------------------------------------

START_TEST(says_what_was_recorded)
{
    const char *why;
    uint32_t count;
    uint64_t index;
    struct source *s = make(own, 2, bowl, 1, &why);
    ck_assert_ptr_nonnull(s);
    ck_assert_uint_eq(source_results(s), SIDE * SIDE);
    ck_assert_uint_eq(source_shared(s), 2);
    ck_assert(space_find(space, (const uint32_t[]){2, 8}, &index));
    ck_assert_uint_eq(source_best(s, &count)[0], index);
    ck_assert_uint_gt(count, 10);
    ck_assert(at(s, 2, 8) < at(s, 3, 8) && at(s, 3, 8) < at(s, 5, 8));
    ck_assert(at(s, 2, 8) < 0 && at(s, 9, 0) > 0);
    source_free(s);
}
END_TEST

START_TEST(says_what_lies_between)
{
    const char *why;
    struct source *s = make(own, 2, bowl, 7, &why); // every seventh alone
    ck_assert_ptr_nonnull(s);
    ck_assert_uint_eq(source_results(s), 15);
    double near = at(s, 2, 7), far = at(s, 9, 1);
    ck_assert_msg(near < far - 0.5, "%g, %g", near, far);
    source_free(s);
}
END_TEST

START_TEST(other_values_lie_between_those_here)
{
    static const struct column coarse[] = {{"b", 5, 0, 2}, {"a", 4, 1, 3}};
    const char *why;
    // The columns stand the other way round: the bowl's bottom is at b = 4, a = 25, beyond all.
    struct source *s = make(coarse, 2, bowl, 1, &why);
    ck_assert_ptr_nonnull(s);
    ck_assert(at(s, 9, 4) < at(s, 0, 4));
    ck_assert(at(s, 9, 4) < at(s, 9, 9));
    source_free(s);
}
END_TEST

START_TEST(values_beyond_are_no_results_of_the_ends)
{
    static const struct column wider[] = {{"a", SIDE + 2, -1, 1}, {"b", SIDE, 0, 1}};
    const char *why;
    struct source *s = make(wider, 2, better_beyond, 1, &why);
    ck_assert_ptr_nonnull(s);
    ck_assert_uint_eq(source_results(s), (SIDE + 2) * SIDE);
    for (uint32_t b = 0; b < SIDE; b++) {
        ck_assert(at(s, 0, b) > at(s, 1, b));
        ck_assert(at(s, 9, b) > at(s, 8, b));
    }
    source_free(s);
}
END_TEST

START_TEST(parameters_may_differ)
{
    static const struct column more[] = {{"a", SIDE, 0, 1}, {"b", SIDE, 0, 1}, {"c", 3, 0, 1}};
    static const struct column fewer[] = {{"a", SIDE, 0, 1}};
    static const struct column none[] = {{"x", SIDE, 0, 1}, {"y", SIDE, 0, 1}};
    const char *why;
    uint32_t count;
    struct source *s = make(more, 3, bowl, 1, &why);
    ck_assert_ptr_nonnull(s);
    ck_assert_uint_eq(source_results(s), SIDE * SIDE);
    source_free(s);
    s = make(fewer, 1, shuffled, 1, &why);
    ck_assert_ptr_nonnull(s);
    ck_assert_double_eq(at(s, 3, 1), at(s, 3, 9));
    ck_assert_uint_gt((source_best(s, &count), count), 5);
    source_free(s);
    ck_assert_ptr_null(make(none, 2, bowl, 1, &why));
    ck_assert_str_eq(why, "it has several values of fewer than half of the parameters");
}
END_TEST

START_TEST(some_say_nothing)
{
    const char *why;
    ck_assert_ptr_null(make(own, 2, equal, 1, &why));
    ck_assert_str_eq(why, "all of its results are equal");
    ck_assert_ptr_null(make(own, 2, failing, 1, &why));
    ck_assert_str_eq(why, "it has fewer than three correct results of these parameters");
    struct source *s = make(own, 2, half_failing, 1, &why);
    ck_assert_ptr_nonnull(s);
    ck_assert(at(s, 9, 8) > at(s, 4, 0));
    source_free(s);
}
END_TEST

// ---- searches ----------------------------------------------------------------------------------

// Questions until the bowl's bottom was asked for, of at most 40; `questions` has room for them.
static uint32_t search_within(uint64_t budget, const struct source *const *sources, uint32_t count,
                              uint64_t seed, uint64_t *questions)
{
    struct error e = ERROR_INIT;
    const struct strategy_setup setup = {
        .space = space, .budget = budget, .seed = seed, .sources = sources, .source_count = count};
    struct strategy *s = strategy_new("surrogate", &setup, &e);
    uint32_t choice[2], found = 40;
    ck_assert_msg(s != NULL, "%s", e.text);
    for (uint32_t i = 0; i < 40; i++) {
        ck_assert_uint_eq(strategy_ask(s, &questions[i], 1), 1);
        space_get(space, questions[i], choice);
        strategy_tell(s, questions[i], STATUS_CORRECT, bowl(choice));
        if (bowl(choice) == 1 && found == 40)
            found = i + 1;
    }
    strategy_free(s);
    return found;
}

static uint32_t search(const struct source *const *sources, uint32_t count, uint64_t seed,
                       uint64_t *questions)
{
    return search_within(60, sources, count, seed, questions);
}

static double mean_search(const struct source *const *sources, uint32_t count)
{
    uint64_t questions[40];
    double sum = 0;
    for (uint64_t seed = 0; seed < 30; seed++)
        sum += search(sources, count, seed, questions);
    return sum / 30;
}

START_TEST(begins_with_the_default_and_the_best)
{
    const char *why;
    uint32_t count;
    uint64_t first[40], again[40], initial;
    struct source *s = make(own, 2, bowl, 1, &why);
    ck_assert_uint_eq(search((const struct source *[]){s}, 1, 5, first), 2);
    ck_assert_uint_eq(search((const struct source *[]){s}, 1, 5, again), 2);
    ck_assert_mem_eq(first, again, sizeof first);
    ck_assert(space_default(space, &initial));
    ck_assert_uint_eq(first[0], initial);
    ck_assert_uint_eq(first[1], source_best(s, &count)[0]);
    source_free(s);
}
END_TEST

START_TEST(helps_and_does_not_hurt)
{
    const char *why;
    struct source *good = make(own, 2, bowl, 1, &why), *sparse = make(own, 2, bowl, 7, &why);
    struct source *bad = make(own, 2, upside_down, 1, &why);
    struct source *noise = make(own, 2, shuffled, 1, &why);
    double without = mean_search(NULL, 0);
    double with = mean_search((const struct source *[]){sparse}, 1);
    ck_assert_msg(with < without, "%g, without %g", with, without);
    with = mean_search((const struct source *[]){bad, good}, 2);
    ck_assert_msg(with <= 4, "%g", with); // the second source's best is the third question
    with = mean_search((const struct source *[]){bad}, 1);
    ck_assert_msg(with < without + 6, "%g, without %g", with, without);
    with = mean_search((const struct source *[]){noise}, 1);
    ck_assert_msg(with < without + 6, "%g, without %g", with, without);
    source_free(good);
    source_free(sparse);
    source_free(bad);
    source_free(noise);
}
END_TEST

// Where hardly any questions are allowed, the one for a source's best is for one that is trusted.
START_TEST(a_refused_source_takes_no_question)
{
    const char *why;
    uint64_t alone[40], both[40];
    struct source *good = make(own, 2, bowl, 1, &why), *bad = make(own, 2, upside_down, 1, &why);
    for (uint64_t seed = 0; seed < 10; seed++) {
        uint32_t found = search_within(20, (const struct source *[]){good}, 1, seed, alone);
        ck_assert_uint_le(found, 8);
        search_within(20, (const struct source *[]){bad, good}, 2, seed, both);
        ck_assert_mem_eq(alone, both, sizeof alone);
    }
    source_free(good);
    source_free(bad);
}
END_TEST

// One whose best is worse than the default has one question and no more; the spread ones follow as without it.
// One that is right ends these after the first.
START_TEST(a_gate_is_shut_or_passed_at_once)
{
    const char *why;
    uint32_t count;
    uint64_t alone[40], with[40];
    struct source *good = make(own, 2, bowl, 1, &why), *bad = make(own, 2, elsewhere, 1, &why);
    for (uint64_t seed = 0; seed < 10; seed++) {
        search(NULL, 0, seed, alone);
        search((const struct source *[]){bad}, 1, seed, with);
        ck_assert_uint_eq(with[1], source_best(bad, &count)[0]);
        ck_assert_mem_eq(with + 2, alone + 1, 2 * sizeof *alone);
        search((const struct source *[]){good}, 1, seed, with);
        ck_assert_mem_eq(with + 1, source_best(good, &count), 2 * sizeof *with);
        ck_assert_uint_eq(with[3], alone[1]);
        ck_assert_uint_ne(with[4], alone[2]);
        search_within(40, (const struct source *[]){good}, 1, seed, with);
        ck_assert_uint_eq(with[1], source_best(good, &count)[0]);
    }
    source_free(good);
    source_free(bad);
}
END_TEST

// The 40 questions of a search that has no model before 20 of them are answered; the source's best is told to be `value`.
static void search_told(const struct source *source, double value, uint64_t seed,
                        uint64_t *questions)
{
    struct error e = ERROR_INIT;
    const struct strategy_setup setup = {
        .space = space, .budget = 40, .seed = seed, .sources = &source, .source_count = 1};
    struct strategy *s = strategy_new("surrogate:initial=20", &setup, &e);
    uint32_t count, choice[2];
    uint64_t best = source_best(source, &count)[0];
    ck_assert_msg(s != NULL, "%s", e.text);
    for (uint32_t i = 0; i < 40; i++) {
        ck_assert_uint_eq(strategy_ask(s, &questions[i], 1), 1);
        space_get(space, questions[i], choice);
        double told = questions[i] == best ? value : bowl(choice);
        strategy_tell(s, questions[i], STATUS_CORRECT, told);
    }
    ck_assert_uint_eq(questions[1], best);
    strategy_free(s);
}

// What was asked for its sake is no part of the model: whether it was the best of all or the worst makes no difference.
START_TEST(a_source_that_is_not_right_is_forgotten)
{
    const char *why;
    uint64_t worst[40], best[40];
    struct source *bad = make(own, 2, upside_down, 1, &why);
    for (uint64_t seed = 0; seed < 10; seed++) {
        search_told(bad, 1000, seed, worst);
        search_told(bad, 0.1, seed, best);
        ck_assert_mem_eq(worst, best, sizeof best);
    }
    source_free(bad);
}
END_TEST

// A source is heard for a few answers however right it is; then come the spread questions that were left out for it.
START_TEST(a_source_is_heard_for_a_few_answers)
{
    const struct {
        uint64_t budget;
        uint32_t within;
    } cases[] = {{60, 16}, {200, 14}};
    const char *why;
    uint64_t alone[40], with[40];
    struct source *good = make(own, 2, bowl, 1, &why);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t late = 0;
        for (uint64_t seed = 0; seed < 10; seed++) {
            search_within(cases[i].budget, NULL, 0, seed, alone);
            search_within(cases[i].budget, (const struct source *[]){good}, 1, seed, with);
            for (uint32_t k = 0; k < 6; k++) {
                uint32_t at = 0;
                while (at < 40 && with[at] != alone[k])
                    at++;
                late += at >= cases[i].within;
            }
        }
        ck_assert_uint_le(
            late, 1); // of sixty; another one, as far from all others, may be asked in its place
    }
    source_free(good);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, open_grid, close_grid);
    tcase_add_test(tests, says_what_was_recorded);
    tcase_add_test(tests, says_what_lies_between);
    tcase_add_test(tests, other_values_lie_between_those_here);
    tcase_add_test(tests, values_beyond_are_no_results_of_the_ends);
    tcase_add_test(tests, parameters_may_differ);
    tcase_add_test(tests, some_say_nothing);
    tcase_add_test(tests, begins_with_the_default_and_the_best);
    tcase_add_test(tests, helps_and_does_not_hurt);
    tcase_add_test(tests, a_refused_source_takes_no_question);
    tcase_add_test(tests, a_gate_is_shut_or_passed_at_once);
    tcase_add_test(tests, a_source_that_is_not_right_is_forgotten);
    tcase_add_test(tests, a_source_is_heard_for_a_few_answers);
}

int main(void)
{
    return suite_run("source", add);
}
