// A configuration whose text a generator prints waits here between the question for it and its job, so that generators run
// beside the builds, and several at once. The order of jobs is that of the questions: the same seed asks the same.
#include "problem/spec.h"
#include "workflows/tune/tune_inside.h"

#include <string.h>

void tune_ahead_init(struct tune *t)
{
    uint32_t most = t->builders < TUNE_AHEAD_MOST ? t->builders : TUNE_AHEAD_MOST;
    t->ahead = !t->o.replay && spec_generates(t->subject.sources) ? most : 0;
}

size_t tune_room(const struct tune *t)
{
    return evaluator_room(t->w.evaluator) + t->ahead - t->making_count;
}

static bool is_generated(const struct tune *t, const struct tune_item *n)
{
    return spec_texts_are_made(t->subject.sources, t->o.setup.device, n->record.choice);
}

bool tune_ahead_defers(struct tune *t, struct tune_item *n)
{
    if (t->making_count >= t->ahead)
        return false;
    bool is_ready = is_generated(t, n) && t->making_count == 0;
    if (is_ready && evaluator_room(t->w.evaluator) > 0)
        return false;
    t->making[t->making_count++] = n;
    return true;
}

bool tune_is_making(const struct tune *t, const struct tune_item *n)
{
    for (uint32_t i = 0; i < t->making_count; i++) {
        if (t->making[i] == n)
            return true;
    }
    return false;
}

bool tune_ahead_step(struct tune *t, struct error *e)
{
    if (t->making_count > 0 && t->items.is_ended) {
        t->making_count = 0;
        spec_texts_drop(t->subject.sources);
    }
    for (uint32_t i = 1; i < t->making_count; i++)
        is_generated(t, t->making[i]); // a pipe that is full holds its generator up
    while (t->making_count > 0 && evaluator_room(t->w.evaluator) > 0 &&
           is_generated(t, t->making[0])) {
        struct tune_item *n = t->making[0];
        memmove(t->making, t->making + 1, --t->making_count * sizeof(struct tune_item *));
        if (!tune_submit_item(t, n, e))
            return false;
    }
    return true;
}
