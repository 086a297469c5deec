// How a failure of the store reads: "FILE: what happened; what to do". All are ERROR_STORE, with
// SQLite's code beside the text (the looks taken before SQLite is asked use the code that fits).
#pragma once

#include "base/error.h"

#include <sqlite3.h>
#include <stddef.h>

// Each but store_fail_unread() returns false.
bool store_fail(struct error *e, const char *path, int code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// Reports SQLite's last error on `db`; `doing` names the activity ("writing a result").
bool store_fail_sqlite(struct error *e, const char *path, sqlite3 *db, const char *doing);
// As store_fail_sqlite() when only codes are left: SQLite's and the system's errno (0: none).
bool store_fail_code(struct error *e, const char *path, int code, int system, const char *doing);

// Fails when the report of SQLite's check says that it could not fetch a page: that page's content was
// not judged, so the file may be whole. If SQLite dropped the reason, the file's errno tells a
// failing device from a want of memory. True when there was such a line.
bool store_fail_unread(struct error *e, const char *path, sqlite3 *db, const char *report);

// Fails with SQLITE_READONLY: who owns the file or folder `blocked`, its mode, and who asks.
bool store_fail_readonly(struct error *e, const char *path, const char *blocked);
