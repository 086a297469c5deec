// `--arch sm_90`: the target if there is no device.
#pragma once

#include "cli/checking.h"

// Do the options make sense together? Says what is wrong, and then false.
bool architecture_fits(const struct check_settings *s);

// Makes the architecture the work's device, with the facts of --assume. Restrictions must not read
// what differs between devices of one architecture, unless that is assumed. After work_spec(), in
// place of work_device(); an exit status.
int architecture_open(struct work *w, const struct check_settings *s);
