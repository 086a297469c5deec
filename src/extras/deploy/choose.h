// From times to a dispatch table: which candidates an application needs, and which of them it takes
// at each shape. Pure: the measured times are a matrix.
//
// A candidate *covers* a point if it takes no more than `within` above the fastest there, and no
// more than the default, if that was measured there. The smallest set that covers every point is
// chosen: greedily, each time the one that covers the most remaining points (then the most weight,
// then the fewest resources); then an exhaustive search with a bounded number of steps looks for a
// smaller set. A point takes the fastest of the set.
//
// Drawn shapes lie between the points. The table's answer there, by the rule of dispatch.h, is
// compared with the fastest there: the regret. The shape with the highest regret, if that is above
// `within` or above the default, becomes a point itself, and all is chosen anew, until there is
// none.
//
// A table looks shapes up in one of two ways: the nearest point, or a prediction by waves of work-groups. Leave-one-out
// cross-validation decides: the configurations are chosen for both, then each measured shape is left out in turn,
// together with configurations that were found at that shape alone, and looked up in the rest. The lookup with the
// lower regret is taken.
#pragma once

#include "extras/deploy/dispatch.h"

// A candidate's resources, the most over its kernels; -1: not known, and decides nothing.
struct deploy_cost {
    int64_t spill_bytes, registers, local_bytes, private_bytes;
};

struct deploy_matrix {
    uint32_t candidate_count;
    uint32_t default_candidate;        // DEPLOY_NONE: it is not a candidate
    uint32_t point_count, drawn_count; // rows: the points, then what was drawn
    uint32_t column_count;
    const int64_t *const *shapes; // one a row
    const double *weights;        // likewise
    const double *ns;  // [row * candidate_count + candidate]: a time; NaN: it has none there
    const bool *valid; // likewise: do the restrictions let it be?
    const struct deploy_cost *costs;
    double within;
    // (optional) [(launch * rows + row) * candidate_count + candidate]: work-groups; 0: not known, or there is no such
    // launch. Without them the nearest point answers.
    const int64_t *groups;
    uint32_t launch_count;
    uint32_t compute_units; // of the device; 0: not known
    // (optional) One a candidate: the row whose tune alone found it; DEPLOY_NONE: several did, or none.
    const uint32_t *found_at;
};

// How far above the fastest, over several rows.
struct deploy_spread {
    uint32_t count;
    double median, most, mean; // fractions; the mean by weights
    uint32_t most_at;          // row
    // Rows without a valid configuration, or whose one fails there; they count in nothing else.
    uint32_t unanswered;
};

struct deploy_chosen {
    // The order of configurations; the default is not among them unless it is needed.
    uint32_t *candidates;
    uint32_t count;
    // The rows with a time, refined ones last; `configuration` counts in `candidates`. The caller
    // adds what they take over the default.
    struct deploy_point *points;
    uint32_t *rows; // of each point
    uint32_t point_count;
    struct deploy_spread at_points;
    struct deploy_spread drawn,
        left;         // before anything was refined; of those that became no points, at the end
    uint32_t refined; // that became points
    // The spread over all rows between others, each left out in turn: by the table's lookup, and by
    // the nearest point.
    struct deploy_spread crossed, crossed_nearest;
    // (or NULL) The lookup is by waves: slopes one a column, resident one a candidate, costs [row * candidates +
    // candidate].
    const struct hone_core_model *model;
};

// Everything is in the arena. False without memory.
bool deploy_choose(const struct deploy_matrix *m, struct arena *a, struct deploy_chosen *out);
