#include "search/axes.h"

// Insertion sort: equal numbers (1 and 1.0 are one value) do not come, lists are short.
static bool sort_values(const struct parameter *p, uint32_t *order)
{
    double number, other;
    for (uint32_t i = 0; i < p->count; i++) {
        if (!value_to_f64(&p->values[i], &number))
            return false;
    }
    for (uint32_t i = 1; i < p->count; i++) {
        uint32_t moving = order[i], at = i;
        value_to_f64(&p->values[moving], &number);
        while (at > 0 && value_to_f64(&p->values[order[at - 1]], &other) && other > number) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = moving;
    }
    return true;
}

static bool make_axis(struct axes *x, const struct parameter *p, struct axis *out)
{
    uint32_t *order = arena_array(&x->arena, p->count, sizeof *order);
    uint32_t *place = arena_array(&x->arena, p->count, sizeof *place);
    if (!order || !place)
        return false;
    for (uint32_t i = 0; i < p->count; i++)
        order[i] = i;
    out->ordered = sort_values(p, order);
    for (uint32_t i = 0; i < p->count; i++)
        place[order[i]] = i;
    out->count = p->count;
    out->order = order;
    out->place = place;
    return true;
}

bool axes_init(struct axes *x, const struct spec *s)
{
    *x = (struct axes){.parameters = s->parameter_count};
    arena_init(&x->arena);
    struct axis *items = arena_array(&x->arena, s->parameter_count + 1, sizeof *items);
    if (!items)
        return false;
    x->items = items;
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        if (s->parameters[i].count < 2)
            continue;
        items[x->count].parameter = i;
        if (!make_axis(x, &s->parameters[i], &items[x->count]))
            return false;
        x->steps += s->parameters[i].count - 1;
        x->count++;
    }
    return true;
}

void axes_release(struct axes *x)
{
    arena_release(&x->arena);
}

void axes_change(const struct axes *x, uint64_t step, uint32_t *choice)
{
    for (uint32_t i = 0; i < x->count; i++) {
        uint32_t others = x->items[i].count - 1;
        if (step < others) {
            uint32_t *value = &choice[x->items[i].parameter];
            *value = (uint32_t)step < *value ? (uint32_t)step : (uint32_t)step + 1;
            return;
        }
        step -= others;
    }
}

void axes_mutate(const struct axes *x, uint32_t axis, struct rng *r, uint32_t *choice)
{
    const struct axis *a = &x->items[axis];
    uint32_t place = a->place[choice[a->parameter]], next;
    uint32_t draw = rng_u32(r);
    if (a->ordered && (draw & 1)) {
        bool up = place == 0 || (place + 1 < a->count && (draw & 2));
        next = up ? place + 1 : place - 1;
    } else {
        next = (uint32_t)rng_below(r, a->count - 1);
        next += next >= place;
    }
    choice[a->parameter] = a->order[next];
}
