// Types of elements: names, sizes, and IEEE half precision.
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
    {"char", SCALAR_I8},           {"signed char", SCALAR_I8},
    {"int8_t", SCALAR_I8},         {"uchar", SCALAR_U8},
    {"unsigned char", SCALAR_U8},  {"uint8_t", SCALAR_U8},
    {"short", SCALAR_I16},         {"int16_t", SCALAR_I16},
    {"ushort", SCALAR_U16},        {"unsigned short", SCALAR_U16},
    {"uint16_t", SCALAR_U16},      {"int", SCALAR_I32},
    {"signed int", SCALAR_I32},    {"int32_t", SCALAR_I32},
    {"uint", SCALAR_U32},          {"unsigned", SCALAR_U32},
    {"unsigned int", SCALAR_U32},  {"uint32_t", SCALAR_U32},
    {"long", SCALAR_I64},          {"long long", SCALAR_I64},
    {"longlong", SCALAR_I64},      {"int64_t", SCALAR_I64},
    {"ptrdiff_t", SCALAR_I64},     {"ulong", SCALAR_U64},
    {"unsigned long", SCALAR_U64}, {"unsigned long long", SCALAR_U64},
    {"ulonglong", SCALAR_U64},     {"uint64_t", SCALAR_U64},
    {"size_t", SCALAR_U64},        {"__half", SCALAR_HALF},
    {"float32", SCALAR_FLOAT},     {"float64", SCALAR_DOUBLE},
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

// ---- half ---------------------------------------------------------------------------------------

enum {
    F64_FRACTION = 52, // bits
    F64_BIAS = 1023,
    HALF_FRACTION = 10,
    HALF_BIAS = 15,
    HALF_LEAST = -14, // exponent of the least normal half
    HALF_INFINITY = 0x7c00,
    HALF_QUIET = 0x0200,
};

// bits / 2^shift, to nearest, ties to even.
static uint64_t shift_rounded(uint64_t bits, unsigned shift)
{
    uint64_t whole = bits >> shift;
    uint64_t rest = bits & ((1ull << shift) - 1);
    uint64_t middle = 1ull << (shift - 1);
    return whole + (rest > middle || (rest == middle && (whole & 1)));
}

// Rounded once, from all bits of the double: going through float would round twice.
uint16_t half_from_f64(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
    uint64_t fraction = bits & ((1ull << F64_FRACTION) - 1);
    int exponent = (int)(bits >> F64_FRACTION & 0x7ff) - F64_BIAS;
    const unsigned shift = F64_FRACTION - HALF_FRACTION;

    if (isnan(v))
        return (uint16_t)(sign | HALF_INFINITY | HALF_QUIET | fraction >> shift);
    if (exponent > HALF_BIAS)
        return sign | HALF_INFINITY;
    if (exponent < HALF_LEAST - HALF_FRACTION - 1) // below half the least subnormal
        return sign;
    if (exponent < HALF_LEAST) {
        fraction |= 1ull << F64_FRACTION;
        return (uint16_t)(sign |
                          shift_rounded(fraction, shift + (unsigned)(HALF_LEAST - exponent)));
    }
    // A fraction that rounds up to 1 carries into the exponent, and from the largest to infinity.
    uint64_t magnitude = (uint64_t)(exponent + HALF_BIAS) << F64_FRACTION | fraction;
    return (uint16_t)(sign | shift_rounded(magnitude, shift));
}

double half_to_f64(uint16_t h)
{
    int exponent = h >> HALF_FRACTION & 0x1f;
    int fraction = h & ((1 << HALF_FRACTION) - 1);
    double magnitude;
    if (exponent == 0x1f)
        magnitude = fraction ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        magnitude = ldexp(fraction, HALF_LEAST - HALF_FRACTION);
    else
        magnitude = ldexp(fraction | 1 << HALF_FRACTION, exponent - HALF_BIAS - HALF_FRACTION);
    return h & 0x8000 ? -magnitude : magnitude;
}

void job_number_read(enum scalar s, const void *bytes, struct job_number *out)
{
    unsigned size = scalar_bytes(s), unused = 64 - 8 * size;
    uint64_t bits = 0;
    float single;
    out->is_float = scalar_is_float(s);
    out->integer = 0;
    out->number = 0;
    memcpy(&bits, bytes, size); // little-endian, as devices are
    memcpy(&single, &bits, sizeof single);
    if (s == SCALAR_HALF)
        out->number = half_to_f64((uint16_t)bits);
    else if (s == SCALAR_FLOAT)
        out->number = (double)single;
    else if (s == SCALAR_DOUBLE)
        memcpy(&out->number, &bits, sizeof out->number);
    else if (scalar_is_signed(s))
        out->integer = (int64_t)(bits << unused) >> unused;
    else
        out->integer = (int64_t)bits;
    out->is_unsigned = !out->is_float && !scalar_is_signed(s) && bits > INT64_MAX;
}
