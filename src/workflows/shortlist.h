// Which configurations of a tune may still be the best: those whose screening is within a factor of
// the fastest, the fastest first, and no more than a fixed number. Only their jobs are kept, so
// that memory does not grow with the space.
#ifndef HONE_CONTENDERS_H
#define HONE_CONTENDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct contender {
    uint64_t ticket;
    double estimate_ns;
};

struct contenders {
    struct contender *list; // by estimate, equal ones by ticket
    size_t count, most;     // most 0: nobody is one
    double near;            // times the fastest
    // Told of each that was considered and is none (any more).
    void (*leaves)(void *context, uint64_t ticket);
    void *context;
};

// False without memory.
bool contenders_init(struct contenders *c, size_t most, double near,
                     void (*leaves)(void *context, uint64_t ticket), void *context);
void contenders_release(struct contenders *c);
// Takes it in, or has it leave at once; others may have to leave for it.
void contenders_consider(struct contenders *c, uint64_t ticket, double estimate_ns);

#endif
