// The tables, and whether a database has them.
#ifndef HONE_STORE_SCHEMA_H
#define HONE_STORE_SCHEMA_H

#include "base/error.h"

#include <sqlite3.h>
#include <stdint.h>

// What makes an empty database a store; run within one transaction.
extern const char schema_sql[];

// Refuses another program's file and one that a newer hone wrote. `path` is for the message.
bool schema_owner_check(const char *path, uint32_t application, uint32_t version, struct error *e);

// A cheap look for damage: the schema can be read and has our tables, the ends of each are
// readable; all pages of a file of at most a few MiB.
bool schema_check(sqlite3 *db, const char *path, uint64_t bytes, struct error *e);

// The one number that a query answers, such as "PRAGMA user_version"; false: see sqlite3_errmsg().
bool schema_number(sqlite3 *db, const char *sql, int64_t *out);

#endif
