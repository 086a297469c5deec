// Which agents are started, and how: what --on says, as the command line of a launcher for each node. Pure functions of
// texts. They come from the command line alone: a spec, a store or a recording never names a program to start.
//
//   local            the devices of this machine, without an agent
//   slurm            each node of the allocation: srun --overlap -u ... -w NODE
//   ssh:a,b,c        ssh -oBatchMode=yes -- a
//   exec:PREFIX      any command put before, split as a shell would but by none; {} in it stands for each of --nodes
//
// One text may name several, as in "local,ssh:a,b,slurm"; what stands behind exec: belongs to it up to the end.
#pragma once

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

#define LAUNCHERS_MOST 64

struct launcher {
    const char *name;        // the node's, unique among them; "" of this machine
    const char *const *argv; // up to the agent's own --node; NULL: this machine
};

struct launchers {
    struct launcher list[LAUNCHERS_MOST];
    uint32_t count;
};

struct launchers_given {
    const char *option; // for errors: "--on"
    const char *const *texts;
    uint32_t text_count;
    const char *nodes;      // (optional) --nodes, what {} stands for: "a,b,c"
    const char *worker;     // the program hone-worker, as it is called on the nodes
    const char *allocation; // (optional) SLURM_JOB_NODELIST
};

// Everything lies in the arena or is the caller's.
bool launchers_read(const struct launchers_given *given, struct arena *a, struct launchers *out,
                    struct error *e);

// May a node be called so? Letters, digits and .-_:[]@ alone, not beginning with '-', at most 255.
bool launcher_name_fits(const char *name, size_t length);

// The words of a command as a shell splits them: blanks separate, '...' is literal, in "..." and outside of quotes a
// backslash takes the next character as it is. NULL-terminated, in the arena; NULL with the error set.
const char **launcher_words(const char *command, struct arena *a, struct error *e);

// Slurm's lists: "n[1-3,7],gpu[08-10]-a,login". The caller gives room for `most`; *count is how many there are. False with
// the error set where it is no such list, or names more.
bool launcher_hosts(const char *list, struct arena *a, const char **names, uint32_t most,
                    uint32_t *count, struct error *e);
