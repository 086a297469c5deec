// Pictures as SVG: a frame with two axes, and marks in it. Everything is text that scales, prints and can be edited;
// colours are classes (picture.css), so that a page can have them light or dark. Points of one kind are one path, whose
// round caps draw them: a dozen bytes each.
#pragma once

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct axis {
    enum { AXIS_LINEAR, AXIS_LOG, AXIS_NAMES } kind;
    double low, high;         // NAMES: 0 and their number; name i stands at i + 0.5
    const char *title;        // the unit is added to that of a time
    bool is_time;             // ns
    bool is_count;            // ticks at whole numbers alone
    const char *const *names; // of NAMES
    const double *ticks;      // (optional) where ticks stand; NULL: at round numbers
    size_t tick_count;
};

enum { PICTURE_FONT = 12, PICTURE_LINE = 14 }; // height of all text, and of a line of it

// Where a picture is to be shown.
struct canvas {
    const char *id; // of the element, unique in its page
    double
        width; // in units of which text is PICTURE_FONT high; 0: as wide as is usual for what it shows
    double millimetres; // on paper; 0: it has none, and a unit is a pixel
};

// The area that texts cover: all of it is seen, whatever the frame leaves to them.
struct extent {
    double left, right, top, bottom;
};

struct picture {
    struct text *out;
    struct canvas at;
    size_t start;           // of the element in `out`
    struct extent *covered; // of the picture that picture_begin() was given, and of its copies
    struct extent own;
    double width, height;
    double left, right, top, bottom; // edges of the frame
    struct axis x, y;
    bool is_open;   // the frame has no edges
    const char *of; // (optional) of the frame, for scripts: what it shows, as JSON
};

// Marks are of a class of picture.css. Coordinates are those of the axes, in the order of x and y.
struct mark {
    double x, y;
};

// An axis from the least to the greatest of what is shown, with room at both ends; a logarithmic one where that is
// positive and spans more than a factor of four.
void axis_fit(struct axis *a, double least, double greatest);
double picture_x(const struct picture *p, double value);
double picture_y(const struct picture *p, double value);

// The width that a picture will have there, for what is laid out before it begins.
double picture_width(const struct canvas *at, double usual);
// The element with its title and description (which screen readers read). Sets the size (`width` if the canvas has none) and
// the frame with usual margins, which the caller may change before picture_axes(). The picture stays where it is until
// picture_end().
void picture_begin(struct picture *p, struct text *out, const struct canvas *at, double width,
                   double height, const char *title, const char *description);
// The frame with its axes, as data-x and data-y of a group for scripts: "kind low high from to"; p->of is its data-of.
void picture_axes(const struct picture *p);
void picture_end(const struct picture *p);

void picture_points(const struct picture *p, const char *kind, const struct mark *marks,
                    size_t count);
// The same for very many: cells with five depths of colour by how many points there are.
void picture_density(const struct picture *p, const char *kind, const struct mark *marks,
                     size_t count);
void picture_line(const struct picture *p, const char *kind, const struct mark *marks, size_t count,
                  bool as_steps);
// Between two points; of a whole width or height with NAN as either end.
void picture_segment(const struct picture *p, const char *kind, double x0, double y0, double x1,
                     double y1);
// A box between two corners; `title` (or NULL) is shown where the mouse rests on it.
void picture_box(const struct picture *p, const char *kind, double x0, double y0, double x1,
                 double y1, const char *title);
// Text at a point of the picture itself, in its units; `anchor` is "start", "middle" or "end".
void picture_text(const struct picture *p, const char *kind, double x, double y, const char *anchor,
                  const char *text);
// Colours and what they mean, in rows above the frame.
struct legend {
    const char *kind, *text;
    bool is_line;
};
void picture_legend(const struct picture *p, const struct legend *entries, size_t count);

// ---- labels

double picture_text_width(const char *text);
// The bytes of the first line of a text in so much room; 0: at its end. Lines end at blanks and the like, if there are any.
size_t picture_line_length(const char *text, double room);
size_t picture_line_count(const char *text, double room);
// The text in lines; y is that of the first.
void picture_lines(const struct picture *p, const char *kind, double x, double y,
                   const char *anchor, double room, const char *text);

// Rows with names: at their left, or above them where the picture is narrow. Nothing of a name is left out: it has as many
// lines as it needs.
struct picture_rows {
    double left;         // edge of the frame
    double height;       // of a row
    double middle, half; // of a row's marks, and of their height, as shares of its height
    double room;
    bool is_above;
};
// `least`: height of a row whose name has one line.
void picture_rows(struct picture_rows *rows, double width, const char *const *names, size_t count,
                  double least);
void picture_row_name(const struct picture *p, const struct picture_rows *rows, size_t row,
                      const char *name);
// A picture of `count` rows with its frame: y goes from 0 at the top to `count`, and the first row is 0 to 1.
struct picture_list {
    const char *title, *description;
    const char *const *names;
    size_t count;
    double least; // as above
    struct axis x;
};
void picture_begin_rows(struct picture *p, struct picture_rows *rows, struct text *out,
                        const struct canvas *at, const struct picture_list *list);

// A text in an element or an attribute: marked characters escaped, control and bidirectional ones made visible.
void put_markup(const char *s, struct text *out);
// At most two decimals.
void put_coordinate(double v, struct text *out);
// The unit in which times up to `ns` are shown: its name, and ns in *size.
const char *time_axis_unit(double ns, double *size);

extern const char picture_style[]; // picture.css
