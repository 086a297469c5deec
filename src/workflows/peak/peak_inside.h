// Shared by the workflow of `hone peak` and the search in the store.
#pragma once

#include "model/device_peak.h"
#include "model/result.h"

// The rate of a result whose launches do so much work each. False where nothing was timed; texts
// are left NULL.
bool peak_rate_of(const struct result *r, uint64_t work, uint64_t timer_ns, struct peak_rate *out);
