// Modes of hone-worker: its first argument says that it is something else than a worker.
#pragma once

#include "base/error.h"
#include "extras.h"

struct worker_mode {
    const char *name;  // "--own"
    const char *usage; // lines of its own; "" where it is not for people
    const char *help;
    // Gets the arguments behind its name. Returns the exit status, or -1: they make no sense.
    int (*run)(char **arguments);
};

// Each is NAME_mode.
#define WORKER_MODES(X) X(own) EXTRA_NODES(X(node) X(link) X(launch))

#define X(name) extern const struct worker_mode name##_mode;
WORKER_MODES(X)
#undef X

// Moves the channel from descriptor 0 to a high one that children do not inherit; what is printed (descriptor 1) goes where
// messages go. Returns the channel or -1.
int take_channel(struct error *e);
