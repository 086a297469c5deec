// Reading the store as a whole: rows for reports, texts, counts.

#include "store/database.h"
#include "store/fail.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// ---- rows ---------------------------------------------------------------------------------------

// CROSS JOIN makes SQLite walk the results by date, so that nothing is sorted. What the session
// says of the spec comes first: the job's row keeps the first of several specs that led to it.
static const char each_sql[] =
    "SELECT lower(hex(result.id)), job.configuration, job.configuration_json, "
    "coalesce(session.spec_name, job.spec_name) AS spec, "
    "coalesce(session.constants, job.constants) AS chosen, session.device, session.platform, "
    "session.driver, lower(hex(session.device_identity)), job.geometry, result.date, "
    "session.hone_version, job.measuring_version, job.key, job.source, result.format, result.body "
    "FROM result CROSS JOIN job ON job.key = result.job "
    "CROSS JOIN session ON session.id = result.session "
    "WHERE result.format <= :format AND (:spec IS NULL OR spec = :spec) "
    "AND (:constants IS NULL OR chosen = :constants) "
    "AND (:device IS NULL OR instr(lower(session.device), lower(:device)) > 0) "
    "AND (:source IS NULL OR job.source = :source) "
    "AND (:correct = 0 OR result.status = 'correct') "
    "ORDER BY result.date DESC, result.sequence DESC";

// The columns above that are texts, in order, and the one number after them.
static const size_t row_texts[] = {
    offsetof(struct store_row, id),
    offsetof(struct store_row, configuration),
    offsetof(struct store_row, configuration_json),
    offsetof(struct store_row, spec_name),
    offsetof(struct store_row, constants),
    offsetof(struct store_row, device),
    offsetof(struct store_row, platform),
    offsetof(struct store_row, driver),
    offsetof(struct store_row, device_identity),
    offsetof(struct store_row, geometry),
    offsetof(struct store_row, date),
    offsetof(struct store_row, hone_version),
};
enum {
    COLUMN_MEASURING = sizeof row_texts / sizeof *row_texts,
    COLUMN_KEY,
    COLUMN_SOURCE,
    COLUMN_FORMAT,
    COLUMN_BODY
};

// A digest of another length stays zero.
static void digest_column(sqlite3_stmt *statement, int column, struct digest *out)
{
    const void *bytes = sqlite3_column_blob(statement, column);
    if (bytes && sqlite3_column_bytes(statement, column) == (int)sizeof out->bytes)
        memcpy(out->bytes, bytes, sizeof out->bytes);
}

// Texts that were not given read as "".
static void row_read(sqlite3_stmt *statement, struct store_row *row)
{
    memset(row, 0, sizeof *row);
    for (int i = 0; i < COLUMN_MEASURING; i++) {
        const char *text = (const char *)sqlite3_column_text(statement, i);
        *(const char **)((char *)row + row_texts[i]) = text ? text : "";
    }
    row->measuring_version = sqlite3_column_int(statement, COLUMN_MEASURING);
    digest_column(statement, COLUMN_KEY, &row->key);
    digest_column(statement, COLUMN_SOURCE, &row->source);
}

static bool query_bind(struct values *v, struct store *s, const struct store_query *q,
                       struct error *e)
{
    value_i64(v, ":format", RESULT_FORMAT);
    value_text(v, ":spec", q->spec_name);
    value_text(v, ":constants", q->constants);
    value_text(v, ":device", q->device);
    if (q->source)
        value_digest(v, ":source", q->source);
    value_i64(v, ":correct", q->correct_only);
    return v->code == SQLITE_OK || store_fail_code(e, s->path, v->code, 0, "reading results");
}

// *more is what the callback says.
static bool row_give(struct store *s, sqlite3_stmt *statement,
                     bool (*each)(void *context, const struct store_row *row), void *context,
                     bool *more, struct error *e)
{
    struct store_row row;
    const void *body = sqlite3_column_blob(statement, COLUMN_BODY);
    size_t length = (size_t)sqlite3_column_bytes(statement, COLUMN_BODY);
    int format = sqlite3_column_int(statement, COLUMN_FORMAT);
    struct result *result = result_decode_format(body, length, format, e);
    if (!result)
        return error_context(e, "%s: a stored result", s->path);
    row_read(statement, &row);
    row.result = result;
    *more = each(context, &row);
    result_free(result);
    return true;
}

bool store_each(struct store *s, const struct store_query *q,
                bool (*each)(void *context, const struct store_row *row), void *context,
                struct error *e)
{
    bool ok = false, more = true;
    int code = SQLITE_ROW;
    struct values v = {NULL, SQLITE_OK};
    // Prepared anew: a callback may look into the store itself.
    if (sqlite3_prepare_v2(s->db, each_sql, -1, &v.statement, NULL) != SQLITE_OK)
        return store_fail_sqlite(e, s->path, s->db, "reading results");
    if (!query_bind(&v, s, q, e))
        goto cleanup;
    while (more && (code = sqlite3_step(v.statement)) == SQLITE_ROW)
        if (!row_give(s, v.statement, each, context, &more, e))
            goto cleanup;
    ok = !more || code == SQLITE_DONE || store_fail_sqlite(e, s->path, s->db, "reading results");
cleanup:
    sqlite3_finalize(v.statement);
    return ok;
}

// ---- texts --------------------------------------------------------------------------------------

// The spec is that of the newest session that measured the job.
static const char texts_sql[] =
    "SELECT kind, name, body FROM (SELECT texts, 0 AS part FROM (SELECT session.texts AS texts "
    "FROM result JOIN session ON session.id = result.session WHERE result.job = :key "
    "ORDER BY result.date DESC, result.sequence DESC LIMIT 1) UNION ALL "
    "SELECT texts, 1 FROM job WHERE key = :key) AS sets JOIN text ON text.texts = sets.texts "
    "ORDER BY sets.part, text.position";

bool store_texts(struct store *s, const struct digest *key,
                 bool (*each)(void *context, const char *kind, const char *name, const char *text,
                              size_t length),
                 void *context, struct error *e)
{
    int code = SQLITE_ROW;
    bool more = true;
    struct values v = {NULL, SQLITE_OK};
    if (sqlite3_prepare_v2(s->db, texts_sql, -1, &v.statement, NULL) != SQLITE_OK)
        return store_fail_sqlite(e, s->path, s->db, "reading texts");
    value_digest(&v, ":key", key);
    while (more && (code = sqlite3_step(v.statement)) == SQLITE_ROW) {
        const char *kind = (const char *)sqlite3_column_text(v.statement, 0);
        const char *name = (const char *)sqlite3_column_text(v.statement, 1);
        const char *text = (const char *)sqlite3_column_text(v.statement, 2);
        more = each(context, kind, name, text, (size_t)sqlite3_column_bytes(v.statement, 2));
    }
    bool ok = !more || code == SQLITE_DONE || store_fail_sqlite(e, s->path, s->db, "reading texts");
    sqlite3_finalize(v.statement);
    return ok;
}

// ---- counts -------------------------------------------------------------------------------------

// The log counts: its results are not in the file yet.
static uint64_t bytes_used(struct store *s)
{
    struct stat st;
    uint64_t bytes = 0;
    const char *file = sqlite3_db_filename(s->db, "main");
    char log[PATH_MAX + 8];
    if (stat(file, &st) == 0)
        bytes = (uint64_t)st.st_size;
    snprintf(log, sizeof log, "%s-wal", file);
    if (stat(log, &st) == 0)
        bytes += (uint64_t)st.st_size;
    return bytes;
}

bool store_count(struct store *s, struct store_counts *out, struct error *e)
{
    static const char sql[] = "SELECT (SELECT count(*) FROM job), (SELECT count(*) FROM session), "
                              "count(*), coalesce(sum(status = 'correct'), 0) FROM result";
    sqlite3_stmt *statement = NULL;
    memset(out, 0, sizeof *out);
    bool ok = sqlite3_prepare_v2(s->db, sql, -1, &statement, NULL) == SQLITE_OK &&
              sqlite3_step(statement) == SQLITE_ROW;
    if (ok) {
        out->jobs = (uint64_t)sqlite3_column_int64(statement, 0);
        out->sessions = (uint64_t)sqlite3_column_int64(statement, 1);
        out->results = (uint64_t)sqlite3_column_int64(statement, 2);
        out->correct = (uint64_t)sqlite3_column_int64(statement, 3);
        out->file_bytes = bytes_used(s);
    } else {
        store_fail_sqlite(e, s->path, s->db, "counting results");
    }
    sqlite3_finalize(statement);
    return ok;
}
