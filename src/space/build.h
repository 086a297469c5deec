// Builds the diagram for one order of the parameters: depth first, where two ways that leave the
// same work to do are done once. What is left to do is known from the states of the restrictions'
// automata and, for restrictions too large for a table, from the values they have read.
#ifndef HONE_SPACE_BUILD_H
#define HONE_SPACE_BUILD_H

#include "space/diagram.h"
#include "space/filter.h"

struct build_options {
    const uint32_t *order;
    bool any;         // one path is enough: is there anything at all?
    bool checks;      // what has no automaton is evaluated; else that is effort used up
    uint64_t *effort; // steps and evaluations that may be taken; what is used is subtracted
};

enum build_outcome {
    BUILD_DONE,
    BUILD_EFFORT,   // gave up: the effort is used up
    BUILD_OVERFLOW, // 2^64 configurations or more
    BUILD_MEMORY
};

// Faults found are added to f->faults.
enum build_outcome build(const struct filtered *f, const struct build_options *o,
                         struct evaluator *v, struct diagram *out);

#endif
