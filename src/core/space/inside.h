// The contents of struct space; for the files of this folder.
#pragma once

#include "space/build.h"

// Statistics that are counted when they are first asked for.
struct space_statistics {
    struct space_restriction_stats *items;
    size_t count;
    bool counted;
};

struct space {
    struct problem problem;
    struct diagram diagram;
    struct text cartesian_text;
    double cartesian;
    uint64_t *faults; // one a restriction of the problem
    struct space_statistics *statistics;
    const struct formula *listed; // of a list: what excludes all others; else NULL
    struct space_share share;
    uint64_t whole_count; // valid ones of all parts
};

// All but the diagram; options as problem_init() takes them. NULL with the error set.
struct space *space_start(const struct spec *s, const struct space_options *o, struct error *e);

// As space_new(), with other limits than the usual ones: for tests, to reach with small spaces what
// large ones do.
struct space *space_make(const struct spec *s, const struct space_options *o,
                         const struct build_limits *limits, struct error *e);

// Is the configuration one that --config allows?
bool choices_allow(const struct problem *p, const uint32_t *choice);
