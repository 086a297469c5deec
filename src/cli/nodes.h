// Where a command's jobs are measured: `--on`, from the command line alone, never from a spec.
#ifndef HONE_CLI_NODES_H
#define HONE_CLI_NODES_H

#include "cli/work.h"

extern const struct option node_options[]; // --on, --outlier; into struct spec_settings

// After the device was chosen: w->places are it and all of its kind that --on names; others are said.
// Without --on there are none. An exit status.
int work_places(struct work *w);

// One word of --on. "local" is all devices of this host.
enum node_engine { ENGINE_LOCAL };
bool node_engine_read(const char *text, enum node_engine *out, struct error *e);

#endif
