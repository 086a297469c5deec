// Reads a comparison's stored side: the results of one run of hone, or the fastest configurations
// of this device.

#include "workflows/stored.h"

#include "base/array.h"
#include "store/query/query.h"

#include <stdlib.h>
#include <string.h>

#define RUNS_NAMED 8

// ---- a run -------------------------------------------------------------------------------------

struct collecting {
    struct arena *arena;
    struct stored *out;
    size_t room;
    bool failed; // no memory
};

static bool add_stored(void *context, const struct store_row *row)
{
    struct collecting *c = context;
    struct stored *s = c->out;
    c->failed = !ARRAY_ROOM(s->entries, c->room, s->count + 1);
    if (c->failed)
        return false;
    struct stored_entry *n = &s->entries[s->count++];
    *n =
        (struct stored_entry){.configuration = arena_strdup(c->arena, row->configuration),
                              .configuration_json = arena_strdup(c->arena, row->configuration_json),
                              .result = result_clone(row->result)};
    c->failed = !n->configuration || !n->configuration_json || !n->result;
    if (n->result)
        n->result->reused = true;
    return !c->failed;
}

// Names the newest runs where none is meant, or several are.
static bool refuse_run(const struct store_row *runs, size_t count, const char *wanted, bool several,
                       const struct spec *spec, struct error *e)
{
    struct text named = TEXT_INIT;
    for (size_t i = 0; i < count && i < RUNS_NAMED; i++)
        text_addf(&named, "\n  %.8s  %s  %s  %s", runs[i].session, runs[i].date, runs[i].device,
                  runs[i].command);
    if (several)
        error_set(e, ERROR_USAGE, "several runs begin with '%s':%s", wanted, text_cstr(&named));
    else if (count == 0)
        error_set(e, ERROR_USAGE, "the store has no results of %s", spec->name);
    else
        error_set(e, ERROR_USAGE, "no run of %s begins with '%s'; the newest are:%s", spec->name,
                  wanted, text_cstr(&named));
    text_release(&named);
    return false;
}

bool stored_run(struct store *s, const char *wanted, const struct spec *spec, struct arena *a,
                struct stored *out, struct error *e)
{
    struct store_row *runs;
    const struct store_row *found = NULL;
    size_t count, fitting = 0;
    memset(out, 0, sizeof *out);
    if (!store_runs(s, spec->name, a, &runs, &count, e))
        return false;
    bool is_last = str_equal(wanted, "last");
    for (size_t i = 0; i < count && !(is_last && fitting); i++) {
        if (!is_last && !str_starts(runs[i].session, wanted))
            continue;
        found = fitting ? found : &runs[i];
        fitting++;
    }
    if (fitting != 1)
        return refuse_run(runs, count, wanted, fitting > 1, spec, e);
    out->session = found->session;
    out->date = found->date;
    out->command = found->command;
    out->device = found->device;
    out->driver = found->driver;
    out->constants = found->constants;
    struct collecting c = {.arena = a, .out = out};
    const struct store_query q = {.spec_name = spec->name,
                                  .session = found->session_bytes,
                                  .all_runs = true,
                                  .logs = true,
                                  .today = true,
                                  .newest = STORE_NEWEST_OF_CONFIGURATION};
    return store_each(s, &q, add_stored, &c, e) && (!c.failed || error_memory(e));
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

bool stored_fastest(struct store *s, const struct spec *spec, const struct device_info *device,
                    bool cold, size_t most, struct arena *a, const char ***out, size_t *count,
                    struct error *e)
{
    struct digest identity;
    struct store_fastest *list = NULL;
    struct text constants = TEXT_INIT;
    device_info_digest(device, &identity);
    spec_constants_text(spec, &constants);
    const struct store_query q = {.spec_name = spec->name,
                                  .constants = text_cstr(&constants),
                                  .device_identity = &identity,
                                  .today = true,
                                  .inputs = cold ? STORE_INPUTS_COLD : STORE_INPUTS_WARM,
                                  .telling = true,
                                  .newest = STORE_NEWEST_OF_CONFIGURATION};
    bool ok = constants.failed ? error_memory(e) : store_fastest(s, &q, a, &list, count, e);
    text_release(&constants);
    if (!ok)
        return false;
    *count = *count < most ? *count : most;
    *out = arena_array(a, *count + 1, sizeof(char *));
    for (size_t i = 0; *out && i < *count; i++)
        (*out)[i] = list[i].configuration;
    return *out || error_memory(e);
}
