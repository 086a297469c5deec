// Holds the queue until a block of launches is in it.
//
// NVIDIA's driver takes 8 us to enqueue a launch, and 15 with an event to profile. So a kernel that
// only waits goes first (device/hold.h). OpenCL C has no clock: the kernel takes steps, whose time is
// learnt from its own event. What cannot be held is timed as it comes.
#include "device/backends/opencl/opencl.h"

#include "os/process.h"

#define STEP_NS 10.0 // of a GPU that was not tried yet

extern const char opencl_hold_text[]; // device/kernels/opencl_hold_text.cl

// Where the host's clock times launches, the wait would be part of them.
static bool can_hold(struct opencl *o)
{
    if (o->info->type != DEVICE_GPU || (o->info->timer_fault && *o->info->timer_fault))
        return false;
    if (!o->hold.tried)
        o->hold.kernel = opencl_own_kernel(o, opencl_hold_text, "hone_hold", NULL);
    o->hold.tried = true;
    return o->hold.kernel != NULL;
}

static cl_uint steps_for(const struct opencl *o, uint32_t commands)
{
    double step = o->hold.step_ns > 0 ? o->hold.step_ns : STEP_NS;
    return (cl_uint)((double)hold_for(&o->hold.pace, commands) / step) + 1;
}

void opencl_hold(struct opencl *o, const struct run *run, struct opencl_held *h)
{
    const size_t one = 1;
    *h = (struct opencl_held){.commands = run->count * run->batch};
    if (!run->metered && !run->watch && can_hold(o)) {
        h->steps = steps_for(o, h->commands);
        if (o->cl.clSetKernelArg(o->hold.kernel, 0, sizeof h->steps, &h->steps) == CL_SUCCESS &&
            o->cl.clEnqueueNDRangeKernel(o->queue, o->hold.kernel, 1, NULL, &one, &one, 0, NULL,
                                         &h->event) == CL_SUCCESS)
            o->cl.clFlush(o->queue);
    }
    h->from_ns = clock_ns();
}

void opencl_hold_filled(struct opencl *o, const struct opencl_held *h)
{
    if (h->event) // else the launches may have waited in the call
        hold_learn(&o->hold.pace, h->commands, clock_ns() - h->from_ns);
}

// A step is shorter once the clock is up: the shorter time counts at once.
static void learn_step(struct opencl *o, const struct opencl_held *h)
{
    cl_ulong start = 0, end = 0;
    if (o->cl.clGetEventProfilingInfo(h->event, CL_PROFILING_COMMAND_START, sizeof start, &start,
                                      NULL) != CL_SUCCESS ||
        o->cl.clGetEventProfilingInfo(h->event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) !=
            CL_SUCCESS ||
        end <= start)
        return;
    double step = (double)(end - start) / h->steps, known = o->hold.step_ns;
    o->hold.step_ns = known > 0 && step > known ? (known + step) / 2 : step;
}

void opencl_hold_over(struct opencl *o, struct opencl_held *h, bool ran)
{
    if (!h->event)
        return;
    if (ran)
        learn_step(o, h);
    o->cl.clReleaseEvent(h->event);
    h->event = NULL;
}

void opencl_hold_release(struct opencl *o)
{
    opencl_own_free(o, o->hold.kernel);
    o->hold.kernel = NULL;
}
