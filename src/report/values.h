// Values of a spec as JSON.
#pragma once

#include "base/emit.h"
#include "problem/spec.h"

// {"WIDTH": 256, ...}, of a struct spec (FIELD_PUT).
void emit_constants(const void *spec, const void *context, struct emit *j);
// The same in memory of its own; NULL: out of memory.
char *constants_to_json(const struct spec *s);
// "int", "bool", ...
const char *parameter_type_text(enum parameter_type t);
