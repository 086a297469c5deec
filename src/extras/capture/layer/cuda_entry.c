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

static void note_call(void)
{
    atomic_fetch_add_explicit(&layer_counts->calls, 1, memory_order_relaxed);
}

// A function of the driver that this one has, or what it answers without.
#define BELOW(name)  (cuda_below_open() && cuda_below.name)
#define DRIVER(name) (cuda_below_open() && cuda_below.driver.name)
#define NVRTC(name)  (cuda_below_open_nvrtc() && cuda_below.nvrtc.name)

// ---- the compiler ------------------------------------------------------------------------------

LAYER_EXPORT nvrtcResult nvrtcCreateProgram(nvrtcProgram *out, const char *source, const char *name,
                                            int headers, const char *const *texts,
                                            const char *const *names)
{
    if (!NVRTC(nvrtcCreateProgram))
        return NVRTC_ERROR_OUT_OF_MEMORY;
    const nvrtcResult code =
        cuda_below.nvrtc.nvrtcCreateProgram(out, source, name, headers, texts, names);
    note_call();
    if (code == NVRTC_SUCCESS)
        cuda_note_program(*out, source, headers, texts, names);
    return code;
}

LAYER_EXPORT nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    if (!NVRTC(nvrtcDestroyProgram))
        return NVRTC_ERROR_OUT_OF_MEMORY;
    if (program)
        layer_drop(&cuda_objects.programs, *program);
    return cuda_below.nvrtc.nvrtcDestroyProgram(program);
}

LAYER_EXPORT nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *const name)
{
    if (!NVRTC(nvrtcAddNameExpression))
        return NVRTC_ERROR_OUT_OF_MEMORY;
    cuda_note_expression(program, name);
    return cuda_below.nvrtc.nvrtcAddNameExpression(program, name);
}

LAYER_EXPORT nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count,
                                             const char *const *options)
{
    if (!NVRTC(nvrtcCompileProgram))
        return NVRTC_ERROR_OUT_OF_MEMORY;
    cuda_note_options(program, count, options);
    return cuda_below.nvrtc.nvrtcCompileProgram(program, count, options);
}

LAYER_EXPORT nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *out)
{
    size_t length = 0;
    if (!NVRTC(nvrtcGetCUBIN))
        return NVRTC_ERROR_OUT_OF_MEMORY;
    const nvrtcResult code = cuda_below.nvrtc.nvrtcGetCUBIN(program, out);
    if (code == NVRTC_SUCCESS &&
        cuda_below.nvrtc.nvrtcGetCUBINSize(program, &length) == NVRTC_SUCCESS)
        cuda_note_compiled(program, out, length);
    return code;
}

LAYER_EXPORT nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *out)
{
    size_t length = 0;
    if (!NVRTC(nvrtcGetPTX))
        return NVRTC_ERROR_OUT_OF_MEMORY;
    const nvrtcResult code = cuda_below.nvrtc.nvrtcGetPTX(program, out);
    if (code == NVRTC_SUCCESS &&
        cuda_below.nvrtc.nvrtcGetPTXSize(program, &length) == NVRTC_SUCCESS)
        cuda_note_compiled(program, out, length);
    return code;
}

// ---- modules -----------------------------------------------------------------------------------

LAYER_EXPORT CUresult cuInit(unsigned flags)
{
    note_call();
    return DRIVER(cuInit) ? cuda_below.driver.cuInit(flags) : CUDA_ERROR_NO_DRIVER;
}

LAYER_EXPORT CUresult cuModuleLoadData(CUmodule *out, const void *image)
{
    if (!DRIVER(cuModuleLoadData))
        return CUDA_ERROR_NO_DRIVER;
    const CUresult code = cuda_below.driver.cuModuleLoadData(out, image);
    if (code == CUDA_SUCCESS)
        cuda_note_module(*out, image);
    return code;
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

LAYER_EXPORT CUresult cuModuleLoad(CUmodule *out, const char *path)
{
    if (!BELOW(cuModuleLoad))
        return CUDA_ERROR_NO_DRIVER;
    const CUresult code = cuda_below.cuModuleLoad(out, path);
    if (code == CUDA_SUCCESS)
        note_file(*out, path);
    return code;
}

LAYER_EXPORT CUresult cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned count,
                                         int *options, void **values)
{
    if (!BELOW(cuModuleLoadDataEx))
        return CUDA_ERROR_NO_DRIVER;
    const CUresult code = cuda_below.cuModuleLoadDataEx(out, image, count, options, values);
    if (code == CUDA_SUCCESS)
        cuda_note_module(*out, image);
    return code;
}

LAYER_EXPORT CUresult cuModuleLoadFatBinary(CUmodule *out, const void *image)
{
    if (!BELOW(cuModuleLoadFatBinary))
        return CUDA_ERROR_NO_DRIVER;
    const CUresult code = cuda_below.cuModuleLoadFatBinary(out, image);
    if (code == CUDA_SUCCESS)
        cuda_note_module(*out, image);
    return code;
}

LAYER_EXPORT CUresult cuModuleUnload(CUmodule module)
{
    if (!DRIVER(cuModuleUnload))
        return CUDA_ERROR_NO_DRIVER;
    cuda_drop_module(module);
    return cuda_below.driver.cuModuleUnload(module);
}

LAYER_EXPORT CUresult cuModuleGetFunction(CUfunction *out, CUmodule module, const char *name)
{
    if (!DRIVER(cuModuleGetFunction))
        return CUDA_ERROR_NO_DRIVER;
    const CUresult code = cuda_below.driver.cuModuleGetFunction(out, module, name);
    if (code == CUDA_SUCCESS)
        cuda_note_function(*out, module, name);
    return code;
}

LAYER_EXPORT CUresult cuLibraryLoadData(CUlibrary *out, const void *image, int *options,
                                        void **values, unsigned count, int *library_options,
                                        void **library_values, unsigned library_count)
{
    if (!BELOW(cuLibraryLoadData))
        return CUDA_ERROR_NO_DRIVER;
    const CUresult code = cuda_below.cuLibraryLoadData(
        out, image, options, values, count, library_options, library_values, library_count);
    if (code == CUDA_SUCCESS)
        cuda_note_module(*out, image);
    return code;
}

LAYER_EXPORT CUresult cuLibraryLoadFromFile(CUlibrary *out, const char *path, int *options,
                                            void **values, unsigned count, int *library_options,
                                            void **library_values, unsigned library_count)
{
    if (!BELOW(cuLibraryLoadFromFile))
        return CUDA_ERROR_NO_DRIVER;
    const CUresult code = cuda_below.cuLibraryLoadFromFile(
        out, path, options, values, count, library_options, library_values, library_count);
    if (code == CUDA_SUCCESS)
        note_file(*out, path);
    return code;
}

LAYER_EXPORT CUresult cuLibraryUnload(CUlibrary library)
{
    if (!BELOW(cuLibraryUnload))
        return CUDA_ERROR_NO_DRIVER;
    cuda_drop_module(library);
    return cuda_below.cuLibraryUnload(library);
}

LAYER_EXPORT CUresult cuLibraryGetKernel(CUkernel *out, CUlibrary library, const char *name)
{
    if (!BELOW(cuLibraryGetKernel))
        return CUDA_ERROR_NO_DRIVER;
    const CUresult code = cuda_below.cuLibraryGetKernel(out, library, name);
    if (code == CUDA_SUCCESS)
        cuda_note_function(*out, library, name);
    return code;
}

// A symbol's memory is no argument's: a kernel of the module may read it.
LAYER_EXPORT CUresult cuModuleGetGlobal(CUdeviceptr *out, size_t *bytes, CUmodule module,
                                        const char *name)
{
    if (!DRIVER(cuModuleGetGlobal))
        return CUDA_ERROR_NO_DRIVER;
    const CUresult code = cuda_below.driver.cuModuleGetGlobal(out, bytes, module, name);
    CUdeviceptr at = 0;
    size_t size = 0;
    if (code == CUDA_SUCCESS && name &&
        cuda_below.driver.cuModuleGetGlobal(&at, &size, module, name) == CUDA_SUCCESS)
        cuda_note_symbol(module, name, at, size);
    return code;
}

LAYER_EXPORT CUresult cuLibraryGetGlobal(CUdeviceptr *out, size_t *bytes, CUlibrary library,
                                         const char *name)
{
    if (!BELOW(cuLibraryGetGlobal))
        return CUDA_ERROR_NO_DRIVER;
    const CUresult code = cuda_below.cuLibraryGetGlobal(out, bytes, library, name);
    CUdeviceptr at = 0;
    size_t size = 0;
    if (code == CUDA_SUCCESS && name &&
        cuda_below.cuLibraryGetGlobal(&at, &size, library, name) == CUDA_SUCCESS)
        cuda_note_symbol(library, name, at, size);
    return code;
}

// ---- launches ----------------------------------------------------------------------------------

// Under the interface of one default stream a thread, the stream 0 is that one.
static CUstream own_stream(CUstream stream)
{
    return stream ? stream : (CUstream)(uintptr_t)CUDA_STREAM_PER_THREAD;
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

#define LAUNCH(of_stream)                                                                          \
    {                                                                                              \
        .function = function, .grid = {grid_x, grid_y, grid_z},                                    \
        .block = {block_x, block_y, block_z}, .shared = shared, .stream = (of_stream),             \
        .parameters = parameters                                                                   \
    }

LAYER_EXPORT CUresult cuLaunchKernel(LAUNCH_PARAMETERS, void **extra)
{
    struct cuda_launch l = LAUNCH(stream);
    l.extra = extra;
    return DRIVER(cuLaunchKernel) ? cuda_launch_noted(&l) : CUDA_ERROR_NO_DRIVER;
}

LAYER_EXPORT CUresult cuLaunchKernel_ptsz(LAUNCH_PARAMETERS, void **extra)
{
    struct cuda_launch l = LAUNCH(own_stream(stream));
    l.extra = extra;
    return DRIVER(cuLaunchKernel) ? cuda_launch_noted(&l) : CUDA_ERROR_NO_DRIVER;
}

LAYER_EXPORT CUresult cuLaunchCooperativeKernel(LAUNCH_PARAMETERS)
{
    struct cuda_launch l = LAUNCH(stream);
    l.is_cooperative = true;
    return BELOW(cuLaunchCooperativeKernel) ? cuda_launch_noted(&l) : CUDA_ERROR_NO_DRIVER;
}

LAYER_EXPORT CUresult cuLaunchCooperativeKernel_ptsz(LAUNCH_PARAMETERS)
{
    struct cuda_launch l = LAUNCH(own_stream(stream));
    l.is_cooperative = true;
    return BELOW(cuLaunchCooperativeKernel) ? cuda_launch_noted(&l) : CUDA_ERROR_NO_DRIVER;
}

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

LAYER_EXPORT CUresult cuLaunchKernelEx(const struct cuda_config *config, CUfunction function,
                                       void **parameters, void **extra)
{
    if (!BELOW(cuLaunchKernelEx))
        return CUDA_ERROR_NO_DRIVER;
    return config ? launch_by(config, function, parameters, extra)
                  : cuda_below.cuLaunchKernelEx(config, function, parameters, extra);
}

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

static CUresult begin_capture(CUstream stream, int mode)
{
    const CUresult code = cuda_below.cuStreamBeginCapture(stream, mode);
    if (code == CUDA_SUCCESS)
        atomic_fetch_add(&cuda_graph_captures, 1);
    return code;
}

LAYER_EXPORT CUresult cuStreamBeginCapture(CUstream stream, int mode)
{
    return BELOW(cuStreamBeginCapture) ? begin_capture(stream, mode) : CUDA_ERROR_NO_DRIVER;
}

LAYER_EXPORT CUresult cuStreamBeginCapture_ptsz(CUstream stream, int mode)
{
    return BELOW(cuStreamBeginCapture) ? begin_capture(own_stream(stream), mode)
                                       : CUDA_ERROR_NO_DRIVER;
}

static CUresult begin_capture_to(CUstream stream, void *graph, const void *nodes, const void *edges,
                                 size_t count, int mode)
{
    const CUresult code =
        cuda_below.cuStreamBeginCaptureToGraph(stream, graph, nodes, edges, count, mode);
    if (code == CUDA_SUCCESS)
        atomic_fetch_add(&cuda_graph_captures, 1);
    return code;
}

LAYER_EXPORT CUresult cuStreamBeginCaptureToGraph(CUstream stream, void *graph, const void *nodes,
                                                  const void *edges, size_t count, int mode)
{
    return BELOW(cuStreamBeginCaptureToGraph)
               ? begin_capture_to(stream, graph, nodes, edges, count, mode)
               : CUDA_ERROR_NO_DRIVER;
}

LAYER_EXPORT CUresult cuStreamBeginCaptureToGraph_ptsz(CUstream stream, void *graph,
                                                       const void *nodes, const void *edges,
                                                       size_t count, int mode)
{
    return BELOW(cuStreamBeginCaptureToGraph)
               ? begin_capture_to(own_stream(stream), graph, nodes, edges, count, mode)
               : CUDA_ERROR_NO_DRIVER;
}

static CUresult end_capture(CUstream stream, void **graph)
{
    const CUresult code = cuda_below.cuStreamEndCapture(stream, graph);
    if (atomic_fetch_sub(&cuda_graph_captures, 1) <= 0) // begun by a call that is not wrapped
        atomic_store(&cuda_graph_captures, 0);
    return code;
}

LAYER_EXPORT CUresult cuStreamEndCapture(CUstream stream, void **graph)
{
    return BELOW(cuStreamEndCapture) ? end_capture(stream, graph) : CUDA_ERROR_NO_DRIVER;
}

LAYER_EXPORT CUresult cuStreamEndCapture_ptsz(CUstream stream, void **graph)
{
    return BELOW(cuStreamEndCapture) ? end_capture(own_stream(stream), graph)
                                     : CUDA_ERROR_NO_DRIVER;
}

// ---- graphs ------------------------------------------------------------------------------------

static CUresult note_graph(CUresult code, CUgraphExec *out, CUgraph graph)
{
    if (code == CUDA_SUCCESS)
        cuda_note_graph(*out, graph);
    return code;
}

LAYER_EXPORT CUresult cuGraphInstantiate(CUgraphExec *out, CUgraph graph, CUgraphNode *failed,
                                         char *log, size_t bytes)
{
    return BELOW(cuGraphInstantiate)
               ? note_graph(cuda_below.cuGraphInstantiate(out, graph, failed, log, bytes), out,
                            graph)
               : CUDA_ERROR_NO_DRIVER;
}

LAYER_EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph graph, uint64_t flags)
{
    return BELOW(cuGraphInstantiateWithFlags)
               ? note_graph(cuda_below.cuGraphInstantiateWithFlags(out, graph, flags), out, graph)
               : CUDA_ERROR_NO_DRIVER;
}

LAYER_EXPORT CUresult cuGraphInstantiateWithParams(CUgraphExec *out, CUgraph graph,
                                                   void *parameters)
{
    return BELOW(cuGraphInstantiateWithParams)
               ? note_graph(cuda_below.cuGraphInstantiateWithParams(out, graph, parameters), out,
                            graph)
               : CUDA_ERROR_NO_DRIVER;
}

LAYER_EXPORT CUresult cuGraphLaunch(CUgraphExec graph, CUstream stream)
{
    return BELOW(cuGraphLaunch) ? cuda_graph_launch(graph, stream) : CUDA_ERROR_NO_DRIVER;
}

LAYER_EXPORT CUresult cuGraphLaunch_ptsz(CUgraphExec graph, CUstream stream)
{
    return BELOW(cuGraphLaunch) ? cuda_graph_launch(graph, own_stream(stream))
                                : CUDA_ERROR_NO_DRIVER;
}

LAYER_EXPORT CUresult cuGraphExecDestroy(CUgraphExec graph)
{
    if (!BELOW(cuGraphExecDestroy))
        return CUDA_ERROR_NO_DRIVER;
    cuda_drop_graph(graph);
    return cuda_below.cuGraphExecDestroy(graph);
}

// Its nodes are another graph's now; after a failure they are nobody's.
static CUresult note_update(CUresult code, CUgraphExec to, CUgraph from)
{
    if (code == CUDA_SUCCESS)
        cuda_note_graph(to, from);
    else
        cuda_note_graph_change(to);
    return code;
}

LAYER_EXPORT CUresult cuGraphExecUpdate(CUgraphExec to, CUgraph from, void *result)
{
    return BELOW(cuGraphExecUpdate)
               ? note_update(cuda_below.cuGraphExecUpdate(to, from, result), to, from)
               : CUDA_ERROR_NO_DRIVER;
}

LAYER_EXPORT CUresult cuGraphExecUpdate_before(CUgraphExec to, CUgraph from, CUgraphNode *failed,
                                               int *result)
{
    return BELOW(cuGraphExecUpdate_before)
               ? note_update(cuda_below.cuGraphExecUpdate_before(to, from, failed, result), to,
                             from)
               : CUDA_ERROR_NO_DRIVER;
}

// ---- textures and surfaces ---------------------------------------------------------------------

LAYER_EXPORT CUresult cuTexObjectCreate(CUtexObject *out, const CUDA_RESOURCE_DESC *of,
                                        const CUDA_TEXTURE_DESC *how,
                                        const CUDA_RESOURCE_VIEW_DESC *view)
{
    if (!DRIVER(cuTexObjectCreate))
        return CUDA_ERROR_NO_DRIVER;
    const CUresult code = cuda_below.driver.cuTexObjectCreate(out, of, how, view);
    if (code == CUDA_SUCCESS)
        cuda_note_view(*out, of, how, view != NULL);
    return code;
}

LAYER_EXPORT CUresult cuTexObjectDestroy(CUtexObject texture)
{
    if (!DRIVER(cuTexObjectDestroy))
        return CUDA_ERROR_NO_DRIVER;
    layer_drop(&cuda_objects.views, (const void *)(uintptr_t)texture);
    return cuda_below.driver.cuTexObjectDestroy(texture);
}

LAYER_EXPORT CUresult cuSurfObjectCreate(CUsurfObject *out, const CUDA_RESOURCE_DESC *of)
{
    if (!DRIVER(cuSurfObjectCreate))
        return CUDA_ERROR_NO_DRIVER;
    const CUresult code = cuda_below.driver.cuSurfObjectCreate(out, of);
    if (code == CUDA_SUCCESS)
        cuda_note_view(*out, of, NULL, false);
    return code;
}

LAYER_EXPORT CUresult cuSurfObjectDestroy(CUsurfObject surface)
{
    if (!DRIVER(cuSurfObjectDestroy))
        return CUDA_ERROR_NO_DRIVER;
    layer_drop(&cuda_objects.views, (const void *)(uintptr_t)surface);
    return cuda_below.driver.cuSurfObjectDestroy(surface);
}

#define X(name, symbol, result, parameters)                                                        \
    LAYER_EXPORT result name parameters                                                            \
    {                                                                                              \
        if (!BELOW(name))                                                                          \
            return CUDA_ERROR_NO_DRIVER;                                                           \
        cuda_note_graph_change(graph);                                                             \
        return cuda_below.name(graph, node, to, more);                                             \
    }
CAPTURE_CUDA_GRAPH_CHANGES(X)
#undef X

// ---- where the program waits -------------------------------------------------------------------

static CUresult synchronize(CUstream stream)
{
    const CUresult code = cuda_below.driver.cuStreamSynchronize(stream);
    cuda_record_times();
    return code;
}

LAYER_EXPORT CUresult cuStreamSynchronize(CUstream stream)
{
    return DRIVER(cuStreamSynchronize) ? synchronize(stream) : CUDA_ERROR_NO_DRIVER;
}

LAYER_EXPORT CUresult cuStreamSynchronize_ptsz(CUstream stream)
{
    return DRIVER(cuStreamSynchronize) ? synchronize(own_stream(stream)) : CUDA_ERROR_NO_DRIVER;
}

LAYER_EXPORT CUresult cuCtxSynchronize(void)
{
    if (!BELOW(cuCtxSynchronize))
        return CUDA_ERROR_NO_DRIVER;
    const CUresult code = cuda_below.cuCtxSynchronize();
    cuda_record_times();
    return code;
}

LAYER_EXPORT CUresult cuEventSynchronize(CUevent event)
{
    if (!BELOW(cuEventSynchronize))
        return CUDA_ERROR_NO_DRIVER;
    const CUresult code = cuda_below.cuEventSynchronize(event);
    cuda_record_times();
    return code;
}

// ---- by name -----------------------------------------------------------------------------------

// X(function, symbol, name that cuGetProcAddress is asked for, since which version of CUDA, one default stream a thread)
#define OWN_FUNCTIONS(X)                                                                           \
    X(cuInit, "cuInit", "cuInit", 0, 0)                                                            \
    X(cuGetProcAddress_before, "cuGetProcAddress", "cuGetProcAddress", 0, 0)                       \
    X(cuGetProcAddress, "cuGetProcAddress_v2", "cuGetProcAddress", 12000, 0)                       \
    X(cuModuleLoad, "cuModuleLoad", "cuModuleLoad", 0, 0)                                          \
    X(cuModuleLoadData, "cuModuleLoadData", "cuModuleLoadData", 0, 0)                              \
    X(cuModuleLoadDataEx, "cuModuleLoadDataEx", "cuModuleLoadDataEx", 0, 0)                        \
    X(cuModuleLoadFatBinary, "cuModuleLoadFatBinary", "cuModuleLoadFatBinary", 0, 0)               \
    X(cuModuleUnload, "cuModuleUnload", "cuModuleUnload", 0, 0)                                    \
    X(cuModuleGetFunction, "cuModuleGetFunction", "cuModuleGetFunction", 0, 0)                     \
    X(cuLibraryLoadData, "cuLibraryLoadData", "cuLibraryLoadData", 0, 0)                           \
    X(cuLibraryLoadFromFile, "cuLibraryLoadFromFile", "cuLibraryLoadFromFile", 0, 0)               \
    X(cuLibraryUnload, "cuLibraryUnload", "cuLibraryUnload", 0, 0)                                 \
    X(cuLibraryGetKernel, "cuLibraryGetKernel", "cuLibraryGetKernel", 0, 0)                        \
    X(cuModuleGetGlobal, "cuModuleGetGlobal_v2", "cuModuleGetGlobal", 3020, 0)                     \
    X(cuLibraryGetGlobal, "cuLibraryGetGlobal", "cuLibraryGetGlobal", 0, 0)                        \
    X(cuLaunchKernel, "cuLaunchKernel", "cuLaunchKernel", 0, 0)                                    \
    X(cuLaunchKernel_ptsz, "cuLaunchKernel_ptsz", "cuLaunchKernel", 7000, 1)                       \
    X(cuLaunchCooperativeKernel, "cuLaunchCooperativeKernel", "cuLaunchCooperativeKernel", 0, 0)   \
    X(cuLaunchCooperativeKernel_ptsz, "cuLaunchCooperativeKernel_ptsz",                            \
      "cuLaunchCooperativeKernel", 0, 1)                                                           \
    X(cuLaunchKernelEx, "cuLaunchKernelEx", "cuLaunchKernelEx", 0, 0)                              \
    X(cuLaunchKernelEx_ptsz, "cuLaunchKernelEx_ptsz", "cuLaunchKernelEx", 0, 1)                    \
    X(cuStreamBeginCapture, "cuStreamBeginCapture_v2", "cuStreamBeginCapture", 10010, 0)           \
    X(cuStreamBeginCapture_ptsz, "cuStreamBeginCapture_v2_ptsz", "cuStreamBeginCapture", 10010, 1) \
    X(cuStreamBeginCaptureToGraph, "cuStreamBeginCaptureToGraph", "cuStreamBeginCaptureToGraph",   \
      0, 0)                                                                                        \
    X(cuStreamBeginCaptureToGraph_ptsz, "cuStreamBeginCaptureToGraph_ptsz",                        \
      "cuStreamBeginCaptureToGraph", 0, 1)                                                         \
    X(cuStreamEndCapture, "cuStreamEndCapture", "cuStreamEndCapture", 0, 0)                        \
    X(cuStreamEndCapture_ptsz, "cuStreamEndCapture_ptsz", "cuStreamEndCapture", 0, 1)              \
    X(cuStreamSynchronize, "cuStreamSynchronize", "cuStreamSynchronize", 0, 0)                     \
    X(cuStreamSynchronize_ptsz, "cuStreamSynchronize_ptsz", "cuStreamSynchronize", 7000, 1)        \
    X(cuCtxSynchronize, "cuCtxSynchronize", "cuCtxSynchronize", 0, 0)                              \
    X(cuEventSynchronize, "cuEventSynchronize", "cuEventSynchronize", 0, 0)                        \
    X(cuGraphInstantiate, "cuGraphInstantiate_v2", "cuGraphInstantiate", 11000, 0)                 \
    X(cuTexObjectCreate, "cuTexObjectCreate", "cuTexObjectCreate", 0, 0)                           \
    X(cuTexObjectDestroy, "cuTexObjectDestroy", "cuTexObjectDestroy", 0, 0)                        \
    X(cuSurfObjectCreate, "cuSurfObjectCreate", "cuSurfObjectCreate", 0, 0)                        \
    X(cuSurfObjectDestroy, "cuSurfObjectDestroy", "cuSurfObjectDestroy", 0, 0)                     \
    X(cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags", "cuGraphInstantiate", 12000, 0)  \
    X(cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags", "cuGraphInstantiateWithFlags",   \
      0, 0)                                                                                        \
    X(cuGraphInstantiateWithParams, "cuGraphInstantiateWithParams",                                \
      "cuGraphInstantiateWithParams", 0, 0)                                                        \
    X(cuGraphLaunch, "cuGraphLaunch", "cuGraphLaunch", 0, 0)                                       \
    X(cuGraphLaunch_ptsz, "cuGraphLaunch_ptsz", "cuGraphLaunch", 0, 1)                             \
    X(cuGraphExecDestroy, "cuGraphExecDestroy", "cuGraphExecDestroy", 0, 0)                        \
    X(cuGraphExecUpdate_before, "cuGraphExecUpdate", "cuGraphExecUpdate", 0, 0)                    \
    X(cuGraphExecUpdate, "cuGraphExecUpdate_v2", "cuGraphExecUpdate", 12000, 0)                    \
    X(cuGraphExecKernelNodeSetParams_before, "cuGraphExecKernelNodeSetParams",                     \
      "cuGraphExecKernelNodeSetParams", 0, 0)                                                      \
    X(cuGraphExecKernelNodeSetParams, "cuGraphExecKernelNodeSetParams_v2",                         \
      "cuGraphExecKernelNodeSetParams", 12000, 0)                                                  \
    X(cuGraphExecMemcpyNodeSetParams, "cuGraphExecMemcpyNodeSetParams",                            \
      "cuGraphExecMemcpyNodeSetParams", 0, 0)                                                      \
    X(cuGraphExecMemsetNodeSetParams, "cuGraphExecMemsetNodeSetParams",                            \
      "cuGraphExecMemsetNodeSetParams", 0, 0)                                                      \
    X(cuGraphExecHostNodeSetParams, "cuGraphExecHostNodeSetParams",                                \
      "cuGraphExecHostNodeSetParams", 0, 0)                                                        \
    X(cuGraphExecChildGraphNodeSetParams, "cuGraphExecChildGraphNodeSetParams",                    \
      "cuGraphExecChildGraphNodeSetParams", 0, 0)                                                  \
    X(cuGraphExecEventRecordNodeSetEvent, "cuGraphExecEventRecordNodeSetEvent",                    \
      "cuGraphExecEventRecordNodeSetEvent", 0, 0)                                                  \
    X(cuGraphExecEventWaitNodeSetEvent, "cuGraphExecEventWaitNodeSetEvent",                        \
      "cuGraphExecEventWaitNodeSetEvent", 0, 0)                                                    \
    X(cuGraphExecBatchMemOpNodeSetParams, "cuGraphExecBatchMemOpNodeSetParams",                    \
      "cuGraphExecBatchMemOpNodeSetParams", 0, 0)                                                  \
    X(cuGraphExecNodeSetParams, "cuGraphExecNodeSetParams", "cuGraphExecNodeSetParams", 0, 0)      \
    X(cuGraphNodeSetEnabled, "cuGraphNodeSetEnabled", "cuGraphNodeSetEnabled", 0, 0)               \
    X(nvrtcCreateProgram, "nvrtcCreateProgram", "", 0, 0)                                          \
    X(nvrtcDestroyProgram, "nvrtcDestroyProgram", "", 0, 0)                                        \
    X(nvrtcAddNameExpression, "nvrtcAddNameExpression", "", 0, 0)                                  \
    X(nvrtcCompileProgram, "nvrtcCompileProgram", "", 0, 0)                                        \
    X(nvrtcGetCUBIN, "nvrtcGetCUBIN", "", 0, 0)                                                    \
    X(nvrtcGetPTX, "nvrtcGetPTX", "", 0, 0)

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
