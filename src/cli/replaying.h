// `hone tune --replay`: a recorded space in the place of a device.
#ifndef HONE_CLI_REPLAYING_H
#define HONE_CLI_REPLAYING_H

#include "cli/tuning.h"

// The options that make no sense without a device; an exit status.
int replaying_refuse(const struct tune_settings *o);
// What tuning_open() does, with the recording for a device and, where no spec is named, its
// parameters for a spec.
int replaying_open(struct tuning *t);

#endif
