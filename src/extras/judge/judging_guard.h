// The candidates' workers from outside: a sandbox for each, and what it may take of the machine.
#pragma once

#include "base/arena.h"
#include "base/error.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define GUARD_PROCESSES 64           // below a worker
#define GUARD_MEMORY    (6ull << 30) // bytes of one of these, beside what its jobs need

enum guard_side {
    GUARD_CANDIDATES, // workers that build and launch
    GUARD_BASELINE,   // the one that launches the baseline where a candidate is timed from outside
    GUARD_VERIFIER    // the one that has references, and compares
};
// The environment of workers in a sandbox, from that of others: files and caches of their own below the folder `scratch`, so that a
// candidate leaves nothing in the user's, nor in the other side's. NULL with an error.
const char *const *guard_environment(const char *const *environment, const char *scratch,
                                     enum guard_side side, struct arena *a, struct error *e);
// The folder of a cache that an entry of it names; NULL: it names none.
const char *guard_cache(const char *entry);
// Empties the caches of an environment's side.
void guard_empty_caches(const char *const *environment);
// Removes the folders of workers that are gone, below that of an environment's side.
void guard_tidy(const char *const *environment);
// Names what the sandbox withholds on this system: "files, network, signals, system calls"; "" where there is none.
const char *guard_words(struct arena *a);
// The cores that each thread of this process's workers may use: no call that the sandbox refuses changes them for another.
#define GUARD_THREADS 512
struct guard_cores {
    size_t count;
    struct {
        pid_t thread;
        cpu_set_t cores;
    } threads[GUARD_THREADS];
};
void guard_note_cores(struct guard_cores *out);
// Have they changed for a thread that is still there?
bool guard_cores_changed(const struct guard_cores *noted);
// The workers that this process has, and the processor time that they and all processes below them have used since they began.
#define GUARD_WORKERS 256
struct guard_workers {
    size_t count;
    pid_t list[GUARD_WORKERS];
};
void guard_note_workers(struct guard_workers *out);
uint64_t guard_used_ns(const struct guard_workers *noted);
// Kills children of this process that a worker in a sandbox had started, and left to it: they are in one, too, and have begun no
// program of their own. NULL, or why (static text).
const char *guard_kill_strays(void);
// Kills each worker of this process that has too many processes or too much memory; its candidate is blamed as for any
// other end. NULL, or why one was killed (static text). Strays, too, which are no one's reason: whose they are is not
// known. At most every tenth of a second.
const char *guard_look(uint64_t memory, uint64_t *looked_ns);
