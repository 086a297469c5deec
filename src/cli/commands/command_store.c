// hone store: shows a store's contents, verifies every row, and is the only command that removes rows.
#include "cli/completion.h"
#include "cli/work.h"
#include "report/report.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHOWN_PROBLEMS 100 // lines; all are counted

// ---- what is in it -----------------------------------------------------------------------------

struct store_settings {
    struct spec_settings given; // some rows of it
    bool verify, prune, superseded, yes;
    const char *spec, *before;
};

static void put_store_report(const struct work *w, const writers of, struct store_report report)
{
    report.path = store_path(w->store);
    report.format = w->given->output.format;
    put_report(of, report.format, &report);
}

static int show_summary(struct work *w)
{
    struct error e = ERROR_INIT;
    struct store_summary summary;
    if (!store_summarise(w->store, &w->arena, &summary, &e))
        return work_failed(&e);
    put_store_report(w, store_writers, (struct store_report){.summary = &summary});
    return EXIT_DONE;
}

// ---- verifying ---------------------------------------------------------------------------------

struct problems {
    struct arena *arena;
    struct store_problem list[SHOWN_PROBLEMS];
    size_t count;
};

static void note_problem(void *context, const struct store_problem *p)
{
    struct problems *all = context;
    if (all->count >= SHOWN_PROBLEMS)
        return;
    struct store_problem *kept = &all->list[all->count];
    *kept =
        (struct store_problem){arena_strdup(all->arena, p->table), arena_strdup(all->arena, p->row),
                               arena_strdup(all->arena, p->what)};
    all->count += kept->table && kept->row && kept->what;
}

static int verify(struct work *w)
{
    struct error e = ERROR_INIT;
    struct store_checked checked;
    struct problems problems = {.arena = &w->arena};
    if (!store_verify(w->store, note_problem, &problems, &checked, &e))
        return work_failed(&e);
    put_store_report(w, store_verify_writers,
                     (struct store_report){.checked = &checked,
                                           .problems = problems.list,
                                           .problem_count = problems.count});
    return checked.problems ? EXIT_NOTHING : EXIT_DONE;
}

// ---- pruning -----------------------------------------------------------------------------------

static void show_pruned(const struct work *w, const struct store_pruned *p, bool done)
{
    put_store_report(w, store_prune_writers, (struct store_report){.pruned = p, .removed = done});
}

// On a terminal a person is asked, elsewhere it takes --yes.
static bool is_agreed(const struct store_settings *s)
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

static int prune(struct work *w)
{
    struct error e = ERROR_INIT;
    const struct store_settings *s = w->call->settings;
    struct store_prune what = {.spec = s->spec,
                               .device = s->given.device,
                               .before = s->before,
                               .superseded = s->superseded};
    struct store_pruned pruned;
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

// Rows to prune are never guessed.
static int check_options(const struct store_settings *s)
{
    bool chooses = s->spec || s->given.device || s->before || s->superseded;
    if (s->prune && s->verify)
        complain("--prune and --verify exclude each other");
    else if (s->prune && !chooses)
        complain("--prune: say what to remove: --superseded, --spec NAME, --device NAME or "
                 "--before DATE; of several all must hold");
    else if (!s->prune && (chooses || s->yes))
        complain("--superseded, --spec, --device, --before and --yes say what --prune removes");
    else
        return EXIT_DONE;
    return EXIT_USAGE;
}

// Only what is there is opened for writing: pruning makes no store.
static int reopen_for_writing(struct work *w)
{
    work_close_store(w);
    return work_own_store(w, HONE_STORE_WRITE);
}

static int run_store(struct invocation *i)
{
    struct work w;
    const struct store_settings *s = i->settings;
    int status = check_options(s);
    if (status != EXIT_DONE)
        return status;
    work_init(&w, i, &s->given, NULL);
    status = work_own_store(&w, HONE_STORE_READ);
    if (status == EXIT_DONE && s->prune)
        status = reopen_for_writing(&w);
    if (status == EXIT_DONE)
        status = s->prune ? prune(&w) : s->verify ? verify(&w) : show_summary(&w);
    work_release(&w);
    return status;
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
        return error_set(e, ERROR_USAGE, "'%s' is no date; write 2026-05-01 or 2026-05-01T12:00",
                         value);
    *(const char **)field = value;
    return true;
}

#define FIELD(member) offsetof(struct store_settings, member)

static const struct option options[] = {
    {OPTION("store", "FILE", option_text, FIELD(given.store)), .brief = "the store; else your own",
     .help = "The store. Default: $XDG_DATA_HOME/hone/results.sqlite, or "
             "~/.local/share/hone/results.sqlite."},
    {OPTION("verify", NULL, option_flag, FIELD(verify)), .brief = "check every row",
     .help = "Check every row: that the file is whole, what a row names is there, each result can "
             "be read and says the same as its columns, texts are what they were."},
    {OPTION("prune", NULL, option_flag, FIELD(prune)), .brief = "remove results",
     .help =
         "Remove results, and what no other result needs. What to remove is said by the options "
         "below; of several all must hold."},
    {OPTION("json", NULL, option_json, FIELD(given.output)), .brief = "JSON, for scripts",
     .help = "Write one JSON object."},
    {0},
};

static const struct option prune_options[] = {
    {OPTION("superseded", NULL, option_flag, FIELD(superseded)),
     .brief = "what answers for nothing any more",
     .help =
         "What answers for nothing any more: measured by an older hone in another way, failures "
         "of what is correct by now, and results of a configuration that was measured again as "
         "thoroughly, in the same way. What belongs to a ranking or to a fixed count stays."},
    {OPTION("spec", "NAME", option_text, FIELD(spec)), .brief = "results of this spec",
     .help = "Results of this spec, as the list shows it, such as matmul."},
    {OPTION("device", "NAME", option_text, FIELD(given.device)), .letter = 'd',
     .offer = offer_devices, .brief = "results of these devices",
     .help = "Results of devices with this in their name."},
    {OPTION("before", "DATE", option_date, FIELD(before)),
     .brief = "results measured before this date",
     .help = "Results measured before this date (UTC): 2026-05-01, or 2026-05-01T12:00."},
    {OPTION("yes", NULL, option_flag, FIELD(yes)), .letter = 'y', .brief = "remove without asking",
     .help = "Remove without asking. Without it a terminal is asked, and elsewhere it is only told "
             "what would be removed."},
    {0},
};

static const struct option_group groups[] = {{"Options", options, 0},
                                             {"Options", format_options, FIELD(given.output)},
                                             {"What --prune removes", prune_options, 0},
                                             {"Help", help_options, 0},
                                             {0}};

static const struct example examples[] = {
    {"hone store", "specs, devices, counts, size"},
    {"hone store --verify --store team.sqlite", "is every row of a team's store right?"},
    {"hone store --prune --superseded --yes", "remove what answers for nothing any more"},
    {"hone store --prune --spec old --before 2026-01-01 --yes",
     "last year's results of one spec, without asking"},
    {0},
};

static const struct json_record json_records[] = {{"store", &report_store_fields},
                                                  {"with --verify", &report_verify_fields},
                                                  {"with --prune", &report_prune_fields},
                                                  {0}};

const struct command command_store = {
    .name = "store",
    .group = GROUP_RESULTS,
    .summary = "show, verify or prune the store of results",
    .arguments = "",
    .description =
        "Shows what the store holds: specs with their configurations and results, devices with "
        "their "
        "drivers, counts by status, dates and size. Other processes may write meanwhile.\n\n"
        "Nothing is ever removed by itself. --prune says first what it removes; it is removed "
        "whole or not "
        "at all, and the space is given back to the system.\n\n"
        "Exit status 1: a row is not right, or nothing was removed because nobody agreed.",
    .json = "With --json one object; with --verify or --prune what was found or removed.",
    .records = json_records,
    .topics = "store, json",
    .groups = groups,
    .examples = examples,
    .settings_size = sizeof(struct store_settings),
    .run = run_store,
};
