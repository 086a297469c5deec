// hone-worker: the process that owns a GPU driver and serves src/core/device over frames.
#pragma once

#include "device/device.h"
#include "worker/protocol.h"
#include "worker/blobs.h"
#include "worker/cell.h"
#include "worker/outputs.h"

struct loaded_job {
    struct loaded_job *next;
    uint32_t handle; // of the tuner's choosing
    struct job *job;
    struct loaded *loaded;
    struct cell *cell; // (or NULL) the process that has it loaded, in place of both
};

struct worker {
    struct channel channel;
    struct device_options options;
    struct device *device; // NULL until opened
    struct arena opened;   // what it was opened with
    struct loaded_job *jobs;
    struct blobs blobs;
    struct outputs given;       // of another worker's job, to be compared
    struct loaded_job *dropped; // unloaded while a launch runs, or before the next is loaded
    uint32_t sequence;          // of the request being served
    struct text payload;        // of the frame that is being written
    bool beside;                // what is served is served while a launch runs
    bool ended;                 // asked to stop, or the channel is gone
    bool is_cell;               // this process is the cell of a job
    int status;                 // to end with, as waitpid() gives it
};

// ---- start.c: the first acts of the process, before anything of a driver is touched

// Leads a process group, so that what the worker starts ends with it.
void lead_group(void);
// Enters a sandbox, if $HONE_WORKER_SANDBOX is set: libraries, drivers and compilers can be read, the scratch folder's parent and the
// caches be written. Before a thread is started. False: it cannot be had.
bool enter_sandbox(struct error *e);
// Makes the scratch folder in $HONE_WORKER_SCRATCH, $TMPDIR or /tmp and goes there; the path for
// leave_scratch(), or NULL. `error` says why.
char *enter_scratch(struct error *e);
void leave_scratch(char *path); // removes and frees
// The environment's part in what may change a language's times on a CPU, such as PoCL's variables
// but its cache's places: sorted, separated by blanks. NULL: nothing. free() it.
char *timing_environment(enum language l);
// For a process that measures, before its driver is loaded: PoCL shall bind each of its threads to
// a core. Measured without, on two cores: after the build workers were stopped both threads stayed
// on one core for a few launches, which then took twice their time. Left alone where the user has
// set POCL_AFFINITY, or where this process may not use every core (PoCL counts cores from 0).
void bind_measuring_threads(void);
// $HONE_WORKER_EMPTY_CACHES, if it is set: drivers keep their caches in a folder of that name in the
// scratch folder, which workers that were given the same share. Before a driver is loaded.
bool use_empty_caches(struct error *e);
// For a build worker inside Oclgrind, before its driver is loaded: every context that is made
// empties the simulator's log, which is the bench worker's.
void leave_simulator_log(void);
// For a build worker beside a GPU: the host's cores go to whoever keeps the card busy first. On a
// CPU device builds and measuring take turns, and nothing is gained.
void yield_cores(void);
// $CUDA_HOME, else $CUDA_PATH, or NULL: the environment's own text.
const char *cuda_toolkit(void);
// $HONE_CC, a name in PATH or a path, or NULL: the environment's own text.
const char *c_compiler(void);
// The folders that this worker and the driver of a language write to, one a line, the driver's
// cache first. Where nothing else is set they are those that drivers choose.
void list_written_folders(enum language language, struct text *out);
// $HONE_WORKER_CACHE as an absolute path, or NULL. free() it.
char *cache_folder(void);

// ---- serve.c

// Serves requests until the tuner stops or its end of the channel closes. Returns the status to end
// with, as waitpid() gives it: a worker ends as the process of a job did.
int serve(int channel, const struct device_options *options);
