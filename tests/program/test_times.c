// The three forms in which a program says its time, and what is told where it says none.
#include "extras/program/program_times.h"

#include "../base/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static bool read_text(const char *text, const char *benchmark, struct program_time *t,
                      struct error *e)
{
    *e = (struct error)ERROR_INIT;
    return program_time_read(text, strlen(text), benchmark, t, e);
}

static const struct {
    const char *text, *benchmark;
    double ns;
    enum claim claim;
} given[] = {
    {"{\"time_ns\": 1500, \"valid\": true}\n", NULL, 1500, CLAIM_VALID},
    {"warming up\n{\"time_ns\": 9}\n  {\"time_ns\": 2.5}\ndone {1}\n", NULL, 2.5, CLAIM_NOTHING},
    {"{\"valid\": false, \"message\": \"C[3]\"}", NULL, 0, CLAIM_WRONG},
    {"{\"context\": {}, \"benchmarks\": [{\"name\": \"a/8\", \"run_name\": \"a/8\", \"run_type\": "
     "\"iteration\","
     " \"real_time\": 2.0, \"time_unit\": \"us\"}, {\"name\": \"a/8\", \"run_name\": \"a/8\", "
     "\"run_type\":"
     " \"iteration\", \"real_time\": 4.0, \"time_unit\": \"us\"}, {\"name\": \"a/8_mean\", "
     "\"run_name\": \"a/8\","
     " \"run_type\": \"aggregate\", \"aggregate_name\": \"mean\", \"real_time\": 9, \"time_unit\": "
     "\"us\"}]}",
     NULL, 3000, CLAIM_NOTHING},
    {"{\"benchmarks\": [{\"name\": \"a_median\", \"run_name\": \"a\", \"run_type\": \"aggregate\","
     " \"aggregate_name\": \"median\", \"real_time\": 7, \"time_unit\": \"ms\"}]}",
     NULL, 7e6, CLAIM_NOTHING},
    {"{\"benchmarks\": [{\"name\": \"a\", \"real_time\": 1, \"time_unit\": \"ns\"},"
     " {\"name\": \"b\", \"real_time\": 2, \"time_unit\": \"s\"}]}",
     "b", 2e9, CLAIM_NOTHING},
    {"{\"benchmarks\": [{\"name\": \"a\", \"error_occurred\": true, \"error_message\": \"no\"}]}",
     NULL, 0, CLAIM_WRONG},
    {"{\"benchmarks\": [{\"name\": \"copy\", \"states\": [{\"name\": \"Device=0\", \"summaries\": "
     "[{\"tag\":"
     " \"nv/cold/time/cpu/mean\", \"data\": [{\"name\": \"value\", \"value\": \"1\"}]}, {\"tag\":"
     " \"nv/cold/time/gpu/mean\", \"data\": [{\"name\": \"value\", \"type\": \"float64\", "
     "\"value\": \"2.5e-4\"}]}]}]}]}",
     NULL, 250000, CLAIM_NOTHING},
    {"{\"benchmarks\": [{\"name\": \"copy\", \"states\": [{\"name\": \"Device=0\", \"is_skipped\": "
     "true,"
     " \"skip_reason\": \"too much\"}]}]}",
     NULL, 0, CLAIM_WRONG},
};

START_TEST(a_time_is_read)
{
    struct program_time t;
    struct error e;
    ck_assert_msg(read_text(given[_i].text, given[_i].benchmark, &t, &e), "%s", e.text);
    ck_assert_int_eq(t.claim, given[_i].claim);
    if (t.claim != CLAIM_WRONG)
        ck_assert_double_eq_tol(t.ns, given[_i].ns, 1e-6 * given[_i].ns);
}
END_TEST

static const struct {
    const char *text, *benchmark, *said;
} refused[] = {
    {"", NULL, "it gave no time"},
    {"took 3 ms", NULL, "{\"time_ns\": 1234, \"valid\": true}"},
    {"{\"time_ns\": 0}", NULL, "not a number above 0"},
    {"{\"time_ns\": \"3\"}", NULL, "not a number above 0"},
    {"{\"time_ns\": 3, \"valid\": 1}", NULL, "neither true nor false"},
    {"{\"benchmarks\": [{\"name\": \"a\", \"real_time\": 1}, {\"name\": \"b\", \"real_time\": 2}]}",
     NULL, "several benchmarks, a, b"},
    {"{\"benchmarks\": [{\"name\": \"a\", \"real_time\": 1}]}", "b",
     "no benchmark 'b'; there are: a"},
    {"{\"benchmarks\": []}", NULL, "have no time"},
    {"{\"benchmarks\": [{\"name\": \"a\", \"states\": [{\"name\": \"s\", \"summaries\": []}]}]}",
     NULL, "have no time"},
};

START_TEST(what_is_no_time_is_said)
{
    struct program_time t;
    struct error e;
    ck_assert(!read_text(refused[_i].text, refused[_i].benchmark, &t, &e));
    ck_assert_msg(strstr(e.text, refused[_i].said) != NULL, "%s", e.text);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("times");
    TCase *c = tcase_create("times");
    tcase_add_loop_test(c, a_time_is_read, 0, sizeof given / sizeof *given);
    tcase_add_loop_test(c, what_is_no_time_is_said, 0, sizeof refused / sizeof *refused);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
