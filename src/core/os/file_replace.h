// A file that is there whole or not at all.
#pragma once

#include "base/text.h"

// Do both names lead to one file? So do equal names where there is none.
bool file_is_same(const char *a, const char *b);
// Could file_replace() write here? Leaves nothing behind.
bool file_replaceable(const char *path, struct error *e);
// Writes a file that is not there yet; one that is there is refused, and --output named.
bool file_create(const char *path, const struct text *text, struct error *e);
// Writes the text beside the file and puts it in its place, on the disk before it returns. Mode, owner and
// group stay those of the file that was there; of a symbolic link the target is replaced. What is no
// regular file (a pipe, /dev/stdout), or belongs to another user, is written to as it is.
bool file_replace(const char *path, const struct text *text, struct error *e);
