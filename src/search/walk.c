// A walk over the whole space: the default configuration, then every other one in the given order
// of positions.
#include "search/walk.h"

void walk_init(struct walk *w, const struct space *sp)
{
    *w = (struct walk){.count = space_count(sp)};
    w->has_initial = space_default(sp, &w->initial);
}

static bool step_walk(struct walk *w, walk_order *order, const void *data, uint64_t *out)
{
    if (w->has_initial && !w->gave_initial) {
        w->gave_initial = true;
        *out = w->initial;
        return true;
    }
    while (w->next < w->count) {
        uint64_t position = w->next++;
        *out = order ? order(data, position) : position;
        if (!w->has_initial || *out != w->initial)
            return true;
    }
    return false;
}

size_t walk_ask(struct walk *w, walk_order *order, const void *data, uint64_t *out, size_t capacity)
{
    size_t asked = 0;
    while (asked < capacity && step_walk(w, order, data, &out[asked]))
        asked++;
    return asked;
}
