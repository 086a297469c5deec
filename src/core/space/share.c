// A share of a space, cut out of its diagram: every value of every parameter has a weight, and a configuration belongs to
// the part that the sum of its weights is, modulo the number of parts. A node becomes one for each remainder that the
// layers above it may leave, so that the share is a diagram, too: it counts, draws and knows neighbours as the whole does.
//
// A parameter's weights are 0, 1, ... in an order drawn from its name: each parameter alone splits the space evenly, and
// restrictions such as a * b == 256 do not meet a pattern.
#include "space/share.h"

#include "base/digest.h"
#include "base/random.h"

#include <stdlib.h>
#include <string.h>

#define SHARE_STATES (UINT32_C(1) << 25) // of all nodes, each once for every part

#define STATE_UNSEEN (UINT32_MAX - 1)
#define STATE_WANTED (UINT32_MAX - 2)

struct sharing {
    const struct diagram *whole;
    uint32_t parts;
    uint32_t **weights; // by parameter, then by value
    uint32_t *layers;   // that stand above a node
    uint32_t *
        states; // node * parts + the remainder of all below it -> node of the share, or DIAGRAM_NONE
    struct intern nodes;
    uint32_t *pairs; // of the node that is made
};

// False without memory.
static bool draw_weights(struct sharing *g, const struct spec *s)
{
    g->weights = calloc((size_t)s->parameter_count + 1, sizeof *g->weights);
    for (uint32_t i = 0; g->weights && i < s->parameter_count; i++) {
        const struct parameter *p = &s->parameters[i];
        struct digest name;
        struct rng r;
        uint64_t seed;
        uint32_t *w = g->weights[i] = malloc(((size_t)p->count + 1) * sizeof *w);
        if (!w)
            return false;
        digest_of(p->name, strlen(p->name), &name);
        memcpy(&seed, name.bytes, sizeof seed);
        rng_init(&r, seed, 0);
        for (uint32_t v = 0; v < p->count; v++) {
            uint32_t k = (uint32_t)rng_below(&r, v + 1);
            w[v] = w[k];
            w[k] = v;
        }
        for (uint32_t v = 0; v < p->count; v++)
            w[v] %= g->parts;
    }
    return g->weights != NULL;
}

static bool make_room(struct sharing *g)
{
    const struct diagram *d = g->whole;
    uint32_t most = 0;
    size_t states = (size_t)d->node_count * g->parts;
    for (uint32_t i = 0; i < d->node_count; i++)
        most = d->nodes[i].edges > most ? d->nodes[i].edges : most;
    g->layers = malloc(((size_t)d->node_count + 1) * sizeof *g->layers);
    g->states = malloc((states + 1) * sizeof *g->states);
    g->pairs = malloc(((size_t)most + 1) * 2 * sizeof *g->pairs);
    if (!g->layers || !g->states || !g->pairs)
        return false;
    for (size_t i = 0; i < states; i++)
        g->states[i] = STATE_UNSEEN;
    // All paths are of one length, so that any of its edges tells a node's place.
    g->layers[DIAGRAM_END] = d->layers;
    for (uint32_t i = 1; i < d->node_count; i++)
        g->layers[i] = g->layers[d->edges[d->nodes[i].first].child] - 1;
    return true;
}

// The state that an edge leads to from a node of whose paths this remainder is wanted.
static uint32_t *state_behind(const struct sharing *g, uint32_t node, uint32_t remainder,
                              const struct diagram_edge *edge)
{
    const uint32_t *weights = g->weights[g->whole->order[g->layers[node]]];
    uint32_t left = (remainder + g->parts - weights[edge->value]) % g->parts;
    return &g->states[(size_t)edge->child * g->parts + left];
}

// Which states the root leads to: parents stand behind their children.
static void want_states(struct sharing *g, uint32_t part)
{
    const struct diagram *d = g->whole;
    g->states[(size_t)d->root * g->parts + part] = STATE_WANTED;
    for (uint32_t node = d->root; node > DIAGRAM_END; node--) {
        const struct diagram_edge *edges = &d->edges[d->nodes[node].first];
        for (uint32_t r = 0; r < g->parts; r++) {
            if (g->states[(size_t)node * g->parts + r] != STATE_WANTED)
                continue;
            for (uint32_t k = 0; k < d->nodes[node].edges; k++)
                *state_behind(g, node, r, &edges[k]) = STATE_WANTED;
        }
    }
}

// The node of one state, whose children are made; false without memory.
static bool make_state(struct sharing *g, uint32_t node, uint32_t remainder, uint32_t *out)
{
    const struct diagram_node *n = &g->whole->nodes[node];
    uint32_t length = 0;
    for (uint32_t k = 0; k < n->edges; k++) {
        const struct diagram_edge *edge = &g->whole->edges[n->first + k];
        uint32_t child = *state_behind(g, node, remainder, edge);
        if (child == DIAGRAM_NONE)
            continue;
        g->pairs[length++] = edge->value;
        g->pairs[length++] = child;
    }
    uint32_t word = length > 0 ? intern_add(&g->nodes, g->pairs, length) : 0;
    *out = length > 0 ? word + 1 : DIAGRAM_NONE;
    return word != INTERN_NONE;
}

static bool make_share(struct sharing *g, uint32_t part, struct diagram *out)
{
    const struct diagram *d = g->whole;
    bool ok = true, overflow;
    want_states(g, part);
    for (uint32_t r = 0; r < g->parts; r++)
        g->states[(size_t)DIAGRAM_END * g->parts + r] = r == 0 ? DIAGRAM_END : DIAGRAM_NONE;
    for (uint32_t node = 1; ok && node <= d->root; node++) {
        for (uint32_t r = 0; ok && r < g->parts; r++) {
            uint32_t *state = &g->states[(size_t)node * g->parts + r];
            ok = *state != STATE_WANTED || make_state(g, node, r, state);
        }
    }
    return ok && diagram_init(out, d->order, d->layers, &g->nodes,
                              g->states[(size_t)d->root * g->parts + part], &overflow);
}

bool share_take(struct diagram *d, const struct spec *s, struct space_share share, struct error *e)
{
    if (share.parts < 2 || d->root == DIAGRAM_NONE)
        return true;
    if (share.part >= share.parts)
        return error_set(e, ERROR_USAGE, "part %lu of %lu: they are counted from 0",
                         (unsigned long)share.part, (unsigned long)share.parts);
    if (d->node_count > SHARE_STATES / share.parts)
        return error_set(
            e, ERROR_INPUT, "%s: a space of this kind can be split into %lu parts at most, not %lu",
            s->path, (unsigned long)(SHARE_STATES / d->node_count), (unsigned long)share.parts);
    struct sharing g = {.whole = d, .parts = share.parts, .nodes = INTERN_INIT};
    struct diagram own = {.root = DIAGRAM_NONE};
    bool ok = draw_weights(&g, s) && make_room(&g) && make_share(&g, share.part, &own);
    for (uint32_t i = 0; g.weights && i < s->parameter_count; i++)
        free(g.weights[i]);
    free(g.weights);
    free(g.layers);
    free(g.states);
    free(g.pairs);
    intern_release(&g.nodes);
    if (!ok)
        return error_memory(e);
    diagram_release(d);
    *d = own;
    return true;
}

bool space_share_read(const char *text, struct space_share *out, struct error *e)
{
    unsigned long part = 0, parts = 0;
    char *end = NULL;
    bool ok = text[0] >= '1' && text[0] <= '9' && (part = strtoul(text, &end, 10)) && *end == '/' &&
              end[1] >= '1' && end[1] <= '9' && (parts = strtoul(end + 1, &end, 10)) && !*end &&
              parts <= SPACE_PARTS_MOST && part <= parts;
    if (!ok)
        return error_set(e, ERROR_USAGE,
                         "'%s' is not a part; write I/N, the I-th of N parts, such as 1/8 to 8/8",
                         text);
    *out = (struct space_share){(uint32_t)part - 1, (uint32_t)parts};
    return true;
}
