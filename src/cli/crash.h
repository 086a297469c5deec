// What a crash is told with: the command that finds its line, and, where the simulator of --races
// is installed, the line itself, found by running the configuration there once.
#ifndef HONE_CLI_CRASH_H
#define HONE_CLI_CRASH_H

#include "cli/option.h"
#include "cli/work.h"

extern const struct option crash_options[]; // --no-crash-line

// Can the simulator run what the device ran? It knows OpenCL alone.
bool crash_is_simulated(const struct work *w);
// Says it on stderr. `choice` is the configuration's, NULL for the reference; `unverified`: the
// spec has nothing to hold results against.
void crash_tell(const struct work *w, const uint32_t *choice, bool unverified);
// The same where the error is that of a reference that crashed; else nothing.
void crash_tell_reference(const struct work *w, const struct error *e);

#endif
