// Compiles expressions of a spec, for one configuration, into the postfix programs of known_program.h: parameters and
// constants become numbers, and what they decide falls away; the columns of the table and the facts of the device are
// read when the program runs. What then still needs more than integers, and doubles on the way to one, is refused by
// name: texts, lists made at run time, functions that need a library of mathematics.
//
// A program gives what hone's own evaluation gives, or a fault where hone has a value in these cases alone: `/` of
// integers beyond 2^53, and a power with a negative exponent that is not known before.
#pragma once

#include "base/arena.h"
#include "known/known_program.h"
#include "problem/spec.h"

// A text that the device has, as device_type or device_vendor, can be compared with a text that is known: that is a fact
// of the device of its own, 1 where they are equal.
struct deploy_text_fact {
    uint32_t slot;
    const char *text;
};
enum { DEPLOY_TEXT_FACTS_MOST = 8 };

struct deploy_compiler {
    struct arena *arena;
    const struct spec *spec;
    const struct value *slots; // of all names of the spec; of those that vary it is not looked at
    const uint32_t *varying;   // by slot: its number in programs, or one of these
#define DEPLOY_FIXED   UINT32_MAX
#define DEPLOY_DERIVED (UINT32_MAX - 1) // a derived parameter that varies: compiled in its place
#define DEPLOY_WITHOUT (UINT32_MAX - 2) // neither known now nor at run time
    // (optional) Those that were met, numbered from text_fact_first on.
    struct deploy_text_fact *text_facts;
    uint32_t text_fact_count, text_fact_first;
    const char *path, *text; // of what is compiled, for errors
    struct known_step *steps;
    size_t count, capacity;
    size_t landed;  // a jump lands at this step: what stands in front of it is not changed any more
    uint32_t depth; // of derived parameters within each other
    struct error *error;
};

// The kinds of number that a part may give.
enum { GIVES_INT = 1, GIVES_FLOAT = 2 };

// Appends to the steps; false with the error, also where there are too many. A formula: the kinds that it may give.
unsigned deploy_put_formula(struct deploy_compiler *c, const struct formula *f);
bool deploy_put_int(struct deploy_compiler *c, int64_t i);
bool deploy_put_slot(struct deploy_compiler *c, uint32_t variable);
bool deploy_put_operator(struct deploy_compiler *c, enum hone_core_operator op);
// A whole number of at least `least`, as problem/job_formulas.h's make_size().
bool deploy_put_size(struct deploy_compiler *c, const struct formula *f, int64_t least,
                     int64_t fallback);

// Does the value depend on what is known at run time alone?
bool deploy_varies(const struct deploy_compiler *c, const struct expr *x);
// The value of one that does not; false with the error where it has none.
bool deploy_value(struct deploy_compiler *c, const struct formula *f, struct value *out);
