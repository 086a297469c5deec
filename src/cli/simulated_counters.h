// run --counters where no device counts: the kernel once more, in the simulator Oclgrind.
#pragma once

#include "cli/work.h"
#include "model/counters.h"

// Fills in what a launch of this configuration ("a=1,b=2") asks for, or why that cannot be had, with texts in the arena. An
// exit status; other than EXIT_DONE only after Ctrl-C or without memory.
int simulated_counters(const struct invocation *call, const struct spec_settings *given,
                       const struct measure_settings *measure, const char *configuration,
                       struct arena *a, struct counters *out);

