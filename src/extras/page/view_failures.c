// Lists failures in groups of one status and message, with the values of parameters that they
// share.
#include "extras/page/view.h"

#include <stdint.h>

enum { GROUPS_MOST = 200 };

struct failure_group {
    enum status status;
    uint32_t message;
    size_t count, example; // example: its first row
    size_t logged;         // the row that has the build log; SIZE_MAX: none
};

static int by_count(const void *a, const void *b)
{
    const struct failure_group *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return (x->example > y->example) - (x->example < y->example);
}

// The caller's; the largest first.
static struct failure_group *failure_groups(const struct page_set *s, size_t *count)
{
    struct failure_group *all = calloc((size_t)s->message_count * STATUS_COUNT + 1, sizeof *all);
    *count = 0;
    for (size_t i = 0; all && i < s->count; i++) {
        const struct page_row *r = &s->rows[i];
        struct failure_group *g = &all[(size_t)r->message * STATUS_COUNT + r->status];
        if (r->status == STATUS_CORRECT)
            continue;
        if (g->count++ == 0)
            *g = (struct failure_group){r->status, r->message, 1, i, SIZE_MAX};
        g->logged = r->log ? i : g->logged;
    }
    for (size_t i = 0; all && i < (size_t)s->message_count * STATUS_COUNT; i++) {
        if (all[i].count > 0)
            all[(*count)++] = all[i];
    }
    if (all)
        qsort(all, *count, sizeof *all, by_count);
    return all;
}

// The values of which nearly all configurations that have them fail so: "WIDTH=64 (120 of 120)".
static void put_culprits(const struct page_set *s, const struct failure_group *g, struct text *out)
{
    char label[PAGE_VALUE];
    size_t told = 0;
    for (uint32_t p = 0; p < s->parameter_count && told < 3; p++) {
        uint32_t values = s->parameters[p].count;
        size_t *with = calloc(values + (size_t)1, sizeof *with),
               *failed = calloc(values + (size_t)1, sizeof *failed);
        for (size_t i = 0; with && failed && i < s->count; i++) {
            const struct page_row *r = &s->rows[i];
            with[r->choice[p]]++;
            failed[r->choice[p]] += r->status == g->status && r->message == g->message;
        }
        for (uint32_t v = 0; with && failed && values > 1 && v < values && told < 3; v++) {
            bool is_culprit = failed[v] * 10 >= with[v] * 9 && failed[v] > 1 && with[v] < s->count;
            if (!is_culprit)
                continue;
            page_value_label(&s->parameters[p].values[v], label);
            text_addf(out, "%s%s=%s (%zu of %zu)", told++ ? "; " : "", s->parameters[p].name, label,
                      failed[v], with[v]);
        }
        free(with);
        free(failed);
    }
}

static const char *missing_failures(const struct page_set *s)
{
    return s->by_status[STATUS_CORRECT] < s->count ? NULL : "nothing failed";
}

enum { GROUPS_SHOWN = 12, NAME_MOST = 160 };

// "compile: message"; a recording may have no message but the status.
static void name_failures(const struct page_set *s, const struct failure_group *g,
                          char out[NAME_MOST])
{
    const char *status = status_text(g->status), *message = s->messages[g->message];
    bool is_bare = message[0] == '\0' || str_equal(status, message);
    str_format(out, NAME_MOST, "%s%s%s", status, is_bare ? "" : ": ", is_bare ? "" : message);
}

static void draw_failure_groups(const struct page_set *s, const struct canvas *at, struct text *out)
{
    size_t count;
    struct failure_group *groups = failure_groups(s, &count);
    size_t shown = count < GROUPS_SHOWN ? count : GROUPS_SHOWN;
    char names[GROUPS_SHOWN][NAME_MOST];
    const char *list[GROUPS_SHOWN];
    struct picture p;
    struct picture_rows rows;
    struct text about = TEXT_INIT;
    out->failed |= !groups;
    if (!groups)
        return;
    for (size_t i = 0; i < shown; i++) {
        name_failures(s, &groups[i], names[i]);
        list[i] = names[i];
    }
    text_addf(&about, "%zu of %zu configurations failed, in %zu ways.",
              s->count - s->by_status[STATUS_CORRECT], s->count, count);
    const struct picture_list picture = {.title = "What failed",
                                         .description = text_cstr(&about),
                                         .names = list,
                                         .count = shown,
                                         .least = 22,
                                         .x = {.low = 0,
                                               .high = (double)groups[0].count * 1.05,
                                               .title = "configurations",
                                               .is_count = true}};
    picture_begin_rows(&p, &rows, out, at, &picture);
    for (size_t i = 0; i < shown; i++) {
        char kind[40];
        double y = (double)i + rows.middle;
        str_format(kind, sizeof kind, "cells %s", status_text(groups[i].status));
        page_put_row_hit(&p, i, groups[i].example);
        picture_box(&p, kind, 0, y - rows.half, (double)groups[i].count, y + rows.half,
                    s->messages[groups[i].message]);
        picture_row_name(&p, &rows, i, names[i]);
    }
    picture_end(&p);
    text_release(&about);
    free(groups);
}

static void grid_failures(const struct page_set *s, struct sheet *g)
{
    static const char *const names[] = {
        "status",    "message",      "configurations", "values that nearly always fail this way",
        "the first", "to repeat it", "build log",      NULL};
    size_t count;
    struct failure_group *groups = failure_groups(s, &count);
    sheet_head(g, names);
    for (size_t i = 0; groups && i < count && i < GROUPS_MOST; i++) {
        const struct page_row *r = &s->rows[groups[i].example];
        struct text text = TEXT_INIT, command = TEXT_INIT;
        sheet_row(g);
        sheet_text(g, status_text(groups[i].status));
        sheet_text(g, s->messages[groups[i].message]);
        sheet_count(g, groups[i].count);
        put_culprits(s, &groups[i], &text);
        sheet_text(g, text_cstr(&text));
        text_clear(&text);
        page_configuration(s, r, &text);
        sheet_text(g, text_cstr(&text));
        if (!s->is_recorded)
            page_command(s, "run", r, &command);
        sheet_text(g, text_cstr(&command));
        sheet_text(g, groups[i].logged != SIZE_MAX ? s->rows[groups[i].logged].log : "");
        g->out->failed |= text.failed || command.failed;
        text_release(&text);
        text_release(&command);
    }
    sheet_end(g);
    free(groups);
}

// ---- what they find --------------------------------------------------------------------------

static void tell_failures(const struct page_set *s, struct text *out)
{
    size_t count, failed = s->count - s->by_status[STATUS_CORRECT];
    struct failure_group *groups = failure_groups(s, &count);
    struct text culprits = TEXT_INIT;
    out->failed |= !groups;
    if (groups && count > 0) {
        char name[NAME_MOST];
        name_failures(s, &groups[0], name);
        put_culprits(s, &groups[0], &culprits);
        text_addf(out, "%zu of %zu configurations failed, %zu of them with %s", failed, s->count,
                  groups[0].count, name);
        if (culprits.length)
            text_addf(out, ": nearly all with %s", text_cstr(&culprits));
        text_add(out, ".");
    }
    text_release(&culprits);
    free(groups);
}

const struct view page_view_failures = {
    VIEW("failures", FAILURES, "What failed",
         "Failures grouped by status and message, the most frequent first, with the parameter "
         "values they share and a command that repeats the first.",
         missing_failures, grid_failures),
    .tell = tell_failures, .draw = draw_failure_groups, .rows = 40};
