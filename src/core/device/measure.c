// Timed launches. Device times only; what is done between launches is over before one begins.
#include "device/open_device.h"

#include "os/process.h"
#include "device/parallel.h"

#include <pthread.h>

// Twice the largest last-level cache of a GPU today; and of a CPU that does not tell.
#define FLUSH_LEAST     (UINT64_C(256) << 20)
#define FLUSH_LEAST_CPU (UINT64_C(64) << 20)
#define CACHE_LINE      64
#define BATCH_UNTRIED   1000 // launches that are made without knowing how long one takes

struct session {
    struct device *device;
    struct loaded *loaded;
    const struct policy *policy;
    struct result *result;
    uint32_t batch;              // launches of a sample
    uint32_t columns;            // kernels, when there are several
    uint64_t *parts_ns;          // of one launch
    uint32_t slow_in_a_row;      // launches beyond hopeless_ns
    uint64_t sum_ns;             // of all timed launches
    uint32_t block;              // of those, how many are launched at once
    struct reference *reference; // outputs are compared with it (optional)
    uint64_t launches;           // of this request so far
    uint64_t chosen;             // CHECK_ONE: the one of them that is looked at
};

// ---- cold caches

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// Twice the last-level caches. OpenCL tells of the first level only on some GPUs.
static uint64_t flush_bytes(const struct device *d)
{
    uint64_t known = 2 * larger(d->info.cache_bytes, d->machine.cache_bytes);
    if (d->info.type == DEVICE_CPU)
        return known ? known : FLUSH_LEAST_CPU;
    return larger(known, FLUSH_LEAST);
}

struct sweep {
    uint8_t *data;
    cpu_set_t cpus; // those to sweep on, one a part
};

static void move_to_core(const cpu_set_t *cpus, unsigned nth)
{
    cpu_set_t one;
    unsigned left = nth % (unsigned)CPU_COUNT(cpus), cpu = 0;
    while (!CPU_ISSET(cpu, cpus) || left-- > 0)
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    pthread_setaffinity_np(pthread_self(), sizeof one, &one); // where it may not: anywhere
}

// Reads and writes a word of each line. memset() would not do: beyond some length it writes past
// the caches.
static void sweep_range(void *context, struct range r)
{
    struct sweep *s = context;
    move_to_core(&s->cpus, r.part);
    for (uint64_t i = r.first; i < r.end; i += CACHE_LINE)
        ++*(volatile uint8_t *)&s->data[i];
}

// Each core has private caches as well: every one sweeps a share that is larger than those.
static bool sweep_caches(struct device *d, struct error *e)
{
    void *copy = NULL;
    struct sweep s = {.data = (uint8_t *)memory_look(d, &d->flusher, &copy, e)};
    if (!s.data || pthread_getaffinity_np(pthread_self(), sizeof s.cpus, &s.cpus) != 0 ||
        CPU_COUNT(&s.cpus) == 0)
        return s.data != NULL;
    parallel_run(d->flusher.bytes, (unsigned)CPU_COUNT(&s.cpus), 4096, sweep_range, &s);
    pthread_setaffinity_np(pthread_self(), sizeof s.cpus, &s.cpus);
    return true;
}

static bool flush_caches(struct device *d, struct error *e)
{
    if (!d->flusher.view && !memory_new(d, &d->flusher, flush_bytes(d), ACCESS_BOTH, e))
        return false;
    return d->flusher.host ? sweep_caches(d, e) : memory_fill(d, &d->flusher, 0, e);
}

// ---- samples

// Restores or poisons the buffers that launches write: a kernel that finds its result there, and
// returns, must gain nothing.
static bool freshen(struct session *s, uint32_t slots)
{
    struct error e = ERROR_INIT;
    return buffers_freshen(s->device, s->loaded, slots, &e) ||
           run_unstarted(s->device, &e, s->result);
}

static bool cool(struct session *s)
{
    struct error e = ERROR_INIT;
    return !s->policy->cold || flush_caches(s->device, &e) ||
           run_unstarted(s->device, &e, s->result);
}

static bool is_looked_at(const struct session *s, uint64_t launch)
{
    return s->policy->check == POLICY_CHECK_EACH || launch == s->chosen;
}

// Checks the outputs of the last block. Slots are the launches of the block, in order.
static bool look_at_block(struct session *s, uint32_t block)
{
    bool ok = true;
    for (uint32_t i = 0; ok && s->reference && i < block; i++)
        ok = !is_looked_at(s, s->launches + i) ||
             outputs_check(s->device, s->loaded, s->reference, block > 1 ? i : 0,
                           s->loaded->timed + i + 1, s->result);
    s->launches += block;
    s->loaded->timed += block;
    return ok;
}

static bool launch_block(struct session *s, uint32_t block, uint64_t *total_ns)
{
    bool looks = s->chosen >= s->launches && s->chosen < s->launches + block;
    // Launches by which the clock is judged would be looked at in place of the timed ones.
    s->device->comparing = s->reference && (looks || s->policy->check == POLICY_CHECK_EACH);
    return freshen(s, block) && cool(s) &&
           run_job(s->device, s->loaded, block, total_ns, s->columns ? s->parts_ns : NULL,
                   s->result) &&
           look_at_block(s, block);
}

// One sample: the mean of a batch. Parts add up likewise.
static bool take_sample(struct session *s, uint64_t *sample_ns, uint64_t *row)
{
    uint32_t batch = s->batch ? s->batch : 1, block;
    uint64_t sum = 0, total;
    uint64_t untimed;
    for (uint32_t i = 0; i < s->policy->warmups; i++) {
        if (!freshen(s, 1) || !run_job(s->device, s->loaded, 1, &untimed, NULL, s->result))
            return false;
    }

    for (uint32_t done = 0; done < batch; done += block) {
        block = batch - done < s->block ? batch - done : s->block;
        if (!launch_block(s, block, &total))
            return false;
        sum += total;
        for (uint32_t k = 0; k < s->columns; k++)
            row[k] += s->parts_ns[k];
    }
    for (uint32_t k = 0; k < s->columns; k++)
        row[k] /= batch;
    s->sum_ns += sum;
    *sample_ns = sum / batch;
    return true;
}

// One slow launch may be the machine's doing, two in a row are the configuration's.
static bool is_hopeless(struct session *s, uint64_t sample_ns)
{
    bool is_slow = s->policy->hopeless_ns && sample_ns > s->policy->hopeless_ns;
    s->slow_in_a_row = is_slow ? s->slow_in_a_row + 1 : 0;
    return s->slow_in_a_row >= 2;
}

// NONE: go on.
static enum stop_reason stop_after(struct session *s, uint64_t sample_ns)
{
    const struct policy *p = s->policy;
    bool all = s->result->sample_count == p->launches;
    if (p->fixed)
        return all ? STOP_FIXED : STOP_NONE;
    if (is_hopeless(s, sample_ns))
        return STOP_HOPELESS;
    if (all)
        return STOP_SETTLED;
    return p->budget_ns && s->sum_ns >= p->budget_ns ? STOP_LIMIT : STOP_NONE;
}

static bool allocate_samples(struct session *s)
{
    struct result *r = s->result;
    uint32_t launches = s->policy->launches;
    uint32_t count = s->loaded->job->launch_count;
    s->columns = count > 1 && count <= LAUNCHES_TOLD ? count : 0;
    r->samples_ns = arena_array(&r->arena, launches + 1, sizeof *r->samples_ns);
    r->parts_ns = arena_array(&r->arena, (size_t)launches * s->columns + 1, sizeof *r->parts_ns);
    s->parts_ns = arena_array(&r->arena, s->columns + 1, sizeof *s->parts_ns);
    r->part_columns = s->columns;
    r->sample_count = r->part_count = 0;
    r->stop = STOP_NONE;
    r->batch = s->policy->batch ? s->policy->batch : 1;
    r->warmups = s->policy->warmups;
    if (r->samples_ns && r->parts_ns && s->parts_ns)
        return true;
    return result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
}

// How long a launch takes is known after the second; where batches depend on it, that comes first.
static bool choose_batch(struct session *s)
{
    uint64_t untimed;
    bool matters = s->policy->batch > 1 || timer_is_hosts(s->device);
    if (loaded_counts_launches(s->loaded) && s->policy->batch <= BATCH_UNTRIED)
        matters = false; // it would leave something else
    if (s->policy->launches > 0 && matters && !s->loaded->host_ns) {
        bool first = !s->loaded->launched;
        for (int i = 0; i < 1 + first; i++) {
            if (!freshen(s, 1) || !run_job(s->device, s->loaded, 1, &untimed, NULL, s->result))
                return false;
        }
    }
    s->result->batch = s->batch = timer_batch(s->device, s->loaded, s->policy->batch);
    s->block = s->policy->cold ? 1 : buffers_slots(s->device, s->loaded, s->batch);
    uint64_t all = (uint64_t)s->batch * s->policy->launches;
    s->chosen = all ? s->policy->chosen % all : 0;
    return true;
}

static bool take_samples(struct session *s)
{
    struct result *r = s->result;
    if (!choose_batch(s))
        return false;
    bool by_host = timer_is_hosts(s->device);
    if (by_host)
        s->columns = r->part_columns = 0; // the host sees no kernel end but the last
    while (r->sample_count < s->policy->launches && r->stop == STOP_NONE) {
        uint64_t *row = r->parts_ns + (size_t)r->sample_count * s->columns;
        uint64_t *sample = &r->samples_ns[r->sample_count];
        if (!take_sample(s, sample, row))
            return false;
        if (by_host != timer_is_hosts(s->device)) {
            by_host = true;
            // Samples by another clock cannot stand beside those by this one.
            r->sample_count = r->part_count = 0;
            r->stop = STOP_NONE;
            s->sum_ns = s->slow_in_a_row = 0;
            s->columns = r->part_columns = 0;
            if (!choose_batch(s))
                return false;
            continue;
        }
        if (!s->policy->inputs)
            s->loaded->usual_ns = *sample;
        r->sample_count++;
        r->part_count += s->columns;
        r->stop = stop_after(s, *sample);
    }
    return true;
}

// ---- what the card says

// Around the timed launches; where a snapshot is not due yet, the last one answers.
struct around {
    bool now;
    struct nvml_snapshot before;
};

// The card still has the clock of the last launch: it falls some milliseconds later.
static void look_after(struct session *s, const struct around *a)
{
    struct nvml_snapshot after;
    struct nvml *nvml = s->device->nvml;
    struct result *r = s->result;
    machine_take(&s->device->machine, &r->machine);
    if (!nvml_snapshot(nvml, a->now || nvml_due(nvml), &after))
        return;
    r->gpu = (struct gpu_snapshot){.known = true,
                                   .mhz_before = a->before.mhz,
                                   .mhz_after = after.mhz,
                                   .memory_mhz = after.memory_mhz,
                                   .milliwatts = after.milliwatts,
                                   .celsius = after.celsius,
                                   .slowed = a->before.slowed | after.slowed};
    r->machine.mhz = after.mhz;
}

// ---- a request

// Do several launches leave the contents that one leaves? Not in a buffer that is kept in between.
static bool is_comparable(const struct job *j)
{
    bool comparable = j->reference.kind != REFERENCE_NONE;
    for (uint32_t i = 0; comparable && i < j->buffer_count; i++)
        comparable =
            buffer_restores(&j->buffers[i], true) == buffer_restores(&j->buffers[i], false);
    return comparable;
}

static bool set_up(struct session *s)
{
    struct error e = ERROR_INIT;
    struct device *d = s->device;
    // The first touch of a buffer as large as the caches takes long, and is not part of a launch.
    bool flushes = s->policy->cold && !d->flusher.view;
    if (s->policy->inputs || flushes) // all inputs are made anew
        device_phase_begin(d, PHASE_INPUTS, 0, false);
    bool ok = (!flushes || flush_caches(d, &e)) && buffers_make(d, s->loaded, &e) &&
              buffers_restore(d, s->loaded, false, &e);
    return ok || run_unstarted(d, &e, s->result);
}

// Where that of other inputs cannot be made the launches are on the job's own, which is told.
static bool choose_reference(struct session *s)
{
    struct device *d = s->device;
    struct loaded *l = s->loaded;
    bool others = s->policy->inputs && !job_inputs_stay(l->job);
    // Another process has the reference, and the tuner says whether inputs may change.
    if (s->policy->check == POLICY_CHECK_APART) {
        d->inputs = s->policy->inputs;
        return true;
    }
    struct result *r = s->result, *why = others ? result_new() : NULL;
    if (s->policy->check == POLICY_CHECK_NONE || !is_comparable(l->job)) {
        result_free(why);
        return true;
    }
    if (why && !inputs_change(d, l, s->policy->inputs, &s->reference, why)) {
        d->inputs = 0;
        r->log = arena_printf(&r->arena, "%s%s", POLICY_INPUTS_SKIPPED, why->message);
    }
    if (!s->reference)
        s->reference = reference_of(d, l->job, &l->recipe, r);
    result_free(why);
    return s->reference && reference_prove(d, l, s->reference, r);
}

static uint32_t launches_to_come(const struct policy *p)
{
    uint64_t each = (uint64_t)(p->batch ? p->batch : 1) + p->warmups;
    uint64_t all = each * p->launches;
    return all < UINT32_MAX ? (uint32_t)all : UINT32_MAX;
}

static bool measure(struct session *s)
{
    const struct policy *p = s->policy;
    struct around around;
    if (p->host_clock)
        timer_give_up(s->device, "it was found wrong earlier in this run");
    bool compiles = !s->loaded->primed && !s->loaded->launched;
    // Before anything is launched: making it may take the memory of the outputs.
    if (!choose_reference(s))
        return false;
    if (!set_up(s))
        return false;
    if (p->launches > 0 && !spin_up(s->device, s->loaded, p, s->result))
        return false;
    around.now = nvml_due(s->device->nvml);
    nvml_snapshot(s->device->nvml, around.now, &around.before);
    device_phase_begin(s->device, PHASE_LAUNCHING, launches_to_come(p), compiles);
    if (!take_samples(s))
        return false;
    if (p->launches > 0)
        look_after(s, &around);
    if (p->energy &&
        !energy_count(s->device, s->loaded, p, loaded_restores(s->loaded) || p->cold, s->result))
        return false;
    if (p->counters && !count_launch(s->device, s->loaded, s->result))
        return false;
    if (s->device->inputs && s->result->sample_count > 0 &&
        !inputs_are_looked_at(s->device, s->loaded, s->result->samples_ns[0], s->result))
        return false;
    // A kernel may behave while it is verified and not later; it must not hurt the next job.
    return run_left_intact(s->device, s->loaded, s->result);
}

bool device_measure(struct device *d, struct loaded *l, const struct policy *p, struct result *r)
{
    struct session s = {.device = d, .loaded = l, .policy = p, .result = r};
    uint64_t start = clock_ns();
    r->warm = !p->cold;
    bool ok = device_usable(d, r) && allocate_samples(&s) && measure(&s);
    d->comparing = false;
    if (p->inputs)
        l->summed = false; // of outputs that its own inputs do not give
    d->inputs = 0;
    r->measure_ns = clock_ns() - start;
    device_phase_begin(d, PHASE_IDLE, 0, false);
    return ok;
}
