#include "cli/crash.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/recording.h"
#include "cli/replaying.h"
#include "cli/tuning.h"
#include "report/progress.h"
#include "report/units.h"

#include "base/process.h"

#include <stdlib.h>
#include <string.h>

#define STEP_MS       100
#define BEST_ROWS     10
#define FIRST_RESULTS 5              // after so many the time to the end can be told
#define WORTH_TELLING 10000000000ull // ns: a shorter tune needs no announcement
#define A_MOMENT      500000000ull   // ns: most replays are over by then

// One `hone tune`.
struct session {
    struct tuning tuning;
    bool json, verbose;
    bool announced; // how long it will take
    bool warned;    // that all of the first ones failed
    bool ending;    // Ctrl-C
    uint64_t fresh; // results measured in this run
};

// ---- progress ----------------------------------------------------------------------------------

// Beside the time: the objective, where it is a metric, else the spec's first one.
static void best_metric(const struct tune_progress *p, const struct tuning *t,
                        struct view_progress *out)
{
    const struct objective *o = &t->options.goal.terms[0];
    const struct spec *spec = t->work.spec;
    bool is_objective = o->metric != OBJECTIVE_TIME;
    out->metric_unit = is_objective ? o->name : spec->metric_count ? spec->metrics[0].name : "";
    out->has_metric = p->best && (is_objective ? p->best->values != NULL : p->best->has_metric);
    if (out->has_metric)
        out->metric = is_objective ? p->best->values[0] : p->best->metric;
}

static void progress_view(const struct tune_progress *p, const struct tuning *t,
                          struct view_progress *out)
{
    *out = (struct view_progress){.planned = p->planned,
                                  .done = p->done,
                                  .reused = p->reused,
                                  .elapsed_ns = p->elapsed_ns,
                                  .left_ns = p->left_ns,
                                  .building = p->evaluator.building,
                                  .measuring = p->evaluator.measuring,
                                  .waiting = p->evaluator.waiting,
                                  .cancelled = p->cancelled,
                                  .replayed = p->replayed};
    if (p->ranked.running) {
        const struct settle_status *ranking = &p->ranked.status;
        out->contenders = ranking->in;
        out->round = ranking->round;
        out->rounds = ranking->most;
        out->checking = ranking->checking;
    }
    memcpy(out->by_status, p->by_status, sizeof out->by_status);
    memcpy(out->spec_by_status, p->spec_by_status, sizeof out->spec_by_status);
    out->spec_errors = p->spec_errors;
    out->has_best = p->best != NULL;
    out->best_ns = p->best ? p->best->stats.median : 0;
    out->several = t->options.goal.count > 1;
    out->pareto = p->pareto;
    best_metric(p, t, out);
}

static void show_progress(struct session *s)
{
    struct work *w = &s->tuning.work;
    struct tune_progress progress;
    struct view_progress view;
    struct text line = TEXT_INIT;
    uint64_t now = clock_ns();
    if (!ticker_due(&w->ticker, now))
        return;
    tune_progress(s->tuning.tune, &progress);
    progress_view(&progress, &s->tuning, &view);
    report_progress(&view, ticker_width(&w->ticker), &line);
    ticker_show(&w->ticker, text_cstr(&line), now);
    text_release(&line);
}

// Then fewer configurations are tried than are left, and whoever gave the budget knows how long.
static bool ends_by_budget(const struct session *s, const struct tune_progress *p)
{
    uint64_t limit = s->tuning.options.budget.nanoseconds;
    return limit > 0 && p->left_ns >= limit - (p->elapsed_ns < limit ? p->elapsed_ns : limit);
}

static void announce(struct session *s)
{
    struct tune_progress p;
    char left[UNITS_SIZE];
    if (s->announced || s->fresh < FIRST_RESULTS)
        return;
    s->announced = true;
    tune_progress(s->tuning.tune, &p);
    if (p.left_ns < WORTH_TELLING || p.planned <= p.done || ends_by_budget(s, &p))
        return;
    span_to_str(p.left_ns, left);
    ticker_clear(&s->tuning.work.ticker);
    if (p.planned - p.done == 1)
        say("About %s for the configuration that is left.\n", left);
    else
        say("About %s for the %llu configurations that are left.\n", left,
            (unsigned long long)(p.planned - p.done));
}

// While it runs: whoever sees it can end the tune and mend what is wrong.
static void warn_alike(struct session *s)
{
    struct tune_progress p;
    struct text text = TEXT_INIT;
    if (s->warned)
        return;
    tune_progress(s->tuning.tune, &p);
    tuning_alike(&s->tuning, &p, &text);
    s->warned = text.length > 0;
    if (s->warned) {
        ticker_clear(&s->tuning.work.ticker);
        complain("%s", text_cstr(&text));
    }
    text_release(&text);
}

// ---- results -----------------------------------------------------------------------------------

static void write_line(struct session *s, struct text *line)
{
    ticker_clear(&s->tuning.work.ticker);
    put(line);
    fflush(stdout); // a script that reads along sees each result when it is there
}

static bool show_record(struct session *s, const struct tune_record *record)
{
    struct view_result view;
    struct text line = TEXT_INIT;
    struct emit json;
    bool measured = !record->result->reused && !record->same_as;
    s->fresh += measured;
    if (!s->json && !s->verbose)
        return true;
    if (!tuning_view(&s->tuning, record, &view))
        return error_memory(&s->tuning.broken);
    emit_start(&json, &line);
    if (s->json) {
        report_result_json(&view, "result", false, &json);
        text_add(&line, "\n");
    } else {
        report_line(&view, &line);
    }
    write_line(s, &line);
    text_release(&line);
    return true;
}

static void show_head(struct session *s)
{
    struct view_run view;
    struct text text = TEXT_INIT;
    struct emit json;
    tuning_run_view(&s->tuning, &view);
    emit_start(&json, &text);
    if (s->json) {
        report_run_json(&view, &json);
        text_add(&text, "\n");
    } else {
        report_run(&view, &text);
    }
    write_line(s, &text);
    text_release(&text);
}

// Would hone best answer with this one? It looks at the whole space, and at warm rankings first.
static bool is_answer(const struct session *s, const struct view_summary *v)
{
    const struct settings *o = &s->tuning.work.call->settings;
    return v->ranking.decided && !o->cold && o->where.count == 0 && o->config.count == 0;
}

// The first row of the Pareto set, else of all; NULL: there is none.
static const struct tune_record *first_row(const struct tune *t)
{
    size_t count;
    const struct tune_record **all = tune_ranking(t, &count), *first = NULL;
    for (size_t i = 0; all && i < count && !first; i++)
        first = all[i]->pareto ? all[i] : NULL;
    first = !first && all && count > 0 ? all[0] : first;
    free(all);
    return first;
}

// Of the same view of the device, in the same store.
static void suggest_peak(const struct work *w, struct text *out)
{
    const struct settings *o = &w->call->settings;
    text_add(out, "What the device can do:     hone peak");
    if (o->language.is_given || w->device->language != LANGUAGE_OPENCL)
        text_addf(out, " --language %s", language_text(w->device->language));
    if (o->device) {
        text_add(out, " --device ");
        text_add_shell(out, o->device);
    }
    if (o->store) {
        text_add(out, " --store ");
        text_add_shell(out, o->store);
    }
    text_add(out, "\n");
}

// What to type next: the same spec, constants, device and store.
static void suggest(struct session *s, const struct view_summary *v, struct text *out)
{
    const struct work *w = &s->tuning.work;
    struct text same = TEXT_INIT;
    work_same(w, &same);
    struct text best = TEXT_INIT;
    struct tune_progress p;
    tune_progress(s->tuning.tune, &p);
    const struct tune_record *one = p.best ? p.best : first_row(s->tuning.tune);
    if (one && v->result_count > 0)
        work_configuration(w->spec, one->choice, &best);
    text_addf(out, "\nEverything about the %s:  hone run %s", p.best ? "best" : "first",
              text_cstr(&same));
    if (best.length) { // parameters of one value need not be named
        text_add(out, " --config ");
        text_add_shell(out, text_cstr(&best));
    }
    if (w->store && s->tuning.options.goal.count == 1) {
        text_addf(out, "\nIts compiler options:       hone best %s", text_cstr(&same));
        if (best.length && !is_answer(s, v)) {
            text_add(out, " --config ");
            text_add_shell(out, text_cstr(&best));
        }
        text_add(out, " --options");
    }
    text_add(out, "\n");
    if (tuning_wants_peak(&s->tuning) && !v->peak)
        suggest_peak(w, out);
    text_release(&best);
    text_release(&same);
}

// What the ranking made of its contenders: what was shown of them before were screenings.
static void show_ranked(struct session *s, const struct view_summary *v)
{
    struct text line = TEXT_INIT;
    struct emit json;
    for (size_t i = 0; i < v->result_count; i++) {
        if (v->results[i].place.place == 0)
            continue;
        emit_start(&json, &line);
        report_result_json(&v->results[i], "ranked", false, &json);
        text_add(&line, "\n");
        write_line(s, &line);
        text_clear(&line);
    }
    text_release(&line);
}

// Columns of the terminal that results are written to; 0: any.
static size_t result_width(void)
{
    struct ticker ticker;
    ticker_init(&ticker, stdout);
    return ticker.terminal ? ticker_width(&ticker) : 0;
}

static void show_end(struct session *s)
{
    struct view_summary view;
    struct text text = TEXT_INIT;
    struct emit json;
    const struct store *store = s->tuning.work.store;
    if (!tuning_summary(&s->tuning, &view))
        complain("out of memory: the table is not complete");
    emit_start(&json, &text);
    if (s->json) {
        show_ranked(s, &view);
        report_summary_json(&view, &json);
        text_add(&text, "\n");
        write_line(s, &text);
        text_release(&text);
        return;
    }
    text_add(&text, "\n");
    report_summary(&view, BEST_ROWS, result_width(), &text);
    if (s->tuning.work.call->settings.timing)
        report_timing(&view.timing, &text);
    if (store && work_kept(&s->tuning.work))
        text_addf(&text, "Every result is kept in %s\n", store_path(store));
    if (view.result_count > 0 && !view.replay)
        suggest(s, &view, &text);
    write_line(s, &text);
    text_release(&text);
}

// ---- the loop ----------------------------------------------------------------------------------

static void obey_interrupt(struct session *s)
{
    if (s->ending || !interrupt_pending())
        return;
    s->ending = true;
    ticker_clear(&s->tuning.work.ticker);
    if (!s->tuning.recorded) // nothing runs
        say("Ending after the running launch; once more Ctrl-C ends at once.\n");
    tune_cancel(s->tuning.tune);
}

// A failed write to stdout ends the tune too: nobody reads along.
static void work_off(struct session *s)
{
    const struct tune_record *record;
    struct error *e = &s->tuning.broken;
    enum tune_answer answer;
    do {
        obey_interrupt(s);
        answer = tune_step(s->tuning.tune, STEP_MS, &record, e);
        if (answer == TUNE_RECORD && !show_record(s, record))
            return;
        if (answer == TUNE_RECORD) {
            announce(s);
            warn_alike(s);
        }
        if (ferror(stdout) && !s->ending) {
            s->ending = true;
            tune_cancel(s->tuning.tune);
        }
        show_progress(s);
    } while (answer == TUNE_RECORD || answer == TUNE_NOTHING);
    ticker_clear(&s->tuning.work.ticker);
}

static int status_of(struct session *s)
{
    struct tune_progress p;
    tune_progress(s->tuning.tune, &p);
    int failed = s->tuning.broken.code ? tuning_failed(&s->tuning.broken) : EXIT_DONE;
    if (interrupt_pending())
        return EXIT_SIGNAL + interrupt_pending();
    if (failed)
        return failed;
    if (!s->tuning.recorded && tuning_spec_errors(&p, s->tuning.work.spec->path) != EXIT_DONE)
        return EXIT_NOTHING;
    return p.by_status[STATUS_CORRECT] ? EXIT_DONE : EXIT_NOTHING;
}

// The first crash, of a configuration or of the reference; else the first write out of bounds.
static void tell_crash(struct session *s)
{
    size_t count;
    const struct tune_record *const *records = tune_records(s->tuning.tune, &count);
    const struct tune_record *first = NULL;
    if (s->tuning.recorded)
        return;
    for (size_t i = 0; i < count; i++) {
        if (crash_is_worse(records[i]->result, first ? first->result : NULL))
            first = records[i];
    }
    tuning_tell_crash(&s->tuning, first);
    crash_tell_reference(&s->tuning.work, &s->tuning.broken);
}

// Nothing of such a tune is stored, and no store answers.
static int refuse_store(const struct settings *s)
{
    const char *other = s->store        ? "--store"
                        : s->also.count ? "--also"
                        : s->no_store   ? "--no-store"
                        : s->fresh      ? "--fresh"
                        : s->retry      ? "--retry"
                                        : NULL;
    if (!s->build_only || !other)
        return EXIT_DONE;
    complain("--build-only and %s exclude each other: what is only built is not stored", other);
    return EXIT_USAGE;
}

// A recording has parameters of its own; nothing else has.
static int refuse_missing_spec(const struct invocation *i)
{
    if (i->argument_count > 0 || i->settings.replay)
        return EXIT_DONE;
    return refuse_usage(&command_tune, "tune needs SPEC, or --replay FILE");
}

static int run(struct invocation *i)
{
    struct session s = {.json = i->settings.json, .verbose = i->settings.verbose};
    tuning_init(&s.tuning, i);
    interrupt_catch();
    int status = refuse_missing_spec(i);
    if (status == EXIT_DONE)
        status = replaying_refuse(&i->settings);
    if (status == EXIT_DONE)
        status = refuse_store(&i->settings);
    if (status == EXIT_DONE)
        status = tuning_open(&s.tuning);
    if (status == EXIT_DONE)
        status = tuning_strategy(&s.tuning);
    if (status == EXIT_DONE)
        status = tuning_goal(&s.tuning);
    s.tuning.options.build_only = i->settings.build_only;
    if (status == EXIT_DONE)
        status = tuning_start(&s.tuning);
    if (status == EXIT_DONE) {
        show_head(&s);
        if (s.tuning.recorded)
            s.tuning.work.ticker.next_ns = clock_ns() + A_MOMENT;
        work_off(&s);
        show_end(&s);
        status = status_of(&s);
        tell_crash(&s);
    }
    tuning_release(&s.tuning);
    return status;
}

// ---- the command -------------------------------------------------------------------------------

#define FIELD(member) offsetof(struct settings, member)

static const struct option way_options[] = {
    {.name = "replay",
     .argument = "FILE",
     .help = "Answer from a recorded space instead of a device: " RECORDING_FORMATS
             ". No kernel is needed, nothing is built, measured or stored, and a budget of time is "
             "that of the recorded costs. Without SPEC the recorded parameters are searched; with "
             "it, what is recorded and valid. --device and --set choose among what a store has; "
             "--jobs is how many configurations are asked for before the first is answered.",
     .apply = option_text,
     .offset = FIELD(replay)},
    {.name = "build-only",
     .help =
         "Build the configurations, as many at once as for a tune, and run nothing: what the "
         "compiler makes of the space, and how long it takes. Neither reads nor writes a store.",
     .apply = option_flag,
     .offset = FIELD(build_only)},
    {0},
};

static const struct option rank_options[] = {
    {.name = "unranked",
     .help = "No ranking at the end: screening alone, which does not decide between close ones.",
     .apply = option_flag,
     .offset = FIELD(unranked)},
    {0},
};

static const struct option end_options[] = {
    {.name = "timing",
     .help = "At the end also where the time went: parts that follow each other and add up to the "
             "whole, from the start of the program on.",
     .apply = option_flag,
     .offset = FIELD(timing)},
    {0},
};

static const struct option_group groups[] = {
    {"What and where", spec_options}, {"Search", search_options},
    {"Search", way_options},          {"Search", objective_options},
    {"Search", seed_options},         {"Measuring", measure_options},
    {"Measuring", jobs_options},      {"Ranking", rule_options},
    {"Ranking", rank_options},        {"Results", again_options},
    {"Results", verbose_options},     {"Results", no_store_options},
    {"Results", end_options},         {"Results", crash_options},
    {"Help", help_options},           {0},
};

static const struct example examples[] = {
    {"hone tune kernels_cl/matmul_tiled.json", "every valid configuration, at the spec's size"},
    {"hone tune kernels_cl/matmul_register.json --set WIDTH=4096 --budget 10m --device H200",
     "a large space at another size, for ten minutes, on a GPU"},
    {"hone tune spec.json --where 'block_size_x >= 32' --verbose",
     "part of the space, one line a configuration"},
    {"hone tune --replay gemm_T4.json.gz --budget 10m",
     "a space that somebody recorded, searched as if for ten minutes, without a device"},
    {0},
};

// "  rounds=24         rounds at most", a line each, as part of the description.
#define RULE_LINE(member, value, least, most, text) "  " #member "=" #value "  " text "\n"

const struct command command_tune = {
    .name = "tune",
    .summary = "find the fastest configuration of a kernel",
    .arguments = "SPEC",
    .least = 0,
    .most = 1,
    .description =
        "Builds the spec's kernel once for each valid configuration, checks that its result is "
        "right, "
        "measures it, and prints the best. What fails to build, crashes, hangs or computes "
        "something "
        "wrong is recorded as a result of its own, and the tune goes on. Every result is kept in a "
        "store "
        "as it comes: a tune that was ended goes on where it was when it is started again.\n\n"
        "Ctrl-C ends the search after the running launch and prints what is known, without a "
        "ranking; once more ends at once. Progress goes to stderr, results to stdout.\n\n"
        "Screening gives a configuration a verified launch, which is not timed, and a few timed "
        "ones; one far behind the best is stopped early. At the end all that might be the best, "
        "the fastest known from earlier runs included (they spend no budget), is ranked: launched "
        "in turn, round by round, in "
        "shuffled order, each time once untimed and then timed, because a machine drifts by more "
        "between two configurations measured one after the other than many of them differ. Places, "
        "ties and ratios come from these rounds alone. Configurations share a place when they are "
        "not told apart from the winner; that is one decision over all of them, and 95 of 100 "
        "tunes of equal kernels tie them all. `hone best` takes of a tie, where it is within "
        "0.5 % of the fastest, the one that uses the fewest resources, then the first in the "
        "space. Rounds during which other programs used "
        "the cores, or the reference launch was slow, are run again. After the last round every "
        "contender is verified once more. When the time of the budget is up there is a short "
        "ranking still.\n\n"
        "A time is the median of a configuration's launches, by the device's timer (where that is "
        "found wrong by the host's clock, and said), with its 95 % "
        "interval in brackets; below six launches their range in parentheses. \"times the winner\" "
        "is the ratio within rounds, with an interval that holds for all contenders together.\n\n"
        "Another objective than the time (--objective, or the spec's Objective) decides what is "
        "the "
        "best. The greatest GFLOP/s of a fixed amount of work is the least time in other words, "
        "and "
        "ranked as that is. For any other one, and for several, each configuration is launched the "
        "same number of times (seven, or --iterations), is not stopped for being slow, has its "
        "energy counted where the objective needs it (half a second more), and there is no "
        "ranking. "
        "With several objectives there is no best but the Pareto set: those that no other "
        "configuration beats in one of them without losing in another.\n\n"
        "What the device refuses (constraints) does not spend a budget of configurations: another "
        "one is tried in its place.\n\n"
        "The rules of screening and ranking, with their defaults (--rule "
        "NAME=VALUE):\n\n" MEASURE_RULES(
            RULE_LINE) "\n"
                       "With --json stdout has one object a line, times in nanoseconds, unknown "
                       "values null:\n\n"
                       "  {\"type\":\"run\", \"hone\", \"spec\", \"spec_name\", \"spec_sha256\", "
                       "\"source_sha256\",\n"
                       "   \"constants\":{}, \"command\", \"seed\", \"strategy\", "
                       "\"strategy_options\":{},\n"
                       "   \"objective\", \"objectives\":[{\"name\", \"direction\"}], "
                       "\"device\":{}, "
                       "\"driver\",\n"
                       "   \"compiler\", \"host\", \"date\", \"cache\":{}, \"store\", "
                       "\"cartesian\", \"valid\",\n"
                       "   \"planned\", \"verification\"}\n"
                       "  {\"type\":\"result\", \"configuration\":{}, \"status\", \"verified\", "
                       "\"verification\", \"outputs\":[],\n"
                       "   \"median_ns\", \"interval_ns\":[low,high], \"samples_ns\":[], "
                       "\"stopped\", \"batch\",\n"
                       "   \"warmups\", \"warm\", \"clock\", \"clock_fault\", \"reused\", "
                       "\"message\", \"fault\",\n"
                       "   \"metrics\":{}, \"is_default\", \"same_as\":{}, \"global_size\":[], "
                       "\"local_size\":[],\n"
                       "   \"limit_ns\", \"ranking\", \"place\", \"tied\", \"chosen\", \"ratio\", "
                       "\"ratio_interval\":[low,high],\n"
                       "   \"times_ns\":{}, \"gpu\":{}, \"energy\":{}}                one a "
                       "configuration\n"
                       "  {\"type\":\"ranked\", ... as result}                    one a contender, "
                       "at the end\n"
                       "  {\"type\":\"summary\", \"best\":{}, \"objective\", "
                       "\"objectives\":[], \"pareto\":[{}, ...],\n"
                       "   \"counts\":{}, \"spec_errors\", \"done\", \"valid\", "
                       "\"planned\", "
                       "\"reused\",\n"
                       "   \"identical\", \"samples\", \"launches\", \"speedup_over_default\",\n"
                       "   \"speedup_over_default_interval\":[], \"speedup_over_default_basis\",\n"
                       "   \"speedup_over_default_significant\", "
                       "\"verification\",\n"
                       "   \"verified\", \"shown\",\n"
                       "   \"ranking\":{\"id\", \"contenders\", \"failed\", \"rounds\", "
                       "\"repeated\", \"marked\",\n"
                       "   \"by_load\", \"by_clock\", \"batch\", \"warmups\", \"cold\", \"level\", "
                       "\"tied\",\n"
                       "   \"chosen\":{}, \"why\", \"known\", \"short\", \"launches\"},\n"
                       "   \"cancelled\", \"out_of_time\", \"build_only\", \"error\", "
                       "\"elapsed_ns\",\n"
                       "   \"times_ns\":{}, \"timing\":{}, \"peak\":{}}\n\n"
                       "status is correct, compile, runtime, timeout, correctness or constraints; "
                       "stopped is "
                       "settled, "
                       "hopeless, limit, fixed, ranked, replayed, or null when nothing was timed. "
                       "verified "
                       "is true where the result "
                       "was "
                       "held against a reference; agreement with the default configuration is told "
                       "by "
                       "verification. outputs are as of hone check, and so is shown. With --replay "
                       "device is null, and run and summary have "
                       "replayed: {\"file\", \"format\", \"device\", \"statistic\", "
                       "\"recorded\", \"excluded\", \"unrecorded\", \"cost_ns\"}.",
    .more = help_strategies,
    .groups = groups,
    .examples = examples,
    .run = run,
    .compiles = true,
};
