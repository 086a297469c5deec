// How every workflow is driven. Of a workflow X (tune, check, compare, sweep, score, peak):
//
//   X_new(options, e)                    everything that the options point to outlives it
//   X_step(x, timeout_ms, &record, e)    within the timeout at most one record, else NULL
//   X_cancel(x)                          X_step() then soon answers END
//   X_progress(x, &progress)             at any time; what it points to lives until X_free()
//   X_free(x)                            NULL is fine; waits for what is still running
//
// Nothing in a workflow blocks longer than the timeout, prints, or looks at signals: Ctrl-C,
// progress and output are the caller's. Records, and all that they point to, live until X_free().
// One is complete when it is handed out; what a later step still changes of it says so itself.
// The results are valid at every moment, after BROKEN too. One thread at a time uses a workflow.
#ifndef HONE_WORKFLOWS_WORKFLOW_H
#define HONE_WORKFLOWS_WORKFLOW_H

#include "campaign/setup.h"

enum workflow_answer {
    WORKFLOW_BROKEN = -1, // it cannot go on, now and in all later steps; the error says why
    WORKFLOW_NOTHING,     // nothing within the timeout: step on
    WORKFLOW_RECORD,      // *record is a new one
    WORKFLOW_END          // all is done, or was cancelled
};

// Progress that every workflow can report.
struct workflow_progress {
    uint64_t planned, done; // configurations; points of a sweep, searches of a score
    uint64_t elapsed_ns;    // since X_new()
    uint64_t left_ns;       // estimate, without waiting for other processes; 0 while there is none
    bool cancelled;
    struct evaluator_status evaluator; // its present work; zeros if there is none
};

#endif
