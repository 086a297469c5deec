// The program: finds the subcommand, reads its options into settings of its own, runs it, and
// converts what it wrote where CSV or JUnit is asked for.
#include "cli/cli.h"

#include "cli/console.h"
#include "cli/help.h"
#include "cli/settings.h"
#include "cli/work.h"
#include "report/convert.h"

#include "os/process.h"

#include <stdlib.h>
#include <unistd.h>

static const struct command *const table[] = {
#define X(name) &command_##name,
    COMMANDS(X)
#undef X
        NULL,
};

const struct command *const *commands(void)
{
    return table;
}

const struct command *command_find(const char *name)
{
    for (const struct command *const *c = table; *c; c++) {
        if (str_equal((*c)->name, name) || str_equal((*c)->former, name))
            return *c;
    }
    return NULL;
}

int refuse_command(const char *name)
{
    const char *names[sizeof table / sizeof *table];
    size_t count = 0;
    struct text known = TEXT_INIT;
    for (size_t i = 0; table[i]; i++) {
        if (table[i]->under)
            continue;
        text_addf(&known, "%s%s", count ? ", " : "", table[i]->name);
        names[count++] = table[i]->name;
    }
    const char *near = str_nearest(name, names, count);
    const char *dot = strrchr(name, '.');
    if (near)
        complain("unknown command '%s'; did you mean '%s'?", name, near);
    else if (help_topic_find(name))
        complain("'%s' is a topic, not a command: hone help %s", name, name);
    else if (dot && access(name, F_OK) == 0)
        complain("'%s' is a file, not a command: hone %s %s", name,
                 str_equal(dot, ".json") ? "tune" : "init", name);
    else
        complain("unknown command '%s'; there are %s", name, text_cstr(&known));
    text_release(&known);
    return EXIT_USAGE;
}

int refuse_usage(const struct command *c, const char *why)
{
    struct text usage = TEXT_INIT;
    help_usage(c, &usage);
    complain("%s", why);
    say("usage: %s\nTry `hone %s%s%s --help`.\n", text_cstr(&usage), c->under ? c->under : "",
        c->under ? " " : "", c->name);
    text_release(&usage);
    return EXIT_USAGE;
}

// The words in front of "--".
static bool has_word(int argc, char *const *argv, const char *word)
{
    for (int i = 0; i < argc && !str_equal(argv[i], "--"); i++) {
        if (str_equal(argv[i], word))
            return true;
    }
    return false;
}

// A screen; with --all everything.
static int show_help(const struct command *c, int argc, char *const *argv)
{
    struct text help = TEXT_INIT;
    (has_word(argc, argv, "--all") ? help_command : help_brief)(c, &help);
    put(&help);
    text_release(&help);
    return EXIT_DONE;
}

static int refuse_all_devices(const struct invocation *i)
{
    const struct command *c = i->command;
    const struct option *row = option_find(c->groups, "device");
    const char *const *device = row ? option_field(c->groups, i->settings, row) : NULL;
    const struct given_format *given = option_field(c->groups, i->settings, format_options);
    if (!device || !str_equal(*device, WORK_DEVICE_ALL))
        return EXIT_DONE;
    if (c != &command_tune)
        return refuse(EXIT_USAGE,
                      "--device " WORK_DEVICE_ALL
                      " is for hone tune, which tunes on each kind of device; hone %s "
                      "takes one: name it",
                      c->name);
    if (!given || (given->format != REPORT_CSV && given->format != REPORT_JUNIT))
        return EXIT_DONE;
    complain("--device " WORK_DEVICE_ALL
             " is written as text, Markdown or JSON: other formats hold a single table");
    return EXIT_USAGE;
}

static int check_arguments(const struct invocation *i)
{
    const struct command *c = i->command;
    char why[160];
    if (i->argument_count < c->least)
        str_format(why, sizeof why, "%s needs %s", c->name, c->arguments);
    else if (i->argument_count > c->most)
        str_format(why, sizeof why, "unexpected argument '%s'%s", i->arguments[c->most],
                   c == &command_store ? "; what can follow is import, export, verify, prune" : "");
    else
        return refuse_all_devices(i);
    return refuse_usage(c, why);
}

// CSV and JUnit are made from what the command writes as JSON: what it shall write is then collected. REPORT_TEXT: it
// writes by itself.
static enum report_format begin_conversion(const struct invocation *i, struct text *lines)
{
    const struct command *c = i->command;
    struct given_format *given = option_field(c->groups, i->settings, format_options);
    enum report_format to = given ? given->format : REPORT_TEXT;
    if ((to != REPORT_CSV && to != REPORT_JUNIT) || c->own_formats & 1u << to)
        return REPORT_TEXT;
    given->format = REPORT_JSON;
    console_collect(lines);
    return to;
}

static int end_conversion(const struct invocation *i, enum report_format to, struct text *lines,
                          int status)
{
    struct text out = TEXT_INIT;
    console_collect(NULL);
    report_convert(text_cstr(lines), to, i->command->name, &out);
    if (lines->failed || out.failed) {
        complain("out of memory: the output is not complete");
        status = status == EXIT_DONE ? EXIT_NOTHING : status;
    }
    if (lines->length)
        put_data(&out);
    text_release(lines);
    text_release(&out);
    return status;
}

static int run_command(const struct command *c, int argc, char **argv, const char *line,
                       uint64_t started_ns)
{
    struct error e = ERROR_INIT;
    int status;
    bool lost = false;
    struct invocation i = {.command = c, .line = line, .started_ns = started_ns, .lost = &lost};
    bool help = false;
    i.arguments = calloc(argc > 0 ? (size_t)argc + 1 : 1, sizeof *i.arguments);
    i.settings = calloc(1, c->settings_size + 1);
    if (!i.arguments || !i.settings) {
        free(i.arguments);
        free(i.settings);
        return refuse(EXIT_NOTHING, "out of memory");
    }
    if (!options_parse(c->groups, argc, argv, i.settings, &help, i.arguments, &i.argument_count,
                       &e))
        status = help || has_word(argc, argv, "--help") ? show_help(c, argc, argv)
                                                        : refuse_usage(c, e.text);
    else if (help)
        status = show_help(c, argc, argv);
    else if ((status = check_arguments(&i)) == EXIT_DONE) {
        struct text lines = TEXT_INIT;
        enum report_format to = begin_conversion(&i, &lines);
        status = c->run(&i);
        if (to != REPORT_TEXT)
            status = end_conversion(&i, to, &lines, status);
    }
    if (lost && status == EXIT_DONE)
        status = EXIT_NOTHING;
    options_release(c->groups, i.settings);
    free(i.settings);
    free(i.arguments);
    return status;
}

// --help and --version are commands too when nothing stands before them.
static const struct command *find_command(const char *word)
{
    if (str_equal(word, "-h") || str_equal(word, "--help"))
        return &command_help;
    if (str_equal(word, "--version") || str_equal(word, "-V"))
        return &command_version;
    const struct command *c = command_find(word);
    return c && c->under && !str_equal(c->former, word) ? NULL : c;
}

// `hone store import`: the command that is named by two words; NULL: one word names it.
static const struct command *find_under(const char *word, const char *second)
{
    const struct command *c = second ? command_find(second) : NULL;
    return c && str_equal(c->under, word) ? c : NULL;
}

int cli_main(int argc, char **argv)
{
    struct text text = TEXT_INIT;
    int status = EXIT_USAGE;
    uint64_t started_ns = clock_ns();
    if (argc < 2) {
        help_overview(&text);
        say("%s", text_cstr(&text));
        text_release(&text);
        return status;
    }
    for (int i = 0; i < argc; i++) {
        text_add(&text, i ? " " : "");
        text_add_shell(&text, argv[i]);
    }
    const struct command *under = find_under(argv[1], argv[2]);
    const struct command *c = under ? under : find_command(argv[1]);
    int words = under ? 3 : 2;
    status = c ? run_command(c, argc - words, argv + words, text_cstr(&text), started_ns)
               : refuse_command(argv[1]);
    text_release(&text);
    return console_finish(status);
}
