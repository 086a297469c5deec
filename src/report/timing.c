// Where the time of a run went.
#include "base/fields.h"
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
    const char *name, *meaning;
} parts[PARTS] = {
    [STARTUP] = {"start-up", "spec, store, listing devices, until a worker has one"},
    [OPENING] = {"opening", "until the worker that measures has one, too"},
    [IDLE] = {"idle", "it waits for something to be built"},
    [LOCKED] = {"locked", "another process has the device"},
    [LOADING] = {"loading", "what was built"},
    [INPUTS] = {"inputs", "made, restored, poisoned"},
    [REFERENCE] = {"reference", ""},
    [VERIFYING] = {"verifying", "the first launch of each, and what launches left"},
    [MEASURING] = {"measuring", "screening"},
    [RANKING] = {"ranking", "all of it"},
    [STORING] = {"store", "its lock, looking up, writing"},
    [REST] = {"rest", "choosing, making jobs, printing"},
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
    table_end(&table, v->format, "  ", out);
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

static uint64_t part_of(const struct tune_report *v, int part)
{
    uint64_t ns[PARTS];
    measure_parts(v, ns);
    return ns[part];
}

#define TIMING(X)                                                                                  \
    X(U64, wall_ns, (v->wall_ns), "ns", "since the program was started")                           \
    X(U64, startup_ns, (part_of(v, STARTUP)), "ns", "these, up to rest_ns, add up to wall_ns")     \
    X(U64, listing_ns, (v->listing_ns), "ns", "within startup_ns")                                 \
    X(U64, opening_ns, (part_of(v, OPENING)), "ns", "")                                            \
    X(U64, waiting_ns, (part_of(v, IDLE)), "ns", "for builds")                                     \
    X(U64, locked_ns, (part_of(v, LOCKED)), "ns", "another process had the device")                \
    X(U64, loading_ns, (part_of(v, LOADING)), "ns", "")                                            \
    X(U64, inputs_ns, (part_of(v, INPUTS)), "ns", "made, restored, poisoned")                      \
    X(U64, reference_ns, (part_of(v, REFERENCE)), "ns", "")                                        \
    X(U64, verifying_ns, (part_of(v, VERIFYING)), "ns", "")                                        \
    X(U64, measuring_ns, (part_of(v, MEASURING)), "ns", "screening")                               \
    X(U64, ranking_ns, (part_of(v, RANKING)), "ns", "")                                            \
    X(U64, storing_ns, (part_of(v, STORING)), "ns", "")                                            \
    X(U64, rest_ns, (part_of(v, REST)), "ns", "")                                                  \
    X(U64, kernel_ns, (v->progress.kernel_ns), "ns", "meanwhile, by the device's clock")           \
    X(U64, build_ns, (v->progress.times.build_wall_ns), "ns", "meanwhile")                         \
    X(U64, builds_ns, (v->progress.times.build_sum_ns), "ns", "summed over the builders")          \
    X(U64, builders, (v->progress.times.builders), "", "build workers")
FIELDS_SHARED(report_timing_fields, struct tune_report, void, TIMING)
