// JSON as it is written: known answers, and that a reader takes it.
#include "base/emit.h"

#include "suite.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

static struct text out;
static struct emit j;

static void start(void)
{
    text_clear(&out);
    emit_start(&j, &out);
}

START_TEST(nesting_and_commas)
{
    start();
    emit_object(&j);
    emit_u64_at(&j, "a", 1);
    emit_key(&j, "b");
    emit_array(&j);
    emit_i64(&j, -2);
    emit_object(&j);
    emit_object_end(&j);
    emit_array(&j);
    emit_array_end(&j);
    emit_bool(&j, true);
    emit_array_end(&j);
    emit_key(&j, "c");
    emit_null(&j);
    emit_raw_at(&j, "d", "{\"e\": 3}");
    emit_object_end(&j);
    ck_assert_str_eq(text_cstr(&out),
                     "{\"a\":1,\"b\":[-2,{},[],true],\"c\":null,\"d\":{\"e\": 3}}");
}
END_TEST

START_TEST(numbers)
{
    start();
    emit_array(&j);
    emit_u64(&j, UINT64_MAX);
    emit_i64(&j, INT64_MIN);
    emit_f64(&j, 0.1);
    emit_f64(&j, 2);
    emit_f64(&j, NAN);
    emit_f64(&j, -INFINITY);
    emit_array_end(&j);
    ck_assert_str_eq(text_cstr(&out),
                     "[18446744073709551615,-9223372036854775808,0.1,2.0,null,null]");
}
END_TEST

START_TEST(strings)
{
    start();
    emit_array(&j);
    emit_text(&j, "quote \" back \\ tab \t line \n bell \a");
    emit_text(&j, NULL);
    emit_text(&j, "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
    emit_array_end(&j);
    ck_assert_str_eq(text_cstr(&out),
                     "[\"quote \\\" back \\\\ tab \\t line \\n bell \\u0007\",null,"
                     "\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80\"]");
}
END_TEST

// What a compiler prints may be anything: each wrong byte becomes U+FFFD, and readers take the
// rest.
START_TEST(bytes_that_are_no_text)
{
    static const char *const wrong[] = {"\xff",         "\xc0\x80",        "\xed\xa0\x80",
                                        "\xf5\x80\x80", "\xe2\x82",        "\xf0\x8f\xbf\xbf",
                                        "\x80",         "\xf4\x90\x80\x80"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        json_error_t why;
        start();
        emit_object(&j);
        emit_text_at(&j, "log", wrong[i]);
        emit_object_end(&j);
        json_t *read = json_loads(text_cstr(&out), 0, &why);
        ck_assert_msg(read != NULL, "%zu: %s", i, why.text);
        const char *log = json_string_value(json_object_get(read, "log"));
        ck_assert_ptr_nonnull(strstr(log, "\xef\xbf\xbd"));
        json_decref(read);
    }
}
END_TEST

// What a terminal would obey is escaped, also within JSON that is handed on; the values stay.
START_TEST(control_characters)
{
    static const char value[] = "\x1b[2J \x7f \xc2\x9b \xe2\x80\xae \xf3\xa0\x81\x81 gr\xc3\xbcn";
    json_error_t why;
    start();
    emit_object(&j);
    emit_text_at(&j, "text", value);
    emit_key(&j, "raw");
    emit_raw(&j, "{\"a\":\t\"\x7f\xc2\x9b\xf3\xa0\x81\x81\"}");
    emit_object_end(&j);
    for (const char *s = text_cstr(&out); *s; s++)
        ck_assert(((unsigned char)*s >= 0x20 && *s != 0x7f) || *s == '\t');
    ck_assert_ptr_null(strstr(text_cstr(&out), "\xc2\x9b"));
    ck_assert_ptr_null(strstr(text_cstr(&out), "\xe2\x80\xae"));
    json_t *read = json_loads(text_cstr(&out), 0, &why);
    ck_assert_msg(read != NULL, "%s", why.text);
    ck_assert_str_eq(json_string_value(json_object_get(read, "text")), value);
    ck_assert_str_eq(json_string_value(json_object_get(json_object_get(read, "raw"), "a")),
                     "\x7f\xc2\x9b\xf3\xa0\x81\x81");
    json_decref(read);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, nesting_and_commas);
    tcase_add_test(tests, numbers);
    tcase_add_test(tests, strings);
    tcase_add_test(tests, bytes_that_are_no_text);
    tcase_add_test(tests, control_characters);
}

int main(void)
{
    return suite_run("base/emit", add);
}
