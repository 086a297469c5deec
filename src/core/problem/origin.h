// Where the parts of an expanded document stand in the text that its writer sees. Private to src/core/problem.
#pragma once

#include "base/arena.h"

#include <jansson.h>
#include <stdbool.h>

struct origins;

// Both live in the arena; NULL and false without memory.
struct origins *origins_new(struct arena *a);
// The path of an object's member, or with `key` NULL of a list's item. The container lives as long as it is asked for.
bool origin_note(struct origins *o, const json_t *container, const char *key, size_t index,
                 const char *path);
// NULL: nothing was noted.
const char *origin_find(const struct origins *o, const json_t *container, const char *key,
                        size_t index);
// The object stands in the writer's text as it is: its keys are not called otherwise there.
bool origin_note_verbatim(struct origins *o, const json_t *container);
bool origin_is_verbatim(const struct origins *o, const json_t *container);
