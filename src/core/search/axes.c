// Axes: each parameter's values sorted by number where all have one; moves by one step or to any
// value go along these.
#include "search/axes.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#define HANDFUL    32
#define TWOS_LEAST 9 // values; of a shorter list each one may be a case of its own anyway
#define WHOLE_MOST 0x1p53

struct numbered {
    double number;
    uint32_t value;
};

static int compare_numbered(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

// The values in the order of their numbers, or as they stand where one is none.
static bool order_values_of(const struct parameter *p, struct numbered *list)
{
    bool numbers = true;
    for (uint32_t i = 0; i < p->count; i++) {
        list[i] = (struct numbered){.value = i};
        numbers = numbers && value_to_f64(&p->values[i], &list[i].number);
    }
    if (numbers)
        qsort(list, p->count, sizeof *list, compare_numbered);
    return numbers;
}

// How often 2 divides it; 0 of what is no whole number.
static unsigned twos_of(double number)
{
    unsigned twos = 0;
    if (!(fabs(number) < WHOLE_MOST) || number != floor(number) || number == 0)
        return 0;
    for (int64_t rest = (int64_t)number; rest % 2 == 0; rest /= 2)
        twos++;
    return twos;
}

// False without memory.
static bool find_twos(struct axes *x, struct axis *a, const struct numbered *list)
{
    unsigned least = UINT_MAX, most = 0, before = 0;
    bool grows = true;
    for (uint32_t k = 0; k < a->count; k++) {
        unsigned twos = twos_of(list[k].number);
        least = twos < least ? twos : least;
        most = twos > most ? twos : most;
        grows = grows && twos >= before;
        before = twos;
    }
    if (!a->ordered || a->count < TWOS_LEAST || grows)
        return true;
    float *twos = arena_array(&x->arena, a->count, sizeof *twos);
    for (uint32_t k = 0; twos && k < a->count; k++)
        twos[list[k].value] = (float)(twos_of(list[k].number) - least) / (float)(most - least);
    a->twos = twos;
    x->twos++;
    return twos != NULL;
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
        const struct parameter *p = &s->parameters[i];
        struct axis *out = &items[x->count];
        uint32_t *order = arena_array(&x->arena, p->count, sizeof *order);
        uint32_t *place = arena_array(&x->arena, p->count, sizeof *place);
        struct numbered *list = malloc(p->count * sizeof *list);
        bool ok = order && place && list;
        if (ok)
            *out = (struct axis){.parameter = i,
                                 .count = p->count,
                                 .ordered = order_values_of(p, list),
                                 .order = order,
                                 .place = place};
        ok = ok && find_twos(x, out, list);
        for (uint32_t k = 0; ok && k < p->count; k++) {
            order[k] = list[k].value;
            place[order[k]] = k;
        }
        free(list);
        if (!ok)
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

double axis_roughness(const struct axis *a)
{
    if (!a->ordered)
        return INFINITY;
    return a->count < HANDFUL ? 1 : HANDFUL / (double)a->count;
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
