// Finds the paired run of a comparison in the store: each side is searched for interleaved launches
// of the job that its choice makes today; the sides share the random id of their run.

#include "workflows/sweep/sweep_paired.h"

#include <string.h>

#define PAIRED_RUN_MOST 64 // of a side, that are looked at: the newest

// The stored results of a side.
struct heard {
    struct digest key;
    struct result *results[PAIRED_RUN_MOST]; // newest first
    size_t count;
    bool cold, failed;
};

// ---- one side ----------------------------------------------------------------------------------

static bool make_side_key(const struct compare_side *s, const char *choice, struct digest *key,
                          struct error *e)
{
    struct job *job = NULL;
    struct arena a;
    arena_init(&a);
    bool has_language = spec_has_language(s->spec, s->device->language);
    enum language language = s->device->language;
    struct spec_languages languages;
    bool ok = has_language || spec_languages(s->spec, &languages, e);
    if (ok && !has_language) // a routine's device need not speak the spec's
        language = languages.list[0];
    struct spec_sources *sources =
        ok ? spec_sources_read(s->spec, language, s->device, NULL, e) : NULL;
    uint32_t *values = arena_array(&a, s->spec->parameter_count + 1, sizeof *values);
    ok = sources && (values || error_memory(e));
    if (ok) {
        spec_default(s->spec, values);
        ok = spec_parse_configuration(s->spec, choice, values, e);
    }
    if (ok)
        ok = s->routine == ROUTINE_NONE ? spec_job(s->spec, sources, s->device, values, &job, e)
                                        : spec_routine_job(s->spec, sources, s->device, values,
                                                           s->routine, s->routine_library, &job, e);
    if (ok && s->routine != ROUTINE_NONE)
        job->routine_about = s->routine_about;
    if (ok)
        job_key(job, s->device, key);
    job_free(job);
    spec_sources_free(sources);
    arena_release(&a);
    return ok;
}

static bool hear(void *context, const struct store_row *row)
{
    struct heard *h = context;
    static const uint8_t none[sizeof row->result->ranking];
    const struct result *r = row->result;
    if (r->stop != STOP_COMPARED || memcmp(r->ranking, none, sizeof none) == 0)
        return true;
    struct result *copy = result_clone(r);
    h->failed = !copy;
    if (copy)
        h->results[h->count++] = copy;
    return copy && h->count < PAIRED_RUN_MOST;
}

static bool ask_store_for_runs(const struct compare_side *s, struct heard *h, struct error *e)
{
    struct text constants = TEXT_INIT;
    spec_constants_text(s->spec, &constants);
    const struct store_query query = {.spec_name = s->name,
                                      .constants = text_cstr(&constants),
                                      .key = &h->key,
                                      .correct_only = true,
                                      .logs = true, // of a routine: what its library says of itself
                                      .today = true,
                                      .inputs = h->cold ? STORE_INPUTS_COLD : STORE_INPUTS_WARM,
                                      .telling = true};
    bool ok = constants.failed ? error_memory(e) : store_each(s->store, &query, hear, h, e);
    text_release(&constants);
    return ok && (!h->failed || error_memory(e));
}

// ---- all of them -------------------------------------------------------------------------------

// Its result in the paired run of `first`; NULL: it was not in it.
static struct result **part_of(struct heard *h, const struct result *first)
{
    for (size_t i = 0; i < h->count; i++) {
        struct result *r = h->results[i];
        if (r && memcmp(r->ranking, first->ranking, sizeof r->ranking) == 0 &&
            r->sample_count == first->sample_count)
            return &h->results[i];
    }
    return NULL;
}

static bool choose_paired_run(struct heard *all, uint32_t count, uint32_t rounds,
                              struct result **results)
{
    for (size_t i = 0; i < all[0].count; i++) {
        const struct result *first = all[0].results[i];
        bool whole = first->sample_count >= rounds;
        for (uint32_t k = 0; whole && k < count; k++)
            whole = part_of(&all[k], first) != NULL;
        for (uint32_t k = count; whole && k-- > 0;) { // the first one last: it says which
            struct result **part = part_of(&all[k], first);
            results[k] = *part;
            *part = NULL;
        }
        if (whole)
            return true;
    }
    return false;
}

bool sweep_find_paired_run(const struct compare_options *o, struct result **results, bool *found,
                           struct error *e)
{
    struct heard all[COMPARE_SIDES];
    bool ok = true, kept = true;
    memset(all, 0, sizeof all);
    *found = false;
    for (uint32_t i = 0; i < o->side_count; i++) {
        const struct compare_side *s = &o->sides[i];
        kept = kept && s->store && (s->routine == ROUTINE_NONE || s->routine_about);
    }
    for (uint32_t i = 0; ok && kept && i < o->side_count; i++) {
        all[i].cold = o->setup.terms.cold;
        ok = make_side_key(&o->sides[i], o->choices[i], &all[i].key, e) &&
             ask_store_for_runs(&o->sides[i], &all[i], e);
    }
    if (ok && kept)
        *found =
            choose_paired_run(all, o->side_count, o->rounds ? o->rounds : COMPARE_BESTS, results);
    for (uint32_t i = 0; i < o->side_count; i++) {
        for (size_t k = 0; k < all[i].count; k++)
            result_free(all[i].results[k]);
    }
    return ok;
}
