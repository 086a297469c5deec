// Which clock times launches. It is the device's, by the events of its driver, as long as what they
// say can be: no event ends before it began, no run takes longer than the host waited for it, and
// one for which the host waited long did not take a small part of that. Where it cannot be, the
// host's clock around a batch takes over, for this device for good, and each result says so.
//
// That a time is too short is not concluded from one launch: the host waits for more than the
// launch. Of a batch the device's time has the gaps too, so it must come near the host's as the
// batch grows.
#include "device/open_device.h"

#include "base/text.h"

typedef unsigned long long ull;

#define LONG_NS     (UINT64_C(20) * 1000000) // a run that lasts as long should be seen by both clocks
#define SURE_NS     (UINT64_C(200) * 1000000) // how long a run that decides is: a busy host wakes late
#define FINE_NS     200
#define SHARE       3    // of the host's time: less than a third is too little
#define SINGLE_MOST 8    // runs in a row that are far off, where they cannot be made longer
#define FAR_MOST    3    // such runs in a row are reason to look longer
#define SURE_RUNS   3    // long ones, all of which must be far off
#define TRUST       256u // runs after a look before a short time alone is reason for the next
#define BATCH_MOST  65536
#define SLACK_NS    UINT64_C(1000000)

static void condemn(struct device *d, const char *why)
{
    const char *kept = arena_strdup(&d->arena, why);
    d->info.timer_fault = kept ? kept : "no memory was left to say why";
    d->info.timer_ns = HOST_CLOCK_NS;
}

static bool is_too_long(const struct device *d, const struct run_times *t)
{
    return t->total_ns > t->host_ns + t->host_ns / 4 + SLACK_NS + 2 * d->info.timer_ns;
}

// Nothing that a device runs is over within a step of a clock that is so fine.
static bool is_nothing(const struct device *d, const struct run_times *t)
{
    return t->total_ns == 0 && d->info.timer_ns <= FINE_NS;
}

static bool is_too_short(const struct run_times *t)
{
    return t->host_ns >= LONG_NS && t->total_ns < t->host_ns / SHARE;
}

static void condemn_for(struct device *d, const struct run_times *t, uint32_t batch)
{
    char why[160], device[32], host[32];
    duration_to_str((double)t->total_ns, device);
    duration_to_str((double)t->host_ns, host);
    str_format(why, sizeof why,
               "its events say %s for %u launch%s that took %s by the host's clock", device, batch,
               batch == 1 ? "" : "es", host);
    condemn(d, why);
}

static bool run_again(struct device *d, struct loaded *l, const struct run *run,
                      struct run_times *t, struct result *r)
{
    t->total_ns = t->host_ns = 0;
    t->fault[0] = '\0';
    return l->routine ? d->backend->routine_run(d->own, l->routine, run, t, &d->lost, r)
                      : d->backend->run(d->own, run, t, &d->lost, r);
}

// Longer and longer batches, until they last long enough to tell.
static bool look_longer(struct device *d, struct loaded *l, const struct run *asked,
                        struct result *r)
{
    struct run run = *asked;
    struct run_times t = {.total_ns = 0};
    uint32_t sure = 0;
    run.watch = NULL;
    run.batch = run.batch < 2 ? 2 : run.batch;
    while (sure < SURE_RUNS) {
        device_phase_begin(d, PHASE_LAUNCHING, run.batch, false);
        if (!run_again(d, l, &run, &t, r))
            return false;
        if (*t.fault || is_too_long(d, &t))
            break;
        if (t.host_ns < SURE_NS && run.batch < BATCH_MOST) {
            run.batch *= 2;
            continue;
        }
        if (!is_too_short(&t))
            return true;
        sure++;
    }
    if (*t.fault)
        condemn(d, t.fault);
    else
        condemn_for(d, &t, run.batch);
    return true;
}

// More and more rarely, as short times prove to be right: on a busy machine the host waits long for
// nothing.
static bool look_if_doubtful(struct device *d, struct loaded *l, const struct run *run,
                             const struct run_times *t, struct result *r)
{
    bool is_zero = t->total_ns == 0 && run->batch > 1;
    if (t->host_ns >= LONG_NS) // shorter ones say nothing
        d->far_in_a_row = is_too_short(t) ? d->far_in_a_row + 1 : 0;
    d->trust -= d->trust > 0;
    if (d->trust > 0 || (!is_zero && d->far_in_a_row < FAR_MOST))
        return true;
    d->far_in_a_row = 0;
    d->trusted = d->trusted ? 2 * d->trusted : TRUST;
    d->trust = d->trusted;
    return look_longer(d, l, run, r);
}

// Judges the times of a run; in a kernel's first launch they may include the compiler's.
static bool judge(struct device *d, struct loaded *l, const struct run *run, bool first,
                  const struct run_times *t, struct result *r)
{
    if (*t->fault)
        condemn(d, t->fault);
    else if (is_too_long(d, t) || is_nothing(d, t))
        condemn_for(d, t, run->batch);
    else if (!first && !run->meanwhile && !d->comparing && !loaded_counts_launches(l))
        return look_if_doubtful(d, l, run, t, r);
    else if (!first && !run->meanwhile) {
        d->far_in_a_row = is_too_short(t) ? d->far_in_a_row + 1 : 0;
        if (d->far_in_a_row >= SINGLE_MOST)
            condemn_for(d, t, run->batch);
    }
    return true;
}

bool timer_is_hosts(const struct device *d)
{
    return d->info.timer_fault && *d->info.timer_fault;
}

void timer_give_up(struct device *d, const char *why)
{
    if (!timer_is_hosts(d))
        condemn(d, why);
}

bool timer_take(struct device *d, struct loaded *l, const struct run *run, bool first,
                const struct run_times *t, uint64_t *total_ns, struct result *r)
{
    bool says_itself = language_traits(d->backend->language)->is_command; // how long it took
    if (!timer_is_hosts(d) && !says_itself && !judge(d, l, run, first, t, r))
        return false;
    uint64_t each = t->host_ns / run->batch;
    if (!first && (l->host_ns == 0 || each < l->host_ns))
        l->host_ns = each ? each : 1;
    if (timer_is_hosts(d)) {
        *total_ns = t->host_ns ? t->host_ns : 1;
        for (uint32_t i = 0; t->parts_ns && i < run->count; i++)
            t->parts_ns[i] = 0; // nobody saw where one ended
        r->timer_fault = arena_strdup(&r->arena, d->info.timer_fault);
        return r->timer_fault || result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
    }
    // Less than a tick of its clock, which is not no time.
    uint64_t tick = t->host_ns < d->info.timer_ns ? t->host_ns : d->info.timer_ns;
    *total_ns = t->total_ns ? t->total_ns : tick + (tick == 0);
    return true;
}

// ---- how large batches are

#define SAMPLE_LEAST_NS                                                                            \
    (UINT64_C(2) * 1000000)                 // by the host's clock: what surrounds it is then small
#define SAMPLE_MOST_NS UINT64_C(1000000000) // by whatever clock

uint32_t timer_batch(const struct device *d, const struct loaded *l, uint32_t asked)
{
    uint64_t each = l->host_ns ? l->host_ns : 1, most = SAMPLE_MOST_NS / each;
    uint64_t batch = asked ? asked : 1;
    if (l->host_ns && timer_is_hosts(d) && batch == 1 && each < SAMPLE_LEAST_NS)
        batch = (SAMPLE_LEAST_NS + each - 1) / each;
    if (l->host_ns && batch > most)
        batch = most ? most : 1;
    return (uint32_t)batch;
}
