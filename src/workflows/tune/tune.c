// A tune in the order in which it happens: tune_new() makes the subject, the evaluator and the
// strategy; each tune_step() asks the strategy for as many configurations as the evaluator has room
// for, makes them into jobs and submits these (what is the same work as an earlier one shares its
// result), takes an answer, tells the strategy and hands the record out; and once nothing more is
// asked and all is answered it starts the ranking and steps that (tune_rank.c). Below that stands what
// others ask for: progress, the order of records, buffers.
#include "workflows/tune/tune_inside.h"

#include "base/array.h"
#include "os/process.h"
#include "runner/cached.h"
#include "runner/farm.h"

#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

// How long one question to the store may wait for another process's lock within a step.
#define STORE_STEP_MS 50
// How long a step waits for a result while a strategy may have a question first.
#define THINKING_STEP_MS 2

static const void *tune_told(struct workflow *w, struct item *item, bool is_answer,
                             struct error *e);
static const struct items_plan tune_plan = {.told = tune_told, .recover = tune_replace_default};
static const struct workflow_operations tune_operations;

// ---- making ------------------------------------------------------------------------------------

struct evaluator *tune_make_evaluator(struct tune *t, struct error *e)
{
    const struct tune_options *o = &t->o;
    if (o->replay)
        return tune_replay_evaluator(t, e);
    const struct live_options live = {
        .no_timing = o->no_timing, .by_image = true, .judge = o->judge};
    const struct cached_options cached = {.alone = space_count(t->subject.space) == 1,
                                          .as = t->subject.as};
    return setup_evaluator(&o->setup, live, cached, t->planned, &t->builders, e);
}

// The store names all devices from the first result on; what each of them did, and its pace, at the end.
static bool describe_devices(struct tune *t, struct error *e)
{
    struct text json = TEXT_INIT;
    struct emit j;
    uint32_t count = lanes_members(&t->lanes, t->w.evaluator, t->o.setup.terms.rules.level);
    if (count == 0 || !t->o.setup.store || t->o.setup.build_only)
        return true;
    emit_start(&j, &json);
    farm_members_emit(t->lanes.members, count, &j);
    bool ok = json.failed ? error_memory(e)
                          : subject_describe(&t->subject, t->o.setup.store, text_cstr(&json), e);
    text_release(&json);
    return ok;
}

static bool begin_search(struct tune *t, struct error *e)
{
    const struct tune_options *o = &t->o;
    struct text subspace = TEXT_INIT;
    const struct subject_options so = {.space = o->replay ? o->replay->space : NULL,
                                       .name = o->name};
    if ((o->replay && !tune_replay_fits(o, e)) || !subject_make(&t->subject, &o->setup, &so, e))
        return false;
    uint64_t valid = space_count(t->subject.space);
    t->planned = budget_configurations(&o->budget, valid);
    if (!strategy_check(o->strategy, e) || !subject_begin(&t->subject, e))
        return false;
    t->w.evaluator = tune_make_evaluator(t, e);
    if (!t->w.evaluator || !describe_devices(t, e))
        return false;
    // The evaluator limits how many it keeps under way at once, since it starts with none. If a
    // time ends the search, the total is not known.
    tune_ahead_init(t);
    size_t room = tune_room(t);
    bool by_time = o->budget.nanoseconds > 0 && t->planned >= valid;
    const struct objectives *g = &o->objectives;
    struct strategy_setup setup = {.space = t->subject.space,
                                   .budget = by_time ? 0 : t->planned,
                                   .seed = o->setup.seed,
                                   .value_is_time = g->count == 1 &&
                                                    g->terms[0].metric == OBJECTIVE_TIME &&
                                                    !g->terms[0].maximise,
                                   .in_flight = (uint32_t)(room < t->planned ? room : t->planned)};
    if (!tune_starts_find(t, e) || !tune_sources_find(t, &setup, e))
        return false;
    setup.starts = t->start_indices;
    setup.start_count = t->start_count;
    setup.sources = sources_list(&t->elsewhere);
    setup.source_count = t->elsewhere.count;
    t->strategy = scalarization_new(o->strategy, &setup, &t->o.objectives, e);
    if (!t->strategy || !tune_known_find(t, e))
        return false;
    if (subspace_text(&o->setup.space, &subspace))
        t->subspace = arena_strdup(&t->arena, text_cstr(&subspace));
    text_release(&subspace);
    return (t->subspace && tune_rank_init(t)) || error_memory(e);
}

struct tune *tune_new(const struct tune_options *o, struct error *e)
{
    struct tune *t = workflow_new(sizeof *t, &tune_operations, e);
    if (!t)
        return NULL;
    arena_init(&t->arena);
    t->o = *o;
    items_init(&t->items, &tune_plan, &t->w, &t->subject, &t->arena);
    tune_objective_init(t);
    if (begin_search(t, e))
        return t;
    tune_free(t);
    return NULL;
}

static void release_tune(void *workflow)
{
    struct tune *t = workflow;
    tune_rank_release(t);
    for (uint64_t i = 0; i < t->items.count; i++)
        result_free(item_at(t, i)->screened);
    items_release(&t->items);
    free(t->front);
    free(t->making);
    scalarization_free(t->strategy);
    sources_release(&t->elsewhere);
    subject_release(&t->subject);
    arena_release(&t->arena);
}

// ---- items -------------------------------------------------------------------------------------

static struct tune_item **named_bucket(struct tune *t, const char *configuration)
{
    uint32_t hash = 2166136261u; // FNV-1a
    for (const char *c = configuration; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    return &t->named[hash % ITEMS_BUCKETS];
}

static struct tune_item *tune_item_new(struct tune *t, uint64_t index)
{
    const struct spec *spec = t->o.setup.spec;
    bool has_room = ARRAY_ROOM(t->front, t->front_room, (size_t)t->items.count + 1);
    struct tune_item *n = has_room ? items_add(&t->items, sizeof *n, index) : NULL;
    double *values = arena_array(&t->arena, t->o.objectives.count, sizeof *values);
    double *metrics = arena_array(&t->arena, spec->metric_count + 1, sizeof *metrics);
    if (!n || !values || !metrics)
        return NULL;
    n->values = values;
    n->metrics = metrics;
    n->record.index = index;
    n->record.choice = n->item.choice;
    n->record.configuration = n->item.configuration;
    n->record.configuration_json = n->item.configuration_json;
    n->record.pace = 1;
    n->record.is_default = tune_has_default(t) && index == t->subject.default_index;
    struct tune_item **bucket = named_bucket(t, n->record.configuration);
    n->chained = *bucket;
    *bucket = n;
    return n;
}

bool tune_resubmit(struct tune *t, struct tune_item *n, struct error *e)
{
    struct job *job;
    if (!spec_job(t->o.setup.spec, t->subject.sources, t->o.setup.at.device, n->record.choice, &job,
                  e))
        return false;
    n->record.job = job;
    return items_submit(&t->items, &n->item, job, e);
}

bool tune_start_item(struct tune *t, uint64_t index, struct error *e)
{
    struct tune_item *n = tune_item_new(t, index);
    if (!n)
        return error_memory(e);
    if (t->o.replay)
        return tune_replay_answer(t, n) || error_memory(e);
    return tune_ahead_defers(t, n, e) ? e->code == ERROR_NONE : tune_submit_item(t, n, e);
}

bool tune_submit_item(struct tune *t, struct tune_item *n, struct error *e)
{
    struct error why = ERROR_INIT;
    const struct spec *spec = t->o.setup.spec;
    struct job *job = NULL;
    if (!spec_job(spec, t->subject.sources, t->o.setup.at.device, n->record.choice, &job, &why))
        return subject_refusal(&why, &n->item.result) || error_memory(e);
    const struct job_launch *launch = &job->launches[0];
    n->record.dimensions = launch->dimensions;
    memcpy(n->record.global, launch->global, sizeof n->record.global);
    memcpy(n->record.local, launch->local, sizeof n->record.local);
    bool ok = items_give(&t->items, &n->item, NULL, spec, t->subject.sources, &job, e);
    n->record.job = job;
    return ok;
}

// ---- asking ------------------------------------------------------------------------------------

// The budget's time runs from the first launch, or the first record where nothing is launched, and not while another
// process holds the device: what comes before that is no search.
uint64_t tune_spent_time(struct tune *t)
{
    struct evaluator_status now;
    evaluator_status(t->w.evaluator, &now);
    const uint64_t *span = now.times.span_ns;
    if (t->began_ns == 0) {
        if (t->items.record_count == 0 && span[SPAN_VERIFYING] + span[SPAN_MEASURING] == 0)
            return 0;
        t->began_ns = clock_ns();
        t->began_locked_ns = span[SPAN_LOCKED];
    }
    uint64_t passed = clock_ns() - t->began_ns, locked = span[SPAN_LOCKED] - t->began_locked_ns;
    return passed > locked ? passed - locked : 0;
}

// The time that the search may take of the budget's: what the ranking will take is held back, at most half of it.
static uint64_t search_limit(const struct tune *t)
{
    uint64_t limit = t->o.budget.nanoseconds, ranking = 0;
    if (limit > 0 && !t->o.budget.ranks_on_top && !t->o.replay)
        ranking = tune_rank_time(t, true);
    return limit - (ranking < limit / 2 ? ranking : limit / 2);
}

// When the budget's time is up, configurations that were asked for and have not begun are dropped,
// too.
static void watch_budget_time(struct tune *t)
{
    uint64_t limit = search_limit(t);
    if (limit == 0 || t->progress.out_of_time || t->was_ranked ||
        (t->items.is_ended && evaluator_idle(t->w.evaluator)))
        return;
    if (t->o.replay ? t->replayed_ns < (double)limit : tune_spent_time(t) < limit)
        return;
    t->progress.out_of_time = t->items.is_ended = true;
    evaluator_cancel(t->w.evaluator);
}

// Questions are chosen beside the launches, but not where that makes a difference: on a device that shares the host it
// would take from what is measured; and with one builder, or as long as the store answers, the same seed asks the same.
static void choose_beside_launches(struct tune *t)
{
    if (t->is_threaded || t->items.fresh == 0 || t->builders < 2 ||
        t->o.setup.at.device->shares_host)
        return;
    scalarization_thread(t->strategy, t->elsewhere.count);
    t->is_threaded = true;
}

static bool ask_strategy(struct tune *t, struct error *e)
{
    uint64_t batch[64];
    if (t->items.is_ended)
        return true;
    if (!t->o.replay)
        choose_beside_launches(t);
    if (!tune_known_start(t, tune_room(t), e))
        return false;
    size_t room = tune_room(t);
    uint64_t left = t->planned + t->refused + t->unasked - t->items.count;
    // One at a time beside launches: making a job takes as long as many a launch, and a device that has an answer waits so long.
    size_t most = t->is_threaded ? 1 : sizeof batch / sizeof *batch;
    size_t want = room > most ? most : room;
    if (want > left)
        want = (size_t)left;
    bool failed = false;
    size_t got = want ? scalarization_ask(t->strategy, batch, want, &failed) : 0;
    if (failed)
        return error_memory(e);
    t->is_thinking = got < want && scalarization_wait(t->strategy, 0);
    t->is_making = got == most && room > got;
    // With nothing left somebody may still be refused, and another one be asked in its place.
    if (t->items.outstanding == 0 && (left == 0 || (want && got == 0 && !t->is_thinking)))
        t->items.is_ended = true;
    if (t->items.is_ended && left > 0 && scalarization_why(t->strategy))
        log_add(t->o.setup.log, LOG_WARNING, "%s", scalarization_why(t->strategy)->text);
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
    return (struct spec_measured){.time_ns = r->timed ? r->stats.median / r->pace : NAN,
                                  .joule = result_joule(r->result),
                                  .recorded =
                                      replay ? replay_measurements(replay, r->index) : NULL};
}

// Once the device's clock has proved wrong, its times no longer count.
void tune_summarise(struct tune *t, struct tune_item *n)
{
    struct tune_record *r = &n->record;
    const uint64_t *samples;
    uint32_t count;
    r->timed = false;
    r->values = r->metrics = NULL;
    bool is_replayed = t->o.replay != NULL; // by other measurements, if nothing was timed
    if (!result_samples(r->result, &samples, &count) || (count == 0 && !is_replayed) ||
        (t->progress.timer_fault && !result_by_host(r->result)))
        return;
    if (is_replayed)
        tune_replay_summarise(t, r);
    else
        stats_summarise(samples, count, r->result->terms.resolution_ns, &r->stats);
    r->timed = count > 0;
    const struct spec_measured measured = tune_measured(t, r);
    r->metrics = n->metrics;
    r->metric_count = t->o.setup.spec->metric_count;
    for (uint32_t i = 0; i < r->metric_count; i++) {
        if (!spec_metric(t->o.setup.spec, i, r->choice, t->o.setup.at.device, &measured,
                         &n->metrics[i]))
            n->metrics[i] = NAN;
    }
    tune_objective_value(t, n);
}

static void add_times(struct tune_progress *p, const struct result *r)
{
    // Where the verified launch told enough it is the sample: nothing else was launched.
    bool is_verified_launch =
        r->sample_count == 1 && r->measure_ns == 0 && r->samples_ns[0] == r->verify_launch_ns;
#define X(name, meaning) p->name##_ns += r->name##_ns;
    RESULT_TIMES(X)
#undef X
    p->kernel_ns += r->verify_launch_ns + r->energy.span_ns;
    p->launches += (r->verify_launch_ns > 0) + r->energy.launches;
    if (is_verified_launch)
        return;
    uint64_t each = r->warmups + (r->batch ? r->batch : 1);
    p->samples += r->sample_count - r->earlier;
    p->launches += each * (r->sample_count - r->earlier);
    for (uint32_t i = r->earlier; i < r->sample_count; i++)
        p->kernel_ns += each * r->samples_ns[i];
}

// Where all of the first ones fail in one way there is little hope in the others.
static void note_alike(struct tune *t, const struct tune_record *r)
{
    bool beyond = r->result->device_limit && r->result->status == STATUS_CONSTRAINTS;
    t->first[beyond] = t->first[beyond] ? t->first[beyond] : r;
    const struct result *first = t->first[beyond]->result;
    t->differ |= r->result->status == STATUS_CORRECT || r->result->status != first->status ||
                 fault_is_spec(r->result->fault) != fault_is_spec(first->fault);
    t->ended[beyond]++;
    bool all = !t->differ && t->ended[beyond] == ALIKE_COUNT && (!beyond || !t->first[false]);
    if (all && !t->o.replay && !t->progress.alike_example)
        t->progress.alike_example = t->first[beyond];
}

static void count_tune_record(struct tune *t, struct tune_record *r)
{
    struct tune_progress *p = &t->progress;
    enum status status = r->result->status;
    const struct tune_record *before = p->examples[status];
    bool is_spec = fault_is_spec(r->result->fault);
    p->by_status[status]++;
    t->refused += status == STATUS_CONSTRAINTS && !is_spec;
    p->spec_errors += is_spec;
    p->spec_by_status[status] += is_spec;
    if (is_spec && !p->spec_example)
        p->spec_example = r;
    if (!before || (!is_spec && fault_is_spec(before->result->fault)))
        p->examples[status] = r;
    note_alike(t, r);
    if (r->is_default)
        p->default_record = r;
    if (r->result->reused || r->same_as) {
        p->reused++;
        p->identical += !r->result->reused;
        p->build_ns += result_is_shared(r->result) && !r->result->reused ? r->result->build_ns : 0;
    } else {
        add_times(p, r->result);
    }
}

// The first result by the host's clock: those before it lose their times, and the best is looked
// for anew.
static void notice_clock(struct tune *t, const struct result *r)
{
    struct tune_progress *p = &t->progress;
    if (p->timer_fault || !result_by_host(r))
        return;
    p->timer_fault = arena_strdup(&t->arena, r->timer_fault);
    p->best = NULL;
    t->front_count = 0;
    for (uint64_t i = 0; i < t->items.count; i++) {
        if (item_at(t, i)->record.result)
            tune_summarise(t, item_at(t, i));
    }
    tune_rank_forget(t);
}

// The item is complete: tell the strategy, hand the record out.
static const struct tune_record *finish_tune_item(struct tune *t, struct tune_item *n)
{
    struct tune_record *r = &n->record;
    r->result = n->item.result;
    r->pace = n->item.pace;
    if (n->item.primary)
        r->same_as = &((struct tune_item *)n->item.primary)->record;
    notice_clock(t, r->result);
    tune_summarise(t, n);
    r->ordinal = items_hand_out(&t->items, &n->item, r);
    count_tune_record(t, r);
    tune_objective_note(t, r);
    if (!n->unasked)
        tune_objective_tell(t, r);
    return r;
}

// Its result is that of another configuration, which it was built to the same code as: from here on
// the two are identical.
static void link_same_code(struct tune *t, struct tune_item *n)
{
    struct tune_item *other = *named_bucket(t, n->item.result->same_as);
    while (other && !str_equal(other->record.configuration, n->item.result->same_as))
        other = other->chained;
    // The store may answer for the two in either order.
    if (!other || other == n || (!other->item.result && !n->item.result->reused))
        return;
    n->item.primary = other->item.primary ? other->item.primary : &other->item;
    n->item.pace = n->item.primary->pace;
}

static const void *tune_told(struct workflow *w, struct item *item, bool is_answer, struct error *e)
{
    struct tune *t = (struct tune *)w;
    struct tune_item *n = (struct tune_item *)item;
    (void)e;
    if (is_answer && result_is_shared(item->result))
        link_same_code(t, n);
    const struct tune_record *r = finish_tune_item(t, n);
    if (is_answer && !t->items.why.code && tune_objective_is_hopeless(t, r, &t->items.why))
        items_break(&t->items);
    if (is_answer && !t->o.keep)
        tune_rank_consider(t, n, item->ticket);
    return r;
}

// The search is over: the ranking, if there is one.
static enum workflow_answer step_ranking(struct tune *t, int timeout_ms, struct error *e)
{
    bool ok = t->writing         ? t->writing(t, e)
              : t->final_ranking ? tune_rank_step(t, timeout_ms, e)
                                 : tune_rank_start(t, e);
    if (!ok)
        return WORKFLOW_BROKEN;
    return t->final_ranking || t->writing ? WORKFLOW_NOTHING : WORKFLOW_END;
}

static enum workflow_answer step_search(struct tune *t, int timeout_ms, const void **record,
                                        struct error *e)
{
    if (!t->items.why.code)
        watch_budget_time(t);
    if (!ask_strategy(t, e) || !tune_ahead_step(t, e))
        return WORKFLOW_BROKEN;
    if (t->final_ranking || t->writing)
        return step_ranking(t, timeout_ms, e);
    bool is_idle = t->is_thinking && evaluator_idle(t->w.evaluator);
    bool is_generating = t->making_count > 0 && !tune_ahead_pauses(t);
    bool is_long = timeout_ms < 0 || timeout_ms > THINKING_STEP_MS;
    int short_ms = is_long ? THINKING_STEP_MS : timeout_ms;
    int wait_ms = t->is_making || is_idle           ? 0
                  : t->is_thinking || is_generating ? short_ms
                                                    : timeout_ms;
    enum workflow_answer answer = items_step(&t->items, wait_ms, record, e);
    if (answer == WORKFLOW_NOTHING && is_idle)
        scalarization_wait(t->strategy, is_generating ? short_ms : timeout_ms);
    else if (answer == WORKFLOW_NOTHING && is_generating && evaluator_idle(t->w.evaluator))
        poll(NULL, 0, wait_ms); // generators alone are at work
    return answer == WORKFLOW_END ? step_ranking(t, timeout_ms, e) : answer;
}

// A store that another process has locked is asked again in the next step.
static enum workflow_answer step_tune(void *workflow, int timeout_ms, const void **record,
                                      struct error *e)
{
    struct tune *t = workflow;
    if (t->o.setup.store)
        store_patience(t->o.setup.store, STORE_STEP_MS);
    enum workflow_answer answer = step_search(t, timeout_ms, record, e);
    if (answer == WORKFLOW_END && !t->is_described) {
        t->is_described = describe_devices(t, e);
        if (!t->is_described)
            answer = store_try_again(t->o.setup.store, e) ? WORKFLOW_NOTHING : WORKFLOW_BROKEN;
    }
    if (t->o.setup.store)
        store_patience(t->o.setup.store, 0);
    return answer;
}

static void stop_tune(void *workflow)
{
    struct tune *t = workflow;
    t->items.is_ended = true;
    tune_rank_cancel(t);
}

static const struct workflow_operations tune_operations = {
    .step = step_tune, .stop = stop_tune, .release = release_tune};

// ---- views -------------------------------------------------------------------------------------

// The time that is left of the search, or as much of that as the budget's time leaves.
static uint64_t time_left(struct tune *t, const struct workflow_progress *p)
{
    uint64_t limit = t->o.replay ? 0 : search_limit(t); // no clock of here
    uint64_t spent = limit > 0 ? tune_spent_time(t) : 0, more = limit > spent ? limit - spent : 0;
    return limit > 0 && p->left_ns > more ? more : p->left_ns;
}

// The ranking's share taken out of the evaluator's spans; its results are stored outside of them.
static void split_times(const struct tune *t, struct tune_progress *out)
{
    struct evaluator_times *times = &out->times;
    *times = out->common.evaluator.times;
    for (unsigned i = 0; i < SPAN_COUNT; i++) {
        times->span_ns[i] -= t->ranking.span_ns[i];
        out->ranking_ns += t->ranking.span_ns[i];
    }
    uint64_t *own = &times->span_ns[SPAN_OWN];
    uint64_t storing = t->storing_ns < *own ? t->storing_ns : *own;
    *own -= storing;
    times->span_ns[SPAN_STORING] += storing;
}

// Finds the leader among those that have been in all rounds.
static void find_ranked_leader(const struct tune *t, struct tune_ranked *out)
{
    uint32_t rounds = 0;
    for (size_t i = 0; i < t->in_ranking_count; i++)
        rounds = t->in_ranking[i].count > rounds ? t->in_ranking[i].count : rounds;
    for (size_t i = 0; rounds > 0 && i < t->in_ranking_count; i++) {
        const struct finalist *c = &t->in_ranking[i];
        double ns = stats_median(c->samples, c->count);
        if (c->failure || c->count < rounds || (out->leader && ns >= out->leader_ns))
            continue;
        out->leader = &item_at(t, c->ticket)->record;
        out->leader_ns = ns;
    }
}

void tune_progress(struct tune *t, struct tune_progress *out)
{
    *out = t->progress;
    out->valid = space_count(t->subject.space);
    out->has_default = tune_has_default(t);
    // More than the budget says where some were refused, or known without being asked for.
    uint64_t planned = t->planned + t->refused + t->unasked;
    items_progress(&t->items, planned < out->valid ? planned : out->valid, &out->common);
    out->common.left_ns = time_left(t, &out->common);
    if (t->final_ranking) {
        final_ranking_status(t->final_ranking, &out->ranked.status);
        out->common.left_ns = out->ranked.status.left_ns;
        find_ranked_leader(t, &out->ranked);
    }
    out->strategy = strategy_name(scalarization_strategy(t->strategy));
    out->strategy_description = strategy_description(scalarization_strategy(t->strategy));
    out->fixed = t->o.setup.terms.rules.fixed;
    out->pareto = t->front_count;
    if (t->o.replay)
        tune_replay_progress(t, out);
    tune_sources_progress(t, out);
    tune_starts_progress(t, out);
    split_times(t, out);
    out->members = t->lanes.members;
    out->member_count = lanes_members(&t->lanes, t->w.evaluator, t->o.setup.terms.rules.level);
}

void tune_view(struct tune *t, struct tune_view *out)
{
    tune_progress(t, &out->progress);
    out->options = &t->o;
    out->subject = &t->subject;
    out->records = tune_records(t, &out->count);
}

double tune_record_ns(const struct tune_record *r)
{
    return r->stats.median / r->pace;
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
    if (x->place == SIZE_MAX)
        return tune_objective_compare(r, x->order, q, y->order);
    return r->index < q->index ? -1 : r->index > q->index;
}

const struct tune_record **tune_ranking(const struct tune *t, size_t *count)
{
    const struct tune_record **list = calloc(t->items.record_count + 1, sizeof(*list));
    struct placed *placed = calloc(t->items.record_count + 1, sizeof *placed);
    size_t timed = 0;
    for (uint64_t i = 0; list && placed && i < t->items.record_count; i++) {
        const struct tune_record *r = record_at(t, i);
        if (r->timed || r->values)
            placed[timed++] = (struct placed){r, r->ranked ? r->rank.place : SIZE_MAX,
                                              tune_objective_order(t, r)};
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
    *count = t->items.record_count;
    return (const struct tune_record *const *)t->items.records;
}

bool tune_job(const struct tune *t, const struct tune_record *record, struct job **out,
              struct error *e)
{
    const struct tune_options *o = &t->o;
    if (o->replay)
        return error_set(e, ERROR_USAGE, "what is recorded has no job");
    return spec_job(o->setup.spec, t->subject.sources, o->setup.at.device, record->choice, out, e);
}

bool tune_fetch(struct tune *t, const struct tune_record *record, enum fetch what, uint32_t index,
                struct text *out, struct error *e)
{
    for (uint64_t i = 0; i < t->items.count; i++) {
        if (&item_at(t, i)->record == record)
            return evaluator_fetch(t->w.evaluator, i, what, index, out, e);
    }
    return error_set(e, ERROR_USAGE, "the record is not of this tune");
}
