// Where the time of a run went.
#include "report/report.h"
#include "report/table.h"
#include "report/units.h"

enum column { WHAT, TIME, SHARE, MEANING, COLUMNS };

struct part {
    const char *name, *meaning;
    uint64_t ns;
};

static void put_part(struct table *t, const struct part *p, uint64_t wall_ns)
{
    char time[UNITS_SIZE];
    if (p->ns == 0)
        return;
    duration_to_str((double)p->ns, time);
    table_row(t);
    table_cell(t, WHAT, "%s", p->name);
    table_cell(t, TIME, "%s", time);
    table_cell(t, SHARE, "%.1f %%", 100 * (double)p->ns / (double)wall_ns);
    table_cell(t, MEANING, "%s", p->meaning);
}

static void put_parts(const struct view_timing *v, struct table *t)
{
    const struct part parts[] = {
        {"start-up", "spec, store, listing devices, until a worker has one", v->startup_ns},
        {"opening", "until the worker that measures has one, too", v->opening_ns},
        {"idle", "it waits for something to be built", v->waiting_ns},
        {"locked", "another process has the device", v->locked_ns},
        {"loading", "what was built", v->loading_ns},
        {"inputs", "made, restored, poisoned", v->inputs_ns},
        {"reference", "", v->reference_ns},
        {"verifying", "the first launch of each, and what launches left", v->verifying_ns},
        {"measuring", "screening", v->measuring_ns},
        {"ranking", "all of it", v->ranking_ns},
        {"store", "its lock, looking up, writing", v->storing_ns},
        {"rest", "choosing, making jobs, printing", v->rest_ns},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        put_part(t, &parts[i], v->wall_ns);
}

void report_timing(const struct view_timing *v, enum report_format format, struct text *out)
{
    static const struct table_column columns_of[COLUMNS] = {
        [WHAT] = {"", ALIGN_LEFT},
        [TIME] = {"", ALIGN_RIGHT},
        [SHARE] = {"", ALIGN_RIGHT},
        [MEANING] = {"", ALIGN_LEFT},
    };
    char time[UNITS_SIZE], sum[UNITS_SIZE];
    struct table table;
    duration_to_str((double)v->wall_ns, time);
    text_addf(out, "\nWhere the time went, %s since the program was started:\n", time);
    table_init(&table, columns_of, COLUMNS);
    put_parts(v, &table);
    table_print(&table, format, "  ", out);
    table_release(&table);
    duration_to_str((double)v->kernel_ns, time);
    if (v->kernel_ns > 0)
        text_addf(out, "Within these: kernels %s, verified and warming-up launches included\n",
                  time);
    if (v->builders == 0)
        return;
    duration_to_str((double)v->build_ns, time);
    duration_to_str((double)v->builds_ns, sum);
    text_addf(out, "Beside them: builds during %s, %s summed over ", time, sum);
    put_count(v->builders, "worker", out);
    text_add(out, "\n");
}

void report_timing_json(const struct view_timing *t, struct emit *j)
{
    emit_object(j);
    emit_u64_at(j, "wall_ns", t->wall_ns);
    emit_u64_at(j, "startup_ns", t->startup_ns);
    emit_u64_at(j, "listing_ns", t->listing_ns);
    emit_u64_at(j, "opening_ns", t->opening_ns);
    emit_u64_at(j, "waiting_ns", t->waiting_ns);
    emit_u64_at(j, "locked_ns", t->locked_ns);
    emit_u64_at(j, "loading_ns", t->loading_ns);
    emit_u64_at(j, "inputs_ns", t->inputs_ns);
    emit_u64_at(j, "reference_ns", t->reference_ns);
    emit_u64_at(j, "verifying_ns", t->verifying_ns);
    emit_u64_at(j, "measuring_ns", t->measuring_ns);
    emit_u64_at(j, "ranking_ns", t->ranking_ns);
    emit_u64_at(j, "storing_ns", t->storing_ns);
    emit_u64_at(j, "rest_ns", t->rest_ns);
    emit_u64_at(j, "kernel_ns", t->kernel_ns);
    emit_u64_at(j, "build_ns", t->build_ns);
    emit_u64_at(j, "builds_ns", t->builds_ns);
    emit_u64_at(j, "builders", t->builders);
    emit_object_end(j);
}
