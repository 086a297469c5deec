// Wraps the live evaluator with the store and the device's lock: what is known is not measured
// again, what is measured is stored before its outcome is given out. Resuming a tune is this
// module's business alone.
#pragma once

#include "runner/evaluator.h"
#include "store/store.h"

struct cached_options {
    struct store *store;     // (optional) NULL: nothing is remembered, only the lock is kept
    bool fresh;              // earlier results do not answer
    bool alone;              // the one job was asked for on its own: see store_find()
    uint32_t retry;          // earlier failures with these statuses do not answer: 1 << status
    const char *lock_folder; // (optional) NULL: no lock on the device
    struct stored_as as;
    // (optional) Asked before a job is measured: false, and it waits a moment. Turns are not asked for.
    bool (*may_measure)(void *context, uint64_t ticket);
    void *context;
};

// live->admission is filled in here.
struct evaluator *cached_new(const struct cached_options *o, struct live_options *live,
                             struct error *e);
