// Expressions as bounded postfix programs: what a `.hone` file holds, and what hone compiles them to. A program is
// checked once, when it is read (known_program_check()); running it then needs no test, and ends after as many steps as
// it has, because jumps go forward only.
#pragma once

#include "known/known_core.h"

#include <stdbool.h>

enum {
    KNOWN_STEPS_MOST = 4096, // of one program
    KNOWN_STACK_MOST = 64,
};

// The operators of known_core.h, and besides these. X(NAME, how it begins in a .hone file). A jump names the step that
// it goes to, counted from 0.
#define KNOWN_STEPS(X)                                                                             \
    X(PUSH, "#")   /* an integer */                                                                \
    X(REAL, "~")   /* a double, by its sixteen hexadecimal digits */                               \
    X(SLOT, "$")   /* a column or a fact of the device, by its number */                           \
    X(AND, "&&")   /* jumps where the top is false, and drops it where it is true */               \
    X(OR, "||")    /* likewise, where it is true */                                                \
    X(UNLESS, "?") /* drops the top, and jumps where it was false */                               \
    X(JUMP, "@")

enum known_step_code {
    KNOWN_STEP_FIRST = HONE_CORE_OPERATOR_COUNT - 1,
#define X(name, word) KNOWN_STEP_##name,
    KNOWN_STEPS(X)
#undef X
        KNOWN_STEP_COUNT
};

struct known_step {
    int64_t i; // PUSH; SLOT: which; jumps: where to
    double f;  // REAL
    int code;  // an operator, or one of those above
};

static inline int known_step_operands(int code)
{
    static const signed char operands[] = {
#define HONE_CORE_ENTRY(name, word, count) count,
        HONE_CORE_OPERATORS(HONE_CORE_ENTRY)
#undef HONE_CORE_ENTRY
    };
    return code >= 0 && code < HONE_CORE_OPERATOR_COUNT ? operands[code] : 0;
}

// The greatest depth of its stack, or 0 if it is not a valid program: an unknown step, a missing
// slot, an operator without operands, a jump backwards or out of it, or to a place reached with
// another depth, or a result other than one value.
uint32_t known_program_check(const struct known_step *steps, uint32_t count, uint32_t slots);
// Runs a program that was checked.
hone_core_value known_program_run(const struct known_step *steps, uint32_t count,
                                  const hone_core_value *slots);

// FNV-1a, 64 bits: tells a damaged file, not a forged one.
static inline uint64_t known_checksum(const char *bytes, size_t length)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++)
        sum = (sum ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return sum;
}
