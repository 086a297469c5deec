// The short form of a spec, expanded to the T1 form in memory. Private to src/core/problem.
#pragma once

#include "problem/data.h"
#include "problem/short_form_facts.h"
#include "problem/spec_json.h"

// Is the document in the short form?
bool short_form_is(const json_t *root);
// False where it is in both.
bool short_form_check(const struct reader *r, struct node root);
// The same spec in T1; *out is the caller's. Without facts (NULL) what the kernel's source says is left open: types and
// names are then such that the rest can be read, and no job is made of it. *origins then gives its paths as `root` has
// them.
bool short_form_expand(const struct reader *r, struct node root, const struct kernel_facts *facts,
                       struct origins **origins, json_t **out);

// ---- its parts ---------------------------------------------------------------------------------

struct expansion {
    const struct reader *r;
    struct node root; // of the short form
    struct origins *origins;
    const struct kernel_facts *facts;      // (optional)
    json_t *t1, *general, *space, *kernel; // under construction
    bool has_language;                     // the spec says its own, without its text
    enum language language;
    bool is_kernel_open; // which of several kernels is meant is not said: that mistake is enough
    bool failed;         // no memory: told at the end
};

// Sets a member or adds an item, and notes where it stands for the spec's writer; takes the value, and gives it back
// for what is to be put into it.
json_t *expand_put(struct expansion *x, json_t *object, const char *key, json_t *value,
                   const char *path);
json_t *expand_add(struct expansion *x, json_t *list, json_t *value, const char *path);
// A copy of a node; nothing where it is absent.
void expand_copy(struct expansion *x, json_t *object, const char *key, struct node n);
// With !ok keeps the mistake, so that one run tells all of them; nothing more is told of this path. False when reading
// cannot go on.
bool expand_on(const struct expansion *x, bool ok, const char *path);
// Members that are keys of T1 as they are.
bool expand_t1_keys(struct expansion *x, struct node from, const char *pattern, json_t *to);
// The keys of a launch: the kernel's source, sizes and options. With `languages` what its files say of other languages
// goes there.
bool expand_layer(struct expansion *x, struct node from, json_t *to, bool has_languages);
// Repeat and Swap, which the whole, a launch and a reference have.
void expand_repeat(struct expansion *x, struct node from, json_t *to);
// Its object in the Languages of `to`.
json_t *expand_language_object(struct expansion *x, json_t *to, const char *title,
                               const char *path);
// len(NAME) becomes a number (expand_lengths.c): the document is then *copy, which the caller frees.
bool expand_lengths(struct expansion *x, json_t **copy);
// The .npy file that fills an argument. False: none does, or it cannot be read, with an error.
bool expand_data(const struct expansion *x, struct node argument, struct data_file *out,
                 struct error *e);
// KernelSpecification.Arguments (expand_arguments.c).
bool expand_arguments(struct expansion *x);
// Names of the arguments of a kernel with this text, in its order; false where the text does not say it.
bool expand_argument_names(struct expansion *x, const struct launch_facts *facts, json_t *to,
                           const char *path);
// KernelSpecification.Reference (expand_reference.c).
bool expand_reference(struct expansion *x);
// Does it change roles between passes?
bool expand_is_swapped(const struct expansion *x, const char *name);
// Is it one of the outputs that the spec names, where it names any?
bool expand_is_output(struct expansion *x, const char *name);
