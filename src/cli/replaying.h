// `hone tune --replay`: a recorded space in the place of a device.
#pragma once

#include "cli/tuning.h"

// Does tuning_open()'s work with a recording as the device and, if no spec is named, with the
// recording's parameters as the spec.
int replaying_open(struct work *w);
