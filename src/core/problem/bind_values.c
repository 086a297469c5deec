// Gives the names in expressions their values for a configuration: parameters, constants, then
// derived parameters in their order, and the device's facts. Metrics are computed with the time of
// a launch in place of `time`.
#include "problem/facts.h"
#include "problem/spec_kernels.h"
#include "problem/spec.h"

#include <math.h>

void spec_bind_fixed(const struct spec *s, const struct device_info *device, struct value *slots)
{
    for (uint32_t i = 0; i < s->constant_count; i++)
        slots[s->slots.constants + i] = s->constants[i].value;
    for (uint32_t i = 0; i < fact_count(); i++)
        slots[s->slots.facts + i] = fact_value(i, device);
    for (uint32_t i = 0; i < SPECIAL_COUNT; i++)
        slots[s->slots.special + i] = value_float(0);
    slots[s->slots.special + SPECIAL_PROBLEM_SIZE] =
        value_list(s->kernel->problem_size, s->kernel->problem_axes);
}

bool spec_bind_within(const struct spec *s, const uint32_t *choice, struct value *slots,
                      struct arena *scratch, uint64_t *steps, uint32_t *derived,
                      enum expr_fault *fault)
{
    for (uint32_t i = 0; i < s->parameter_count; i++)
        slots[s->slots.parameters + i] = s->parameters[i].values[choice[i]];
    for (uint32_t i = 0; i < s->derived_count; i++) {
        enum expr_fault f = expr_eval_within(s->derived[i].expr, slots, scratch, steps,
                                             &slots[s->slots.derived + i]);
        if (f == EXPR_FAULT_NONE)
            continue;
        if (derived)
            *derived = i;
        if (fault)
            *fault = f;
        return false;
    }
    return true;
}

bool spec_bind(const struct spec *s, const uint32_t *choice, struct value *slots,
               struct arena *scratch, uint32_t *derived, enum expr_fault *fault)
{
    uint64_t steps = UINT64_MAX;
    return spec_bind_within(s, choice, slots, scratch, &steps, derived, fault);
}

bool spec_metric_uses_energy(const struct spec *s, uint32_t metric)
{
    const struct expr *x = s->metrics[metric].expr;
    return x && expr_uses(x, s->slots.special + SPECIAL_JOULE);
}

bool spec_metric_is_of_time(const struct spec *s, uint32_t metric)
{
    const uint32_t *slots;
    const struct expr *x = s->metrics[metric].expr;
    if (!x)
        return false;
    size_t count = expr_slots(x, &slots);
    for (size_t i = 0; i < count; i++) {
        bool is_parameter =
            slots[i] >= s->slots.parameters && slots[i] - s->slots.parameters < s->parameter_count;
        bool is_derived =
            slots[i] >= s->slots.derived && slots[i] - s->slots.derived < s->derived_count;
        if (is_parameter || is_derived)
            return false;
    }
    return !spec_metric_uses_energy(s, metric);
}

bool spec_metric(const struct spec *s, uint32_t metric, const uint32_t *choice,
                 const struct device_info *device, const struct spec_measured *measured,
                 double *out)
{
    double time_ns = measured->time_ns;
    bool ok = false;
    if (!s->metrics[metric].expr) {
        *out = measured->recorded ? measured->recorded[metric] : NAN;
        return isfinite(*out);
    }
    struct value result;
    struct arena scratch;
    arena_init(&scratch);
    struct value *slots = arena_array(&scratch, s->slots.count, sizeof *slots);
    if (!slots || (isnan(measured->joule) && spec_metric_uses_energy(s, metric)))
        goto end;

    spec_bind_fixed(s, device, slots);
    slots[s->slots.special + SPECIAL_TIME_NS] = value_float(time_ns);
    slots[s->slots.special + SPECIAL_TIME_MS] = value_float(time_ns / 1e6);
    slots[s->slots.special + SPECIAL_TIME_S] = value_float(time_ns / 1e9);
    slots[s->slots.special + SPECIAL_JOULE] = value_float(measured->joule);
    ok = spec_bind(s, choice, slots, &scratch, NULL, NULL) &&
         expr_eval(s->metrics[metric].expr, slots, &scratch, &result) == EXPR_FAULT_NONE &&
         value_to_f64(&result, out) && isfinite(*out);
end:
    arena_release(&scratch);
    return ok;
}
