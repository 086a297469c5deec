// Tests that mostly wait, several at a time: each iteration runs in a process of its own.
#ifndef HONE_TESTS_SUPPORT_AT_ONCE_H
#define HONE_TESTS_SUPPORT_AT_ONCE_H

#include <stddef.h>

// run(i) for i = first .. end - 1; it may assert, as a test may.
struct at_once {
    const char *name;
    void (*run)(int i);
    int first, end;
};

// Starts them in their order, at most `most` at a time, and waits for all. To be called in a test: the test fails where
// one does, with its assertion, and which they were is told on standard error.
void at_once(const struct at_once *list, size_t count, unsigned most);

#endif
