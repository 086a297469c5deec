// Kernels of hone's own in OpenCL: built from a text, run with a list of arguments.
#include "device/backends/opencl/opencl.h"

const char opencl_own_prologue[] = "#define function\n"
                                   "#pragma OPENCL FP_CONTRACT OFF\n"
                                   "#ifdef cl_khr_fp64\n"
                                   "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
                                   "#endif\n";

static cl_program build(struct opencl *o, const char *source, struct error *e)
{
    cl_int code;
    cl_program p = o->cl.clCreateProgramWithSource(o->context, 1, &source, NULL, &code);
    if (!p) {
        opencl_error(e, "clCreateProgramWithSource", code);
        return NULL;
    }
    code = o->cl.clBuildProgram(p, 1, &o->device, "", NULL, NULL);
    if (code == CL_SUCCESS)
        return p;
    opencl_error(e, "clBuildProgram of hone's own kernels", code);
    o->cl.clReleaseProgram(p);
    return NULL;
}

// The kernel holds its program.
void *opencl_own_kernel(void *own, const char *source, const char *name, struct error *e)
{
    struct opencl *o = own;
    cl_int code;
    cl_program p = build(o, source, e);
    if (!p)
        return NULL;
    cl_kernel k = o->cl.clCreateKernel(p, name, &code);
    if (!k)
        opencl_error(e, "clCreateKernel of hone's own kernels", code);
    o->cl.clReleaseProgram(p);
    return k;
}

void opencl_own_free(void *own, void *kernel)
{
    if (kernel)
        ((struct opencl *)own)->cl.clReleaseKernel(kernel);
}

static cl_int set_argument(struct opencl *o, cl_kernel k, cl_uint index,
                           const struct own_argument *a)
{
    if (!a->memory)
        return o->cl.clSetKernelArg(k, index, a->size, a->value);
    cl_mem m = a->whole && a->memory->parent ? a->memory->parent : a->memory->view;
    return o->cl.clSetKernelArg(k, index, sizeof m, &m);
}

bool opencl_own_run(void *own, void *kernel, const struct own_launch *l, struct error *e)
{
    struct opencl *o = own;
    cl_int code = CL_SUCCESS;
    size_t global[2], local[2];
    for (cl_uint i = 0; i < l->count && code == CL_SUCCESS; i++)
        code = set_argument(o, kernel, i, &l->arguments[i]);
    if (code != CL_SUCCESS)
        return opencl_error(e, "clSetKernelArg", code);
    for (int i = 0; i < 2; i++) {
        local[i] = l->local[i];
        global[i] = (size_t)l->groups[i] * l->local[i];
    }
    code = o->cl.clEnqueueNDRangeKernel(o->queue, kernel, 2, NULL, global, local, 0, NULL, NULL);
    return code == CL_SUCCESS || opencl_error(e, "clEnqueueNDRangeKernel", code);
}
