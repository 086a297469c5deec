// `hone tune --replay`: a recorded space in the place of a device.
#ifndef HONE_CLI_REPLAYING_H
#define HONE_CLI_REPLAYING_H

#include "cli/tuning.h"

// Does tuning_open()'s work with a recording as the device and, if no spec is named, with the
// recording's parameters as the spec.
int replaying_open(struct work *w);

#endif
