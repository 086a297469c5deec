// Private to the workflow of `hone tune`: its state, shared by tune.c (the search), tune_known.c
// (stored results), tune_objective.c (the objectives), tune_baseline.c (another default in place of
// one that fails), tune_ahead.c (texts made beside the builds), tune_sources.c (results from elsewhere), tune_starts.c (the user's start
// configurations), tune_replay.c (a recording answers) and tune_rank.c (the ranking at the end).
#pragma once

#include "campaign/shortlist.h"
#include "workflows/scalarization.h"
#include "search/subspace.h"
#include "workflows/elsewhere.h"
#include "campaign/final_ranking.h"
#include "campaign/items.h"
#include "campaign/lanes.h"
#include "workflows/tune/tune.h"

// A record on its way to the caller.
struct tune_item {
    struct item item;
    struct tune_record record;
    struct result *screened;   // (or NULL) what its result was before the ranking
    double screened_pace;      // of that
    struct tune_item *chained; // in its bucket of `named`
    bool unasked;              // known, and the strategy has not asked for it: it spends no budget
    double *values;            // room for those of the objective
    double *metrics;           // likewise
};

enum { SOURCE_BEST_SHOWN = 3 }; // of each source's best: the report tells what these were worth

struct tune {
    struct workflow w;
    struct tune_options o;
    struct subject subject;
    struct scalarization *strategy;
    struct arena arena;

    struct items items;
    struct tune_item *named[ITEMS_BUCKETS]; // by configuration
    uint64_t planned;
    uint64_t refused;  // records that the device refused: they spend no budget
    uint64_t ended[2]; // for alike_example: within the device's limits, beyond them
    const struct tune_record *first[2]; // and the first of each

    uint64_t *known; // indices of the fastest that the store knows, the fastest first
    struct tune_item **known_items;
    size_t known_count, known_next;
    uint64_t unasked; // of them

    struct sources elsewhere;    // the search's sources
    struct tune_source *sources; // of them, for reports; behind them those where all failed
    uint32_t source_count;
    struct strategy_heard *heard;
    const struct tune_record *(*recommended)[SOURCE_BEST_SHOWN]; // by source: records of its best
    uint64_t recommended_seen; // so many records were looked at for them

    const uint64_t *start_indices; // what the search begins with
    struct tune_start *starts;     // of them, for reports
    uint32_t start_count;
    uint64_t starts_seen; // so many records were looked at for them

    struct tune_record **front;     // of several objectives: the Pareto set so far
    size_t front_count, front_room; // there is room for every item

    struct shortlist finalists; // of the ranking, as of now
    struct tune_item *baseline; // (or NULL) the default, if it is not one of these
    uint64_t baseline_ticket;
    struct finalist *in_ranking; // those of the final ranking, while it runs and after
    size_t in_ranking_count, in_ranking_capacity;
    struct final_ranking *final_ranking;
    uint64_t spec_default; // before it was replaced, in the whole space
    const char *subspace;  // that is searched; see subspace.h
    // (or NULL) What is still to be written of it: another process has the store locked.
    bool (*writing)(struct tune *t, struct error *e);

    struct lanes lanes; // several devices
    bool is_described;  // the store has what the devices did
    struct tune_progress progress;
    struct evaluator_times before_ranking, ranking; // when it began; what it took
    uint64_t storing_ns;                            // its results
    double replayed_ns; // what the answers of a replay cost when they were recorded
    uint64_t began_ns,
        began_locked_ns; // the budget's time; how long the device was another's before
    uint32_t stand_ins;  // how often the default was replaced
    uint32_t unvalued;   // timed records whose energy was refused, before any had values
    uint32_t builders;
    // Asked for, in this order: generators make their texts, `ahead` at once; 0: nothing is generated.
    struct tune_item **making;
    size_t making_count, making_room;
    uint32_t ahead;
    bool is_threaded; // the strategy has a thread
    bool is_thinking; // the strategy, about a question
    bool is_making;   // there is room for another job, which can be made at once
    bool differ;      // not all of `first` ended in one way
    bool by_time;     // the objective is the time or an equivalent
    bool has_values;  // some record has values of the objective
    bool was_ranked;  // once, whatever came of it
};

static inline struct tune_item *item_at(const struct tune *t, uint64_t ticket)
{
    return (struct tune_item *)t->items.list[ticket];
}
static inline const struct tune_record *record_at(const struct tune *t, uint64_t ordinal)
{
    return t->items.records[ordinal];
}

// tune.c
double tune_record_ns(const struct tune_record *r); // the median at the pace of the one device
void tune_summarise(struct tune *t, struct tune_item *n);
// The first values of a recording's parameters are not a default.
static inline bool tune_has_default(const struct tune *t)
{
    return t->subject.has_default && !(t->o.replay && t->o.setup.spec->text_length == 0);
}
bool tune_start_item(struct tune *t, uint64_t index, struct error *e);
bool tune_submit_item(struct tune *t, struct tune_item *n, struct error *e);
// Nothing is asked any more, and no ranking runs: how records compare stays as it is.
static inline bool tune_is_over(const struct tune *t)
{
    return t->items.is_ended && !t->final_ranking;
}

bool tune_resubmit(struct tune *t, struct tune_item *n,
                   struct error *e); // with a job that is made anew
struct evaluator *tune_make_evaluator(struct tune *t, struct error *e);

// tune_ahead.c
// Generators print texts beside what is built and launched: as many at once as there are builders, and cores here, for
// configurations that were asked for. Their jobs are submitted in this order.
void tune_ahead_init(struct tune *t);
size_t tune_room(const struct tune *t); // so many more may be asked for
// Is its text to be made first? It is then submitted later.
bool tune_ahead_defers(struct tune *t, struct tune_item *n, struct error *e);
bool tune_ahead_pauses(const struct tune *t); // they wait for a launch
bool tune_is_making(const struct tune *t, const struct tune_item *n);
// Submits those that are ready, and drops all of them once nothing is asked any more.
bool tune_ahead_step(struct tune *t, struct error *e);

// tune_sources.c
// Reads results of this space on other devices, at other sizes or in other languages, if the setup's strategy uses sources.
bool tune_sources_find(struct tune *t, const struct strategy_setup *setup, struct error *e);
void tune_sources_progress(struct tune *t, struct tune_progress *out);

// tune_starts.c
// Finds what the search is to begin with in the space.
bool tune_starts_find(struct tune *t, struct error *e);
void tune_starts_progress(struct tune *t, struct tune_progress *out);

// tune_baseline.c
// After the evaluator broke off: if the default configuration, which verifies the results, cannot
// be run, the next valid one takes its place, and unfinished jobs are submitted again. False with
// *why if there is none to replace it, or that failed.
bool tune_replace_default(struct workflow *w, struct error *why);

// tune_known.c
// Stored results of a space that is searched in part take part in the ranking, so that no tune
// answers with less than an earlier one found: the fastest, as many as a ranking takes, that
// compare with today's times and are the same job today. The search itself is not affected: the
// strategy receives such a result when it asks for it.
bool tune_known_find(struct tune *t, struct error *e);
// Evaluates up to `room` of them: the store answers.
bool tune_known_start(struct tune *t, size_t room, struct error *e);
// The strategy asks for the index: is it one of those started? Then the strategy receives its
// result.
bool tune_known_ask(struct tune *t, uint64_t index);

// tune_objective.c
// The objective, and what it makes of the terms of measuring.
void tune_objective_init(struct tune *t);
// The values of an item whose record is summarised.
void tune_objective_value(struct tune *t, struct tune_item *n);
// A new record: is it the best, or of the Pareto set?
void tune_objective_note(struct tune *t, struct tune_record *r);
void tune_objective_tell(struct tune *t, const struct tune_record *r);
// After a new record: is it clear that the objective needs energy, which is not measured here?
// `why` says so.
bool tune_objective_is_hopeless(struct tune *t, const struct tune_record *r, struct error *why);
// The number that orders records, less first; INFINITY: it has none.
double tune_objective_order(const struct tune *t, const struct tune_record *r);
// Which of two is listed first, and which is the best, before there is a ranking: by their orders; of equal ones the faster, then
// the one that was measured itself, then the one that the space has first.
int tune_objective_compare(const struct tune_record *a, double order_a, const struct tune_record *b,
                           double order_b);

// tune_replay.c
bool tune_replay_fits(const struct tune_options *o, struct error *e); // can it have this budget?
struct evaluator *tune_replay_evaluator(const struct tune *t, struct error *e);
bool tune_replay_answer(struct tune *t, struct tune_item *n); // false without memory
void tune_replay_progress(const struct tune *t, struct tune_progress *out);
void tune_replay_summarise(const struct tune *t, struct tune_record *r);

// tune_rank.c
bool tune_rank_is_wanted(const struct tune_options *o); // a ranking, by how it is to measure
bool tune_rank_init(struct tune *t);
void tune_rank_release(struct tune *t);
// No finalist so far is one.
void tune_rank_forget(struct tune *t);
// A new record that is correct: is its configuration a finalist? Drops the jobs of those that are
// none.
void tune_rank_consider(struct tune *t, const struct tune_item *n, uint64_t ticket);
// After the search: starts the ranking, or finds that there is none to be made or that the store
// has it. False on failure.
bool tune_rank_start(struct tune *t, struct error *e);
// False on failure; t->final_ranking is NULL once it is over.
bool tune_rank_step(struct tune *t, int timeout_ms, struct error *e);
void tune_rank_cancel(struct tune *t);
// The time that a ranking of the present finalists will take, about, ns; short: no further than the first regular look.
uint64_t tune_rank_time(const struct tune *t, bool is_short);
// The part of the budget's time that is spent, ns.
uint64_t tune_spent_time(struct tune *t);
