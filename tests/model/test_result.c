#include "hostile.h"
#include "sample.h"

#include "../base/suite.h"

#include <string.h>

static struct result *r;

static void setup(void)
{
    r = sample_result();
}

static void teardown(void)
{
    result_free(r);
}

static bool decode_result(const void *data, size_t length, struct text *again)
{
    struct error e = ERROR_INIT;
    struct result *read = result_decode(data, length, &e);
    if (read == NULL) {
        ck_assert_int_ne(e.code, ERROR_NONE);
        return false;
    }
    result_bytes(read, again);
    result_free(read);
    return true;
}

START_TEST(test_new_result)
{
    struct result *fresh = result_new();
    const uint64_t *samples;
    uint32_t count = 7;
    ck_assert(fresh->status == STATUS_CORRECT && fresh->fault == FAULT_NONE && fresh->warm);
    ck_assert_str_eq(fresh->message, "");
    ck_assert_str_eq(fresh->log, "");
    ck_assert_str_eq(fresh->output, "");
    ck_assert(result_samples(fresh, &samples, &count) && count == 0);
    result_free(fresh);
    result_free(NULL);
}
END_TEST

START_TEST(test_result_is_read_as_written)
{
    struct error e = ERROR_INIT;
    struct text bytes = TEXT_INIT;
    result_fail(r, STATUS_TIMEOUT, FAULT_CONFIGURATION, "too slow");
    r->limit_ns = 20;
    r->device_limit = r->reused = true;
    result_bytes(r, &bytes);
    struct result *read = result_decode(bytes.data, bytes.length, &e);
    ck_assert_msg(read != NULL, "%s", e.text);
    ck_assert(read->status == STATUS_TIMEOUT && read->fault == FAULT_CONFIGURATION);
    ck_assert(read->verification == VERIFICATION_REFERENCE && read->stop == STOP_SETTLED);
    ck_assert(!read->warm && read->device_limit && read->batch == 4);
    ck_assert(!read->reused); // says where it came from, so it is not on the wire
    ck_assert_uint_eq(read->sample_count, 3);
    ck_assert_uint_eq(read->samples_ns[2], 1150);
    ck_assert_uint_eq(read->parts_ns[5], 510);
    ck_assert_int_eq(read->resources[0].groups_per_unit, 8);
    ck_assert_int_eq(read->resources[1].registers, -1);
    ck_assert(read->deviations[0].ok && read->deviations[0].expected == 1.25);
    ck_assert_uint_eq(read->deviations[0].wrong, 6);
    ck_assert(read->deviations[0].compared && read->deviations[0].components == 256);
    ck_assert_uint_eq(read->deviations[0].written, 250);
    ck_assert_uint_eq(read->deviations[0].left, 2);
    ck_assert_uint_eq(read->deviations[0].output_nans, 9);
    ck_assert_uint_eq(read->deviations[0].reference_nans, 8);
    ck_assert(read->limit_ns == 20 && read->verify_launch_ns == 21 && read->build_ns == 22);
    ck_assert(read->load_ns == 23 && read->inputs_ns == 24 && read->reference_ns == 25);
    ck_assert(read->verify_ns == 26 && read->measure_ns == 27);
    ck_assert_str_eq(read->message, "too slow");
    ck_assert_str_eq(read->log, "a warning\nof two lines");
    ck_assert_str_eq(read->output, "hello");
    result_free(read);
    text_release(&bytes);
}
END_TEST

START_TEST(test_result_damage)
{
    struct text good = TEXT_INIT;
    result_bytes(r, &good);
    hostile_truncations(decode_result, &good);
    hostile_numbers(decode_result, &good);
    hostile_flips(decode_result, &good, 20000);
    text_release(&good);
}
END_TEST

START_TEST(test_parts_are_rows_of_samples)
{
    struct text bytes = TEXT_INIT;
    struct error e = ERROR_INIT;
    r->part_count = 5;
    result_bytes(r, &bytes);
    ck_assert_ptr_null(result_decode(bytes.data, bytes.length, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "one row a sample"));
    text_release(&bytes);
}
END_TEST

START_TEST(test_clone_owns_what_it_has)
{
    struct text before = TEXT_INIT, after = TEXT_INIT;
    r->reused = true;
    result_bytes(r, &before);
    struct result *clone = result_clone(r);
    teardown();
    setup();
    ck_assert_ptr_nonnull(clone);
    ck_assert(clone->reused);
    result_bytes(clone, &after);
    ck_assert_uint_eq(before.length, after.length);
    ck_assert_mem_eq(before.data, after.data, before.length);
    result_free(clone);
    text_release(&before);
    text_release(&after);
}
END_TEST

START_TEST(test_first_failure_is_kept)
{
    ck_assert(!result_fail(r, STATUS_RUNTIME, FAULT_DEVICE, "line %d\nand\r%s", 1, "more"));
    ck_assert(!result_fail(r, STATUS_COMPILE, FAULT_SPEC, "later"));
    ck_assert(r->status == STATUS_RUNTIME && r->fault == FAULT_DEVICE);
    ck_assert_str_eq(r->message, "line 1 and more"); // one line
}
END_TEST

START_TEST(test_times_are_read_of_correct_results_only)
{
    const uint64_t *samples = NULL;
    uint32_t count = 0;
    ck_assert(result_samples(r, &samples, &count));
    ck_assert(count == 3 && samples[0] == 1200);
    for (unsigned s = STATUS_COMPILE; s < STATUS_COUNT; s++) {
        r->status = (enum status)s;
        count = 3;
        ck_assert(!result_samples(r, &samples, &count));
        ck_assert(count == 0 && samples == NULL);
    }
}
END_TEST

// ---- merging ------------------------------------------------------------------------------------

// A build's result, as what is measured later is merged into it.
static struct result *built(void)
{
    struct result *b = result_new();
    ck_assert_ptr_nonnull(b);
    b->build_ns = 1000;
    b->log = "built";
    return b;
}

START_TEST(test_merge_into_a_build)
{
    struct result *b = built();
    ck_assert(result_merge(b, r));
    teardown();
    setup(); // what was merged is a copy
    ck_assert_uint_eq(b->sample_count, 3);
    ck_assert_uint_eq(b->samples_ns[1], 1100);
    ck_assert(b->part_columns == 2 && b->part_count == 6 && b->parts_ns[1] == 500);
    ck_assert(b->resource_count == 2 && b->resources[0].spill_bytes == 2);
    ck_assert(b->deviation_count == 1);
    ck_assert_str_eq(b->deviations[0].name, "C");
    ck_assert(b->verification == VERIFICATION_REFERENCE && b->stop == STOP_SETTLED);
    ck_assert(!b->warm && b->batch == 4);
    ck_assert_uint_eq(b->build_ns, 1022);
    ck_assert_uint_eq(b->verify_launch_ns, 21);
    ck_assert_str_eq(b->log, "built"); // the first one's
    ck_assert_str_eq(b->output, "hello");
    result_free(b);
}
END_TEST

START_TEST(test_merge_appends_samples)
{
    struct result *more = sample_result();
    more->stop = STOP_LIMIT;
    ck_assert(result_merge(r, more));
    ck_assert(r->sample_count == 6 && r->samples_ns[2] == 1150 && r->samples_ns[3] == 1200);
    ck_assert(r->part_count == 12 && r->parts_ns[5] == 510 && r->parts_ns[6] == 700);
    ck_assert_uint_eq(r->resource_count, 2);
    ck_assert_uint_eq(r->deviation_count, 1);
    ck_assert_uint_eq(r->measure_ns, 54);
    ck_assert_uint_eq(r->verify_launch_ns, 21);
    ck_assert_int_eq(r->stop, STOP_LIMIT);
    result_free(more);
}
END_TEST

// Each counts from when the worker began: the later one covers the samples of both.
START_TEST(test_merge_keeps_the_latest_look)
{
    struct result *first = result_new(), *second = result_new(), *failure = result_new();
    uint64_t ns = 5;
    first->machine = (struct machine_snapshot){.at_ns = 10, .other_cpu_ns = 1, .cores = 2};
    second->machine = (struct machine_snapshot){.at_ns = 20, .other_cpu_ns = 3, .cores = 2};
    second->samples_ns = &ns;
    second->sample_count = 1;
    second->warmups = 3;
    ck_assert(result_merge(first, second) && result_merge(first, failure));
    ck_assert_uint_eq(first->machine.at_ns, 20);
    ck_assert_uint_eq(first->machine.other_cpu_ns, 3);
    ck_assert_uint_eq(first->warmups, 3);
    result_free(first);
    result_free(second);
    result_free(failure);
}
END_TEST

START_TEST(test_merge_of_nothing_changes_nothing)
{
    struct text before = TEXT_INIT, after = TEXT_INIT;
    struct result *nothing = result_new();
    result_bytes(r, &before);
    ck_assert(result_merge(r, nothing));
    result_bytes(r, &after);
    ck_assert_uint_eq(before.length, after.length);
    ck_assert_mem_eq(before.data, after.data, before.length);
    result_free(nothing);
    text_release(&before);
    text_release(&after);
}
END_TEST

START_TEST(test_merge_keeps_the_first_failure)
{
    struct result *late = built();
    result_fail(r, STATUS_RUNTIME, FAULT_CONFIGURATION, "first");
    result_fail(late, STATUS_TIMEOUT, FAULT_DEVICE, "second");
    late->limit_ns = 9;
    ck_assert(result_merge(r, late));
    ck_assert(r->status == STATUS_RUNTIME && r->fault == FAULT_CONFIGURATION && r->limit_ns == 0);
    ck_assert_str_eq(r->message, "first");
    result_free(late);
}
END_TEST

START_TEST(test_merge_takes_a_later_failure)
{
    static struct deviation wrong[] = {{.name = "C", .wrong = 77}};
    struct result *late = result_new();
    result_fail(late, STATUS_CORRECTNESS, FAULT_CONFIGURATION, "%s differs", "C");
    late->limit_ns = 5;
    late->deviations = wrong;
    late->deviation_count = 1;
    ck_assert(result_merge(r, late));
    result_free(late);
    ck_assert(r->status == STATUS_CORRECTNESS && r->fault == FAULT_CONFIGURATION);
    ck_assert_uint_eq(r->limit_ns, 5);
    ck_assert_str_eq(r->message, "C differs");
    ck_assert_uint_eq(r->deviations[0].wrong, 77); // of the check that failed
    ck_assert_uint_eq(r->sample_count, 3);
}
END_TEST

// Parts that not every sample has would be read in the wrong rows.
START_TEST(test_merge_drops_parts_that_do_not_line_up)
{
    struct result *more = sample_result();
    more->part_count = more->part_columns = 0;
    ck_assert(result_merge(r, more));
    ck_assert(r->sample_count == 6 && r->part_count == 0 && r->part_columns == 0);
    result_free(more);
}
END_TEST

// What a clock told that was then found wrong is no time, its verified launch neither.
START_TEST(test_samples_of_a_wrong_clock_go)
{
    struct result *more = sample_result();
    more->timer_fault = "its events say 0 ns";
    r->same_as = "TILE=8";
    more->verify_launch_ns = 0;
    ck_assert(!result_samples_alike(r, more));
    ck_assert(result_merge(r, more));
    ck_assert_uint_eq(r->sample_count, more->sample_count);
    ck_assert_uint_eq(r->verify_launch_ns, 0);
    ck_assert_str_eq(r->timer_fault, more->timer_fault);
    struct result *again = result_clone(r);
    ck_assert_str_eq(again->timer_fault, more->timer_fault);
    ck_assert_str_eq(again->same_as, "TILE=8");
    ck_assert_str_eq(more->same_as, "");
    result_free(again);
    result_free(more);
}
END_TEST

START_TEST(test_names)
{
    enum status s = STATUS_CORRECT;
    enum stop_reason stop = STOP_NONE;
    for (unsigned i = 0; i < STATUS_COUNT; i++) {
        ck_assert(status_parse(status_text((enum status)i), &s));
        ck_assert_uint_eq(s, i);
        ck_assert_uint_gt(strlen(status_meaning(s)), 10);
    }
    for (unsigned i = 0; i < STOP_COUNT; i++)
        ck_assert(stop_parse(stop_text((enum stop_reason)i), &stop) && stop == i);
    ck_assert(!status_parse("Correct", &s) && !status_parse("", &s) && !stop_parse("?", &stop));
    ck_assert_str_eq(status_text(STATUS_CONSTRAINTS), "constraints");
    ck_assert_str_eq(verification_text(VERIFICATION_AGREES), "agrees with the default");
    ck_assert_str_eq(fault_text(FAULT_SPEC), "spec");
    ck_assert_str_eq(status_text(STATUS_COUNT), "?");
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, test_new_result);
    tcase_add_test(tests, test_result_is_read_as_written);
    tcase_add_test(tests, test_result_damage);
    tcase_add_test(tests, test_parts_are_rows_of_samples);
    tcase_add_test(tests, test_clone_owns_what_it_has);
    tcase_add_test(tests, test_first_failure_is_kept);
    tcase_add_test(tests, test_times_are_read_of_correct_results_only);
    tcase_add_test(tests, test_merge_into_a_build);
    tcase_add_test(tests, test_merge_appends_samples);
    tcase_add_test(tests, test_merge_keeps_the_latest_look);
    tcase_add_test(tests, test_merge_of_nothing_changes_nothing);
    tcase_add_test(tests, test_merge_keeps_the_first_failure);
    tcase_add_test(tests, test_merge_takes_a_later_failure);
    tcase_add_test(tests, test_merge_drops_parts_that_do_not_line_up);
    tcase_add_test(tests, test_samples_of_a_wrong_clock_go);
    tcase_add_test(tests, test_names);
}

int main(void)
{
    return suite_run("result", add);
}
