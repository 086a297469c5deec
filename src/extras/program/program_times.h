// The time that a program says it took: a line of JSON, or the output of nvbench or of Google Benchmark as it is.
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

// The program's word on its result.
enum claim { CLAIM_NOTHING, CLAIM_VALID, CLAIM_WRONG };

struct program_time {
    double ns;
    enum claim claim;
    char why[256]; // CLAIM_WRONG: "message", or ""
};

// Reads what was printed, or stood in the program's file. `benchmark` (optional): the name of the one that counts. False, with
// what is missing: there is no time.
bool program_time_read(const char *text, size_t length, const char *benchmark,
                       struct program_time *out, struct error *e);
