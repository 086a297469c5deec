// Sources: the values of a recorded space by an objective, row by row.
#include "workflows/elsewhere.h"

#include "base/array.h"
#include "search/objective.h"
#include "workflows/tune/replay.h"

#include <math.h>
#include <stdlib.h>

static double value_of_row(const struct objectives *g, const struct spec *spec,
                           const struct recorded_row *row)
{
    const struct spec_measured measured = {
        .time_ns = row->time_ns, .joule = NAN, .recorded = row->measurements};
    double value;
    if (row->status != STATUS_CORRECT ||
        !objective_values(g, spec, row->choice, NULL, &measured, &value))
        return NAN;
    return objective_value(g, &value, NULL);
}

static struct source *make_source(const struct space *space, const struct recorded *from,
                                  const struct spec *spec, const struct objectives *g,
                                  const char *name, struct text *why, struct error *e)
{
    struct source_row *rows = calloc(from->count, sizeof *rows);
    const char *reason = NULL;
    if (!rows)
        return error_no_memory(e);
    for (uint64_t i = 0; i < from->count; i++)
        rows[i] = (struct source_row){from->rows[i].choice, value_of_row(g, spec, &from->rows[i])};
    const struct source_setup setup = {.space = space,
                                       .name = name,
                                       .parameters = from->parameters,
                                       .parameter_count = from->parameter_count,
                                       .rows = rows,
                                       .count = from->count};
    struct source *made = source_new(&setup, &reason, e);
    if (reason)
        text_add(why, reason);
    free(rows);
    return made;
}

bool sources_add(struct sources *s, const struct space *space, const struct recorded *from,
                 const char *objective, const char *name, struct text *why, struct error *e)
{
    struct objectives g;
    struct error none = ERROR_INIT;
    if (!ARRAY_ROOM(s->items, s->room, s->count + 1))
        return error_memory(e);
    struct spec *spec = replay_spec(from, e);
    if (!spec)
        return false;
    struct source *made = NULL;
    if (!objective_parse(objective, spec, &g, &none) || g.count > 1)
        text_add(why, none.code ? none.text : "several objectives have no one best");
    else
        made = make_source(space, from, spec, &g, name, why, e);
    spec_free(spec);
    if (made)
        s->items[s->count++] = made;
    return e->code == ERROR_NONE;
}

const struct source *const *sources_list(const struct sources *s)
{
    return (const struct source *const *)s->items;
}

void sources_release(struct sources *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        source_free(s->items[i]);
    free(s->items);
    *s = (struct sources){.items = NULL};
}
