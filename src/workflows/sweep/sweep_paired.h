// Interleaved launches in the store: the paired run of a comparison, found again.
#pragma once

#include "workflows/compare/compare.h"

// The newest paired run in which every side took part, with the jobs that its choice makes today,
// on today's device and driver, and with as many rounds as are wanted (0: as compare.h says) or
// more. results: room for one a side, which are the caller's then; *found: is there such a run?
// There is none for a side without a store, nor for a routine whose library is not known.
bool sweep_find_paired_run(const struct compare_options *o, struct result **results, bool *found,
                           struct error *e);
