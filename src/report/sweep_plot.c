// The picture of a sweep, as commands for gnuplot. Every text of others stands in single quotes:
// there gnuplot expands nothing.
#include "report/sweep.h"

#include "report/units.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LABELS_MOST 18    // values named along an axis
#define LOG_FROM    100.0 // greatest over least, from which on the y axis is logarithmic

// Okabe and Ito's colours, told apart also by those who see fewer; the first is what is swept.
static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#000000", "#7F7F7F"};
static const int marks[] = {7, 5, 9, 13, 11, 4, 6, 8};
#define STYLES (sizeof colours / sizeof *colours)

// The y axis: a metric, or times in one unit.
struct measure {
    bool is_metric;
    double unit; // of a time, in ns
    const char *label;
};

struct picture {
    const struct view_sweep *v;
    struct measure y;
    double least, most; // of y, the limit among them
    bool log_x, log_y;
};

static void put_quoted(const char *s, struct text *out)
{
    text_addc(out, '\'');
    for (; *s; s++) {
        text_add(out, *s == '\'' ? "'" : "");
        text_addc(out, (unsigned char)*s < ' ' ? ' ' : *s);
    }
    text_addc(out, '\'');
}

// ---- what is drawn -----------------------------------------------------------------------------

struct mark {
    double y, low, high;
};

static bool mark_of(const struct picture *p, const struct view_sweep_entry *n, struct mark *out)
{
    size_t shown = p->v->shown;
    if (!n->timed)
        return false;
    if (!p->y.is_metric) {
        *out = (struct mark){n->stats.median / p->y.unit, n->stats.low / p->y.unit,
                             n->stats.high / p->y.unit};
        return true;
    }
    if (!n->metrics || !n->metrics[shown].known)
        return false;
    double a = n->slow[shown].value, b = n->fast[shown].value;
    *out = (struct mark){n->metrics[shown].value, fmin(a, b), fmax(a, b)};
    return isfinite(out->y);
}

static double x_of(const struct view_sweep *v, uint32_t row)
{
    return v->axis == UINT32_MAX ? row : v->rows[row].numbers[v->axis];
}

static struct measure measure_of(const struct view_sweep *v)
{
    static const struct measure units[] = {{false, 1e9, "time (s)"},
                                           {false, 1e6, "time (ms)"},
                                           {false, 1e3, "time (us)"},
                                           {false, 1, "time (ns)"}};
    double longest = 0;
    size_t unit = 0;
    if (v->shown < v->metric_count)
        return (struct measure){true, 1, v->metrics[v->shown]};
    for (uint32_t i = 0; i < v->row_count; i++) {
        for (uint32_t k = 0; k < v->line_count; k++) {
            const struct view_sweep_entry *n = &v->rows[i].entries[k];
            longest = n->timed ? fmax(longest, n->stats.median) : longest;
        }
    }
    while (unit + 1 < sizeof units / sizeof *units && longest < units[unit].unit)
        unit++;
    return units[unit];
}

static bool look_at_marks(struct picture *p)
{
    struct mark m;
    p->least = INFINITY;
    for (uint32_t i = 0; i < p->v->row_count; i++) {
        for (uint32_t k = 0; k < p->v->line_count; k++) {
            if (!mark_of(p, &p->v->rows[i].entries[k], &m))
                continue;
            p->least = fmin(p->least, m.y);
            p->most = fmax(p->most, fmax(m.y, m.high));
        }
    }
    bool any = isfinite(p->least);
    if (!isnan(p->v->limit))
        p->most = fmax(p->most, p->v->limit);
    p->log_y = p->least > 0 && p->most > LOG_FROM * p->least;
    return any;
}

// How uneven steps are: their standard deviation over their mean.
static double unevenness(const double *x, uint32_t count, bool by_logarithm)
{
    double sum = 0, squares = 0, steps = count - 1;
    for (uint32_t i = 1; i < count; i++) {
        double step = by_logarithm ? log(x[i] / x[i - 1]) : x[i] - x[i - 1];
        sum += step;
        squares += step * step;
    }
    double mean = sum / steps;
    return mean > 0 ? sqrt(fmax(0, squares / steps - mean * mean)) / mean : INFINITY;
}

// All values along the axis, ascending, each once; the caller's: free().
static double *axis_values(const struct view_sweep *v, uint32_t *count)
{
    double *x = calloc(v->row_count + 1, sizeof *x);
    *count = 0;
    for (uint32_t i = 0; x && i < v->row_count; i++)
        x[i] = x_of(v, i);
    if (x)
        qsort(x, v->row_count, sizeof *x, stats_compare_double);
    for (uint32_t i = 0; x && i < v->row_count; i++) {
        if (*count == 0 || x[i] != x[*count - 1])
            x[(*count)++] = x[i];
    }
    return x;
}

// Sizes that grow by factors rather than by steps.
static bool is_geometric(const struct view_sweep *v, const double *x, uint32_t count)
{
    if (v->axis == UINT32_MAX || count < 2 || x[0] <= 0)
        return false;
    if (count == 2)
        return x[1] >= 4 * x[0];
    return unevenness(x, count, true) < unevenness(x, count, false);
}

// ---- the script --------------------------------------------------------------------------------

// The row of a panel at one value of the axis; row_count: there is none.
static uint32_t row_at(const struct view_sweep *v, uint32_t panel, double x)
{
    uint32_t i = 0;
    while (i < v->row_count && (v->rows[i].panel != panel || x_of(v, i) != x))
        i++;
    return i;
}

static void put_data(const struct picture *p, uint32_t panel, uint32_t line, const double *x,
                     uint32_t count, struct text *out)
{
    const struct view_sweep *v = p->v;
    struct mark m;
    text_addf(out, "$p%ul%u << EOD\n", panel, line);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = row_at(v, panel, x[i]);
        if (row == v->row_count)
            continue;
        if (mark_of(p, &v->rows[row].entries[line], &m))
            text_addf(out, "%.17g %.9g %.9g %.9g\n", x[i], m.y, m.low, m.high);
        else
            text_add(out, "\n"); // the line is interrupted
    }
    text_add(out, "EOD\n");
}

static bool has_marks(const struct picture *p, uint32_t panel, uint32_t line)
{
    struct mark m;
    for (uint32_t i = 0; i < p->v->row_count; i++) {
        if (p->v->rows[i].panel == panel && mark_of(p, &p->v->rows[i].entries[line], &m))
            return true;
    }
    return false;
}

// "N = M = K": names with the same values everywhere share the axis.
static void put_axis_name(const struct view_sweep *v, struct text *out)
{
    text_add(out, v->axis == UINT32_MAX ? "point" : v->names[v->axis].name);
    for (uint32_t n = 0; v->axis != UINT32_MAX && n < v->name_count; n++) {
        bool same = n != v->axis;
        for (uint32_t i = 0; same && i < v->row_count; i++)
            same = v->rows[i].numbers[n] == v->rows[i].numbers[v->axis];
        if (same)
            text_addf(out, " = %s", v->names[n].name);
    }
}

// What the points of a panel have alike, beside what they have all alike.
static void put_panel_name(const struct view_sweep *v, uint32_t panel, struct text *out)
{
    for (uint32_t n = 0; n < v->name_count; n++) {
        const struct view_sweep_row *first = NULL;
        bool same = v->names[n].varies && n != v->axis;
        for (uint32_t i = 0; same && i < v->row_count; i++) {
            if (v->rows[i].panel != panel)
                continue;
            first = first ? first : &v->rows[i];
            same = str_equal(first->values[n], v->rows[i].values[n]);
        }
        if (same && first)
            text_addf(out, "%s%s=%s", out->length ? ", " : "", v->names[n].name, first->values[n]);
    }
}

static void put_label(const struct view_sweep *v, uint32_t row, struct text *out)
{
    struct text label = TEXT_INIT;
    if (v->axis != UINT32_MAX)
        text_add(&label, v->rows[row].values[v->axis]);
    for (uint32_t n = 0; v->axis == UINT32_MAX && n < v->name_count; n++) {
        if (v->names[n].varies)
            text_addf(&label, "%s%s=%s", label.length ? ", " : "", v->names[n].name,
                      v->rows[row].values[n]);
    }
    put_quoted(text_cstr(&label), out);
    text_addf(out, " %.17g", x_of(v, row));
    out->failed |= label.failed;
    text_release(&label);
}

// Sizes that were measured are named themselves; of many, or in even steps, gnuplot chooses.
static void put_labels(const struct picture *p, uint32_t count, struct text *out)
{
    const struct view_sweep *v = p->v;
    const char *comma = "";
    if (v->axis != UINT32_MAX && count > LABELS_MOST)
        return;
    text_addf(out, "set xtics %s(", v->axis == UINT32_MAX ? "rotate by -35 " : "");
    for (uint32_t i = 0; i < v->row_count; i++) {
        bool again = false;
        for (uint32_t k = 0; k < i && !again; k++)
            again = x_of(v, k) == x_of(v, i);
        if (again)
            continue;
        text_add(out, comma);
        put_label(v, i, out);
        comma = ", ";
    }
    text_add(out, ")\n");
}

// Named on the spot, where there is room, and not in the key, which it would widen.
static void put_limit_name(const struct picture *p, struct text *out)
{
    char number[UNITS_SIZE];
    struct text name = TEXT_INIT;
    number_to_str(p->v->limit, number);
    text_addf(&name, "measured peak (%s): %s", p->v->limit_title, number);
    text_add(out, "set label ");
    put_quoted(text_cstr(&name), out);
    text_addf(out, " at graph 0.01, first %.9g offset 0,0.6 left textcolor rgb '#444444'\n",
              p->v->limit);
    out->failed |= name.failed;
    text_release(&name);
}

static void put_axes(const struct picture *p, const double *x, uint32_t count, struct text *out)
{
    struct text name = TEXT_INIT;
    put_axis_name(p->v, &name);
    text_add(out, "set xlabel ");
    put_quoted(text_cstr(&name), out);
    text_add(out, "\nset ylabel ");
    put_quoted(p->y.label, out);
    text_add(out, "\n");
    out->failed |= name.failed;
    text_release(&name);
    double first = x[0], last = x[count - 1], room = 0.04 * (last - first);
    if (p->log_x) {
        room = pow(last / first, 0.04);
        text_addf(out, "set logscale x 2\nset xrange [%.9g:%.9g]\n", first / room, last * room);
    } else {
        room = room > 0 ? room : 0.5;
        text_addf(out, "set xrange [%.9g:%.9g]\n", first - room, last + room);
    }
    if (p->log_y)
        text_addf(out, "set logscale y 10\nset yrange [%.9g:%.9g]\n", p->least / 1.5,
                  p->most * 1.3);
    else
        text_addf(out, "set yrange [0:%.9g]\n", p->most * 1.1);
    put_labels(p, count, out);
    if (!isnan(p->v->limit))
        put_limit_name(p, out);
    text_add(out, "set grid back linetype 1 linecolor rgb '#DDDDDD' linewidth 0.7\n"
                  "set border 3 linecolor rgb '#444444'\nset tics nomirror out\n");
}

static void put_line(const struct picture *p, uint32_t panel, uint32_t line, struct text *out)
{
    text_addf(out,
              "$p%ul%u using 1:2:3:4 with yerrorlines linecolor rgb '%s' linewidth %s "
              "pointtype %d pointsize 0.9 title ",
              panel, line, colours[line % STYLES], line == 0 ? "2.4" : "1.6", marks[line % STYLES]);
    put_quoted(p->v->lines[line].label, out);
}

static void put_panel(const struct picture *p, uint32_t panel, struct text *out)
{
    const struct view_sweep *v = p->v;
    struct text name = TEXT_INIT;
    const char *comma = "plot ";
    put_panel_name(v, panel, &name);
    if (v->panel_count > 1) {
        text_add(out, "set title ");
        put_quoted(text_cstr(&name), out);
        text_add(out, "\n");
    }
    for (uint32_t i = 0; i < v->line_count; i++) {
        if (!has_marks(p, panel, i))
            continue;
        text_add(out, comma);
        put_line(p, panel, i, out);
        comma = ", \\\n     ";
    }
    if (!isnan(v->limit)) {
        text_add(out, comma);
        text_addf(out, "%.9g with lines dashtype 2 linewidth 1.6 linecolor rgb '#444444' notitle",
                  v->limit);
        comma = "";
    }
    text_add(out, str_equal(comma, "plot ") ? "plot NaN notitle\n" : "\n");
    out->failed |= name.failed;
    text_release(&name);
}

static void put_title(const struct view_sweep *v, struct text *out)
{
    struct text line = TEXT_INIT;
    text_addf(&line, "%s", v->lines[0].label);
    for (uint32_t i = 1; i < v->line_count; i++)
        text_addf(&line, "%s%s", i == 1 ? " against " : ", ", v->lines[i].label);
    put_quoted(text_cstr(&line), out);
    text_clear(&line);
    report_device(v->device, &line);
    if (line.length > 0 && !line.failed)
        line.data[line.length - 1] = ' ';
    const char *name = strchr(text_cstr(&line), ' '); // behind "Device:"
    text_add(out, ".\"\\n\".");
    put_quoted(name ? name + 1 : "", out);
    out->failed |= line.failed;
    text_release(&line);
}

// How many panels stand beside and below each other.
struct sheet {
    uint32_t across, down;
};

static struct sheet sheet_of(uint32_t panels)
{
    uint32_t across = panels <= 1 ? 1 : panels == 2 || panels == 4 ? 2 : 3;
    return (struct sheet){across, (panels + across - 1) / across};
}

static void put_drawing(const struct picture *p, struct text *out)
{
    const struct view_sweep *v = p->v;
    struct sheet sheet = sheet_of(v->panel_count);
    if (v->panel_count > 1) {
        text_addf(out, "set multiplot layout %u,%u title ", sheet.down, sheet.across);
        put_title(v, out);
    } else {
        text_add(out, "set title ");
        put_title(v, out);
    }
    text_add(out, "\n");
    for (uint32_t i = 0; i < v->panel_count; i++)
        put_panel(p, i, out);
    text_add(out, v->panel_count > 1 ? "unset multiplot\n" : "");
    text_add(out, "unset output\n");
}

static void put_outputs(const struct picture *p, const char *prefix, struct text *out)
{
    const struct view_sweep *v = p->v;
    struct sheet sheet = sheet_of(v->panel_count);
    unsigned width = sheet.across == 1 ? 960 : 520 * sheet.across;
    unsigned height = sheet.down == 1 ? 600 : 380 * sheet.down;
    struct text path = TEXT_INIT;
    text_addf(out,
              "\nset terminal svg size %u,%u dynamic noenhanced font 'Helvetica,15' background "
              "rgb 'white'\n",
              width, height);
    text_addf(&path, "%s.svg", prefix);
    text_add(out, "set output ");
    put_quoted(text_cstr(&path), out);
    text_add(out, "\n");
    put_drawing(p, out);
    text_clear(&path);
    text_addf(&path, "%s.png", prefix);
    text_addf(out,
              "\nif (strstrt(GPVAL_TERMINALS, ' pngcairo ')) set terminal pngcairo size %u,%u "
              "noenhanced font 'Sans,19' linewidth 1.5 pointscale 1.5; else set terminal png size "
              "%u,%u noenhanced\n",
              width * 3 / 2, height * 3 / 2, width, height);
    text_add(out, "set output ");
    put_quoted(text_cstr(&path), out);
    text_add(out, "\n");
    put_drawing(p, out);
    out->failed |= path.failed;
    text_release(&path);
}

static void put_comment(const struct view_sweep *v, struct text *out)
{
    struct text head = TEXT_INIT;
    text_addf(&head, "%s, %s, hone %s: %s", v->date, v->host, v->hone_version, v->command);
    for (size_t i = 0; i < head.length && !head.failed; i++) {
        if ((unsigned char)head.data[i] < ' ')
            head.data[i] = ' ';
    }
    // The full stop because a comment that ends in a backslash goes on in the next line.
    text_addf(out,
              "# %s .\n# Draws the pictures beside it anew: gnuplot FILE, in the folder where "
              "hone was run.\n",
              text_cstr(&head));
    out->failed |= head.failed;
    text_release(&head);
}

bool report_sweep_plot(const struct view_sweep *v, const char *prefix, struct text *out)
{
    struct picture p = {.v = v, .y = measure_of(v)};
    uint32_t count;
    if (!look_at_marks(&p))
        return false;
    double *x = axis_values(v, &count);
    out->failed |= !x;
    if (!x)
        return true;
    p.log_x = is_geometric(v, x, count);
    put_comment(v, out);
    text_add(out, "reset\nset encoding utf8\nset datafile separator whitespace\n");
    for (uint32_t i = 0; i < v->panel_count; i++) {
        for (uint32_t k = 0; k < v->line_count; k++)
            put_data(&p, i, k, x, count, out);
    }
    put_axes(&p, x, count, out);
    text_add(out, "set key below horizontal reverse Left samplen 3 height 0.8\nset bars 0.6\n");
    put_outputs(&p, prefix, out);
    free(x);
    return true;
}
