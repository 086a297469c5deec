// hone judge: kernels that others wrote, each against the spec's own.
#include "cli/completion.h"
#include "cli/interrupt.h"
#include "cli/nodes.h"
#include "cli/run_workflow.h"
#include "extras/judge/judge_report.h"
#include "extras/judge/judge_serve.h"
#include "extras/judge/judging_guard.h"
#include "problem/sweep_plan.h"
#include "report/progress.h"
#include "workflows/peak/peak.h"

#include <string.h>
#include <unistd.h>

#define HIDDEN_SIZES  2
#define HIDDEN_MOST   32
#define VARIANTS_MOST 1024

struct judge_settings {
    struct spec_settings given; // some rows of it
    struct measure_settings measure;
    struct given_hidden {
        bool is_given;
        uint32_t count;
    } hidden;
    uint32_t rounds, variants;
    bool shows_all, serves;
};

// One `hone judge`.
struct session {
    struct work work;
    const struct judge_settings *settings;
    struct spec_settings given; // without --set, which names the sizes
    struct invocation call;     // the spec alone
    struct candidates candidates;
    struct judging_options options;
    struct judging *judging;
    struct serving serving;
    struct judging_warm warm;
};

// ---- what is shown -----------------------------------------------------------------------------

static void add_judge_command(const void *context, const struct judge_record *r, struct text *out)
{
    const struct session *s = context;
    const struct list *set = &s->settings->given.set;
    text_add(out, "hone judge ");
    work_same(&s->work, out);
    for (uint32_t i = 0; i < set->count; i++) {
        text_add(out, " --set ");
        text_add_shell(out, set->items[i]);
    }
    if (s->options.configuration) {
        text_add(out, " --config ");
        text_add_shell(out, s->options.configuration);
    }
    text_add(out, " ");
    text_add_shell(out, r->candidate->name);
}

static void fill_judge_report(struct session *s, struct judge_report *out)
{
    work_about(&s->work, &s->work.broken, &s->work.about);
    *out = (struct judge_report){.about = &s->work.about,
                                 .spec = s->work.spec,
                                 .device = s->work.device,
                                 .records = judging_records(s->judging),
                                 .count = s->candidates.count,
                                 .verbose = s->settings->shows_all,
                                 .command = add_judge_command,
                                 .context = s};
    judging_progress(s->judging, &out->progress);
}

static bool show_verdict(void *context, const void *record)
{
    struct session *s = context;
    struct judge_report report;
    struct text line = TEXT_INIT;
    fill_judge_report(s, &report);
    writer_record(&judge_writers[s->settings->given.output.format], &report, record, &line);
    if (line.length)
        workflow_write(&s->work.ticker, &line);
    text_release(&line);
    return true;
}

static void show_judge_progress(void *context, const struct screen *screen, struct text *line)
{
    const struct session *s = context;
    struct judging_progress p;
    judging_progress(s->judging, &p);
    report_bar(p.common.done, p.common.planned, screen, line);
    text_addf(line, "  %llu/%llu", (unsigned long long)p.common.done,
              (unsigned long long)p.common.planned);
    if (p.is_final)
        text_addf(line, "  %zu measured again", p.finalists);
    if (p.candidate)
        text_add_name(line, "  ", p.candidate, "");
}

// ---- sizes and candidates ----------------------------------------------------------------------

static bool label_size(struct session *s, const struct sweep_plan *plan, uint32_t point,
                       struct judge_point *out)
{
    struct text label = TEXT_INIT;
    for (uint32_t i = 0; i < plan->name_count; i++)
        text_addf(&label, "%s%s", i ? ", " : "", plan->points[point].set[i]);
    *out = (struct judge_point){.set = plan->points[point].set, .set_count = plan->name_count};
    out->label = text_to_arena(&label, &s->work.arena);
    return out->label != NULL;
}

// --set WIDTH=256,512: two sizes. Without it there is the spec's own.
static bool plan_sizes(struct session *s, struct error *e)
{
    const struct list *set = &s->settings->given.set;
    struct arena *a = &s->work.arena;
    struct sweep_plan plan = {.point_count = 1};
    if (set->count > 0 &&
        !sweep_plan_make(s->work.spec, set->items, set->count, false, a, &plan, e))
        return false;
    if (plan.point_count > JUDGE_POINTS_MOST)
        return error_set(e, ERROR_USAGE, "--set gives %u sizes; a judge times at most %d",
                         (unsigned)plan.point_count, JUDGE_POINTS_MOST);
    struct judge_point *points = arena_array(a, plan.point_count, sizeof *points);
    if (!points)
        return error_memory(e);
    points[0].label = s->work.constants;
    for (uint32_t i = 0; set->count > 0 && i < plan.point_count; i++) {
        if (!label_size(s, &plan, i, &points[i]))
            return error_memory(e);
    }
    s->options.points = points;
    s->options.point_count = plan.point_count;
    return true;
}

static bool gather_candidates(struct session *s, const struct invocation *i, struct error *e)
{
    for (uint32_t k = 1; k < i->argument_count; k++) {
        if (!candidates_add(&s->candidates, i->arguments[k], s->work.device->language, e))
            return false;
    }
    return true;
}

// The peak of the device's memory that hone peak kept: a store that is not there, or cannot be read, says nothing.
static double memory_rate(struct work *w)
{
    struct error e = ERROR_INIT;
    struct peak found;
    const char *path = work_store_path(w, &e);
    if (!path || access(path, R_OK) != 0 || work_own_store(w, HONE_STORE_READ) != EXIT_DONE ||
        !w->store || !peak_find(w->store, w->device, &w->arena, &found, &e))
        return 0;
    const struct peak_rate *read = &found.rates[PEAK_READ], *copy = &found.rates[PEAK_COPY];
    const double best = read->known ? read->median : 0;
    return copy->known && copy->median > best ? copy->median : best;
}

static bool fill_judging_options(struct session *s, const struct invocation *i, struct error *e)
{
    const struct judge_settings *settings = s->settings;
    const struct list *config = &settings->given.config;
    struct judging_options *o = &s->options;
    if (config->count > 1)
        return error_set(e, ERROR_USAGE, "--config: a judge has one baseline, and %u are named",
                         (unsigned)config->count);
    o->configuration = config->count ? config->items[0] : NULL;
    o->hidden = settings->hidden.is_given ? settings->hidden.count : HIDDEN_SIZES;
    o->rounds = settings->rounds;
    o->variants = settings->variants;
    o->memory_rate = memory_rate(&s->work);
    if (!plan_sizes(s, e) || !gather_candidates(s, i, e))
        return false;
    o->candidates = s->candidates.list;
    o->candidate_count = s->candidates.count;
    return true;
}

// Where the system has none candidates run as the user, which the report says.
static bool use_sandbox(struct session *s, struct error *e)
{
    struct work *w = &s->work;
    struct setup *setup = &s->options.setup;
    const char *words = guard_words(&w->arena);
    if (!words)
        return error_memory(e);
    s->options.apart = s->options.clean = setup->at.environment;
    if (!words[0])
        return true;
    const char *const *given = setup->at.environment;
    const char *scratch = w->environment.scratch.path;
    s->options.sandbox = words;
    setup->at.environment = guard_environment(given, scratch, GUARD_CANDIDATES, &w->arena, e);
    s->options.apart = setup->at.environment
                           ? guard_environment(given, scratch, GUARD_VERIFIER, &w->arena, e)
                           : NULL;
    s->options.clean =
        s->options.apart ? guard_environment(given, scratch, GUARD_BASELINE, &w->arena, e) : NULL;
    return s->options.clean != NULL;
}

// A candidate takes the place of a kernel's source, which hone builds and verifies.
static bool has_source(const struct spec *spec, struct error *e)
{
    const bool is_program = spec_is_program(spec);
    if (!is_program && !spec_is_generated(spec))
        return true;
    return error_set(e, ERROR_USAGE,
                     "%s: kernel.%s: %s, and a judge needs a source that candidates take the place "
                     "of: name a file, as in \"kernel\": \"scale.cl\"; %s",
                     spec->path, is_program ? "run" : "exec",
                     is_program ? "it names a program" : "its kernels are generated",
                     is_program ? "`hone tune` and `hone compare` measure programs"
                                : "one of those that it makes will do");
}

// ---- the whole ---------------------------------------------------------------------------------

static int start_judging(struct session *s, const struct invocation *i)
{
    struct error e = ERROR_INIT;
    struct work *w = &s->work;
    int status = work_spec(w);
    if (status == EXIT_DONE && !has_source(w->spec, &e))
        return workflow_failed(&e);
    if (status == EXIT_DONE)
        status = work_device(w);
    if (status != EXIT_DONE)
        return status;
    work_drop_workers(w);
    struct hone_tune_options options = work_options(w);
    options.configurations = NULL;
    if (!setup_init(&w->setup, &options, &e))
        return workflow_failed(&e);
    s->options.setup = w->setup.options.setup;
    if (!use_sandbox(s, &e))
        return workflow_failed(&e);
    if (!fill_judging_options(s, i, &e))
        return workflow_failed(&e);
    if (s->settings->serves)
        return EXIT_DONE;
    s->judging = judging_new(&s->options, &e);
    return s->judging ? EXIT_DONE : workflow_failed(&e);
}

static int judge_and_show(struct session *s)
{
    const struct writer *writer = &judge_writers[s->settings->given.output.format];
    struct judge_report report;
    struct text head = TEXT_INIT, end = TEXT_INIT;
    fill_judge_report(s, &report);
    writer_head(writer, &report, &head);
    workflow_write(&s->work.ticker, &head);
    struct running running = {.workflow = judging_workflow(s->judging),
                              .work = &s->work,
                              .context = s,
                              .record = show_verdict,
                              .progress = show_judge_progress};
    workflow_run(&running);
    fill_judge_report(s, &report);
    writer_end(writer, &report, &end);
    workflow_write(&s->work.ticker, &end);
    return workflow_status(&s->work.broken, workflow_failed, judge_has_right(&report));
}

// ---- a stream of candidates ----------------------------------------------------------------------

static void write_lines(struct session *s, struct text *lines)
{
    if (lines->length)
        workflow_write(&s->work.ticker, lines);
    text_release(lines);
}

// Caches of a batch are not there for the next one, whose sizes and references are others anyway; folders of workers that are gone
// go with them.
static void clear_serve_files(const struct session *s)
{
    const char *const *const sides[] = {s->options.setup.at.environment, s->options.apart,
                                        s->options.clean};
    for (size_t i = 0; s->options.sandbox && i < sizeof sides / sizeof *sides; i++) {
        guard_tidy(sides[i]);
        guard_empty_caches(sides[i]);
    }
}

static int judge_batch(struct session *s)
{
    struct error e = ERROR_INIT;
    clear_serve_files(s);
    s->options.warm = &s->warm;
    s->options.candidates = s->candidates.list;
    s->options.candidate_count = s->candidates.count;
    s->options.batch++;
    s->judging = judging_new(&s->options, &e);
    if (!s->judging)
        return workflow_failed(&e);
    struct running running = {.workflow = judging_workflow(s->judging),
                              .work = &s->work,
                              .context = s,
                              .record = show_verdict,
                              .progress = show_judge_progress};
    workflow_run(&running);
    judging_free(s->judging);
    s->judging = NULL;
    return workflow_status(&s->work.broken, workflow_failed, true);
}

// Until the input ends: workers stay between batches, of which each has sizes, inputs and references of its own.
static int serve_candidates(struct session *s)
{
    struct error e = ERROR_INIT;
    int status = EXIT_DONE;
    s->serving = (struct serving){
        .input = STDIN_FILENO,
        .folder = arena_printf(&s->work.arena, "%s/texts", s->work.environment.scratch.path),
        .language = s->work.device->language};
    if (!s->serving.folder)
        return workflow_failed(&e);
    while (status == EXIT_DONE && !interrupt_pending()) {
        struct text wrong = TEXT_INIT;
        candidates_release(&s->candidates);
        candidates_init(&s->candidates);
        folder_remove(s->serving.folder); // with what was judged
        bool more = folder_make(s->serving.folder, &e) &&
                    serving_batch(&s->serving, &s->candidates, &wrong, &e);
        write_lines(s, &wrong);
        if (!more)
            break;
        if (s->candidates.count > 0)
            status = judge_batch(s);
    }
    serving_release(&s->serving);
    evaluator_free(s->warm.evaluator);
    return e.code                ? workflow_failed(&e)
           : interrupt_pending() ? EXIT_SIGNAL + interrupt_pending()
                                 : status;
}

// ---- the whole ---------------------------------------------------------------------------------

// Candidates are named, or come over the standard input.
static int refuse_judge_arguments(const struct invocation *i)
{
    const struct judge_settings *s = i->settings;
    if (s->serves == (i->argument_count == 1))
        return EXIT_DONE;
    complain(
        s->serves
            ? "with --serve candidates come over the standard input; only the spec is named"
            : "name the candidates, files or folders, after the spec; with --serve they come over "
              "the standard input");
    return EXIT_USAGE;
}

static int run_judge(struct invocation *i)
{
    struct session s = {.settings = i->settings};
    s.given = s.settings->given;
    s.given.set = (struct list){NULL, 0};
    s.call = *i;
    s.call.argument_count = 1;
    candidates_init(&s.candidates);
    work_init(&s.work, &s.call, &s.given, &s.settings->measure);
    interrupt_catch();
    int status = refuse_judge_arguments(i);
    if (status == EXIT_DONE)
        status = start_judging(&s, i);
    if (status == EXIT_DONE)
        status = s.settings->serves ? serve_candidates(&s) : judge_and_show(&s);
    judging_free(s.judging);
    work_release(&s.work);
    candidates_release(&s.candidates);
    return status;
}

// ---- the command -------------------------------------------------------------------------------

static bool option_hidden(void *field, const char *value, struct error *e)
{
    struct given_hidden *given = field;
    given->is_given = true;
    return option_number(&given->count, value, 0, HIDDEN_MOST, e);
}

static bool option_variants(void *field, const char *value, struct error *e)
{
    return option_number(field, value, 1, VARIANTS_MOST, e);
}

#define FIELD(member) offsetof(struct judge_settings, member)

static const struct option what_options[] = {
    {OPTION("language", LANGUAGES_ARGUMENT, option_language, FIELD(given.language)), .letter = 'l',
     .brief = "of the kernels; else the spec's first",
     .help = "The language of the spec's kernel and of the candidates. Default: the first of the "
             "spec's that the device can run."},
    {OPTION("set", "NAME=VALUES", option_list, FIELD(given.set)), .letter = 's',
     .offer = offer_constants, .is_list = true, .brief = "sizes that are timed, as N=256,1024",
     .help = "Time each candidate at these values of a constant, as in `hone sweep`: "
             "WIDTH=256,512,1024. May be repeated: names go in step. Default: the spec's own."},
    {OPTION("config", "a=1,b=2", option_list, FIELD(given.config)), .letter = 'c',
     .offer = offer_parameters, .is_list = true, .brief = "the baseline's configuration",
     .help = "The configuration of the spec's kernel that candidates are compared with, and the "
             "values that they get where they name none. Default: the spec's default."},
    {0},
};

// Verdicts of a stream are lines of JSON.
static bool option_serve(void *field, const char *value, struct error *e)
{
    struct judge_settings *s = field;
    s->serves = true;
    return option_json(&s->given.output, value, e);
}

static const struct option judge_options[] = {
    {OPTION("serve", NULL, option_serve, 0), .brief = "candidates come over standard input",
     .help = "Read candidates from the standard input, a line of JSON each: {\"candidate\": "
             "\"a.cl\"}, a file, or with \"text\", which is then the kernel's. Verdicts are "
             "written as lines of JSON as soon as they are final. What has come while others were "
             "judged is a batch; the errors of all batches together stay within the level."},
    {OPTION("hidden", "N", option_hidden, FIELD(hidden)), .brief = "sizes that are drawn: 2",
     .help = "Verify each candidate at N further sizes, which are drawn for this run (near the "
             "spec's, odd, small; whichever its restrictions allow), and on two other kinds of "
             "inputs: a part of their range, and equal elements. 0: at neither. Default: 2."},
    {OPTION("budget", "N", option_variants, FIELD(variants)), .letter = 'b',
     .brief = "variants of a candidate that are tried: 16",
     .help = "Try N variants of a candidate at most, if it names several values of tunable macros: "
             "what seems fastest is judged. Default: 16."},
    {OPTION("rounds", "N", option_count, FIELD(rounds)),
     .help = "Launch each pair N times, in each of the two measurements. Default: 12, and 24 or "
             "more when those that are faster are measured again."},
    {0},
};

static const struct option result_options[] = {
    {OPTION("verbose", NULL, option_flag, FIELD(shows_all)), .letter = 'v',
     .brief = "all of the evidence",
     .help = "Show all of the evidence of each verdict, not its first words."},
    {OPTION("json", NULL, option_json, FIELD(given.output)), .brief = "JSON, for scripts",
     .help = "Write JSON, for scripts: a line for each verdict as soon as it is final."},
    {0},
};

static const struct option_group groups[] = {{"What and where", what_options, 0},
                                             {"What and where", device_options, FIELD(given)},
                                             {"Judging", judge_options, 0},
                                             {"Judging", timeout_options, FIELD(measure)},
                                             {"Judging", seed_options, FIELD(measure)},
                                             {"Judging", jobs_options, FIELD(measure)},
                                             {"Judging", rule_options, FIELD(measure)},
                                             {"Results", format_options, FIELD(given.output)},
                                             {"Results", result_options, 0},
                                             {"Help", help_options, 0},
                                             {0}};

static const struct example examples[] = {
    {"hone judge kernels_cl/matmul_tiled.json kernels_cl/matmul_tiled.cl",
     "a kernel against itself: the same"},
    {0},
};

static const struct json_record json_records[] = {
    {"verdict", &judge_fields}, {"summary", &judge_summary_fields}, {0}};

const struct command command_judge = {
    .name = "judge",
    .group = GROUP_MEASURE,
    .summary = "check kernels that others wrote: correct, and faster?",
    .arguments = "SPEC [CANDIDATE...]",
    .least = 1,
    .most = UINT32_MAX,
    .description =
        "Judges kernels that programs or other people wrote, each against the spec's own kernel. "
        "Exit status 0: one or more are right; 1: none is, or it did not come to its end.\n\n"
        "A candidate is a file of kernel text, or each of a folder, with the kernel's name and "
        "arguments as the spec has them. Everything else is the spec's: sizes, inputs, reference, "
        "tolerances, options. Only the values of tunable macros may be its own, in a comment "
        "line:\n\n"
        "  // hone: block_size_x=32, tile_size_x=1|2|4\n\n"
        "With several values of one the candidate is tuned first: each variant (--budget) is "
        "verified and measured, and the one that seems fastest is judged.\n\n"
        "Each is verified at the sizes that are timed and at hidden ones, on inputs that it cannot "
        "know, and launched beside the baseline in interleaved rounds. Those that are faster are "
        "measured once more in fresh workers, and only that counts, with intervals that hold for "
        "all of them together: the luckiest of many gains nothing by its luck. The score is the "
        "lower end of the interval. Two with the same code are one.\n\n"
        "Verdicts: faster, same, slower; incorrect, less exact than its type allows included; "
        "cheats: right when it is verified and wrong when it is timed, or it changed an input; "
        "compile, runtime, timeout; impossible: faster than the device can write its output; "
        "invalid: another kernel, or not readable.",
    .json = "With --json one object a line: verdict, when it is final; summary.",
    .records = json_records,
    .topics = "ranking, formats, json",
    .groups = groups,
    .examples = examples,
    .settings_size = sizeof(struct judge_settings),
    .run = run_judge,
    .compiles = true,
    .own_formats = 1u << REPORT_JUNIT,
};
