// Workers on another machine: the agent there, and the link to it beside the tuner. Neither ever
// waits but in its poll(): each sees the end of the other, and of the tuner, within the lease.
#pragma once

#include "base/error.h"

#include <stdint.h>

struct agent_options {
    const char *worker; // the program that serves as worker; NULL: this one
    const char *locks;  // the folder of devices' locks
};

// hone-worker --node: serves the link over descriptors 0 and 1 until the input ends or nothing was
// heard for the lease; starts ordinary workers, and ends them with itself. Returns the exit status.
int agent_serve(const struct agent_options *o);

struct link_options {
    const char *const *launcher; // argv of what starts the agent, NULL-terminated
    const char *program;         // this one's path, which starts the launcher
    uint64_t beat_ns, lease_ns;
    uint64_t start_ns; // so long the agent may take to speak
};

// hone-worker --link: descriptor 0 is the tuner's control socket. Returns the exit status.
int link_serve(const struct link_options *o);
// The same over a control socket that was taken already, which it closes.
int link_run(int control, const struct link_options *o);
