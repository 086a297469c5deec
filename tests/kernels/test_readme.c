// The tables of keys in src/doc, against those that the reader of specs works with. spec-t1.md has an example for each key, and
// so must name the same keys, types and defaults; the table of spec.md is written from the program's, by HONE_REWRITE=1.
#include "base/text.h"
#include "problem/spec.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHORT_PAGE HONE_SOURCE_DIR "/src/doc/spec.md"
#define T1_PAGE    HONE_SOURCE_DIR "/src/doc/spec-t1.md"
#define ROW_START  "| `"
#define FIRST_MARK "<!-- keys -->\n"
#define LAST_MARK  "<!-- end of keys -->"

static struct text page = TEXT_INIT;
static const char *first, *last; // of its tables

static void read_page(const char *path)
{
    struct error e = ERROR_INIT;
    ck_assert_msg(file_read(path, 0, &page, &e), "%s", e.text);
    first = strstr(text_cstr(&page), FIRST_MARK);
    last = strstr(text_cstr(&page), LAST_MARK);
    ck_assert_msg(first && last && first < last, "%s has no " FIRST_MARK, path);
}

static void teardown(void)
{
    text_release(&page);
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
static void add_row_start(const struct spec_key *key, struct text *row)
{
    text_addf(row, ROW_START "%s` | ", key->path);
    add_cell(row, key->type);
    text_addc(row, ' ');
    add_cell(row, key->fallback);
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

START_TEST(every_t1_key_has_its_row)
{
    struct text row = TEXT_INIT;
    size_t count = 0;
    const struct spec_key *keys = spec_keys(&count);
    read_page(T1_PAGE);
    ck_assert_uint_gt(count, 100);
    for (size_t i = 0; i < count; i++) {
        text_clear(&row);
        add_row_start(&keys[i], &row);
        ck_assert_msg(strstr(text_cstr(&page), text_cstr(&row)), T1_PAGE " lacks the row\n%s ...",
                      text_cstr(&row));
    }
    text_release(&row);
}
END_TEST

START_TEST(every_t1_row_is_a_key)
{
    size_t rows = 0;
    read_page(T1_PAGE);
    for (const char *at = strstr(first, "\n" ROW_START); at && at < last; rows++) {
        const char *path = at + strlen("\n" ROW_START);
        size_t length = strcspn(path, "`");
        ck_assert_msg(is_key(path, length), T1_PAGE " describes %.*s, which is not a key",
                      (int)length, path);
        at = strstr(path, "\n" ROW_START);
    }
    size_t count = 0;
    spec_keys(&count);
    ck_assert_uint_eq(rows, count);
}
END_TEST

// A row has five cells: key, type, default, example, meaning; none of them empty.
START_TEST(every_t1_row_has_an_example)
{
    read_page(T1_PAGE);
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

static void add_short_table(struct text *out)
{
    size_t count = 0;
    const struct spec_key *keys = spec_short_keys(&count);
    ck_assert_uint_gt(count, 80);
    text_add(out, "\n| key | type | default | meaning | T1 |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < count; i++) {
        add_row_start(&keys[i], out);
        text_addc(out, ' ');
        add_cell(out, keys[i].meaning);
        out->length -= 2; // the bar, for the mark in front of it
        text_addf(out, "%s | %s%s%s |\n", keys[i].block ? " †" : "", keys[i].t1 ? "`" : "",
                  keys[i].t1 ? keys[i].t1 : "-", keys[i].t1 ? "`" : "");
    }
    text_addc(out, '\n');
}

static void rewrite_page(const struct text *table)
{
    FILE *file = fopen(SHORT_PAGE, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "%.*s" FIRST_MARK "%s%s", (int)(first - text_cstr(&page)), text_cstr(&page),
            text_cstr(table), last);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(the_short_table_is_the_programs)
{
    struct text table = TEXT_INIT;
    read_page(SHORT_PAGE);
    add_short_table(&table);
    const char *is = first + strlen(FIRST_MARK);
    if (getenv("HONE_REWRITE"))
        rewrite_page(&table);
    else
        ck_assert_msg(table.length == (size_t)(last - is) &&
                          memcmp(is, text_cstr(&table), table.length) == 0,
                      SHORT_PAGE " has other keys than the program: HONE_REWRITE=1 writes them");
    text_release(&table);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("kernels_readme");
    TCase *tests = tcase_create("keys");
    tcase_add_checked_fixture(tests, NULL, teardown);
    tcase_add_test(tests, every_t1_key_has_its_row);
    tcase_add_test(tests, every_t1_row_is_a_key);
    tcase_add_test(tests, every_t1_row_has_an_example);
    tcase_add_test(tests, the_short_table_is_the_programs);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
