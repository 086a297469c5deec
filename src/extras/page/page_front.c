// Several objectives: their values for each row, and the rows that no other one dominates.
#include "extras/page/page.h"

#include <math.h>

double page_objective_value(const struct page_set *s, const struct page_row *r,
                            const struct objective *o)
{
    if (!r->timed)
        return NAN;
    if (o->metric == OBJECTIVE_TIME)
        return r->median;
    return r->metrics && o->metric < s->metric_count ? r->metrics[o->metric] : NAN;
}

bool page_find_objectives(struct page *p, struct page_set *s, const struct spec *spec,
                          const struct page_choice *choice, struct error *e)
{
    if (!objective_parse(choice ? choice->objective : NULL, spec, &s->objectives, e)) {
        if (e->code == ERROR_MEMORY)
            return false;
        s->no_front = arena_strdup(&p->arena, e->text);
        s->objectives.count = 0;
        s->is_unfit = true;
        error_clear(e);
        return s->no_front || error_memory(e);
    }
    if (s->objectives.count < 2)
        s->no_front = "there is only one objective; --objective min:time,max:NAME gives several";
    return true;
}

bool page_find_front(struct page *p, struct page_set *s, struct error *e)
{
    struct arena a = {0};
    const struct objectives *g = &s->objectives;
    size_t count = 0, width = g->count;
    double *values = arena_array(&a, (s->count + 1) * width, sizeof *values);
    size_t *rows = arena_array(&a, s->count + 1, sizeof *rows);
    bool *member = arena_array(&a, s->count + 1, sizeof *member);
    s->front = arena_array(&p->arena, s->count + 1, sizeof *s->front);
    bool ok = values && rows && member && s->front;
    for (size_t i = 0; ok && i < s->count; i++) {
        bool has_all = true;
        for (size_t k = 0; k < width; k++) {
            values[count * width + k] = page_objective_value(s, &s->rows[i], &g->terms[k]);
            has_all = has_all && isfinite(values[count * width + k]);
        }
        rows[count] = i;
        count += has_all;
    }
    if (ok)
        objective_pareto(g, values, count, member);
    for (size_t i = 0; ok && i < count; i++) {
        if (member[i])
            s->front[s->front_count++] = rows[i];
    }
    arena_release(&a);
    return ok || error_memory(e);
}
