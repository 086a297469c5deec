// Cells as they come, each in the form of the whole.
#include "extras/page/sheet.h"

#include "picture/picture.h"
#include "report/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_left_out(const struct sheet *g)
{
    return g->form != SHEET_CSV && g->rows > g->most;
}

void put_markdown(const char *s, const char *special, struct text *out)
{
    struct text visible = TEXT_INIT;
    text_add_visible(&visible, s, strlen(s), false);
    for (const char *at = text_cstr(&visible); *at; at++) {
        if (strchr(special, *at))
            text_addc(out, '\\');
        text_addc(out, *at);
    }
    out->failed |= visible.failed;
    text_release(&visible);
}

// `begin` and `end` are HTML's.
static void put_cell(struct sheet *g, const char *s, const char *begin, const char *end)
{
    if (g->form == SHEET_CSV) {
        text_add(g->out, g->column ? "," : "");
        text_add_csv(g->out, s);
    } else if (g->form == SHEET_MARKDOWN) {
        text_add(g->out, "| ");
        put_markdown(s, "|\\`*_<>[]", g->out);
        text_addc(g->out, ' ');
    } else {
        text_add(g->out, begin);
        put_markup(s, g->out);
        text_add(g->out, end);
    }
    g->column++;
}

static void put_sheet_cell(struct sheet *g, const char *shown, const char *exact)
{
    char begin[80] = "<td>";
    if (is_left_out(g))
        return;
    if (exact)
        snprintf(begin, sizeof begin, "<td class=\"n\" data-v=\"%s\">", exact);
    put_cell(g, g->form == SHEET_CSV && exact ? exact : shown, begin, "</td>");
}

static void end_row(struct sheet *g)
{
    if (g->rows == 0 || is_left_out(g))
        return;
    text_add(g->out, g->form == SHEET_HTML ? "</tr>\n" : g->form == SHEET_MARKDOWN ? "|\n" : "\n");
}

void sheet_head(struct sheet *g, const char *const *names)
{
    size_t count = 0;
    if (g->form == SHEET_HTML)
        text_add(g->out, "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>");
    for (; names[count]; count++)
        put_cell(g, names[count], "<th scope=\"col\">", "</th>");
    text_add(g->out, g->form == SHEET_HTML       ? "</tr></thead><tbody>\n"
                     : g->form == SHEET_MARKDOWN ? "|\n"
                                                 : "\n");
    for (size_t i = 0; g->form == SHEET_MARKDOWN && i < count; i++)
        text_add(g->out, i + 1 < count ? "|---" : "|---|\n");
}

void sheet_row(struct sheet *g)
{
    end_row(g);
    g->rows++;
    g->column = 0;
    if (g->form == SHEET_HTML && !is_left_out(g))
        text_add(g->out, "<tr>");
}

void sheet_text(struct sheet *g, const char *text)
{
    put_sheet_cell(g, text, NULL);
}

static void put_number(struct sheet *g, double value, const char *shown)
{
    char exact[40] = "";
    if (is_left_out(g))
        return;
    if (isnan(value)) {
        put_sheet_cell(g, "", g->form == SHEET_CSV ? "" : NULL);
        return;
    }
    if (value == floor(value) && fabs(value) < 1e15)
        snprintf(exact, sizeof exact, "%.0f", value);
    else
        f64_to_str(value, exact);
    put_sheet_cell(g, shown, exact);
}

void sheet_number(struct sheet *g, double value)
{
    char shown[UNITS_SIZE] = "";
    if (value == floor(value) && fabs(value) < 1e6)
        snprintf(shown, sizeof shown, "%.0f", value);
    else if (!isnan(value))
        number_to_str(value, shown);
    put_number(g, value, shown);
}

void sheet_count(struct sheet *g, uint64_t value)
{
    char shown[32];
    snprintf(shown, sizeof shown, "%llu", (unsigned long long)value);
    put_number(g, (double)value, shown);
}

void sheet_time(struct sheet *g, double ns)
{
    char shown[UNITS_SIZE] = "";
    if (!isnan(ns))
        duration_to_str(ns, shown);
    put_number(g, ns, shown);
}

void sheet_share(struct sheet *g, double value)
{
    char shown[32];
    snprintf(shown, sizeof shown, "%.3g %%", 100 * value);
    put_number(g, value, shown);
}

void sheet_end(struct sheet *g)
{
    end_row(g);
    if (g->form == SHEET_HTML)
        text_add(g->out, "</tbody></table></div>\n");
    if (g->form == SHEET_HTML && g->rows > g->most)
        text_addf(g->out, "<p class=\"note\">%zu of %zu rows.</p>\n", g->most, g->rows);
}
