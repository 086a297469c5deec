// How fine the clock of events is. What CL_DEVICE_PROFILING_TIMER_RESOLUTION says is a claim: a
// driver may say 1 ns and count in microseconds. So a few small commands are timed when a device is
// opened, and the largest step that all their times are multiples of counts where it is coarser.
#include "device/opencl.h"

#include <string.h>

#define COMMANDS 32

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// Of the distances of all times from the first; 0 when nothing was learnt.
static uint64_t step_of(const struct opencl *o, const cl_event *events, cl_uint count)
{
    static const cl_profiling_info ends[] = {CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
    cl_ulong first = 0, at = 0;
    uint64_t step = 0;
    for (cl_uint i = 0; i < 2 * count; i++) {
        if (o->cl.clGetEventProfilingInfo(events[i / 2], ends[i % 2], sizeof at, &at, NULL))
            return 0;
        first = i ? first : at;
        step = common_divisor(step, at > first ? at - first : first - at);
    }
    return step;
}

// Commands that fail cost the knowledge, nothing else: what is wrong will show itself.
static uint64_t measured_step(struct opencl *o, cl_mem m)
{
    static const uint8_t zero = 0;
    cl_event events[COMMANDS];
    cl_uint count = 0;
    uint64_t step = 0;
    while (count < COMMANDS && o->cl.clEnqueueFillBuffer(o->queue, m, &zero, 1, 0, 16, 0, NULL,
                                                         &events[count]) == CL_SUCCESS)
        count++;
    if (o->cl.clFinish(o->queue) == CL_SUCCESS && count == COMMANDS)
        step = step_of(o, events, count);
    for (cl_uint i = 0; i < count; i++)
        o->cl.clReleaseEvent(events[i]);
    return step;
}

uint64_t opencl_timer_ns(struct opencl *o, uint64_t claimed)
{
    cl_int code;
    cl_mem m = o->cl.clCreateBuffer(o->context, CL_MEM_READ_WRITE, 16, NULL, &code);
    uint64_t step = m ? measured_step(o, m) : 0;
    if (m)
        o->cl.clReleaseMemObject(m);
    claimed = claimed ? claimed : 1;
    return step > claimed ? step : claimed;
}
