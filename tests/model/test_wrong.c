// What job_wrong() must refuse: one change to a good job at a time.
#include "sample.h"

#include "../base/suite.h"

#include <string.h>

static struct job *j;

static void setup(void)
{
    j = sample_job();
}

static void teardown(void)
{
    job_free(j);
}

static struct job_image image_of(uint32_t axes, uint64_t width, uint64_t depth)
{
    return (struct job_image){.dimensions = axes, .size = {width, 1, depth}};
}

// X(what is done to the sample job, part of the reason that is given)
#define WRONGS(X)                                                                                  \
    X(j->programs[0].name = NULL, "program has no name")                                           \
    X(j->programs[0].source = NULL, "no source")                                                   \
    X(j->programs[0].files[0].path = NULL, "leads outside")                                        \
    X(j->programs[0].files[0].path = "", "leads outside")                                          \
    X(j->programs[0].files[0].path = "/etc/passwd", "leads outside")                               \
    X(j->programs[0].files[0].path = "..", "leads outside")                                        \
    X(j->programs[0].files[0].path = "../a.h", "leads outside")                                    \
    X(j->programs[0].files[0].path = "a/../../b.h", "leads outside")                               \
    X(j->programs[0].files[0].path = "a//../b.h", "leads outside")                                 \
    X(j->programs[0].files[0].path = "a/..", "leads outside")                                      \
    X(j->programs[0].files[0].text = NULL, "no text")                                              \
    X(j->programs[0].folders[1] = "../include", "leads outside")                                   \
    X(j->programs[0].folders[1] = "/usr/include", "leads outside")                                 \
    X(j->programs[0].folders[1] = NULL, "leads outside")                                           \
    X(j->programs[0].options[1] = NULL, "option")                                                  \
    X(j->buffers[0].name = NULL, "buffer has no name")                                             \
    X(j->buffers[0].element.scalar = SCALAR_COUNT, "element type")                                 \
    X(j->buffers[0].element.width = 0, "element type")                                             \
    X(j->buffers[0].element.width = 5, "element type")                                             \
    X(j->buffers[0].element.width = 32, "element type")                                            \
    X(j->buffers[4].element.custom_bytes = 0, "element type")                                      \
    X(j->buffers[4].padding = "x-", "element type")                                                \
    X(j->buffers[4].element.width = 2, "element type")                                             \
    X(j->buffers[0].count = UINT64_MAX, "implausibly large")                                       \
    X(j->buffers[0].count = UINT64_MAX / 16 + 2, "implausibly large")                              \
    X(j->buffers[0].count = (1ull << 44) + 1, "implausibly large")                                 \
    X(j->buffers[0].access = ACCESS_COUNT, "access")                                               \
    X(j->buffers[2].compare.kind = COMPARE_COUNT, "comparison")                                    \
    X(j->buffers[2].compare.first = 257, "region")                                                 \
    X(j->buffers[2].compare.count = 241, "region")                                                 \
    X(j->buffers[2].compare.count = UINT64_MAX, "region")                                          \
    X(j->buffers[0].fill.kind = FILL_COUNT, "fill")                                                \
    X(j->buffers[1].fill.expression = NULL, "expression")                                          \
    X(j->buffers[4].fill.blob.length = 23, "size")                                                 \
    X(j->buffers[4].count = 3, "size")                                                             \
    X(j->buffers[0].fill.blob.length = 8, "size")                                                  \
    X(j->buffers[0].image = image_of(4, 1, 1), "two or three")                                     \
    X(j->buffers[0].image = image_of(2, 0, 1), "size")                                             \
    X(j->buffers[0].image = image_of(2, 2, 1), "size")                                             \
    X(j->buffers[0].image = image_of(2, j->buffers[0].count, 2), "size")                           \
    X(j->buffers[4].image = image_of(2, j->buffers[4].count, 1), "components")                     \
    X(j->launches[0].name = NULL, "no name")                                                       \
    X(j->launches[0].kernel = NULL, "no kernel")                                                   \
    X(j->launches[0].program = 2, "program that is not there")                                     \
    X(j->launches[0].dimensions = 0, "dimensions")                                                 \
    X(j->launches[0].dimensions = 4, "dimensions")                                                 \
    X(j->launches[0].arguments[0].name = NULL, "argument has no name")                             \
    X(j->launches[0].arguments[0].buffer = 5, "buffer that is not there")                          \
    X(j->launches[0].arguments[1].element.width = 0, "type is unknown")                            \
    X(j->launches[0].arguments[1].length = 12, "size")                                             \
    X(j->launches[0].arguments[1].value = NULL, "size")                                            \
    X(j->launches[0].arguments[2].local_bytes = UINT64_MAX, "implausibly large")                   \
    X(j->reference.name = NULL, "no name")                                                         \
    X(j->reference.kind = REFERENCE_COUNT, "unknown")                                              \
    X(j->reference.job = NULL, "missing")                                                          \
    X(j->reference.job->buffers[0].count = 47, "type or size")                                     \
    X(j->reference.job->buffers[0].name = "D", "lacks")                                            \
    X(j->reference.job->launches[0].program = 1, "program that is not there")

struct wrong {
    const char *change, *reason;
};

static const struct wrong wrongs[] = {
#define X(change, reason) {#change, reason},
    WRONGS(X)
#undef X
};

static void make_wrong(int which)
{
    int n = 0;
#define X(change, reason)                                                                          \
    if (n++ == which)                                                                              \
        change;
    WRONGS(X)
#undef X
}

START_TEST(test_wrong)
{
    ck_assert_ptr_null(job_wrong(j));
    make_wrong(_i);
    const char *why = job_wrong(j);
    ck_assert_msg(why != NULL, "%s is accepted", wrongs[_i].change);
    ck_assert_msg(strstr(why, wrongs[_i].reason), "%s: %s", wrongs[_i].change, why);
}
END_TEST

// And the reader refuses it for the same reason, unless the layout itself cannot say it.
START_TEST(test_reader_refuses_wrong)
{
    struct error e = ERROR_INIT;
    struct text bytes = TEXT_INIT;
    struct wire w;
    if (strstr(wrongs[_i].change, ".length =") != NULL || strstr(wrongs[_i].change, "= NULL"))
        return; // a length cannot lie about its bytes; NULL texts are tested as damage
    make_wrong(_i);
    wire_writer(&w, &bytes);
    job_codec(&w, j);
    if (!w.failed) {
        ck_assert_ptr_null(job_decode(bytes.data, bytes.length, &e));
        ck_assert_msg(strstr(e.text, wrongs[_i].reason), "%s: %s", wrongs[_i].change, e.text);
    }
    text_release(&bytes);
}
END_TEST

// X(what is done, to a job that stays right)
#define RIGHTS(X)                                                                                  \
    X(j->programs[0].files[0].path = "a..b/...h")                                                  \
    X(j->programs[0].files[0].path = "..a/b..")                                                    \
    X(j->buffers[0].count = 1ull << 44)                                                            \
    X(j->buffers[0].count = 0)                                                                     \
    X(j->buffers[2].compare.first = 256; j->buffers[2].compare.count = 0)                          \
    X(j->buffers[2].compare.count = 240)                                                           \
    X(j->reference.job->buffers[0].count = 48) /* 16 + 32 are compared */                          \
    X(j->launches[0].arguments[0].element.width = 0)                                               \
    X(j->launches[0].dimensions = 3)                                                               \
    X(j->reference = (struct job_reference){.kind = REFERENCE_NONE})

enum { RIGHT_COUNT = 10 };

START_TEST(test_right)
{
    int n = 0;
    static const char *const changes[] = {
#define X(...) #__VA_ARGS__,
        RIGHTS(X)
#undef X
    };
#define X(...)                                                                                     \
    if (n++ == _i) {                                                                               \
        __VA_ARGS__;                                                                               \
    }
    RIGHTS(X)
#undef X
    ck_assert_int_eq(n, RIGHT_COUNT);
    ck_assert_msg(job_wrong(j) == NULL, "%s: %s", changes[_i], job_wrong(j));
}
END_TEST

START_TEST(test_gemm_must_fit)
{
    struct job_gemm *g = &j->reference.gemm;
    j->reference.kind = REFERENCE_GEMM;
    j->reference.gemm = (struct job_gemm){.m = 16, .n = 16, .k = 6, .a = 0, .b = 1, .c = 2};
    ck_assert_ptr_null(job_wrong(j)); // A has 64 float4, B 100, C 256
    g->k = 7;                         // B would need 112
    ck_assert_ptr_nonnull(job_wrong(j));
    *g = (struct job_gemm){.m = 1ull << 32, .n = 1ull << 32, .k = 1ull << 32, .a = 0, .b = 1};
    ck_assert_ptr_nonnull(job_wrong(j));
    *g = (struct job_gemm){.m = 1, .n = 1, .k = 1, .a = 0, .b = 1, .c = 5};
    ck_assert_ptr_nonnull(job_wrong(j));
    *g = (struct job_gemm){.m = 8, .n = 8, .k = 2, .a = 0, .b = 1, .c = 2, .others = 3};
    ck_assert_ptr_null(job_wrong(j));
    g->others = 4; // A would need 5 * 16 float4 of 64
    g->k = 9;
    ck_assert_ptr_nonnull(job_wrong(j));
    g->others = UINT64_MAX;
    ck_assert_ptr_nonnull(job_wrong(j));
    *g = (struct job_gemm){.m = 1, .n = 1, .k = 1, .a = 0, .b = 1, .c = 2, .gamma = 1, .bias = 99};
    ck_assert_ptr_nonnull(job_wrong(j));
    *g = (struct job_gemm){.m = 1, .n = 1, .k = 1, .a = 0, .b = 1, .c = 2};
    g->activation = ACTIVATION_COUNT;
    ck_assert_ptr_nonnull(job_wrong(j));
    g->activation = ACTIVATION_NONE;
    g->c = 4; // a custom type has no numbers
    ck_assert_ptr_nonnull(job_wrong(j));
}
END_TEST

START_TEST(test_data_must_fit)
{
    j->reference.kind = REFERENCE_DATA;
    ck_assert_ptr_null(job_wrong(j));
    j->reference.data[0].blob.length--;
    ck_assert_ptr_nonnull(job_wrong(j));
    j->reference.data[0].blob.length++;
    j->reference.data[0].buffer = 5;
    ck_assert_ptr_nonnull(job_wrong(j));
}
END_TEST

START_TEST(test_expression_must_fit)
{
    struct job_number number = {.name = "a"};
    struct job_expression x = {.text = "a", .buffer = 2, .numbers = &number, .number_count = 1};
    j->reference.kind = REFERENCE_EXPRESSION;
    j->reference.expressions = &x;
    j->reference.expression_count = 1;
    ck_assert_ptr_null(job_wrong(j));
    x.total = true; // and it is not compared by its sum
    ck_assert_ptr_nonnull(job_wrong(j));
    x.total = false;
    x.buffer = 5;
    ck_assert_ptr_nonnull(job_wrong(j));
    x.buffer = 4; // structs
    ck_assert_ptr_nonnull(job_wrong(j));
    x.buffer = 2;
    x.text = NULL;
    ck_assert_ptr_nonnull(job_wrong(j));
    x.text = "a";
    number.name = NULL;
    ck_assert_ptr_nonnull(job_wrong(j));
}
END_TEST

static void change_routine(struct job *r, int which)
{
    struct job_gemm *g = &r->reference.gemm;
    switch (which) {
    case 0:
        r->routine = ROUTINE_COUNT;
        return;
    case 1:
        r->routine = ROUTINE_NONE;
        return;
    case 2:
        r->program_count = 1;
        r->programs = j->programs;
        return;
    case 3:
        r->launch_count = 1;
        r->launches = j->launches;
        r->launches[0].program = 0;
        return;
    case 4:
        r->reference.kind = REFERENCE_NONE;
        return;
    case 5:
        r->buffers[1].element.scalar = SCALAR_DOUBLE;
        return;
    case 6:
        r->buffers[1].element.width = 3;
        return;
    case 7:
        r->buffers[2].access = ACCESS_READ;
        return;
    case 8:
        *g = (struct job_gemm){.m = 2, .n = 2, .k = 2, .a = 0, .b = 1, .c = 1};
        return;
    case 9:
        g->c = 0;
        return;
    case 10:
        g->activation = ACTIVATION_GELU;
        return;
    case 11:
        g->gamma = 1;
        return;
    default:
        *g = (struct job_gemm){.m = 2, .n = 2, .k = 2, .a = 0, .b = 1, .c = 2, .others = 1};
        r->routine = ROUTINE_CLBLAST;
        return;
    }
}

static const char *const routine_reasons[] = {
    "unknown", "no routine of it", "programs",      "program",       "not a gemm", "float",
    "float",   "into an input",    "into an input", "into an input", "alone,",     "alone,",
    "several",
};

START_TEST(test_wrong_routine)
{
    struct job *r = sample_routine_job();
    ck_assert_ptr_null(job_wrong(r));
    r->buffers[0].count = r->buffers[1].count = 32;
    change_routine(r, _i);
    const char *why = job_wrong(r);
    ck_assert_msg(why && strstr(why, routine_reasons[_i]), "%d: %s", _i, why ? why : "accepted");
    job_free(r);
}
END_TEST

static void add(TCase *tests)
{
    int count = sizeof wrongs / sizeof *wrongs;
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, test_wrong, 0, count);
    tcase_add_loop_test(tests, test_reader_refuses_wrong, 0, count);
    tcase_add_loop_test(tests, test_right, 0, RIGHT_COUNT);
    tcase_add_test(tests, test_gemm_must_fit);
    tcase_add_test(tests, test_data_must_fit);
    tcase_add_test(tests, test_expression_must_fit);
    tcase_add_loop_test(tests, test_wrong_routine, 0,
                        sizeof routine_reasons / sizeof *routine_reasons);
}

int main(void)
{
    return suite_run("job_wrong", add);
}
