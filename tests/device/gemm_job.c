#include "gemm_job.h"

#include <check.h>

const struct gemm_case gemm_cases[GEMM_CASES] = {
    {1, 1, 1, false, false, 1, 0},         {1, 40, 17, false, false, 1, 0},
    {40, 1, 17, false, false, 1, 0},       {23, 31, 1, false, false, 1, 0},
    {127, 65, 33, false, false, 1, 0},     {64, 64, 64, false, false, 1, 0},
    {33, 20, 47, true, false, 1, 0},       {33, 20, 47, false, true, 1, 0},
    {33, 20, 47, true, true, -0.5, 0},     {19, 50, 8, false, false, 1.5, 1},
    {50, 19, 21, true, false, 0.25, -0.5}, {100, 100, 100, false, true, 2, 3}};

struct job *gemm_job(enum language language, enum routine routine, const char *library,
                     const struct gemm_case *c)
{
    struct job *j = job_new();
    ck_assert_ptr_nonnull(j);
    struct job_buffer *b = j->buffers = arena_array(&j->arena, 3, sizeof *b);
    const uint64_t counts[] = {c->m * c->k, c->k * c->n, c->m * c->n};
    for (uint32_t i = 0; i < 3; i++) {
        b[i] = (struct job_buffer){
            .name = i == 0   ? "A"
                    : i == 1 ? "B"
                             : "C",
            .element = {SCALAR_FLOAT, 1, 0, false},
            .count = counts[i],
            .fill = {.kind = FILL_UNIFORM, .low = -1, .high = 1, .seed = 40 + i}};
    }
    b[2].output = true;
    b[2].access = c->beta != 0 ? ACCESS_BOTH : ACCESS_WRITE;
    b[2].fill.kind = c->beta != 0 ? FILL_UNIFORM : FILL_NONE;
    b[2].compare = (struct job_compare){.kind = COMPARE_NORM, .rtol = 1e-5};
    j->buffer_count = 3;
    j->language = language;
    j->routine = routine;
    j->routine_library = library;
    j->reference = (struct job_reference){.kind = REFERENCE_GEMM,
                                          .name = "gemm",
                                          .gemm = {.m = c->m,
                                                   .n = c->n,
                                                   .k = c->k,
                                                   .a = 0,
                                                   .b = 1,
                                                   .c = 2,
                                                   .transpose_a = c->transpose_a,
                                                   .transpose_b = c->transpose_b,
                                                   .alpha = c->alpha,
                                                   .beta = c->beta}};
    ck_assert_msg(job_wrong(j) == NULL, "%s", job_wrong(j));
    return j;
}
