// A folder for temporary files that outlives nobody: it goes with its owner, or, where that was
// killed, with the next one who makes such a folder beside it. Whoever uses one holds a lock on it,
// so one without a lock was left behind.
#pragma once

#include "base/error.h"

struct scratch {
    char *path; // NULL: none
    int fd;     // holds the lock; -1: none
};

#define SCRATCH_NONE                                                                               \
    {                                                                                              \
        .fd = -1                                                                                   \
    }

// Makes PARENT/hone-scratch-XXXXXX; leftovers there, a minute old, are removed first.
bool scratch_make(struct scratch *s, const char *parent, struct error *e);
// Calls `each` for every scratch folder of this user's in PARENT. One that was made within the last minute counts as used.
void scratch_each(const char *parent, void (*each)(void *context, const char *path, bool is_used),
                  void *context);
// Removes it with everything in it. May be called on SCRATCH_NONE.
void scratch_remove(struct scratch *s);
