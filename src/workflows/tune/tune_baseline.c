// Other configurations are compared with the default one and, if the spec has no reference, their
// outputs with its outputs. A default that crashes, or does not build, is a result like any other,
// so the next valid configuration takes its place and the tune goes on. A tune of a part takes the
// one that a tune of the whole would, so that results of both are verified in the same way.
#include "workflows/tune/tune_inside.h"

#include <string.h>

enum {
    STAND_INS_MOST = 8,
    LOOKED_AT_MOST = 4096 // configurations, for one of which a job can be made
};

// Has the configuration failed by itself already?
static bool has_failed(const struct tune *t, const uint32_t *choice)
{
    size_t bytes = t->o.setup.spec->parameter_count * sizeof *choice;
    for (uint64_t i = 0; i < t->items.count; i++) {
        const struct tune_item *n = item_at(t, i);
        if (memcmp(n->record.choice, choice, bytes) == 0 && n->item.result &&
            n->item.result->status != STATUS_CORRECT)
            return true;
    }
    return false;
}

static bool can_stand_in(const struct tune *t, const uint32_t *choice)
{
    struct error ignored = ERROR_INIT;
    struct job *job = NULL;
    bool ok = !has_failed(t, choice) && spec_job(t->o.setup.spec, t->subject.sources,
                                                 t->o.setup.at.device, choice, &job, &ignored);
    job_free(job);
    return ok;
}

// The next one in the order of the whole space that did not fail by itself already.
static bool find_stand_in(const struct tune *t, const struct space *whole, uint64_t index,
                          uint32_t *out)
{
    for (uint32_t most = LOOKED_AT_MOST; most > 0; most--) {
        index = (index + 1) % space_count(whole);
        space_get(whole, index, out);
        if (index == t->spec_default)
            return false;
        if (can_stand_in(t, out))
            return true;
    }
    return false;
}

// Jobs that are not answered yet were made with the old reference.
static bool resubmit_items(struct tune *t, struct error *e)
{
    for (uint64_t i = 0; i < t->items.count; i++) {
        struct tune_item *n = item_at(t, i);
        n->record.is_default = tune_has_default(t) && n->record.index == t->subject.default_index;
        if (n->item.result || n->item.primary || tune_is_making(t, n))
            continue;
        n->record.job = NULL;
        if (!tune_resubmit(t, n, e))
            return false;
    }
    return true;
}

static bool tell_replacement(struct tune *t, const uint32_t *was, const uint32_t *is,
                             const char *why)
{
    const char *old, *now, *json;
    bool first = t->stand_ins == 1;
    struct arena *a = &t->arena;
    if (!subject_texts(t->o.setup.spec, was, a, &old, &json) ||
        !subject_texts(t->o.setup.spec, is, a, &now, &json))
        return false;
    t->subject.against = arena_printf(a, "configuration %s, in place of the default", now);
    log_add(t->o.setup.log, LOG_WARNING,
            "%s: %s%s%s cannot be what others are compared with (%s): %s takes its place",
            t->o.setup.spec->path, first ? "the default configuration, " : "", old,
            first ? "," : "", why, now);
    return t->subject.against != NULL;
}

bool tune_replace_default(struct workflow *w, struct error *why)
{
    struct tune *t = (struct tune *)w;
    struct subject *s = &t->subject;
    struct error e = ERROR_INIT;
    struct evaluator_status status;
    uint64_t index;
    // Once a tune is over its texts are not made any more (tune_ahead.c).
    if (t->o.replay || t->w.cancelled || t->items.is_ended ||
        t->progress.by_status[STATUS_CORRECT] > 0)
        return false;
    evaluator_status(t->w.evaluator, &status);
    uint32_t count = t->o.setup.spec->parameter_count;
    uint32_t *was = arena_array(&t->arena, count + 1, sizeof *was);
    uint32_t *is = arena_array(&t->arena, count + 1, sizeof *is);
    const struct space *whole = NULL;
    if (!was || !is || status.reference == REFERENCE_SOUND || t->stand_ins == STAND_INS_MOST ||
        !spec_default_reference(s->sources, t->o.setup.at.device, was) ||
        !(whole = subject_whole(s, &e)) || !space_find(whole, was, &index))
        return false;
    t->spec_default = t->stand_ins ? t->spec_default : index;
    if (!find_stand_in(t, whole, index, is))
        return false;
    t->stand_ins++;
    s->has_default = space_find(s->space, is, &s->default_index);
    bool ok = (tell_replacement(t, was, is, why->text) && spec_stand_in(s->sources, is)) ||
              error_memory(&e);
    struct evaluator *anew = ok ? tune_make_evaluator(t, &e) : NULL;
    if (anew) {
        evaluator_free(t->w.evaluator);
        t->w.evaluator = anew;
    }
    if (anew && resubmit_items(t, &e))
        return true;
    *why = e;
    return false;
}
