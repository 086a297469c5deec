// Data files: raw elements, or NumPy's .npy. Private to src/spec.
#ifndef HONE_SPEC_DATA_H
#define HONE_SPEC_DATA_H

#include "base/arena.h"
#include "base/error.h"
#include "model/job.h"
#include "spec/spec.h"

struct data_file {
    const char *path;
    struct blob_file file;
    struct job_blob blob; // the elements: in memory where they are few
    bool npy;
    char type[8];        // npy: "f4", "i8", ...: always little-endian
    uint64_t components; // npy
};

// Reads the header and, once, for their digest, the elements, which are not kept but where they are
// few. What it makes lives in `a`; `out` stays where it is. `known` (optional): digests of files
// that were read before, which are not hashed again; takes in this one.
bool data_read(const char *path, struct arena *a, struct spec_digests *known, struct data_file *out,
               struct error *e);
// Does the file hold exactly `count` elements of this type?
bool data_fits(const struct data_file *d, const struct element *el, uint64_t count,
               struct error *e);

#endif
