#include "cli/settings.h"

#include "job/policy.h"

#include <stdlib.h>
#include <string.h>

#define FIELD(member) offsetof(struct settings, member)

void settings_release(struct settings *s)
{
    list_release(&s->set);
    list_release(&s->also);
    list_release(&s->config);
    list_release(&s->where);
    list_release(&s->objective);
    list_release(&s->strategies);
    list_release(&s->assume);
    list_release(&s->smallest);
    list_release(&s->left);
    list_release(&s->right);
    list_release(&s->against);
}

const struct option help_options[] = {
    {.name = "help",
     .letter = 'h',
     .help = "Print this text and exit.",
     .apply = option_flag,
     .offset = FIELD(help)},
    {0},
};

bool option_language(void *field, const char *value, struct error *e)
{
    struct given_language *given = field;
    given->is_given = language_parse(value, &given->language);
    return given->is_given ||
           error_set(e, ERROR_USAGE, "'%s' is no language hone runs: opencl or cuda", value);
}

// Also of commands that take no spec.
#define DEVICE_OPTION                                                                              \
    {                                                                                              \
        .name = "device", .argument = "NAME",                                                      \
        .help = "The device: any part of its name, platform or id, as `hone devices` shows them; " \
                "upper and lower case are the same. Without it HONE_DEVICE is asked, then the "    \
                "only device is taken, else the first GPU, integrated GPU or CPU, in that order.", \
        .apply = option_text, .offset = FIELD(device)                                              \
    }

#define STORE_OPTION                                                                               \
    {                                                                                              \
        .name = "store", .argument = "FILE",                                                       \
        .help =                                                                                    \
            "The file that results are kept in. Default: $XDG_DATA_HOME/hone/results.sqlite, or "  \
            "~/.local/share/hone/results.sqlite.",                                                 \
        .apply = option_text, .offset = FIELD(store)                                               \
    }

const struct option device_options[] = {DEVICE_OPTION, {0}};
const struct option store_options[] = {STORE_OPTION, {0}};

const struct option spec_options[] = {
    {.name = "language",
     .argument = "opencl|cuda",
     .help = "The language of the kernel. Default: the first of the spec's that the device can "
             "run. A GPU that both offer is one card; the language chooses the view of it.",
     .apply = option_language,
     .offset = FIELD(language)},
    DEVICE_OPTION,
    {.name = "set",
     .argument = "NAME=VALUE",
     .help = "Override a constant of the spec, such as WIDTH=512. May be repeated.",
     .apply = option_list,
     .offset = FIELD(set)},
    {.name = "config",
     .argument = "a=1,b=2",
     .help = "Only configurations with these values; parameters that are not named stay free (in "
             "`hone run` they take their default). May be repeated: then any of them will do.",
     .apply = option_list,
     .offset = FIELD(config)},
    {.name = "where",
     .argument = "EXPRESSION",
     .help =
         "Only configurations for which the expression is true, written as a restriction of the "
         "spec: 'block_size_x * block_size_y <= 256'. May be repeated: then all must hold.",
     .apply = option_list,
     .offset = FIELD(where)},
    STORE_OPTION,
    {.name = "also",
     .argument = "FILE",
     .help = "A store that is only read: what the store above does not know is looked up in it, a "
             "team's results or shipped ones. May be repeated; HONE_ALSO names others, separated "
             "by colons, which come after these.",
     .apply = option_list,
     .offset = FIELD(also)},
    {.name = "reuse-unseen",
     .help = "Also take what earlier runs found where the kernel includes files that hone does not "
             "find, and that may have changed since.",
     .apply = option_flag,
     .offset = FIELD(reuse_unseen)},
    {.name = "json",
     .help = "Write JSON, for scripts.",
     .apply = option_flag,
     .offset = FIELD(json)},
    {.name = "strict",
     .help = "Refuse a spec that is not valid by the T1 schema.",
     .apply = option_flag,
     .offset = FIELD(strict)},
    {0},
};

// ---- measuring ---------------------------------------------------------------------------------

static bool read_limit(const char *text, uint64_t *ns, struct error *e)
{
    if (str_to_duration_ns(text, ns) && *ns > 0)
        return true;
    return error_set(e, ERROR_USAGE, "'%s' is no time above 0; write 30s, 1.5m or 500ms", text);
}

static bool read_named_limit(struct limits *limits, const char *word, struct error *e)
{
    const struct {
        const char *name;
        uint64_t *ns;
    } names[] = {{"build=", &limits->build_ns},
                 {"launch=", &limits->launch_ns},
                 {"driver=", &limits->driver_ns}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (str_starts(word, names[i].name))
            return read_limit(word + strlen(names[i].name), names[i].ns, e);
    }
    return error_set(e, ERROR_USAGE, "'%s': write 30s for a launch, or build=60s,launch=30s", word);
}

bool option_time(void *field, const char *value, struct error *e)
{
    return read_limit(value, field, e);
}

// "30s" is for a launch; "build=60s,launch=30s".
bool option_limits(void *field, const char *value, struct error *e)
{
    if (!strchr(value, '='))
        return read_limit(value, &((struct limits *)field)->launch_ns, e);
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
    struct given_rules *given = field;
    if (!given->is_given)
        given->rules = measure_rules_default();
    given->is_given = true;
    return measure_rules_set(&given->rules, value, e);
}

_Static_assert(POLICY_BUILD_LIMIT_NS == 60000000000ull &&
                   POLICY_LAUNCH_LIMIT_NS == 30000000000ull && POLICY_BEST_FACTOR == 10 &&
                   POLICY_BEST_LEAST_NS == 1000000000ull,
               "the help text below names the limits");

const struct option measure_options[] = {
    {.name = "iterations",
     .argument = "N",
     .help =
         "Exactly N timed launches of each configuration, one configuration after the other, "
         "without early stops and without a ranking. Default: the spec's Iterations; without those "
         "the rules decide.",
     .apply = option_count,
     .offset = FIELD(iterations)},
    {.name = "timeout",
     .argument = "TIME",
     .help =
         "The longest a launch may take (30s), or build=60s,launch=30s, which are the defaults. "
         "Once there is a best, a launch may take ten times its time, but at least 1 s. "
         "driver=TIME bounds each of the other things that the driver does (opening the device, "
         "inputs, checks), which else may take minutes.",
     .apply = option_limits,
     .offset = FIELD(limits)},
    LOCK_WAIT_OPTION,
    {.name = "cold",
     .help = "Clear the device's cache before each timed launch.",
     .apply = option_flag,
     .offset = FIELD(cold)},
    {0},
};

static bool option_budget(void *field, const char *value, struct error *e)
{
    return budget_parse(value, field, e);
}

static bool option_strategy(void *field, const char *value, struct error *e)
{
    return strategy_check(value, e) && option_text(field, value, e);
}

const struct option search_options[] = {
    {.name = "budget",
     .argument = "BUDGET",
     .help =
         "When to stop asking: a time (60s), a number of configurations (200), or a part of the "
         "valid ones (10%); several separated by commas, and whichever ends first. Default: the "
         "spec's, else every valid configuration.",
     .apply = option_budget,
     .offset = FIELD(budget)},
    {.name = "strategy",
     .argument = "NAME:KEY=VALUE,...",
     .help = "How configurations are chosen, and its options; `hone help strategies` lists them. "
             "Default: the spec's, else exhaustive where the budget covers the space, else the one "
             "that is marked there.",
     .apply = option_strategy,
     .offset = FIELD(strategy)},
    {0},
};

const struct option jobs_options[] = {
    {.name = "jobs",
     .argument = "N",
     .help =
         "Build at most N configurations at a time. Default: the cores that this process may use, "
         "one less when a GPU is tuned.",
     .apply = option_count,
     .offset = FIELD(jobs)},
    {0},
};

const struct option seed_options[] = {
    {.name = "seed",
     .argument = "N",
     .help = "Seed of what is chosen at random: with the same seed and results the same "
             "configurations are chosen. Default: 0.",
     .apply = option_seed,
     .offset = FIELD(seed)},
    {0},
};

const struct option objective_options[] = {
    {.name = "objective",
     .argument = "GOAL",
     .help =
         "What to look for: time (the least), or min:NAME or max:NAME of a metric of the spec. Of "
         "several, separated by commas or given one by one, the Pareto set is found: those that no "
         "other one beats in all of them. Default: the spec's, else time.",
     .apply = option_list,
     .offset = FIELD(objective)},
    {0},
};

const struct option rule_options[] = {
    {.name = "rule",
     .argument = "NAME=VALUE",
     .help =
         "A constant of screening or ranking, such as rounds=40; `hone tune --help` lists them. "
         "May be repeated.",
     .apply = option_rule,
     .offset = FIELD(rules)},
    {0},
};

// ---- what is kept ------------------------------------------------------------------------------

const struct option again_options[] = {
    {.name = "fresh",
     .help = "Measure or check everything again: results in the store do not answer.",
     .apply = option_flag,
     .offset = FIELD(fresh)},
    {.name = "retry",
     .argument = "STATUS,...",
     .optional = true,
     .help = "Try configurations again that failed earlier: all, or those with one of these "
             "statuses, as in --retry=compile,timeout.",
     .apply = option_statuses,
     .is_meant = option_is_statuses,
     .offset = FIELD(retry)},
    {0},
};

const struct option verbose_options[] = {
    {.name = "verbose",
     .letter = 'v',
     .help = "A line for each configuration as it is done; a check then also shows every "
             "failure in full.",
     .apply = option_flag,
     .offset = FIELD(verbose)},
    {0},
};

const struct option no_store_options[] = {
    {.name = "no-store",
     .help = "Neither read nor write a store; HONE_ALSO is not looked at either.",
     .apply = option_flag,
     .offset = FIELD(no_store)},
    {0},
};
