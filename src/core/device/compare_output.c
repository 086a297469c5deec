// Combines and judges the findings of a pass over the components. A second pass runs only if poison
// was seen, or squares overflowed.
#include "device/compare_pass.h"

#include "base/text.h"

#include <float.h>
#include <math.h>

// With a bound on the norm, a single component may be this many times further off than the bound
// allows on average: of errors that spread normally not one in 10^15 is.
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
    into->most_wrong = fmax(into->most_wrong, p->most_wrong);
    if (p->largest > into->largest || (p->largest == into->largest && p->at < into->at)) {
        into->largest = p->largest;
        into->at = p->at;
    }
    merge_first(&into->specials, &into->first_special, p->specials, p->first_special);
    merge_first(&into->unwritten, &into->first_unwritten, p->unwritten, p->first_unwritten);
    into->nans += p->nans;
    into->got_nans += p->got_nans;
    into->expected_nans += p->expected_nans;
    into->poisoned += p->poisoned;
    into->expected_poisoned += p->expected_poisoned;
    into->left += p->left;
    into->left_written += p->left_written;
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

bool compare_poison_tells(const struct job_buffer *b)
{
    return element_bytes(&b->element) / b->element.width >= 4 && b->element.scalar != SCALAR_CUSTOM;
}

bool compare_sums_integers(const struct job_buffer *b, bool doubles)
{
    const unsigned bits = 8 * scalar_bytes(b->element.scalar);
    return b->compare.kind == COMPARE_SUM && !doubles && !scalar_is_float(b->element.scalar) &&
           (bits == 64 || b->count * b->element.width >> (53 - bits) > 0);
}

struct compare_limit compare_limit_of(const struct job_compare *k, double rms, double narrowed)
{
    double size = (k->scaled ? rms : 1) * narrowed;
    if (k->kind == COMPARE_EXACT)
        return (struct compare_limit){0, 0};
    if (k->kind == COMPARE_NORM)
        return (struct compare_limit){NORM_TAIL * k->rtol * rms * narrowed,
                                      NORM_TAIL * k->rtol * narrowed};
    return (struct compare_limit){k->atol * size,
                                  k->kind == COMPARE_ABSOLUTE ? 0 : k->rtol * narrowed};
}

// Judging components needs the size of the reference first.
static bool measures_first(const struct comparison *c)
{
    const struct job_compare *k = &c->buffer->compare;
    bool by_size = k->kind == COMPARE_NORM || (k->scaled && k->kind != COMPARE_EXACT);
    return by_size && !c->size.known && !compare_is_whole(k->kind);
}

// The root of the mean square of the reference's components; SUM: of the sum of their squares, which
// is what as many of either sign add up to.
static double size_of(const struct comparison *c, const struct part *t)
{
    double count = c->buffer->compare.kind == COMPARE_SUM ? 1 : (double)t->compared;
    double size = count > 0 ? sqrt(t->reference / count) / c->scale : 0;
    return isfinite(size) ? size : t->most;
}

static bool measure_reference(struct comparison *c, const struct pass *pass, struct part *t,
                              struct error *e)
{
    if (!pass->run(pass->context, c, t, e) ||
        (needs_scale(t, &c->scale) && !pass->run(pass->context, c, t, e)))
        return false;
    c->size.rms = size_of(c, t);
    return true;
}

static bool run_passes(struct comparison *c, const struct pass *pass, struct part *t,
                       struct error *e)
{
    if (measures_first(c) && !measure_reference(c, pass, t, e))
        return false;
    const struct job_compare *k = &c->buffer->compare;
    struct compare_limit l = compare_limit_of(k, c->size.rms, c->size.narrowed);
    c->poison_atol = c->atol = l.atol;
    c->poison_rtol = c->rtol = l.rtol;
    if (k->kind == COMPARE_SUM)
        c->atol = INFINITY;
    if (!pass->run(pass->context, c, t, e))
        return false;
    if (compare_is_whole(c->buffer->compare.kind)) {
        // SUM, SET: the places of the two sides have nothing to do with each other, so that what is
        // still poisoned is counted against what the reference has of that value. Where the
        // reference wrote only a part, how much is written may vary.
        bool judged =
            t->left == 0 && compare_poison_tells(c->buffer) && t->poisoned > t->expected_poisoned;
        t->unwritten = judged ? t->poisoned - t->expected_poisoned : 0;
        return true;
    }
    if (needs_scale(t, &c->scale) && !pass->run(pass->context, c, t, e))
        return false;
    if (t->poisoned == 0)
        return true;
    c->judge_poison = true;
    return pass->run(pass->context, c, t, e);
}

static double sum_limit(const struct job_compare *k, const struct deviation *d)
{
    struct compare_limit l = compare_limit_of(k, d->rms, d->narrowed);
    return l.atol + l.rtol * fabs(d->expected);
}

static bool judge_sum(const struct job_compare *k, const struct deviation *d)
{
    return d->largest == 0 ||
           (isfinite(d->got) && isfinite(d->expected) && d->largest <= sum_limit(k, d));
}

// SUM, SET: NaN has no place there, so that as many stand for the same.
static bool judge_nans_of_whole(const struct job_compare *k, const struct part *t)
{
    return t->got_nans == t->expected_nans && (k->allow_nan || t->got_nans == 0);
}

static bool judge(const struct comparison *c, const struct part *t, const struct deviation *d)
{
    const struct job_compare *k = &c->buffer->compare;
    if (t->specials || t->unwritten || t->wrong)
        return false;
    if (compare_is_whole(k->kind) && !judge_nans_of_whole(k, t))
        return false;
    if (k->kind == COMPARE_NORM)
        return d->norm <= k->rtol * d->narrowed;
    return k->kind != COMPARE_SUM || judge_sum(k, d);
}

// ---- setting up

uint64_t compare_place(const struct comparison *c, uint64_t component)
{
    return component / c->width * c->space + component % c->width;
}

bool compare_is_padding(const struct comparison *c, uint64_t component)
{
    const char *padding = c->buffer->padding;
    return padding && *padding && padding[component % c->width] == PADDING;
}

void compare_layout(struct comparison *c)
{
    const struct element *el = &c->buffer->element;
    bool raw = el->scalar == SCALAR_CUSTOM;
    c->width = raw ? el->custom_bytes : el->width;
    c->bytes = raw ? 1 : scalar_bytes(el->scalar);
    c->space = element_bytes(el) / c->bytes;
}

static void set_up(struct comparison *c, const struct job_buffer *b, const struct expected *x)
{
    enum scalar s = b->element.scalar;
    struct job_region own = buffer_region(b), other = x && x->region.count ? x->region : own;
    c->buffer = b;
    c->doubles = x && x->doubles;
    c->left = x ? x->left : NULL;
    compare_layout(c);
    c->first = own.first * c->width;
    c->count = own.count * c->width;
    c->expected_first = other.first * c->width;
    c->expected_count = other.count * c->width;
    c->poisons = b->access != ACCESS_BOTH;
    c->scale = 1;
    c->exact_integers = (s == SCALAR_I64 || s == SCALAR_U64) && !c->doubles;
    c->size = x ? x->scale : (struct compare_scale){0};
    if (c->size.narrowed == 0)
        c->size.narrowed = 1;
    c->atol = c->rtol = 0;
}

static uint64_t telling_index(const struct part *p)
{
    if (p->specials)
        return p->first_special;
    return p->unwritten ? p->first_unwritten : p->at;
}

static uint64_t count_written(const struct comparison *c, const struct part *t)
{
    bool whole = compare_is_whole(c->buffer->compare.kind);
    if (!c->poisons || (whole && t->poisoned > 0 && !compare_poison_tells(c->buffer)))
        return WRITTEN_UNKNOWN;
    return c->count - (whole && t->left ? t->poisoned : t->unwritten) - (t->left - t->left_written);
}

static void print_integer(wide_integer v, char *out, size_t size)
{
    char digits[42];
    size_t at = sizeof digits - 1;
    const bool is_negative = v < 0;
    digits[at] = '\0';
    do {
        int digit = (int)(v % 10); // with its sign
        digits[--at] = (char)('0' + (is_negative ? -digit : digit));
        v /= 10;
    } while (v != 0);
    str_format(out, size, "%s%s", is_negative ? "-" : "", digits + at);
}

static void take_integers(const struct whole_sums *w, struct deviation *out)
{
    out->largest = fabs((double)(w->got - w->reference));
    print_integer(w->got, out->whole_got, sizeof out->whole_got);
    print_integer(w->reference, out->whole_expected, sizeof out->whole_expected);
}

bool compare_by(const struct job_buffer *b, const struct expected *x, const struct pass *pass,
                struct deviation *out, struct error *e)
{
    struct comparison c = {.buffer = b};
    struct whole_sums whole = {0, 0};
    struct part t;
    set_up(&c, b, x);
    c.whole = compare_sums_integers(b, c.doubles) ? &whole : NULL;
    if (!run_passes(&c, pass, &t, e))
        return false;
    const struct job_compare *k = &c.buffer->compare;
    *out = (struct deviation){
        .name = c.buffer->name,
        .compared = true,
        .norm = relative(t.difference, t.reference),
        .largest = t.largest,
        .nans = t.nans,
        .unwritten = t.unwritten,
        .wrong = t.wrong,
        .index = telling_index(&t),
        .got = t.sum_got,
        .expected = t.sum_reference,
        .components = c.count,
        .written = count_written(&c, &t),
        .left = t.left,
        .output_nans = t.got_nans,
        .reference_nans = t.expected_nans,
        .rms = c.size.known ? c.size.rms : size_of(&c, &t),
        .most_wrong = t.most_wrong,
        .narrowed = c.size.narrowed,
        .note = "",
    };
    if (k->kind == COMPARE_SUM) {
        out->largest = t.sum_got == t.sum_reference ? 0 : fabs(t.sum_got - t.sum_reference);
        if (c.whole)
            take_integers(&whole, out);
        out->norm = relative(out->largest * out->largest, t.sum_reference * t.sum_reference);
    }
    if (isnan(t.difference)) // sets of other sizes
        out->norm = (double)NAN;
    out->ok = judge(&c, &t, out);
    return c.count == 0 || compare_is_whole(b->compare.kind) ||
           pass->look(pass->context, &c, out->index, &out->got, &out->expected, e);
}

bool compare_count_poison(const struct job_buffer *b, const struct pass *pass, uint64_t *out,
                          struct error *e)
{
    struct job_buffer plain = *b;
    struct comparison c = {.buffer = b};
    struct part t;
    plain.compare.kind = COMPARE_EXACT; // the other kinds look at more
    set_up(&c, &plain, NULL);
    if (!pass->run(pass->context, &c, &t, e))
        return false;
    *out = t.poisoned;
    return true;
}

// ---- in words

// printf() may give NaN a sign.
static void add_number(struct text *t, double v)
{
    if (isnan(v))
        text_add(t, "NaN");
    else
        text_addf(t, "%g", v);
}

static void add_place(const struct deviation *d, bool with_got, struct text *t)
{
    text_addf(t, " at component %llu (", (unsigned long long)d->index);
    if (with_got) {
        text_add(t, "got ");
        add_number(t, d->got);
        text_add(t, ", ");
    }
    text_add(t, "expected ");
    add_number(t, d->expected);
    text_add(t, ")");
}

static bool fails_by_nan(const struct job_buffer *b, const struct deviation *d)
{
    bool any = d->output_nans > 0 || d->reference_nans > 0;
    bool is_special = isnan(d->got) || isnan(d->expected);
    return any && (!b->compare.allow_nan || d->output_nans != d->reference_nans || is_special);
}

// NaN, infinities and what is not written: no matter of tolerances. False: there is nothing of it.
static bool add_strange(const struct job_buffer *b, const struct deviation *d, struct text *t)
{
    bool whole = compare_is_whole(b->compare.kind), by_nan = fails_by_nan(b, d);
    bool by_infinity = !whole && !by_nan && (isinf(d->got) || isinf(d->expected));
    if (by_nan) {
        text_addf(t, "%llu NaN in the output, %llu in the reference (",
                  (unsigned long long)d->output_nans, (unsigned long long)d->reference_nans);
        text_add(t, b->compare.allow_nan
                        ? "NaN passes only where the reference has NaN)"
                        : "NaN is refused unless the argument says \"AllowNaN\": true)");
    }
    if (by_infinity)
        text_addf(t, "%llu component%s wrong, an infinity must be the reference's",
                  (unsigned long long)d->wrong, d->wrong == 1 ? "" : "s");
    if (d->unwritten) {
        text_add(t, by_nan || by_infinity ? ", " : "");
        text_addf(t, "%llu %s%s unwritten", (unsigned long long)d->unwritten,
                  b->element.width > 1 ? "component" : "element", d->unwritten == 1 ? "" : "s");
    }
    if (!by_nan && !by_infinity && !d->unwritten)
        return false;
    if (!whole) {
        text_add(t, ", first");
        add_place(d, deviation_has_got(d), t);
    }
    return true;
}

static void add_limit(const struct job_buffer *b, const struct deviation *d, struct text *t)
{
    const struct job_compare *k = &b->compare;
    struct compare_limit l = compare_limit_of(k, d->rms, d->narrowed);
    if (k->kind == COMPARE_EXACT) {
        text_add(t, " (must be equal)");
        return;
    }
    text_add(t, " (limit ");
    if (k->kind == COMPARE_NORM)
        text_addf(t, "%g; ", k->rtol * d->narrowed);
    text_addf(t, "%g", l.atol);
    if (k->kind != COMPARE_ABSOLUTE)
        text_addf(t, " + %g of the reference", l.rtol);
    text_add(t, " for a component)");
}

static void add_sum(const struct job_buffer *b, const struct deviation *d, struct text *t)
{
    text_add(t, "the sum is ");
    if (*d->whole_got) {
        text_addf(t, "%s, expected %s", d->whole_got, d->whole_expected);
    } else {
        add_number(t, d->got);
        text_add(t, ", expected ");
        add_number(t, d->expected);
    }
    text_addf(t, " (may be off by %g)", sum_limit(&b->compare, d));
}

void compare_message(const struct job_buffer *b, const struct deviation *d, char *out, size_t size)
{
    struct text t = TEXT_INIT;
    text_addf(&t, "%s: ", b->name);
    bool said = add_strange(b, d, &t);
    if (!said && b->compare.kind == COMPARE_SUM)
        add_sum(b, d, &t);
    else if (!said && b->compare.kind == COMPARE_SET && isnan(d->norm))
        text_addf(&t, "%g components written, %g in the reference (must be the same set)", d->got,
                  d->expected);
    else if (!said) {
        if (d->wrong)
            text_addf(&t, "%llu component%s wrong, ", (unsigned long long)d->wrong,
                      d->wrong == 1 ? "" : "s");
        text_addf(&t, "relative norm %.2g", d->norm);
        add_limit(b, d, &t);
        text_addf(&t, ", largest deviation %g", d->largest);
        add_place(d, true, &t);
        text_add(&t, b->compare.kind == COMPARE_SET ? " of both in ascending order" : "");
    }
    if (b->element.scalar == SCALAR_CUSTOM && !b->padding)
        text_add(&t,
                 "; all bytes count, those between the members of a struct too unless its type is "
                 "\"struct {char c; int i;}\"");
    str_format(out, size, "%s", text_cstr(&t));
    text_release(&t);
}
