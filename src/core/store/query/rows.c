// The walk over stored results that every question begins with, and the one place that says which
// results count.
//
// Each store first yields a list: the numbers of the rows that may match the query, newest first,
// from the indices alone (the sessions of a spec on a device, then the results of each session).
// Then each row is read by its number and compared with the query: the deciding fields are columns,
// so that the body of a row that does not count is never decoded. The build log is the last column
// and is only read on request. The amount read thus grows with the rows of the spec and not with
// the store.

#include "store/database.h"
#include "store/fail.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// ---- which rows count ---------------------------------------------------------------------------

// Does the row say something of how fast, or whether, its job runs here and today? What another way
// of measuring, another driver or another state of the inputs gave does not compare; a failure
// counts whatever the inputs were. Each question says in its query which of this it asks.
static bool row_counts(const struct store_query *q, const struct store_row *row, enum fault fault,
                       bool is_timed)
{
    bool is_correct = row->status == STATUS_CORRECT;
    bool is_own =
        fault == FAULT_NONE || fault == FAULT_CONFIGURATION || (fault == FAULT_LOST && q->lost);
    if (q->today && (row->measuring_version != HONE_MEASURING_VERSION ||
                     (row->stop == STOP_IMPORTED && !q->imported)))
        return false;
    if (q->inputs != STORE_INPUTS_ANY && is_correct &&
        row->cold != (q->inputs == STORE_INPUTS_COLD))
        return false;
    if (q->uncompared && row->stop == STOP_COMPARED)
        return false;
    bool refutes = !is_correct && is_own && (row->status != STATUS_TIMEOUT || q->timeouts);
    return !q->telling || is_timed || refutes;
}

// ---- the newest of each -------------------------------------------------------------------------

// Set of digests met already; open addressing.
struct digest_set {
    struct digest *slots; // all zero: free
    size_t count, room;   // a power of two
};

static struct digest *digest_slot(const struct digest_set *set, const struct digest *d)
{
    static const struct digest none;
    uint64_t at;
    for (memcpy(&at, d->bytes, sizeof at);; at++) {
        struct digest *slot = &set->slots[at & (set->room - 1)];
        if (digest_equal(slot, d) || digest_equal(slot, &none))
            return slot;
    }
}

// *is_new: it was not there. False without memory.
static bool digest_note(struct digest_set *set, const struct digest *d, bool *is_new)
{
    if (2 * set->count >= set->room) {
        struct digest_set grown = {.room = set->room ? 2 * set->room : 64, .count = set->count};
        grown.slots = calloc(grown.room, sizeof *grown.slots);
        if (!grown.slots)
            return false;
        for (size_t i = 0; i < set->room; i++)
            *digest_slot(&grown, &set->slots[i]) = set->slots[i];
        free(set->slots);
        *set = grown;
    }
    struct digest *slot = digest_slot(set, d);
    *is_new = !digest_equal(slot, d);
    set->count += *is_new;
    *slot = *d;
    return true;
}

// Notes the row under what q->newest groups by. False without memory.
static bool note_row(struct digest_set *set, const struct store_query *q,
                     const struct store_row *row, bool *is_new)
{
    struct digest d = row->key;
    if (q->newest == STORE_NEWEST_OF_CONFIGURATION)
        digest_of(row->configuration_json, strlen(row->configuration_json), &d);
    else if (q->newest == STORE_NEWEST_OF_SESSION)
        digest_of(row->session_bytes, sizeof row->session_bytes, &d);
    return digest_note(set, &d, is_new);
}

// ---- SQL ----------------------------------------------------------------------------------------

// SQL for a result's number, its log, and whether it is unseen: by the store's version less 1.
static const struct version {
    const char *place, *imported, *unseen, *log;
} versions[STORE_SCHEMA_VERSION] = {
    {"result.sequence", "0", "0", "NULL"},
    {"coalesce(result.number, result.sequence)",
     "EXISTS (SELECT 1 FROM result WHERE number IS NOT NULL)", "result.unseen", "NULL"},
    {"coalesce(result.number, result.sequence)",
     "EXISTS (SELECT 1 FROM result WHERE number IS NOT NULL)", "result.unseen", "result.log"},
};

// Numbers are equal only if results were imported: only then are dates and ids compared, which
// are in no index. Conditions that leave few rows come first, and the row's own statement checks
// the rest.
static void list_sql(const struct store_query *q, const struct version *v, struct text *out)
{
    text_addf(out,
              "SELECT result.sequence, %s AS place, result.session FROM session JOIN result "
              "ON result.session = session.id WHERE 1",
              v->place);
    if (q->key)
        text_add(out, " AND result.job = :key");
    else if (q->session)
        text_add(out, " AND session.id = :session");
    else if (q->spec_name)
        text_add(out, " AND (session.spec_name = :spec OR session.spec_name IS NULL)");
    if (q->device)
        text_add(out, " AND session.device = :device");
    if (q->device_identity)
        text_add(out, " AND session.device_identity = :identity");
    text_addf(out,
              " ORDER BY place DESC, CASE WHEN %s THEN result.date END DESC, "
              "CASE WHEN %s THEN result.id END DESC",
              v->imported, v->imported);
}

// Prefers the session's name of the spec: the job's row keeps the first of several specs.
static void row_sql(const struct store_query *q, const struct version *v, struct text *out)
{
    text_add(out, "SELECT lower(hex(result.id)), job.configuration, job.configuration_json, "
                  "coalesce(session.spec_name, job.spec_name) AS spec, coalesce(session.constants, "
                  "job.constants) AS chosen, session.device, session.platform, session.driver, "
                  "lower(hex(session.device_identity)), job.geometry, result.date, "
                  "session.hone_version, job.language, lower(hex(session.id)), session.command, "
                  "job.kernels, session.vendor, session.uuid, session.pci, session.surroundings, "
                  "session.host, session.seed, session.spec_path, job.measuring_version, job.key, "
                  "job.source, session.device_identity, result.status, result.stop, result.fault, "
                  "result.sample_count, result.policy_fixed, result.policy_launches, "
                  "result.policy_cold, result.session, result.id, session.compute_units, "
                  "result.median_ns, ");
    text_addf(out, "%s, result.format, result.body, %s ", v->unseen, q->logs ? v->log : "NULL");
    text_addf(out,
              "FROM result JOIN job ON job.key = result.job JOIN session ON session.id = "
              "result.session WHERE result.sequence = :sequence AND result.format <= %d",
              RESULT_FORMAT);
    text_add(out, q->spec_name ? " AND spec = :spec" : "");
    text_add(out, q->constants ? " AND chosen = :constants" : "");
    text_add(out, q->source ? " AND job.source = :source" : "");
    text_add(out, q->correct_only ? " AND result.status = 'correct'" : "");
}

// The columns above that are texts, in order, and what follows them.
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
    offsetof(struct store_row, vendor),
    offsetof(struct store_row, uuid),
    offsetof(struct store_row, pci),
    offsetof(struct store_row, surroundings),
    offsetof(struct store_row, host),
    offsetof(struct store_row, seed),
    offsetof(struct store_row, spec_path),
};
enum {
    COLUMN_MEASURING = sizeof row_texts / sizeof *row_texts,
    COLUMN_KEY,
    COLUMN_SOURCE,
    COLUMN_IDENTITY,
    COLUMN_STATUS,
    COLUMN_STOP,
    COLUMN_FAULT,
    COLUMN_SAMPLES,
    COLUMN_FIXED,
    COLUMN_LAUNCHES,
    COLUMN_COLD,
    COLUMN_SESSION,
    COLUMN_ID,
    COLUMN_UNITS,
    COLUMN_MEDIAN,
    COLUMN_UNSEEN,
    COLUMN_FORMAT,
    COLUMN_BODY,
    COLUMN_LOG,
};

// Bytes of another length stay zero.
static void bytes_column(sqlite3_stmt *statement, int column, void *out, size_t length)
{
    const void *bytes = sqlite3_column_blob(statement, column);
    if (bytes && (size_t)sqlite3_column_bytes(statement, column) == length)
        memcpy(out, bytes, length);
}

static const char *text_column(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text ? text : "";
}

// Texts that were not given read as "".
static void row_read(sqlite3_stmt *statement, struct store_row *row)
{
    memset(row, 0, sizeof *row);
    for (int i = 0; i < COLUMN_MEASURING; i++)
        *(const char **)((char *)row + row_texts[i]) = text_column(statement, i);
    row->measuring_version = sqlite3_column_int(statement, COLUMN_MEASURING);
    if (!status_parse(text_column(statement, COLUMN_STATUS), &row->status))
        row->status = STATUS_COUNT;
    if (!stop_parse(text_column(statement, COLUMN_STOP), &row->stop))
        row->stop = STOP_COUNT;
    row->fixed = sqlite3_column_int(statement, COLUMN_FIXED) != 0 || row->stop == STOP_FIXED;
    row->launches = (uint32_t)sqlite3_column_int64(statement, COLUMN_LAUNCHES);
    row->cold = sqlite3_column_int(statement, COLUMN_COLD) != 0;
    row->compute_units = (uint32_t)sqlite3_column_int64(statement, COLUMN_UNITS);
    row->unseen = sqlite3_column_int(statement, COLUMN_UNSEEN) != 0;
    bytes_column(statement, COLUMN_KEY, row->key.bytes, sizeof row->key.bytes);
    bytes_column(statement, COLUMN_SOURCE, row->source.bytes, sizeof row->source.bytes);
    bytes_column(statement, COLUMN_IDENTITY, row->identity.bytes, sizeof row->identity.bytes);
    bytes_column(statement, COLUMN_SESSION, row->session_bytes, sizeof row->session_bytes);
    bytes_column(statement, COLUMN_ID, row->id_bytes, sizeof row->id_bytes);
}

bool store_row_copy(struct arena *a, const struct store_row *row, struct store_row *out)
{
    bool ok = true;
    *out = *row;
    out->result = NULL;
    for (int i = 0; i < COLUMN_MEASURING; i++) {
        const char **text = (const char **)((char *)out + row_texts[i]);
        *text = arena_strdup(a, *text);
        ok = ok && *text;
    }
    return ok;
}

// ---- the walk -----------------------------------------------------------------------------------

static const char doing[] = "reading results";

struct walk {
    struct store *front, *store; // the store in question, and where the walk is
    const struct store_query *q;
    bool (*each)(void *context, const struct store_row *row);
    void *context;
    bool more;             // `each` wants the next one
    struct digest_set met; // with q->newest
};

// Binds a field that the query sets and the statement uses.
static void bind_blob(struct values *v, const char *name, const void *bytes, size_t length)
{
    if (bytes && sqlite3_bind_parameter_index(v->statement, name) > 0)
        value_blob(v, name, bytes, length);
}

static void bind_text(struct values *v, const char *name, const char *text)
{
    if (text && sqlite3_bind_parameter_index(v->statement, name) > 0)
        value_text(v, name, text);
}

// Prepared anew for each walk, since `each` may begin another. NULL on failure.
static sqlite3_stmt *prepare_query(const struct walk *w,
                                   void (*write)(const struct store_query *q,
                                                 const struct version *v, struct text *out),
                                   struct error *e)
{
    struct store *s = w->store;
    const struct store_query *q = w->q;
    struct text sql = TEXT_INIT;
    struct values v = {NULL, SQLITE_OK};
    write(q, &versions[s->version - 1], &sql);
    if (!sql.failed)
        v.code = sqlite3_prepare_v2(s->db, text_cstr(&sql), -1, &v.statement, NULL);
    if (v.statement) {
        bind_blob(&v, ":session", q->session, STORE_ID_BYTES);
        bind_blob(&v, ":key", q->key, sizeof q->key->bytes);
        bind_blob(&v, ":identity", q->device_identity, sizeof q->device_identity->bytes);
        bind_blob(&v, ":source", q->source, sizeof q->source->bytes);
        bind_text(&v, ":spec", q->spec_name);
        bind_text(&v, ":constants", q->constants);
        bind_text(&v, ":device", q->device);
    }
    if (sql.failed)
        error_memory(e);
    else if (v.code != SQLITE_OK)
        store_fail_sqlite(e, s->path, s->db, doing);
    text_release(&sql);
    if (v.statement && v.code == SQLITE_OK)
        return v.statement;
    sqlite3_finalize(v.statement);
    return NULL;
}

// A result that was merged into a store in front was given there.
static bool is_in_front(const struct walk *w, const struct store_row *row)
{
    bool found = false;
    for (struct store *s = w->front; s != w->store && !found; s = s->behind) {
        struct values v = {statement_get(s, STATEMENT_HOLDS, NULL), SQLITE_OK};
        if (!v.statement)
            continue;
        value_blob(&v, ":id", row->id_bytes, sizeof row->id_bytes);
        value_i64(&v, ":format", RESULT_FORMAT);
        found = v.code == SQLITE_OK && sqlite3_step(v.statement) == SQLITE_ROW;
        sqlite3_reset(v.statement);
    }
    return found;
}

struct result *row_result(const struct store *s, sqlite3_stmt *statement, int format_column,
                          struct error *e)
{
    const void *body = sqlite3_column_blob(statement, format_column + 1);
    size_t length = (size_t)sqlite3_column_bytes(statement, format_column + 1);
    const char *log = (const char *)sqlite3_column_text(statement, format_column + 2);
    struct result *r =
        result_decode_format(body, length, sqlite3_column_int(statement, format_column), e);
    if (!r) {
        error_context(e, "%s: a stored result", s->path);
        return NULL;
    }
    if (log)
        r->log = arena_strdup(&r->arena, log);
    r->origin = s->is_behind ? arena_strdup(&r->arena, s->path) : NULL;
    if (r->log && (r->origin || !s->is_behind))
        return r;
    result_free(r);
    return error_no_memory(e);
}

// Gives the row at which the statement stands to `each`, if it is one that is wanted.
static bool give_row(struct walk *w, sqlite3_stmt *statement, int64_t number, struct error *e)
{
    struct store_row row;
    row_read(statement, &row);
    if (sqlite3_errcode(w->store->db) == SQLITE_NOMEM) // a text that reads as ""
        return error_memory(e);
    row.number = number;
    enum fault fault = fault_read(text_column(statement, COLUMN_FAULT));
    bool is_new = true, is_timed = row.status == STATUS_CORRECT &&
                                   sqlite3_column_int64(statement, COLUMN_SAMPLES) > 0;
    bool answers = w->q->all_runs ||
                   store_answers(w->front, row.unseen, row.session_bytes, sizeof row.session_bytes);
    if (!answers || !row_counts(w->q, &row, fault, is_timed) || is_in_front(w, &row))
        return true;
    if (w->q->newest != STORE_NEWEST_NONE && !note_row(&w->met, w->q, &row, &is_new))
        return error_memory(e);
    if (!is_new)
        return true;
    struct result *result = row_result(w->store, statement, COLUMN_FORMAT, e);
    if (result && row.measuring_version < HONE_MEASURING_VERSION &&
        result->verification == VERIFICATION_REFERENCE)
        result->verification = VERIFICATION_OLDER;
    if (result && !w->q->logs)
        result->log = ""; // in the body of an earlier version
    if (result && result->stop == STOP_IMPORTED)
        result->exact_ns = sqlite3_column_double(statement, COLUMN_MEDIAN);
    row.result = result;
    w->more = result && w->each(w->context, &row);
    result_free(result);
    return result != NULL;
}

// Is the newest of the run that the list is at known already? Then its other rows need not be read.
static bool is_known_run(const struct walk *w, sqlite3_stmt *list)
{
    struct digest d;
    if (w->q->newest != STORE_NEWEST_OF_SESSION || w->met.count == 0)
        return false;
    digest_of(sqlite3_column_blob(list, 2), (size_t)sqlite3_column_bytes(list, 2), &d);
    return digest_equal(digest_slot(&w->met, &d), &d);
}

static bool walk_store(struct walk *w, struct error *e)
{
    struct store *s = w->store;
    int code = SQLITE_ROW;
    sqlite3_stmt *list = prepare_query(w, list_sql, e),
                 *row = list ? prepare_query(w, row_sql, e) : NULL;
    bool ok = row != NULL;
    while (ok && w->more && (code = sqlite3_step(list)) == SQLITE_ROW) {
        if (is_known_run(w, list))
            continue;
        sqlite3_bind_int64(row, sqlite3_bind_parameter_index(row, ":sequence"),
                           sqlite3_column_int64(list, 0));
        code = sqlite3_step(row);
        if (code == SQLITE_ROW)
            ok = give_row(w, row, sqlite3_column_int64(list, 1), e);
        else if (code != SQLITE_DONE)
            break;
        sqlite3_reset(row);
    }
    if (ok && code != SQLITE_ROW && code != SQLITE_DONE)
        ok = store_fail_sqlite(e, s->path, s->db, doing);
    sqlite3_finalize(list);
    sqlite3_finalize(row);
    return ok;
}

bool store_each(struct store *s, const struct store_query *q,
                bool (*each)(void *context, const struct store_row *row), void *context,
                struct error *e)
{
    bool ok = true;
    struct walk w = {.front = s, .q = q, .each = each, .context = context, .more = true};
    for (w.store = s; ok && w.more && w.store; w.store = w.store->behind)
        ok = walk_store(&w, e);
    free(w.met.slots);
    return ok;
}
