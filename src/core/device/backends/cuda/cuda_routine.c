// cuBLAS as a vendor's routine (job.h), on the stream that everything goes through: SGEMM, and for
// matrices of half and bfloat16 GemmEx, which sums in float and rounds C to their type, DGEMM for
// double, and cublasLtMatmul for 8-bit floats.
#include "device/backends/blas/cublas.h"
#include "os/process.h"
#include "base/text.h"
#include "device/backends/cuda/cuda.h"
#include "device/backends/cuda/cuda_lt.h"
#include "device/routine.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static const struct library_function entries[] = {
#define X(name, symbol, result, parameters) {symbol, offsetof(struct cublas_api, name), false},
    CUBLAS_FUNCTIONS(X)
#undef X
#define X(name, symbol, result, parameters) {symbol, offsetof(struct cublas_api, name), true},
        CUBLASLT_FUNCTIONS(X) // not of versions before 10.1
#undef X
};

struct cuda_routine {
    struct cublas_api call;
    cublasHandle_t handle;
    struct product product;
    enum routine kind;
    struct cuda_lt lt; // 8-bit floats
};

// ---- opening -----------------------------------------------------------------------------------

static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", NULL};

// A toolkit's folder need not be known to the loader, and cuBLAS does not say where the library is
// that it is a part of itself: that one beside it is opened first.
static void open_beside(const char *folder, const char *name)
{
    struct text path = TEXT_INIT;
    text_addf(&path, "%s/libcublasLt%s", folder, name + strlen("libcublas"));
    dlopen(text_cstr(&path), RTLD_NOW | RTLD_LOCAL);
    text_release(&path);
}

static void *open_in(const char *folder, void *context)
{
    struct text *why = context;
    void *library = NULL;
    for (size_t i = 0; !library && names[i]; i++) {
        struct text path = TEXT_INIT;
        text_addf(&path, "%s/%s", folder, names[i]);
        open_beside(folder, names[i]);
        library = routine_open(text_cstr(&path), why);
        text_release(&path);
    }
    return library;
}

static void *look_in_toolkits(const struct library_search *s, struct text *tried, struct text *why)
{
    const char *toolkit = s->context;
    text_addf(tried, ", below %s%sthe usual folders of CUDA toolkits", toolkit ? toolkit : "",
              toolkit ? " and in " : "");
    return cuda_toolkits_find(toolkit, open_in, why);
}

static void open_before(const char *given)
{
    const char *name = strrchr(given, '/');
    struct text folder = TEXT_INIT;
    if (!name || strncmp(name + 1, "libcublas.so", strlen("libcublas.so")) != 0)
        return;
    text_addn(&folder, given, (size_t)(name - given));
    open_beside(text_cstr(&folder), name + 1);
    text_release(&folder);
}

// ---- codes -------------------------------------------------------------------------------------

#define NAMED(name, value) {#name, value},
static const struct {
    const char *name;
    int code;
} codes[] = {CUBLAS_CONSTANTS(NAMED)};

static const char *code_text(int code, char *out, size_t size)
{
    const char *name = "a code of its own";
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (codes[i].code == code && str_starts(codes[i].name, "CUBLAS_STATUS_")) {
            name = codes[i].name;
            break;
        }
    }
    str_format(out, size, "%s (%d)", name, code);
    return out;
}

static const char *remedy_of(int code)
{
    switch (code) {
    case CUBLAS_STATUS_NOT_INITIALIZED:
    case CUBLAS_STATUS_ARCH_MISMATCH:
        return ": the driver may be too old for this cuBLAS, or the card too old or too new for "
               "it; name another one with --against cublas=FILE";
    case CUBLAS_STATUS_ALLOC_FAILED:
        return ": the card has no memory left for its work space; take smaller sizes";
    default:
        return "";
    }
}

// Reports a failure before anything was launched.
static bool report(const char *call, int code, struct result *r)
{
    char text[96];
    return result_fail(r, STATUS_CONSTRAINTS, FAULT_CONFIGURATION, "%s: %s%s", call,
                       code_text(code, text, sizeof text), remedy_of(code));
}

// ---- making ------------------------------------------------------------------------------------

// 130100 is 13.1.0; before cuBLAS 11 the numbers had a digit less.
// The version is asked without a handle, which would need a card.
static void describe_cublas(const struct cublas_api *call, enum routine kind, void *library,
                            struct text *about)
{
    int version = 0;
    struct text name = TEXT_INIT;
    if (call->hone_cublas_version(NULL, &version) == CUBLAS_STATUS_SUCCESS && version > 0)
        text_addf(&name, "cuBLAS %d.%d.%d", version / 10000, version / 100 % 100, version % 100);
    else
        text_add(&name, "cuBLAS");
    text_add(&name, kind == ROUTINE_CUBLAS_TF32   ? " with TF32"
                    : kind == ROUTINE_CUBLAS_FAST ? " with fast sums"
                                                  : " without TF32");
    routine_about(library, "cublasSgemm_v2", text_cstr(&name), about);
    about->failed |= name.failed;
    text_release(&name);
}

// NULL: the result says why.
static void *open_library(enum routine kind, const char *given, const char *toolkit,
                          struct cublas_api *call, struct result *r)
{
    struct library_search s = {.routine = kind,
                               .given = given,
                               .names = names,
                               .remedy = "install it (NVIDIA: libcublas-12-0 or newer; Debian: "
                                         "libcublas11), set CUDA_HOME or LD_LIBRARY_PATH to where "
                                         "it is",
                               .elsewhere = look_in_toolkits,
                               .context = toolkit};
    if (given)
        open_before(given);
    return routine_library(&s, entries, sizeof entries / sizeof *entries, call, r);
}

bool cublas_about(enum routine kind, const char *given, const char *toolkit, struct text *about,
                  struct result *r)
{
    struct cublas_api call;
    void *library = open_library(kind, given, toolkit, &call, r);
    if (library)
        describe_cublas(&call, kind, library, about);
    return library != NULL;
}

static bool create(struct cuda *o, struct cuda_routine *t, struct result *r)
{
    int code = t->call.hone_cublas_create(&t->handle);
    if (code != CUBLAS_STATUS_SUCCESS) {
        t->handle = NULL;
        return report("cublasCreate", code, r);
    }
    code = t->call.hone_cublas_stream(t->handle, o->stream);
    if (code != CUBLAS_STATUS_SUCCESS)
        return report("cublasSetStream", code, r);
    bool tf32 = t->kind == ROUTINE_CUBLAS_TF32;
    code = t->call.hone_cublas_math(t->handle,
                                    tf32 ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_DEFAULT_MATH);
    return code == CUBLAS_STATUS_SUCCESS || report("cublasSetMathMode", code, r);
}

static bool is_by_lt(const struct product *p)
{
    return scalar_narrow(p->type) && scalar_bytes(p->type) == 1;
}

static bool prepare_lt(struct cuda *o, struct cuda_routine *t, struct result *r)
{
    const char *call = "opening cublasLt";
    int code = CUBLAS_STATUS_NOT_SUPPORTED;
    t->lt.call = &t->call;
    t->lt.cuda = o;
    t->lt.handle = t->handle;
    t->lt.product = &t->product;
    return (t->call.hone_lt_matmul &&
            cuda_lt_init(&t->lt, t->kind == ROUTINE_CUBLAS_FAST, &call, &code)) ||
           report(call, code, r);
}

static bool is_runnable(const struct cuda *o, enum routine kind, struct result *r)
{
    if (kind != ROUTINE_CUBLAS && kind != ROUTINE_CUBLAS_TF32 && kind != ROUTINE_CUBLAS_FAST)
        return result_fail(r, STATUS_CONSTRAINTS, FAULT_CONFIGURATION,
                           "%s is not called through CUDA: cuBLAS is, CLBlast through OpenCL, a "
                           "CBLAS on the host",
                           routine_title(kind));
    if (!o->runs)
        return result_fail(r, STATUS_RUNTIME, FAULT_WORKER,
                           "this device was opened to build for it: nothing can be run");
    // Older cards take the mode and compute in float: that would be told as TF32.
    if (kind != ROUTINE_CUBLAS_TF32 || o->info->capability >= 80)
        return true;
    return result_fail(r, STATUS_CONSTRAINTS, FAULT_CONFIGURATION,
                       "TF32 needs compute capability 8.0 (Ampere), and %s has %u.%u",
                       o->info->name, o->info->capability / 10, o->info->capability % 10);
}

static bool make_cublas_routine(struct cuda *o, struct cuda_routine *t, const struct job *j,
                                struct text *about, struct result *r)
{
    void *library = open_library(t->kind, j->routine_library, o->options->toolkit, &t->call, r);
    if (!library || !create(o, t, r) || (is_by_lt(&t->product) && !prepare_lt(o, t, r)))
        return false;
    describe_cublas(&t->call, t->kind, library, about);
    return true;
}

void *cuda_routine_new(void *own, const struct job *j, struct text *about, struct result *r)
{
    struct product p;
    if (!is_runnable(own, j->routine, r) || !product_of(j, &p, r))
        return NULL;
    struct cuda_routine *t = calloc(1, sizeof *t);
    if (!t) {
        result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
        return NULL;
    }
    t->kind = j->routine;
    t->product = p;
    if (make_cublas_routine(own, t, j, about, r))
        return t;
    cuda_routine_free(own, t);
    return NULL;
}

void cuda_routine_free(void *own, void *routine)
{
    struct cuda_routine *t = routine;
    (void)own;
    if (t)
        cuda_lt_release(&t->lt);
    if (t && t->handle)
        t->call.hone_cublas_destroy(t->handle);
    free(t);
}

// ---- running -----------------------------------------------------------------------------------

static bool report_driver(struct cuda *o, const char *call, CUresult code, bool *lost,
                          struct result *r)
{
    char text[256];
    *lost = true;
    return result_fail(r, STATUS_RUNTIME, FAULT_CONFIGURATION,
                       "cuBLAS failed while running: %s: %s", call,
                       cuda_code_text(&o->cu, code, text, sizeof text));
}

// Reports a failed call. The driver's error, which may be sticky, precedes that of cuBLAS.
static bool report_call(struct cuda *o, const char *call, int code, bool *lost, struct result *r)
{
    char text[96];
    CUresult driver = o->cu.cuStreamSynchronize(o->stream);
    if (driver != CUDA_SUCCESS)
        return report_driver(o, call, driver, lost, r);
    bool refused = code == CUBLAS_STATUS_NOT_SUPPORTED || code == CUBLAS_STATUS_ALLOC_FAILED ||
                   code == CUBLAS_STATUS_ARCH_MISMATCH || code == CUBLAS_STATUS_INVALID_VALUE;
    return result_fail(r, refused ? STATUS_CONSTRAINTS : STATUS_RUNTIME, FAULT_CONFIGURATION,
                       "%s: %s%s", call, code_text(code, text, sizeof text), remedy_of(code));
}

// cuBLAS takes columns for rows: C' = B' A' in place of C = A B.
static int multiply(struct cuda_routine *t, struct memory *const *memory, const char **call)
{
    const struct product *p = &t->product;
    const float alpha = (float)p->of.alpha, beta = (float)p->of.beta;
    const int op_a = p->of.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N;
    const int op_b = p->of.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
    const int type = p->type == SCALAR_HALF    ? CUDA_R_16F
                     : p->type == SCALAR_FLOAT ? CUDA_R_32F
                                               : CUDA_R_16BF;
    const void *a = (const void *)(uintptr_t)cuda_at(memory[p->of.a], 0);
    const void *b = (const void *)(uintptr_t)cuda_at(memory[p->of.b], 0);
    void *c = (void *)(uintptr_t)cuda_at(memory[p->of.c], 0);
    if (is_by_lt(p)) {
        *call = "cublasLtMatmul";
        return cuda_lt_multiply(&t->lt, a, b, c);
    }
    if (p->count > 1) {
        const long long m = p->m, n = p->n, k = p->k;
        *call = "cublasGemmStridedBatchedEx";
        return t->call.hone_cublas_gemm_batched(t->handle, op_b, op_a, p->n, p->m, p->k, &alpha, b,
                                                type, p->b_row, k * n, a, type, p->a_row, m * k,
                                                &beta, c, type, p->c_row, m * n, p->count,
                                                CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    }
    if (scalar_narrow(p->type)) {
        *call = "cublasGemmEx";
        return t->call.hone_cublas_gemm_ex(t->handle, op_b, op_a, p->n, p->m, p->k, &alpha, b, type,
                                           p->b_row, a, type, p->a_row, &beta, c, type, p->c_row,
                                           CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    }
    if (p->type == SCALAR_DOUBLE) {
        *call = "cublasDgemm";
        return t->call.hone_cublas_dgemm(t->handle, op_b, op_a, p->n, p->m, p->k, &p->of.alpha, b,
                                         p->b_row, a, p->a_row, &p->of.beta, c, p->c_row);
    }
    *call = "cublasSgemm";
    return t->call.hone_cublas_sgemm(t->handle, op_b, op_a, p->n, p->m, p->k, &alpha, b, p->b_row,
                                     a, p->a_row, &beta, c, p->c_row);
}

static bool put_cublas_calls(struct cuda *o, struct cuda_routine *t, const struct run *run,
                             bool *lost, struct result *r)
{
    const char *call = "cuLaunchKernel of hone's own";
    CUresult code = cuda_hold(o, run, &o->calls);
    if (code == CUDA_SUCCESS) {
        call = "cuEventRecord";
        code = o->cu.cuEventRecord(o->events[0], o->stream);
    }
    uint64_t from_ns = clock_ns();
    for (uint32_t i = 0; code == CUDA_SUCCESS && i < run->batch; i++) {
        const char *routine;
        int answer = multiply(t, run_memory(run, i), &routine);
        if (answer != CUBLAS_STATUS_SUCCESS)
            return report_call(o, routine, answer, lost, r);
    }
    hold_learn(&o->calls, run->batch, clock_ns() - from_ns);
    if (code == CUDA_SUCCESS)
        code = o->cu.cuEventRecord(o->events[1], o->stream);
    return code == CUDA_SUCCESS || report_driver(o, call, code, lost, r);
}

bool cuda_routine_run(void *own, void *routine, const struct run *run, struct run_times *times,
                      bool *lost, struct result *r)
{
    struct cuda *o = own;
    CUresult code;
    if (!cuda_make_events(o, 2, &code))
        return cuda_report_events(o, code, r);
    uint64_t start_ns = clock_ns();
    if (!put_cublas_calls(o, routine, run, lost, r))
        return false;
    if (run->meanwhile)
        run->meanwhile->act(run->meanwhile->context);
    code = o->cu.cuStreamSynchronize(o->stream);
    times->host_ns = clock_ns() - start_ns;
    if (code != CUDA_SUCCESS)
        return report_driver(o, "cuStreamSynchronize", code, lost, r);
    if (!cuda_time_between(o, 0, 1, &times->total_ns, &code))
        cuda_tell_time(o, code, times);
    return true;
}
