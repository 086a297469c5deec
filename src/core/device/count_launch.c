// Counting what one launch does, by the device: launches are repeated until every counter had its pass. A reason against it is no
// failure, and stands in the result.
#include "device/open_device.h"

#include <math.h>

#define PASSES_MOST 64 // that a backend may want, for the time limit
#define TIMED       3  // launches before, whose shortest is the time of one that is not counted

struct repeated {
    struct device *device;
    struct loaded *loaded;
    struct result *result;
    uint64_t launch_ns; // of the last one
    bool failed;
};

static bool restore_counted(void *context)
{
    struct repeated *s = context;
    struct error e = ERROR_INIT;
    s->failed = !buffers_restore(s->device, s->loaded, true, &e);
    return !s->failed || run_lost(s->device, &e, s->result);
}

static bool launch_counted(void *context)
{
    struct repeated *s = context;
    s->failed = !run_job(s->device, s->loaded, 1, &s->launch_ns, NULL, s->result);
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
               "variant of the kernel is counted "
               "(--language cuda)";
    return "this device has no counters; NVIDIA's cards have, in CUDA";
}

// The launches before leave the caches as each counted one finds them.
static bool time_uncounted(struct repeated *s, struct counters *c)
{
    for (uint32_t i = 0; i < TIMED; i++) {
        if (!restore_counted(s) || !launch_counted(s))
            return false;
        c->values[COUNTER_launch_ns] = fmin(c->values[COUNTER_launch_ns], (double)s->launch_ns);
    }
    return true;
}

// Counting begins before the launch and ends after it: of a short one shares of that whole time say little.
static void relate_to_launch(struct counters *c)
{
    static const enum counter of_elapsed[] = {
#define X(name) COUNTER_##name,
        COUNTERS_OF_ELAPSED(X)
#undef X
    };
    double longer = c->values[COUNTER_counted_ns] / c->values[COUNTER_launch_ns];
    if (!(longer > 1))
        return;
    for (size_t i = 0; i < sizeof of_elapsed / sizeof *of_elapsed; i++) {
        double *value = &c->values[of_elapsed[i]];
        *value = isnan(*value) ? NAN : fmin(100, *value * longer);
    }
    c->values[COUNTER_elapsed_cycles] =
        fmax(c->values[COUNTER_elapsed_cycles] / longer, c->values[COUNTER_active_cycles]);
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
    bool ok = against || time_uncounted(&s, c);
    d->metering = true; // nothing but its launches runs
    if (ok && !against && !d->backend->count(d->own, &launches, c, &r->arena, &e))
        against = arena_strdup(&r->arena, e.text);
    d->metering = false;
    relate_to_launch(c);
    c->refused = against ? against : "";
    return !s.failed;
}
