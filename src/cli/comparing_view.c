// Shows the results of a comparison, and the builds of one of its configurations side by side.
#include "cli/run_workflow.h"
#include "cli/comparing.h"

#define ROWS 40 // of the table, without --verbose

#include <math.h>

bool comparing_report(struct comparing *c, struct compare_report *out)
{
    const char **routines = arena_array(&c->arena, c->count, sizeof *routines);
    for (uint32_t i = 0; routines && i < c->count; i++)
        routines[i] = c->sides[i].against.text;
    work_about(&c->sides[0].work, &c->sides[0].work.broken, &c->sides[0].work.about);
    *out = (struct compare_report){.about = &c->sides[0].work.about,
                                   .sides = c->parts,
                                   .routines = routines,
                                   .side_count = c->count,
                                   .compare = c->compare,
                                   .of_specs = c->of_specs,
                                   .most = c->settings->verbose ? 0 : ROWS};
    compare_view(c->compare, &out->found);
    return routines && c->sides[0].work.about.date;
}

// ---- why ---------------------------------------------------------------------------------------

static const struct compare_record *named(struct comparing *c, const char *configuration,
                                          struct error *e)
{
    struct compare_view found;
    const struct spec *spec = c->sides[0].work.spec;
    uint32_t *wanted = arena_array(&c->arena, spec->parameter_count + 1, sizeof *wanted);
    if (!wanted)
        return error_no_memory(e);
    for (uint32_t i = 0; i < spec->parameter_count; i++)
        wanted[i] = UINT32_MAX;
    if (!spec_parse_configuration(spec, configuration, wanted, e)) {
        error_context(e, "--why");
        return NULL;
    }
    compare_view(c->compare, &found);
    for (size_t i = 0; i < found.count; i++) {
        const struct compare_record *r = found.records[i];
        bool fits = r->compared;
        for (uint32_t p = 0; p < spec->parameter_count; p++)
            fits = fits && (wanted[p] == UINT32_MAX || wanted[p] == r->entries[0].choice[p]);
        if (fits)
            return r;
    }
    error_set(e, ERROR_USAGE, "--why: no configuration that was compared has %s", configuration);
    return NULL;
}

// The fastest on either side.
static const struct compare_record *fastest(struct comparing *c, struct error *e)
{
    struct compare_view found;
    const struct compare_record *best = NULL;
    double least = INFINITY;
    compare_view(c->compare, &found);
    for (size_t i = 0; i < found.count; i++) {
        const struct compare_entry *entries = found.records[i]->entries;
        if (!found.records[i]->compared ||
            fmin(entries[0].stats.median, entries[1].stats.median) >= least)
            continue;
        least = fmin(entries[0].stats.median, entries[1].stats.median);
        best = found.records[i];
    }
    if (!best)
        error_set(e, ERROR_DEVICE, "--why: no configuration ran on both sides");
    return best;
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
    const struct device_info *d = c->sides[side].work.device;
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
    const struct work *w = &c->sides[0].work;
    struct code_tools tools = {.scratch = w->environment.scratch.path};
    bool ok = true;
    for (uint32_t i = 0; ok && i < 2; i++)
        ok = fetch_side(c, i, &sides[i], &builds[i], e);
    struct counters *counted[2] = {NULL, NULL};
    for (uint32_t i = 0; ok && i < 2; i++) {
        counted[i] = compare_count(c->compare, i, &c->arena, e);
        ok = counted[i] != NULL;
    }
    // Counters say something of a binary that cannot be taken apart, too.
    struct error why = ERROR_INIT;
    bool is_counted = ok && (counted[0]->source[0] || counted[1]->source[0]);
    if (ok && !why_make(builds, 2, &tools, out, &why) && !is_counted) {
        *e = why;
        ok = false;
    }
    for (uint32_t i = 0; ok && i < 2; i++)
        out->counters[i] = counted[i];
    for (uint32_t i = 0; i < 2; i++) {
        text_release(&sides[i].binary);
        text_release(&sides[i].ptx);
    }
    return ok;
}

int comparing_why(struct comparing *c, const char *configuration, struct view_why *out,
                  struct running *running)
{
    struct error e = ERROR_INIT;
    const struct compare_record *record =
        configuration ? named(c, configuration, &e) : fastest(c, &e);
    if (record && compare_load(c->compare, record, &e)) {
        workflow_run(running);
        if (!c->sides[0].work.broken.code && take_apart(c, out, &e))
            return EXIT_DONE;
    }
    return e.code ? work_failed(&e) : EXIT_NOTHING;
}
