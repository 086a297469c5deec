// The functions that the layer wraps.
#pragma once

#include "extras/capture/layer/layer.h"

#define LAYER_EXPORT __attribute__((visibility("default")))

typedef void(CL_CALLBACK *layer_notify)(cl_program, void *);

// X(result, name, parameters, arguments)
#define LAYER_VALUE_FUNCTIONS(X)                                                                   \
    X(cl_int, clGetPlatformIDs, (cl_uint a, cl_platform_id * b, cl_uint * c), (a, b, c))           \
    X(cl_program, clCreateProgramWithSource,                                                       \
      (cl_context a, cl_uint b, const char **c, const size_t *d, cl_int *e), (a, b, c, d, e))      \
    X(cl_program, clCreateProgramWithBinary,                                                       \
      (cl_context a, cl_uint b, const cl_device_id *c, const size_t *d, const unsigned char **e,   \
       cl_int *f, cl_int *g),                                                                      \
      (a, b, c, d, e, f, g))                                                                       \
    X(cl_program, clCreateProgramWithIL, (cl_context a, const void *b, size_t c, cl_int *d),       \
      (a, b, c, d))                                                                                \
    X(cl_program, clCreateProgramWithBuiltInKernels,                                               \
      (cl_context a, cl_uint b, const cl_device_id *c, const char *d, cl_int *e), (a, b, c, d, e)) \
    X(cl_int, clBuildProgram,                                                                      \
      (cl_program a, cl_uint b, const cl_device_id *c, const char *d, layer_notify e, void *f),    \
      (a, b, c, d, e, f))                                                                          \
    X(cl_int, clGetProgramBuildInfo,                                                               \
      (cl_program a, cl_device_id b, cl_program_build_info c, size_t d, void *e, size_t *f),       \
      (a, b, c, d, e, f))                                                                          \
    X(cl_int, clCompileProgram,                                                                    \
      (cl_program a, cl_uint b, const cl_device_id *c, const char *d, cl_uint e,                   \
       const cl_program *f, const char **g, layer_notify h, void *i),                              \
      (a, b, c, d, e, f, g, h, i))                                                                 \
    X(cl_program, clLinkProgram,                                                                   \
      (cl_context a, cl_uint b, const cl_device_id *c, const char *d, cl_uint e,                   \
       const cl_program *f, layer_notify g, void *h, cl_int *i),                                   \
      (a, b, c, d, e, f, g, h, i))                                                                 \
    X(cl_int, clRetainProgram, (cl_program a), (a))                                                \
    X(cl_int, clReleaseProgram, (cl_program a), (a))                                               \
    X(cl_kernel, clCreateKernel, (cl_program a, const char *b, cl_int *c), (a, b, c))              \
    X(cl_int, clCreateKernelsInProgram, (cl_program a, cl_uint b, cl_kernel * c, cl_uint * d),     \
      (a, b, c, d))                                                                                \
    X(cl_kernel, clCloneKernel, (cl_kernel a, cl_int * b), (a, b))                                 \
    X(cl_int, clRetainKernel, (cl_kernel a), (a))                                                  \
    X(cl_int, clReleaseKernel, (cl_kernel a), (a))                                                 \
    X(cl_int, clSetKernelArg, (cl_kernel a, cl_uint b, size_t c, const void *d), (a, b, c, d))     \
    X(cl_int, clSetKernelArgSVMPointer, (cl_kernel a, cl_uint b, const void *c), (a, b, c))        \
    X(cl_int, clSetKernelExecInfo, (cl_kernel a, cl_kernel_exec_info b, size_t c, const void *d),  \
      (a, b, c, d))                                                                                \
    X(cl_mem, clCreateBuffer, (cl_context a, cl_mem_flags b, size_t c, void *d, cl_int *e),        \
      (a, b, c, d, e))                                                                             \
    X(cl_mem, clCreateBufferWithProperties,                                                        \
      (cl_context a, const cl_mem_properties *b, cl_mem_flags c, size_t d, void *e, cl_int *f),    \
      (a, b, c, d, e, f))                                                                          \
    X(cl_mem, clCreateSubBuffer,                                                                   \
      (cl_mem a, cl_mem_flags b, cl_buffer_create_type c, const void *d, cl_int *e),               \
      (a, b, c, d, e))                                                                             \
    X(cl_mem, clCreateImage,                                                                       \
      (cl_context a, cl_mem_flags b, const cl_image_format *c, const cl_image_desc *d, void *e,    \
       cl_int *f),                                                                                 \
      (a, b, c, d, e, f))                                                                          \
    X(cl_mem, clCreateImageWithProperties,                                                         \
      (cl_context a, const cl_mem_properties *b, cl_mem_flags c, const cl_image_format *d,         \
       const cl_image_desc *e, void *f, cl_int *g),                                                \
      (a, b, c, d, e, f, g))                                                                       \
    X(cl_mem, clCreateImage2D,                                                                     \
      (cl_context a, cl_mem_flags b, const cl_image_format *c, size_t d, size_t e, size_t f,       \
       void *g, cl_int *h),                                                                        \
      (a, b, c, d, e, f, g, h))                                                                    \
    X(cl_mem, clCreateImage3D,                                                                     \
      (cl_context a, cl_mem_flags b, const cl_image_format *c, size_t d, size_t e, size_t f,       \
       size_t g, size_t h, void *i, cl_int *j),                                                    \
      (a, b, c, d, e, f, g, h, i, j))                                                              \
    X(cl_mem, clCreatePipe,                                                                        \
      (cl_context a, cl_mem_flags b, cl_uint c, cl_uint d, const cl_pipe_properties *e,            \
       cl_int *f),                                                                                 \
      (a, b, c, d, e, f))                                                                          \
    X(cl_sampler, clCreateSampler,                                                                 \
      (cl_context a, cl_bool b, cl_addressing_mode c, cl_filter_mode d, cl_int * e),               \
      (a, b, c, d, e))                                                                             \
    X(cl_sampler, clCreateSamplerWithProperties,                                                   \
      (cl_context a, const cl_sampler_properties *b, cl_int *c), (a, b, c))                        \
    X(cl_int, clRetainMemObject, (cl_mem a), (a))                                                  \
    X(cl_int, clReleaseMemObject, (cl_mem a), (a))                                                 \
    X(cl_int, clGetMemObjectInfo, (cl_mem a, cl_mem_info b, size_t c, void *d, size_t *e),         \
      (a, b, c, d, e))                                                                             \
    X(void *, clSVMAlloc, (cl_context a, cl_svm_mem_flags b, size_t c, cl_uint d), (a, b, c, d))   \
    X(cl_command_queue, clCreateCommandQueue,                                                      \
      (cl_context a, cl_device_id b, cl_command_queue_properties c, cl_int * d), (a, b, c, d))     \
    X(cl_command_queue, clCreateCommandQueueWithProperties,                                        \
      (cl_context a, cl_device_id b, const cl_queue_properties *c, cl_int *d), (a, b, c, d))       \
    X(cl_int, clRetainCommandQueue, (cl_command_queue a), (a))                                     \
    X(cl_int, clReleaseCommandQueue, (cl_command_queue a), (a))                                    \
    X(cl_int, clGetCommandQueueInfo,                                                               \
      (cl_command_queue a, cl_command_queue_info b, size_t c, void *d, size_t *e),                 \
      (a, b, c, d, e))                                                                             \
    X(cl_int, clEnqueueNDRangeKernel,                                                              \
      (cl_command_queue a, cl_kernel b, cl_uint c, const size_t *d, const size_t *e,               \
       const size_t *f, cl_uint g, const cl_event *h, cl_event *i),                                \
      (a, b, c, d, e, f, g, h, i))                                                                 \
    X(cl_int, clEnqueueTask,                                                                       \
      (cl_command_queue a, cl_kernel b, cl_uint c, const cl_event *d, cl_event *e),                \
      (a, b, c, d, e))                                                                             \
    X(cl_int, clFinish, (cl_command_queue a), (a))                                                 \
    X(cl_int, clWaitForEvents, (cl_uint a, const cl_event *b), (a, b))                             \
    X(cl_int, clEnqueueReadBuffer,                                                                 \
      (cl_command_queue a, cl_mem b, cl_bool c, size_t d, size_t e, void *f, cl_uint g,            \
       const cl_event *h, cl_event *i),                                                            \
      (a, b, c, d, e, f, g, h, i))                                                                 \
    X(void *, clEnqueueMapBuffer,                                                                  \
      (cl_command_queue a, cl_mem b, cl_bool c, cl_map_flags d, size_t e, size_t f, cl_uint g,     \
       const cl_event *h, cl_event *i, cl_int *j),                                                 \
      (a, b, c, d, e, f, g, h, i, j))                                                              \
    X(cl_event, clCreateUserEvent, (cl_context a, cl_int * b), (a, b))                             \
    X(cl_int, clSetUserEventStatus, (cl_event a, cl_int b), (a, b))                                \
    X(void *, clGetExtensionFunctionAddress, (const char *a), (a))                                 \
    X(void *, clGetExtensionFunctionAddressForPlatform, (cl_platform_id a, const char *b), (a, b))

#define LAYER_VOID_FUNCTIONS(X) X(void, clSVMFree, (cl_context a, void *b), (a, b))

#define LAYER_FUNCTIONS(X)                                                                         \
    LAYER_VALUE_FUNCTIONS(X)                                                                       \
    LAYER_VOID_FUNCTIONS(X)

extern cl_icd_dispatch layer_wrapped;
extern atomic_bool layer_is_layer; // a loader called clInitLayer: exported functions only pass on
void layer_open(void);             // once; before anything is recorded
