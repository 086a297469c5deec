// The tables, and whether a database has them.
#pragma once

#include "base/error.h"

#include <sqlite3.h>
#include <stdint.h>

// A constant as SQL has it.
#define TEXT_OF(number)  #number
#define NUMBER(constant) TEXT_OF(constant)

// Makes a store of version `from` (0: of an empty database) one of version `to`, within a
// transaction of the caller's. False: see sqlite3_errmsg().
bool schema_raise(sqlite3 *db, int64_t from, int64_t to);

// Defines hone_log(format, body) and hone_body(format, body): of a body that has its log in it, as
// before version 3, the log, and the rest. NULL where there is no log.
bool schema_functions(sqlite3 *db);

// Refuses another program's file and one that a newer hone wrote. `path` is for the message.
bool schema_owner_check(const char *path, uint32_t application, uint32_t version, struct error *e);

// Refuses what has other tables, indices, views or triggers than a store of its version, before
// anything else is read. Then a cheap look for damage: the ends of each table are readable; all
// pages of a file of at most a few MiB.
bool schema_check(sqlite3 *db, const char *path, uint64_t bytes, struct error *e);

// The one number that a query answers, such as "PRAGMA user_version"; false: see sqlite3_errmsg().
bool schema_number(sqlite3 *db, const char *sql, int64_t *out);
