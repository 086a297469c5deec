#include "stored.h"

#include "measure/stats.h"

#include <stdlib.h>
#include <string.h>

#define RUNS_NAMED 8

// What is collected from the rows, which come newest first.
struct collecting {
    const char *wanted; // part of the session's id; NULL: all sessions
    struct store_counting counting;
    bool results; // they are kept
    struct arena *arena;
    struct stored *out;
    size_t room;
    char session[33]; // the one found
    bool several;     // runs begin with `wanted`
    char runs[RUNS_NAMED][33];
    size_t run_count;
    struct text named; // a line for each of them
    bool failed;
};

static const char *copy(struct collecting *c, const char *text)
{
    const char *own = arena_strdup(c->arena, text);
    c->failed |= !own;
    return own ? own : "";
}

// ---- runs --------------------------------------------------------------------------------------

static void name_run(struct collecting *c, const struct store_row *row)
{
    for (size_t i = 0; i < c->run_count; i++) {
        if (str_equal(c->runs[i], row->session))
            return;
    }
    if (c->run_count == RUNS_NAMED)
        return;
    str_format(c->runs[c->run_count++], sizeof c->runs[0], "%s", row->session);
    text_addf(&c->named, "\n  %.8s  %s  %s  %s", row->session, row->date, row->device,
              row->command);
}

// Is the row of the run that is wanted?
static bool is_of_run(struct collecting *c, const struct store_row *row)
{
    if (!c->wanted)
        return true;
    name_run(c, row);
    bool fits = str_equal(c->wanted, "last") ? !c->session[0] || str_equal(c->session, row->session)
                                             : str_starts(row->session, c->wanted);
    if (fits && !c->session[0]) {
        str_format(c->session, sizeof c->session, "%s", row->session);
        c->out->session = copy(c, row->session);
        c->out->date = copy(c, row->date);
        c->out->command = copy(c, row->command);
        c->out->device = copy(c, row->device);
        c->out->driver = copy(c, row->driver);
        c->out->constants = copy(c, row->constants);
    }
    c->several |= fits && !str_equal(c->session, row->session);
    return fits && str_equal(c->session, row->session);
}

// ---- rows --------------------------------------------------------------------------------------

static bool is_known(const struct stored *s, const struct store_row *row)
{
    for (size_t i = 0; i < s->count; i++) {
        if (str_equal(s->entries[i].configuration_json, row->configuration_json))
            return true;
    }
    return false;
}

static bool make_room(struct collecting *c)
{
    if (c->out->count < c->room)
        return true;
    size_t room = c->room ? 2 * c->room : 64;
    struct stored_entry *grown = realloc(c->out->entries, room * sizeof *grown);
    if (!grown)
        return false;
    c->out->entries = grown;
    c->room = room;
    return true;
}

static void add(struct collecting *c, const struct store_row *row)
{
    const uint64_t *samples;
    uint32_t count;
    bool timed = result_samples(row->result, &samples, &count) && count > 0;
    c->failed |= !make_room(c);
    if (c->failed)
        return;
    struct stored_entry *n = &c->out->entries[c->out->count++];
    *n = (struct stored_entry){.configuration = copy(c, row->configuration),
                               .configuration_json = copy(c, row->configuration_json),
                               .result = c->results ? result_clone(row->result) : NULL,
                               .median = timed ? stats_median(samples, count) : 0};
    c->failed |= c->results && !n->result;
    if (n->result)
        n->result->reused = true;
}

static bool collect(void *context, const struct store_row *row)
{
    struct collecting *c = context;
    bool fits = store_row_counts(row, &c->counting) && is_of_run(c, row);
    if (fits && !is_known(c->out, row))
        add(c, row);
    return !c->failed;
}

// ---- a run -------------------------------------------------------------------------------------

static bool refuse(const struct collecting *c, const struct spec *spec, struct error *e)
{
    if (c->several)
        return error_set(e, ERROR_USAGE, "several runs begin with '%s':%s", c->wanted,
                         text_cstr(&c->named));
    if (c->run_count == 0)
        return error_set(e, ERROR_USAGE, "the store has no results of %s", spec->name);
    return error_set(e, ERROR_USAGE, "no run of %s begins with '%s'; the newest are:%s", spec->name,
                     c->wanted, text_cstr(&c->named));
}

bool stored_run(struct store *s, const char *wanted, const struct spec *spec, struct arena *a,
                struct stored *out, struct error *e)
{
    struct collecting c = {
        .wanted = wanted, .results = true, .arena = a, .out = out, .named = TEXT_INIT};
    struct store_query query = {.spec_name = spec->name, .all_runs = true};
    memset(out, 0, sizeof *out);
    bool ok = store_each(s, &query, collect, &c, e);
    if (ok && (c.failed || c.named.failed))
        ok = error_memory(e);
    if (ok && (c.several || out->count == 0))
        ok = refuse(&c, spec, e);
    text_release(&c.named);
    return ok;
}

void stored_release(struct stored *s)
{
    for (size_t i = 0; i < s->count; i++)
        result_free(s->entries[i].result);
    free(s->entries);
    s->entries = NULL;
    s->count = 0;
}

// ---- the fastest -------------------------------------------------------------------------------

static void identify(const struct device_info *device, char out[65])
{
    struct digest digest;
    device_info_digest(device, &digest);
    digest_hex(&digest, out);
}

// Those without a time last.
static int by_median(const void *a, const void *b)
{
    const struct stored_entry *x = a, *y = b;
    if ((x->median > 0) != (y->median > 0))
        return x->median > 0 ? -1 : 1;
    if (x->median != y->median)
        return x->median < y->median ? -1 : 1;
    return strcmp(x->configuration, y->configuration);
}

bool stored_fastest(struct store *s, const struct spec *spec, const struct device_info *device,
                    bool cold, size_t most, struct arena *a, struct stored *out, struct error *e)
{
    char identity[65];
    struct text constants = TEXT_INIT;
    struct collecting c = {.counting = {.device_identity = identity,
                                        .inputs = cold ? STORE_INPUTS_COLD : STORE_INPUTS_WARM},
                           .arena = a,
                           .out = out,
                           .named = TEXT_INIT};
    memset(out, 0, sizeof *out);
    identify(device, identity);
    spec_constants_text(spec, &constants);
    struct store_query query = {.spec_name = spec->name, .constants = text_cstr(&constants)};
    bool ok = !constants.failed ? store_each(s, &query, collect, &c, e) : error_memory(e);
    text_release(&constants);
    if (!ok || c.failed)
        return ok ? error_memory(e) : false;
    if (out->count > 0)
        qsort(out->entries, out->count, sizeof *out->entries, by_median);
    size_t timed = 0;
    while (timed < out->count && timed < most && out->entries[timed].median > 0)
        timed++;
    out->count = timed;
    return true;
}
