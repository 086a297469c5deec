// hone store prune: the only command that removes rows of a store.
#include "cli/completion.h"
#include "cli/work.h"
#include "report/report.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

struct prune_settings {
    struct spec_settings given; // some rows of it
    bool superseded, yes;
    const char *spec, *before;
};

static void show_pruned(const struct work *w, const struct store_pruned *p, bool done)
{
    work_put_store(w, store_prune_writers, (struct store_report){.pruned = p, .removed = done});
}

// On a terminal a person is asked, elsewhere it takes --yes.
static bool is_agreed(const struct prune_settings *s)
{
    char answer[16];
    if (s->yes)
        return true;
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
        complain("nothing was removed: add --yes to remove it");
        return false;
    }
    fflush(stdout);
    say("Remove? [y/N] ");
    bool is_yes = fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
    if (!is_yes)
        complain("nothing was removed");
    return is_yes;
}

// Only what is there is opened for writing: pruning makes no store.
static int prune_rows(struct work *w)
{
    struct error e = ERROR_INIT;
    const struct prune_settings *s = w->call->settings;
    struct store_prune what = {.spec = s->spec,
                               .device = s->given.device,
                               .before = s->before,
                               .superseded = s->superseded};
    struct store_pruned pruned;
    work_close_store(w);
    int status = work_own_store(w, HONE_STORE_WRITE);
    if (status != EXIT_DONE)
        return status;
    if (!store_prune(w->store, &what, true, &pruned, &e))
        return work_failed(&e);
    if (pruned.results == 0 || !s->yes)
        show_pruned(w, &pruned, false);
    if (pruned.results == 0)
        return EXIT_DONE;
    if (!is_agreed(s))
        return EXIT_NOTHING;
    if (!store_prune(w->store, &what, false, &pruned, &e))
        return work_failed(&e);
    show_pruned(w, &pruned, true);
    return EXIT_DONE;
}

// ---- the command -------------------------------------------------------------------------------

static int run_prune(struct invocation *i)
{
    const struct prune_settings *s = i->settings;
    if (!s->spec && !s->given.device && !s->before && !s->superseded) { // rows are never guessed
        complain(
            "say what to remove: --superseded, --spec NAME, --device NAME or --before DATE; of "
            "several all must hold");
        return EXIT_USAGE;
    }
    return work_on_store(i, prune_rows);
}

// Two digits, from `least` to `most`.
static bool is_within(const char *digits, int least, int most)
{
    int value = 10 * (digits[0] - '0') + (digits[1] - '0');
    return value >= least && value <= most;
}

// "2026-05-01", or with a time "2026-05-01T12:00": as dates are kept, so that texts compare.
static bool option_date(void *field, const char *value, struct error *e)
{
    static const char form[] = "dddd-dd-ddTdd:dd:dd";
    size_t length = strlen(value);
    bool ok = length == 10 || length == 16 || length == 19;
    for (size_t i = 0; i < length && ok; i++)
        ok = form[i] == 'd' ? isdigit((unsigned char)value[i]) != 0 : value[i] == form[i];
    ok = ok && is_within(value + 5, 1, 12) && is_within(value + 8, 1, 31);
    ok = ok && (length == 10 || (is_within(value + 11, 0, 23) && is_within(value + 14, 0, 59)));
    if (!ok || (length == 19 && !is_within(value + 17, 0, 59)))
        return error_set(e, ERROR_USAGE, "'%s' is not a date; write 2026-05-01 or 2026-05-01T12:00",
                         value);
    *(const char **)field = value;
    return true;
}

#define FIELD(member) offsetof(struct prune_settings, member)

static const struct option options[] = {
    {OPTION("superseded", NULL, option_flag, FIELD(superseded)),
     .brief = "what answers for nothing any more",
     .help = "Results that are no longer used: measured by an older hone's rules, failures of jobs "
             "that are correct by now, and results of configurations that were measured again as "
             "thoroughly. Results of a ranking or a fixed count stay."},
    {OPTION("spec", "NAME", option_text, FIELD(spec)), .brief = "results of this spec",
     .help = "Results of this spec, as the list shows it, such as matmul."},
    {OPTION("device", "NAME", option_text, FIELD(given.device)), .letter = 'd',
     .offer = offer_devices, .brief = "results of these devices",
     .help = "Results of devices with this in their name."},
    {OPTION("before", "DATE", option_date, FIELD(before)),
     .brief = "results measured before this date",
     .help = "Results measured before this date (UTC): 2026-05-01, or 2026-05-01T12:00."},
    {OPTION("yes", NULL, option_flag, FIELD(yes)), .letter = 'y', .brief = "remove without asking",
     .help = "Remove without asking. Without it hone asks on a terminal, and elsewhere only lists "
             "what would be removed."},
    {0},
};

static const struct option_group groups[] = {{"Options", options, 0},
                                             {"Options", own_store_options, FIELD(given)},
                                             {"Options", format_options, FIELD(given.output)},
                                             {"Help", help_options, 0},
                                             {0}};

static const struct example examples[] = {
    {"hone store prune --superseded --yes", "remove what answers for nothing any more"},
    {"hone store prune --spec old --before 2026-01-01 --yes",
     "last year's results of one spec, without asking"},
    {0},
};

static const struct json_record json_records[] = {{"prune", &report_prune_fields}, {0}};

const struct command command_prune = {
    .name = "prune",
    .under = "store",
    .group = GROUP_RESULTS,
    .summary = "remove results from the store",
    .arguments = "",
    .description =
        "Removes results, and what no other result needs. The options say what to remove; if "
        "several are given, all must hold.\n\n"
        "It says first what it removes; it is removed whole or not at all, and the space is given "
        "back to the system. Nothing is ever removed by itself.\n\n"
        "Exit status 1: nothing was removed, since it was not confirmed.",
    .json = "With --json one object.",
    .records = json_records,
    .topics = "store, json",
    .groups = groups,
    .examples = examples,
    .settings_size = sizeof(struct prune_settings),
    .run = run_prune,
};
