// The tables of a store and their versions: each is made from the one before by SQL, and what a
// file holds is compared with what that SQL makes, since a store may come from anywhere.

#include "store/schema.h"

#include "store/database.h"
#include "store/fail.h"

#include <string.h>

// SQLite keeps the comments: sqlite3's .schema prints them.
//
// Rows refer to each other by digests and ids, never by row numbers, so that merging two stores
// is INSERT OR IGNORE table by table. `text` is a table of its own because the same source of 100
// KB stands behind thousands of jobs; it is keyed by a digest of all texts of a job together, since
// these change together, and one step (text.texts = job.texts) then finds them.
#define TABLES                                                                                     \
    "CREATE TABLE text ( -- what jobs and sessions were made from, each set kept once\n"           \
    "  texts BLOB NOT NULL, -- SHA-256 of the set\n"                                               \
    "  position INTEGER NOT NULL,\n"                                                               \
    "  kind TEXT NOT NULL, -- spec, source, include, reference\n"                                  \
    "  name TEXT NOT NULL,\n"                                                                      \
    "  body TEXT NOT NULL,\n"                                                                      \
    "  PRIMARY KEY (texts, position)\n"                                                            \
    ");\n"                                                                                         \
    "CREATE TABLE job ( -- one configuration made concrete, on one model of device\n"              \
    "  key BLOB PRIMARY KEY NOT NULL, -- SHA-256 of all that may change the answer\n"              \
    "  measuring_version INTEGER NOT NULL,\n"                                                      \
    "  language TEXT NOT NULL,\n"                                                                  \
    "  spec_name TEXT, -- of the first spec that led to it\n"                                      \
    "  constants TEXT,\n"                                                                          \
    "  configuration TEXT NOT NULL,\n"                                                             \
    "  configuration_json TEXT NOT NULL,\n"                                                        \
    "  geometry TEXT,\n"                                                                           \
    "  kernels TEXT NOT NULL, -- in launch order, one a line\n"                                    \
    "  options TEXT NOT NULL, -- of the compiler, one a line, an empty line between programs\n"    \
    "  source BLOB NOT NULL, -- SHA-256 of sources and includes alone\n"                           \
    "  texts BLOB NOT NULL -- text.texts\n"                                                        \
    ");\n"                                                                                         \
    "CREATE TABLE session ( -- one run of hone\n"                                                  \
    "  id BLOB PRIMARY KEY NOT NULL, -- random\n"                                                  \
    "  date TEXT NOT NULL, -- ISO 8601, UTC\n"                                                     \
    "  command TEXT, hone_version TEXT, host TEXT, seed TEXT,\n"                                   \
    "  spec_name TEXT, spec_path TEXT, constants TEXT,\n"                                          \
    "  texts BLOB, -- text.texts: the spec\n"                                                      \
    "  surroundings TEXT, -- clocks, cache settings\n"                                             \
    "  device TEXT, vendor TEXT, platform TEXT, platform_version TEXT, driver TEXT,\n"             \
    "  compiler TEXT, language_version TEXT, uuid TEXT, pci TEXT, device_surroundings TEXT,\n"     \
    "  device_type TEXT, compute_units INTEGER, clock_mhz INTEGER, global_bytes INTEGER,\n"        \
    "  local_bytes INTEGER,\n"                                                                     \
    "  device_identity BLOB -- SHA-256 of what the key knows of the device\n"                      \
    ");\n"
// `more`: columns behind the others.
#define RESULT_TABLE(more)                                                                         \
    "CREATE TABLE result ( -- append only\n"                                                       \
    "  sequence INTEGER PRIMARY KEY,\n"                                                            \
    "  id BLOB NOT NULL UNIQUE, -- random\n"                                                       \
    "  job BLOB NOT NULL REFERENCES job(key),\n"                                                   \
    "  session BLOB NOT NULL REFERENCES session(id),\n"                                            \
    "  date TEXT NOT NULL, -- ISO 8601, UTC\n"                                                     \
    "  status TEXT NOT NULL, fault TEXT NOT NULL, verification TEXT NOT NULL, stop TEXT NOT "      \
    "NULL,\n"                                                                                      \
    "  median_ns REAL, -- of a correct result that was timed\n"                                    \
    "  sample_count INTEGER NOT NULL,\n"                                                           \
    "  samples_ns TEXT NOT NULL, -- JSON, in order\n"                                              \
    "  batch INTEGER NOT NULL, -- launches a sample is the mean of\n"                              \
    "  limit_ns INTEGER NOT NULL, -- that a timeout met\n"                                         \
    "  message TEXT NOT NULL,\n"                                                                   \
    "  policy_launches INTEGER NOT NULL, policy_batch INTEGER NOT NULL,\n"                         \
    "  policy_hopeless_ns INTEGER NOT NULL, policy_budget_ns INTEGER NOT NULL,\n"                  \
    "  policy_launch_limit_ns INTEGER NOT NULL, policy_build_limit_ns INTEGER NOT NULL,\n"         \
    "  policy_cold INTEGER NOT NULL, policy_fixed INTEGER NOT NULL,\n"                             \
    "  format INTEGER NOT NULL, -- of body\n"                                                      \
    "  body BLOB NOT NULL -- everything known: resources, deviations, times\n" more "\n"           \
    ");\n"

static const char version_1[] =
    TABLES RESULT_TABLE("") "CREATE INDEX result_job ON result (job, date);\n"
                            "CREATE INDEX result_date ON result (date);\n";

// Results have an order of their own, which no clock decides. Of what is measured here that is
// `sequence`; what was imported keeps its number from where it was measured, and gets a sequence
// that is no less, so that the next result is above both. `unseen`: what the result was compiled
// from was not all read, so that it answers for the run alone that measured it.
#define INDEX_NUMBER                                                                               \
    "CREATE INDEX result_number ON result (number, date, id) WHERE number IS NOT NULL;\n"
static const char version_2[] = "ALTER TABLE result ADD COLUMN number INTEGER;\n"
                                "ALTER TABLE result ADD COLUMN unseen INTEGER NOT NULL DEFAULT 0;\n"
                                "DROP INDEX result_job;\n"
                                "DROP INDEX result_date;\n"
                                "CREATE INDEX result_job ON result (job);\n" INDEX_NUMBER;

// A query for a spec reads only its own results: its sessions by their index, their results by
// another. The build log, which may be longer than the rest of a result, moves from the body to the
// last column, whose pages are read only on request.
#define INDICES_3                                                                                  \
    "CREATE INDEX session_spec ON session (spec_name, device);\n"                                  \
    "CREATE INDEX result_session ON result (session, number);\n"
static const char version_3[] = "ALTER TABLE result ADD COLUMN log TEXT;\n" INDICES_3;
static const char rows_3[] =
    "UPDATE result SET log = hone_log(format, body), body = hone_body(format, body), format "
    "= " NUMBER(RESULT_FORMAT) " WHERE hone_log(format, body) IS NOT NULL";

// The sum of these versions, created at once: on each change of a table SQLite reads the whole
// schema again, and every opening makes a model of it.
static const char newest[] = TABLES RESULT_TABLE(
    ", number INTEGER -- from where it was measured; NULL: here\n"
    ", unseen INTEGER NOT NULL DEFAULT 0 -- its sources were not all read\n"
    ", log TEXT -- of the build; NULL: none") "CREATE INDEX result_job ON result "
                                              "(job);\n" INDEX_NUMBER INDICES_3;

// Each makes a version of the schema from the one before, the first from nothing: a new version is
// one line more. What a store of a version may hold (objects_check()) follows from them. `rows` is
// for those that are there already.
static const struct {
    const char *tables, *rows;
} steps[] = {{version_1, NULL}, {version_2, NULL}, {version_3, rows_3}};
_Static_assert(sizeof steps / sizeof *steps == STORE_SCHEMA_VERSION, "a step for each version");

// hone_log(format, body): the log in the body of an earlier version; NULL: none, or it cannot be
// read. hone_body(): the body without it.
static void split_body(sqlite3_context *call, int count, sqlite3_value **values)
{
    struct error e = ERROR_INIT;
    struct text body = TEXT_INIT;
    int format = count == 2 ? sqlite3_value_int(values[0]) : 0;
    const void *bytes = sqlite3_value_blob(values[1]);
    bool is_known = format >= 1 && format <= RESULT_FORMAT;
    struct result *r =
        is_known ? result_decode_format(bytes, (size_t)sqlite3_value_bytes(values[1]), format, &e)
                 : NULL;
    if (e.code == ERROR_MEMORY || (r && !body_write(&body, r)))
        sqlite3_result_error_nomem(call);
    else if (r && r->log[0] && sqlite3_user_data(call))
        sqlite3_result_text(call, r->log, -1, SQLITE_TRANSIENT);
    else if (r && r->log[0])
        sqlite3_result_blob64(call, body.data, body.length, SQLITE_TRANSIENT);
    text_release(&body);
    result_free(r);
}

bool schema_functions(sqlite3 *db)
{
    static const char is_log;
    return sqlite3_create_function_v2(db, "hone_log", 2, SQLITE_UTF8, (void *)&is_log, split_body,
                                      NULL, NULL, NULL) == SQLITE_OK &&
           sqlite3_create_function_v2(db, "hone_body", 2, SQLITE_UTF8, NULL, split_body, NULL, NULL,
                                      NULL) == SQLITE_OK;
}

bool schema_raise(sqlite3 *db, int64_t from, int64_t to)
{
    char pragmas[128];
    if (from > 0 && !schema_functions(db))
        return false;
    bool at_once = from == 0 && to == STORE_SCHEMA_VERSION;
    if (at_once && sqlite3_exec(db, newest, NULL, NULL, NULL) != SQLITE_OK)
        return false;
    for (int64_t version = at_once ? to : from; version < to; version++) {
        const char *rows = from > 0 ? steps[version].rows : NULL;
        if (sqlite3_exec(db, steps[version].tables, NULL, NULL, NULL) != SQLITE_OK ||
            (rows && sqlite3_exec(db, rows, NULL, NULL, NULL) != SQLITE_OK))
            return false;
    }
    str_format(pragmas, sizeof pragmas, "PRAGMA application_id = %d; PRAGMA user_version = %d",
               STORE_APPLICATION_ID, (int)to);
    return sqlite3_exec(db, pragmas, NULL, NULL, NULL) == SQLITE_OK;
}

// A file up to this size is read whole by the check, which then takes a few milliseconds.
#define SMALL (4 * 1024 * 1024)

bool schema_owner_check(const char *path, uint32_t application, uint32_t version, struct error *e)
{
    if (application != STORE_APPLICATION_ID)
        return store_fail(e, path, SQLITE_NOTADB,
                          "it is a SQLite file of another program, not a store of hone; it is left "
                          "as it is: choose another file");
    if (version > STORE_SCHEMA_VERSION)
        return store_fail(e, path, SQLITE_NOTADB,
                          "it was written by a newer hone (schema %lu, this hone knows %d); it is "
                          "left as it is: update hone, or choose another file",
                          (unsigned long)version, STORE_SCHEMA_VERSION);
    return true;
}

bool schema_number(sqlite3 *db, const char *sql, int64_t *out)
{
    sqlite3_stmt *statement = NULL;
    bool ok = sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
              sqlite3_step(statement) == SQLITE_ROW;
    if (ok)
        *out = sqlite3_column_int64(statement, 0);
    return sqlite3_finalize(statement) == SQLITE_OK && ok;
}

static bool damaged(sqlite3 *db, const char *path, const char *detail, struct error *e)
{
    int code = sqlite3_errcode(db) & 0xff; // without what extends it
    // A lock or a failing disk is not damage, and is reported as itself.
    if (code == SQLITE_BUSY || code == SQLITE_IOERR || code == SQLITE_NOMEM)
        return store_fail_sqlite(e, path, db, "checking the store");
    return store_fail(e, path, SQLITE_CORRUPT,
                      "the file is damaged: %s; it is left as it is: restore a copy (sqlite3's "
                      ".recover saves what is readable), or choose another file",
                      detail ? detail : sqlite3_errmsg(db));
}

// ---- objects ------------------------------------------------------------------------------------

static const char objects_sql[] =
    "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master ORDER BY type DESC, name";

static const char *column(sqlite3_stmt *row, int i)
{
    const char *text = (const char *)sqlite3_column_text(row, i);
    return text ? text : "";
}

// The next character of a statement that means something: comments and blanks are left out, since
// SQLite's versions put an added column before or behind a comment.
static char next_character(const char **at)
{
    for (;;) {
        *at += strspn(*at, " \t\r\n");
        if (strncmp(*at, "--", 2) != 0)
            return **at ? *(*at)++ : '\0';
        *at += strcspn(*at, "\n");
    }
}

static bool same_statement(const char *a, const char *b)
{
    for (;;) {
        char x = next_character(&a), y = next_character(&b);
        if (x != y || x == '\0')
            return x == y;
    }
}

// Objects are sorted by type, tables before indices, and name. A list that is at its end sorts
// behind all.
static int order_of(sqlite3_stmt *a, sqlite3_stmt *b, bool a_ended, bool b_ended)
{
    if (a_ended || b_ended)
        return (int)a_ended - (int)b_ended;
    int types = strcmp(column(a, 0), column(b, 0));
    return types ? -types : strcmp(column(a, 1), column(b, 1));
}

static bool refuse_object(const char *path, sqlite3_stmt *row, struct error *e)
{
    return store_fail(
        e, path, SQLITE_NOTADB,
        "it is not as hone makes a store: it holds the %s '%.100s' on '%.100s'; it is "
        "left as it is, and nothing is read from it: choose another file",
        column(row, 0), column(row, 1), column(row, 2));
}

static bool refuse_missing(const char *path, sqlite3_stmt *row, struct error *e)
{
    return store_fail(e, path, SQLITE_CORRUPT,
                      "the file is damaged: it lacks the %s '%s'; it is left as it is: restore a "
                      "copy, or choose another file",
                      column(row, 0), column(row, 1));
}

static bool objects_compare(sqlite3 *db, const char *path, sqlite3_stmt *has, sqlite3_stmt *wanted,
                            struct error *e)
{
    for (;;) {
        int more = sqlite3_step(has), expected = sqlite3_step(wanted);
        if (more != SQLITE_ROW && more != SQLITE_DONE)
            return damaged(db, path, NULL, e);
        if (expected != SQLITE_ROW && expected != SQLITE_DONE)
            return error_memory(e);
        if (more == SQLITE_DONE && expected == SQLITE_DONE)
            return true;
        int order = order_of(has, wanted, more == SQLITE_DONE, expected == SQLITE_DONE);
        if (order > 0)
            return refuse_missing(path, wanted, e);
        if (order < 0 || strcmp(column(has, 2), column(wanted, 2)) != 0 ||
            !same_statement(column(has, 3), column(wanted, 3)))
            return refuse_object(path, has, e);
    }
}

// Are there the tables and indices of its version, and nothing else? A trigger would change what is
// written, a view in a table's place say anything and without end. Reading the list runs none.
static bool objects_check(sqlite3 *db, const char *path, int64_t version, struct error *e)
{
    sqlite3 *model = NULL;
    sqlite3_stmt *has = NULL, *wanted = NULL;
    bool ok = false;
    if (sqlite3_open(":memory:", &model) != SQLITE_OK || !schema_raise(model, 0, version) ||
        sqlite3_prepare_v2(model, objects_sql, -1, &wanted, NULL) != SQLITE_OK)
        error_memory(e);
    else if (sqlite3_prepare_v2(db, objects_sql, -1, &has, NULL) != SQLITE_OK)
        damaged(db, path, NULL, e);
    else
        ok = objects_compare(db, path, has, wanted, e);
    sqlite3_finalize(has);
    sqlite3_finalize(wanted);
    sqlite3_close(model);
    return ok;
}

// ---- damage -------------------------------------------------------------------------------------

// Each reads a table's first and last page.
static const char *const looks[] = {
    "SELECT count(body) FROM text WHERE rowid IN (SELECT min(rowid) FROM text UNION ALL "
    "SELECT max(rowid) FROM text)",
    "SELECT count(texts) FROM job WHERE rowid IN (SELECT min(rowid) FROM job UNION ALL "
    "SELECT max(rowid) FROM job)",
    "SELECT count(device_identity) FROM session WHERE rowid IN (SELECT min(rowid) FROM session "
    "UNION ALL SELECT max(rowid) FROM session)",
    "SELECT count(body) FROM result WHERE rowid IN (SELECT min(rowid) FROM result UNION ALL "
    "SELECT max(rowid) FROM result)",
    "SELECT count(*) FROM (SELECT job FROM result INDEXED BY result_job ORDER BY job LIMIT 1)",
};

static bool quick_check(sqlite3 *db, const char *path, struct error *e)
{
    sqlite3_stmt *statement = NULL;
    bool ok = sqlite3_prepare_v2(db, "PRAGMA quick_check(1)", -1, &statement, NULL) == SQLITE_OK &&
              sqlite3_step(statement) == SQLITE_ROW;
    const char *said = ok ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    if (!ok)
        damaged(db, path, NULL, e);
    else if (!said)
        ok = error_memory(e);
    else if (strcmp(said, "ok") != 0)
        ok = !store_fail_unread(e, path, db, said) && damaged(db, path, said, e);
    sqlite3_finalize(statement);
    return ok;
}

bool schema_check(sqlite3 *db, const char *path, uint64_t bytes, struct error *e)
{
    int64_t version, count;
    if (!schema_number(db, "PRAGMA user_version", &version))
        return damaged(db, path, NULL, e);
    if (version < 1 || version > STORE_SCHEMA_VERSION)
        return store_fail(e, path, SQLITE_CORRUPT,
                          "the file is damaged: its schema has the version %lld; it is left as it "
                          "is: restore a copy, or choose another file",
                          (long long)version);
    if (!objects_check(db, path, version, e))
        return false;
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        if (!schema_number(db, looks[i], &count))
            return damaged(db, path, NULL, e);
    }
    return bytes > SMALL || quick_check(db, path, e);
}
