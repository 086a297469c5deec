// The workflows that have no public handle of their own, under one: what a workflow borrows (its workers, terms, texts,
// log) is set up as for a tune and lives as long as it does, and a row of functions drives it whatever it is.
#include "lib/engine.h"
#include "lib/handle.h"

#include <stdlib.h>

struct engine_operations {
    enum workflow_answer (*step)(void *workflow, int timeout_ms, const void **record,
                                 struct error *e);
    void (*cancel)(void *workflow);
    void (*free)(void *workflow); // NULL is fine
};

struct engine_run {
    const struct engine_operations *operations;
    struct tune_setup setup;
    void *workflow;
    uint32_t sides;           // of a comparison
    struct tune_setup *tunes; // of a sweep's lines
    uint32_t tune_count;
};

enum workflow_answer engine_step(struct engine_run *r, int timeout_ms, const void **record,
                                 struct error *e)
{
    return r->operations->step(r->workflow, timeout_ms, record, e);
}

void engine_cancel(struct engine_run *r)
{
    r->operations->cancel(r->workflow);
}

void engine_free(struct engine_run *r)
{
    if (!r)
        return;
    r->operations->free(r->workflow);
    for (uint32_t i = 0; i < r->tune_count; i++)
        setup_release(&r->tunes[i]);
    free(r->tunes);
    setup_release(&r->setup);
    free(r);
}

// NULL `o`: it needs no device.
static struct engine_run *new_run(const struct engine_operations *operations,
                                  const struct hone_tune_options *o, struct error *e)
{
    struct engine_run *r = calloc(1, sizeof *r);
    if (r)
        r->operations = operations;
    if (r ? !o || setup_init(&r->setup, o, e) : error_memory(e))
        return r;
    engine_free(r);
    return NULL;
}

// With its workflow; NULL where there is none.
static struct engine_run *started_run(struct engine_run *r)
{
    if (r->workflow)
        return r;
    engine_free(r);
    return NULL;
}

// The row of a workflow, and what its functions do with an object whose type they know again.
#define OPERATIONS(workflow)                                                                       \
    static enum workflow_answer step_##workflow(void *w, int timeout_ms, const void **record,      \
                                                struct error *e)                                   \
    {                                                                                              \
        const struct workflow##_record *found = NULL;                                              \
        enum workflow_answer answer = workflow##_step(w, timeout_ms, &found, e);                   \
        *record = found;                                                                           \
        return answer;                                                                             \
    }                                                                                              \
    static void cancel_##workflow(void *w)                                                         \
    {                                                                                              \
        workflow##_cancel(w);                                                                      \
    }                                                                                              \
    static void free_##workflow(void *w)                                                           \
    {                                                                                              \
        if (w)                                                                                     \
            workflow##_free(w);                                                                    \
    }                                                                                              \
    static const struct engine_operations workflow##_operations = {                                \
        step_##workflow, cancel_##workflow, free_##workflow};

OPERATIONS(peak)
OPERATIONS(score)
OPERATIONS(check)
OPERATIONS(compare)
OPERATIONS(sweep)

// ---- peak ---------------------------------------------------------------------------------------

struct engine_run *engine_peak_new(const struct hone_tune_options *o, struct error *e)
{
    struct engine_run *r = new_run(&peak_operations, o, e);
    if (!r)
        return NULL;
    const struct tune_options *t = &r->setup.options;
    const struct peak_options options = {.device = t->device,
                                         .worker = t->worker,
                                         .environment = t->environment,
                                         .lock_folder = t->lock_folder,
                                         .store = t->store,
                                         .terms = t->terms,
                                         .jobs = t->jobs,
                                         .leaving = t->leaving,
                                         .spare = t->spare,
                                         .command = t->command,
                                         .host = t->host,
                                         .log = t->log};
    r->workflow = peak_new(&options, e);
    return started_run(r);
}

void engine_peak_progress(const struct engine_run *r, struct workflow_progress *out)
{
    peak_progress(r->workflow, out);
}

const struct peak *engine_peak_found(const struct engine_run *r)
{
    return peak_found(r->workflow);
}

bool engine_peak_known(struct hone_store *st, const struct device_info *d, struct arena *a,
                       struct peak *out, struct error *e)
{
    return peak_find(store_of(st), d, a, out, e);
}

// ---- score --------------------------------------------------------------------------------------

struct engine_run *engine_score_new(const struct score_options *o, struct error *e)
{
    struct engine_run *r = new_run(&score_operations, NULL, e);
    if (!r)
        return NULL;
    r->workflow = score_new(o, e);
    return started_run(r);
}

void engine_score_progress(const struct engine_run *r, struct workflow_progress *out)
{
    score_progress(r->workflow, out);
}

const struct score_mean *engine_score_means(const struct engine_run *r, uint32_t *count)
{
    return score_means(r->workflow, count);
}

// ---- check --------------------------------------------------------------------------------------

struct engine_run *engine_check_new(const struct hone_tune_options *o,
                                    const struct engine_check *how, struct error *e)
{
    struct engine_run *r = new_run(&check_operations, o, e);
    if (!r)
        return NULL;
    const struct tune_options *t = &r->setup.options;
    struct check_options options = {.spec = t->spec,
                                    .spec_options = how->spec_options,
                                    .device = t->device,
                                    .worker = how->worker ? how->worker : t->worker,
                                    .environment = how->worker ? how->environment : t->environment,
                                    .store = t->store,
                                    .lock_folder = t->lock_folder,
                                    .log = t->log,
                                    .configurations = t->configurations,
                                    .configuration_count = t->configuration_count,
                                    .where = t->where,
                                    .where_count = t->where_count,
                                    .smallest = how->smallest,
                                    .smallest_count = how->smallest_count,
                                    .sample = how->sample,
                                    .seed = t->seed,
                                    .jobs = t->jobs,
                                    .terms = t->terms,
                                    .fresh = t->fresh,
                                    .retry = t->retry,
                                    .build_only = t->build_only,
                                    .leaving = t->leaving,
                                    .spare = t->spare,
                                    .allowed = how->allowed,
                                    .allow_unverified = how->allow_unverified,
                                    .of_reference = how->of_reference,
                                    .races_log = how->races_log,
                                    .command = t->command,
                                    .host = t->host};
    if (how->races_log) {
        // A result tells nothing of races: the store can neither answer nor keep one. Each check
        // has a simulator of its own, and nothing is timed: nobody needs to wait for another.
        options.store = NULL;
        options.lock_folder = NULL;
        options.jobs = 1;
        if (!o->launch_limit_ns)
            options.terms.launch_limit_ns = RACES_LAUNCH_LIMIT_NS;
    }
    r->workflow = check_new(&options, e);
    return started_run(r);
}

void engine_checked(const struct engine_run *r, struct engine_checked *out)
{
    struct check *c = r->workflow;
    check_progress(c, &out->progress);
    out->records = check_records(c, &out->count);
    out->findings = check_findings(c, &out->finding_count);
    out->space = check_space(c);
    check_source_digest(c, &out->source);
    out->verification = check_verification(c, &out->against);
}

// ---- compare ------------------------------------------------------------------------------------

struct engine_run *engine_compare_new(const struct hone_tune_options *o,
                                      const struct engine_compare *how, struct error *e)
{
    struct engine_run *r = new_run(&compare_operations, o, e);
    if (!r)
        return NULL;
    struct tune_options *t = &r->setup.options;
    t->terms.rules.fixed = 0;
    const struct compare_options options = {.sides = how->sides,
                                            .side_count = how->side_count,
                                            .worker = t->worker,
                                            .environment = t->environment,
                                            .lock_folder = t->lock_folder,
                                            .log = t->log,
                                            .leaving = t->leaving,
                                            .choices = how->choices,
                                            .configurations = t->configurations,
                                            .configuration_count = t->configuration_count,
                                            .where = t->where,
                                            .where_count = t->where_count,
                                            .chosen = how->chosen,
                                            .chosen_count = how->chosen_count,
                                            .sample = how->sample,
                                            .seed = t->seed,
                                            .rounds = how->rounds,
                                            .jobs = t->jobs,
                                            .terms = t->terms,
                                            .command = t->command,
                                            .host = t->host};
    r->sides = how->side_count;
    r->workflow = compare_new(&options, e);
    return started_run(r);
}

void engine_compared(const struct engine_run *r, struct engine_compared *out)
{
    struct compare *c = r->workflow;
    compare_progress(c, &out->progress);
    out->records = compare_records(c, &out->count);
    out->level = r->setup.options.terms.rules.level;
    out->compare = c;
}

bool engine_compare_load(struct engine_run *r, const struct compare_record *record, struct error *e)
{
    const struct compare_record *records[COMPARE_SIDES];
    for (uint32_t i = 0; i < r->sides; i++)
        records[i] = record;
    return compare_load(r->workflow, records, e);
}

bool engine_compare_fetch(struct engine_run *r, uint32_t side, enum fetch what, const char **kernel,
                          struct text *out, struct error *e)
{
    return compare_fetch(r->workflow, side, what, kernel, out, e);
}

void engine_compare_name(const char *spec, const char *what, struct text *out)
{
    compare_name(spec, what, out);
}

// ---- sweep --------------------------------------------------------------------------------------

struct engine_run *engine_sweep_new(const struct sweep_options *o,
                                    const struct hone_tune_options *tunes, struct error *e)
{
    struct engine_run *r = new_run(&sweep_operations, NULL, e);
    if (!r)
        return NULL;
    struct sweep_options options = *o;
    struct sweep_line *lines = arena_array(&r->setup.arena, o->line_count, sizeof *lines);
    r->tunes = calloc(o->line_count, sizeof *r->tunes);
    bool ok = (lines && r->tunes) || error_memory(e);
    for (uint32_t i = 0; ok && i < o->line_count; i++) {
        r->tune_count++;
        ok = setup_tune(&r->tunes[i], &tunes[i], e);
        lines[i] = o->lines[i];
        lines[i].tune = r->tunes[i].options;
        lines[i].tune.device = o->lines[i].tune.device;
    }
    options.lines = lines;
    r->workflow = ok ? sweep_new(&options, e) : NULL;
    return started_run(r);
}

void engine_swept(const struct engine_run *r, struct engine_swept *out)
{
    sweep_progress(r->workflow, &out->progress);
    out->records = sweep_records(r->workflow, &out->count);
}
