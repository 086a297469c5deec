// A spec in the T1 form as one in the short form. Private to src/core/problem.
#ifndef HONE_PROBLEM_SHORTEN_H
#define HONE_PROBLEM_SHORTEN_H

#include "problem/expand.h"
#include "problem/kernel_read.h"

struct shortening {
    const struct spec *s; // read from `from`
    const json_t *from;   // in T1
    json_t *out;          // in the short form
    enum language own;    // the spec's
    bool plain_sizes;     // sizes stay keys of T1: the short form would say something else
    bool one_launch;      // arguments are not named as the kernel names them: a launch lists them
    bool failed;          // no memory
};

// Everything is written out, whatever the kernel's text says. False without memory; x->out is the caller's in any case.
bool shorten(struct shortening *x);
// KernelSpecification.Arguments as an object (shorten_arguments.c).
void shorten_arguments(struct shortening *x, const json_t *kernel);

// ---- its parts ---------------------------------------------------------------------------------

// A member that is there and not null, else NULL.
const json_t *t1_get(const json_t *object, const char *key);
const char *t1_text(const json_t *object, const char *key);
// Sets a member; takes the value.
json_t *shorten_put(struct shortening *x, json_t *object, const char *key, json_t *value);
// A copy under another name; nothing where there is nothing.
void shorten_copy(struct shortening *x, json_t *to, const char *key, const json_t *from,
                  const char *t1);
// A flag, which T1 may write as 1 or 0.
void shorten_flag(struct shortening *x, json_t *to, const char *key, const json_t *from,
                  const char *t1);
// Members that have no name in the short form, as they are: all but those in `done`, which ends in NULL.
void shorten_rest(struct shortening *x, json_t *to, const char *pattern, const json_t *from,
                  const char *const *done);
#endif
