// CUPTI's range profiler, opened at run time: the functions and parameters that are used, declared here as cuda_api.h declares
// those of the driver. A test holds them against NVIDIA's headers where there are any.
#pragma once

#include "device/backends/cuda/cuda_api.h"

#include <stdint.h>

// Each parameter begins with the size up to its last member, and a pointer of CUPTI's own.
#define CUPTI_HEAD                                                                                 \
    size_t size;                                                                                   \
    void *own
#define CUPTI_UP_TO(type, member) (offsetof(type, member) + sizeof((type *)0)->member)

struct cupti_nothing {
    CUPTI_HEAD;
};

struct cupti_chip {
    CUPTI_HEAD;
    size_t device;
    const char *name; // out
};

// Host objects schedule metrics and compute their values.
struct cupti_host {
    CUPTI_HEAD;
    int kind; // CUPTI_RANGE_PROFILER
    const char *chip;
    const uint8_t *available;
    void *host; // out
};

struct cupti_host_end {
    CUPTI_HEAD;
    void *host;
};

struct cupti_metric {
    CUPTI_HEAD;
    void *host;
    const char *name, *description, *unit, *dimension;
    int type;
};

struct cupti_metrics {
    CUPTI_HEAD;
    void *host;
    const char **names;
    size_t count;
};

struct cupti_plan_size {
    CUPTI_HEAD;
    void *host;
    size_t bytes; // out
};

struct cupti_plan {
    CUPTI_HEAD;
    void *host;
    size_t bytes;
    uint8_t *plan;
};

struct cupti_values {
    CUPTI_HEAD;
    void *host;
    const uint8_t *data;
    size_t bytes, range;
    const char **names;
    size_t count;
    double *values;
};

// Profilers run the plan on a context.
struct cupti_enable {
    CUPTI_HEAD;
    CUcontext context;
    void *profiler; // out
};

struct cupti_profiler {
    CUPTI_HEAD;
    void *profiler;
};

struct cupti_data_size {
    CUPTI_HEAD;
    void *profiler;
    const char **names;
    size_t count, ranges;
    uint32_t nodes;
    size_t bytes; // out
};

struct cupti_data {
    CUPTI_HEAD;
    void *profiler;
    size_t bytes;
    uint8_t *data;
};

struct cupti_config {
    CUPTI_HEAD;
    void *profiler;
    size_t plan_bytes;
    const uint8_t *plan;
    size_t data_bytes;
    uint8_t *data;
    int range, replay; // CUPTI_AUTO_RANGE, CUPTI_USER_REPLAY
    size_t ranges;
    uint16_t levels, least_level;
    size_t pass;
    uint16_t level;
};

struct cupti_stop {
    CUPTI_HEAD;
    void *profiler;
    size_t pass, level;
    uint8_t is_over; // out
};

struct cupti_decode {
    CUPTI_HEAD;
    void *profiler;
    size_t dropped; // out
};

enum {
    CUPTI_OK = 0,
    CUPTI_VIRTUAL = 33,
    CUPTI_NOT_PERMITTED = 35,
    CUPTI_VIRTUAL_NOT_PERMITTED = 40,

    CUPTI_RANGE_PROFILER = 0,
    CUPTI_AUTO_RANGE = 1,
    CUPTI_USER_REPLAY = 3
};

// X(name, parameters)
#define CUPTI_FUNCTIONS(X)                                                                         \
    X(cuptiGetVersion, (uint32_t * out))                                                           \
    X(cuptiGetResultString, (int code, const char **text))                                         \
    X(cuptiProfilerInitialize, (struct cupti_nothing *))                                           \
    X(cuptiDeviceGetChipName, (struct cupti_chip *))                                               \
    X(cuptiProfilerHostInitialize, (struct cupti_host *))                                          \
    X(cuptiProfilerHostDeinitialize, (struct cupti_host_end *))                                    \
    X(cuptiProfilerHostGetMetricProperties, (struct cupti_metric *))                               \
    X(cuptiProfilerHostConfigAddMetrics, (struct cupti_metrics *))                                 \
    X(cuptiProfilerHostGetConfigImageSize, (struct cupti_plan_size *))                             \
    X(cuptiProfilerHostGetConfigImage, (struct cupti_plan *))                                      \
    X(cuptiProfilerHostEvaluateToGpuValues, (struct cupti_values *))                               \
    X(cuptiRangeProfilerEnable, (struct cupti_enable *))                                           \
    X(cuptiRangeProfilerDisable, (struct cupti_profiler *))                                        \
    X(cuptiRangeProfilerGetCounterDataSize, (struct cupti_data_size *))                            \
    X(cuptiRangeProfilerCounterDataImageInitialize, (struct cupti_data *))                         \
    X(cuptiRangeProfilerSetConfig, (struct cupti_config *))                                        \
    X(cuptiRangeProfilerStart, (struct cupti_profiler *))                                          \
    X(cuptiRangeProfilerStop, (struct cupti_stop *))                                               \
    X(cuptiRangeProfilerDecodeData, (struct cupti_decode *))

struct cupti_api {
#define X(name, parameters) int(*name) parameters;
    CUPTI_FUNCTIONS(X)
#undef X
};

