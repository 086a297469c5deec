// Contents that are given byte for byte: of a data file, or made with the job. A job names them by
// their digest; the bytes travel apart from it, once a worker (protocol.h), so that neither frames
// nor keys grow with them.
#pragma once

#include "base/digest.h"
#include "base/error.h"

// Contents up to this size are held in memory and take part in a job's key as they are, larger
// ones by their digest.
#define BLOB_SMALL 65536
// Larger contents are read, hashed and sent in parts of this size.
#define BLOB_PART (1u << 20)

// A file as it was when its digest was computed. Where any of it has changed the digest is another
// file's.
struct blob_file {
    const char *path;
    uint64_t offset; // of the contents in it
    uint64_t device, inode, size;
    int64_t modified_s;
    int64_t modified_ns;
};

struct job_blob {
    const void *data;             // NULL: not in memory, or without contents
    const struct blob_file *file; // (or NULL) where they are read from; never on the wire
    uint64_t length;
    struct digest digest; // of the contents; zeros where length is 0
};

// Contents in memory, which stay the caller's.
struct job_blob blob_of(const void *data, uint64_t length);
// Notes what a file is; `path` stays the caller's. What is no regular file is refused.
bool blob_file_look(const char *path, struct blob_file *out, struct error *e);
// `length` bytes from `from`, counted from the file's beginning. ERROR_INPUT where it is not what
// it was.
bool blob_file_read(const struct blob_file *f, uint64_t from, void *out, size_t length,
                    struct error *e);
// The contents of a file from its offset to its end: reads them once, for the digest.
bool blob_of_file(const struct blob_file *file, struct job_blob *out, struct error *e);
// `length` bytes from `from`, which lie within the contents.
bool blob_read(const struct job_blob *b, uint64_t from, void *out, size_t length, struct error *e);
// Adds the contents themselves to a digest.
bool blob_digest_contents(const struct job_blob *b, struct digest_state *s, struct error *e);
