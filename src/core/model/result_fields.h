// The parts of a result, field by field.
#pragma once

#include "base/fields.h"
#include "model/result.h"

extern const struct fields result_gpu_fields;       // of a gpu_snapshot
extern const struct fields result_counters_fields;  // of a struct counters
extern const struct fields result_energy_fields;    // of an energy
extern const struct fields result_resources_fields; // of resources
extern const struct fields result_times_fields;     // of a result
extern const struct fields deviation_fields;        // how an output compares with its reference
extern const struct fields output_fields;           // of a deviation: how much was written
extern const struct fields output_check_fields;     // of a deviation: what its check is worth

// The rows of RESULT_TIMES(), in a table of whatever has these members.
#define RESULT_TIME_ROW(X, name, meaning) X(U64, name, (v->name##_ns), "ns", meaning)
#define RESULT_TIME_FIELD_VALUE(...)      RESULT_TIME_ROW(FIELD_VALUE, __VA_ARGS__)
#define RESULT_TIME_FIELD_ROW(...)        RESULT_TIME_ROW(FIELD_ROW, __VA_ARGS__)
#define RESULT_TIME_ROWS(X)               RESULT_TIMES(RESULT_TIME_##X)

// Writes the outputs of a result as the objects of an array (FIELD_EACH).
void result_emit_outputs(const void *result, const void *context, struct emit *j);
// Writes "measured at 1410 MHz: power limit"; nothing unless the card was slowed.
void gpu_put_slowed(const struct gpu_snapshot *g, struct text *out);
