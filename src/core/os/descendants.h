// The processes below a process: those that it, or one of them, has started and that still run. What
// leaves its group or its session (setsid) stays below the nearest living process that takes orphans
// (PR_SET_CHILD_SUBREAPER); a worker is one, so that nothing its kernels start is lost sight of.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

// This process takes the orphans among its descendants as its children, which it then has to reap:
// descendants_reap().
bool descendants_adopt(void);
// Lists the processes below `root`, at most `most`, parents first; dead ones that nobody has waited for
// are left out. Allocates nothing. Returns how many.
size_t descendants_list(pid_t root, pid_t *out, size_t most);
// The same of the direct children alone.
size_t descendants_children(pid_t root, pid_t *out, size_t most);
// Signals all below `root`, and what they start meanwhile.
void descendants_signal(pid_t root, int signal);
// SIGKILLs all below `root`, and what they start meanwhile. `root` itself goes on.
void descendants_kill(pid_t root);
// Waits for the dead among the children that this process has adopted, and for no child in `own`.
void descendants_reap(const pid_t *own, size_t count);
