// Help on the terminal, made from the tables of commands and options. `--help` alone is a screen: usage, three
// examples and a line for each option that one needs most. `--help --all` has every option with its explanation.
#include "cli/help.h"
#include "cli/option_rules.h"

#include <string.h>

#define WIDTH          79
#define INDENT         6  // of an option's explanation
#define BRIEF_COLUMN   32 // where the few words on an option begin
#define BRIEF_EXAMPLES 3

static void blanks(struct text *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        text_addc(out, ' ');
}

void help_wrap(const char *words, size_t length, size_t at, size_t indent, size_t width,
               struct text *out)
{
    const char *end = words + length;
    bool first = true;
    while (words < end) {
        size_t word = strcspn(words, " \n");
        word = words + word > end ? (size_t)(end - words) : word;
        if (!first && at + 1 + word > width) {
            text_addc(out, '\n');
            blanks(out, indent);
            at = indent;
        } else if (!first) {
            text_addc(out, ' ');
            at++;
        }
        text_addn(out, words, word);
        at += word;
        words += word;
        while (words < end && (*words == ' ' || *words == '\n'))
            words++;
        first = false;
    }
    text_addc(out, '\n');
}

static size_t paragraph_length(const char *body)
{
    const char *end = strstr(body, "\n\n");
    return end ? (size_t)(end - body) : strlen(body);
}

// Paragraphs are wrapped; one whose first character is a blank is kept as it is.
void help_paragraphs(const char *body, struct text *out)
{
    while (*body) {
        size_t length = paragraph_length(body);
        if (*body == ' ') {
            text_addn(out, body, length);
            text_add(out, body[length - 1] == '\n' ? "" : "\n");
        } else {
            help_wrap(body, length, 0, 0, WIDTH, out);
        }
        body += length;
        body += strspn(body, "\n");
        text_add(out, "\n");
    }
}

// "  -b, --budget BUDGET"
static void put_option_name(const struct option *o, struct text *out)
{
    text_add(out, "  ");
    if (o->letter)
        text_addf(out, "-%c, ", o->letter);
    text_addf(out, "--%s", o->name);
    if (o->argument)
        text_addf(out, o->optional ? "[=%s]" : " %s", o->argument);
}

static void option(const struct command *c, const struct option *o, struct text *out)
{
    struct text help = TEXT_INIT;
    text_add(&help, o->help);
    option_rules_text(c->groups, o, &help);
    put_option_name(o, out);
    text_addc(out, '\n');
    blanks(out, INDENT);
    help_wrap(text_cstr(&help), help.length, INDENT, INDENT, WIDTH, out);
    out->failed |= help.failed;
    text_release(&help);
}

void help_usage(const struct command *c, struct text *out)
{
    text_addf(out, "hone %s%s%s%s%s [options]", c->under ? c->under : "", c->under ? " " : "",
              c->name, c->arguments[0] ? " " : "", c->arguments);
}

static void usage(const struct command *c, struct text *out)
{
    text_add(out, "usage: ");
    help_usage(c, out);
    text_add(out, "\n\n");
}

static void examples(const struct command *c, size_t most, struct text *out)
{
    if (!c->examples)
        return;
    text_add(out, "Examples:\n");
    for (const struct example *x = c->examples; x->command && most-- > 0; x++)
        text_addf(out, "  %s\n      %s\n", x->command, x->meaning);
    text_add(out, "\n");
}

// ---- a screen ----------------------------------------------------------------------------------

static void option_briefly(const struct option *o, struct text *out)
{
    size_t from = out->length;
    if (!o->letter)
        blanks(out, 4);
    put_option_name(o, out);
    size_t at = out->length - from;
    text_addf(out, "%*s%s\n", at + 2 > BRIEF_COLUMN ? 2 : (int)(BRIEF_COLUMN - at), "", o->brief);
}

// "rules, ranking": where one reads on.
static void put_more(const struct command *c, struct text *out)
{
    struct text words = TEXT_INIT;
    text_addf(&words, "All of it: `hone %s%s%s --help --all`, or `man hone-%s`.",
              c->under ? c->under : "", c->under ? " " : "", c->name, c->name);
    if (c->topics)
        text_addf(&words, " Topics, for `hone help TOPIC`: %s.", c->topics);
    help_wrap(text_cstr(&words), words.length, 0, 0, WIDTH, out);
    out->failed |= words.failed;
    text_release(&words);
}

void help_brief(const struct command *c, struct text *out)
{
    usage(c, out);
    help_wrap(c->description, paragraph_length(c->description), 0, 0, WIDTH, out);
    text_add(out, "\n");
    examples(c, BRIEF_EXAMPLES, out);
    text_add(out, "Options:\n");
    for (const struct option_group *g = c->groups; g->title; g++) {
        for (const struct option *o = g->options; o->name; o++) {
            if (o->brief)
                option_briefly(o, out);
        }
    }
    text_add(out, "\n");
    put_more(c, out);
}

// ---- everything --------------------------------------------------------------------------------

void help_command(const struct command *c, struct text *out)
{
    usage(c, out);
    help_paragraphs(c->description, out);
    examples(c, SIZE_MAX, out);
    for (const struct option_group *g = c->groups; g->title; g++) {
        if (option_group_begins(c->groups, g))
            text_addf(out, "%s%s:\n", g == c->groups ? "" : "\n", g->title);
        for (const struct option *o = g->options; o->name; o++)
            option(c, o, out);
    }
    text_add(out, "\n");
    if (c->json)
        text_addf(out, "What --json writes, field by field: hone help json %s\n\n", c->name);
    if (c->topics)
        text_addf(out, "See also, with `hone help TOPIC`: %s.\n", c->topics);
}

static void put_topics(struct text *out)
{
    struct text words = TEXT_INIT;
    for (const struct help_topic *t = help_topics(); t->name; t++)
        text_addf(&words, "%s%s", t == help_topics() ? "" : ", ", t->name);
    text_add(out, "Topics (hone help TOPIC):\n  ");
    help_wrap(text_cstr(&words), words.length, 2, 2, WIDTH, out);
    out->failed |= words.failed;
    text_release(&words);
}

void help_overview(struct text *out)
{
    text_add(out, "usage: hone COMMAND [arguments] [options]\n"
                  "Finds the fastest configuration of a GPU kernel, proves it right, and remembers "
                  "everything.\n");
    for (const struct command *const *c = commands(); *c; c++) {
        if (c == commands() || !str_equal(c[0]->group, c[-1]->group))
            text_addf(out, "\n%s:\n", (*c)->group);
        if (!(*c)->under)
            text_addf(out, "  %-8s  %s\n", (*c)->name, (*c)->summary);
    }
    text_add(out, "\n");
    put_topics(out);
    text_add(out, "To see a tune:        hone tune kernels_cl/matmul_tiled.json\n"
                  "A kernel of your own: hone init my_kernel.cl, then check, tune, best or report, "
                  "deploy, bench\n");
}
