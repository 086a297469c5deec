// A source: each of its results becomes a point in the axes that both spaces have, results at one
// point become the best of them, and the points are sorted, so that one is found by halving. A
// Gaussian process of the best and some of the others (gp.h) answers for points that were not
// recorded.
#include "search/source.h"

#include "search/axes.h"
#include "search/gp_inside.h"
#include "search/scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BEST_MOST     64
#define ROWS_MOST     192 // of the process
#define FIT_MOST      64
#define FIT_SWEEPS    2
#define CORRECT_LEAST 3
#define SHARED_LEAST  0.5 // of the axes of the space
#define AXES_MOST     64
#define SPOTS_MOST    0x40000000u

// An axis of the space that is a parameter of the source, too.
struct shared_axis {
    const struct axis *axis;
    uint32_t column;     // of the source
    const float *places; // of each of the source's values; NaN: none
};

// A point, and the best result there.
struct spot {
    const float *point;
    double value; // INFINITY: all failed
    uint64_t row; // of the best
};

struct source {
    struct arena arena;
    const struct space *space;
    const char *name;
    struct axes axes;
    struct shared_axis *shared;
    uint32_t shared_count;
    struct spot *spots; // ascending by point
    uint64_t spot_count;
    struct scale scale;
    struct gp gp;
    struct gp_axis *process_axes;
    double *weights; // of the process's rows
    uint64_t *best;
    uint32_t best_count;
};

void source_free(struct source *s)
{
    if (!s)
        return;
    gp_release(&s->gp);
    axes_release(&s->axes);
    arena_release(&s->arena);
    free(s);
}

const char *source_name(const struct source *s)
{
    return s->name;
}

const uint64_t *source_best(const struct source *s, uint32_t *count)
{
    *count = s->best_count;
    return s->best;
}

uint64_t source_results(const struct source *s)
{
    return s->spot_count;
}

uint32_t source_shared(const struct source *s)
{
    return s->shared_count;
}

// ---- axes --------------------------------------------------------------------------------------

// Where a value would stand among those of the axis, which are numbers in ascending order. All that
// are less than these, or more, stand one place outside: their results are none of an end's.
static float place_between(const struct axis *a, const struct parameter *p, double number)
{
    double below = 0, at;
    for (uint32_t i = 0; i < a->count; i++) {
        value_to_f64(&p->values[a->order[i]], &at);
        if (number < at)
            return i == 0 ? -1 : (float)(i - 1 + (number - below) / (at - below));
        below = at;
    }
    return (float)a->count;
}

static float place_of(const struct axis *a, const struct parameter *p, const struct value *v)
{
    double number;
    for (uint32_t i = 0; i < p->count; i++) {
        if (value_equal(&p->values[i], v))
            return a->ordered ? (float)a->place[i] / (float)(a->count - 1) : (float)a->place[i];
    }
    if (!a->ordered || !value_to_f64(v, &number))
        return NAN;
    return place_between(a, p, number) / (float)(a->count - 1);
}

static const struct parameter *parameter_named(const struct source_setup *o, const char *name)
{
    for (uint32_t i = 0; i < o->parameter_count; i++) {
        if (str_equal(o->parameters[i].name, name))
            return &o->parameters[i];
    }
    return NULL;
}

// False without memory.
static bool find_shared_axes(struct source *s, const struct source_setup *o)
{
    const struct spec *spec = space_spec(o->space);
    s->shared = arena_array(&s->arena, s->axes.count + 1, sizeof *s->shared);
    s->process_axes = arena_array(&s->arena, s->axes.count + 1, sizeof *s->process_axes);
    if (!s->shared || !s->process_axes)
        return false;
    for (uint32_t i = 0; i < s->axes.count; i++) {
        const struct axis *a = &s->axes.items[i];
        const struct parameter *own = &spec->parameters[a->parameter];
        const struct parameter *theirs = parameter_named(o, own->name);
        if (!theirs || theirs->count < 2)
            continue;
        float *places = arena_array(&s->arena, theirs->count, sizeof *places);
        if (!places)
            return false;
        for (uint32_t k = 0; k < theirs->count; k++)
            places[k] = place_of(a, own, &theirs->values[k]);
        s->process_axes[s->shared_count] = (struct gp_axis){.roughness = axis_roughness(a)};
        s->shared[s->shared_count++] =
            (struct shared_axis){a, (uint32_t)(theirs - o->parameters), places};
    }
    return true;
}

// If the space has one value of a parameter and the source several, those with that value count,
// if there are any. `only`: for each column of the source the value, or UINT32_MAX.
static void find_fixed_values(const struct source_setup *o, uint32_t *only)
{
    const struct spec *spec = space_spec(o->space);
    for (uint32_t i = 0; i < o->parameter_count; i++)
        only[i] = UINT32_MAX;
    for (uint32_t i = 0; i < spec->parameter_count; i++) {
        const struct parameter *own = &spec->parameters[i];
        const struct parameter *theirs = parameter_named(o, own->name);
        for (uint32_t k = 0; own->count == 1 && theirs && k < theirs->count; k++) {
            if (value_equal(&theirs->values[k], &own->values[0]))
                only[theirs - o->parameters] = k;
        }
    }
}

// ---- spots -------------------------------------------------------------------------------------

static int compare_points(const float *a, const float *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    }
    return 0;
}

struct sorting {
    struct spot spot;
    uint32_t axes;
};

static int by_point(const void *a, const void *b)
{
    const struct sorting *x = a, *y = b;
    int order = compare_points(x->spot.point, y->spot.point, x->axes);
    if (order != 0)
        return order;
    if (x->spot.value != y->spot.value)
        return x->spot.value < y->spot.value ? -1 : 1;
    return (x->spot.row > y->spot.row) - (x->spot.row < y->spot.row);
}

static bool place_row(const struct source *s, const struct source_setup *o, const uint32_t *only,
                      const uint32_t *choice, float *point)
{
    for (uint32_t i = 0; i < o->parameter_count; i++) {
        if (only[i] != UINT32_MAX && choice[i] != only[i])
            return false;
    }
    for (uint32_t i = 0; i < s->shared_count; i++) {
        point[i] = s->shared[i].places[choice[s->shared[i].column]];
        if (isnan(point[i]))
            return false;
    }
    return true;
}

// False without memory.
static bool gather_spots(struct source *s, const struct source_setup *o)
{
    uint32_t axes = s->shared_count;
    struct sorting *list = calloc(o->count + 1, sizeof *list);
    float *points = arena_array(&s->arena, o->count * axes + 1, sizeof *points);
    uint32_t *only = calloc(o->parameter_count + 1, sizeof *only);
    uint64_t count = 0;
    s->spots = arena_array(&s->arena, o->count + 1, sizeof *s->spots);
    bool ok = list && points && only && s->spots;
    if (ok)
        find_fixed_values(o, only);
    for (uint64_t i = 0; ok && i < o->count; i++) {
        float *point = points + i * axes;
        double value = isfinite(o->rows[i].value) ? o->rows[i].value : INFINITY;
        if (place_row(s, o, only, o->rows[i].choice, point))
            list[count++] = (struct sorting){{point, value, i}, axes};
    }
    if (ok)
        qsort(list, count, sizeof *list, by_point);
    for (uint64_t i = 0; ok && i < count; i++) {
        bool is_first = i == 0 || compare_points(list[i - 1].spot.point, list[i].spot.point, axes);
        if (is_first)
            s->spots[s->spot_count++] = list[i].spot;
    }
    free(list);
    free(only);
    return ok;
}

static const struct spot *find_spot(const struct source *s, const float *point)
{
    uint64_t from = 0, to = s->spot_count;
    while (from < to) {
        uint64_t middle = from + (to - from) / 2;
        int order = compare_points(s->spots[middle].point, point, s->shared_count);
        if (order == 0)
            return &s->spots[middle];
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return NULL;
}

static double scaled_spot(const struct source *s, const struct spot *spot)
{
    return isfinite(spot->value) ? scale_apply(&s->scale, spot->value) : s->scale.failure;
}

// ---- between them ------------------------------------------------------------------------------

// A row of the process for the best half and some of the others.
static void place_spots(struct source *s, const struct ranked *ranked, uint32_t some, bool adds)
{
    for (uint32_t i = 0; i < some; i++) {
        const struct spot *spot =
            &s->spots[ranked[ranked_spread(i, some, (uint32_t)s->spot_count)].at];
        if (adds)
            gp_add_row(&s->gp, spot->point, true, scaled_spot(s, spot));
        else
            gp_place_row(&s->gp, i, spot->point, scaled_spot(s, spot));
    }
}

// Weighs each row's part in a mean, per unit of correlation: covariance^-1 (values - mean).
static void weigh_rows(struct source *s)
{
    const struct gp *g = &s->gp;
    for (uint32_t n = g->rows; n-- > 0;) {
        double sum = g->residues[n];
        for (uint32_t i = n + 1; i < g->rows; i++)
            sum -= g->factor[(size_t)i * g->row_stride + n] * s->weights[i];
        s->weights[n] = sum / g->factor[(size_t)n * g->row_stride + n];
    }
}

// False without memory.
static bool make_process(struct source *s, const struct ranked *ranked)
{
    uint32_t rows = s->spot_count < ROWS_MOST ? (uint32_t)s->spot_count : ROWS_MOST;
    s->weights = arena_array(&s->arena, rows, sizeof *s->weights);
    if (!s->weights || !gp_init(&s->gp, s->shared_count, s->process_axes, rows, 1))
        return false;
    uint32_t some = rows < FIT_MOST ? rows : FIT_MOST;
    gp_prior(&s->gp);
    place_spots(s, ranked, some, false);
    gp_fit(&s->gp, some, FIT_SWEEPS);
    gp_clear(&s->gp);
    place_spots(s, ranked, rows, true);
    weigh_rows(s);
    return true;
}

static double predict_spot(const struct source *s, const float *point)
{
    const struct gp *g = &s->gp;
    double mean = g->shape.mean;
    for (uint32_t from = 0; from < g->rows; from += GP_BLOCK) {
        float block[GP_BLOCK];
        gp_correlate(g, point, g->points + from, g->row_stride, block);
        for (uint32_t i = 0; i < GP_BLOCK && from + i < g->rows; i++)
            mean += (double)block[i] * s->weights[from + i];
    }
    return mean < s->scale.failure ? mean : s->scale.failure;
}

double source_value(const struct source *s, const uint32_t *choice)
{
    float point[AXES_MOST];
    for (uint32_t i = 0; i < s->shared_count; i++) {
        const struct axis *a = s->shared[i].axis;
        float place = (float)a->place[choice[a->parameter]];
        point[i] = a->ordered ? place / (float)(a->count - 1) : place;
    }
    const struct spot *spot = find_spot(s, point);
    return spot ? scaled_spot(s, spot) : predict_spot(s, point);
}

// ---- making ------------------------------------------------------------------------------------

// The row as a choice in the space, with the defaults if the source lacks a parameter. False: a
// value is not in the space.
static bool choice_of_row(const struct source *s, const struct source_setup *o, uint64_t row,
                          uint32_t *choice)
{
    const struct spec *spec = space_spec(s->space);
    spec_default(spec, choice);
    for (uint32_t i = 0; i < s->shared_count; i++) {
        const struct shared_axis *h = &s->shared[i];
        const struct parameter *own = &spec->parameters[h->axis->parameter];
        uint32_t theirs = o->rows[row].choice[h->column], k = 0;
        while (k < own->count &&
               !value_equal(&own->values[k], &o->parameters[h->column].values[theirs]))
            k++;
        if (k == own->count)
            return false;
        choice[h->axis->parameter] = k;
    }
    return true;
}

// False without memory.
static bool list_best(struct source *s, const struct source_setup *o, const struct ranked *ranked,
                      uint64_t correct)
{
    uint32_t parameters = space_spec(s->space)->parameter_count;
    uint32_t *choice = arena_array(&s->arena, parameters + 1, sizeof *choice);
    s->best = arena_array(&s->arena, BEST_MOST, sizeof *s->best);
    for (uint64_t i = 0; choice && s->best && i < correct && s->best_count < BEST_MOST; i++) {
        uint64_t index;
        if (choice_of_row(s, o, s->spots[ranked[i].at].row, choice) &&
            space_find(s->space, choice, &index))
            s->best[s->best_count++] = index;
    }
    return choice && s->best;
}

// False without memory, or with *why.
static bool rank_spots(struct source *s, const struct source_setup *o, const char **why)
{
    struct ranked *ranked = calloc(s->spot_count + 1, sizeof *ranked);
    uint64_t correct = 0;
    if (!ranked)
        return false;
    for (uint64_t i = 0; i < s->spot_count; i++) {
        ranked[i] = (struct ranked){s->spots[i].value, (uint32_t)i};
        correct += isfinite(s->spots[i].value);
    }
    qsort(ranked, s->spot_count, sizeof *ranked, ranked_compare);
    bool ok = false;
    if (correct < CORRECT_LEAST) {
        *why = "it has fewer than three correct results of these parameters";
    } else if (ranked[0].value == ranked[correct - 1].value) {
        *why = "all of its results are equal";
    } else {
        scale_choose(&s->scale, ranked, correct);
        ok = make_process(s, ranked) && list_best(s, o, ranked, correct);
    }
    free(ranked);
    return ok;
}

static bool source_init(struct source *s, const struct source_setup *o, const char **why)
{
    s->space = o->space;
    s->name = arena_strdup(&s->arena, o->name);
    if (!axes_init(&s->axes, space_spec(o->space)) || !s->name || !find_shared_axes(s, o))
        return false;
    if (s->shared_count == 0 || s->shared_count < SHARED_LEAST * s->axes.count)
        *why = "it has several values of fewer than half of the parameters";
    else if (s->shared_count > AXES_MOST || o->count > SPOTS_MOST)
        *why = "it is too large";
    return !*why && gather_spots(s, o) && rank_spots(s, o, why);
}

struct source *source_new(const struct source_setup *setup, const char **why, struct error *e)
{
    struct source *s = alloc_zeroed(sizeof *s, e);
    *why = NULL;
    if (!s)
        return NULL;
    arena_init(&s->arena);
    if (source_init(s, setup, why))
        return s;
    source_free(s);
    if (!*why)
        error_memory(e);
    return NULL;
}
