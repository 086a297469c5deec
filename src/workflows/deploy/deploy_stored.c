// A device as the store has it: at each point the newest ranking that a deploy made there, else that of a tune, else the
// best that is known. And what the store knows of the device itself.
#include "workflows/deploy/deploy_inside.h"

#include "workflows/best.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the device --------------------------------------------------------------------------------

struct fact_reading {
    struct device_info *facts;
    struct arena *arena;
    bool is_found, failed;
};

// The number behind "NAME=" among words; 0 where there is none.
static uint64_t fact_of(const char *words, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(words, name); at; at = strstr(at + 1, name)) {
        if ((at == words || at[-1] == ' ') && at[length] == '=')
            return strtoull(at + length + 1, NULL, 10);
    }
    return 0;
}

static bool read_device_row(void *context, const struct store_row *row)
{
    struct fact_reading *r = context;
    struct device_info *d = r->facts;
    if (!str_equal(row->platform, d->platform))
        return true;
    r->is_found = true;
    d->vendor = arena_strdup(r->arena, row->vendor);
    d->uuid = arena_strdup(r->arena, row->uuid);
    d->driver = arena_strdup(r->arena, row->driver);
    d->extensions = "";
    d->compute_units = row->compute_units;
    d->capability = (uint32_t)fact_of(row->surroundings, "device_capability");
    d->subgroup_size = (uint32_t)fact_of(row->surroundings, "device_subgroup_size");
    d->max_group_size = fact_of(row->surroundings, "device_max_work_group_size");
    d->local_bytes = fact_of(row->surroundings, "device_local_memory");
    d->global_bytes = fact_of(row->surroundings, "device_global_memory");
    r->failed = !d->vendor || !d->uuid || !d->driver;
    return false;
}

bool deploy_read_device(const struct deploy *d, struct deploy_grid *g, struct error *e)
{
    struct fact_reading r = {.facts = &g->facts, .arena = g->arena};
    const struct store_query q = {.spec_name = d->spec->name, .device = g->facts.name};
    return store_each(d->o.tune.store, &q, read_device_row, &r, e) &&
           (!r.failed || error_memory(e));
}

// ---- its times ---------------------------------------------------------------------------------

struct row_reading {
    struct deploy_grid *g;
    uint32_t row;
    enum language language;
    uint8_t ranking[sizeof((struct result *)0)->ranking];
    bool is_found, failed;
};

static bool read_ranked_row(void *context, const struct store_row *row)
{
    struct row_reading *r = context;
    const struct result *result = row->result;
    enum language language;
    const uint64_t *samples;
    uint32_t count;
    struct stats_summary stats;
    if (result->stop != STOP_RANKED || !str_equal(row->platform, r->g->facts.platform) ||
        !language_parse(row->language, &language) || language != r->language ||
        !result_samples(result, &samples, &count) || count == 0)
        return true;
    if (r->is_found && memcmp(r->ranking, result->ranking, sizeof r->ranking) != 0)
        return true;
    memcpy(r->ranking, result->ranking, sizeof r->ranking);
    bool is_again = false;
    for (size_t i = 0; r->is_found && !is_again && i < r->g->cell_count; i++)
        is_again = r->g->cells[i].row == r->row &&
                   str_equal(r->g->texts[r->g->cells[i].candidate], row->configuration);
    r->is_found = true;
    stats_summarise(samples, count, 0, &stats);
    r->failed = !is_again && !grid_put(r->g, r->row, row->configuration, stats.median, result);
    return !r->failed;
}

// What is known of the row, where nothing was ranked.
static bool read_best(const struct deploy *d, struct deploy_grid *g, uint32_t at, struct error *e)
{
    const struct spec *spec = d->rows[at].spec;
    struct best_answer answer;
    struct text text = TEXT_INIT;
    bool found = false;
    struct spec_sources *sources =
        spec_sources_read(spec, d->o.tune.device->language, d->o.tune.device, NULL, e);
    struct best_options o = {.spec = spec,
                             .sources = sources,
                             .store = d->o.tune.store,
                             .name = g->facts.name,
                             .platform = g->facts.platform,
                             .languages = 1u << d->o.tune.device->language};
    bool ok = sources && best_find(&o, g->arena, &answer, &found, e);
    if (ok && found && answer.choice && !answer.other_source) {
        spec_configuration_text(spec, answer.choice, true, &text);
        ok = (!text.failed &&
              grid_put(g, at, text_cstr(&text), answer.stats.median, answer.result)) ||
             error_memory(e);
    }
    if (ok && found)
        result_free(answer.result);
    text_release(&text);
    spec_sources_free(sources);
    return ok;
}

// The newest ranking under a name: a deploy's, or the tune's own, which holds the default too.
static bool read_ranking(const struct deploy *d, struct row_reading *r, const char *name,
                         struct error *e)
{
    struct text constants = TEXT_INIT;
    spec_constants_text(d->rows[r->row].spec, &constants);
    const struct store_query q = {.spec_name = name,
                                  .constants = text_cstr(&constants),
                                  .device = r->g->facts.name,
                                  .source = &d->source,
                                  .correct_only = true,
                                  .today = true,
                                  .inputs =
                                      d->o.tune.terms.cold ? STORE_INPUTS_COLD : STORE_INPUTS_WARM,
                                  .telling = true};
    bool ok =
        constants.failed ? error_memory(e) : store_each(d->o.tune.store, &q, read_ranked_row, r, e);
    text_release(&constants);
    return ok && (!r->failed || error_memory(e));
}

static bool read_row(const struct deploy *d, struct deploy_grid *g, uint32_t at, struct error *e)
{
    struct row_reading r = {.g = g, .row = at, .language = d->o.tune.device->language};
    if (!d->rows[at].spec)
        return true;
    return read_ranking(d, &r, d->name, e) &&
           (r.is_found || read_ranking(d, &r, d->spec->name, e)) &&
           (r.is_found || read_best(d, g, at, e));
}

bool deploy_read_stored(struct deploy *d, struct deploy_grid *g, struct error *e)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < d->o.plan->point_count; i++)
        ok = read_row(d, g, i, e);
    return ok;
}

// ---- all of them -------------------------------------------------------------------------------

static bool say_unknown_device(const struct deploy *d, const char *name,
                               const struct device_info *known, size_t count, struct error *e)
{
    struct text list = TEXT_INIT;
    for (size_t i = 0; i < count; i++) {
        if (known[i].language == d->o.tune.device->language)
            text_addf(&list, "%s%s", list.length ? ", " : "", known[i].name);
    }
    error_set(e, ERROR_STORE,
              "%s: the store has no results of %s in %s on a device '%s'%s%s; `hone deploy` or "
              "`hone tune` on that machine measures them, `hone store merge` takes them here",
              store_path(d->o.tune.store), d->spec->name,
              language_title(d->o.tune.device->language), name,
              list.length ? "; it has them on " : "", text_cstr(&list));
    text_release(&list);
    return false;
}

// A grid of the device, if it is of the table's language and not the one that is measured.
static bool add_other(struct deploy *d, const struct device_info *info, bool is_named,
                      struct error *e)
{
    struct deploy_grid *g = &d->others[d->other_count];
    if (info->language != d->o.tune.device->language ||
        (str_equal(info->name, d->o.tune.device->name) &&
         str_equal(info->platform, d->o.tune.device->platform)))
        return true;
    *g = (struct deploy_grid){.arena = &d->arena, .facts = *info};
    if (!deploy_read_device(d, g, e) || !deploy_read_stored(d, g, e))
        return false;
    if (g->cell_count == 0 && is_named)
        return error_set(e, ERROR_STORE,
                         "%s: the store has results of %s on %s, but none at these sizes with the "
                         "kernel as it is now",
                         store_path(d->o.tune.store), d->spec->name, info->name);
    d->other_count += g->cell_count > 0;
    return true;
}

static bool is_named_so(const struct device_info *d, const char *wanted)
{
    return str_equal_nocase(d->name, wanted) || str_contains_nocase(d->name, wanted);
}

bool deploy_read_others(struct deploy *d, struct error *e)
{
    struct device_info *known;
    size_t count;
    struct best_options o = {.spec = d->spec, .sources = d->sources, .store = d->o.tune.store};
    if (d->o.other_count == 0 && !d->o.all_others)
        return true;
    if (!best_devices(&o, &d->arena, &known, &count, e))
        return false;
    d->others = arena_array(&d->arena, count + 1, sizeof *d->others);
    if (!d->others)
        return error_memory(e);
    for (uint32_t i = 0; i < d->o.other_count; i++) {
        bool any = is_named_so(d->o.tune.device, d->o.others[i]);
        for (size_t k = 0; k < count; k++)
            any = any || is_named_so(&known[k], d->o.others[i]);
        if (!any)
            return say_unknown_device(d, d->o.others[i], known, count, e);
    }
    for (size_t k = 0; k < count; k++) {
        bool is_named = false;
        for (uint32_t i = 0; i < d->o.other_count; i++)
            is_named = is_named || is_named_so(&known[k], d->o.others[i]);
        if ((is_named || d->o.all_others) && !add_other(d, &known[k], is_named, e))
            return false;
    }
    return true;
}
