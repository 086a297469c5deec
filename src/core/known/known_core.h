/* The lookup in a dispatch table, and the arithmetic of its expressions: the part that a header written by
   `hone deploy --format header` and libhone-known have in common, word for word. C99 and C++11, integers and doubles
   alone: no allocation, no library, no locale, no state.

   A table has a list of points for each device: a shape, and the configuration that is best there. Who asks names a
   device and a shape; dispatch.h of hone says by which rule it is answered, and hone_core_find() is that rule. */
#if defined(HONE_KNOWN_CORE) && HONE_KNOWN_CORE != 6
#error "two headers of `hone deploy` by different versions of hone: write both by the same one"
#endif
#ifndef HONE_KNOWN_CORE
#define HONE_KNOWN_CORE 6

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What is small once its constant arguments are known, but too large for a compiler to see that by itself. */
#if defined(__GNUC__)
#define HONE_CORE_INLINE static inline __attribute__((always_inline))
#else
#define HONE_CORE_INLINE static inline
#endif

/* ---- numbers -------------------------------------------------------------------------------- */

/* What an expression gives: a 64-bit integer, a double, or the reason why it has no value. */
enum { HONE_CORE_INT, HONE_CORE_FLOAT, HONE_CORE_FAULT };
enum { HONE_CORE_ZERO = 1, HONE_CORE_OVERFLOW, HONE_CORE_DOMAIN, HONE_CORE_UNKNOWN };
#define HONE_CORE_NONE           0xffffffffu /* no expression, point, device or configuration */
#define HONE_CORE_SLOTS          32          /* columns and device facts together */
#define HONE_CORE_CONFIGURATIONS 1024        /* of one table, at most: a multiple of 64 */
#define HONE_CORE_COLUMNS        16          /* at most */
#define HONE_CORE_POINTS         65536       /* of one device, at most: 16 bits */
#define HONE_CORE_LEAF           8
#define HONE_CORE_NEAR           8    /* points that a prediction is made of */
#define HONE_CORE_UNLIKE         4096 /* 1/16 of an octave: see hone_core_unlike() */
#define HONE_CORE_TWOS           7    /* the largest power that counts: 2^7 floats are 512 bytes */
#define HONE_CORE_UNTIMED        INT32_MIN

typedef struct hone_core_value {
    int kind;
    int64_t i; /* of a fault: which */
    double f;
} hone_core_value;

static inline hone_core_value hone_core_make(int kind, int64_t i, double f)
{
    hone_core_value v;
    v.kind = kind, v.i = i, v.f = f;
    return v;
}

static inline hone_core_value hone_core_int(int64_t i)
{
    return hone_core_make(HONE_CORE_INT, i, 0);
}

static inline hone_core_value hone_core_float(double f)
{
    return hone_core_make(HONE_CORE_FLOAT, 0, f);
}

static inline hone_core_value hone_core_fault(int64_t why)
{
    return hone_core_make(HONE_CORE_FAULT, why, 0);
}

static inline double hone_core_double(hone_core_value v)
{
    return v.kind == HONE_CORE_FLOAT ? v.f : (double)v.i;
}

static inline int hone_core_truth(hone_core_value v)
{
    return v.kind == HONE_CORE_FLOAT ? v.f != 0 : v.i != 0;
}

/* Both lie within 32 bits, so that their product needs no test. */
static inline int hone_core_small(int64_t a, int64_t b)
{
    return a >= -INT64_C(0x7fffffff) && a <= INT64_C(0x7fffffff) && b >= -INT64_C(0x7fffffff) &&
           b <= INT64_C(0x7fffffff);
}

static inline int hone_core_product_fits(int64_t a, int64_t b)
{
    if (hone_core_small(a, b) || a == 0 || b == 0)
        return 1;
    if (a > 0)
        return b > 0 ? a <= INT64_MAX / b : b >= INT64_MIN / a;
    return b > 0 ? a >= INT64_MIN / b : b >= INT64_MAX / a;
}

static inline uint64_t hone_core_magnitude(int64_t i)
{
    return i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
}

/* -1, 0 or 1; 2 with a NaN. An integer and a double are compared exactly. */
static inline int hone_core_order(hone_core_value a, hone_core_value b)
{
    int sign = a.kind == HONE_CORE_INT ? 1 : -1;
    double f = sign > 0 ? b.f : a.f;
    int64_t i = sign > 0 ? a.i : b.i, whole;
    if (a.kind == b.kind && a.kind == HONE_CORE_INT)
        return (a.i > b.i) - (a.i < b.i);
    if (a.kind == b.kind)
        return a.f < b.f ? -1 : a.f > b.f ? 1 : a.f == b.f ? 0 : 2;
    if (f != f || f >= 9223372036854775808.0 || f < -9223372036854775808.0)
        return f != f ? 2 : f > 0 ? -sign : sign;
    whole = (int64_t)f;
    if (i != whole)
        return i < whole ? -sign : sign;
    return f > (double)whole ? -sign : f < (double)whole ? sign : 0;
}

/* The operators of expressions. X(NAME, word in a .hone file, operands). */
#define HONE_CORE_OPERATORS(X)                                                                     \
    X(ADD, "+", 2)                                                                                 \
    X(SUB, "-", 2)                                                                                 \
    X(MUL, "*", 2)                                                                                 \
    X(DIV, "/", 2)                                                                                 \
    X(CEILDIV, "/^", 2) /* ceil() of a quotient */                                                 \
    X(FLOORDIV, "//", 2)                                                                           \
    X(MOD, "%", 2)                                                                                 \
    X(POW, "**", 2)                                                                                \
    X(SHL, "<<", 2)                                                                                \
    X(SHR, ">>", 2)                                                                                \
    X(AND, "&", 2)                                                                                 \
    X(OR, "|", 2)                                                                                  \
    X(XOR, "^", 2)                                                                                 \
    X(GCD, "gcd", 2)                                                                               \
    X(LT, "<", 2)                                                                                  \
    X(LE, "<=", 2)                                                                                 \
    X(EQ, "==", 2)                                                                                 \
    X(NE, "!=", 2)                                                                                 \
    X(GT, ">", 2)                                                                                  \
    X(GE, ">=", 2)                                                                                 \
    X(MIN, "min", 2)                                                                               \
    X(MAX, "max", 2)                                                                               \
    X(SIZE, "size", 2)                                                                             \
    X(NEG, "neg", 1)                                                                               \
    X(INVERT, "~", 1)                                                                              \
    X(NOT, "not", 1)                                                                               \
    X(BOOL, "bool", 1)                                                                             \
    X(ABS, "abs", 1)                                                                               \
    X(REAL, "float", 1)                                                                            \
    X(TRUNC, "trunc", 1)                                                                           \
    X(FLOOR, "floor", 1)                                                                           \
    X(CEIL, "ceil", 1)                                                                             \
    X(ROUND, "round", 1)

typedef enum hone_core_operator {
#define HONE_CORE_ENTRY(name, word, operands) HONE_CORE_##name,
    HONE_CORE_OPERATORS(HONE_CORE_ENTRY)
#undef HONE_CORE_ENTRY
        HONE_CORE_OPERATOR_COUNT
} hone_core_operator;

static inline hone_core_value hone_core_int_or(int is_value, int64_t i, int64_t fault)
{
    return is_value ? hone_core_int(i) : hone_core_fault(fault);
}

/* Python's: the quotient is rounded down, and the remainder has the divisor's sign. */
static inline hone_core_value hone_core_divide(hone_core_operator op, int64_t a, int64_t b)
{
    int64_t rest;
    if (b == 0)
        return hone_core_fault(HONE_CORE_ZERO);
    if (b == -1 && op == HONE_CORE_FLOORDIV)
        return hone_core_int_or(a != INT64_MIN, a == INT64_MIN ? 0 : -a, HONE_CORE_OVERFLOW);
    rest = b == -1 ? 0 : a % b;
    if (op == HONE_CORE_FLOORDIV)
        return hone_core_int(a / b - (rest != 0 && (a < 0) != (b < 0)));
    return hone_core_int(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
}

static inline hone_core_value hone_core_pow(int64_t base, int64_t exponent)
{
    int64_t result = 1;
    if (exponent < 0)
        return hone_core_fault(HONE_CORE_DOMAIN);
    for (; exponent > 0; exponent >>= 1) {
        if ((exponent & 1) && !hone_core_product_fits(result, base))
            return hone_core_fault(HONE_CORE_OVERFLOW);
        result *= exponent & 1 ? base : 1;
        if (exponent > 1 && !hone_core_product_fits(base, base))
            return hone_core_fault(HONE_CORE_OVERFLOW);
        base *= exponent > 1 ? base : 1;
    }
    return hone_core_int(result);
}

/* A negative number is not shifted, as C leaves to the compiler what that means. */
static inline hone_core_value hone_core_shift(hone_core_operator op, int64_t a, int64_t count)
{
    if (count < 0)
        return hone_core_fault(HONE_CORE_DOMAIN);
    if (op == HONE_CORE_SHR)
        return hone_core_int(a >= 0 ? a >> (count > 63 ? 63 : count)
                                    : ~(~a >> (count > 63 ? 63 : count)));
    if (a == 0 || count > 62)
        return hone_core_int_or(a == 0 || (a == -1 && count == 63), a ? INT64_MIN : 0,
                                HONE_CORE_OVERFLOW);
    return hone_core_int_or(
        hone_core_product_fits(a, INT64_C(1) << count),
        hone_core_product_fits(a, INT64_C(1) << count) ? a * (INT64_C(1) << count) : 0,
        HONE_CORE_OVERFLOW);
}

static inline hone_core_value hone_core_gcd(int64_t a, int64_t b)
{
    uint64_t x = hone_core_magnitude(a), y = hone_core_magnitude(b), rest;
    for (; y; x = y, y = rest)
        rest = x % y;
    return hone_core_int_or(x <= (uint64_t)INT64_MAX, (int64_t)(x & INT64_MAX), HONE_CORE_OVERFLOW);
}

static inline hone_core_value hone_core_integers(hone_core_operator op, int64_t a, int64_t b)
{
    int fits;
    switch (op) {
    case HONE_CORE_ADD:
        fits = b >= 0 ? a <= INT64_MAX - b : a >= INT64_MIN - b;
        return hone_core_int_or(fits, fits ? a + b : 0, HONE_CORE_OVERFLOW);
    case HONE_CORE_SUB:
        fits = b >= 0 ? a >= INT64_MIN + b : a <= INT64_MAX + b;
        return hone_core_int_or(fits, fits ? a - b : 0, HONE_CORE_OVERFLOW);
    case HONE_CORE_MUL:
        fits = hone_core_product_fits(a, b);
        return hone_core_int_or(fits, fits ? a * b : 0, HONE_CORE_OVERFLOW);
    case HONE_CORE_FLOORDIV:
    case HONE_CORE_MOD:
        return hone_core_divide(op, a, b);
    case HONE_CORE_POW:
        return hone_core_pow(a, b);
    case HONE_CORE_SHL:
    case HONE_CORE_SHR:
        return hone_core_shift(op, a, b);
    case HONE_CORE_AND:
        return hone_core_int(a & b);
    case HONE_CORE_OR:
        return hone_core_int(a | b);
    case HONE_CORE_XOR:
        return hone_core_int(a ^ b);
    default:
        return hone_core_gcd(a, b);
    }
}

/* A double is stored before it is used again, so that no compiler joins a product and a sum into one rounding. True
   division of integers without a double of their own is refused, so that it rounds once. */
static inline hone_core_value hone_core_doubles(hone_core_operator op, hone_core_value a,
                                                hone_core_value b)
{
    const int64_t most = INT64_C(1) << 53;
    double x = hone_core_double(a), y = hone_core_double(b);
    volatile double result;
    if (op == HONE_CORE_DIV && y == 0)
        return hone_core_fault(HONE_CORE_ZERO);
    if (op == HONE_CORE_DIV && (a.i > most || a.i < -most || b.i > most || b.i < -most))
        return hone_core_fault(HONE_CORE_OVERFLOW);
    result = op == HONE_CORE_ADD   ? x + y
             : op == HONE_CORE_SUB ? x - y
             : op == HONE_CORE_MUL ? x * y
                                   : x / y;
    return hone_core_float(result);
}

/* The integer below, above, next to or towards zero. A double with a fraction is below 2^53: a step of one is exact. */
static inline hone_core_value hone_core_whole(hone_core_operator op, double f)
{
    int64_t whole;
    double above;
    if (f != f || f >= 9223372036854775808.0 || f < -9223372036854775808.0)
        return hone_core_fault(f != f ? HONE_CORE_DOMAIN : HONE_CORE_OVERFLOW);
    whole = (int64_t)f;
    if (op == HONE_CORE_CEIL)
        return hone_core_int(whole + ((double)whole < f));
    if (op == HONE_CORE_TRUNC)
        return hone_core_int(whole);
    whole -= (double)whole > f;
    above = f - (double)whole;
    return hone_core_int(whole +
                         (op == HONE_CORE_ROUND && (above > 0.5 || (above == 0.5 && (whole & 1)))));
}

HONE_CORE_INLINE hone_core_value hone_core_unary(hone_core_operator op, hone_core_value a)
{
    if (a.kind == HONE_CORE_FAULT)
        return a;
    if (op == HONE_CORE_NOT || op == HONE_CORE_BOOL)
        return hone_core_int(hone_core_truth(a) == (op == HONE_CORE_BOOL));
    if (op == HONE_CORE_REAL)
        return hone_core_float(hone_core_double(a));
    if (a.kind == HONE_CORE_INT && (op == HONE_CORE_NEG || (op == HONE_CORE_ABS && a.i < 0)))
        return hone_core_integers(HONE_CORE_SUB, 0, a.i);
    if (a.kind == HONE_CORE_INT)
        return hone_core_int(op == HONE_CORE_INVERT ? ~a.i : a.i);
    if (op == HONE_CORE_NEG || op == HONE_CORE_ABS)
        return hone_core_float(op == HONE_CORE_NEG || a.f < 0 ? -a.f : a.f == 0 ? 0.0 : a.f);
    return hone_core_whole(op, a.f);
}

/* Rounded up. Processors divide 32 bits in a third of the time of 64. */
static inline int64_t hone_core_quotient_up(int64_t a, int64_t b)
{
    if (((uint64_t)a | (uint64_t)b) >> 32 == 0)
        return (uint32_t)a / (uint32_t)b + ((uint32_t)a % (uint32_t)b != 0);
    return a / b + (a % b != 0);
}

/* ceil(a / b). Below 2^53 the double next to the quotient of integers is no other integer, so that these stay integers. */
static inline hone_core_value hone_core_ceil_divide(hone_core_value a, hone_core_value b)
{
    const int64_t most = INT64_C(1) << 53;
    if (a.kind == HONE_CORE_INT && b.kind == HONE_CORE_INT && a.i >= 0 && b.i > 0 && a.i <= most &&
        b.i <= most)
        return hone_core_int(hone_core_quotient_up(a.i, b.i));
    return hone_core_unary(HONE_CORE_CEIL, hone_core_doubles(HONE_CORE_DIV, a, b));
}

/* A size of a launch or a buffer: a whole number of at least `least`, and at most 2^48. */
static inline hone_core_value hone_core_size(hone_core_value a, int64_t least)
{
    hone_core_value whole = hone_core_unary(HONE_CORE_TRUNC, a);
    if (whole.kind == HONE_CORE_FAULT)
        return whole;
    if ((a.kind == HONE_CORE_FLOAT && (double)whole.i != a.f) || whole.i < least)
        return hone_core_fault(HONE_CORE_DOMAIN);
    return whole.i > INT64_C(1) << 48 ? hone_core_fault(HONE_CORE_OVERFLOW) : whole;
}

/* The first fault of two operands decides. Of equal ones min and max take the first. Integers alone come where the
   language has nothing else: `hone deploy` refuses the rest. */
HONE_CORE_INLINE hone_core_value hone_core_binary(hone_core_operator op, hone_core_value a,
                                                  hone_core_value b)
{
    int order, truth;
    if (a.kind == HONE_CORE_FAULT || b.kind == HONE_CORE_FAULT)
        return a.kind == HONE_CORE_FAULT ? a : b;
    if (op == HONE_CORE_SIZE)
        return hone_core_size(a, b.i);
    if (op == HONE_CORE_CEILDIV)
        return hone_core_ceil_divide(a, b);
    if (op == HONE_CORE_MIN || op == HONE_CORE_MAX)
        return hone_core_order(b, a) == (op == HONE_CORE_MIN ? -1 : 1) ? b : a;
    if (op >= HONE_CORE_LT && op <= HONE_CORE_GE) {
        order = hone_core_order(a, b);
        truth = op == HONE_CORE_LT   ? order == -1
                : op == HONE_CORE_LE ? order <= 0
                : op == HONE_CORE_EQ ? order == 0
                : op == HONE_CORE_NE ? order != 0
                : op == HONE_CORE_GT ? order == 1
                                     : order == 0 || order == 1;
        return hone_core_int(truth);
    }
    if (op == HONE_CORE_DIV || a.kind == HONE_CORE_FLOAT || b.kind == HONE_CORE_FLOAT)
        return hone_core_doubles(op, a, b);
    return hone_core_integers(op, a.i, b.i);
}

/* The highest bit of a number above 0. */
static inline int hone_core_highest(uint64_t x)
{
#if defined(__GNUC__)
    return 63 - __builtin_clzll(x);
#else
    int result = 0, shift;
    for (shift = 32; shift > 0; shift /= 2) {
        if (x >> shift)
            result += shift, x >>= shift;
    }
    return result;
#endif
}

/* The binary logarithm of a size in units of 2^-16, at most 1.1 of them from the true one; what is below 1 counts as 1.
   Of the mantissa 1 + f, f in units of 2^-31, it is a polynomial by least largest error that is exact at 1 and 2, its
   coefficients in units of 2^-30. Integers, so that every compiler gives the same. */
static inline int64_t hone_core_log2(int64_t size)
{
    const uint64_t x = size < 1 ? 1 : (uint64_t)size;
    const int highest = hone_core_highest(x);
    const uint64_t f =
        (highest > 31 ? x >> (highest - 31) : x << (31 - highest)) - (UINT64_C(1) << 31);
    uint64_t y = 84326266 - (16330651 * f >> 31);
    y = 207263991 - (y * f >> 31);
    y = 349116602 - (y * f >> 31);
    y = 508227975 - (y * f >> 31);
    y = 773689220 - (y * f >> 31);
    y = 1549051295 - (y * f >> 31);
    return ((int64_t)highest << 16) + (int64_t)(y * f >> 45);
}

/* ---- the table ------------------------------------------------------------------------------ */

/* A launch of one configuration. Its members of type uint32_t that are no counts are numbers of expressions, or
   HONE_CORE_NONE: always launched, a size of 1, chosen by the driver. */
typedef struct hone_core_launch {
    const char *kernel;
    uint32_t when, global[3], local[3], local_memory, dimensions;
    uint32_t argument_count;
    const uint32_t *arguments; /* of the table, in the kernel's order */
} hone_core_launch;

typedef struct hone_core_named {
    const char *text; /* of a restriction, or a macro's name */
    uint32_t expression;
} hone_core_named;

typedef struct hone_core_configuration {
    const char *text;    /* "tile_m=64, ..." */
    const char *options; /* what does not depend on the shape */
    const char
        *target; /* NULL, or what the driver's PTX is rewritten for where `retarget` is true */
    uint32_t retarget;
    uint32_t restriction_count, define_count, launch_count;
    const hone_core_named *restrictions;
    const hone_core_named *defines; /* macros that depend on the shape */
    const hone_core_launch *launches;
    const uint32_t *bytes; /* of each argument of the table: expressions */
} hone_core_configuration;

/* What configurations cost at shapes between the points. A device works through a launch in waves, each as many
   work-groups as it holds at once. Logarithms are as hone_core_log2() has them, of nanoseconds and of sizes. */
typedef struct hone_core_model {
    uint32_t launch;        /* the kernel whose work-groups are counted, among those of the spec */
    const uint32_t *groups; /* one a configuration: the expression of their number */
    const int64_t
        *slopes; /* one a column: how the time of a wave grows with the size, in units of 2^-16 */
    const uint32_t *
        resident; /* one a configuration: work-groups that a compute unit holds; 0: time grows with their
                                 number, not by waves */
    const int32_t *
        costs; /* [point of the device * configurations + configuration]: the logarithm of the time of a
                                 wave; HONE_CORE_UNTIMED */
} hone_core_model;

typedef struct hone_core_device {
    const char *name, *identity, *vendor, *architecture;
    int64_t compute_units;
    uint32_t first, count, fallback; /* of its points; a configuration */
    const int64_t *facts;            /* one for each of the table's; -1: not known */
    const hone_core_model *model;    /* NULL: the nearest point answers */
} hone_core_device;

typedef struct hone_core_table {
    uint32_t column_count, fact_count, argument_count, configuration_count, device_count, fallback;
    const char *const *columns, *const *facts, *const *arguments;
    const hone_core_configuration *configurations;
    const hone_core_device *devices;
    /* Of all devices' points: those of one device stand in the order in which equally near ones are taken. */
    const int64_t *shapes; /* column_count each */
    const uint32_t *point_configurations;
    /* The points of each device as a tree, counted from its first one: see hone_core_nearest(). Where in the tree each
       point is; and in its order, so that those that are near lie together, the logarithms, column_count each. */
    const uint32_t *tree, *places;
    const int32_t *logarithms;
    hone_core_value (*evaluate)(const void *context, uint32_t expression,
                                const hone_core_value *slots);
    const void *context;
} hone_core_table;

/* ---- the device ----------------------------------------------------------------------------- */

enum { HONE_CORE_MEASURED, HONE_CORE_ARCHITECTURE, HONE_CORE_VENDOR, HONE_CORE_ANY };

/* A device as it was resolved once. */
typedef struct hone_core_handle {
    const hone_core_table *table;
    const char *asked; /* its name; the caller's, and kept by it */
    uint32_t device;   /* whose points answer; HONE_CORE_NONE */
    int reach;         /* how it was found */
    int64_t units;     /* compute units of the one that asks, as far as they are known */
    hone_core_value facts[HONE_CORE_SLOTS];
} hone_core_handle;

static inline int hone_core_same(const char *a, const char *b)
{
    return a && b && *a && *a == *b && strcmp(a, b) == 0;
}

/* 90 of "sm_90" and "sm_90a"; 0 of other texts. */
static inline int64_t hone_core_capability(const char *architecture)
{
    int64_t result = 0;
    if (strncmp(architecture, "sm_", 3) != 0)
        return 0;
    for (architecture += 3; *architecture >= '0' && *architecture <= '9' && result < 10000;
         architecture++)
        result = result * 10 + (*architecture - '0');
    return result;
}

static inline int hone_core_fits(const hone_core_device *d, int reach, const char *name,
                                 const char *vendor, const char *architecture)
{
    if (reach == HONE_CORE_MEASURED)
        return hone_core_same(name, d->name) || hone_core_same(name, d->identity);
    return reach == HONE_CORE_ARCHITECTURE ? hone_core_same(architecture, d->architecture)
                                           : hone_core_same(vendor, d->vendor);
}

/* Of the devices that fit the one with the nearest count of compute units, the first of equal ones; HONE_CORE_NONE. */
static inline uint32_t hone_core_find_device(const hone_core_table *t, int reach, const char *name,
                                             const char *vendor, const char *architecture,
                                             int64_t units)
{
    uint64_t least = UINT64_MAX;
    uint32_t i, found = HONE_CORE_NONE;
    for (i = 0; i < t->device_count && least > 0; i++) {
        const hone_core_device *d = &t->devices[i];
        const uint64_t gap =
            reach == HONE_CORE_MEASURED ? 0 : hone_core_magnitude(d->compute_units - units);
        if (gap < least && hone_core_fits(d, reach, name, vendor, architecture))
            least = gap, found = i;
    }
    return found;
}

/* `name` is a device's name or UUID. The others, and 0 compute units, may be unknown (NULL, ""). Facts that are not told
   are those of the device that answers, without one 0, as everywhere in hone; compute units are not known where it is
   another device: work-groups that wait for each other hang where fewer run at the same time. Nothing takes the handle's
   address, so that it need not be copied to be returned. */
static inline hone_core_handle hone_core_device_of(const hone_core_table *t, const char *name,
                                                   const char *vendor, const char *architecture,
                                                   int64_t compute_units)
{
    hone_core_handle h;
    uint32_t i;
    h.table = t, h.asked = name ? name : "", h.device = HONE_CORE_NONE;
    if (compute_units < 0 || compute_units > INT64_C(1) << 32)
        compute_units = 0;
    for (h.reach = HONE_CORE_MEASURED; h.reach < HONE_CORE_ANY; h.reach++) {
        h.device = hone_core_find_device(t, h.reach, name, vendor, architecture, compute_units);
        if (h.device != HONE_CORE_NONE)
            break;
    }
    h.units = compute_units > 0 || h.device == HONE_CORE_NONE ? compute_units
                                                              : t->devices[h.device].compute_units;
    for (i = 0; i < t->fact_count && i < HONE_CORE_SLOTS; i++) {
        int64_t value = h.device == HONE_CORE_NONE ? 0 : t->devices[h.device].facts[i];
        if ((compute_units > 0 || (h.reach > HONE_CORE_MEASURED && h.reach < HONE_CORE_ANY)) &&
            strcmp(t->facts[i], "device_compute_units") == 0)
            value = compute_units > 0 ? compute_units : -1;
        if (h.reach > HONE_CORE_MEASURED && architecture && *architecture &&
            strcmp(t->facts[i], "device_capability") == 0)
            value = hone_core_capability(architecture);
        h.facts[i] = value < 0 ? hone_core_fault(HONE_CORE_UNKNOWN) : hone_core_int(value);
    }
    return h;
}

/* ---- the lookup ----------------------------------------------------------------------------- */

static inline void hone_core_bind(const hone_core_handle *h, const int64_t *shape,
                                  hone_core_value *slots)
{
    uint32_t i, columns = h->table->column_count;
    for (i = 0; i < columns; i++)
        slots[i] = hone_core_int(shape[i]);
    for (i = 0; i < h->table->fact_count; i++)
        slots[columns + i] = h->facts[i];
}

/* The first restriction that is not true; HONE_CORE_NONE: the configuration is valid. */
static inline uint32_t hone_core_excluded(const hone_core_table *t, uint32_t configuration,
                                          const hone_core_value *slots)
{
    const hone_core_configuration *c = &t->configurations[configuration];
    uint32_t i;
    for (i = 0; i < c->restriction_count; i++) {
        hone_core_value v = t->evaluate(t->context, c->restrictions[i].expression, slots);
        if (v.kind == HONE_CORE_FAULT || !hone_core_truth(v))
            return i;
    }
    return HONE_CORE_NONE;
}

typedef struct hone_core_answer {
    uint32_t configuration, point; /* HONE_CORE_NONE: none is valid; no point answered */
    int is_predicted;              /* the nearest point has another */
} hone_core_answer;

/* One of the nearest points. Its rows of the table, and what hone_core_weigh() makes of them. */
typedef struct hone_core_near {
    uint32_t point;
    uint64_t distance;
    const int32_t *logarithms, *costs;
    int64_t weight, shift;
} hone_core_near;

static inline uint64_t hone_core_square(int64_t x)
{
    return (uint64_t)(x * x);
}

/* Up to three columns stand written out: compilers do not unroll the loop. */
static inline uint64_t hone_core_distance(const int64_t *at, const int32_t *there, uint32_t columns)
{
    uint64_t sum = hone_core_square(there[0] - at[0]);
    uint32_t i;
    if (columns > 1)
        sum += hone_core_square(there[1] - at[1]);
    if (columns > 2)
        sum += hone_core_square(there[2] - at[2]);
    for (i = 3; i < columns; i++)
        sum += hone_core_square(there[i] - at[i]);
    return sum;
}

/* How often 2 divides a size, at most HONE_CORE_TWOS. */
static inline int64_t hone_core_twos(int64_t size)
{
    const uint64_t x = (uint64_t)size | UINT64_C(1) << HONE_CORE_TWOS;
#if defined(__GNUC__)
    return __builtin_ctzll(x);
#else
    return hone_core_highest(x & (~x + 1));
#endif
}

/* What is added to the squared distance of shapes that 2 divides differently often. Rows of 1024 elements fall into the
   same banks and the same sets of a cache, those of 1016 do not, and what is fast at one may be slow at the other, however
   near they are: 1016 has more in common with 952. */
static inline uint64_t hone_core_unlike(const int64_t *a, const int64_t *b, uint32_t columns)
{
    uint64_t sum = 0;
    uint32_t i;
    for (i = 0; i < columns; i++)
        sum += hone_core_square(HONE_CORE_UNLIKE * (hone_core_twos(a[i]) - hone_core_twos(b[i])));
    return sum;
}

static inline uint64_t hone_core_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t hone_core_most(uint64_t a, uint64_t b)
{
    return a < b ? b : a;
}

/* Into the `most` least keys, 1 or HONE_CORE_NEAR, in their order. Without a branch, because none could be foreseen, and
   written out, so that the list stays in registers. */
HONE_CORE_INLINE void hone_core_insert(uint64_t *keys, uint32_t most, uint64_t key)
{
    if (most == HONE_CORE_NEAR) {
        keys[7] = hone_core_least(keys[7], hone_core_most(keys[6], key));
        keys[6] = hone_core_least(keys[6], hone_core_most(keys[5], key));
        keys[5] = hone_core_least(keys[5], hone_core_most(keys[4], key));
        keys[4] = hone_core_least(keys[4], hone_core_most(keys[3], key));
        keys[3] = hone_core_least(keys[3], hone_core_most(keys[2], key));
        keys[2] = hone_core_least(keys[2], hone_core_most(keys[1], key));
        keys[1] = hone_core_least(keys[1], hone_core_most(keys[0], key));
    }
    keys[0] = hone_core_least(keys[0], key);
}

/* What is searched: the points of a device in the order of the tree. */
typedef struct hone_core_search {
    const int64_t *at;
    const int32_t *logarithms;
    const uint32_t *tree, *configurations;
    const uint64_t *banned; /* configurations; NULL: none is */
    uint32_t columns;
} hone_core_search;

static inline const int32_t *hone_core_logarithms(const hone_core_table *t, uint32_t place)
{
    return t->logarithms + (size_t)place * t->column_count;
}

/* A side that is still to be searched: places of the tree. */
typedef struct hone_core_range {
    uint32_t low, high, column; /* column: that splits it */
    uint32_t middle;            /* the place that split it off, searched with it; HONE_CORE_NONE */
    uint64_t bound;             /* no point of them is nearer */
    uint64_t squares[HONE_CORE_COLUMNS]; /* whose sum is the bound */
} hone_core_range;

/* Splits a range until it is a leaf, low to high: each time at the middle into the side that the shape lies on, and the
   other one, which is put on top of the range. Returns the top. */
HONE_CORE_INLINE hone_core_range *
hone_core_descend(const hone_core_search *s, hone_core_range *range, uint32_t *low, uint32_t *high)
{
    hone_core_range *top = range;
    const uint64_t bound = range->bound;
    uint32_t from = range->low, to = range->high, column = range->column, i;
    while (to - from > HONE_CORE_LEAF) {
        hone_core_range *other = top + 1;
        const uint32_t middle = from + (to - from) / 2;
        const int64_t gap = s->logarithms[(size_t)middle * s->columns + column] - s->at[column];
        const uint32_t is_above = 0 - (uint32_t)(gap < 0); /* masks: no branch could be foreseen */
        const uint32_t below = (middle + 1 - from) & is_above, above = (to - middle) & is_above;
        /* NOLINTNEXTLINE: every column has its square, which the analyzer does not see for many columns */
        other->bound = bound - range->squares[column] + hone_core_square(gap);
        other->squares[0] = range->squares[0];
        other->squares[1] = range->squares[1];
        other->squares[2] = range->squares[2];
        for (i = 3; i < s->columns; i++)
            other->squares[i] = range->squares[i];
        other->squares[column] = hone_core_square(gap);
        other->middle = middle;
        other->low = middle + 1 - below, other->high = to - above;
        from += below, to = middle + above;
        column = column + 1 == s->columns ? 0 : column + 1;
        other->column = column;
        top = other;
    }
    *low = from, *high = to;
    return top;
}

/* Adds to the keys that were found those of places that belong in front of the last one. Returns their number. */
HONE_CORE_INLINE uint32_t hone_core_scan(const hone_core_search *s, uint32_t low, uint32_t high,
                                         uint64_t last, uint64_t *found, uint32_t count)
{
    const int32_t *there = s->logarithms + (size_t)low * s->columns;
    for (; low < high; low++, there += s->columns) {
        const uint32_t point = s->tree[low];
        const uint64_t key = hone_core_distance(s->at, there, s->columns) << 16 | point;
        int is_taken = key < last;
        if (s->banned && is_taken) {
            const uint32_t c = s->configurations[point];
            is_taken = !(s->banned[c / 64] >> c % 64 & 1);
        }
        found[count] = key;
        count += (uint32_t)is_taken;
    }
    return count;
}

/* The nearest points of the device whose configurations are not banned (NULL: none is), `most` of them, as keys: the
   distance, and below it in 16 bits the point; UINT64_MAX where there are no more. The points are a tree: the middle one
   of a range splits it by the logarithm of a column, the first at the top and the next one at each step down; what lies
   in front of it is not larger there, what lies behind it not smaller. A side is left out, and the middle one with it,
   where even its nearest corner is farther than all of the list. */
HONE_CORE_INLINE void hone_core_nearest(const hone_core_handle *h, uint32_t columns,
                                        const int64_t *at, const uint64_t *banned, uint64_t *keys,
                                        uint32_t most)
{
    const hone_core_table *t = h->table;
    const hone_core_device *d = &t->devices[h->device];
    hone_core_range left[20], *top = left + 1; /* 65,536 points are split thirteen times */
    uint64_t found[HONE_CORE_LEAF + 1] = {0};
    uint32_t i, low, high, count;
    hone_core_search s;
    s.at = at, s.banned = banned, s.columns = columns;
    s.tree = t->tree + d->first, s.configurations = t->point_configurations + d->first;
    s.logarithms = t->logarithms + (size_t)d->first * columns;
    left[0].bound = top->bound = 0;
    top->low = top->column = 0, top->high = d->count, top->middle = HONE_CORE_NONE;
    for (i = 0; i < columns || i < 3; i++)
        top->squares[i] = 0;
    for (i = 0; i < most; i++)
        keys[i] = UINT64_MAX;
    for (;;) {
        hone_core_range *range;
        while (top->bound > keys[most - 1] >> 16) /* that of left[0] is not */
            top--;
        if (top == left)
            return;
        range = top;
        top = hone_core_descend(&s, range, &low, &high);
        range->bound = UINT64_MAX; /* is done with */
        count = hone_core_scan(&s, low, high, keys[most - 1], found, 0);
        if (range->middle != HONE_CORE_NONE)
            count =
                hone_core_scan(&s, range->middle, range->middle + 1, keys[most - 1], found, count);
        for (i = 0; i < count; i++)
            hone_core_insert(keys, most, found[i]);
    }
}

/* The nearest point whose configuration is valid, into *best: one that is not is banned, and the search is made again. */
HONE_CORE_INLINE void hone_core_nearest_valid(const hone_core_handle *h, uint32_t columns,
                                              const int64_t *at, const hone_core_value *slots,
                                              hone_core_answer *best)
{
    const hone_core_table *t = h->table;
    uint64_t banned[HONE_CORE_CONFIGURATIONS / 64], key;
    int is_any = 0;
    for (;;) {
        hone_core_nearest(h, columns, at, is_any ? banned : NULL, &key, 1);
        if (key == UINT64_MAX)
            return;
        const uint32_t point = t->devices[h->device].first + (uint32_t)(key & 0xffff);
        const uint32_t c = t->point_configurations[point];
        if (hone_core_excluded(t, c, slots) == HONE_CORE_NONE) {
            best->configuration = c, best->point = point;
            return;
        }
        if (!is_any)
            memset(banned, 0, sizeof banned);
        is_any = 1;
        banned[c / 64] |= UINT64_C(1) << c % 64;
    }
}

/* ---- between the points --------------------------------------------------------------------- */

/* 1 and the number of an expression; 0: it has none. */
static inline int hone_core_number(const hone_core_handle *h, uint32_t expression,
                                   const hone_core_value *slots, size_t otherwise, size_t *out)
{
    *out = otherwise;
    if (expression == HONE_CORE_NONE)
        return 1;
    hone_core_value v = h->table->evaluate(h->table->context, expression, slots);
    if (v.kind != HONE_CORE_INT || v.i < 0 || (uint64_t)v.i > SIZE_MAX)
        return 0;
    *out = (size_t)v.i;
    return 1;
}

/* The logarithm of the waves that so many work-groups are. */
static inline int64_t hone_core_waves(int64_t groups, uint32_t resident, int64_t units)
{
    int64_t at_once = resident && units > 0 ? units * resident : 1;
    return hone_core_log2(hone_core_quotient_up(groups, at_once));
}

/* What the near points say of a shape `at`: each with a weight of the fourth power of its nearness, and with how much
   longer a wave takes by the growth of the sizes. */
static inline void hone_core_weigh(const int64_t *slopes, uint32_t columns, const int64_t *at,
                                   hone_core_near *list, uint32_t count)
{
    const uint64_t least = ((list[0].distance >> 20) + 1) << 20;
    uint32_t i, k;
    for (i = 0; i < count; i++) {
        const uint64_t nearness = least / ((list[i].distance >> 20) + 1);
        int64_t shift = 0;
        for (k = 0; k < columns; k++)
            shift += slopes[k] * (at[k] - list[i].logarithms[k]) / 65536;
        list[i].weight = (int64_t)(nearness * nearness >> 20) + 1;
        list[i].shift = shift;
    }
}

/* The logarithm of the time that a wave of the configuration would take, as the near points say; INT64_MAX: it has no
   time at any of them. */
static inline int64_t hone_core_wave_time(uint32_t configuration, const hone_core_near *list,
                                          uint32_t count)
{
    int64_t sum = 0, weights = 0;
    uint32_t i;
    for (i = 0; i < count; i++) {
        const int32_t cost = list[i].costs[configuration];
        if (cost == HONE_CORE_UNTIMED)
            continue;
        sum += (cost + list[i].shift) * list[i].weight;
        weights += list[i].weight;
    }
    return weights ? sum / weights : INT64_MAX;
}

/* Which is the least, of equal ones the first. Masks, because no branch could be foreseen. */
static inline uint32_t hone_core_shortest(const int64_t *times, uint32_t count)
{
    int64_t least = times[0];
    uint32_t i, which = 0;
    for (i = 1; i < count; i++) {
        const uint32_t is_less = 0 - (uint32_t)(times[i] < least);
        which = (which & ~is_less) | (i & is_less);
        least = times[i] < least ? times[i] : least;
    }
    return which;
}

static inline int hone_core_is_shape(const int64_t *a, const int64_t *b, uint32_t columns)
{
    uint32_t i;
    for (i = 0; i < columns && a[i] == b[i]; i++) {
    }
    return i == columns;
}

/* The nearest points by their logarithms, in the order of the distance with hone_core_unlike() added. Returns how many.
   Different large sizes may have one logarithm: 0 is the distance of the shape itself alone. */
HONE_CORE_INLINE uint32_t hone_core_neighbours(const hone_core_handle *h, uint32_t columns,
                                               const int64_t *shape, const int64_t *at,
                                               hone_core_near *list)
{
    const hone_core_table *t = h->table;
    const hone_core_device *d = &t->devices[h->device];
    uint64_t found[HONE_CORE_NEAR], keys[HONE_CORE_NEAR];
    uint32_t i;
    hone_core_nearest(h, columns, at, NULL, found, HONE_CORE_NEAR);
    for (i = 0; i < HONE_CORE_NEAR; i++)
        keys[i] = UINT64_MAX;
    for (i = 0; i < HONE_CORE_NEAR && found[i] != UINT64_MAX; i++) {
        const int64_t *there = t->shapes + (d->first + (size_t)(found[i] & 0xffff)) * columns;
        uint64_t apart = hone_core_unlike(shape, there, columns);
        if (apart == 0 && found[i] >> 16 == 0)
            apart = !hone_core_is_shape(shape, there, columns);
        hone_core_insert(keys, HONE_CORE_NEAR, found[i] + (apart << 16));
    }
    for (i = 0; i < HONE_CORE_NEAR && keys[i] != UINT64_MAX; i++) {
        const uint32_t point = (uint32_t)(keys[i] & 0xffff);
        list[i].point = d->first + point;
        list[i].distance = keys[i] >> 16;
        list[i].logarithms = hone_core_logarithms(t, d->first + t->places[d->first + point]);
        list[i].costs = d->model ? d->model->costs + (size_t)point * t->configuration_count : NULL;
    }
    return i;
}

/* The first of the list whose configuration is valid, into *best. */
HONE_CORE_INLINE void hone_core_first_valid(const hone_core_handle *h, const hone_core_value *slots,
                                            const hone_core_near *list, uint32_t count,
                                            hone_core_answer *best)
{
    uint32_t i, invalid = HONE_CORE_NONE;
    for (i = 0; i < count && best->point == HONE_CORE_NONE; i++) {
        const uint32_t c = h->table->point_configurations[list[i].point];
        if (c == invalid) /* most neighbours have one configuration */
            continue;
        if (hone_core_excluded(h->table, c, slots) == HONE_CORE_NONE)
            best->configuration = c, best->point = list[i].point;
        invalid = c;
    }
}

/* Of the configurations of these points, the nearest first, the valid one with the least predicted time: its waves, each as
   long as the near points say; equal ones: the nearest. None takes less than one wave. A shape that is a point has the
   configuration of that. */
HONE_CORE_INLINE void hone_core_find_predicted(const hone_core_handle *h, uint32_t columns,
                                               const int64_t *at, const hone_core_value *slots,
                                               hone_core_near *list, uint32_t count,
                                               hone_core_answer *best)
{
    const hone_core_table *t = h->table;
    const hone_core_model *model = t->devices[h->device].model;
    uint32_t configurations[HONE_CORE_NEAR];
    int64_t times[HONE_CORE_NEAR], least = INT64_MAX;
    uint32_t i, taken = 0;
    if (count == 0 || list[0].distance == 0)
        return;
    hone_core_weigh(model->slopes, columns, at, list, count);
    for (i = 0; i < count; i++) {
        configurations[i] = t->point_configurations[list[i].point];
        times[i] = hone_core_wave_time(configurations[i], list, count);
    }
    for (;;) {
        const uint32_t which = hone_core_shortest(times, count);
        const uint32_t c = configurations[which];
        int64_t time = times[which];
        size_t groups;
        if (time == INT64_MAX || time > least)
            return;
        for (i = which; i < count; i++) /* is asked once */
            times[i] = configurations[i] == c ? INT64_MAX : times[i];
        if (!hone_core_number(h, model->groups[c], slots, 0, &groups) || groups == 0)
            continue;
        time += hone_core_waves((int64_t)groups, model->resident[c], h->units);
        if (time > least || (time == least && which > taken) ||
            hone_core_excluded(t, c, slots) != HONE_CORE_NONE)
            continue;
        least = time, taken = which;
        best->configuration = c, best->point = list[which].point;
        best->is_predicted = c != configurations[0];
    }
}

/* In a table of so many columns: where their number is a constant, the compiler makes code for it. */
HONE_CORE_INLINE hone_core_answer hone_core_find_among(const hone_core_handle *h, uint32_t columns,
                                                       const int64_t *shape)
{
    const hone_core_device *d = h->device == HONE_CORE_NONE ? NULL : &h->table->devices[h->device];
    hone_core_value slots[HONE_CORE_SLOTS];
    int64_t at[HONE_CORE_COLUMNS] = {0};
    hone_core_answer best;
    uint32_t i;
    memset(&best, 0, sizeof best);
    best.configuration = best.point = HONE_CORE_NONE;
    for (i = 0; i < columns; i++) {
        if (shape[i] < 1)
            return best;
        at[i] = hone_core_log2(shape[i]);
    }
    hone_core_bind(h, shape, slots);
    if (d) {
        hone_core_near list[HONE_CORE_NEAR];
        const uint32_t count = hone_core_neighbours(h, columns, shape, at, list);
        if (d->model)
            hone_core_find_predicted(h, columns, at, slots, list, count, &best);
        if (best.point == HONE_CORE_NONE)
            hone_core_first_valid(h, slots, list, count, &best);
        if (best.point == HONE_CORE_NONE)
            hone_core_nearest_valid(h, columns, at, slots, &best);
    }
    if (best.point == HONE_CORE_NONE && d &&
        hone_core_excluded(h->table, d->fallback, slots) == HONE_CORE_NONE)
        best.configuration = d->fallback;
    if (best.configuration == HONE_CORE_NONE &&
        hone_core_excluded(h->table, h->table->fallback, slots) == HONE_CORE_NONE)
        best.configuration = h->table->fallback;
    return best;
}

/* Likewise, where the compiler does not know the table. */
static inline hone_core_answer hone_core_find(const hone_core_handle *h, const int64_t *shape)
{
    return h->table->column_count == 3   ? hone_core_find_among(h, 3, shape)
           : h->table->column_count == 2 ? hone_core_find_among(h, 2, shape)
                                         : hone_core_find_among(h, h->table->column_count, shape);
}

/* ---- texts ---------------------------------------------------------------------------------- */

/* As snprintf(): what does not fit is left out, the text always ends, and `length` is that of the whole. */
typedef struct hone_core_text {
    char *out;
    size_t size, length;
} hone_core_text;

static inline void hone_core_put(hone_core_text *t, const char *s)
{
    for (; *s; s++, t->length++) {
        if (t->length + 1 < t->size)
            t->out[t->length] = *s;
    }
    if (t->size)
        t->out[t->length < t->size ? t->length : t->size - 1] = 0;
}

static inline void hone_core_put_int(hone_core_text *t, int64_t i)
{
    char digits[24];
    int at = 23;
    uint64_t rest = hone_core_magnitude(i);
    digits[at] = 0;
    do
        digits[--at] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (i < 0)
        digits[--at] = '-';
    hone_core_put(t, digits + at);
}

static inline void hone_core_put_reason(const hone_core_handle *h, const hone_core_answer *found,
                                        const int64_t *shape, const hone_core_value *slots,
                                        hone_core_text *text)
{
    const hone_core_table *t = h->table;
    const hone_core_configuration *c = &t->configurations[t->fallback];
    uint32_t i;
    if (found->configuration == HONE_CORE_NONE) {
        uint32_t which = hone_core_excluded(t, t->fallback, slots);
        hone_core_put(text, "no configuration is valid: ");
        hone_core_put(text,
                      which == HONE_CORE_NONE ? "a size is below 1" : c->restrictions[which].text);
        return;
    }
    if (h->device != HONE_CORE_NONE && h->reach != HONE_CORE_MEASURED) {
        hone_core_put(text, "device ");
        hone_core_put(text, *h->asked ? h->asked : "(unnamed)");
        hone_core_put(text, " not measured; took ");
        hone_core_put(text, t->devices[h->device].name);
        hone_core_put(text, h->reach == HONE_CORE_ARCHITECTURE ? " (same architecture); "
                                                               : " (same vendor); ");
    }
    if (found->point == HONE_CORE_NONE) {
        hone_core_put(text, h->device != HONE_CORE_NONE
                                ? "default: no measured configuration is valid here"
                                : "default: device ");
        if (h->device == HONE_CORE_NONE)
            hone_core_put(text, *h->asked ? h->asked : "(unnamed)"),
                hone_core_put(text, " not measured");
    } else if (hone_core_is_shape(t->shapes + (size_t)found->point * t->column_count, shape,
                                  t->column_count)) {
        hone_core_put(text, "measured here");
    } else {
        hone_core_put(text, found->is_predicted ? "by waves of work-groups, from " : "nearest of ");
        hone_core_put_int(text, t->devices[h->device].count);
        hone_core_put(text,
                      found->is_predicted ? " measured shapes: as at " : " measured shapes: ");
        for (i = 0; i < t->column_count; i++) {
            hone_core_put(text, i ? "," : "");
            hone_core_put(text, t->columns[i]);
            hone_core_put(text, "=");
            hone_core_put_int(text, t->shapes[(size_t)found->point * t->column_count + i]);
        }
    }
}

/* The reason of an answer. Returns its whole length, as snprintf() does; `out` may be NULL with a size of 0. */
static inline size_t hone_core_why(const hone_core_handle *h, const int64_t *shape, char *out,
                                   size_t size)
{
    hone_core_value slots[HONE_CORE_SLOTS];
    hone_core_text text;
    hone_core_answer found = hone_core_find_among(h, h->table->column_count, shape);
    text.out = out, text.size = size, text.length = 0;
    hone_core_bind(h, shape, slots);
    hone_core_put_reason(h, &found, shape, slots, &text);
    return text.length;
}

/* ---- a configuration at a shape -------------------------------------------------------------- */

/* The -D options for a compiler, separated by blanks: those of the configuration, then those of the shape. 0 and "" where
   one of them has no value. */
static inline size_t hone_core_options(const hone_core_handle *h, uint32_t configuration,
                                       const int64_t *shape, char *out, size_t size)
{
    const hone_core_configuration *c = &h->table->configurations[configuration];
    hone_core_value slots[HONE_CORE_SLOTS];
    hone_core_text text;
    uint32_t i;
    text.out = out, text.size = size, text.length = 0;
    hone_core_bind(h, shape, slots);
    hone_core_put(&text, c->options);
    for (i = 0; i < c->define_count; i++) {
        hone_core_value v = h->table->evaluate(h->table->context, c->defines[i].expression, slots);
        if (v.kind != HONE_CORE_INT) {
            if (size)
                out[0] = 0;
            return 0;
        }
        hone_core_put(&text, text.length ? " -D" : "-D");
        hone_core_put(&text, c->defines[i].text);
        hone_core_put(&text, "=");
        hone_core_put_int(&text, v.i);
    }
    return text.length;
}

/* What the PTX that the driver makes of the kernel is rewritten for before it is loaded ("sm_90a"); NULL: nothing. */
static inline const char *hone_core_target(const hone_core_handle *h, uint32_t configuration,
                                           const int64_t *shape)
{
    const hone_core_configuration *c = &h->table->configurations[configuration];
    hone_core_value slots[HONE_CORE_SLOTS], wanted = hone_core_int(1);
    hone_core_bind(h, shape, slots);
    if (c->target && c->retarget != HONE_CORE_NONE)
        wanted = h->table->evaluate(h->table->context, c->retarget, slots);
    return wanted.kind == HONE_CORE_INT && wanted.i ? c->target : NULL;
}

/* What a launch is given: `grid` counts work-groups (blocks), `global` work-items (threads). */
typedef struct hone_deployed_launch {
    const char *kernel;
    uint32_t dimensions;
    int has_local; /* 0: the driver chooses the work-group, and `local` and `grid` are 0 */
    size_t global[3], local[3], grid[3];
    size_t local_memory; /* bytes that the launch asks for, in CUDA */
    uint32_t argument_count;
    const uint32_t *arguments; /* their numbers, in the kernel's order */
} hone_deployed_launch;

/* 1: *out is launch `index` of the configuration. 0: it is left out at this shape. -1: one of its sizes has no value,
   or there is no such launch. */
static inline int hone_core_launch_at(const hone_core_handle *h, uint32_t configuration,
                                      uint32_t index, const int64_t *shape,
                                      hone_deployed_launch *out)
{
    const hone_core_configuration *c = &h->table->configurations[configuration];
    hone_core_value slots[HONE_CORE_SLOTS];
    size_t wanted;
    uint32_t i;
    int ok;
    memset(out, 0, sizeof *out);
    if (index >= c->launch_count)
        return -1;
    const hone_core_launch *l = &c->launches[index];
    hone_core_bind(h, shape, slots);
    if (!hone_core_number(h, l->when, slots, 1, &wanted))
        return -1;
    if (!wanted)
        return 0;
    out->kernel = l->kernel, out->dimensions = l->dimensions;
    out->argument_count = l->argument_count, out->arguments = l->arguments;
    out->has_local = l->local[0] != HONE_CORE_NONE;
    ok = hone_core_number(h, l->local_memory, slots, 0, &out->local_memory);
    for (i = 0; i < 3 && ok; i++) {
        ok = hone_core_number(h, l->global[i], slots, 1, &out->global[i]) &&
             hone_core_number(h, l->local[i], slots, 0, &out->local[i]);
        if (ok && out->local[i])
            out->grid[i] = out->global[i] / out->local[i];
    }
    return ok ? 1 : -1;
}

/* Bytes of an argument's buffer, or of its local memory; -1: it has no value, or it is a scalar. */
static inline int64_t hone_core_bytes(const hone_core_handle *h, uint32_t configuration,
                                      uint32_t argument, const int64_t *shape)
{
    hone_core_value slots[HONE_CORE_SLOTS];
    if (argument >= h->table->argument_count)
        return -1;
    uint32_t expression = h->table->configurations[configuration].bytes[argument];
    if (expression == HONE_CORE_NONE)
        return -1;
    hone_core_bind(h, shape, slots);
    hone_core_value v = h->table->evaluate(h->table->context, expression, slots);
    return v.kind == HONE_CORE_INT ? v.i : -1;
}

#endif
