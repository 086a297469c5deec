// CLBlast: its SGEMM as a vendor's routine (job.h), on the queue that everything goes through.
//
// A call enqueues one kernel, or several that pad, multiply and copy back, and gives the event of
// the last one alone. So the time begins where a few bytes end that are filled before the call, and
// ends with that event. What the host takes between two kernels is in it where the queue runs dry:
// some microseconds of a call, which who calls CLBlast has to wait for, too.
#include "device/backends/opencl/opencl.h"

#include "os/process.h"
#include "base/text.h"
#include "device/routine.h"

#include <stdlib.h>

// The numbers of clblast_c.h, which are those of every BLAS.
enum { ROW_MAJOR = 101, AS_IT_IS = 111, TRANSPOSED = 112 };

// X(name, symbol, result, parameters); enumerations are ints.
#define CLBLAST_FUNCTIONS(X)                                                                       \
    X(sgemm, "CLBlastSgemm", int,                                                                  \
      (int layout, int transpose_a, int transpose_b, size_t m, size_t n, size_t k, float alpha,    \
       cl_mem a, size_t a_at, size_t a_row, cl_mem b, size_t b_at, size_t b_row, float beta,       \
       cl_mem c, size_t c_at, size_t c_row, cl_command_queue *queue, cl_event *event))

struct functions {
#define X(name, symbol, result, parameters) result(*name) parameters;
    CLBLAST_FUNCTIONS(X)
#undef X
};

static const struct library_function entries[] = {
#define X(name, symbol, result, parameters) {symbol, offsetof(struct functions, name), false},
    CLBLAST_FUNCTIONS(X)
#undef X
};

enum { MARK_BYTES = 16 };

struct opencl_routine {
    struct functions call;
    struct product product;
    cl_mem mark; // what is filled before a call
};

static const char *const names[] = {"libclblast.so.1", "libclblast.so", NULL};

// ---- codes -------------------------------------------------------------------------------------

// CLBlast's own; all others are OpenCL's.
static const struct {
    int code;
    const char *text;
} codes[] = {
    {-2050, "its temporary buffer is too small"},
    {-2046, "the device has not enough local memory for its kernel"},
    {-2041, "it has no parameters for this device"},
    {-2040, "an error that it does not name"},
    {-2039, "an exception that it does not name"},
    {-1024, "not implemented"},
    {-1022, "matrix A is not a buffer that it takes"},
    {-1021, "matrix B is not a buffer that it takes"},
    {-1020, "matrix C is not a buffer that it takes"},
    {-1011, "matrix A's buffer is too small"},
    {-1010, "matrix B's buffer is too small"},
    {-1009, "matrix C's buffer is too small"},
};

static const char *code_text(int code, char *out, size_t size)
{
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (codes[i].code == code) {
            str_format(out, size, "%s (%d)", codes[i].text, code);
            return out;
        }
    }
    return opencl_code_text(code, out);
}

// A build that fails, or a device that is too small, is no fault of the call.
static enum status status_of(int code)
{
    if (code == CL_BUILD_PROGRAM_FAILURE || code == CL_COMPILER_NOT_AVAILABLE)
        return STATUS_COMPILE;
    bool limit = code == CL_OUT_OF_RESOURCES || code == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
                 code == CL_INVALID_WORK_GROUP_SIZE || code == CL_INVALID_WORK_ITEM_SIZE;
    return limit || code < -1000 ? STATUS_CONSTRAINTS : STATUS_RUNTIME;
}

static bool report(const char *call, int code, struct result *r)
{
    char text[160];
    return result_fail(r, status_of(code), FAULT_CONFIGURATION, "%s: %s", call,
                       code_text(code, text, sizeof text));
}

// ---- making ------------------------------------------------------------------------------------

// NULL: the result says why.
static void *open_library(const char *given, struct functions *call, struct result *r)
{
    struct library_search s = {.routine = ROUTINE_CLBLAST,
                               .given = given,
                               .names = names,
                               .remedy =
                                   "install CLBlast (Debian, Ubuntu: apt install libclblast1)"};
    return routine_library(&s, entries, sizeof entries / sizeof *entries, call, r);
}

// It has no function that tells its version; its file's name does.
static void describe_clblast(void *library, struct text *about)
{
    routine_about(library, "CLBlastSgemm", "CLBlast", about);
}

bool clblast_about(const char *given, struct text *about, struct result *r)
{
    struct functions call;
    void *library = open_library(given, &call, r);
    if (library)
        describe_clblast(library, about);
    return library != NULL;
}

static bool make_clblast_routine(struct opencl *o, struct opencl_routine *t, const struct job *j,
                                 struct text *about, struct result *r)
{
    void *library = open_library(j->routine_library, &t->call, r);
    if (!library)
        return false;
    cl_int code;
    t->mark = o->cl.clCreateBuffer(o->context, CL_MEM_READ_WRITE, MARK_BYTES, NULL, &code);
    if (!t->mark)
        return report("clCreateBuffer", code, r);
    describe_clblast(library, about);
    return true;
}

void *opencl_routine_new(void *own, const struct job *j, struct text *about, struct result *r)
{
    struct product p;
    if (j->routine != ROUTINE_CLBLAST) {
        result_fail(r, STATUS_CONSTRAINTS, FAULT_CONFIGURATION,
                    "%s is not called through OpenCL: CLBlast is, cuBLAS through CUDA",
                    routine_title(j->routine));
        return NULL;
    }
    if (!product_of(j, &p, r))
        return NULL;
    struct opencl_routine *t = calloc(1, sizeof *t);
    if (!t) {
        result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
        return NULL;
    }
    t->product = p;
    if (make_clblast_routine(own, t, j, about, r))
        return t;
    opencl_routine_free(own, t);
    return NULL;
}

void opencl_routine_free(void *own, void *routine)
{
    struct opencl *o = own;
    struct opencl_routine *t = routine;
    if (t->mark)
        o->cl.clReleaseMemObject(t->mark);
    free(t);
}

// ---- running -----------------------------------------------------------------------------------

// The mark and all calls; of the last one the event. True where all are in the queue.
static bool put_clblast_calls(struct opencl *o, const struct opencl_routine *t,
                              const struct run *run, cl_event *mark, cl_event *last,
                              struct result *r)
{
    static const uint8_t zero = 0;
    cl_int code =
        o->cl.clEnqueueFillBuffer(o->queue, t->mark, &zero, 1, 0, MARK_BYTES, 0, NULL, mark);
    if (code != CL_SUCCESS)
        return report("clEnqueueFillBuffer", code, r);
    for (uint32_t i = 0; i < run->batch; i++) {
        struct memory *const *memory = run_memory(run, i);
        if (*last)
            o->cl.clReleaseEvent(*last);
        *last = NULL;
        const struct product *p = &t->product;
        code = t->call.sgemm(ROW_MAJOR, p->of.transpose_a ? TRANSPOSED : AS_IT_IS,
                             p->of.transpose_b ? TRANSPOSED : AS_IT_IS, (size_t)p->m, (size_t)p->n,
                             (size_t)p->k, (float)p->of.alpha, memory[p->of.a]->view, 0,
                             (size_t)p->a_row, memory[p->of.b]->view, 0, (size_t)p->b_row,
                             (float)p->of.beta, memory[p->of.c]->view, 0, (size_t)p->c_row,
                             &o->queue, last);
        if (code != CL_SUCCESS)
            return report("CLBlastSgemm", code, r);
    }
    return *last || result_fail(r, STATUS_RUNTIME, FAULT_CONFIGURATION,
                                "CLBlastSgemm gave no event to wait for");
}

static bool wait_for(struct opencl *o, cl_event last, bool *lost, struct result *r)
{
    cl_int status = CL_COMPLETE;
    cl_int code = opencl_finish(o);
    if (code == CL_SUCCESS && last)
        code = o->cl.clGetEventInfo(last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                                    NULL);
    code = status < 0 ? status : code;
    if (code == CL_SUCCESS)
        return true;
    char text[160];
    *lost = true;
    return result_fail(r, STATUS_RUNTIME, FAULT_CONFIGURATION, "CLBlast failed while running: %s",
                       code_text(code, text, sizeof text));
}

static void collect_routine_times(struct opencl *o, cl_event mark, cl_event last,
                                  struct run_times *out)
{
    cl_ulong start = 0, end = 0;
    cl_int code =
        o->cl.clGetEventProfilingInfo(mark, CL_PROFILING_COMMAND_END, sizeof start, &start, NULL);
    if (code == CL_SUCCESS)
        code =
            o->cl.clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    out->total_ns = end - start;
    if (code != CL_SUCCESS)
        opencl_tell_time(code, out->fault, sizeof out->fault);
    else if (end < start || start == 0)
        str_format(out->fault, sizeof out->fault,
                   "its events say that CLBlast ran from %llu to %llu ns",
                   (unsigned long long)start, (unsigned long long)end);
}

bool opencl_routine_run(void *own, void *routine, const struct run *run, struct run_times *times,
                        bool *lost, struct result *r)
{
    struct opencl *o = own;
    cl_event mark = NULL, last = NULL;
    struct opencl_held held = {.from_ns = clock_ns()};
    bool ok = wait_for(o, NULL, lost, r);
    if (ok)
        opencl_hold(o, run, &held);
    ok = ok && put_clblast_calls(o, routine, run, &mark, &last, r);
    if (ok)
        opencl_hold_filled(o, &held);
    if (ok && run->meanwhile)
        run->meanwhile->act(run->meanwhile->context);
    // Also after a call that failed, which is what then counts: the rest still uses the buffers.
    ok = wait_for(o, last, lost, r) && ok;
    opencl_hold_over(o, &held, ok);
    times->host_ns = clock_ns() - held.from_ns;
    if (ok)
        collect_routine_times(o, mark, last, times);
    if (mark)
        o->cl.clReleaseEvent(mark);
    if (last)
        o->cl.clReleaseEvent(last);
    return ok;
}
