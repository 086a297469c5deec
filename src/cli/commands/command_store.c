// hone store: shows what a store holds. What is done with it is other commands: store import, export, prune, verify.
#include "cli/work.h"
#include "report/report.h"

static int show_summary(struct work *w)
{
    struct error e = ERROR_INIT;
    struct store_summary summary;
    if (!store_summarise(w->store, &w->arena, &summary, &e))
        return work_failed(&e);
    work_put_store(w, store_writers, (struct store_report){.summary = &summary});
    return EXIT_DONE;
}

static int run_store(struct invocation *i)
{
    return work_on_store(i, show_summary);
}

// ---- the command -------------------------------------------------------------------------------

static const struct option_group groups[] = {
    {"Options", own_store_options, 0},
    {"Options", format_options, offsetof(struct spec_settings, output)},
    {"Help", help_options, 0},
    {0}};

static const struct example examples[] = {
    {"hone store", "specs, devices, counts, size"},
    {"hone store verify", "is every row intact?"},
    {0},
};

static const struct json_record json_records[] = {{"store", &report_store_fields}, {0}};

const struct command command_store = {
    .name = "store",
    .group = GROUP_RESULTS,
    .summary = "show the store of results; import, export, prune, verify it",
    .arguments = "",
    .description =
        "Shows what the store holds: specs with their configurations and results, devices with "
        "their drivers, counts by status, dates and size. Other processes may write meanwhile.\n\n"
        "`hone store import` merges other stores and other tuners' recordings, `hone store export` "
        "writes other tuners' formats, `hone store verify` checks every row, and `hone store "
        "prune` is the only one that removes any. Each has --help.",
    .json = "With --json one object.",
    .records = json_records,
    .topics = "store, json",
    .groups = groups,
    .examples = examples,
    .settings_size = sizeof(struct spec_settings),
    .run = run_store,
};
