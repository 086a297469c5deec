// How many times faster one configuration is than another, the default, with its interval: a ratio
// within rounds, in which both saw the same state of the machine. Pure functions.
//
// Between two that took part in a ranking alike it is the ratio of their locations, and its
// interval is one of the ranking's: simultaneous for all pairs of finalists (Tukey's, its width
// from the range of permuted residuals; see ranking.h). So it holds although the winner was chosen
// from the same times, and it contains 1 exactly where the ranking does not tell the two apart: of
// ten names of one kernel in 95 of 100 tunes or more (tests/stats/test_procedure.c).
//
// A default that is many times slower is launched in a few rounds of its own, after the others',
// with the winner of these: the choice of the winner does not depend on those times. The interval
// is Student's, of the mean logarithm of the ratios, since the intervals of ranks take six rounds.
// A ranking of two that ended after three rounds gets the same interval.
#pragma once

#include "stats/ranking.h"
#include "stats/stats.h"

// The fewest rounds that give an interval of their own: with two, Student's factor is 12.7, and one
// slow launch hides a factor of ten.
#define SPEEDUP_ROUNDS 3

// How many times longer `slow` takes than `fast`, by samples of the same rounds. `interval` is
// false below SPEEDUP_ROUNDS: low .. high is then the range. Never narrower than resolution_ns is
// of the median of `fast`.
void speedup_paired(const uint64_t *slow, const uint64_t *fast, size_t count, double level,
                    uint64_t resolution_ns, struct stats_ratio *out);

// How many times faster `best` is than `base`, any two of one ranking. `interval` is false where the
// ranking has none for one of them: low .. high is then a range. One width holds for all pairs of finalists, so the wider
// of the two entries counts; the winner's own entry has none.
void speedup_ranked(const struct ranking_entry *base, const struct ranking_entry *best,
                    struct stats_ratio *out);

// The two in one, of two finalists of one ranking, of which `fast` need not be the faster one. Where the ranking has no
// interval it is Student's, if there are rounds enough. One of the two may be late: a default that was launched with the
// winner alone, after the others. Held against another than the winner both widths count, since these are of different
// rounds.
struct speedup_side {
    const struct ranking_entry *entry;
    const uint64_t *samples;
    uint32_t count;
};
void speedup_of_finalists(const struct speedup_side *slow, const struct speedup_side *fast,
                          bool is_late, double level, uint64_t resolution_ns,
                          struct stats_ratio *out);
