// Runs a worker in Oclgrind, a simulator of an OpenCL device that sees every data race and every
// access outside a buffer: how it is started, and what it reports.
//
// Oclgrind's behaviour (version 21.10, from its source and tests): the launcher puts its OpenCL
// into the program by LD_PRELOAD, and the worker then offers that device alone. A context truncates
// the log when it is made, and every message is flushed, so that the findings of a killed worker
// are there. Races between work-groups, however, are reported when the kernel ends, so never for
// one that does not end. --max-errors counts over the life of the process: a worker therefore
// serves one job (live_options.simulated). Line numbers and file names follow #line, the source
// text that it prints beside them does not. Writes of equal values do not count as a race.
// --uninitialized is left out: with exact buffers its reports are correct, but it takes several
// times as long and ends with "Unsupported instruction: freeze" on some kernels that LLVM has
// optimised. OCLGRIND_UNINITIALIZED=1 in the environment still reaches the simulator.
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "model/job.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// X(NAME, name in JSON, text)
#define RACE_KINDS(X)                                                                              \
    X(READ_WRITE, "read_write_race", "read-write data race")                                       \
    X(WRITE_WRITE, "write_write_race", "write-write data race")                                    \
    X(READ_OUTSIDE, "read_outside", "read outside a buffer")                                       \
    X(WRITE_OUTSIDE, "write_outside", "write outside a buffer")                                    \
    X(DIVERGENCE, "divergence", "barrier not reached by all work-items of a work-group")           \
    X(UNINITIALISED, "uninitialised", "use of memory that was never written")                      \
    X(OTHER, "other", "invalid operation")

enum race_kind {
#define X(name, json, text) RACE_##name,
    RACE_KINDS(X)
#undef X
        RACE_KINDS_COUNT
};
const char *race_kind_text(enum race_kind k);
const char *race_kind_name(enum race_kind k); // in JSON

// One side of what was found. Texts are never NULL; "" and 0 are unknown.
struct race_place {
    const char *file; // as the spec names it, after #line
    uint32_t line, column;
    const char *text; // the source line, trimmed
    const char *item; // "global (3,0,0) local (3,0,0) group (0,0,0)"
};

// The findings on one line of a kernel: each kind is reported once, with a count. A read-write race
// is listed at the line that reads, any other at the earlier of its two lines.
struct race {
    enum race_kind kind;
    const char *kernel; // the function
    const char *memory; // "local", "global", ...; ""
    uint64_t bytes;     // of the access; 0: not reported
    const char *detail; // what the simulator says besides; ""
    struct race_place at;
    struct race_place other; // of a race: the other work-item's part
    uint64_t count;
    bool more; // the simulator stopped counting
};

struct races {
    struct race *races;
    size_t count;
};

// Are these the same finding, reported for two launches?
bool race_same(const struct race *a, const struct race *b);
// By file, line, kind and kernel: for qsort().
int race_compare(const void *a, const void *b);

struct races_options {
    const char *const *worker; // argv, NULL-terminated
    const char *path;          // where to search for oclgrind: folders, ':' between them
    uint64_t local_memory;     // the target device's, bytes; 0: RACES_LOCAL_MEMORY
    uint64_t max_group_size;   // likewise; 0: RACES_GROUP_SIZE
    uint64_t max_errors;       // of one job; 0: RACES_MAX_ERRORS
    const char *log;           // file that the simulator writes
    bool counts; // instructions are counted (instructions.h), and races not looked for
};

// Limits that GPUs commonly offer; the simulator's own 32 KiB refuses kernels that run on them.
#define RACES_LOCAL_MEMORY 49152
#define RACES_GROUP_SIZE   1024
#define RACES_MAX_ERRORS   1000
// A launch takes about a thousand times as long as on a device.
#define RACES_LAUNCH_LIMIT_NS (300ull * 1000000000)

#define RACES_PACKAGE  "oclgrind"
#define RACES_PLATFORM "Oclgrind" // of the device that the worker offers

// The argv that starts the worker inside the simulator, in the arena, NULL-terminated. NULL with
// what to install when there is no oclgrind.
const char *const *races_command(const struct races_options *o, struct arena *a, struct error *e);

// Reads the log and removes it, so that the next reading begins with new messages. A missing log
// means no findings. Truncated and unknown messages are ignored. Everything in the arena.
bool races_take(const char *log, struct arena *a, struct races *out, struct error *e);
// The same of a text.
bool races_parse(const char *text, size_t length, struct arena *a, struct races *out,
                 struct error *e);
// Gives the places the names of the job's files and the text of their lines, in the arena; what is
// not found keeps its name and has no text.
void races_locate(struct races *r, const struct job *j, struct arena *a);

// "matmul.cl:12: read-write data race in kernel tiled, on local memory, 512 times" and, indented,
// source lines and work-items.
void race_text(const struct race *r, struct text *out);
