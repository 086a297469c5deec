// Shapes from CSV: what is read, and what is refused with its line.
#include "extras/deploy/shapes.h"

#include "base/text.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const char spec_text[] =
    "{\"constants\": {\"M\": 8, \"N\": 8, \"K\": 8, \"Count\": 8}, \"kernel\": \"none.cl\","
    " \"parameters\": {\"tile\": [1, 2]}, \"global\": [8], \"local\": [1]}";

static struct arena arena;
static struct spec *spec;

static void set_up(void)
{
    struct error e = ERROR_INIT;
    arena_init(&arena);
    spec = spec_parse(spec_text, strlen(spec_text), NULL, "shapes.json", NULL, &e);
    ck_assert_msg(spec != NULL, "%s", e.text);
}

static void tear_down(void)
{
    spec_free(spec);
    arena_release(&arena);
}

START_TEST(columns_weights_and_repeated_shapes)
{
    static const char text[] =
        "\xef\xbb\xbf# of a week\r\n\r\n M , \"weight\",K\r\n16,2.5,\"32\"\r\n"
        "1,1,1\r\n# more\r\n16, 0.5 ,32";
    struct error e = ERROR_INIT;
    struct shapes s;
    ck_assert_msg(shapes_parse(text, sizeof text - 1, "s.csv", spec, &arena, &s, &e), "%s", e.text);
    ck_assert_uint_eq(s.column_count, 2);
    ck_assert_str_eq(s.columns[0], "M");
    ck_assert_str_eq(s.columns[1], "K");
    ck_assert_uint_eq(s.count, 2);
    ck_assert_int_eq(s.sizes[0], 16);
    ck_assert_int_eq(s.sizes[1], 32);
    ck_assert_double_eq(s.weights[0], 3);
    ck_assert_double_eq(s.weights[1], 1);
}
END_TEST

START_TEST(without_weights_each_counts_once)
{
    static const char text[] = "M\n5\n7\n";
    struct error e = ERROR_INIT;
    struct shapes s;
    ck_assert(shapes_parse(text, sizeof text - 1, "s.csv", spec, &arena, &s, &e));
    ck_assert_uint_eq(s.count, 2);
    ck_assert_double_eq(s.weights[1], 1);
}
END_TEST

START_TEST(a_constant_is_no_weight)
{
    static const char text[] = "M,Count,weight\n5,7,2\n";
    struct error e = ERROR_INIT;
    struct shapes s;
    ck_assert_msg(shapes_parse(text, sizeof text - 1, "s.csv", spec, &arena, &s, &e), "%s", e.text);
    ck_assert_uint_eq(s.column_count, 2);
    ck_assert_str_eq(s.columns[1], "Count");
    ck_assert_double_eq(s.weights[0], 2);
}
END_TEST

START_TEST(text_of_two_bytes_a_letter_is_named)
{
    static const char text[] = "\xff\xfeM\0\n\0"
                               "8\0\n";
    struct error e = ERROR_INIT;
    struct shapes s;
    ck_assert(!shapes_parse(text, sizeof text, "s.csv", spec, &arena, &s, &e));
    ck_assert_str_eq(e.text, "s.csv: line 1: a byte 0; the file is to be text in UTF-8");
}
END_TEST

static const struct {
    const char *text, *error;
} refused[] = {
    {"", "s.csv: empty; the first line names the columns: M,N,K,weight"},
    {"\n# nothing\n", "s.csv: empty; the first line names the columns: M,N,K,weight"},
    {"M,N\n", "s.csv: there are names, but no shape"},
    {"weight\n1\n", "s.csv: line 1: there is no column but the weight"},
    {"M,weight,count\n", "s.csv: line 1: 'weight' and 'count' are both weights"},
    {"M,M\n", "s.csv: line 1: the column 'M' is there twice"},
    {"M,,N\n", "s.csv: line 1: column 2 has no name"},
    {"M,N\n1\n", "s.csv: line 2: 1 cells, where line 1 names 2 columns"},
    {"M,N\n\n1,x\n", "s.csv: line 3: N: 'x' is not a whole number from 1 on"},
    {"M\n0\n", "s.csv: line 2: M: '0' is not a whole number from 1 on"},
    {"M\n99999999999999999999\n",
     "s.csv: line 2: M: '99999999999999999999' is not a whole number from 1 on"},
    {"M,weight\n8,0\n", "s.csv: line 2: weight: '0' is not a number above 0"},
    {"M,weight\n8,nan\n", "s.csv: line 2: weight: 'nan' is not a number above 0"},
    {"M\n\"8\n", "s.csv: line 2: a quoted cell does not end as one"},
    {"M\n\"8\"9\n", "s.csv: line 2: a quoted cell does not end as one"},
    {"M,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r\n", "s.csv: line 1: more than 16 columns"},
    {"# of a week\nM,N\n1\n", "s.csv: line 3: 1 cells, where line 2 names 2 columns"},
    {"M;weight\n8;2\n", "s.csv: line 1: 'M;weight': columns are separated by commas"},
    {"M\tN\n8\t2\n", "s.csv: line 1: 'M\tN': columns are separated by commas"},
    {"\n128,256\n",
     "s.csv: line 2: unknown constant '128'; the spec has M, N, K, Count (the first line "
     "names constants, each further one has their values)"},
    {"M,Coumt\n8,1\n",
     "s.csv: line 1: unknown constant 'Coumt'; did you mean 'Count'? The spec has M, N, K, Count"},
    {"M,tile\n8,1\n",
     "s.csv: line 1: unknown constant 'tile'; the spec has M, N, K, Count (the first line "
     "names constants, each further one has their values)"},
};

START_TEST(what_is_wrong_is_told)
{
    struct error e = ERROR_INIT;
    struct shapes s;
    const char *text = refused[_i].text;
    ck_assert(!shapes_parse(text, strlen(text), "s.csv", spec, &arena, &s, &e));
    ck_assert_str_eq(e.text, refused[_i].error);
}
END_TEST

START_TEST(there_are_not_too_many)
{
    struct error e = ERROR_INIT;
    struct shapes s;
    struct text text = TEXT_INIT;
    text_add(&text, "M\n");
    for (int i = 1; i <= SHAPES_MOST; i++)
        text_addf(&text, "%d\n", i);
    ck_assert(shapes_parse(text.data, text.length, "s.csv", spec, &arena, &s, &e));
    ck_assert_uint_eq(s.count, SHAPES_MOST);
    text_add(&text, "1\n");
    ck_assert(!shapes_parse(text.data, text.length, "s.csv", spec, &arena, &s, &e));
    ck_assert_str_eq(e.text, "s.csv: line 4098: more than 4096 shapes");
    text_release(&text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("deploy_shapes");
    TCase *t = tcase_create("shapes");
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, columns_weights_and_repeated_shapes);
    tcase_add_test(t, without_weights_each_counts_once);
    tcase_add_test(t, a_constant_is_no_weight);
    tcase_add_test(t, text_of_two_bytes_a_letter_is_named);
    tcase_add_loop_test(t, what_is_wrong_is_told, 0, sizeof refused / sizeof *refused);
    tcase_add_test(t, there_are_not_too_many);
    suite_add_tcase(suite, t);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
