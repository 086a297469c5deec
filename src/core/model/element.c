// Types of elements: names, sizes, and the floats of 16 and of 8 bits.
#include "model/job.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// The number of components a vector may have.
static const uint32_t widths[] = {2, 3, 4, 8, 16};

struct scalar_facts {
    const char *name;   // in specs
    const char *vector; // the name a width is appended to; NULL: no vectors
    uint32_t bytes;
    bool is_float;
    bool is_signed;
};

static const struct scalar_facts scalars[] = {
    [SCALAR_BOOL] = {"bool", NULL, 1, false, false},
    [SCALAR_I8] = {"int8", "char", 1, false, true},
    [SCALAR_U8] = {"uint8", "uchar", 1, false, false},
    [SCALAR_I16] = {"int16", "short", 2, false, true},
    [SCALAR_U16] = {"uint16", "ushort", 2, false, false},
    [SCALAR_I32] = {"int32", "int", 4, false, true},
    [SCALAR_U32] = {"uint32", "uint", 4, false, false},
    [SCALAR_I64] = {"int64", "long", 8, false, true},
    [SCALAR_U64] = {"uint64", "ulong", 8, false, false},
    [SCALAR_HALF] = {"half", "half", 2, true, false},
    [SCALAR_FLOAT] = {"float", "float", 4, true, false},
    [SCALAR_DOUBLE] = {"double", "double", 8, true, false},
    [SCALAR_CUSTOM] = {"custom", NULL, 0, false, false},
    [SCALAR_BFLOAT16] = {"bfloat16", "bfloat16", 2, true, false},
    [SCALAR_E4M3] = {"float8_e4m3", "float8_e4m3", 1, true, false},
    [SCALAR_E5M2] = {"float8_e5m2", "float8_e5m2", 1, true, false},
};

// The list in the header is the truth; this table only adds to it.
#define X(name, text, size)                                                                        \
    _Static_assert(SCALAR_##name < sizeof scalars / sizeof *scalars, "no facts of " text);
SCALARS(X)
#undef X

// How C, OpenCL, CUDA and numpy call the same types. A name that is also a name in specs ("int8",
// OpenCL's vector of eight) means what it means in specs.
static const struct {
    const char *name;
    enum scalar scalar;
} spellings[] = {
    {"char", SCALAR_I8},
    {"signed char", SCALAR_I8},
    {"int8_t", SCALAR_I8},
    {"uchar", SCALAR_U8},
    {"unsigned char", SCALAR_U8},
    {"uint8_t", SCALAR_U8},
    {"short", SCALAR_I16},
    {"int16_t", SCALAR_I16},
    {"ushort", SCALAR_U16},
    {"unsigned short", SCALAR_U16},
    {"uint16_t", SCALAR_U16},
    {"int", SCALAR_I32},
    {"signed int", SCALAR_I32},
    {"int32_t", SCALAR_I32},
    {"uint", SCALAR_U32},
    {"unsigned", SCALAR_U32},
    {"unsigned int", SCALAR_U32},
    {"uint32_t", SCALAR_U32},
    {"long", SCALAR_I64},
    {"long long", SCALAR_I64},
    {"longlong", SCALAR_I64},
    {"int64_t", SCALAR_I64},
    {"ptrdiff_t", SCALAR_I64},
    {"ulong", SCALAR_U64},
    {"unsigned long", SCALAR_U64},
    {"unsigned long long", SCALAR_U64},
    {"ulonglong", SCALAR_U64},
    {"uint64_t", SCALAR_U64},
    {"size_t", SCALAR_U64},
    {"__half", SCALAR_HALF},
    {"float32", SCALAR_FLOAT},
    {"float64", SCALAR_DOUBLE},
    {"__nv_bfloat16", SCALAR_BFLOAT16},
    {"__nv_fp8_e4m3", SCALAR_E4M3},
    {"float8_e4m3fn", SCALAR_E4M3},
    {"__nv_fp8_e5m2", SCALAR_E5M2},
};

#define SPELLING_COUNT (sizeof spellings / sizeof *spellings)

// Compares a C string with the first `length` bytes of `text`.
static bool same(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

static bool find_spec_name(const char *text, size_t length, enum scalar *out)
{
    for (unsigned s = 0; s < SCALAR_COUNT; s++) {
        if (same(scalars[s].name, text, length)) {
            *out = (enum scalar)s;
            return true;
        }
    }
    return false;
}

static bool find_spelling(const char *text, size_t length, enum scalar *out)
{
    for (size_t i = 0; i < SPELLING_COUNT; i++) {
        if (same(spellings[i].name, text, length)) {
            *out = spellings[i].scalar;
            return true;
        }
    }
    return false;
}

static bool find_scalar(const char *text, size_t length, enum scalar *out)
{
    return find_spec_name(text, length, out) || find_spelling(text, length, out);
}

static bool width_parse(const char *digits, uint32_t *out)
{
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        char name[4];
        snprintf(name, sizeof name, "%u", (unsigned)widths[i]);
        if (str_equal(name, digits)) {
            *out = widths[i];
            return true;
        }
    }
    return false;
}

// "float4", "uchar16"; "int32x8" where the name in specs ends in a digit itself.
static bool vector_parse(const char *text, struct element *out)
{
    size_t base = strlen(text);
    while (base > 0 && isdigit((unsigned char)text[base - 1]))
        base--;
    const char *digits = text + base;
    bool crossed = base > 1 && text[base - 1] == 'x' && isdigit((unsigned char)text[base - 2]);
    if (crossed)
        base--;
    return width_parse(digits, &out->width) && find_scalar(text, base, &out->scalar) &&
           scalars[out->scalar].vector != NULL;
}

bool element_parse(const char *text, struct element *out)
{
    struct element el = {.width = 1};
    if (!find_scalar(text, strlen(text), &el.scalar) && !vector_parse(text, &el))
        return false;
    *out = el;
    return true;
}

// Vectors are named as OpenCL does unless that name means a scalar in specs ("int8").
void element_name(const struct element *el, char *out)
{
    enum { NAME_SIZE = 24 };
    struct element again;
    const struct scalar_facts *facts = &scalars[el->scalar];
    if (el->width == 1 || facts->vector == NULL) {
        snprintf(out, NAME_SIZE, "%s", facts->name);
        return;
    }
    snprintf(out, NAME_SIZE, "%s%u", facts->vector, (unsigned)el->width);
    if (!element_parse(out, &again) || again.width != el->width)
        snprintf(out, NAME_SIZE, "%sx%u", facts->name, (unsigned)el->width);
}

uint32_t element_bytes(const struct element *el)
{
    if (el->scalar == SCALAR_CUSTOM)
        return el->custom_bytes;
    bool padded = el->width == 3 && !el->packed;
    return scalars[el->scalar].bytes * (padded ? 4 : el->width);
}

bool scalar_is_float(enum scalar s)
{
    return scalars[s].is_float;
}

bool scalar_is_signed(enum scalar s)
{
    return scalars[s].is_signed;
}

uint32_t scalar_bytes(enum scalar s)
{
    return scalars[s].bytes;
}

void scalar_limits(enum scalar s, int64_t *low, int64_t *high)
{
    uint32_t bits = 8 * scalar_bytes(s);
    bool is_signed = scalar_is_signed(s);
    *low = INT64_MIN;
    *high = INT64_MAX;
    if (scalar_is_float(s) || s == SCALAR_CUSTOM || (bits == 64 && is_signed))
        return;
    *low = is_signed ? -(INT64_C(1) << (bits - 1)) : 0;
    if (bits < 64)
        *high = (INT64_C(1) << (is_signed ? bits - 1 : bits)) - 1;
    if (s == SCALAR_BOOL)
        *high = 1;
}

// ---- floats of 16 and 8 bits ---------------------------------------------------------------------------

enum {
    F64_FRACTION = 52, // bits
    F64_BIAS = 1023,
};

const struct narrow *scalar_narrow(enum scalar s)
{
    static const struct narrow all[SCALAR_COUNT] = {
        [SCALAR_HALF] = {10, 15, 0x8000, false},
        [SCALAR_BFLOAT16] = {7, 127, 0x8000, false},
        [SCALAR_E4M3] = {3, 7, 0x80, true},
        [SCALAR_E5M2] = {2, 15, 0x80, false},
    };
    return all[s].sign ? &all[s] : NULL;
}

// bits / 2^shift, to nearest, ties to even.
static uint64_t shift_rounded(uint64_t bits, unsigned shift)
{
    uint64_t whole = bits >> shift;
    uint64_t rest = bits & ((1ull << shift) - 1);
    uint64_t middle = 1ull << (shift - 1);
    return whole + (rest > middle || (rest == middle && (whole & 1)));
}

static uint16_t infinity_of(const struct narrow *n)
{
    return (uint16_t)(n->sign - (1u << n->fraction));
}

// Beyond the largest: an infinity, or the one NaN of a type without infinities.
static uint16_t beyond(const struct narrow *n)
{
    return n->finite ? (uint16_t)(n->sign - 1u) : infinity_of(n);
}

// Rounded once, from all bits of the double: going through float would round twice.
uint16_t narrow_from_f64(const struct narrow *n, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    uint16_t sign = bits >> 63 ? n->sign : 0;
    uint64_t fraction = bits & ((1ull << F64_FRACTION) - 1);
    int exponent = (int)(bits >> F64_FRACTION & 0x7ff) - F64_BIAS, least = 1 - n->bias;
    int most = n->bias + n->finite;
    const unsigned shift = (unsigned)(F64_FRACTION - n->fraction);

    if (isnan(v) && !n->finite) // a quiet one
        return (uint16_t)(sign | infinity_of(n) | 1u << (n->fraction - 1) | fraction >> shift);
    if (exponent > most)
        return sign | beyond(n);
    if (exponent < least - n->fraction - 1) // below half the least subnormal
        return sign;
    if (exponent < least) {
        fraction |= 1ull << F64_FRACTION;
        return (uint16_t)(sign | shift_rounded(fraction, shift + (unsigned)(least - exponent)));
    }
    // A fraction that rounds up to 1 carries into the exponent, and from the largest to infinity, or
    // out of the type.
    uint64_t magnitude = (uint64_t)(exponent + n->bias) << F64_FRACTION | fraction;
    uint64_t rounded = shift_rounded(magnitude, shift);
    return (uint16_t)(sign | (rounded < beyond(n) ? rounded : beyond(n)));
}

double narrow_to_f64(const struct narrow *n, uint16_t bits)
{
    int exponent = (bits & infinity_of(n)) >> n->fraction;
    int one = 1 << n->fraction, fraction = bits & (one - 1);
    double magnitude;
    if (n->finite ? (bits & (n->sign - 1)) == beyond(n) : exponent > 2 * n->bias)
        magnitude = fraction ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        magnitude = ldexp(fraction, 1 - n->bias - n->fraction);
    else
        magnitude = ldexp(fraction | one, exponent - n->bias - n->fraction);
    return bits & n->sign ? -magnitude : magnitude;
}

uint16_t half_from_f64(double v)
{
    return narrow_from_f64(scalar_narrow(SCALAR_HALF), v);
}

double half_to_f64(uint16_t h)
{
    return narrow_to_f64(scalar_narrow(SCALAR_HALF), h);
}

// ---- floats --------------------------------------------------------------------------------------

void float_store(enum scalar s, double v, void *at)
{
    const struct narrow *n = scalar_narrow(s);
    const uint16_t bits = n ? narrow_from_f64(n, v) : 0; // little-endian, as hosts are
    const float single = (float)v;
    const void *from = n                   ? (const void *)&bits
                       : s == SCALAR_FLOAT ? (const void *)&single
                                           : (const void *)&v;
    memcpy(at, from, scalar_bytes(s));
}

double float_load(enum scalar s, const void *at)
{
    const struct narrow *n = scalar_narrow(s);
    uint16_t bits = 0;
    float single;
    double v;
    if (n) {
        memcpy(&bits, at, scalar_bytes(s));
        return narrow_to_f64(n, bits);
    }
    if (s == SCALAR_FLOAT) {
        memcpy(&single, at, sizeof single);
        return (double)single;
    }
    memcpy(&v, at, sizeof v);
    return v;
}

double float_rounded(enum scalar s, double v)
{
    unsigned char bytes[sizeof v];
    if (!scalar_is_float(s))
        return v;
    float_store(s, v, bytes);
    return float_load(s, bytes);
}

double scalar_rounding(enum scalar s)
{
    const struct narrow *n = scalar_narrow(s);
    return n                    ? ldexp(1, -n->fraction - 1)
           : s == SCALAR_FLOAT  ? 0x1p-24
           : s == SCALAR_DOUBLE ? 0x1p-53
                                : 0;
}

void job_number_read(enum scalar s, const void *bytes, struct job_number *out)
{
    unsigned size = scalar_bytes(s), unused = 64 - 8 * size;
    uint64_t bits = 0;
    out->is_float = scalar_is_float(s);
    out->integer = 0;
    out->number = 0;
    memcpy(&bits, bytes, size); // little-endian, as devices are
    if (out->is_float)
        out->number = float_load(s, bytes);
    else if (scalar_is_signed(s))
        out->integer = (int64_t)(bits << unused) >> unused;
    else
        out->integer = (int64_t)bits;
    out->is_unsigned = !out->is_float && !scalar_is_signed(s) && bits > INT64_MAX;
}
