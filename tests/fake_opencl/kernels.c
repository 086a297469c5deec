// Kernels: what they are is read from their text; what they do is the marker's business.
#include "fake.h"

#include <stdlib.h>
#include <string.h>

cl_kernel clCreateKernel(cl_program p, const char *name, cl_int *code)
{
    *code = fake_enter(__func__);
    cl_kernel k = *code == CL_SUCCESS ? fake_new(sizeof *k) : NULL;
    if (!k)
        return NULL;
    bool unknown = strncmp(name, "hone_", 5) == 0 && !fake_knows_own(name);
    if (p->built && !unknown && fake_parse_kernel(p->source, name, &k->declared) &&
        (k->options = strdup(p->options)))
        return k;
    fake_free(k);
    *code = p->built ? CL_INVALID_KERNEL_NAME : CL_INVALID_PROGRAM_EXECUTABLE;
    return NULL;
}

cl_int clReleaseKernel(cl_kernel k)
{
    free(k->options);
    fake_free(k);
    return fake_enter(__func__);
}

cl_int clGetKernelInfo(cl_kernel k, cl_kernel_info what, size_t room, void *out, size_t *needed)
{
    cl_int code = fake_enter(__func__);
    if (code == CL_SUCCESS && what != CL_KERNEL_NUM_ARGS)
        code = CL_INVALID_VALUE;
    if (code != CL_SUCCESS)
        return code;
    return fake_answer(&k->declared.count, sizeof k->declared.count, room, out, needed);
}

cl_int clGetKernelArgInfo(cl_kernel k, cl_uint index, cl_kernel_arg_info what, size_t room,
                          void *out, size_t *needed)
{
    static const cl_kernel_arg_address_qualifier spaces[] = {
        [SPACE_GLOBAL] = CL_KERNEL_ARG_ADDRESS_GLOBAL,
        [SPACE_LOCAL] = CL_KERNEL_ARG_ADDRESS_LOCAL,
        [SPACE_PRIVATE] = CL_KERNEL_ARG_ADDRESS_PRIVATE,
    };
    cl_int code = fake_enter(__func__);
    if (code == CL_SUCCESS && index >= k->declared.count)
        code = CL_INVALID_ARG_INDEX;
    if (code != CL_SUCCESS)
        return code;
    const struct parameter *a = &k->declared.parameters[index];
    if (what == CL_KERNEL_ARG_ADDRESS_QUALIFIER)
        return fake_answer(&spaces[a->space], sizeof spaces[a->space], room, out, needed);
    return fake_answer_text(what == CL_KERNEL_ARG_NAME ? a->name : a->type, room, out, needed);
}

cl_int clGetKernelWorkGroupInfo(cl_kernel k, cl_device_id device, cl_kernel_work_group_info what,
                                size_t room, void *out, size_t *needed)
{
    cl_int code = fake_enter(__func__);
    (void)k, (void)device;
    if (code != CL_SUCCESS)
        return code;
    uint64_t number = what == CL_KERNEL_WORK_GROUP_SIZE ? 1024 : 0;
    return fake_answer(&number, sizeof number, room, out, needed);
}

cl_int clSetKernelArg(cl_kernel k, cl_uint index, size_t size, const void *value)
{
    cl_int code = fake_enter(__func__);
    if (code == CL_SUCCESS && index >= k->declared.count)
        code = CL_INVALID_ARG_INDEX;
    if (code != CL_SUCCESS)
        return code;
    struct argument *a = &k->arguments[index];
    enum space space = k->declared.parameters[index].space;
    a->set = true;
    if (space == SPACE_GLOBAL && size == sizeof a->memory)
        memcpy(&a->memory, value, size);
    else if (space == SPACE_PRIVATE && size <= sizeof a->value)
        memcpy(a->value, value, size);
    else if (space != SPACE_LOCAL)
        return CL_INVALID_ARG_SIZE;
    return CL_SUCCESS;
}
