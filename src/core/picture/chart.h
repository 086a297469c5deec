// Lines over one axis: what sizes, sweeps, comparisons, deployed tables and searches come to. One picture, of one panel or
// of several that share their axes.
#pragma once

#include "picture/picture.h"

struct chart_point {
    double x;         // of names: the name's index
    double y;         // NaN: there is none, and the line is interrupted
    double low, high; // NaN: no interval
};

struct chart_line {
    const char *label;
    const struct chart_point *points;
    size_t count;
};

struct chart_panel {
    const char *title; // "" of the only one
    const struct chart_line *lines;
};

#define CHART_COLOURS 8 // of lines; a ninth has the first one's again, dashed

struct chart {
    const char *title, *about;
    const char *x_title, *y_title;
    const char *of; // (optional) as in struct picture
    bool y_is_time;
    bool y_from_zero;
    const char *const *names; // (optional) along x, in place of numbers
    size_t name_count;
    const struct chart_panel *panels;
    size_t panel_count, line_count; // lines of each panel, in the same order
    bool is_bare;                   // no mark at each point: the lines have very many
    double limit;                   // a level of y with a name; NaN: none
    const char *limit_name;
};

void picture_chart(const struct chart *c, const struct canvas *at, struct text *out);
// A picture as a file of its own: with its style.
void picture_file(const struct text *svg, struct text *out);
