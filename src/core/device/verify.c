// The verified launch: run once, everything around the outputs intact, outputs as they should be.
#include "device/open_device.h"

#include "os/process.h"
#include "base/text.h"
#include "device/compare_pass.h"
#include "device/fill.h"

#include <stdlib.h>

// The region of the reference; of another job it may be one of its own, and a total is one element.
static struct job_region region_of(const struct job *j, uint32_t index)
{
    const struct job_buffer *b = &j->buffers[index];
    for (uint32_t i = 0; i < j->reference.expression_count; i++) {
        if (j->reference.expressions[i].buffer == index && j->reference.expressions[i].total)
            return (struct job_region){0, 1};
    }
    const struct job *other = j->reference.kind == REFERENCE_JOB ? j->reference.job : NULL;
    for (uint32_t i = 0; other && i < other->buffer_count; i++) {
        if (str_equal(other->buffers[i].name, b->name))
            return reference_region(b, &other->buffers[i]);
    }
    return buffer_region(b);
}

static bool is_own_region(const struct job_buffer *b, const struct job_region *r)
{
    struct job_region own = buffer_region(b);
    return own.first == r->first && own.count == r->count;
}

// Where the host does not see the memory, and the two sides lie alike.
static bool compare_there(struct device *d, struct reference *f, uint32_t index,
                          struct compare_request *q, struct deviation *out, bool *done,
                          struct error *e)
{
    const struct memory *m = q->got;
    *done = !m->host && !m->exact && m->bytes >= d->worth_bytes && !f->outputs[index].left &&
            is_own_region(q->buffer, &q->region) &&
            (q->kernel = compare_kernel(d, q->buffer, q->doubles)) &&
            (q->expected = reference_on_device(d, f, index));
    return !*done || compare_on_device(d, q, out, e);
}

static bool compare_here(struct device *d, struct reference *f, uint32_t index,
                         struct compare_request *q, struct deviation *out, struct error *e)
{
    void *copy = NULL;
    if (!reference_on_host(d, f, e))
        return false;
    const struct wanted *w = &f->outputs[index];
    const void *got = memory_look(d, q->got, &copy, e);
    struct expected x = {w->data, w->doubles, q->region, w->left, q->scale};
    if (got)
        compare_output(q->buffer, got, &x, out);
    free(copy);
    return got != NULL;
}

bool outputs_hold(struct device *d, struct loaded *l, struct reference *f, uint32_t index,
                  const struct job_buffer *b, const struct compare_scale *scale,
                  struct deviation *out, struct error *e)
{
    struct compare_request q = {.buffer = b,
                                .got = loaded_memory(l, index),
                                .region = region_of(l->job, index),
                                .doubles = f->outputs[index].doubles};
    bool done;
    q.scale = scale ? *scale : q.scale;
    return compare_there(d, f, index, &q, out, &done, e) &&
           (done || compare_here(d, f, index, &q, out, e));
}

static bool compare_buffer(struct device *d, struct loaded *l, uint32_t index, struct reference *f,
                           struct result *r)
{
    const struct job_buffer *b = &l->job->buffers[index];
    struct error e = ERROR_INIT;
    struct deviation *out = &r->deviations[r->deviation_count];
    const struct proof *proof = proof_of(f, index, b);
    char message[512];
    if (!outputs_hold(d, l, f, index, b, proof ? &proof->scale : NULL, out, &e))
        return run_lost(d, &e, r);
    out->name = arena_strdup(&r->arena, b->name);
    out->blind = proof && proof->blind;
    out->note = proof && proof->note[0] ? arena_strdup(&r->arena, proof->note) : "";
    out->note = out->note ? out->note : "";
    r->deviation_count++;
    if (out->ok)
        return true;
    compare_message(b, out, message, sizeof message);
    return result_fail(r, STATUS_CORRECTNESS, FAULT_CONFIGURATION, "%s", message);
}

// All outputs are compared, also after the first that is wrong.
bool outputs_compare(struct device *d, struct loaded *l, struct reference *f, struct result *r)
{
    bool ok = true;
    r->deviation_count = 0;
    r->deviations = arena_array(&r->arena, f->count + 1, sizeof *r->deviations);
    if (!r->deviations)
        return result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
    for (uint32_t i = 0; i < f->count; i++) {
        if (f->outputs[i].length)
            ok = compare_buffer(d, l, i, f, r) && ok;
    }
    if (ok && r->deviation_count && !result_is_blind(r))
        r->verification =
            l->job->reference.agreement ? VERIFICATION_AGREES : VERIFICATION_REFERENCE;
    return ok;
}

// ---- without a reference

static uint64_t count_left(const struct job_buffer *b, const uint8_t *left)
{
    struct comparison c = {.buffer = b};
    struct job_region r = buffer_region(b);
    uint64_t count = 0;
    compare_layout(&c);
    for (uint64_t i = r.first * c.width; left && i < (r.first + r.count) * c.width; i++)
        count += left[i];
    return count;
}

static void add_share(const struct job_buffer *b, uint64_t unwritten, struct result *r)
{
    struct comparison c = {.buffer = b};
    struct deviation *out = &r->deviations[r->deviation_count++];
    compare_layout(&c);
    *out = (struct deviation){
        .name = arena_strdup(&r->arena, b->name), .ok = true, .narrowed = 1, .note = ""};
    out->components = buffer_region(b).count * c.width;
    out->written = buffer_begins_made(b) ? WRITTEN_UNKNOWN : out->components - unwritten;
    out->name = out->name ? out->name : "?";
}

// How much of each output was written is all that is known then.
static bool outputs_look(struct device *d, struct loaded *l, struct result *r)
{
    struct unwritten u = {0, NULL, NULL};
    struct error e = ERROR_INIT;
    const struct job *j = l->job;
    uint64_t *counts = arena_array(&r->arena, j->buffer_count + 1, sizeof *counts);
    bool doubtful = false, ok = true;
    r->deviation_count = 0;
    r->deviations = arena_array(&r->arena, j->buffer_count + 1, sizeof *r->deviations);
    if (!counts || !r->deviations)
        return result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
    for (uint32_t i = 0; ok && i < j->buffer_count; i++) {
        ok = unwritten_suspected(d, l, i, &counts[i], &e);
        doubtful = doubtful || (counts[i] > 0 && !compare_poison_tells(&j->buffers[i]));
    }
    if (!ok)
        return run_lost(d, &e, r);
    ok = !doubtful || unwritten_find(d, l, &u, r);
    for (uint32_t i = 0; ok && i < j->buffer_count; i++) {
        const struct job_buffer *b = &j->buffers[i];
        if (b->output)
            add_share(b, doubtful ? count_left(b, u.left[i]) : counts[i], r);
    }
    unwritten_release(&u);
    return ok;
}

// ---- what a launch changed

// Components of an output that is read, too, which are not what they were before the launch.
static bool count_changed(struct device *d, const struct job_buffer *b, struct buffer *at,
                          uint64_t *out, struct error *e)
{
    struct job_buffer plain = *b;
    struct deviation found = {.wrong = 0};
    void *now = NULL, *before = NULL;
    plain.access = ACCESS_BOTH;
    plain.compare.kind = COMPARE_EXACT;
    plain.compare.allow_nan = true;
    struct compare_request q = {
        .buffer = &plain, .got = &at->memory, .expected = &at->initial, .region = buffer_region(b)};
    const struct memory *m = q.got;
    bool there = !m->host && !m->exact && m->bytes >= d->worth_bytes &&
                 (q.kernel = compare_kernel(d, &plain, false));
    if (there && !compare_on_device(d, &q, &found, e))
        return false;
    struct expected x = {.region = q.region};
    const void *got = there ? NULL : memory_look(d, q.got, &now, e);
    x.data = got ? memory_look(d, q.expected, &before, e) : NULL;
    if (x.data)
        compare_output(&plain, got, &x, &found);
    free(now);
    free(before);
    *out = found.wrong;
    return there || x.data;
}

static struct deviation *deviation_of(struct result *r, const char *name)
{
    for (uint32_t i = 0; i < r->deviation_count; i++) {
        if (str_equal(r->deviations[i].name, name))
            return &r->deviations[i];
    }
    return NULL;
}

static bool note_changed(struct device *d, struct loaded *l, struct result *r)
{
    struct error e = ERROR_INIT;
    for (uint32_t i = 0; i < l->job->buffer_count; i++) {
        const struct job_buffer *b = &l->job->buffers[i];
        struct deviation *at = b->output ? deviation_of(r, b->name) : NULL;
        if (!at || l->buffers[i]->use != USE_RESTORED)
            continue;
        at->changes = true;
        if (!count_changed(d, b, l->buffers[i], &at->written, &e))
            return run_lost(d, &e, r);
    }
    return true;
}

static bool is_reference_same(const struct loaded *l, const struct reference *f)
{
    bool same = true;
    for (uint32_t i = 0; i < f->count; i++) {
        const struct proof *p = proof_of(f, i, &l->job->buffers[i]);
        same = same && (!f->outputs[i].length || (p && p->same));
    }
    return same;
}

// A launch that leaves everything as it was agrees with nothing. Of the default configuration, or
// where the reference is what the outputs hold before, that is the spec's fault.
static bool has_changed_any(const struct loaded *l, const struct reference *f, struct result *r)
{
    struct text names = TEXT_INIT;
    for (uint32_t i = 0; i < r->deviation_count; i++) {
        if (r->deviations[i].written != 0 || r->deviations[i].components == 0)
            return text_release(&names), true;
        text_addf(&names, "%s%s", i ? ", " : "", r->deviations[i].name);
    }
    bool same = is_reference_same(l, f);
    result_fail(r, STATUS_CORRECTNESS, same ? FAULT_REFERENCE : FAULT_CONFIGURATION,
                same ? "no launch changed %s: nothing was checked"
                     : "the launch left %s as it was: nothing was checked",
                text_cstr(&names));
    text_release(&names);
    return false;
}

// ---- the whole

void outputs_prepare(struct device *d, const struct job *j, struct reference *f)
{
    if (d->info.type == DEVICE_CPU || d->options.simulated)
        return;
    for (uint32_t i = 0; i < f->count; i++) {
        const struct job_buffer *b = &j->buffers[i];
        if (f->outputs[i].length && fill_bytes(b) >= d->worth_bytes &&
            compare_kernel(d, b, f->outputs[i].doubles))
            reference_on_device(d, f, i);
    }
}

static bool verify(struct device *d, struct loaded *l, bool audited, struct result *r)
{
    struct reference *f = NULL;
    uint64_t start = clock_ns();
    if (l->job->reference.kind != REFERENCE_NONE && !(f = reference_proven(d, l, r)))
        return false;
    r->reference_ns = clock_ns() - start;
    d->verifying = true;
    bool ok = run_checked(d, l, r);
    d->verifying = false;
    ok = ok && (f ? outputs_compare(d, l, f, r) : outputs_look(d, l, r)) && note_changed(d, l, r);
    ok = ok && (!f || r->deviation_count == 0 || has_changed_any(l, f, r));
    return ok && (!f || !audited || outputs_audit(d, l, f, r));
}

// ---- outputs of another process

static bool put_outputs(struct device *d, struct loaded *l, const void *const *contents,
                        struct result *r)
{
    struct error e = ERROR_INIT;
    bool ok = buffers_make(d, l, &e);
    for (uint32_t i = 0; ok && i < l->job->buffer_count; i++)
        ok = !l->job->buffers[i].output || memory_write(d, &l->buffers[i]->memory, contents[i], &e);
    return ok || run_unstarted(d, &e, r);
}

static bool compare_outputs_of(struct device *d, struct loaded *l, const struct check_apart *c,
                               const void *const *contents, struct result *r)
{
    struct reference *f = NULL;
    uint64_t start = clock_ns();
    if (c->inputs)
        inputs_change(d, l, c->inputs, &f, r);
    else
        f = reference_of(d, l->job, &l->recipe, r);
    r->reference_ns = clock_ns() - start;
    bool ok = f && reference_prove(d, l, f, r) && put_outputs(d, l, contents, r);
    if (ok && c->launch)
        return outputs_compare_launch(d, l, f, c->launch, r);
    return ok && outputs_compare(d, l, f, r) && note_changed(d, l, r) &&
           (r->deviation_count == 0 || has_changed_any(l, f, r)) &&
           (!c->audit || outputs_audit(d, l, f, r));
}

bool device_compare(struct device *d, const struct job *j, const struct check_apart *c,
                    const void *const *contents, struct result *r)
{
    struct loaded l = {.job = NULL};
    uint64_t start = clock_ns();
    arena_init(&l.arena);
    device_phase_begin(d, PHASE_CHECKING, 0, false);
    r->reference_ns = 0;
    bool ok = device_usable(d, r) && load_buffers(d, &l, j, r) &&
              compare_outputs_of(d, &l, c, contents, r);
    load_release(d, &l);
    d->inputs = 0;
    r->verify_ns = clock_ns() - start - r->reference_ns;
    device_phase_begin(d, PHASE_IDLE, 0, false);
    return ok;
}

// ---- a launch that is verified

bool device_verify(struct device *d, struct loaded *l, const struct policy *p, struct result *r)
{
    uint64_t start = clock_ns();
    r->reference_ns = 0;
    bool ok =
        device_usable(d, r) && verify(d, l, p->audit, r); // its limits are the tuner's business
    r->verify_ns = clock_ns() - start - r->reference_ns;
    device_phase_begin(d, PHASE_IDLE, 0, false);
    return ok;
}
