// What is said of counters: the bound with its number, and what differs most between two launches.
#include "report/counters_report.h"
#include "workflows/check/instructions.h"

#include "../base/suite.h"

#include <math.h>
#include <string.h>

static struct arena arena;

static struct counters *launch(double dram, double l2)
{
    struct counters *c = counters_new(&arena);
    ck_assert_ptr_nonnull(c);
    for (int i = 0; i < COUNTER_requested_read_bytes; i++)
        c->values[i] = 0;
    c->source = "CUPTI 130001";
    c->values[COUNTER_counted_ns] = 100000;
    c->values[COUNTER_active_cycles] = c->values[COUNTER_elapsed_cycles] = 100;
    c->values[COUNTER_dram_read_bytes] = dram;
    c->values[COUNTER_l2_read_bytes] = l2;
    c->values[COUNTER_dram_busy] = 91.4;
    return c;
}

static void expect(struct text *out, const char *wanted)
{
    ck_assert_str_eq(text_cstr(out), wanted);
    text_release(out);
    *out = (struct text)TEXT_INIT;
}

START_TEST(a_bound_has_its_number)
{
    struct text out = TEXT_INIT;
    struct counters *c = launch(1, 1);
    report_bound(c, &out);
    expect(&out, "memory: 91 % of its peak");
    c->values[COUNTER_dram_busy] = 20;
    c->stall = "data from L2 or memory";
    c->values[COUNTER_stall_share] = 77.7;
    report_bound(c, &out);
    expect(
        &out,
        "latency: no unit is busy, and 78 % of the waiting warps wait for data from L2 or memory");
    c->values[COUNTER_active_cycles] = 6;
    report_bound(c, &out);
    expect(&out, "too few work-groups: multiprocessors are active for 6 % of the launch");
    report_bound(counters_new(&arena), &out);
    expect(&out, "");
}
END_TEST

START_TEST(what_differs_most_comes_first)
{
    struct text out = TEXT_INIT;
    struct counters *a = launch(2 << 20, 10 << 20), *b = launch(4 << 20, 31 << 20);
    report_counters_differ(a, "A", b, "B", 3, &out);
    expect(&out, "A moves 3.1 times fewer bytes from L2 than B (10 MiB, 31 MiB).\n"
                 "A moves 2 times fewer bytes to and from memory than B (2 MiB, 4 MiB).\n");
    report_counters_differ(b, "B", a, "A", 1, &out);
    expect(&out, "B moves 3.1 times more bytes from L2 than A (31 MiB, 10 MiB).\n");
    a->values[COUNTER_bank_conflicts] = 300000;
    report_counters_differ(a, "A", b, "B", 1, &out);
    expect(&out, "A has bank conflicts that B does not (300000).\n");
    report_counters_differ(b, "B", a, "A", 1, &out);
    expect(&out, "B has no bank conflicts, A 300000.\n");
    // What is alike, or too little, is not told; nor is what one of both does not know.
    report_counters_differ(a, "A", a, "B", 3, &out);
    expect(&out, "");
    report_counters_differ(launch(100, 3000), "A", launch(1, 1), "B", 3, &out);
    expect(&out, "");
    report_counters_differ(a, "A", counters_new(&arena), "B", 3, &out);
    expect(&out, "");
}
END_TEST

START_TEST(the_table_leaves_out_what_is_not_there)
{
    struct text out = TEXT_INIT;
    const struct counters *both[] = {launch(2 << 20, 0), launch(4 << 20, 0)};
    static const char *const labels[] = {"left", "right"};
    report_counters(both, labels, 2, REPORT_TEXT, &out);
    ck_assert_ptr_nonnull(strstr(text_cstr(&out), "read from memory"));
    ck_assert_ptr_nonnull(strstr(text_cstr(&out), "2 MiB"));
    ck_assert_ptr_nonnull(strstr(text_cstr(&out), "91.4 %"));
    ck_assert_ptr_null(strstr(text_cstr(&out), "L2"));
    ck_assert_ptr_null(strstr(text_cstr(&out), "nan"));
    text_release(&out);
}
END_TEST

// ---- what Oclgrind says ------------------------------------------------------------------------

static const char product[] = "Instructions executed for kernel 'matmul':\n"
                              "           65536 - load global (262144 bytes)\n"
                              "             512 - load local (2048 bytes)\n"
                              "             100 - load private (400 bytes)\n"
                              "           32768 - call llvm.fmuladd.f32()\n"
                              "            1024 - fadd\n"
                              "            1024 - store global (4096 bytes)\n\n"
                              "Instructions executed for kernel 'more':\n"
                              "              10 - load constant (40 bytes)\n";

START_TEST(instructions_are_added_up)
{
    struct error e = ERROR_INIT;
    struct counters *c = counters_new(&arena);
    ck_assert(instructions_read(product, c, &e));
    ck_assert(c->values[COUNTER_requested_read_bytes] == 262144 + 40);
    ck_assert(c->values[COUNTER_requested_write_bytes] == 4096);
    ck_assert(c->values[COUNTER_requested_local_bytes] == 2048);
    ck_assert(c->values[COUNTER_operations] == 2 * 32768 + 1024);
    ck_assert(c->values[COUNTER_item_instructions] == 65536 + 512 + 100 + 32768 + 1024 + 1024 + 10);
    ck_assert(isnan(c->values[COUNTER_dram_read_bytes]));
}
END_TEST

START_TEST(vectors_make_operations_unknown)
{
    static const char text[] = "Instructions executed for kernel 'v':\n"
                               "   16 - call llvm.fmuladd.v4f32()\n   8 - extractelement\n";
    struct error e = ERROR_INIT;
    struct counters *c = counters_new(&arena);
    char more[256];
    ck_assert(instructions_read(text, c, &e));
    ck_assert(c->values[COUNTER_operations] == 16 * 2 * 4);
    str_format(more, sizeof more, "%s   4 - fadd\n", text);
    c = counters_new(&arena);
    ck_assert(instructions_read(more, c, &e));
    ck_assert(isnan(c->values[COUNTER_operations]));
}
END_TEST

START_TEST(what_is_no_count_is_refused)
{
    struct error e = ERROR_INIT;
    struct counters *c = counters_new(&arena);
    ck_assert(!instructions_read("hello\n", c, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "no counts of instructions"));
    e = (struct error)ERROR_INIT;
    char cut[sizeof product + 8];
    str_format(cut, sizeof cut, "...\n%s", product);
    ck_assert(!instructions_read(cut, c, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "more counts than are kept"));
    ck_assert(isnan(c->values[COUNTER_requested_read_bytes]));
}
END_TEST

static void add(TCase *tests)
{
    arena_init(&arena);
    tcase_add_test(tests, a_bound_has_its_number);
    tcase_add_test(tests, what_differs_most_comes_first);
    tcase_add_test(tests, the_table_leaves_out_what_is_not_there);
    tcase_add_test(tests, instructions_are_added_up);
    tcase_add_test(tests, vectors_make_operations_unknown);
    tcase_add_test(tests, what_is_no_count_is_refused);
}

int main(void)
{
    int status = suite_run("report_counters", add);
    arena_release(&arena);
    return status;
}
