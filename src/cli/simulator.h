// `--races`, `run --counters`: the worker inside Oclgrind, with the limits of the device that is meant.
#pragma once

#include "cli/work.h"

// Replaces the work's device by the simulator and the environment's worker by one inside it. Its
// limits, and what restrictions see of it, are those of the device that --device or HONE_DEVICE
// names, where one does, then of --assume; else what GPUs commonly offer (races.h). *log is the
// file that it writes. After work_spec(), in place of work_device(); an exit status.
enum simulate { SIMULATE_RACES, SIMULATE_COUNTS };
int simulator_open(struct work *w, const struct list *assumed, enum simulate what,
                   const char **log);

