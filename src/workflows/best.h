// The workflow of `hone best`: spec -> store -> the best result that is known to be correct.
#pragma once

#include "campaign/setup.h"
#include "search/objective.h"
#include "stats/ranking.h"
#include "stats/stats.h"
#include "workflows/tie_break.h"

struct best_options {
    const struct spec *spec;
    const struct spec_sources *sources; // as they are now
    struct store *store;
    const char *stored_as; // (optional) the name that results have in the store; NULL: the spec's
    // A device that is present: its results under this driver count, others are "older". NULL:
    // `name` and `platform` select the results, and no driver is expected; both NULL: all.
    const struct device_info *device;
    const char *name, *platform;
    uint32_t languages;       // whose results are looked at, a set of 1u << language; 0: all
    struct store_query among; // device_identity, source, session and inputs: of these results alone
    struct space_options space;   // its device and share do not count
    struct objectives objectives; // no terms: least time
    bool older_rule; // where nothing of today's rule is known, also what earlier ones measured
};

// Where the answer stands in the ranking that it comes from.
struct best_place {
    bool ranked;      // false: measured alone, or before there were rankings
    size_t finalists; // of the ranking that are the same job today
    size_t tied;      // not told apart from its winner, which counts
    uint32_t rounds;
    struct ranking_entry rank; // its own; place 0: it is the winner itself
    char why[TIE_BREAK_WHY];   // it was chosen among those tied; "" with one
    // (or NULL) No ranking covers everything requested: this one covers that part of the space
    // (subspace.h); "" for the whole space, whose best are not among the requested ones.
    const char *part;
    // (or NULL) A configuration that did not take part and yet was clearly faster, its interval
    // below the winner's: only a ranking of both decides.
    const char *faster;
    double faster_median;
};

// A result with what it belongs to. Everything lives in the caller's arena, but for the result.
struct best_answer {
    const char *configuration, *configuration_json;
    const char *device, *platform, *driver, *constants;
    const char *date, *hone_version, *geometry;
    enum language language;
    const uint32_t *choice; // in the spec; NULL where the spec has other values now
    struct digest key, source;
    struct result *result; // the caller's: result_free()
    struct stats_summary stats;
    struct best_place place;
    // Configurations with a value of the objective, if that is not the time; else 0.
    size_t known;
    bool cold; // its inputs were, and those of all that it was compared with
    // Not what was asked for: measured under another driver, with another kernel text, or with
    // other sizes, arguments or options.
    bool other_driver, other_source, other_job;
    bool
        older_rule; // an earlier hone measured and verified it; `verification` says what holds today
};

// The fastest correct configuration for the spec with its constants. The newest ranking of
// everything requested decides, as it was decided when it was made; among the configurations tied
// with its winner the one with the fewest resources. A newer ranking of a part of the space decides
// if that configuration took part in it; any other ranking, if its winner was not in the first and
// is clearly faster. If there are rankings of parts only, the newest comes first. Without a
// ranking, the configuration with the shortest median answers. A configuration that has failed
// since it was measured is no answer. If nothing is known for this driver, source and job, the
// nearest older results count: the same source first, then the newest; among several results of one
// configuration the newest counts. Times with cold inputs and with warm ones do not compare: those
// with a ranking of everything requested count, else those with a ranking of a part; if both or
// neither have one, the warm ones. False on failure; *found: is there any answer?
//
// With an objective that is not the time or an equivalent, no ranking decides: each job's newest
// result counts with its median, and the one with the best value answers; among equal ones the
// faster.
bool best_find(const struct best_options *o, struct arena *a, struct best_answer *out, bool *found,
               struct error *e);

// Nothing of it is other than what was asked for, and the spec still has its values.
bool best_is_of_today(const struct best_answer *b);

// The best of several stores, which NULL ends, in place of o->store: the first answers, unless what it knows is older (or nothing)
// and another one's is nearer to what was asked.
bool best_find_in(const struct best_options *o, struct store *const *stores, struct arena *a,
                  struct best_answer *out, bool *found, struct error *e);

// The same for o->device, of the sources as they are now (o->sources is not looked at).
bool best_find_today(const struct best_options *o, struct store *const *stores,
                     const struct log *log, struct arena *a, struct best_answer *out, bool *found,
                     struct error *e);

// The best of a setup's spec, in its part of the space and with these objectives (NULL: the least time), that its store has and of
// which nothing is older: a run need not find it anew. *found is false, too, without a store and where earlier results do not
// answer.
bool best_in_place_of(const struct setup *s, const struct objectives *objectives, struct arena *a,
                      struct best_answer *out, bool *found, struct error *e);

// The Pareto set of several objectives, by the first of them, of what best_find() would
// look at. Array in the arena, *count 0 where nothing is known; best_release_all() frees the
// results.
bool best_pareto(const struct best_options *o, struct arena *a, struct best_answer **out,
                 size_t *count, struct error *e);
// The same of several stores, as best_find_in().
bool best_pareto_in(const struct best_options *o, struct store *const *stores, struct arena *a,
                    struct best_answer **out, size_t *count, struct error *e);

// A configuration that took part in the deciding ranking, with the decision of that time.
struct best_finalist {
    const char *configuration;
    const uint64_t *samples; // one a round
    uint32_t count, first_round;
    uint32_t batch;
    struct stats_summary stats;  // of these
    const struct result *result; // its resources
    bool placed;                 // the entry is valid
    struct ranking_entry entry;
    bool chosen, is_default; // chosen: what best_find() answers
};

struct best_ranking {
    struct best_finalist *finalists; // by their places, those without one last
    size_t count;                    // 0: nothing was ranked
    size_t tied;                     // with the winner, which counts
    uint32_t rounds;
    double level;
    bool has_speedup; // of the chosen one over the default, within the rounds
    struct stats_ratio speedup;
    char why[TIE_BREAK_WHY];
    char id[33];      // in the store
    const char *part; // (or NULL) as best_place.part
};

// The ranking that best_find() goes by, where the time decides. Everything in the arena.
bool best_ranking(const struct best_options *o, struct arena *a, struct best_ranking *out,
                  struct error *e);

// The fastest for each device and set of constants, whatever the objective is and --device says:
// under its newest driver and source. Array in the arena; best_release_all() frees the results.
bool best_all(const struct best_options *o, struct arena *a, struct best_answer **out,
              size_t *count, struct error *e);
void best_release_all(struct best_answer *answers, size_t count);

// The devices that the store has results of the spec for: name, platform, driver and language,
// without an id; each name once a language.
bool best_devices(const struct best_options *o, struct arena *a, struct device_info **out,
                  size_t *count, struct error *e);
