// The functions of CUDA and of NVRTC that the layer stands in front of: a program that links them finds these first, one that opens
// the library gets them from dlsym (layer_preload.c), and what cuGetProcAddress hands out is theirs, too, which is how the
// runtime API comes by every function, also where it is linked statically.
#include "extras/capture/layer/cuda_layer.h"

#include "extras/capture/layer/layer_entry.h"

#include <stdlib.h>
#include <string.h>

struct cuda_below cuda_below;
atomic_long cuda_graph_captures;

// Under the backend's names; `symbol` is the one that is exported.
#define DECLARE(name, symbol, result, parameters) result name parameters __asm__(symbol);
CUDA_DRIVER_FUNCTIONS(DECLARE)
CAPTURE_CUDA_FUNCTIONS(DECLARE)
NVRTC_FUNCTIONS(DECLARE)

// ---- below -------------------------------------------------------------------------------------

static void take_function(void *to, void *at)
{
    memcpy(to, &at, sizeof at);
}

static void find_driver(void)
{
    struct cuda_below *b = &cuda_below;
#define X(name, symbol, result, parameters)                                                        \
    take_function((void *)&b->name, layer_find_cuda(symbol));
    CAPTURE_CUDA_FUNCTIONS(X)
#undef X
#define X(name, symbol, result, parameters)                                                        \
    take_function((void *)&b->driver.name, layer_find_cuda(symbol));
    CUDA_DRIVER_FUNCTIONS(X)
    CUDA_OPTIONAL_FUNCTIONS(X)
#undef X
    layer_open();
}

static void find_nvrtc(void)
{
#define X(name, symbol, result, parameters)                                                        \
    take_function((void *)&cuda_below.nvrtc.name, layer_find_nvrtc(symbol));
    NVRTC_FUNCTIONS(X)
#undef X
    layer_open();
}

bool cuda_below_open(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_driver);
    return cuda_below.driver.cuInit && cuda_below.driver.cuLaunchKernel;
}

bool cuda_below_open_nvrtc(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_nvrtc);
    return cuda_below.nvrtc.nvrtcCreateProgram && cuda_below.nvrtc.nvrtcCompileProgram;
}

// A function of the driver that this one has, or what it answers without.
#define BELOW(name)  (cuda_below_open() && cuda_below.name)
#define DRIVER(name) (cuda_below_open() && cuda_below.driver.name)
#define NVRTC(name)  (cuda_below_open_nvrtc() && cuda_below.nvrtc.name)

// A wrapped function: `answer` is what it returns where the driver has it.
#define WRAPPED(function, has, parameters, answer)                                                 \
    LAYER_EXPORT CUresult function parameters                                                      \
    {                                                                                              \
        return has(function) ? (answer) : CUDA_ERROR_NO_DRIVER;                                    \
    }

// A wrapped function of `of`, the functions of the driver: a success is noted.
#define NOTED_AFTER(function, of, parameters, arguments, note)                                     \
    LAYER_EXPORT CUresult function parameters                                                      \
    {                                                                                              \
        if (!(cuda_below_open() && (of).function))                                                 \
            return CUDA_ERROR_NO_DRIVER;                                                           \
        const CUresult code = (of).function arguments;                                             \
        if (code == CUDA_SUCCESS)                                                                  \
            note;                                                                                  \
        return code;                                                                               \
    }

// The same with the note before the call.
#define NOTED_BEFORE(function, of, parameters, arguments, note)                                    \
    LAYER_EXPORT CUresult function parameters                                                      \
    {                                                                                              \
        if (!(cuda_below_open() && (of).function))                                                 \
            return CUDA_ERROR_NO_DRIVER;                                                           \
        note;                                                                                      \
        return (of).function arguments;                                                            \
    }

// ---- the compiler ------------------------------------------------------------------------------

LAYER_EXPORT nvrtcResult nvrtcCreateProgram(nvrtcProgram *out, const char *source, const char *name,
                                            int headers, const char *const *texts,
                                            const char *const *names)
{
    if (!NVRTC(nvrtcCreateProgram))
        return NVRTC_ERROR_OUT_OF_MEMORY;
    const nvrtcResult code =
        cuda_below.nvrtc.nvrtcCreateProgram(out, source, name, headers, texts, names);
    layer_note_call();
    if (code == NVRTC_SUCCESS)
        cuda_note_program(*out, source, headers, texts, names);
    return code;
}

// A wrapped function of the compiler: what it is called for is noted.
#define NVRTC_NOTED(function, parameters, arguments, note)                                         \
    LAYER_EXPORT nvrtcResult function parameters                                                   \
    {                                                                                              \
        if (!NVRTC(function))                                                                      \
            return NVRTC_ERROR_OUT_OF_MEMORY;                                                      \
        note;                                                                                      \
        return cuda_below.nvrtc.function arguments;                                                \
    }
NVRTC_NOTED(nvrtcDestroyProgram, (nvrtcProgram * program), (program),
            layer_drop(&cuda_objects.programs, program ? *program : NULL))
NVRTC_NOTED(nvrtcAddNameExpression, (nvrtcProgram program, const char *const name), (program, name),
            cuda_note_expression(program, name))
NVRTC_NOTED(nvrtcCompileProgram, (nvrtcProgram program, int count, const char *const *options),
            (program, count, options), cuda_note_options(program, count, options))

#define COMPILED(function)                                                                         \
    LAYER_EXPORT nvrtcResult function(nvrtcProgram program, char *out)                             \
    {                                                                                              \
        size_t length = 0;                                                                         \
        if (!NVRTC(function))                                                                      \
            return NVRTC_ERROR_OUT_OF_MEMORY;                                                      \
        const nvrtcResult code = cuda_below.nvrtc.function(program, out);                          \
        if (code == NVRTC_SUCCESS &&                                                               \
            cuda_below.nvrtc.function##Size(program, &length) == NVRTC_SUCCESS)                    \
            cuda_note_compiled(program, out, length);                                              \
        return code;                                                                               \
    }
COMPILED(nvrtcGetCUBIN)
COMPILED(nvrtcGetPTX)

// ---- modules -----------------------------------------------------------------------------------

LAYER_EXPORT CUresult cuInit(unsigned flags)
{
    layer_note_call();
    return DRIVER(cuInit) ? cuda_below.driver.cuInit(flags) : CUDA_ERROR_NO_DRIVER;
}

// The image is what the file holds; its end is marked, as that of PTX is.
static void note_file(const void *module, const char *path)
{
    size_t length = 0;
    char *image = path ? layer_read_file(path, &length) : NULL;
    if (image && length >= CUDA_IMAGE_LEAST) {
        image[length] = 0;
        cuda_note_module(module, image);
    }
    free(image);
}

NOTED_AFTER(cuModuleLoadData, cuda_below.driver, (CUmodule * out, const void *image), (out, image),
            cuda_note_module(*out, image))
NOTED_AFTER(cuModuleLoad, cuda_below, (CUmodule * out, const char *path), (out, path),
            note_file(*out, path))
NOTED_AFTER(cuModuleLoadDataEx, cuda_below,
            (CUmodule * out, const void *image, unsigned count, int *options, void **values),
            (out, image, count, options, values), cuda_note_module(*out, image))
NOTED_AFTER(cuModuleLoadFatBinary, cuda_below, (CUmodule * out, const void *image), (out, image),
            cuda_note_module(*out, image))
NOTED_BEFORE(cuModuleUnload, cuda_below.driver, (CUmodule module), (module),
             cuda_drop_module(module))
NOTED_AFTER(cuModuleGetFunction, cuda_below.driver,
            (CUfunction * out, CUmodule module, const char *name), (out, module, name),
            cuda_note_function(*out, module, name))
NOTED_AFTER(cuLibraryLoadData, cuda_below,
            (CUlibrary * out, const void *image, int *options, void **values, unsigned count,
             int *library_options, void **library_values, unsigned library_count),
            (out, image, options, values, count, library_options, library_values, library_count),
            cuda_note_module(*out, image))
NOTED_AFTER(cuLibraryLoadFromFile, cuda_below,
            (CUlibrary * out, const char *path, int *options, void **values, unsigned count,
             int *library_options, void **library_values, unsigned library_count),
            (out, path, options, values, count, library_options, library_values, library_count),
            note_file(*out, path))
NOTED_BEFORE(cuLibraryUnload, cuda_below, (CUlibrary library), (library), cuda_drop_module(library))
NOTED_AFTER(cuLibraryGetKernel, cuda_below, (CUkernel * out, CUlibrary library, const char *name),
            (out, library, name), cuda_note_function(*out, library, name))

NOTED_AFTER(cuLibraryGetModule, cuda_below, (CUmodule * out, CUlibrary library), (out, library),
            cuda_note_part(*out, library))

// A symbol's memory is no argument's: a kernel of the module may read it. The driver is asked once more, since the program may
// want only one of the two.
#define SYMBOL(function, of, type)                                                                 \
    LAYER_EXPORT CUresult function(CUdeviceptr *out, size_t *bytes, type module, const char *name) \
    {                                                                                              \
        if (!(cuda_below_open() && (of).function))                                                 \
            return CUDA_ERROR_NO_DRIVER;                                                           \
        const CUresult code = (of).function(out, bytes, module, name);                             \
        CUdeviceptr at = 0;                                                                        \
        size_t size = 0;                                                                           \
        if (code == CUDA_SUCCESS && name &&                                                        \
            (of).function(&at, &size, module, name) == CUDA_SUCCESS)                               \
            cuda_note_symbol(module, name, at, size);                                              \
        return code;                                                                               \
    }
SYMBOL(cuModuleGetGlobal, cuda_below.driver, CUmodule)
SYMBOL(cuLibraryGetGlobal, cuda_below, CUlibrary)

// ---- launches ----------------------------------------------------------------------------------

// Under the interface of one default stream a thread, the stream 0 is that one.
static CUstream own_stream(CUstream stream)
{
    return stream ? stream : (CUstream)(uintptr_t)CUDA_STREAM_PER_THREAD;
}

// A wrapped function of a stream, under both interfaces.
#define OF_STREAM(function, has, parameters, answer)                                               \
    WRAPPED(function, has, parameters, answer)                                                     \
    LAYER_EXPORT CUresult function##_ptsz parameters                                               \
    {                                                                                              \
        stream = own_stream(stream);                                                               \
        return has(function) ? (answer) : CUDA_ERROR_NO_DRIVER;                                    \
    }

#define LAUNCH_PARAMETERS                                                                          \
    CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,      \
        unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void **parameters
CUresult cuLaunchKernel_ptsz(LAUNCH_PARAMETERS, void **extra);
CUresult cuLaunchCooperativeKernel_ptsz(LAUNCH_PARAMETERS);
CUresult cuLaunchKernelEx_ptsz(const struct cuda_config *config, CUfunction function,
                               void **parameters, void **extra);
CUresult cuStreamBeginCapture_ptsz(CUstream stream,
                                   int mode) __asm__("cuStreamBeginCapture_v2_ptsz");
CUresult cuStreamBeginCaptureToGraph_ptsz(CUstream stream, void *graph, const void *nodes,
                                          const void *edges, size_t count, int mode);
CUresult cuStreamEndCapture_ptsz(CUstream stream, void **graph);
CUresult cuStreamSynchronize_ptsz(CUstream stream);
CUresult cuGraphLaunch_ptsz(CUgraphExec graph, CUstream stream);
CUresult cuGetProcAddress_before(const char *name, void **out, int version,
                                 uint64_t flags) __asm__("cuGetProcAddress");

// The launch with one more member.
#define LAUNCH(more)                                                                               \
    (&(const struct cuda_launch){.function = function,                                             \
                                 .grid = {grid_x, grid_y, grid_z},                                 \
                                 .block = {block_x, block_y, block_z},                             \
                                 .shared = shared,                                                 \
                                 .stream = stream,                                                 \
                                 .parameters = parameters,                                         \
                                 more})

OF_STREAM(cuLaunchKernel, DRIVER, (LAUNCH_PARAMETERS, void **extra),
          cuda_launch_noted(LAUNCH(.extra = extra)))
OF_STREAM(cuLaunchCooperativeKernel, BELOW, (LAUNCH_PARAMETERS),
          cuda_launch_noted(LAUNCH(.is_cooperative = true)))

static CUresult launch_by(const struct cuda_config *config, CUfunction function, void **parameters,
                          void **extra)
{
    const struct cuda_launch l = {.function = function,
                                  .grid = {config->grid[0], config->grid[1], config->grid[2]},
                                  .block = {config->block[0], config->block[1], config->block[2]},
                                  .shared = config->shared,
                                  .stream = config->stream,
                                  .parameters = parameters,
                                  .extra = extra,
                                  .config = config};
    return cuda_launch_noted(&l);
}

WRAPPED(cuLaunchKernelEx, BELOW,
        (const struct cuda_config *config, CUfunction function, void **parameters, void **extra),
        config ? launch_by(config, function, parameters, extra)
               : cuda_below.cuLaunchKernelEx(config, function, parameters, extra))

LAYER_EXPORT CUresult cuLaunchKernelEx_ptsz(const struct cuda_config *config, CUfunction function,
                                            void **parameters, void **extra)
{
    if (!BELOW(cuLaunchKernelEx))
        return CUDA_ERROR_NO_DRIVER;
    if (!config)
        return cuda_below.cuLaunchKernelEx(config, function, parameters, extra);
    struct cuda_config own = *config;
    own.stream = own_stream(config->stream);
    return launch_by(&own, function, parameters, extra);
}

// ---- streams -----------------------------------------------------------------------------------

static CUresult note_begin(CUresult code)
{
    if (code == CUDA_SUCCESS)
        atomic_fetch_add(&cuda_graph_captures, 1);
    return code;
}

static CUresult note_end(CUresult code)
{
    if (atomic_fetch_sub(&cuda_graph_captures, 1) <= 0) // begun by a call that is not wrapped
        atomic_store(&cuda_graph_captures, 0);
    return code;
}

OF_STREAM(cuStreamBeginCapture, BELOW, (CUstream stream, int mode),
          note_begin(cuda_below.cuStreamBeginCapture(stream, mode)))
OF_STREAM(
    cuStreamBeginCaptureToGraph, BELOW,
    (CUstream stream, void *graph, const void *nodes, const void *edges, size_t count, int mode),
    note_begin(cuda_below.cuStreamBeginCaptureToGraph(stream, graph, nodes, edges, count, mode)))
OF_STREAM(cuStreamEndCapture, BELOW, (CUstream stream, void **graph),
          note_end(cuda_below.cuStreamEndCapture(stream, graph)))

// ---- graphs ------------------------------------------------------------------------------------

NOTED_AFTER(cuGraphInstantiate, cuda_below,
            (CUgraphExec * out, CUgraph graph, CUgraphNode *failed, char *log, size_t bytes),
            (out, graph, failed, log, bytes), cuda_note_graph(*out, graph))
NOTED_AFTER(cuGraphInstantiateWithFlags, cuda_below,
            (CUgraphExec * out, CUgraph graph, uint64_t flags), (out, graph, flags),
            cuda_note_graph(*out, graph))
NOTED_AFTER(cuGraphInstantiateWithParams, cuda_below,
            (CUgraphExec * out, CUgraph graph, void *parameters), (out, graph, parameters),
            cuda_note_graph(*out, graph))
OF_STREAM(cuGraphLaunch, BELOW, (CUgraphExec graph, CUstream stream),
          cuda_graph_launch(graph, stream))
NOTED_BEFORE(cuGraphExecDestroy, cuda_below, (CUgraphExec graph), (graph), cuda_drop_graph(graph))

// Its nodes are another graph's now; after a failure they are nobody's.
static CUresult note_update(CUresult code, CUgraphExec to, CUgraph from)
{
    if (code == CUDA_SUCCESS)
        cuda_note_graph(to, from);
    else
        cuda_note_graph_change(to);
    return code;
}

WRAPPED(cuGraphExecUpdate, BELOW, (CUgraphExec to, CUgraph from, void *result),
        note_update(cuda_below.cuGraphExecUpdate(to, from, result), to, from))
WRAPPED(cuGraphExecUpdate_before, BELOW,
        (CUgraphExec to, CUgraph from, CUgraphNode *failed, int *result),
        note_update(cuda_below.cuGraphExecUpdate_before(to, from, failed, result), to, from))

// ---- textures and surfaces ---------------------------------------------------------------------

NOTED_AFTER(cuTexObjectCreate, cuda_below.driver,
            (CUtexObject * out, const CUDA_RESOURCE_DESC *of, const CUDA_TEXTURE_DESC *how,
             const CUDA_RESOURCE_VIEW_DESC *view),
            (out, of, how, view), cuda_note_view(*out, of, how, view != NULL))
NOTED_BEFORE(cuTexObjectDestroy, cuda_below.driver, (CUtexObject texture), (texture),
             cuda_drop_view(texture, false))
NOTED_AFTER(cuSurfObjectCreate, cuda_below.driver,
            (CUsurfObject * out, const CUDA_RESOURCE_DESC *of), (out, of),
            cuda_note_view(*out, of, NULL, false))
NOTED_BEFORE(cuSurfObjectDestroy, cuda_below.driver, (CUsurfObject surface), (surface),
             cuda_drop_view(surface, true))
NOTED_BEFORE(cuArrayDestroy, cuda_below.driver, (CUarray array), (array), cuda_drop_array(array))
NOTED_AFTER(cuMipmappedArrayGetLevel, cuda_below, (CUarray * out, void *of, unsigned level),
            (out, of, level), cuda_note_borrowed(*out))
NOTED_AFTER(cuGraphicsSubResourceGetMappedArray, cuda_below,
            (CUarray * out, void *of, unsigned index, unsigned level), (out, of, index, level),
            cuda_note_borrowed(*out))

#define X(name, symbol, result, parameters)                                                        \
    NOTED_BEFORE(name, cuda_below, parameters, (graph, node, to, more),                            \
                 cuda_note_graph_change(graph))
CAPTURE_CUDA_GRAPH_CHANGES(X)
#undef X

// ---- where the program waits -------------------------------------------------------------------

static CUresult note_wait(CUresult code)
{
    cuda_record_times();
    return code;
}

OF_STREAM(cuStreamSynchronize, DRIVER, (CUstream stream),
          note_wait(cuda_below.driver.cuStreamSynchronize(stream)))
WRAPPED(cuCtxSynchronize, BELOW, (void), note_wait(cuda_below.cuCtxSynchronize()))
WRAPPED(cuEventSynchronize, BELOW, (CUevent event), note_wait(cuda_below.cuEventSynchronize(event)))

// ---- by name -----------------------------------------------------------------------------------

// X(function, symbol, name that cuGetProcAddress is asked for, since which version of CUDA, one default stream a thread)
#define SAME(X, function)        X(function, #function, #function, 0, 0)
#define PER_THREAD(X, function)  X(function##_ptsz, #function "_ptsz", #function, 0, 1)
#define OF_COMPILER(X, function) X(function, #function, "", 0, 0)
#define OWN_FUNCTIONS(X)                                                                           \
    SAME(X, cuInit)                                                                                \
    X(cuGetProcAddress_before, "cuGetProcAddress", "cuGetProcAddress", 0, 0)                       \
    X(cuGetProcAddress, "cuGetProcAddress_v2", "cuGetProcAddress", 12000, 0)                       \
    SAME(X, cuModuleLoad)                                                                          \
    SAME(X, cuModuleLoadData)                                                                      \
    SAME(X, cuModuleLoadDataEx)                                                                    \
    SAME(X, cuModuleLoadFatBinary)                                                                 \
    SAME(X, cuModuleUnload)                                                                        \
    SAME(X, cuModuleGetFunction)                                                                   \
    SAME(X, cuLibraryLoadData)                                                                     \
    SAME(X, cuLibraryLoadFromFile)                                                                 \
    SAME(X, cuLibraryUnload)                                                                       \
    SAME(X, cuLibraryGetKernel)                                                                    \
    SAME(X, cuLibraryGetModule)                                                                    \
    X(cuModuleGetGlobal, "cuModuleGetGlobal_v2", "cuModuleGetGlobal", 3020, 0)                     \
    SAME(X, cuLibraryGetGlobal)                                                                    \
    SAME(X, cuLaunchKernel)                                                                        \
    X(cuLaunchKernel_ptsz, "cuLaunchKernel_ptsz", "cuLaunchKernel", 7000, 1)                       \
    SAME(X, cuLaunchCooperativeKernel)                                                             \
    PER_THREAD(X, cuLaunchCooperativeKernel)                                                       \
    SAME(X, cuLaunchKernelEx)                                                                      \
    PER_THREAD(X, cuLaunchKernelEx)                                                                \
    X(cuStreamBeginCapture, "cuStreamBeginCapture_v2", "cuStreamBeginCapture", 10010, 0)           \
    X(cuStreamBeginCapture_ptsz, "cuStreamBeginCapture_v2_ptsz", "cuStreamBeginCapture", 10010, 1) \
    SAME(X, cuStreamBeginCaptureToGraph)                                                           \
    PER_THREAD(X, cuStreamBeginCaptureToGraph)                                                     \
    SAME(X, cuStreamEndCapture)                                                                    \
    PER_THREAD(X, cuStreamEndCapture)                                                              \
    SAME(X, cuStreamSynchronize)                                                                   \
    X(cuStreamSynchronize_ptsz, "cuStreamSynchronize_ptsz", "cuStreamSynchronize", 7000, 1)        \
    SAME(X, cuCtxSynchronize)                                                                      \
    SAME(X, cuEventSynchronize)                                                                    \
    X(cuGraphInstantiate, "cuGraphInstantiate_v2", "cuGraphInstantiate", 11000, 0)                 \
    X(cuTexObjectCreate, "cuTexObjectCreate", "cuTexObjectCreate", 0, 0)                           \
    X(cuTexObjectDestroy, "cuTexObjectDestroy", "cuTexObjectDestroy", 0, 0)                        \
    X(cuSurfObjectCreate, "cuSurfObjectCreate", "cuSurfObjectCreate", 0, 0)                        \
    X(cuSurfObjectDestroy, "cuSurfObjectDestroy", "cuSurfObjectDestroy", 0, 0)                     \
    SAME(X, cuArrayDestroy)                                                                        \
    SAME(X, cuMipmappedArrayGetLevel)                                                              \
    SAME(X, cuGraphicsSubResourceGetMappedArray)                                                   \
    X(cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags", "cuGraphInstantiate", 12000, 0)  \
    SAME(X, cuGraphInstantiateWithFlags)                                                           \
    SAME(X, cuGraphInstantiateWithParams)                                                          \
    SAME(X, cuGraphLaunch)                                                                         \
    PER_THREAD(X, cuGraphLaunch)                                                                   \
    SAME(X, cuGraphExecDestroy)                                                                    \
    X(cuGraphExecUpdate_before, "cuGraphExecUpdate", "cuGraphExecUpdate", 0, 0)                    \
    X(cuGraphExecUpdate, "cuGraphExecUpdate_v2", "cuGraphExecUpdate", 12000, 0)                    \
    X(cuGraphExecKernelNodeSetParams_before, "cuGraphExecKernelNodeSetParams",                     \
      "cuGraphExecKernelNodeSetParams", 0, 0)                                                      \
    X(cuGraphExecKernelNodeSetParams, "cuGraphExecKernelNodeSetParams_v2",                         \
      "cuGraphExecKernelNodeSetParams", 12000, 0)                                                  \
    SAME(X, cuGraphExecMemcpyNodeSetParams)                                                        \
    SAME(X, cuGraphExecMemsetNodeSetParams)                                                        \
    SAME(X, cuGraphExecHostNodeSetParams)                                                          \
    SAME(X, cuGraphExecChildGraphNodeSetParams)                                                    \
    SAME(X, cuGraphExecEventRecordNodeSetEvent)                                                    \
    SAME(X, cuGraphExecEventWaitNodeSetEvent)                                                      \
    SAME(X, cuGraphExecBatchMemOpNodeSetParams)                                                    \
    SAME(X, cuGraphExecNodeSetParams)                                                              \
    SAME(X, cuGraphNodeSetEnabled)                                                                 \
    OF_COMPILER(X, nvrtcCreateProgram)                                                             \
    OF_COMPILER(X, nvrtcDestroyProgram)                                                            \
    OF_COMPILER(X, nvrtcAddNameExpression)                                                         \
    OF_COMPILER(X, nvrtcCompileProgram)                                                            \
    OF_COMPILER(X, nvrtcGetCUBIN)                                                                  \
    OF_COMPILER(X, nvrtcGetPTX)

void *cuda_own_function(const char *name)
{
    void *at = NULL;
    if (!(name[0] == 'c' && name[1] == 'u') && !(name[0] == 'n' && name[1] == 'v'))
        return NULL;
#define X(function, symbol, asked, since, per_thread)                                              \
    if (strcmp(name, symbol) == 0) {                                                               \
        __typeof__(&function) own = function;                                                      \
        memcpy(&at, &own, sizeof at);                                                              \
    }
    OWN_FUNCTIONS(X)
#undef X
    return at;
}

// The layer's function in the place of what the driver hands out for a name; NULL: the driver's own.
static void *instead_of(const char *name, int version, bool per_thread)
{
    static const struct {
        const char *symbol, *asked;
        int since;
        bool per_thread;
    } functions[] = {
#define X(function, symbol, asked, since, per_thread) {symbol, asked, since, per_thread},
        OWN_FUNCTIONS(X)
#undef X
    };
    const char *found = NULL;
    bool is_exact = false;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(functions[i].asked, name) != 0 || version < functions[i].since ||
            (functions[i].per_thread && !per_thread) || (is_exact && !functions[i].per_thread))
            continue;
        found = functions[i].symbol;
        is_exact = functions[i].per_thread;
    }
    return found ? cuda_own_function(found) : NULL;
}

static void replace_found(const char *name, void **out, int version, uint64_t flags)
{
    void *own = name && out && *out
                    ? instead_of(name, version, (flags & CUDA_PROC_ADDRESS_PER_THREAD) != 0)
                    : NULL;
    if (own)
        *out = own;
}

LAYER_EXPORT CUresult cuGetProcAddress(const char *name, void **out, int version, uint64_t flags,
                                       int *status)
{
    if (!BELOW(cuGetProcAddress))
        return CUDA_ERROR_NO_DRIVER;
    const CUresult code = cuda_below.cuGetProcAddress(name, out, version, flags, status);
    if (code == CUDA_SUCCESS)
        replace_found(name, out, version, flags);
    return code;
}

LAYER_EXPORT CUresult cuGetProcAddress_before(const char *name, void **out, int version,
                                              uint64_t flags)
{
    CUresult (*below)(const char *, void **, int, uint64_t);
    take_function((void *)&below, layer_find_cuda("cuGetProcAddress"));
    if (!cuda_below_open() || !below)
        return CUDA_ERROR_NO_DRIVER;
    const CUresult code = below(name, out, version, flags);
    if (code == CUDA_SUCCESS)
        replace_found(name, out, version, flags);
    return code;
}
