// hone cache: what hone keeps besides results, where, how large and how old that is, and how to be
// rid of it. The folders are those that environment.c gives to workers, and the scratch folders of
// every hone of this user. A folder that the user chose by a variable is shown and left alone.
#include "base/fields.h"
#include "cli/cli.h"
#include "cli/console.h"
#include "cli/environment.h"
#include "cli/work.h"
#include "os/cache_folder.h"
#include "report/table.h"
#include "report/units.h"

#include <time.h>

enum { CACHE_PLACES = ENVIRONMENT_CACHES + 1 }; // the last one: scratch folders

struct cache_settings {
    bool json;
};

struct cache_place {
    struct environment_cache cache;
    struct cache_usage usage;
    uint64_t in_use; // entries
};

static void add_scratch(void *context, const char *path, bool is_used)
{
    struct cache_place *p = context;
    const struct cache_usage u = cache_measure(path, 1);
    p->usage.entries++;
    p->usage.bytes += u.bytes;
    if (u.oldest != 0 && (p->usage.oldest == 0 || u.oldest < p->usage.oldest))
        p->usage.oldest = u.oldest;
    p->usage.newest = u.newest > p->usage.newest ? u.newest : p->usage.newest;
    p->in_use += is_used;
}

static bool measure_places(struct arena *a, struct cache_place places[CACHE_PLACES],
                           struct error *e)
{
    struct environment_cache caches[ENVIRONMENT_CACHES];
    struct cache_place *scratch = &places[ENVIRONMENT_CACHES];
    if (!environment_caches(a, caches, e))
        return false;
    for (size_t i = 0; i < ENVIRONMENT_CACHES; i++)
        places[i] = (struct cache_place){.cache = caches[i],
                                         .usage = cache_measure(caches[i].folder, caches[i].depth)};
    *scratch = (struct cache_place){.cache = {.title = "temporary files",
                                              .name = "scratch",
                                              .variable = "TMPDIR",
                                              .folder = environment_scratch_parent(),
                                              .is_own = true}};
    scratch_each(scratch->cache.folder, add_scratch, scratch);
    return true;
}

static void remove_unused(void *context, const char *path, bool is_used)
{
    (void)context;
    if (!is_used)
        folder_remove(path);
}

static void put_age(struct table *t, size_t column, time_t changed)
{
    char age[UNITS_SIZE];
    int64_t seconds = time(NULL) - changed;
    if (changed == 0)
        return;
    if (seconds >= 2 * 86400)
        str_format(age, sizeof age, "%lld d", (long long)(seconds / 86400));
    else
        span_to_str(seconds > 0 ? (uint64_t)seconds * 1000000000 : 0, age);
    table_cell(t, column, "%s", age);
}

static void show_places(const struct cache_place places[CACHE_PLACES], struct text *out)
{
    static const struct table_column columns_of[] = {
        {"", ALIGN_LEFT},       {"entries", ALIGN_RIGHT}, {"size", ALIGN_RIGHT},
        {"limit", ALIGN_RIGHT}, {"oldest", ALIGN_RIGHT},  {"newest", ALIGN_RIGHT},
        {"folder", ALIGN_LEFT},
    };
    char size[UNITS_SIZE];
    struct table t;
    table_init(&t, columns_of, sizeof columns_of / sizeof *columns_of);
    for (size_t i = 0; i < CACHE_PLACES; i++) {
        const struct cache_place *p = &places[i];
        bool is_scratch = i == ENVIRONMENT_CACHES;
        table_row(&t);
        table_cell(&t, 0, "%s", p->cache.title);
        table_cell(&t, 1, "%llu", (unsigned long long)p->usage.entries);
        bytes_to_str(p->usage.bytes, size);
        table_cell(&t, 2, "%s", size);
        bytes_to_str(p->cache.limit_bytes, size);
        table_cell(&t, 3, "%s", p->cache.is_own && !is_scratch ? size : "-");
        put_age(&t, 4, p->usage.oldest);
        put_age(&t, 5, p->usage.newest);
        table_cell(&t, 6, is_scratch ? "%s/hone-scratch-*" : "%s", p->cache.folder);
        if (!p->cache.is_own)
            table_note(&t, 6, "chosen by %s: hone neither bounds nor clears it", p->cache.variable);
        if (p->in_use)
            table_note(&t, 6, "%llu in use", (unsigned long long)p->in_use);
    }
    table_print(&t, REPORT_TEXT, "", out);
    out->failed |= t.failed;
    table_release(&t);
}

static const char *date_of(time_t changed, struct arena *a)
{
    char date[32];
    struct tm utc;
    if (changed == 0)
        return NULL;
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&changed, &utc));
    return arena_strdup(a, date);
}

struct cache_report {
    const struct cache_place *places;
    bool is_cleared;
    struct cache_usage removed;
};

#define IS_LIMITED (v->cache.is_own && v - c->places < ENVIRONMENT_CACHES)
#define PLACE(X)                                                                                   \
    X(TEXT, name, (v->cache.name), "", "")                                                         \
    X(TEXT, folder, (v->cache.folder), "", "")                                                     \
    X(TEXT, variable, (v->cache.variable), "", "that names another folder")                        \
    X(BOOL, own, (v->cache.is_own), "", "hone bounds and clears it")                               \
    X(U64, entries, (v->usage.entries), "", "")                                                    \
    X(U64, in_use, (v->in_use), "", "of them")                                                     \
    X(U64, bytes, (v->usage.bytes), "bytes", "")                                                   \
    X(KNOWN, limit_bytes, (IS_LIMITED, v->cache.limit_bytes), "bytes", "")                         \
    X(TEXT, oldest, (date_of(v->usage.oldest, a)), "", "")                                         \
    X(TEXT, newest, (date_of(v->usage.newest, a)), "", "")
FIELDS(cache_place_fields, struct cache_place, struct cache_report, PLACE)

#define CACHES(X)                                                                                  \
    X(RECORDS, places, (cache_place_fields, v->places, CACHE_PLACES), "", "")                      \
    X(BOOL, cleared, (v->is_cleared), "", "")                                                      \
    X(U64, removed_entries, (v->removed.entries), "", "")                                          \
    X(U64, removed_bytes, (v->removed.bytes), "bytes", "")
FIELDS(cache_fields, struct cache_report, struct cache_report, CACHES)

// Sums up the caches that are hone's own.
static struct cache_usage total_of(const struct cache_place places[CACHE_PLACES])
{
    struct cache_usage all = {0};
    for (size_t i = 0; i < CACHE_PLACES; i++) {
        all.entries += places[i].cache.is_own ? places[i].usage.entries : 0;
        all.bytes += places[i].cache.is_own ? places[i].usage.bytes : 0;
    }
    return all;
}

static bool run_in(struct arena *a, const struct cache_settings *s, bool is_clearing,
                   struct text *out, struct error *e)
{
    struct cache_place places[CACHE_PLACES];
    struct cache_usage removed = {0};
    char size[UNITS_SIZE];
    if (!measure_places(a, places, e))
        return false;
    if (is_clearing && places[ENVIRONMENT_CACHES].in_use)
        return error_set(
            e, ERROR_IO,
            "another hone is at work (its scratch folder in %s is in use) and may need "
            "what would be cleared; nothing was removed: try again when it has ended",
            places[ENVIRONMENT_CACHES].cache.folder);
    if (is_clearing) {
        struct cache_usage before = total_of(places);
        for (size_t i = 0; i < ENVIRONMENT_CACHES; i++) {
            if (places[i].cache.is_own)
                folder_remove(places[i].cache.folder);
        }
        scratch_each(places[ENVIRONMENT_CACHES].cache.folder, remove_unused, NULL);
        if (!measure_places(a, places, e))
            return false;
        struct cache_usage left = total_of(places);
        // Another hone may have begun meanwhile, and fills them.
        removed = cache_usage_less(&before, &left);
    }
    if (s->json) {
        const struct cache_report report = {places, is_clearing, removed};
        fields_line(&cache_fields, &report, &report, out);
        return true;
    }
    show_places(places, out);
    if (is_clearing) {
        bytes_to_str(removed.bytes, size);
        text_addf(out, "%s were removed\n", size);
    }
    return true;
}

static int run_cache(struct invocation *i)
{
    struct arena a;
    struct text out = TEXT_INIT;
    struct error e = ERROR_INIT;
    bool is_clearing = i->argument_count > 0;
    if (is_clearing && !str_equal(i->arguments[0], "clear"))
        return refuse_usage(i->command, "the only word that can follow is `clear`");
    arena_init(&a);
    int status = run_in(&a, i->settings, is_clearing, &out, &e) ? EXIT_DONE : work_failed(&e);
    put(&out);
    text_release(&out);
    arena_release(&a);
    return status;
}

#define FIELD(member) offsetof(struct cache_settings, member)

static const struct option options[] = {
    {OPTION("json", NULL, option_flag, FIELD(json)), .brief = "JSON, for scripts",
     .help = "Write one JSON object."},
    {0},
};

static const struct option_group groups[] = {
    {"Options", options, 0}, {"Help", help_options, 0}, {0}};

static const struct example examples[] = {
    {"hone cache", "where caches are, and what they take"},
    {"hone cache clear", "the next tune compiles everything again"},
    {0},
};

static const struct json_record json_records[] = {{"caches", &cache_fields}, {0}};

extern const char about_cache[]; // about/cache.txt

const struct command command_cache = {
    .name = "cache",
    .group = GROUP_RESULTS,
    .summary = "show or clear the files that save time",
    .arguments = "[clear]",
    .most = 1,
    .description = about_cache,
    .json = "With --json one object.",
    .records = json_records,
    .topics = "store, environment",
    .groups = groups,
    .examples = examples,
    .settings_size = sizeof(struct cache_settings),
    .run = run_cache,
};
