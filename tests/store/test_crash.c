// Several processes on one store, and processes killed at any moment.

#include "fixture.h"
#include "base/random.h"
#include "store/database.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// A child that opens the store, and puts results first, first + 1, ... `count` of them; each number
// goes into the pipe once its put has returned. It never returns.
static void write_results(const char *path, enum place place, unsigned first, unsigned count,
                          int out)
{
    struct error e = ERROR_INIT;
    struct store_session session = {.spec_name = "scale.json", .spec_text = "{}"};
    struct store *s = store_open_at(path, STORE_WRITE, place, &e);
    if (!s || !store_begin(s, &session, &e))
        goto failed;
    for (unsigned i = first; i < first + count; i++)
        if (!put_quietly(s, i, &e) || write(out, &i, sizeof i) != (ssize_t)sizeof i)
            goto failed;
    store_close(s);
    _exit(0);
failed:
    fprintf(stderr, "writer of %u: %s\n", first, e.text);
    _exit(1);
}

static pid_t writer_start(const char *path, enum place place, unsigned first, unsigned count,
                          int *in)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        close(ends[0]);
        write_results(path, place, first, count, ends[1]);
    }
    close(ends[1]);
    *in = ends[0];
    return pid;
}

// Each of the jobs first .. first + count - 1 answers; so does none beyond, but one that was being
// put when its writer was killed. Returns how many there are.
static unsigned check_present(struct store *s, unsigned first, unsigned count)
{
    struct error e = ERROR_INIT;
    unsigned found = 0;
    for (unsigned i = first; i < first + count + 2; i++) {
        struct digest key;
        key_of(i, &key);
        struct result *r = find_one(s, &key, &e);
        ck_assert_msg(e.code == ERROR_NONE, "%s", e.text);
        ck_assert_msg(r || i >= first + count, "result %u is lost", i);
        ck_assert_msg(!r || r->samples_ns[3] == 1000 + i, "result %u is another's", i);
        found += r != NULL;
        result_free(r);
    }
    ck_assert_uint_le(found, count + 1);
    return found;
}

static void check_whole(const char *path)
{
    ck_assert_int_eq(ask(path, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 1);
    ck_assert_int_eq(ask(path, "SELECT count(*) FROM (SELECT job FROM result GROUP BY job HAVING "
                               "count(*) > 1)"),
                     0);
    ck_assert_int_eq(ask(path, "SELECT count(*) FROM result LEFT JOIN job ON key = job "
                               "LEFT JOIN session ON session.id = session "
                               "WHERE key IS NULL OR session.id IS NULL"),
                     0);
    ck_assert_int_eq(ask(path, "SELECT count(*) FROM job LEFT JOIN text USING (texts) "
                               "WHERE body IS NULL"),
                     0);
}

static void two_writers(const char *path, enum place place, unsigned count)
{
    int in[2], status;
    pid_t pids[2];
    for (unsigned w = 0; w < 2; w++)
        pids[w] = writer_start(path, place, w * 1000, count, &in[w]);
    for (unsigned w = 0; w < 2; w++) {
        ck_assert_int_eq(waitpid(pids[w], &status, 0), pids[w]);
        ck_assert_int_eq(status, 0);
        close(in[w]);
    }
    struct error e = ERROR_INIT;
    struct store_counts counts;
    struct store *s = store_make(path);
    ck_assert(store_count(s, &counts, &e));
    ck_assert_uint_eq(counts.results, 2 * count);
    ck_assert_uint_eq(counts.jobs, 2 * count);
    ck_assert_uint_eq(counts.sessions, 2);
    ck_assert_uint_eq(check_present(s, 0, count) + check_present(s, 1000, count), 2 * count);
    store_close(s);
    check_whole(path);
}

START_TEST(test_two_processes_write_at_once)
{
    two_writers("s.db", PLACE_ASK, 200);
}
END_TEST

START_TEST(test_two_processes_with_rollback_journal)
{
    two_writers("s.db", PLACE_SHARED, 40);
}
END_TEST

// Ten processes find no store at the same moment: one makes it.
START_TEST(test_many_processes_make_one_store)
{
    for (int round = 0; round < 3; round++) {
        int in[10], status;
        pid_t pids[10];
        char path[32];
        snprintf(path, sizeof path, "s%d.db", round);
        for (unsigned w = 0; w < 10; w++)
            pids[w] = writer_start(path, PLACE_ASK, w * 1000, 3, &in[w]);
        for (unsigned w = 0; w < 10; w++) {
            ck_assert_int_eq(waitpid(pids[w], &status, 0), pids[w]);
            ck_assert_int_eq(status, 0);
            close(in[w]);
        }
        ck_assert_int_eq(ask(path, "SELECT count(*) FROM result"), 30);
        check_whole(path);
    }
}
END_TEST

// How many numbers came through the pipe until its end (`all`) or until the first; in order.
static unsigned drain(int in, unsigned first, bool all)
{
    unsigned i, count = 0;
    while ((all || count == 0) && read(in, &i, sizeof i) == (ssize_t)sizeof i)
        ck_assert_uint_eq(i, first + count++);
    return count;
}

static void sleep_ns(long ns)
{
    struct timespec left = {0, ns};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
}

// Kills a writer after up to `longest_ns`, `rounds` times: what it said it had put is there. With
// one file the time counts from the first put, else from the start, so that opening is interrupted
// too.
static void kill_writers(enum place place, bool one_file, int rounds, uint64_t longest_ns)
{
    struct rng random;
    rng_init(&random, 20260101, 0);
    unsigned total = 0;
    char path[32] = "s.db";
    for (int round = 0; round < rounds; round++) {
        int in, status;
        unsigned first = (unsigned)round * 100000;
        if (!one_file)
            snprintf(path, sizeof path, "s%d.db", round);
        pid_t pid = writer_start(path, place, first, 50000, &in);
        unsigned count = one_file ? drain(in, first, false) : 0;
        sleep_ns((long)rng_below(&random, longest_ns));
        kill(pid, SIGKILL);
        ck_assert_int_eq(waitpid(pid, &status, 0), pid);
        ck_assert_msg(WIFSIGNALED(status), "round %d: the writer failed", round);
        count += drain(in, first + count, true);
        close(in);
        struct store *s = store_make(path);
        total += check_present(s, first, count);
        store_close(s);
        if (!one_file)
            check_whole(path);
    }
    if (one_file) {
        check_whole(path);
        ck_assert_int_eq(ask(path, "SELECT count(*) FROM result"), total);
        ck_assert_uint_ge(total, (unsigned)rounds);
    }
}

START_TEST(test_killed_while_writing)
{
    kill_writers(PLACE_ASK, true, 30, 40000000);
}
END_TEST

START_TEST(test_killed_while_making_the_store)
{
    kill_writers(PLACE_ASK, false, 30, 12000000);
}
END_TEST

START_TEST(test_killed_with_rollback_journal)
{
    kill_writers(PLACE_SHARED, true, 10, 40000000);
    folder_leave();
    folder_enter();
    kill_writers(PLACE_SHARED, false, 15, 12000000);
}
END_TEST

static void tests_add(TCase *t)
{
    tcase_add_test(t, test_two_processes_write_at_once);
    tcase_add_test(t, test_two_processes_with_rollback_journal);
    tcase_add_test(t, test_many_processes_make_one_store);
    tcase_add_test(t, test_killed_while_writing);
    tcase_add_test(t, test_killed_while_making_the_store);
    tcase_add_test(t, test_killed_with_rollback_journal);
}

int main(void)
{
    return store_suite_run("store crash", tests_add);
}
