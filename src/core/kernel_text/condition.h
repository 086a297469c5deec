// The value of a preprocessor condition when only some macros are known.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum truth { TRUTH_NO, TRUTH_YES, TRUTH_UNKNOWN };

// The scanner's knowledge of a macro.
struct macro_fact {
    bool defined; // surely
    bool has_value;
    int64_t value;
    bool absent; // surely not defined; if neither is set, it is unknown
    bool is_own; // by the source: its text, if it is not known, is an operand like any other
};

typedef struct macro_fact (*macro_lookup)(void *context, const char *name, size_t length);

// UNKNOWN too for every text that is not a plain integer expression.
enum truth condition_test(const char *text, macro_lookup lookup, void *context);
