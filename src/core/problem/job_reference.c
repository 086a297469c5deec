// Makes what a job's outputs are held against. A reference by kernel or configuration is a job of
// its own, which must produce the same buffers; one by contents is data that travels with the job.
#include "problem/job_formulas.h"

#include <string.h>

#define EXPRESSION_SHOWN 60 // characters, as the name of a reference

// Does the operand hold a matrix of this size?
static bool check_operand(struct maker *m, uint32_t buffer, uint64_t rows, uint64_t columns)
{
    uint64_t cells, held;
    const struct job_buffer *b = &m->job->buffers[buffer];
    held = b->count * b->element.width;
    if (!__builtin_mul_overflow(rows, columns, &cells) && cells <= held)
        return true;
    return make_error(m, m->kernel->reference.path,
                      "argument '%s' holds %llu numbers, fewer than the %llu x %llu of its matrix",
                      b->name, (unsigned long long)held, (unsigned long long)rows,
                      (unsigned long long)columns);
}

static bool make_activation(struct maker *m, const struct formula *f, struct job_gemm *out)
{
    struct value v = {.kind = VALUE_NONE};
    if (!f->expr)
        return true;
    if (!make_eval(m, f, &v))
        return false;
    return (v.kind == VALUE_STRING && activation_parse(v.s, &out->activation)) ||
           make_error(m, f->path, "'%s' is not an activation: none, relu, gelu or silu", f->text);
}

static bool make_gemm_reference(struct maker *m, const struct gemm_spec *g,
                                struct job_reference *out)
{
    struct job_gemm *gemm = &out->gemm;
    out->kind = REFERENCE_GEMM;
    out->name = "gemm";
    *gemm = (struct job_gemm){
        .a = m->buffers[g->a],
        .b = m->buffers[g->b],
        .c = m->buffers[g->c],
        .transpose_a = g->transpose_a,
        .transpose_b = g->transpose_b,
        .activation = g->always,
    };
    uint64_t batch = 1;
    if (!make_size(m, &g->m, 1, 1, &gemm->m) || !make_size(m, &g->n, 1, 1, &gemm->n) ||
        !make_size(m, &g->k, 1, 1, &gemm->k) || !make_f64(m, &g->alpha, 1, &gemm->alpha) ||
        !make_f64(m, &g->beta, 0, &gemm->beta) || !make_f64(m, &g->gamma, 0, &gemm->gamma) ||
        !make_size(m, &g->batch, 1, 1, &batch) || !make_activation(m, &g->activation, gemm))
        return false;
    gemm->others = batch - 1;
    gemm->bias = gemm->gamma != 0 ? m->buffers[g->bias] : 0;
    return check_operand(m, gemm->a, batch * gemm->m, gemm->k) &&
           check_operand(m, gemm->b, batch * gemm->k, gemm->n) &&
           check_operand(m, gemm->c, batch * gemm->m, gemm->n) &&
           (gemm->gamma == 0 || check_operand(m, gemm->bias, 1, gemm->n));
}

// ---- another job -------------------------------------------------------------------------------

static uint32_t argument_of_buffer(const struct maker *m, uint32_t buffer)
{
    uint32_t i = 0;
    while (i + 1 < m->kernel->argument_count && m->buffers[i] != buffer)
        i++;
    return i;
}

static const struct job_buffer *find_named_buffer(const struct job *j, const char *name)
{
    for (uint32_t i = 0; i < j->buffer_count; i++) {
        if (strcmp(j->buffers[i].name, name) == 0)
            return &j->buffers[i];
    }
    return NULL;
}

// The other job lives in this one's arena and is freed with it.
static bool make_other(struct maker *m, const uint32_t *choice, bool kernel,
                       struct job_reference *out)
{
    struct maker other;
    make_start(&other, m->src, m->device, m->e);
    other.choice = choice;
    other.arena = m->arena;
    other.job = out->job = arena_alloc(m->arena, sizeof *out->job);
    if (!out->job)
        return error_memory(m->e);
    out->kind = REFERENCE_JOB;
    if (!make_plain(&other, kernel))
        return error_context(m->e, "the reference");
    // Component by component only as many can be compared as there are on the other side.
    for (uint32_t i = 0; i < m->job->buffer_count; i++) {
        const struct job_buffer *b = &m->job->buffers[i], *o = find_named_buffer(out->job, b->name);
        if (!b->output || !o || compare_is_whole(b->compare.kind))
            continue;
        uint64_t mine = buffer_region(b).count, its = reference_region(b, o).count;
        if (mine != its)
            return make_error(
                m, m->kernel->arguments[argument_of_buffer(m, i)].path,
                "of '%s' %llu elements are compared, and configuration %s, which it is "
                "compared with, has %llu: compare it with a reference kernel, or with "
                "the Verification Method sum or set",
                b->name, (unsigned long long)mine, out->job->configuration,
                (unsigned long long)its);
    }
    return true;
}

// ---- given contents ----------------------------------------------------------------------------

static bool make_expected(struct maker *m, const struct expected_spec *x,
                          const struct data_file *file, struct job_data *out)
{
    const struct argument_spec *a = &m->kernel->arguments[x->argument];
    out->buffer = m->buffers[x->argument];
    const struct job_buffer *b = &m->job->buffers[out->buffer];
    if (x->fill.kind != FILL_DATA) {
        const void *data;
        uint64_t length;
        if (!make_contents(m, a, &x->fill, b->count, &data, &length))
            return false;
        out->blob = blob_of(data, length);
        return true;
    }
    if (!data_fits(file, &b->element, b->count, m->e))
        return error_context(m->e, "%s", x->fill.path);
    out->blob = file->blob;
    return true;
}

// "y[i] = a * x[i] + y[i]", or where there are several, or a long one, what they are of.
static const char *name_expressions(struct maker *m, const struct job_reference *r)
{
    const struct job_expression *x = &r->expressions[0];
    const char *first = m->job->buffers[x->buffer].name;
    bool is_short = strlen(x->text) <= EXPRESSION_SHOWN && !strpbrk(x->text, "\n;");
    if (r->expression_count + r->data_count == 1 && is_short)
        return arena_printf(m->arena, x->total ? "sum of %s = %s" : "%s[i] = %s", first, x->text);
    return arena_printf(m->arena, "the expression%s of %s%s", r->expression_count > 1 ? "s" : "",
                        first, r->expression_count > 1 ? " and others" : "");
}

static bool make_by_contents(struct maker *m, const struct reference_spec *r,
                             struct job_reference *out)
{
    out->kind = REFERENCE_DATA;
    out->name = r->name;
    out->data = arena_array(m->arena, r->expected_count + 1, sizeof *out->data);
    out->expressions = arena_array(m->arena, r->expected_count + 1, sizeof *out->expressions);
    if (!out->data || !out->expressions)
        return error_memory(m->e);
    for (uint32_t i = 0; i < r->expected_count; i++) {
        const struct expected_spec *x = &r->expected[i];
        bool ok = x->text
                      ? make_expectation(m, x, &out->expressions[out->expression_count++])
                      : make_expected(m, x, &m->src->expected[i], &out->data[out->data_count++]);
        if (!ok)
            return false;
    }
    // Outputs without given contents are not compared.
    for (uint32_t i = 0; i < m->job->buffer_count; i++) {
        bool given = false;
        for (uint32_t d = 0; d < out->data_count; d++)
            given = given || out->data[d].buffer == i;
        for (uint32_t x = 0; x < out->expression_count; x++)
            given = given || out->expressions[x].buffer == i;
        m->job->buffers[i].output = m->job->buffers[i].output && given;
    }
    if (out->expression_count == 0)
        return true;
    out->kind = REFERENCE_EXPRESSION;
    out->name = name_expressions(m, out);
    return out->name || error_memory(m->e);
}

bool make_reference(struct maker *m)
{
    const struct reference_spec *r = &m->kernel->reference;
    struct job_reference *out = &m->job->reference;
    uint32_t *choice;
    switch (r->source) {
    case REFERENCE_BY_GEMM:
        return make_gemm_reference(m, &r->gemm, out);
    case REFERENCE_BY_KERNEL:
        if (!make_other(m, r->choice ? r->choice : m->choice, true, out))
            return false;
        out->name = arena_printf(m->arena, "%s in %s", out->job->launches[0].kernel,
                                 out->job->programs[0].name);
        return out->name || error_memory(m->e);
    case REFERENCE_BY_CONFIGURATION:
        if (!make_other(m, r->choice, false, out))
            return false;
        out->name = arena_printf(m->arena, "configuration %s", out->job->configuration);
        return out->name || error_memory(m->e);
    case REFERENCE_BY_DEFAULT:
        choice = arena_array(m->arena, m->spec->parameter_count + 1, sizeof *choice);
        if (!choice)
            return error_memory(m->e);
        out->agreement = true;
        out->name = "default configuration";
        return default_choice(m->src, m->device, choice, m->e) && make_other(m, choice, false, out);
    case REFERENCE_BY_CONTENTS:
        return make_by_contents(m, r, out);
    default:
        return true;
    }
}
