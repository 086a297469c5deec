// Commands and their events. A command runs when it is enqueued, but for a launch that waits for a
// user event: it runs when that is set. Each takes its time of a clock that keeps up with the
// host's.
#include "fake.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#define HOLD_STEP_NS 4

static uint64_t now_ns;

static cl_ulong stamp(void)
{
    cl_ulong tick = fake_number("FAKE_CL_TICK_NS", 1);
    if (fake_is("FAKE_CL_LIE", "zero", ""))
        return 0;
    return now_ns / (tick ? tick : 1) * tick;
}

void fake_wait(void)
{
    fake_clock_wait(now_ns);
}

// What events say of a command that ran in that time.
static void lie(cl_event e)
{
    static unsigned commands;
    if (++commands <= fake_number("FAKE_CL_HONEST", 0))
        return;
    if (fake_is("FAKE_CL_TIMES", "instant", ""))
        e->end = e->start;
    else if (fake_is("FAKE_CL_TIMES", "backwards", ""))
        e->end = e->start - 1;
    else if (fake_is("FAKE_CL_TIMES", "slow", ""))
        e->start /= 1000, e->end /= 1000;
    else if (fake_is("FAKE_CL_TIMES", "fast", ""))
        e->start *= 1000, e->end *= 1000;
}

static void take_time(cl_event e, cl_ulong ns)
{
    static unsigned gaps;
    fake_clock_begin(&now_ns);
    now_ns += 97 + ++gaps % 7; // so that not every time is a multiple of the same
    e->start = stamp();
    now_ns += ns;
    e->end = stamp();
    lie(e);
}

// Gives the event of a command that has run, or drops it.
static cl_int done(cl_event *out, cl_int status, cl_ulong ns)
{
    cl_event e = fake_new(sizeof *e);
    if (!e)
        return CL_OUT_OF_HOST_MEMORY;
    e->status = status;
    take_time(e, ns);
    if (out)
        *out = e;
    else
        fake_free(e);
    return CL_SUCCESS;
}

static cl_ulong command_ns(void)
{
    return fake_number("FAKE_CL_COMMAND_NS", 10000);
}

static bool is_inside(cl_mem m, size_t at, size_t length)
{
    return at <= m->size && length <= m->size - at;
}

// ---- memory

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem m, cl_bool wait, size_t at, size_t length,
                           void *to, cl_uint count, const cl_event *after, cl_event *out)
{
    cl_int code = fake_enter(__func__);
    (void)queue, (void)wait, (void)count, (void)after;
    if (code != CL_SUCCESS)
        return code;
    if (!is_inside(m, at, length))
        return CL_INVALID_VALUE;
    if (!fake_is("FAKE_CL_LIE", "unread", ""))
        memcpy(to, m->data + at, length);
    return done(out, CL_COMPLETE, command_ns());
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem m, cl_bool wait, size_t at,
                            size_t length, const void *from, cl_uint count, const cl_event *after,
                            cl_event *out)
{
    cl_int code = fake_enter(__func__);
    (void)queue, (void)wait, (void)count, (void)after;
    if (code != CL_SUCCESS)
        return code;
    if (!is_inside(m, at, length))
        return CL_INVALID_VALUE;
    memcpy(m->data + at, from, length);
    return done(out, CL_COMPLETE, command_ns());
}

cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem m, const void *pattern, size_t size,
                           size_t at, size_t length, cl_uint count, const cl_event *after,
                           cl_event *out)
{
    cl_int code = fake_enter(__func__);
    (void)queue, (void)count, (void)after;
    if (code != CL_SUCCESS)
        return code;
    if (!is_inside(m, at, length) || size == 0 || length % size)
        return CL_INVALID_VALUE;
    for (size_t i = 0; i < length; i += size)
        memcpy(m->data + at + i, pattern, size);
    return done(out, CL_COMPLETE, command_ns());
}

static cl_int copy(const char *call, cl_mem from, size_t from_at, cl_mem to, size_t to_at,
                   size_t length, cl_event *out)
{
    cl_int code = fake_enter(call);
    if (code != CL_SUCCESS)
        return code;
    if (!is_inside(from, from_at, length) || !is_inside(to, to_at, length))
        return CL_INVALID_VALUE;
    memcpy(to->data + to_at, from->data + from_at, length);
    return done(out, CL_COMPLETE, command_ns());
}

cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_at,
                           size_t to_at, size_t length, cl_uint count, const cl_event *after,
                           cl_event *out)
{
    (void)queue, (void)count, (void)after;
    return copy(__func__, from, from_at, to, to_at, length, out);
}

cl_int clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_at,
                                  const size_t *origin, const size_t *region, cl_uint count,
                                  const cl_event *after, cl_event *out)
{
    (void)queue, (void)origin, (void)region, (void)count, (void)after;
    return copy(__func__, from, from_at, to, 0, to->size, out);
}

cl_int clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem from, cl_mem to,
                                  const size_t *origin, const size_t *region, size_t to_at,
                                  cl_uint count, const cl_event *after, cl_event *out)
{
    (void)queue, (void)origin, (void)region, (void)count, (void)after;
    return copy(__func__, from, 0, to, to_at, from->size, out);
}

void *clEnqueueMapBuffer(cl_command_queue queue, cl_mem m, cl_bool wait, cl_map_flags flags,
                         size_t at, size_t length, cl_uint count, const cl_event *after,
                         cl_event *out, cl_int *code)
{
    (void)queue, (void)wait, (void)flags, (void)length, (void)count, (void)after;
    *code = fake_enter(__func__);
    if (*code == CL_SUCCESS)
        *code = done(out, CL_COMPLETE, command_ns());
    return *code == CL_SUCCESS ? m->data + at : NULL;
}

cl_int clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem m, void *mapped, cl_uint count,
                               const cl_event *after, cl_event *out)
{
    cl_int code = fake_enter(__func__);
    (void)queue, (void)m, (void)mapped, (void)count, (void)after;
    return code == CL_SUCCESS ? done(out, CL_COMPLETE, command_ns()) : code;
}

// ---- launches

// hone's own, which only waits: it is no launch of a user's, and kills no device.
static bool is_hold(cl_kernel k)
{
    return strcmp(k->declared.name, "hone_hold") == 0;
}

static cl_ulong launch_ns(cl_kernel k)
{
    char of_model[32];
    uint32_t steps;
    memcpy(&steps, k->arguments[0].value, sizeof steps);
    if (is_hold(k))
        return (cl_ulong)steps * HOLD_STEP_NS;
    snprintf(of_model, sizeof of_model, "FAKE_NS_MODEL_%u",
             (unsigned)fake_nth(fake_text("FAKE_CL_MODELS", "1"), fake_device(), 1));
    const char *ns = fake_define(k->options, of_model);
    ns = ns ? ns : fake_define(k->options, "FAKE_NS");
    uint64_t whole = ns ? strtoull(ns, NULL, 10) : command_ns();
    whole = whole * fake_nth(fake_text("FAKE_CL_SPEED", "100"), fake_device(), 100) / 100;
    whole = fake_drift(fake_text("FAKE_CL_DRIFT", ""), whole);
    return whole + fake_noise(whole * fake_number("FAKE_CL_NOISE", 0) / 1000000);
}

// How the outputs of this kernel are wrong; "": they are not.
static const char *lie_of(cl_kernel k)
{
    const char *of = fake_text("FAKE_CL_LIE_OF", "");
    bool meant = fake_is_meant() && (!*of || fake_is_built_with(k->options, of));
    return meant ? fake_text("FAKE_CL_LIE", "") : "";
}

static void operate(cl_kernel k, size_t work_items)
{
    struct operand operands[ARGUMENTS_MOST];
    for (unsigned i = 0; i < k->declared.count; i++) {
        const struct argument *a = &k->arguments[i];
        bool constant = k->declared.parameters[i].constant;
        operands[i] = (struct operand){.constant = constant, .value = a->value};
        if (a->memory) {
            operands[i].data = a->memory->data;
            operands[i].size = a->memory->size;
        }
    }
    fake_operate(&k->declared, operands, work_items, lie_of(k));
}

static void run(cl_event e)
{
    bool well = is_hold(e->kernel) || fake_launch(e->kernel->options);
    if (e->told)
        e->told(e, CL_RUNNING, e->context);
    if (well)
        operate(e->kernel, e->work_items);
    if (e->wanted)
        now_ns += fake_number("FAKE_CL_EVENT_NS", 0);
    take_time(e, launch_ns(e->kernel));
    e->status = well ? CL_COMPLETE : -9999;
}

// The kernel's arguments at a launch are those of that moment; hone changes none before it ran.
static cl_int launch(cl_kernel k, size_t work_items, cl_event after, cl_event *out)
{
    cl_event e = fake_new(sizeof *e);
    if (!e)
        return CL_OUT_OF_HOST_MEMORY;
    e->kernel = k;
    e->work_items = work_items;
    e->status = CL_QUEUED;
    e->wanted = out != NULL;
    if (after && after->status != CL_COMPLETE)
        after->after = e;
    else
        run(e);
    if (out)
        *out = e;
    else
        fake_free(e);
    return CL_SUCCESS;
}

static cl_int check_arguments(cl_kernel k)
{
    for (cl_uint i = 0; i < k->declared.count; i++) {
        if (!k->arguments[i].set)
            return CL_INVALID_KERNEL_ARGS;
    }
    return CL_SUCCESS;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel k, cl_uint dimensions,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint count, const cl_event *after, cl_event *out)
{
    cl_int code = fake_enter(__func__);
    size_t work_items = 1;
    (void)queue, (void)offset, (void)local;
    if (code == CL_SUCCESS)
        code = fake_dead("refuse") ? CL_OUT_OF_RESOURCES : check_arguments(k);
    if (code != CL_SUCCESS)
        return code;
    for (cl_uint i = 0; i < dimensions; i++)
        work_items *= global[i];
    fake_clock_enqueue();
    return launch(k, work_items, count ? after[0] : NULL, out);
}

// ---- events

cl_int clWaitForEvents(cl_uint count, const cl_event *events)
{
    cl_int code = fake_enter(__func__);
    if (code != CL_SUCCESS)
        return code;
    if (fake_dead("hang"))
        fake_hang();
    fake_wait();
    for (cl_uint i = 0; i < count; i++) {
        if (events[i]->status > CL_COMPLETE)
            fake_hang(); // nothing will ever set what it waits for
        if (events[i]->status < 0)
            return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    }
    return CL_SUCCESS;
}

cl_int clGetEventInfo(cl_event e, cl_event_info what, size_t room, void *out, size_t *needed)
{
    cl_int code = fake_enter(__func__);
    if (code == CL_SUCCESS && what != CL_EVENT_COMMAND_EXECUTION_STATUS)
        code = CL_INVALID_VALUE;
    return code == CL_SUCCESS ? fake_answer(&e->status, sizeof e->status, room, out, needed) : code;
}

cl_int clGetEventProfilingInfo(cl_event e, cl_profiling_info what, size_t room, void *out,
                               size_t *needed)
{
    cl_int code = fake_enter(__func__);
    cl_ulong at = what == CL_PROFILING_COMMAND_END ? e->end : e->start;
    if (code == CL_SUCCESS && e->status != CL_COMPLETE)
        code = CL_PROFILING_INFO_NOT_AVAILABLE;
    return code == CL_SUCCESS ? fake_answer(&at, sizeof at, room, out, needed) : code;
}

// A launch whose user event was never set is given up with its event.
cl_int clReleaseEvent(cl_event e)
{
    if (e->status == CL_QUEUED && e->told)
        e->told(e, CL_INVALID_EVENT, e->context);
    fake_free(e);
    return fake_enter(__func__);
}

cl_event clCreateUserEvent(cl_context context, cl_int *code)
{
    (void)context;
    *code = fake_enter(__func__);
    cl_event e = *code == CL_SUCCESS ? fake_new(sizeof *e) : NULL;
    if (!e)
        return NULL;
    e->user = true;
    e->status = CL_SUBMITTED;
    return e;
}

cl_int clSetUserEventStatus(cl_event e, cl_int status)
{
    cl_int code = fake_enter(__func__);
    if (code != CL_SUCCESS)
        return code;
    e->status = status;
    if (e->after)
        run(e->after);
    e->after = NULL;
    return CL_SUCCESS;
}

cl_int clSetEventCallback(cl_event e, cl_int type,
                          void(CL_CALLBACK *told)(cl_event, cl_int, void *), void *context)
{
    cl_int code = fake_enter(__func__);
    (void)type;
    if (code != CL_SUCCESS)
        return code;
    e->told = told;
    e->context = context;
    return CL_SUCCESS;
}

cl_int clFlush(cl_command_queue queue)
{
    (void)queue;
    return fake_enter(__func__);
}

cl_int clFinish(cl_command_queue queue)
{
    cl_int code = fake_enter(__func__);
    (void)queue;
    if (code == CL_SUCCESS && fake_dead("hang"))
        fake_hang();
    fake_wait();
    return code;
}
