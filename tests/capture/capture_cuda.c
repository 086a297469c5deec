// A CUDA program of the tests, as capture_program.c is one for OpenCL: its first argument says what it does, its output is a line with
// a checksum. It uses the driver's interface and NVRTC, opened by dlopen; it knows nothing of hone. Its kernels are real ones, with
// the marks by which the driver for tests knows what they do.
#include "device/backends/cuda/cuda_api.h"
#include "extras/capture/capture_cuda.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct cuda_api cu;
static struct nvrtc_api rtc;
static struct {
    CAPTURE_CUDA_FUNCTIONS(CUDA_POINTER)
} more;

static void find(void *library, const char *symbol, void *to)
{
    void *at = dlsym(library, symbol);
    memcpy(to, &at, sizeof at);
}

static void need(int code, const char *what)
{
    if (code == 0)
        return;
    fprintf(stderr, "%s: %d\n", what, code);
    exit(3);
}

static void open_device(void)
{
    static const char *const compilers[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"};
    void *driver = dlopen(CUDA_LIBRARY, RTLD_NOW), *compiler = NULL;
    CUcontext context;
    CUdevice device;
    for (size_t i = 0; !compiler && i < sizeof compilers / sizeof *compilers; i++)
        compiler = dlopen(compilers[i], RTLD_NOW);
    if (!driver || !compiler)
        exit(77);
#define X(name, symbol, result, parameters) find(driver, symbol, (void *)&cu.name);
    CUDA_DRIVER_FUNCTIONS(X)
#undef X
#define X(name, symbol, result, parameters) find(driver, symbol, (void *)&more.name);
    CAPTURE_CUDA_FUNCTIONS(X)
#undef X
#define X(name, symbol, result, parameters) find(compiler, symbol, (void *)&rtc.name);
    NVRTC_FUNCTIONS(X)
#undef X
    if (cu.cuInit(0) != CUDA_SUCCESS || cu.cuDeviceGet(&device, 0) != CUDA_SUCCESS)
        exit(77);
    need(cu.cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    need(cu.cuCtxSetCurrent(context), "cuCtxSetCurrent");
}

static char *compile(const char *text, const char *name, const char *option, size_t *length)
{
    char target[64];
    int major = 9, minor = 0;
    CUdevice device = 0;
    nvrtcProgram p;
    cu.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    cu.cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    snprintf(target, sizeof target, "--gpu-architecture=sm_%d%d", major, minor);
    const char *options[] = {target, option};
    need(rtc.nvrtcCreateProgram(&p, text, "kernel.cu", 0, NULL, NULL), "nvrtcCreateProgram");
    need(rtc.nvrtcAddNameExpression(p, name), "nvrtcAddNameExpression");
    need(rtc.nvrtcCompileProgram(p, option ? 2 : 1, options), "nvrtcCompileProgram");
    need(rtc.nvrtcGetCUBINSize(p, length), "nvrtcGetCUBINSize");
    char *image = malloc(*length);
    need(rtc.nvrtcGetCUBIN(p, image), "nvrtcGetCUBIN");
    rtc.nvrtcDestroyProgram(&p);
    return image;
}

static CUmodule load(char *image, size_t size)
{
    CUmodule module;
    need(cu.cuModuleLoadData(&module, image), "cuModuleLoadData");
    memset(image, 0, size); // it is the program's again
    free(image);
    return module;
}

static CUmodule build(const char *text, const char *name, const char *option)
{
    size_t size = 0;
    char *image = compile(text, name, option, &size);
    return load(image, size);
}

static CUfunction function(CUmodule module, const char *name)
{
    CUfunction f;
    need(cu.cuModuleGetFunction(&f, module, name), "cuModuleGetFunction");
    return f;
}

static CUdeviceptr buffer(size_t count, float first)
{
    CUdeviceptr at;
    float *x = malloc(count * sizeof *x);
    for (size_t i = 0; i < count; i++)
        x[i] = first + (float)(i * 37 % 101);
    need(cu.cuMemAlloc(&at, count * sizeof *x), "cuMemAlloc");
    need(more.cuMemcpyHtoD(at, x, count * sizeof *x), "cuMemcpyHtoD");
    free(x);
    return at;
}

static void tell(CUdeviceptr at, size_t bytes)
{
    unsigned char *b = malloc(bytes);
    unsigned sum = 2166136261u;
    need(more.cuMemcpyDtoH(b, at, bytes), "cuMemcpyDtoH");
    for (size_t i = 0; i < bytes; i++)
        sum = (sum ^ b[i]) * 16777619u;
    printf("%08x\n", sum);
    fflush(stdout);
    free(b);
}

static void launch(CUfunction f, unsigned grid, unsigned block, void **parameters)
{
    need(cu.cuLaunchKernel(f, grid, 1, 1, block, 1, 1, 0, NULL, parameters, NULL),
         "cuLaunchKernel");
}

static const char add_text[] =
    "#ifndef ROWS\n"
    "#define ROWS 1\n"
    "#endif\n"
    "extern \"C\" __global__ void add(const float *a, const float *b, float *c, int n)\n"
    "{\n"
    "    // fake:add\n"
    "    for (int r = 0; r < ROWS; r++) {\n"
    "        int i = (blockIdx.x * ROWS + r) * blockDim.x + threadIdx.x;\n"
    "        if (i < n)\n"
    "            c[i] = a[i] + b[i];\n"
    "    }\n"
    "}\n";

static const char count_text[] = "extern \"C\" __global__ void count(float *x)\n"
                                 "{\n"
                                 "    // fake:count\n"
                                 "    x[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f;\n"
                                 "}\n";

// Launches of the sizes n, 2 n, ..., each several times.
// The work-group of launch i; `groups`: every third has another.
static unsigned group_of(bool has_groups, int i)
{
    return has_groups && i % 3 == 2 ? 64 : 128;
}

static void run_add(int shapes, int launches, int n, bool has_groups)
{
    CUmodule module = build(add_text, "add", "-DROWS=1");
    CUfunction f = function(module, "add");
    CUdeviceptr a = buffer((size_t)n * (size_t)shapes, 1),
                b = buffer((size_t)n * (size_t)shapes, 2),
                c = buffer((size_t)n * (size_t)shapes, 3);
    for (int i = 0; i < launches; i++) {
        int size = n * (i % shapes + 1);
        void *parameters[] = {&a, &b, &c, &size};
        const unsigned group = group_of(has_groups, i);
        launch(f, ((unsigned)size + group - 1) / group, group, parameters);
    }
    need(more.cuCtxSynchronize(), "cuCtxSynchronize");
    tell(c, (size_t)n * (size_t)shapes * sizeof(float));
    need(cu.cuModuleUnload(module), "cuModuleUnload");
}

// Three arrays in one allocation, as a caching allocator hands them out.
static void run_pool(void)
{
    enum { N = 1024 };
    CUfunction f = function(build(add_text, "add", NULL), "add");
    CUdeviceptr pool = buffer(4 * N, 1), b = pool + N * sizeof(float), c = b + N * sizeof(float);
    int n = N;
    void *parameters[] = {&pool, &b, &c, &n};
    launch(f, N / 128, 128, parameters);
    tell(pool, 4 * N * sizeof(float));
}

struct asking {
    CUmodule module;
    CUdeviceptr a, b, c;
};

// The function is asked for before each launch, by several threads.
static void *launch_asked(void *of)
{
    enum { N = 1024 };
    struct asking *x = of;
    int n = N;
    void *parameters[] = {&x->a, &x->b, &x->c, &n};
    for (int i = 0; i < 50; i++)
        launch(function(x->module, "add"), N / 128, 128, parameters);
    return NULL;
}

static void run_asked(void)
{
    enum { N = 1024 };
    pthread_t threads[4];
    struct asking list[4];
    CUmodule module = build(add_text, "add", "-DROWS=1");
    for (int t = 0; t < 4; t++) // the fake driver makes one buffer at a time
        list[t] = (struct asking){module, buffer(N, 1), buffer(N, 2), buffer(N, 3)};
    for (int t = 0; t < 4; t++)
        need(pthread_create(&threads[t], NULL, launch_asked, &list[t]), "pthread_create");
    for (int t = 0; t < 4; t++)
        pthread_join(threads[t], NULL);
    printf("asked\n");
}

// A pointer into the array of another.
static void run_overlap(void)
{
    enum { N = 1024 };
    CUfunction f = function(build(add_text, "add", NULL), "add");
    CUdeviceptr a = buffer(N + 1, 1), next = a + sizeof(float), c = buffer(N, 3);
    int n = N;
    void *parameters[] = {&a, &next, &c, &n};
    launch(f, N / 128, 128, parameters);
    tell(c, N * sizeof(float));
}

// The second launch is in place.
static void run_twins(void)
{
    enum { N = 1024 };
    CUfunction f = function(build(add_text, "add", NULL), "add");
    CUdeviceptr a = buffer(N, 1), b = buffer(N, 2), c = buffer(N, 3);
    int n = N;
    void *apart[] = {&a, &b, &c, &n}, *in_place[] = {&a, &b, &a, &n};
    launch(f, N / 128, 128, in_place);
    launch(f, N / 128, 128, apart);
    launch(f, N / 128, 128, in_place);
    tell(c, N * sizeof(float));
}

// In place, then one element on, with another size: a part of its memory is the other's.
static void run_shifted(void)
{
    enum { N = 1024 };
    CUfunction f = function(build(add_text, "add", NULL), "add");
    CUdeviceptr a = buffer(2 * N + 1, 1), b = buffer(2 * N, 2), next = a + sizeof(float);
    int n = N;
    void *in_place[] = {&a, &b, &a, &n}, *shifted[] = {&a, &b, &next, &n};
    for (int i = 0; i < 4; i++) // which takes the most time
        launch(f, N / 128, 128, in_place);
    n = 2 * N;
    launch(f, N / 64, 128, shifted);
    tell(a, N * sizeof(float));
}

// The result lies in a part of what is read.
static void run_partial(void)
{
    enum { N = 1024 };
    CUfunction f = function(build(add_text, "add", "-DROWS=1"), "add");
    CUdeviceptr a = buffer(4 * N, 1), b = buffer(N, 2), c = a + N;
    int n = N;
    void *parameters[] = {&a, &b, &c, &n};
    launch(f, N / 128, 128, parameters);
    tell(a, 2 * N * sizeof(float));
}

// Parameters as one buffer.
static void run_extra(void)
{
    enum { N = 1024 };
    CUfunction f = function(build(count_text, "count", NULL), "count");
    CUdeviceptr x = buffer(N, 1);
    size_t size = sizeof x;
    void *extra[] = {(void *)(uintptr_t)CUDA_LAUNCH_BUFFER, &x,
                     (void *)(uintptr_t)CUDA_LAUNCH_BUFFER_SIZE, &size, NULL};
    need(cu.cuLaunchKernel(f, N / 256, 1, 1, 256, 1, 1, 0, NULL, NULL, extra), "cuLaunchKernel");
    tell(x, N * sizeof(float));
}

// No second array: the kernel is not launched with blocks that read it.
static void run_null(void)
{
    enum { N = 1024 };
    CUfunction f = function(build(add_text, "add", NULL), "add");
    CUdeviceptr a = buffer(N, 1), b = 0, c = buffer(N, 3);
    int n = 0;
    void *parameters[] = {&a, &b, &c, &n};
    launch(f, N / 128, 128, parameters);
    tell(c, N * sizeof(float));
}

static const char texture_text[] =
    "#ifndef GROUP\n"
    "#define GROUP 64\n"
    "#endif\n"
    "extern \"C\" __global__ void copy(cudaTextureObject_t in, cudaSurfaceObject_t out)\n"
    "{\n"
    "    // fake:copy\n"
    "    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;\n"
    "    surf2Dwrite<float>(tex2D<float>(in, x, y), out, x * 4, y);\n"
    "}\n";

enum { WIDTH = 256, HEIGHT = 4 };

static CUarray array(float first, unsigned flags)
{
    CUarray made;
    const CUdeviceptr from = buffer(WIDTH * HEIGHT, first);
    const CUDA_ARRAY3D_DESCRIPTOR what = {.Width = WIDTH,
                                          .Height = HEIGHT,
                                          .Format = CU_AD_FORMAT_FLOAT,
                                          .NumChannels = 1,
                                          .Flags = flags};
    need(cu.cuArray3DCreate(&made, &what), "cuArray3DCreate");
    const CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                                .srcDevice = from,
                                .srcPitch = WIDTH * sizeof(float),
                                .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                                .dstArray = made,
                                .WidthInBytes = WIDTH * sizeof(float),
                                .Height = HEIGHT,
                                .Depth = 1};
    need(cu.cuMemcpy3DAsync(&copy, NULL), "cuMemcpy3DAsync");
    return made;
}

// A texture and a surface; of memory in rows, of memory without rows, or of a kind that is not captured.
static void run_texture(const char *of)
{
    CUfunction f = function(build(texture_text, "copy", NULL), "copy");
    CUDA_RESOURCE_DESC from = {.resType = CU_RESOURCE_TYPE_ARRAY}, to = from;
    CUDA_TEXTURE_DESC how = {.addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP,
                                             CU_TR_ADDRESS_MODE_CLAMP}};
    CUtexObject in;
    CUsurfObject out;
    if (strcmp(of, "texture_memory") == 0 || strcmp(of, "texture_rows") == 0) {
        const bool is_plane = strcmp(of, "texture_rows") == 0;
        const struct cuda_plane plane = {buffer(WIDTH * HEIGHT, 1),
                                         CU_AD_FORMAT_FLOAT,
                                         1,
                                         is_plane ? WIDTH : WIDTH * HEIGHT * sizeof(float),
                                         is_plane ? HEIGHT : 0,
                                         is_plane ? WIDTH * sizeof(float) : 0};
        from.resType = is_plane ? CUDA_RESOURCE_PITCH : CUDA_RESOURCE_LINEAR;
        memcpy(&from.res, &plane, sizeof plane);
    } else
        from.res.array.hArray = array(1, 0);
    if (strcmp(of, "texture_border") == 0) {
        how.addressMode[0] = how.addressMode[1] = CU_TR_ADDRESS_MODE_BORDER;
        how.borderColor[0] = 1;
    }
    to.res.array.hArray = array(2, CUDA_ARRAY3D_SURFACE_LDST);
    need(cu.cuTexObjectCreate(&in, &from, &how, NULL), "cuTexObjectCreate");
    need(cu.cuSurfObjectCreate(&out, &to), "cuSurfObjectCreate");
    void *parameters[] = {&in, &out};
    if (strcmp(of, "texture_freed") == 0)
        need(cu.cuArrayDestroy(from.res.array.hArray), "cuArrayDestroy");
    for (int i = 0; i < 3; i++)
        need(cu.cuLaunchKernel(f, WIDTH / 64, HEIGHT, 1, 64, 1, 1, 0, NULL, parameters, NULL),
             "cuLaunchKernel");
    const CUdeviceptr back = buffer(WIDTH * HEIGHT, 0);
    const CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                                .srcArray = to.res.array.hArray,
                                .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                                .dstDevice = back,
                                .dstPitch = WIDTH * sizeof(float),
                                .WidthInBytes = WIDTH * sizeof(float),
                                .Height = HEIGHT,
                                .Depth = 1};
    need(cu.cuMemcpy3DAsync(&copy, NULL), "cuMemcpy3DAsync");
    need(more.cuCtxSynchronize(), "cuCtxSynchronize");
    tell(back, WIDTH * HEIGHT * sizeof(float));
    need(cu.cuTexObjectDestroy(in), "cuTexObjectDestroy");
    need(cu.cuSurfObjectDestroy(out), "cuSurfObjectDestroy");
}

static const char number_text[] =
    "extern \"C\" __global__ void add(const float *a, const float *b, float *c, size_t n)\n"
    "{\n"
    "    // fake:add of a context's vertex, no cudaTextureObject_t\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n)\n"
    "        c[i] = a[i] + b[i];\n"
    "}\n";

// Numbers that are those of textures, too.
static void run_numbers(void)
{
    CUfunction f = function(build(number_text, "add", NULL), "add");
    CUDA_RESOURCE_DESC of = {.resType = CU_RESOURCE_TYPE_ARRAY};
    CUDA_TEXTURE_DESC how = {.flags = 0};
    CUtexObject made;
    CUdeviceptr a = buffer(128, 1), b = buffer(128, 2), c = buffer(128, 3);
    of.res.array.hArray = array(1, 0);
    for (size_t n = 1; n <= 2; n++) {
        void *parameters[] = {&a, &b, &c, &n};
        need(cu.cuTexObjectCreate(&made, &of, &how, NULL), "cuTexObjectCreate");
        launch(f, 1, 128, parameters);
    }
    tell(c, 128 * sizeof(float));
}

static const char inside_text[] = "struct pair { float *x; int n, m; };\n"
                                  "extern \"C\" __global__ void count_pair(struct pair p)\n"
                                  "{\n"
                                  "    // fake:count\n"
                                  "    p.x[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f;\n"
                                  "}\n";

static void run_inside(void)
{
    enum { N = 1024 };
    CUfunction f = function(build(inside_text, "count_pair", NULL), "count_pair");
    struct {
        CUdeviceptr x;
        int n, m;
    } pair = {buffer(N, 1), N, 7};
    void *parameters[] = {&pair};
    launch(f, N / 256, 256, parameters);
    tell(pair.x, N * sizeof(float));
}

// What the launch leaves in a symbol is no output of a spec.
static const char kept_text[] = "__constant__ float factor[4];\n"
                                "extern \"C\" __global__ void count(float *x)\n"
                                "{\n"
                                "    // fake:keep\n"
                                "    x[blockIdx.x * blockDim.x + threadIdx.x] += factor[0];\n"
                                "}\n";
static const char symbol_text[] = "__constant__ float factor[4];\n"
                                  "extern \"C\" __global__ void count(float *x)\n"
                                  "{\n"
                                  "    // fake:raise\n"
                                  "    x[blockIdx.x * blockDim.x + threadIdx.x] += factor[0];\n"
                                  "}\n";

// An argument has its name.
static const char double_text[] = "__constant__ float factor[4];\n"
                                  "extern \"C\" __global__ void count(float *factor)\n"
                                  "{\n"
                                  "    // fake:count\n"
                                  "    factor[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f;\n"
                                  "}\n";
// Another kernel uses it.
static const char unused_text[] = "__constant__ float factor[4];\n"
                                  "extern \"C\" __global__ void other(float *x)\n"
                                  "{\n"
                                  "    x[0] += factor[0];\n"
                                  "}\n"
                                  "extern \"C\" __global__ void count(float *x)\n"
                                  "{\n"
                                  "    // fake:count\n"
                                  "    x[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f;\n"
                                  "}\n";

static void run_symbol(const char *text)
{
    enum { N = 1024 };
    static const float values[] = {3.0f, 5.0f};
    CUmodule module = build(text, "count", NULL);
    CUfunction f = function(module, "count");
    CUdeviceptr x = buffer(N, 1), factor = 0;
    void *parameters[] = {&x};
    need(cu.cuModuleGetGlobal(&factor, NULL, module, "factor"), "cuModuleGetGlobal");
    for (int i = 0; i < 2; i++) { // set again between two launches
        need(more.cuMemcpyHtoD(factor, &values[i], sizeof values[i]), "cuMemcpyHtoD");
        launch(f, N / 256, 256, parameters);
    }
    tell(x, N * sizeof(float));
}

// Two modules of one text, of which the program sets the symbol of the first.
static void run_modules(void)
{
    enum { N = 1024 };
    static const float value = 3.0f;
    CUdeviceptr x = buffer(N, 1), factor = 0;
    void *parameters[] = {&x};
    for (int turn = 0; turn < 2; turn++) {
        CUmodule modules[2] = {build(symbol_text, "count", NULL),
                               build(symbol_text, "count", NULL)};
        need(cu.cuModuleGetGlobal(&factor, NULL, modules[0], "factor"), "cuModuleGetGlobal");
        need(more.cuMemcpyHtoD(factor, &value, sizeof value), "cuMemcpyHtoD");
        for (int i = 0; i < 2; i++)
            launch(function(modules[i], "count"), N / 256, 256, parameters);
        for (int i = 0; i < 2; i++)
            need(cu.cuModuleUnload(modules[i]), "cuModuleUnload");
    }
    tell(x, N * sizeof(float));
}

// A variable that no launch names, and that nobody has asked for.
static const char changed_text[] = "__device__ int seen;\n"
                                   "extern \"C\" __global__ void count(float *x)\n"
                                   "{\n"
                                   "    // fake:count\n"
                                   "    x[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f;\n"
                                   "    if (x[0] > 1e9f)\n"
                                   "        seen = 1;\n"
                                   "}\n";
// One of another kernel's.
static const char aside_text[] = "__device__ int seen;\n"
                                 "__device__ void see() { seen = 1; }\n"
                                 "extern \"C\" __global__ void other(float *x) { see(); }\n"
                                 "extern \"C\" __global__ void count(float *x)\n"
                                 "{\n"
                                 "    // fake:count\n"
                                 "    x[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f;\n"
                                 "}\n";

static void run_count(const char *text)
{
    enum { N = 1024 };
    CUfunction f = function(build(text, "count", NULL), "count");
    CUdeviceptr x = buffer(N, 1);
    void *parameters[] = {&x};
    launch(f, N / 256, 256, parameters);
    tell(x, N * sizeof(float));
}

static void run_cooperative(void)
{
    enum { N = 1024 };
    CUfunction f = function(build(count_text, "count", NULL), "count");
    CUdeviceptr x = buffer(N, 1);
    void *parameters[] = {&x};
    need(more.cuLaunchCooperativeKernel(f, N / 256, 1, 1, 256, 1, 1, 0, NULL, parameters),
         "cuLaunchCooperativeKernel");
    tell(x, N * sizeof(float));
}

// Memory of the host, which the driver for tests takes as well as its own.
static void run_host_memory(void)
{
    enum { N = 1024 };
    CUfunction f = function(build(count_text, "count", NULL), "count");
    CUdeviceptr x = 0;
    float *at = NULL;
    void *parameters[] = {&x};
    need(more.cuMemHostAlloc((void **)&at, N * sizeof *at, 0), "cuMemHostAlloc");
    memset(at, 0, N * sizeof *at);
    x = (uintptr_t)at;
    launch(f, N / 256, 256, parameters);
    need(more.cuCtxSynchronize(), "cuCtxSynchronize");
    printf("%g\n", (double)at[N - 1]);
}

// Three launches in a graph, which is launched four times; with `change` one of its nodes is switched off before the first of these.
static void run_graph(bool change)
{
    enum { N = 1024, NODES = 3 };
    CUfunction f = function(build(count_text, "count", NULL), "count");
    CUfunction add = function(build(add_text, "add", NULL), "add");
    CUdeviceptr x = buffer(N, 1), y = buffer(N, 2);
    CUstream stream;
    CUgraphExec graph;
    CUgraphNode nodes[NODES];
    size_t count = NODES;
    int n = N;
    void *parameters[] = {&x}, *adds[] = {&x, &y, &y, &n}, *recorded = NULL;
    need(cu.cuStreamCreate(&stream, 1), "cuStreamCreate");
    need(more.cuStreamBeginCapture(stream, 0), "cuStreamBeginCapture");
    for (int i = 0; i < NODES; i++)
        need(i == 1 ? cu.cuLaunchKernel(add, N / 128, 1, 1, 128, 1, 1, 0, stream, adds, NULL)
                    : cu.cuLaunchKernel(f, N / 256, 1, 1, 256, 1, 1, 0, stream, parameters, NULL),
             "cuLaunchKernel");
    need(more.cuStreamEndCapture(stream, &recorded), "cuStreamEndCapture");
    need(more.cuGraphInstantiateWithFlags(&graph, recorded, 0), "cuGraphInstantiateWithFlags");
    need(more.cuGraphGetNodes(recorded, nodes, &count), "cuGraphGetNodes");
    if (change) {
        launch(f, N / 256, 256, parameters); // no part of the graph
        need(more.cuGraphNodeSetEnabled(graph, nodes[1], 0, 0), "cuGraphNodeSetEnabled");
    }
    need(more.cuGraphDestroy(recorded), "cuGraphDestroy"); // the executable one needs it no more
    for (int i = 0; i < 4; i++)
        need(more.cuGraphLaunch(graph, stream), "cuGraphLaunch");
    need(cu.cuStreamSynchronize(stream), "cuStreamSynchronize");
    need(more.cuGraphExecDestroy(graph), "cuGraphExecDestroy");
    tell(y, N * sizeof(float));
}

static const char through_text[] = "extern \"C\" __global__ void through(float **list, int n)\n"
                                   "{\n"
                                   "    // fake:through\n"
                                   "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                   "    if (i < n)\n"
                                   "        list[0][i] += 1.0f;\n"
                                   "}\n";

// A pointer that lies in a buffer.
static void run_reached(void)
{
    enum { N = 1024 };
    CUfunction f = function(build(through_text, "through", NULL), "through");
    CUdeviceptr x = buffer(N, 1), list = buffer(64, 2);
    int n = N;
    void *parameters[] = {&list, &n};
    need(more.cuMemcpyHtoD(list, &x, sizeof x), "cuMemcpyHtoD");
    launch(f, N / 256, 256, parameters);
    tell(x, N * sizeof(float));
}

// More pointers in a buffer than a capture holds.
static void run_many(void)
{
    enum { N = 1024, MANY = 600 };
    CUfunction f = function(build(through_text, "through", NULL), "through");
    CUdeviceptr list = buffer(2 * MANY, 2), x = 0;
    int n = N;
    void *parameters[] = {&list, &n};
    for (int i = MANY; i-- > 0;) {
        x = buffer(i ? 1 : N, 1);
        need(more.cuMemcpyHtoD(list + (size_t)i * sizeof x, &x, sizeof x), "cuMemcpyHtoD");
    }
    launch(f, N / 256, 256, parameters);
    tell(x, N * sizeof(float));
}

enum { THREADS = 4, LAUNCHES_A_THREAD = 50, THREAD_N = 256 };

struct launcher {
    CUfunction function;
    CUdeviceptr x;
};

static pthread_mutex_t building = PTHREAD_MUTEX_INITIALIZER;

static void *launch_often(void *context)
{
    struct launcher *l = context;
    for (int i = 0; i < LAUNCHES_A_THREAD; i++) {
        void *parameters[] = {&l->x};
        if (i % 25 == 0) { // the driver for tests builds one at a time
            pthread_mutex_lock(&building);
            CUmodule module = build(count_text, "count", NULL);
            launch(function(module, "count"), 1, THREAD_N / 4, parameters);
            need(cu.cuModuleUnload(module), "cuModuleUnload");
            pthread_mutex_unlock(&building);
        }
        launch(l->function, 1 + (unsigned)i % 3, THREAD_N / 4, parameters);
    }
    return NULL;
}

// Threads that launch one function, each on memory of its own, while modules come and go.
static void run_threads(void)
{
    pthread_t threads[THREADS];
    struct launcher l[THREADS];
    CUfunction f = function(build(count_text, "count", NULL), "count");
    for (int t = 0; t < THREADS; t++)
        l[t] = (struct launcher){f, buffer(THREAD_N, (float)t)};
    for (int t = 0; t < THREADS; t++)
        need(pthread_create(&threads[t], NULL, launch_often, &l[t]), "pthread_create");
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    need(more.cuCtxSynchronize(), "cuCtxSynchronize");
    for (int t = 0; t < THREADS; t++)
        tell(l[t].x, THREAD_N * sizeof(float));
}

// A buffer that happens to hold an address, of which the kernel makes no use.
static void run_stale(void)
{
    enum { N = 1024 };
    CUfunction f = function(build(add_text, "add", NULL), "add");
    CUdeviceptr a = buffer(N, 1), b = buffer(N, 2), c = buffer(N, 3);
    int n = N;
    void *parameters[] = {&a, &b, &c, &n};
    need(more.cuMemcpyHtoD(c, &a, sizeof a), "cuMemcpyHtoD");
    launch(f, N / 128, 128, parameters);
    tell(c, N * sizeof(float));
}

// By cuGetProcAddress, as the runtime API.
static void run_proc_address(void)
{
    enum { N = 1024 };
    CUfunction f = function(build(count_text, "count", NULL), "count");
    CUdeviceptr x = buffer(N, 1);
    void *parameters[] = {&x}, *found = NULL;
    need(more.cuGetProcAddress("cuLaunchKernel", &found, 12000, CUDA_PROC_ADDRESS_PER_THREAD, NULL),
         "cuGetProcAddress");
    memcpy(&cu.cuLaunchKernel, &found, sizeof found);
    launch(f, N / 256, 256, parameters);
    need(cu.cuStreamSynchronize((CUstream)(uintptr_t)CUDA_STREAM_PER_THREAD),
         "cuStreamSynchronize");
    tell(x, N * sizeof(float));
}

// One image, loaded twice; the handle of a function may be that of another after it.
static void run_twice(void)
{
    enum { N = 1024 };
    CUdeviceptr x = buffer(N, 1);
    void *parameters[] = {&x};
    for (int i = 0; i < 3; i++) {
        CUmodule module = build(count_text, "count", NULL);
        launch(function(module, "count"), N / 256, 256, parameters);
        need(more.cuCtxSynchronize(), "cuCtxSynchronize");
        need(cu.cuModuleUnload(module), "cuModuleUnload");
    }
    tell(x, N * sizeof(float));
}

// As a compiler writes parts::count(float *).
#define MANGLED "_ZN5parts5countEPf"
static const char mangled_text[] = "extern \"C\" __global__ void " MANGLED "(float *x)\n"
                                   "{\n"
                                   "    // fake:count\n"
                                   "    x[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f;\n"
                                   "}\n";

// A program that brings its kernels compiled: what one run has saved, the next one loads.
static void run_save(const char *path, bool is_mangled)
{
    size_t size = 0;
    char *image = is_mangled ? compile(mangled_text, MANGLED, NULL, &size)
                             : compile(count_text, "count", NULL, &size);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(image, 1, size, f) != size || fclose(f) != 0)
        exit(4);
    free(image);
    printf("saved\n");
}

static void run_load(const char *path, const char *name)
{
    enum { N = 1024, MOST = 1 << 20 };
    FILE *f = fopen(path, "rb");
    char *image = calloc(1, MOST);
    const size_t size = f && image ? fread(image, 1, MOST - 1, f) : 0;
    if (!size || fclose(f) != 0)
        exit(4);
    CUfunction count = function(load(image, size), name);
    CUdeviceptr x = buffer(N, 1);
    void *parameters[] = {&x};
    launch(count, N / 256, 256, parameters);
    tell(x, N * sizeof(float));
}

static void run_file(const char *path)
{
    enum { N = 1024 };
    CUmodule module;
    CUdeviceptr x = buffer(N, 1);
    void *parameters[] = {&x};
    need(more.cuModuleLoad(&module, path), "cuModuleLoad");
    launch(function(module, "count"), N / 256, 256, parameters);
    tell(x, N * sizeof(float));
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "add";
    const int n = argc > 2 ? atoi(argv[2]) : 1024, launches = argc > 3 ? atoi(argv[3]) : 8;
    open_device();
    if (strcmp(what, "add") == 0)
        run_add(1, launches, n, false);
    else if (strcmp(what, "shapes") == 0)
        run_add(3, launches, n, false);
    else if (strcmp(what, "groups") == 0)
        run_add(1, launches, n, true);
    else if (strcmp(what, "pool") == 0)
        run_pool();
    else if (strcmp(what, "overlap") == 0)
        run_overlap();
    else if (strcmp(what, "in_place") == 0)
        run_count(count_text);
    else if (strcmp(what, "extra") == 0)
        run_extra();
    else if (strcmp(what, "null") == 0)
        run_null();
    else if (strcmp(what, "inside") == 0)
        run_inside();
    else if (strcmp(what, "symbol") == 0)
        run_symbol(symbol_text);
    else if (strcmp(what, "double") == 0)
        run_symbol(double_text);
    else if (strcmp(what, "unused") == 0)
        run_symbol(unused_text);
    else if (strcmp(what, "kept") == 0)
        run_symbol(kept_text);
    else if (strcmp(what, "twins") == 0)
        run_twins();
    else if (strcmp(what, "asked") == 0)
        run_asked();
    else if (strcmp(what, "modules") == 0)
        run_modules();
    else if (strcmp(what, "shifted") == 0)
        run_shifted();
    else if (strcmp(what, "partial") == 0)
        run_partial();
    else if (strcmp(what, "changed") == 0)
        run_count(changed_text);
    else if (strcmp(what, "aside") == 0)
        run_count(aside_text);
    else if (strcmp(what, "cooperative") == 0)
        run_cooperative();
    else if (strcmp(what, "host_memory") == 0)
        run_host_memory();
    else if (strcmp(what, "graph") == 0 || strcmp(what, "graph_changed") == 0)
        run_graph(strcmp(what, "graph") != 0);
    else if (strcmp(what, "reached") == 0)
        run_reached();
    else if (strcmp(what, "many") == 0)
        run_many();
    else if (strcmp(what, "numbers") == 0)
        run_numbers();
    else if (strcmp(what, "stale") == 0)
        run_stale();
    else if (strcmp(what, "threads") == 0)
        run_threads();
    else if (strcmp(what, "proc_address") == 0)
        run_proc_address();
    else if (strcmp(what, "twice") == 0)
        run_twice();
    else if (strncmp(what, "texture", 7) == 0)
        run_texture(what);
    else if (strcmp(what, "save") == 0 && argc > 2)
        run_save(argv[2], argc > 3);
    else if (strcmp(what, "load") == 0 && argc > 2)
        run_load(argv[2], argc > 3 ? MANGLED : "count");
    else if (strcmp(what, "file") == 0 && argc > 2)
        run_file(argv[2]);
    else
        printf("none\n");
    return 0;
}
