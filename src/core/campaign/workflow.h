// How every workflow is driven. A workflow X (tune, check, compare, sweep, benchmark, score, peak, deploy) is a struct that begins
// with a struct workflow; X_new(options, e) makes it from workflow_new(), and WORKFLOW_FUNCTIONS() gives it
//
//   X_step(x, timeout_ms, &record, e)    within the timeout at most one record, else NULL
//   X_cancel(x)                          X_step() then soon answers END
//   X_free(x)                            NULL is fine; waits for what is still running
//
// Everything that its options point to outlives it. Nothing in a workflow blocks longer than the timeout, prints, or
// looks at signals: Ctrl-C, progress and output are the caller's. Records, and all that they point to, live until
// X_free(). One is complete when it is handed out; what a later step still changes of it says so itself. The results
// are valid at every moment, after BROKEN too. One thread at a time uses a workflow.
#pragma once

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

struct workflow;

struct workflow_operations {
    enum workflow_answer (*step)(void *workflow, int timeout_ms, const void **record,
                                 struct error *e);
    // (optional) Ends what it does with its evaluator; before that is cancelled, or freed.
    void (*stop)(void *workflow);
    void (*release)(void *workflow); // everything but the evaluator, and the struct itself
};

struct workflow {
    const struct workflow_operations *operations;
    struct evaluator *evaluator; // (or NULL) its own: cancelled and freed with it
    void *inner;                 // (or NULL) the workflow that it steps now: likewise
    uint64_t started_ns;
    bool cancelled, broken;
    struct error why; // broken: the reason
};

// A zeroed struct of `size` bytes that begins with a struct workflow. NULL without memory.
void *workflow_new(size_t size, const struct workflow_operations *operations, struct error *e);
enum workflow_answer workflow_step(struct workflow *w, int timeout_ms, const void **record,
                                   struct error *e);
void workflow_cancel(struct workflow *w);
void workflow_free(struct workflow *w); // NULL is fine
// Frees the inner workflow, which is at its end.
void workflow_end_inner(struct workflow *w);

// Fills in `out`, with left_ns from how long each of those done has taken while no other process had the device.
void workflow_progress(struct workflow *w, uint64_t planned, uint64_t done,
                       struct workflow_progress *out);

// X_step(), X_cancel() and X_free() of the workflow X, and X_workflow(), itself.
#define WORKFLOW_FUNCTIONS(X, type, record_type)                                                   \
    static inline struct workflow *X##_workflow(type *x)                                           \
    {                                                                                              \
        return (struct workflow *)x;                                                               \
    }                                                                                              \
    static inline enum workflow_answer X##_step(type *x, int timeout_ms,                           \
                                                const record_type **record, struct error *e)       \
    {                                                                                              \
        const void *found;                                                                         \
        enum workflow_answer answer = workflow_step(X##_workflow(x), timeout_ms, &found, e);       \
        *record = found;                                                                           \
        return answer;                                                                             \
    }                                                                                              \
    static inline void X##_cancel(type *x)                                                         \
    {                                                                                              \
        workflow_cancel(X##_workflow(x));                                                          \
    }                                                                                              \
    static inline void X##_free(type *x)                                                           \
    {                                                                                              \
        workflow_free(X##_workflow(x));                                                            \
    }                                                                                              \
    _Static_assert(true, "")
