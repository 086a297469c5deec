// What the tests of this folder share: a device to run on, and small jobs.
#ifndef HONE_TESTS_DEVICE_KIT_H
#define HONE_TESTS_DEVICE_KIT_H

#include "device/device.h"
#include "device/memory.h"

#include <check.h>

// ---- the suite

// Runs what `add` adds; the exit status of the program.
int kit_run(const char *name, void (*add)(TCase *tests));

// ---- a device

#define KIT_SKIPPED 77
// Says on stdout that the program is skipped when there is no device. Asks in a child process:
// threads of a driver do not survive the forks that check makes for each test.
bool kit_has_device(void);

// Is $HONE_TEST_DEVICE a CUDA device's ("cuda/...")? The tests' kernels are then given words for
// what they use of OpenCL C.
bool kit_on_cuda(void);
// Or the host's ("c/")? Its kernels are functions of C.
bool kit_on_c(void);

struct kit {
    struct arena arena; // of the list
    struct device_report list;
    struct device *device;
    char scratch[64];
};

// The id of the device that tests run on: the first whose id holds $HONE_TEST_DEVICE, else the
// first CPU, else the first. Empty when there is none.
const char *kit_device_id(struct arena *a);
void kit_open(struct kit *k, const char *cache);
void kit_open_as(struct kit *k, const struct device_options *options); // but for the scratch folder
// From now on the device's memory is treated as one that the host does not see: what is checked and
// compared is where it is. So from the start where $HONE_TEST_AS_GPU is set.
void kit_as_gpu(struct kit *k);
void kit_close(struct kit *k);

// Memory with these contents that the host does not see, as a GPU's, on any device; for
// memory_free().
struct memory kit_memory(struct kit *k, const void *data, uint64_t bytes);

// ---- jobs; everything lives in the job's arena

struct job *kit_job(const char *source);
void kit_source(struct job *j, const char *source);
// Adds a buffer of floats and returns its index.
uint32_t kit_buffer(struct job *j, const char *name, uint64_t count, enum access access);
// Uniform in [-0.5, 0.5).
void kit_random(struct job *j, uint32_t buffer, uint64_t seed);
void kit_constant(struct job *j, uint32_t buffer, double value);
// One launch over all buffers in their order.
struct job_launch *kit_launch(struct job *j, const char *kernel, uint64_t global, uint64_t local);
void kit_option(struct job *j, const char *option);
// Expect these values of a buffer, held to COMPARE_EXACT.
void kit_expect(struct job *j, uint32_t buffer, const float *values);

// Loads, verifies and unloads. The caller frees the result.
struct result *kit_verify(struct kit *k, const struct job *j);
struct result *kit_verify_take(struct kit *k, struct job *j); // the job is freed

// What a result must be, with the message in the report when it is not.
#define ck_status(r, expected)                                                                     \
    ck_assert_msg((r)->status == (expected), "%s (fault %s): %s", status_text((r)->status),        \
                  fault_text((r)->fault), (r)->message)
#define ck_says(r, part)                                                                           \
    ck_assert_msg(strstr((r)->message, part) != NULL, "'%s' does not say '%s'", (r)->message, part)

#endif
