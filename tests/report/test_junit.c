// JUnit files: well-formed whatever a compiler prints, and what CI systems read in them.
#include "report/check_report.h"

#include "base/text.h"

#include "../base/suite.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// ---- a reader that knows no more than well-formedness ------------------------------------------

struct xml {
    const unsigned char *at;
    char open[8][32];
    int depth;
};

static void xml_character(struct xml *x)
{
    unsigned char c = *x->at;
    ck_assert_msg(c >= 0x20 || c == '\n' || c == '\t', "control character %02x", c);
    ck_assert_msg(c != '<' && c != '>' && c != '"', "bare '%c'", c);
    if (c == '&') {
        static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#10;", "&#9;"};
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            found |= strncmp((const char *)x->at, known[i], strlen(known[i])) == 0;
        ck_assert_msg(found, "bad entity at %.10s", (const char *)x->at);
    }
    if (c >= 0xc0) {
        ck_assert_msg(c < 0xf8, "no UTF-8: %02x", c);
        for (int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1; more > 0; more--)
            ck_assert((*++x->at & 0xc0) == 0x80);
    } else {
        ck_assert_msg(c < 0x80, "no UTF-8: %02x", c);
    }
    x->at++;
}

static void xml_name(struct xml *x, char *out)
{
    size_t n = 0;
    while ((isalnum(*x->at) || *x->at == '-') && n < 31)
        out[n++] = (char)*x->at++;
    ck_assert_uint_gt(n, 0);
    out[n] = '\0';
}

static void xml_tag(struct xml *x)
{
    char name[32], attribute[32];
    bool closes = *x->at == '/';
    x->at += closes;
    xml_name(x, name);
    if (closes) {
        ck_assert_int_gt(x->depth, 0);
        ck_assert_str_eq(x->open[--x->depth], name);
    }
    while (*x->at == ' ') {
        x->at++;
        xml_name(x, attribute);
        ck_assert(x->at[0] == '=' && x->at[1] == '"');
        for (x->at += 2; *x->at != '"';) {
            ck_assert_msg(*x->at != '\n' && *x->at != '\t', "%s: a bare line break", attribute);
            xml_character(x);
        }
        x->at++;
    }
    bool is_empty = *x->at == '/';
    x->at += is_empty;
    ck_assert_int_eq(*x->at++, '>');
    if (!closes && !is_empty)
        strcpy(x->open[x->depth++], name);
}

static void well_formed(const char *text)
{
    static const char head[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    ck_assert(str_starts(text, head));
    struct xml x = {.at = (const unsigned char *)text + strlen(head)};
    while (*x.at) {
        if (*x.at == '<') {
            x.at++;
            xml_tag(&x);
        } else {
            xml_character(&x);
        }
    }
    ck_assert_int_eq(x.depth, 0);
}

// ---- the cases ---------------------------------------------------------------------------------

static const struct device_info device = {.name = "A <GPU> & more", .driver = "1.0 \"beta\""};
static const struct spec spec = {.name = "matmul"};
static const struct report_about about = {
    .host = "build-7", .date = "2024-05-06T07:08:09Z", .command = "hone check 'a b.json'"};
static const struct run_head run = {.about = &about, .spec = &spec, .device = &device};

static struct check_record checked(enum status status, const char *message, const char *log)
{
    struct result *r = result_new();
    result_fail(r, status, FAULT_CONFIGURATION, "%s", message);
    r->message = message; // as it is, not made one line
    r->log = log;
    return (struct check_record){.configuration = "s='a<b&\"c\"'",
                                 .configuration_json = "{}",
                                 .sizes = "",
                                 .result = r,
                                 .verdict = CHECK_FAILED};
}

static void add_command(const void *context, const struct check_record *r, struct text *out)
{
    (void)context;
    (void)r;
    text_add(out, "hone run x.json --config 's=1'");
}

static char *junit_of(struct check_record *v, size_t count)
{
    struct text out = TEXT_INIT;
    const struct check_record *records[8];
    struct check_report report = {
        .run = &run,
        .found.records = records,
        .found.count = count,
        .found.progress.common = {.planned = count, .elapsed_ns = 1234567890},
        .command = add_command};
    for (size_t i = 0; i < count; i++) {
        records[i] = &v[i];
        report.found.progress.by_verdict[v[i].verdict]++;
    }
    report_junit(&report, &out);
    well_formed(text_cstr(&out));
    return text_steal(&out);
}

START_TEST(whatever_compilers_print)
{
    static const char *const logs[] = {
        "a < b && c > \"d\" ]]> <!-- <?x ?> &amp;",
        "\x1b[31merror\x1b[0m\r\n\ttab\b bell\a \x7f",
        "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
        "\xff\xfe broken \xc3( \xe2\x82 \xf0\x9f\x98 \x80",
        "overlong \xc0\xaf \xe0\x80\xaf, surrogate \xed\xa0\x80, \xef\xbf\xbf, \xf4\x90\x80\x80",
        "",
    };
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        struct check_record v = checked(STATUS_COMPILE, logs[i], logs[i]);
        char *xml = junit_of(&v, 1);
        free(xml);
        result_free((struct result *)v.result);
    }
}
END_TEST

START_TEST(what_becomes_of_characters)
{
    struct check_record v = checked(STATUS_COMPILE, "one\ntwo", "\x1b[1m<\xff caf\xc3\xa9");
    char *xml = junit_of(&v, 1);
    ck_assert_ptr_nonnull(strstr(xml, "message=\"one&#10;two\""));
    ck_assert_ptr_nonnull(strstr(xml, ">\\x1b[1m&lt;\\xff caf\xc3\xa9\n"));
    ck_assert_ptr_nonnull(strstr(xml, "name=\"s='a&lt;b&amp;&quot;c&quot;'\""));
    free(xml);
    result_free((struct result *)v.result);
}
END_TEST

START_TEST(counts_and_kinds)
{
    struct result *correct = result_new();
    struct check_record v[4] = {checked(STATUS_COMPILE, "no such flavor", ""),
                                checked(STATUS_CONSTRAINTS, "too much local memory", ""),
                                checked(STATUS_CORRECT, "", ""), checked(STATUS_CORRECT, "", "")};
    struct check_record twin = {.configuration = "s=2"};
    struct race race = {.kind = RACE_READ_WRITE,
                        .kernel = "k",
                        .at = {.file = "k.cl", .line = 3, .text = "", .item = ""},
                        .memory = "",
                        .detail = "",
                        .other = {.file = "", .text = "", .item = ""},
                        .count = 1};
    struct races races = {&race, 1};
    v[1].verdict = CHECK_LIMITED;
    for (int i = 2; i < 4; i++) {
        result_free((struct result *)v[i].result);
        v[i].result = correct;
    }
    v[2].verdict = CHECK_PASSED;
    v[2].same_as = &twin;
    v[2].sizes = "N=16";
    v[3].races = &races;
    correct->build_ns = 1500000000;
    char *xml = junit_of(v, 4);
    ck_assert_ptr_nonnull(strstr(xml, "tests=\"4\" failures=\"2\" errors=\"0\" skipped=\"1\" "
                                      "time=\"1.234\" timestamp=\"2024-05-06T07:08:09Z\""));
    ck_assert_ptr_nonnull(strstr(xml, "<failure type=\"compile\" message=\"no such flavor\">"));
    ck_assert_ptr_nonnull(strstr(xml, "<skipped message=\"device limit: constraints: too much "
                                      "local memory\"/>"));
    ck_assert_ptr_nonnull(
        strstr(xml, " at N=16\" time=\"0.000\">\n    <system-out>not verified; identical to "));
    ck_assert_ptr_nonnull(strstr(xml, "<failure type=\"race\""));
    ck_assert_ptr_nonnull(strstr(xml, "k.cl:3"));
    ck_assert_ptr_nonnull(strstr(xml, "time=\"1.500\""));
    free(xml);
    result_free(correct);
    result_free((struct result *)v[0].result);
    result_free((struct result *)v[1].result);
}
END_TEST

// A check that did not come to its end is no success, though nothing failed.
START_TEST(broken_off)
{
    struct text out = TEXT_INIT;
    struct report_about lost = about;
    struct run_head head = run;
    struct check_report end = {.run = &head, .found.progress.common.planned = 3};
    lost.broken = "the device is \"lost\"";
    head.about = &lost;
    report_junit(&end, &out);
    well_formed(text_cstr(&out));
    ck_assert_ptr_nonnull(strstr(text_cstr(&out), "tests=\"1\" failures=\"0\" errors=\"1\""));
    ck_assert_ptr_nonnull(strstr(text_cstr(&out), "message=\"the device is &quot;lost&quot;\""));
    ck_assert(!report_check_passed(&end));
    text_clear(&out);
    writer_end(&check_writers[REPORT_TEXT], &end, &out); // the reason is on stderr
    ck_assert_ptr_nonnull(strstr(text_cstr(&out), "\nBroken off\n3 of 3 configurations were not "));
    text_release(&out);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, whatever_compilers_print);
    tcase_add_test(tests, what_becomes_of_characters);
    tcase_add_test(tests, counts_and_kinds);
    tcase_add_test(tests, broken_off);
}

int main(void)
{
    return suite_run("junit", add);
}
