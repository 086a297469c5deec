// The layouts of job, device and policy: there and back, and what damaged bytes do.
#include "hostile.h"
#include "model/policy.h"
#include "sample.h"

#include "../base/suite.h"

#include <string.h>

static bool decode_job(const void *data, size_t length, struct text *again)
{
    struct error e = ERROR_INIT;
    struct job *j = job_decode(data, length, &e);
    if (j == NULL) {
        ck_assert_int_ne(e.code, ERROR_NONE);
        return false;
    }
    job_bytes(j, again);
    job_free(j);
    return true;
}

static bool decode_device(const void *data, size_t length, struct text *again)
{
    struct device_info d = {0};
    struct arena arena;
    struct wire w;
    arena_init(&arena);
    wire_reader(&w, data, length, &arena);
    device_info_codec(&w, &d);
    bool accepted = wire_done(&w);
    if (accepted) {
        wire_writer(&w, again);
        device_info_codec(&w, &d);
    }
    arena_release(&arena);
    return accepted;
}

static struct text good;

static void setup_job(void)
{
    struct job *j = sample_job();
    job_bytes(j, &good);
    job_free(j);
}

static void setup_device(void)
{
    struct device_info d = sample_device();
    struct wire w;
    wire_writer(&w, &good);
    device_info_codec(&w, &d);
}

static void teardown(void)
{
    text_release(&good);
}

START_TEST(test_job_is_read_as_written)
{
    struct error e = ERROR_INIT;
    struct job *j = job_decode(good.data, good.length, &e);
    ck_assert_msg(j != NULL, "%s", e.text);
    ck_assert_str_eq(j->programs[0].name, "first.cl");
    ck_assert_mem_eq(j->programs[0].files[0].text, "#define TILE 4\n", 15);
    ck_assert_ptr_nonnull(j->programs[0].files[1].text); // empty, and still a text
    ck_assert_str_eq(j->programs[0].options[0], "-DNAME=some text");
    ck_assert_uint_eq(j->buffers[0].fill.seed, 7);
    ck_assert_str_eq(j->buffers[1].fill.expression, "i % size");
    ck_assert(j->buffers[2].output && j->buffers[2].compare.rtol == 1e-4);
    ck_assert_uint_eq(j->buffers[4].element.custom_bytes, 12);
    ck_assert_uint_eq(j->launches[0].local[1], 4);
    ck_assert_uint_eq(j->launches[0].arguments[2].local_bytes, 1024);
    ck_assert(j->reference.agreement && j->reference.gemm.beta == 0.5);
    ck_assert_str_eq(j->reference.job->launches[0].kernel, "plain");
    ck_assert_str_eq(j->configuration, ""); // not on the wire
    job_free(j);
}
END_TEST

START_TEST(test_epilogue_is_read_as_written)
{
    struct job *j = sample_routine_job(), *again;
    struct job_gemm *g = &j->reference.gemm;
    struct text more = TEXT_INIT;
    struct error e = ERROR_INIT;
    g->m = g->n = g->k = 2;
    g->others = 1, g->gamma = 0.5, g->bias = 1, g->activation = ACTIVATION_SILU;
    j->routine = ROUTINE_NONE; // none computes that
    j->routine_library = j->routine_about = NULL;
    job_bytes(j, &more);
    again = job_decode(more.data, more.length, &e);
    ck_assert_msg(again, "%s", e.text);
    ck_assert_int_eq(again->reference.kind, REFERENCE_GEMM);
    ck_assert_mem_eq(&again->reference.gemm, g, sizeof *g);
    job_free(again);
    job_free(j);
    text_release(&more);
}
END_TEST

START_TEST(test_job_encodes_to_the_same_bytes)
{
    struct text again = TEXT_INIT;
    ck_assert(decode_job(good.data, good.length, &again));
    ck_assert_uint_eq(again.length, good.length);
    ck_assert_mem_eq(again.data, good.data, good.length);
    text_release(&again);
}
END_TEST

START_TEST(test_forms_of_code)
{
    static const struct {
        const char *code;
        size_t length;
        enum code_form form;
    } cases[] = {
        {".version 8.0\n.target sm_90", 26, FORM_PTX},
        {"// by a compiler\n//\n\n\t.version 8.0\n", 36, FORM_PTX},
        {"// .version 8.0", 15, FORM_SOURCE},
        {"/* c */ .version 8.0", 20, FORM_SOURCE},
        {".version", 8, FORM_SOURCE},
        {"//", 2, FORM_SOURCE},
        {"", 0, FORM_SOURCE},
        {"__kernel void k() {}", 20, FORM_SOURCE},
        {"\177ELF\2\1", 6, FORM_CUBIN},
        {"\3\2\43\7\0\0", 6, FORM_SPIRV},
        {"\3\2\43", 3, FORM_SOURCE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_msg(code_form_of(cases[i].code, cases[i].length) == cases[i].form, "%zu", i);
}
END_TEST

START_TEST(test_images_and_samplers)
{
    struct error e = ERROR_INIT;
    struct text bytes = TEXT_INIT;
    struct digest plain, image, wrapped;
    struct job *j = sample_job();
    job_buffer_digest(&j->buffers[0], &plain);
    j->buffers[0].element = (struct element){.scalar = SCALAR_U8, .width = 4};
    j->buffers[0].count = 8 * 4;
    j->buffers[0].constant = false;
    j->buffers[0].image = (struct job_image){.dimensions = 2,
                                             .size = {8, 4, 1},
                                             .order = IMAGE_BGRA,
                                             .normalized = true,
                                             .sampler = {ADDRESSING_CLAMP, true, false}};
    job_buffer_digest(&j->buffers[0], &image);
    ck_assert(!digest_equal(&plain, &image));
    j->launches[0].arguments[2].kind = ARGUMENT_SAMPLER;
    j->launches[0].arguments[2].sampler = (struct job_sampler){ADDRESSING_REPEAT, false, true};
    job_bytes(j, &bytes);
    struct job *again = job_decode(bytes.data, bytes.length, &e);
    ck_assert_msg(again != NULL, "%s", e.text);
    ck_assert_mem_eq(&again->buffers[0].image, &j->buffers[0].image, sizeof(struct job_image));
    ck_assert_uint_eq(again->buffers[1].image.dimensions, 0);
    const struct job_sampler *s = &again->launches[0].arguments[2].sampler;
    ck_assert(s->addressing == ADDRESSING_REPEAT && !s->linear && s->normalized);
    j->buffers[0].image.sampler.addressing = ADDRESSING_REPEAT;
    job_buffer_digest(&j->buffers[0], &wrapped);
    ck_assert(!digest_equal(&image, &wrapped));
    text_release(&bytes);
    job_free(again);
    job_free(j);
}
END_TEST

START_TEST(test_bytes_after_a_job_are_refused)
{
    struct error e = ERROR_INIT;
    text_addc(&good, '\0');
    ck_assert_ptr_null(job_decode(good.data, good.length, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "after its end"));
}
END_TEST

START_TEST(test_least_job)
{
    struct text bytes = TEXT_INIT, again = TEXT_INIT;
    struct job *j = sample_least_job();
    job_bytes(j, &bytes);
    ck_assert(decode_job(bytes.data, bytes.length, &again));
    ck_assert_uint_eq(again.length, bytes.length);
    text_release(&bytes);
    text_release(&again);
    job_free(j);
}
END_TEST

START_TEST(test_routine_job)
{
    struct error e = ERROR_INIT;
    struct text bytes = TEXT_INIT;
    struct job *j = sample_routine_job();
    job_bytes(j, &bytes);
    struct job *read = job_decode(bytes.data, bytes.length, &e);
    ck_assert_msg(read != NULL, "%s", e.text);
    ck_assert_int_eq(read->routine, ROUTINE_CBLAS);
    ck_assert_str_eq(read->routine_library, j->routine_library);
    hostile_truncations(decode_job, &bytes);
    hostile_numbers(decode_job, &bytes);
    hostile_flips(decode_job, &bytes, 5000);
    text_release(&bytes);
    job_free(read);
    job_free(j);
}
END_TEST

// Bytes and keys of jobs with programs are what they were before there were routines.
START_TEST(test_programs_leave_no_room_for_a_routine)
{
    struct text plain = TEXT_INIT, named = TEXT_INIT;
    struct job *j = sample_least_job();
    job_bytes(j, &plain);
    j->routine = ROUTINE_CUBLAS;
    j->routine_library = "libcublas.so.13";
    ck_assert_ptr_nonnull(strstr(job_wrong(j), "programs or launches of its own"));
    job_bytes(j, &named);
    ck_assert_uint_eq(plain.length, named.length);
    ck_assert_mem_eq(plain.data, named.data, plain.length);
    text_release(&plain);
    text_release(&named);
    job_free(j);
}
END_TEST

// A reference has no reference: neither written nor hashed, so a chain cannot exhaust the stack.
START_TEST(test_depth_is_bounded)
{
    struct text bytes = TEXT_INIT;
    struct wire w;
    struct job *j = sample_job();
    j->reference.job->reference.job = sample_least_job();
    wire_writer(&w, &bytes);
    job_codec(&w, j);
    ck_assert(w.failed);
    ck_assert_ptr_nonnull(strstr(w.why, "reference of its own"));
    text_release(&bytes);
    job_free(j->reference.job->reference.job);
    job_free(j);
}
END_TEST

// The same on the reading side: the nested job's "no reference" flag turned on.
START_TEST(test_depth_is_bounded_when_read)
{
    struct error e = ERROR_INIT;
    struct job *j = sample_least_job();
    struct job *inner = sample_least_job();
    struct text bytes = TEXT_INIT;
    j->reference = (struct job_reference){.kind = REFERENCE_JOB, .name = "x", .job = inner};
    job_bytes(j, &bytes);
    // A job ends: flag of the nested job (1 byte), count of data (4 bytes); so does the outer one.
    size_t flag = bytes.length - 4 - 4 - 1;
    ck_assert_int_eq(bytes.data[flag], 0);
    bytes.data[flag] = 1;
    ck_assert_ptr_null(job_decode(bytes.data, bytes.length, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "reference of its own"));
    text_release(&bytes);
    job_free(inner);
    job_free(j);
}
END_TEST

START_TEST(test_job_truncations)
{
    hostile_truncations(decode_job, &good);
}
END_TEST

START_TEST(test_job_numbers)
{
    hostile_numbers(decode_job, &good);
}
END_TEST

START_TEST(test_job_flips)
{
    hostile_flips(decode_job, &good, 20000);
}
END_TEST

START_TEST(test_device_damage)
{
    hostile_truncations(decode_device, &good);
    hostile_numbers(decode_device, &good);
    hostile_flips(decode_device, &good, 5000);
}
END_TEST

START_TEST(test_device_texts_may_not_be_missing)
{
    struct device_info d = sample_device();
    struct text bytes = TEXT_INIT, again = TEXT_INIT;
    struct wire w;
    d.pci = NULL;
    wire_writer(&w, &bytes);
    device_info_codec(&w, &d);
    ck_assert(!decode_device(bytes.data, bytes.length, &again));
    text_release(&bytes);
}
END_TEST

START_TEST(test_policy)
{
    struct policy p = {1, 2, 7,    3,    4,    5,   6, true, true, POLICY_CHECK_ONE,
                       8, 9, true, true, true, true},
                  q = {0};
    struct text bytes = TEXT_INIT;
    struct arena arena;
    struct wire w;
    arena_init(&arena);
    wire_writer(&w, &bytes);
    policy_codec(&w, &p);
    wire_reader(&w, bytes.data, bytes.length, &arena);
    policy_codec(&w, &q);
    ck_assert(wire_done(&w));
    ck_assert(q.launches == 1 && q.batch == 2 && q.hopeless_ns == 3 && q.budget_ns == 4);
    ck_assert(q.launch_limit_ns == 5 && q.build_limit_ns == 6 && q.cold && q.fixed);
    ck_assert(q.warmups == 7 && q.check == POLICY_CHECK_ONE && q.host_clock && q.energy &&
              q.counters && q.chosen == 8 && q.inputs == 9 && q.audit);
    arena_release(&arena);
    text_release(&bytes);
}
END_TEST

START_TEST(test_names)
{
    enum language l = LANGUAGE_OPENCL;
    ck_assert_str_eq(language_text(LANGUAGE_CUDA), "cuda");
    ck_assert(language_parse("CUDA", &l) && l == LANGUAGE_CUDA);
    ck_assert(!language_parse("Vulkan", &l) && l == LANGUAGE_CUDA);
    ck_assert_str_eq(device_type_text(DEVICE_INTEGRATED), "integrated");
    ck_assert_str_eq(device_type_text((enum device_type)99), "?");
    ck_assert_str_eq(routine_text(ROUTINE_CUBLAS_TF32), "cublas-tf32");
    ck_assert_str_eq(routine_title(ROUTINE_CLBLAST), "CLBlast");
    ck_assert_str_eq(routine_title(ROUTINE_COUNT), "?");
}
END_TEST

static void add_device_tests(Suite *suite)
{
    TCase *tests = tcase_create("device and policy");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, setup_device, teardown);
    tcase_add_test(tests, test_device_damage);
    tcase_add_test(tests, test_device_texts_may_not_be_missing);
    tcase_add_test(tests, test_policy);
    tcase_add_test(tests, test_names);
    suite_add_tcase(suite, tests);
}

static void add_job_tests(Suite *suite)
{
    TCase *tests = tcase_create("job");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, setup_job, teardown);
    tcase_add_test(tests, test_job_is_read_as_written);
    tcase_add_test(tests, test_epilogue_is_read_as_written);
    tcase_add_test(tests, test_job_encodes_to_the_same_bytes);
    tcase_add_test(tests, test_forms_of_code);
    tcase_add_test(tests, test_images_and_samplers);
    tcase_add_test(tests, test_bytes_after_a_job_are_refused);
    tcase_add_test(tests, test_least_job);
    tcase_add_test(tests, test_routine_job);
    tcase_add_test(tests, test_programs_leave_no_room_for_a_routine);
    tcase_add_test(tests, test_depth_is_bounded);
    tcase_add_test(tests, test_depth_is_bounded_when_read);
    tcase_add_test(tests, test_job_truncations);
    tcase_add_test(tests, test_job_numbers);
    tcase_add_test(tests, test_job_flips);
    suite_add_tcase(suite, tests);
}

int main(void)
{
    Suite *suite = suite_create("codec");
    add_job_tests(suite);
    add_device_tests(suite);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
