// A sweep for gnuplot: a script that reads the CSV beside it, for who wants to go on from hone's own picture with another
// program. In front stands what is this sweep's, as variables; behind that one text
// for all (`template`). A row of the CSV is a line at a point, and the rows of a point follow each
// other. Every text of others is quoted, so that gnuplot expands nothing in it, and names of files
// begin with a folder: '<' or '|' in front would make a command of them.
#include "report/sweep_axes.h"

#include "report/units.h"

#include <math.h>
#include <string.h>

// The first columns of the CSV behind the constants.
enum { COLUMN_MEDIAN = 5, COLUMN_METRICS = 9 };

// The colours are Okabe and Ito's, told apart also by those who see fewer; the first line is what is
// swept. A point without a time is NaN of its panel, where the line is interrupted, while points of
// other panels are missing. An axis is logarithmic in x where its middle value is nearer to the
// geometric than to the arithmetic mean of its ends; in y from a factor of 100 on. Up to 18 sizes are
// named themselves, of more gnuplot chooses.
static const char template[] =
    "reset\n"
    "set encoding utf8\n"
    "set datafile separator comma\n"
    "set datafile missing NaN\n"
    "lines = |line|\n"
    "panels = |panel|\n"
    "at(d) = x_column ? column(x_column) : int(column(0) / lines)\n"
    "scaled(k) = valid(k) ? column(k) / unit : column(y_column) / unit\n"
    "mark(p) = panel_of(0) ne panel[p] ? NaN : valid(y_column) ? scaled(y_column) : 1/0\n"
    "max(a, b) = a > b ? a : b\n"
    "stats csv skip 1 using (at(0)) name 'X' nooutput\n"
    "stats csv skip 1 using (scaled(y_column)) name 'Y' nooutput\n"
    "stats csv skip 1 using (max(scaled(low), scaled(high))) name 'HIGH' nooutput\n"
    "most = max(max(Y_max, HIGH_max), limit == limit ? limit : 0)\n"
    "by_factors = x_column && X_min > 0 && X_max >= 4 * X_min && (X_records <= 2 * lines || \\\n"
    "    abs(log(X_median**2 / (X_min * X_max))) / 2 < abs(log(2 * X_median / (X_min + X_max))))\n"
    "room = by_factors ? (X_max / X_min)**0.04 : X_max > X_min ? 0.04 * (X_max - X_min) : 0.5\n"
    "if (by_factors) { set logscale x 2; set xrange [X_min / room : X_max * room] }\\\n"
    "else { set xrange [X_min - room : X_max + room] }\n"
    "if (Y_min > 0 && most > 100 * Y_min) {\n"
    "    set logscale y 10; set yrange [Y_min / 1.5 : most * 1.3]\n"
    "} else { set yrange [0 : most * 1.1] }\n"
    "set xlabel x_name\n"
    "set ylabel y_name\n"
    "if (x_column == 0) { set xtics rotate by -35 }\n"
    "tics = x_column && X_records / lines / panels > 18 ? '' : ':xtic(label(0))'\n"
    "if (limit == limit) { set label limit_name at graph 0.01, first limit offset 0,0.6 left "
    "textcolor rgb '#444444' }\n"
    "set grid back linetype 1 linecolor rgb '#DDDDDD' linewidth 0.7\n"
    "set border 3 linecolor rgb '#444444'\n"
    "set tics nomirror out\n"
    "set key below horizontal reverse Left samplen 3 height 0.8\n"
    "set bars 0.6\n"
    "array colour[8] = [0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0xE69F00, 0x56B4E9, 0x000000, "
    "0x7F7F7F]\n"
    "array point[8] = [7, 5, 9, 13, 11, 4, 6, 8]\n"
    "across = panels == 1 ? 1 : panels == 2 || panels == 4 ? 2 : 3\n"
    "down = (panels + across - 1) / across\n"
    "width = across == 1 ? 960 : 520 * across\n"
    "height = down == 1 ? 600 : 380 * down\n"
    "if (strstrt(GPVAL_TERMINALS, ' pngcairo ')) {\n"
    "    set terminal pngcairo size 1.5 * width, 1.5 * height noenhanced font 'Sans,19' "
    "linewidth 1.5 pointscale 1.5\n"
    "} else { set terminal png size 1.5 * width, 1.5 * height noenhanced }\n"
    "set output prefix.'.png'\n"
    "if (panels > 1) { set multiplot layout down, across title title }\\\n"
    "else { set title title }\n"
    "do for [p = 1:panels] {\n"
    "    if (panels > 1) { set title panel[p] }\n"
    "    plot for [i = 1:lines] csv skip 1 every lines::(i - 1) \\\n"
    "        using (at(0)):(mark(p)):(scaled(low)):(scaled(high))@tics with yerrorlines \\\n"
    "        linecolor rgb colour[(i - 1) % 8 + 1] linewidth (i == 1 ? 2.4 : 1.6) \\\n"
    "        pointtype point[(i - 1) % 8 + 1] pointsize 0.9 title line[i], \\\n"
    "        limit with lines dashtype 2 linewidth 1.6 linecolor rgb '#444444' notitle\n"
    "}\n"
    "if (panels > 1) { unset multiplot }\n"
    "unset output\n";

// "text", on one line. What means something to gnuplot within quotation marks is written by its
// number: single ones do not hold every text ('\'\'' ends one early).
static void put_gnuplot_text(const char *s, struct text *out)
{
    text_addc(out, '"');
    for (; *s; s++) {
        if (strchr("\"'\\`", *s))
            text_addf(out, "\\%03o", (unsigned)*s);
        else
            text_addc(out, (unsigned char)*s < ' ' ? ' ' : *s);
    }
    text_addc(out, '"');
}

// NAME = "value"; releases the value.
static void assign_text(const char *name, struct text *value, struct text *out)
{
    text_addf(out, "%s = ", name);
    put_gnuplot_text(text_cstr(value), out);
    text_addc(out, '\n');
    out->failed |= value->failed;
    text_release(value);
}

// Appends ", NAME=" and the column's text to an expression of a row's.
static void put_column_text(const struct sweep_report *v, uint32_t name, bool is_first,
                            struct text *out)
{
    struct text part = TEXT_INIT;
    text_addf(&part, "%s%s=", is_first ? "" : ", ", v->plan->names[name].name);
    text_addc(out, '.');
    put_gnuplot_text(text_cstr(&part), out);
    text_addf(out, ".strcol(%u)", name + 1);
    out->failed |= part.failed;
    text_release(&part);
}

// The text of a panel, "M=odd, K=3": as an expression of a row's columns, and of each panel.
static void assign_panels(const struct sweep_report *v, struct text *out)
{
    text_add(out, "panel_of(d) = \"\"");
    for (uint32_t n = 0, count = 0; n < v->plan->name_count; n++) {
        if (sweep_is_panel_name(v, n))
            put_column_text(v, n, count++ == 0, out);
    }
    text_addf(out, "\narray panel[%u]\n", v->panel_count);
    for (uint32_t i = 0; i < v->count; i++) {
        struct text name = TEXT_INIT, target = TEXT_INIT;
        sweep_panel_name(v, i, &name);
        bool is_first = true;
        for (uint32_t k = 0; k < i; k++)
            is_first = is_first && sweep_panel(v, k) != sweep_panel(v, i);
        text_addf(&target, "panel[%u]", sweep_panel(v, i) + 1);
        if (is_first)
            assign_text(text_cstr(&target), &name, out);
        text_release(&name);
        text_release(&target);
    }
}

// x, and what stands at a point along it: its value, or of points one after the other all that
// varies. "N = M = K": names with the same values everywhere share the axis.
static void assign_axis(const struct sweep_report *v, struct text *out)
{
    struct text name = TEXT_INIT;
    bool has_axis = v->axis != UINT32_MAX;
    sweep_axis_name(v, &name);
    assign_text("x_name", &name, out);
    text_addf(out, "x_column = %u\nlabel(d) = ", has_axis ? v->axis + 1 : 0);
    if (has_axis)
        text_addf(out, "strcol(%u)", v->axis + 1);
    else
        text_add(out, "\"\"");
    for (uint32_t n = 0, count = 0; !has_axis && n < v->plan->name_count; n++) {
        if (v->plan->names[n].varies)
            put_column_text(v, n, count++ == 0, out);
    }
    text_addc(out, '\n');
}

// y: the metric that is shown, or the time in the unit of the longest.
static void assign_values(const struct sweep_report *v, struct text *out)
{
    static const struct {
        double ns;
        const char *label;
    } units[] = {{1e9, "time (s)"}, {1e6, "time (ms)"}, {1e3, "time (us)"}, {1, "time (ns)"}};
    uint32_t shown = report_sweep_shown(v);
    bool is_metric = shown != UINT32_MAX;
    double longest = 0;
    size_t unit = 0;
    for (uint32_t i = 0; i < v->count; i++) {
        for (uint32_t k = 0; k < v->line_count; k++) {
            const struct sweep_entry *n = &v->records[i].entries[k];
            longest = n->timed ? fmax(longest, n->stats.median) : longest;
        }
    }
    while (unit + 1 < sizeof units / sizeof *units && longest < units[unit].ns)
        unit++;
    struct text name = TEXT_INIT;
    text_add(&name, is_metric ? v->spec->metrics[shown].name : units[unit].label);
    assign_text("y_name", &name, out);
    unsigned column =
        v->plan->name_count + (is_metric ? COLUMN_METRICS + 3 * shown : COLUMN_MEDIAN);
    text_addf(out, "y_column = %u\nlow = %u\nhigh = %u\nunit = %g\n", column, column + 1,
              column + 2, is_metric ? 1.0 : units[unit].ns);
}

// The lines, what they are drawn under, and what the device can do at most.
static void assign_lines(const struct sweep_report *v, struct text *out)
{
    struct text title = TEXT_INIT, limit = TEXT_INIT;
    char number[UNITS_SIZE] = "";
    text_addf(out, "array line[%u]\n", v->line_count);
    for (uint32_t i = 0; i < v->line_count; i++) {
        text_addf(out, "line[%u] = ", i + 1);
        put_gnuplot_text(v->lines[i].label, out);
        text_addc(out, '\n');
        text_addf(&title, "%s%s", i == 0 ? "" : i == 1 ? " against " : ", ", v->lines[i].label);
    }
    assign_text("title", &title, out);
    struct text device = TEXT_INIT;
    report_device(v->device, &device);
    const char *name = strchr(text_cstr(&device), ' '); // behind "Device:"
    text_add(out, "title = title.\"\\n\".");
    put_gnuplot_text(name ? name + 1 : "", out);
    out->failed |= device.failed;
    text_release(&device);
    struct sweep_limit most = {.value = NAN, .title = ""};
    if (report_sweep_limit(v, &most))
        number_to_str(most.value, number);
    text_addf(out, isnan(most.value) ? "\nlimit = NaN\n" : "\nlimit = %.9g\n", most.value);
    text_addf(&limit, "measured peak (%s): %s", most.title, number);
    assign_text("limit_name", &limit, out);
}

// gnuplot's reader of CSV loses its place behind a quotation mark within a field.
static bool is_quotable(const struct sweep_report *v)
{
    bool ok = true;
    for (uint32_t i = 0; i < v->line_count; i++)
        ok = ok && !strchr(v->lines[i].label, '"');
    for (uint32_t i = 0; i < v->count; i++) {
        for (uint32_t k = 0; k < v->line_count; k++) {
            const char *configuration = v->records[i].entries[k].configuration;
            ok = ok && !(configuration && strchr(configuration, '"'));
        }
        for (uint32_t n = 0; n < v->plan->name_count; n++)
            ok = ok && !strchr(report_sweep_value(v, &v->records[i], n), '"');
    }
    return ok;
}

const char *report_sweep_plot(const struct sweep_report *v, const char *prefix, struct text *out)
{
    struct text head = TEXT_INIT, path = TEXT_INIT, csv = TEXT_INIT;
    text_addf(&head, "%s, %s, hone %s: %s", v->about->date, v->about->host, v->about->hone_version,
              v->about->command);
    text_addf(&path, "%s%s", prefix[0] == '/' ? "" : "./", prefix);
    text_addf(&csv, "%s.csv", text_cstr(&path));
    text_add(out, "# Draws the pictures beside it anew: gnuplot FILE, in the folder where hone was "
                  "run.\nmade_by = ");
    put_gnuplot_text(text_cstr(&head), out);
    out->failed |= head.failed;
    text_release(&head);
    text_addc(out, '\n');
    assign_text("csv", &csv, out);
    assign_text("prefix", &path, out);
    assign_lines(v, out);
    assign_axis(v, out);
    assign_panels(v, out);
    assign_values(v, out);
    if (!sweep_has_values(v))
        return "no point has a time";
    if (!is_quotable(v))
        return "gnuplot reads no CSV with quotation marks in names or values";
    text_add(out, template);
    return NULL;
}
