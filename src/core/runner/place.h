// Where jobs may be measured: a device of this machine or of a node, and how workers are started there. Where jobs are built
// for devices elsewhere it has no device.
#pragma once

#include "model/device_info.h"

struct live_options;
struct node;
struct spare;

struct place {
    const char *name;  // the node's; "" of this machine
    struct node *node; // NULL: this machine
    // As in live_options.
    const char *const *worker, *const *environment; // NULL-terminated; or NULL: no additions
    const struct device_info *device;
    struct spare *spare; // (optional)
    uint32_t
        jobs; // build workers at most; 0: its part of its machine's, of a builder all of its cores
};

// Two views of one card of one machine: the same device, or the same card in another language. Whatever runs
// kernels on the host's processor is a view of it.
bool place_same_card(const struct place *a, const struct place *b);
// The evaluator shall work there.
void place_use(const struct place *p, struct live_options *live);
