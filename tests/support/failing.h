// An allocator that fails on order, for programs that link support/failing.c (failing_allocator()
// in CMake): the n-th allocation fails once, of whatever library. In a sanitizer build, which has
// the allocator for itself, only what the program links as objects asks here, and leaks are the
// sanitizer's to find.
#ifndef HONE_TESTS_SUPPORT_FAILING_H
#define HONE_TESTS_SUPPORT_FAILING_H

#include <stdbool.h>

// From now on `successes` allocations succeed, and the one after them fails.
void failing_start(long successes);
// Back to normal. True when an allocation failed.
bool failing_end(void);
// Blocks that were allocated and not freed between the two; 0 where the sanitizer counts.
long failing_left(void);

#endif
