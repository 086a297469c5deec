// The valid configurations as a decision diagram: a layered graph with a layer a parameter, whose
// paths from the root to the end are exactly the valid configurations. Equal remainders are shared,
// and every node knows how many paths lead on from it, so that counting, index <-> configuration
// and membership take one step a parameter, however many configurations there are.
#pragma once

#include "space/intern.h"
#include "space/space.h"

struct diagram_edge {
    uint64_t before; // paths of the node that take an earlier edge
    uint32_t value;  // of the layer's parameter; ascending within a node
    uint32_t child;
};

struct diagram_node {
    uint64_t count; // paths from here
    uint32_t first, edges;
};

#define DIAGRAM_END  0          // the node behind the last layer
#define DIAGRAM_NONE UINT32_MAX // no node: nothing valid

struct diagram {
    uint32_t layers;
    uint32_t *order; // layer -> parameter
    struct diagram_node *nodes;
    struct diagram_edge *edges;
    uint32_t node_count;
    uint32_t root;
};

// Nodes as words of (value, child) pairs, children before parents; word i becomes node i + 1.
// Copies the order. False without memory, or when there are 2^64 paths or more (*overflow).
bool diagram_init(struct diagram *d, const uint32_t *order, uint32_t layers,
                  const struct intern *nodes, uint32_t root, bool *overflow);
void diagram_release(struct diagram *d);

uint64_t diagram_count(const struct diagram *d);
void diagram_get(const struct diagram *d, uint64_t index, uint32_t *choice);
bool diagram_find(const struct diagram *d, const uint32_t *choice, uint64_t *index);
