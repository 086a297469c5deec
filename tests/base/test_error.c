#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "suite.h"

#include <stdio.h>
#include <string.h>

START_TEST(test_context_is_put_in_front)
{
    struct error e = ERROR_INIT;
    ck_assert(!error_set(&e, ERROR_INPUT, "unknown name '%s'", "tile_sizex"));
    ck_assert(!error_context(&e, "column %d", 7));
    ck_assert(!error_context(&e, "specs/matmul.json"));
    ck_assert_int_eq(e.code, ERROR_INPUT);
    ck_assert_int_eq(e.driver, 0);
    ck_assert_str_eq(e.text, "specs/matmul.json: column 7: unknown name 'tile_sizex'");
}
END_TEST

START_TEST(test_first_cause_is_kept)
{
    struct error e = ERROR_INIT;
    ck_assert(!error_set_driver(&e, ERROR_DEVICE, -5, "first"));
    ck_assert(!error_set(&e, ERROR_IO, "second"));
    ck_assert(!error_memory(&e));
    ck_assert_int_eq(e.code, ERROR_DEVICE);
    ck_assert_int_eq(e.driver, -5);
    ck_assert_str_eq(e.text, "first");

    error_clear(&e);
    ck_assert_int_eq(e.code, ERROR_NONE);
    ck_assert_int_eq(e.driver, 0);
    ck_assert_str_eq(e.text, "");
    error_memory(&e);
    ck_assert_int_eq(e.code, ERROR_MEMORY);
    ck_assert_str_eq(e.text, "out of memory");
}
END_TEST

START_TEST(test_null_record_is_fine)
{
    ck_assert(!error_set(NULL, ERROR_IO, "x"));
    ck_assert(!error_set_driver(NULL, ERROR_IO, 1, "x"));
    ck_assert(!error_memory(NULL));
    ck_assert(!error_context(NULL, "x"));
    error_clear(NULL);
}
END_TEST

START_TEST(test_no_error_takes_no_context)
{
    struct error e = ERROR_INIT;
    ck_assert(!error_context(&e, "place"));
    ck_assert_int_eq(e.code, ERROR_NONE);
    ck_assert_str_eq(e.text, "");
}
END_TEST

START_TEST(test_its_own_text_may_be_an_argument)
{
    struct error e = ERROR_INIT;
    error_set(&e, ERROR_IO, "cause");
    error_context(&e, "before <%s>", e.text);
    ck_assert_str_eq(e.text, "before <cause>: cause");
    e.code = ERROR_NONE;
    error_set(&e, ERROR_IO, "again <%s>", e.text);
    ck_assert_str_eq(e.text, "again <before <cause>: cause>");
}
END_TEST

START_TEST(test_long_text_is_cut_with_dots)
{
    char letters[5000];
    memset(letters, 'x', sizeof letters - 1);
    letters[sizeof letters - 1] = '\0';
    struct {
        struct error e;
        char after[8];
    } guarded = {.e = ERROR_INIT, .after = "intact"};
    struct error *e = &guarded.e;

    error_set(e, ERROR_INPUT, "%s", letters);
    ck_assert_uint_eq(strlen(e->text), sizeof e->text - 1);
    ck_assert_str_eq(e->text + sizeof e->text - 5, "x...");
    for (int i = 0; i < 3; i++)
        error_context(e, "context %s", i == 2 ? letters : "short");
    ck_assert_uint_eq(strlen(e->text), sizeof e->text - 1);
    ck_assert_str_eq(e->text + sizeof e->text - 5, "x...");
    ck_assert(str_starts(e->text, "context xxx"));
    ck_assert_str_eq(guarded.after, "intact");
}
END_TEST

// Fits exactly, one too long, and a cut that would split a two-byte character.
START_TEST(test_cut_of_formatted_text)
{
    char out[8];
    str_format(out, sizeof out, "%s", "1234567");
    ck_assert_str_eq(out, "1234567");
    str_format(out, sizeof out, "%s", "12345678");
    ck_assert_str_eq(out, "1234...");
    str_format(out, sizeof out, "%s",
               "123\xc3\xa4"
               "5678");
    ck_assert_str_eq(out, "123...");
    str_format(out, 4, "%s", "12345678");
    ck_assert_str_eq(out, "...");
}
END_TEST

START_TEST(test_every_code_has_a_text)
{
    for (int code = ERROR_NONE; code <= ERROR_INTERNAL; code++)
        ck_assert(strlen(error_code_text((enum error_code)code)) > 3);
    ck_assert_str_eq(error_code_text(ERROR_STORE), "store error");
    ck_assert_str_eq(error_code_text((enum error_code)1000), "unknown error");
}
END_TEST

struct heard {
    int count;
    enum log_level level;
    char message[8192];
};

static void hear(void *context, enum log_level level, const char *message)
{
    struct heard *heard = context;
    heard->count++;
    heard->level = level;
    snprintf(heard->message, sizeof heard->message, "%s", message);
}

START_TEST(test_log_gives_one_line_to_the_sink)
{
    struct heard heard = {.count = 0};
    struct log log = {hear, &heard}, deaf = {NULL, NULL};
    log_add(&log, LOG_WARNING, "%s of %d", "one\ntwo\r", 3);
    ck_assert_int_eq(heard.count, 1);
    ck_assert_int_eq(heard.level, LOG_WARNING);
    ck_assert_str_eq(heard.message, "one two  of 3");
    log_add(&log, LOG_DEBUG, "%*d", 100000, 1);
    ck_assert_uint_eq(strlen(heard.message), 4095);
    log_add(&deaf, LOG_NOTE, "x");
    log_add(NULL, LOG_NOTE, "x");
    ck_assert_int_eq(heard.count, 2);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, test_context_is_put_in_front);
    tcase_add_test(tests, test_first_cause_is_kept);
    tcase_add_test(tests, test_null_record_is_fine);
    tcase_add_test(tests, test_no_error_takes_no_context);
    tcase_add_test(tests, test_its_own_text_may_be_an_argument);
    tcase_add_test(tests, test_long_text_is_cut_with_dots);
    tcase_add_test(tests, test_cut_of_formatted_text);
    tcase_add_test(tests, test_every_code_has_a_text);
    tcase_add_test(tests, test_log_gives_one_line_to_the_sink);
}

int main(void)
{
    return suite_run("error", add);
}
