// A list by ticket, a hash table of what configurations really run, by which the same work is found, and a list of what was
// handed out.
#include "campaign/items.h"

#include "base/array.h"
#include "os/process.h"

#include <stdlib.h>

void *twins_find(struct twins *t, struct twin *n, const struct spec *spec,
                 const struct spec_sources *sources, const struct job *job)
{
    if (!spec_effective_digest(spec, sources, job, &n->effective))
        return NULL;
    struct twin **bucket =
        &t->buckets[(n->effective.bytes[0] | n->effective.bytes[1] << 8) % ITEMS_BUCKETS];
    for (struct twin *other = *bucket; other; other = other->next) {
        if (other->scope == n->scope && digest_equal(&other->effective, &n->effective))
            return other->owner;
    }
    n->next = *bucket;
    *bucket = n;
    return NULL;
}

// ---- the whole ---------------------------------------------------------------------------------

void items_init(struct items *s, const struct items_plan *plan, struct workflow *w,
                const struct subject *subject, struct arena *arena)
{
    s->plan = plan;
    s->w = w;
    s->subject = subject;
    s->arena = arena;
}

void items_release(struct items *s)
{
    for (uint64_t i = 0; i < s->count; i++)
        result_free(s->list[i]->result);
    free(s->list);
    free((void *)s->records);
}

void items_break(struct items *s)
{
    s->is_ended = true;
    evaluator_cancel(s->w->evaluator);
}

// ---- on their way ------------------------------------------------------------------------------

void *items_add(struct items *s, size_t size, uint64_t index)
{
    const struct spec *spec = s->subject->setup.spec;
    size_t count = (size_t)s->count + 1;
    bool has_room =
        ARRAY_ROOM(s->list, s->room, count) && ARRAY_ROOM(s->records, s->record_room, count);
    struct item *n = has_room ? arena_alloc(s->arena, size) : NULL;
    uint32_t *choice = arena_array(s->arena, spec->parameter_count + 1, sizeof *choice);
    if (!n || !choice)
        return NULL;
    space_get(s->subject->space, index, choice);
    *n = (struct item){.ticket = s->count, .index = index, .choice = choice, .pace = 1};
    n->twin.owner = n;
    if (!subject_texts(spec, choice, s->arena, &n->configuration, &n->configuration_json))
        return NULL;
    s->list[s->count++] = n;
    s->outstanding++;
    return n;
}

bool items_submit(struct items *s, struct item *n, struct job *job, struct error *e)
{
    job->configuration = n->configuration;
    job->configuration_json = n->configuration_json;
    return evaluator_submit(s->w->evaluator, n->ticket, job, e);
}

bool items_give(struct items *s, struct item *n, const void *scope, const struct spec *spec,
                const struct spec_sources *sources, struct job **job, struct error *e)
{
    n->twin.scope = scope;
    n->primary = twins_find(&s->twins, &n->twin, spec, sources, *job);
    if (!n->primary)
        return items_submit(s, n, *job, e);
    job_free(*job);
    *job = NULL;
    return true;
}

// ---- answers -----------------------------------------------------------------------------------

// An item that needs no evaluator: it could not be made, or is the same work as one that was answered.
static struct item *next_done(struct items *s, struct error *e)
{
    for (uint64_t i = s->first_open; i < s->count; i++) {
        struct item *n = s->list[i];
        s->first_open += n->is_handed_out && i == s->first_open;
        if (n->is_handed_out || (!n->result && (!n->primary || !n->primary->result)))
            continue;
        if (!n->result) {
            n->result = result_clone(n->primary->result);
            n->pace = n->primary->pace;
        }
        if (!n->result)
            error_memory(e);
        return n->result ? n : NULL;
    }
    return NULL;
}

static int take_answer(struct items *s, int timeout_ms, struct item **n, struct error *e)
{
    struct outcome out;
    int got = evaluator_take(s->w->evaluator, timeout_ms, &out, e);
    if (got <= 0)
        return got;
    struct item *answered = s->list[out.ticket];
    if (answered->is_handed_out) { // a turn of a ranking that was broken off
        result_free(out.result);
        return 0;
    }
    answered->result = out.result;
    answered->pace = out.pace > 0 ? out.pace : 1;
    answered->place = out.place;
    *n = answered;
    // The kernel's name or its arguments are wrong: as long as nothing worked, nothing will.
    if (out.result->fault == FAULT_SPEC && s->correct == 0 && !s->why.code) {
        error_set(&s->why, ERROR_INPUT, "KernelSpecification: %s", out.result->message);
        spec_error(s->subject->setup.spec, &s->why);
        items_break(s);
    }
    return 1;
}

enum workflow_answer items_step(struct items *s, int timeout_ms, const void **record,
                                struct error *e)
{
    int got = 0;
    struct item *n = next_done(s, e);
    if (!n && !e->code && s->is_ended && evaluator_idle(s->w->evaluator)) {
        *e = s->why;
        return e->code ? WORKFLOW_BROKEN : WORKFLOW_END;
    }
    if (!n && !e->code)
        got = take_answer(s, timeout_ms, &n, e);
    if (got < 0 && s->plan->recover && s->plan->recover(s->w, e))
        return WORKFLOW_NOTHING;
    if (got < 0 && e->code == ERROR_INPUT)
        error_context(e, "KernelSpecification"), spec_error(s->subject->setup.spec, e);
    if (n && got >= 0)
        *record = s->plan->told(s->w, n, got > 0, e);
    return *record ? WORKFLOW_RECORD : got < 0 || e->code ? WORKFLOW_BROKEN : WORKFLOW_NOTHING;
}

uint64_t items_hand_out(struct items *s, struct item *n, const void *record)
{
    n->is_handed_out = true;
    s->outstanding--;
    s->correct += n->result->status == STATUS_CORRECT;
    if (!n->result->reused && !n->primary) {
        s->fresh++;
        if (!s->first_done_ns) {
            struct evaluator_status now;
            evaluator_status(s->w->evaluator, &now);
            s->first_done_ns = clock_ns();
            s->first_locked_ns = now.times.span_ns[SPAN_LOCKED];
        }
    }
    s->records[s->record_count] = record;
    return s->record_count++;
}

void items_progress(const struct items *s, uint64_t planned, struct workflow_progress *out)
{
    workflow_progress(s->w, planned, s->record_count, out);
    double locked = (double)out->evaluator.times.span_ns[SPAN_LOCKED] - (double)s->first_locked_ns;
    double worked = (double)(clock_ns() - s->first_done_ns) - locked;
    double each = s->fresh > 1 && worked > 0 ? worked / (double)(s->fresh - 1) : 0;
    uint64_t left = planned > s->record_count ? planned - s->record_count : 0;
    out->left_ns = (uint64_t)(each * (double)left);
}
