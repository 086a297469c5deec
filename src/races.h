// Oclgrind around a worker: a simulator of an OpenCL device that sees every data race and every
// access outside a buffer. How it is started, and what it reports.
#ifndef HONE_RACES_H
#define HONE_RACES_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// X(NAME, text)
#define RACE_KINDS(X)                                                                              \
    X(READ_WRITE, "read-write data race")                                                          \
    X(WRITE_WRITE, "write-write data race")                                                        \
    X(READ_OUTSIDE, "read outside a buffer")                                                       \
    X(WRITE_OUTSIDE, "write outside a buffer")                                                     \
    X(DIVERGENCE, "barrier not reached by all work-items of a work-group")                         \
    X(UNINITIALISED, "use of memory that was never written")                                       \
    X(OTHER, "invalid operation")

enum race_kind {
#define X(name, text) RACE_##name,
    RACE_KINDS(X)
#undef X
        RACE_KINDS_COUNT
};
const char *race_kind_text(enum race_kind k);

// What was found on one line of a kernel: the same kind there is told once, with how often.
struct race {
    enum race_kind kind;
    const char *kernel;         // the function
    const char *file;           // as the spec names it, after #line; "" unknown
    uint32_t line;              // 0: unknown
    const char *text;           // the source line, trimmed; "" unknown
    const char *memory;         // "local", "global", ...
    const char *first, *second; // the work-items: "global (3,0,0) local (3,0,0) group (0,0,0)"; ""
    uint64_t count;
    bool more; // the simulator stopped counting
};

struct races {
    struct race *races;
    size_t count;
};

struct races_options {
    const char *const *worker; // argv, NULL-terminated
    uint64_t local_memory;     // the target device's, bytes; 0: the simulator's own
    uint64_t max_group_size;   // likewise
    uint64_t max_errors;       // of one kernel launch; 0: RACES_MAX_ERRORS
    const char *log;           // file that the simulator writes
};

#define RACES_MAX_ERRORS 1000

// The argv that starts the worker inside the simulator, in the arena, NULL-terminated. NULL with
// what to install when there is no oclgrind.
const char *const *races_command(const struct races_options *o, struct arena *a, struct error *e);

// Reads what the log holds from *offset on, and moves *offset to its end. Everything in the arena.
bool races_read(const char *log, uint64_t *offset, struct arena *a, struct races *out,
                struct error *e);

// "matmul.cl:12: read-write data race in kernel tiled, on local memory, 512 times" and, indented,
// source line and work-items.
void race_text(const struct race *r, struct text *out);

#endif
