// The gate and the weights of sources. The gate is passed by a source one of whose best is, here, the
// best of all that was asked before there was a model: those others are the default and
// configurations spread over the space. From then on a source counts by how often it agrees with the
// answers which of two is the better one, and its values are scaled by a regression that begins
// at what is usual and follows the answers.
#include "search/transfer.h"

#include <float.h>
#include <math.h>

#define BUDGET_LONG  100
#define BUDGET_SMALL 50  // below it the gate has one question
#define BUDGET_LEAST 24  // below it, and none for a source that the answers do not agree with
#define AGREES_LEAST 0.6 // share of pairs
#define AGREES_SURE                                                                                \
    0.75 // where few questions are allowed or answered, or the source has none at the gate
#define AGREES_BEGIN 1.0 // pairs of either kind to begin with
#define SLOPE_USUAL  0.7
#define SLOPE_WORTH  3.0 // answers, a deviation apart, that the usual slope is worth
#define SLOPE_MOST   1.5
#define HEARD_MOST   10 // answers; then no source is heard any more
#define HEARD_LONG   8  // the same where BUDGET_LONG and more are allowed

void transfer_init(struct transfer *t, const struct strategy_setup *setup)
{
    uint32_t count = setup->source_count;
    bool is_small = setup->budget > 0 && setup->budget < BUDGET_SMALL;
    bool is_least = is_small && setup->budget < BUDGET_LEAST;
    *t = (struct transfer){.sources = setup->sources,
                           .starts = setup->start_count,
                           .count = count < TRANSFER_SOURCES ? count : TRANSFER_SOURCES,
                           .gate_most = count == 0 ? 0
                                        : is_small ? 1
                                                   : TRANSFER_GATE,
                           .gate_waits = is_least,
                           .heard_most = setup->budget < BUDGET_LONG ? HEARD_MOST : HEARD_LONG};
}

// ---- the gate ----------------------------------------------------------------------------------

bool transfer_asked(const struct transfer *t, uint64_t index)
{
    for (uint32_t i = 0; i < t->gate_count; i++) {
        if (t->gate[i] == index)
            return true;
    }
    return false;
}

// Is it one of the source's best, as many as the gate asks for?
static bool is_among_best(const struct transfer *t, const struct source *source, uint64_t index)
{
    uint32_t count;
    const uint64_t *best = source_best(source, &count);
    for (uint32_t i = 0; i < count && i < t->gate_most; i++) {
        if (best[i] == index)
            return true;
    }
    return false;
}

enum gate { GATE_NOT_ASKED, GATE_SHUT, GATE_OPEN };

// The best of the source's own against those that nobody recommended, neither a source nor the user.
static enum gate pass_gate(const struct transfer *t, const struct source *source,
                           const struct asked *asked)
{
    uint32_t first = t->first > 0 ? t->first : asked->count;
    double own = INFINITY, others = INFINITY;
    bool has_own = false;
    for (uint32_t i = 0; i < asked->count; i++) {
        const struct asked_entry *a = &asked->entries[i];
        bool is_own = is_among_best(t, source, a->index);
        if (i >= first && !transfer_asked(t, a->index))
            continue;
        double value = a->state == ASKED_CORRECT ? a->value : INFINITY;
        has_own |= is_own && a->state != ASKED_PENDING;
        if (is_own)
            own = fmin(own, value);
        else if (i >= t->starts && !transfer_asked(t, a->index))
            others = fmin(others, value);
    }
    return !has_own ? GATE_NOT_ASKED : own < others ? GATE_OPEN : GATE_SHUT;
}

// Sources in turn, the best of each that is open; where some are trusted, of these alone. A source whose
// best was no good is not asked for its second best.
bool transfer_ask(struct transfer *t, const struct learner *g, uint64_t *index)
{
    for (uint32_t k = 0; t->gate_count < t->gate_most && k < t->count; k++) {
        uint32_t count, which = (t->gate_count + k) % t->count;
        const uint64_t *best = source_best(t->sources[which], &count);
        if (pass_gate(t, t->sources[which], &g->asked) == GATE_SHUT ||
            (t->is_trusted && t->weights[which] == 0))
            continue;
        for (uint32_t i = 0; i < count; i++) {
            if (!learner_is_open(g, best[i]))
                continue;
            *index = t->gate[t->gate_count++] = best[i];
            return true;
        }
    }
    return false;
}

// ---- weights -----------------------------------------------------------------------------------

struct pair {
    double here, there; // standardised
};

// Without a scale as it was told; all failures alike.
static double answered_value(const struct scale *scale, const struct asked_entry *a)
{
    if (!scale)
        return a->state == ASKED_CORRECT ? a->value : DBL_MAX;
    return a->state == ASKED_CORRECT ? scale_apply(scale, a->value) : scale->failure;
}

// The answers and what a source (NULL: all that are trusted) makes of them.
static uint32_t pair_answers(const struct transfer *t, const struct source *source,
                             struct learner *g, const struct scale *scale, struct pair *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->asked.count && count < t->heard_most; i++) {
        const struct asked_entry *a = &g->asked.entries[i];
        if (a->state == ASKED_PENDING)
            continue;
        space_get(g->space, a->index, g->choice);
        out[count].here = answered_value(scale, a);
        out[count++].there =
            source ? source_value(source, g->choice) : transfer_value(t, g->choice);
    }
    return count;
}

// The share of pairs whose order is the same here and there.
static double agreement(const struct pair *p, uint32_t count)
{
    double pairs = 2 * AGREES_BEGIN, agree = AGREES_BEGIN;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            double here = p[i].here - p[k].here, there = p[i].there - p[k].there;
            if (here == 0 || there == 0) // both bad beyond interest, or equal
                continue;
            pairs++;
            agree += (here < 0) == (there < 0);
        }
    }
    return agree / pairs;
}

// Least squares with a line through both means, and the usual slope as if it had been seen.
static double regress(const struct pair *p, uint32_t count)
{
    double here = 0, there = 0, square = SLOPE_WORTH, product = SLOPE_WORTH * SLOPE_USUAL;
    for (uint32_t i = 0; i < count; i++) {
        here += p[i].here / count;
        there += p[i].there / count;
    }
    for (uint32_t i = 0; i < count; i++) {
        square += (p[i].there - there) * (p[i].there - there);
        product += (p[i].there - there) * (p[i].here - here);
    }
    double slope = product / square;
    return slope < 0 ? 0 : slope > SLOPE_MOST ? SLOPE_MOST : slope;
}

bool transfer_promises(const struct transfer *t, struct learner *g)
{
    struct pair pairs[HEARD_MOST];
    for (uint32_t k = 0; k < t->count; k++) {
        const struct source *source = t->sources[k];
        if (pass_gate(t, source, &g->asked) == GATE_OPEN &&
            agreement(pairs, pair_answers(t, source, g, NULL, pairs)) >= AGREES_SURE)
            return true;
    }
    return false;
}

static double weigh_source(struct transfer *t, uint32_t k, struct learner *g,
                           const struct scale *scale, struct pair *scratch)
{
    const struct source *source = t->sources[k];
    enum gate gate = pass_gate(t, source, &g->asked);
    double agrees = agreement(scratch, pair_answers(t, source, g, scale, scratch));
    bool is_sure = gate == GATE_NOT_ASKED || t->gate_most < TRANSFER_GATE;
    bool is_trusted = gate != GATE_SHUT && agrees >= (is_sure ? AGREES_SURE : AGREES_LEAST);
    t->heard[k].outcome = is_trusted ? HEARD_TRUSTED : HEARD_REFUSED;
    t->heard[k].agrees = agrees;
    if (!is_trusted)
        return 0;
    double weight = agrees - 0.5;
    return weight * weight;
}

void transfer_weigh(struct transfer *t, struct learner *g, const struct scale *scale)
{
    struct pair pairs[HEARD_MOST];
    double total = 0;
    if (t->first == 0)
        t->first = g->asked.count;
    for (uint32_t k = 0; k < t->count; k++) {
        t->weights[k] = weigh_source(t, k, g, scale, pairs);
        total += t->weights[k];
    }
    for (uint32_t k = 0; k < t->count && total > 0; k++)
        t->weights[k] /= total;
    t->is_trusted = total > 0;
    t->slope = t->is_trusted ? regress(pairs, pair_answers(t, NULL, g, scale, pairs)) : 0;
}

bool transfer_ends(struct transfer *t, uint32_t answers)
{
    if (t->count == 0 || answers <= t->heard_most)
        return false;
    t->is_trusted = false;
    return true;
}

double transfer_value(const struct transfer *t, const uint32_t *choice)
{
    double sum = 0;
    for (uint32_t k = 0; k < t->count; k++) {
        if (t->weights[k] > 0)
            sum += t->weights[k] * source_value(t->sources[k], choice);
    }
    return sum;
}
