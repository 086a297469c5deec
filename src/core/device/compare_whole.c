// SUM and SET: a region as a whole against one that may have another place and size. On the host,
// one component after the other: such outputs are small (partial sums, what was selected).
//
// The elements of a set are compared in ascending order: two sets of as many numbers are within a
// tolerance of each other if and only if they are so in order. Vectors are ordered by their first
// component, then by their second and so on.
#include "device/compare_pass.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AT_ONCE 240

struct side {
    const struct comparison *rules;
    const void *data;
    bool doubles;
    uint64_t first, count; // components
    const uint8_t *left;   // (or NULL) 1 where there is nothing to look at
    double dropped;        // a value that is not looked at either; NaN: none
};

// Where the reference wrote a part only, the output's part is what holds no poison.
static struct side side_got(const struct comparison *c, const void *got)
{
    bool drops = c->left && c->poisons && compare_poison_tells(c->buffer);
    return (struct side){.rules = c,
                         .data = got,
                         .first = c->first,
                         .count = c->count,
                         .dropped = drops ? poison_value(c->buffer->element.scalar) : (double)NAN};
}

// Counts of one side's components that are not ordinary numbers.
struct found {
    uint64_t nans, poisoned, first_poisoned, left;
};

// Counts it, and says whether it takes part.
static bool look_at(const struct side *s, uint64_t at, double v, struct found *f)
{
    const struct comparison *c = s->rules;
    if (s->left && s->left[at]) {
        f->left++;
        return false;
    }
    f->nans += isnan(v) != 0;
    if (c->poisons && v == poison_value(c->buffer->element.scalar) && f->poisoned++ == 0)
        f->first_poisoned = at;
    return !isnan(v) && v != s->dropped;
}

// ---- sums

static wide_integer integer_at(const struct side *s, uint64_t component)
{
    const struct comparison *c = s->rules;
    const unsigned unused = 64 - 8 * c->bytes;
    uint64_t v = 0;
    memcpy(&v, (const uint8_t *)s->data + compare_place(c, component) * c->bytes, c->bytes);
    bool is_signed = scalar_is_signed(c->buffer->element.scalar);
    return is_signed ? (int64_t)(v << unused) >> unused : (wide_integer)v;
}

// *whole (or NULL): the sum of integers, *squares: the sum of theirs, *most: the largest.
static double sum_side(const struct side *s, struct found *f, wide_integer *whole, double *squares,
                       double *most)
{
    double values[AT_ONCE], sum = 0;
    *squares = *most = 0;
    for (uint64_t i = 0; i < s->count; i += AT_ONCE) {
        uint64_t count = s->count - i < AT_ONCE ? s->count - i : AT_ONCE;
        compare_read(s->rules, s->doubles, s->data, s->first + i, count, values);
        for (uint64_t k = 0; k < count; k++) {
            bool taken = look_at(s, s->first + i + k, values[k], f);
            double v = taken ? values[k] : 0;
            if (taken && whole)
                *whole += integer_at(s, s->first + i + k);
            sum += v;
            *squares += v * v;
            *most = fmax(*most, fabs(v));
        }
    }
    return whole ? (double)*whole : sum;
}

static void hold_sums(const struct side *mine, const struct side *other, struct found *g,
                      struct found *r, struct part *out)
{
    struct whole_sums *w = mine->rules->whole;
    double unused;
    if (w)
        *w = (struct whole_sums){0, 0};
    out->sum_got = sum_side(mine, g, w ? &w->got : NULL, &unused, &unused);
    out->sum_reference = sum_side(other, r, w ? &w->reference : NULL, &out->reference, &out->most);
}

// ---- sets

// Elements in a row. An integer of 64 bits is two numbers, its halves: a double does not hold it.
struct set {
    double *values;
    uint64_t count; // elements
    unsigned width; // numbers of one
};

static void split_integer(const struct side *s, uint64_t component, double *out)
{
    uint64_t v;
    memcpy(&v, (const uint8_t *)s->data + 8 * compare_place(s->rules, component), sizeof v);
    bool is_signed = s->rules->buffer->element.scalar == SCALAR_I64;
    out[0] = is_signed ? (double)((int64_t)v >> 32) : (double)(v >> 32);
    out[1] = (double)(v & 0xffffffff);
}

// One element's numbers into `out`; false where it takes no part.
static bool take_element(const struct side *s, uint64_t component, double *out, struct found *f)
{
    const struct comparison *c = s->rules;
    bool taken = true;
    for (unsigned k = 0; k < c->width; k++) {
        double v;
        compare_read(c, s->doubles, s->data, component + k, 1, &v);
        taken = look_at(s, component + k, v, f) && taken;
        if (c->exact_integers)
            split_integer(s, component + k, out + 2 * (size_t)k);
        else
            out[k] = v;
    }
    return taken;
}

static bool make_set(const struct side *s, struct set *out, struct found *f, struct error *e)
{
    const struct comparison *c = s->rules;
    out->count = 0;
    out->width = c->width * (c->exact_integers ? 2 : 1);
    out->values = calloc(s->count / c->width + 1, out->width * sizeof(double));
    if (!out->values)
        return error_memory(e);
    for (uint64_t i = 0; i < s->count; i += c->width) {
        double *at = out->values + out->count * out->width;
        out->count += take_element(s, s->first + i, at, f);
    }
    return true;
}

static int compare_elements(const void *a, const void *b, void *width)
{
    const double *x = a, *y = b;
    for (unsigned k = 0; k < *(const unsigned *)width; k++) {
        if (x[k] != y[k])
            return x[k] < y[k] ? -1 : 1;
    }
    return 0;
}

static void sort_set(struct set *s)
{
    qsort_r(s->values, (size_t)s->count, s->width * sizeof(double), compare_elements, &s->width);
}

// Number i of a set, as it is told.
static double number_at(const struct comparison *c, const struct set *s, uint64_t i)
{
    return c->exact_integers ? s->values[2 * i] * 0x1p32 + s->values[2 * i + 1] : s->values[i];
}

static double difference_at(const struct comparison *c, const struct set *g, const struct set *r,
                            uint64_t i)
{
    if (!c->exact_integers) // infinities may be equal
        return g->values[i] == r->values[i] ? 0 : g->values[i] - r->values[i];
    return (g->values[2 * i] - r->values[2 * i]) * 0x1p32 + g->values[2 * i + 1] -
           r->values[2 * i + 1];
}

static struct compare_limit limit_of_set(const struct comparison *c, const struct set *r)
{
    double squares = 0, most = 0, count = (double)(r->count * c->width), size;
    for (uint64_t i = 0; i < r->count * c->width; i++) {
        double v = number_at(c, r, i);
        squares += isfinite(v) ? v * v : 0;
        most = isfinite(v) ? fmax(most, fabs(v)) : most;
    }
    size = count > 0 ? sqrt(squares / count) : 0;
    return compare_limit_of(&c->buffer->compare,
                            c->size.known    ? c->size.rms
                            : isfinite(size) ? size
                                             : most,
                            c->size.narrowed);
}

static void compare_sets(const struct comparison *c, const struct set *g, const struct set *r,
                         struct part *out)
{
    const struct compare_limit l = limit_of_set(c, r);
    for (uint64_t i = 0; i < g->count * c->width; i++) {
        double d = difference_at(c, g, r, i), expected = number_at(c, r, i);
        double size = fabs(d), limit = l.atol + l.rtol * fabs(expected);
        out->difference += d * d;
        out->reference += expected * expected;
        out->wrong += isfinite(expected) ? size > limit : d != 0;
        if (i == 0 || size > out->largest) {
            out->largest = size;
            out->at = i;
            out->sum_got = number_at(c, g, i);
            out->sum_reference = expected;
        }
    }
}

static bool hold_sets(const struct side *got, const struct side *expected, struct found *g,
                      struct found *r, struct part *out, struct error *e)
{
    struct set mine = {NULL, 0, 1}, other = {NULL, 0, 1};
    bool ok = make_set(got, &mine, g, e) && make_set(expected, &other, r, e);
    if (ok && mine.count != other.count) {
        // Sets of other sizes have no deviation: NaN says so.
        out->sum_got = (double)(mine.count * got->rules->width);
        out->sum_reference = (double)(other.count * got->rules->width);
        out->wrong =
            (mine.count > other.count ? mine.count - other.count : other.count - mine.count) *
            got->rules->width;
        out->difference = out->reference = (double)NAN;
    } else if (ok) {
        sort_set(&mine);
        sort_set(&other);
        compare_sets(got->rules, &mine, &other, out);
    }
    free(mine.values);
    free(other.values);
    return ok;
}

// ---- both

bool compare_wholes(const struct comparison *c, const void *got, const void *expected,
                    struct part *out, struct error *e)
{
    struct side mine = side_got(c, got), other = (struct side){.rules = c,
                                                               .data = expected,
                                                               .doubles = c->doubles,
                                                               .first = c->expected_first,
                                                               .count = c->expected_count,
                                                               .left = c->left,
                                                               .dropped = (double)NAN};
    struct found g = {0, 0, 0, 0}, r = {0, 0, 0, 0};
    *out = (struct part)PART_NONE(c->first);
    if (c->buffer->compare.kind == COMPARE_SUM)
        hold_sums(&mine, &other, &g, &r, out);
    else if (!hold_sets(&mine, &other, &g, &r, out, e))
        return false;
    out->got_nans = g.nans;
    out->expected_nans = r.nans;
    out->poisoned = out->unwritten = g.poisoned;
    out->first_unwritten = g.first_poisoned;
    out->expected_poisoned = r.poisoned;
    out->left = out->left_written = r.left;
    out->compared = out->seen = c->count;
    return true;
}
