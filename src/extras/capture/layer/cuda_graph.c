// Graphs of CUDA. What a graph consists of is read of a clone that is made when the graph becomes executable, since a program may change or
// destroy its own; a launch of it counts as a launch of each of its kernels. Where one of these is of a shape that is to be captured, this
// launch of the graph is made in parts, in an order that its edges allow: what comes before that kernel as a graph, the kernel as a
// launch like any, which is captured, and so on.
#include "extras/capture/layer/cuda_layer.h"

#include <stdlib.h>
#include <string.h>

enum { NODES_MOST = 4096 };

struct graph_node {
    CUgraphNode node; // of the clone
    bool is_kernel, is_wanted;
    struct cuda_node kernel;
    struct capture_shape *shape; // of a kernel; NULL: nothing is known of it
};

struct cuda_graph {
    struct layer_object object; // its handle is the executable graph
    CUgraph clone; // NULL: the driver makes none, or the program has changed a node since
    bool is_read;
    struct graph_node *nodes; // in an order that the edges allow; NULL: the driver does not tell
    uint32_t count;
};

void cuda_release_graph(struct layer_object *o)
{
    struct cuda_graph *g = (struct cuda_graph *)o;
    if (g->clone && cuda_below.cuGraphDestroy)
        cuda_below.cuGraphDestroy(g->clone);
    free(g->nodes);
}

// ---- what it consists of -----------------------------------------------------------------------

static int compare_handles(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t) * (CUgraphNode const *)a,
                    y = (uintptr_t) * (CUgraphNode const *)b;
    return (x > y) - (x < y);
}

static size_t index_of(const CUgraphNode *sorted, size_t count, CUgraphNode node)
{
    const CUgraphNode *at = bsearch(&node, sorted, count, sizeof *sorted, compare_handles);
    return at ? (size_t)(at - sorted) : 0;
}

// Orders nodes so that each comes behind those that it waits for. `waits` has room for each.
static void order_nodes(struct cuda_graph *g, CUgraphNode *sorted, size_t count, uint32_t *waits,
                        const CUgraphNode *from, const CUgraphNode *to, size_t edges)
{
    qsort(sorted, count, sizeof *sorted, compare_handles);
    for (size_t e = 0; e < edges; e++)
        waits[index_of(sorted, count, to[e])]++;
    for (size_t i = 0; i < count; i++) {
        if (waits[i] == 0)
            g->nodes[g->count++].node = sorted[i];
    }
    for (uint32_t done = 0; done < g->count; done++) {
        for (size_t e = 0; e < edges; e++) {
            if (from[e] == g->nodes[done].node && --waits[index_of(sorted, count, to[e])] == 0)
                g->nodes[g->count++].node = to[e];
        }
    }
}

static void list_nodes(struct cuda_graph *g)
{
    const struct cuda_below *b = &cuda_below;
    size_t count = 0, edges = 0;
    if (!b->cuGraphGetNodes || !b->cuGraphGetEdges || !b->cuGraphNodeGetType ||
        !b->cuGraphKernelNodeGetParams ||
        b->cuGraphGetNodes(g->clone, NULL, &count) != CUDA_SUCCESS || count > NODES_MOST ||
        b->cuGraphGetEdges(g->clone, NULL, NULL, &edges) != CUDA_SUCCESS)
        return;
    CUgraphNode *list = calloc(count + 2 * edges + 1, sizeof(CUgraphNode));
    uint32_t *waits = calloc(count + 1, sizeof *waits);
    g->nodes = list && waits ? calloc(count + 1, sizeof *g->nodes) : NULL;
    if (g->nodes && b->cuGraphGetNodes(g->clone, list, &count) == CUDA_SUCCESS &&
        (edges == 0 ||
         b->cuGraphGetEdges(g->clone, list + count, list + count + edges, &edges) == CUDA_SUCCESS))
        order_nodes(g, list, count, waits, list + count, list + count + edges, edges);
    free(list);
    free(waits);
}

static struct cuda_launch launch_of(const struct graph_node *n, CUstream stream)
{
    const struct cuda_node *k = &n->kernel;
    struct cuda_launch l = {.function = k->kernel ? (CUfunction)(void *)k->kernel : k->function,
                            .shared = k->shared,
                            .stream = stream,
                            .parameters = k->parameters,
                            .extra = k->extra};
    memcpy(l.grid, k->grid, sizeof l.grid);
    memcpy(l.block, k->block, sizeof l.block);
    return l;
}

static bool has_attributes(CUgraphNode node)
{
    unsigned value[16] = {0};
    bool any = false;
    if (!cuda_below.cuGraphKernelNodeGetAttribute)
        return true;
    if (cuda_below.cuGraphKernelNodeGetAttribute(node, CUDA_ATTRIBUTE_COOPERATIVE, value) ==
        CUDA_SUCCESS)
        any = value[0] != 0;
    memset(value, 0, sizeof value);
    if (cuda_below.cuGraphKernelNodeGetAttribute(node, CUDA_ATTRIBUTE_CLUSTER, value) ==
        CUDA_SUCCESS)
        any = any || value[0] * value[1] * value[2] > 1;
    return any;
}

static bool read_kernel(struct graph_node *n)
{
    int type = -1;
    n->is_kernel = cuda_below.cuGraphNodeGetType(n->node, &type) == CUDA_SUCCESS &&
                   type == CUDA_NODE_KERNEL &&
                   cuda_below.cuGraphKernelNodeGetParams(n->node, &n->kernel) == CUDA_SUCCESS;
    return n->is_kernel;
}

static void read_graph(struct cuda_graph *g)
{
    CUcontext context = NULL;
    g->is_read = true;
    if (!g->clone)
        return;
    list_nodes(g);
    if (cuda_below.cuCtxGetCurrent)
        cuda_below.cuCtxGetCurrent(&context);
    for (uint32_t i = 0; g->nodes && i < g->count; i++) {
        struct graph_node *n = &g->nodes[i];
        if (!read_kernel(n))
            continue;
        const struct cuda_launch l = launch_of(n, NULL);
        n->shape = cuda_shape_of(&l);
        n->is_wanted = n->shape && (!n->kernel.context || n->kernel.context == context);
        if (n->is_wanted && has_attributes(n->node)) {
            atomic_store(&n->shape->reason, CAPTURE_ATTRIBUTES);
            n->is_wanted = false;
        }
    }
}

// `hone with` has replaced what was recorded of a stream. What the program put into the graph itself stays as it is.
static void count_own_kernels(CUgraph graph)
{
    struct cuda_graph g = {.clone = graph};
    list_nodes(&g);
    for (uint32_t i = 0; g.nodes && i < g.count; i++) {
        struct graph_node *n = &g.nodes[i];
        if (!read_kernel(n))
            continue;
        const struct cuda_launch l = launch_of(n, NULL);
        if (cuda_has_replacement(&l))
            atomic_fetch_add(&layer_counts->kept[REPLACE_GRAPH], 1);
    }
    free(g.nodes);
}

void cuda_note_graph(CUgraphExec made, CUgraph graph)
{
    CUgraph clone = NULL;
    if (!layer_settings.is_capturing) {
        count_own_kernels(graph);
        return;
    }
    if (cuda_below.cuGraphClone && cuda_below.cuGraphClone(&clone, graph) != CUDA_SUCCESS)
        clone = NULL;
    struct cuda_graph *g = layer_add(&cuda_objects.graphs, made, sizeof *g);
    if (!g)
        return;
    g->clone = clone;
    layer_unlock(&cuda_objects.graphs);
}

// ---- a launch ----------------------------------------------------------------------------------

// The nodes [from, to) as a graph of their own; those before have run. NULL: the driver refuses.
static CUgraphExec make_part(const struct cuda_graph *g, uint32_t from, uint32_t to)
{
    CUgraph part = NULL;
    CUgraphExec made = NULL;
    bool ok = cuda_below.cuGraphClone(&part, g->clone) == CUDA_SUCCESS;
    for (uint32_t i = 0; ok && i < g->count; i++) {
        CUgraphNode node;
        if (i < from || i >= to)
            ok = cuda_below.cuGraphNodeFindInClone(&node, g->nodes[i].node, part) == CUDA_SUCCESS &&
                 cuda_below.cuGraphDestroyNode(node) == CUDA_SUCCESS;
    }
    if (ok && cuda_below.cuGraphInstantiateWithFlags(&made, part, 0) != CUDA_SUCCESS)
        made = NULL;
    if (part)
        cuda_below.cuGraphDestroy(part);
    return made;
}

static bool is_wanted_now(const struct graph_node *n)
{
    return n->is_wanted && atomic_load_explicit(&n->shape->state, memory_order_relaxed) == 0;
}

static void count_kernel(const struct graph_node *n)
{
    if (!n->is_kernel)
        return;
    atomic_fetch_add_explicit(&layer_counts->launches, 1, memory_order_relaxed);
    if (n->shape)
        atomic_fetch_add_explicit(&n->shape->launches, 1, memory_order_relaxed);
    else
        atomic_fetch_add(&layer_counts->unlisted, 1);
}

struct graph_parts {
    CUgraphExec
        parts[NODES_MOST + 1]; // before each of the kernels, and behind the last; NULL: nothing
    uint32_t kernels[NODES_MOST];
    uint32_t count; // of kernels
};

// The first of its shape.
static bool is_chosen(const struct cuda_graph *g, const struct graph_parts *p, uint32_t at)
{
    bool is_new = is_wanted_now(&g->nodes[at]);
    for (uint32_t i = 0; is_new && i < p->count; i++)
        is_new = g->nodes[p->kernels[i]].shape != g->nodes[at].shape;
    return is_new;
}

// All of them are made before the first is launched. False: the driver refuses one.
static bool make_parts(struct cuda_graph *g, struct graph_parts *p)
{
    uint32_t from = 0;
    bool ok = true;
    for (uint32_t i = 0; ok && i <= g->count; i++) {
        if (i < g->count && !is_chosen(g, p, i))
            continue;
        if (i > from)
            ok = (p->parts[p->count] = make_part(g, from, i)) != NULL;
        if (i < g->count)
            p->kernels[p->count++] = i;
        from = i + 1;
    }
    return ok;
}

static CUresult launch_part(CUgraphExec part, CUstream stream)
{
    return part ? cuda_below.cuGraphLaunch(part, stream) : CUDA_SUCCESS;
}

static CUresult launch_parts(struct cuda_graph *g, struct graph_parts *p, CUstream stream)
{
    CUresult code = CUDA_SUCCESS;
    for (uint32_t i = 0; code == CUDA_SUCCESS && i < p->count; i++) {
        const struct cuda_launch l = launch_of(&g->nodes[p->kernels[i]], stream);
        code = launch_part(p->parts[i], stream);
        if (code == CUDA_SUCCESS)
            code = cuda_launch_noted(&l);
    }
    if (code == CUDA_SUCCESS)
        code = launch_part(p->parts[p->count], stream);
    for (uint32_t i = 0, k = 0; i < g->count; i++) {
        if (k < p->count && p->kernels[k] == i)
            k++; // counted by its launch
        else
            count_kernel(&g->nodes[i]);
    }
    cuda_below.driver.cuStreamSynchronize(stream);
    return code;
}

static CUresult launch_read(struct cuda_graph *g, CUgraphExec graph, CUstream stream)
{
    bool any = false;
    for (uint32_t i = 0; i < g->count; i++)
        any = any || is_wanted_now(&g->nodes[i]);
    struct graph_parts *p = any ? calloc(1, sizeof *p) : NULL;
    const bool in_parts = p && make_parts(g, p);
    CUresult code;
    if (in_parts)
        code = launch_parts(g, p, stream);
    else {
        code = cuda_below.cuGraphLaunch(graph, stream);
        for (uint32_t i = 0; i < g->count; i++) {
            if (p && is_wanted_now(&g->nodes[i]))
                atomic_store(&g->nodes[i].shape->reason, CAPTURE_GRAPH);
            g->nodes[i].is_wanted =
                g->nodes[i].is_wanted && !p; // what was refused is refused again
            count_kernel(&g->nodes[i]);
        }
    }
    for (uint32_t i = 0; p && i <= p->count; i++) {
        if (p->parts[i])
            cuda_below.cuGraphExecDestroy(p->parts[i]);
    }
    free(p);
    return code;
}

CUresult cuda_graph_launch(CUgraphExec graph, CUstream stream)
{
    atomic_fetch_add_explicit(&layer_counts->graphs, 1, memory_order_relaxed);
    if (!layer_settings.is_capturing || cuda_is_recorded_now(stream))
        return cuda_below.cuGraphLaunch(graph, stream);
    // The entry stays until the program destroys its graph, which it does not do during a launch.
    struct cuda_graph *g = layer_lock(&cuda_objects.graphs, graph);
    if (g)
        layer_unlock(&cuda_objects.graphs);
    if (g && !g->is_read)
        read_graph(g);
    if (g && g->clone && g->nodes)
        return launch_read(g, graph, stream);
    atomic_fetch_add(&layer_counts->skipped[CAPTURE_GRAPH], 1);
    return cuda_below.cuGraphLaunch(graph, stream);
}

// Its nodes are known no more.
void cuda_note_graph_change(CUgraphExec graph)
{
    struct cuda_graph *g = layer_lock(&cuda_objects.graphs, graph);
    if (!g)
        return;
    cuda_release_graph(&g->object);
    g->clone = NULL;
    g->nodes = NULL;
    g->count = 0;
    g->is_read = true;
    layer_unlock(&cuda_objects.graphs);
}

void cuda_drop_graph(CUgraphExec graph)
{
    layer_drop(&cuda_objects.graphs, graph);
}
