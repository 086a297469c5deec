// The open device: what the files above the backend table share.
#pragma once

#include "device/backend.h"
#include "device/compare_output.h"
#include "device/machine.h"
#include "device/nvml.h"
#include "device/routine.h"

// ---- buffers (buffers.c)

// The treatment of a buffer before a launch, and the check after it.
enum use {
    USE_INPUT,    // made once, must not change
    USE_RESTORED, // starts every launch from its initial contents
    USE_POISONED, // starts every launch poisoned
    USE_COUNT
};

// A buffer in the pool. Loaded jobs share it where they want the same: inputs of one recipe, and
// room for outputs of one size (so that finalists also write to the same addresses).
struct buffer {
    struct buffer *next;
    struct digest key;
    enum use use;
    uint32_t users; // loaded jobs
    uint64_t stamp; // when it was last asked for, for choosing what to give up
    struct memory memory;
    struct memory **copies; // of launches of a block beside the first; each is guarded
    uint32_t copy_count;
    struct memory initial;       // RESTORED: what it is restored from
    uint64_t checksum;           // INPUT: of its contents
    bool made;                   // INPUT: contents are there; RESTORED: `initial` is
    uint64_t inputs;             // of which inputs they are: as device.inputs
    bool guarded;                // guard zones hold their pattern
    const struct loaded *writer; // the job that was launched last with it
};

struct pool {
    struct buffer *buffers;
    uint64_t bytes; // of all of them
    uint64_t clock; // counts what was asked for
};

// ---- references (reference.c)

// The finding from comparing wrong outputs with the reference (reference_proof.c), by the tolerance of
// one job.
#define PROOFS_KEPT 4
struct proof {
    bool made;
    struct job_compare compare; // of the output, likewise below
    struct element element;
    enum access access;
    struct compare_scale scale;
    bool blind, same;  // some passes all the same; so does what the output holds before the launch
    char note[240];    // in words; "": nothing to say
    bool audited;      // by outputs_audit()
    char passing[240]; // the mutants that pass; "": none
};

// The expected contents of one output: on the host, on the device, or on both.
struct wanted {
    bool doubles;         // one for each component that carries data; else the buffer's own bytes
    uint64_t length;      // in bytes; 0: this buffer is not compared
    uint8_t *data;        // in the blob
    struct memory memory; // exact; its `view` is NULL where the device has no copy
    uint8_t *left;        // (or NULL) in the blob: a byte for each component, 1 where the reference
                          // itself wrote nothing
    uint64_t left_length;
    struct proof proofs[PROOFS_KEPT];
    uint32_t proof_next;
};

struct reference {
    struct reference *next;
    struct digest digest;
    uint8_t *blob; // as the file: header, table, data; NULL while all is on the device alone
    uint64_t length;
    struct wanted *outputs; // one for each buffer of the job
    uint32_t count;
};

// ---- the device

struct device {
    const struct backend *backend;
    void *own;
    struct arena arena;
    struct device_info info;
    struct device_options options;
    struct pool pool;
    uint64_t memories;            // counts those made
    uint64_t worth_bytes;         // smaller outputs are compared on the host: read back sooner than
                                  // a kernel for them is built
    struct reference *references; // the one used last first
    struct machine machine;       // the host's cores
    struct nvml *nvml;            // (or NULL) what is known of an NVIDIA card
    uint32_t spun_mhz;            // the clock that no spinning could raise it above; 0: none
    struct memory flusher;        // for cold launches, made when first asked for
    struct own_kernel *own_kernels;
    struct own_ahead *own_ahead; // (or NULL) who builds them ahead of time
    bool own_collecting;
    struct memory scratch; // of their results
    uint64_t stamps;       // counts those of their launches that are stamped
    uint32_t trust,
        trusted; // runs until a short time is reason to do so again; and the last such number
    uint32_t far_in_a_row; // runs whose time was far from the host's (timer.c)
    bool lost;             // a driver error while running: nothing works any more
    unsigned hushed;       // > 0: phases of a job inside a job are not announced
    uint8_t poison;        // what outputs hold before a launch
    uint64_t inputs;       // which contents are made: 0 the job's own, else job_on_other_inputs()'
    bool verifying;        // a launch that is verified, and not to make a reference
    bool metering;         // the energy of launches is counted
    bool comparing;        // what the launches leave will be compared
    bool restless;         // a library's threads may still look for work
};

struct loaded {
    const struct job *job;
    void **programs; // NULL-filled until built
    void **kernels;
    struct buffer **buffers;
    struct memory **memory; // of the buffers, a row for each slot; the launches of a block are on
                            // slots of their own
    uint32_t slots;         // rows
    uint32_t used;          // of them, since guards were looked at
    uint32_t slot;          // the one that is compared
    uint32_t last_slots;    // that the last run of launches wrote to
    struct resources *resources;
    struct arena arena; // the arrays above
    // For a job that is a vendor's routine: one of these, and no programs or kernels.
    struct cblas *cblas;
    void *routine; // the backend's
    uint64_t
        host_ns; // least time of a launch by the host's clock, the first launch apart; 0: not known
    struct digest recipe; // of its reference, where it has one and is to be run
    uint64_t *sums;       // of what a launch left that was compared, for each output
    bool summed;          // they are there: of the inputs' contents now
    uint64_t timed;       // launches so far
    uint64_t usual_ns;    // of one of them, in the last sample; 0: not known
    bool primed, launched;
};
// Must some of its buffers be restored before each timed launch?
bool loaded_restores(const struct loaded *l);
// The memory of a buffer in the slot that is compared.
struct memory *loaded_memory(const struct loaded *l, uint32_t buffer);
// Or does what it leaves depend on how often it was launched?
bool loaded_counts_launches(const struct loaded *l);

// A watch that announces phases; false where the driver compiles nothing at a launch.
bool device_watch(struct device *d, struct watch *out);
void device_phase_begin(struct device *d, enum phase_kind phase, uint32_t launches, bool compiles);
// False, with the result filled, once the device is lost.
bool device_usable(const struct device *d, struct result *r);

// list.c: what another backend found as well; false without memory.
bool device_list_join(struct arena *a, struct device_report *into,
                      const struct device_report *from);

// memory access, whether the memory is ours or the device's (access.c)
bool memory_new(struct device *d, struct memory *m, uint64_t bytes, enum access access,
                struct error *e);
void memory_free(struct device *d, struct memory *m);
// Memory for a buffer of a job: with an image beside it if the buffer is one.
bool memory_new_buffer(struct device *d, struct memory *m, const struct job_buffer *b,
                       struct error *e);
bool memory_read(struct device *d, struct memory *m, int64_t at, void *to, uint64_t bytes,
                 struct error *e);
bool memory_write(struct device *d, struct memory *m, const void *from, struct error *e);
bool memory_fill(struct device *d, struct memory *m, uint8_t byte, struct error *e);
bool memory_copy(struct device *d, struct memory *to, struct memory *from, struct error *e);
bool memory_checksum(struct device *d, struct memory *m, uint64_t *out, struct error *e);
bool memory_yield(struct device *d, struct memory *m, struct error *e);
// Between the memory and its image, if it has one: what is newer than the image; what launches left.
bool memory_put(struct device *d, struct memory *m, struct error *e);
bool memory_take(struct device *d, struct memory *m, struct error *e);
// The data where it can be looked at: the memory itself, or a copy in *copy (free() it).
const void *memory_look(struct device *d, struct memory *m, void **copy, struct error *e);
bool guards_set(struct device *d, struct memory *m, struct error *e);
bool guards_look(struct device *d, struct memory *m, struct trespass *before,
                 struct trespass *behind, struct error *e);

// checksum_device.c
struct region {
    struct memory *memory;
    int64_t at; // relative to the data; guards have places below 0 and from memory->bytes on
    uint64_t bytes;
    uint64_t sum; // out: as checksum_of()
};
// Is the kernel built that makes this buffer's contents there? Does not wait for it.
bool fill_offered(struct device *d, const struct job_buffer *b);
// Makes them. False if the host is to: another kind of contents or memory, or what was made is wrong.
bool fill_on_device(struct device *d, const struct job_buffer *b, struct memory *m);
// Can it be done there? Else by reading back.
bool checksum_offered(struct device *d);
// All with one wait.
bool checksums_on_device(struct device *d, struct region *regions, uint32_t count, struct error *e);

// compare_device.c
struct compare_request {
    void *kernel; // compare_kernel()'s
    const struct job_buffer *buffer;
    struct memory *got, *expected;
    bool doubles;             // of the reference
    struct job_region region; // likewise
    struct compare_scale scale;
};
// NULL where the device cannot: it is then done on the host.
void *compare_kernel(struct device *d, const struct job_buffer *b, bool doubles);
// As compare_output(): counts, indices and deviations are the same, norms and sums but for the
// order of additions. False: the driver failed. The verdict is out->ok.
bool compare_on_device(struct device *d, const struct compare_request *q, struct deviation *out,
                       struct error *e);

// As compare_poisoned(); `expected` is not looked at, and may be the output itself.
bool poison_on_device(struct device *d, const struct compare_request *q, uint64_t *out,
                      struct error *e);

// gemm_device.c: the job's gemm reference, as doubles, into new memory *c; alpha, beta and the
// initial C included. `memory` is that of the job's buffers, which hold their initial contents.
// False where the device cannot or the host is faster: it is then done on the host.
bool gemm_on_device(struct device *d, const struct job *j, struct memory *const *memory,
                    struct memory *c);
bool gemm_offered(struct device *d, const struct job *j);
bool gemm_of_floats_offered(struct device *d); // whatever the job

// buffers.c
bool buffers_acquire(struct device *d, struct loaded *l, struct error *e);
void buffers_release(struct device *d, struct loaded *l);
// Makes what is missing: inputs, initial contents, guard zones.
bool buffers_make(struct device *d, struct loaded *l, struct error *e);
bool buffers_restore(struct device *d, struct loaded *l, bool timed, struct error *e);
bool buffers_poison(struct device *d, struct loaded *l, struct error *e);
// Both, before a block of timed launches on so many slots.
bool buffers_freshen(struct device *d, struct loaded *l, uint32_t slots, struct error *e);
// Inputs and initial contents are made again before they are needed.
void buffers_forget(struct loaded *l);
// The buffer as its contents are made now, which other inputs change.
struct job_buffer buffer_contents(const struct device *d, const struct job_buffer *b);
// Makes copies of what launches write, up to `wanted` slots; returns how many there are, at least 1.
uint32_t buffers_slots(struct device *d, struct loaded *l, uint32_t wanted);
// All contents are doubtful: they are made again when next needed.
void buffers_distrust(struct device *d);
void buffers_free(struct device *d);
bool buffer_restores(const struct job_buffer *b, bool timed);
// Has it contents before the first launch? Else it is poisoned.
bool buffer_begins_made(const struct job_buffer *b);

// load.c: the parts of a job on the device, without contents.
bool load_job(struct device *d, struct loaded *l, const struct job *j, const struct image *image,
              struct text *log, struct result *r);
void load_release(struct device *d, struct loaded *l);
// Its buffers alone, for what is not launched.
bool load_buffers(struct device *d, struct loaded *l, const struct job *j, struct result *r);
bool image_write(struct device *d, const struct loaded *l, struct text *out, struct error *e);

// run.c: one launch of all kernels, with buffers set up as they are.
bool run_job(struct device *d, struct loaded *l, uint32_t batch, uint64_t *total_ns,
             uint64_t *parts_ns, struct result *r);
// Contents made and set up, one launch, guards and inputs checked; outputs are not compared.
bool run_checked(struct device *d, struct loaded *l, struct result *r);
// Are all guard zones and inputs as they were before the launches? On failure r says which is not,
// and all buffers are made again.
bool run_left_intact(struct device *d, struct loaded *l, struct result *r);

// A driver call failed after a launch that seemed to succeed: it is the launch's doing, as a kernel
// that wrote where it may not is often noticed late. The device is lost. Memory that the host lacks is
// nobody's doing, and loses nothing.
bool run_lost(struct device *d, const struct error *e, struct result *r);
// A call failed before a launch: no doing of the kernel's.
bool run_unstarted(struct device *d, const struct error *e, struct result *r);

#define HOST_CLOCK_NS                                                                              \
    20000 // what is made of its resolution: a wait for a launch ends later by more

// timer.c: takes what a run took for its time by the clock that counts, which may change by it:
// then the samples before are by another. `first`: the kernels' first launch. False when a launch
// failed.
bool timer_take(struct device *d, struct loaded *l, const struct run *run, bool first,
                const struct run_times *t, uint64_t *total_ns, struct result *r);
bool timer_is_hosts(const struct device *d);
// From now on the host's.
void timer_give_up(struct device *d, const char *why);
// Launches of a sample where so many were asked for: by the host's clock enough to be timed, and by
// no clock so many that the device is held for long. Known once the job was launched twice.
uint32_t timer_batch(const struct device *d, const struct loaded *l, uint32_t asked);

// spin.c: launches the job untimed while the card's clock is low for want of work.
bool spin_up(struct device *d, struct loaded *l, const struct policy *p, struct result *r);

// energy.c: counts the energy of a run of launches, or says in the result why that cannot be done;
// neither is a failure. `separately`: something has to be done between two launches.
bool energy_count(struct device *d, struct loaded *l, const struct policy *p, bool separately,
                  struct result *r);

// count_launch.c: counts what one launch does, or says in the result why that cannot be done; neither is a failure.
bool count_launch(struct device *d, struct loaded *l, struct result *r);

// unwritten.c: components of an output's region that hold the poison after a launch; 0 of an output
// that is not poisoned.
bool unwritten_suspected(struct device *d, struct loaded *l, uint32_t index, uint64_t *out,
                         struct error *e);
// The contents of each output (`data`), and for an output with unwritten components a byte for each
// component (`left`): 1 if the kernel did not write it. Otherwise NULL. Launches the job once more.
struct unwritten {
    uint32_t count;
    uint8_t **data, **left;
};
bool unwritten_find(struct device *d, struct loaded *l, struct unwritten *u, struct result *r);
void unwritten_release(struct unwritten *u);
// Checked, like any launch; what is poisoned before it holds other bytes than usual.
bool launch_on_other_poison(struct device *d, struct loaded *l, struct result *r);

// verify.c: holds the outputs, as they are now, against `f`.
bool outputs_compare(struct device *d, struct loaded *l, struct reference *f, struct result *r);
// check_timed.c: the same after a timed launch, which messages name.
bool outputs_compare_launch(struct device *d, struct loaded *l, struct reference *f,
                            uint64_t number, struct result *r);

// Holds one output by the comparison of `b`, which stands for that of the job; scale: NULL where it
// is not known.
bool outputs_hold(struct device *d, struct loaded *l, struct reference *f, uint32_t index,
                  const struct job_buffer *b, const struct compare_scale *scale,
                  struct deviation *out, struct error *e);

// reference_proof.c: that of an output by the comparison of `b`; NULL: it was not made.
const struct proof *proof_of(const struct reference *f, uint32_t index, const struct job_buffer *b);
// Makes the proofs that are missing. The contents of the job's outputs are lost.
bool reference_prove(struct device *d, struct loaded *l, struct reference *f, struct result *r);
// audit.c: puts mutants of the outputs, which are right, to their checks; one that passes is the spec's fault.
bool outputs_audit(struct device *d, struct loaded *l, struct reference *f, struct result *r);
// The reference of a loaded job with its proof, made at need. NULL: the result says why.
struct reference *reference_proven(struct device *d, struct loaded *l, struct result *r);

// check_timed.c: holds what a timed launch left in a slot against `f`, unless it is to the bit what
// was compared before. `number` counts the job's timed launches from 1.
bool outputs_check(struct device *d, struct loaded *l, struct reference *f, uint32_t slot,
                   uint64_t number, struct result *r);
// The reference for the inputs that are made from now on; their sums are others.
bool inputs_change(struct device *d, struct loaded *l, uint64_t inputs, struct reference **out,
                   struct result *r);
// Is a launch that took `first_ns` on inputs that it had not seen so slow for that reason? Then, and
// where a launch fails, false.
bool inputs_are_looked_at(struct device *d, struct loaded *l, uint64_t first_ns, struct result *r);

// Ahead of time, while others build: what comparing the job's outputs on the device takes. What
// fails here fails again, or is done without, when they are compared.
void outputs_prepare(struct device *d, const struct job *j, struct reference *f);

// reference.c: what names the expected outputs of `j`: a hash of all their texts, worth keeping.
void reference_recipe(const struct device *d, const struct job *j, struct digest *out);
// The expected outputs, made at need. NULL: the result says why.
struct reference *reference_of(struct device *d, const struct job *j, const struct digest *recipe,
                               struct result *r);
// Reads them from the cache, where they are.
void reference_recall(struct device *d, const struct job *j, const struct digest *recipe);
// Where a comparison wants it. NULL: the device has no room for it.
struct memory *reference_on_device(struct device *d, struct reference *f, uint32_t index);
bool reference_on_host(struct device *d, struct reference *f, struct error *e);
// Makes room on the device; what was there alone is brought to the host.
void references_leave_device(struct device *d);
void references_free(struct device *d);
