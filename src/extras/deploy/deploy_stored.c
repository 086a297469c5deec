// A device from stored results alone. Each point takes the ranking that `hone best` uses, or one that an earlier deploy
// stored if that answer is among its finalists; without a ranking, the fastest known configuration. Also reads the facts of
// the device itself.
#include "extras/deploy/deploy_inside.h"

#include "stats/speedup.h"
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

// The number behind "NAME=" among words; 0 if there is none.
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
    return store_each(d->o.tune.setup.store, &q, read_device_row, &r, e) &&
           (!r.failed || error_memory(e));
}

// ---- its times ---------------------------------------------------------------------------------

// The text of all parameters in the arena; NULL where the spec has other values now, or (*failed) without memory.
static const char *full_text(struct deploy_grid *g, const struct spec *spec,
                             const char *configuration, bool *failed)
{
    struct text text = TEXT_INIT;
    struct error why = ERROR_INIT;
    uint32_t *choice = arena_array(g->arena, spec->parameter_count + (size_t)1, sizeof *choice);
    *failed |= !choice;
    if (!choice)
        return NULL;
    spec_default(spec, choice);
    if (!spec_parse_configuration(spec, configuration, choice, &why)) {
        *failed |= why.code == ERROR_MEMORY;
        return NULL;
    }
    spec_configuration_text(spec, choice, true, &text);
    const char *full = text_to_arena(&text, g->arena);
    *failed |= !full;
    return full;
}

// Reads the row's best result if nothing was ranked.
static bool read_best(const struct best_options *o, struct deploy_grid *g, uint32_t at,
                      struct error *e)
{
    struct best_answer answer;
    bool found = false;
    if (!best_find(o, g->arena, &answer, &found, e))
        return false;
    bool is_of_today = found && answer.choice && !answer.other_source;
    bool failed = false;
    const char *text = is_of_today ? full_text(g, o->spec, answer.configuration, &failed) : NULL;
    const struct grid_cell cell = {at, 0, answer.stats.median, answer.stats.median, {.ratio = NAN}};
    if (text)
        failed |= !grid_put(g, text, &cell, answer.result);
    if (is_of_today)
        g->parts[at] = answer.place.part ? answer.place.part : "";
    if (found)
        result_free(answer.result);
    return !failed || error_memory(e);
}

static bool took_part(const struct best_ranking *r, const char *configuration)
{
    for (size_t i = 0; i < r->count; i++) {
        if (str_equal(r->finalists[i].configuration, configuration))
            return true;
    }
    return false;
}

// Over the default, which took part in the same ranking; NULL: it did not.
static struct deploy_gain gain_in(const struct best_ranking *r, const struct best_finalist *base,
                                  const struct best_finalist *f)
{
    struct stats_ratio s = {1, 1, 1, true};
    if (!base || !base->placed || !f->placed)
        return (struct deploy_gain){.ratio = NAN};
    if (base != f)
        speedup_of_finalists(&(struct speedup_side){&base->entry, base->samples, base->count},
                             &(struct speedup_side){&f->entry, f->samples, f->count},
                             (base->first_round | f->first_round) > 0, r->level,
                             base->result->terms.resolution_ns, &s);
    return (struct deploy_gain){.ratio = s.ratio,
                                .is_in_turn = true,
                                .low = s.low,
                                .high = s.high,
                                .is_interval = s.interval,
                                .is_default = base == f};
}

// Adds all that took part in the ranking.
static bool put_ranking(const struct deploy *d, const struct best_ranking *r,
                        const struct spec *spec, struct deploy_grid *g, uint32_t at,
                        struct error *e)
{
    const struct best_finalist *base = NULL, *first = r->finalists;
    const char **texts = arena_array(g->arena, r->count + 1, sizeof *texts);
    bool failed = !texts;
    for (size_t i = 0; !failed && i < r->count; i++) {
        texts[i] = full_text(g, spec, r->finalists[i].configuration, &failed);
        if (texts[i] && str_equal(texts[i], d->default_text))
            base = &r->finalists[i];
    }
    for (size_t i = 0; !failed && i < r->count; i++) {
        const struct best_finalist *f = &r->finalists[i];
        const struct grid_cell cell = {.row = at,
                                       .ns = f->placed ? first->stats.median * f->entry.ratio /
                                                             first->entry.ratio
                                                       : f->stats.median,
                                       .median_ns = f->stats.median,
                                       .gain = gain_in(r, base, f)};
        if (texts[i])
            failed = !grid_put(g, texts[i], &cell, f->result);
    }
    return !failed || error_memory(e);
}

// The ranking that `hone best` uses; an earlier deploy's is preferred if it includes that answer, because it has the winners
// of other sizes, too. A deploy's ranking alone is of a few configurations that were chosen for other sizes.
static bool read_rankings(const struct deploy *d, struct best_options *o, struct deploy_grid *g,
                          uint32_t at, struct error *e)
{
    struct best_ranking own, wider;
    o->among.source = &d->source;
    bool ok = best_ranking(o, g->arena, &own, e);
    o->stored_as = d->name;
    ok = ok && best_ranking(o, g->arena, &wider, e);
    o->among.source = NULL;
    o->stored_as = NULL;
    if (!ok)
        return false;
    bool is_wider = wider.count > 0 && own.count == 0;
    for (size_t i = 0; i < own.count; i++)
        is_wider = is_wider ||
                   (own.finalists[i].chosen && took_part(&wider, own.finalists[i].configuration));
    const struct best_ranking *r = is_wider ? &wider : &own;
    if (!put_ranking(d, r, o->spec, g, at, e))
        return false;
    g->parts[at] = own.count > 0 ? own.part : NULL;
    return r->count > 0 || read_best(o, g, at, e);
}

static bool read_row(const struct deploy *d, struct deploy_grid *g, uint32_t at, struct error *e)
{
    const struct tune_options *t = &d->o.tune;
    const struct spec *spec = d->rows[at].spec;
    if (!spec)
        return true;
    struct spec_sources *sources =
        spec_sources_read(spec, t->setup.at.device->language, t->setup.at.device, NULL, e);
    struct best_options o = {.spec = spec,
                             .sources = sources,
                             .store = t->setup.store,
                             .name = g->facts.name,
                             .platform = g->facts.platform,
                             .languages = 1u << t->setup.at.device->language,
                             .space = t->setup.space,
                             .among.inputs =
                                 t->setup.terms.cold ? STORE_INPUTS_COLD : STORE_INPUTS_WARM};
    bool ok = sources && read_rankings(d, &o, g, at, e);
    spec_sources_free(sources);
    return ok;
}

// Makes a record of each point, for a deploy that measures nothing.
static bool record_known(struct deploy *d, struct error *e)
{
    for (uint32_t i = 0; i < d->o.plan->point_count; i++) {
        struct deploy_record *r = &d->records[d->record_count++];
        *r = (struct deploy_record){.row = i,
                                    .shape = d->rows[i].shape,
                                    .weight = d->rows[i].weight,
                                    .is_known = true,
                                    .is_unknown = true,
                                    .best_ns = NAN,
                                    .why = d->rows[i].why ? d->rows[i].why
                                                          : "the store knows no configuration"};
        for (size_t k = 0; k < d->own.cell_count; k++) {
            const struct grid_cell *c = &d->own.cells[k];
            if (c->row != i)
                continue;
            r->timed++;
            r->is_unknown = false;
            r->why = NULL;
            if (!(c->ns >= r->best_ns)) {
                r->best_ns = c->ns;
                r->median_ns = c->median_ns;
                r->gain = c->gain;
                r->best = d->own.texts[c->candidate];
            }
        }
    }
    d->row = d->record_count;
    return deploy_end(d, e);
}

bool deploy_read_known(struct deploy *d, struct error *e)
{
    return deploy_read_stored(d, &d->own, e) && record_known(d, e);
}

bool deploy_read_stored(struct deploy *d, struct deploy_grid *g, struct error *e)
{
    uint32_t points = d->o.plan->point_count;
    g->parts = arena_array(g->arena, points + (size_t)1, sizeof *g->parts);
    bool ok = g->parts || error_memory(e);
    for (uint32_t i = 0; ok && i < points; i++)
        g->parts[i] = NULL;
    for (uint32_t i = 0; ok && i < points; i++)
        ok = read_row(d, g, i, e);
    return ok;
}

// ---- all of them -------------------------------------------------------------------------------

static bool say_unknown_device(const struct deploy *d, const char *name,
                               const struct device_info *known, size_t count, struct error *e)
{
    struct text list = TEXT_INIT;
    for (size_t i = 0; i < count; i++) {
        if (known[i].language == d->o.tune.setup.at.device->language)
            text_addf(&list, "%s%s", list.length ? ", " : "", known[i].name);
    }
    error_set(e, ERROR_STORE,
              "%s: the store has no results of %s in %s on a device '%s'%s%s; `hone deploy` or "
              "`hone tune` on that machine measures them, `hone store import` takes them here",
              store_path(d->o.tune.setup.store), d->spec->name,
              language_title(d->o.tune.setup.at.device->language), name,
              list.length ? "; it has them on " : "", text_cstr(&list));
    text_release(&list);
    return false;
}

// A grid of the device, if it is of the table's language and not the one that is measured.
static bool add_other(struct deploy *d, const struct device_info *info, bool is_named,
                      struct error *e)
{
    struct deploy_grid *g = &d->others[d->other_count];
    if (info->language != d->o.tune.setup.at.device->language ||
        (str_equal(info->name, d->o.tune.setup.at.device->name) &&
         str_equal(info->platform, d->o.tune.setup.at.device->platform)))
        return true;
    *g = (struct deploy_grid){.arena = &d->arena, .facts = *info};
    if (!deploy_read_device(d, g, e) || !deploy_read_stored(d, g, e))
        return false;
    if (g->cell_count == 0 && is_named)
        return error_set(e, ERROR_STORE,
                         "%s: the store has results of %s on %s, but none at these sizes with the "
                         "kernel as it is now",
                         store_path(d->o.tune.setup.store), d->spec->name, info->name);
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
    struct best_options o = {
        .spec = d->spec, .sources = d->sources, .store = d->o.tune.setup.store};
    if (d->o.other_count == 0 && !d->o.all_others)
        return true;
    if (!best_devices(&o, &d->arena, &known, &count, e))
        return false;
    d->others = arena_array(&d->arena, count + 1, sizeof *d->others);
    if (!d->others)
        return error_memory(e);
    for (uint32_t i = 0; i < d->o.other_count; i++) {
        bool any = is_named_so(d->o.tune.setup.at.device, d->o.others[i]);
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
