// hone sweep: tunes a spec at several points; the data is written after each, and drawn at the end.
// The spec and each --against are a line each, all on one card. A line is a command line of its own,
// as a side of a comparison is, but without --set: what that says are the points.
#include "cli/comparing.h"
#include "cli/interrupt.h"
#include "cli/nodes.h"
#include "cli/once.h"
#include "os/file_replace.h"
#include "problem/sweep_plan.h"
#include "report/progress.h"
#include "report/sweep_report.h"
#include "workflows/peak/peak.h"

#include <string.h>

// The settings of `hone sweep`.
struct sweep_settings {
    struct spec_settings given; // --set: the points
    struct measure_settings measure;
    struct search_settings search;
    struct list against; // other lines
    uint32_t rounds;
    bool product, known;
    const char *output; // the prefix of the files
};

// One `hone sweep`.
struct session {
    const struct invocation *call;
    const struct sweep_settings *settings;
    struct arena arena;
    struct once once;
    struct comparing_side lines[SWEEP_LINES];
    uint32_t count;
    struct sweep_plan plan;
    struct sweep *sweep;
    struct sweep_report_line report_lines[SWEEP_LINES];
    struct sweep_report report; // brought up to date by update_report()
    enum report_format format;
    const char *prefix; // of the files
    struct running running;
};

// ---- lines -------------------------------------------------------------------------------------

// The first argument, or what --against names. Its options are those of the whole sweep, but for the points and, with
// --against, the choice among configurations, which has the parameters of the first spec.
static struct comparing_side *add_line(struct session *s, const char **argument)
{
    struct comparing_side *l = &s->lines[s->count];
    struct spec_settings given = s->settings->given;
    given.set = (struct list){NULL, 0};
    if (s->count++ > 0)
        given.config = given.where = (struct list){NULL, 0};
    comparing_side_init(l, s->call, argument, &given, &s->settings->measure, &s->lines[0].work);
    l->work.search = &s->settings->search;
    l->work.log = once_log(&s->once, &l->work.log);
    return l;
}

static int refuse_several(const struct comparing_side *l)
{
    if (l->work.goal.count < 2)
        return EXIT_DONE;
    complain("%s: a sweep shows one best configuration of each point, and several objectives have "
             "none; name one with --objective",
             l->work.spec->path);
    return EXIT_USAGE;
}

static int open_line(struct session *s, const char **argument)
{
    struct comparing_side *l = add_line(s, argument);
    int status = tuning_open(&l->work);
    if (status == EXIT_DONE)
        status = tuning_goal(&l->work);
    if (status == EXIT_DONE)
        status = refuse_several(l);
    if (status == EXIT_DONE)
        status = open_kept(&l->work);
    text_add(&l->label, l->work.spec ? l->work.spec->name : "");
    return status;
}

// ---- the other lines ----------------------------------------------------------------------------

static int refuse_twice(const struct session *s)
{
    const struct list *against = &s->settings->against;
    if (against->count >= SWEEP_LINES)
        return refuse(EXIT_USAGE, "a sweep has at most %d lines, and %u are named", SWEEP_LINES,
                      against->count + 1);
    for (uint32_t i = 0; i < against->count; i++) {
        bool again = str_equal(against->items[i], s->call->arguments[0]);
        for (uint32_t k = 0; k < i; k++)
            again = again || str_equal(against->items[i], against->items[k]);
        if (again)
            return refuse(EXIT_USAGE, "--against %s: it is there already", against->items[i]);
    }
    return EXIT_DONE;
}

// Has it the constants that the points set?
static int check_constants(struct session *s, const struct comparing_side *l)
{
    struct error e = ERROR_INIT;
    struct sweep_plan same;
    const struct list *set = &s->settings->given.set;
    if (sweep_plan_make(l->work.spec, set->items, set->count, s->plan.product, &s->arena, &same,
                        &e))
        return EXIT_DONE;
    error_context(&e, "%s", l->call.arguments[0]);
    return work_failed(&e);
}

static int open_spec(struct session *s, const char **argument)
{
    int status = open_line(s, argument);
    struct comparing_side *l = &s->lines[s->count - 1];
    devices_drop_worker(l->work.list);
    if (status == EXIT_DONE)
        status = comparing_on_one_card(&s->lines[0].work, &l->work);
    // Two specs may have one name: then their paths tell them apart.
    for (const struct comparing_side *other = s->lines; other < l; other++) {
        if (!str_equal(text_cstr(&other->label), text_cstr(&l->label)))
            continue;
        text_clear(&l->label);
        text_add(&l->label, l->call.arguments[0]);
    }
    return status == EXIT_DONE ? check_constants(s, l) : status;
}

static bool is_spec(const char *text)
{
    size_t length = strlen(text);
    return length > 5 && str_equal(text + length - 5, ".json");
}

static bool option_line(void *field, const char *value, struct error *e)
{
    struct against ignored;
    if (is_spec(value) || against_read(value, &ignored, e))
        return option_list(field, value, e);
    return error_context(e, "a file that ends in .json is a spec, everything else a library");
}

// ---- the plan ----------------------------------------------------------------------------------

static int make_plan(struct session *s)
{
    struct error e = ERROR_INIT;
    const struct list *set = &s->settings->given.set;
    if (set->count == 0)
        return refuse(EXIT_USAGE,
                      "sweep needs --set NAME=VALUE,VALUE,...: the constants of its points");
    bool ok = sweep_plan_make(s->lines[0].work.spec, set->items, set->count, s->settings->product,
                              &s->arena, &s->plan, &e);
    uint32_t *panels = ok ? arena_array(&s->arena, s->plan.point_count, sizeof *panels) : NULL;
    if (!panels && (!ok || !error_memory(&e)))
        return work_failed(&e);
    s->report.axis = sweep_plan_axis(&s->plan);
    s->report.panel_count = sweep_plan_panels(&s->plan, s->report.axis, panels);
    s->report.panels = panels;
    return EXIT_DONE;
}

static int open_routine(struct session *s, const char *text)
{
    return comparing_open_routine(add_line(s, s->call->arguments), text, &s->lines[0].work);
}

static int open_sweep(struct session *s)
{
    const struct list *against = &s->settings->against;
    struct error e = ERROR_INIT;
    int status = open_line(s, s->call->arguments);
    if (status == EXIT_DONE)
        status = make_plan(s);
    if (status == EXIT_DONE)
        status = refuse_twice(s);
    for (uint32_t i = 0; i < against->count && status == EXIT_DONE; i++)
        status = is_spec(against->items[i]) ? open_spec(s, &against->items[i])
                                            : open_routine(s, against->items[i]);
    if (status == EXIT_DONE)
        status = comparing_name_routines(s->lines, s->count);
    for (uint32_t i = 0; i < s->count && status == EXIT_DONE; i++) {
        if ((s->lines[i].label.failed || s->lines[i].name.failed) && !error_memory(&e))
            status = work_failed(&e);
    }
    const struct work *w = &s->lines[0].work;
    if (status == EXIT_DONE && w->store &&
        !peak_find(w->store, w->device, &s->arena, &s->lines[0].work.peak, &e))
        status = work_failed(&e);
    return status;
}

// Fills in what stays the same in all reports.
static void begin_report(struct session *s)
{
    struct work *w = &s->lines[0].work;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct comparing_side *l = &s->lines[i];
        s->report_lines[i] =
            (struct sweep_report_line){text_cstr(&l->label), l->work.spec->name, l->work.device,
                                       l->against.routine != ROUTINE_NONE};
    }
    s->report.about = &w->about;
    s->report.spec = w->spec;
    s->report.device = w->device;
    s->report.plan = &s->plan;
    s->report.lines = s->report_lines;
    s->report.line_count = s->count;
    s->report.peak = &w->peak;
}

static int start_sweep(struct session *s)
{
    struct error e = ERROR_INIT;
    const struct sweep_settings *given = s->settings;
    struct sweep_line *lines = arena_array(&s->arena, s->count, sizeof *lines);
    if (!lines && !error_memory(&e))
        return work_failed(&e);
    for (uint32_t i = 0; i < s->count; i++) {
        struct comparing_side *l = &s->lines[i];
        struct work *w = &l->work;
        bool is_routine = l->against.routine != ROUTINE_NONE; // nothing is tuned
        struct hone_tune_options tune = (is_routine ? s->lines : l)->work.options;
        tune.log = &w->notices;
        tune.store = w->opened;
        if (!setup_tune(&w->setup, &tune, &e))
            return work_failed(&e);
        lines[i] = (struct sweep_line){.path = w->spec->path,
                                       .strict = given->given.strict,
                                       .means = given->known ? SWEEP_KNOWN : SWEEP_TUNE,
                                       .tune = w->setup.options};
        lines[i].tune.setup.at.device = w->device;
        comparing_part(l, &lines[i].side);
        lines[i].side.place_count = w->places.count > 0; // rounds are of one device
    }
    const struct hone_devices *list = s->lines[0].work.list;
    struct sweep_options o = {.lines = lines,
                              .line_count = s->count,
                              .plan = &s->plan,
                              .again = given->measure.fresh_ranking,
                              .rounds = given->rounds,
                              .spare = list ? list->workplace.at.spare : NULL};
    begin_report(s);
    s->sweep = sweep_new(&o, &e);
    return s->sweep ? EXIT_DONE : work_failed(&e);
}

static const struct sweep_report *update_report(struct session *s)
{
    struct work *w = &s->lines[0].work;
    work_about(w, &w->broken, &w->about);
    s->report.records = sweep_records(s->sweep, &s->report.count);
    sweep_progress(s->sweep, &s->report.progress);
    return &s->report;
}

// ---- files -------------------------------------------------------------------------------------

static const char *sweep_file_name(struct session *s, const char *ending)
{
    const char *name = arena_printf(&s->arena, "%s%s", s->prefix, ending);
    return name ? name : "";
}

// Named by the command line, else by the spec, in this folder.
static int name_files(struct session *s)
{
    struct error e = ERROR_INIT;
    const struct work *w = &s->lines[0].work;
    const char *given = s->settings->output, *dot = given ? strrchr(given, '.') : NULL;
    s->prefix = dot && (str_equal(dot, ".csv") || str_equal(dot, ".svg"))
                    ? arena_strndup(&s->arena, given, (size_t)(dot - given))
                    : given;
    if (!given) {
        char *name = arena_printf(&s->arena, "%s-sweep", w->spec->name);
        for (char *c = name; c && *c; c++)
            *c = *c == '/' ? '-' : *c;
        s->prefix = name;
    }
    if (!s->prefix)
        error_memory(&e);
    else if (!s->prefix[0])
        error_set(&e, ERROR_USAGE, "--output: the prefix of the files is empty");
    else if (file_replaceable(sweep_file_name(s, ".csv"), &e))
        return EXIT_DONE;
    return work_failed(&e);
}

// Written after each point, so that a killed sweep leaves its results.
static bool write_data(struct session *s, const struct sweep_report *v, struct error *e)
{
    struct text csv = TEXT_INIT;
    report_sweep_csv(v, &csv);
    bool ok = csv.failed ? error_memory(e) : file_replace(sweep_file_name(s, ".csv"), &csv, e);
    text_release(&csv);
    return ok;
}

// ---- progress ----------------------------------------------------------------------------------

// "point 3 of 7, tuning matmul", and under it how far that is.
static void show_sweep_progress(void *context, const struct screen *screen, struct text *line)
{
    const struct session *s = context;
    struct sweep_progress p;
    sweep_progress(s->sweep, &p);
    if (p.common.done == p.common.planned)
        return;
    text_addf(line, "point %llu of %llu", (unsigned long long)p.common.done + 1,
              (unsigned long long)p.common.planned);
    if (p.phase == SWEEP_TUNING)
        text_addf(line, ", tuning %s\n", text_cstr(&s->lines[p.line].label));
    else if (p.phase != SWEEP_OPENING)
        text_add(line, ", interleaved\n");
    if (p.phase == SWEEP_OPENING)
        return;
    const struct work *t = &s->lines[p.line].work;
    if (p.phase == SWEEP_TUNING)
        report_tune_progress(&p.tune, &t->goal, t->spec, screen, line);
    else
        report_compare_progress(&p.paired_run, screen, line);
}

// ---- the loop ----------------------------------------------------------------------------------

// Keeps a finished point on disk, and reports it.
static bool take_record(void *context, const void *record)
{
    struct session *s = context;
    const struct sweep_report *report = update_report(s);
    (void)record;
    struct text line = TEXT_INIT;
    if (!write_data(s, report, s->running.broken))
        return false;
    report_sweep_row(report, &report->records[report->count - 1], &line);
    ticker_clear(&s->running.work->ticker);
    say("%s\n", text_cstr(&line));
    text_release(&line);
    return true;
}

// ---- what is shown -----------------------------------------------------------------------------

// Where what was drawn lies goes with the table; where stdout is for scripts, to stderr.
static void say_drawn(const struct session *s, const char *line)
{
    struct text text = TEXT_INIT;
    text_add(&text, line);
    if (s->format != REPORT_TEXT)
        say("%s", line);
    else
        put(&text);
    fflush(stdout);
    text_release(&text);
}

static int draw(struct session *s, const struct sweep_report *report)
{
    struct error e = ERROR_INIT;
    struct text svg = TEXT_INIT, line = TEXT_INIT;
    if (report->count == 0) {
        say_drawn(s, "No point is done: no file was written\n");
        return EXIT_DONE;
    }
    text_addf(&line, "Data: %s", sweep_file_name(s, ".csv"));
    bool is_drawn = report_sweep_picture(report, &svg);
    bool ok = !svg.failed || error_memory(&e);
    ok = ok && (!is_drawn || file_replace(sweep_file_name(s, ".svg"), &svg, &e));
    if (ok && is_drawn)
        text_addf(&line, "; picture: %s", sweep_file_name(s, ".svg"));
    else if (ok)
        text_add(&line, "; no point has a time: nothing is drawn");
    text_add(&line, "\n");
    say_drawn(s, text_cstr(&line));
    text_release(&line);
    text_release(&svg);
    return ok ? EXIT_DONE : work_failed(&e);
}

static bool has_time(const struct sweep_report *v)
{
    bool any = false;
    for (uint32_t i = 0; i < v->count; i++)
        any = any || v->records[i].entries[0].timed;
    return any;
}

static int sweep_and_show(struct session *s)
{
    const struct writer *w = &sweep_writers[s->format];
    const struct sweep_report *report = update_report(s);
    struct text head = TEXT_INIT, end = TEXT_INIT;
    writer_head(w, report, &head);
    workflow_write(&s->running.work->ticker, &head);
    s->running.workflow = sweep_workflow(s->sweep);
    workflow_run(&s->running);
    update_report(s);
    writer_end(w, report, &end);
    workflow_write(&s->running.work->ticker, &end);
    int drawn = draw(s, report);
    int status = workflow_status(s->running.broken, workflow_failed, has_time(report));
    return status == EXIT_DONE ? drawn : status;
}

static int run_sweep(struct invocation *i)
{
    struct session s = {.call = i, .settings = i->settings};
    s.format = s.settings->given.output.format;
    arena_init(&s.arena);
    once_init(&s.once);
    s.running = (struct running){.work = &s.lines[0].work,
                                 .context = &s,
                                 .record = take_record,
                                 .progress = show_sweep_progress};
    interrupt_catch();
    int status = open_sweep(&s);
    if (status == EXIT_DONE)
        status = name_files(&s);
    if (status == EXIT_DONE)
        status = start_sweep(&s);
    if (status == EXIT_DONE)
        status = sweep_and_show(&s);
    sweep_free(s.sweep);
    while (s.count-- > 0) // the first line's nodes serve all
        comparing_side_release(&s.lines[s.count]);
    once_release(&s.once);
    arena_release(&s.arena);
    return status;
}

// ---- the command -------------------------------------------------------------------------------

#define FIELD(member) offsetof(struct sweep_settings, member)

static const struct option point_options[] = {
    {OPTION("product", NULL, option_flag, FIELD(product)),
     .brief = "all combinations of several names",
     .help = "Take all combinations of the values of several names. Without it they go in step, "
             "and have the same number of values."},
    {OPTION("against", "SPEC|LIBRARY", option_line, FIELD(against)),
     .brief = "another spec or a vendor's library", .is_list = true,
     .help = "A further line: another spec (a file that ends in .json), tuned at the same points, "
             "or the matrix product of a vendor's library, as in `hone compare`: cublas, "
             "cublas-tf32, cublas-fast, openblas, cblas=FILE, clblast. May be repeated."},
    {OPTION("known", NULL, option_flag, FIELD(known)),
     .excludes = "fresh, store=none: it tunes nothing and takes stored results",
     .brief = "tune nothing; show stored results",
     .help = "Tune nothing: at each point the best that the store knows."},
    {0},
};

static const struct option round_options[] = {
    {OPTION("rounds", "N", option_count, FIELD(rounds)),
     .needs = "against: the rounds are those of several lines",
     .help = "Interleaved rounds in which the lines of a point are launched. Default: 16."},
    {0},
};

static const struct option result_options[] = {
    {OPTION("output", "PREFIX", option_text, FIELD(output)), .letter = 'o',
     .brief = "files PREFIX.csv, .svg",
     .help = "The files are PREFIX.csv and PREFIX.svg. Default: the spec's name with -sweep, in "
             "this folder."},
    {0},
};

static const struct option_group groups[] = {
    {"What and where", spec_options, FIELD(given)},
    {"What and where", NODE_OPTIONS, FIELD(given)},
    {"What and where", BUILD_OPTIONS, FIELD(given)},
    {"Points and lines", point_options, 0},
    {"Search", search_options, FIELD(search)},
    {"Search", objective_options, FIELD(search)},
    {"Search", seed_options, FIELD(measure)},
    {"Measuring", measure_options, FIELD(measure)},
    {"Measuring", rule_options, FIELD(measure)},
    {"Measuring", round_options, 0},
    {"Measuring", jobs_options, FIELD(measure)},
    {"Results", result_options, 0},
    {"Results", fresh_point_options, FIELD(measure)},
    {"Results", format_options, FIELD(given.output)},
    {"Help", help_options, 0},
    {0},
};

static const struct example examples[] = {
    {"hone sweep kernels_cl/matmul_tiled.json --set WIDTH=256..1024", "tuned at 256, 512 and 1024"},
    {"hone sweep kernels_cl/matmul_bounded.json --set N=250,500,1000 --set M=N --set K=N "
     "--budget 60s",
     "square matrices, at most a minute of search each"},
    {"hone sweep kernels_cl/matmul_tiled.json --set WIDTH=256,512 --against other.json",
     "two kernels, each tuned at each size, launches interleaved"},
    {"hone sweep kernels_cl/matmul_tiled.json --set WIDTH=2**8..2**14 --against cublas",
     NEEDS_GPU "against the vendor's library"},
    {"hone sweep kernels_cl/matmul_bounded.json --product --set N=128,256 --set K=64,512 --set M=N",
     "every N with every K: a panel of the picture for each K"},
    {0},
};

static const struct json_record json_records[] = {{"sweep", &report_sweep_fields}, {0}};

extern const char about_sweep[]; // about/sweep.txt

const struct command command_sweep = {
    .name = "sweep",
    .group = GROUP_MEASURE,
    .summary = "tune over sizes, with a table and a picture",
    .arguments = "SPEC",
    .least = 1,
    .most = 1,
    .description = about_sweep,
    .json = "With --json one object.",
    .records = json_records,
    .topics = "ranking, strategies, json",
    .groups = groups,
    .examples = examples,
    .settings_size = sizeof(struct sweep_settings),
    .own_formats = 1u << REPORT_CSV,
    .run = run_sweep,
    .compiles = true,
};
