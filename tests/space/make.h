// Specs for tests of the space, from short texts, and a way to run a suite.
#ifndef HONE_TESTS_SPACE_MAKE_H
#define HONE_TESTS_SPACE_MAKE_H

#include "space/space.h"

#include <check.h>

// parameters: "a [1, 2, 3]; b [2**i for i in range(4)]"; a third word "=2" gives a default:
// "a [1, 2] =2". restrictions: "a < b; a % b == 0", may be "". more: further members of the JSON
// document, each ending in a comma, may be "". Fails the test when the spec does not load.
struct spec *make_spec(const char *parameters, const char *restrictions, const char *more);
// A member for `more`: {"Name": ..., "Expression": ...} pairs go into ConfigurationSpace.Derived,
// so they are given here instead: "D = a // b; E = D + 1".
struct spec *make_spec_derived(const char *parameters, const char *restrictions,
                               const char *derived, const char *more);
// Loads a file, overriding a constant ("WIDTH=1000") unless it is NULL.
struct spec *load_spec(const char *path, const char *set);
// Does the space agree with its restrictions, as far as a few hundred draws can tell? False with the error set: what it
// lacks or should not hold, or out of memory.
bool space_self_check(const struct space *sp, struct error *e);
// Fails the test when there is none, or when it does not agree with its restrictions.
struct space *make_space(const struct spec *s, const struct space_options *o);
// As "a=1,b=2" names it.
void make_choice(const struct spec *s, const char *configuration, uint32_t *choice);

// Does the configuration meet the spec's restrictions? By evaluating every one.
bool is_valid(const struct spec *s, const uint32_t *choice);
// The next configuration of the Cartesian product in lexicographic order; false after the last.
bool next_choice(const struct spec *s, uint32_t *choice);

#endif
