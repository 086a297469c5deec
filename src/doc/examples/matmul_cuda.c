/* Multiplies matrices by CUDA's driver API with the configuration that hone deployed for their size.
 *
 *   hone deploy matmul_tensor.json --language cuda --set M=256..4096 --set N=M --set K=M --format header --with source \
 *        --name matmul -o matmul_deployed.h
 *   cc -std=c99 -O2 -I. matmul_cuda.c -o matmul_cuda -ldl -lm
 *   ./matmul_cuda 1000 2000 3000  4096 4096 4096
 *
 * The driver and NVRTC are opened at run time, so that this compiles without CUDA; without a card it says so and ends
 * with 77. For each product it prints why the configuration was taken, whether the result is right, and how much faster
 * it is than the kernel's default. */
#define _POSIX_C_SOURCE 200809L
#include "matmul_deployed.h"
#include "matmul_rounds.h"

#include <dlfcn.h>

enum {
    LAUNCHES_MOST = 8,
    OPTIONS_MOST = 4096,
    WORDS_MOST = 256,
    NO_CARD = 77,
    FLOAT_ONE = 0x3f800000
};
enum {
    ATTRIBUTE_UNITS = 16,
    ATTRIBUTE_MAJOR = 75,
    ATTRIBUTE_MINOR = 76,
    FUNCTION_LOCAL_MEMORY = 8
};

typedef unsigned long long memory; /* CUdeviceptr */
typedef void *handle;              /* of a context, module, function, event or program */

/* What is used of the driver (cuda.h) and of NVRTC (nvrtc.h): the function's name there, its parameters. */
#define DRIVER_CALLS(X)                                                                            \
    X(cuInit, (unsigned flags))                                                                    \
    X(cuDeviceGet, (int *device, int index))                                                       \
    X(cuDeviceGetName, (char *name, int size, int device))                                         \
    X(cuDeviceGetAttribute, (int *value, int attribute, int device))                               \
    X(cuDevicePrimaryCtxRetain, (handle * context, int device))                                    \
    X(cuCtxSetCurrent, (handle context))                                                           \
    X(cuCtxSynchronize, (void))                                                                    \
    X(cuMemAlloc_v2, (memory * out, size_t bytes))                                                 \
    X(cuMemsetD32_v2, (memory to, unsigned with, size_t count))                                    \
    X(cuMemFree_v2, (memory what))                                                                 \
    X(cuMemcpyHtoD_v2, (memory to, const void *from, size_t bytes))                                \
    X(cuMemcpyDtoH_v2, (void *to, memory from, size_t bytes))                                      \
    X(cuModuleLoadData, (handle * module, const void *image))                                      \
    X(cuModuleUnload, (handle module))                                                             \
    X(cuModuleGetFunction, (handle * function, handle module, const char *name))                   \
    X(cuFuncSetAttribute, (handle function, int attribute, int value))                             \
    X(cuLaunchKernel,                                                                              \
      (handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,           \
       unsigned bz, unsigned local, handle stream, void **arguments, void **extra))                \
    X(cuEventCreate, (handle * event, unsigned flags))                                             \
    X(cuEventRecord, (handle event, handle stream))                                                \
    X(cuEventSynchronize, (handle event))                                                          \
    X(cuEventElapsedTime, (float *ms, handle from, handle to))
#define COMPILER_CALLS(X)                                                                          \
    X(nvrtcCreateProgram, (handle * program, const char *source, const char *name, int headers,    \
                           const char *const *texts, const char *const *names))                    \
    X(nvrtcCompileProgram, (handle program, int count, const char *const *options))                \
    X(nvrtcDestroyProgram, (handle * program))                                                     \
    X(nvrtcGetProgramLogSize, (handle program, size_t * size))                                     \
    X(nvrtcGetProgramLog, (handle program, char *log))                                             \
    X(nvrtcGetCUBINSize, (handle program, size_t * size))                                          \
    X(nvrtcGetCUBIN, (handle program, char *cubin))

#define DECLARE(name, parameters) static int(*name) parameters;
DRIVER_CALLS(DECLARE)
COMPILER_CALLS(DECLARE)
#undef DECLARE

#define CHECK(call) check_code((call), #call)

static void check_code(int code, const char *call)
{
    char why[40];
    if (code == 0)
        return;
    snprintf(why, sizeof why, "error %d", code);
    stop(call, why);
}

/* ISO C knows no conversion between pointers to data and to functions; POSIX's dlsym() needs one. */
static int load(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static void *open_any(const char *const *names)
{
    void *library = NULL;
    for (; *names && !library; names++)
        library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    return library;
}

static void open_libraries(void)
{
    static const char *const drivers[] = {"libcuda.so.1", "libcuda.so", NULL};
    static const char *const compilers[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12",
                                            "libnvrtc.so.11.2", NULL};
    void *driver = open_any(drivers), *compiler = open_any(compilers);
    int whole = driver && compiler;
#define LOAD_DRIVER(name, parameters)   whole = whole && load(driver, #name, &name);
#define LOAD_COMPILER(name, parameters) whole = whole && load(compiler, #name, &name);
    DRIVER_CALLS(LOAD_DRIVER)
    COMPILER_CALLS(LOAD_COMPILER)
    int device;
    if (!whole || cuInit(0) != 0 || cuDeviceGet(&device, 0) != 0) {
        printf("no CUDA card: %s\n",
               !driver     ? "there is no libcuda.so.1"
               : !compiler ? "there is no libnvrtc.so; name its folder in LD_LIBRARY_PATH"
                           : "the driver offers none");
        exit(NO_CARD);
    }
}

typedef struct machine {
    int device, units;
    char name[256], architecture[16];
    matmul_handle handle;
} machine;

/* One configuration, built for a size, with its launches and buffers. */
typedef struct built {
    handle module, functions[LAUNCHES_MOST];
    hone_deployed_launch launches[LAUNCHES_MOST];
    uint32_t count;
    memory buffers[matmul_ARGUMENT_COUNT];
    int is_given[matmul_ARGUMENT_COUNT];
} built;

static void open_machine(machine *m)
{
    handle context;
    int major, minor;
    open_libraries();
    CHECK(cuDeviceGet(&m->device, 0));
    CHECK(cuDeviceGetName(m->name, sizeof m->name, m->device));
    CHECK(cuDeviceGetAttribute(&m->units, ATTRIBUTE_UNITS, m->device));
    CHECK(cuDeviceGetAttribute(&major, ATTRIBUTE_MAJOR, m->device));
    CHECK(cuDeviceGetAttribute(&minor, ATTRIBUTE_MINOR, m->device));
    CHECK(cuDevicePrimaryCtxRetain(&context, m->device));
    CHECK(cuCtxSetCurrent(context));
    snprintf(m->architecture, sizeof m->architecture, "sm_%d", (10 * major + minor) % 1000);
    m->handle = matmul_device_like(m->name, "NVIDIA Corporation", m->architecture, m->units);
}

/* The options are one text, whose blanks separate them. Instructions of one architecture alone need its name with 'a'. */
static int split_options(const machine *m, char *text, char *target, size_t size,
                         const char **words)
{
    int count = 0;
    const int own = hone_core_capability(m->architecture) >= 90;
    snprintf(target, size, "--gpu-architecture=%s%s", m->architecture, own ? "a" : "");
    words[count++] = target;
    for (char *word = strtok(text, " "); word && count < WORDS_MOST; word = strtok(NULL, " "))
        words[count++] = word;
    return count;
}

static void compile(const machine *m, const matmul_configuration *c, const int64_t size[3],
                    built *out)
{
    char options[OPTIONS_MOST], target[64];
    const char *words[WORDS_MOST];
    const size_t length = matmul_source(NULL, 0);
    char *source = (char *)malloc(length + 1);
    handle program;
    size_t bytes = 0;
    if (!source || matmul_options(&m->handle, c, size[0], size[1], size[2], options,
                                  sizeof options) >= sizeof options)
        stop("the source or the options", "longer than this program has room for");
    matmul_source(source, length + 1);
    const int count = split_options(m, options, target, sizeof target, words);
    CHECK(nvrtcCreateProgram(&program, source, "matmul.cu", 0, NULL, NULL));
    if (nvrtcCompileProgram(program, count, words) != 0) {
        CHECK(nvrtcGetProgramLogSize(program, &bytes));
        char *log = (char *)calloc(1, bytes + 1);
        if (log)
            nvrtcGetProgramLog(program, log);
        stop("nvrtcCompileProgram", log ? log : "");
    }
    CHECK(nvrtcGetCUBINSize(program, &bytes));
    char *image = (char *)malloc(bytes ? bytes : 1);
    if (!image)
        stop("a program", "no memory");
    CHECK(nvrtcGetCUBIN(program, image));
    CHECK(cuModuleLoadData(&out->module, image));
    CHECK(nvrtcDestroyProgram(&program));
    free(image);
    free(source);
}

/* The program that stands in the header for this size on such a card, else one that is compiled now. */
static void load_program(const machine *m, const matmul_configuration *c, const int64_t size[3],
                         built *out)
{
#ifdef matmul_BINARY_COUNT
    const matmul_binary *known = matmul_find_binary(m->architecture, c, size[0], size[1], size[2]);
    if (known) {
        printf("  its %s stands in the header, %lu bytes\n", known->kind,
               (unsigned long)known->length);
        CHECK(cuModuleLoadData(&out->module, known->bytes));
        return;
    }
#endif
    compile(m, c, size, out);
}

/* Buffers of the kernel's own begin with zeros; those of A, B, C and the bias are given, and both scales are 1. */
static void make_buffers(const machine *m, const matmul_configuration *c, const int64_t size[3],
                         const memory given[4], built *out)
{
    for (uint32_t i = 0; i < matmul_ARGUMENT_COUNT; i++) {
        const unsigned with = !strcmp(matmul_argument_names[i], "scales") ? FLOAT_ONE : 0;
        const int which = find_given(matmul_argument_names[i]);
        out->is_given[i] = which >= 0;
        const int64_t bytes =
            which < 0 ? matmul_bytes(&m->handle, c, i, size[0], size[1], size[2]) : 0;
        if (which >= 0)
            out->buffers[i] = given[which];
        else if (bytes > 0)
            CHECK(cuMemAlloc_v2(&out->buffers[i], (size_t)(bytes + 3) / 4 * 4));
        else
            stop("a temporary buffer", "it has no size");
        if (which < 0)
            CHECK(cuMemsetD32_v2(out->buffers[i], with, (size_t)(bytes + 3) / 4));
    }
}

static void make_launches(const machine *m, const matmul_configuration *c, const int64_t size[3],
                          built *out)
{
    for (uint32_t i = 0; i < c->launch_count && out->count < LAUNCHES_MOST; i++) {
        hone_deployed_launch *l = &out->launches[out->count];
        const int wanted = matmul_launch(&m->handle, c, i, size[0], size[1], size[2], l);
        if (wanted < 0)
            stop("a launch", "one of its sizes has no value");
        if (!wanted)
            continue;
        handle *function = &out->functions[out->count++];
        CHECK(cuModuleGetFunction(function, out->module, l->kernel));
        CHECK(cuFuncSetAttribute(*function, FUNCTION_LOCAL_MEMORY, (int)l->local_memory));
    }
}

static built *build(const machine *m, const matmul_configuration *c, const int64_t size[3],
                    const memory given[4])
{
    built *out = (built *)calloc(1, sizeof *out);
    if (!out)
        stop("a configuration", "no memory");
    load_program(m, c, size, out);
    make_buffers(m, c, size, given, out);
    make_launches(m, c, size, out);
    return out;
}

static void release(built *b)
{
    for (uint32_t i = 0; i < matmul_ARGUMENT_COUNT; i++) {
        if (!b->is_given[i])
            CHECK(cuMemFree_v2(b->buffers[i]));
    }
    CHECK(cuModuleUnload(b->module));
    free(b);
}

static double run(built *b)
{
    static handle from, to;
    float ms = 0;
    if (!from) {
        CHECK(cuEventCreate(&from, 0));
        CHECK(cuEventCreate(&to, 0));
    }
    CHECK(cuEventRecord(from, NULL));
    for (uint32_t i = 0; i < b->count; i++) {
        const hone_deployed_launch *l = &b->launches[i];
        void *arguments[matmul_ARGUMENT_COUNT + 1];
        for (uint32_t a = 0; a < l->argument_count; a++)
            arguments[a] = &b->buffers[l->arguments[a]];
        CHECK(cuLaunchKernel(b->functions[i], (unsigned)l->grid[0], (unsigned)l->grid[1],
                             (unsigned)l->grid[2], (unsigned)l->local[0], (unsigned)l->local[1],
                             (unsigned)l->local[2], (unsigned)l->local_memory, NULL, arguments,
                             NULL));
    }
    CHECK(cuEventRecord(to, NULL));
    CHECK(cuEventSynchronize(to));
    CHECK(cuEventElapsedTime(&ms, from, to));
    return 1e6 * (double)ms;
}

static void compare(built *best, built *other)
{
    double best_ns[ROUNDS], default_ns[ROUNDS];
    run(other);
    for (int i = 0; i < ROUNDS; i++) {
        best_ns[i] = run(best);
        default_ns[i] = run(other);
    }
    print_ratio(best_ns, default_ns);
}

static void multiply(const machine *m, const int64_t size[3])
{
    void *host[4];
    memory device[4];
    char why[500], options[OPTIONS_MOST];
    const matmul_configuration *best = matmul_best_on(&m->handle, size[0], size[1], size[2]);
    matmul_why_on(&m->handle, size[0], size[1], size[2], why, sizeof why);
    printf("%lld x %lld x %lld: %s\n  %s\n", (long long)size[0], (long long)size[1],
           (long long)size[2], why, best ? best->text : "");
    if (!best)
        exit(EXIT_FAILURE);
    matmul_options(&m->handle, best, size[0], size[1], size[2], options, sizeof options);
    const product p = describe_product(
        options, matmul_bytes(&m->handle, best, matmul_ARGUMENT_A, size[0], size[1], size[2]) /
                     (size[0] * size[2]));
    for (int i = 0; i < 4; i++) {
        host[i] = make_matrix(&p, i, size);
        CHECK(cuMemAlloc_v2(&device[i], matrix_bytes(&p, i, size)));
        CHECK(cuMemcpyHtoD_v2(device[i], host[i], matrix_bytes(&p, i, size)));
    }
    built *fast = build(m, best, size, device), *plain = build(m, matmul_default(), size, device);
    run(fast);
    CHECK(cuMemcpyDtoH_v2(host[2], device[2], matrix_bytes(&p, 2, size)));
    check_product(&p, host, size[0], size[1], size[2]);
    if (best == matmul_default())
        printf("  right; it is the default\n");
    else
        compare(fast, plain);
    release(fast);
    release(plain);
    for (int i = 0; i < 4; i++) {
        CHECK(cuMemFree_v2(device[i]));
        free(host[i]);
    }
}

int main(int argc, char **argv)
{
    machine m;
    memset(&m, 0, sizeof m);
    if (argc < 4 || argc % 3 != 1)
        stop(argv[0], "M N K [M N K]...");
    open_machine(&m);
    printf("%s, %s, %d multiprocessors\n", m.name, m.architecture, m.units);
    for (int i = 1; i < argc; i += 3) {
        const int64_t size[3] = {read_size(argv[i]), read_size(argv[i + 1]),
                                 read_size(argv[i + 2])};
        multiply(&m, size);
    }
    return EXIT_SUCCESS;
}
