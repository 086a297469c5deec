// The functions and types of CUDA that the layer and hone-replay need beyond those of the backend (cuda_api.h).
#pragma once

#include "device/backends/cuda/cuda_api.h"

#include <stdint.h>

typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;

enum {
    CUDA_STREAM_LEGACY = 1,
    CUDA_STREAM_PER_THREAD = 2,
    CUDA_PROC_ADDRESS_PER_THREAD = 2,
    CUDA_POINTER_MEMORY_TYPE = 2,
    CUDA_LAUNCH_BUFFER = 1,
    CUDA_LAUNCH_BUFFER_SIZE = 2,
    CUDA_ERROR_NO_DRIVER = 3, // CUDA_ERROR_NOT_INITIALIZED
    CUDA_ERROR_FILE_NOT_FOUND = 301,
    CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
};

// CUlaunchConfig and CUlaunchAttribute.
struct cuda_attribute {
    int id;
    char padding[4];
    union {
        unsigned words[16];
        int number;
    } value;
};

struct cuda_config {
    unsigned grid[3], block[3], shared;
    CUstream stream;
    struct cuda_attribute *attributes;
    unsigned attribute_count;
};

enum { CUDA_ATTRIBUTE_COOPERATIVE = 2, CUDA_ATTRIBUTE_CLUSTER = 4 };

// CUDA_KERNEL_NODE_PARAMS_v2.
struct cuda_node {
    CUfunction function; // or NULL, and `kernel`
    unsigned grid[3], block[3], shared;
    void **parameters, **extra;
    CUkernel kernel;
    CUcontext context;
};

enum { CUDA_NODE_KERNEL = 0 };

enum {
    CUDA_MEMORY_HOST = 1,
    CUDA_TEXTURE_SRGB = 16,
    CUDA_RESOURCE_LINEAR = 2,
    CUDA_RESOURCE_PITCH = 3,
};

// Memory that is no array, in a CUDA_RESOURCE_DESC; `width` counts bytes if there are no rows.
struct cuda_plane {
    CUdeviceptr at;
    int format;
    unsigned channels;
    size_t width, height, pitch;
};

// CUmemAllocationProp, CUmemAccessDesc.
struct cuda_allocation {
    int type, handle_types, location_type, location;
    void *security;
    unsigned char flags[8];
};

struct cuda_access {
    int location_type, location, flags;
};

enum { CUDA_MEMORY_PINNED = 1, CUDA_LOCATION_DEVICE = 1, CUDA_ACCESS_READ_WRITE = 3 };

// Virtual memory: hone-replay puts contents where they lay.
#define CAPTURE_CUDA_PLACES(X)                                                                     \
    X(cuMemGetAllocationGranularity, "cuMemGetAllocationGranularity", CUresult,                    \
      (size_t * out, const struct cuda_allocation *like, int least))                               \
    X(cuMemAddressReserve, "cuMemAddressReserve", CUresult,                                        \
      (CUdeviceptr * out, size_t bytes, size_t alignment, CUdeviceptr at, uint64_t flags))         \
    X(cuMemAddressFree, "cuMemAddressFree", CUresult, (CUdeviceptr at, size_t bytes))              \
    X(cuMemCreate, "cuMemCreate", CUresult,                                                        \
      (uint64_t * out, size_t bytes, const struct cuda_allocation *like, uint64_t flags))          \
    X(cuMemRelease, "cuMemRelease", CUresult, (uint64_t memory))                                   \
    X(cuMemMap, "cuMemMap", CUresult,                                                              \
      (CUdeviceptr at, size_t bytes, size_t offset, uint64_t memory, uint64_t flags))              \
    X(cuMemUnmap, "cuMemUnmap", CUresult, (CUdeviceptr at, size_t bytes))                          \
    X(cuMemSetAccess, "cuMemSetAccess", CUresult,                                                  \
      (CUdeviceptr at, size_t bytes, const struct cuda_access *access, size_t count))

// X(name, symbol, result, parameters), as in cuda_api.h. NULL where the driver is too old.
#define CAPTURE_CUDA_FUNCTIONS(X)                                                                  \
    X(cuCtxGetDevice, "cuCtxGetDevice", CUresult, (CUdevice * out))                                \
    X(cuCtxSynchronize, "cuCtxSynchronize", CUresult, (void))                                      \
    X(cuCtxGetCurrent, "cuCtxGetCurrent", CUresult, (CUcontext * out))                             \
    X(cuArray3DGetDescriptor, "cuArray3DGetDescriptor_v2", CUresult,                               \
      (CUDA_ARRAY3D_DESCRIPTOR * out, CUarray array))                                              \
    X(cuMipmappedArrayGetLevel, "cuMipmappedArrayGetLevel", CUresult,                              \
      (CUarray * out, void *of, unsigned level))                                                   \
    X(cuGraphicsSubResourceGetMappedArray, "cuGraphicsSubResourceGetMappedArray", CUresult,        \
      (CUarray * out, void *of, unsigned index, unsigned level))                                   \
    X(cuEventQuery, "cuEventQuery", CUresult, (CUevent event))                                     \
    X(cuEventSynchronize, "cuEventSynchronize", CUresult, (CUevent event))                         \
    X(cuMemGetAddressRange, "cuMemGetAddressRange_v2", CUresult,                                   \
      (CUdeviceptr * base, size_t * size, CUdeviceptr at))                                         \
    X(cuMemHostAlloc, "cuMemHostAlloc", CUresult, (void **out, size_t bytes, unsigned flags))      \
    X(cuPointerGetAttribute, "cuPointerGetAttribute", CUresult,                                    \
      (void *out, int what, CUdeviceptr at))                                                       \
    X(cuMemcpyDtoH, "cuMemcpyDtoH_v2", CUresult, (void *to, CUdeviceptr from, size_t bytes))       \
    X(cuMemcpyHtoD, "cuMemcpyHtoD_v2", CUresult, (CUdeviceptr to, const void *from, size_t bytes)) \
    X(cuMemcpyDtoD, "cuMemcpyDtoD_v2", CUresult, (CUdeviceptr to, CUdeviceptr from, size_t bytes)) \
    X(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", CUresult,                                         \
      (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))                           \
    X(cuModuleLoad, "cuModuleLoad", CUresult, (CUmodule * out, const char *path))                  \
    X(cuModuleLoadDataEx, "cuModuleLoadDataEx", CUresult,                                          \
      (CUmodule * out, const void *image, unsigned count, int *options, void **values))            \
    X(cuModuleLoadFatBinary, "cuModuleLoadFatBinary", CUresult,                                    \
      (CUmodule * out, const void *image))                                                         \
    X(cuLibraryLoadData, "cuLibraryLoadData", CUresult,                                            \
      (CUlibrary * out, const void *image, int *options, void **values, unsigned count,            \
       int *library_options, void **library_values, unsigned library_count))                       \
    X(cuLibraryLoadFromFile, "cuLibraryLoadFromFile", CUresult,                                    \
      (CUlibrary * out, const char *path, int *options, void **values, unsigned count,             \
       int *library_options, void **library_values, unsigned library_count))                       \
    X(cuLibraryGetModule, "cuLibraryGetModule", CUresult, (CUmodule * out, CUlibrary library))     \
    X(cuLibraryUnload, "cuLibraryUnload", CUresult, (CUlibrary library))                           \
    X(cuLibraryGetKernel, "cuLibraryGetKernel", CUresult,                                          \
      (CUkernel * out, CUlibrary library, const char *name))                                       \
    X(cuLibraryGetGlobal, "cuLibraryGetGlobal", CUresult,                                          \
      (CUdeviceptr * out, size_t * bytes, CUlibrary library, const char *name))                    \
    X(cuKernelGetFunction, "cuKernelGetFunction", CUresult, (CUfunction * out, CUkernel kernel))   \
    X(cuKernelGetParamInfo, "cuKernelGetParamInfo", CUresult,                                      \
      (CUkernel kernel, size_t index, size_t * offset, size_t * bytes))                            \
    X(cuKernelGetName, "cuKernelGetName", CUresult, (const char **name, CUkernel kernel))          \
    X(cuKernelGetLibrary, "cuKernelGetLibrary", CUresult, (CUlibrary * out, CUkernel kernel))      \
    X(cuFuncGetName, "cuFuncGetName", CUresult, (const char **name, CUfunction function))          \
    X(cuFuncGetModule, "cuFuncGetModule", CUresult, (CUmodule * out, CUfunction function))         \
    X(cuLaunchKernelEx, "cuLaunchKernelEx", CUresult,                                              \
      (const struct cuda_config *config, CUfunction function, void **parameters, void **extra))    \
    X(cuLaunchCooperativeKernel, "cuLaunchCooperativeKernel", CUresult,                            \
      (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,   \
       unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void **parameters))   \
    X(cuStreamIsCapturing, "cuStreamIsCapturing", CUresult, (CUstream stream, int *status))        \
    X(cuStreamBeginCapture, "cuStreamBeginCapture_v2", CUresult, (CUstream stream, int mode))      \
    X(cuStreamBeginCaptureToGraph, "cuStreamBeginCaptureToGraph", CUresult,                        \
      (CUstream stream, void *graph, const void *nodes, const void *edges, size_t count,           \
       int mode))                                                                                  \
    X(cuStreamEndCapture, "cuStreamEndCapture", CUresult, (CUstream stream, void **graph))         \
    X(cuGraphClone, "cuGraphClone", CUresult, (CUgraph * out, CUgraph graph))                      \
    X(cuGraphDestroy, "cuGraphDestroy", CUresult, (CUgraph graph))                                 \
    X(cuGraphDestroyNode, "cuGraphDestroyNode", CUresult, (CUgraphNode node))                      \
    X(cuGraphGetNodes, "cuGraphGetNodes", CUresult,                                                \
      (CUgraph graph, CUgraphNode * nodes, size_t * count))                                        \
    X(cuGraphGetEdges, "cuGraphGetEdges", CUresult,                                                \
      (CUgraph graph, CUgraphNode * from, CUgraphNode * to, size_t * count))                       \
    X(cuGraphNodeGetType, "cuGraphNodeGetType", CUresult, (CUgraphNode node, int *type))           \
    X(cuGraphNodeFindInClone, "cuGraphNodeFindInClone", CUresult,                                  \
      (CUgraphNode * out, CUgraphNode node, CUgraph clone))                                        \
    X(cuGraphKernelNodeGetParams, "cuGraphKernelNodeGetParams_v2", CUresult,                       \
      (CUgraphNode node, struct cuda_node * out))                                                  \
    X(cuGraphKernelNodeGetAttribute, "cuGraphKernelNodeGetAttribute", CUresult,                    \
      (CUgraphNode node, int id, unsigned *out))                                                   \
    X(cuGraphInstantiate, "cuGraphInstantiate_v2", CUresult,                                       \
      (CUgraphExec * out, CUgraph graph, CUgraphNode * failed, char *log, size_t bytes))           \
    X(cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags", CUresult,                        \
      (CUgraphExec * out, CUgraph graph, uint64_t flags))                                          \
    X(cuGraphInstantiateWithParams, "cuGraphInstantiateWithParams", CUresult,                      \
      (CUgraphExec * out, CUgraph graph, void *parameters))                                        \
    X(cuGraphLaunch, "cuGraphLaunch", CUresult, (CUgraphExec graph, CUstream stream))              \
    X(cuGraphExecDestroy, "cuGraphExecDestroy", CUresult, (CUgraphExec graph))                     \
    X(cuGraphExecUpdate, "cuGraphExecUpdate_v2", CUresult,                                         \
      (CUgraphExec to, CUgraph from, void *result))                                                \
    X(cuGraphExecUpdate_before, "cuGraphExecUpdate", CUresult,                                     \
      (CUgraphExec to, CUgraph from, CUgraphNode * failed, int *result))                           \
    CAPTURE_CUDA_GRAPH_CHANGES(X)                                                                  \
    X(cuGetProcAddress, "cuGetProcAddress_v2", CUresult,                                           \
      (const char *name, void **out, int version, uint64_t flags, int *status))

// Functions that change a node of an executable graph. `more` is a context, where there is one.
#define CUDA_GRAPH_CHANGE(X, name, symbol)                                                         \
    X(name, symbol, CUresult, (CUgraphExec graph, CUgraphNode node, uintptr_t to, uintptr_t more))
#define CAPTURE_CUDA_GRAPH_CHANGES(X)                                                              \
    CUDA_GRAPH_CHANGE(X, cuGraphExecKernelNodeSetParams, "cuGraphExecKernelNodeSetParams_v2")      \
    CUDA_GRAPH_CHANGE(X, cuGraphExecKernelNodeSetParams_before, "cuGraphExecKernelNodeSetParams")  \
    CUDA_GRAPH_CHANGE(X, cuGraphExecMemcpyNodeSetParams, "cuGraphExecMemcpyNodeSetParams")         \
    CUDA_GRAPH_CHANGE(X, cuGraphExecMemsetNodeSetParams, "cuGraphExecMemsetNodeSetParams")         \
    CUDA_GRAPH_CHANGE(X, cuGraphExecHostNodeSetParams, "cuGraphExecHostNodeSetParams")             \
    CUDA_GRAPH_CHANGE(X, cuGraphExecChildGraphNodeSetParams, "cuGraphExecChildGraphNodeSetParams") \
    CUDA_GRAPH_CHANGE(X, cuGraphExecEventRecordNodeSetEvent, "cuGraphExecEventRecordNodeSetEvent") \
    CUDA_GRAPH_CHANGE(X, cuGraphExecEventWaitNodeSetEvent, "cuGraphExecEventWaitNodeSetEvent")     \
    CUDA_GRAPH_CHANGE(X, cuGraphExecBatchMemOpNodeSetParams, "cuGraphExecBatchMemOpNodeSetParams") \
    CUDA_GRAPH_CHANGE(X, cuGraphExecNodeSetParams, "cuGraphExecNodeSetParams")                     \
    CUDA_GRAPH_CHANGE(X, cuGraphNodeSetEnabled, "cuGraphNodeSetEnabled")
