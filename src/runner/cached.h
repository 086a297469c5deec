// Wraps the live evaluator with the store and the device's lock: what is known is not measured
// again, what is measured is stored before its outcome is given out. Resuming a tune is this
// module's business alone.
#ifndef HONE_EVAL_REMEMBER_H
#define HONE_EVAL_REMEMBER_H

#include "eval/evaluator.h"
#include "store/store.h"

struct remember_options {
    struct store *store;     // (optional) NULL: nothing is remembered, only the lock is kept
    bool fresh;              // earlier results do not answer
    bool alone;              // the one job was asked for on its own: see store_find()
    uint32_t retry;          // earlier failures with these statuses do not answer: 1 << status
    const char *lock_folder; // (optional) NULL: no lock on the device
    const char *spec_name;
    const char *constants; // canonical text
    struct digest source;
};

// live->gate is filled in here.
struct evaluator *remember_new(const struct remember_options *o, struct live_options *live,
                               struct error *e);

#endif
