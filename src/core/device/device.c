// Opening a device, and the steps of a job in their order.
#include "device/open_device.h"

#include "os/process.h"
#include "base/text.h"
#include "device/build_text.h"
#include "device/fill.h"
#include "device/own_kernel.h"
#include "device/parallel.h"

#include <stdlib.h>
#include <string.h>

#define WORTH_BYTES (256u << 10) // of an output that is compared on the device
#define AHEAD_PARTS 16           // of that: buffers whose making leaves time to build kernels in
#define LOG_MOST    65536        // bytes of a build log that go into a result

bool device_list(struct arena *a, const struct device_options *o, struct device_report *out,
                 struct error *e)
{
    *out = (struct device_report){.problem = ""};
    for (size_t i = 0; device_backends[i]; i++) {
        struct device_report one = {.problem = ""};
        if (o && o->languages && !(o->languages & 1u << device_backends[i]->language))
            continue;
        if (!device_backends[i]->list(a, o, &one, e))
            return false;
        if (!device_list_join(a, out, &one))
            return error_memory(e);
    }
    return true;
}

// ---- opening

static const struct backend *backend_of(const char *id)
{
    for (size_t i = 0; device_backends[i]; i++) {
        if (str_starts(id, device_backends[i]->prefix))
            return device_backends[i];
    }
    return NULL;
}

static void report_prefix(const char *id, struct error *e)
{
    struct text prefixes = TEXT_INIT;
    for (size_t i = 0; device_backends[i]; i++)
        text_addf(&prefixes, "%s%s", i ? " or " : "", device_backends[i]->prefix);
    error_set(e, ERROR_DEVICE, "'%s' names no device: an id begins with %s", id,
              text_cstr(&prefixes));
    text_release(&prefixes);
}

// Checksums are every large job's. The others are a product's of floats, over which compilers take
// longest. Before the first job arrives its texts are not known; device_prepare() withdraws what it
// does not want.
static void wake_compiler(struct device *d)
{
    const struct job_buffer floats = {.element = {SCALAR_FLOAT, 1, 0, false},
                                      .count = WORTH_BYTES,
                                      .fill = {.kind = FILL_UNIFORM},
                                      .compare = {.kind = COMPARE_NORM}};
    if (!d->options.wakes || d->options.simulated || d->info.type != DEVICE_GPU)
        return;
    own_kernels_collect(d);
    checksum_offered(d);
    gemm_of_floats_offered(d);
    compare_kernel(d, &floats, true);
    fill_offered(d, &floats); // the last one: a host can make inputs meanwhile
    own_kernels_start(d);
}

static bool start_device(struct device *d, struct error *e)
{
    if (d->options.build_only)
        return true;
    wake_compiler(d);
    if (!d->backend->start(d->own, &d->info, e))
        return false;
    if (timer_is_hosts(d))
        d->info.timer_ns = HOST_CLOCK_NS;
    d->nvml = nvml_open(&d->info);
    machine_open(&d->machine, d->options.root ? d->options.root : "/", d->info.type == DEVICE_CPU);
    return true;
}

static void *open_builder(const struct backend *b, struct device *d, struct error *e)
{
    const struct device_info *target = d->options.target;
    d->info = *target;
    if (!d->options.build_only)
        error_set(e, ERROR_USAGE, "%s is another machine's: it can be built for alone",
                  target->name);
    else if (b->open_for)
        return b->open_for(&d->info, &d->options, e);
    else
        error_set(e, ERROR_DEVICE, "what %s builds can be used only where it is built: %s",
                  language_title(b->language), b->images_stay);
    return NULL;
}

struct device *device_open(const char *id, const struct device_options *o, struct error *e)
{
    const struct backend *backend = backend_of(id);
    if (!backend) {
        report_prefix(id, e);
        return NULL;
    }
    struct device *d = alloc_zeroed(sizeof *d, e);
    if (!d)
        return NULL;
    parallel_count_cores();
    d->backend = backend;
    d->options = *o;
    // Jobs that run in forks of this process hand a reference on as a file.
    if (!o->cache && language_traits(backend->language)->is_native)
        d->options.cache = o->scratch;
    d->machine.stat = -1;
    d->worth_bytes = WORTH_BYTES;
    d->poison = POISON_BYTE;
    arena_init(&d->arena);
    device_phase_begin(d, PHASE_OPENING, 0, false);
    d->own = d->options.target ? open_builder(backend, d, e)
                               : backend->open(id, &d->options, &d->arena, &d->info, e);
    bool ok = d->own && start_device(d, e);
    device_phase_begin(d, PHASE_IDLE, 0, false);
    if (ok)
        return d;
    device_close(d);
    return NULL;
}

void device_close(struct device *d)
{
    if (!d)
        return;
    if (d->own) {
        references_free(d);
        buffers_free(d);
        own_kernels_free(d);
        memory_free(d, &d->flusher);
        d->backend->close(d->own);
    }
    machine_close(&d->machine);
    nvml_close(d->nvml);
    arena_release(&d->arena);
    free(d);
}

const struct device_info *device_describe(const struct device *d)
{
    return &d->info;
}

// For a job within a job, such as a reference, only launches are announced: they may not end.
void device_phase_begin(struct device *d, enum phase_kind phase, uint32_t launches, bool compiles)
{
    bool launch = phase == PHASE_LAUNCHING || phase == PHASE_CHECKING;
    if (d->options.phase && (d->hushed == 0 || launch))
        d->options.phase(d->options.context, d->hushed ? PHASE_REFERENCE : phase, launches,
                         compiles);
}

bool device_usable(const struct device *d, struct result *r)
{
    return !d->lost || result_fail(r, STATUS_RUNTIME, FAULT_DEVICE,
                                   "the device was lost when an earlier kernel failed: it needs a "
                                   "new process");
}

// ---- logs

// The end of a log is where the errors are.
static void report_log(const struct text *log, struct result *r)
{
    size_t skipped = log->length > LOG_MOST ? log->length - LOG_MOST : 0;
    if (log->length)
        r->log = arena_strndup(&r->arena, log->data + skipped, log->length - skipped);
}

// ---- building ahead of time

static void tell_phase(void *context, bool compiling)
{
    device_phase_begin(context, compiling ? PHASE_BUILDING : PHASE_LAUNCHING, 1, compiling);
}

bool device_watch(struct device *d, struct watch *out)
{
    *out = (struct watch){.tell = tell_phase, .context = d};
    return d->backend->primes && d->backend->primes(d->own);
}

static bool prime(struct device *d, struct loaded *l)
{
    struct watch watch;
    if (!device_watch(d, &watch))
        return false;
    device_phase_begin(d, PHASE_PRIMING, l->job->launch_count, true);
    struct result *scratch = result_new(); // a failure here is nobody's
    bool ok = scratch != NULL;
    for (uint32_t i = 0; ok && i < l->job->launch_count; i++)
        ok = d->backend->prime(d->own, l->kernels[i], &l->job->launches[i], &watch, scratch);
    result_free(scratch);
    return ok;
}

// Programs in the form that decides their code: the driver's where it was asked for, else texts.
static void code_digest(const struct loaded *l, const struct text *image, struct digest *out)
{
    struct digest_state s;
    digest_start(&s);
    if (image->length)
        digest_add(&s, image->data, image->length);
    for (uint32_t i = 0; i < l->job->program_count && !image->length; i++)
        build_digest(&l->job->programs[i], &s);
    for (uint32_t i = 0; i < l->job->launch_count; i++) {
        const struct job_launch *launch = &l->job->launches[i];
        digest_add(&s, &launch->program, sizeof launch->program);
        digest_add(&s, launch->kernel, strlen(launch->kernel) + 1);
        digest_add(&s, launch->local, sizeof launch->local);
    }
    digest_finish(&s, out);
}

static bool make_image(struct device *d, const struct loaded *l, struct arena *a, struct image *out,
                       struct result *r)
{
    struct error e = ERROR_INIT;
    struct text image = TEXT_INIT;
    bool ok = image_write(d, l, &image, &e);
    if (ok) {
        code_digest(l, &image, &out->digest);
        out->bytes = arena_copy(a, text_cstr(&image), image.length);
        out->length = out->bytes ? image.length : 0;
    }
    text_release(&image);
    return ok || result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION, "image: %s", e.text);
}

bool device_build(struct device *d, const struct job *j, struct arena *a, struct image *out,
                  struct result *r)
{
    struct loaded l = {.job = NULL};
    struct text log = TEXT_INIT;
    uint64_t start = clock_ns();
    *out = (struct image){.primed = false};
    device_phase_begin(d, PHASE_BUILDING, 0, true);
    bool ok = device_usable(d, r) && load_job(d, &l, j, NULL, &log, r);
    bool routine = j->routine != ROUTINE_NONE;
    ok = ok && (routine || make_image(d, &l, a, out, r));
    // CLBlast compiles its kernels when it is called first.
    if (ok)
        out->primed = routine ? j->routine != ROUTINE_CLBLAST : prime(d, &l);
    report_log(&log, r);
    load_release(d, &l);
    text_release(&log);
    r->build_ns = clock_ns() - start;
    device_phase_begin(d, PHASE_IDLE, 0, false);
    return ok;
}

// ---- inputs and reference ahead of time

bool device_make_inputs(struct device *d, const struct job *j, struct result *r)
{
    struct loaded l = {.job = j};
    struct error e = ERROR_INIT;
    l.buffers = calloc(j->buffer_count + 1, sizeof *l.buffers);
    l.memory = calloc(j->buffer_count + 1, sizeof *l.memory);
    bool ok = (l.buffers && l.memory) || error_memory(&e);
    device_phase_begin(d, PHASE_INPUTS, 0, false);
    ok = ok && buffers_acquire(d, &l, &e) && buffers_make(d, &l, &e);
    buffers_release(d, &l);
    free(l.buffers);
    free(l.memory);
    return ok || result_fail(r, STATUS_RUNTIME, FAULT_REFERENCE, "%s", e.text);
}

static uint64_t bytes_of(const struct job *j)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < j->buffer_count; i++)
        sum += fill_bytes(&j->buffers[i]);
    return sum;
}

// A job that is done sooner than they are built still withdraws what was queued.
static void build_own_ahead(struct device *d, const struct job *j)
{
    if (d->info.type == DEVICE_CPU || d->options.simulated || d->options.build_only)
        return;
    own_kernels_collect(d);
    if (bytes_of(j) >= AHEAD_PARTS * d->worth_bytes) {
        // The kernels that what follows will ask for, in that order.
        bool gemm = j->reference.kind == REFERENCE_GEMM;
        checksum_offered(d);
        if (gemm)
            gemm_offered(d, j);
        for (uint32_t i = 0; i < j->buffer_count && j->reference.kind != REFERENCE_NONE; i++) {
            const struct job_buffer *b = &j->buffers[i];
            if (b->output && fill_bytes(b) >= d->worth_bytes)
                compare_kernel(d, b, gemm);
        }
        for (uint32_t i = 0; i < j->buffer_count; i++)
            fill_offered(d, &j->buffers[i]);
    }
    own_kernels_start(d);
}

bool device_prepare(struct device *d, const struct job *j, struct result *r)
{
    uint64_t start = clock_ns();
    struct reference *f = NULL;
    bool ok = device_usable(d, r);
    if (ok)
        build_own_ahead(d, j);
    ok = ok && device_make_inputs(d, j, r);
    r->inputs_ns = clock_ns() - start;
    start = clock_ns();
    if (ok && j->reference.kind != REFERENCE_NONE) {
        struct digest recipe;
        reference_recipe(d, j, &recipe);
        ok = (f = reference_of(d, j, &recipe, r)) != NULL;
    }
    if (f)
        outputs_prepare(d, j, f);
    r->reference_ns = clock_ns() - start;
    device_phase_begin(d, PHASE_IDLE, 0, false);
    return ok;
}

void device_recall_reference(struct device *d, const struct job *j)
{
    struct digest recipe;
    if (j->reference.kind == REFERENCE_NONE)
        return;
    reference_recipe(d, j, &recipe);
    reference_recall(d, j, &recipe);
}

void device_host_load(struct device *d, uint64_t jobs_ns, struct result *r)
{
    struct machine_snapshot now;
    d->machine.jobs_ns = jobs_ns;
    if (r->machine.cores == 0)
        return;
    machine_take(&d->machine, &now);
    r->machine.at_ns = now.at_ns;
    r->machine.other_cpu_ns = now.other_cpu_ns;
}

// ---- loading

struct loaded *device_load(struct device *d, const struct job *j, const struct image *m,
                           struct result *r)
{
    struct text log = TEXT_INIT;
    uint64_t start = clock_ns();
    struct loaded *l = calloc(1, sizeof *l);
    device_phase_begin(d, PHASE_LOADING, 0, !m || !m->primed);
    bool ok = l || result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
    ok = ok && device_usable(d, r) && load_job(d, l, j, m, &log, r);
    if (ok)
        l->primed = m && (m->primed || m->length);
    report_log(&log, r);
    text_release(&log);
    r->load_ns = clock_ns() - start;
    device_phase_begin(d, PHASE_IDLE, 0, false);
    if (ok)
        return l;
    device_unload(d, l);
    return NULL;
}

void device_unload(struct device *d, struct loaded *l)
{
    if (!l)
        return;
    load_release(d, l);
    free(l);
}

// ---- what a job left

bool device_output(struct device *d, struct loaded *l, uint32_t buffer, struct text *out,
                   struct error *e)
{
    if (buffer >= l->job->buffer_count)
        return error_set(e, ERROR_USAGE, "the job has %u buffers, not %u", l->job->buffer_count,
                         buffer + 1);
    struct buffer *b = l->buffers[buffer];
    void *copy = NULL;
    if (b->use != USE_INPUT && b->writer != l)
        return error_set(e, ERROR_USAGE, "%s holds what another job wrote: launch this one first",
                         l->job->buffers[buffer].name);
    const void *data = memory_look(d, &b->memory, &copy, e);
    if (data)
        text_addn(out, data, (size_t)fill_bytes(&l->job->buffers[buffer]));
    free(copy);
    return data && (!out->failed || error_memory(e));
}

static uint64_t sum_of_launch(struct device *d, struct loaded *l, uint64_t slot)
{
    uint64_t sum = 0, one = 0;
    for (uint32_t i = 0; i < l->job->buffer_count; i++) {
        struct memory *m = l->memory[slot * l->job->buffer_count + i];
        if (l->job->buffers[i].output && memory_checksum(d, m, &one, NULL))
            sum = sum * 31 + one;
    }
    return sum;
}

uint64_t device_odd_launch(struct device *d, struct loaded *l, uint64_t which)
{
    uint64_t own = l->last_slots < 2 ? 0 : which % l->last_slots;
    uint64_t sum = l->last_slots < 2 ? 0 : sum_of_launch(d, l, own);
    for (uint64_t slot = 0; slot < l->last_slots && l->last_slots > 1; slot++) {
        if (slot != own && sum_of_launch(d, l, slot) != sum)
            return slot;
    }
    return own;
}

bool device_output_part(struct device *d, struct loaded *l, uint32_t buffer, uint64_t which,
                        uint64_t at, void *out, uint64_t size, struct error *e)
{
    uint32_t slots = l->last_slots ? l->last_slots : 1;
    struct memory *m = l->memory[which % slots * l->job->buffer_count + buffer];
    return memory_read(d, m, (int64_t)at, out, size, e);
}

bool device_binary(struct device *d, struct loaded *l, uint32_t program, struct text *out,
                   struct error *e)
{
    if (program >= l->job->program_count)
        return error_set(e, ERROR_USAGE, "the job has %u programs, not %u", l->job->program_count,
                         program + 1);
    return d->backend->program_binary(d->own, l->programs[program], out, e);
}

bool device_ptx(struct device *d, struct loaded *l, uint32_t program, struct text *out,
                struct error *e)
{
    if (!d->backend->program_ptx || program >= l->job->program_count)
        return device_binary(d, l, program, out, e);
    return d->backend->program_ptx(d->own, l->programs[program], out, e);
}
