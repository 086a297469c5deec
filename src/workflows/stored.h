// Reads a comparison's stored side: the results of one run, or the fastest configurations of this
// device.
#pragma once

#include "problem/spec.h"
#include "store/store.h"

struct stored_entry {
    const char *configuration, *configuration_json;
    struct result *result;
};

struct stored {
    struct stored_entry *entries;
    size_t count;
    const char *session, *date, *command;
    const char *device, *driver, *constants;
};

// The run of the store whose id begins with `wanted` ("last": the newest), as far as it belongs to
// this spec: the newest result of each configuration. In the arena, except for the results. The
// error names the newest runs if none fits, or several do.
bool stored_run(struct store *s, const char *wanted, const struct spec *spec, struct arena *a,
                struct stored *out, struct error *e);

void stored_release(struct stored *s); // the results

// The `most` fastest configurations under the spec's constants on this device, by the newest result
// of each, which must be correct and timed; with cold inputs or with warm ones. In the arena.
bool stored_fastest(struct store *s, const struct spec *spec, const struct device_info *device,
                    bool cold, size_t most, struct arena *a, const char ***out, size_t *count,
                    struct error *e);
