// Holds the language against Python itself: some thousands of random expressions and the table of
// known answers, in one python3. Skipped, visibly, where there is none.
#include "environment.h"
#include "known_answers.h"

#include "os/process.h"
#include "base/random.h"

#include <check.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANDOM_COUNT = 6000, SEED = 20240229 };

// Prints an answer a line, in the one form of value_print(), or ! and the kind of the exception.
static const char script[] =
    "import math, sys\n"
    "names = " ENVIRONMENT_IN_PYTHON "\n"
    "for k in 'ceil floor trunc log2 log log10 sqrt exp gcd lcm prod acos asin atan atan2 cos erf "
    "fabs sin tan tanh'.split():\n"
    "    if hasattr(math, k): names[k] = getattr(math, k)\n"
    "names['math'] = math\n"
    "def show(v):\n"
    "    if v is None or isinstance(v, (bool, int, float, str)): return repr(v)\n"
    "    if isinstance(v, complex): raise ValueError\n"
    "    return '[' + ', '.join(show(i) for i in v) + ']'\n"
    "for line in open(sys.argv[1], encoding='utf-8'):\n"
    "    try: print(show(eval(line.rstrip('\\n'), dict(names))))\n"
    "    except Exception as e: print('!' + type(e).__name__)\n";

static const struct {
    enum expr_fault fault;
    const char *exception;
} exceptions[] = {
    {EXPR_FAULT_ZERO, "!ZeroDivisionError"}, {EXPR_FAULT_TYPE, "!TypeError"},
    {EXPR_FAULT_DOMAIN, "!ValueError"},      {EXPR_FAULT_INDEX, "!IndexError"},
    {EXPR_FAULT_OVERFLOW, "!OverflowError"},
};

// ---- random expressions ----

struct writer {
    struct rng rng;
    struct text text;
};

static uint64_t pick(struct writer *w, uint64_t bound)
{
    return rng_below(&w->rng, bound);
}

static void write_number(struct writer *w, int depth);
static void write_truth(struct writer *w, int depth);
static void write_list(struct writer *w, int depth);

static void write_leaf(struct writer *w)
{
    static const char *const leaves[] = {"0",
                                         "1",
                                         "2",
                                         "3",
                                         "7",
                                         "10",
                                         "64",
                                         "1024",
                                         "0.5",
                                         "1.5",
                                         "2.0",
                                         "1e3",
                                         "a",
                                         "b",
                                         "c",
                                         "n",
                                         "z",
                                         "x",
                                         "y",
                                         "t",
                                         "f",
                                         "KWG",
                                         "MDIMC",
                                         "0x1f",
                                         "True",
                                         "False",
                                         "block_size_x",
                                         "l[0]",
                                         "l[-1]",
                                         "-3",
                                         "9007199254740993"};
    text_add(&w->text, leaves[pick(w, sizeof leaves / sizeof *leaves)]);
}

static void write_joined(struct writer *w, const char *open, const char *middle, const char *close,
                         int depth)
{
    text_add(&w->text, open);
    write_number(w, depth);
    text_add(&w->text, middle);
    write_number(w, depth);
    text_add(&w->text, close);
}

static void write_binary(struct writer *w, int depth)
{
    static const char *const binary[] = {" + ", " - ", " * ", " / ", " // ", " % ",
                                         " & ", " | ", " ^ ", "*",   "//",   "%"};
    const char *middle = binary[pick(w, sizeof binary / sizeof *binary)];
    bool bracket = pick(w, 2);
    write_joined(w, bracket ? "(" : "", middle, bracket ? ")" : "", depth);
}

static void write_call(struct writer *w, int depth)
{
    static const struct {
        const char *open, *middle; // NULL: one argument
    } calls[] = {{"min(", ", "},        {"max(", ", "},       {"abs(", NULL},   {"ceil(", NULL},
                 {"floor(", NULL},      {"int(", NULL},       {"round(", NULL}, {"float(", NULL},
                 {"bool(", NULL},       {"-(", NULL},         {"~(", NULL},     {"+(", NULL},
                 {"log2(", NULL},       {"sqrt(", NULL},      {"-", NULL},      {"divmod(", ", "},
                 {"math.trunc(", NULL}, {"sin(", NULL},       {"cos(", NULL},   {"tan(", NULL},
                 {"acos(", NULL},       {"math.asin(", NULL}, {"atan(", NULL},  {"atan2(", ", "},
                 {"tanh(", NULL},       {"erf(", NULL},       {"fabs(", NULL}};
    size_t i = pick(w, sizeof calls / sizeof *calls);
    const char *close = strchr(calls[i].open, '(') ? ")" : "";
    if (calls[i].middle) {
        write_joined(w, calls[i].open, calls[i].middle, close, depth);
        text_add(&w->text, str_starts(calls[i].open, "divmod") ? "[1]" : "");
        return;
    }
    text_add(&w->text, calls[i].open);
    write_number(w, depth);
    text_add(&w->text, close);
}

static void write_power(struct writer *w, int depth)
{
    write_joined(w, "((", ") % 7) ** ((", ") % 5)", depth);
}

static void write_shift(struct writer *w, int depth)
{
    text_add(&w->text, "(");
    write_number(w, depth);
    text_addf(&w->text, ") %s %u", pick(w, 2) ? "<<" : ">>", (unsigned)pick(w, 6));
}

static void write_conditional(struct writer *w, int depth)
{
    text_add(&w->text, "(");
    write_number(w, depth);
    text_add(&w->text, " if ");
    write_truth(w, depth);
    text_add(&w->text, " else ");
    write_number(w, depth);
    text_add(&w->text, ")");
}

static void write_truth_as_number(struct writer *w, int depth)
{
    text_add(&w->text, "(");
    write_truth(w, depth);
    text_add(&w->text, ")");
}

static void write_of_list(struct writer *w, int depth)
{
    static const char *const of_list[] = {"len(", "min(", "max(",   "sum(i // 1 for i in ",
                                          "any(", "all(", "sorted("};
    size_t i = pick(w, sizeof of_list / sizeof *of_list);
    text_add(&w->text, of_list[i]);
    write_list(w, depth);
    text_add(&w->text, i == 6 ? ")[0]" : ")");
}

static void write_number(struct writer *w, int depth)
{
    static void (*const forms[])(struct writer *, int) = {
        write_binary, write_binary,      write_binary, write_binary,          write_call,
        write_power,  write_conditional, write_shift,  write_truth_as_number, write_of_list};
    if (depth <= 0 || pick(w, 5) == 0)
        write_leaf(w);
    else
        forms[pick(w, sizeof forms / sizeof *forms)](w, depth - 1);
}

static void write_list(struct writer *w, int depth)
{
    switch (pick(w, 5)) {
    case 0:
        text_add(&w->text, "l[");
        text_addf(&w->text, "%d:%d:%d]", (int)pick(w, 9) - 4, (int)pick(w, 9) - 4,
                  (int)pick(w, 2) * 2 - 1);
        break;
    case 1:
        text_add(&w->text, "list(range((");
        write_number(w, depth - 1);
        text_add(&w->text, ") % 9))");
        break;
    case 2:
        text_add(&w->text, "[i * ");
        write_number(w, depth - 1);
        text_addf(&w->text, " for i in range(%u) if i %% %u", (unsigned)pick(w, 8),
                  (unsigned)pick(w, 3) + 1);
        text_add(&w->text, "]");
        break;
    default:
        write_joined(w, "[", ", ", "]", depth - 1);
    }
}

static void write_comparison(struct writer *w, int depth)
{
    static const char *const compared[] = {" == ", " != ", " < ", " <= ", " > ", " >= "};
    write_number(w, depth);
    uint64_t links = 1 + pick(w, 4) / 2;
    for (uint64_t i = 0; i < links; i++) {
        text_add(&w->text, compared[pick(w, sizeof compared / sizeof *compared)]);
        write_number(w, depth);
    }
}

static void write_membership(struct writer *w, int depth)
{
    write_number(w, depth);
    text_add(&w->text, pick(w, 2) ? " in " : " not in ");
    if (pick(w, 2))
        text_add(&w->text, pick(w, 2) ? "(1, 2, 4, 6.0)" : "range(b)");
    else
        write_list(w, depth);
}

static void write_truth(struct writer *w, int depth)
{
    uint64_t form = depth <= 0 ? 3 : pick(w, 7);
    bool bracket = pick(w, 3) == 0;
    text_add(&w->text, bracket ? "(" : "");
    if (form < 2) {
        write_truth(w, depth - 1);
        text_add(&w->text, form ? " and " : " or ");
        write_truth(w, depth - 1);
    } else if (form == 2) {
        text_add(&w->text, "not ");
        write_truth(w, depth - 1);
    } else if (form == 6) {
        write_membership(w, depth - 1);
    } else {
        write_comparison(w, depth - 1);
    }
    text_add(&w->text, bracket ? ")" : "");
}

// ---- comparing ----

// Every expression on a line of its own: the table first.
static void write_expressions(struct text *all)
{
    struct writer w = {.text = TEXT_INIT};
    rng_init(&w.rng, SEED, 0);
    for (size_t i = 0; i < KNOWN_COUNT; i++)
        text_addf(&w.text, "%s\n", known_answers[i].text);
    for (size_t i = 0; i < RANDOM_COUNT; i++) {
        if (pick(&w, 2))
            write_truth(&w, 1 + (int)pick(&w, 4));
        else
            write_number(&w, 1 + (int)pick(&w, 4));
        text_addc(&w.text, '\n');
    }
    ck_assert(!w.text.failed);
    *all = w.text;
}

static void write_file(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, length, file), length);
    ck_assert_int_eq(fclose(file), 0);
}

// Runs python3 with these arguments; its exit status, and what it wrote to descriptor 1.
static int run_python(const char *const *argv, struct text *out)
{
    static const char *const utf8[] = {"PYTHONIOENCODING=utf-8", NULL};
    struct process p = PROCESS_NONE;
    struct error e = ERROR_INIT;
    int status = -1;
    if (!process_start(&p, argv, utf8, &e))
        return -1;
    char bytes[4096];
    for (ssize_t got = 1; got != 0;) {
        struct pollfd ready = {.fd = p.channel, .events = POLLIN};
        poll(&ready, 1, -1);
        process_drain(&p);
        got = read(p.channel, bytes, sizeof bytes);
        if (got > 0)
            text_addn(out, bytes, (size_t)got);
        else if (got < 0 && errno != EAGAIN && errno != EINTR)
            break;
    }
    process_wait(&p, -1, &status);
    process_end(&p);
    return status;
}

// Runs the script over the expressions; what it printed.
static void ask_python(const struct text *expressions, struct text *answers)
{
    char folder[] = "/tmp/hone-expr-XXXXXX", path[64], questions[64];
    const char *const argv[] = {"python3", "-W", "ignore", path, questions, NULL};
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/ask.py", folder);
    snprintf(questions, sizeof questions, "%s/questions", folder);
    write_file(path, script, strlen(script));
    write_file(questions, expressions->data, expressions->length);
    int status = run_python(argv, answers);
    folder_remove(folder);
    ck_assert_int_eq(status, 0);
    ck_assert(!answers->failed);
}

static char *next_line(char **at)
{
    char *line = *at, *end = line ? strchr(line, '\n') : NULL;
    if (!end)
        return NULL;
    *end = 0;
    *at = end + 1;
    return line;
}

// Python's integers have no bounds: where ours overflow, it may go on, or fail later.
static bool same_fault(enum expr_fault fault, const char *answer)
{
    if (fault == EXPR_FAULT_OVERFLOW)
        return true;
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (exceptions[i].fault == fault && str_equal(exceptions[i].exception, answer))
            return true;
    return false;
}

// Compares one answer; counts what overflowed.
static void compare(const char *text, const char *answer, unsigned *overflows)
{
    struct arena arena;
    struct error e = ERROR_INIT;
    struct text printed = TEXT_INIT;
    struct value v;
    bool truth = false;
    arena_init(&arena);
    struct expr *x = expr_parse(&arena, text, &environment, &e);
    ck_assert_msg(x != NULL, "%s: %s", text, e.text);
    enum expr_fault fault = expr_eval(x, environment_slots, &arena, &v);
    enum expr_fault tested = expr_test(x, environment_slots, &arena, &truth);
    ck_assert_msg(tested == fault && (fault || truth == value_truth(&v)),
                  "%s: tested differently (%s)", text, expr_fault_text(tested));
    *overflows += fault == EXPR_FAULT_OVERFLOW;
    if (fault) {
        ck_assert_msg(same_fault(fault, answer), "%s: %s, Python: %s", text, expr_fault_text(fault),
                      answer);
    } else {
        value_print(&v, &printed);
        ck_assert_msg(str_equal(text_cstr(&printed), answer), "%s: %s, Python: %s", text,
                      text_cstr(&printed), answer);
    }
    text_release(&printed);
    arena_release(&arena);
}

START_TEST(agrees_with_python)
{
    struct text expressions, answers = TEXT_INIT;
    unsigned overflows = 0, count = 0;
    write_expressions(&expressions);
    ask_python(&expressions, &answers);
    char *text, *answer, *texts = expressions.data, *said = answers.data;
    while ((text = next_line(&texts)) != NULL) {
        answer = next_line(&said);
        ck_assert_msg(answer != NULL, "Python ended before %s", text);
        if (count < KNOWN_COUNT)
            ck_assert_msg(str_equal(answer, known_answers[count].answer), "%s: table %s, Python %s",
                          text, known_answers[count].answer, answer);
        compare(text, answer, &overflows);
        count++;
    }
    ck_assert_uint_eq(count, KNOWN_COUNT + RANDOM_COUNT);
    ck_assert_uint_lt(overflows, RANDOM_COUNT / 20);
    text_release(&expressions);
    text_release(&answers);
}
END_TEST

int main(void)
{
    // The table needs math.lcm: Python 3.9.
    static const char *const probe[] = {"python3", "-c", "import math; math.lcm", NULL};
    struct text nothing = TEXT_INIT;
    int missing = run_python(probe, &nothing);
    text_release(&nothing);
    if (missing) {
        printf("skipped: no python3 (3.9 or later) to compare with\n");
        return 77;
    }
    Suite *suite = suite_create("python");
    TCase *tc = tcase_create("python");
    tcase_set_timeout(tc, 100);
    tcase_add_test(tc, agrees_with_python);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
