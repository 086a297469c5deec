// A deploy, stage by stage: a sweep tunes every point, and another one shapes that are drawn
// between the points; then a tune of the winners alone measures each of them, and its records fill
// the grid of this device. A failure at one point is reported in its record; a failure that would
// affect every point ends the deploy.
#include "extras/deploy/deploy_inside.h"

#include "space/space.h"
#include "workflows/compare/compare.h"

#include <math.h>
#include <string.h>

// ---- making ------------------------------------------------------------------------------------

// Columns are the names whose values vary; if none does (one point), all names that are numbers.
static bool find_columns(struct deploy *d, struct error *e)
{
    const struct sweep_plan *plan = d->o.plan;
    const char **columns = arena_array(&d->arena, plan->name_count + (size_t)1, sizeof *columns);
    d->column_names = arena_array(&d->arena, plan->name_count + (size_t)1, sizeof *d->column_names);
    bool any = false;
    if (!columns || !d->column_names)
        return error_memory(e);
    for (uint32_t i = 0; i < plan->name_count; i++)
        any = any || plan->names[i].varies;
    for (uint32_t i = 0; i < plan->name_count; i++) {
        bool is_size = plan->points[0].values[i].kind == VALUE_INT;
        if (any ? !plan->names[i].varies : !is_size)
            continue;
        columns[d->column_count] = plan->names[i].name;
        d->column_names[d->column_count++] = i;
    }
    d->columns = columns;
    return d->column_count > 0 ||
           error_set(e, ERROR_USAGE, "%s: none of the constants that are set is a whole number",
                     d->o.path);
}

static bool make_row(struct deploy *d, uint32_t at, struct error *e)
{
    const struct sweep_point *p = &d->o.plan->points[at];
    struct deploy_row *row = &d->rows[at];
    int64_t *shape = arena_array(&d->arena, d->column_count, sizeof *shape);
    if (!shape)
        return error_memory(e);
    for (uint32_t i = 0; i < d->column_count; i++) {
        const struct value *v = &p->values[d->column_names[i]];
        if (v->kind != VALUE_INT || v->i < 1)
            return error_set(e, ERROR_USAGE,
                             "%s: shapes consist of whole numbers from 1 on, and a point has %s",
                             d->o.path, p->set[d->column_names[i]]);
        shape[i] = v->i;
    }
    *row = (struct deploy_row){
        .shape = shape, .weight = d->o.weights ? d->o.weights[at] : 1, .set = p->set};
    return deploy_load_row(d, row, e);
}

struct spec_options deploy_spec_options(struct deploy *d, const char *const *set)
{
    return (struct spec_options){.set = set,
                                 .set_count = d->o.plan->name_count,
                                 .strict = d->o.strict,
                                 .digests = &d->digests,
                                 .device = d->o.tune.setup.at.device};
}

static bool read_sources(struct deploy *d, struct error *e)
{
    const struct device_info *device = d->o.tune.setup.at.device;
    struct spec_sources *with = spec_sources_read(d->spec, device->language, device, NULL, e);
    if (!with)
        return false;
    spec_sources_digest(with, &d->source);
    spec_sources_free(with);
    // Read without a device, as the check for changed sources has none.
    d->sources = spec_sources_read(d->spec, device->language, NULL, NULL, e);
    return d->sources != NULL;
}

// The spec's own default, or what stands for it at the first point where that has none.
static bool find_default_text(struct deploy *d, struct error *e)
{
    struct text text = TEXT_INIT;
    uint32_t *choice = arena_array(&d->arena, d->spec->parameter_count + (size_t)1, sizeof *choice);
    bool is_valid = false;
    if (!choice)
        return error_memory(e);
    spec_default(d->spec, choice);
    for (uint32_t i = 0; !is_valid && i < d->row_count; i++)
        is_valid = deploy_excluded(&d->table, choice, d->rows[i].shape, d->o.tune.setup.at.device,
                                   &d->arena) == DEPLOY_NONE;
    if (!is_valid && !spec_baseline(d->sources, d->o.tune.setup.at.device, choice))
        spec_default(d->spec, choice);
    spec_configuration_text(d->spec, choice, true, &text);
    d->default_text = text_to_arena(&text, &d->arena);
    return d->default_text || error_memory(e);
}

// A table of a part of the space (--config, --where) has no configuration outside it: if the
// default is not in the part at any point, the first of the part takes its place.
static bool take_default_of_part(struct deploy *d, struct error *e)
{
    struct text first = TEXT_INIT;
    struct error why = ERROR_INIT; // of the first point at which nothing is left
    uint64_t index;
    uint32_t *choice = arena_array(&d->arena, d->spec->parameter_count + (size_t)1, sizeof *choice);
    bool is_in =
        d->o.tune.setup.space.configuration_count == 0 && d->o.tune.setup.space.where_count == 0;
    for (uint32_t i = 0; choice && !is_in && i < d->row_count; i++) {
        const struct spec *spec = d->rows[i].spec;
        struct error here = ERROR_INIT;
        struct space *space = deploy_row_space(d, &d->rows[i], &here);
        why = why.code ? why : here;
        is_in = space && deploy_read_choice(spec, d->default_text, choice) &&
                space_find(space, choice, &index);
        if (space && !is_in && first.length == 0) {
            space_get(space, 0, choice);
            spec_configuration_text(spec, choice, true, &first);
        }
        space_free(space);
    }
    if (choice && !is_in && first.length == 0 && why.code) {
        *e = why;
        return false;
    }
    if (choice && !is_in && first.length > 0) {
        log_add(d->o.tune.setup.log, LOG_WARNING,
                "the default is not in the part of the space that was asked for: %s stands for it",
                text_cstr(&first));
        d->default_text = text_to_arena(&first, &d->arena);
    }
    text_release(&first);
    return (choice && d->default_text) || error_memory(e);
}

static bool make_deploy(struct deploy *d, struct error *e)
{
    uint32_t points = d->o.plan->point_count;
    size_t all = (size_t)points + d->o.drawn;
    struct text name = TEXT_INIT;
    d->rows = arena_array(&d->arena, all + 1, sizeof *d->rows);
    d->records = arena_array(&d->arena, all + 1, sizeof *d->records);
    d->winners = arena_array(&d->arena, all + 1, sizeof *d->winners);
    if (!d->rows || !d->records || !d->winners)
        return error_memory(e);
    d->own = (struct deploy_grid){.arena = &d->arena, .facts = *d->o.tune.setup.at.device};
    // The spec as it is at the first point: what varies means nothing in it.
    const struct spec_options so = deploy_spec_options(d, d->o.plan->points[0].set);
    if (!find_columns(d, e) || !(d->spec = spec_load(d->o.path, &so, e)) || !read_sources(d, e) ||
        !deploy_table_init(&d->table, d->spec, d->columns, d->column_count, &d->arena, e))
        return false;
    for (; d->row_count < points; d->row_count++) {
        if (!make_row(d, d->row_count, e))
            return false;
    }
    compare_name(d->spec->name, "deploy", &name);
    d->name = text_to_arena(&name, &d->arena);
    if (!d->name)
        return error_memory(e);
    const char *vendor =
        d->own.facts.vendor; // of a device that is not here nothing but names is known
    return find_default_text(d, e) && take_default_of_part(d, e) &&
           ((vendor && vendor[0]) || deploy_read_device(d, &d->own, e)) && deploy_read_others(d, e);
}

static const struct workflow_operations deploy_operations;

struct deploy *deploy_new(const struct deploy_options *o, struct error *e)
{
    struct deploy *d = workflow_new(sizeof *d, &deploy_operations, e);
    if (!d)
        return NULL;
    arena_init(&d->arena);
    d->o = *o;
    d->o.drawn = o->is_known_only ? 0 : o->drawn;
    if (make_deploy(d, e))
        return d;
    deploy_free(d);
    return NULL;
}

static void release_deploy(void *workflow)
{
    struct deploy *d = workflow;
    for (size_t i = 0; i < sizeof d->sweeps / sizeof *d->sweeps; i++)
        sweep_free(d->sweeps[i]);
    spec_sources_free(d->sources);
    for (uint32_t i = 0; i < d->row_count; i++)
        spec_free(d->rows[i].spec);
    spec_free(d->spec);
    spec_digests_release(&d->digests);
    arena_release(&d->arena);
}

// ---- tuning ------------------------------------------------------------------------------------

static bool start_sweep(struct deploy *d, struct error *e)
{
    struct sweep_line *line = arena_alloc(&d->arena, sizeof *line); // read as long as it sweeps
    if (!line)
        return error_memory(e);
    *line = (struct sweep_line){.side = {.label = d->spec->name, .spec = d->spec},
                                .path = d->o.path,
                                .strict = d->o.strict,
                                .means = SWEEP_TUNE,
                                .tune = d->o.tune};
    const struct sweep_options o = {.lines = line,
                                    .line_count = 1,
                                    .plan = d->stage ? &d->drawn : d->o.plan,
                                    .again = d->o.again,
                                    .spare = d->o.spare};
    d->sweeps[d->stage] = sweep_new(&o, e);
    return d->sweeps[d->stage] != NULL;
}

static void add_winner(struct deploy *d, const char *text)
{
    for (uint32_t i = 0; i < d->winner_count; i++) {
        if (str_equal(d->winners[i], text))
            return;
    }
    d->winners[d->winner_count++] = text;
}

// The winners of the sweep that is over.
static bool take_winners(struct deploy *d, struct error *e)
{
    uint32_t count;
    const struct sweep_record *records = sweep_records(d->sweeps[d->stage], &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct sweep_entry *n = &records[i].entries[0];
        struct deploy_row *row = &d->rows[i + (d->stage ? d->o.plan->point_count : 0)];
        struct text text = TEXT_INIT;
        row->is_tuned = !n->known;
        if (!n->timed || !n->choice) {
            row->why = n->why && !row->why ? n->why : row->why;
            continue;
        }
        spec_configuration_text(n->spec, n->choice, true, &text);
        row->winner = text_to_arena(&text, &d->arena);
        if (!row->winner)
            return error_memory(e);
        add_winner(d, row->winner);
    }
    return true;
}

static bool step_sweep(struct deploy *d, int timeout_ms, struct error *e)
{
    const struct sweep_record *record;
    struct sweep_progress progress;
    if (!d->sweeps[d->stage] && !start_sweep(d, e))
        return false;
    enum workflow_answer answer = sweep_step(d->sweeps[d->stage], timeout_ms, &record, e);
    if (answer != WORKFLOW_END)
        return answer != WORKFLOW_BROKEN;
    sweep_progress(d->sweeps[d->stage], &progress);
    d->launches += progress.launches;
    d->phase = DEPLOY_MEASURING;
    if (d->w.cancelled)
        return true;
    if (!take_winners(d, e) || (d->stage == 0 && d->o.drawn > 0 && !deploy_draw(d, e)))
        return false;
    if (d->stage == 0 && d->row_count > d->o.plan->point_count) {
        d->stage = 1;
        d->phase = DEPLOY_TUNING;
    }
    return true;
}

// ---- measuring ---------------------------------------------------------------------------------

// The winners and the default that are in the space of the row's spec, each once. NULL without
// memory.
static const char **candidates_at(struct deploy *d, const struct deploy_row *row, uint32_t *count)
{
    const char **list = arena_array(&d->arena, d->winner_count + (size_t)2, sizeof *list);
    uint32_t *choice =
        arena_array(&d->arena, row->spec->parameter_count + (size_t)1, sizeof *choice);
    *count = 0;
    for (uint32_t i = 0; list && choice && i <= d->winner_count; i++) {
        const char *text = i < d->winner_count ? d->winners[i] : d->default_text;
        bool is_there = false;
        for (uint32_t k = 0; !is_there && k < *count; k++)
            is_there = str_equal(list[k], text);
        if (!is_there && deploy_read_choice(row->spec, text, choice))
            list[(*count)++] = text;
    }
    return choice ? list : NULL;
}

struct tune_options deploy_tune_options(const struct deploy *d, const struct deploy_row *row,
                                        const char *const *configurations, uint32_t count)
{
    struct tune_options o = d->o.tune;
    o.setup.space.configurations = configurations;
    o.setup.space.configuration_count = count;
    o.setup.spec = row->spec;
    o.name = d->name;
    o.setup.space.where = NULL;
    o.setup.space.where_count = 0;
    o.objectives = (struct objectives){.count = 0};
    o.strategy = "exhaustive";
    o.budget = (struct budget){0};
    o.setup.terms.rules.fixed = 0;
    o.setup.terms.rules.unranked = false;
    o.setup.at.spare = d->o.spare;
    o.setup.leaving = o.keep = false;
    return o;
}

// d->w.inner stays NULL where the row cannot be measured: row->why then says so.
static bool start_row(struct deploy *d, struct deploy_row *row, struct error *e)
{
    struct error why = ERROR_INIT;
    uint32_t count;
    if (!row->spec)
        return true;
    const char **candidates = candidates_at(d, row, &count);
    if (!candidates)
        return error_memory(e);
    const struct tune_options o = deploy_tune_options(d, row, candidates, count);
    d->records[d->row].tried = count;
    d->w.inner = tune_new(&o, &why);
    if (!d->w.inner && !(why.code == ERROR_INPUT || why.code == ERROR_USAGE)) {
        *e = why;
        return false;
    }
    if (!d->w.inner && !row->why)
        row->why = arena_strdup(&d->arena, why.text);
    return d->w.inner || row->why || error_memory(e);
}

// The row's default, and the fastest of its ranking, with which the others are compared. NULL:
// there is none.
struct row_bases {
    const struct tune_record *best, *base;
};

static bool is_default_text(struct deploy *d, const struct tune_record *r)
{
    struct text text = TEXT_INIT;
    spec_configuration_text(d->rows[d->row].spec, r->choice, true, &text);
    bool is_default = !text.failed && str_equal(text_cstr(&text), d->default_text);
    text_release(&text);
    return is_default;
}

static struct row_bases find_bases(struct deploy *d, const struct tune_record *const *records,
                                   size_t count)
{
    struct row_bases b = {NULL, NULL};
    for (size_t i = 0; i < count; i++) {
        const struct tune_record *r = records[i];
        if (r->timed && r->ranked && r->rank.place == 0 && !r->same_as)
            b.best = r;
        if (r->timed && is_default_text(d, r))
            b.base = r;
    }
    return b;
}

static struct deploy_gain gain_of(const struct tune *t, const struct tune_record *base,
                                  const struct tune_record *r)
{
    struct tune_speedup s;
    tune_compare(t, base, r, &s);
    return (struct deploy_gain){.ratio = s.known ? s.ratio.ratio : NAN,
                                .is_in_turn = s.ranked,
                                .low = s.ranked ? s.ratio.low : NAN,
                                .high = s.ranked ? s.ratio.high : NAN,
                                .is_interval = s.ranked && s.ratio.interval,
                                .is_default = s.same};
}

static bool take_measured(struct deploy *d, struct deploy_record *out, const struct tune_record *r,
                          const struct row_bases *b)
{
    struct text text = TEXT_INIT;
    struct tune_speedup behind;
    struct grid_cell cell = {.row = d->row, .ns = r->stats.median, .median_ns = r->stats.median};
    if (!r->timed)
        return true;
    cell.gain = gain_of(d->w.inner, b->base, r);
    tune_compare(d->w.inner, r, b->best, &behind);
    if (behind.known && b->best)
        cell.ns = b->best->stats.median * behind.ratio.ratio;
    spec_configuration_text(d->rows[d->row].spec, r->choice, true, &text);
    bool ok = !text.failed && grid_put(&d->own, text_cstr(&text), &cell, r->result);
    out->timed++;
    if (isnan(out->best_ns) || cell.ns < out->best_ns) {
        out->best_ns = cell.ns;
        out->median_ns = cell.median_ns;
        out->gain = cell.gain;
        out->best = ok ? arena_strdup(&d->arena, text_cstr(&text)) : NULL;
        ok = ok && out->best;
    }
    text_release(&text);
    return ok;
}

// Finishes a row whose tune is over, or that has none.
static bool finish_row(struct deploy *d, const void **record, struct error *e)
{
    struct deploy_row *row = &d->rows[d->row];
    struct deploy_record *out = &d->records[d->row];
    struct tune_progress progress = {.launches = 0};
    size_t count = 0;
    out->row = d->row;
    out->is_drawn = d->row >= d->o.plan->point_count;
    out->shape = row->shape;
    out->weight = row->weight;
    out->best_ns = NAN;
    const struct tune_record *const *records = d->w.inner ? tune_records(d->w.inner, &count) : NULL;
    const struct row_bases bases = find_bases(d, records, count);
    for (size_t i = 0; i < count; i++) {
        if (!take_measured(d, out, records[i], &bases))
            return error_memory(e);
    }
    if (d->w.inner)
        tune_progress(d->w.inner, &progress);
    d->launches += progress.launches;
    out->is_known = d->w.inner && progress.launches == 0 && !row->is_tuned;
    workflow_end_inner(&d->w);
    out->why = out->timed > 0 ? NULL
               : row->why     ? row->why
                              : "no configuration gave a correct result";
    d->record_count = ++d->row;
    *record = out;
    return true;
}

static enum workflow_answer step_row(struct deploy *d, int timeout_ms, const void **record,
                                     struct error *e)
{
    const struct tune_record *one;
    if (!d->w.inner && !start_row(d, &d->rows[d->row], e))
        return WORKFLOW_BROKEN;
    enum workflow_answer answer =
        d->w.inner ? tune_step(d->w.inner, timeout_ms, &one, e) : WORKFLOW_END;
    if (answer == WORKFLOW_BROKEN)
        return answer;
    if (answer != WORKFLOW_END || d->w.cancelled)
        return answer == WORKFLOW_END ? WORKFLOW_END : WORKFLOW_NOTHING;
    return finish_row(d, record, e) ? WORKFLOW_RECORD : WORKFLOW_BROKEN;
}

// ---- steps -------------------------------------------------------------------------------------

static enum workflow_answer step_deploy(void *workflow, int timeout_ms, const void **record,
                                        struct error *e)
{
    struct deploy *d = workflow;
    if (d->phase == DEPLOY_DONE)
        return WORKFLOW_END;
    if (d->w.cancelled && !d->w.inner && d->phase == DEPLOY_MEASURING)
        return WORKFLOW_END;
    if (d->o.is_known_only) {
        d->phase = DEPLOY_DONE;
        return deploy_read_known(d, e) ? WORKFLOW_END : WORKFLOW_BROKEN;
    }
    if (d->phase == DEPLOY_BUILDING) {
        if (d->image_count == deploy_images_planned(d) || (d->w.cancelled && !d->w.inner))
            d->phase = DEPLOY_DONE;
        else if (!deploy_step_image(d, timeout_ms, e))
            return WORKFLOW_BROKEN;
        return WORKFLOW_NOTHING;
    }
    if (d->phase == DEPLOY_TUNING)
        return step_sweep(d, timeout_ms, e) ? WORKFLOW_NOTHING : WORKFLOW_BROKEN;
    if (d->row < d->row_count)
        return step_row(d, timeout_ms, record, e);
    d->phase = d->o.with_images ? DEPLOY_BUILDING : DEPLOY_DONE;
    return deploy_end(d, e) ? WORKFLOW_NOTHING : WORKFLOW_BROKEN;
}

static void stop_deploy(void *workflow)
{
    struct deploy *d = workflow;
    if (d->sweeps[d->stage])
        sweep_cancel(d->sweeps[d->stage]);
}

static const struct workflow_operations deploy_operations = {
    .step = step_deploy, .stop = stop_deploy, .release = release_deploy};

// ---- views -------------------------------------------------------------------------------------

void deploy_progress(struct deploy *d, struct deploy_progress *out)
{
    memset(out, 0, sizeof *out);
    bool is_all = d->stage > 0 || d->phase != DEPLOY_TUNING;
    workflow_progress(&d->w, is_all ? d->row_count : (uint64_t)d->o.plan->point_count + d->o.drawn,
                      d->record_count, &out->common);
    out->phase = d->phase;
    out->is_drawn = d->phase == DEPLOY_TUNING ? d->stage > 0 : d->row >= d->o.plan->point_count;
    out->row = d->row;
    out->images = d->phase == DEPLOY_BUILDING ? deploy_images_planned(d) : 0;
    out->built = d->image_count;
    out->launches = d->launches;
    if (d->phase == DEPLOY_TUNING && d->sweeps[d->stage]) {
        sweep_progress(d->sweeps[d->stage], &out->sweep);
        out->launches += out->sweep.launches;
        out->common.evaluator = out->sweep.common.evaluator;
    }
    if (d->w.inner) {
        tune_progress(d->w.inner, &out->tune);
        out->launches += out->tune.launches;
    }
}

void deploy_view(struct deploy *d, struct deploy_view *out)
{
    deploy_progress(d, &out->progress);
    out->records = d->records;
    out->count = d->record_count;
    out->spec = d->spec;
    out->found = (struct deploy_found){.parts = d->is_whole ? d->parts : NULL,
                                       .table = d->is_whole ? &d->table : NULL,
                                       .chosen = d->chosen,
                                       .matrices = d->matrices,
                                       .candidates = d->own.count,
                                       .columns = d->columns,
                                       .column_count = d->column_count,
                                       .sources = d->sources,
                                       .points = d->o.plan->point_count,
                                       .drawn = d->row_count - d->o.plan->point_count,
                                       .images = d->images,
                                       .image_count = d->image_count};
}
