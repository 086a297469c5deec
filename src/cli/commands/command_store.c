#include "cli/work.h"
#include "report/report.h"
#include "report/units.h"
#include "store/upkeep.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHOWN_PROBLEMS 100 // lines; all are counted

// ---- what is in it -----------------------------------------------------------------------------

static int show_summary(struct work *w)
{
    struct error e = ERROR_INIT;
    struct store_summary summary;
    struct text out = TEXT_INIT;
    struct emit json;
    if (!store_summarise(w->store, &w->arena, &summary, &e))
        return work_failed(&e);
    emit_start(&json, &out);
    if (w->call->settings.json) {
        report_store_json(store_path(w->store), &summary, &json);
        text_add(&out, "\n");
    } else {
        report_store(store_path(w->store), &summary, &out);
    }
    put(&out);
    text_release(&out);
    return EXIT_DONE;
}

// ---- verifying ---------------------------------------------------------------------------------

struct problems {
    struct text *text; // (or NULL) lines
    struct emit *json; // (or NULL)
    uint64_t count;
};

static void note_problem(void *context, const struct store_problem *p)
{
    struct problems *all = context;
    if (all->count++ >= SHOWN_PROBLEMS)
        return;
    if (all->text) {
        text_addf(all->text, "%s%s%s: %s\n", p->table, *p->row ? " " : "", p->row, p->what);
        return;
    }
    emit_object(all->json);
    emit_text_at(all->json, "table", p->table);
    emit_text_at(all->json, "row", *p->row ? p->row : NULL);
    emit_text_at(all->json, "problem", p->what);
    emit_object_end(all->json);
}

static void end_text(const struct work *w, const struct store_checked *c, struct text *out)
{
    if (c->problems > SHOWN_PROBLEMS)
        text_addf(out, "... and %llu more\n", (unsigned long long)(c->problems - SHOWN_PROBLEMS));
    text_addf(out, "%s: %llu results, %llu jobs, %llu sessions and %llu sets of texts: ",
              store_path(w->store), (unsigned long long)c->results, (unsigned long long)c->jobs,
              (unsigned long long)c->sessions, (unsigned long long)c->texts);
    if (c->problems)
        text_addf(out,
                  "%llu problem%s; restore a copy, or import this store's good rows from one\n",
                  (unsigned long long)c->problems, c->problems == 1 ? "" : "s");
    else
        text_add(out, "all is well\n");
}

static void end_json(const struct work *w, const struct store_checked *c, struct emit *json)
{
    emit_array_end(json);
    emit_text_at(json, "store", store_path(w->store));
    emit_u64_at(json, "results", c->results);
    emit_u64_at(json, "jobs", c->jobs);
    emit_u64_at(json, "sessions", c->sessions);
    emit_u64_at(json, "texts", c->texts);
    emit_u64_at(json, "problem_count", c->problems);
    emit_object_end(json);
    text_add(json->out, "\n");
}

static int verify(struct work *w)
{
    struct error e = ERROR_INIT;
    struct store_checked checked;
    struct text out = TEXT_INIT;
    struct emit json;
    bool as_json = w->call->settings.json;
    struct problems problems = {as_json ? NULL : &out, &json, 0};
    emit_start(&json, &out);
    if (as_json) {
        emit_object(&json);
        emit_key(&json, "problems");
        emit_array(&json);
    }
    bool ok = store_verify(w->store, note_problem, &problems, &checked, &e);
    if (ok && as_json)
        end_json(w, &checked, &json);
    else if (ok)
        end_text(w, &checked, &out);
    if (ok)
        put(&out);
    text_release(&out);
    if (!ok)
        return work_failed(&e);
    return checked.problems ? EXIT_NOTHING : EXIT_DONE;
}

// ---- pruning -----------------------------------------------------------------------------------

static void put_pruned(const struct work *w, const struct store_pruned *p, bool done,
                       struct text *out)
{
    char before[UNITS_SIZE], after[UNITS_SIZE];
    text_addf(out, "%s: %s ", store_path(w->store), done ? "removed" : "this removes");
    put_share(p->results, p->results_before, "result", out);
    text_add(out, ", with ");
    put_count(p->jobs, "job", out);
    text_add(out, " and ");
    put_count(p->sessions, "session", out);
    bytes_to_str(p->bytes_before, before);
    bytes_to_str(p->bytes_after, after);
    if (done)
        text_addf(out, "; the file took %s and takes %s", before, after);
    text_add(out, "\n");
}

static void put_pruned_json(const struct work *w, const struct store_pruned *p, bool done,
                            struct text *out)
{
    struct emit json;
    emit_start(&json, out);
    emit_object(&json);
    emit_text_at(&json, "store", store_path(w->store));
    emit_bool_at(&json, "removed", done);
    emit_u64_at(&json, "results", p->results);
    emit_u64_at(&json, "results_before", p->results_before);
    emit_u64_at(&json, "jobs", p->jobs);
    emit_u64_at(&json, "sessions", p->sessions);
    emit_u64_at(&json, "bytes_before", p->bytes_before);
    emit_u64_at(&json, "bytes_after", p->bytes_after);
    emit_object_end(&json);
    text_add(out, "\n");
}

static void show_pruned(const struct work *w, const struct store_pruned *p, bool done)
{
    struct text out = TEXT_INIT;
    (w->call->settings.json ? put_pruned_json : put_pruned)(w, p, done, &out);
    put(&out);
    text_release(&out);
}

// On a terminal a person is asked, elsewhere it takes --yes.
static bool is_agreed(const struct settings *s)
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
    const struct settings *s = &w->call->settings;
    struct store_prune what = {
        .spec = s->spec, .device = s->device, .before = s->before, .superseded = s->superseded};
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

// What to prune is never guessed.
static int check_options(const struct settings *s)
{
    bool chooses = s->spec || s->device || s->before || s->superseded;
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
    return work_own_store(w, STORE_WRITE);
}

static int run(struct invocation *i)
{
    struct work w;
    const struct settings *s = &i->settings;
    int status = check_options(s);
    if (status != EXIT_DONE)
        return status;
    work_init(&w, i);
    status = work_own_store(&w, STORE_READ);
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

#define FIELD(member) offsetof(struct settings, member)

static const struct option options[] = {
    {.name = "store",
     .argument = "FILE",
     .help = "The store. Default: $XDG_DATA_HOME/hone/results.sqlite, or "
             "~/.local/share/hone/results.sqlite.",
     .apply = option_text,
     .offset = FIELD(store)},
    {.name = "verify",
     .help = "Check every row: that the file is whole, what a row names is there, each result can "
             "be read and says the same as its columns, texts are what they were.",
     .apply = option_flag,
     .offset = FIELD(verify)},
    {.name = "prune",
     .help =
         "Remove results, and what no other result needs. What to remove is said by the options "
         "below; of several all must hold.",
     .apply = option_flag,
     .offset = FIELD(prune)},
    {.name = "json", .help = "Write one JSON object.", .apply = option_flag, .offset = FIELD(json)},
    {0},
};

static const struct option prune_options[] = {
    {.name = "superseded",
     .help =
         "What answers for nothing any more: measured by an older hone in another way, failures "
         "of what is correct by now, and results of a configuration that was measured again as "
         "thoroughly, in the same way. What belongs to a ranking or to a fixed count stays.",
     .apply = option_flag,
     .offset = FIELD(superseded)},
    {.name = "spec",
     .argument = "NAME",
     .help = "Results of this spec, as the list shows it, such as matmul.",
     .apply = option_text,
     .offset = FIELD(spec)},
    {.name = "device",
     .argument = "NAME",
     .help = "Results of devices with this in their name.",
     .apply = option_text,
     .offset = FIELD(device)},
    {.name = "before",
     .argument = "DATE",
     .help = "Results measured before this date (UTC): 2026-05-01, or 2026-05-01T12:00.",
     .apply = option_date,
     .offset = FIELD(before)},
    {.name = "yes",
     .help = "Remove without asking. Without it a terminal is asked, and elsewhere it is only told "
             "what would be removed.",
     .apply = option_flag,
     .offset = FIELD(yes)},
    {0},
};

static const struct option_group groups[] = {
    {"Options", options}, {"What --prune removes", prune_options}, {"Help", help_options}, {0}};

static const struct example examples[] = {
    {"hone store", "specs, devices, counts, size"},
    {"hone store --verify --store team.sqlite", "is every row of a team's store right?"},
    {"hone store --prune --superseded", "remove what answers for nothing any more"},
    {"hone store --prune --spec old --before 2026-01-01 --yes",
     "last year's results of one spec, without asking"},
    {0},
};

const struct command command_store = {
    .name = "store",
    .summary = "show, verify or prune the store of results",
    .arguments = "",
    .description =
        "Shows what the store holds: specs with their configurations and results, devices with "
        "their drivers, counts by status, dates and size. Other processes may write meanwhile.\n\n"
        "Nothing is ever removed by itself. --prune says first what it removes; it is removed "
        "whole or not at all, and the space is given back to the system.\n\n"
        "With --json one object: store, bytes, results, counts, earlier (measured in an earlier "
        "way), jobs, sessions, oldest, newest, specs and devices; with --verify problems (table, "
        "row, problem; the first 100), problem_count and how many rows there are; with --prune "
        "removed, results, results_before, jobs, sessions, bytes_before and bytes_after.\n\n"
        "Exit status 1: a row is not right, or nothing was removed because nobody agreed.",
    .groups = groups,
    .examples = examples,
    .run = run,
};
