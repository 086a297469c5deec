// The rows of options that several subcommands share, and how their values are read.
#include "cli/settings.h"

#include "cli/completion.h"

#include "model/policy.h"

#include <stdlib.h>
#include <string.h>

#define SPEC(member)    offsetof(struct spec_settings, member)
#define MEASURE(member) offsetof(struct measure_settings, member)
#define SEARCH(member)  offsetof(struct search_settings, member)

// ---- values ------------------------------------------------------------------------------------

bool stores_nothing(const struct spec_settings *s)
{
    return s->store && str_equal(s->store, "none");
}

static bool option_store(void *field, const char *value, struct error *e)
{
    const char **given = field;
    if (*given && str_equal(*given, "none") != str_equal(value, "none"))
        return error_set(e, ERROR_USAGE, "none and a file (%s) exclude each other",
                         str_equal(value, "none") ? *given : value);
    *given = value;
    return true;
}

bool reuses_unseen(const struct spec_settings *s)
{
    for (uint32_t i = 0; i < s->also.count; i++) {
        if (str_equal(s->also.items[i], "unseen"))
            return true;
    }
    return false;
}

bool share_read(const char *text, double most, double *share, struct error *e)
{
    char number[32];
    size_t length = strcspn(text, "%");
    bool has_sign = text[length] && !text[length + 1];
    str_format(number, sizeof number, "%.*s", (int)(length < 31 ? length : 0), text);
    double value = -1;
    bool ok = (has_sign || !text[length]) && str_to_f64(number, &value);
    *share = has_sign ? value / 100 : value;
    ok = ok && *share >= 0 && *share <= most && (has_sign || *share <= 1);
    return ok || error_set(e, ERROR_USAGE, "'%s' is not a share: 3%% or 0.03 belong here", text);
}

// ---- formats -----------------------------------------------------------------------------------

static bool set_format(struct given_format *given, enum report_format f, struct error *e)
{
    if (given->is_given && given->format != f)
        return error_set(e, ERROR_USAGE,
                         "%s is asked for, too, and formats of the output exclude each other",
                         report_format_text(given->format));
    given->is_given = true;
    given->format = f;
    return true;
}

bool option_json(void *field, const char *value, struct error *e)
{
    (void)value;
    return set_format(field, REPORT_JSON, e);
}

bool option_format(void *field, const char *value, struct error *e)
{
    enum report_format f;
    if (report_format_parse(value, &f))
        return set_format(field, f, e);
    return error_set(e, ERROR_USAGE, "'%s' is none of " REPORT_FORMAT_WORDS, value);
}

const struct option format_options[] = {
    {OPTION("format", REPORT_FORMAT_ARGUMENT, option_format, 0), .letter = 'f',
     .brief = "how results are written",
     .help = "How the results are written: " REPORT_FORMAT_WORDS ". CSV has a row for each record "
             "of the JSON and a column for each value; JUnit a test case for each, which failed "
             "where its status is not correct."},
    {0},
};

bool option_language(void *field, const char *value, struct error *e)
{
    struct given_language *given = field;
    given->is_given = language_parse(value, &given->language);
    return given->is_given ||
           error_set(e, ERROR_USAGE, "'%s' is not a language hone runs: " LANGUAGES_TEXTS, value);
}

static bool option_part(void *field, const char *value, struct error *e)
{
    return space_share_read(value, field, e);
}

const struct option part_options[] = {
    {OPTION("part", "I/N", option_part, SPEC(share)),
     .help =
         "The I-th of N parts of the valid configurations, 1/N to N/N, of about one size: for "
         "job arrays, and machines that cannot reach each other. Each has a store of its own; "
         "`hone store import` unites them, after which the same command without --part takes all "
         "from the store, and a tune ranks the fastest of all."},
    {0},
};

const struct option reference_options[] = {
    {OPTION("reference-by", "PROGRAM", option_text, SPEC(reference_by)),
     .brief = "a program that computes what is right",
     .help =
         "Hold results against what this program computes, in place of the spec's reference. It is "
         "called with a folder in which each array with contents before the launch is NAME.npy, "
         "and arguments.json has constants, scalars, and the type and count of each array; "
         "there it writes each output as NAME.npy. It has 10 minutes; what it wrote is kept and "
         "answers again as long as its text and the inputs stay the same (--fresh: not)."},
    {0},
};

// Also of commands that take no spec.
#define DEVICE_OPTION                                                                              \
    {                                                                                              \
        .name = "device", .argument = "NAME", .letter = 'd', .offer = offer_devices,               \
        .brief = "its number, or any part of its name",                                            \
        .help = "The device: its number, UUID, PCI address or id, or any part of its name or "     \
                "platform, as `hone devices` shows them; upper and lower case are the same. "      \
                "Of several equal cards that fit the first that is free is taken. "                \
                "Without it HONE_DEVICE is asked, then the "                                       \
                "only device is taken, else the first GPU, integrated GPU or CPU, in that order. " \
                "hone tune also takes all: each kind of device.",                                  \
        .apply = option_once, .offset = SPEC(device)                                               \
    }

#define STORE_OPTION                                                                               \
    {                                                                                              \
        .name = "store", .argument = "FILE",                                                       \
        .help =                                                                                    \
            "The file that results are kept in. Default: $XDG_DATA_HOME/hone/results.sqlite, or "  \
            "~/.local/share/hone/results.sqlite. none: what measures neither reads nor writes "    \
            "one; HONE_ALSO is not looked at either.",                                             \
        .apply = option_store, .offset = SPEC(store)                                               \
    }

const struct option device_options[] = {DEVICE_OPTION, {0}};
const struct option store_options[] = {STORE_OPTION, {0}};

const struct option own_store_options[] = {
    {OPTION("store", "FILE", option_text, SPEC(store)), .brief = "the store; else your own",
     .help = "The store. Default: $XDG_DATA_HOME/hone/results.sqlite, or "
             "~/.local/share/hone/results.sqlite."},
    {OPTION("json", NULL, option_json, SPEC(output)), .brief = "JSON, for scripts",
     .help = "Write one JSON object."},
    {0},
};

#define STRICT_OPTION                                                                              \
    {                                                                                              \
        .name = "strict",                                                                          \
        .help = "Refuse a spec that is not valid by the T1 schema; and end if one of the nodes "   \
                "cannot be used, before anything is measured, where the others would go on.",      \
        .apply = option_flag, .offset = SPEC(strict)                                               \
    }

const struct option no_options[] = {{0}};
const struct option strict_options[] = {STRICT_OPTION, {0}};

const struct option spec_options[] = {
    {OPTION("language", LANGUAGES_ARGUMENT, option_language, SPEC(language)), .letter = 'l',
     .brief = "of the kernel; else the spec's first",
     .help = "The language of the kernel. Default: the first of the spec's that the device can "
             "run. A GPU that both offer is one card; the language chooses the view of it."},
    DEVICE_OPTION,
    {OPTION("set", "NAME=VALUE", option_list, SPEC(set)), .letter = 's', .offer = offer_constants,
     .brief = "another value for a constant, as N=1024", .is_list = true,
     .help = "Override a constant of the spec, such as WIDTH=512. May be repeated."},
    {OPTION("config", "a=1,b=2", option_list, SPEC(config)), .letter = 'c',
     .offer = offer_parameters, .brief = "only configurations with these values", .is_list = true,
     .help = "Only configurations with these values; parameters that are not named stay free (in "
             "`hone run` they take their default). May be repeated: then any of them will do."},
    {OPTION("where", "EXPRESSION", option_list, SPEC(where)), .letter = 'w', .offer = offer_names,
     .brief = "only those for which this is true", .is_list = true,
     .help =
         "Only configurations for which the expression is true, written as a restriction of the "
         "spec: 'block_size_x * block_size_y <= 256'. May be repeated: then all must hold."},
    STORE_OPTION,
    {OPTION("also", "FILE|unseen", option_list, SPEC(also)), .is_list = true,
     .excludes = "store=none: it uses no store",
     .help = "A store that is only read: what the store above does not know is looked up in it, a "
             "team's results or shipped ones. May be repeated; HONE_ALSO names others, separated "
             "by colons, which come after these. unseen: what earlier runs found where the kernel "
             "includes files that hone does not find, and that may have changed since."},
    {OPTION("json", NULL, option_json, SPEC(output)), .brief = "JSON, for scripts",
     .help = "Write JSON, for scripts."},
    STRICT_OPTION,
    {0},
};

// ---- measuring ---------------------------------------------------------------------------------

static bool read_limit(const char *text, uint64_t *ns, struct error *e)
{
    if (str_to_duration_ns(text, ns) && *ns > 0)
        return true;
    return error_set(e, ERROR_USAGE, "'%s' is not a time above 0; write 30s, 1.5m or 500ms", text);
}

static bool read_named_limit(struct hone_tune_options *terms, const char *word, struct error *e)
{
    const struct {
        const char *name;
        uint64_t *ns;
    } names[] = {{"build=", &terms->build_limit_ns},
                 {"launch=", &terms->launch_limit_ns},
                 {"driver=", &terms->driver_limit_ns},
                 {"lock=", &terms->lock_wait_ns}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (str_starts(word, names[i].name))
            return read_limit(word + strlen(names[i].name), names[i].ns, e);
    }
    return error_set(e, ERROR_USAGE,
                     "'%s': write 30s for a launch, or build=60s,launch=30s,lock=10m", word);
}

// "30s" is for a launch; "build=60s,launch=30s".
bool option_limits(void *field, const char *value, struct error *e)
{
    if (!strchr(value, '='))
        return read_limit(value, &((struct hone_tune_options *)field)->launch_limit_ns, e);
    char *copy = strdup(value), *rest = NULL;
    if (!copy)
        return error_memory(e);
    bool ok = true;
    for (char *word = strtok_r(copy, ",", &rest); word && ok; word = strtok_r(NULL, ",", &rest))
        ok = read_named_limit(field, word, e);
    free(copy);
    return ok;
}

bool option_rule(void *field, const char *value, struct error *e)
{
    const struct list *given = field;
    struct measure_rules rules = measure_rules_default();
    for (uint32_t i = 0; i < given->count; i++)
        measure_rules_set(&rules, given->items[i], NULL); // they were read before
    return measure_rules_set(&rules, value, e) && option_list(field, value, e);
}

_Static_assert(POLICY_BUILD_LIMIT_NS == 60000000000ull &&
                   POLICY_LAUNCH_LIMIT_NS == 30000000000ull && POLICY_BEST_FACTOR == 10 &&
                   POLICY_BEST_LEAST_NS == 1000000000ull,
               "the help text below names the limits");

#define TIMEOUT_OPTION                                                                             \
    {                                                                                              \
        .name = "timeout", .argument = "TIME",                                                     \
        .help =                                                                                    \
            "The longest a launch may take (30s), or build=60s,launch=30s,lock=10m, which are "    \
            "the "                                                                                 \
            "defaults. Once there is a best, a launch may take ten times its time, but at least "  \
            "1 s. A limit that is given counts what a driver compiles at the first launch, too. "  \
            "lock=TIME is how long to wait, at a time, for a device that another process "         \
            "uses; then the command ends and says which. driver=TIME bounds each of the other "    \
            "things that the driver does (opening the device, inputs, checks), which else may "    \
            "take minutes.",                                                                       \
        .apply = option_limits, .offset = MEASURE(terms)                                           \
    }

const struct option timeout_options[] = {TIMEOUT_OPTION, {0}};

const struct option measure_options[] = {
    {OPTION("iterations", "N", option_count, MEASURE(terms.iterations)), .letter = 'i',
     .brief = "as many launches each, no ranking",
     .help =
         "Exactly N timed launches of each configuration, one configuration after the other, "
         "without early stops and without a ranking. Default: the spec's Iterations; without those "
         "the rules decide."},
    TIMEOUT_OPTION,
    {OPTION("cold", NULL, option_flag, MEASURE(terms.cold)),
     .help = "Clear the device's cache before each timed launch."},
    {0},
};

static bool option_with_counters(void *field, const char *value, struct error *e)
{
    *(bool *)field = str_equal(value, "counters");
    return *(bool *)field || error_set(e, ERROR_USAGE, "'%s' is none of: counters", value);
}

const struct option counters_options[] = {
    {OPTION("with", "counters", option_with_counters, MEASURE(terms.counters)),
     .excludes = "cold: what is counted finds its data where the launch before left it",
     .help = "After all timed launches repeat the launch, in tunes that of each finalist, to count "
             "what it does: bytes of memory and L2, hit rates, occupancy, pipes, bank conflicts, "
             "spills, what warps wait for, and the bound that follows. On NVIDIA's cards in CUDA, "
             "by CUPTI. hone run counts an OpenCL kernel in the simulator Oclgrind, if that is "
             "installed: instructions, operations, and the bytes that they ask for."},
    {0},
};

static bool option_budget(void *field, const char *value, struct error *e)
{
    struct budget ignored;
    return budget_parse(value, &ignored, e) && option_text(field, value, e);
}

static bool option_strategy(void *field, const char *value, struct error *e)
{
    // hone score accepts several, so that a second one here is refused and does not replace the first.
    return strategy_check(value, e) && option_once(field, value, e);
}

const struct option search_options[] = {
    {OPTION("budget", "BUDGET", option_budget, SEARCH(budget)), .letter = 'b',
     .brief = "when to stop: 60s, 200, 10%",
     .help =
         "When to stop: a time (60s), a number of configurations (200), or a part of the valid "
         "ones (10%); several separated by commas, and whichever ends first. A time runs from the "
         "first launch on and includes the ranking, for which the search leaves up to half of it; "
         "60s+ is the search's alone. Default: the spec's, else every valid configuration."},
    {OPTION("strategy", "NAME:KEY=VALUE,...", option_strategy, SEARCH(strategy)),
     .offer = offer_strategies, .brief = "how to search (hone help strategies)",
     .help = "How configurations are chosen, and its options; `hone help strategies` lists them. "
             "Default: the spec's, else exhaustive where the budget covers the space, else the one "
             "that is marked there."},
    {OPTION("start-with", "NAME=VALUE,...", option_list, SEARCH(start_with)), .is_list = true,
     .brief = "a configuration to try first",
     .help = "A configuration to try before all others, the default's values where a parameter is "
             "not named; part of the "
             "budget. May be repeated, and is tried in that order. Default: the spec's StartWith."},
    {0},
};

const struct option jobs_options[] = {
    {OPTION("jobs", "N", option_count, MEASURE(terms.jobs)), .letter = 'j',
     .brief = "build at most N at a time",
     .help =
         "Build at most N configurations at a time. Default: the cores that this process may use, "
         "one less when a GPU is tuned."},
    {0},
};

const struct option seed_options[] = {
    {OPTION("seed", "N", option_seed, MEASURE(terms.seed)),
     .help = "Seed of what is chosen at random: with the same seed, and the same "
             "results in the same order, the same configurations are chosen. Default: 0."},
    {0},
};

const struct option objective_options[] = {
    {OPTION("objective", "GOAL", option_list, SEARCH(objective)), .offer = offer_objectives,
     .brief = "what to optimise; else the shortest time", .is_list = true,
     .help =
         "What to optimise: time (the shortest), or min:NAME or max:NAME of a metric of the spec. "
         "Of several, separated by commas or given one by one, the Pareto set is found: those that "
         "no other one beats in all of them. Default: the spec's, else time."},
    {0},
};

const struct option rule_options[] = {
    {OPTION("rule", "NAME=VALUE", option_rule, MEASURE(rules)), .offer = offer_rules,
     .is_list = true,
     .help = "A constant of screening or ranking, such as rounds=40; `hone help rules` lists them. "
             "May be repeated."},
    {0},
};

// ---- what is kept ------------------------------------------------------------------------------

static bool option_fresh(void *field, const char *value, struct error *e)
{
    struct hone_tune_options *terms = field;
    if (!value) {
        terms->fresh = true;
        return true;
    }
    return option_statuses(&terms->retry, str_equal(value, "failures") ? NULL : value, e);
}

static bool option_fresh_search(void *field, const char *value, struct error *e)
{
    struct measure_settings *given = field;
    bool *part = !value                         ? NULL
                 : str_equal(value, "ranking")  ? &given->fresh_ranking
                 : str_equal(value, "transfer") ? &given->terms.no_transfer
                                                : NULL;
    if (!part)
        return option_fresh(&given->terms, value, e);
    *part = true;
    return true;
}

static bool is_fresh(const char *word)
{
    return str_equal(word, "failures") || str_equal(word, "ranking") ||
           str_equal(word, "transfer") || option_is_statuses(word);
}

#define FRESH_HELP                                                                                 \
    "Measure or check everything again: results in the store do not answer. With =failures only "  \
    "what failed earlier is tried again, with =compile,timeout what failed so."

const struct option fresh_options[] = {
    {OPTION("fresh", "failures|STATUS,...", option_fresh, MEASURE(terms)),
     .brief = "measure again what is known", .offer = offer_statuses, .optional = true,
     .is_meant = is_fresh, .help = FRESH_HELP},
    {0},
};

#define TRANSFER_HELP                                                                              \
    " With =transfer what the stores and known.sqlite beside the spec have of the space "          \
    "elsewhere (another device, size, driver or language) is not an input of the search."

const struct option fresh_tune_options[] = {
    {OPTION("fresh", "transfer|failures|STATUS,...", option_fresh_search, 0),
     .brief = "measure again what is known", .offer = offer_statuses, .optional = true,
     .is_meant = is_fresh, .help = FRESH_HELP TRANSFER_HELP},
    {0},
};

const struct option fresh_point_options[] = {
    {OPTION("fresh", "ranking|transfer|failures|STATUS,...", option_fresh_search, 0),
     .brief = "measure again what is known", .offer = offer_statuses, .optional = true,
     .is_meant = is_fresh,
     .help = FRESH_HELP
     " With =ranking points of which the store has a ranking are tuned again, for instance with "
     "a larger budget, and what is known is not measured again." TRANSFER_HELP},
    {0},
};

const struct option verbose_options[] = {
    {OPTION("verbose", NULL, option_flag, 0), .brief = "a line for each configuration",
     .letter = 'v',
     .help = "A line for each configuration as it is done; a check then also shows every "
             "failure in full."},
    {0},
};
