// The job that shows whether a device works: it can be sent, and expects what the kernel computes.
#include "model/probe.h"

#include <check.h>
#include <string.h>

START_TEST(test_probe)
{
    struct error e = ERROR_INIT;
    struct text bytes = TEXT_INIT;
    struct wire w;
    uint32_t expected[64];
    struct job *j = job_probe((enum language)_i);
    ck_assert_ptr_nonnull(j);
    ck_assert_ptr_null(job_wrong(j));
    wire_writer(&w, &bytes);
    job_codec(&w, j);
    struct job *read = job_decode(bytes.data, bytes.length, &e);
    ck_assert_msg(read != NULL, "%s", e.text);
    ck_assert_int_eq(read->language, _i);
    ck_assert_int_eq(read->reference.kind, REFERENCE_DATA);
    ck_assert_int_eq(read->buffers[0].compare.kind, COMPARE_EXACT);
    ck_assert_uint_eq(read->reference.data[0].blob.length, sizeof expected);
    ck_assert_ptr_null(read->reference.data[0].blob.data); // travels apart
    memcpy(expected, j->reference.data[0].blob.data, sizeof expected);
    ck_assert_uint_eq(expected[0], 12345);
    ck_assert_uint_eq(expected[1], 2654448106u);
    ck_assert_uint_eq(expected[63], (uint32_t)(63ull * 2654435761u + 12345));
    ck_assert_ptr_nonnull(strstr(read->programs[0].source, "2654435761u + 12345u"));
    job_free(read);
    job_free(j);
    text_release(&bytes);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("probe");
    TCase *cases = tcase_create("probe");
    tcase_add_loop_test(cases, test_probe, 0, LANGUAGE_COUNT);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
