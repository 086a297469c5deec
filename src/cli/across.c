// Times the best configuration of each kind of device on the others. On each device, one comparison
// launches the distinct bests in rounds (workflows/compare), as if they were the bests of several
// specs. A cell is the ratio to the device's own best, from pairs within one round. The results are
// stored as comparisons on that device.
#include "cli/across.h"

#include "cli/interrupt.h"
#include "cli/run_workflow.h"
#include "report/progress.h"

#include <stdlib.h>
#include <string.h>

bool across_take(struct across_kind *k, struct work *t)
{
    struct tune_view tuned;
    k->work = t;
    if (!t->handle)
        return true;
    tune_view(tune_of(t->handle), &tuned);
    const struct tune_record *best = tuned.progress.best;
    bool has_best = best && objective_is_time(&tuned.options->objectives, t->spec, t->device);
    if (has_best) {
        k->configuration = strdup(best->configuration);
        k->json = strdup(best->configuration_json);
    }
    hone_tune_free(t->handle);
    t->handle = NULL;
    return !has_best || (k->configuration && k->json);
}

void across_release(struct across_kind *kinds, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        free(kinds[i].configuration);
        free(kinds[i].json);
    }
}

// ---- one device --------------------------------------------------------------------------------

// The bests on one device, each once.
struct across_column {
    const struct across_kind *kind;
    struct across_kind *kinds;
    uint32_t count;
    struct compare_side sides[ACROSS_MOST];
    const char *choices[ACROSS_MOST];
    uint32_t side_of[ACROSS_MOST]; // of each kind's best; UINT32_MAX: it has none
    uint32_t side_count;
    struct compare *compare;
    struct error broken;
};

static void plan_column(struct across_column *c)
{
    const struct work *w = c->kind->work;
    for (uint32_t i = 0; i < c->count; i++) {
        const char *best = c->kinds[i].configuration;
        uint32_t side = 0;
        c->side_of[i] = UINT32_MAX;
        while (best && side < c->side_count && !str_equal(c->choices[side], best))
            side++;
        if (!best)
            continue;
        c->side_of[i] = side;
        if (side < c->side_count)
            continue;
        c->choices[side] = best;
        c->sides[c->side_count++] = (struct compare_side){.label = best,
                                                          .spec = w->spec,
                                                          .device = w->device,
                                                          .places = w->places.list,
                                                          .place_count = w->places.count,
                                                          .store = w->store,
                                                          .name = w->spec->name};
    }
}

static void show_column_progress(void *context, const struct screen *screen, struct text *line)
{
    const struct across_column *c = context;
    struct compare_view found;
    compare_view(c->compare, &found);
    report_compare_progress(&found.progress, screen, line);
}

static bool run_column(struct across_column *c)
{
    struct work *w = c->kind->work;
    const struct hone_tune_options options = work_options(w);
    if (!setup_init(&w->setup, &options, &c->broken))
        return false;
    struct compare_options how = {.setup = w->setup.options.setup,
                                  .sides = c->sides,
                                  .side_count = c->side_count,
                                  .choices = c->choices};
    how.setup.leaving = false; // the next device follows
    c->compare = compare_new(&how, &c->broken);
    if (!c->compare)
        return false;
    struct running running = {.workflow = compare_workflow(c->compare),
                              .work = w,
                              .broken = &c->broken,
                              .context = c,
                              .progress = show_column_progress};
    workflow_run(&running);
    return !c->broken.code;
}

// The results are the comparison's: a copy is kept.
static bool take_cell(const struct compare_record *r, uint32_t side, uint32_t own, double level,
                      uint64_t resolution_ns, struct across_cell *out)
{
    const struct compare_entry *entry = &r->entries[side];
    const struct result *a = entry->result, *b = r->entries[own].result;
    *out = (struct across_cell){.timed = entry->timed, .stats = entry->stats};
    out->result = a ? result_clone(a) : NULL;
    out->compared = a && b && entry->timed && r->entries[own].timed;
    if (out->compared && side == own)
        out->ratio = (struct stats_ratio){1, 1, 1, true};
    else if (out->compared)
        stats_paired_ratio(a->samples_ns, b->samples_ns,
                           a->sample_count < b->sample_count ? a->sample_count : b->sample_count,
                           level, resolution_ns, &out->ratio);
    return !a || out->result;
}

static bool take_column(struct across_column *c, uint32_t on, struct across_cell *cells,
                        double *level)
{
    struct compare_view found;
    bool ok = true;
    compare_view(c->compare, &found);
    *level = found.level;
    if (found.count == 0) // it was ended
        return true;
    const struct compare_record *r = found.records[0];
    uint64_t resolution = c->kind->work->device->timer_ns / (r->batch ? r->batch : 1);
    for (uint32_t i = 0; i < c->count && ok; i++) {
        if (c->side_of[i] != UINT32_MAX)
            ok = take_cell(r, c->side_of[i], c->side_of[on], found.level, resolution,
                           &cells[(size_t)i * c->count + on]);
    }
    return ok;
}

// ---- all of them -------------------------------------------------------------------------------

// Where names are equal the platform tells them apart, or the driver.
static const char *label_kind(struct across_kind *kinds, uint32_t count, uint32_t at)
{
    struct work *w = kinds[at].work;
    const struct device_info *d = w->device;
    bool by_platform = false, by_driver = false;
    for (uint32_t i = 0; i < count; i++) {
        const struct device_info *other = kinds[i].work->device;
        bool is_like = i != at && str_equal(other->name, d->name);
        by_platform = by_platform || is_like;
        by_driver = by_driver || (is_like && str_equal(other->platform, d->platform));
    }
    return by_driver     ? arena_printf(&w->arena, "%s (%s, %s)", d->name, d->platform, d->driver)
           : by_platform ? arena_printf(&w->arena, "%s (%s)", d->name, d->platform)
                         : d->name;
}

static bool has_two_bests(const struct across_kind *kinds, uint32_t count)
{
    uint32_t bests = 0;
    for (uint32_t i = 0; i < count; i++)
        bests += kinds[i].configuration != NULL;
    return bests > 1;
}

// Without a best of its own, a device has no baseline for the others' bests.
static int launch_columns(struct across_kind *kinds, uint32_t count, struct across_cell *cells,
                          double *level)
{
    int status = EXIT_DONE;
    for (uint32_t i = 0; i < count && !interrupt_pending(); i++) {
        struct across_column c = {.kind = &kinds[i], .kinds = kinds, .count = count};
        if (!kinds[i].configuration)
            continue;
        plan_column(&c);
        bool ran = run_column(&c);
        bool ok = !c.compare || take_column(&c, i, cells, level);
        compare_free(c.compare);
        if (!ok)
            error_memory(&c.broken);
        if (!ran || !ok)
            status = workflow_failed(&c.broken); // the others can be had all the same
    }
    return interrupt_pending() ? EXIT_SIGNAL + interrupt_pending() : status;
}

int across_show(struct across_kind *kinds, uint32_t count, enum report_format format)
{
    struct across_device devices[ACROSS_MOST];
    struct across_cell cells[ACROSS_MOST * ACROSS_MOST] = {{.timed = false}};
    struct across_report report = {.devices = devices, .count = count, .cells = cells};
    struct text out = TEXT_INIT;
    int status = EXIT_DONE;
    for (uint32_t i = 0; i < count; i++)
        devices[i] = (struct across_device){.device = kinds[i].work->device,
                                            .label = label_kind(kinds, count, i),
                                            .configuration = kinds[i].configuration,
                                            .configuration_json = kinds[i].json};
    if (count < 2)
        report.why = "There is only one kind of device: nothing to compare its best with.";
    else if (!has_two_bests(kinds, count))
        report.why = "Fewer than two devices have a fastest configuration: nothing is compared.";
    else
        status = launch_columns(kinds, count, cells, &report.level);
    report_across(&report, format, &out);
    workflow_write(&kinds[0].work->ticker, &out);
    for (uint32_t i = 0; i < count * count; i++)
        result_free(cells[i].result);
    return status;
}
