// The comparison on the host's cores: one pass over got and expected in blocks that stay in the
// first-level cache: convert both to double, subtract, sum. Blocks with anything unusual in them
// (NaN, infinity, poison) are rare and take a slower way.
#include "device/compare_pass.h"

#include "device/fill.h"
#include "device/parallel.h"

#include <math.h>
#include <string.h>

#define BLOCK            256
#define LANES            8 // independent sums, so that the compiler may vectorise
#define LEAST_COMPONENTS 65536

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

#define NARROW_CONVERTER(name, type, scalar)                                                       \
    static void name(const void *data, uint64_t first, unsigned count, double *out)                \
    {                                                                                              \
        const type *in = (const type *)data + first;                                               \
        for (unsigned i = 0; i < count; i++)                                                       \
            out[i] = narrow_to_f64(scalar_narrow(scalar), in[i]);                                  \
    }

NARROW_CONVERTER(load_half, uint16_t, SCALAR_HALF)
NARROW_CONVERTER(load_bfloat16, uint16_t, SCALAR_BFLOAT16)
NARROW_CONVERTER(load_e4m3, uint8_t, SCALAR_E4M3)
NARROW_CONVERTER(load_e5m2, uint8_t, SCALAR_E5M2)

typedef void (*loader)(const void *data, uint64_t first, unsigned count, double *out);

static const loader loaders[SCALAR_COUNT] = {
    [SCALAR_BOOL] = load_u8,     [SCALAR_I8] = load_i8,
    [SCALAR_U8] = load_u8,       [SCALAR_I16] = load_i16,
    [SCALAR_U16] = load_u16,     [SCALAR_I32] = load_i32,
    [SCALAR_U32] = load_u32,     [SCALAR_I64] = load_i64,
    [SCALAR_U64] = load_u64,     [SCALAR_HALF] = load_half,
    [SCALAR_FLOAT] = load_float, [SCALAR_DOUBLE] = load_double,
    [SCALAR_CUSTOM] = load_u8,   [SCALAR_BFLOAT16] = load_bfloat16,
    [SCALAR_E4M3] = load_e4m3,   [SCALAR_E5M2] = load_e5m2,
};

// ---- one pass

// A part of the components, with its sums of scaled squares in lanes.
struct share {
    double difference[LANES], reference[LANES];
    struct part part;
};

struct host {
    const struct comparison *rules;
    const uint8_t *got;
    const void *expected;
    loader load;
    double poison; // as the component's type reads it; NaN where there is none
    struct share shares[PARALLEL_MOST];
};

struct block {
    uint64_t first; // component
    unsigned count; // filled up with zeros to `room`, a multiple of LANES
    unsigned room;
    double got[BLOCK], expected[BLOCK], difference[BLOCK];
};

static void load_spaced(const struct comparison *c, loader load, const void *data, uint64_t first,
                        unsigned count, double *out)
{
    for (unsigned i = 0; i < count; i++)
        load(data, compare_place(c, first + i), 1, out + i);
}

static void load_components(const struct comparison *c, loader load, const void *data,
                            uint64_t first, unsigned count, double *out)
{
    if (c->width == c->space)
        load(data, first, count, out);
    else
        load_spaced(c, load, data, first, count, out);
    for (unsigned i = 0; c->buffer->padding && i < count; i++)
        out[i] = compare_is_padding(c, first + i) ? 0 : out[i];
}

// The component of the reference that one of the output is held against.
static uint64_t expected_at(const struct comparison *c, uint64_t component)
{
    return component - c->first + c->expected_first;
}

static void load_expected(const struct host *h, uint64_t component, unsigned count, double *out)
{
    uint64_t first = expected_at(h->rules, component);
    if (h->rules->doubles)
        load_double(h->expected, first, count, out);
    else
        load_components(h->rules, h->load, h->expected, first, count, out);
}

static uint64_t raw_integer(const void *data, uint64_t i)
{
    uint64_t v;
    memcpy(&v, (const uint8_t *)data + 8 * i, sizeof v);
    return v;
}

// Neighbouring large integers are the same double; their difference is taken before converting.
static double integer_difference(const struct host *h, uint64_t i)
{
    uint64_t at = compare_place(h->rules, i);
    uint64_t other = compare_place(h->rules, expected_at(h->rules, i));
    uint64_t g = raw_integer(h->got, at), r = raw_integer(h->expected, other);
    bool above = h->rules->buffer->element.scalar == SCALAR_I64 ? (int64_t)g > (int64_t)r : g > r;
    return above ? (double)(g - r) : -(double)(r - g);
}

// "Exact" against a float64 reference means the nearest number of the output's own type.
static void round_expected(const struct comparison *c, struct block *b)
{
    if (c->buffer->compare.kind != COMPARE_EXACT || !c->doubles)
        return;
    for (unsigned i = 0; i < b->count; i++)
        b->expected[i] = float_rounded(c->buffer->element.scalar, b->expected[i]);
}

static void pad_block(struct block *b)
{
    b->room = (b->count + LANES - 1) / LANES * LANES;
    for (unsigned i = b->count; i < b->room; i++)
        b->got[i] = b->expected[i] = 0;
}

static void load_block(const struct host *h, struct block *b)
{
    const struct comparison *c = h->rules;
    load_components(c, h->load, h->got, b->first, b->count, b->got);
    load_expected(h, b->first, b->count, b->expected);
    round_expected(c, b);
    pad_block(b);
    for (unsigned i = 0; i < b->room; i++)
        b->difference[i] = b->got[i] - b->expected[i];
    for (unsigned i = 0; c->exact_integers && i < b->count; i++)
        b->difference[i] = integer_difference(h, b->first + i);
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
static bool unusual(const struct host *h, const struct block *b)
{
    double zero[LANES] = {0}, poisoned[LANES] = {0};
    FOR_LANES(b, i, k)
    {
        zero[k] += b->difference[i + k] * 0;
        poisoned[k] += b->got[i + k] == h->poison ? 1.0 : 0.0;
        poisoned[k] += b->expected[i + k] == h->poison ? 1.0 : 0.0;
    }
    return sum_of(zero) != 0 || sum_of(poisoned) != 0;
}

static bool is_within(double difference, double expected, double atol, double rtol)
{
    return fabs(difference) <= atol + rtol * fabs(expected);
}

static void add_squares(const struct comparison *c, const struct block *b, struct share *p)
{
    FOR_LANES(b, i, k)
    {
        double d = b->difference[i + k] * c->scale, r = b->expected[i + k] * c->scale;
        p->difference[k] += d * d;
        p->reference[k] += r * r;
    }
    p->part.compared += b->count;
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

static void add_wrong(const struct comparison *c, const struct block *b, struct part *p)
{
    double wrong[LANES] = {0}, largest[LANES] = {0};
    FOR_LANES(b, i, k)
    {
        double d = fabs(b->difference[i + k]), r = fabs(b->expected[i + k]);
        bool is_wrong = d > c->atol + c->rtol * r;
        wrong[k] += is_wrong ? 1.0 : 0.0;
        largest[k] = is_wrong && r > largest[k] ? r : largest[k];
    }
    p->wrong += (uint64_t)sum_of(wrong);
    p->most_wrong = fmax(p->most_wrong, largest_of(largest));
}

static void add_block(const struct comparison *c, const struct block *b, struct share *s)
{
    enum compare_kind kind = c->buffer->compare.kind;
    add_squares(c, b, s);
    double largest[LANES] = {0}, most[LANES] = {0};
    FOR_LANES(b, i, k)
    {
        double d = fabs(b->difference[i + k]), r = fabs(b->expected[i + k]);
        largest[k] = d > largest[k] ? d : largest[k];
        most[k] = r > most[k] ? r : most[k];
    }
    double d = largest_of(largest), r = largest_of(most);
    s->part.most = r > s->part.most ? r : s->part.most;
    if (d > s->part.largest)
        find_largest(b, d, &s->part);
    if (kind == COMPARE_SUM)
        add_sums(b, &s->part);
    else
        add_wrong(c, b, &s->part);
}

// ---- components that are not ordinary numbers

static bool holds_poison(const struct host *h, uint64_t i)
{
    const uint8_t *at = h->got + compare_place(h->rules, i) * h->rules->bytes;
    if (compare_is_padding(h->rules, i))
        return false;
    for (unsigned k = 0; k < h->rules->bytes; k++) {
        if (at[k] != POISON_BYTE)
            return false;
    }
    return true;
}

// NaN or infinity on either side. An infinity is fine where the other side, in the output's type,
// is the same; NaN where it is, too, and that is allowed.
static void add_special(const struct comparison *c, uint64_t i, double got, double expected,
                        struct part *p)
{
    double r = float_rounded(c->buffer->element.scalar, expected);
    bool both_nan = isnan(got) && isnan(r);
    p->got_nans += isnan(got) != 0;
    p->expected_nans += isnan(expected) != 0;
    if (c->buffer->compare.kind == COMPARE_SUM) {
        p->sum_got += isnan(got) ? 0 : got;
        p->sum_reference += isnan(expected) ? 0 : expected;
        return;
    }
    if (got == r || (both_nan && c->buffer->compare.allow_nan))
        return;
    p->wrong++;
    p->nans += !isfinite(got);
    if (isfinite(r))
        p->most_wrong = fmax(p->most_wrong, fabs(r));
    if (p->specials++ == 0)
        p->first_special = i;
}

// True when the component holds the poison and is dealt with.
static bool add_poisoned(const struct host *h, uint64_t i, double difference, double expected,
                         struct part *p)
{
    const struct comparison *c = h->rules;
    if (!c->poisons || !holds_poison(h, i))
        return false;
    p->poisoned++;
    if (c->buffer->compare.kind == COMPARE_SUM) {
        if (p->unwritten++ == 0)
            p->first_unwritten = i;
        return false;
    }
    if (!c->judge_poison)
        return true;
    if (is_within(difference, expected, c->poison_atol, c->poison_rtol))
        return false;
    p->wrong++;
    if (p->unwritten++ == 0)
        p->first_unwritten = i;
    return true;
}

// True where the reference left the component unwritten: then nothing is compared there.
static bool add_left(const struct host *h, uint64_t i, struct part *p)
{
    const struct comparison *c = h->rules;
    if (!c->left || !c->left[expected_at(c, i)])
        return false;
    p->left++;
    p->left_written += !c->poisons || !holds_poison(h, i);
    return true;
}

// An ordinary component among others: a block of its own.
static void add_single(const struct comparison *c, const struct block *b, unsigned i,
                       struct share *s)
{
    struct block one;
    one.first = b->first + i;
    one.count = 1;
    one.got[0] = b->got[i];
    one.expected[0] = b->expected[i];
    pad_block(&one);
    memset(one.difference, 0, LANES * sizeof *one.difference);
    one.difference[0] = b->difference[i];
    add_block(c, &one, s);
}

static void add_unusual_block(const struct host *h, const struct block *b, struct share *s)
{
    const struct comparison *c = h->rules;
    for (unsigned i = 0; i < b->count; i++) {
        uint64_t at = b->first + i;
        double got = b->got[i], expected = b->expected[i];
        if (add_left(h, at, &s->part))
            continue;
        s->part.expected_poisoned += expected == h->poison;
        if (!isfinite(got) || !isfinite(expected)) {
            add_special(c, at, got, expected, &s->part);
            continue;
        }
        if (add_poisoned(h, at, b->difference[i], expected, &s->part))
            continue;
        add_single(c, b, i, s);
    }
}

static void compare_range(void *context, struct range r)
{
    struct host *h = context;
    const struct comparison *c = h->rules;
    struct share *s = &h->shares[r.part];
    struct block b;
    *s = (struct share){.part = PART_NONE(c->first + r.first)};
    s->part.seen = r.end - r.first;
    for (uint64_t i = r.first; i < r.end; i += BLOCK) {
        b.first = c->first + i;
        b.count = r.end - i < BLOCK ? (unsigned)(r.end - i) : BLOCK;
        load_block(h, &b);
        if (c->left || unusual(h, &b))
            add_unusual_block(h, &b, s);
        else
            add_block(c, &b, s);
    }
    s->part.difference = sum_of(s->difference);
    s->part.reference = sum_of(s->reference);
}

// SET has no places; the sums of two regions are taken in one pass where they lie alike.
static bool is_apart(const struct comparison *c)
{
    return c->buffer->compare.kind == COMPARE_SET || c->first != c->expected_first ||
           c->count != c->expected_count;
}

static bool run_pass(void *context, const struct comparison *c, struct part *out, struct error *e)
{
    struct host *h = context;
    unsigned parts = parallel_parts(c->count, LEAST_COMPONENTS);
    h->rules = c;
    if (compare_is_whole(c->buffer->compare.kind) && (is_apart(c) || c->left || c->whole))
        return compare_wholes(c, h->got, h->expected, out, e);
    *out = (struct part)PART_NONE(c->first);
    parallel_run(c->count, parts, BLOCK, compare_range, h);
    for (unsigned i = 0; i < parts; i++)
        part_merge(out, &h->shares[i].part);
    return true;
}

static bool look(void *context, const struct comparison *c, uint64_t component, double *got,
                 double *expected, struct error *e)
{
    const struct host *h = context;
    (void)e;
    load_spaced(c, h->load, h->got, component, 1, got);
    load_expected(h, component, 1, expected);
    return true;
}

double component_value(enum scalar s, const void *at)
{
    double v = 0;
    loaders[s](at, 0, 1, &v);
    return v;
}

double poison_value(enum scalar s)
{
    uint8_t bytes[8];
    memset(bytes, POISON_BYTE, sizeof bytes);
    return component_value(s, bytes);
}

static struct host host_of(const struct job_buffer *b, const void *got, const void *expected)
{
    enum scalar s = b->element.scalar;
    return (struct host){.got = got,
                         .expected = expected,
                         .load = loaders[s],
                         .poison = b->access == ACCESS_BOTH ? (double)NAN : poison_value(s)};
}

bool compare_output(const struct job_buffer *b, const void *got, const struct expected *x,
                    struct deviation *out)
{
    struct host h = host_of(b, got, x->data);
    const struct pass pass = {run_pass, look, &h};
    *out = (struct deviation){.name = b->name};
    return compare_by(b, x, &pass, out, NULL) && out->ok;
}

uint64_t compare_poisoned(const struct job_buffer *b, const void *data)
{
    uint64_t count = 0;
    struct host h = host_of(b, data, data);
    const struct pass pass = {run_pass, look, &h};
    compare_count_poison(b, &pass, &count, NULL);
    return count;
}

void compare_read(const struct comparison *c, bool doubles, const void *data, uint64_t first,
                  uint64_t count, double *out)
{
    enum scalar s = c->buffer->element.scalar;
    for (uint64_t i = 0; i < count; i += BLOCK) {
        unsigned most = count - i < BLOCK ? (unsigned)(count - i) : BLOCK;
        if (doubles)
            load_double(data, first + i, most, out + i);
        else
            load_components(c, loaders[s], data, first + i, most, out + i);
    }
}

void compare_load(const struct element *el, const void *data, uint64_t first, uint64_t count,
                  double *out)
{
    struct job_buffer b = {.element = *el, .count = first + count};
    struct comparison c = {.buffer = &b};
    compare_layout(&c);
    compare_read(&c, false, data, first, count, out);
}
