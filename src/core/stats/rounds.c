// The rounds of a ranking as a state machine (rounds.h): draws the order of each round, tells a
// disturbed round by the reference's time and the machine's load, keeps the samples, and at each
// look spends its share of the error on a decision (ranking_decide()), after which those clearly slower
// leave. Between looks only those leave that are far behind in every round.
#include "stats/rounds.h"

#include "base/array.h"
#include "base/random.h"
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>

// Launches of the reference of which the median is its usual time. A lasting change of the machine
// becomes the usual after half of them.
#define USUAL 9

// How the error is spent over the rounds: alpha t^1.5.
#define SPENDING 1.5

// Rounds after which there is nothing left to find out of one whom all others were told apart from: its median has
// an interval.
#define ROUNDS_ALONE 6

// Permutations at a look; ranking_decide() takes more if the level needs them.
#define PERMUTATIONS 600

struct rounds_finalist {
    enum rounds_standing standing;
    uint64_t screening, first; // first: before the rounds; 0: not known
    uint64_t *samples;
    uint32_t count;
    size_t capacity;
};

// One of equal devices.
struct rounds_lane {
    size_t *order; // of the present round, the reference first
    size_t turns;  // in it; 0: not drawn yet
    uint64_t usual[USUAL];
    size_t reference_launches; // in `usual` modulo its size
    uint32_t tries;            // rounds repeated since the last one that was not disturbed
};

struct rounds {
    struct measure_rules rules;
    struct rounds_seeds seeds;
    uint64_t resolution_ns;
    struct rounds_finalist *finalists;
    size_t count;
    struct rounds_lane *lanes;
    uint32_t lane_count;
    uint32_t drawn;  // orders drawn, each from a stream of its own
    double spent;    // share of the error that was spent at the looks before the last
    double spending; // and with the last look
    bool settled;
    struct rounds_account account;
};

static void choose_reference(struct rounds *r)
{
    size_t best = r->count;
    for (size_t c = 0; c < r->count; c++) {
        const struct rounds_finalist *k = &r->finalists[c];
        if (k->standing != ROUNDS_DROPPED &&
            (best == r->count || k->screening < r->finalists[best].screening))
            best = c;
    }
    if (best == r->count)
        return;
    r->account.reference = best;
    for (uint32_t i = 0; i < r->lane_count; i++) {
        r->lanes[i].usual[0] = r->finalists[best].screening;
        r->lanes[i].reference_launches = r->lane_count == 1;
    }
}

struct rounds *rounds_new(const struct measure_rules *rules, const uint64_t *screening,
                          size_t finalists, uint32_t lanes, struct rounds_seeds seeds,
                          uint64_t resolution_ns)
{
    struct rounds *r = finalists && lanes ? calloc(1, sizeof *r) : NULL;
    if (!r)
        return NULL;
    r->rules = *rules;
    r->seeds = seeds;
    r->resolution_ns = resolution_ns;
    r->count = finalists;
    r->finalists = calloc(finalists, sizeof *r->finalists);
    r->lanes = calloc(lanes, sizeof *r->lanes);
    r->lane_count = r->lanes ? lanes : 0;
    bool ok = r->finalists && r->lanes;
    for (uint32_t i = 0; ok && i < lanes; i++) {
        r->lanes[i].order = calloc(finalists + 1, sizeof *r->lanes[i].order);
        ok = r->lanes[i].order != NULL;
    }
    if (!ok) {
        rounds_free(r);
        return NULL;
    }
    for (size_t c = 0; c < finalists; c++)
        r->finalists[c].screening = screening[c];
    choose_reference(r);
    return r;
}

void rounds_free(struct rounds *r)
{
    if (!r)
        return;
    for (size_t c = 0; r->finalists && c < r->count; c++)
        free(r->finalists[c].samples);
    for (uint32_t i = 0; i < r->lane_count; i++)
        free(r->lanes[i].order);
    free(r->finalists);
    free(r->lanes);
    free(r);
}

void rounds_know_first(struct rounds *r, size_t finalist, uint64_t ns)
{
    r->finalists[finalist].first = ns;
}

void rounds_leave(struct rounds *r, size_t finalist)
{
    if (r->finalists[finalist].standing == ROUNDS_IN)
        r->finalists[finalist].standing = ROUNDS_LEFT;
}

static size_t count_in(const struct rounds *r)
{
    size_t in = 0;
    for (size_t c = 0; c < r->count; c++)
        in += r->finalists[c].standing == ROUNDS_IN;
    return in;
}

const size_t *rounds_next(struct rounds *r, uint32_t lane, size_t *count)
{
    struct rounds_lane *l = &r->lanes[lane];
    if (l->turns == 0 && count_in(r) > 0) {
        // Finalists in their order, shuffled behind the reference (Fisher-Yates).
        struct rng rng;
        rng_init(&rng, r->seeds.order, r->drawn++);
        size_t n = 0;
        l->order[n++] = r->account.reference;
        for (size_t c = 0; c < r->count; c++) {
            if (r->finalists[c].standing != ROUNDS_IN)
                continue;
            size_t at = 1 + (size_t)rng_below(&rng, n);
            l->order[n] = l->order[at];
            l->order[at] = c;
            n++;
        }
        l->turns = n;
    }
    *count = l->turns;
    return l->order;
}

void rounds_void(struct rounds *r, uint32_t lane)
{
    r->lanes[lane].turns = 0;
}

// ---- is the machine as it was? ------------------------------------------------------------------

static bool is_slow(struct rounds_lane *l, uint64_t reference_ns, double disturbed)
{
    size_t known = l->reference_launches < USUAL ? l->reference_launches : USUAL;
    double usual = known ? stats_median(l->usual, known) : INFINITY;
    l->usual[l->reference_launches++ % USUAL] = reference_ns;
    return (double)reference_ns > disturbed * usual;
}

// The finalists that have a place, packed; `who` has their indices.
struct packed {
    const uint64_t **times;
    uint64_t *firsts;
    uint32_t *counts;
    bool *apart;
    size_t *who;
    struct ranking_entry *entries;
    size_t count;
};

static void packed_release(struct packed *p)
{
    free(p->times);
    free(p->firsts);
    free(p->counts);
    free(p->apart);
    free(p->who);
    free(p->entries);
}

// UINT32_MAX while anyone is in. Where all whom the others were told apart from proved wrong, those
// that left last are told apart from nobody: the most rounds of one that left.
static uint32_t longest_left(const struct rounds *r)
{
    uint32_t most = 0;
    for (size_t c = 0; c < r->count; c++) {
        const struct rounds_finalist *k = &r->finalists[c];
        if (k->standing == ROUNDS_IN)
            return UINT32_MAX;
        most = k->standing == ROUNDS_LEFT && k->count > most ? k->count : most;
    }
    return most;
}

static bool packed_init(struct packed *p, const struct rounds *r)
{
    p->count = 0;
    p->times = calloc(r->count, sizeof *p->times);
    p->firsts = calloc(r->count, sizeof *p->firsts);
    p->counts = calloc(r->count, sizeof *p->counts);
    p->apart = calloc(r->count, sizeof *p->apart);
    p->who = calloc(r->count, sizeof *p->who);
    p->entries = calloc(r->count, sizeof *p->entries);
    if (!p->times || !p->firsts || !p->counts || !p->apart || !p->who || !p->entries)
        return false;
    uint32_t most = longest_left(r);
    for (size_t c = 0; c < r->count; c++) {
        const struct rounds_finalist *k = &r->finalists[c];
        if (k->standing == ROUNDS_DROPPED || k->count == 0)
            continue;
        p->times[p->count] = k->samples;
        p->firsts[p->count] = k->first;
        p->counts[p->count] = k->count;
        p->apart[p->count] = k->standing == ROUNDS_LEFT && k->count < most;
        p->who[p->count++] = c;
    }
    return true;
}

// ---- looks --------------------------------------------------------------------------------------

uint32_t rounds_at_look(const struct measure_rules *rules, uint32_t i)
{
    return (uint32_t)ceil(ldexp(rules->rounds, (int)i - (int)rules->looks));
}

static bool is_look(const struct rounds *r)
{
    for (uint32_t i = 1; i <= (uint32_t)r->rules.looks; i++) {
        if (r->account.kept == rounds_at_look(&r->rules, i))
            return true;
    }
    return false;
}

// The share of the error that may be spent by now.
static double allowance(const struct rounds *r)
{
    return pow(fmin(1, r->account.kept / r->rules.rounds), SPENDING);
}

static bool is_precise(const struct rounds *r, const struct ranking_entry *entries, size_t winner)
{
    for (size_t c = 0; c < r->count; c++) {
        const struct ranking_entry *e = &entries[c];
        if (c == winner || r->finalists[c].standing != ROUNDS_IN)
            continue;
        if (!e->ratio_interval || e->ratio_high - e->ratio_low > 2 * r->rules.precision)
            return false;
    }
    return true;
}

// Between looks those leave that are clearly behind.
static bool dismiss_clear(struct rounds *r)
{
    struct packed p;
    bool *clear = calloc(r->count, sizeof *clear);
    bool decided = packed_init(&p, r) && clear;
    struct ranking_times t = {p.times, p.counts, p.count};
    decided = decided && ranking_clear(&t, p.firsts, r->rules.behind, clear);
    for (size_t i = 0; decided && i < p.count; i++) {
        if (clear[i] && r->finalists[p.who[i]].standing == ROUNDS_IN)
            r->finalists[p.who[i]].standing = ROUNDS_LEFT;
    }
    packed_release(&p);
    free(clear);
    return decided;
}

// ---- a round's times ----------------------------------------------------------------------------

static bool keep_round(struct rounds *r, struct rounds_lane *l, const uint64_t *times)
{
    for (size_t i = 1; i < l->turns; i++) {
        struct rounds_finalist *k = &r->finalists[l->order[i]];
        if (k->standing == ROUNDS_IN) {
            if (!ARRAY_ROOM(k->samples, k->capacity, k->count + (size_t)1))
                return false;
            k->samples[k->count++] = times[i];
        }
    }
    r->account.kept++;
    l->turns = 0;
    if (count_in(r) == 0)
        return true;
    if (is_look(r)) {
        r->account.looks++;
        r->spent = r->spending;
        r->spending = allowance(r);
        struct ranking_entry *entries = calloc(r->count, sizeof *entries);
        size_t winner;
        bool decided = entries && rounds_rank(r, entries, &winner);
        if (decided) {
            // Finalists that are clearly slower than the winner leave.
            for (size_t c = 0; c < r->count; c++) {
                struct rounds_finalist *k = &r->finalists[c];
                if (k->standing == ROUNDS_IN && !entries[c].tied)
                    k->standing = ROUNDS_LEFT;
            }
            r->settled = is_precise(r, entries, winner);
        }
        free(entries);
        return decided;
    }
    return r->account.kept < (uint32_t)r->rules.early || dismiss_clear(r);
}

enum rounds_verdict rounds_tell(struct rounds *r, uint32_t lane, const uint64_t *times, double load)
{
    struct rounds_lane *l = &r->lanes[lane];
    // A reference that was dropped during the round says nothing of the machine.
    bool slow = l->order[0] == r->account.reference && is_slow(l, times[0], r->rules.disturbed);
    bool disturbed = slow || load > r->rules.load;
    if (disturbed && l->tries < r->rules.repeats) {
        l->tries++;
        r->account.repeated++;
        l->turns = 0;
        return ROUNDS_REPEATED;
    }
    r->account.marked += disturbed;
    l->tries = disturbed ? l->tries : 0;
    if (!keep_round(r, l, times))
        return ROUNDS_BROKEN;
    return disturbed ? ROUNDS_MARKED : ROUNDS_KEPT;
}

void rounds_drop(struct rounds *r, size_t finalist)
{
    r->finalists[finalist].standing = ROUNDS_DROPPED;
    if (r->account.reference == finalist)
        choose_reference(r);
}

bool rounds_done(const struct rounds *r)
{
    size_t in = count_in(r);
    bool is_told = in == 1 && r->count > 1 && r->account.kept >= ROUNDS_ALONE;
    return r->settled || is_told || r->account.kept >= (uint32_t)r->rules.rounds || in == 0;
}

struct rounds_account rounds_account(const struct rounds *r)
{
    return r->account;
}

enum rounds_standing rounds_standing(const struct rounds *r, size_t finalist)
{
    return r->finalists[finalist].standing;
}

const uint64_t *rounds_samples(const struct rounds *r, size_t finalist, uint32_t *count)
{
    *count = r->finalists[finalist].count;
    return r->finalists[finalist].samples;
}

// ---- the decision -------------------------------------------------------------------------------

// The share of the error that a decision now may spend: at a look the look's own, between looks
// what has accrued since the last.
static double error_now(const struct rounds *r)
{
    double now = allowance(r);
    double since = now > r->spending ? r->spending : r->spent;
    return (1 - r->rules.level) * (now - since);
}

// Back into the order of the finalists; those without a place come behind.
static void unpack_entries(const struct packed *p, const struct rounds *r,
                           struct ranking_entry *out)
{
    size_t behind = p->count, i = 0;
    for (size_t c = 0; c < r->count; c++) {
        if (i < p->count && p->who[i] == c)
            out[c] = p->entries[i++];
        else
            out[c] = (struct ranking_entry){.place = behind++};
    }
}

bool rounds_rank(struct rounds *r, struct ranking_entry *out, size_t *winner)
{
    struct packed p;
    bool decided = packed_init(&p, r);
    struct ranking_times t = {p.times, p.counts, p.count};
    struct ranking_terms terms = {.level = 1 - error_now(r),
                                  .looks = 1,
                                  .permutations = PERMUTATIONS,
                                  .seed = r->seeds.decision,
                                  .resolution_ns = r->resolution_ns,
                                  .alike = r->rules.alike,
                                  .apart = p.apart};
    size_t first = 0;
    decided = decided && ranking_decide(&t, &terms, p.entries, &first);
    if (decided) {
        *winner = p.who[first];
        unpack_entries(&p, r, out);
    }
    packed_release(&p);
    return decided;
}
