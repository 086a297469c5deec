// The ranking at the end of a tune, around final_ranking.c, which drives its rounds: while the
// search runs, which jobs stay loaded because they may still be the best (shortlist.h); after it,
// whether the store has a ranking of just these finalists, which then decides again without a
// launch; which configurations take part, the default always; and what becomes of the records: the
// finalists' results are stored all together or not at all, under one random id, replace those of
// screening, and among those tied with the winner tie_break.h chooses.
#include "workflows/tune/tune_inside.h"

#include "os/process.h"
#include "stats/differ.h"
#include "stats/speedup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

// ---- finalists --------------------------------------------------------------------------------

// The default stays for the ranking, a finalist or not: the speed-up over it is taken there.
static void drop_job_of(void *context, uint64_t ticket)
{
    struct tune *t = context;
    struct tune_item *n = item_at(t, ticket);
    if (n->record.is_default && n->item.result && n->item.result->status == STATUS_CORRECT &&
        t->finalists.most > 0) {
        t->baseline = n;
        t->baseline_ticket = ticket;
        return;
    }
    if (n->record.job) // else it left earlier
        evaluator_drop(t->w.evaluator, ticket);
    n->record.job = NULL;
}

bool tune_rank_is_wanted(const struct tune_options *o)
{
    const struct measure_rules *rules = &o->setup.terms.rules;
    return !rules->fixed && !rules->unranked && !o->setup.build_only && !o->no_timing && !o->keep;
}

bool tune_rank_init(struct tune *t)
{
    const struct measure_rules *rules = &t->o.setup.terms.rules;
    uint64_t most = tune_rank_is_wanted(&t->o) ? (uint64_t)rules->contenders : 0;
    if (most > t->planned + t->known_count)
        most = t->planned + t->known_count;
    return shortlist_init(&t->finalists, (size_t)most, rules->near, drop_job_of, t);
}

void tune_rank_release(struct tune *t)
{
    final_ranking_free(t->final_ranking);
    if (t->in_ranking)
        finalists_release(t->in_ranking, t->in_ranking_capacity);
    free(t->in_ranking);
    shortlist_release(&t->finalists);
    lanes_forget(&t->lanes);
}

// How many samples estimate whether a configuration may be the best: of a stored result no more
// than screening takes, or the minimum of many would be compared with the minimum of a few.
#define ESTIMATE_SAMPLES 3

// The minimum of the first launches: disturbances make a launch slower, and no candidate for the
// best may miss the ranking for that. A result that was stopped early may have no samples.
static double estimate_of(const struct result *r)
{
    const uint64_t *samples;
    uint32_t count;
    uint64_t least = r->verify_launch_ns;
    if (!result_samples(r, &samples, &count))
        return 0;
    for (uint32_t i = 0; i < count && i < ESTIMATE_SAMPLES; i++)
        least = least == 0 || samples[i] < least ? samples[i] : least;
    return (double)least;
}

void tune_rank_forget(struct tune *t)
{
    while (t->finalists.count > 0)
        t->finalists.leaves(t->finalists.context, t->finalists.list[--t->finalists.count].ticket);
}

// By which it may be a finalist; 0: it is none. Of identical ones the first takes part for all.
static double finalist_estimate(const struct tune_item *n)
{
    return n->record.timed && !n->item.primary ? estimate_of(n->item.result) / n->record.pace : 0;
}

void tune_rank_consider(struct tune *t, const struct tune_item *n, uint64_t ticket)
{
    double estimate = finalist_estimate(n);
    if (estimate > 0)
        shortlist_consider(&t->finalists, ticket, estimate);
    else
        drop_job_of(t, ticket);
}

static struct tune_item *item_of(const struct tune *t, size_t finalist)
{
    return item_at(t, t->in_ranking[finalist].ticket);
}

// ---- deciding ----------------------------------------------------------------------------------

// Is it the default, or what that is identical to?
static bool is_baseline(const struct tune *t, const struct tune_record *r)
{
    const struct tune_record *base = t->progress.default_record;
    return base && (r == base || r == base->same_as);
}

// One of those tied with the winner is the answer.
static bool choose_among_tied(struct tune *t)
{
    struct tune_ranked *ranked = &t->progress.ranked;
    struct tie_candidate *c = calloc(t->in_ranking_count + 1, sizeof *c);
    struct tune_item **tied = calloc(t->in_ranking_count + 1, sizeof(struct tune_item *));
    bool ok = c && tied;
    ranked->tied = 0;
    for (size_t i = 0; ok && i < t->in_ranking_count; i++) {
        struct tune_item *n = item_of(t, i);
        const struct tune_record *r = &n->record;
        if (!r->ranked || !r->rank.tied)
            continue;
        uint64_t size = r->dimensions ? 1 : 0;
        for (uint32_t axis = 0; axis < r->dimensions; axis++)
            size *= r->local[axis];
        c[ranked->tied] = (struct tie_candidate){.result = r->result,
                                                 .group_size = size,
                                                 .choice = r->choice,
                                                 .ratio = r->rank.ratio,
                                                 .is_default = is_baseline(t, r)};
        tied[ranked->tied++] = n;
    }
    if (ok && ranked->tied > 0) {
        size_t chosen = tie_break(c, ranked->tied, t->o.setup.terms.rules.alike,
                                  t->o.setup.spec->parameter_count, ranked->why);
        ranked->chosen = &tied[chosen]->record;
        ranked->decided = true;
        t->progress.best = ranked->chosen;
    }
    free(tied);
    free(c);
    return ok;
}

// ---- records -----------------------------------------------------------------------------------

static void replace_result(struct tune *t, struct tune_item *n, struct result *result)
{
    struct tune_progress *p = &t->progress;
    p->by_status[n->item.result->status]--;
    p->by_status[result->status]++;
    if (!p->examples[result->status])
        p->examples[result->status] = &n->record;
    n->screened = n->item.result; // what was handed out lives as long as the tune
    n->item.result = result;
    n->record.result = result;
    n->screened_pace = n->record.pace;
    n->record.pace = 1;
    tune_summarise(t, n);
}

// The result of a finalist and of those that are identical to it.
static bool replace_results(struct tune *t, struct tune_item *n, struct result *result)
{
    replace_result(t, n, result);
    for (uint64_t i = 0; i < t->items.count; i++) {
        struct tune_item *other = item_at(t, i);
        if (other->item.primary != &n->item || !other->item.result)
            continue;
        struct result *copy = result_clone(result);
        if (!copy)
            return false;
        replace_result(t, other, copy);
    }
    return true;
}

static void mark_ranked(struct tune *t, struct tune_item *n, const struct ranking_entry *entry)
{
    for (uint64_t i = 0; i < t->items.count; i++) {
        struct tune_item *other = item_at(t, i);
        if (other != n && other->item.primary != &n->item)
            continue;
        other->record.ranked = true;
        other->record.rank = *entry;
    }
}

// The terms that the decision depends on, so that it can be repeated.
static struct ranked_terms ranked_terms_of(const struct tune *t, bool is_short, uint32_t batch)
{
    const struct measure_rules rules = final_ranking_rules(&t->o.setup.terms.rules, is_short);
    struct ranked_terms out = {.resolution_ns =
                                   t->o.setup.at.device->timer_ns / (batch ? batch : 1)};
#define X(type, codec, name) out.name = (type)rules.name;
    RANKED_RULES(X)
#undef X
    return out;
}

// The finalist's earlier result, with the samples of the ranking in place of its own.
static struct result *ranked_result(struct tune *t, const struct finalist *c)
{
    const struct tune_ranked *ranked = &t->progress.ranked;
    struct result *r = result_clone(item_at(t, c->ticket)->item.result);
    if (!r)
        return NULL;
    r->reused = false;
    r->origin = NULL;
    r->earlier = 0;
    r->same_as = "";
    r->stop = STOP_NONE;
    r->samples_ns = r->parts_ns = NULL;
    r->sample_count = r->part_count = r->part_columns = 0;
    r->batch = c->batch;
    r->warmups = c->warmups;
    r->terms = ranked_terms_of(t, ranked->is_short, ranked->status.batch);
    memcpy(r->ranking, ranked->id, sizeof r->ranking);
    r->part = arena_strdup(&r->arena, t->subspace);
    if (!r->part) {
        result_free(r);
        return NULL;
    }
    if (c->failure ? result_merge(r, c->failure)
                   : finalist_give(c, STOP_RANKED, r) &&
                         (!c->checked || result_take_counts(r, c->checked)))
        return r;
    result_free(r);
    return NULL;
}

// Did the ranking yield a result for this finalist? A late one has none if there was no time for
// its rounds; its place is not known if its partner failed after them.
static bool has_news(const struct tune *t, const struct finalist *c)
{
    return c->failure || (t->progress.ranked.status.decided && c->placed);
}

// Another process may have the store locked for the moment: the ranking is then written in a later
// step, *later is set, and it is not a failure.
static bool is_written(struct tune *t, bool ok, bool *later, struct error *why, struct error *e)
{
    *later = !ok && store_try_again(t->o.setup.store, why);
    if (!ok && !*later && e)
        *e = *why;
    return ok || *later;
}

// The store has a ranking whole or not at all: deciding from a part of it would name another
// winner.
static bool store_results(struct tune *t, bool *later, struct error *e)
{
    struct error why = ERROR_INIT;
    struct store *store = t->o.setup.build_only ? NULL : t->o.setup.store;
    *later = false;
    if (!store)
        return true;
    bool ok = store_together(store, &why);
    if (!ok)
        return is_written(t, ok, later, &why, e);
    for (size_t i = 0; ok && i < t->in_ranking_count; i++) {
        const struct finalist *c = &t->in_ranking[i];
        struct result *r = has_news(t, c) ? ranked_result(t, c) : NULL;
        if (has_news(t, c))
            ok = r ? evaluator_keep(t->w.evaluator, c->ticket, r, &why) : error_memory(&why);
        result_free(r);
    }
    ok = store_together_end(store, ok, &why) && ok;
    return is_written(t, ok, later, &why, e);
}

static bool take_ranked_results(struct tune *t, struct error *e)
{
    for (size_t i = 0; i < t->in_ranking_count; i++) {
        const struct finalist *c = &t->in_ranking[i];
        struct tune_item *n = item_at(t, c->ticket);
        if (!has_news(t, c))
            continue;
        struct result *r = ranked_result(t, c);
        if (!r || !replace_results(t, n, r))
            return error_memory(e);
        if (!c->failure)
            mark_ranked(t, n, &c->entry);
        t->progress.ranked.failed += c->failure != NULL;
    }
    return true;
}

static struct evaluator_times times_now(struct tune *t)
{
    struct evaluator_status status;
    evaluator_status(t->w.evaluator, &status);
    return status.times;
}

// However it came to its end: what it took is counted, once, and nothing of it runs any more.
static bool end_tune_rounds(struct tune *t)
{
    struct tune_ranked *ranked = &t->progress.ranked;
    struct evaluator_times now = times_now(t);
    final_ranking_status(t->final_ranking, &ranked->status);
    t->progress.launches += ranked->status.launches;
    t->progress.kernel_ns += ranked->status.kernel_ns;
    t->progress.rank_ns += ranked->status.elapsed_ns;
    for (unsigned i = 0; i < SPAN_COUNT; i++)
        t->ranking.span_ns[i] += now.span_ns[i] - t->before_ranking.span_ns[i];
    ranked->running = false;
    final_ranking_free(t->final_ranking);
    t->final_ranking = NULL;
    return lanes_end(&t->lanes);
}

static void forget_finalists(struct tune *t)
{
    finalists_release(t->in_ranking, t->in_ranking_capacity);
    free(t->in_ranking);
    t->in_ranking = NULL;
    t->in_ranking_count = t->in_ranking_capacity = 0;
    lanes_forget(&t->lanes);
    memset(&t->progress.ranked, 0, sizeof t->progress.ranked);
}

// The failure of the finalist that screening found fastest, around which the others were chosen.
static const struct finalist *failed_leader(const struct tune *t)
{
    for (size_t i = 0; i < t->in_ranking_count; i++) {
        const struct finalist *c = &t->in_ranking[i];
        if (c->failure && c->ticket == t->finalists.list[0].ticket)
            return c;
    }
    return NULL;
}

static const struct finalist *finalist_of(const struct tune *t, uint64_t ticket)
{
    for (size_t i = 0; i < t->in_ranking_count; i++) {
        if (t->in_ranking[i].ticket == ticket)
            return &t->in_ranking[i];
    }
    return NULL;
}

static bool has_failed_there(const struct finalist *c)
{
    return c && c->failure;
}

// Would there be other finalists, had the leader that failed not been screened? If nothing is
// decided, any correct configuration that is left is one.
static bool has_other_finalists(const struct tune *t)
{
    double fastest = INFINITY, newcomer = INFINITY;
    for (uint64_t i = 0; failed_leader(t) && i < t->items.count; i++) {
        const struct tune_item *n = item_at(t, i);
        const struct finalist *c = finalist_of(t, i);
        double estimate = n->item.result && !has_failed_there(c) ? finalist_estimate(n) : 0;
        if (!(estimate > 0))
            continue;
        fastest = fmin(fastest, estimate);
        if (!c || !t->progress.ranked.status.decided)
            newcomer = fmin(newcomer, estimate);
    }
    return isfinite(newcomer) && newcomer <= t->o.setup.terms.rules.near * fastest;
}

static bool begin_ranking(struct tune *t, struct error *e);

// Builds a job that was dropped again; the turns verify it.
static bool reload_job(struct tune *t, uint64_t ticket, struct error *e)
{
    struct tune_item *n = item_at(t, ticket);
    return n->record.job || tune_resubmit(t, n, e);
}

// The finalists are chosen again as if those that failed had never been screened, and ranked.
static bool rank_anew(struct tune *t, struct error *e)
{
    const size_t failed = t->progress.ranked.failed;
    const struct tune_record *wrong = &item_at(t, failed_leader(t)->ticket)->record;
    log_add(t->o.setup.log, LOG_WARNING,
            "%s was the fastest of the screening and failed in the ranking: the finalists are "
            "chosen anew",
            wrong->configuration);
    forget_finalists(t);
    t->progress.ranked.failed = failed;
    shortlist_release(&t->finalists);
    t->baseline = NULL;
    if (!tune_rank_init(t))
        return error_memory(e);
    for (uint64_t i = 0; i < t->items.count; i++) {
        if (item_at(t, i)->item.result)
            tune_rank_consider(t, item_at(t, i), i);
    }
    const struct tune_item *first = item_at(t, t->finalists.list[0].ticket);
    evaluator_best(t->w.evaluator, (uint64_t)tune_record_ns(&first->record),
                   (uint64_t)((double)first->item.result->verify_launch_ns / first->record.pace));
    bool ok = !t->baseline || reload_job(t, t->baseline_ticket, e);
    for (size_t i = 0; ok && i < t->finalists.count; i++)
        ok = reload_job(t, t->finalists.list[i].ticket, e);
    return ok && begin_ranking(t, e);
}

// The rounds are over. What they found is told even where it cannot be stored. If they are to be
// run again with other finalists only the failures count.
static bool finish_ranking(struct tune *t, struct error *e)
{
    struct tune_ranked *ranked = &t->progress.ranked;
    const struct tune_record *best = NULL;
    uint64_t start = clock_ns();
    bool later = false, anew = has_other_finalists(t);
    ranked->status.decided = ranked->status.decided && !anew;
    ranked->finalists = 0;
    for (size_t i = 0; i < t->in_ranking_count; i++)
        ranked->finalists += has_news(t, &t->in_ranking[i]);
    bool ok = store_results(t, &later, e);
    t->storing_ns += clock_ns() - start;
    t->writing = later ? finish_ranking : NULL;
    if (later)
        return true;
    ok = take_ranked_results(t, e) && ok;
    // The fastest by screening, for when the best so far failed in the ranking.
    for (uint64_t i = 0; i < t->items.record_count; i++) {
        const struct tune_record *r = record_at(t, i);
        if (r->timed && !r->same_as && (!best || tune_objective_compare(r, 0, best, 0) < 0))
            best = r;
    }
    t->progress.best = best;
    if (ok && anew && !t->w.cancelled)
        return rank_anew(t, e);
    return ok && (!ranked->status.decided || choose_among_tied(t) || error_memory(e));
}

// The decision depends on the order of the finalists: use one that can be reproduced from the
// store. A late one stays behind them.
static void put_in_order(struct tune *t, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct finalist c = t->in_ranking[i];
        const char *configuration = item_at(t, c.ticket)->record.configuration;
        size_t at = i;
        for (; at > 0 && strcmp(item_of(t, at - 1)->record.configuration, configuration) > 0; at--)
            t->in_ranking[at] = t->in_ranking[at - 1];
        t->in_ranking[at] = c;
    }
}

static bool make_room_in_ranking(struct tune *t, size_t finalists)
{
    t->in_ranking = calloc(finalists, sizeof *t->in_ranking);
    t->in_ranking_capacity = t->in_ranking ? finalists : 0;
    return t->in_ranking != NULL;
}

// ---- one that the store has --------------------------------------------------------------------

// The id of a ranking of one says nothing: it is all zeros.
static bool is_alone(const struct result *r)
{
    static const uint8_t none[sizeof r->ranking];
    return memcmp(r->ranking, none, sizeof none) == 0;
}

static bool is_of_ranking(const struct result *r, const struct result *ranking)
{
    return r->reused && r->stop == STOP_RANKED &&
           (is_alone(r) ? r == ranking
                        : memcmp(r->ranking, ranking->ranking, sizeof r->ranking) == 0);
}

// Are the finalists those of one ranking that the store has? One that took part in no ranking does
// not count if it was known already and is clearly behind: it was not near enough for that one. A
// ranking of one has nothing behind it.
static bool has_ranking(const struct tune *t)
{
    const struct shortlist *c = &t->finalists;
    const struct result *first = item_at(t, c->list[0].ticket)->item.result;
    double behind = t->o.setup.terms.rules.behind * c->list[0].estimate_ns;
    bool known = is_of_ranking(first, first), alone = known && is_alone(first);
    for (size_t i = 0; known && i < c->count; i++) {
        const struct result *r = item_at(t, c->list[i].ticket)->item.result;
        bool far = r->reused && r->stop != STOP_RANKED && c->list[i].estimate_ns > behind;
        known = is_of_ranking(r, first) || (far && !alone);
    }
    return known;
}

// Was it decided as a short ranking would be now, or as one that is not? One in which finalists left later, or only
// when they were further behind, knows as much and more.
static bool is_by_rules(const struct tune *t, const struct result *r, bool is_short)
{
    const struct ranked_terms then = r->terms, now = ranked_terms_of(t, is_short, r->batch);
    return then.level == now.level && then.behind >= now.behind && then.alike == now.alike &&
           then.rounds == now.rounds && then.looks == now.looks && then.early >= now.early &&
           then.resolution_ns == now.resolution_ns;
}

// All that took part in the ranking of `first`, near to the best today or not.
static bool gather_known(struct tune *t, const struct result *first)
{
    struct tune_ranked *ranked = &t->progress.ranked;
    size_t count = 0;
    for (uint64_t i = 0; i < t->items.count; i++) {
        const struct tune_item *n = item_at(t, i);
        const struct result *r = n->item.result;
        if (n->item.primary || !r || !is_of_ranking(r, first))
            continue;
        struct finalist *c = &t->in_ranking[count++];
        c->ticket = i;
        c->estimate_ns = (uint64_t)n->record.stats.median;
        c->samples = calloc(r->sample_count + 1, sizeof *c->samples);
        if (!c->samples)
            return false;
        memcpy(c->samples, r->samples_ns, r->sample_count * sizeof *c->samples);
        c->count = r->sample_count;
        c->first_round = r->first_round;
    }
    t->in_ranking_count = count;
    ranked->status.rounds = final_ranking_rounds(t->in_ranking, count);
    ranked->finalists = ranked->status.finalists = (uint32_t)count;
    return true;
}

// The decision of a ranking from the store, taken again: the same samples, rules and seed. *whole
// is false where it ended before these rules would end it: it was a short one, more is asked for
// now, or its best are not in this space, and the others left it after a few rounds. Or where the
// default was launched late, with a winner that is not in this space: it compares with nobody here.
static bool decide_again(struct tune *t, bool *whole, struct error *e)
{
    struct tune_ranked *ranked = &t->progress.ranked;
    const struct result *first = item_at(t, t->finalists.list[0].ticket)->item.result;
    size_t winner = 0;
    ranked->known = true;
    ranked->status.batch = first->batch;
    ranked->status.warmups = first->warmups;
    memcpy(ranked->id, first->ranking, sizeof ranked->id);
    if (!make_room_in_ranking(t, t->items.count) || !gather_known(t, first))
        return error_memory(e);
    put_in_order(t, t->in_ranking_count);
    struct measure_rules rules =
        final_ranking_rules(&t->o.setup.terms.rules, !is_by_rules(t, first, false));
    rules.behind = first->terms.behind;
    rules.early = first->terms.early;
    if (!final_ranking_again(t->in_ranking, t->in_ranking_count, &rules,
                             final_ranking_seed(ranked->id), first->terms.resolution_ns,
                             t->progress.out_of_time, &winner, whole))
        return error_memory(e);
    for (size_t i = 0; i < t->in_ranking_count; i++)
        *whole = *whole && (t->in_ranking[i].placed || t->in_ranking[i].first_round == 0);
    for (size_t i = 0; *whole && i < t->in_ranking_count; i++) {
        if (t->in_ranking[i].placed)
            mark_ranked(t, item_of(t, i), &t->in_ranking[i].entry);
    }
    return !*whole || choose_among_tied(t) || error_memory(e);
}

// The same ranking decides for the space searched now: it is written down for this space if it was
// of another part, so that the search is not repeated. A ranking of the whole space covers this
// already.
static bool restate_ranking(struct tune *t, struct error *e)
{
    const struct shortlist *c = &t->finalists;
    const struct result *first = item_at(t, c->list[0].ticket)->item.result;
    struct store *store = t->o.setup.store;
    struct error why = ERROR_INIT;
    bool later = false;
    t->writing = NULL;
    if (!store || is_alone(first) || !first->part[0] || str_equal(first->part, t->subspace))
        return true;
    bool begun = store_together(store, &why), ok = begun;
    for (size_t i = 0; ok && i < c->count; i++) {
        const struct result *known = item_at(t, c->list[i].ticket)->item.result;
        if (!is_of_ranking(known, first) ||
            known->origin) // of a store behind nothing is taken over
            continue;
        struct result *r = result_clone(known);
        const char *part = r ? arena_strdup(&r->arena, t->subspace) : NULL;
        if (part) {
            r->part = part;
            r->reused = false;
        }
        ok = part ? evaluator_keep(t->w.evaluator, c->list[i].ticket, r, &why) : error_memory(&why);
        result_free(r);
    }
    ok = begun && store_together_end(store, ok, &why) && ok;
    ok = is_written(t, ok, &later, &why, e);
    t->writing = later ? restate_ranking : NULL;
    return ok;
}

// ---- its time ----------------------------------------------------------------------------------

#define TURN_NS 2000000 // of a launch, beside the kernel: frames, restoring, waiting

static double turn_ns(const struct tune *t, double estimate)
{
    const bool is_long = policy_is_long(t->o.setup.at.device, (uint64_t)estimate);
    return (is_long ? 1 : 2) * estimate + TURN_NS;
}

// By the finalists so far: each round launches each once, and each is verified at the end.
uint64_t tune_rank_time(const struct tune *t, bool is_short)
{
    const struct shortlist *c = &t->finalists;
    struct evaluator_status now;
    double round = 0;
    evaluator_status(t->w.evaluator, &now);
    for (size_t i = 0; i < c->count; i++)
        round += turn_ns(t, c->list[i].estimate_ns);
    if (t->baseline)
        round += turn_ns(t, estimate_of(t->baseline->item.result));
    double verified = t->items.record_count > 0 ? (double)now.times.span_ns[SPAN_VERIFYING] /
                                                      (double)t->items.record_count
                                                : 0;
    uint32_t rounds = final_ranking_limit(&t->o.setup.terms.rules, c->count, is_short);
    return (uint64_t)(rounds * round + verified * (double)c->count);
}

// ---- running -----------------------------------------------------------------------------------

// A ranking of one has no id, since no other result could belong to it.
static bool begin_rounds(struct tune *t, bool has_late, struct error *e)
{
    struct tune_ranked *ranked = &t->progress.ranked;
    for (size_t i = 0; i < t->in_ranking_count; i++) {
        const struct tune_record *r = &item_of(t, i)->record;
        // The speed-up over the default has an interval.
        t->in_ranking[i].first_ns =
            is_baseline(t, r) ? 0 : (uint64_t)((double)r->result->verify_launch_ns / r->pace);
        t->in_ranking[i].place = item_of(t, i)->item.place;
    }
    size_t size = sizeof ranked->id;
    uint64_t limit = t->o.budget.ranks_on_top ? 0 : t->o.budget.nanoseconds;
    ranked->is_short = t->progress.out_of_time ||
                       (limit > 0 && tune_spent_time(t) + tune_rank_time(t, false) > limit);
    if (t->in_ranking_count > 1 && getrandom(ranked->id, size, 0) != (ssize_t)size)
        return error_set(e, ERROR_INTERNAL, "the system has no random numbers");
    struct final_ranking_options o = {
        .evaluator = t->w.evaluator,
        .rules = &t->o.setup.terms.rules,
        .device = t->o.setup.at.device,
        .seeds = {.order = t->o.setup.seed, .decision = final_ranking_seed(ranked->id)},
        .finalists = t->in_ranking,
        .count = t->in_ranking_count - has_late,
        .has_late = has_late,
        .is_short = ranked->is_short,
        .checks_tied = true,
        .shares_first = true,
        .energy = t->o.setup.spec->uses_energy,
        .counters = t->o.setup.terms.counters};
    lanes_use(&t->lanes, t->w.evaluator, &t->o.setup, &o);
    t->final_ranking = final_ranking_new(&o, e);
    ranked->running = t->final_ranking != NULL;
    t->before_ranking = times_now(t);
    return t->final_ranking != NULL;
}

// The default takes part where it is correct, be it a finalist by its time or not. True where it
// is many times slower: it is then the late one.
static bool add_baseline(struct tune *t)
{
    double estimate =
        t->baseline ? estimate_of(t->baseline->item.result) / t->baseline->record.pace : 0;
    if (!t->baseline || !(estimate > 0))
        return false;
    for (size_t i = 0; i < t->in_ranking_count; i++) {
        if (&item_of(t, i)->item == t->baseline->item.primary)
            return false;
    }
    t->in_ranking[t->in_ranking_count++] =
        (struct finalist){.ticket = t->baseline_ticket, .estimate_ns = (uint64_t)estimate};
    t->progress.ranked.finalists = t->in_ranking_count;
    return estimate > FINAL_RANKING_LATE * t->finalists.list[0].estimate_ns;
}

// The rounds of the finalists and of the default.
static bool begin_ranking(struct tune *t, struct error *e)
{
    const struct shortlist *c = &t->finalists;
    if (!make_room_in_ranking(t, c->count + 1))
        return error_memory(e);
    t->in_ranking_count = t->progress.ranked.finalists = c->count;
    for (size_t i = 0; i < c->count; i++) {
        t->in_ranking[i].ticket = c->list[i].ticket;
        t->in_ranking[i].estimate_ns = (uint64_t)c->list[i].estimate_ns;
    }
    bool has_late = add_baseline(t);
    put_in_order(t, t->in_ranking_count - has_late);
    return begin_rounds(t, has_late, e);
}

bool tune_rank_start(struct tune *t, struct error *e)
{
    const struct shortlist *c = &t->finalists;
    if (t->was_ranked || t->w.cancelled || c->count == 0)
        return true;
    t->was_ranked = true;
    bool whole = false;
    if (has_ranking(t)) {
        // Was it decided as it would be now? Where the time is up one that is not short does, too.
        const struct result *r = item_at(t, c->list[0].ticket)->item.result;
        bool by_rules =
            is_by_rules(t, r, false) || (t->progress.out_of_time && is_by_rules(t, r, true));
        bool has_energy =
            !t->o.setup.spec->uses_energy || !isnan(result_joule(r)) || r->energy.refused[0];
        bool has_counters = !t->o.setup.terms.counters || r->counters;
        if (by_rules && has_energy && has_counters && !decide_again(t, &whole, e))
            return false;
    }
    if (whole)
        return restate_ranking(t, e);
    forget_finalists(t);
    return begin_ranking(t, e);
}

bool tune_rank_step(struct tune *t, int timeout_ms, struct error *e)
{
    enum workflow_answer answer = final_ranking_step(t->final_ranking, timeout_ms, e);
    lanes_tell(&t->lanes, t->w.evaluator, t->o.setup.log);
    final_ranking_status(t->final_ranking, &t->progress.ranked.status);
    if (answer == WORKFLOW_END)
        return (end_tune_rounds(t) || error_memory(e)) && finish_ranking(t, e);
    if (answer == WORKFLOW_BROKEN)
        end_tune_rounds(t);
    return answer != WORKFLOW_BROKEN;
}

// An unfinished ranking decides nothing: the records stay as screening left them.
void tune_rank_cancel(struct tune *t)
{
    if (t->final_ranking)
        end_tune_rounds(t);
}

// ---- the speed-up ------------------------------------------------------------------------------

// The screening estimate of a record, from its result before the ranking.
static double screened_estimate(const struct tune *t, const struct tune_record *r)
{
    for (uint64_t i = 0; i < t->items.count; i++) {
        const struct tune_item *n = item_at(t, i);
        if (&n->record == r)
            return n->screened ? estimate_of(n->screened) / n->screened_pace
                               : estimate_of(n->item.result) / n->record.pace;
    }
    return 0;
}

static void speedup_of_ranked(const struct tune *t, const struct tune_record *base,
                              const struct tune_record *best, struct stats_ratio *out)
{
    const struct result *slow = base->result, *fast = best->result;
    speedup_of_finalists(&(struct speedup_side){&base->rank, slow->samples_ns, slow->sample_count},
                         &(struct speedup_side){&best->rank, fast->samples_ns, fast->sample_count},
                         (slow->first_round | fast->first_round) > 0, t->o.setup.terms.rules.level,
                         fast->terms.resolution_ns, out);
}

// Is one of them known from a ranking that the other one took no part in? Their times are then of two states of the machine.
static bool are_of_two_rankings(const struct result *a, const struct result *b)
{
    bool is_ranked = (a->reused && a->stop == STOP_RANKED) || (b->reused && b->stop == STOP_RANKED);
    return is_ranked &&
           (is_alone(a) || is_alone(b) || memcmp(a->ranking, b->ranking, sizeof a->ranking) != 0);
}

// Both are known from one ranking, which is not decided again here: by the rounds that they share.
static void speedup_of_stored(const struct tune *t, const struct result *base,
                              const struct result *best, struct tune_speedup *out)
{
    const uint32_t first =
        base->first_round > best->first_round ? base->first_round : best->first_round;
    const uint32_t a = first - base->first_round, b = first - best->first_round;
    if (a >= base->sample_count || b >= best->sample_count) {
        out->known = false;
        return;
    }
    const uint32_t more = base->sample_count - a, rest = best->sample_count - b;
    out->ranked = true;
    speedup_paired(base->samples_ns + a, best->samples_ns + b, more < rest ? more : rest,
                   t->o.setup.terms.rules.level, best->terms.resolution_ns, &out->ratio);
}

// Both were screened: what their launches tell, if they are enough for an interval.
static void speedup_of_screened(const struct tune *t, const struct tune_record *slow,
                                const struct tune_record *fast, struct tune_speedup *out)
{
    const struct result *a = slow->result, *b = fast->result;
    const double others = (double)t->progress.by_status[STATUS_CORRECT] - 1;
    const double level = 1 - (1 - t->o.setup.terms.rules.level) / fmax(others, 1);
    const double pace = fast->pace / slow->pace;
    struct stats_ratio *r = &out->ratio;
    r->ratio = tune_record_ns(slow) / tune_record_ns(fast);
    if (t->o.replay)
        return;
    struct stats_ratio of_launches;
    differ_ratio(a->samples_ns, a->sample_count, b->samples_ns, b->sample_count, level,
                 t->o.setup.at.device->timer_ns, &of_launches);
    if (of_launches.interval)
        *r = (struct stats_ratio){of_launches.ratio * pace, of_launches.low * pace,
                                  of_launches.high * pace, true};
    else
        out->needed = differ_samples(level);
}

static bool are_one_job(const struct tune_record *a, const struct tune_record *b)
{
    return a == b || a->same_as == b || b->same_as == a || (a->same_as && a->same_as == b->same_as);
}

void tune_compare(const struct tune *t, const struct tune_record *slow,
                  const struct tune_record *fast, struct tune_speedup *out)
{
    *out = (struct tune_speedup){.known = false};
    if (!slow || !slow->timed || !fast || !fast->timed)
        return;
    out->known = true;
    out->ranked = slow->ranked && fast->ranked;
    out->same = are_one_job(slow, fast);
    if (out->same)
        out->ratio = (struct stats_ratio){1, 1, 1, out->ranked};
    else if (out->ranked)
        speedup_of_ranked(t, slow, fast, &out->ratio);
    else if (slow->ranked ||
             fast->ranked) // what was screened compares with what was screened alone
        out->ratio.ratio = screened_estimate(t, slow) / screened_estimate(t, fast);
    else if (are_of_two_rankings(slow->result, fast->result))
        out->known = false;
    else if (is_of_ranking(slow->result, fast->result))
        speedup_of_stored(t, slow->result, fast->result, out);
    else
        speedup_of_screened(t, slow, fast, out);
    out->known = out->known && isfinite(out->ratio.ratio); // a clock may tell 0 ns
    out->significant = out->ratio.interval && out->ratio.low > 1;
}

void tune_speedup(const struct tune *t, struct tune_speedup *out)
{
    tune_compare(t, t->progress.default_record, t->progress.best, out);
}
