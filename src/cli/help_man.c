// The manual: hone(1) with what holds for all, a page for each command and each topic of help.
#include "cli/help.h"
#include "cli/option_rules.h"

#include "os/file_replace.h"

#include <ctype.h>
#include <string.h>

// Text for troff: a leading dot or quote would be a request, a minus a hyphen.
static void roff(const char *s, size_t length, struct text *out)
{
    bool at_start = true;
    for (size_t i = 0; i < length; i++) {
        if (at_start && (s[i] == '.' || s[i] == '\''))
            text_add(out, "\\&");
        if (s[i] == '\\')
            text_add(out, "\\e");
        else if (s[i] == '-')
            text_add(out, "\\-");
        else
            text_addc(out, s[i]);
        at_start = s[i] == '\n';
    }
}

static void line(const char *s, struct text *out)
{
    roff(s, strlen(s), out);
    text_addc(out, '\n');
}

// The first follows a heading, which begins a paragraph of its own.
static void paragraphs(const char *body, struct text *out)
{
    for (bool first = true; *body; first = false) {
        const char *end = strstr(body, "\n\n");
        size_t length = end ? (size_t)(end - body) : strlen(body);
        bool as_is = *body == ' ';
        text_add(out, first ? "" : ".PP\n");
        text_add(out, as_is ? ".nf\n" : "");
        roff(body, length, out);
        text_add(out, body[length - 1] == '\n' ? "" : "\n");
        text_add(out, as_is ? ".fi\n" : "");
        body += length;
        body += strspn(body, "\n");
    }
}

static void option(const struct command *c, const struct option *o, struct text *out)
{
    struct text help = TEXT_INIT;
    text_add(&help, o->help);
    option_rules_text(c->groups, o, &help);
    text_add(out, ".TP\n");
    if (o->letter)
        text_addf(out, "\\fB\\-%c\\fR, ", o->letter);
    text_add(out, "\\fB\\-\\-");
    roff(o->name, strlen(o->name), out);
    text_add(out, "\\fR");
    if (o->argument) {
        text_add(out, o->optional ? "[=\\fI" : " \\fI");
        roff(o->argument, strlen(o->argument), out);
        text_add(out, o->optional ? "\\fR]" : "\\fR");
    }
    text_addc(out, '\n');
    line(text_cstr(&help), out);
    out->failed |= help.failed;
    text_release(&help);
}

static void entries(const char *title, const struct help_entry *list, struct text *out)
{
    text_addf(out, ".SH %s\n", title);
    for (; list->name; list++) {
        text_add(out, ".TP\n.B ");
        line(list->name, out);
        line(list->meaning, out);
    }
}

static void put_upper(const char *word, struct text *out)
{
    for (; *word; word++)
        text_addc(out, (char)toupper((unsigned char)*word));
}

// ".TH HONE-TUNE 1 ..." and the name: what the manual's index shows.
static void put_title(const char *name, int section, const char *summary, struct text *out)
{
    text_add(out, ".TH HONE");
    text_add(out, *name ? "\\-" : "");
    put_upper(name, out);
    text_addf(out, " %d \"\" \"hone " HONE_VERSION "\" \"%s\"\n.SH NAME\nhone%s%s \\- ", section,
              section == 1 ? "User Commands" : "hone Manual", *name ? "\\-" : "", name);
    line(summary, out);
}

static void put_examples(const struct example *x, struct text *out)
{
    if (!x)
        return;
    text_add(out, ".SH EXAMPLES\n");
    for (; x->command; x++) {
        text_add(out, ".TP\n.B ");
        line(x->command, out);
        line(x->meaning, out);
    }
}

// "ranking, rules" as "hone-ranking(7), hone-rules(7)".
static void put_see_also(const char *topics, struct text *out)
{
    text_add(out, ".SH \"SEE ALSO\"\n.BR hone (1)\n");
    while (topics && *topics) {
        size_t length = strcspn(topics, ",");
        char name[32];
        str_format(name, sizeof name, "%.*s", (int)length, topics);
        const struct help_topic *t = help_topic_find(name);
        if (t)
            text_addf(out, ".BR hone\\-%s (%d)\n", name, t->section);
        topics += length;
        topics += strspn(topics, ", ");
    }
}

void help_man_command(const struct command *c, struct text *out)
{
    put_title(c->name, 1, c->summary, out);
    text_addf(out, ".SH SYNOPSIS\n.B hone %s%s%s\n", c->under ? c->under : "", c->under ? " " : "",
              c->name);
    text_add(out, "\\fI");
    roff(c->arguments, strlen(c->arguments), out);
    text_add(out, "\\fR [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n");
    paragraphs(c->description, out);
    text_add(out, ".SH OPTIONS\n");
    for (const struct option_group *g = c->groups; g->title; g++) {
        if (option_group_begins(c->groups, g))
            text_addf(out, ".SS \"%s\"\n", g->title);
        for (const struct option *o = g->options; o->name; o++)
            option(c, o, out);
    }
    if (c->json) {
        text_add(out, ".SH JSON\n");
        struct text fields = TEXT_INIT;
        help_json(c, &fields);
        paragraphs(text_cstr(&fields), out);
        text_release(&fields);
    }
    put_examples(c->examples, out);
    entries("\"EXIT STATUS\"", help_statuses(), out);
    put_see_also(c->topics, out);
}

bool help_man_topic(const struct help_topic *t, struct text *out)
{
    const char *const words[] = {t->page, NULL};
    struct text body = TEXT_INIT;
    bool ok = t->show(words, &body);
    put_title(t->name, t->section, t->summary, out);
    text_add(out, ".SH DESCRIPTION\n");
    paragraphs(text_cstr(&body), out);
    put_see_also(NULL, out);
    out->failed |= body.failed;
    text_release(&body);
    return ok;
}

void help_man(struct text *out)
{
    put_title("", 1, "tune GPU kernels", out);
    text_add(out,
             ".SH SYNOPSIS\n.B hone\n\\fICOMMAND\\fR [\\fIARGUMENTS\\fR] [\\fIOPTIONS\\fR]\n"
             ".SH DESCRIPTION\n"
             "hone builds a kernel once for each configuration of its tunable parameters, checks "
             "that the result is correct, measures it, and remembers it. A spec, a JSON file, says "
             "what to tune.\n"
             ".SH COMMANDS\n");
    for (const struct command *const *c = commands(); *c; c++) {
        if (c == commands() || !str_equal(c[0]->group, c[-1]->group))
            text_addf(out, ".SS \"%s\"\n", (*c)->group);
        text_addf(out, ".TP\n.BR hone\\-%s (1)\n", (*c)->name);
        line((*c)->summary, out);
    }
    text_add(out, ".SH TOPICS\n");
    for (const struct help_topic *t = help_topics(); t->name; t++) {
        text_addf(out, ".TP\n.BR hone\\-%s (%d)\n", t->name, t->section);
        line(t->summary, out);
    }
    entries("ENVIRONMENT", help_environment(), out);
    entries("FILES", help_files(), out);
    entries("\"EXIT STATUS\"", help_statuses(), out);
}

// ---- all of them, as files -----------------------------------------------------------------------

// FOLDER/man7/hone-ranking.7; "" is hone itself.
static bool write_page(const char *folder, const char *name, int section, const struct text *page,
                       struct error *e)
{
    struct text path = TEXT_INIT;
    text_addf(&path, "%s/man%d", folder, section);
    bool ok = folder_make(text_cstr(&path), e);
    text_addf(&path, "/hone%s%s.%d", *name ? "-" : "", name, section);
    if (page->failed || path.failed)
        ok = error_memory(e);
    ok = ok && file_replace(text_cstr(&path), page, e);
    text_release(&path);
    return ok;
}

bool help_man_pages(const char *folder, struct error *e)
{
    struct text page = TEXT_INIT;
    help_man(&page);
    bool ok = write_page(folder, "", 1, &page, e);
    for (const struct command *const *c = commands(); ok && *c; c++) {
        text_clear(&page);
        help_man_command(*c, &page);
        ok = write_page(folder, (*c)->name, 1, &page, e);
    }
    for (const struct help_topic *t = help_topics(); ok && t->name; t++) {
        text_clear(&page);
        ok = help_man_topic(t, &page) && write_page(folder, t->name, t->section, &page, e);
    }
    text_release(&page);
    return ok;
}
