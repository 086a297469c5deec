// The check proves itself on the reference before it judges anything: zeros, what each buffer of the
// same size holds before the launch, and the poison are put where the output will be, and the
// comparison must reject them. Where it would not, hone's own tolerance is narrowed until it does.
// Contents that no tolerance that rounding allows distinguishes from the reference are reported, and prove
// nothing. A tolerance that the spec gives is obeyed, and what it lets pass is reported.
#include "device/open_device.h"

#include "base/text.h"
#include "device/fill.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

// The share that must be wrong by themselves, of the components in which a wrong output differs from the
// reference at all.
#define TELLING_SHARE 0.5
// The least difference that a narrowed tolerance rejects, in units of the type's rounding: errors of a few
// operations stay below the first; those of sums of many products, which zeros are compared with, below
// the second.
#define COPY_NOISE 16
#define ZERO_NOISE 128

struct proving {
    struct device *device;
    struct loaded *loaded;
    struct reference *reference;
    uint32_t index;
    const struct job_buffer *buffer;
    struct proof *proof;
    bool whole, in_place;
    char name[64]; // what is put there, for messages
};

// ---- the numbers of a type

// Where numbers begin to be none.
static double least_of(enum scalar s)
{
    return s == SCALAR_HALF                            ? 0x1p-24
           : s == SCALAR_E4M3                          ? 0x1p-9
           : s == SCALAR_E5M2                          ? 0x1p-16
           : s == SCALAR_FLOAT || s == SCALAR_BFLOAT16 ? FLT_MIN
           : s == SCALAR_DOUBLE                        ? DBL_MIN
                                                       : 0;
}

// ---- what is put in the output's place

static bool put_byte(struct proving *p, uint8_t byte, const char *name, struct error *e)
{
    str_format(p->name, sizeof p->name, "%s", name);
    return memory_fill(p->device, &p->loaded->buffers[p->index]->memory, byte, e);
}

static struct memory *contents_of(const struct loaded *l, uint32_t index)
{
    struct buffer *b = l->buffers[index];
    return b->use == USE_RESTORED ? &b->initial : b->use == USE_INPUT ? &b->memory : NULL;
}

static bool is_copyable(const struct proving *p, uint32_t index)
{
    const struct job_buffer *b = &p->loaded->job->buffers[index];
    const struct memory *m = contents_of(p->loaded, index);
    return m && !b->constant && !b->temporary && b->element.scalar == p->buffer->element.scalar &&
           m->bytes == p->loaded->buffers[p->index]->memory.bytes;
}

static bool put_copy(struct proving *p, uint32_t index, struct error *e)
{
    p->in_place = index == p->index;
    if (p->in_place)
        str_format(p->name, sizeof p->name, "what it holds before the launch");
    else
        str_format(p->name, sizeof p->name, "a copy of %s", p->loaded->job->buffers[index].name);
    return memory_copy(p->device, &p->loaded->buffers[p->index]->memory,
                       contents_of(p->loaded, index), e);
}

// ---- holding it against the reference

// By these bounds for a component, whatever the kind; of a whole by its own at this factor.
static bool hold_by(struct proving *p, double atol, double rtol, struct deviation *out,
                    struct error *e)
{
    struct job_buffer plain = *p->buffer;
    plain.compare.kind = COMPARE_CLOSE;
    plain.compare.atol = atol;
    plain.compare.rtol = rtol;
    plain.compare.scaled = false;
    return outputs_hold(p->device, p->loaded, p->reference, p->index, &plain, NULL, out, e);
}

static bool hold(struct proving *p, double factor, struct deviation *out, struct error *e)
{
    const struct compare_scale scale = {!p->whole, p->proof->scale.rms, factor};
    return outputs_hold(p->device, p->loaded, p->reference, p->index, p->buffer, &scale, out, e);
}

__attribute__((format(printf, 3, 4))) static void note(struct proving *p, bool blind,
                                                       const char *format, ...)
{
    va_list arguments;
    if (p->proof->note[0] && !(blind && !p->proof->blind))
        return; // the gravest first
    p->proof->blind = p->proof->blind || blind;
    va_start(arguments, format);
    vsnprintf(p->proof->note, sizeof p->proof->note, format, arguments);
    va_end(arguments);
}

// Notes what passes a tolerance that may not be narrowed, or cannot be any further.
static void note_passing(struct proving *p, const struct deviation *d, uint64_t telling)
{
    char share[64] = "";
    if (!d->ok && !p->whole && telling > 0)
        str_format(share, sizeof share, " in %.3g %% of its components",
                   100 * (1 - (double)d->wrong / (double)telling));
    if (p->buffer->compare.given)
        note(p, false, "the tolerance that the spec gives lets %s pass%s", p->name, share);
    else if (d->ok)
        note(p, true, "no tolerance that rounding allows rejects %s", p->name);
    else
        note(p, false, "any tolerance that rounding allows lets %s pass%s", p->name, share);
}

// True if the comparison rejects the wrong output: as a whole and by the norm all components are judged
// together, else enough of those in which it differs must be wrong.
static bool is_rejected(const struct proving *p, const struct deviation *d, uint64_t telling)
{
    bool together = p->whole || p->buffer->compare.kind == COMPARE_NORM;
    return !d->ok && (together || (double)d->wrong >= TELLING_SHARE * (double)telling);
}

// Narrows until what lies there is rejected, in half of the components in which it differs.
static bool narrow(struct proving *p, uint64_t telling, double least, struct error *e)
{
    double factor = p->proof->scale.narrowed;
    struct deviation d;
    if (!hold(p, factor, &d, e))
        return false;
    bool may = !p->buffer->compare.given && p->buffer->compare.kind != COMPARE_EXACT;
    while (!is_rejected(p, &d, telling)) {
        if (!may || factor <= least) {
            note_passing(p, &d, telling);
            return true;
        }
        factor = fmax(factor / 2, least);
        if (!hold(p, factor, &d, e))
            return false;
    }
    if (factor < p->proof->scale.narrowed) {
        p->proof->scale.narrowed = factor;
        note(p, false, "its tolerance is narrowed to %.2g of the usual: by that %s would pass",
             factor, p->name);
    }
    return true;
}

// The factor that leaves so many units of rounding.
static double factor_for(const struct proving *p, double units)
{
    const struct job_compare *k = &p->buffer->compare;
    double unit = scalar_rounding(p->buffer->element.scalar);
    struct compare_limit usual = compare_limit_of(k, 1, 1);
    double widest = fmax(usual.atol, usual.rtol);
    return widest > 0 ? fmin(1, units * unit / widest) : 1;
}

// ---- zeros, copies, poison

// The size of a reference is that of what a launch changes, where the rest is so much larger that the usual tolerance tells most
// of the changes from nothing: memory that nobody has filled may hold anything.
static bool measure_changes(struct proving *p, struct error *e)
{
    const double noise = COPY_NOISE * scalar_rounding(p->buffer->element.scalar);
    struct deviation changed, telling;
    if (p->buffer->compare.given || !is_copyable(p, p->index))
        return true;
    if (!put_copy(p, p->index, e) || !hold_by(p, 0, 0, &changed, e) ||
        !hold_by(p, noise * p->proof->scale.rms, noise, &telling, e))
        return false;
    if ((double)telling.wrong < TELLING_SHARE * (double)changed.wrong && changed.most_wrong > 0 &&
        changed.most_wrong < p->proof->scale.rms) {
        p->proof->scale.rms = changed.most_wrong;
        note(p, false, "its tolerance is by the size of what a launch changes");
    }
    return put_byte(p, 0, "zeros", e);
}

// Does the reference differ from what the output holds before the launch? Then zeros may be right, and prove a launch.
static bool tells_by_change(struct proving *p, bool *out, struct error *e)
{
    struct deviation d = {.wrong = 0};
    *out = false;
    if (!p->whole && is_copyable(p, p->index) &&
        !(put_copy(p, p->index, e) && hold_by(p, 0, 0, &d, e)))
        return false;
    *out = d.wrong > 0;
    return true;
}

static bool prove_by_zeros(struct proving *p, struct error *e)
{
    struct deviation d;
    if (!put_byte(p, 0, "zeros", e) ||
        !(p->whole ? hold(p, 1, &d, e) : hold_by(p, least_of(p->buffer->element.scalar), 0, &d, e)))
        return false;
    p->proof->scale.rms = d.rms;
    if (p->whole ? d.ok && d.norm == 0 : d.wrong == 0) {
        bool changes;
        if (!tells_by_change(p, &changes, e))
            return false;
        note(p, !p->buffer->compare.given && !changes, "its reference is 0%s: zeros pass",
             p->whole ? " as a whole" : " throughout");
        return true;
    }
    return (p->whole || measure_changes(p, e)) && narrow(p, d.wrong, factor_for(p, ZERO_NOISE), e);
}

// An identical output is not a wrong one. But where it is the output itself nothing has to be done.
static bool prove_same(struct proving *p, bool *same, struct error *e)
{
    struct deviation d;
    if (!hold_by(p, 0, 0, &d, e))
        return false;
    *same = d.wrong == 0;
    if (*same && p->in_place) {
        p->proof->same = true;
        note(p, true, "its reference is %s", p->name);
    }
    return true;
}

static bool prove_by_copy(struct proving *p, uint32_t index, struct error *e)
{
    double noise = COPY_NOISE * scalar_rounding(p->buffer->element.scalar);
    struct deviation d;
    bool same = false;
    if (!put_copy(p, index, e) || (!p->whole && !prove_same(p, &same, e)))
        return false;
    if (same)
        return true;
    if (!p->whole && !hold_by(p, noise * p->proof->scale.rms, noise, &d, e))
        return false;
    if (!p->whole && d.wrong == 0 && !p->buffer->compare.given) {
        p->proof->same = p->proof->same || p->in_place;
        note(p, true, "no tolerance that rounding allows rejects %s", p->name);
        return true;
    }
    return narrow(p, p->whole ? 0 : d.wrong, factor_for(p, COPY_NOISE), e);
}

static bool prove_by_poison(struct proving *p, struct error *e)
{
    struct deviation d;
    if (!put_byte(p, POISON_BYTE, "what it is filled with before the launch", e) ||
        !hold(p, p->proof->scale.narrowed, &d, e))
        return false;
    if (d.ok)
        note(p, true, "%s passes", p->name);
    return true;
}

static bool prove_output(struct proving *p, struct error *e)
{
    const struct loaded *l = p->loaded;
    p->whole = compare_is_whole(p->buffer->compare.kind);
    p->proof->scale = (struct compare_scale){!p->whole, 0, 1};
    bool ok = prove_by_zeros(p, e);
    for (uint32_t i = 0; ok && i < l->job->buffer_count; i++)
        ok = !is_copyable(p, i) || prove_by_copy(p, i, e);
    return ok && prove_by_poison(p, e);
}

// ---- keeping

static bool is_of(const struct proof *p, const struct job_buffer *b)
{
    const struct job_compare *x = &p->compare, *y = &b->compare;
    return p->made && p->element.scalar == b->element.scalar &&
           p->element.width == b->element.width && p->access == b->access && x->kind == y->kind &&
           x->atol == y->atol && x->rtol == y->rtol && x->first == y->first &&
           x->count == y->count && x->allow_nan == y->allow_nan && x->scaled == y->scaled &&
           x->given == y->given;
}

const struct proof *proof_of(const struct reference *f, uint32_t index, const struct job_buffer *b)
{
    const struct wanted *w = &f->outputs[index];
    for (uint32_t i = 0; i < PROOFS_KEPT; i++) {
        if (is_of(&w->proofs[i], b))
            return &w->proofs[i];
    }
    return NULL;
}

static bool prove(struct device *d, struct loaded *l, struct reference *f, uint32_t index,
                  struct error *e)
{
    struct wanted *w = &f->outputs[index];
    const struct job_buffer *b = &l->job->buffers[index];
    struct proof proof = {.compare = b->compare, .element = b->element, .access = b->access};
    struct proving p = {
        .device = d, .loaded = l, .reference = f, .index = index, .buffer = b, .proof = &proof};
    if (!prove_output(&p, e))
        return error_context(e, "proving the check of %s", b->name);
    proof.made = true;
    w->proofs[w->proof_next++ % PROOFS_KEPT] = proof;
    return true;
}

bool reference_prove(struct device *d, struct loaded *l, struct reference *f, struct result *r)
{
    struct error e = ERROR_INIT;
    bool ok = true, made = false;
    for (uint32_t i = 0; ok && i < f->count; i++) {
        const struct job_buffer *b = &l->job->buffers[i];
        if (!f->outputs[i].length || l->buffers[i]->use == USE_INPUT || proof_of(f, i, b))
            continue;
        if (!made)
            device_phase_begin(d, PHASE_INPUTS, 0, false);
        ok = made || buffers_make(d, l, &e);
        made = true;
        ok = ok && prove(d, l, f, i, &e);
    }
    return ok || run_unstarted(d, &e, r);
}

struct reference *reference_proven(struct device *d, struct loaded *l, struct result *r)
{
    struct reference *f = reference_of(d, l->job, &l->recipe, r);
    return f && reference_prove(d, l, f, r) ? f : NULL;
}
