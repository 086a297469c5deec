// Judges a candidate: by its verified launches, or by its times beside the baseline's.
#include "extras/judge/judging_inside.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// A result that is so many times less exact than the baseline's own, and beyond what rounding explains, is of a
// lower precision.
#define ERROR_FACTOR 10
#define ERROR_LEAST  64 // units of rounding of the type
#define ERROR_SUMS   4  // times the root of a sum's length: rounding walks at random

const char *judge_verdict_text(enum judge_verdict v)
{
    static const char *const texts[] = {
#define X(name, text, meaning) [JUDGE_##name] = (text),
        JUDGE_VERDICTS(X)
#undef X
    };
    return v < JUDGE_VERDICT_COUNT ? texts[v] : "?";
}

void contestant_fail(struct judging *j, struct contestant *c, enum judge_verdict verdict,
                     const char *at, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *kept = arena_strdup(&j->arena, text);
    c->record.verdict = verdict;
    c->record.evidence = kept ? kept : "";
    c->record.at = at && at[0] ? at : NULL;
    c->record.timed = false;
    c->over = true;
}

static enum judge_verdict verdict_of(const struct result *r)
{
    static const enum judge_verdict verdicts[STATUS_COUNT] = {
        [STATUS_COMPILE] = JUDGE_COMPILE,     [STATUS_RUNTIME] = JUDGE_RUNTIME,
        [STATUS_TIMEOUT] = JUDGE_TIMEOUT,     [STATUS_CORRECTNESS] = JUDGE_INCORRECT,
        [STATUS_CONSTRAINTS] = JUDGE_RUNTIME,
    };
    if (r->fault == FAULT_SPEC || r->fault == FAULT_TYPE)
        return JUDGE_INVALID;
    return strstr(r->message, "changed read-only") ? JUDGE_CHEATS : verdicts[r->status];
}

static void fail_by_result(struct judging *j, struct contestant *c, const struct point *p,
                           const struct result *r)
{
    if (r->log[0])
        c->record.log = arena_strdup(&j->arena, r->log);
    c->record.log = c->record.log ? c->record.log : "";
    enum judge_verdict verdict = verdict_of(r);
    bool killed = verdict == JUDGE_RUNTIME && j->killed;
    contestant_fail(j, c, verdict, p->label, "%s", killed ? j->killed : r->message);
}

// ---- precision ---------------------------------------------------------------------------------

static double rounding_unit(const struct job *job, const char *name)
{
    for (uint32_t i = 0; i < job->buffer_count; i++) {
        const struct job_buffer *b = &job->buffers[i];
        if (!str_equal(b->name, name))
            continue;
        return scalar_rounding(b->element.scalar);
    }
    return 0;
}

// The relative norm of the baseline's error in the output; NaN: not known.
static double baseline_error(const struct point *p, const char *name)
{
    const struct result *r = p->attempt.result;
    for (uint32_t i = 0; r && i < r->deviation_count; i++) {
        if (r->deviations[i].compared && str_equal(r->deviations[i].name, name))
            return r->deviations[i].norm;
    }
    return NAN;
}

// The largest relative norm that an output's error may have: the spec's, else by the baseline's and the type, of a matrix product
// also by the length of its sums. INFINITY: it is not judged.
static double precision_limit(const struct point *p, const char *name)
{
    const struct job_reference *r = &p->model->reference;
    const double given = spec_precision(p->attempt.spec, name);
    const double unit = rounding_unit(p->model, name);
    const double sums = r->kind == REFERENCE_GEMM ? ERROR_SUMS * sqrt((double)r->gemm.k) : 0;
    const double error = baseline_error(p, name);
    if (given > 0)
        return given;
    return unit > 0 && isfinite(error) ? fmax(ERROR_FACTOR * error, fmax(ERROR_LEAST, sums) * unit)
                                       : INFINITY;
}

// The first output that is much less exact than the baseline's. A reference that is another kernel's output has its
// rounding too, and says nothing of whose error it is.
static const struct deviation *find_imprecise(const struct point *p, const struct result *r)
{
    if (p->model->reference.kind == REFERENCE_JOB || p->model->reference.kind == REFERENCE_DATA)
        return NULL;
    for (uint32_t i = 0; i < r->deviation_count; i++) {
        const struct deviation *d = &r->deviations[i];
        if (d->compared && d->norm > precision_limit(p, d->name))
            return d;
    }
    return NULL;
}

static void note_error(struct contestant *c, const struct point *p, const struct result *r)
{
    for (uint32_t i = 0; i < r->deviation_count; i++) {
        const struct deviation *d = &r->deviations[i];
        if (d->compared && !(c->record.error >= d->norm)) {
            c->record.error = d->norm;
            c->record.baseline_error = baseline_error(p, d->name);
        }
    }
}

// ---- by the verified launches ------------------------------------------------------------------

bool contestant_fails(struct judging *j, struct contestant *c)
{
    for (uint32_t i = 0; i < j->point_count && !c->over; i++) {
        const struct point *p = &j->points[i];
        const struct result *r = c->attempts[i].result;
        if (!r)
            continue;
        const struct deviation *d = r->status == STATUS_CORRECT ? find_imprecise(p, r) : NULL;
        note_error(c, p, r);
        if (r->status != STATUS_CORRECT)
            fail_by_result(j, c, p, r);
        else if (r->verification == VERIFICATION_NONE)
            contestant_fail(j, c, JUDGE_INCORRECT, p->label,
                            "the check shows nothing of its result");
        else if (d)
            contestant_fail(
                j, c, JUDGE_INCORRECT, p->label,
                "%s is less exact than its type: relative norm of the error %.2g (limit "
                "%.2g), the baseline's %.2g",
                d->name, d->norm, precision_limit(p, d->name), baseline_error(p, d->name));
    }
    return c->over;
}

// ---- by times ----------------------------------------------------------------------------------

static double median_of(const struct finalist *f)
{
    return stats_median(f->samples, f->count);
}

// By its times, so that it is no neighbour's doing.
static bool keeps_results(const struct result *r)
{
    return r->status == STATUS_CORRECTNESS && strstr(r->message, "keeps results");
}

void contestant_fail_in_rounds(struct judging *j, struct contestant *c, const struct point *p,
                               const struct result *r)
{
    c->may_be_victim = r->status == STATUS_CORRECTNESS && !keeps_results(r) && j->hosted > 1 &&
                       judging_shares_process(j);
    if (r->status == STATUS_CORRECTNESS)
        contestant_fail(
            j, c, JUDGE_CHEATS, p->label,
            "right when it was verified, wrong when it was timed or on other inputs: %s",
            r->message);
    else
        fail_by_result(j, c, p, r);
}

// A kernel that keeps results fails every time.
bool finalist_is_doubtful(const struct finalist *f)
{
    return f->failure && keeps_results(f->failure);
}

static double width_of(const struct stats_ratio *r)
{
    return r->interval ? log(r->high / r->low) / 2 : INFINITY;
}

// Its times beside the baseline's in the same rounds. Where launches are disturbed so often that this says little, the undisturbed
// ones of both are compared; the interval then holds what all of them say, too, so that a kernel is not faster that is so now and then.
static void compare_times(const struct judging *j, const struct finalist *own, double level,
                          struct stats_ratio *out)
{
    const struct finalist *base = &j->finalists[0];
    const uint32_t batch = own->batch ? own->batch : 1;
    const size_t count = base->count < own->count ? base->count : own->count;
    const uint64_t resolution_ns = j->o.setup.at.device->timer_ns / batch;
    struct stats_ratio some;
    stats_paired_ratio(base->samples, own->samples, count, level, resolution_ns, out);
    if (width_of(out) <= JUDGE_WIDE)
        return;
    stats_undisturbed_ratio(base->samples, own->samples, count, level, resolution_ns, &some);
    some.low = fmin(some.low, out->ratio);
    some.high = fmax(some.high, out->ratio);
    if (width_of(&some) < width_of(out))
        *out = some;
}

double finalist_width(const struct judging *j, const struct finalist *own)
{
    struct stats_ratio seen;
    compare_times(j, own, j->level, &seen);
    return width_of(&seen);
}

void contestant_time(struct judging *j, struct contestant *c, const struct finalist *own)
{
    const struct point *p = &j->points[j->timing];
    const struct finalist *base = &j->finalists[0];
    struct judge_time *t = &c->record.times[j->timing];
    struct stats_ratio seen;
    if (own->failure) {
        contestant_fail_in_rounds(j, c, p, own->failure);
        return;
    }
    t->timed = base->count > 0 && own->count > 0;
    t->baseline_ns = median_of(base);
    t->candidate_ns = median_of(own);
    judge_floor(j->o.setup.at.device, p->model, j->o.memory_rate, &t->floor);
    compare_times(j, own, j->level, &t->speedup);
    const bool is_wide = finalist_width(j, own) > JUDGE_WIDE;
    compare_times(j, own, is_wide ? fmin(j->level, JUDGE_SCREENING) : j->level, &seen);
    t->low = seen.interval ? seen.low : 0;
    const double least = judge_floor_that_decides(j->o.setup.at.device, &t->floor, t->baseline_ns);
    if (t->timed && t->candidate_ns < least)
        contestant_fail(
            j, c, JUDGE_IMPOSSIBLE, p->label,
            "it takes %.3g ns, and the device cannot write its output in less than %.3g ns (%s)",
            t->candidate_ns, least,
            least > t->floor.sure_ns ? "by the measured peak of its memory" : "by its clock");
}

void judge_floor(const struct device_info *d, const struct job *job, double rate,
                 struct judge_floor *out)
{
    const double bytes_a_ns =
        (double)d->compute_units * d->clock_mhz * JUDGE_CLOCK_MOST * JUDGE_CYCLE_BYTES / 1e3;
    const uint64_t all = d->all_cache_bytes, cache = all > d->cache_bytes ? all : d->cache_bytes;
    double bytes = 0;
    for (uint32_t i = 0; i < job->buffer_count; i++) {
        const struct job_buffer *b = &job->buffers[i];
        if (b->output)
            bytes += (double)buffer_region(b).count * element_bytes(&b->element);
    }
    const double beyond = cache > 0 ? bytes - (double)cache : 0; // may not stay in a cache
    const double by_peak = rate > 0 ? beyond * 1e9 / (rate * JUDGE_PEAK_MARGIN) : 0;
    out->sure_ns = bytes_a_ns > 0 ? bytes / bytes_a_ns : 0;
    out->is_by_peak = by_peak > out->sure_ns;
    out->ns = out->is_by_peak ? by_peak : out->sure_ns;
}

double judge_floor_that_decides(const struct device_info *d, const struct judge_floor *f,
                                double baseline_ns)
{
    return d->type == DEVICE_CPU || baseline_ns < f->ns ? f->sure_ns : f->ns;
}

// False: it does not even seem faster.
static bool sum_up_times(struct judge_record *r, double alike)
{
    double ratio = 0, low = 0, high = 0, least = 0;
    r->timed = true;
    r->speedup.interval = true;
    for (uint32_t i = 0; i < r->time_count; i++) {
        const struct judge_time *t = &r->times[i];
        r->timed = r->timed && t->timed;
        r->speedup.interval = r->speedup.interval && t->speedup.interval;
        ratio += log(t->speedup.ratio);
        low += log(t->speedup.low);
        high += log(t->speedup.high);
        least += log(t->low);
    }
    r->speedup.ratio = exp(ratio / r->time_count);
    r->speedup.low = exp(low / r->time_count);
    r->speedup.high = exp(high / r->time_count);
    return exp(least / r->time_count) > alike;
}

// Names the hidden sizes at which it was not verified. Is there such a size, and none at which it was?
static bool note_unverified(struct judging *j, struct contestant *c)
{
    struct text words = TEXT_INIT;
    bool verified = false;
    for (uint32_t i = j->timed_count; i < j->point_count; i++) {
        const struct point *p = &j->points[i];
        if (!p->used || p->inputs != POINT_OTHER)
            continue;
        if (c->attempts[i].excused)
            text_addf(&words, "%s%s", words.length ? ", " : "", p->label);
        verified = verified || !c->attempts[i].excused;
    }
    const bool nowhere = words.length > 0 && !verified;
    c->record.unverified = words.length ? text_to_arena(&words, &j->arena) : NULL;
    return nowhere;
}

void contestant_cap_score(struct contestant *c)
{
    c->record.speedup.low = fmin(c->record.speedup.low, 1);
}

void contestant_decide(struct judging *j, struct contestant *c)
{
    struct judge_record *r = &c->record;
    const bool was_faster = c->is_finalist;
    const bool seems_faster = sum_up_times(r, j->rules.alike);
    r->evidence =
        c->was_doubted ? "right alone; wrong beside others: perhaps changed by one of them" : "";
    r->is_final = j->is_final;
    bool faster =
        j->is_final ? r->speedup.interval && r->speedup.low > j->rules.alike : seems_faster;
    const bool is_unknown = note_unverified(j, c);
    if (faster && is_unknown)
        r->evidence = "it seems faster, but its values hold at no hidden size";
    faster = faster && !is_unknown;
    if (is_unknown)
        contestant_cap_score(c);
    r->verdict = faster                                                        ? JUDGE_FASTER
                 : r->speedup.interval && r->speedup.high < 1 / j->rules.alike ? JUDGE_SLOWER
                                                                               : JUDGE_SAME;
    c->is_finalist = faster && !j->is_final;
    c->over = !c->is_finalist;
    if (was_faster && !faster)
        r->evidence = "it seemed faster at first, and not when it was measured again";
}
