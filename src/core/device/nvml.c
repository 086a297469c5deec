// NVML opened at run time: the card is found by PCI address or UUID, and each function that this
// version of the library lacks leaves its part of a snapshot unknown.
#include "device/nvml.h"

#include "device/routine.h"
#include "os/process.h"
#include "base/text.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

// ---- the library --------------------------------------------------------------------------------

// The few declarations that are needed, as the interface has had them since its version 2: its
// header is not on every machine that builds hone.
typedef int nvml_code; // 0: success
typedef struct nvml_device *nvml_device;

enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2 };
enum { NVML_TEMPERATURE_GPU = 0 };

// Clocks event reasons ("throttle reasons" before driver 535), a set.
enum {
    REASON_IDLE = 0x1,
    REASON_APPLICATION_CLOCKS = 0x2,
    REASON_POWER_CAP = 0x4,
    REASON_HARDWARE = 0x8, // paired run or brake, which the two below tell apart
    REASON_SYNC_BOOST = 0x10,
    REASON_HEAT = 0x20,
    REASON_HARDWARE_HEAT = 0x40,
    REASON_HARDWARE_BRAKE = 0x80,
    REASON_DISPLAY_CLOCKS = 0x100
};

struct nvml_use { // nvmlProcessUtilizationSample_t
    unsigned pid;
    unsigned long long at_us;
    unsigned sm, memory, encoder, decoder; // percent
};

// X(member, name, parameters)
#define NVML_FUNCTIONS(X)                                                                          \
    X(init, "nvmlInit_v2", (void))                                                                 \
    X(shutdown, "nvmlShutdown", (void))                                                            \
    X(by_pci, "nvmlDeviceGetHandleByPciBusId_v2", (const char *, nvml_device *))                   \
    X(by_uuid, "nvmlDeviceGetHandleByUUID", (const char *, nvml_device *))                         \
    X(clock, "nvmlDeviceGetClockInfo", (nvml_device, int, unsigned *))                             \
    X(most_clock, "nvmlDeviceGetMaxClockInfo", (nvml_device, int, unsigned *))                     \
    X(power, "nvmlDeviceGetPowerUsage", (nvml_device, unsigned *))                                 \
    X(temperature, "nvmlDeviceGetTemperature", (nvml_device, int, unsigned *))                     \
    X(reasons, "nvmlDeviceGetCurrentClocksEventReasons", (nvml_device, unsigned long long *))      \
    X(older_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons",                                  \
      (nvml_device, unsigned long long *))                                                         \
    X(energy, "nvmlDeviceGetTotalEnergyConsumption", (nvml_device, unsigned long long *))          \
    X(mig, "nvmlDeviceGetMigMode", (nvml_device, unsigned *, unsigned *))                          \
    X(uses, "nvmlDeviceGetProcessUtilization",                                                     \
      (nvml_device, struct nvml_use *, unsigned *, unsigned long long))

struct nvml_api { // NULL where the library does not have it
#define X(member, name, parameters) nvml_code(*member) parameters;
    NVML_FUNCTIONS(X)
#undef X
};

static const struct library_function functions[] = {
#define X(member, name, parameters) {name, offsetof(struct nvml_api, member), true},
    NVML_FUNCTIONS(X)
#undef X
};

struct nvml {
    struct nvml_api api;
    nvml_device device;
    uint32_t most_mhz;
    struct nvml_snapshot last;
    bool tried, known; // a snapshot was taken, and told something
    uint64_t next_ns;  // when another snapshot is due
};

// A snapshot shall take no more than one of so many parts of the time.
#define SNAPSHOT_PARTS 100

// The library stays open: drivers do not survive being unloaded.
static bool load_nvml(struct nvml_api *api)
{
    void *library = dlopen(NVML_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
    library_functions(library, functions, sizeof functions / sizeof *functions, api);
    api->reasons = api->reasons ? api->reasons : api->older_reasons;
    return api->init && api->shutdown;
}

// ---- one card -----------------------------------------------------------------------------------

static bool find_nvml_device(struct nvml *n, const struct device_info *d)
{
    char uuid[64];
    if (n->api.by_pci && d->pci[0] && n->api.by_pci(d->pci, &n->device) == 0)
        return true;
    // The drivers tell the bare number; NVML puts the kind in front.
    str_format(uuid, sizeof uuid, "%s%s", str_starts(d->uuid, "GPU-") ? "" : "GPU-", d->uuid);
    return n->api.by_uuid && d->uuid[0] && n->api.by_uuid(uuid, &n->device) == 0;
}

struct nvml *nvml_open(const struct device_info *d)
{
    if (d->type == DEVICE_CPU || (!d->pci[0] && !d->uuid[0]))
        return NULL;
    struct nvml *n = calloc(1, sizeof *n);
    unsigned most = 0;
    if (!n || !load_nvml(&n->api) || n->api.init() != 0) {
        free(n);
        return NULL;
    }
    if (!find_nvml_device(n, d)) {
        nvml_close(n);
        return NULL;
    }
    if (n->api.most_clock && n->api.most_clock(n->device, NVML_CLOCK_SM, &most) == 0)
        n->most_mhz = most;
    return n;
}

void nvml_close(struct nvml *n)
{
    if (!n)
        return;
    n->api.shutdown();
    free(n);
}

// ---- snapshots ---------------------------------------------------------------------------------

// A cap that the card has not reached slows nothing, whatever is said of it. The hardware's own
// measures stretch the clock in ways that its frequency does not show.
static uint32_t slowdowns(unsigned long long reasons, bool is_below_most)
{
    uint32_t slowed = 0;
    if (reasons & (REASON_HEAT | REASON_HARDWARE_HEAT))
        slowed |= 1u << SLOWDOWN_HEAT;
    if (reasons & REASON_HARDWARE_BRAKE ||
        (reasons & REASON_HARDWARE && !(reasons & REASON_HARDWARE_HEAT)))
        slowed |= 1u << SLOWDOWN_BRAKE;
    if (!is_below_most)
        return slowed;
    if (reasons & REASON_POWER_CAP)
        slowed |= 1u << SLOWDOWN_POWER;
    if (reasons & (REASON_APPLICATION_CLOCKS | REASON_SYNC_BOOST | REASON_DISPLAY_CLOCKS))
        slowed |= 1u << SLOWDOWN_SETTING;
    return slowed;
}

static uint32_t clock_of(const struct nvml *n, int which)
{
    unsigned mhz = 0;
    return n->api.clock && n->api.clock(n->device, which, &mhz) == 0 ? mhz : 0;
}

static void take_nvml_snapshot(const struct nvml *n, struct nvml_snapshot *out)
{
    unsigned milliwatts = 0, celsius = 0;
    unsigned long long reasons = 0;
    *out = (struct nvml_snapshot){.mhz = clock_of(n, NVML_CLOCK_SM),
                                  .memory_mhz = clock_of(n, NVML_CLOCK_MEMORY)};
    if (n->api.power && n->api.power(n->device, &milliwatts) == 0)
        out->milliwatts = milliwatts;
    if (n->api.temperature && n->api.temperature(n->device, NVML_TEMPERATURE_GPU, &celsius) == 0)
        out->celsius = celsius;
    if (!n->api.reasons || n->api.reasons(n->device, &reasons) != 0)
        return;
    out->idle = reasons & REASON_IDLE;
    out->slowed = slowdowns(reasons, out->mhz < n->most_mhz);
}

bool nvml_due(const struct nvml *n)
{
    return n && clock_ns() >= n->next_ns;
}

bool nvml_snapshot(struct nvml *n, bool now, struct nvml_snapshot *out)
{
    *out = (struct nvml_snapshot){0};
    if (!n)
        return false;
    if (now || !n->tried) {
        uint64_t start = clock_ns();
        take_nvml_snapshot(n, &n->last);
        n->known = n->last.mhz || n->last.milliwatts;
        n->tried = true;
        uint64_t end = clock_ns();
        n->next_ns = end + SNAPSHOT_PARTS * (end - start);
    }
    *out = n->last;
    return n->known;
}

uint32_t nvml_most_mhz(const struct nvml *n)
{
    return n ? n->most_mhz : 0;
}

// ---- energy -------------------------------------------------------------------------------------

bool nvml_energy(struct nvml *n, uint64_t *millijoules)
{
    unsigned long long sum = 0;
    *millijoules = 0;
    if (!n || !n->api.energy || n->api.energy(n->device, &sum) != 0)
        return false;
    *millijoules = sum;
    return true;
}

bool nvml_is_divided(struct nvml *n)
{
    unsigned now = 0, pending = 0;
    return n && n->api.mig && n->api.mig(n->device, &now, &pending) == 0 && now == 1;
}

static bool is_counted(const struct nvml_use *uses, unsigned before, unsigned pid)
{
    for (unsigned i = 0; i < before; i++) {
        if (uses[i].pid == pid && uses[i].sm > 0)
            return true;
    }
    return false;
}

uint32_t nvml_users(struct nvml *n, uint64_t since_us)
{
    unsigned room = 0;
    uint32_t users = 0;
    if (!n || !n->api.uses)
        return 0;
    n->api.uses(n->device, NULL, &room, since_us); // says how many there may be, and fails
    struct nvml_use *uses = room ? calloc(room, sizeof *uses) : NULL;
    unsigned count = room;
    if (uses && n->api.uses(n->device, uses, &count, since_us) == 0) {
        for (unsigned i = 0; i < count && i < room; i++)
            users += uses[i].sm > 0 && !is_counted(uses, i, uses[i].pid);
    }
    free(uses);
    return users;
}
