// An archive of regular files as every tar reads it (POSIX.1-1988 ustar), in memory. Written here because it is a page of a
// standard, and because a reader of what strangers send must refuse nearly all that a library of archives can do: links,
// devices, folders, names that lead out, extensions, files that are cut or stand there twice.
#pragma once

#include "base/arena.h"
#include "base/text.h"

#define USTAR_ENTRIES_MOST 10000

struct ustar_entry {
    const char *name; // relative: neither "." nor ".." nor an empty part
    const char *bytes;
    uint64_t length;
};

// Appends a file; ustar_end() goes behind the last one. False if the name is none that the reader takes, or is longer than
// the format holds: 100 bytes, or 255 that can be split at a '/'.
bool ustar_add(const char *name, const void *bytes, size_t length, int64_t time, struct text *out,
               struct error *e);
void ustar_end(struct text *out);

// Do the bytes begin like such an archive? 512 are enough.
bool ustar_is(const char *bytes, size_t length);
// The files, in the order in which they stand there; names in the arena, contents where they are. The error begins with `path`.
bool ustar_read(const char *path, const char *bytes, size_t length, struct arena *a,
                struct ustar_entry **out, size_t *count, struct error *e);
