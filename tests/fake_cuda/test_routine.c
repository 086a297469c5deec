// cuBLAS as a routine, on a fake one: what it computes, and what is said when a call fails.
#include "../device/gemm_job.h"
#include "../device/hiding.h"
#include "kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct kit k;

static void setup(void)
{
    setenv("HONE_TEST_DEVICE", "cuda/", 1);
    kit_open(&k, NULL);
}

static void teardown(void)
{
    kit_close(&k);
}

static struct job *job(enum routine routine, const char *library, int index)
{
    return gemm_job(LANGUAGE_CUDA, routine, library, &gemm_cases[index]);
}

static struct result *run(enum routine routine, const char *library, int index)
{
    return kit_verify_take(&k, job(routine, library, index));
}

START_TEST(is_right)
{
    struct result *r = run(ROUTINE_CUBLAS, NULL, _i);
    ck_status(r, STATUS_CORRECT);
    ck_assert_int_eq(r->verification, VERIFICATION_REFERENCE);
    ck_assert_msg(strstr(r->log, "cuBLAS 13.1.2 without TF32, /") == r->log, "%s", r->log);
    result_free(r);
}
END_TEST

// By GemmEx, C in the matrices' type: its rounding is all that it is off by.
START_TEST(narrow_floats_are_multiplied)
{
    const enum scalar type = _i % 2 ? SCALAR_BFLOAT16 : SCALAR_HALF;
    struct job *j = job(ROUTINE_CUBLAS, NULL, _i / 2);
    for (uint32_t i = 0; i < 3; i++)
        j->buffers[i].element.scalar = type;
    j->buffers[2].compare.rtol = scalar_rounding(type);
    ck_assert_ptr_null(job_wrong(j));
    struct result *r = kit_verify_take(&k, j);
    ck_status(r, STATUS_CORRECT);
    result_free(r);
}
END_TEST

// Three products, of matrices one behind the other.
START_TEST(batches_are_multiplied)
{
    static const enum scalar types[] = {SCALAR_FLOAT, SCALAR_HALF, SCALAR_BFLOAT16};
    const enum scalar type = types[_i % 3];
    struct job *j = job(ROUTINE_CUBLAS, NULL, _i / 3);
    for (uint32_t i = 0; i < 3; i++) {
        j->buffers[i].element.scalar = type;
        j->buffers[i].count *= 3;
    }
    j->reference.gemm.others = 2;
    j->buffers[2].compare.rtol = type == SCALAR_FLOAT ? 1e-5 : scalar_rounding(type);
    ck_assert_ptr_null(job_wrong(j));
    struct result *r = kit_verify_take(&k, j);
    ck_status(r, STATUS_CORRECT);
    result_free(r);
}
END_TEST

START_TEST(doubles_are_multiplied)
{
    struct job *j = job(ROUTINE_CUBLAS, NULL, _i);
    for (uint32_t i = 0; i < 3; i++)
        j->buffers[i].element.scalar = SCALAR_DOUBLE;
    j->buffers[2].compare.rtol = 1e-14;
    ck_assert_ptr_null(job_wrong(j));
    struct result *r = kit_verify_take(&k, j);
    ck_status(r, STATUS_CORRECT);
    result_free(r);
}
END_TEST

// A product of 8-bit floats, of k along the rows of both; it is added to half of C.
static struct job *job_of_eights(enum routine routine, enum scalar a, enum scalar b)
{
    static const struct gemm_case product = {33, 20, 48, false, true, 0.5, 0.5};
    struct job *j = gemm_job(LANGUAGE_CUDA, ROUTINE_NONE, NULL, &product);
    j->routine = routine;
    j->buffers[0].element.scalar = a;
    j->buffers[1].element.scalar = b;
    j->buffers[2].element.scalar = SCALAR_BFLOAT16;
    j->buffers[2].compare.rtol = scalar_rounding(SCALAR_BFLOAT16);
    return j;
}

// The last of the algorithms that are proposed is the fastest, and is the one that is timed.
START_TEST(eight_bits_are_multiplied)
{
    const struct policy policy = {
        .launches = 12, .batch = 4, .warmups = 1, .check = POLICY_CHECK_EACH};
    struct job *j = job_of_eights(_i ? ROUTINE_CUBLAS_FAST : ROUTINE_CUBLAS, SCALAR_E4M3,
                                  _i ? SCALAR_E5M2 : SCALAR_E4M3);
    struct result *r = result_new();
    ck_assert_ptr_null(job_wrong(j));
    struct loaded *l = device_load(k.device, j, NULL, r);
    ck_status(r, STATUS_CORRECT);
    ck_assert(device_verify(k.device, l, &policy, r) && device_measure(k.device, l, &policy, r));
    for (uint32_t i = 0; i < 12; i++)
        ck_assert_msg(r->samples_ns[i] < 70000, "%llu", (unsigned long long)r->samples_ns[i]);
    ck_assert_msg(strstr(r->log, _i ? "with fast sums, /" : "without TF32, /"), "%s", r->log);
    device_unload(k.device, l);
    result_free(r);
    job_free(j);
}
END_TEST

START_TEST(eight_bits_that_are_not_offered)
{
    struct result *r = kit_verify_take(&k, job_of_eights(ROUTINE_CUBLAS, SCALAR_E5M2, SCALAR_E5M2));
    ck_status(r, STATUS_CONSTRAINTS);
    ck_says(r, "cublasLtMatmulAlgoGetHeuristic: CUBLAS_STATUS_NOT_SUPPORTED (15)");
    result_free(r);
    struct job *j = job_of_eights(ROUTINE_CUBLAS_FAST, SCALAR_E4M3, SCALAR_E4M3);
    j->buffers[0].element.scalar = SCALAR_BFLOAT16;
    ck_assert_ptr_nonnull(strstr(job_wrong(j), "cublas-fast multiplies matrices of 8-bit floats"));
    job_free(j);
}
END_TEST

START_TEST(other_types_are_refused)
{
    struct job *j = job(ROUTINE_CUBLAS, NULL, 4);
    j->buffers[1].element.scalar = SCALAR_HALF;
    ck_assert_ptr_nonnull(strstr(job_wrong(j), "all of one type"));
    for (uint32_t i = 0; i < 3; i++)
        j->buffers[i].element.scalar = SCALAR_BFLOAT16;
    ck_assert_ptr_null(job_wrong(j));
    j->routine = ROUTINE_CUBLAS_TF32; // is of float
    ck_assert_ptr_nonnull(strstr(job_wrong(j), "multiplies matrices of float"));
    job_free(j);
}
END_TEST

// Eleven bits are too few for a reference that wants float's, and enough for one that does not.
START_TEST(tf32_is_held_against_the_same_reference)
{
    struct result *r = run(ROUTINE_CUBLAS_TF32, NULL, 4);
    ck_status(r, STATUS_CORRECTNESS);
    ck_assert_msg(strstr(r->log, "cuBLAS 13.1.2 with TF32, /") == r->log, "%s", r->log);
    result_free(r);
    struct job *j = job(ROUTINE_CUBLAS_TF32, NULL, 4);
    j->buffers[2].compare.rtol = 1e-2;
    r = kit_verify_take(&k, j);
    ck_status(r, STATUS_CORRECT);
    result_free(r);
}
END_TEST

// The time is the card's, from the first call of a batch to the end of the last. Also where the host takes
// longer over a call than the card: the batch is in the stream before its first call begins.
START_TEST(samples_are_the_cards)
{
    const struct policy policy = {
        .launches = 12, .batch = 4, .warmups = 1, .check = POLICY_CHECK_EACH};
    struct result *r = result_new();
    if (_i)
        setenv("FAKE_CUDA_ENQUEUE_NS", "100000", 1);
    struct job *j = job(ROUTINE_CUBLAS, NULL, 0); // soon done by the host, which does it
    struct loaded *l = device_load(k.device, j, NULL, r);
    ck_status(r, STATUS_CORRECT);
    ck_assert(device_verify(k.device, l, &policy, r) && device_measure(k.device, l, &policy, r));
    uint64_t least = UINT64_MAX;
    ck_assert_uint_eq(r->sample_count, 12);
    for (uint32_t i = 0; i < 12; i++)
        least = r->samples_ns[i] < least ? r->samples_ns[i] : least;
    ck_assert_msg(least > 50000 && least < 60000, "%llu", (unsigned long long)least);
    device_unload(k.device, l);
    result_free(r);
    job_free(j);
}
END_TEST

static const struct {
    const char *order;
    enum status status;
    const char *says;
} failures[] = {
    {"cublasCreate:1", STATUS_CONSTRAINTS,
     "cublasCreate: CUBLAS_STATUS_NOT_INITIALIZED (1): the driver may be too old"},
    {"cublasCreate:3", STATUS_CONSTRAINTS, "CUBLAS_STATUS_ALLOC_FAILED (3): the card has no mem"},
    {"cublasSetStream:14", STATUS_CONSTRAINTS, "cublasSetStream: CUBLAS_STATUS_INTERNAL_ERROR"},
    {"cublasSetMathMode:7", STATUS_CONSTRAINTS, "cublasSetMathMode: CUBLAS_STATUS_INVALID_VALUE"},
    {"cublasSgemm:13", STATUS_RUNTIME, "cublasSgemm: CUBLAS_STATUS_EXECUTION_FAILED (13)"},
    {"cublasSgemm:8", STATUS_CONSTRAINTS, "CUBLAS_STATUS_ARCH_MISMATCH (8): the driver may be"},
    {"cublasSgemm:99", STATUS_RUNTIME, "cublasSgemm: a code of its own (99)"},
};

START_TEST(calls_that_fail)
{
    setenv("FAKE_CUDA_FAIL", failures[_i].order, 1);
    struct result *r = run(ROUTINE_CUBLAS, NULL, 4);
    ck_status(r, failures[_i].status);
    ck_says(r, failures[_i].says);
    result_free(r);
}
END_TEST

// cuBLAS says that all is well, and the card is gone when it is waited for.
START_TEST(a_driver_that_fails)
{
    struct result *r = result_new();
    struct policy policy = {.launches = 1, .batch = 1};
    struct job *j = job(ROUTINE_CUBLAS, NULL, 4);
    struct loaded *l = device_load(k.device, j, NULL, r);
    ck_status(r, STATUS_CORRECT);
    setenv("FAKE_CUDA_FAIL", "cuEventRecord:700", 1);
    ck_assert(!device_verify(k.device, l, &policy, r));
    ck_status(r, STATUS_RUNTIME);
    ck_says(r, "cuBLAS failed while running: cuEventRecord: CUDA_ERROR_ILLEGAL_ADDRESS (700)");
    unsetenv("FAKE_CUDA_FAIL");
    device_unload(k.device, l);
    result_free(r);
    r = run(ROUTINE_CUBLAS, NULL, 4); // nothing works in this process any more
    ck_status(r, STATUS_RUNTIME);
    ck_says(r, "the device was lost");
    result_free(r);
    job_free(j);
}
END_TEST

START_TEST(libraries_that_cannot_be_called)
{
    struct result *r = run(ROUTINE_CUBLAS, "libm.so.6", 0);
    ck_status(r, STATUS_CONSTRAINTS);
    ck_says(r, "libm.so.6 has no cublasCreate_v2: it is not a library, or no version, of cuBLAS");
    result_free(r);
    r = run(ROUTINE_CUBLAS, "/nowhere/libcublas.so.12", 0);
    ck_says(r, "/nowhere/libcublas.so.12 cannot be opened as cuBLAS: ");
    result_free(r);
    r = run(ROUTINE_CLBLAST, NULL, 0);
    ck_status(r, STATUS_CONSTRAINTS);
    ck_says(r, "CLBlast is not called through CUDA: cuBLAS is");
    result_free(r);
    hidden = "cublas";
    r = run(ROUTINE_CUBLAS, NULL, 0);
    ck_status(r, STATUS_CONSTRAINTS);
    ck_says(r, "cuBLAS was not found (tried libcublas.so.13, libcublas.so.12, libcublas.so.11 "
               "where the loader looks, ");
    ck_says(r, "the usual folders of CUDA toolkits");
    ck_says(r, "--against cublas=FILE");
    result_free(r);
}
END_TEST

static void add(TCase *tests)
{
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, is_right, 0, GEMM_CASES);
    tcase_add_loop_test(tests, narrow_floats_are_multiplied, 0, 2 * GEMM_CASES);
    tcase_add_loop_test(tests, batches_are_multiplied, 0, 3 * GEMM_CASES);
    tcase_add_loop_test(tests, doubles_are_multiplied, 0, GEMM_CASES);
    tcase_add_loop_test(tests, eight_bits_are_multiplied, 0, 2);
    tcase_add_test(tests, eight_bits_that_are_not_offered);
    tcase_add_test(tests, other_types_are_refused);
    tcase_add_test(tests, tf32_is_held_against_the_same_reference);
    tcase_add_loop_test(tests, samples_are_the_cards, 0, 2);
    tcase_add_loop_test(tests, calls_that_fail, 0, sizeof failures / sizeof *failures);
    tcase_add_test(tests, a_driver_that_fails);
    tcase_add_test(tests, libraries_that_cannot_be_called);
}

int main(void)
{
    return kit_run("fake_cuda/routine", add);
}
