// Failures that a worker's surroundings may have caused: a full disk, no memory left, a worker
// killed from outside. Such a failure says nothing about its configuration.
#pragma once

#include "base/error.h"
#include "model/result.h"

struct surroundings {
    char *folders;     // (or NULL) that workers and their drivers write to, one a line
    bool is_elsewhere; // workers run on another machine: this one's limits are not theirs
    uint32_t hindered; // configurations that failed by their surroundings, in a row
};

// Judges the complete result of the configuration `who`: a failure that the surroundings may have
// caused is marked (FAULT_SURROUNDINGS). False when nothing can go on because of them: the result
// is then not told.
bool surroundings_judge(struct surroundings *s, const char *who, struct result *r, struct error *e);
// Is a full disk the reason why `doing` ended with what was `said`? Then *e says so.
bool surroundings_blame_disk(const struct surroundings *s, const char *doing, const char *said,
                             struct error *e);
// Does a build's failure not say why, name the surroundings, or say that a program is empty, as with a
// damaged cache? Then it is tried once more.
bool surroundings_may_fail_build(const struct result *r);
