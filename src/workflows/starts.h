// The configurations that a search begins with because the user says so (--start-with, the spec's StartWith).
#ifndef HONE_WORKFLOWS_STARTS_H
#define HONE_WORKFLOWS_STARTS_H

#include "base/arena.h"
#include "base/log.h"
#include "space/space.h"

// "a=1,b=2", ..., a parameter that is not named having its default, as indices of the space, each of them once, in the
// arena. False: one of them is none of the space, and the error says what excludes it. Of a part of a space (--part)
// those of the other parts are left out, and `log` (optional) is told.
bool starts_find(const struct space *space, const char *const *texts, uint32_t count,
                 struct arena *a, const struct log *log, const uint64_t **out, uint32_t *found,
                 struct error *e);

#endif
