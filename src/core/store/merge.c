// Merging other stores: a union by id, table by table, in one transaction.

#include "os/file_replace.h"
#include "store/database.h"
#include "store/fail.h"
#include "store/schema.h"
#include "store/upkeep.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The tables to copy, ordered so that the rows that a row refers to exist before it. A row number
// is the file's own and not copied; the order it expresses is. `only` follows `select` if only a
// part is copied: hone_wants() says of a result's id whether to copy it, and the rest follows from
// that. `select` holds for sources from version 3 on; `select_1` and `select_2` are for earlier
// versions, if these differ.
#define WANTED_JOBS     "SELECT job FROM result WHERE hone_wants(id)"
#define WANTED_SESSIONS "SELECT session FROM result WHERE hone_wants(id)"
static const struct part {
    const char *select, *only, *order, *insert, *select_1, *select_2;
} parts[] = {
    {"SELECT texts, position, kind, name, body FROM text",
     " WHERE texts IN (SELECT texts FROM job WHERE key IN (" WANTED_JOBS ") UNION ALL "
     "SELECT texts FROM session WHERE texts IS NOT NULL AND id IN (" WANTED_SESSIONS "))",
     "",
     "INSERT INTO text (texts, position, kind, name, body) VALUES (?1, ?2, ?3, ?4, ?5) "
     "ON CONFLICT DO NOTHING",
     NULL, NULL},
#define COLUMNS                                                                                    \
    "key, measuring_version, language, spec_name, constants, configuration, configuration_json, "  \
    "geometry, kernels, options, source, texts"
    {"SELECT " COLUMNS " FROM job", " WHERE key IN (" WANTED_JOBS ")", "",
     "INSERT INTO job (" COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) "
     "ON CONFLICT DO NOTHING",
     NULL, NULL},
#undef COLUMNS
#define COLUMNS                                                                                    \
    "id, date, command, hone_version, host, seed, spec_name, spec_path, constants, texts, "        \
    "surroundings, device, vendor, platform, platform_version, driver, compiler, "                 \
    "language_version, uuid, pci, device_surroundings, device_type, compute_units, clock_mhz, "    \
    "global_bytes, local_bytes, device_identity"
    {"SELECT " COLUMNS " FROM session", " WHERE id IN (" WANTED_SESSIONS ")", "",
     "INSERT INTO session (" COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, "
     "?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27) "
     "ON CONFLICT DO NOTHING",
     NULL, NULL},
#undef COLUMNS
#define COLUMNS                                                                                    \
    "id, job, session, date, status, fault, verification, stop, median_ns, sample_count, "         \
    "samples_ns, batch, limit_ns, message, policy_launches, policy_batch, policy_hopeless_ns, "    \
    "policy_budget_ns, policy_launch_limit_ns, policy_build_limit_ns, policy_cold, policy_fixed"
// The log of an earlier version is in the body.
#define SPLIT                                                                                      \
    ", iif(hone_log(format, body) IS NULL, format, " NUMBER(                                       \
        RESULT_FORMAT) "), "                                                                       \
                       "coalesce(hone_body(format, body), body), hone_log(format, body)"
    {"SELECT " COLUMNS
     ", format, body, log, coalesce(number, sequence) AS place, unseen FROM result",
     " WHERE hone_wants(id)", " ORDER BY place, date, id",
     "INSERT INTO result (" COLUMNS
     ", format, body, log, number, unseen, sequence) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, "
     "?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, "
     "max(?26, (SELECT coalesce(max(sequence), 0) + 1 FROM result))) ON CONFLICT DO NOTHING",
     "SELECT " COLUMNS SPLIT ", sequence AS place, 0 FROM result",
     "SELECT " COLUMNS SPLIT ", coalesce(number, sequence) AS place, unseen FROM result"},
#undef SPLIT
#undef COLUMNS
};
enum { PARTS = sizeof parts / sizeof *parts };

// ---- the files ----------------------------------------------------------------------------------

struct first_problem {
    const char *path;
    struct error *e;
    bool found;
};

static void note_first_problem(void *context, const struct store_problem *p)
{
    struct first_problem *first = context;
    if (!first->found)
        store_fail(first->e, first->path, SQLITE_CORRUPT,
                   "%s%s%s: %s; nothing was imported: `hone store verify --store %s` shows all "
                   "that is wrong with it",
                   p->table, *p->row ? " " : "", p->row, p->what, first->path);
    first->found = true;
}

// A source is held open in one transaction, so that what was verified is what is copied.
static struct store *source_open(const char *path, struct error *e)
{
    struct store_checked checked;
    struct first_problem first = {.path = path, .e = e};
    struct store *s = store_open(path, STORE_READ, e);
    if (!s)
        return NULL;
    s->is_behind = true;
    bool ok = sqlite3_exec(s->db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK ||
              store_fail_sqlite(e, s->path, s->db, "reading the store");
    if (ok && store_verify(s, note_first_problem, &first, &checked, e) && !first.found)
        return s;
    store_close(s);
    return NULL;
}

// The store itself, by any name: a link, another path.
static bool refuse_itself(const char *path, const char *const *files, size_t count, struct error *e)
{
    bool exists = access(path, F_OK) == 0;
    for (size_t i = 0; exists && i < count; i++) {
        if (file_is_same(path, files[i]))
            return error_set(e, ERROR_USAGE,
                             "%s: it is the store itself; name other files, or another store with "
                             "--store",
                             files[i]);
    }
    return true;
}

// ---- copying ------------------------------------------------------------------------------------

// Rows of `from` into `to`: how many there were, and how many of them were new.
static bool rows_copy(struct store *into, struct store *source, sqlite3_stmt *from,
                      sqlite3_stmt *to, struct store_imported *counts, struct error *e)
{
    int code;
    int columns = sqlite3_column_count(from);
    *counts = (struct store_imported){0, 0};
    while ((code = sqlite3_step(from)) == SQLITE_ROW) {
        for (int i = 0; i < columns; i++)
            if (sqlite3_bind_value(to, i + 1, sqlite3_column_value(from, i)) != SQLITE_OK)
                return store_fail_sqlite(e, into->path, into->db, "importing");
        if (!statement_run(into, to, "importing", e))
            return false;
        counts->results++;
        counts->added += (uint64_t)sqlite3_changes(into->db);
    }
    return code == SQLITE_DONE ||
           store_fail_sqlite(e, source->path, source->db, "reading what is to be imported");
}

static bool part_copy(struct store *into, struct store *source, const struct part *part, bool some,
                      struct store_imported *counts, struct error *e)
{
    char select[2048];
    sqlite3_stmt *from = NULL, *to = NULL;
    bool ok = false;
    const char *earlier = source->version == 1   ? part->select_1
                          : source->version == 2 ? part->select_2
                                                 : NULL;
    str_format(select, sizeof select, "%s%s%s", earlier ? earlier : part->select,
               some ? part->only : "", part->order);
    if (!schema_functions(source->db) ||
        sqlite3_prepare_v2(source->db, select, -1, &from, NULL) != SQLITE_OK)
        store_fail_sqlite(e, source->path, source->db, "reading what is to be imported");
    else if (sqlite3_prepare_v2(into->db, part->insert, -1, &to, NULL) != SQLITE_OK)
        store_fail_sqlite(e, into->path, into->db, "importing");
    else
        ok = rows_copy(into, source, from, to, counts, e);
    sqlite3_finalize(from);
    sqlite3_finalize(to);
    return ok;
}

// As many more results as were added.
static bool read_back(struct store *into, uint64_t before, const struct store_imported *out,
                      size_t count, struct error *e)
{
    struct store_counts now;
    uint64_t wanted = before;
    for (size_t i = 0; i < count; i++)
        wanted += out[i].added;
    if (!store_count(into, &now, e))
        return false;
    return now.results == wanted ||
           store_fail(e, into->path, SQLITE_CORRUPT,
                      "it holds %llu results after importing, and not %llu; nothing was imported: "
                      "choose another file",
                      (unsigned long long)now.results, (unsigned long long)wanted);
}

static bool all_copy(struct store *into, struct store **sources, size_t count, bool some,
                     struct store_imported *out, struct error *e)
{
    struct store_counts before;
    if (!transaction_begin(into, e))
        return false;
    bool ok = store_count(into, &before, e);
    for (size_t i = 0; i < count && ok; i++)
        for (size_t part = 0; part < PARTS && ok;
             part++) // the last one, which out[i] is of, is the results
            ok = part_copy(into, sources[i], &parts[part], some, &out[i], e);
    ok = ok && read_back(into, before.results, out, count, e) && transaction_commit(into, e);
    if (!ok)
        transaction_rollback(into);
    return ok;
}

// ---- a part of the results ----------------------------------------------------------------------

struct wish {
    bool (*wants)(void *context, const uint8_t id[STORE_ID_BYTES]);
    void *context;
};

static void is_wanted_id(sqlite3_context *call, int count, sqlite3_value **values)
{
    const struct wish *w = sqlite3_user_data(call);
    const void *id = sqlite3_value_blob(values[0]);
    bool fits = count == 1 && id && sqlite3_value_bytes(values[0]) == STORE_ID_BYTES;
    sqlite3_result_int(call, fits && w->wants(w->context, id));
}

// ---- importing ----------------------------------------------------------------------------------

// With `wish` only what that wants is copied, and the store is left as one is shipped.
static bool import_files(const char *path, const char *const *files, size_t count,
                         struct wish *wish, struct store_imported *out, struct error *e)
{
    memset(out, 0, count * sizeof *out);
    if (!refuse_itself(path, files, count, e))
        return false;
    struct store **sources = calloc(count + 1, sizeof *sources);
    bool ok = sources || error_memory(e);
    for (size_t i = 0; ok && i < count; i++) {
        sources[i] = source_open(files[i], e);
        ok = sources[i] != NULL;
        if (ok && wish &&
            sqlite3_create_function_v2(sources[i]->db, "hone_wants", 1, SQLITE_UTF8, wish,
                                       is_wanted_id, NULL, NULL, NULL) != SQLITE_OK)
            ok = store_fail_sqlite(e, sources[i]->path, sources[i]->db, "reading the store");
    }
    struct store *into = ok ? store_open(path, STORE_WRITE, e) : NULL;
    ok = into && all_copy(into, sources, count, wish != NULL, out, e);
    if (ok && wish)
        ok = (store_give_back(into, e) && store_leave_wal(into, e)) ||
             error_context(e, "the results are imported, but the file is not fit to be shipped");
    store_close(into);
    for (size_t i = 0; sources && i < count; i++)
        store_close(sources[i]);
    free(sources);
    return ok;
}

bool store_import(const char *path, const char *const *files, size_t count,
                  struct store_imported *out, struct error *e)
{
    return import_files(path, files, count, NULL, out, e);
}

bool store_import_some(const char *path, const char *const *files, size_t count,
                       bool (*wants)(void *context, const uint8_t id[STORE_ID_BYTES]),
                       void *context, struct store_imported *out, struct error *e)
{
    struct wish wish = {wants, context};
    return import_files(path, files, count, &wish, out, e);
}
