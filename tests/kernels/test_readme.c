// src/doc/spec.md is the reference of the format. Its tables and the table that the reader of
// specs works with must name the same keys, types and defaults.
#include "base/text.h"
#include "problem/spec.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define README     HONE_SOURCE_DIR "/src/doc/spec.md"
#define ROW_START  "| `"
#define FIRST_MARK "<!-- keys -->"
#define LAST_MARK  "<!-- end of keys -->"

static struct text readme = TEXT_INIT;

static void setup(void)
{
    struct error e = ERROR_INIT;
    ck_assert_msg(file_read(README, 0, &readme, &e), "%s", e.text);
}

static void teardown(void)
{
    text_release(&readme);
}

// As it stands in a cell: a bar would end it.
static void add_cell(struct text *row, const char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            text_addc(row, '\\');
        text_addc(row, *text);
    }
    text_add(row, " |");
}

// "| `Iterations` | integer | chosen by hone |": how the row of a key must begin.
static void expected_row(const struct spec_key *key, struct text *row)
{
    text_clear(row);
    text_addf(row, ROW_START "%s` | ", key->path);
    add_cell(row, key->type);
    text_addc(row, ' ');
    add_cell(row, key->fallback);
}

static void check_tables_marked(const char **first, const char **last)
{
    *first = strstr(text_cstr(&readme), FIRST_MARK);
    *last = strstr(text_cstr(&readme), LAST_MARK);
    ck_assert_msg(*first && *last && *first < *last, README " has no " FIRST_MARK);
}

static bool is_key(const char *path, size_t length)
{
    size_t count = 0;
    const struct spec_key *keys = spec_keys(&count);
    for (size_t i = 0; i < count; i++) {
        if (strlen(keys[i].path) == length && strncmp(keys[i].path, path, length) == 0)
            return true;
    }
    return false;
}

START_TEST(every_key_has_its_row)
{
    struct text row = TEXT_INIT;
    size_t count = 0;
    const struct spec_key *keys = spec_keys(&count);
    ck_assert_uint_gt(count, 100);
    for (size_t i = 0; i < count; i++) {
        expected_row(&keys[i], &row);
        ck_assert_msg(strstr(text_cstr(&readme), text_cstr(&row)), README " lacks the row\n%s ...",
                      text_cstr(&row));
    }
    text_release(&row);
}
END_TEST

START_TEST(every_row_is_a_key)
{
    const char *first, *last;
    size_t rows = 0;
    check_tables_marked(&first, &last);
    for (const char *at = strstr(first, "\n" ROW_START); at && at < last; rows++) {
        const char *path = at + strlen("\n" ROW_START);
        size_t length = strcspn(path, "`");
        ck_assert_msg(is_key(path, length), README " describes %.*s, which is no key", (int)length,
                      path);
        at = strstr(path, "\n" ROW_START);
    }
    size_t count = 0;
    spec_keys(&count);
    ck_assert_uint_eq(rows, count);
}
END_TEST

// A row has five cells: key, type, default, example, meaning; none of them empty.
START_TEST(every_row_has_an_example)
{
    const char *first, *last;
    check_tables_marked(&first, &last);
    for (const char *at = strstr(first, "\n" ROW_START); at && at < last;
         at = strstr(at + 1, "\n" ROW_START)) {
        size_t length = strcspn(at + 1, "\n"), bars = 0;
        for (size_t i = 1; i <= length; i++)
            bars += at[i] == '|' && at[i - 1] != '\\';
        ck_assert_msg(bars == 6 && !memmem(at, length, "|  |", 4), "cells of %.*s", (int)length,
                      at + 1);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("kernels_readme");
    TCase *tests = tcase_create("keys");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, every_key_has_its_row);
    tcase_add_test(tests, every_row_is_a_key);
    tcase_add_test(tests, every_row_has_an_example);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
