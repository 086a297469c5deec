// Kernels: taken out of the text by their first line; what they do is the marker's business.
#include "fake.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- reading the text

static void copy_word(char *out, const char *from, size_t length)
{
    snprintf(out, NAME_MOST, "%.*s", (int)length, from);
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// "__global const float *restrict a": space and constness by the words, the name last.
static void parse_argument(const char *text, size_t length, struct argument *out)
{
    char words[256];
    size_t end, start;
    snprintf(words, sizeof words, "%.*s", (int)length, text);
    bool pointer = strchr(words, '*') != NULL;
    out->space = strstr(words, "local") ? SPACE_LOCAL : pointer ? SPACE_GLOBAL : SPACE_PRIVATE;
    out->constant = strstr(words, "const") != NULL;
    for (end = strlen(words); end > 0 && !is_word(words[end - 1]);)
        end--;
    for (start = end; start > 0 && is_word(words[start - 1]);)
        start--;
    copy_word(out->name, words + start, end - start);
    const char *type = words + strspn(words, " \n\t");
    if (strncmp(type, "const ", 6) == 0)
        type += 6;
    copy_word(out->type, type, strcspn(type, " "));
}

static void parse_arguments(const char *at, cl_kernel out)
{
    const char *close = at + strcspn(at, ")");
    while (at < close && out->argument_count < ARGUMENTS_MOST) {
        size_t length = strcspn(at, ",)");
        parse_argument(at, length, &out->arguments[out->argument_count++]);
        at += length + 1;
    }
}

bool fake_parse_kernel(const char *source, const char *name, cl_kernel out)
{
    char head[NAME_MOST + 16];
    snprintf(head, sizeof head, "kernel void %s(", name);
    const char *at = strstr(source, head);
    if (!at)
        return false;
    copy_word(out->name, name, strlen(name));
    parse_arguments(at + strlen(head), out);
    const char *marker = strstr(at, "fake:"), *next = strstr(at + 1, "kernel void ");
    if (!marker || (next && marker > next))
        return true;
    size_t length = 0;
    while (is_word(marker[5 + length]))
        length++;
    copy_word(out->operation, marker + 5, length);
    return true;
}

// ---- the calls

cl_kernel clCreateKernel(cl_program p, const char *name, cl_int *code)
{
    *code = fake_enter(__func__);
    cl_kernel k = *code == CL_SUCCESS ? fake_new(sizeof *k) : NULL;
    if (!k)
        return NULL;
    if (p->built && fake_parse_kernel(p->source, name, k) && (k->options = strdup(p->options)))
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
    return fake_answer(&k->argument_count, sizeof k->argument_count, room, out, needed);
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
    if (code == CL_SUCCESS && index >= k->argument_count)
        code = CL_INVALID_ARG_INDEX;
    if (code != CL_SUCCESS)
        return code;
    const struct argument *a = &k->arguments[index];
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
    if (code == CL_SUCCESS && index >= k->argument_count)
        code = CL_INVALID_ARG_INDEX;
    if (code != CL_SUCCESS)
        return code;
    struct argument *a = &k->arguments[index];
    a->set = true;
    if (a->space == SPACE_GLOBAL && size == sizeof a->memory)
        memcpy(&a->memory, value, size);
    else if (a->space == SPACE_PRIVATE && size <= sizeof a->value)
        memcpy(a->value, value, size);
    else if (a->space != SPACE_LOCAL)
        return CL_INVALID_ARG_SIZE;
    return CL_SUCCESS;
}
