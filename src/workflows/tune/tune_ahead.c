// A configuration whose text a generator prints waits here between the question for it and its job, so that generators run
// beside the builds, and several at once. The order of jobs is that of the questions: the same seed asks the same.
#include "workflows/tune/tune_inside.h"

#include "base/array.h"
#include "os/process.h"
#include "problem/spec.h"

#include <string.h>

#define FILES_EACH 8 // a generator takes two, and four while it is started; the rest is for workers

// They run on this machine, wherever the builders are.
void tune_ahead_init(struct tune *t)
{
    if (t->o.replay || !spec_generates(t->subject.sources))
        return;
    size_t files = process_files_left() / FILES_EACH;
    uint32_t cores = process_cores(), most = t->builders < cores ? t->builders : cores;
    most = files < most ? (uint32_t)files : most;
    t->ahead = most > 0 ? most : 1;
}

// On a device that shares the host they would take from what is measured, as builds do.
bool tune_ahead_pauses(const struct tune *t)
{
    struct evaluator_status now;
    if (t->making_count == 0 || !t->o.setup.at.device->shares_host)
        return false;
    evaluator_status(t->w.evaluator, &now);
    return now.measuring;
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
static bool is_generated(const struct tune *t, const struct tune_item *n, struct error *e)
{
    return spec_texts_are_made(t->subject.sources, t->o.setup.at.device, n->record.choice, e);
}

bool tune_ahead_step(struct tune *t, struct error *e)
{
    if (t->making_count > 0 && t->items.is_ended) {
        t->making_count = 0;
        spec_texts_drop(t->subject.sources);
    }
    if (tune_ahead_pauses(t)) {
        spec_texts_pause(t->subject.sources);
        return true;
    }
    while (t->making_count > 0) {
        struct tune_item *first = t->making[0];
        bool is_first = false;
        size_t i = 0;
        for (; i < t->making_count && i < t->ahead && !e->code; i++)
            is_first |= is_generated(t, t->making[i], e) && i == 0;
        if (e->code && i == 1)
            return false;
        *e = (struct error)ERROR_INIT; // it is tried again once those before it are over
        if (!is_first || evaluator_room(t->w.evaluator) == 0)
            return true;
        memmove(t->making, t->making + 1, --t->making_count * sizeof(struct tune_item *));
        if (!tune_submit_item(t, first, e))
            return false;
    }
    return true;
}
