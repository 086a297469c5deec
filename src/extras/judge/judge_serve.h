// Candidates from standard input, a line of JSON each, in batches: whatever has come by the time that the last batch is judged.
//
//   {"candidate": "a.cl"}                                 a file
//   {"candidate": "try 17", "text": "kernel void ..."}    the text itself; the name is only a name
#pragma once

#include "base/text.h"
#include "extras/judge/candidates.h"

#define SERVE_BATCH     64
#define SERVE_LINE_MOST (4u << 20)

struct serving {
    int input;
    const char *folder; // texts are put there
    enum language language;
    struct text read; // and not taken yet
    uint64_t lines;   // taken
    bool ended;
    bool skips; // what is left of a line that was too long
};

// Waits for a line, and takes those that are there. What is wrong with a line is told in `wrong`, a line of JSON for each;
// *out may then have no candidate. False at the end of the input, or with an error.
bool serving_batch(struct serving *s, struct candidates *out, struct text *wrong, struct error *e);
void serving_release(struct serving *s);
