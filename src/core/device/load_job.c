// A job on the device: programs, kernels, buffers, arguments. And its image.
#include "device/open_device.h"

#include "base/wire.h"
#include "device/limits.h"

#include <stdlib.h>

// ---- images: one byte run for each program, or nothing where the sources are built again

bool image_write(struct device *d, const struct loaded *l, struct text *out, struct error *e)
{
    struct wire w;
    struct text part = TEXT_INIT;
    uint32_t count = l->job->program_count;
    uint64_t sum = 0;
    bool ok = true;
    if (!d->backend->program_image)
        return true;
    wire_writer(&w, out);
    wire_u32(&w, &count);
    for (uint32_t i = 0; ok && i < count; i++) {
        text_clear(&part);
        ok = d->backend->program_image(d->own, l->programs[i], &part, e);
        const void *bytes = part.data;
        uint64_t length = part.length;
        wire_bytes(&w, &bytes, &length);
        sum += length;
    }
    text_release(&part);
    if (sum == 0)
        text_clear(out);
    return ok && (!out->failed || error_memory(e));
}

struct image_part {
    const void *bytes;
    uint64_t length;
};

// The parts of an image that fits the job, in `a`; NULL otherwise, and the source is built.
static struct image_part *image_read(const struct image *m, const struct job *j, struct arena *a)
{
    struct wire w;
    uint32_t count = 0;
    if (!m || !m->length)
        return NULL;
    wire_reader(&w, m->bytes, m->length, a);
    wire_u32(&w, &count);
    if (w.failed || count != j->program_count)
        return NULL;
    struct image_part *parts = arena_array(a, count, sizeof *parts);
    for (uint32_t i = 0; parts && i < count; i++)
        wire_bytes(&w, &parts[i].bytes, &parts[i].length);
    return wire_done(&w) ? parts : NULL;
}

// ---- loading

static bool allocate_arrays(struct loaded *l, const struct job *j)
{
    l->programs = arena_array(&l->arena, j->program_count + 1, sizeof *l->programs);
    l->kernels = arena_array(&l->arena, j->launch_count + 1, sizeof *l->kernels);
    l->buffers = arena_array(&l->arena, j->buffer_count + 1, sizeof *l->buffers);
    l->sums = arena_array(&l->arena, j->buffer_count + 1, sizeof *l->sums);
    l->memory = calloc(j->buffer_count + 1, sizeof *l->memory);
    l->resources = arena_array(&l->arena, j->launch_count + 1, sizeof *l->resources);
    return l->programs && l->kernels && l->buffers && l->sums && l->memory && l->resources;
}

static bool build_programs(struct device *d, struct loaded *l, const struct image_part *parts,
                           struct text *logs, struct result *r)
{
    for (uint32_t i = 0; i < l->job->program_count; i++) {
        struct image_part none = {NULL, 0};
        const struct image_part *part = parts ? &parts[i] : &none;
        l->programs[i] =
            d->backend->program_new(d->own, l->job, i, part->bytes, part->length, &logs[i], r);
        if (!l->programs[i])
            return false;
    }
    return true;
}

static bool make_kernels(struct device *d, struct loaded *l, const struct text *logs,
                         struct result *r)
{
    static const struct resources unknown = RESOURCES_UNKNOWN;
    for (uint32_t i = 0; i < l->job->launch_count; i++) {
        const struct job_launch *launch = &l->job->launches[i];
        l->resources[i] = unknown;
        l->kernels[i] =
            d->backend->kernel_new(d->own, l->programs[launch->program], launch,
                                   text_cstr(&logs[launch->program]), &l->resources[i], r);
        if (!l->kernels[i])
            return false;
    }
    return true;
}

// limits_check_job() has refused what is more than the device has.
static bool report_no_memory(const struct error *e, struct result *r)
{
    if (e->code == ERROR_INPUT) // an image that the device does not have
        return result_fail(r, STATUS_CONSTRAINTS, FAULT_CONFIGURATION, "%s", e->text);
    return result_fail(r, STATUS_CONSTRAINTS, FAULT_SURROUNDINGS,
                       "%s, though the device has as much; other processes or limits may have "
                       "caused this: it is not stored",
                       e->text);
}

static bool bind_arguments(struct device *d, struct loaded *l, struct result *r)
{
    struct error e = ERROR_INIT;
    if (!buffers_acquire(d, l, &e))
        return report_no_memory(&e, r);
    for (uint32_t i = 0; i < l->job->launch_count; i++) {
        if (!d->backend->kernel_bind(d->own, l->kernels[i], l->job, &l->job->launches[i], l->memory,
                                     r))
            return false;
    }
    return true;
}

bool load_buffers(struct device *d, struct loaded *l, const struct job *j, struct result *r)
{
    struct error e = ERROR_INIT;
    l->job = j;
    reference_recipe(d, j, &l->recipe);
    if (!allocate_arrays(l, j))
        return result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
    return buffers_acquire(d, l, &e) || report_no_memory(&e, r);
}

// A library is opened where it is called: a build worker has nothing to do for it.
static bool load_routine(struct device *d, struct loaded *l, struct text *about, struct result *r)
{
    struct error e = ERROR_INIT;
    if (d->options.build_only)
        return true;
    if (!allocate_arrays(l, l->job))
        return result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
    if (!buffers_acquire(d, l, &e))
        return report_no_memory(&e, r);
    if (l->job->routine == ROUTINE_CBLAS) {
        l->cblas = cblas_new(l->job, l->memory, &d->info, about, r);
        return l->cblas != NULL;
    }
    if (!d->backend->routine_new)
        return result_fail(r, STATUS_CONSTRAINTS, FAULT_CONFIGURATION, "%s cannot be called on %s",
                           routine_title(l->job->routine), d->info.name);
    l->routine = d->backend->routine_new(d->own, l->job, about, r);
    return l->routine != NULL;
}

bool load_job(struct device *d, struct loaded *l, const struct job *j, const struct image *image,
              struct text *log, struct result *r)
{
    uint64_t guards = d->options.simulated ? 0 : 2 * GUARD_BYTES;
    l->job = j;
    if (j->reference.kind != REFERENCE_NONE && !d->options.build_only)
        reference_recipe(d, j, &l->recipe);
    if (!limits_check_job(j, &d->info, guards, r))
        return false;
    if (j->routine != ROUTINE_NONE)
        return load_routine(d, l, log, r);
    struct text *logs = calloc(j->program_count + 1, sizeof *logs);
    if (!logs || !allocate_arrays(l, j)) {
        free(logs);
        return result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
    }
    bool ok = build_programs(d, l, image_read(image, j, &l->arena), logs, r) &&
              make_kernels(d, l, logs, r);
    for (uint32_t i = 0; i < j->program_count; i++)
        text_addn(log, text_cstr(&logs[i]), logs[i].length);
    if (ok) {
        uint32_t most = l->job->launch_count;
        uint32_t count = most < LAUNCHES_TOLD ? most : LAUNCHES_TOLD;
        r->resources = arena_copy(&r->arena, l->resources, count * sizeof *l->resources);
        r->resource_count = r->resources ? count : 0;
    }
    ok = ok && bind_arguments(d, l, r);
    for (uint32_t i = 0; i < j->program_count; i++)
        text_release(&logs[i]);
    free(logs);
    return ok;
}

void load_release(struct device *d, struct loaded *l)
{
    for (uint32_t i = 0; l->kernels && i < l->job->launch_count; i++) {
        if (l->kernels[i])
            d->backend->kernel_free(d->own, l->kernels[i]);
    }
    for (uint32_t i = 0; l->programs && i < l->job->program_count; i++) {
        if (l->programs[i])
            d->backend->program_free(d->own, l->programs[i]);
    }
    if (l->routine)
        d->backend->routine_free(d->own, l->routine);
    cblas_free(l->cblas);
    if (l->job)
        buffers_release(d, l);
    free(l->memory);
    arena_release(&l->arena);
    *l = (struct loaded){.job = NULL};
}
