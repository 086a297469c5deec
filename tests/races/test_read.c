// The simulator's log: recorded ones with known answers, broken ones, and the user's lines.
#include "workflows/check/races.h"

#include "../base/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct arena arena;
static struct races found;
static struct error e;

static void setup(void)
{
    arena_init(&arena);
    e = (struct error)ERROR_INIT;
}

static void teardown(void)
{
    arena_release(&arena);
}

static void load(const char *name, struct text *out)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.log", DATA, name);
    ck_assert_msg(file_read(path, 0, out, &e), "%s", e.text);
}

static void parse(const char *name)
{
    struct text log = TEXT_INIT;
    load(name, &log);
    ck_assert_msg(races_parse(text_cstr(&log), log.length, &arena, &found, &e), "%s", e.text);
    text_release(&log);
}

// ---- recorded logs -----------------------------------------------------------------------------

static const struct {
    const char *log;
    enum race_kind kind;
    const char *kernel, *file;
    uint32_t line, column;
    const char *memory;
    uint64_t bytes;
    const char *item, *detail;
    uint32_t other_line;
    uint64_t count;
    bool more;
} recorded[] = {
    {"race", RACE_READ_WRITE, "faults", "input.cl", 43, 20, "local", 0,
     "global (0,0,0) local (0,0,0) group (0,0,0)", "", 36, 12, true},
    {"included", RACE_WRITE_OUTSIDE, "k", "inc/h.h", 4, 10, "global", 4,
     "global (15,0,0) local (7,0,0) group (1,0,0)", "", 0, 3, false},
    {"joined", RACE_READ_WRITE, "k", "b.cl", 14, 12, "global", 0,
     "global (0,0,0) local (0,0,0) group (0,0,0)", "", 14, 4, false},
    {"local_array", RACE_WRITE_OUTSIDE, "k", "b.cl", 16, 28, "local", 4,
     "global (7,0,0) local (7,0,0) group (0,0,0)", "Index (8) exceeds static array size (8)", 0, 2,
     false},
    {"private", RACE_READ_OUTSIDE, "k", "b.cl", 50, 12, "private", 4,
     "global (0,0,0) local (0,0,0) group (0,0,0)", "Index (16) exceeds static array size (4)", 0, 2,
     false},
    {"outside", RACE_WRITE_OUTSIDE, "k", "input.cl", 28, 22, "global", 4,
     "global (0,0,0) local (0,0,0) group (0,0,0)", "", 0, 4, false},
    {"by_group", RACE_READ_OUTSIDE, "k", "input.cl", 33, 5, "global", 4, "group (0,0,0)", "", 0, 4,
     false},
    {"divergence", RACE_DIVERGENCE, "k", "b.cl", 21, 9, "", 0, "group (0,0,0)",
     "Only 4 out of 8 work-items executed barrier", 0, 4, false},
    {"two_barriers", RACE_DIVERGENCE, "k", "input.cl", 11, 9, "", 0,
     "global (4,0,0) local (4,0,0) group (0,0,0)", "", 9, 4, false},
    {"async_copy", RACE_DIVERGENCE, "k", "input.cl", 17, 17, "", 0,
     "global (2,0,0) local (2,0,0) group (0,0,0)", "", 17, 4, false},
    {"uniform", RACE_WRITE_WRITE, "k", "b.cl", 33, 10, "global", 0,
     "global (1,0,0) local (1,0,0) group (0,0,0)", "", 33, 4, false},
    {"gave_up", RACE_OTHER, "matmul_register", "", 0, 0, "", 0,
     "global (0,0,0) local (0,0,0) group (0,0,0)", "Unsupported instruction: freeze", 0, 1, false},
};

START_TEST(recorded_logs)
{
    parse(recorded[_i].log);
    ck_assert_uint_eq(found.count, 1);
    const struct race *r = &found.races[0];
    ck_assert_int_eq(r->kind, recorded[_i].kind);
    ck_assert_str_eq(r->kernel, recorded[_i].kernel);
    ck_assert_str_eq(r->at.file, recorded[_i].file);
    ck_assert_uint_eq(r->at.line, recorded[_i].line);
    ck_assert_uint_eq(r->at.column, recorded[_i].column);
    ck_assert_str_eq(r->memory, recorded[_i].memory);
    ck_assert_uint_eq(r->bytes, recorded[_i].bytes);
    ck_assert_str_eq(r->at.item, recorded[_i].item);
    ck_assert_str_eq(r->detail, recorded[_i].detail);
    ck_assert_uint_eq(r->other.line, recorded[_i].other_line);
    ck_assert_uint_eq(r->count, recorded[_i].count);
    ck_assert(r->more == recorded[_i].more);
}
END_TEST

START_TEST(uninitialised_memory)
{
    parse("uninitialised");
    ck_assert_uint_eq(found.count, 2);
    ck_assert_int_eq(found.races[0].kind, RACE_UNINITIALISED);
    ck_assert_uint_eq(found.races[0].at.line, 54);
    ck_assert_uint_eq(found.races[1].at.line, 55);
    ck_assert_str_eq(found.races[1].memory, "local");
}
END_TEST

// ---- broken logs -------------------------------------------------------------------------------

// A log that was cut anywhere gives what it gives whole, but for the message that was cut.
START_TEST(cut_short)
{
    struct text log = TEXT_INIT;
    load(recorded[_i].log, &log);
    for (size_t n = 0; n <= log.length; n++) {
        char *part = malloc(n + 1); // no byte behind it, so that valgrind and sanitizers see
        memcpy(part, log.data, n);
        ck_assert(races_parse(part, n, &arena, &found, &e));
        ck_assert_uint_le(found.count, 2);
        if (found.count > 0) {
            ck_assert_uint_ge(found.races[0].count, 1);
            ck_assert_uint_le(found.races[0].count, recorded[_i].count);
        }
        free(part);
        arena_release(&arena);
    }
    text_release(&log);
}
END_TEST

START_TEST(holes)
{
    struct text log = TEXT_INIT, whole = TEXT_INIT;
    load("race", &log);
    for (int i = 0; i < 5000; i++)
        text_addc(&whole, '\0');
    text_addn(&whole, log.data, log.length);
    ck_assert(races_parse(whole.data, whole.length, &arena, &found, &e));
    ck_assert_uint_eq(found.count, 1);
    ck_assert_uint_eq(found.races[0].count, 12);
    text_release(&log);
    text_release(&whole);
}
END_TEST

START_TEST(line_ends_of_windows)
{
    struct text log = TEXT_INIT, other = TEXT_INIT;
    load("race", &log);
    for (size_t i = 0; i < log.length; i++) {
        if (log.data[i] == '\n')
            text_addc(&other, '\r');
        text_addc(&other, log.data[i]);
    }
    ck_assert(races_parse(other.data, other.length, &arena, &found, &e));
    ck_assert_uint_eq(found.count, 1);
    ck_assert_uint_eq(found.races[0].at.line, 43);
    ck_assert_str_eq(found.races[0].at.file, "input.cl");
    text_release(&log);
    text_release(&other);
}
END_TEST

static const char *const nothing[] = {
    "",
    "\n",
    "\n\n\n",
    "\t",
    "\t\n\t\t\n",
    "garbage",
    "garbage\n\tmore\n",
    "Kernel: k\n",
    "Oclgrind: 1000 errors generated - suppressing further errors\n",
    "Read-write data race at\n",
    "At line 4 (column 5) of x.cl:\n\t  text\n",
    "Invalid read of size",
    "\xff\xfe\xfd\n\t\xff\n",
};

START_TEST(no_messages)
{
    ck_assert(races_parse(nothing[_i], strlen(nothing[_i]), &arena, &found, &e));
    ck_assert_uint_eq(found.count, 0);
}
END_TEST

// Bytes and lines thrown about: nothing may crash, whatever is found.
START_TEST(thrown_about)
{
    struct text log = TEXT_INIT;
    unsigned state = (unsigned)_i + 1;
    load(recorded[_i].log, &log);
    for (int round = 0; round < 2000; round++) {
        state = state * 1103515245u + 12345u;
        log.data[(state >> 8) % log.length] = "\t\n :()0\xff"[(state >> 4) % 8];
        ck_assert(races_parse(log.data, log.length, &arena, &found, &e));
        arena_release(&arena);
    }
    text_release(&log);
}
END_TEST

START_TEST(huge_numbers)
{
    const char *log =
        "\nInvalid read of size 99999999999999999999999 at global memory address 0x0\n"
        "\tKernel: k\n"
        "\tAt line 99999999999999999999 (column 99999999999999) of x.cl:\n";
    ck_assert(races_parse(log, strlen(log), &arena, &found, &e));
    ck_assert_uint_eq(found.count, 1);
    ck_assert_uint_eq(found.races[0].count, 1);
}
END_TEST

START_TEST(unknown_messages_are_kept)
{
    const char *log =
        "\nInvalid write to read-only buffer\n\tKernel: k\n\tEntity: Global(1,0,0)\n"
        "\t  store float 1.0, float* %p\n\tAt line 7 (column 3) of x.cl:\n\t  a = 1;\n\t\n";
    ck_assert(races_parse(log, strlen(log), &arena, &found, &e));
    ck_assert_uint_eq(found.count, 1);
    ck_assert_int_eq(found.races[0].kind, RACE_OTHER);
    ck_assert_str_eq(found.races[0].detail, "Invalid write to read-only buffer");
    ck_assert_str_eq(found.races[0].at.item, "global (1,0,0)");
    ck_assert_str_eq(found.races[0].at.text, "a = 1;");
}
END_TEST

// ---- taking ------------------------------------------------------------------------------------

START_TEST(taken_once)
{
    char path[] = "/tmp/hone-races-XXXXXX";
    int fd = mkstemp(path);
    struct text log = TEXT_INIT;
    load("race", &log);
    ck_assert_int_eq(write(fd, log.data, log.length), (ssize_t)log.length);
    close(fd);
    ck_assert(races_take(path, &arena, &found, &e));
    ck_assert_uint_eq(found.count, 1);
    ck_assert(races_take(path, &arena, &found, &e));
    ck_assert_uint_eq(found.count, 0);
    text_release(&log);
}
END_TEST

// ---- the user's lines --------------------------------------------------------------------------

#define SOURCE(text) .source = (text), .length = sizeof(text) - 1

static const char joined[] = "#line 1 \"a.cl\"\n"
                             "one\n"
                             "two\n"
                             "#line 1 \"sub/b\\\"q.cl\"\n"
                             "  three  \n"
                             "# 40 \"made.cl\"\n"
                             "forty\n"
                             "#  line 7\n"
                             "seven\n"
                             "last";
static struct job_file header = {"inc/h.h", "h one\n\th two\r\n", 14};
static struct job_program programs[] = {
    {.name = "first.cl", SOURCE("alpha\n\n  beta(x);  \n")},
    {.name = "a.cl", SOURCE(joined), .files = &header, .file_count = 1},
};
static struct job_launch launches[] = {{.kernel = "f", .program = 0},
                                       {.kernel = "g", .program = 1}};
static const struct job job = {
    .programs = programs, .program_count = 2, .launches = launches, .launch_count = 2};

static const struct {
    const char *kernel, *file;
    uint32_t line;
    const char *named, *text;
} places[] = {
    {"f", "input.cl", 3, "first.cl", "beta(x);"},
    {"f", "input.cl", 9, "first.cl", ""},
    {"unknown", "input.cl", 1, "first.cl", "alpha"},
    {"g", "a.cl", 2, "a.cl", "two"},
    {"g", "sub/b\"q.cl", 1, "sub/b\"q.cl", "three"},
    {"g", "made.cl", 40, "made.cl", "forty"},
    {"g", "made.cl", 8, "made.cl", "last"},
    {"g", "made.cl", 9, "made.cl", ""},
    {"g", "inc/h.h", 2, "inc/h.h", "h two"},
    {"g", "elsewhere.h", 2, "elsewhere.h", ""},
    {"g", "", 0, "", ""},
};

START_TEST(located)
{
    struct race r = {.kernel = places[_i].kernel,
                     .at = {places[_i].file, places[_i].line, 1, "wrong", ""},
                     .other = {"", 0, 0, "", ""}};
    struct races all = {&r, 1};
    if (!places[_i].line)
        r.at.text = "";
    races_locate(&all, &job, &arena);
    ck_assert_str_eq(r.at.file, places[_i].named);
    ck_assert_str_eq(r.at.text, places[_i].text);
    ck_assert_str_eq(r.other.file, "");
}
END_TEST

// ---- telling -----------------------------------------------------------------------------------

START_TEST(told)
{
    struct text out = TEXT_INIT;
    parse("race");
    found.races[0].at.file = found.races[0].other.file = "faults.cl";
    race_text(&found.races[0], &out);
    ck_assert_str_eq(
        text_cstr(&out),
        "faults.cl:43: read-write data race in kernel faults, local memory, at least 12 times\n"
        "    sum += tile_a[local_y][k] * tile_b[k][local_x];\n"
        "    read by global (0,0,0) local (0,0,0) group (0,0,0)\n"
        "    tile_a[local_y][local_x] = row < M && a_column < K ? A[row * K + a_column] : 0.0f;\n"
        "    written by global (1,0,0) local (1,0,0) group (0,0,0) in faults.cl:36\n");
    text_clear(&out);
    parse("local_array");
    race_text(&found.races[0], &out);
    ck_assert_str_eq(text_cstr(&out),
                     "b.cl:16: write outside a buffer in kernel k, 4 bytes, local memory, 2 times\n"
                     "    Index (8) exceeds static array size (8)\n"
                     "    #elif FAULT == 1\n"
                     "    global (7,0,0) local (7,0,0) group (0,0,0)\n");
    text_release(&out);
}
END_TEST

// ---- the command -------------------------------------------------------------------------------

static const char *const worker[] = {"/opt/hone-worker", "--flag", NULL};

START_TEST(command_without_simulator)
{
    struct races_options o = {.worker = worker, .path = "/nonexistent::/dev", .log = "log"};
    ck_assert_ptr_null(races_command(&o, &arena, &e));
    ck_assert_int_eq(e.code, ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(e.text, "apt install oclgrind"));
    o.path = NULL;
    ck_assert_ptr_null(races_command(&o, &arena, &e));
}
END_TEST

START_TEST(command_with_limits)
{
    char folder[] = "/tmp/hone-races-XXXXXX", program[64], path[128];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(program, sizeof program, "%s/oclgrind", folder);
    snprintf(path, sizeof path, "/nonexistent:%s", folder);
    ck_assert_int_eq(symlink("/bin/true", program), 0);
    struct races_options o = {
        .worker = worker, .path = path, .local_memory = 65536, .log = "/tmp/l"};
    const char *const *argv = races_command(&o, &arena, &e);
    const char *expected[] = {program,        "--data-races", "--local-mem-size", "65536",
                              "--max-wgsize", "1024",         "--max-errors",     "1000",
                              "--log",        "/tmp/l",       "/opt/hone-worker", "--flag"};
    size_t count = sizeof expected / sizeof *expected;
    ck_assert_ptr_nonnull(argv);
    for (size_t i = 0; i < count; i++)
        ck_assert_str_eq(argv[i], expected[i]);
    ck_assert_ptr_null(argv[count]);
    unlink(program);
    rmdir(folder);
}
END_TEST

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, recorded_logs, 0, COUNT(recorded));
    tcase_add_test(tests, uninitialised_memory);
    tcase_add_loop_test(tests, cut_short, 0, COUNT(recorded));
    tcase_add_test(tests, holes);
    tcase_add_test(tests, line_ends_of_windows);
    tcase_add_loop_test(tests, no_messages, 0, COUNT(nothing));
    tcase_add_loop_test(tests, thrown_about, 0, COUNT(recorded));
    tcase_add_test(tests, huge_numbers);
    tcase_add_test(tests, unknown_messages_are_kept);
    tcase_add_test(tests, taken_once);
    tcase_add_loop_test(tests, located, 0, COUNT(places));
    tcase_add_test(tests, told);
    tcase_add_test(tests, command_without_simulator);
    tcase_add_test(tests, command_with_limits);
}

int main(void)
{
    return suite_run("races/read", add);
}
