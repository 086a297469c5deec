// Sums up a comparison over all configurations: which sides differ (Holm's correction of the
// signed-rank tests of the paired runs), the geometric mean of the ratios, and how similarly the
// sides order the configurations; then compares the best of each side.
#include "workflows/compare/compare_inside.h"

#include <stdlib.h>

// Compared here, and not by being the same as another.
static bool is_compared_itself(const struct compare_record *r)
{
    return r->compared && !r->same_as;
}

bool compare_judge(struct compare *c)
{
    size_t count = 0;
    double *probabilities = calloc(c->record_count + 1, sizeof *probabilities);
    bool *apart = calloc(c->record_count + 1, sizeof *apart);
    bool ok = probabilities && apart;
    for (uint64_t i = 0; ok && i < c->record_count; i++) {
        if (is_compared_itself(c->records[i]))
            probabilities[count++] = c->records[i]->probability;
    }
    ok = ok && differ_holm(probabilities, count, c->rules.level, apart);
    count = 0;
    for (uint64_t i = 0; ok && i < c->planned && i < c->finished; i++) {
        struct compare_record *r = &c->paired_runs[i]->record;
        if (is_compared_itself(r))
            r->apart = apart[count++];
    }
    for (uint64_t i = 0; ok && i < c->planned && i < c->finished; i++) {
        struct paired_run *h = c->paired_runs[i];
        h->record.apart = h->primary ? h->primary->record.apart : h->record.apart;
    }
    free(apart);
    free(probabilities);
    return ok;
}

// ---- the best of each side ---------------------------------------------------------------------

static void find_best_of_side(struct compare *c, uint32_t side)
{
    const struct compare_record *best = NULL;
    for (uint64_t i = 0; i < c->record_count; i++) {
        const struct compare_record *r = c->records[i];
        const struct compare_entry *entry = &r->entries[side];
        if (entry->timed && !r->same_as &&
            (!best || entry->stats.median < best->entries[side].stats.median))
            best = r;
    }
    c->progress.best[side] = best;
}

static void take_bests(struct compare_progress *s, const struct compare_record *bests)
{
    s->has_bests = true;
    s->ratio_of_bests = bests->ratio;
}

bool compare_add_bests(struct compare *c)
{
    struct compare_progress *s = &c->progress;
    if (c->side_count != 2 || c->o.choices)
        return true;
    find_best_of_side(c, 0);
    find_best_of_side(c, 1);
    if (!s->best[0] || !s->best[1] || c->w.cancelled)
        return true;
    if (s->best[0] == s->best[1] && s->best[0]->compared) {
        take_bests(s, s->best[0]);
        return true;
    }
    if (c->sides[0].o.stored || c->sides[1].o.stored) {
        const struct result *a = s->best[0]->entries[0].result;
        const struct result *b = s->best[1]->entries[1].result;
        s->has_bests = true;
        differ_ratio(a->samples_ns, a->sample_count, b->samples_ns, b->sample_count, c->rules.level,
                     c->common.timer_ns, &s->ratio_of_bests);
        return true;
    }
    const uint32_t *const choices[] = {s->best[0]->entries[0].choice,
                                       s->best[1]->entries[1].choice};
    c->rules.rounds = compare_rounds(c, COMPARE_BESTS);
    return compare_add(c, choices) != NULL;
}

void compare_take_bests(struct compare *c, const struct paired_run *h)
{
    if (h->record.compared)
        take_bests(&c->progress, &h->record);
}

// ---- the whole ---------------------------------------------------------------------------------

bool compare_sum_up(struct compare *c)
{
    struct compare_progress *s = &c->progress;
    size_t count = 0, size = c->record_count + 1;
    double *ratios = calloc(3 * size, sizeof *ratios);
    if (!ratios)
        return false;
    double *first = ratios + size, *second = first + size;
    s->level = c->rules.level;
    s->paired = true;
    for (uint64_t i = 0; i < c->record_count; i++) {
        const struct compare_record *r = c->records[i];
        if (!is_compared_itself(r))
            continue;
        s->paired = s->paired && r->in_turn;
        ratios[count] = r->ratio.ratio;
        first[count] = r->entries[0].stats.median;
        second[count++] = r->entries[1].stats.median;
        s->apart += r->apart;
        s->first_faster += r->apart && r->ratio.ratio < 1;
        s->second_faster += r->apart && r->ratio.ratio > 1;
    }
    s->mean = stats_geometric_mean(ratios, count);
    s->mean_interval =
        stats_geometric_interval(ratios, count, c->rules.level, &s->mean_low, &s->mean_high);
    s->correlation = stats_kendall(first, second, count);
    s->needed = differ_rounds(count, c->rules.level);
    free(ratios);
    return true;
}
