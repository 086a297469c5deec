// The comparison on the device finds what the one on the host finds: every type, every kind, with
// errors of every sort planted into random data.
#include "kit.h"

#include "../base/suite.h"
#include "device/compare_pass.h"
#include "device/fill.h"
#include "device/open_device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct kit kit;

static void set_up(void)
{
    kit_open(&kit, NULL);
}

static void tear_down(void)
{
    kit_close(&kit);
}

// ---- random data

static uint64_t state;

static uint64_t draw(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return state >> 11; // 53 bits
}

static bool one_in(uint64_t n)
{
    return draw() % n == 0;
}

// An output, what it should be in its own type, and as doubles (dense).
struct sample {
    struct job_buffer buffer;
    uint64_t bytes, components;
    uint8_t *got, *raw;
    double *doubles;
};

static unsigned component_bytes(const struct job_buffer *b)
{
    return b->element.scalar == SCALAR_CUSTOM ? 1 : scalar_bytes(b->element.scalar);
}

static uint64_t place(const struct sample *s, uint64_t i)
{
    const struct element *el = &s->buffer.element;
    unsigned width = el->scalar == SCALAR_CUSTOM ? el->custom_bytes : el->width;
    unsigned space = element_bytes(el) / component_bytes(&s->buffer);
    return (i / width * space + i % width) * component_bytes(&s->buffer);
}

static void store(enum scalar s, void *at, double v)
{
    int64_t integer = fabs(v) < 9e18 ? (int64_t)v : 0;
    if (scalar_is_float(s))
        float_store(s, v, at);
    else
        memcpy(at, &integer, s == SCALAR_CUSTOM ? 1 : scalar_bytes(s));
}

static double number_for(enum scalar s)
{
    double v = (double)draw() * 0x1p-53 - 0.5;
    if ((s == SCALAR_FLOAT || s == SCALAR_BFLOAT16) && one_in(50))
        return v * 0x1p-140; // below the least normal number
    if (s == SCALAR_HALF && one_in(20))
        return v * 0x1p-15;
    if (scalar_is_float(s))
        return v * (s == SCALAR_HALF ? 300 : 1000);
    if (s == SCALAR_I64 || s == SCALAR_U64)
        return v * 0x1p63;
    return v * 250;
}

static double special(void)
{
    static const double numbers[] = {NAN, INFINITY, -INFINITY, 1e300, 65519.9, 65520, -0.0, 1e-320};
    return numbers[draw() % (sizeof numbers / sizeof *numbers)];
}

// What is planted at one component: nothing at most places.
enum plant { NOTHING, ERRORS, SPECIALS, POISON, ALL, PLANTS };

static void plant(struct sample *s, enum plant what, uint64_t i)
{
    enum scalar type = s->buffer.element.scalar;
    uint8_t *got = s->got + place(s, i), *raw = s->raw + place(s, i);
    bool errors = what == ERRORS || what == ALL, poison = what == POISON || what == ALL;
    bool specials = (what == SPECIALS || what == ALL) && scalar_is_float(type);
    if (errors && one_in(40))
        store(type, got, number_for(type));
    if (errors && one_in(40))
        got[0] ^= 1; // the least difference there is
    if (specials && one_in(60))
        store(type, got, special());
    if (specials && one_in(60)) {
        s->doubles[i] = special();
        store(type, raw, s->doubles[i]);
        if (one_in(2))
            memcpy(got, raw, component_bytes(&s->buffer));
    }
    if (poison && one_in(50))
        memset(got, POISON_BYTE, component_bytes(&s->buffer));
    if (poison && one_in(200))
        memset(raw, POISON_BYTE, component_bytes(&s->buffer));
}

static struct sample sample_new(struct element el, uint64_t count, enum plant what)
{
    struct sample s = {.buffer = {.name = "C", .element = el, .count = count}};
    s.bytes = fill_bytes(&s.buffer);
    s.components = fill_components(&s.buffer);
    s.got = calloc(1, s.bytes);
    s.raw = calloc(1, s.bytes);
    s.doubles = calloc(s.components, sizeof *s.doubles);
    for (uint64_t i = 0; i < s.bytes; i++) // also where nothing is to be looked at
        s.got[i] = (uint8_t)draw();
    for (uint64_t i = 0; i < s.components; i++) {
        s.doubles[i] = number_for(el.scalar);
        store(el.scalar, s.raw + place(&s, i), s.doubles[i]);
        memcpy(s.got + place(&s, i), s.raw + place(&s, i), component_bytes(&s.buffer));
        plant(&s, what, i);
    }
    return s;
}

static void sample_free(struct sample *s)
{
    free(s->got);
    free(s->raw);
    free(s->doubles);
}

// ---- both ways

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool near(double a, double b)
{
    return same(a, b) || fabs(a - b) <= 1e-12 * fabs(b);
}

// What the order of additions may make of sums of these sizes.
static double slack(const struct sample *s)
{
    double sum = 0;
    for (uint64_t i = 0; i < s->components; i++) {
        double got = component_value(s->buffer.element.scalar, s->got + place(s, i));
        sum += isfinite(got) ? fabs(got) : 0;
        sum += isfinite(s->doubles[i]) ? fabs(s->doubles[i]) : 0;
    }
    return 1e-12 * sum;
}

static void check_same_sums(const struct sample *s, const struct deviation *d,
                            const struct deviation *h)
{
    double most = slack(s);
    ck_assert(same(d->got, h->got) || fabs(d->got - h->got) <= most);
    ck_assert(same(d->expected, h->expected) || fabs(d->expected - h->expected) <= most);
    ck_assert(same(d->largest, h->largest) || fabs(d->largest - h->largest) <= 2 * most);
}

static void check_same(const struct sample *s, const struct deviation *d, const struct deviation *h)
{
    char what[200], type[24];
    element_name(&s->buffer.element, type);
    snprintf(what, sizeof what, "%s, kind %d: norm %.17g %.17g, largest %.17g %.17g", type,
             (int)s->buffer.compare.kind, d->norm, h->norm, d->largest, h->largest);
    ck_assert_msg(d->index == h->index, "%s: at %llu %llu", what, (unsigned long long)d->index,
                  (unsigned long long)h->index);
    if (s->buffer.compare.kind == COMPARE_SUM) {
        check_same_sums(s, d, h);
    } else {
        ck_assert_msg(near(d->norm, h->norm), "%s", what);
        ck_assert_msg(d->largest == h->largest, "%s", what);
        ck_assert_msg(same(d->got, h->got) && same(d->expected, h->expected), "%s", what);
    }
    ck_assert_msg(d->nans == h->nans && d->unwritten == h->unwritten && d->wrong == h->wrong,
                  "%s: nans %llu %llu, unwritten %llu %llu, wrong %llu %llu", what,
                  (unsigned long long)d->nans, (unsigned long long)h->nans,
                  (unsigned long long)d->unwritten, (unsigned long long)h->unwritten,
                  (unsigned long long)d->wrong, (unsigned long long)h->wrong);
    ck_assert_msg(d->ok == h->ok, "%s", what);
    ck_assert_msg(d->output_nans == h->output_nans && d->reference_nans == h->reference_nans &&
                      d->written == h->written && d->components == h->components,
                  "%s: NaN %llu %llu, written %llu %llu", what, (unsigned long long)d->output_nans,
                  (unsigned long long)h->output_nans, (unsigned long long)d->written,
                  (unsigned long long)h->written);
}

static struct deviation compare_both_ways(const struct sample *s, bool doubles)
{
    const struct job_buffer *b = &s->buffer;
    struct error e = ERROR_INIT;
    struct deviation there, here;
    const void *reference = doubles ? (const void *)s->doubles : s->raw;
    struct memory got = kit_memory(&kit, s->got, s->bytes);
    struct memory expected = kit_memory(&kit, reference, doubles ? s->components * 8 : s->bytes);
    struct expected x = {.data = reference, .doubles = doubles};
    struct compare_request q = {.kernel = compare_kernel(kit.device, b, doubles),
                                .buffer = b,
                                .got = &got,
                                .expected = &expected,
                                .doubles = doubles};
    if (compare_sums_integers(b, doubles)) { // is the host's
        ck_assert(q.kernel == NULL);
        memory_free(kit.device, &got);
        memory_free(kit.device, &expected);
        return (struct deviation){.ok = true};
    }
    ck_assert_msg(q.kernel != NULL, "no kernel for type %d", (int)b->element.scalar);
    ck_assert_msg(compare_on_device(kit.device, &q, &there, &e), "%s", e.text);
    compare_output(b, s->got, &x, &here);
    check_same(s, &there, &here);
    memory_free(kit.device, &got);
    memory_free(kit.device, &expected);
    return there;
}

static const struct job_compare comparisons[] = {
    {.kind = COMPARE_EXACT},
    {.kind = COMPARE_ABSOLUTE, .atol = 0.25},
    {.kind = COMPARE_CLOSE, .atol = 1e-3, .rtol = 1e-2},
    {.kind = COMPARE_NORM, .rtol = 1e-5},
    {.kind = COMPARE_SUM, .atol = 1e300},
    {.kind = COMPARE_SUM, .atol = 1e300, .allow_nan = true},
    {.kind = COMPARE_CLOSE, .atol = 1e-3, .rtol = 1e-2, .allow_nan = true},
    {.kind = COMPARE_EXACT, .first = 100, .count = 1500},
    {.kind = COMPARE_NORM, .first = 1999, .rtol = 1e-3},
    {.kind = COMPARE_CLOSE, .atol = 1e-3, .rtol = 1e-2, .scaled = true},
    {.kind = COMPARE_ABSOLUTE, .atol = 0.25, .scaled = true, .first = 7, .count = 1000},
    {.kind = COMPARE_EXACT, .first = 5000, .count = 10}, // outside: nothing is compared
};

static void compare_element(struct element el, uint64_t count, size_t kinds)
{
    for (int what = 0; what < PLANTS; what++) {
        struct sample s = sample_new(el, count, (enum plant)what);
        for (size_t k = 0; k < kinds; k++) {
            s.buffer.compare = comparisons[k];
            compare_both_ways(&s, false);
            if (el.scalar != SCALAR_CUSTOM)
                compare_both_ways(&s, true);
        }
        sample_free(&s);
    }
}

// ---- the tests

START_TEST(each_type_compares_as_on_the_host)
{
    struct element el = {.scalar = (enum scalar)_i, .width = 1};
    if (el.scalar == SCALAR_CUSTOM)
        el = (struct element){.scalar = SCALAR_CUSTOM, .width = 1, .custom_bytes = 5};
    state = (uint64_t)_i;
    compare_element(el, 2001, sizeof comparisons / sizeof *comparisons);
}
END_TEST

static const struct element vectors[] = {
    {.scalar = SCALAR_FLOAT, .width = 3},
    {.scalar = SCALAR_FLOAT, .width = 3, .packed = true},
    {.scalar = SCALAR_I16, .width = 3},
    {.scalar = SCALAR_U8, .width = 4},
};

START_TEST(vectors_compare_as_on_the_host)
{
    state = 100 + (uint64_t)_i;
    compare_element(vectors[_i], 2001, 1);
}
END_TEST

// More than all work-items together take at once.
START_TEST(large_outputs_compare_as_on_the_host)
{
    struct sample s =
        sample_new((struct element){.scalar = SCALAR_FLOAT, .width = 1}, 1300007, ALL);
    s.buffer.compare = (struct job_compare){.kind = COMPARE_NORM, .rtol = 1e-5};
    struct deviation once = compare_both_ways(&s, true), again = compare_both_ways(&s, true);
    ck_assert_mem_eq(&once, &again, sizeof once);
    ck_assert_uint_gt(once.nans, 0);
    sample_free(&s);
}
END_TEST

START_TEST(extreme_numbers_compare_as_on_the_host)
{
    struct sample s =
        sample_new((struct element){.scalar = SCALAR_DOUBLE, .width = 1}, 999, ERRORS);
    for (uint64_t i = 0; i < s.components; i++) {
        double scale = _i ? 1e-180 : 1e180, got;
        memcpy(&got, s.got + 8 * i, 8);
        got *= scale;
        s.doubles[i] *= scale;
        memcpy(s.got + 8 * i, &got, 8);
    }
    s.buffer.compare = (struct job_compare){.kind = COMPARE_NORM, .rtol = 1e-5};
    ck_assert(compare_both_ways(&s, true).norm > 0);
    sample_free(&s);
}
END_TEST

// Neighbours that are one double.
START_TEST(wide_integers_compare_as_on_the_host)
{
    int64_t got[] = {INT64_C(9007199254740993), INT64_MIN, 5, INT64_MAX};
    int64_t expected[] = {INT64_C(9007199254740992), INT64_MAX, 5, INT64_MAX - 1};
    struct sample s = {.buffer = {.name = "C", .count = 4}, .bytes = 32, .components = 4};
    s.buffer.element = (struct element){.scalar = _i ? SCALAR_U64 : SCALAR_I64, .width = 1};
    s.got = (uint8_t *)got, s.raw = (uint8_t *)expected;
    ck_assert_uint_eq(compare_both_ways(&s, false).wrong, 3);
}
END_TEST

// All there is between zero and what is beyond the type, and the numbers between those.
START_TEST(narrow_floats_are_rounded_as_on_the_host)
{
    static const enum scalar types[] = {SCALAR_HALF, SCALAR_BFLOAT16, SCALAR_E4M3, SCALAR_E5M2};
    const enum scalar type = types[_i];
    const struct narrow *n = scalar_narrow(type);
    const uint16_t end = (uint16_t)(n->sign - (n->finite ? 1 : 1 << n->fraction));
    struct sample s = sample_new((struct element){.scalar = type, .width = 1}, 3ull * end, NOTHING);
    for (uint16_t h = 0; h < end; h++) {
        double low = narrow_to_f64(n, h);
        double high = h + 1 == end ? 2 * low - narrow_to_f64(n, (uint16_t)(h - 1))
                                   : narrow_to_f64(n, (uint16_t)(h + 1));
        s.doubles[3 * h] = (low + high) / 2;
        s.doubles[3 * h + 1] = nextafter((low + high) / 2, INFINITY);
        s.doubles[3 * h + 2] = -nextafter((low + high) / 2, 0);
    }
    for (uint64_t i = 0; i < s.components; i++)
        store(type, s.got + scalar_bytes(type) * i, s.doubles[i]);
    s.buffer.compare.kind = COMPARE_EXACT;
    s.buffer.compare.allow_nan = true; // beyond the largest of a type without infinities
    ck_assert(compare_both_ways(&s, true).ok);
    sample_free(&s);
}
END_TEST

static void add(TCase *t)
{
    tcase_add_checked_fixture(t, set_up, tear_down);
    int first = suite_rest() ? 0 : SCALAR_HALF, end = suite_rest() ? SCALAR_HALF : SCALAR_COUNT;
    tcase_add_loop_test(t, each_type_compares_as_on_the_host, first, end);
    if (suite_rest())
        return;
    tcase_add_loop_test(t, vectors_compare_as_on_the_host, 0, sizeof vectors / sizeof *vectors);
    tcase_add_test(t, large_outputs_compare_as_on_the_host);
    tcase_add_loop_test(t, extreme_numbers_compare_as_on_the_host, 0, 2);
    tcase_add_loop_test(t, wide_integers_compare_as_on_the_host, 0, 2);
    tcase_add_loop_test(t, narrow_floats_are_rounded_as_on_the_host, 0, 4);
}

int main(void)
{
    return kit_has_device() ? kit_run("compare_device", add) : KIT_SKIPPED;
}
