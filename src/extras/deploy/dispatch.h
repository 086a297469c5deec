// A dispatch table: which of a few configurations an application takes for a shape, on a device.
// The result of `hone deploy`, and the input of its formats (formats.h). Plain data in one arena;
// made by dispatch.c and never changed after.
//
// A *shape* is a whole number, 1 or more, for each *column*: the constants of the spec that the table is about, in order.
// All other constants have the values that `spec` has.
//
// The lookup is the same everywhere (known/known_core.h: the generated header, the library that reads `.hone` files):
//
// 1. The device, by the first rule that applies:
//      measured      the table has a device of its name or UUID
//      architecture  among devices of the same architecture, the one with the nearest number of compute units
//      vendor        among devices of the same vendor, likewise
//      none          the default configuration (3.)
//    If several are equally near, the first in the table. An empty text equals nothing.
// 2. The nearest of that device's points whose configuration is *valid* at the shape. The distance is the sum over the
//    columns of the squared differences of hone_core_log2(); the smallest wins, the first in the table if equal. A
//    configuration is valid if every restriction of the spec is true with the shape in place of its columns, and the
//    facts of the device that asks. A fault (overflow, division by zero) is not true.
//    If the device has a model, and the shape is not a point: among the valid configurations of the eight nearest points,
//    the one with the shortest predicted time. That is its number of waves (work-groups over what all compute units hold at
//    once, rounded up) times the time of a wave, which is interpolated between these points (hone_core_find_predicted()).
// 3. Without such a point: the default configuration if it is valid, else none.
//
// The reason, as a text:
//
//   measured here                                          the shape is a point
//   nearest of 24 measured shapes: M=4096,N=4096,K=4096
//   by waves of work-groups, from 24 measured shapes: as at M=4096,N=4096,K=4096    the model, and another was nearer
//   device X not measured; took Y (same architecture)      before one of the two above and "; "; or (same vendor)
//   default: device X not measured                         3., for want of a device
//   default: no measured configuration is valid here       3., for want of a point
//   no configuration is valid: RESTRICTION                 the first restriction that excludes the default
#pragma once

#include "problem/spec.h"

struct hone_core_model; // known/known_core.h

#define DEPLOY_NONE UINT32_MAX // no configuration

struct deploy_configuration {
    const char *text;           // "block_size_x=16, tile_size_x=2": all parameters
    const struct value *values; // one a parameter of the spec
    const uint32_t *choice;     // the same, as the spec counts them
    // "-O3 -DHONE=1 -Dblock_size_x=16 ...", for a shell: all but what depends on the shape or the device.
    const char *options;
};

// How many times as fast as the default a configuration is at one shape.
struct deploy_gain {
    double ratio; // not above 0: not known, or the two were never timed in one session
    // From rounds in which both were launched; else from times taken one after the other, without
    // an interval.
    bool is_in_turn;
    double low, high; // of the former
    bool is_interval; // low .. high is a 95 % interval, not just the range of a few rounds
    bool is_default;  // it is the default itself, or the same job
};

struct deploy_point {
    const int64_t *shape;   // one a column
    uint32_t configuration; // that answers here
    double weight;          // how often the application asks for it; 1 by default
    // If measured:
    double median_ns;  // of that configuration
    double above_best; // over the best that was measured here: 0.019 is 1.9 % more time
    // Over the default; below 0 is less time. NaN: the default was not measured here, or in another session.
    double above_default;
    struct deploy_gain gain;
    // Was drawn between the points, and took part because the regret there was too high.
    bool is_refined;
};

struct deploy_device {
    const char *name, *platform; // as the driver says
    const char *identity;        // UUID; "" if not known
    const char *vendor;          // "NVIDIA Corporation"; "" likewise
    // "sm_90"; for other devices the driver's name of the model without numbers; or "".
    const char *architecture;
    const char *driver;     // that it was measured with
    uint32_t compute_units; // 0: not known
    // The facts that restrictions and sizes may read; for a device that is not present, those in
    // the store.
    const struct device_info *facts;
    struct deploy_point *points;
    uint32_t point_count;
    // Where no point's configuration is valid: the table's default, which is never worse than itself.
    uint32_t fallback_configuration;
    // (optional) What configurations cost between the points; its rows are these points, in this order, and its
    // configurations the table's.
    const struct hone_core_model *model;
};

struct deploy_table {
    const char *name;      // a C identifier: "two_sizes"
    const char *spec_path; // as it was given
    // SHA-256, hexadecimal: of the kernel's sources with what they include, and of the spec's text.
    const char *source_digest, *spec_digest;
    const char *hone_version;
    enum language language;
    const char *const *columns;
    uint32_t column_count;
    const uint32_t *column_constants; // index in spec->constants of each
    struct deploy_configuration *configurations;
    uint32_t configuration_count;
    uint32_t default_configuration; // index: it is always one of them
    struct deploy_device *devices;
    uint32_t device_count;
    double within; // 0.02: as close to the best as was asked for
    // Restrictions, launches, sizes and names: expressions over parameters, constants, derived parameters and facts. The
    // columns' values in it mean nothing.
    const struct spec *spec;
    // (optional) Its sources, for formats that write them out.
    const struct spec_sources *sources;
};

// The architecture, by which a device that was not measured is like one that was: "sm_90"; of a processor under PoCL its
// instruction set; of AMD's the name; "". NULL without memory.
const char *deploy_architecture(const struct device_info *d, struct arena *a);

// Sets *name to the text as a C identifier: what stands in none becomes '_', with one before a leading digit. False
// without memory.
bool deploy_identifier(const char *text, struct arena *a, const char **name);

// Is the constant one of the table's columns?
bool deploy_is_column(const struct deploy_table *t, uint32_t constant);
// Is the name of this slot, with that value, a macro for the kernel? Not if a kernel has a
// parameter of that name.
bool deploy_is_macro(const struct deploy_table *t, uint32_t slot, const struct value *v);
// The configuration `choice` of the table's spec: its text, values and options, in the arena. False without memory.
bool deploy_configuration_make(const struct deploy_table *t, const uint32_t *choice,
                               struct arena *a, struct deploy_configuration *out);

// Initialises a table with its columns: `columns` are names of integer constants of the spec, at
// least one. All lists are the caller's to fill. The error names a column that the spec does not
// have.
bool deploy_table_init(struct deploy_table *t, const struct spec *spec, const char *const *columns,
                       uint32_t count, struct arena *a, struct error *e);

// Is what stands in it whole: every index in range, every shape 1 or more, identifiers and texts there? The error says
// what is not. What writes a table may rely on it.
bool deploy_table_check(const struct deploy_table *t, struct error *e);

// The first restriction that excludes the configuration at the shape (DEPLOY_NONE: it is valid); where a derived
// parameter has no value there, the number of restrictions.
uint32_t deploy_excluded(const struct deploy_table *t, const uint32_t *choice, const int64_t *shape,
                         const struct device_info *facts, struct arena *scratch);

// Squared distance of two shapes in log space.
uint64_t deploy_distance(const int64_t *a, const int64_t *b, uint32_t columns);
