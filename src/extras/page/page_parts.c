// Parts of a page on their own: a picture as a file, the numbers of a view as CSV, a summary in Markdown.
#include "extras/page/page.h"

#include "extras/page/view.h"
#include "os/file_replace.h"
#include "os/scratch.h"
#include "os/tool.h"
#include "picture/chart.h"
#include "report/units.h"

static bool is_named(const struct view *v, const char *name, size_t length)
{
    return strlen(v->name) == length && strncmp(v->name, name, length) == 0;
}

bool page_has_view(const struct page *p, const struct view *v)
{
    bool any = !p->views;
    for (const char *at = p->views; at && !any; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        any = is_named(v, at, strcspn(at, ","));
    return any;
}

bool page_check_views(const char *names, struct error *e)
{
    struct text known = TEXT_INIT;
    bool ok = true;
    for (const struct view *const *v = page_views; *v; v++)
        text_addf(&known, "%s%s", known.length ? ", " : "", (*v)->name);
    for (const char *at = names; at && ok; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        ok = false;
        for (const struct view *const *v = page_views; *v; v++)
            ok |= is_named(*v, at, strcspn(at, ","));
    }
    if (!ok)
        error_set(e, ERROR_USAGE,
                  "'%s' is not a list of views separated by commas; the views are %s", names,
                  text_cstr(&known));
    text_release(&known);
    return ok;
}

static const struct view *find_view(const struct page *p, const char *name, bool as_picture,
                                    const struct page_set **set, struct error *e)
{
    struct text names = TEXT_INIT;
    const struct view *found = NULL, *other = NULL;
    for (const struct view *const *v = page_views; *v; v++) {
        other = str_equal((*v)->name, name) ? *v : other;
        if (!(as_picture ? (*v)->draw != NULL : (*v)->grid != NULL))
            continue;
        text_addf(&names, "%s%s", names.length ? ", " : "", (*v)->name);
        found = str_equal((*v)->name, name) ? *v : found;
    }
    *set = NULL;
    for (size_t i = 0; found && i < p->count && !*set; i++)
        *set = (found->is_across && !page_is_first(&p->sets[i])) || found->missing(&p->sets[i])
                   ? NULL
                   : &p->sets[i];
    if (!found && other)
        error_set(e, ERROR_USAGE, "'%s' has no %s; there are %s", name,
                  as_picture ? "picture" : "numbers", text_cstr(&names));
    else if (!found)
        error_set(e, ERROR_USAGE, "there is no view '%s'; the views are %s", name,
                  text_cstr(&names));
    else if (!*set)
        error_set(e, ERROR_INPUT, "there is nothing to show in '%s': %s", name,
                  p->count ? found->missing(&p->sets[0]) : "there are no results");
    text_release(&names);
    return *set ? found : NULL;
}

#define MM_OF_POINT  (25.4 / 72)
#define USUAL_POINTS 9.0 // of text of PICTURE_FONT pixels on paper

// "84mm" or "8pt" in millimetres or in points; false: it is neither.
static bool read_length(const char *word, size_t length, double *mm, double *points)
{
    char number[24];
    double value;
    if (length < 3 || length - 2 >= sizeof number)
        return false;
    str_format(number, sizeof number, "%.*s", (int)(length - 2), word);
    bool is_points = strncmp(word + length - 2, "pt", 2) == 0;
    if ((!is_points && strncmp(word + length - 2, "mm", 2) != 0) || !str_to_f64(number, &value))
        return false;
    *(is_points ? points : mm) = value;
    return value > 0;
}

// "finalists:84mm:8pt": the name of a view, and how wide the picture stands on paper, with text of which size.
static bool read_paper(const char *words, char name[40], struct canvas *at, struct error *e)
{
    double mm = 0, points = USUAL_POINTS;
    size_t length = strcspn(words, ":");
    *at = (struct canvas){.id = name};
    str_format(name, 40, "%.*s", (int)(length < 39 ? length : 39), words);
    for (const char *word = words + length; *word == ':'; word += length) {
        length = strcspn(++word, ":");
        if (!read_length(word, length, &mm, &points))
            return error_set(
                e, ERROR_USAGE,
                "'%s': the view's name is followed by a width and a font size, as in '%s:84mm:8pt'",
                words, name);
    }
    at->millimetres = mm;
    at->width = mm / (points * MM_OF_POINT) * PICTURE_FONT;
    if (mm > 0 && (at->width < 200 || at->width > 4000))
        return error_set(e, ERROR_USAGE, "'%s': text of %g pt needs a picture of %.0f to %.0f mm",
                         words, points, 200 * points * MM_OF_POINT / PICTURE_FONT,
                         4000 * points * MM_OF_POINT / PICTURE_FONT);
    return true;
}

bool page_write_svg(const struct page *p, const char *view, struct text *out, struct error *e)
{
    char name[40];
    struct canvas at;
    const struct page_set *s;
    struct text svg = TEXT_INIT;
    const struct view *v = read_paper(view, name, &at, e) ? find_view(p, name, true, &s, e) : NULL;
    if (!v)
        return false;
    v->draw(s, &at, &svg);
    picture_file(&svg, out);
    text_release(&svg);
    return !out->failed || error_memory(e);
}

static bool convert_to_pdf(const struct text *svg, const char *folder, const char *tool,
                           struct text *out, struct error *e)
{
    struct text from = TEXT_INIT, to = TEXT_INIT, printed = TEXT_INIT;
    int status = 0;
    text_addf(&from, "%s/picture.svg", folder);
    text_addf(&to, "%s/picture.pdf", folder);
    const char *argv[] = {tool, "-f", "pdf", "-o", text_cstr(&to), text_cstr(&from), NULL};
    bool ok = file_create(text_cstr(&from), svg, e) && tool_run(argv, &printed, &status, e);
    if (ok && status != 0)
        ok = error_set(e, ERROR_IO, "%s made no PDF: %s", tool, text_cstr(&printed));
    ok = ok && file_read(text_cstr(&to), 0, out, e);
    text_release(&from);
    text_release(&to);
    text_release(&printed);
    return ok;
}

bool page_write_pdf(const struct page *p, const char *view, const char *scratch_parent,
                    struct text *out, struct error *e)
{
    struct scratch scratch = SCRATCH_NONE;
    struct text svg = TEXT_INIT, tool = TEXT_INIT;
    bool ok = page_write_svg(p, view, &svg, e);
    if (ok && !tool_find("rsvg-convert", &tool))
        ok = error_set(e, ERROR_IO,
                       "a PDF is made by rsvg-convert, which is not installed (Debian's package "
                       "librsvg2-bin); an output that ends in .svg needs nothing");
    ok = ok && scratch_make(&scratch, scratch_parent, e) &&
         convert_to_pdf(&svg, scratch.path, text_cstr(&tool), out, e);
    scratch_remove(&scratch);
    text_release(&svg);
    text_release(&tool);
    return ok;
}

bool page_write_csv(const struct page *p, const char *view, struct text *out, struct error *e)
{
    const struct page_set *s;
    struct sheet g = {.out = out, .form = SHEET_CSV};
    const struct view *v = find_view(p, view, false, &s, e);
    if (!v)
        return false;
    v->grid(s, &g);
    return !out->failed || error_memory(e);
}

static void put_markdown_text(const char *s, struct text *out)
{
    put_markdown(s, "|\\`*_<>[]#", out);
}

static void put_markdown_view(const struct page_set *s, const struct view *v, struct text *out)
{
    struct sheet g = {.out = out, .form = SHEET_MARKDOWN, .most = 10};
    if (v->missing(s))
        return;
    text_addf(out, "**%s**\n\n", v->title);
    v->grid(s, &g);
    text_add(out, "\n");
}

static void put_markdown_set(const struct page_set *s, struct text *out)
{
    struct text configuration = TEXT_INIT;
    char time[32];
    text_add(out, "### ");
    put_markdown_text(s->spec, out);
    text_add(out, s->constants[0] ? " (" : "");
    put_markdown_text(s->constants, out);
    text_add(out, s->constants[0] ? ") on " : " on ");
    put_markdown_text(s->device, out);
    text_addf(&configuration, "%s%s", s->language[0] ? ", " : "", s->language);
    page_put_state(s, true, 0, &configuration);
    put_markdown_text(text_cstr(&configuration), out);
    text_clear(&configuration);
    text_add(out, "\n\n");
    put_count(s->count, "configuration", out);
    text_addf(out, ", %zu with a time, %zu failed.\n\n", s->timed,
              s->count - s->by_status[STATUS_CORRECT]);
    if (s->best != SIZE_MAX) {
        const struct page_row *best = &s->rows[s->best];
        page_configuration(s, best, &configuration);
        duration_to_str(s->has_answer ? s->answer.stats.median : best->median, time);
        text_addf(out, "Best: **%s** with ", time);
        put_markdown_text(text_cstr(&configuration), out);
        if (s->ranking.has_speedup) {
            text_addf(out, ", %.4g times as fast as the default", s->ranking.speedup.ratio);
            if (s->ranking.speedup.interval)
                text_addf(out, " (%.4g to %.4g)", s->ranking.speedup.low, s->ranking.speedup.high);
        }
        if (s->ranking.tied > 1)
            text_addf(out, "; %zu of %zu finalists are tied", s->ranking.tied, s->ranking.count);
        text_add(out, ".\n\n");
    }
    static const struct view *const shown[] = {&page_view_finalists, &page_view_importance,
                                               &page_view_failures};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        put_markdown_view(s, shown[i], out);
    text_release(&configuration);
}

void page_write_markdown(const struct page *p, struct text *out)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct page_set *s = &p->sets[i];
        if (page_is_first(s)) {
            put_markdown_view(s, &page_view_sizes, out);
            put_markdown_view(s, &page_view_matrix, out);
        }
        if (page_set_is_found(s)) {
            put_markdown_view(s, &page_view_convergence, out);
            put_markdown_view(s, &page_view_deployed, out);
            put_markdown_view(s, &page_view_beginning, out);
            put_markdown_view(s, &page_view_leaderboard, out);
        } else {
            put_markdown_set(s, out);
        }
    }
    if (p->count == 0)
        text_add(out, "There are no results.\n");
}
