// Declarations that the files of this backend share.
#pragma once

#include "device/backend.h"

#include <jansson.h>

// The host as the device of programs.
struct program_host {
    const struct device_options *options;
    struct text scratch; // absolute: programs run in other folders
    uint32_t files;      // counts programs and outputs
};

// program_build.c
void *program_build(void *own, const struct job *j, uint32_t index, const void *image,
                    uint64_t length, struct text *log, struct result *r);
void program_release(void *own, void *program);
bool program_bytes(void *own, void *program, struct text *out, struct error *e);
// The path that {program} stands for, and the folder that commands run in.
const char *program_path(const void *program);
const char *program_place(const void *program);

// program_launch.c
void *program_launch_new(void *own, void *program, const struct job_launch *l, const char *log,
                         struct resources *resources, struct result *r);
void program_launch_free(void *own, void *kernel);
bool program_launch_bind(void *own, void *kernel, const struct job *j, const struct job_launch *l,
                         struct memory *const *memory, struct result *r);
bool program_launch(void *own, const struct run *run, struct run_times *times, bool *lost,
                    struct result *r);
