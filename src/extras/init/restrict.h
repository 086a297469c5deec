// Restrictions that a kernel's source says of its parameters.
#pragma once

#include "extras/init/study.h"

// As expressions of a spec.
struct restrictions {
    const char **list;
    uint32_t count;
    size_t room;
};

// Restrictions in these functions, which the kernel reaches. A restriction derived from a division
// holds with the atoms' values; without memory run.failed.
void study_restrictions(struct study *s, const struct function *const *functions, uint32_t count,
                        struct restrictions *out);
// Gives names without a value of the text's own one with which it compiles.
void study_settle_demands(struct study *s, const struct function *const *functions, uint32_t count);
