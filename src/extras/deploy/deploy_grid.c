// The grid of a device: configurations by their texts, and a list of times.
#include "extras/deploy/deploy_inside.h"

#include <stddef.h>

uint32_t grid_candidate(struct deploy_grid *g, const char *text)
{
    for (uint32_t i = 0; i < g->count; i++) {
        if (str_equal(g->texts[i], text))
            return i;
    }
    if (!ARENA_ROOM(g->arena, g->texts, g->text_capacity, g->count + (size_t)1) ||
        !ARENA_ROOM(g->arena, g->costs, g->cost_capacity, g->count + (size_t)1) ||
        !(g->texts[g->count] = arena_strdup(g->arena, text)))
        return DEPLOY_NONE;
    g->costs[g->count] = (struct deploy_cost){-1, -1, -1, -1};
    return g->count++;
}

bool grid_put(struct deploy_grid *g, const char *text, const struct grid_cell *cell,
              const struct result *r)
{
    uint32_t candidate = grid_candidate(g, text);
    if (candidate == DEPLOY_NONE ||
        !ARENA_ROOM(g->arena, g->cells, g->cell_capacity, g->cell_count + 1))
        return false;
    g->cells[g->cell_count] = *cell;
    g->cells[g->cell_count++].candidate = candidate;
    if (r)
        g->costs[candidate] = (struct deploy_cost){
            result_largest_resource(r, offsetof(struct resources, spill_bytes)),
            result_largest_resource(r, offsetof(struct resources, registers)),
            result_largest_resource(r, offsetof(struct resources, local_bytes)),
            result_largest_resource(r, offsetof(struct resources, private_bytes))};
    return true;
}

const struct grid_cell *grid_find(const struct deploy_grid *g, uint32_t row, uint32_t candidate)
{
    for (size_t i = 0; i < g->cell_count; i++) {
        if (g->cells[i].row == row && g->cells[i].candidate == candidate)
            return &g->cells[i];
    }
    return NULL;
}
