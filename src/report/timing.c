// Where the time of a run went.
#include "report/report.h"
#include "report/table.h"
#include "report/units.h"

enum column { WHAT, TIME, SHARE, MEANING, COLUMNS };

// The parts of a run that follow each other and add up to the whole, in the order of the report.
enum {
    STARTUP,
    OPENING,
    IDLE,
    LOCKED,
    LOADING,
    INPUTS,
    REFERENCE,
    VERIFYING,
    MEASURING,
    RANKING,
    STORING,
    REST,
    PARTS
};

static const struct {
    const char *name, *key, *meaning;
} parts[PARTS] = {
    [STARTUP] = {"start-up", "startup_ns", "spec, store, listing devices, until a worker has one"},
    [OPENING] = {"opening", "opening_ns", "until the worker that measures has one, too"},
    [IDLE] = {"idle", "waiting_ns", "it waits for something to be built"},
    [LOCKED] = {"locked", "locked_ns", "another process has the device"},
    [LOADING] = {"loading", "loading_ns", "what was built"},
    [INPUTS] = {"inputs", "inputs_ns", "made, restored, poisoned"},
    [REFERENCE] = {"reference", "reference_ns", ""},
    [VERIFYING] = {"verifying", "verifying_ns", "the first launch of each, and what launches left"},
    [MEASURING] = {"measuring", "measuring_ns", "screening"},
    [RANKING] = {"ranking", "ranking_ns", "all of it"},
    [STORING] = {"store", "storing_ns", "its lock, looking up, writing"},
    [REST] = {"rest", "rest_ns", "choosing, making jobs, printing"},
};

static void measure_parts(const struct tune_report *v, uint64_t ns[PARTS])
{
    const uint64_t *spans = v->progress.times.span_ns;
    uint64_t told = 0;
    ns[STARTUP] = v->listing_ns + spans[SPAN_STARTING];
    ns[OPENING] = spans[SPAN_OPENING];
    ns[IDLE] = spans[SPAN_WAITING];
    ns[LOCKED] = spans[SPAN_LOCKED];
    ns[LOADING] = spans[SPAN_LOADING];
    ns[INPUTS] = spans[SPAN_INPUTS];
    ns[REFERENCE] = spans[SPAN_REFERENCE];
    ns[VERIFYING] = spans[SPAN_VERIFYING];
    ns[MEASURING] = spans[SPAN_MEASURING];
    ns[RANKING] = v->progress.ranking_ns;
    ns[STORING] = spans[SPAN_STORING];
    for (int i = 0; i < REST; i++)
        told += ns[i];
    ns[REST] = v->wall_ns > told ? v->wall_ns - told : 0;
}

static void put_part(struct table *t, int part, uint64_t ns, uint64_t wall_ns)
{
    char time[UNITS_SIZE];
    if (ns == 0)
        return;
    duration_to_str((double)ns, time);
    table_row(t);
    table_cell(t, WHAT, "%s", parts[part].name);
    table_cell(t, TIME, "%s", time);
    table_cell(t, SHARE, "%.1f %%", 100 * (double)ns / (double)wall_ns);
    table_cell(t, MEANING, "%s", parts[part].meaning);
}

void report_timing(const struct tune_report *v, struct text *out)
{
    static const struct table_column columns_of[COLUMNS] = {
        [WHAT] = {"", ALIGN_LEFT},
        [TIME] = {"", ALIGN_RIGHT},
        [SHARE] = {"", ALIGN_RIGHT},
        [MEANING] = {"", ALIGN_LEFT},
    };
    const struct evaluator_times *times = &v->progress.times;
    char time[UNITS_SIZE], sum[UNITS_SIZE];
    uint64_t ns[PARTS];
    struct table table;
    measure_parts(v, ns);
    duration_to_str((double)v->wall_ns, time);
    text_addf(out, "\nWhere the time went, %s since the program was started:\n", time);
    table_init(&table, columns_of, COLUMNS);
    for (int i = 0; i < PARTS; i++)
        put_part(&table, i, ns[i], v->wall_ns);
    table_print(&table, v->format, "  ", out);
    table_release(&table);
    duration_to_str((double)v->progress.kernel_ns, time);
    if (v->progress.kernel_ns > 0)
        text_addf(out, "Within these: kernels %s, verified and warming-up launches included\n",
                  time);
    if (times->builders == 0)
        return;
    duration_to_str((double)times->build_wall_ns, time);
    duration_to_str((double)times->build_sum_ns, sum);
    text_addf(out, "Beside them: builds during %s, %s summed over ", time, sum);
    put_count(times->builders, "worker", out);
    text_add(out, "\n");
}

void report_timing_json(const struct tune_report *v, struct emit *j)
{
    uint64_t ns[PARTS];
    measure_parts(v, ns);
    emit_object(j);
    emit_u64_at(j, "wall_ns", v->wall_ns);
    for (int i = 0; i < PARTS; i++) {
        emit_u64_at(j, parts[i].key, ns[i]);
        if (i == STARTUP)
            emit_u64_at(j, "listing_ns", v->listing_ns);
    }
    emit_u64_at(j, "kernel_ns", v->progress.kernel_ns);
    emit_u64_at(j, "build_ns", v->progress.times.build_wall_ns);
    emit_u64_at(j, "builds_ns", v->progress.times.build_sum_ns);
    emit_u64_at(j, "builders", v->progress.times.builders);
    emit_object_end(j);
}
