#include "cli/work.h"
#include "base/emit.h"
#include "report/units.h"
#include "store/upkeep.h"

#include <stdlib.h>

static void put_text(const struct work *w, const char *path, const struct store_imported *counts,
                     struct text *out)
{
    uint64_t added = 0;
    for (uint32_t i = 0; i < w->call->argument_count; i++) {
        added += counts[i].added;
        text_addf(out, "%s: ", w->call->arguments[i]);
        put_count(counts[i].results, "result", out);
        text_addf(out, ", %llu of them new\n", (unsigned long long)counts[i].added);
    }
    put_count(added, "result", out);
    text_addf(out, " %s added to %s\n", added == 1 ? "was" : "were", path);
}

static void put_json(const struct work *w, const char *path, const struct store_imported *counts,
                     struct text *out)
{
    struct emit json;
    emit_start(&json, out);
    emit_object(&json);
    emit_text_at(&json, "store", path);
    emit_key(&json, "files");
    emit_array(&json);
    for (uint32_t i = 0; i < w->call->argument_count; i++) {
        emit_object(&json);
        emit_text_at(&json, "file", w->call->arguments[i]);
        emit_u64_at(&json, "results", counts[i].results);
        emit_u64_at(&json, "added", counts[i].added);
        emit_object_end(&json);
    }
    emit_array_end(&json);
    emit_object_end(&json);
    text_add(out, "\n");
}

static int import(struct work *w)
{
    struct error e = ERROR_INIT;
    struct text out = TEXT_INIT;
    const struct invocation *call = w->call;
    int status = work_environment(w);
    if (status != EXIT_DONE)
        return status;
    const char *path = work_store_path(w, &e);
    struct store_imported *counts = arena_array(&w->arena, call->argument_count, sizeof *counts);
    if (path && !counts)
        error_memory(&e);
    if (!path || !counts || !store_import(path, call->arguments, call->argument_count, counts, &e))
        return work_failed(&e);
    (call->settings.json ? put_json : put_text)(w, path, counts, &out);
    put(&out);
    text_release(&out);
    return EXIT_DONE;
}

static int run(struct invocation *i)
{
    struct work w;
    work_init(&w, i);
    int status = import(&w);
    work_release(&w);
    return status;
}

#define FIELD(member) offsetof(struct settings, member)

static const struct option options[] = {
    {.name = "store",
     .argument = "FILE",
     .help = "The store that the others are merged into; made when missing. Default: "
             "$XDG_DATA_HOME/hone/results.sqlite, or ~/.local/share/hone/results.sqlite.",
     .apply = option_text,
     .offset = FIELD(store)},
    {.name = "json",
     .help = "Write one JSON object: {\"store\", \"files\": [{\"file\", \"results\", "
             "\"added\"}, ...]}.",
     .apply = option_flag,
     .offset = FIELD(json)},
    {0},
};

static const struct option_group groups[] = {{"Options", options}, {"Help", help_options}, {0}};

static const struct example examples[] = {
    {"hone import node1.sqlite node2.sqlite", "what two nodes measured, into your own store"},
    {"hone import --store team.sqlite ~/.local/share/hone/results.sqlite",
     "your results into a team's store"},
    {0},
};

const struct command command_import = {
    .name = "import",
    .summary = "merge other stores into the store of results",
    .arguments = "FILE...",
    .least = 1,
    .most = UINT32_MAX,
    .description =
        "Adds the results of other stores to yours, each once: importing a file twice adds nothing "
        "the second time. All files are checked row by row before anything is written, and all "
        "come "
        "in or none. The files are only read.\n\n"
        "To use a store without merging it, name it with --also or HONE_ALSO.",
    .groups = groups,
    .examples = examples,
    .run = run,
};
