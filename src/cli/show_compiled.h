// Shows the driver's output for a configuration, for `hone run --show`.
#pragma once

#include "cli/tuning.h"

// The words of --show.
enum show {
    SHOW_RESULT,
    SHOW_SOURCE,
    // what the driver made of it
    SHOW_BINARY,
    SHOW_PTX,
    SHOW_SASS,
    SHOW_INSTRUCTIONS,
    SHOW_COUNT
};

// The record's job must be loaded still. `show` is SHOW_BINARY or one behind it. Returns an exit
// status and has said what is wrong.
int show_compiled(struct work *w, const struct tune_record *record, enum show show);
