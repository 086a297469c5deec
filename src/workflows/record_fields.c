// The table of a tune's record: what `hone tune --json` says of a configuration, and libhone.
#include "workflows/record_fields.h"

#include "model/result_fields.h"

#include <math.h>

bool record_is_statistic(const struct tune_record *v, const char *statistic)
{
    return v->result->stop != STOP_IMPORTED || str_equal(v->result->statistic, statistic);
}

static const char *basis_of(const struct tune_record *v)
{
    return !v->timed ? NULL : v->result->stop == STOP_RANKED ? "ranked" : "screened";
}

static void emit_metrics(const void *record, const void *context, struct emit *j)
{
    const struct tune_record *v = record;
    const struct record_frame *f = context;
    emit_object(j);
    for (size_t i = 0; f->spec && i < f->spec->metric_count; i++)
        emit_f64_at(j, f->spec->metrics[i].name, v->metrics ? v->metrics[i] : NAN);
    emit_object_end(j);
}

const char *record_ranking_id(const uint8_t id[16], struct arena *a)
{
    char hex[33];
    bool any = false;
    for (size_t i = 0; i < 16; i++) {
        str_format(hex + 2 * i, 33 - 2 * i, "%02x", id[i]);
        any = any || id[i];
    }
    return any ? arena_strdup(a, hex) : NULL;
}

#define IS_SIZE(sizes) (v->dimensions > 0 && v->sizes[0] > 0)

#define RECORD(X)                                                                                  \
    X(JSON, configuration, (v->configuration_json), "{}", "its parameters")                        \
    X(TEXT, status, (status_text(v->result->status)), "",                                          \
      "correct, compile, runtime, timeout, correctness or constraints")                            \
    X(BOOL, verified, (result_is_verified(v->result)), "",                                         \
      "compared with a reference, and correct")                                                    \
    X(TEXT, verification, (verification_text(v->result->verification)), "", "how it was verified") \
    X(EACH, outputs, (output_fields, result_emit_outputs, v->result), "", "")                      \
    X(F64, median_ns, (RECORD_TIME(record_is_statistic(v, "median"), median)), "ns",               \
      "null: not timed")                                                                           \
    X(TEXT, imported, (v->result->stop == STOP_IMPORTED ? v->result->statistic : NULL), "",        \
      "what the time of a recording is: mean")                                                     \
    X(PAIR, interval_ns, (v->timed && v->stats.interval, v->stats.low, v->stats.high), "ns",       \
      "of 95 % for the median; null below six samples")                                            \
    X(U64S, samples_ns,                                                                            \
      (true, v->result->samples_ns,                                                                \
       v->result->status == STATUS_CORRECT ? v->result->sample_count : 0),                         \
      "ns", "of the ranking, a round each, where it is one")                                       \
    X(TEXT, time_basis, (basis_of(v)), "", "ranked: interleaved with others; screened: alone")     \
    X(TEXT, stopped, (v->result->stop == STOP_NONE ? NULL : stop_text(v->result->stop)), "",       \
      "settled, hopeless, limit, fixed, ranked, compared, replayed; null: not timed")              \
    X(U64, batch, (v->result->batch ? v->result->batch : 1), "", "launches of a sample")           \
    X(U64, warmups, (v->result->warmups), "", "untimed launches before a sample")                  \
    X(BOOL, warm, (v->result->warm), "", "inputs in the cache")                                    \
    X(TEXT, clock, (result_by_host(v->result) ? "host" : "device"), "", "that timed it")           \
    X(TEXT, clock_fault, (result_by_host(v->result) ? v->result->timer_fault : NULL), "",          \
      "why it was not the device's")                                                               \
    X(BOOL, reused, (v->result->reused), "", "known from the store")                               \
    X(TEXT, origin, (v->result->origin), "", "the other store or recording that it comes from")    \
    X(TEXT, message, (v->result->message), "", "why it failed")                                    \
    X(TEXT, fault, (fault_text(v->result->fault)), "", "spec, type: the spec is wrong there")      \
    X(PUT, metrics, (emit_metrics, v), "{}", "the spec's, at the median")                          \
    X(BOOL, is_default, (v->is_default), "", "")                                                   \
    X(JSON, same_as, (v->same_as ? v->same_as->configuration_json : NULL), "{}",                   \
      "the identical configuration that was measured instead")                                     \
    X(TEXT, same_code_as, (result_is_shared(v->result) ? v->result->same_as : NULL), "",           \
      "whose result this is: both were built to the same code")                                    \
    X(U64S, global_size, (IS_SIZE(global), v->global, v->dimensions), "", "of the first launch")   \
    X(U64S, local_size, (IS_SIZE(local), v->local, v->dimensions), "", "")                         \
    X(KNOWN, limit_ns, (v->result->status == STATUS_TIMEOUT, v->result->limit_ns), "ns",           \
      "that it exceeded")                                                                          \
    X(TEXT, ranking, (record_ranking_id(v->result->ranking, a)), "", "the same for all in it")     \
    X(KNOWN, place, (v->ranked, record_place(v)), "", "1: the winner, and all that are tied")      \
    X(BOOL, tied, (v->ranked && v->rank.tied), "", "with the winner")                              \
    X(BOOL, chosen, (v->ranked && c->chosen == v), "", "of those tied")                            \
    X(F64, ratio, (v->ranked ? v->rank.ratio : NAN), "", "its time by the winner's")               \
    X(PAIR, ratio_interval,                                                                        \
      (v->ranked && v->rank.ratio_interval, v->rank.ratio_low, v->rank.ratio_high), "",            \
      "holds for all finalists together")                                                          \
    X(RECORD, times_ns, (result_times_fields, v->result), "", "where its time went")               \
    X(RECORD, gpu, (result_gpu_fields, v->result->gpu.known ? &v->result->gpu : NULL), "", "")     \
    X(RECORD, energy,                                                                              \
      (result_energy_fields, result_has_energy(v->result) ? &v->result->energy : NULL), "",        \
      "null: not asked for")                                                                       \
    X(RECORD, counters, (result_counters_fields, v->result->counters), "",                         \
      "what one launch does; null: not asked for")
FIELDS_SHARED(record_fields, struct tune_record, struct record_frame, RECORD)
