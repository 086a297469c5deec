// The bytes of a file, a buffer at a time, unpacked where gzip packed them (told by its first two
// bytes, whatever the file is called; several members follow each other, as `cat` joins them).
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

struct bytes {
    const unsigned char *at, *end; // what can be taken now
    const char *path;              // for messages; the caller's
    uint64_t line;                 // counted by whoever takes the bytes, from 1
    bool is_over;                  // nothing comes after `end`

    int fd; // -1: what lies in memory
    bool is_packed, in_member;
    z_stream unpacker;
    unsigned char *packed, *plain; // buffers
};

// Looks at the first bytes already. bytes_close() is called also after a failure.
bool bytes_open(struct bytes *b, const char *path, struct error *e);
bool bytes_open_memory(struct bytes *b, const char *path, const void *data, size_t length,
                       struct error *e);
void bytes_close(struct bytes *b);

// Once `at` has reached `end`: the next ones. At the end of the file true with at == end. An error
// where the file cannot be read, or is no whole gzip file.
bool bytes_more(struct bytes *b, struct error *e);

// The next byte without taking it, -1 at the end, -2 with an error.
static inline int bytes_peek(struct bytes *b, struct error *e)
{
    if (b->at == b->end && !b->is_over && !bytes_more(b, e))
        return -2;
    return b->at < b->end ? *b->at : -1;
}
