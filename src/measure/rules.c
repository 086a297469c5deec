#include "measure/rules.h"

#include "measure/stats.h"

#include <math.h>

struct measure_rules measure_rules_default(void)
{
    return (struct measure_rules){
        .first = 6,
        .most = 20,
        .more = 7,
        .settled = 0.01,
        .hopeless = 2,
        .behind = 1.1,
        .budget_ns = 1000000000,
        .fixed = 0,
    };
}

static uint64_t sum_saturated(const uint64_t *samples, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (__builtin_add_overflow(sum, samples[i], &sum))
            return UINT64_MAX;
    }
    return sum;
}

// Is the 95 % interval of the median narrow enough, or all of it too slow to matter?
static bool is_settled(const struct measure_rules *rules, const uint64_t *samples, size_t count,
                       uint64_t resolution_ns, uint64_t best_ns)
{
    struct stats_summary s;
    stats_summarise(samples, count, resolution_ns, &s);
    if (!s.interval)
        return false;
    bool is_behind = best_ns > 0 && rules->behind > 0 && s.low > rules->behind * (double)best_ns;
    return is_behind || (s.high - s.low) / 2 <= rules->settled * s.median;
}

// At least one, and no more than the rest of the time budget is likely to hold.
static uint32_t within_budget(const struct measure_rules *rules, uint64_t used, size_t count,
                              uint32_t wanted)
{
    if (wanted == 0)
        return 1;
    if (rules->budget_ns == 0 || used == 0)
        return wanted;
    double each = (double)used / (double)count;
    double fits = ceil((double)(rules->budget_ns - used) / each);
    return fits < wanted ? (uint32_t)fits : wanted;
}

enum measure_verdict measure_next(const struct measure_rules *rules, const uint64_t *samples,
                                  size_t count, uint64_t resolution_ns, uint64_t best_ns,
                                  uint32_t *more)
{
    *more = 0;
    if (rules->fixed > 0) {
        *more = count < rules->fixed ? rules->fixed - (uint32_t)count : 0;
        return *more > 0 ? MEASURE_MORE : MEASURE_FIXED;
    }
    uint64_t used = sum_saturated(samples, count);
    if (count >= rules->first && is_settled(rules, samples, count, resolution_ns, best_ns))
        return MEASURE_SETTLED;
    if (count > 0 && count >= rules->most)
        return MEASURE_SETTLED;
    if (rules->budget_ns > 0 && count > 0 && used >= rules->budget_ns)
        return MEASURE_LIMIT;

    uint32_t wanted = count < rules->first ? rules->first - (uint32_t)count : rules->more;
    uint32_t left = rules->most > count ? rules->most - (uint32_t)count : 1;
    *more = within_budget(rules, used, count, wanted < left ? wanted : left);
    return MEASURE_MORE;
}
