// hone tune: steps a tune of the library (hone_tune_step()), shows each record as it comes, and at the end the ranking
// and what to type next.
#include "report/report.h"
#include "cli/crash.h"
#include "cli/interrupt.h"
#include "cli/nodes.h"
#include "cli/recording.h"
#include "cli/run_workflow.h"
#include "cli/tuning.h"
#include "report/progress.h"

#include "os/process.h"

#include <stdlib.h>

#define BEST_ROWS 10
#define A_MOMENT  500000000ull // ns: most replays are over by then

// One `hone tune`.
struct session {
    struct work work;
    const struct writer *writer;
    struct page_beside page;
    enum report_format format;
    bool verbose, warned; // warned: that all of the first ones failed
};

// ---- progress ----------------------------------------------------------------------------------

static void show_tune_progress(void *context, const struct screen *screen, struct text *line)
{
    struct session *s = context;
    struct tune_view t;
    tune_view(tune_of(s->work.handle), &t);
    report_tune_progress(&t.progress, &t.options->objectives, s->work.spec, screen, line);
}

// Warn during the run, so that the user can stop and fix the spec.
static void warn_alike(struct session *s)
{
    struct tune_view t;
    struct text text = TEXT_INIT;
    if (s->warned)
        return;
    tune_view(tune_of(s->work.handle), &t);
    tuning_alike(&s->work, &t.progress, &text);
    s->warned = text.length > 0;
    if (s->warned) {
        ticker_clear(&s->work.ticker);
        complain("%s", text_cstr(&text));
    }
    text_release(&text);
}

static void tell_page(void *context)
{
    struct session *s = context;
    struct tune_view t;
    tune_view(tune_of(s->work.handle), &t);
    page_beside_turn(&s->page, &t.progress.common);
}

// ---- results -----------------------------------------------------------------------------------

static bool show_record(void *context, const void *found)
{
    struct session *s = context;
    const struct tune_record *record = found;
    if (s->format == REPORT_JSON || s->verbose) {
        struct tune_report report;
        struct text line = TEXT_INIT;
        tuning_frame(&s->work, &report.frame);
        writer_record(s->writer, &report, record, &line);
        workflow_write(&s->work.ticker, &line);
    }
    warn_alike(s);
    return true;
}

static void show_head(struct session *s)
{
    struct tune_report report;
    struct text text = TEXT_INIT;
    tuning_report(&s->work, false, &report);
    writer_head(s->writer, &report, &text);
    workflow_write(&s->work.ticker, &text);
}

// Would hone best answer with this one? It looks at the whole space, and at warm rankings first.
static bool is_answer(const struct session *s, const struct tune_report *v)
{
    const struct tune_settings *o = s->work.call->settings;
    return v->progress.ranked.decided && !o->measure.terms.cold && o->given.where.count == 0 &&
           o->given.config.count == 0 && o->given.share.parts <= 1;
}

// The first row of the Pareto set, else of all; NULL: there is none.
static const struct tune_record *first_row(const struct tune_report *v)
{
    for (size_t i = 0; i < v->ranking_count; i++) {
        if (v->ranking[i]->pareto)
            return v->ranking[i];
    }
    return v->ranking_count > 0 ? v->ranking[0] : NULL;
}

// Suggests hone peak for the same view of the device, with the same store.
static void suggest_peak(const struct work *w, struct text *out)
{
    const struct tune_settings *o = w->call->settings;
    if (!language_traits(w->device->language)->peak_words)
        return;
    text_add(out, "What the device can do:     hone peak");
    if (o->given.language.is_given || w->device->language != LANGUAGE_FIRST)
        text_addf(out, " --language %s", language_text(w->device->language));
    if (o->given.device) {
        text_add(out, " --device ");
        text_add_shell(out, w->takes_kind ? w->device->id : o->given.device);
    }
    if (o->given.store) {
        text_add(out, " --store ");
        text_add_shell(out, o->given.store);
    }
    text_add(out, "\n");
}

// hone run or hone best with the same spec, constants, device and store, and the configuration where the command would
// not find it by itself.
static void add_command(const struct session *s, const char *command, bool named,
                        const struct tune_record *one, struct text *out)
{
    struct text configuration = TEXT_INIT;
    text_addf(out, "hone %s ", command);
    work_same(&s->work, out);
    if (one && named)
        work_configuration(s->work.spec, one->choice, &configuration);
    if (configuration.length) { // parameters of one value need not be named
        text_add(out, " --config ");
        text_add_shell(out, text_cstr(&configuration));
    }
    text_release(&configuration);
}

// Suggests what to type next.
static void suggest(const struct session *s, const struct tune_report *v, struct text *out)
{
    const struct work *w = &s->work;
    const struct tune_record *best = v->progress.best, *one = best ? best : first_row(v);
    bool has_best = w->store && s->work.goal.count == 1;
    if (!v->in_short)
        text_addf(out, "\nEverything about the %s:  ", best ? "best" : "first");
    else if (!has_best)
        text_add(out, "Next: ");
    if (!v->in_short || !has_best)
        add_command(s, "run", true, one, out);
    if (has_best) {
        text_add(out, v->in_short ? "Next: " : "\nIts compiler options:       ");
        add_command(s, "best", !is_answer(s, v), one, out);
        text_add(out, " --options");
    }
    text_add(out, "\n");
    if (!v->in_short && tuning_wants_peak(&s->work) && !v->frame.peak)
        suggest_peak(w, out);
}

// Where results are written to.
static struct screen result_screen(void)
{
    struct ticker ticker;
    ticker_init(&ticker, stdout);
    return ticker_screen(&ticker);
}

static void show_end(struct session *s)
{
    const struct tune_settings *o = s->work.call->settings;
    struct tune_report report;
    struct text text = TEXT_INIT, options = TEXT_INIT;
    tuning_report(&s->work, true, &report);
    if (!report.ranking)
        complain("out of memory: the table is not complete");
    if (s->work.store && s->format != REPORT_JSON && !work_kept(&s->work))
        s->work.about.store = NULL;
    report.format = s->format;
    report.rows = BEST_ROWS;
    report.in_short = s->format == REPORT_TEXT && !o->details;
    if (s->format == REPORT_TEXT)
        report.screen = result_screen();
    if (report.in_short)
        tuning_options_of_best(&s->work, &options);
    report.options = text_cstr(&options);
    writer_end(s->writer, &report, &text);
    if (s->format != REPORT_JSON) {
        if (o->details)
            report_timing(&report, &text);
        if (s->work.about.store && !report.in_short)
            text_addf(&text, "Every result is kept in %s\n", s->work.about.store);
        if (report.ranking_count > 0 && !report.head.recorded)
            suggest(s, &report, &text);
    }
    workflow_write(&s->work.ticker, &text);
    text_release(&options);
}

// ---- the end -----------------------------------------------------------------------------------

static int status_of(struct session *s)
{
    struct tune_view t;
    tune_view(tune_of(s->work.handle), &t);
    int status =
        workflow_status(&s->work.broken, workflow_failed, t.progress.by_status[STATUS_CORRECT]);
    bool has_ended = !interrupt_pending() && !s->work.broken.code && !s->work.recorded;
    if (has_ended && tuning_spec_errors(&t.progress, s->work.spec->path) != EXIT_DONE)
        return EXIT_NOTHING;
    return status;
}

// The first crash, of a configuration or of the reference; else the first write out of bounds.
static void tell_crash(struct session *s)
{
    struct tune_view t;
    const struct tune_record *first = NULL;
    if (s->work.recorded)
        return;
    tune_view(tune_of(s->work.handle), &t);
    for (size_t i = 0; i < t.count; i++) {
        if (crash_is_worse(t.records[i]->result, first ? first->result : NULL))
            first = t.records[i];
    }
    tuning_tell_crash(&s->work, first);
    crash_tell_reference(&s->work, &t.progress.common.evaluator);
}

// A recording has parameters of its own; nothing else has.
static int refuse_missing_spec(const struct invocation *i)
{
    const struct tune_settings *o = i->settings;
    if (i->argument_count > 0 || o->replay)
        return EXIT_DONE;
    return refuse_usage(&command_tune, "tune needs SPEC, or --replay FILE");
}

static void session_init(struct session *s, const struct invocation *i)
{
    const struct tune_settings *o = i->settings;
    enum report_format format = o->given.output.format;
    *s = (struct session){.format = format,
                          .writer = &tune_writers[format],
                          .verbose = o->verbose,
                          .page = PAGE_BESIDE_NONE};
    work_init(&s->work, i, &o->given, &o->measure);
    s->work.search = &o->search;
    s->work.replayed = o->replay;
}

// On one device. An exit status.
static int run_session(struct session *s)
{
    const struct tune_settings *o = s->work.call->settings;
    int status = tuning_open(&s->work);
    if (status == EXIT_DONE)
        status = tuning_goal(&s->work);
    s->work.options.build_only = o->build_only;
    s->work.options.leaving = !s->work.takes_kind; // else another one follows
    if (status == EXIT_DONE)
        status = tuning_start(&s->work, NULL);
    if (status == EXIT_DONE)
        status = page_beside_start(&s->page, &s->work, &o->search.objective, o->report);
    if (status != EXIT_DONE)
        return status;
    show_head(s);
    if (s->work.recorded)
        s->work.ticker.next_ns = clock_ns() + A_MOMENT;
    struct running running = {.workflow = tune_workflow(tune_of(s->work.handle)),
                              .work = &s->work,
                              .context = s,
                              .record = show_record,
                              .progress = show_tune_progress,
                              .turn = o->report ? tell_page : NULL,
                              .silent = s->work.recorded != NULL};
    workflow_run(&running);
    show_end(s);
    status = status_of(s);
    tell_crash(s);
    return status;
}

// --device all: tunes on each kind of device, one after the other. A failure on one device is
// reported; the others are still tuned. The nodes that the first one started serve all.
static int run_all(const struct invocation *i)
{
    struct session sessions[2]; // the first, and one of those behind it
    int status = EXIT_DONE;
    session_init(&sessions[0], i);
    for (uint32_t kind = 0, all = 1; kind < all && !interrupt_pending() && status != EXIT_USAGE;
         kind++) {
        struct session *s = &sessions[kind > 0];
        struct work *w = &s->work;
        if (kind > 0) {
            struct text gap = TEXT_INIT;
            session_init(s, i);
            w->nodes_of = &sessions[0].work;
            text_add(&gap, s->format == REPORT_JSON ? "" : "\n");
            workflow_write(&w->ticker, &gap);
        }
        w->takes_kind = true;
        w->kind = kind;
        int own = run_session(s);
        all = w->kind_count > all ? w->kind_count : all;
        status = own != EXIT_DONE ? own : status;
        hone_tune_free(w->handle);
        w->handle = NULL;
        if (kind > 0)
            work_release(w);
    }
    work_release(&sessions[0].work);
    return status;
}

static int run_tune(struct invocation *i)
{
    const struct tune_settings *o = i->settings;
    struct session s;
    interrupt_catch();
    int status = refuse_missing_spec(i);
    if (status != EXIT_DONE)
        return status;
    if (str_equal(o->given.device, WORK_DEVICE_ALL))
        return run_all(i);
    session_init(&s, i);
    status = run_session(&s);
    page_beside_end(&s.page);
    work_release(&s.work);
    return status;
}

// ---- the command -------------------------------------------------------------------------------

#define FIELD(member) offsetof(struct tune_settings, member)

static bool option_recording(void *field, const char *value, struct error *e)
{
    return value[0] ? option_text(field, value, e)
                    : error_set(e, ERROR_USAGE, "the file has no name");
}

static const struct option way_options[] = {
    {OPTION("replay", "FILE", option_recording, FIELD(replay)),
     .excludes = "build-only, language, iterations, timeout, cold, rule, store!=none, also, fresh, "
                 "on, build-on, reference-by, report: nothing is built, measured or stored\n"
                 "device=all: a recording is of one device",
     .brief = "answer from a recorded space",
     .help = "Answer from a recorded space instead of a device: " RECORDING_FORMATS
             ". No kernel is needed, nothing is built, measured or stored, and a budget of time is "
             "that of the recorded costs. Without SPEC the recorded parameters are searched; with "
             "it, the configurations that are recorded and valid. --device and --set select from a "
             "store; --jobs is the number of configurations under way at a time."},
    {OPTION("build-only", NULL, option_flag, FIELD(build_only)),
     .excludes = "store!=none, also, fresh: builds alone are not stored",
     .help = "Build the configurations, as many at once as in a tune, and run nothing: shows what "
             "the compiler accepts, and how long it takes. The store is neither read nor written."},
    {0},
};

static const struct option rank_options[] = {
    {0},
};

static const struct option report_options[] = {
    {OPTION("report", "FILE", option_text, FIELD(report)),
     .excludes = "build-only, store=none: the page shows stored results\n"
                 "device=all: the page is of one tune",
     .brief = "a page that follows the tune",
     .help =
         "Write the page of `hone report` to this file, when the tune starts, every few seconds "
         "while it runs, and at its end. Until then the page reloads itself and keeps its filters. "
         "A process of its own makes it, with at most a hundredth of a core."},
    {0},
};

static const struct option end_options[] = {
    {OPTION("details", NULL, option_flag, FIELD(details)), .brief = "at the end the tables",
     .help = "At the end the whole ranking as tables, all kinds of failures, and where the time "
             "went."},
    {0},
};

static const struct option_group groups[] = {
    {"What and where", spec_options, FIELD(given)},
    {"What and where", part_options, FIELD(given)},
    {"What and where", NODE_OPTIONS, FIELD(given)},
    {"What and where", BUILD_OPTIONS, FIELD(given)},
    {"What and where", reference_options, FIELD(given)},
    {"Search", search_options, FIELD(search)},
    {"Search", way_options, 0},
    {"Search", objective_options, FIELD(search)},
    {"Search", seed_options, FIELD(measure)},
    {"Measuring", measure_options, FIELD(measure)},
    {"Measuring", counters_options, FIELD(measure)},
    {"Measuring", jobs_options, FIELD(measure)},
    {"Ranking", rule_options, FIELD(measure)},
    {"Ranking", rank_options, 0},
    {"Results", fresh_tune_options, FIELD(measure)},
    {"Results", verbose_options, FIELD(verbose)},
    {"Results", end_options, 0},
    {"Results", report_options, 0},
    {"Results", format_options, FIELD(given.output)},
    {"Help", help_options, 0},
    {0},
};

static const struct example examples[] = {
    {"hone tune kernels_cl/matmul_tiled.json", "every valid configuration, at the spec's size"},
    {"hone tune spec.json --where 'block_size_x >= 32' --budget 60s --verbose",
     "part of the space, a minute of search, a line for each configuration"},
    {"hone tune kernels_cl/matmul_register.json -s M=4096 -s N=4096 -s K=4096 -d H200 -b 60s",
     NEEDS_GPU "a large space at another size"},
    {"hone tune spec.json --device all", "on each kind of device, one after the other"},
    {"hone tune --replay gemm_T4.json.gz --budget 10m",
     "a space that somebody recorded, searched as if for ten minutes, without a device"},
    {0},
};

static const struct json_record json_records[] = {{"run", &report_run_fields},
                                                  {"result", &record_fields},
                                                  {"summary", &report_summary_fields},
                                                  {0}};

extern const char about_tune[]; // about/tune.txt

const struct command command_tune = {
    .name = "tune",
    .group = GROUP_MEASURE,
    .summary = "find the fastest configuration of a kernel",
    .arguments = "SPEC",
    .least = 0,
    .most = 1,
    .description = about_tune,
    .json =
        "With --json stdout has one object a line: run; result, one a configuration; ranked, as "
        "result, one a finalist at the end; summary. With --device all these lines stand there for "
        "each device.",
    .records = json_records,
    .topics = "ranking, rules, objectives, strategies, " EXTRA_NODES("nodes, ") "json",
    .groups = groups,
    .examples = examples,
    .settings_size = sizeof(struct tune_settings),
    .run = run_tune,
    .compiles = true,
};
