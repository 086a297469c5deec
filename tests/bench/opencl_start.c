// What OpenCL's driver itself takes until a kernel is built, without hone: the driver's start, a context, the first build and
// those after it, in one process, and in several at once, each doing the same; and how many builds at once one process can do.
//
//   opencl_start KERNEL.cl NAME [PROCESSES ...]       cc -O2 -pthread tests/bench/opencl_start.c -lOpenCL
//
// NAME: a part of the device's. Each line is of so many processes: milliseconds since their start, the median and the last of
// them, at the end of each step. Then one process builds 32 texts by 1, 4 and 8 threads. Texts differ by a macro that is new in
// every run, so that no cache of the driver's has them.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BUILDS    32
#define PROCESSES 64

enum step { PLATFORMS, DEVICES, CONTEXT, FIRST, SECOND, STEPS };

static const char *const steps[] = {"platforms", "devices", "context", "first build", "second build"};
static char text[1 << 16];
static unsigned long run; // in each text, so that it is new
static const char *name;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static cl_device_id find_device(void)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    clGetPlatformIDs(16, platforms, &count);
    for (cl_uint i = 0; i < count && i < 16; i++) {
        cl_device_id all[64];
        cl_uint devices = 0;
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 64, all, &devices);
        for (cl_uint k = 0; k < devices && k < 64; k++) {
            char found[256] = "";
            clGetDeviceInfo(all[k], CL_DEVICE_NAME, sizeof found - 1, found, NULL);
            if (strstr(found, name))
                return all[k];
        }
    }
    fprintf(stderr, "opencl_start: no device is called '%s'\n", name);
    exit(1);
}

static void build(cl_context context, cl_device_id device, unsigned long which)
{
    static const unsigned tiles[] = {1, 2, 4, 8};
    char options[256], log[4096] = "";
    const char *source = text;
    cl_int code;
    snprintf(options, sizeof options,
             "-DNEW=%lu -DWIDTH=4096 -Dblock_size_x=32 -Dblock_size_y=%u -Dtile_size_x=%u -Dtile_size_y=%u", run + which,
             32 / tiles[which % 4], tiles[which / 4 % 4], tiles[which % 4]);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    code = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (code == CL_SUCCESS) {
        clReleaseProgram(program);
        return;
    }
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    fprintf(stderr, "opencl_start: %d: %s\n", code, log);
    exit(1);
}

static void live(double began, double *ms, unsigned long which)
{
    cl_platform_id platforms[16];
    cl_uint count;
    cl_int code;
    clGetPlatformIDs(16, platforms, &count);
    ms[PLATFORMS] = now() - began;
    cl_device_id device = find_device();
    ms[DEVICES] = now() - began;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    ms[CONTEXT] = now() - began;
    build(context, device, 2 * which);
    ms[FIRST] = now() - began;
    build(context, device, 2 * which + 1);
    ms[SECOND] = now() - began;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void at_once(unsigned processes)
{
    double(*ms)[STEPS] = mmap(NULL, PROCESSES * sizeof *ms, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    double began = now(), sorted[PROCESSES];
    for (unsigned i = 0; i < processes; i++) {
        if (fork() == 0) {
            live(began, ms[i], i);
            _exit(0);
        }
    }
    while (wait(NULL) > 0)
        continue;
    double ended = now() - began;
    printf("%2u at once:", processes);
    for (int s = 0; s < STEPS; s++) {
        for (unsigned i = 0; i < processes; i++)
            sorted[i] = ms[i][s];
        qsort(sorted, processes, sizeof *sorted, by_size);
        printf("  %s %.0f, last %.0f", steps[s], sorted[processes / 2], sorted[processes - 1]);
    }
    printf("; all gone %.0f\n", ended);
    fflush(stdout);
    run += 2 * PROCESSES;
    munmap(ms, PROCESSES * sizeof *ms);
}

static cl_context shared_context;
static cl_device_id shared_device;
static unsigned next_build;

static void *build_some(void *unused)
{
    unsigned which;
    while ((which = __atomic_fetch_add(&next_build, 1, __ATOMIC_RELAXED)) < BUILDS)
        build(shared_context, shared_device, which);
    return unused;
}

static void by_threads(unsigned threads)
{
    pthread_t list[64];
    double began = now();
    next_build = 0;
    for (unsigned i = 0; i < threads; i++)
        pthread_create(&list[i], NULL, build_some, NULL);
    for (unsigned i = 0; i < threads; i++)
        pthread_join(list[i], NULL);
    printf("one process, %u threads: %u builds in %.0f ms\n", threads, BUILDS, now() - began);
    fflush(stdout);
    run += BUILDS;
}

int main(int count, char **words)
{
    FILE *f = count > 2 ? fopen(words[1], "r") : NULL;
    cl_int code;
    if (!f) {
        fprintf(stderr, "usage: opencl_start KERNEL.cl NAME [PROCESSES ...]\n");
        return 2;
    }
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    name = words[2];
    run = (unsigned long)time(NULL) << 8;
    for (int i = 3; i < count; i++) {
        int processes = atoi(words[i]);
        at_once(processes < 1 ? 1 : processes > PROCESSES ? PROCESSES : (unsigned)processes);
    }
    shared_device = find_device();
    shared_context = clCreateContext(NULL, 1, &shared_device, NULL, NULL, &code);
    build(shared_context, shared_device, BUILDS);
    run += BUILDS + 1;
    for (unsigned threads = 1; threads <= 8; threads = threads == 1 ? 4 : 2 * threads)
        by_threads(threads);
    return 0;
}
