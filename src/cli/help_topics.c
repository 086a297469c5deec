// The topics of `hone help TOPIC`: too long for any command's help, or shared by several commands.
#include "cli/help.h"

#include "cli/console.h"
#include "cli/recording.h"
#include "report/units.h"
#include "stats/rules.h"

#include <string.h>

#define WIDTH       79
#define RULE_COLUMN 20

// ---- made from tables --------------------------------------------------------------------------

// Names in a column, what they mean beside them; for help_paragraphs(), which keeps it as it is.
static void put_entries(const struct help_entry *list, struct text *out)
{
    size_t widest = 0;
    for (const struct help_entry *x = list; x->name; x++)
        widest = columns(x->name) > widest ? columns(x->name) : widest;
    for (; list->name; list++) {
        text_addf(out, "  %-*s  ", (int)widest, list->name);
        help_wrap(list->meaning, strlen(list->meaning), widest + 4, widest + 4, WIDTH, out);
    }
}

static bool show_environment(const char *const *words, struct text *out)
{
    (void)words;
    text_add(out, "Variables of the environment:\n\n");
    put_entries(help_environment(), out);
    text_add(out, "\nFiles:\n\n");
    put_entries(help_files(), out);
    return true;
}

static bool show_statuses(const char *const *words, struct text *out)
{
    (void)words;
    text_add(out, "What hone exits with:\n\n");
    put_entries(help_statuses(), out);
    text_add(
        out,
        "\nThe status of a configuration is one of these:\n\n"
        "  correct      built, ran, and its result is correct\n"
        "  compile      the compiler refused it, crashed or took too long\n"
        "  runtime      it crashed, or wrote out of bounds\n"
        "  timeout      a launch took too long\n"
        "  correctness  the result is wrong\n"
        "  constraints  it asks for more than the device has: work-group, local memory, ...\n");
    return true;
}

static bool show_rules(const char *const *words, struct text *out)
{
    (void)words;
    text_add(
        out,
        "The rules of screening and ranking with their defaults. --rule NAME=VALUE changes one, in "
        "`hone tune`, `hone sweep` and `hone compare`; it may be repeated.\n\n");
    for (const struct measure_rule *r = measure_rule_table; r->name; r++) {
        struct text name = TEXT_INIT;
        text_addf(&name, "%s=%g", r->name, r->value);
        text_addf(out, "  %-16s  ", text_cstr(&name));
        help_wrap(r->text, strlen(r->text), RULE_COLUMN, RULE_COLUMN, WIDTH, out);
        text_release(&name);
    }
    return true;
}

// The fields of one command, or of all that write JSON.
static bool show_json(const char *const *words, struct text *out)
{
    const struct command *one = words[0] ? command_find(words[0]) : NULL;
    if (words[0] && !one)
        return refuse_command(words[0]) == EXIT_DONE;
    if (one && !one->json) {
        complain("`hone %s` writes no JSON", one->name);
        return false;
    }
    if (!one)
        text_add(out, "Every command with results writes JSON with --json: one object, or one per "
                      "line if there are records. Unknown values are null. Fields are stable: none "
                      "of these will go. Progress and warnings go to stderr. `hone help json "
                      "COMMAND` is about one command.\n\n");
    for (const struct command *const *c = commands(); *c; c++) {
        if (!(*c)->json || (one && *c != one))
            continue;
        text_addf(out, "hone %s\n\n", (*c)->name);
        help_json(*c, out);
    }
    return true;
}

// One a line, as it can be typed; the tests run them.
static bool show_examples(const char *const *words, struct text *out)
{
    (void)words;
    for (const struct command *const *c = commands(); *c; c++) {
        for (const struct example *x = (*c)->examples; x && x->command; x++)
            text_addf(out, "  %s\n      %s\n", x->command, x->meaning);
    }
    return true;
}

// ---- texts -------------------------------------------------------------------------------------

static const char ranking[] =
    "How `hone tune` decides which configuration is the fastest.\n\n"
    "Screening: each configuration is launched once and that launch is verified; then it is "
    "launched a few times more, unless that launch was long, its card at work, and its time near "
    "the best. One that is far behind the best is stopped early.\n\n"
    "Ranking: whatever might be the best becomes a finalist, the fastest known from earlier runs "
    "included (they spend no budget). Finalists are launched in interleaved rounds, in shuffled "
    "order, each time once untimed (a long launch, of 2 ms on a card or 10 ms on a CPU, is not) "
    "and then timed, because clock drift between two configurations that are measured one after "
    "the other is larger than the difference between many of them. Places, ties and ratios come "
    "from these rounds alone. A round during which other programs used the cores, or the reference "
    "launch was slow, is run again. After the last round those tied with the winner are verified "
    "once more. When a budget of time is up there is still a short ranking.\n\n"
    "Ties: configurations that the measurements cannot distinguish from the winner share its "
    "place. That is one decision over all of them; 95 of 100 tunes of equal kernels tie them all. "
    "Of a tie, `hone best` takes, among those within 0.5 % of the fastest, the one that uses the "
    "fewest resources (spilled memory, registers, local and private memory, work-group), then the "
    "first in the space.\n\n"
    "A time is the median of a configuration's launches by the device's timer (by the host's clock "
    "if the timer is found to be wrong, which is reported), with its 95 % interval in brackets; of "
    "fewer than six launches the range is given, in parentheses. \"Times the winner\" is the ratio "
    "within rounds; its intervals hold for all finalists together. The speed-up is over the "
    "default configuration, which takes part in the ranking if it is correct; `not significant` "
    "says that its interval contains 1.\n\n"
    "`hone help rules` lists the constants of all this.";

static const char objectives[] =
    "What a tune optimises: the time, unless --objective or the spec's Objective says otherwise. "
    "GOAL is time (the shortest), or min:NAME or max:NAME of a metric of the spec.\n\n"
    "The highest GFLOP/s for a fixed amount of work is the shortest time in other words, and is "
    "ranked as such. For any other objective, and for several, each configuration is launched the "
    "same number of times (seven, or --iterations), is not stopped for being slow, has its energy "
    "counted where the objective needs it (half a second more), and there is no ranking.\n\n"
    "Of several objectives no configuration is the best: the tune ends with the Pareto set, those "
    "that no other configuration beats in one of them without losing in another. `hone best` looks "
    "it up again.";

static const char formats[] =
    "How results are written: --format " REPORT_FORMAT_WORDS ".\n\n"
    "  text      for people (the default)\n"
    "  json      for scripts: hone help json\n"
    "  markdown  tables\n"
    "  csv       a row for each record of the JSON, a column for each value\n"
    "  junit     a test case for each record, failed where its status is not correct\n\n"
    "Formats of recorded spaces (`hone tune --replay`, `hone score`, `hone import "
    "--spec`): " RECORDING_FORMATS ".\n\n"
    "What `hone export` writes: T4 results with metadata (t4), a Kernel Tuner cache file (cache), "
    "CSV (csv). `hone run --output` writes a kernel's outputs as NumPy files.";

static const char devices[] =
    "`hone devices` lists the devices. --device takes any part of a device's name, platform or id; "
    "upper and lower case are the same. Without it HONE_DEVICE decides; then the only device is "
    "taken, else the first GPU, integrated GPU or CPU, in that order.\n\n"
    "A GPU that both OpenCL and CUDA offer is one card with two views; --language chooses between "
    "them. The host itself, with its C compiler, runs kernels in C. Without a GPU, OpenCL kernels "
    "run on the CPU through PoCL (Debian, Ubuntu: apt install pocl-opencl-icd), and inside the "
    "simulator Oclgrind for `hone check --races`; CUDA kernels can be built (not run) with NVRTC: "
    "`hone check --arch sm_90 --build-only`.\n\n"
    "Only one hone at a time measures on a device: a second one waits for it, ten minutes at a "
    "time (--timeout lock=TIME).";

static const char nodes[] =
    "--on says where the work is done, for tune, check, sweep, compare, deploy and devices; it is "
    "taken from the command line alone, never from a spec.\n\n"
    "  local            all equal devices of this machine\n"
    "  slurm            every node of the allocation: inside of sbatch or salloc\n"
    "  ssh:a,b,c        these hosts, as `ssh -oBatchMode=yes` reaches them\n"
    "  'exec:COMMAND'   any command that is put before: 'exec:docker exec -i box';\n"
    "                   {} in it stands for each of --nodes a,b,c\n\n"
    "Several are separated by commas or given one by one: --on local,ssh:a,b. On each node the "
    "command starts hone-worker --node over its standard input and output: no daemon, no port. "
    "hone-worker must be of the same version there, and lie where it lies here, unless "
    "--node-worker names it. Scratch files and drivers' caches lie in the node's TMPDIR and go "
    "with it. Nothing else of this machine need be there: kernels and data are sent.\n\n"
    "--build-on names nodes in the same way that build for the devices that measure, beside their "
    "own machines: for kernels in CUDA (it takes NVRTC of the same version, no GPU) and in C (the "
    "same processor and compiler). What OpenCL builds can be used only where it is built. --on "
    "slurm --build-on slurm: nodes with a GPU measure, those without build.\n\n"
    "Devices of one model, driver and compiler share the work; others are listed and not used, and "
    "--device chooses the kind. Screening converts times to the pace of one device; each round of "
    "the ranking is on one device. The store is written here alone. It has times as they were "
    "measured, and does not say on which device: a run's session names all that took part, with "
    "the pace of each (hone report shows it), and the host that hone ran on. Stored times that "
    "answer later are not converted, and may be off by as much as the devices differ; a ranking is "
    "not.\n\n"
    "A node that cannot be used is reported before anything is measured, and the others go on; "
    "with --strict hone ends. One that is lost later (20 seconds of silence) leaves its work to "
    "the others, which is reported. For job arrays, and machines that cannot reach each other, "
    "--part I/N tunes a share of the space without any of this.";

static const char store[] =
    "Every result is kept, in one SQLite file: $XDG_DATA_HOME/hone/results.sqlite, or "
    "~/.local/share/hone/results.sqlite, or what --store names. Results are only added; a failure "
    "is a result, too. --also and HONE_ALSO name stores that are only read: a team's, or one that "
    "came with the kernels.\n\n"
    "A stored result answers as long as nothing that may change it has changed: the kernel's "
    "source and its includes, compiler options, sizes, arguments, verification, the device's "
    "model, its driver and compiler, and the way hone measures. --fresh measures again; "
    "--fresh=failures tries failures again; --store none neither reads nor writes.\n\n"
    "`hone best` looks up the best, `hone store` shows, checks or prunes the store, `hone store "
    "import` merges other stores, `hone store export` writes results for other tuners. `hone "
    "cache` is about compiled kernels and other files that are made again when missing.";

static const char completion[] =
    "`hone help --print SHELL` prints a completion script for commands, options and their values, "
    "including the names of a spec's parameters. `cmake --install` installs it where the shells "
    "look for it. By hand:\n\n"
    "  bash  source <(hone help --print bash)       in ~/.bashrc\n"
    "  zsh   source <(hone help --print zsh)        in ~/.zshrc, behind compinit\n"
    "  fish  hone help --print fish | source        in ~/.config/fish/config.fish";

#define SHOW_TEXT(name)                                                                            \
    static bool show_##name(const char *const *words, struct text *out)                            \
    {                                                                                              \
        (void)words;                                                                               \
        text_add(out, name);                                                                       \
        return true;                                                                               \
    }
SHOW_TEXT(ranking)
SHOW_TEXT(objectives)
SHOW_TEXT(formats)
SHOW_TEXT(devices)
SHOW_TEXT(nodes)
SHOW_TEXT(store)
SHOW_TEXT(completion)

// ---- the table ---------------------------------------------------------------------------------

const struct help_topic *help_topics(void)
{
    static const struct help_topic topics[] = {
        {"spec", "what a spec is, and all its keys", 5, 1, help_spec, HELP_SPEC_ALL},
        {"ranking", "how a tune decides which configuration is the fastest", 7, 0, show_ranking,
         NULL},
        {"rules", "the constants of screening and ranking", 7, 0, show_rules, NULL},
        {"objectives", "goals other than the shortest time", 7, 0, show_objectives, NULL},
        {"strategies", "how configurations are chosen, and their options", 7, 0, help_strategies,
         NULL},
        {"formats", "what is written and read, and in which formats", 7, 0, show_formats, NULL},
        {"json", "the fields that --json writes, for each command", 7, 1, show_json, NULL},
        {"devices", "which device is used, and what runs without a GPU", 7, 0, show_devices, NULL},
        {"nodes", "many nodes and devices: Slurm, ssh, any launcher", 7, 0, show_nodes, NULL},
        {"store", "what is stored, and when it is reused", 7, 0, show_store, NULL},
        {"environment", "variables and files", 7, 0, show_environment, NULL},
        {"status", "exit statuses, and the statuses of a configuration", 7, 0, show_statuses, NULL},
        {"examples", "all examples of the commands", 7, 0, show_examples, NULL},
        {"completion", "completion for bash, zsh and fish", 7, 0, show_completion, NULL},
        {0},
    };
    return topics;
}

const struct help_topic *help_topic_find(const char *name)
{
    for (const struct help_topic *t = help_topics(); t->name; t++) {
        if (str_equal(t->name, name))
            return t;
    }
    return NULL;
}

// ---- what holds for all ------------------------------------------------------------------------

const struct help_entry *help_environment(void)
{
    static const struct help_entry list[] = {
        {"HONE_ALSO", "further stores, only read, separated by colons"},
        {"HONE_DEVICE", "the device, if --device is not given"},
        {"HONE_COMMANDS",
         "refuse: a spec that names commands (a program, a generated kernel) is an error"},
        {"HONE_LOCKS", "folder of the locks that serialise users of a device (else /tmp)"},
        {"HONE_TRACE",
         "a file for a trace of events inside hone, for debugging it (kill -USR1: the last 200)"},
        {"HONE_WORKER", "the hone-worker program, if it is not beside hone"},
        {"XDG_DATA_HOME", "folder of the store (else ~/.local/share)"},
        {"XDG_CACHE_HOME", "folder of drivers' caches and references (else ~/.cache)"},
        {"POCL_CACHE_DIR, CUDA_CACHE_PATH", "the driver's cache, if you choose it"},
        {"HONE_CC", "the compiler of kernels in C (else cc)"},
        {"CUDA_HOME, CUDA_PATH", "the CUDA toolkit whose compiler and headers are used"},
        {"TMPDIR", "folder of temporary files (else /tmp)"},
        {"NO_COLOR, CLICOLOR_FORCE", "no colours; colours even without a terminal"},
        {0},
    };
    return list;
}

const struct help_entry *help_statuses(void)
{
    static const struct help_entry list[] = {
        {"0", "done; for tune, run, best and compare: there is a correct configuration; for sweep: "
              "at some point there is one; for check: all are correct; for bench: no loss"},
        {"1", "nothing correct was found, or something broke: a device, the store, writing the "
              "output; for bench: a loss, and nothing else"},
        {"2", "the command line or the spec is wrong"},
        {"3", "only bench: it broke off"},
        {"4", "only bench: nothing could be compared with the baseline"},
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
