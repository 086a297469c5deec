// Shares of a space: together they are the whole, none has what another has, and they are of about one size.
#include "../base/suite.h"
#include "make.h"

#include <stdlib.h>
#include <string.h>

#define PARAMETERS                                                                                 \
    "a [2**i for i in range(7)]; b [2**i for i in range(7)] =4; c [0, 1]; d [1, 2, 3]"

// Every configuration of the whole is in one of the parts.
static void expect_split(const char *restrictions, uint32_t parts, double most_apart)
{
    struct spec *s = make_spec(PARAMETERS, restrictions, "");
    struct space *whole = make_space(s, NULL);
    uint64_t count = space_count(whole), together = 0;
    uint32_t choice[4], again[4];
    unsigned char *seen = calloc(count, 1);
    for (uint32_t part = 0; part < parts; part++) {
        const struct space_options o = {.share = {part, parts}};
        struct space *one = make_space(s, &o);
        double even = (double)count / parts;
        ck_assert_double_le((double)space_count(one), even * (1 + most_apart));
        ck_assert_double_ge((double)space_count(one), even * (1 - most_apart));
        for (uint64_t i = 0; i < space_count(one); i++) {
            uint64_t index, back;
            space_get(one, i, choice);
            ck_assert(space_find(whole, choice, &index));
            ck_assert(space_find(one, choice, &back) && back == i);
            space_get(whole, index, again);
            ck_assert_mem_eq(choice, again, sizeof choice);
            ck_assert_uint_eq(seen[index]++, 0);
        }
        together += space_count(one);
        space_free(one);
    }
    ck_assert_uint_eq(together, count);
    free(seen);
    space_free(whole);
    spec_free(s);
}

START_TEST(parts_are_the_whole)
{
    expect_split("", 1, 0);
    expect_split("", 2, 0.02);
    expect_split("", 7, 0.02);
    expect_split("", 5, 0.3);
    expect_split("a * b <= 256; a >= c", 3, 0.25);
    expect_split("a * b == 64", 2, 0.5);
}
END_TEST

START_TEST(more_parts_than_configurations)
{
    struct spec *s = make_spec("a [1, 2]", "", "");
    uint32_t full = 0;
    for (uint32_t part = 0; part < 10; part++) {
        const struct space_options o = {.share = {part, 10}};
        struct space *one = make_space(s, &o);
        struct text why = TEXT_INIT;
        space_explain_empty(one, &why);
        if (space_count(one) == 0)
            ck_assert_ptr_nonnull(
                strstr(text_cstr(&why), "is empty, as the whole has 2 configurations"));
        else
            ck_assert_uint_eq(why.length, 0);
        full += space_count(one) > 0;
        text_release(&why);
        space_free(one);
    }
    ck_assert_uint_eq(full, 2);
    spec_free(s);
}
END_TEST

START_TEST(an_empty_whole_says_so)
{
    struct spec *s = make_spec("a [1, 2]", "a > 2", "");
    const struct space_options o = {.share = {1, 3}};
    struct space *one = make_space(s, &o);
    struct text why = TEXT_INIT;
    space_explain_empty(one, &why);
    ck_assert_ptr_nonnull(strstr(text_cstr(&why), "excluded by"));
    text_release(&why);
    space_free(one);
    spec_free(s);
}
END_TEST

START_TEST(a_part_has_a_number)
{
    struct spec *s = make_spec("a [1, 2]", "", "");
    struct error e = ERROR_INIT;
    const struct space_options o = {.share = {3, 3}};
    ck_assert_ptr_null(space_new(s, &o, &e));
    ck_assert_int_eq(e.code, ERROR_USAGE);
    spec_free(s);
}
END_TEST

START_TEST(parts_as_text)
{
    static const char *const wrong[] = {"",
                                        "1",
                                        "/",
                                        "0/3",
                                        "4/3",
                                        "1/0",
                                        "-1/3",
                                        "1/-3",
                                        "1/3 ",
                                        " 1/3",
                                        "1/3/4",
                                        "a/b",
                                        "1/100001",
                                        "1e0/3",
                                        "99999999999999999999/3",
                                        "1/99999999999999999999",
                                        "1//3"};
    struct space_share share = {7, 7};
    struct error e = ERROR_INIT;
    ck_assert(space_share_read("2/8", &share, &e));
    ck_assert_uint_eq(share.part, 1);
    ck_assert_uint_eq(share.parts, 8);
    ck_assert(space_share_read("100000/100000", &share, &e));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct error why = ERROR_INIT;
        ck_assert_msg(!space_share_read(wrong[i], &share, &why), "%s", wrong[i]);
        ck_assert_ptr_nonnull(strstr(why.text, "write I/N"));
    }
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, parts_are_the_whole);
    tcase_add_test(tests, more_parts_than_configurations);
    tcase_add_test(tests, an_empty_whole_says_so);
    tcase_add_test(tests, a_part_has_a_number);
    tcase_add_test(tests, parts_as_text);
}

int main(void)
{
    return suite_run("space_share", add);
}
