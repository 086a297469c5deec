// The classic way to tune, for comparison: one configuration after the other in one process, built,
// launched once, its result read back and checked on the host, then launched seven times. It takes
// the space and the sizes from the same spec as hone, so that both do the same work.
//
//   classic SPEC DEVICE [NAME=VALUE | where=EXPRESSION ...]      DEVICE: a part of the device's
//   name
//
// Prints one JSON object: seconds, of them preparation (inputs and the reference), configurations,
// correct, best, best_ns. Square matrix multiplications with arguments C (output), A, B only; that
// is what it is for.
#define CL_TARGET_OPENCL_VERSION 120
#include "os/process.h"
#include "base/random.h"
#include "stats/stats.h"
#include "space/space.h"

#include <CL/cl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAUNCHES = 7, WORDS_LIMIT = 16 };

struct classic {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_mem buffers[3]; // in the order of the job's
    float *host[3];
    size_t bytes;
    uint32_t n;
    double *reference;
};

static void fail(const char *what, int code)
{
    fprintf(stderr, "classic: %s (%d)\n", what, code);
    exit(1);
}

static bool find_device(struct classic *c, const char *part)
{
    cl_platform_id platforms[16];
    cl_device_id devices[16];
    cl_uint platform_count = 0, device_count;
    clGetPlatformIDs(16, platforms, &platform_count);
    for (cl_uint p = 0; p < platform_count && p < 16; p++) {
        device_count = 0;
        clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &device_count);
        for (cl_uint d = 0; d < device_count && d < 16; d++) {
            char name[256] = "";
            clGetDeviceInfo(devices[d], CL_DEVICE_NAME, sizeof name, name, NULL);
            if (strstr(name, part)) {
                c->device = devices[d];
                return true;
            }
        }
    }
    return false;
}

static void open_device(struct classic *c, const char *part)
{
    cl_int e;
    if (!find_device(c, part))
        fail("no such device", 0);
    c->context = clCreateContext(NULL, 1, &c->device, NULL, NULL, &e);
    if (e)
        fail("clCreateContext", e);
    c->queue = clCreateCommandQueue(c->context, c->device, CL_QUEUE_PROFILING_ENABLE, &e);
    if (e)
        fail("clCreateCommandQueue", e);
}

// Inputs, buffers and the reference in float64, once.
static void make_data(struct classic *c, const struct job *job)
{
    struct rng rng;
    cl_int e;
    const struct job_gemm *g = &job->reference.gemm;
    c->n = (uint32_t)g->m;
    c->bytes = (size_t)c->n * c->n * sizeof(float);
    rng_init(&rng, 1, 0);
    for (int i = 0; i < 3; i++) {
        c->host[i] = calloc(c->bytes, 1);
        for (size_t k = 0; i != (int)g->c && k < (size_t)c->n * c->n; k++)
            c->host[i][k] = (float)(rng_unit(&rng) - 0.5);
        c->buffers[i] = clCreateBuffer(c->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                       c->bytes, c->host[i], &e);
        if (e)
            fail("clCreateBuffer", e);
    }
    c->reference = calloc((size_t)c->n * c->n, sizeof *c->reference);
    for (uint32_t i = 0; i < c->n; i++) {
        for (uint32_t k = 0; k < c->n; k++) {
            double a = c->host[g->a][(size_t)i * c->n + k];
            for (uint32_t j = 0; j < c->n; j++)
                c->reference[(size_t)i * c->n + j] += a * c->host[g->b][(size_t)k * c->n + j];
        }
    }
}

static cl_kernel build(struct classic *c, const struct job *job, cl_program *program)
{
    const char *source = job->programs[0].source;
    size_t length = job->programs[0].length;
    struct text options = TEXT_INIT;
    cl_int e;
    for (uint32_t i = 0; i < job->programs[0].option_count; i++)
        text_addf(&options, "%s ", job->programs[0].options[i]);
    *program = clCreateProgramWithSource(c->context, 1, &source, &length, &e);
    e = clBuildProgram(*program, 1, &c->device, text_cstr(&options), NULL, NULL);
    text_release(&options);
    return e ? NULL : clCreateKernel(*program, job->launches[0].kernel, &e);
}

static uint64_t launch(struct classic *c, const struct job *job, cl_kernel kernel)
{
    const struct job_launch *l = &job->launches[0];
    size_t global[3], local[3];
    cl_ulong start, end;
    cl_event event;
    for (int a = 0; a < 3; a++) {
        global[a] = l->global[a];
        local[a] = l->local[a];
    }
    for (cl_uint i = 0; i < l->argument_count; i++)
        clSetKernelArg(kernel, i, sizeof(cl_mem), &c->buffers[l->arguments[i].buffer]);
    if (clEnqueueNDRangeKernel(c->queue, kernel, l->dimensions, NULL, global, local, 0, NULL,
                               &event))
        return 0;
    clWaitForEvents(1, &event);
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    clReleaseEvent(event);
    return end - start;
}

static bool is_right(struct classic *c, const struct job *job)
{
    uint32_t out = job->reference.gemm.c;
    double difference = 0, norm = 0;
    clEnqueueReadBuffer(c->queue, c->buffers[out], CL_TRUE, 0, c->bytes, c->host[out], 0, NULL,
                        NULL);
    for (size_t i = 0; i < (size_t)c->n * c->n; i++) {
        double d = c->host[out][i] - c->reference[i];
        difference += d * d;
        norm += c->reference[i] * c->reference[i];
    }
    return sqrt(difference / norm) < 1e-5;
}

// The median of the seven launches in ns; 0 when the configuration does not work.
static double try_configuration(struct classic *c, const struct job *job)
{
    uint64_t samples[LAUNCHES];
    cl_program program;
    double median = 0;
    cl_kernel kernel = build(c, job, &program);
    if (kernel && launch(c, job, kernel) && is_right(c, job)) {
        for (int i = 0; i < LAUNCHES; i++)
            samples[i] = launch(c, job, kernel);
        median = stats_median(samples, LAUNCHES);
    }
    if (kernel)
        clReleaseKernel(kernel);
    clReleaseProgram(program);
    return median;
}

// The words after the device: constants, and restrictions marked as such.
struct words {
    const char *set[WORDS_LIMIT], *where[WORDS_LIMIT];
    uint32_t set_count, where_count;
};

static void read_words(int count, char **words, struct words *out)
{
    static const char mark[] = "where=";
    for (int i = 0; i < count && i < WORDS_LIMIT; i++) {
        if (strncmp(words[i], mark, sizeof mark - 1) == 0)
            out->where[out->where_count++] = words[i] + sizeof mark - 1;
        else
            out->set[out->set_count++] = words[i];
    }
}

int main(int argc, char **argv)
{
    struct error e = ERROR_INIT;
    struct classic c = {0};
    struct words words = {.set_count = 0};
    uint64_t start = clock_ns(), preparation = 0;
    if (argc < 3 || argc > 3 + WORDS_LIMIT) {
        fprintf(stderr, "usage: classic SPEC DEVICE [NAME=VALUE | where=EXPRESSION ...]\n");
        return 2;
    }
    read_words(argc - 3, argv + 3, &words);
    struct spec_options so = {.set = words.set, .set_count = words.set_count};
    struct spec *spec = spec_load(argv[1], &so, &e);
    struct space_options po = {.where = words.where, .where_count = words.where_count};
    struct space *space = spec ? space_new(spec, &po, &e) : NULL;
    struct spec_sources *sources =
        space ? spec_sources_read(spec, LANGUAGE_OPENCL, NULL, NULL, &e) : NULL;
    uint32_t *choice = spec ? calloc(spec->parameter_count + 1, sizeof *choice) : NULL;
    if (!sources || !choice) {
        fprintf(stderr, "classic: %s\n", e.text);
        return 1;
    }
    double best = 0;
    uint64_t correct = 0, best_index = 0, count = space_count(space);
    open_device(&c, argv[2]);
    for (uint64_t i = 0; i < count; i++) {
        struct job *job = NULL;
        space_get(space, i, choice);
        if (!spec_job(spec, sources, NULL, choice, &job, &e))
            fail(e.text, 0);
        if (!c.reference) {
            uint64_t before = clock_ns();
            make_data(&c, job);
            preparation = clock_ns() - before;
        }
        double ns = try_configuration(&c, job);
        correct += ns > 0;
        if (ns > 0 && (best == 0 || ns < best)) {
            best = ns;
            best_index = i;
        }
        job_free(job);
    }
    struct text name = TEXT_INIT;
    space_get(space, best_index, choice);
    spec_configuration_text(spec, choice, false, &name);
    printf("{\"seconds\": %.3f, \"preparation\": %.3f, \"configurations\": %llu, "
           "\"correct\": %llu, \"best\": \"%s\", \"best_ns\": %.0f}\n",
           (double)(clock_ns() - start) / 1e9, (double)preparation / 1e9, (unsigned long long)count,
           (unsigned long long)correct, text_cstr(&name), best);
    return 0;
}
