// Where a command's jobs are measured and built: `--on` and `--build-on`, from the command line alone, never from a spec.
#pragma once

#include "cli/work.h"

// Into struct spec_settings.
extern const struct option node_options[];  // --on, --nodes, --node-worker
extern const struct option build_options[]; // --build-on

// After the device was chosen: w->places are the device and all devices of its kind that --on
// names; others are reported. Without --on there are none. w->places.builders are the builders of
// --build-on that can build for it. An exit status.
int work_places(struct work *w);
