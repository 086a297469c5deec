// The line of progress on a terminal and off it, with a clock of the test's; shell quoting; facts.
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

START_TEST(off_a_terminal)
{
    struct ticker t;
    FILE *f = tmpfile();
    ticker_init(&t, f);
    ck_assert(!t.terminal);
    ck_assert_uint_eq(ticker_width(&t), 0);
    ck_assert(ticker_due(&t, SECOND));
    ticker_show(&t, "one", SECOND);
    ck_assert(!ticker_due(&t, 2 * SECOND));
    ck_assert(!ticker_due(&t, 11 * SECOND - 1));
    ck_assert(ticker_due(&t, 11 * SECOND));
    ticker_show(&t, "two", 11 * SECOND);
    ticker_clear(&t);
    ck_assert_str_eq(written(f), "one\ntwo\n");
    fclose(f);
}
END_TEST

START_TEST(on_a_terminal)
{
    struct ticker t = {.stream = tmpfile(), .terminal = true, .width = 40};
    ck_assert_uint_eq(ticker_width(&t), 40);
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
    tcase_add_test(tests, off_a_terminal);
    tcase_add_test(tests, on_a_terminal);
    tcase_add_test(tests, quoting);
    tcase_add_test(tests, assumed_facts);
}

int main(void)
{
    return suite_run("cli/console", add);
}
