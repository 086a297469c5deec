// Which of several configurations that are not told apart is the answer: the one that takes the
// fewest resources, since that leaves the most room for what runs beside it; then the first in the
// order of the space. `hone tune` and `hone best` both ask here, so they name the same.
#ifndef HONE_PICK_H
#define HONE_PICK_H

#include "job/result.h"

struct pick_candidate {
    const struct result *result; // its resources count
    uint64_t group_size;         // work-items of a work-group; 0: not known
    const uint32_t *choice;      // value indices; NULL: not known
};

// The index of the chosen one; `count` is 1 or more. `why` (256 bytes) says what decided: "fewest
// registers, then the smallest work-group"; "" for a single one. A resource that the driver does
// not tell for all of them decides nothing.
#define PICK_WHY 256
size_t pick_fewest(const struct pick_candidate *c, size_t count, uint32_t parameters, char *why);

#endif
