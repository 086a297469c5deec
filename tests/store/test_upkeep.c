// What is in a store, verifying, importing, pruning, stores behind: alone, and while others write.

#include "fixture.h"

#include "store/schema.h"
#include "store/upkeep.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void fill(const char *path, unsigned from, unsigned count)
{
    struct store *s = store_make(path);
    begin(s, "scale.json");
    for (unsigned i = 0; i < count; i++)
        put(s, from + i);
    store_close(s);
}

static long long results(const char *path)
{
    return ask(path, "SELECT count(*) FROM result");
}

static void run_sql(const char *path, const char *sql)
{
    sqlite3 *db;
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    ck_assert_msg(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK, "%s: %s", sql,
                  sqlite3_errmsg(db));
    sqlite3_close(db);
}

// ---- verifying ----------------------------------------------------------------------------------

static void keep_problem(void *context, const struct store_problem *p)
{
    text_addf(context, "%s: %s\n", p->table, p->what);
}

// The problems of a store, one a line.
static char *problems_of(const char *path)
{
    struct error e = ERROR_INIT;
    struct text found = TEXT_INIT;
    struct store_checked checked;
    struct store *s = store_open(path, STORE_READ, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    ck_assert_msg(store_verify(s, keep_problem, &found, &checked, &e), "%s", e.text);
    store_close(s);
    text_add(&found, "");
    return text_steal(&found);
}

static void check_whole(const char *path)
{
    char *found = problems_of(path);
    ck_assert_str_eq(found, "");
    free(found);
}

static const struct damage {
    const char *sql, *problem;
} damages[] = {
    {"SELECT 1", ""},
    {"UPDATE result SET body = substr(body, 1, 20) WHERE sequence = 2",
     "result: these 20 bytes are not a result"},
    {"UPDATE result SET status = 'compile' WHERE sequence = 2", "its column status says"},
    {"UPDATE result SET sample_count = 6 WHERE sequence = 2", "its column sample_count says"},
    {"UPDATE result SET samples_ns = '[1]' WHERE sequence = 2", "its column samples_ns says"},
    {"UPDATE result SET median_ns = 1.5 WHERE sequence = 2", "its column median_ns says"},
    {"UPDATE result SET median_ns = NULL WHERE sequence = 2", "its column median_ns says"},
    {"UPDATE result SET message = 'x' WHERE sequence = 2", "its column message says"},
    {"UPDATE result SET id = x'00' WHERE sequence = 2", "result: its id is not of 16 bytes"},
    {"UPDATE result SET job = zeroblob(32) WHERE sequence = 2", "result: its job is missing"},
    {"UPDATE result SET number = 9 WHERE sequence = 2", "result: its number is not one"},
    {"UPDATE result SET number = 'x' WHERE sequence = 2", "result: its number is not one"},
    {"UPDATE result SET sequence = 1 << 62 WHERE sequence = 2", "result: its number is not one"},
    {"UPDATE result SET unseen = 7 WHERE sequence = 2", "result: its mark unseen is"},
    {"DELETE FROM session", "result: its session is missing"},
    {"UPDATE job SET key = x'00' WHERE rowid = 2", "job: its key is not a digest"},
    {"UPDATE job SET source = x'00' WHERE rowid = 2", "job: its source is not a digest"},
    {"UPDATE text SET body = 'other' WHERE kind = 'include'", "text: its texts have another"},
    {"DELETE FROM text WHERE kind = 'spec'", "session: its texts are missing"},
    {"DELETE FROM text WHERE kind <> 'spec'", "job: its texts are missing"},
    // What only a newer hone reads is left to that.
    {"UPDATE result SET format = 99, body = x'00' WHERE sequence = 2", ""},
};
#define DAMAGES ((int)(sizeof damages / sizeof *damages))

START_TEST(test_each_damage_is_found)
{
    const struct damage *d = &damages[_i];
    fill("s.db", 0, 3);
    run_sql("s.db", d->sql);
    char *found = problems_of("s.db");
    if (*d->problem)
        ck_assert_msg(strstr(found, d->problem) != NULL, "%s: %s", d->sql, found);
    else
        ck_assert_str_eq(found, "");
    free(found);
}
END_TEST

// Beyond the size up to which opening reads the whole file.
START_TEST(test_damaged_page_is_found)
{
    struct error e = ERROR_INIT;
    struct text found = TEXT_INIT;
    struct store_checked checked;
    struct store *s = store_make("s.db");
    begin(s, "scale.json");
    for (unsigned i = 0; i < 40; i++) {
        struct result *r = result_make(i);
        char *log = arena_alloc(&r->arena, 200000);
        memset(log, 'x', 199999);
        r->log = log;
        put_result(s, i, &test_policy, r);
    }
    store_close(s);
    run_sql("s.db", "PRAGMA journal_mode = DELETE");
    FILE *f = fopen("s.db", "r+b");
    static const char noise[8192] = {1, 2, 3};
    ck_assert(f && fseek(f, 4096 * 900, SEEK_SET) == 0 && fwrite(noise, sizeof noise, 1, f) == 1);
    fclose(f);
    s = store_open("s.db", STORE_READ, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    ck_assert_msg(store_verify(s, keep_problem, &found, &checked, &e), "%s", e.text);
    ck_assert_uint_gt(checked.problems, 0);
    store_close(s);
    text_release(&found);
}
END_TEST

// ---- importing ----------------------------------------------------------------------------------

static bool import(const char *into, const char *file, struct store_imported *out, struct error *e)
{
    const char *files[] = {file};
    error_clear(e);
    return store_import(into, files, 1, out, e);
}

START_TEST(test_import_is_a_union)
{
    struct error e = ERROR_INIT;
    struct store_imported counts[2];
    const char *both[] = {"b.db", "c.db"};
    fill("a.db", 0, 3);
    fill("b.db", 2, 4); // job 2 was measured in both
    fill("c.db", 100, 1);
    ck_assert_msg(store_import("a.db", both, 2, counts, &e), "%s", e.text);
    ck_assert_uint_eq(counts[0].results, 4);
    ck_assert_uint_eq(counts[0].added, 4);
    ck_assert_uint_eq(counts[1].added, 1);
    ck_assert_int_eq(results("a.db"), 8);
    ck_assert_int_eq(ask("a.db", "SELECT count(*) FROM job"), 7);
    ck_assert_int_eq(ask("a.db", "SELECT count(*) FROM session"), 3);
    ck_assert_msg(store_import("a.db", both, 2, counts, &e), "%s", e.text);
    ck_assert_uint_eq(counts[0].added + counts[1].added, 0);
    ck_assert_int_eq(results("a.db"), 8);
    ck_assert_int_eq(results("b.db"), 4);
    char *found = problems_of("a.db");
    ck_assert_str_eq(found, "");
    free(found);
}
END_TEST

START_TEST(test_import_makes_a_store)
{
    struct error e = ERROR_INIT;
    struct store_imported counts;
    fill("b.db", 0, 2);
    ck_assert_msg(import("new/a.db", "b.db", &counts, &e), "%s", e.text);
    ck_assert_int_eq(results("new/a.db"), 2);
}
END_TEST

START_TEST(test_import_of_itself_is_refused)
{
    struct error e = ERROR_INIT;
    struct store_imported counts;
    fill("a.db", 0, 1);
    ck_assert_int_eq(symlink("a.db", "link.db"), 0);
    ck_assert(!import("a.db", "./a.db", &counts, &e));
    ck_assert_int_eq(e.code, ERROR_USAGE);
    ck_assert(!import("a.db", "link.db", &counts, &e));
    ck_assert(!import("link.db", "a.db", &counts, &e));
    ck_assert_int_eq(results("a.db"), 1);
}
END_TEST

// The good file before the bad one is not imported either, and no store is made for them.
START_TEST(test_import_is_whole_or_not_at_all)
{
    static const struct {
        const char *sql, *says;
    } bad[] = {
        {"PRAGMA application_id = 7", "another program"},
        {"PRAGMA user_version = 99", "newer hone"},
        {"UPDATE result SET body = x'00'", "nothing was imported"},
        {"DELETE FROM job", "its job is missing"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error e = ERROR_INIT;
        struct store_imported counts[2];
        const char *both[] = {"good.db", "bad.db"};
        unlink("bad.db");
        fill("good.db", 0, 1);
        fill("bad.db", 5, 1);
        run_sql("bad.db", bad[i].sql);
        ck_assert(!store_import("a.db", both, 2, counts, &e));
        ck_assert_msg(strstr(e.text, bad[i].says) && strstr(e.text, "bad.db"), "%s", e.text);
        ck_assert_int_ne(access("a.db", F_OK), 0);
    }
}
END_TEST

// A killed process left its log: what is in it is imported too.
START_TEST(test_import_reads_a_log)
{
    struct error e = ERROR_INIT;
    struct store_imported counts;
    pid_t child = fork();
    if (child == 0) {
        struct store *s = store_make("b.db");
        begin(s, "scale.json");
        put(s, 1);
        put(s, 2);
        raise(SIGKILL);
    }
    waitpid(child, NULL, 0);
    ck_assert_int_eq(access("b.db-wal", F_OK), 0);
    ck_assert_msg(import("a.db", "b.db", &counts, &e), "%s", e.text);
    ck_assert_uint_eq(counts.added, 2);
}
END_TEST

// ---- pruning ------------------------------------------------------------------------------------

static uint64_t prune(const char *path, const struct store_prune *what, bool dry)
{
    struct error e = ERROR_INIT;
    struct store_pruned pruned;
    struct store *s = store_make(path);
    ck_assert_msg(store_prune(s, what, dry, &pruned, &e), "%s", e.text);
    store_close(s);
    return pruned.results;
}

static struct result *stopped(enum stop_reason stop, uint32_t samples)
{
    struct result *r = result_make(1);
    r->stop = stop;
    r->sample_count = samples;
    return r;
}

static struct result *failed(enum status status)
{
    struct result *r = result_new();
    result_fail(r, status, FAULT_CONFIGURATION, "it failed");
    return r;
}

// Two results of one job, and whether the newer replaces the older.
static const struct replacement {
    const char *what;
    enum stop_reason first, second; // STOP_NONE: it failed to compile
    uint32_t first_samples, second_samples;
    bool cold; // the second
    bool replaces;
    bool fixed; // both are of a fixed count
} replacements[] = {
    {"as many", STOP_SETTLED, STOP_SETTLED, 3, 3, false, true, false},
    {"more", STOP_SETTLED, STOP_RANKED, 3, 7, false, true, false},
    {"fewer", STOP_RANKED, STOP_SETTLED, 7, 3, false, false, false},
    {"ranked decide together", STOP_RANKED, STOP_RANKED, 3, 7, false, false, false},
    {"cold after warm", STOP_SETTLED, STOP_SETTLED, 3, 3, true, false, false},
    {"stopped early, then not", STOP_HOPELESS, STOP_SETTLED, 1, 3, false, true, false},
    {"stopped early after settled", STOP_SETTLED, STOP_HOPELESS, 1, 1, false, false, false},
    {"failed, now correct", STOP_NONE, STOP_SETTLED, 0, 3, false, true, false},
    {"correct, now failed", STOP_SETTLED, STOP_NONE, 3, 0, false, false, false},
    {"failed twice", STOP_NONE, STOP_NONE, 0, 0, false, true, false},
    {"fixed counts add up", STOP_FIXED, STOP_FIXED, 2, 3, false, false, true},
};
#define REPLACEMENTS ((int)(sizeof replacements / sizeof *replacements))

START_TEST(test_superseded)
{
    const struct replacement *r = &replacements[_i];
    const struct store_prune superseded = {.superseded = true};
    struct policy policy = test_policy;
    struct store *s = store_make("s.db");
    policy.fixed = r->fixed;
    begin(s, "scale.json");
    put_result(s, 1, &policy,
               r->first ? stopped(r->first, r->first_samples) : failed(STATUS_COMPILE));
    policy.cold = r->cold;
    put_result(s, 1, &policy,
               r->second ? stopped(r->second, r->second_samples) : failed(STATUS_COMPILE));
    put(s, 2);
    store_close(s);
    ck_assert_msg(prune("s.db", &superseded, true) == r->replaces, "%s", r->what);
    ck_assert_int_eq(results("s.db"), 3);
    ck_assert_msg(prune("s.db", &superseded, false) == r->replaces, "%s", r->what);
    ck_assert_int_eq(results("s.db"), 3 - r->replaces);
    ck_assert_int_eq(ask("s.db", "SELECT min(sequence) FROM result"), r->replaces ? 2 : 1);
}
END_TEST

START_TEST(test_filters_hold_together)
{
    const struct store_prune other_spec = {.spec = "other.json"};
    const struct store_prune device = {.device = "processor 9000"};
    const struct store_prune none = {.device = "processor 9000", .before = "2020-01-01"};
    const struct store_prune earlier = {.superseded = true};
    fill("s.db", 0, 3);
    ck_assert_uint_eq(prune("s.db", &other_spec, false), 0);
    ck_assert_uint_eq(prune("s.db", &none, false), 0);
    run_sql("s.db", "UPDATE job SET measuring_version = 0 WHERE rowid = 2");
    ck_assert_uint_eq(prune("s.db", &earlier, false), 1);
    ck_assert_int_eq(ask("s.db", "SELECT count(*) FROM job"), 2);
    ck_assert_int_gt(ask("s.db", "SELECT count(*) FROM text"), 0);
    ck_assert_uint_eq(prune("s.db", &device, false), 2);
    // Nothing is left that nothing names.
    ck_assert_int_eq(ask("s.db", "SELECT (SELECT count(*) FROM text) + (SELECT count(*) FROM job) "
                                 "+ (SELECT count(*) FROM session)"),
                     0);
    ck_assert_int_eq(ask("s.db", "PRAGMA application_id"), STORE_APPLICATION_ID);
    char *found = problems_of("s.db");
    ck_assert_str_eq(found, "");
    free(found);
}
END_TEST

// Its session, job and texts are gone: the next result brings them again.
START_TEST(test_writer_whose_rows_were_pruned)
{
    const struct store_prune all = {.before = "9999"};
    struct store *s = store_make("s.db");
    begin(s, "scale.json");
    put(s, 1);
    ck_assert_uint_eq(prune("s.db", &all, false), 1);
    put(s, 1);
    put(s, 2);
    store_close(s);
    ck_assert_int_eq(results("s.db"), 2);
    char *found = problems_of("s.db");
    ck_assert_str_eq(found, "");
    free(found);
}
END_TEST

// ---- summary ------------------------------------------------------------------------------------

START_TEST(test_summary)
{
    struct error e = ERROR_INIT;
    struct arena a;
    struct store_summary sum;
    struct store *s = store_make("s.db");
    begin(s, "scale.json");
    put(s, 1);
    put(s, 1);
    put_result(s, 2, &test_policy, failed(STATUS_TIMEOUT));
    begin(s, "other.json");
    put(s, 1);
    arena_init(&a);
    ck_assert_msg(store_summarise(s, &a, &sum, &e), "%s", e.text);
    ck_assert_uint_eq(sum.results, 4);
    ck_assert_uint_eq(sum.jobs, 2);
    ck_assert_uint_eq(sum.sessions, 2);
    ck_assert_uint_eq(sum.by_status[STATUS_CORRECT], 3);
    ck_assert_uint_eq(sum.by_status[STATUS_TIMEOUT], 1);
    ck_assert_uint_eq(sum.earlier, 0);
    ck_assert_uint_eq(sum.spec_count, 2);
    ck_assert_str_eq(sum.specs[1].name, "scale.json");
    ck_assert_uint_eq(sum.specs[1].configurations, 2);
    ck_assert_uint_eq(sum.specs[1].results, 3);
    ck_assert_uint_eq(sum.specs[1].correct, 2);
    ck_assert_uint_eq(sum.device_count, 1);
    ck_assert_str_eq(sum.devices[0].name, "Test Processor 9000");
    ck_assert_uint_eq(sum.devices[0].results, 4);
    ck_assert(strcmp(sum.oldest, sum.newest) <= 0);
    ck_assert_uint_gt(sum.file_bytes, 4096);
    arena_release(&a);
    store_close(s);
}
END_TEST

// ---- stores behind ------------------------------------------------------------------------------

static struct store *stack_of(const char *own, const char *behind)
{
    struct error e = ERROR_INIT;
    struct store *other = store_open(behind, STORE_READ, &e);
    ck_assert_msg(other != NULL, "%s", e.text);
    return store_stack(own ? store_make(own) : NULL, other);
}

static const char *origin_of(struct store *s, unsigned job)
{
    static char origin[64];
    struct error e = ERROR_INIT;
    struct digest key;
    key_of(job, &key);
    struct result *r = find_one(s, &key, &e);
    ck_assert_msg(e.code == ERROR_NONE, "%s", e.text);
    snprintf(origin, sizeof origin, "%s", !r ? "nowhere" : r->origin ? r->origin : "own");
    result_free(r);
    return origin;
}

START_TEST(test_stores_behind_answer)
{
    struct error e = ERROR_INIT;
    fill("a.db", 0, 2);
    fill("b.db", 1, 2);
    fill("c.db", 2, 2);
    struct store *s = stack_of("a.db", "b.db");
    s = store_stack(s, store_open("c.db", STORE_READ, &e));
    ck_assert_str_eq(origin_of(s, 0), "own");
    ck_assert_str_eq(origin_of(s, 1), "own");
    ck_assert_str_eq(origin_of(s, 2), "b.db");
    ck_assert_str_eq(origin_of(s, 3), "c.db");
    ck_assert_str_eq(origin_of(s, 4), "nowhere");
    begin(s, "scale.json");
    put(s, 3); // goes to the own store
    ck_assert_str_eq(origin_of(s, 3), "own");
    store_close(s);
    ck_assert_int_eq(results("a.db"), 3);
    ck_assert_int_eq(results("b.db"), 2);
}
END_TEST

static bool list_row(void *context, const struct store_row *row)
{
    const char *origin = row->result->origin;
    text_addf(context, "%s %s\n", row->configuration, origin ? origin : "own");
    return true;
}

// Newest first, the own store's before those behind it, what is in both once.
START_TEST(test_walk_over_a_stack)
{
    struct error e = ERROR_INIT;
    struct store_query all = {0};
    struct store_imported counts;
    struct text rows = TEXT_INIT;
    fill("a.db", 1, 1);
    fill("b.db", 2, 1);
    ck_assert(import("a.db", "b.db", &counts, &e));
    fill("b.db", 3, 1);
    fill("a.db", 4, 1);
    struct store *s = stack_of("a.db", "b.db");
    ck_assert_msg(store_each(s, &all, list_row, &rows, &e), "%s", e.text);
    store_close(s);
    ck_assert_str_eq(text_cstr(&rows), "block=4 own\nblock=2 own\nblock=1 own\nblock=3 b.db\n");
    text_release(&rows);
    // Without a store of one's own.
    s = stack_of(NULL, "b.db");
    ck_assert_str_eq(origin_of(s, 2), "b.db");
    store_close(s);
}
END_TEST

// ---- which is the newest ------------------------------------------------------------------------

// Configurations and the first sample of each, newest first.
static bool list_samples(void *context, const struct store_row *row)
{
    text_addf(context, "%s: %llu\n", row->configuration,
              (unsigned long long)row->result->samples_ns[3]);
    return true;
}

static void check_order(const char *path, enum store_mode mode, const char *wanted)
{
    struct error e = ERROR_INIT;
    struct store_query all = {0};
    struct text rows = TEXT_INIT;
    struct store *s = store_open(path, mode, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    ck_assert_msg(store_each(s, &all, list_samples, &rows, &e), "%s", e.text);
    store_close(s);
    ck_assert_str_eq(text_cstr(&rows), wanted);
    text_release(&rows);
}

// Measures job 0 again; what answers then is that.
static void check_fresh_answers(const char *path, unsigned sample)
{
    struct error e = ERROR_INIT;
    struct digest key;
    struct store *s = store_make(path);
    begin(s, "scale.json");
    put_result(s, 0, &test_policy, result_make(sample));
    key_of(0, &key);
    struct result *r = find_one(s, &key, &e);
    ck_assert_msg(r && r->samples_ns[3] == 1000 + sample, "%s", r ? "an older one" : e.text);
    result_free(r);
    store_close(s);
}

START_TEST(test_the_clock_decides_nothing)
{
    struct error e = ERROR_INIT;
    struct store_imported counts;
    struct store_prune superseded = {.superseded = true};
    struct store_pruned pruned;
    fill("a.db", 0, 2);
    run_sql("a.db", "UPDATE result SET date = '2040-01-01T00:00:00.000Z'");
    check_fresh_answers("a.db", 7);
    check_order("a.db", STORE_READ, "block=0: 1007\nblock=1: 1001\nblock=0: 1000\n");
    // So it is after importing, and what is measured there is newer than all.
    ck_assert_msg(import("b.db", "a.db", &counts, &e), "%s", e.text);
    check_order("b.db", STORE_READ, "block=0: 1007\nblock=1: 1001\nblock=0: 1000\n");
    check_fresh_answers("b.db", 8);
    struct store *s = store_make("b.db");
    ck_assert_msg(store_prune(s, &superseded, false, &pruned, &e), "%s", e.text);
    store_close(s);
    check_order("b.db", STORE_READ, "block=0: 1008\nblock=1: 1001\n");
    check_whole("b.db");
}
END_TEST

// Of equal numbers the later date, then the higher id, whichever was imported first.
START_TEST(test_order_of_a_union)
{
    struct error e = ERROR_INIT;
    struct store_imported counts;
    fill("a.db", 0, 3);
    fill("b.db", 5, 2);
    run_sql("a.db", "UPDATE result SET date = '2026-01-01T00:00:00.000Z', "
                    "id = CAST(zeroblob(15) || x'02' AS BLOB) WHERE sequence = 1");
    run_sql("b.db", "UPDATE result SET date = '2026-01-01T00:00:00.000Z', "
                    "id = CAST(zeroblob(15) || x'01' AS BLOB) WHERE sequence = 1");
    run_sql("a.db", "UPDATE result SET date = '2020-01-01T00:00:00.000Z' WHERE sequence = 2");
    static const char wanted[] = "block=2: 1002\nblock=6: 1006\nblock=1: 1001\nblock=0: 1000\n"
                                 "block=5: 1005\n";
    ck_assert(import("x.db", "a.db", &counts, &e) && import("x.db", "b.db", &counts, &e));
    ck_assert(import("y.db", "b.db", &counts, &e) && import("y.db", "a.db", &counts, &e));
    check_order("x.db", STORE_READ, wanted);
    check_order("y.db", STORE_IMMUTABLE, wanted);
    ck_assert(import("a.db", "b.db", &counts, &e));
    check_order("a.db", STORE_READ, wanted);
    check_fresh_answers("y.db", 9);
}
END_TEST

// A log as it stood before version 3: in the body.
static void put_log_into_body(sqlite3 *db, sqlite3_stmt *row)
{
    struct error e = ERROR_INIT;
    struct text body = TEXT_INIT;
    struct wire w;
    sqlite3_stmt *update;
    struct result *r =
        result_decode(sqlite3_column_blob(row, 1), (size_t)sqlite3_column_bytes(row, 1), &e);
    ck_assert_msg(r != NULL, "%s", e.text);
    r->log = (const char *)sqlite3_column_text(row, 2);
    wire_writer(&w, &body);
    result_codec(&w, r);
    ck_assert_int_eq(sqlite3_prepare_v2(db, "UPDATE main.result SET body = ?1 WHERE sequence = ?2",
                                        -1, &update, NULL),
                     SQLITE_OK);
    sqlite3_bind_blob64(update, 1, body.data, body.length, SQLITE_STATIC);
    sqlite3_bind_value(update, 2, sqlite3_column_value(row, 0));
    ck_assert_int_eq(sqlite3_step(update), SQLITE_DONE);
    sqlite3_finalize(update);
    result_free(r);
    text_release(&body);
}

// The rows of a store of today in one of an earlier version.
static void make_version(const char *path, const char *from, int version)
{
    char sql[4096], columns[1024];
    sqlite3 *db;
    sqlite3_stmt *row;
    snprintf(columns, sizeof columns, "%s%s",
             "sequence, id, job, session, date, status, fault, verification, stop, median_ns, "
             "sample_count, samples_ns, batch, limit_ns, message, policy_launches, policy_batch, "
             "policy_hopeless_ns, policy_budget_ns, policy_launch_limit_ns, "
             "policy_build_limit_ns, policy_cold, policy_fixed, format, body",
             version > 1 ? ", number, unseen" : "");
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    ck_assert(schema_raise(db, 0, version));
    snprintf(sql, sizeof sql,
             "ATTACH '%s' AS today; INSERT INTO text SELECT * FROM today.text; INSERT INTO job "
             "SELECT * FROM today.job; INSERT INTO session SELECT * FROM today.session; "
             "INSERT INTO result (%s) SELECT %s FROM today.result",
             from, columns, columns);
    ck_assert_msg(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK, "%s", sqlite3_errmsg(db));
    ck_assert_int_eq(
        sqlite3_prepare_v2(db, "SELECT sequence, body, log FROM today.result WHERE log IS NOT NULL",
                           -1, &row, NULL),
        SQLITE_OK);
    while (sqlite3_step(row) == SQLITE_ROW)
        put_log_into_body(db, row);
    sqlite3_finalize(row);
    sqlite3_close(db);
}

static bool list_logs(void *context, const struct store_row *row)
{
    text_addf(context, "%s: %s\n", row->configuration, row->result->log);
    return true;
}

static void check_logs(const char *path, enum store_mode mode, const char *wanted)
{
    struct error e = ERROR_INIT;
    for (int with = 0; with < 2; with++) {
        const struct store_query q = {.logs = with};
        struct text rows = TEXT_INIT;
        struct store *s = store_open(path, mode, &e);
        ck_assert_msg(s != NULL, "%s", e.text);
        ck_assert_msg(store_each(s, &q, list_logs, &rows, &e), "%s", e.text);
        store_close(s);
        ck_assert_str_eq(text_cstr(&rows),
                         with ? wanted : "block=0: \nblock=2: \nblock=1: \nblock=0: \n");
        text_release(&rows);
    }
}

// A store of an earlier hone is read as it is, also where it may not be changed, and raised by who
// opens it for writing. Its logs leave the bodies then.
START_TEST(test_stores_of_earlier_versions)
{
    struct error e = ERROR_INIT;
    struct store_imported counts;
    static const char wanted[] = "block=0: 1007\nblock=2: 1002\nblock=1: 1001\nblock=0: 1000\n";
    static const char logs[] = "block=0: \nblock=2: two warnings\nblock=1: \nblock=0: \n";
    fill("today.db", 0, 2);
    struct store *s = store_make("today.db");
    begin(s, "scale.json");
    struct result *r = result_make(2);
    r->log = "two warnings";
    put_result(s, 2, &test_policy, r);
    store_close(s);
    run_sql("today.db", "UPDATE result SET date = '2040-01-01T00:00:00.000Z'");
    check_fresh_answers("today.db", 7);
    check_logs("today.db", STORE_READ, logs);
    make_version("old.db", "today.db", _i);
    check_order("old.db", STORE_IMMUTABLE, wanted);
    check_logs("old.db", STORE_IMMUTABLE, logs);
    check_order("old.db", STORE_READ, wanted);
    check_logs("old.db", STORE_READ, logs);
    check_whole("old.db");
    ck_assert_msg(import("new.db", "old.db", &counts, &e), "%s", e.text);
    ck_assert_int_eq(ask("old.db", "PRAGMA user_version"), _i);
    check_order("new.db", STORE_READ, wanted);
    check_logs("new.db", STORE_READ, logs);
    check_whole("new.db");
    long long whole = ask("old.db", "SELECT sum(length(body)) FROM result");
    ck_assert_int_eq(ask("new.db", "SELECT sum(length(body)) FROM result"),
                     whole - (long long)strlen("two warnings"));
    check_fresh_answers("old.db", 8);
    ck_assert_int_eq(ask("old.db", "PRAGMA user_version"), STORE_SCHEMA_VERSION);
    ck_assert_int_eq(ask("old.db", "PRAGMA page_size"), 1024);
    static const char raised[] =
        "block=0: 1008\nblock=0: 1007\nblock=2: 1002\nblock=1: 1001\nblock=0: 1000\n";
    check_order("old.db", STORE_READ, raised);
    check_whole("old.db");
    ck_assert_int_eq(ask("old.db", "SELECT count(*) FROM result WHERE log = 'two warnings'"), 1);
    // It is then as one that was made today, to the tables' texts.
    check_order("old.db", STORE_WRITE, raised);
}
END_TEST

// What hone could not see the sources of answers its own run alone.
START_TEST(test_unseen_answers_its_own_run)
{
    struct error e = ERROR_INIT;
    struct digest key;
    struct store *s = store_make("a.db");
    begin(s, "scale.json");
    put(s, 0);
    run_sql("a.db", "UPDATE result SET unseen = 1");
    key_of(0, &key);
    struct result *r = find_one(s, &key, &e);
    ck_assert_ptr_nonnull(r);
    result_free(r);
    begin(s, "scale.json"); // another session of the same run
    r = find_one(s, &key, &e);
    ck_assert_ptr_nonnull(r);
    result_free(r);
    store_close(s);
    check_order("a.db", STORE_READ, "");
    s = store_make("a.db");
    begin(s, "scale.json");
    ck_assert_ptr_null(find_one(s, &key, &e));
    store_reuse_unseen(s);
    r = find_one(s, &key, &e);
    ck_assert_ptr_nonnull(r);
    result_free(r);
    // A list of what is there has it; behind another store it is as unseen.
    struct text rows = TEXT_INIT;
    struct store_query all = {.all_runs = true};
    store_close(s);
    s = store_stack(store_make("b.db"), store_open("a.db", STORE_READ, &e));
    ck_assert_ptr_null(find_one(s, &key, &e));
    ck_assert(store_each(s, &all, list_samples, &rows, &e));
    ck_assert_str_eq(text_cstr(&rows), "block=0: 1000\n");
    text_release(&rows);
    store_close(s);
}
END_TEST

// ---- while others write -------------------------------------------------------------------------

#define WRITTEN 300

static pid_t start_writer(void)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    struct store *s = store_make("a.db");
    begin(s, "scale.json");
    for (unsigned i = 0; i < WRITTEN; i++)
        put(s, 1000 + i);
    store_close(s);
    _exit(0);
}

START_TEST(test_upkeep_beside_a_writer)
{
    const struct store_prune old = {.before = "2020-01-01"}, superseded = {.superseded = true};
    struct store_imported counts;
    struct error e = ERROR_INIT;
    int status = -1;
    fill("a.db", 0, 2);
    fill("b.db", 10, 5);
    pid_t writer = start_writer();
    do {
        ck_assert_msg(import("a.db", "b.db", &counts, &e), "%s", e.text);
        ck_assert_uint_eq(prune("a.db", &old, false), 0);
        prune("a.db", &superseded, false);
        char *found = problems_of("a.db");
        ck_assert_str_eq(found, "");
        free(found);
    } while (waitpid(writer, &status, WNOHANG) == 0);
    ck_assert_int_eq(status, 0);
    ck_assert_int_eq(results("a.db"), 2 + 5 + WRITTEN);
}
END_TEST

static void tests_add(TCase *t)
{
    tcase_add_loop_test(t, test_each_damage_is_found, 0, DAMAGES);
    tcase_add_test(t, test_damaged_page_is_found);
    tcase_add_test(t, test_import_is_a_union);
    tcase_add_test(t, test_import_makes_a_store);
    tcase_add_test(t, test_import_of_itself_is_refused);
    tcase_add_test(t, test_import_is_whole_or_not_at_all);
    tcase_add_test(t, test_import_reads_a_log);
    tcase_add_loop_test(t, test_superseded, 0, REPLACEMENTS);
    tcase_add_test(t, test_filters_hold_together);
    tcase_add_test(t, test_writer_whose_rows_were_pruned);
    tcase_add_test(t, test_summary);
    tcase_add_test(t, test_stores_behind_answer);
    tcase_add_test(t, test_walk_over_a_stack);
    tcase_add_test(t, test_the_clock_decides_nothing);
    tcase_add_test(t, test_order_of_a_union);
    tcase_add_loop_test(t, test_stores_of_earlier_versions, 1, STORE_SCHEMA_VERSION);
    tcase_add_test(t, test_unseen_answers_its_own_run);
    tcase_add_test(t, test_upkeep_beside_a_writer);
}

int main(void)
{
    return store_suite_run("store upkeep", tests_add);
}
