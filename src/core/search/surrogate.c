// Bayesian optimization over a discrete space: a Gaussian process of all results (gp.h) predicts
// mean and deviation of a pool of candidates; the one with the largest expected improvement is
// asked (Jones, Schonlau, Welch 1998). That this fits kernel tuning, and that a pool can be kept up
// to date row by row, is due to Willemsen, van Nieuwpoort, van Werkhoven 2021: "Bayesian
// optimization for auto-tuning GPU kernels".
//
// - It begins with what the user says, then with a few questions spread over the space, the first of them any, and with as many more
//   as are asked before the first answer.
// - Far from all results the process expects their mean, or what sources (transfer.h) make of it. Of where in its lists the best of
//   a space is nothing is assumed; where this space's own answers are more probable with a trend, it is a part of the process (gp.h).
// - The pool is the whole space where that is small, else neighbours of the best results and
//   configurations at random. It is made anew, and the model's shape with it, each time the
//   results have grown by some percent, and the neighbours of a new best join it at once.
// - If a time ends the search, what counts is the improvement expected per second (costs.h).
// - With many questions in flight and a budget that is large enough, the acquisition function is the lower confidence bound instead of
//   the expected improvement (Desautels, Krause, Burdick 2014: "Parallelizing exploration-exploitation tradeoffs in Gaussian
//   process bandit optimization").
// - A question becomes a row of the model when it is asked, its result being what the model
//   predicts until it is told: several in flight keep away from each other.
// - The model has a limited number of rows: the best results, and some of the others.
// - Late in a long search results come faster than a model can be kept up to date: questions are
//   then taken from the pool in the order of improvement expected when it was made.
#include "base/array.h"
#include "search/costs.h"
#include "search/gp.h"
#include "search/learner.h"
#include "search/scale.h"
#include "search/strategies.h"
#include "search/transfer.h"

#include <math.h>
#include <stdlib.h>

enum { INITIAL, CANDIDATES, ROWS };
static const struct strategy_option options[] = {
    [INITIAL] = {"initial", "questions spread over the space to begin with", 6, 1, 100, true},
    [CANDIDATES] = {"candidates", "configurations compared for a question", 2048, 64, 65536, true},
    [ROWS] = {"rows", "results that the model is made of", 256, 16, 2048, true},
    {.name = NULL},
};

#define TRIES_MOST    20  // at random, for one initial question
#define SPREAD_MOST   64  // initial questions because so many are in flight
#define BOUND_FROM    16  // in flight, from which on the lower confidence bound is used
#define BOUND_BUDGET  100 // questions; a search of fewer has no use for it
#define BOUND         2.5 // deviations below the mean
#define PROMISED      4   // initial questions, the gate's included, where a source promises much
#define FIT_MOST      100 // rows that the shape is chosen by
#define FIT_SWEEPS    2
#define GROWTH        1.05 // of the results until the model is made anew
#define LISTED_FROM   512  // asks, from which on the pool is a list
#define LISTED_GROWTH 1.3
#define LISTED_LEAST  32  // results until a list is made anew for a new best
#define FLIGHT_MOST   256 // in flight that rows are made for
#define SOURCE_RANGE  4.0 // of a standardised value of theirs, on the axis
#define NEAR_BEST     8   // results whose neighbours are candidates
#define NEAR_MOST     256 // neighbours of one
// Variances of a place on an axis and of its square, if all places are equally frequent:
#define PLACE_VARIANCE  (1.0 / 12)
#define SQUARE_VARIANCE (1.0 / 180)

struct surrogate {
    struct strategy base;
    struct learner learner;
    struct gp gp;
    struct scale scale;
    struct improvement improvement;
    struct transfer transfer;
    double *offsets; // of candidates: what is expected of them without a model
    struct gp_axis *process_axes;
    struct costs costs;
    bool by_time;         // a time ends the search
    bool uses_bound;      // the acquisition function is the lower confidence bound
    uint32_t coordinates; // of a point: axes, then the twos of those that have some
    float *point;
    float *spread; // points of the first questions: spread_count, of which spread_known are there
    uint32_t initial, in_flight, spread_count, spread_known;
    uint32_t spread_seen; // so many questions were looked at for them

    uint32_t told, correct;
    double best;        // of the correct ones
    bool forgets;       // what was asked on the word of a source, in all of this
    uint32_t by_source; // questions asked on it
    bool has_model, is_stale;
    uint32_t told_before; // when the model was made

    uint64_t *pool; // index of each candidate
    bool *gone;     // candidates that were asked
    float *rates;   // costs_rate() of each candidate
    uint64_t *rows; // index of each row
    uint64_t *near; // scratch: NEAR_MOST

    struct ranked *ranked; // scratch: results; then candidates, the most promising first
    size_t ranked_capacity;
    uint32_t list_next, list_count;
};

static void surrogate_destroy(struct strategy *base)
{
    struct surrogate *s = (struct surrogate *)base;
    costs_release(&s->costs);
    learner_release(&s->learner);
    gp_release(&s->gp);
    free(s->offsets);
    free(s->pool);
    free(s->gone);
    free(s->rates);
    free(s->rows);
    free(s->near);
    free(s->ranked);
    free(s);
}

static bool allocate_surrogate(struct surrogate *s, uint32_t rows, uint32_t pool)
{
    struct axes *x = &s->learner.axes;
    uint32_t axes = s->coordinates + (s->transfer.count > 0);
    s->process_axes = arena_array(&x->arena, axes + 1, sizeof *s->process_axes);
    s->point = arena_array(&x->arena, axes + 1, sizeof *s->point);
    s->spread =
        arena_array(&x->arena, (size_t)(s->coordinates + 1) * s->spread_count, sizeof *s->spread);
    s->offsets = calloc(pool, sizeof *s->offsets);
    s->pool = calloc(pool, sizeof *s->pool);
    s->gone = calloc(pool, sizeof *s->gone);
    s->rates = calloc(pool, sizeof *s->rates);
    s->rows = calloc(rows, sizeof *s->rows);
    s->near = calloc(NEAR_MOST, sizeof *s->near);
    return s->process_axes && s->point && s->spread && s->offsets && s->pool && s->gone &&
           s->rates && s->rows && s->near && costs_init(&s->costs, x, &x->arena) &&
           gp_init(&s->gp, axes, s->process_axes, rows, pool);
}

// Questions in flight take rows, too, but never most of them.
static uint32_t rows_for(const struct strategy_setup *setup)
{
    uint32_t rows = (uint32_t)setup->options[ROWS];
    uint32_t least = setup->in_flight < FLIGHT_MOST ? 4 * setup->in_flight : 4 * FLIGHT_MOST;
    return rows > least ? rows : least;
}

// A trend has lines and squares along lists that have an order, each kind with half of its variance if values are drawn at random. There are no
// squares along a list of two values, and nearly all along a long one.
static void describe_axes(struct surrogate *s)
{
    const struct axes *x = &s->learner.axes;
    double lines = 0, squares = 0;
    for (uint32_t i = 0; i < x->count; i++) {
        struct gp_axis *out = &s->process_axes[i];
        double share = 1 - 2.0 / x->items[i].count;
        *out = (struct gp_axis){.roughness = axis_roughness(&x->items[i]),
                                .line = x->items[i].ordered ? 1 : 0,
                                .square = x->items[i].ordered ? share * share : 0};
        lines += out->line;
        squares += out->square;
    }
    for (uint32_t i = 0; i < x->count; i++) {
        s->process_axes[i].line *= lines > 0 ? 0.5 / (PLACE_VARIANCE * lines) : 0;
        s->process_axes[i].square *= squares > 0 ? 0.5 / (SQUARE_VARIANCE * squares) : 0;
    }
}

static struct strategy *surrogate_create(const struct strategy_setup *setup, struct error *e)
{
    struct surrogate *s = alloc_zeroed(sizeof *s, e);
    if (!s || !learner_init(&s->learner, setup, e)) {
        free(s);
        return NULL;
    }
    transfer_init(&s->transfer, setup);
    uint64_t count = space_count(setup->space);
    uint32_t pool = (uint32_t)setup->options[CANDIDATES];
    if (count < pool)
        pool = count > 0 ? (uint32_t)count : 1;
    s->coordinates = s->learner.axes.count + s->learner.axes.twos;
    s->initial = (uint32_t)setup->options[INITIAL];
    s->in_flight = setup->in_flight;
    s->by_time = setup->budget == 0;
    s->spread_count = setup->in_flight < SPREAD_MOST ? setup->in_flight : SPREAD_MOST;
    if (s->spread_count < s->initial)
        s->spread_count = s->initial;
    s->uses_bound = setup->budget >= BOUND_BUDGET && setup->in_flight >= BOUND_FROM;
    if (!allocate_surrogate(s, rows_for(setup), pool)) {
        error_memory(e);
        surrogate_destroy(&s->base);
        return NULL;
    }
    describe_axes(s);
    improvement_init(&s->improvement);
    s->gp.axes = s->coordinates;
    gp_prior(&s->gp);
    // The weight of the sources' axis, for when it joins.
    s->gp.shape.weights[s->coordinates] = 1.0 / (s->coordinates + 1);
    return &s->base;
}

// A configuration as a point: along each axis the place of its value among all, from -0.5 to 0.5. People
// list the values that are worth trying, so that the next one is a like step whatever the numbers. Counted
// from the middle, a list that is written the other way round has the same places but for their signs, bit by bit.
// Behind these the twos of long lists.
static void locate_configuration(struct surrogate *s, uint64_t index, float *point)
{
    const struct axes *x = &s->learner.axes;
    space_get(s->learner.space, index, s->learner.choice);
    for (uint32_t i = 0; i < x->count; i++) {
        const struct axis *a = &x->items[i];
        float place = (float)a->place[s->learner.choice[a->parameter]],
              last = (float)(a->count - 1);
        point[i] = a->ordered ? (2 * place - last) / (2 * last) : place;
    }
    for (uint32_t i = 0, next = x->count; next < s->coordinates; i++) {
        if (x->items[i].twos)
            point[next++] = x->items[i].twos[s->learner.choice[x->items[i].parameter]];
    }
}

// At the end what the sources make of it, as one axis more. Returns what they expect without a model, 0 where none is trusted.
static double locate_with_offset(struct surrogate *s, uint64_t index, float *point)
{
    locate_configuration(s, index, point);
    if (!s->transfer.is_trusted)
        return 0;
    double value = transfer_value(&s->transfer, s->learner.choice);
    point[s->coordinates] = (float)(value / SOURCE_RANGE);
    return s->transfer.slope * value;
}

// ---- the first questions -----------------------------------------------------------------------

static double distance_of_points(const struct surrogate *s, const float *a, const float *b)
{
    double sum = 0;
    for (uint32_t i = 0; i < s->learner.axes.count; i++) {
        bool ordered = s->learner.axes.items[i].ordered;
        double apart = ordered ? (double)a[i] - (double)b[i] : a[i] != b[i];
        sum += apart * apart;
    }
    return sum;
}

static float *spread_point(const struct surrogate *s, uint32_t i)
{
    return s->spread + (size_t)i * (s->coordinates + 1);
}

static bool is_forgotten(const struct surrogate *s, const struct asked_entry *a)
{
    return s->forgets && a->by_source;
}

// Gate questions are extra: without a trusted source the initial design is that of a search without
// sources.
static uint32_t own_questions(const struct surrogate *s)
{
    return s->learner.asked.count - (s->forgets ? s->by_source : s->transfer.gate_count);
}

// How good a further one of the first questions is: far from the nearest of those before.
static double spread_worth(struct surrogate *s, uint64_t index)
{
    double nearest = INFINITY;
    locate_configuration(s, index, s->point);
    for (uint32_t i = 0; i < s->spread_known; i++)
        nearest = fmin(nearest, distance_of_points(s, s->point, spread_point(s, i)));
    return nearest;
}

// The square root of the number of configurations, at most TRIES_MOST: the farthest of many random ones is a corner, and in a small
// space the farthest of a few is one already.
static uint32_t tries_for(uint64_t count)
{
    uint32_t tries = 1;
    while (tries < TRIES_MOST && (uint64_t)tries * tries < count)
        tries++;
    return tries;
}

// The best of some at random.
static bool ask_spread(struct surrogate *s, uint64_t *index)
{
    struct learner *g = &s->learner;
    double most = -INFINITY;
    uint32_t own = own_questions(s);
    bool is_initial = own > 0 && own < s->spread_count; // the very first one is any
    for (; is_initial && s->spread_seen < g->asked.count; s->spread_seen++) {
        const struct asked_entry *seen = &g->asked.entries[s->spread_seen];
        if (!is_forgotten(s, seen) && !transfer_asked(&s->transfer, seen->index))
            locate_configuration(s, seen->index, spread_point(s, s->spread_known++));
    }
    uint32_t tries = is_initial ? tries_for(g->walk.count) : 0;
    for (uint32_t i = 0; i < tries; i++) {
        uint64_t other = space_sample(g->space, &g->rng);
        double worth = learner_is_open(g, other) ? spread_worth(s, other) : -INFINITY;
        if (worth > most) {
            most = worth;
            *index = other;
        }
    }
    return most > -INFINITY || learner_next(g, index);
}

// ---- the pool ----------------------------------------------------------------------------------

static void add_candidate(struct surrogate *s, uint64_t index)
{
    double offset = locate_with_offset(s, index, s->point);
    uint32_t at = gp_add_candidate(&s->gp, s->point);
    s->offsets[at] = offset;
    s->pool[at] = index;
    s->gone[at] = false;
    // The choice is still that of the point.
    s->rates[at] = s->by_time ? (float)costs_rate(&s->costs, s->learner.choice) : 1;
}

static bool is_candidate(const struct surrogate *s, uint64_t index)
{
    for (uint32_t i = 0; i < s->gp.pool; i++) {
        if (s->pool[i] == index)
            return true;
    }
    return false;
}

static void add_neighbours(struct surrogate *s, uint64_t of, uint32_t room)
{
    size_t most = room < NEAR_MOST ? room : NEAR_MOST;
    size_t count = learner_around(&s->learner, of, 4 * NEAR_MOST, s->near, most);
    for (size_t i = 0; i < count; i++) {
        if (!is_candidate(s, s->near[i]))
            add_candidate(s, s->near[i]);
    }
}

static bool pool_is_space(const struct surrogate *s)
{
    return s->learner.walk.count <= s->gp.pool_most;
}

// `best`: results, the best first. An eighth is left for the neighbours of better ones.
static void fill_pool(struct surrogate *s, const struct ranked *best)
{
    struct learner *g = &s->learner;
    uint32_t most = s->gp.pool_most;
    for (uint64_t i = 0; pool_is_space(s) && i < g->walk.count; i++) {
        if (learner_is_open(g, i))
            add_candidate(s, i);
    }
    if (pool_is_space(s))
        return;
    for (uint32_t i = 0; i < NEAR_BEST && i < s->correct && s->gp.pool < most / 2; i++)
        add_neighbours(s, g->asked.entries[best[i].at].index, most / 2 - s->gp.pool);
    for (uint32_t i = 0; i < 2 * most && s->gp.pool < most - most / 8; i++) {
        uint64_t index = space_sample(g->space, &g->rng);
        if (learner_is_open(g, index))
            add_candidate(s, index);
    }
}

// ---- the model ---------------------------------------------------------------------------------

// The results, the best first, failures last. Returns how many.
static uint32_t rank_results(struct surrogate *s)
{
    const struct asked *asked = &s->learner.asked;
    uint32_t count = 0;
    for (uint32_t i = 0; i < asked->count; i++) {
        const struct asked_entry *a = &asked->entries[i];
        if (a->state != ASKED_PENDING && !is_forgotten(s, a))
            s->ranked[count++] =
                (struct ranked){a->state == ASKED_CORRECT ? a->value : INFINITY, i};
    }
    qsort(s->ranked, count, sizeof *s->ranked, ranked_compare);
    return count;
}

// Is it the best by now?
static bool note_correct(struct surrogate *s, double value)
{
    if (s->correct++ > 0 && value >= s->best)
        return false;
    s->best = value;
    return true;
}

static double scaled(const struct surrogate *s, const struct asked_entry *a)
{
    return a->state == ASKED_CORRECT ? scale_apply(&s->scale, a->value) : s->scale.failure;
}

static void fit(struct surrogate *s, uint32_t count)
{
    uint32_t some = count < FIT_MOST ? count : FIT_MOST;
    if (some > s->gp.row_most)
        some = s->gp.row_most;
    for (uint32_t i = 0; i < some; i++) {
        uint32_t at = s->ranked[ranked_spread(i, some, count)].at;
        const struct asked_entry *a = &s->learner.asked.entries[at];
        double offset = locate_with_offset(s, a->index, s->point);
        gp_place_row(&s->gp, i, s->point, scaled(s, a) - offset);
    }
    gp_fit(&s->gp, some, FIT_SWEEPS);
    gp_clear(&s->gp);
}

static void add_model_row(struct surrogate *s, const struct asked_entry *a)
{
    bool known = a->state != ASKED_PENDING;
    double offset = locate_with_offset(s, a->index, s->point);
    s->rows[gp_add_row(&s->gp, s->point, known, known ? scaled(s, a) - offset : 0)] = a->index;
}

// Room is left for questions to come.
static void fill_model_rows(struct surrogate *s, uint32_t count)
{
    const struct asked *asked = &s->learner.asked;
    uint32_t most = s->gp.row_most, flight = s->in_flight < most / 4 ? s->in_flight : most / 4;
    uint32_t some = count + flight < most / 4 * 3 ? count : most / 2;
    for (uint32_t i = 0; i < some; i++)
        add_model_row(s, &asked->entries[s->ranked[ranked_spread(i, some, count)].at]);
    for (uint32_t i = 0; i < asked->count && s->gp.rows < most; i++) {
        const struct asked_entry *a = &asked->entries[i];
        if (a->state == ASKED_PENDING && !is_forgotten(s, a))
            add_model_row(s, a);
    }
}

// The acquisition function, to be maximised: the expected improvement over `best`, in scaled units, with a time budget per
// expected cost; or the negated lower confidence bound.
static double promise_of(const struct surrogate *s, double best, uint32_t candidate)
{
    double mean = gp_mean(&s->gp, candidate) + s->offsets[candidate];
    double deviation = sqrt(gp_variance(&s->gp, candidate));
    if (s->uses_bound)
        return BOUND * deviation - mean;
    return improvement_expected(&s->improvement, best, mean, deviation) *
           (double)s->rates[candidate];
}

static bool is_listed(const struct surrogate *s)
{
    return s->learner.asked.count >= LISTED_FROM;
}

// Do the results, or a source's promise, suffice for a model?
static bool is_enough(struct surrogate *s)
{
    bool is_promised = !s->forgets && s->learner.asked.count >= PROMISED &&
                       transfer_promises(&s->transfer, &s->learner);
    return s->correct >= 2 && (own_questions(s) >= s->initial || is_promised);
}

// A good configuration that is known early holds the expected improvement around it, and one of a source that is
// half right is on a plateau. So what was asked on the sources' word is then no longer a part of the search,
// which goes on as it would without them: with the first questions, if it has too few answers of its own.
static void forget_sources(struct surrogate *s)
{
    const struct asked *asked = &s->learner.asked;
    s->forgets = true;
    s->has_model = false;
    s->spread_seen = s->spread_known = 0;
    s->correct = 0;
    for (uint32_t i = 0; i < asked->count; i++) {
        const struct asked_entry *a = &asked->entries[i];
        if (a->state == ASKED_CORRECT && !is_forgotten(s, a))
            note_correct(s, a->value);
    }
}

// False without memory, the model is then as before; or if too little is left for one.
static bool make_model(struct surrogate *s)
{
    size_t count = s->learner.asked.count;
    if (!ARRAY_ROOM(s->ranked, s->ranked_capacity,
                    count > s->gp.pool_most ? count : s->gp.pool_most))
        return false;
    if (s->by_time && !costs_fit(&s->costs, s->learner.space, &s->learner.asked))
        return false;
    if (!s->forgets && transfer_ends(&s->transfer, s->told)) {
        forget_sources(s);
        if (!is_enough(s))
            return false;
    }
    uint32_t known = rank_results(s);
    scale_choose(&s->scale, s->ranked, s->correct);
    if (!s->forgets)
        transfer_weigh(&s->transfer, &s->learner, &s->scale);
    s->gp.axes = s->coordinates + s->transfer.is_trusted;
    gp_clear(&s->gp);
    fit(s, known);
    fill_pool(s, s->ranked);
    fill_model_rows(s, known);
    double best = scale_apply(&s->scale, s->best);
    s->list_next = 0;
    s->list_count = s->gp.pool;
    for (uint32_t i = 0; i < s->gp.pool; i++)
        s->ranked[i] = (struct ranked){-promise_of(s, best, i), i};
    qsort(s->ranked, s->list_count, sizeof *s->ranked, ranked_compare);
    s->has_model = true;
    s->is_stale = false;
    s->told_before = s->told;
    return true;
}

static bool is_due(struct surrogate *s)
{
    if (!s->has_model)
        return is_enough(s);
    if (is_listed(s))
        return s->told > s->told_before * LISTED_GROWTH ||
               (s->is_stale && s->told >= s->told_before + LISTED_LEAST);
    return s->gp.rows == s->gp.row_most || s->told > s->told_before * GROWTH + 1;
}

// ---- questions ---------------------------------------------------------------------------------

static bool most_promising(struct surrogate *s, uint32_t *out)
{
    double most = -INFINITY;
    if (is_listed(s)) {
        while (s->list_next < s->list_count) {
            *out = s->ranked[s->list_next++].at;
            if (!s->gone[*out])
                return true;
        }
        return false;
    }
    double best = scale_apply(&s->scale, s->best);
    for (uint32_t i = 0; i < s->gp.pool; i++) {
        double promise = s->gone[i] ? -INFINITY : promise_of(s, best, i);
        if (promise > most) {
            most = promise;
            *out = i;
        }
    }
    return most > -INFINITY;
}

static bool ask_model(struct surrogate *s, uint64_t *index)
{
    uint32_t candidate = 0;
    if (is_due(s) && !make_model(s))
        return false;
    if (!s->has_model)
        return false;
    if (!most_promising(s, &candidate) &&
        (pool_is_space(s) || !make_model(s) || !most_promising(s, &candidate)))
        return false;
    *index = s->pool[candidate];
    return true;
}

// Whether the best of the sources are good here, once the default is asked. If hardly any questions are
// allowed, only for those that agree with the first answers.
static bool ask_gate(struct surrogate *s, uint64_t *index)
{
    return (s->transfer.gate_waits ? s->transfer.is_trusted : s->learner.asked.count > 0) &&
           transfer_ask(&s->transfer, &s->learner, index);
}

static void note_question(struct surrogate *s, uint64_t index)
{
    struct asked *asked = &s->learner.asked;
    asked_add(asked, index);
    struct asked_entry *a = &asked->entries[asked->count - 1];
    a->by_source = s->transfer.is_trusted || transfer_asked(&s->transfer, index);
    s->by_source += a->by_source;
    if (!s->has_model)
        return;
    for (uint32_t i = 0; i < s->gp.pool; i++)
        s->gone[i] = s->gone[i] || s->pool[i] == index; // one may be there twice
    if (!is_listed(s) && s->gp.rows < s->gp.row_most)
        add_model_row(s, a);
}

static size_t surrogate_ask(struct strategy *base, uint64_t *out, size_t capacity)
{
    struct surrogate *s = (struct surrogate *)base;
    size_t room = learner_room(&s->learner, capacity), asked = 0;
    for (; asked < room; asked++) {
        bool found = walk_is_beginning(&s->learner.walk)
                         ? learner_next(&s->learner, &out[asked])
                         : ask_gate(s, &out[asked]) || ask_model(s, &out[asked]) ||
                               ask_spread(s, &out[asked]);
        if (!found)
            break;
        note_question(s, out[asked]);
    }
    return asked;
}

// ---- results -----------------------------------------------------------------------------------

static void surrogate_tell(struct strategy *base, uint64_t index, enum status status, double value)
{
    struct surrogate *s = (struct surrogate *)base;
    const struct asked_entry *a = learner_tell(&s->learner, index, status, value);
    if (!a)
        return;
    s->told++;
    if (s->has_model) {
        for (uint32_t i = 0; i < s->gp.rows; i++) {
            if (s->gp.pending[i] && s->rows[i] == a->index)
                gp_tell(&s->gp, i, scaled(s, a) - locate_with_offset(s, a->index, s->point));
        }
    }
    if (a->state != ASKED_CORRECT || is_forgotten(s, a) || !note_correct(s, a->value))
        return;
    s->is_stale = true;
    if (s->has_model && !is_listed(s) && !pool_is_space(s))
        add_neighbours(s, a->index, s->gp.pool_most - s->gp.pool);
}

// Reports the verdicts on the sources; those after the first few are ignored.
static void surrogate_heard(const struct strategy *base, struct strategy_heard *out)
{
    const struct transfer *t = &((const struct surrogate *)base)->transfer;
    for (uint32_t k = 0; k < t->count; k++)
        out[k] = t->heard[k];
}

static void surrogate_cost(struct strategy *base, uint64_t index, double ns)
{
    struct asked_entry *a = asked_find(&((struct surrogate *)base)->learner.asked, index);
    if (a && a->state == ASKED_PENDING && isfinite(ns) && ns > 0)
        a->cost = ns;
}

const struct strategy_operations strategy_surrogate = {
    .name = "surrogate",
    .summary = "asks where a model of all results expects the largest improvement",
    .options = options,
    .create = surrogate_create,
    .ask = surrogate_ask,
    .tell = surrogate_tell,
    .heard = surrogate_heard,
    .cost = surrogate_cost,
    .destroy = surrogate_destroy,
};
