// How strategies search recorded spaces, as text and JSON: a table for each file, a row for each
// strategy, and a table of means over all files.
#include "report/score_report.h"

#include "base/emit.h"
#include "report/table.h"
#include "report/units.h"

#include <math.h>
#include <string.h>

// ---- text --------------------------------------------------------------------------------------

enum column { SCORE, INTERVAL, FRACTION, TIME, TIME_INTERVAL, TIME_FRACTION, STRATEGY, COLUMNS };

static const struct table_column columns_of[COLUMNS] = {
    [SCORE] = {"score", ALIGN_RIGHT},
    [INTERVAL] = {"95 % interval", ALIGN_LEFT},
    [FRACTION] = {"of optimum", ALIGN_RIGHT},
    [TIME] = {"in time", ALIGN_RIGHT},
    [TIME_INTERVAL] = {"95 % interval", ALIGN_LEFT},
    [TIME_FRACTION] = {"of optimum", ALIGN_RIGHT},
    [STRATEGY] = {"strategy", ALIGN_LEFT},
};

// The second table: the same searches after shares of the budget.
enum along { AT, NEAR = AT + CURVE_SHARES, IN_FLIGHT, MANY_SCORE, ALONG_STRATEGY, ALONG_COLUMNS };

static const struct table_column along_columns[ALONG_COLUMNS] = {
    [AT] = {"at 5 %", ALIGN_RIGHT},
    [AT + 1] = {"10 %", ALIGN_RIGHT},
    [AT + 2] = {"25 %", ALIGN_RIGHT},
    [AT + 3] = {"50 %", ALIGN_RIGHT},
    [AT + 4] = {"100 %", ALIGN_RIGHT},
    [NEAR] = {"within 1 %", ALIGN_RIGHT},
    [IN_FLIGHT] = {"in flight", ALIGN_RIGHT},
    [MANY_SCORE] = {"score", ALIGN_RIGHT},
    [ALONG_STRATEGY] = {"strategy", ALIGN_LEFT},
};

static void put_along(struct table *t, const struct score_options *o, enum score_axis axis,
                      double score, const double *lead, const char *strategy)
{
    table_row(t);
    for (unsigned i = 0; i < CURVE_SHARES; i++) {
        if (!isnan(lead[i]))
            table_cell(t, AT + i, "%.3f", lead[i]);
    }
    if (axis == SCORE_TIME)
        table_cell(t, IN_FLIGHT, "%u, in time", o->in_flight);
    else if (axis == SCORE_MIRROR)
        table_cell(t, IN_FLIGHT, "%u, mirrored", o->in_flight);
    else
        table_cell(t, IN_FLIGHT, "%u", axis == SCORE_MANY ? o->many : o->in_flight);
    table_cell(t, MANY_SCORE, "%.3f", score);
    table_cell(t, ALONG_STRATEGY, "%s", strategy);
}

static void put_axis(struct table *t, bool known, const struct score_interval *score,
                     double fraction, enum column first)
{
    if (!known)
        return;
    table_cell(t, first, "%.3f", score->mean);
    if (!isnan(score->low))
        table_cell(t, first + 1, "[%.3f .. %.3f]", score->low, score->high);
    table_cell(t, first + 2, "%.1f %%", 100 * fraction);
}

static void end_table(struct table *t, enum report_format format, struct text *out)
{
    table_print(t, format, "", out);
    out->failed |= t->failed;
    table_release(t);
}

static void write_file_along(const struct score_report *v, struct text *out)
{
    struct table table;
    table_init(&table, along_columns, ALONG_COLUMNS);
    for (size_t i = 0; i < v->count * SCORE_AXES; i++) {
        const struct score_record *r = &v->records[i / SCORE_AXES];
        enum score_axis axis = i % SCORE_AXES;
        const struct score_result *a = &r->axes[axis];
        if (!a->known)
            continue;
        put_along(&table, v->options, axis, a->score.mean, a->lead, r->description);
        if (isinf(a->near))
            table_cell(&table, NEAR, "%.0f %% do", 100 * a->nears);
        else
            table_cell(&table, NEAR, "after %.0f", a->near);
    }
    end_table(&table, v->format, out);
}

// "energy" of "min:energy".
static const char *metric_of(const char *objective)
{
    const char *colon = strchr(objective, ':');
    return colon ? colon + 1 : objective;
}

// A file with all its strategies, once the last of them is there.
static void write_score_record(const void *report, const void *record, struct text *out)
{
    const struct score_report *v = report;
    const struct score_record *r = record;
    const struct recorded *file = r->recorded;
    struct table table;
    if (v->count < v->options->strategy_count)
        return;
    char optimum[UNITS_SIZE], median[UNITS_SIZE], span[UNITS_SIZE];
    (r->is_time ? duration_to_str : number_to_str)(r->optimum, optimum);
    (r->is_time ? duration_to_str : number_to_str)(r->median, median);
    text_add_name(out, "", file->path, " (");
    text_add_name(out, recorded_format_text(file->format), file->device[0] ? ", " : "", "");
    text_add_name(out, "", file->device, "): ");
    put_count(r->count, "configuration", out);
    text_addf(out, ", %llu correct", (unsigned long long)r->correct);
    if (r->without_value > 0)
        text_addf(out, ", %llu of them without a value of %s", (unsigned long long)r->without_value,
                  metric_of(r->objective));
    text_addf(out, "; optimum %s, median %s (", optimum, median);
    if (!r->is_time)
        text_addf(out, "%s, ", r->objective);
    text_addf(out, "%s)\n", file->statistic);
    text_addf(out, "Random draws are 95 %% of the way from median to optimum after %llu",
              (unsigned long long)r->draws);
    if (!isnan(r->budget_ns)) {
        span_to_str((uint64_t)fmin(r->budget_ns, 0x1p63), span);
        text_addf(out, ", or %s by the recorded costs", span);
    }
    text_add(out, "\n");
    for (uint32_t i = 0; i < r->source_count; i++)
        text_add_name(out, i ? ", " : "Searches know beforehand: ", r->sources[i], "");
    text_add(out, r->source_count ? "\n" : "");
    if (r->own_source)
        text_add_name(out, "Not told beforehand: ", r->own_source, ", which is this file itself\n");
    for (uint32_t i = 0; i < v->options->start_count; i++)
        text_add_name(out, i ? "; " : "Searches start with ", v->options->start_with[i], "");
    text_add(out, v->options->start_count ? "\n" : "");
    table_init(&table, columns_of, COLUMNS);
    for (size_t i = 0; i < v->count; i++) {
        table_row(&table);
        for (unsigned axis = 0; axis <= SCORE_TIME; axis++) {
            const struct score_result *a = &v->records[i].axes[axis];
            put_axis(&table, a->known, &a->score, a->fraction, axis == SCORE_TIME ? TIME : SCORE);
        }
        table_cell(&table, STRATEGY, "%s", v->records[i].description);
    }
    end_table(&table, v->format, out);
    text_add(out, "\n");
    write_file_along(v, out);
    text_add(out, r->file + 1 < v->options->file_count ? "\n" : "");
}

static void write_score_end(const void *report, struct text *out)
{
    const struct score_report *v = report;
    const struct score_mean *m = v->means;
    struct table table;
    if (!m)
        return;
    text_add(out, "\nMean over ");
    put_count(m->files[SCORE_EVALUATIONS], "file", out);
    if (m->files[SCORE_TIME] < m->files[SCORE_EVALUATIONS])
        text_addf(out, " (in time over %u)", m->files[SCORE_TIME]);
    text_add(out, ", ");
    put_count(v->options->repeats, "seed", out);
    text_add(out, " each; 0 is as good as drawing at random, 1 the optimum at once\n");
    table_init(&table, columns_of, COLUMNS);
    for (size_t i = 0; i < v->options->strategy_count; i++) {
        table_row(&table);
        for (unsigned axis = 0; axis <= SCORE_TIME; axis++)
            put_axis(&table, m[i].files[axis] > 0, &m[i].score[axis], m[i].fraction[axis],
                     axis == SCORE_TIME ? TIME : SCORE);
        table_cell(&table, STRATEGY, "%s", m[i].description);
    }
    end_table(&table, v->format, out);
    text_add(out, "\n");
    table_init(&table, along_columns, ALONG_COLUMNS);
    for (size_t i = 0; i < v->options->strategy_count * SCORE_AXES; i++) {
        const struct score_mean *of = &m[i / SCORE_AXES];
        enum score_axis axis = i % SCORE_AXES;
        if (of->files[axis] > 0)
            put_along(&table, v->options, axis, of->score[axis].mean, of->lead[axis],
                      of->description);
    }
    end_table(&table, v->format, out);
}

// ---- JSON --------------------------------------------------------------------------------------

static void axis_fields(const struct score_result *a, uint32_t repeats, struct emit *j)
{
    emit_f64_at(j, "score", a->score.mean);
    emit_pair_at(j, "interval", !isnan(a->score.low), a->score.low, a->score.high);
    emit_f64_at(j, "fraction", a->fraction);
    emit_array_at(j, "scores");
    for (uint32_t i = 0; i < repeats; i++)
        emit_f64(j, a->scores[i]);
    emit_array_end(j);
    emit_array_at(j, "at");
    for (unsigned i = 0; i < CURVE_SHARES; i++) {
        emit_object(j);
        emit_f64_at(j, "share", curve_shares[i]);
        if (isnan(a->lead[i]))
            emit_null_at(j, "score");
        else
            emit_f64_at(j, "score", a->lead[i]);
        emit_object_end(j);
    }
    emit_array_end(j);
    emit_array_at(j, "to_95_percent");
    for (uint32_t i = 0; i < repeats; i++) {
        if (isinf(a->along[i]))
            emit_null(j);
        else
            emit_u64(j, (uint64_t)a->along[i]);
    }
    emit_array_end(j);
    emit_object_at(j, "within_1_percent");
    if (isinf(a->near))
        emit_null_at(j, "evaluations");
    else
        emit_u64_at(j, "evaluations", (uint64_t)a->near);
    emit_f64_at(j, "searches", a->nears);
    emit_object_end(j);
}

static void write_score_record_json(const void *report, const void *record, struct text *out)
{
    const struct score_options *o = ((const struct score_report *)report)->options;
    const struct score_record *r = record;
    struct emit j;
    emit_start(&j, out);
    emit_object(&j);
    emit_text_at(&j, "file", r->recorded->path);
    emit_text_at(&j, "format", recorded_format_text(r->recorded->format));
    emit_text_at(&j, "space", r->recorded->name);
    emit_text_at(&j, "device", r->recorded->device);
    emit_text_at(&j, "statistic", r->recorded->statistic);
    emit_text_at(&j, "strategy", r->description);
    emit_u64_at(&j, "repeats", o->repeats);
    emit_u64_at(&j, "seed", o->seed);
    emit_u64_at(&j, "in_flight", o->in_flight);
    emit_u64_at(&j, "configurations", r->count);
    emit_u64_at(&j, "correct", r->correct);
    emit_u64_at(&j, "without_value", r->without_value);
    emit_text_at(&j, "objective", r->objective);
    emit_f64_at(&j, "optimum", r->optimum);
    emit_f64_at(&j, "median", r->median);
    emit_u64_at(&j, "budget", r->draws);
    emit_array_at(&j, "start_with");
    for (uint32_t i = 0; i < o->start_count; i++)
        emit_text(&j, o->start_with[i]);
    emit_array_end(&j);
    emit_array_at(&j, "sources");
    for (uint32_t i = 0; i < r->source_count; i++)
        emit_text(&j, r->sources[i]);
    emit_array_end(&j);
    axis_fields(&r->axes[SCORE_EVALUATIONS], o->repeats, &j);
    if (r->axes[SCORE_TIME].known) {
        emit_object_at(&j, "time");
        emit_f64_at(&j, "budget_ns", r->budget_ns);
        axis_fields(&r->axes[SCORE_TIME], o->repeats, &j);
        emit_object_end(&j);
    } else {
        emit_null_at(&j, "time");
    }
    if (r->axes[SCORE_MANY].known) {
        emit_object_at(&j, "many");
        emit_u64_at(&j, "in_flight", o->many);
        axis_fields(&r->axes[SCORE_MANY], o->repeats, &j);
        emit_object_end(&j);
    } else {
        emit_null_at(&j, "many");
    }
    if (r->axes[SCORE_MIRROR].known) {
        emit_object_at(&j, "mirror");
        axis_fields(&r->axes[SCORE_MIRROR], o->repeats, &j);
        emit_object_end(&j);
    } else {
        emit_null_at(&j, "mirror");
    }
    emit_object_end(&j);
    text_add(out, "\n");
}

const writers score_writers = {
    [REPORT_TEXT] = {.record = write_score_record, .end = write_score_end},
    [REPORT_JSON] = {.record = write_score_record_json},
    [REPORT_MARKDOWN] = {.record = write_score_record, .end = write_score_end},
};
