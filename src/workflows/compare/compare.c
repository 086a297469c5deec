// The order of a comparison: sides and the configurations they have in common (compare_plan.c), one
// evaluator for all of them (compare_lanes.c), then paired run after paired run (compare_paired.c), of which later
// ones are built while an earlier one is launched, and at the end what it all amounts to
// (compare_end.c). The paired run of the bests comes last and is handed out in the progress alone.
#include "workflows/compare/compare_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TURN_MS        100
#define UNDER_WAY_MOST 16 // paired runs that are built before their turn, at most

// ---- names -------------------------------------------------------------------------------------

void compare_name(const char *spec, const char *what, struct text *out)
{
    text_addf(out, "%s (%s)", spec, what);
}

bool compare_is_name(const char *name)
{
    size_t length = strlen(name);
    return strstr(name, " (") && name[length - 1] == ')';
}

static const struct workflow_operations compare_operations;

// ---- making ------------------------------------------------------------------------------------

static bool begin_side(struct compare *c, struct side *s, struct error *e)
{
    const struct compare_options *o = &c->o;
    const struct subject_options so = {.routine = s->o.routine != ROUTINE_NONE, .name = s->o.name};
    struct setup setup = o->setup;
    setup.spec = s->o.spec;
    setup.at.device = s->device;
    setup.store = s->o.store;
    if (o->choices)
        setup.space = (struct space_options){NULL};
    if (s->o.stored)
        return true;
    if (so.routine && !o->choices)
        return error_set(e, ERROR_USAGE, "%s: a routine has no configurations to compare",
                         s->o.label);
    if (!subject_make(&s->subject, &setup, &so, e) || !subject_begin(&s->subject, e))
        return error_context(e, "%s", s->o.label);
    return true;
}

static bool make_sides(struct compare *c, struct error *e)
{
    bool ok = true;
    c->sides = arena_array(&c->arena, c->o.side_count, sizeof *c->sides);
    if (!c->sides)
        return error_memory(e);
    for (uint32_t i = 0; ok && i < c->o.side_count; i++) {
        struct side *s = &c->sides[c->side_count++];
        s->o = c->o.sides[i];
        s->device = s->o.device;
        ok = begin_side(c, s, e);
    }
    return ok;
}

// No side leaves before the end: an interval needs all rounds, of the slower side too.
static void set_rules(struct compare *c)
{
    uint32_t rounds = differ_rounds(c->paired_run_count, c->o.setup.terms.rules.level) + 1;
    rounds = rounds < COMPARE_LEAST ? COMPARE_LEAST : rounds > COMPARE_MOST ? COMPARE_MOST : rounds;
    if (c->o.choices)
        rounds = COMPARE_BESTS;
    c->rules = c->o.setup.terms.rules;
    c->rules.rounds = compare_rounds(c, rounds);
    c->rules.looks = 1;
    c->rules.early = 1e4;
    c->rules.precision = 0;
}

struct compare *compare_new(const struct compare_options *o, struct error *e)
{
    struct compare *c = workflow_new(sizeof *c, &compare_operations, e);
    if (!c)
        return NULL;
    arena_init(&c->arena);
    c->o = *o;
    c->o.setup.terms.rules.fixed = 0; // of tunes
    c->o.setup.at.spare = NULL;       // a side has its own workers
    c->o.setup.endings = NULL;
    c->o.setup.builder_count = 0;
    c->progress.mean = c->progress.correlation = NAN;
    if ((!o->top || compare_choose_top(c, e)) && make_sides(c, e) && compare_plan(c, e) &&
        (compare_make_lanes(c) || error_memory(e)) && compare_make_evaluator(c, e)) {
        c->planned = c->paired_run_count;
        set_rules(c);
        return c;
    }
    compare_free(c);
    return NULL;
}

static void stop_compare(void *workflow)
{
    struct compare *c = workflow;
    if (c->final_ranking)
        finalists_release(c->finalists, c->finalist_count);
    final_ranking_free(c->final_ranking);
    c->final_ranking = NULL;
}

static void release_compare(void *workflow)
{
    struct compare *c = workflow;
    for (uint64_t i = 0; i < c->paired_run_count; i++)
        paired_run_release(c, c->paired_runs[i]);
    for (uint32_t i = 0; i < c->side_count; i++)
        subject_release(&c->sides[i].subject);
    lanes_forget(&c->lanes);
    free(c->paired_runs);
    free(c->records);
    arena_release(&c->arena);
}

// ---- steps -------------------------------------------------------------------------------------

// May another paired run be begun? One always may.
static bool has_room_for_run(const struct compare *c)
{
    uint64_t under_way = c->started - c->finished;
    if (c->builds_alone || !c->w.evaluator)
        return under_way < 1;
    uint64_t more = evaluator_room(c->w.evaluator) / c->side_count;
    return under_way < 1 || (more > 0 && under_way < UNDER_WAY_MOST);
}

static bool start_paired_runs(struct compare *c, struct error *e)
{
    while (!c->w.cancelled && c->started < c->paired_run_count && has_room_for_run(c)) {
        if (!paired_run_start(c, c->paired_runs[c->started], e))
            return false;
        c->started++;
    }
    return true;
}

// The kernel's name or its arguments are wrong: as long as nothing worked on that side, nothing
// will. Of another state of the kernel that is to be expected.
static bool is_spec_hopeless(const struct compare *c, const struct paired_run *h, struct error *e)
{
    for (uint32_t i = 0; i < c->side_count; i++) {
        const struct side *s = &c->sides[i];
        const struct result *r = h->slots[i].result;
        if (r && h->slots[i].submitted && !s->o.code && r->fault == FAULT_SPEC && s->correct == 0) {
            error_set(e, ERROR_INPUT, "%s: %s: KernelSpecification: %s", s->o.label,
                      s->o.spec->path, r->message);
            return true;
        }
    }
    return false;
}

// The present paired run is over. Only planned ones are handed out.
static enum workflow_answer finish_run(struct compare *c, const void **record, struct error *e)
{
    struct paired_run *h = c->paired_runs[c->finished];
    bool failed = false;
    if (h->loads) {
        c->finished++;
        c->loaded = h;
        return WORKFLOW_NOTHING;
    }
    if (is_spec_hopeless(c, h, e) || !paired_run_finish(c, h, e))
        return WORKFLOW_BROKEN;
    bool is_planned = c->finished++ < c->planned;
    if (!is_planned) {
        compare_take_bests(c, h);
        return WORKFLOW_NOTHING;
    }
    h->record.ordinal = c->record_count;
    c->records[c->record_count++] = &h->record;
    for (uint32_t i = 0; i < c->side_count; i++)
        failed = failed || !h->record.entries[i].timed;
    c->done++;
    c->progress.identical += h->record.same_as != NULL;
    c->progress.failed += failed;
    c->progress.compared += !failed;
    *record = &h->record;
    return WORKFLOW_RECORD;
}

static enum workflow_answer advance_run(struct compare *c, int timeout_ms, const void **record,
                                        struct error *e)
{
    struct outcome out;
    if (c->final_ranking) {
        enum workflow_answer answer = final_ranking_step(c->final_ranking, timeout_ms, e);
        final_ranking_status(c->final_ranking, &c->progress.final_ranking);
        lanes_tell(&c->lanes, c->w.evaluator, c->o.setup.log);
        if (answer == WORKFLOW_END)
            return finish_run(c, record, e);
        return answer == WORKFLOW_BROKEN ? WORKFLOW_BROKEN : WORKFLOW_NOTHING;
    }
    struct paired_run *h = c->paired_runs[c->finished];
    if (paired_run_is_ready(c, h)) {
        if (!h->primary && !h->loads && !paired_run_end(c, h, e))
            return WORKFLOW_BROKEN;
        return c->final_ranking ? WORKFLOW_NOTHING : finish_run(c, record, e);
    }
    int got = evaluator_take(c->w.evaluator, timeout_ms, &out, e);
    if (got > 0)
        paired_run_answer(c, &out);
    return got < 0 ? WORKFLOW_BROKEN : WORKFLOW_NOTHING;
}

// Waits for what is still running after a cancel.
static enum workflow_answer drain_evaluator(struct compare *c, int timeout_ms, struct error *e)
{
    struct outcome out;
    if (!c->w.evaluator || evaluator_idle(c->w.evaluator))
        return WORKFLOW_END;
    int got = evaluator_take(c->w.evaluator, timeout_ms, &out, e);
    if (got > 0)
        result_free(out.result);
    return got < 0 ? WORKFLOW_BROKEN : WORKFLOW_NOTHING;
}

static enum workflow_answer advance_compare(struct compare *c, int timeout_ms, const void **record,
                                            struct error *e)
{
    if (!c->over && (c->finished == c->planned || c->w.cancelled)) {
        // Judge the sides once, before the paired run of the bests, so that a cancelled run of the
        // bests loses nothing else.
        c->over = true;
        if (!compare_judge(c) || !compare_sum_up(c) || !compare_add_bests(c))
            return error_memory(e), WORKFLOW_BROKEN;
    }
    if (c->w.cancelled)
        return drain_evaluator(c, timeout_ms, e);
    if (!start_paired_runs(c, e))
        return WORKFLOW_BROKEN;
    return c->finished == c->paired_run_count ? WORKFLOW_END
                                              : advance_run(c, timeout_ms, record, e);
}

static enum workflow_answer step_compare(void *workflow, int timeout_ms, const void **record,
                                         struct error *e)
{
    struct compare *c = workflow;
    enum workflow_answer answer = advance_compare(c, timeout_ms, record, e);
    if (answer == WORKFLOW_BROKEN && !c->over) // the records so far are valid
        c->over = compare_judge(c) && compare_sum_up(c);
    return answer;
}

static const struct workflow_operations compare_operations = {
    .step = step_compare, .stop = stop_compare, .release = release_compare};

// ---- views -------------------------------------------------------------------------------------

void compare_progress(struct compare *c, struct compare_progress *out)
{
    *out = c->progress;
    workflow_progress(&c->w, c->planned, c->done, &out->common);
    out->sampled = c->o.sample > 0;
    if (!c->final_ranking)
        memset(&out->final_ranking, 0, sizeof out->final_ranking);
    out->members = c->lanes.members;
    out->member_count = lanes_members(&c->lanes, c->w.evaluator, c->rules.level);
}

void compare_view(struct compare *c, struct compare_view *out)
{
    compare_progress(c, &out->progress);
    out->records = c->records;
    out->count = c->record_count;
    out->level = c->rules.level;
}

enum verification compare_verification(const struct compare *c, uint32_t side, const char **against)
{
    const struct subject *s = &c->sides[side].subject;
    *against = s->against ? s->against : "";
    return s->verification;
}

// ---- loading again -----------------------------------------------------------------------------

bool compare_load(struct compare *c, const struct compare_record *record, struct error *e)
{
    const uint32_t *choices[COMPARE_SIDES];
    for (uint32_t i = 0; i < c->side_count; i++) {
        if (c->sides[i].o.stored)
            return error_set(e, ERROR_USAGE, "%s is a stored run: its programs are not kept",
                             c->sides[i].o.label);
        if (c->sides[i].o.routine != ROUTINE_NONE)
            return error_set(e, ERROR_USAGE,
                             "%s is a library's routine: it has no programs of ours",
                             c->sides[i].o.label);
        choices[i] = record->entries[i].choice;
    }
    struct paired_run *h = compare_add(c, choices);
    if (!h)
        return error_memory(e);
    h->loads = true;
    return true;
}

static const struct slot *loaded_slot(struct compare *c, uint32_t side, struct error *e)
{
    const struct slot *n = c->loaded ? &c->loaded->slots[side] : NULL;
    if (!n) {
        error_set(e, ERROR_USAGE, "nothing is loaded");
        return NULL;
    }
    if (n->result->status == STATUS_CORRECT)
        return n;
    error_set(e, ERROR_DEVICE, "%s: %s: %s", c->sides[side].o.label, status_text(n->result->status),
              n->result->message);
    return NULL;
}

struct counters *compare_count(struct compare *c, uint32_t side, struct arena *a, struct error *e)
{
    const struct turn turn = {.launches = 1, .batch = 1, .counters = true};
    const struct slot *n = loaded_slot(c, side, e);
    struct counters *counters = NULL;
    struct outcome out;
    int got = n && evaluator_again(c->w.evaluator, n->ticket, &turn, e) ? 0 : -1;
    while (got == 0)
        got = evaluator_take(c->w.evaluator, TURN_MS, &out, e);
    if (got < 0)
        return NULL;
    if (out.lost || !out.result) {
        error_set(e, ERROR_DEVICE, "%s: its device was lost", c->sides[side].o.label);
    } else if (out.result->counters) {
        counters = counters_copy(a, out.result->counters);
        if (!counters)
            error_memory(e);
    } else {
        error_set(e, ERROR_DEVICE, "%s: %s: %s", c->sides[side].o.label,
                  status_text(out.result->status), out.result->message);
    }
    result_free(out.result);
    return counters;
}

bool compare_fetch(struct compare *c, uint32_t side, enum fetch what, const char **kernel,
                   struct text *out, struct error *e)
{
    const struct slot *n = loaded_slot(c, side, e);
    if (!n)
        return false;
    const struct job_launch *launch = &n->job->launches[0];
    *kernel = launch->kernel;
    return evaluator_fetch(c->w.evaluator, n->ticket, what, launch->program, out, e);
}
