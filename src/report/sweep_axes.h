// What the two pictures of a sweep share: SVG (sweep_picture.c) and a script for gnuplot (sweep_plot.c).
#ifndef HONE_REPORT_SWEEP_AXES_H
#define HONE_REPORT_SWEEP_AXES_H

#include "report/sweep_report.h"

// A name's number at a row's point; NaN: it is none.
double sweep_number(const struct sweep_report *v, uint32_t row, uint32_t name);
// What stands along x: "N = M = K" where names have the same values everywhere; "point" where the points follow each other.
void sweep_axis_name(const struct sweep_report *v, struct text *out);
uint32_t sweep_panel(const struct sweep_report *v, uint32_t row);
// What tells a panel from others: a name that varies, and has one value within each panel.
bool sweep_is_panel_name(const struct sweep_report *v, uint32_t name);
// "M=odd, K=3": of the row's panel; "" of the only one.
void sweep_panel_name(const struct sweep_report *v, uint32_t row, struct text *out);
// Is there a time at all, or where a metric is shown a value of it?
bool sweep_has_values(const struct sweep_report *v);

#endif
