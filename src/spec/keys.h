// Looking up the table of keys. Private to src/spec. `parent` is the pattern of the object a key
// stands in: "" for the whole file, "KernelSpecification.Arguments[]", ...
#ifndef HONE_SPEC_KEYS_H
#define HONE_SPEC_KEYS_H

#include "spec/spec.h"

// NULL when there is no such key there.
const struct spec_key *key_find(const char *parent, const char *name);
// The key's name when it may stand in such an object, else NULL; "*" fits every name.
const char *key_name_in(const struct spec_key *key, const char *parent);
// The known key there whose name is nearest, or NULL.
const char *key_nearest(const char *parent, const char *name);

#endif
