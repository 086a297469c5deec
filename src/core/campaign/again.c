// A ranking from the store, decided anew: its samples, rules and seed go through the same rounds, and so to the same decision.
#include "campaign/final_ranking.h"

#include <stdlib.h>

uint64_t final_ranking_seed(const uint8_t id[16])
{
    uint64_t seed = 0;
    for (int i = 7; i >= 0; i--)
        seed = seed << 8 | id[i];
    return seed;
}

// Finalists that left before the third round did so by what screening said of them, which is not kept
// for that: their samples end there.
static void leave_as_then(struct rounds *r, const struct finalist *c, size_t count, uint32_t played)
{
    for (size_t i = 0; i < count; i++) {
        if (c[i].count == played)
            rounds_leave(r, i);
    }
}

// Plays the rounds through the same machine, each round's samples in the order that is asked for.
// Returns false if a finalist lacks one. The reference's extra launches, the first of each round,
// were not kept; they only show disturbed rounds, and the kept rounds count whatever they were.
static bool replay_rounds(struct rounds *r, const struct finalist *c, size_t count, uint32_t rounds,
                          uint64_t *times)
{
    for (uint32_t round = 0; round < rounds; round++) {
        size_t turns;
        const size_t *order = rounds_next(r, 0, &turns);
        if (turns == 0 || turns > count + 1)
            return false;
        times[0] = c[order[0]].estimate_ns;
        for (size_t i = 1; i < turns; i++) {
            if (c[order[i]].count <= round)
                return false;
            times[i] = c[order[i]].samples[round];
        }
        enum rounds_verdict verdict = rounds_tell(r, 0, times, -1);
        if (verdict != ROUNDS_KEPT && verdict != ROUNDS_MARKED)
            return false;
        if (round + 1 < rounds && round + 1 < CLEAR_ROUNDS)
            leave_as_then(r, c, count, round + 1);
    }
    return true;
}

// Did the rounds that were played through take all samples? With fewer finalists than were launched one may leave sooner
// than it did, and what it was launched for after that would be lost.
static bool is_played_out(const struct rounds *r, const struct finalist *c, size_t count)
{
    uint32_t played;
    for (size_t i = 0; i < count; i++) {
        rounds_samples(r, i, &played);
        if (played < c[i].count)
            return false;
    }
    return true;
}

static bool decide_at_once(struct finalist *c, size_t count, const struct measure_rules *rules,
                           uint64_t seed, uint64_t resolution_ns, struct ranking_entry *entries,
                           size_t *winner)
{
    const uint64_t **times = calloc(count, sizeof(*times));
    uint32_t *counts = calloc(count, sizeof *counts);
    struct ranking_terms terms = {.level = rules->level,
                                  .looks = 1,
                                  .seed = seed,
                                  .resolution_ns = resolution_ns,
                                  .alike = rules->alike};
    struct ranking_times all = {times, counts, count};
    for (size_t i = 0; times && counts && i < count; i++) {
        times[i] = c[i].samples;
        counts[i] = c[i].count;
    }
    bool ok = times && counts && ranking_decide(&all, &terms, entries, winner);
    free(times);
    free(counts);
    return ok;
}

// Decides among the finalists that were interleaved from the first round on.
static bool decide_regular(struct finalist *finalists, size_t count,
                           const struct measure_rules *rules, uint64_t seed, uint64_t resolution_ns,
                           bool is_short, size_t *winner, bool *whole)
{
    struct rounds *r = finalists_rounds(finalists, count, rules, 1,
                                        (struct rounds_seeds){.decision = seed}, resolution_ns);
    struct ranking_entry *entries = calloc(count, sizeof *entries);
    uint64_t *times = calloc(count + 1, sizeof *times);
    uint32_t rounds = final_ranking_rounds(finalists, count);
    bool ok = r && entries && times;
    bool fits = ok && replay_rounds(r, finalists, count, rounds, times);
    if (whole)
        *whole = fits && (rounds >= final_ranking_limit(rules, count, is_short) || rounds_done(r));
    fits = fits && is_played_out(r, finalists, count);
    if (ok && !(fits && rounds_rank(r, entries, winner)))
        ok = decide_at_once(finalists, count, rules, seed, resolution_ns, entries, winner);
    for (size_t i = 0; ok && i < count; i++) {
        finalists[i].placed = true;
        finalists[i].entry = entries[i];
    }
    rounds_free(r);
    free(entries);
    free(times);
    return ok;
}

uint32_t final_ranking_rounds(const struct finalist *finalists, size_t count)
{
    uint32_t rounds = 0, most = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        if (finalists[i].first_round > 0)
            most = finalists[i].first_round;
        else if (finalists[i].count > rounds)
            rounds = finalists[i].count;
    }
    return rounds < most ? rounds : most;
}

// Copies of all but the late one, without the rounds that the winner had with that; `at` says where
// they stand. Returns how many they are; *late is where that stands, `count` without one.
static size_t take_regular(const struct finalist *finalists, size_t count, struct finalist *out,
                           size_t *at, size_t *late)
{
    uint32_t rounds = final_ranking_rounds(finalists, count);
    size_t regular = 0;
    *late = count;
    for (size_t i = 0; i < count; i++) {
        if (finalists[i].first_round > 0) {
            *late = i;
            continue;
        }
        at[regular] = i;
        out[regular] = finalists[i];
        out[regular].count = out[regular].count < rounds ? out[regular].count : rounds;
        regular++;
    }
    return regular;
}

// Decides on a late finalist without the winner that it was launched with.
static bool decide_late_alone(struct finalist *late, const struct measure_rules *rules,
                              uint64_t seed, uint64_t resolution_ns, size_t *winner, bool *whole)
{
    late->placed = decide_at_once(late, 1, rules, seed, resolution_ns, &late->entry, winner);
    if (whole)
        *whole = false;
    return late->placed;
}

bool final_ranking_again(struct finalist *finalists, size_t count,
                         const struct measure_rules *rules, uint64_t seed, uint64_t resolution_ns,
                         bool is_short, size_t *winner, bool *whole)
{
    size_t late, first = 0;
    struct finalist *regular = calloc(count + 1, sizeof *regular);
    size_t *at = calloc(count + 1, sizeof *at);
    size_t n = regular && at ? take_regular(finalists, count, regular, at, &late) : 0;
    if (regular && at && n == 0 && count == 1) {
        free(regular);
        free(at);
        return decide_late_alone(finalists, rules, seed, resolution_ns, winner, whole);
    }
    bool ok =
        n > 0 && decide_regular(regular, n, rules, seed, resolution_ns, is_short, &first, whole);
    for (size_t i = 0; ok && i < n; i++) {
        finalists[at[i]].placed = regular[i].placed;
        finalists[at[i]].entry = regular[i].entry;
    }
    if (ok && late < count)
        finalists[late].placed = false;
    for (size_t i = 0; ok && late < count && i < count; i++) {
        if (i != late && finalists[i].count > finalists[late].first_round) // its partner
            finalist_place_late(&finalists[late], &finalists[i], n, rules, resolution_ns);
    }
    if (ok)
        *winner = at[first];
    free(regular);
    free(at);
    return ok;
}
