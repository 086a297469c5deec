// What a fuzz target is: one function over bytes, which returns 0 and does not crash, whatever they
// are. libFuzzer calls it with inputs that it breeds, replay.c with those of a folder.
#ifndef HONE_TESTS_FUZZ_FUZZ_H
#define HONE_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// As assert(), in every build.
#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
