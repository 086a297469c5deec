// Chooses the answer among configurations that are tied: among those practically as fast as the
// fastest, the one that takes the fewest resources, since that leaves the most room for other work;
// then the first in the order of the space. A tie may still mean some per cent slower, after few
// rounds or under noise: resources do not override that. `hone tune` and `hone best` both ask here,
// so they name the same.
#pragma once

#include "model/result.h"

struct tie_candidate {
    const struct result *result; // its resources count
    uint64_t group_size;         // work-items of a work-group; 0: not known
    const uint32_t *choice;      // value indices; NULL: not known
    double ratio;                // its time over that of the fastest, as estimated; 1: it is that
    bool is_default;             // the default configuration
};

// The index of the chosen one; `count` is 1 or more. Candidates whose ratio is beyond `alike` are
// not chosen, nor are those slower than the default, if that is a candidate: users should not leave
// the default for a configuration that is slower by the same estimate. `why` (256 bytes) names the
// deciding criteria: "fewest registers, then the smallest work-group"; "" for a single one. A
// resource that the driver does not report for all of them decides nothing.
#define TIE_BREAK_WHY 256
size_t tie_break(const struct tie_candidate *c, size_t count, double alike, uint32_t parameters,
                 char *why);
