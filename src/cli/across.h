// After tunes on several kinds of device: the best of each is launched on all of them, in rounds beside the own best.
#pragma once

#include "cli/tuning.h"
#include "report/across_report.h"

#define ACROSS_MOST COMPARE_SIDES

// A kind of device that was tuned on.
struct across_kind {
    struct work *work;
    char *configuration, *json; // its fastest; NULL: it has none, or the objective is another
};

// The tune is over: keeps its best, and ends it with its workers. False without memory.
bool across_take(struct across_kind *k, struct work *w);
// Launches, and shows what came of it. An exit status, with what is wrong said.
int across_show(struct across_kind *kinds, uint32_t count, enum report_format format);
void across_release(struct across_kind *kinds, uint32_t count);
