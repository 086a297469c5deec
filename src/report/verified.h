// Describes the evidence for a kernel: that it is correct, that its configurations agree with each
// other, or only that it ran; and how much of its outputs it wrote.
#pragma once

#include "base/emit.h"
#include "base/text.h"
#include "report/record.h"

// The evidence that results give, strongest first.
enum evidence {
    SHOWN_CORRECT,
    SHOWN_AGREEMENT, // configurations that differ agree with the default one
    SHOWN_REPEATS,   // only the default one ran, compared with itself
    SHOWN_CLAIMED,   // a program says so of itself
    SHOWN_RAN        // nothing was compared
};

// The records of a workflow, whichever it is.
struct checked_outcome {
    const char *configuration;
    const char *same_as; // (optional) the identical configuration that ran instead
    const struct result *result;
};
struct checked_outcomes {
    const void *records;
    size_t count;
    struct checked_outcome (*at)(const void *records, size_t i);
};

// The verification `c`; but VERIFICATION_NONE, with the output concerned, if no correct result counts as
// verified and the check of one was found to show nothing.
struct verified_by report_verified(const struct verified_by *c, const struct checked_outcomes *o);
enum evidence report_shown(const struct verified_by *c, const struct checked_outcomes *o);
// "correct", "agree with each other; not verified", ...
const char *report_shown_text(enum evidence s);

// "Written by the kernel: C whole, D 484 of 1024 (47.3 %)", in components, of those that are
// correct; with `always` also what was written whole. In a line of its own what is not compared, because
// the default configuration does not write it. Nothing where nothing is known.
void report_written(const struct checked_outcomes *o, bool always, struct text *out);
// A line for each output whose check lets wrong outputs pass, or had to be narrowed.
void report_check_notes(const struct checked_outcomes *o, struct text *out);
// The objects of an array of these.
extern const struct fields report_check_note_fields;
void report_emit_check_notes(const struct checked_outcomes *o, struct emit *j);
// ", wrote 47.3 % of out": what of one result is not whole.
void report_written_part(const struct result *r, struct text *out);
