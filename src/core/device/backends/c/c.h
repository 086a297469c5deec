// Declarations that the files of the C backend share.
#pragma once

#include "base/digest.h"
#include "device/backend.h"

// The host as a device.
struct c_host {
    const struct device_options *options;
    struct text compiler; // path
    uint32_t files;       // counts shared objects: the loader takes equal names for one library
    // State that kernels may leave behind (c_state.c).
    bool is_noted;             // the environment's digest is
    bool has_pool;             // a library with threads of its own was loaded: OpenMP, a BLAS
    uint32_t threads;          // before the last program was loaded
    struct digest environment; // as it was when the last program had been loaded
    uint64_t rounding;         // before the launch
    uint64_t others_ns;        // processor time of other threads at the end of the last launch
    uint64_t astray_ns;        // of it, what fell between launches
    uint64_t launched_ns;      // what the launches took
};

// c_host.c
bool c_list(struct arena *a, const struct device_options *o, struct device_report *out,
            struct error *e);
void *c_open_for(const struct device_info *target, const struct device_options *o, struct error *e);
void *c_open(const char *id, const struct device_options *o, struct arena *a,
             struct device_info *info, struct error *e);
bool c_start(void *own, struct device_info *info, struct error *e);
void c_close(void *own);
bool c_memory_new(void *own, struct memory *m, enum access access, struct error *e);
void c_memory_free(void *own, struct memory *m);

// c_program.c
void *c_program_new(void *own, const struct job *j, uint32_t index, const void *image,
                    uint64_t length, struct text *log, struct result *r);
void c_program_free(void *own, void *program);
bool c_program_image(void *own, void *program, struct text *out, struct error *e);
// The function of this name in the program; NULL in a device that only builds.
void *c_program_symbol(const void *program, const char *name);

// c_state.c
void c_state_note(struct c_host *h); // a program has been loaded
void c_state_before(struct c_host *h);
bool c_state_after(struct c_host *h, uint64_t took_ns, struct result *r);
bool c_left(void *own, struct result *r);

// c_kernel.c
// Adds the function that calls the launch's kernel with arguments from an array. False, with the
// result filled, for a launch that C cannot call.
bool c_call_text(const struct job_launch *l, struct text *out, struct result *r);
void *c_kernel_new(void *own, void *program, const struct job_launch *l, const char *log,
                   struct resources *resources, struct result *r);
void c_kernel_free(void *own, void *kernel);
bool c_kernel_bind(void *own, void *kernel, const struct job *j, const struct job_launch *l,
                   struct memory *const *memory, struct result *r);
bool c_run(void *own, const struct run *run, struct run_times *times, bool *lost, struct result *r);
