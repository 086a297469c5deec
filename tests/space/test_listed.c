// Spaces that are lists of recorded configurations.
#include "../base/suite.h"
#include "os/process.h"
#include "make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 4

static const struct value numbers[] = {{.kind = VALUE_INT, .i = 4},
                                       {.kind = VALUE_INT, .i = 2},
                                       {.kind = VALUE_INT, .i = 16},
                                       {.kind = VALUE_INT, .i = 1},
                                       {.kind = VALUE_INT, .i = 8}};
static const struct value words[] = {{.kind = VALUE_STRING, .s = "row"},
                                     {.kind = VALUE_STRING, .s = "column"}};
static const struct parameter parameters[COLUMNS] = {
    {.name = "a", .values = numbers, .count = 5, .type = PARAMETER_INT},
    {.name = "b", .values = words, .count = 2, .type = PARAMETER_STRING},
    {.name = "c", .values = numbers, .count = 3, .initial = 2, .has_default = true},
    {.name = "d", .values = numbers, .count = 4, .type = PARAMETER_INT},
};

static struct spec *bare(void)
{
    struct error e = ERROR_INIT;
    struct spec *s = spec_bare("recorded", parameters, COLUMNS, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    return s;
}

static struct space *listed(const struct spec *s, const uint32_t *rows, uint64_t count)
{
    struct error e = ERROR_INIT;
    struct space *sp = space_listed(s, rows, count, &e);
    ck_assert_msg(sp != NULL, "%s", e.text);
    return sp;
}

static int compare_rows(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    uint32_t i = 0;
    while (i < COLUMNS - 1 && x[i] == y[i])
        i++;
    return (x[i] > y[i]) - (x[i] < y[i]);
}

// ---- held against the list ---------------------------------------------------------------------

// Each configuration of the Cartesian product with one chance in `chance`, some of them twice, in a
// random order.
static size_t random_rows(const struct spec *s, struct rng *r, uint64_t chance,
                          uint32_t rows[][COLUMNS])
{
    uint32_t choice[COLUMNS] = {0};
    size_t count = 0;
    do {
        for (uint64_t n = rng_below(r, chance) == 0 ? 1 + rng_below(r, 2) : 0; n > 0; n--) {
            size_t at = (size_t)rng_below(r, count + 1);
            memcpy(rows[count++], rows[at], sizeof *rows);
            memcpy(rows[at], choice, sizeof choice);
        }
    } while (next_choice(s, choice));
    return count;
}

static size_t drop_repeated(uint32_t rows[][COLUMNS], size_t count)
{
    size_t kept = 0;
    qsort(rows, count, sizeof *rows, compare_rows);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_rows(rows[i - 1], rows[i]) != 0)
            memmove(rows[kept++], rows[i], sizeof *rows);
    }
    return kept;
}

static bool is_listed(uint32_t rows[][COLUMNS], size_t count, const uint32_t *choice, uint64_t *at)
{
    for (*at = 0; *at < count; ++*at) {
        if (compare_rows(rows[*at], choice) == 0)
            return true;
    }
    return false;
}

static void check_members(const struct spec *s, const struct space *sp, uint32_t rows[][COLUMNS],
                          size_t count)
{
    uint32_t choice[COLUMNS] = {0}, got[COLUMNS];
    uint64_t expected, index;
    ck_assert_uint_eq(space_count(sp), count);
    do {
        struct space_reason reason;
        bool member = is_listed(rows, count, choice, &expected);
        ck_assert_int_eq(space_find(sp, choice, &index), member);
        space_why(sp, choice, &reason);
        ck_assert_int_eq(reason.restriction == NULL, member);
        if (!member)
            continue;
        ck_assert_uint_eq(index, expected);
        space_get(sp, index, got);
        ck_assert_mem_eq(got, choice, sizeof got);
    } while (next_choice(s, choice));
}

START_TEST(as_the_list)
{
    struct spec *s = bare();
    struct rng r;
    uint32_t rows[512][COLUMNS] = {{0}};
    rng_init(&r, 7, (uint64_t)_i);
    size_t count = random_rows(s, &r, 1 + (uint64_t)_i % 4, rows);
    struct space *sp = listed(s, rows[0], count);
    count = drop_repeated(rows, count);
    check_members(s, sp, rows, count);
    for (int i = 0; i < 100 && count > 0; i++)
        ck_assert_uint_lt(space_sample(sp, &r), count);
    space_free(sp);
    sp = listed(s, rows[0], count); // in order already
    check_members(s, sp, rows, count);
    space_free(sp);
    spec_free(s);
}
END_TEST

// ---- what it says ------------------------------------------------------------------------------

START_TEST(says_what_it_is)
{
    static const uint32_t rows[][COLUMNS] = {{4, 1, 2, 3}, {0, 0, 2, 0}};
    static const uint32_t other[COLUMNS] = {4, 1, 2, 2};
    struct spec *s = bare();
    struct space *sp = listed(s, rows[0], 2);
    const struct space_restriction_stats *stats;
    struct text text = TEXT_INIT;
    struct space_reason reason;
    uint64_t index;
    ck_assert_str_eq(space_cartesian_text(sp), "120");
    ck_assert_uint_eq(space_restrictions(sp, &stats), 0);
    ck_assert_uint_eq(space_faults(sp), 0);
    ck_assert(!space_reads_device(sp));
    ck_assert(space_default(sp, &index) && index == 0); // c = 16, else the first values
    space_why(sp, other, &reason);
    ck_assert_ptr_nonnull(reason.restriction);
    space_reason_text(sp, other, &reason, &text);
    ck_assert_str_eq(text.data, "not among the recorded configurations");
    text_clear(&text);
    space_explain_empty(sp, &text);
    ck_assert_uint_eq(text.length, 0);
    text_release(&text);
    space_free(sp);
    spec_free(s);
}
END_TEST

START_TEST(nothing_and_one)
{
    static const uint32_t row[COLUMNS] = {3, 1, 0, 1};
    struct spec *s = bare(), *none = spec_bare("none", NULL, 0, NULL);
    struct space *empty = listed(s, NULL, 0), *one = listed(s, row, 1);
    struct text text = TEXT_INIT;
    uint64_t index;
    ck_assert_uint_eq(space_count(empty), 0);
    ck_assert(!space_find(empty, row, &index));
    space_explain_empty(empty, &text);
    ck_assert_str_eq(text.data, "no configuration is recorded");
    ck_assert_uint_eq(space_count(one), 1);
    ck_assert(space_find(one, row, &index));
    space_free(empty);
    space_free(one);
    one = listed(none, row, 3); // no parameters: one configuration, however often it comes
    ck_assert_uint_eq(space_count(one), 1);
    space_free(one);
    spec_free(none);
    spec_free(s);
    text_release(&text);
}
END_TEST

START_TEST(refuses_values_that_are_not)
{
    static const uint32_t rows[][COLUMNS] = {{4, 1, 2, 3}, {0, 2, 2, 0}};
    struct error e = ERROR_INIT;
    struct spec *s = bare();
    ck_assert_ptr_null(space_listed(s, rows[0], 2, &e));
    ck_assert_int_eq(e.code, ERROR_INPUT);
    ck_assert_str_eq(e.text, "recorded: recorded configuration 1: 'b' has 2 values, so no value 2");
    spec_free(s);
}
END_TEST

// Restrictions of the spec do not speak for what was recorded.
START_TEST(spec_with_restrictions)
{
    static const uint32_t rows[] = {0, 1, 1, 0};
    struct spec *s = make_spec("a [1, 2]; b [1, 2]", "a == b", "");
    struct space *sp = listed(s, rows, 2);
    const struct space_restriction_stats *stats;
    uint64_t index;
    ck_assert_uint_eq(space_count(sp), 2);
    ck_assert(space_find(sp, rows, &index) && index == 0);
    ck_assert_uint_eq(space_restrictions(sp, &stats), 0);
    space_free(sp);
    spec_free(s);
}
END_TEST

// ---- many --------------------------------------------------------------------------------------

#define MANY         100000
#define MANY_COLUMNS 12

START_TEST(a_hundred_thousand)
{
    struct parameter many[MANY_COLUMNS];
    for (int i = 0; i < MANY_COLUMNS; i++)
        many[i] = parameters[0];
    struct spec *s = spec_bare("many", many, MANY_COLUMNS, NULL);
    uint32_t(*rows)[MANY_COLUMNS] = calloc(MANY, sizeof *rows), got[MANY_COLUMNS];
    struct rng r;
    rng_init(&r, 3, 0);
    ck_assert(s && rows);
    for (size_t i = 0; i < (size_t)MANY * MANY_COLUMNS; i++)
        rows[i / MANY_COLUMNS][i % MANY_COLUMNS] = (uint32_t)rng_below(&r, 5);
    uint64_t start = clock_ns();
    struct space *sp = listed(s, rows[0], MANY);
    if (getenv("HONE_SHOW_TIMES"))
        printf("%d rows: %.1f ms\n", MANY, (double)(clock_ns() - start) / 1e6);
    ck_assert_uint_le(space_count(sp), MANY);
    ck_assert_uint_ge(space_count(sp), MANY - 100);
    for (size_t i = 0; i < MANY; i++) {
        uint64_t index;
        ck_assert(space_find(sp, rows[i], &index));
        space_get(sp, index, got);
        ck_assert_mem_eq(got, rows[i], sizeof got);
    }
    space_free(sp);
    spec_free(s);
    free(rows);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, as_the_list, 0, 40);
    tcase_add_test(tests, says_what_it_is);
    tcase_add_test(tests, nothing_and_one);
    tcase_add_test(tests, refuses_values_that_are_not);
    tcase_add_test(tests, spec_with_restrictions);
    tcase_add_test(tests, a_hundred_thousand);
}

int main(void)
{
    return suite_run("space_listed", add);
}
