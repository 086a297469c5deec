// The configurations that a search begins with because the user says so (--start-with, the spec's StartWith).
#pragma once

#include "base/arena.h"
#include "base/log.h"
#include "space/space.h"

// Reads "a=1,b=2", ..., with defaults for parameters that are not named, as indices of the space,
// each once, in the arena. False: one of them is not in the space, and the error names what
// excludes it. In a part of a space (--part), configurations of other parts are left out, and `log`
// (optional) says so.
bool starts_find(const struct space *space, const char *const *texts, uint32_t count,
                 struct arena *a, const struct log *log, const uint64_t **out, uint32_t *found,
                 struct error *e);
