// What the formats write of a table that is made by hand, and the line by which a file says what it was made from.
#include "by_hand.h"
#include "extras/deploy/formats.h"
#include "extras/deploy/stamp.h"

#include <check.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static struct by_hand hand;
static struct text out;

static void set_up(void)
{
    by_hand_init(&hand);
}

static void tear_down(void)
{
    text_release(&out);
    by_hand_release(&hand);
}

static const char *written(const char *format)
{
    struct error e = ERROR_INIT;
    const struct deploy_format *f = deploy_format_find(format);
    ck_assert(f != NULL);
    text_clear(&out);
    ck_assert_msg(f->write(&hand.table, &(struct deploy_writing){0}, &out, &e), "%s", e.text);
    return text_cstr(&out);
}

START_TEST(every_format_says_what_it_was_made_from)
{
    static const char *const formats[] = {"json", "header", "known"};
    struct error e = ERROR_INIT;
    struct deploy_stamp stamp;
    hand.table.spec_path = "of a/\"spec\"*/%.json";
    ck_assert_msg(deploy_stamp_find(written(formats[_i]), "f", &hand.arena, &stamp, &e), "%s",
                  e.text);
    ck_assert_str_eq(stamp.spec_path, hand.table.spec_path);
    ck_assert_str_eq(stamp.source, hand.table.source_digest);
    ck_assert_str_eq(stamp.spec_digest, hand.table.spec_digest);
    ck_assert_str_eq(stamp.version, HONE_VERSION);
    ck_assert_int_eq(stamp.language, LANGUAGE_OPENCL);
}
END_TEST

START_TEST(a_damaged_line_is_refused)
{
    struct error e = ERROR_INIT;
    struct deploy_stamp stamp;
    struct text line = TEXT_INIT;
    deploy_stamp_add(&hand.table, &line);
    ck_assert(deploy_stamp_find(text_cstr(&line), "f", &hand.arena, &stamp, &e));
    for (size_t length = 0; length + 1 < line.length; length++) {
        // Cut off anywhere but within the path, which may be shorter.
        char *cut = strndup(line.data, length);
        bool is_path = strstr(cut, " spec=") && !str_equal(strstr(cut, " spec="), " spec=");
        error_clear(&e);
        ck_assert_int_eq(deploy_stamp_find(cut, "f", &hand.arena, &stamp, &e), is_path);
        ck_assert(is_path || str_starts(e.text, "f: "));
        free(cut);
    }
    text_release(&line);
}
END_TEST

START_TEST(a_changed_spec_is_told)
{
    struct error e = ERROR_INIT;
    struct deploy_stamp stamp;
    const char *what;
    struct digest now;
    struct spec_sources *sources = spec_sources_read(hand.spec, LANGUAGE_OPENCL, NULL, NULL, &e);
    ck_assert_msg(sources != NULL, "%s", e.text);
    spec_sources_digest(sources, &now);
    ck_assert(deploy_stamp_find(written("json"), "f", &hand.arena, &stamp, &e));
    ck_assert(deploy_stamp_check(&stamp, hand.spec, &what, &e));
    ck_assert_str_eq(what, "the kernel's source has changed");
    digest_hex(&now, stamp.source);
    ck_assert(deploy_stamp_check(&stamp, hand.spec, &what, &e));
    ck_assert_str_eq(what, "");
    stamp.spec_digest[0] = stamp.spec_digest[0] == '0' ? '1' : '0';
    ck_assert(deploy_stamp_check(&stamp, hand.spec, &what, &e));
    ck_assert_str_eq(what, "the spec has changed");
    spec_sources_free(sources);
}
END_TEST

START_TEST(json_has_the_whole_table)
{
    json_t *root = json_loads(written("json"), 0, NULL), *devices, *points;
    ck_assert(root != NULL);
    devices = json_object_get(root, "devices");
    points = json_object_get(json_array_get(devices, 0), "points");
    ck_assert_uint_eq(json_array_size(devices), 2);
    ck_assert_uint_eq(json_array_size(points), 3);
    ck_assert_int_eq(
        json_integer_value(json_array_get(json_object_get(json_array_get(points, 2), "shape"), 0)),
        4096);
    json_t *second = json_array_get(json_object_get(root, "configurations"), 1);
    ck_assert_int_eq(
        json_integer_value(json_object_get(json_object_get(second, "parameters"), "block")), 16);
    json_decref(root);
}
END_TEST

START_TEST(files_are_known_by_their_endings)
{
    ck_assert_ptr_eq(deploy_format_of_file("a.b/table.json"), deploy_format_find("json"));
    ck_assert_ptr_eq(deploy_format_of_file("table.h"), deploy_format_find("header"));
    ck_assert_ptr_eq(deploy_format_of_file("table.hone"), deploy_format_find("known"));
    ck_assert_ptr_null(deploy_format_of_file(".json"));
    ck_assert_ptr_null(deploy_format_of_file("table"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("deploy_stamp");
    TCase *t = tcase_create("stamp");
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_loop_test(t, every_format_says_what_it_was_made_from, 0, 3);
    tcase_add_test(t, a_damaged_line_is_refused);
    tcase_add_test(t, a_changed_spec_is_told);
    tcase_add_test(t, json_has_the_whole_table);
    tcase_add_test(t, files_are_known_by_their_endings);
    suite_add_tcase(suite, t);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
