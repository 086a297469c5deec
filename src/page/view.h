// A view: one way to look at a set. The page, --svg and --csv go by one table of them (view_table.c), in the order in
// which a reader asks.
#ifndef HONE_PAGE_VIEW_H
#define HONE_PAGE_VIEW_H

#include "page/sheet.h"
#include "page/page.h"
#include "picture/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_POINTS_MOST 5000 // more are drawn as cells
#define PAGE_ROWS_MOST   100  // of a table in the page

struct view {
    const char *name, *title;
    const char *about; // what it shows, in a sentence or two
    // NULL, or why the set has nothing for it.
    const char *(*missing)(const struct page_set *s);
    // (optional) The picture, as an element of this id; `about` in words with numbers is its description.
    void (*draw)(const struct page_set *s, const char *id, struct text *out);
    void (*grid)(const struct page_set *s, struct sheet *g); // (optional) its numbers
    size_t rows; // of the grid that stand in the page; 0: PAGE_ROWS_MOST
};

extern const struct view *const page_views[]; // ends with NULL
extern const struct view page_view_evaluations, page_view_time, page_view_finalists,
    page_view_rounds, page_view_distribution, page_view_parameters, page_view_importance,
    page_view_heatmap, page_view_parallel, page_view_failures, page_view_table;

// What a set without a single time lacks: for `missing`.
const char *page_no_times(const struct page_set *s);
// What a row was measured to take alone: screened ones compare with these.
double page_screened(const struct page_row *r);
// Points, or cells where they are many.
void page_draw_points(const struct picture *p, const char *kind, const struct mark *marks,
                      size_t count);
// The configuration in a cell.
void page_grid_configuration(const struct page_set *s, const struct page_row *r, struct sheet *g);
// Parameters with more than one value, in their order; returns how many.
size_t page_varied(const struct page_set *s, uint32_t *out);
// A value as a label, at most 14 characters.
void page_value_label(const struct value *v, char out[24]);

#endif
