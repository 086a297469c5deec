// The energy of one launch: launches are repeated back to back while the card's counter runs. The
// counter is renewed every 20 to 100 ms, so it is read at the moments of its renewal, and the run
// is many such periods long.
#include "device/open_device.h"

#include "os/process.h"
#include "base/text.h"

#include <time.h>

#define MS UINT64_C(1000000)

#define SPAN_NS   (500 * MS)  // counted at least
#define STILL_NS  (2000 * MS) // without a renewal: the counter stands still
#define BATCH_NS  (5 * MS)    // of launches between two readings
#define LAUNCH_NS (3000 * MS) // a launch at most

#define BATCH_MOST 4096

struct meter {
    struct device *device;
    struct loaded *loaded;
    struct result *result;
    uint32_t batch;
    uint32_t launches; // since the last renewal that counts
    uint64_t millijoules;
    uint64_t at_ns; // when this was read
};

// ---- what cannot be counted ---------------------------------------------------------------------

static bool refuse_energy(struct result *r, const char *why)
{
    const char *copy = arena_strdup(&r->arena, why);
    r->energy = (struct energy){.refused = copy ? copy : "out of memory"};
    return true;
}

// The first reason against it, or NULL.
static const char *reason_against(struct device *d, const struct policy *p, bool separately)
{
    uint64_t millijoules;
    if (d->info.type == DEVICE_CPU)
        return "nothing counts the energy of a CPU's kernels";
    if (!d->nvml)
        return "there is no " NVML_LIBRARY " that knows the device";
    if (!nvml_energy(d->nvml, &millijoules))
        return NVML_LIBRARY " does not count this device's energy";
    if (nvml_is_divided(d->nvml))
        return "the card is divided (MIG), and its energy is counted as a whole";
    if (p->cold)
        return "caches are cleared between launches, which takes energy too";
    if (separately)
        return "arguments are restored between launches, which takes energy too";
    return NULL;
}

// ---- counting -----------------------------------------------------------------------------------

// Launches until the counter is renewed at `least_ns` from now or later. *moved is false where it
// stood still; the return value is false where a launch failed.
static bool run_to_renewal(struct meter *m, uint64_t least_ns, bool *moved)
{
    uint64_t start = clock_ns(), before = m->millijoules, now = before, total;
    uint64_t renewed_ns = start;
    *moved = true;
    do {
        if (!run_job(m->device, m->loaded, m->batch, &total, NULL, m->result))
            return false;
        m->launches += m->batch;
        m->at_ns = clock_ns();
        if (!nvml_energy(m->device->nvml, &now))
            now = before; // no answer is no renewal
        if (now != before)
            renewed_ns = m->at_ns;
        else if (m->at_ns - renewed_ns > STILL_NS)
            *moved = false;
        m->millijoules = now;
        if (now != before && m->at_ns - start >= least_ns)
            return true;
        before = now;
    } while (*moved);
    return true;
}

static uint32_t batch_for(uint64_t launch_ns)
{
    uint64_t batch = launch_ns ? BATCH_NS / launch_ns : BATCH_MOST;
    return batch < 1 ? 1 : batch > BATCH_MOST ? BATCH_MOST : (uint32_t)batch;
}

static bool count(struct meter *m)
{
    bool moved;
    if (!run_to_renewal(m, 0, &moved))
        return false;
    uint64_t first_mj = m->millijoules, first_ns = m->at_ns;
    struct timespec t = {0, 0};
    clock_gettime(CLOCK_REALTIME, &t);
    uint64_t first_us = (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
    m->launches = 0;
    if (moved && !run_to_renewal(m, SPAN_NS, &moved))
        return false;
    if (!moved)
        return refuse_energy(m->result, "the card's counter stood still for 2 s of launches");
    if (nvml_users(m->device->nvml, first_us) > 1)
        return refuse_energy(m->result, "another process used the card meanwhile");
    m->result->energy = (struct energy){
        .microjoules = (m->millijoules - first_mj) * 1000 / m->launches,
        .span_ns = m->at_ns - first_ns,
        .launches = m->launches,
        .refused = "",
    };
    return true;
}

// The time of everything, told as launches of the limit's length.
static uint32_t launches_to_come(const struct policy *p)
{
    uint64_t limit = p->launch_limit_ns;
    uint64_t launches = 4 + (limit ? (SPAN_NS + 2 * STILL_NS) / limit : 0);
    return launches < UINT32_MAX ? (uint32_t)launches : UINT32_MAX;
}

bool energy_count(struct device *d, struct loaded *l, const struct policy *p, bool separately,
                  struct result *r)
{
    char took[32], why[128];
    uint64_t launch_ns = 0;
    const char *against = reason_against(d, p, separately);
    if (against)
        return refuse_energy(r, against);
    device_phase_begin(d, PHASE_LAUNCHING, launches_to_come(p), !l->primed && !l->launched);
    if (!run_job(d, l, 1, &launch_ns, NULL, r))
        return false;
    if (launch_ns > LAUNCH_NS) {
        duration_to_str((double)launch_ns, took);
        str_format(why, sizeof why, "one launch takes %s, too long to be repeated", took);
        return refuse_energy(r, why);
    }
    struct meter m = {.device = d, .loaded = l, .result = r, .batch = batch_for(launch_ns)};
    nvml_energy(d->nvml, &m.millijoules);
    d->metering = true;
    bool ok = count(&m);
    d->metering = false;
    return ok;
}
