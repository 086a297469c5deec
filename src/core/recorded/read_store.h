// A store of hone as a recorded space. Private to src/exchange.
#pragma once

#include "recorded/gather.h"
#include "store/query/query.h"

// Is it a SQLite file? By its first bytes.
bool is_store_file(const char *path);

// Reads a space that stored_spaces() found. recorded_free().
struct recorded *read_stored_space(struct store *store, const struct stored_space *space,
                                   const struct log *log, struct error *e);

// Fills `r`, whose path and arena are made. Several spaces are an error that lists them.
bool read_store(struct recorded *r, const struct recorded_options *o, struct error *e);
