// Counts what a launch does by CUPTI's range profiler: the launch is repeated, and in each pass the card counts other events of
// each kernel. CUPTI is opened at the first counting, so that nothing of it is in the process while launches are timed.
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
    X(l2_link_busy, "lts__lts2xbar_cycles_active.avg.pct_of_peak_sustained_elapsed")               \
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
#define METRIC(counter, name) {COUNTER_##counter, NULL, name},
#define STALL(name, text)     {COUNTER_COUNT, text, "smsp__warps_issue_stalled_" name ".sum"},
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
                         "CUPTI, which reads the card's counters, is neither beside NVRTC nor "
                         "where the loader looks nor below /usr/local/cuda; install it (NVIDIA: "
                         "cuda-cupti; PyPI: nvidia-cuda-cupti), or set CUDA_HOME to the folder "
                         "of a CUDA toolkit");
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
        return error_set_driver(e, ERROR_DEVICE, code,
                                "the driver lets administrators alone read counters "
                                "(ERR_NVGPUCTRPERM); one of them lets all do it by a file "
                                "/etc/modprobe.d/nvidia-counters.conf with the line \"options "
                                "nvidia NVreg_RestrictProfilingToAdminUsers=0\" and a restart");
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
    uint32_t kernels; // of a launch: a range each
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

static bool plan_passes(struct cupti_session *s, CUdevice device, struct error *e)
{
    struct cupti_nothing nothing = {.size = 0};
    struct cupti_chip chip = {.device = (size_t)device};
    if (!CALL(s, cuptiProfilerInitialize, &nothing, e) ||
        !CALL(s, cuptiDeviceGetChipName, &chip, e))
        return false;
    struct cupti_host host = {.kind = CUPTI_RANGE_PROFILER, .chip = chip.name};
    if (!CALL(s, cuptiProfilerHostInitialize, &host, e))
        return false;
    s->host = host.host;
    // Metrics that this kind of card lacks are left out: one alone would fail them all.
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        struct cupti_metric m = {.size = CUPTI_UP_TO(struct cupti_metric, type),
                                 .host = s->host,
                                 .name = metrics[i].name};
        if (s->api.cuptiProfilerHostGetMetricProperties(&m) != CUPTI_OK)
            continue;
        s->indices[s->count] = i;
        s->names[s->count++] = metrics[i].name;
    }
    struct cupti_metrics wanted = {.host = s->host, .names = s->names, .count = s->count};
    struct cupti_plan_size size = {.host = s->host};
    if (!CALL(s, cuptiProfilerHostConfigAddMetrics, &wanted, e) ||
        !CALL(s, cuptiProfilerHostGetConfigImageSize, &size, e))
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
    struct cupti_data_size size = {.profiler = s->profiler,
                                   .names = s->names,
                                   .count = s->count,
                                   .ranges = s->kernels,
                                   .nodes = s->kernels};
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
                                  .range = CUPTI_AUTO_RANGE,
                                  .replay = CUPTI_USER_REPLAY,
                                  .ranges = s->kernels,
                                  .levels = 1,
                                  .least_level = 1};
    return CALL(s, cuptiRangeProfilerCounterDataImageInitialize, &data, e) &&
           called(&s->api, "cuptiRangeProfilerSetConfig",
                  s->api.cuptiRangeProfilerSetConfig(&config), e);
}

// Every pass launches the job as it was launched before.
static bool run_passes(struct cupti_session *s, const struct counting *launches, uint32_t *passes,
                       bool *failed, struct error *e)
{
    struct cupti_profiler profiler = {.profiler = s->profiler};
    struct cupti_stop stop = {.profiler = s->profiler};
    struct cupti_decode decode = {.profiler = s->profiler};
    for (*passes = 0; !stop.is_over && *passes < PASSES_MOST; ++*passes) {
        *failed = !launches->restore(launches->context);
        if (*failed)
            return true;
        if (!CALL(s, cuptiRangeProfilerStart, &profiler, e))
            return false;
        *failed = !launches->launch(launches->context);
        if (*failed)
            return true;
        stop.size = CUPTI_UP_TO(struct cupti_stop, is_over);
        if (!called(&s->api, "cuptiRangeProfilerStop", s->api.cuptiRangeProfilerStop(&stop), e))
            return false;
    }
    return CALL(s, cuptiRangeProfilerDecodeData, &decode, e);
}

static bool is_share(enum counter counter)
{
    static const enum counter shares[] = {
#define X(name) COUNTER_##name,
        COUNTERS_OF_ELAPSED(X) COUNTER_occupancy
#undef X
    };
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        if (shares[i] == counter)
            return true;
    }
    return false;
}

// Adds a kernel's values to the job's: counts as they are, shares by the time in which they were counted (metrics[0]).
static void add_kernel(const struct cupti_session *s, double *stalled, struct counters *out)
{
    for (size_t i = 0; i < s->count; i++) {
        size_t metric = s->indices[i];
        enum counter counter = metrics[metric].counter;
        double value = s->values[i];
        if (counter == COUNTER_COUNT) {
            stalled[metric] += value;
            continue;
        }
        if (is_share(counter))
            value *= s->values[0];
        out->values[counter] = isnan(out->values[counter]) ? value : out->values[counter] + value;
    }
}

static bool take_counters(struct cupti_session *s, struct counters *out, struct error *e)
{
    double stalled[METRIC_COUNT] = {0}, all = 0;
    size_t most = 0;
    for (uint32_t kernel = 0; kernel < s->kernels; kernel++) {
        struct cupti_values values = {.host = s->host,
                                      .data = s->data,
                                      .bytes = s->data_bytes,
                                      .range = kernel,
                                      .names = s->names,
                                      .count = s->count,
                                      .values = s->values};
        if (!CALL(s, cuptiProfilerHostEvaluateToGpuValues, &values, e))
            return false;
        add_kernel(s, stalled, out);
    }
    for (int i = 0; i < COUNTER_COUNT; i++) {
        if (is_share((enum counter)i))
            out->values[i] /= out->values[COUNTER_counted_ns];
    }
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        all += stalled[i];
        most = stalled[i] > stalled[most] ? i : most;
    }
    if (all > 0) {
        out->stall = metrics[most].stall;
        out->values[COUNTER_stall_share] = 100 * stalled[most] / all;
    }
    return true;
}

bool cuda_count(void *own, const struct counting *launches, struct counters *out, struct arena *a,
                struct error *e)
{
    struct cuda *o = own;
    struct cupti_session s = {.kernels = launches->kernels};
    uint32_t version = 0;
    bool failed = false;
    bool ok = open_cupti(o, &s.api, e) && plan_passes(&s, o->device, e) &&
              enable_profiler(&s, o->context, e) &&
              run_passes(&s, launches, &out->passes, &failed, e) &&
              (failed || take_counters(&s, out, e));
    if (ok && !failed) {
        s.api.cuptiGetVersion(&version);
        const char *source = arena_printf(a, "CUPTI %u", version);
        ok = source || error_memory(e);
        out->source = source ? source : "";
    }
    struct cupti_profiler profiler = {.size = sizeof profiler, .profiler = s.profiler};
    struct cupti_host_end host = {.size = sizeof host, .host = s.host};
    if (s.profiler)
        s.api.cuptiRangeProfilerDisable(&profiler);
    if (s.host)
        s.api.cuptiProfilerHostDeinitialize(&host);
    free(s.plan);
    free(s.data);
    return ok;
}
