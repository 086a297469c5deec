// A store of hone as a recorded space. Private to src/exchange.
#ifndef HONE_FORMATS_READ_STORE_H
#define HONE_FORMATS_READ_STORE_H

#include "formats/gather.h"

// Is it a SQLite file? By its first bytes.
bool is_store_file(const char *path);

// Fills `r`, whose path and arena are made. Several spaces are an error that lists them.
bool read_store(struct recorded *r, const struct recorded_options *o, struct error *e);

#endif
