// JSON as people write it: with comments (//, /* */, #) and a comma behind the last item. Private to src/core/problem.
#pragma once

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

// NULL where it cannot be read; the error begins with `name` and line and column of the text as it stands: "a.json:7:5: ".
// `strict`: plain JSON alone; else T1 in other shapes has become T1 (respell.h).
json_t *relaxed_json_parse(const char *name, const char *text, size_t length, bool strict,
                           struct error *e);
