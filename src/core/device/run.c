// Running a loaded job: the launch itself, and what is looked at after it.
#include "device/open_device.h"

#include "device/fill.h"

#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

bool run_unstarted(struct device *d, const struct error *e, struct result *r)
{
    const enum fault fault = e->code == ERROR_MEMORY  ? FAULT_WORKER
                             : e->code == ERROR_INPUT ? FAULT_REFERENCE
                                                      : FAULT_DEVICE;
    d->lost = d->lost || fault == FAULT_DEVICE;
    return result_fail(r, STATUS_RUNTIME, fault, "%s", e->text);
}

bool run_lost(struct device *d, const struct error *e, struct result *r)
{
    if (e->code == ERROR_MEMORY)
        return run_unstarted(d, e, r);
    d->lost = true;
    return result_fail(r, STATUS_RUNTIME, FAULT_CONFIGURATION,
                       "the driver failed after the kernel had run: %s", e->text);
}

// Runs the caller's own work, which belongs to no phase of this job.
static void act_meanwhile(void *context)
{
    struct device *d = context;
    d->hushed++;
    d->options.meanwhile(d->options.context);
    d->hushed--;
}

// The contents of images, of inputs or of all others, become the memory's: there they are looked at.
static bool take_images(struct device *d, const struct loaded *l, uint32_t slots, bool inputs,
                        struct result *r)
{
    struct error e = ERROR_INIT;
    for (uint32_t i = 0; i < slots * l->job->buffer_count; i++) {
        bool is_input = l->buffers[i % l->job->buffer_count]->use == USE_INPUT;
        if (is_input == inputs && !memory_take(d, l->memory[i], &e))
            return run_lost(d, &e, r);
    }
    return true;
}

bool run_job(struct device *d, struct loaded *l, uint32_t batch, uint64_t *total_ns,
             uint64_t *parts_ns, struct result *r)
{
    struct error e = ERROR_INIT;
    struct run run = {.kernels = l->kernels, .launches = l->job->launches};
    struct meanwhile meanwhile = {act_meanwhile, d};
    struct watch watch;
    struct run_times times = {.parts_ns = parts_ns};
    bool first = !l->launched;
    run.count = l->routine ? 1 : l->job->launch_count; // a call of a library is one
    run.batch = batch ? batch : 1;
    run.metered = d->metering;
    run.memory = l->memory;
    run.buffers = l->job->buffer_count;
    run.slots = run.batch < l->slots ? run.batch : l->slots;
    l->used = run.slots > l->used ? run.slots : l->used;
    l->last_slots = run.slots;
    // Memory for whoever is about to use it: the host for a CBLAS, else the device.
    for (uint32_t i = 0; i < run.slots * run.buffers; i++) {
        struct memory *m = l->memory[i];
        void *copy;
        if (l->cblas ? !memory_look(d, m, &copy, &e)
                     : !memory_put(d, m, &e) || !memory_yield(d, m, &e))
            return run_unstarted(d, &e, r);
        l->buffers[i % run.buffers]->writer = l;
    }
    // Threads of a library that was called before must not take the cores from what is launched
    // now.
    if (d->restless && !l->cblas)
        cblas_rest();
    d->restless = l->cblas != NULL;
    if (!l->launched && device_watch(d, &watch))
        run.watch = &watch;
    if (d->verifying && d->options.meanwhile && d->info.type == DEVICE_GPU &&
        !d->options.simulated && !timer_is_hosts(d))
        run.meanwhile = &meanwhile;
    l->launched = true;
    if (l->cblas) {
        cblas_run(l->cblas, &run, total_ns);
        return true;
    }
    bool ok = l->routine ? d->backend->routine_run(d->own, l->routine, &run, &times, &d->lost, r)
                         : d->backend->run(d->own, &run, &times, &d->lost, r);
    return ok && timer_take(d, l, &run, first, &times, total_ns, r) &&
           take_images(d, l, run.slots, false, r);
}

// ---- guard zones

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

// The regions of one buffer that are summed on the device, all buffers with one wait; `bytes` is 0
// for regions that are checked in another way, or not at all.
struct sums {
    struct region before, behind, data;
};
_Static_assert(sizeof(struct sums) == 3 * sizeof(struct region), "an array of regions");

static bool is_same_as_first(const struct loaded *l, uint32_t i)
{
    return i >= l->job->buffer_count && l->memory[i] == l->memory[i % l->job->buffer_count];
}

// One for each buffer and slot.
static bool take_sums(struct device *d, const struct loaded *l, struct sums *sums, struct error *e)
{
    uint32_t count = l->job->buffer_count * l->used;
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        struct memory *m = l->memory[i];
        if (m->host || m->exact || is_same_as_first(l, i) || !checksum_offered(d))
            continue;
        any = true;
        sums[i].before = (struct region){.memory = m, .at = -GUARD_BYTES, .bytes = GUARD_BYTES};
        sums[i].behind = (struct region){m, (int64_t)m->bytes, GUARD_BYTES, 0};
        if (l->buffers[i % l->job->buffer_count]->use == USE_INPUT)
            sums[i].data = (struct region){.memory = m, .bytes = m->bytes};
    }
    return !any || checksums_on_device(d, (struct region *)sums, 3 * count, e);
}

static bool check_guards(struct device *d, struct loaded *l, uint32_t index, const struct sums *s,
                         struct result *r)
{
    struct memory *m = l->memory[index];
    struct trespass before = {0, 0}, behind = {0, 0};
    struct error e = ERROR_INIT;
    const char *name = l->job->buffers[index % l->job->buffer_count].name;
    if (s->before.bytes && s->before.sum == m->guard_sum && s->behind.sum == m->guard_sum)
        return true;
    if (!guards_look(d, m, &before, &behind, &e))
        return run_lost(d, &e, r);
    if (behind.count)
        return result_fail(r, STATUS_RUNTIME, FAULT_CONFIGURATION,
                           "wrote %llu byte%s past the end of %s (first at byte +%llu)",
                           (ull)behind.count, plural(behind.count), name, (ull)behind.first);
    if (before.count)
        return result_fail(r, STATUS_RUNTIME, FAULT_CONFIGURATION,
                           "wrote %llu byte%s before the start of %s (nearest at byte -%llu)",
                           (ull)before.count, plural(before.count), name, (ull)before.first);
    return true;
}

// ---- inputs

// The element where the contents differ from what they were made as; false when that cannot be
// told.
static bool find_change(struct device *d, const struct job_buffer *job, struct memory *m,
                        uint64_t *element)
{
    const struct job_buffer contents = buffer_contents(d, job);
    void *copy = NULL, *made = malloc(m->bytes);
    const uint8_t *data = memory_look(d, m, &copy, NULL);
    bool found = false;
    uint32_t size = element_bytes(&job->element);
    if (made && data && fill_make(&contents, made, NULL)) {
        for (uint64_t i = 0; i < job->count && !found; i++) {
            found = memcmp(data + i * size, (uint8_t *)made + i * size, size) != 0;
            *element = i;
        }
    }
    free(made);
    free(copy);
    return found;
}

static bool check_input(struct device *d, struct loaded *l, uint32_t index, const struct sums *s,
                        struct result *r)
{
    struct buffer *b = l->buffers[index];
    const struct job_buffer *job = &l->job->buffers[index];
    struct error e = ERROR_INIT;
    uint64_t sum = s->data.sum, element = 0;
    if (b->use != USE_INPUT)
        return true;
    if (!s->data.bytes && !memory_checksum(d, &b->memory, &sum, &e))
        return run_lost(d, &e, r);
    if (sum == b->checksum)
        return true;
    if (!find_change(d, job, &b->memory, &element))
        return result_fail(r, STATUS_RUNTIME, FAULT_CONFIGURATION, "changed read-only %s",
                           job->name);
    return result_fail(r, STATUS_RUNTIME, FAULT_CONFIGURATION,
                       "changed read-only %s at element %llu", job->name, (ull)element);
}

static bool left_intact(struct device *d, struct loaded *l, const struct sums *sums,
                        struct result *r)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < l->job->buffer_count * l->used; i++)
        ok = is_same_as_first(l, i) || check_guards(d, l, i, &sums[i], r);
    for (uint32_t i = 0; ok && i < l->job->buffer_count; i++)
        ok = check_input(d, l, i, &sums[i], r);
    return ok;
}

bool run_left_intact(struct device *d, struct loaded *l, struct result *r)
{
    struct error e = ERROR_INIT;
    l->used = l->used ? l->used : 1;
    struct sums *sums = calloc((size_t)l->job->buffer_count * l->used + 1, sizeof *sums);
    device_phase_begin(d, PHASE_CHECKING, 0, false);
    bool ok = sums || result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
    ok = ok && (!d->backend->left || d->backend->left(d->own, r)) && take_images(d, l, 1, true, r);
    if (ok)
        ok = take_sums(d, l, sums, &e) ? left_intact(d, l, sums, r) : run_lost(d, &e, r);
    if (!ok)
        buffers_distrust(d);
    l->used = 0;
    free(sums);
    return ok;
}

bool run_checked(struct device *d, struct loaded *l, struct result *r)
{
    struct error e = ERROR_INIT;
    bool compiles = !l->primed && !l->launched;
    device_phase_begin(d, PHASE_INPUTS, 0, false);
    if (!buffers_make(d, l, &e) || !buffers_restore(d, l, false, &e) || !buffers_poison(d, l, &e))
        return run_unstarted(d, &e, r);
    device_phase_begin(d, PHASE_LAUNCHING, 1, compiles);
    if (!run_job(d, l, 1, &r->verify_launch_ns, NULL, r))
        return false;
    return run_left_intact(d, l, r);
}
