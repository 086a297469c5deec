// How to measure a job. The worker measures, the tuner decides: a request carries a policy, the
// reply samples.
#pragma once

#include "model/device_info.h"

#include "base/wire.h"

// The timed launches whose output is compared with the reference. None if a read-write buffer keeps
// its contents from launch to launch: they are not what one launch makes.
// APART: none here, where no reference is; another process compares what the last launches left.
enum policy_check {
    POLICY_CHECK_NONE,
    POLICY_CHECK_ONE,
    POLICY_CHECK_EACH,
    POLICY_CHECK_APART,
    POLICY_CHECKS
};

struct policy {
    uint32_t launches;    // timed launches of this request at most
    uint32_t batch;       // launches per sample (1 but for kernels shorter than the timer sees)
    uint32_t warmups;     // untimed launches before each sample, so that all have one predecessor
    uint64_t hopeless_ns; // after two timed launches in a row longer than this: stop (0: never)
    uint64_t budget_ns;   // stop once the timed launches sum up to this (0: no budget)
    uint64_t launch_limit_ns; // one launch; enforced by the tuner, which ends the worker (0: none)
    uint64_t build_limit_ns;  // one build; likewise
    bool cold;                // clear the last-level cache before each timed launch
    bool fixed;               // exactly `launches`, no early stop
    enum policy_check check;
    uint64_t chosen; // CHECK_ONE: a random number that says which launch
    // Not 0: the launches are on other inputs, and are compared with the reference of those
    // (job_on_other_inputs(); where job_inputs_stay(), on the job's own). Their times are judged,
    // too: a launch that is much faster on inputs that it has seen keeps results.
    uint64_t inputs;
    bool host_clock; // the device's was found wrong: the host's times the launches
    // Also a run of launches long enough to count their energy, after the timed ones.
    bool energy;
    // Launches are repeated after all that until the device has counted what one of them does.
    bool counters;
    // A launch that is verified: the check is audited, too (device/audit.c).
    bool audit;
};

void policy_codec(struct wire *w, struct policy *p);

// Is what a launch of about this time finds in the caches a small part of it? A card's memory fills
// its caches in some 20 us, a host's in a millisecond. Such launches are not warmed up.
bool policy_is_long(const struct device_info *device, uint64_t launch_ns);

// How outputs that another process made are compared.
struct check_apart {
    uint64_t inputs; // as struct policy has it
    uint64_t launch; // timed launches until then, for messages; 0: the verified one
    bool audit;      // likewise
};
void check_apart_codec(struct wire *w, struct check_apart *c);

// The inputs of a finalist's last launch. Always the same, so that references in the cache answer.
#define POLICY_OTHER_INPUTS 1
// Begins the log of a result whose launches were on its own all the same.
#define POLICY_INPUTS_SKIPPED "finalists are not launched on other inputs: "

// Defaults, documented in `hone tune --help --all`.
#define POLICY_BUILD_LIMIT_NS  (60ull * 1000000000)
#define POLICY_LAUNCH_LIMIT_NS (30ull * 1000000000)
// Once there is a best: a launch may take this many times its time, but at least a second.
#define POLICY_BEST_FACTOR   10
#define POLICY_BEST_LEAST_NS (1ull * 1000000000)
