// The statements of a store and their values, transactions, and what to do while another process
// has it locked.

#include "store/database.h"

#include "os/process.h"
#include "store/fail.h"

#include <string.h>

// `place` orders the results, see store_each(): version 1 has no numbers, and nothing unseen, and
// before version 3 the log is in the body.
#define FIND_SQL(place, unseen, log)                                                               \
    "SELECT status, fault, stop, sample_count, limit_ns, policy_cold, policy_launch_limit_ns, "    \
    "policy_build_limit_ns, policy_fixed, " unseen ", session, format, body, " log " "             \
    "FROM result WHERE job = :job AND format <= :format "                                          \
    "ORDER BY " place " DESC, date DESC, id DESC"

static const char *const sql[STATEMENTS] = {
    [STATEMENT_BEGIN] = "BEGIN IMMEDIATE",
    [STATEMENT_COMMIT] = "COMMIT",
    [STATEMENT_ROLLBACK] = "ROLLBACK",
    [STATEMENT_PUT_TEXT] = "INSERT INTO text (texts, position, kind, name, body) "
                           "VALUES (:texts, :position, :kind, :name, :body) "
                           "ON CONFLICT (texts, position) DO NOTHING",
    [STATEMENT_PUT_JOB] =
        "INSERT INTO job (key, measuring_version, language, spec_name, constants, configuration, "
        "configuration_json, geometry, kernels, options, source, texts) "
        "VALUES (:key, :measuring_version, :language, :spec_name, :constants, :configuration, "
        ":configuration_json, :geometry, :kernels, :options, :source, :texts) "
        "ON CONFLICT (key) DO NOTHING",
    [STATEMENT_PUT_SESSION] =
        "INSERT INTO session (id, date, command, hone_version, host, seed, spec_name, spec_path, "
        "constants, texts, surroundings, device, vendor, platform, platform_version, driver, "
        "compiler, language_version, uuid, pci, device_surroundings, device_type, compute_units, "
        "clock_mhz, global_bytes, local_bytes, device_identity) VALUES (:id, :date, :command, "
        ":hone_version, :host, :seed, :spec_name, :spec_path, :constants, :texts, :surroundings, "
        ":device, :vendor, :platform, :platform_version, :driver, :compiler, :language_version, "
        ":uuid, :pci, :device_surroundings, :device_type, :compute_units, :clock_mhz, "
        ":global_bytes, :local_bytes, :device_identity) ON CONFLICT (id) DO NOTHING",
    [STATEMENT_SURROUNDINGS] = "UPDATE session SET surroundings = :surroundings WHERE id = :id",
    [STATEMENT_PUT_RESULT] =
        "INSERT INTO result (sequence, id, job, session, date, status, fault, verification, stop, "
        "median_ns, sample_count, samples_ns, batch, limit_ns, message, policy_launches, "
        "policy_batch, policy_hopeless_ns, policy_budget_ns, policy_launch_limit_ns, "
        "policy_build_limit_ns, policy_cold, policy_fixed, format, body, unseen, log) VALUES "
        "(:sequence, :id, :job, :session, :date, :status, :fault, :verification, :stop, "
        ":median_ns, :sample_count, :samples_ns, :batch, :limit_ns, :message, :policy_launches, "
        ":policy_batch, :policy_hopeless_ns, :policy_budget_ns, :policy_launch_limit_ns, "
        ":policy_build_limit_ns, :policy_cold, :policy_fixed, :format, :body, :unseen, :log)",
    [STATEMENT_FIND] = FIND_SQL("coalesce(number, sequence)", "unseen", "log"),
    [STATEMENT_FIND_2] = FIND_SQL("coalesce(number, sequence)", "unseen", "NULL"),
    [STATEMENT_FIND_1] = FIND_SQL("sequence", "0", "NULL"),
    [STATEMENT_HIGHEST] = "SELECT max(sequence) FROM result",
    [STATEMENT_DATA_VERSION] = "PRAGMA data_version",
    [STATEMENT_HAS_RESULT] = "SELECT 1 FROM result WHERE id = :id",
    [STATEMENT_HOLDS] = "SELECT 1 FROM result WHERE id = :id AND format <= :format",
    [STATEMENT_HAS_CONFIGURATION] = "SELECT 1 FROM job WHERE source = :source AND "
                                    "configuration_json = :configuration LIMIT 1",
};

sqlite3_stmt *statement_get(struct store *s, enum statement id, struct error *e)
{
    sqlite3_stmt **kept = &s->statements[id];
    if (!*kept && sqlite3_prepare_v3(s->db, sql[id], -1, SQLITE_PREPARE_PERSISTENT, kept, NULL) !=
                      SQLITE_OK) {
        store_fail_sqlite(e, s->path, s->db, "reading the store's tables");
        return NULL;
    }
    sqlite3_reset(*kept);
    sqlite3_clear_bindings(*kept);
    return *kept;
}

bool statement_run(struct store *s, sqlite3_stmt *statement, const char *doing, struct error *e)
{
    bool ok = sqlite3_step(statement) == SQLITE_DONE;
    if (!ok)
        store_fail_sqlite(e, s->path, s->db, doing);
    sqlite3_reset(statement);
    return ok;
}

bool store_execute(struct store *s, const char *words, const char *doing, struct error *e)
{
    return sqlite3_exec(s->db, words, NULL, NULL, NULL) == SQLITE_OK ||
           store_fail_sqlite(e, s->path, s->db, doing);
}

// ---- values -------------------------------------------------------------------------------------

// A name that the statement lacks is index 0, which binding answers with SQLITE_RANGE.
static int value_index(const struct values *v, const char *name)
{
    return sqlite3_bind_parameter_index(v->statement, name);
}

static void value_done(struct values *v, int code)
{
    if (v->code == SQLITE_OK)
        v->code = code;
}

void value_textn(struct values *v, const char *name, const void *text, uint64_t length)
{
    // An empty text may have no pointer, which would bind NULL.
    value_done(v, sqlite3_bind_text64(v->statement, value_index(v, name), length ? text : "",
                                      length, SQLITE_STATIC, SQLITE_UTF8));
}

void value_text(struct values *v, const char *name, const char *text)
{
    value_done(v, sqlite3_bind_text(v->statement, value_index(v, name), text, -1, SQLITE_STATIC));
}

void value_blob(struct values *v, const char *name, const void *data, size_t length)
{
    value_done(
        v, sqlite3_bind_blob64(v->statement, value_index(v, name), data, length, SQLITE_STATIC));
}

void value_digest(struct values *v, const char *name, const struct digest *d)
{
    value_blob(v, name, d->bytes, sizeof d->bytes);
}

void value_i64(struct values *v, const char *name, int64_t number)
{
    value_done(v, sqlite3_bind_int64(v->statement, value_index(v, name), number));
}

void value_u64(struct values *v, const char *name, uint64_t number)
{
    value_i64(v, name, number > INT64_MAX ? INT64_MAX : (int64_t)number);
}

void value_f64(struct values *v, const char *name, double number)
{
    value_done(v, sqlite3_bind_double(v->statement, value_index(v, name), number));
}

bool values_run(struct values *v, struct store *s, const char *doing, struct error *e)
{
    if (v->code != SQLITE_OK)
        return store_fail_code(e, s->path, v->code, 0, doing);
    return statement_run(s, v->statement, doing, e);
}

// ---- transactions -------------------------------------------------------------------------------

static bool transaction_step(struct store *s, enum statement id, const char *doing, struct error *e)
{
    sqlite3_stmt *statement = statement_get(s, id, e);
    return statement && statement_run(s, statement, doing, e);
}

// Prepares COMMIT and ROLLBACK before BEGIN: memory may run out within the transaction.
bool transaction_begin(struct store *s, struct error *e)
{
    bool ok = statement_get(s, STATEMENT_COMMIT, e) && statement_get(s, STATEMENT_ROLLBACK, e) &&
              transaction_step(s, STATEMENT_BEGIN, "writing to the store", e);
    if (ok)
        s->busy_ns = 0;
    return ok;
}

bool transaction_commit(struct store *s, struct error *e)
{
    return transaction_step(s, STATEMENT_COMMIT, "writing to the store", e);
}

void transaction_rollback(struct store *s)
{
    struct error ignored = ERROR_INIT;
    // A second time if memory was lacking: what others did to the tables has it prepared anew.
    for (int tries = 0; tries < 2 && !sqlite3_get_autocommit(s->db); tries++)
        transaction_step(s, STATEMENT_ROLLBACK, "undoing a write", &ignored);
    texts_forget(&s->texts);
}

// ---- locks of others ----------------------------------------------------------------------------

void store_patience(struct store *s, int ms)
{
    for (; s; s = s->behind)
        sqlite3_busy_timeout(s->db, ms ? ms : STORE_PATIENCE_MS);
}

bool store_try_again(struct store *s, struct error *e)
{
    uint64_t now = clock_ns();
    if (e->code != ERROR_STORE || (e->driver & 0xff) != SQLITE_BUSY)
        return false;
    if (!s->busy_ns)
        s->busy_ns = now;
    if (now - s->busy_ns >= STORE_PATIENCE_MS * UINT64_C(1000000))
        return false;
    error_clear(e);
    return true;
}

// ---- lists --------------------------------------------------------------------------------------

void *array_grown(struct arena *a, void *items, size_t count, size_t size)
{
    if (count > 0 && (count & (count - 1)) != 0)
        return items;
    void *more = arena_array(a, count > 0 ? 2 * count : 1, size);
    if (more && count > 0)
        memcpy(more, items, count * size);
    return more;
}
