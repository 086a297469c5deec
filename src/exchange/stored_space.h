// A store of hone as a recorded space: the newest result of each configuration of one spec, set of
// constants and device. Private to src/exchange.
#ifndef HONE_EXCHANGE_STORED_SPACE_H
#define HONE_EXCHANGE_STORED_SPACE_H

#include "exchange/gather.h"

// Is it a SQLite file? By its first bytes.
bool stored_space_is(const char *path);

// Fills `r`, whose path and arena are made. Several spaces are an error that lists them.
bool stored_space_read(struct recorded *r, const struct recorded_options *o, struct error *e);

#endif
