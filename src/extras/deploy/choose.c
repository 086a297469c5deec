// Chooses configurations by covering points, and refines where the table that comes of it is too slow between them.
#include "extras/deploy/choose.h"

#include "extras/deploy/waves.h"

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

// Does the candidate cover the row, which has a fastest one?
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

// Chooses candidates for the rows that are points so far. False without memory.
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
                                               .above_default = NAN,
                                               .is_refined = row >= m->point_count};
    }
    return out->rows && out->points;
}

// ---- between them ------------------------------------------------------------------------------

// The points of a table that are nearest to a row, and what answers there.
struct surroundings {
    hone_core_near near[HONE_CORE_NEAR];
    uint32_t candidates[HONE_CORE_NEAR]; // of each
    uint32_t count;
    uint32_t nearest; // the candidate of the nearest point where it is valid; DEPLOY_NONE
    uint64_t distance;
};

// `without`: a row that counts as unmeasured, with what its tune alone found; DEPLOY_NONE.
static void look_around(const struct deploy_matrix *m, const struct deploy_waves *w,
                        const struct deploy_chosen *t, uint32_t row, uint32_t without,
                        struct surroundings *out)
{
    const bool *valid = &m->valid[(size_t)row * m->candidate_count];
    out->count = 0;
    out->nearest = DEPLOY_NONE;
    for (uint32_t i = 0; i < t->point_count; i++) {
        uint32_t point = t->rows[i], c = t->candidates[t->points[i].configuration];
        if (without != DEPLOY_NONE &&
            (point == without || (m->found_at && m->found_at[c] == without)))
            continue;
        uint64_t apart = deploy_waves_distance(w, row, point);
        out->count = deploy_waves_insert(out->near, out->count, point, apart);
        if (!valid[c] || (out->nearest != DEPLOY_NONE && apart >= out->distance))
            continue;
        out->nearest = c;
        out->distance = apart;
    }
    deploy_waves_order(w, row, out->near, out->count);
    for (uint32_t i = out->count; i-- > 0;) {
        uint32_t at = 0;
        while (t->rows[at] != out->near[i].point)
            at++;
        out->candidates[i] = t->candidates[t->points[at].configuration];
        if (valid[out->candidates[i]]) // at last that of the first
            out->nearest = out->candidates[i];
    }
}

// The candidate that the table answers with at a row; DEPLOY_NONE: none. As hone_core_find().
static uint32_t answer_at(const struct deploy_matrix *m, const struct deploy_waves *w,
                          const struct deploy_chosen *t, uint32_t row, uint32_t without)
{
    const bool *valid = &m->valid[(size_t)row * m->candidate_count];
    struct surroundings s;
    int64_t least = INT64_MAX;
    look_around(m, w, t, row, without, &s);
    uint32_t best = s.nearest;
    if (best == DEPLOY_NONE)
        return m->default_candidate != DEPLOY_NONE && valid[m->default_candidate]
                   ? m->default_candidate
                   : DEPLOY_NONE;
    if (!w->device.model || s.near[0].distance == 0)
        return best;
    deploy_waves_weigh(w, row, s.near, s.count);
    for (uint32_t i = 0; i < s.count; i++) {
        int64_t time = deploy_waves_predict(w, m, row, s.candidates[i], s.near, s.count);
        if (time >= least || !valid[s.candidates[i]])
            continue;
        least = time;
        best = s.candidates[i];
    }
    return best;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Summarises `above`, one a row of `rows`; NaN: unanswered. Leaves it sorted.
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

// The regret at drawn rows that are not points. `worst`: the row that is to become one;
// DEPLOY_NONE.
static bool look_between(const struct deploy_matrix *m, const struct deploy_waves *w,
                         const struct deploy_chosen *t, const bool *is_point, struct arena *a,
                         struct deploy_spread *out, uint32_t *worst)
{
    uint32_t *rows = arena_array(a, m->drawn_count + (size_t)1, sizeof *rows), count = 0;
    double *above = arena_array(a, m->drawn_count + (size_t)1, sizeof *above), most = 0;
    *worst = DEPLOY_NONE;
    if (!rows || !above)
        return false;
    for (uint32_t row = m->point_count; row < m->point_count + m->drawn_count; row++) {
        if (is_point[row] || fastest_of(m, row, NULL, m->candidate_count) == DEPLOY_NONE)
            continue;
        uint32_t candidate = answer_at(m, w, t, row, DEPLOY_NONE);
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

// out->drawn: what the table of the points alone loses at drawn rows, where what only their own tunes found is not known yet.
static bool look_before(const struct deploy_matrix *m, const struct deploy_waves *w,
                        const uint32_t *rows, uint32_t count, const bool *is_point, struct arena *a,
                        struct deploy_spread *drawn)
{
    const size_t cells = (size_t)m->point_count * m->candidate_count;
    double *ns = arena_copy(a, m->ns, (cells + 1) * sizeof *ns);
    struct deploy_matrix before = *m;
    struct deploy_chosen chosen = {.count = 0};
    uint32_t worst;
    if (!ns)
        return false;
    for (size_t i = 0; m->found_at && i < cells; i++) {
        uint32_t row = m->found_at[i % m->candidate_count];
        ns[i] = row != DEPLOY_NONE && row >= m->point_count ? NAN : ns[i];
    }
    before.ns = ns; // of the points: no other row is looked at
    return choose_at(&before, rows, count, a, &chosen) &&
           look_between(m, w, &chosen, is_point, a, drawn, &worst);
}

// With the lookup that `w` is of.
static bool choose_refined(const struct deploy_matrix *m, const struct deploy_waves *w,
                           struct arena *a, struct deploy_chosen *out)
{
    uint32_t all = m->point_count + m->drawn_count, count = 0, worst = DEPLOY_NONE, refined = 0;
    uint32_t *rows = arena_array(a, all + (size_t)1, sizeof *rows);
    bool *is_point = arena_array(a, all + (size_t)1, sizeof *is_point);
    struct deploy_spread drawn;
    memset(out, 0, sizeof *out);
    if (!rows || !is_point)
        return false;
    for (uint32_t i = 0; i < m->point_count; i++) {
        if (fastest_of(m, i, NULL, m->candidate_count) != DEPLOY_NONE)
            rows[count++] = i;
    }
    if (!look_before(m, w, rows, count, is_point, a, &drawn))
        return false;
    for (;; refined++) {
        if (!choose_at(m, rows, count, a, out) ||
            !look_between(m, w, out, is_point, a, &out->left, &worst))
            return false;
        if (worst == DEPLOY_NONE)
            break;
        is_point[worst] = true;
        rows[count++] = worst;
    }
    out->drawn = drawn;
    out->refined = refined;
    out->model = w->device.model;
    double *above = arena_array(a, out->point_count + (size_t)1, sizeof *above);
    for (uint32_t i = 0; above && i < out->point_count; i++)
        above[i] = out->points[i].above_best;
    if (above)
        spread_of(m, out->rows, above, out->point_count, &out->at_points);
    return above != NULL;
}

// ---- which lookup ------------------------------------------------------------------------------

// Do other points lie on both sides of the row in every column? One at the end is far from what is left without it.
static bool lies_between(const struct deploy_matrix *m, const struct deploy_chosen *t, uint32_t row)
{
    for (uint32_t column = 0; column < m->column_count; column++) {
        bool below = false, above = false;
        for (uint32_t i = 0; i < t->point_count; i++) {
            int64_t size = m->shapes[t->rows[i]][column], own = m->shapes[row][column];
            below |= t->rows[i] != row && size <= own;
            above |= t->rows[i] != row && size >= own;
        }
        if (!below || !above)
            return false;
    }
    return true;
}

// out->crossed, of the rows that lie between others.
static bool cross_validate(const struct deploy_matrix *m, const struct deploy_waves *w,
                           struct arena *a, struct deploy_chosen *out)
{
    uint32_t all = m->point_count + m->drawn_count, count = 0;
    uint32_t *rows = arena_array(a, all + (size_t)1, sizeof *rows);
    double *above = arena_array(a, all + (size_t)1, sizeof *above);
    if (!rows || !above)
        return false;
    for (uint32_t row = 0; row < all; row++) {
        if (!lies_between(m, out, row) ||
            fastest_of(m, row, NULL, m->candidate_count) == DEPLOY_NONE)
            continue;
        uint32_t candidate = answer_at(m, w, out, row, row);
        rows[count] = row;
        above[count++] = candidate == DEPLOY_NONE ? NAN : above_best(m, row, candidate);
    }
    spread_of(m, rows, above, count, &out->crossed);
    return true;
}

// Does it lose less? Where they answer alike often, so by a little; and no more rows may stay without an answer.
static bool loses_less(const struct deploy_spread *a, const struct deploy_spread *b)
{
    return a->count > 0 && a->unanswered <= b->unanswered && a->mean < b->mean - 0.001;
}

bool deploy_choose(const struct deploy_matrix *m, struct arena *a, struct deploy_chosen *out)
{
    struct deploy_waves *w = arena_array(a, 2, sizeof *w); // chosen models stay in the arena
    struct deploy_chosen predicted;
    if (!w || !deploy_waves_init(&w[0], m, a) || !choose_refined(m, &w[0], a, out) ||
        !cross_validate(m, &w[0], a, out))
        return false;
    out->crossed_nearest = out->crossed;
    w[1] = w[0];
    if (!deploy_waves_fit(&w[1], m, a))
        return false;
    if (!w[1].device.model)
        return true;
    if (!choose_refined(m, &w[1], a, &predicted) || !cross_validate(m, &w[1], a, &predicted))
        return false;
    predicted.crossed_nearest = out->crossed;
    if (loses_less(&predicted.crossed, &out->crossed))
        *out = predicted;
    return true;
}
