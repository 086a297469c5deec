// hone version.
#include "cli/cli.h"
#include "cli/console.h"

static int run_version(struct invocation *i)
{
    (void)i;
    struct text out = TEXT_INIT;
    text_add(&out, "hone " HONE_VERSION "\n");
    put(&out);
    text_release(&out);
    return EXIT_DONE;
}

static const struct option_group groups[] = {{"Help", help_options, 0}, {0}};

const struct command command_version = {
    .name = "version",
    .group = GROUP_HELP,
    .summary = "print hone's version",
    .arguments = "",
    .description = "Prints hone's version.",
    .groups = groups,
    .run = run_version,
};
