// What a device can do at most, as it was measured: what the store knows of it.
#ifndef HONE_PEAK_H
#define HONE_PEAK_H

#include "job/peak.h"
#include "store/store.h"

// The name under which limits are stored as results, with "limit=fp32, work=123" (flop or bytes of
// a launch) as constants.
#define PEAK_SPEC "hone peak"

// The newest of each limit that the store has of this device, its driver and compiler; those that
// it has not are left unknown. Texts are kept in the arena. False on failure.
bool peak_find(struct store *s, const struct device_info *d, struct arena *a, struct peak *out,
               struct error *e);

#endif
