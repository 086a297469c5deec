// Walking a spec's JSON with the path of every node at hand. Private to src/core/problem.
//
// check_keys() runs over the whole document first: afterwards every key has one of the JSON types
// that the table of keys allows, so that the readers need no further type checks.
#pragma once

#include "problem/faults.h"
#include "problem/keys.h"
#include "problem/origin.h"
#include "problem/spec.h"

#include <jansson.h>

struct reader {
    struct spec *spec;   // under construction
    struct arena *arena; // the spec's
    const struct log *log;
    bool strict;
    struct error *error;
    struct faults *faults;
    const struct device_info *device; // (optional)
    bool refuses_commands;
    // (optional) Of an expanded document: what its paths are to its writer.
    const struct origins *origins;
};

// Keeps the error of a part of the document that was read, so that the parts behind it are read as
// well and one run tells all mistakes. False when reading cannot go on.
bool read_on(const struct reader *r, bool ok);
// A value of a wrong kind: from now on nothing stands there, and no error about it or a part of it
// is kept.
bool read_hide(const struct reader *r, const char *path);

// One place in the document. json is NULL when there is nothing there; the path is still right.
struct node {
    const json_t *json;
    const char *path;
};

// The root of the document; its path is "".
struct node node_root(const json_t *json);
struct node node_get(const struct reader *r, struct node object, const char *key);
// The first of the two that is there; the first when neither is.
struct node node_get_either(const struct reader *r, struct node object, const char *key,
                            const char *other);
// The members of an object in the document's order: `for (struct members m = node_members(r, n); members_next(&m);)`.
struct members {
    const struct reader *reader;
    struct node object;
    void *at;
    const char *name; // of the member, and the member itself
    struct node node;
};
struct members node_members(const struct reader *r,
                            struct node object); // none of what is no object
bool members_next(struct members *m);
// An item of an array; anything that is no array is its own only item.
struct node node_item(const struct reader *r, struct node array, size_t index);
size_t node_count(struct node array);         // 0 when absent or null
bool node_present(struct node n);             // there, and not null
const char *node_text(struct node n);         // NULL when it is no string
bool node_flag(struct node n, bool fallback); // true, false, 1, 0

// "PATH: " and the message become the error. Always false.
bool node_error(const struct reader *r, struct node n, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#ifdef __clang_analyzer__ // see error.h
#define node_error(...) (node_error(__VA_ARGS__), false)
#endif
void node_warn(const struct reader *r, struct node n, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
const char *json_kind_name(const json_t *json); // "a text", "an object", ...

// A text that must be there and not be empty.
bool read_text(const struct reader *r, struct node n, const char **out);
// The same of a data file's name: "{n}" in it is the value of the constant n, so that each size has its own file.
bool read_data_name(const struct reader *r, struct node n, const char **out);
// A list of texts; *items NULL and *count 0 when absent. Empty texts are dropped.
bool read_texts(const struct reader *r, struct node n, const char *const **items, uint32_t *count);
// Index of the text among `names` (case ignored), `fallback` when the node is absent.
bool read_choice(const struct reader *r, struct node n, const char *const *names, size_t count,
                 size_t fallback, size_t *out);
// The text of an expression, or the lines of a list of texts. NULL without memory.
const char *node_lines(const struct reader *r, struct node n);
// An expression over the given names. `expr` is NULL when the node is absent.
bool read_formula(const struct reader *r, struct node n, const struct expr_symbols *symbols,
                  struct formula *out);
// A JSON number, text or boolean as a value. Texts are not expressions here.
struct value node_value(struct node n);

// Checks every key of the document against its table: wrong JSON types and, when strict, everything
// that the T1 schema refuses are mistakes; unknown keys are warnings. False when reading cannot go
// on.
bool check_keys(const struct reader *r, const struct key_table *t, struct node root);
