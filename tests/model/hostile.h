// Hands a decoder damaged bytes. What it accepts must encode to exactly the bytes it was given: no
// two encodings of one thing, so no two keys. Every attempt gets a heap block of its exact length,
// for a sanitizer to see the first byte read beyond it.
#ifndef HONE_TESTS_JOB_HOSTILE_H
#define HONE_TESTS_JOB_HOSTILE_H

#include "base/text.h"

// Decodes; when the bytes are accepted, appends their encoding and returns true.
typedef bool hostile_decoder(const void *data, size_t length, struct text *again);

// Every proper prefix is refused.
void hostile_truncations(hostile_decoder *decode, const struct text *good);
// Every byte set to 0xff, and every four bytes to numbers that overflow what they are used for.
void hostile_numbers(hostile_decoder *decode, const struct text *good);
// `rounds` times one to four random bytes changed.
void hostile_flips(hostile_decoder *decode, const struct text *good, unsigned rounds);

#endif
