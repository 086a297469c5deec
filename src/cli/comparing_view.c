// A comparison's records as views.
#include "cli/comparing.h"

#include "cli/interrupt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- sides -------------------------------------------------------------------------------------

static void fill_side(struct comparing *c, uint32_t index, struct view_side *out)
{
    const struct comparing_side *s = &c->sides[index];
    const struct work *w = &s->tuning.work;
    *out = (struct view_side){.label = text_cstr(&s->label),
                              .spec = w->spec->name,
                              .constants = s->run ? s->stored.constants : w->constants,
                              .constants_json = w->constants_json,
                              .flags = s->flags.items,
                              .flag_count = s->flags.count,
                              .routine = s->against.text,
                              .device = w->device,
                              .run = s->run ? s->stored.session : NULL,
                              .date = s->run ? s->stored.date : NULL};
    if (!s->run)
        out->check.kind = compare_verification(c->compare, index, &out->check.against);
}

static bool fill_sides(struct comparing *c, struct view_compare *out)
{
    struct view_side *sides = arena_array(&c->arena, c->count, sizeof *sides);
    for (uint32_t i = 0; sides && i < c->count; i++)
        fill_side(c, i, &sides[i]);
    out->sides = sides;
    out->side_count = c->count;
    return sides != NULL;
}

// ---- rows --------------------------------------------------------------------------------------

static const struct view_metric *metric_of(struct comparing *c, uint32_t side,
                                           const struct compare_entry *entry)
{
    const struct work *w = &c->sides[side].tuning.work;
    bool routine = c->sides[side].against.routine != ROUTINE_NONE;
    if (!entry->timed || w->spec->metric_count == 0 || !w->device)
        return NULL;
    if (routine && !spec_metric_is_of_time(w->spec, 0)) // it has no parameters to read
        return NULL;
    return metrics_of(w->spec, entry->choice, w->device, entry->stats.median, entry->result,
                      &c->arena);
}

static void fill_entry(struct comparing *c, uint32_t side, const struct compare_entry *entry,
                       struct view_compared_side *out)
{
    *out = (struct view_compared_side){.configuration = entry->configuration,
                                       .configuration_json = entry->configuration_json,
                                       .result = entry->result,
                                       .timed = entry->timed,
                                       .stats = entry->stats,
                                       .metric = metric_of(c, side, entry),
                                       .ranked = entry->timed && entry->ranked && c->of_specs,
                                       .tied = entry->rank.tied,
                                       .place = entry->rank.place,
                                       .to_fastest = {.ratio = entry->rank.ratio,
                                                      .low = entry->rank.ratio_low,
                                                      .high = entry->rank.ratio_high,
                                                      .interval = entry->rank.ratio_interval}};
}

static bool fill_row(struct comparing *c, const struct compare_record *r, struct view_compared *out)
{
    struct view_compared_side *sides = arena_array(&c->arena, c->count, sizeof *sides);
    for (uint32_t i = 0; sides && i < c->count; i++)
        fill_entry(c, i, &r->entries[i], &sides[i]);
    *out =
        (struct view_compared){.configuration = r->configuration,
                               .configuration_json = r->configuration_json,
                               .sides = sides,
                               .compared = r->compared && !c->of_specs,
                               .ratio = r->ratio,
                               .probability = r->probability,
                               .apart = r->apart,
                               .in_turn = r->in_turn,
                               .rounds = r->rounds,
                               .repeated = r->repeated,
                               .batch = r->batch,
                               .same_as_json = r->same_as ? r->same_as->configuration_json : NULL};
    return sides != NULL;
}

static bool fill_rows(struct comparing *c, const struct compare_summary *s,
                      struct view_compare *out)
{
    size_t count;
    const struct compare_record *const *records = compare_records(c->compare, &count);
    struct view_compared *rows = arena_array(&c->arena, count + 1, sizeof *rows);
    bool ok = rows != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        ok = fill_row(c, records[i], &rows[i]);
        for (int side = 0; side < 2; side++) {
            if (records[i] == s->best[side])
                out->best[side] = &rows[i];
        }
    }
    out->rows = rows;
    out->row_count = ok ? count : 0;
    return ok;
}

bool comparing_view(struct comparing *c, struct view_compare *out)
{
    struct compare_summary s;
    char date[32];
    const struct work *w = &c->sides[0].tuning.work;
    compare_summary(c->compare, &s);
    environment_date(date);
    *out = (struct view_compare){.hone_version = HONE_VERSION,
                                 .command = c->call->line,
                                 .host = w->environment.host,
                                 .date = arena_strdup(&c->arena, date),
                                 .store = w->store ? store_path(w->store) : NULL,
                                 .seed = c->options.seed,
                                 .of_specs = c->of_specs,
                                 .planned = s.planned,
                                 .sampled = c->sampled,
                                 .only = {s.only[0].count, s.only[1].count},
                                 .only_examples = {s.only[0].examples[0], s.only[1].examples[0]},
                                 .compared = s.compared,
                                 .failed = s.failed,
                                 .identical = s.identical,
                                 .paired = s.paired,
                                 .mean = s.mean,
                                 .mean_low = s.mean_low,
                                 .mean_high = s.mean_high,
                                 .mean_interval = s.mean_interval,
                                 .apart = s.apart,
                                 .first_faster = s.first_faster,
                                 .second_faster = s.second_faster,
                                 .level = c->options.terms.rules.level,
                                 .correlation = s.correlation,
                                 .needed = s.needed,
                                 .has_bests = s.has_bests,
                                 .ratio_of_bests = s.ratio_of_bests,
                                 .launches = s.launches,
                                 .elapsed_ns = s.elapsed_ns,
                                 .cancelled = s.cancelled,
                                 .broken = c->broken.code ? c->broken.text : NULL};
    return out->date && fill_sides(c, out) && fill_rows(c, &s, out);
}

// ---- why ---------------------------------------------------------------------------------------

static const struct compare_record *named(struct comparing *c, const char *configuration,
                                          struct error *e)
{
    size_t count;
    const struct compare_record *const *records = compare_records(c->compare, &count);
    const struct spec *spec = c->sides[0].tuning.work.spec;
    uint32_t *wanted = arena_array(&c->arena, spec->parameter_count + 1, sizeof *wanted);
    if (!wanted) {
        error_memory(e);
        return NULL;
    }
    for (uint32_t i = 0; i < spec->parameter_count; i++)
        wanted[i] = UINT32_MAX;
    if (!spec_parse_configuration(spec, configuration, wanted, e)) {
        error_context(e, "--why");
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        bool fits = records[i]->compared;
        for (uint32_t p = 0; p < spec->parameter_count; p++)
            fits =
                fits && (wanted[p] == UINT32_MAX || wanted[p] == records[i]->entries[0].choice[p]);
        if (fits)
            return records[i];
    }
    error_set(e, ERROR_USAGE, "--why: no configuration that was compared has %s", configuration);
    return NULL;
}

// The fastest on either side.
static const struct compare_record *fastest(struct comparing *c, struct error *e)
{
    size_t count;
    const struct compare_record *const *records = compare_records(c->compare, &count);
    const struct compare_record *best = NULL;
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        const struct compare_entry *entries = records[i]->entries;
        if (!records[i]->compared ||
            fmin(entries[0].stats.median, entries[1].stats.median) >= least)
            continue;
        least = fmin(entries[0].stats.median, entries[1].stats.median);
        best = records[i];
    }
    if (!best)
        error_set(e, ERROR_DEVICE, "--why: there is nothing that both sides ran");
    return best;
}

static bool load(struct comparing *c, const struct compare_record *record,
                 bool (*step)(void *context), void *context, struct error *e)
{
    const struct compare_record *records[COMPARE_SIDES];
    for (uint32_t i = 0; i < c->count; i++)
        records[i] = record;
    if (!compare_load(c->compare, records, e))
        return false;
    while (step(context))
        ;
    return true;
}

// One side's program, as its worker hands it over.
struct handed {
    struct text binary, ptx;
    char target[32];
};

#define HANDED_INIT                                                                                \
    {                                                                                              \
        .binary = TEXT_INIT, .ptx = TEXT_INIT                                                      \
    }

static bool fetch_side(struct comparing *c, uint32_t side, struct handed *h, struct why_build *out,
                       struct error *e)
{
    const struct device_info *d = c->sides[side].tuning.work.device;
    *out = (struct why_build){.label = text_cstr(&c->sides[side].label)};
    if (!compare_fetch(c->compare, side, FETCH_BINARY, &out->kernel, &h->binary, e) ||
        !compare_fetch(c->compare, side, FETCH_PTX, &out->kernel, &h->ptx, e))
        return false;
    out->binary = h->binary.data;
    out->length = h->binary.length;
    if (code_is_ptx(text_cstr(&h->ptx), h->ptx.length)) {
        out->ptx = h->ptx.data;
        out->ptx_length = h->ptx.length;
    }
    why_target(d->capability, h->target);
    out->target = d->capability ? h->target : NULL;
    return true;
}

static bool take_apart(struct comparing *c, struct view_why *out, struct error *e)
{
    struct why_build builds[2];
    struct handed sides[2] = {HANDED_INIT, HANDED_INIT};
    const struct work *w = &c->sides[0].tuning.work;
    struct code_tools tools = {.scratch = w->environment.scratch.path};
    bool ok = true;
    for (uint32_t i = 0; ok && i < 2; i++)
        ok = fetch_side(c, i, &sides[i], &builds[i], e);
    ok = ok && why_make(builds, 2, &tools, out, e);
    for (uint32_t i = 0; i < 2; i++) {
        text_release(&sides[i].binary);
        text_release(&sides[i].ptx);
    }
    return ok;
}

int comparing_why(struct comparing *c, const char *configuration, struct view_why *out,
                  bool (*step)(void *context), void *context)
{
    struct error e = ERROR_INIT;
    const struct compare_record *record =
        configuration ? named(c, configuration, &e) : fastest(c, &e);
    bool ok = record && load(c, record, step, context, &e) && !c->broken.code;
    if (ok)
        ok = take_apart(c, out, &e);
    if (ok)
        return EXIT_DONE;
    return e.code ? work_failed(&e) : EXIT_NOTHING;
}
