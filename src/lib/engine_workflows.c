// The workflows that have no public handle of their own, under that of a tune: what they borrow (workers, terms, texts,
// log) is set up as for a tune, and hone_tune_step() drives them.
#include "lib/engine.h"
#include "lib/handle.h"

#include <stdlib.h>

// ---- peak ---------------------------------------------------------------------------------------

struct hone_tune *engine_peak_new(const struct hone_tune_options *o, struct error *e)
{
    struct hone_tune *t = handle_new(o, e);
    if (!t)
        return NULL;
    const struct peak_options options = {.setup = t->setup.options.setup};
    return handle_started(t, peak_new(&options, e));
}

void engine_peaked(const struct hone_tune *t, struct engine_peaked *out)
{
    peak_progress(t->peak, &out->progress);
    out->found = peak_found(t->peak);
}

bool engine_peak_known(struct hone_store *st, const struct device_info *d, struct arena *a,
                       struct peak *out, struct error *e)
{
    return peak_find(store_of(st), d, a, out, e);
}

// ---- score --------------------------------------------------------------------------------------

struct hone_tune *engine_score_new(const struct score_options *o, struct error *e)
{
    struct hone_tune *t = handle_new(NULL, e);
    if (!t)
        return NULL;
    return handle_started(t, score_new(o, e));
}

void engine_scored(const struct hone_tune *t, struct engine_scored *out)
{
    score_progress(t->score, &out->progress);
    out->means = score_means(t->score, &out->count);
}

// ---- check --------------------------------------------------------------------------------------

struct hone_tune *engine_check_new(const struct hone_tune_options *o,
                                   const struct check_options *how, struct error *e)
{
    struct hone_tune *t = handle_new(o, e);
    if (!t)
        return NULL;
    struct check_options options = *how;
    options.setup = t->setup.options.setup;
    if (how->setup.worker) { // of a device that is assumed
        options.setup.worker = how->setup.worker;
        options.setup.environment = how->setup.environment;
        options.setup.place_count = options.setup.builder_count = 0;
    }
    if (how->races_log) {
        // A result says nothing about races: the store can neither answer nor keep one. Each check
        // has a simulator of its own, and nothing is timed: checks need not wait for each other.
        options.setup.store = NULL;
        options.setup.lock_folder = NULL;
        options.setup.jobs = 1;
        if (!o->launch_limit_ns)
            options.setup.terms.launch_limit_ns = RACES_LAUNCH_LIMIT_NS;
    }
    return handle_started(t, check_new(&options, e));
}

void engine_checked(const struct hone_tune *t, struct engine_checked *out)
{
    struct check *c = t->check;
    check_progress(c, &out->progress);
    out->records = check_records(c, &out->count);
    out->findings = check_findings(c, &out->finding_count);
    out->space = check_space(c);
    check_source_digest(c, &out->source);
    out->verification = check_verification(c, &out->against);
}

// ---- compare ------------------------------------------------------------------------------------

// The fastest of each side that has a store, each configuration once.
static bool choose_top(struct hone_tune *t, uint32_t most, struct compare_options *o,
                       struct error *e)
{
    struct arena *a = &t->setup.arena;
    const char **chosen = arena_array(a, most * o->side_count + 1, sizeof *chosen);
    uint32_t count = 0;
    for (uint32_t i = 0; chosen && i < o->side_count; i++) {
        const struct compare_side *side = &o->sides[i];
        const char **top;
        size_t more = 0;
        if (side->store && !stored_fastest(side->store, side->spec, side->device,
                                           o->setup.terms.cold, most, a, &top, &more, e))
            return false;
        for (size_t k = 0; k < more; k++) {
            bool is_there = false;
            for (uint32_t c = 0; c < count; c++)
                is_there = is_there || str_equal(chosen[c], top[k]);
            if (!is_there)
                chosen[count++] = top[k];
        }
    }
    if (!chosen)
        return error_memory(e);
    o->chosen = chosen;
    o->chosen_count = count;
    return count > 0 ||
           error_set(e, ERROR_STORE,
                     "the store has no results of %s for this device; run hone tune first",
                     o->sides[0].spec->name);
}

struct hone_tune *engine_compare_new(const struct hone_tune_options *o,
                                     const struct compare_options *how, uint32_t top,
                                     struct error *e)
{
    struct hone_tune *t = handle_new(o, e);
    if (!t)
        return NULL;
    struct setup *setup = &t->setup.options.setup;
    setup->terms.rules.fixed = 0;
    setup->spare = NULL; // a side has its own workers
    setup->endings = NULL;
    setup->builder_count = 0;
    struct compare_options options = *how;
    options.setup = *setup;
    t->sides = how->side_count;
    if (!top || choose_top(t, top, &options, e))
        t->compare = compare_new(&options, e);
    return handle_started(t, t->compare);
}

void engine_compared(const struct hone_tune *t, struct engine_compared *out)
{
    struct compare *c = t->compare;
    compare_progress(c, &out->progress);
    out->records = compare_records(c, &out->count);
    out->level = t->setup.options.setup.terms.rules.level;
    out->compare = c;
}

bool engine_compare_load(struct hone_tune *t, const struct compare_record *record, struct error *e)
{
    const struct compare_record *records[COMPARE_SIDES];
    for (uint32_t i = 0; i < t->sides; i++)
        records[i] = record;
    return compare_load(t->compare, records, e);
}

bool engine_compare_fetch(struct hone_tune *t, uint32_t side, enum fetch what, const char **kernel,
                          struct text *out, struct error *e)
{
    return compare_fetch(t->compare, side, what, kernel, out, e);
}

bool engine_stored_run(struct hone_store *st, const char *wanted, const struct spec *spec,
                       struct arena *a, struct stored *out, struct error *e)
{
    return stored_run(store_of(st), wanted, spec, a, out, e);
}

void engine_stored_release(struct stored *s)
{
    stored_release(s);
}

void engine_compare_name(const char *spec, const char *what, struct text *out)
{
    compare_name(spec, what, out);
}

// ---- sweep --------------------------------------------------------------------------------------

struct hone_tune *engine_sweep_new(const struct sweep_options *o,
                                   const struct hone_tune_options *tunes, struct error *e)
{
    struct hone_tune *t = handle_new(NULL, e);
    if (!t)
        return NULL;
    struct sweep_options options = *o;
    struct sweep_line *lines = arena_array(&t->setup.arena, o->line_count, sizeof *lines);
    t->lines = calloc(o->line_count, sizeof *t->lines);
    bool ok = (lines && t->lines) || error_memory(e);
    for (uint32_t i = 0; ok && i < o->line_count; i++) {
        t->line_count++;
        ok = setup_tune(&t->lines[i], &tunes[i], e);
        lines[i] = o->lines[i];
        lines[i].tune = t->lines[i].options;
        lines[i].tune.setup.device = o->lines[i].tune.setup.device;
    }
    options.lines = lines;
    t->sweep = ok ? sweep_new(&options, e) : NULL;
    return handle_started(t, t->sweep);
}

void engine_swept(const struct hone_tune *t, struct engine_swept *out)
{
    sweep_progress(t->sweep, &out->progress);
    out->records = sweep_records(t->sweep, &out->count);
}

// ---- bench --------------------------------------------------------------------------------------

struct hone_tune *engine_bench_new(const struct hone_tune_options *o,
                                   const struct benchmark_options *how, struct error *e)
{
    struct hone_tune *t = handle_new(o, e);
    if (!t)
        return NULL;
    struct benchmark_options options = *how;
    options.setup = t->setup.options.setup;
    return handle_started(t, benchmark_new(&options, e));
}

void engine_benched(const struct hone_tune *t, struct engine_benched *out)
{
    benchmark_progress(t->benchmark, &out->progress);
    out->records = benchmark_records(t->benchmark, &out->count);
    out->level = t->setup.options.setup.terms.rules.level;
}
