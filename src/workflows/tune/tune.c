#include "tune_inside.h"

#include "base/process.h"
#include "eval/remember.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// How long one question to the store may wait for another process's lock within a step.
#define STORE_STEP_MS 50

// ---- making ------------------------------------------------------------------------------------

struct evaluator *tune_make_evaluator(struct tune *t, struct error *e)
{
    const struct tune_options *o = &t->o;
    if (o->replay)
        return tune_replay_evaluator(t, e);
    struct live_options live = {.worker = o->worker,
                                .environment = o->environment,
                                .device = o->device,
                                .jobs = o->jobs,
                                .terms = o->terms,
                                .build_only = o->build_only,
                                .no_timing = o->no_timing,
                                .leaving = o->leaving,
                                .spare = o->spare,
                                .log = o->log};
    bool storing = o->store && !o->build_only;
    struct remember_options remember = {.store = storing ? o->store : NULL,
                                        .fresh = o->fresh,
                                        .alone = space_count(t->stages.space) == 1,
                                        .retry = o->retry,
                                        .lock_folder = o->build_only ? NULL : o->lock_folder,
                                        .spec_name = o->spec->name,
                                        .constants = t->stages.constants,
                                        .source = t->stages.source};
    // More workers than jobs would only open devices.
    if (!live.jobs)
        live.jobs = live_default_jobs(o->device);
    if (live.jobs > t->planned)
        live.jobs = (uint32_t)t->planned;
    return remember_new(&remember, &live, e);
}

// As far as it is known: a time may end the tune earlier.
static uint64_t configurations_to_ask(const struct tune *t)
{
    bool covers = t->planned >= space_count(t->stages.space);
    return t->o.budget.nanoseconds > 0 && covers ? 0 : t->planned;
}

// The evaluator says how many it keeps under way at once, since it starts with none.
static bool make_strategy(struct tune *t, struct error *e)
{
    size_t room = evaluator_room(t->evaluator);
    struct strategy_setup setup = {.space = t->stages.space,
                                   .budget = configurations_to_ask(t),
                                   .seed = t->o.seed,
                                   .in_flight = (uint32_t)(room < t->planned ? room : t->planned)};
    t->strategy = directions_new(t->o.strategy, &setup, &t->o.goal, e);
    return t->strategy != NULL;
}

static bool name_part(struct tune *t)
{
    struct text text = TEXT_INIT;
    const struct tune_options *o = &t->o;
    bool ok = part_text(o->configurations, o->configuration_count, o->where, o->where_count, &text);
    t->part = ok ? arena_strdup(&t->arena, text_cstr(&text)) : NULL;
    text_release(&text);
    return t->part != NULL;
}

static bool make_stages(struct tune *t, struct error *e)
{
    const struct tune_options *o = &t->o;
    struct stages_options so = {.spec = o->spec,
                                .space = o->replay ? o->replay->space : NULL,
                                .device = o->device,
                                .log = o->log,
                                .configurations = o->configurations,
                                .configuration_count = o->configuration_count,
                                .where = o->where,
                                .where_count = o->where_count};
    if ((o->replay && !tune_replay_fits(o, e)) || !stages_make(&t->stages, &so, e))
        return false;
    t->planned = budget_configurations(&o->budget, space_count(t->stages.space));
    if (!strategy_check(o->strategy, e) ||
        !stages_begin(&t->stages, o->store, o->seed, o->command, o->host, e))
        return false;
    t->evaluator = tune_make_evaluator(t, e);
    return t->evaluator && make_strategy(t, e) && tune_known_find(t, e);
}

struct tune *tune_new(const struct tune_options *o, struct error *e)
{
    struct tune *t = calloc(1, sizeof *t);
    if (!t) {
        error_memory(e);
        return NULL;
    }
    arena_init(&t->arena);
    t->o = *o;
    t->started_ns = clock_ns();
    tune_goal_init(t);
    if (!make_stages(t, e) || ((!name_part(t) || !tune_rank_init(t)) && !error_memory(e))) {
        tune_free(t);
        return NULL;
    }
    return t;
}

void tune_free(struct tune *t)
{
    if (!t)
        return;
    tune_rank_release(t);
    evaluator_free(t->evaluator);
    for (uint64_t i = 0; i < t->item_count; i++) {
        job_free(t->items[i]->job);
        result_free(t->items[i]->result);
        result_free(t->items[i]->screened);
    }
    free(t->items);
    free(t->records);
    free(t->front);
    directions_free(t->strategy);
    stages_release(&t->stages);
    arena_release(&t->arena);
    free(t);
}

// ---- items -------------------------------------------------------------------------------------

static bool grow(struct tune *t)
{
    if (t->item_count < t->item_capacity)
        return true;
    uint64_t capacity = t->item_capacity ? 2 * t->item_capacity : 64;
    struct item **items = realloc(t->items, capacity * sizeof(*items));
    if (items)
        t->items = items;
    struct tune_record **records = realloc(t->records, capacity * sizeof(*records));
    if (records)
        t->records = records;
    struct tune_record **front = realloc(t->front, capacity * sizeof(*front));
    if (front)
        t->front = front;
    if (!items || !records || !front)
        return false;
    t->item_capacity = capacity;
    return true;
}

static struct item *item_new(struct tune *t, uint64_t index)
{
    const struct spec *spec = t->o.spec;
    struct item *n = grow(t) ? arena_alloc(&t->arena, sizeof *n) : NULL;
    uint32_t *choice = arena_array(&t->arena, spec->parameter_count + 1, sizeof *choice);
    double *values = arena_array(&t->arena, t->o.goal.count, sizeof *values);
    if (!n || !choice || !values)
        return NULL;
    n->values = values;
    space_get(t->stages.space, index, choice);
    n->record.index = index;
    n->record.choice = choice;
    n->record.is_default = t->stages.has_default && index == t->stages.default_index;
    if (!stages_texts(spec, choice, &t->arena, &n->record.configuration,
                      &n->record.configuration_json))
        return NULL;
    n->twin.owner = n;
    t->items[t->item_count++] = n;
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

static void note_geometry(struct tune_record *r, const struct job *job)
{
    const struct job_launch *launch = &job->launches[0];
    r->dimensions = launch->dimensions;
    memcpy(r->global, launch->global, sizeof r->global);
    memcpy(r->local, launch->local, sizeof r->local);
}

bool tune_submit(struct tune *t, struct item *n, uint64_t ticket, struct error *e)
{
    n->job->configuration = n->record.configuration;
    n->job->configuration_json = n->record.configuration_json;
    struct job *job = n->job;
    n->job = NULL;
    n->record.job = job;
    return evaluator_submit(t->evaluator, ticket, job, e);
}

bool tune_start_item(struct tune *t, uint64_t index, struct error *e)
{
    struct error why = ERROR_INIT;
    uint64_t ticket = t->item_count;
    struct item *n = item_new(t, index);
    if (!n)
        return error_memory(e);
    t->outstanding++;
    if (t->o.replay)
        return tune_replay_answer(t, n) || error_memory(e);
    if (!spec_job(t->o.spec, t->stages.sources, t->o.device, n->record.choice, &n->job, &why))
        return (why.code != ERROR_MEMORY && fail_item(n, &why)) || error_memory(e);
    note_geometry(&n->record, n->job);
    n->primary = twins_find(&t->twins, &n->twin, t->o.spec, t->stages.sources, n->job);
    if (!n->primary)
        return tune_submit(t, n, ticket, e);
    job_free(n->job);
    n->job = NULL;
    n->record.same_as = &n->primary->record;
    return true;
}

// ---- asking ------------------------------------------------------------------------------------

static bool time_is_up(struct tune *t)
{
    uint64_t limit = t->o.budget.nanoseconds;
    if (t->o.replay)
        return limit && t->replayed_ns >= (double)limit;
    return limit && clock_ns() - t->started_ns >= limit;
}

static void stop_asking(struct tune *t)
{
    t->asking_ended = true;
}

static bool is_over(struct tune *t)
{
    return t->asking_ended && evaluator_idle(t->evaluator);
}

// What was asked and has not begun when the budget's time is up is left, too.
static void watch_time(struct tune *t)
{
    if (t->progress.out_of_time || t->was_ranked || is_over(t) || !time_is_up(t))
        return;
    t->progress.out_of_time = true;
    evaluator_cancel(t->evaluator);
    stop_asking(t);
}

static bool ask_more(struct tune *t, struct error *e)
{
    uint64_t batch[64];
    if (t->asking_ended)
        return true;
    if (!tune_known_start(t, evaluator_room(t->evaluator), e))
        return false;
    size_t room = evaluator_room(t->evaluator);
    uint64_t left = t->planned + t->refused + t->unasked - t->item_count;
    size_t want = room > 64 ? 64 : room;
    if (want > left)
        want = (size_t)left;
    bool failed = false;
    size_t got = want ? directions_ask(t->strategy, batch, want, &failed) : 0;
    if (failed)
        return error_memory(e);
    // With nothing left somebody may still be refused, and another one be asked in its place.
    if (t->outstanding == 0 && (left == 0 || (want && got == 0)))
        stop_asking(t);
    for (size_t i = 0; i < got; i++) {
        if (!tune_known_ask(t, batch[i]) && !tune_start_item(t, batch[i], e))
            return false;
    }
    return true;
}

// ---- answers -----------------------------------------------------------------------------------

struct spec_measured tune_measured(const struct tune *t, const struct tune_record *r)
{
    const struct replay *replay = t->o.replay;
    return (struct spec_measured){.time_ns = r->timed ? r->stats.median : NAN,
                                  .joule = result_joule(r->result),
                                  .recorded =
                                      replay ? replay_measurements(replay, r->index) : NULL};
}

// Once the device's clock was found wrong, what it told is no time.
static bool by_right_clock(const struct tune *t, const struct result *r)
{
    return !t->progress.timer_fault || result_by_host(r);
}

void tune_summarise(struct tune *t, struct item *n)
{
    struct tune_record *r = &n->record;
    const uint64_t *samples;
    uint32_t count;
    r->timed = r->has_metric = false;
    r->values = NULL;
    if (!result_samples(r->result, &samples, &count) || count == 0 || !by_right_clock(t, r->result))
        return;
    if (t->o.replay)
        tune_replay_summarise(t, r);
    else
        stats_summarise(samples, count, t->o.device->timer_ns, &r->stats);
    r->timed = true;
    const struct spec_measured measured = tune_measured(t, r);
    r->has_metric = t->o.spec->metric_count > 0 &&
                    spec_metric(t->o.spec, 0, r->choice, t->o.device, &measured, &r->metric);
    tune_goal_value(t, n);
}

// One that was hopeless at its verified launch has that as its sample: nothing was timed.
static bool is_verified_launch(const struct result *r)
{
    return r->stop == STOP_HOPELESS && r->sample_count == 1 && !r->warm &&
           r->samples_ns[0] == r->verify_launch_ns;
}

static void add_times(struct tune_progress *p, const struct result *r)
{
    p->build_ns += r->build_ns;
    p->load_ns += r->load_ns;
    p->inputs_ns += r->inputs_ns;
    p->reference_ns += r->reference_ns;
    p->verify_ns += r->verify_ns;
    p->measure_ns += r->measure_ns;
    p->kernel_ns += r->verify_launch_ns + r->energy.span_ns;
    p->launches += (r->verify_launch_ns > 0) + r->energy.launches;
    if (is_verified_launch(r))
        return;
    uint64_t each = r->warmups + (r->batch ? r->batch : 1);
    p->samples += r->sample_count - r->earlier;
    p->launches += each * (r->sample_count - r->earlier);
    for (uint32_t i = r->earlier; i < r->sample_count; i++)
        p->kernel_ns += each * r->samples_ns[i];
}

// Did they end in the same way?
static bool is_alike(const struct result *a, const struct result *b)
{
    return a->status == b->status && fault_is_spec(a->fault) == fault_is_spec(b->fault);
}

// Looks whether all of the first ones fail in one way: then there is little hope in the others.
static void look_alike(struct tune *t, const struct tune_record *r)
{
    bool beyond = r->result->device_limit && r->result->status == STATUS_CONSTRAINTS;
    t->first[beyond] = t->first[beyond] ? t->first[beyond] : r;
    t->differ |=
        r->result->status == STATUS_CORRECT || !is_alike(t->first[beyond]->result, r->result);
    t->looked_at[beyond]++;
    bool all = !t->differ && t->looked_at[beyond] == ALIKE_COUNT && (!beyond || !t->first[false]);
    if (all && !t->o.replay && !t->progress.alike_example)
        t->progress.alike_example = t->first[beyond];
}

static void count_failure(struct tune_progress *p, const struct tune_record *r)
{
    enum status status = r->result->status;
    const struct tune_record *before = p->examples[status];
    bool is_spec = fault_is_spec(r->result->fault);
    p->spec_errors += is_spec;
    p->spec_by_status[status] += is_spec;
    if (is_spec && !p->spec_example)
        p->spec_example = r;
    if (!before || (!is_spec && fault_is_spec(before->result->fault)))
        p->examples[status] = r;
}

static void count_record(struct tune *t, struct tune_record *r)
{
    struct tune_progress *p = &t->progress;
    enum status status = r->result->status;
    p->by_status[status]++;
    t->refused += status == STATUS_CONSTRAINTS && !fault_is_spec(r->result->fault);
    count_failure(p, r);
    look_alike(t, r);
    if (r->is_default)
        p->default_record = r;
    if (r->result->reused || r->same_as) {
        p->reused++;
        p->identical += !r->result->reused;
    } else {
        add_times(p, r->result);
        t->fresh_done++;
        if (!t->first_done_ns)
            t->first_done_ns = clock_ns();
    }
}

// The first result by the host's clock: those before it lose their times, and the best is looked
// for anew.
static void see_clock(struct tune *t, const struct result *r)
{
    struct tune_progress *p = &t->progress;
    if (p->timer_fault || !result_by_host(r))
        return;
    p->timer_fault = arena_strdup(&t->arena, r->timer_fault);
    p->best = NULL;
    t->front_count = 0;
    for (uint64_t i = 0; i < t->item_count; i++) {
        if (t->items[i]->record.result)
            tune_summarise(t, t->items[i]);
    }
    tune_rank_forget(t);
}

// The item is complete: tell the strategy, hand the record out.
static const struct tune_record *finish_item(struct tune *t, struct item *n)
{
    struct tune_record *r = &n->record;
    r->result = n->result;
    see_clock(t, r->result);
    tune_summarise(t, n);
    r->ordinal = t->record_count;
    t->records[t->record_count++] = r;
    t->outstanding--;
    count_record(t, r);
    tune_goal_note(t, r);
    if (!n->unasked)
        tune_goal_tell(t, r);
    return r;
}

static void break_off(struct tune *t)
{
    t->broken = true;
    evaluator_cancel(t->evaluator);
    stop_asking(t);
}

// The kernel name or argument count is wrong: as long as nothing worked, nothing will.
static void break_off_hopeless_spec(struct tune *t, const struct item *n)
{
    if (n->result->fault != FAULT_SPEC || t->progress.by_status[STATUS_CORRECT] > 0)
        return;
    error_set(&t->why, ERROR_INPUT, "%s: KernelSpecification: %s", t->o.spec->path,
              n->result->message);
    break_off(t);
}

static const struct tune_record *take_outcome(struct tune *t, struct outcome *out)
{
    struct item *n = t->items[out->ticket];
    if (n->record.result) { // a turn of a ranking that was broken off
        result_free(out->result);
        return NULL;
    }
    n->result = out->result;
    break_off_hopeless_spec(t, n);
    const struct tune_record *r = finish_item(t, n);
    if (!t->broken && tune_goal_is_hopeless(t, r, &t->why))
        break_off(t);
    if (!t->o.keep)
        tune_rank_consider(t, n, out->ticket);
    return r;
}

// Items that need no evaluator: those that could not be made, and those identical to one that is
// done.
static const struct tune_record *next_settled(struct tune *t)
{
    for (uint64_t i = t->ready_next; i < t->item_count; i++) {
        struct item *n = t->items[i];
        bool handed_out = n->record.result != NULL;
        if (handed_out && i == t->ready_next)
            t->ready_next++;
        if (handed_out || (!n->result && (!n->primary || !n->primary->result)))
            continue;
        if (!n->result)
            n->result = result_clone(n->primary->result);
        if (!n->result)
            return NULL;
        return finish_item(t, n);
    }
    return NULL;
}

static enum tune_answer fail(struct tune *t, const struct error *why, struct error *e)
{
    t->broken = true;
    stop_asking(t);
    if (e)
        *e = *why;
    return TUNE_BROKEN;
}

// The search is over: the ranking, if there is one.
static enum tune_answer rank(struct tune *t, int timeout_ms, struct error *e)
{
    struct error why = ERROR_INIT;
    bool ok = t->writing  ? t->writing(t, &why)
              : t->settle ? tune_rank_step(t, timeout_ms, &why)
                          : tune_rank_start(t, &why);
    if (!ok)
        return fail(t, &why, e);
    return t->settle || t->writing ? TUNE_NOTHING : TUNE_END;
}

static enum tune_answer step(struct tune *t, int timeout_ms, const struct tune_record **record,
                             struct error *e)
{
    struct error why = ERROR_INIT;
    struct outcome out;
    if (t->broken && t->why.code && is_over(t))
        return fail(t, &t->why, e);
    if (!t->broken)
        watch_time(t);
    if (!t->broken && !ask_more(t, &why))
        return fail(t, &why, e);
    *record = NULL;
    if (t->settle || t->writing)
        return rank(t, timeout_ms, e);
    *record = next_settled(t);
    if (*record)
        return TUNE_RECORD;
    if (is_over(t))
        return t->broken ? fail(t, &t->why, e) : rank(t, timeout_ms, e);
    int got = evaluator_take(t->evaluator, timeout_ms, &out, &why);
    if (got < 0 && tune_replace_default(t, &why))
        return TUNE_NOTHING;
    if (got < 0) {
        if (why.code == ERROR_INPUT)
            error_context(&why, "%s: KernelSpecification", t->o.spec->path);
        return fail(t, &why, e);
    }
    if (got == 0)
        return TUNE_NOTHING;
    *record = take_outcome(t, &out);
    return *record ? TUNE_RECORD : TUNE_NOTHING;
}

// A store that another process has locked is asked again in the next step.
enum tune_answer tune_step(struct tune *t, int timeout_ms, const struct tune_record **record,
                           struct error *e)
{
    if (t->o.store)
        store_patience(t->o.store, STORE_STEP_MS);
    enum tune_answer answer = step(t, timeout_ms, record, e);
    if (t->o.store)
        store_patience(t->o.store, 0);
    return answer;
}

void tune_cancel(struct tune *t)
{
    t->cancelled = true;
    stop_asking(t);
    evaluator_cancel(t->evaluator);
    tune_rank_cancel(t);
}

// ---- views -------------------------------------------------------------------------------------

// More than the budget says where some were refused, or known without being asked for.
static uint64_t planned_now(const struct tune *t)
{
    uint64_t valid = space_count(t->stages.space), planned = t->planned + t->refused + t->unasked;
    return planned < valid ? planned : valid;
}

static uint64_t estimate_left(const struct tune *t, uint64_t now)
{
    uint64_t planned = planned_now(t);
    uint64_t left = planned > t->record_count ? planned - t->record_count : 0;
    if (t->fresh_done < 2 || left == 0)
        return 0;
    double each = (double)(now - t->first_done_ns) / (double)(t->fresh_done - 1);
    double ns = each * (double)left;
    double limit = t->o.replay ? 0 : (double)t->o.budget.nanoseconds; // no clock of here
    double used = (double)(now - t->started_ns);
    if (limit > 0 && ns > limit - used)
        ns = limit > used ? limit - used : 0;
    return (uint64_t)ns;
}

// The ranking's share taken out of the evaluator's spans; its results are stored outside of them.
static void note_times(const struct tune *t, struct tune_progress *out)
{
    struct evaluator_times *times = &out->times;
    *times = out->evaluator.times;
    for (unsigned i = 0; i < SPAN_COUNT; i++) {
        times->span_ns[i] -= t->ranking.span_ns[i];
        out->ranking_ns += t->ranking.span_ns[i];
    }
    uint64_t *own = &times->span_ns[SPAN_OWN];
    uint64_t storing = t->storing_ns < *own ? t->storing_ns : *own;
    *own -= storing;
    times->span_ns[SPAN_STORING] += storing;
}

void tune_progress(struct tune *t, struct tune_progress *out)
{
    uint64_t now = clock_ns();
    *out = t->progress;
    out->valid = space_count(t->stages.space);
    out->has_default = t->stages.has_default;
    out->planned = planned_now(t);
    out->done = t->record_count;
    out->elapsed_ns = now - t->started_ns;
    out->left_ns = estimate_left(t, now);
    out->cancelled = t->cancelled;
    if (t->settle) {
        settle_status(t->settle, &out->ranked.status);
        out->left_ns = out->ranked.status.left_ns;
    }
    out->strategy = strategy_name(directions_strategy(t->strategy));
    out->strategy_description = strategy_description(directions_strategy(t->strategy));
    out->fixed = t->o.terms.rules.fixed;
    out->pareto = t->front_count;
    if (t->o.replay)
        tune_replay_progress(t, out);
    evaluator_status(t->evaluator, &out->evaluator);
    note_times(t, out);
}

const struct tune_record *tune_chosen(const struct tune *t)
{
    return t->progress.ranked.chosen;
}

const struct space *tune_space(const struct tune *t)
{
    return t->stages.space;
}

void tune_source_digest(const struct tune *t, struct digest *out)
{
    *out = t->stages.source;
}

enum verification tune_verification(const struct tune *t, const char **against)
{
    *against = t->stages.against;
    return t->stages.verification;
}

struct placed {
    const struct tune_record *record;
    size_t place; // SIZE_MAX: not ranked
    double order; // less first
};

static int by_place(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    const struct tune_record *r = x->record, *q = y->record;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    if (x->place == SIZE_MAX && x->order != y->order)
        return x->order < y->order ? -1 : 1;
    if (x->place == SIZE_MAX && r->stats.median != q->stats.median)
        return r->stats.median < q->stats.median ? -1 : 1;
    return r->index < q->index ? -1 : r->index > q->index;
}

const struct tune_record **tune_ranking(const struct tune *t, size_t *count)
{
    const struct tune_record **list = calloc(t->record_count + 1, sizeof(*list));
    struct placed *placed = calloc(t->record_count + 1, sizeof *placed);
    size_t timed = 0;
    for (uint64_t i = 0; list && placed && i < t->record_count; i++) {
        const struct tune_record *r = t->records[i];
        if (r->timed)
            placed[timed++] =
                (struct placed){r, r->ranked ? r->rank.place : SIZE_MAX, tune_goal_order(t, r)};
    }
    if (list && placed)
        qsort(placed, timed, sizeof *placed, by_place);
    for (size_t i = 0; i < timed; i++)
        list[i] = placed[i].record;
    free(placed);
    *count = timed;
    return list;
}

const struct tune_record *const *tune_records(const struct tune *t, size_t *count)
{
    *count = t->record_count;
    return (const struct tune_record *const *)t->records;
}

bool tune_fetch(struct tune *t, const struct tune_record *record, enum fetch what, uint32_t index,
                struct text *out, struct error *e)
{
    for (uint64_t i = 0; i < t->item_count; i++) {
        if (&t->items[i]->record == record)
            return evaluator_fetch(t->evaluator, i, what, index, out, e);
    }
    return error_set(e, ERROR_USAGE, "the record is not of this tune");
}
