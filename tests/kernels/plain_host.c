#include "plain_host.h"

#include "base/text.h"
#include "device/compare_output.h"
#include "device/fill.h"
#include "device/gemm.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdlib.h>

#define NAME_LIMIT    256
#define DEVICES_LIMIT 16
#define LOG_LIMIT     4000
#define BUFFERS_LIMIT 8

struct plain_host {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
};

// One job under way.
struct run {
    struct plain_host *host;
    const struct job *job;
    struct result *result;
    cl_program program;
    cl_kernel kernel;
    cl_mem memory[BUFFERS_LIMIT];
    void *bytes[BUFFERS_LIMIT]; // initial contents; of the output, what came back
};

// ---- the device --------------------------------------------------------------------------------

static bool has_name(cl_device_id device, const char *part)
{
    char name[NAME_LIMIT] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    return !part || str_contains_nocase(name, part);
}

static cl_device_id find_in(cl_platform_id platform, const char *part)
{
    cl_device_id devices[DEVICES_LIMIT];
    cl_uint count = 0;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, DEVICES_LIMIT, devices, &count) != CL_SUCCESS)
        return NULL;
    for (cl_uint i = 0; i < count && i < DEVICES_LIMIT; i++) {
        if (has_name(devices[i], part))
            return devices[i];
    }
    return NULL;
}

static cl_device_id find_device(const char *part)
{
    cl_platform_id platforms[DEVICES_LIMIT];
    cl_uint count = 0;
    cl_device_id device = NULL;
    if (clGetPlatformIDs(DEVICES_LIMIT, platforms, &count) != CL_SUCCESS)
        return NULL;
    for (cl_uint i = 0; !device && i < count && i < DEVICES_LIMIT; i++)
        device = find_in(platforms[i], part);
    return device;
}

struct plain_host *plain_open(const char *part, struct error *e)
{
    cl_int code = CL_SUCCESS;
    cl_device_id device = find_device(part);
    if (!device)
        return NULL;
    struct plain_host *h = calloc(1, sizeof *h);
    if (!h) {
        error_memory(e);
        return NULL;
    }
    h->device = device;
    h->context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    if (code == CL_SUCCESS)
        h->queue = clCreateCommandQueue(h->context, device, 0, &code);
    if (code == CL_SUCCESS)
        return h;
    error_set_driver(e, ERROR_DEVICE, code, "no context: OpenCL error %d", code);
    plain_close(h);
    return NULL;
}

void plain_close(struct plain_host *h)
{
    if (!h)
        return;
    if (h->queue)
        clReleaseCommandQueue(h->queue);
    if (h->context)
        clReleaseContext(h->context);
    free(h);
}

// ---- a job -------------------------------------------------------------------------------------

static bool fail(struct run *r, enum status status, const char *call, cl_int code)
{
    return result_fail(r->result, status, FAULT_CONFIGURATION, "%s: OpenCL error %d", call, code);
}

static bool fail_build(struct run *r, cl_int code)
{
    char log[LOG_LIMIT] = "";
    clGetProgramBuildInfo(r->program, r->host->device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log,
                          NULL);
    return result_fail(r->result, STATUS_COMPILE, FAULT_CONFIGURATION,
                       "clBuildProgram: OpenCL error %d: %s", code, log);
}

static bool build(struct run *r)
{
    const struct job_program *p = &r->job->programs[0];
    const char *source = p->source;
    size_t length = p->length;
    struct text options = TEXT_INIT;
    cl_int code = CL_SUCCESS;
    for (uint32_t i = 0; i < p->option_count; i++)
        text_addf(&options, "%s ", p->options[i]);
    r->program = clCreateProgramWithSource(r->host->context, 1, &source, &length, &code);
    if (code == CL_SUCCESS)
        code = clBuildProgram(r->program, 1, &r->host->device, text_cstr(&options), NULL, NULL);
    text_release(&options);
    if (code != CL_SUCCESS)
        return fail_build(r, code);
    r->kernel = clCreateKernel(r->program, r->job->launches[0].kernel, &code);
    return code == CL_SUCCESS || fail(r, STATUS_COMPILE, "clCreateKernel", code);
}

// An output is left without contents, so that a simulator can tell what was never written.
static bool make_buffer(struct run *r, uint32_t i)
{
    struct error e = ERROR_INIT;
    const struct job_buffer *b = &r->job->buffers[i];
    uint64_t bytes = fill_bytes(b);
    cl_int code = CL_SUCCESS;
    r->bytes[i] = malloc(bytes);
    if (!r->bytes[i] || !fill_make(b, r->bytes[i], &e))
        return result_fail(r->result, STATUS_RUNTIME, FAULT_DEVICE, "%s: %s", b->name, e.text);
    r->memory[i] = clCreateBuffer(r->host->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (code == CL_SUCCESS && b->access != ACCESS_WRITE)
        code = clEnqueueWriteBuffer(r->host->queue, r->memory[i], CL_TRUE, 0, bytes, r->bytes[i], 0,
                                    NULL, NULL);
    return code == CL_SUCCESS || fail(r, STATUS_RUNTIME, b->name, code);
}

static bool set_arguments(struct run *r)
{
    const struct job_launch *l = &r->job->launches[0];
    cl_int code = CL_SUCCESS;
    for (uint32_t i = 0; code == CL_SUCCESS && i < l->argument_count; i++) {
        const struct job_argument *a = &l->arguments[i];
        if (a->kind == ARGUMENT_BUFFER)
            code = clSetKernelArg(r->kernel, i, sizeof(cl_mem), &r->memory[a->buffer]);
        else if (a->kind == ARGUMENT_SCALAR)
            code = clSetKernelArg(r->kernel, i, a->length, a->value);
        else
            code = clSetKernelArg(r->kernel, i, a->local_bytes, NULL);
    }
    return code == CL_SUCCESS || fail(r, STATUS_COMPILE, "clSetKernelArg", code);
}

static bool launch(struct run *r)
{
    const struct job_launch *l = &r->job->launches[0];
    size_t global[3], local[3];
    for (uint32_t i = 0; i < 3; i++) {
        global[i] = l->global[i];
        local[i] = l->local[i];
    }
    cl_int code = clEnqueueNDRangeKernel(r->host->queue, r->kernel, l->dimensions, NULL, global,
                                         local, 0, NULL, NULL);
    if (code == CL_SUCCESS)
        code = clFinish(r->host->queue);
    return code == CL_SUCCESS || fail(r, STATUS_RUNTIME, "clEnqueueNDRangeKernel", code);
}

// ---- its result --------------------------------------------------------------------------------

static double *as_doubles(const struct run *r, uint32_t buffer)
{
    uint64_t count = r->job->buffers[buffer].count;
    const float *from = r->bytes[buffer];
    double *to = malloc(count * sizeof *to);
    for (uint64_t i = 0; to && i < count; i++)
        to[i] = from[i];
    return to;
}

static bool multiply(const struct run *r, double *a, double *b, double *c)
{
    const struct job_gemm *g = &r->job->reference.gemm;
    const struct gemm product = {.m = g->m,
                                 .n = g->n,
                                 .k = g->k,
                                 .transpose_a = g->transpose_a,
                                 .transpose_b = g->transpose_b,
                                 .alpha = g->alpha,
                                 .beta = g->beta,
                                 .a = a,
                                 .b = b,
                                 .c = c};
    struct error e = ERROR_INIT;
    return (a && b && c && gemm_host(&product, &e)) ||
           result_fail(r->result, STATUS_RUNTIME, FAULT_REFERENCE, "no reference: %s", e.text);
}

static bool compare(struct run *r)
{
    const struct job_gemm *g = &r->job->reference.gemm;
    const struct job_buffer *output = &r->job->buffers[g->c];
    double *a = as_doubles(r, g->a), *b = as_doubles(r, g->b), *c = as_doubles(r, g->c);
    struct deviation deviation;
    char message[512];
    bool ok = multiply(r, a, b, c);
    if (ok) {
        cl_int code = clEnqueueReadBuffer(r->host->queue, r->memory[g->c], CL_TRUE, 0,
                                          fill_bytes(output), r->bytes[g->c], 0, NULL, NULL);
        ok = code == CL_SUCCESS || fail(r, STATUS_RUNTIME, "clEnqueueReadBuffer", code);
    }
    const struct expected expected = {.data = c, .doubles = true};
    if (ok && !compare_output(output, r->bytes[g->c], &expected, &deviation)) {
        compare_message(output, &deviation, message, sizeof message);
        ok = result_fail(r->result, STATUS_CORRECTNESS, FAULT_CONFIGURATION, "%s", message);
    }
    free(c);
    free(b);
    free(a);
    return ok;
}

static bool is_supported(const struct job *j)
{
    return j->program_count == 1 && j->launch_count == 1 && j->buffer_count <= BUFFERS_LIMIT &&
           j->reference.kind == REFERENCE_GEMM;
}

bool plain_run(struct plain_host *h, const struct job *j, struct result *result)
{
    struct run r = {.host = h, .job = j, .result = result};
    bool ok = is_supported(j) || result_fail(result, STATUS_RUNTIME, FAULT_SPEC,
                                             "more than one launch, or no gemm reference");
    ok = ok && build(&r);
    for (uint32_t i = 0; ok && i < j->buffer_count; i++)
        ok = make_buffer(&r, i);
    ok = ok && set_arguments(&r) && launch(&r) && compare(&r);
    if (ok)
        result->verification = VERIFICATION_REFERENCE;
    for (uint32_t i = 0; i < BUFFERS_LIMIT; i++) {
        if (r.memory[i])
            clReleaseMemObject(r.memory[i]);
        free(r.bytes[i]);
    }
    if (r.kernel)
        clReleaseKernel(r.kernel);
    if (r.program)
        clReleaseProgram(r.program);
    return ok;
}
