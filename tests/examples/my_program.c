// The reader's program in src/doc/capture.md: blurs a line of numbers with OpenCL, and prints their sum.
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>

static const char text[] = "#ifndef GROUP\n"
                           "#define GROUP 64\n"
                           "#endif\n"
                           "#ifndef PER_ITEM\n"
                           "#define PER_ITEM 1\n"
                           "#endif\n"
                           "__kernel void blur(__global float *y, __global const float *x, int n)\n"
                           "{\n"
                           "    int first = get_group_id(0) * GROUP * PER_ITEM + get_local_id(0);\n"
                           "    for (int k = 0; k < PER_ITEM; k++) {\n"
                           "        int i = first + k * GROUP;\n"
                           "        if (i < n)\n"
                           "            y[i] = 0.25f * x[i > 0 ? i - 1 : 0] + 0.5f * x[i] + 0.25f "
                           "* x[i + 1 < n ? i + 1 : n - 1];\n"
                           "    }\n"
                           "}\n";

int main(int argc, char **argv)
{
    int n = argc > 2 ? atoi(argv[2]) : 1024;
    size_t bytes = (size_t)n * sizeof(float), group = 64, global = ((size_t)n + 63) / 64 * 64;
    const char *source = text;
    float *x = calloc((size_t)n, sizeof *x), sum = 0;
    cl_platform_id platform;
    cl_device_id device;
    if (!x || clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        return 1;
    for (int i = 0; i < n; i++)
        x[i] = (float)(i % 17);
    cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue q = clCreateCommandQueue(c, device, 0, NULL);
    cl_mem in = clCreateBuffer(c, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, x, NULL);
    cl_mem out = clCreateBuffer(c, CL_MEM_READ_WRITE, bytes, NULL, NULL);
    cl_program p = clCreateProgramWithSource(c, 1, &source, NULL, NULL);
    if (clBuildProgram(p, 1, &device, "", NULL, NULL) != CL_SUCCESS)
        return 1;
    cl_kernel k = clCreateKernel(p, "blur", NULL);
    clSetKernelArg(k, 0, sizeof out, &out);
    clSetKernelArg(k, 1, sizeof in, &in);
    clSetKernelArg(k, 2, sizeof n, &n);
    if (clEnqueueNDRangeKernel(q, k, 1, NULL, &global, &group, 0, NULL, NULL) != CL_SUCCESS ||
        clEnqueueReadBuffer(q, out, CL_TRUE, 0, bytes, x, 0, NULL, NULL) != CL_SUCCESS)
        return 1;
    for (int i = 0; i < n; i++)
        sum += x[i];
    printf("%g\n", sum);
    free(x);
    return 0;
}
