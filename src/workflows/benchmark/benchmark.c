// A bench: pass after pass, each in comparisons of at most COMPARE_SIDES sides: a configuration, and beside it the baseline's
// code of it. A pass begins with `cursor` at the
// first configuration and ends behind the last; the first stage ends with the last of the first passes, the second, where
// there is one, measures those that go on. Then all are judged and handed out.
#include "workflows/benchmark/benchmark.h"

#include "os/process.h"

#include <math.h>
#include <string.h>

// The results of a point so far.
struct lane {
    struct baseline_pass *passes;
    struct baseline_pass *before; // of the baseline's code, in the same rounds
    uint32_t count;
    struct result *failure;
    const char
        *why_sessions; // the baseline's code cannot be launched; NULL: it is, or there is none
    bool beside;       // it is
    bool rests;        // it takes part in no further pass
};

struct benchmark {
    struct workflow w;
    struct benchmark_options o;
    struct arena arena;
    struct lane *lanes;
    struct benchmark_record *records;
    uint32_t judged, handed_out; // records
    uint32_t pass, passes;       // the present one, from 0; of this stage and those before
    bool is_second;              // stage
    uint32_t cursor;             // the first point that is not in a comparison of this pass yet
    uint32_t group
        [COMPARE_SIDES]; // the points of its sides; twice in a row: of the baseline's code next
    struct compare_side sides[COMPARE_SIDES];
    const char *choices[COMPARE_SIDES];
    uint32_t group_count;
    uint64_t done, planned;
};

static const struct workflow_operations benchmark_operations;

static bool make_lane(struct benchmark *b, const struct benchmark_point *p, struct lane *l)
{
    struct error e = ERROR_INIT;
    size_t most = 2 * (size_t)b->o.passes;
    l->passes = arena_array(&b->arena, most, sizeof *l->passes);
    l->before = arena_array(&b->arena, most, sizeof *l->before);
    if (p->before && p->before->code.count > 0 && !b->o.times_alone) {
        l->beside = spec_choice(p->spec, p->before->configuration, &b->arena, &e);
        l->why_sessions = l->beside ? NULL : arena_strdup(&b->arena, e.text);
    }
    return l->passes && l->before;
}

struct benchmark *benchmark_new(const struct benchmark_options *o, struct error *e)
{
    struct benchmark *b = workflow_new(sizeof *b, &benchmark_operations, e);
    if (!b)
        return NULL;
    arena_init(&b->arena);
    b->o = *o;
    b->o.passes = o->passes ? o->passes : BENCH_PASSES;
    b->o.rounds = o->rounds ? o->rounds : BENCH_ROUNDS;
    b->passes = o->compares ? b->o.passes : 2 * b->o.passes;
    b->planned = (uint64_t)b->passes * o->point_count;
    b->lanes = arena_array(&b->arena, o->point_count, sizeof *b->lanes);
    b->records = arena_array(&b->arena, o->point_count, sizeof *b->records);
    bool ok = b->lanes && b->records;
    for (uint32_t i = 0; ok && i < o->point_count; i++) {
        b->records[i].point = i;
        ok = make_lane(b, &o->points[i], &b->lanes[i]);
    }
    if (ok)
        return b;
    error_memory(e);
    benchmark_free(b);
    return NULL;
}

static void release_benchmark(void *workflow)
{
    struct benchmark *b = workflow;
    for (uint32_t i = 0; b->lanes && i < b->o.point_count; i++)
        result_free(b->lanes[i].failure);
    arena_release(&b->arena);
}

// ---- a pass ------------------------------------------------------------------------------------

static void add_side(struct benchmark *b, uint32_t point, const char *configuration,
                     const struct job_code *code)
{
    const struct benchmark_point *p = &b->o.points[point];
    b->group[b->group_count] = point;
    b->choices[b->group_count] = configuration;
    b->sides[b->group_count++] = (struct compare_side){.label = p->label,
                                                       .spec = p->spec,
                                                       .device = b->o.setup.at.device,
                                                       .name = p->spec->name,
                                                       .code = code};
}

// The next points of this pass that are still measured; false: there are none.
static bool gather_group(struct benchmark *b)
{
    b->group_count = 0;
    for (; b->cursor < b->o.point_count; b->cursor++) {
        const struct benchmark_point *p = &b->o.points[b->cursor];
        const struct lane *l = &b->lanes[b->cursor];
        if (l->rests)
            continue;
        if (b->group_count + 1u + l->beside > COMPARE_SIDES)
            break;
        add_side(b, b->cursor, p->configuration, NULL);
        if (l->beside)
            add_side(b, b->cursor, p->before->configuration, &p->before->code);
    }
    return b->group_count > 0;
}

static bool start_group(struct benchmark *b, struct error *e)
{
    struct compare_options o = {.setup = setup_for_paired(&b->o.setup),
                                .sides = b->sides,
                                .side_count = b->group_count,
                                .choices = b->choices,
                                .rounds = b->o.rounds};
    o.setup.seed += b->pass;
    b->w.inner = compare_new(&o, e);
    return b->w.inner != NULL;
}

static bool copy_pass(struct benchmark *b, const struct result *r, struct baseline_pass *out)
{
    uint64_t *samples = arena_copy(&b->arena, r->samples_ns, r->sample_count * sizeof *samples);
    *out = (struct baseline_pass){.samples_ns = samples,
                                  .count = r->sample_count,
                                  .mhz = r->gpu.known ? r->gpu.mhz_after : r->machine.mhz,
                                  .celsius = r->gpu.known ? r->gpu.celsius : 0,
                                  .load = machine_load(),
                                  .moment = "",
                                  .milliwatts = r->gpu.known ? r->gpu.milliwatts : 0};
    for (uint32_t i = 0; samples && i < r->sample_count; i++)
        samples[i] += samples[i] == 0; // shorter than the timer tells
    return samples != NULL;
}

// The pass of the baseline's code; or why there is none, after which sessions are compared.
static bool take_before(struct benchmark *b, struct lane *l, const struct compare_entry *n)
{
    if (n->timed)
        return copy_pass(b, n->result, &l->before[l->count]);
    l->beside = false;
    l->why_sessions = arena_printf(&b->arena, "%s: %s",
                                   n->result ? status_text(n->result->status) : "not measured",
                                   n->result ? n->result->message : "");
    return l->why_sessions != NULL;
}

// The samples of a pass and the state of the machine; or the reason of a failure, after which nothing more is launched.
static bool take_side(struct benchmark *b, struct lane *l, const struct compare_entry *n)
{
    const struct result *r = n->result;
    if (!n->timed) {
        l->rests = true;
        l->failure = r ? result_clone(r) : NULL;
        return l->failure != NULL;
    }
    return copy_pass(b, r, &l->passes[l->count++]);
}

static enum workflow_answer step_group(struct benchmark *b, int timeout_ms, struct error *e)
{
    const struct compare_record *record;
    enum workflow_answer answer = compare_step(b->w.inner, timeout_ms, &record, e);
    if (answer == WORKFLOW_RECORD && !b->w.cancelled) { // a pass that was broken off is none
        for (uint32_t i = 0; i < b->group_count; i++) {
            struct lane *l = &b->lanes[b->group[i]];
            if (b->sides[i].code)
                continue;
            bool is_beside = i + 1 < b->group_count && b->sides[i + 1].code;
            if ((is_beside && !take_before(b, l, &record->entries[i + 1])) ||
                !take_side(b, l, &record->entries[i]))
                return error_memory(e), WORKFLOW_BROKEN;
            b->done++;
        }
    } else if (answer == WORKFLOW_END) {
        workflow_end_inner(&b->w);
    }
    return answer == WORKFLOW_BROKEN ? answer : WORKFLOW_NOTHING;
}

// ---- judging -----------------------------------------------------------------------------------

static size_t count_held(const struct benchmark *b)
{
    size_t count = 0;
    for (uint32_t i = 0; i < b->o.point_count; i++)
        count += b->o.points[i].before != NULL;
    return count;
}

// Cores and load together, of a device that the machine's other work slows.
static bool is_other_load(const struct benchmark *b, const struct baseline_row *before,
                          uint32_t load)
{
    const struct device_info *d = b->o.setup.at.device;
    const double cores = 100.0 * process_cores();
    double least = INFINITY, most = 0;
    for (uint32_t i = 0; i < before->pass_count; i++) {
        if (before->passes[i].load == 0)
            continue;
        least = fmin(least, before->passes[i].load + cores);
        most = fmax(most, before->passes[i].load + cores);
    }
    return (d->type == DEVICE_CPU || d->shares_host) && load > 0 && most > 0 &&
           (load + cores > BENCH_OTHER_LOAD * most || load + cores < least / BENCH_OTHER_LOAD);
}

static bool is_other_clock(uint32_t then, uint32_t now)
{
    return then > 0 && now > 0 && fabs((double)now - then) > BENCH_OTHER_CLOCK * then;
}

static bool judge_against(struct benchmark *b, const struct baseline_row *before, size_t tests,
                          const struct regression_moment *now, struct benchmark_record *n)
{
    size_t count;
    const struct regression_moment *then = baseline_moments(before, &b->arena, &count);
    uint64_t *all = arena_array(&b->arena, (size_t)before->pass_count + 1, sizeof *all);
    if (!then || !all)
        return false;
    n->judged = true;
    n->before = baseline_state_of(before->passes, before->pass_count);
    n->is_other_state =
        is_other_load(b, before, n->now.load) || is_other_clock(n->before.mhz, n->now.mhz);
    const struct regression_terms terms = {.loss = b->o.loss,
                                           .level = b->o.setup.terms.rules.level,
                                           .tests = tests,
                                           .resolution_ns = 1, // of passes, over batches
                                           .is_other_state = n->is_other_state};
    const struct lane *l = &b->lanes[n->point];
    const struct baseline_row beside = {.passes = l->before, .pass_count = l->count};
    n->beside = l->beside ? l->before : NULL;
    n->why_sessions = l->why_sessions;
    if (l->beside) {
        const struct regression_moment *its = baseline_moments(&beside, &b->arena, &count);
        if (!its)
            return false;
        regression_judge_paired(now->ns, its->ns, l->count, &terms, &n->regression);
    } else
        regression_judge(now, then, count, &terms, &n->regression);
    n->before_ns = n->stats.median / n->regression.ratio.ratio;
    return true;
}

// By the passes that have ended so far.
static bool judge_point(struct benchmark *b, uint32_t point, size_t tests)
{
    struct lane *l = &b->lanes[point];
    struct benchmark_record *n = &b->records[point];
    const struct baseline_row now = {.passes = l->passes, .pass_count = l->count};
    const struct baseline_row *before = b->o.points[point].before;
    size_t one;
    const struct regression_moment *moment = baseline_moments(&now, &b->arena, &one);
    *n = (struct benchmark_record){
        .point = point, .passes = l->passes, .pass_count = l->count, .failure = l->failure};
    if (!moment)
        return false;
    n->now = baseline_state_of(l->passes, l->count);
    if (l->count > 0)
        stats_summarise(moment->ns, l->count, b->o.setup.at.device->timer_ns, &n->stats);
    return !before || l->count == 0 || l->failure || judge_against(b, before, tests, moment, n);
}

// After a pass; of the points that it measured.
static bool judge_points(struct benchmark *b)
{
    size_t tests = count_held(b);
    for (uint32_t i = 0; i < b->o.point_count; i++) {
        const struct benchmark_record *n = &b->records[i];
        bool is_new = n->pass_count != b->lanes[i].count || n->failure != b->lanes[i].failure;
        if (is_new && !judge_point(b, i, tests))
            return false;
    }
    return true;
}

// After a stage: a second one for those of which a loss cannot be excluded. *again: there is one.
static bool end_stage(struct benchmark *b, bool *again)
{
    *again = false;
    if (!judge_points(b))
        return false;
    for (uint32_t i = 0; i < b->o.point_count; i++) {
        struct lane *l = &b->lanes[i];
        l->rests =
            l->rests || !b->records[i].judged || !regression_goes_on(&b->records[i].regression);
        *again = *again || !l->rests;
        b->planned += l->rests || b->is_second ? 0 : b->o.passes;
    }
    *again = *again && b->o.compares && !b->is_second && !b->w.cancelled;
    if (*again) {
        b->is_second = true;
        b->passes += b->o.passes;
    } else {
        b->judged = b->o.point_count;
        b->planned = b->done;
        b->passes = b->w.cancelled ? b->pass : b->passes;
    }
    return true;
}

// ---- steps -------------------------------------------------------------------------------------

static enum workflow_answer step_benchmark(void *workflow, int timeout_ms, const void **record,
                                           struct error *e)
{
    struct benchmark *b = workflow;
    bool again;
    if (b->w.inner)
        return step_group(b, timeout_ms, e);
    if (b->judged > 0 && b->handed_out == b->judged)
        return WORKFLOW_END;
    if (b->judged > 0) {
        *record = &b->records[b->handed_out++];
        return WORKFLOW_RECORD;
    }
    if (!b->w.cancelled && gather_group(b))
        return start_group(b, e) ? WORKFLOW_NOTHING : WORKFLOW_BROKEN;
    b->cursor = 0;
    if (!b->w.cancelled && ++b->pass < b->passes)
        return judge_points(b) ? WORKFLOW_NOTHING : (error_memory(e), WORKFLOW_BROKEN);
    return end_stage(b, &again) ? WORKFLOW_NOTHING : (error_memory(e), WORKFLOW_BROKEN);
}

static const struct workflow_operations benchmark_operations = {.step = step_benchmark,
                                                                .release = release_benchmark};

// ---- views -------------------------------------------------------------------------------------

void benchmark_progress(struct benchmark *b, struct benchmark_progress *out)
{
    memset(out, 0, sizeof *out);
    workflow_progress(&b->w, b->planned, b->done, &out->common);
    out->pass = b->pass < b->passes ? b->pass + 1 : b->passes;
    out->passes = b->passes;
    out->again = b->is_second;
    if (b->w.inner)
        compare_progress(b->w.inner, &out->compare);
}

const struct benchmark_record *benchmark_records(const struct benchmark *b, uint32_t *count)
{
    *count = b->done > 0 ? b->o.point_count : 0;
    return b->records;
}
