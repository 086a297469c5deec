// The expected outputs of a job: made once for a recipe, kept in memory and in the cache folder.
#include "device/open_device.h"

#include "device/fill.h"
#include "device/gemm.h"
#include "device/reference_file.h"

#include <stdlib.h>
#include <string.h>

// References kept in memory. A tune has one; a worker may serve a few.
#define KEPT 3

typedef unsigned long long ull;

// One being made.
struct making {
    struct device *device;
    const struct job *job;
    const struct digest *recipe;
    uint8_t *blob;
    uint64_t length;
    struct piece *pieces; // one for each buffer of the job
};

static bool allocate_blob(struct making *m, struct error *e)
{
    m->blob = reference_layout(m->recipe, m->pieces, m->job->buffer_count, &m->length);
    return m->blob || error_memory(e);
}

// ---- gemm

// The initial contents of one operand as doubles.
static double *operand(const struct making *m, uint32_t buffer, uint64_t least, struct error *e)
{
    const struct job_buffer *b = &m->job->buffers[buffer];
    uint64_t count = fill_components(b);
    void *raw = NULL;
    double *values = NULL;
    if (b->element.scalar == SCALAR_CUSTOM || count < least) {
        error_set(e, ERROR_INPUT, "gemm: %s has %llu numbers, but %llu are needed", b->name,
                  (ull)count, (ull)least);
        return NULL;
    }
    raw = malloc(fill_bytes(b) + 1);
    values = malloc((size_t)count * sizeof *values + 1);
    if (!raw || !values)
        error_memory(e);
    else if (fill_make(b, raw, e)) {
        compare_load(&b->element, raw, 0, count, values);
        free(raw);
        return values;
    }
    free(raw);
    free(values);
    return NULL;
}

static bool gemm_on_host(const struct making *m, double *c, struct error *e)
{
    const struct job_gemm *g = &m->job->reference.gemm;
    double *a = operand(m, g->a, g->m * g->k, e);
    double *b = a ? operand(m, g->b, g->k * g->n, e) : NULL;
    struct gemm product = {g->m, g->n, g->k, g->transpose_a, g->transpose_b, 1, 0, a, b, c};
    bool ok = b && gemm_host(&product, e);
    free(a);
    free(b);
    return ok;
}

// Uses the inputs on the device; NULL-safe where they are not there yet.
static bool multiply_on_device(const struct making *m, double *c)
{
    const struct job_gemm *g = &m->job->reference.gemm;
    struct device *d = m->device;
    struct loaded l = {.job = m->job};
    bool ok = !d->options.build_only && !d->options.exact;
    l.buffers = calloc(m->job->buffer_count + 1, sizeof *l.buffers);
    l.memory = calloc(m->job->buffer_count + 1, sizeof *l.memory);
    ok = ok && l.buffers && l.memory && buffers_acquire(d, &l, NULL) && buffers_make(d, &l, NULL) &&
         buffers_restore(d, &l, false, NULL);
    if (ok) {
        struct gemm_request request = {.gemm = g, .out = c};
        request.a_buffer = &m->job->buffers[g->a], request.b_buffer = &m->job->buffers[g->b];
        request.a = l.memory[g->a], request.b = l.memory[g->b];
        ok = gemm_on_device(d, &request);
    }
    buffers_release(d, &l);
    free(l.buffers);
    free(l.memory);
    return ok;
}

// alpha * product + beta * initial C, in place.
static bool finish_gemm(const struct making *m, double *c, struct error *e)
{
    const struct job_gemm *g = &m->job->reference.gemm;
    uint64_t count = g->m * g->n;
    if (g->alpha == 1 && g->beta == 0)
        return true;
    double *initial = g->beta == 0 ? NULL : operand(m, g->c, count, e);
    if (g->beta != 0 && !initial)
        return false;
    for (uint64_t i = 0; i < count; i++)
        c[i] = g->alpha * c[i] + (initial ? g->beta * initial[i] : 0);
    free(initial);
    return true;
}

static bool make_gemm(struct making *m, struct result *r)
{
    const struct job_gemm *g = &m->job->reference.gemm;
    const struct job_buffer *out = &m->job->buffers[g->c];
    struct error e = ERROR_INIT;
    bool ok = fill_components(out) == g->m * g->n ||
              error_set(&e, ERROR_INPUT, "%s has %llu numbers, but the product has %llu x %llu",
                        out->name, (ull)fill_components(out), (ull)g->m, (ull)g->n);
    m->pieces[g->c] = (struct piece){.doubles = 1, .length = g->m * g->n * sizeof(double)};
    ok = ok && allocate_blob(m, &e);
    if (ok) {
        double *c = (double *)(void *)(m->blob + m->pieces[g->c].offset);
        ok = multiply_on_device(m, c) || gemm_on_host(m, c, &e);
        ok = ok && finish_gemm(m, c, &e);
    }
    return ok || result_fail(r, STATUS_RUNTIME, FAULT_REFERENCE, "reference gemm: %s", e.text);
}

// ---- data

static bool check_length(const struct job_buffer *b, uint64_t length, struct error *e)
{
    return length == fill_bytes(b) ||
           error_set(e, ERROR_INPUT, "%s has %llu bytes, the reference %llu", b->name,
                     (ull)fill_bytes(b), (ull)length);
}

static bool make_data(struct making *m, struct result *r)
{
    const struct job_reference *f = &m->job->reference;
    struct error e = ERROR_INIT;
    bool ok = true;
    for (uint32_t i = 0; ok && i < f->data_count; i++) {
        m->pieces[f->data[i].buffer] = (struct piece){.length = f->data[i].length};
        ok = check_length(&m->job->buffers[f->data[i].buffer], f->data[i].length, &e);
    }
    ok = ok && allocate_blob(m, &e);
    for (uint32_t i = 0; ok && i < f->data_count; i++)
        memcpy(m->blob + m->pieces[f->data[i].buffer].offset, f->data[i].data,
               (size_t)f->data[i].length);
    return ok || result_fail(r, STATUS_RUNTIME, FAULT_REFERENCE, "reference data: %s", e.text);
}

// ---- another job

static uint32_t find_buffer(const struct job *j, const char *name)
{
    uint32_t i = 0;
    while (i < j->buffer_count && strcmp(j->buffers[i].name, name) != 0)
        i++;
    return i;
}

static bool lay_out_outputs(struct making *m, const struct job *other, struct error *e)
{
    for (uint32_t i = 0; i < m->job->buffer_count; i++) {
        const struct job_buffer *b = &m->job->buffers[i];
        if (!b->output)
            continue;
        uint32_t k = find_buffer(other, b->name);
        if (k == other->buffer_count)
            return error_set(e, ERROR_INPUT, "it has no buffer %s", b->name);
        if (!check_length(b, fill_bytes(&other->buffers[k]), e))
            return false;
        m->pieces[i].length = fill_bytes(b);
    }
    return allocate_blob(m, e);
}

static bool take_outputs(struct making *m, struct loaded *l, struct error *e)
{
    for (uint32_t i = 0; i < m->job->buffer_count; i++) {
        if (!m->pieces[i].length)
            continue;
        uint32_t k = find_buffer(l->job, m->job->buffers[i].name);
        if (!memory_read(m->device, &l->buffers[k]->memory, 0, m->blob + m->pieces[i].offset,
                         m->pieces[i].length, e))
            return false;
    }
    return true;
}

// The other job's own reference, if it has one, is not looked at.
static bool run_other(struct making *m, const struct job *other, struct result *r)
{
    struct loaded l = {.job = NULL};
    struct text log = TEXT_INIT;
    struct error e = ERROR_INIT;
    struct device *d = m->device;
    d->hushed++;
    bool ok = load_job(d, &l, other, NULL, &log, r) && run_checked(d, &l, r);
    if (ok && (!lay_out_outputs(m, other, &e) || !take_outputs(m, &l, &e)))
        ok = result_fail(r, STATUS_RUNTIME, FAULT_REFERENCE, "%s", e.text);
    load_release(d, &l);
    d->hushed--;
    if (!ok)
        r->log = arena_strdup(&r->arena, text_cstr(&log));
    text_release(&log);
    return ok;
}

static bool make_from_job(struct making *m, struct result *r)
{
    const struct job_reference *f = &m->job->reference;
    struct result *inner = result_new();
    bool ok = inner && run_other(m, f->job, inner);
    if (!ok)
        result_fail(r, inner ? inner->status : STATUS_RUNTIME, FAULT_REFERENCE,
                    "the reference '%s' cannot be made: %s%s", f->name ? f->name : "kernel",
                    inner ? inner->message : "out of memory",
                    f->agreement ? "; give the parameters a Default that works, or the spec a "
                                   "Reference to compare with"
                                 : "");
    if (!ok && inner && inner->log)
        r->log = arena_strdup(&r->arena, inner->log);
    result_free(inner);
    return ok;
}

// ---- kinds

static bool (*const makers[REFERENCE_COUNT])(struct making *m, struct result *r) = {
    [REFERENCE_GEMM] = make_gemm,
    [REFERENCE_JOB] = make_from_job,
    [REFERENCE_DATA] = make_data,
};

// ---- keeping

static void free_reference(struct reference *f)
{
    if (!f)
        return;
    free(f->blob);
    free(f->outputs);
    free(f);
}

void references_free(struct device *d)
{
    while (d->references) {
        struct reference *f = d->references;
        d->references = f->next;
        free_reference(f);
    }
}

// Moves a kept reference to the front.
static struct reference *find_kept(struct device *d, const struct digest *recipe)
{
    for (struct reference **at = &d->references; *at; at = &(*at)->next) {
        struct reference *f = *at;
        if (!digest_equal(&f->digest, recipe))
            continue;
        *at = f->next;
        f->next = d->references;
        return d->references = f;
    }
    return NULL;
}

static struct reference *keep(struct device *d, struct reference *f)
{
    unsigned count = 1;
    f->next = d->references;
    d->references = f;
    for (struct reference *at = f; at; at = at->next, count++) {
        if (count >= KEPT && at->next) {
            struct reference *last = at->next;
            at->next = last->next;
            free_reference(last);
        }
    }
    return f;
}

// Takes the blob; NULL, and the blob freed, when it is not one.
static struct reference *adopt(const struct job *j, const struct digest *recipe, uint8_t *blob,
                               uint64_t length)
{
    const struct piece *table = reference_table(blob, length, recipe, j->buffer_count);
    struct reference *f = table ? calloc(1, sizeof *f) : NULL;
    struct expected *outputs = calloc(j->buffer_count + 1, sizeof *outputs);
    if (!f || !outputs) {
        free(f);
        free(outputs);
        free(blob);
        return NULL;
    }
    for (uint32_t i = 0; i < j->buffer_count; i++) {
        outputs[i].doubles = table[i].doubles != 0;
        outputs[i].data = table[i].length ? blob + table[i].offset : NULL;
    }
    *f = (struct reference){NULL, *recipe, blob, length, outputs, j->buffer_count};
    return f;
}

static struct reference *read_kept(struct device *d, const struct job *j,
                                   const struct digest *recipe)
{
    uint64_t length;
    uint8_t *blob = d->options.cache ? reference_read(d->options.cache, recipe, &length) : NULL;
    struct reference *f = blob ? adopt(j, recipe, blob, length) : NULL;
    return f ? keep(d, f) : NULL;
}

static struct reference *make(struct device *d, const struct job *j, const struct digest *recipe,
                              struct result *r)
{
    struct making m = {.device = d, .job = j, .recipe = recipe};
    struct reference *f = NULL;
    m.pieces = calloc(j->buffer_count + 1, sizeof *m.pieces);
    bool ok = m.pieces && makers[j->reference.kind](&m, r);
    if (ok) {
        reference_seal(m.blob, m.length);
        // A cache that cannot be written costs time later, nothing else.
        if (d->options.cache && j->reference.kind != REFERENCE_DATA)
            reference_write(d->options.cache, recipe, m.blob, m.length, NULL);
        f = adopt(j, recipe, m.blob, m.length);
    } else {
        free(m.blob);
    }
    free(m.pieces);
    if (!f)
        result_fail(r, STATUS_RUNTIME, FAULT_REFERENCE, "reference: out of memory");
    return f ? keep(d, f) : NULL;
}

const struct reference *reference_of(struct device *d, const struct job *j, struct result *r)
{
    struct digest recipe;
    job_reference_digest(j, &recipe);
    if (d->options.exact) // made without guard zones: nobody saw what it wrote beside its buffers
        recipe.bytes[0] ^= 0xff;
    struct reference *f = find_kept(d, &recipe);
    if (f)
        return f;
    device_phase_begin(d, DEVICE_REFERENCE, 0, false);
    f = read_kept(d, j, &recipe);
    return f ? f : make(d, j, &recipe, r);
}
