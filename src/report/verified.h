// What results show of a kernel: that it is correct, that its configurations agree with each other,
// or no more than that it ran; and how much of its outputs it wrote.
#ifndef HONE_REPORT_VERIFIED_H
#define HONE_REPORT_VERIFIED_H

#include "base/emit.h"
#include "base/text.h"
#include "report/view.h"

enum view_shown report_shown(const struct view_check *c, const struct view_outcome *list,
                             size_t count);
// "correct", "agree with each other; not verified", ...
const char *report_shown_text(enum view_shown s);

// "Written by the kernel: C whole, D 484 of 1024 (47.3 %)", in components, of those that are
// correct; with `always` also what was written whole. Nothing where nothing is known.
void report_written(const struct view_outcome *list, size_t count, bool always, struct text *out);
// ", wrote 47.3 % of out": what of one result is not whole.
void report_written_part(const struct result *r, struct text *out);
// [{"argument", "compared", "components", "written", "left_by_reference", "nans",
//   "reference_nans"}]: `written` is null of what the kernel reads, too.
void report_outputs_json(const struct result *r, struct emit *j);

#endif
