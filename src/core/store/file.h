// Checks of a store's file, and of its folder, that alter neither. All of them precede SQLite's
// opening the file for writing.
#pragma once

#include "base/error.h"

#include <limits.h>
#include <sqlite3.h>
#include <stdint.h>

struct store_file {
    const char *shown;     // as the caller wrote it, for messages
    char path[PATH_MAX];   // absolute, links resolved
    char folder[PATH_MAX]; // where it lies
    uint64_t size;         // bytes; 0: new
    bool exists;
};

// Finds the file; with `create`, missing folders are made for a missing file. A missing file is no
// error, something that is not a regular file is one.
bool store_file_find(struct store_file *f, const char *path, bool create, struct error *e);

// Opens the file with SQLite so that nothing is written, locked or made beside it. (Reading it with
// a descriptor of our own would be simpler, but closing that descriptor drops the locks of every
// other connection that this process has on the file.)
sqlite3 *store_file_peek(const struct store_file *f, struct error *e);
// Opens with SQLite's `flags`; `parameters` as in "immutable=1" or "". The caller closes it.
sqlite3 *store_file_open(const struct store_file *f, int flags, const char *parameters,
                         struct error *e);

// Refuses a file that is not an undamaged store of this version: by the header, and if no log or
// journal lies beside it (then the file alone is the whole database) by schema_check().
bool store_file_inspect(const struct store_file *f, struct error *e);

// A log or journal that holds something.
bool store_file_has_log(const struct store_file *f);

// Whether the file and its folder may be written, as far as the system tells.
bool store_file_writable(const struct store_file *f);
// Rights, free space, limits of this process: refuses with the reason and the remedy.
bool store_file_ready(const struct store_file *f, struct error *e);

// False on file systems whose locks or shared memory do not reach every host, where WAL would lose
// data. `magic` is statfs()'s f_type.
bool store_magic_local(unsigned long magic);
bool store_file_local(const struct store_file *f);
