// Data files: raw elements, or NumPy's .npy.
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "model/job.h"
#include "problem/spec.h"

struct data_file {
    const char *path;
    struct blob_file file;
    struct job_blob blob; // the elements: in memory where they are few
    bool npy;
    char type[8];        // npy: "f4", "i8", ...: always little-endian
    uint64_t components; // npy
    uint64_t rows;       // npy: the first axis; 1 of a single number
};

// Reads the header alone. What it makes lives in `a`; `out` stays where it is.
bool data_look(const char *path, struct arena *a, struct data_file *out, struct error *e);

// The type of an .npy file's elements; false: a spec has no name for it.
bool data_element(const struct data_file *d, struct element *out);

struct data_reading {
    struct data_file *file; // that was looked at
    bool ok;
    struct error e; // else
};
// Reads the elements of files once, for their digests: large files beside each other. They are not
// kept but where they are few, in `a`. `known` (optional): digests of files that were read before,
// which are not hashed again; takes in these.
void data_read_all(struct data_reading *list, size_t count, struct arena *a,
                   struct spec_digests *known);
// Does the file hold exactly `count` elements of this type?
bool data_fits(const struct data_file *d, const struct element *el, uint64_t count,
               struct error *e);
