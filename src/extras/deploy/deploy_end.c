// The table: of each device the choice among its candidates by what was measured, then all of them in one list of
// configurations, the default first.
#include "extras/deploy/deploy_inside.h"

#include <math.h>

bool deploy_read_choice(const struct spec *spec, const char *text, uint32_t *choice)
{
    struct error ignored = ERROR_INIT;
    spec_default(spec, choice);
    return spec_parse_configuration(spec, text, choice, &ignored);
}

// The choice of a text in the table's spec; NULL: it has no such configuration, or (*failed) no memory.
static uint32_t *choice_of(struct deploy *d, const char *text, bool *failed)
{
    uint32_t *choice = arena_array(&d->arena, d->spec->parameter_count + (size_t)1, sizeof *choice);
    *failed |= !choice;
    return choice && deploy_read_choice(d->spec, text, choice) ? choice : NULL;
}

// ---- one device --------------------------------------------------------------------------------

// One a candidate: the row whose tune alone found it. NULL without memory.
static uint32_t *find_origins(struct deploy *d, const struct deploy_grid *g, uint32_t rows)
{
    uint32_t *found_at = arena_array(&d->arena, g->count + (size_t)1, sizeof *found_at);
    for (uint32_t c = 0; found_at && c < g->count; c++) {
        uint32_t times = str_equal(g->texts[c], d->default_text) ? 2 : 0;
        for (uint32_t row = 0; row < rows; row++) {
            bool is_own = d->rows[row].winner && str_equal(d->rows[row].winner, g->texts[c]);
            times += is_own;
            found_at[c] = is_own ? row : found_at[c];
        }
        found_at[c] = times == 1 ? found_at[c] : DEPLOY_NONE;
    }
    return found_at;
}

// The grid as a dense matrix over `rows` rows. False without memory.
static bool make_matrix(struct deploy *d, const struct deploy_grid *g, uint32_t rows,
                        struct deploy_matrix *out)
{
    struct arena *a = &d->arena;
    size_t all = (size_t)rows * g->count;
    double *ns = arena_array(a, all + 1, sizeof *ns);
    bool *valid = arena_array(a, all + 1, sizeof *valid), failed = false;
    double *weights = arena_array(a, rows + (size_t)1, sizeof *weights);
    const int64_t **shapes = arena_array(a, rows + (size_t)1, sizeof *shapes);
    int64_t *groups;
    uint32_t *found_at = find_origins(d, g, rows);
    struct arena scratch;
    struct deploy_counter counter;
    if (!ns || !valid || !weights || !shapes || !found_at ||
        !counter_init(d, &g->facts, g->texts, g->count, &counter))
        return false;
    groups = arena_array(a, all * counter.launch_count + 1, sizeof *groups);
    if (!groups) {
        counter_release(&counter);
        return false;
    }
    *out = (struct deploy_matrix){.candidate_count = g->count,
                                  .default_candidate = DEPLOY_NONE,
                                  .point_count = d->o.plan->point_count,
                                  .drawn_count = rows - d->o.plan->point_count,
                                  .column_count = d->column_count,
                                  .shapes = shapes,
                                  .weights = weights,
                                  .ns = ns,
                                  .valid = valid,
                                  .costs = g->costs,
                                  .groups = groups,
                                  .launch_count = counter.launch_count,
                                  .compute_units = g->facts.compute_units,
                                  .found_at = found_at,
                                  .within = d->o.within};
    for (uint32_t row = 0; row < rows; row++) {
        shapes[row] = d->rows[row].shape;
        weights[row] = d->rows[row].weight;
    }
    arena_init(&scratch);
    for (uint32_t c = 0; c < g->count; c++) {
        const uint32_t *choice = choice_of(d, g->texts[c], &failed);
        if (str_equal(g->texts[c], d->default_text))
            out->default_candidate = c;
        for (uint32_t row = 0; row < rows; row++) {
            size_t at = (size_t)row * g->count + c;
            const struct grid_cell *cell = choice ? grid_find(g, row, c) : NULL;
            ns[at] = cell ? cell->ns : NAN;
            for (uint32_t l = 0; l < counter.launch_count; l++)
                groups[l * all + at] = counter_groups(&counter, c, l, shapes[row]);
            valid[at] = choice && deploy_excluded(&d->table, choice, shapes[row], &g->facts,
                                                  &scratch) == DEPLOY_NONE;
        }
        arena_release(&scratch);
    }
    counter_release(&counter);
    return !failed;
}

static bool make_device(struct deploy *d, const struct deploy_grid *g, struct deploy_device *out)
{
    const struct device_info *f = &g->facts;
    *out = (struct deploy_device){.name = f->name,
                                  .platform = f->platform ? f->platform : "",
                                  .identity = f->uuid ? f->uuid : "",
                                  .vendor = f->vendor ? f->vendor : "",
                                  .architecture = deploy_architecture(f, &d->arena),
                                  .driver = f->driver ? f->driver : "",
                                  .compute_units = f->compute_units,
                                  .facts = f,
                                  .fallback_configuration = 0};
    return out->architecture != NULL;
}

// ---- all of them -------------------------------------------------------------------------------

// Its index in the table, made where it is not there. DEPLOY_NONE without memory.
static uint32_t configuration_of(struct deploy *d, const char *text)
{
    struct deploy_table *t = &d->table;
    bool failed = false;
    for (uint32_t i = 0; i < t->configuration_count; i++) {
        if (str_equal(t->configurations[i].text, text))
            return i;
    }
    const uint32_t *choice = choice_of(d, text, &failed);
    if (!choice || !deploy_configuration_make(t, choice, &d->arena,
                                              &t->configurations[t->configuration_count]))
        return DEPLOY_NONE;
    return t->configuration_count++;
}

static bool add_device(struct deploy *d, struct deploy_grid *g, uint32_t rows)
{
    struct deploy_table *t = &d->table;
    struct deploy_matrix *m = &d->matrices[t->device_count];
    struct deploy_chosen *c = &d->chosen[t->device_count];
    struct deploy_device *out = &t->devices[t->device_count];
    if (!make_matrix(d, g, rows, m) || !deploy_choose(m, &d->arena, c))
        return false;
    if (c->point_count == 0)
        return true;
    if (!make_device(d, g, out))
        return false;
    out->points = arena_copy(&d->arena, c->points, c->point_count * sizeof *c->points);
    out->point_count = c->point_count;
    for (uint32_t i = 0; out->points && i < c->point_count; i++) {
        struct deploy_point *p = &out->points[i];
        uint32_t candidate = c->candidates[p->configuration];
        const struct grid_cell *cell = grid_find(g, c->rows[i], candidate);
        p->configuration = configuration_of(d, g->texts[candidate]);
        if (p->configuration == DEPLOY_NONE)
            return false;
        p->median_ns = cell->median_ns;
        p->gain = cell->gain;
        p->above_default = p->gain.ratio > 0 ? 1 / p->gain.ratio - 1 : NAN;
    }
    d->parts[t->device_count] = (const char *const *)g->parts;
    d->grids[t->device_count++] = g;
    return out->points != NULL;
}

// Adds the model of costs between the device's points, with the table's configurations.
static bool add_model(struct deploy *d, const struct deploy_grid *g, uint32_t at)
{
    const struct deploy_matrix *m = &d->matrices[at];
    const struct deploy_chosen *c = &d->chosen[at];
    const uint32_t configurations = d->table.configuration_count;
    hone_core_model *model = arena_alloc(&d->arena, sizeof *model);
    uint32_t *resident = arena_array(&d->arena, configurations, sizeof *resident);
    int32_t *costs = arena_array(&d->arena, (size_t)c->point_count * configurations, sizeof *costs);
    if (!model || !resident || !costs)
        return false;
    for (uint32_t i = 0; i < configurations; i++) {
        uint32_t candidate = 0;
        while (candidate < g->count &&
               !str_equal(g->texts[candidate], d->table.configurations[i].text))
            candidate++;
        bool is_known = candidate < g->count;
        resident[i] = is_known ? c->model->resident[candidate] : 0;
        for (uint32_t p = 0; p < c->point_count; p++) {
            size_t cell = (size_t)c->rows[p] * m->candidate_count + candidate;
            costs[(size_t)p * configurations + i] =
                is_known ? c->model->costs[cell] : HONE_CORE_UNTIMED;
        }
    }
    *model = (hone_core_model){c->model->launch, NULL, c->model->slopes, resident, costs};
    d->table.devices[at].model = model;
    return true;
}

bool deploy_end(struct deploy *d, struct error *e)
{
    struct deploy_table *t = &d->table;
    struct arena *a = &d->arena;
    size_t devices = (size_t)d->other_count + 1, configurations = (size_t)d->own.count + 1;
    char hex[65];
    struct digest source;
    for (uint32_t i = 0; i < d->other_count; i++)
        configurations += d->others[i].count;
    spec_sources_digest(d->sources, &source);
    digest_hex(&source, hex);
    t->source_digest = arena_strdup(a, hex);
    t->sources = d->sources;
    t->language = d->o.tune.setup.at.device->language;
    t->within = d->o.within;
    t->devices = arena_array(a, devices, sizeof *t->devices);
    t->configurations = arena_array(a, configurations, sizeof *t->configurations);
    d->chosen = arena_array(a, devices, sizeof *d->chosen);
    d->matrices = arena_array(a, devices, sizeof *d->matrices);
    d->grids = arena_array(a, devices, sizeof *d->grids);
    d->parts = arena_array(a, devices, sizeof *d->parts);
    bool ok = t->source_digest && t->devices && t->configurations && d->chosen && d->matrices &&
              d->grids && d->parts;
    ok = ok && (t->default_configuration = configuration_of(d, d->default_text)) != DEPLOY_NONE;
    ok = ok && add_device(d, &d->own, d->o.is_known_only ? d->o.plan->point_count : d->row_count);
    for (uint32_t i = 0; ok && i < d->other_count; i++)
        ok = add_device(d, &d->others[i], d->o.plan->point_count);
    for (uint32_t i = 0; ok && i < t->device_count; i++)
        ok = !d->chosen[i].model || add_model(d, d->grids[i], i);
    if (!ok)
        return error_memory(e);
    d->is_whole = t->device_count > 0;
    return !d->is_whole || deploy_table_check(t, e);
}
