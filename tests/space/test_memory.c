// Every allocation fails once: a space is refused with "out of memory" and nothing leaks; what has
// no way to report it says less, and does not crash.
#include "../base/suite.h"
#include "../support/failing.h"
#include "make.h"

#include <stdlib.h>
#include <string.h>

#define TILED HONE_SOURCE_DIR "/tests/space/data/matmul_tiled.json"

// Makes the space with the n-th allocation failing; true once there are not so many. A space made
// all the same (an expression can do without its fast path) must be right.
static bool made_without(long n, const struct spec *s, const struct space_options *o,
                         uint64_t count)
{
    struct error e = ERROR_INIT;
    failing_start(n);
    struct space *sp = space_new(s, o, &e);
    bool reached = failing_end();
    if (sp)
        ck_assert_uint_eq(space_count(sp), count);
    else
        ck_assert_msg(reached && e.code == ERROR_MEMORY, "allocation %ld: %s", n, e.text);
    space_free(sp);
    return !reached;
}

static void refuse_at_every_allocation(const struct spec *s, const struct space_options *o,
                                       uint64_t count)
{
    long n = 0;
    while (!made_without(n, s, o, count))
        n++;
    ck_assert_int_gt(n, 20);
}

START_TEST(space_is_refused)
{
    struct spec *s = load_spec(TILED, NULL);
    const char *configurations[] = {"block_size_x=32", "tile_size_x=8"};
    const char *where[] = {"tile_size_x * tile_size_y <= 32"};
    refuse_at_every_allocation(s, NULL, 44);
    refuse_at_every_allocation(
        s, &(struct space_options){NULL, configurations, 2, where, 1, {0, 0}}, 20);
    spec_free(s);
}
END_TEST

// Listed rows out of order, so that they are sorted, too.
static bool listed_without(long n)
{
    static const struct value values[] = {{.kind = VALUE_INT, .i = 1}, {.kind = VALUE_INT, .i = 2}};
    static const struct parameter parameters[] = {{.name = "a", .values = values, .count = 2},
                                                  {.name = "b", .values = values, .count = 2}};
    static const uint32_t rows[] = {1, 0, 0, 1, 1, 1, 0, 1};
    struct error e = ERROR_INIT;
    failing_start(n);
    struct spec *s = spec_bare("bare", parameters, 2, &e);
    struct space *sp = s ? space_listed(s, rows, 4, &e) : NULL;
    bool reached = failing_end();
    ck_assert_msg(sp || (reached && e.code == ERROR_MEMORY), "allocation %ld: %s", n, e.text);
    ck_assert(!sp || space_count(sp) == 3);
    space_free(sp);
    spec_free(s);
    return !reached;
}

START_TEST(list_is_refused)
{
    long n = 0;
    while (!listed_without(n))
        n++;
    ck_assert_int_gt(n, 20);
}
END_TEST

START_TEST(restriction_without_a_table)
{
    struct spec *s = make_spec_derived("a list(range(11)); b list(range(400)); c list(range(400))",
                                       "a + D < 3", "D = b + c", "");
    refuse_at_every_allocation(s, NULL, 10);
    spec_free(s);
}
END_TEST

START_TEST(explanations_say_less)
{
    struct spec *s = load_spec(TILED, "WIDTH=1000");
    struct space *sp = make_space(s, NULL);
    uint32_t choice[4] = {0};
    for (long n = 0; n < 200; n++) {
        struct text text = TEXT_INIT;
        struct space_reason reason;
        const struct space_restriction_stats *stats;
        failing_start(n);
        space_explain_empty(sp, &text);
        failing_start(n);
        space_why(sp, choice, &reason);
        space_reason_text(sp, choice, &reason, &text);
        failing_start(n);
        space_restrictions(sp, &stats);
        failing_end();
        struct space_details details;
        failing_start(n);
        if (space_detail(sp, &details, NULL))
            space_details_release(&details);
        failing_end();
        ck_assert_ptr_nonnull(reason.restriction);
        text_release(&text);
    }
    space_free(sp);
    spec_free(s);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, space_is_refused);
    tcase_add_test(tests, list_is_refused);
    tcase_add_test(tests, restriction_without_a_table);
    tcase_add_test(tests, explanations_say_less);
}

int main(void)
{
    return suite_run("space_memory", add);
}
