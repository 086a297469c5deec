// Graphs: what a stream is recorded into, clones, parts, launches. A graph is a chain of kernels.
#include "fake.h"

#include "extras/capture/capture_cuda.h"

#include <stdlib.h>
#include <string.h>

CAPTURE_CUDA_FUNCTIONS(FAKE_DECLARE)

enum { NODES_MOST = 16, PARAMETER_MOST = 16 };

struct CUgraphNode_st {
    CUgraph graph; // NULL: free
    CUgraphNode original;
    CUfunction function;
    size_t blocks, threads;
    unsigned dynamic_bytes;
    unsigned char bytes[ARGUMENTS_MOST][PARAMETER_MOST];
    void *parameters[ARGUMENTS_MOST];
};

struct CUgraph_st {
    struct CUgraphNode_st nodes[NODES_MOST];
};

struct CUgraphExec_st {
    CUgraph graph;
};

static CUstream recorded_stream;
static CUgraph recorded;

bool fake_is_recorded(CUstream stream)
{
    return recorded && stream == recorded_stream;
}

bool fake_records(void)
{
    return recorded != NULL;
}

static CUgraphNode free_node(CUgraph g)
{
    for (size_t i = 0; i < NODES_MOST; i++) {
        if (!g->nodes[i].graph)
            return &g->nodes[i];
    }
    abort();
}

static void own_parameters(CUgraphNode n)
{
    for (size_t i = 0; i < ARGUMENTS_MOST; i++)
        n->parameters[i] = n->bytes[i];
}

void fake_record(CUfunction f, size_t blocks, size_t threads, unsigned dynamic_bytes,
                 void **parameters)
{
    CUgraphNode n = free_node(recorded);
    *n = (struct CUgraphNode_st){recorded, n, f, blocks, threads, dynamic_bytes, {{0}}, {0}};
    for (unsigned i = 0; i < f->declared.count; i++)
        memcpy(n->bytes[i], parameters[i], fake_parameter_bytes(&f->declared.parameters[i]));
    own_parameters(n);
}

CUresult cuStreamIsCapturing(CUstream stream, int *status)
{
    *status = fake_is_recorded(stream);
    return fake_call(__func__);
}

CUresult cuStreamBeginCapture(CUstream stream, int mode)
{
    (void)mode;
    recorded_stream = stream;
    recorded = fake_new(sizeof *recorded);
    return fake_call(__func__);
}

CUresult cuStreamEndCapture(CUstream stream, void **graph)
{
    *graph = fake_is_recorded(stream) ? recorded : NULL;
    recorded = NULL;
    return fake_call(__func__);
}

CUresult cuGraphClone(CUgraph *out, CUgraph graph)
{
    const CUresult code = fake_call(__func__);
    if (code != CUDA_SUCCESS)
        return code;
    *out = fake_new(sizeof **out);
    **out = *graph;
    for (size_t i = 0; i < NODES_MOST; i++) {
        CUgraphNode n = &(*out)->nodes[i];
        n->graph = n->graph ? *out : NULL;
        n->original = &graph->nodes[i];
        own_parameters(n);
    }
    return code;
}

CUresult cuGraphDestroy(CUgraph graph)
{
    fake_free(graph);
    return fake_call(__func__);
}

CUresult cuGraphDestroyNode(CUgraphNode node)
{
    node->graph = NULL;
    return fake_call(__func__);
}

// The last is told first: no order is promised.
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    size_t own = 0;
    for (size_t i = NODES_MOST; i-- > 0;) {
        if (!graph->nodes[i].graph)
            continue;
        if (nodes && own < *count)
            nodes[own] = &graph->nodes[i];
        own++;
    }
    *count = own;
    return fake_call(__func__);
}

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count)
{
    size_t own = 0;
    for (size_t i = 0; i + 1 < NODES_MOST && graph->nodes[i + 1].graph; i++, own++) {
        if (from && own < *count)
            from[own] = &graph->nodes[i], to[own] = &graph->nodes[i + 1];
    }
    *count = own;
    return fake_call(__func__);
}

CUresult cuGraphNodeGetType(CUgraphNode node, int *type)
{
    *type = node->graph ? CUDA_NODE_KERNEL : -1;
    return fake_call(__func__);
}

CUresult cuGraphNodeFindInClone(CUgraphNode *out, CUgraphNode node, CUgraph clone)
{
    const CUresult code = fake_call(__func__);
    for (size_t i = 0; i < NODES_MOST; i++) {
        if (clone->nodes[i].graph && clone->nodes[i].original == node) {
            *out = &clone->nodes[i];
            return code;
        }
    }
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode node, struct cuda_node *out)
{
    *out = (struct cuda_node){.function = node->function,
                              .grid = {(unsigned)node->blocks, 1, 1},
                              .block = {(unsigned)node->threads, 1, 1},
                              .shared = node->dynamic_bytes,
                              .parameters = node->parameters};
    return fake_call(__func__);
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, int id, unsigned *out)
{
    (void)node, (void)id;
    *out = 0;
    return fake_call(__func__);
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph graph, uint64_t flags)
{
    const CUresult code = fake_call(__func__);
    (void)flags;
    if (code != CUDA_SUCCESS)
        return code;
    *out = fake_new(sizeof **out);
    return cuGraphClone(&(*out)->graph, graph);
}

CUresult cuGraphExecDestroy(CUgraphExec graph)
{
    cuGraphDestroy(graph->graph);
    fake_free(graph);
    return fake_call(__func__);
}

CUresult cuGraphNodeSetEnabled(CUgraphExec graph, CUgraphNode node, uintptr_t to, uintptr_t more)
{
    CUgraphNode own = &graph->graph->nodes[node - node->graph->nodes];
    (void)more;
    own->graph = to ? graph->graph : NULL;
    return fake_call(__func__);
}

CUresult cuGraphLaunch(CUgraphExec graph, CUstream stream)
{
    CUresult code = fake_call(__func__);
    for (size_t i = 0; code == CUDA_SUCCESS && i < NODES_MOST; i++) {
        CUgraphNode n = &graph->graph->nodes[i];
        if (n->graph)
            code = fake_launch_kernel(n->function, n->blocks, n->threads, n->dynamic_bytes, stream,
                                      n->parameters);
    }
    return code;
}
