#include "cli/file_replace.h"
#include "cli/gnuplot.h"
#include "cli/interrupt.h"
#include "cli/sweeping.h"
#include "report/progress.h"

#include "base/process.h"

#include <string.h>

#define STEP_MS 100

// One `hone sweep`.
struct session {
    struct sweeping sweeping;
    const struct settings *settings;
    const char *prefix; // of the files
    bool ending;
};

static struct ticker *ticker_of(struct session *s)
{
    return &s->sweeping.lines[0].tuning.work.ticker;
}

// ---- files -------------------------------------------------------------------------------------

static const char *file_name(struct session *s, const char *ending)
{
    const char *name = arena_printf(&s->sweeping.arena, "%s%s", s->prefix, ending);
    return name ? name : "";
}

// Named by the command line, else by the spec, in this folder.
static int name_files(struct session *s)
{
    struct error e = ERROR_INIT;
    const struct work *w = &s->sweeping.lines[0].tuning.work;
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
    else if (file_replaceable(file_name(s, ".csv"), &e))
        return EXIT_DONE;
    return work_failed(&e);
}

// After each point, so that who is killed leaves what is known.
static bool write_data(struct session *s, const struct view_sweep *v, struct error *e)
{
    struct text csv = TEXT_INIT;
    report_sweep_csv(v, &csv);
    bool ok = csv.failed ? error_memory(e) : file_replace(file_name(s, ".csv"), &csv, e);
    text_release(&csv);
    return ok;
}

// ---- progress ----------------------------------------------------------------------------------

static struct view_progress tuning_progress(const struct tune_progress *p)
{
    struct view_progress view = {.planned = p->planned,
                                 .done = p->done,
                                 .reused = p->reused,
                                 .elapsed_ns = p->elapsed_ns,
                                 .left_ns = p->left_ns,
                                 .building = p->evaluator.building,
                                 .measuring = p->evaluator.measuring,
                                 .waiting = p->evaluator.waiting,
                                 .cancelled = p->cancelled,
                                 .has_best = p->best != NULL,
                                 .best_ns = p->best ? p->best->stats.median : 0};
    memcpy(view.by_status, p->by_status, sizeof view.by_status);
    if (p->ranked.running) {
        view.contenders = p->ranked.status.in;
        view.round = p->ranked.status.round;
        view.rounds = p->ranked.status.most;
        view.checking = p->ranked.status.checking;
    }
    return view;
}

static struct view_progress heat_progress(const struct compare_summary *p)
{
    return (struct view_progress){.planned = p->planned,
                                  .done = p->done,
                                  .elapsed_ns = p->elapsed_ns,
                                  .building = p->evaluator.building,
                                  .measuring = p->evaluator.measuring,
                                  .waiting = p->evaluator.waiting,
                                  .cancelled = p->cancelled,
                                  .contenders = p->settling.round ? p->settling.contenders : 0,
                                  .round = p->settling.round,
                                  .rounds = p->settling.most,
                                  .checking = p->settling.checking};
}

// "point 3 of 7, tuning matmul: 12/41 ..."
static void show_progress(struct session *s)
{
    struct ticker *ticker = ticker_of(s);
    uint64_t now = clock_ns();
    struct sweep_progress p;
    struct text line = TEXT_INIT;
    if (!ticker_due(ticker, now))
        return;
    sweep_progress(s->sweeping.sweep, &p);
    if (p.done == p.points)
        return;
    text_addf(&line, "point %u of %u", p.done + 1, p.points);
    if (p.phase != SWEEP_OPENING) {
        struct view_progress view =
            p.phase == SWEEP_TUNING ? tuning_progress(&p.tune) : heat_progress(&p.heat);
        if (p.phase == SWEEP_TUNING)
            text_addf(&line, ", tuning %s: ", s->sweeping.lines[p.line].label);
        else
            text_add(&line, ", in turn: ");
        size_t width = ticker_width(ticker);
        bool fits = width == 0 || width > line.length + 8;
        if (fits)
            report_progress(&view, width ? width - line.length : 0, &line);
    }
    ticker_show(ticker, text_cstr(&line), now);
    text_release(&line);
}

// ---- the loop ----------------------------------------------------------------------------------

static void obey_interrupt(struct session *s)
{
    if (s->ending || !interrupt_pending())
        return;
    s->ending = true;
    ticker_clear(ticker_of(s));
    say("Ending after the running launch; once more Ctrl-C ends at once.\n");
    sweep_cancel(s->sweeping.sweep);
}

// A point that is done: kept on disk, and told.
static bool take_record(struct session *s)
{
    struct view_sweep view;
    struct text line = TEXT_INIT;
    struct error *e = &s->sweeping.broken;
    if (!sweeping_view(&s->sweeping, &view))
        return error_memory(e);
    if (!write_data(s, &view, e))
        return false;
    report_sweep_row(&view, &view.rows[view.row_count - 1], &line);
    ticker_clear(ticker_of(s));
    say("%s\n", text_cstr(&line));
    text_release(&line);
    return true;
}

static void work_off(struct session *s)
{
    const struct sweep_record *record;
    enum sweep_answer answer;
    do {
        obey_interrupt(s);
        answer = sweep_step(s->sweeping.sweep, STEP_MS, &record, &s->sweeping.broken);
        if (answer == SWEEP_RECORD && !take_record(s))
            break;
        show_progress(s);
    } while (answer == SWEEP_RECORD || answer == SWEEP_NOTHING);
    ticker_clear(ticker_of(s));
}

// ---- what is shown -----------------------------------------------------------------------------

static void write_text(struct session *s, struct text *text)
{
    ticker_clear(ticker_of(s));
    put(text);
    fflush(stdout);
    text_release(text);
}

static void show_head(struct session *s)
{
    struct view_sweep view;
    struct text text = TEXT_INIT;
    if (s->settings->json || s->settings->markdown || !sweeping_view(&s->sweeping, &view))
        return;
    report_sweep_head(&view, &text);
    text_add(&text, "\n");
    write_text(s, &text);
}

static void show_table(struct session *s, const struct view_sweep *view)
{
    struct text text = TEXT_INIT;
    struct emit j;
    emit_start(&j, &text);
    if (s->settings->json) {
        report_sweep_json(view, &j);
        text_add(&text, "\n");
    } else if (s->settings->markdown) {
        report_sweep_markdown(view, &text);
    } else {
        report_sweep(view, &text);
    }
    write_text(s, &text);
}

// Where what was drawn lies goes with the table; where stdout is for scripts, to stderr.
static void say_drawn(const struct session *s, const char *line)
{
    struct text text = TEXT_INIT;
    text_add(&text, line);
    if (s->settings->json || s->settings->markdown)
        say("%s", line);
    else
        put(&text);
    fflush(stdout);
    text_release(&text);
}

static int draw(struct session *s, const struct view_sweep *view)
{
    struct error e = ERROR_INIT;
    struct text script = TEXT_INIT, line = TEXT_INIT;
    const char *name = file_name(s, ".gnuplot");
    enum gnuplot_answer answer = GNUPLOT_FAILED;
    if (view->row_count == 0) {
        say_drawn(s, "No point is done: no file was written\n");
        return EXIT_DONE;
    }
    text_addf(&line, "Data: %s", file_name(s, ".csv"));
    if (!report_sweep_plot(view, s->prefix, &script)) {
        text_add(&line, "; no point has a time: nothing is drawn\n");
        answer = GNUPLOT_DONE;
    } else if (script.failed) {
        error_memory(&e);
    } else if (file_replace(name, &script, &e)) {
        answer = gnuplot_run(name, &e);
        if (answer == GNUPLOT_DONE)
            text_addf(&line, "; picture: %s, %s; drawn by %s\n", file_name(s, ".svg"),
                      file_name(s, ".png"), name);
        else if (answer == GNUPLOT_MISSING)
            text_addf(&line,
                      "; no picture: gnuplot is not installed (Debian and Ubuntu: apt install "
                      "gnuplot-nox); with it, draw by: gnuplot %s\n",
                      name);
    }
    if (answer == GNUPLOT_FAILED)
        text_add(&line, "\n");
    say_drawn(s, text_cstr(&line));
    text_release(&line);
    text_release(&script);
    return answer == GNUPLOT_FAILED ? work_failed(&e) : EXIT_DONE;
}

static int status_of(const struct session *s, const struct view_sweep *view)
{
    bool any = false;
    for (uint32_t i = 0; i < view->row_count; i++)
        any = any || view->rows[i].entries[0].timed;
    if (interrupt_pending())
        return EXIT_SIGNAL + interrupt_pending();
    if (s->sweeping.broken.code)
        return tuning_failed(&s->sweeping.broken);
    return any ? EXIT_DONE : EXIT_NOTHING;
}

static int sweep_and_show(struct session *s)
{
    struct view_sweep view;
    show_head(s);
    work_off(s);
    if (!sweeping_view(&s->sweeping, &view)) {
        complain("out of memory");
        return EXIT_NOTHING;
    }
    show_table(s, &view);
    int drawn = draw(s, &view);
    int status = status_of(s, &view);
    return status == EXIT_DONE ? drawn : status;
}

static int refuse(const struct settings *s)
{
    const char *tuning = s->fresh ? "--fresh" : s->again ? "--again" : NULL;
    if (s->json && s->markdown) {
        complain("--json and --markdown exclude each other");
        return EXIT_USAGE;
    }
    if (s->known && (tuning || s->no_store)) {
        complain("--known and %s exclude each other: it tunes nothing, and takes what the store "
                 "knows",
                 tuning ? tuning : "--no-store");
        return EXIT_USAGE;
    }
    if (s->rounds.is_given && s->against.count == 0) {
        complain("--rounds is for launches in turn with --against");
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

static int run(struct invocation *i)
{
    struct session s = {.settings = &i->settings};
    int status = refuse(&i->settings);
    if (status != EXIT_DONE)
        return status;
    sweeping_init(&s.sweeping, i);
    interrupt_catch();
    status = sweeping_open(&s.sweeping);
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

#define FIELD(member) offsetof(struct settings, member)

static const struct option point_options[] = {
    {.name = "product",
     .help = "Take all combinations of the values of several names. Without it they go in step, "
             "and have the same number of values.",
     .apply = option_flag,
     .offset = FIELD(product)},
    {.name = "against",
     .argument = "SPEC|LIBRARY",
     .help = "A further line: another spec (a file that ends in .json), whose best at each point "
             "is found likewise, or the matrix product of a vendor's library, as in `hone "
             "compare`: cublas, cublas-tf32, openblas, cblas=FILE, clblast. May be repeated.",
     .apply = option_line,
     .offset = FIELD(against)},
    {.name = "known",
     .help = "Tune nothing: at each point the best that the store knows.",
     .apply = option_flag,
     .offset = FIELD(known)},
    {.name = "again",
     .help = "Tune also at points that the store has a ranking of, for instance with a larger "
             "budget. What is known is not measured again.",
     .apply = option_flag,
     .offset = FIELD(again)},
    {0},
};

static const struct option round_options[] = {
    {.name = "rounds",
     .argument = "N",
     .help = "Rounds in which the lines of a point are launched in turn. Default: 16.",
     .apply = option_count,
     .offset = FIELD(rounds)},
    {0},
};

static const struct option result_options[] = {
    {.name = "output",
     .argument = "PREFIX",
     .help = "The files are PREFIX.csv, PREFIX.gnuplot, PREFIX.svg and PREFIX.png. Default: the "
             "spec's name with -sweep, in this folder.",
     .apply = option_text,
     .offset = FIELD(output)},
    {.name = "markdown",
     .help = "Write a table in Markdown.",
     .apply = option_flag,
     .offset = FIELD(markdown)},
    {0},
};

static const struct option_group groups[] = {
    {"What and where", spec_options}, {"Points and lines", point_options},
    {"Search", search_options},       {"Search", objective_options},
    {"Search", seed_options},         {"Measuring", measure_options},
    {"Measuring", rule_options},      {"Measuring", round_options},
    {"Measuring", jobs_options},      {"Results", result_options},
    {"Results", again_options},       {"Results", no_store_options},
    {"Help", help_options},           {0},
};

static const struct example examples[] = {
    {"hone sweep kernels_cl/matmul_tiled.json --set WIDTH=256..4096",
     "tuned at 256, 512, 1024, 2048 and 4096"},
    {"hone sweep kernels_cl/matmul_bounded.json --set N=500,1000,2000 --set M=N --set K=N "
     "--budget 60s",
     "square matrices, at most a minute of search each"},
    {"hone sweep kernels_cl/matmul_tiled.json --set WIDTH=256..4096 --against other.json",
     "two kernels, each tuned at each size, launched in turn"},
    {"hone sweep kernels_cl/matmul_tiled.json --set WIDTH=2**8..2**14 --against cublas",
     "against the vendor's library"},
    {"hone sweep kernels_cl/matmul_bounded.json --product --set N=256..2048 --set K=64,1024 --set "
     "M=N",
     "every N with every K: a panel of the picture for each K"},
    {0},
};

const struct command command_sweep = {
    .name = "sweep",
    .summary = "tune over sizes, with a table and a picture",
    .arguments = "SPEC",
    .least = 1,
    .most = 1,
    .description =
        "Tunes the spec at several points, each a set of constants, and shows what the best "
        "configuration of each reaches: a table, the data as CSV, and a picture (SVG and PNG) "
        "where gnuplot is installed.\n\n"
        "The points are what --set says:\n\n"
        "  --set N=256,512,1024               values\n"
        "  --set N=256..16384                 doubling: 256, 512, 1024, ... up to 16384\n"
        "  --set N=1000..9000..2000           by steps: 1000, 3000, ... up to 9000\n"
        "  --set 'N=[2**i for i in range(8, 15)]'   a list in the language of specs\n"
        "  --set M=N --set 'K=N // 2'         an expression over other constants, at each point\n\n"
        "Names with several values go in step (then they have the same number of them), or in all "
        "combinations with --product. Ranges may have expressions as ends: N=2**8..2**14. A "
        "constant of type string has its values as they stand.\n\n"
        "At each point the spec is read with these constants and tuned as `hone tune` does. A "
        "point of which the store has a ranking is not tuned again, so that a sweep which was "
        "ended goes on where it was; also where that tune had another budget: --again tunes with "
        "the options of now, and what is known is not measured again. A ranking of a part of the "
        "space (--config, --where) answers for that part alone: without it the point is tuned, and "
        "what is known of the part takes part. A point at which nothing works is a row with the "
        "reason, and the sweep goes on. "
        "With --config or --where only those configurations "
        "are tuned; with one configuration left that one is measured at each point.\n\n"
        "With --against the best of every line, and the vendors' routines, are launched in turn, "
        "round by round, at each point, as in `hone compare` of several specs: \"times\" is how "
        "many times as fast the "
        "swept spec is as that line, with the interval of the pairs of one round. The times of "
        "the table are then from these rounds. Those that the store has are not launched again "
        "(but with --fresh), as long as a vendor's library is the same: its version, the threads "
        "that it takes, and its file.\n\n"
        "In the picture x is the first name that was given several numbers, on a logarithmic axis "
        "where these grow by factors. y is the first metric that is a rate (with /s in its name), "
        "else the time. Bars are 95 % intervals. In a product the other names make panels, one "
        "for each of their combinations. Where the store knows what the device can do at most "
        "(`hone peak`) that is a dashed line, and a column of the table.\n\n"
        "--json writes one object: {\"hone\", \"command\", \"host\", \"date\", \"seed\", "
        "\"store\", \"spec\", \"device\":{}, \"names\":[], \"lines\":[{\"label\", \"spec\", "
        "\"routine\"}], \"metric\", \"limit\":{\"metric\", \"what\", \"value\", "
        "\"interval\":[low,high]}, \"points\", \"rows\":[], \"launches\", \"elapsed_ns\", "
        "\"cancelled\", \"error\"}; a row has constants:{} and lines:[], each with label, "
        "configuration, status, known (from the store), part (that it is the best of, with "
        "--known), in_turn, median_ns, interval_ns, samples, "
        "metrics, share (of the peak), times_as_fast, times_as_fast_interval, message.",
    .groups = groups,
    .examples = examples,
    .run = run,
    .compiles = true,
};
