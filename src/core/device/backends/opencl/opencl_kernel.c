// Kernels: their limits and arguments, launching, and the times of their events.
#include "device/backends/opencl/opencl.h"

#include "os/process.h"
#include "base/text.h"
#include "device/limits.h"
#include "device/nvidia_log.h"
#include "device/occupancy.h"
#include "model/declared.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// PoCL makes one function for grids narrower than this along every axis, and another for the rest.
#define POCL_NARROW_GRID 65535

// ---- creating

static bool report_name(struct opencl *o, cl_program program, const struct job_launch *l,
                        cl_int code, struct result *r)
{
    char names[1024] = "", text[128];
    struct text known = TEXT_INIT;
    o->cl.clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof names - 1, names, NULL);
    for (const char *c = names; *c; c++)
        text_addn(&known, *c == ';' ? ", " : c, *c == ';' ? 2 : 1);
    if (code == CL_INVALID_KERNEL_NAME)
        result_fail(r, STATUS_COMPILE, FAULT_SPEC, "kernel '%s' is not in the program; it has: %s",
                    l->kernel, known.length ? known.data : "none");
    text_release(&known);
    if (code == CL_INVALID_KERNEL_NAME)
        return false;
    return result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION, "kernel '%s': clCreateKernel: %s",
                       l->kernel, opencl_code_text(code, text));
}

static bool check_argument_count(struct opencl *o, cl_kernel kernel, const struct job_launch *l,
                                 struct result *r)
{
    cl_uint count = 0;
    return o->cl.clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL) ||
           limits_check_arguments(l, count, r);
}

static uint64_t kernel_number(struct opencl *o, cl_kernel kernel, cl_kernel_work_group_info what)
{
    uint64_t n = 0;
    if (o->cl.clGetKernelWorkGroupInfo(kernel, o->device, what, sizeof n, &n, NULL))
        return 0;
    return n;
}

// Checks reqd_work_group_size: the driver would refuse the launch without naming it.
static bool check_required(struct opencl *o, cl_kernel kernel, const struct job_launch *l,
                           struct result *r)
{
    size_t required[3] = {0, 0, 0};
    return o->cl.clGetKernelWorkGroupInfo(kernel, o->device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                          sizeof required, required, NULL) != CL_SUCCESS ||
           limits_check_required(l, required, r);
}

// NVIDIA reports 48 KiB of local memory but runs kernels with several times as much, and 256
// work-items for any kernel that does not name its work-group but runs it with 1024: only trying
// tells.
static bool check_limits(struct opencl *o, const struct job_launch *l,
                         const struct resources *resources, struct result *r)
{
    if (o->nvidia)
        return true;
    return limits_check_kernel(l, o->info, (uint64_t)resources->max_group_size,
                               (uint64_t)resources->local_bytes, r);
}

// PoCL's headers rename OpenCL's functions, and with them a kernel of such a name: `dot`, `step`.
static cl_kernel create_kernel(struct opencl *o, cl_program program, const char *name, cl_int *code)
{
    cl_kernel kernel = o->cl.clCreateKernel(program, name, code);
    cl_int renamed_code;
    char renamed[256];
    if (kernel || *code != CL_INVALID_KERNEL_NAME)
        return kernel;
    str_format(renamed, sizeof renamed, "_cl_%s", name);
    return o->cl.clCreateKernel(program, renamed, &renamed_code);
}

void *opencl_kernel_new(void *own, void *program, const struct job_launch *l, const char *log,
                        struct resources *resources, struct result *r)
{
    struct opencl *o = own;
    cl_int code;
    cl_kernel kernel = create_kernel(o, program, l->kernel, &code);
    if (!kernel) {
        report_name(o, program, l, code, r);
        return NULL;
    }
    uint64_t local = kernel_number(o, kernel, CL_KERNEL_LOCAL_MEM_SIZE);
    resources->max_group_size = (int64_t)kernel_number(o, kernel, CL_KERNEL_WORK_GROUP_SIZE);
    resources->preferred_multiple =
        (int64_t)kernel_number(o, kernel, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
    resources->private_bytes = (int64_t)kernel_number(o, kernel, CL_KERNEL_PRIVATE_MEM_SIZE);
    resources->local_bytes = (int64_t)local;
    if (o->nvidia)
        nvidia_log_resources(log, l->kernel, resources);
    resources->local_bytes += (int64_t)limits_local_arguments(l);
    if (o->nvidia)
        resources->groups_per_unit = occupancy_groups(o->info, l, resources);
    if (check_argument_count(o, kernel, l, r) && check_required(o, kernel, l, r) &&
        check_limits(o, l, resources, r))
        return kernel;
    o->cl.clReleaseKernel(kernel);
    return NULL;
}

void opencl_kernel_free(void *own, void *kernel)
{
    if (kernel)
        ((struct opencl *)own)->cl.clReleaseKernel(kernel);
}

// ---- arguments

static cl_int set_argument(struct opencl *o, cl_kernel kernel, cl_uint index,
                           const struct job_argument *a, struct memory *const *memory)
{
    if (a->kind == ARGUMENT_LOCAL)
        return o->cl.clSetKernelArg(kernel, index, (size_t)a->local_bytes, NULL);
    if (a->kind == ARGUMENT_NULL)
        return o->cl.clSetKernelArg(kernel, index, sizeof(cl_mem), NULL);
    if (a->kind == ARGUMENT_SCALAR)
        return o->cl.clSetKernelArg(kernel, index, (size_t)a->length, a->value);
    if (a->kind == ARGUMENT_SAMPLER) {
        cl_int code;
        cl_sampler sampler = opencl_sampler(o, &a->sampler, &code);
        return sampler ? o->cl.clSetKernelArg(kernel, index, sizeof sampler, &sampler) : code;
    }
    const struct memory *m = memory[a->buffer];
    cl_mem view = m->image ? opencl_image_view(m) : m->view;
    return o->cl.clSetKernelArg(kernel, index, sizeof view, &view);
}

// "float factor": an argument as the source has it; "" where the driver does not keep that.
static void declared(struct opencl *o, cl_kernel kernel, cl_uint index, char *out, size_t size)
{
    char type[64] = "", name[64] = "";
    o->cl.clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL);
    o->cl.clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_NAME, sizeof name, name, NULL);
    str_format(out, size, "%s%s%s", type, *type && *name ? " " : "", *type ? name : "");
}

// A type or size that does not fit is the spec's doing; anything else the driver's.
static bool is_mismatch(cl_int code)
{
    static const cl_int codes[] = {
        CL_SUCCESS,           CL_INVALID_ARG_SIZE,   CL_INVALID_ARG_VALUE,
        CL_INVALID_ARG_INDEX, CL_INVALID_MEM_OBJECT, CL_INVALID_SAMPLER};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (codes[i] == code)
            return true;
    }
    return false;
}

static bool report_argument(struct opencl *o, cl_kernel kernel, const struct job *j,
                            const struct job_launch *l, uint32_t index, cl_int code,
                            struct result *r)
{
    static const char *const kinds[ARGUMENT_KINDS] = {
        [ARGUMENT_BUFFER] = "a buffer",    [ARGUMENT_SCALAR] = "a scalar",
        [ARGUMENT_LOCAL] = "local memory", [ARGUMENT_NULL] = "null",
        [ARGUMENT_SAMPLER] = "a sampler",
    };
    const struct job_argument *a = &l->arguments[index];
    char text[128], type[32] = "", wanted[160];
    if (!is_mismatch(code))
        return result_fail(
            r, STATUS_RUNTIME, FAULT_CONFIGURATION,
            "kernel '%s', argument %u ('%s'): %sclSetKernelArg: %s", l->kernel, index + 1, a->name,
            a->kind == ARGUMENT_SAMPLER ? "clCreateSampler or " : "", opencl_code_text(code, text));
    const struct passed given = declared_passed(j, a);
    if (a->kind != ARGUMENT_LOCAL && a->kind != ARGUMENT_SAMPLER)
        element_name(&given.element, type);
    declared(o, kernel, index, wanted, sizeof wanted);
    return result_fail(r, STATUS_COMPILE, FAULT_TYPE,
                       "kernel '%s', argument %u: the spec gives %s%s%s%s '%s', but the kernel "
                       "takes %s%s%s there%s%s",
                       l->kernel, index + 1, given.is_image ? "an image" : kinds[a->kind],
                       *type ? " (" : "", type, *type ? ")" : "", a->name, *wanted ? "'" : "",
                       *wanted ? wanted : "something else", *wanted ? "'" : "",
                       code ? ": clSetKernelArg: " : "", code ? opencl_code_text(code, text) : "");
}

// "float4*": what the argument's type is made of.
static void parse_type(const char *type, struct declared *out)
{
    char words[64];
    size_t length = strcspn(type, "*");
    bool is_plain = type[length] == '\0' || type[length + 1] == '\0';
    str_format(words, sizeof words, "%.*s", (int)(length < 63 ? length : 63), type);
    out->has_element = is_plain && declared_parse(words, LANGUAGE_OPENCL, &out->element);
}

// The declared parameter, which clSetKernelArg() does not check: a size may fit by chance. Unknown
// if the driver does not keep the source's declarations.
static struct declared declared_argument(struct opencl *o, cl_kernel kernel, cl_uint index)
{
    char type[64] = "";
    struct declared d = {.kind = DECLARED_UNKNOWN};
    cl_kernel_arg_address_qualifier space;
    if (o->cl.clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space,
                                 &space, NULL))
        return d;
    d.kind = space == CL_KERNEL_ARG_ADDRESS_PRIVATE ? DECLARED_VALUE : DECLARED_POINTER;
    d.space = space == CL_KERNEL_ARG_ADDRESS_LOCAL ? SPACE_LOCAL : SPACE_GLOBAL;
    if (o->cl.clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL) ==
            CL_SUCCESS &&
        *type) {
        enum declared_kind image = declared_image_kind(type);
        d.kind = image != DECLARED_UNKNOWN ? image : d.kind;
        parse_type(type, &d);
    }
    return d;
}

static bool takes(struct opencl *o, cl_kernel kernel, cl_uint index, const struct job *j,
                  const struct job_argument *a)
{
    const struct declared d = declared_argument(o, kernel, index);
    const struct passed p = declared_passed(j, a);
    return declared_check(&d, &p, LANGUAGE_OPENCL) == DECLARED_FITS;
}

bool opencl_kernel_bind(void *own, void *kernel, const struct job *j, const struct job_launch *l,
                        struct memory *const *memory, struct result *r)
{
    for (uint32_t i = 0; i < l->argument_count; i++) {
        if (!takes(own, kernel, i, j, &l->arguments[i]))
            return report_argument(own, kernel, j, l, i, CL_SUCCESS, r);
        cl_int code = set_argument(own, kernel, i, &l->arguments[i], memory);
        if (code != CL_SUCCESS)
            return report_argument(own, kernel, j, l, i, code, r);
    }
    return true;
}

// ---- launching

static const struct {
    cl_int code;
    enum status status;
} refusals[] = {
    {CL_INVALID_WORK_GROUP_SIZE, STATUS_CONSTRAINTS},
    {CL_INVALID_WORK_ITEM_SIZE, STATUS_CONSTRAINTS},
    {CL_OUT_OF_RESOURCES, STATUS_CONSTRAINTS},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, STATUS_CONSTRAINTS},
};

// Reports the driver's refusal of a launch, before anything ran.
static bool report_refusal(const struct job_launch *l, const char *call, cl_int code,
                           struct result *r)
{
    char text[128], global[80], local[80] = "";
    enum status status = STATUS_RUNTIME;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        if (refusals[i].code == code)
            status = refusals[i].status;
    }
    limits_sizes_text(l, l->global, global, sizeof global);
    limits_sizes_text(l, l->local, local, sizeof local);
    result_fail(r, status, FAULT_CONFIGURATION, "kernel '%s': %s: %s (global %s, local %s)",
                l->kernel, call, opencl_code_text(code, text), global,
                l->local[0] ? local : "by the driver");
    r->device_limit = status == STATUS_CONSTRAINTS;
    // Some drivers make buffers when they are first used, and others may then hold the memory.
    if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE)
        r->fault = FAULT_SURROUNDINGS;
    return false;
}

static cl_int enqueue(struct opencl *o, cl_kernel kernel, const struct job_launch *l,
                      const uint64_t sizes[3], const cl_event *after, cl_event *event)
{
    size_t global[3] = {1, 1, 1}, local[3] = {1, 1, 1};
    for (uint32_t i = 0; i < l->dimensions; i++) {
        global[i] = (size_t)sizes[i];
        local[i] = (size_t)l->local[i];
    }
    return o->cl.clEnqueueNDRangeKernel(o->queue, kernel, l->dimensions, NULL, global,
                                        l->local[0] ? local : NULL, after ? 1 : 0, after, event);
}

// One work-group along each axis, but as wide a grid as decides which function PoCL compiles.
static void prime_sizes(const struct job_launch *l, uint64_t sizes[3])
{
    bool wide = false;
    for (uint32_t i = 0; i < l->dimensions; i++) {
        uint64_t local = l->local[i] ? l->local[i] : l->global[i];
        sizes[i] = local;
        if (wide || l->global[i] < POCL_NARROW_GRID)
            continue;
        sizes[i] = (POCL_NARROW_GRID + local - 1) / local * local;
        wide = true;
    }
}

// A launch that tells when it compiles and when it runs. The driver calls back on a thread of its
// own, at the latest after the launch is over and forgotten: whoever of the two comes last frees
// this.
struct watched {
    pthread_mutex_t mutex;
    const struct watch *watch; // NULL once the launch is over
    unsigned holders;
};

static void let_go(struct watched *w)
{
    pthread_mutex_lock(&w->mutex);
    bool last = --w->holders == 0;
    w->watch = NULL;
    pthread_mutex_unlock(&w->mutex);
    if (!last)
        return;
    pthread_mutex_destroy(&w->mutex);
    free(w);
}

// PoCL calls this before the first work-group starts, and starts none until it returns: a kernel
// that ends the process ends it after this was told.
static void CL_CALLBACK on_running(cl_event event, cl_int status, void *context)
{
    struct watched *w = context;
    (void)event, (void)status;
    pthread_mutex_lock(&w->mutex);
    if (w->watch)
        w->watch->tell(w->watch->context, false);
    pthread_mutex_unlock(&w->mutex);
    let_go(w);
}

// The launch waits for a gate that opens when the callback is registered: a kernel whose code is at
// hand could else be over before. *call: what failed.
static cl_int enqueue_told(struct opencl *o, cl_kernel kernel, const struct job_launch *l,
                           const uint64_t sizes[3], struct watched *w, cl_event *event,
                           const char **call)
{
    cl_int code, opened = CL_SUCCESS;
    cl_event gate = o->cl.clCreateUserEvent(o->context, &code);
    *call = gate ? "clEnqueueNDRangeKernel" : "clCreateUserEvent";
    if (gate)
        code = enqueue(o, kernel, l, sizes, &gate, event);
    if (code != CL_SUCCESS || o->cl.clSetEventCallback(*event, CL_RUNNING, on_running, w))
        w->holders--;
    if (gate) {
        opened = o->cl.clSetUserEventStatus(gate, CL_COMPLETE);
        o->cl.clReleaseEvent(gate);
    }
    if (code != CL_SUCCESS || opened == CL_SUCCESS)
        return code;
    *call = "clSetUserEventStatus";
    o->stuck = opened;
    return opened;
}

// Enqueues one launch and stays with it to its end; how it ended is read from the event.
static cl_int launch_watched(struct opencl *o, cl_kernel kernel, const struct job_launch *l,
                             const uint64_t sizes[3], const struct watch *watch, cl_event *event,
                             const char **call)
{
    struct watched *w = calloc(1, sizeof *w);
    *call = "launching";
    if (!w)
        return CL_OUT_OF_HOST_MEMORY;
    pthread_mutex_init(&w->mutex, NULL);
    w->watch = watch;
    w->holders = 2;
    watch->tell(watch->context, true);
    cl_int code = enqueue_told(o, kernel, l, sizes, w, event, call);
    if (code == CL_SUCCESS)
        opencl_finish(o);
    let_go(w);
    return code;
}

bool opencl_prime(void *own, void *kernel, const struct job_launch *l, const struct watch *watch,
                  struct result *r)
{
    struct opencl *o = own;
    uint64_t sizes[3] = {1, 1, 1};
    char text[128];
    const char *call;
    cl_event event = NULL;
    prime_sizes(l, sizes);
    cl_int code = launch_watched(o, kernel, l, sizes, watch, &event, &call);
    if (code == CL_SUCCESS) {
        call = "clWaitForEvents";
        code = o->cl.clWaitForEvents(1, &event);
    }
    if (event)
        o->cl.clReleaseEvent(event);
    return code == CL_SUCCESS ||
           result_fail(r, STATUS_RUNTIME, FAULT_CONFIGURATION, "kernel '%s' ahead of time: %s: %s",
                       l->kernel, call, opencl_code_text(code, text));
}

struct times {
    cl_ulong start, end;
};

// A short kernel may begin and end in one tick of the clock; none ends before it began, or begins
// with the clock at 0.
static bool is_time(const struct times *first, const struct times *t)
{
    return t->start != 0 && t->end >= t->start && t->end >= first->start;
}

// Where one repetition stands for all and was the slowest, its parts would be more than the whole.
static void bound_parts(const struct run *run, struct run_times *t)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; t->parts_ns && i < run->count; i++)
        sum += t->parts_ns[i];
    for (uint32_t i = 0; sum > t->total_ns && i < run->count; i++)
        t->parts_ns[i] = (uint64_t)((double)t->parts_ns[i] * ((double)t->total_ns / (double)sum));
}

static bool report_crash(const struct job_launch *l, const char *call, cl_int code, bool *lost,
                         struct result *r)
{
    char text[128];
    *lost = true;
    return result_fail(r, STATUS_RUNTIME, FAULT_CONFIGURATION,
                       "kernel '%s' failed while running: %s: %s", l->kernel, call,
                       opencl_code_text(code, text));
}

// The first error that events tell of their launches; CL_COMPLETE: none.
static cl_int find_failed(struct opencl *o, const cl_event *events, uint32_t count)
{
    cl_int status = CL_COMPLETE;
    for (uint32_t i = 0; i < count && status >= 0; i++) {
        if (events[i])
            o->cl.clGetEventInfo(events[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                                 &status, NULL);
    }
    return status < 0 ? status : CL_COMPLETE;
}

// Costs the clock, unless the launch itself failed.
static bool no_times(struct opencl *o, const struct job_launch *l, cl_event event, cl_int code,
                     struct run_times *out, bool *lost, struct result *r)
{
    cl_int failed = find_failed(o, &event, 1);
    if (failed)
        return report_crash(l, "its event", failed, lost, r);
    opencl_tell_time(code, out->fault, sizeof out->fault);
    return true;
}

// A repetition whose launches have events stands for those that have none.
static bool collect_event_times(struct opencl *o, const struct run *run, uint32_t told,
                                const cl_event *events, struct run_times *out, bool *lost,
                                struct result *r)
{
    struct times first = {0, 0}, last = {0, 0};
    uint32_t count = run->count * run->batch;
    for (uint32_t i = 0; i < count; i++) {
        cl_event event = events[i];
        if (!event)
            continue;
        cl_int code = o->cl.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START,
                                                    sizeof last.start, &last.start, NULL);
        if (code == CL_SUCCESS)
            code = o->cl.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof last.end,
                                                 &last.end, NULL);
        if (code != CL_SUCCESS)
            return no_times(o, &run->launches[i % run->count], event, code, out, lost, r);
        if (i == 0)
            first = last;
        if (!is_time(&first, &last)) {
            str_format(out->fault, sizeof out->fault,
                       "its events say that a kernel ran from %llu to %llu ns",
                       (unsigned long long)last.start, (unsigned long long)last.end);
            return true;
        }
        if (out->parts_ns && i >= told)
            out->parts_ns[i % run->count] += (last.end - last.start) * count / (count - told);
    }
    out->total_ns = last.end - first.start;
    bound_parts(run, out);
    return true;
}

// Points a kernel at the memory of launch `i`; what the launch before had already is left.
static cl_int point_at(struct opencl *o, const struct run *run, uint32_t i)
{
    const struct job_launch *l = &run->launches[i % run->count];
    struct memory *const *memory = run_memory(run, i / run->count);
    struct memory *const *before = i < run->count ? NULL : run_memory(run, i / run->count - 1);
    cl_int code = CL_SUCCESS;
    for (uint32_t k = 0; k < l->argument_count && code == CL_SUCCESS; k++) {
        const struct job_argument *a = &l->arguments[k];
        if (a->kind == ARGUMENT_BUFFER && (!before || before[a->buffer] != memory[a->buffer]))
            code = set_argument(o, run->kernels[i % run->count], k, a, memory);
    }
    return code;
}

// The launch from which on each has an event. On a GPU an event costs 3 us, as long as a short kernel
// takes: of a batch the launches of one repetition have them where kernels are told apart.
static uint32_t first_told(const struct opencl *o, const struct run *run, bool parts)
{
    uint32_t count = run->count * run->batch;
    if (run->watch || o->info->type != DEVICE_GPU)
        return 0;
    return parts ? count - run->count : count - 1;
}

// How launches ended that are in the queue, once they have: an event's own status says more than a
// wait for it.
static cl_int wait_for_launches(struct opencl *o, const cl_event *events, uint32_t count)
{
    cl_int code = opencl_finish(o), failed = o->stuck ? CL_COMPLETE : find_failed(o, events, count);
    return failed ? failed : code;
}

// A launch that was refused, or the error of one before it: drivers tell that with whatever call
// comes next. What is refused with an empty queue as well, and was not taken before, was meant.
static bool report_failed_launch(struct opencl *o, const struct run *run, uint32_t i,
                                 const cl_event *events, const char *call, cl_int code, bool *lost,
                                 struct result *r)
{
    const struct job_launch *l = &run->launches[i % run->count];
    const struct job_launch *before = i ? &run->launches[(i - 1) % run->count] : l;
    cl_int ended = wait_for_launches(o, events, i);
    *lost = *lost || o->stuck != CL_SUCCESS;
    if (ended != CL_SUCCESS && !o->stuck)
        return report_crash(before, "clFinish", ended, lost, r);
    if (i == 0 || code != CL_OUT_OF_RESOURCES ||
        (i < run->count &&
         enqueue(o, run->kernels[i], l, l->global, NULL, NULL) == CL_OUT_OF_RESOURCES))
        return report_refusal(l, call, code, r);
    opencl_finish(o);
    return report_crash(before, call, code, lost, r);
}

// Enqueues everything before it waits: what is timed is the device's time back to back. The first
// launch has an event, and those from `told` on.
static bool launch_all(struct opencl *o, const struct run *run, uint32_t told, cl_event *events,
                       bool *lost, struct result *r)
{
    uint32_t count = run->count * run->batch;
    for (uint32_t i = 0; i < count; i++) {
        const struct job_launch *l = &run->launches[i % run->count];
        cl_kernel kernel = run->kernels[i % run->count];
        cl_event *event = i == 0 || i >= told ? &events[i] : NULL;
        const char *call = "clSetKernelArg";
        cl_int code = point_at(o, run, i);
        if (code == CL_SUCCESS) {
            call = "clEnqueueNDRangeKernel";
            code = run->watch ? launch_watched(o, kernel, l, l->global, run->watch, event, &call)
                              : enqueue(o, kernel, l, l->global, NULL, event);
        }
        if (code != CL_SUCCESS)
            return report_failed_launch(o, run, i, events, call, code, lost, r);
    }
    return true;
}

static bool wait_for_all(struct opencl *o, const struct run *run, const cl_event *events,
                         bool *lost, struct result *r)
{
    uint32_t count = run->count * run->batch;
    if (run->meanwhile) {
        o->cl.clFlush(o->queue); // what comes of it is seen by the wait
        run->meanwhile->act(run->meanwhile->context);
    }
    cl_int code = o->cl.clWaitForEvents(1, &events[count - 1]);
    if (code == CL_SUCCESS)
        return true;
    // A failed event's own status says more than the wait's.
    cl_int status = 0;
    o->cl.clGetEventInfo(events[count - 1], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                         &status, NULL);
    return report_crash(&run->launches[(count - 1) % run->count], "clWaitForEvents",
                        status < 0 ? status : code, lost, r);
}

// Restores and fills that were asked for before are over, so that they do not overlap.
static bool settle(struct opencl *o, bool *lost, struct result *r)
{
    char text[128];
    cl_int code = opencl_finish(o);
    if (code == CL_SUCCESS)
        return true;
    *lost = true;
    return result_fail(r, STATUS_RUNTIME, FAULT_DEVICE, "before the launch: %s: %s",
                       o->stuck ? "clSetUserEventStatus" : "clFinish",
                       opencl_code_text(code, text));
}

bool opencl_run(void *own, const struct run *run, struct run_times *times, bool *lost,
                struct result *r)
{
    struct opencl *o = own;
    uint32_t count = run->count * run->batch;
    uint32_t told = first_told(o, run, times->parts_ns);
    struct opencl_held held = {.from_ns = clock_ns()};
    cl_event *events = calloc(count, sizeof *events);
    if (!events)
        return result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
    for (uint32_t i = 0; times->parts_ns && i < run->count; i++)
        times->parts_ns[i] = 0;
    bool ok = settle(o, lost, r);
    if (ok)
        opencl_hold(o, run, &held);
    ok = ok && launch_all(o, run, told, events, lost, r);
    if (ok)
        opencl_hold_filled(o, &held);
    ok = ok && wait_for_all(o, run, events, lost, r);
    opencl_hold_over(o, &held, ok);
    times->host_ns = clock_ns() - held.from_ns;
    ok = ok && collect_event_times(o, run, told, events, times, lost, r);
    for (uint32_t i = 0; i < count; i++) {
        if (events[i])
            o->cl.clReleaseEvent(events[i]);
    }
    free(events);
    return ok;
}
