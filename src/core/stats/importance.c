// Trees are grown to leaves of three rows by the split that leaves the least squares, over two thirds of the parameters
// at each node; values are taken in their order. A leaf is a box of value indices with its mean.
#include "stats/importance.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 2000, LEAF_LEAST = 3, LEAVES_MOST = 600, VALUES_MOST = 256 };

struct leaf {
    uint32_t *low, *high; // indices [low, high) of each parameter
    double value, weight; // weight: its part of the whole
};

struct growing {
    const struct importance_data *d;
    struct arena *a;
    struct rng random;
    size_t *rows; // of the sample, in the order of the leaves
    struct leaf *leaves;
    size_t leaf_count;
    bool failed;
};

struct split {
    uint32_t parameter, at; // values below `at` go left
    double gain;
};

// ---- growing -----------------------------------------------------------------------------------

// The best split of these rows by one parameter.
static void try_parameter(const struct growing *g, const size_t *rows, size_t count,
                          uint32_t parameter, struct split *best)
{
    double sums[VALUES_MOST] = {0}, total = 0, left = 0;
    size_t counts[VALUES_MOST] = {0}, seen = 0;
    uint32_t size = g->d->sizes[parameter];
    if (size > VALUES_MOST)
        return;
    for (size_t i = 0; i < count; i++) {
        uint32_t v = g->d->choices[rows[i]][parameter];
        sums[v] += g->d->values[rows[i]];
        counts[v]++;
        total += g->d->values[rows[i]];
    }
    for (uint32_t v = 0; v + 1 < size; v++) {
        seen += counts[v];
        left += sums[v];
        if (counts[v] == 0 || seen < LEAF_LEAST || count - seen < LEAF_LEAST)
            continue;
        double right = total - left;
        double gain = left * left / (double)seen + right * right / (double)(count - seen) -
                      total * total / (double)count;
        if (gain > best->gain)
            *best = (struct split){parameter, v + 1, gain};
    }
}

static bool choose_split(struct growing *g, const size_t *rows, size_t count, struct split *best)
{
    *best = (struct split){.gain = 1e-12};
    for (uint32_t p = 0; p < g->d->parameter_count; p++) {
        if (rng_below(&g->random, 3) < 2)
            try_parameter(g, rows, count, p, best);
    }
    return best->at > 0;
}

static void add_leaf(struct growing *g, const size_t *rows, size_t count, const uint32_t *low,
                     const uint32_t *high)
{
    size_t bytes = g->d->parameter_count * sizeof *low;
    struct leaf *l = &g->leaves[g->leaf_count];
    *l = (struct leaf){arena_copy(g->a, low, bytes), arena_copy(g->a, high, bytes), 0, 1};
    g->failed |= !l->low || !l->high;
    if (g->failed)
        return;
    g->leaf_count++;
    for (size_t i = 0; i < count; i++)
        l->value += g->d->values[rows[i]] / (double)count;
    for (uint32_t p = 0; p < g->d->parameter_count; p++)
        l->weight *= (double)(high[p] - low[p]) / g->d->sizes[p];
}

// Splits the box and its rows until nothing is gained; `low` and `high` are as they were afterwards.
static void grow(struct growing *g, size_t *rows, size_t count, uint32_t *low, uint32_t *high,
                 unsigned depth)
{
    struct split s;
    bool is_full =
        g->leaf_count + depth + 2 > LEAVES_MOST; // each open node becomes a leaf at least
    if (g->failed || is_full || depth > 40 || count < 2 * LEAF_LEAST ||
        !choose_split(g, rows, count, &s)) {
        add_leaf(g, rows, count, low, high);
        return;
    }
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        if (g->d->choices[rows[i]][s.parameter] < s.at) {
            size_t row = rows[i];
            rows[i] = rows[left];
            rows[left++] = row;
        }
    }
    uint32_t whole = high[s.parameter];
    high[s.parameter] = s.at;
    grow(g, rows, left, low, high, depth + 1);
    high[s.parameter] = whole;
    whole = low[s.parameter];
    low[s.parameter] = s.at;
    grow(g, rows + left, count - left, low, high, depth + 1);
    low[s.parameter] = whole;
}

static double predict(const struct growing *g, const uint32_t *choice)
{
    for (size_t l = 0; l < g->leaf_count; l++) {
        bool is_in = true;
        for (uint32_t p = 0; is_in && p < g->d->parameter_count; p++)
            is_in = choice[p] >= g->leaves[l].low[p] && choice[p] < g->leaves[l].high[p];
        if (is_in)
            return g->leaves[l].value;
    }
    return 0;
}

// ---- shares ------------------------------------------------------------------------------------

// The variance over the values of one parameter, or over the pairs of two, of what the tree says on average over all
// others.
static double marginal_variance(const struct growing *g, uint32_t i, uint32_t j, double mean)
{
    uint32_t rows = g->d->sizes[i], columns = i == j ? 1 : g->d->sizes[j];
    double *sums = calloc((size_t)rows * columns, sizeof *sums), variance = 0;
    if (!sums)
        return NAN;
    for (size_t l = 0; l < g->leaf_count; l++) {
        const struct leaf *leaf = &g->leaves[l];
        uint32_t from = i == j ? 0 : leaf->low[j], to = i == j ? 1 : leaf->high[j];
        double part = leaf->weight * rows / (leaf->high[i] - leaf->low[i]);
        part *= (double)columns / (to - from);
        for (uint32_t r = leaf->low[i]; r < leaf->high[i]; r++) {
            for (uint32_t c = from; c < to; c++)
                sums[(size_t)r * columns + c] += part * leaf->value;
        }
    }
    for (size_t k = 0; k < (size_t)rows * columns; k++)
        variance += (sums[k] - mean) * (sums[k] - mean) / ((double)rows * columns);
    free(sums);
    return variance;
}

static void tree_moments(const struct growing *g, double *mean, double *variance)
{
    *mean = *variance = 0;
    for (size_t l = 0; l < g->leaf_count; l++)
        *mean += g->leaves[l].weight * g->leaves[l].value;
    for (size_t l = 0; l < g->leaf_count; l++) {
        double off = g->leaves[l].value - *mean;
        *variance += g->leaves[l].weight * off * off;
    }
}

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void sum_up_trees(double values[IMPORTANCE_TREES], struct importance_share *out)
{
    out->share = 0;
    for (size_t t = 0; t < IMPORTANCE_TREES; t++)
        out->share += values[t] / IMPORTANCE_TREES;
    qsort(values, IMPORTANCE_TREES, sizeof *values, by_number);
    out->low = values[IMPORTANCE_TREES / 10];
    out->high = values[IMPORTANCE_TREES - 1 - IMPORTANCE_TREES / 10];
}

static int by_share(const void *a, const void *b)
{
    const struct importance_share *x = a, *y = b;
    if (x->share != y->share)
        return x->share > y->share ? -1 : 1;
    return x->first != y->first ? (x->first > y->first ? 1 : -1)
                                : (x->second > y->second) - (x->second < y->second);
}

// ---- the forest --------------------------------------------------------------------------------

// How far one tree is off on rows that it was not grown from.
struct unseen_rows {
    double error, spread;
};

static void grow_tree(struct growing *g, uint64_t seed, uint64_t tree, double mean,
                      struct unseen_rows *unseen)
{
    const struct importance_data *d = g->d;
    size_t count = d->count < ROWS_MOST ? d->count : ROWS_MOST;
    bool *is_seen = arena_array(g->a, d->count, sizeof *is_seen);
    uint32_t *low = arena_array(g->a, d->parameter_count, sizeof *low);
    uint32_t *high = arena_copy(g->a, d->sizes, d->parameter_count * sizeof *high);
    g->leaves = arena_array(g->a, LEAVES_MOST + 64, sizeof *g->leaves);
    g->rows = arena_array(g->a, count, sizeof *g->rows);
    g->leaf_count = 0;
    g->failed |= !is_seen || !low || !high || !g->leaves || !g->rows;
    if (g->failed)
        return;
    rng_init(&g->random, seed, tree);
    for (size_t i = 0; i < count; i++) {
        g->rows[i] = (size_t)rng_below(&g->random, d->count);
        is_seen[g->rows[i]] = true;
    }
    grow(g, g->rows, count, low, high, 0);
    size_t looked_at = 0;
    for (size_t i = 0; i < d->count && looked_at < 300; i++) {
        if (is_seen[i])
            continue;
        looked_at++;
        double off = d->values[i] - predict(g, d->choices[i]), spread = d->values[i] - mean;
        unseen->error += off * off;
        unseen->spread += spread * spread;
    }
}

// Room for what each tree says of each share.
struct said {
    double (*mains)[IMPORTANCE_TREES], (*pairs)[IMPORTANCE_TREES];
};

static void ask_tree(const struct growing *g, size_t tree, struct importance *out,
                     struct said *said)
{
    double mean, variance;
    tree_moments(g, &mean, &variance);
    for (size_t i = 0; i < out->count; i++) {
        uint32_t p = out->shares[i].first;
        said->mains[p][tree] = variance > 0 ? marginal_variance(g, p, p, mean) / variance : 0;
    }
    for (size_t i = 0; i < out->pair_count; i++) {
        uint32_t a = out->pairs[i].first, b = out->pairs[i].second;
        double both = variance > 0 ? marginal_variance(g, a, b, mean) / variance : 0;
        said->pairs[i][tree] = fmax(both - said->mains[a][tree] - said->mains[b][tree], 0);
    }
}

static void list_pairs(const struct importance_data *d, struct importance *out)
{
    size_t count = out->count < IMPORTANCE_PAIRS ? out->count : IMPORTANCE_PAIRS;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = i + 1; k < count; k++) {
            uint32_t a = out->shares[i].first, b = out->shares[k].first;
            if (d->sizes[a] > 1 && d->sizes[b] > 1 && (uint64_t)d->sizes[a] * d->sizes[b] <= 4096)
                out->pairs[out->pair_count++] = (struct importance_share){.first = a, .second = b};
        }
    }
}

// Grows the trees twice: first to know which parameters matter, then, the same ones, for their pairs.
static bool ask_forest(const struct importance_data *d, uint64_t seed, double mean,
                       struct importance *out, struct said *said)
{
    struct unseen_rows unseen = {0, 0};
    for (uint64_t t = 0; t < IMPORTANCE_TREES; t++) {
        struct arena a = {0};
        struct growing g = {.d = d, .a = &a};
        grow_tree(&g, seed, t, mean, &unseen);
        if (!g.failed)
            ask_tree(&g, t, out, said);
        arena_release(&a);
        if (g.failed)
            return false;
    }
    out->explained = unseen.spread > 0 ? 1 - unseen.error / unseen.spread : NAN;
    return true;
}

bool importance_find(const struct importance_data *d, uint64_t seed, struct arena *a,
                     struct importance *out)
{
    double mean = 0, least = INFINITY, greatest = -INFINITY;
    const size_t most = (size_t)IMPORTANCE_PAIRS * (IMPORTANCE_PAIRS - 1) / 2;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < d->count; i++) {
        mean += d->values[i] / (double)d->count;
        least = fmin(least, d->values[i]);
        greatest = fmax(greatest, d->values[i]);
    }
    if (d->count < IMPORTANCE_LEAST || !(greatest > least) || d->parameter_count == 0)
        return true;
    struct said said = {arena_array(a, d->parameter_count, sizeof *said.mains),
                        arena_array(a, most, sizeof *said.pairs)};
    out->shares = arena_array(a, d->parameter_count, sizeof *out->shares);
    out->pairs = arena_array(a, most, sizeof *out->pairs);
    if (!said.mains || !said.pairs || !out->shares || !out->pairs)
        return false;
    for (uint32_t p = 0; p < d->parameter_count; p++) {
        if (d->sizes[p] > 1)
            out->shares[out->count++] = (struct importance_share){.first = p, .second = p};
    }
    for (int pass = 0; pass < 2; pass++) {
        if (!ask_forest(d, seed, mean, out, &said))
            return false;
        for (size_t i = 0; pass == 0 && i < out->count; i++) {
            double own[IMPORTANCE_TREES];
            memcpy(own, said.mains[out->shares[i].first], sizeof own);
            sum_up_trees(own, &out->shares[i]);
        }
        if (pass == 0 && out->count > 0) {
            qsort(out->shares, out->count, sizeof *out->shares, by_share);
            list_pairs(d, out);
        }
    }
    for (size_t i = 0; i < out->pair_count; i++)
        sum_up_trees(said.pairs[i], &out->pairs[i]);
    if (out->pair_count > 0)
        qsort(out->pairs, out->pair_count, sizeof *out->pairs, by_share);
    return true;
}
