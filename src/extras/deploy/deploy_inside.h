// Private to the workflow of `hone deploy`: its state, shared by deploy.c (the order of things), deploy_grid.c (what is
// known of a device), deploy_groups.c (work-groups), deploy_draw.c (shapes between the points), deploy_stored.c (devices as
// the store has them),
// deploy_end.c (the table) and deploy_images.c (compiled programs).
#pragma once

#include "extras/deploy/core_table.h"
#include "extras/deploy/deploy.h"

// A time that is known.
struct grid_cell {
    uint32_t row, candidate;
    // Compares with the others of its row: if they were interleaved, by their rounds.
    double ns;
    double median_ns; // of its own samples
    struct deploy_gain gain;
};

// The results of one device: candidates, by the text of all their parameters, and their times.
struct deploy_grid {
    struct arena *arena;
    struct device_info facts; // as far as they are known
    const char **texts;
    struct deploy_cost *costs;
    uint32_t count;
    size_t text_capacity, cost_capacity;
    struct grid_cell *cells;
    size_t cell_count, cell_capacity;
    const char **parts; // (or NULL) as deploy_found.parts: of what the store has
};

struct deploy_row {
    const int64_t *shape; // one a column
    double weight;
    const char *const *set; // one a name of the plan
    struct spec *spec;      // with these; NULL: it cannot be read so
    const char *winner;     // (or NULL) of its own tune
    const char *why;        // (or NULL) it has none
    bool is_tuned;          // by this deploy: the store did not know its winner
};

struct deploy {
    struct workflow w; // the inner one: a tune of the row, or of a point's program
    struct deploy_options o;
    struct arena arena;
    struct spec *spec; // with the constants that are the same everywhere
    struct spec_sources *sources;
    struct spec_digests digests;
    struct digest source;       // as results are stored with it
    const char *name;           // of what is measured, in the store
    const char *const *columns; // names of the plan
    uint32_t *column_names;     // index in the plan of each
    uint32_t column_count;
    const char *default_text; // of the default configuration
    struct deploy_row *rows;  // room for the points and what is drawn
    uint32_t row_count;       // points; with what was drawn, once that is
    struct sweep_plan drawn;  // the plan of these
    struct sweep *sweeps[2];  // of the points; between them
    uint32_t stage;           // index there
    enum deploy_phase phase;
    uint32_t row; // the current one
    struct deploy_grid own, *others;
    uint32_t other_count;
    struct deploy_record *records;
    uint32_t record_count;
    const char **winners; // of all rows: each once
    uint32_t winner_count;
    uint64_t launches;
    struct deploy_table table;
    struct deploy_chosen *chosen;
    struct deploy_matrix *matrices;
    const struct deploy_grid **grids; // of the table's devices, too
    const char *const **parts;        // likewise
    struct deploy_image *images; // of the points of the table's first device, which is this one
    uint32_t image_count;
    bool is_whole;
};

// deploy.c: how the spec is read with these constants.
struct spec_options deploy_spec_options(struct deploy *d, const char *const *set);
// The options of a tune of these configurations at the row, whose results are stored under the deploy's name.
struct tune_options deploy_tune_options(const struct deploy *d, const struct deploy_row *row,
                                        const char *const *configurations, uint32_t count);

// deploy_images.c: how many there are to build; one step of that, until image_count has reached it.
uint32_t deploy_images_planned(const struct deploy *d);
bool deploy_step_image(struct deploy *d, int timeout_ms, struct error *e);

// deploy_grid.c. Each is false, or DEPLOY_NONE, without memory.
uint32_t grid_candidate(struct deploy_grid *g, const char *text); // made where it is not there
// `cell` without its candidate.
bool grid_put(struct deploy_grid *g, const char *text, const struct grid_cell *cell,
              const struct result *r);
// NULL: it has none.
const struct grid_cell *grid_find(const struct deploy_grid *g, uint32_t row, uint32_t candidate);

// deploy_end.c: reads a text of parameters, with the spec's defaults; false: the spec has no such values (now).
bool deploy_read_choice(const struct spec *spec, const char *text, uint32_t *choice);

// deploy_groups.c: what counts work-groups.
struct deploy_counter {
    struct deploy_table table;
    struct core_table core;
    hone_core_handle handle;
    uint32_t *of;          // one a text: its configuration there
    uint32_t launch_count; // the most of a configuration
    bool is_made;          // false: its expressions are beyond the compiler, and nothing is known
};

// Makes a counter for the configurations with these texts on the device; `facts` outlives it. False
// without memory.
bool counter_init(struct deploy *d, const struct device_info *facts, const char *const *texts,
                  uint32_t count, struct deploy_counter *out);
// 0: not known.
int64_t counter_groups(const struct deploy_counter *c, uint32_t text, uint32_t launch,
                       const int64_t *shape);
void counter_release(struct deploy_counter *c);

// deploy_draw.c: fills in d->rows behind the points, and d->drawn; fewer where there are not so many between them.
bool deploy_draw(struct deploy *d, struct error *e);
// The row's spec and place; `set` and `shape` are there.
bool deploy_load_row(struct deploy *d, struct deploy_row *r, struct error *e);
// The part of the row's space that --config and --where select; NULL: nothing, or (without an
// error) the row has no spec.
struct space *deploy_row_space(const struct deploy *d, const struct deploy_row *r, struct error *e);

// deploy_stored.c: the store's results for the device (its name and platform in g->facts), at the
// points.
// Reads the device's properties from the newest result of the spec on it.
bool deploy_read_device(const struct deploy *d, struct deploy_grid *g, struct error *e);
bool deploy_read_stored(struct deploy *d, struct deploy_grid *g, struct error *e);
// For a deploy that measures nothing: this device, a record of each point, and the table.
bool deploy_read_known(struct deploy *d, struct error *e);
// d->others. The error names a device that has nothing.
bool deploy_read_others(struct deploy *d, struct error *e);

// deploy_end.c: d->table, d->chosen. False without memory, or where a part of the table makes no sense.
bool deploy_end(struct deploy *d, struct error *e);
