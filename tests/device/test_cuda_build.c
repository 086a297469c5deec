// Building CUDA kernels where there is no card: NVRTC makes cubins for an architecture that was
// asked for by name. Without NVRTC the program is skipped.
#include "kit.h"

#include "base/text.h"
#include "device/compare_pass.h"
#include "device/backends/cuda/cuda_code.h"
#include "device/backends/cuda/cuda_compiler.h"
#include "device/open_device.h"
#include "device/own_kernel.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define N 1024

struct builder {
    struct device *device;
    struct arena arena;
    char scratch[64], cache[64];
};

static struct builder b;

static struct device *open_arch(const char *id, struct error *e)
{
    struct device_options o = {.scratch = b.scratch, .cache = b.cache, .build_only = true};
    o.toolkit = getenv("CUDA_HOME");
    return device_open(id, &o, e);
}

static void set_up(void)
{
    struct error e = ERROR_INIT;
    b = (struct builder){.scratch = "/tmp/hone-test-cuda-XXXXXX",
                         .cache = "/tmp/hone-test-cubins-XXXXXX"};
    ck_assert(mkdtemp(b.scratch) && mkdtemp(b.cache));
    arena_init(&b.arena);
    b.device = open_arch("cuda/sm_90a", &e);
    ck_assert_msg(b.device != NULL, "%s", e.text);
}

static void tear_down(void)
{
    device_close(b.device);
    folder_remove(b.scratch);
    folder_remove(b.cache);
    arena_release(&b.arena);
}

// A job with one buffer and one launch of `kernel`.
static struct job *job_of(const char *source, const char *kernel)
{
    struct job *j = kit_job(source);
    j->language = LANGUAGE_CUDA;
    j->programs[0].name = "test.cu";
    kit_buffer(j, "out", N, ACCESS_WRITE);
    kit_launch(j, kernel, N, 64);
    return j;
}

static struct result *build(struct job *j, struct image *image)
{
    struct result *r = result_new();
    ck_assert(r != NULL);
    device_build(b.device, j, &b.arena, image, r);
    return r;
}

static struct result *build_text(const char *source, const char *kernel, struct image *image)
{
    struct job *j = job_of(source, kernel);
    struct result *r = build(j, image);
    job_free(j);
    return r;
}

// What the first program's part of an image holds; the count and the part's length stand before it.
static void read_part(const struct image *image, struct cuda_code *out)
{
    ck_assert_uint_gt(image->length, 12);
    ck_assert(cuda_code_read((const char *)image->bytes + 12, image->length - 12, out));
}

static const char plain[] = "extern \"C\" __global__ void k(float *out)\n"
                            "{\n"
                            "    __shared__ float t[64];\n"
                            "    t[threadIdx.x] = out[threadIdx.x];\n"
                            "    __syncthreads();\n"
                            "    out[threadIdx.x] = t[63 - threadIdx.x];\n"
                            "}\n";

// ---- what is built

START_TEST(a_device_that_only_builds_says_what_it_is)
{
    const struct device_info *d = device_describe(b.device);
    ck_assert_int_eq(d->language, LANGUAGE_CUDA);
    ck_assert_str_eq(d->id, "cuda/sm_90a");
    ck_assert_uint_eq(d->capability, 90);
    ck_assert_uint_eq(d->subgroup_size, 32);
    ck_assert_uint_eq(d->local_bytes, 227 * 1024);
    ck_assert(str_starts(d->compiler, "NVRTC "));
}
END_TEST

START_TEST(a_cubin_for_the_architecture_with_its_resources)
{
    struct image image;
    struct cuda_code code;
    struct result *r = build_text(plain, "k", &image);
    ck_status(r, STATUS_CORRECT);
    ck_assert_uint_eq(r->resource_count, 1);
    ck_assert_int_gt(r->resources[0].registers, 0);
    ck_assert_int_eq(r->resources[0].spill_bytes, 0);
    ck_assert_int_eq(r->resources[0].local_bytes, 256);
    ck_assert_int_gt(r->resources[0].groups_per_unit, 0);
    ck_assert_msg(strstr(r->log, "for 'sm_90a'") != NULL, "%s", r->log);
    ck_assert_msg(strstr(r->log, "Compile time") == NULL, "%s", r->log);
    read_part(&image, &code);
    ck_assert_int_eq(memcmp(code.code.data, "\177ELF", 4), 0);
    ck_assert_str_eq(cuda_code_name(&code, "k"), "k");
    cuda_code_release(&code);
    result_free(r);
}
END_TEST

static struct device *open_for(const struct device_info *target, struct error *e)
{
    struct device_options o = {.scratch = b.scratch, .build_only = true, .target = target};
    o.toolkit = getenv("CUDA_HOME");
    return device_open(target->id, &o, e);
}

// A card of another machine: its architecture and its limits count, and its compiler has to be this one.
START_TEST(images_for_a_card_of_another_machine)
{
    struct image here, there;
    struct error e = ERROR_INIT;
    struct device *here_alone = b.device;
    struct device_info card = *device_describe(here_alone);
    card.id = "cuda/A card elsewhere";
    card.name = "A card elsewhere";
    card.max_group_size = 512;
    result_free(build_text(plain, "k", &here));
    b.device = open_for(&card, &e);
    ck_assert_msg(b.device != NULL, "%s", e.text);
    ck_assert_str_eq(device_describe(b.device)->name, "A card elsewhere");
    struct result *r = build_text(plain, "k", &there);
    ck_status(r, STATUS_CORRECT);
    ck_assert(digest_equal(&there.digest, &here.digest));
    result_free(r);
    struct job *j = job_of(plain, "k");
    j->launches[0].local[0] = 1024;
    r = build(j, &there);
    ck_status(r, STATUS_CONSTRAINTS);
    ck_assert_msg(strstr(r->message, "= 1024 exceeds the device's 512"), "%s", r->message);
    result_free(r);
    job_free(j);
    device_close(b.device);

    card.compiler = "NVRTC 1.0";
    ck_assert_ptr_null(b.device = open_for(&card, &e));
    ck_assert_msg(strstr(e.text, ", and there it is NVRTC 1.0"), "%s", e.text);
    struct device_options runs = {.scratch = b.scratch, .target = &card};
    error_clear(&e);
    ck_assert_ptr_null(device_open(card.id, &runs, &e));
    ck_assert_msg(strstr(e.text, "can be built for alone"), "%s", e.text);
    b.device = here_alone;
}
END_TEST

START_TEST(templates_and_mangled_names_are_kept_in_the_image)
{
    struct image image;
    struct cuda_code code;
    struct job *j = job_of("template <int n, typename T> __global__ void fill(T *out)\n"
                           "{ out[threadIdx.x] = n; }\n"
                           "namespace deep { __global__ void scale(float *out)\n"
                           "{ out[threadIdx.x] *= 2; } }\n",
                           "fill<16, float>");
    kit_launch(j, "deep::scale", N, 64);
    kit_launch(j, "fill<16, float>", N, 32);
    struct result *r = build(j, &image);
    ck_status(r, STATUS_CORRECT);
    ck_assert_uint_eq(r->resource_count, 3);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_int_gt(r->resources[i].registers, 0);
    read_part(&image, &code);
    ck_assert_str_eq(cuda_code_name(&code, "fill<16, float>"), "_Z4fillILi16EfEvPT0_");
    ck_assert_str_eq(cuda_code_name(&code, "deep::scale"), "_ZN4deep5scaleEPf");
    ck_assert(memmem(code.code.data, code.code.length, "_Z4fillILi16EfEvPT0_", 20) != NULL);
    cuda_code_release(&code);
    result_free(r);
    job_free(j);
}
END_TEST

START_TEST(macro_values_with_blanks_and_quotes_arrive_whole)
{
    struct image image;
    struct job *j = job_of("#define TEXT(x) #x\n"
                           "static_assert(sizeof(T) == 4, \"a type of two words\");\n"
                           "static_assert(sizeof(NAME) == 5, \"four characters and a NUL\");\n"
                           "static_assert(PLAIN == 20 && ONE == 1 && TWICE(3) == 6, \"numbers\");\n"
                           "static_assert(__LINE__ == 5, \"the user's lines\");\n"
                           "extern \"C\" __global__ void k(T *out) { out[0] = PLAIN; }\n",
                           "k");
    kit_option(j, "-DT=unsigned int");
    kit_option(j, "-DNAME=\"a \\\"b\"");
    kit_option(j, "-DPLAIN=20");
    kit_option(j, "-DONE");
    kit_option(j, "-DTWICE(x)=2 * x");
    struct result *r = build(j, &image);
    ck_status(r, STATUS_CORRECT);
    result_free(r);
    job_free(j);
}
END_TEST

START_TEST(included_files_are_found_and_count)
{
    struct image images[2];
    struct job *j =
        job_of("#include \"sub/part.h\"\n"
               "#include \"other.h\"\n"
               "extern \"C\" __global__ void k(float *out) { out[0] = PART + OTHER; }\n",
               "k");
    struct job_file files[] = {{"sub/part.h", "#define PART 3\n", 15},
                               {"include/other.h", "#define OTHER 4\n", 16}};
    const char *folders[] = {"", "include"};
    j->programs[0].files = files;
    j->programs[0].file_count = 2;
    j->programs[0].folders = folders;
    j->programs[0].folder_count = 2;
    struct result *r = build(j, &images[0]);
    ck_status(r, STATUS_CORRECT);
    result_free(r);
    files[1].text = "#define OTHER 5\n"; // the cache must see it
    r = build(j, &images[1]);
    ck_status(r, STATUS_CORRECT);
    ck_assert(!digest_equal(&images[0].digest, &images[1].digest));
    result_free(r);
    job_free(j);
}
END_TEST

START_TEST(the_toolkits_headers_are_there)
{
    struct image image;
    struct result *r = build_text("#include <cuda_fp16.h>\n"
                                  "#include <mma.h>\n"
                                  "#include <cuda_pipeline.h>\n"
                                  "#include <cuda/barrier>\n"
                                  "extern \"C\" __global__ void k(float *out)\n"
                                  "{ out[0] = __half2float(__float2half(out[1])); }\n",
                                  "k", &image);
    // NVRTC alone, as its wheel has it, comes without them.
    if (strstr(r->log, "could not open source file \"cuda_fp16.h\""))
        printf("skipped: no headers of a CUDA toolkit beside NVRTC\n");
    else
        ck_status(r, STATUS_CORRECT);
    result_free(r);
}
END_TEST

START_TEST(images_of_equal_code_are_equal)
{
    struct image images[3];
    static const char *const options[3] = {"-DUNUSED=1", "-DUNUSED=2", "-DUSED"};
    for (int i = 0; i < 3; i++) {
        struct job *j = job_of("extern \"C\" __global__ void k(float *out)\n"
                               "{\n"
                               "#ifdef USED\n"
                               "    out[1] = 1;\n"
                               "#endif\n"
                               "    out[0] = 1;\n"
                               "}\n",
                               "k");
        kit_option(j, options[i]);
        struct result *r = build(j, &images[i]);
        ck_status(r, STATUS_CORRECT);
        result_free(r);
        job_free(j);
    }
    ck_assert(digest_equal(&images[0].digest, &images[1].digest));
    ck_assert(!digest_equal(&images[0].digest, &images[2].digest));
}
END_TEST

START_TEST(ptx_is_made_when_it_is_asked_for)
{
    struct error e = ERROR_INIT;
    struct text ptx = TEXT_INIT, cubin = TEXT_INIT;
    struct job *j = job_of(plain, "k");
    struct result *r = result_new();
    struct loaded *l = device_load(b.device, j, NULL, r);
    ck_assert_msg(l != NULL, "%s", r->message);
    ck_assert_msg(device_ptx(b.device, l, 0, &ptx, &e), "%s", e.text);
    ck_assert_msg(strstr(ptx.data, ".target sm_90a") && strstr(ptx.data, ".entry k("), "%s",
                  ptx.data);
    ck_assert_uint_eq(strlen(ptx.data), ptx.length);
    ck_assert_msg(device_binary(b.device, l, 0, &cubin, &e), "%s", e.text);
    ck_assert_int_eq(memcmp(cubin.data, "\177ELF", 4), 0);
    text_release(&ptx);
    text_release(&cubin);
    device_unload(b.device, l);
    result_free(r);
    job_free(j);
}
END_TEST

// Inputs that the card makes: built beside what else is asked for.
START_TEST(the_kernel_of_inputs_builds)
{
    const struct job_buffer x = {.element = {.scalar = SCALAR_FLOAT, .width = 1},
                                 .count = 1000000,
                                 .fill = {.kind = FILL_UNIFORM, .low = -0.5, .high = 0.5}};
    own_kernels_collect(b.device);
    ck_assert(!fill_offered(b.device, &x));
    own_kernels_start(b.device);
    while (!fill_offered(b.device, &x)) // as long as the test may take
        usleep(1000);
}
END_TEST

// What verification runs on a card is CUDA too, in all its kinds.
START_TEST(kernels_of_hones_own_build)
{
    static const enum scalar scalars[] = {SCALAR_BOOL,     SCALAR_I8,   SCALAR_U8,    SCALAR_I16,
                                          SCALAR_U16,      SCALAR_I32,  SCALAR_U32,   SCALAR_I64,
                                          SCALAR_U64,      SCALAR_HALF, SCALAR_FLOAT, SCALAR_DOUBLE,
                                          SCALAR_BFLOAT16, SCALAR_E4M3, SCALAR_E5M2};
    ck_assert(checksum_offered(b.device));
    for (size_t i = 0; i < 2 * sizeof scalars / sizeof *scalars; i++) {
        struct job_buffer buffer = {.name = "c", .count = 64, .element.scalar = scalars[i / 2]};
        buffer.element.width = i % 5 ? 1 : 3;
        buffer.compare.kind = (enum compare_kind)(i % COMPARE_COUNT);
        bool on_host = buffer.compare.kind == COMPARE_SET || // what is sorted, or exact in 128 bits
                       compare_sums_integers(&buffer, i % 2);
        ck_assert_msg(on_host == !compare_kernel(b.device, &buffer, i % 2),
                      "of type %d compared as %d", (int)scalars[i / 2], (int)buffer.compare.kind);
    }
    for (enum scalar s = SCALAR_HALF; s < SCALAR_COUNT; s++) {
        if (!scalar_is_float(s))
            continue;
        struct job *j = job_of(plain, "k");
        kit_random(j, 0, 1);
        j->buffers[0].access = ACCESS_READ;
        j->buffers[0].element.scalar = s;
        j->reference.gemm = (struct job_gemm){.m = 32, .n = 32, .k = 32, .alpha = 1};
        ck_assert(gemm_offered(b.device, j));
        job_free(j);
    }
}
END_TEST

// ---- what is not

static const struct {
    const char *source, *kernel, *option;
    enum status status;
    enum fault fault;
    const char *says;
} faults[] = {
    {"extern \"C\" __global__ void k(float *out)\n{\n    out[0] = nothing;\n}\n", "k", NULL,
     STATUS_COMPILE, FAULT_CONFIGURATION,
     "test.cu does not build: test.cu(3): error: identifier \"nothing\" is undefined"},
    {"#line 40 \"part.cuh\"\n__global__ void k(float *out) { out[0] = 1 }\n", "k", NULL,
     STATUS_COMPILE, FAULT_CONFIGURATION, "part.cuh(40): error"},
    {"#include \"bad.h\"\n__global__ void k(float *out) { out[0] = bad; }\n", "k", NULL,
     STATUS_COMPILE, FAULT_CONFIGURATION, "does not build: lib/bad.h(2): error"},
    {"extern \"C\" __global__ void k(float *out) { }\n"
     "template <int n> __global__ void __launch_bounds__(64) other(float *out) { }\n",
     "missing", NULL, STATUS_COMPILE, FAULT_SPEC,
     "kernel 'missing' is not in the program; it has: k, other"},
    {"__global__ void k(float *out) { }\n__global__ void k(int *out) { }\n", "k", NULL,
     STATUS_COMPILE, FAULT_CONFIGURATION, "overloaded function \"k\""},
    {"extern \"C\" __global__ void k(float *out) { }\n", "k", "-O3", STATUS_COMPILE, FAULT_SPEC,
     "unrecognized option -O3"},
    {"extern \"C\" __global__ void k(float *out) { asm(\"bogus;\"); }\n", "k", NULL, STATUS_COMPILE,
     FAULT_CONFIGURATION, "bogus"},
    {"extern \"C\" __global__ void k(float *out)\n"
     "{ __shared__ float t[70000]; t[threadIdx.x] = out[0]; __syncthreads(); out[1] = t[7]; }\n",
     "k", NULL, STATUS_CONSTRAINTS, FAULT_CONFIGURATION, "shared"},
};

START_TEST(failures_name_the_users_files)
{
    struct image image;
    struct job_file file = {"lib/bad.h", "#define FINE\n__device__ int bad bad;\n", 37};
    const char *folder = "lib";
    struct job *j = job_of(faults[_i].source, faults[_i].kernel);
    j->programs[0].files = &file;
    j->programs[0].file_count = 1;
    j->programs[0].folders = &folder;
    j->programs[0].folder_count = 1;
    if (faults[_i].option)
        kit_option(j, faults[_i].option);
    struct result *r = build(j, &image);
    ck_status(r, faults[_i].status);
    ck_assert_int_eq(r->fault, faults[_i].fault);
    ck_says(r, faults[_i].says);
    ck_assert_msg(strstr(r->log, b.scratch) == NULL, "%s", r->log);
    result_free(r);
    job_free(j);
}
END_TEST

// What the table of architectures knows is refused without a card as with one.
START_TEST(launches_beyond_the_architecture_are_refused)
{
    static const struct {
        uint64_t global[3], local[3], dynamic;
        const char *says;
    } launches[] = {
        {{2048, 1, 1}, {2048, 1, 1}, 0, "2048"},
        {{1000, 1, 1}, {64, 1, 1}, 0, "not a multiple"},
        {{64, 1, 128}, {1, 1, 128}, 0, "128 along axis 2 exceeds the device's 64"},
        {{64, 70000, 1}, {64, 1, 1}, 0, "70000 blocks along axis 1 exceed the device's 65535"},
        {{64, 1, 1}, {64, 1, 1}, 228 * 1024, "bytes of local memory exceed the device's 232448"},
        {{64, 1, 1}, {0, 0, 0}, 0, "no work-group size"},
    };
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        struct image image;
        struct job *j = job_of(plain, "k");
        struct job_launch *l = &j->launches[0];
        l->dimensions = 3;
        memcpy(l->global, launches[i].global, sizeof l->global);
        memcpy(l->local, launches[i].local, sizeof l->local);
        l->dynamic_local_bytes = launches[i].dynamic;
        struct result *r = build(j, &image);
        ck_status(r, STATUS_CONSTRAINTS);
        ck_says(r, launches[i].says);
        result_free(r);
        job_free(j);
    }
}
END_TEST

START_TEST(other_ids_are_refused_with_a_reason)
{
    static const struct {
        const char *id, *says;
    } ids[] = {
        {"cuda/sm_50", "does not build for sm_50, but for sm_"},
        {"cuda/sm_9000", "names no architecture"},
        {"metal/M1", "an id begins with opencl/ or cuda/"},
    };
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        struct error e = ERROR_INIT;
        struct device *d = open_arch(ids[i].id, &e);
        if (i == 0 && d) { // an NVRTC of CUDA 12 or older
            device_close(d);
            continue;
        }
        ck_assert_ptr_null(d);
        ck_assert_msg(strstr(e.text, ids[i].says) != NULL, "%s", e.text);
    }
}
END_TEST

START_TEST(an_architecture_runs_nothing)
{
    struct error e = ERROR_INIT;
    struct device_options o = {.scratch = b.scratch};
    ck_assert_ptr_null(device_open("cuda/sm_90", &o, &e));
    ck_assert_msg(strstr(e.text, "there is no card to run them"), "%s", e.text);
}
END_TEST

START_TEST(a_device_that_only_builds_runs_nothing)
{
    struct policy policy = {.launches = 1, .batch = 1};
    struct job *j = job_of(plain, "k");
    struct result *r = result_new();
    struct loaded *l = device_load(b.device, j, NULL, r);
    ck_assert_msg(l != NULL, "%s", r->message);
    ck_assert(!device_verify(b.device, l, &policy, r));
    ck_says(r, "opened to build");
    device_unload(b.device, l);
    result_free(r);
    job_free(j);
}
END_TEST

// ---- the cache

static unsigned cached(char *path, size_t size)
{
    unsigned count = 0;
    DIR *d = opendir(b.cache);
    const struct dirent *entry;
    ck_assert(d != NULL);
    while ((entry = readdir(d))) {
        if (!str_starts(entry->d_name, "cubin-"))
            continue;
        snprintf(path, size, "%s/%s", b.cache, entry->d_name);
        count++;
    }
    closedir(d);
    return count;
}

// The second build is answered by what the first one left: the file is marked to show it.
START_TEST(a_cubin_is_kept_and_found_again)
{
    struct image first, second;
    struct cuda_code code;
    struct text bytes = TEXT_INIT;
    char path[512];
    result_free(build_text(plain, "k", &first));
    ck_assert_uint_eq(cached(path, sizeof path), 1);
    read_part(&first, &code);
    text_add(&code.log, "kept\n");
    ck_assert(cuda_code_write(&code, &bytes, NULL));
    cuda_code_release(&code);
    FILE *f = fopen(path, "wb");
    ck_assert(f && fwrite(bytes.data, 1, bytes.length, f) == bytes.length && fclose(f) == 0);
    text_release(&bytes);
    struct result *r = build_text(plain, "k", &second);
    ck_status(r, STATUS_CORRECT);
    ck_assert_msg(strstr(r->log, "kept\n") != NULL, "%s", r->log);
    ck_assert_int_gt(r->resources[0].registers, 0);
    ck_assert_uint_eq(cached(path, sizeof path), 1);
    result_free(r);
}
END_TEST

START_TEST(damaged_files_are_as_good_as_none)
{
    struct image image;
    struct text bytes = TEXT_INIT;
    char path[512];
    result_free(build_text(plain, "k", &image));
    ck_assert_uint_eq(cached(path, sizeof path), 1);
    ck_assert(file_read(path, 0, &bytes, NULL));
    const size_t lengths[] = {0, 5, 40, bytes.length / 2, bytes.length - 1, bytes.length};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct cuda_code code;
        bytes.data[bytes.length - 100] ^= lengths[i] == bytes.length; // the whole, one bit changed
        ck_assert(!cuda_code_read(bytes.data, lengths[i], &code));
        FILE *f = fopen(path, "wb");
        ck_assert(f && fwrite(bytes.data, 1, lengths[i], f) == lengths[i] && fclose(f) == 0);
        struct result *r = build_text(plain, "k", &image);
        ck_status(r, STATUS_CORRECT);
        ck_assert(cuda_cache_find(NULL, &image.digest, &code) == false);
        result_free(r);
    }
    text_release(&bytes);
}
END_TEST

// Each changes what the compiler is told, so each is kept apart.
START_TEST(the_cache_tells_requests_apart)
{
    struct image image;
    struct error e = ERROR_INIT;
    char path[512];
    static const char two[] = "extern \"C\" __global__ void k(float *out) { out[0] = 1; }\n"
                              "extern \"C\" __global__ void l(float *out) { out[0] = 2; }\n";
    result_free(build_text(two, "k", &image));
    result_free(build_text(two, "l", &image)); // another kernel wanted
    ck_assert_uint_eq(cached(path, sizeof path), 2);
    struct job *j = job_of(two, "k");
    kit_option(j, "-DX=1"); // another option
    result_free(build(j, &image));
    ck_assert_uint_eq(cached(path, sizeof path), 3);
    job_free(j);
    device_close(b.device);
    b.device = open_arch("cuda/sm_80", &e); // another architecture
    ck_assert_msg(b.device != NULL, "%s", e.text);
    result_free(build_text(two, "k", &image));
    ck_assert_uint_eq(cached(path, sizeof path), 4);
}
END_TEST

// A failed build leaves nothing behind.
START_TEST(failures_are_not_kept)
{
    struct image image;
    char path[512];
    struct result *r = build_text("this is not a kernel", "k", &image);
    ck_status(r, STATUS_COMPILE);
    ck_assert_uint_eq(cached(path, sizeof path), 0);
    result_free(r);
}
END_TEST

// ---- targets

START_TEST(targets_of_cards)
{
    static const struct {
        int major;
        uint32_t capability;
        const char *target; // NULL: there is none
    } cards[] = {
        {13, 90, "sm_90a"},  {13, 86, "sm_86"}, {13, 120, "sm_120a"}, {12, 90, "sm_90a"},
        {11, 90, "sm_90"},   {12, 92, "sm_90"}, {13, 85, "sm_80"},    {13, 70, NULL},
        {13, 105, "sm_100"}, {13, 130, NULL},
    };
    struct cuda_compiler c = {.archs = {75, 80, 86, 89, 90, 100, 120}, .arch_count = 7};
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) {
        struct error e = ERROR_INIT;
        char target[16];
        c.major = cards[i].major;
        bool ok = cuda_compiler_target(&c, cards[i].capability, target, &e);
        ck_assert_int_eq(ok, cards[i].target != NULL);
        if (ok)
            ck_assert_str_eq(target, cards[i].target);
        else
            ck_assert_msg(strstr(e.text, "but for sm_75, sm_80"), "%s", e.text);
    }
}
END_TEST

// ---- the suite

// ---- files for nvcc

static const char for_nvcc[] =
    "#include <vector>\n"
    "#include <cuda_profiler_api.h>\n"
    "#include \"helper_nowhere.h\"\n"
    "using lost::list;\n"
    "texture<float> t;\n"
    "struct stay { float v; list more; };\n"
    "struct used { float v; };\n"
    "__global__ void other(float *p) { p[0] = tex1Dfetch(t, 0); }\n"
    "__device__ float half_of(used u) { return u.v / 2; }\n"
    "__global__ void k(float *p) { used u = {p[0]}; p[0] = half_of(u); }\n"
    "int main() { std::vector<float> v; k<<<1, 64>>>(v.data()); }\n";

START_TEST(what_nvrtc_refuses_is_left_out)
{
    struct image image;
    struct result *r = build_text(for_nvcc, "k", &image);
    ck_assert_msg(r->status == STATUS_CORRECT, "%s\n%s", r->message, r->log);
    ck_assert_msg(strstr(r->log, "the host's code from line") != NULL, "%s", r->log);
    ck_assert_msg(strstr(r->log, "helper_nowhere.h") != NULL, "%s", r->log);
    result_free(r);
}
END_TEST

// The kernel that is asked for needs it: the message has its own line, the log what went before.
START_TEST(what_the_kernel_needs_is_told)
{
    struct image image;
    struct result *r = build_text(for_nvcc, "other", &image);
    ck_status(r, STATUS_COMPILE);
    ck_assert_msg(strstr(r->message, "(8): error") || strstr(r->message, "(5): error"), "%s",
                  r->message);
    result_free(r);
}
END_TEST

// What a library's header brings is there without it, but for what the text has of its own; a header that only the host
// can read is taken as empty. Lines are those of the text.
START_TEST(types_of_libraries_are_there)
{
    static const char text[] = "#include <cuda.h>\n"
                               "#include <cublas_v2.h>\n"
                               "#include <cufft.h>\n"
                               "__global__ void k(cufftComplex *p) { p[0].x = p[0].y; }\n";
    static const char hosts[] = "int main() { k<<<1, 64>>>(0); }\n";
    char both[sizeof text + sizeof hosts];
    struct image image;
    struct result *r = build_text(text, "k", &image);
    ck_assert_msg(r->status == STATUS_CORRECT, "%s\n%s", r->message, r->log);
    result_free(r);
    str_format(both, sizeof both, "%s%s", text, hosts);
    r = build_text(both, "k", &image);
    ck_assert_msg(r->status == STATUS_CORRECT, "%s\n%s", r->message, r->log);
    result_free(r);
    static const char *const own[] = {
        "struct cuComplex { float r, i; };\n"
        "__global__ void k(cuComplex *p, half *h) { p[0].r = p[0].i + __half2float(h[0]); }\n",
        "typedef struct { float r, i; } cuComplex;\nstruct cufftReal { double v; };\n"
        "__global__ void k(cuComplex *p, cufftReal *q, cufftComplex *c) { p->r = q->v + c->x; }\n",
        "#define cuComplex float4\n#define half float\n"
        "__global__ void k(cuComplex *p, half *h) { p[0].w = h[0]; }\n",
        "using half = float;\ntemplate <typename T> struct cuComplex { T r, i; };\n"
        "__global__ void k(cuComplex<half> *p) { p[0].r = p[0].i; }\n"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        char whole[512];
        str_format(whole, sizeof whole, "#include <cuda.h>\n%s", own[i]);
        r = build_text(whole, "k", &image);
        ck_assert_msg(r->status == STATUS_CORRECT, "%s%s\n%s", whole, r->message, r->log);
        result_free(r);
    }
    r = build_text("#include <cuda.h>\n#include <cufft.h>\n\n"
                   "__global__ void k(half *h, cufftComplex *c) { h[0] = nothing; }\n",
                   "k", &image);
    ck_assert_msg(strstr(r->log, "(4): error"), "%s\n%s", r->message, r->log);
    result_free(r);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_device_that_only_builds_says_what_it_is);
    tcase_add_test(tests, a_cubin_for_the_architecture_with_its_resources);
    tcase_add_test(tests, images_for_a_card_of_another_machine);
    tcase_add_test(tests, templates_and_mangled_names_are_kept_in_the_image);
    tcase_add_test(tests, macro_values_with_blanks_and_quotes_arrive_whole);
    tcase_add_test(tests, included_files_are_found_and_count);
    tcase_add_test(tests, the_toolkits_headers_are_there);
    tcase_add_test(tests, images_of_equal_code_are_equal);
    tcase_add_test(tests, ptx_is_made_when_it_is_asked_for);
    tcase_add_test(tests, kernels_of_hones_own_build);
    tcase_add_test(tests, the_kernel_of_inputs_builds);
    tcase_add_loop_test(tests, failures_name_the_users_files, 0,
                        (int)(sizeof faults / sizeof *faults));
    tcase_add_test(tests, launches_beyond_the_architecture_are_refused);
    tcase_add_test(tests, other_ids_are_refused_with_a_reason);
    tcase_add_test(tests, an_architecture_runs_nothing);
    tcase_add_test(tests, a_device_that_only_builds_runs_nothing);
    tcase_add_test(tests, a_cubin_is_kept_and_found_again);
    tcase_add_test(tests, damaged_files_are_as_good_as_none);
    tcase_add_test(tests, the_cache_tells_requests_apart);
    tcase_add_test(tests, failures_are_not_kept);
    tcase_add_test(tests, targets_of_cards);
    tcase_add_test(tests, what_nvrtc_refuses_is_left_out);
    tcase_add_test(tests, what_the_kernel_needs_is_told);
    tcase_add_test(tests, types_of_libraries_are_there);
}

int main(void)
{
    struct cuda_compiler c;
    struct error e = ERROR_INIT;
    bool found = cuda_compiler_open(&c, getenv("CUDA_HOME"), &e);
    cuda_compiler_close(&c);
    if (found)
        return kit_run("cuda_build", add_tests);
    printf("skipped: %s\n", e.text);
    return KIT_SKIPPED;
}
