// SHA-256 (FIPS 180-4), for keys of jobs and recipes. Written here because the seventy lines of a
// published standard with known answers are less to keep than a dependency.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct digest {
    uint8_t bytes[32];
};

struct digest_state {
    uint32_t h[8];
    uint64_t length; // bytes so far
    uint8_t block[64];
    bool is_plain; // (tests) the processor's own instructions are left alone
};

void digest_start(struct digest_state *s);
void digest_add(struct digest_state *s, const void *data, size_t length);
void digest_finish(struct digest_state *s, struct digest *out);
void digest_of(const void *data, size_t length, struct digest *out);

bool digest_equal(const struct digest *a, const struct digest *b);
// 64 lowercase hexadecimal digits and a NUL.
void digest_hex(const struct digest *d, char out[65]);
bool digest_parse(const char *hex, struct digest *out);
