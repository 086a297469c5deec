// The peak rates that `hone peak` measured on a device: plain structs. Rates are in flop/s and
// bytes/s.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// X(NAME, name in the store and in JSON, what it is)
#define PEAK_LIMITS(X)                                                                             \
    X(FP32, "fp32", "fp32 arithmetic")                                                             \
    X(READ, "memory_read", "memory, read")                                                         \
    X(COPY, "memory_copy", "memory, copied")                                                       \
    X(LOCAL, "local", "local memory, read")

enum peak_limit {
#define X(name, text, title) PEAK_##name,
    PEAK_LIMITS(X)
#undef X
        PEAK_COUNT
};

struct peak_rate {
    bool known;
    double median, low, high;  // a second; low and high are those of the median's interval
    bool interval;             // low .. high is a 95 % interval, not just the range
    uint32_t rounds;           // launches that it is the median of
    const char *configuration; // of the kernel that reached it: "width=16, chains=12, ..."
    const char *date;          // ISO 8601, UTC; NULL: just now
    const char *why;           // it is not known, where that is known; else NULL
};

struct peak {
    struct peak_rate rates[PEAK_COUNT];
};

const char *peak_limit_text(enum peak_limit limit);
const char *peak_limit_title(enum peak_limit limit);
// False when `text` names none.
bool peak_limit_parse(const char *text, enum peak_limit *out);
// Is any of the limits known?
bool peak_is_known(const struct peak *p);
