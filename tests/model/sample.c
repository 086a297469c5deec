#include "sample.h"

#include <check.h>
#include <string.h>

static const float scalar_value[4] = {1.5f, 2.5f, 3.5f, 4.5f};
static const char custom_data[24] = "twenty-four bytes, mixed";

#define COPY(j, list) arena_copy(&(j)->arena, list, sizeof(list))
#define COUNT(list)   (sizeof(list) / sizeof *(list))

static void add_programs(struct job *j)
{
    const struct job_file files[] = {
        {"include/tile.h", "#define TILE 4\n", 15},
        {"deep/er/loop.h", "", 0},
    };
    const char *folders[] = {"", "include"};
    const char *options[] = {"-DNAME=some text", "-cl-fast-relaxed-math"};
    const struct job_program programs[] = {
        {"first.cl", "kernel void first() {}", 22, COPY(j, files), COUNT(files), COPY(j, folders),
         COUNT(folders), COPY(j, options), COUNT(options), "sm_90a", true, 7, "/home/me"},
        {.name = "second.cl", .source = "kernel void second() {}", .length = 23},
    };
    j->programs = COPY(j, programs);
    j->program_count = COUNT(programs);
}

static void add_buffers(struct job *j)
{
    const struct job_buffer buffers[] = {
        {.name = "A",
         .element = {SCALAR_FLOAT, 4, 0, false},
         .count = 64,
         .access = ACCESS_READ,
         .fill = {.kind = FILL_UNIFORM, .low = -1, .high = 1, .seed = 7},
         .constant = true},
        {.name = "B",
         .element = {SCALAR_I32, 1, 0, false},
         .count = 100,
         .fill = {.kind = FILL_GENERATOR, .expression = "i % size"},
         .keep = true},
        {.name = "C",
         .element = {SCALAR_DOUBLE, 1, 0, false},
         .count = 256,
         .access = ACCESS_WRITE,
         .output = true,
         .compare = {COMPARE_CLOSE, 1e-6, 1e-4, 16, 32}},
        {.name = "scratch",
         .element = {SCALAR_HALF, 3, 0, false},
         .count = 9,
         .access = ACCESS_BOTH,
         .fill = {.kind = FILL_CONSTANT, .value = 2.5, .integer = 2},
         .temporary = true},
        {.name = "particles",
         .element = {SCALAR_CUSTOM, 1, 12, false},
         .count = 2,
         .fill = {.kind = FILL_DATA, .blob = blob_of(custom_data, sizeof custom_data)}},
    };
    j->buffers = COPY(j, buffers);
    j->buffer_count = COUNT(buffers);
}

static void add_launches(struct job *j)
{
    const struct job_argument arguments[] = {
        {.name = "C", .kind = ARGUMENT_BUFFER, .buffer = 2},
        {.name = "alpha",
         .kind = ARGUMENT_SCALAR,
         .element = {SCALAR_FLOAT, 4, 0, false},
         .value = scalar_value,
         .length = sizeof scalar_value},
        {.name = "tile", .kind = ARGUMENT_LOCAL, .local_bytes = 1024},
    };
    const struct job_launch launches[] = {
        {"half one",
         "first",
         0,
         2,
         {64, 32, 1},
         {8, 4, 1},
         512,
         COPY(j, arguments),
         COUNT(arguments)},
        {.name = "second", .kernel = "second", .program = 1, .dimensions = 1, .global = {128}},
    };
    j->launches = COPY(j, launches);
    j->launch_count = COUNT(launches);
}

// The sample's reference: the same output from a plainer kernel.
static struct job *plain_job(struct arena *a)
{
    const struct job_program program = {.name = "plain.cl", .source = "plain", .length = 5};
    const struct job_buffer buffer = {
        .name = "C", .element = {SCALAR_DOUBLE, 1, 0, false}, .count = 256};
    const struct job_launch launch = {
        .name = "plain", .kernel = "plain", .dimensions = 1, .global = {256}};
    const struct job plain = {
        .programs = arena_copy(a, &program, sizeof program),
        .program_count = 1,
        .buffers = arena_copy(a, &buffer, sizeof buffer),
        .buffer_count = 1,
        .launches = arena_copy(a, &launch, sizeof launch),
        .launch_count = 1,
    };
    return arena_copy(a, &plain, sizeof plain);
}

struct job *sample_job(void)
{
    struct job *j = job_new();
    ck_assert_ptr_nonnull(j);
    const struct job_data data[] = {{4, blob_of(custom_data, sizeof custom_data)}};
    add_programs(j);
    add_buffers(j);
    add_launches(j);
    j->reference = (struct job_reference){
        .kind = REFERENCE_JOB,
        .agreement = true,
        .name = "plain.cl",
        .gemm = {.m = 8, .n = 4, .k = 2, .a = 0, .b = 1, .c = 2, .alpha = 1, .beta = 0.5},
        .job = plain_job(&j->arena),
        .data = COPY(j, data),
        .data_count = COUNT(data),
    };
    j->configuration = "block_size_x=8";
    return j;
}

struct job *sample_least_job(void)
{
    struct job *j = job_new();
    ck_assert_ptr_nonnull(j);
    const struct job_program program = {.name = "k.cl", .source = "void k", .length = 6};
    const struct job_launch launch = {
        .name = "k", .kernel = "k", .dimensions = 1, .global = {1}, .local = {1}};
    j->programs = arena_copy(&j->arena, &program, sizeof program);
    j->program_count = 1;
    j->launches = arena_copy(&j->arena, &launch, sizeof launch);
    j->launch_count = 1;
    return j;
}

struct job *sample_routine_job(void)
{
    struct job *j = job_new();
    ck_assert_ptr_nonnull(j);
    const struct element single = {SCALAR_FLOAT, 1, 0, false};
    const struct job_buffer buffers[] = {
        {.name = "A", .element = single, .count = 16, .access = ACCESS_READ},
        {.name = "B", .element = single, .count = 8, .access = ACCESS_READ},
        {.name = "C", .element = single, .count = 32, .access = ACCESS_WRITE, .output = true},
    };
    j->routine = ROUTINE_CBLAS;
    j->routine_library = "/opt/lib/libblas.so";
    j->buffers = COPY(j, buffers);
    j->buffer_count = COUNT(buffers);
    j->reference = (struct job_reference){
        .kind = REFERENCE_GEMM,
        .name = "gemm",
        .gemm = {.m = 8, .n = 4, .k = 2, .a = 0, .b = 1, .c = 2, .alpha = 1}};
    return j;
}

struct device_info sample_device(void)
{
    return (struct device_info){
        .language = LANGUAGE_OPENCL,
        .type = DEVICE_CPU,
        .id = "opencl:cpu:0",
        .name = "cpu",
        .vendor = "maker",
        .platform = "Portable",
        .platform_version = "1.0",
        .driver = "2.0",
        .compiler = "cc 3",
        .language_version = "OpenCL C 1.2",
        .extensions = "cl_khr_fp64",
        .uuid = "u-1",
        .pci = "0000:65:00.0",
        .surroundings = "cores 2",
        .compute_units = 1,
        .clock_mhz = 2,
        .global_bytes = 3,
        .max_alloc_bytes = 4,
        .local_bytes = 5,
        .constant_bytes = 6,
        .cache_bytes = 7,
        .all_cache_bytes = 107,
        .max_group_size = 8,
        .max_item_sizes = {9, 10, 11},
        .subgroup_size = 12,
        .capability = 13,
        .vector_float = 14,
        .base_align = 15,
        .timer_ns = 16,
        .float64 = true,
        .float16 = true,
        .shares_host = true,
    };
}

struct result *sample_result(void)
{
    struct result *r = result_new();
    ck_assert_ptr_nonnull(r);
    const uint64_t samples[] = {1200, 1100, 1150};
    const uint64_t parts[] = {700, 500, 650, 450, 640, 510};
    const struct resources resources[] = {{1, 2, 3, 4, 5, 6, 7, 8}, RESOURCES_UNKNOWN};
    const struct deviation deviations[] = {
        {"C", true, 1e-7, 1e-5, 3,    1.5,  1.25,         4, 5,  6, true, 256, 250, 2,
         9,   8,    true, 1.5,  0.25, true, "zeros pass", 0, "", ""}};
    r->samples_ns = COPY(r, samples);
    r->sample_count = COUNT(samples);
    r->parts_ns = COPY(r, parts);
    r->part_count = COUNT(parts);
    r->part_columns = 2;
    r->resources = COPY(r, resources);
    r->resource_count = COUNT(resources);
    r->deviations = COPY(r, deviations);
    r->deviation_count = COUNT(deviations);
    r->verification = VERIFICATION_REFERENCE;
    r->stop = STOP_SETTLED;
    r->warm = false;
    r->batch = 4;
    r->verify_launch_ns = 21;
    r->build_ns = 22;
    r->load_ns = 23;
    r->inputs_ns = 24;
    r->reference_ns = 25;
    r->verify_ns = 26;
    r->measure_ns = 27;
    r->log = "a warning\nof two lines";
    r->output = "hello";
    return r;
}

void job_bytes(struct job *j, struct text *out)
{
    struct wire w;
    wire_writer(&w, out);
    job_codec(&w, j);
    ck_assert(!w.failed);
}

void result_bytes(struct result *r, struct text *out)
{
    struct wire w;
    wire_writer(&w, out);
    result_codec(&w, r);
    ck_assert(!w.failed);
}
