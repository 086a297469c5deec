// Screening: how many samples of a job are worth their time, decided after its verified launch and
// after each reply.
#include "runner/live.h"

#include "base/random.h"
#include "os/process.h"

#include <unistd.h>

// Samples of one that is to be thrown away on a busy machine, and the time that they may take: a launch that takes long is not
// slowed to several times that.
#define CROWDED_SAMPLES 24
#define CROWDED_NS      (100ull * 1000000)

void live_note_crowd(struct live *v, uint32_t own)
{
    uint32_t running =
        v->device.shares_host && !v->surroundings.is_elsewhere ? machine_running() : 0;
    if (running > own && running - own > v->crowd)
        v->crowd = running - own;
}

// Others had cores of the device while it was launched: one disturbance may have slowed all its launches down, and short ones most.
static bool is_crowded(const struct live *v)
{
    const double cores = (double)sysconf(_SC_NPROCESSORS_ONLN);
    const struct measure_rules *rules = &v->o.terms.rules;
    return rules->fixed == 0 && rules->load < 1 && v->crowd > rules->load * cores;
}

// The rules, with a requested count of samples reduced to those that are not known yet.
static struct measure_rules rules_of(const struct live *v, const struct entry *n)
{
    struct measure_rules rules = v->o.terms.rules;
    if (rules.fixed > n->known.samples)
        rules.fixed -= n->known.samples;
    return rules;
}

// No ranking follows in which each launch would be looked at.
static bool is_all_there_is(const struct measure_rules *rules)
{
    return rules->fixed > 0 || rules->unranked;
}

static uint64_t choose_launch(const struct live *v, const struct entry *n)
{
    struct rng rng;
    rng_init(&rng, v->o.terms.seed, n->ticket);
    for (uint32_t i = 0; i < n->result->sample_count; i++) // another one in each request
        rng_u64(&rng);
    return rng_u64(&rng);
}

static void ask_for(struct live *v, struct entry *n, uint32_t more)
{
    const struct measure_rules *rules = &v->o.terms.rules;
    struct policy policy = {
        .batch = measure_batch(rules, n->result->verify_launch_ns, v->device.timer_ns),
        .launch_limit_ns = terms_launch_limit(&v->o.terms, v->limits.best_ns),
        .cold = v->o.terms.cold,
        .fixed = rules->fixed > 0};
    policy.check = is_all_there_is(rules) ? POLICY_CHECK_EACH : POLICY_CHECK_ONE;
    policy.chosen = choose_launch(v, n);
    if (n->result->sample_count > 0)
        policy.batch = n->result->batch; // as those before
    else if (n->known.samples > 0 && n->known.batch > 0)
        policy.batch = n->known.batch;
    if (!policy.fixed) {
        policy.budget_ns = (uint64_t)(1e9 * rules->budget);
        policy.hopeless_ns =
            is_crowded(v) ? 0 : (uint64_t)((double)v->limits.best_ns * rules->hopeless);
    }
    policy.launches = live_in_pieces(n, &policy, more);
    live_request_measure(v, n, &policy);
}

static bool lacks_energy(const struct live *v, const struct result *r)
{
    return v->o.terms.energy && r->energy.microjoules == 0 && r->energy.refused[0] == '\0';
}

// A ranking counts its finalists.
static bool lacks_counters(const struct live *v, const struct result *r)
{
    return v->o.terms.counters && v->o.terms.rules.unranked && !r->counters;
}

// Its answer has no samples; the counting, or why it cannot be done, is in it.
static void ask_for_counts(struct live *v, struct entry *n)
{
    struct policy policy = {.batch = 1,
                            .launch_limit_ns = terms_launch_limit(&v->o.terms, v->limits.best_ns),
                            .cold = v->o.terms.cold,
                            .energy = lacks_energy(v, n->result),
                            .counters = lacks_counters(v, n->result)};
    live_request_measure(v, n, &policy);
}

// The mean of a batch is finer than the timer.
static uint64_t resolution_of(const struct live *v, const struct result *r)
{
    uint64_t resolution = v->device.timer_ns / (r->batch ? r->batch : 1);
    return resolution || !v->device.timer_ns ? resolution : 1;
}

// Is the verified launch as good as a sample? Where a launch is so long that it needs no warming up,
// and the card had launched just before: its clock was up. A ranking measures again what is near.
static bool verified_counts(const struct live *v, const struct entry *n)
{
    return n->is_verified_at_work && !is_all_there_is(&v->o.terms.rules) && !v->o.terms.cold &&
           !v->o.terms.energy && n->known.samples == 0 && n->job->launch_count == 1 &&
           v->device.type == DEVICE_GPU && !result_by_host(n->result) &&
           policy_is_long(&v->device, n->result->verify_launch_ns);
}

// The verified launch is the one sample.
static void take_verified(struct live *v, struct result *r, bool warm)
{
    r->samples_ns = arena_copy(&r->arena, &r->verify_launch_ns, sizeof r->verify_launch_ns);
    r->sample_count = r->samples_ns != NULL;
    r->batch = 1;
    r->warm = warm;
    if (!r->samples_ns)
        live_break(v, ERROR_MEMORY, "out of memory");
}

static bool may_look_again(const struct live *v, const struct result *r)
{
    uint64_t sum = r->verify_launch_ns;
    for (uint32_t i = 0; i < r->sample_count; i++)
        sum += r->samples_ns[i] * (r->batch ? r->batch : 1);
    return !v->cancelled && r->sample_count < CROWDED_SAMPLES && sum < CROWDED_NS;
}

void live_screen(struct live *v, struct entry *n)
{
    static const enum stop_reason stops[] = {[MEASURE_SETTLED] = STOP_SETTLED,
                                             [MEASURE_HOPELESS] = STOP_HOPELESS,
                                             [MEASURE_LIMIT] = STOP_LIMIT,
                                             [MEASURE_FIXED] = STOP_FIXED};
    struct result *r = n->result;
    struct measure_rules rules = rules_of(v, n);
    struct screening screening = {.verify_ns = r->verify_launch_ns,
                                  .samples = r->samples_ns,
                                  .count = r->sample_count,
                                  .resolution_ns = resolution_of(v, r),
                                  .best_ns = v->limits.best_ns,
                                  .best_verify_ns = v->best_verify_ns,
                                  .verified_counts = verified_counts(v, n)};
    uint32_t more = 0;
    r->terms.resolution_ns = screening.resolution_ns;
    enum measure_verdict verdict = measure_next(&rules, &screening, &more);
    if (verdict != MEASURE_MORE && verdict != MEASURE_LIMIT && is_crowded(v) &&
        measure_is_out(&rules, &screening) && may_look_again(v, r)) {
        ask_for(v, n, 1);
        return;
    }
    if (verdict != MEASURE_MORE && r->sample_count == 0)
        take_verified(v, r, verdict != MEASURE_HOPELESS);
    if (verdict == MEASURE_MORE && !(v->cancelled && r->sample_count > 0))
        ask_for(v, n, more);
    else if (!v->cancelled && (lacks_energy(v, r) || lacks_counters(v, r)))
        ask_for_counts(v, n);
    else
        live_bench_finish(v, n, verdict == MEASURE_MORE ? STOP_LIMIT : stops[verdict]);
}
