// Where a command's jobs are measured and built: `--on` and `--build-on`, from the command line alone, never from a spec. What a
// session asks of them is here; without them it has this machine alone.
#pragma once

#include "cli/work.h"

// Into struct spec_settings.
extern const struct option node_options[];  // --on, --nodes, --node-worker
extern const struct option build_options[]; // --build-on

// work_list() with --on: of the devices of its nodes, which are started once.
bool nodes_list(struct work *w, const struct hone_spec *spec, const char *language,
                struct error *e);
const struct hone_device *
nodes_device(const struct work *w); // that w->device is a copy of; or NULL
int nodes_places(struct work *w);   // work_places()
void nodes_drop_workers(struct work *w);
void nodes_release(struct work *w);
