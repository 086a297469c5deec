// Declarations that the files of the OpenCL backend share.
#pragma once

#include "base/digest.h"
#include "device/backend.h"
#include "device/hold.h"
#include "device/backends/opencl/opencl_api.h"

// The kernel that holds the queue, and the pace of device and host (opencl_hold.c).
struct opencl_hold {
    cl_kernel kernel; // NULL: not made, or the driver does not build it
    bool tried;
    double step_ns; // that it takes for a step; 0: not known
    struct hold_pace pace;
};

#define COMMAND_NS 15000 // expected of a host, to enqueue a launch

// Programs that are kept a while, for jobs of the same text.
#define OPENCL_KEPT 4
struct opencl_kept {
    struct digest texts; // that it was built from
    cl_program program;  // NULL: none
};

struct opencl {
    struct opencl_api cl;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue; // in order, with profiling
    const struct device_options *options;
    const struct device_info *info;
    bool nvidia, pocl;
    char timer_fault[160]; // found when it was opened
    // Error of clSetUserEventStatus(): a launch then waits in the queue for ever, and so would
    // clFinish().
    cl_int stuck;
    struct opencl_hold hold;
    cl_sampler samplers[4 * ADDRESSING_COUNT]; // each made when it is first passed
    struct opencl_kept kept[OPENCL_KEPT];
    uint32_t next_kept;
};

// opencl_info.c
bool opencl_list(struct arena *a, const struct device_options *o, struct device_report *out,
                 struct error *e);
void *opencl_open(const char *id, const struct device_options *o, struct arena *a,
                  struct device_info *info, struct error *e);
bool opencl_start(void *own, struct device_info *info, struct error *e);
void opencl_close(void *own);

// opencl_timer.c: resolution of event times, in place of what the driver claims; `fault` is left
// alone or says why they are no times.
void opencl_timer(struct opencl *o, struct device_info *info, char *fault, size_t size);
// Why an event has no times, in words.
void opencl_tell_time(cl_int code, char *out, size_t size);

// opencl_memory.c
extern const cl_mem_flags opencl_flags[ACCESS_COUNT];
// clFinish(), where it can end.
cl_int opencl_finish(struct opencl *o);
bool opencl_memory_new(void *own, struct memory *m, enum access access, struct error *e);
void opencl_memory_free(void *own, struct memory *m);
bool opencl_claim(void *own, struct memory *m, struct error *e);
bool opencl_yield(void *own, struct memory *m, struct error *e);
bool opencl_read(void *own, struct memory *m, int64_t at, void *to, uint64_t bytes,
                 struct error *e);
bool opencl_write(void *own, struct memory *m, int64_t at, const void *from, uint64_t bytes,
                  struct error *e);
bool opencl_fill(void *own, struct memory *m, int64_t at, uint8_t byte, uint64_t bytes,
                 struct error *e);
bool opencl_copy(void *own, struct memory *to, struct memory *from, struct error *e);

// opencl_image.c
bool opencl_image_new(void *own, struct memory *m, const struct job_buffer *b, struct error *e);
bool opencl_image_put(void *own, struct memory *m, struct error *e);
bool opencl_image_take(void *own, struct memory *m, struct error *e);
void opencl_image_free(struct opencl *o, struct memory *m);
// The object that a kernel's argument is set to.
cl_mem opencl_image_view(const struct memory *m);
// Kept until opencl_samplers_release(); NULL with the code of what failed.
cl_sampler opencl_sampler(struct opencl *o, const struct job_sampler *s, cl_int *code);
void opencl_samplers_release(struct opencl *o);

// opencl_program.c
void *opencl_program_new(void *own, const struct job *j, uint32_t index, const void *image,
                         uint64_t length, struct text *log, struct result *r);
void opencl_program_free(void *own, void *program);
void opencl_programs_release(struct opencl *o); // those that are kept
bool opencl_program_image(void *own, void *program, struct text *out, struct error *e);
bool opencl_program_binary(void *own, void *program, struct text *out, struct error *e);

// opencl_il.c: a program of SPIR-V with its specialization constants set, not built yet.
cl_program opencl_il_create(struct opencl *o, const struct job_program *p, struct result *r);

// opencl_kernel.c
void *opencl_kernel_new(void *own, void *program, const struct job_launch *l, const char *log,
                        struct resources *resources, struct result *r);
void opencl_kernel_free(void *own, void *kernel);
bool opencl_kernel_bind(void *own, void *kernel, const struct job *j, const struct job_launch *l,
                        struct memory *const *memory, struct result *r);
bool opencl_prime(void *own, void *kernel, const struct job_launch *l, const struct watch *watch,
                  struct result *r);
bool opencl_run(void *own, const struct run *run, struct run_times *times, bool *lost,
                struct result *r);

// opencl_hold.c: holds the queue until a run is in it, on a GPU whose own clock times it. Filled: it
// is. Over: whatever is in it has ended, or failed.
struct opencl_held {
    cl_event event; // NULL: it is not held
    cl_uint steps;
    uint32_t commands;
    uint64_t from_ns;
};
void opencl_hold(struct opencl *o, const struct run *run, struct opencl_held *h);
void opencl_hold_filled(struct opencl *o, const struct opencl_held *h);
void opencl_hold_over(struct opencl *o, struct opencl_held *h, bool ran);
void opencl_hold_release(struct opencl *o);

// opencl_routine.c
void *opencl_routine_new(void *own, const struct job *j, struct text *about, struct result *r);
void opencl_routine_free(void *own, void *routine);
bool opencl_routine_run(void *own, void *routine, const struct run *run, struct run_times *times,
                        bool *lost, struct result *r);

// opencl_own.c
extern const char opencl_own_prologue[];
void *opencl_own_kernel(void *own, const char *source, const char *name, struct error *e);
void opencl_own_free(void *own, void *kernel);
bool opencl_own_run(void *own, void *kernel, const struct own_launch *l, struct error *e);
