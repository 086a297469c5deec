// The state of one GPU from NVIDIA's management library (NVML): clocks, power, temperature, why it
// runs slower than it could, energy. Opened at run time; if it is absent, too old or fails, less is
// known, or nothing, and that is not an error.
#pragma once

#include "model/device_info.h"
#include "model/result.h"

#define NVML_LIBRARY "libnvidia-ml.so.1"

struct nvml; // one card

// The card that `d` is, by its PCI address or UUID. NULL: nothing is known of it.
struct nvml *nvml_open(const struct device_info *d);
void nvml_close(struct nvml *n); // NULL is fine

// Unknown values are 0.
struct nvml_snapshot {
    uint32_t mhz, memory_mhz; // now
    uint32_t milliwatts;      // since Ampere the mean of about the last second
    uint32_t celsius;
    uint32_t slowed; // 1 << enum slowdown; nothing where it runs at its highest clock
    bool idle;       // the clock is low because there is nothing to do
};

// Each snapshot takes some calls into the driver. May one be taken, if all of them together shall
// take no more than a hundredth of the time? With NULL never.
bool nvml_due(const struct nvml *n);
// Takes one when `now`; else the last one answers again. False: nothing is known (always with
// NULL).
bool nvml_snapshot(struct nvml *n, bool now, struct nvml_snapshot *out);
// The highest clock of the multiprocessors in MHz; 0: not known.
uint32_t nvml_most_mhz(const struct nvml *n);

// The energy used by the card since the driver was loaded, in millijoules. The count is renewed
// every 20 to 100 ms. False: it is not known.
bool nvml_energy(struct nvml *n, uint64_t *millijoules);
// Is the card divided (MIG)? Then power and energy are of all parts.
bool nvml_is_divided(struct nvml *n);
// How many processes kept the card busy in the last moments, from `since_us` (microseconds of the
// wall clock); 0: not known. Processes are counted, not named: in a container their numbers are
// others.
uint32_t nvml_users(struct nvml *n, uint64_t since_us);
