// The rounds of a ranking as a pure state machine: who takes part in the next round and in which
// order, whether a round was disturbed and is run again, who leaves because it is told apart from
// the leader already, and when there is nothing left to find out. Whoever drives it launches:
//
//   while (!rounds_done(r)) {
//       size_t count;
//       const size_t *order = rounds_next(r, lane, &count);
//       ... launch order[0], the reference, then order[1] ... in turn; rounds_drop() what fails ...
//       if (rounds_tell(r, lane, times, load) == ROUNDS_BROKEN) ... out of memory ...
//   }
//   rounds_rank(r, entries, &winner);
//
// A round is a block: it runs on one device from its first launch to its last, and only what was
// launched within one is compared. Of equal devices each is a *lane*, whose rounds may run at the same
// time as those of others. Whoever left meanwhile keeps no sample of a round that was told after that.
//
// Finalists leave for two reasons. From the round `early` on those leave whose every launch was
// clearly behind the leader (ranking_clear()); before the third round one of screening counts, too,
// so that most of those that are far behind are launched once. And the rounds are looked at `looks` times, the last
// time at their end, each time before at half the rounds of the next; who is told apart from the
// leader by ranking_decide() leaves, and nothing later takes that back. Each look is a chance to be
// wrong, so the error that the level allows is spent over them, never more in all than that: by
// alpha(t) = alpha t^1.5, t the share of the rounds that have been run (Kim and DeMets, "Design and
// analysis of group sequential tests based on the type I error spending rate function", Biometrika
// 74, 1987). What one look spends is the increment since the look before; no independence is
// assumed.
#pragma once

#include "stats/ranking.h"
#include "stats/rules.h"

struct rounds;

// The order is the caller's to choose and decides nothing; whoever decides again on the same
// samples needs the other one.
struct rounds_seeds {
    uint64_t order, decision;
};

// `screening`: for each finalist the time in ns that made it one. The fastest of them is the
// reference: it is launched first in each round, as a turn beside its own, and says whether the
// machine is as it was: with one lane, by the time of screening; each of several knows only itself.
// `resolution_ns`: as in struct ranking_terms. NULL without memory, finalists or lanes.
struct rounds *rounds_new(const struct measure_rules *rules, const uint64_t *screening,
                          size_t finalists, uint32_t lanes, struct rounds_seeds seeds,
                          uint64_t resolution_ns);
void rounds_free(struct rounds *r); // NULL is fine
// Before the first round: what a launch of the finalist took before all rounds (0: not known). It
// is no sample, and lets those that are far behind leave before the third round.
void rounds_know_first(struct rounds *r, size_t finalist, uint64_t ns);

// The turns of the lane's next round: order[0] is the reference's extra turn, order[1 .. count) is each
// finalist that is still in, once, shuffled from the order's seed. The same order until
// rounds_tell(). A round that is repeated is shuffled anew. With nobody left: 0 turns.
const size_t *rounds_next(struct rounds *r, uint32_t lane, size_t *count);
// It left after the last round, as the samples of a ranking that is decided again tell.
void rounds_leave(struct rounds *r, size_t finalist);
// Nothing came of that round: another order is drawn.
void rounds_void(struct rounds *r, uint32_t lane);

enum rounds_verdict {
    ROUNDS_KEPT,
    ROUNDS_REPEATED, // disturbed, and thrown away: it is run again
    // Disturbed, and kept: rounds were repeated often enough. On a machine that stays as it is
    // those that follow are kept and marked at once, until one is not disturbed.
    ROUNDS_MARKED,
    ROUNDS_BROKEN // no memory
};

// times[i] is the sample of order[i] in ns; that of one dropped meanwhile does not matter. `load`
// is the share of the machine's cores that others used during the round; below 0 where it is not
// known or does not matter. A look falls due here.
enum rounds_verdict rounds_tell(struct rounds *r, uint32_t lane, const uint64_t *times,
                                double load);

// The finalist failed: it takes part no more and has no place. Another one becomes the reference
// where it was that.
void rounds_drop(struct rounds *r, size_t finalist);

// All rounds are run, or everyone left is told apart or known to `precision`, or nobody is left.
bool rounds_done(const struct rounds *r);

struct rounds_account {
    uint32_t kept;     // rounds whose samples count, marked ones among them
    uint32_t marked;   // disturbed and kept
    uint32_t repeated; // disturbed and thrown away
    uint32_t looks;    // decisions taken so far
    size_t reference;  // the finalist that is it now
};
struct rounds_account rounds_account(const struct rounds *r);

// The number of rounds after which look `i` of `looks` falls due: half as many as the next.
uint32_t rounds_at_look(const struct measure_rules *rules, uint32_t i);

// Where a finalist stands.
enum rounds_standing {
    ROUNDS_IN,
    ROUNDS_LEFT,   // told apart, or clearly behind: it has fewer samples
    ROUNDS_DROPPED // failed
};
enum rounds_standing rounds_standing(const struct rounds *r, size_t finalist);
// Its samples in the kept rounds, and how many; valid until the next rounds_tell().
const uint64_t *rounds_samples(const struct rounds *r, size_t finalist, uint32_t *count);

// The decision on the rounds so far: at the look that was due last, or, when rounds were broken off
// between looks, as if a look were due now. out[c] belongs to finalist c; the entry of one that
// was dropped is all zeros with `tied` false and a place behind all others. False without memory or
// without a kept round.
bool rounds_rank(struct rounds *r, struct ranking_entry *out, size_t *winner);
