// Help on the terminal, made from the tables of commands and options: wrapped to 79 columns, options with
// their argument in front and the explanation indented below.
#include "cli/help.h"

#include "report/units.h"

#include <string.h>

#define WIDTH  79
#define INDENT 6 // of an option's explanation

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

// Paragraphs are wrapped; one whose first character is a blank is kept as it is.
void help_paragraphs(const char *body, struct text *out)
{
    while (*body) {
        const char *end = strstr(body, "\n\n");
        size_t length = end ? (size_t)(end - body) : strlen(body);
        if (*body == ' ') {
            text_addn(out, body, length);
            text_addc(out, '\n');
        } else {
            help_wrap(body, length, 0, 0, WIDTH, out);
        }
        body += length + (end ? 2 : 0);
        text_add(out, "\n");
    }
}

static void option(const struct option *o, struct text *out)
{
    text_add(out, "  ");
    if (o->letter)
        text_addf(out, "-%c, ", o->letter);
    text_addf(out, "--%s", o->name);
    if (o->argument)
        text_addf(out, o->optional ? "[=%s]" : " %s", o->argument);
    text_addc(out, '\n');
    blanks(out, INDENT);
    help_wrap(o->help, strlen(o->help), INDENT, INDENT, WIDTH, out);
}

static void entries(const char *title, const struct help_entry *list, struct text *out)
{
    size_t widest = 0;
    for (const struct help_entry *x = list; x->name; x++)
        widest = columns(x->name) > widest ? columns(x->name) : widest;
    text_addf(out, "%s:\n", title);
    for (; list->name; list++) {
        text_addf(out, "  %-*s  ", (int)widest, list->name);
        help_wrap(list->meaning, strlen(list->meaning), widest + 4, widest + 4, WIDTH, out);
    }
    text_add(out, "\n");
}

void help_usage(const struct command *c, struct text *out)
{
    text_addf(out, "hone %s%s%s [options]", c->name, c->arguments[0] ? " " : "", c->arguments);
}

static void examples(const struct command *c, struct text *out)
{
    if (!c->examples)
        return;
    text_add(out, "Examples:\n");
    for (const struct example *x = c->examples; x->command; x++)
        text_addf(out, "  %s\n      %s\n", x->command, x->meaning);
}

static void more(const struct command *c, struct text *out)
{
    struct text body = TEXT_INIT;
    if (!c->more)
        return;
    c->more(&body);
    help_paragraphs(text_cstr(&body), out);
    out->failed |= body.failed;
    text_release(&body);
}

void help_command(const struct command *c, struct text *out)
{
    text_add(out, "usage: ");
    help_usage(c, out);
    text_add(out, "\n\n");
    help_paragraphs(c->description, out);
    for (const struct option_group *g = c->groups; g->title; g++) {
        if (option_group_begins(c->groups, g))
            text_addf(out, "%s%s:\n", g == c->groups ? "" : "\n", g->title);
        for (const struct option *o = g->options; o->name; o++)
            option(o, out);
    }
    text_add(out, "\n");
    more(c, out);
    examples(c, out);
}

void help_overview(struct text *out)
{
    text_add(out, "usage: hone COMMAND [arguments] [options]\n\n");
    help_paragraphs(
        "Tunes GPU kernels: builds a kernel once for each configuration of its parameters, checks "
        "that the result is right, measures it, and remembers it.",
        out);
    text_add(out, "Commands:\n");
    for (const struct command *const *c = commands(); *c; c++)
        text_addf(out, "  %-8s  %s\n", (*c)->name, (*c)->summary);
    text_add(out, "\n`hone COMMAND --help` explains a command; `man hone` has it all.\n\n");
    entries("Environment", help_environment(), out);
    entries("Exit status", help_statuses(), out);
    text_add(out, "Start with:\n"
                  "  hone devices\n"
                  "  hone tune kernels_cl/matmul_tiled.json\n");
}

// ---- what holds for all ------------------------------------------------------------------------

const struct help_entry *help_environment(void)
{
    static const struct help_entry list[] = {
        {"HONE_ALSO", "stores that are only read, behind the user's own, separated by colons"},
        {"HONE_DEVICE", "the device, where --device is not given"},
        {"HONE_WORKER", "the hone-worker program, where it is not beside hone"},
        {"XDG_DATA_HOME", "folder of the store (else ~/.local/share)"},
        {"XDG_CACHE_HOME", "folder of drivers' caches and references (else ~/.cache)"},
        {"POCL_CACHE_DIR, CUDA_CACHE_PATH", "a driver's cache of your own choice"},
        {"HONE_CC", "the compiler of kernels in C (else cc)"},
        {"CUDA_HOME, CUDA_PATH", "the CUDA toolkit whose compiler and headers are used"},
        {"TMPDIR", "folder of temporary files (else /tmp)"},
        {0},
    };
    return list;
}

const struct help_entry *help_statuses(void)
{
    static const struct help_entry list[] = {
        {"0", "done; for tune, run, best and compare: there is a correct configuration; for sweep: "
              "there "
              "is one at some point; for check: all are correct"},
        {"1",
         "nothing correct was found, or something broke: a device, the store, writing the output"},
        {"2", "the command line or the spec makes no sense"},
        {"130", "ended by Ctrl-C, after what was known was printed"},
        {0},
    };
    return list;
}

const struct help_entry *help_files(void)
{
    static const struct help_entry list[] = {
        {"~/.local/share/hone/results.sqlite", "the store: every result ever measured"},
        {"~/.cache/hone", "drivers' compile caches and references, 1 GiB at most: hone cache"},
        {0},
    };
    return list;
}
