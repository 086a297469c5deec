// The input of a space: the spec's parameters, and all their restrictions in one list.
#pragma once

#include "space/space.h"

enum restriction_kind {
    RESTRICTION_FORMULA, // of the spec, or --where
    RESTRICTION_CHOICES, // --config: one of these (partial) configurations
    RESTRICTION_DERIVED  // a derived parameter must have a value
};

struct restriction {
    enum restriction_kind kind;
    const struct formula *formula;
    bool where;                 // of the command line
    const uint32_t *parameters; // that it reads, also through derived ones; ascending
    uint32_t parameter_count;
    const uint32_t *derived; // to evaluate before it, in order (DERIVED: itself the last)
    uint32_t derived_count;
};

struct problem {
    const struct spec *spec;
    struct value *slots;              // constants, facts and special names are bound
    struct restriction *restrictions; // of the spec, --where, --config, derived; each in order
    uint32_t restriction_count;
    uint32_t *choices; // rows of value indices, UINT32_MAX where any value will do
    uint32_t choice_count;
    struct arena arena;
};

#define CHOICE_ANY UINT32_MAX

// False with the error set; problem_release() in either case. NULL options: nothing restricts, the
// spec's restrictions neither.
bool problem_init(struct problem *p, const struct spec *s, const struct space_options *o,
                  struct error *e);
void problem_release(struct problem *p);
// Adds a restriction whose kind and formula are set to the problem's, which have room for it.
bool problem_add(struct problem *p, const struct restriction *from, struct error *e);
// Row of --config as value indices.
const uint32_t *problem_choice(const struct problem *p, uint32_t row);

// The error that there is too much to enumerate, because of this restriction (UINT32_MAX: of all);
// `most`: the limit that it passed. Always false.
bool problem_refuse(const struct problem *p, uint32_t culprit, const char *most, struct error *e);

// Evaluates restrictions over slots of its own.
struct evaluator {
    const struct problem *problem;
    struct value *slots;
    struct arena scratch;
    uint64_t tests;  // made so far
    uint64_t *steps; // left for what is inside of expressions: see expr_test_within(); or NULL
    bool exhausted;  // they ran out: results of tests since then mean nothing
    bool failed;     // out of memory
};

// `slots`: constants and facts to start from; NULL: the problem's.
bool evaluator_init(struct evaluator *v, const struct problem *p, const struct value *slots);
void evaluator_release(struct evaluator *v);
void evaluator_set(struct evaluator *v, uint32_t parameter, uint32_t value);
// Does a formula hold, or a derived parameter have a value, for the values set? `fault` is NONE
// when it is simply false, or a derived parameter that it reads has no value (that one then reports
// it).
bool evaluator_test(struct evaluator *v, const struct restriction *r, enum expr_fault *fault);
// The cost of testing it, in steps of a search.
uint32_t restriction_cost(const struct restriction *r);
