// libcupti.so.13: as much of the range profiler as hone-worker calls, in the order in which it must be called, else it answers
// INVALID_OPERATION. A call fails on order (FAKE_CUDA_FAIL=cuptiRangeProfilerEnable:35).
//
//   FAKE_CUPTI_PASSES  that all metrics take together (default 3)
//   FAKE_CUPTI_VALUES  NAME=NUMBER,...: values of metrics by a part of their names. One that is not named is the number of
//                      kernels in a pass, each of which is a range
//   FAKE_CUPTI_LACKS   a part of the names of metrics that the card does not have: one of these spoils its host object
#include "fake.h"

#include "device/backends/cuda/cupti_api.h"

#include <stdlib.h>
#include <string.h>

#define X(name, parameters) int name parameters;
CUPTI_FUNCTIONS(X)
#undef X

#define INVALID_PARAMETER 1
#define INVALID_OPERATION 4
#define PLAN              "FAKE PLAN"
#define DATA              "FAKE DATA"

enum step { STEP_NONE, STEP_ENABLED, STEP_CONFIGURED, STEP_STARTED };

static enum step step;
static bool is_initialized, is_decoded;
static unsigned passes, launches, first_launches, ranges;

// Enters a call that must be made at this step, with parameters of this size.
static int enter(const char *call, size_t given, size_t size, enum step wanted)
{
    int code = fake_enter(call);
    if (code != CUPTI_OK)
        return code;
    if (given != size)
        return INVALID_PARAMETER;
    return step == wanted ? CUPTI_OK : INVALID_OPERATION;
}

#define ENTER(p, wanted) enter(__func__, (p)->size, sizeof *(p), wanted)

int cuptiGetVersion(uint32_t *out)
{
    *out = 130001;
    return fake_enter(__func__);
}

int cuptiGetResultString(int code, const char **text)
{
    *text = code == INVALID_OPERATION ? "CUPTI_ERROR_INVALID_OPERATION" : "CUPTI_ERROR_UNKNOWN";
    return CUPTI_OK;
}

int cuptiProfilerInitialize(struct cupti_nothing *p)
{
    is_initialized = true;
    return ENTER(p, step);
}

int cuptiDeviceGetChipName(struct cupti_chip *p)
{
    p->name = "GH100";
    return ENTER(p, step);
}

// ---- the host

struct host {
    bool is_spoilt, has_metrics;
};

static bool is_lacking(const char *name)
{
    const char *lacks = fake_text("FAKE_CUPTI_LACKS", "");
    return *lacks && strstr(name, lacks);
}

int cuptiProfilerHostInitialize(struct cupti_host *p)
{
    p->host = fake_new(sizeof(struct host));
    return is_initialized && strcmp(p->chip, "GH100") == 0 ? ENTER(p, step) : INVALID_OPERATION;
}

int cuptiProfilerHostDeinitialize(struct cupti_host_end *p)
{
    fake_free(p->host);
    return ENTER(p, step);
}

int cuptiProfilerHostGetMetricProperties(struct cupti_metric *p)
{
    if (p->size != CUPTI_UP_TO(struct cupti_metric, type))
        return INVALID_PARAMETER;
    return is_lacking(p->name) ? INVALID_PARAMETER : fake_enter(__func__);
}

int cuptiProfilerHostConfigAddMetrics(struct cupti_metrics *p)
{
    struct host *host = p->host;
    for (size_t i = 0; i < p->count; i++)
        host->is_spoilt = host->is_spoilt || is_lacking(p->names[i]);
    host->has_metrics = p->count > 0;
    return host->is_spoilt ? INVALID_PARAMETER : ENTER(p, step);
}

int cuptiProfilerHostGetConfigImageSize(struct cupti_plan_size *p)
{
    p->bytes = sizeof PLAN;
    return ((struct host *)p->host)->has_metrics ? ENTER(p, step) : INVALID_OPERATION;
}

int cuptiProfilerHostGetConfigImage(struct cupti_plan *p)
{
    if (p->bytes != sizeof PLAN)
        return INVALID_PARAMETER;
    memcpy(p->plan, PLAN, sizeof PLAN);
    return ENTER(p, step);
}

static double value_of(const char *name)
{
    char values[1024], *end = values;
    strncpy(values, fake_text("FAKE_CUPTI_VALUES", ""), sizeof values - 1);
    values[sizeof values - 1] = '\0';
    for (char *one = strtok_r(values, ",", &end); one; one = strtok_r(NULL, ",", &end)) {
        char *is = strchr(one, '=');
        if (!is)
            continue;
        *is = '\0';
        if (strstr(name, one))
            return strtod(is + 1, NULL);
    }
    return launches;
}

int cuptiProfilerHostEvaluateToGpuValues(struct cupti_values *p)
{
    if (!is_decoded || p->range >= ranges || p->bytes != sizeof DATA ||
        memcmp(p->data, DATA, sizeof DATA) != 0)
        return INVALID_OPERATION;
    for (size_t i = 0; i < p->count; i++)
        p->values[i] = value_of(p->names[i]);
    return ENTER(p, STEP_CONFIGURED);
}

// ---- the profiler

int cuptiRangeProfilerEnable(struct cupti_enable *p)
{
    int code = ENTER(p, STEP_NONE);
    if (code != CUPTI_OK)
        return code;
    step = STEP_ENABLED;
    passes = 0;
    is_decoded = false;
    p->profiler = fake_new(1);
    return p->context == fake_context() && is_initialized ? CUPTI_OK : INVALID_PARAMETER;
}

int cuptiRangeProfilerDisable(struct cupti_profiler *p)
{
    fake_free(p->profiler);
    step = STEP_NONE;
    return ENTER(p, STEP_NONE);
}

int cuptiRangeProfilerGetCounterDataSize(struct cupti_data_size *p)
{
    p->bytes = sizeof DATA;
    ranges = (unsigned)p->ranges;
    return p->ranges > 0 && p->nodes == p->ranges ? ENTER(p, STEP_ENABLED) : INVALID_PARAMETER;
}

int cuptiRangeProfilerCounterDataImageInitialize(struct cupti_data *p)
{
    if (p->bytes != sizeof DATA)
        return INVALID_PARAMETER;
    memcpy(p->data, DATA, sizeof DATA);
    return ENTER(p, STEP_ENABLED);
}

int cuptiRangeProfilerSetConfig(struct cupti_config *p)
{
    int code = enter(__func__, p->size, CUPTI_UP_TO(struct cupti_config, level), STEP_ENABLED);
    bool is_sound = p->plan_bytes == sizeof PLAN && memcmp(p->plan, PLAN, sizeof PLAN) == 0 &&
                    p->data_bytes == sizeof DATA && memcmp(p->data, DATA, sizeof DATA) == 0 &&
                    p->range == CUPTI_AUTO_RANGE && p->replay == CUPTI_USER_REPLAY &&
                    p->ranges == ranges && p->levels == 1;
    step = STEP_CONFIGURED;
    return code != CUPTI_OK || is_sound ? code : INVALID_PARAMETER;
}

int cuptiRangeProfilerStart(struct cupti_profiler *p)
{
    int code = ENTER(p, STEP_CONFIGURED);
    step = STEP_STARTED;
    first_launches = fake_count("cuLaunchKernel");
    return code;
}

int cuptiRangeProfilerStop(struct cupti_stop *p)
{
    int code = enter(__func__, p->size, CUPTI_UP_TO(struct cupti_stop, is_over), STEP_STARTED);
    unsigned now = fake_count("cuLaunchKernel") - first_launches;
    step = STEP_CONFIGURED;
    if (now != ranges || (passes > 0 && now != launches))
        return INVALID_OPERATION;
    launches = now;
    p->is_over = ++passes >= fake_number("FAKE_CUPTI_PASSES", 3);
    return code;
}

int cuptiRangeProfilerDecodeData(struct cupti_decode *p)
{
    is_decoded = passes >= fake_number("FAKE_CUPTI_PASSES", 3);
    return ENTER(p, STEP_CONFIGURED);
}
