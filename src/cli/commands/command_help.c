// hone help: the overview, a command's page, a topic, the manual, completion.
#include "cli/cli.h"
#include "cli/completion.h"
#include "cli/console.h"
#include "cli/help.h"
#include "problem/spec.h"

#include <jansson.h>
#include <stdlib.h>

struct help_settings {
    bool all;
    const char *output;
    const char *print; // "man", "schema", "words", or a shell
};

#define PRINTED "man|schema|" HELP_SHELLS

// Also accepts "words", which completion scripts ask for; people are not told of it.
static bool option_print(void *field, const char *value, struct error *e)
{
    bool is = str_equal(value, "man") || str_equal(value, "schema") || str_equal(value, "words");
    if (!is && !help_completion(value))
        return error_set(e, ERROR_USAGE, "'%s' is none of " PRINTED, value);
    return option_text(field, value, e);
}

static bool prints(const struct help_settings *o, const char *what)
{
    return o->print && str_equal(o->print, what);
}

// A word that is neither: the nearest of both.
static int refuse_subject(const char *name)
{
    const char *names[64];
    size_t count = 0;
    for (const struct command *const *c = commands(); *c && count < 32; c++)
        names[count++] = (*c)->name;
    for (const struct help_topic *t = help_topics(); t->name && count < 64; t++)
        names[count++] = t->name;
    const char *near = str_nearest(name, names, count);
    complain("there is no command and no topic '%s'%s%s%s", name, near ? "; did you mean '" : "",
             near ? near : "", near ? "'?" : "; `hone help` lists them");
    return EXIT_USAGE;
}

// Some names are both, such as `store`: then the command's help follows the topic.
static bool show_subject(const struct help_settings *o, const char *const *words, struct text *out)
{
    const struct help_topic *t = help_topic_find(words[0]);
    const struct command *c = command_find(words[0]);
    struct text body = TEXT_INIT;
    bool ok = true;
    if (t && prints(o, "man") && !c) {
        ok = help_man_topic(t, out);
    } else if (c && prints(o, "man")) {
        help_man_command(c, out);
    } else {
        ok = !t || t->show(words + 1, &body);
        help_paragraphs(text_cstr(&body), out);
        if (c && !(t && words[1])) // a key of a spec is not about `hone convert`
            (o->all ? help_command : help_brief)(c, out);
    }
    out->failed |= body.failed;
    text_release(&body);
    return ok;
}

static int write_man_pages(const char *folder)
{
    struct error e = ERROR_INIT;
    if (help_man_pages(folder, &e))
        return EXIT_DONE;
    return refuse(EXIT_NOTHING, "%s", e.text);
}

// Indented, since people look into it.
static int write_schema(void)
{
    struct text text = TEXT_INIT, out = TEXT_INIT;
    spec_schema(&text);
    json_t *root = json_loadb(text_cstr(&text), text.length, 0, NULL);
    char *indented = root ? json_dumps(root, JSON_INDENT(2) | JSON_PRESERVE_ORDER) : NULL;
    text_addf(&out, "%s\n", indented ? indented : "");
    bool ok = indented != NULL;
    if (ok)
        put(&out);
    free(indented);
    json_decref(root);
    text_release(&text);
    text_release(&out);
    if (!ok)
        complain("out of memory");
    return ok ? EXIT_DONE : EXIT_NOTHING;
}

static int run_help(struct invocation *i)
{
    const struct help_settings *o = i->settings;
    const char *const *words = i->arguments;
    struct text out = TEXT_INIT;
    int status = EXIT_DONE;
    if (o->output)
        return write_man_pages(o->output);
    if (prints(o, "schema")) {
        return write_schema();
    } else if (prints(o, "words")) {
        completion_list(words, i->argument_count, &out);
    } else if (o->print && help_completion(o->print)) {
        text_add(&out, help_completion(o->print));
    } else if (i->argument_count > 0) {
        const struct help_topic *t = help_topic_find(words[0]);
        char why[160];
        if (!t && !command_find(words[0]))
            return refuse_subject(words[0]);
        str_format(why, sizeof why, "'%s' is one argument too many", words[i->argument_count - 1]);
        if (i->argument_count > 1 + (t ? t->most : 0))
            return refuse_usage(&command_help, why);
        status = show_subject(o, words, &out) ? EXIT_DONE : EXIT_USAGE;
    } else if (prints(o, "man")) {
        help_man(&out);
    } else {
        help_overview(&out);
    }
    if (status == EXIT_DONE)
        put(&out);
    text_release(&out);
    return status;
}

#define FIELD(member) offsetof(struct help_settings, member)

static const struct option options[] = {
    {OPTION("all", NULL, option_flag, FIELD(all)), .letter = 'a',
     .brief = "every option of a command, as COMMAND --help --all",
     .help = "Explain every option of the command, and what its JSON has."},
    {OPTION("print", PRINTED, option_print, FIELD(print)),
     .brief = "the manual, the schema of specs, completion",
     .help =
         "man: a page of the manual, for man(1): hone's own, a command's or a topic's. schema: the "
         "JSON schema of specs in both forms, by which editors complete keys and explain them. "
         "bash, zsh, fish: completion of commands, options and their values in this shell; see "
         "`hone help completion`."},
    {OPTION("output", "FOLDER", option_text, FIELD(output)), .letter = 'o',
     .needs = "print=man: it is the folder of those pages",
     .help = "Write all pages into this folder, in man1, man5 and man7."},
    {0},
};

static const struct option_group groups[] = {
    {"Options", options, 0}, {"Help", help_options, 0}, {0}};

static const struct example examples[] = {
    {"hone help ranking", "how a tune decides which configuration is the fastest"},
    {"hone help tune --all", "every option of `hone tune`"},
    {"hone help --print man tune | man -l -", "the same as a page of the manual"},
    {0},
};

const struct command command_help = {
    .name = "help",
    .group = GROUP_HELP,
    .summary = "explain a command or a topic",
    .arguments = "[COMMAND|TOPIC]",
    .most = UINT32_MAX,
    .description = "Explains a command or a topic; alone it lists both.",
    .groups = groups,
    .examples = examples,
    .settings_size = sizeof(struct help_settings),
    .run = run_help,
};
