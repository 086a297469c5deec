#include "checks.h"

#include "base/process.h"
#include "eval/remember.h"
#include "findings.h"
#include "search/permutation.h"
#include "sizes.h"
#include "stages.h"

#include <stdlib.h>
#include <string.h>

#define BATCH 64 // configurations that are submitted at once

// What is to be checked: a configuration at its sizes.
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
    struct check_options o;
    struct stages stages;
    struct permutation permutation; // of a sample
    struct sizes *sizes;
    struct evaluator *evaluator;
    struct arena arena;

    uint64_t count;       // to be checked
    struct planned *plan; // in the order of checking; only where sizes are chosen
    uint64_t sized;       // of them have their sizes
    uint32_t *choice;     // scratch

    struct item **items; // by ticket
    uint64_t item_count, item_capacity;
    struct twins twins;
    uint64_t outstanding; // begun, not yet handed out
    uint64_t settled;     // items below were looked at by next_settled()

    const struct check_record **records; // handed out
    uint64_t record_count;
    struct findings findings;

    struct check_progress progress;
    uint64_t started_ns;
    uint64_t first_done_ns; // when the first record that was checked here was there
    uint64_t fresh_done;
    bool asking_ended, broken;
    struct error why;
};

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

static bool make_plan(struct check *c, struct error *e)
{
    uint64_t valid = space_count(c->stages.space), sample = c->o.sample;
    c->count = sample && sample < valid ? sample : valid;
    if (c->count < valid)
        permutation_init(&c->permutation, valid, c->o.seed);
    else
        c->o.sample = 0;
    c->sizes = sizes_new(&c->o, c->stages.sources, e);
    if (!c->sizes || c->o.smallest_count == 0)
        return c->sizes != NULL;
    if (c->count < SIZE_MAX / sizeof *c->plan)
        c->plan = malloc((size_t)c->count * sizeof *c->plan);
    return c->plan || error_set(e, ERROR_MEMORY, "no memory for the sizes of %llu configurations",
                                (unsigned long long)c->count);
}

static bool make_evaluator(struct check *c, struct error *e)
{
    const struct check_options *o = &c->o;
    struct live_options live = {.worker = o->worker,
                                .environment = o->environment,
                                .device = o->device,
                                .jobs = o->jobs ? o->jobs : live_default_jobs(o->device),
                                .terms = o->terms,
                                .build_only = o->build_only,
                                .no_timing = true,
                                .exact = o->races_log != NULL,
                                .own_reference = o->smallest_count > 0,
                                .leaving = o->leaving,
                                .spare = o->spare,
                                .log = o->log};
    struct remember_options remember = {.store = o->store,
                                        .fresh = o->fresh,
                                        .retry = o->retry,
                                        .lock_folder = o->build_only ? NULL : o->lock_folder,
                                        .spec_name = o->spec->name,
                                        .constants = c->stages.constants,
                                        .source = c->stages.source};
    if (live.jobs > c->count) // more would only open devices
        live.jobs = (uint32_t)c->count;
    c->evaluator = remember_new(&remember, &live, e);
    return c->evaluator != NULL;
}

static bool make_stages(struct check *c, struct error *e)
{
    const struct check_options *o = &c->o;
    struct stages_options so = {.spec = o->spec,
                                .device = o->device,
                                .log = o->log,
                                .configurations = o->configurations,
                                .configuration_count = o->configuration_count,
                                .where = o->where,
                                .where_count = o->where_count};
    c->choice = arena_array(&c->arena, o->spec->parameter_count + 1, sizeof *c->choice);
    if (!c->choice)
        return error_memory(e);
    return stages_make(&c->stages, &so, e) && make_plan(c, e) &&
           stages_begin(&c->stages, o->store, o->seed, o->command, o->host, e) &&
           make_evaluator(c, e);
}

struct check *check_new(const struct check_options *o, struct error *e)
{
    struct check *c = calloc(1, sizeof *c);
    if (!c) {
        error_memory(e);
        return NULL;
    }
    arena_init(&c->arena);
    c->o = *o;
    if (o->build_only)
        c->o.store = NULL;
    c->started_ns = clock_ns();
    if (make_stages(c, e))
        return c;
    check_free(c);
    return NULL;
}

void check_free(struct check *c)
{
    if (!c)
        return;
    evaluator_free(c->evaluator);
    for (uint64_t i = 0; i < c->item_count; i++)
        result_free(c->items[i]->result);
    free(c->items);
    free(c->records);
    findings_release(&c->findings);
    free(c->plan);
    sizes_free(c->sizes);
    stages_release(&c->stages);
    arena_release(&c->arena);
    free(c);
}

// ---- sizes -------------------------------------------------------------------------------------

static int by_size(const void *a, const void *b)
{
    const struct planned *x = a, *y = b;
    int order = x->sized == y->sized ? 0 : sizes_compare(x->sized, y->sized);
    return order ? order : x->index < y->index ? -1 : x->index > y->index;
}

// Chooses sizes until the time is up. True once all are chosen.
static bool plan_more(struct check *c, int timeout_ms, struct error *e)
{
    uint64_t until = clock_ns() + (uint64_t)(timeout_ms > 0 ? timeout_ms : 0) * 1000000;
    while (c->sized < c->count) {
        struct planned *p = &c->plan[c->sized];
        p->index = index_at(c, c->sized);
        space_get(c->stages.space, p->index, c->choice);
        p->sized = sizes_choose(c->sizes, c->choice, e);
        if (!p->sized)
            return false;
        if (++c->sized == c->count)
            qsort(c->plan, (size_t)c->count, sizeof *c->plan, by_size);
        else if (clock_ns() >= until)
            return false;
    }
    return true;
}

static bool next_planned(struct check *c, struct planned *out, struct error *e)
{
    if (c->plan) {
        *out = c->plan[c->item_count];
        return true;
    }
    out->index = index_at(c, c->item_count);
    space_get(c->stages.space, out->index, c->choice);
    out->sized = sizes_choose(c->sizes, c->choice, e);
    return out->sized != NULL;
}

// ---- items -------------------------------------------------------------------------------------

static bool grow(struct check *c)
{
    if (c->item_count < c->item_capacity)
        return true;
    uint64_t capacity = c->item_capacity ? 2 * c->item_capacity : 64;
    struct item **items = realloc(c->items, capacity * sizeof(*items));
    if (items)
        c->items = items;
    const struct check_record **records = realloc(c->records, capacity * sizeof(*records));
    if (records)
        c->records = records;
    if (!items || !records)
        return false;
    c->item_capacity = capacity;
    return true;
}

static struct item *item_new(struct check *c, const struct planned *p)
{
    const struct spec *spec = c->o.spec;
    struct item *n = grow(c) ? arena_alloc(&c->arena, sizeof *n) : NULL;
    uint32_t *choice = arena_array(&c->arena, spec->parameter_count + 1, sizeof *choice);
    if (!n || !choice)
        return NULL;
    space_get(c->stages.space, p->index, choice);
    n->sized = p->sized;
    n->record = (struct check_record){
        .index = p->index, .choice = choice, .spec = p->sized->spec, .sizes = p->sized->text};
    if (!stages_texts(spec, choice, &c->arena, &n->record.configuration,
                      &n->record.configuration_json))
        return NULL;
    n->twin = (struct twin){.owner = n, .scope = p->sized};
    c->items[c->item_count++] = n;
    return n;
}

// A configuration that cannot even be made into a job is a result too.
static bool fail_item(struct item *n, const struct error *why)
{
    n->result = result_new();
    if (!n->result)
        return false;
    result_fail(n->result, STATUS_CONSTRAINTS, stages_fault(why), "%s", why->text);
    return true;
}

// The reference lives in the job's arena.
static bool become_reference(const struct check *c, struct job *j, struct error *e)
{
    struct arena arena = j->arena;
    if (j->reference.kind != REFERENCE_JOB)
        return error_set(e, ERROR_INPUT,
                         "%s: the spec's reference is no kernel that could be "
                         "checked itself",
                         c->o.spec->path);
    *j = *j->reference.job;
    j->arena = arena;
    return true;
}

static bool make_own_job(struct check *c, struct item *n, struct job **out, struct error *e);

static bool make_job(struct check *c, struct item *n, struct job **out, struct error *e)
{
    if (!make_own_job(c, n, out, e))
        return false;
    if (!c->o.of_reference || become_reference(c, *out, e))
        return true;
    job_free(*out);
    return false;
}

static bool make_own_job(struct check *c, struct item *n, struct job **out, struct error *e)
{
    const struct sized *v = n->sized;
    if (!sizes_translate(c->sizes, v, n->record.choice, c->choice))
        return error_set(e, ERROR_INTERNAL, "%s does not exist at %s", n->record.configuration,
                         v->text);
    return spec_job(v->spec, v->sources, c->o.device, c->choice, out, e);
}

static bool start_item(struct check *c, const struct planned *p, struct error *e)
{
    struct error why = ERROR_INIT;
    struct job *job = NULL;
    uint64_t ticket = c->item_count;
    struct item *n = item_new(c, p);
    if (!n)
        return error_memory(e);
    c->outstanding++;
    if (!make_job(c, n, &job, &why))
        return (why.code != ERROR_MEMORY && fail_item(n, &why)) || error_memory(e);
    n->primary = twins_find(&c->twins, &n->twin, n->sized->spec, n->sized->sources, job);
    if (n->primary) {
        n->record.same_as = &n->primary->record;
        job_free(job);
        return true;
    }
    job->configuration = n->record.configuration;
    job->configuration_json = n->record.configuration_json;
    job->constants = n->sized->constants;
    return evaluator_submit(c->evaluator, ticket, job, e);
}

static bool ask_more(struct check *c, struct error *e)
{
    size_t room = evaluator_room(c->evaluator);
    for (size_t i = 0; i < room && i < BATCH && !c->asking_ended; i++) {
        struct planned p;
        if (c->item_count == c->count)
            c->asking_ended = true;
        else if (!next_planned(c, &p, e) || !start_item(c, &p, e))
            return false;
    }
    return true;
}

// ---- answers -----------------------------------------------------------------------------------

static enum check_verdict judge(const struct check *c, const struct check_record *r)
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
    bool is_unverified = !c->o.build_only && result->verification == VERIFICATION_NONE;
    return is_unverified && !c->o.allow_unverified ? CHECK_UNVERIFIED : CHECK_PASSED;
}

static void count_record(struct check *c, const struct check_record *r)
{
    struct check_progress *p = &c->progress;
    enum status status = r->result->status;
    p->by_status[status]++;
    p->by_verdict[r->verdict]++;
    if (r->verdict == CHECK_FAILED) {
        p->failed_by_status[status]++;
        p->spec_by_status[status] += fault_is_spec(r->result->fault);
        p->examples[status] = p->examples[status] ? p->examples[status] : r;
    }
    p->reused += r->result->reused;
    p->identical += !r->result->reused && r->same_as;
    if (r->result->reused || r->same_as)
        return;
    c->fresh_done++;
    if (!c->first_done_ns)
        c->first_done_ns = clock_ns();
}

static const struct check_record *finish_item(struct check *c, struct item *n)
{
    struct check_record *r = &n->record;
    r->result = n->result;
    r->verdict = judge(c, r);
    r->ordinal = c->record_count;
    c->records[c->record_count++] = r;
    c->outstanding--;
    count_record(c, r);
    return r;
}

// The kernel name or argument count is wrong: as long as nothing worked, nothing will.
static void break_off_hopeless_spec(struct check *c, const struct item *n)
{
    if (n->result->fault != FAULT_SPEC || c->progress.by_status[STATUS_CORRECT] > 0)
        return;
    c->broken = true;
    error_set(&c->why, ERROR_INPUT, "%s: KernelSpecification: %s", c->o.spec->path,
              n->result->message);
    evaluator_cancel(c->evaluator);
    c->asking_ended = true;
}

// The simulator's log is of the job that ran last: one that was not built, or was refused, did not.
static bool has_run(const struct result *r)
{
    return r->status != STATUS_COMPILE && r->status != STATUS_CONSTRAINTS;
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
    if (!make_job(c, n, &job, e))
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
    break_off_hopeless_spec(c, n);
    if (c->o.races_log && has_run(n->result) && !take_races(c, n, e))
        return NULL;
    const struct check_record *r = finish_item(c, n);
    evaluator_drop(c->evaluator, out->ticket);
    return findings_add(&c->findings, r) || error_memory(e) ? r : NULL;
}

// Items that need no evaluator: those that could not be made, and those identical to one that is
// done.
static const struct check_record *next_settled(struct check *c, struct error *e)
{
    for (uint64_t i = c->settled; i < c->item_count; i++) {
        struct item *n = c->items[i];
        bool handed_out = n->record.result != NULL;
        if (handed_out && i == c->settled)
            c->settled++;
        if (handed_out || (!n->result && (!n->primary || !n->primary->result)))
            continue;
        if (!n->result)
            n->result = result_clone(n->primary->result);
        if (!n->result) {
            error_memory(e);
            return NULL;
        }
        n->record.races = n->primary ? n->primary->record.races : NULL;
        const struct check_record *r = finish_item(c, n);
        return findings_add(&c->findings, r) || error_memory(e) ? r : NULL;
    }
    return NULL;
}

// ---- steps -------------------------------------------------------------------------------------

static enum check_answer fail(struct check *c, const struct error *why, struct error *e)
{
    c->broken = true;
    c->asking_ended = true;
    if (e)
        *e = *why;
    return CHECK_BROKEN;
}

static bool is_over(struct check *c)
{
    return c->asking_ended && evaluator_idle(c->evaluator);
}

static enum check_answer take(struct check *c, int timeout_ms, const struct check_record **record,
                              struct error *why)
{
    struct outcome out;
    int got = evaluator_take(c->evaluator, timeout_ms, &out, why);
    if (got < 0 && why->code == ERROR_INPUT)
        error_context(why, "%s: KernelSpecification", c->o.spec->path);
    if (got > 0 && !(*record = take_outcome(c, &out, why)))
        got = -1;
    return got < 0 ? CHECK_BROKEN : got > 0 ? CHECK_RECORD : CHECK_NOTHING;
}

enum check_answer check_step(struct check *c, int timeout_ms, const struct check_record **record,
                             struct error *e)
{
    struct error why = ERROR_INIT;
    *record = NULL;
    if (c->broken && c->why.code && is_over(c))
        return fail(c, &c->why, e);
    if (c->plan && !c->asking_ended && !plan_more(c, timeout_ms, &why))
        return why.code ? fail(c, &why, e) : CHECK_NOTHING;
    if (!c->broken && !ask_more(c, &why))
        return fail(c, &why, e);
    *record = next_settled(c, &why);
    if (*record || why.code)
        return *record ? CHECK_RECORD : fail(c, &why, e);
    if (is_over(c))
        return c->broken ? fail(c, &c->why, e) : CHECK_END;
    enum check_answer answer = take(c, timeout_ms, record, &why);
    return answer == CHECK_BROKEN ? fail(c, &why, e) : answer;
}

void check_cancel(struct check *c)
{
    c->progress.cancelled = true;
    c->asking_ended = true;
    evaluator_cancel(c->evaluator);
}

// ---- views -------------------------------------------------------------------------------------

static uint64_t estimate_left(const struct check *c, uint64_t now)
{
    uint64_t left = c->count > c->record_count ? c->count - c->record_count : 0;
    if (c->fresh_done < 2 || left == 0)
        return 0;
    double each = (double)(now - c->first_done_ns) / (double)(c->fresh_done - 1);
    return (uint64_t)(each * (double)left);
}

void check_progress(struct check *c, struct check_progress *out)
{
    uint64_t now = clock_ns();
    *out = c->progress;
    out->valid = space_count(c->stages.space);
    out->planned = c->count;
    out->sized = c->plan ? c->sized : c->count;
    out->done = c->record_count;
    out->elapsed_ns = now - c->started_ns;
    out->left_ns = estimate_left(c, now);
    evaluator_status(c->evaluator, &out->evaluator);
}

const struct space *check_space(const struct check *c)
{
    return c->stages.space;
}

void check_source_digest(const struct check *c, struct digest *out)
{
    *out = c->stages.source;
}

enum verification check_verification(const struct check *c, const char **against)
{
    *against = c->stages.against;
    return c->stages.verification;
}

const struct check_record *const *check_records(const struct check *c, size_t *count)
{
    *count = c->record_count;
    return c->records;
}

const struct check_finding *check_findings(const struct check *c, size_t *count)
{
    *count = c->findings.count;
    return c->findings.list;
}
