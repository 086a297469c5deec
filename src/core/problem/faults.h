// The mistakes of one spec, collected so that one run tells all of them. Private to src/core/problem.
#pragma once

#include "base/arena.h"
#include "base/error.h"

#include <stdint.h>

struct spec;

struct fault {
    const char *text;
    enum error_code code;
    int driver;
    struct fault *next;
};

struct faults {
    struct fault *first, *last;
    struct fault *hidden; // paths in the spec of which nothing more is to be told
    uint32_t count;
    const struct spec *spec; // whose they are
};

// With !ok keeps what the error says, once, and clears it. False when that is no mistake in the
// input or a file that cannot be read (but no memory, say): the error is then left.
bool faults_keep(struct faults *f, struct arena *a, bool ok, struct error *e);
// From now on nothing is kept that is about the path or a part of it. False without memory, or
// when there are so many mistakes that it is time to tell them.
bool faults_hide(struct faults *f, struct arena *a, const char *path, struct error *e);
bool faults_is_hidden(const struct faults *f, const char *path);
// False, with all of them in one error, when there are any; of several each with its place in the spec.
bool faults_end(const struct faults *f, struct error *e);
