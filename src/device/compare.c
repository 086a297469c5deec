// One pass over got and expected in blocks that stay in the first-level cache: convert both to
// double, subtract, sum. Blocks with anything unusual in them (NaN, infinity, poison) are rare and
// take a slower way. A second pass runs only where poison was seen, or where squares overflowed.
#include "device/compare.h"

#include "base/text.h"
#include "device/fill.h"
#include "device/parallel.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define BLOCK            256
#define LANES            8 // independent sums, so that the compiler may vectorise
#define LEAST_COMPONENTS 65536
// With a bound on the norm only, a single component may be this many times further off than the
// bound allows on average before it counts as unwritten when it holds the poison.
#define NORM_TAIL 8

// ---- loading components as double

#define CONVERTER(name, type)                                                                      \
    static void name(const void *data, uint64_t first, unsigned count, double *out)                \
    {                                                                                              \
        const type *in = (const type *)data + first;                                               \
        for (unsigned i = 0; i < count; i++)                                                       \
            out[i] = (double)in[i];                                                                \
    }

CONVERTER(load_i8, int8_t)
CONVERTER(load_u8, uint8_t)
CONVERTER(load_i16, int16_t)
CONVERTER(load_u16, uint16_t)
CONVERTER(load_i32, int32_t)
CONVERTER(load_u32, uint32_t)
CONVERTER(load_i64, int64_t)
CONVERTER(load_u64, uint64_t)
CONVERTER(load_float, float)
CONVERTER(load_double, double)

static void load_half(const void *data, uint64_t first, unsigned count, double *out)
{
    const uint16_t *in = (const uint16_t *)data + first;
    for (unsigned i = 0; i < count; i++)
        out[i] = half_to_f64(in[i]);
}

typedef void (*loader)(const void *data, uint64_t first, unsigned count, double *out);

static const loader loaders[SCALAR_COUNT] = {
    [SCALAR_BOOL] = load_u8,   [SCALAR_I8] = load_i8,       [SCALAR_U8] = load_u8,
    [SCALAR_I16] = load_i16,   [SCALAR_U16] = load_u16,     [SCALAR_I32] = load_i32,
    [SCALAR_U32] = load_u32,   [SCALAR_I64] = load_i64,     [SCALAR_U64] = load_u64,
    [SCALAR_HALF] = load_half, [SCALAR_FLOAT] = load_float, [SCALAR_DOUBLE] = load_double,
    [SCALAR_CUSTOM] = load_u8,
};

// ---- one comparison

struct part {
    double difference[LANES], reference[LANES]; // sums of scaled squares
    double sum_got, sum_reference;              // SUM
    double largest;
    uint64_t at; // of the largest
    double most; // largest |reference|
    uint64_t compared, wrong, nans, first_nan, unwritten, first_unwritten, poisoned;
};

struct comparison {
    const struct job_buffer *buffer;
    const uint8_t *got;
    const struct expected *expected;
    loader load, load_expected;
    unsigned width, space, bytes;    // components, the room they take, bytes of one
    uint64_t first, count;           // components
    double poison;                   // as the component's type reads it
    double scale;                    // factor before squaring
    double atol, rtol;               // per component; infinite where none is wrong by itself
    double poison_atol, poison_rtol; // likewise for a component that holds the poison
    bool exact_integers;             // 64 bits wide, more than a double holds
    bool judge_poison;               // second pass: tolerances for single components are known
    struct part parts[PARALLEL_MOST];
};

struct block {
    uint64_t first; // component
    unsigned count; // filled up with zeros to `room`, a multiple of LANES
    unsigned room;
    double got[BLOCK], expected[BLOCK], difference[BLOCK];
};

// Elements of three components have a fourth, unused place.
static void load_spaced(const struct comparison *c, loader load, const void *data, uint64_t first,
                        unsigned count, double *out)
{
    for (unsigned i = 0; i < count; i++) {
        uint64_t component = first + i;
        load(data, component / c->width * c->space + component % c->width, 1, out + i);
    }
}

static void load_components(const struct comparison *c, loader load, const void *data,
                            const struct block *b, double *out)
{
    if (c->width == c->space)
        load(data, b->first, b->count, out);
    else
        load_spaced(c, load, data, b->first, b->count, out);
}

static uint64_t wide_integer(const void *data, uint64_t i)
{
    uint64_t v;
    memcpy(&v, (const uint8_t *)data + 8 * i, sizeof v);
    return v;
}

// Neighbouring large integers are the same double; their difference is taken before converting.
static double integer_difference(const struct comparison *c, uint64_t i)
{
    uint64_t at = i / c->width * c->space + i % c->width;
    uint64_t g = wide_integer(c->got, at), r = wide_integer(c->expected->data, at);
    bool above = c->buffer->element.scalar == SCALAR_I64 ? (int64_t)g > (int64_t)r : g > r;
    return above ? (double)(g - r) : -(double)(r - g);
}

static double round_to(enum scalar s, double v)
{
    if (s == SCALAR_HALF)
        return half_to_f64(half_from_f64(v));
    return s == SCALAR_FLOAT ? (double)(float)v : v;
}

// "Exact" against a float64 reference means the nearest number of the output's own type.
static void round_expected(const struct comparison *c, struct block *b)
{
    if (c->buffer->compare.kind != COMPARE_EXACT || !c->expected->doubles)
        return;
    for (unsigned i = 0; i < b->count; i++)
        b->expected[i] = round_to(c->buffer->element.scalar, b->expected[i]);
}

static void pad_block(struct block *b)
{
    b->room = (b->count + LANES - 1) / LANES * LANES;
    for (unsigned i = b->count; i < b->room; i++)
        b->got[i] = b->expected[i] = 0;
}

static void load_block(const struct comparison *c, struct block *b)
{
    load_components(c, c->load, c->got, b, b->got);
    if (c->expected->doubles)
        load_double(c->expected->data, b->first, b->count, b->expected);
    else
        load_components(c, c->load_expected, c->expected->data, b, b->expected);
    round_expected(c, b);
    pad_block(b);
    for (unsigned i = 0; i < b->room; i++)
        b->difference[i] = b->got[i] - b->expected[i];
    for (unsigned i = 0; c->exact_integers && i < b->count; i++)
        b->difference[i] = integer_difference(c, b->first + i);
}

// The loops below run over lanes: so many independent results that the compiler may keep them in
// vector registers.
#define FOR_LANES(b, i, k)                                                                         \
    for (unsigned i = 0; i < (b)->room; i += LANES)                                                \
        for (unsigned k = 0; k < LANES; k++)

static double sum_of(const double lanes[LANES])
{
    double sum = 0;
    for (unsigned k = 0; k < LANES; k++)
        sum += lanes[k];
    return sum;
}

static double largest_of(const double lanes[LANES])
{
    double largest = 0;
    for (unsigned k = 0; k < LANES; k++)
        largest = lanes[k] > largest ? lanes[k] : largest;
    return largest;
}

// Anything that is not finite makes the sum NaN; poison is recognised as the number it reads as.
static bool unusual(const struct comparison *c, const struct block *b)
{
    double zero[LANES] = {0}, poisoned[LANES] = {0};
    FOR_LANES(b, i, k)
    {
        zero[k] += b->difference[i + k] * 0;
        poisoned[k] += b->got[i + k] == c->poison ? 1.0 : 0.0;
    }
    return sum_of(zero) != 0 || sum_of(poisoned) != 0;
}

static bool is_within(double difference, double expected, double atol, double rtol)
{
    return fabs(difference) <= atol + rtol * fabs(expected);
}

static void add_squares(const struct comparison *c, const struct block *b, struct part *p)
{
    FOR_LANES(b, i, k)
    {
        double d = b->difference[i + k] * c->scale, r = b->expected[i + k] * c->scale;
        p->difference[k] += d * d;
        p->reference[k] += r * r;
    }
    p->compared += b->count;
}

static void add_sums(const struct block *b, struct part *p)
{
    double got[LANES] = {0}, reference[LANES] = {0};
    FOR_LANES(b, i, k)
    {
        got[k] += b->got[i + k];
        reference[k] += b->expected[i + k];
    }
    p->sum_got += sum_of(got);
    p->sum_reference += sum_of(reference);
}

static void find_largest(const struct block *b, double largest, struct part *p)
{
    p->largest = largest;
    for (unsigned i = 0; i < b->count; i++) {
        if (fabs(b->difference[i]) == largest) {
            p->at = b->first + i;
            return;
        }
    }
}

static void add_largest(const struct block *b, struct part *p)
{
    double largest[LANES] = {0}, most[LANES] = {0};
    FOR_LANES(b, i, k)
    {
        double d = fabs(b->difference[i + k]), r = fabs(b->expected[i + k]);
        largest[k] = d > largest[k] ? d : largest[k];
        most[k] = r > most[k] ? r : most[k];
    }
    double d = largest_of(largest), r = largest_of(most);
    p->most = r > p->most ? r : p->most;
    if (d > p->largest)
        find_largest(b, d, p);
}

static void add_wrong(const struct comparison *c, const struct block *b, struct part *p)
{
    double wrong[LANES] = {0};
    FOR_LANES(b, i, k)
    {
        double d = fabs(b->difference[i + k]), most = c->atol + c->rtol * fabs(b->expected[i + k]);
        wrong[k] += d > most ? 1.0 : 0.0;
    }
    p->wrong += (uint64_t)sum_of(wrong);
}

static void add_block(const struct comparison *c, const struct block *b, struct part *p)
{
    enum compare_kind kind = c->buffer->compare.kind;
    add_squares(c, b, p);
    add_largest(b, p);
    if (kind == COMPARE_SUM)
        add_sums(b, p);
    else if (kind != COMPARE_NORM)
        add_wrong(c, b, p);
}

// ---- components that are not ordinary numbers

static bool holds_poison(const struct comparison *c, uint64_t i)
{
    const uint8_t *at = c->got + (i / c->width * c->space + i % c->width) * c->bytes;
    for (unsigned k = 0; k < c->bytes; k++) {
        if (at[k] != POISON_BYTE)
            return false;
    }
    return true;
}

// NaN or infinity on either side: fine where the other side, in the output's type, is the same.
static void add_special(const struct comparison *c, uint64_t i, double got, double expected,
                        struct part *p)
{
    double r = round_to(c->buffer->element.scalar, expected);
    if (got == r || (isnan(got) && isnan(r)))
        return;
    p->wrong++;
    if (isfinite(got))
        return;
    if (p->nans++ == 0)
        p->first_nan = i;
}

// True when the component holds the poison and is dealt with.
static bool add_poisoned(const struct comparison *c, uint64_t i, double difference, double expected,
                         struct part *p)
{
    if (!holds_poison(c, i))
        return false;
    p->poisoned++;
    if (!c->judge_poison)
        return true;
    if (is_within(difference, expected, c->poison_atol, c->poison_rtol))
        return false;
    p->wrong++;
    if (p->unwritten++ == 0)
        p->first_unwritten = i;
    return true;
}

// An ordinary component among others: a block of its own.
static void add_single(const struct comparison *c, const struct block *b, unsigned i,
                       struct part *p)
{
    struct block one;
    one.first = b->first + i;
    one.count = 1;
    one.got[0] = b->got[i];
    one.expected[0] = b->expected[i];
    pad_block(&one);
    memset(one.difference, 0, LANES * sizeof *one.difference);
    one.difference[0] = b->difference[i];
    add_block(c, &one, p);
}

static void add_unusual_block(const struct comparison *c, const struct block *b, struct part *p)
{
    for (unsigned i = 0; i < b->count; i++) {
        uint64_t at = b->first + i;
        double got = b->got[i], expected = b->expected[i];
        if (!isfinite(got) || !isfinite(expected)) {
            add_special(c, at, got, expected, p);
            continue;
        }
        if (add_poisoned(c, at, b->difference[i], expected, p))
            continue;
        add_single(c, b, i, p);
    }
}

static void compare_range(void *context, struct range r)
{
    struct comparison *c = context;
    struct part *p = &c->parts[r.part];
    struct block b;
    *p = (struct part){.at = c->first + r.first};
    for (uint64_t i = r.first; i < r.end; i += BLOCK) {
        b.first = c->first + i;
        b.count = r.end - i < BLOCK ? (unsigned)(r.end - i) : BLOCK;
        load_block(c, &b);
        if (unusual(c, &b))
            add_unusual_block(c, &b, p);
        else
            add_block(c, &b, p);
    }
}

// ---- putting the parts together

struct totals {
    double difference, reference; // scaled squares
    struct part all;
};

static void merge_counts(struct part *into, const struct part *p)
{
    if (into->nans == 0)
        into->first_nan = p->first_nan;
    if (into->unwritten == 0)
        into->first_unwritten = p->first_unwritten;
    into->nans += p->nans;
    into->unwritten += p->unwritten;
    into->poisoned += p->poisoned;
    into->wrong += p->wrong;
    into->compared += p->compared;
}

static void merge_part(struct totals *t, const struct part *p)
{
    for (unsigned i = 0; i < LANES; i++) {
        t->difference += p->difference[i];
        t->reference += p->reference[i];
    }
    t->all.sum_got += p->sum_got;
    t->all.sum_reference += p->sum_reference;
    t->all.most = fmax(t->all.most, p->most);
    if (p->largest > t->all.largest) {
        t->all.largest = p->largest;
        t->all.at = p->at;
    }
    merge_counts(&t->all, p);
}

static struct totals run_pass(struct comparison *c)
{
    struct totals t = {.all.at = c->first};
    unsigned parts = parallel_parts(c->count, LEAST_COMPONENTS);
    parallel_run(c->count, parts, BLOCK, compare_range, c);
    for (unsigned i = 0; i < parts; i++)
        merge_part(&t, &c->parts[i]);
    return t;
}

// Squares of very large or small numbers leave the range of a double: scale by the largest first.
static bool needs_scale(const struct totals *t, double *scale)
{
    double most = fmax(t->all.largest, t->all.most);
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
static void judge_poison(struct comparison *c, const struct totals *t)
{
    const struct job_compare *k = &c->buffer->compare;
    double count = t->all.compared ? (double)t->all.compared : 1;
    c->judge_poison = true;
    c->poison_atol = k->kind == COMPARE_EXACT ? 0 : k->atol;
    c->poison_rtol = k->kind == COMPARE_EXACT ? 0 : k->rtol;
    if (k->kind == COMPARE_NORM)
        c->poison_atol = NORM_TAIL * k->rtol * sqrt(t->reference / count) / c->scale;
}

static struct totals compare_all(struct comparison *c)
{
    struct totals t = run_pass(c);
    if (needs_scale(&t, &c->scale))
        t = run_pass(c);
    if (t.all.poisoned) {
        judge_poison(c, &t);
        t = run_pass(c);
    }
    return t;
}

static bool judge(const struct comparison *c, const struct totals *t, double norm)
{
    const struct job_compare *k = &c->buffer->compare;
    const struct part *p = &t->all;
    if (p->nans || p->unwritten || p->wrong)
        return false;
    if (k->kind == COMPARE_NORM)
        return norm <= k->rtol;
    if (k->kind == COMPARE_SUM)
        return fabs(p->sum_got - p->sum_reference) <= k->atol + k->rtol * fabs(p->sum_reference);
    return true;
}

// ---- setting up

static double component_at(const struct comparison *c, loader load, const void *data, uint64_t i)
{
    double v = 0;
    load_spaced(c, load, data, i, 1, &v);
    return v;
}

static double expected_at(const struct comparison *c, uint64_t i)
{
    if (c->expected->doubles)
        return ((const double *)c->expected->data)[i];
    return component_at(c, c->load_expected, c->expected->data, i);
}

static double poison_value(loader load)
{
    uint8_t bytes[8];
    double v = 0;
    memset(bytes, POISON_BYTE, sizeof bytes);
    load(bytes, 0, 1, &v);
    return v;
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
    const struct element *el = &b->element;
    bool raw = el->scalar == SCALAR_CUSTOM;
    uint64_t elements = b->compare.count ? b->compare.count : b->count;
    uint64_t first = b->compare.first < b->count ? b->compare.first : b->count;
    c->width = raw ? el->custom_bytes : el->width;
    c->space = c->width == 3 && !raw ? 4 : c->width;
    c->bytes = raw ? 1 : scalar_bytes(el->scalar);
    c->first = first * c->width;
    c->count = (elements < b->count - first ? elements : b->count - first) * c->width;
    c->load = c->load_expected = loaders[el->scalar];
    c->poison = poison_value(c->load);
    c->scale = 1;
    c->exact_integers =
        (el->scalar == SCALAR_I64 || el->scalar == SCALAR_U64) && !c->expected->doubles;
    set_tolerances(c);
}

static uint64_t telling_index(const struct part *p)
{
    if (p->nans)
        return p->first_nan;
    return p->unwritten ? p->first_unwritten : p->at;
}

bool compare_output(const struct job_buffer *b, const void *got, const struct expected *x,
                    struct deviation *out)
{
    struct comparison c = {.buffer = b, .got = got, .expected = x};
    set_up(&c, b);
    struct totals t = compare_all(&c);
    *out = (struct deviation){.name = b->name};
    out->norm = relative(t.difference, t.reference);
    out->largest = t.all.largest;
    out->nans = t.all.nans;
    out->unwritten = t.all.unwritten;
    out->wrong = t.all.wrong;
    out->index = telling_index(&t.all);
    if (c.count) {
        out->got = component_at(&c, c.load, got, out->index);
        out->expected = expected_at(&c, out->index);
    }
    out->ok = judge(&c, &t, out->norm);
    return out->ok;
}

void compare_load(const struct element *el, const void *data, uint64_t first, uint64_t count,
                  double *out)
{
    struct expected none = {NULL, true};
    struct job_buffer b = {.element = *el, .count = first + count};
    struct comparison c = {.buffer = &b, .expected = &none};
    set_up(&c, &b);
    for (uint64_t i = 0; i < count; i += BLOCK) {
        struct block part = {.first = first + i};
        part.count = count - i < BLOCK ? (unsigned)(count - i) : BLOCK;
        load_components(&c, c.load, data, &part, out + i);
    }
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
