// Counting what one launch does, by the device: launches are repeated until every counter had its pass. A reason against it is no
// failure, and stands in the result.
#include "device/open_device.h"

#define PASSES_MOST 64 // that a backend may want, for the time limit

struct repeated {
    struct device *device;
    struct loaded *loaded;
    struct result *result;
    bool failed;
};

static bool restore_counted(void *context)
{
    struct repeated *s = context;
    struct error e = ERROR_INIT;
    s->failed = !buffers_restore(s->device, s->loaded, true, &e);
    return !s->failed || run_unstarted(s->device, &e, s->result);
}

static bool launch_counted(void *context)
{
    struct repeated *s = context;
    uint64_t total_ns;
    s->failed = !run_job(s->device, s->loaded, 1, &total_ns, NULL, s->result);
    return !s->failed;
}

static const char *reason_against_counting(const struct device *d, const struct loaded *l)
{
    if (l->routine || l->cblas)
        return "a vendor's routine is not counted: its kernels are its own";
    if (d->backend->count)
        return NULL;
    if (d->info.type == DEVICE_GPU)
        return "no driver offers the counters of an OpenCL device; on NVIDIA's cards a CUDA "
               "variant of the kernel is counted (--language cuda)";
    return "this device has no counters; NVIDIA's cards have, in CUDA";
}

bool count_launch(struct device *d, struct loaded *l, struct result *r)
{
    struct error e = ERROR_INIT;
    struct repeated s = {.device = d, .loaded = l, .result = r};
    const struct counting launches = {restore_counted, launch_counted, l->job->launch_count, &s};
    const char *against = reason_against_counting(d, l);
    struct counters *c = r->counters = counters_new(&r->arena);
    if (!c)
        return result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
    device_phase_begin(d, PHASE_LAUNCHING, PASSES_MOST, !l->primed && !l->launched);
    d->metering = true; // nothing but its launches runs
    // The first one leaves the caches as each other finds them.
    bool ok = against || (restore_counted(&s) && launch_counted(&s));
    if (ok && !against && !d->backend->count(d->own, &launches, c, &r->arena, &e))
        against = arena_strdup(&r->arena, e.text);
    d->metering = false;
    c->refused = against ? against : "";
    return !s.failed;
}
