// hone peak: measures what a device can do at most, and keeps it in the store.
#include "cli/run_workflow.h"
#include "cli/interrupt.h"
#include "cli/tuning.h"
#include "report/peak_report.h"
#include "workflows/peak/peak.h"

struct peak_settings {
    struct spec_settings given; // some rows of it
    struct measure_settings measure;
};

// One `hone peak`.
struct session {
    struct work work;
    const struct peak_settings *settings;
    struct peak_run *peaking;
};

// ---- progress ----------------------------------------------------------------------------------

static void show_peak_progress(void *context, const struct screen *screen, struct text *line)
{
    const struct session *s = context;
    struct workflow_progress p;
    peak_progress(s->peaking, &p);
    report_bar(p.done, p.planned, screen, line);
    if (p.evaluator.waiting)
        text_addf(line, "  waiting: %s", p.evaluator.waiting);
    else
        text_addf(line, "  %llu of %llu kernels, %s", (unsigned long long)p.done,
                  (unsigned long long)p.planned, p.evaluator.measuring ? "measuring" : "building");
}

// ---- the end -----------------------------------------------------------------------------------

// The limits that count from now on; NULL if no store has them.
static const struct peak *find_kept(struct session *s, struct peak *out)
{
    struct error e = ERROR_INIT;
    struct work *w = &s->work;
    if (!w->store)
        return NULL;
    if (peak_find(w->store, w->device, &w->arena, out, &e))
        return out;
    complain("warning: %s", e.text);
    return NULL;
}

static void show_peak(struct session *s, const struct peak *found)
{
    struct report_about about;
    struct peak kept;
    enum report_format format = s->settings->given.output.format;
    work_about(&s->work, &s->work.broken, &about);
    const struct peak_report report = {.about = &about,
                                       .device = s->work.device,
                                       .found = found,
                                       .kept = peak_is_known(found) ? find_kept(s, &kept) : NULL,
                                       .format = format,
                                       .cancelled = interrupt_pending() != 0};
    put_report(peak_writers, format, &report);
}

static bool is_whole(const struct peak *found)
{
    bool whole = true;
    for (unsigned i = 0; i < PEAK_COUNT; i++)
        whole &= found->rates[i].known;
    return whole;
}

// ---- beginning ---------------------------------------------------------------------------------

static int start_peak(struct session *s)
{
    struct work *w = &s->work;
    struct error e = ERROR_INIT;
    struct hone_tune_options options = work_options(w);
    options.store = w->opened;
    if (setup_init(&w->setup, &options, &e))
        s->peaking = peak_new(&(struct peak_options){w->setup.options.setup}, &e);
    return s->peaking ? EXIT_DONE : work_failed(&e);
}

static int run_peak(struct invocation *i)
{
    struct session s = {.settings = i->settings};
    work_init(&s.work, i, &s.settings->given, &s.settings->measure);
    interrupt_catch();
    int status = work_environment(&s.work);
    if (status == EXIT_DONE) {
        // Its references are as large as the caches that it measures past, and are asked for once.
        environment_keep_nothing(&s.work.environment);
        status = work_device(&s.work);
    }
    if (status == EXIT_DONE && !language_traits(s.work.device->language)->peak_words) {
        complain("hone has no kernels in %s that find limits; name another language",
                 language_title(s.work.device->language));
        status = EXIT_USAGE;
    }
    if (status == EXIT_DONE)
        status = open_kept(&s.work);
    if (status == EXIT_DONE)
        status = start_peak(&s);
    if (status == EXIT_DONE) {
        struct running running = {.workflow = peak_workflow(s.peaking),
                                  .work = &s.work,
                                  .context = &s,
                                  .progress = show_peak_progress,
                                  .silent = true};
        workflow_run(&running);
        show_peak(&s, peak_found(s.peaking));
        status = workflow_status(&s.work.broken, work_failed, is_whole(peak_found(s.peaking)));
    }
    peak_free(s.peaking);
    work_release(&s.work);
    return status;
}

// ---- the command -------------------------------------------------------------------------------

#define FIELD(member) offsetof(struct peak_settings, member)

static const struct option language_options[] = {
    {OPTION("language", LANGUAGES_ARGUMENT, option_language, FIELD(given.language)), .letter = 'l',
     .brief = "the language to measure in",
     .help = "The language to measure in. Default: the first of them that the device speaks. What "
             "is measured in one language is compared with results in that language."},
    {0},
};

static const struct option json_options[] = {
    {OPTION("json", NULL, option_json, FIELD(given.output)), .brief = "JSON, for scripts",
     .help = "Write one JSON object."},
    {0},
};

static const struct option_group groups[] = {{"Options", language_options, 0},
                                             {"Options", device_options, FIELD(given)},
                                             {"Options", store_options, FIELD(given)},
                                             {"Options", json_options, 0},
                                             {"Options", timeout_options, FIELD(measure)},
                                             {"Options", jobs_options, FIELD(measure)},
                                             {"Options", format_options, FIELD(given.output)},
                                             {"Help", help_options, 0},
                                             {0}};

static const struct example examples[] = {
    {"hone peak", "the limits of the device that a tune would take"},
    {"hone peak --device H200 --language cuda", NEEDS_GPU "its limits by CUDA"},
    {0},
};

static const struct json_record json_records[] = {{"peak", &report_peak_fields}, {0}};

extern const char about_peak[]; // about/peak.txt

const struct command command_peak = {
    .name = "peak",
    .group = GROUP_MEASURE,
    .summary = "measure the device's limits",
    .arguments = "",
    .description = about_peak,
    .json = "With --json one object.",
    .records = json_records,
    .topics = "devices, json",
    .groups = groups,
    .examples = examples,
    .settings_size = sizeof(struct peak_settings),
    .run = run_peak,
    .compiles = true,
};
