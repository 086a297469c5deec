// Slower than a baseline or not: the interval of the ratio of moments, compared with the threshold.
#include "stats/regression.h"

#include <math.h>
#include <stdlib.h>

const char *regression_text(enum regression_verdict v)
{
    static const char *const texts[] = {REGRESSION_VERDICTS(LIST_TEXT)};
    return texts[v];
}

#define PASSES_LEAST 4

// The median absolute deviation of a moment's passes, as a standard deviation.
static double spread_of(const struct regression_moment *m, double *room)
{
    double middle = log(fmax(stats_median(m->ns, m->count), 0.5));
    for (size_t i = 0; i < m->count; i++)
        room[i] = fabs(stats_log_ns(m->ns[i]) - middle);
    return 1.4826 * stats_median_of(room, m->count);
}

struct spread {
    double mean, variance; // of the moments' values; variance 0: of one
    double of_passes;      // the median over moments, and today's
    size_t passes;
};

static bool spread_of_moments(const struct regression_moment *now,
                              const struct regression_moment *before, size_t moments,
                              struct spread *out)
{
    size_t most = now->count;
    for (size_t i = 0; i < moments; i++)
        most = before[i].count > most ? before[i].count : most;
    double *room = calloc(most + 1, sizeof *room), *spreads = calloc(moments + 1, sizeof *spreads);
    double squares = 0;
    *out = (struct spread){.mean = 0};
    for (size_t i = 0; room && spreads && i < moments; i++) {
        double value = log(fmax(stats_median(before[i].ns, before[i].count), 0.5));
        double step = value - out->mean;
        out->mean += step / (double)(i + 1);
        squares += step * (value - out->mean);
        out->passes += before[i].count;
        spreads[i] = spread_of(&before[i], room);
    }
    if (room && spreads) {
        spreads[moments] = spread_of(now, room);
        out->of_passes = stats_median_of(spreads, moments + 1);
        out->variance = moments > 1 ? squares / (double)(moments - 1) : 0;
    }
    bool ok = room && spreads;
    free(room);
    free(spreads);
    return ok;
}

// The level of one interval, so that all hold together.
static double level_of(const struct regression_terms *terms)
{
    return 1 - (1 - terms->level) / (double)(terms->tests > 0 ? terms->tests : 1);
}

// Half the width of the interval of the logarithm.
static double half_width(const struct spread *s, size_t moments,
                         const struct regression_terms *terms)
{
    double level = level_of(terms);
    double expected = fmax(REGRESSION_SESSION * s->of_passes, REGRESSION_LEAST);
    double freedom = REGRESSION_PRIOR + (double)moments - 1;
    double variance =
        (REGRESSION_PRIOR * expected * expected + ((double)moments - 1) * s->variance) / freedom;
    double deviation = fmax(sqrt(variance), REGRESSION_LEAST);
    return stats_student((size_t)freedom, level) * deviation * sqrt(1 + 1 / (double)moments) *
           (terms->is_other_state ? 2 : 1);
}

static enum regression_verdict verdict_of(const struct stats_ratio *r, double loss)
{
    if (!r->interval)
        return REGRESSION_UNDECIDED;
    return r->low > 1 + loss     ? REGRESSION_LOSS
           : r->high < 1         ? REGRESSION_GAIN
           : r->high <= 1 + loss ? REGRESSION_OK
                                 : REGRESSION_UNDECIDED;
}

void regression_judge(const struct regression_moment *now, const struct regression_moment *before,
                      size_t moments, const struct regression_terms *terms, struct regression *out)
{
    struct spread s;
    *out = (struct regression){
        .verdict = REGRESSION_UNDECIDED, .moments = moments, .ratio = {NAN, NAN, NAN, false}};
    if (now->count == 0 || moments == 0 || !spread_of_moments(now, before, moments, &s))
        return;
    double change = log(fmax(stats_median(now->ns, now->count), 0.5)) - s.mean;
    double half = half_width(&s, moments, terms),
           least = (double)terms->resolution_ns / exp(s.mean);
    out->ratio =
        (struct stats_ratio){.ratio = exp(change),
                             .low = fmin(exp(change - half), fmax(0, exp(change) - least / 2)),
                             .high = fmax(exp(change + half), exp(change) + least / 2),
                             .interval = now->count >= PASSES_LEAST && s.passes >= PASSES_LEAST};
    out->verdict = verdict_of(&out->ratio, terms->loss);
    if (out->verdict == REGRESSION_GAIN && (moments == 1 || terms->is_other_state))
        out->verdict = REGRESSION_OK;
}

void regression_judge_paired(const uint64_t *now, const uint64_t *before, size_t count,
                             const struct regression_terms *terms, struct regression *out)
{
    *out = (struct regression){.verdict = REGRESSION_UNDECIDED};
    stats_paired_ratio(now, before, count, level_of(terms), terms->resolution_ns, &out->ratio);
    out->verdict = verdict_of(&out->ratio, terms->loss);
}

bool regression_goes_on(const struct regression *r)
{
    return r->verdict == REGRESSION_LOSS || r->verdict == REGRESSION_UNDECIDED;
}
