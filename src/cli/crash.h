// Reports a crash with the command that finds its line in the simulator of --races.
#pragma once

#include "cli/work.h"
#include "runner/evaluator.h"

// Can the simulator run what the device ran? It knows OpenCL alone.
bool crash_is_simulated(const struct work *w);
// Did it end in what the simulator finds the line of: a crash, or a write out of bounds?
bool crash_has_line(const struct result *r);
// Should it be reported rather than that one? A crash goes before a write out of bounds.
bool crash_is_worse(const struct result *r, const struct result *than); // than: or NULL
// Prints it on stderr. `choice` is the configuration's; `unverified`: the spec has nothing to
// compare results with.
void crash_tell(const struct work *w, const uint32_t *choice, const struct result *r,
                bool unverified);
// The same where the evaluator could not go on because the reference crashed; else nothing.
void crash_tell_reference(const struct work *w, const struct evaluator_status *s);
