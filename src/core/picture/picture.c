// SVG. Ticks are 1, 2 or 5 times a power of ten; on a logarithmic axis of several decades the powers alone.
#include "picture/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICKS_MOST 64

// ---- text --------------------------------------------------------------------------------------

void put_markup(const char *s, struct text *out)
{
    struct text visible = TEXT_INIT;
    text_add_visible(&visible, s, strlen(s), true);
    for (const char *at = text_cstr(&visible); *at; at++) {
        if (*at == '<')
            text_add(out, "&lt;");
        else if (*at == '>')
            text_add(out, "&gt;");
        else if (*at == '&')
            text_add(out, "&amp;");
        else if (*at == '"')
            text_add(out, "&quot;");
        else if (*at == '\'')
            text_add(out, "&#39;");
        else
            text_addc(out, *at);
    }
    out->failed |= visible.failed;
    text_release(&visible);
}

void put_coordinate(double v, struct text *out)
{
    char digits[16];
    size_t n = 0;
    if (!isfinite(v) || fabs(v) > 1e7)
        v = 0;
    long hundredths = lround(v * 100);
    if (hundredths < 0)
        text_addc(out, '-');
    hundredths = labs(hundredths);
    long whole = hundredths / 100, rest = hundredths % 100;
    do
        digits[n++] = (char)('0' + whole % 10);
    while (whole /= 10);
    while (n)
        text_addc(out, digits[--n]);
    if (rest) {
        text_addc(out, '.');
        text_addc(out, (char)('0' + rest / 10));
        if (rest % 10)
            text_addc(out, (char)('0' + rest % 10));
    }
}

static void put_pair(double x, double y, struct text *out)
{
    put_coordinate(x, out);
    text_addc(out, ' ');
    put_coordinate(y, out);
}

static void put_attribute(const char *name, double v, struct text *out)
{
    text_addf(out, " %s=\"", name);
    put_coordinate(v, out);
    text_addc(out, '"');
}

static void cover(struct extent *e, double left, double right, double top, double bottom)
{
    *e = (struct extent){fmin(e->left, left), fmax(e->right, right), fmin(e->top, top),
                         fmax(e->bottom, bottom)};
}

// ---- axes --------------------------------------------------------------------------------------

const char *time_axis_unit(double ns, double *size)
{
    static const struct {
        const char *name;
        double size;
    } units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
    size_t i = 0;
    while (i < 3 && ns < units[i].size)
        i++;
    *size = units[i].size;
    return units[i].name;
}

void axis_fit(struct axis *a, double least, double greatest)
{
    if (!(greatest >= least)) {
        least = 0;
        greatest = 1;
    }
    a->kind = least > 0 && greatest > 4 * least ? AXIS_LOG : AXIS_LINEAR;
    double room = a->kind == AXIS_LOG ? pow(greatest / least, 0.04) : 0.05 * (greatest - least);
    if (a->kind == AXIS_LINEAR && room == 0)
        room = greatest != 0 ? fabs(greatest) / 10 : 1;
    a->low = a->kind == AXIS_LOG ? least / room : least - room;
    a->high = a->kind == AXIS_LOG ? greatest * room : greatest + room;
    if (least >= 0 && a->low < 0)
        a->low = 0;
}

static double along(const struct axis *a, double value, double from, double to)
{
    double low = a->low, high = a->high;
    if (a->kind == AXIS_LOG) {
        low = log(low);
        high = log(high);
        value = value > 0 ? log(value) : low;
    }
    return high != low ? from + (value - low) / (high - low) * (to - from) : (from + to) / 2;
}

double picture_x(const struct picture *p, double value)
{
    return along(&p->x, value, p->left, p->right);
}

double picture_y(const struct picture *p, double value)
{
    return along(&p->y, value, p->bottom, p->top);
}

// The values at which ticks stand, in the unit of the axis, which is *size of its numbers.
static size_t ticks_of(const struct axis *a, double size, double out[TICKS_MOST])
{
    double low = a->low / size, high = a->high / size;
    size_t count = 0;
    if (a->kind == AXIS_LOG && high / low >= 8) {
        static const double steps[] = {1, 2, 5};
        size_t each = high / low < 1000 ? 3 : 1;
        int decade = (int)floor(log10(low)), last = (int)ceil(log10(high));
        int stride = last - decade > 12 ? (last - decade) / 8 + 1 : 1;
        for (; decade <= last; decade += stride) {
            for (size_t i = 0; i < each && count < TICKS_MOST; i++) {
                double v = steps[i] * pow(10, decade);
                if (v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9))
                    out[count++] = v;
            }
        }
        if (count > 2)
            return count;
        count = 0;
    }
    double raw = (high - low) / 6;
    double power = pow(10, floor(log10(raw > 0 ? raw : 1)));
    double step = raw / power < 1.5   ? power
                  : raw / power < 3.5 ? 2 * power
                  : raw / power < 7.5 ? 5 * power
                                      : 10 * power;
    step = a->is_count ? fmax(step, 1) : step;
    double first = ceil(low / step - 1e-9) * step, v = first;
    while (v <= high + step * 1e-9 && count < TICKS_MOST) {
        out[count++] = fabs(v) < step * 1e-9 ? 0 : v;
        v = first + (double)count * step;
    }
    return count;
}

static void put_tick_label(const struct picture *p, bool is_x, double at, const char *label)
{
    picture_text(p, "tick", is_x ? at : p->left - 6, is_x ? p->bottom + 16 : at + 4,
                 is_x ? "middle" : "end", label);
}

static void put_tick(const struct picture *p, bool is_x, double at, const char *label)
{
    struct text *out = p->out;
    text_add(out, "<path class=\"grid\" d=\"M");
    put_pair(is_x ? at : p->left, is_x ? p->bottom : at, out);
    text_add(out, is_x ? "V" : "H");
    put_coordinate(is_x ? p->top : p->right, out);
    text_add(out, "\"/>");
    put_tick_label(p, is_x, at, label);
}

enum { NAME_LINES = 3 };

// The lines that names along x need, each in its own slot and broken between words; 0: they do not fit.
static size_t lines_of_names(const struct axis *a, double slot)
{
    size_t most = 1;
    for (size_t i = 0; i < (size_t)a->high; i++) {
        size_t lines = 0;
        for (const char *at = a->names[i]; *at; lines++) {
            size_t length = picture_line_length(at, slot);
            if (at[length] && !strchr(" ,_/-:", at[length - 1]))
                return 0;
            at += length;
        }
        most = lines > most ? lines : most;
    }
    return most <= NAME_LINES ? most : 0;
}

// Names that would meet stand in lines, or are left out by a stride, so that those that stand are evenly spaced. Returns the
// lines.
static size_t put_names(const struct picture *p, const struct axis *a, bool is_x)
{
    size_t count = (size_t)a->high;
    double longest = 0, slot = fabs(is_x ? p->right - p->left : p->bottom - p->top);
    size_t lines = is_x && count ? lines_of_names(a, slot / (double)count - 6) : 1;
    for (size_t i = 0; i < count && lines > 1; i++)
        picture_lines(p, "tick", picture_x(p, (double)i + 0.5), p->bottom + 16, "middle",
                      slot / (double)count - 6, a->names[i]);
    if (lines > 1)
        return lines;
    for (size_t i = 0; i < count && is_x; i++)
        longest = fmax(longest, picture_text_width(a->names[i]));
    double needed = (is_x ? longest + 6 : PICTURE_LINE) * (double)count;
    size_t stride = slot > 0 ? (size_t)ceil(needed / slot) : 1;
    for (size_t i = 0; i < count; i += stride ? stride : 1) {
        double at = is_x ? picture_x(p, (double)i + 0.5) : picture_y(p, (double)i + 0.5);
        put_tick_label(p, is_x, at, a->names[i]);
    }
    return 1;
}

static void put_numbers(const struct picture *p, const struct axis *a, bool is_x, double size)
{
    double values[TICKS_MOST];
    char label[48];
    size_t count = a->ticks ? a->tick_count : ticks_of(a, size, values);
    double taken = -INFINITY; // labels along x that would meet are left out
    for (size_t i = 0; i < count; i++) {
        double v = a->ticks ? a->ticks[i] / size : values[i];
        double at = is_x ? picture_x(p, v * size) : picture_y(p, v * size);
        bool is_size = fabs(v) < 1e8 && v == rint(v); // as it is: 1048576
        snprintf(label, sizeof label, is_size ? "%.0f" : fabs(v) >= 1e6 ? "%.3g" : "%.6g", v);
        double half = picture_text_width(label) / 2;
        bool meets = is_x && at - half < taken;
        put_tick(p, is_x, at, meets ? "" : label);
        taken = meets ? taken : at + half + 6;
    }
}

// Along y the title stands on its side; a group turns it, so that a script may stretch the text.
static void put_axis_title(const struct picture *p, const struct axis *a, bool is_x,
                           size_t lines_below, const char *title)
{
    double room = is_x ? p->right - p->left + 40 : p->bottom - p->top + 30;
    if (is_x) {
        picture_lines(p, "axis", (p->left + p->right) / 2,
                      p->bottom + 36 + PICTURE_LINE * ((double)lines_below - 1), "middle", room,
                      title);
        return;
    }
    double x = a->kind == AXIS_NAMES ? 14 : fmax(p->left - 54, 12), y = (p->top + p->bottom) / 2;
    size_t lines = picture_line_count(title, room);
    struct extent turned = {0, 0, 0, 0};
    struct picture side = *p;
    side.covered = &turned; // in its own directions
    text_add(p->out, "<g class=\"side\" transform=\"translate(");
    put_pair(x, y, p->out);
    text_add(p->out, ") rotate(-90)\">");
    picture_lines(&side, "axis", 0, -PICTURE_LINE * ((double)lines - 1), "middle", room, title);
    text_add(p->out, "</g>");
    cover(p->covered, x + turned.top, x + 4, y - turned.right, y - turned.left);
}

static void put_axis(const struct picture *p, const struct axis *a, bool is_x)
{
    double size = 1;
    const char *unit = a->is_time ? time_axis_unit(a->high / 2, &size) : NULL;
    size_t lines = 1;
    if (a->kind == AXIS_NAMES)
        lines = put_names(p, a, is_x);
    else
        put_numbers(p, a, is_x, size);
    if (!a->title || !a->title[0])
        return;
    struct text title = TEXT_INIT;
    text_addf(&title, unit ? "%s (%s)" : "%s", a->title, unit ? unit : "");
    put_axis_title(p, a, is_x, lines, text_cstr(&title));
    p->out->failed |= title.failed;
    text_release(&title);
}

static void put_scale(const char *name, const struct axis *a, double from, double to,
                      struct text *out)
{
    static const char *const kinds[] = {"linear", "log", "names"};
    text_addf(out, " data-%s=\"%s %.9g %.9g %.6g %.6g%s\"", name, kinds[a->kind], a->low, a->high,
              from, to, a->is_time ? " ns" : "");
}

void picture_axes(const struct picture *p)
{
    struct text *out = p->out;
    text_add(out, "<g class=\"frame\"");
    put_scale("x", &p->x, p->left, p->right, out);
    put_scale("y", &p->y, p->bottom, p->top, out);
    if (p->of) {
        text_add(out, " data-of=\"");
        put_markup(p->of, out);
        text_addc(out, '"');
    }
    text_addc(out, '>');
    put_axis(p, &p->x, true);
    put_axis(p, &p->y, false);
    if (p->is_open) {
        text_add(out, "</g>\n");
        return;
    }
    text_add(out, "<path class=\"edge\" d=\"M");
    put_pair(p->left, p->top, out);
    text_addc(out, 'V');
    put_coordinate(p->bottom, out);
    text_addc(out, 'H');
    put_coordinate(p->right, out);
    text_add(out, "\"/></g>\n");
}

double picture_width(const struct canvas *at, double usual)
{
    return at->width > 0 ? at->width : usual;
}

void picture_begin(struct picture *p, struct text *out, const struct canvas *at, double width,
                   double height, const char *title, const char *description)
{
    width = picture_width(at, width);
    *p = (struct picture){.out = out,
                          .at = *at,
                          .start = out->length,
                          .width = width,
                          .height = height,
                          .left = 70,
                          .right = width - 16,
                          .top = 34,
                          .bottom = height - 46,
                          .own = {0, width, 0, height}};
    p->covered = &p->own;
    text_addf(out, "<title id=\"%s-t\">", at->id);
    put_markup(title, out);
    text_addf(out, "</title><desc id=\"%s-d\">", at->id);
    put_markup(description, out);
    text_add(out, "</desc>\n");
}

// Moves what was added last to `start`.
static void move_to(struct text *out, size_t start, const struct text *added)
{
    text_addn(out, text_cstr(added), added->length);
    if (out->failed)
        return;
    memmove(out->data + start + added->length, out->data + start,
            out->length - start - added->length);
    memcpy(out->data + start, text_cstr(added), added->length);
}

// The size is known at the end: a label that the frame left no room for has made it larger.
void picture_end(const struct picture *p)
{
    const struct extent *e = p->covered;
    double width = ceil(e->right) - floor(e->left), height = ceil(e->bottom) - floor(e->top);
    struct text tag = TEXT_INIT;
    text_addf(&tag, "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"%s\" viewBox=\"%g %g %g %g\" ",
              p->at.id, floor(e->left), floor(e->top), width, height);
    if (p->at.millimetres > 0)
        text_addf(&tag, "width=\"%gmm\" height=\"%.6gmm\" ", p->at.millimetres,
                  p->at.millimetres / width * height);
    else
        text_addf(&tag, "width=\"%g\" height=\"%g\" ", width, height);
    text_addf(&tag, "role=\"img\" aria-labelledby=\"%s-t %s-d\">", p->at.id, p->at.id);
    move_to(p->out, p->start, &tag);
    p->out->failed |= tag.failed;
    text_release(&tag);
    text_add(p->out, "</svg>\n");
}

// ---- marks -------------------------------------------------------------------------------------

void picture_points(const struct picture *p, const char *kind, const struct mark *marks,
                    size_t count)
{
    if (count == 0)
        return;
    text_addf(p->out, "<path class=\"points %s\" d=\"", kind);
    for (size_t i = 0; i < count; i++) {
        text_addc(p->out, 'M');
        put_pair(picture_x(p, marks[i].x), picture_y(p, marks[i].y), p->out);
        text_add(p->out, "h0");
    }
    text_add(p->out, "\"/>\n");
}

enum { DENSITY_X = 160, DENSITY_Y = 80, DENSITY_DEPTHS = 5 };

static void put_depth(const struct picture *p, const char *kind, const uint32_t *cells,
                      uint32_t low, uint32_t high, int depth)
{
    double w = (p->right - p->left) / DENSITY_X, h = (p->bottom - p->top) / DENSITY_Y;
    bool any = false;
    for (size_t i = 0; i < (size_t)DENSITY_X * DENSITY_Y; i++) {
        if (cells[i] <= low || cells[i] > high)
            continue;
        if (!any)
            text_addf(p->out, "<path class=\"cells %s depth%d\" d=\"", kind, depth);
        any = true;
        text_addc(p->out, 'M');
        put_pair(p->left + w * (double)(i % DENSITY_X), p->top + h * (double)(i / DENSITY_X),
                 p->out);
        text_addc(p->out, 'h');
        put_coordinate(w, p->out);
        text_addc(p->out, 'v');
        put_coordinate(h, p->out);
        text_addc(p->out, 'h');
        put_coordinate(-w, p->out);
        text_addc(p->out, 'z');
    }
    if (any)
        text_add(p->out, "\"/>\n");
}

void picture_density(const struct picture *p, const char *kind, const struct mark *marks,
                     size_t count)
{
    uint32_t *cells = calloc((size_t)DENSITY_X * DENSITY_Y, sizeof *cells), most = 1;
    p->out->failed |= !cells;
    if (!cells)
        return;
    for (size_t i = 0; i < count; i++) {
        double x = (picture_x(p, marks[i].x) - p->left) / (p->right - p->left) * DENSITY_X;
        double y = (picture_y(p, marks[i].y) - p->top) / (p->bottom - p->top) * DENSITY_Y;
        size_t column = (size_t)fmin(fmax(x, 0), DENSITY_X - 1);
        size_t row = (size_t)fmin(fmax(y, 0), DENSITY_Y - 1);
        uint32_t n = ++cells[row * DENSITY_X + column];
        most = n > most ? n : most;
    }
    uint32_t low = 0;
    for (int depth = 1; depth <= DENSITY_DEPTHS; depth++) {
        uint32_t high = (uint32_t)ceil(pow(most, (double)depth / DENSITY_DEPTHS));
        put_depth(p, kind, cells, low, depth == DENSITY_DEPTHS ? UINT32_MAX : high, depth);
        low = high > low ? high : low;
    }
    free(cells);
}

void picture_line(const struct picture *p, const char *kind, const struct mark *marks, size_t count,
                  bool as_steps)
{
    if (count == 0)
        return;
    text_addf(p->out, "<path class=\"line %s\" d=\"M", kind);
    for (size_t i = 0; i < count; i++) {
        double x = picture_x(p, marks[i].x), y = picture_y(p, marks[i].y);
        if (i == 0) {
            put_pair(x, y, p->out);
        } else if (as_steps) {
            text_addc(p->out, 'H');
            put_coordinate(x, p->out);
            text_addc(p->out, 'V');
            put_coordinate(y, p->out);
        } else {
            text_addc(p->out, 'L');
            put_pair(x, y, p->out);
        }
    }
    text_add(p->out, "\"/>\n");
}

void picture_segment(const struct picture *p, const char *kind, double x0, double y0, double x1,
                     double y1)
{
    text_addf(p->out, "<path class=\"line %s\" d=\"M", kind);
    put_pair(isnan(x0) ? p->left : picture_x(p, x0), isnan(y0) ? p->top : picture_y(p, y0), p->out);
    text_addc(p->out, 'L');
    put_pair(isnan(x1) ? p->right : picture_x(p, x1), isnan(y1) ? p->bottom : picture_y(p, y1),
             p->out);
    text_add(p->out, "\"/>\n");
}

void picture_box(const struct picture *p, const char *kind, double x0, double y0, double x1,
                 double y1, const char *title)
{
    double ax = picture_x(p, x0), bx = picture_x(p, x1), ay = picture_y(p, y0),
           by = picture_y(p, y1);
    text_addf(p->out, "<rect class=\"%s\"", kind);
    put_attribute("x", fmin(ax, bx), p->out);
    put_attribute("y", fmin(ay, by), p->out);
    put_attribute("width", fabs(bx - ax), p->out);
    put_attribute("height", fabs(by - ay), p->out);
    if (title) {
        text_add(p->out, "><title>");
        put_markup(title, p->out);
        text_add(p->out, "</title></rect>");
    } else {
        text_add(p->out, "/>");
    }
    text_addc(p->out, '\n');
}

void picture_text(const struct picture *p, const char *kind, double x, double y, const char *anchor,
                  const char *text)
{
    if (!text[0])
        return;
    double width = picture_text_width(text), from = anchor[0] == 's'   ? x
                                                    : anchor[0] == 'm' ? x - width / 2
                                                                       : x - width;
    cover(p->covered, from - 2, from + width + 2, y - PICTURE_FONT, y + 4);
    text_addf(p->out, "<text class=\"%s\" text-anchor=\"%s\"", kind, anchor);
    put_attribute("x", x, p->out);
    put_attribute("y", y, p->out);
    text_addc(p->out, '>');
    put_markup(text, p->out);
    text_add(p->out, "</text>");
}

// Does the entry not fit behind others that end at x?
static bool begins_legend_row(const struct picture *p, double x, double width)
{
    return x + width > p->width && x > p->left;
}

// Further rows stand below the first; all above the picture.
void picture_legend(const struct picture *p, const struct legend *entries, size_t count)
{
    double x = p->left, y = 14;
    for (size_t i = 0; i < count; i++) {
        double width = 34 + picture_text_width(entries[i].text);
        bool is_next = begins_legend_row(p, x, width);
        x = is_next ? p->left + width : x + width;
        y -= is_next ? 18 : 0;
    }
    x = p->left;
    for (size_t i = 0; i < count; i++) {
        double width = 34 + picture_text_width(entries[i].text);
        if (begins_legend_row(p, x, width)) {
            x = p->left;
            y += 18;
        }
        text_addf(p->out, "<path class=\"%s %s\" d=\"M", entries[i].is_line ? "line" : "points",
                  entries[i].kind);
        put_pair(entries[i].is_line ? x : x + 7, y, p->out);
        text_addf(p->out, "h%d\"/>", entries[i].is_line ? 14 : 0);
        picture_text(p, "key", x + 18, y + 4, "start", entries[i].text);
        x += width;
    }
    text_addc(p->out, '\n');
}
