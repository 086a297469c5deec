// The cost of configurations between measured shapes, by waves of work-groups. The model of
// known/known_core.h, fitted to a matrix of times.
//
// A wave's time grows with the sizes by one power for each column, the same for all configurations:
// least squares of its logarithm, with a small penalty where sizes go together. The number of
// work-groups that a compute unit holds is found by leaving each shape out in turn: one, unless
// another number predicts the omitted shapes much better. With several launches, the one with the
// smallest error counts.
#pragma once

#include "extras/deploy/choose.h"
#include "known/known_core.h"

// The matrix as a table that is looked up: its rows are the points, its candidates the configurations.
struct deploy_waves {
    hone_core_table core;
    hone_core_device device;
    hone_core_model model;
};

// The shapes and their logarithms alone: no model. False without memory.
bool deploy_waves_init(struct deploy_waves *w, const struct deploy_matrix *m, struct arena *a);
// w->device.model; it stays NULL where the matrix has no groups, or too few times. False without memory.
bool deploy_waves_fit(struct deploy_waves *w, const struct deploy_matrix *m, struct arena *a);

// Squared distance of two rows.
uint64_t deploy_waves_distance(const struct deploy_waves *w, uint32_t row, uint32_t other);
// Into a list in the order of distance that has `count` of at most HONE_CORE_NEAR rows; equal ones: the lower row first.
// Returns their number.
uint32_t deploy_waves_insert(hone_core_near *list, uint32_t count, uint32_t row, uint64_t distance);
// Puts a list of rows near to one into the order of the distance that counts what is unlike, too (hone_core_unlike()).
void deploy_waves_order(const struct deploy_waves *w, uint32_t row, hone_core_near *list,
                        uint32_t count);
// Makes a list of rows near to one ready for predictions there; the model is needed.
void deploy_waves_weigh(const struct deploy_waves *w, uint32_t row, hone_core_near *list,
                        uint32_t count);
// The logarithm of the predicted time; INT64_MAX: there is none.
int64_t deploy_waves_predict(const struct deploy_waves *w, const struct deploy_matrix *m,
                             uint32_t row, uint32_t candidate, const hone_core_near *list,
                             uint32_t count);
