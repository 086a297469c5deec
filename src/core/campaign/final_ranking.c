// How a final ranking runs. Finalists are launched in interleaved rounds, because a device's clock
// drifts by more than many kernels differ: within a round all see the same machine, and the ratios
// of times within rounds are compared.
//
// It is a machine of phases (advance_phase()), each of which asks the evaluator for a batch of
// turns and goes on when all of them are answered. stats/rounds.h, which knows neither clock nor
// device, decides what the next round launches, whether a round counts (it is run again if others
// used the cores, or if the reference, which is launched once more at the front of each round, was
// slow) and which finalists have left because they are clearly slower. A finalist that fails in a
// turn is not launched again; a device on which only this finalist fails is excluded from the
// ranking. The late finalist, a default that is many times slower, would make every round many times
// longer: it is launched in a few rounds of its own with the winner so far, and its ratio to that
// is carried over to the others' scale.
//
// A decision is a function of samples, rules and seed alone, so that final_ranking_again() plays
// stored samples through the same machine and decides the same.
#include "campaign/final_ranking.h"

#include "os/process.h"
#include "base/text.h"
#include "stats/differ.h"
#include "stats/speedup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A share of the cores' time is counted in ticks of 10 ms: a shorter span tells nothing.
#define LOAD_SPAN_NS 100000000ull
// Launches of the fastest by each device that is not known to be as fast as the others: as many as
// take about so long together.
#define TRIAL_MOST  9
#define TRIAL_LEAST 5
#define TRIAL_NS    500000000.0
// Rounds that follow each other within this are one span.
#define LOAD_GAP_NS 50000000ull

enum phase { PHASE_READY, PHASE_TRIAL, PHASE_ROUNDS, PHASE_LATE, PHASE_CHECK, PHASE_OVER };

// One turn that was asked for.
struct asked {
    size_t finalist;
    uint32_t lane;
    bool answered, lost;   // lost: with its device
    bool is_timed;         // it launches
    bool counts;           // its finalist was still in when the round was recorded
    struct result *result; // of one that is answered
};

struct final_ranking {
    struct final_ranking_options o;
    struct measure_rules rules; // in force: o.rules
    struct rounds *rounds;
    enum phase phase;
    // The turns of the present round, in order; for each lane one more than there are finalists.
    struct asked *asked;
    size_t asked_count, answered;
    uint64_t *times;         // of the round
    uint32_t lanes;          // devices that were there at the start
    uint32_t round_lanes;    // of them those that run the present round
    bool *by_host;           // of each: the host's clock times its launches
    uint32_t *failures;      // of each finalist: devices on which it failed
    uint32_t *lane_of_round; // of those that count
    bool is_shared;       // the round that runs, or the next one, is shared out among the devices
    size_t shared_turns;  // of such a round, without those of the reference around it
    uint64_t ready_lanes; // on which all that are still in are ready, by bits
    size_t ready_everywhere;              // the reference, when the others were made ready
    bool is_tried;                        // the trial is over
    struct machine_snapshot anchor, last; // of the span whose load is counted
    double load;                          // of the last such span; -1: not known
    struct final_ranking_status status;
    uint64_t started_ns, round_started_ns, round_ns; // a round without waiting for the device
    uint64_t round_locked_ns;                        // so long others had had it when it began
    size_t partner;       // of the late one: the winner before it was launched
    uint32_t late_rounds; // how many it has
};

// ---- making ------------------------------------------------------------------------------------

struct measure_rules final_ranking_rules(const struct measure_rules *rules, bool is_short)
{
    struct measure_rules r = *rules;
    if (is_short) {
        r.rounds = rounds_at_look(rules, 1);
        r.looks = 1;
    }
    return r;
}

struct rounds *finalists_rounds(const struct finalist *c, size_t count,
                                const struct measure_rules *rules, uint32_t lanes,
                                struct rounds_seeds seeds, uint64_t resolution_ns)
{
    uint64_t *screening = calloc(count + 1, sizeof *screening);
    for (size_t i = 0; screening && i < count; i++)
        screening[i] = c[i].estimate_ns;
    struct rounds *r =
        screening ? rounds_new(rules, screening, count, lanes, seeds, resolution_ns) : NULL;
    free(screening);
    return r;
}

static struct rounds *new_rounds(const struct final_ranking *s)
{
    struct rounds *r = finalists_rounds(s->o.finalists, s->o.count, &s->rules, s->lanes, s->o.seeds,
                                        s->o.device->timer_ns / s->status.batch);
    for (size_t i = 0; r && i < s->o.count; i++)
        rounds_know_first(r, i, s->o.finalists[i].first_ns);
    return r;
}

struct final_ranking *final_ranking_new(const struct final_ranking_options *o, struct error *e)
{
    struct final_ranking *s = alloc_zeroed(sizeof *s, e);
    if (!s)
        return NULL;
    s->o = *o;
    s->rules = final_ranking_rules(o->rules, o->is_short);
    s->o.rules = &s->rules;
    s->load = -1;
    s->started_ns = clock_ns();
    uint64_t fastest = o->finalists[0].estimate_ns;
    for (size_t i = 1; i < o->count; i++)
        fastest = o->finalists[i].estimate_ns < fastest ? o->finalists[i].estimate_ns : fastest;
    s->status = (struct final_ranking_status){
        .finalists = (uint32_t)o->count,
        .in = (uint32_t)o->count,
        .batch = measure_batch(o->rules, fastest, o->device->timer_ns),
        .warmups =
            !policy_is_long(o->device, fastest) && (o->cold_ns == 0 || fastest < o->cold_ns)};
    s->lanes = o->place_count ? o->place_count : 1;
    s->rounds = new_rounds(s);
    s->asked = calloc((o->count + 2) * s->lanes, sizeof *s->asked);
    s->lane_of_round = calloc((size_t)s->rules.rounds + s->lanes + 1, sizeof *s->lane_of_round);
    s->times = calloc(o->count + 1, sizeof *s->times);
    s->by_host = calloc(s->lanes, sizeof *s->by_host);
    s->failures = calloc(o->count + 1, sizeof *s->failures);
    for (size_t i = 0; i < o->count + o->has_late; i++) {
        o->finalists[i].batch = s->status.batch;
        o->finalists[i].warmups = s->status.warmups;
    }
    s->is_shared = o->shares_first && s->lanes > 1 && o->count > 1;
    if (s->rounds && s->asked && s->times && s->lane_of_round && s->by_host && s->failures)
        return s;
    final_ranking_free(s);
    return error_no_memory(e);
}

static void forget_turns(struct final_ranking *s)
{
    for (size_t i = 0; s->asked && i < s->asked_count; i++) {
        result_free(s->asked[i].result);
        s->asked[i].result = NULL;
    }
    s->asked_count = s->answered = 0;
}

void final_ranking_free(struct final_ranking *s)
{
    if (!s)
        return;
    if (s->phase == PHASE_TRIAL || s->phase == PHASE_ROUNDS || s->phase == PHASE_LATE)
        evaluator_hold(s->o.evaluator, false);
    forget_turns(s);
    rounds_free(s->rounds);
    free(s->asked);
    free(s->times);
    free(s->lane_of_round);
    free(s->by_host);
    free(s->failures);
    free(s);
}

bool finalist_give(const struct finalist *c, enum stop_reason stop, struct result *r)
{
    size_t rows = c->count, parts = rows * c->columns;
    r->samples_ns = arena_copy(&r->arena, c->samples, rows * sizeof *c->samples);
    r->sample_count = c->count;
    r->part_columns = c->columns;
    r->part_count = (uint32_t)parts;
    r->parts_ns = parts ? arena_copy(&r->arena, c->parts, parts * sizeof *c->parts) : NULL;
    r->warm = c->warm;
    r->machine = c->machine;
    r->gpu = c->gpu;
    r->stop = stop;
    r->first_round = c->first_round;
    r->timer_fault = arena_strdup(&r->arena, c->timer_fault);
    r->batch = c->batch ? c->batch : r->batch;
    return r->timer_fault && r->samples_ns && (r->parts_ns || !parts);
}

void finalists_release(struct finalist *c, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(c[i].samples);
        free(c[i].parts);
        result_free(c[i].failure);
        result_free(c[i].checked);
        c[i].samples = c[i].parts = NULL;
        c[i].failure = c[i].checked = NULL;
    }
}

// ---- turns -------------------------------------------------------------------------------------

static uint32_t place_of(const struct final_ranking *s, uint32_t lane)
{
    return s->o.place_count ? s->o.places[lane].place : 0;
}

static bool is_lost(const struct final_ranking *s, uint32_t lane)
{
    return s->o.place_count && s->o.places[lane].lost;
}

static uint32_t lanes_left(const struct final_ranking *s)
{
    uint32_t left = 0;
    for (uint32_t lane = 0; lane < s->lanes; lane++)
        left += !is_lost(s, lane);
    return left;
}

// The device of all that is not done by each: the first that is left. s->lanes: none is.
static uint32_t home_lane(const struct final_ranking *s)
{
    uint32_t lane = 0;
    while (lane < s->lanes && is_lost(s, lane))
        lane++;
    return lane;
}

static bool ask_turn(struct final_ranking *s, size_t finalist, uint32_t lane,
                     const struct turn *turn, struct error *e)
{
    struct turn there = *turn;
    if (lane >= s->lanes)
        return error_set(e, ERROR_DEVICE, "no device is left for the ranking");
    there.place = place_of(s, lane);
    s->asked[s->asked_count++] =
        (struct asked){.finalist = finalist, .lane = lane, .is_timed = turn->launches > 0};
    return evaluator_again(s->o.evaluator, s->o.finalists[finalist].ticket, &there, e);
}

// The turn that an outcome answers: those of one finalist on one device are answered in order.
static struct asked *asked_of(struct final_ranking *s, const struct outcome *out)
{
    for (size_t i = 0; i < s->asked_count; i++) {
        struct asked *a = &s->asked[i];
        if (!a->answered && s->o.finalists[a->finalist].ticket == out->ticket &&
            place_of(s, a->lane) == out->place)
            return a;
    }
    return NULL;
}

static void count_turn_launches(struct final_ranking *s, size_t finalist, const struct result *r)
{
    bool in_turn = s->phase == PHASE_TRIAL || s->phase == PHASE_ROUNDS || s->phase == PHASE_LATE;
    const struct finalist *c = &s->o.finalists[finalist];
    uint64_t each = in_turn ? c->warmups + c->batch : 1;
    s->status.launches += (r->verify_launch_ns > 0) + each * r->sample_count + r->energy.launches;
    s->status.kernel_ns += r->verify_launch_ns + r->energy.span_ns;
    for (uint32_t i = 0; i < r->sample_count; i++)
        s->status.kernel_ns += each * r->samples_ns[i];
}

// 1 when all are answered, 0 when the time was up before, -1 when nothing can go on.
static int wait_for_turns(struct final_ranking *s, uint64_t until, struct error *e)
{
    while (s->answered < s->asked_count) {
        uint64_t now = clock_ns();
        struct outcome out;
        int timeout = now < until ? (int)((until - now) / 1000000) + 1 : 0;
        int got = evaluator_take(s->o.evaluator, timeout, &out, e);
        if (got <= 0)
            return got;
        struct asked *a = asked_of(s, &out);
        if (a) {
            a->result = out.result;
            a->answered = true;
            a->lost = out.lost;
            s->answered++;
            if (out.lost)
                s->o.places[a->lane].lost = true;
            else
                count_turn_launches(s, a->finalist, out.result);
        } else if (s->o.late) { // of the search, or of what comes after this
            s->o.late(s->o.context, &out);
        } else {
            result_free(out.result);
        }
    }
    return 1;
}

// ---- getting ready, and the last check ---------------------------------------------------------

// Where a finalist runs its part of a round that is shared out: on the device that screened it.
static uint32_t lane_of(const struct final_ranking *s, size_t finalist)
{
    for (uint32_t lane = 0; lane < s->lanes; lane++) {
        if (!is_lost(s, lane) && place_of(s, lane) == s->o.finalists[finalist].place)
            return lane;
    }
    return home_lane(s);
}

static const struct turn ready_turn = {.batch = 1};

// All but the late one, of which a launch is long: where it is not loaded its first turn sees to
// that, and to its being verified. Where a round is shared out each only where it is launched, and the
// reference everywhere.
static bool make_all_ready(struct final_ranking *s, struct error *e)
{
    bool ok = true;
    s->ready_everywhere = rounds_account(s->rounds).reference;
    s->ready_lanes = s->is_shared ? 0 : UINT64_MAX;
    for (uint32_t lane = 0; lane < s->lanes; lane++) {
        for (size_t i = 0; ok && i < s->o.count; i++) {
            bool is_here = !s->is_shared || i == s->ready_everywhere || lane_of(s, i) == lane;
            ok = s->o.finalists[i].failure || !is_here || ask_turn(s, i, lane, &ready_turn, e);
        }
    }
    return ok;
}

// After a round that was shared out: who is still in and is not ready there. *asked: there is somebody.
static bool make_lane_ready(struct final_ranking *s, uint32_t lane, bool *asked, struct error *e)
{
    bool ok = true;
    *asked = false;
    for (size_t i = 0; ok && i < s->o.count && !(s->ready_lanes >> lane & 1); i++) {
        if (rounds_standing(s->rounds, i) != ROUNDS_IN || i == s->ready_everywhere ||
            lane_of(s, i) == lane)
            continue;
        *asked = true;
        ok = ask_turn(s, i, lane, &ready_turn, e);
    }
    s->ready_lanes |= UINT64_C(1) << lane;
    return ok;
}

// ---- what fails --------------------------------------------------------------------------------

// The finalist's latest answer from this device, or NULL; a failure takes precedence.
static struct asked *answer_of(const struct final_ranking *s, size_t finalist, uint32_t lane)
{
    struct asked *found = NULL;
    for (size_t i = 0; i < s->asked_count; i++) {
        struct asked *a = &s->asked[i];
        if (a->finalist == finalist && a->lane == lane && a->result &&
            (!found || a->result->status != STATUS_CORRECT))
            found = a;
    }
    return found;
}

static bool has_failed_turn(const struct asked *a)
{
    return a && a->result->status != STATUS_CORRECT;
}

static bool is_correct_elsewhere(const struct final_ranking *s, size_t finalist, uint32_t than)
{
    for (uint32_t lane = 0; lane < s->lanes; lane++) {
        const struct asked *a = answer_of(s, finalist, lane);
        if (lane != than && !is_lost(s, lane) && a && !has_failed_turn(a))
            return true;
    }
    return false;
}

static void leave_lane_out(struct final_ranking *s, const struct asked *a)
{
    struct ranked_place *p = &s->o.places[a->lane];
    if (p->lost)
        return;
    p->lost = true;
    str_format(p->why, sizeof p->why, "what is correct elsewhere fails there: %s",
               a->result->message ? a->result->message : "");
}

// A device on which most of the finalists fail, two at least, that are correct elsewhere tells
// nothing of any: the answer that shows it, or NULL.
static const struct asked *look_for_sickness(const struct final_ranking *s, uint32_t lane)
{
    const struct asked *shown = NULL;
    size_t asked = 0, failed = 0;
    for (size_t i = 0; i < s->o.count + s->o.has_late && !is_lost(s, lane); i++) {
        const struct asked *a = answer_of(s, i, lane);
        asked += a != NULL;
        if (!has_failed_turn(a) || !is_correct_elsewhere(s, i, lane))
            continue;
        shown = shown ? shown : a;
        failed++;
    }
    return failed > 1 && 2 * failed > asked ? shown : NULL;
}

// A finalist that failed has no more turns.
static void drop_finalist(struct final_ranking *s, struct asked *a)
{
    s->o.finalists[a->finalist].failure = a->result;
    a->result = NULL;
    if (a->finalist < s->o.count)
        rounds_drop(s->rounds, a->finalist);
}

// A finalist that fails on one of several devices, and is correct on another, says that the device
// is not as the others are; on a second one, or on all that are left, it is the finalist. One with
// which a device was lost altogether failed there, too.
static void judge_finalist(struct final_ranking *s, size_t finalist)
{
    struct asked *last = NULL;
    bool is_right = false;
    for (uint32_t lane = 0; lane < s->lanes; lane++) {
        struct asked *a = answer_of(s, finalist, lane);
        if (!a || (is_lost(s, lane) && a->result->fault != FAULT_LOST))
            continue;
        is_right = is_right || !has_failed_turn(a);
        if (!has_failed_turn(a))
            continue;
        s->failures[finalist]++;
        last = a;
    }
    if (last && (s->failures[finalist] > 1 || !is_right))
        drop_finalist(s, last);
    else if (last)
        leave_lane_out(s, last);
}

static void judge_failures(struct final_ranking *s)
{
    bool any = false;
    for (size_t i = 0; i < s->asked_count && !any; i++)
        any = s->asked[i].result && s->asked[i].result->status != STATUS_CORRECT;
    for (uint32_t lane = 0; any && lane < s->lanes; lane++) {
        const struct asked *a = look_for_sickness(s, lane);
        if (a)
            leave_lane_out(s, a);
    }
    for (size_t i = 0; any && i < s->o.count + s->o.has_late; i++) {
        if (!s->o.finalists[i].failure)
            judge_finalist(s, i);
    }
}

// A failure on the only device that was asked is repeated on another one before it is judged.
// *more: a turn was asked for.
static bool ask_elsewhere(struct final_ranking *s, bool *more, struct error *e)
{
    bool ok = true;
    const struct turn turn = {.launches = s->phase == PHASE_CHECK,
                              .batch = 1,
                              .compare = s->phase == PHASE_CHECK,
                              .energy = s->phase == PHASE_CHECK && s->o.energy,
                              .counters = s->phase == PHASE_CHECK && s->o.counters};
    *more = false;
    for (size_t i = 0; ok && i < s->o.count + s->o.has_late; i++) {
        uint32_t answers = 0, other = s->lanes;
        bool failed = false;
        for (uint32_t lane = 0; lane < s->lanes && !s->o.finalists[i].failure; lane++) {
            const struct asked *a = answer_of(s, i, lane);
            answers += a != NULL;
            failed = failed || has_failed_turn(a);
            other = !a && !is_lost(s, lane) && other == s->lanes ? lane : other;
        }
        if (!failed || answers > 1 || s->failures[i] > 0 || other == s->lanes)
            continue;
        ok = ask_turn(s, i, other, &turn, e);
        *more = true;
    }
    return ok;
}

// ---- devices that were not compared yet --------------------------------------------------------

static size_t fastest_left(const struct final_ranking *s)
{
    size_t fastest = s->o.count;
    for (size_t i = 0; i < s->o.count; i++) {
        const struct finalist *c = &s->o.finalists[i];
        if (!c->failure &&
            (fastest == s->o.count || c->estimate_ns < s->o.finalists[fastest].estimate_ns))
            fastest = i;
    }
    return fastest;
}

// Each device launches the same finalist some times.
static bool start_trial(struct final_ranking *s, struct error *e)
{
    size_t fastest = fastest_left(s);
    double each = (double)s->o.finalists[fastest].estimate_ns * s->status.batch;
    struct turn turn = {.warmups = s->status.warmups,
                        .launches =
                            (uint32_t)fmax(fmin(TRIAL_NS / fmax(each, 1), TRIAL_MOST), TRIAL_LEAST),
                        .batch = s->status.batch};
    bool ok = true;
    s->phase = PHASE_TRIAL;
    forget_turns(s);
    evaluator_hold(s->o.evaluator, true);
    for (uint32_t lane = 0; ok && lane < s->lanes; lane++)
        ok = is_lost(s, lane) || ask_turn(s, fastest, lane, &turn, e);
    return ok;
}

// The devices that are too slow are left out.
static bool end_trial(struct final_ranking *s)
{
    struct differ_device *list = calloc(s->asked_count + 1, sizeof *list);
    evaluator_hold(s->o.evaluator, false);
    for (size_t i = 0; list && i < s->asked_count; i++) {
        const struct result *r = s->asked[i].result;
        if (r && !is_lost(s, s->asked[i].lane))
            list[i] = (struct differ_device){
                .samples = r->samples_ns, .count = r->sample_count, .by_host = result_by_host(r)};
    }
    bool ok = list && differ_devices(list, s->asked_count, s->o.rules->level, s->o.device->timer_ns,
                                     s->o.outlier);
    for (size_t i = 0; ok && i < s->asked_count; i++) {
        struct ranked_place *p = &s->o.places[s->asked[i].lane];
        if (list[i].count == 0)
            continue;
        p->compared = list[i].compared;
        p->ratio = list[i].ratio;
        p->lost = list[i].is_slow;
        if (p->lost)
            differ_outlier_text(&p->ratio, s->o.outlier, p->why, sizeof p->why);
    }
    free(list);
    return ok;
}

// ---- a round -----------------------------------------------------------------------------------

static uint64_t locked_so_far(const struct final_ranking *s)
{
    struct evaluator_status now;
    evaluator_status(s->o.evaluator, &now);
    return now.times.span_ns[SPAN_LOCKED];
}

static struct turn timed_turn(const struct final_ranking *s)
{
    return (struct turn){.warmups = s->status.warmups, .launches = 1, .batch = s->status.batch};
}

// The reference on each device but that of the round.
static bool ask_references(struct final_ranking *s, uint32_t home, struct error *e)
{
    const struct turn turn = timed_turn(s);
    bool ok = true;
    for (uint32_t lane = 0; ok && lane < s->lanes; lane++)
        ok = lane == home || is_lost(s, lane) ||
             ask_turn(s, rounds_account(s->rounds).reference, lane, &turn, e);
    return ok;
}

// The first round of several devices, in which most of the finalists leave, is shared out: it is a round of the
// device that screened the reference, and each of the others launches the finalists that it screened in
// its place, between two launches of the reference.
static bool start_shared_round(struct final_ranking *s, struct error *e)
{
    const struct turn turn = timed_turn(s);
    uint32_t home = lane_of(s, rounds_account(s->rounds).reference);
    size_t count = 0;
    const size_t *order = rounds_next(s->rounds, home, &count);
    bool ok = ask_references(s, home, e);
    s->shared_turns = count;
    for (size_t i = 0; ok && i < count; i++)
        ok = ask_turn(s, order[i], i ? lane_of(s, order[i]) : home, &turn, e);
    s->status.in = count ? (uint32_t)count - 1 : 0;
    return ok && ask_references(s, home, e);
}

static bool start_round(struct final_ranking *s, struct error *e)
{
    size_t count = 0;
    const struct turn turn = timed_turn(s);
    bool ok = true;
    forget_turns(s);
    s->round_started_ns = clock_ns();
    s->round_locked_ns = locked_so_far(s);
    s->status.round = s->status.rounds + 1;
    evaluator_hold(s->o.evaluator, true);
    if (home_lane(s) == s->lanes)
        return error_set(e, ERROR_DEVICE, "no device is left for the ranking");
    s->round_lanes = lanes_left(s);
    s->is_shared = s->is_shared && s->round_lanes > 1;
    if (s->is_shared)
        return start_shared_round(s, e);
    for (uint32_t lane = 0; ok && lane < s->lanes; lane++) {
        bool readies = false;
        if (is_lost(s, lane))
            continue;
        ok = make_lane_ready(s, lane, &readies, e);
        if (!ok || readies)
            continue; // others run a round meanwhile
        const size_t *order = rounds_next(s->rounds, lane, &count);
        for (size_t i = 0; ok && i < count; i++)
            ok = ask_turn(s, order[i], lane, &turn, e);
    }
    s->status.in = count ? (uint32_t)count - 1 : 0;
    return ok;
}

// The share of the cores that others used: in the span that ends with this round or, while that is
// too short to tell, in the span before. -1: not known, or it does not matter.
static double load_of_round(struct final_ranking *s)
{
    const struct machine_snapshot *first = NULL, *last = NULL;
    bool shares_cores = s->o.device->type == DEVICE_CPU || s->o.device->shares_host;
    for (size_t i = 0; i < s->asked_count; i++) {
        struct final_ranking_status *st = &s->status;
        if (!s->asked[i].result)
            continue;
        const struct machine_snapshot *snapshot = &s->asked[i].result->machine;
        uint32_t mhz = snapshot->mhz;
        if (mhz) {
            st->mhz_least = st->mhz_least && st->mhz_least < mhz ? st->mhz_least : mhz;
            st->mhz_most = st->mhz_most > mhz ? st->mhz_most : mhz;
        }
        if (!snapshot->cores)
            continue;
        first = first ? first : snapshot;
        last = snapshot;
    }
    if (!last || !shares_cores ||
        s->round_lanes > 1) // several: each other's launches are a load, too
        return -1;
    if (!s->anchor.cores || first->at_ns > s->last.at_ns + LOAD_GAP_NS) {
        s->anchor = *first;
        s->load = -1;
    }
    s->last = *last;
    if (last->at_ns < s->anchor.at_ns + LOAD_SPAN_NS)
        return s->load;
    double span = (double)(last->at_ns - s->anchor.at_ns) * last->cores;
    s->load = (double)(last->other_cpu_ns - s->anchor.other_cpu_ns) / span;
    s->anchor = *last;
    return s->load;
}

static bool append_samples(uint64_t **list, size_t count, const uint64_t *more, size_t more_count)
{
    uint64_t *grown = realloc(*list, (count + more_count) * sizeof *grown);
    if (!grown)
        return false;
    memcpy(grown + count, more, more_count * sizeof *grown);
    *list = grown;
    return true;
}

// Adds a turn's sample and machine state to the finalist.
static bool keep_turn(struct finalist *c, const struct result *r)
{
    if (c->failure || r->sample_count != 1)
        return true;
    if (!append_samples(&c->samples, c->count, r->samples_ns, 1))
        return false;
    if (r->batch > 0)
        c->batch = r->batch;
    if (c->count == 0) {
        c->columns = r->part_columns;
        c->warm = r->warm;
    }
    if (c->columns != r->part_columns)
        c->columns = 0; // parts are kept for all samples or for none
    if (c->columns &&
        !append_samples(&c->parts, (size_t)c->count * c->columns, r->parts_ns, c->columns))
        return false;
    c->warm = c->warm && r->warm;
    if (c->count == 0 || result_by_host(r)) // a fault of any device is kept
        str_format(c->timer_fault, sizeof c->timer_fault, "%s",
                   result_by_host(r) ? r->timer_fault : "");
    c->machine = r->machine;
    gpu_snapshot_join(&c->gpu, &r->gpu);
    c->count++;
    return true;
}

// The rounds so far were timed by a clock that has proved wrong: discard them.
static bool restart_rounds(struct final_ranking *s)
{
    for (size_t i = 0; i < s->o.count; i++)
        s->o.finalists[i].count = 0;
    struct rounds *fresh = new_rounds(s);
    if (!fresh)
        return false;
    rounds_free(s->rounds);
    s->rounds = fresh;
    for (size_t i = 0; i < s->o.count; i++) {
        if (s->o.finalists[i].failure)
            rounds_drop(fresh, i);
    }
    s->status.rounds = s->status.repeated = s->status.marked = 0;
    return true;
}

// Has the device switched to the host's clock in this round? In its first round only a mix of
// clocks counts. Each device has a clock of its own.
static bool lane_changed_clock(struct final_ranking *s, uint32_t lane)
{
    size_t by_host = 0, count = 0, before = 0;
    for (size_t i = 0; i < s->asked_count; i++) {
        const struct asked *a = &s->asked[i];
        bool is_here = a->lane == lane && a->is_timed && a->result;
        count += is_here;
        by_host += is_here && result_by_host(a->result);
    }
    for (uint32_t i = 0; i < s->status.rounds; i++)
        before += s->lane_of_round[i] == lane;
    bool changed = by_host > 0 && !s->by_host[lane] && (before > 0 || by_host < count);
    s->by_host[lane] = s->by_host[lane] || by_host > 0;
    return changed;
}

static bool clock_changed(struct final_ranking *s)
{
    bool changed = false;
    for (uint32_t lane = 0; lane < s->lanes; lane++)
        changed = (!is_lost(s, lane) && lane_changed_clock(s, lane)) || changed;
    return changed;
}

// Ends a lane's round, with these turns: does it count? The first turn is the reference's extra
// one.
static bool end_lane(struct final_ranking *s, uint32_t lane, struct asked *asked, size_t count,
                     double load)
{
    bool ok = true;
    if (is_lost(s, lane) || rounds_done(s->rounds)) {
        rounds_void(s->rounds, lane);
        return true;
    }
    for (size_t i = 0; i < count; i++)
        asked[i].counts = rounds_standing(s->rounds, asked[i].finalist) == ROUNDS_IN;
    enum rounds_verdict verdict = rounds_tell(s->rounds, lane, s->times, load);
    bool disturbed = verdict == ROUNDS_REPEATED || verdict == ROUNDS_MARKED;
    bool by_load = load > s->o.rules->load;
    s->status.repeated += verdict == ROUNDS_REPEATED;
    s->status.marked += verdict == ROUNDS_MARKED;
    s->status.by_load += disturbed && by_load;
    s->status.by_clock += disturbed && !by_load;
    if (verdict == ROUNDS_REPEATED || verdict == ROUNDS_BROKEN)
        return verdict == ROUNDS_REPEATED;
    for (size_t i = 1; ok && i < count; i++)
        ok = !asked[i].result || !asked[i].counts ||
             keep_turn(&s->o.finalists[asked[i].finalist], asked[i].result);
    s->status.rounds = rounds_account(s->rounds).kept;
    s->lane_of_round[s->status.rounds - 1] = lane;
    return ok;
}

static uint64_t sample_of(const struct asked *a)
{
    const struct result *r = a->result;
    return r && r->status == STATUS_CORRECT && r->sample_count ? r->samples_ns[0] : 0;
}

// How many times as long the device takes as that of the round, by its two launches of the reference and the
// two there; 0: one of them failed, or its own two say that it was disturbed between them.
static double pace_of_lane(const struct final_ranking *s, uint32_t lane, uint32_t home)
{
    const size_t reference = rounds_account(s->rounds).reference;
    double logs[2] = {0}, least = INFINITY, most = -INFINITY;
    size_t counts[2] = {0};
    for (size_t i = 0; i < s->asked_count; i++) {
        const struct asked *a = &s->asked[i];
        if (a->finalist != reference || (a->lane != lane && a->lane != home))
            continue;
        double log_ns = stats_log_ns(sample_of(a));
        if (sample_of(a) == 0)
            return 0;
        logs[a->lane == home] += log_ns;
        counts[a->lane == home]++;
        least = a->lane == lane ? fmin(least, log_ns) : least;
        most = a->lane == lane ? fmax(most, log_ns) : most;
    }
    return counts[0] && counts[1] && most - least <= log(s->o.rules->disturbed)
               ? exp(logs[0] / (double)counts[0] - logs[1] / (double)counts[1])
               : 0;
}

// Samples are in the time of the round's device from here on.
static void tell_at_pace(struct result *r, double pace)
{
    for (uint32_t i = 0; i < r->sample_count; i++)
        r->samples_ns[i] = (uint64_t)((double)r->samples_ns[i] / pace + 0.5);
    for (uint32_t i = 0; i < r->part_count; i++)
        r->parts_ns[i] = (uint64_t)((double)r->parts_ns[i] / pace + 0.5);
}

// The round that was shared out counts unless a device was lost with its part; each then runs all of it.
static bool end_shared_round(struct final_ranking *s, double load)
{
    const size_t count = s->shared_turns;
    struct asked *turns =
        s->asked + s->round_lanes - 1; // behind the first launches of the reference
    const uint32_t home = turns->lane;
    bool is_whole = lanes_left(s) == s->round_lanes;
    for (size_t i = 0; i < count && is_whole; i++) {
        double pace = turns[i].lane == home ? 1 : pace_of_lane(s, turns[i].lane, home);
        is_whole = pace > 0;
        if (is_whole && turns[i].lane != home && turns[i].result)
            tell_at_pace(turns[i].result, pace);
        s->times[i] = sample_of(&turns[i]);
    }
    bool ok = !is_whole || end_lane(s, home, turns, count, load);
    if (!is_whole)
        rounds_void(s->rounds, home);
    s->is_shared = is_whole && s->status.rounds == 0;
    return ok;
}

// All turns are answered. Rounds of several devices are recorded in the devices' order.
static bool end_round(struct final_ranking *s)
{
    double load = load_of_round(s);
    bool ok = true;
    evaluator_hold(s->o.evaluator, false);
    s->round_ns = (clock_ns() - s->round_started_ns) / s->round_lanes;
    uint64_t locked = locked_so_far(s) - s->round_locked_ns;
    s->round_ns -= locked < s->round_ns ? locked : s->round_ns;
    bool anew = clock_changed(s);
    if (s->is_shared && !anew)
        return end_shared_round(s, load);
    for (size_t i = 0, count; ok && i < s->asked_count && !anew; i += count) {
        struct asked *first = &s->asked[i];
        for (count = 0; i + count < s->asked_count && first[count].lane == first->lane &&
                        first[count].is_timed == first->is_timed;
             count++)
            s->times[count] = sample_of(&first[count]);
        ok = !first->is_timed || end_lane(s, first->lane, first, count, load);
    }
    return anew ? restart_rounds(s) : ok;
}

// ---- the whole ---------------------------------------------------------------------------------

uint32_t final_ranking_limit(const struct measure_rules *rules, size_t finalists, bool is_short)
{
    uint32_t limit = is_short ? rounds_at_look(rules, 1) : (uint32_t)rules->rounds;
    if (finalists == 1 && limit > FINAL_RANKING_ROUNDS_ALONE)
        limit = FINAL_RANKING_ROUNDS_ALONE;
    return limit < 1 ? 1 : limit;
}

// ---- the late one ------------------------------------------------------------------------------

// Pairs the late finalist with the current winner. It gets as many rounds as the ranking's time
// allows, none if these are too few for an interval.
static bool plan_late(struct final_ranking *s)
{
    struct ranking_entry *entries = calloc(s->o.count, sizeof *entries);
    struct finalist *late = &s->o.finalists[s->o.count];
    late->batch = measure_batch(s->o.rules, late->estimate_ns, s->o.device->timer_ns);
    late->warmups = !policy_is_long(s->o.device, late->estimate_ns);
    double share =
        (double)s->status.kernel_ns * FINAL_RANKING_LATE_SHARE / (1 - FINAL_RANKING_LATE_SHARE);
    double each = (double)late->estimate_ns * (late->warmups + late->batch);
    double least = SPEEDUP_ROUNDS * each <= fmax(share, FINAL_RANKING_LATE_NS) ? SPEEDUP_ROUNDS : 0;
    double rounds = fmin(share / fmax(each, 1), FINAL_RANKING_LATE_ROUNDS);
    s->late_rounds = (uint32_t)fmax(rounds, least);
    s->late_rounds = s->late_rounds < SPEEDUP_ROUNDS ? 0 : s->late_rounds;
    bool ok = entries && rounds_rank(s->rounds, entries, &s->partner);
    if (ok)
        late->first_round = s->o.finalists[s->partner].count;
    free(entries);
    return ok;
}

// Both are interleaved; the first one is second in the next round.
static bool start_late_round(struct final_ranking *s, struct error *e)
{
    uint32_t lane = home_lane(s);
    size_t late = s->o.count, first = s->o.finalists[late].count % 2 ? late : s->partner;
    bool ok = true;
    forget_turns(s);
    evaluator_hold(s->o.evaluator, true);
    for (int i = 0; ok && i < 2; i++) {
        size_t finalist = i == 0 ? first : late + s->partner - first;
        struct turn turn = {.warmups = s->o.finalists[finalist].warmups,
                            .launches = 1,
                            .batch = s->o.finalists[finalist].batch,
                            .compare = false};
        ok = ask_turn(s, finalist, lane, &turn, e);
    }
    return ok;
}

// A round counts if both have a sample. If its device was lost, it is run again on another.
static bool end_late_round(struct final_ranking *s)
{
    bool ok = true, is_whole = true;
    evaluator_hold(s->o.evaluator, false);
    for (size_t i = 0; i < s->asked_count; i++) {
        const struct result *r = s->asked[i].result;
        is_whole = is_whole && r && r->status == STATUS_CORRECT && r->sample_count == 1;
    }
    for (size_t i = 0; ok && is_whole && i < s->asked_count; i++)
        ok = keep_turn(&s->o.finalists[s->asked[i].finalist], s->asked[i].result);
    if (!is_whole && !is_lost(s, s->asked[0].lane))
        s->late_rounds = s->o.finalists[s->o.count].count;
    return ok;
}

void finalist_place_late(struct finalist *late, const struct finalist *partner, size_t behind,
                         const struct measure_rules *rules, uint64_t resolution_ns)
{
    struct stats_ratio pair;
    struct stats_summary own;
    late->placed = late->count > 0 && !late->failure && partner->placed &&
                   partner->count >= late->first_round + late->count;
    if (!late->placed)
        return;
    speedup_paired(late->samples, partner->samples + late->first_round, late->count, rules->level,
                   resolution_ns, &pair);
    stats_summarise(late->samples, late->count, resolution_ns, &own);
    double ratio = partner->entry.ratio;
    late->entry = (struct ranking_entry){.median = own.median,
                                         .low = own.low,
                                         .high = own.high,
                                         .interval = own.interval,
                                         .ratio = pair.ratio * ratio,
                                         .ratio_low = pair.low * ratio,
                                         .ratio_high = pair.high * ratio,
                                         .ratio_interval = pair.interval,
                                         .place = behind,
                                         .tied = pair.low * ratio <= rules->alike};
}

// A round's effect, beyond its finalists' own times: the median over them, in 2^-10 ns of the
// winner's time. 0 if no finalist shows it.
static uint64_t effect_of_round(const struct final_ranking *s, uint32_t round, double *logs)
{
    size_t n = 0;
    for (size_t i = 0; i < s->o.count; i++) {
        const struct finalist *c = &s->o.finalists[i];
        if (c->placed && c->count > round)
            logs[n++] = stats_log_ns(c->samples[round]) - log(c->entry.ratio);
    }
    return n ? (uint64_t)(exp(stats_median_of(logs, n)) * 1024) : 0;
}

// Each device against its siblings, through what its rounds took.
static bool compare_places(struct final_ranking *s)
{
    uint32_t rounds = s->status.rounds;
    uint64_t *own = calloc((size_t)rounds + 1, sizeof *own);
    uint64_t *others = calloc((size_t)rounds + 1, sizeof *others);
    uint64_t *effects = calloc((size_t)rounds + 1, sizeof *effects);
    double *logs = calloc(s->o.count + 1, sizeof *logs);
    bool ok = own && others && effects && logs;
    for (uint32_t i = 0; ok && i < rounds; i++)
        effects[i] = effect_of_round(s, i, logs);
    for (uint32_t lane = 0; ok && lane < s->o.place_count; lane++) {
        struct ranked_place *p = &s->o.places[lane];
        size_t mine = 0, theirs = 0;
        for (uint32_t i = 0; i < rounds; i++) {
            if (effects[i] && s->lane_of_round[i] == lane)
                own[mine++] = effects[i];
            else if (effects[i] && s->by_host[lane] == s->by_host[s->lane_of_round[i]])
                others[theirs++] = effects[i];
        }
        p->rounds = (uint32_t)mine;
        if (mine == 0 || theirs == 0)
            continue; // what the trial said holds
        p->compared = true;
        differ_ratio(own, mine, others, theirs, s->o.rules->level, 1, &p->ratio);
    }
    free(own);
    free(others);
    free(effects);
    free(logs);
    return ok;
}

static bool decide_ranking(struct final_ranking *s, struct error *e)
{
    size_t left = 0;
    struct finalist *c = s->o.finalists;
    struct ranking_entry *entries = calloc(s->o.count + 1, sizeof *entries);
    for (size_t i = 0; i < s->o.count; i++)
        left += !c[i].failure;
    if (entries && left > 0)
        s->status.decided = rounds_rank(s->rounds, entries, &s->status.winner);
    for (size_t i = 0; entries && s->status.decided && i < s->o.count; i++) {
        c[i].placed = !c[i].failure;
        c[i].entry = entries[i];
    }
    if (s->status.decided && s->o.has_late)
        finalist_place_late(&c[s->o.count], &c[s->partner], left, s->o.rules,
                            s->o.device->timer_ns / s->status.batch);
    bool ok = entries && (left == 0 || s->status.decided);
    ok = ok && (!s->status.decided || s->o.place_count == 0 || compare_places(s));
    free(entries);
    return ok || error_memory(e);
}

// Checks are shared out among the devices that are left.
static uint32_t lane_of_check(const struct final_ranking *s)
{
    uint32_t lane = home_lane(s), left = lanes_left(s);
    for (size_t skip = left ? s->asked_count % left : 0; skip > 0; skip -= !is_lost(s, lane))
        lane++;
    return lane;
}

// Asks for one more launch of each finalist that is to be compared again and was not yet. None is
// left: the ranking is over.
static bool start_check(struct final_ranking *s, struct error *e)
{
    struct turn turn = {.launches = 1,
                        .batch = 1,
                        .compare = true,
                        .energy = s->o.energy,
                        .counters = s->o.counters};
    struct ranking_entry *entries = calloc(s->o.count + 1, sizeof *entries);
    size_t winner;
    bool is_partial = s->o.checks_tied && !s->o.energy && !s->o.counters;
    bool ok = entries != NULL || error_memory(e);
    // Without a decision there is nothing to check: all have failed.
    bool is_decided = ok && rounds_rank(s->rounds, entries, &winner);
    s->phase = PHASE_CHECK;
    s->status.checking = true;
    forget_turns(s);
    // A default that is many times slower is counted, too: the advice compares the best with it. Not one without late rounds, which is
    // so slow that a launch limit of now might end it.
    size_t count =
        s->o.count + (s->o.counters && s->o.has_late && s->o.finalists[s->o.count].count > 0);
    for (size_t i = 0; ok && is_decided && i < count; i++) {
        const struct finalist *c = &s->o.finalists[i];
        bool is_wanted = !c->failure && !c->checked && (!is_partial || entries[i].tied);
        ok = !is_wanted || ask_turn(s, i, s->o.energy ? home_lane(s) : lane_of_check(s), &turn, e);
    }
    free(entries);
    if (!ok || s->asked_count > 0)
        return ok;
    s->phase = PHASE_OVER;
    return decide_ranking(s, e);
}

static bool next_late_round(struct final_ranking *s, struct error *e)
{
    const struct finalist *late = &s->o.finalists[s->o.count];
    bool over =
        late->count >= s->late_rounds || late->failure || s->o.finalists[s->partner].failure;
    return over ? start_check(s, e) : start_late_round(s, e);
}

// After the last round of all comes the late one, if there is any, and then the check.
static bool next_round(struct final_ranking *s, struct error *e)
{
    size_t left = 0;
    s->phase = PHASE_ROUNDS;
    if (s->status.rounds < final_ranking_limit(s->o.rules, s->o.count, s->o.is_short) &&
        !rounds_done(s->rounds))
        return start_round(s, e);
    for (size_t i = 0; i < s->o.count; i++)
        left += !s->o.finalists[i].failure;
    if (!s->o.has_late || s->o.finalists[s->o.count].failure || left == 0)
        return start_check(s, e);
    s->phase = PHASE_LATE;
    return plan_late(s) ? next_late_round(s, e) : error_memory(e);
}

// Starts what follows when all requested turns are answered.
static bool advance_phase(struct final_ranking *s, struct error *e)
{
    bool more;
    if (s->phase == PHASE_READY && s->asked_count == 0)
        return make_all_ready(s, e);
    if (!ask_elsewhere(s, &more, e) || more)
        return more;
    judge_failures(s);
    if (s->phase == PHASE_TRIAL && !end_trial(s))
        return error_memory(e);
    // If the trial's finalist failed, repeat the trial with the next fastest.
    if (s->phase == PHASE_TRIAL && !s->o.finalists[s->asked[0].finalist].failure)
        s->is_tried = true;
    bool is_early = s->phase == PHASE_READY || s->phase == PHASE_TRIAL;
    if (is_early && !s->is_tried && s->o.outlier > 0 && isfinite(s->o.outlier) &&
        lanes_left(s) > 1 && fastest_left(s) < s->o.count)
        return start_trial(s, e);
    if (is_early)
        return next_round(s, e);
    if (s->phase == PHASE_ROUNDS)
        return end_round(s) ? next_round(s, e) : error_memory(e);
    if (s->phase == PHASE_LATE)
        return end_late_round(s) ? next_late_round(s, e) : error_memory(e);
    for (size_t i = 0; i < s->asked_count; i++) { // keep the last results
        struct asked *a = &s->asked[i];
        struct finalist *c = &s->o.finalists[a->finalist];
        if (a->lost || !a->result || a->result->status != STATUS_CORRECT || c->failure)
            continue;
        result_free(c->checked);
        c->checked = a->result;
        a->result = NULL;
    }
    return start_check(s, e); // of what was lost with its device, and of those that now matter
}

enum workflow_answer final_ranking_step(struct final_ranking *s, int timeout_ms, struct error *e)
{
    uint64_t until = clock_ns() + (uint64_t)(timeout_ms > 0 ? timeout_ms : 0) * 1000000;
    do {
        int got = wait_for_turns(s, until, e);
        if (got < 0)
            return WORKFLOW_BROKEN;
        if (got == 0)
            return WORKFLOW_NOTHING;
        if (!advance_phase(s, e))
            return WORKFLOW_BROKEN;
    } while (s->phase != PHASE_OVER && clock_ns() < until);
    return s->phase == PHASE_OVER ? WORKFLOW_END : WORKFLOW_NOTHING;
}

void final_ranking_status(const struct final_ranking *s, struct final_ranking_status *out)
{
    *out = s->status;
    out->most = final_ranking_limit(s->o.rules, s->o.count, s->o.is_short);
    out->elapsed_ns = clock_ns() - s->started_ns;
    out->left_ns = s->round_ns * (out->most > out->rounds ? out->most - out->rounds : 0);
}
