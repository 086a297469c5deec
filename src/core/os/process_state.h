// A process as others see it: what code that runs in it can change for all that runs there later.
// Read from /proc, so that the process itself has no say in it.
#pragma once

#include "base/error.h"
#include "base/text.h"

#include <stdint.h>
#include <sys/types.h>

#define STATE_LIMITS 16 // of RLIMIT_*
#define STATE_FILES  1024

struct process_state {
    uint32_t threads;
    uint32_t busy_threads; // of those besides the first: run, or would if they had a core
    uint32_t children;     // alive
    uint64_t limits[STATE_LIMITS];
    uint64_t blocked, ignored, caught; // sets of signals
    uint32_t file_mask;                // umask
    uint32_t seccomp;
    int nice, policy;
    int64_t group, session;
    uint64_t cores; // digest of the set
    uint64_t personality;
    uint8_t files[STATE_FILES / 8]; // those that are open, by number
    bool timers;                    // timer_create()'s
    char folder[4096];
};

// False: it is gone, or does not let itself be looked at.
bool process_state_read(pid_t pid, struct process_state *out);
// Adds what differs, in words ("changed the working folder to /"); nothing: all is as before.
// Threads are the caller's business.
void process_state_tell(const struct process_state *before, const struct process_state *now,
                        pid_t pid, struct text *out);
// Has it a library loaded whose threads wait for the next call, such as OpenMP's?
bool process_has_pool(pid_t pid);
// Its threads, the first included; 0: it is gone.
uint32_t process_threads(pid_t pid);
// Processor time of another process, all its threads, by the kernel's count.
uint64_t process_used_ns(pid_t pid);
