#include "made.h"

#include <check.h>
#include <math.h>
#include <string.h>

static const char *const names[MADE_PARAMETERS] = {"p0", "p1", "p2", "p3"};

static void make_parameter(struct made *m, uint32_t i, uint32_t count)
{
    struct value *values = arena_array(&m->recorded.arena, count, sizeof *values);
    ck_assert_ptr_nonnull(values);
    for (uint32_t v = 0; v < count; v++)
        values[v] = value_int(v);
    m->parameters[i] = (struct parameter){.name = names[i],
                                          .path = names[i],
                                          .type = PARAMETER_INT,
                                          .values = values,
                                          .count = count};
}

void made_init(struct made *m, const uint32_t *counts, uint32_t parameters, made_row *fill)
{
    struct recorded *r = &m->recorded;
    memset(m, 0, sizeof *m);
    arena_init(&r->arena);
    r->count = 1;
    for (uint32_t i = 0; i < parameters; i++) {
        make_parameter(m, i, counts[i]);
        r->count *= counts[i];
    }
    struct recorded_row *rows = arena_array(&r->arena, r->count, sizeof *rows);
    uint32_t *choices = arena_array(&r->arena, r->count * parameters, sizeof *choices);
    ck_assert(rows && choices);
    for (uint64_t i = 0; i < r->count; i++, choices += parameters) {
        uint64_t rest = i;
        for (uint32_t p = parameters; p-- > 0; rest /= counts[p])
            choices[p] = (uint32_t)(rest % counts[p]);
        rows[i] = (struct recorded_row){.choice = choices,
                                        .status = STATUS_CORRECT,
                                        .time_ns = NAN,
                                        .costs = {NAN, NAN, NAN, NAN, NAN},
                                        .message = ""};
        fill(choices, &rows[i]);
        r->correct += rows[i].status == STATUS_CORRECT;
    }
    r->path = "made.json";
    r->name = "made";
    r->device = "no device";
    r->constants = "";
    r->statistic = "mean";
    r->parameters = m->parameters;
    r->parameter_count = parameters;
    r->rows = rows;
}

void made_release(struct made *m)
{
    arena_release(&m->recorded.arena);
}
