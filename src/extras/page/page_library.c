// A vendor's routine beside a set: `hone sweep` and `hone compare` with --against keep its times as "SPEC (LIBRARY)", in one
// paired run with those of the spec's configuration. The newest paired run that both have counts.
#include "extras/page/page.h"

#include "report/peak_report.h"
#include "report/report.h"
#include "stats/stats.h"

#include <math.h>
#include <string.h>

enum { RUNS_MOST = 64, LIBRARIES_MOST = 16 };

// A configuration of the set that was interleaved with something.
struct paired_run {
    uint8_t id[16];
    const char *configuration;
    const uint32_t *choice;
    const uint64_t *samples;
    uint32_t count;
};

struct finding_libraries {
    struct page *page;
    struct page_set *set;
    const struct spec *spec;
    const char *names[LIBRARIES_MOST]; // as the store has them
    uint32_t name_count;
    struct paired_run runs[RUNS_MOST]; // the newest first
    uint32_t run_count;
    const struct paired_run *with; // that the routine took part in
    struct page_library *into;
    bool failed; // no memory
};

// "matmul (OpenBLAS)" of "matmul": the part in brackets; NULL: there is none. The results that a
// deployed table was chosen from are named likewise.
static const char *library_label(const char *name, const char *spec, size_t *length)
{
    size_t n = strlen(spec);
    if (!str_starts(name, spec) || !str_starts(name + n, " (") || name[strlen(name) - 1] != ')')
        return NULL;
    *length = strlen(name + n + 2) - 1;
    return str_equal(name + n, " (deploy)") ? NULL : name + n + 2;
}

struct noting_names {
    struct page *page;
    size_t room;
    bool failed;
};

// A row of each session, the newest: its name, where it may be that of a routine.
static bool note_routine_name(void *context, const struct store_row *row)
{
    struct noting_names *n = context;
    struct page *p = n->page;
    size_t length = strlen(row->spec_name);
    bool is_new = length > 0 && row->spec_name[length - 1] == ')';
    for (size_t i = 0; is_new && i < p->routine_count; i++)
        is_new = !str_equal(p->routine_names[i], row->spec_name);
    if (!is_new)
        return true;
    n->failed = !ARENA_ROOM(&p->arena, p->routine_names, n->room, p->routine_count + 1) ||
                !(p->routine_names[p->routine_count] = arena_strdup(&p->arena, row->spec_name));
    p->routine_count += !n->failed;
    return !n->failed;
}

// The walk over all of a store is made once for all of its sets, which come one after the other.
static bool find_routine_names(struct page *p, struct store *store, struct error *e)
{
    const struct store_query all = {
        .correct_only = true, .all_runs = true, .newest = STORE_NEWEST_OF_SESSION};
    struct noting_names n = {.page = p};
    if (p->named_store == store)
        return true;
    p->routine_names = NULL;
    p->routine_count = 0;
    if (!store_each(store, &all, note_routine_name, &n, e) || n.failed)
        return n.failed ? error_memory(e) : false;
    p->named_store = store;
    return true;
}

static bool note_paired_run(void *context, const struct store_row *row)
{
    struct finding_libraries *f = context;
    struct error ignored = ERROR_INIT;
    struct arena *a = &f->page->arena;
    const uint64_t *samples;
    uint32_t count;
    if (row->result->stop != STOP_COMPARED || !str_equal(row->language, f->set->language) ||
        !result_samples(row->result, &samples, &count) || count == 0)
        return true;
    uint32_t *choice = arena_array(a, f->spec->parameter_count + (size_t)1, sizeof *choice);
    struct paired_run *run = &f->runs[f->run_count];
    run->configuration = arena_strdup(a, row->configuration);
    run->samples = arena_copy(a, samples, count * sizeof *samples);
    run->count = count;
    run->choice = choice;
    memcpy(run->id, row->result->ranking, sizeof run->id);
    f->failed |= !choice || !run->configuration || !run->samples;
    if (f->failed)
        return false;
    spec_default(f->spec, choice);
    if (spec_parse_configuration(f->spec, row->configuration, choice, &ignored))
        f->run_count++;
    return f->run_count < RUNS_MOST;
}

// The newest of a routine's rows whose run the set has.
static bool take_routine(void *context, const struct store_row *row)
{
    struct finding_libraries *f = context;
    const struct result *r = row->result;
    const uint64_t *samples;
    uint32_t count;
    double rate;
    if (r->stop != STOP_COMPARED || !result_samples(r, &samples, &count) || count == 0)
        return true;
    for (uint32_t i = 0; i < f->run_count; i++) {
        const struct paired_run *run = &f->runs[i];
        if (memcmp(run->id, r->ranking, sizeof run->id) != 0)
            continue;
        struct page_library *l = f->into;
        uint32_t pairs = count < run->count ? count : run->count;
        stats_summarise(samples, count, 0, &l->stats);
        stats_summarise(run->samples, run->count, 0, &l->own);
        stats_paired_ratio(samples, run->samples, pairs, 0.95, 0, &l->ratio);
        l->configuration = run->configuration;
        uint32_t metric = report_rate_metric(f->spec);
        bool has_rate =
            metric != UINT32_MAX && spec_metric_is_of_time(f->spec, metric) &&
            report_metric_at(f->spec, metric, run->choice, NULL, l->stats.median, r, &rate);
        l->rate = has_rate ? rate : NAN;
        f->with = run;
        return false;
    }
    return true;
}

static bool find_each_library(struct finding_libraries *f, struct store *store, struct error *e)
{
    size_t room = 0, length = 0;
    struct page_set *s = f->set;
    for (uint32_t i = 0; i < f->name_count && f->run_count > 0; i++) {
        const char *label = library_label(f->names[i], s->spec, &length);
        const struct store_query q = {.spec_name = f->names[i],
                                      .constants = s->constants,
                                      .correct_only = true,
                                      .today = true,
                                      .all_runs = true};
        if (!ARENA_ROOM(&f->page->arena, s->libraries, room, s->library_count + 1))
            return error_memory(e);
        f->into = &s->libraries[s->library_count];
        f->with = NULL;
        if (!store_each(store, &q, take_routine, f, e))
            return false;
        f->into->label = arena_strndup(&f->page->arena, label, length);
        if (!f->into->label)
            return error_memory(e);
        s->library_count += f->with != NULL;
    }
    return true;
}

bool page_find_libraries(struct page *p, struct page_set *s, struct store *store,
                         const struct spec *spec, struct error *e)
{
    struct finding_libraries f = {.page = p, .set = s, .spec = spec};
    const struct store_query own = {.spec_name = s->spec,
                                    .constants = s->constants,
                                    .device_identity = &s->space->identity,
                                    .session = s->space->session,
                                    .correct_only = true,
                                    .today = true,
                                    .all_runs = true};
    size_t length;
    bool ok = find_routine_names(p, store, e);
    for (size_t i = 0; ok && i < p->routine_count && f.name_count < LIBRARIES_MOST; i++) {
        if (library_label(p->routine_names[i], s->spec, &length))
            f.names[f.name_count++] = p->routine_names[i];
    }
    ok = ok && (f.name_count == 0 || store_each(store, &own, note_paired_run, &f, e));
    if (ok && f.failed)
        return error_memory(e);
    return ok && find_each_library(&f, store, e);
}
