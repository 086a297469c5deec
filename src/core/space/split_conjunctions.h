// A problem whose restrictions are as small as can be: one that is a conjunction becomes its parts,
// where that makes no difference to what holds and to what has no value (see graph_split()).
#pragma once

#include "space/problem.h"

struct split {
    struct problem problem; // the parts; all else is the whole's
    uint32_t *whole;        // one a part: the restriction that it is of
    bool *skip;             // one a part
};

// `slots`: constants and facts, or NULL: the problem's. `cells`: restrictions of fewer assignments
// stay as they are. False without memory; split_release() in either case.
bool split_init(struct split *s, const struct problem *p, const struct value *slots, uint64_t cells,
                const bool *skip);
void split_release(struct split *s);
