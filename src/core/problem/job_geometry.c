// Launch sizes: from GlobalSize, or ProblemSize over grid divisors, always converted into
// work-items that are a multiple of the work-group; 1 where a launch is a plain call. Overflow is an
// error of the configuration.
#include "problem/job_formulas.h"

struct sizes {
    uint64_t local[3];
    bool chosen; // the spec gives a local size
    uint32_t axes;
};

static bool multiply_sizes(struct maker *m, const char *path, uint64_t a, uint64_t b, uint64_t *out)
{
    return !__builtin_mul_overflow(a, b, out) ||
           make_error(m, path, "the size does not fit 64 bits");
}

// GlobalSize, in work-items or work-groups.
static bool from_global(struct maker *m, const struct launch_spec *l, const struct sizes *s,
                        uint64_t *global)
{
    if (l->groups && !s->chosen)
        return make_error(m, l->path,
                          "GlobalSize counts work-groups here, so a LocalSize is needed");
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t size;
        if (!make_size(m, &l->global.axis[i], 1, 1, &size))
            return false;
        uint64_t groups = l->groups ? size : (size + s->local[i] - 1) / s->local[i];
        if (!multiply_sizes(m, l->path, groups, s->local[i], &global[i]))
            return false;
    }
    return true;
}

// ProblemSize divided by the grid divisors, rounded up: work-groups.
static bool from_problem(struct maker *m, const struct launch_spec *l, const struct sizes *s,
                         uint64_t *global)
{
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t size, divisor;
        if (!make_size(m, &l->problem.axis[i], 1, 1, &size))
            return false;
        const struct divisor_spec *d = &l->divisors[i];
        divisor = d->given ? 1 : s->local[i];
        for (uint32_t k = 0; k < d->count; k++) {
            uint64_t factor;
            if (!make_size(m, &d->items[k], 1, 1, &factor) ||
                !multiply_sizes(m, l->path, divisor, factor, &divisor))
                return false;
        }
        uint64_t groups = size / divisor + (size % divisor != 0);
        if (!multiply_sizes(m, l->path, groups, s->local[i], &global[i]))
            return false;
    }
    return true;
}

bool make_geometry(struct maker *m, const struct launch_spec *l, struct job_launch *out)
{
    struct sizes s = {.axes = 0};
    if (language_traits(m->src->language)->is_plain_call) {
        out->dimensions = 1;
        for (uint32_t i = 0; i < 3; i++)
            out->global[i] = out->local[i] = 1;
        return true;
    }
    bool by_problem = l->global.axes == 0;
    s.chosen = l->local.axes > 0;
    s.axes = l->local.axes;
    for (uint32_t i = 0; i < 3; i++) {
        if (!make_size(m, &l->local.axis[i], 1, 1, &s.local[i]))
            return false;
    }
    if (!s.chosen && language_traits(m->src->language)->needs_local_size)
        return make_error(m, l->path, "%s needs a LocalSize (the block's)",
                          language_title(m->src->language));
    if (!(by_problem ? from_problem(m, l, &s, out->global) : from_global(m, l, &s, out->global)))
        return false;
    uint32_t axes = by_problem ? l->problem.axes : l->global.axes;
    out->dimensions = axes > s.axes ? axes : s.axes;
    for (uint32_t i = 0; i < 3; i++)
        out->local[i] = s.chosen ? s.local[i] : 0;
    return true;
}
