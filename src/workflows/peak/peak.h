// The workflow of `hone peak`: what the device can do at most, measured by small kernels of hone's
// own (peak_kernels.h): fp32 arithmetic, memory read and copied, local memory read. Each limit has
// a few configurations, since no one width or number of chains is the best on every device: each is
// verified and launched a few times, the fastest then as often as its interval needs.
//
// Ordinary jobs through the live evaluator, under the device's lock. What was found is stored as a
// result of the spec PEAK_SPEC, one for each limit, with "limit=fp32, work=123" (flop or bytes of a
// launch) as its constants.
//
// Driven as workflow.h says; planned and done are kernels in one configuration.
#pragma once

#include "model/device_peak.h"
#include "store/store.h"
#include "campaign/workflow.h"

#define PEAK_SPEC "hone peak"

// So many measurements of a limit count, the newest.
#define PEAK_RECENT 5

// Finds, for each limit, the highest of the newest measurements in the store for this device, its
// driver and compiler: other use of the device only makes it slower, and a card with permanently
// changed clocks is recognised after PEAK_RECENT measurements. Limits that the store does not have
// are left unknown. Texts are kept in the arena. False on failure.
bool peak_find(struct store *s, const struct device_info *d, struct arena *a, struct peak *out,
               struct error *e);
// The same by the digest of device and driver (device_info_digest()).
bool peak_find_of(struct store *s, const struct digest *identity, struct arena *a, struct peak *out,
                  struct error *e);

struct peak_options {
    struct setup setup; // without a spec; no rule of its terms counts
};

// One limit that is done: measured, or not, with the reason.
struct peak_record {
    enum peak_limit limit;
    const struct peak_rate *rate;
};

struct peak_run;

struct peak_run *peak_new(const struct peak_options *o, struct error *e);
// Records come in the order in which limits are done. BROKEN: the evaluator cannot go on, or the
// store cannot be written.
// A limit that is not done when it is cancelled stays unknown.
WORKFLOW_FUNCTIONS(peak, struct peak_run, struct peak_record);
void peak_progress(struct peak_run *p, struct workflow_progress *out);
// The results so far, of all limits.
const struct peak *peak_found(const struct peak_run *p);
