// Counts what a launch does by CUPTI's range profiler: the launch is repeated, and in each pass the card counts other events.
// CUPTI is opened at the first counting, so that nothing of it is in the process while launches are timed.
#include "device/backends/cuda/cuda.h"
#include "device/backends/cuda/cupti_api.h"
#include "device/routine.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PASSES_MOST 200

// X(counter, metric): metrics of one counter are added up.
#define METRICS(X)                                                                                 \
    X(counted_ns, "gpu__time_duration.sum")                                                        \
    X(dram_read_bytes, "dram__bytes_read.sum")                                                     \
    X(dram_write_bytes, "dram__bytes_write.sum")                                                   \
    X(dram_busy, "dram__throughput.avg.pct_of_peak_sustained_elapsed")                             \
    X(l2_read_bytes, "l1tex__m_xbar2l1tex_read_bytes.sum")                                         \
    X(l2_write_bytes, "l1tex__m_l1tex2xbar_write_bytes.sum")                                       \
    X(l2_sectors, "lts__t_sectors.sum")                                                            \
    X(l2_hit_sectors, "lts__t_sectors_lookup_hit.sum")                                             \
    X(l2_busy, "lts__t_sectors.avg.pct_of_peak_sustained_elapsed")                                 \
    X(l2_link_busy, "l1tex__m_xbar2l1tex_read_sectors.avg.pct_of_peak_sustained_elapsed")          \
    X(l1_sectors, "l1tex__t_sectors.sum")                                                          \
    X(l1_hit_sectors, "l1tex__t_sectors_lookup_hit.sum")                                           \
    X(l1_busy, "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed")                \
    X(shared_wavefronts, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum")                         \
    X(bank_conflicts, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum")                        \
    X(local_sectors, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum")                              \
    X(local_sectors, "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum")                              \
    X(atomic_sectors, "lts__t_sectors_op_atom.sum")                                                \
    X(atomic_sectors, "lts__t_sectors_op_red.sum")                                                 \
    X(atomic_busy, "lts__d_atomic_input_cycles_active.avg.pct_of_peak_sustained_elapsed")          \
    X(instructions, "smsp__inst_executed.sum")                                                     \
    X(item_instructions, "smsp__thread_inst_executed.sum")                                         \
    X(tensor_instructions, "sm__inst_executed_pipe_tensor.sum")                                    \
    X(warps, "smsp__warps_launched.sum")                                                           \
    X(occupancy, "sm__warps_active.avg.pct_of_peak_sustained_active")                              \
    X(active_cycles, "sm__cycles_active.avg")                                                      \
    X(elapsed_cycles, "sm__cycles_elapsed.max")                                                    \
    X(issue_busy, "smsp__issue_active.avg.pct_of_peak_sustained_elapsed")                          \
    X(tensor_busy, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed")              \
    X(fma_busy, "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed")                    \
    X(fp64_busy, "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed")                  \
    X(alu_busy, "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed")                    \
    X(xu_busy, "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed")

// X(name in the metric, what a warp waits for)
#define STALLS(X)                                                                                  \
    X("barrier", "others at a barrier")                                                            \
    X("branch_resolving", "a branch's target")                                                     \
    X("dispatch_stall", "dispatch")                                                                \
    X("drain", "stores, at its end")                                                               \
    X("gmma", "a tensor instruction of several warps")                                             \
    X("imc_miss", "constants")                                                                     \
    X("lg_throttle", "the queue of accesses to global and private memory")                         \
    X("long_scoreboard", "data from L2 or memory")                                                 \
    X("math_pipe_throttle", "a busy arithmetic pipe")                                              \
    X("membar", "a memory fence")                                                                  \
    X("mio_throttle", "the queue of accesses to shared memory")                                    \
    X("misc", "something else")                                                                    \
    X("no_instruction", "instructions to be fetched")                                              \
    X("short_scoreboard", "data from shared memory")                                               \
    X("sleeping", "its own sleep")                                                                 \
    X("tex_throttle", "the queue of texture accesses")                                             \
    X("wait", "the instruction before, of fixed latency")

static const struct {
    enum counter counter; // COUNTER_COUNT: of warps that wait for `stall`
    const char *stall, *name;
} metrics[] = {
#define METRIC(counter, name)      {COUNTER_##counter, NULL, name},
#define STALL(name, text)          {COUNTER_COUNT, text, "smsp__warps_issue_stalled_" name ".sum"},
    METRICS(METRIC) STALLS(STALL)};
#define METRIC_COUNT (sizeof metrics / sizeof *metrics)

// ---- opening -----------------------------------------------------------------------------------

static const struct library_function cupti_entries[] = {
#define X(name, parameters) {#name, offsetof(struct cupti_api, name), false},
    CUPTI_FUNCTIONS(X)
#undef X
};

// Its names, in the order in which they are tried: below a toolkit, beside NVRTC, and in PyPI's packages.
static void *open_cupti_in(const char *folder, void *context)
{
    static const char *const places[] = {"", "../extras/CUPTI/lib64/", "../../cuda_cupti/lib/"};
    static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
    void *library = NULL;
    (void)context;
    for (size_t i = 0; !library && i < 9; i++) {
        struct text path = TEXT_INIT, host = TEXT_INIT;
        const char *slash = *folder ? "/" : "";
        // It opens its other half by name alone, which a folder of a toolkit need not be known for.
        text_addf(&host, "%s%s%slibnvperf_host.so", folder, slash, *folder ? places[i / 3] : "");
        text_addf(&path, "%s%s%s%s", folder, slash, *folder ? places[i / 3] : "", names[i % 3]);
        if (*folder)
            dlopen(text_cstr(&host), RTLD_NOW | RTLD_GLOBAL);
        library = dlopen(text_cstr(&path), RTLD_NOW | RTLD_LOCAL);
        text_release(&path);
        text_release(&host);
    }
    return library;
}

static void *find_cupti(const struct cuda *o)
{
    const char *nvrtc = text_cstr(&o->compiler.opened), *slash = strrchr(nvrtc, '/');
    struct text folder = TEXT_INIT;
    void *library = NULL;
    if (slash) {
        text_addn(&folder, nvrtc, (size_t)(slash - nvrtc));
        library = open_cupti_in(text_cstr(&folder), NULL);
    }
    text_release(&folder);
    if (!library)
        library = open_cupti_in("", NULL);
    return library ? library : cuda_toolkits_find(o->options->toolkit, open_cupti_in, NULL);
}

static bool open_cupti(const struct cuda *o, struct cupti_api *api, struct error *e)
{
    void *library = find_cupti(o);
    if (!library)
        return error_set(e, ERROR_DEVICE,
                         "CUPTI, which reads the card's counters, is neither beside NVRTC nor where the loader looks nor "
                         "below /usr/local/cuda; install it (NVIDIA: cuda-cupti; PyPI: nvidia-cuda-cupti), or set "
                         "CUDA_HOME to the folder of a CUDA toolkit");
    const char *missing = library_functions(library, cupti_entries,
                                            sizeof cupti_entries / sizeof *cupti_entries, api);
    return !missing ||
           error_set(e, ERROR_DEVICE, "libcupti.so has no %s: that of CUDA 12.6 or newer is needed",
                     missing);
}

static bool cupti_failed(const struct cupti_api *api, const char *call, int code, struct error *e)
{
    const char *text = NULL;
    switch (code) {
    case CUPTI_NOT_PERMITTED:
        return error_set_driver(
            e, ERROR_DEVICE, code,
            "the driver lets administrators alone read counters (ERR_NVGPUCTRPERM); one of them lets all do it by a file "
            "/etc/modprobe.d/nvidia-counters.conf with the line \"options nvidia NVreg_RestrictProfilingToAdminUsers=0\" "
            "and a restart");
    case CUPTI_VIRTUAL:
    case CUPTI_VIRTUAL_NOT_PERMITTED:
        return error_set_driver(e, ERROR_DEVICE, code,
                                "this virtual card's counters cannot be read; its host's "
                                "administrator may allow it in the settings of the vGPU");
    default:
        if (api->cuptiGetResultString(code, &text) != CUPTI_OK || !text)
            text = "a code of its own";
        return error_set_driver(e, ERROR_DEVICE, code, "%s: %s (%d)", call, text, code);
    }
}

// ---- counting ----------------------------------------------------------------------------------

struct cupti_session {
    struct cupti_api api;
    void *host, *profiler;
    const char *names[METRIC_COUNT]; // that the card has
    size_t indices[METRIC_COUNT];    // of `metrics`
    size_t count;
    uint8_t *plan, *data;
    size_t plan_bytes, data_bytes;
    double values[METRIC_COUNT];
};

// Calls a function with parameters of this type whose members are given; *p then has its answer.
#define CALL(s, function, p, e)                                                                    \
    called(&(s)->api, #function, ((p)->size = sizeof *(p), (s)->api.function(p)), e)

static bool called(const struct cupti_api *api, const char *call, int code, struct error *e)
{
    return code == CUPTI_OK || cupti_failed(api, call, code, e);
}

// Metrics that this kind of card lacks are left out: one alone would fail them all.
static void choose_metrics(struct cupti_session *s)
{
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        struct cupti_metric m = {.size = CUPTI_UP_TO(struct cupti_metric, type),
                                 .host = s->host,
                                 .name = metrics[i].name};
        if (s->api.cuptiProfilerHostGetMetricProperties(&m) != CUPTI_OK)
            continue;
        s->indices[s->count] = i;
        s->names[s->count++] = metrics[i].name;
    }
}

static bool plan_passes(struct cupti_session *s, CUdevice device, struct error *e)
{
    struct cupti_nothing nothing = {.size = 0};
    struct cupti_chip chip = {.device = (size_t)device};
    if (!CALL(s, cuptiProfilerInitialize, &nothing, e) || !CALL(s, cuptiDeviceGetChipName, &chip, e))
        return false;
    struct cupti_host host = {.kind = CUPTI_RANGE_PROFILER, .chip = chip.name};
    if (!CALL(s, cuptiProfilerHostInitialize, &host, e))
        return false;
    s->host = host.host;
    choose_metrics(s);
    struct cupti_metrics wanted = {.host = s->host, .names = s->names, .count = s->count};
    struct cupti_plan_size size = {.host = s->host};
    if (!CALL(s, cuptiProfilerHostConfigAddMetrics, &wanted, e) || !CALL(s, cuptiProfilerHostGetConfigImageSize, &size, e))
        return false;
    s->plan_bytes = size.bytes;
    s->plan = calloc(1, size.bytes + 1);
    struct cupti_plan plan = {.host = s->host, .bytes = size.bytes, .plan = s->plan};
    return s->plan ? CALL(s, cuptiProfilerHostGetConfigImage, &plan, e) : error_memory(e);
}

static bool enable_profiler(struct cupti_session *s, CUcontext context, struct error *e)
{
    struct cupti_enable enable = {.context = context};
    if (!CALL(s, cuptiRangeProfilerEnable, &enable, e))
        return false;
    s->profiler = enable.profiler;
    struct cupti_data_size size = {
        .profiler = s->profiler, .names = s->names, .count = s->count, .ranges = 1, .nodes = 1};
    if (!CALL(s, cuptiRangeProfilerGetCounterDataSize, &size, e))
        return false;
    s->data_bytes = size.bytes;
    s->data = calloc(1, size.bytes + 1);
    if (!s->data)
        return error_memory(e);
    struct cupti_data data = {.profiler = s->profiler, .bytes = size.bytes, .data = s->data};
    struct cupti_config config = {.size = CUPTI_UP_TO(struct cupti_config, level),
                                  .profiler = s->profiler,
                                  .plan_bytes = s->plan_bytes,
                                  .plan = s->plan,
                                  .data_bytes = size.bytes,
                                  .data = s->data,
                                  .range = CUPTI_USER_RANGE,
                                  .replay = CUPTI_USER_REPLAY,
                                  .ranges = 1,
                                  .levels = 1,
                                  .least_level = 1};
    return CALL(s, cuptiRangeProfilerCounterDataImageInitialize, &data, e) &&
           called(&s->api, "cuptiRangeProfilerSetConfig", s->api.cuptiRangeProfilerSetConfig(&config), e);
}

// Every pass launches the job as it was launched before: `launches` restores what it needs.
static bool run_passes(struct cupti_session *s, const struct counting *launches, uint32_t *passes,
                       bool *failed, struct error *e)
{
    struct cupti_profiler profiler = {.profiler = s->profiler};
    struct cupti_push push = {.profiler = s->profiler, .name = "job"};
    struct cupti_stop stop = {.profiler = s->profiler};
    for (*passes = 0; !stop.is_over && *passes < PASSES_MOST; ++*passes) {
        if (!launches->restore(launches->context)) {
            *failed = true;
            return true;
        }
        if (!CALL(s, cuptiRangeProfilerStart, &profiler, e) || !CALL(s, cuptiRangeProfilerPushRange, &push, e))
            return false;
        *failed = !launches->launch(launches->context);
        if (*failed)
            return true;
        stop.size = CUPTI_UP_TO(struct cupti_stop, is_over);
        if (!CALL(s, cuptiRangeProfilerPopRange, &profiler, e) || !called(&s->api, "cuptiRangeProfilerStop", s->api.cuptiRangeProfilerStop(&stop), e))
            return false;
    }
    struct cupti_decode decode = {.profiler = s->profiler};
    struct cupti_values values = {.host = s->host,
                                  .data = s->data,
                                  .bytes = s->data_bytes,
                                  .names = s->names,
                                  .count = s->count,
                                  .values = s->values};
    return CALL(s, cuptiRangeProfilerDecodeData, &decode, e) && CALL(s, cuptiProfilerHostEvaluateToGpuValues, &values, e);
}

static void take_counters(const struct cupti_session *s, struct counters *out)
{
    double stalled = 0, most = 0;
    for (size_t i = 0; i < s->count; i++) {
        enum counter counter = metrics[s->indices[i]].counter;
        if (counter != COUNTER_COUNT) {
            double *value = &out->values[counter];
            *value = isnan(*value) ? s->values[i] : *value + s->values[i];
            continue;
        }
        stalled += s->values[i];
        if (s->values[i] <= most)
            continue;
        most = s->values[i];
        out->stall = metrics[s->indices[i]].stall;
    }
    if (stalled > 0)
        out->values[COUNTER_stall_share] = 100 * most / stalled;
}

static void end_counting(struct cupti_session *s)
{
    struct cupti_profiler profiler = {.size = sizeof profiler, .profiler = s->profiler};
    struct cupti_host_end host = {.size = sizeof host, .host = s->host};
    if (s->profiler)
        s->api.cuptiRangeProfilerDisable(&profiler);
    if (s->host)
        s->api.cuptiProfilerHostDeinitialize(&host);
    free(s->plan);
    free(s->data);
}

bool cuda_count(void *own, const struct counting *launches, struct counters *out, struct arena *a,
                struct error *e)
{
    struct cuda *o = own;
    struct cupti_session s = {.count = 0};
    uint32_t version = 0;
    bool failed = false;
    bool ok = open_cupti(o, &s.api, e) && plan_passes(&s, o->device, e) &&
              enable_profiler(&s, o->context, e) &&
              run_passes(&s, launches, &out->passes, &failed, e);
    if (ok && !failed) {
        s.api.cuptiGetVersion(&version);
        take_counters(&s, out);
        const char *source = arena_printf(a, "CUPTI %u", version);
        ok = source || error_memory(e);
        out->source = source ? source : "";
    }
    end_counting(&s);
    return ok;
}
