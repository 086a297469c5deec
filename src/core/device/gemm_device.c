// The built-in reference of matrix multiplications, in float64 on the device.
#include "device/own_kernel.h"

#include "base/text.h"
#include "device/fill.h"
#include "device/gemm.h"
#include "device/open_device.h"

#define TILE        64    // of C, along both axes, of one work-group
#define LOCAL       16    // work-items along both axes; each has 4 x 4 elements of C, 16 apart
#define DEPTH       16    // of k in local memory at a time
#define GROUPS_MOST 65535 // CUDA's limit along the second axis

_Static_assert(LOCAL *LOCAL <= OWN_GROUP, "the work-group is within the limit");

// Out of range reads are zero. Strides say how op() lies in memory, and with them which index
// neighbouring work-items take. Sums run in the order of k.
extern const char gemm_body[]; // kernels/gemm_body.cl

#define STRING_(x) #x
#define STRING(x)  STRING_(x)

// The numbers of enum activation.
static const char epilogue[] =
    "function double activate(double x)\n"
    "{\n"
    "    double y = ACTIVATION == 2 ? 2 * " STRING(GELU_SLOPE) " * (x + " STRING(
        GELU_CUBE) " * x * x * x) : x;\n"
                   "    if (ACTIVATION == 1)\n"
                   "        return x < 0 ? 0 : x;\n"
                   "    return ACTIVATION == 0 ? x : x / (1 + exp(-y));\n"
                   "}\n";

#define SIZES                                                                                      \
    "#define TILE " STRING(TILE) "\n#define LOCAL " STRING(LOCAL) "\n#define DEPTH " STRING(       \
        DEPTH) "\n"

// Enough numbers of this type, one after the other, that are there before the first launch.
static bool is_operand(const struct job_buffer *b, enum scalar s, uint64_t least)
{
    return b->element.scalar == s &&
           element_bytes(&b->element) == b->element.width * scalar_bytes(s) &&
           fill_components(b) >= least && buffer_begins_made(b);
}

// NULL: other types, a device without float64, a CPU (where the host's own routine is faster).
static void *kernel_for(struct device *d, enum scalar s, enum activation a)
{
    static const char *const pieces[] = {own_narrow, epilogue, gemm_body, NULL};
    struct text defines = TEXT_INIT;
    void *kernel = NULL;
    if (!own_kernels_offered(d) || d->info.type == DEVICE_CPU || !d->info.float64 ||
        !scalar_is_float(s))
        return NULL;
    own_narrow_defines(s, &defines);
    text_addf(&defines, SIZES "#define TYPE %s\n#define VALUE(v) %s\n",
              scalar_narrow(s)    ? scalar_bytes(s) == 1 ? "uchar" : "ushort"
              : s == SCALAR_FLOAT ? "float"
                                  : "double",
              scalar_narrow(s) ? "narrow_value(v)" : "((double)(v))");
    text_addf(&defines, "#define ACTIVATION %d\n", (int)a);
    const struct own_text t = {"hone_gemm", text_cstr(&defines), pieces};
    if (!defines.failed)
        kernel = own_kernel_get(d, &t, NULL);
    text_release(&defines);
    return kernel;
}

static void *get_kernel(struct device *d, const struct job *j)
{
    const struct job_gemm *g = &j->reference.gemm;
    enum scalar s = j->buffers[g->a].element.scalar;
    const uint64_t matrices = g->others + 1;
    if (!is_operand(&j->buffers[g->a], s, g->m * g->k * matrices) ||
        !is_operand(&j->buffers[g->b], s, g->k * g->n * matrices) ||
        (g->m + TILE - 1) / TILE * matrices > GROUPS_MOST ||
        (g->gamma != 0 && !is_operand(&j->buffers[g->bias], s, g->n)) ||
        (g->beta != 0 && !is_operand(&j->buffers[g->c], s, g->m * g->n * matrices)))
        return NULL;
    return kernel_for(d, s, g->activation);
}

static bool multiply(struct device *d, void *kernel, const struct job_gemm *g,
                     struct memory *const *memory, struct memory *c)
{
    uint64_t ai = g->transpose_a ? 1 : g->k, ap = g->transpose_a ? g->m : 1;
    uint64_t bp = g->transpose_b ? 1 : g->n, bj = g->transpose_b ? g->k : 1;
    struct memory *initial = memory[g->beta != 0 ? g->c : g->a]; // any, where it is not read
    struct memory *bias = memory[g->gamma != 0 ? g->bias : g->a];
    const struct own_argument arguments[] = {
        OWN_MEMORY(memory[g->a]),
        OWN_MEMORY(memory[g->b]),
        OWN_MEMORY(initial),
        OWN_MEMORY(c),
        OWN_VALUE(g->m),
        OWN_VALUE(g->n),
        OWN_VALUE(g->k),
        OWN_VALUE(ai),
        OWN_VALUE(ap),
        OWN_VALUE(bp),
        OWN_VALUE(bj),
        OWN_VALUE(g->alpha),
        OWN_VALUE(g->beta),
        OWN_MEMORY(bias),
        OWN_VALUE(g->gamma),
    };
    struct own_launch l = {.local = {LOCAL, LOCAL}, .arguments = arguments, .count = 15};
    double last;
    l.groups[0] = (uint32_t)((g->n + TILE - 1) / TILE);
    l.groups[1] = (uint32_t)((g->m + TILE - 1) / TILE * (g->others + 1));
    return own_kernel_run(d, kernel, &l, NULL) &&
           memory_read(d, c, (int64_t)(c->bytes - sizeof last), &last, sizeof last, NULL);
}

bool gemm_of_floats_offered(struct device *d)
{
    return kernel_for(d, SCALAR_FLOAT, ACTIVATION_NONE) != NULL;
}

bool gemm_offered(struct device *d, const struct job *j)
{
    return get_kernel(d, j) != NULL;
}

bool gemm_on_device(struct device *d, const struct job *j, struct memory *const *memory,
                    struct memory *c)
{
    const struct job_gemm *g = &j->reference.gemm;
    void *kernel = get_kernel(d, j);
    *c = (struct memory){.bytes = g->m * g->n * (g->others + 1) * sizeof(double), .exact = true};
    if (!kernel || c->bytes == 0 || !d->backend->memory_new(d->own, c, ACCESS_BOTH, NULL)) {
        *c = (struct memory){.bytes = 0};
        return false;
    }
    if (multiply(d, kernel, g, memory, c))
        return true;
    memory_free(d, c);
    return false;
}
