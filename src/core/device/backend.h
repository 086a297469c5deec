// The functions that a driver's interface must offer for hone to tune with it: one table in one
// file, and one line in the list at the end. Guards, inputs, references, verification and the order
// of steps are written once, above this table.
//
// `own` is what open() returned. A function that fails fills the error or the result it was given.
// Optional members may be NULL; the default stands beside them.
#pragma once

#include "device/device.h"
#include "extras.h"
#include "device/memory.h"

// Told around each first launch of a kernel by drivers that compile there (primes() says which):
// true before it, false once the device really runs it. What ends the process in between is the
// compiler's doing, or the kernel's.
struct watch {
    void (*tell)(void *context, bool compiling);
    void *context;
};

// Called when all launches are in the queue, before they are waited for.
struct meanwhile {
    void (*act)(void *context);
    void *context;
};

// One launch of all kernels of a job, `batch` times over. Launch i of the batch is on slot i % slots:
// memory[(i % slots) * buffers] on is that of the job's buffers. The kernels keep their last slot.
struct run {
    const struct watch *watch;         // (optional)
    const struct meanwhile *meanwhile; // (optional)
    void *const *kernels;
    const struct job_launch *launches;
    uint32_t count;
    uint32_t batch;
    bool metered; // its energy is counted: nothing but its launches runs
    struct memory *const *memory;
    uint32_t buffers, slots;
};

// The memory of launch `i` of the batch, one entry for each buffer of the job.
static inline struct memory *const *run_memory(const struct run *run, uint32_t i)
{
    return run->memory + (size_t)(i % run->slots) * run->buffers;
}

// The times of a run. A backend fills all of them; where parts_ns points is the caller's choice. Of a
// batch one repetition may stand for all there.
struct run_times {
    uint64_t total_ns;  // by the device's clock, from the first start to the last end
    uint64_t host_ns;   // by the host's, from before the first is handed over until all are over
    uint64_t *parts_ns; // (optional) of each kernel by the device's clock, summed up over the batch
    char fault[128];    // "", or what is wrong with the device's times: they are not valid
};

// An argument of a kernel of hone's own: memory, or `size` bytes of a plain value.
struct own_argument {
    struct memory *memory; // NULL: a value
    bool whole;            // with the guard zones: the data begins at memory->offset
    const void *value;
    size_t size; // 1, 4 or 8
};

// Launches whose events are counted, as often as it takes. False: a launch failed, which the caller knows.
struct counting {
    bool (*restore)(void *context); // everything is as before the first launch
    bool (*launch)(void *context);  // of the whole job, waited for
    uint32_t kernels;               // in a launch
    void *context;
};

struct own_launch {
    uint32_t groups[2], local[2]; // work-groups, and work-items in each, along x and y
    const struct own_argument *arguments;
    uint32_t count;
};

struct backend {
    enum language language;
    const char *prefix; // of its device ids, "opencl/"

    // Adds its devices and its missing ones; `out->problem` when it can list nothing at all.
    bool (*list)(struct arena *a, const struct device_options *o, struct device_report *out,
                 struct error *e);
    // Opens the device that `id` names; fills `info`, whose texts live in the arena. From then on
    // own_kernel() may be called.
    void *(*open)(const char *id, const struct device_options *o, struct arena *a,
                  struct device_info *info, struct error *e);
    // Opens what makes images for a device that it does not open, with build_only, as device_options.target describes it: the
    // error says why those that are made here could not be used there. Default: images stay where they are made, as images_stay
    // says ("its driver keeps ...").
    void *(*open_for)(const struct device_info *target, const struct device_options *o,
                      struct error *e);
    const char *images_stay;
    // Prepares for running: called once, right after open(), unless the device is opened only to
    // build. May correct info->timer_ns, and say in info->timer_fault why the device's times are
    // unreliable.
    bool (*start)(void *own, struct device_info *info, struct error *e);
    void (*close)(void *own);

    // Must a job's first launch be made ahead of time by a build worker? Default: no.
    bool (*primes)(const void *own);
    // Runs one work-group of the launch. Used only where primes() says so.
    bool (*prime)(void *own, void *kernel, const struct job_launch *l, const struct watch *watch,
                  struct result *r);

    // m->bytes is set; guard zones are made room for but not yet filled.
    bool (*memory_new)(void *own, struct memory *m, enum access access, struct error *e);
    void (*memory_free)(void *own, struct memory *m);
    // Memory in host address space only: the host is about to look at it, the device is about to
    // use it. Default: nothing.
    bool (*claim)(void *own, struct memory *m, struct error *e);
    bool (*yield)(void *own, struct memory *m, struct error *e);
    // Memory on the device only. `at` is relative to the data; guards have places below 0 and from
    // m->bytes on. All in the order they are asked for; fill() and copy() need not wait.
    bool (*read)(void *own, struct memory *m, int64_t at, void *to, uint64_t bytes,
                 struct error *e);
    bool (*write)(void *own, struct memory *m, int64_t at, const void *from, uint64_t bytes,
                  struct error *e);
    bool (*fill)(void *own, struct memory *m, int64_t at, uint8_t byte, uint64_t bytes,
                 struct error *e);
    bool (*copy)(void *own, struct memory *to, struct memory *from, struct error *e);

    // (optional, all three or none) Makes m->image beside memory whose kernels see an image, which
    // memory_free() frees. What is filled, compared and guarded is the memory: its data is put into
    // the image before launches, and taken from it after them. ERROR_INPUT: the device has no such
    // images.
    bool (*image_new)(void *own, struct memory *m, const struct job_buffer *b, struct error *e);
    bool (*image_put)(void *own, struct memory *m, struct error *e);
    bool (*image_take)(void *own, struct memory *m, struct error *e);

    // Builds j->programs[index]: from the image's part, where `length` is not 0, else from the
    // source. The log is added to in any case. (The launches say which of its kernels are wanted.)
    void *(*program_new)(void *own, const struct job *j, uint32_t index, const void *image,
                         uint64_t length, struct text *log, struct result *r);
    void (*program_free)(void *own, void *program);
    // The program's part of the image: what program_new() can make use of. Default: nothing.
    bool (*program_image)(void *own, void *program, struct text *out, struct error *e);
    bool (*program_binary)(void *own, void *program, struct text *out, struct error *e);
    // The assembler's input as text. Default: program_binary().
    bool (*program_ptx)(void *own, void *program, struct text *out, struct error *e);

    // Checks name, number of arguments and this kernel's limits. `log` is the program's.
    void *(*kernel_new)(void *own, void *program, const struct job_launch *l, const char *log,
                        struct resources *resources, struct result *r);
    void (*kernel_free)(void *own, void *kernel);
    // Sets the arguments of launch `l` of the job; `memory` has one entry for each of its buffers.
    bool (*kernel_bind)(void *own, void *kernel, const struct job *j, const struct job_launch *l,
                        struct memory *const *memory, struct result *r);

    // Launches and waits. *lost: nothing can be run on this device any more.
    bool (*run)(void *own, const struct run *run, struct run_times *times, bool *lost,
                struct result *r);

    // (optional: nothing is counted) What one launch does, by the device's counters, with texts in the arena. Also true
    // where a launch failed. False: the error says why nothing can be counted, and what to do about it.
    bool (*count)(void *own, const struct counting *launches, struct counters *out, struct arena *a,
                  struct error *e);

    // (optional) After the launches of a request: is the process that they ran in as it was before?
    // Else r says what they left behind.
    bool (*left)(void *own, struct result *r);

    // A vendor's routine in place of programs and kernels (job.h), all three or none. What the
    // library says of itself goes into `about`.
    // routine_run() launches it run->batch times and waits, as run(). Default: none is offered. (A
    // CBLAS is called above this table, on memory that is the host's.)
    void *(*routine_new)(void *own, const struct job *j, struct text *about, struct result *r);
    void (*routine_free)(void *own, void *routine);
    bool (*routine_run)(void *own, void *routine, const struct run *run, struct run_times *times,
                        bool *lost, struct result *r);

    // Kernels of hone's own (own_kernel.h), all of them (but own_load()) or none. Default: what
    // they would do is done on the host. `source` is a whole program in the backend's language and
    // `name` one of its kernels, extern "C". It is built so that a * b + c is not contracted into a
    // fused operation: the host's numbers are to be met. own_run() puts the launch into the queue,
    // behind all that was asked for before, and does not wait; a read() then waits, and tells of
    // what went wrong. Values are taken before it returns. own_kernel() may be called by a thread
    // of its own, beside one other that starts or uses the device; own_load() is that other's, and
    // comes before the first own_run(). Default of own_load(): nothing.
    // The language's words for what these kernels are written in (own_kernel.h): each source begins
    // with it.
    const char *own_prologue;
    void *(*own_kernel)(void *own, const char *source, const char *name, struct error *e);
    bool (*own_load)(void *own, void *kernel, const char *name, struct error *e);
    void (*own_free)(void *own, void *kernel);
    bool (*own_run)(void *own, void *kernel, const struct own_launch *l, struct error *e);
};

// Each NAME_backend is defined in backends/NAME; devices are listed in this order.
#define BACKENDS(X)                                                                                \
    X(opencl)                                                                                      \
    X(cuda)                                                                                        \
    X(c)                                                                                           \
    EXTRA_PROGRAM(X(program))

#define X(name) extern const struct backend name##_backend;
BACKENDS(X)
#undef X

// NULL-terminated.
extern const struct backend *const device_backends[];
