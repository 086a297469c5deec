// Panels in rows of at most three. Axes fit what all panels show; where x is few numbers, as sizes are, ticks stand at these
// alone. The legend stands above and takes as many rows as it needs.
#include "picture/chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TICKS_NAMED = 18,
    LEGEND_ROW = 18,
    PANEL_HEIGHT = 330,
    PANEL_WIDTH = 400,
    PANEL_LEAST = 300
};

static const char *line_class(size_t line, char out[24])
{
    snprintf(out, 24, "s%zu%s", line % CHART_COLOURS, line / CHART_COLOURS % 2 ? " dashed" : "");
    return out;
}

// ---- axes --------------------------------------------------------------------------------------

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The different values along x, sorted; the caller's. NULL: out of memory.
static double *values_along(const struct chart *c, size_t *count)
{
    size_t all = 0;
    for (size_t i = 0; i < c->panel_count; i++) {
        for (size_t k = 0; k < c->line_count; k++)
            all += c->panels[i].lines[k].count;
    }
    double *out = calloc(all + 1, sizeof *out);
    *count = 0;
    for (size_t i = 0; out && i < c->panel_count; i++) {
        for (size_t k = 0; k < c->line_count; k++) {
            const struct chart_line *line = &c->panels[i].lines[k];
            for (size_t n = 0; n < line->count; n++)
                out[(*count)++] = line->points[n].x;
        }
    }
    if (!out)
        return NULL;
    qsort(out, *count, sizeof *out, by_number);
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        if (kept == 0 || out[i] > out[kept - 1])
            out[kept++] = out[i];
    }
    *count = kept;
    return out;
}

// Logarithmic where the middle value is nearer to the geometric than to the arithmetic mean of the ends.
static void fit_along(const double *values, size_t count, struct axis *a)
{
    double least = count ? values[0] : 0, most = count ? values[count - 1] : 1;
    axis_fit(a, least, most);
    if (!(least > 0 && most >= 4 * least))
        return;
    double middle = (values[(count - 1) / 2] + values[count / 2]) / 2;
    bool by_steps = count > 2 && fabs(log(middle * middle / (least * most))) / 2 >
                                     fabs(log(2 * middle / (least + most)));
    double room = by_steps ? 0.04 * (most - least) : pow(most / least, 0.04);
    *a = by_steps ? (struct axis){.low = fmax(least - room, 0), .high = most + room}
                  : (struct axis){.kind = AXIS_LOG, .low = least / room, .high = most * room};
}

static void fit_values(const struct chart *c, struct axis *y)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < c->panel_count; i++) {
        for (size_t k = 0; k < c->line_count; k++) {
            const struct chart_line *line = &c->panels[i].lines[k];
            for (size_t n = 0; n < line->count; n++) {
                const struct chart_point *p = &line->points[n];
                if (isnan(p->y))
                    continue;
                least = fmin(least, fmin(p->y, fmin(p->low, p->high)));
                most = fmax(most, fmax(p->y, fmax(p->low, p->high)));
            }
        }
    }
    if (!isnan(c->limit))
        most = fmax(most, c->limit);
    *y = (struct axis){.title = c->y_title, .is_time = c->y_is_time};
    axis_fit(y, least, most);
    bool from_zero = c->y_from_zero || (least >= 0 && !(most > 30 * least));
    if (from_zero && least >= 0) {
        y->kind = AXIS_LINEAR;
        y->low = 0;
        y->high = most > 0 ? most * 1.08 : 1;
    }
}

// ---- a panel -----------------------------------------------------------------------------------

static void draw_chart_line(const struct picture *p, const struct chart *c, size_t number,
                            const struct chart_line *line)
{
    char kind[24], classes[40];
    struct mark *marks = calloc(line->count + 1, sizeof *marks);
    p->out->failed |= !marks;
    line_class(number, kind);
    snprintf(classes, sizeof classes, "dots %s", kind);
    double shift = c->names ? 0.5 : 0;
    for (size_t i = 0; marks && i < line->count;) {
        size_t n = 0;
        for (; i < line->count && isnan(line->points[i].y); i++)
            ;
        for (; i < line->count && !isnan(line->points[i].y); i++) {
            const struct chart_point *at = &line->points[i];
            marks[n++] = (struct mark){at->x + shift, at->y};
            if (!isnan(at->low) && !isnan(at->high))
                picture_segment(p, kind, at->x + shift, at->low, at->x + shift, at->high);
        }
        if (n > 1)
            picture_line(p, kind, marks, n, false);
        if (!c->is_bare || n == 1)
            picture_points(p, classes, marks, n);
    }
    free(marks);
}

static void draw_panel(const struct chart *c, size_t panel, struct picture *p)
{
    p->of = c->of;
    picture_axes(p);
    picture_text(p, "axis", (p->left + p->right) / 2, p->top - 7, "middle", c->panels[panel].title);
    if (!isnan(c->limit)) {
        picture_segment(p, "peak", NAN, c->limit, NAN, c->limit);
        picture_text(p, "note halo", p->left + 6, picture_y(p, c->limit) + 14, "start",
                     c->limit_name);
    }
    for (size_t i = c->line_count; i-- > 0;) // the first is on top
        draw_chart_line(p, c, i, &c->panels[panel].lines[i]);
}

// Rows that the legend takes; drawn where `p` is given.
static size_t put_chart_legend(const struct chart *c, double width, const struct picture *p)
{
    char classes[24], kind[40];
    double x = 16;
    size_t rows = 1;
    for (size_t i = 0; i < c->line_count; i++) {
        const char *label = c->panels[0].lines[i].label;
        double takes = 40 + picture_text_width(label);
        if (x + takes > width && x > 16) {
            x = 16;
            rows++;
        }
        if (p) {
            double y = (double)(LEGEND_ROW * rows) - 4;
            struct picture plain = *p;
            plain.left = 0, plain.right = plain.width, plain.top = 0, plain.bottom = plain.height;
            plain.x = (struct axis){.low = 0, .high = p->width};
            plain.y = (struct axis){.low = p->height, .high = 0};
            snprintf(kind, sizeof kind, "dots %s", line_class(i, classes));
            picture_segment(&plain, classes, x, y, x + 18, y);
            picture_points(&plain, kind, &(struct mark){x + 9, y}, 1);
            picture_text(&plain, "key", x + 23, y + 4, "start", label);
        }
        x += takes;
    }
    return rows;
}

static void lay_out(const struct chart *c, const double *values, size_t count,
                    const struct canvas *at, struct text *out)
{
    struct picture p;
    size_t across = c->panel_count == 1 ? 1 : c->panel_count == 2 || c->panel_count == 4 ? 2 : 3;
    double width = picture_width(at, across == 1 ? 760 : (double)(PANEL_WIDTH * across));
    while (across > 1 && width / (double)across < PANEL_LEAST)
        across--;
    size_t down = (c->panel_count + across - 1) / across;
    double top = (double)(LEGEND_ROW * put_chart_legend(c, width, NULL)) + 26;
    picture_begin(&p, out, at, width, top + (double)(PANEL_HEIGHT * down), c->title, c->about);
    put_chart_legend(c, width, &p);
    fit_values(c, &p.y);
    if (c->names) {
        p.x = (struct axis){.kind = AXIS_NAMES, .high = (double)c->name_count, .names = c->names};
    } else {
        fit_along(values, count, &p.x);
        p.x.ticks = count <= TICKS_NAMED ? values : NULL;
        p.x.tick_count = count;
        p.x.is_time = false;
        p.x.names = NULL;
    }
    p.x.title = c->x_title;
    for (size_t i = 0; i < c->panel_count; i++) {
        double x = width / (double)across * (double)(i % across);
        p.left = x + 74;
        p.right = x + width / (double)across - 16;
        p.top = top + (double)(PANEL_HEIGHT * (i / across));
        p.bottom = p.top + PANEL_HEIGHT - 66;
        draw_panel(c, i, &p);
    }
    picture_end(&p);
}

void picture_chart(const struct chart *c, const struct canvas *at, struct text *out)
{
    size_t count;
    double *values = values_along(c, &count);
    out->failed |= !values;
    if (values)
        lay_out(c, values, count, at, out);
    free(values);
}

// ---- files -------------------------------------------------------------------------------------

// A picture by itself has a ground of its own, so that it can be read on any page, light or dark.
static const char ground[] =
    "svg{background:#fff}\n@media (prefers-color-scheme:dark){svg{background:#15181b;"
    "--ink:#e8e8e8;--paper:#15181b;--grid:#343a40;--faint:#a0a6ac}}\n";

// The value of a custom property, as "correct" or "ink,#1b1b1b": what stands behind the comma, else the style's first, which is
// that of light pages.
static const char *value_of_property(const char *name, size_t length, size_t *of_value)
{
    char definition[40];
    const char *comma = memchr(name, ',', length);
    *of_value = comma ? (size_t)(name + length - comma - 1) : 0;
    if (comma)
        return comma + 1;
    snprintf(definition, sizeof definition, "--%.*s:", (int)length, name);
    const char *at = strstr(picture_style, definition);
    at = at ? at + strlen(definition) : "";
    *of_value = strcspn(at, ";}");
    return at;
}

// Declares each property first by its value, for readers that know no custom properties (Inkscape, librsvg, what LaTeX uses):
// they skip the declaration behind it.
static void put_style(const char *style, struct text *out)
{
    static const char begin[] = "var(--";
    for (const char *at; (at = strstr(style, begin)); style = at) {
        size_t before = (size_t)(at - style), property = before, of_value;
        while (property > 0 && !strchr("{;\n", style[property - 1]))
            property--;
        const char *name = at + strlen(begin);
        size_t length = strcspn(name, ")");
        const char *value = value_of_property(name, length, &of_value);
        at = name + length;
        text_addn(out, style, before);
        text_addn(out, value, of_value);
        text_addc(out, ';');
        text_addn(out, style + property, (size_t)(at - style) - property);
    }
    text_add(out, style);
}

void picture_file(const struct text *svg, struct text *out)
{
    const char *body = strchr(text_cstr(svg), '>'); // the end of the first tag: the style follows
    out->failed |= svg->failed;
    if (!body)
        return;
    text_addn(out, text_cstr(svg), (size_t)(body + 1 - text_cstr(svg)));
    text_add(out, "<style>");
    put_style(picture_style, out);
    text_addf(out, "%s</style>%s", ground, body + 1);
}
