// The names that expressions may use besides those of the spec. Private to src/core/problem.
#pragma once

#include "expr/expr.h"
#include "model/device_info.h"

#define FACT_LANGUAGE_INDEX 0 // of the fact "language"

uint32_t fact_count(void);
const char *fact_name(uint32_t index);
// 0 or "" without a device.
struct value fact_value(uint32_t index, const struct device_info *device);

// X(NAME, name in expressions)
#define SPECIALS(X)                                                                                \
    X(PROBLEM_SIZE, "ProblemSize") /* KernelSpecification.ProblemSize, a list */                   \
    X(PASS, "pass")                /* of launches that repeat, as is the next: which, from 0 */    \
    X(STEP, "step")                                                                                \
    X(TIME_NS, "time_ns") /* in metrics only, as those below */                                    \
    X(TIME_MS, "time_ms")                                                                          \
    X(TIME_S, "time_s")                                                                            \
    X(JOULE, "joule")

enum special {
#define X(name, text) SPECIAL_##name,
    SPECIALS(X)
#undef X
        SPECIAL_COUNT
};

const char *special_name(enum special s);
