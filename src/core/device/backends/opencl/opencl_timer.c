// How fine the clock of events is, and whether it is one. What CL_DEVICE_PROFILING_TIMER_RESOLUTION
// says is a claim: a driver may say 1 ns and count in microseconds. So a few small commands are
// timed when a device is opened, and the largest step that all their times are multiples of counts
// where it is coarser. A pause of the host's between two of them must be seen by both clocks.
#include "device/backends/opencl/opencl.h"

#include "os/process.h"
#include "base/text.h"
#include "expr/integer.h"

#include <time.h>

#define COMMANDS 32

// ---- do they agree with the host's clock?

// Long enough to tell clocks apart that run at different speeds, in milliseconds of the worker's
// start.
#define PAUSE_NS UINT64_C(1000000)
#define SLACK_NS UINT64_C(1000000)
#define FINE_NS  200 // a clock that counts in such steps sees that a command takes time

struct times {
    cl_ulong start, end;
};

struct seen {
    struct times one, all[COMMANDS]; // of the command before the pause, and of those after it
    uint64_t before_ns, pause_ns, paused_ns, after_ns; // host: all over, and the pause from .. to
};

static void find_fault(const struct seen *s, uint64_t step, char *out, size_t size)
{
    uint64_t least = s->paused_ns - s->pause_ns, most = s->after_ns - s->before_ns;
    uint64_t moved = s->all[0].start - s->one.end; // of no meaning where the first is earlier
    bool lasts = s->one.end != s->one.start;
    for (int i = 0; i < COMMANDS; i++) {
        const struct times *t = &s->all[i];
        lasts = lasts || t->end != t->start;
        if (t->start == 0 || t->end < t->start || t->start < s->one.start) {
            str_format(out, size, "its events say that a command ran from %llu to %llu ns",
                       (unsigned long long)t->start, (unsigned long long)t->end);
            return;
        }
    }
    if (s->all[0].start < s->one.end || moved < least / 2 || moved > most + most / 4 + SLACK_NS)
        str_format(out, size, "its events say %lld ns for a pause of %llu",
                   (long long)(s->all[0].start - s->one.end), (unsigned long long)least);
    else if (!lasts && step <= FINE_NS)
        str_format(out, size, "its events say that each command ends when it begins");
}

void opencl_tell_time(cl_int code, char *out, size_t size)
{
    char text[128];
    str_format(out, size, "clGetEventProfilingInfo: %s", opencl_code_text(code, text));
}

static cl_int times_of(const struct opencl *o, const cl_event *events, cl_uint count,
                       struct times *out)
{
    cl_int code = CL_SUCCESS;
    for (cl_uint i = 0; i < count && code == CL_SUCCESS; i++) {
        code = o->cl.clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_START,
                                             sizeof out[i].start, &out[i].start, NULL);
        if (code == CL_SUCCESS)
            code = o->cl.clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_END,
                                                 sizeof out[i].end, &out[i].end, NULL);
    }
    return code;
}

// The common divisor of all times' distances from the first; 0 if nothing was learnt.
static uint64_t step_of(const struct times *all)
{
    uint64_t step = 0;
    for (int i = 0; i < 2 * COMMANDS; i++) {
        uint64_t at = i % 2 ? all[i / 2].end : all[i / 2].start;
        step =
            integer_common_divisor(step, at > all[0].start ? at - all[0].start : all[0].start - at);
    }
    return step;
}

// Fills and waits for them.
static bool run_fills(struct opencl *o, cl_mem m, cl_event *events, cl_uint wanted, cl_uint *count)
{
    static const uint8_t zero = 0;
    *count = 0;
    while (*count < wanted && o->cl.clEnqueueFillBuffer(o->queue, m, &zero, 1, 0, 16, 0, NULL,
                                                        &events[*count]) == CL_SUCCESS)
        ++*count;
    return o->cl.clFinish(o->queue) == CL_SUCCESS && *count == wanted;
}

static void release(const struct opencl *o, const cl_event *events, cl_uint count)
{
    for (cl_uint i = 0; i < count; i++)
        o->cl.clReleaseEvent(events[i]);
}

// Commands that fail cost the knowledge, nothing else: what is wrong will show itself. Without their
// times there is no clock.
static uint64_t measured_step(struct opencl *o, cl_mem m, char *fault, size_t size)
{
    const struct timespec pause = {.tv_nsec = (long)PAUSE_NS};
    cl_event one, events[COMMANDS];
    cl_uint ones = 0, count = 0;
    struct seen s = {.before_ns = clock_ns()};
    uint64_t step = 0;
    bool ok = run_fills(o, m, &one, 1, &ones);
    s.pause_ns = clock_ns();
    nanosleep(&pause, NULL);
    s.paused_ns = clock_ns();
    ok = ok && run_fills(o, m, events, COMMANDS, &count);
    s.after_ns = clock_ns();
    cl_int code = ok ? times_of(o, &one, 1, &s.one) : CL_SUCCESS;
    if (ok && code == CL_SUCCESS)
        code = times_of(o, events, COMMANDS, s.all);
    if (code != CL_SUCCESS)
        opencl_tell_time(code, fault, size);
    else if (ok) {
        step = step_of(s.all);
        find_fault(&s, step, fault, size);
    }
    release(o, &one, ones);
    release(o, events, count);
    return step;
}

void opencl_timer(struct opencl *o, struct device_info *info, char *fault, size_t size)
{
    cl_int code;
    cl_mem m = o->cl.clCreateBuffer(o->context, CL_MEM_READ_WRITE, 16, NULL, &code);
    uint64_t claimed = info->timer_ns ? info->timer_ns : 1;
    uint64_t step = m ? measured_step(o, m, fault, size) : 0;
    if (m)
        o->cl.clReleaseMemObject(m);
    info->timer_ns = step > claimed ? step : claimed;
}
