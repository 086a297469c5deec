// The record of a tune, field by field.
#pragma once

#include "base/fields.h"
#include "model/device_peak.h"
#include "workflows/tune/tune.h"

// The context in which a record of a tune is shown.
struct record_frame {
    const struct spec *spec; // of its metrics; NULL: they are not known
    const struct device_info *device;
    const struct tune_record *chosen;   // (or NULL) what is recommended of those tied
    const struct record_origin *origin; // (optional) of what came from the store
    const struct peak *peak;            // (optional) what the device can do at most
};

// The table of a struct tune_record, within a struct record_frame.
extern const struct fields record_fields;
// The identity of a ranking in 32 digits; NULL if it is all zeros.
const char *record_ranking_id(const uint8_t id[16], struct arena *a);
// The statistic of a record's times; NaN where it is not known: not timed, or others recorded another one.
#define RECORD_TIME(known, time) (v->timed && (known) ? v->stats.time : NAN)
bool record_is_statistic(const struct tune_record *v, const char *statistic);

// Metric `i` of a record; false where it has no value.
static inline bool record_metric(const struct tune_record *r, size_t i, double *value)
{
    *value = r->metrics ? r->metrics[i] : 0;
    return r->metrics && *value == *value;
}

// Its place in the ranking: 1 is the winner and all that are tied with it, 0 not ranked.
static inline size_t record_place(const struct tune_record *r)
{
    return !r->ranked ? 0 : r->rank.tied ? 1 : r->rank.place + 1;
}
