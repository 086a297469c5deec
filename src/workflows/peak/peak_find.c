// Finds a device's limits in the store.
#include "workflows/peak/peak.h"

#include "stats/stats.h"
#include "workflows/peak/peak_inside.h"

#include <string.h>

struct finding {
    struct arena *arena;
    struct peak *out;
    uint32_t seen[PEAK_COUNT]; // measurements of each limit
    bool failed;
};

// "limit=fp32, work=123".
static bool read_peak_constants(const char *text, enum peak_limit *limit, uint64_t *work)
{
    static const char first[] = "limit=", second[] = ", work=";
    char name[32];
    const char *end = strstr(text, second);
    if (!str_starts(text, first) || !end)
        return false;
    str_format(name, sizeof name, "%.*s", (int)(end - text - (ptrdiff_t)strlen(first)),
               text + strlen(first));
    return peak_limit_parse(name, limit) && str_to_u64(end + strlen(second), work) && *work > 0;
}

bool peak_rate_of(const struct result *r, uint64_t work, uint64_t timer_ns, struct peak_rate *out)
{
    struct stats_summary s;
    const uint64_t *samples;
    uint32_t count;
    if (!result_samples(r, &samples, &count) || count == 0)
        return false;
    stats_summarise(samples, count, timer_ns / (r->batch ? r->batch : 1), &s);
    if (!(s.low > 0))
        return false;
    *out = (struct peak_rate){.known = true,
                              .median = (double)work * 1e9 / s.median,
                              .low = (double)work * 1e9 / s.high,
                              .high = (double)work * 1e9 / s.low,
                              .interval = s.interval,
                              .rounds = count};
    return true;
}

static bool has_seen_enough(const struct finding *f)
{
    for (unsigned i = 0; i < PEAK_COUNT; i++) {
        if (f->seen[i] < PEAK_RECENT)
            return false;
    }
    return true;
}

// Rows come newest first; of equal rates the newest stays.
static bool take_peak_row(void *context, const struct store_row *row)
{
    struct finding *f = context;
    enum peak_limit limit;
    uint64_t work;
    struct peak_rate rate;
    if (!read_peak_constants(row->constants, &limit, &work) || f->seen[limit] >= PEAK_RECENT ||
        !peak_rate_of(row->result, work, 0, &rate))
        return true;
    f->seen[limit]++;
    if (f->out->rates[limit].known && rate.median <= f->out->rates[limit].median)
        return !has_seen_enough(f);
    rate.configuration = arena_strdup(f->arena, row->configuration);
    rate.date = arena_strdup(f->arena, row->date);
    f->failed |= !rate.configuration || !rate.date;
    f->out->rates[limit] = rate;
    return !f->failed && !has_seen_enough(f);
}

bool peak_find_of(struct store *s, const struct digest *identity, struct arena *a, struct peak *out,
                  struct error *e)
{
    struct finding f = {.arena = a, .out = out};
    const struct store_query query = {
        .spec_name = PEAK_SPEC, .device_identity = identity, .correct_only = true, .today = true};
    memset(out, 0, sizeof *out);
    return store_each(s, &query, take_peak_row, &f, e) && (!f.failed || error_memory(e));
}

bool peak_find(struct store *s, const struct device_info *d, struct arena *a, struct peak *out,
               struct error *e)
{
    struct digest identity;
    device_info_digest(d, &identity);
    return peak_find_of(s, &identity, a, out, e);
}
