// Every shape of every limit, for a CPU and for a GPU, whatever the device is: built, launched and
// verified with few rounds and small buffers.
//
//   check_shapes              on the OpenCL CPU device, else on the first
//   check_shapes NAME [N]     on the one with this in its name; every Nth shape
//   check_shapes cuda/sm_90a  built only, by NVRTC
//
// Exit status 77: there is no such device.
#include "workflows/peak/peak_kernels.h"

#include "base/text.h"
#include "device/device.h"
#include "model/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_SKIPPED 77
#define ROUNDS       5 // no multiple of the kernels' own steps

struct checking {
    struct device *device;
    bool builds_only;
    uint32_t stride;
    unsigned right, wrong;
};

static bool is_wanted(const struct device_info *d, const char *name)
{
    return d->language == LANGUAGE_OPENCL && (!name || str_contains_nocase(d->name, name));
}

static struct device *open_listed(const char *name, const struct device_options *o, struct error *e)
{
    struct device_report list;
    struct arena arena;
    const char *id = NULL;
    struct device *d = NULL;
    arena_init(&arena);
    bool ok = device_list(&arena, o, &list, e);
    for (uint32_t i = 0; ok && i < list.device_count; i++) {
        const struct device_info *info = &list.devices[i];
        if (is_wanted(info, name) && (!id || (!name && info->type == DEVICE_CPU)))
            id = info->id;
    }
    if (id)
        d = device_open(id, o, e);
    arena_release(&arena);
    return d;
}

static bool run(struct checking *c, const struct job *j, struct result *r)
{
    const struct policy policy = {.launches = 1, .batch = 1};
    struct arena arena;
    struct image image;
    bool ok;
    if (c->builds_only) {
        arena_init(&arena);
        ok = device_build(c->device, j, &arena, &image, r);
        arena_release(&arena);
        return ok;
    }
    struct loaded *l = device_prepare(c->device, j, r) ? device_load(c->device, j, NULL, r) : NULL;
    ok = l && device_verify(c->device, l, &policy, r);
    device_unload(c->device, l);
    return ok;
}

static const char *judge(const struct checking *c, const struct result *r, bool ok)
{
    if (!ok || r->status != STATUS_CORRECT)
        return r->message;
    if (!c->builds_only && r->verification != VERIFICATION_REFERENCE)
        return "not verified";
    for (uint32_t i = 0; i < r->resource_count; i++) {
        if (c->builds_only && r->resources[i].spill_bytes > 0) // shapes for CPUs may
            return "registers are spilled";
    }
    return NULL;
}

static void check(struct checking *c, const struct peak_shape *s, const struct device_info *d)
{
    uint64_t work = 0;
    struct job *j = peak_job(s, d, ROUNDS, &work);
    struct result *r = result_new();
    if (!j || !r)
        abort();
    const char *why = job_wrong(j);
    why = why ? why : judge(c, r, run(c, j, r));
    c->right += !why;
    c->wrong += why != NULL;
    if (why)
        printf("%s: %s: %s\n%s\n", peak_limit_text(s->limit), j->configuration, why, r->log);
    result_free(r);
    job_free(j);
}

// The device as if it were of this type, and small.
static void check_as(struct checking *c, enum device_type type)
{
    struct peak_shape shapes[PEAK_SHAPES_MOST];
    struct device_info d = *device_describe(c->device);
    d.type = type;
    d.compute_units = 1;
    d.global_bytes = 16u << 20;
    uint32_t count = peak_shapes(&d, shapes, PEAK_SHAPES_MOST);
    for (uint32_t i = 0; i < count; i += c->stride)
        check(c, &shapes[i], &d);
}

static int check_all(struct checking *c)
{
    if (!c->builds_only)
        check_as(c, DEVICE_CPU);
    check_as(c, DEVICE_GPU);
    printf("%u right, %u wrong\n", c->right, c->wrong);
    return c->wrong || !c->right ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    char scratch[] = "/tmp/hone-check-XXXXXX";
    const char *name = argc > 1 ? argv[1] : NULL;
    struct error e = ERROR_INIT;
    struct checking c = {.builds_only = name && str_starts(name, "cuda/"),
                         .stride = argc > 2 ? (uint32_t)atoi(argv[2]) : 1};
    if (c.stride == 0 || !mkdtemp(scratch))
        return EXIT_FAILURE;
    const struct device_options options = {
        .scratch = scratch, .build_only = c.builds_only, .toolkit = getenv("CUDA_HOME")};
    c.device = c.builds_only ? device_open(name, &options, &e) : open_listed(name, &options, &e);
    int status = c.device ? check_all(&c) : EXIT_SKIPPED;
    if (!c.device)
        printf("skipped: no device '%s': %s\n", name ? name : "", e.text);
    device_close(c.device);
    folder_remove(scratch);
    return status;
}
