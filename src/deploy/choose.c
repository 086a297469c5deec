// Chooses configurations by covering points, and refines where the table that comes of it is too slow between them.
#include "deploy/choose.h"

#include "deploy/nearest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Steps of the search for fewer than the greedy choice: some milliseconds.
#define COVER_STEPS 200000u

// A choice in the making, over the rows that are points by now.
struct cover {
    const struct deploy_matrix *m;
    const uint32_t *rows;
    uint32_t row_count;
    bool *covers;     // [row * candidates + candidate]
    uint32_t *counts; // by how many of those taken each row is covered
    uint32_t *taken, taken_count;
    uint32_t *best, best_count; // the fewest so far
    uint32_t steps;
};

// ---- one row -----------------------------------------------------------------------------------

static double time_of(const struct deploy_matrix *m, uint32_t row, uint32_t candidate)
{
    return candidate == DEPLOY_NONE ? NAN : m->ns[(size_t)row * m->candidate_count + candidate];
}

// DEPLOY_NONE: nothing has a time.
static uint32_t fastest_of(const struct deploy_matrix *m, uint32_t row, const uint32_t *among,
                           uint32_t count)
{
    uint32_t best = DEPLOY_NONE;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t c = among ? among[i] : i;
        double ns = time_of(m, row, c);
        if (!isnan(ns) && (best == DEPLOY_NONE || ns < time_of(m, row, best)))
            best = c;
    }
    return best;
}

// Over the fastest of all candidates.
static double above_best(const struct deploy_matrix *m, uint32_t row, uint32_t candidate)
{
    uint32_t best = fastest_of(m, row, NULL, m->candidate_count);
    return time_of(m, row, candidate) / time_of(m, row, best) - 1;
}

// Over the default; NaN: it was not measured here.
static double above_default(const struct deploy_matrix *m, uint32_t row, uint32_t candidate)
{
    return time_of(m, row, candidate) / time_of(m, row, m->default_candidate) - 1;
}

// Of a row that has a fastest.
static bool is_good_enough(const struct deploy_matrix *m, uint32_t row, uint32_t candidate)
{
    uint32_t best = fastest_of(m, row, NULL, m->candidate_count);
    double ns = time_of(m, row, candidate);
    return ns <= time_of(m, row, best) * (1 + m->within) &&
           !(ns > time_of(m, row, m->default_candidate));
}

// ---- the fewest --------------------------------------------------------------------------------

static bool *covers_at(const struct cover *c, uint32_t i, uint32_t candidate)
{
    return &c->covers[(size_t)i * c->m->candidate_count + candidate];
}

static void take_candidate(struct cover *c, uint32_t candidate)
{
    c->taken[c->taken_count++] = candidate;
    for (uint32_t i = 0; i < c->row_count; i++)
        c->counts[i] += *covers_at(c, i, candidate);
}

static void untake_candidate(struct cover *c)
{
    uint32_t candidate = c->taken[--c->taken_count];
    for (uint32_t i = 0; i < c->row_count; i++)
        c->counts[i] -= *covers_at(c, i, candidate);
}

// Below 0: `a` takes less.
static int compare_costs(const struct deploy_cost *a, const struct deploy_cost *b)
{
    const int64_t both[][2] = {{a->spill_bytes, b->spill_bytes},
                               {a->registers, b->registers},
                               {a->local_bytes, b->local_bytes},
                               {a->private_bytes, b->private_bytes}};
    for (size_t i = 0; i < sizeof both / sizeof *both; i++) {
        if (both[i][0] >= 0 && both[i][1] >= 0 && both[i][0] != both[i][1])
            return both[i][0] < both[i][1] ? -1 : 1;
    }
    return 0;
}

static uint32_t choose_greedily(const struct cover *c)
{
    uint32_t best = DEPLOY_NONE, most = 0;
    double weight_most = 0;
    for (uint32_t k = 0; k < c->m->candidate_count; k++) {
        uint32_t gain = 0;
        double weight = 0;
        for (uint32_t i = 0; i < c->row_count; i++) {
            bool is_new = c->counts[i] == 0 && *covers_at(c, i, k);
            gain += is_new;
            weight += is_new ? c->m->weights[c->rows[i]] : 0;
        }
        bool wins = gain > most || (gain == most && weight > weight_most);
        if (gain > 0 && gain == most && weight == weight_most)
            wins = compare_costs(&c->m->costs[k], &c->m->costs[best]) < 0;
        if (!wins)
            continue;
        best = k;
        most = gain;
        weight_most = weight;
    }
    return best;
}

// The row that is left which the fewest candidates cover: all of these are tried. DEPLOY_NONE: no row is left.
static uint32_t hardest_row(const struct cover *c)
{
    uint32_t found = DEPLOY_NONE, least = UINT32_MAX;
    for (uint32_t i = 0; i < c->row_count; i++) {
        uint32_t by = 0;
        for (uint32_t k = 0; c->counts[i] == 0 && k < c->m->candidate_count; k++)
            by += *covers_at(c, i, k);
        if (c->counts[i] > 0 || by >= least)
            continue;
        least = by;
        found = i;
    }
    return found;
}

static void search_fewer(struct cover *c)
{
    uint32_t row = hardest_row(c);
    if (row == DEPLOY_NONE) {
        c->best_count = c->taken_count;
        memcpy(c->best, c->taken, c->taken_count * sizeof *c->best);
        return;
    }
    for (uint32_t k = 0; k < c->m->candidate_count && c->steps > 0; k++) {
        if (c->taken_count + 1 >= c->best_count)
            return;
        if (!*covers_at(c, row, k))
            continue;
        c->steps--;
        take_candidate(c, k);
        search_fewer(c);
        untake_candidate(c);
    }
}

// Into c->best. False without memory.
static bool find_cover(struct cover *c, struct arena *a)
{
    const struct deploy_matrix *m = c->m;
    c->covers = arena_array(a, (size_t)c->row_count * m->candidate_count + 1, sizeof *c->covers);
    c->counts = arena_array(a, c->row_count + (size_t)1, sizeof *c->counts);
    c->taken = arena_array(a, m->candidate_count + (size_t)1, sizeof *c->taken);
    c->best = arena_array(a, m->candidate_count + (size_t)1, sizeof *c->best);
    if (!c->covers || !c->counts || !c->taken || !c->best)
        return false;
    for (uint32_t i = 0; i < c->row_count; i++) {
        for (uint32_t k = 0; k < m->candidate_count; k++)
            *covers_at(c, i, k) = is_good_enough(m, c->rows[i], k);
    }
    for (uint32_t k; (k = choose_greedily(c)) != DEPLOY_NONE;)
        take_candidate(c, k);
    c->best_count = c->taken_count;
    memcpy(c->best, c->taken, c->taken_count * sizeof *c->best);
    while (c->taken_count > 0)
        untake_candidate(c);
    c->steps = COVER_STEPS;
    search_fewer(c);
    return true;
}

// ---- the points --------------------------------------------------------------------------------

// Of the rows that are points by now. False without memory.
static bool choose_at(const struct deploy_matrix *m, const uint32_t *rows, uint32_t count,
                      struct arena *a, struct deploy_chosen *out)
{
    struct cover c = {.m = m, .rows = rows, .row_count = count};
    if (!find_cover(&c, a))
        return false;
    out->candidates = c.best;
    out->count = c.best_count;
    out->rows = arena_copy(a, rows, count * sizeof *rows);
    out->points = arena_array(a, count + (size_t)1, sizeof *out->points);
    out->point_count = count;
    for (uint32_t i = 0; out->points && i < count; i++) {
        uint32_t row = rows[i], candidate = fastest_of(m, row, c.best, c.best_count), at = 0;
        while (c.best[at] != candidate)
            at++;
        out->points[i] = (struct deploy_point){.shape = m->shapes[row],
                                               .configuration = at,
                                               .weight = m->weights[row],
                                               .median_ns = time_of(m, row, candidate),
                                               .above_best = above_best(m, row, candidate),
                                               .above_default = above_default(m, row, candidate),
                                               .is_measured = true,
                                               .is_refined = row >= m->point_count};
    }
    return out->rows && out->points;
}

// ---- between them ------------------------------------------------------------------------------

// The candidate that the table answers with at a row; DEPLOY_NONE: none.
static uint32_t answer_at(const struct deploy_matrix *m, const struct deploy_chosen *t,
                          uint32_t row, bool *valid)
{
    const bool *of_row = &m->valid[(size_t)row * m->candidate_count];
    for (uint32_t i = 0; i < t->count; i++)
        valid[i] = of_row[t->candidates[i]];
    uint32_t point =
        deploy_nearest_point(t->points, t->point_count, m->column_count, m->shapes[row], valid);
    if (point != DEPLOY_NONE)
        return t->candidates[t->points[point].configuration];
    return m->default_candidate != DEPLOY_NONE && of_row[m->default_candidate]
               ? m->default_candidate
               : DEPLOY_NONE;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Of `above`, one a row of `rows`; NaN: unanswered. Leaves it sorted.
static void spread_of(const struct deploy_matrix *m, const uint32_t *rows, double *above,
                      uint32_t count, struct deploy_spread *out)
{
    double weight = 0;
    *out = (struct deploy_spread){.most_at = DEPLOY_NONE, .median = NAN, .most = NAN, .mean = NAN};
    for (uint32_t i = 0; i < count; i++) {
        if (isnan(above[i])) {
            out->unanswered++;
            continue;
        }
        if (out->most_at == DEPLOY_NONE || above[i] > out->most) {
            out->most = above[i];
            out->most_at = rows[i];
        }
        double w = m->weights[rows[i]];
        out->mean = weight > 0 ? out->mean + (above[i] - out->mean) * w / (weight + w) : above[i];
        weight += w;
        above[out->count++] = above[i];
    }
    qsort(above, out->count, sizeof *above, compare_numbers);
    if (out->count > 0)
        out->median = (above[(out->count - 1) / 2] + above[out->count / 2]) / 2;
}

// The regret at drawn rows that are no points. `worst`: the row that is to become one; DEPLOY_NONE.
static bool look_between(const struct deploy_matrix *m, const struct deploy_chosen *t,
                         const bool *is_point, struct arena *a, struct deploy_spread *out,
                         uint32_t *worst)
{
    uint32_t *rows = arena_array(a, m->drawn_count + (size_t)1, sizeof *rows), count = 0;
    double *above = arena_array(a, m->drawn_count + (size_t)1, sizeof *above), most = 0;
    bool *valid = arena_array(a, t->count + (size_t)1, sizeof *valid);
    *worst = DEPLOY_NONE;
    if (!rows || !above || !valid)
        return false;
    for (uint32_t row = m->point_count; row < m->point_count + m->drawn_count; row++) {
        if (is_point[row] || fastest_of(m, row, NULL, m->candidate_count) == DEPLOY_NONE)
            continue;
        uint32_t candidate = answer_at(m, t, row, valid);
        double regret = candidate == DEPLOY_NONE ? NAN : above_best(m, row, candidate);
        bool is_enough = candidate != DEPLOY_NONE && is_good_enough(m, row, candidate);
        if (!is_enough && (*worst == DEPLOY_NONE || isnan(regret) || regret > most)) {
            *worst = row;
            most = isnan(regret) ? INFINITY : regret;
        }
        rows[count] = row;
        above[count++] = regret;
    }
    spread_of(m, rows, above, count, out);
    return true;
}

static bool spread_at_points(const struct deploy_matrix *m, struct arena *a,
                             struct deploy_chosen *out)
{
    double *above = arena_array(a, out->point_count + (size_t)1, sizeof *above);
    for (uint32_t i = 0; above && i < out->point_count; i++)
        above[i] = out->points[i].above_best;
    if (above)
        spread_of(m, out->rows, above, out->point_count, &out->at_points);
    return above != NULL;
}

bool deploy_choose(const struct deploy_matrix *m, struct arena *a, struct deploy_chosen *out)
{
    uint32_t all = m->point_count + m->drawn_count, count = 0, worst;
    uint32_t *rows = arena_array(a, all + (size_t)1, sizeof *rows);
    bool *is_point = arena_array(a, all + (size_t)1, sizeof *is_point);
    memset(out, 0, sizeof *out);
    if (!rows || !is_point)
        return false;
    for (uint32_t i = 0; i < m->point_count; i++) {
        if (fastest_of(m, i, NULL, m->candidate_count) != DEPLOY_NONE)
            rows[count++] = i;
    }
    if (!choose_at(m, rows, count, a, out) ||
        !look_between(m, out, is_point, a, &out->left, &worst))
        return false;
    out->drawn = out->left;
    for (uint32_t refined = 1; worst != DEPLOY_NONE; refined++) {
        is_point[worst] = true;
        rows[count++] = worst;
        struct deploy_spread drawn = out->drawn;
        if (!choose_at(m, rows, count, a, out) ||
            !look_between(m, out, is_point, a, &out->left, &worst))
            return false;
        out->drawn = drawn;
        out->refined = refined;
    }
    return spread_at_points(m, a, out);
}
