// Declarations that the files of the CUDA backend share.
//
// A device is opened in one of four ways: a card with a context, to run; a card without one, to
// build for it; a card of another machine, likewise, without a driver; an architecture
// ("cuda/sm_90"), to build for what is nowhere.
#pragma once

#include "device/backend.h"
#include "device/hold.h"
#include "device/backends/cuda/cuda_api.h"
#include "device/backends/cuda/cuda_compiler.h"

struct cuda {
    const struct device_options *options;
    const struct device_info *info;
    struct cuda_compiler compiler;
    char target[16]; // "sm_90a"

    // Only where `runs`.
    bool runs;
    struct cuda_api cu;
    CUdevice device;
    CUcontext context; // the card's primary one, current in this thread
    CUstream stream;   // everything goes through it, in order
    uint32_t grid[3];  // most blocks along each axis
    CUevent *events;   // kept from launch to launch
    uint32_t event_count;
    char timer_fault[160]; // found when it was opened
    CUmodule waiting;      // a kernel that only waits (cuda_run.c); NULL where it does not load
    CUfunction wait_for;   // of it
    struct hold_pace pace, calls; // of launches, and of calls of a vendor's library
};

struct cuda_program {
    const struct job *job;
    uint32_t index;
    struct cuda_code code;
    CUmodule module; // only where the device runs
};

// A buffer that the kernel reads as a __constant__ symbol.
struct cuda_symbol {
    CUdeviceptr at;
    const struct memory *from;
};

struct cuda_kernel {
    struct cuda_program *program;
    CUfunction function; // only where the device runs
    uint8_t *values;     // of the arguments
    void **arguments;    // where each begins; more than the kernel can have
    struct cuda_symbol *symbols;
    uint32_t symbol_count;
};

static inline CUdeviceptr cuda_at(const struct memory *m, int64_t at)
{
    return (CUdeviceptr)(uintptr_t)m->view + (CUdeviceptr)at; // `at` may lie before the data
}

// cuda_info.c
bool cuda_list(struct arena *a, const struct device_options *o, struct device_report *out,
               struct error *e);
void *cuda_open(const char *id, const struct device_options *o, struct arena *a,
                struct device_info *info, struct error *e);
void *cuda_open_for(const struct device_info *target, const struct device_options *o,
                    struct error *e);
bool cuda_start(void *own, struct device_info *info, struct error *e);
void cuda_close(void *own);

// cuda_memory.c
bool cuda_memory_new(void *own, struct memory *m, enum access access, struct error *e);
void cuda_memory_free(void *own, struct memory *m);
bool cuda_read(void *own, struct memory *m, int64_t at, void *to, uint64_t bytes, struct error *e);
bool cuda_write(void *own, struct memory *m, int64_t at, const void *from, uint64_t bytes,
                struct error *e);
bool cuda_fill(void *own, struct memory *m, int64_t at, uint8_t byte, uint64_t bytes,
               struct error *e);
bool cuda_copy(void *own, struct memory *to, struct memory *from, struct error *e);

// cuda_image.c
bool cuda_image_new(void *own, struct memory *m, const struct job_buffer *b, struct error *e);
bool cuda_image_put(void *own, struct memory *m, struct error *e);
bool cuda_image_take(void *own, struct memory *m, struct error *e);
void cuda_image_free(struct cuda *o, struct memory *m);
// The texture or surface object that a kernel is passed.
unsigned long long cuda_image_object(const struct memory *m);

// cuda_program.c
void *cuda_program_new(void *own, const struct job *j, uint32_t index, const void *image,
                       uint64_t length, struct text *log, struct result *r);
void cuda_program_free(void *own, void *program);
bool cuda_program_image(void *own, void *program, struct text *out, struct error *e);
bool cuda_program_binary(void *own, void *program, struct text *out, struct error *e);
bool cuda_program_ptx(void *own, void *program, struct text *out, struct error *e);

// cuda_kernel.c
void *cuda_kernel_new(void *own, void *program, const struct job_launch *l, const char *log,
                      struct resources *resources, struct result *r);
void cuda_kernel_free(void *own, void *kernel);
bool cuda_kernel_bind(void *own, void *kernel, const struct job *j, const struct job_launch *l,
                      struct memory *const *memory, struct result *r);
// Points it at the memory of one launch.
void cuda_kernel_point(struct cuda_kernel *k, const struct job_launch *l,
                       struct memory *const *memory);

// cuda_run.c
bool cuda_run(void *own, const struct run *run, struct run_times *times, bool *lost,
              struct result *r);
// Loads what launches need besides their kernels, and finds the resolution of the times and whether
// they are any.
void cuda_run_prepare(struct cuda *o, struct device_info *info);
void cuda_run_release(struct cuda *o);
// The parts of a run. A kernel that keeps the stream waiting for so long; without it where it did
// not load.
CUresult cuda_put_wait(struct cuda *o, uint64_t ns);
// The same until all of a run is in the stream, where the card's clock times it.
CUresult cuda_hold(struct cuda *o, const struct run *run, const struct hold_pace *pace);
// False without memory (*code is CUDA_SUCCESS) or when the driver refuses.
bool cuda_make_events(struct cuda *o, uint32_t count, CUresult *code);
// Nanoseconds between two events; false when the driver has none, or none that can be.
bool cuda_time_between(const struct cuda *o, uint32_t from, uint32_t to, uint64_t *ns,
                       CUresult *code);
// Each false, with the result filled, of what failed with the code.
bool cuda_report_events(struct cuda *o, CUresult code, struct result *r);
void cuda_tell_time(struct cuda *o, CUresult code, struct run_times *out);

// cuda_counters.c
bool cuda_count(void *own, const struct counting *launches, struct counters *out, struct arena *a,
                struct error *e);

// cuda_routine.c
void *cuda_routine_new(void *own, const struct job *j, struct text *about, struct result *r);
void cuda_routine_free(void *own, void *routine);
bool cuda_routine_run(void *own, void *routine, const struct run *run, struct run_times *times,
                      bool *lost, struct result *r);

// cuda_own.c
// Words of OpenCL C in CUDA, of kernels/cuda_own_prologue.cu. With underscores: NVRTC's __global__ is
// a macro in which the word `global` stands.
extern const char cuda_own_prologue[];
void *cuda_own_kernel(void *own, const char *source, const char *name, struct error *e);
bool cuda_own_load(void *own, void *kernel, const char *name, struct error *e);
void cuda_own_free(void *own, void *kernel);
bool cuda_own_run(void *own, void *kernel, const struct own_launch *l, struct error *e);
