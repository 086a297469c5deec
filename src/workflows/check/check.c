// The order of a check: what is to be checked (the space or a sample of it, each configuration at
// its sizes, sizes.c), job after job submitted to the evaluator without timing, and for each answer
// a verdict. Where a simulator runs the worker its log is read after each job (races_read.c) and
// gathered over the whole check.
#include "workflows/check/checks.h"

#include "base/array.h"
#include "os/process.h"
#include "runner/cached.h"
#include "runner/farm.h"
#include "workflows/check/kernel_audit.h"
#include "search/permutation.h"
#include "workflows/check/sizes.h"
#include "campaign/items.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 64 // configurations that are submitted at once

// A configuration to be checked, at its sizes.
struct planned {
    uint64_t index;
    const struct sized *sized;
};

// A record on its way to the caller.
struct checked {
    struct item item;
    struct check_record record;
    const struct sized *sized;
};

// Findings of a simulator over a whole check: one entry for each kernel line and kind, in the order of
// file and line.
struct findings {
    struct check_finding *list; // by file and line, see race_compare()
    size_t count, room;
};

struct check {
    struct workflow w;
    struct check_options o;
    struct subject subject;
    struct permutation permutation; // of a sample
    struct sizes *sizes;
    struct arena arena;

    uint64_t count;       // to be checked
    struct planned *plan; // in the order of checking; only where sizes are chosen
    uint64_t sized;       // of them have their sizes
    uint32_t *choice;     // scratch

    struct items items;
    struct kernel_audit *kernel_audit; // (or NULL) mutants of the first that passed
    struct findings findings;
    struct check_progress progress;
};

static const void *check_told(struct workflow *w, struct item *item, bool is_answer,
                              struct error *e);
static const struct items_plan check_plan = {.told = check_told};
static const struct workflow_operations check_operations;

const char *check_verdict_text(enum check_verdict v)
{
    static const char *const texts[] = {
#define X(name, text) [CHECK_##name] = (text),
        CHECK_VERDICTS(X)
#undef X
    };
    return v < CHECK_VERDICT_COUNT ? texts[v] : "?";
}

// ---- making ------------------------------------------------------------------------------------

static uint64_t index_at(const struct check *c, uint64_t position)
{
    return c->o.sample ? permutation_at(&c->permutation, position) : position;
}

static bool plan_check(struct check *c, struct error *e)
{
    uint64_t valid = space_count(c->subject.space), sample = c->o.sample;
    c->count = sample && sample < valid ? sample : valid;
    if (c->count < valid)
        permutation_init(&c->permutation, valid, c->o.setup.seed);
    else
        c->o.sample = 0;
    c->sizes = sizes_new(&c->o, c->subject.sources, e);
    if (!c->sizes || c->o.smallest_count == 0)
        return c->sizes != NULL;
    if (c->count < SIZE_MAX / sizeof *c->plan)
        c->plan = malloc((size_t)c->count * sizeof *c->plan);
    return c->plan || error_set(e, ERROR_MEMORY, "no memory for the sizes of %llu configurations",
                                (unsigned long long)c->count);
}

static bool make_check_evaluator(struct check *c, struct error *e)
{
    const struct check_options *o = &c->o;
    const struct live_options live = {.no_timing = true,
                                      .simulated = o->races_log != NULL,
                                      .own_reference = o->smallest_count > 0};
    const struct cached_options cached = {.as = c->subject.as};
    c->w.evaluator = setup_evaluator(&o->setup, live, cached, c->count, NULL, e);
    return c->w.evaluator != NULL;
}

struct check *check_new(const struct check_options *o, struct error *e)
{
    struct check *c = workflow_new(sizeof *c, &check_operations, e);
    if (!c)
        return NULL;
    arena_init(&c->arena);
    c->o = *o;
    if (o->setup.build_only || o->races_log) // a result says nothing about races
        c->o.setup.store = NULL;
    if (o->races_log) { // each check has a simulator of its own, and nothing is timed: none waits for another
        c->o.setup.lock_folder = NULL;
        c->o.setup.at.jobs = 1;
    }
    items_init(&c->items, &check_plan, &c->w, &c->subject, &c->arena);
    c->choice = arena_array(&c->arena, o->setup.spec->parameter_count + 1, sizeof *c->choice);
    const struct subject_options so = {.name = NULL};
    if ((c->choice || error_memory(e)) && subject_make(&c->subject, &c->o.setup, &so, e) &&
        plan_check(c, e) && subject_begin(&c->subject, e) && make_check_evaluator(c, e))
        return c;
    check_free(c);
    return NULL;
}

static void release_check(void *workflow)
{
    struct check *c = workflow;
    items_release(&c->items);
    free(c->findings.list);
    free(c->plan);
    sizes_free(c->sizes);
    subject_release(&c->subject);
    arena_release(&c->arena);
}

// ---- sizes -------------------------------------------------------------------------------------

static int by_size_and_index(const void *a, const void *b)
{
    const struct planned *x = a, *y = b;
    int order = x->sized == y->sized ? 0 : sizes_compare(x->sized, y->sized);
    return order ? order : x->index < y->index ? -1 : x->index > y->index;
}

// Chooses sizes until the time is up. True once all are chosen.
static bool choose_sizes(struct check *c, int timeout_ms, struct error *e)
{
    uint64_t until = clock_ns() + (uint64_t)(timeout_ms > 0 ? timeout_ms : 0) * 1000000;
    while (c->sized < c->count) {
        struct planned *p = &c->plan[c->sized];
        p->index = index_at(c, c->sized);
        space_get(c->subject.space, p->index, c->choice);
        p->sized = sizes_choose(c->sizes, c->choice, e);
        if (!p->sized)
            return false;
        if (++c->sized == c->count)
            qsort(c->plan, (size_t)c->count, sizeof *c->plan, by_size_and_index);
        else if (clock_ns() >= until)
            return false;
    }
    return true;
}

// ---- items -------------------------------------------------------------------------------------

// The configuration's job at its sizes, or, where that is what is checked, its reference, which
// lives in the job's arena.
static bool make_check_job(struct check *c, struct checked *n, struct job **out, struct error *e)
{
    const struct sized *v = n->sized;
    if (!sizes_translate(c->sizes, v, n->record.choice, c->choice))
        return error_set(e, ERROR_INTERNAL, "%s does not exist at %s", n->record.configuration,
                         v->text);
    if (!spec_job(v->spec, v->sources, c->o.setup.at.device, c->choice, out, e))
        return false;
    if (!c->o.of_reference)
        return true;
    struct job *j = *out;
    struct arena arena = j->arena;
    if (j->reference.kind != REFERENCE_JOB) {
        job_free(j);
        return error_set(e, ERROR_INPUT,
                         "%s: the spec's reference is not a kernel that could be checked itself",
                         c->o.setup.spec->path);
    }
    *j = *j->reference.job;
    j->arena = arena;
    return true;
}

// The next configuration that is to be checked.
static bool check_next(struct check *c, struct error *e)
{
    struct error why = ERROR_INIT;
    struct job *job = NULL;
    struct planned p;
    if (c->plan) {
        p = c->plan[c->items.count];
    } else {
        p.index = index_at(c, c->items.count);
        space_get(c->subject.space, p.index, c->choice);
        p.sized = sizes_choose(c->sizes, c->choice, e);
        if (!p.sized)
            return false;
    }
    struct checked *n = items_add(&c->items, sizeof *n, p.index);
    if (!n)
        return error_memory(e);
    n->sized = p.sized;
    n->record = (struct check_record){.index = p.index,
                                      .choice = n->item.choice,
                                      .configuration = n->item.configuration,
                                      .configuration_json = n->item.configuration_json,
                                      .spec = p.sized->spec,
                                      .sizes = p.sized->text};
    if (!make_check_job(c, n, &job, &why))
        return subject_refusal(&why, &n->item.result) || error_memory(e);
    job->constants = p.sized->constants;
    return items_give(&c->items, &n->item, p.sized, p.sized->spec, p.sized->sources, &job, e);
}

static bool submit_more(struct check *c, struct error *e)
{
    size_t room = evaluator_room(c->w.evaluator);
    for (size_t i = 0; i < room && i < BATCH && !c->items.is_ended; i++) {
        if (c->items.count == c->count)
            c->items.is_ended = true;
        else if (!check_next(c, e))
            return false;
    }
    return true;
}

// ---- answers -----------------------------------------------------------------------------------

// A binary search finds the entry of a race or the place of a new one.
static bool add_race(struct findings *f, const struct race *race, const struct check_record *r)
{
    size_t low = 0, high = f->count; // where the race is, or belongs
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (race_compare(&f->list[middle].race, race) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == f->count || !race_same(&f->list[low].race, race)) {
        if (!ARRAY_ROOM(f->list, f->room, f->count + 1))
            return false;
        memmove(&f->list[low + 1], &f->list[low], (f->count - low) * sizeof *f->list);
        f->list[low] = (struct check_finding){.race = *race, .example = r};
        f->list[low].race.count = 0;
        f->count++;
    }
    f->list[low].race.count += race->count;
    f->list[low].race.more |= race->more;
    f->list[low].configurations++;
    return true;
}

// Adds what was found for a record. False without memory.
static bool findings_add(struct findings *f, const struct check_record *r)
{
    for (size_t i = 0; r->races && i < r->races->count; i++) {
        if (!add_race(f, &r->races->races[i], r))
            return false;
    }
    return true;
}

static enum check_verdict judge_record(const struct check *c, const struct check_record *r)
{
    const struct result *result = r->result;
    if (r->races) // an excepted status excepts no race
        return CHECK_FAILED;
    if (fault_is_spec(result->fault)) // nothing excepts it either
        return CHECK_FAILED;
    if (result->status != STATUS_CORRECT && result->device_limit)
        return CHECK_LIMITED;
    if (result->status != STATUS_CORRECT)
        return (c->o.allowed >> result->status & 1) != 0 ? CHECK_ALLOWED : CHECK_FAILED;
    bool is_unverified = !c->o.setup.build_only && result->verification == VERIFICATION_NONE;
    return is_unverified && !c->o.allow_unverified ? CHECK_UNVERIFIED : CHECK_PASSED;
}

// The record is complete: it is judged, counted and handed out.
static const struct check_record *finish_record(struct check *c, struct checked *n, struct error *e)
{
    const struct checked *primary = (const struct checked *)n->item.primary;
    struct check_record *r = &n->record;
    struct check_progress *p = &c->progress;
    enum status status = n->item.result->status;
    r->result = n->item.result;
    if (primary) {
        r->same_as = &primary->record;
        r->races = primary->record.races;
    }
    r->verdict = judge_record(c, r);
    r->ordinal = items_hand_out(&c->items, &n->item, r);
    p->by_status[status]++;
    p->by_verdict[r->verdict]++;
    if (r->verdict == CHECK_FAILED) {
        p->failed_by_status[status]++;
        p->spec_by_status[status] += fault_is_spec(r->result->fault);
        p->examples[status] = p->examples[status] ? p->examples[status] : r;
    }
    p->reused += r->result->reused;
    p->identical += !r->result->reused && r->same_as;
    return findings_add(&c->findings, r) || error_memory(e) ? r : NULL;
}

static bool take_races(struct check *c, struct checked *n, struct error *e)
{
    struct job *job = NULL;
    struct races *found = arena_alloc(&c->arena, sizeof *found);
    if (!found)
        return error_memory(e);
    if (!races_take(c->o.races_log, &c->arena, found, e))
        return false;
    if (found->count == 0)
        return true;
    if (!make_check_job(c, n, &job, e))
        return false;
    races_locate(found, job, &c->arena);
    job_free(job);
    n->record.races = found;
    return true;
}

static const void *check_told(struct workflow *w, struct item *item, bool is_answer,
                              struct error *e)
{
    struct check *c = (struct check *)w;
    struct checked *n = (struct checked *)item;
    // The simulator's log is of the job that ran last, and what was not built did not run.
    enum status status = item->result->status;
    bool has_run = is_answer && status != STATUS_COMPILE && status != STATUS_CONSTRAINTS;
    if (c->o.races_log && has_run && !take_races(c, n, e))
        return NULL;
    const struct check_record *r = finish_record(c, n, e);
    if (is_answer)
        evaluator_drop(c->w.evaluator, item->ticket);
    return r;
}

// ---- mutants of the kernel ---------------------------------------------------------------------

static struct checked *first_passed(const struct check *c)
{
    const struct check_record *const *list = (const struct check_record *const *)c->items.records;
    for (size_t i = 0; i < c->items.record_count; i++) {
        if (list[i]->verdict == CHECK_PASSED && list[i]->result->verification != VERIFICATION_NONE)
            return (struct checked *)((char *)list[i] - offsetof(struct checked, record));
    }
    return NULL;
}

static bool make_audited_job(void *check, struct job **out, struct error *e)
{
    struct check *c = check;
    return make_check_job(c, first_passed(c), out, e);
}

// All is checked: where the check is audited, mutants of the kernel are put to it, by an evaluator of their own.
static enum workflow_answer step_kernel_audit(struct check *c, int timeout_ms, struct error *e)
{
    if (!c->o.setup.terms.audit || c->w.cancelled || (!c->kernel_audit && !first_passed(c)))
        return WORKFLOW_END;
    if (!c->kernel_audit) {
        const struct kernel_audit_job job = {make_audited_job, c};
        evaluator_free(c->w.evaluator);
        c->w.evaluator = NULL;
        c->kernel_audit = kernel_audit_new(&c->o.setup, &job, &c->arena, e);
    }
    return c->kernel_audit ? kernel_audit_step(c->kernel_audit, &c->w, timeout_ms, e)
                           : WORKFLOW_BROKEN;
}

// ---- steps -------------------------------------------------------------------------------------

static enum workflow_answer step_check(void *workflow, int timeout_ms, const void **record,
                                       struct error *e)
{
    struct check *c = workflow;
    if (c->plan && !c->items.is_ended && !choose_sizes(c, timeout_ms, e))
        return e->code ? WORKFLOW_BROKEN : WORKFLOW_NOTHING;
    if (c->kernel_audit)
        return step_kernel_audit(c, timeout_ms, e);
    if (!submit_more(c, e))
        return WORKFLOW_BROKEN;
    enum workflow_answer answer = items_step(&c->items, timeout_ms, record, e);
    return answer == WORKFLOW_END ? step_kernel_audit(c, timeout_ms, e) : answer;
}

static void stop_check(void *workflow)
{
    ((struct check *)workflow)->items.is_ended = true;
}

static const struct workflow_operations check_operations = {
    .step = step_check, .stop = stop_check, .release = release_check};

// ---- views -------------------------------------------------------------------------------------

void check_view(struct check *c, struct check_view *out)
{
    out->progress = c->progress;
    items_progress(&c->items, c->count, &out->progress.common);
    out->progress.valid = space_count(c->subject.space);
    out->progress.sized = c->plan ? c->sized : c->count;
    out->subject = &c->subject;
    out->records = (const struct check_record *const *)c->items.records;
    out->count = c->items.record_count;
    out->mutants = kernel_audit_mutants(c->kernel_audit, &out->mutant_count);
    out->findings = c->findings.list;
    out->finding_count = c->findings.count;
}
