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

// about/topic_NAME.txt
extern const char about_topic_ranking[], about_topic_objectives[], about_topic_devices[],
    about_topic_store[], about_topic_completion[];

static const char about_topic_formats[] =
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

#define SHOW_TEXT(name)                                                                            \
    static bool show_##name(const char *const *words, struct text *out)                            \
    {                                                                                              \
        (void)words;                                                                               \
        text_add(out, about_topic_##name);                                                         \
        return true;                                                                               \
    }
SHOW_TEXT(ranking)
SHOW_TEXT(objectives)
SHOW_TEXT(formats)
SHOW_TEXT(devices)
EXTRA_NODES(extern const char about_topic_nodes[]; SHOW_TEXT(nodes))
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
        // clang-format off
        EXTRA_NODES(
        {"nodes", "many nodes and devices: Slurm, ssh, any launcher", 7, 0, show_nodes, NULL},)
        // clang-format on
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
