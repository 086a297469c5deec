// The steps of reading a spec, in the order of spec_load(). Private to src/core/problem. Each fills its
// part of reader->spec and returns false with reader->error filled.
#pragma once

#include "problem/spec_json.h"

// Constants, with the caller's overrides applied.
bool read_constants(struct reader *r, struct node root, const struct spec_options *options);
// Tuning parameters; their value lists may use constants.
bool read_parameters(struct reader *r, struct node root);
// Numbers the slots and names them; parameters, constants and names of derived ones are set.
bool make_symbols(struct reader *r);
// Names and slots of everything an expression may use, then derived parameters and restrictions.
bool read_formulas(struct reader *r, struct node root);
// A list of restrictions ("Conditions") behind those already read. With `language` ("CUDA") they
// hold in that language only.
bool read_conditions(struct reader *r, struct node list, const char *language);
// Metrics, iterations, budget, search, objective.
bool read_settings(struct reader *r, struct node root);
// Search, with its attributes.
bool read_search(struct reader *r, struct node root);
// Objective, else what General says of it; after the metrics.
bool read_objective(struct reader *r, struct node root);
// KernelSpecification.
bool read_kernel(struct reader *r, struct node root);

// Makes the value one of this type: 1 -> 1.0 or True, 2.0 -> 2. False when that loses something.
bool value_coerce(struct arena *a, enum parameter_type type, struct value *v);
enum parameter_type natural_type(const struct value *v);
#define PARAMETER_TYPE_COUNT 6
extern const char *const parameter_type_names[PARAMETER_TYPE_COUNT];
// May this be the name of a parameter or constant? False with the reason in reader->error.
bool check_name(const struct reader *r, struct node n, const char *name);
// A symbol table of the constants alone, and their values by slot.
bool constant_symbols(const struct reader *r, struct expr_symbols *symbols, struct value **slots);
// Evaluates an expression over constants alone; absent formulas are not allowed.
bool eval_constant(const struct reader *r, const struct formula *f, const struct value *slots,
                   struct value *out);
