// Making a job, step by step. Private to src/core/problem.
#pragma once

#include "problem/spec_kernels.h"
#include "problem/sources.h"

struct maker {
    const struct spec *spec;
    const struct kernel_spec *kernel;
    const struct language_spec *language;
    const struct spec_sources *src;
    const struct device_info *device; // (optional)
    const uint32_t *choice;
    struct job *job;
    struct arena *arena; // where it lives: its own, or that of the job it is the reference of
    struct value *slots; // all names bound
    uint32_t *buffers;   // by argument: index of its buffer, UINT32_MAX for none
    uint32_t *bound;     // likewise, in the pass that is made
    uint32_t *between;   // likewise: its stand-in between passes, UINT32_MAX while there is none
    size_t launch_room;  // of the job's launches
    uint32_t *programs;  // by program of the language: index in the job, UINT32_MAX for none
    struct error *e;
};

// ---- evaluating (job_formulas.c); each names the path, the expression and what is wrong ---------------

bool make_eval(struct maker *m, const struct formula *f, struct value *out);
// A whole number of at least `least`; `fallback` when the formula is absent.
bool make_size(struct maker *m, const struct formula *f, uint64_t least, uint64_t fallback,
               uint64_t *out);
bool make_f64(struct maker *m, const struct formula *f, double fallback, double *out);
// True when the formula is absent.
bool make_truth(struct maker *m, const struct formula *f, bool *out);
bool make_error(struct maker *m, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#ifdef __clang_analyzer__ // see error.h
#define make_error(...) (make_error(__VA_ARGS__), false)
#endif

// From now on expressions see this pass or step.
void make_pass(struct maker *m, enum special which, uint64_t index);

// Binds all names to what they are in the configuration (job_of_configuration.c).
bool make_names(struct maker *m);

// ---- the parts of a job ------------------------------------------------------------------------

// Global and local sizes of a launch (job_geometry.c).
bool make_geometry(struct maker *m, const struct launch_spec *l, struct job_launch *out);
// All buffers (buffers.c).
bool make_buffers(struct maker *m);
// All launches with their repetitions (job_launches.c).
bool make_launches(struct maker *m, const struct launch_spec *launches, uint32_t count,
                   const struct repeat_spec *repeat);
// One launch, into *out (job_of_configuration.c); `first` of its kind.
bool make_launch(struct maker *m, const struct launch_spec *l, bool first, struct job_launch *out);
// The type of an argument in this configuration.
bool make_element(struct maker *m, const struct argument_spec *a, struct element *out);
// The bytes of `count` elements, all of this value or, with a generator, of the values it gives.
bool make_contents(struct maker *m, const struct argument_spec *a, const struct fill_spec *fill,
                   uint64_t count, const void **data, uint64_t *length);
// The text of a generator with the spec's names replaced by their values (generator.c).
bool make_generator(struct maker *m, const struct formula *f, const char **out);
// Is what stands in __constant__ symbols an argument of this launch's kernel, too (check_types.c)?
// `made` has its program.
bool make_takes_symbols(struct maker *m, const struct launch_spec *l, const struct job_launch *made,
                        bool *out);
// Do the arguments of a made launch agree with its kernel's parameters (check_types.c)?
bool make_types_check(struct maker *m, const struct launch_spec *l, const struct job_launch *made);
// Makes the expected output from an expression over the index (job_expect.c).
bool make_expectation(struct maker *m, const struct expected_spec *x, struct job_expression *out);
// Takes the unrolling by a factor of 0 out of the program's text (unroll.c).
bool make_unrolled(struct maker *m, struct job_program *p);
// The reference (job_reference.c).
bool make_reference(struct maker *m);

// A whole job without its reference into m->job, which is empty and of a kind with m->arena; the
// maker names spec, sources, device and choice. With `reference_kernel` the reference's launch.
bool make_plain(struct maker *m, bool reference_kernel);
void make_start(struct maker *m, const struct spec_sources *src, const struct device_info *device,
                struct error *e);
// The default configuration, or, if the restrictions exclude it, the first valid one.
bool default_choice(const struct spec_sources *src, const struct device_info *device,
                    uint32_t *choice, struct error *e);
