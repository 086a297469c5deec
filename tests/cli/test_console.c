// Lines of progress on a terminal and off it, with a clock of the test's; shell quoting; facts.
#include "cli/assume.h"
#include "cli/console.h"

#include "../base/suite.h"

#include <string.h>

#define SECOND 1000000000ull

// What was written to the stream since it was opened.
static const char *written(FILE *f)
{
    static char text[512];
    rewind(f);
    size_t length = fread(text, 1, sizeof text - 1, f);
    text[length] = '\0';
    return text;
}

// Sentences are broken between words; what is copied stays one line.
START_TEST(lines_of_a_terminal)
{
    static const char long_text[] =
        "Device: a processor of this machine\n"
        "  1.5 us; 8 work-items in groups of 4\n"
        "  -DA=1 -DB=2 -DC=3 -DD=4\n"
        "  12 a  columns that are kept\n"
        "  hone tune a_long_name.json\n"
        "Next: hone best spec.json --options\n"
        "Columns  are kept  as they are\nUnbreakable_word_of_a_line\nEnd of it all, now";
    struct text from = TEXT_INIT, out = TEXT_INIT;
    text_add(&from, long_text);
    console_break_lines(&from, 20, &out);
    ck_assert_str_eq(
        text_cstr(&out),
        "Device: a processor\nof this machine\n"
        "  1.5 us; 8\n    work-items in\n    groups of 4\n"
        "  -DA=1 -DB=2 -DC=3 -DD=4\n"
        "  12 a  columns that are kept\n"
        "  hone tune a_long_name.json\n"
        "Next: hone best spec.json --options\n"
        "Columns  are kept  as they are\nUnbreakable_word_of_a_line\nEnd of it all, now");
    text_clear(&out);
    console_break_lines(&from, 80, &out);
    ck_assert_str_eq(text_cstr(&out), long_text);
    text_release(&from);
    text_release(&out);
}
END_TEST

// What others write, and how it is shown.
START_TEST(visible)
{
    static const struct {
        const char *raw, *shown;
    } cases[] = {
        {"plain\ttext\n", "plain\ttext\n"},
        {"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80",
         "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"\x1b[2J\x1b]0;title\x07", "\\x1b[2J\\x1b]0;title\\x07"},
        {"a\rb\bc\x7f", "a\\x0db\\x08c\\x7f"},
        {"of another system\r\n", "of another system\n"},
        {"\xc2\x9b"
         "31m",
         "\\u009b31m"}, // CSI as one character
        {"\x9b"
         "31m \xff \xc0\x9b \xed\xa0\x80",
         "\\x9b31m \\xff \\xc0\\x9b \\xed\\xa0\\x80"},
        {"\xf4\x90\x80\x80 \xe2\x82", "\\xf4\\x90\\x80\\x80 \\xe2\\x82"}, // beyond, cut off
        {"user\xe2\x80\xae"
         "drowssap\xe2\x81\xa6",
         "user\\u202edrowssap\\u2066"},
        {"a\xe2\x80\xa8"
         "b",
         "a\\u2028b"},
        {"\xf3\xa0\x81\x81", "\\ue0041"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text out = TEXT_INIT;
        text_add_visible(&out, cases[i].raw, strlen(cases[i].raw), true);
        ck_assert_str_eq(text_cstr(&out), cases[i].shown);
        text_release(&out);
    }
    struct text out = TEXT_INIT;
    text_add_visible(&out, "a\0b\nc", 5, false); // in a line of its own
    ck_assert_str_eq(text_cstr(&out), "a\\x00b\\x0ac");
    text_release(&out);
}
END_TEST

START_TEST(hostile_progress)
{
    struct ticker t = {.stream = tmpfile(), .terminal = true, .screen.width = 12};
    ticker_show(&t, "\x1b[2J forged", SECOND);
    ck_assert_str_eq(written(t.stream), "\r\033[K\\x1b[2J f...");
    fclose(t.stream);
}
END_TEST

// Nothing of progress.
START_TEST(off_a_terminal)
{
    struct ticker t;
    FILE *f = tmpfile();
    ticker_init(&t, f);
    ck_assert(!t.terminal && !t.color);
    ck_assert_uint_eq(ticker_screen(&t).width, 0);
    ck_assert(!ticker_due(&t, SECOND));
    ticker_show(&t, "one", SECOND);
    ticker_clear(&t);
    ck_assert_str_eq(written(f), "");
    fclose(f);
}
END_TEST

// The lines above are gone before they are drawn anew, however many there were.
START_TEST(several_lines)
{
    struct ticker t = {.stream = tmpfile(), .terminal = true, .screen.width = 40};
    ticker_show(&t, "one\ntwo", SECOND);
    ticker_show(&t, "three", 2 * SECOND);
    ticker_clear(&t);
    ck_assert_str_eq(written(t.stream), "\r\033[Kone\ntwo\r\033[K\033[A\r\033[Kthree\r\033[K");
    fclose(t.stream);
}
END_TEST

// The bar and the words that a line begins with; what was cut, too.
START_TEST(colours)
{
    struct ticker t = {
        .stream = tmpfile(), .terminal = true, .color = true, .screen = {.width = 9, .utf8 = true}};
    ticker_show(&t, "━━── 2/4\nbest 1 ms: a=1", SECOND);
    ck_assert_str_eq(written(t.stream), "\r\033[K\033[32m━━\033[0m── 2/4\n\033[1mbest\033[0m 1 m…");
    fclose(t.stream);
}
END_TEST

START_TEST(on_a_terminal)
{
    struct ticker t = {.stream = tmpfile(), .terminal = true, .screen.width = 40};
    ck_assert_uint_eq(ticker_screen(&t).width, 40);
    ticker_show(&t, "one", SECOND);
    ck_assert(!ticker_due(&t, SECOND + SECOND / 20));
    ck_assert(ticker_due(&t, SECOND + SECOND / 10));
    ticker_show(&t, "two", SECOND + SECOND / 10);
    ticker_clear(&t);
    ticker_clear(&t); // nothing is there any more
    ck_assert(ticker_due(&t, SECOND));
    ck_assert_str_eq(written(t.stream), "\r\033[Kone\r\033[Ktwo\r\033[K");
    fclose(t.stream);
}
END_TEST

START_TEST(quoting)
{
    static const struct {
        const char *word, *quoted;
    } cases[] = {{"-DWIDTH=256", "-DWIDTH=256"},
                 {"a=1,b=2", "a=1,b=2"},
                 {"-DT=unsigned int", "'-DT=unsigned int'"},
                 {"it's", "'it'\\''s'"},
                 {"$HOME", "'$HOME'"},
                 {"", "''"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text out = TEXT_INIT;
        text_add_shell(&out, cases[i].word);
        ck_assert_str_eq(text_cstr(&out), cases[i].quoted);
        text_release(&out);
    }
}
END_TEST

START_TEST(assumed_facts)
{
    struct device_info d = {.type = DEVICE_CPU};
    struct error e = ERROR_INIT;
    ck_assert(assume(&d, "device_capability=90", &e) && d.capability == 90);
    ck_assert(assume(&d, "device_type=gpu", &e) && d.type == DEVICE_GPU);
    ck_assert(assume(&d, "language=CUDA", &e) && d.language == LANGUAGE_CUDA);
    ck_assert(assume(&d, "device_local_memory=49152", &e) && d.local_bytes == 49152);
    ck_assert(assume(&d, "device_name=a=b", &e));
    ck_assert_str_eq(d.name, "a=b");
    ck_assert(!assume(&d, "device_capabilty=90", &e));
    ck_assert_ptr_nonnull(strstr(e.text, "did you mean 'device_capability'?"));
    error_clear(&e);
    ck_assert(!assume(&d, "device_type=tpu", &e));
    ck_assert_ptr_nonnull(strstr(e.text, "gpu, integrated, cpu or accelerator"));
    error_clear(&e);
    ck_assert(!assume(&d, "device_capability", &e));
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, visible);
    tcase_add_test(tests, lines_of_a_terminal);
    tcase_add_test(tests, hostile_progress);
    tcase_add_test(tests, off_a_terminal);
    tcase_add_test(tests, on_a_terminal);
    tcase_add_test(tests, several_lines);
    tcase_add_test(tests, colours);
    tcase_add_test(tests, quoting);
    tcase_add_test(tests, assumed_facts);
}

int main(void)
{
    return suite_run("cli/console", add);
}
