// The baseline is the expected best of k draws without replacement, exact by a recurrence over the
// sorted values; a search is scored by the integral of its distance to the optimum in units of the
// baseline's, which prefix sums of 1 / gap give in constant time a step.
#include "workflows/score/score_curve.h"

#include "base/array.h"
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double curve_shares[CURVE_SHARES] = {0.05, 0.1, 0.25, 0.5, 1};

// Chances below this change no sum of doubles.
#define NO_CHANCE 1e-18

// The expected best of k draws out of `count`, less the optimum. With the values in ascending order
// the best is above the i-th when none of the first i was drawn; the chance of that, C(count - i,
// k) / C(count, k), follows from the one before. All terms are positive: nothing cancels.
static double gap_after(const double *values, uint64_t correct, uint64_t count, uint64_t k)
{
    double gap = 0, missed = 1;
    for (uint64_t i = 1; i < correct && count - i + 1 > k && missed > NO_CHANCE; i++) {
        missed *= (double)(count - i + 1 - k) / (double)(count - i + 1);
        gap += (values[i] - values[i - 1]) * missed;
    }
    return gap;
}

static bool make_room_for_draw(struct baseline *b, size_t room[2])
{
    size_t count = (size_t)b->draws + 2;
    return ARRAY_ROOM(b->gap, room[0], count) && ARRAY_ROOM(b->sum, room[1], count);
}

// Draws until the way is made. All of the space makes it: the gap is then 0.
static bool draw_baseline(struct baseline *b, const double *values)
{
    size_t room[2] = {0, 0};
    double near = (1 - BASELINE_SHARE) * (b->median - b->optimum);
    if (!make_room_for_draw(b, room))
        return false;
    b->gap[0] = b->worst - b->optimum;
    b->sum[0] = 0;
    b->sum[1] = 1 / b->gap[0];
    do {
        uint64_t k = ++b->draws;
        if (!make_room_for_draw(b, room))
            return false;
        b->gap[k] = gap_after(values, b->correct, b->count, k);
        b->sum[k + 1] = b->sum[k] + (b->gap[k] > 0 ? 1 / b->gap[k] : 0);
    } while (b->draws < b->count && b->gap[b->draws] > near);
    return true;
}

bool baseline_init(struct baseline *b, double *values, uint64_t correct, uint64_t count,
                   struct error *e)
{
    *b = (struct baseline){.count = count, .correct = correct};
    if (correct == 0)
        return error_set(e, ERROR_INPUT, "no configuration has a correct result");
    b->median = stats_median_of(values, correct);
    b->optimum = values[0];
    b->worst = values[correct - 1];
    if (b->optimum == b->worst)
        return error_set(e, ERROR_INPUT,
                         correct == 1
                             ? "a single configuration is correct: there is nothing to search"
                             : "all correct configurations are equally good: there is nothing to "
                               "search");
    return draw_baseline(b, values) || error_memory(e);
}

void baseline_release(struct baseline *b)
{
    free(b->gap);
    free(b->sum);
    memset(b, 0, sizeof *b);
}

// ---- a search ----------------------------------------------------------------------------------

static struct curve curve_begin(const struct baseline *b, double first, double limit)
{
    struct curve c = {
        .baseline = b, .first = first, .position = first, .limit = limit, .best = b->worst};
    for (unsigned i = 0; i < CURVE_SHARES; i++) {
        // Evaluations are whole: the first that makes up the share.
        double mark = (double)b->draws * curve_shares[i];
        c.marks[i] = first > 0 ? ceil(mark * (1 - 1e-12)) : mark;
        c.at[i] = NAN;
    }
    return c;
}

// Where the baseline is sure to have the optimum nothing can be said of others.
void curve_by_evaluations(struct curve *c, const struct baseline *b)
{
    double last = (double)b->draws;
    *c = curve_begin(b, 1, b->gap[b->draws] > 0 ? last + 1 : last);
}

void curve_by_time(struct curve *c, const struct baseline *b)
{
    *c = curve_begin(b, 0, (double)b->draws);
}

void curve_found(struct curve *c, double value)
{
    if (isnan(value))
        return;
    if (!c->found || value < c->best)
        c->best = value;
    c->found = true;
}

// The integral of 1 / gap from 0 to a position, the gap being that of the whole draws before it.
static double integral(const struct baseline *b, double position)
{
    uint64_t whole = (uint64_t)position;
    double rest = position - (double)whole;
    return rest > 0 ? b->sum[whole] + rest / b->gap[whole] : b->sum[whole];
}

static double loss_of(const struct curve *c, double to)
{
    const struct baseline *b = c->baseline;
    return (c->best - b->optimum) * (integral(b, to) - integral(b, c->position));
}

void curve_pass(struct curve *c, double draws)
{
    double to = c->position + draws < c->limit ? c->position + draws : c->limit;
    c->loss += loss_of(c, to);
    for (unsigned i = 0; i < CURVE_SHARES; i++) {
        if (c->position <= c->marks[i] && c->marks[i] < to)
            c->at[i] = c->best;
    }
    c->position = to;
}

bool curve_is_over(const struct curve *c)
{
    return c->position >= c->limit;
}

double curve_score(const struct curve *c)
{
    return 1 - (c->loss + loss_of(c, c->limit)) / (c->limit - c->first);
}

double curve_lead(const struct curve *c, unsigned share)
{
    const struct baseline *b = c->baseline;
    double gap = b->gap[(uint64_t)c->marks[share]];
    double best = isnan(c->at[share]) ? c->best : c->at[share];
    return gap > 0 ? 1 - (best - b->optimum) / gap : NAN;
}

bool curve_is_near(const struct curve *c)
{
    return c->found && c->best - c->baseline->optimum <= CURVE_NEAR * fabs(c->baseline->optimum);
}

bool curve_is_along(const struct curve *c)
{
    const struct baseline *b = c->baseline;
    return c->found && c->best - b->optimum <= (1 - BASELINE_SHARE) * (b->median - b->optimum);
}
