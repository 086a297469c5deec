// A view: one way to look at a set. The page, pictures and CSV go by one table of them (view_table.c), in the order in
// which a reader asks.
#pragma once

#include "extras/page/sheet.h"
#include "extras/page/page.h"
#include "picture/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_POINTS_MOST 5000 // more are drawn as cells
#define PAGE_ROWS_MOST   100  // of a table in the page
// Widths of the two pictures of a view, in pixels: from the wide one on, and below.
#define PAGE_WIDE   620
#define PAGE_NARROW 340

// Parts of a set's page, in their order: name in an address, heading.
#define PAGE_PARTS(X)                                                                              \
    X(ANSWER, "answer", "Answer")                                                                  \
    X(SEARCH, "search", "Search")                                                                  \
    X(SPACE, "space", "Space")                                                                     \
    X(FAILURES, "failures", "Failures")                                                            \
    X(DATA, "data", "Data")
enum page_part {
#define X(name, text, title) PART_##name,
    PAGE_PARTS(X)
#undef X
        PART_COUNT
};

struct view {
    const char *name, *title;
    const char *about; // how to read it
    enum page_part part;
    bool is_folded; // for experts: it stands closed
    // (optional) What it shows of this set, in a sentence or two: its finding.
    void (*tell)(const struct page_set *s, struct text *out);
    // NULL, or why the set has nothing for it.
    const char *(*missing)(const struct page_set *s);
    // (optional) The picture; `about` in words with numbers is its description.
    void (*draw)(const struct page_set *s, const struct canvas *at, struct text *out);
    void (*grid)(const struct page_set *s, struct sheet *g); // (optional) its numbers
    size_t rows; // of the grid that stand in the page; 0: PAGE_ROWS_MOST
    // It is about all sets of a spec together, and is asked of the first of them (page_is_first()).
    bool is_across;
    void (*put)(const struct page_set *s, struct text *out); // (optional) more, as HTML
};

// The beginning of a view.
#define VIEW(name_, part_, title_, about_, missing_, grid_)                                        \
    .name = name_, .part = PART_##part_, .title = title_, .about = about_, .missing = missing_,    \
    .grid = grid_

extern const struct view *const page_views[]; // ends with NULL
extern const struct view page_view_evaluations, page_view_time, page_view_finalists,
    page_view_rounds, page_view_distribution, page_view_parameters, page_view_importance,
    page_view_heatmap, page_view_parallel, page_view_failures, page_view_table, page_view_sizes,
    page_view_beside, page_view_matrix, page_view_pareto, page_view_samples, page_view_resources,
    page_view_counters, page_view_source, page_view_devices, page_view_roofline,
    page_view_convergence, page_view_deployed, page_view_beginning, page_view_leaderboard;

// Why a set has no times; for `missing`.
const char *page_no_times(const struct page_set *s);
// The speed-up of the best over the default; NaN: not known.
double page_speedup(const struct page_set *s);
// Rounds of the ranking in which most finalists took `rule` times their usual, or longer.
uint32_t page_disturbed_rounds(const struct best_ranking *k, double rule);
// Widens least .. most to the times of the set that were measured alone.
void page_note_span(const struct page_set *s, double *least, double *most);
// A row's time as measured alone: screened times compare with these.
double page_screened(const struct page_row *r);
// Points, or cells where they are many.
void page_draw_points(const struct picture *p, const char *kind, const struct mark *marks,
                      size_t count);
// An area of a picture that is a row of the set, for the script: the pointer on it tells the row, a click pins it. SIZE_MAX: none.
void page_put_hit(const struct picture *p, double left, double top, double right, double bottom,
                  size_t row);
// The same for a row of the picture with its name.
void page_put_row_hit(const struct picture *p, size_t at, size_t row);
// The configuration in a cell.
void page_grid_configuration(const struct page_set *s, const struct page_row *r, struct sheet *g);
// All configurations, the fastest first.
void page_grid_all(const struct page_set *s, struct sheet *g);
// Parameters with more than one value, in their order; returns how many.
size_t page_varied(const struct page_set *s, uint32_t *out);
// A value as a label; of a text longer than that its beginning.
#define PAGE_VALUE 64
void page_value_label(const struct value *v, char out[PAGE_VALUE]);

// Is the view one of those that the page is to have?
bool page_has_view(const struct page *p, const struct view *v);

// ---- sets of one spec, beside each other ---------------------------------------------------------

// One constant of "K=3, N=256, TYPE=float".
#define PAGE_CONSTANTS_MOST 32
struct page_constant {
    const char *name, *value;
    size_t name_length, value_length;
};
size_t page_constants(const char *text, struct page_constant *out);
// The constant of this name in a set; false: it has none.
bool page_constant_of(const struct page_set *s, const struct page_constant *name,
                      struct page_constant *out);
bool page_same_constant(const struct page_constant *a, const struct page_constant *b);

// Is the set from hone score, hone deploy, hone judge or one hone tune? It has no results to compare with those
// of others.
bool page_set_is_found(const struct page_set *s);
bool page_is_kin(const struct page_set *a, const struct page_set *b);
bool page_is_first(const struct page_set *s);
// The sets of the same spec, by their sizes; the caller's. NULL: out of memory.
const struct page_set **page_family(const struct page_set *s, size_t *count);
// The properties that distinguish a set from the others of its family: its constants; the device
// and language; and if there are several of these the driver, the inputs, the kernel source, the
// run, the file.
void page_set_name(const struct page_set *s, struct text *out);
// Parts of that, behind ", " where more than `start` bytes are there.
void page_put_place(const struct page_set *s, size_t start, struct text *out);
void page_put_state(const struct page_set *s, bool with_file, size_t start, struct text *out);
// The file that it comes from, without its folders unless these tell it from another set's.
void page_put_origin(const struct page_set *s, struct text *out);
// Are both of one device, language, driver, text, run, and of like inputs?
bool page_is_like(const struct page_set *a, const struct page_set *b);
// The row of another set that is the same configuration; NULL: there is none.
const struct page_row *page_same_row(const struct page_set *from, const struct page_row *row,
                                     const struct page_set *to, struct text *out);
// A configuration that has a time in all sets, and whose time over the best of a set is the least in the set where it is
// largest.
struct page_portable {
    size_t row;   // of the first set; SIZE_MAX: none has a time in all
    double worst; // that quotient
};
struct page_portable page_find_portable(const struct page_set *const *sets, size_t count,
                                        struct text *out);
// For each row of one set the row of the other that is the same configuration, or SIZE_MAX; the caller's. NULL: their
// parameters are not the same (or out of memory: out->failed).
size_t *page_same_rows(const struct page_set *from, const struct page_set *to, struct text *out);
