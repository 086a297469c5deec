// How strategies search recorded spaces, as text and JSON: a table for each file, a row for each
// strategy, and a table of means over all files.
#include "base/fields.h"
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
    table_end(&table, v->format, "", out);
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
        text_add_name(out, "Not given as a source: ", r->own_source,
                      ", which is this file itself\n");
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
    table_end(&table, v->format, "", out);
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
    text_add(out, " each; 0 is as good as random draws, 1 the optimum at once\n");
    table_init(&table, columns_of, COLUMNS);
    for (size_t i = 0; i < v->options->strategy_count; i++) {
        table_row(&table);
        for (unsigned axis = 0; axis <= SCORE_TIME; axis++)
            put_axis(&table, m[i].files[axis] > 0, &m[i].score[axis], m[i].fraction[axis],
                     axis == SCORE_TIME ? TIME : SCORE);
        table_cell(&table, STRATEGY, "%s", m[i].description);
    }
    table_end(&table, v->format, "", out);
    text_add(out, "\n");
    table_init(&table, along_columns, ALONG_COLUMNS);
    for (size_t i = 0; i < v->options->strategy_count * SCORE_AXES; i++) {
        const struct score_mean *of = &m[i / SCORE_AXES];
        enum score_axis axis = i % SCORE_AXES;
        if (of->files[axis] > 0)
            put_along(&table, v->options, axis, of->score[axis].mean, of->lead[axis],
                      of->description);
    }
    table_end(&table, v->format, "", out);
}

// ---- JSON --------------------------------------------------------------------------------------

static void emit_scores(const void *record, const void *context, struct emit *j)
{
    emit_array(j);
    for (uint32_t i = 0; i < ((const struct score_report *)context)->options->repeats; i++)
        emit_f64(j, ((const struct score_result *)record)->scores[i]);
    emit_array_end(j);
}

static void emit_along(const void *record, const void *context, struct emit *j)
{
    const double *along = ((const struct score_result *)record)->along;
    emit_array(j);
    for (uint32_t i = 0; i < ((const struct score_report *)context)->options->repeats; i++) {
        if (isinf(along[i]))
            emit_null(j);
        else
            emit_u64(j, (uint64_t)along[i]);
    }
    emit_array_end(j);
}

struct score_point {
    double share, score;
};

#define SCORE_POINT(X)                                                                             \
    X(F64, share, (v->share), "", "of the budget")                                                 \
    X(F64, score, (v->score), "", "")
FIELDS(score_point_fields, struct score_point, void, SCORE_POINT)

static void emit_curve(const void *record, const void *context, struct emit *j)
{
    for (unsigned i = 0; i < CURVE_SHARES; i++) {
        const struct score_point at = {curve_shares[i],
                                       ((const struct score_result *)record)->lead[i]};
        emit_record(j, &score_point_fields, &at, context);
    }
}

#define NEAR(X)                                                                                    \
    X(KNOWN, evaluations, (!isinf(v->near), isinf(v->near) ? 0 : v->near), "",                     \
      "null: most searches do not come so near")                                                   \
    X(F64, searches, (v->nears), "", "the part of them that do")
FIELDS(near_fields, struct score_result, void, NEAR)

#define AXIS(X)                                                                                    \
    X(F64, score, (v->score.mean), "", "")                                                         \
    X(PAIR, interval, (!isnan(v->score.low), v->score.low, v->score.high), "", "null: one seed")   \
    X(F64, fraction, (v->fraction), "", "of the optimum, at the budget")                           \
    X(PUT, scores, (emit_scores, v), "[]", "one for each seed")                                    \
    X(EACH, at, (score_point_fields, emit_curve, v), "", "")                                       \
    X(PUT, to_95_percent, (emit_along, v), "[]",                                                   \
      "for each seed: evaluations until 95 % of the way from median to optimum")                   \
    X(RECORD, within_1_percent, (near_fields, v), "", "of the optimum")
FIELDS(axis_fields, struct score_result, void, AXIS)

#define IN_TIME(X)                                                                                 \
    X(F64, budget_ns, (v->budget_ns), "ns", "")                                                    \
    X(MEMBERS, axis, (axis_fields, &v->axes[SCORE_TIME]), "", "")
FIELDS(in_time_fields, struct score_record, struct score_report, IN_TIME)

#define IN_FLIGHT(X)                                                                               \
    X(U64, in_flight, (c->options->many), "", "")                                                  \
    X(MEMBERS, axis, (axis_fields, &v->axes[SCORE_MANY]), "", "")
FIELDS(in_flight_fields, struct score_record, struct score_report, IN_FLIGHT)

#define SCORED(X)                                                                                  \
    X(TEXT, file, (v->recorded->path), "", "")                                                     \
    X(TEXT, format, (recorded_format_text(v->recorded->format)), "", "")                           \
    X(TEXT, space, (v->recorded->name), "", "")                                                    \
    X(TEXT, device, (v->recorded->device), "", "")                                                 \
    X(TEXT, statistic, (v->recorded->statistic), "", "what a time is")                             \
    X(TEXT, strategy, (v->description), "", "with all its options")                                \
    X(U64, repeats, (c->options->repeats), "", "seeds")                                            \
    X(U64, seed, (c->options->seed), "", "the first")                                              \
    X(U64, in_flight, (c->options->in_flight), "", "")                                             \
    X(U64, configurations, (v->count), "", "")                                                     \
    X(U64, correct, (v->correct), "", "")                                                          \
    X(U64, without_value, (v->without_value), "", "of the correct ones")                           \
    X(TEXT, objective, (v->objective), "", "")                                                     \
    X(F64, optimum, (v->optimum), "", "in ns where the objective is time")                         \
    X(F64, median, (v->median), "", "likewise")                                                    \
    X(U64, budget, (v->draws), "", "evaluations")                                                  \
    X(TEXTS, start_with, (c->options->start_with, c->options->start_count), "", "")                \
    X(TEXTS, sources, (v->sources, v->source_count), "", "")                                       \
    X(MEMBERS, evaluations, (axis_fields, &v->axes[SCORE_EVALUATIONS]), "", "")                    \
    X(RECORD, time, (in_time_fields, v->axes[SCORE_TIME].known ? v : NULL), "",                    \
      "in time, not evaluations; null: no costs are recorded")                                     \
    X(RECORD, many, (in_flight_fields, v->axes[SCORE_MANY].known ? v : NULL), "",                  \
      "with so many in flight; null with --in-flight")                                             \
    X(RECORD, mirror, (axis_fields, v->axes[SCORE_MIRROR].known ? &v->axes[SCORE_MIRROR] : NULL),  \
      "", "on lists upside down, with --mirror; else null")
FIELDS_SHARED(report_score_fields, struct score_record, struct score_report, SCORED)

const writers score_writers = {
    [REPORT_TEXT] = {.record = write_score_record, .end = write_score_end},
    [REPORT_JSON] = {.record_fields = &report_score_fields},
    [REPORT_MARKDOWN] = {.record = write_score_record, .end = write_score_end},
};
