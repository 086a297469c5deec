// The default configuration is what others are compared with, and, where the spec has no reference,
// what their outputs are held against. One that crashes, or does not build, is a result like any
// other, so the next valid configuration takes its place and the tune goes on.
#include "workflows/tune/tune_inside.h"

enum { STAND_INS_MOST = 8 };

// Has the configuration failed by itself already?
static bool has_failed(const struct tune *t, uint64_t index)
{
    for (uint64_t i = 0; i < t->item_count; i++) {
        const struct item *n = t->items[i];
        if (n->record.index == index && n->result && n->result->status != STATUS_CORRECT)
            return true;
    }
    return false;
}

// What is asked for and not answered yet was made with the old reference.
static bool resubmit_items(struct tune *t, struct error *e)
{
    for (uint64_t i = 0; i < t->item_count; i++) {
        struct item *n = t->items[i];
        n->record.is_default = n->record.index == t->session.default_index;
        if (n->result || n->primary)
            continue;
        n->record.job = NULL;
        if (!spec_job(t->o.spec, t->session.sources, t->o.device, n->record.choice, &n->job, e) ||
            !tune_submit(t, n, i, e))
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
    if (!session_texts(t->o.spec, was, a, &old, &json) ||
        !session_texts(t->o.spec, is, a, &now, &json))
        return false;
    t->session.against = arena_printf(a, "configuration %s, in place of the default", now);
    log_add(t->o.log, LOG_WARNING,
            "%s: %s%s%s cannot be what others are held against (%s): %s takes its place",
            t->o.spec->path, first ? "the default configuration, " : "", old, first ? "," : "", why,
            now);
    return t->session.against != NULL;
}

bool tune_replace_default(struct tune *t, struct error *why)
{
    struct session *s = &t->session;
    struct error e = ERROR_INIT;
    struct evaluator_status status;
    uint64_t index, next;
    if (t->o.replay || t->cancelled || t->progress.by_status[STATUS_CORRECT] > 0)
        return false;
    evaluator_status(t->evaluator, &status);
    uint32_t count = t->o.spec->parameter_count;
    uint32_t *was = arena_array(&t->arena, count + 1, sizeof *was);
    uint32_t *is = arena_array(&t->arena, count + 1, sizeof *is);
    if (!was || !is || status.reference == REFERENCE_SOUND || t->stand_ins == STAND_INS_MOST ||
        !spec_default_reference(s->sources, t->o.device, was) || !space_find(s->space, was, &index))
        return false;
    t->spec_default = t->stand_ins ? t->spec_default : index;
    // The next one in the order of the space that did not fail by itself already.
    next = index;
    for (uint64_t most = t->item_count + 1; most > 0; most--) {
        next = (next + 1) % space_count(s->space);
        if (next == t->spec_default)
            return false;
        if (!has_failed(t, next))
            break;
    }
    space_get(s->space, next, is);
    t->stand_ins++;
    s->has_default = true;
    s->default_index = next;
    bool ok = (tell_replacement(t, was, is, why->text) && spec_stand_in(s->sources, is)) ||
              error_memory(&e);
    struct evaluator *anew = ok ? tune_make_evaluator(t, &e) : NULL;
    if (anew) {
        evaluator_free(t->evaluator);
        t->evaluator = anew;
    }
    if (anew && resubmit_items(t, &e))
        return true;
    *why = e;
    return false;
}
