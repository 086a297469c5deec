// Kernels of hone's own: the checksum of inputs, and the float64 reference of matrix products.
#include "device/opencl.h"

#include "device/checksum.h"

#include <stdlib.h>
#include <string.h>

#define SUM_GROUPS 256
#define SUM_LOCAL  128
#define TILE       16

#define STRING_(x) #x
#define STRING(x)  STRING_(x)

// The same mixing as checksum.c, over whole words; the sum modulo 2^64 has no order.
static const char checksum_source[] =
    "__kernel void hone_checksum(__global const ulong *words, const ulong count,\n"
    "                            __global ulong *sums)\n"
    "{\n"
    "    ulong sum = 0;\n"
    "    for (ulong i = get_global_id(0); i < count; i += get_global_size(0)) {\n"
    "        ulong x = words[i] ^ (i + 1) * (ulong)" STRING(
        CHECKSUM_PLACE) ";\n"
                        "        x = (x ^ x >> 30) * (ulong)" STRING(
                            CHECKSUM_MIX_1) ";\n"
                                            "        x = (x ^ x >> 27) * (ulong)" STRING(
                                                CHECKSUM_MIX_2) ";\n"
                                                                "        sum += x ^ x >> 31;\n"
                                                                "    }\n"
                                                                "    sums[get_global_id(0)] = "
                                                                "sum;\n"
                                                                "}\n";

// Tiles of 16 x 16 in local memory; out of range reads are zero. Strides say how op() lies in
// memory. Sums run in the order of k.
static const char gemm_source[] =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "#define TILE " STRING(
        TILE) "\n"
              "#define GEMM(name, type)\\\n"
              "__kernel void name(__global const type *a, __global const type *b, __global double "
              "*c,\\\n"
              "                   const ulong m, const ulong n, const ulong k, const ulong ai,\\\n"
              "                   const ulong ap, const ulong bp, const ulong bj)\\\n"
              "{\\\n"
              "    __local double ta[TILE][TILE + 1], tb[TILE][TILE + 1];\\\n"
              "    const ulong i = get_global_id(1), j = get_global_id(0);\\\n"
              "    const uint y = get_local_id(1), x = get_local_id(0);\\\n"
              "    double sum = 0;\\\n"
              "    for (ulong p = 0; p < k; p += TILE) {\\\n"
              "        ta[y][x] = i < m && p + x < k ? (double)a[i * ai + (p + x) * ap] : 0;\\\n"
              "        tb[y][x] = p + y < k && j < n ? (double)b[(p + y) * bp + j * bj] : 0;\\\n"
              "        barrier(CLK_LOCAL_MEM_FENCE);\\\n"
              "        for (uint q = 0; q < TILE; q++)\\\n"
              "            sum += ta[y][q] * tb[q][x];\\\n"
              "        barrier(CLK_LOCAL_MEM_FENCE);\\\n"
              "    }\\\n"
              "    if (i < m && j < n)\\\n"
              "        c[i * n + j] = sum;\\\n"
              "}\n"
              "GEMM(hone_gemm_float, float)\n"
              "GEMM(hone_gemm_double, double)\n";

static cl_program build_helpers(struct opencl *o, const char *source, struct error *e)
{
    cl_int code;
    cl_program p = o->cl.clCreateProgramWithSource(o->context, 1, &source, NULL, &code);
    if (!p) {
        opencl_error(e, "clCreateProgramWithSource", code);
        return NULL;
    }
    code = o->cl.clBuildProgram(p, 1, &o->device, "", NULL, NULL);
    if (code == CL_SUCCESS)
        return p;
    opencl_error(e, "clBuildProgram of hone's own kernels", code);
    o->cl.clReleaseProgram(p);
    return NULL;
}

static bool helper_kernel(struct opencl *o, cl_program p, const char *name, cl_kernel *out,
                          struct error *e)
{
    cl_int code = CL_SUCCESS;
    if (!*out)
        *out = o->cl.clCreateKernel(p, name, &code);
    return *out || opencl_error(e, "clCreateKernel of hone's own kernels", code);
}

void opencl_helpers_free(struct opencl *o)
{
    cl_kernel kernels[] = {o->checksum, o->gemm_float, o->gemm_double};
    cl_program programs[] = {o->helpers, o->helpers_f64};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        if (kernels[i])
            o->cl.clReleaseKernel(kernels[i]);
    }
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        if (programs[i])
            o->cl.clReleaseProgram(programs[i]);
    }
}

struct helper_argument {
    size_t size;
    const void *value;
};

static bool set_arguments(struct opencl *o, cl_kernel k, const struct helper_argument *a,
                          cl_uint count, struct error *e)
{
    cl_int code = CL_SUCCESS;
    for (cl_uint i = 0; i < count && code == CL_SUCCESS; i++)
        code = o->cl.clSetKernelArg(k, i, a[i].size, a[i].value);
    return code == CL_SUCCESS || opencl_error(e, "clSetKernelArg", code);
}

// Runs the kernel and reads what it wrote.
static bool run_helper(struct opencl *o, cl_kernel k, cl_uint dimensions, const size_t *global,
                       const size_t *local, cl_mem from, size_t bytes, void *to, struct error *e)
{
    cl_int code =
        o->cl.clEnqueueNDRangeKernel(o->queue, k, dimensions, NULL, global, local, 0, NULL, NULL);
    if (code != CL_SUCCESS)
        return opencl_error(e, "clEnqueueNDRangeKernel", code);
    code = o->cl.clEnqueueReadBuffer(o->queue, from, CL_TRUE, 0, bytes, to, 0, NULL, NULL);
    return code == CL_SUCCESS || opencl_error(e, "clEnqueueReadBuffer", code);
}

// ---- checksum

static bool sum_words(struct opencl *o, cl_mem words, cl_ulong count, cl_mem sums,
                      uint64_t *partial, struct error *e)
{
    size_t global = SUM_GROUPS * SUM_LOCAL, local = SUM_LOCAL;
    const struct helper_argument arguments[] = {
        {sizeof words, &words}, {sizeof count, &count}, {sizeof sums, &sums}};
    return set_arguments(o, o->checksum, arguments, 3, e) &&
           run_helper(o, o->checksum, 1, &global, &local, sums, global * sizeof *partial, partial,
                      e);
}

// The last bytes, fewer than a word, as the host sums them; `place` is their word's.
static bool sum_rest(struct opencl *o, struct memory *m, uint64_t *sum, struct error *e)
{
    uint8_t bytes[16] = {0};
    uint64_t rest = m->bytes % 8, words = m->bytes / 8;
    if (rest == 0)
        return true;
    if (!opencl_read(o, m, (int64_t)(8 * words), bytes, rest, e))
        return false;
    *sum += checksum_word(bytes, rest, words);
    return true;
}

bool opencl_checksum(void *own, struct memory *m, uint64_t *out, struct error *e)
{
    struct opencl *o = own;
    const size_t bytes = SUM_GROUPS * SUM_LOCAL * sizeof(uint64_t);
    cl_int code = CL_SUCCESS;
    cl_mem sums = NULL;
    uint64_t *partial = malloc(bytes);
    bool ok = partial || error_memory(e);
    if (ok && !o->helpers)
        ok = (o->helpers = build_helpers(o, checksum_source, e)) != NULL;
    ok = ok && helper_kernel(o, o->helpers, "hone_checksum", &o->checksum, e);
    if (!ok)
        goto done;
    sums = o->cl.clCreateBuffer(o->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    ok = sums ? sum_words(o, m->view, m->bytes / 8, sums, partial, e)
              : opencl_error(e, "clCreateBuffer", code);
    if (!ok)
        error_context(e, "checksum of a buffer");
    *out = 0;
    for (size_t i = 0; ok && i < SUM_GROUPS * SUM_LOCAL; i++)
        *out += partial[i];
    ok = ok && sum_rest(o, m, out, e);
done:
    if (sums)
        o->cl.clReleaseMemObject(sums);
    free(partial);
    return ok;
}

// ---- gemm

// The kernel for these operands, or NULL: other types, a device without float64, a CPU (where the
// host's own routine is faster).
static cl_kernel gemm_kernel(struct opencl *o, const struct gemm_request *g)
{
    enum scalar s = g->a_buffer->element.scalar;
    if (o->info->type == DEVICE_CPU || !o->info->float64 || s != g->b_buffer->element.scalar ||
        (s != SCALAR_FLOAT && s != SCALAR_DOUBLE))
        return NULL;
    if (!o->helpers_f64)
        o->helpers_f64 = build_helpers(o, gemm_source, NULL);
    if (!o->helpers_f64)
        return NULL;
    cl_kernel *kernel = s == SCALAR_FLOAT ? &o->gemm_float : &o->gemm_double;
    const char *name = s == SCALAR_FLOAT ? "hone_gemm_float" : "hone_gemm_double";
    return helper_kernel(o, o->helpers_f64, name, kernel, NULL) ? *kernel : NULL;
}

static bool run_gemm(struct opencl *o, cl_kernel kernel, const struct gemm_request *g, cl_mem c)
{
    const struct job_gemm *j = g->gemm;
    cl_mem a = g->a->view, b = g->b->view;
    cl_ulong m = j->m, n = j->n, k = j->k;
    cl_ulong ai = j->transpose_a ? 1 : k, ap = j->transpose_a ? m : 1;
    cl_ulong bp = j->transpose_b ? 1 : n, bj = j->transpose_b ? k : 1;
    const struct helper_argument arguments[] = {
        {sizeof a, &a}, {sizeof b, &b}, {sizeof c, &c}, {8, &m},  {8, &n},
        {8, &k},        {8, &ai},       {8, &ap},       {8, &bp}, {8, &bj}};
    size_t local[2] = {TILE, TILE};
    size_t global[2] = {(size_t)(n + TILE - 1) / TILE * TILE, (size_t)(m + TILE - 1) / TILE * TILE};
    return set_arguments(o, kernel, arguments, sizeof arguments / sizeof *arguments, NULL) &&
           run_helper(o, kernel, 2, global, local, c, (size_t)(m * n * 8), g->out, NULL);
}

bool opencl_gemm(void *own, const struct gemm_request *g)
{
    struct opencl *o = own;
    cl_int code;
    cl_kernel kernel = gemm_kernel(o, g);
    if (!kernel)
        return false;
    size_t bytes = (size_t)(g->gemm->m * g->gemm->n * sizeof(double));
    cl_mem c = o->cl.clCreateBuffer(o->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (!c)
        return false;
    bool ok = run_gemm(o, kernel, g, c);
    o->cl.clReleaseMemObject(c);
    return ok;
}
