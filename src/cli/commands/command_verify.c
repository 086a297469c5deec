// hone store verify: looks at every row of a store.
#include "cli/work.h"
#include "report/report.h"

#define SHOWN_PROBLEMS 100 // lines; all are counted

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

static int verify_rows(struct work *w)
{
    struct error e = ERROR_INIT;
    struct store_checked checked;
    struct problems problems = {.arena = &w->arena};
    if (!store_verify(w->store, note_problem, &problems, &checked, &e))
        return work_failed(&e);
    work_put_store(w, store_verify_writers,
                   (struct store_report){.checked = &checked,
                                         .problems = problems.list,
                                         .problem_count = problems.count});
    return checked.problems ? EXIT_NOTHING : EXIT_DONE;
}

static int run_verify(struct invocation *i)
{
    return work_on_store(i, verify_rows);
}

// ---- the command -------------------------------------------------------------------------------

static const struct option_group groups[] = {
    {"Options", own_store_options, 0},
    {"Options", format_options, offsetof(struct spec_settings, output)},
    {"Help", help_options, 0},
    {0}};

static const struct example examples[] = {
    {"hone store verify --store team.sqlite", "is every row of a team's store intact?"},
    {0},
};

static const struct json_record json_records[] = {{"verify", &report_verify_fields}, {0}};

const struct command command_verify = {
    .name = "verify",
    .under = "store",
    .group = GROUP_RESULTS,
    .summary = "check every row of the store",
    .arguments = "",
    .description =
        "Checks that the file is intact, that everything a row refers to exists, that each result "
        "can be read and agrees with its columns, and that texts are unchanged.\n\n"
        "Exit status 1: a row is damaged.",
    .json = "With --json one object.",
    .records = json_records,
    .topics = "store, json",
    .groups = groups,
    .examples = examples,
    .settings_size = sizeof(struct spec_settings),
    .run = run_verify,
};
