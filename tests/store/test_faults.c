// Every call that SQLite makes of the file system fails once, one after the other, and then once
// with all that follow: what was reported as done is there afterwards, what was not is reported
// with the file's name, and the store is whole.

#include "../base/suite.h"
#include "faults.h"
#include "fixture.h"

#include "store/database.h"
#include "store/upkeep.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define RESULTS    3
#define CALLS_MOST 20000 // more than any scenario makes: then the loop does not end

// How calls fail in one run of a test: once or for good. Each is tried with a broken disk and,
// where that made a write fail, with a full one: elsewhere it is the same.
static const bool ways[] = {false, true};
#define WAYS ((int)(sizeof ways / sizeof *ways))

// Under a sanitizer every fourth call.
#define STEP (SUITE_SANITIZED ? 4 : 1)

// The calls of a scenario, one after the other: `at` is the one that fails, and how.
struct turn {
    unsigned at;
    bool lasting, full;
};

// The next, after one that `was` done; false: the one before met no fault any more, and that was
// the last.
static bool next_turn(struct turn *t, struct faults_met was)
{
    if (t->at > 0 && !was.any)
        return false;
    t->full = was.write && !t->full;
    if (t->at == 0)
        t->at = t->lasting ? STEP : 1;
    else if (!t->full)
        t->at += STEP;
    ck_assert_uint_lt(t->at, CALLS_MOST);
    return true;
}

static void forget(const char *path)
{
    char name[64];
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        snprintf(name, sizeof name, "%s%s", path, suffixes[i]);
        unlink(name);
    }
}

static void is_named(const struct error *e)
{
    ck_assert_int_ne(e->code, ERROR_NONE);
    bool named = e->code == ERROR_MEMORY || strstr(e->text, "a.db") || strstr(e->text, "b.db");
    ck_assert_msg(named, "no file in: %s", e->text);
}

static void no_problem(void *context, const struct store_problem *p)
{
    (void)context;
    ck_abort_msg("%s %s: %s", p->table, p->row, p->what);
}

// Without faults: the store opens, every row is right. The number of results.
static uint64_t look_afterwards(void)
{
    struct error e = ERROR_INIT;
    struct store_checked checked;
    struct store *s = store_make("a.db");
    ck_assert_msg(store_verify(s, no_problem, NULL, &checked, &e), "%s", e.text);
    store_close(s);
    return checked.results;
}

// ---- opening, writing, reading ------------------------------------------------------------------

static bool count_one(void *context, const struct store_row *row)
{
    unsigned *count = context;
    *count += row->result != NULL;
    return true;
}

static void read_all(struct store *s, const bool *written)
{
    unsigned rows = 0, expected = 0;
    struct store_query all = {0};
    struct error e = ERROR_INIT;
    for (unsigned i = 0; i < RESULTS; i++) {
        struct digest key;
        key_of(i, &key);
        struct result *r = find_one(s, &key, &e);
        if (e.code)
            is_named(&e);
        else
            ck_assert((r != NULL) == written[i]);
        result_free(r);
        error_clear(&e);
        expected += written[i];
    }
    if (store_each(s, &all, count_one, &rows, &e))
        ck_assert_uint_eq(rows, expected);
    else
        is_named(&e);
}

static void write_and_read(enum place place, bool *written)
{
    struct error e = ERROR_INIT;
    memset(written, 0, RESULTS * sizeof *written);
    struct store *s = store_open_at("a.db", STORE_WRITE, place, &e);
    if (!s) {
        is_named(&e);
        return;
    }
    begin(s, "scale.json");
    for (unsigned i = 0; i < RESULTS; i++) {
        error_clear(&e);
        written[i] = put_quietly(s, i, &e);
        if (!written[i])
            is_named(&e);
    }
    read_all(s, written);
    store_close(s);
}

static void writing_survives(enum place place, bool lasting)
{
    bool written[RESULTS];
    struct turn turn = {.lasting = lasting};
    struct faults_met met = {0};
    while (next_turn(&turn, met)) {
        forget("a.db");
        faults_set(turn.at, turn.lasting, turn.full ? FAULT_FULL : FAULT_DISK);
        write_and_read(place, written);
        met = faults_end();
        uint64_t count = look_afterwards(), reported = 0;
        struct store *s = store_make("a.db");
        for (unsigned i = 0; i < RESULTS; i++) {
            struct error e = ERROR_INIT;
            struct digest key;
            key_of(i, &key);
            struct result *r = find_one(s, &key, &e);
            ck_assert_msg(r || !written[i], "call %u: result %u is lost", turn.at, i);
            result_free(r);
            reported += written[i];
        }
        store_close(s);
        ck_assert_uint_ge(count, reported);
    }
    ck_assert_msg(written[0] && written[1] && written[2], "without a fault all is written");
    ck_assert_uint_gt(turn.at, 20);
}

START_TEST(test_writing_with_a_log)
{
    faults_install();
    writing_survives(PLACE_LOCAL, ways[_i]);
}
END_TEST

START_TEST(test_writing_with_a_journal)
{
    faults_install();
    writing_survives(PLACE_SHARED, ways[_i]);
}
END_TEST

// ---- importing and pruning ----------------------------------------------------------------------

// A store with results of its own, made once: each turn begins with a copy.
static void fill(const char *path, unsigned from, struct text *copy)
{
    struct error e = ERROR_INIT;
    struct store *s = store_make(path);
    begin(s, "scale.json");
    for (unsigned i = 0; i < RESULTS; i++)
        put(s, from + i);
    store_close(s); // and with it the log, so that the file is all there is
    ck_assert_msg(file_read(path, 0, copy, &e), "%s", e.text);
}

static void fill_again(const char *path, const struct text *copy)
{
    forget(path);
    FILE *f = fopen(path, "wb");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(text_cstr(copy), 1, copy->length, f), copy->length);
    ck_assert_int_eq(fclose(f), 0);
}

START_TEST(test_importing)
{
    const char *files[] = {"b.db"};
    struct store_imported counts;
    bool ok = false;
    struct turn turn = {.lasting = ways[_i]};
    struct faults_met met = {0};
    struct text a = TEXT_INIT, b = TEXT_INIT;
    faults_install();
    fill("a.db", 0, &a);
    fill("b.db", 10, &b);
    while (next_turn(&turn, met)) {
        struct error e = ERROR_INIT;
        fill_again("a.db", &a);
        fill_again("b.db", &b);
        faults_set(turn.at, turn.lasting, turn.full ? FAULT_FULL : FAULT_DISK);
        ok = store_import("a.db", files, 1, &counts, &e);
        met = faults_end();
        if (!ok)
            is_named(&e);
        uint64_t count = look_afterwards();
        ck_assert_msg(count == 2 * RESULTS || (!ok && count == RESULTS), "call %u: %d of %d",
                      turn.at, (int)count, 2 * RESULTS);
    }
    ck_assert(ok);
    ck_assert_uint_eq(counts.added, RESULTS);
    ck_assert_uint_gt(turn.at, 20);
    text_release(&a);
    text_release(&b);
}
END_TEST

// All or nothing; that the space could not be given back is told, and all are gone then.
START_TEST(test_pruning)
{
    const struct store_prune all = {.before = "9999"};
    bool ok = false;
    struct turn turn = {.lasting = ways[_i]};
    struct faults_met met = {0};
    struct text a = TEXT_INIT;
    faults_install();
    fill("a.db", 0, &a);
    while (next_turn(&turn, met)) {
        struct error e = ERROR_INIT;
        struct store_pruned pruned;
        fill_again("a.db", &a);
        faults_set(turn.at, turn.lasting, turn.full ? FAULT_FULL : FAULT_DISK);
        struct store *s = store_open("a.db", STORE_WRITE, &e);
        ok = s && store_prune(s, &all, false, &pruned, &e);
        store_close(s);
        met = faults_end();
        if (!ok)
            is_named(&e);
        uint64_t count = look_afterwards();
        ck_assert_msg(count == 0 || (!ok && count == RESULTS), "call %u: %d left", turn.at,
                      (int)count);
    }
    ck_assert(ok);
    ck_assert_uint_gt(turn.at, 20);
    text_release(&a);
}
END_TEST

// ---- checking -----------------------------------------------------------------------------------

// Opened or verified while a read fails: that is no damage, whichever page it was.
static void check_with_fault(unsigned at, enum file_fault kind, bool verify)
{
    struct error e = ERROR_INIT;
    struct store_checked checked;
    if (!verify)
        faults_set(at, false, kind);
    struct store *s = store_open("a.db", STORE_READ, &e);
    if (verify) {
        ck_assert_msg(s != NULL, "%s", e.text);
        sqlite3_db_release_memory(s->db);
        faults_set(at, false, kind);
    }
    bool ok = s && (!verify || store_verify(s, no_problem, NULL, &checked, &e));
    if (!ok && kind == FAULT_MEMORY)
        ck_assert_msg(e.code == ERROR_MEMORY, "call %u: %s", at, e.text);
    else if (!ok)
        ck_assert_msg(!strstr(e.text, "damaged"), "call %u: %s", at, e.text);
    store_close(s);
}

// With texts that do not fit on a page: SQLite's check drops the reason why it has not read one of
// the pages that they go on on.
START_TEST(test_a_failing_read_is_no_damage)
{
    static const struct {
        enum file_fault kind;
        bool verify;
    } cases[] = {
        {FAULT_DISK, false}, {FAULT_DISK, true}, {FAULT_MEMORY, false}, {FAULT_MEMORY, true}};
    unsigned at = 0;
    struct faults_met met = {.any = true};
    struct text log = TEXT_INIT;
    struct result *r = result_make(1);
    faults_install();
    for (int i = 0; i < 2000; i++)
        text_add(&log, "a warning ");
    r->log = text_cstr(&log);
    struct store *s = store_make("a.db");
    begin(s, "scale.json");
    put_result(s, 1, &test_policy, r);
    store_close(s);
    while (met.any) {
        check_with_fault(++at, cases[_i].kind, cases[_i].verify);
        met = faults_end();
    }
    ck_assert_uint_gt(at, 20);
    text_release(&log);
}
END_TEST

static void tests_add(TCase *t)
{
    tcase_add_loop_test(t, test_writing_with_a_log, 0, WAYS);
    tcase_add_loop_test(t, test_writing_with_a_journal, 0, WAYS);
    tcase_add_loop_test(t, test_importing, 0, WAYS);
    tcase_add_loop_test(t, test_pruning, 0, WAYS);
    tcase_add_loop_test(t, test_a_failing_read_is_no_damage, 0, 4);
}

int main(void)
{
    return store_suite_run("store faults", tests_add);
}
