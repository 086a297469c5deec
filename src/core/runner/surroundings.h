// Failures that a worker's surroundings may have caused: a full disk, no memory left, a worker
// killed from outside. Such a failure says nothing about its configuration.
#pragma once

#include "base/error.h"
#include "model/job.h"
#include "model/result.h"

// A kernel of hone's own, built where a build has just failed: does it build?
enum build_proof { PROOF_NONE, PROOF_BUILDS, PROOF_FAILS };

struct surroundings {
    char *folders;          // (or NULL) that workers and their drivers write to, one a line
    bool is_elsewhere;      // workers run on another machine: this one's limits are not theirs
    uint32_t hindered;      // configurations that failed by their surroundings, in a row
    bool have_built;        // something, since the evaluator was made
    enum build_proof proof; // for the next failure to be judged
};

// Is a kernel of hone's own to be built before this is judged? The first build that fails while none has succeeded may
// fail for all alike, and so may those that seem to have failed by their surroundings one after the other.
bool surroundings_want_proof(const struct surroundings *s, const struct job *j,
                             const struct result *r);
// Judges the complete result of the configuration `who`: a failure that the surroundings may have
// caused is marked (FAULT_SURROUNDINGS). False when nothing can go on because of them: the result
// is then not told.
bool surroundings_judge(struct surroundings *s, const char *who, const struct job *j,
                        struct result *r, struct error *e);
// Is a full disk the reason why `doing` ended with what was `said`? Then *e says so.
bool surroundings_blame_disk(const struct surroundings *s, const char *doing, const char *said,
                             struct error *e);
// Does a build's failure not say why, name the surroundings, or say that a program is empty, as with a
// damaged cache? Then it is tried once more.
bool surroundings_may_fail_build(const struct job *j, const struct result *r);
