// A dispatch table made ready to be looked up: its expressions compiled, its points sorted, as the core that the
// generated header and libhone-known share (known/known_core.h) reads it. Both formats are this, written down.
#pragma once

#include "extras/deploy/compile.h"
#include "extras/deploy/dispatch.h"

struct deploy_program {
    const struct known_step *steps;
    uint32_t count, depth; // of its stack
    const char *text;      // what it was compiled from
};

struct core_table {
    const struct deploy_table *from;
    const struct spec *spec; // in the T1 form
    hone_core_table core;    // its evaluate() runs the programs
    const struct deploy_program *programs;
    uint32_t program_count;
    const char *const *identifiers; // of the arguments
    const char *device_macro;       // (or NULL) one whose value is the asking device's
    struct arena arena;
};

// Different kernels that the table's language launches. A model of waves (`launch`) counts the work-groups of one of them in
// every configuration, wherever that stands among its launches.
uint32_t core_table_kernels(const struct deploy_table *t);

// Makes all of it; what cannot be deployed is refused by name. core_table_release() in either case.
bool core_table_init(struct core_table *c, const struct deploy_table *t, struct error *e);
void core_table_release(struct core_table *c);
