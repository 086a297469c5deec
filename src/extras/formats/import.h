// Stores recorded spaces that other programs wrote: T4 files, Kernel Tuner cache files, CSV.
//
// A row becomes a result that is marked (STOP_IMPORTED) with the name of the statistic that its one
// sample is, of a job whose key no live job can have: it answers no question, and is never ranked
// with measurements of this machine. Its device is named as recorded ("unknown device (FILE)" if
// the file does not name one, so that two files are not mixed), on a platform "imported median" (or
// mean, ...), so that two statistics are never compared.
#pragma once

#include "recorded/recorded.h"
#include "store/upkeep.h"

struct import_options {
    const struct spec *spec; // whose results they are, with the constants that they were taken with
    enum language language;
    // (optional) Where a file does not say on which device; where it says, part of that.
    const char *device;
    const char *command, *host; // (optional) of the session
    const struct log *log;
};

// Merges the files into the store at `path`, which is made when missing. Whole or not at all: all
// are read before the store is opened, and all come in one transaction. What is there already, with
// the same configuration, status, time and costs, is not added again. out[i] is for files[i].
bool import_recorded(const char *path, const char *const *files, size_t count,
                     const struct import_options *o, struct store_imported *out, struct error *e);
