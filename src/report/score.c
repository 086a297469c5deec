#include "report/score.h"

#include "report/table.h"
#include "report/units.h"

#include <math.h>

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

static void put_axis(struct table *t, const struct view_score_axis *a, enum column first)
{
    if (!a->known)
        return;
    table_cell(t, first, "%.3f", a->mean);
    if (!isnan(a->low))
        table_cell(t, first + 1, "[%.3f .. %.3f]", a->low, a->high);
    table_cell(t, first + 2, "%.1f %%", 100 * a->fraction);
}

static void put_row(struct table *t, const struct view_score_axis *evaluations,
                    const struct view_score_axis *time, const char *strategy)
{
    table_row(t);
    put_axis(t, evaluations, SCORE);
    put_axis(t, time, TIME);
    table_cell(t, STRATEGY, "%s", strategy);
}

static void end_table(struct table *t, struct text *out)
{
    table_print(t, "", out);
    out->failed |= t->failed;
    table_release(t);
}

static void put_file(const struct view_score *v, struct text *out)
{
    char optimum[UNITS_SIZE], median[UNITS_SIZE], span[UNITS_SIZE];
    (v->is_time ? duration_to_str : number_to_str)(v->optimum, optimum);
    (v->is_time ? duration_to_str : number_to_str)(v->median, median);
    text_add_name(out, "", v->path, " (");
    text_add_name(out, v->format, v->device[0] ? ", " : "", "");
    text_add_name(out, "", v->device, "): ");
    put_count(v->configurations, "configuration", out);
    text_addf(out, ", %llu correct; optimum %s, median %s (", (unsigned long long)v->correct,
              optimum, median);
    if (!v->is_time)
        text_addf(out, "%s, ", v->objective);
    text_addf(out, "%s)\n", v->statistic);
    text_addf(out, "Random draws are 95 %% of the way from median to optimum after %llu",
              (unsigned long long)v->budget);
    if (!isnan(v->budget_ns)) {
        span_to_str((uint64_t)fmin(v->budget_ns, 0x1p63), span);
        text_addf(out, ", or %s by the recorded costs", span);
    }
    text_add(out, "\n");
}

void report_score(const struct view_score *v, size_t count, struct text *out)
{
    struct table table;
    if (count == 0)
        return;
    put_file(v, out);
    table_init(&table, columns_of, COLUMNS);
    for (size_t i = 0; i < count; i++)
        put_row(&table, &v[i].evaluations, &v[i].time, v[i].strategy);
    end_table(&table, out);
}

void report_score_means(const struct view_score_mean *v, size_t count, uint32_t repeats,
                        struct text *out)
{
    struct table table;
    if (count == 0)
        return;
    text_add(out, "Mean over ");
    put_count(v->files, "file", out);
    if (v->time_files < v->files)
        text_addf(out, " (in time over %u)", v->time_files);
    text_add(out, ", ");
    put_count(repeats, "seed", out);
    text_add(out, " each; 0 is as good as drawing at random, 1 the optimum at once\n");
    table_init(&table, columns_of, COLUMNS);
    for (size_t i = 0; i < count; i++)
        put_row(&table, &v[i].evaluations, &v[i].time, v[i].strategy);
    end_table(&table, out);
}

// ---- JSON --------------------------------------------------------------------------------------

static void axis_fields(const struct view_score_axis *a, uint32_t repeats, struct emit *j)
{
    emit_f64_at(j, "score", a->mean);
    emit_key(j, "interval");
    if (isnan(a->low)) {
        emit_null(j);
    } else {
        emit_array(j);
        emit_f64(j, a->low);
        emit_f64(j, a->high);
        emit_array_end(j);
    }
    emit_f64_at(j, "fraction", a->fraction);
    emit_key(j, "scores");
    emit_array(j);
    for (uint32_t i = 0; i < repeats; i++)
        emit_f64(j, a->scores[i]);
    emit_array_end(j);
}

static void time_at(const struct view_score *v, struct emit *j)
{
    if (!v->time.known) {
        emit_null_at(j, "time");
        return;
    }
    emit_key(j, "time");
    emit_object(j);
    emit_f64_at(j, "budget_ns", v->budget_ns);
    axis_fields(&v->time, v->repeats, j);
    emit_object_end(j);
}

void report_score_json(const struct view_score *v, struct emit *j)
{
    emit_object(j);
    emit_text_at(j, "file", v->path);
    emit_text_at(j, "format", v->format);
    emit_text_at(j, "space", v->name);
    emit_text_at(j, "device", v->device);
    emit_text_at(j, "statistic", v->statistic);
    emit_text_at(j, "strategy", v->strategy);
    emit_u64_at(j, "repeats", v->repeats);
    emit_u64_at(j, "seed", v->seed);
    emit_u64_at(j, "in_flight", v->in_flight);
    emit_u64_at(j, "configurations", v->configurations);
    emit_u64_at(j, "correct", v->correct);
    emit_text_at(j, "objective", v->objective);
    emit_f64_at(j, "optimum", v->optimum);
    emit_f64_at(j, "median", v->median);
    emit_u64_at(j, "budget", v->budget);
    axis_fields(&v->evaluations, v->repeats, j);
    time_at(v, j);
    emit_object_end(j);
}
