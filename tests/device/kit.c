#include "kit.h"

#include "base/text.h"
#include "device/open_device.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Each test is a process of its own: a driver, and the compiler that it is linked with, are loaded and relocated once before
// them, which takes a tenth of a second of processor time each time. Nothing of it runs yet.
static void load_driver(void)
{
    const char *folder = getenv("OCL_ICD_VENDORS");
    struct text pattern = TEXT_INIT;
    glob_t files = {0};
    text_addf(&pattern, "%s/*.icd", folder ? folder : "");
    if (folder && glob(text_cstr(&pattern), 0, NULL, &files) == 0) {
        for (size_t i = 0; i < files.gl_pathc; i++) {
            char library[4096] = "";
            FILE *file = fopen(files.gl_pathv[i], "r");
            if (file && fscanf(file, "%4095s", library) == 1)
                dlopen(library, RTLD_LAZY | RTLD_LOCAL);
            if (file)
                fclose(file);
        }
    }
    globfree(&files);
    text_release(&pattern);
}

int kit_run(const char *name, void (*add)(TCase *tests))
{
    Suite *suite = suite_create(name);
    TCase *tests = tcase_create(name);
    tcase_set_timeout(tests, 120);
    load_driver();
    add(tests);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

bool kit_on_cuda(void)
{
    const char *wanted = getenv("HONE_TEST_DEVICE");
    return wanted && str_starts(wanted, "cuda/");
}

bool kit_on_c(void)
{
    const char *wanted = getenv("HONE_TEST_DEVICE");
    return wanted && str_starts(wanted, "c/");
}

static const char *choose(const struct device_report *list)
{
    const char *wanted = getenv("HONE_TEST_DEVICE");
    for (uint32_t i = 0; i < list->device_count; i++) {
        const struct device_info *d = &list->devices[i];
        bool fits = kit_on_cuda() ? d->language == LANGUAGE_CUDA // "NVIDIA CUDA/" is OpenCL's
                    : wanted      ? str_contains_nocase(d->id, wanted)
                                  : d->type == DEVICE_CPU;
        if (fits)
            return d->id;
    }
    return list->device_count && !wanted ? list->devices[0].id : "";
}

const char *kit_device_id(struct arena *a)
{
    struct device_report list;
    struct error e = ERROR_INIT;
    struct device_options o = {.languages = languages_unnamed()};
    if (kit_on_c())
        o.languages = 1u << LANGUAGE_C;
    return device_list(a, &o, &list, &e) ? choose(&list) : "";
}

// The device of all tests, which is looked for once.
static char chosen[512];

bool kit_has_device(void)
{
    int status = 1, ends[2] = {-1, -1};
    pid_t child = pipe(ends) == 0 ? fork() : -1;
    if (child == 0) {
        struct arena arena;
        arena_init(&arena);
        const char *id = kit_device_id(&arena);
        size_t length = strlen(id);
        _exit(length && length < sizeof chosen && write(ends[1], id, length) == (ssize_t)length
                  ? 0
                  : 1);
    }
    close(ends[1]);
    bool found = child > 0 && waitpid(child, &status, 0) == child && status == 0 &&
                 read(ends[0], chosen, sizeof chosen - 1) > 0;
    close(ends[0]);
    if (!found)
        puts(kit_on_cuda() ? "skipped: no CUDA device"
             : kit_on_c()  ? "skipped: no C compiler"
                           : "skipped: no OpenCL device (apt install pocl-opencl-icd)");
    return found;
}

void kit_open_as(struct kit *k, const struct device_options *options)
{
    struct error e = ERROR_INIT;
    struct device_options o = *options;
    *k = (struct kit){.scratch = "/tmp/hone-test-device-XXXXXX"};
    ck_assert(mkdtemp(k->scratch) != NULL);
    o.scratch = k->scratch;
    if (!o.toolkit)
        o.toolkit = getenv("CUDA_HOME");
    arena_init(&k->arena);
    k->device = device_open(*chosen ? chosen : kit_device_id(&k->arena), &o, &e);
    ck_assert_msg(k->device != NULL, "%s", e.text);
    if (getenv("HONE_TEST_AS_GPU"))
        kit_as_gpu(k);
}

void kit_as_gpu(struct kit *k)
{
    k->device->info.type = DEVICE_GPU;
    k->device->worth_bytes = 0;
}

void kit_open(struct kit *k, const char *cache)
{
    struct device_options o = {.cache = cache};
    kit_open_as(k, &o);
}

struct memory kit_memory(struct kit *k, const void *data, uint64_t bytes)
{
    struct device *d = k->device;
    struct memory m = {.bytes = bytes, .exact = true};
    struct error e = ERROR_INIT;
    ck_assert_msg(d->backend->memory_new(d->own, &m, ACCESS_BOTH, &e), "%s", e.text);
    ck_assert(!m.host);
    ck_assert_msg(memory_write(d, &m, data, &e), "%s", e.text);
    return m;
}

void kit_close(struct kit *k)
{
    device_close(k->device);
    folder_remove(k->scratch);
    arena_release(&k->arena);
}

// ---- jobs

#define BUFFERS_MOST 8
#define OPTIONS_MOST 8

// What the tests' kernels use of OpenCL C, in CUDA's words.
static const char cuda_words[] =
    "#define __kernel extern \"C\" __global__\n"
    "#define __global\n"
    "#define get_global_id(axis) (blockIdx.x * blockDim.x + threadIdx.x)\n"
    "#define get_global_size(axis) (gridDim.x * blockDim.x)\n"
    "#define get_local_id(axis) threadIdx.x\n"
    "#define get_local_size(axis) blockDim.x\n"
    "#define get_group_id(axis) blockIdx.x\n"
    "#define CLK_LOCAL_MEM_FENCE\n"
    "#define barrier(fence) __syncthreads()\n"
    "#define NAN __int_as_float(0x7fffffff)\n"
    "typedef unsigned int uint;\n"
    "typedef unsigned long ulong;\n"
    "#line 1\n";

void kit_source(struct job *j, const char *source)
{
    struct job_program *p = &j->programs[0];
    p->source = arena_printf(&j->arena, "%s%s", kit_on_cuda() ? cuda_words : "", source);
    ck_assert(p->source != NULL);
    p->length = strlen(p->source);
}

struct job *kit_job(const char *source)
{
    struct job *j = job_new();
    ck_assert(j != NULL);
    j->language = kit_on_cuda() ? LANGUAGE_CUDA : kit_on_c() ? LANGUAGE_C : LANGUAGE_OPENCL;
    j->programs = arena_array(&j->arena, 1, sizeof *j->programs);
    j->program_count = 1;
    j->programs[0].name = "test.cl";
    kit_source(j, source);
    j->programs[0].options = arena_array(&j->arena, OPTIONS_MOST, sizeof(char *));
    j->buffers = arena_array(&j->arena, BUFFERS_MOST, sizeof *j->buffers);
    j->launches = arena_array(&j->arena, BUFFERS_MOST, sizeof *j->launches);
    return j;
}

uint32_t kit_buffer(struct job *j, const char *name, uint64_t count, enum access access)
{
    struct job_buffer *b = &j->buffers[j->buffer_count];
    ck_assert_uint_lt(j->buffer_count, BUFFERS_MOST);
    *b = (struct job_buffer){.name = name, .element = {SCALAR_FLOAT, 1, 0}, .count = count};
    b->access = access;
    b->output = access != ACCESS_READ;
    return j->buffer_count++;
}

void kit_random(struct job *j, uint32_t buffer, uint64_t seed)
{
    j->buffers[buffer].fill =
        (struct job_fill){.kind = FILL_UNIFORM, .low = -0.5, .high = 0.5, .seed = seed};
}

void kit_constant(struct job *j, uint32_t buffer, double value)
{
    j->buffers[buffer].fill = (struct job_fill){.kind = FILL_CONSTANT, .value = value};
}

struct job_launch *kit_launch(struct job *j, const char *kernel, uint64_t global, uint64_t local)
{
    struct job_launch *l = &j->launches[j->launch_count++];
    *l = (struct job_launch){.name = kernel, .kernel = kernel, .dimensions = 1};
    l->global[0] = global, l->global[1] = l->global[2] = 1;
    if (local)
        l->local[0] = local, l->local[1] = l->local[2] = 1;
    l->arguments = arena_array(&j->arena, BUFFERS_MOST + 4, sizeof *l->arguments);
    for (uint32_t i = 0; i < j->buffer_count; i++)
        l->arguments[l->argument_count++] =
            (struct job_argument){.name = j->buffers[i].name, .kind = ARGUMENT_BUFFER, .buffer = i};
    return l;
}

void kit_option(struct job *j, const char *option)
{
    struct job_program *p = &j->programs[0];
    ck_assert_uint_lt(p->option_count, OPTIONS_MOST);
    p->options[p->option_count++] = option;
}

void kit_expect(struct job *j, uint32_t buffer, const float *values)
{
    struct job_data *data = arena_array(&j->arena, 1, sizeof *data);
    uint64_t bytes = j->buffers[buffer].count * sizeof *values;
    *data = (struct job_data){buffer, blob_of(arena_copy(&j->arena, values, bytes), bytes)};
    j->reference = (struct job_reference){.kind = REFERENCE_DATA, .name = "expected values"};
    j->reference.data = data;
    j->reference.data_count = 1;
    j->buffers[buffer].compare.kind = COMPARE_EXACT;
}

struct result *kit_verify(struct kit *k, const struct job *j)
{
    struct result *r = result_new();
    struct policy policy = {.launches = 1, .batch = 1};
    struct loaded *l = device_load(k->device, j, NULL, r);
    if (l)
        device_verify(k->device, l, &policy, r);
    device_unload(k->device, l);
    return r;
}

struct result *kit_verify_take(struct kit *k, struct job *j)
{
    struct result *r = kit_verify(k, j);
    job_free(j);
    return r;
}
