// Exact 64-bit integer arithmetic with Python's meaning: floor division, modulo with the divisor's
// sign, and a fault instead of a wrap. One source for the evaluator and for compiled restrictions,
// inline because the latter run millions of times a second.
#pragma once

#include "expr/expr.h"
#include "expr/operate.h"

// 64-bit integers of either sign are added and multiplied in these.
__extension__ typedef __int128 wide_integer;

// Integers up to here have an exact double, and so has every integer between.
#define EXACT_IN_DOUBLE (INT64_C(1) << 53)

static inline enum expr_fault integer_add(int64_t a, int64_t b, int64_t *out)
{
    return __builtin_add_overflow(a, b, out) ? EXPR_FAULT_OVERFLOW : EXPR_FAULT_NONE;
}

// The greatest one.
static inline uint64_t integer_common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static inline enum expr_fault integer_sub(int64_t a, int64_t b, int64_t *out)
{
    return __builtin_sub_overflow(a, b, out) ? EXPR_FAULT_OVERFLOW : EXPR_FAULT_NONE;
}

static inline enum expr_fault integer_mul(int64_t a, int64_t b, int64_t *out)
{
    return __builtin_mul_overflow(a, b, out) ? EXPR_FAULT_OVERFLOW : EXPR_FAULT_NONE;
}

// Both in [0, 2^32): the hardware divides such numbers several times faster, and nearly all
// parameters are such numbers.
static inline bool integer_small(int64_t a, int64_t b)
{
    return (((uint64_t)a | (uint64_t)b) >> 32) == 0;
}

static inline enum expr_fault integer_floordiv(int64_t a, int64_t b, int64_t *out)
{
    if (b == 0)
        return EXPR_FAULT_ZERO;
    if (integer_small(a, b)) {
        *out = (uint32_t)a / (uint32_t)b;
        return EXPR_FAULT_NONE;
    }
    if (b == -1)
        return integer_sub(0, a, out);
    *out = a / b - (a % b != 0 && (a < 0) != (b < 0));
    return EXPR_FAULT_NONE;
}

static inline enum expr_fault integer_mod(int64_t a, int64_t b, int64_t *out)
{
    if (b == 0)
        return EXPR_FAULT_ZERO;
    if (integer_small(a, b)) {
        *out = (uint32_t)a % (uint32_t)b;
        return EXPR_FAULT_NONE;
    }
    if (b == -1) { // INT64_MIN % -1 is undefined in C
        *out = 0;
        return EXPR_FAULT_NONE;
    }
    int64_t rest = a % b;
    *out = rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    return EXPR_FAULT_NONE;
}

// The exponent is not negative.
static inline enum expr_fault integer_pow(int64_t base, int64_t exponent, int64_t *out)
{
    int64_t result = 1;
    while (exponent > 0) {
        if ((exponent & 1) && __builtin_mul_overflow(result, base, &result))
            return EXPR_FAULT_OVERFLOW;
        exponent >>= 1;
        if (exponent > 0 && __builtin_mul_overflow(base, base, &base))
            return EXPR_FAULT_OVERFLOW;
    }
    *out = result;
    return EXPR_FAULT_NONE;
}

static inline enum expr_fault integer_shl(int64_t a, int64_t count, int64_t *out)
{
    if (count < 0)
        return EXPR_FAULT_DOMAIN;
    *out = 0;
    if (a == 0)
        return EXPR_FAULT_NONE;
    if (count > 62)
        return a == -1 && count == 63 ? (*out = INT64_MIN, EXPR_FAULT_NONE) : EXPR_FAULT_OVERFLOW;
    return integer_mul(a, INT64_C(1) << count, out);
}

static inline enum expr_fault integer_shr(int64_t a, int64_t count, int64_t *out)
{
    if (count < 0)
        return EXPR_FAULT_DOMAIN;
    *out = a >> (count > 63 ? 63 : count); // arithmetic on every compiler we build with
    return EXPR_FAULT_NONE;
}

static inline enum expr_fault integer_and(int64_t a, int64_t b, int64_t *out)
{
    *out = a & b;
    return EXPR_FAULT_NONE;
}

static inline enum expr_fault integer_or(int64_t a, int64_t b, int64_t *out)
{
    *out = a | b;
    return EXPR_FAULT_NONE;
}

static inline enum expr_fault integer_xor(int64_t a, int64_t b, int64_t *out)
{
    *out = a ^ b;
    return EXPR_FAULT_NONE;
}

static inline enum expr_fault integer_min(int64_t a, int64_t b, int64_t *out)
{
    *out = b < a ? b : a;
    return EXPR_FAULT_NONE;
}

static inline enum expr_fault integer_max(int64_t a, int64_t b, int64_t *out)
{
    *out = b > a ? b : a;
    return EXPR_FAULT_NONE;
}

// a OP b of integers from -2^63 to 2^64 - 1, exact; OVERFLOW where 128 bits do not hold it, TYPE for `/`.
static inline enum expr_fault integer_wide(enum operator_code op, wide_integer a, wide_integer b,
                                           wide_integer *out)
{
    wide_integer power = 1;
    *out = 0;
    switch (op) {
    case OPERATOR_OR:
        *out = a | b;
        return EXPR_FAULT_NONE;
    case OPERATOR_XOR:
        *out = a ^ b;
        return EXPR_FAULT_NONE;
    case OPERATOR_AND:
        *out = a & b;
        return EXPR_FAULT_NONE;
    case OPERATOR_SHL:
        if (b < 0)
            return EXPR_FAULT_DOMAIN;
        if (a != 0 && b > 126)
            return EXPR_FAULT_OVERFLOW;
        return a == 0 || !__builtin_mul_overflow(a, (wide_integer)1 << (int)b, out)
                   ? EXPR_FAULT_NONE
                   : EXPR_FAULT_OVERFLOW;
    case OPERATOR_SHR:
        *out = a >> (int)(b > 127 ? 127 : b < 0 ? 0 : b);
        return b < 0 ? EXPR_FAULT_DOMAIN : EXPR_FAULT_NONE;
    case OPERATOR_ADD:
        *out = a + b;
        return EXPR_FAULT_NONE;
    case OPERATOR_SUB:
        *out = a - b;
        return EXPR_FAULT_NONE;
    case OPERATOR_MUL:
        return __builtin_mul_overflow(a, b, out) ? EXPR_FAULT_OVERFLOW : EXPR_FAULT_NONE;
    case OPERATOR_FLOORDIV:
    case OPERATOR_MOD:
        if (b == 0)
            return EXPR_FAULT_ZERO;
        *out = a % b;
        if (*out != 0 && (*out < 0) != (b < 0))
            *out += b;
        if (op == OPERATOR_FLOORDIV)
            *out = (a - *out) / b;
        return EXPR_FAULT_NONE;
    case OPERATOR_POW:
        if (a >= -1 && a <= 1)
            b = b == 0 ? 0 : b % 2 == 0 ? 2 : 1;
        for (; b > 0; b--) // at most 127 times
            if (__builtin_mul_overflow(power, a, &power))
                return EXPR_FAULT_OVERFLOW;
        *out = power;
        return EXPR_FAULT_NONE;
    default:
        return EXPR_FAULT_TYPE;
    }
}
