// Removing on purpose: the one thing that takes rows out of a store.

#include "store/database.h"
#include "store/fail.h"
#include "store/upkeep.h"

#include <string.h>

// Samples of a fixed count add up, and those of a ranking decide together with the others of it, so
// none of them is replaced. What is to go is listed once, in a table of this connection's own.
static const char list_sql[] =
    "INSERT INTO temp.pruned SELECT r.sequence FROM result AS r JOIN session ON session.id = "
    "r.session JOIN job ON job.key = r.job WHERE (:spec IS NULL OR coalesce(session.spec_name, "
    "job.spec_name) = :spec) AND (:device IS NULL OR instr(lower(session.device), lower(:device)) "
    "> 0) AND (:before IS NULL OR r.date < :before) AND (:superseded = 0 OR job.measuring_version "
    "< :measuring_version OR EXISTS (SELECT 1 FROM result AS n WHERE n.job = r.job AND "
    "(coalesce(n.number, n.sequence), n.date, n.id) > (coalesce(r.number, r.sequence), r.date, "
    "r.id) AND ((r.status <> 'correct' AND n.status = 'correct') OR (n.status = r.status AND "
    "n.fault = r.fault AND n.policy_cold = r.policy_cold AND (r.status <> 'correct' OR "
    "(n.policy_fixed = 0 AND r.policy_fixed = 0)) AND r.stop <> 'ranked' AND n.batch = r.batch "
    "AND n.sample_count >= r.sample_count AND n.limit_ns >= r.limit_ns AND (n.stop NOT IN "
    "('hopeless', 'limit') OR r.stop IN ('hopeless', 'limit', 'none'))))))";

// Jobs, sessions and texts that are left without anything that names them.
static const struct step {
    const char *sql;
    size_t counter; // of a member of struct store_pruned
} steps[] = {
    {"DELETE FROM result WHERE sequence IN (SELECT sequence FROM temp.pruned)",
     offsetof(struct store_pruned, results)},
    {"DELETE FROM job WHERE NOT EXISTS (SELECT 1 FROM result WHERE result.job = job.key)",
     offsetof(struct store_pruned, jobs)},
    {"DELETE FROM session WHERE id NOT IN (SELECT session FROM result)",
     offsetof(struct store_pruned, sessions)},
    {"DELETE FROM text WHERE texts NOT IN (SELECT texts FROM job UNION ALL "
     "SELECT texts FROM session WHERE texts IS NOT NULL)",
     SIZE_MAX},
};

static const char doing[] = "removing results";

static bool list_results(struct store *s, const struct store_prune *what, struct error *e)
{
    struct values v = {NULL, SQLITE_OK};
    if (!store_execute(s,
                       "DROP TABLE IF EXISTS temp.pruned; CREATE TEMP TABLE pruned (sequence "
                       "INTEGER PRIMARY KEY)",
                       doing, e))
        return false;
    if (sqlite3_prepare_v2(s->db, list_sql, -1, &v.statement, NULL) != SQLITE_OK)
        return store_fail_sqlite(e, s->path, s->db, doing);
    value_text(&v, ":spec", what->spec);
    value_text(&v, ":device", what->device);
    value_text(&v, ":before", what->before);
    value_i64(&v, ":superseded", what->superseded);
    value_i64(&v, ":measuring_version", HONE_MEASURING_VERSION);
    bool ok = values_run(&v, s, doing, e);
    sqlite3_finalize(v.statement);
    return ok;
}

static bool remove_all(struct store *s, struct store_pruned *out, struct error *e)
{
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (!store_execute(s, steps[i].sql, doing, e))
            return false;
        if (steps[i].counter != SIZE_MAX)
            *(uint64_t *)((char *)out + steps[i].counter) = (uint64_t)sqlite3_changes(s->db);
    }
    return true;
}

// The log, which holds the new file whole, is carried over and emptied. Another process that reads
// keeps it from happening now; it happens later.
bool store_give_back(struct store *s, struct error *e)
{
    return store_execute(s, "VACUUM", doing, e) &&
           store_execute(s, "PRAGMA wal_checkpoint(TRUNCATE)", doing, e);
}

bool store_prune(struct store *s, const struct store_prune *what, bool dry,
                 struct store_pruned *out, struct error *e)
{
    struct store_counts counts;
    memset(out, 0, sizeof *out);
    if (!transaction_begin(s, e))
        return false;
    bool ok = store_count(s, &counts, e) && list_results(s, what, e) && remove_all(s, out, e);
    out->results_before = counts.results;
    out->bytes_before = out->bytes_after = counts.file_bytes;
    ok = ok && (dry || transaction_commit(s, e));
    if (!ok || dry)
        transaction_rollback(s);
    texts_forget(&s->texts);
    s->run.written = false;
    if (!ok || dry || out->results == 0)
        return ok;
    ok = store_give_back(s, e) ||
         error_context(e, "the results are removed, but the file is as large as before");
    out->bytes_after = store_bytes(s);
    return ok;
}
