// Builds the diagram for one order of the parameters: depth first, where two ways that leave the
// same work to do are done once. What is left to do is known from the states of the restrictions'
// automata and, for restrictions too large for a table, from the values they have read.
#pragma once

#include "space/diagram.h"
#include "space/filter.h"

// How large a restriction's automaton may become. One of few assignments is tabulated, a larger one
// made in stages. Where these are too many or cannot be made, it is tabulated all the same up to
// table_most, and beyond that evaluated where its last parameter is bound.
struct build_limits {
    uint64_t table_few, table_most; // assignments of a table
    uint64_t tables_most;           // of all tables that have more than few, together
    uint32_t words;                 // see struct stage_limits; 0: nothing is made in stages
    size_t bytes;                   // that building may take
    uint64_t effort;                // of the first attempt (see solve.c)
};
extern const struct build_limits build_limits_usual;

// Whether an automaton can be made in stages, in one order: what is found out once need not be
// tried again.
enum stageable {
    STAGEABLE_UNKNOWN,
    STAGEABLE_EFFORT, // not with the effort that there was
    STAGEABLE_NOT
};

struct build_options {
    const struct build_limits *limits;
    const uint32_t *order;
    bool any;                  // one path is enough: is there anything at all?
    bool checks;               // what has no automaton is evaluated; else that ends it
    uint64_t *effort;          // steps that may be taken; what is used is subtracted
    enum stageable *stageable; // one a restriction
};

enum build_outcome {
    BUILD_DONE,
    BUILD_EFFORT,   // gave up: the effort is used up
    BUILD_LARGE,    // gave up: it takes too much memory, or what has no automaton is not evaluated
    BUILD_OVERFLOW, // 2^64 configurations or more
    BUILD_MEMORY
};

// Faults found are added to f->faults. The evaluator's steps are the effort.
enum build_outcome build_diagram(const struct filtered *f, const struct build_options *o,
                                 struct evaluator *v, struct diagram *out);
