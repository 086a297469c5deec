// A walk over the whole space: the starts and the default configuration, then every other one in the
// given order of positions.
#include "search/walk.h"

static bool is_start(const struct walk *w, uint64_t index)
{
    for (uint32_t i = 0; i < w->start_count; i++) {
        if (w->starts[i] == index)
            return true;
    }
    return false;
}

void walk_init(struct walk *w, const struct space *sp, const uint64_t *starts, uint32_t start_count)
{
    *w = (struct walk){.count = space_count(sp), .starts = starts, .start_count = start_count};
    w->has_initial = space_default(sp, &w->initial) && !is_start(w, w->initial);
}

bool walk_is_beginning(const struct walk *w)
{
    return w->given < w->start_count + w->has_initial;
}

static bool step_walk(struct walk *w, walk_order *order, const void *data, uint64_t *out)
{
    if (walk_is_beginning(w)) {
        *out = w->given < w->start_count ? w->starts[w->given] : w->initial;
        w->given++;
        return true;
    }
    while (w->next < w->count) {
        uint64_t position = w->next++;
        *out = order ? order(data, position) : position;
        if (!(w->has_initial && *out == w->initial) && !is_start(w, *out))
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
