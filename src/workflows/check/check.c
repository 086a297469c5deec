// The order of a check: what is to be checked (the space or a sample of it, each configuration at
// its sizes, sizes.c), job after job submitted to the evaluator without timing, and for each answer
// a verdict. Where a simulator runs the worker its log is read after each job (races_read.c) and
// gathered over the whole check (findings.c).
#include "workflows/check/checks.h"

#include "base/array.h"
#include "os/process.h"
#include "runner/cached.h"
#include "runner/farm.h"
#include "workflows/check/findings.h"
#include "search/permutation.h"
#include "workflows/check/sizes.h"
#include "campaign/subject.h"

#include <stdlib.h>

#define BATCH 64 // configurations that are submitted at once

// A configuration to be checked, at its sizes.
struct planned {
    uint64_t index;
    const struct sized *sized;
};

// A record on its way to the caller.
struct item {
    struct check_record record;
    const struct sized *sized;
    struct twin twin;
    struct result *result;
    struct item *primary; // identical configuration, checked instead
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

    struct item **items; // by ticket
    uint64_t item_count;
    size_t item_room, record_room;
    struct twins twins;
    uint64_t outstanding; // begun, not yet handed out
    uint64_t handed_out;  // items below are records already

    const struct check_record **records; // handed out
    uint64_t record_count;
    struct findings findings;

    struct check_progress progress;
    uint64_t first_done_ns;   // when the first record that was checked here was there
    uint64_t first_locked_ns; // so long others had had the device by then
    uint64_t fresh_done;
    bool asking_ended;
    struct error why; // nothing more is asked, and it breaks once what runs has ended
};

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
    const struct cached_options cached = {.constants = c->subject.constants,
                                          .source = c->subject.source};
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
        c->o.setup.jobs = 1;
    }
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
    for (uint64_t i = 0; i < c->item_count; i++)
        result_free(c->items[i]->result);
    free(c->items);
    free(c->records);
    findings_release(&c->findings);
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

static struct item *check_item_new(struct check *c, const struct planned *p)
{
    const struct spec *spec = c->o.setup.spec;
    size_t count = (size_t)c->item_count + 1;
    bool has_room =
        ARRAY_ROOM(c->items, c->item_room, count) && ARRAY_ROOM(c->records, c->record_room, count);
    struct item *n = has_room ? arena_alloc(&c->arena, sizeof *n) : NULL;
    uint32_t *choice = arena_array(&c->arena, spec->parameter_count + 1, sizeof *choice);
    if (!n || !choice)
        return NULL;
    space_get(c->subject.space, p->index, choice);
    n->sized = p->sized;
    n->record = (struct check_record){
        .index = p->index, .choice = choice, .spec = p->sized->spec, .sizes = p->sized->text};
    if (!subject_texts(spec, choice, &c->arena, &n->record.configuration,
                       &n->record.configuration_json))
        return NULL;
    n->twin = (struct twin){.owner = n, .scope = p->sized};
    c->items[c->item_count++] = n;
    return n;
}

// The configuration's job at its sizes, or, where that is what is checked, its reference, which
// lives in the job's arena.
static bool make_check_job(struct check *c, struct item *n, struct job **out, struct error *e)
{
    const struct sized *v = n->sized;
    if (!sizes_translate(c->sizes, v, n->record.choice, c->choice))
        return error_set(e, ERROR_INTERNAL, "%s does not exist at %s", n->record.configuration,
                         v->text);
    if (!spec_job(v->spec, v->sources, c->o.setup.device, c->choice, out, e))
        return false;
    if (!c->o.of_reference)
        return true;
    struct job *j = *out;
    struct arena arena = j->arena;
    if (j->reference.kind != REFERENCE_JOB) {
        job_free(j);
        return error_set(e, ERROR_INPUT,
                         "%s: the spec's reference is no kernel that could be checked itself",
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
    uint64_t ticket = c->item_count;
    if (c->plan) {
        p = c->plan[ticket];
    } else {
        p.index = index_at(c, ticket);
        space_get(c->subject.space, p.index, c->choice);
        p.sized = sizes_choose(c->sizes, c->choice, e);
        if (!p.sized)
            return false;
    }
    struct item *n = check_item_new(c, &p);
    if (!n)
        return error_memory(e);
    c->outstanding++;
    if (!make_check_job(c, n, &job, &why))
        return subject_refusal(&why, &n->result) || error_memory(e);
    n->primary = twins_find(&c->twins, &n->twin, n->sized->spec, n->sized->sources, job);
    if (n->primary) {
        n->record.same_as = &n->primary->record;
        job_free(job);
        return true;
    }
    job->configuration = n->record.configuration;
    job->configuration_json = n->record.configuration_json;
    job->constants = n->sized->constants;
    return evaluator_submit(c->w.evaluator, ticket, job, e);
}

static bool submit_more(struct check *c, struct error *e)
{
    size_t room = evaluator_room(c->w.evaluator);
    for (size_t i = 0; i < room && i < BATCH && !c->asking_ended; i++) {
        if (c->item_count == c->count)
            c->asking_ended = true;
        else if (!check_next(c, e))
            return false;
    }
    return true;
}

// ---- answers -----------------------------------------------------------------------------------

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
static const struct check_record *finish_record(struct check *c, struct item *n, struct error *e)
{
    struct check_record *r = &n->record;
    struct check_progress *p = &c->progress;
    enum status status = n->result->status;
    r->result = n->result;
    r->verdict = judge_record(c, r);
    r->ordinal = c->record_count;
    c->records[c->record_count++] = r;
    c->outstanding--;
    p->by_status[status]++;
    p->by_verdict[r->verdict]++;
    if (r->verdict == CHECK_FAILED) {
        p->failed_by_status[status]++;
        p->spec_by_status[status] += fault_is_spec(r->result->fault);
        p->examples[status] = p->examples[status] ? p->examples[status] : r;
    }
    p->reused += r->result->reused;
    p->identical += !r->result->reused && r->same_as;
    if (!r->result->reused && !r->same_as) {
        c->fresh_done++;
        if (!c->first_done_ns) {
            struct evaluator_status now;
            evaluator_status(c->w.evaluator, &now);
            c->first_done_ns = clock_ns();
            c->first_locked_ns = now.times.span_ns[SPAN_LOCKED];
        }
    }
    return findings_add(&c->findings, r) || error_memory(e) ? r : NULL;
}

static bool take_races(struct check *c, struct item *n, struct error *e)
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

static const struct check_record *take_outcome(struct check *c, struct outcome *out,
                                               struct error *e)
{
    struct item *n = c->items[out->ticket];
    n->result = out->result;
    // The kernel's name or its arguments are wrong: as long as nothing worked, nothing will.
    if (n->result->fault == FAULT_SPEC && c->progress.by_status[STATUS_CORRECT] == 0) {
        c->asking_ended = true;
        error_set(&c->why, ERROR_INPUT, "KernelSpecification: %s", n->result->message);
        spec_error(c->o.setup.spec, &c->why);
        evaluator_cancel(c->w.evaluator);
    }
    // The simulator's log is of the job that ran last, and what was not built did not run.
    bool has_run = n->result->status != STATUS_COMPILE && n->result->status != STATUS_CONSTRAINTS;
    if (c->o.races_log && has_run && !take_races(c, n, e))
        return NULL;
    const struct check_record *r = finish_record(c, n, e);
    evaluator_drop(c->w.evaluator, out->ticket);
    return r;
}

// Items that need no evaluator: those that could not be made, and those identical to one that is
// done.
static const struct check_record *next_checked(struct check *c, struct error *e)
{
    for (uint64_t i = c->handed_out; i < c->item_count; i++) {
        struct item *n = c->items[i];
        bool handed_out = n->record.result != NULL;
        if (handed_out && i == c->handed_out)
            c->handed_out++;
        if (handed_out || (!n->result && (!n->primary || !n->primary->result)))
            continue;
        if (!n->result)
            n->result = result_clone(n->primary->result);
        if (!n->result) {
            error_memory(e);
            return NULL;
        }
        n->record.races = n->primary ? n->primary->record.races : NULL;
        return finish_record(c, n, e);
    }
    return NULL;
}

// ---- steps -------------------------------------------------------------------------------------

static enum workflow_answer step_check(void *workflow, int timeout_ms, const void **record,
                                       struct error *e)
{
    struct check *c = workflow;
    struct outcome out;
    if (c->plan && !c->asking_ended && !choose_sizes(c, timeout_ms, e))
        return e->code ? WORKFLOW_BROKEN : WORKFLOW_NOTHING;
    if (!submit_more(c, e))
        return WORKFLOW_BROKEN;
    *record = next_checked(c, e);
    if (*record || e->code)
        return *record ? WORKFLOW_RECORD : WORKFLOW_BROKEN;
    if (c->asking_ended && evaluator_idle(c->w.evaluator)) {
        *e = c->why;
        return c->why.code ? WORKFLOW_BROKEN : WORKFLOW_END;
    }
    int got = evaluator_take(c->w.evaluator, timeout_ms, &out, e);
    if (got < 0 && e->code == ERROR_INPUT)
        error_context(e, "KernelSpecification"), spec_error(c->o.setup.spec, e);
    if (got > 0 && !(*record = take_outcome(c, &out, e)))
        got = -1;
    return got < 0 ? WORKFLOW_BROKEN : got > 0 ? WORKFLOW_RECORD : WORKFLOW_NOTHING;
}

static void stop_check(void *workflow)
{
    ((struct check *)workflow)->asking_ended = true;
}

static const struct workflow_operations check_operations = {
    .step = step_check, .stop = stop_check, .release = release_check};

// ---- views -------------------------------------------------------------------------------------

static void fill_progress(struct check *c, struct check_progress *out)
{
    uint64_t now = clock_ns();
    *out = c->progress;
    workflow_progress(c, c->count, c->record_count, &out->common);
    out->valid = space_count(c->subject.space);
    out->sized = c->plan ? c->sized : c->count;
    uint64_t locked = out->common.evaluator.times.span_ns[SPAN_LOCKED];
    double worked = (double)(now - c->first_done_ns) - (double)(locked - c->first_locked_ns);
    double each = c->fresh_done > 1 && worked > 0 ? worked / (double)(c->fresh_done - 1) : 0;
    out->common.left_ns = (uint64_t)(each * (double)(c->count - c->record_count));
}

void check_view(struct check *c, struct check_view *out)
{
    fill_progress(c, &out->progress);
    out->subject = &c->subject;
    out->records = c->records;
    out->count = c->record_count;
    out->findings = c->findings.list;
    out->finding_count = c->findings.count;
}
