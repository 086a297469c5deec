// Small spaces with known answers.
#include "../base/suite.h"
#include "make.h"

#include <stdlib.h>
#include <string.h>

#define TILED HONE_SOURCE_DIR "/tests/space/data/matmul_tiled.json"

static uint64_t count_of(const char *parameters, const char *restrictions)
{
    struct spec *s = make_spec(parameters, restrictions, "");
    struct space *sp = make_space(s, NULL);
    uint64_t count = space_count(sp);
    space_free(sp);
    spec_free(s);
    return count;
}

// ---- counts ------------------------------------------------------------------------------------

// By hand. The language is Python's: floor division, true division, chained comparison, and/or that
// yield an operand and end early.
static const struct {
    const char *parameters, *restrictions;
    uint64_t valid;
} cases[] = {
    {"a [1, 2, 3]; b [1, 2]", "", 6},
    {"a [7]", "", 1},
    {"a [7]", "a == 7", 1},
    {"a [7]", "a == 8", 0},
    {"a [7, 8, 9]", "a > 7", 2},
    {"a [1, 2, 3]; b [1, 2, 3]", "a != b", 6},
    {"a [1, 2, 3, 4]; b [1, 2]; c [1, 2, 3]", "a // b == c", 6},
    {"a [1, 2, 3, 4]; b [1, 2]; c [1, 2, 3]", "a / b == c", 5},
    {"a [-3, 3]; b [2]; c [-2, -1, 1]", "a // b == c", 2},
    {"a [-3, 3]; b [2]", "a % b == 1", 2},
    {"a [1, 2, 3]; b [1, 2, 3]", "1 < a < b", 1},
    {"a [1, 2, 3]; b [1, 2, 3]", "3 > a > b", 1},
    {"a [0, 1, 2, 4]; b [4]", "b % a == 0", 3},            // a = 0: no value, excluded
    {"a [0, 1, 2, 3]; b [4]", "a == 0 or b % a == 0", 3},  // guarded
    {"a [0, 1, 2, 3]; b [4]", "a != 0 and b % a == 0", 2}, // guarded
    {"a [0, 1, 2]; b [1, 2]", "b // a or 1", 4},           // 0 or 1 is 1: only a = 0 is excluded
    {"a [1, 2, 3]; b [1, 2, 3]", "a if b > 1 else 0", 6},  // truth of an int
    {"a [1, 2, 3]; b [1, 2, 3]", "not (a == 1 and b == 1)", 8},
    {"a [1, 2, 3, 4]", "a in [2, 4, 6]", 2},
    {"a [2**i for i in range(8)]; b [2**i for i in range(8)]", "a * b == 128", 8},
    {"a [9223372036854775807, 1]; b [1, 2]", "a * b > 0", 3}, // overflow excludes
    {"a [1, 2]; b [1, 2]", "a == 3; b == 1", 0},
    {"a [1, 2]; b [1, 2]", "False", 0},
    {"a [1, 2]; b [1, 2]", "True", 4},
    {"a [1, 2]; b [1, 2]; c [1, 2]", "a == b; b == c; a != c", 0},
    {"a [1, 2, 3]; b [1, 2, 3]", "max(a) == 3; a == max(b)", 3}, // of the value list
};

START_TEST(counts_by_hand)
{
    uint64_t count = count_of(cases[_i].parameters, cases[_i].restrictions);
    ck_assert_msg(count == cases[_i].valid, "%s | %s: %lu, not %lu", cases[_i].parameters,
                  cases[_i].restrictions, (unsigned long)count, (unsigned long)cases[_i].valid);
}
END_TEST

START_TEST(classic_tiled_matmul)
{
    struct spec *s = load_spec(TILED, NULL);
    struct space *sp = make_space(s, NULL);
    ck_assert_str_eq(space_cartesian_text(sp), "288");
    ck_assert_double_eq(space_cartesian(sp), 288);
    ck_assert_uint_eq(space_count(sp), 44);
    ck_assert_ptr_eq(space_spec(sp), s);
    space_free(sp);
    spec_free(s);
}
END_TEST

START_TEST(constant_makes_it_smaller)
{
    struct spec *s = load_spec(TILED, "WIDTH=256");
    struct space *sp = make_space(s, NULL);
    ck_assert_uint_eq(space_count(sp), 41);
    space_free(sp);
    spec_free(s);
}
END_TEST

START_TEST(index_order_is_lexicographic)
{
    struct spec *s = make_spec("a [3, 1, 2]; b [5, 4]", "not (a == 1 and b == 5)", "");
    struct space *sp = make_space(s, NULL);
    static const uint32_t expected[][2] = {{0, 0}, {0, 1}, {1, 1}, {2, 0}, {2, 1}};
    ck_assert_uint_eq(space_count(sp), 5);
    for (uint64_t i = 0; i < 5; i++) {
        uint32_t choice[2];
        uint64_t index;
        space_get(sp, i, choice);
        ck_assert_mem_eq(choice, expected[i], sizeof choice);
        ck_assert(space_find(sp, choice, &index));
        ck_assert_uint_eq(index, i);
    }
    space_free(sp);
    spec_free(s);
}
END_TEST

// ---- large spaces ------------------------------------------------------------------------------

// n parameters of ten values each, named p0, p1, ...
static void add_tens(struct text *t, const char *prefix, int n)
{
    for (int i = 0; i < n; i++)
        text_addf(t, "%s%d [0,1,2,3,4,5,6,7,8,9];", prefix, i);
}

START_TEST(a_million_billion_at_once)
{
    struct text parameters = TEXT_INIT;
    add_tens(&parameters, "p", 16);
    struct spec *s = make_spec(parameters.data, "p0 != p1; p14 + p15 == 9", "");
    struct space *sp = make_space(s, NULL);
    struct rng r;
    uint32_t choice[16];
    uint64_t index;
    ck_assert_str_eq(space_cartesian_text(sp), "10000000000000000");
    ck_assert_uint_eq(space_count(sp), UINT64_C(900000000000000)); // 90 * 10^12 * 10
    rng_init(&r, 1, 0);
    for (int i = 0; i < 1000; i++) {
        uint64_t sample = space_sample(sp, &r);
        space_get(sp, sample, choice);
        ck_assert(is_valid(s, choice) && space_find(sp, choice, &index));
        ck_assert_uint_eq(index, sample);
    }
    space_free(sp);
    spec_free(s);
    text_release(&parameters);
}
END_TEST

// In the spec's order all a must be remembered until their b comes: 10^10 nodes. Rearranged, ten.
START_TEST(pairs_far_apart)
{
    struct text parameters = TEXT_INIT, restrictions = TEXT_INIT;
    add_tens(&parameters, "a", 10);
    add_tens(&parameters, "b", 10);
    for (int i = 0; i < 10; i++)
        text_addf(&restrictions, "a%d < b%d;", i, i);
    struct spec *s = make_spec(parameters.data, restrictions.data, "");
    struct space *sp = make_space(s, NULL);
    uint32_t choice[20], again[20];
    uint64_t index;
    ck_assert_uint_eq(space_count(sp), UINT64_C(34050628916015625)); // 45^10
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t at = i * (space_count(sp) / 1000);
        space_get(sp, at, choice);
        ck_assert(is_valid(s, choice) && space_find(sp, choice, &index));
        ck_assert_uint_eq(index, at);
    }
    space_get(sp, space_count(sp) - 1, choice);
    struct space *twin = make_space(s, NULL);
    space_get(twin, space_count(sp) - 1, again);
    ck_assert_mem_eq(choice, again, sizeof choice);
    space_free(twin);
    space_free(sp);
    spec_free(s);
    text_release(&parameters);
    text_release(&restrictions);
}
END_TEST

// 40^4 assignments are too many for a table: the restriction is evaluated as the search goes.
START_TEST(restriction_too_large_for_a_table)
{
    struct spec *s =
        make_spec("a list(range(40)); b list(range(40)); c list(range(40)); d list(range(40))",
                  "a + b + c + d == 80; a < b", "");
    struct space *sp = make_space(s, NULL);
    uint64_t expected = 0;
    for (int a = 0; a < 40; a++)
        for (int b = a + 1; b < 40; b++)
            for (int c = 0; c < 40; c++)
                expected += 80 - a - b - c >= 0 && 80 - a - b - c < 40;
    ck_assert_uint_eq(space_count(sp), expected);
    for (uint64_t i = 0; i < expected; i += 97) {
        uint32_t choice[4];
        uint64_t index;
        space_get(sp, i, choice);
        ck_assert(is_valid(s, choice) && space_find(sp, choice, &index));
        ck_assert_uint_eq(index, i);
    }
    space_free(sp);
    spec_free(s);
}
END_TEST

START_TEST(too_many_are_refused)
{
    struct text parameters = TEXT_INIT;
    struct error e = ERROR_INIT;
    add_tens(&parameters, "p", 20);
    struct spec *s = make_spec(parameters.data, "", "");
    ck_assert_ptr_null(space_new(s, NULL, &e));
    ck_assert_int_eq(e.code, ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(e.text, "--where"));
    const char *where[] = {"p0 == 1"}; // 10^19 are fewer than 2^64
    struct space *sp = make_space(s, &(struct space_options){.where = where, .where_count = 1});
    ck_assert_uint_eq(space_count(sp), UINT64_C(10000000000000000000));
    ck_assert_str_eq(space_cartesian_text(sp), "100000000000000000000");
    space_free(sp);
    spec_free(s);
    text_release(&parameters);
}
END_TEST

// ---- options -----------------------------------------------------------------------------------

static uint64_t count_with(const struct spec *s, uint32_t configurations, const char **texts,
                           uint32_t where, const char **expressions)
{
    struct space_options o = {NULL, texts, configurations, expressions, where, {0, 0}};
    struct space *sp = make_space(s, &o);
    uint64_t count = space_count(sp);
    space_free(sp);
    return count;
}

START_TEST(configurations_and_where_narrow)
{
    struct spec *s = load_spec(TILED, NULL);
    const char *whole[] = {"block_size_x=32,block_size_y=8,tile_size_x=2,tile_size_y=4"};
    const char *part[] = {"block_size_x=32"};
    const char *two[] = {"block_size_x=32", "tile_size_x=8,block_size_x=64"};
    const char *overlapping[] = {"block_size_x=32", "tile_size_x=8"};
    const char *wrong[] = {"block_size_x=32,block_size_y=1"};
    const char *where[] = {"tile_size_x * tile_size_y <= 4", "block_size_x != 16"};
    ck_assert_uint_eq(count_with(s, 1, whole, 0, NULL), 1);
    ck_assert_uint_eq(count_with(s, 1, part, 0, NULL), 16);
    ck_assert_uint_eq(count_with(s, 2, two, 0, NULL), 19);         // 16 and 3
    ck_assert_uint_eq(count_with(s, 2, overlapping, 0, NULL), 23); // 16 + 11 - 4
    ck_assert_uint_eq(count_with(s, 1, wrong, 0, NULL), 0);
    // (y, tile_y) with y * tile_y = 32: tile_y 1 2 4 8; = 64: 2 4 8. tile_x <= 4 / tile_y.
    ck_assert_uint_eq(count_with(s, 0, NULL, 2, where), (3 + 2 + 1) + (2 + 1));
    ck_assert_uint_eq(count_with(s, 1, part, 2, where), 6);
    spec_free(s);
}
END_TEST

START_TEST(bad_options_are_refused)
{
    static const struct {
        const char *configuration, *where, *says;
    } bad[] = {
        {"block_size=32", NULL, "block_size_x"},   // near match
        {"block_size_x=33", NULL, "block_size_x"}, // value not in the list
        {NULL, "tile_size_z > 1", "tile_size_"},   {NULL, "tile_size_x >", "--where"},
        {NULL, "time_ns < 1000", "metrics only"},
    };
    struct spec *s = load_spec(TILED, NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error e = ERROR_INIT;
        struct space_options o = {
            NULL,          &bad[i].configuration, bad[i].configuration != NULL,
            &bad[i].where, bad[i].where != NULL,  {0, 0}};
        ck_assert_ptr_null(space_new(s, &o, &e));
        ck_assert_msg(strstr(e.text, bad[i].says) && strncmp(e.text, "--", 2) == 0, "%s", e.text);
    }
    spec_free(s);
}
END_TEST

START_TEST(default_configuration)
{
    struct spec *s = load_spec(TILED, NULL);
    struct space *sp = make_space(s, NULL);
    uint32_t choice[4];
    uint64_t index;
    ck_assert(space_default(sp, &index));
    space_get(sp, index, choice);
    ck_assert_uint_eq(choice[0], 1);
    ck_assert_uint_eq(choice[1], 3);
    ck_assert_uint_eq(choice[2], 1);
    ck_assert_uint_eq(choice[3], 2);
    const char *where[] = {"block_size_x != 32"};
    struct space *without =
        make_space(s, &(struct space_options){.where = where, .where_count = 1});
    ck_assert(!space_default(without, &index));
    space_free(without);
    space_free(sp);
    spec_free(s);
    s = make_spec("a [1, 2]", "", "");
    sp = make_space(s, NULL);
    ck_assert(!space_default(sp, &index));
    space_free(sp);
    spec_free(s);
}
END_TEST

// ---- why ---------------------------------------------------------------------------------------

static void check_why(const struct space *sp, const char *configuration, const char *expected)
{
    uint32_t choice[8];
    struct space_reason reason;
    struct text text = TEXT_INIT;
    make_choice(space_spec(sp), configuration, choice);
    space_why(sp, choice, &reason);
    space_reason_text(sp, choice, &reason, &text);
    ck_assert_str_eq(text_cstr(&text), expected);
    text_release(&text);
}

START_TEST(why_names_the_first_restriction)
{
    struct spec *s = load_spec(TILED, "WIDTH=256");
    struct space *sp = make_space(s, NULL);
    check_why(sp, "block_size_x=64,block_size_y=32,tile_size_x=8,tile_size_y=2",
              "restriction ConfigurationSpace.Conditions[1].Expression: WIDTH % (block_size_x * "
              "tile_size_x) == 0 is false for block_size_x=64, tile_size_x=8, WIDTH=256");
    check_why(sp, "block_size_x=64,block_size_y=32,tile_size_x=8,tile_size_y=8",
              "restriction ConfigurationSpace.Conditions[0].Expression: block_size_x == "
              "block_size_y * tile_size_y is false for block_size_x=64, block_size_y=32, "
              "tile_size_y=8");
    check_why(sp, "block_size_x=64,block_size_y=32,tile_size_x=1,tile_size_y=2",
              "it is in the space");
    space_free(sp);
    spec_free(s);
}
END_TEST

START_TEST(why_names_faults_and_options)
{
    struct spec *s = make_spec_derived("a [0, 1, 2]; b [4, 5]; c [0, 1]", "b % a == 0; D != 4",
                                       "D = b // (c + a)", "");
    const char *where[] = {"a < 2"}, *config[] = {"a=1,c=1", "b=4,a=0"};
    struct space *sp = make_space(s, &(struct space_options){NULL, config, 2, where, 1, {0, 0}});
    check_why(sp, "a=0,b=4,c=0",
              "derived parameter D (ConfigurationSpace.Derived[0].Expression): b // (c + a) has no "
              "value (division by zero) for a=0, b=4, c=0");
    check_why(sp, "a=0,b=4,c=1",
              "restriction ConfigurationSpace.Conditions[0].Expression: b % a == 0 has no value "
              "(division by zero) for a=0, b=4");
    check_why(sp, "a=1,b=4,c=0",
              "restriction ConfigurationSpace.Conditions[1].Expression: D != 4 is false for D=4");
    check_why(sp, "a=2,b=4,c=0", "--where: a < 2 is false for a=2");
    check_why(sp, "a=1,b=5,c=0", "--config: a=1,c=1 or b=4,a=0 leaves it out");
    check_why(sp, "a=1,b=5,c=1", "it is in the space");
    space_free(sp);
    spec_free(s);
}
END_TEST

START_TEST(faults_are_counted)
{
    struct spec *s = make_spec("a [0, 1, 2]; b [4, 5]; c [1, 2, 3]", "b % a == 0; a + c > 0", "");
    struct space *sp = make_space(s, NULL);
    const struct space_restriction_stats *stats;
    ck_assert_uint_eq(space_count(sp), 9); // (1, 4) (1, 5) (2, 4)
    ck_assert_uint_eq(space_faults(sp), 2);
    ck_assert_uint_eq(space_restrictions(sp, &stats), 2);
    ck_assert_ptr_eq(stats[0].restriction, &s->restrictions[0]);
    ck_assert_uint_eq(stats[0].alone, 9); // (0, 4) (0, 5) (2, 5), times three
    ck_assert_uint_eq(stats[0].faults, 2);
    ck_assert_uint_eq(stats[1].alone, 0);
    ck_assert_uint_eq(stats[1].faults, 0);
    space_free(sp);
    spec_free(s);
}
END_TEST

// Two that restrict each other, one that is fixed, one free.
START_TEST(groups_are_told)
{
    struct spec *s = make_spec("a [1, 2, 3]; b [1, 2]; c [1, 2, 3]; d [1, 2, 3, 4]",
                               "a < c; a + c < 5; b == 2", "");
    struct space *sp = make_space(s, NULL);
    struct space_details d;
    ck_assert(space_detail(sp, &d, NULL));
    ck_assert_uint_eq(space_count(sp), 8); // (1, 2) (1, 3), times four
    ck_assert_uint_eq(d.group_count, 3);
    ck_assert_uint_eq(d.groups[0].count, 2);
    ck_assert_uint_eq(d.groups[0].parameters[1], 2);
    ck_assert_double_eq(d.groups[0].combinations, 9);
    ck_assert_uint_eq(d.groups[0].valid, 2);
    ck_assert_uint_eq(d.groups[1].valid, 1);
    ck_assert_uint_eq(d.groups[2].valid, 4);
    ck_assert_uint_eq(d.last[0], 16); // (1, 1) (2, 1) (2, 2) (3, 1)
    ck_assert_uint_eq(d.last[1], 4);  // (2, 3)
    ck_assert_uint_eq(d.last[2], 8);
    ck_assert_uint_gt(d.bytes, 0);
    space_details_release(&d);
    space_free(sp);
    spec_free(s);
}
END_TEST

// A restriction of a billion assignments is counted all the same, alone and as the last.
START_TEST(details_of_a_large_one)
{
    struct spec *s = make_spec("a list(range(1, 1001)); b list(range(1, 1001));"
                               "c list(range(1, 1001))",
                               "a * b * c <= 1000; a == b", "");
    struct space *sp = make_space(s, NULL);
    struct space_details d;
    uint64_t left = 0, both = 0;
    for (uint64_t a = 1; a <= 1000; a++) {
        both += a * a <= 1000 ? 1000 / (a * a) : 0;
        for (uint64_t b = 1; a * b <= 1000; b++)
            left += 1000 / (a * b);
    }
    ck_assert(space_detail(sp, &d, NULL));
    ck_assert_uint_eq(space_count(sp), both);
    ck_assert_uint_eq(d.restrictions[0].alone, 1000000000 - left);
    ck_assert_uint_eq(d.restrictions[1].alone, 999000000);
    ck_assert_uint_eq(d.last[0], 1000000 - both);
    ck_assert_uint_eq(d.last[1], left - both);
    space_details_release(&d);
    space_free(sp);
    spec_free(s);
}
END_TEST

// ---- empty spaces ------------------------------------------------------------------------------

static void check_empty(const struct spec *s, const struct space_options *o, const char *expected)
{
    struct space *sp = make_space(s, o);
    struct text text = TEXT_INIT;
    uint32_t choice[4] = {0, 0, 0, 0};
    uint64_t index;
    ck_assert_uint_eq(space_count(sp), 0);
    ck_assert(!space_find(sp, choice, &index));
    space_explain_empty(sp, &text);
    ck_assert_str_eq(text_cstr(&text), expected);
    text_release(&text);
    space_free(sp);
}

START_TEST(empty_for_a_constant)
{
    struct spec *s = load_spec(TILED, "WIDTH=1000");
    check_empty(s, NULL,
                "all 288 configurations are excluded by ConfigurationSpace.Conditions[1]."
                "Expression: WIDTH % (block_size_x * tile_size_x) == 0 (WIDTH=1000); nearest WIDTH "
                "that work: 992, 1008");
    spec_free(s);
    s = load_spec(TILED, "WIDTH=5"); // nothing positive below 16
    check_empty(s, NULL,
                "all 288 configurations are excluded by ConfigurationSpace.Conditions[1]."
                "Expression: WIDTH % (block_size_x * tile_size_x) == 0 (WIDTH=5); nearest WIDTH "
                "that works: 16");
    spec_free(s);
}
END_TEST

START_TEST(empty_together)
{
    struct spec *s = make_spec("a [1, 2, 3]; b [1, 2, 3]; c [1, 2, 3]",
                               "a < b; c > 1; b < a + c - c; c < 3", "");
    const char *where[] = {"b > a + 5", "c == 2"};
    check_empty(s, NULL,
                "all 27 configurations are excluded by these together: "
                "ConfigurationSpace.Conditions[0].Expression: a < b; "
                "ConfigurationSpace.Conditions[2].Expression: b < a + c - c");
    check_empty(s, &(struct space_options){.where = where, .where_count = 2},
                "all 27 configurations are excluded by --where: b > a + 5");
    spec_free(s);
}
END_TEST

START_TEST(nothing_to_explain)
{
    struct spec *s = make_spec("a [1, 2, 3]", "a > 1", "");
    struct space *sp = make_space(s, NULL);
    struct text text = TEXT_INIT;
    space_explain_empty(sp, &text);
    ck_assert_uint_eq(text.length, 0);
    space_free(sp);
    spec_free(s);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, counts_by_hand, 0, sizeof cases / sizeof *cases);
    tcase_add_test(tests, classic_tiled_matmul);
    tcase_add_test(tests, constant_makes_it_smaller);
    tcase_add_test(tests, index_order_is_lexicographic);
    tcase_add_test(tests, a_million_billion_at_once);
    tcase_add_test(tests, pairs_far_apart);
    tcase_add_test(tests, restriction_too_large_for_a_table);
    tcase_add_test(tests, too_many_are_refused);
    tcase_add_test(tests, configurations_and_where_narrow);
    tcase_add_test(tests, bad_options_are_refused);
    tcase_add_test(tests, default_configuration);
    tcase_add_test(tests, why_names_the_first_restriction);
    tcase_add_test(tests, why_names_faults_and_options);
    tcase_add_test(tests, faults_are_counted);
    tcase_add_test(tests, groups_are_told);
    tcase_add_test(tests, details_of_a_large_one);
    tcase_add_test(tests, empty_for_a_constant);
    tcase_add_test(tests, empty_together);
    tcase_add_test(tests, nothing_to_explain);
}

int main(void)
{
    return suite_run("space", add);
}
