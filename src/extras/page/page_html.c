// The page: one HTML file that needs nothing else. Pictures and tables stand in it as they are; the same numbers follow
// as JSON in islands that no browser runs, for the one script, whose digest is all that the policy of the page allows.
#include "extras/page/page_html.h"

#include "base/digest.h"
#include "report/units.h"

extern const char page_style[], page_script[]; // page.css, page.js

// ---- small parts -------------------------------------------------------------------------------

static void put_base64(const uint8_t *bytes, size_t count, struct text *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        uint32_t n = (uint32_t)bytes[i] << 16;
        n |= i + 1 < count ? (uint32_t)bytes[i + 1] << 8 : 0;
        n |= i + 2 < count ? bytes[i + 2] : 0;
        text_addc(out, digits[n >> 18]);
        text_addc(out, digits[n >> 12 & 63]);
        text_addc(out, i + 1 < count ? digits[n >> 6 & 63] : '=');
        text_addc(out, i + 2 < count ? digits[n & 63] : '=');
    }
}

static void put_source_digest(const char *text, size_t length, struct text *out)
{
    struct digest d;
    digest_of(text, length, &d);
    text_add(out, "'sha256-");
    put_base64(d.bytes, sizeof d.bytes, out);
    text_add(out, "'");
}

static void put_head(const struct page *p, struct text *out)
{
    struct text style = TEXT_INIT;
    text_addf(&style, "%s%s", picture_style, page_style);
    text_add(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src ");
    put_source_digest(page_script, strlen(page_script), out);
    text_add(out, "; style-src ");
    put_source_digest(text_cstr(&style), style.length, out);
    text_add(out, "; img-src data:; base-uri 'none'; form-action 'none'\">\n"
                  "<meta name=\"referrer\" content=\"no-referrer\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    put_markup(p->title, out);
    text_add(out, "</title>\n<style>");
    text_addn(out, text_cstr(&style), style.length);
    text_add(out, "</style>");
    if (p->reload_s)
        text_addf(out, "\n<noscript><meta http-equiv=\"refresh\" content=\"%u\"></noscript>",
                  p->reload_s);
    text_add(out, "</head>\n<body");
    if (p->reload_s)
        text_addf(out, " data-reload=\"%u\"", p->reload_s);
    text_add(out, ">\n");
    out->failed |= style.failed;
    text_release(&style);
}

static void put_element(const char *tag, const char *text, struct text *out)
{
    text_addf(out, "<%s>", tag);
    put_markup(text, out);
    text_addf(out, "</%s>", tag);
}

void page_put_fact(const char *term, const char *name, double exact, const char *shown,
                   struct text *out)
{
    put_element("dt", term, out);
    text_add(out, "<dd");
    if (name) {
        char number[32];
        f64_to_str(exact, number);
        text_addf(out, " data-name=\"%s\" data-v=\"%s\"", name, number);
    }
    text_add(out, ">");
    put_markup(shown, out);
    text_add(out, "</dd>\n");
}

void page_put_words(const char *term, const char *shown, struct text *out)
{
    if (shown && shown[0])
        page_put_fact(term, NULL, 0, shown, out);
}

// ---- views -------------------------------------------------------------------------------------

// A picture for where there is room, and one for a telephone: the style shows one of them, text has one size in both, and the
// script stretches the picture, and not its texts, to the room that there is.
static void put_pictures(const struct page_set *s, const struct view *v, size_t number,
                         struct text *out)
{
    static const struct {
        const char *name;
        double width;
    } sizes[] = {{"wide", PAGE_WIDE}, {"narrow", PAGE_NARROW}};
    text_add(out, "<div class=\"plot\" tabindex=\"0\">");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char id[80];
        str_format(id, sizeof id, "%s-%zu-%s", v->name, number, sizes[i].name);
        text_addf(out, "<div class=\"%s\">", sizes[i].name);
        v->draw(s, &(struct canvas){id, sizes[i].width, 0}, out);
        text_add(out, "</div>");
    }
    text_add(out, "</div>\n");
}

static void put_view_body(const struct page_set *s, const struct view *v, size_t number,
                          struct text *out)
{
    struct sheet g = {.out = out, .most = v->rows ? v->rows : PAGE_ROWS_MOST};
    text_add(out, "<details class=\"how\"><summary aria-label=\"How to read this: ");
    put_markup(v->title, out);
    text_add(out, "\">?</summary><p>");
    put_markup(v->about, out);
    text_add(out, "</p></details>\n");
    struct text words = TEXT_INIT;
    if (v->tell)
        v->tell(s, &words);
    if (words.length) {
        text_add(out, "<p class=\"says\">");
        put_markup(text_cstr(&words), out);
        text_add(out, "</p>\n");
    }
    out->failed |= words.failed;
    text_release(&words);
    if (v->draw)
        put_pictures(s, v, number, out);
    bool has_rows = v->grid && v->rows != 1;
    if (has_rows && v->draw)
        text_add(out, "<details class=\"rows\"><summary>The numbers</summary>");
    if (has_rows)
        v->grid(s, &g);
    if (has_rows && v->draw)
        text_add(out, "</details>\n");
    if (v->put)
        v->put(s, out);
}

static void put_view(const struct page_set *s, const struct view *v, size_t number,
                     struct text *out)
{
    text_addf(out, "<section class=\"view %s\" data-view=\"%s\">", v->name, v->name);
    text_add(out, v->is_folded ? "<details class=\"fold\"><summary>" : "");
    bool is_alone = v->is_across || page_set_is_found(s); // right below the article's heading
    put_element(is_alone ? "h3" : "h4", v->title, out);
    text_add(out, v->is_folded ? "</summary>\n" : "\n");
    put_view_body(s, v, number, out);
    text_add(out, v->is_folded ? "</details>" : "");
    text_add(out, "</section>\n");
}

static bool is_shown(const struct page_set *s, const struct view *v)
{
    return page_has_view(s->page, v) && (!v->is_across || page_is_first(s)) && !v->missing(s);
}

static void put_missing(const struct page_set *s, struct text *out)
{
    bool any = false;
    for (const struct view *const *v = page_views; *v; v++) {
        const char *why = (*v)->is_across && !page_is_first(s) ? NULL : (*v)->missing(s);
        if (!why || !page_has_view(s->page, *v))
            continue;
        text_add(out, any ? "</li>\n<li>"
                          : "<details class=\"left\"><summary>Left out</summary><ul><li>");
        put_markup((*v)->name, out);
        text_add(out, " (");
        put_markup(why, out);
        text_add(out, ")");
        any = true;
    }
    text_add(out, any ? "</li></ul></details>\n" : "");
    if (s->space && s->space->left_out > 0)
        text_addf(out,
                  "<p class=\"note\">%llu older results do not compare and are left out: another "
                  "text of the kernel, other inputs, or another driver.</p>\n",
                  (unsigned long long)s->space->left_out);
    if (s->unreadable > 0)
        text_addf(out,
                  "<p class=\"note\">%zu results have values that the spec does not have any more; "
                  "they are left out.</p>\n",
                  s->unreadable);
}

static void put_rules(const struct page_set *s, struct text *out)
{
    struct text rules = TEXT_INIT;
    const struct result *r = s->has_answer ? s->answer.result : NULL;
    page_put_words("Ranking", s->ranking.id, out);
    if (r && r->stop == STOP_RANKED && r->terms.rounds > 0)
        text_addf(&rules,
                  "level=%g, behind=%g, alike=%g, rounds=%u, looks=%u, early=%u (hone help rules)",
                  r->terms.level, r->terms.behind, r->terms.alike, r->terms.rounds, r->terms.looks,
                  r->terms.early);
    page_put_words("Its rules", text_cstr(&rules), out);
    text_release(&rules);
}

static void put_environment(const struct page *p, const struct page_set *s, struct text *out)
{
    struct text dates = TEXT_INIT, origin = TEXT_INIT;
    struct arena a = {0};
    text_add(out, "<section class=\"view environment\"><details class=\"fold\"><summary>"
                  "<h4>Where it comes from</h4></summary><dl>\n");
    page_put_origin(s, &origin);
    page_put_words("From", text_cstr(&origin), out);
    page_put_words("Device", s->device, out);
    page_put_words(s->is_recorded ? "Recorded as" : "Platform", s->platform, out);
    page_put_words("Driver", s->driver, out);
    page_put_words("Language", s->language, out);
    page_put_words("Constants", s->constants, out);
    page_put_words("Inputs", s->inputs, out);
    page_put_words("Kernel text", s->text, out);
    page_put_words("Run", s->run, out);
    if (s->first_date)
        text_addf(&dates, "%s to %s", s->first_date, s->last_date);
    page_put_words("Measured", text_cstr(&dates), out);
    page_put_words("hone", s->hone_version, out);
    page_put_words("Host", s->host, out);
    page_put_words("Surroundings", s->surroundings, out);
    page_put_words("Seed", s->command && strstr(s->command, "tune") ? s->seed : "", out);
    page_put_words("Newest run", s->command, out);
    page_put_words("This page", page_without_folders(p->about->command, &a), out);
    if (s->ranking.count > 0)
        put_rules(s, out);
    text_add(out, "</dl></details></section>\n");
    arena_release(&a);
    out->failed |= origin.failed;
    text_release(&origin);
    text_release(&dates);
}

// ---- the whole ---------------------------------------------------------------------------------

bool page_is_one_place(const struct page *p)
{
    for (size_t i = 1; i < p->count; i++) {
        if (!str_equal(p->sets[i].device, p->sets[0].device) ||
            !str_equal(p->sets[i].language, p->sets[0].language))
            return false;
    }
    return true;
}

void page_put_set_title(const struct page_set *s, bool with_place, struct text *out)
{
    struct text state = TEXT_INIT; // what tells it from others of the device
    put_markup(s->spec, out);
    if (s->constants[0]) {
        text_add(out, " (");
        put_markup(s->constants, out);
        text_add(out, ")");
    }
    if (with_place && s->device[0]) {
        text_add(out, " on ");
        put_markup(s->device, out);
    }
    if (with_place && s->language[0]) {
        text_add(out, ", ");
        put_markup(s->language, out);
    }
    page_put_state(s, true, 0, &state);
    if (s->run[0] && s->first_date)
        text_addf(&state, "%s%s", state.length ? ", " : "", s->first_date);
    text_add(out, state.length ? ", " : "");
    put_markup(text_cstr(&state), out);
    text_release(&state);
}

static const struct {
    const char *name, *title;
} parts[] = {
#define X(part, name, title) {name, title},
    PAGE_PARTS(X)
#undef X
};

// Every set has an answer and data; `found` sets have neither.
static bool has_part(const struct page_set *s, enum page_part part)
{
    bool any = part == PART_ANSWER || part == PART_DATA;
    for (const struct view *const *v = page_views; *v && !any; v++)
        any = (*v)->part == part && !(*v)->is_across && is_shown(s, *v);
    return any;
}

static void put_part_views(const struct page_set *s, size_t number, enum page_part part,
                           bool is_folded, struct text *out)
{
    for (const struct view *const *v = page_views; *v; v++) {
        if ((*v)->part == part && (*v)->is_folded == is_folded && !(*v)->is_across &&
            is_shown(s, *v))
            put_view(s, *v, number, out);
    }
}

static void put_set_part(const struct page *p, const struct page_set *s, size_t number,
                         enum page_part part, struct text *out)
{
    if (!has_part(s, part))
        return;
    text_addf(out, "<div class=\"part\" id=\"part-%s-%zu\"><h3>%s</h3>\n<div class=\"views\">\n",
              parts[part].name, number, parts[part].title);
    if (part == PART_ANSWER)
        page_put_answer(s, out);
    put_part_views(s, number, part, false, out);
    put_part_views(s, number, part, true, out);
    if (part == PART_DATA)
        put_environment(p, s, out);
    text_add(out, "</div></div>\n");
}

static void put_set(const struct page *p, size_t number, struct text *out)
{
    const struct page_set *s = &p->sets[number];
    if (page_set_is_found(s)) {
        // The results of hone score, hone deploy, hone judge or one hone tune, which the page's script does not handle.
        text_addf(out, "<article class=\"across\" id=\"set-%zu\"><h2>", number);
        put_markup(s->spec, out);
        text_add(out, s->score_count > 0     ? ": scores of strategies"
                      : s->is_beginning      ? ": what a tune began with"
                      : s->verdict_count > 0 ? ": kernels that were judged"
                                             : ": a dispatch table");
        text_add(out, "</h2>\n<div class=\"views\">\n");
        for (unsigned part = 0; part < PART_COUNT; part++)
            put_part_views(s, number, (enum page_part)part, false, out);
        text_add(out, "</div></article>\n");
        return;
    }
    text_addf(out, "<article class=\"set\" id=\"set-%zu\"><h2>", number);
    page_put_set_title(s, true, out);
    text_add(out, "</h2><p class=\"note\">");
    put_count(s->count, "configuration", out);
    for (int i = 0; i < STATUS_COUNT; i++) {
        if (s->by_status[i] > 0)
            text_addf(out, ", %zu %s", s->by_status[i], status_text((enum status)i));
    }
    text_add(out, ".</p>\n<div class=\"tools\" hidden></div>\n");
    for (unsigned part = 0; part < PART_COUNT; part++)
        put_set_part(p, s, number, (enum page_part)part, out);
    put_missing(s, out);
    page_put_island(s, out);
    text_add(out, "</article>\n");
}

// Views about all sets of a spec together are placed before the first of them.
static void put_across(const struct page *p, size_t number, struct text *out)
{
    bool any = false;
    const struct page_set *s = &p->sets[number];
    for (const struct view *const *v = page_views; *v && page_is_first(s); v++) {
        if (!(*v)->is_across || !is_shown(s, *v))
            continue;
        if (!any) {
            text_addf(out, "<article class=\"across\" id=\"across-%zu\"><h2>", number);
            put_markup(s->spec, out);
            text_add(out, ": all sets together</h2>\n<div class=\"views\">\n");
        }
        any = true;
        put_view(s, *v, number, out);
    }
    text_add(out, any ? "</div></article>\n" : "");
}

static void put_navigation(const struct page *p, struct text *out)
{
    text_addf(out, "<nav aria-label=\"On this page\"%s><ul>\n",
              p->count > 1 ? "" : " class=\"single\"");
    for (size_t i = 0; i < p->count; i++) {
        const struct page_set *s = &p->sets[i];
        text_addf(out, "<li><a href=\"#set-%zu\">", i);
        page_put_set_title(s, !page_is_one_place(p), out);
        text_add(out, "</a>");
        text_add(out, page_set_is_found(s) ? "" : "<ul>");
        for (unsigned part = 0; part < PART_COUNT && !page_set_is_found(s); part++) {
            if (has_part(s, (enum page_part)part))
                text_addf(out, "<li><a href=\"#part-%s-%zu\">%s</a></li>", parts[part].name, i,
                          parts[part].title);
        }
        text_add(out, page_set_is_found(s) ? "</li>\n" : "</ul></li>\n");
    }
    text_add(out, "</ul></nav>\n");
}

void page_write(const struct page *p, struct text *out)
{
    put_head(p, out);
    text_add(out, "<header><h1>");
    put_markup(p->title, out);
    text_add(out, "</h1><p class=\"note\">hone ");
    put_markup(p->about->hone_version, out);
    text_add(out, ", ");
    put_markup(p->about->date, out);
    text_add(out, "</p>\n");
    if (p->reload_s) {
        text_add(out, "<p class=\"live\">Live: this page loads itself anew. <span class=\"note\">");
        put_markup(p->news ? p->news : "", out);
        text_add(out, "</span></p>\n");
    }
    text_add(out, "</header>\n");
    if (p->count > 0)
        put_navigation(p, out);
    text_add(out, "<main>\n");
    page_put_overview(p, out);
    if (p->count == 0) {
        text_addf(out, "<p>There are no results%s, for this command:</p>\n<pre tabindex=\"0\">",
                  p->reload_s ? " yet" : "");
        struct arena a = {0};
        const char *command = page_without_folders(p->about->command, &a);
        put_markup(command ? command : "", out);
        arena_release(&a);
        text_add(out, "</pre>\n");
    }
    for (size_t i = 0; i < p->count; i++) {
        put_across(p, i, out);
        put_set(p, i, out);
    }
    text_add(out,
             "</main>\n<div id=\"told\" role=\"status\" aria-live=\"polite\"></div>\n<script>");
    text_add(out, page_script);
    text_add(out, "</script>\n</body></html>\n");
}
