// Reading the store as a whole: rows for reports, texts, counts.

#include "store/database.h"
#include "store/fail.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// ---- rows ---------------------------------------------------------------------------------------

// The results of a store are walked in two parts, each in the order of store_each(): what was
// measured here, by the row's number, and what was imported, by an index. CROSS JOIN makes SQLite
// keep to that, so that nothing is sorted. What the session says of the spec comes first: the job's
// row keeps the first of several specs that led to it.
#define EACH_SQL(place, unseen, part, order)                                                       \
    "SELECT lower(hex(result.id)), job.configuration, job.configuration_json, "                    \
    "coalesce(session.spec_name, job.spec_name) AS spec, "                                         \
    "coalesce(session.constants, job.constants) AS chosen, session.device, session.platform, "     \
    "session.driver, lower(hex(session.device_identity)), job.geometry, result.date, "             \
    "session.hone_version, job.language, lower(hex(session.id)), session.command, "                \
    "job.kernels, job.measuring_version, job.key, job.source, result.format, result.body, "        \
    "result.id, result.policy_fixed, result.policy_cold, " unseen ", result.session, " place       \
    " FROM result CROSS JOIN job ON job.key = result.job "                                         \
    "CROSS JOIN session ON session.id = result.session "                                           \
    "WHERE " part "result.format <= :format AND (:spec IS NULL OR spec = :spec) "                  \
    "AND (:constants IS NULL OR chosen = :constants) "                                             \
    "AND (:device IS NULL OR instr(lower(session.device), lower(:device)) > 0) "                   \
    "AND (:source IS NULL OR job.source = :source) "                                               \
    "AND (:correct = 0 OR result.status = 'correct') ORDER BY " order

enum { PARTS = 2 };
static const char *const each_sql[PARTS] = {
    EACH_SQL("result.sequence", "result.unseen", "result.number IS NULL AND ",
             "result.sequence DESC"),
    EACH_SQL("result.number", "result.unseen", "result.number IS NOT NULL AND ",
             "result.number DESC, result.date DESC, result.id DESC"),
};
// Version 1 does not tell what was imported, and knows nothing unseen.
static const char each_sql_1[] = EACH_SQL("result.sequence", "0", "", "result.sequence DESC");

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
    offsetof(struct store_row, language),
    offsetof(struct store_row, session),
    offsetof(struct store_row, command),
    offsetof(struct store_row, kernels),
};
enum {
    COLUMN_DATE = 10,
    COLUMN_MEASURING = sizeof row_texts / sizeof *row_texts,
    COLUMN_KEY,
    COLUMN_SOURCE,
    COLUMN_FORMAT,
    COLUMN_BODY,
    COLUMN_ID,
    COLUMN_FIXED,
    COLUMN_COLD,
    COLUMN_UNSEEN,
    COLUMN_SESSION,
    COLUMN_PLACE
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
    row->number = sqlite3_column_int64(statement, COLUMN_PLACE);
    row->measuring_version = sqlite3_column_int(statement, COLUMN_MEASURING);
    row->fixed = sqlite3_column_int(statement, COLUMN_FIXED) != 0;
    row->cold = sqlite3_column_int(statement, COLUMN_COLD) != 0;
    row->unseen = sqlite3_column_int(statement, COLUMN_UNSEEN) != 0;
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

// Where the walk through one part of a store of a stack stands.
struct cursor {
    struct store *store;
    sqlite3_stmt *statement; // at its newest row that was not given; NULL: there is none any more
    sqlite3_stmt *holds;     // of the first part: whether the store holds the result with an id
};

struct walk {
    struct cursor (*stores)[PARTS]; // in the order of the stack
    size_t count;
};

static bool cursor_step(struct cursor *c, struct error *e)
{
    int code = sqlite3_step(c->statement);
    if (code == SQLITE_ROW)
        return true;
    sqlite3_finalize(c->statement);
    c->statement = NULL;
    return code == SQLITE_DONE ||
           store_fail_sqlite(e, c->store->path, c->store->db, "reading results");
}

// Prepared anew: a callback may look into the store itself.
static bool cursor_open(struct cursor *c, const char *sql, const struct store_query *q,
                        struct error *e)
{
    struct store *s = c->store;
    struct values v = {NULL, SQLITE_OK};
    if (sqlite3_prepare_v2(s->db, sql, -1, &c->statement, NULL) != SQLITE_OK)
        return store_fail_sqlite(e, s->path, s->db, "reading results");
    v.statement = c->statement;
    return query_bind(&v, s, q, e) && cursor_step(c, e);
}

static bool cursors_open(struct cursor *c, struct store *s, const struct store_query *q,
                         struct error *e)
{
    static const char holds[] = "SELECT 1 FROM result WHERE id = ?1 AND format <= ?2";
    c[0].store = c[1].store = s;
    if (s->behind && sqlite3_prepare_v2(s->db, holds, -1, &c[0].holds, NULL) != SQLITE_OK)
        return store_fail_sqlite(e, s->path, s->db, "reading results");
    if (s->version < 2)
        return cursor_open(&c[0], each_sql_1, q, e);
    return cursor_open(&c[0], each_sql[0], q, e) && cursor_open(&c[1], each_sql[1], q, e);
}

static void walk_close(struct walk *w)
{
    for (size_t i = 0; i < w->count; i++) {
        for (size_t part = 0; part < PARTS; part++) {
            sqlite3_finalize(w->stores[i][part].statement);
            sqlite3_finalize(w->stores[i][part].holds);
        }
    }
    free(w->stores);
}

static bool walk_open(struct walk *w, struct store *s, const struct store_query *q, struct error *e)
{
    size_t stores = 1;
    for (const struct store *at = s->behind; at; at = at->behind)
        stores++;
    w->stores = calloc(stores, sizeof *w->stores);
    if (!w->stores)
        return error_memory(e);
    for (; s; s = s->behind)
        if (!cursors_open(w->stores[w->count++], s, q, e))
            return false;
    return true;
}

// Is the row of `a` newer? Ids are of one length.
static bool is_newer(sqlite3_stmt *a, sqlite3_stmt *b)
{
    int64_t x = sqlite3_column_int64(a, COLUMN_PLACE), y = sqlite3_column_int64(b, COLUMN_PLACE);
    const char *date = (const char *)sqlite3_column_text(a, COLUMN_DATE);
    const char *other = (const char *)sqlite3_column_text(b, COLUMN_DATE);
    int dates = strcmp(date ? date : "", other ? other : "");
    if (x != y || dates != 0)
        return x != y ? x > y : dates > 0;
    const char *id = (const char *)sqlite3_column_text(a, 0);
    const char *other_id = (const char *)sqlite3_column_text(b, 0);
    return strcmp(id ? id : "", other_id ? other_id : "") > 0;
}

// The newest of the first store that has rows left; NULL at the end.
static struct cursor *walk_at(struct walk *w)
{
    for (size_t i = 0; i < w->count; i++) {
        struct cursor *c = w->stores[i];
        if (c[0].statement && c[1].statement)
            return is_newer(c[1].statement, c[0].statement) ? &c[1] : &c[0];
        if (c[0].statement || c[1].statement)
            return c[0].statement ? &c[0] : &c[1];
    }
    return NULL;
}

static bool row_answers(const struct store *front, const struct cursor *c)
{
    return store_answers(front, sqlite3_column_int(c->statement, COLUMN_UNSEEN) != 0,
                         sqlite3_column_blob(c->statement, COLUMN_SESSION),
                         (size_t)sqlite3_column_bytes(c->statement, COLUMN_SESSION));
}

// A result that was merged into a store in front was given there, or will be.
static bool is_in_front(struct walk *w, const struct cursor *c)
{
    bool found = false;
    for (size_t i = 0; w->stores[i][0].store != c->store && !found; i++) {
        sqlite3_stmt *holds = w->stores[i][0].holds;
        sqlite3_bind_value(holds, 1, sqlite3_column_value(c->statement, COLUMN_ID));
        sqlite3_bind_int(holds, 2, RESULT_FORMAT);
        found = sqlite3_step(holds) == SQLITE_ROW;
        sqlite3_reset(holds);
    }
    return found;
}

// *more is what the callback says.
static bool row_give(const struct cursor *c,
                     bool (*each)(void *context, const struct store_row *row), void *context,
                     bool *more, struct error *e)
{
    struct store_row row;
    const void *body = sqlite3_column_blob(c->statement, COLUMN_BODY);
    size_t length = (size_t)sqlite3_column_bytes(c->statement, COLUMN_BODY);
    int format = sqlite3_column_int(c->statement, COLUMN_FORMAT);
    struct result *result = result_decode_format(body, length, format, e);
    if (!result)
        return error_context(e, "%s: a stored result", c->store->path);
    row_read(c->statement, &row);
    row.result = result;
    row.fixed |= result->stop == STOP_FIXED;
    result->origin = c->store->is_behind ? arena_strdup(&result->arena, c->store->path) : NULL;
    *more = each(context, &row);
    result_free(result);
    return true;
}

bool store_each(struct store *s, const struct store_query *q,
                bool (*each)(void *context, const struct store_row *row), void *context,
                struct error *e)
{
    struct walk walk = {NULL, 0};
    struct cursor *c = NULL;
    bool more = true;
    bool ok = walk_open(&walk, s, q, e);
    while (ok && more && (c = walk_at(&walk))) {
        bool skip = is_in_front(&walk, c) || !(q->all_runs || row_answers(s, c));
        ok = skip || row_give(c, each, context, &more, e);
        ok = ok && (!more || cursor_step(c, e));
    }
    walk_close(&walk);
    return ok;
}

bool store_row_counts(const struct store_row *row, const struct store_counting *c)
{
    const struct result *r = row->result;
    bool is_warmth = r->status != STATUS_CORRECT || c->inputs == STORE_INPUTS_ANY ||
                     row->cold == (c->inputs == STORE_INPUTS_COLD);
    return row->measuring_version == HONE_MEASURING_VERSION && is_warmth &&
           (c->imported || r->stop != STOP_IMPORTED) &&
           (!c->device_identity || str_equal(c->device_identity, row->device_identity));
}

// ---- texts --------------------------------------------------------------------------------------

// The spec is that of the newest session that measured the job.
#define TEXTS_SQL(place)                                                                           \
    "SELECT kind, name, body FROM (SELECT texts, 0 AS part FROM (SELECT session.texts AS texts "   \
    "FROM result JOIN session ON session.id = result.session WHERE result.job = :key "             \
    "ORDER BY " place " DESC, result.date DESC, result.id DESC LIMIT 1) UNION ALL "                \
    "SELECT texts, 1 FROM job WHERE key = :key) AS sets JOIN text ON text.texts = sets.texts "     \
    "ORDER BY sets.part, text.position"

static const char texts_sql[] = TEXTS_SQL("coalesce(result.number, result.sequence)");
static const char texts_sql_1[] = TEXTS_SQL("result.sequence");

// *found: there were any.
static bool texts_of(struct store *s, const struct digest *key,
                     bool (*each)(void *context, const char *kind, const char *name,
                                  const char *text, size_t length),
                     void *context, bool *found, struct error *e)
{
    int code = SQLITE_ROW;
    bool more = true;
    struct values v = {NULL, SQLITE_OK};
    const char *sql = s->version >= 2 ? texts_sql : texts_sql_1;
    if (sqlite3_prepare_v2(s->db, sql, -1, &v.statement, NULL) != SQLITE_OK)
        return store_fail_sqlite(e, s->path, s->db, "reading texts");
    value_digest(&v, ":key", key);
    while (more && (code = sqlite3_step(v.statement)) == SQLITE_ROW) {
        const char *kind = (const char *)sqlite3_column_text(v.statement, 0);
        const char *name = (const char *)sqlite3_column_text(v.statement, 1);
        const char *text = (const char *)sqlite3_column_text(v.statement, 2);
        *found = true;
        more = each(context, kind, name, text, (size_t)sqlite3_column_bytes(v.statement, 2));
    }
    bool ok = !more || code == SQLITE_DONE || store_fail_sqlite(e, s->path, s->db, "reading texts");
    sqlite3_finalize(v.statement);
    return ok;
}

bool store_texts(struct store *s, const struct digest *key,
                 bool (*each)(void *context, const char *kind, const char *name, const char *text,
                              size_t length),
                 void *context, struct error *e)
{
    bool ok = true, found = false;
    for (; s && ok && !found; s = s->behind)
        ok = texts_of(s, key, each, context, &found, e);
    return ok;
}

// ---- counts -------------------------------------------------------------------------------------

uint64_t store_log_bytes(struct store *s)
{
    struct stat st;
    char log[PATH_MAX + 8];
    snprintf(log, sizeof log, "%s-wal", sqlite3_db_filename(s->db, "main"));
    return stat(log, &st) == 0 ? (uint64_t)st.st_size : 0;
}

// The log counts: its results are not in the file yet.
uint64_t store_bytes(struct store *s)
{
    struct stat st;
    bool found = stat(sqlite3_db_filename(s->db, "main"), &st) == 0;
    return (found ? (uint64_t)st.st_size : 0) + store_log_bytes(s);
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
        out->file_bytes = store_bytes(s);
    } else {
        store_fail_sqlite(e, s->path, s->db, "counting results");
    }
    sqlite3_finalize(statement);
    return ok;
}
