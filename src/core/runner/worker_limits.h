// How long a worker may take for what it says it is doing.
#pragma once

#include "runner/evaluator.h"
#include "worker/protocol.h"

// Inputs of the limits; the evaluator keeps them up to date, workers only read them.
struct worker_limits {
    struct terms terms;
    uint64_t best_ns; // the best time so far; 0: not known
    // The longest that the bench's driver took for these, of those that ended.
    uint64_t opening_ns, inputs_ns, checking_ns;
    bool is_doubted; // the device may be lost: its driver gets a small multiple of these at most
    bool is_probing; // what the bench launches shall show that it is not
};

// `awaits`: the worker owes an answer. 0: no limit.
uint64_t worker_limit(const struct worker_limits *l, enum worker_role role, const struct phase *p,
                      bool awaits);
