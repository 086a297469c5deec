// capture_cost: what clSetKernelArg and a launch of a small kernel cost the program that calls them, as the least of many short
// blocks, which a busy machine interrupts only in part. tests/bench/capture.sh runs it over the bare loader and with the layer.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ITEMS = 1024, ARGUMENTS = 1000, LAUNCHES = 50, BLOCKS = 4000 };

static const char *const text = "__kernel void scale(__global float *y, __global const float *x,\n"
                                "                    float a, int n)\n"
                                "{\n"
                                "    int i = get_global_id(0);\n"
                                "    if (i < n)\n"
                                "        y[i] = a * x[i];\n"
                                "}\n";

static void need(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", what, status);
    exit(status == CL_DEVICE_NOT_FOUND ? 77 : 3);
}

static double nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

struct opened {
    cl_command_queue queue;
    cl_kernel kernel;
    cl_mem y, x;
};

static void open_kernel(struct opened *o)
{
    static float numbers[ITEMS];
    const cl_int n = ITEMS;
    const cl_float a = 2;
    cl_int e;
    cl_platform_id platform;
    cl_device_id device;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS)
        exit(77);
    need(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    need(e, "clCreateContext");
    o->queue = clCreateCommandQueue(context, device, 0, &e);
    need(e, "clCreateCommandQueue");
    cl_program p = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &e);
    need(e, "clCreateProgramWithSource");
    need(clBuildProgram(p, 1, &device, "", NULL, NULL), "clBuildProgram");
    o->kernel = clCreateKernel(p, "scale", &e);
    need(e, "clCreateKernel");
    for (int i = 0; i < ITEMS; i++)
        numbers[i] = (float)i;
    o->y = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof numbers, NULL, &e);
    need(e, "clCreateBuffer");
    o->x = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers, &e);
    need(e, "clCreateBuffer");
    need(clSetKernelArg(o->kernel, 0, sizeof o->y, &o->y), "clSetKernelArg");
    need(clSetKernelArg(o->kernel, 1, sizeof o->x, &o->x), "clSetKernelArg");
    need(clSetKernelArg(o->kernel, 2, sizeof a, &a), "clSetKernelArg");
    need(clSetKernelArg(o->kernel, 3, sizeof n, &n), "clSetKernelArg");
}

static double time_arguments(const struct opened *o)
{
    const double from = nanoseconds();
    for (int i = 0; i < ARGUMENTS; i++)
        clSetKernelArg(o->kernel, 1, sizeof o->x, &o->x);
    return (nanoseconds() - from) / ARGUMENTS;
}

static double time_launches(const struct opened *o)
{
    const size_t global = ITEMS, local = 64;
    const double from = nanoseconds();
    for (int i = 0; i < LAUNCHES; i++)
        clEnqueueNDRangeKernel(o->queue, o->kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    const double ns = (nanoseconds() - from) / LAUNCHES;
    need(clFinish(o->queue), "clFinish");
    return ns;
}

int main(void)
{
    struct opened o;
    double argument = 1e30, launch = 1e30;
    open_kernel(&o);
    time_launches(&o); // builds what the driver builds at the first launch
    for (int i = 0; i < BLOCKS; i++) {
        const double a = time_arguments(&o), l = time_launches(&o);
        argument = a < argument ? a : argument;
        launch = l < launch ? l : launch;
    }
    printf("%.1f ns an argument, %.0f ns a launch\n", argument, launch);
    return 0;
}
