// Recorded spaces as the command line names them.
#ifndef HONE_CLI_RECORDING_H
#define HONE_CLI_RECORDING_H

#include "cli/work.h"
#include "recorded/recorded.h"

// Reads one, by the work's spec where it has one. --device and --set choose among the recordings of
// a store. An exit status; why is said. `*out` is the caller's: recorded_free().
int recording_read(struct work *w, const char *path, struct recorded **out);

// --device or --set with a file that is no store has nothing to choose among; an exit status.
int recording_refuse_choice(const struct work *w, const struct recorded *r);

// For a man page: what files may be read.
#define RECORDING_FORMATS                                                                          \
    "T4 results, a Kernel Tuner cache file, hone's own CSV (all of them also compressed by "       \
    "gzip), "                                                                                      \
    "or a store of hone"

#endif
