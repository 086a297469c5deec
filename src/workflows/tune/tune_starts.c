// Handles the start configurations that a tune's options or its spec give, and their results.
#include "workflows/starts.h"
#include "workflows/tune/tune_inside.h"

bool tune_starts_find(struct tune *t, struct error *e)
{
    const struct tune_options *o = &t->o;
    bool is_given = o->start_count > 0;
    uint32_t count = is_given ? o->start_count : o->setup.spec->start_count;
    if (count == 0)
        return true;
    if (!starts_find(t->subject.space, is_given ? o->start_with : o->setup.spec->start_with, count,
                     &t->arena, o->setup.log, &t->start_indices, &t->start_count, e)) {
        if (!is_given && e->code != ERROR_MEMORY)
            error_context(e, o->setup.spec->is_short ? "start_with" : "StartWith"),
                spec_error(o->setup.spec, e);
        return false;
    }
    uint32_t *choice = arena_array(&t->arena, o->setup.spec->parameter_count + 1, sizeof *choice);
    t->starts = arena_array(&t->arena, t->start_count, sizeof *t->starts);
    bool ok = choice && t->starts;
    for (uint32_t i = 0; ok && i < t->start_count; i++) {
        struct tune_start *s = &t->starts[i];
        space_get(t->subject.space, t->start_indices[i], choice);
        ok = subject_texts(o->setup.spec, choice, &t->arena, &s->configuration,
                           &s->configuration_json);
    }
    return ok || error_memory(e);
}

void tune_starts_progress(struct tune *t, struct tune_progress *out)
{
    for (; t->start_count > 0 && t->starts_seen < t->items.record_count; t->starts_seen++) {
        const struct tune_record *r = record_at(t, t->starts_seen);
        for (uint32_t i = 0; i < t->start_count; i++) {
            if (t->start_indices[i] == r->index)
                t->starts[i].record = r;
        }
    }
    for (uint32_t i = 0; tune_is_over(t) && i < t->start_count; i++)
        tune_compare(t, t->starts[i].record, t->progress.best, &t->starts[i].behind);
    out->starts = t->starts;
    out->start_count = t->start_count;
}
