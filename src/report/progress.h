// The lines that show how far a workflow is, on a terminal. Pure functions of its record of its progress and of the
// screen, so that a test can give any clock and width.
#pragma once

#include "base/text.h"
#include "workflows/check/checks.h"
#include "workflows/compare/compare.h"
#include "workflows/tune/tune.h"

// The properties of the terminal that is drawn on.
struct screen {
    size_t width; // columns; 0: as many as it takes
    bool utf8;    // else ASCII alone
};

// "######--------------": `done` of `planned`, a quarter of the screen, 10 to 40 columns. In UTF-8 lines in place of signs.
void report_bar(uint64_t done, uint64_t planned, const struct screen *s, struct text *out);

// Cuts the line that begins at `from` to the screen's width; what was cut ends with an ellipsis.
void report_cut(struct text *line, size_t from, const struct screen *s);

// Two lines without the last newline, to be cut at the width of the screen: the bar, how much of
// the plan is done, how many failed, the time left, and last what is running, or which process has
// the device; then, if there is one, the best so far with its time and its objective (else the
// first metric of the spec):
//
//   ######--------------  12/41 (2 known)  3 failed  15 s left  building 2, measuring a=2, b=1
//   best 8.100 ms, 4.143 GFLOP/s: a=1, b=2
void report_tune_progress(const struct tune_progress *p, const struct objectives *o,
                          const struct spec *spec, const struct screen *s, struct text *out);
// Without a best.
void report_check_progress(const struct check_progress *p, const struct screen *s,
                           struct text *out);
void report_compare_progress(const struct compare_progress *p, const struct screen *s,
                             struct text *out);
