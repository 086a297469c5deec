// The outcome of one job under one policy. A failure is a result, not an error.
#pragma once

#include "base/arena.h"
#include "base/wire.h"
#include "model/counters.h"

// The closed list, named as the T4 format names them. X(NAME, text, what it means)
#define STATUSES(X)                                                                                \
    X(CORRECT, "correct", "ran, and its result agrees with the reference if there is one")         \
    X(COMPILE, "compile", "fails to compile, or the compiler died")                                \
    X(RUNTIME, "runtime", "crashed, wrote out of bounds, changed an input, or the driver failed")  \
    X(TIMEOUT, "timeout", "built or ran longer than its limit")                                    \
    X(CORRECTNESS, "correctness", "wrong result: deviates, is not written, or is NaN")             \
    X(CONSTRAINTS, "constraints", "exceeds the device's limits: work-group, local memory, ...")

enum status {
#define X(name, text, meaning) STATUS_##name,
    STATUSES(X)
#undef X
        STATUS_COUNT
};

#define STOPS(X)                                                                                   \
    X(NONE, "none")       /* nothing was timed */                                                  \
    X(SETTLED, "settled") /* the interval is narrow enough, or the usual count is reached */       \
    X(HOPELESS,                                                                                    \
      "hopeless")       /* far behind the best: stopped early. When the verified launch alone  \
                               said so, that is its one sample (not warm, batch 1) */   \
    X(LIMIT, "limit")   /* the time for one configuration was used up */                           \
    X(FIXED, "fixed")   /* the count that was asked for */                                         \
    X(RANKED, "ranked") /* a finalist's samples of a ranking, one a round */                       \
    X(COMPARED, "compared") /* one a round, launched in turn with those of other jobs */           \
    X(IMPORTED, "imported") /* not ours: read from what somebody else recorded, failures too */    \
    X(REPLAYED, "replayed") /* the one time that a recording has */

enum stop_reason {
#define X(name, text) STOP_##name,
    STOPS(X)
#undef X
        STOP_COUNT
};

#define VERIFICATIONS(X)                                                                           \
    X(NONE, "not verified")                                                                        \
    X(REFERENCE, "verified")                                                                       \
    X(AGREES, "agrees with the default")                                                           \
    X(OLDER, "verified by an older rule") /* of a stored result: today's may reject it */          \
    X(CLAIMED, "not verified: valid by its own word") /* of a program: hone compared nothing */

enum verification {
#define X(name, text) VERIFICATION_##name,
    VERIFICATIONS(X)
#undef X
        VERIFICATION_COUNT
};

// Where a failure points beyond its configuration.
#define FAULTS(X)                                                                                  \
    X(NONE, "none")                                                                                \
    X(CONFIGURATION, "configuration") /* this configuration's own */                               \
    X(SPEC, "spec")           /* what the spec says makes no sense: a size, the kernel's name */   \
    X(REFERENCE, "reference") /* the reference could not be made: nothing can be verified */       \
    X(DEVICE, "device")       /* the device or its driver is gone */                               \
    X(WORKER, "worker")       /* the worker died or broke the protocol outside any job */          \
    X(LOST, "lost")           /* the device was gone after this configuration ran */               \
    X(TYPE, "type")           /* an argument's type is not the kernel's, perhaps here alone */     \
    X(SURROUNDINGS, "surroundings") /* what else runs here, or its limits, may have caused it */

enum fault {
#define X(name, text) FAULT_##name,
    FAULTS(X)
#undef X
        FAULT_COUNT
};

// X(name, unit, meaning): the members of a struct resources, in the order of its codec and its JSON.
#define RESULT_RESOURCES(X)                                                                        \
    X(registers, "", "of a work-item")                                                             \
    X(spill_bytes, "bytes", "")                                                                    \
    X(local_bytes, "bytes", "of a work-group: local (shared) memory, static and dynamic")          \
    X(private_bytes, "bytes", "of a work-item: private (local, stack) memory")                     \
    X(constant_bytes, "bytes", "")                                                                 \
    X(preferred_multiple, "", "of the work-group's size")                                          \
    X(max_group_size, "", "of this kernel")                                                        \
    X(groups_per_unit, "", "work-groups that a compute unit holds at once")

// -1 if the driver does not report it.
struct resources {
#define X(name, unit, meaning) int64_t name;
    RESULT_RESOURCES(X)
#undef X
};

#define RESOURCE_UNKNOWN(name, unit, meaning) -1,
#define RESOURCES_UNKNOWN                                                                          \
    {                                                                                              \
        RESULT_RESOURCES(RESOURCE_UNKNOWN)                                                         \
    }

// X(name, meaning): where the time of a configuration went, by the wall clock: build_ns, ...
#define RESULT_TIMES(X)                                                                            \
    X(build, "")                                                                                   \
    X(load, "")                                                                                    \
    X(inputs, "of the first configuration that needed them")                                       \
    X(reference, "likewise")                                                                       \
    X(verify, "")                                                                                  \
    X(measure, "")
#define RESULT_TIME_MEMBER(name, meaning) uint64_t name##_ns;

// Numbers of a deviation in their first form, in the order in which they are written.
#define DEVIATION_NUMBERS(X)                                                                       \
    X(f64, norm)                                                                                   \
    X(f64, largest)                                                                                \
    X(u64, index) X(f64, got) X(f64, expected) X(u64, nans) X(u64, unwritten) X(u64, wrong)

// How one output compares with its reference.
struct deviation {
    const char *name; // of the argument
    bool ok;
    double norm;          // ||a - r|| / ||r||
    double largest;       // largest |a - r|
    uint64_t index;       // where, in components
    double got, expected; // there
    uint64_t nans;        // NaN or infinite where that is refused
    uint64_t unwritten;   // still poisoned where the reference writes
    uint64_t wrong;       // components outside the tolerance

    // Since format 7; before it `components` is 0.
    bool compared;           // else there is no reference, and only the rest below is known
    uint64_t components;     // in the region
    uint64_t written;        // of them by the kernel; WRITTEN_UNKNOWN of what is not poisoned
    uint64_t left;           // of them the reference itself left unwritten: they are not compared
    uint64_t output_nans;    // NaN in the region of the output
    uint64_t reference_nans; // NaN in that of the reference

    // Since format 10. How the check of this output proved itself on the reference.
    bool changes;     // `written` is what a launch changed of what the output held before
    double rms;       // of the reference: root of the mean of its squares; 0: not known
    double narrowed;  // factor on hone's own tolerance, without which it would let wrong outputs
                      // pass; 1: none
    bool blind;       // wrong outputs pass all the same: nothing is shown by it
    const char *note; // why it was narrowed, or what it lets pass; "": nothing

    // Not told between processes.
    double most_wrong; // the largest of the reference where it is wrong
    // SUM of integers: `got` and `expected`, of up to 128 bits; else "".
    char whole_got[44], whole_expected[44];
};
#define WRITTEN_UNKNOWN UINT64_MAX

// Counters of the worker's machine at the end of the measurement. Two snapshots of one worker make
// a rate: each counts from when it opened the device.
struct machine_snapshot {
    uint64_t at_ns;        // monotonic clock of that machine
    uint64_t other_cpu_ns; // time its cores spent on other processes than the worker, in sum
    uint32_t cores;        // that the worker may run on; 0: nothing is known of them
    uint32_t mhz;          // mean clock of the cores (CPU device) or of the GPU; 0: not known
};
// The share of the cores that others used between two; -1: not known, since another worker took the second.
double snapshot_load(const struct machine_snapshot *from, const struct machine_snapshot *to);

// Why a GPU ran below the clock that it would have chosen. X(NAME, text)
#define SLOWDOWNS(X)                                                                               \
    X(POWER, "power limit")                                                                        \
    X(HEAT, "temperature limit")                                                                   \
    X(BRAKE, "hardware brake")     /* power supply or an external signal */                        \
    X(SETTING, "clocks held down") /* set by hand, or by a group of cards that keep in step */

enum slowdown {
#define X(name, text) SLOWDOWN_##name,
    SLOWDOWNS(X)
#undef X
        SLOWDOWN_COUNT
};

#define GPU_NUMBERS(X) X(mhz_before) X(mhz_after) X(memory_mhz) X(milliwatts) X(celsius)

// State that a GPU's management library reports around the timed launches: before the first and
// after the last, while the card is still busy. Without that library `known` is false and the rest
// 0.
struct gpu_snapshot {
    bool known;
    uint32_t mhz_before, mhz_after; // of the multiprocessors
    uint32_t memory_mhz;
    uint32_t milliwatts;
    uint32_t celsius;
    uint32_t slowed; // 1 << enum slowdown, at either look
};
// Joins snapshots in the order of their launches: the clock before the first, the state after the
// second.
void gpu_snapshot_join(struct gpu_snapshot *into, const struct gpu_snapshot *later);

// Energy of one launch, if it was asked for. Counters are renewed a few times a second, so a run of
// launches must be long enough to be read.
struct energy {
    uint64_t microjoules; // of one launch, idle power included; 0: not known
    uint64_t span_ns;     // over which it was counted
    uint32_t launches;    // in it
    const char *refused;  // why it is not known: "the launches took 3 ms together, ..."; "" when it
                          // is, or was not asked for
};

// X(type, codec, name): the rules (stats/rules.h) by which a ranking is decided, in the order of the codec.
#define RANKED_RULES(X)                                                                            \
    X(double, f64, level)                                                                          \
    X(double, f64, behind)                                                                         \
    X(double, f64, alike)                                                                          \
    X(uint32_t, u32, rounds)                                                                       \
    X(uint32_t, u32, looks)                                                                        \
    X(uint32_t, u32, early)

// Inputs of a ranking besides the samples: with both, the ranking can be reproduced.
struct ranked_terms {
#define X(type, codec, name) type name;
    RANKED_RULES(X)
#undef X
    // The resolution of a sample, screened ones too: intervals of this result are widened to it
    // wherever they are shown. 0: an earlier hone did not say.
    uint64_t resolution_ns;
};

struct result {
    struct arena arena; // owns every pointer below
    enum status status;
    enum fault fault; // NONE when correct
    enum verification verification;
    enum stop_reason stop;
    bool warm;          // inputs were warm in the cache when timed
    bool reused;        // came from the store or from an identical configuration; not on the wire
    bool device_limit;  // CONSTRAINTS: refused by the device before it ran
    uint32_t earlier;   // of the samples, the first so many are an earlier run's; not on the wire
    const char *origin; // file of the store it came from, if that is not the user's own; not on
                        // the wire; NULL otherwise

    // In order, ns; read them through result_samples(). Each is the time of one launch (with
    // batch > 1 the mean over the batch), from the first start to the last end of the job's
    // kernels.
    uint64_t *samples_ns;
    uint32_t sample_count;
    uint32_t batch;
    uint32_t warmups;      // untimed launches before each sample
    const char *statistic; // IMPORTED: what its one sample is of others: "mean"; else ""
    double exact_ns; // IMPORTED: that sample with its fraction; 0: none was kept; not on the wire
    uint8_t ranking[16]; // RANKED, COMPARED: the rounds it took part in; sample i is of round i
    struct ranked_terms terms; // RANKED: of that ranking; else its resolution alone
    // RANKED: the part of the space whose best were ranked, as words of a command line: "--where
    // 'a > 2'"; "" all of it, or an earlier hone did not say
    const char *part;
    // RANKED: rounds of the ranking before its first sample: those of a default that is many times
    // slower come after the others', and are the last ones of their winner. 0: sample i is of
    // round i.
    uint32_t first_round;
    struct machine_snapshot machine;
    struct gpu_snapshot gpu;
    struct energy energy;
    struct counters *counters; // (or NULL) if they were asked for
    // Why these times are the host's, around batches of launches, and not the device's: "its events
    // say
    // ..."; "": they are the device's, or an earlier hone did not ask
    const char *timer_fault;
    // The configuration whose result this is: the two were built to the same code, and are launched
    // alike. What the build says is this one's own. "": it was measured itself.
    const char *same_as;
    // The part of each kernel of a job with several: sample_count rows of part_columns.
    uint64_t *parts_ns;
    uint32_t part_count; // rows * columns
    uint32_t part_columns;

    struct resources *resources; // one a launch of the job
    uint32_t resource_count;
    struct deviation *deviations; // one a compared output
    uint32_t deviation_count;

    uint64_t limit_ns; // TIMEOUT: the limit it met
    // By the tuner's clock: from the last request for launches until all that they left was there;
    // not on the wire.
    uint64_t request_ns;
    uint64_t verify_launch_ns; // event time of the verified launch
    RESULT_TIMES(RESULT_TIME_MEMBER)

    const char *message; // one line; "" when correct
    const char *log;     // the build log; "" when empty
    const char *output;  // what the worker printed meanwhile (tail); "" when nothing
};

// The version of the codec's layout: raised when it changes.
#define RESULT_FORMAT 11

struct result *result_new(void); // zeroed: CORRECT, texts "", warm
void result_free(struct result *r);
struct result *result_clone(const struct result *r);
void result_codec(struct wire *w, struct result *r);
struct result *result_decode(const void *data, size_t length, struct error *e);
// As an earlier hone wrote it (1 .. RESULT_FORMAT); what it did not know stays as result_new()
// leaves it.
struct result *result_decode_format(const void *data, size_t length, int format, struct error *e);
// Sets a failure, once: a status other than CORRECT is kept. Returns false, for `return`.
bool result_fail(struct result *r, enum status status, enum fault fault, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
#ifdef __clang_analyzer__ // see error.h
#define result_fail(...) (result_fail(__VA_ARGS__), false)
#endif
// Appends what a later step found to an earlier one's result: first failure kept, samples and
// parts appended, resources, deviations, logs, times taken if the first has none (times add up),
// the latest look at the machine.
// False without memory.
bool result_merge(struct result *into, const struct result *from);
// Takes over what `from` knows of the energy and of counters, if they were asked for there. False without memory.
bool result_take_counts(struct result *into, const struct result *from);

// Puts the samples of an earlier result of the same job before those of `r`, which says everything
// else. False without memory. They must be of one kind: result_samples_alike().
bool result_samples_before(struct result *r, const struct result *earlier);
// Was every output that was compared found to be one whose check shows nothing?
bool result_is_blind(const struct result *r);
// The first output that the reference leaves in part unwritten; NULL: none.
const struct deviation *result_left(const struct result *r);
// Energy of one launch in joules; NaN if it is not known.
double result_joule(const struct result *r);
// Was it compared with a reference, and is it correct?
bool result_is_verified(const struct result *r);
// Was its energy asked for?
bool result_has_energy(const struct result *r);
// Is it the result of another configuration (same_as)?
bool result_is_shared(const struct result *r);
// By the host's clock, because the device's was found wrong?
bool result_by_host(const struct result *r);
// Taken in the same way: batch, warm-up launches, warm or cold, by the same clock.
bool result_samples_alike(const struct result *a, const struct result *b);
// The largest of its launches at this offset in struct resources, -1 if one is not known.
int64_t result_largest_resource(const struct result *r, size_t offset);

// The samples of a correct result; false (and *count 0) for every other status.
bool result_samples(const struct result *r, const uint64_t **samples_ns, uint32_t *count);

// Did it end its worker while its kernels ran? Known of stored results too.
#define RESULT_DIED "the worker died while "
bool result_crashed(const struct result *r);
// Did the compiler, or the driver that loaded what it had built, end its worker?
#define RESULT_COMPILER_DIED "the compiler died"
bool result_compiler_died(const struct result *r);
// Is `got` what the kernel wrote? Where outputs are unwritten it may be the poison, or a sum of it.
bool deviation_has_got(const struct deviation *d);
// Is it known how much of the output was written?
bool deviation_has_written(const struct deviation *d);

const char *status_text(enum status s);
const char *status_meaning(enum status s);
// The outcome for readers: the status, or "spec error".
const char *result_word(const struct result *r);
bool status_parse(const char *text, enum status *out);
const char *stop_text(enum stop_reason s);
bool stop_parse(const char *text, enum stop_reason *out);
const char *verification_text(enum verification v);
const char *fault_text(enum fault f);
bool fault_is_spec(enum fault f); // the spec is to be mended: neither device nor kernel failed
const char *slowdown_text(enum slowdown s);
