// Where a command's jobs are measured and built: `--on` and `--build-on`, from the command line alone, never from a spec.
#ifndef HONE_CLI_NODES_H
#define HONE_CLI_NODES_H

#include "cli/work.h"

// Into struct spec_settings.
extern const struct option node_options[];  // --on, --nodes, --node-worker, --strict-nodes
extern const struct option share_options[]; // the same, and --outlier
extern const struct option build_options[]; // --build-on

// What says how nodes are used, where none is named: refused.
bool nodes_refuse_idle(const struct spec_settings *given, struct error *e);

// After the device was chosen: w->places are it and all of its kind that --on names; others are said.
// Without --on there are none. w->places.builders are those that --build-on names and that can. An exit status.
int work_places(struct work *w);

#endif
