// NumPy's array files (.npy, format version 1.0): what hone writes.
#pragma once

#include "base/text.h"
#include "model/job.h"

// Adds a one-dimensional array of `count` elements whose bytes are `data` (as a buffer holds them,
// little-endian). A vector type is a second axis ("float4": count rows of 4; a 3-vector's rows have
// 4 columns, the last one padding); a custom type is raw bytes ("V12"). False when `length` is not
// count elements.
bool npy_write(const struct element *el, uint64_t count, const void *data, size_t length,
               struct text *out, struct error *e);

// The header alone, which the elements follow as a buffer holds them.
bool npy_header(const struct element *el, uint64_t count, struct text *out, struct error *e);
