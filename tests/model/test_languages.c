// Every language's row is whole, and the texts that stand beside the list name all of them.
#include "model/probe.h"

#include "base/text.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

START_TEST(test_row)
{
    enum language l = (enum language)_i, read = LANGUAGE_COUNT;
    const struct language_traits *t = language_traits(l);
    ck_assert(language_parse(t->text, &read));
    ck_assert_int_eq(read, l);
    ck_assert(str_equal_nocase(t->text, t->title)); // one name, in two spellings
    ck_assert(t->remedy[0] != '\0');
    ck_assert_ptr_nonnull(strstr(t->probe, "hone_probe"));
    ck_assert(*t->endings || t->is_command);
    ck_assert(*t->kernel_words || t->is_command);
    ck_assert(t->telling_words && t->macros && t->some_macros && t->qualifiers);
    ck_assert(t->global_words && t->local_words && t->caches);
    for (const char *const *word = t->telling_words; *word; word++)
        ck_assert(str_listed(t->kernel_words, *word));
}
END_TEST

// "a|b|c", "a, b or c": those of the table, in its order.
static void check_list(const char *list, const char *(*name)(enum language), const char *between,
                       const char *last)
{
    struct text expected = TEXT_INIT;
    for (unsigned l = 0; l < LANGUAGE_COUNT; l++)
        text_addf(&expected, "%s%s",
                  l == 0                   ? ""
                  : l + 1 < LANGUAGE_COUNT ? between
                                           : last,
                  name((enum language)l));
    ck_assert_str_eq(list, text_cstr(&expected));
    text_release(&expected);
}

START_TEST(test_texts)
{
    check_list(LANGUAGES_ARGUMENT, language_text, "|", "|");
    check_list(LANGUAGES_TEXTS, language_text, ", ", " or ");
    check_list(LANGUAGES_TITLES, language_title, ", ", " or ");
    ck_assert_str_eq(language_text(LANGUAGE_COUNT), "?");
    ck_assert_ptr_null(*language_traits(LANGUAGE_COUNT)->endings);
}
END_TEST

// A vendor's routine is called through one language.
START_TEST(test_routines)
{
    for (unsigned r = ROUTINE_NONE + 1; r < ROUTINE_COUNT; r++) {
        unsigned count = 0;
        for (unsigned l = 0; l < LANGUAGE_COUNT; l++)
            count += language_traits((enum language)l)->routines >> r & 1;
        ck_assert_uint_eq(count, 1);
        ck_assert(language_traits(routine_language((enum routine)r))->routines >> r & 1);
    }
}
END_TEST

// What other tuners' files give to nvcc is left out, and nothing else is.
START_TEST(test_ignored_options)
{
    bool next;
    ck_assert_ptr_nonnull(language_ignores(LANGUAGE_CUDA, "-O3", &next));
    ck_assert(!next);
    ck_assert_ptr_nonnull(language_ignores(LANGUAGE_CUDA, "-Xcompiler", &next));
    ck_assert(next);
    ck_assert_ptr_nonnull(language_ignores(LANGUAGE_CUDA, "--extended-lambda", &next));
    ck_assert_ptr_null(language_ignores(LANGUAGE_CUDA, "-lineinfo", &next));
    ck_assert_ptr_null(language_ignores(LANGUAGE_CUDA, "-use_fast_math", &next));
    ck_assert_ptr_null(language_ignores(LANGUAGE_CUDA, "-std=c++11", &next));
    ck_assert_ptr_nonnull(language_ignores(LANGUAGE_OPENCL, "-std=c++11", &next));
    ck_assert_ptr_null(language_ignores(LANGUAGE_OPENCL, "-cl-std=CL2.0", &next));
    ck_assert_ptr_null(language_ignores(LANGUAGE_C, "-O3", &next));
}
END_TEST

START_TEST(test_header_words)
{
    ck_assert(language_has_header_word(LANGUAGE_OPENCL, "read_only", 9));
    ck_assert(language_has_header_word(LANGUAGE_OPENCL, "step", 4));
    ck_assert(language_has_header_word(LANGUAGE_OPENCL, "vload4", 6));
    ck_assert(language_has_header_word(LANGUAGE_OPENCL, "half=2", 4));
    ck_assert(!language_has_header_word(LANGUAGE_OPENCL, "steps", 5));
    ck_assert(!language_has_header_word(LANGUAGE_OPENCL, "ste", 3));
    ck_assert(!language_has_header_word(LANGUAGE_CUDA, "read_only", 9));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("languages");
    TCase *c = tcase_create("languages");
    tcase_add_loop_test(c, test_row, 0, LANGUAGE_COUNT);
    tcase_add_test(c, test_texts);
    tcase_add_test(c, test_ignored_options);
    tcase_add_test(c, test_header_words);
    tcase_add_test(c, test_routines);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
