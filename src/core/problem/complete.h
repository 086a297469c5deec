// A spec in the short form, completed by what its kernels' text says. Private to src/core/problem.
#pragma once

#include "problem/sources.h"

// The same spec in the T1 form, with its constants as they are; `texts` are those in its own
// language. NULL with a reason that names the path in the short form, and not the file. `log`: for
// messages held back when `s` was read.
struct spec *spec_complete(const struct spec *s, const struct spec_sources *texts,
                           const struct log *log, struct error *e);

// Applies the spec_hold_against() of `from`, if any, to `to` (read_expect.c).
bool spec_hold_again(const struct spec *from, struct spec *to, struct error *e);
