// A store with results of a small spec, for tests of what is written from it.
#ifndef HONE_TESTS_EXCHANGE_STORED_H
#define HONE_TESTS_EXCHANGE_STORED_H

#include "problem/spec.h"
#include "store/store.h"

// Parameters a [16, 32], text ["x", "y z"], flag [true, false], real [0.5]; constant WIDTH; metric
// GFLOP/s = WIDTH / time_ns.
extern const char stored_spec[];

extern const struct device_info stored_device;

struct store *stored_open(const char *path);
// A session of the spec on the device.
void stored_begin(struct store *s, const struct spec *spec, const struct device_info *device);
// One result; takes it. `choice` has four indices.
void stored_put(struct store *s, const struct spec *spec, const struct device_info *device,
                const uint32_t *choice, struct result *r);
struct result *stored_correct(const uint64_t *samples_ns, uint32_t count);
struct result *stored_failure(enum status status, const char *message);

// 5 configurations of the spec: 3 correct, one of them measured twice, a timeout and a compile
// error.
void stored_fill(struct store *s, const struct spec *spec, const struct device_info *device);

#endif
