// hone deploy: measures which few configurations an application needs for its shapes, and writes the table that answers
// in it; --check tells whether such a file is still of the kernel as it is.
#include "os/file_replace.h"
#include "cli/environment.h"
#include "cli/interrupt.h"
#include "cli/nodes.h"
#include "cli/once.h"
#include "cli/run_workflow.h"
#include "cli/tuning.h"
#include "extras/deploy/formats.h"
#include "extras/deploy/shapes.h"
#include "extras/deploy/stamp.h"
#include "lib/choose_device.h"
#include "extras/deploy/deploy_program.h"
#include "extras/deploy/deploy_report.h"
#include "extras/deploy/deploy.h"
#include "problem/sweep_plan.h"

#include <string.h>
#include <unistd.h>

#define SHAPES_BYTES (16u << 20)

struct deploy_settings {
    struct spec_settings given; // --set: the points
    struct measure_settings measure;
    struct search_settings search;
    const char *shapes, *format, *output, *name, *check, *for_program;
    struct list others;
    double within; // 0: the default
    uint32_t hold_out;
    bool product, known;
    struct deploy_with {
        bool source, binaries;
    } with; // in the header
};

#define WITHIN_DEFAULT 0.02

// One spec of a `hone deploy`.
struct session {
    struct invocation call; // of this spec alone
    const struct deploy_settings *settings;
    struct spec_settings given; // without --set, which says the points
    struct work work;
    struct once once;
    struct sweep_plan plan;
    double *weights;                    // NULL: all alike
    const struct deploy_format *format; // NULL: the report alone
    const char *output;                 // NULL: stdout
    struct text *into;                  // (or NULL) the table goes here, and nothing is told
    struct text *written;               // the outputs of all specs, a line each
    uint32_t turn,
        turns; // with --known --also-device all: which device is the table's own, of how many
    struct deploy *deploy;
    struct error broken;
    struct running running;
};

// ---- the points --------------------------------------------------------------------------------

// One shape with what else --set says: expressions over the shape have their value in it.
static bool plan_shape(struct session *s, const struct shapes *shapes, uint32_t at,
                       struct sweep_plan *out, struct error *e)
{
    struct arena *a = &s->work.arena;
    const struct list *set = &s->settings->given.set;
    const char **words =
        arena_array(a, (size_t)set->count + shapes->column_count + 1, sizeof *words);
    uint32_t count = 0;
    for (uint32_t i = 0; words && i < shapes->column_count; i++) {
        words[count] = arena_printf(a, "%s=%lld", shapes->columns[i],
                                    (long long)shapes->sizes[at * shapes->column_count + i]);
        if (!words[count++])
            return error_memory(e);
    }
    for (uint32_t i = 0; words && i < set->count; i++)
        words[count++] = set->items[i];
    if (!words)
        return error_memory(e);
    if (!sweep_plan_make(s->work.spec, words, count, false, a, out, e))
        return error_context(e, "%s", s->settings->shapes);
    return out->point_count == 1 ||
           error_set(e, ERROR_USAGE, "--shapes says the points: --set has one value for each name");
}

static bool plan_shapes(struct session *s, const struct shapes *shapes, struct error *e)
{
    struct arena *a = &s->work.arena;
    struct sweep_point *points = arena_array(a, shapes->count, sizeof *points);
    struct sweep_name *names = NULL;
    s->weights = arena_copy(a, shapes->weights, shapes->count * sizeof *s->weights);
    if (!points || !s->weights)
        return error_memory(e);
    for (uint32_t i = 0; i < shapes->count; i++) {
        struct sweep_plan one;
        if (!plan_shape(s, shapes, i, &one, e))
            return false;
        points[i] = one.points[0];
        if (i == 0) {
            s->plan = one;
            names = arena_copy(a, one.names, one.name_count * sizeof *names);
            if (!names)
                return error_memory(e);
        }
        for (uint32_t k = 0; k < one.name_count; k++) {
            bool is_same = value_equal(&points[i].values[k], &points[0].values[k]);
            names[k].varies = names[k].varies || !is_same || k < shapes->column_count;
        }
    }
    s->plan.names = names;
    s->plan.points = points;
    s->plan.point_count = shapes->count;
    return true;
}

// Without --set and --shapes: one point, of the spec's own constants, as --set would say it. Shapes are whole
// numbers, 1 or more.
static bool own_sizes(struct session *s, struct list *out, struct error *e)
{
    const struct spec *spec = s->work.spec;
    const char **words =
        arena_array(&s->work.arena, (size_t)spec->constant_count + 1, sizeof *words);
    out->items = words;
    for (uint32_t i = 0; words && i < spec->constant_count; i++) {
        const struct value *v = &spec->constants[i].value;
        if (v->kind != VALUE_INT || v->i < 1)
            continue;
        words[out->count] =
            arena_printf(&s->work.arena, "%s=%lld", spec->constants[i].name, (long long)v->i);
        if (!words[out->count++])
            return error_memory(e);
    }
    if (words && out->count == 0)
        return error_set(e, ERROR_USAGE,
                         "%s: none of its Constants is a whole number above 0, so it has no "
                         "sizes to choose by; name them with --set",
                         spec->path);
    return words || error_memory(e);
}

static bool asks_for_all(const struct deploy_settings *given)
{
    bool all = false;
    for (uint32_t i = 0; i < given->others.count; i++)
        all = all || str_equal(given->others.items[i], "all");
    return all;
}

// Macros alone are of one configuration: nothing in such a file chooses.
static int refuse_several_for_one(const struct session *s)
{
    const bool is_several = s->plan.point_count > 1 || s->settings->others.count > 0;
    if (!s->format || !s->format->is_of_one || !is_several)
        return EXIT_DONE;
    complain("--format %s has the parameters of one size on one device, and nothing that chooses; "
             "--format header does",
             s->format->name);
    return EXIT_USAGE;
}

static int make_deploy_plan(struct session *s)
{
    struct error e = ERROR_INIT;
    struct text file = TEXT_INIT;
    struct shapes shapes;
    const struct deploy_settings *given = s->settings;
    struct arena *a = &s->work.arena;
    struct list own = {NULL, 0};
    const struct list *set = given->given.set.count > 0 || given->shapes ? &given->given.set : &own;
    if (s->work.spec->constant_count == 0) {
        complain("%s: it has no Constants, and so no sizes to choose by; give them names there, or "
                 "take the one best configuration from hone best",
                 s->work.spec->path);
        return EXIT_USAGE;
    }
    if (set == &own && !own_sizes(s, &own, &e))
        return work_failed(&e);
    bool ok = given->shapes ? file_read_text(given->shapes, SHAPES_BYTES, &file, &e) &&
                                  shapes_parse(text_cstr(&file), file.length, given->shapes,
                                               s->work.spec, a, &shapes, &e) &&
                                  plan_shapes(s, &shapes, &e)
                            : sweep_plan_make(s->work.spec, set->items, set->count, given->product,
                                              a, &s->plan, &e);
    text_release(&file);
    return ok ? refuse_several_for_one(s) : work_failed(&e);
}

// ---- the device --------------------------------------------------------------------------------

// Chooses the device of --known: one with results of the spec in the store, present or not.
static int choose_known_device(struct session *s)
{
    struct error e = ERROR_INIT;
    struct work *w = &s->work;
    struct device_info *known;
    size_t count = 0, fitting = 0;
    const char *wanted = w->given->device;
    struct best_options o = {.spec = w->spec};
    int status = work_languages(w);
    if (status == EXIT_DONE)
        status = work_store(w, HONE_STORE_READ);
    if (status != EXIT_DONE)
        return status;
    o.store = w->store;
    if (!best_devices(&o, &w->arena, &known, &count, &e))
        return work_failed(&e);
    struct text names = TEXT_INIT;
    for (size_t i = 0; i < count; i++) {
        bool fits = known[i].language == w->languages.list[0] &&
                    (!wanted || count_fitting_devices(&known[i], 1, wanted) > 0);
        if (known[i].language == w->languages.list[0])
            text_addf(&names, "%s%s", names.length ? ", " : "", known[i].name);
        if (fits && fitting++ == s->turn)
            w->device = &known[i];
    }
    s->turns = asks_for_all(s->settings) ? (uint32_t)fitting : 1;
    if (fitting == 0 || (fitting > 1 && s->turns == 1)) {
        if (names.length)
            complain("--known: %s; the store has results of %s on: %s",
                     fitting == 0 ? "no such device"
                                  : "several devices fit, name one with --device, "
                                    "or take them all: --also-device all",
                     w->spec->name, text_cstr(&names));
        else if (!s->into)
            complain("--known: the store has no results of %s in %s; hone deploy without --known "
                     "measures them on a machine with such a device",
                     w->spec->name, language_title(w->languages.list[0]));
        status = EXIT_NOTHING;
    }
    text_release(&names);
    return status;
}

static int refuse_goal(struct work *t)
{
    int status = tuning_goal(t);
    if (status != EXIT_DONE || objective_is_time(&t->goal, t->spec, t->device))
        return status;
    complain("%s: a dispatch table is chosen by the time of a launch; --objective time says so",
             t->spec->path);
    return EXIT_USAGE;
}

static int open_spec_and_device(struct session *s)
{
    struct work *t = &s->work;
    if (s->settings->known) {
        int status = work_spec(t);
        if (status == EXIT_DONE)
            status = choose_known_device(s);
        t->options = work_options(t);
        t->options.device = NULL;
        return status == EXIT_DONE ? refuse_goal(t) : status;
    }
    int status = tuning_open(t);
    if (status == EXIT_DONE)
        status = refuse_goal(t);
    if (status == EXIT_DONE && s->settings->with.binaries && t->device->capability == 0) {
        complain(
            "--with binaries: %s has programs for this machine alone, neither PTX nor a cubin; "
            "--with source embeds the kernel's source, which compiles anywhere",
            t->device->name);
        status = EXIT_USAGE;
    }
    return status == EXIT_DONE ? work_store(t, HONE_STORE_WRITE) : status;
}

// ---- the loop ----------------------------------------------------------------------------------

static bool take_record(void *context, const void *record)
{
    struct session *s = context;
    struct deploy_view report;
    struct text line = TEXT_INIT;
    deploy_view(s->deploy, &report);
    report_deploy_row(&report, record, &line);
    ticker_clear(&s->running.work->ticker);
    say("%s", text_cstr(&line));
    text_release(&line);
    return true;
}

static void show_deploy_progress(void *context, const struct screen *screen, struct text *line)
{
    const struct session *s = context;
    struct deploy_view deployed;
    deploy_view(s->deploy, &deployed);
    const struct deploy_progress *p = &deployed.progress;
    const struct workflow_progress *sweep = &p->sweep.common;
    const char *between = p->is_drawn ? " between the others" : "";
    if (p->phase == DEPLOY_DONE)
        return;
    if (p->phase == DEPLOY_TUNING) {
        text_addf(line, "tuning, size %llu of %llu%s\n", (unsigned long long)sweep->done + 1,
                  (unsigned long long)sweep->planned, between);
        if (p->sweep.phase == SWEEP_TUNING)
            report_tune_progress(&p->sweep.tune, &s->work.goal, s->work.spec, screen, line);
        return;
    }
    if (p->phase == DEPLOY_BUILDING) {
        text_addf(line, "building program %u of %u for the table\n", p->built + 1, p->images);
        return;
    }
    text_addf(line, "measuring the winners, size %llu of %llu%s\n",
              (unsigned long long)p->common.done + 1, (unsigned long long)p->common.planned,
              between);
    report_tune_progress(&p->tune, &s->work.goal, s->work.spec, screen, line);
}

static int start_deploy(struct session *s)
{
    struct error e = ERROR_INIT;
    const struct deploy_settings *given = s->settings;
    struct work *w = &s->work;
    const struct list *others = &given->others;
    const bool all = asks_for_all(given);
    struct hone_tune_options tune = s->work.options;
    tune.log = &w->notices;
    tune.store = w->opened;
    if (given->known ? !setup_init(&w->setup, &tune, &e) : !setup_tune(&w->setup, &tune, &e))
        return work_failed(&e);
    struct deploy_options o = {.path = w->spec->path,
                               .strict = given->given.strict,
                               .plan = &s->plan,
                               .weights = s->weights,
                               .tune = w->setup.options,
                               .again = given->measure.fresh_ranking,
                               .is_known_only = given->known,
                               .within = given->within > 0 ? given->within : WITHIN_DEFAULT,
                               .drawn = given->hold_out,
                               .others = all ? NULL : others->items,
                               .other_count = all ? 0 : others->count,
                               .all_others = all,
                               .with_images = given->with.binaries,
                               .spare = w->list ? w->list->workplace.at.spare : NULL};
    o.tune.setup.at.device = w->device;
    s->deploy = deploy_new(&o, &e);
    return s->deploy ? EXIT_DONE : work_failed(&e);
}

// ---- what comes of it --------------------------------------------------------------------------

static int write_table(struct session *s, const struct deploy_view *v)
{
    struct error e = ERROR_INIT;
    struct text out = TEXT_INIT;
    struct deploy_table named = *v->found.table;
    const struct deploy_writing w = {.prefix = s->settings->name,
                                     .with_source = s->settings->with.source,
                                     .images = v->found.images,
                                     .image_count = v->found.image_count,
                                     .command = s->call.line};
    if (s->settings->name)
        named.name = s->settings->name;
    bool ok = deploy_table_check(&named, &e) && s->format->write(&named, &w, &out, &e);
    if (ok && s->into)
        text_addn(s->into, out.data, out.length);
    else if (ok && s->output)
        ok = file_replace(s->output, &out, &e);
    else if (ok)
        put_data(&out);
    text_release(&out);
    return ok ? EXIT_DONE : work_failed(&e);
}

// The report goes to stdout where the table does not.
static void tell_end(struct session *s, const struct deploy_view *v, bool is_written)
{
    struct text text = TEXT_INIT;
    bool is_data = s->format && !s->output;
    if (!s->format)
        report_deploy_table(v, &text);
    report_deploy_end(v, &text);
    if (s->output && is_written) {
        text_addf(&text, "Written: %s", s->output);
        if (v->found.image_count)
            text_addf(&text, ", with %u compiled programs for %s", v->found.image_count,
                      v->found.images->architecture);
        text_add(&text, "\n");
    }
    if (is_data)
        say("%s", text_cstr(&text));
    else
        put(&text);
    text_release(&text);
}

// A table takes the place of no file that it is made from.
static int refuse_own_input(const struct session *s)
{
    struct deploy_view deployed;
    const char *path = NULL;
    if (!s->output)
        return EXIT_DONE;
    deploy_view(s->deploy, &deployed);
    const char *const given[] = {s->work.spec->path, s->settings->shapes, s->settings->given.store};
    for (size_t i = 0; !path && i < sizeof given / sizeof *given; i++)
        path = given[i] && file_is_same(s->output, given[i]) ? given[i] : NULL;
    for (uint32_t i = 0; !path; i++) {
        const char *text = spec_sources_path(deployed.found.sources, i);
        if (!text)
            return EXIT_DONE;
        path = file_is_same(s->output, text) ? text : NULL;
    }
    complain("-o %s: the table is made from that file; name another one", s->output);
    return EXIT_USAGE;
}

// Writes a table of the default configuration alone, to nowhere: names and expressions that the
// format cannot hold are reported before hours of measuring.
static int try_format(struct session *s)
{
    struct error e = ERROR_INIT;
    struct text out = TEXT_INIT;
    struct arena *a = &s->work.arena;
    const struct deploy_writing w = {.prefix = s->settings->name,
                                     .with_source = s->settings->with.source,
                                     .command = s->call.line};
    struct deploy_view deployed;
    struct deploy_configuration configuration;
    struct deploy_table table;
    if (!s->format)
        return EXIT_DONE;
    deploy_view(s->deploy, &deployed);
    uint32_t *choice = arena_array(a, deployed.spec->parameter_count + (size_t)1, sizeof *choice);
    bool ok = (choice || error_memory(&e)) &&
              deploy_table_init(&table, deployed.spec, deployed.found.columns,
                                deployed.found.column_count, a, &e);
    if (ok) {
        spec_default(deployed.spec, choice);
        table.name = s->settings->name ? s->settings->name : table.name;
        table.language = s->work.device->language;
        table.source_digest = "";
        table.sources = deployed.found.sources;
        table.configurations = &configuration;
        table.configuration_count = 1;
        ok = (deploy_configuration_make(&table, choice, a, &configuration) || error_memory(&e)) &&
             deploy_table_check(&table, &e) && s->format->write(&table, &w, &out, &e);
    }
    text_release(&out);
    return ok ? EXIT_DONE : work_failed(&e);
}

// A table that leaves out a size that was asked for would answer there with that of another.
static bool refuse_unknown(const struct session *s, const struct deploy_view *v)
{
    struct text shapes = TEXT_INIT;
    report_deploy_unknown(v, &shapes);
    const bool any = shapes.length > 0;
    if (any && !s->into && s->turn + 1 >= s->turns)
        complain("%s: nothing is known at %s: no table was made; without --known these are "
                 "measured, and without these there is a table",
                 s->work.spec->path, text_cstr(&shapes));
    text_release(&shapes);
    return any;
}

static int deploy_and_show(struct session *s)
{
    struct deploy_view report;
    s->running.workflow = deploy_workflow(s->deploy);
    workflow_run(&s->running);
    deploy_view(s->deploy, &report);
    bool has_table = report.found.table != NULL, is_last = s->turn + 1 >= s->turns;
    int status = workflow_status(&s->broken, workflow_failed, has_table);
    const bool is_unknown = status == EXIT_DONE && has_table && refuse_unknown(s, &report);
    bool is_written = status == EXIT_DONE && has_table && s->format && !is_unknown;
    if (is_written)
        status = write_table(s, &report);
    is_written = is_written && status == EXIT_DONE;
    if ((status == EXIT_DONE || (status == EXIT_NOTHING && is_last)) && !is_unknown && !s->into)
        tell_end(s, &report, is_written);
    if (s->running.ending && !is_written && !s->into)
        complain("no table was written; what was measured is kept in %s, and the same command goes "
                 "on from there",
                 store_path(s->work.store));
    if (is_unknown)
        status = EXIT_NOTHING;
    if (status == EXIT_NOTHING && !has_table && s->broken.code == ERROR_NONE && !s->into && is_last)
        complain("%s: no configuration %s at any of these sizes: no table was written",
                 s->work.spec->path, s->settings->known ? "is known" : "works");
    return status;
}

// Where the table of this spec goes: with several specs a folder is named.
static int name_output(struct session *s, bool is_one)
{
    struct error e = ERROR_INIT;
    const char *output = s->settings->output;
    struct arena *a = &s->work.arena;
    const char *name;
    if (!output)
        return EXIT_DONE;
    s->output = output;
    if (!is_one) {
        struct text line = TEXT_INIT;
        if (!deploy_identifier(s->work.spec->name, a, &name) ||
            !(s->output = arena_printf(a, "%s/%s%s", output, name, s->format->ending))) {
            error_memory(&e);
            return work_failed(&e);
        }
        text_addf(&line, "\n%s\n", s->output);
        bool is_taken = s->turn == 0 && strstr(text_cstr(s->written), text_cstr(&line)) != NULL;
        text_add(s->written, text_cstr(&line));
        text_release(&line);
        if (is_taken) {
            complain("%s is written already: another spec has the name '%s', too; deploy each "
                     "with a --name of its own",
                     s->output, s->work.spec->name);
            return EXIT_USAGE;
        }
        if (!folder_make(output, &e))
            return work_failed(&e);
    }
    return file_replaceable(s->output, &e) ? EXIT_DONE : work_failed(&e);
}

// *turn: the device of --known --also-device all that comes next, 0 where none is left.
static int deploy_in_turn(const struct invocation *i, const char **argument,
                          const struct deploy_format *format, struct text *written,
                          struct text *into, uint32_t *turn)
{
    struct session s = {.call = *i,
                        .settings = i->settings,
                        .format = format,
                        .written = written,
                        .into = into,
                        .turn = *turn};
    s.call.arguments = argument;
    s.call.argument_count = 1;
    s.given = s.settings->given;
    s.given.set = (struct list){NULL, 0};
    work_init(&s.work, &s.call, &s.given, &s.settings->measure);
    s.work.search = &s.settings->search;
    once_init(&s.once);
    s.work.log = once_log(&s.once, &s.work.log);
    s.running = (struct running){.work = &s.work,
                                 .broken = &s.broken,
                                 .context = &s,
                                 .record = take_record,
                                 .progress = show_deploy_progress};
    int status = open_spec_and_device(&s);
    if (status == EXIT_DONE)
        status = make_deploy_plan(&s);
    if (status == EXIT_DONE)
        status = name_output(&s, i->argument_count == 1);
    if (status == EXIT_DONE)
        status = start_deploy(&s);
    if (status == EXIT_DONE)
        status = refuse_own_input(&s);
    if (status == EXIT_DONE)
        status = try_format(&s);
    if (status == EXIT_DONE)
        status = deploy_and_show(&s);
    *turn = status == EXIT_NOTHING && s.turn + 1 < s.turns ? s.turn + 1 : 0;
    deploy_free(s.deploy);
    work_release(&s.work);
    once_release(&s.once);
    return status;
}

// With --known --also-device all the table's own device is the first of which the store has all sizes.
static int deploy_one(const struct invocation *i, const char **argument,
                      const struct deploy_format *format, struct text *written, struct text *into)
{
    uint32_t turn = 0;
    int status;
    do
        status = deploy_in_turn(i, argument, format, written, into, &turn);
    while (turn > 0);
    return status;
}

// ---- --check -----------------------------------------------------------------------------------

// The spec is the argument, else the one that the file names, from here or from the file's folder.
static struct spec *load_checked_spec(const struct invocation *i, const struct deploy_stamp *stamp,
                                      const char *file, struct arena *a, struct error *e)
{
    const struct spec_options so = {.refuses_commands = environment_refuses_commands()};
    const char *slash = strrchr(file, '/');
    if (i->argument_count > 0)
        return spec_load(i->arguments[0], &so, e);
    struct error why = ERROR_INIT, ignored = ERROR_INIT;
    struct spec *spec = spec_load(stamp->spec_path, &so, &why);
    const char *beside =
        slash && stamp->spec_path[0] != '/'
            ? arena_printf(a, "%.*s%s", (int)(slash - file + 1), file, stamp->spec_path)
            : NULL;
    if (!spec && beside)
        spec = spec_load(beside, &so, &ignored);
    if (spec)
        return spec;
    *e = why;
    error_context(e, "%s: the spec that it names (hone deploy --check FILE SPEC names another)",
                  file);
    return NULL;
}

static int check_file(const struct invocation *i, const char *file)
{
    struct error e = ERROR_INIT;
    struct text text = TEXT_INIT;
    struct arena a;
    struct deploy_stamp stamp;
    const char *what = "";
    arena_init(&a);
    bool ok = file_read_text(file, 0, &text, &e) &&
              deploy_stamp_find(text_cstr(&text), file, &a, &stamp, &e);
    struct spec *spec = ok ? load_checked_spec(i, &stamp, file, &a, &e) : NULL;
    ok = spec && deploy_stamp_check(&stamp, spec, &what, &e);
    int status = ok ? EXIT_DONE : work_failed(&e);
    if (ok && what[0]) {
        complain("%s: %s since it was deployed by hone %s; deploy %s again", file, what,
                 stamp.version, spec->path);
        status = EXIT_NOTHING;
    }
    spec_free(spec);
    text_release(&text);
    arena_release(&a);
    return status;
}

// ---- the command -------------------------------------------------------------------------------

static int refuse_deploy_options(const struct invocation *i, const struct deploy_settings *s)
{
    if (i->argument_count == 0)
        return refuse_usage(i->command, "SPEC is missing");
    if (s->name && i->argument_count > 1) {
        complain("--name is for one spec, and %u are named", i->argument_count);
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

static int choose_format(const struct deploy_settings *s, bool is_one,
                         const struct deploy_format **out)
{
    struct text names = TEXT_INIT;
    const char *named = s->format                               ? s->format
                        : s->given.output.format == REPORT_JSON ? "json"
                                                                : NULL;
    if (s->given.output.format == REPORT_JSON) {
        const struct deploy_format *other = s->format             ? deploy_format_find(s->format)
                                            : s->output && is_one ? deploy_format_of_file(s->output)
                                                                  : NULL;
        if (other && !str_equal(other->name, "json")) {
            complain("--json and --format %s exclude each other: --json is --format json",
                     other->name);
            return EXIT_USAGE;
        }
    }
    *out = named                 ? deploy_format_find(named)
           : s->output && is_one ? deploy_format_of_file(s->output)
                                 : NULL;
    if ((s->with.source || s->with.binaries) && !(*out && (*out)->is_binary_safe)) {
        complain("%s is for --format header", s->with.source ? "--with source" : "--with binaries");
        return EXIT_USAGE;
    }
    if (*out || !s->output)
        return EXIT_DONE;
    deploy_format_names(&names);
    complain("-o %s: %s; name a --format: %s", s->output,
             is_one ? "its ending is that of no format" : "several specs need a format",
             text_cstr(&names));
    text_release(&names);
    return EXIT_USAGE;
}

// ---- --for-program -----------------------------------------------------------------------------

// One kernel of the program: at all captured shapes that the store knows, else at the one of most time.
static int deploy_captured(const struct invocation *i, const char *title, struct arena *a,
                           struct text *table)
{
    const struct deploy_settings *given = i->settings;
    struct deploy_settings s = *given;
    struct invocation call = *i;
    struct error e = ERROR_INIT;
    struct text written = TEXT_INIT;
    const char *spec = arena_printf(a, "%s/%s.json", given->for_program, title);
    s.shapes = arena_printf(a, "%s/%s.csv", given->for_program, title);
    s.output = NULL;
    s.known = true;
    call.settings = &s;
    call.argument_count = 1;
    if (!spec || !s.shapes)
        return EXIT_NOTHING;
    int status = deploy_one(&call, &spec, &deploy_format_known, &written, table);
    const char **words;
    if (status == EXIT_NOTHING &&
        deploy_program_first_shape(s.shapes, a, &words, &s.given.set.count, &e)) {
        s.given.set.items = words;
        s.shapes = NULL;
        status = deploy_one(&call, &spec, &deploy_format_known, &written, table);
    }
    text_release(&written);
    return status;
}

static int deploy_program(const struct invocation *i)
{
    const struct deploy_settings *s = i->settings;
    struct error e = ERROR_INIT;
    struct text out = TEXT_INIT, told = TEXT_INIT;
    struct arena a;
    const char **titles;
    uint32_t count, taken = 0;
    arena_init(&a);
    if (!s->output || i->argument_count > 0 || s->shapes || s->given.set.count) {
        complain(
            "--for-program takes its specs and shapes from the capture, and needs -o FILE.hone");
        arena_release(&a);
        return EXIT_USAGE;
    }
    bool ok = deploy_program_list(s->for_program, &a, &titles, &count, &e) &&
              file_replaceable(s->output, &e);
    deploy_program_start(&out);
    int status = EXIT_DONE;
    for (uint32_t k = 0; ok && k < count && status != EXIT_USAGE; k++) {
        struct text table = TEXT_INIT;
        status = deploy_captured(i, titles[k], &a, &table);
        if (status == EXIT_DONE) {
            ok = deploy_program_add(&out, s->for_program, titles[k], &table, &e);
            taken++;
        }
        text_addf(&told, "  %s: %s\n", titles[k], status == EXIT_DONE ? "tuned" : "not tuned");
        text_release(&table);
    }
    deploy_program_finish(&out);
    ok = ok && (taken == 0 || file_replace(s->output, &out, &e));
    text_addf(&told, "%s: tables of %u of %u kernels; hone with %s -- PROGRAM runs it\n", s->output,
              taken, count, s->output);
    if (ok && taken > 0)
        put(&told);
    text_release(&told);
    text_release(&out);
    arena_release(&a);
    if (!ok)
        return work_failed(&e);
    if (taken == 0) {
        complain("%s: none of its %u kernels is tuned: hone tune %s/KERNEL.json does it",
                 s->for_program, count, s->for_program);
        return EXIT_NOTHING;
    }
    return status == EXIT_USAGE ? status : EXIT_DONE;
}

static int run_deploy(struct invocation *i)
{
    const struct deploy_settings *s = i->settings;
    const struct deploy_format *format;
    struct text written = TEXT_INIT;
    if (s->check)
        return check_file(i, s->check);
    if (s->for_program) {
        interrupt_catch();
        return deploy_program(i);
    }
    int status = refuse_deploy_options(i, s);
    if (status == EXIT_DONE)
        status = choose_format(s, i->argument_count == 1, &format);
    if (status == EXIT_DONE)
        interrupt_catch();
    for (uint32_t k = 0; k < i->argument_count && status == EXIT_DONE; k++)
        status = deploy_one(i, &i->arguments[k], format, &written, NULL);
    text_release(&written);
    return status;
}

static bool option_deploy_format(void *field, const char *value, struct error *e)
{
    struct text names = TEXT_INIT;
    if (deploy_format_find(value))
        return option_once(field, value, e);
    deploy_format_names(&names);
    error_set(e, ERROR_USAGE, "'%s' is none of: %s", value, text_cstr(&names));
    text_release(&names);
    return false;
}

static bool option_within(void *field, const char *value, struct error *e)
{
    return share_read(value, 10, field, e) &&
           (*(double *)field > 0 ||
            error_set(e, ERROR_USAGE, "'%s' is not a share above 0", value));
}

static bool option_with(void *field, const char *value, struct error *e)
{
    struct deploy_with *with = field;
    bool is_source = str_equal(value, "source");
    *(is_source ? &with->source : &with->binaries) = true;
    return is_source || str_equal(value, "binaries") ||
           error_set(e, ERROR_USAGE, "'%s' is neither source nor binaries", value);
}

static bool option_hold_out(void *field, const char *value, struct error *e)
{
    return option_number(field, value, 0, DEPLOY_DRAWN_MOST, e);
}

#define FIELD(member) offsetof(struct deploy_settings, member)

#define MEASURING                                                                                  \
    "fresh, sample, with=binaries, budget, strategy, start-with, on, nodes, iterations, timeout, " \
    "rule, seed, jobs"

static const struct option point_options[] = {
    {OPTION("shapes", "FILE", option_once, FIELD(shapes)),
     .brief = "the application's shapes, as CSV with weights",
     .help = "The shapes of the application, as CSV: the first line names constants of the spec, a "
             "column `weight` is how often a shape is asked for."},
    {OPTION("product", NULL, option_flag, FIELD(product)),
     .help = "Take all combinations of the values of several names of --set."},
    {OPTION("within", "SHARE", option_within, FIELD(within)), .brief = "of the best; default: 2%",
     .help = "How far above the best configuration of a shape the table's may be. Default: 2%."},
    {OPTION("sample", "N", option_hold_out, FIELD(hold_out)),
     .brief = "measure N sizes between, and refine",
     .help =
         "Draw so many shapes between the points, tune and measure them too, say what the table "
         "loses there, and make points of those where that is more than --within. Default: 0."},
    {OPTION("also-device", "NAME", option_list, FIELD(others)), .is_list = true,
     .brief = "a device that the store has results of",
     .help =
         "A further device for the same table, with what the store (and those of --also) have of "
         "it at these sizes; `all` takes every one, and with --known none is to be named. May be "
         "repeated."},
    {OPTION("known", NULL, option_flag, FIELD(known)),
     .excludes = MEASURING ": nothing is launched",
     .help = "Measure nothing: a table of what the store has, of this device or, with --device, "
             "of another that need not be here. --config and --where say of which part of the "
             "space, --cold with which inputs. A size that the store does not know is named, and "
             "there is no table."},
    {0},
};

static const struct option table_options[] = {
    {OPTION("format", DEPLOY_FORMATS_ARGUMENT, option_deploy_format, FIELD(format)),
     .brief = "of the table",
     .help = "What the table is written as. Without it, and without -o, it is shown."},
    {OPTION("output", "FILE", option_once, FIELD(output)), .letter = 'o', .brief = "where to",
     .help = "Write the table there, and what it costs to stdout. The ending says the format where "
             "--format does not. With several specs a folder, a file in it for each."},
    {OPTION("name", "NAME", option_once, FIELD(name)),
     .help = "What names in the file begin with, a C identifier. Default: the spec's name."},
    {OPTION("with", "source|binaries", option_with, FIELD(with)),
     .help =
         "What the header holds beside the table: source, the kernel's source, for an application "
         "that compiles it; binaries, compiled programs of each point of this device, with "
         "architecture and digest (NVIDIA's alone: a cubin in CUDA, PTX in OpenCL). May be "
         "repeated."},
    {OPTION("for-program", "CAPTURE", option_once, FIELD(for_program)),
     .brief = "one table for `hone with`, of a capture",
     .help = "One table for all kernels of a folder that hone capture wrote, of what the store "
             "has of them: hone with FILE -- PROGRAM runs the program with it."},
    {OPTION("check", "FILE", option_once, FIELD(check)),
     .excludes = "output, format, name, set, shapes, also-device, known, with, config, "
                 "where, " MEASURING ": a file is looked at, and nothing is made",
     .brief = "is the file still of this kernel?",
     .help =
         "Measure nothing: exit with 1 where the spec, or a text of its kernel, has changed since "
         "the file was deployed. The spec is the one named in the file, or the argument."},
    {0},
};

static const struct option_group groups[] = {
    {"What and where", spec_options, FIELD(given)},
    {"What and where", NODE_OPTIONS, FIELD(given)},
    {"What and where", BUILD_OPTIONS, FIELD(given)},
    {"Sizes", point_options, 0},
    {"Table", table_options, 0},
    {"Search", search_options, FIELD(search)},
    {"Search", objective_options, FIELD(search)},
    {"Search", seed_options, FIELD(measure)},
    {"Measuring", measure_options, FIELD(measure)},
    {"Measuring", rule_options, FIELD(measure)},
    {"Measuring", jobs_options, FIELD(measure)},
    {"Results", fresh_point_options, FIELD(measure)},
    {"Help", help_options, 0},
    {0},
};

static const struct example examples[] = {
    {"hone deploy kernels_cl/matmul_tiled.json --set WIDTH=128,256 --budget 4",
     "which configurations two sizes need"},
    {"hone deploy kernels_cl/matmul_tiled.json --set WIDTH=128,256 --budget 4 -o table.json",
     "the same, and nothing is measured again; the table in a file"},
    {"hone deploy --check table.json", "is it still of this kernel?"},
    {"hone deploy kernels_cl/matmul_tensor.json --set M=256..8192 --set N=M --set K=M --sample 30",
     NEEDS_GPU "square matrices, and 30 sizes between the powers of two"},
    {0},
};

const struct command command_deploy = {
    .name = "deploy",
    .group = GROUP_RESULTS,
    .summary = "write a table of the best configurations for an application",
    .arguments = "SPEC...",
    .least = 0,
    .most = 64,
    .description =
        "Finds the fewest configurations that an application needs for its sizes, and writes the "
        "table that chooses among them.\n\n"
        "The sizes are what --set says, as in `hone sweep`, or those of --shapes; else the spec's "
        "own. Each is tuned (or what the store has is taken); then the winners of all sizes, and "
        "the default, are measured at every size, those near the best in interleaved rounds, each "
        "result verified. Of these times the fewest configurations are chosen that stay within "
        "--within of the best at every size, and that are nowhere slower than the default was "
        "measured. What that costs is printed: \"5 configurations for 24 sizes; median 0.3 %, at "
        "most 1.9 % above the best, at 1536\".\n\n"
        "At other sizes the nearest point answers, in log space, whose configuration is valid "
        "there. With --sample sizes between the points are drawn, tuned and measured to say what "
        "the table loses at them, and become points themselves where that is too much. On a "
        "device that was not measured one of the same architecture answers, else of the same "
        "vendor, else the default configuration does.\n\n"
        "Everything is stored as it is measured: a deploy that was ended goes on where it was.",
    .topics = "ranking, strategies",
    .groups = groups,
    .examples = examples,
    .settings_size = sizeof(struct deploy_settings),
    .run = run_deploy,
    .compiles = true,
};
