// Looking up the tables of keys: those of T1 with what hone adds, and those of the short form. Private to src/core/problem.
// `parent` is the pattern of the object a key stands in: "" for the whole file, "KernelSpecification.Arguments[]", ...
#pragma once

#include "problem/spec.h"

#define KEYS_MOST 256 // of a table

struct key_table {
    const struct spec_key *keys;
    size_t count;
    const char *block_root;          // keys with the flag `block` stand there ...
    const char *const *block_places; // ... and in objects like these; ends in NULL
};

extern const struct key_table t1_keys, short_keys;

// NULL when there is no such key there.
const struct spec_key *key_find(const struct key_table *t, const char *parent, const char *name);
// The key's name when it may stand in such an object, else NULL; "*" fits every name.
const char *key_name_in(const struct key_table *t, const struct spec_key *key, const char *parent);
// The known key there whose name is nearest, or NULL.
const char *key_nearest(const struct key_table *t, const char *parent, const char *name);

// The key of T1 that may stand in such an object of the short form as it is, and the pattern of the object of T1 where
// it belongs. NULL: there is none.
const struct spec_key *short_t1_key(const char *pattern, const char *name, const char **place);
// The short form's name of a key of T1: "size" for "Size"; the same name if it has no other.
const char *short_key_name(const char *t1);
