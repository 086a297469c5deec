// Collects a simulator's findings over a whole check: one entry for each kernel line and kind.
#pragma once

#include "workflows/check/checks.h"

struct findings {
    struct check_finding *list; // by file and line, see race_compare()
    size_t count, room;
};

// Adds what was found for a record. False without memory.
bool findings_add(struct findings *f, const struct check_record *r);
void findings_release(struct findings *f);
