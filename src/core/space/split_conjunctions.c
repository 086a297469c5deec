// Splits restrictions that are conjunctions and too large for a small table, and remembers which
// part came from which, so that faults and blame are told of the restriction that was written.
#include "space/split_conjunctions.h"

#include "expr/graph.h"

struct parts {
    const struct expr **items;
    uint32_t count; // 0: it stays whole
};

static bool is_large_table(const struct problem *p, const struct restriction *r, uint64_t most)
{
    uint64_t cells = 1;
    for (uint32_t i = 0; i < r->parameter_count; i++) {
        if (__builtin_mul_overflow(cells, p->spec->parameters[r->parameters[i]].count, &cells))
            return true;
    }
    return cells > most;
}

static bool find_conjuncts(struct split *s, const struct problem *p, const struct value *slots,
                           uint64_t cells, struct parts *parts)
{
    struct graph_slot *described = NULL;
    for (uint32_t r = 0; r < p->restriction_count; r++) {
        const struct restriction *whole = &p->restrictions[r];
        if (whole->kind != RESTRICTION_FORMULA || !is_large_table(p, whole, cells))
            continue;
        if (!described) {
            // Every value that a slot may get.
            const struct spec *spec = p->spec;
            struct graph_slot *list =
                arena_array(&s->problem.arena, (size_t)spec->slots.count + 1, sizeof *list);
            for (uint32_t i = 0; list && i < spec->slots.count; i++)
                list[i] = (struct graph_slot){.values = &slots[i], .count = 1};
            for (uint32_t i = 0; list && i < spec->derived_count; i++)
                list[spec->slots.derived + i].definition = spec->derived[i].expr;
            for (uint32_t i = 0; list && i < spec->parameter_count; i++)
                list[spec->slots.parameters + i] =
                    (struct graph_slot){.stage = 1,
                                        .values = spec->parameters[i].values,
                                        .count = spec->parameters[i].count};
            described = list;
        }
        if (!described || !graph_split(&s->problem.arena, whole->formula->expr, described,
                                       p->spec->slots.count, &parts[r].items, &parts[r].count))
            return false;
    }
    return true;
}

static bool add_parts(struct split *s, const struct problem *p, const struct parts *parts,
                      const bool *skip)
{
    struct problem *to = &s->problem;
    for (uint32_t r = 0; r < p->restriction_count; r++) {
        uint32_t first = to->restriction_count;
        for (uint32_t i = 0; i < parts[r].count; i++) {
            const struct restriction *whole = &p->restrictions[r];
            struct formula *f = arena_copy(&s->problem.arena, whole->formula, sizeof *f);
            if (!f)
                return false;
            f->expr = (struct expr *)parts[r].items[i];
            struct restriction part = {
                .kind = RESTRICTION_FORMULA, .formula = f, .where = whole->where};
            if (!problem_add(&s->problem, &part, NULL))
                return false;
        }
        if (parts[r].count == 0)
            to->restrictions[to->restriction_count++] = p->restrictions[r];
        for (uint32_t i = first; i < to->restriction_count; i++) {
            s->whole[i] = r;
            s->skip[i] = skip && skip[r];
        }
    }
    return true;
}

bool split_init(struct split *s, const struct problem *p, const struct value *slots, uint64_t cells,
                const bool *skip)
{
    *s = (struct split){.problem = *p};
    struct arena *a = &s->problem.arena;
    arena_init(a);
    struct parts *parts = arena_array(a, (size_t)p->restriction_count + 1, sizeof *parts);
    if (!parts || !find_conjuncts(s, p, slots ? slots : p->slots, cells, parts))
        return false;
    size_t count = 1;
    for (uint32_t r = 0; r < p->restriction_count; r++)
        count += parts[r].count > 0 ? parts[r].count : 1;
    s->problem.restrictions = arena_array(a, count, sizeof *s->problem.restrictions);
    s->problem.restriction_count = 0;
    s->whole = arena_array(a, count, sizeof *s->whole);
    s->skip = arena_array(a, count, sizeof *s->skip);
    return s->problem.restrictions && s->whole && s->skip && add_parts(s, p, parts, skip);
}

void split_release(struct split *s)
{
    arena_release(&s->problem.arena);
}
