// The man page. One page for the whole program, so that a search finds every option.
#include "cli/help.h"

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

static void paragraphs(const char *body, struct text *out)
{
    while (*body) {
        const char *end = strstr(body, "\n\n");
        size_t length = end ? (size_t)(end - body) : strlen(body);
        bool as_is = *body == ' ';
        text_add(out, as_is ? ".PP\n.nf\n" : ".PP\n");
        roff(body, length, out);
        text_add(out, as_is ? "\n.fi\n" : "\n");
        body += length + (end ? 2 : 0);
    }
}

static void option(const struct option *o, struct text *out)
{
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
    line(o->help, out);
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

static void command(const struct command *c, struct text *out)
{
    text_addf(out, ".SH \"HONE ");
    for (const char *s = c->name; *s; s++)
        text_addc(out, (char)toupper((unsigned char)*s));
    text_add(out, "\"\n.B ");
    struct text usage = TEXT_INIT;
    help_usage(c, &usage);
    line(text_cstr(&usage), out);
    text_release(&usage);
    paragraphs(c->description, out);
    for (const struct option_group *g = c->groups; g->title; g++) {
        bool is_shared = g->options == spec_options || g->options == help_options;
        if (is_shared)
            continue;
        if (option_group_begins(c->groups, g))
            text_addf(out, ".SS \"%s\"\n", g->title);
        for (const struct option *o = g->options; o->name; o++)
            option(o, out);
    }
    if (c->more) {
        struct text body = TEXT_INIT;
        text_add(out, ".SS \"Strategies\"\n");
        c->more(&body);
        paragraphs(text_cstr(&body), out);
        text_release(&body);
    }
    for (const struct example *x = c->examples; x && x->command; x++) {
        text_add(out, ".TP\n.B ");
        line(x->command, out);
        line(x->meaning, out);
    }
}

static void shared(const char *title, const struct option *options, struct text *out)
{
    text_addf(out, ".SH \"%s\"\n", title);
    for (const struct option *o = options; o->name; o++)
        option(o, out);
}

void help_man(struct text *out)
{
    text_add(out,
             ".TH HONE 1 \"\" \"hone " HONE_VERSION "\" \"User Commands\"\n"
             ".SH NAME\nhone \\- tune GPU kernels\n"
             ".SH SYNOPSIS\n.B hone\n\\fICOMMAND\\fR [\\fIARGUMENTS\\fR] [\\fIOPTIONS\\fR]\n"
             ".SH DESCRIPTION\n"
             "hone builds a kernel once for each configuration of its tunable parameters, checks "
             "that the result is right, measures it, and remembers it. A spec, a JSON file, says "
             "what to tune.\n"
             ".SH COMMANDS\n");
    for (const struct command *const *c = commands(); *c; c++) {
        text_addf(out, ".TP\n.B %s\n", (*c)->name);
        line((*c)->summary, out);
    }
    shared("OPTIONS OF EVERY COMMAND", help_options, out);
    shared("OPTIONS OF COMMANDS THAT TAKE A SPEC", spec_options, out);
    for (const struct command *const *c = commands(); *c; c++)
        command(*c, out);
    entries("ENVIRONMENT", help_environment(), out);
    entries("FILES", help_files(), out);
    entries("\"EXIT STATUS\"", help_statuses(), out);
}
