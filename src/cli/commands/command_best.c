// hone best: asks the user's stores and what was shipped with the spec, nearest first, and shows the answer with where
// it comes from and what is older about it; --all has a row for each device and set of constants.
#include "report/report.h"
#include "cli/best_nearest.h"
#include "cli/run_workflow.h"
#include "lib/choose_device.h"
#include "cli/respec.h"
#include "cli/tuning.h"
#include "report/values.h"
#include "recorded/recorded.h"
#include "search/subspace.h"
#include "report/table.h"
#include "report/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct best_settings {
    struct spec_settings given;
    struct search_settings search; // its --objective alone
    bool options, all, nearest, details;
};

// One `hone best`.
struct session {
    struct work work;
    const struct best_settings *settings;
    struct spec_sources *sources;
    struct error no_sources; // why there are none: imported results are shown without
    struct best_options options;
    // (or NULL) What came with the spec. It answers where the user's own stores do not.
    struct store *known;
    struct hone_store *shipped; // its handle
    struct store *stores[3];    // the user's own, then what came with the spec; NULL ends them
    const char *wanted;         // (or NULL) the device that was named
    const char *goal_words;     // "the least cost"
    struct table rows;
    struct table *table;         // &rows: filled by the writers, for which the session is const
    struct best_answer *answers; // of several objectives
    size_t answer_count;
};

// The store may know other constants, sizes or devices.
static int say_nothing_known(const struct session *s)
{
    struct text same = TEXT_INIT, stores = TEXT_INIT;
    struct text constants = TEXT_INIT;
    const struct store *own = s->work.store;
    spec_constants_text(s->work.spec, &constants);
    work_same(&s->work, &same);
    work_same_stores(&s->work, &stores);
    complain("%s%s%s: nothing is known of %s%s%s%s on this device; `hone tune %s` measures it, "
             "`hone best %s --all` shows what else is known, --nearest takes the nearest size",
             own ? store_path(own) : "", own && s->known ? ", " : "",
             s->known ? store_path(s->known) : "", s->work.spec->name, constants.length ? " (" : "",
             text_cstr(&constants), constants.length ? ")" : "", text_cstr(&same),
             text_cstr(&stores));
    text_release(&constants);
    text_release(&same);
    text_release(&stores);
    return EXIT_NOTHING;
}

static int answer_nearest(struct session *s)
{
    EXTRA_DEPLOY(
        const struct best_nearest n = {.work = &s->work,
                                       .stores = s->stores,
                                       .device = s->options.device,
                                       .name = s->options.name ? s->options.name : s->wanted,
                                       .options = s->settings->options};
        return show_nearest(&n);)
    (void)s;
    return EXIT_NOTHING; // without the extra there is no --nearest
}

// ---- the device --------------------------------------------------------------------------------

// Without a name what was measured comes before what was imported.
static size_t keep_measured(const struct session *s, struct device_info *known, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; !s->wanted && i < count; i++) {
        if (!str_starts(known[i].platform, IMPORTED_PLATFORM))
            known[kept++] = known[i];
    }
    return kept > 0 ? kept : count;
}

// A device that is not here, by what the stores have, the user's own first: of the spec's first
// language that one has any of. *language is the device's, or the spec's first.
static int choose_stored(struct session *s, enum language *language)
{
    struct error e = ERROR_INIT;
    struct device_info *known;
    const struct device_info *device = NULL;
    const struct spec_languages *languages = &s->work.languages;
    size_t count = 0;
    *language = languages->list[0];
    for (uint32_t i = 0; i < 2 * languages->count && !device; i++) {
        struct store *store = s->stores[i / languages->count];
        if (!store)
            break;
        s->options.languages = 1u << languages->list[i % languages->count];
        error_clear(&e);
        s->options.store = store;
        if (!best_devices(&s->options, &s->work.arena, &known, &count, &e))
            return work_failed(&e);
        count = keep_measured(s, known, count);
        device = choose_device(known, count, s->wanted, &e);
        if (count > 0 && !device && count_fitting_devices(known, count, s->wanted) > 1)
            return work_failed(&e);
    }
    if (!device && s->settings->nearest)
        return EXIT_DONE; // an unknown device has an answer, too
    if (!device)
        return count > 0 ? work_failed(&e) : say_nothing_known(s);
    *language = device->language;
    s->options.name = device->name;
    s->options.platform = device->platform;
    return EXIT_DONE;
}

// Without a worker, or a device, the store is all there is.
static const struct device_info *devices_here(struct session *s, size_t *count)
{
    struct error e = ERROR_INIT;
    struct work *w = &s->work;
    const struct given_language *given = &w->given->language;
    const char *language = given->is_given ? language_text(given->language) : NULL;
    *count = 0;
    if (work_list(w, w->loaded, language, &e)) {
        devices_drop_worker(w->list);
        return work_usable(w, count);
    }
    complain("warning: %s", e.text);
    return NULL;
}

// A device that is here comes first; several that fit are refused.
static int find_best_device(struct session *s, enum language *language)
{
    struct work *w = &s->work;
    struct error e = ERROR_INIT;
    size_t count;
    const struct device_info *list = devices_here(s, &count);
    struct error ignored = ERROR_INIT;
    bool is_here = count > 0 && (!s->wanted || choose_device(list, count, s->wanted, &ignored) ||
                                 count_fitting_devices(list, count, s->wanted) > 0);
    if (!is_here)
        return choose_stored(s, language);
    w->device = choose_device(list, count, s->wanted, &e);
    if (!w->device)
        return work_failed(&e);
    s->options.device = w->device;
    *language = w->device->language;
    return EXIT_DONE;
}

// ---- an answer as a record ---------------------------------------------------------------------

// Everything that a shown answer consists of.
struct shown {
    struct tune_record record;
    struct record_frame frame;
    struct record_origin origin;
    struct job *job;      // as the spec makes it today; or NULL
    char *constants_json; // or NULL
};

// "256x256 / 16x16; ...": the first launch.
static uint32_t read_sizes(const char *text, uint64_t out[3])
{
    uint32_t axis = 0;
    for (; axis < 3; axis++) {
        char *end;
        out[axis] = strtoull(text, &end, 10);
        if (end == text)
            break;
        if (*end != 'x')
            return axis + 1;
        text = end + 1;
    }
    return axis;
}

static void sizes_of(const struct best_answer *b, struct tune_record *r)
{
    const char *slash = strstr(b->geometry, " / ");
    r->dimensions = read_sizes(b->geometry, r->global);
    if (slash)
        read_sizes(slash + 3, r->local);
}

// At the answer's median, by the spec with its constants; NULL without memory.
static const double *metrics_of(const struct spec *spec, const struct best_answer *b,
                                const struct device_info *device, struct arena *a)
{
    double *out = arena_array(a, spec->metric_count + 1, sizeof *out);
    for (uint32_t i = 0; out && i < spec->metric_count; i++) {
        if (!report_metric_at(spec, i, b->choice, device, b->stats.median, b->result, &out[i]))
            out[i] = NAN;
    }
    return out;
}

// As JSON, where the spec has these constants.
static char *constants_of(const struct spec *spec, const char *wanted)
{
    struct text text = TEXT_INIT;
    spec_constants_text(spec, &text);
    bool is_same = str_equal(text_cstr(&text), wanted ? wanted : "");
    text_release(&text);
    return is_same ? constants_to_json(spec) : NULL;
}

static void shown_release(struct shown *shown)
{
    job_free(shown->job);
    free(shown->constants_json);
}

// `spec` is the session's or, with --all, the same spec with the answer's constants. NULL: these
// constants are no longer known, and the metrics of others would be wrong. The job shows options
// and launches; if it differs from the measured one, only the options are of use.
static bool show_as(struct session *s, const struct spec *spec, const struct best_answer *b,
                    struct shown *out)
{
    struct error ignored = ERROR_INIT;
    struct tune_record *r = &out->record;
    const struct device_info *d = s->options.device;
    const struct spec *own = s->work.spec;
    memset(out, 0, sizeof *out);
    bool is_known = b->choice && (!spec || spec == own);
    if (is_known && s->sources && !spec_job(own, s->sources, d, b->choice, &out->job, &ignored))
        out->job = NULL;
    out->constants_json = constants_of(spec ? spec : own, b->constants);
    out->origin = (struct record_origin){b, out->constants_json, s->goal_words};
    out->frame = (struct record_frame){
        .spec = b->choice ? spec : NULL, .device = d, .chosen = r, .origin = &out->origin};
    *r = (struct tune_record){.configuration = b->configuration,
                              .configuration_json = b->configuration_json,
                              .result = b->result,
                              .job = !b->other_source && !b->other_job ? out->job : NULL,
                              .timed = true,
                              .stats = b->stats,
                              .ranked = b->place.ranked,
                              .rank = b->place.rank};
    sizes_of(b, r);
    if (!spec || !b->choice)
        return true;
    r->metrics = metrics_of(spec, b, d, &s->work.arena);
    return r->metrics;
}

// ---- one answer --------------------------------------------------------------------------------

static bool is_known(const struct session *s, const struct best_answer *b)
{
    return s->known && b->result->origin && str_equal(b->result->origin, store_path(s->known));
}

static void say_if_known(const struct session *s, const struct best_answer *b)
{
    if (is_known(s, b))
        complain("known from %s: measured %.10s on %s, driver %s", store_path(s->known), b->date,
                 b->device, b->driver);
}

static void warn_if_older(const struct best_answer *b)
{
    const char *what = b->other_source   ? "this kernel's present text"
                       : b->other_driver ? "this driver"
                       : b->older_rule   ? "the present rule of measuring and verifying"
                       : b->other_job    ? "the spec's present sizes, arguments and options"
                                         : NULL;
    if (what)
        complain("no results for %s; these are OLDER, from %s, driver %s%s", what, b->date,
                 b->driver, b->other_source && b->other_driver ? " and another text" : "");
}

static void add_options(const struct shown *shown, struct text *out)
{
    job_options_text(shown->job->programs[0].options, shown->job->programs[0].option_count, out);
}

static void put_five_lines(const struct shown *shown, struct text *out)
{
    struct text options = TEXT_INIT;
    if (shown->record.job)
        add_options(shown, &options);
    report_answer(&shown->frame, &shown->record, text_cstr(&options), out);
    out->failed |= options.failed;
    text_release(&options);
}

static int put_options(const struct shown *shown, struct text *out)
{
    if (!shown->job)
        return refuse(EXIT_NOTHING, "the spec no longer has this configuration: %s",
                      shown->record.configuration);
    add_options(shown, out);
    text_add(out, "\n");
    return EXIT_DONE;
}

// Suggests the command that decides between the answer and a configuration that was faster when
// measured alone.
static void put_remedy(const struct session *s, const struct best_answer *b, struct text *out)
{
    struct text same = TEXT_INIT;
    work_same(&s->work, &same);
    text_addf(out, "To rank the two:  hone tune %s --config ", text_cstr(&same));
    text_add_shell(out, b->configuration);
    text_add(out, " --config ");
    text_add_shell(out, b->place.faster);
    text_add(out, "\n");
    text_release(&same);
}

// The tune that searches all of what was asked for.
static void put_whole(const struct session *s, struct text *out)
{
    const struct best_options *o = &s->options;
    struct text part = TEXT_INIT;
    text_add(out, "hone tune ");
    work_same(&s->work, out);
    out->failed |= !subspace_text(&o->space, &part);
    text_addf(out, "%s%s", part.length ? " " : "", text_cstr(&part));
    text_release(&part);
}

// A script that reads the options alone would not hear of it.
static void warn_of_part(const struct session *s, const struct best_answer *b)
{
    struct text whole = TEXT_INIT;
    if (!b->place.part || !s->settings->options)
        return;
    put_whole(s, &whole);
    complain("this is the best of a part only%s%s; `%s` searches the rest",
             b->place.part[0] ? ": " : "", b->place.part, text_cstr(&whole));
    text_release(&whole);
}

static void put_answer(const void *report, const void *record, struct text *out)
{
    const struct session *s = report;
    const struct shown *shown = record;
    const struct best_answer *b = shown->origin.answer;
    bool is_older = b->result->verification == VERIFICATION_OLDER;
    const struct {
        bool differs;
        const char *how;
    } differences[] = {{b->other_source, "with another source of the kernel"},
                       {b->other_driver, "under another driver"},
                       {b->other_job && !b->older_rule, "with other sizes, arguments or options"},
                       {is_older, "by an older rule (hone check --known verifies it again)"},
                       {b->older_rule && !is_older, "by an older rule, verified again since"}};
    const char *separator = "OLDER RESULT: measured ";
    for (size_t i = 0; i < sizeof differences / sizeof *differences; i++) {
        if (!differences[i].differs)
            continue;
        text_addf(out, "%s%s", separator, differences[i].how);
        separator = ", ";
    }
    text_add(out, separator[0] == ',' ? "\n" : "");
    if (s->settings->details)
        report_result(&shown->frame, &shown->record, out);
    else
        put_five_lines(shown, out);
    if (b->place.part) {
        text_add(out, "To search the rest:  ");
        put_whole(s, out);
        text_add(out, "\n");
    }
    if (b->place.faster)
        put_remedy(s, b, out);
}

static void put_answer_json(const void *report, const void *record, struct text *out)
{
    const struct shown *shown = record;
    (void)report;
    report_result_line(&shown->frame, &shown->record, "result", true, out);
}

static const writers one_writers = {[REPORT_TEXT] = {.record = put_answer},
                                    [REPORT_JSON] = {.record = put_answer_json},
                                    [REPORT_MARKDOWN] = {.record = put_answer}};

static int show_one(struct session *s)
{
    struct error e = ERROR_INIT;
    struct best_answer b = {.result = NULL};
    struct shown shown = {.job = NULL, .constants_json = NULL};
    struct text out = TEXT_INIT;
    bool found;
    int status = EXIT_DONE;
    if (!best_find_in(&s->options, s->stores, &s->work.arena, &b, &found, &e))
        return work_failed(&e);
    if (!found && s->settings->nearest)
        return answer_nearest(s);
    if (!found)
        return s->sources ? say_nothing_known(s) : workflow_failed(&s->no_sources);
    if (!s->sources && b.result->stop != STOP_IMPORTED) {
        result_free(b.result);
        return workflow_failed(&s->no_sources);
    }
    say_if_known(s, &b);
    warn_if_older(&b);
    warn_of_part(s, &b);
    if (!show_as(s, s->work.spec, &b, &shown)) {
        complain("out of memory");
        status = EXIT_NOTHING;
    } else if (s->settings->options) {
        status = put_options(&shown, &out);
    } else {
        writer_record(&one_writers[s->settings->given.output.format], s, &shown, &out);
    }
    (s->settings->options ? put_data : put)(&out);
    text_release(&out);
    shown_release(&shown);
    result_free(b.result);
    return status;
}

// A row of a table, or a line. `spec` has the answer's constants; NULL: they are no longer known.
static bool write_answer(struct session *s, const struct writer *w, const struct spec *spec,
                         const struct best_answer *b, struct text *out)
{
    struct shown shown;
    bool ok = show_as(s, spec, b, &shown);
    if (ok)
        writer_record(w, s, &shown, out);
    shown_release(&shown);
    return ok;
}

static void put_rows(const void *report, struct text *out)
{
    const struct session *s = report;
    table_print(s->table, s->settings->given.output.format, "", out);
}

// ---- several objectives ------------------------------------------------------------------------

enum set_column {
    SET_MEDIAN,
    SET_METRIC,
    SET_CONFIGURATION = SET_METRIC + OBJECTIVES_MOST,
    SET_DATE,
    SET_COLUMNS
};

static void put_member(const void *report, const void *record, struct text *out)
{
    const struct session *s = report;
    const struct shown *shown = record;
    const struct best_answer *b = shown->origin.answer;
    struct table *t = s->table;
    char number[UNITS_SIZE];
    (void)out;
    duration_to_str(b->stats.median, number);
    table_row(t);
    table_cell(t, SET_MEDIAN, "%s", number);
    const struct objectives *o = &s->options.objectives;
    for (size_t i = 0; i < o->count; i++) {
        double value;
        if (o->terms[i].metric == OBJECTIVE_TIME || !shown->frame.spec ||
            !record_metric(&shown->record, o->terms[i].metric, &value))
            continue;
        number_to_str(value, number);
        table_cell(t, SET_METRIC + i, "%s", number);
    }
    table_cell(t, SET_CONFIGURATION, "%s", b->configuration);
    table_cell(t, SET_DATE, "%s", b->date);
}

static void put_set(const void *report, struct text *out)
{
    const struct session *s = report;
    put_count(s->answer_count, "configuration", out);
    text_addf(out, " in %s, of %zu measured one after the other:\n", s->goal_words,
              s->answers[0].known);
    put_rows(report, out);
}

static const writers set_writers = {[REPORT_TEXT] = {.record = put_member, .end = put_set},
                                    [REPORT_JSON] = {.record = put_answer_json},
                                    [REPORT_MARKDOWN] = {.record = put_member, .end = put_set}};

static int show_set(struct session *s)
{
    struct error e = ERROR_INIT;
    struct text out = TEXT_INIT;
    const struct writer *w = &set_writers[s->settings->given.output.format];
    const struct objectives *o = &s->options.objectives;
    struct table_column columns_of[SET_COLUMNS] = {
        [SET_MEDIAN] = {"median", ALIGN_RIGHT},
        [SET_CONFIGURATION] = {"configuration", ALIGN_LEFT},
        [SET_DATE] = {"measured", ALIGN_LEFT},
    };
    for (size_t i = 0; i < SET_CONFIGURATION - SET_METRIC; i++)
        columns_of[SET_METRIC + i] =
            (struct table_column){i < o->count ? o->terms[i].name : "", ALIGN_RIGHT};
    if (!best_pareto_in(&s->options, s->stores, &s->work.arena, &s->answers, &s->answer_count, &e))
        return work_failed(&e);
    if (s->answer_count == 0)
        return say_nothing_known(s);
    say_if_known(s, &s->answers[0]);
    warn_if_older(&s->answers[0]);
    s->table = &s->rows;
    table_init(s->table, columns_of, SET_COLUMNS);
    bool ok = true;
    for (size_t i = 0; ok && i < s->answer_count; i++)
        ok = write_answer(s, w, s->work.spec, &s->answers[i], &out) || error_memory(&e);
    if (ok) {
        writer_end(w, s, &out);
        put(&out);
    }
    table_release(s->table);
    text_release(&out);
    best_release_all(s->answers, s->answer_count);
    return ok ? EXIT_DONE : work_failed(&e);
}

// ---- all ---------------------------------------------------------------------------------------

// The spec with the constants that a result was measured with: metrics read them. NULL where it
// does not know them any more.
static struct spec *spec_with(const struct session *s, const char *constants)
{
    struct error ignored = ERROR_INIT;
    return respec(s->work.call->arguments[0], constants, NULL, &ignored);
}

enum column {
    LANGUAGE,
    DEVICE,
    DRIVER,
    CONSTANTS,
    CONFIGURATION,
    MEDIAN,
    METRIC,
    DATE,
    NOTE,
    COLUMNS
};

static void put_best_row(const void *report, const void *record, struct text *out)
{
    const struct session *s = report;
    const struct shown *shown = record;
    const struct best_answer *b = shown->origin.answer;
    struct table *t = s->table;
    char time[UNITS_SIZE], number[UNITS_SIZE];
    (void)out;
    duration_to_str(b->stats.median, time);
    table_row(t);
    table_cell(t, LANGUAGE, "%s", language_title(b->language));
    table_cell(t, DEVICE, "%s", b->device);
    table_cell(t, DRIVER, "%s", b->driver);
    table_cell(t, CONSTANTS, "%s", b->constants);
    table_cell(t, CONFIGURATION, "%s", b->configuration);
    table_cell(t, MEDIAN, "%s", time);
    double value;
    if (shown->frame.spec && shown->frame.spec->metric_count > 0 &&
        record_metric(&shown->record, 0, &value)) {
        number_to_str(value, number);
        table_cell(t, METRIC, "%s", number);
    }
    table_cell(t, DATE, "%s", b->date);
    bool is_imported = b->result->stop == STOP_IMPORTED;
    bool came = is_known(s, b);
    const char *notes[] = {b->other_source && !is_imported ? "other text" : "",
                           came ? WORK_KNOWN : "", b->place.part ? "of a part" : "",
                           b->cold ? "cold inputs" : ""};
    struct text note = TEXT_INIT;
    if (is_imported)
        text_addf(&note, "imported %s", b->result->statistic);
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        if (notes[i][0])
            text_addf(&note, "%s%s", note.length ? ", " : "", notes[i]);
    }
    table_cell(t, NOTE, "%s", text_cstr(&note));
    text_release(&note);
}

static const writers all_writers = {[REPORT_TEXT] = {.record = put_best_row, .end = put_rows},
                                    [REPORT_JSON] = {.record = put_answer_json},
                                    [REPORT_MARKDOWN] = {.record = put_best_row, .end = put_rows}};

// The sources of a language as they are now; those of another are let go.
static void use_language(struct session *s, enum language l)
{
    spec_sources_free(s->sources);
    error_clear(&s->no_sources);
    s->sources =
        spec_sources_read(s->work.spec, l, s->options.device, &s->work.log, &s->no_sources);
    s->options.sources = s->sources;
    s->options.languages = 1u << l;
}

// Adds the answers of one store in one language.
static int add_rows(struct session *s, struct store *store, struct text *out, size_t *count)
{
    struct error e = ERROR_INIT;
    struct best_answer *answers;
    size_t more;
    bool needs_sources = false;
    s->options.store = store;
    bool ok = best_all(&s->options, &s->work.arena, &answers, &more, &e);
    for (size_t i = 0; ok && i < more; i++)
        needs_sources |= answers[i].result->stop != STOP_IMPORTED;
    needs_sources = (needs_sources || more == 0) && !s->sources;
    for (size_t i = 0; ok && !needs_sources && i < more; i++) {
        struct spec *spec = spec_with(s, answers[i].constants);
        ok = write_answer(s, &all_writers[s->settings->given.output.format], spec, &answers[i],
                          out) ||
             error_memory(&e);
        spec_free(spec);
    }
    best_release_all(answers, more);
    *count += more;
    return !ok ? work_failed(&e) : needs_sources ? workflow_failed(&s->no_sources) : EXIT_DONE;
}

static int show_all(struct session *s)
{
    size_t count = 0;
    int status = EXIT_DONE;
    struct text out = TEXT_INIT;
    const struct spec *spec = s->work.spec;
    const struct spec_languages *languages = &s->work.languages;
    const struct table_column columns_of[COLUMNS] = {
        [LANGUAGE] = {"language", ALIGN_LEFT},
        [DEVICE] = {"device", ALIGN_LEFT},
        [DRIVER] = {"driver", ALIGN_LEFT},
        [CONSTANTS] = {"constants", ALIGN_LEFT},
        [CONFIGURATION] = {"configuration", ALIGN_LEFT},
        [MEDIAN] = {"median", ALIGN_RIGHT},
        [METRIC] = {spec->metric_count ? spec->metrics[0].name : "", ALIGN_RIGHT},
        [DATE] = {"measured", ALIGN_LEFT},
        [NOTE] = {"source", ALIGN_LEFT},
    };
    s->table = &s->rows;
    table_init(s->table, columns_of, COLUMNS);
    for (uint32_t i = 0; i < languages->count && status == EXIT_DONE; i++) {
        use_language(s, languages->list[i]);
        for (size_t k = 0; status == EXIT_DONE && s->stores[k]; k++)
            status = add_rows(s, s->stores[k], &out, &count);
    }
    if (status == EXIT_DONE)
        writer_end(&all_writers[s->settings->given.output.format], s, &out);
    put(&out);
    table_release(s->table);
    text_release(&out);
    if (status == EXIT_DONE && count == 0)
        complain("nothing is known of %s", spec->name);
    return status == EXIT_DONE && count == 0 ? EXIT_NOTHING : status;
}

// ---- the command -------------------------------------------------------------------------------

static int prepare(struct session *s)
{
    struct work *w = &s->work;
    int status = work_spec(w);
    if (status == EXIT_DONE)
        status = work_languages(w);
    if (status == EXIT_DONE)
        status = work_store_or_known(w, &s->shipped);
    s->known = store_of(s->shipped);
    if (status != EXIT_DONE)
        return status;
    s->stores[0] = w->store ? w->store : s->known;
    s->stores[1] = w->store ? s->known : NULL;
    s->options = (struct best_options){
        .spec = w->spec, .older_rule = true, .space = work_space(&s->settings->given)};
    s->wanted = s->settings->given.device;
    if (!s->wanted && !s->settings->all)
        s->wanted = w->environment.device;
    w->search = &s->settings->search;
    status = tuning_goal(w);
    if (status != EXIT_DONE)
        return status;
    s->options.objectives = w->goal;
    if (s->options.objectives.count > 1 && s->settings->options) {
        complain("--options is about one configuration, and of several objectives there is a set; "
                 "give one with --objective");
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

static void look_for(struct session *s)
{
    struct text words = TEXT_INIT;
    report_goal(&s->options.objectives, &words);
    const char *copy = arena_strdup(&s->work.arena, text_cstr(&words));
    s->goal_words = copy ? copy : "";
    text_release(&words);
}

// --all without a device's name is about all devices and languages.
static int answer(struct session *s)
{
    enum language language = s->work.languages.list[0];
    if (s->settings->all && !s->wanted)
        return show_all(s);
    int status = find_best_device(s, &language);
    if (status == EXIT_DONE && !s->options.device && !s->options.name)
        return answer_nearest(s);
    s->work.languages = (struct spec_languages){{language}, 1};
    if (status == EXIT_DONE && s->settings->all)
        return show_all(s);
    if (status != EXIT_DONE)
        return status;
    use_language(s, language);
    look_for(s);
    bool is_set = s->options.objectives.count > 1;
    if (is_set && !s->sources)
        return workflow_failed(&s->no_sources);
    return is_set ? show_set(s) : show_one(s);
}

static int run_best(struct invocation *i)
{
    struct session s = {.settings = i->settings};
    const struct best_settings *o = i->settings;
    work_init(&s.work, i, &o->given, NULL);
    int status = prepare(&s);
    if (status == EXIT_DONE)
        status = answer(&s);
    spec_sources_free(s.sources);
    hone_store_close(s.shipped);
    work_release(&s.work);
    return status;
}

#define FIELD(member) offsetof(struct best_settings, member)

static const struct option options[] = {
    {OPTION("details", NULL, option_flag, FIELD(details)), .brief = "all that is known of it",
     .excludes = "all, options, json, format=json: it is more of one answer, as text",
     .help = "Also the source with all its options, launches, resources, deviations, samples, and "
             "what was spent: what `hone run` shows."},
    {OPTION("options", NULL, option_flag, FIELD(options)), .brief = "as -D options for a compiler",
     .excludes = "all, json, format=json: it prints one line, for a shell",
     .help = "Print the configuration as -D options on one line, quoted for a shell."},
    {OPTION("all", NULL, option_flag, FIELD(all)), .letter = 'a',
     .excludes = "objective: it lists the shortest times",
     .brief = "a line for each device and size",
     .help =
         "A line for each device and set of constants that the store knows: the fastest there."},
    // clang-format off
    EXTRA_DEPLOY({OPTION("nearest", NULL, option_flag, FIELD(nearest)),
     .excludes = "all, objective: it answers with the shortest time at one size\n"
                 "config, where: the table of all sizes is of the whole space", .brief = "else of the nearest size",
     .help = "Where these sizes were not measured, answer as a deployed table would: the "
             "configuration of the nearest size that is valid here, on this device or one that is like it, "
             "with the reason."},)
    // clang-format on
    {0},
};

static const struct option_group groups[] = {{"What and where", spec_options, FIELD(given)},
                                             {"Answer", objective_options, FIELD(search)},
                                             {"Answer", options, 0},
                                             {"Answer", format_options, FIELD(given.output)},
                                             {"Help", help_options, 0},
                                             {0}};

static const struct example examples[] = {
    {"hone best kernels_cl/matmul_tiled.json", "the best that is known for this device"},
    {"hone best spec.json --options", "as -D options for a compiler"},
    {"hone best kernels_cl/matmul_half.json -d H200 -s M=4096 -s N=4096 -s K=4096",
     "also of a device that is not here"},
    {"hone best spec.json --all", "known results for other devices and sizes"},
    {0},
};

static const struct json_record json_records[] = {
    {"result", &record_fields},
    {"details", &report_details_fields},
    {"origin", &report_origin_fields},
    EXTRA_DEPLOY({"nearest", &best_nearest_fields}, ){0}};

const struct command command_best = {
    .name = "best",
    .group = GROUP_RESULTS,
    .summary = "look up the best configuration that is known",
    .arguments = "SPEC",
    .least = 1,
    .most = 1,
    .description =
        "Looks up the fastest configuration that is known for this spec, its constants, the device "
        "and its driver, and the kernel as it is now. Nothing is measured.\n\n"
        "Where nothing is known for this driver or this source of the kernel it says so and shows "
        "the nearest older result, marked. --device may also name a device that is not here.\n\n"
        "What the stores do not know, or only older, is looked up in `" WORK_KNOWN
        "` beside the spec, if there is one: results that came with it. They are marked as coming "
        "from there.\n\n"
        "The newest ranking of the whole space (or of what --config and --where leave) decides, by "
        "the rounds that are kept of it; where some are tied with its winner the answer is, of "
        "those within 0.5 % of it, the one that takes the fewest resources (spilled memory, "
        "registers, local and private memory, work-group), then the first in the space, and it "
        "says so. A tune of a part of the space (--config, --where) decides since then if that one "
        "took part in it, or its winner is clearly faster; if there is no other, the answer is "
        "marked as the best of that part. A configuration that was measured alone since and is "
        "clearly faster is named. Without a ranking the newest result of each configuration "
        "counts, and the shortest median answers. Times with cold inputs (--cold) and with warm "
        "ones do not compare: a ranking of the whole comes before one of a part, then warm inputs "
        "before cold ones, and the answer says which.\n\n"
        "Where the objective is not the time, nor the time in other words, the newest result of "
        "each configuration counts, and the one with the best value at its median answers; of "
        "several objectives the Pareto set is listed, with --json one a line.\n\n"
        "Exit status 0: there is an answer, 1: there is none.",
    .json =
        "With --json one object: a result of hone tune, its details, and its origin; with --all "
        "one per line. With --nearest, a size that was not measured gives another object: nearest.",
    .records = json_records,
    .topics = "ranking, store, json",
    .groups = groups,
    .examples = examples,
    .settings_size = sizeof(struct best_settings),
    .run = run_best,
};
