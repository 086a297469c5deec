// How failures of the store read: SQLite's code in the user's words, with what can be done about it.

#include "store/fail.h"

#include "base/text.h"

#include <errno.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ELSEWHERE "choose another file"

// Meaning of SQLite's primary codes for the user, and the remedy.
static const struct reason {
    int code;
    const char *what;
    const char *remedy;
} reasons[] = {
    {SQLITE_FULL, "no space left on the device", "free some, or " ELSEWHERE},
    {SQLITE_BUSY, "another process kept it locked", "wait for that process or end it"},
    {SQLITE_CORRUPT, "the file is damaged",
     "move it away (sqlite3's .recover saves what is readable), or " ELSEWHERE},
    {SQLITE_NOTADB, "the file is damaged or not a store of hone", ELSEWHERE},
    {SQLITE_READONLY, "the file may not be written", ELSEWHERE},
    {SQLITE_TOOBIG, "more than a database row holds", "shorten the texts"},
    {SQLITE_CANTOPEN, "the file or one beside it cannot be opened", "check the folder's rights"},
    {SQLITE_IOERR, "reading or writing failed", "check the device, or " ELSEWHERE},
};

static const struct reason *reason_of(int code)
{
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].code == (code & 0xff))
            return &reasons[i];
    return NULL;
}

bool store_fail(struct error *e, const char *path, int code, const char *format, ...)
{
    char what[1500];
    va_list args;
    va_start(args, format);
    str_vformat(what, sizeof what, format, args);
    va_end(args);
    return error_set_driver(e, ERROR_STORE, code, "%s: %s", path, what);
}

// The system's errno often says more than SQLite: a full quota arrives as an input/output error.
static int code_refined(int code, int system)
{
    int primary = code & 0xff;
    if (primary != SQLITE_IOERR && primary != SQLITE_CANTOPEN)
        return code;
    if (system == ENOSPC || system == EDQUOT)
        return SQLITE_FULL;
    if (system == EROFS || system == EACCES || system == EPERM)
        return SQLITE_READONLY;
    return code;
}

bool store_fail_code(struct error *e, const char *path, int code, int system, const char *doing)
{
    if ((code & 0xff) == SQLITE_NOMEM || code == SQLITE_IOERR_NOMEM)
        return error_memory(e);
    if (system == EFBIG)
        return store_fail(e, path, code,
                          "%s: the file would grow past this process's size limit; raise it "
                          "(ulimit -f), or " ELSEWHERE,
                          doing);
    int refined = code_refined(code, system);
    if ((refined & 0xff) == SQLITE_READONLY)
        return store_fail_readonly(e, path, path);
    const struct reason *r = reason_of(refined);
    if (!r)
        return store_fail(e, path, code, "%s: %s (SQLite's code %d)", doing, sqlite3_errstr(code),
                          code);
    bool told = system && refined == code && (code & 0xff) == SQLITE_IOERR;
    return store_fail(e, path, refined, "%s: %s%s%s; %s", doing, r->what, told ? ": " : "",
                      told ? strerror(system) : "", r->remedy);
}

static int last_errno(sqlite3 *db, int pointer)
{
    sqlite3_file *file = NULL;
    int number = 0;
    if (sqlite3_file_control(db, "main", pointer, &file) == SQLITE_OK && file && file->pMethods)
        file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &number);
    return number;
}

// The connection loses errno of a failed COMMIT; the file that could not be written keeps it.
static int system_errno(sqlite3 *db, int code)
{
    int primary = code & 0xff;
    if (primary != SQLITE_IOERR && primary != SQLITE_CANTOPEN)
        return 0;
    int number = sqlite3_system_errno(db);
    if (number == 0 && primary == SQLITE_IOERR)
        number = last_errno(db, SQLITE_FCNTL_JOURNAL_POINTER);
    if (number == 0 && primary == SQLITE_IOERR)
        number = last_errno(db, SQLITE_FCNTL_FILE_POINTER);
    return number;
}

bool store_fail_sqlite(struct error *e, const char *path, sqlite3 *db, const char *doing)
{
    int code = sqlite3_extended_errcode(db);
    if (reason_of(code) || (code & 0xff) == SQLITE_NOMEM)
        return store_fail_code(e, path, code, system_errno(db, code), doing);
    return store_fail(e, path, code, "%s: %s (SQLite's code %d)", doing, sqlite3_errmsg(db), code);
}

bool store_fail_unread(struct error *e, const char *path, sqlite3 *db, const char *report)
{
    static const char coded[] = "unable to get the page. error code=",
                      uncoded[] = "failed to get page";
    const char *found = strstr(report, coded);
    if (!found && !strstr(report, uncoded))
        return false;
    int system = last_errno(db, SQLITE_FCNTL_FILE_POINTER);
    int code = found ? atoi(found + strlen(coded)) : system ? SQLITE_IOERR_READ : SQLITE_NOMEM;
    store_fail_code(e, path, code, system, "checking the store");
    return true;
}

static void user_name(uid_t uid, char *out, size_t size)
{
    char memory[4096];
    struct passwd entry, *found = NULL;
    if (getpwuid_r(uid, &entry, memory, sizeof memory, &found) == 0 && found)
        str_format(out, size, "%s", found->pw_name);
    else
        str_format(out, size, "user %lu", (unsigned long)uid);
}

bool store_fail_readonly(struct error *e, const char *path, const char *blocked)
{
    struct stat st;
    char owner[64], self[64];
    if (stat(blocked, &st) != 0)
        return store_fail(e, path, SQLITE_READONLY, "it may not be written; " ELSEWHERE);
    user_name(st.st_uid, owner, sizeof owner);
    user_name(geteuid(), self, sizeof self);
    const char *what = S_ISDIR(st.st_mode) ? blocked : "it";
    return store_fail(
        e, path, SQLITE_READONLY,
        "%s may not be written: it belongs to %s (mode %04o), and this is %s; get the "
        "right to write, or " ELSEWHERE,
        what, owner, (unsigned)(st.st_mode & 07777), self);
}
