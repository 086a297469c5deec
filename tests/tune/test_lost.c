// Nothing is lost: hone is killed at random moments, over and over, and in the end every
// configuration was measured, none is missing, none is in the store twice; two hones on one store
// share the work. With a worker that runs nothing, so that only hone itself is tried.
#include "../support/patience.h"

#include "os/process.h"
#include "store/store.h"

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CONFIGURATIONS = 500, KILLS = 50, AT_ONCE = 3 };

static char folder[64];
static char store_file[128], log_file[128],
    worker_file[128], // a name of this test alone: others may run the same worker meanwhile
    spec_file[] = HONE_SOURCE_DIR "/tests/tune/data/many.json";

static void setup(void)
{
    snprintf(folder, sizeof folder, "/tmp/hone-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(store_file, sizeof store_file, "%s/store.sqlite", folder);
    snprintf(log_file, sizeof log_file, "%s/measured", folder);
    snprintf(worker_file, sizeof worker_file, "%s/worker", folder);
    ck_assert_int_eq(symlink(FAKE_WORKER, worker_file), 0);
    setenv("HONE_WORKER", worker_file, 1);
    // libcheck's handlers would be the child's until it is hone, and end the test.
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    setenv("FAKE_MEASURE_LOG", log_file, 1);
    setenv("XDG_CACHE_HOME", folder, 1);
    setenv("TMPDIR", folder, 1);
    setenv("HONE_LOCKS", folder, 1); // other tests are not waited for
}

static void teardown(void)
{
    folder_remove(folder);
}

static pid_t start_hone(const char *delay_us)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    char output[160];
    snprintf(output, sizeof output, "%s/output", folder);
    int fd = open(output, O_WRONLY | O_CREAT | O_APPEND, 0666);
    dup2(fd, 1);
    dup2(fd, 2);
    setenv("FAKE_DELAY_US", delay_us, 1);
    execl(HONE_BINARY_DIR "/hone", "hone", "tune", spec_file, "--store", store_file, "--unranked",
          (char *)NULL);
    _exit(127);
}

static int wait_for(pid_t child)
{
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// How many lines the log of measured jobs has, and how often each configuration stands in it.
static unsigned count_measured(unsigned counts[CONFIGURATIONS])
{
    unsigned lines = 0, id;
    FILE *f = fopen(log_file, "r");
    memset(counts, 0, CONFIGURATIONS * sizeof *counts);
    while (f && fscanf(f, "%u", &id) == 1) {
        ck_assert_uint_lt(id, CONFIGURATIONS);
        counts[id]++;
        lines++;
    }
    if (f)
        fclose(f);
    return lines;
}

struct seen {
    unsigned counts[CONFIGURATIONS];
    unsigned rows;
};

static bool count_row(void *context, const struct store_row *row)
{
    struct seen *seen = context;
    unsigned id = CONFIGURATIONS;
    ck_assert_int_eq(sscanf(row->configuration, "ID=%u", &id), 1);
    ck_assert_uint_lt(id, CONFIGURATIONS);
    ck_assert_int_eq(row->result->status, STATUS_CORRECT);
    ck_assert_uint_ge(row->result->sample_count, 1);
    seen->counts[id]++;
    seen->rows++;
    return true;
}

static void read_store(struct seen *seen)
{
    struct error e = ERROR_INIT;
    struct store_query query = {0};
    struct store *s = store_open(store_file, STORE_READ, &e);
    memset(seen, 0, sizeof *seen);
    ck_assert_msg(s != NULL, "%s", e.text);
    ck_assert_msg(store_each(s, &query, count_row, seen, &e), "%s", e.text);
    store_close(s);
}

// How long a hone takes here and now until it has measured something, in microseconds; it is
// killed.
static unsigned time_to_first(void)
{
    unsigned counts[CONFIGURATIONS];
    uint64_t start = clock_ns(), limit = patience() * 60000000000u; // others may hold the device
    pid_t child = start_hone("1000");
    while (count_measured(counts) == 0 && clock_ns() - start < limit)
        usleep(2000);
    uint64_t took = clock_ns() - start;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    ck_assert_uint_lt(took, limit);
    return (unsigned)(took / 1000);
}

START_TEST(test_killed_over_and_over)
{
    unsigned before[CONFIGURATIONS], counts[CONFIGURATIONS], repeated = 0;
    struct seen seen;
    unsigned first_us = time_to_first();
    srand(11);
    for (unsigned kills = 0; kills < KILLS; kills++) {
        pid_t child = start_hone("1000");
        usleep((useconds_t)rand() % (kills % 2 ? first_us : 4 * first_us));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    unsigned so_far = count_measured(before);
    ck_assert_int_eq(wait_for(start_hone("0")), 0);
    count_measured(counts);
    read_store(&seen);
    ck_assert_uint_eq(seen.rows, CONFIGURATIONS);
    for (unsigned i = 0; i < CONFIGURATIONS; i++) {
        ck_assert_msg(seen.counts[i] == 1, "configuration %u is stored %u times", i,
                      seen.counts[i]);
        repeated += counts[i] - 1;
    }
    // Only what was in flight at a kill may have been measured again.
    ck_assert_uint_le(repeated, KILLS + 1);
    ck_assert_msg(so_far > 20, "the kills came too early to test anything: %u measured", so_far);
    printf("%u measured before the last run, %u of them again\n", so_far, repeated);
}
END_TEST

START_TEST(test_several_at_once)
{
    unsigned counts[CONFIGURATIONS];
    pid_t children[AT_ONCE];
    struct seen seen;
    for (unsigned i = 0; i < AT_ONCE; i++)
        children[i] = start_hone("500");
    for (unsigned i = 0; i < AT_ONCE; i++)
        ck_assert_int_eq(wait_for(children[i]), 0);
    ck_assert_uint_eq(count_measured(counts), CONFIGURATIONS);
    read_store(&seen);
    ck_assert_uint_eq(seen.rows, CONFIGURATIONS);
}
END_TEST

// The second run of a finished tune measures nothing.
START_TEST(test_nothing_twice)
{
    unsigned counts[CONFIGURATIONS];
    ck_assert_int_eq(wait_for(start_hone("0")), 0);
    ck_assert_int_eq(wait_for(start_hone("0")), 0);
    ck_assert_uint_eq(count_measured(counts), CONFIGURATIONS);
}
END_TEST

// A process group is left behind by nobody: a second after hone is killed its workers are gone.
START_TEST(test_no_worker_survives)
{
    char command[256];
    snprintf(command, sizeof command, "pgrep -f '^%s' >/dev/null", worker_file);
    pid_t child = start_hone("20000");
    for (int i = 0; i < 100 && system(command) != 0; i++)
        usleep(100000);
    ck_assert_int_eq(system(command), 0);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    usleep(1000000);
    ck_assert_int_ne(system(command), 0);
}
END_TEST

// ---- signals -----------------------------------------------------------------------------------

// The scratch folders in the test's own folder.
static unsigned count_scratch(void)
{
    unsigned count = 0;
    DIR *d = opendir(folder);
    const struct dirent *entry;
    ck_assert_ptr_nonnull(d);
    while ((entry = readdir(d)))
        count += str_starts(entry->d_name, "hone-scratch-");
    closedir(d);
    return count;
}

static bool is_worker_there(void)
{
    char command[256];
    snprintf(command, sizeof command, "pgrep -f '^%s' >/dev/null", worker_file);
    return system(command) == 0;
}

// A process that was killed may take a moment to go.
static void expect_no_worker(void)
{
    for (int i = 0; i < 100 && is_worker_there(); i++)
        usleep(10000);
    ck_assert(!is_worker_there());
}

static const int endings[] = {SIGINT, SIGTERM, SIGHUP};

START_TEST(test_signals_leave_nothing)
{
    srand(5 + (unsigned)_i);
    for (unsigned round = 0; round < 8; round++) {
        pid_t child = start_hone("2000");
        usleep((useconds_t)(20000 + rand() % 80000));
        kill(child, endings[_i]);
        int status = 0;
        waitpid(child, &status, 0);
        // Before hone has anything to clean up the signal may still have its way.
        ck_assert_int_eq(WIFEXITED(status) ? WEXITSTATUS(status) - 128 : WTERMSIG(status),
                         endings[_i]);
        expect_no_worker();
        ck_assert_uint_eq(count_scratch(), 0);
    }
}
END_TEST

// The last events inside a hone that had nobody to tell what went wrong.
static const char *last_events(const char *trace, struct text *all)
{
    const size_t most = 1500;
    file_read(trace, 0, all, NULL);
    const char *said = text_cstr(all);
    size_t length = strlen(said);
    return length > most ? said + length - most : said;
}

// As `hone tune | head -1` does.
START_TEST(test_reader_that_goes_away)
{
    int ends[2];
    char byte, trace[160];
    struct text events = TEXT_INIT;
    snprintf(trace, sizeof trace, "%s/trace", folder);
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        setenv("FAKE_DELAY_US", "2000", 1);
        setenv("HONE_TRACE", trace, 1);
        execl(HONE_BINARY_DIR "/hone", "hone", "tune", spec_file, "--store", store_file,
              (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    ck_assert_int_eq(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    int status =
        wait_for(child); // the tune is done and stored; a reader that has had enough is no mistake
    ck_assert_msg(status == 0, "status %d: %s", status, last_events(trace, &events));
    text_release(&events);
    expect_no_worker();
    ck_assert_uint_eq(count_scratch(), 0);
}
END_TEST

// What a killed hone could not remove goes with the next one, once it is a minute old.
static void make_older(void)
{
    char path[512];
    const struct timespec then[2] = {{.tv_sec = time(NULL) - 120}, {.tv_sec = time(NULL) - 120}};
    DIR *d = opendir(folder);
    const struct dirent *entry;
    ck_assert_ptr_nonnull(d);
    while ((entry = readdir(d))) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (str_starts(entry->d_name, "hone-scratch-"))
            ck_assert_int_eq(utimensat(AT_FDCWD, path, then, 0), 0);
    }
    closedir(d);
}

START_TEST(test_killed_leaves_nothing_for_long)
{
    for (unsigned round = 0; round < 5; round++) {
        pid_t child = start_hone("2000");
        for (unsigned i = 0; i < 500 && count_scratch() == 0;
             i++) // a busy machine comes to that late
            usleep(20000);
        usleep(60000);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        expect_no_worker();
    }
    ck_assert_uint_gt(count_scratch(), 0);
    make_older();
    ck_assert_int_eq(wait_for(start_hone("0")), 0);
    ck_assert_uint_eq(count_scratch(), 0);
}
END_TEST

static void add_survivors(TCase *cases)
{
    tcase_add_test(cases, test_no_worker_survives);
    tcase_add_loop_test(cases, test_signals_leave_nothing, 0, sizeof endings / sizeof *endings);
    tcase_add_test(cases, test_reader_that_goes_away);
    tcase_add_test(cases, test_killed_leaves_nothing_for_long);
}

int main(void)
{
    if (access(HONE_BINARY_DIR "/hone", X_OK) != 0) {
        printf("skipped: no hone in the build folder\n");
        return 77;
    }
    Suite *suite = suite_create("lost");
    TCase *cases = tcase_create("lost");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, test_killed_over_and_over);
    tcase_add_test(cases, test_several_at_once);
    tcase_add_test(cases, test_nothing_twice);
    if (system("command -v pgrep >/dev/null") == 0)
        add_survivors(cases);
    else
        printf("skipped: no pgrep to look for workers that survive\n");
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
