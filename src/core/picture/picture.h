// Pictures as SVG: a frame with two axes, and marks in it. Everything is text that scales, prints and can be edited;
// colours are classes (picture.css), so that a page can have them light or dark. Points of one kind are one path, whose
// round caps draw them: a dozen bytes each.
#ifndef HONE_PICTURE_PICTURE_H
#define HONE_PICTURE_PICTURE_H

#include "base/text.h"

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

struct picture {
    struct text *out;
    double width, height;
    double left, right, top, bottom; // edges of the frame
    struct axis x, y;
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

// The element with its title and description (which screen readers read); `id` is unique in its page. Sets the size and
// the frame with usual margins, which the caller may change before picture_axes().
void picture_begin(struct picture *p, struct text *out, const char *id, double width, double height,
                   const char *title, const char *description);
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
// Colours and what they mean, in a row above the frame, from the left; ends with NULL.
struct legend {
    const char *kind, *text;
    bool is_line;
};
void picture_legend(const struct picture *p, const struct legend *entries, size_t count);

// A text in an element or an attribute: marked characters escaped, control and bidirectional ones made visible.
void put_markup(const char *s, struct text *out);
// At most two decimals.
void put_coordinate(double v, struct text *out);
// The unit in which times up to `ns` are shown: its name, and ns in *size.
const char *time_axis_unit(double ns, double *size);

extern const char picture_style[]; // picture.css

#endif
