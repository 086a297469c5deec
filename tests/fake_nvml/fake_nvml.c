// NVIDIA's management library for tests: libnvidia-ml.so.1 with one card, 0000:65:00.0, and as much
// as hone-worker calls. A test finds it through LD_LIBRARY_PATH. What it answers is asked for in
// the environment, read anew at each call:
//
//   FAKE_NVML_FAIL        CALL, or "all": it answers with an error
//   FAKE_NVML_MHZ         (1980) the clock of the multiprocessors; FAKE_NVML_MOST (1980) the
//   highest FAKE_NVML_RISE        (0) so many looks at the clock find the card at 345 MHz, idle
//   FAKE_NVML_REASONS     (0) the set of clocks event reasons
//   FAKE_NVML_MILLIWATTS  (400000)
//   FAKE_NVML_STEP_MS     (20) the energy counter is renewed; 0: it stands still
//   FAKE_NVML_MIG         (0) 1: the card is divided
//   FAKE_NVML_USERS       (1) processes that use it
//   FAKE_NVML_SLEEP_US    (0) that each question takes
//
// Built with OLD it has the names of older drivers and counts no energy.
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { UNKNOWN_ERROR = 999, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7, IDLE_MHZ = 345, REASON_IDLE = 1 };

struct card {
    unsigned long clocks_seen;
};
static struct card the_card;

struct use {
    unsigned pid;
    unsigned long long at_us;
    unsigned sm, memory, encoder, decoder;
};

// Nobody else declares them.
#define CALL(name, ...)                                                                            \
    int name(__VA_ARGS__);                                                                         \
    int name(__VA_ARGS__)

static unsigned long long number(const char *name, unsigned long long fallback)
{
    const char *value = getenv(name);
    return value && *value ? strtoull(value, NULL, 0) : fallback;
}

static int enter(const char *call)
{
    const char *fail = getenv("FAKE_NVML_FAIL");
    usleep((useconds_t)number("FAKE_NVML_SLEEP_US", 0));
    bool fails = fail && (strcmp(fail, call) == 0 || strcmp(fail, "all") == 0);
    return fails ? UNKNOWN_ERROR : 0;
}

static bool is_idle(void)
{
    return the_card.clocks_seen < number("FAKE_NVML_RISE", 0);
}

CALL(nvmlInit_v2, void)
{
    return enter(__func__);
}

CALL(nvmlShutdown, void)
{
    return enter(__func__);
}

CALL(nvmlDeviceGetHandleByPciBusId_v2, const char *pci, struct card **out)
{
    int code = enter(__func__);
    *out = &the_card;
    return code ? code : strcmp(pci, "0000:65:00.0") == 0 ? 0 : NOT_FOUND;
}

CALL(nvmlDeviceGetHandleByUUID, const char *uuid, struct card **out)
{
    int code = enter(__func__);
    *out = &the_card;
    return code                                                            ? code
           : strcmp(uuid, "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f") == 0 ? 0
                                                                           : NOT_FOUND;
}

CALL(nvmlDeviceGetClockInfo, struct card *card, int type, unsigned *out)
{
    int code = enter(__func__);
    bool multiprocessors = type == 1;
    *out = !multiprocessors ? 3201 : is_idle() ? IDLE_MHZ : (unsigned)number("FAKE_NVML_MHZ", 1980);
    card->clocks_seen += multiprocessors;
    return code;
}

CALL(nvmlDeviceGetMaxClockInfo, struct card *card, int type, unsigned *out)
{
    (void)card, (void)type;
    *out = (unsigned)number("FAKE_NVML_MOST", 1980);
    return enter(__func__);
}

CALL(nvmlDeviceGetPowerUsage, struct card *card, unsigned *out)
{
    (void)card;
    *out = (unsigned)number("FAKE_NVML_MILLIWATTS", 400000);
    return enter(__func__);
}

CALL(nvmlDeviceGetTemperature, struct card *card, int sensor, unsigned *out)
{
    (void)card, (void)sensor;
    *out = 61;
    return enter(__func__);
}

#ifdef OLD
#define nvmlDeviceGetCurrentClocksEventReasons nvmlDeviceGetCurrentClocksThrottleReasons
#endif

CALL(nvmlDeviceGetCurrentClocksEventReasons, struct card *card, unsigned long long *out)
{
    (void)card;
    *out = is_idle() ? REASON_IDLE : number("FAKE_NVML_REASONS", 0);
    return enter(__func__);
}

#ifndef OLD
CALL(nvmlDeviceGetTotalEnergyConsumption, struct card *card, unsigned long long *out)
{
    struct timespec t = {0, 0};
    uint64_t step = number("FAKE_NVML_STEP_MS", 20);
    (void)card;
    clock_gettime(CLOCK_MONOTONIC, &t);
    uint64_t ms = (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
    uint64_t renewed = step ? ms / step * step : 1;
    *out = renewed * number("FAKE_NVML_MILLIWATTS", 400000) / 1000;
    return enter(__func__);
}

CALL(nvmlDeviceGetMigMode, struct card *card, unsigned *now, unsigned *pending)
{
    (void)card;
    *now = *pending = (unsigned)number("FAKE_NVML_MIG", 0);
    return enter(__func__);
}

// Each process twice, and one that only had a context.
CALL(nvmlDeviceGetProcessUtilization, struct card *card, struct use *out, unsigned *count,
     unsigned long long since_us)
{
    unsigned users = (unsigned)number("FAKE_NVML_USERS", 1), room = *count;
    int code = enter(__func__);
    (void)card, (void)since_us;
    *count = 2 * users + 1;
    if (code || !out || room < *count)
        return code ? code : INSUFFICIENT_SIZE;
    for (unsigned i = 0; i < *count; i++)
        out[i] = (struct use){.pid = 100 + i / 2, .sm = i < 2 * users ? 50 : 0};
    return 0;
}
#endif
