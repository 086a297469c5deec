// A comparison as JSON.
#include "report/compare_report.h"
#include "report/members.h"
#include "report/values.h"

#include <math.h>

static void emit_compare_ratio(struct emit *j, bool is_known, const struct stats_ratio *r,
                               const char *ratio, const char *interval)
{
    emit_f64_at(j, ratio, is_known ? r->ratio : NAN);
    emit_pair_at(j, interval, is_known && r->interval, r->low, r->high);
}

static void put_side(struct emit *j, const struct compare_report *v, uint32_t side)
{
    const struct compare_side *s = &v->sides[side];
    const struct device_info *d = s->device;
    const char *against;
    enum verification kind =
        d && !s->stored ? compare_verification(v->compare, side, &against) : VERIFICATION_NONE;
    emit_object(j);
    emit_text_at(j, "label", s->label);
    emit_text_at(j, "spec", s->spec->name);
    emit_text_at(j, "routine", v->routines[side]);
    emit_key(j, "constants");
    emit_constants(j, s->spec);
    emit_array_at(j, "options");
    for (uint32_t i = 0; i < s->flag_count; i++)
        emit_text(j, s->flags[i]);
    emit_array_end(j);
    emit_text_at(j, "device", d ? d->name : NULL);
    emit_text_at(j, "driver", d ? d->driver : NULL);
    emit_text_at(j, "language", d ? language_text(d->language) : NULL);
    emit_text_at(j, "run", s->stored ? s->stored->session : NULL);
    emit_text_at(j, "verification", d ? verification_text(kind) : NULL);
    emit_object_end(j);
}

// Writes the maximum over a job's launches; null if the driver does not report it.
static void put_resource(struct emit *j, const char *key, const struct result *r, size_t offset)
{
    int64_t most = -1;
    for (uint32_t i = 0; r && i < r->resource_count; i++) {
        int64_t value = *(const int64_t *)((const char *)&r->resources[i] + offset);
        most = value > most ? value : most;
    }
    if (most < 0) {
        emit_null_at(j, key);
        return;
    }
    emit_key(j, key);
    emit_i64(j, most);
}

static void put_entry(struct emit *j, const struct compare_report *v,
                      const struct compare_record *row, uint32_t side)
{
    const struct compare_entry *s = &row->entries[side];
    const struct result *r = s->result;
    double metric;
    emit_object(j);
    emit_raw_at(j, "configuration", s->configuration_json);
    emit_text_at(j, "status", r ? status_text(r->status) : NULL);
    emit_f64_at(j, "median_ns", s->timed ? s->stats.median : NAN);
    emit_pair_at(j, "interval_ns", s->timed && s->stats.interval, s->stats.low, s->stats.high);
    emit_u64s_at(j, "samples_ns", r ? r->samples_ns : NULL, r && s->timed ? r->sample_count : 0);
    emit_u64_at(j, "batch", r && r->batch ? r->batch : 1);
    put_resource(j, "registers", r, offsetof(struct resources, registers));
    put_resource(j, "spill_bytes", r, offsetof(struct resources, spill_bytes));
    put_resource(j, "local_bytes", r, offsetof(struct resources, local_bytes));
    emit_f64_at(j, "metric", report_entry_metric(v, row, side, &metric) ? metric : NAN);
    emit_f64_at(j, "error", report_error_norm(r));
    emit_text_at(j, "message", r && r->message[0] ? r->message : NULL);
    emit_text_at(j, "library", v->routines[side] && r && r->log[0] ? r->log : NULL);
    if (s->timed && s->ranked && v->of_specs) {
        const struct ranking_entry *k = &s->rank;
        emit_u64_at(j, "place", k->tied ? 1 : k->place + 1);
        emit_bool_at(j, "tied", k->tied);
        emit_f64_at(j, "ratio", k->ratio);
        emit_pair_at(j, "ratio_interval", k->ratio_interval, k->ratio_low, k->ratio_high);
    }
    emit_object_end(j);
}

static void emit_compare_row(struct emit *j, const struct compare_report *v,
                             const struct compare_record *row)
{
    bool compared = report_is_compared(v, row);
    emit_object(j);
    emit_raw_at(j, "configuration", row->configuration_json);
    emit_array_at(j, "sides");
    for (uint32_t i = 0; i < v->side_count; i++)
        put_entry(j, v, row, i);
    emit_array_end(j);
    emit_compare_ratio(j, compared, &row->ratio, "ratio", "ratio_interval");
    emit_f64_at(j, "probability", compared ? row->probability : NAN);
    if (compared)
        emit_bool_at(j, "differs", row->apart);
    else
        emit_null_at(j, "differs");
    emit_bool_at(j, "in_turn", row->in_turn);
    emit_u64_at(j, "rounds", row->rounds);
    emit_u64_at(j, "repeated", row->repeated);
    emit_raw_at(j, "same_as", row->same_as ? row->same_as->configuration_json : NULL);
    emit_object_end(j);
}

static void put_best(struct emit *j, const struct compare_record *row, int side)
{
    if (!row) {
        emit_null(j);
        return;
    }
    emit_object(j);
    emit_raw_at(j, "configuration", row->entries[side].configuration_json);
    emit_f64_at(j, "median_ns", row->entries[side].stats.median);
    emit_object_end(j);
}

void report_compare_json(const struct compare_report *v, struct emit *j)
{
    report_about_json(v->about, j);
    emit_array_at(j, "sides");
    for (uint32_t i = 0; i < v->side_count; i++)
        put_side(j, v, i);
    emit_array_end(j);
    emit_array_at(j, "rows");
    for (size_t i = 0; i < v->count; i++)
        emit_compare_row(j, v, v->records[i]);
    emit_array_end(j);
    emit_u64_at(j, "planned", v->progress.common.planned);
    emit_u64s_at(j, "only", (uint64_t[]){v->progress.only[0].count, v->progress.only[1].count}, 2);
    emit_u64_at(j, "compared", v->progress.compared);
    emit_u64_at(j, "failed", v->progress.failed);
    emit_u64_at(j, "identical", v->progress.identical);
    emit_bool_at(j, "in_turn", v->progress.paired);
    emit_f64_at(j, "mean_ratio", v->progress.mean);
    emit_pair_at(j, "mean_interval", v->progress.mean_interval, v->progress.mean_low,
                 v->progress.mean_high);
    emit_u64_at(j, "differ", v->progress.apart);
    emit_u64_at(j, "first_faster", v->progress.first_faster);
    emit_u64_at(j, "second_faster", v->progress.second_faster);
    emit_f64_at(j, "level", v->level);
    emit_f64_at(j, "kendall_tau", v->progress.correlation);
    emit_array_at(j, "best");
    put_best(j, v->progress.best[0], 0);
    put_best(j, v->progress.best[1], 1);
    emit_array_end(j);
    emit_compare_ratio(j, v->progress.has_bests, &v->progress.ratio_of_bests, "ratio_of_bests",
                       "ratio_of_bests_interval");
    report_members_at(v->progress.members, v->progress.member_count, j);
    emit_u64_at(j, "launches", v->progress.launches);
    emit_u64_at(j, "elapsed_ns", v->progress.common.elapsed_ns);
    emit_bool_at(j, "cancelled", v->progress.common.cancelled);
    emit_text_at(j, "error", v->about->broken);
}
