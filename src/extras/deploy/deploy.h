// The workflow of `hone deploy`: which few configurations an application needs for its shapes, and which of them answers
// at each, from what is measured.
//
//   tuning     the spec at each point, as a sweep does (sweep.h): what the store knows answers
//   drawing    shapes between the points, half of them where a wave of the winner's work-groups is least full; these are
//              tuned likewise
//   measuring  at each of these shapes the winners of all of them, and the default: screened, and those near the best
//              ranked in interleaved rounds, each result verified. Results are kept under a name of their own, so that
//              they leave what `hone best` answers alone
//   choosing   deploy/choose.h
//   building   (if asked for) each point's program once more, for its bytes; it is launched and verified, not timed
//
// Everything that is measured is stored as it is measured: a deploy that was ended, however, goes on where it was.
// Another device takes part with what the store has of it.
//
// Driven as workflow.h says; planned and done are shapes, each once measured.
#pragma once

#include "extras/deploy/choose.h"
#include "extras/deploy/formats.h"
#include "workflows/sweep/sweep.h"

#define DEPLOY_DRAWN_MOST 1000

struct deploy_options {
    const char *path; // of the spec
    bool strict;
    const struct sweep_plan *plan; // the points; sizes of 1 and more
    const double *weights;         // (optional) one a point; NULL: 1
    // How each point is tuned; `spec`, `name`, `spare`, `leaving` and `keep` are the deploy's. The store is needed.
    struct tune_options tune;
    bool again;                // tuned also where the store has a ranking
    bool is_known_only;        // nothing is measured: what the store has of the tune's device
    double within;             // 0.02: how far above the best a configuration may be
    uint32_t drawn;            // shapes between the points, DEPLOY_DRAWN_MOST at most
    const char *const *others; // (optional) names of further devices, as the store has them
    uint32_t other_count;
    bool all_others; // every device that the store has
    // The programs of this device's points; NVIDIA's only, if they are PTX or cubins.
    bool with_images;
    struct spare *spare; // (optional) for the first tune; outlives the deploy
};

// A shape that is done.
struct deploy_record {
    uint32_t row; // points of the plan, then what was drawn
    bool is_drawn;
    const int64_t *shape; // one a column
    double weight;
    uint32_t tried, timed;   // configurations at this shape, and those of them that have a time
    const char *best;        // (or NULL) the fastest of them
    double best_ns;          // by its ratio in the rounds: what is compared. NaN: there is none
    double median_ns;        // of its launches: what is shown, here and in the table
    struct deploy_gain gain; // of the fastest
    bool is_known;           // from earlier runs: nothing was launched, to tune it or to measure it
    bool is_unknown;         // with is_known_only: the store has nothing here
    const char *why;         // (or NULL) nothing works here
};

enum deploy_phase { DEPLOY_TUNING, DEPLOY_MEASURING, DEPLOY_BUILDING, DEPLOY_DONE };

struct deploy_progress {
    struct workflow_progress common; // in shapes that are measured
    enum deploy_phase phase;
    bool is_drawn;               // the phase is about those between the points
    uint32_t row;                // that is measured
    uint64_t launches;           // of kernels, so far
    uint32_t images, built;      // programs that are to be built, and those that are
    struct sweep_progress sweep; // while tuning
    struct tune_progress tune;   // while measuring and building
};

// The results, once END was reached without a cancel.
struct deploy_found {
    const struct deploy_table *table;     // whole; NULL: nothing works anywhere
    const struct deploy_chosen *chosen;   // one a device of the table
    const struct deploy_matrix *matrices; // likewise
    // Likewise, for devices known from the store (else NULL): one a row of its matrix. (or NULL)
    // The known result is not the best of everything requested but of this part of the space
    // (subspace.h); "" if nothing was ranked.
    const char *const *const *parts;
    uint32_t candidates;        // of this device: winners, and the default
    const char *const *columns; // of a shape; these and the sources are known from the start
    uint32_t column_count;
    const struct spec_sources *sources; // what completes a spec in the short form, too
    uint32_t points, drawn;             // rows that there are
    const struct deploy_image *images;  // of with_images
    uint32_t image_count;
};

struct deploy;

struct deploy *deploy_new(const struct deploy_options *o, struct error *e);
WORKFLOW_FUNCTIONS(deploy, struct deploy, struct deploy_record);
void deploy_progress(struct deploy *d, struct deploy_progress *out);
// Everything that reports show of it.
struct deploy_view {
    struct deploy_progress progress;
    const struct deploy_record *records;
    uint32_t count;
    struct deploy_found found;
    const struct spec *spec; // of the table: with the constants that are the same at all points
};
void deploy_view(struct deploy *d, struct deploy_view *out);
