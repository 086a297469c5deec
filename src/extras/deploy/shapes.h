// The shapes of an application, from a CSV file: a line of names, then a line for each shape.
//
//   M,N,K,weight
//   4096,4096,4096,10
//   1,4096,4096,250
//
// Columns are named as constants of the spec; "weight" (or "count") is how often the shape is asked for, 1 where there is
// no such column, and where the spec has no constant of that name. Cells may be quoted; blank lines, and those that begin with '#', count for nothing. A shape that comes
// again adds its weight.
#pragma once

#include "base/arena.h"
#include "base/error.h"

#include "problem/spec.h"

#include <stdint.h>

#define SHAPES_MOST   4096
#define SHAPE_COLUMNS 16

struct shapes {
    const char *const *columns; // without the weight
    uint32_t column_count;      // 1 or more
    const int64_t *sizes;       // [shape * column_count + column], 1 or more
    const double *weights;
    uint32_t count; // 1 or more
};

// Everything is in the arena. The error says the file's `name`, the line, and what would be right.
bool shapes_parse(const char *text, size_t length, const char *name, const struct spec *spec,
                  struct arena *a, struct shapes *out, struct error *e);
