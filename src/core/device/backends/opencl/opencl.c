// The backend of OpenCL: the table of its functions. libOpenCL is opened at run time.
#include "device/backends/opencl/opencl.h"

// PoCL compiles a kernel for its work-group size when it is first launched with it, which takes
// longer than the build itself; its disk cache keeps the result.
static bool primes(const void *own)
{
    return ((const struct opencl *)own)->pocl;
}

const struct backend opencl_backend = {
    .language = LANGUAGE_OPENCL,
    .prefix = "opencl/",
    .list = opencl_list,
    .open = opencl_open,
    .images_stay =
        "its driver keeps that in a folder of the machine (NVIDIA's in CUDA_CACHE_PATH, PoCL in "
        "POCL_CACHE_DIR), or keeps nothing",
    .start = opencl_start,
    .close = opencl_close,
    .primes = primes,
    .prime = opencl_prime,
    .memory_new = opencl_memory_new,
    .memory_free = opencl_memory_free,
    .claim = opencl_claim,
    .yield = opencl_yield,
    .read = opencl_read,
    .write = opencl_write,
    .fill = opencl_fill,
    .copy = opencl_copy,
    .image_new = opencl_image_new,
    .image_put = opencl_image_put,
    .image_take = opencl_image_take,
    .program_new = opencl_program_new,
    .program_free = opencl_program_free,
    .program_image = opencl_program_image,
    .program_binary = opencl_program_binary,
    .kernel_new = opencl_kernel_new,
    .kernel_free = opencl_kernel_free,
    .kernel_bind = opencl_kernel_bind,
    .run = opencl_run,
    .routine_new = opencl_routine_new,
    .routine_free = opencl_routine_free,
    .routine_run = opencl_routine_run,
    .own_prologue = opencl_own_prologue,
    .own_kernel = opencl_own_kernel,
    .own_free = opencl_own_free,
    .own_run = opencl_own_run,
};
