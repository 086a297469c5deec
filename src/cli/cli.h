// The program: a table of subcommands, and what each of them is called with.
#pragma once

#include "extras.h"
#include "base/fields.h"
#include "cli/settings.h"

// The program's exit statuses.
enum exit_status {
    EXIT_DONE = 0,
    EXIT_NOTHING = 1, // it worked, but there is no answer; or it broke off
    EXIT_USAGE = 2,   // the command line or the spec makes no sense
    EXIT_BROKEN = 3,  // hone bench, where 1 is a loss: it broke off
    EXIT_UNHELD = 4,  // hone bench: the baseline was compared with nothing
    EXIT_SIGNAL = 128 // plus the signal
};

struct invocation;

// A command line that can be typed as it stands: tests/examples runs each. Where the meaning begins with NEEDS_GPU it
// is run on such a machine alone.
#define NEEDS_GPU "on an NVIDIA GPU: "
struct example {
    const char *command, *meaning;
};

// A record that a command writes as JSON; the text of its help names it.
struct json_record {
    const char *name;
    const struct fields *of;
};

struct command {
    const char *name;
    const char
        *under; // (optional) the command after which it is typed: "store" of `hone store import`
    const char *former; // (optional) a name that is still understood, and listed nowhere
    const char *group; // the title under which help lists it, with its neighbours of the same title
    const char *summary;     // one line
    const char *arguments;   // "SPEC"; "" for none
    uint32_t least, most;    // how many of them
    const char *description; // paragraphs, separated by an empty line; a line that starts with a
                             // blank is kept as it is. The first alone stands in --help
    const char *json;        // (optional) likewise: when --json writes what
    const struct json_record *records; // of these; ends with a NULL table
    const char *topics;                // (optional) of `hone help`, that say more: "ranking, rules"
    const struct option_group *groups;
    size_t settings_size;             // of the struct that `groups` fills
    const struct example *examples;   // ends with NULL
    int (*run)(struct invocation *i); // -> exit status
    unsigned own_formats;             // 1 << enum report_format: not made from its JSON
    bool compiles;                    // what it leaves in caches is kept within bounds
};

struct invocation {
    const struct command *command;
    void *settings; // the command's own
    const char **arguments;
    uint32_t argument_count;
    const char *line;    // the command line as typed, quoted for a shell
    uint64_t started_ns; // when the program was, by the monotonic clock
    bool *lost;          // set where a store lost what was written to it
};

// The titles of the groups.
#define GROUP_PREPARE "Prepare"
#define GROUP_MEASURE "Tune and measure"
#define GROUP_RESULTS "Use and keep results"
#define GROUP_HELP    "Help"

// The subcommands, in the order in which help lists them: each is a file commands/command_NAME.c, which the build
// takes from these rows, or extras/EXTRA/command_NAME.c, if the build has that extra.
// clang-format off
#define COMMANDS(X) \
    EXTRA_INIT(X(init)) \
    EXTRA_CAPTURE(X(capture)) \
    X(convert)  \
    X(devices)  \
    X(space)    \
    X(check)    \
    X(tune)     \
    X(run)      \
    X(compare)  \
    EXTRA_JUDGE(X(judge)) \
    EXTRA_MCP(X(mcp)) \
    X(sweep)    \
    X(peak)     \
    X(score)    \
    X(best)     \
    EXTRA_DEPLOY(X(deploy)) \
    EXTRA_CAPTURE(X(with)) \
    X(bench)    \
    EXTRA_PAGE(X(report)) \
    X(store)    \
    EXTRA_FORMATS(X(export)) \
    EXTRA_FORMATS(X(import)) \
    X(verify)   \
    X(prune)    \
    X(cache)    \
    X(selftest) \
    X(help)     \
    X(version)
// clang-format on

#define X(name) extern const struct command command_##name;
COMMANDS(X)
#undef X

// All subcommands, NULL-terminated.
const struct command *const *commands(void);
const struct command *command_find(const char *name);
// Reports that there is no such command, and which name is nearest; the exit status.
int refuse_command(const char *name);

// Says why a command line makes no sense, and how the command is used; the exit status.
int refuse_usage(const struct command *c, const char *why);

// The whole program; what main() calls.
int cli_main(int argc, char **argv);
