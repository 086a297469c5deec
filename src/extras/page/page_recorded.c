// A recorded space of others as a set: one time for each configuration, in the order of the file.
#include "extras/page/page.h"

#include "workflows/tune/replay.h"

#include <math.h>
#include <string.h>

// Makes a spec of the recorded parameters, for the expressions of a choice.
static bool choose_recorded(const struct recorded *recorded, const struct page_choice *choice,
                            struct spec **spec, struct space **only, struct error *e)
{
    *only = NULL;
    *spec = replay_spec(recorded, e); // its metrics are the measurements, in their order
    return *spec && page_chosen_space(*spec, choice, only, e);
}

// Names from the set itself, since they must outlive the spec.
static void keep_objective_names(struct page_set *s)
{
    for (uint32_t i = 0; i < s->objectives.count; i++) {
        struct objective *o = &s->objectives.terms[i];
        o->name = o->metric == OBJECTIVE_TIME ? "time" : s->metrics[o->metric];
    }
}

bool page_add_recorded(struct page *p, const struct recorded *recorded,
                       const struct page_choice *choice, struct error *e)
{
    uint64_t index;
    struct spec *spec;
    struct space *only;
    uint32_t none;
    bool is_new;
    struct page_messages messages = {0};
    struct page_set *s = page_new_set(p, e);
    if (!s)
        return false;
    s->origin = recorded->path;
    const char *slash = strrchr(recorded->path, '/');
    s->spec = recorded->name[0] ? recorded->name : slash ? slash + 1 : recorded->path;
    s->constants = recorded->constants ? recorded->constants : "";
    s->device = recorded->device[0] ? recorded->device : "an unnamed device";
    s->platform = recorded_format_text(recorded->format);
    s->statistic = recorded->statistic;
    s->is_recorded = true;
    s->parameters = recorded->parameters;
    s->parameter_count = recorded->parameter_count;
    s->metrics = recorded->measurements;
    s->metric_count = recorded->measurement_count;
    s->rows = arena_array(&p->arena, recorded->count + 1, sizeof *s->rows);
    if (!choose_recorded(recorded, choice, &spec, &only, e)) {
        spec_free(spec);
        return false;
    }
    if (!page_find_objectives(p, s, spec, choice, e)) {
        space_free(only);
        spec_free(spec);
        return false;
    }
    bool ok = s->rows && page_note_message(p, s, &messages, "", &none, &is_new);
    for (uint64_t i = 0; ok && i < recorded->count; i++) {
        const struct recorded_row *from = &recorded->rows[i];
        if (only && !space_find(only, from->choice, &index))
            continue;
        struct page_row *r = &s->rows[s->count++];
        *r = (struct page_row){.choice = from->choice,
                               .status = from->status,
                               .timed = from->status == STATUS_CORRECT && from->time_ns > 0,
                               .median = from->time_ns,
                               .low = NAN,
                               .high = NAN,
                               .build_ns = from->costs.compile_ns,
                               .screened = NAN,
                               .at = NAN,
                               .ranked_at = NAN,
                               .resources = RESOURCES_UNKNOWN,
                               .metrics = from->measurements};
        const char *message = from->status == STATUS_CORRECT ? "" : from->message;
        ok = page_note_message(p, s, &messages, message, &r->message, &is_new);
    }
    page_index_release(&messages.index);
    space_free(only);
    keep_objective_names(s);
    spec_free(spec);
    if (!ok)
        return error_memory(e);
    if (!page_finish_set(p, s, e) || (!s->no_front && !page_find_front(p, s, e)))
        return false;
    return s->best == SIZE_MAX ||
           page_code_of_parameters(p, s->parameters, s->parameter_count, s->rows[s->best].choice,
                                   &s->code) ||
           error_memory(e);
}
