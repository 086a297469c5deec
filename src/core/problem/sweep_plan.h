// The points of a sweep: what --set says, as constants of a spec. Pure.
//
//   N=256,512,1024         values, separated by commas
//   N=256..16384           doubling, as long as it is no more than the second
//   N=1000..9000..2000     by steps
//   N=[2**i for i in range(8, 15)]   a list of the expression language
//   M=N                    any expression over the other constants, at each point
//
// Names with several values go in step and have the same number of them, or are combined in all
// ways; the first name then changes slowest. A constant of type string has its values as they
// stand.
#pragma once

#include "problem/spec.h"

#define SWEEP_POINTS_MOST 4096

struct sweep_name {
    const char *name;
    uint32_t given; // values that were given; 1: at every point the same expression
    bool varies;    // it has not the same value at all points
    bool numeric;   // at every point
};

struct sweep_point {
    const char *const *set;     // "N=256", one a name: for spec_options
    const struct value *values; // the same
};

struct sweep_plan {
    const struct sweep_name *names; // as they were given
    uint32_t name_count;
    const struct sweep_point *points; // no two of them alike
    uint32_t point_count;             // 1 or more
    bool product;
};

// `set`: NAME=VALUES, each name once. `spec`: as it stands in its file; a constant that is not
// named, but read, has its value there. Everything is kept in the arena.
bool sweep_plan_make(const struct spec *spec, const char *const *set, uint32_t count, bool product,
                     struct arena *a, struct sweep_plan *out, struct error *e);

// The name whose values are the axis of a picture: the first that was given with several numbers,
// no two alike among those points that it shares a panel with. UINT32_MAX: there is none.
uint32_t sweep_plan_axis(const struct sweep_plan *p);
// Points of one picture have the same panel, from 0: in a product those where all names that were
// given with several values, but for the axis, have the same. `panels` has room for every point;
// returns how many panels there are.
uint32_t sweep_plan_panels(const struct sweep_plan *p, uint32_t axis, uint32_t *panels);
