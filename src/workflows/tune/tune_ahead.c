// A configuration whose text a generator prints waits here between the question for it and its job, so that generators run
// beside the builds, and several at once. The order of jobs is that of the questions: the same seed asks the same.
#include "workflows/tune/tune_inside.h"

#include "base/array.h"
#include "problem/spec.h"

#include <string.h>

void tune_ahead_init(struct tune *t)
{
    t->ahead = !t->o.replay && spec_generates(t->subject.sources) ? t->builders : 0;
}

size_t tune_room(const struct tune *t)
{
    const size_t room = evaluator_room(t->w.evaluator) + t->ahead;
    return room > t->making_count ? room - t->making_count : 0;
}

bool tune_ahead_defers(struct tune *t, struct tune_item *n, struct error *e)
{
    if (t->ahead == 0)
        return false;
    if (ARRAY_ROOM(t->making, t->making_room, t->making_count + 1))
        t->making[t->making_count++] = n;
    else
        error_memory(e);
    return true;
}

bool tune_is_making(const struct tune *t, const struct tune_item *n)
{
    for (size_t i = 0; i < t->making_count; i++) {
        if (t->making[i] == n)
            return true;
    }
    return false;
}

// Begins it, or takes what it printed: a pipe that is full holds a generator up.
static bool is_generated(const struct tune *t, const struct tune_item *n)
{
    return spec_texts_are_made(t->subject.sources, t->o.setup.device, n->record.choice);
}

bool tune_ahead_step(struct tune *t, struct error *e)
{
    if (t->making_count > 0 && t->items.is_ended) {
        t->making_count = 0;
        spec_texts_drop(t->subject.sources);
    }
    while (t->making_count > 0) {
        struct tune_item *first = t->making[0];
        bool is_first = false;
        for (size_t i = 0; i < t->making_count && i < t->ahead; i++)
            is_first |= is_generated(t, t->making[i]) && i == 0;
        if (!is_first || evaluator_room(t->w.evaluator) == 0)
            return true;
        memmove(t->making, t->making + 1, --t->making_count * sizeof(struct tune_item *));
        if (!tune_submit_item(t, first, e))
            return false;
    }
    return true;
}
