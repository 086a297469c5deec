// The built-in reference of matrix multiplications, in float64 on the device.
#include "device/own_kernel.h"

#include "device/open_device.h"

#define TILE 16

// Tiles of 16 x 16 in local memory; out of range reads are zero. Strides say how op() lies in
// memory. Sums run in the order of k.
static const char body[] =
    "#define TILE 16\n"
    "kernel void hone_gemm(global const TYPE *a, global const TYPE *b, global double *c,\n"
    "                      ulong m, ulong n, ulong k, ulong ai, ulong ap, ulong bp, ulong bj)\n"
    "{\n"
    "    local double ta[TILE][TILE + 1], tb[TILE][TILE + 1];\n"
    "    ulong i = get_global_id(1), j = get_global_id(0);\n"
    "    uint y = get_local_id(1), x = get_local_id(0);\n"
    "    double sum = 0;\n"
    "    for (ulong p = 0; p < k; p += TILE) {\n"
    "        ta[y][x] = i < m && p + x < k ? (double)a[i * ai + (p + x) * ap] : 0;\n"
    "        tb[y][x] = p + y < k && j < n ? (double)b[(p + y) * bp + j * bj] : 0;\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (uint q = 0; q < TILE; q++)\n"
    "            sum = fma(ta[y][q], tb[q][x], sum);\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    if (i < m && j < n)\n"
    "        c[i * n + j] = sum;\n"
    "}\n";

// NULL: other types, a device without float64, a CPU (where the host's own routine is faster).
static void *get_kernel(struct device *d, const struct gemm_request *g)
{
    static const char *const pieces[] = {body, NULL};
    static const struct own_text floats = {"hone_gemm", "#define TYPE float\n", pieces};
    static const struct own_text doubles = {"hone_gemm", "#define TYPE double\n", pieces};
    enum scalar s = g->a_buffer->element.scalar;
    if (!own_kernels_offered(d) || d->info.type == DEVICE_CPU || !d->info.float64 ||
        s != g->b_buffer->element.scalar || (s != SCALAR_FLOAT && s != SCALAR_DOUBLE))
        return NULL;
    return own_kernel_get(d, s == SCALAR_FLOAT ? &floats : &doubles, NULL);
}

static bool multiply(struct device *d, void *kernel, const struct gemm_request *g, struct memory *c)
{
    const struct job_gemm *j = g->gemm;
    uint64_t m = j->m, n = j->n, k = j->k;
    uint64_t ai = j->transpose_a ? 1 : k, ap = j->transpose_a ? m : 1;
    uint64_t bp = j->transpose_b ? 1 : n, bj = j->transpose_b ? k : 1;
    const struct own_argument arguments[] = {
        OWN_MEMORY(g->a), OWN_MEMORY(g->b), OWN_MEMORY(c), OWN_VALUE(m),  OWN_VALUE(n),
        OWN_VALUE(k),     OWN_VALUE(ai),    OWN_VALUE(ap), OWN_VALUE(bp), OWN_VALUE(bj)};
    struct own_launch l = {.local = {TILE, TILE}, .arguments = arguments, .count = 10};
    l.groups[0] = (uint32_t)((n + TILE - 1) / TILE);
    l.groups[1] = (uint32_t)((m + TILE - 1) / TILE);
    return own_kernel_run(d, kernel, &l, NULL) && memory_read(d, c, 0, g->out, c->bytes, NULL);
}

bool gemm_on_device(struct device *d, const struct gemm_request *g)
{
    struct memory c = {.bytes = g->gemm->m * g->gemm->n * sizeof(double), .exact = true};
    void *kernel = get_kernel(d, g);
    if (!kernel || !d->backend->memory_new(d->own, &c, ACCESS_BOTH, NULL))
        return false;
    bool ok = multiply(d, kernel, g, &c);
    d->backend->memory_free(d->own, &c);
    return ok;
}
