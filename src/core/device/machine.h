// The machine's cores while kernels are measured, as the system reports them: load of other
// processes, clocks, caches. Values that a system does not report stay 0.
#pragma once

#include "model/device_info.h"
#include "model/result.h"

#include <sched.h>

#define MACHINE_CLOCKS 16 // at most so many cores' clocks are read, for a look must be cheap

// The cores are those this process may run on when it is opened.
struct machine {
    cpu_set_t cpus;
    uint32_t cores;
    int stat; // /proc/stat, or -1: kept open, a look reads it again
    int clocks[MACHINE_CLOCKS];
    uint32_t clock_count;
    uint64_t jobs_ns;  // processor time of running processes that work for this one
    int64_t start_ns;  // other processes' time when opened
    uint64_t other_ns; // since then; never runs back, as the ticks it is counted in could
    // The last-level caches of these cores, in sum over the caches.
    uint64_t cache_bytes;
};

// `root` is where /proc and /sys are looked for, "/" or a test's. Clocks and caches are
// looked at where these cores are the device: those of the host say nothing of a GPU.
void machine_open(struct machine *m, const char *root, bool is_device);
void machine_close(struct machine *m); // one that is all zero but for the descriptors -1 is fine

// machine.cache_bytes alone, of the cores that this process may run on.
uint64_t machine_caches(const char *root);

// Describes the processor, its memory, caches and cores as a device.
void machine_describe(const char *root, struct arena *a, struct device_info *d);

// Time of others is counted from machine_open() on, in ticks of the system (10 ms as a rule): two
// snapshots of one process make a rate. Waiting for a disk is idle; time that a hypervisor gave to
// somebody else, and interrupts, are others'.
void machine_take(struct machine *m, struct machine_snapshot *out);
