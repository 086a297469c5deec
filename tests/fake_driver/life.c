#include "life.h"

#include "kit.h"

#include "os/process.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N LIFE_COUNT

static void hear(struct life *life, const char *said)
{
    size_t length = strlen(life->said);
    snprintf(life->said + length, sizeof life->said - length, "%s\n", said);
}

static const char *const sources[LANGUAGE_COUNT] = {
    [LANGUAGE_OPENCL] = ".target sm_90\n"
                        "// hone-splice: spliced %r1;\n"
                        "__kernel void add(read_only image2d_t a, __global float *b,\n"
                        "                  write_only image2d_t c, int n) { /* fake:add */ }\n",
    [LANGUAGE_CUDA] =
        "__constant__ float unused[64];\n"
        "extern \"C\" __global__ void add(cudaTextureObject_t a, float *b,\n"
        "                               cudaSurfaceObject_t c, int n) { /* fake:add */ }\n",
};

// CUDA's constants are copied into a symbol of the module before each launch.
static void add_symbol(struct job *j)
{
    uint32_t index = kit_buffer(j, "unused", 64, ACCESS_READ);
    j->buffers[index].constant = true;
    kit_constant(j, index, 1);
}

// c = a + b, two of them images; and with a read-write argument, so that there is something to restore.
struct job *life_job(enum language language)
{
    struct job *j = kit_job(sources[language]);
    float expected[N];
    int32_t *n = arena_alloc(&j->arena, sizeof *n);
    kit_buffer(j, "a", N, ACCESS_READ);
    kit_buffer(j, "b", N, ACCESS_BOTH);
    kit_buffer(j, "c", N, ACCESS_WRITE);
    for (uint32_t i = 0; i < 3; i += 2)
        j->buffers[i].image = (struct job_image){.dimensions = 2, .size = {N, 1, 1}};
    kit_constant(j, 0, 1.5);
    kit_constant(j, 1, 2);
    struct job_launch *l = kit_launch(j, "add", N, 64);
    *n = N;
    struct job_argument scalar = {.kind = ARGUMENT_SCALAR, .name = "n", .value = n, .length = 4};
    scalar.element = (struct element){SCALAR_I32, 1, 0, false};
    struct job_argument *all = arena_array(&j->arena, l->argument_count + 1, sizeof *all);
    memcpy(all, l->arguments, l->argument_count * sizeof *all);
    all[l->argument_count++] = scalar;
    l->arguments = all;
    for (int i = 0; i < N; i++)
        expected[i] = 3.5F;
    kit_expect(j, 2, expected);
    j->language = language;
    if (language == LANGUAGE_CUDA)
        add_symbol(j);
    return j;
}

static bool is_right(struct device *d, struct loaded *l, struct life *life)
{
    struct text out = TEXT_INIT;
    struct error e = ERROR_INIT;
    float value = 0;
    bool ok = device_output(d, l, 2, &out, &e);
    life->unread = !ok;
    if (!ok)
        hear(life, e.text);
    for (size_t i = 0; ok && i < N; i++) {
        memcpy(&value, out.data + i * sizeof value, sizeof value);
        ok = value == 3.5F;
    }
    text_release(&out);
    return ok;
}

static void run_loaded(struct device *d, const struct job *j, const struct image *image,
                       struct life *life)
{
    struct policy policy = {.launches = 2, .batch = 2, .warmups = 1, .check = POLICY_CHECK_EACH};
    struct result *r = result_new(), *measured = result_new();
    struct text binary = TEXT_INIT;
    struct error e = ERROR_INIT;
    struct loaded *l = device_load(d, j, image, r);
    life->correct = l && device_verify(d, l, &policy, r) && device_measure(d, l, &policy, measured);
    ck_assert(life->correct == (r->status == STATUS_CORRECT && l &&
                                measured->status == STATUS_CORRECT && measured->sample_count == 2));
    hear(life, r->message);
    hear(life, measured->message);
    hear(life, measured->timer_fault);
    if (l && !device_binary(d, l, 0, &binary, &e))
        hear(life, e.text);
    life->right = life->correct && is_right(d, l, life);
    device_unload(d, l);
    text_release(&binary);
    result_free(measured);
    result_free(r);
}

static void build_and_run(struct device *d, struct job *j, struct arena *a, struct life *life)
{
    struct result *built = result_new(), *prepared = result_new();
    struct image image = {.primed = false};
    bool ok = device_build(d, j, a, &image, built) && device_prepare(d, j, prepared);
    hear(life, built->message);
    hear(life, prepared->message);
    if (ok)
        run_loaded(d, j, &image, life);
    result_free(prepared);
    result_free(built);
}

// The first of the language: on a machine with others the list has more.
static const struct device_info *find(const struct device_report *list, enum language language)
{
    for (uint32_t i = 0; i < list->device_count; i++) {
        if (list->devices[i].language == language)
            return &list->devices[i];
    }
    return NULL;
}

static void live(struct life *life, struct job *j)
{
    struct arena arena;
    struct device_report list = {.problem = ""};
    struct error e = ERROR_INIT;
    char scratch[] = "/tmp/hone-test-fake-XXXXXX";
    ck_assert(mkdtemp(scratch) != NULL);
    struct device_options options = {
        .scratch = scratch, .root = scratch, .languages = languages_unnamed()};
    struct device *d = NULL;
    *life = (struct life){.said = ""};
    arena_init(&arena);
    ck_assert(device_list(&arena, &options, &list, &e));
    hear(life, list.problem);
    for (uint32_t i = 0; i < list.note_count; i++)
        hear(life, list.notes[i].reason);
    const struct device_info *info = find(&list, j->language);
    if (info)
        d = device_open(info->id, &options, &e);
    if (d)
        build_and_run(d, j, &arena, life);
    else
        hear(life, e.text);
    device_close(d);
    arena_release(&arena);
    folder_remove(scratch);
    job_free(j);
}

void life_live(struct life *life, enum language language)
{
    live(life, life_job(language));
}

void life_live_retargeted(struct life *life, const char *target)
{
    struct job *j = life_job(LANGUAGE_OPENCL);
    j->programs[0].retarget = target;
    live(life, j);
}

void life_order(const char *variable, const char *format, ...)
{
    char name[64], value[128];
    va_list args;
    va_start(args, format);
    vsnprintf(value, sizeof value, format, args);
    va_end(args);
    snprintf(name, sizeof name, FAKE_PREFIX "%s", variable);
    ck_assert_int_eq(setenv(name, value, 1), 0);
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

uint64_t life_short_launch_ns(const char *device, enum language language)
{
    const struct policy policy = {.launches = 9, .batch = 8, .fixed = true};
    char scratch[] = "/tmp/hone-test-fake-XXXXXX";
    struct device_options options = {.scratch = scratch, .root = scratch};
    struct error e = ERROR_INIT;
    struct result *r = result_new();
    struct job *j = life_job(language);
    j->buffers[1].access = ACCESS_READ;
    j->buffers[1].output = false;
    kit_option(j, "-DFAKE_NS=5000");
    ck_assert(mkdtemp(scratch) != NULL);
    struct device *d = device_open(device, &options, &e);
    ck_assert_msg(d != NULL, "%s", e.text);
    struct loaded *l = device_load(d, j, NULL, r);
    ck_assert_msg(l && device_verify(d, l, &policy, r), "%s", r->message);
    life_order("ENQUEUE_NS", "40000");
    ck_assert_msg(device_measure(d, l, &policy, r), "%s", r->message);
    qsort(r->samples_ns, r->sample_count, sizeof *r->samples_ns, by_size);
    uint64_t median = r->samples_ns[r->sample_count / 2];
    device_unload(d, l);
    device_close(d);
    job_free(j);
    result_free(r);
    folder_remove(scratch);
    return median;
}
