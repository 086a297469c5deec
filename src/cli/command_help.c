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

static int run(struct invocation *i)
{
    struct text out = TEXT_INIT;
    bool is_topic = i->argument_count && str_equal(i->arguments[0], "strategies");
    const struct command *c = i->argument_count && !is_topic ? command_find(i->arguments[0]) : NULL;
    if (i->argument_count && !c && !is_topic)
        return refuse_command(i->arguments[0]);
    if (i->settings.man)
        help_man(&out);
    else if (i->settings.completion)
        help_completion(&out);
    else if (is_topic)
        show_strategies(&out);
    else if (c)
        help_command(c, &out);
    else
        help_overview(&out);
    put(&out);
    text_release(&out);
    return EXIT_DONE;
}

static const struct option options[] = {
    {.name = "man",
     .help = "Print the man page, for man(1).",
     .apply = option_flag,
     .offset = offsetof(struct settings, man)},
    {.name = "completion",
     .help = "Print completions for bash.",
     .apply = option_flag,
     .offset = offsetof(struct settings, completion)},
    {0},
};

static const struct option_group groups[] = {{"Options", options}, {"Help", help_options}, {0}};

const struct command command_help = {
    .name = "help",
    .summary = "explain a command",
    .arguments = "[COMMAND|strategies]",
    .most = 1,
    .description = "Explains the command, or the strategies of a search, or lists all commands.",
    .groups = groups,
    .run = run,
};
