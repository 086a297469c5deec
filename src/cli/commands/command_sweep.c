// hone sweep: tunes a spec at several points; the data is written after each, and drawn at the end.
#include "os/file_replace.h"
#include "report/sweep_report.h"
#include "cli/interrupt.h"
#include "cli/nodes.h"
#include "cli/run_workflow.h"
#include "cli/sweeping.h"
#include "report/progress.h"

// One `hone sweep`.
struct session {
    struct sweeping sweeping;
    const struct sweep_settings *settings;
    enum report_format format;
    const char *prefix; // of the files
    struct running running;
};

// ---- files -------------------------------------------------------------------------------------

static const char *sweep_file_name(struct session *s, const char *ending)
{
    const char *name = arena_printf(&s->sweeping.arena, "%s%s", s->prefix, ending);
    return name ? name : "";
}

// Named by the command line, else by the spec, in this folder.
static int name_files(struct session *s)
{
    struct error e = ERROR_INIT;
    const struct work *w = &s->sweeping.lines[0].work;
    s->prefix = s->settings->output;
    if (!s->prefix) {
        char *name = arena_printf(&s->sweeping.arena, "%s-sweep", w->spec->name);
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
    sweep_progress(s->sweeping.sweep, &p);
    if (p.common.done == p.common.planned)
        return;
    text_addf(line, "point %llu of %llu", (unsigned long long)p.common.done + 1,
              (unsigned long long)p.common.planned);
    if (p.phase == SWEEP_TUNING)
        text_addf(line, ", tuning %s\n", s->sweeping.lines[p.line].label);
    else if (p.phase != SWEEP_OPENING)
        text_add(line, ", interleaved\n");
    if (p.phase == SWEEP_OPENING)
        return;
    const struct work *t = &s->sweeping.lines[p.line].work;
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
    struct sweep_report report;
    (void)record;
    struct text line = TEXT_INIT;
    sweeping_report(&s->sweeping, &report);
    if (!write_data(s, &report, s->running.broken))
        return false;
    report_sweep_row(&report, &report.records[report.count - 1], &line);
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
    struct sweep_report report;
    struct text head = TEXT_INIT, end = TEXT_INIT;
    sweeping_report(&s->sweeping, &report);
    writer_head(w, &report, &head);
    workflow_write(&s->running.work->ticker, &head);
    s->running.workflow = sweep_workflow(s->sweeping.sweep);
    workflow_run(&s->running);
    sweeping_report(&s->sweeping, &report);
    writer_end(w, &report, &end);
    workflow_write(&s->running.work->ticker, &end);
    int drawn = draw(s, &report);
    int status = workflow_status(s->running.broken, workflow_failed, has_time(&report));
    return status == EXIT_DONE ? drawn : status;
}

static int run_sweep(struct invocation *i)
{
    struct session s = {.settings = i->settings};
    s.format = s.settings->given.output.format;
    sweeping_init(&s.sweeping, i);
    s.running = (struct running){.work = &s.sweeping.lines[0].work,
                                 .context = &s,
                                 .record = take_record,
                                 .progress = show_sweep_progress};
    interrupt_catch();
    int status = sweeping_open(&s.sweeping);
    if (status == EXIT_DONE)
        status = name_files(&s);
    if (status == EXIT_DONE)
        status = sweeping_start(&s.sweeping);
    if (status == EXIT_DONE)
        status = sweep_and_show(&s);
    sweeping_release(&s.sweeping);
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
             "or the matrix product of a vendor's library, as in `hone "
             "compare`: cublas, cublas-tf32, cublas-fast, openblas, cblas=FILE, clblast. May be "
             "repeated."},
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
    {"What and where", node_options, FIELD(given)},
    {"What and where", build_options, FIELD(given)},
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

const struct command command_sweep = {
    .name = "sweep",
    .group = GROUP_MEASURE,
    .summary = "tune over sizes, with a table and a picture",
    .arguments = "SPEC",
    .least = 1,
    .most = 1,
    .description =
        "Tunes the spec at several points, each a set of constants, and shows what the best "
        "configuration of "
        "each reaches: a table, the data as CSV, and a picture (SVG).\n\n"
        "The points are what --set says:\n\n"
        "  --set N=256,512,1024               values\n"
        "  --set N=256..16384                 doubling: 256, 512, 1024, ... up to 16384\n"
        "  --set N=1000..9000..2000           by steps: 1000, 3000, ... up to 9000\n"
        "  --set 'N=[2**i for i in range(8, 15)]'   a list in the language of specs\n"
        "  --set M=N --set 'K=N // 2'         an expression over other constants, at each point\n\n"
        "Names with several values go in step (then they have the same number of them), or in all "
        "combinations with --product. Ranges may have expressions as ends: N=2**8..2**14. A "
        "constant of type "
        "string has its values as they stand.\n\n"
        "At each point the spec is read with these constants and tuned as `hone tune` does. A "
        "point of which "
        "the store has a ranking is not tuned again, so that a sweep which was ended goes on where "
        "it was; "
        "also where that tune had another budget: --fresh=ranking tunes with the options of now, "
        "and what "
        "is known "
        "is not measured again. A ranking of a part of the space (--config, --where) answers for "
        "that part "
        "alone: without it the point is tuned, and known results for the part are used. A point "
        "at which "
        "nothing works is a row with the reason, and the sweep goes on. With --config or --where "
        "only those "
        "configurations are tuned; with one configuration left that one is measured at each "
        "point.\n\n"
        "With --against the best of every line, and the vendors' routines, are launched in "
        "interleaved "
        "rounds, round by round, at each point, as in `hone compare` of several specs: \"times\" "
        "is how many "
        "times as fast the swept spec is as that line, with the interval of the pairs of one "
        "round. The "
        "times of the table are then from these rounds. Those that the store has are not launched "
        "again (but "
        "with --fresh), as long as a vendor's library is the same: its version, the threads that "
        "it takes, "
        "and its file.\n\n"
        "In the picture x is the first name that was given several numbers, on a logarithmic axis "
        "where "
        "these grow by factors. y is the first metric that is a rate (with /s in its name), else "
        "the time. "
        "Lines go through the points in the order given. Bars are 95 % intervals. In a product the "
        "other "
        "names make panels, one for each of their combinations. Where the store knows what the "
        "device can do "
        "at most (`hone peak`) that is a dashed line, and a column of the table.",
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
