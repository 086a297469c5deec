// The backends as a library of its own: no process, no frame, no exit in it. hone-worker serves it.
//
// An open device owns context and queue. What is costly is made once and kept: inputs (by
// job_buffer_digest()), references (by job_reference_digest(); also as files in a cache folder).
// Each step writes what it found into a `struct result`; false means result->status is not CORRECT.
#pragma once

#include "base/error.h"
#include "base/log.h"
#include "model/image.h"
#include "model/job.h"
#include "model/phase.h"
#include "model/policy.h"
#include "model/result.h"

struct device_options {
    uint32_t languages; // of which devices are listed: a set of 1u << language; 0: all
    // (optional) Called before each phase; `launches` and `compiles` as in the protocol's
    // struct phase.
    void (*phase)(void *context, enum phase_kind phase, uint32_t launches, bool compiles);
    // (optional) Called while a verified launch runs that a GPU does without the host: what it does
    // then costs no time. It may load and unload other jobs, and is told no phases of that.
    void (*meanwhile)(void *context);
    void *context;
    // An existing folder of the worker's own, in which included files are laid out. Drivers key
    // their caches by the text of the options, folders included: what several processes are to
    // share should be built with the same text, so a process that stays in its folder passes ".".
    const char *scratch;
    const char *cache; // (optional) a folder where references are kept across processes
    bool build_only;   // a build worker: no inputs, no reference, nothing is run
    // (optional) With build_only: the device as the worker that has it describes it. Images are made for it,
    // without it. It outlives the open device.
    const struct device_info *target;
    bool simulated; // buffers without guard zones: a simulator watches every access
    // A worker that will run jobs: on a GPU a thread builds, from the opening on, what kernels of
    // hone's own they are likely to want. The compiler is then awake when the first job comes.
    bool wakes;
    // (optional) For each language what of the process's environment may change a time on a CPU
    // ("POCL_X=1 ..."); it becomes part of the device's `surroundings`. The library itself reads no
    // environment but PATH.
    const char *environment[LANGUAGE_COUNT];
    const char *compiler; // (optional) of C: the program that the user chose, else cc
    const char *toolkit;  // (optional) the CUDA installation that the user chose (CUDA_HOME)
    const char *root;     // (optional) where /sys, /dev, /etc and /proc are looked for; default "/"
};

// Everything is allocated from the arena. No devices is not an error, and a backend that cannot
// list its own does not keep the others from it.
bool device_list(struct arena *a, const struct device_options *o, struct device_report *out,
                 struct error *e);

// Describes this machine's library of a vendor's routine (job.h): name, version, threads, file.
// The same text is the log of device_load(). No device is needed. False: the result says why.
bool device_routine_about(const struct device_options *o, enum routine routine, const char *library,
                          struct text *about, struct result *r);

struct device;
struct device *device_open(const char *id, const struct device_options *o, struct error *e);
void device_close(struct device *d);
const struct device_info *device_describe(const struct device *d);

// Build workers: builds all programs of the job, reports log and resources, and makes the image. A
// failure to run ahead of time (priming) is not a failure of the job: the image is then not primed.
// A job that the device cannot take (work-group, local memory, buffers) is refused before it is
// built or run.
bool device_build(struct device *d, const struct job *j, struct arena *a, struct image *out,
                  struct result *r);

// Makes the job's inputs and reference and keeps them. fault REFERENCE when that cannot be done.
bool device_prepare(struct device *d, const struct job *j, struct result *r);

// For a worker whose jobs run in forks of it: the inputs alone, for all of them; then what one of them
// has left in the cache as the job's reference, if it has; and into a result of such a job how much
// its machine's cores did for others, jobs_ns of it for such jobs that run.
bool device_make_inputs(struct device *d, const struct job *j, struct result *r);
void device_recall_reference(struct device *d, const struct job *j);
void device_host_load(struct device *d, uint64_t jobs_ns, struct result *r);

struct loaded; // a job ready to launch; several at a time
// Keeps `j`, which must live until device_unload().
struct loaded *device_load(struct device *d, const struct job *j, const struct image *m,
                           struct result *r);
void device_unload(struct device *d, struct loaded *l);
// One launch, not timed for the record: buffers set up, launched, guards, inputs and outputs
// checked.
bool device_verify(struct device *d, struct loaded *l, const struct policy *p, struct result *r);
// Timed launches under the policy; samples into the result.
bool device_measure(struct device *d, struct loaded *l, const struct policy *p, struct result *r);
// A buffer's contents after the job's last launch. Jobs share the memory of their outputs: it must
// not have been overwritten by another job since.
bool device_output(struct device *d, struct loaded *l, uint32_t buffer, struct text *out,
                   struct error *e);
// The launch of the last block whose outputs are to be looked at: one that differs from launch `which` (modulo their number), else
// that one. A kernel that does its work now and then leaves something else.
uint64_t device_odd_launch(struct device *d, struct loaded *l, uint64_t which);
// A part of an output as the launch `which`, modulo those of the last block, left it.
bool device_output_part(struct device *d, struct loaded *l, uint32_t buffer, uint64_t which,
                        uint64_t at, void *out, uint64_t size, struct error *e);
// Compares outputs that another process has made: `contents` has one for each buffer of the job, NULL
// for those that are no outputs. As device_verify(), without a launch.
bool device_compare(struct device *d, const struct job *j, const struct check_apart *c,
                    const void *const *contents, struct result *r);
// The device's binary of a program (PTX, cubin, PoCL's).
bool device_binary(struct device *d, struct loaded *l, uint32_t program, struct text *out,
                   struct error *e);
// NVIDIA: the PTX of a program, which its cubin (CUDA) does not hold or its binary (OpenCL) is.
bool device_ptx(struct device *d, struct loaded *l, uint32_t program, struct text *out,
                struct error *e);
