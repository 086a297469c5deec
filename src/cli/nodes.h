// Where a command's jobs are measured and built: `--on` and `--build-on`, from the command line alone, never from a spec. What a
// session asks of them is here; without them it has this machine alone.
#pragma once

#include "cli/work.h"

// Into struct spec_settings; without the extra there are none.
#define NODE_OPTIONS  (EXTRA_NODES(1 ? node_options :) no_options)  // --on, --nodes, --node-worker
#define BUILD_OPTIONS (EXTRA_NODES(1 ? build_options :) no_options) // --build-on
extern const struct option node_options[], build_options[];

// work_list() where there is --on: lists the devices of its nodes, which are started once.
bool nodes_list(struct work *w, const struct hone_spec *spec, const char *language,
                struct error *e);
// The device of these lists that w->device is a copy of; or NULL.
const struct hone_device *nodes_device(const struct work *w);
int nodes_places(struct work *w); // work_places()
void nodes_drop_workers(struct work *w);
void nodes_release(struct work *w);
