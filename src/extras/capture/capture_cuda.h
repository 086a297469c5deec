// The functions and types of CUDA that the layer and hone-replay need beyond those of the backend (cuda_api.h).
#pragma once

#include "device/backends/cuda/cuda_api.h"

#include <stdint.h>

typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;

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

// X(name, symbol, result, parameters), as in cuda_api.h. NULL where the driver is too old.
#define CAPTURE_CUDA_FUNCTIONS(X)                                                                  \
    X(cuCtxGetDevice, "cuCtxGetDevice", CUresult, (CUdevice * out))                                \
    X(cuCtxSynchronize, "cuCtxSynchronize", CUresult, (void))                                      \
    X(cuCtxGetCurrent, "cuCtxGetCurrent", CUresult, (CUcontext * out))                             \
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
    X(cuGetProcAddress, "cuGetProcAddress_v2", CUresult,                                           \
      (const char *name, void **out, int version, uint64_t flags, int *status))
