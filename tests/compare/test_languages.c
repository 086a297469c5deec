// `hone compare` of one card in two languages, as a user runs it, on drivers that run nothing: CUDA
// takes half of OpenCL's time, but for one configuration.
#include "base/text.h"

#include "../base/suite.h"
#include "../cli/program.h"

#include <stdlib.h>
#include <string.h>

#define SPEC    HONE_SOURCE_DIR "/tests/compare/data/both.json"
#define PRODUCT HONE_SOURCE_DIR "/tests/compare/data/product.json"

#define has(text, part) ck_assert_msg(strstr(text, part) != NULL, "no '%s' in:\n%s", part, text)

START_TEST(opencl_against_cuda)
{
    struct ran r = program_run("compare", SPEC);
    ck_assert_msg(r.status == 0, "%d: %s%s", r.status, r.out, r.err);
    has(r.out, "OpenCL: both; Fake device, Fake (1); verified against ");
    has(r.out, "CUDA: both; Fake card, CUDA (");
    has(r.out, "OpenCL / CUDA ");
    has(r.out, "  =     ? / 32          ? / 0  ID=3\n"); // the one that is equal
    has(r.out, "3 of 4 differ (95 % family-wise); CUDA is faster in 3.\n");
    has(r.out, "Rank correlation of the two (Kendall's tau): 1.00.\n");
    has(r.out, "Best against best, interleaved: CUDA is 2.00 (2.00 .. 2.00) times faster than "
               "OpenCL.\n");
    ran_release(&r);
}
END_TEST

START_TEST(the_other_way_round)
{
    struct ran r = program_run("compare", SPEC, "--left", "language=cuda", "--right",
                               "language=opencl", "--config", "ID=1", "--json");
    ck_assert_msg(r.status == 0, "%d: %s%s", r.status, r.out, r.err);
    has(r.out, "\"sides\":[{\"label\":\"CUDA\"");
    has(r.out, "\"ratio\":0.5");
    has(r.out, "\"differs\":true,\"in_turn\":true,");
    has(r.out, "\"second_faster\":0,");
    ran_release(&r);
}
END_TEST

// Two nodes with a card each, of which both languages have a view.
#define NODES "--on", "exec:env FAKE_CL_DOMAIN={} FAKE_CUDA_DOMAIN={}", "--nodes", "11,12"

START_TEST(both_views_of_the_cards_of_two_nodes)
{
    struct ran r = program_run("compare", SPEC, "--no-store", NODES);
    ck_assert_msg(r.status == 0, "%d: %s%s", r.status, r.out, r.err);
    has(r.out, "3 of 4 differ (95 % family-wise); CUDA is faster in 3.\n");
    has(r.out, "Best against best, interleaved: CUDA is 2.00 (2.00 .. 2.00) times faster than "
               "OpenCL.\n");
    has(r.out, "2 of 2 devices shared the work\n  11, card 0 (");
    has(r.out, "  12, card 1 (");
    ran_release(&r);
    r = program_run("compare", PRODUCT, "--no-store", "--against", "cublas", NODES);
    ck_assert_msg(r.status == 0, "%d: %s%s", r.status, r.out, r.err);
    has(r.out, "2 of 2 devices shared the work\n  11, card 0 (");
    ran_release(&r);
}
END_TEST

START_TEST(why_needs_code_that_can_be_read)
{
    struct ran r = program_run("compare", SPEC, "--why");
    ck_assert_int_eq(r.status, 0); // the card counts what CUDA's side does
    has(r.out, "Counters, of one launch");
    has(r.out, "No SASS: OpenCL: the driver returned neither PTX nor a cubin");
    ran_release(&r);
    setenv("FAKE_CUDA_FAIL", "cuptiRangeProfilerEnable:35", 1);
    r = program_run("compare", SPEC, "--why");
    unsetenv("FAKE_CUDA_FAIL");
    ck_assert_int_ne(r.status, 0);
    has(r.out, "Best against best"); // what was found is shown all the same
    has(r.err, "OpenCL: the driver returned neither PTX nor a cubin");
    ran_release(&r);
    r = program_run("compare", SPEC, "--config", "ID=1", "--why=ID=2");
    has(r.err, "--why: no configuration that was compared has ID=2");
    ran_release(&r);
}
END_TEST

// The spec's kernel runs in OpenCL, cuBLAS on the CUDA view of that card: in half of the time.
START_TEST(cublas_beside_opencl)
{
    struct ran r = program_run("compare", PRODUCT, "--against", "cublas");
    ck_assert_msg(r.status == 0, "%d: %s%s", r.status, r.out, r.err);
    has(r.err, "Tuning product first");
    has(r.out, "product: product; Fake device, Fake (1); verified against gemm\n");
    has(r.out, "cuBLAS: in place of product; Fake card, CUDA ("); // the machine's driver, if any
    has(r.out, "cuBLAS: cuBLAS 13.1.2 without TF32, /");
    has(r.out, "\ncuBLAS is 2.00 (");
    has(r.out, "1 spec and 1 library, 16 rounds; ");
    ran_release(&r);
    // The store knows the best now, and what cuBLAS did is not it.
    r = program_run("compare", PRODUCT, "--against", "cublas", "--against", "cublas-tf32",
                    "--json");
    ck_assert_msg(r.status == 0, "%d: %s%s", r.status, r.out, r.err);
    ck_assert_ptr_null(strstr(r.err, "Tuning"));
    has(r.out, "{\"label\":\"cuBLAS TF32\",\"spec\":\"product\",\"routine\":\"cublas-tf32\",");
    has(r.out, "\"library\":\"cuBLAS 13.1.2 with TF32, /");
    has(r.out, "\"configuration\":{},\"status\":\"correct\"");
    ran_release(&r);
    r = program_run("best", PRODUCT);
    ck_assert_msg(r.status == 0, "%d: %s%s", r.status, r.out, r.err);
    has(r.out, "ID=0");
    ran_release(&r);
}
END_TEST

// It fails, and the spec's best is measured all the same.
START_TEST(cublas_that_fails)
{
    setenv("FAKE_CUDA_FAIL", "cublasCreate:1", 1);
    struct ran r = program_run("compare", PRODUCT, "--against", "cublas", "--no-store");
    unsetenv("FAKE_CUDA_FAIL");
    ck_assert_msg(r.status == 1, "%d: %s%s", r.status, r.out, r.err);
    has(r.out, "cuBLAS: constraints: cublasCreate: CUBLAS_STATUS_NOT_INITIALIZED (1): ");
    has(r.out, "  ID=0\n");
    ran_release(&r);
}
END_TEST

static void add(TCase *tests)
{
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, opencl_against_cuda);
    tcase_add_test(tests, the_other_way_round);
    tcase_add_test(tests, why_needs_code_that_can_be_read);
    tcase_add_test(tests, both_views_of_the_cards_of_two_nodes);
    tcase_add_test(tests, cublas_beside_opencl);
    tcase_add_test(tests, cublas_that_fails);
}

int main(void)
{
    program_folder();
    int status = suite_run("compare/languages", add);
    program_folder_remove();
    return status;
}
