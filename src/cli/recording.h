// Recorded spaces as the command line names them.
#pragma once

#include "cli/work.h"
#include "recorded/recorded.h"

// Reads a recording, by the work's spec if it has one. `name` (optional), --device and --set choose among the
// recordings of a store. Returns an exit status and has reported the reason. `*out` is the
// caller's: recorded_free().
int recording_read(struct work *w, const char *path, const char *name, struct recorded **out);

// Refuses --device, a name (--spec) and --set with a file that is not a store, which has nothing to choose among; an
// exit status.
int recording_refuse_choice(const struct work *w, const char *name, const struct recorded *r);

// For a man page: what files may be read.
#define RECORDING_FORMATS                                                                          \
    "T4 results, a Kernel Tuner cache file, results of KTT (JSON, CSV), hone's own CSV (all "      \
    "of them also compressed by gzip), "                                                           \
    "or a store of hone"
