// Programs: a text and its options. A binary is both, one after the other.
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_program new_program(const char *source, size_t length)
{
    cl_program p = fake_new(sizeof *p);
    if (!p)
        return NULL;
    p->source = strndup(source, length);
    p->options = strdup("");
    return p;
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **texts,
                                     const size_t *lengths, cl_int *code)
{
    (void)context, (void)count;
    *code = fake_enter(__func__);
    if (*code != CL_SUCCESS)
        return NULL;
    return new_program(texts[0], lengths && lengths[0] ? lengths[0] : strlen(texts[0]));
}

cl_program clCreateProgramWithBinary(cl_context context, cl_uint count, const cl_device_id *devices,
                                     const size_t *lengths, const unsigned char **binaries,
                                     cl_int *status, cl_int *code)
{
    (void)context, (void)count, (void)devices;
    *code = fake_enter(__func__);
    if (status)
        *status = *code;
    return *code == CL_SUCCESS ? new_program((const char *)binaries[0], lengths[0]) : NULL;
}

// OpenCL 2.1: the text of a kernel that stands somewhere in the module is its source, and what specialization
// constant 9 is given the time of its launches.
cl_program clCreateProgramWithIL(cl_context context, const void *il, size_t length, cl_int *code)
{
    (void)context;
    *code = fake_enter(__func__);
    const char *text = *code == CL_SUCCESS ? memmem(il, length, "__kernel", 8) : NULL;
    if (*code == CL_SUCCESS && !text)
        *code = CL_INVALID_VALUE;
    return text ? new_program(text, strlen(text)) : NULL;
}

cl_int clSetProgramSpecializationConstant(cl_program p, cl_uint id, size_t length,
                                          const void *value)
{
    cl_int code = fake_enter(__func__);
    uint32_t ns = 0;
    if (code == CL_SUCCESS && length != sizeof ns)
        code = CL_INVALID_VALUE;
    if (code != CL_SUCCESS || id != 9)
        return code;
    memcpy(&ns, value, sizeof ns);
    p->constant = ns;
    return code;
}

// -DFAKE_ERROR, or with a value that is not 0.
static bool is_faulty(const char *options)
{
    const char *value = fake_define(options, "FAKE_ERROR");
    return value ? *value != '0' : strstr(options, "-DFAKE_ERROR") != NULL;
}

cl_int clBuildProgram(cl_program p, cl_uint count, const cl_device_id *devices, const char *options,
                      void(CL_CALLBACK *notify)(cl_program, void *), void *context)
{
    cl_int code = fake_enter(__func__);
    (void)count, (void)devices, (void)notify, (void)context;
    if (code == CL_SUCCESS && fake_dead("build"))
        code = CL_OUT_OF_RESOURCES;
    if (code != CL_SUCCESS)
        return code;
    free(p->options);
    char all[4096];
    snprintf(all, sizeof all, "%s%s", options ? options : "", p->constant ? " -DFAKE_NS=" : "");
    if (p->constant)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%u", p->constant);
    p->options = strdup(all);
    p->built = !is_faulty(p->options);
    return p->built ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE;
}

cl_int clGetProgramBuildInfo(cl_program p, cl_device_id device, cl_program_build_info what,
                             size_t room, void *out, size_t *needed)
{
    cl_int code = fake_enter(__func__);
    (void)device, (void)what;
    if (code != CL_SUCCESS)
        return code;
    const char *log =
        is_faulty(p->options) ? "<kernel>:1:1: error: asked for by -DFAKE_ERROR\n" : "";
    return fake_answer_text(log, room, out, needed);
}

static cl_int give_binary(cl_program p, size_t room, unsigned char **out)
{
    if (room < sizeof *out)
        return CL_INVALID_VALUE;
    memcpy(out[0], p->source, strlen(p->source));
    return CL_SUCCESS;
}

cl_int clGetProgramInfo(cl_program p, cl_program_info what, size_t room, void *out, size_t *needed)
{
    cl_int code = fake_enter(__func__);
    size_t length = strlen(p->source);
    if (code != CL_SUCCESS)
        return code;
    if (what == CL_PROGRAM_KERNEL_NAMES)
        return fake_answer_text("those that its text has", room, out, needed);
    if (what == CL_PROGRAM_BINARY_SIZES)
        return fake_answer(&length, sizeof length, room, out, needed);
    return what == CL_PROGRAM_BINARIES ? give_binary(p, room, out) : CL_INVALID_VALUE;
}

cl_int clReleaseProgram(cl_program p)
{
    free(p->source);
    free(p->options);
    fake_free(p);
    return fake_enter(__func__);
}
