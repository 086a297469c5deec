// Is a launch as a captured one? What `hone with` compares of its arguments, without a driver.
#include "extras/capture/layer/replace_table.h"

#include "../base/suite.h"

enum { ARGUMENTS = 3, BYTES = 1024 };

struct asked {
    uint64_t words[ARGUMENTS];
    struct replace_argument arguments[ARGUMENTS];
    size_t global[3], local[3];
};

// A buffer, another, and a pointer that was NULL.
static enum replace_reason match(struct asked *a, const uint64_t reach[ARGUMENTS])
{
    struct tuned_argument arguments[] = {{'b', 4, 0}, {'b', 4, 1}, {'N', 0, 2}};
    struct launch_case cases[] = {{{64, 1, 1}, {64, 1, 1}, {64}, (uint64_t *)(uintptr_t)reach}};
    const struct tuned_table t = {.dimensions = 1,
                                  .argument_count = ARGUMENTS,
                                  .column_count = 1,
                                  .case_count = 1,
                                  .has_local = true,
                                  .arguments = arguments,
                                  .columns = {{'g', 0}},
                                  .cases = cases};
    const struct replace_launch l = {1, ARGUMENTS, a->global, a->local, NULL, a->arguments, NULL};
    struct replace_decision d;
    return replace_match(&t, &l, &d);
}

static struct asked of(uint64_t first, uint64_t second, uint64_t third)
{
    return (struct asked){.words = {first, second, third}, .global = {64}, .local = {64}};
}

static enum replace_reason match_pointers(uint64_t first, uint64_t second, uint64_t third)
{
    static const uint64_t reach[] = {BYTES, BYTES, 0};
    struct asked a = of(first, second, third);
    for (int i = 0; i < ARGUMENTS; i++)
        a.arguments[i] = (struct replace_argument){
            'v', 8, (const unsigned char *)&a.words[i], NULL, a.words[i], SIZE_MAX};
    return match(&a, reach);
}

START_TEST(null_stays_null)
{
    ck_assert_int_eq(match_pointers(4096, 8192, 0), REPLACE_NONE);
    ck_assert_int_eq(match_pointers(4096, 8192, 1), REPLACE_ARGUMENTS);
    ck_assert_int_eq(match_pointers(4096, 8192, 4096), REPLACE_ARGUMENTS);
}
END_TEST

START_TEST(apart_stays_apart)
{
    ck_assert_int_eq(match_pointers(4096, 4096 + BYTES, 0), REPLACE_NONE);
    ck_assert_int_eq(match_pointers(4096 + BYTES, 4096, 0), REPLACE_NONE);
    ck_assert_int_eq(match_pointers(4096, 4096 + BYTES - 4, 0), REPLACE_ARGUMENTS);
    ck_assert_int_eq(match_pointers(4096 + 4, 4096, 0), REPLACE_ARGUMENTS);
    ck_assert_int_eq(match_pointers(4096, 4096, 0), REPLACE_ARGUMENTS);
}
END_TEST

// Handles have no order; parts of one are told apart by where they lie, and reach no further than they are long.
START_TEST(parts_are_compared)
{
    static const uint64_t reach[] = {BYTES, BYTES, 0};
    struct asked a = of(1, 2, 0);
    for (int i = 0; i < ARGUMENTS; i++)
        a.arguments[i] = (struct replace_argument){
            'v', 8, (const unsigned char *)&a.words[i], &a, 512 * (size_t)i, SIZE_MAX};
    ck_assert_int_eq(match(&a, reach), REPLACE_ARGUMENTS);
    ck_assert_int_eq(match(&a, NULL), REPLACE_NONE); // a table of before
    a.arguments[0].room = 512;
    ck_assert_int_eq(match(&a, reach), REPLACE_NONE);
    a.arguments[0].room = SIZE_MAX;
    a.arguments[1].root = &a.words[1];
    ck_assert_int_eq(match(&a, reach), REPLACE_NONE);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, null_stays_null);
    tcase_add_test(tests, apart_stays_apart);
    tcase_add_test(tests, parts_are_compared);
}

int main(void)
{
    return suite_run("match", add);
}
