// A kernel as fake drivers know it: taken out of a text by its first line, and doing on the host
// what the word after "fake:" in its text says, over floats:
//
//   // fake:copy     second = first
//   // fake:add      third = first + second
//   // fake:fill     first = the scalar that comes second
//   // fake:count    first += 1
//   // fake:raise    first += the first of the module's symbol, of CUDA
//   // fake:keep     likewise, and the symbol becomes that of the first
//   // fake:through  the first holds a pointer: as many floats as the scalar says that comes second += 1 there
//
// The own kernels of hone that it knows are hone_probe, hone_checksum, hone_hold, and of `hone peak` those that read
// memory, by their names.
#ifndef HONE_TESTS_FAKE_KERNEL_H
#define HONE_TESTS_FAKE_KERNEL_H

#include "orders.h"

#include <stddef.h>

#define ARGUMENTS_MOST 16
#define NAME_MOST      FAKE_NAME_MOST

enum space { SPACE_GLOBAL, SPACE_LOCAL, SPACE_PRIVATE };

struct parameter {
    enum space space;
    bool constant;
    char type[NAME_MOST], name[NAME_MOST];
};

struct declaration {
    char name[NAME_MOST], operation[NAME_MOST];
    struct parameter parameters[ARGUMENTS_MOST];
    unsigned count;
};

// Finds "void NAME(" in the text and takes its parameters apart; false when there is none.
bool fake_parse_kernel(const char *source, const char *name, struct declaration *out);

// An argument at a launch.
struct operand {
    uint8_t *data; // of a buffer; NULL: none
    size_t size;   // bytes of it
    bool constant;
    const uint8_t *value; // of a scalar
};

// Does what the kernel's marker says, on this many work-items, and lies where `lie` says how:
// "garbage" (what is written is then spoilt), "nothing" (nothing is written). "": no lie.
void fake_operate(const struct declaration *k, const struct operand *operands, size_t work_items,
                  const char *lie);
// Does it know this kernel of hone's own?
bool fake_knows_own(const char *name);

#endif
