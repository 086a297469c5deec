// Adds to the report of a crash: the command that finds its line and, if the simulator of --races
// is installed, the line itself, found by running the configuration there once.
#ifndef HONE_CLI_CRASH_H
#define HONE_CLI_CRASH_H

#include "cli/option.h"
#include "cli/work.h"
#include "runner/evaluator.h"

extern const struct option crash_options[]; // --no-crash-line

// Can the simulator run what the device ran? It knows OpenCL alone.
bool crash_is_simulated(const struct work *w);
// Did it end in what the simulator finds the line of: a crash, or a write out of bounds?
bool crash_has_line(const struct result *r);
// Should it be reported rather than that one? A crash goes before a write out of bounds.
bool crash_is_worse(const struct result *r, const struct result *than); // than: or NULL
// Reports it on stderr; the line itself is only searched for after a crash. `choice` is the
// configuration's, NULL for the reference; `unverified`: the spec has no reference for results.
void crash_tell(const struct work *w, const uint32_t *choice, const struct result *r,
                bool unverified);
// The same where the evaluator could not go on because the reference crashed; else nothing.
void crash_tell_reference(const struct work *w, const struct evaluator_status *s);

#endif
