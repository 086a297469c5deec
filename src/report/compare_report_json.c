// The tables of a comparison.
#include "base/fields.h"
#include "report/compare_report.h"
#include "report/report.h"
#include "report/values.h"
#include "report/why.h"

#include <math.h>

// ---- sides -------------------------------------------------------------------------------------

static const char *side_verification(const struct compare_report *report,
                                     const struct compare_side *s)
{
    const char *against;
    enum verification kind = VERIFICATION_NONE;
    if (!s->device)
        return NULL;
    if (!s->stored)
        kind = compare_verification(report->compare, (uint32_t)(s - report->sides), &against);
    return verification_text(kind);
}

#define SIDE(X)                                                                                    \
    X(TEXT, label, (v->label), "", "")                                                             \
    X(TEXT, spec, (v->spec->name), "", "")                                                         \
    X(TEXT, routine, (c->routines[v - c->sides]), "", "of a vendor, in place of the kernel")       \
    X(PUT, constants, (emit_constants, v->spec), "{}", "")                                         \
    X(TEXTS, options, (v->flags, v->flag_count), "", "of the compiler")                            \
    X(TEXT, device, (v->device ? v->device->name : NULL), "", "")                                  \
    X(TEXT, driver, (v->device ? v->device->driver : NULL), "", "")                                \
    X(TEXT, language, (v->device ? language_text(v->device->language) : NULL), "", "")             \
    X(TEXT, run, (v->stored ? v->stored->session : NULL), "", "in the store")                      \
    X(TEXT, verification, (side_verification(c, v)), "", "")
FIELDS(side_fields, struct compare_side, struct compare_report, SIDE)

// ---- rows --------------------------------------------------------------------------------------

// One side of a row.
struct compare_cell {
    const struct compare_record *row;
    const struct compare_entry *entry;
    uint32_t side;
    const struct result *result;
};

// The maximum over a job's launches; negative if the driver does not report it.
static int64_t most_of(const struct result *r, size_t offset)
{
    int64_t most = -1;
    for (uint32_t i = 0; r && i < r->resource_count; i++) {
        int64_t value = *(const int64_t *)((const char *)&r->resources[i] + offset);
        most = value > most ? value : most;
    }
    return most;
}

static double cell_metric(const struct compare_report *report, const struct compare_cell *v)
{
    double metric;
    return report_entry_metric(report, v->row, v->side, &metric) ? metric : NAN;
}

#define RANK v->entry->rank
#define CELL_PLACE(X)                                                                              \
    X(U64, place, (RANK.tied ? 1 : RANK.place + 1), "", "of several specs")                        \
    X(BOOL, tied, (RANK.tied), "", "with the fastest")                                             \
    X(F64, ratio, (RANK.ratio), "", "its time by the fastest's")                                   \
    X(PAIR, ratio_interval, (RANK.ratio_interval, RANK.ratio_low, RANK.ratio_high), "", "")
FIELDS(cell_place_fields, struct compare_cell, struct compare_report, CELL_PLACE)

#define MOST(name)   most_of(v->result, offsetof(struct resources, name))
#define STATS        v->entry->stats
#define IS_TIMED     (v->entry->timed)
#define IS_PLACED    (IS_TIMED && v->entry->ranked && c->of_specs)
#define ROUTINE_LOG  (c->routines[v->side] && v->result ? v->result->log : NULL)
#define SAMPLE_COUNT (v->result && IS_TIMED ? v->result->sample_count : 0)
#define CELL(X)                                                                                    \
    X(JSON, configuration, (v->entry->configuration_json), "{}", "")                               \
    X(TEXT, status, (v->result ? status_text(v->result->status) : NULL), "", "as of hone tune")    \
    X(F64, median_ns, (IS_TIMED ? STATS.median : NAN), "ns", "")                                   \
    X(PAIR, interval_ns, (IS_TIMED && STATS.interval, STATS.low, STATS.high), "ns", "")            \
    X(U64S, samples_ns, (true, v->result ? v->result->samples_ns : NULL, SAMPLE_COUNT), "ns", "")  \
    X(U64, batch, (v->result && v->result->batch ? v->result->batch : 1), "", "launches a sample") \
    X(KNOWN, registers, (MOST(registers) >= 0, MOST(registers)), "", "the most of a launch")       \
    X(KNOWN, spill_bytes, (MOST(spill_bytes) >= 0, MOST(spill_bytes)), "bytes", "likewise")        \
    X(KNOWN, local_bytes, (MOST(local_bytes) >= 0, MOST(local_bytes)), "bytes", "likewise")        \
    X(F64, metric, (cell_metric(c, v)), "", "the spec's first")                                    \
    X(F64, error, (report_error_norm(v->result)), "", "norm of the difference to the reference")   \
    X(SOME, message, (v->result ? v->result->message : NULL), "", "")                              \
    X(SOME, library, (ROUTINE_LOG), "", "of a routine")                                            \
    X(MEMBERS, place, (cell_place_fields, IS_PLACED ? v : NULL), "", "")
FIELDS(cell_fields, struct compare_cell, struct compare_report, CELL)

static void emit_cells(const void *record, const void *context, struct emit *j)
{
    const struct compare_record *row = record;
    const struct compare_report *report = context;
    for (uint32_t i = 0; i < report->side_count; i++) {
        const struct compare_entry *entry = &row->entries[i];
        const struct compare_cell cell = {row, entry, i, entry->result};
        emit_record(j, &cell_fields, &cell, report);
    }
}

#define COMPARE_ROW(X)                                                                             \
    X(JSON, configuration, (v->configuration_json), "{}", "")                                      \
    X(EACH, sides, (cell_fields, emit_cells, v), "", "")                                           \
    X(F64, ratio, (report_is_compared(c, v) ? v->ratio.ratio : NAN), "",                           \
      "of the first side's time to the second's")                                                  \
    X(PAIR, ratio_interval,                                                                        \
      (report_is_compared(c, v) && v->ratio.interval, v->ratio.low, v->ratio.high), "", "")        \
    X(F64, probability, (report_is_compared(c, v) ? v->probability : NAN), "",                     \
      "of such times were they equal")                                                             \
    X(MAYBE, differs, (report_is_compared(c, v), v->apart), "", "family-wise")                     \
    X(BOOL, in_turn, (v->in_turn), "", "launches were interleaved")                                \
    X(U64, rounds, (v->rounds), "", "")                                                            \
    X(U64, repeated, (v->repeated), "", "of them, since they were disturbed")                      \
    X(JSON, same_as, (v->same_as ? v->same_as->configuration_json : NULL), "{}", "")
FIELDS(compare_row_fields, struct compare_record, struct compare_report, COMPARE_ROW)

// ---- the whole ---------------------------------------------------------------------------------

#define SIDE_BEST(X)                                                                               \
    X(JSON, configuration, (v->configuration_json), "{}", "")                                      \
    X(F64, median_ns, (v->stats.median), "ns", "")
FIELDS(side_best_fields, struct compare_entry, struct compare_report, SIDE_BEST)

static void emit_bests(const void *record, const void *context, struct emit *j)
{
    const struct compare_record *const *best = record;
    for (int side = 0; side < 2; side++) {
        if (best[side])
            emit_record(j, &side_best_fields, &best[side]->entries[side], context);
        else
            emit_null(j);
    }
}

static void emit_rows(const void *record, const void *context, struct emit *j)
{
    const struct compare_report *report = record;
    for (size_t i = 0; i < report->found.count; i++)
        emit_record(j, &compare_row_fields, report->found.records[i], context);
}

static void emit_only(const void *record, const void *context, struct emit *j)
{
    const struct compare_missing *only = record;
    (void)context;
    emit_array(j);
    emit_u64(j, only[0].count);
    emit_u64(j, only[1].count);
    emit_array_end(j);
}

#define OF        v->found.progress
#define BEST_BY   v->found.progress.ratio_of_bests
#define HAS_BESTS v->found.progress.has_bests
#define COMPARED(X)                                                                                \
    X(MEMBERS, about, (report_about_fields, v->about), "", "")                                     \
    X(RECORDS, sides, (side_fields, v->sides, v->side_count), "", "")                              \
    X(EACH, rows, (compare_row_fields, emit_rows, v), "", "")                                      \
    X(U64, planned, (OF.common.planned), "", "")                                                   \
    X(PUT, only, (emit_only, OF.only), "[]", "configurations of the first side, of the second")    \
    X(U64, compared, (OF.compared), "", "")                                                        \
    X(U64, failed, (OF.failed), "", "on one side or more")                                         \
    X(U64, identical, (OF.identical), "", "to another one")                                        \
    X(BOOL, in_turn, (OF.paired), "", "every ratio is of interleaved launches")                    \
    X(F64, mean_ratio, (OF.mean), "", "the geometric mean")                                        \
    X(PAIR, mean_interval, (OF.mean_interval, OF.mean_low, OF.mean_high), "", "")                  \
    X(U64, differ, (OF.apart), "", "family-wise")                                                  \
    X(U64, first_faster, (OF.first_faster), "", "of them")                                         \
    X(U64, second_faster, (OF.second_faster), "", "of them")                                       \
    X(F64, level, (v->found.level), "", "of the decisions")                                        \
    X(F64, kendall_tau, (OF.correlation), "", "of the two sides' times")                           \
    X(EACH, best, (side_best_fields, emit_bests, OF.best), "", "of each side; null: none")         \
    X(F64, ratio_of_bests, (HAS_BESTS ? BEST_BY.ratio : NAN), "", "")                              \
    X(PAIR, ratio_of_bests_interval, (HAS_BESTS && BEST_BY.interval, BEST_BY.low, BEST_BY.high),   \
      "", "")                                                                                      \
    X(LIST, devices, (farm_member_fields, OF.member_count > 0, OF.members, OF.member_count), "",   \
      "")                                                                                          \
    X(U64, launches, (OF.launches), "", "")                                                        \
    X(U64, elapsed_ns, (OF.common.elapsed_ns), "ns", "")                                           \
    X(BOOL, cancelled, (OF.common.cancelled), "", "")                                              \
    X(TEXT, error, (v->about->broken), "", "")                                                     \
    X(WITHIN, why, (report_why_fields, v->why, v->why), "", "the builds, with --why")
FIELDS_SHARED(report_compare_fields, struct compare_report, struct compare_report, COMPARED)
