// A card that had nothing to do runs at a low clock, and takes some milliseconds of work to raise
// it: an H200 rests at 345 MHz. What is timed meanwhile says nothing of the kernel.
#include "device/open_device.h"

#include "os/process.h"

#define SPIN_NS       (UINT64_C(50) * 1000000)
#define SPIN_BATCH_NS (UINT64_C(1) * 1000000) // launched between two snapshots
#define BATCH_MOST    1024
// A clock is low if it is below this share of the highest clock.
#define LOW_SHARE 0.9

// The launch limit, which the tuner sets, holds for the spinning too.
static uint64_t time_of(const struct policy *p)
{
    return p->launch_limit_ns && p->launch_limit_ns < SPIN_NS ? p->launch_limit_ns : SPIN_NS;
}

// Low, and nothing but want of work keeps it there. What earlier spinning could not raise is as
// high as it gets: somebody may have locked the clocks.
static bool is_low(const struct device *d, const struct nvml_snapshot *snapshot)
{
    double least = LOW_SHARE * nvml_most_mhz(d->nvml);
    if (d->spun_mhz)
        least = LOW_SHARE * d->spun_mhz;
    return snapshot->mhz > 0 && snapshot->mhz < least && (snapshot->idle || !snapshot->slowed);
}

static bool spin(struct device *d, struct loaded *l, uint64_t until, struct result *r)
{
    struct error e = ERROR_INIT;
    struct nvml_snapshot snapshot;
    bool single = loaded_restores(l);
    uint32_t batch = 1;
    uint64_t total;
    do {
        if (!buffers_restore(d, l, true, &e))
            return run_unstarted(d, &e, r);
        if (!run_job(d, l, batch, &total, NULL, r))
            return false;
        if (!single && total < SPIN_BATCH_NS && batch < BATCH_MOST)
            batch *= 2;
        nvml_snapshot(d->nvml, true, &snapshot);
    } while (is_low(d, &snapshot) && clock_ns() < until);
    if (is_low(d, &snapshot))
        d->spun_mhz = snapshot.mhz;
    return true;
}

bool spin_up(struct device *d, struct loaded *l, const struct policy *p, struct result *r)
{
    struct nvml_snapshot snapshot;
    bool compiles = !l->primed && !l->launched;
    if (!nvml_snapshot(d->nvml, nvml_due(d->nvml), &snapshot) || !is_low(d, &snapshot))
        return true;
    // All of it and one launch more stay within twice the limit of a launch.
    device_phase_begin(d, PHASE_LAUNCHING, 2, compiles);
    return spin(d, l, clock_ns() + time_of(p), r);
}
