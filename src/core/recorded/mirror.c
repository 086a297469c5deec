// A recording as another author might have written it: each list of values the other way round and shuffled.

#include "base/random.h"
#include "recorded/recorded.h"

#include <stdlib.h>

// Numbers change their sign, so that up is down. A text has no direction.
static struct value inverted(const struct value *v)
{
    return v->kind == VALUE_INT && v->i > INT64_MIN ? value_int(-v->i)
           : v->kind == VALUE_FLOAT                 ? value_float(-v->f)
           : v->kind == VALUE_BOOL                  ? value_bool(!v->i)
                                                    : *v;
}

// place[] of each of the values in the new list, which is shuffled by a stream of its own; 0: it is not.
static bool mirror_parameter(struct recorded *m, const struct parameter *from, struct parameter *to,
                             uint64_t *place, uint64_t stream)
{
    struct rng rng;
    struct value *values = arena_array(&m->arena, from->count, sizeof *values);
    if (!values)
        return false;
    rng_init(&rng, 0, stream);
    for (uint32_t i = 0; i < from->count; i++)
        place[i] = i;
    if (stream > 0)
        rng_shuffle(&rng, place, from->count);
    for (uint32_t i = 0; i < from->count; i++)
        values[place[i]] = inverted(&from->values[i]);
    *to = *from;
    to->values = values;
    return true;
}

static bool mirror_all(struct recorded *m, const struct recorded *r, bool shuffled, uint64_t *place)
{
    uint32_t columns = r->parameter_count;
    struct parameter *parameters =
        arena_copy(&m->arena, r->parameters, columns * sizeof *parameters);
    struct recorded_row *rows = arena_copy(&m->arena, r->rows, r->count * sizeof *rows);
    uint32_t *choices = arena_array(&m->arena, r->count * columns + 1, sizeof *choices);
    if (!parameters || !rows || !choices)
        return false;
    for (uint32_t i = 0; i < columns; i++) {
        if (!mirror_parameter(m, &r->parameters[i], &parameters[i], place, shuffled ? i + 1 : 0))
            return false;
        for (uint64_t k = 0; k < r->count; k++)
            choices[k * columns + i] = (uint32_t)place[r->rows[k].choice[i]];
    }
    for (uint64_t k = 0; k < r->count; k++)
        rows[k].choice = choices + k * columns;
    m->parameters = parameters;
    m->rows = rows;
    return true;
}

struct recorded *recorded_mirror(const struct recorded *r, bool shuffled, struct error *e)
{
    uint32_t most = 1;
    struct recorded *m = malloc(sizeof *m);
    for (uint32_t i = 0; i < r->parameter_count; i++)
        most = r->parameters[i].count > most ? r->parameters[i].count : most;
    uint64_t *place = calloc(most, sizeof *place);
    if (m) {
        *m = *r;
        arena_init(&m->arena);
    }
    bool ok = m && place && mirror_all(m, r, shuffled, place);
    free(place);
    if (ok)
        return m;
    recorded_free(m);
    return error_no_memory(e);
}
