// Launching, and the times between events.
//
// An event's time is when the card gets to it. Were a launch put into an empty stream, its start
// would pass long before the host has handed over the kernel, and the time would be the host's. So
// a kernel that only waits goes first, until all the rest is in the stream.
#include "device/backends/cuda/cuda.h"

#include "os/process.h"
#include "base/text.h"
#include "device/limits.h"

#include <math.h>
#include <stdlib.h>

// Expected of a host, to put a launch, and a call of a vendor's library, into the stream.
#define LAUNCH_NS 3000
#define CALL_NS   20000

// Waits for so many nanoseconds. Assembled by the driver: NVRTC is not needed for it.
extern const char cuda_wait[]; // device/kernels/cuda_wait.ptx

// Where it did not load, short kernels are timed with the host's share.
CUresult cuda_put_wait(struct cuda *o, uint64_t ns)
{
    void *arguments[] = {&ns};
    if (!o->wait_for)
        return CUDA_SUCCESS;
    return o->cu.cuLaunchKernel(o->wait_for, 1, 1, 1, 1, 1, 1, 0, o->stream, arguments, NULL);
}

CUresult cuda_hold(struct cuda *o, const struct run *run, const struct hold_pace *pace)
{
    bool by_host = o->info->timer_fault && *o->info->timer_fault; // whose time the wait would be
    if (run->metered || by_host)
        return CUDA_SUCCESS;
    return cuda_put_wait(o, hold_for(pace, run->count * run->batch));
}

bool cuda_make_events(struct cuda *o, uint32_t count, CUresult *code)
{
    *code = CUDA_SUCCESS;
    if (count <= o->event_count)
        return true;
    CUevent *grown = realloc(o->events, count * sizeof *grown);
    if (!grown)
        return false;
    o->events = grown;
    while (o->event_count < count && *code == CUDA_SUCCESS) {
        *code = o->cu.cuEventCreate(&o->events[o->event_count], CU_EVENT_DEFAULT);
        o->event_count += *code == CUDA_SUCCESS;
    }
    return *code == CUDA_SUCCESS;
}

bool cuda_time_between(const struct cuda *o, uint32_t from, uint32_t to, uint64_t *ns,
                       CUresult *code)
{
    float ms = 0;
    *code = o->cu.cuEventElapsedTime(&ms, o->events[from], o->events[to]);
    bool is_time = *code == CUDA_SUCCESS && isfinite(ms) && ms >= 0;
    *ns = is_time ? (uint64_t)((double)ms * 1e6 + 0.5) : 0;
    return is_time;
}

// ---- one run

static CUresult put_launch(struct cuda *o, const struct cuda_kernel *k, const struct job_launch *l)
{
    unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
    for (uint32_t i = 0; i < l->dimensions; i++) {
        block[i] = (unsigned)l->local[i];
        grid[i] = (unsigned)(l->global[i] / l->local[i]);
    }
    return o->cu.cuLaunchKernel(k->function, grid[0], grid[1], grid[2], block[0], block[1],
                                block[2], (unsigned)l->dynamic_local_bytes, o->stream, k->arguments,
                                NULL);
}

// Codes of a launch that was refused before anything ran; after any other the context is gone.
static bool is_refusal(CUresult code)
{
    static const CUresult codes[] = {CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_OUT_OF_MEMORY,
                                     CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                                     CUDA_ERROR_INVALID_CLUSTER_SIZE};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (codes[i] == code)
            return true;
    }
    return false;
}

static bool report_refusal(struct cuda *o, const struct job_launch *l, CUresult code,
                           struct result *r)
{
    char text[256], global[80], local[80];
    limits_sizes_text(l, l->global, global, sizeof global);
    limits_sizes_text(l, l->local, local, sizeof local);
    result_fail(
        r, STATUS_CONSTRAINTS, FAULT_CONFIGURATION,
        "kernel '%s': cuLaunchKernel: %s (global %s, local %s, %llu bytes of dynamic shared "
        "memory)",
        l->kernel, cuda_code_text(&o->cu, code, text, sizeof text), global, local,
        (unsigned long long)l->dynamic_local_bytes);
    r->device_limit = true;
    // Registers and stack of a grid lie in memory that others may hold.
    if (code == CUDA_ERROR_OUT_OF_MEMORY)
        r->fault = FAULT_SURROUNDINGS;
    return false;
}

// The driver does not say which kernel of several it was.
static bool report_crash(struct cuda *o, const struct run *run, const char *call, CUresult code,
                         bool *lost, struct result *r)
{
    char text[256];
    struct text names = TEXT_INIT;
    *lost = true;
    for (uint32_t i = 0; i < run->count; i++)
        text_addf(&names, "%s'%s'", i ? ", " : "", run->launches[i].kernel);
    result_fail(r, STATUS_RUNTIME, FAULT_CONFIGURATION, "%s %s failed while running: %s: %s",
                run->count == 1 ? "kernel" : "one of the kernels", text_cstr(&names), call,
                cuda_code_text(&o->cu, code, text, sizeof text));
    text_release(&names);
    return false;
}

// Constants are the module's own: each program has a copy, and an earlier job may have changed it.
static CUresult put_symbols(struct cuda *o, const struct run *run)
{
    CUresult code = CUDA_SUCCESS;
    for (uint32_t i = 0; i < run->count; i++) {
        const struct cuda_kernel *k = run->kernels[i];
        for (uint32_t s = 0; s < k->symbol_count && code == CUDA_SUCCESS; s++)
            code = o->cu.cuMemcpyDtoDAsync(k->symbols[s].at, cuda_at(k->symbols[s].from, 0),
                                           (size_t)k->symbols[s].from->bytes, o->stream);
    }
    return code;
}

// Everything is in the stream before any of it is waited for: what is timed is the device's time
// back to back. `each`: an event behind every kernel, not only behind the last.
static bool put_cuda_launches(struct cuda *o, const struct run *run, bool each, bool *lost,
                              struct result *r)
{
    uint32_t count = run->count * run->batch, event = 0;
    const char *call = "cuMemcpyDtoDAsync of a symbol";
    CUresult code = put_symbols(o, run);
    if (code == CUDA_SUCCESS) {
        call = "cuLaunchKernel of hone's own";
        code = cuda_hold(o, run, &o->pace);
    }
    uint64_t from_ns = clock_ns();
    if (code == CUDA_SUCCESS) {
        call = "cuEventRecord";
        code = o->cu.cuEventRecord(o->events[event++], o->stream);
    }
    if (code != CUDA_SUCCESS)
        return report_crash(o, run, call, code, lost, r);
    for (uint32_t i = 0; i < count; i++) {
        const struct job_launch *l = &run->launches[i % run->count];
        cuda_kernel_point(run->kernels[i % run->count], l, run_memory(run, i / run->count));
        code = put_launch(o, run->kernels[i % run->count], l);
        if (is_refusal(code)) { // of this one; those before it ran, and may have crashed
            CUresult before = o->cu.cuStreamSynchronize(o->stream);
            return before == CUDA_SUCCESS
                       ? report_refusal(o, l, code, r)
                       : report_crash(o, run, "cuStreamSynchronize", before, lost, r);
        }
        call = "cuLaunchKernel";
        if (code == CUDA_SUCCESS && (each || i + 1 == count)) {
            call = "cuEventRecord";
            code = o->cu.cuEventRecord(o->events[event++], o->stream);
        }
        if (code != CUDA_SUCCESS)
            return report_crash(o, run, call, code, lost, r);
    }
    hold_learn(&o->pace, count, clock_ns() - from_ns);
    if (run->meanwhile)
        run->meanwhile->act(run->meanwhile->context);
    code = o->cu.cuStreamSynchronize(o->stream);
    return code == CUDA_SUCCESS || report_crash(o, run, "cuStreamSynchronize", code, lost, r);
}

bool cuda_report_events(struct cuda *o, CUresult code, struct result *r)
{
    char text[256];
    return result_fail(r, STATUS_RUNTIME, FAULT_DEVICE, "cuEventCreate: %s",
                       code == CUDA_SUCCESS ? "out of memory"
                                            : cuda_code_text(&o->cu, code, text, sizeof text));
}

void cuda_tell_time(struct cuda *o, CUresult code, struct run_times *out)
{
    char text[96];
    str_format(out->fault, sizeof out->fault, "cuEventElapsedTime: %s",
               code == CUDA_SUCCESS ? "the driver's answer is not a time"
                                    : cuda_code_text(&o->cu, code, text, sizeof text));
}

static void collect_cuda_times(struct cuda *o, const struct run *run, bool each,
                               struct run_times *out)
{
    uint32_t last = each ? run->count * run->batch : 1;
    CUresult code;
    uint64_t ns;
    if (!cuda_time_between(o, 0, last, &out->total_ns, &code)) {
        cuda_tell_time(o, code, out);
        return;
    }
    for (uint32_t i = 0; out->parts_ns && i < run->count; i++)
        out->parts_ns[i] = each ? 0 : out->total_ns;
    for (uint32_t i = 0; each && i < last; i++) {
        if (!cuda_time_between(o, i, i + 1, &ns, &code)) {
            cuda_tell_time(o, code, out);
            return;
        }
        out->parts_ns[i % run->count] += ns;
    }
}

bool cuda_run(void *own, const struct run *run, struct run_times *times, bool *lost,
              struct result *r)
{
    struct cuda *o = own;
    CUresult code;
    bool each = times->parts_ns && run->count > 1;
    if (!o->runs)
        return result_fail(r, STATUS_RUNTIME, FAULT_WORKER,
                           "this device was opened to build for it: nothing can be run");
    if (!cuda_make_events(o, each ? run->count * run->batch + 1 : 2, &code))
        return cuda_report_events(o, code, r);
    uint64_t start_ns = clock_ns();
    bool ok = put_cuda_launches(o, run, each, lost, r);
    times->host_ns = clock_ns() - start_ns;
    if (ok)
        collect_cuda_times(o, run, each, times);
    return ok;
}

// ---- how fine the times are

#define TRIES    32
#define TRIAL_NS UINT64_C(1000000)

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// The least distance of two different times, of waits that differ a little; `claimed` where nothing
// is learnt.
static uint64_t timer_step(struct cuda *o, uint64_t claimed)
{
    uint64_t times[TRIES], step = 0;
    CUresult code;
    if (!o->wait_for || !cuda_make_events(o, TRIES + 1, &code))
        return claimed;
    for (uint32_t i = 0; i <= TRIES; i++) {
        if ((i && cuda_put_wait(o, 1000 + 37 * i) != CUDA_SUCCESS) ||
            o->cu.cuEventRecord(o->events[i], o->stream) != CUDA_SUCCESS)
            return claimed;
    }
    if (o->cu.cuStreamSynchronize(o->stream) != CUDA_SUCCESS)
        return claimed;
    for (uint32_t i = 0; i < TRIES; i++) {
        if (!cuda_time_between(o, i, i + 1, &times[i], &code))
            return claimed;
    }
    qsort(times, TRIES, sizeof *times, by_size);
    for (uint32_t i = 1; i < TRIES; i++) {
        uint64_t distance = times[i] - times[i - 1];
        if (distance && (step == 0 || distance < step))
            step = distance;
    }
    return step ? step : claimed;
}

// A wait of a known time must be seen by the events, and by the host to be no shorter.
static void find_fault(struct cuda *o)
{
    uint64_t said = 0, start_ns = clock_ns();
    CUresult code;
    if (!o->wait_for || !cuda_make_events(o, 2, &code) ||
        o->cu.cuEventRecord(o->events[0], o->stream) != CUDA_SUCCESS ||
        cuda_put_wait(o, TRIAL_NS) != CUDA_SUCCESS ||
        o->cu.cuEventRecord(o->events[1], o->stream) != CUDA_SUCCESS ||
        o->cu.cuStreamSynchronize(o->stream) != CUDA_SUCCESS)
        return;
    uint64_t host_ns = clock_ns() - start_ns;
    if (!cuda_time_between(o, 0, 1, &said, &code) || said < TRIAL_NS / 2 ||
        said > host_ns + host_ns / 4 + TRIAL_NS / 2)
        str_format(o->timer_fault, sizeof o->timer_fault,
                   "its events say %llu ns for a wait of %llu", (unsigned long long)said,
                   (unsigned long long)TRIAL_NS);
}

void cuda_run_prepare(struct cuda *o, struct device_info *info)
{
    o->pace.command_ns = LAUNCH_NS;
    o->calls.command_ns = CALL_NS;
    if (o->cu.cuModuleLoadData(&o->waiting, cuda_wait) != CUDA_SUCCESS)
        o->waiting = NULL;
    if (o->waiting &&
        o->cu.cuModuleGetFunction(&o->wait_for, o->waiting, "hone_wait") != CUDA_SUCCESS)
        o->wait_for = NULL;
    info->timer_ns = timer_step(o, info->timer_ns);
    find_fault(o);
    info->timer_fault = o->timer_fault;
}

void cuda_run_release(struct cuda *o)
{
    for (uint32_t i = 0; i < o->event_count; i++)
        o->cu.cuEventDestroy(o->events[i]);
    free(o->events);
    if (o->waiting)
        o->cu.cuModuleUnload(o->waiting);
}
