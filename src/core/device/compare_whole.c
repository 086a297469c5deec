// SUM and SET: a region as a whole against one that may have another place and size. On the host,
// one component after the other: such outputs are small (partial sums, what was selected).
//
// The elements of a set are compared in ascending order: two sets of as many numbers are within a
// tolerance of each other if and only if they are so in order. Vectors are ordered by their first
// component, then by their second and so on; where that does not show them alike they are paired.
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
    unsigned lead;  // the number by which they are ordered first
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
    out->lead = 0;
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

static int compare_elements(const void *a, const void *b, void *set)
{
    const double *x = a, *y = b;
    const struct set *s = set;
    for (unsigned i = 0; i < s->width; i++) {
        unsigned k = (s->lead + i) % s->width;
        if (x[k] != y[k])
            return x[k] < y[k] ? -1 : 1;
    }
    return 0;
}

static void sort_set(struct set *s)
{
    qsort_r(s->values, (size_t)s->count, s->width * sizeof(double), compare_elements, s);
}

// Number i of a set, as it is told.
static double number_at(const struct comparison *c, const struct set *s, uint64_t i)
{
    return c->exact_integers ? s->values[2 * i] * 0x1p32 + s->values[2 * i + 1] : s->values[i];
}

static double difference_at(const struct comparison *c, const struct set *g, uint64_t at,
                            const struct set *r, uint64_t i)
{
    if (!c->exact_integers) // infinities may be equal
        return g->values[at] == r->values[i] ? 0 : g->values[at] - r->values[i];
    return (g->values[2 * at] - r->values[2 * i]) * 0x1p32 + g->values[2 * at + 1] -
           r->values[2 * i + 1];
}

static double room_at(const struct compare_limit *l, double expected)
{
    return isfinite(expected) ? l->atol + l->rtol * fabs(expected) : 0;
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
                         const struct compare_limit *l, struct part *out)
{
    for (uint64_t i = 0; i < g->count * c->width; i++) {
        double d = difference_at(c, g, i, r, i), expected = number_at(c, r, i), size = fabs(d);
        out->difference += d * d;
        out->reference += expected * expected;
        out->wrong += size > room_at(l, expected);
        if (i == 0 || size > out->largest) {
            out->largest = size;
            out->at = i;
            out->sum_got = number_at(c, g, i);
            out->sum_reference = expected;
        }
    }
}

// ---- sets of vectors
//
// Elements whose first numbers differ by less than the tolerance stand by chance. So each element of the
// reference is paired with one that is within its tolerance in every component, by augmenting paths.
// The order by one component bounds which are asked.

#define ASKED_MOST (UINT64_C(1) << 28)

struct pairing {
    const struct comparison *c;
    struct set *got, *expected;
    const struct compare_limit *limit;
    uint64_t *partner, *owner; // of the reference's elements, of the output's: from 1; 0: none
    uint64_t *via, *seen; // of the output's: by which of the reference's reached, in whose search
    uint64_t *queue;      // of the reference's
    uint64_t asked;
};

// The number by which the sets are ordered.
static double key_at(const struct pairing *p, const struct set *s, uint64_t element)
{
    unsigned lead = s->lead / (p->c->exact_integers ? 2 : 1);
    return number_at(p->c, s, element * p->c->width + lead);
}

// The first of the output whose key is no less than that of the reference's element, but for the
// tolerance (and rounding), or (`above`) the first that is larger.
static uint64_t first_near(const struct pairing *p, uint64_t element, bool above)
{
    double key = key_at(p, p->expected, element);
    double room = isfinite(key) ? 2 * room_at(p->limit, key) + 1e-15 * fabs(key) : 0;
    uint64_t low = 0, high = p->got->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        double v = key_at(p, p->got, middle);
        if (above ? v <= key + room : v < key - room)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_pair(const struct pairing *p, uint64_t got, uint64_t expected)
{
    const unsigned width = p->c->width;
    for (unsigned k = 0; k < width; k++) {
        uint64_t i = expected * width + k;
        double d = difference_at(p->c, p->got, got * width + k, p->expected, i);
        if (!(fabs(d) <= room_at(p->limit, number_at(p->c, p->expected, i))))
            return false;
    }
    return true;
}

// Each on the way to `got` takes the one by which the next was reached.
static void repair(struct pairing *p, uint64_t start, uint64_t got)
{
    uint64_t expected, before;
    do {
        expected = p->via[got];
        before = p->partner[expected];
        p->partner[expected] = got + 1;
        p->owner[got] = expected + 1;
        got = before - 1;
    } while (expected != start);
}

static bool find_partner(struct pairing *p, uint64_t start)
{
    uint64_t first = 0, last = 0;
    p->queue[last++] = start;
    while (first < last) {
        uint64_t expected = p->queue[first++], end = first_near(p, expected, true);
        for (uint64_t i = first_near(p, expected, false); i < end; i++) {
            if (++p->asked > ASKED_MOST)
                return false;
            if (p->seen[i] == start + 1 || !is_pair(p, i, expected))
                continue;
            p->seen[i] = start + 1;
            p->via[i] = expected;
            if (p->owner[i] == 0) {
                repair(p, start, i);
                return true;
            }
            p->queue[last++] = p->owner[i] - 1;
        }
    }
    return false;
}

static uint64_t order_by(struct pairing *p, unsigned lead)
{
    uint64_t asked = 0;
    p->got->lead = p->expected->lead = lead;
    sort_set(p->got);
    sort_set(p->expected);
    for (uint64_t i = 0; i < p->expected->count; i++)
        asked += first_near(p, i, true) - first_near(p, i, false);
    return asked;
}

static void order_best(struct pairing *p)
{
    unsigned step = p->c->exact_integers ? 2 : 1, best = 0;
    uint64_t least = UINT64_MAX;
    for (unsigned lead = 0; lead < p->got->width; lead += step) {
        uint64_t asked = order_by(p, lead);
        best = asked < least ? lead : best;
        least = asked < least ? asked : least;
    }
    order_by(p, best);
}

// Puts the output's elements where their partners are; *paired: all have one.
static bool pair_sets(struct pairing *p, bool *paired, struct error *e)
{
    uint64_t count = p->got->count, *all = calloc(count, 5 * sizeof *all);
    size_t bytes = p->got->width * sizeof(double);
    char *values = malloc(count * bytes);
    *paired = all && values;
    if (*paired) {
        p->partner = all;
        p->owner = all + count;
        p->via = all + 2 * count;
        p->seen = all + 3 * count;
        p->queue = all + 4 * count;
        order_best(p);
        for (uint64_t i = 0; i < count && *paired; i++)
            *paired = find_partner(p, i);
        for (uint64_t i = 0; i < count && *paired; i++)
            memcpy(values + i * bytes, (char *)p->got->values + (p->partner[i] - 1) * bytes, bytes);
        if (*paired)
            memcpy(p->got->values, values, count * bytes);
    }
    bool ok = all && values;
    free(values);
    free(all);
    return ok || error_memory(e);
}

static bool compare_ordered(const struct comparison *c, struct set *g, struct set *r,
                            struct part *out, struct error *e)
{
    const struct compare_limit l = limit_of_set(c, r);
    const struct part before = *out;
    struct pairing p = {.c = c, .got = g, .expected = r, .limit = &l};
    bool paired = false;
    sort_set(g);
    sort_set(r);
    compare_sets(c, g, r, &l, out);
    if (out->wrong == 0 || c->width == 1 || (l.atol <= 0 && l.rtol <= 0))
        return true;
    if (!pair_sets(&p, &paired, e))
        return false;
    if (paired) {
        *out = before;
        compare_sets(c, g, r, &l, out);
    }
    return true;
}

static bool hold_sets(const struct side *got, const struct side *expected, struct found *g,
                      struct found *r, struct part *out, struct error *e)
{
    struct set mine = {NULL, 0, 1, 0}, other = {NULL, 0, 1, 0};
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
        ok = compare_ordered(got->rules, &mine, &other, out, e);
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
