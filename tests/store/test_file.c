// The file itself: what is made, what is refused and left untouched, what a full or read-only place
// says, and how it is opened for reading.

#include "base/random.h"
#include "fixture.h"
#include "store/database.h"
#include "store/file.h"
#include "store/upkeep.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- helpers

// Everything of a file that a refusal may not change.
struct snapshot {
    struct text bytes;
    struct stat st;
};

static struct snapshot snapshot_take(const char *path)
{
    struct snapshot s = {.bytes = TEXT_INIT};
    ck_assert(file_read(path, 0, &s.bytes, NULL));
    ck_assert_int_eq(stat(path, &s.st), 0);
    return s;
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static bool same_bytes(const struct snapshot *a, const struct snapshot *b)
{
    return a->bytes.length == b->bytes.length &&
           memcmp(a->bytes.data, b->bytes.data, a->bytes.length) == 0 &&
           a->st.st_mtim.tv_sec == b->st.st_mtim.tv_sec &&
           a->st.st_mtim.tv_nsec == b->st.st_mtim.tv_nsec;
}

static void check_untouched(const char *path, struct snapshot *before)
{
    struct snapshot now = snapshot_take(path);
    char beside[4200];
    static const char *const suffixes[] = {"-wal", "-shm", "-journal"};
    ck_assert_uint_eq(now.bytes.length, before->bytes.length);
    ck_assert_int_eq(memcmp(now.bytes.data, before->bytes.data, now.bytes.length), 0);
    ck_assert_int_eq(now.st.st_mtim.tv_sec, before->st.st_mtim.tv_sec);
    ck_assert_int_eq(now.st.st_mtim.tv_nsec, before->st.st_mtim.tv_nsec);
    ck_assert_uint_eq(now.st.st_ino, before->st.st_ino);
    for (size_t i = 0; i < 3; i++) {
        snprintf(beside, sizeof beside, "%s%s", path, suffixes[i]);
        ck_assert_msg(!exists(beside), "%s was left behind", beside);
    }
    text_release(&now.bytes);
}

// Refused in every mode, with a text that has `part` in it, and untouched.
static void check_refused(const char *path, const char *part)
{
    static const enum store_mode modes[] = {STORE_WRITE, STORE_READ, STORE_IMMUTABLE};
    struct snapshot before = snapshot_take(path);
    for (size_t i = 0; i < 3; i++) {
        struct error e = ERROR_INIT;
        ck_assert_msg(store_open(path, modes[i], &e) == NULL, "mode %zu opened %s", i, path);
        ck_assert_int_eq(e.code, ERROR_STORE);
        ck_assert_msg(strstr(e.text, part) != NULL, "mode %zu: %s", i, e.text);
        ck_assert_msg(str_starts(e.text, path), "%s", e.text);
        check_untouched(path, &before);
    }
    text_release(&before.bytes);
}

static void check_opens(const char *path, enum store_mode mode, uint64_t results)
{
    struct error e = ERROR_INIT;
    struct store_counts counts;
    struct store *s = store_open(path, mode, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    ck_assert_msg(store_count(s, &counts, &e), "%s", e.text);
    ck_assert_uint_eq(counts.results, results);
    store_close(s);
}

static void check_fails(const char *path, enum store_mode mode, const char *part)
{
    struct error e = ERROR_INIT;
    ck_assert_ptr_null(store_open(path, mode, &e));
    ck_assert_int_eq(e.code, ERROR_STORE);
    ck_assert_msg(strstr(e.text, part) != NULL, "%s", e.text);
}

static void write_file(const char *path, const void *bytes, size_t length)
{
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(bytes, 1, length, f), length);
    ck_assert_int_eq(fclose(f), 0);
}

static void overwrite(const char *path, long offset, const void *bytes, size_t length)
{
    int fd = open(path, O_WRONLY);
    ck_assert_int_eq(pwrite(fd, bytes, length, offset), (ssize_t)length);
    close(fd);
}

static void store_of(const char *path, unsigned results)
{
    struct store *s = store_make(path);
    begin(s, "scale.json");
    for (unsigned i = 0; i < results; i++)
        put(s, i);
    store_close(s);
}

// Runs in a child that then ends; its failed assertions fail the test. 77: it could not be shown.
static int in_child(void (*body)(void))
{
    int status;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        body();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(WIFEXITED(status), "the child died with signal %d", WTERMSIG(status));
    return WEXITSTATUS(status);
}

// In a child assertions of the test library are not heard: say it and fail.
#define CHILD_ASSERT(condition, ...)                                                               \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: ", __LINE__);                                                \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static void run_in_child(const char *what, void (*body)(void))
{
    int status = in_child(body);
    if (status == 77)
        printf("skipped: %s\n", what);
    else
        ck_assert_msg(status == 0, "%s", what);
}

static struct store *child_open(const char *path)
{
    struct error e = ERROR_INIT;
    struct store_session session = {.spec_name = "scale.json"};
    struct store *s = store_open(path, STORE_WRITE, &e);
    CHILD_ASSERT(s && store_begin(s, &session, &e), "%s", e.text);
    return s;
}

// ---- what is made

START_TEST(test_new_store_in_new_folders)
{
    store_of("a/b/c/s.db", 3);
    ck_assert_int_eq(ask("a/b/c/s.db", "PRAGMA application_id"), STORE_APPLICATION_ID);
    ck_assert_int_eq(ask("a/b/c/s.db", "PRAGMA user_version"), STORE_SCHEMA_VERSION);
    ck_assert(!exists("a/b/c/s.db-wal") && !exists("a/b/c/s.db-shm"));
    check_opens("a/b/c/s.db", STORE_WRITE, 3);
    check_opens("a/b/c/s.db", STORE_READ, 3);
    check_opens("a/b/c/s.db", STORE_IMMUTABLE, 3);
}
END_TEST

START_TEST(test_empty_file_is_new)
{
    write_file("s.db", "", 0);
    check_fails("s.db", STORE_READ, "empty file");
    store_of("s.db", 1);
    check_opens("s.db", STORE_READ, 1);
}
END_TEST

START_TEST(test_odd_names)
{
    static const char *const names[] = {":memory:", "a?mode=ro#x%41 b", "file:x.db", "-",
                                        "//tmp/.."};
    for (size_t i = 0; i < 4; i++) {
        store_of(names[i], 1);
        ck_assert(exists(names[i]));
        check_opens(names[i], STORE_READ, 1);
    }
    check_fails(names[4], STORE_WRITE, "a folder");
}
END_TEST

START_TEST(test_through_links)
{
    ck_assert_int_eq(mkdir("real", 0777), 0);
    ck_assert_int_eq(symlink("real/s.db", "link.db"), 0);
    store_of("link.db", 1); // dangling at first
    ck_assert(exists("real/s.db"));
    store_of("link.db", 1);
    check_opens("real/s.db", STORE_READ, 2);
}
END_TEST

// A child that waits for a byte, puts a result and closes the store. Forked before this process
// opens anything: SQLite's notes of locks must not be inherited.
static pid_t writer_waiting(int *go)
{
    int ends[2];
    char byte;
    ck_assert_int_eq(pipe(ends), 0);
    *go = ends[1];
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    CHILD_ASSERT(read(ends[0], &byte, 1) == 1, "no byte");
    struct error e = ERROR_INIT;
    struct store *s = child_open("s.db");
    CHILD_ASSERT(put_quietly(s, 2, &e), "%s", e.text);
    store_close(s);
    _exit(0);
}

START_TEST(test_two_handles_of_one_process)
{
    int go, status;
    pid_t pid = writer_waiting(&go);
    struct store *first = store_make("s.db");
    begin(first, "scale.json");
    put(first, 1);
    // Opening and closing another must not drop the locks of the first: the next process would then
    // close the store as the last one does, and remove the log under its feet.
    store_close(store_make("s.db"));
    ck_assert_int_eq(write(go, "x", 1), 1);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    ck_assert(exists("s.db-wal"));
    put(first, 3);
    store_close(first);
    check_opens("s.db", STORE_READ, 3);
    ck_assert(!exists("s.db-wal"));
}
END_TEST

// ---- what is refused

START_TEST(test_missing_is_no_store_to_read)
{
    check_fails("none.db", STORE_READ, "nothing was measured yet");
    check_fails("no/such/folder/s.db", STORE_READ, "nothing was measured yet");
    check_fails("none.db", STORE_IMMUTABLE, "nothing was measured yet");
    ck_assert(!exists("none.db") && !exists("no"));
}
END_TEST

START_TEST(test_not_a_file)
{
    ck_assert_int_eq(mkdir("folder", 0777), 0);
    ck_assert_int_eq(mkfifo("pipe", 0666), 0);
    check_fails("folder", STORE_WRITE, "it is a folder");
    check_fails("folder/", STORE_READ, "it is a folder");
    check_fails("other/", STORE_WRITE, "names a folder");
    check_fails("", STORE_WRITE, "the name of a store is empty");
    check_fails("pipe", STORE_WRITE, "a device or pipe");
    write_file("plain", "text", 4);
    check_fails("plain/s.db", STORE_WRITE, "plain/s.db: ");
}
END_TEST

START_TEST(test_foreign_files)
{
    char text[5000];
    memset(text, 'a', sizeof text);
    write_file("short.txt", text, 10);
    write_file("long.txt", text, sizeof text);
    check_refused("short.txt", "nor any SQLite file");
    check_refused("long.txt", "nor any SQLite file");
}
END_TEST

static void change(const char *path, const char *sql)
{
    sqlite3 *db;
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

START_TEST(test_foreign_databases)
{
    change("plain.db", "CREATE TABLE job (key BLOB); INSERT INTO job VALUES (1);");
    change("wal.db", "PRAGMA journal_mode = WAL; CREATE TABLE t (x);");
    change("id.db", "PRAGMA application_id = 7; PRAGMA user_version = 1; CREATE TABLE t (x);");
    check_refused("plain.db", "another program");
    check_refused("wal.db", "another program");
    check_refused("id.db", "another program");
}
END_TEST

START_TEST(test_newer_schema)
{
    store_of("s.db", 2);
    change("s.db", "PRAGMA user_version = 9999");
    check_refused("s.db", "newer hone (schema 9999, this hone knows");
}
END_TEST

START_TEST(test_newer_schema_in_the_log)
{
    struct error e = ERROR_INIT;
    store_of("s.db", 2);
    // Another connection holds the log open, and what it says there is not in the file yet.
    sqlite3 *db;
    ck_assert_int_eq(sqlite3_open("s.db", &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, "PRAGMA user_version = 9999", NULL, NULL, NULL), SQLITE_OK);
    struct snapshot file = snapshot_take("s.db"), log = snapshot_take("s.db-wal");
    ck_assert_ptr_null(store_open("s.db", STORE_WRITE, &e));
    ck_assert_msg(strstr(e.text, "newer hone"), "%s", e.text);
    struct snapshot file_now = snapshot_take("s.db"), log_now = snapshot_take("s.db-wal");
    ck_assert_uint_eq(file.bytes.length, file_now.bytes.length);
    ck_assert_int_eq(memcmp(file.bytes.data, file_now.bytes.data, file.bytes.length), 0);
    ck_assert_uint_eq(log.bytes.length, log_now.bytes.length);
    ck_assert_int_eq(memcmp(log.bytes.data, log_now.bytes.data, log.bytes.length), 0);
    sqlite3_close(db);
    text_release(&file.bytes);
    text_release(&log.bytes);
    text_release(&file_now.bytes);
    text_release(&log_now.bytes);
}
END_TEST

START_TEST(test_damaged_files)
{
    char garbage[4096];
    memset(garbage, 0xa5, sizeof garbage);
    store_of("s.db", 60);
    struct snapshot good = snapshot_take("s.db");
    long pages = (long)(good.bytes.length / 4096);
    ck_assert_int_gt(pages, 8);
    // Each page in turn but the first; then the schema in the first, and a file cut short.
    for (long page = 1; page < pages; page++) {
        write_file("s.db", good.bytes.data, good.bytes.length);
        overwrite("s.db", page * 4096, garbage, sizeof garbage);
        check_refused("s.db", "damaged");
    }
    write_file("s.db", good.bytes.data, good.bytes.length);
    overwrite("s.db", 100, garbage, 2000);
    check_refused("s.db", "damaged");
    write_file("s.db", good.bytes.data, good.bytes.length / 2 / 4096 * 4096);
    check_refused("s.db", "cut short");
    write_file("s.db", good.bytes.data, 100);
    check_refused("s.db", "cut short");
    write_file("s.db", good.bytes.data, good.bytes.length);
    check_opens("s.db", STORE_WRITE, 60);
    text_release(&good.bytes);
}
END_TEST

static bool pass_row(void *context, const struct store_row *row)
{
    (void)context;
    return row->result != NULL;
}

// Any byte may be wrong: the store is refused, or a look at it fails, or all goes well; no crash.
START_TEST(test_flipped_bytes)
{
    struct rng random;
    struct store_query all = {0};
    store_of("s.db", 10);
    struct snapshot good = snapshot_take("s.db");
    rng_init(&random, 1, 0);
    for (int round = 0; round < 200; round++) {
        struct error e = ERROR_INIT;
        write_file("s.db", good.bytes.data, good.bytes.length);
        for (int n = 0; n < 3; n++) {
            unsigned char byte = (unsigned char)rng_u32(&random);
            overwrite("s.db", (long)rng_below(&random, good.bytes.length), &byte, 1);
        }
        struct store *s = store_open("s.db", STORE_WRITE, &e);
        bool ok = s && store_each(s, &all, pass_row, NULL, &e);
        ck_assert(ok || (e.code != ERROR_NONE && str_starts(e.text, "s.db: ")));
        store_close(s);
        unlink("s.db-wal");
        unlink("s.db-shm");
    }
    text_release(&good.bytes);
}
END_TEST

START_TEST(test_tables_missing)
{
    store_of("s.db", 2);
    change("s.db", "DROP TABLE session");
    check_refused("s.db", "damaged: it lacks the table 'session'");
}
END_TEST

// ---- what others put into a store

// What no store has, and what is said of it.
static const struct stranger {
    const char *sql, *part;
} strangers[] = {
    {"CREATE TRIGGER drop_it AFTER INSERT ON result BEGIN DELETE FROM result; END",
     "the trigger 'drop_it' on 'result'"},
    {"CREATE TRIGGER aside AFTER INSERT ON session BEGIN SELECT RAISE(IGNORE); END",
     "the trigger 'aside' on 'session'"},
    {"DROP TABLE session; CREATE VIEW session AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL "
     "SELECT id + 1 FROM n) SELECT id, '' AS date FROM n",
     "the view 'session'"},
    {"CREATE VIEW more AS SELECT * FROM result", "the view 'more'"},
    {"CREATE TABLE more (x)", "the table 'more'"},
    {"CREATE VIRTUAL TABLE more USING fts5(x)", "the table 'more'"},
    {"CREATE INDEX more ON result (abs(batch))", "the index 'more'"},
    {"ALTER TABLE result ADD COLUMN more AS (length(body))", "the table 'result'"},
    {"ALTER TABLE job RENAME COLUMN spec_name TO other", "the table 'job'"},
    {"DROP INDEX result_job; CREATE INDEX result_job ON session (id)", "the index 'result_job'"},
    {"DROP INDEX result_job", "it lacks the index 'result_job'"},
    {"PRAGMA user_version = 0", "its schema has the version 0"},
};

START_TEST(test_strangers_in_a_store)
{
    const struct stranger *n = &strangers[_i];
    sqlite3 *db;
    struct error e = ERROR_INIT;
    struct store_imported counts;
    const char *files[] = {"s.db"};
    store_of("s.db", 2);
    change("s.db", n->sql);
    check_refused("s.db", n->part);
    ck_assert(!store_import("into.db", files, 1, &counts, &e));
    ck_assert_msg(strstr(e.text, n->part) != NULL, "%s", e.text);
    ck_assert(!exists("into.db"));
    // Said in the log alone, by a process that is still there.
    store_of("log.db", 2);
    ck_assert_int_eq(sqlite3_open("log.db", &db), SQLITE_OK);
    ck_assert_msg(sqlite3_exec(db, n->sql, NULL, NULL, NULL) == SQLITE_OK, "%s",
                  sqlite3_errmsg(db));
    check_fails("log.db", STORE_WRITE, n->part);
    check_fails("log.db", STORE_READ, n->part);
    sqlite3_close(db);
}
END_TEST

// A file that loses what is written to it is noticed at the end.
START_TEST(test_what_was_written_is_read_back)
{
    struct error e = ERROR_INIT;
    struct store *s = store_make("s.db");
    ck_assert(store_kept(s, &e)); // nothing was
    begin(s, "scale.json");
    put(s, 0);
    ck_assert(store_together(s, &e));
    put(s, 1);
    ck_assert(!store_together_end(s, false, &e));
    ck_assert_msg(store_kept(s, &e), "%s", e.text);
    begin(s, "other.json");
    put(s, 2);
    put(s, 3);
    ck_assert_msg(store_kept(s, &e), "%s", e.text);
    change("s.db", "DELETE FROM result WHERE sequence = 1");
    ck_assert(!store_kept(s, &e));
    ck_assert_msg(strstr(e.text, "s.db: of the 3 results that this run wrote 2 are there"), "%s",
                  e.text);
    store_close(s);
}
END_TEST

// ---- who may write, and where

#define NOBODY 65534

static void be_nobody(void)
{
    if (geteuid() == 0)
        CHILD_ASSERT(setgid(NOBODY) == 0 && setuid(NOBODY) == 0, "cannot become nobody");
}

static void open_read_only_file(void)
{
    struct error e = ERROR_INIT;
    be_nobody();
    CHILD_ASSERT(store_open("s.db", STORE_WRITE, &e) == NULL, "opened a read-only file");
    CHILD_ASSERT(strstr(e.text, "may not be written: it belongs to") && strstr(e.text, "0444"),
                 "%s", e.text);
}

static void open_in_read_only_folder(void)
{
    struct error e = ERROR_INIT;
    struct store_counts counts;
    be_nobody();
    CHILD_ASSERT(store_open("s.db", STORE_WRITE, &e) == NULL, "opened in a read-only folder");
    CHILD_ASSERT(strstr(e.text, "may not be written: it belongs to"), "%s", e.text);
    error_clear(&e);
    CHILD_ASSERT(store_open("new.db", STORE_WRITE, &e) == NULL, "made in a read-only folder");
    CHILD_ASSERT(strstr(e.text, "may not be written: it belongs to"), "%s", e.text);
    // Reading is possible, though the file is one of WAL mode.
    static const enum store_mode modes[] = {STORE_READ, STORE_IMMUTABLE};
    for (size_t i = 0; i < 2; i++) {
        error_clear(&e);
        struct store *s = store_open("s.db", modes[i], &e);
        CHILD_ASSERT(s && store_count(s, &counts, &e) && counts.results == 2, "%s", e.text);
        store_close(s);
    }
}

static void open_unreadable(void)
{
    struct error e = ERROR_INIT;
    be_nobody();
    CHILD_ASSERT(store_open("s.db", STORE_READ, &e) == NULL, "opened an unreadable file");
    CHILD_ASSERT(str_starts(e.text, "s.db: "), "%s", e.text);
}

START_TEST(test_rights)
{
    store_of("s.db", 2);
    ck_assert_int_eq(chmod(".", 0777), 0);
    ck_assert_int_eq(chmod("s.db", 0444), 0);
    struct snapshot before = snapshot_take("s.db");
    run_in_child("read-only file", open_read_only_file);
    check_untouched("s.db", &before);
    ck_assert_int_eq(chmod("s.db", 0666), 0);
    ck_assert_int_eq(chmod(".", 0555), 0);
    run_in_child("read-only folder", open_in_read_only_folder);
    check_untouched("s.db", &before);
    ck_assert_int_eq(chmod(".", 0777), 0);
    ck_assert_int_eq(chmod("s.db", 0), 0);
    run_in_child("unreadable file", open_unreadable);
    text_release(&before.bytes);
}
END_TEST

// A file system of some MiB in the folder "small", for this process alone; 77 where that is not
// allowed.
static void mount_of(const char *size)
{
    if (mkdir("small", 0777) != 0 || unshare(CLONE_NEWNS) != 0 ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("small", "small", "tmpfs", 0, size) != 0)
        _exit(77);
}

static void mount_small(void)
{
    mount_of("size=1m");
}

// Fills what is free but `spare` bytes.
static void fill(const char *path, long spare)
{
    static const char zeros[4096];
    int fd = open(path, O_CREAT | O_WRONLY, 0666);
    while (write(fd, zeros, sizeof zeros) == (ssize_t)sizeof zeros)
        ;
    struct stat st;
    CHILD_ASSERT(fstat(fd, &st) == 0 && ftruncate(fd, st.st_size - spare) == 0, "no filling");
    close(fd);
}

static void child_refused_full(const char *path)
{
    struct error e = ERROR_INIT;
    struct store *s = store_open(path, STORE_WRITE, &e);
    CHILD_ASSERT(s == NULL, "opened on a full disk");
    CHILD_ASSERT(strstr(e.text, "no space left on the device; free some"), "%s", e.text);
    CHILD_ASSERT(e.code == ERROR_STORE && str_starts(e.text, path), "%s", e.text);
}

static void full_before(void)
{
    struct error e = ERROR_INIT;
    mount_small();
    struct store *s = child_open("small/s.db");
    CHILD_ASSERT(put_quietly(s, 1, &e), "%s", e.text);
    store_close(s);
    struct stat before, after;
    CHILD_ASSERT(stat("small/s.db", &before) == 0, "no store");
    for (long spare = 0; spare <= 128 * 1024; spare += 64 * 1024) {
        fill("small/rest", spare);
        child_refused_full("small/s.db");
        child_refused_full("small/new.db");
        CHILD_ASSERT(access("small/new.db", F_OK) != 0, "new.db was made");
        CHILD_ASSERT(access("small/s.db-wal", F_OK) != 0, "a log was left");
        CHILD_ASSERT(stat("small/s.db", &after) == 0 && after.st_size == before.st_size &&
                         after.st_mtim.tv_nsec == before.st_mtim.tv_nsec,
                     "the store was touched");
    }
    // Somewhere in between there is room for all but the probe.
    for (long spare = 160 * 1024; spare <= 640 * 1024; spare += 32 * 1024) {
        fill("small/rest", spare);
        error_clear(&e);
        s = store_open("small/s.db", STORE_WRITE, &e);
        CHILD_ASSERT(s || strstr(e.text, "no space left on the device; free some"), "%s", e.text);
        store_close(s);
    }
    unlink("small/rest");
    store_close(child_open("small/s.db"));
}

START_TEST(test_full_disk_is_told_before_any_work)
{
    run_in_child("full disk (needs the right to mount)", full_before);
}
END_TEST

static void fill_small_disk(void)
{
    struct error e = ERROR_INIT;
    mount_of("size=4m");
    struct store *s = child_open("small/s.db");
    for (unsigned i = 0; i < 2000; i++)
        CHILD_ASSERT(put_quietly(s, i, &e), "result %u: %s", i, e.text);
    CHILD_ASSERT(store_kept(s, &e), "%s", e.text);
    store_close(s);
}

START_TEST(test_small_disk_holds_many_results)
{
    run_in_child("a disk of 4 MiB (needs the right to mount)", fill_small_disk);
}
END_TEST

START_TEST(test_log_of_a_result)
{
    struct store *s = store_make("s.db");
    begin(s, "scale.json");
    for (unsigned i = 0; i < 1000; i++)
        put(s, i); // so that the indices have many pages
    ck_assert_uint_le(store_log_bytes(s), (1 << 20) + 64 * 1024);
    struct error e = ERROR_INIT;
    ck_assert_int_eq(sqlite3_exec(s->db, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL),
                     SQLITE_OK);
    uint64_t before = store_log_bytes(s);
    for (unsigned i = 0; i < 50; i++)
        ck_assert_msg(put_quietly(s, 1000 + i, &e), "%s", e.text);
    uint64_t each = (store_log_bytes(s) - before) / 50;
    ck_assert_msg(each > 0 && each <= 13 * 1024, "%llu bytes of log a result",
                  (unsigned long long)each);
    store_close(s);
}
END_TEST

static void full_meanwhile(enum place place)
{
    struct error e = ERROR_INIT;
    struct store_session session = {.spec_name = "scale.json"};
    struct store_counts counts;
    mount_small();
    struct store *s = store_open_at("small/s.db", STORE_WRITE, place, &e);
    CHILD_ASSERT(s && store_begin(s, &session, &e), "%s", e.text);
    unsigned kept = 0;
    fill("small/rest", 100 * 1024);
    while (kept < 1000 && put_quietly(s, kept, &e))
        kept++;
    CHILD_ASSERT(kept > 0 && kept < 1000, "%u were kept", kept);
    CHILD_ASSERT(strstr(e.text, "no space left on the device"), "%s", e.text);
    error_clear(&e);
    CHILD_ASSERT(store_count(s, &counts, &e) && counts.results == kept, "%s", e.text);
    // Once there is room again, the same handle goes on.
    unlink("small/rest");
    CHILD_ASSERT(put_quietly(s, kept, &e), "%s", e.text);
    store_close(s);
    s = child_open("small/s.db");
    CHILD_ASSERT(store_count(s, &counts, &e) && counts.results == kept + 1, "%s", e.text);
    CHILD_ASSERT(counts.jobs == kept + 1 && counts.sessions == 1, "half a result");
    store_close(s);
}

static void full_meanwhile_local(void)
{
    full_meanwhile(PLACE_LOCAL);
}

static void full_meanwhile_shared(void)
{
    full_meanwhile(PLACE_SHARED);
}

START_TEST(test_disk_fills_during_a_tune)
{
    run_in_child("disk that fills (needs the right to mount)", full_meanwhile_local);
    ck_assert(!exists("small") || rmdir("small") == 0);
    run_in_child("disk that fills, rollback journal", full_meanwhile_shared);
}
END_TEST

static void read_only_mount(void)
{
    struct error e = ERROR_INIT;
    mount_small();
    struct store *s = child_open("small/s.db");
    CHILD_ASSERT(put_quietly(s, 1, &e), "%s", e.text);
    store_close(s);
    if (mount(NULL, "small", NULL, MS_REMOUNT | MS_RDONLY, NULL) != 0)
        _exit(77);
    CHILD_ASSERT(store_open("small/s.db", STORE_WRITE, &e) == NULL, "opened");
    CHILD_ASSERT(strstr(e.text, "mounted read-only"), "%s", e.text);
    error_clear(&e);
    s = store_open("small/s.db", STORE_READ, &e);
    CHILD_ASSERT(s != NULL, "%s", e.text);
    store_close(s);
}

START_TEST(test_read_only_mount)
{
    run_in_child("read-only mount (needs the right to mount)", read_only_mount);
}
END_TEST

static void limited(void)
{
    struct error e = ERROR_INIT;
    struct rlimit limit = {100 * 1024, 100 * 1024};
    CHILD_ASSERT(setrlimit(RLIMIT_FSIZE, &limit) == 0, "no limit");
    CHILD_ASSERT(store_open("s.db", STORE_WRITE, &e) == NULL, "opened");
    CHILD_ASSERT(strstr(e.text, "ulimit -f"), "%s", e.text);
    error_clear(&e);
    CHILD_ASSERT(store_open("new.db", STORE_WRITE, &e) == NULL && access("new.db", F_OK) != 0,
                 "made a store");
}

static void limited_meanwhile(void)
{
    struct error e = ERROR_INIT;
    struct rlimit limit = {600 * 1024, 600 * 1024};
    unsigned kept = 0;
    struct store *s = child_open("s.db");
    signal(SIGXFSZ, SIG_IGN);
    CHILD_ASSERT(setrlimit(RLIMIT_FSIZE, &limit) == 0, "no limit");
    while (kept < 1000 && put_quietly(s, kept, &e))
        kept++;
    CHILD_ASSERT(kept > 0 && kept < 1000, "%u were kept", kept);
    CHILD_ASSERT(strstr(e.text, "ulimit -f"), "%s", e.text);
    store_close(s);
}

START_TEST(test_size_limit)
{
    store_of("s.db", 2);
    struct snapshot before = snapshot_take("s.db");
    run_in_child("size limit", limited);
    check_untouched("s.db", &before);
    text_release(&before.bytes);
    run_in_child("size limit met later", limited_meanwhile);
    check_opens("s.db", STORE_WRITE, (uint64_t)ask("s.db", "SELECT count(*) FROM result"));
}
END_TEST

// ---- journals

START_TEST(test_file_systems)
{
    ck_assert(store_magic_local(0xef53));                                // ext4
    ck_assert(store_magic_local(0x01021994));                            // tmpfs
    ck_assert(store_magic_local(0x9123683e));                            // Btrfs
    ck_assert(!store_magic_local(0x6969));                               // NFS
    ck_assert(!store_magic_local(0xff534d42));                           // CIFS
    ck_assert(!store_magic_local((unsigned long)(long)(int)0xff534d42)); // where f_type is signed
    ck_assert(!store_magic_local(0x01021997));                           // 9p
    ck_assert(!store_magic_local(0x65735546));                           // FUSE
}
END_TEST

static const char journal_wal[] = "SELECT journal_mode = 'wal' FROM pragma_journal_mode";

START_TEST(test_rollback_journal_elsewhere)
{
    struct error e = ERROR_INIT;
    struct store *s = store_open_at("s.db", STORE_WRITE, PLACE_SHARED, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    begin(s, "scale.json");
    put(s, 1);
    ck_assert(!exists("s.db-wal"));
    ck_assert_int_eq(ask("s.db", journal_wal), 0);
    store_close(s);
    // Here it is local, there not: the mode follows.
    s = store_open_at("s.db", STORE_WRITE, PLACE_LOCAL, &e);
    ck_assert_int_eq(ask("s.db", journal_wal), 1);
    begin(s, "scale.json");
    put(s, 2);
    store_close(s);
    s = store_open_at("s.db", STORE_WRITE, PLACE_SHARED, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    ck_assert_int_eq(ask("s.db", journal_wal), 0);
    begin(s, "scale.json");
    put(s, 3);
    // Another process can write meanwhile: no exclusive lock is left.
    struct store *other = store_open_at("s.db", STORE_WRITE, PLACE_SHARED, &e);
    ck_assert_msg(other != NULL, "%s", e.text);
    begin(other, "scale.json");
    put(other, 4);
    store_close(other);
    store_close(s);
    check_opens("s.db", STORE_READ, 4);
}
END_TEST

START_TEST(test_read_leaves_the_file_alone)
{
    store_of("s.db", 2);
    struct snapshot before = snapshot_take("s.db");
    check_opens("s.db", STORE_READ, 2);
    check_untouched("s.db", &before);
    check_opens("s.db", STORE_IMMUTABLE, 2);
    check_untouched("s.db", &before);
    text_release(&before.bytes);
}
END_TEST

START_TEST(test_log_of_a_killed_writer)
{
    struct error e = ERROR_INIT;
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        struct store *s = child_open("s.db");
        put_quietly(s, 1, NULL);
        put_quietly(s, 2, NULL);
        raise(SIGKILL);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(exists("s.db-wal"));
    ck_assert_ptr_null(store_open("s.db", STORE_IMMUTABLE, &e));
    ck_assert_msg(strstr(e.text, "was not closed"), "%s", e.text);
    // Named as another's, or imported, file and log stay as they are, and are read both.
    struct snapshot file = snapshot_take("s.db"), log = snapshot_take("s.db-wal");
    struct store *s = store_stack(NULL, store_open("s.db", STORE_READ, &e));
    struct store_counts counts;
    ck_assert(store_count(s, &counts, &e) && counts.results == 2);
    store_close(s);
    const char *const files[] = {"s.db"};
    struct store_imported imported;
    ck_assert_msg(store_import("own.db", files, 1, &imported, &e), "%s", e.text);
    ck_assert_uint_eq(imported.added, 2);
    struct snapshot file_now = snapshot_take("s.db"), log_now = snapshot_take("s.db-wal");
    ck_assert(same_bytes(&file, &file_now) && same_bytes(&log, &log_now));
    text_release(&file.bytes);
    text_release(&log.bytes);
    text_release(&file_now.bytes);
    text_release(&log_now.bytes);
    check_opens("s.db", STORE_READ, 2);
    check_opens("s.db", STORE_IMMUTABLE, 2); // reading one's own put it in order
}
END_TEST

START_TEST(test_reading_changes_nothing)
{
    store_of("s.db", 3);
    ck_assert_int_eq(ask("s.db", journal_wal), 1);
    struct snapshot before = snapshot_take("s.db");
    check_opens("s.db", STORE_READ, 3);
    check_untouched("s.db", &before);
    text_release(&before.bytes);
}
END_TEST

// What is put together is there as a whole or not at all, whoever dies meanwhile.
START_TEST(test_together)
{
    struct error e = ERROR_INIT;
    int status;
    store_of("s.db", 1);
    struct store *s = store_make("s.db");
    begin(s, "scale.json");
    ck_assert(store_together(s, &e));
    put(s, 2);
    put(s, 3);
    ck_assert(!store_together_end(s, false, &e) && e.code == ERROR_NONE);
    ck_assert_int_eq(ask("s.db", "SELECT count(*) FROM result"), 1);
    ck_assert(store_together(s, &e));
    put(s, 2);
    put(s, 3);
    ck_assert_int_eq(ask("s.db", "SELECT count(*) FROM result"), 1);
    ck_assert(store_together_end(s, true, &e));
    put(s, 4);
    store_close(s);
    ck_assert_int_eq(ask("s.db", "SELECT count(*) FROM result"), 4);
    ck_assert_int_eq(ask("s.db", "SELECT count(*) FROM session"), 2);
    pid_t pid = fork();
    if (pid == 0) {
        s = child_open("s.db");
        if (store_together(s, &e) && put_quietly(s, 5, NULL))
            raise(SIGKILL);
        _exit(1);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFSIGNALED(status));
    check_opens("s.db", STORE_READ, 4);
}
END_TEST

static void tests_add(TCase *t)
{
    tcase_add_test(t, test_new_store_in_new_folders);
    tcase_add_test(t, test_empty_file_is_new);
    tcase_add_test(t, test_odd_names);
    tcase_add_test(t, test_through_links);
    tcase_add_test(t, test_two_handles_of_one_process);
    tcase_add_test(t, test_missing_is_no_store_to_read);
    tcase_add_test(t, test_not_a_file);
    tcase_add_test(t, test_foreign_files);
    tcase_add_test(t, test_foreign_databases);
    tcase_add_test(t, test_newer_schema);
    tcase_add_test(t, test_newer_schema_in_the_log);
    tcase_add_test(t, test_damaged_files);
    tcase_add_test(t, test_flipped_bytes);
    tcase_add_test(t, test_tables_missing);
    tcase_add_loop_test(t, test_strangers_in_a_store, 0,
                        (int)(sizeof strangers / sizeof *strangers));
    tcase_add_test(t, test_what_was_written_is_read_back);
    tcase_add_test(t, test_small_disk_holds_many_results);
    tcase_add_test(t, test_log_of_a_result);
    tcase_add_test(t, test_rights);
    tcase_add_test(t, test_full_disk_is_told_before_any_work);
    tcase_add_test(t, test_disk_fills_during_a_tune);
    tcase_add_test(t, test_read_only_mount);
    tcase_add_test(t, test_size_limit);
    tcase_add_test(t, test_file_systems);
    tcase_add_test(t, test_rollback_journal_elsewhere);
    tcase_add_test(t, test_read_leaves_the_file_alone);
    tcase_add_test(t, test_log_of_a_killed_writer);
    tcase_add_test(t, test_reading_changes_nothing);
    tcase_add_test(t, test_together);
}

int main(void)
{
    return store_suite_run("store file", tests_add);
}
