// The details of a space, for authors of restrictions: more work than making the space.
#include "space/inside.h"
#include "space/solve.h"

#include <stdlib.h>

// The steps (see solve.c) that solving the space without one restriction after the other may take.
#define WITHOUT_EFFORT (UINT64_C(1) << 30)

struct detailing {
    const struct space *space;
    const struct problem *problem;
    struct space_details *out;
    struct filtered filtered;
    struct arena scratch;
    bool *skip;
};

// ---- restrictions ------------------------------------------------------------------------------

static bool add_restrictions(struct detailing *d)
{
    struct space_details *out = d->out;
    out->restriction_count = space_restrictions(d->space, &out->restrictions);
    uint64_t *last = arena_array(&out->arena, out->restriction_count + 1, sizeof *last);
    if (!last || !out->restrictions)
        return false;
    for (uint32_t i = 0, at = 0; i < d->problem->restriction_count; i++) {
        const struct formula *f = d->problem->restrictions[i].formula;
        if (at < out->restriction_count && out->restrictions[at].restriction == f) {
            // How many would be valid besides, were this restriction not there.
            struct diagram without;
            uint64_t effort = WITHOUT_EFFORT / d->problem->restriction_count;
            struct solve_options o = {.skip = d->skip, .effort = &effort};
            d->skip[i] = true;
            enum build_outcome outcome = solve(d->problem, &o, &without, NULL);
            uint64_t more = outcome == BUILD_DONE ? diagram_count(&without) - space_count(d->space)
                                                  : UINT64_MAX;
            diagram_release(&without);
            d->skip[i] = false;
            last[at++] = more;
        }
    }
    out->last = last;
    return true;
}

// ---- groups ------------------------------------------------------------------------------------

// Gives the parameters of every restriction that is not met yet the same number. Only those count
// that have a choice left.
static void join_groups(const struct detailing *d, uint32_t *group)
{
    uint32_t count = d->problem->spec->parameter_count;
    for (uint32_t r = 0; r < d->problem->restriction_count; r++) {
        const struct restriction *restriction = &d->problem->restrictions[r];
        uint32_t first = UINT32_MAX;
        for (uint32_t i = 0; i < restriction->parameter_count && !d->filtered.done[r]; i++) {
            uint32_t parameter = restriction->parameters[i];
            if (d->filtered.domains[parameter].count < 2)
                continue;
            uint32_t other = group[parameter];
            first = first == UINT32_MAX ? other : first;
            for (uint32_t p = 0; p < count; p++)
                group[p] = group[p] == other ? first : group[p];
        }
    }
}

// Paths from a node on that leave the parameters outside the group as they are in `choice`; a node
// is counted once.
static uint64_t count_group(const struct diagram *d, const bool *inside, const uint32_t *choice,
                            uint64_t *counts, uint32_t node, uint32_t layer)
{
    uint64_t sum = 0;
    if (layer == d->layers)
        return 1;
    if (counts[node] > 0)
        return counts[node];
    uint32_t parameter = d->order[layer];
    const struct diagram_edge *edge = &d->edges[d->nodes[node].first];
    const struct diagram_edge *end = edge + d->nodes[node].edges;
    for (; edge < end; edge++) {
        if (inside[parameter] || edge->value == choice[parameter])
            sum += count_group(d, inside, choice, counts, edge->child, layer + 1);
    }
    return counts[node] = sum;
}

// Groups do not restrict each other, so that any configuration will do for the others.
static bool set_group(struct detailing *d, const uint32_t *group, uint32_t number,
                      struct space_group *out)
{
    const struct diagram *diagram = &d->space->diagram;
    uint32_t count = d->problem->spec->parameter_count;
    uint32_t *list = arena_array(&d->out->arena, (size_t)count + 1, sizeof *list);
    bool *inside = arena_array(&d->scratch, (size_t)count + 1, sizeof *inside);
    uint32_t *choice = arena_array(&d->scratch, (size_t)count + 1, sizeof *choice);
    uint64_t *counts = calloc((size_t)diagram->node_count + 1, sizeof *counts);
    bool ok = list && inside && choice && counts;
    *out = (struct space_group){.parameters = list, .combinations = 1};
    for (uint32_t p = 0; ok && p < count; p++) {
        inside[p] = group[p] == number;
        if (!inside[p])
            continue;
        list[out->count++] = p;
        out->combinations *= d->problem->spec->parameters[p].count;
    }
    if (ok) {
        space_get(d->space, 0, choice);
        out->valid = count_group(diagram, inside, choice, counts, diagram->root, 0);
    }
    free(counts);
    return ok;
}

static bool add_groups(struct detailing *d)
{
    uint32_t count = d->problem->spec->parameter_count;
    uint32_t *group = arena_array(&d->scratch, (size_t)count + 1, sizeof *group);
    struct space_group *groups = arena_array(&d->out->arena, (size_t)count + 1, sizeof *groups);
    if (!group || !groups)
        return false;
    for (uint32_t p = 0; p < count; p++)
        group[p] = p;
    join_groups(d, group);
    for (uint32_t p = 0; p < count; p++) {
        bool first = true;
        for (uint32_t before = 0; before < p; before++)
            first = first && group[before] != group[p];
        if (first && !set_group(d, group, group[p], &groups[d->out->group_count++]))
            return false;
    }
    d->out->groups = groups;
    return true;
}

// ---- all of it ---------------------------------------------------------------------------------

static bool detail(struct detailing *d)
{
    const struct diagram *diagram = &d->space->diagram;
    struct evaluator v;
    size_t restrictions = (size_t)d->problem->restriction_count + 1;
    d->skip = arena_array(&d->scratch, restrictions, sizeof *d->skip);
    bool ok = d->skip && evaluator_init(&v, d->problem, NULL);
    if (!ok)
        return false;
    ok = filter(&d->filtered, &d->scratch, NULL, &v);
    evaluator_release(&v);
    if (!ok || !add_restrictions(d) || (space_count(d->space) > 0 && !add_groups(d)))
        return false;
    uint64_t edges = 0;
    for (uint32_t i = 0; diagram->nodes && i < diagram->node_count; i++)
        edges += diagram->nodes[i].edges;
    d->out->edges = edges;
    d->out->nodes = diagram->nodes ? diagram->node_count : 0;
    d->out->bytes = d->out->nodes * sizeof *diagram->nodes + edges * sizeof *diagram->edges;
    return true;
}

bool space_detail(const struct space *sp, struct space_details *out, struct error *e)
{
    struct detailing d = {.space = sp, .problem = &sp->problem, .out = out};
    *out = (struct space_details){.groups = NULL};
    arena_init(&out->arena);
    arena_init(&d.scratch);
    bool ok = detail(&d);
    arena_release(&d.scratch);
    if (ok)
        return true;
    space_details_release(out);
    return error_memory(e);
}

void space_details_release(struct space_details *d)
{
    arena_release(&d->arena);
    *d = (struct space_details){.groups = NULL};
}
