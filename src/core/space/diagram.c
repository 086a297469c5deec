// The diagram in arrays: nodes refer to a run of edges, and each edge carries the number of paths
// before it among its siblings. The i-th path is found by binary search in every layer on the way
// down, a path's index by adding up the same numbers.
#include "space/diagram.h"

#include <stdlib.h>
#include <string.h>

static bool set_nodes(struct diagram *d, const struct intern *nodes)
{
    size_t first = 0;
    d->nodes[DIAGRAM_END] = (struct diagram_node){.count = 1};
    for (uint32_t i = 0; i < nodes->count; i++) {
        uint32_t length;
        const uint32_t *pairs = intern_at(nodes, i, &length);
        // A node's paths are those of its children together: 2^64 or more are refused.
        uint32_t edges = length / 2;
        uint64_t count = 0;
        for (uint32_t k = 0; k < edges; k++) {
            uint32_t child = pairs[2 * k + 1];
            d->edges[first + k] = (struct diagram_edge){count, pairs[2 * k], child};
            if (__builtin_add_overflow(count, d->nodes[child].count, &count))
                return false;
        }
        d->nodes[i + 1] = (struct diagram_node){count, (uint32_t)first, edges};
        first += length / 2;
    }
    return true;
}

bool diagram_init(struct diagram *d, const uint32_t *order, uint32_t layers,
                  const struct intern *nodes, uint32_t root, bool *overflow)
{
    size_t edges = nodes->number_count / 2;
    *d = (struct diagram){.layers = layers, .node_count = nodes->count + 1, .root = root};
    *overflow = false;
    if (edges >= UINT32_MAX)
        return false;
    d->order = malloc(((size_t)layers + 1) * sizeof *d->order);
    d->nodes = malloc(d->node_count * sizeof *d->nodes);
    d->edges = malloc((edges + 1) * sizeof *d->edges);
    if (!d->order || !d->nodes || !d->edges) {
        diagram_release(d);
        return false;
    }
    memcpy(d->order, order, layers * sizeof *order);
    if (!set_nodes(d, nodes)) {
        diagram_release(d);
        *overflow = true;
        return false;
    }
    return true;
}

void diagram_release(struct diagram *d)
{
    free(d->order);
    free(d->nodes);
    free(d->edges);
    *d = (struct diagram){.root = DIAGRAM_NONE};
}

uint64_t diagram_count(const struct diagram *d)
{
    return d->root == DIAGRAM_NONE ? 0 : d->nodes[d->root].count;
}

// The last edge whose `before` is not above the index.
static const struct diagram_edge *edge_at(const struct diagram *d, uint32_t node, uint64_t index)
{
    const struct diagram_edge *edges = &d->edges[d->nodes[node].first];
    uint32_t low = 0, high = d->nodes[node].edges;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (edges[middle].before <= index)
            low = middle;
        else
            high = middle;
    }
    return &edges[low];
}

void diagram_get(const struct diagram *d, uint64_t index, uint32_t *choice)
{
    uint32_t node = d->root;
    for (uint32_t layer = 0; layer < d->layers; layer++) {
        const struct diagram_edge *edge = edge_at(d, node, index);
        choice[d->order[layer]] = edge->value;
        index -= edge->before;
        node = edge->child;
    }
}

static const struct diagram_edge *edge_of(const struct diagram *d, uint32_t node, uint32_t value)
{
    const struct diagram_edge *edges = &d->edges[d->nodes[node].first];
    uint32_t low = 0, high = d->nodes[node].edges;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (edges[middle].value == value)
            return &edges[middle];
        if (edges[middle].value < value)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

bool diagram_find(const struct diagram *d, const uint32_t *choice, uint64_t *index)
{
    uint32_t node = d->root;
    *index = 0;
    if (node == DIAGRAM_NONE)
        return false;
    for (uint32_t layer = 0; layer < d->layers; layer++) {
        const struct diagram_edge *edge = edge_of(d, node, choice[d->order[layer]]);
        if (!edge)
            return false;
        *index += edge->before;
        node = edge->child;
    }
    return true;
}
