// CUDA's driver interface and its run-time compiler NVRTC, opened at run time: the worker starts
// without them, and says so. The few types, constants and functions that are used are declared
// here, under their own names, so that no header of CUDA is needed to build hone; a test holds them
// against the real headers where there are any (tests/device/test_cuda_headers.c, which includes
// those first).
#pragma once

#include "base/error.h"
#include "base/text.h"

#include <stddef.h>

// ---- types. X(name, what it is)

#define CUDA_NUMBER_TYPES(X)                                                                       \
    X(CUresult, int)                                                                               \
    X(CUdevice, int)                                                                               \
    X(CUdevice_attribute, int)                                                                     \
    X(CUfunction_attribute, int)                                                                   \
    X(CUdeviceptr, unsigned long long)                                                             \
    X(CUtexObject, unsigned long long)                                                             \
    X(CUsurfObject, unsigned long long)                                                            \
    X(nvrtcResult, int)

#define CUDA_HANDLE_TYPES(X)                                                                       \
    X(CUcontext, struct CUctx_st *)                                                                \
    X(CUmodule, struct CUmod_st *)                                                                 \
    X(CUfunction, struct CUfunc_st *)                                                              \
    X(CUstream, struct CUstream_st *)                                                              \
    X(CUevent, struct CUevent_st *)                                                                \
    X(CUarray, struct CUarray_st *)                                                                \
    X(nvrtcProgram, struct _nvrtcProgram *)

// X(name, value)
#define CUDA_CONSTANTS(X)                                                                          \
    X(CUDA_SUCCESS, 0)                                                                             \
    X(CUDA_ERROR_INVALID_VALUE, 1)                                                                 \
    X(CUDA_ERROR_OUT_OF_MEMORY, 2)                                                                 \
    X(CUDA_ERROR_NO_DEVICE, 100)                                                                   \
    X(CUDA_ERROR_INVALID_IMAGE, 200)                                                               \
    X(CUDA_ERROR_NO_BINARY_FOR_GPU, 209)                                                           \
    X(CUDA_ERROR_ECC_UNCORRECTABLE, 214)                                                           \
    X(CUDA_ERROR_INVALID_PTX, 218)                                                                 \
    X(CUDA_ERROR_NVLINK_UNCORRECTABLE, 220)                                                        \
    X(CUDA_ERROR_CONTAINED, 226)                                                                   \
    X(CUDA_ERROR_INVALID_HANDLE, 400)                                                              \
    X(CUDA_ERROR_NOT_FOUND, 500)                                                                   \
    X(CUDA_ERROR_NOT_READY, 600)                                                                   \
    X(CUDA_ERROR_ILLEGAL_ADDRESS, 700)                                                             \
    X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701)                                                     \
    X(CUDA_ERROR_LAUNCH_TIMEOUT, 702)                                                              \
    X(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709)                                                        \
    X(CUDA_ERROR_ASSERT, 710)                                                                      \
    X(CUDA_ERROR_HARDWARE_STACK_ERROR, 714)                                                        \
    X(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715)                                                         \
    X(CUDA_ERROR_MISALIGNED_ADDRESS, 716)                                                          \
    X(CUDA_ERROR_INVALID_ADDRESS_SPACE, 717)                                                       \
    X(CUDA_ERROR_INVALID_PC, 718)                                                                  \
    X(CUDA_ERROR_LAUNCH_FAILED, 719)                                                               \
    X(CUDA_ERROR_INVALID_CLUSTER_SIZE, 912)                                                        \
    X(CUDA_ERROR_UNKNOWN, 999)                                                                     \
    X(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1)                                                \
    X(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 2)                                                      \
    X(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 3)                                                      \
    X(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 4)                                                      \
    X(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 5)                                                       \
    X(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 6)                                                       \
    X(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 7)                                                       \
    X(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 8)                                          \
    X(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 9)                                                \
    X(CU_DEVICE_ATTRIBUTE_WARP_SIZE, 10)                                                           \
    X(CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 13)                                                          \
    X(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16)                                                \
    X(CU_DEVICE_ATTRIBUTE_INTEGRATED, 18)                                                          \
    X(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 33)                                                          \
    X(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, 34)                                                       \
    X(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 38)                                                       \
    X(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, 50)                                                       \
    X(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75)                                            \
    X(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76)                                            \
    X(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97)                                   \
    X(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0)                                                  \
    X(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 1)                                                      \
    X(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, 2)                                                       \
    X(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 3)                                                       \
    X(CU_FUNC_ATTRIBUTE_NUM_REGS, 4)                                                               \
    X(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 8)                                          \
    X(CU_AD_FORMAT_UNSIGNED_INT8, 1)                                                               \
    X(CU_AD_FORMAT_UNSIGNED_INT16, 2)                                                              \
    X(CU_AD_FORMAT_UNSIGNED_INT32, 3)                                                              \
    X(CU_AD_FORMAT_SIGNED_INT8, 8)                                                                 \
    X(CU_AD_FORMAT_SIGNED_INT16, 9)                                                                \
    X(CU_AD_FORMAT_SIGNED_INT32, 10)                                                               \
    X(CU_AD_FORMAT_HALF, 16)                                                                       \
    X(CU_AD_FORMAT_FLOAT, 32)                                                                      \
    X(CU_TR_ADDRESS_MODE_WRAP, 0)                                                                  \
    X(CU_TR_ADDRESS_MODE_CLAMP, 1)                                                                 \
    X(CU_TR_ADDRESS_MODE_MIRROR, 2)                                                                \
    X(CU_TR_ADDRESS_MODE_BORDER, 3)                                                                \
    X(CU_TR_FILTER_MODE_POINT, 0)                                                                  \
    X(CU_TR_FILTER_MODE_LINEAR, 1)                                                                 \
    X(CU_TRSF_READ_AS_INTEGER, 1)                                                                  \
    X(CU_TRSF_NORMALIZED_COORDINATES, 2)                                                           \
    X(CU_RESOURCE_TYPE_ARRAY, 0)                                                                   \
    X(CU_MEMORYTYPE_DEVICE, 2)                                                                     \
    X(CU_MEMORYTYPE_ARRAY, 3)                                                                      \
    X(CUDA_ARRAY3D_SURFACE_LDST, 2)                                                                \
    X(CU_STREAM_DEFAULT, 0)                                                                        \
    X(CU_EVENT_DEFAULT, 0)                                                                         \
    X(NVRTC_SUCCESS, 0)                                                                            \
    X(NVRTC_ERROR_OUT_OF_MEMORY, 1)                                                                \
    X(NVRTC_ERROR_INVALID_OPTION, 5)                                                               \
    X(NVRTC_ERROR_COMPILATION, 6)                                                                  \
    X(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE, 7)                                                    \
    X(NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID, 10)

#ifndef CUDA_VERSION // cuda.h and nvrtc.h are not here

#define X(name, is) typedef is name;
CUDA_NUMBER_TYPES(X)
CUDA_HANDLE_TYPES(X)
#undef X

enum {
#define X(name, value) name = value,
    CUDA_CONSTANTS(X)
#undef X
};

typedef struct {
    char bytes[16];
} CUuuid;

typedef struct {
    size_t Width, Height, Depth;
    int Format;
    unsigned NumChannels, Flags;
} CUDA_ARRAY3D_DESCRIPTOR;

typedef struct {
    size_t srcXInBytes, srcY, srcZ, srcLOD;
    int srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    void *reserved0;
    size_t srcPitch, srcHeight;
    size_t dstXInBytes, dstY, dstZ, dstLOD;
    int dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    void *reserved1;
    size_t dstPitch, dstHeight;
    size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;

typedef struct {
    int resType;
    union {
        struct {
            CUarray hArray;
        } array;
        int reserved[32]; // of other types
    } res;
    unsigned flags;
} CUDA_RESOURCE_DESC;

typedef struct {
    int addressMode[3], filterMode;
    unsigned flags, maxAnisotropy;
    int mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp, borderColor[4];
    int reserved[12];
} CUDA_TEXTURE_DESC;

typedef struct CUDA_RESOURCE_VIEW_DESC_st CUDA_RESOURCE_VIEW_DESC; // none is passed

#endif

// X(name, bytes)
#define CUDA_STRUCTS(X)                                                                            \
    X(CUDA_ARRAY3D_DESCRIPTOR, 40)                                                                 \
    X(CUDA_MEMCPY3D, 200)                                                                          \
    X(CUDA_RESOURCE_DESC, 144)                                                                     \
    X(CUDA_TEXTURE_DESC, 104)

#define X(name, bytes) _Static_assert(sizeof(name) == (bytes), #name " has another size");
CUDA_STRUCTS(X)
#undef X

// ---- functions

// X(name in this program, name in the library, result, parameters). Newer headers define the first
// names as the second ones: "_v2" is what every program of the last ten years calls.
#define CUDA_DRIVER_FUNCTIONS(X)                                                                   \
    X(cuInit, "cuInit", CUresult, (unsigned flags))                                                \
    X(cuDriverGetVersion, "cuDriverGetVersion", CUresult, (int *version))                          \
    X(cuGetErrorName, "cuGetErrorName", CUresult, (CUresult code, const char **text))              \
    X(cuGetErrorString, "cuGetErrorString", CUresult, (CUresult code, const char **text))          \
    X(cuDeviceGetCount, "cuDeviceGetCount", CUresult, (int *count))                                \
    X(cuDeviceGet, "cuDeviceGet", CUresult, (CUdevice * out, int ordinal))                         \
    X(cuDeviceGetName, "cuDeviceGetName", CUresult, (char *name, int size, CUdevice device))       \
    X(cuDeviceGetUuid, "cuDeviceGetUuid_v2", CUresult, (CUuuid * out, CUdevice device))            \
    X(cuDeviceTotalMem, "cuDeviceTotalMem_v2", CUresult, (size_t * bytes, CUdevice device))        \
    X(cuDeviceGetAttribute, "cuDeviceGetAttribute", CUresult,                                      \
      (int *out, CUdevice_attribute what, CUdevice device))                                        \
    X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", CUresult,                              \
      (CUcontext * out, CUdevice device))                                                          \
    X(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", CUresult, (CUdevice device))      \
    X(cuCtxSetCurrent, "cuCtxSetCurrent", CUresult, (CUcontext context))                           \
    X(cuStreamCreate, "cuStreamCreate", CUresult, (CUstream * out, unsigned flags))                \
    X(cuStreamDestroy, "cuStreamDestroy_v2", CUresult, (CUstream stream))                          \
    X(cuStreamSynchronize, "cuStreamSynchronize", CUresult, (CUstream stream))                     \
    X(cuEventCreate, "cuEventCreate", CUresult, (CUevent * out, unsigned flags))                   \
    X(cuEventDestroy, "cuEventDestroy_v2", CUresult, (CUevent event))                              \
    X(cuEventRecord, "cuEventRecord", CUresult, (CUevent event, CUstream stream))                  \
    X(cuEventElapsedTime, "cuEventElapsedTime", CUresult,                                          \
      (float *milliseconds, CUevent start, CUevent end))                                           \
    X(cuMemAlloc, "cuMemAlloc_v2", CUresult, (CUdeviceptr * out, size_t bytes))                    \
    X(cuMemFree, "cuMemFree_v2", CUresult, (CUdeviceptr at))                                       \
    X(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", CUresult,                                         \
      (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))                           \
    X(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", CUresult,                                         \
      (void *to, CUdeviceptr from, size_t bytes, CUstream stream))                                 \
    X(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", CUresult,                                         \
      (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))                           \
    X(cuMemsetD8Async, "cuMemsetD8Async", CUresult,                                                \
      (CUdeviceptr at, unsigned char byte, size_t bytes, CUstream stream))                         \
    X(cuArray3DCreate, "cuArray3DCreate_v2", CUresult,                                             \
      (CUarray * out, const CUDA_ARRAY3D_DESCRIPTOR *what))                                        \
    X(cuArrayDestroy, "cuArrayDestroy", CUresult, (CUarray array))                                 \
    X(cuMemcpy3DAsync, "cuMemcpy3DAsync_v2", CUresult,                                             \
      (const CUDA_MEMCPY3D *copy, CUstream stream))                                                \
    X(cuTexObjectCreate, "cuTexObjectCreate", CUresult,                                            \
      (CUtexObject * out, const CUDA_RESOURCE_DESC *of, const CUDA_TEXTURE_DESC *how,              \
       const CUDA_RESOURCE_VIEW_DESC *view))                                                       \
    X(cuTexObjectDestroy, "cuTexObjectDestroy", CUresult, (CUtexObject texture))                   \
    X(cuSurfObjectCreate, "cuSurfObjectCreate", CUresult,                                          \
      (CUsurfObject * out, const CUDA_RESOURCE_DESC *of))                                          \
    X(cuSurfObjectDestroy, "cuSurfObjectDestroy", CUresult, (CUsurfObject surface))                \
    X(cuModuleLoadData, "cuModuleLoadData", CUresult, (CUmodule * out, const void *image))         \
    X(cuModuleUnload, "cuModuleUnload", CUresult, (CUmodule module))                               \
    X(cuModuleGetFunction, "cuModuleGetFunction", CUresult,                                        \
      (CUfunction * out, CUmodule module, const char *name))                                       \
    X(cuModuleGetGlobal, "cuModuleGetGlobal_v2", CUresult,                                         \
      (CUdeviceptr * out, size_t * bytes, CUmodule module, const char *name))                      \
    X(cuFuncGetAttribute, "cuFuncGetAttribute", CUresult,                                          \
      (int *out, CUfunction_attribute what, CUfunction function))                                  \
    X(cuFuncSetAttribute, "cuFuncSetAttribute", CUresult,                                          \
      (CUfunction function, CUfunction_attribute what, int value))                                 \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor",  \
      CUresult, (int *out, CUfunction function, int block, size_t dynamic_bytes))                  \
    X(cuLaunchKernel, "cuLaunchKernel", CUresult,                                                  \
      (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,   \
       unsigned block_y, unsigned block_z, unsigned dynamic_bytes, CUstream stream,                \
       void **parameters, void **extra))

// NULL where the driver is too old for them.
#define CUDA_OPTIONAL_FUNCTIONS(X)                                                                 \
    X(cuFuncGetParamInfo, "cuFuncGetParamInfo", CUresult, /* 12.4 */                               \
      (CUfunction function, size_t index, size_t * offset, size_t * bytes))

#define NVRTC_FUNCTIONS(X)                                                                         \
    X(nvrtcVersion, "nvrtcVersion", nvrtcResult, (int *major, int *minor))                         \
    X(nvrtcGetErrorString, "nvrtcGetErrorString", const char *, (nvrtcResult code))                \
    X(nvrtcGetNumSupportedArchs, "nvrtcGetNumSupportedArchs", nvrtcResult, (int *count))           \
    X(nvrtcGetSupportedArchs, "nvrtcGetSupportedArchs", nvrtcResult, (int *out))                   \
    X(nvrtcCreateProgram, "nvrtcCreateProgram", nvrtcResult,                                       \
      (nvrtcProgram * out, const char *source, const char *name, int headers,                      \
       const char *const *texts, const char *const *names))                                        \
    X(nvrtcDestroyProgram, "nvrtcDestroyProgram", nvrtcResult, (nvrtcProgram * program))           \
    X(nvrtcCompileProgram, "nvrtcCompileProgram", nvrtcResult,                                     \
      (nvrtcProgram program, int count, const char *const *options))                               \
    X(nvrtcAddNameExpression, "nvrtcAddNameExpression", nvrtcResult,                               \
      (nvrtcProgram program, const char *const name))                                              \
    X(nvrtcGetLoweredName, "nvrtcGetLoweredName", nvrtcResult,                                     \
      (nvrtcProgram program, const char *const name, const char **out))                            \
    X(nvrtcGetCUBINSize, "nvrtcGetCUBINSize", nvrtcResult, (nvrtcProgram program, size_t * out))   \
    X(nvrtcGetCUBIN, "nvrtcGetCUBIN", nvrtcResult, (nvrtcProgram program, char *out))              \
    X(nvrtcGetPTXSize, "nvrtcGetPTXSize", nvrtcResult, (nvrtcProgram program, size_t * out))       \
    X(nvrtcGetPTX, "nvrtcGetPTX", nvrtcResult, (nvrtcProgram program, char *out))                  \
    X(nvrtcGetProgramLogSize, "nvrtcGetProgramLogSize", nvrtcResult,                               \
      (nvrtcProgram program, size_t * out))                                                        \
    X(nvrtcGetProgramLog, "nvrtcGetProgramLog", nvrtcResult, (nvrtcProgram program, char *out))

#define CUDA_POINTER(name, symbol, result, parameters) result(*name) parameters;

struct cuda_api {
    CUDA_DRIVER_FUNCTIONS(CUDA_POINTER)
    CUDA_OPTIONAL_FUNCTIONS(CUDA_POINTER)
};

struct nvrtc_api {
    NVRTC_FUNCTIONS(CUDA_POINTER)
};

#define CUDA_LIBRARY "libcuda.so.1"

// Opens the driver's library. The libraries stay open: they do not survive being unloaded. Where
// there is none the error's driver code is ENOENT.
bool cuda_api_open(struct cuda_api *api, struct error *e);

// Opens NVRTC: below `toolkit` (a CUDA installation that the user chose, or NULL), where the loader
// finds it, or in the usual folders of CUDA installations. `path` gets the library's own path,
// beside which the toolkit's headers are looked for.
bool nvrtc_api_open(struct nvrtc_api *api, const char *toolkit, struct text *path, struct error *e);

// Calls `open` with the library folders below `toolkit` (as above) and of the usual installations
// until it gives something.
void *cuda_toolkits_find(const char *toolkit, void *(*open)(const char *folder, void *context),
                         void *context);

// Writes "CUDA_ERROR_ILLEGAL_ADDRESS (700): the kernel read or wrote an address that is not its
// own" into `out` and returns it.
const char *cuda_code_text(const struct cuda_api *api, CUresult code, char *out, size_t size);
// error_set_driver(): "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): ...".
bool cuda_error(const struct cuda_api *api, struct error *e, const char *call, CUresult code);
#ifdef __clang_analyzer__ // see error.h
#define cuda_error(...) (cuda_error(__VA_ARGS__), false)
#endif
