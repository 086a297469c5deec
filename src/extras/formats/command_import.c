// hone store import: merges stores, or takes over what others recorded.
#include "cli/completion.h"
#include "cli/work.h"
#include "base/emit.h"
#include "extras/formats/bundle_file.h"
#include "extras/formats/import.h"
#include "recorded/read_store.h"
#include "report/units.h"
#include "workflows/bundle.h"

#include <sys/stat.h>

// One a file: how many results, and of a bundle what else was in it.
struct imported {
    struct store_imported *counts;
    struct bundle_taken *bundles; // NULL: they are none
};

static void put_text(const struct work *w, const char *path, const struct imported *done,
                     struct text *out)
{
    const struct store_imported *counts = done->counts;
    uint64_t added = 0;
    for (uint32_t i = 0; i < w->call->argument_count; i++) {
        added += counts[i].added;
        text_addf(out, "%s: ", w->call->arguments[i]);
        put_count(counts[i].results, "result", out);
        text_addf(out, ", %llu of them new\n", (unsigned long long)counts[i].added);
        if (done->bundles)
            text_addf(out, "  its spec%s: %s\n", done->bundles[i].was_there ? " was there" : "",
                      done->bundles[i].spec);
    }
    put_count(added, "result", out);
    text_addf(out, " %s added to %s\n", added == 1 ? "was" : "were", path);
}

static void put_json(const struct work *w, const char *path, const struct imported *done,
                     struct text *out)
{
    const struct store_imported *counts = done->counts;
    struct emit json;
    emit_start(&json, out);
    emit_object(&json);
    emit_text_at(&json, "store", path);
    emit_array_at(&json, "files");
    for (uint32_t i = 0; i < w->call->argument_count; i++) {
        emit_object(&json);
        emit_text_at(&json, "file", w->call->arguments[i]);
        emit_u64_at(&json, "results", counts[i].results);
        emit_u64_at(&json, "added", counts[i].added);
        if (done->bundles)
            emit_text_at(&json, "spec", done->bundles[i].spec);
        emit_object_end(&json);
    }
    emit_array_end(&json);
    emit_object_end(&json);
    text_add(out, "\n");
}

struct import_settings {
    struct spec_settings given; // some rows of it
    const char *spec;
    bool best;
};

// Where each goes: stores are merged as they are, bundles have a spec with them, what others recorded needs one.
enum kind { KIND_STORES, KIND_BUNDLES, KIND_RECORDED, KIND_REFUSED };

static bool is_no_store(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && !is_store_file(path);
}

static enum kind kind_of(const struct work *w)
{
    const struct invocation *call = w->call;
    const struct import_settings *o = call->settings;
    const char *spec = o->spec, *recorded = NULL, *store = NULL;
    uint32_t bundles = 0;
    for (uint32_t i = 0; i < call->argument_count; i++)
        bundles += bundle_is_file(call->arguments[i]);
    if (bundles == call->argument_count && !spec)
        return KIND_BUNDLES;
    if (bundles > 0) {
        complain("bundles (.tar) are imported by themselves, without --spec: each has its own");
        return KIND_REFUSED;
    }
    for (uint32_t i = 0; i < call->argument_count; i++) {
        const char *path = call->arguments[i];
        bool is_store = spec ? is_store_file(path) : !is_no_store(path);
        *(is_store ? &store : &recorded) = path;
    }
    if (!spec && !recorded)
        return KIND_STORES;
    if (spec && !store)
        return KIND_RECORDED;
    if (!spec)
        complain("%s: it is not a store; if it is a T4 file, a Kernel Tuner cache file or CSV, say "
                 "with --spec SPEC whose results they are",
                 recorded);
    else if (recorded)
        complain("%s is a store and %s is not; import stores without --spec, and what others "
                 "recorded with it",
                 store, recorded);
    else
        complain("%s: --spec is for what others recorded; a store knows its specs", store);
    return KIND_REFUSED;
}

// In the language that was given, or the spec's first.
static int add_recorded(struct work *w, const char *path, struct store_imported *counts)
{
    struct error e = ERROR_INIT;
    const struct invocation *call = w->call;
    const struct spec_options options = work_spec_options(w);
    const char *path_of_spec = ((const struct import_settings *)call->settings)->spec;
    w->loaded = handle_of_spec(spec_load(path_of_spec, &options, &e));
    w->spec = spec_of(w->loaded);
    if (!w->spec)
        return work_failed(&e);
    int status = work_languages(w);
    if (status != EXIT_DONE)
        return status;
    spec_warn_of_sizes(w->spec, &w->log);
    const struct import_options o = {.spec = w->spec,
                                     .language = w->languages.list[0],
                                     .device = w->given->device,
                                     .command = call->line,
                                     .host = w->environment.host,
                                     .log = &w->log};
    bool ok = import_recorded(path, call->arguments, call->argument_count, &o, counts, &e);
    return ok ? EXIT_DONE : work_failed(&e);
}

static int add_stores(struct work *w, const char *path, const struct imported *done)
{
    struct error e = ERROR_INIT;
    const struct invocation *call = w->call;
    const struct import_settings *o = call->settings;
    bool (*merge)(const char *, const char *const *, size_t, struct store_imported *,
                  struct error *) = o->best ? bundle_best : store_import;
    bool ok = done->bundles || merge(path, call->arguments, call->argument_count, done->counts, &e);
    for (uint32_t i = 0; ok && done->bundles && i < call->argument_count; i++) {
        ok = bundle_take(call->arguments[i], path, w->environment.scratch.path, merge, &w->arena,
                         &done->bundles[i], &e);
        done->counts[i] = done->bundles[i].counts;
    }
    return ok ? EXIT_DONE : work_failed(&e);
}

static int import(struct work *w)
{
    struct error e = ERROR_INIT;
    struct text out = TEXT_INIT;
    const struct invocation *call = w->call;
    enum kind kind = kind_of(w);
    int status = kind == KIND_REFUSED ? EXIT_USAGE : work_environment(w);
    if (status != EXIT_DONE)
        return status;
    const char *path = work_store_path(w, &e);
    struct imported done = {arena_array(&w->arena, call->argument_count, sizeof *done.counts),
                            arena_array(&w->arena, call->argument_count, sizeof *done.bundles)};
    if (path && (!done.counts || !done.bundles))
        error_memory(&e);
    if (!path || e.code)
        return work_failed(&e);
    done.bundles = kind == KIND_BUNDLES ? done.bundles : NULL;
    status =
        kind == KIND_RECORDED ? add_recorded(w, path, done.counts) : add_stores(w, path, &done);
    if (status != EXIT_DONE)
        return status;
    (w->given->output.format == REPORT_JSON ? put_json : put_text)(w, path, &done, &out);
    put(&out);
    text_release(&out);
    return EXIT_DONE;
}

static int run_import(struct invocation *i)
{
    struct work w;
    const struct import_settings *o = i->settings;
    work_init(&w, i, &o->given, NULL);
    int status = import(&w);
    work_release(&w);
    return status;
}

#define FIELD(member) offsetof(struct import_settings, member)

static const struct option options[] = {
    {OPTION("store", "FILE", option_text, FIELD(given.store)),
     .brief = "merged into; else your own",
     .help = "The store that the others are merged into; made when missing. Default: "
             "$XDG_DATA_HOME/hone/results.sqlite, or ~/.local/share/hone/results.sqlite."},
    {OPTION("best", NULL, option_flag, FIELD(best)),
     .excludes = "spec: what others recorded is shipped as it is",
     .brief = "only what says which is the best",
     .help =
         "Only what says which configuration is the best, to be shipped with a spec: of each "
         "spec, its constants, the device with its driver and the source of the kernel the ten "
         "fastest of the newest ranking, of the newest of the whole space and of the one with the "
         "fastest, or without a ranking "
         "the fastest. `hone best` looks into the file `known.sqlite` beside a spec."},
    {OPTION("json", NULL, option_json, FIELD(given.output)), .brief = "JSON, for scripts",
     .help = "Write one JSON object: {\"store\", \"files\": [{\"file\", \"results\", "
             "\"added\", of a bundle \"spec\"}, ...]}."},
    {0},
};

#define IN_STORE "spec: a store has its devices, constants and languages"

static const struct option recorded_options[] = {
    {OPTION("spec", "SPEC", option_text, FIELD(spec)), .brief = "whose results others recorded",
     .help =
         "The spec whose results the files have: a T4 file, a Kernel Tuner cache file or hone's "
         "CSV, also compressed by gzip. Parameters and values must be the spec's."},
    {OPTION("device", "NAME", option_text, FIELD(given.device)), .letter = 'd', .needs = IN_STORE,
     .offer = offer_devices, .brief = "where they were recorded",
     .help = "Where they were recorded, for files that do not say."},
    {OPTION("set", "NAME=VALUE", option_list, FIELD(given.set)), .letter = 's', .needs = IN_STORE,
     .offer = offer_constants, .brief = "a constant that they were made with", .is_list = true,
     .help = "A constant that they were recorded with, such as WIDTH=512. May be repeated."},
    {OPTION("language", LANGUAGES_ARGUMENT, option_language, FIELD(given.language)), .letter = 'l',
     .needs = IN_STORE, .brief = "the language they were recorded in",
     .help = "The language that they were recorded in. Default: the spec's first."},
    {0},
};

static const struct option_group groups[] = {{"Options", options, 0},
                                             {"What others recorded", recorded_options, 0},
                                             {"Help", help_options, 0},
                                             {0}};

static const struct example examples[] = {
    {"hone store import node1.sqlite node2.sqlite", "what two nodes measured, into your own store"},
    {"hone store import --store team.sqlite ~/.local/share/hone/results.sqlite",
     "your results into a team's store"},
    {"hone store import --best --store kernels_cl/known.sqlite h200.sqlite pocl.sqlite",
     "known results for these kernels, to ship with them"},
    {"hone store import --spec spec.json gemm_T4.json.gz", "what Kernel Tuner measured"},
    {"hone store import spec.tar", "a bundle: results, and its spec in the folder spec"},
    {0},
};

const struct command command_import = {
    .name = "import",
    .under = "store",
    .former = "import",
    .group = GROUP_RESULTS,
    .summary = "merge other stores, bundles, T4, cache files or CSV into the store of results",
    .arguments = "FILE...",
    .least = 1,
    .most = UINT32_MAX,
    .description = "Adds the results of other stores to yours, each once; with --spec what others "
                   "recorded. The files "
                   "are only read.\n\n"
                   "Importing a file twice adds nothing the second time. All files are checked row "
                   "by row before "
                   "anything is written, and all come in or none.\n\n"
                   "A bundle that `hone store export SPEC -o NAME.tar` wrote has results, spec and "
                   "kernels: the results are merged, and the files are put into the folder NAME "
                   "here. One that is there with other contents is left as it is, and nothing is "
                   "imported.\n\n"
                   "To use a store without merging it, name it with --also or HONE_ALSO.\n\n"
                   "With --spec the files are what others recorded. Each row becomes one result "
                   "with one sample, the "
                   "time as recorded: the mean, as Kernel Tuner has it, or what the file says. It "
                   "is marked as "
                   "imported, on a device of its own by the recorded name: it answers for nothing "
                   "that is measured "
                   "here, and is never ranked with it. `hone best --device NAME` shows it.",
    .topics = "formats, store",
    .groups = groups,
    .examples = examples,
    .settings_size = sizeof(struct import_settings),
    .run = run_import,
};
