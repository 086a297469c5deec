#include "compare_inside.h"

#include "base/process.h"
#include "eval/route.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AHEAD 16 // heats that are built ahead at most

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

// ---- making ------------------------------------------------------------------------------------

static bool make_side(struct compare *c, struct side *s, struct error *e)
{
    const struct compare_options *o = &c->o;
    struct stages_options so = {.spec = s->o.spec,
                                .device = s->device,
                                .routine = s->o.routine != ROUTINE_NONE,
                                .name = s->o.name,
                                .log = o->log,
                                .configurations = o->choices ? NULL : o->configurations,
                                .configuration_count = o->choices ? 0 : o->configuration_count,
                                .where = o->choices ? NULL : o->where,
                                .where_count = o->choices ? 0 : o->where_count};
    if (s->o.stored)
        return true;
    if (so.routine && !o->choices)
        return error_set(e, ERROR_USAGE, "%s: a routine has no configurations to compare",
                         s->o.label);
    if (!stages_make(&s->stages, &so, e) ||
        !stages_begin(&s->stages, s->o.store, o->seed, o->command, o->host, e))
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
        ok = make_side(c, s, e);
    }
    return ok;
}

// Sides of one device in one language share their workers.
static uint32_t member_of(struct live_options *members, uint32_t *count, const struct side *s)
{
    for (uint32_t i = 0; i < *count; i++) {
        const struct device_info *d = members[i].device;
        if (d->language == s->device->language && str_equal(d->id, s->device->id))
            return i;
    }
    members[*count].device = s->device;
    return (*count)++;
}

// What of the devices matters to the rounds: the coarsest timer, and whether other load does.
static void note_device(struct compare *c, const struct device_info *d)
{
    struct device_info *all = &c->common;
    if (!all->name)
        *all = *d;
    all->timer_ns = d->timer_ns > all->timer_ns ? d->timer_ns : all->timer_ns;
    all->shares_host = all->shares_host || d->shares_host || d->type == DEVICE_CPU;
}

static bool make_evaluator(struct compare *c, struct error *e)
{
    struct live_options members[COMPARE_SIDES];
    struct route_options route = {.members = members, .lock_folder = c->o.lock_folder};
    uint32_t cores = process_cores();
    memset(members, 0, sizeof members);
    for (uint32_t i = 0; i < c->side_count; i++) {
        struct side *s = &c->sides[i];
        if (s->o.stored)
            continue;
        s->member = member_of(members, &route.count, s);
        note_device(c, s->device);
    }
    c->builds_alone = route.count > 1 && c->common.shares_host;
    for (uint32_t i = 0; i < route.count; i++) {
        uint32_t jobs = c->o.jobs ? c->o.jobs : cores / route.count;
        members[i] = (struct live_options){.worker = c->o.worker,
                                           .environment = c->o.environment,
                                           .device = members[i].device,
                                           .jobs = jobs > 0 ? jobs : 1,
                                           .terms = c->o.terms,
                                           .no_timing = true,
                                           .leaving = c->o.leaving,
                                           .log = c->o.log};
    }
    if (route.count > 0)
        c->evaluator = route_new(&route, e);
    return route.count == 0 || c->evaluator;
}

// Nobody leaves before the end: an interval needs all rounds, of the slower side too.
static void set_rules(struct compare *c)
{
    uint32_t rounds = differ_rounds(c->heat_count, c->o.terms.rules.level) + 1;
    rounds = rounds < COMPARE_LEAST ? COMPARE_LEAST : rounds > COMPARE_MOST ? COMPARE_MOST : rounds;
    if (c->o.choices)
        rounds = COMPARE_BESTS;
    c->rules = c->o.terms.rules;
    c->rules.rounds = c->o.rounds ? c->o.rounds : rounds;
    c->rules.looks = 1;
    c->rules.early = 1e4;
    c->rules.precision = 0;
}

struct compare *compare_new(const struct compare_options *o, struct error *e)
{
    struct compare *c = calloc(1, sizeof *c);
    if (!c) {
        error_memory(e);
        return NULL;
    }
    arena_init(&c->arena);
    c->o = *o;
    c->started_ns = clock_ns();
    c->summary.mean = c->summary.correlation = NAN;
    if (make_sides(c, e) && compare_plan(c, e) && make_evaluator(c, e)) {
        c->planned = c->heat_count;
        set_rules(c);
        return c;
    }
    compare_free(c);
    return NULL;
}

void compare_free(struct compare *c)
{
    if (!c)
        return;
    if (c->settle)
        settle_contenders_release(c->contenders, c->contender_count);
    settle_free(c->settle);
    evaluator_free(c->evaluator);
    for (uint64_t i = 0; i < c->heat_count; i++)
        heat_release(c, c->heats[i]);
    for (uint32_t i = 0; i < c->side_count; i++)
        stages_release(&c->sides[i].stages);
    free(c->heats);
    free(c->records);
    arena_release(&c->arena);
    free(c);
}

// ---- steps -------------------------------------------------------------------------------------

static enum compare_answer fail(struct compare *c, const struct error *why, struct error *e)
{
    c->broken = true;
    if (!c->over) // the records so far are valid
        c->over = compare_judge(c) && compare_sum_up(c);
    if (e)
        *e = *why;
    return COMPARE_BROKEN;
}

// How many heats may be under way.
static uint64_t ahead(const struct compare *c)
{
    if (c->builds_alone || !c->evaluator)
        return 1;
    uint64_t more = evaluator_room(c->evaluator) / c->side_count;
    uint64_t under_way = c->started - c->finished;
    return under_way + more > AHEAD ? AHEAD : under_way + more > 0 ? under_way + more : 1;
}

static bool start_more(struct compare *c, struct error *e)
{
    while (!c->summary.cancelled && c->started < c->heat_count &&
           c->started - c->finished < ahead(c)) {
        if (!heat_start(c, c->heats[c->started], e))
            return false;
        c->started++;
    }
    return true;
}

// The kernel's name or its arguments are wrong: as long as nothing worked on that side, nothing
// will.
static bool is_hopeless(const struct compare *c, const struct heat *h, struct error *e)
{
    for (uint32_t i = 0; i < c->side_count; i++) {
        const struct side *s = &c->sides[i];
        const struct result *r = h->slots[i].result;
        if (r && h->slots[i].submitted && r->fault == FAULT_SPEC && s->correct == 0) {
            error_set(e, ERROR_INPUT, "%s: %s: KernelSpecification: %s", s->o.label,
                      s->o.spec->path, r->message);
            return true;
        }
    }
    return false;
}

static void count_heat(struct compare *c, const struct compare_record *r)
{
    struct compare_summary *s = &c->summary;
    bool failed = false;
    for (uint32_t i = 0; i < c->side_count; i++)
        failed = failed || !r->entries[i].timed;
    s->done++;
    s->identical += r->same_as != NULL;
    s->failed += failed;
    s->compared += !failed;
}

// The present heat is over. Only planned ones are handed out.
static enum compare_answer finish(struct compare *c, const struct compare_record **record,
                                  struct error *e)
{
    struct heat *h = c->heats[c->finished];
    if (h->loads) {
        c->finished++;
        c->loaded = h;
        return COMPARE_NOTHING;
    }
    if (is_hopeless(c, h, e) || !heat_finish(c, h, e))
        return COMPARE_BROKEN;
    bool is_planned = c->finished++ < c->planned;
    if (!is_planned) {
        compare_take_bests(c, h);
        return COMPARE_NOTHING;
    }
    h->record.ordinal = c->record_count;
    c->records[c->record_count++] = &h->record;
    count_heat(c, &h->record);
    *record = &h->record;
    return COMPARE_RECORD;
}

// All planned ones are done: who differs and by how much, once. The heat of the bests comes after
// it, so that whoever ends that one loses nothing else.
static bool conclude(struct compare *c, struct error *e)
{
    c->over = true;
    return (compare_judge(c) && compare_sum_up(c) && compare_add_bests(c)) || error_memory(e);
}

static enum compare_answer advance(struct compare *c, int timeout_ms,
                                   const struct compare_record **record, struct error *e)
{
    struct outcome out;
    if (c->settle) {
        enum settle_answer answer = settle_step(c->settle, timeout_ms, e);
        settle_status(c->settle, &c->summary.settling);
        if (answer == SETTLE_END)
            return finish(c, record, e);
        return answer == SETTLE_BROKEN ? COMPARE_BROKEN : COMPARE_NOTHING;
    }
    struct heat *h = c->heats[c->finished];
    if (heat_is_ready(c, h)) {
        if (!h->primary && !h->loads && !heat_settle(c, h, e))
            return COMPARE_BROKEN;
        return c->settle ? COMPARE_NOTHING : finish(c, record, e);
    }
    int got = evaluator_take(c->evaluator, timeout_ms, &out, e);
    if (got > 0)
        heat_answer(c, &out);
    return got < 0 ? COMPARE_BROKEN : COMPARE_NOTHING;
}

// Waits for what is still running after a cancel.
static enum compare_answer run_out(struct compare *c, int timeout_ms, struct error *e)
{
    struct outcome out;
    if (!c->evaluator || evaluator_idle(c->evaluator))
        return COMPARE_END;
    int got = evaluator_take(c->evaluator, timeout_ms, &out, e);
    if (got > 0)
        result_free(out.result);
    return got < 0 ? COMPARE_BROKEN : COMPARE_NOTHING;
}

enum compare_answer compare_step(struct compare *c, int timeout_ms,
                                 const struct compare_record **record, struct error *e)
{
    struct error why = ERROR_INIT;
    enum compare_answer answer = COMPARE_NOTHING;
    *record = NULL;
    if (c->broken)
        return COMPARE_BROKEN;
    if (!c->over && (c->finished == c->planned || c->summary.cancelled) && !conclude(c, &why))
        return fail(c, &why, e);
    if (c->summary.cancelled)
        answer = run_out(c, timeout_ms, &why);
    else if (!start_more(c, &why))
        answer = COMPARE_BROKEN;
    else if (c->finished == c->heat_count)
        answer = COMPARE_END;
    else
        answer = advance(c, timeout_ms, record, &why);
    return answer == COMPARE_BROKEN ? fail(c, &why, e) : answer;
}

void compare_cancel(struct compare *c)
{
    c->summary.cancelled = true;
    if (c->settle)
        settle_contenders_release(c->contenders, c->contender_count);
    settle_free(c->settle);
    c->settle = NULL;
    if (c->evaluator)
        evaluator_cancel(c->evaluator);
}

// ---- views -------------------------------------------------------------------------------------

void compare_summary(struct compare *c, struct compare_summary *out)
{
    uint64_t now = clock_ns();
    *out = c->summary;
    out->planned = c->planned;
    out->elapsed_ns = now - c->started_ns;
    if (out->done > 1 && out->done < out->planned)
        out->left_ns = (uint64_t)((double)out->elapsed_ns / (double)out->done *
                                  (double)(out->planned - out->done));
    if (!c->settle)
        memset(&out->settling, 0, sizeof out->settling);
    if (c->evaluator)
        evaluator_status(c->evaluator, &out->evaluator);
}

const struct compare_record *const *compare_records(const struct compare *c, size_t *count)
{
    *count = c->record_count;
    return c->records;
}

enum verification compare_verification(const struct compare *c, uint32_t side, const char **against)
{
    const struct stages *s = &c->sides[side].stages;
    *against = s->against ? s->against : "";
    return s->verification;
}

// ---- loading again -----------------------------------------------------------------------------

bool compare_load(struct compare *c, const struct compare_record *const *records, struct error *e)
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
        choices[i] = records[i]->entries[i].choice;
    }
    struct heat *h = compare_add(c, choices);
    if (!h)
        return error_memory(e);
    h->loads = true;
    return true;
}

bool compare_fetch(struct compare *c, uint32_t side, enum fetch what, const char **kernel,
                   struct text *out, struct error *e)
{
    const struct slot *n = c->loaded ? &c->loaded->slots[side] : NULL;
    if (!n)
        return error_set(e, ERROR_USAGE, "nothing is loaded");
    if (n->result->status != STATUS_CORRECT)
        return error_set(e, ERROR_DEVICE, "%s: %s: %s", c->sides[side].o.label,
                         status_text(n->result->status), n->result->message);
    const struct job_launch *launch = &n->job->launches[0];
    *kernel = launch->kernel;
    return evaluator_fetch(c->evaluator, n->ticket, what, launch->program, out, e);
}
