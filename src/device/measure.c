// Timed launches. Device times only; what is done between launches is over before one begins.
#include "device/open_device.h"

#include "base/process.h"

#include <stdlib.h>

// Twice the largest last-level cache of a GPU today.
#define FLUSH_LEAST (UINT64_C(256) << 20)

struct session {
    struct device *device;
    struct loaded *loaded;
    const struct policy *policy;
    struct result *result;
    uint32_t columns;       // kernels, when there are several
    uint64_t *parts_ns;     // of one launch
    uint32_t slow_in_a_row; // launches beyond hopeless_ns
    uint64_t sum_ns;        // of all timed launches
    bool separately;        // batches are launched one by one, with restores between
};

// Read-write arguments start every launch from the same contents, also within a batch.
static bool restores_anything(const struct loaded *l)
{
    for (uint32_t i = 0; i < l->job->buffer_count; i++) {
        if (buffer_restores(&l->job->buffers[i], true))
            return true;
    }
    return false;
}

// Streams through twice the last-level cache. OpenCL tells of the first level only on some GPUs.
static bool flush_caches(struct device *d, struct error *e)
{
    uint64_t bytes = 2 * d->info.cache_bytes;
    if (d->info.type != DEVICE_CPU && bytes < FLUSH_LEAST)
        bytes = FLUSH_LEAST;
    if (!d->flusher.view && !memory_new(d, &d->flusher, bytes, ACCESS_BOTH, e))
        return false;
    return memory_fill(d, &d->flusher, 0, e);
}

static bool before_launch(struct session *s)
{
    struct error e = ERROR_INIT;
    bool ok = buffers_restore(s->device, s->loaded, true, &e);
    ok = ok && (!s->policy->cold || flush_caches(s->device, &e));
    return ok || run_lost(s->device, &e, s->result);
}

static bool launch_once(struct session *s, uint32_t batch, uint64_t *total_ns)
{
    return before_launch(s) && run_job(s->device, s->loaded, batch, total_ns,
                                       s->columns ? s->parts_ns : NULL, s->result);
}

// One sample: the mean of a batch. Parts add up likewise.
static bool take_sample(struct session *s, uint64_t *sample_ns, uint64_t *row)
{
    uint32_t batch = s->policy->batch ? s->policy->batch : 1;
    uint32_t rounds = s->separately ? batch : 1;
    uint64_t sum = 0, total;
    for (uint32_t i = 0; i < rounds; i++) {
        if (!launch_once(s, batch / rounds, &total))
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
    s->columns = s->loaded->job->launch_count > 1 ? s->loaded->job->launch_count : 0;
    r->samples_ns = arena_array(&r->arena, launches + 1, sizeof *r->samples_ns);
    r->parts_ns = arena_array(&r->arena, (size_t)launches * s->columns + 1, sizeof *r->parts_ns);
    s->parts_ns = arena_array(&r->arena, s->columns + 1, sizeof *s->parts_ns);
    r->part_columns = s->columns;
    r->sample_count = r->part_count = 0;
    r->stop = STOP_NONE;
    r->batch = s->policy->batch ? s->policy->batch : 1;
    if (r->samples_ns && r->parts_ns && s->parts_ns)
        return true;
    return result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
}

static bool take_samples(struct session *s)
{
    struct result *r = s->result;
    while (r->sample_count < s->policy->launches && r->stop == STOP_NONE) {
        uint64_t *row = r->parts_ns + (size_t)r->sample_count * s->columns;
        uint64_t *sample = &r->samples_ns[r->sample_count];
        if (!take_sample(s, sample, row))
            return false;
        r->sample_count++;
        r->part_count += s->columns;
        r->stop = stop_after(s, *sample);
    }
    return true;
}

static bool measure(struct session *s)
{
    struct error e = ERROR_INIT;
    const struct policy *p = s->policy;
    bool compiles = !s->loaded->primed && !s->loaded->launched;
    s->separately = restores_anything(s->loaded) || p->cold;
    if (!buffers_make(s->device, s->loaded, &e) ||
        !buffers_restore(s->device, s->loaded, false, &e))
        return result_fail(s->result, STATUS_RUNTIME, FAULT_DEVICE, "%s", e.text);
    device_phase_begin(s->device, DEVICE_LAUNCHING, p->launches * (p->batch ? p->batch : 1),
                       compiles);
    // A kernel may behave while it is verified and not later; it must not hurt the next job.
    return take_samples(s) && run_left_intact(s->device, s->loaded, s->result);
}

bool device_measure(struct device *d, struct loaded *l, const struct policy *p, struct result *r)
{
    struct session s = {.device = d, .loaded = l, .policy = p, .result = r};
    uint64_t start = clock_ns();
    r->warm = !p->cold;
    bool ok = device_usable(d, r) && allocate_samples(&s) && measure(&s);
    r->measure_ns = clock_ns() - start;
    device_phase_begin(d, DEVICE_IDLE, 0, false);
    return ok;
}
