// The finalists: the configurations of a tune that may still be the best, whose screening is within a factor of
// the fastest, the fastest first, and no more than a fixed number. Only their jobs are kept, so
// that memory does not grow with the space.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shortlisted {
    uint64_t ticket;
    double estimate_ns;
};

struct shortlist {
    struct shortlisted *list; // by estimate, equal ones by ticket
    size_t count, most;       // most 0: always empty
    double near;              // times the fastest
    // Called for each that was considered and is not on the list (any more).
    void (*leaves)(void *context, uint64_t ticket);
    void *context;
};

// False without memory.
bool shortlist_init(struct shortlist *c, size_t most, double near,
                    void (*leaves)(void *context, uint64_t ticket), void *context);
void shortlist_release(struct shortlist *c);
// Takes it in, or has it leave at once; others may have to leave for it.
void shortlist_consider(struct shortlist *c, uint64_t ticket, double estimate_ns);
