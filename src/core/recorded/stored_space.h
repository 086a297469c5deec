// Choosing among the recorded spaces of a store (stored_spaces()).
#pragma once

#include "base/text.h"
#include "store/query/query.h"

// Keeps those whose device or platform has `wanted` in its name, case ignored; where a device is
// called so exactly, or its newest result is from the card with this UUID or PCI address, these alone.
// Returns how many are left.
size_t stored_spaces_keep(struct stored_space *spaces, size_t count, const char *wanted);

// Leaves out what commands keep beside a spec's own results, under "NAME (deploy)" and the like, if those of NAME are there.
size_t stored_spaces_own(struct stored_space *spaces, size_t count);

// "  matmul (WIDTH=256) on H200, NVIDIA CUDA, opencl: 17 results": a line each, at most 20 of them.
void stored_spaces_list(const struct stored_space *spaces, size_t count, struct text *out);
