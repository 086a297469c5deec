// hone compare: two sides of one spec, or the bests of several, in interleaved rounds.
#include "report/compare_report.h"
#include "cli/completion.h"
#include "cli/comparing.h"
#include "cli/interrupt.h"
#include "cli/nodes.h"
#include "cli/run_workflow.h"
#include "os/file_replace.h"
#include "report/progress.h"

#include <string.h>

#define ROWS 40 // of the table, without --verbose

// One `hone compare`.
struct session {
    struct comparing comparing;
    const struct compare_settings *settings;
    const struct writer *writer;
    struct running running;
};

// ---- the loop ----------------------------------------------------------------------------------

static void show_comparison_progress(void *context, const struct screen *screen, struct text *line)
{
    struct session *s = context;
    struct compare_view found;
    compare_view(s->comparing.compare, &found);
    report_compare_progress(&found.progress, screen, line);
}

// ---- what is shown -----------------------------------------------------------------------------

static int write_picture(const char *path, const struct compare_report *report)
{
    struct error e = ERROR_INIT;
    struct text svg = TEXT_INIT;
    bool any = report_compare_picture(report, &svg);
    if (!any)
        complain("%s is not written: nothing was compared", path);
    bool ok = !svg.failed || error_memory(&e);
    ok = ok && (!any || file_replace(path, &svg, &e));
    text_release(&svg);
    return ok ? EXIT_DONE : work_failed(&e);
}

static int compare_and_show(struct session *s)
{
    struct compare_report report;
    struct view_why why;
    int explained = EXIT_DONE;
    struct text head = TEXT_INIT, end = TEXT_INIT;
    bool ok = comparing_report(&s->comparing, &report);
    if (ok)
        writer_head(s->writer, &report, &head);
    workflow_write(&s->running.work->ticker, &head);
    s->running.workflow = compare_workflow(s->comparing.compare);
    workflow_run(&s->running);
    if (!ok || !comparing_report(&s->comparing, &report))
        return refuse(EXIT_NOTHING, "out of memory");
    if (s->settings->explain.is_given && !s->running.ending && !s->running.broken->code) {
        explained =
            comparing_why(&s->comparing, s->settings->explain.configuration, &why, &s->running);
        report.why = explained == EXIT_DONE ? &why : NULL;
    }
    writer_end(s->writer, &report, &end);
    workflow_write(&s->running.work->ticker, &end);
    int drawn = s->settings->svg ? write_picture(s->settings->svg, &report) : EXIT_DONE;
    int status =
        workflow_status(s->running.broken, workflow_failed, report.found.progress.compared > 0);
    return status != EXIT_DONE ? status : explained != EXIT_DONE ? explained : drawn;
}

static int refuse_compare_options(const struct invocation *i)
{
    const struct compare_settings *s = i->settings;
    if (s->explain.is_given && (i->argument_count > 1 || s->against.count > 0))
        return refuse(EXIT_USAGE, s->against.count > 0
                                      ? "--why is for two sides of one spec; the code of a "
                                        "vendor's library cannot be shown"
                                      : "--why is for two sides of one spec");
    return EXIT_DONE;
}

static int run_compare(struct invocation *i)
{
    struct session s = {.settings = i->settings};
    int status = refuse_compare_options(i);
    if (status != EXIT_DONE)
        return status;
    s.writer = &compare_writers[s.settings->given.output.format];
    comparing_init(&s.comparing, i);
    s.running = (struct running){
        .work = &s.comparing.sides[0].work, .context = &s, .progress = show_comparison_progress};
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

// "12", "top=12".
static bool option_sample(void *field, const char *value, struct error *e)
{
    struct given_sample *given = field;
    given->is_top = str_starts(value, "top=");
    return option_count(&given->count, value + (given->is_top ? strlen("top=") : 0), e);
}

// "--why block=16" meant "--why=block=16".
static bool is_configuration(const char *word)
{
    return strchr(word, '=') != NULL;
}

#define FIELD(member) offsetof(struct compare_settings, member)

static const struct option side_options[] = {
    {OPTION("left", "WHAT=VALUE", option_list, FIELD(left)), .brief = "the first side",
     .is_list = true,
     .help =
         "What the first side is: device=NAME, language=opencl or cuda, option=WORDS (compiler "
         "options beside the spec's, separated by blanks), set=NAME=VALUE (a constant), or "
         "run=ID (a run of the store, by the beginning of its id; last is the newest; an id "
         "that does not exist lists them). May be repeated. What is not said is as without it."},
    {OPTION("right", "WHAT=VALUE", option_list, FIELD(right)), .brief = "the second side",
     .is_list = true, .help = "What the second side is."},
    {OPTION("against", "LIBRARY", option_against, FIELD(against)),
     .brief = "beside a vendor's library", .is_list = true,
     .help =
         "The matrix product of a vendor's library beside the best of the spec, whose Reference "
         "must be of the Kind gemm, over buffers of float: cublas, cublas-tf32 (NVIDIA's "
         "cards, through CUDA), openblas or cblas=FILE (CPUs), clblast (any OpenCL device). "
         "cublas multiplies double, half, bfloat16 and 8-bit floats, too; cublas-fast multiplies "
         "8-bit floats with sums of fewer bits. "
         "With =FILE a library that is not where the loader looks. May be repeated."},
    {OPTION("sample", "N", option_sample, FIELD(sample)), .letter = 'n',
     .brief = "only N of the configurations",
     .help =
         "Only N of the valid configurations, each as likely as any other, none twice; or, with "
         "top=N, the N fastest of each side that the store knows. Default: all, or 64 of more than "
         "100."},
    {0},
};

static const struct option measuring_options[] = {
    {OPTION("rounds", "N", option_count, FIELD(rounds)), .brief = "launches of each on every side",
     .help =
         "Rounds for each configuration; every side is launched once in each. Default: 8 to 24, as "
         "many as that number of configurations needs; 16 for the bests and for several specs."},
    {OPTION("rule", "NAME=VALUE", option_rule, FIELD(measure.rules)), .offer = offer_rules,
     .is_list = true,
     .help = "A constant of the tunes of several specs and of the decisions (level, alike), as "
             "`hone help rules` lists them. May be repeated."},
    {OPTION("cold", NULL, option_flag, FIELD(measure.terms.cold)),
     .help = "Clear the device's cache before each timed launch."},
    {0},
};

static const struct option result_options[] = {
    {OPTION("why", "CONFIG", option_why, FIELD(explain)), .brief = "also show the compiled code",
     .optional = true, .is_meant = is_configuration,
     .help = "Also show the compiled kernels of both sides, PTX and SASS by class of instruction: "
             "of the fastest configuration, or of the one named as in --why=block_size_x=16. SASS "
             "needs NVIDIA's nvdisasm (and ptxas where the driver gives PTX)."},
    {OPTION("output", "FILE", option_text, FIELD(svg)), .letter = 'o',
     .brief = "a picture (SVG), as a file",
     .help = "Write a picture to this file: of two sides each configuration's times, one over the "
             "other; of several specs how many times as long as the fastest each takes."},
    {OPTION("verbose", NULL, option_flag, FIELD(verbose)), .letter = 'v',
     .help = "The whole table, not its first 40 rows."},
    {OPTION("fresh", NULL, option_flag, FIELD(measure.terms.fresh)),
     .help = "Tune the specs again, even if the store has their bests."},
    {0},
};

static const struct option_group groups[] = {
    {"What and where", spec_options, FIELD(given)},
    {"What and where", NODE_OPTIONS, FIELD(given)},
    {"Sides", side_options, 0},
    {"Sides", seed_options, FIELD(measure)},
    {"Measuring", measuring_options, 0},
    {"Measuring", timeout_options, FIELD(measure)},
    {"Measuring", jobs_options, FIELD(measure)},
    {"Results", result_options, 0},
    {"Results", format_options, FIELD(given.output)},
    {"Help", help_options, 0},
    {0},
};

static const struct example examples[] = {
    {"hone compare kernels_cl/matmul_tiled.json",
     NEEDS_GPU "OpenCL against CUDA, the same configurations on one card"},
    {"hone compare spec.json --right option=-cl-fast-relaxed-math --sample 8",
     "the effect of a compiler option on eight configurations"},
    {"hone compare kernels_cl/matmul_naive.json kernels_cl/matmul_tiled.json --set WIDTH=128",
     "the best of each spec, tuned first where that is not known"},
    {"hone compare spec.json --left set=WIDTH=64 --right set=WIDTH=128 --sample 8", "two sizes"},
    {"hone compare spec.json --left run=last --format markdown", "an earlier run against now"},
    {"hone compare kernels_cl/matmul_vector.json --against openblas -s M=512 -s N=512 -s K=512 "
     "--config rows=6,vectors=2,unroll_k=1,group_x=1,group_y=1,columns_first=1",
     "the best configuration beside OpenBLAS"},
    {0},
};

static const struct json_record json_records[] = {{"comparison", &report_compare_fields}, {0}};

extern const char about_compare[]; // about/compare.txt

const struct command command_compare = {
    .name = "compare",
    .group = GROUP_MEASURE,
    .summary = "compare languages, devices, options, sizes, runs, specs or libraries",
    .arguments = "SPEC [SPEC...]",
    .least = 1,
    .most = COMPARE_SIDES,
    .description = about_compare,
    .json = "With --json one object. Ratios are of the first side's time to the second's.",
    .records = json_records,
    .topics = "ranking, formats, json",
    .groups = groups,
    .examples = examples,
    .settings_size = sizeof(struct compare_settings),
    .run = run_compare,
    .compiles = true,
};
