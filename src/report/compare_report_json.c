// A comparison as JSON.
#include "report/compare.h"

#include <math.h>

static void put_ratio(struct emit *j, bool is_known, const struct stats_ratio *r, const char *ratio,
                      const char *interval)
{
    emit_f64_at(j, ratio, is_known ? r->ratio : NAN);
    emit_pair_at(j, interval, is_known && r->interval, r->low, r->high);
}

static void put_side(struct emit *j, const struct view_side *s)
{
    const struct device_info *d = s->device;
    emit_object(j);
    emit_text_at(j, "label", s->label);
    emit_text_at(j, "spec", s->spec);
    emit_text_at(j, "routine", s->routine);
    emit_raw_at(j, "constants", s->constants_json);
    emit_key(j, "options");
    emit_array(j);
    for (uint32_t i = 0; i < s->flag_count; i++)
        emit_text(j, s->flags[i]);
    emit_array_end(j);
    emit_text_at(j, "device", d ? d->name : NULL);
    emit_text_at(j, "driver", d ? d->driver : NULL);
    emit_text_at(j, "language", d ? language_text(d->language) : NULL);
    emit_text_at(j, "run", s->run);
    emit_text_at(j, "verification", d ? verification_text(s->check.kind) : NULL);
    emit_object_end(j);
}

// Of the launches of a job the most; null where the driver does not say.
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

static void put_entry(struct emit *j, const struct view_side *of,
                      const struct view_compared_side *s)
{
    const struct result *r = s->result;
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
    emit_f64_at(j, "metric", s->metric && s->metric->known ? s->metric->value : NAN);
    emit_f64_at(j, "error", report_error_norm(r));
    emit_text_at(j, "message", r && r->message[0] ? r->message : NULL);
    emit_text_at(j, "library", of->routine && r && r->log[0] ? r->log : NULL);
    if (s->ranked) {
        emit_u64_at(j, "place", s->tied ? 1 : s->place + 1);
        emit_bool_at(j, "tied", s->tied);
        put_ratio(j, true, &s->to_fastest, "ratio", "ratio_interval");
    }
    emit_object_end(j);
}

static void put_row(struct emit *j, const struct view_compare *v, const struct view_compared *row)
{
    emit_object(j);
    emit_raw_at(j, "configuration", row->configuration_json);
    emit_key(j, "sides");
    emit_array(j);
    for (uint32_t i = 0; i < v->side_count; i++)
        put_entry(j, &v->sides[i], &row->sides[i]);
    emit_array_end(j);
    put_ratio(j, row->compared, &row->ratio, "ratio", "ratio_interval");
    emit_f64_at(j, "probability", row->compared ? row->probability : NAN);
    if (row->compared)
        emit_bool_at(j, "differs", row->apart);
    else
        emit_null_at(j, "differs");
    emit_bool_at(j, "in_turn", row->in_turn);
    emit_u64_at(j, "rounds", row->rounds);
    emit_u64_at(j, "repeated", row->repeated);
    emit_raw_at(j, "same_as", row->same_as_json);
    emit_object_end(j);
}

static void put_best(struct emit *j, const struct view_compared *row, int side)
{
    if (!row) {
        emit_null(j);
        return;
    }
    emit_object(j);
    emit_raw_at(j, "configuration", row->sides[side].configuration_json);
    emit_f64_at(j, "median_ns", row->sides[side].stats.median);
    emit_object_end(j);
}

static void put_summary(struct emit *j, const struct view_compare *v)
{
    emit_u64_at(j, "planned", v->planned);
    emit_u64s_at(j, "only", v->only, 2);
    emit_u64_at(j, "compared", v->compared);
    emit_u64_at(j, "failed", v->failed);
    emit_u64_at(j, "identical", v->identical);
    emit_bool_at(j, "in_turn", v->paired);
    emit_f64_at(j, "mean_ratio", v->mean);
    emit_pair_at(j, "mean_interval", v->mean_interval, v->mean_low, v->mean_high);
    emit_u64_at(j, "differ", v->apart);
    emit_u64_at(j, "first_faster", v->first_faster);
    emit_u64_at(j, "second_faster", v->second_faster);
    emit_f64_at(j, "level", v->level);
    emit_f64_at(j, "kendall_tau", v->correlation);
    emit_key(j, "best");
    emit_array(j);
    put_best(j, v->best[0], 0);
    put_best(j, v->best[1], 1);
    emit_array_end(j);
    put_ratio(j, v->has_bests, &v->ratio_of_bests, "ratio_of_bests", "ratio_of_bests_interval");
    emit_u64_at(j, "launches", v->launches);
    emit_u64_at(j, "elapsed_ns", v->elapsed_ns);
    emit_bool_at(j, "cancelled", v->cancelled);
    emit_text_at(j, "error", v->broken);
}

void report_compare_json(const struct view_compare *v, struct emit *j)
{
    emit_text_at(j, "hone", v->hone_version);
    emit_text_at(j, "command", v->command);
    emit_text_at(j, "host", v->host);
    emit_text_at(j, "date", v->date);
    emit_u64_at(j, "seed", v->seed);
    emit_text_at(j, "store", v->store);
    emit_key(j, "sides");
    emit_array(j);
    for (uint32_t i = 0; i < v->side_count; i++)
        put_side(j, &v->sides[i]);
    emit_array_end(j);
    emit_key(j, "rows");
    emit_array(j);
    for (size_t i = 0; i < v->row_count; i++)
        put_row(j, v, &v->rows[i]);
    emit_array_end(j);
    put_summary(j, v);
}
