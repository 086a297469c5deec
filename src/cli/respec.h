// A spec read again with the constants that a stored result was measured with.
#pragma once

#include "problem/spec.h"

// `constants` as the store has them: "WIDTH=256, TEXT='x, y'". NULL where the spec does not know
// them any more, or cannot be read; the error says so.
struct spec *respec(const char *path, const char *constants, const struct log *log,
                    struct error *e);
// The same of a spec's text, as a store keeps it; `name` stands for the file's.
struct spec *respec_text(const char *text, size_t length, const char *name, const char *constants,
                         const struct log *log, struct error *e);
