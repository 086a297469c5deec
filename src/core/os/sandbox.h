// A sandbox around this process and all that it starts, for workers that hold kernels of others: files outside a list can
// neither be read nor written, nothing outside can be connected to, signalled or traced, and no privilege comes back. It
// consists of what the system has (Landlock, seccomp, no_new_privs, limits); needs no rights, and cannot be left.
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

// Beside the system's libraries, drivers and compilers, which can be read, and the device nodes of GPUs. What is not there is skipped.
struct sandbox {
    const char *const *readable; // folders and files, NULL-terminated
    const char *const *writable; // likewise
    const char *const *lists;    // (or NULL) of folders that can be read, separated by colons
    uint64_t file_bytes;         // of a file that is written; 0: no limit
};

// The variables of the environment whose values belong into `lists`: where else libraries and drivers lie. NULL-terminated.
extern const char *const sandbox_variables[];

// The protections that a system may have; bits of sandbox_offers().
enum { SANDBOX_FILES = 1, SANDBOX_NETWORK = 2, SANDBOX_SIGNALS = 4, SANDBOX_CALLS = 8 };
unsigned sandbox_offers(void);

// Encloses the calling thread and all threads and processes that it starts from then on. False if the system has no Landlock, or
// refuses; the process is then to end.
bool sandbox_enter(const struct sandbox *s, struct error *e);
