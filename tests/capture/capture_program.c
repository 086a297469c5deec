// An OpenCL program of the tests: its first argument says what it does, its output is a line with a checksum. It knows nothing
// of hone.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1024 };

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

static void need(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", what, status);
    exit(3);
}

static void open_device(void)
{
    cl_int e;
    cl_uint count = 0;
    if (clGetPlatformIDs(1, &platform, &count) != CL_SUCCESS || count == 0)
        exit(77);
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        exit(77);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    need(e, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &e);
    need(e, "clCreateCommandQueue");
}

static cl_kernel build(const char *text, const char *options, const char *name)
{
    cl_int e;
    cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &e);
    need(e, "clCreateProgramWithSource");
    need(clBuildProgram(p, 1, &device, options, NULL, NULL), "clBuildProgram");
    cl_kernel k = clCreateKernel(p, name, &e);
    need(e, "clCreateKernel");
    clReleaseProgram(p);
    return k;
}

static cl_mem buffer(cl_mem_flags flags, size_t bytes, void *from)
{
    cl_int e;
    cl_mem m = clCreateBuffer(context, flags | (from ? CL_MEM_COPY_HOST_PTR : 0), bytes, from, &e);
    need(e, "clCreateBuffer");
    return m;
}

static float *numbers(void)
{
    static float x[N];
    for (int i = 0; i < N; i++)
        x[i] = (float)(i * 37 % 101);
    return x;
}

static void set(cl_kernel k, cl_uint i, size_t size, const void *value)
{
    need(clSetKernelArg(k, i, size, value), "clSetKernelArg");
}

static void launch_on(cl_command_queue q, cl_kernel k, size_t global, size_t local)
{
    need(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, local ? &local : NULL, 0, NULL, NULL),
         "clEnqueueNDRangeKernel");
}

static void tell(cl_mem m, size_t bytes)
{
    unsigned char *b = malloc(bytes);
    uint32_t sum = 2166136261u;
    need(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, bytes, b, 0, NULL, NULL), "clEnqueueReadBuffer");
    for (size_t i = 0; i < bytes; i++)
        sum = (sum ^ b[i]) * 16777619u;
    printf("%08x\n", (unsigned)sum);
    fflush(stdout);
    free(b);
}

static const char *const scale = "#ifndef GROUP\n#define GROUP 64\n#endif\n"
                                 "__kernel void scale(__global float *y, __global const float *x,\n"
                                 "                    float a, int n)\n"
                                 "{\n"
                                 "    int i = get_global_id(0);\n"
                                 "    if (i < n)\n"
                                 "        y[i] = a * x[i];\n"
                                 "}\n";

static const char *const twice = "__kernel void twice(__global float *x)\n"
                                 "{\n"
                                 "    x[get_global_id(0)] *= 2.0f;\n"
                                 "}\n";

static void set_scale(cl_kernel k, cl_mem y, cl_mem x, float a, int n)
{
    set(k, 0, sizeof y, &y);
    set(k, 1, sizeof x, &x);
    set(k, 2, sizeof a, &a);
    set(k, 3, sizeof n, &n);
}

static void run_scale(int launches, int shapes)
{
    cl_kernel k = build(scale, "-D GROUP=64", "scale");
    cl_mem x = buffer(CL_MEM_READ_ONLY, N * 4, numbers()), y = buffer(0, N * 4, numbers());
    for (int i = 0; i < launches; i++) {
        set_scale(k, y, x, 2.5f, N - i % shapes * 64);
        launch_on(queue, k, (size_t)(N - i % shapes * 64), 64);
    }
    tell(y, N * 4);
    clReleaseKernel(k);
    clReleaseMemObject(x);
    clReleaseMemObject(y);
}

static void case_scale(void)
{
    run_scale(5, 1);
}

static void case_shapes(void)
{
    run_scale(12, 3);
}

static void case_many(void)
{
    run_scale(10000, 12);
}

static void case_in_place(void)
{
    cl_kernel k = build(twice, "", "twice");
    cl_mem x = buffer(0, N * 4, numbers());
    set(k, 0, sizeof x, &x);
    launch_on(queue, k, N, 0);
    launch_on(queue, k, N, 0);
    tell(x, N * 4);
}

static const char *const wipe =
    "__kernel void wipe(__global int *rows, uint dim_x, uint dim_y, uint length)\n"
    "{\n"
    "    uint x = get_global_id(0), y = get_global_id(1);\n"
    "    if (x < dim_x)\n"
    "        rows[y * dim_x + x] = length - dim_y + 7;\n"
    "}\n";

// Only one axis is guarded, the driver chooses the work-group, and a driver may know `length` by another name.
static void case_rows(void)
{
    const cl_uint width = 50, height = 18;
    const size_t global[] = {64, height};
    cl_kernel k = build(wipe, "", "wipe");
    cl_mem rows = buffer(0, width * height * 4, numbers());
    set(k, 0, sizeof rows, &rows);
    set(k, 1, sizeof width, &width);
    set(k, 2, sizeof height, &height);
    set(k, 3, sizeof height, &height);
    need(clEnqueueNDRangeKernel(queue, k, 2, NULL, global, NULL, 0, NULL, NULL),
         "clEnqueueNDRangeKernel");
    tell(rows, width * height * 4);
}

static void case_sub_buffer(void)
{
    const cl_buffer_region r = {2048, 1024};
    cl_int e;
    cl_kernel k = build(twice, "", "twice");
    cl_mem x = buffer(0, N * 4, numbers());
    cl_mem part = clCreateSubBuffer(x, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &e);
    need(e, "clCreateSubBuffer");
    set(k, 0, sizeof part, &part);
    launch_on(queue, k, 256, 64);
    tell(x, N * 4);
}

static void case_overlap(void)
{
    cl_kernel k = build(scale, "", "scale");
    cl_mem x = buffer(0, N * 4, numbers());
    set_scale(k, x, x, 3.0f, N);
    launch_on(queue, k, N, 64);
    tell(x, N * 4);
}

// A union by value, whose members hone does not know: by the text alone it could be a float.
static void case_union(void)
{
    cl_kernel k = build("#define PAIR(REAL, ROOT) \\\n"
                        "    typedef union { struct { REAL x, y; }; REAL both[2]; } ROOT##_t;\n"
                        "PAIR(float, pair)\n"
                        "__kernel void shift(__global float *z, pair_t by, int n)\n"
                        "{\n"
                        "    int i = get_global_id(0);\n"
                        "    if (i < n)\n"
                        "        z[i] += by.x - by.both[1];\n"
                        "}\n",
                        "", "shift");
    const float by[] = {3, 1.5f};
    const cl_int n = N;
    cl_mem x = buffer(0, N * 4, numbers());
    set(k, 0, sizeof x, &x);
    set(k, 1, sizeof by, by);
    set(k, 2, sizeof n, &n);
    launch_on(queue, k, N, 64);
    tell(x, N * 4);
}

// Zeros are right, and another content before the launch tells them from no launch.
static void case_clear(void)
{
    cl_kernel k = build("__kernel void clear(__global float *x, int n)\n"
                        "{\n"
                        "    int i = get_global_id(0);\n"
                        "    if (i < n)\n"
                        "        x[i] = 0;\n"
                        "}\n",
                        "", "clear");
    const cl_int n = N;
    cl_mem x = buffer(0, N * 4, numbers());
    set(k, 0, sizeof x, &x);
    set(k, 1, sizeof n, &n);
    launch_on(queue, k, N, 64);
    tell(x, N * 4);
}

// What the kernel leaves alone is so large that no tolerance by its size would tell a change, and one is no number.
static void case_unfilled(void)
{
    cl_kernel k = build("__kernel void few(__global float *x, int from, int n)\n"
                        "{\n"
                        "    int i = get_global_id(0);\n"
                        "    if (i < n)\n"
                        "        x[from + i] = i * 0.25f + 1;\n"
                        "}\n",
                        "", "few");
    float large[N];
    const cl_int from = 100, n = 8;
    for (int i = 0; i < N; i++)
        large[i] = i == 7 ? NAN : i % 2 ? 1e30f : 0;
    cl_mem x = buffer(0, N * 4, large);
    set(k, 0, sizeof x, &x);
    set(k, 1, sizeof from, &from);
    set(k, 2, sizeof n, &n);
    launch_on(queue, k, 64, 32);
    tell(x, N * 4);
}

// In place twice, and once with another result's place: one table is not for both.
static void case_places(void)
{
    cl_kernel k = build(scale, "", "scale");
    cl_mem x = buffer(0, N * 4, numbers()), y = buffer(0, N * 4, NULL);
    set_scale(k, x, x, 3.0f, N);
    launch_on(queue, k, N, 64);
    launch_on(queue, k, N, 64);
    set_scale(k, y, x, 3.0f, N);
    launch_on(queue, k, N, 64);
    tell(y, N * 4);
}

// Parts of one buffer: a half apart, then such as share a half. That one holds zeros, which stay in any order of the items.
static void case_parts(void)
{
    static float zeros[2 * N];
    const cl_buffer_region regions[] = {{0, N * 4}, {N * 4, N * 4}, {N * 2, N * 4}};
    cl_kernel k = build(scale, "", "scale");
    cl_mem from[2], to[2], x = buffer(0, sizeof zeros, zeros);
    cl_int e = clEnqueueWriteBuffer(queue, x, CL_TRUE, 0, N * 4, numbers(), 0, NULL, NULL);
    need(e, "clEnqueueWriteBuffer");
    for (int i = 0; i < 2; i++) {
        cl_mem of = i == 0 ? x : buffer(0, sizeof zeros, zeros);
        from[i] = clCreateSubBuffer(of, 0, CL_BUFFER_CREATE_TYPE_REGION, &regions[0], &e);
        need(e, "clCreateSubBuffer");
        to[i] = clCreateSubBuffer(of, 0, CL_BUFFER_CREATE_TYPE_REGION, &regions[1 + i], &e);
        need(e, "clCreateSubBuffer");
        set_scale(k, to[i], from[i], 3.0f, N);
        launch_on(queue, k, N, 64);
    }
    tell(x, N * 8);
}

static void case_no_access(void)
{
    cl_int e;
    cl_mem_flags flags = 0;
    cl_kernel k = build(scale, "", "scale");
    cl_mem x = buffer(CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS, N * 4, numbers());
    cl_mem y = buffer(CL_MEM_HOST_NO_ACCESS, N * 4, NULL), z = buffer(0, N * 4, NULL);
    set_scale(k, y, x, 0.5f, N);
    launch_on(queue, k, N, 64);
    e = clEnqueueCopyBuffer(queue, y, z, 0, 0, N * 4, 0, NULL, NULL);
    need(e, "clEnqueueCopyBuffer");
    need(clGetMemObjectInfo(y, CL_MEM_FLAGS, sizeof flags, &flags, NULL), "clGetMemObjectInfo");
    printf("%d ", (flags & CL_MEM_HOST_NO_ACCESS) != 0);
    tell(z, N * 4);
}

static void case_local(void)
{
    static const char *const text =
        "__kernel void turn(__global float *x, __local float *t, __global const float *none)\n"
        "{\n"
        "    int l = get_local_id(0), n = get_local_size(0), g = get_global_id(0);\n"
        "    t[l] = x[g];\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    x[g] = t[n - 1 - l] + (none ? none[g] : 1.0f);\n"
        "}\n";
    cl_kernel k = build(text, "", "turn");
    cl_mem x = buffer(0, N * 4, numbers());
    set(k, 0, sizeof x, &x);
    set(k, 1, 64 * 4, NULL);
    set(k, 2, sizeof x, NULL);
    launch_on(queue, k, N, 64);
    tell(x, N * 4);
}

// A vector and a struct by value: which numbers they have is in the spec.
static void case_values(void)
{
    static const char *const text =
        "typedef struct { float2 at; char kind; } Point;\n"
        "typedef struct { int rows; float gain[3]; Point from; ulong seed; } Shape;\n"
        "__kernel void values(__global float *x, float4 scale, Shape s)\n"
        "{\n"
        "    int i = get_global_id(0);\n"
        "    x[i] = x[i] * scale.z + s.gain[2] + s.from.at.y + s.from.kind + s.rows + "
        "(float)(s.seed >> 60);\n"
        "}\n";
    const cl_float4 scale_by = {{1, 2, 0.5f, 4}};
    const struct {
        cl_int rows;
        cl_float gain[3];
        cl_float2 at;
        cl_char kind;
        cl_ulong seed;
    } shape = {-3, {0, 0, 0.25f}, {{7, 8}}, 5, UINT64_C(0xf000000000000001)};
    cl_kernel k = build(text, "", "values");
    cl_mem x = buffer(0, N * 4, numbers());
    set(k, 0, sizeof x, &x);
    set(k, 1, sizeof scale_by, &scale_by);
    set(k, 2, sizeof shape, &shape);
    launch_on(queue, k, N, 64);
    tell(x, N * 4);
}

static void case_svm(void)
{
    cl_kernel k = build(twice, "", "twice");
    cl_mem z = buffer(0, N * 4, NULL);
    float *x = clSVMAlloc(context, CL_MEM_READ_WRITE, N * 4 + 256, 0);
    if (!x)
        exit(77);
    need(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, x, N * 4, 0, NULL, NULL), "map");
    memcpy(x, numbers(), N * 4);
    need(clEnqueueSVMUnmap(queue, x, 0, NULL, NULL), "unmap");
    need(clSetKernelArgSVMPointer(k, 0, x + 64), "clSetKernelArgSVMPointer");
    launch_on(queue, k, N - 64, 64);
    need(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, x, N * 4, 0, NULL, NULL), "map");
    need(clEnqueueWriteBuffer(queue, z, CL_TRUE, 0, N * 4, x, 0, NULL, NULL), "write");
    need(clEnqueueSVMUnmap(queue, x, 0, NULL, NULL), "unmap");
    tell(z, N * 4);
    clFinish(queue);
    clSVMFree(context, x);
}

static void case_clone(void)
{
    cl_int e;
    cl_kernel k = build(scale, "", "scale");
    cl_mem x = buffer(0, N * 4, numbers()), y = buffer(0, N * 4, NULL);
    set_scale(k, y, x, 7.0f, N);
    cl_kernel copy = clCloneKernel(k, &e);
    if (e != CL_SUCCESS)
        exit(77);
    clReleaseKernel(k);
    launch_on(queue, copy, N, 64);
    tell(y, N * 4);
}

static void case_out_of_order(void)
{
    cl_int e;
    cl_event first, second;
    size_t global = N;
    cl_command_queue q =
        clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &e);
    if (e != CL_SUCCESS)
        exit(77);
    cl_kernel k = build(twice, "", "twice");
    cl_mem x = buffer(0, N * 4, NULL);
    need(clEnqueueWriteBuffer(q, x, CL_FALSE, 0, N * 4, numbers(), 0, NULL, &first), "write");
    set(k, 0, sizeof x, &x);
    need(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, NULL, 1, &first, &second), "launch");
    need(clWaitForEvents(1, &second), "wait");
    clFinish(q);
    tell(x, N * 4);
}

static void case_two_queues(void)
{
    cl_int e;
    cl_event written;
    size_t global = N;
    cl_command_queue other = clCreateCommandQueue(context, device, 0, &e);
    cl_kernel k = build(twice, "", "twice");
    cl_mem x = buffer(0, N * 4, NULL);
    need(clEnqueueWriteBuffer(other, x, CL_FALSE, 0, N * 4, numbers(), 0, NULL, &written), "write");
    set(k, 0, sizeof x, &x);
    need(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, NULL, 1, &written, NULL), "launch");
    tell(x, N * 4);
}

static void case_user_event(void)
{
    cl_int e;
    size_t global = N;
    cl_event held = clCreateUserEvent(context, &e);
    cl_kernel k = build(twice, "", "twice");
    cl_mem x = buffer(0, N * 4, numbers());
    set(k, 0, sizeof x, &x);
    need(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, NULL, 1, &held, NULL), "launch");
    need(clSetUserEventStatus(held, CL_COMPLETE), "clSetUserEventStatus");
    clFinish(queue);
    launch_on(queue, k, N, 0);
    tell(x, N * 4);
}

static void *scale_thread(void *y)
{
    cl_kernel k = build(scale, "", "scale");
    cl_mem x = buffer(0, N * 4, numbers());
    for (int i = 0; i < 50; i++) {
        set_scale(k, *(cl_mem *)y, x, 1.5f, N - i % 5);
        launch_on(queue, k, N, 64);
    }
    clFinish(queue);
    clReleaseKernel(k);
    clReleaseMemObject(x);
    return NULL;
}

static void case_threads(void)
{
    pthread_t threads[4];
    cl_mem y[4];
    for (int i = 0; i < 4; i++) {
        y[i] = buffer(0, N * 4, numbers());
        pthread_create(&threads[i], NULL, scale_thread, &y[i]);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        tell(y[i], N * 4);
    }
}

static void case_contexts(void)
{
    run_scale(2, 1);
    cl_context first = context;
    open_device();
    run_scale(2, 1);
    clReleaseContext(first);
}

static void case_link(void)
{
    static const char *const header = "float by(float x);\n#define TIMES 3.0f\n";
    static const char *const one = "#include \"by.h\"\nfloat by(float x) { return TIMES * x; }\n";
    static const char *const two = "#include \"by.h\"\n__kernel void linked(__global float *x)\n"
                                   "{ int i = get_global_id(0); x[i] = by(x[i]) + PLUS; }\n";
    static const char *name = "by.h";
    cl_int e;
    cl_program h = clCreateProgramWithSource(context, 1, (const char **)&header, NULL, &e);
    cl_program a = clCreateProgramWithSource(context, 1, (const char **)&one, NULL, &e);
    cl_program b = clCreateProgramWithSource(context, 1, (const char **)&two, NULL, &e);
    if (clCompileProgram(a, 1, &device, "", 1, &h, &name, NULL, NULL) != CL_SUCCESS ||
        clCompileProgram(b, 1, &device, "-D PLUS=2.0f", 1, &h, &name, NULL, NULL) != CL_SUCCESS)
        exit(77);
    cl_program inputs[] = {a, b};
    cl_program p = clLinkProgram(context, 1, &device, "", 2, inputs, NULL, NULL, &e);
    if (e != CL_SUCCESS)
        exit(77);
    clReleaseProgram(a);
    clReleaseProgram(b);
    clReleaseProgram(h);
    cl_kernel k = clCreateKernel(p, "linked", &e);
    need(e, "clCreateKernel");
    cl_mem x = buffer(0, N * 4, numbers());
    set(k, 0, sizeof x, &x);
    launch_on(queue, k, N, 64);
    tell(x, N * 4);
}

// As programs with a cache of their own: from a binary, else from the text.
static void case_binary(void)
{
    size_t size = 0;
    cl_int e, status;
    unsigned char *bytes;
    cl_program p = clCreateProgramWithSource(context, 1, (const char **)&twice, NULL, &e);
    need(clBuildProgram(p, 1, &device, "", NULL, NULL), "clBuildProgram");
    need(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL), "sizes");
    bytes = malloc(size);
    need(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL), "binaries");
    cl_program q = clCreateProgramWithBinary(context, 1, &device, &size,
                                             (const unsigned char **)&bytes, &status, &e);
    if (e == CL_SUCCESS)
        need(clBuildProgram(q, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_kernel k = clCreateKernel(e == CL_SUCCESS ? q : p, "twice", &e);
    need(e, "clCreateKernel");
    cl_mem x = buffer(0, N * 4, numbers());
    set(k, 0, sizeof x, &x);
    launch_on(queue, k, N, 64);
    tell(x, N * 4);
    free(bytes);
}

static void case_image(void)
{
    static const char *const text =
        "__kernel void look(__global float *y, __read_only image2d_t x)\n"
        "{ const sampler_t s = CLK_FILTER_NEAREST | CLK_ADDRESS_CLAMP;\n"
        "  y[get_global_id(0)] = read_imagef(x, s, (int2)(get_global_id(0), 0)).x; }\n";
    const cl_image_format format = {CL_R, CL_FLOAT};
    const cl_image_desc about = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 64, .image_height = 1};
    cl_int e;
    cl_mem x = clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &about, numbers(), &e);
    if (e != CL_SUCCESS)
        exit(77);
    cl_kernel k = build(text, "", "look");
    cl_mem y = buffer(0, 64 * 4, NULL);
    set(k, 0, sizeof y, &y);
    set(k, 1, sizeof x, &x);
    launch_on(queue, k, 64, 64);
    tell(y, 64 * 4);
}

// Two images and a sampler: normalized bytes are read between pixels, and written as floats.
static void case_images(void)
{
    enum { W = 32, H = 16 };
    static const char *const text =
        "__kernel void halve(__write_only image2d_t y, __read_only image2d_t x, sampler_t s)\n"
        "{ int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
        "  if (at.x < get_image_width(y) && at.y < get_image_height(y))\n"
        "    write_imagef(y, at, read_imagef(x, s, convert_float2(at) * 2.0f + 1.0f)); }\n";
    static const size_t origin[3], region[3] = {W / 2, H / 2, 1}, global[] = {W / 2, H / 2},
                                   local[] = {4, 4};
    static float out[W * H];
    const cl_image_format bytes = {CL_RGBA, CL_UNORM_INT8}, floats = {CL_RGBA, CL_FLOAT};
    const cl_image_desc of_x = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
    const cl_image_desc of_y = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W / 2, .image_height = H / 2};
    cl_int e, e2, e3;
    cl_mem x = clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &bytes, &of_x,
                             numbers(), &e);
    cl_mem y = clCreateImage(context, CL_MEM_WRITE_ONLY, &floats, &of_y, NULL, &e2);
    cl_sampler s =
        clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR, &e3);
    if (e != CL_SUCCESS || e2 != CL_SUCCESS || e3 != CL_SUCCESS)
        exit(77);
    cl_kernel k = build(text, "", "halve");
    set(k, 0, sizeof y, &y);
    set(k, 1, sizeof x, &x);
    set(k, 2, sizeof(cl_sampler), &s);
    need(clEnqueueNDRangeKernel(queue, k, 2, NULL, global, local, 0, NULL, NULL), "launch");
    need(clEnqueueReadImage(queue, y, CL_TRUE, origin, region, 0, 0, out, 0, NULL, NULL),
         "clEnqueueReadImage");
    unsigned sum = 2166136261u;
    for (size_t i = 0; i < W * H / 4 * 4; i++)
        sum = (sum ^ ((unsigned *)out)[i]) * 16777619u;
    printf("%08x\n", sum);
}

static void case_atomics(void)
{
    static const char *const text =
        "__kernel void count(__global int *bins, __global const float *x)\n"
        "{ atomic_add(&bins[(int)x[get_global_id(0)] % 16], 1); }\n";
    int zeros[16] = {0};
    cl_kernel k = build(text, "", "count");
    cl_mem x = buffer(0, N * 4, numbers()), y = buffer(0, sizeof zeros, zeros);
    set(k, 0, sizeof y, &y);
    set(k, 1, sizeof x, &x);
    launch_on(queue, k, N, 64);
    tell(y, sizeof zeros);
}

static void case_fork(void)
{
    fflush(stdout);
    const pid_t child = fork(); // before OpenCL: drivers do not survive a fork
    if (child == 0) {
        open_device();
        case_in_place();
        exit(0);
    }
    open_device();
    case_scale();
    waitpid(child, NULL, 0);
}

static void case_exit(void)
{
    case_scale();
    _exit(0);
}

static void case_kill(void)
{
    case_scale();
    kill(getpid(), SIGKILL);
}

static void case_none(void)
{
    puts("no OpenCL");
}

static void case_command_buffer(void)
{
    cl_int e;
    clCreateCommandBufferKHR_fn make =
        (clCreateCommandBufferKHR_fn)(uintptr_t)clGetExtensionFunctionAddressForPlatform(
            platform, "clCreateCommandBufferKHR");
    clCommandNDRangeKernelKHR_fn add =
        (clCommandNDRangeKernelKHR_fn)(uintptr_t)clGetExtensionFunctionAddressForPlatform(
            platform, "clCommandNDRangeKernelKHR");
    clFinalizeCommandBufferKHR_fn end =
        (clFinalizeCommandBufferKHR_fn)(uintptr_t)clGetExtensionFunctionAddressForPlatform(
            platform, "clFinalizeCommandBufferKHR");
    clEnqueueCommandBufferKHR_fn go =
        (clEnqueueCommandBufferKHR_fn)(uintptr_t)clGetExtensionFunctionAddressForPlatform(
            platform, "clEnqueueCommandBufferKHR");
    size_t global = N;
    if (!make || !add || !end || !go)
        exit(77);
    cl_kernel k = build(twice, "", "twice");
    cl_mem x = buffer(0, N * 4, numbers());
    set(k, 0, sizeof x, &x);
    cl_command_buffer_khr b = make(1, &queue, NULL, &e);
    if (e != CL_SUCCESS)
        exit(77);
    need(add(b, NULL, NULL, k, 1, NULL, &global, NULL, 0, NULL, NULL, NULL), "record");
    need(end(b), "finalize");
    need(go(0, NULL, b, 0, NULL, NULL), "enqueue");
    tell(x, N * 4);
}

// Nanoseconds of a clSetKernelArg and of a launch of nothing.
static const struct program_case {
    const char *name;
    void (*run)(void);
    bool opens_itself;
} cases[] = {
    {"scale", case_scale, false},
    {"shapes", case_shapes, false},
    {"many", case_many, false},
    {"in_place", case_in_place, false},
    {"rows", case_rows, false},
    {"sub_buffer", case_sub_buffer, false},
    {"overlap", case_overlap, false},
    {"places", case_places, false},
    {"parts", case_parts, false},
    {"unfilled", case_unfilled, false},
    {"union", case_union, false},
    {"clear", case_clear, false},
    {"no_access", case_no_access, false},
    {"local", case_local, false},
    {"values", case_values, false},
    {"svm", case_svm, false},
    {"clone", case_clone, false},
    {"out_of_order", case_out_of_order, false},
    {"two_queues", case_two_queues, false},
    {"user_event", case_user_event, false},
    {"threads", case_threads, false},
    {"contexts", case_contexts, false},
    {"link", case_link, false},
    {"binary", case_binary, false},
    {"image", case_image, false},
    {"images", case_images, false},
    {"atomics", case_atomics, false},
    {"fork", case_fork, true},
    {"exit", case_exit, false},
    {"kill", case_kill, false},
    {"none", case_none, true},
    {"command_buffer", case_command_buffer, false},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(cases[i].name, argv[1]) != 0)
            continue;
        if (!cases[i].opens_itself)
            open_device();
        cases[i].run();
        return 0;
    }
    fprintf(stderr, "capture_program: no such case\n");
    return 2;
}
