// The tuner's own clock. Native code owns its worker: it can reach the clock there, the baseline beside it and the launches of
// which nothing is looked at. So a candidate that is to be called faster on a CPU is timed from outside once more: from the request
// for a block of launches, on inputs that are drawn for it and come with the request, until what they left is here, and it is right;
// in turn with the baseline, which runs in a worker in which no candidate ever was. Making inputs and handing out outputs are part
// of that, and take both the same; so the two differ by what their launches take.
//
// The time that the candidate's workers and all that they have started use while the baseline has its turn is counted.
//
// Between blocks there are single launches: a kernel that keeps the first result for the rest of a block takes as long for one as
// for all of them.
#include "extras/judge/judging_inside.h"

#include "extras/judge/judging_guard.h"

#include <math.h>
#include <stdlib.h>

#define BLOCK_NS   50000000.0 // the baseline's launches of a block take so long
#define BLOCK_MOST 5000
#define PAIRS      9 // between two looks
#define LOOKS      5
// Pairs that show less than half of the claimed gain: of all so far there are at most so many if the gain is there, and all but one in
// nine if there is none. Were each pair as likely to show it as not, the first would hold at some look in fewer than 6 of 100 trials.
static const uint32_t less_most[LOOKS] = {1, 4, 8, 11, 15};
// The share of the baseline's turns that the candidate's processes may use; they have nothing to do then.
#define BUSY_SHARE  0.2
#define BUSY_LEAST  50000000 // ns: a few ticks tell nothing
#define FIRST_TIMES 2 // a launch on new inputs takes so many times one of a block, in all pairs

// Turns come in fours: a block of each side, a single launch of each. The first four are on known inputs and count for nothing.
#define TURNS_OF(pairs) (4 * ((pairs) + 1))
#define PAIRS_MOST      (LOOKS * PAIRS)
enum { BASELINE, CANDIDATE };

struct clock_trial {
    struct evaluator *clean; // the baseline's own
    uint64_t ticket;         // in it
    bool is_ready;           // it is verified there
    uint32_t batch, asked, answered, looks;
    uint64_t took_ns[TURNS_OF(PAIRS_MOST) / 2][2]; // blocks and single launches in turn
    double baseline_ns, candidate_ns;              // of a launch, as their workers say
    struct guard_cores cores;                      // before the candidate's first turn
    struct guard_workers others;                   // all but the baseline's
    uint64_t used_ns;                              // by them, before the baseline's turn
    uint64_t busy_ns, turns_ns;                    // in the baseline's turns so far; these
};

bool clock_is_wanted(const struct judging *j, const struct contestant *c)
{
    return j->is_final && c->record.verdict == JUDGE_FASTER && judging_shares_process(j);
}

void clock_free(struct judging *j)
{
    if (j->clock && j->w.evaluator)
        evaluator_rest(j->w.evaluator, false);
    if (j->clock)
        evaluator_free(j->clock->clean);
    free(j->clock);
    j->clock = NULL;
}

bool clock_start(struct judging *j, const struct contestant *c, uint32_t point, struct error *e)
{
    const struct judge_time *t = &c->record.times[point];
    struct clock_trial *k = alloc_zeroed(sizeof *k, e);
    struct job *job;
    if (!k)
        return false;
    j->clock = k;
    k->baseline_ns = t->baseline_ns;
    k->candidate_ns = t->candidate_ns;
    k->batch = (uint32_t)fmin(fmax(BLOCK_NS / fmax(t->baseline_ns, 1), 1), BLOCK_MOST);
    guard_note_workers(&k->others);
    k->clean = judging_evaluator(j, 1, true, e);
    k->ticket = j->tickets++;
    return k->clean && attempt_job(j, &j->points[point], &j->points[point].attempt, &job, e) &&
           evaluator_submit(k->clean, k->ticket, job, e);
}

// ---- turns -------------------------------------------------------------------------------------

static int side_of(uint32_t turn)
{
    return (turn ^ turn / 4) & 1;
}

static bool ask_turn(struct judging *j, const struct contestant *c, uint32_t point, struct error *e)
{
    struct clock_trial *k = j->clock;
    const uint32_t i = k->asked++;
    if (i == 0)
        guard_note_cores(&k->cores);
    const struct turn turn = {
        .launches = 1, .batch = i / 2 % 2 == 0 ? k->batch : 1, .compare = i >= 4};
    // One worker is stopped while the other launches: a thread that a kernel has left there would disturb.
    evaluator_rest(j->w.evaluator, side_of(i) == BASELINE);
    evaluator_rest(k->clean, side_of(i) == CANDIDATE);
    k->used_ns = side_of(i) == BASELINE ? guard_used_ns(&k->others) : 0;
    return side_of(i) == CANDIDATE
               ? evaluator_again(j->w.evaluator, c->attempts[point].ticket, &turn, e)
               : evaluator_again(k->clean, k->ticket, &turn, e);
}

// ---- what it shows -----------------------------------------------------------------------------

// The gain of a launch, as a pair of blocks shows it.
static double block_gain(const struct clock_trial *k, uint32_t pair)
{
    const uint64_t *t = k->took_ns[2 * (pair + 1)];
    return ((double)t[BASELINE] - (double)t[CANDIDATE]) / k->batch;
}

// The candidate's one launch on new inputs: the baseline's, and what the two differ by.
static double first_launch(const struct clock_trial *k, uint32_t pair)
{
    const uint64_t *t = k->took_ns[2 * (pair + 1) + 1];
    return k->baseline_ns + (double)t[CANDIDATE] - (double)t[BASELINE];
}

// Looks at all pairs so far. False: it is doubtful, and there are to be more.
static bool judge_clock(struct judging *j, struct contestant *c, const struct point *p)
{
    struct clock_trial *k = j->clock;
    const double gain = k->baseline_ns - k->candidate_ns;
    const uint32_t pairs = PAIRS * (k->looks + 1);
    double gains[PAIRS_MOST], firsts[PAIRS_MOST];
    uint32_t less = 0, slow = 0;
    char seen[32], said[32];
    for (uint32_t i = 0; i < pairs; i++) {
        gains[i] = block_gain(k, i);
        firsts[i] = first_launch(k, i);
        less += gains[i] < gain / 2;
        slow += firsts[i] > FIRST_TIMES * k->candidate_ns && firsts[i] > k->candidate_ns + gain / 2;
    }
    duration_to_str(fmax(k->baseline_ns - stats_median_of(gains, pairs), 0), seen);
    duration_to_str(k->candidate_ns, said);
    if (k->busy_ns > BUSY_LEAST && (double)k->busy_ns > BUSY_SHARE * (double)k->turns_ns)
        contestant_fail(j, c, JUDGE_CHEATS, p->label,
                        "what it has started uses the processor while the baseline is timed: %.0f "
                        "ms of %.0f ms",
                        (double)k->busy_ns / 1e6, (double)k->turns_ns / 1e6);
    else if (less >= pairs - pairs / PAIRS)
        contestant_fail(j, c, JUDGE_CHEATS, p->label,
                        "by the tuner's clock its launches take %s, by its worker's %s", seen,
                        said);
    else if (slow == pairs && k->batch > 1) {
        duration_to_str(stats_median_of(firsts, pairs), seen);
        contestant_fail(j, c, JUDGE_CHEATS, p->label,
                        "by the tuner's clock a launch on new inputs takes %s, by its worker's one "
                        "of many on the same %s",
                        seen, said);
    } else if (less > less_most[k->looks]) {
        if (k->looks + 1 < LOOKS) {
            k->looks++;
            return false;
        }
        c->record.verdict = JUDGE_SAME;
        c->record.evidence = "faster by its worker's clock; the tuner's, which native code cannot "
                             "reach, does not tell: the machine is too busy";
        contestant_cap_score(c);
    }
    return true;
}

// False: the candidate failed, or (*e) the baseline did.
static bool take_turn(struct judging *j, struct contestant *c, const struct point *p,
                      const struct result *r, struct error *e)
{
    struct clock_trial *k = j->clock;
    const uint32_t i = k->answered++;
    k->took_ns[i / 2][side_of(i)] = r->request_ns;
    if (side_of(i) == BASELINE) {
        const uint64_t used = guard_used_ns(&k->others);
        k->busy_ns += used > k->used_ns ? used - k->used_ns : 0;
        k->turns_ns += r->request_ns;
    }
    if (r->status == STATUS_CORRECT) {
        const char *why = guard_kill_strays();
        if (!why && side_of(i) == BASELINE && guard_cores_changed(&k->cores))
            why = "it changes which cores other processes may use";
        if (why)
            contestant_fail(j, c, JUDGE_CHEATS, p->label, "%s", why);
        return !why;
    }
    if (side_of(i) == CANDIDATE)
        contestant_fail_in_rounds(j, c, p, r);
    else
        error_set(e, ERROR_DEVICE, "%s: the baseline failed while it was timed: %s",
                  j->o.setup.spec->path, r->message);
    return false;
}

// The outcome that is awaited; those of others on the way are handed on.
static int take_outcome(struct judging *j, const struct contestant *c, uint32_t point,
                        int timeout_ms, struct outcome *out, struct error *e)
{
    struct clock_trial *k = j->clock;
    if (!k->is_ready || side_of(k->answered) == BASELINE)
        return evaluator_take(k->clean, timeout_ms, out, e);
    int got = evaluator_take(j->w.evaluator, timeout_ms, out, e);
    if (got <= 0 || out->ticket == c->attempts[point].ticket)
        return got;
    judging_answer(j, out);
    return 0;
}

enum workflow_answer clock_step(struct judging *j, struct contestant *c, uint32_t point,
                                int timeout_ms, struct error *e)
{
    struct clock_trial *k = j->clock;
    const struct point *p = &j->points[point];
    struct outcome out;
    bool goes_on = true;
    if (k->is_ready && k->answered == TURNS_OF(PAIRS * (k->looks + 1)))
        return judge_clock(j, c, p) ? WORKFLOW_END : WORKFLOW_NOTHING;
    if (!k->is_ready)
        evaluator_rest(j->w.evaluator, true); // while the baseline is built
    if (k->is_ready && k->asked == k->answered && !ask_turn(j, c, point, e))
        return WORKFLOW_BROKEN;
    int got = take_outcome(j, c, point, timeout_ms, &out, e);
    if (got <= 0)
        return got < 0 ? WORKFLOW_BROKEN : WORKFLOW_NOTHING;
    if (k->is_ready)
        goes_on = take_turn(j, c, p, out.result, e);
    else if (!(k->is_ready = out.result->status == STATUS_CORRECT))
        goes_on = error_set(e, ERROR_DEVICE, "%s: the baseline failed in a worker of its own: %s",
                            j->o.setup.spec->path, out.result->message);
    result_free(out.result);
    return goes_on ? WORKFLOW_NOTHING : e->code ? WORKFLOW_BROKEN : WORKFLOW_END;
}
