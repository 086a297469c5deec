// hone help: the overview, a command's page, a topic, the man page, completion.
#include "cli/cli.h"
#include "cli/console.h"
#include "cli/help.h"

static void show_strategies(struct text *out)
{
    struct text body = TEXT_INIT;
    help_strategies(&body);
    help_paragraphs(text_cstr(&body), out);
    text_release(&body);
}

static void show_spec(struct text *out)
{
    help_paragraphs(
        "A spec is a JSON file that names a kernel, its parameters with their values and "
        "restrictions, its sizes and arguments, and how its results are verified. It is a superset "
        "of the T1 format; `hone init KERNEL.cl` writes one to begin with, and the README's "
        "examples lie beside their kernels.\n\n"
        "A spec and its kernel are code. Compiling and running them on a CPU device can do what "
        "you can: read and write your files, use the network, start programs; on a GPU a kernel "
        "can read what others left in its memory and hang the card. A spec names the files that "
        "are read and the compiler's options. hone keeps crashes and endless loops away from "
        "itself; it is no sandbox. Read what you were given before you tune it, or run it as a "
        "user, or in a container, that may lose everything. Stores and recordings are only read: "
        "they run nothing.",
        out);
}

static const struct {
    const char *name;
    void (*show)(struct text *out);
} topics[] = {{"strategies", show_strategies}, {"spec", show_spec}};

static bool show_topic(const char *name, struct text *out)
{
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
        if (str_equal(name, topics[i].name)) {
            topics[i].show(out);
            return true;
        }
    }
    return false;
}

struct help_settings {
    bool man, completion;
};

static int run_help(struct invocation *i)
{
    const struct help_settings *o = i->settings;
    struct text out = TEXT_INIT;
    bool is_topic = i->argument_count && show_topic(i->arguments[0], &out);
    const struct command *c = i->argument_count && !is_topic ? command_find(i->arguments[0]) : NULL;
    if (i->argument_count && !c && !is_topic)
        return refuse_command(i->arguments[0]);
    if (o->man)
        help_man(&out);
    else if (o->completion)
        help_completion(&out);
    else if (c)
        help_command(c, &out);
    else if (!is_topic)
        help_overview(&out);
    put(&out);
    text_release(&out);
    return EXIT_DONE;
}

static const struct option options[] = {
    {OPTION("man", NULL, option_flag, offsetof(struct help_settings, man)),
     .help = "Print the man page, for man(1)."},
    {OPTION("completion", NULL, option_flag, offsetof(struct help_settings, completion)),
     .help = "Print completions for bash."},
    {0},
};

static const struct option_group groups[] = {
    {"Options", options, 0}, {"Help", help_options, 0}, {0}};

const struct command command_help = {
    .name = "help",
    .summary = "explain a command",
    .arguments = "[COMMAND|strategies|spec]",
    .most = 1,
    .description =
        "Explains the command, the strategies of a search, or what a spec is and can do; or "
        "lists all commands.",
    .groups = groups,
    .settings_size = sizeof(struct help_settings),
    .run = run_help,
};
