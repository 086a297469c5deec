// SVG text. Ticks are 1, 2 or 5 times a power of ten; on a logarithmic axis of several decades the powers alone.
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

static void put_axis(const struct picture *p, const struct axis *a, bool is_x)
{
    double values[TICKS_MOST], size = 1;
    char label[48];
    const char *unit = a->is_time ? time_axis_unit(a->high / 2, &size) : NULL;
    if (a->kind == AXIS_NAMES) {
        for (size_t i = 0; i < (size_t)a->high; i++) {
            double at = is_x ? picture_x(p, (double)i + 0.5) : picture_y(p, (double)i + 0.5);
            put_tick_label(p, is_x, at, a->names[i]);
        }
    } else {
        size_t count = a->ticks ? a->tick_count : ticks_of(a, size, values);
        double taken = -INFINITY; // labels along x that would meet are left out
        for (size_t i = 0; i < count; i++) {
            double v = a->ticks ? a->ticks[i] / size : values[i];
            double at = is_x ? picture_x(p, v * size) : picture_y(p, v * size);
            snprintf(label, sizeof label, fabs(v) >= 1e6 ? "%.3g" : "%.6g", v);
            double half = 3.4 * (double)strlen(label);
            bool meets = is_x && at - half < taken;
            put_tick(p, is_x, at, meets ? "" : label);
            taken = meets ? taken : at + half + 4;
        }
    }
    struct text title = TEXT_INIT;
    bool has_title = a->title && a->title[0];
    if (has_title)
        text_addf(&title, unit ? "%s (%s)" : "%s", a->title, unit ? unit : "");
    if (is_x) {
        picture_text(p, "axis", (p->left + p->right) / 2, p->bottom + 36, "middle",
                     text_cstr(&title));
    } else if (title.length) {
        text_add(p->out, "<text class=\"axis\" text-anchor=\"middle\" transform=\"translate(");
        put_coordinate(a->kind == AXIS_NAMES ? 14 : fmax(p->left - 54, 12), p->out);
        text_addc(p->out, ' ');
        put_coordinate((p->top + p->bottom) / 2, p->out);
        text_add(p->out, ") rotate(-90)\">");
        put_markup(text_cstr(&title), p->out);
        text_add(p->out, "</text>");
    }
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
    text_add(out, "<path class=\"edge\" d=\"M");
    put_pair(p->left, p->top, out);
    text_addc(out, 'V');
    put_coordinate(p->bottom, out);
    text_addc(out, 'H');
    put_coordinate(p->right, out);
    text_add(out, "\"/></g>\n");
}

void picture_begin(struct picture *p, struct text *out, const char *id, double width, double height,
                   const char *title, const char *description)
{
    p->out = out;
    p->of = NULL;
    p->width = width;
    p->height = height;
    p->left = 70;
    p->right = width - 16;
    p->top = 34;
    p->bottom = height - 46;
    text_addf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"%s\" viewBox=\"0 0 %g %g\" role=\"img\" "
        "aria-labelledby=\"%s-t %s-d\"><title id=\"%s-t\">",
        id, width, height, id, id, id);
    put_markup(title, out);
    text_addf(out, "</title><desc id=\"%s-d\">", id);
    put_markup(description, out);
    text_add(out, "</desc>\n");
}

void picture_end(const struct picture *p)
{
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
    text_addf(p->out, "<text class=\"%s\" text-anchor=\"%s\"", kind, anchor);
    put_attribute("x", x, p->out);
    put_attribute("y", y, p->out);
    text_addc(p->out, '>');
    put_markup(text, p->out);
    text_add(p->out, "</text>");
}

void picture_legend(const struct picture *p, const struct legend *entries, size_t count)
{
    double x = p->left;
    for (size_t i = 0; i < count; i++) {
        double width = 24 + 6.4 * (double)strlen(entries[i].text);
        if (x + width > p->width && x > p->left)
            break;
        text_addf(p->out, "<path class=\"%s %s\" d=\"M", entries[i].is_line ? "line" : "points",
                  entries[i].kind);
        put_pair(entries[i].is_line ? x : x + 7, 14, p->out);
        text_addf(p->out, "h%d\"/>", entries[i].is_line ? 14 : 0);
        picture_text(p, "key", x + 18, 18, "start", entries[i].text);
        x += width;
    }
    text_addc(p->out, '\n');
}
