#include "cli/interrupt.h"
#include "cli/tuning.h"
#include "peak.h"
#include "report/peak.h"

#include "base/process.h"

#include <string.h>

#define STEP_MS 100

// One `hone peak`.
struct session {
    struct work work;
    const struct settings *settings;
    struct peaking *peaking;
    struct error broken;
};

// ---- progress ----------------------------------------------------------------------------------

static void show_progress(struct session *s)
{
    struct ticker *ticker = &s->work.ticker;
    struct peaking_progress p;
    struct text line = TEXT_INIT;
    uint64_t now = clock_ns();
    if (!ticker_due(ticker, now))
        return;
    peaking_progress(s->peaking, &p);
    if (p.evaluator.waiting)
        text_addf(&line, "waiting: %s", p.evaluator.waiting);
    else
        text_addf(&line, "%u of %u kernels, %s", p.done, p.planned,
                  p.evaluator.measuring ? "measuring" : "building");
    ticker_show(ticker, text_cstr(&line), now);
    text_release(&line);
}

static void work_off(struct session *s)
{
    enum peak_answer answer;
    bool ending = false;
    do {
        if (interrupt_pending() && !ending) {
            ending = true;
            peaking_cancel(s->peaking);
        }
        show_progress(s);
        answer = peaking_step(s->peaking, STEP_MS, &s->broken);
    } while (answer == PEAK_NOTHING);
    ticker_clear(&s->work.ticker);
}

// ---- the end -----------------------------------------------------------------------------------

static void add_json(const struct session *s, const struct peak *found, struct text *out)
{
    const struct work *w = &s->work;
    double arithmetic = peak_arithmetic(w->device);
    char date[32];
    struct emit j;
    environment_date(date);
    emit_start(&j, out);
    emit_object(&j);
    emit_text_at(&j, "hone", HONE_VERSION);
    emit_key(&j, "device");
    report_device_json(w->device, &j);
    emit_text_at(&j, "host", w->environment.host);
    emit_text_at(&j, "date", date);
    emit_text_at(&j, "store", w->store ? store_path(w->store) : NULL);
    emit_key(&j, "limits");
    report_peak_limits_json(found, &j);
    if (arithmetic > 0)
        emit_f64_at(&j, "fp32_arithmetic", arithmetic);
    else
        emit_null_at(&j, "fp32_arithmetic");
    emit_bool_at(&j, "cancelled", interrupt_pending() != 0);
    emit_text_at(&j, "error", s->broken.code ? s->broken.text : NULL);
    emit_object_end(&j);
    text_add(out, "\n");
}

// What counts from now on, where that is not what was just found.
static void add_earlier(struct session *s, const struct peak *found, struct text *out)
{
    struct error e = ERROR_INIT;
    struct work *w = &s->work;
    struct peak kept;
    if (!w->store)
        return;
    if (!peak_find(w->store, w->device, &w->arena, &kept, &e)) {
        complain("warning: %s", e.text);
        return;
    }
    report_peak_earlier(found, &kept, out);
}

static void add_text(struct session *s, const struct peak *found, struct text *out)
{
    bool is_known = peak_is_known(found);
    bool has_ended = !interrupt_pending() && !s->broken.code;
    report_device(s->work.device, out);
    if (is_known || has_ended)
        report_peak(s->work.device, found, out);
    if (is_known)
        add_earlier(s, found, out);
    if (s->work.store && is_known)
        text_addf(out, "Kept in %s\n", store_path(s->work.store));
    if (interrupt_pending())
        text_addf(out, "Interrupted: %s.\n",
                  is_known ? "what is shown is what was known by then" : "nothing was known yet");
}

static void show(struct session *s)
{
    const struct peak *found = peaking_found(s->peaking);
    struct text out = TEXT_INIT;
    if (s->settings->json)
        add_json(s, found, &out);
    else
        add_text(s, found, &out);
    put(&out);
    text_release(&out);
}

static int status_of(const struct session *s)
{
    const struct peak *found = peaking_found(s->peaking);
    bool is_whole = true;
    if (interrupt_pending())
        return EXIT_SIGNAL + interrupt_pending();
    if (s->broken.code)
        return work_failed(&s->broken);
    for (unsigned i = 0; i < PEAK_COUNT; i++)
        is_whole &= found->rates[i].known;
    return is_whole ? EXIT_DONE : EXIT_NOTHING;
}

// ---- beginning ---------------------------------------------------------------------------------

static int start(struct session *s)
{
    struct work *w = &s->work;
    struct error e = ERROR_INIT;
    const struct environment *v = &w->environment;
    const struct peak_options options = {.device = w->device,
                                         .worker = v->worker,
                                         .environment = v->worker_with,
                                         .lock_folder = LOCK_FOLDER,
                                         .store = w->store,
                                         .terms = terms_of(s->settings, NULL),
                                         .jobs = (uint32_t)s->settings->jobs.value,
                                         .leaving = true,
                                         .spare = w->spare,
                                         .command = w->call->line,
                                         .host = v->host,
                                         .log = &w->log};
    s->peaking = peaking_new(&options, &e);
    return s->peaking ? EXIT_DONE : work_failed(&e);
}

static int run(struct invocation *i)
{
    struct session s = {.settings = &i->settings};
    work_init(&s.work, i);
    interrupt_catch();
    int status = work_device(&s.work);
    if (status == EXIT_DONE)
        status = open_kept(&s.work);
    if (status == EXIT_DONE)
        status = start(&s);
    if (status == EXIT_DONE) {
        work_off(&s);
        show(&s);
        status = status_of(&s);
    }
    peaking_free(s.peaking);
    work_release(&s.work);
    return status;
}

// ---- the command -------------------------------------------------------------------------------

#define FIELD(member) offsetof(struct settings, member)

static const struct option language_options[] = {
    {.name = "language",
     .argument = "opencl|cuda",
     .help = "The language to measure in. Default: the first of them that the device speaks. What "
             "is measured in one language is held against results in that language.",
     .apply = option_language,
     .offset = FIELD(language)},
    {0},
};

static const struct option json_options[] = {
    LOCK_WAIT_OPTION,
    {.name = "json", .help = "Write one JSON object.", .apply = option_flag, .offset = FIELD(json)},
    {0},
};

static const struct option_group groups[] = {
    {"Options", language_options}, {"Options", device_options},
    {"Options", store_options},    {"Options", json_options},
    {"Options", jobs_options},     {"Options", no_store_options},
    {"Help", help_options},        {0}};

static const struct example examples[] = {
    {"hone peak", "the limits of the device that a tune would take"},
    {"hone peak --device H200 --language cuda", "those of a GPU, by CUDA"},
    {0},
};

const struct command command_peak = {
    .name = "peak",
    .summary = "measure what the device can do at most",
    .arguments = "",
    .description =
        "Measures the device's fp32 rate (chains of multiply-adds in registers, without tensor "
        "cores), the bandwidth of its memory (read alone, and copied: read and written), over "
        "buffers several times larger than its last cache, and the bandwidth of local memory "
        "(CUDA: shared memory), by small kernels of hone's own. Each kernel is tried in a few "
        "configurations and its output verified; the fastest is launched 16 times more: what is "
        "shown is the median of these with its 95 % interval. It is measured anew each time and "
        "takes some seconds; where others use the cores of a CPU meanwhile it warns, because the "
        "device can then do more.\n\n"
        "What was found is kept in the store, and of each limit the highest of the five newest "
        "measurements counts: who uses the device meanwhile only makes it slower. Where an earlier "
        "one is higher, that is said. `hone tune`, `hone run` and `hone sweep` say what "
        "share of the limit a result reaches, where a metric of the spec is in FLOP/s or B/s (or "
        "GFLOP/s, GB/s, GiB/s, ...). More than 100 % is no error: tensor cores and half precision "
        "are faster than fp32 arithmetic, and caches than memory; or others used the device each "
        "time "
        "that the limit was measured, and it is to be measured again.\n\n"
        "On a CPU device local memory is ordinary cache.\n\n"
        "With --json one object: hone, device, host, date, store, limits, fp32_arithmetic (of an "
        "NVIDIA card compute units x lanes x 2 x clock; else null), cancelled and error. limits "
        "has fp32 in flop/s, "
        "memory_read, memory_copy and local in bytes/s, each with rate (null: not known), interval "
        "([low, high]), rounds, configuration, date and why (it is not known).\n\n"
        "Exit status 1: one of the limits could not be measured.",
    .groups = groups,
    .examples = examples,
    .run = run,
    .compiles = true,
};
