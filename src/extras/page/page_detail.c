// Reads the stored details of a few configurations: samples, resources, deviations, options; and
// the sources as their compiler saw them. The finalists first, then the fastest, then one of each
// group of failures.
#include "extras/page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FASTEST_MOST = 100, FAILURES_MOST = 24, SOURCES_MOST = 64, SOURCE_BYTES = 200000 };

// ---- which -------------------------------------------------------------------------------------

static void add_detail(struct page_set *s, size_t row, bool *taken)
{
    if (row == SIZE_MAX || taken[row])
        return;
    taken[row] = true;
    s->details[s->detail_count++] = (struct page_detail){
        .row = row, .geometry = "", .ended = "", .verified = "", .date = "", .joule = NAN};
}

static bool choose_details(struct page *p, struct page_set *s, const struct spec *spec)
{
    struct error ignored = ERROR_INIT;
    size_t failures = 0, finalists = s->ranking.count;
    bool *taken = calloc(s->count + 1, sizeof *taken),
         *told = calloc((s->message_count + (size_t)1) * STATUS_COUNT, sizeof *told);
    uint32_t *choice = calloc(spec->parameter_count + (size_t)1, sizeof *choice);
    s->details =
        arena_array(&p->arena, finalists + FASTEST_MOST + FAILURES_MOST + 1, sizeof *s->details);
    bool ok = taken && told && choice && s->details;
    s->finalist_rows = arena_array(&p->arena, finalists + 1, sizeof *s->finalist_rows);
    ok = ok && s->finalist_rows;
    for (size_t i = 0; ok && i < finalists; i++) {
        spec_default(spec, choice);
        bool is_read =
            spec_parse_configuration(spec, s->ranking.finalists[i].configuration, choice, &ignored);
        s->finalist_rows[i] = is_read ? page_row_of(s, choice) : SIZE_MAX;
        add_detail(s, s->finalist_rows[i], taken);
    }
    for (size_t i = 0; ok && i < s->timed && i < FASTEST_MOST; i++)
        add_detail(s, s->fastest[i], taken);
    for (size_t i = 0; ok && i < s->count && failures < FAILURES_MOST; i++) {
        const struct page_row *r = &s->rows[i];
        bool *is_told = &told[(size_t)r->message * STATUS_COUNT + r->status];
        if (r->status == STATUS_CORRECT || *is_told)
            continue;
        *is_told = true;
        failures++;
        add_detail(s, i, taken);
    }
    free(taken);
    free(told);
    free(choice);
    return ok;
}

// ---- what is known of it -----------------------------------------------------------------------

struct taking_detail {
    struct arena *arena;
    struct page_detail *into;
    const char *id; // of the result
    bool failed;
};

static const struct deviation *copy_deviations(struct arena *a, const struct result *r)
{
    struct deviation *out = arena_array(a, r->deviation_count + (size_t)1, sizeof *out);
    for (uint32_t i = 0; out && i < r->deviation_count; i++) {
        out[i] = r->deviations[i];
        out[i].name = arena_strdup(a, r->deviations[i].name);
        if (!out[i].name)
            return NULL;
    }
    return out;
}

static bool take_detail(void *context, const struct store_row *row)
{
    struct taking_detail *t = context;
    struct page_detail *d = t->into;
    const struct result *r = row->result;
    const uint64_t *samples;
    if (!str_equal(row->id, t->id))
        return true;
    d->geometry = arena_strdup(t->arena, row->geometry);
    d->date = arena_strdup(t->arena, row->date);
    d->ended = stop_text(r->stop);
    d->verified = verification_text(r->verification);
    d->batch = r->batch;
    d->warmups = r->warmups;
    d->joule = result_joule(r);
    if (r->counters) {
        d->counters = counters_copy(t->arena, r->counters);
        t->failed |= !d->counters;
    }
    if (result_samples(r, &samples, &d->sample_count) && d->sample_count > 0) {
        d->samples = arena_copy(t->arena, samples, d->sample_count * sizeof *samples);
        t->failed |= !d->samples;
    }
    if (r->resource_count > 0) {
        d->resources = arena_copy(t->arena, r->resources, r->resource_count * sizeof *r->resources);
        d->resource_count = d->resources ? r->resource_count : 0;
        t->failed |= !d->resources;
    }
    d->deviations = copy_deviations(t->arena, r);
    d->deviation_count = d->deviations ? r->deviation_count : 0;
    t->failed |= !d->geometry || !d->date || !d->deviations;
    return false;
}

struct taking_sources {
    struct arena *arena;
    struct page_set *set;
    size_t room;
    bool failed;
};

static bool take_source(void *context, const char *kind, const char *name, const char *text,
                        size_t length)
{
    struct taking_sources *t = context;
    struct page_set *s = t->set;
    bool is_include = str_equal(kind, "include");
    if (!is_include && !str_equal(kind, "source"))
        return true;
    if (!ARENA_ROOM(t->arena, s->sources, t->room, s->source_count + 1)) {
        t->failed = true;
        return false;
    }
    struct page_source *out = &s->sources[s->source_count++];
    length = strnlen(text, length); // a store of an older hone may hold what follows a NUL
    *out = (struct page_source){page_without_folders(name, t->arena),
                                length > SOURCE_BYTES ? "" : arena_strndup(t->arena, text, length),
                                length, is_include};
    t->failed |= !out->name || !out->text;
    return !t->failed && s->source_count < SOURCES_MOST;
}

bool page_find_details(struct page *p, struct page_set *s, struct store *store,
                       const struct spec *spec, const struct spec_sources *sources, struct error *e)
{
    if (!choose_details(p, s, spec))
        return error_memory(e);
    for (size_t i = 0; i < s->detail_count; i++) {
        const struct page_row *r = &s->rows[s->details[i].row];
        const struct store_query q = {.key = &r->key, .all_runs = true};
        struct taking_detail t = {&p->arena, &s->details[i], r->id, false};
        if (!store_each(store, &q, take_detail, &t, e))
            return false;
        if (t.failed || !page_code_of(p, spec, sources, r->choice, &s->details[i].code))
            return error_memory(e);
    }
    struct taking_sources t = {&p->arena, s, 0, false};
    if (s->detail_count > 0 &&
        !store_texts(store, &s->rows[s->details[0].row].key, take_source, &t, e))
        return false;
    return !t.failed || error_memory(e);
}
