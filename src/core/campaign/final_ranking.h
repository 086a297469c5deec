// The ranking at the end of a tune: finalists interleaved, round by round. Drives the decisions of
// stats/rounds.h with an evaluator's turns; knows neither spec nor store.
//
//   ready    each finalist is built, loaded and verified where it is not, before anything is timed
//   trial    of several devices that were not compared yet each launches the fastest some times
//   rounds   under one hold of the device: a launch of the reference (the finalist that screening
//            found fastest), then of each that is still in, in shuffled order. Of several equal
//            devices each runs rounds of its own: a block is a round of one device. The first round,
//            after which most have left, is shared out among them: each launches the finalists
//            that it screened, and their times are told in those of the device that screened the
//            reference, by launches of the reference on both
//   late     a few rounds of the winner so far and of the default, where that is many times slower
//   check    one more launch of each finalist, or of those tied with the winner, whose result is
//            compared again; where one fails, of those that are then tied with another
//
// Stepped as a workflow is (workflow.h), without records.
#pragma once

#include "model/device_info.h"
#include "stats/ranking.h"
#include "stats/rounds.h"
#include "stats/stats.h"
#include "campaign/workflow.h"

// Rounds of a single finalist, which is not compared.
#define FINAL_RANKING_ROUNDS_ALONE 8

// A default that takes so many times as long as the fastest is compared with the winner of the
// others after these: in SPEEDUP_ROUNDS rounds if they take a tenth of the ranking's kernel time at
// most, or this long where that is more; in as many as an interval of its median takes if those take a tenth at most.
#define FINAL_RANKING_LATE        3
#define FINAL_RANKING_LATE_ROUNDS 6
#define FINAL_RANKING_LATE_SHARE  0.1
#define FINAL_RANKING_LATE_NS     100000000ull

struct finalist {
    uint64_t ticket;      // that the evaluator has taken; filled in by the caller
    uint64_t estimate_ns; // by screening; likewise
    uint64_t first_ns; // that its verified launch took in screening; 0: it stays for three rounds
    uint32_t place;    // of several devices the one that screened it: turn.place
    uint64_t *samples; // one a round that counts
    uint32_t count;
    uint32_t first_round;    // that samples[0] is of: 0, but for the late one
    uint32_t batch, warmups; // launches of each sample, and untimed ones before
    uint64_t *parts;         // of the kernels of a job with several: `count` rows of `columns`
    uint32_t columns;
    bool warm;
    char timer_fault[160];           // as the results'
    struct machine_snapshot machine; // at its last turn
    struct gpu_snapshot gpu;         // over its turns
    struct result *checked;          // (or NULL) of the last verification: its energy, if asked for
    struct result *failure;          // (or NULL) it failed in a turn, or at its last verification
    bool placed;                     // the entry is valid
    struct ranking_entry entry;      // with final_ranking_status.decided
};
void finalists_release(struct finalist *c, size_t count); // what they point to
// Copies what the rounds found into a result, in place of its samples. False without memory.
bool finalist_give(const struct finalist *c, enum stop_reason stop, struct result *r);

// One of several devices, as the rounds found it: how many times longer it takes than its siblings.
struct ranked_place {
    uint32_t place;  // turn.place
    uint32_t rounds; // that it ran and that count
    bool compared;   // `ratio` is known
    struct stats_ratio ratio;
    bool lost;     // while they ran
    char why[400]; // it takes part no more though its device is there; or ""
};

struct final_ranking_options {
    struct evaluator *evaluator;
    const struct measure_rules *rules;
    const struct device_info *device;
    struct rounds_seeds seeds;
    struct finalist *finalists; // the caller's, filled in; they outlive the ranking
    size_t count;               // 1 or more
    bool has_late;              // one more stands behind them: a default that is many times slower
    bool is_short;              // no further than the first regular look
    bool energy;                // of each finalist that is left is counted at the end
    bool counters;              // of each finalist that is left, likewise
    bool checks_tied; // without either: only those tied with the winner are compared again
    // (or 0) Launches that all take so long are not warmed up: what they find in the caches is a small part of them.
    uint64_t cold_ns;
    bool shares_first; // several devices share the first round out: finalists have their places
    // (optional) Equal devices, on each of which rounds run, at the same time; filled in. 0: one.
    struct ranked_place *places;
    uint32_t place_count;
    // The devices were not compared yet: a device slower than its siblings by this share is left
    // out before the rounds; 0 or INFINITY: none is.
    double outlier;
    // (optional: it is forgotten) Takes an outcome that no turn asked for: of a job on its way.
    void (*late)(void *context, struct outcome *out);
    void *context;
};

// How far it is, and what became of it.
struct final_ranking_status {
    uint32_t finalists, in;       // all, and those that are still launched
    uint32_t round, most;         // the one that runs, from 1; how many at most
    uint32_t rounds;              // that count
    uint32_t repeated, marked;    // disturbed ones: run again; counted nevertheless
    uint32_t by_load, by_clock;   // of both: others used the cores; the reference was slow
    uint32_t mhz_least, mhz_most; // of the device, as far as the system tells (0: it does not)
    uint32_t batch, warmups;      // of each sample
    uint64_t launches;            // of kernels, all of them
    uint64_t kernel_ns;           // of these; warming up counts as the launch that follows
    bool checking;                // the rounds are over, results are compared again
    bool decided;                 // entries and winner are valid
    size_t winner;
    uint64_t elapsed_ns, left_ns; // left: at most; 0 while there is no estimate
};

struct final_ranking;

struct final_ranking *final_ranking_new(const struct final_ranking_options *o, struct error *e);

enum workflow_answer final_ranking_step(struct final_ranking *s, int timeout_ms, struct error *e);
void final_ranking_status(const struct final_ranking *s, struct final_ranking_status *out);
void final_ranking_free(struct final_ranking *s); // NULL is fine

// The rules by which a ranking decides: a short one has one look, which may spend the whole error.
struct measure_rules final_ranking_rules(const struct measure_rules *rules, bool is_short);

// The decision on samples that were taken before, as it was taken then: rounds, rules and seed are
// the same, and so must the order of the finalists be; a late one may stand anywhere. Where they
// do not fit each other (other rules, a part of the finalists) all samples that they have are decided on at once.
// *whole (optional): a ranking of these finalists under these rules would have ended here too,
// nothing is left to launch; `is_short` as above. False without memory or samples.
bool final_ranking_again(struct finalist *finalists, size_t count,
                         const struct measure_rules *rules, uint64_t seed, uint64_t resolution_ns,
                         bool is_short, size_t *winner, bool *whole);

// The parts of a ranking that both have: its rounds, how many there may be, and the place of a late finalist, from its rounds with
// a finalist that has a place. `behind`: how many stand before it.
struct rounds *finalists_rounds(const struct finalist *c, size_t count,
                                const struct measure_rules *rules, uint32_t lanes,
                                struct rounds_seeds seeds, uint64_t resolution_ns);
uint32_t final_ranking_limit(const struct measure_rules *rules, size_t finalists, bool is_short);
void finalist_place_late(struct finalist *late, const struct finalist *partner, size_t behind,
                         const struct measure_rules *rules, uint64_t resolution_ns);

// The rounds in which the finalists were interleaved; those of a late one come after them.
uint32_t final_ranking_rounds(const struct finalist *finalists, size_t count);

// The seed of a ranking, which its id in the store holds.
uint64_t final_ranking_seed(const uint8_t id[16]);
