// What a pass over the components found, put together and judged. A second pass runs only where
// poison was seen, or where squares overflowed.
#include "device/compare_pass.h"

#include "base/text.h"
#include "device/fill.h"

#include <float.h>
#include <math.h>

// With a bound on the norm only, a single component may be this many times further off than the
// bound allows on average before it counts as unwritten when it holds the poison.
#define NORM_TAIL 8

// ---- putting the parts together

static void merge_first(uint64_t *count, uint64_t *first, uint64_t other_count,
                        uint64_t other_first)
{
    if (other_count && (*count == 0 || other_first < *first))
        *first = other_first;
    *count += other_count;
}

void part_merge(struct part *into, const struct part *p)
{
    into->difference += p->difference;
    into->reference += p->reference;
    into->sum_got += p->sum_got;
    into->sum_reference += p->sum_reference;
    into->most = fmax(into->most, p->most);
    if (p->largest > into->largest || (p->largest == into->largest && p->at < into->at)) {
        into->largest = p->largest;
        into->at = p->at;
    }
    merge_first(&into->nans, &into->first_nan, p->nans, p->first_nan);
    merge_first(&into->unwritten, &into->first_unwritten, p->unwritten, p->first_unwritten);
    into->poisoned += p->poisoned;
    into->wrong += p->wrong;
    into->compared += p->compared;
    into->seen += p->seen;
}

// Squares of very large or small numbers leave the range of a double: scale by the largest first.
static bool needs_scale(const struct part *t, double *scale)
{
    double most = fmax(t->largest, t->most);
    if (most == 0 || (most > 1e-120 && most < 1e120))
        return false;
    *scale = most > 1 ? 1 / most : fmin(1 / most, DBL_MAX);
    return true;
}

static double relative(double difference, double reference)
{
    if (reference > 0)
        return sqrt(difference) / sqrt(reference);
    return difference > 0 ? INFINITY : 0;
}

// What a component that holds the poison may be off. A comparison that only bounds all together
// says nothing of single ones; a share of the bound stands in.
static void judge_poison(struct comparison *c, const struct part *t)
{
    const struct job_compare *k = &c->buffer->compare;
    double count = t->compared ? (double)t->compared : 1;
    c->judge_poison = true;
    c->poison_atol = k->kind == COMPARE_EXACT ? 0 : k->atol;
    c->poison_rtol = k->kind == COMPARE_EXACT ? 0 : k->rtol;
    if (k->kind == COMPARE_NORM)
        c->poison_atol = NORM_TAIL * k->rtol * sqrt(t->reference / count) / c->scale;
}

static bool run_passes(struct comparison *c, const struct pass *pass, struct part *t,
                       struct error *e)
{
    if (!pass->run(pass->context, c, t, e))
        return false;
    if (needs_scale(t, &c->scale) && !pass->run(pass->context, c, t, e))
        return false;
    if (t->poisoned == 0)
        return true;
    judge_poison(c, t);
    return pass->run(pass->context, c, t, e);
}

static bool judge(const struct comparison *c, const struct part *t, double norm)
{
    const struct job_compare *k = &c->buffer->compare;
    if (t->nans || t->unwritten || t->wrong)
        return false;
    if (k->kind == COMPARE_NORM)
        return norm <= k->rtol;
    if (k->kind == COMPARE_SUM)
        return fabs(t->sum_got - t->sum_reference) <= k->atol + k->rtol * fabs(t->sum_reference);
    return true;
}

// ---- setting up

uint64_t compare_place(const struct comparison *c, uint64_t component)
{
    return component / c->width * c->space + component % c->width;
}

void compare_layout(struct comparison *c)
{
    const struct element *el = &c->buffer->element;
    bool raw = el->scalar == SCALAR_CUSTOM;
    c->width = raw ? el->custom_bytes : el->width;
    c->bytes = raw ? 1 : scalar_bytes(el->scalar);
    c->space = element_bytes(el) / c->bytes;
}

static void set_tolerances(struct comparison *c)
{
    const struct job_compare *k = &c->buffer->compare;
    bool single = k->kind == COMPARE_ABSOLUTE || k->kind == COMPARE_CLOSE;
    bool together = k->kind == COMPARE_NORM || k->kind == COMPARE_SUM;
    c->atol = together ? INFINITY : single ? k->atol : 0;
    c->rtol = k->kind == COMPARE_CLOSE ? k->rtol : 0;
}

static void set_up(struct comparison *c, const struct job_buffer *b)
{
    enum scalar s = b->element.scalar;
    uint64_t elements = b->compare.count ? b->compare.count : b->count;
    uint64_t first = b->compare.first < b->count ? b->compare.first : b->count;
    compare_layout(c);
    c->first = first * c->width;
    c->count = (elements < b->count - first ? elements : b->count - first) * c->width;
    c->scale = 1;
    c->exact_integers = (s == SCALAR_I64 || s == SCALAR_U64) && !c->doubles;
    set_tolerances(c);
}

static uint64_t telling_index(const struct part *p)
{
    if (p->nans)
        return p->first_nan;
    return p->unwritten ? p->first_unwritten : p->at;
}

bool compare_by(const struct job_buffer *b, bool doubles, const struct pass *pass,
                struct deviation *out, struct error *e)
{
    struct comparison c = {.buffer = b, .doubles = doubles};
    struct part t;
    *out = (struct deviation){.name = b->name};
    set_up(&c, b);
    if (!run_passes(&c, pass, &t, e))
        return false;
    out->norm = relative(t.difference, t.reference);
    out->largest = t.largest;
    out->nans = t.nans;
    out->unwritten = t.unwritten;
    out->wrong = t.wrong;
    out->index = telling_index(&t);
    out->ok = judge(&c, &t, out->norm);
    return c.count == 0 || pass->look(pass->context, &c, out->index, &out->got, &out->expected, e);
}

// ---- in words

static void add_limit(const struct job_buffer *b, struct text *t)
{
    const struct job_compare *k = &b->compare;
    if (k->kind == COMPARE_NORM)
        text_addf(t, " (limit %g)", k->rtol);
    else if (k->kind == COMPARE_CLOSE)
        text_addf(t, " (limit %g + %g of the reference for a component)", k->atol, k->rtol);
    else if (k->kind == COMPARE_ABSOLUTE)
        text_addf(t, " (limit %g for a component)", k->atol);
    else if (k->kind == COMPARE_SUM)
        text_addf(t, " (the sum may be off by %g + %g of the reference)", k->atol, k->rtol);
    else
        text_add(t, " (must be equal)");
}

static void add_count(struct text *t, uint64_t count, const char *one, const char *many)
{
    if (count)
        text_addf(t, "%llu %s, ", (unsigned long long)count, count == 1 ? one : many);
}

void compare_message(const struct job_buffer *b, const struct deviation *d, char *out, size_t size)
{
    struct text t = TEXT_INIT;
    text_addf(&t, "%s: ", b->name);
    add_count(&t, d->nans, "NaN or infinity", "NaN or infinities");
    add_count(&t, d->unwritten, "element unwritten", "elements unwritten");
    if (d->nans || d->unwritten) {
        text_addf(&t, "first at component %llu (expected %g)", (unsigned long long)d->index,
                  d->expected);
    } else {
        add_count(&t, d->wrong, "component wrong", "components wrong");
        text_addf(&t, "relative norm %.2g", d->norm);
        add_limit(b, &t);
        text_addf(&t, ", largest deviation %g at component %llu (got %g, expected %g)", d->largest,
                  (unsigned long long)d->index, d->got, d->expected);
    }
    str_format(out, size, "%s", text_cstr(&t));
    text_release(&t);
}
