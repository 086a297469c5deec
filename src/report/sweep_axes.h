// Helpers shared by the two pictures of a sweep: SVG (sweep_picture.c) and a gnuplot script
// (sweep_plot.c).
#ifndef HONE_REPORT_SWEEP_AXES_H
#define HONE_REPORT_SWEEP_AXES_H

#include "report/sweep_report.h"

// A name's number at a row's point; NaN: not a number.
double sweep_number(const struct sweep_report *v, uint32_t row, uint32_t name);
// The label of the x axis: "N = M = K" for names that are equal everywhere; "point" if the points
// are in sequence.
void sweep_axis_name(const struct sweep_report *v, struct text *out);
uint32_t sweep_panel(const struct sweep_report *v, uint32_t row);
// Does this name distinguish panels, that is, vary overall but not within a panel?
bool sweep_is_panel_name(const struct sweep_report *v, uint32_t name);
// The name of the row's panel, "M=odd, K=3"; "" if there is only one.
void sweep_panel_name(const struct sweep_report *v, uint32_t row, struct text *out);
// Is there any time or, if a metric is shown, any value of it?
bool sweep_has_values(const struct sweep_report *v);

#endif
