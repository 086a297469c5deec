// The decision of a ranking; ranking.h says what is tested and why. How it goes:
//
// 1. Centre: each logarithm of a time less the median of its round (centre()). What slowed a whole
//    round cancels.
// 2. Locate: a Hodges-Lehmann location for each finalist; launches far from it are marked as
//    outliers, and the locations are computed again without them (locate_finalists()). The least
//    location is the winner's.
// 3. Score: the centred logarithms, cut off at CUT robust deviations, as integers, so that sums are
//    exact (score()).
// 4. Step down: is the last finalist's sum further from the winner's than chance makes it? Chance
//    is the range of sums when the labels are permuted within every round (beyond_chance()). If so
//    it is told apart and leaves the panel; the rest are scored again. The first that is not told
//    apart ends it: all that remain are tied (step_down()).
// 5. Intervals: the quantile of the range of permuted residuals is half the width of every ratio's
//    interval (half_width()).
//
// Finalists that left early have fewer rounds. A *panel* is the set that has at least so many
// rounds; panels are decided from the longest to the shortest, each finalist in the panel of
// exactly its rounds (decide_stage()).
#include "stats/ranking.h"

#include "base/random.h"
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// In robust standard deviations: where centred logarithms are cut off, and how far from its
// finalist's others a launch is one that something else slowed: it says nothing.
#define CUT 1.5
// Not within so many times the margin of what counts as alike.
#define ALIKE_CUT 3
#define OUTLIER   3.5
// How far from the leader each single launch of a finalist is that is clearly behind, and in how
// many rounds at least. With fewer a launch before the rounds counts, if so many finalists show what the noise is,
// if it is so small that CLEAR deviations are within QUIET, and if the distances of a finalist differ by no more than this share of them.
#define CLEAR           4
#define CLEAR_FINALISTS 4
#define ALIKE_DISTANCE  0.1
#define QUIET           0.1
#define FAR             0.1
#define MAD_TO_SIGMA    1.4826
#define PERMUTATIONS    2000
// Scores are integers, so that sums are exact and the same on every machine.
#define SCORES_PER_UNIT 1e9

// Rounds 0 .. rounds of the finalists who[0 .. count): one block design.
struct panel {
    size_t *who;
    size_t count, rounds;
};

// Memory for panels of up to all finalists and rounds, taken once.
struct work {
    size_t finalists, rounds;
    double *logs;      // [finalist][round]
    double *location;  // [finalist], within the present panel
    double *spread;    // [finalist], robust standard deviation of its residuals
    double *deviation; // [position in the panel][round]: cells less the median of their round
    double *sizes;     // scratch of the size of logs
    bool *outlier;     // [finalist][round], within the present stage
    double *column;    // scratch of the size of a round or of a finalist's rounds
    int64_t *score;    // [round][position in the panel]
    int64_t *sum;      // [position in the panel]
    int64_t *range;    // [permutation]
    size_t *who;       // of the panel
    size_t *order;     // finalists by location
    uint32_t permutations;
    uint64_t seed;
    double alpha;
    const bool *apart; // (or NULL) by finalist
};

static bool is_told_apart(const struct work *w, size_t finalist)
{
    return w->apart && w->apart[finalist];
}

static void ranking_work_release(struct work *w)
{
    free(w->logs);
    free(w->range);
    free(w->who);
    free(w->outlier);
}

// One block for each type of element, cut up here.
static bool ranking_work_init(struct work *w, const struct ranking_times *t,
                              const struct ranking_terms *terms)
{
    uint32_t rounds = 0;
    for (size_t c = 0; c < t->finalists; c++)
        rounds = t->counts[c] > rounds ? t->counts[c] : rounds;
    *w = (struct work){
        .finalists = t->finalists, .rounds = rounds, .seed = terms->seed, .apart = terms->apart};
    w->alpha = (1 - terms->level) / (terms->looks ? terms->looks : 1);
    double least = ceil(8 / w->alpha);
    uint32_t wanted = terms->permutations ? terms->permutations : PERMUTATIONS;
    w->permutations = wanted >= least ? wanted : (uint32_t)fmin(least, 1e6);
    size_t n = t->finalists, cells = n * rounds;
    if (cells == 0 || n > UINT32_MAX || cells / n != rounds || cells > SIZE_MAX / 64)
        return false;
    w->logs = calloc(3 * cells + 3 * n + rounds, sizeof *w->logs);
    w->range = calloc(w->permutations + cells + n, sizeof *w->range);
    w->who = calloc(2 * n, sizeof *w->who);
    w->outlier = calloc(cells, sizeof *w->outlier);
    if (!w->logs || !w->range || !w->who || !w->outlier)
        return false;
    w->deviation = w->logs + cells;
    w->sizes = w->deviation + cells;
    w->location = w->sizes + cells;
    w->spread = w->location + n;
    w->column = w->spread + n;
    w->score = w->range + w->permutations;
    w->sum = w->score + cells;
    w->order = w->who + n;
    for (size_t c = 0; c < n; c++)
        for (size_t r = 0; r < t->counts[c]; r++)
            w->logs[c * rounds + r] = stats_log_ns(t->times[c][r]);
    return true;
}

static int compare_i64(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// ---- the panel's scores -------------------------------------------------------------------------

// The logarithm of a time, or with `residual` what remains of it without the finalist's location.
static double cell(const struct work *w, size_t finalist, size_t round, bool residual)
{
    double log = w->logs[finalist * w->rounds + round];
    return residual ? log - w->location[finalist] : log;
}

// The deviation of each cell from the median of its round: what slowed the whole round cancels.
static void centre(struct work *w, const struct panel *p, bool residual)
{
    for (size_t r = 0; r < p->rounds; r++) {
        for (size_t i = 0; i < p->count; i++)
            w->column[i] = cell(w, p->who[i], r, residual);
        double middle = stats_median_of(w->column, p->count);
        for (size_t i = 0; i < p->count; i++)
            w->deviation[i * p->rounds + r] = cell(w, p->who[i], r, residual) - middle;
    }
}

// A robust standard deviation of the panel's deviations; 0 only where all are equal. With an odd
// count one finalist a round is its median: its deviation of 0 says nothing and is left out.
static double scale_of_panel(struct work *w, const struct panel *p)
{
    size_t cells = p->count * p->rounds, skipped = p->count % 2 ? p->rounds : 0;
    double sum = 0;
    for (size_t i = 0; i < cells; i++) {
        w->sizes[i] = fabs(w->deviation[i]);
        sum += w->sizes[i];
    }
    if (cells == skipped)
        return 0;
    qsort(w->sizes, cells, sizeof *w->sizes, stats_compare_double);
    double middle = w->sizes[skipped + (cells - skipped) / 2];
    return middle > 0 ? MAD_TO_SIGMA * middle : sum / (double)cells;
}

// Scores of the panel, cut off at `least` or beyond; returns the share of them that was not cut off.
static double score(struct work *w, const struct panel *p, bool residual, double least)
{
    centre(w, p, residual);
    double cut = fmax(CUT * scale_of_panel(w, p), least);
    size_t whole = 0;
    for (size_t i = 0; i < p->count; i++) {
        for (size_t r = 0; r < p->rounds; r++) {
            double d = w->deviation[i * p->rounds + r];
            bool outlier = w->outlier[p->who[i] * w->rounds + r];
            whole += fabs(d) <= cut && !outlier;
            d = outlier ? 0 : fmin(fmax(d, -cut), cut);
            w->score[r * p->count + i] = llround(d * SCORES_PER_UNIT);
        }
    }
    return (double)whole / (double)(p->count * p->rounds);
}

// Below `bound`, with a bias of at most bound / 2^32, which no count of permutations sees.
static size_t draw_below(struct rng *rng, size_t bound)
{
    return (size_t)((uint64_t)rng_u32(rng) * bound >> 32);
}

// Exchanges the labels within each round at random: the range of the sums that come of it.
static int64_t permuted_range(struct work *w, const struct panel *p, struct rng *rng)
{
    memset(w->sum, 0, p->count * sizeof *w->sum);
    for (size_t r = 0; r < p->rounds; r++) {
        int64_t *row = w->score + r * p->count;
        for (size_t i = p->count; i-- > 0;) {
            size_t j = draw_below(rng, i + 1);
            int64_t drawn = row[j];
            row[j] = row[i];
            row[i] = drawn;
            w->sum[i] += drawn;
        }
    }
    int64_t least = w->sum[0], most = w->sum[0];
    for (size_t i = 1; i < p->count; i++) {
        least = w->sum[i] < least ? w->sum[i] : least;
        most = w->sum[i] > most ? w->sum[i] : most;
    }
    return most - least;
}

static struct rng panel_rng(const struct work *w, const struct panel *p, uint64_t use)
{
    struct rng rng;
    rng_init(&rng, w->seed, use << 62 ^ (uint64_t)p->rounds << 32 ^ p->count);
    return rng;
}

// The sum of the scores at a position of the panel.
static int64_t sum_at(const struct work *w, const struct panel *p, size_t position)
{
    int64_t sum = 0;
    for (size_t r = 0; r < p->rounds; r++)
        sum += w->score[r * p->count + position];
    return sum;
}

// Is p <= alpha for this distance, p = (ranges as large + 1) / (permutations + 1)? That holds its
// level at any number of permutations. It breaks off once the answer cannot be yes any more, and
// for a yes when none of the first 4 / alpha was as large: p beyond alpha passes that with a
// probability below exp(-4).
static bool beyond_chance(struct work *w, const struct panel *p, int64_t distance)
{
    struct rng rng = panel_rng(w, p, 1);
    double allowed = w->alpha * (w->permutations + 1.0) - 1, enough = 4 / w->alpha;
    uint32_t exceeded = 0;
    for (uint32_t i = 0; i < w->permutations && exceeded <= allowed; i++) {
        exceeded += permuted_range(w, p, &rng) >= distance;
        if (exceeded == 0 && i + 1 >= enough)
            return true;
    }
    return exceeded <= allowed;
}

// The share of the panel's launches that were marked as outliers.
static double outlier_share(const struct work *w, const struct panel *p)
{
    size_t marked = 0;
    for (size_t i = 0; i < p->count; i++) {
        for (size_t r = 0; r < p->rounds; r++)
            marked += w->outlier[p->who[i] * w->rounds + r];
    }
    return (double)marked / (double)(p->count * p->rounds);
}

// ---- locations and intervals --------------------------------------------------------------------

// The location of each finalist of the panel, within it, without its outliers.
static bool estimate_locations(struct work *w, const struct panel *p)
{
    centre(w, p, false);
    for (size_t i = 0; i < p->count; i++) {
        const bool *outlier = w->outlier + p->who[i] * w->rounds;
        size_t count = 0;
        for (size_t r = 0; r < p->rounds; r++) {
            if (!outlier[r])
                w->column[count++] = w->deviation[i * p->rounds + r];
        }
        w->location[p->who[i]] = stats_location(w->column, count);
        if (isnan(w->location[p->who[i]]))
            return false;
    }
    return true;
}

// The locations of the panel: once with all launches, then again without the outliers.
static bool locate_finalists(struct work *w, const struct panel *p)
{
    for (size_t i = 0; i < p->count; i++)
        memset(w->outlier + p->who[i] * w->rounds, 0, p->rounds * sizeof *w->outlier);
    if (!estimate_locations(w, p))
        return false;
    // A launch far from its finalist's location is an outlier. Where half of a finalist's launches
    // would be outliers none is: then that is how the finalist behaves.
    centre(w, p, true);
    double limit = OUTLIER * scale_of_panel(w, p);
    for (size_t i = 0; i < p->count; i++) {
        bool *outlier = w->outlier + p->who[i] * w->rounds;
        size_t marked = 0;
        for (size_t r = 0; r < p->rounds; r++)
            marked += outlier[r] = fabs(w->deviation[i * p->rounds + r]) > limit;
        if (2 * marked >= p->rounds)
            memset(outlier, 0, p->rounds * sizeof *outlier);
    }
    return estimate_locations(w, p);
}

// Do labels have so many arrangements that a p-value can be as small as alpha? With k finalists and
// n rounds k!^(n - 1) of them differ.
static bool can_decide(const struct work *w, const struct panel *p)
{
    double arrangements = 0;
    for (size_t k = 2; k <= p->count; k++)
        arrangements += (double)(p->rounds - 1) * log((double)k);
    return p->count > 1 && arrangements >= -log(w->alpha) - 1e-9;
}

// Half the width of the intervals of all pairs of the panel: the quantile of the range of permuted
// residuals, as a mean per round. Residuals are smaller than the noise by the location taken out of
// them, cut-off scores by what was cut; few degrees of freedom make quantiles larger (the first
// term of Student's t in terms of the normal).
static double half_width(struct work *w, const struct panel *p)
{
    double whole = score(w, p, true, 0), rounds = (double)p->rounds;
    // Robust standard deviations of the residuals, as left by score(..., true, 0).
    for (size_t i = 0; i < p->count; i++) {
        for (size_t r = 0; r < p->rounds; r++)
            w->column[r] = fabs(w->deviation[i * p->rounds + r]);
        w->spread[p->who[i]] = MAD_TO_SIGMA * stats_median_of(w->column, p->rounds);
    }
    struct rng rng = panel_rng(w, p, 2);
    for (uint32_t i = 0; i < w->permutations; i++)
        w->range[i] = permuted_range(w, p, &rng);
    qsort(w->range, w->permutations, sizeof *w->range, compare_i64);
    size_t at = (size_t)ceil((1 - w->alpha) * (w->permutations + 1.0)) - 1;
    at = at < w->permutations ? at : w->permutations - 1;
    double freedom = (rounds - 1) * ((double)p->count - 1);
    return (double)w->range[at] / SCORES_PER_UNIT / rounds / fmax(whole, 0.5) /
           (1 - outlier_share(w, p)) * sqrt(rounds / (rounds - 1)) * (1 + 1.8 / freedom);
}

// How much wider than the panel's intervals that of this pair is: one that scatters more than the
// others is known less well.
static double pair_factor(const struct work *w, const struct panel *p, size_t a, size_t b)
{
    double all = 0;
    for (size_t i = 0; i < p->count; i++)
        all += w->spread[p->who[i]] * w->spread[p->who[i]];
    all /= (double)p->count;
    double pair = (w->spread[a] * w->spread[a] + w->spread[b] * w->spread[b]) / 2;
    return all > 0 ? sqrt(fmax(1, pair / all)) : 1;
}

// The smallest and largest ratio of the rounds, where there are too few for an interval.
static void ratio_range(const struct work *w, const struct panel *p, size_t finalist, size_t winner,
                        struct ranking_entry *e)
{
    e->ratio_low = e->ratio_high = e->ratio;
    for (size_t r = 0; r < p->rounds; r++) {
        double ratio = exp(cell(w, finalist, r, false) - cell(w, winner, r, false));
        e->ratio_low = fmin(e->ratio_low, ratio);
        e->ratio_high = fmax(e->ratio_high, ratio);
    }
}

// Makes the interval no finer than the timer, and agree with the decision.
static void agree_interval(struct ranking_entry *e, double least, double alike)
{
    e->ratio_low = fmin(e->ratio_low, fmax(0, e->ratio - least / 2));
    e->ratio_high = fmax(e->ratio_high, e->ratio_low + least);
    if (e->tied) {
        e->ratio_low = fmin(e->ratio_low, alike);
        e->ratio_high = fmax(e->ratio_high, 1);
    } else {
        e->ratio_low = fmax(e->ratio_low, nextafter(alike, 2 * alike));
        e->ratio_high = fmax(e->ratio_high, e->ratio_low);
    }
}

// ---- the decision -------------------------------------------------------------------------------

struct decision {
    const struct ranking_times *times;
    struct ranking_entry *out;
    size_t winner;
    double least; // the timer's resolution as a share of the winner's median
    double alike; // the ratio within which nothing is told apart; 1 or more
};

// Position of a finalist in the panel.
static size_t position_of(const struct panel *p, size_t finalist)
{
    size_t i = 0;
    while (p->who[i] != finalist)
        i++;
    return i;
}

// The one to test next: the last, by ratio, of those that have exactly the panel's rounds and are
// not the winner. -1: none.
static ptrdiff_t last_of(const struct decision *d, const struct panel *p)
{
    ptrdiff_t last = -1;
    for (size_t i = 0; i < p->count; i++) {
        size_t c = p->who[i];
        if (c == d->winner || d->times->counts[c] != p->rounds || !d->out[c].tied)
            continue;
        if (last < 0 || d->out[c].ratio >= d->out[p->who[last]].ratio)
            last = (ptrdiff_t)i;
    }
    return last;
}

// Makes all times of a finalist longer by a factor, given as its logarithm.
static void stretch(struct work *w, const struct panel *p, size_t finalist, double log)
{
    for (size_t r = 0; r < p->rounds; r++)
        w->logs[finalist * w->rounds + r] += log;
}

// Tests the last finalist by ratio against the winner, takes it away where it is told apart, and
// tests the next on the scores of those that remain, until one is not told apart.
static void step_down(struct work *w, const struct decision *d, struct panel *p)
{
    ptrdiff_t last;
    while ((last = last_of(d, p)) >= 0 && can_decide(w, p)) {
        size_t at = (size_t)last;
        // A ratio within `alike`, or finer than the timer, is never told from 1.
        const struct ranking_entry *e = &d->out[p->who[at]];
        if (e->ratio <= d->alike || e->ratio - 1 <= d->least)
            return;
        // The last must be beyond chance even if it were faster by `alike`: its logarithms are
        // shifted by that margin while the scores are made, and shifted back.
        double margin = log(d->alike);
        stretch(w, p, p->who[at], -margin);
        // Where most are alike their noise would cut off all differences at the same place.
        score(w, p, false, ALIKE_CUT * margin);
        stretch(w, p, p->who[at], margin);
        int64_t distance = sum_at(w, p, at) - sum_at(w, p, position_of(p, d->winner));
        // Marking outliers leaves each finalist slightly more of its own than permuted labels have:
        // the distance is taken that much smaller.
        distance = (int64_t)((double)distance * (1 - outlier_share(w, p)));
        if (distance <= 0 || !beyond_chance(w, p, distance))
            return;
        d->out[p->who[at]].tied = false;
        memmove(p->who + at, p->who + at + 1, (p->count - at - 1) * sizeof *p->who);
        p->count--;
    }
}

// The panel of all finalists with at least `rounds` rounds.
static struct panel panel_of(struct work *w, const struct ranking_times *t, size_t rounds)
{
    struct panel p = {w->who, 0, rounds};
    for (size_t c = 0; c < t->finalists; c++) {
        if (t->counts[c] >= rounds)
            p.who[p.count++] = c;
    }
    return p;
}

// The finalists that have exactly `rounds` rounds: their ratios, decisions and intervals.
static bool decide_stage(struct work *w, const struct decision *d, size_t rounds)
{
    struct panel p = panel_of(w, d->times, rounds);
    if (!locate_finalists(w, &p))
        return false;
    for (size_t i = 0; i < p.count; i++) {
        size_t c = p.who[i];
        if (d->times->counts[c] != rounds)
            continue;
        d->out[c].tied = !is_told_apart(w, c);
        d->out[c].ratio = exp(w->location[c] - w->location[d->winner]);
    }
    step_down(w, d, &p);
    p = panel_of(w, d->times, rounds);
    bool has_interval = can_decide(w, &p);
    double half = has_interval ? half_width(w, &p) : 0;
    for (size_t i = 0; i < p.count; i++) {
        struct ranking_entry *e = &d->out[p.who[i]];
        if (d->times->counts[p.who[i]] != rounds || p.who[i] == d->winner)
            continue;
        e->ratio_interval = has_interval;
        double own = half * (has_interval ? pair_factor(w, &p, p.who[i], d->winner) : 1);
        e->ratio_low = e->ratio * exp(-own);
        e->ratio_high = e->ratio * exp(own);
        if (!has_interval)
            ratio_range(w, &p, p.who[i], d->winner, e);
        agree_interval(e, d->least, d->alike);
    }
    return true;
}

// The best location among those that took part to the end.
static bool choose_winner(struct work *w, const struct ranking_times *t, size_t *winner)
{
    struct panel p = panel_of(w, t, w->rounds);
    if (!locate_finalists(w, &p))
        return false;
    *winner = t->finalists;
    for (size_t i = 0; i < p.count; i++) {
        size_t c = p.who[i];
        bool first = *winner == t->finalists;
        if (!is_told_apart(w, c) && (first || w->location[c] < w->location[*winner]))
            *winner = c;
    }
    return *winner < t->finalists;
}

// Is there a finalist with exactly so many rounds?
static bool has_stage(const struct ranking_times *t, size_t rounds)
{
    for (size_t c = 0; c < t->finalists; c++) {
        if (t->counts[c] == rounds)
            return true;
    }
    return false;
}

// The winner, then the panels from the longest to the shortest, then the places.
static bool decide_all(struct work *w, struct decision *d, const struct ranking_terms *terms)
{
    if (!choose_winner(w, d->times, &d->winner))
        return false;
    for (size_t c = 0; c < d->times->finalists; c++) {
        struct stats_summary s;
        stats_summarise(d->times->times[c], d->times->counts[c], terms->resolution_ns, &s);
        struct ranking_entry e = {.median = s.median, .low = s.low, .high = s.high};
        e.interval = s.interval;
        e.ratio = e.ratio_low = e.ratio_high = 1;
        e.tied = true;
        d->out[c] = e;
    }
    d->least = (double)terms->resolution_ns / fmax(d->out[d->winner].median, 0.5);
    for (size_t rounds = w->rounds; rounds > 0; rounds--) {
        if (has_stage(d->times, rounds) && !decide_stage(w, d, rounds))
            return false;
    }
    // Insertion sort: there are few, and equal ratios keep their order. The winner comes first,
    // also where one that left has a ratio below 1.
    for (size_t c = 0; c < w->finalists; c++) {
        size_t i = c;
        for (; i > 0 && w->order[i - 1] != d->winner; i--) {
            if (c != d->winner && d->out[w->order[i - 1]].ratio <= d->out[c].ratio)
                break;
            w->order[i] = w->order[i - 1];
        }
        w->order[i] = c;
    }
    for (size_t i = 0; i < w->finalists; i++)
        d->out[w->order[i]].place = i;
    return true;
}

bool ranking_decide(const struct ranking_times *t, const struct ranking_terms *terms,
                    struct ranking_entry *out, size_t *winner)
{
    if (t->finalists == 0 || has_stage(t, 0))
        return false;
    struct work w;
    struct decision d = {.times = t, .out = out, .alike = fmax(1, terms->alike)};
    bool decided = ranking_work_init(&w, t, terms) && decide_all(&w, &d, terms);
    if (decided)
        *winner = d.winner;
    ranking_work_release(&w);
    return decided;
}

// The least and the largest distance of a finalist from the leader's location or, with
// `of_launches`, from its launches.
static void distances_of(const struct work *w, const struct panel *p, size_t position,
                         size_t leader, bool of_launches, double *least, double *most)
{
    *least = INFINITY, *most = -INFINITY;
    for (size_t r = 0; r < p->rounds; r++) {
        double from =
            of_launches ? w->deviation[leader * p->rounds + r] : w->location[p->who[leader]];
        double distance = w->deviation[position * p->rounds + r] - from;
        *least = fmin(*least, distance);
        *most = fmax(*most, distance);
    }
}

// Clearly behind is who lies, in every round of the panel, beyond the leader's location by `behind`
// and by CLEAR robust standard deviations of the residuals. A launch of an equal kernel gets there
// only when something slowed it; three in a row hardly ever do.
static bool mark_clear(struct work *w, const struct ranking_times *t, double behind, bool has_first,
                       bool *clear)
{
    size_t leader;
    if (!choose_winner(w, t, &leader))
        return false;
    struct panel p = panel_of(w, t, w->rounds);
    double rounds = (double)p.rounds, freedom = (rounds - 1) * ((double)p.count - 1);
    if (p.rounds < CLEAR_ROUNDS && !(has_first && p.rounds > 1 && p.count >= CLEAR_FINALISTS))
        return true;
    centre(w, &p, true);
    double sigma = scale_of_panel(w, &p) * sqrt(rounds / (rounds - 1));
    if (has_first) // few degrees of freedom, as in half_width()
        sigma *= 1 + 1.8 / freedom;
    if (has_first && CLEAR * sigma > QUIET)
        return true;
    double least, most,
        limit = fmax(has_first ? fmax(FAR, log(behind)) : log(behind), CLEAR * sigma);
    centre(w, &p, false);
    for (size_t i = 0; i < p.count; i++) {
        distances_of(w, &p, i, position_of(&p, leader), has_first, &least, &most);
        bool is_same = !has_first || most - least <= ALIKE_DISTANCE * least;
        clear[p.who[i]] = p.who[i] != leader && least > limit && is_same;
    }
    return true;
}

static bool mark_clear_of(const struct ranking_times *t, double behind, bool has_first, bool *clear)
{
    struct work w;
    struct ranking_terms terms = {.level = 0.5, .looks = 1, .permutations = 1};
    bool decided = ranking_work_init(&w, t, &terms) && mark_clear(&w, t, behind, has_first, clear);
    ranking_work_release(&w);
    return decided;
}

// The rounds with a launch before them as the first of all; without one a finalist has no round.
static bool mark_clear_with_first(const struct ranking_times *t, const uint64_t *first,
                                  double behind, bool *clear)
{
    const size_t row = CLEAR_ROUNDS;
    uint64_t *cells = calloc(t->finalists * row, sizeof *cells);
    const uint64_t **times = calloc(t->finalists, sizeof *times);
    uint32_t *counts = calloc(t->finalists, sizeof *counts);
    bool ok = cells && times && counts;
    for (size_t c = 0; ok && c < t->finalists; c++) {
        times[c] = &cells[c * row];
        cells[c * row] = first[c] ? first[c] : t->times[c][0];
        memcpy(&cells[c * row + 1], t->times[c], t->counts[c] * sizeof *cells);
        counts[c] = first[c] ? t->counts[c] + 1 : 1;
    }
    const struct ranking_times all = {times, counts, t->finalists};
    ok = ok && mark_clear_of(&all, behind, true, clear);
    free(cells);
    free(times);
    free(counts);
    return ok;
}

bool ranking_clear(const struct ranking_times *t, const uint64_t *first, double behind, bool *clear)
{
    uint32_t rounds = 0;
    if (t->finalists == 0 || has_stage(t, 0))
        return false;
    memset(clear, 0, t->finalists * sizeof *clear);
    for (size_t c = 0; c < t->finalists; c++)
        rounds = t->counts[c] > rounds ? t->counts[c] : rounds;
    if (rounds >= CLEAR_ROUNDS)
        return mark_clear_of(t, behind, false, clear);
    return !first || mark_clear_with_first(t, first, behind, clear);
}
