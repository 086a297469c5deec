// Slower than a baseline or not: the interval of the ratio of passes, held against the threshold.
#include "stats/regression.h"

#include <math.h>

const char *regression_text(enum regression_verdict v)
{
    static const char *const texts[] = {REGRESSION_VERDICTS(LIST_TEXT)};
    return texts[v];
}

void regression_judge(const uint64_t *now, size_t now_count, const uint64_t *before,
                      size_t before_count, const struct regression_terms *terms,
                      struct regression *out)
{
    double level = 1 - (1 - terms->level) / (double)(terms->tests > 0 ? terms->tests : 1);
    double threshold = 1 + terms->loss;
    differ_ratio(now, now_count, before, before_count, level, terms->resolution_ns, &out->ratio);
    const struct stats_ratio *r = &out->ratio;
    out->verdict = REGRESSION_UNDECIDED;
    if (!r->interval || isnan(r->ratio))
        return;
    if (r->low > threshold)
        out->verdict = REGRESSION_LOSS;
    else if (r->high <= threshold)
        out->verdict = r->high < 1 ? REGRESSION_GAIN : REGRESSION_OK;
}

bool regression_goes_on(const struct regression *r)
{
    return r->verdict == REGRESSION_LOSS || r->verdict == REGRESSION_UNDECIDED;
}
