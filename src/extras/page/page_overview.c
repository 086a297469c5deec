// Several sets at a glance: a row each, and a sentence for each spec: what one configuration for all of its sets would cost.
#include "extras/page/page_html.h"

#include "report/units.h"

static void put_number_cell(double value, const char *shown, struct text *out)
{
    char number[40];
    f64_to_str(value, number);
    if (isnan(value))
        text_add(out, "<td></td>");
    else
        text_addf(out, "<td class=\"n\" data-v=\"%s\">%s</td>", number, shown);
}

static void put_rate_cell(const struct page_set *s, struct text *out)
{
    char number[UNITS_SIZE];
    struct text shown = TEXT_INIT;
    number_to_str(s->rate.value, number);
    text_addf(&shown, "%s ", number);
    put_markup(s->rate.name ? s->rate.name : "", &shown);
    put_number_cell(s->rate.name ? s->rate.value : NAN, text_cstr(&shown), out);
    text_release(&shown);
}

// "1.2 (OpenBLAS)": how many times as long a vendor's routine takes.
static void put_library_cell(const struct page_set *s, struct text *out)
{
    text_add(out, "<td>");
    for (size_t i = 0; i < s->library_count; i++) {
        text_addf(out, "%s%.3g (", i ? ", " : "", s->libraries[i].ratio.ratio);
        put_markup(s->libraries[i].label, out);
        text_addc(out, ')');
    }
    text_add(out, "</td>");
}

static void put_overview_row(const struct page_set *s, size_t number, bool has_rates,
                             bool has_speedups, bool has_libraries, struct text *out)
{
    struct stats_summary sum = {.median = NAN};
    struct text best = TEXT_INIT;
    char shown[40];
    double speedup = page_speedup(s);
    page_best_stats(s, &sum);
    if (s->best != SIZE_MAX)
        page_configuration(s, &s->rows[s->best], &best);
    text_addf(out, "<tr><th scope=\"row\"><a href=\"#set-%zu\">", number);
    page_put_set_title(s, !page_is_one_place(s->page), out);
    text_add(out, "</a></th><td>");
    put_markup(s->timed ? text_cstr(&best) : "no configuration has a time", out);
    text_add(out, "</td>");
    duration_to_str(sum.median, shown);
    put_number_cell(sum.median, shown, out);
    if (has_rates)
        put_rate_cell(s, out);
    str_format(shown, sizeof shown, "%.3g", speedup);
    if (has_speedups)
        put_number_cell(speedup, shown, out);
    if (has_libraries)
        put_library_cell(s, out);
    text_addf(out, "<td class=\"n\">%zu</td><td class=\"n\">%zu</td></tr>\n", s->count,
              s->count - s->by_status[STATUS_CORRECT]);
    out->failed |= best.failed;
    text_release(&best);
}

// Do several sets of the spec have a time?
static void put_portability(const struct page_set *s, bool is_named, struct text *out)
{
    size_t count, timed = 0;
    struct text words = TEXT_INIT;
    const struct page_set **all = page_family(s, &count);
    out->failed |= !all;
    for (size_t i = 0; all && i < count; i++) {
        if (all[i]->timed > 0)
            all[timed++] = all[i];
    }
    if (all && timed > 1) {
        struct page_portable one = page_find_portable(all, timed, out);
        if (is_named)
            text_addf(&words, "%s: ", s->spec);
        if (one.row == SIZE_MAX) {
            text_addf(&words, "No configuration has a time in all %zu sets.", timed);
        } else {
            text_addf(&words, timed == 2 ? "One for both: " : "One for all %zu: ", timed);
            page_configuration(all[0], &all[0]->rows[one.row], &words);
            if (one.worst > 1)
                text_addf(&words, ", at most %.2g %% off the best of each.", 100 * (one.worst - 1));
            else
                text_add(&words, ", the best of each.");
        }
        text_add(out, "<p class=\"says\">");
        put_markup(text_cstr(&words), out);
        text_add(out, "</p>\n");
    }
    out->failed |= words.failed;
    text_release(&words);
    free(all);
}

void page_put_overview(const struct page *p, struct text *out)
{
    bool has_rates = false, has_speedups = false, has_libraries = false, has_several = false;
    size_t shown = 0;
    for (size_t i = 0; i < p->count; i++) {
        const struct page_set *s = &p->sets[i];
        shown += !page_set_is_found(s);
        has_rates |= s->rate.name != NULL;
        has_speedups |= !isnan(page_speedup(s));
        has_libraries |= s->library_count > 0;
        has_several |= !page_is_kin(&p->sets[0], s);
    }
    if (shown < 2)
        return;
    text_add(out, "<section class=\"view overview\"><h2>All at a glance</h2>\n");
    if (page_is_one_place(p)) {
        text_add(out, "<p class=\"note\">");
        put_markup(p->sets[0].device, out);
        text_add(out, p->sets[0].device[0] && p->sets[0].language[0] ? ", " : "");
        put_markup(p->sets[0].language, out);
        text_add(out, "</p>\n");
    }
    for (size_t i = 0; i < p->count; i++) {
        if (page_is_first(&p->sets[i]) && !page_set_is_found(&p->sets[i]))
            put_portability(&p->sets[i], has_several, out);
    }
    text_addf(out,
              "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th "
              "scope=\"col\">set</th><th scope=\"col\">best</th><th "
              "scope=\"col\">time</th>%s%s%s<th scope=\"col\">configurations</th><th "
              "scope=\"col\">failed</th></tr></thead><tbody>\n",
              has_rates ? "<th scope=\"col\">rate</th>" : "",
              has_speedups ? "<th scope=\"col\">times the default's speed</th>" : "",
              has_libraries ? "<th scope=\"col\">a library's time over the best's</th>" : "");
    for (size_t i = 0; i < p->count; i++) {
        if (!page_set_is_found(&p->sets[i]))
            put_overview_row(&p->sets[i], i, has_rates, has_speedups, has_libraries, out);
    }
    text_add(out, "</tbody></table></div></section>\n");
}
