// Several live evaluators as one, so that jobs for different devices, or for one card in different
// languages, can be launched in turn. Each member has workers of its own; the router sees to it
// that one of them at a time uses a device, and holds the lock on it for all.
//
// Turns (evaluator_again()) are served strictly in the order of the calls, whichever member's they
// are. Two members of one card share its lock: locks of two evaluators in one process would shut
// each other out. A lock that is held by hold() keeps the members from launching anything that is
// no turn.
#pragma once

#include "runner/evaluator.h"

#define SEVERAL_MOST 8 // members

struct several_options {
    const struct live_options *members; // their admissions are filled in here
    uint32_t count;                     // 1 .. SEVERAL_MOST
    const char *lock_folder;            // (optional) NULL: no lock on the devices
};

// Results are not stored: evaluator_keep() does nothing, that is the caller's.
struct evaluator *several_new(const struct several_options *o, struct error *e);

// The ticket says whose job it is: number n of a member. n < 2^60.
uint64_t several_ticket(uint32_t member, uint64_t n);
