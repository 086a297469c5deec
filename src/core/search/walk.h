// A walk over the whole space, each configuration once: those that the user begins with, then the
// default configuration, so that there is a baseline early, then the others in an order of positions.
#pragma once

#include "space/space.h"

struct walk {
    uint64_t count;              // of the space
    uint64_t next;               // position of the next one
    const uint64_t *starts;      // each of them once
    uint32_t start_count, given; // given: of the starts and, behind these, the default
    uint64_t initial;
    bool has_initial; // the spec's default is in the space, and none of the starts
};

// `starts` outlive the walk.
void walk_init(struct walk *w, const struct space *sp, const uint64_t *starts,
               uint32_t start_count);
// Is the next one a start or the default?
bool walk_is_beginning(const struct walk *w);
// The configuration at a position of the order; a bijection of 0 .. count-1.
typedef uint64_t walk_order(const void *data, uint64_t position);
// The next `capacity` indices; fewer at the end. Without an `order` a position is an index.
size_t walk_ask(struct walk *w, walk_order *order, const void *data, uint64_t *out,
                size_t capacity);
