// The expected outputs of a job: made once for a recipe, kept in memory and in the cache folder.
#include "device/open_device.h"

#include "os/process.h"
#include "device/expectation.h"
#include "device/fill.h"
#include "device/gemm.h"
#include "device/reference_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// References kept in memory, and the bytes beyond which it is the last few. A tune has two; a judge's worker serves several
// sizes and inputs.
#define KEPT       16
#define KEPT_LEAST 3
#define KEPT_BYTES (UINT64_C(256) << 20)
// A file in the system's cache, read, summed and copied to a GPU.
#define READ_NS_PER_BYTE 1

typedef unsigned long long ull;

// One being made: first what is compared, then the room on the host or on the device, then
// contents.
struct making {
    struct device *device;
    const struct job *job;
    struct reference *reference;
};

// Two pieces for each output: what is expected, and what is not.
static uint32_t pieces_of(const struct reference *f)
{
    return 2 * f->count;
}

static void point_into_blob(struct reference *f, const struct piece *pieces)
{
    for (uint32_t i = 0; f->blob && i < f->count; i++) {
        const struct piece *data = &pieces[i], *left = &pieces[f->count + i];
        f->outputs[i].data = data->length ? f->blob + data->offset : NULL;
        f->outputs[i].left = left->length ? f->blob + left->offset : NULL;
    }
}

// A blob as the file, with a place for every output that is compared.
static bool allocate_blob(struct reference *f, struct error *e)
{
    struct piece *pieces = calloc(pieces_of(f) + 1, sizeof *pieces);
    if (!pieces)
        return error_memory(e);
    for (uint32_t i = 0; i < f->count; i++) {
        pieces[i].doubles = f->outputs[i].doubles;
        pieces[i].length = f->outputs[i].length;
        pieces[f->count + i].length = f->outputs[i].left_length;
    }
    f->blob = reference_layout(&f->digest, pieces, pieces_of(f), &f->length);
    point_into_blob(f, pieces);
    free(pieces);
    return f->blob || error_memory(e);
}

static void release_blob(struct reference *f)
{
    for (uint32_t i = 0; i < f->count; i++)
        f->outputs[i].data = f->outputs[i].left = NULL;
    free(f->blob);
    f->blob = NULL;
}

// ---- host and device

static bool reference_room(struct device *d, struct wanted *w)
{
    w->memory = (struct memory){.bytes = w->length, .exact = true};
    if (d->backend->memory_new(d->own, &w->memory, ACCESS_BOTH, NULL))
        return true;
    w->memory = (struct memory){.bytes = 0};
    return false;
}

struct memory *reference_on_device(struct device *d, struct reference *f, uint32_t index)
{
    struct wanted *w = &f->outputs[index];
    if (w->memory.view)
        return &w->memory;
    if (reference_room(d, w) && memory_write(d, &w->memory, w->data, NULL))
        return &w->memory;
    memory_free(d, &w->memory);
    return NULL;
}

bool reference_on_host(struct device *d, struct reference *f, struct error *e)
{
    if (f->blob)
        return true;
    if (!allocate_blob(f, e))
        return false;
    for (uint32_t i = 0; i < f->count; i++) {
        struct wanted *w = &f->outputs[i];
        if (w->length && !memory_read(d, &w->memory, 0, w->data, w->length, e)) {
            release_blob(f);
            return error_context(e, "reading the reference back");
        }
    }
    return true;
}

void references_leave_device(struct device *d)
{
    for (struct reference *f = d->references; f; f = f->next) {
        for (uint32_t i = 0; i < f->count && reference_on_host(d, f, NULL); i++)
            memory_free(d, &f->outputs[i].memory);
    }
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

// Elements of C, of all matrices.
static uint64_t gemm_count(const struct job_gemm *g)
{
    return g->m * g->n * (g->others + 1);
}

static bool gemm_on_host(const struct making *m, double *c, struct error *e)
{
    const struct job_gemm *g = &m->job->reference.gemm;
    double *a = operand(m, g->a, g->m * g->k * (g->others + 1), e);
    double *b = a ? operand(m, g->b, g->k * g->n * (g->others + 1), e) : NULL;
    bool ok = b;
    for (uint64_t i = 0; ok && i <= g->others; i++) {
        struct gemm product = {g->m,
                               g->n,
                               g->k,
                               g->transpose_a,
                               g->transpose_b,
                               1,
                               0,
                               a + i * g->m * g->k,
                               b + i * g->k * g->n,
                               c + i * g->m * g->n};
        ok = gemm_host(&product, e);
    }
    free(a);
    free(b);
    return ok;
}

// Into memory of the device, from the inputs that are there.
static bool multiply_on_device(const struct making *m, struct memory *c)
{
    struct device *d = m->device;
    struct loaded l = {.job = m->job};
    bool ok = !d->options.build_only && !d->options.simulated;
    l.buffers = calloc(m->job->buffer_count + 1, sizeof *l.buffers);
    l.memory = calloc(m->job->buffer_count + 1, sizeof *l.memory);
    ok = ok && l.buffers && l.memory && gemm_offered(d, m->job) && buffers_acquire(d, &l, NULL) &&
         buffers_make(d, &l, NULL) && buffers_restore(d, &l, false, NULL) &&
         gemm_on_device(d, m->job, l.memory, c);
    buffers_release(d, &l);
    free(l.buffers);
    free(l.memory);
    return ok;
}

static double activate(enum activation a, double x)
{
    double y = a == ACTIVATION_GELU ? 2 * GELU_SLOPE * (x + GELU_CUBE * x * x * x) : x;
    if (a == ACTIVATION_RELU)
        return x < 0 ? 0 : x;
    return a == ACTIVATION_NONE ? x : x / (1 + exp(-y));
}

// activation(alpha * product + beta * initial C + gamma * bias), in place.
static bool finish_gemm(const struct making *m, double *c, struct error *e)
{
    const struct job_gemm *g = &m->job->reference.gemm;
    uint64_t count = gemm_count(g);
    if (g->alpha == 1 && g->beta == 0 && !gemm_has_epilogue(g))
        return true;
    double *initial = g->beta == 0 ? NULL : operand(m, g->c, count, e);
    double *bias = g->gamma == 0 ? NULL : operand(m, g->bias, g->n, e);
    bool ok = (g->beta == 0 || initial) && (g->gamma == 0 || bias);
    for (uint64_t i = 0; ok && i < count; i++) {
        double x = g->alpha * c[i] + (initial ? g->beta * initial[i] : 0);
        c[i] = activate(g->activation, x + (bias ? g->gamma * bias[i % g->n] : 0));
    }
    free(initial);
    free(bias);
    return ok;
}

static bool make_gemm(struct making *m, struct result *r)
{
    const struct job_gemm *g = &m->job->reference.gemm;
    const struct job_buffer *out = &m->job->buffers[g->c];
    struct wanted *w = &m->reference->outputs[g->c];
    struct error e = ERROR_INIT;
    bool ok =
        fill_components(out) == gemm_count(g) ||
        error_set(&e, ERROR_INPUT, "%s has %llu numbers, but the product has %llu x %llu x %llu",
                  out->name, (ull)fill_components(out), (ull)g->others + 1, (ull)g->m, (ull)g->n);
    *w = (struct wanted){.doubles = true, .length = gemm_count(g) * sizeof(double)};
    if (ok && multiply_on_device(m, &w->memory))
        return true;
    ok = ok && allocate_blob(m->reference, &e);
    if (ok && w->data) { // else there is no number in it
        double *c = (double *)(void *)w->data;
        ok = gemm_on_host(m, c, &e) && finish_gemm(m, c, &e);
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

// On the device alone, as a product that was made there: a GPU compares there what is large, and a copy for the host takes
// longer than the way there. Who needs it on the host after all reads it back.
static bool put_data_on_device(const struct making *m)
{
    const struct job_reference *f = &m->job->reference;
    struct device *d = m->device;
    struct wanted *outputs = m->reference->outputs;
    bool ok = d->info.type == DEVICE_GPU && !d->options.simulated;
    for (uint32_t i = 0; ok && i < f->data_count; i++) {
        struct wanted *w = &outputs[f->data[i].buffer];
        ok = f->data[i].blob.data && w->length >= d->worth_bytes && reference_room(d, w) &&
             memory_write(d, &w->memory, f->data[i].blob.data, NULL);
    }
    for (uint32_t i = 0; !ok && i < f->data_count; i++)
        memory_free(d, &outputs[f->data[i].buffer].memory);
    return ok;
}

static bool make_data(struct making *m, struct result *r)
{
    const struct job_reference *f = &m->job->reference;
    struct wanted *outputs = m->reference->outputs;
    struct error e = ERROR_INIT;
    bool ok = true;
    for (uint32_t i = 0; ok && i < f->data_count; i++) {
        outputs[f->data[i].buffer].length = f->data[i].blob.length;
        ok = check_length(&m->job->buffers[f->data[i].buffer], f->data[i].blob.length, &e);
    }
    if (ok && put_data_on_device(m))
        return true;
    ok = ok && allocate_blob(m->reference, &e);
    for (uint32_t i = 0; ok && i < f->data_count; i++)
        ok = blob_read(&f->data[i].blob, 0, outputs[f->data[i].buffer].data,
                       (size_t)f->data[i].blob.length, &e);
    return ok || result_fail(r, STATUS_RUNTIME, FAULT_REFERENCE, "reference data: %s", e.text);
}

// ---- expressions

// The other outputs' contents stand beside them.
static bool make_expressions(struct making *m, struct result *r)
{
    const struct job_reference *f = &m->job->reference;
    struct wanted *outputs = m->reference->outputs;
    struct error e = ERROR_INIT;
    for (uint32_t i = 0; i < f->expression_count; i++) {
        const struct job_expression *x = &f->expressions[i];
        struct wanted *w = &outputs[x->buffer];
        w->length = expectation_bytes(m->job, x, &w->doubles);
    }
    for (uint32_t i = 0; i < f->data_count; i++)
        outputs[f->data[i].buffer].length = f->data[i].blob.length;
    bool ok = allocate_blob(m->reference, &e);
    for (uint32_t i = 0; ok && i < f->expression_count; i++) {
        const struct job_expression *x = &f->expressions[i];
        ok = expectation_make(m->job, x, outputs[x->buffer].data, &e);
    }
    for (uint32_t i = 0; ok && i < f->data_count; i++)
        ok = blob_read(&f->data[i].blob, 0, outputs[f->data[i].buffer].data,
                       (size_t)f->data[i].blob.length, &e);
    return ok || result_fail(r, STATUS_RUNTIME, FAULT_REFERENCE, "reference: %s", e.text);
}

// ---- another job

static uint32_t find_buffer(const struct job *j, const char *name)
{
    uint32_t i = 0;
    while (i < j->buffer_count && strcmp(j->buffers[i].name, name) != 0)
        i++;
    return i;
}

static bool check_region(const struct job_buffer *b, const struct job_buffer *other,
                         struct error *e)
{
    uint64_t mine = buffer_region(b).count, its = reference_region(b, other).count;
    return compare_is_whole(b->compare.kind) || mine == its ||
           error_set(e, ERROR_INPUT, "of %s %llu elements are compared, and it has %llu", b->name,
                     (ull)mine, (ull)its);
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
        if (!check_region(b, &other->buffers[k], e))
            return false;
        m->reference->outputs[i].length = fill_bytes(&other->buffers[k]);
    }
    return true;
}

// Leaves the outputs where they are, in memory of their own. False where that is the host, or where
// there is no room.
static bool keep_outputs(struct making *m, struct loaded *l)
{
    struct device *d = m->device;
    bool ok = !d->options.simulated;
    for (uint32_t i = 0; ok && i < m->job->buffer_count; i++) {
        struct wanted *w = &m->reference->outputs[i];
        struct memory *from = NULL;
        if (!w->length)
            continue;
        from = &l->buffers[find_buffer(l->job, m->job->buffers[i].name)]->memory;
        ok = !from->host && reference_room(d, w) && memory_copy(d, &w->memory, from, NULL);
    }
    return ok;
}

static bool take_outputs(struct making *m, struct loaded *l, struct error *e)
{
    if (!allocate_blob(m->reference, e))
        return false;
    for (uint32_t i = 0; i < m->job->buffer_count; i++) {
        struct wanted *w = &m->reference->outputs[i];
        if (!w->length)
            continue;
        uint32_t k = find_buffer(l->job, m->job->buffers[i].name);
        memory_free(m->device, &w->memory);
        if (!memory_read(m->device, &l->buffers[k]->memory, 0, w->data, w->length, e))
            return false;
    }
    return true;
}

// ---- what the other job leaves unwritten

static bool is_suspect(struct device *d, struct loaded *l, bool *out, struct error *e)
{
    *out = false;
    for (uint32_t i = 0; i < l->job->buffer_count; i++) {
        uint64_t count;
        if (!unwritten_suspected(d, l, i, &count, e))
            return false;
        *out = *out || count > 0;
    }
    return true;
}

static uint64_t components_of(const struct job_buffer *b)
{
    return b->element.scalar == SCALAR_CUSTOM ? fill_bytes(b) : fill_components(b);
}

// Takes the reference's outputs and the components it left unwritten: these are not compared.
static bool take_written(struct making *m, struct loaded *l, struct result *r)
{
    struct unwritten u = {0, NULL, NULL};
    struct error e = ERROR_INIT;
    struct wanted *outputs = m->reference->outputs;
    bool ok = unwritten_find(m->device, l, &u, r);
    for (uint32_t i = 0; ok && i < m->job->buffer_count; i++) {
        uint32_t k = find_buffer(l->job, m->job->buffers[i].name);
        if (outputs[i].length && u.left[k])
            outputs[i].left_length = components_of(&l->job->buffers[k]);
    }
    if (ok && !allocate_blob(m->reference, &e))
        ok = result_fail(r, STATUS_RUNTIME, FAULT_REFERENCE, "%s", e.text);
    for (uint32_t i = 0; ok && i < m->job->buffer_count; i++) {
        uint32_t k = find_buffer(l->job, m->job->buffers[i].name);
        if (outputs[i].data)
            memcpy(outputs[i].data, u.data[k], (size_t)outputs[i].length);
        if (outputs[i].left)
            memcpy(outputs[i].left, u.left[k], (size_t)outputs[i].left_length);
    }
    unwritten_release(&u);
    return ok;
}

// Where configurations are held against one of them, all would agree on what they read of an output that nothing wrote
// before: the one is launched on other poison, too, and has to agree with itself.
static bool agrees_with_itself(struct making *m, struct loaded *l, struct result *r)
{
    bool is_poisoned = false, is_alike = l->job->buffer_count == m->job->buffer_count;
    for (uint32_t i = 0; is_alike && i < l->job->buffer_count; i++) {
        is_poisoned |= l->buffers[i]->use == USE_POISONED;
        is_alike = find_buffer(l->job, m->job->buffers[i].name) == i;
    }
    if (!is_alike || !is_poisoned || !m->job->reference.agreement)
        return true;
    if (!launch_on_other_poison(m->device, l, r))
        return false;
    struct result *again = result_new();
    bool agrees = again && outputs_compare(m->device, l, m->reference, again);
    if (!agrees && again && again->status == STATUS_CORRECTNESS)
        result_fail(r, STATUS_CORRECTNESS, FAULT_REFERENCE,
                    "launched again, with other bytes in its outputs before, it gives another "
                    "result (%s): it reads "
                    "what nothing has written, or differs from launch to launch",
                    again->message);
    else if (!agrees)
        result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "%s",
                    again ? again->message : "out of memory");
    result_free(again);
    return agrees;
}

static bool take_results(struct making *m, struct loaded *l, struct result *r)
{
    struct error e = ERROR_INIT;
    bool suspect;
    if (lay_out_outputs(m, l->job, &e) && is_suspect(m->device, l, &suspect, &e)) {
        if (suspect)
            return take_written(m, l, r);
        if (keep_outputs(m, l) || take_outputs(m, l, &e))
            return agrees_with_itself(m, l, r);
    }
    return result_fail(r, STATUS_RUNTIME, FAULT_REFERENCE, "%s", e.text);
}

// The other job's own reference, if it has one, is not looked at.
static bool run_other(struct making *m, const struct job *other, struct result *r)
{
    struct loaded l = {.job = NULL};
    struct text log = TEXT_INIT;
    struct device *d = m->device;
    d->hushed++;
    bool ok =
        load_job(d, &l, other, NULL, &log, r) && run_checked(d, &l, r) && take_results(m, &l, r);
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
    [REFERENCE_EXPRESSION] = make_expressions,
};

// ---- keeping

static void free_reference(struct device *d, struct reference *f)
{
    for (uint32_t i = 0; f && i < f->count; i++)
        memory_free(d, &f->outputs[i].memory);
    if (f)
        free(f->blob);
    free(f);
}

void references_free(struct device *d)
{
    while (d->references) {
        struct reference *f = d->references;
        d->references = f->next;
        free_reference(d, f);
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

static uint64_t reference_bytes(const struct reference *f)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < f->count; i++)
        sum += f->outputs[i].length;
    return sum;
}

static struct reference *keep_reference(struct device *d, struct reference *f)
{
    unsigned count = 1;
    uint64_t bytes = reference_bytes(f);
    f->next = d->references;
    d->references = f;
    while (f->next) {
        struct reference *next = f->next;
        count++;
        bytes += reference_bytes(next);
        if (count > KEPT || (count > KEPT_LEAST && bytes > KEPT_BYTES)) {
            f->next = next->next;
            free_reference(d, next);
        } else {
            f = next;
        }
    }
    return d->references;
}

static struct reference *new_reference(const struct job *j, const struct digest *recipe)
{
    size_t outputs = (j->buffer_count + 1) * sizeof(struct wanted);
    struct reference *f = calloc(1, sizeof *f + outputs);
    if (!f)
        return NULL;
    f->digest = *recipe;
    f->outputs = (struct wanted *)(void *)(f + 1);
    f->count = j->buffer_count;
    return f;
}

// False when the blob is not one of this recipe; it is taken in any case.
static bool adopt(struct reference *f, uint8_t *blob, uint64_t length)
{
    const struct piece *table = reference_table(blob, length, &f->digest, pieces_of(f));
    f->blob = blob;
    f->length = length;
    for (uint32_t i = 0; table && i < f->count; i++) {
        f->outputs[i].doubles = table[i].doubles != 0;
        f->outputs[i].length = table[i].length;
        f->outputs[i].left_length = table[f->count + i].length;
    }
    if (table)
        point_into_blob(f, table);
    return table != NULL;
}

static struct reference *read_kept(struct device *d, const struct job *j,
                                   const struct digest *recipe)
{
    uint64_t length;
    uint8_t *blob = d->options.cache ? reference_read(d->options.cache, recipe, &length) : NULL;
    struct reference *f = blob ? new_reference(j, recipe) : NULL;
    if (!f)
        free(blob);
    else if (adopt(f, blob, length))
        return keep_reference(d, f);
    free_reference(d, f);
    return NULL;
}

// The file saves the next process the making. What is on the device alone was often made faster
// than a file of its size is read and copied there; then there is none. A cache that cannot be
// written costs time later, nothing else.
static void write_kept(struct device *d, const struct job *j, struct reference *f, uint64_t made_ns)
{
    bool dear = f->blob || made_ns > reference_bytes(f) * READ_NS_PER_BYTE;
    if (!d->options.cache || j->reference.kind == REFERENCE_DATA || !dear ||
        !reference_on_host(d, f, NULL))
        return;
    reference_seal(f->blob, f->length);
    reference_write(d->options.cache, &f->digest, f->blob, f->length, NULL);
}

static struct reference *make_device_reference(struct device *d, const struct job *j,
                                               const struct digest *recipe, struct result *r)
{
    struct making m = {.device = d, .job = j, .reference = new_reference(j, recipe)};
    // Kernels of hone's own are built in any case, and beside the making of the inputs.
    if (j->reference.kind == REFERENCE_GEMM)
        gemm_offered(d, j);
    uint64_t start = clock_ns();
    if (!m.reference) {
        result_fail(r, STATUS_RUNTIME, FAULT_REFERENCE, "reference: out of memory");
        return NULL;
    }
    if (makers[j->reference.kind](&m, r)) {
        write_kept(d, j, m.reference, clock_ns() - start);
        return keep_reference(d, m.reference);
    }
    free_reference(d, m.reference);
    return NULL;
}

void reference_recipe(const struct device *d, const struct job *j, struct digest *out)
{
    job_reference_digest(j, out);
    // Made without guard zones: nobody saw what it wrote beside its buffers.
    if (d->options.simulated)
        out->bytes[0] ^= 0xff;
}

struct reference *reference_of(struct device *d, const struct job *j, const struct digest *recipe,
                               struct result *r)
{
    struct reference *f = find_kept(d, recipe);
    if (f)
        return f;
    device_phase_begin(d, PHASE_REFERENCE, 0, false);
    f = read_kept(d, j, recipe);
    return f ? f : make_device_reference(d, j, recipe, r);
}

void reference_recall(struct device *d, const struct job *j, const struct digest *recipe)
{
    if (!find_kept(d, recipe))
        read_kept(d, j, recipe);
}
