// Whether every row of a store is what it should be.

#include "stats/stats.h"
#include "store/database.h"
#include "store/fail.h"
#include "store/upkeep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct verifying {
    struct store *store;
    void (*problem)(void *context, const struct store_problem *problem);
    void *context;
    struct store_checked *out;
};

// `row` NULL: none.
static void tell_problem(struct verifying *v, const char *table, const char *row, const char *what)
{
    struct store_problem p = {table, row ? row : "", what};
    v->out->problems++;
    v->problem(v->context, &p);
}

static bool failed(struct verifying *v, struct error *e)
{
    return store_fail_sqlite(e, v->store->path, v->store->db, "checking the store");
}

// Calls `check` for each row of the query. A page that is damaged ends it: that is a problem of the
// file, no failure of the checking.
static bool each_row(struct verifying *v, const char *sql,
                     bool (*check)(struct verifying *v, sqlite3_stmt *row, struct error *e),
                     struct error *e)
{
    int code = SQLITE_ROW;
    bool ok = true;
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(v->store->db, sql, -1, &statement, NULL) != SQLITE_OK)
        return failed(v, e);
    while (ok && (code = sqlite3_step(statement)) == SQLITE_ROW)
        ok = check(v, statement, e);
    if (ok && (code & 0xff) == SQLITE_CORRUPT)
        tell_problem(v, "file", NULL, sqlite3_errmsg(v->store->db));
    else if (ok && code != SQLITE_DONE)
        ok = failed(v, e);
    sqlite3_finalize(statement);
    return ok;
}

static const char *text_of(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text ? text : "";
}

// ---- the file -----------------------------------------------------------------------------------

static bool check_page(struct verifying *v, sqlite3_stmt *row, struct error *e)
{
    const char *report = (const char *)sqlite3_column_text(row, 0);
    if (!report)
        return error_memory(e);
    if (str_equal(report, "ok"))
        return true;
    if (store_fail_unread(e, v->store->path, v->store->db, report))
        return false;
    tell_problem(v, "file", NULL, report);
    return true;
}

// ---- what names what ----------------------------------------------------------------------------

static bool check_missing(struct verifying *v, sqlite3_stmt *row, struct error *e)
{
    (void)e;
    tell_problem(v, text_of(row, 0), text_of(row, 1), text_of(row, 2));
    return true;
}

static const char missing_sql[] =
    "SELECT 'result', lower(hex(id)), 'its job is missing' FROM result WHERE job NOT IN (SELECT "
    "key FROM job) UNION ALL SELECT 'result', lower(hex(id)), 'its session is missing' FROM "
    "result WHERE session NOT IN (SELECT id FROM session) UNION ALL SELECT 'job', "
    "lower(hex(key)), 'its texts are missing' FROM job WHERE texts NOT IN (SELECT texts FROM "
    "text) UNION ALL SELECT 'session', lower(hex(id)), 'its texts are missing' FROM session WHERE "
    "texts IS NOT NULL AND texts NOT IN (SELECT texts FROM text) UNION ALL SELECT 'job', "
    "lower(hex(key)), 'its key is not a digest' FROM job WHERE typeof(key) <> 'blob' OR "
    "length(key) "
    "<> 32 UNION ALL SELECT 'job', lower(hex(key)), 'its source is not a digest' FROM job WHERE "
    "typeof(source) <> 'blob' OR length(source) <> 32 UNION ALL SELECT 'session', lower(hex(id)), "
    "'its id is not of 16 bytes' FROM session WHERE typeof(id) <> 'blob' OR length(id) <> 16 "
    "UNION ALL SELECT 'result', lower(hex(id)), 'its id is not of 16 bytes' FROM result WHERE "
    "typeof(id) <> 'blob' OR length(id) <> 16";

// Numbers are counted up: one that leaves no room above it was not made so.
static const char numbers_sql[] =
    "SELECT 'result', lower(hex(id)), 'its number is not one that a store gives' FROM result "
    "WHERE sequence NOT BETWEEN 1 AND 1 << 48 OR (number IS NOT NULL AND (typeof(number) <> "
    "'integer' OR number NOT BETWEEN 1 AND sequence)) UNION ALL SELECT 'result', lower(hex(id)), "
    "'its mark unseen is neither 0 nor 1' FROM result WHERE unseen NOT IN (0, 1)";
static const char numbers_sql_1[] =
    "SELECT 'result', lower(hex(id)), 'its number is not one that a store gives' FROM result "
    "WHERE sequence NOT BETWEEN 1 AND 1 << 48";

// ---- results ------------------------------------------------------------------------------------

enum result_column {
    R_ID,
    R_STATUS,
    R_FAULT,
    R_VERIFICATION,
    R_STOP,
    R_MEDIAN,
    R_COUNT,
    R_SAMPLES,
    R_BATCH,
    R_LIMIT,
    R_MESSAGE,
    R_FORMAT,
    R_BODY
};

static const char results_sql[] =
    "SELECT lower(hex(id)), status, fault, verification, stop, median_ns, sample_count, "
    "samples_ns, batch, limit_ns, message, format, body FROM result ORDER BY sequence";

static bool same_samples(sqlite3_stmt *row, const uint64_t *samples, uint32_t count)
{
    struct text list = TEXT_INIT;
    samples_list(&list, samples, count);
    bool same = !list.failed && str_equal(text_cstr(&list), text_of(row, R_SAMPLES));
    text_release(&list);
    return same;
}

// An imported time has its fraction of a nanosecond in the column alone, and less than 1 ns is 1 in the samples.
static bool same_median(sqlite3_stmt *row, const uint64_t *samples, uint32_t count,
                        bool is_imported)
{
    bool is_null = sqlite3_column_type(row, R_MEDIAN) == SQLITE_NULL;
    if (count == 0)
        return is_null;
    double median = sqlite3_column_double(row, R_MEDIAN);
    if (is_imported && median > 0)
        median = median < 1 ? 1 : round(median);
    return !is_null && median == stats_median(samples, count);
}

static bool same_number(sqlite3_stmt *row, int column, uint64_t number)
{
    uint64_t most = number > INT64_MAX ? INT64_MAX : number;
    return sqlite3_column_int64(row, column) == (int64_t)most;
}

// The first column that says something else than the body; NULL: none.
static const char *column_that_differs(sqlite3_stmt *row, const struct result *r)
{
    const uint64_t *samples;
    uint32_t count;
    result_samples(r, &samples, &count);
    const struct {
        bool same;
        const char *name;
    } columns[] = {
        {str_equal(text_of(row, R_STATUS), status_text(r->status)), "status"},
        {str_equal(text_of(row, R_FAULT), fault_text(r->fault)), "fault"},
        {str_equal(text_of(row, R_VERIFICATION), verification_text(r->verification)),
         "verification"},
        {str_equal(text_of(row, R_STOP), stop_text(r->stop)), "stop"},
        {same_number(row, R_COUNT, count), "sample_count"},
        {same_samples(row, samples, count), "samples_ns"},
        {same_median(row, samples, count, r->stop == STOP_IMPORTED), "median_ns"},
        {same_number(row, R_BATCH, r->batch), "batch"},
        {same_number(row, R_LIMIT, r->limit_ns), "limit_ns"},
        {str_equal(text_of(row, R_MESSAGE), r->message), "message"},
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (!columns[i].same)
            return columns[i].name;
    return NULL;
}

// A body that only a newer hone can read is left to that.
static bool check_result(struct verifying *v, sqlite3_stmt *row, struct error *e)
{
    struct error why = ERROR_INIT;
    char what[128];
    int format = sqlite3_column_int(row, R_FORMAT);
    v->out->results++;
    if (format > RESULT_FORMAT)
        return true;
    const void *body = sqlite3_column_blob(row, R_BODY);
    struct result *r =
        result_decode_format(body, (size_t)sqlite3_column_bytes(row, R_BODY), format, &why);
    if (!r && why.code == ERROR_MEMORY)
        return error_memory(e);
    const char *column = r ? column_that_differs(row, r) : NULL;
    snprintf(what, sizeof what, "its column %s says something else than its body",
             column ? column : "");
    if (!r)
        tell_problem(v, "result", text_of(row, R_ID), why.text);
    else if (column)
        tell_problem(v, "result", text_of(row, R_ID), what);
    result_free(r);
    return true;
}

// ---- texts --------------------------------------------------------------------------------------

static const char sets_sql[] = "SELECT DISTINCT texts FROM text";
static const char items_sql[] =
    "SELECT kind, name, body FROM text WHERE texts = ?1 ORDER BY position";

static bool item_copy(struct arena *a, sqlite3_stmt *row, struct text_item *out)
{
    size_t length = (size_t)sqlite3_column_bytes(row, 2);
    out->kind = arena_strdup(a, text_of(row, 0));
    out->name = arena_strdup(a, text_of(row, 1));
    out->body = arena_copy(a, text_of(row, 2), length);
    out->length = length;
    return out->kind && out->name && out->body;
}

static bool items_copy(struct arena *a, sqlite3_stmt *items, struct text_set *set)
{
    int code;
    while ((code = sqlite3_step(items)) == SQLITE_ROW) {
        set->items = array_grown(a, set->items, set->count, sizeof *set->items);
        if (!set->items || !item_copy(a, items, &set->items[set->count++]))
            return false;
    }
    return code == SQLITE_DONE;
}

// A spec without a name was hashed so, and is kept as "".
static bool set_is(struct text_set *set, const struct digest *wanted)
{
    struct digest d;
    texts_digest(set, &d);
    if (digest_equal(&d, wanted))
        return true;
    for (size_t i = 0; i < set->count; i++)
        if (!*set->items[i].name)
            set->items[i].name = NULL;
    texts_digest(set, &d);
    return digest_equal(&d, wanted);
}

static bool check_set(struct verifying *v, sqlite3_stmt *row, struct error *e)
{
    struct arena a;
    struct digest named;
    struct text_set set = {NULL, 0};
    sqlite3_stmt *items = NULL;
    char hex[65];
    v->out->texts++;
    if (sqlite3_column_bytes(row, 0) != (int)sizeof named.bytes) {
        tell_problem(v, "text", NULL, "a set of texts is not named by a digest");
        return true;
    }
    memcpy(named.bytes, sqlite3_column_blob(row, 0), sizeof named.bytes);
    digest_hex(&named, hex);
    arena_init(&a);
    bool ok =
        sqlite3_prepare_v2(v->store->db, items_sql, -1, &items, NULL) == SQLITE_OK &&
        sqlite3_bind_blob(items, 1, named.bytes, sizeof named.bytes, SQLITE_STATIC) == SQLITE_OK;
    ok = (ok && items_copy(&a, items, &set)) || failed(v, e);
    if (ok && !set_is(&set, &named))
        tell_problem(v, "text", hex, "its texts have another digest than its name");
    sqlite3_finalize(items);
    arena_release(&a);
    return ok;
}

// ---- all ----------------------------------------------------------------------------------------

static bool count_rest(struct verifying *v, struct error *e)
{
    struct store_counts counts;
    if (!store_count(v->store, &counts, e))
        return false;
    v->out->jobs = counts.jobs;
    v->out->sessions = counts.sessions;
    return true;
}

bool store_verify(struct store *s,
                  void (*problem)(void *context, const struct store_problem *problem),
                  void *context, struct store_checked *out, struct error *e)
{
    struct verifying v = {.store = s, .problem = problem, .context = context, .out = out};
    memset(out, 0, sizeof *out);
    // One moment of the file, whatever others write; the caller may have chosen it already.
    bool own = sqlite3_get_autocommit(s->db) != 0;
    if (own && sqlite3_exec(s->db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
        return failed(&v, e);
    bool ok = each_row(&v, "PRAGMA integrity_check", check_page, e) &&
              each_row(&v, missing_sql, check_missing, e) &&
              each_row(&v, s->version < 2 ? numbers_sql_1 : numbers_sql, check_missing, e) &&
              each_row(&v, results_sql, check_result, e) && each_row(&v, sets_sql, check_set, e) &&
              count_rest(&v, e);
    if (own)
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return ok;
}
