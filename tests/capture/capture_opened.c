// A program that opens the OpenCL loader itself, and asks for its functions by name.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define FUNCTIONS(X)                                                                               \
    X(clGetPlatformIDs)                                                                            \
    X(clGetDeviceIDs)                                                                              \
    X(clCreateContext)                                                                             \
    X(clCreateCommandQueue)                                                                        \
    X(clCreateProgramWithSource)                                                                   \
    X(clBuildProgram)                                                                              \
    X(clCreateKernel)                                                                              \
    X(clCreateBuffer)                                                                              \
    X(clSetKernelArg)                                                                              \
    X(clEnqueueNDRangeKernel)                                                                      \
    X(clEnqueueReadBuffer)

#define X(name) static __typeof__(&name) my_##name;
FUNCTIONS(X)
#undef X

int main(void)
{
    static const char *text =
        "__kernel void fill(__global int *y) { y[get_global_id(0)] = get_global_id(0); }\n";
    cl_platform_id platform;
    cl_device_id device;
    size_t global = 64;
    int y[64], sum = 0;
    void *loader = dlopen("libOpenCL.so.1", RTLD_NOW);
    if (!loader)
        return 77;
#define X(name)                                                                                    \
    {                                                                                              \
        void *at = dlsym(loader, #name);                                                           \
        memcpy(&my_##name, &at, sizeof at);                                                        \
    }
    FUNCTIONS(X)
#undef X
    if (my_clGetPlatformIDs(1, &platform, NULL) ||
        my_clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 77;
    cl_context context = my_clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = my_clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = my_clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    if (my_clBuildProgram(program, 1, &device, "", NULL, NULL))
        return 1;
    cl_kernel kernel = my_clCreateKernel(program, "fill", NULL);
    cl_mem m = my_clCreateBuffer(context, 0, sizeof y, NULL, NULL);
    my_clSetKernelArg(kernel, 0, sizeof m, &m);
    if (my_clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL) ||
        my_clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL))
        return 1;
    for (int i = 0; i < 64; i++)
        sum += y[i];
    printf("%d\n", sum);
    return 0;
}
