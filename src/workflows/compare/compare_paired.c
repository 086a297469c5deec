// A paired run, one configuration on all sides, from its jobs to its ratio: its jobs are made and
// submitted (or it is found to be the same work as an earlier one), the evaluator builds, loads and
// verifies them, final_ranking.c launches those that work in turn, and what came of it is
// summarised, compared and stored. compare.c drives these steps.
#include "workflows/compare/compare_inside.h"

#include "runner/several.h"

#include <math.h>
#include <string.h>
#include <sys/random.h>

// ---- jobs --------------------------------------------------------------------------------------

// Behind the spec's own options, so that they decide.
static bool add_flags(struct job *job, const struct compare_side *side)
{
    for (uint32_t p = 0; p < job->program_count && side->flag_count > 0; p++) {
        struct job_program *program = &job->programs[p];
        uint32_t count = program->option_count;
        const char **all = arena_array(&job->arena, count + side->flag_count, sizeof(char *));
        if (!all)
            return false;
        for (uint32_t i = 0; i < count; i++)
            all[i] = program->options[i];
        for (uint32_t i = 0; i < side->flag_count; i++)
            all[count + i] = arena_strdup(&job->arena, side->flags[i]);
        program->options = all;
        program->option_count = count + side->flag_count;
    }
    return true;
}

static bool make_side_job(struct side *s, const struct compare_entry *entry, struct slot *n)
{
    struct error why = ERROR_INIT;
    bool ok = s->o.routine == ROUTINE_NONE
                  ? spec_job(s->o.spec, s->subject.sources, s->device, entry->choice, &n->job, &why)
                  : spec_routine_job(s->o.spec, s->subject.sources, s->device, entry->choice,
                                     s->o.routine, s->o.routine_library, &n->job, &why);
    if (ok && s->o.code && !job_use_code(n->job, s->o.code, &why)) {
        job_free(n->job);
        n->job = NULL;
        ok = false;
    }
    if (!ok)
        return subject_refusal(&why, &n->result);
    n->job->configuration = entry->configuration;
    n->job->configuration_json = entry->configuration_json;
    return add_flags(n->job, &s->o);
}

static bool take_stored_side(const struct side *s, const struct compare_entry *entry,
                             struct slot *n)
{
    struct text text = TEXT_INIT;
    spec_configuration_text(s->o.spec, entry->choice, true, &text);
    for (size_t i = 0; i < s->o.stored->count && !n->result; i++) {
        if (str_equal(s->texts[i], text_cstr(&text)))
            n->result = result_clone(s->o.stored->entries[i].result);
    }
    bool ok = n->result && !text.failed;
    text_release(&text);
    return ok;
}

// The earlier paired run that is the same work on every side, or NULL. Every side's table hears of
// it.
static struct paired_run *find_identical_run(struct compare *c, struct paired_run *h)
{
    struct paired_run *same = NULL;
    bool all = true;
    for (uint32_t i = 0; i < c->side_count; i++) {
        struct side *s = &c->sides[i];
        struct slot *n = &h->slots[i];
        struct paired_run *other =
            n->job ? twins_find(&s->twins, &n->twin, s->o.spec, s->subject.sources, n->job) : NULL;
        all = all && other && (i == 0 || other == same);
        same = other;
    }
    return all ? same : NULL;
}

static void free_unsubmitted_jobs(struct compare *c, struct paired_run *h)
{
    for (uint32_t i = 0; i < c->side_count; i++) {
        if (!h->slots[i].submitted)
            job_free(h->slots[i].job);
        h->slots[i].job = NULL;
    }
}

bool paired_run_start(struct compare *c, struct paired_run *h, struct error *e)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < c->side_count; i++) {
        struct side *s = &c->sides[i];
        ok = s->o.stored ? take_stored_side(s, &h->record.entries[i], &h->slots[i])
                         : make_side_job(s, &h->record.entries[i], &h->slots[i]);
    }
    if (!ok)
        return error_memory(e);
    if (!h->loads && c->started < c->planned)
        h->primary = find_identical_run(c, h);
    if (h->primary) {
        free_unsubmitted_jobs(c, h);
        h->record.same_as = &h->primary->record;
        return true;
    }
    for (uint32_t i = 0; i < c->side_count; i++) {
        struct slot *n = &h->slots[i];
        if (!n->job)
            continue;
        n->ticket = several_ticket(c->sides[i].member, c->tickets++);
        n->submitted = true;
        if (!evaluator_submit(c->w.evaluator, n->ticket, n->job, e)) {
            n->dropped = true; // it took the job all the same
            n->job = NULL;
            return false;
        }
    }
    return true;
}

bool paired_run_is_ready(const struct compare *c, const struct paired_run *h)
{
    for (uint32_t i = 0; i < c->side_count; i++) {
        if (h->slots[i].submitted && !h->slots[i].result)
            return false;
    }
    return true;
}

void paired_run_answer(void *compare, struct outcome *out)
{
    struct compare *c = compare;
    for (uint64_t i = c->finished; i < c->started; i++) {
        for (uint32_t s = 0; s < c->side_count; s++) {
            struct slot *n = &c->paired_runs[i]->slots[s];
            if (!n->submitted || n->ticket != out->ticket || n->result)
                continue;
            n->result = out->result;
            return;
        }
    }
    result_free(out->result);
}

void paired_run_drop(struct compare *c, struct paired_run *h)
{
    for (uint32_t i = 0; i < c->side_count; i++) {
        struct slot *n = &h->slots[i];
        if (n->submitted && !n->dropped)
            evaluator_drop(c->w.evaluator, n->ticket);
        n->dropped = n->submitted;
        n->job = n->submitted ? NULL : n->job;
    }
}

void paired_run_release(struct compare *c, struct paired_run *h)
{
    free_unsubmitted_jobs(c, h);
    for (uint32_t i = 0; i < c->side_count; i++)
        result_free(h->slots[i].result);
}

// ---- rounds -------------------------------------------------------------------------------------

bool paired_run_end(struct compare *c, struct paired_run *h, struct error *e)
{
    c->finalist_count = 0;
    for (uint32_t i = 0; i < c->side_count; i++) {
        const struct slot *n = &h->slots[i];
        bool works = n->result && n->result->status == STATUS_CORRECT;
        if (!works && !c->o.choices) // a pair without one of its sides
            return true;
        if (!works || c->sides[i].o.stored)
            continue;
        struct finalist *at = &c->finalists[c->finalist_count];
        *at = (struct finalist){.ticket = n->ticket, .estimate_ns = n->result->verify_launch_ns};
        at->estimate_ns = at->estimate_ns ? at->estimate_ns : 1;
        c->side_of[c->finalist_count++] = i;
    }
    if (c->finalist_count == 0)
        return true;
    struct final_ranking_options o = {
        .evaluator = c->w.evaluator,
        .rules = &c->rules,
        .device = &c->common,
        .seeds = {.order = c->o.setup.seed + c->finished, .decision = c->o.setup.seed},
        .finalists = c->finalists,
        .count = c->finalist_count,
        .late = paired_run_answer,
        .context = c};
    lanes_use(&c->lanes, c->w.evaluator, &c->o.setup, &o);
    c->final_ranking = final_ranking_new(&o, e);
    return c->final_ranking != NULL;
}

// ---- the store ---------------------------------------------------------------------------------

// Stores measured results, and failures of the job itself. A library that cannot be called on this
// machine is not a property of the job.
static bool store_side(struct compare *c, const struct side *s, const struct slot *n,
                       struct error *e)
{
    const struct result *r = n->result;
    if (!s->o.store || !n->job || !r ||
        (s->o.routine != ROUTINE_NONE && r->status == STATUS_CONSTRAINTS))
        return true;
    bool own = r->fault == FAULT_CONFIGURATION || r->fault == FAULT_LOST;
    if (r->status == STATUS_CORRECT ? r->sample_count == 0 : !own)
        return true;
    struct store_job job = {.job = n->job, .as = s->subject.as};
    struct policy policy = {.launches = r->sample_count,
                            .batch = r->batch ? r->batch : 1,
                            .warmups = r->warmups,
                            .launch_limit_ns = c->o.setup.terms.launch_limit_ns,
                            .build_limit_ns = c->o.setup.terms.build_limit_ns,
                            .cold = c->o.setup.terms.cold};
    if (s->o.routine != ROUTINE_NONE) // what the library said of itself when it was called
        n->job->routine_about = r->log;
    job_key(n->job, s->device, &job.key);
    return store_put(s->o.store, &job, &policy, r, e);
}

// ---- what came of it ---------------------------------------------------------------------------

// Pairs of one round see the same machine; what comes from the store was measured some other day.
static void compare_pair(struct compare *c, struct compare_record *r)
{
    const struct result *a = r->entries[0].result, *b = r->entries[1].result;
    double margin = log(c->rules.alike), level = c->rules.level;
    uint64_t resolution = c->common.timer_ns / (r->batch ? r->batch : 1);
    r->compared = true;
    if (!r->in_turn) {
        differ_ratio(a->samples_ns, a->sample_count, b->samples_ns, b->sample_count, level,
                     resolution, &r->ratio);
        r->probability =
            differ_rank_sum(a->samples_ns, a->sample_count, b->samples_ns, b->sample_count, margin);
        return;
    }
    size_t count = a->sample_count < b->sample_count ? a->sample_count : b->sample_count;
    stats_paired_ratio(a->samples_ns, b->samples_ns, count, level, resolution, &r->ratio);
    r->probability = differ_paired(a->samples_ns, b->samples_ns, count, margin);
}

static void copy_primary_run(struct compare *c, struct paired_run *h)
{
    struct compare_record *r = &h->record;
    const struct compare_record *from = &h->primary->record;
    for (uint32_t i = 0; i < c->side_count; i++) {
        struct compare_entry own = r->entries[i];
        r->entries[i] = from->entries[i];
        r->entries[i].configuration = own.configuration;
        r->entries[i].configuration_json = own.configuration_json;
        r->entries[i].choice = own.choice;
    }
    r->rounds = from->rounds;
    r->in_turn = from->in_turn;
    r->batch = from->batch;
    r->compared = from->compared;
    r->ratio = from->ratio;
    r->probability = from->probability;
}

// Each job's earlier result gets the samples of the rounds in place of its own.
static bool end_paired_rounds(struct compare *c, struct paired_run *h)
{
    struct final_ranking_status status;
    struct compare_record *r = &h->record;
    uint8_t id[16];
    bool ok = true;
    final_ranking_status(c->final_ranking, &status);
    if (getrandom(id, sizeof id, 0) != (ssize_t)sizeof id) // then it cannot be found again
        memset(id, 0, sizeof id);
    c->progress.launches += status.launches;
    r->rounds = status.rounds;
    r->repeated = status.repeated;
    r->marked = status.marked;
    r->batch = status.batch;
    r->in_turn = c->finalist_count == c->side_count;
    for (size_t i = 0; i < c->finalist_count; i++) {
        struct finalist *f = &c->finalists[i];
        struct compare_entry *entry = &r->entries[c->side_of[i]];
        struct result *result = h->slots[c->side_of[i]].result;
        result->batch = status.batch;
        result->warmups = status.warmups;
        memcpy(result->ranking, id, sizeof id);
        ok = (f->failure ? result_merge(result, f->failure)
                         : finalist_give(f, STOP_COMPARED, result)) &&
             ok;
        entry->ranked = status.decided && !f->failure;
        entry->rank = f->entry;
    }
    final_ranking_free(c->final_ranking);
    c->final_ranking = NULL;
    finalists_release(c->finalists, c->finalist_count);
    return lanes_end(&c->lanes) && ok;
}

bool paired_run_finish(struct compare *c, struct paired_run *h, struct error *e)
{
    bool ok = true;
    if (h->primary) {
        copy_primary_run(c, h);
        return true;
    }
    if (c->final_ranking && !end_paired_rounds(c, h))
        return error_memory(e);
    for (uint32_t i = 0; i < c->side_count; i++) {
        const struct slot *n = &h->slots[i];
        struct compare_entry *entry = &h->record.entries[i];
        const uint64_t *samples;
        uint32_t count;
        entry->result = n->result;
        entry->timed = n->result && result_samples(n->result, &samples, &count) && count > 0;
        if (entry->timed)
            stats_summarise(samples, count, c->common.timer_ns, &entry->stats);
        c->sides[i].correct += n->result && n->result->status == STATUS_CORRECT;
        c->progress.launches += n->submitted && n->result && n->result->verify_launch_ns > 0;
        ok = ok && store_side(c, &c->sides[i], n, e);
    }
    if (c->side_count == 2 && h->record.entries[0].timed && h->record.entries[1].timed)
        compare_pair(c, &h->record);
    paired_run_drop(c, h);
    return ok;
}
