// Summary of a store's contents, counted by SQLite.

#include "store/database.h"
#include "store/fail.h"
#include "store/upkeep.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char specs_sql[] =
    "SELECT coalesce(session.spec_name, job.spec_name, '') AS spec, count(DISTINCT "
    "job.configuration), count(*), sum(result.status = 'correct'), max(result.date) "
    "FROM result JOIN job ON job.key = result.job JOIN session ON session.id = result.session "
    "GROUP BY spec ORDER BY spec";

static const char devices_sql[] =
    "SELECT coalesce(session.device, '') AS name, coalesce(session.platform, ''), "
    "coalesce(session.driver, ''), count(*), max(result.date) AS newest FROM result JOIN session "
    "ON session.id = result.session GROUP BY 1, 2, 3 ORDER BY name, newest DESC";

static const char totals_sql[] =
    "SELECT count(*), (SELECT count(*) FROM job), (SELECT count(*) FROM session), (SELECT "
    "count(*) FROM result JOIN job ON job.key = result.job WHERE job.measuring_version < ?1), "
    "coalesce(min(date), ''), coalesce(max(date), '') FROM result";

static const char statuses_sql[] = "SELECT status, count(*) FROM result GROUP BY status";

// ---- rows ---------------------------------------------------------------------------------------

struct summing {
    struct store *store;
    struct arena *a;
    struct store_summary *out;
};

static const char *summary_text(struct summing *c, sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return arena_strdup(c->a, text ? text : "");
}

static uint64_t count_at(sqlite3_stmt *row, int column)
{
    return (uint64_t)sqlite3_column_int64(row, column);
}

static bool add_spec(struct summing *c, sqlite3_stmt *row)
{
    struct store_summary *out = c->out;
    out->specs = array_grown(c->a, out->specs, out->spec_count, sizeof *out->specs);
    if (!out->specs)
        return false;
    struct store_spec_summary *s = &out->specs[out->spec_count++];
    *s = (struct store_spec_summary){.name = summary_text(c, row, 0),
                                     .configurations = count_at(row, 1),
                                     .results = count_at(row, 2),
                                     .correct = count_at(row, 3),
                                     .newest = summary_text(c, row, 4)};
    return s->name && s->newest;
}

static bool add_device(struct summing *c, sqlite3_stmt *row)
{
    struct store_summary *out = c->out;
    out->devices = array_grown(c->a, out->devices, out->device_count, sizeof *out->devices);
    if (!out->devices)
        return false;
    struct store_device_summary *d = &out->devices[out->device_count++];
    *d = (struct store_device_summary){.name = summary_text(c, row, 0),
                                       .platform = summary_text(c, row, 1),
                                       .driver = summary_text(c, row, 2),
                                       .results = count_at(row, 3),
                                       .newest = summary_text(c, row, 4)};
    return d->name && d->platform && d->driver && d->newest;
}

static bool add_totals(struct summing *c, sqlite3_stmt *row)
{
    struct store_summary *out = c->out;
    out->results = count_at(row, 0);
    out->jobs = count_at(row, 1);
    out->sessions = count_at(row, 2);
    out->earlier = count_at(row, 3);
    out->oldest = summary_text(c, row, 4);
    out->newest = summary_text(c, row, 5);
    return out->oldest && out->newest;
}

// A status that only a newer hone knows is in the sum alone.
static bool add_status(struct summing *c, sqlite3_stmt *row)
{
    enum status status;
    const char *text = (const char *)sqlite3_column_text(row, 0);
    if (text && status_parse(text, &status))
        c->out->by_status[status] = count_at(row, 1);
    return true;
}

// ---- queries ------------------------------------------------------------------------------------

static const struct query {
    const char *sql;
    bool (*add)(struct summing *c, sqlite3_stmt *row); // false without memory
} queries[] = {
    {totals_sql, add_totals},
    {statuses_sql, add_status},
    {specs_sql, add_spec},
    {devices_sql, add_device},
};

static bool run_query(struct summing *c, const struct query *q, struct error *e)
{
    int code = SQLITE_ROW;
    bool ok = true;
    struct store *s = c->store;
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(s->db, q->sql, -1, &statement, NULL) != SQLITE_OK)
        return store_fail_sqlite(e, s->path, s->db, "counting results");
    if (sqlite3_bind_parameter_count(statement) > 0)
        sqlite3_bind_int(statement, 1, HONE_MEASURING_VERSION);
    while (ok && (code = sqlite3_step(statement)) == SQLITE_ROW)
        ok = q->add(c, statement) || error_memory(e);
    if (ok && code != SQLITE_DONE)
        ok = store_fail_sqlite(e, s->path, s->db, "counting results");
    sqlite3_finalize(statement);
    return ok;
}

bool store_summarise(struct store *s, struct arena *a, struct store_summary *out, struct error *e)
{
    struct summing c = {.store = s, .a = a, .out = out};
    memset(out, 0, sizeof *out);
    if (sqlite3_exec(s->db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
        return store_fail_sqlite(e, s->path, s->db, "counting results");
    bool ok = true;
    for (size_t i = 0; i < sizeof queries / sizeof *queries && ok; i++)
        ok = run_query(&c, &queries[i], e);
    sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    out->file_bytes = store_bytes(s);
    return ok;
}

// ---- the file and its rows ----------------------------------------------------------------------

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
