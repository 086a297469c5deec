// Mutants of a kernel: its text with one fault of those that kernels have, a barrier that is missing or a bound that is off by one.
#ifndef HONE_KERNEL_TEXT_KERNEL_MUTANTS_H
#define HONE_KERNEL_TEXT_KERNEL_MUTANTS_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

struct kernel_mutant {
    const char *text; // whole
    size_t length;
    const char *line;   // that was changed, as it was, trimmed
    const char *change; // "without barrier(CLK_LOCAL_MEM_FENCE)", "<= for <"
};

// At most so many, spread over the text. Places are barriers, and comparisons in the parentheses of if, for and while; none in
// directives, nor behind a comment of their line. Some mutants do what the kernel does. False without memory.
bool kernel_mutants_make(const char *text, size_t length, size_t most, struct arena *a,
                         struct kernel_mutant **out, size_t *count);

#endif
