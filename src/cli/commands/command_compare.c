#include "cli/comparing.h"
#include "cli/interrupt.h"
#include "report/progress.h"

#include "base/process.h"

#include <string.h>

#define STEP_MS 100
#define ROWS    40 // of the table, without --verbose

// One `hone compare`.
struct session {
    struct comparing comparing;
    const struct settings *settings;
    bool ending;
};

// ---- progress ----------------------------------------------------------------------------------

static void show_progress(struct session *s)
{
    struct ticker *ticker = &s->comparing.sides[0].tuning.work.ticker;
    uint64_t now = clock_ns();
    struct compare_summary p;
    struct text line = TEXT_INIT;
    if (!ticker_due(ticker, now))
        return;
    compare_summary(s->comparing.compare, &p);
    struct view_progress view = {.planned = p.planned,
                                 .done = p.done,
                                 .elapsed_ns = p.elapsed_ns,
                                 .left_ns = p.left_ns,
                                 .building = p.evaluator.building,
                                 .measuring = p.evaluator.measuring,
                                 .waiting = p.evaluator.waiting,
                                 .cancelled = p.cancelled,
                                 .contenders = p.settling.round ? p.settling.contenders : 0,
                                 .round = p.settling.round,
                                 .rounds = p.settling.most,
                                 .checking = p.settling.checking};
    view.by_status[STATUS_CORRECT] = p.compared;
    report_progress(&view, ticker_width(ticker), &line);
    ticker_show(ticker, text_cstr(&line), now);
    text_release(&line);
}

// ---- the loop ----------------------------------------------------------------------------------

static void end(struct session *s)
{
    s->ending = true;
    compare_cancel(s->comparing.compare);
}

static void obey_interrupt(struct session *s)
{
    if (s->ending || !interrupt_pending())
        return;
    ticker_clear(&s->comparing.sides[0].tuning.work.ticker);
    say("Ending after the running launch; once more Ctrl-C ends at once.\n");
    end(s);
}

// False at the end.
static bool step(void *context)
{
    struct session *s = context;
    const struct compare_record *record;
    obey_interrupt(s);
    enum compare_answer answer =
        compare_step(s->comparing.compare, STEP_MS, &record, &s->comparing.broken);
    if (ferror(stdout) && !s->ending)
        end(s);
    show_progress(s);
    return answer == COMPARE_RECORD || answer == COMPARE_NOTHING;
}

// ---- what is shown -----------------------------------------------------------------------------

static void write_text(struct session *s, struct text *text)
{
    ticker_clear(&s->comparing.sides[0].tuning.work.ticker);
    put(text);
    fflush(stdout);
    text_release(text);
}

static void show_head(struct session *s)
{
    struct view_compare view;
    struct text text = TEXT_INIT;
    if (s->settings->json || s->settings->markdown)
        return;
    if (comparing_view(&s->comparing, &view))
        report_compare_head(&view, &text);
    text_add(&text, "\n");
    write_text(s, &text);
}

static void show_json(const struct view_compare *view, const struct view_why *why, struct text *out)
{
    struct emit j;
    emit_start(&j, out);
    emit_object(&j);
    report_compare_json(view, &j);
    emit_key(&j, "why");
    if (why)
        report_why_json(why, &j);
    else
        emit_null(&j);
    emit_object_end(&j);
    text_add(out, "\n");
}

static void show_end(struct session *s, const struct view_compare *view, const struct view_why *why)
{
    struct text text = TEXT_INIT;
    size_t most = s->settings->verbose ? 0 : ROWS;
    if (s->settings->json) {
        show_json(view, why, &text);
    } else if (s->settings->markdown) {
        report_compare_markdown(view, most, &text);
        text_add(&text, why ? "\n" : "");
        if (why)
            report_why_markdown(why, &text);
    } else {
        report_compare(view, most, &text);
        text_add(&text, why ? "\n" : "");
        if (why)
            report_why(why, &text);
    }
    write_text(s, &text);
}

static int status_of(const struct session *s, const struct view_compare *view)
{
    if (interrupt_pending())
        return EXIT_SIGNAL + interrupt_pending();
    if (s->comparing.broken.code)
        return tuning_failed(&s->comparing.broken);
    return view->compared > 0 ? EXIT_DONE : EXIT_NOTHING;
}

static int compare_and_show(struct session *s)
{
    struct view_compare view;
    struct view_why why;
    int explained = EXIT_DONE;
    bool has_why = false;
    show_head(s);
    while (step(s))
        ;
    if (!comparing_view(&s->comparing, &view)) {
        complain("out of memory");
        return EXIT_NOTHING;
    }
    if (s->settings->explain.is_given && !s->ending && !s->comparing.broken.code) {
        explained = comparing_why(&s->comparing, s->settings->explain.configuration, &why, step, s);
        has_why = explained == EXIT_DONE;
    }
    show_end(s, &view, has_why ? &why : NULL);
    int status = status_of(s, &view);
    return status == EXIT_DONE ? explained : status;
}

static int refuse(const struct invocation *i)
{
    const struct settings *s = &i->settings;
    if (s->json && s->markdown) {
        complain("--json and --markdown exclude each other");
        return EXIT_USAGE;
    }
    if (s->explain.is_given && (i->argument_count > 1 || s->against.count > 0)) {
        complain(s->against.count > 0
                     ? "--why is for two sides of one spec; what a library is made "
                       "of is not ours to show"
                     : "--why is for two sides of one spec");
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

static int run(struct invocation *i)
{
    struct session s = {.settings = &i->settings};
    int status = refuse(i);
    if (status != EXIT_DONE)
        return status;
    comparing_init(&s.comparing, i);
    interrupt_catch();
    status = comparing_open(&s.comparing);
    if (status == EXIT_DONE)
        status = comparing_start(&s.comparing);
    if (status == EXIT_DONE)
        status = compare_and_show(&s);
    comparing_release(&s.comparing);
    return status;
}

// ---- the command -------------------------------------------------------------------------------

static bool option_why(void *field, const char *value, struct error *e)
{
    (void)e;
    *(struct given_why *)field = (struct given_why){true, value};
    return true;
}

// "--why block=16" meant "--why=block=16".
static bool is_configuration(const char *word)
{
    return strchr(word, '=') != NULL;
}

#define FIELD(member) offsetof(struct settings, member)

static const struct option side_options[] = {
    {.name = "left",
     .argument = "WHAT=VALUE",
     .help = "What the first side is: device=NAME, language=opencl or cuda, option=WORDS (compiler "
             "options beside the spec's, separated by blanks), set=NAME=VALUE (a constant), or "
             "run=ID (a run of the store, by the beginning of its id; last is the newest; an id "
             "that does not exist lists them). May be repeated. What is not said is as without it.",
     .apply = option_list,
     .offset = FIELD(left)},
    {.name = "right",
     .argument = "WHAT=VALUE",
     .help = "What the second side is.",
     .apply = option_list,
     .offset = FIELD(right)},
    {.name = "against",
     .argument = "LIBRARY",
     .help =
         "The matrix product of a vendor's library beside the best of the spec, whose Reference "
         "must be of the Kind gemm, over buffers of float: cublas, cublas-tf32 (NVIDIA's "
         "cards, through CUDA), openblas or cblas=FILE (CPUs), clblast (any OpenCL device). "
         "With =FILE a library that is not where the loader looks. May be repeated.",
     .apply = option_against,
     .offset = FIELD(against)},
    {.name = "sample",
     .argument = "N",
     .help =
         "Only N of the valid configurations, each as likely as any other, none twice. Default: "
         "all, or 64 of more than 100.",
     .apply = option_count,
     .offset = FIELD(sample)},
    {.name = "top",
     .argument = "N",
     .help = "Only the N fastest of each side that the store knows.",
     .apply = option_count,
     .offset = FIELD(top)},
    {0},
};

static const struct option measuring_options[] = {
    {.name = "rounds",
     .argument = "N",
     .help = "Rounds of each configuration, in each of which every side is launched once. Default: "
             "8 to 24, as many as are needed to tell sides apart among so many configurations; 16 "
             "for the bests and for several specs.",
     .apply = option_count,
     .offset = FIELD(rounds)},
    {.name = "rule",
     .argument = "NAME=VALUE",
     .help = "A constant of the tunes of several specs and of the decisions (level, alike), as "
             "`hone tune --help` lists them. May be repeated.",
     .apply = option_rule,
     .offset = FIELD(rules)},
    {.name = "timeout",
     .argument = "TIME",
     .help = "The longest a launch may take (30s), or build=60s,launch=30s, as in `hone tune`.",
     .apply = option_limits,
     .offset = FIELD(limits)},
    LOCK_WAIT_OPTION,
    {.name = "cold",
     .help = "Clear the device's cache before each timed launch.",
     .apply = option_flag,
     .offset = FIELD(cold)},
    {0},
};

static const struct option result_options[] = {
    {.name = "why",
     .argument = "CONFIG",
     .optional = true,
     .help = "Also show the compiled kernels of both sides, PTX and SASS by class of instruction: "
             "of the fastest configuration, or of the one named as in --why=block_size_x=16. SASS "
             "needs NVIDIA's nvdisasm (and ptxas where the driver gives PTX).",
     .apply = option_why,
     .is_meant = is_configuration,
     .offset = FIELD(explain)},
    {.name = "markdown",
     .help = "Write a table in Markdown.",
     .apply = option_flag,
     .offset = FIELD(markdown)},
    {.name = "verbose",
     .letter = 'v',
     .help = "The whole table, not its first 40 rows.",
     .apply = option_flag,
     .offset = FIELD(verbose)},
    {.name = "fresh",
     .help = "Tune several specs anew: the store does not say which are their best.",
     .apply = option_flag,
     .offset = FIELD(fresh)},
    {0},
};

static const struct option_group groups[] = {
    {"What and where", spec_options}, {"Sides", side_options},     {"Sides", seed_options},
    {"Measuring", measuring_options}, {"Measuring", jobs_options}, {"Results", result_options},
    {"Results", no_store_options},    {"Help", help_options},      {0},
};

static const struct example examples[] = {
    {"hone compare kernels_cl/matmul_tiled.json",
     "OpenCL against CUDA, the same configurations on one card"},
    {"hone compare spec.json --right 'option=-cl-fast-relaxed-math'",
     "what a compiler option brings"},
    {"hone compare spec.json --left set=WIDTH=1024 --right set=WIDTH=1000 --top 5",
     "two sizes, for the five fastest of each"},
    {"hone compare spec.json --left run=last --markdown", "an earlier run against now"},
    {"hone compare kernels_cl/matmul_naive.json kernels_cl/matmul_tiled.json --set WIDTH=2048",
     "the best of each spec, tuned first where that is not known"},
    {"hone compare kernels_cl/matmul_vector.json --against openblas --set M=1024 --set N=1024 "
     "--set "
     "K=1024",
     "the best configuration beside OpenBLAS"},
    {0},
};

const struct command command_compare = {
    .name = "compare",
    .summary = "compare languages, devices, options, sizes, runs, specs or libraries",
    .arguments = "SPEC [SPEC...]",
    .least = 1,
    .most = COMPARE_SIDES,
    .description =
        "With one spec: the same configurations on two sides, OpenCL and CUDA on one card unless "
        "--left and --right say what differs. Each configuration is built, verified and launched "
        "on both sides in turn, round by round in shuffled order, each time once untimed and then "
        "timed, so that a clock that drifts hits both; ratios come from pairs of one round. A "
        "configuration that only one side has is counted and left out; one that fails on a side "
        "is told with its status.\n\n"
        "The table has for each configuration both times (median with its 95 % interval; below "
        "six rounds the range in parentheses), the first side's time over the second's with its "
        "interval, registers and spilled bytes of both, where the drivers tell them. = marks "
        "those that are not told apart: by Wilcoxon's signed-rank test of the pairs, corrected "
        "over all configurations (Holm), and within 0.5 % nothing is (--rule alike). Below stand "
        "the geometric mean of the ratios, with the interval that other configurations like these "
        "would leave it in, how many differ, how far both sides order the configurations alike "
        "(Kendall's tau), and the best of each side, launched in turn once more.\n\n"
        "A stored run is compared as it was measured then: its launches were not in turn with the "
        "others, so the drift in between is in the ratios, and the report says so.\n\n"
        "With several specs: the best configuration of each, which a ranking in the store (of the "
        "whole space, or of what --config and --where leave) or a "
        "tune finds first, under the same constants on the same device, launched in turn and "
        "ranked as in "
        "`hone tune`: how many times faster the fastest is than each of the others, with intervals "
        "that hold together.\n\n"
        "With --against: the best configuration of the spec, found likewise, and the matrix "
        "product of a vendor's library, which the worker opens: on the same buffers, verified "
        "against the same reference, launched in turn and ranked as several specs are. cuBLAS is "
        "called on the CUDA view of the card. A CBLAS is timed by the host's clock around the call "
        "and takes as many threads as it chooses (OPENBLAS_NUM_THREADS and the like reach it); "
        "cuBLAS by events around it; CLBlast from just before its first kernel to the end of its "
        "last one, on the same queue. What the library says of itself, and its file, stand below "
        "the table.\n\n"
        "Samples are stored with the word compared. They answer no tune, and no ranking of one is "
        "taken back by them. What was built with other options than the spec's is kept under a "
        "name of its own, the spec's with the options; so is what a library did.\n\n"
        "--json writes one object: {\"hone\", \"command\", \"host\", \"date\", \"seed\", "
        "\"store\", \"sides\":[], \"rows\":[], \"planned\", \"only\":[], \"compared\", "
        "\"failed\", \"identical\", \"in_turn\", \"mean_ratio\", \"mean_interval\", \"differ\", "
        "\"first_faster\", \"second_faster\", \"level\", \"kendall_tau\", \"best\":[], "
        "\"ratio_of_bests\", \"ratio_of_bests_interval\", \"launches\", \"elapsed_ns\", "
        "\"cancelled\", \"error\", \"why\"}; a side has label, spec, routine, constants, options, "
        "device, "
        "driver, language, run, verification; a row configuration, sides (configuration, status, "
        "median_ns, interval_ns, samples_ns, batch, registers, spill_bytes, local_bytes, metric, "
        "error, message, library; of several specs also place, tied, ratio, ratio_interval), "
        "ratio, "
        "ratio_interval, probability, differs, in_turn, rounds, repeated, same_as.",
    .groups = groups,
    .examples = examples,
    .run = run,
    .compiles = true,
};
