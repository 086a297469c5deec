// Numbers as people read them. `out` has at least 32 bytes.
#pragma once

#include "base/text.h"

#include <stddef.h>
#include <stdint.h>

#define UNITS_SIZE 32

// Four significant digits, an exponent only where there is no other way: "4.143", "153000".
void number_to_str(double value, char *out);
// 49152 -> "48 KiB".
void bytes_to_str(uint64_t bytes, char *out);
// How long something takes, to plan by: "0 s", "12 s", "3 min 5 s", "2 h 10 min".
void span_to_str(uint64_t ns, char *out);
// "1 round", "2 rounds".
void put_count(uint64_t count, const char *noun, struct text *out);
// "1 of 1 round", "1 of 2 rounds".
void put_share(uint64_t part, uint64_t whole, const char *noun, struct text *out);
// "[1.021 .. 1.047]", of a mere range "(1.021 .. 1.047)".
void put_range(double low, double high, int decimals, bool is_interval, struct text *out);
// The bytes of a line that are in its first `width` columns.
size_t bytes_in_columns(const char *line, size_t length, size_t width);
// The columns that a text takes on a terminal, each character one (UTF-8).
size_t columns(const char *text);
