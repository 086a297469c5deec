// Opens the ICD loader and finds its functions; and the texts of its error codes.
#include "device/backends/opencl/opencl_api.h"

#include "device/routine.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

static const struct library_function functions[] = {
#define X(name) {#name, offsetof(struct opencl_api, name), false},
    OPENCL_FUNCTIONS(X)
#undef X
#define X(name, result, parameters) {#name, offsetof(struct opencl_api, name), true},
        OPENCL_LATER_FUNCTIONS(X)
#undef X
};

bool opencl_api_open(struct opencl_api *api, struct error *e)
{
    // An OpenCL that was put into the process before it started (LD_PRELOAD, which is how Oclgrind
    // starts programs) answers instead of the loader.
    library_one_queue();
    bool preloaded = dlsym(RTLD_DEFAULT, functions[0].symbol) != NULL;
    void *library = preloaded ? RTLD_DEFAULT : dlopen(OPENCL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!preloaded && !library)
        return error_set(e, ERROR_DEVICE,
                         "the OpenCL loader %s cannot be opened; install it (Debian, Ubuntu: apt "
                         "install " OPENCL_PACKAGE ")",
                         OPENCL_LIBRARY);
    const char *missing =
        library_functions(library, functions, sizeof functions / sizeof *functions, api);
    return !missing || error_set(e, ERROR_DEVICE, "%s has no %s: a loader for OpenCL 1.2 is needed",
                                 OPENCL_LIBRARY, missing);
}

#define CODES(X)                                                                                   \
    X(CL_SUCCESS)                                                                                  \
    X(CL_DEVICE_NOT_FOUND)                                                                         \
    X(CL_DEVICE_NOT_AVAILABLE)                                                                     \
    X(CL_COMPILER_NOT_AVAILABLE)                                                                   \
    X(CL_MEM_OBJECT_ALLOCATION_FAILURE)                                                            \
    X(CL_OUT_OF_RESOURCES)                                                                         \
    X(CL_OUT_OF_HOST_MEMORY)                                                                       \
    X(CL_PROFILING_INFO_NOT_AVAILABLE)                                                             \
    X(CL_MEM_COPY_OVERLAP)                                                                         \
    X(CL_IMAGE_FORMAT_MISMATCH)                                                                    \
    X(CL_IMAGE_FORMAT_NOT_SUPPORTED)                                                               \
    X(CL_BUILD_PROGRAM_FAILURE)                                                                    \
    X(CL_MAP_FAILURE)                                                                              \
    X(CL_MISALIGNED_SUB_BUFFER_OFFSET)                                                             \
    X(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)                                                \
    X(CL_COMPILE_PROGRAM_FAILURE)                                                                  \
    X(CL_LINKER_NOT_AVAILABLE)                                                                     \
    X(CL_LINK_PROGRAM_FAILURE)                                                                     \
    X(CL_DEVICE_PARTITION_FAILED)                                                                  \
    X(CL_KERNEL_ARG_INFO_NOT_AVAILABLE)                                                            \
    X(CL_INVALID_VALUE)                                                                            \
    X(CL_INVALID_DEVICE_TYPE)                                                                      \
    X(CL_INVALID_PLATFORM)                                                                         \
    X(CL_INVALID_DEVICE)                                                                           \
    X(CL_INVALID_CONTEXT)                                                                          \
    X(CL_INVALID_QUEUE_PROPERTIES)                                                                 \
    X(CL_INVALID_COMMAND_QUEUE)                                                                    \
    X(CL_INVALID_HOST_PTR)                                                                         \
    X(CL_INVALID_MEM_OBJECT)                                                                       \
    X(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)                                                          \
    X(CL_INVALID_IMAGE_SIZE)                                                                       \
    X(CL_INVALID_SAMPLER)                                                                          \
    X(CL_INVALID_BINARY)                                                                           \
    X(CL_INVALID_BUILD_OPTIONS)                                                                    \
    X(CL_INVALID_PROGRAM)                                                                          \
    X(CL_INVALID_PROGRAM_EXECUTABLE)                                                               \
    X(CL_INVALID_KERNEL_NAME)                                                                      \
    X(CL_INVALID_KERNEL_DEFINITION)                                                                \
    X(CL_INVALID_KERNEL)                                                                           \
    X(CL_INVALID_ARG_INDEX)                                                                        \
    X(CL_INVALID_ARG_VALUE)                                                                        \
    X(CL_INVALID_ARG_SIZE)                                                                         \
    X(CL_INVALID_KERNEL_ARGS)                                                                      \
    X(CL_INVALID_WORK_DIMENSION)                                                                   \
    X(CL_INVALID_WORK_GROUP_SIZE)                                                                  \
    X(CL_INVALID_WORK_ITEM_SIZE)                                                                   \
    X(CL_INVALID_GLOBAL_OFFSET)                                                                    \
    X(CL_INVALID_EVENT_WAIT_LIST)                                                                  \
    X(CL_INVALID_EVENT)                                                                            \
    X(CL_INVALID_OPERATION)                                                                        \
    X(CL_INVALID_GL_OBJECT)                                                                        \
    X(CL_INVALID_BUFFER_SIZE)                                                                      \
    X(CL_INVALID_MIP_LEVEL)                                                                        \
    X(CL_INVALID_GLOBAL_WORK_SIZE)                                                                 \
    X(CL_INVALID_PROPERTY)                                                                         \
    X(CL_INVALID_IMAGE_DESCRIPTOR)                                                                 \
    X(CL_INVALID_COMPILER_OPTIONS)                                                                 \
    X(CL_INVALID_LINKER_OPTIONS)                                                                   \
    X(CL_INVALID_DEVICE_PARTITION_COUNT)

static const struct {
    cl_int code;
    const char *text;
} codes[] = {
#define X(name) {name, #name},
    CODES(X)
#undef X
    // Codes of extensions and of drivers, which the headers do not name.
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR: no driver is registered in /etc/OpenCL/vendors"},
    {OPENCL_ILLEGAL_ACCESS, "NVIDIA's code for a kernel that reads or writes memory it may not"},
};

const char *opencl_code_text(cl_int code, char *buffer)
{
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (codes[i].code == code) {
            snprintf(buffer, 128, "%s (%d)", codes[i].text, (int)code);
            return buffer;
        }
    }
    snprintf(buffer, 128, "a code of the driver's own (%d)", (int)code);
    return buffer;
}

#undef opencl_error // the analyser's
bool opencl_error(struct error *e, const char *call, cl_int code)
{
    char text[128];
    return error_set_driver(e, ERROR_DEVICE, code, "%s: %s", call, opencl_code_text(code, text));
}
