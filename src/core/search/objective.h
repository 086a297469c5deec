// The objectives of a tune: one or several, each the time of a launch or a metric of the spec, to
// be minimised or maximised. Pure: no clock, no device.
#pragma once

#include "problem/spec.h"

struct objectives {
    struct objective terms[OBJECTIVES_MOST];
    uint32_t count; // 1 or more
};

// Reads "time", "max:GFLOP/s", "min:time,min:energy": see spec_objectives(). NULL text: the spec's
// own, else least time. `out` is unchanged on failure.
bool objective_parse(const char *text, const struct spec *s, struct objectives *out,
                     struct error *e);

// Does it order configurations by time? True for "time" and for a metric that is a function of the
// time alone and improves as the time falls, such as GFLOP/s of a fixed amount of work. Decisions
// by time, first of all the ranking in rounds, are then decisions on this objective.
bool objective_is_time(const struct objectives *g, const struct spec *s,
                       const struct device_info *device);
bool objective_uses_energy(const struct objectives *g, const struct spec *s);

// The displayed values of the terms, one each. False if one of them has no value: a metric that
// does not exist for this configuration, or unknown energy.
bool objective_values(const struct objectives *g, const struct spec *s, const uint32_t *choice,
                      const struct device_info *device, const struct spec_measured *measured,
                      double *values);

// One number, smaller is better: of one objective its value, or the negative of one to maximise. Of
// several the augmented weighted Tchebycheff function of their costs (objective_cost()) with even
// weights, max_i c_i + 0.05 sum_i c_i (Steuer and Choo, "An interactive weighted Tchebycheff
// procedure for multiple objective programming", Math. Programming 26, 1983; as in Knowles,
// "ParEGO", IEEE Trans. Evol. Comp. 10, 2006): a dominated configuration is worse, and the best is on
// the Pareto front, convex there or not. `reference` has the values of any one configuration, the
// same for all that are compared; not used with one objective. Made of + - * / alone, so that it is
// the same on every machine.
double objective_value(const struct objectives *g, const double *values, const double *reference);
// The same with a weight for each term.
double objective_weighted(const struct objectives *g, const double *values, const double *reference,
                          const double *weights);
// One term as a multiple of what it is at the reference: 1 there, less is better. A value to
// maximise counts by its inverse, so that half the time and twice the throughput weigh the same.
// If the reference is not positive: 1 and the difference from it, in its units.
double objective_cost(const struct objective *o, double value, double reference);

// Is `a` at least as good as `b` in every term, and better in one?
bool objective_dominates(const struct objectives *g, const double *a, const double *b);
// Which of `count` rows of values no other one dominates; equal ones all stay. One row after the
// other has g->count values.
void objective_pareto(const struct objectives *g, const double *values, size_t count, bool *member);
// The order of results by one objective: negative if `a` is better.
int objective_compare(const struct objective *o, double a, double b);

// "time", "max:GFLOP/s", "min:time, max:GFLOP/s": as it is read; the time to be least is "time".
void objective_text(const struct objectives *g, struct text *out);
