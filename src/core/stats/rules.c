// The table of rules, and screening: after each reply, how many samples more of this configuration
// are worth their time. Whatever throws a configuration away is said by two launches (by more on a busy CPU:
// runner/live_screen.c); one that will be a finalist needs one sample only.
#include "stats/rules.h"

#include "base/text.h"
#include "stats/stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct measure_rules measure_rules_default(void)
{
    return (struct measure_rules){
#define X(member, value, least, most, text) .member = (value),
        MEASURE_RULES(X)
#undef X
    };
}

const struct measure_rule measure_rule_table[] = {
#define X(member, value, least, most, text)                                                        \
    {#member, text, value, least, most, offsetof(struct measure_rules, member)},
    MEASURE_RULES(X)
#undef X
        {NULL, NULL, 0, 0, 0, 0}};

static const struct measure_rule *rule_find(const char *name, size_t length)
{
    for (const struct measure_rule *r = measure_rule_table; r->name; r++) {
        if (strlen(r->name) == length && memcmp(r->name, name, length) == 0)
            return r;
    }
    return NULL;
}

bool measure_rule_is_whole(const struct measure_rule *r)
{
    static const size_t whole[] = {
#define X(member) offsetof(struct measure_rules, member),
        MEASURE_WHOLE_RULES(X)
#undef X
    };
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        if (whole[i] == r->offset)
            return true;
    }
    return false;
}

static bool read_rule_value(const struct measure_rule *r, const char *text, double *value)
{
    bool whole = measure_rule_is_whole(r);
    return str_to_f64(text, value) && *value >= r->least && *value <= r->most &&
           (!whole || *value == floor(*value));
}

bool measure_rules_set(struct measure_rules *rules, const char *text, struct error *e)
{
    const char *equals = strchr(text, '=');
    if (!equals)
        return error_set(e, ERROR_USAGE, "'%s' is not NAME=VALUE, such as rounds=40", text);
    const struct measure_rule *r = rule_find(text, (size_t)(equals - text));
    if (!r) {
        size_t length = (size_t)(equals - text);
        const char *names[sizeof measure_rule_table / sizeof *measure_rule_table];
        size_t count = 0;
        for (const struct measure_rule *row = measure_rule_table; row->name; row++)
            names[count++] = row->name;
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), text);
        const char *nearest = str_nearest(name, names, count);
        return error_set(e, ERROR_USAGE, "there is no rule '%s'%s%s%s", name,
                         nearest ? "; did you mean '" : ": 'hone help rules' lists them",
                         nearest ? nearest : "", nearest ? "'?" : "");
    }
    double value;
    if (!read_rule_value(r, equals + 1, &value))
        return error_set(e, ERROR_USAGE, "%s is a %snumber from %g to %g, not '%s'", r->name,
                         measure_rule_is_whole(r) ? "whole " : "", r->least, r->most, equals + 1);
    if (r->offset == offsetof(struct measure_rules, rounds)) {
        rules->unranked = value < 1;
        if (rules->unranked)
            return true;
    }
    memcpy((char *)rules + r->offset, &value, sizeof value);
    return true;
}

static double sum_of_samples(const uint64_t *samples, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)samples[i];
    return sum;
}

// Is a verified launch beyond `factor` times the best, held against that one's own first launch
// where that was slower?
static bool starts_beyond(const struct screening *s, double factor)
{
    uint64_t best = s->best_verify_ns > s->best_ns ? s->best_verify_ns : s->best_ns;
    return s->best_ns && s->verify_ns && (double)s->verify_ns > factor * (double)best;
}

// Two launches in a row: two samples, or a sample after a verified launch that was not near.
static bool is_hopeless_screening(const struct measure_rules *rules, const struct screening *s)
{
    double limit = rules->hopeless * (double)s->best_ns;
    if (!s->best_ns || s->count == 0 || (double)s->samples[s->count - 1] <= limit)
        return false;
    return s->count == 1 ? starts_beyond(s, rules->near) : (double)s->samples[s->count - 2] > limit;
}

// Too slow to be a finalist, said by two launches: two samples, or the verified one and a sample.
static bool is_behind(const struct measure_rules *rules, const struct screening *s)
{
    struct stats_summary sum;
    stats_summarise(s->samples, s->count, 0, &sum);
    if (!s->best_ns || s->count == 0 || sum.least <= rules->near * (double)s->best_ns)
        return false;
    return s->count > 1 || starts_beyond(s, rules->near);
}

// Half the range of the samples, which a few samples tell better than an interval of the median.
// One sample is believed where it makes a finalist: the ranking measures that one again.
static bool is_settled_screening(const struct measure_rules *rules, const struct screening *s)
{
    struct stats_summary sum;
    stats_summarise(s->samples, s->count, s->resolution_ns, &sum);
    if (s->count == 1)
        return !s->best_ns || sum.median <= rules->near * (double)s->best_ns;
    double half = fmax(sum.most - sum.least, (double)s->resolution_ns) / 2;
    return s->count > 1 && half <= rules->settled * sum.median;
}

// No more than the rest of the time budget is likely to hold, and at least one.
static uint32_t within_budget(const struct measure_rules *rules, const struct screening *s,
                              uint32_t wanted)
{
    double used = sum_of_samples(s->samples, s->count);
    double each = s->count ? used / (double)s->count : (double)s->verify_ns;
    double left = 1e9 * rules->budget - used;
    if (rules->budget <= 0 || each <= 0 || left >= each * wanted)
        return wanted ? wanted : 1;
    return left < each ? 1 : (uint32_t)(left / each);
}

static uint32_t wanted_now(const struct measure_rules *rules, const struct screening *s)
{
    // A first launch that looks too slow: one more says whether it is.
    if (s->count == 0 && starts_beyond(s, rules->near))
        return 1;
    if (s->count < (size_t)rules->first)
        return (uint32_t)rules->first - (uint32_t)s->count;
    return 1;
}

bool measure_is_out(const struct measure_rules *rules, const struct screening *s)
{
    struct stats_summary sum;
    if (s->count == 0)
        return starts_beyond(s, rules->certain);
    stats_summarise(s->samples, s->count, 0, &sum);
    return s->best_ns && sum.least > rules->near * (double)s->best_ns;
}

enum measure_verdict measure_next(const struct measure_rules *rules, const struct screening *s,
                                  uint32_t *more)
{
    *more = 0;
    if (rules->fixed > 0) {
        *more = s->count < rules->fixed ? rules->fixed - (uint32_t)s->count : 0;
        return *more > 0 ? MEASURE_MORE : MEASURE_FIXED;
    }
    if (s->count == 0 ? starts_beyond(s, rules->certain) : is_hopeless_screening(rules, s))
        return MEASURE_HOPELESS;
    if (s->count == 0 && s->verified_counts && !starts_beyond(s, rules->near))
        return MEASURE_SETTLED;
    if (is_behind(rules, s))
        return MEASURE_SETTLED;
    if (s->count >= (size_t)rules->first &&
        (s->count >= (size_t)rules->most || is_settled_screening(rules, s)))
        return MEASURE_SETTLED;
    if (rules->budget > 0 && s->count &&
        sum_of_samples(s->samples, s->count) >= 1e9 * rules->budget)
        return MEASURE_LIMIT;
    *more = within_budget(rules, s, wanted_now(rules, s));
    return MEASURE_MORE;
}

uint32_t measure_batch(const struct measure_rules *rules, uint64_t launch_ns,
                       uint64_t resolution_ns)
{
    double least = rules->resolution * (double)resolution_ns;
    if (!launch_ns || (double)launch_ns >= least)
        return 1;
    double batch = ceil(least / (double)launch_ns);
    return batch > 1e6 ? 1000000 : (uint32_t)batch;
}
