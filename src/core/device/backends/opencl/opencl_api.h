// OpenCL through the ICD loader, opened at run time: the worker starts without it, and says so.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl.h>

#include "base/error.h"

#define OPENCL_LIBRARY "libOpenCL.so.1"
#define OPENCL_PACKAGE "ocl-icd-libopencl1"

#define OPENCL_ILLEGAL_ACCESS (-9999) // NVIDIA's

#define OPENCL_FUNCTIONS(X)                                                                        \
    X(clGetPlatformIDs)                                                                            \
    X(clGetPlatformInfo)                                                                           \
    X(clGetDeviceIDs)                                                                              \
    X(clGetDeviceInfo)                                                                             \
    X(clCreateContext)                                                                             \
    X(clReleaseContext)                                                                            \
    X(clCreateCommandQueue)                                                                        \
    X(clReleaseCommandQueue)                                                                       \
    X(clCreateBuffer)                                                                              \
    X(clCreateSubBuffer)                                                                           \
    X(clCreateImage)                                                                               \
    X(clCreateSampler)                                                                             \
    X(clReleaseSampler)                                                                            \
    X(clReleaseMemObject)                                                                          \
    X(clEnqueueReadBuffer)                                                                         \
    X(clEnqueueWriteBuffer)                                                                        \
    X(clEnqueueFillBuffer)                                                                         \
    X(clEnqueueCopyBuffer)                                                                         \
    X(clEnqueueCopyBufferToImage)                                                                  \
    X(clEnqueueCopyImageToBuffer)                                                                  \
    X(clEnqueueMapBuffer)                                                                          \
    X(clEnqueueUnmapMemObject)                                                                     \
    X(clCreateProgramWithSource)                                                                   \
    X(clCreateProgramWithBinary)                                                                   \
    X(clBuildProgram)                                                                              \
    X(clGetProgramBuildInfo)                                                                       \
    X(clGetProgramInfo)                                                                            \
    X(clReleaseProgram)                                                                            \
    X(clCreateKernel)                                                                              \
    X(clGetKernelInfo)                                                                             \
    X(clGetKernelArgInfo)                                                                          \
    X(clGetKernelWorkGroupInfo)                                                                    \
    X(clSetKernelArg)                                                                              \
    X(clReleaseKernel)                                                                             \
    X(clEnqueueNDRangeKernel)                                                                      \
    X(clWaitForEvents)                                                                             \
    X(clGetEventInfo)                                                                              \
    X(clGetEventProfilingInfo)                                                                     \
    X(clReleaseEvent)                                                                              \
    X(clCreateUserEvent)                                                                           \
    X(clSetUserEventStatus)                                                                        \
    X(clSetEventCallback)                                                                          \
    X(clFlush)                                                                                     \
    X(clFinish)

// Functions that can be done without, of OpenCL 2.1 and 2.2 but for the first; NULL if the loader has none. X(name, result, parameters)
#define OPENCL_LATER_FUNCTIONS(X)                                                                  \
    X(clRetainProgram, cl_int, (cl_program program))                                               \
    X(clCreateProgramWithIL, cl_program,                                                           \
      (cl_context context, const void *il, size_t length, cl_int *code))                           \
    X(clSetProgramSpecializationConstant, cl_int,                                                  \
      (cl_program program, cl_uint id, size_t length, const void *value))

struct opencl_api {
#define X(name) __typeof__(name) *name;
    OPENCL_FUNCTIONS(X)
#undef X
#define X(name, result, parameters) result(*name) parameters;
    OPENCL_LATER_FUNCTIONS(X)
#undef X
};

// The library stays open: drivers do not survive being unloaded.
bool opencl_api_open(struct opencl_api *api, struct error *e);

// Writes "CL_OUT_OF_RESOURCES (-5)" into `buffer`, which has at least 128 bytes, and returns it.
const char *opencl_code_text(cl_int code, char *buffer);
// error_set_driver(): "clBuildProgram: CL_OUT_OF_RESOURCES (-5)".
bool opencl_error(struct error *e, const char *call, cl_int code);
#ifdef __clang_analyzer__ // see error.h
#define opencl_error(...) (opencl_error(__VA_ARGS__), false)
#endif
