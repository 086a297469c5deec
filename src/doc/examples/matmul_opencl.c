/* Multiplies matrices in OpenCL with the configuration that hone deployed for their size.
 *
 *   hone deploy matmul_vector.json --set M=64..512 --set N=M --set K=M --format header --with source --name matmul \
 *        -o matmul_deployed.h
 *   cc -std=c99 -O2 -I. matmul_opencl.c -o matmul_opencl -lOpenCL -lm
 *   ./matmul_opencl 100 200 300  512 512 512
 *
 * On an NVIDIA card with --with binaries, too: what the driver's PTX would have to be rewritten for (wgmma) stands in the header then,
 * for the sizes that were measured.
 *
 * For each product it prints why the configuration was taken, whether the result is right, and how much faster it is than
 * the kernel's default. Any spec whose arguments are called A, B and C will do; others are its own temporary buffers. */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define _POSIX_C_SOURCE 200809L
#include "matmul_deployed.h"
#include "matmul_rounds.h"

#include <CL/cl.h>
#include <time.h>

enum { LAUNCHES_MOST = 8, OPTIONS_MOST = 4096 };

static void check(cl_int code, const char *call)
{
    char why[40];
    if (code == CL_SUCCESS)
        return;
    snprintf(why, sizeof why, "error %d", (int)code);
    stop(call, why);
}

typedef struct machine {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    char name[256], vendor[256], architecture[32];
    cl_uint units;
    matmul_handle handle;
} machine;

/* One configuration, built for a size, with its launches and buffers. */
typedef struct built {
    cl_program program;
    cl_kernel kernels[LAUNCHES_MOST];
    hone_deployed_launch launches[LAUNCHES_MOST];
    uint32_t count;
    cl_mem buffers[matmul_ARGUMENT_COUNT];
    int is_given[matmul_ARGUMENT_COUNT];
} built;

/* "sm_90", which only NVIDIA's OpenCL tells (cl_nv_device_attribute_query); else "". */
static void find_architecture(machine *m)
{
    enum { CAPABILITY_MAJOR = 0x4000, CAPABILITY_MINOR = 0x4001 };
    cl_uint major, minor;
    if (clGetDeviceInfo(m->device, CAPABILITY_MAJOR, sizeof major, &major, NULL) == CL_SUCCESS &&
        clGetDeviceInfo(m->device, CAPABILITY_MINOR, sizeof minor, &minor, NULL) == CL_SUCCESS)
        snprintf(m->architecture, sizeof m->architecture, "sm_%u%u", (unsigned)major,
                 (unsigned)minor);
}

/* The first GPU, or what else there is. Blanks around its name are not part of it. */
static void open_machine(machine *m)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    cl_int code = CL_DEVICE_NOT_FOUND;
    size_t length, start;
    check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
    for (int pass = 0; pass < 2 && code != CL_SUCCESS; pass++)
        for (cl_uint i = 0; i < count && i < 16 && code != CL_SUCCESS; i++)
            code = clGetDeviceIDs(platforms[i], pass ? CL_DEVICE_TYPE_ALL : CL_DEVICE_TYPE_GPU, 1,
                                  &m->device, NULL);
    check(code, "clGetDeviceIDs");
    check(clGetDeviceInfo(m->device, CL_DEVICE_NAME, sizeof m->name, m->name, NULL),
          "clGetDeviceInfo");
    check(clGetDeviceInfo(m->device, CL_DEVICE_VENDOR, sizeof m->vendor, m->vendor, NULL),
          "clGetDeviceInfo");
    check(clGetDeviceInfo(m->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof m->units, &m->units, NULL),
          "clGetDeviceInfo");
    for (length = strlen(m->name); length > 0 && m->name[length - 1] == ' '; length--)
        m->name[length - 1] = 0;
    start = strspn(m->name, " ");
    memmove(m->name, m->name + start, length - start + (length >= start));
    m->context = clCreateContext(NULL, 1, &m->device, NULL, NULL, &code);
    check(code, "clCreateContext");
    m->queue = clCreateCommandQueue(m->context, m->device, 0, &code);
    check(code, "clCreateCommandQueue");
    find_architecture(m);
    m->handle = matmul_device_like(m->name, m->vendor, m->architecture[0] ? m->architecture : NULL,
                                   m->units);
}

/* Does a program for this size on such a card stand in the header? */
static int has_program(const machine *m, const matmul_configuration *c, const int64_t size[3])
{
#ifdef matmul_BINARY_COUNT
    return matmul_find_binary(m->architecture, c, size[0], size[1], size[2]) != NULL;
#else
    (void)m, (void)c, (void)size;
    return 0;
#endif
}

static void compile(const machine *m, const matmul_configuration *c, const int64_t size[3],
                    built *out)
{
    char options[OPTIONS_MOST], log[4000] = "";
    cl_int code;
    if (matmul_options(&m->handle, c, size[0], size[1], size[2], options, sizeof options) >=
        sizeof options)
        stop("the options", "longer than this program has room for");
    out->program = clCreateProgramWithSource(m->context, matmul_SOURCE_PARTS,
                                             (const char **)matmul_source_parts, NULL, &code);
    check(code, "clCreateProgramWithSource");
    code = clBuildProgram(out->program, 1, &m->device, options, NULL, NULL);
    if (code != CL_SUCCESS)
        clGetProgramBuildInfo(out->program, m->device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log,
                              NULL);
    if (code != CL_SUCCESS)
        stop("clBuildProgram", log);
}

/* The program that stands in the header, PTX for which nothing must be rewritten, else one that is compiled now. */
static void load_program(const machine *m, const matmul_configuration *c, const int64_t size[3],
                         built *out)
{
#ifdef matmul_BINARY_COUNT
    const matmul_binary *known = matmul_find_binary(m->architecture, c, size[0], size[1], size[2]);
    if (known) {
        const unsigned char *bytes = known->bytes;
        cl_int code, loaded;
        printf("  its %s stands in the header, %lu bytes\n", known->kind,
               (unsigned long)known->length);
        out->program = clCreateProgramWithBinary(m->context, 1, &m->device, &known->length, &bytes,
                                                 &loaded, &code);
        check(code, "clCreateProgramWithBinary");
        check(clBuildProgram(out->program, 1, &m->device, NULL, NULL, NULL), "clBuildProgram");
        return;
    }
#endif
    compile(m, c, size, out);
}

/* Buffers of the kernel's own begin with zeros; those of A, B, C and the bias are given, and both scales are 1. */
static void make_buffers(const machine *m, const matmul_configuration *c, const int64_t size[3],
                         const cl_mem given[4], built *out)
{
    cl_int code;
    for (uint32_t i = 0; i < matmul_ARGUMENT_COUNT; i++) {
        const int which = find_given(matmul_argument_names[i]);
        out->is_given[i] = which >= 0;
        if (which >= 0) {
            out->buffers[i] = given[which];
            continue;
        }
        const int64_t bytes = matmul_bytes(&m->handle, c, i, size[0], size[1], size[2]);
        if (bytes <= 0)
            stop("a temporary buffer", "it has no size");
        const cl_float with = !strcmp(matmul_argument_names[i], "scales") ? 1.0f : 0.0f;
        out->buffers[i] =
            clCreateBuffer(m->context, CL_MEM_READ_WRITE, (size_t)(bytes + 3) / 4 * 4, NULL, &code);
        check(code, "clCreateBuffer");
        check(clEnqueueFillBuffer(m->queue, out->buffers[i], &with, sizeof with, 0,
                                  (size_t)(bytes + 3) / 4 * 4, 0, NULL, NULL),
              "clEnqueueFillBuffer");
    }
}

static void make_launches(const machine *m, const matmul_configuration *c, const int64_t size[3],
                          built *out)
{
    cl_int code;
    for (uint32_t i = 0; i < c->launch_count && out->count < LAUNCHES_MOST; i++) {
        hone_deployed_launch *l = &out->launches[out->count];
        const int wanted = matmul_launch(&m->handle, c, i, size[0], size[1], size[2], l);
        if (wanted < 0)
            stop("a launch", "one of its sizes has no value");
        if (!wanted)
            continue;
        cl_kernel kernel = clCreateKernel(out->program, l->kernel, &code);
        check(code, "clCreateKernel");
        for (cl_uint a = 0; a < l->argument_count; a++)
            check(clSetKernelArg(kernel, a, sizeof(cl_mem), &out->buffers[l->arguments[a]]),
                  "clSetKernelArg");
        out->kernels[out->count++] = kernel;
    }
}

static built *build(const machine *m, const matmul_configuration *c, const int64_t size[3],
                    const cl_mem given[4])
{
    built *out = (built *)calloc(1, sizeof *out);
    if (!out)
        stop("a configuration", "no memory");
    load_program(m, c, size, out);
    make_buffers(m, c, size, given, out);
    make_launches(m, c, size, out);
    return out;
}

static void release(built *b)
{
    for (uint32_t i = 0; i < b->count; i++)
        clReleaseKernel(b->kernels[i]);
    for (uint32_t i = 0; i < matmul_ARGUMENT_COUNT; i++) {
        if (!b->is_given[i])
            clReleaseMemObject(b->buffers[i]);
    }
    clReleaseProgram(b->program);
    free(b);
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static double run(const machine *m, const built *b)
{
    const double start = now_ns();
    for (uint32_t i = 0; i < b->count; i++) {
        const hone_deployed_launch *l = &b->launches[i];
        check(clEnqueueNDRangeKernel(m->queue, b->kernels[i], l->dimensions, NULL, l->global,
                                     l->has_local ? l->local : NULL, 0, NULL, NULL),
              "clEnqueueNDRangeKernel");
    }
    check(clFinish(m->queue), "clFinish");
    return now_ns() - start;
}

static void compare(const machine *m, const built *best, const built *other)
{
    double best_ns[ROUNDS], default_ns[ROUNDS];
    run(m, other);
    for (int i = 0; i < ROUNDS; i++) {
        best_ns[i] = run(m, best);
        default_ns[i] = run(m, other);
    }
    print_ratio(best_ns, default_ns);
}

static void multiply(const machine *m, const int64_t size[3])
{
    void *host[4];
    cl_mem device[4];
    char why[500], options[OPTIONS_MOST];
    cl_int code;
    const matmul_configuration *best = matmul_best_on(&m->handle, size[0], size[1], size[2]);
    matmul_why_on(&m->handle, size[0], size[1], size[2], why, sizeof why);
    printf("%lld x %lld x %lld: %s\n  %s\n", (long long)size[0], (long long)size[1],
           (long long)size[2], why, best ? best->text : "");
    if (!best)
        exit(EXIT_FAILURE);
    if (matmul_target(&m->handle, best, size[0], size[1], size[2]) && !has_program(m, best, size)) {
        printf("  its PTX would have to be rewritten first, so the default is taken\n");
        best = matmul_default();
    }
    matmul_options(&m->handle, best, size[0], size[1], size[2], options, sizeof options);
    const product p = describe_product(
        options, matmul_bytes(&m->handle, best, matmul_ARGUMENT_A, size[0], size[1], size[2]) /
                     (size[0] * size[2]));
    for (int i = 0; i < 4; i++) {
        host[i] = make_matrix(&p, i, size);
        device[i] = clCreateBuffer(m->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   matrix_bytes(&p, i, size), host[i], &code);
        check(code, "clCreateBuffer");
    }
    built *fast = build(m, best, size, device), *plain = build(m, matmul_default(), size, device);
    run(m, fast);
    check(clEnqueueReadBuffer(m->queue, device[2], CL_TRUE, 0, matrix_bytes(&p, 2, size), host[2],
                              0, NULL, NULL),
          "clEnqueueReadBuffer");
    check_product(&p, host, size[0], size[1], size[2]);
    if (best == matmul_default())
        printf("  right; it is the default\n");
    else
        compare(m, fast, plain);
    release(fast);
    release(plain);
    for (int i = 0; i < 4; i++) {
        clReleaseMemObject(device[i]);
        free(host[i]);
    }
}

int main(int argc, char **argv)
{
    machine m;
    memset(&m, 0, sizeof m);
    if (argc < 4 || argc % 3 != 1)
        stop(argv[0], "M N K [M N K]...");
    open_machine(&m);
    printf("%s, %u compute units\n", m.name, (unsigned)m.units);
    for (int i = 1; i < argc; i += 3) {
        const int64_t size[3] = {read_size(argv[i]), read_size(argv[i + 1]),
                                 read_size(argv[i + 2])};
        multiply(&m, size);
    }
    clReleaseCommandQueue(m.queue);
    clReleaseContext(m.context);
    return EXIT_SUCCESS;
}
