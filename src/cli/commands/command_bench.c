// hone bench: measures known configurations again and compares them with a baseline. Meant for CI,
// where the exit status reports a loss. The configurations come, in this order, from --from, --set
// (the best known at each point), the baseline itself, or else the best known of the spec as it
// stands.
#include "cli/interrupt.h"
#include "cli/run_workflow.h"
#include "os/file_replace.h"
#include "report/bench_report.h"
#include "report/progress.h"
#include "problem/sweep_plan.h"

#include <errno.h>

#define LOSS 0.03 // the largest that is tolerated, by default

struct given_share {
    bool is_given;
    double value;
};

struct bench_settings {
    struct spec_settings given; // --set: the points
    struct measure_settings measure;
    const char *baseline, *save, *from;
    struct given_share loss;
    uint32_t passes, rounds;
    bool product, other_driver;
};

// One `hone bench`.
struct session {
    struct work work;
    const struct bench_settings *settings;
    struct spec_settings given; // without --set
    struct hone_store *known;   // shipped with the spec
    struct baseline baseline, list;
    bool is_driver_other; // and it is compared all the same
    struct text why_unfit;
    char source[65];
    struct benchmark_point *points;
    struct baseline_row *rows; // of each point, without passes
    struct spec **specs;
    struct benchmark *bench;
    struct bench_report report; // brought up to date by update_report()
};

// ---- the baseline ------------------------------------------------------------------------------

static bool read_rows_of(struct session *s, const char *path, bool is_baseline,
                         struct baseline *out, struct error *e)
{
    struct text text = TEXT_INIT;
    struct arena *a = &s->work.arena;
    bool ok = file_read_text(path, 0, &text, e);
    if (ok && is_baseline)
        ok = baseline_parse(path, text_cstr(&text), text.length, a, out, e);
    else if (ok)
        ok = baseline_parse_list(path, text_cstr(&text), text.length, s->work.device->name, a, out,
                                 e);
    text_release(&text);
    return ok;
}

// Warn at once if times cannot be compared; the report repeats it.
static void hold_device(struct session *s)
{
    enum baseline_fit fit = baseline_fits(&s->baseline, s->work.device, &s->why_unfit);
    s->is_driver_other = fit == BASELINE_OTHER_DRIVER;
    if (fit == BASELINE_FITS || (fit == BASELINE_OTHER_DRIVER && s->settings->other_driver))
        return;
    text_addf(&s->why_unfit,
              fit == BASELINE_OTHER_DRIVER ? "; --allow driver compares all the same" : "");
    s->report.unfit = text_cstr(&s->why_unfit);
    complain("warning: %s is of another %s, and nothing is compared with it: %s", s->report.path,
             fit == BASELINE_OTHER_DRIVER ? "driver" : "device", s->report.unfit);
}

static int open_baseline(struct session *s)
{
    struct error e = ERROR_INIT;
    s->report.path = s->settings->baseline;
    if (s->settings->save && !file_replaceable(s->settings->save, &e))
        return work_failed(&e);
    if (s->settings->from && !read_rows_of(s, s->settings->from, false, &s->list, &e)) {
        error_context(&e, "--from");
        return workflow_failed(&e);
    }
    if (!s->report.path)
        return EXIT_DONE;
    if (!read_rows_of(s, s->report.path, true, &s->baseline, &e)) {
        error_context(&e, "--baseline");
        if (e.driver != ENOENT)
            return workflow_failed(&e);
        return refuse(EXIT_USAGE, "%s; --output %s writes one", e.text, s->report.path);
    }
    if (!str_equal(s->baseline.spec, s->work.spec->name))
        return refuse(EXIT_USAGE, "%s is a baseline of %s, and %s is %s", s->report.path,
                      s->baseline.spec, s->work.spec->path, s->work.spec->name);
    hold_device(s);
    return EXIT_DONE;
}

// ---- points ------------------------------------------------------------------------------------

// The row at these constants: of this configuration, or, where there is but one, of another.
static const struct baseline_row *find_row(const struct session *s, const char *constants,
                                           const char *configuration)
{
    const struct baseline_row *found = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->baseline.row_count; i++) {
        const struct baseline_row *row = &s->baseline.rows[i];
        if (!str_equal(row->constants, constants))
            continue;
        if (str_equal(row->configuration, configuration))
            return row;
        found = row;
        count++;
    }
    return count == 1 ? found : NULL;
}

static bool find_best(struct session *s, const struct spec *spec, const char *label,
                      const uint32_t **choice, struct error *e)
{
    struct work *w = &s->work;
    struct best_answer answer = {.result = NULL};
    bool found = false;
    struct store *const stores[] = {w->store ? w->store : store_of(s->known),
                                    w->store ? store_of(s->known) : NULL, NULL};
    const struct best_options o = {
        .spec = spec, .device = w->device, .space = work_space(&s->given)};
    bool ok = !stores[0] || best_find_today(&o, stores, NULL, &w->arena, &answer, &found, e);
    if (ok && found) {
        *choice = answer.choice;
        result_free(answer.result);
    }
    if (ok && !*choice)
        return error_set(e, ERROR_USAGE,
                         "%s%sthe store knows no configuration for this device: hone tune %s%s%s",
                         label, label[0] ? ": " : "", w->call->arguments[0],
                         label[0] ? " --set " : "", label);
    return ok;
}

static bool choose_configuration(struct session *s, const struct spec *spec, const char *label,
                                 const char *configuration, const uint32_t **choice,
                                 struct error *e)
{
    *choice = NULL;
    if (!configuration)
        return find_best(s, spec, label, choice, e);
    *choice = spec_choice(spec, configuration, &s->work.arena, e);
    return *choice || error_context(e, "%s: %s", label, configuration);
}

// Holds the point against its row.
static bool hold_point(struct session *s, struct benchmark_point *p,
                       struct bench_report_point *shown)
{
    if (!s->report.path || s->report.unfit)
        return true;
    p->before = find_row(s, shown->constants, shown->configuration);
    if (!p->before)
        shown->note = "not in the baseline";
    else if (!str_equal(p->before->configuration, shown->configuration))
        shown->note =
            arena_printf(&s->work.arena, "the baseline has another configuration here, %s",
                         p->before->configuration);
    s->report.is_source_other |=
        p->before && p->before->source[0] && !str_equal(p->before->source, s->source);
    return !p->before || shown->note || str_equal(p->before->configuration, shown->configuration);
}

// `configuration` NULL: the best known.
static bool add_point(struct session *s, const char *const *set, uint32_t set_count,
                      const char *configuration, struct error *e)
{
    struct arena *a = &s->work.arena;
    const struct spec_options so = {
        .set = set, .set_count = set_count, .strict = s->given.strict, .device = s->work.device};
    struct spec *spec = spec_read_again(s->work.spec, &so, e);
    if (!spec)
        return false;
    s->specs[s->report.point_count] = spec;
    struct benchmark_point *p = &s->points[s->report.point_count];
    struct bench_report_point *shown = &s->report.points[s->report.point_count];
    const uint32_t *choice;
    struct text constants = TEXT_INIT, text = TEXT_INIT, json = TEXT_INIT, label = TEXT_INIT;
    s->rows[s->report.point_count].set = set;
    s->rows[s->report.point_count].set_count = set_count;
    s->report.point_count++;
    for (uint32_t i = 0; i < set_count; i++)
        text_addf(&label, "%s%s", i ? " --set " : "", set[i]);
    spec_constants_text(spec, &constants);
    shown->spec = spec;
    shown->constants = text_to_arena(&constants, a);
    p->spec = spec;
    p->label = text_to_arena(&label, a);
    if (!shown->constants || !p->label)
        return error_memory(e);
    if (!choose_configuration(s, spec, p->label, configuration, &choice, e))
        return false;
    spec_configuration_text(spec, choice, true, &text);
    spec_configuration_json(spec, choice, &json);
    p->configuration = shown->configuration = text_to_arena(&text, a);
    shown->configuration_json = text_to_arena(&json, a);
    return (shown->configuration && shown->configuration_json && hold_point(s, p, shown)) ||
           error_memory(e);
}

static bool make_room_for_points(struct session *s, uint32_t count)
{
    struct arena *a = &s->work.arena;
    s->points = arena_array(a, count, sizeof *s->points);
    s->report.points = arena_array(a, count, sizeof *s->report.points);
    s->rows = arena_array(a, count, sizeof *s->rows);
    s->specs = arena_array(a, count, sizeof(*s->specs));
    return s->points && s->report.points && s->rows && s->specs;
}

static bool add_list(struct session *s, const struct baseline *list, struct error *e)
{
    if (!make_room_for_points(s, list->row_count))
        return error_memory(e);
    for (uint32_t i = 0; i < list->row_count; i++) {
        const struct baseline_row *row = &list->rows[i];
        if (!add_point(s, row->set, row->set_count, row->configuration, e))
            return error_context(e, "%s", list == &s->list ? s->settings->from : s->report.path);
    }
    return true;
}

static bool add_bests(struct session *s, struct error *e)
{
    const struct list *set = &s->settings->given.set;
    struct sweep_plan plan;
    if (set->count == 0)
        return make_room_for_points(s, 1) ? add_point(s, NULL, 0, NULL, e) : error_memory(e);
    if (!sweep_plan_make(s->work.spec, set->items, set->count, s->settings->product, &s->work.arena,
                         &plan, e))
        return false;
    if (!make_room_for_points(s, plan.point_count))
        return error_memory(e);
    for (uint32_t i = 0; i < plan.point_count; i++)
        if (!add_point(s, plan.points[i].set, plan.name_count, NULL, e))
            return false;
    return true;
}

static bool read_source(struct session *s, struct error *e)
{
    struct digest digest;
    const struct work *w = &s->work;
    struct spec_sources *sources =
        spec_sources_read(w->spec, w->device->language, w->device, &w->log, e);
    if (!sources)
        return false;
    spec_sources_digest(sources, &digest);
    digest_hex(&digest, s->source);
    spec_sources_free(sources);
    return true;
}

static int choose_points(struct session *s)
{
    struct error e = ERROR_INIT;
    const struct bench_settings *given = s->settings;
    bool is_listed = given->from || (s->report.path && given->given.set.count == 0);
    if (!read_source(s, &e))
        return workflow_failed(&e);
    if (!is_listed && !stores_nothing(&given->given)) {
        int status = work_store_or_known(&s->work, &s->known);
        if (status != EXIT_DONE)
            return status;
    }
    bool ok = given->from ? add_list(s, &s->list, &e)
              : is_listed ? add_list(s, &s->baseline, &e)
                          : add_bests(s, &e);
    return ok ? EXIT_DONE : workflow_failed(&e);
}

// ---- measuring ---------------------------------------------------------------------------------

static int start_bench(struct session *s)
{
    struct error e = ERROR_INIT;
    const struct bench_settings *given = s->settings;
    struct hone_tune_options options = work_options(&s->work);
    options.configurations = options.where = NULL;
    if (!setup_init(&s->work.setup, &options, &e))
        return workflow_failed(&e);
    const struct setup *setup = &s->work.setup.options.setup;
    s->report.about = &s->work.about;
    s->report.spec = s->work.spec;
    s->report.device = s->work.device;
    s->report.baseline = &s->baseline;
    s->report.rounds = given->rounds ? given->rounds : BENCH_ROUNDS;
    s->report.loss = given->loss.is_given ? given->loss.value : LOSS;
    s->report.level = setup->terms.rules.level;
    const struct benchmark_options how = {.setup = *setup,
                                          .points = s->points,
                                          .point_count = s->report.point_count,
                                          .passes = given->passes,
                                          .rounds = s->report.rounds,
                                          .compares = s->report.path && !s->report.unfit,
                                          .times_alone = s->is_driver_other,
                                          .loss = s->report.loss};
    s->bench = benchmark_new(&how, &e);
    return s->bench ? EXIT_DONE : workflow_failed(&e);
}

static void show_bench_progress(void *context, const struct screen *screen, struct text *line)
{
    const struct session *s = context;
    struct benchmark_progress p;
    benchmark_progress(s->bench, &p);
    text_addf(line, "pass %u of %u%s\n", (unsigned)p.pass, (unsigned)p.passes,
              p.again ? ", those for which a loss cannot be excluded" : "");
    report_compare_progress(&p.compare, screen, line);
}

static void update_report(struct session *s)
{
    work_about(&s->work, &s->work.broken, &s->work.about);
    s->report.records = benchmark_records(s->bench, &s->report.count);
    benchmark_progress(s->bench, &s->report.progress);
}

// The passes that are saved are of this moment.
static bool name_moment(struct session *s, struct baseline_row *row)
{
    struct baseline_pass *passes =
        arena_copy(&s->work.arena, row->passes, row->pass_count * sizeof *passes);
    for (uint32_t i = 0; passes && i < row->pass_count; i++)
        passes[i].moment = s->work.about.date;
    row->passes = passes;
    return passes != NULL;
}

// The baseline that the file holds already, of the same spec, device and driver; else one without rows.
static struct baseline saved_before(struct session *s)
{
    struct baseline old = {.row_count = 0};
    struct error ignored = ERROR_INIT;
    struct text why = TEXT_INIT;
    if (!read_rows_of(s, s->settings->save, true, &old, &ignored) ||
        !str_equal(old.spec, s->work.spec->name) ||
        baseline_fits(&old, s->work.device, &why) != BASELINE_FITS)
        old.row_count = 0;
    text_release(&why);
    return old;
}

// Passes of other moments of the same configuration and source stay.
static bool add_moments(struct session *s, const struct baseline *old, struct baseline_row *row)
{
    for (uint32_t i = 0; i < old->row_count; i++) {
        const struct baseline_row *r = &old->rows[i];
        if (str_equal(r->constants, row->constants) &&
            str_equal(r->configuration, row->configuration) && str_equal(r->source, row->source))
            return baseline_add_moment(r, &s->work.arena, row);
    }
    return true;
}

// Keeps the code that the point is compiled from today.
static bool keep_code(struct session *s, uint32_t point, struct job_code *out, struct error *e)
{
    const struct benchmark_point *p = &s->points[point];
    struct job *job = NULL;
    struct spec_sources *sources =
        spec_sources_read(p->spec, s->work.device->language, s->work.device, NULL, e);
    const uint32_t *choice =
        sources ? spec_choice(p->spec, p->configuration, &s->work.arena, e) : NULL;
    bool ok = choice && spec_job(p->spec, sources, s->work.device, choice, &job, e) &&
              (job_code_of(job, &s->work.arena, out) || error_memory(e));
    job_free(job);
    spec_sources_free(sources);
    return ok;
}

// Saves the points that were measured and did not fail as a baseline, as one more moment of the one that
// the file holds.
static int save_baseline(struct session *s)
{
    struct bench_report *report = &s->report;
    struct error e = ERROR_INIT;
    struct text text = TEXT_INIT;
    struct baseline out = {.hone_version = s->work.about.hone_version,
                           .date = s->work.about.date,
                           .spec = s->work.spec->name,
                           .device = *s->work.device,
                           .rows = s->rows};
    const struct baseline old = saved_before(s);
    bool ok = true;
    for (uint32_t i = 0; ok && i < report->count; i++) {
        const struct benchmark_record *n = &report->records[i];
        struct baseline_row row = s->rows[n->point];
        row.constants = s->report.points[n->point].constants;
        row.configuration = s->report.points[n->point].configuration;
        row.source = s->source;
        row.passes = n->passes;
        row.pass_count = n->pass_count;
        if (n->failure || n->pass_count == 0)
            continue;
        ok = keep_code(s, n->point, &row.code, &e) &&
             ((name_moment(s, &row) && add_moments(s, &old, &row)) || error_memory(&e));
        s->rows[out.row_count++] = row; // never beyond the record's own, which is done with
    }
    if (out.row_count == 0)
        return refuse(EXIT_BROKEN, "%s was not written: nothing was measured to its end",
                      s->settings->save);
    baseline_write(&out, &text);
    ok = ok && (!text.failed || error_memory(&e)) && file_replace(s->settings->save, &text, &e);
    text_release(&text);
    report->saved = ok ? s->settings->save : NULL;
    return ok ? EXIT_DONE : work_failed(&e);
}

// 1 is a loss and nothing else.
static int bench_failed(const struct error *e)
{
    int status = workflow_failed(e);
    return status == EXIT_NOTHING ? EXIT_BROKEN : status;
}

// Was any configuration compared with the baseline? If not, a gate in CI has shown nothing.
static bool is_held(const struct bench_report *v)
{
    bool any = false;
    for (uint32_t i = 0; i < v->count; i++)
        any = any || v->records[i].judged;
    return any;
}

static int bench_and_show(struct session *s)
{
    const struct writer *w = &bench_writers[s->settings->given.output.format];
    struct bench_report *report = &s->report;
    struct text head = TEXT_INIT, end = TEXT_INIT;
    struct running running = {.workflow = benchmark_workflow(s->bench),
                              .work = &s->work,
                              .context = s,
                              .progress = show_bench_progress};
    update_report(s);
    writer_head(w, report, &head);
    workflow_write(&s->work.ticker, &head);
    workflow_run(&running);
    update_report(s);
    int saved = s->settings->save && !s->work.broken.code ? save_baseline(s) : EXIT_DONE;
    writer_end(w, report, &end);
    workflow_write(&s->work.ticker, &end);
    int status = workflow_status(&s->work.broken, bench_failed, bench_losses(report) == 0);
    if (status == EXIT_DONE && s->report.path && !is_held(report))
        status = EXIT_UNHELD;
    return status == EXIT_DONE ? saved : status;
}

static int refuse_bench_options(const struct bench_settings *s)
{
    if (s->passes && (s->passes < 4 || s->passes > BASELINE_PASSES_MOST / 2))
        return refuse(EXIT_USAGE, "--repeats: 4 to %d belong here; fewer have no interval",
                      BASELINE_PASSES_MOST / 2);
    if (s->rounds > 1000)
        return refuse(EXIT_USAGE, "--rounds: 1 to 1000 belong here");
    return EXIT_DONE;
}

static int run_bench(struct invocation *i)
{
    struct session s = {.settings = i->settings, .why_unfit = TEXT_INIT};
    int status = refuse_bench_options(s.settings);
    if (status != EXIT_DONE)
        return status;
    s.given = s.settings->given;
    s.given.set = (struct list){NULL, 0};
    work_init(&s.work, i, &s.given, &s.settings->measure);
    interrupt_catch();
    status = work_spec(&s.work);
    if (status == EXIT_DONE)
        status = work_device(&s.work);
    if (status == EXIT_DONE)
        status = open_baseline(&s);
    if (status == EXIT_DONE)
        status = choose_points(&s);
    if (status == EXIT_DONE)
        status = start_bench(&s);
    if (status == EXIT_DONE)
        status = bench_and_show(&s);
    benchmark_free(s.bench);
    for (uint32_t k = 0; k < s.report.point_count; k++)
        spec_free(s.specs[k]);
    hone_store_close(s.known);
    text_release(&s.why_unfit);
    work_release(&s.work);
    return status;
}

// ---- the command -------------------------------------------------------------------------------

static bool option_within(void *field, const char *value, struct error *e)
{
    struct given_share *given = field;
    given->is_given = true;
    return share_read(value, 10, &given->value, e);
}

static bool option_other_driver(void *field, const char *value, struct error *e)
{
    *(bool *)field = true;
    return str_equal(value, "driver") ||
           error_set(e, ERROR_USAGE, "'%s' cannot be allowed; only driver can", value);
}

#define FIELD(member) offsetof(struct bench_settings, member)

static const struct option baseline_options[] = {
    {OPTION("baseline", "FILE", option_once, FIELD(baseline)),
     .brief = "compare times with this file",
     .help = "Hold the times against this baseline. Without --from and --set its configurations "
             "are measured, at its constants, and no store is needed."},
    {OPTION("within", "SHARE", option_within, FIELD(loss)),
     .needs = "baseline: a loss is one against a baseline",
     .brief = "what is slower by more is a loss; else 3%",
     .help = "How much slower is not a loss yet, such as 5% of the baseline's time. Default: 3%."},
    {OPTION("output", "FILE", option_once, FIELD(save)), .letter = 'o', .brief = "write a baseline",
     .help = "Write the measurements as a baseline. A file that already has a baseline of the same "
             "device, driver and source gets one more moment (10 are kept). Without --baseline "
             "there are twice as many passes."},
    {OPTION("from", "FILE", option_once, FIELD(from)),
     .excludes = "set: the file has the constants", .brief = "the configurations of this JSON",
     .help = "The configurations in this file, at their constants: a table of `hone deploy "
             "--format json`, what `hone best --json` wrote, or a baseline."},
    {OPTION("product", NULL, option_flag, FIELD(product)),
     .help = "All combinations of the values of several --set. Without it they go in step, as in "
             "`hone sweep`."},
    {OPTION("allow", "driver", option_other_driver, FIELD(other_driver)),
     .needs = "baseline: it is about the driver of a baseline",
     .help = "Compare also if the baseline is of another driver or compiler: the loss may be "
             "theirs. One of another device is never compared."},
    {0},
};

static const struct option measuring_options[] = {
    {OPTION("repeats", "N", option_count, FIELD(passes)),

     .help = "Passes, in each of which new workers build, load, verify and launch every "
             "configuration: 4 to 500. As many again are run if a loss cannot be excluded. "
             "Default: 6."},
    {OPTION("rounds", "N", option_count, FIELD(rounds)),
     .help = "Interleaved rounds of a pass, 1 to 1000. Default: 8."},
    {OPTION("rule", "NAME=VALUE", option_rule, FIELD(measure.rules)), .is_list = true,
     .help = "A constant of the rounds and of the intervals (level), as `hone help rules` lists "
             "them. May be repeated."},
    {OPTION("cold", NULL, option_flag, FIELD(measure.terms.cold)),
     .help = "Clear the device's cache before each timed launch."},
    {0},
};

static const struct option_group groups[] = {
    {"What and where", spec_options, FIELD(given)},
    {"Baselines", baseline_options, 0},
    {"Measuring", measuring_options, 0},
    {"Measuring", seed_options, FIELD(measure)},
    {"Measuring", timeout_options, FIELD(measure)},
    {"Measuring", jobs_options, FIELD(measure)},
    {"Results", format_options, FIELD(given.output)},
    {"Help", help_options, 0},
    {0},
};

static const struct example examples[] = {
    {"hone bench spec.json -o base.json",
     "the best that is known (hone tune before), kept as a baseline"},
    {"hone bench spec.json --baseline base.json --within 50%",
     "the same again: exit status 1 where it lost more than 50 %"},
    {0},
};

static const struct json_record json_records[] = {{"bench", &report_bench_fields}, {0}};

const struct command command_bench = {
    .name = "bench",
    .group = GROUP_RESULTS,
    .summary = "fail if a configuration in use has become slower, for CI",
    .arguments = "SPEC",
    .least = 1,
    .most = 1,
    .description =
        "Measures known configurations, each at its constants, and compares them with a baseline: "
        "the exit status is 1 if one lost more than --within.\n\n"
        "Which: the best that the store knows at the points of --set (as in `hone sweep`), those "
        "of a file (--from), or, with --baseline alone, those of the baseline. Nothing is tuned, "
        "and the store is not written.\n\n"
        "How: in passes. In each of them new workers build, load and verify every configuration "
        "and launch all, eight at a time, in interleaved rounds; what counts is the fastest launch "
        "of a pass, and the median of the passes. A baseline has the kernel's source, too: old and "
        "new are launched in the same rounds, so that clock and load are the same for both. If the "
        "old one cannot be built or launched any more, or with --allow driver, the times in the "
        "baseline are compared. Sessions differ by more than passes within one do, because clock "
        "and load last: the interval is then that of sessions (moments), so a baseline should have "
        "several of them, hours apart. Each --output into the same file adds one. Against a "
        "baseline of one moment nothing is called a gain.\n\n"
        "A loss is one whose interval lies wholly beyond the threshold; the intervals of all "
        "configurations hold together (95 %, --rule level). Those of which a loss cannot be "
        "excluded are measured in as many passes again, and judged then: a disturbance that lasts "
        "for a few passes fails nothing. A configuration that fails to compile, or computes "
        "something wrong, is a loss too. Where clock, load or temperature are not what they were, "
        "or all changed alike, the report says so; with another clock or load the intervals are "
        "twice as wide, and nothing is called a gain. Ctrl-C judges the passes that have ended.\n\n"
        "Exit status: 0 no loss, also if a loss cannot be excluded; 1 a loss; 2 the command line "
        "or the spec makes no sense; 3 it broke off; 4 nothing was compared: the baseline is of "
        "another device or driver, or has none of the configurations.",
    .json = "With --json one object. A baseline is JSON too, and lists samples by pass with clock, "
            "temperature and power.",
    .records = json_records,
    .topics = "formats, json, rules",
    .groups = groups,
    .examples = examples,
    .settings_size = sizeof(struct bench_settings),
    .own_formats = 1u << REPORT_JUNIT,
    .run = run_bench,
    .compiles = true,
};
