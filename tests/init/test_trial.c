// What a check said of a spec, and what is changed in it then.
#include "base/text.h"
#include "extras/init/host_launch.h"
#include "extras/init/trial.h"

#include "../base/suite.h"

#include <stdlib.h>
#include <string.h>

static struct arena arena;

static void setup(void)
{
    arena_init(&arena);
}

static void teardown(void)
{
    arena_release(&arena);
}

#define SUMMARY(error) "{\"type\":\"summary\",\"error\":" error "}\n"
#define ROW_OF(configuration, outcome, message, out, log)                                          \
    "{\"type\":\"check\",\"configuration\":{" configuration "},\"outcome\":\"" outcome             \
    "\",\"status\":\"correctness\",\"outputs\":[{\"argument\":\"out\",\"components\":64," out      \
    "},{\"argument\":\"log\",\"components\":64," log "}],\"message\":\"" message "\"}\n"
#define WRONG(count) "\"wrong\":" count ",\"nans\":0"
#define ROW(configuration, outcome, message)                                                       \
    ROW_OF(configuration, outcome, message, WRONG("0"), WRONG("0"))

#define BLIND "{\"type\":\"check\",\"outcome\":\"failed\",\"status\":\"correct\"}\n"

static struct trial_outcome outcome_of(const char *lines, const char *messages)
{
    struct trial_outcome o;
    struct trial_rows *rows = trial_read(lines, messages, &o);
    ck_assert(rows != NULL);
    trial_rows_free(rows);
    return o;
}

START_TEST(outcomes)
{
    static const struct {
        const char *lines, *messages;
        enum trial_kind kind;
        const char *argument;
    } cases[] = {
        {ROW("\"B\":8", "passed", "") SUMMARY("null"), "", TRIAL_PASSED, ""},
        {SUMMARY("\"wrote 12 bytes past the end of dst (first at byte +0); give\""), "", TRIAL_PAST,
         "dst"},
        {SUMMARY("\"launched again (o: 3 in the reference (NaN is refused unless\""), "", TRIAL_NAN,
         ""},
        {SUMMARY("\"launched again, it gives another result\""), "", TRIAL_RACE, ""},
        {SUMMARY("\"no launch changed o: nothing was checked\""), "", TRIAL_IDLE, ""},
        {SUMMARY("\"the default configuration left 3 elements of `dst` unwritten, of 9\""), "",
         TRIAL_UNWRITTEN, "dst"},
        {SUMMARY("\"the default configuration left 1 element of `a` unwritten, of 9; 2 of `b`\""),
         "", TRIAL_UNWRITTEN, "a"},
        {SUMMARY("\"the default configuration left 3 components of `v` unwritten, of 8\""), "",
         TRIAL_UNWRITTEN, "v"},
        {SUMMARY("null"), "making the reference ended the worker: it was killed by SIGSEGV",
         TRIAL_CRASH, ""},
        {ROW("\"B\":8", "failed", "wrote 1 bytes past the end of out (first") SUMMARY("null"), "",
         TRIAL_WRONG, "out"},
        {ROW("\"B\":8", "failed", "out: 3 components wrong"), "", TRIAL_WRONG, ""},
        {BLIND SUMMARY("null"), "", TRIAL_BLIND, ""}, // its reference is 0 throughout
        {SUMMARY("\"line 3: a bracket is missing\""), "", TRIAL_OTHER, ""},
        {"", "", TRIAL_OTHER, ""},
        {"{\"type\":", "what is this", TRIAL_OTHER, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct trial_outcome o = outcome_of(cases[i].lines, cases[i].messages);
        ck_assert_msg(o.kind == cases[i].kind, "case %zu: %d", i, o.kind);
        ck_assert_str_eq(o.argument, cases[i].argument);
    }
}
END_TEST

static struct inferred_name names[3];
static struct inferred_argument arguments[2];

// global n in groups of B; out and log are written, log few of it.
static struct inferred an_inferred(void)
{
    names[0] = (struct inferred_name){.name = "n", .role = NAME_CONSTANT, .value = 1024};
    names[1] = (struct inferred_name){
        .name = "B", .role = NAME_PARAMETER, .value = 64, .values = "[32, 64]", .is_own = true};
    names[2] =
        (struct inferred_name){.name = "U", .role = NAME_PARAMETER, .value = 1, .values = "[1, 2]"};
    arguments[0] = (struct inferred_argument){.name = "out",
                                              .kind = INFERRED_BUFFER,
                                              .access = INFERRED_WRITE,
                                              .size = "n",
                                              .low = "-1",
                                              .high = "1"};
    arguments[1] = (struct inferred_argument){.name = "log",
                                              .kind = INFERRED_BUFFER,
                                              .access = INFERRED_BOTH,
                                              .size = "3",
                                              .is_zero = true,
                                              .is_integer = true};
    return (struct inferred){.names = names,
                             .name_count = 3,
                             .arguments = arguments,
                             .argument_count = 2,
                             .axes = 1,
                             .global = {"n"},
                             .local = {"B"}};
}

static bool mend(struct inferred *f, struct trial_state *state, const char *lines)
{
    struct trial_outcome o;
    struct trial_rows *rows = trial_read(lines, "", &o);
    ck_assert(rows != NULL);
    const bool mended = trial_mend(f, &o, rows, state, &arena);
    trial_rows_free(rows);
    return mended;
}

START_TEST(buffers_grow)
{
    struct inferred f = an_inferred();
    struct trial_state state = {0};
    const char *past = SUMMARY("\"wrote 12 bytes past the end of out (first\"");
    ck_assert(mend(&f, &state, past));
    ck_assert_str_eq(f.arguments[0].size, "4 * (n)");
    ck_assert(mend(&f, &state, past));
    ck_assert_str_eq(f.arguments[0].size, "16 * (n)");
    ck_assert_uint_eq(f.open_count, 2);
    int rounds = 2;
    while (mend(&f, &state, past))
        rounds++;
    ck_assert_str_eq(f.arguments[0].size, "256 * (n)");
    ck_assert_int_eq(rounds, 4);
    ck_assert(!mend(&f, &state, SUMMARY("\"wrote 12 bytes past the end of none (\"")));
    ck_assert_uint_gt(state.past, 0); // no kernel for fast arithmetic
    // A parameter is wrong and not the size, which is as it was then.
    f = an_inferred();
    state = (struct trial_state){0};
    const char *wrong =
        ROW("\"B\":32,\"U\":1", "failed", "wrote 1 bytes past the end of out (first");
    ck_assert(mend(&f, &state, wrong));
    ck_assert_str_eq(f.arguments[0].size, "4 * (n)");
    ck_assert(mend(&f, &state, wrong));
    ck_assert_str_eq(f.arguments[0].size, "n");
    ck_assert(f.open_count == 1 && strstr(f.open[0], "B is 64 and not tuned"));
}
END_TEST

// The parameter with another value wherever a configuration failed, and nowhere where one passed.
START_TEST(culprits_stay_as_they_are)
{
    struct inferred f = an_inferred();
    struct trial_state state = {0};
    ck_assert(mend(&f, &state,
                   ROW("\"B\":32,\"U\":1", "failed", "out: 60 components wrong")
                       ROW("\"B\":64,\"U\":2", "passed", "")
                           ROW("\"B\":32,\"U\":2", "failed", "out: 9 components wrong")
                               SUMMARY("null")));
    ck_assert_int_eq(f.names[1].role, NAME_CONSTANT);
    ck_assert_int_eq(f.names[1].value, 64);
    ck_assert_int_eq(f.names[2].role, NAME_PARAMETER);
    ck_assert_ptr_nonnull(strstr(f.open[0], "B is 64 and not tuned"));
    // The default's own failure is nobody's.
    ck_assert(!mend(&f, &state, ROW("\"U\":1", "failed", "out: 60 components wrong")));
    ck_assert(!mend(&f, &state,
                    ROW("\"U\":1", "failed", "out: 60 components wrong")
                        ROW("\"U\":2", "failed", "out: 60 components wrong")));
}
END_TEST

// Few elements of log differ and out is right: log is not compared. Never the last output.
START_TEST(loose_outputs)
{
    struct inferred f = an_inferred();
    struct trial_state state = {0};
    ck_assert(
        mend(&f, &state, ROW_OF("\"B\":32,\"U\":1", "failed", "log: 2", WRONG("0"), WRONG("2"))));
    ck_assert(f.arguments[1].is_scratch && !f.arguments[0].is_scratch);
    ck_assert(
        mend(&f, &state, ROW_OF("\"B\":32,\"U\":1", "failed", "out: 2", WRONG("2"), WRONG("0"))));
    ck_assert(!f.arguments[0].is_scratch);
    ck_assert_int_eq(f.names[1].role, NAME_CONSTANT);
    f = an_inferred();
    ck_assert(
        mend(&f, &state, ROW_OF("\"B\":32,\"U\":1", "failed", "log: 60", WRONG("0"), WRONG("60"))));
    ck_assert(!f.arguments[1].is_scratch);
    // By its norm alone, by NaN, beside another one: it is compared.
    static const char *const rows[] = {
        ROW("\"B\":32,\"U\":1", "failed", "log: relative norm 0.3"),
        ROW_OF("\"B\":32,\"U\":1", "failed", "log: 3 NaN", WRONG("0"), "\"wrong\":2,\"nans\":3"),
        ROW_OF("\"B\":32,\"U\":1", "failed", "log: 2", WRONG("1"), WRONG("2"))};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        f = an_inferred();
        ck_assert(mend(&f, &state, rows[i]));
        ck_assert(!f.arguments[1].is_scratch);
    }
}
END_TEST

// What is seen is told, and no reason for it that was not seen.
START_TEST(few_elements)
{
    static const struct {
        const char *wrong, *few;
    } cases[] = {{"7", "dst differs from the default in 7 of 8000 elements: an edge"},
                 {"0", NULL},
                 {"8", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trial_state state = {0};
        struct trial_outcome o;
        char row[256];
        str_format(row, sizeof row,
                   "{\"type\":\"check\",\"outcome\":\"failed\",\"status\":\"correctness\","
                   "\"outputs\":[{\"argument\":\"dst\",\"components\":8000,\"wrong\":%s}]}",
                   cases[i].wrong);
        struct trial_rows *rows = trial_read(row, "", &o);
        ck_assert(rows != NULL);
        trial_note_few(rows, &state, &arena);
        ck_assert(cases[i].few ? state.few && strstr(state.few, cases[i].few) : !state.few);
        trial_rows_free(rows);
    }
}
END_TEST

START_TEST(gentler_data)
{
    struct inferred f = an_inferred();
    struct trial_state state = {0};
    const char *left = SUMMARY("\"it left 3 elements of `out` unwritten, of 9\"");
    f.arguments[0].access = INFERRED_WRITE;
    f.arguments[0].size = "n";
    ck_assert(mend(&f, &state, left) && f.arguments[0].access == INFERRED_BOTH);
    ck_assert(f.arguments[0].is_zero && !mend(&f, &state, left));
    ck_assert_ptr_nonnull(strstr(f.open[0], "out: the default configuration leaves 3 of 9"));
    f = an_inferred(); // most of it: the size is wrong
    ck_assert(!mend(&f, &state, SUMMARY("\"it left 5 elements of `out` unwritten, of 9\"")));
    ck_assert(f.open_count == 0 && f.arguments[0].access == INFERRED_WRITE);
    f = an_inferred();
    const char *nan = SUMMARY("\"(NaN is refused unless the argument\"");
    f.arguments[1] = (struct inferred_argument){
        .name = "near", .size = "n", .low = "0", .high = "n - 1", .is_integer = true};
    f.arguments[1].kind = INFERRED_BUFFER;
    ck_assert(mend(&f, &state, nan));
    ck_assert_str_eq(f.arguments[0].low, "0.1");
    ck_assert_str_eq(f.arguments[1].generator, "(i * 40487 + 1) % (n)");
    ck_assert(mend(&f, &state, nan) && mend(&f, &state, nan) && !mend(&f, &state, nan));
    ck_assert_uint_eq(f.open_count, 1); // said once
}
END_TEST

START_TEST(idle_and_slow)
{
    struct inferred f = an_inferred();
    struct trial_state state = {0};
    f.arguments[1].access = INFERRED_BOTH; // it may write zeros over its own
    f.arguments[1].is_zero = true;
    ck_assert(mend(&f, &state, BLIND));
    ck_assert(!f.arguments[1].is_zero && f.arguments[1].low && f.open_count == 1);
    ck_assert(!mend(&f, &state, SUMMARY("\"no launch changed out\""))); // it did not help
    ck_assert(f.arguments[1].is_zero && !f.arguments[1].low && f.open_count == 0);
    f = an_inferred();
    state = (struct trial_state){0};
    f.arguments[1].is_added = true; // a counter
    ck_assert(!mend(&f, &state, BLIND) && f.arguments[1].is_zero);
    f = an_inferred();
    state = (struct trial_state){0};
    ck_assert(!mend(&f, &state, SUMMARY("\"no launch changed out\""))); // n is a size
    f.global[0] = "128";
    f.arguments[0].size = "128";
    ck_assert(mend(&f, &state, SUMMARY("\"no launch changed out\"")));
    ck_assert_int_eq(f.names[0].value, 0);
    f = an_inferred();
    struct trial_outcome slow = {.kind = TRIAL_LONG};
    ck_assert(trial_mend(&f, &slow, NULL, &state, &arena));
    ck_assert_int_eq(f.names[0].value, 256);
    f.names[0].is_given = true; // the user's own
    ck_assert(!trial_mend(&f, &slow, NULL, &state, &arena));
}
END_TEST

// Each remedy for a crash is told.
START_TEST(crashes)
{
    static const char *const told[] = {"sizes of buffers: larger", "integers in memory: small",
                                       "the sizes: smaller"};
    struct inferred f = an_inferred();
    struct trial_state state = {0};
    const struct trial_outcome crash = {.kind = TRIAL_CRASH};
    f.arguments[1].is_zero = false;
    f.arguments[1].low = f.arguments[1].high = "9";
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert(trial_mend(&f, &crash, NULL, &state, &arena));
        ck_assert(f.open_count == i + 1 && strstr(f.open[i], told[i]));
    }
    ck_assert_int_eq(f.names[0].value, 256);
    ck_assert(trial_mend(&f, &crash, NULL, &state, &arena)); // smaller again, which is said
    ck_assert(f.names[0].value == 64 && f.open_count == 3);
    ck_assert(!trial_mend(&f, &crash, NULL, &state, &arena));
}
END_TEST

START_TEST(options)
{
    struct inferred f = an_inferred();
    ck_assert(!trial_add_option(&f, "opencl", &arena)); // there is something to tune
    f.name_count = 1;
    ck_assert(!trial_add_option(&f, "c", &arena));
    ck_assert(trial_add_option(&f, "opencl", &arena));
    ck_assert_str_eq(f.option, "{'-cl-fast-relaxed-math' if FAST_MATH else ''}");
    ck_assert_str_eq(f.names[1].name, "FAST_MATH");
    f = an_inferred();
    f.name_count = 1;
    f.arguments[0].is_integer = true;
    ck_assert(
        !trial_add_option(&f, "cuda", &arena)); // fast arithmetic is of floating-point numbers
    f = an_inferred();
    f.name_count = 2;
    f.names[1].values = "[64]";
    ck_assert(!trial_has_parameters(&f));
    f.names[1] = (struct inferred_name){.name = "real", .role = NAME_TYPE}; // one type is no choice
    ck_assert(!trial_has_parameters(&f));
}
END_TEST

START_TEST(host_launches)
{
    static const struct {
        const char *text;
        int64_t block[3];
    } cases[] = {
        {"k<<<4, 128>>>(a);", {128, 1, 1}},
        {"k <<< grid(1), dim3(16, 8) >>> (a);", {16, 8, 1}},
        {"dim3 g(n / 2), b(32, 4, 2); k<<<g, b, 0, s>>>(a);", {32, 4, 2}},
        {"#define B 16\nvoid f() { const int t = B * 4 - 2 * (B / 2); k<<<n, t>>>(); }",
         {48, 1, 1}},
        {"dim3 b = dim3(B, B);\n#define B 0x10u\nk<float, 2><<<g, b>>>(a);", {16, 16, 1}},
        {"other<<<1, 2>>>(); k<<<1, n>>>(); k<<<1, 64>>>();", {64, 1, 1}},
        {"k<<<1, 4096>>>();", {0}},
        {"k<<<1, x>>>(); int x = x;", {0}},
        {"int x = y; int y = x; k<<<1, x>>>();", {0}},
        {"k<<<1>>>();", {0}},
        {"k<<<", {0}},
        {"k<<<1, dim3(1, 2, 3, 4)>>>();", {0}},
        {"void k(int a); // k<<<1, 2>>>\n", {0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t block[3] = {0};
        const bool found =
            host_launch_find(cases[i].text, strlen(cases[i].text), "ns::k", &arena, block);
        ck_assert_msg(found == (cases[i].block[0] != 0), "%s", cases[i].text);
        for (int axis = 0; found && axis < 3; axis++)
            ck_assert_msg(block[axis] == cases[i].block[axis], "%s: %lld", cases[i].text,
                          (long long)block[axis]);
    }
}
END_TEST

START_TEST(host_defaults)
{
    struct inferred f = an_inferred();
    const int64_t block[3] = {48, 1, 1};
    ck_assert(host_launch_apply(&f, block, &arena));
    ck_assert_str_eq(f.names[1].values, "[32, 48, 64]");
    ck_assert_int_eq(f.names[1].value, 48);
    f = an_inferred();
    f.restrictions = (const char *[]){"n % B == 0"};
    f.restriction_count = 1;
    ck_assert(host_launch_apply(&f, block, &arena)); // which 48 may not fulfil
    ck_assert_int_eq(f.names[1].value, 64);
    f = an_inferred();
    f.open = (const char *[]){"LocalSize: no sense", "other"};
    f.open_count = 2;
    ck_assert(host_launch_apply(&f, block, &arena));
    ck_assert_str_eq(f.names[1].values, "[48]");
    ck_assert_uint_eq(f.open_count, 1);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, outcomes);
    tcase_add_test(tests, buffers_grow);
    tcase_add_test(tests, culprits_stay_as_they_are);
    tcase_add_test(tests, loose_outputs);
    tcase_add_test(tests, few_elements);
    tcase_add_test(tests, gentler_data);
    tcase_add_test(tests, idle_and_slow);
    tcase_add_test(tests, crashes);
    tcase_add_test(tests, options);
    tcase_add_test(tests, host_launches);
    tcase_add_test(tests, host_defaults);
}

int main(void)
{
    return suite_run("trial", add);
}
