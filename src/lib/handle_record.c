// Records of the public interface: what became of one configuration, read from the workflow's
// record, or from one that handle_store.c made of a stored row.
#include "lib/handle.h"

#include <math.h>

_Static_assert((int)HONE_CONSTRAINTS + 1 == (int)STATUS_COUNT, "statuses");

enum hone_status hone_record_status(const struct hone_record *r)
{
    return (enum hone_status)record_of(r)->result->status;
}

const char *hone_status_text(enum hone_status status)
{
    return status_text((enum status)status);
}

const char *hone_record_message(const struct hone_record *r)
{
    return record_of(r)->result->message;
}

const char *hone_record_log(const struct hone_record *r)
{
    return record_of(r)->result->log;
}

const char *hone_record_output(const struct hone_record *r)
{
    return record_of(r)->result->output;
}

const char *hone_record_configuration(const struct hone_record *r)
{
    return record_of(r)->configuration;
}

const char *hone_record_json(const struct hone_record *r)
{
    return record_of(r)->configuration_json;
}

const uint32_t *hone_record_choice(const struct hone_record *r)
{
    return record_of(r)->choice;
}

uint64_t hone_record_index(const struct hone_record *r)
{
    return record_of(r)->index;
}

bool hone_record_verified(const struct hone_record *r)
{
    return result_is_verified(record_of(r)->result);
}

bool hone_record_reused(const struct hone_record *r)
{
    return record_of(r)->result->reused || record_of(r)->same_as;
}

bool hone_record_median(const struct hone_record *r, double *median_ns)
{
    if (!record_of(r)->timed)
        return false;
    *median_ns = record_of(r)->stats.median;
    return true;
}

bool hone_record_interval(const struct hone_record *r, double *low_ns, double *high_ns)
{
    const struct tune_record *record = record_of(r);
    if (!record->timed || !record->stats.interval)
        return false;
    *low_ns = record->stats.low;
    *high_ns = record->stats.high;
    return true;
}

bool hone_record_ratio(const struct hone_record *r, double *ratio, double *low, double *high)
{
    const struct tune_record *record = record_of(r);
    if (!record->ranked)
        return false;
    *ratio = record->rank.ratio;
    if (low)
        *low = record->rank.ratio_low;
    if (high)
        *high = record->rank.ratio_high;
    return true;
}

bool hone_record_tied(const struct hone_record *r)
{
    return record_of(r)->ranked && record_of(r)->rank.tied;
}

size_t hone_record_samples(const struct hone_record *r, const uint64_t **samples_ns)
{
    uint32_t count = 0;
    *samples_ns = NULL;
    return result_samples(record_of(r)->result, samples_ns, &count) ? count : 0;
}

bool hone_record_metric(const struct hone_record *r, size_t metric, double *value)
{
    const struct tune_record *record = record_of(r);
    if (!record->metrics || metric >= record->metric_count || isnan(record->metrics[metric]))
        return false;
    *value = record->metrics[metric];
    return true;
}

bool hone_record_objective(const struct hone_record *r, size_t objective, double *value)
{
    const struct tune_record *record = record_of(r);
    if (!record->values || objective >= record->value_count)
        return false;
    *value = record->values[objective];
    return true;
}

bool hone_record_pareto(const struct hone_record *r)
{
    return record_of(r)->pareto;
}

bool hone_record_resources(const struct hone_record *r, size_t launch, struct hone_resources *out)
{
    const struct result *result = record_of(r)->result;
    if (launch >= result->resource_count)
        return false;
    const struct resources *x = &result->resources[launch];
#define X(name, unit, meaning) .name = x->name,
    const struct hone_resources full = {RESULT_RESOURCES(X)};
#undef X
    give_sized(&full, sizeof full, out);
    return true;
}

bool hone_record_gpu(const struct hone_record *r, struct hone_gpu *out)
{
    const struct gpu_snapshot *g = &record_of(r)->result->gpu;
#define X(name) .name = g->name,
    const struct hone_gpu full = {GPU_NUMBERS(X)};
#undef X
    give_sized(&full, sizeof full, out);
    return g->known;
}

void hone_record_times(const struct hone_record *r, struct hone_times *out)
{
    const struct result *t = record_of(r)->result;
#define X(name, meaning) .name##_ns = t->name##_ns,
    const struct hone_times full = {RESULT_TIMES(X)};
#undef X
    give_sized(&full, sizeof full, out);
}

bool hone_record_deviation(const struct hone_record *r, size_t output, struct hone_deviation *out)
{
    const struct result *result = record_of(r)->result;
    if (output >= result->deviation_count)
        return false;
    const struct deviation *d = &result->deviations[output];
#define X(type, number) .number = d->number,
    const struct hone_deviation full = {.name = d->name, .is_right = d->ok, DEVIATION_NUMBERS(X)};
#undef X
    give_sized(&full, sizeof full, out);
    return true;
}
