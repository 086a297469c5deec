// Opening: look, then connect, then prove that a write would succeed. Until the looks have passed,
// nothing is written, and what is refused is left as it was.

#include "store/database.h"
#include "store/fail.h"
#include "store/file.h"
#include "store/schema.h"

#include <stdlib.h>
#include <string.h>

// Bytes of the log after which it is carried into the file, so that a small disk holds results
// rather than log. Each time costs two syncs of the disk, some hundred results apart.
#define LOG_BYTES (1 << 20)
// Bytes of a page of a new store. Each index has a result's random ids on another page, and each
// page is written to the log whole: with SQLite's 4 KiB a result took 27 KB of log.
#define PAGE_BYTES 1024
#define PAGE_SQL   "PRAGMA page_size = 1024"
// Bytes of a store whose pages are renewed: it takes a fraction of a second, and as much room.
#define RENEW_MOST (16 << 20)

// The log is not carried into the file by closing before all checks have passed.
static void connection_prepare(struct store *s)
{
    sqlite3_busy_timeout(s->db, STORE_PATIENCE_MS);
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)NULL);
}

// ---- contents -----------------------------------------------------------------------------------

static bool read_store_number(struct store *s, const char *sql, int64_t *out, struct error *e)
{
    return schema_number(s->db, sql, out) ||
           store_fail_sqlite(e, s->path, s->db, "reading the store");
}

// Again what the look at the file said, since another process may have made it meanwhile, or the
// log may say otherwise; all pages need not be read again.
static bool contents_check(struct store *s, bool *empty, struct error *e)
{
    int64_t application, tables;
    if (!read_store_number(s, "PRAGMA application_id", &application, e) ||
        !read_store_number(s, "PRAGMA user_version", &s->version, e) ||
        !read_store_number(s, "SELECT count(*) FROM sqlite_master", &tables, e))
        return false;
    *empty = application == 0 && s->version == 0 && tables == 0;
    return *empty || (schema_owner_check(s->path, (uint32_t)application, (uint32_t)s->version, e) &&
                      schema_check(s->db, s->path, UINT64_MAX, e));
}

static bool contents_raise(struct store *s, struct error *e)
{
    if (s->version < STORE_SCHEMA_VERSION && !schema_raise(s->db, s->version, STORE_SCHEMA_VERSION))
        return store_fail_sqlite(e, s->path, s->db, "making the store's tables");
    s->version = STORE_SCHEMA_VERSION;
    return true;
}

// Within one transaction, so that of two processes that find no store, or one of an earlier
// version, one makes it.
static bool contents_make(struct store *s, struct error *e)
{
    bool empty = false;
    if (!transaction_begin(s, e))
        return false;
    bool ok = contents_check(s, &empty, e) && contents_raise(s, e) && transaction_commit(s, e);
    if (!ok)
        transaction_rollback(s);
    return ok;
}

// ---- journal ------------------------------------------------------------------------------------

// True when the journal mode is then `mode`, whoever set it.
static bool journal_is(struct store *s, const char *sql, const char *mode)
{
    sqlite3_stmt *statement = NULL;
    bool is = false;
    if (sqlite3_prepare_v2(s->db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        is = str_equal_nocase((const char *)sqlite3_column_text(statement, 0), mode);
    sqlite3_finalize(statement);
    return is;
}

// A store that an earlier hone made has larger pages. Where it is small, and nobody else has it
// open, it is written anew, once; else it stays as it is, which costs log alone.
static void pages_renew(struct store *s)
{
    int64_t page, count;
    if (!schema_number(s->db, "PRAGMA page_size", &page) ||
        !schema_number(s->db, "PRAGMA page_count", &count) || page <= PAGE_BYTES ||
        count > RENEW_MOST / page)
        return;
    sqlite3_busy_timeout(s->db, 0);
    if (journal_is(s, "PRAGMA journal_mode = DELETE", "delete"))
        sqlite3_exec(s->db, PAGE_SQL "; VACUUM", NULL, NULL, NULL);
    sqlite3_busy_timeout(s->db, STORE_PATIENCE_MS);
}

// The change needs the file alone for a moment, and two processes that both want it are told to try
// again at once rather than wait for each other. Where it cannot be had, the rollback journal
// stays, which is as safe.
static bool journal_wal(struct store *s)
{
    for (int waited = 0; waited < STORE_PATIENCE_MS; waited += 5) {
        if (journal_is(s, "PRAGMA journal_mode = WAL", "wal"))
            return true;
        if ((sqlite3_errcode(s->db) & 0xff) != SQLITE_BUSY)
            return false;
        sqlite3_sleep(5);
    }
    return false;
}

// A store copied from a local file system may be in WAL mode: left by way of an exclusive lock,
// which needs no shared memory. Where another process keeps that from happening, so much is said.
bool store_leave_wal(struct store *s, struct error *e)
{
    if (journal_is(s, "PRAGMA locking_mode = EXCLUSIVE", "exclusive") &&
        journal_is(s, "PRAGMA journal_mode = DELETE", "delete") &&
        store_execute(s, "PRAGMA locking_mode = NORMAL", "opening the store", e))
        return true;
    return store_fail_sqlite(e, s->path, s->db, "changing to a rollback journal");
}

// In WAL mode NORMAL syncs at checkpoints only: a SIGKILL loses nothing, a power failure the last
// commits. With a rollback journal it would risk the file, hence FULL.
static bool journal_choose(struct store *s, bool local, struct error *e)
{
    int64_t page;
    char sql[160];
    if (local)
        pages_renew(s);
    if (!local || !journal_wal(s))
        return store_execute(s, "PRAGMA synchronous = FULL", "opening the store", e);
    if (!read_store_number(s, "PRAGMA page_size", &page, e))
        return false;
    str_format(sql, sizeof sql,
               "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = %d; "
               "PRAGMA journal_size_limit = %d",
               (int)(LOG_BYTES / page), LOG_BYTES);
    return store_execute(s, sql, "opening the store", e);
}

// A new file holds nothing that a power failure could take, and its journals undo what a killed
// process left whether or not they are on the disk: it is synced once, when it is made, instead of
// in eight steps, each of which a tune would wait for.
static bool making_begin(struct store *s, bool *makes, struct error *e)
{
    int64_t pages;
    if (!read_store_number(s, "PRAGMA page_count", &pages, e))
        return false;
    *makes = pages == 0;
    return !*makes || store_execute(s, "PRAGMA synchronous = OFF", "opening the store", e);
}

static bool making_end(struct store *s, struct error *e)
{
    sqlite3_file *file = NULL;
    int code = sqlite3_file_control(s->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (code == SQLITE_OK && file && file->pMethods)
        code = file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
    return code == SQLITE_OK ||
           store_fail_code(e, s->path, code, sqlite3_system_errno(s->db), "making the store");
}

// ---- opening ------------------------------------------------------------------------------------

// A row of some 64 pages, written and rolled back. In WAL mode a page goes to the log only when it
// must, so it is told to; with a rollback journal that would extend the file itself.
static bool write_probe(struct store *s, struct error *e)
{
    static const char row[] = "INSERT INTO text (texts, position, kind, name, body) "
                              "VALUES (randomblob(32), 0, 'probe', '', zeroblob(65536))";
    static const char doing[] = "checking that results can be written";
    if (!transaction_begin(s, e))
        return false;
    bool ok = store_execute(s, row, doing, e);
    if (ok && journal_is(s, "PRAGMA journal_mode", "wal")) {
        int code = sqlite3_db_cacheflush(s->db); // the connection does not keep it
        ok = code == SQLITE_OK ||
             store_fail_code(e, s->path, code, sqlite3_system_errno(s->db), doing);
    }
    transaction_rollback(s);
    return ok;
}

// How to open for reading alone. Whoever may write opens so, though no write is let through: a log
// that a killed process left can then be read (only a rollback journal must be undone before the
// file makes sense, and is). Else a file without a log is read as if nobody could change it, since
// SQLite would want to make files beside it.
static sqlite3 *connect_reading(const struct store_file *f, enum store_mode mode, struct error *e)
{
    if (mode == STORE_READ && store_file_writable(f))
        return store_file_open(f, SQLITE_OPEN_READWRITE, "", e);
    if (mode == STORE_READ && store_file_has_log(f))
        return store_file_open(f, SQLITE_OPEN_READONLY, "", e);
    return store_file_peek(f, e);
}

static bool open_read(struct store *s, const struct store_file *f, struct error *e)
{
    bool empty = false;
    if (s->mode == STORE_IMMUTABLE && store_file_has_log(f))
        return store_fail(e, s->path, SQLITE_CANTOPEN,
                          "it was not closed: a log or journal lies beside it; open it once where "
                          "it may be written");
    s->db = connect_reading(f, s->mode, e);
    if (!s->db)
        return false;
    connection_prepare(s);
    if (!store_execute(s, "PRAGMA query_only = ON", "opening the store", e) ||
        !contents_check(s, &empty, e))
        return false;
    return !empty ||
           store_fail(e, s->path, SQLITE_CANTOPEN, "it is empty: nothing was measured yet");
}

static bool open_store_file(struct store *s, const char *path, enum place place, struct error *e)
{
    struct store_file f;
    bool write = s->mode == STORE_WRITE;
    if (!store_file_find(&f, path, write, e))
        return false;
    bool new = f.size == 0;
    if (new && !write)
        return store_fail(e, path, SQLITE_CANTOPEN,
                          "there is no store%s: nothing was measured yet, or it is elsewhere",
                          f.exists ? " in this empty file" : "");
    if (!new && !store_file_inspect(&f, e))
        return false;
    if (!write)
        return open_read(s, &f, e);
    bool local = place == PLACE_ASK ? store_file_local(&f) : place == PLACE_LOCAL;
    if (!store_file_ready(&f, e))
        return false;
    s->db = store_file_open(&f, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "", e);
    if (!s->db)
        return false;
    connection_prepare(s);
    // SQLite opens for reading what it may not write.
    if (sqlite3_db_readonly(s->db, "main") == 1)
        return store_fail_readonly(e, s->path, f.path);
    bool makes = false;
    return store_execute(s, PAGE_SQL, "opening the store", e) && (local || store_leave_wal(s, e)) &&
           making_begin(s, &makes, e) && contents_make(s, e) && journal_choose(s, local, e) &&
           (!makes || making_end(s, e)) && write_probe(s, e);
}

struct store *store_open_at(const char *path, enum store_mode mode, enum place place,
                            struct error *e)
{
    struct store *s = calloc(1, sizeof *s);
    if (!s || !(s->path = strdup(path))) {
        error_memory(e);
        goto failed;
    }
    s->mode = mode;
    if (!open_store_file(s, s->path, place, e))
        goto failed;
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, (int *)NULL);
    return s;
failed:
    store_close(s);
    return NULL;
}

struct store *store_open(const char *path, enum store_mode mode, struct error *e)
{
    return store_open_at(path, mode, PLACE_ASK, e);
}

struct store *store_stack(struct store *s, struct store *behind)
{
    struct store **last = &s;
    while (*last)
        last = &(*last)->behind;
    *last = behind;
    behind->is_behind = true;
    return s;
}

static void close_store(struct store *s)
{
    for (size_t i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(s->statements[i]);
    // The last one to close carries the log into the file. Not into one that is not the user's own:
    // the log stays beside it. Without one SQLite's files beside it are taken away.
    if (s->db && s->is_behind && store_log_bytes(s) > 0)
        sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)NULL);
    sqlite3_close(s->db);
    texts_forget(&s->texts);
    arena_release(&s->run.arena);
    free(s->runs);
    text_release(&s->body);
    text_release(&s->samples);
    free(s->items);
    free(s->path);
    free(s);
}

void store_close(struct store *s)
{
    while (s) {
        struct store *behind = s->behind;
        close_store(s);
        s = behind;
    }
}

const char *store_path(const struct store *s)
{
    return s->path;
}
