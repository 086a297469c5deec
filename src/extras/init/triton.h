// Reads what Triton keeps of a kernel that it has compiled, NAME.json with NAME.ptx beside it, and writes a spec of it. Neither
// says the grid or the elements' types: both are guesses, and said.
#pragma once

#include "base/error.h"
#include "base/text.h"

// `ptx` is the PTX's file as the spec names it; `grid` are the words of -D, of which GRID_X=128 and the like are taken.
struct triton_input {
    const char *path; // NAME.json
    const char *ptx;
    const char *const *defines;
    size_t define_count;
};
bool triton_spec(const struct triton_input *in, struct text *out, struct text *open,
                 struct error *e);
