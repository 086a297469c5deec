// Shapes between the points: each lies on the way from one point to one that is near to it, in log space, and is a
// multiple of what the points are multiples of, or of a part of it: an application's sizes need not be as round. Of eight tries
// the one is taken that is farthest from all shapes so far, so that no gap stays empty: a configuration that is needed in one gap
// alone, because a further wave of work-groups begins there, is found by a tune in that gap. The same seed draws the same shapes.
#include "extras/deploy/deploy_inside.h"

#include "space/space.h"

#include <math.h>
#include <string.h>

#define NEIGHBOURS  3  // of a point, that it is drawn between
#define TRIES       40 // for each that is wanted
#define FARTHEST_OF 8
#define FINER       6 // multiples of what the points are multiples of, down to a 32nd of it

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// The greatest common divisor of all points' sizes in one column.
static int64_t grain_of(const struct deploy *d, uint32_t column)
{
    int64_t grain = 0;
    for (uint32_t i = 0; i < d->o.plan->point_count; i++)
        grain = common_divisor(d->rows[i].shape[column], grain);
    return grain;
}

// One of the nearest to the point, but not itself.
static uint32_t draw_neighbour(const struct deploy *d, uint32_t of, struct rng *r)
{
    uint32_t near[NEIGHBOURS] = {0}, count = 0;
    uint64_t apart[NEIGHBOURS];
    for (uint32_t i = 0; i < d->o.plan->point_count; i++) {
        uint64_t own = deploy_distance(d->rows[i].shape, d->rows[of].shape, d->column_count);
        uint32_t at = count;
        if (i == of)
            continue;
        for (; at > 0 && apart[at - 1] > own; at--) {
            if (at < NEIGHBOURS) {
                near[at] = near[at - 1];
                apart[at] = apart[at - 1];
            }
        }
        if (at == NEIGHBOURS)
            continue;
        near[at] = i;
        apart[at] = own;
        count += count < NEIGHBOURS;
    }
    return near[rng_below(r, count)];
}

// Between two sizes, `way` from the first to the second: a multiple of the grain, or of its half, quarter, ...; one of
// the ends where nothing lies between.
static int64_t size_between(int64_t from, int64_t to, double way, int64_t grain)
{
    int64_t low = from < to ? from : to, high = from < to ? to : from;
    double wanted = exp(log((double)from) + way * (log((double)to) - log((double)from)));
    if (high - low < 2)
        return wanted - (double)low < 0.5 ? low : high;
    for (grain = grain < 1 ? 1 : grain; grain > 0; grain /= 2) {
        double size = floor(wanted / (double)grain + 0.5) * (double)grain;
        if (size > (double)low && size < (double)high)
            return (int64_t)size;
    }
    return wanted - (double)low < (double)high - wanted ? low + 1 : high - 1;
}

// The distance to the nearest shape so far; 0: it is one of them.
static uint64_t distance_to_known(const struct deploy *d, const int64_t *shape)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < d->row_count; i++) {
        uint64_t apart = deploy_distance(d->rows[i].shape, shape, d->column_count);
        least = apart < least ? apart : least;
    }
    return least;
}

// The constants of a shape: those of a point, with the columns in their places. NULL without memory.
static const char *const *set_of(struct deploy *d, const char *const *as, const int64_t *shape)
{
    uint32_t count = d->o.plan->name_count;
    const char **set = arena_copy(&d->arena, as, (count + (size_t)1) * sizeof *set);
    for (uint32_t i = 0; set && i < d->column_count; i++) {
        set[d->column_names[i]] =
            arena_printf(&d->arena, "%s=%lld", d->columns[i], (long long)shape[i]);
        if (!set[d->column_names[i]])
            return NULL;
    }
    return set;
}

bool deploy_load_row(struct deploy *d, struct deploy_row *r, struct error *e)
{
    struct error why = ERROR_INIT;
    const struct spec_options so = deploy_spec_options(d, r->set);
    r->spec = spec_read_again(d->spec, &so, &why); // what the file holds by now may be another
    if (r->spec)
        return true;
    if (why.code != ERROR_INPUT && why.code != ERROR_USAGE) {
        *e = why;
        return false;
    }
    r->why = arena_strdup(&d->arena, why.text);
    return r->why || error_memory(e);
}

struct space *deploy_row_space(const struct deploy *d, const struct deploy_row *r, struct error *e)
{
    struct space_options so = d->o.tune.setup.space;
    so.device = d->o.tune.setup.at.device;
    so.share = (struct space_share){0};
    struct space *space = r->spec ? space_new(r->spec, &so, e) : NULL;
    if (!space || space_count(space) > 0)
        return space;
    struct text why = TEXT_INIT;
    space_explain_empty(space, &why);
    error_set(e, ERROR_INPUT, "%s: no configuration is valid: %s", d->o.path, text_cstr(&why));
    text_release(&why);
    space_free(space);
    return NULL;
}

// A shape that no configuration can take says nothing of the table.
static bool row_has_space(const struct deploy *d, const struct deploy_row *r)
{
    struct error ignored = ERROR_INIT;
    struct space *space = deploy_row_space(d, r, &ignored);
    space_free(space);
    return space != NULL;
}

struct shape_drawing {
    struct deploy *d;
    int64_t grains[SPEC_NAMES_LIMIT];
    struct rng rng;
};

// Returns the point that it lies next to.
static uint32_t draw_between(struct shape_drawing *w, int64_t *shape)
{
    const struct deploy *d = w->d;
    uint32_t from = (uint32_t)rng_below(&w->rng, d->o.plan->point_count);
    uint32_t to = draw_neighbour(d, from, &w->rng);
    double way = 0.1 + 0.8 * rng_unit(&w->rng);
    unsigned finer = (unsigned)rng_below(&w->rng, FINER);
    for (uint32_t i = 0; i < d->column_count; i++)
        shape[i] =
            size_between(d->rows[from].shape[i], d->rows[to].shape[i], way, w->grains[i] >> finer);
    return from;
}

// One try; it is drawn where d->row_count grows. False where the deploy cannot go on.
static bool draw_shape(struct shape_drawing *w, struct error *e)
{
    struct deploy *d = w->d;
    int64_t *shape = arena_array(&d->arena, d->column_count, sizeof *shape);
    int64_t *other = arena_array(&d->arena, d->column_count, sizeof *other);
    if (!shape || !other)
        return error_memory(e);
    uint32_t from = 0;
    uint64_t most = 0;
    for (uint32_t i = 0; i < FARTHEST_OF; i++) {
        uint32_t beside = draw_between(w, other);
        uint64_t apart = distance_to_known(d, other);
        if (apart <= most)
            continue;
        memcpy(shape, other, d->column_count * sizeof *shape);
        from = beside;
        most = apart;
    }
    if (most == 0)
        return true;
    struct deploy_row *row = &d->rows[d->row_count];
    *row = (struct deploy_row){.shape = shape, .weight = 1};
    row->set = set_of(d, d->rows[from].set, shape);
    if (!row->set)
        return error_memory(e);
    if (!deploy_load_row(d, row, e))
        return false;
    if (row_has_space(d, row)) {
        d->row_count++;
    } else {
        spec_free(row->spec);
        row->spec = NULL;
    }
    return true;
}

bool deploy_draw(struct deploy *d, struct error *e)
{
    struct shape_drawing w = {.d = d};
    uint32_t points = d->o.plan->point_count;
    struct sweep_point *drawn = arena_array(&d->arena, d->o.drawn + (size_t)1, sizeof *drawn);
    rng_init(&w.rng, d->o.tune.setup.seed, 0x6465706c6f79);
    if (!drawn)
        return error_memory(e);
    for (uint32_t i = 0; i < d->column_count; i++)
        w.grains[i] = grain_of(d, i);
    bool ok = true;
    for (uint64_t tries = (uint64_t)TRIES * d->o.drawn; ok && tries > 0 && points > 1; tries--) {
        if (d->row_count == points + d->o.drawn)
            break;
        ok = draw_shape(&w, e);
    }
    if (!ok)
        return false;
    for (uint32_t i = points; i < d->row_count; i++)
        drawn[i - points].set = d->rows[i].set;
    d->drawn = *d->o.plan;
    d->drawn.points = drawn;
    d->drawn.point_count = d->row_count - points;
    return true;
}
