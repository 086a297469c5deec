// libhone and its workers: who ends with whom, and how long a step takes whatever workers do. With
// the worker that runs nothing and misbehaves on order.
#include <hone/hone.h>

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// What a step may take beyond its timeout (include/hone/hone.h), and what a busy machine adds. Under AddressSanitizer a
// process that is started or reaped takes seconds where the machine is busy; there, steps are bounded, and no more.
#ifdef __SANITIZE_ADDRESS__
#define BEYOND_MS 5000
#else
#define BEYOND_MS 1000
#endif

#define BEHAVES HONE_SOURCE_DIR "/tests/api/data/behaves.json"

static char folder[64];
static char store_file[96], events_file[96], events[128], notes[96];
static char frames_file[96], frames[128];
static const char *const environment[] = {"FAKE_SHARES_HOST=1", events, frames, notes, NULL};
static const struct hone_worker fake = {
    .size = sizeof fake, .program = FAKE_WORKER, .environment = environment};

static struct hone_spec *spec;
static struct hone_devices *devices;
static struct hone_tune *tune;

static void setup(void)
{
    snprintf(folder, sizeof folder, "/tmp/hone-api-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(events_file, sizeof events_file, "%s/events", folder);
    snprintf(events, sizeof events, "FAKE_EVENTS=%s", events_file);
    snprintf(frames_file, sizeof frames_file, "%s/frames", folder);
    snprintf(frames, sizeof frames, "FAKE_FRAMES=%s", frames_file);
    snprintf(notes, sizeof notes, "FAKE_FOLDER=%s", folder);
    snprintf(store_file, sizeof store_file, "%s/store.sqlite", folder);
}

static void teardown(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static struct hone_devices *list_devices(const struct hone_worker *worker, struct hone_error *e)
{
    struct hone_devices_options o = HONE_DEVICES_OPTIONS_INIT;
    o.worker = worker;
    return hone_devices_list(&o, e);
}

static void begin(const char *const *configurations, struct hone_tune_options o)
{
    struct hone_error e = HONE_ERROR_INIT;
    spec = hone_spec_load(BEHAVES, NULL, &e);
    ck_assert_msg(spec != NULL, "%s", e.text);
    devices = list_devices(&fake, &e);
    ck_assert_msg(devices != NULL, "%s", e.text);
    o.spec = spec;
    o.device = hone_devices_get(devices, 0);
    o.worker = &fake;
    o.configurations = configurations;
    o.lock_folder = folder;
    o.jobs = 2;
    tune = hone_tune_new(&o, &e);
    ck_assert_msg(tune != NULL, "%s", e.text);
}

static void end(void)
{
    hone_tune_free(tune);
    hone_devices_free(devices);
    hone_spec_free(spec);
}

// ---- steps in threads --------------------------------------------------------------------------

struct step {
    enum hone_answer answer;
    const struct hone_record *record;
    struct hone_error e;
};

static void *take_step(void *context)
{
    struct step *s = context;
    s->answer = hone_tune_step(tune, 20, &s->record, &s->e);
    return NULL;
}

static struct step step_in_thread(void)
{
    struct step s = {.e = HONE_ERROR_INIT};
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, take_step, &s), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    return s;
}

static unsigned count_lines(const char *file, const char *begins)
{
    char line[160];
    unsigned count = 0;
    FILE *f = fopen(file, "r");
    while (f && fgets(line, sizeof line, f))
        count += strncmp(line, begins, strlen(begins)) == 0;
    if (f)
        fclose(f);
    return count;
}

static unsigned count_events(const char *begins)
{
    return count_lines(events_file, begins);
}

// What was loaded twice had lost its worker in between.
START_TEST(each_step_in_a_thread_of_its_own)
{
    static const char *const good[] = {"FAKE=good", NULL};
    struct hone_tune_options o = HONE_TUNE_OPTIONS_INIT;
    unsigned records = 0;
    o.unranked = true;
    begin(good, o);
    for (;;) {
        struct step s = step_in_thread();
        ck_assert_msg(s.answer != HONE_BROKEN, "%s", s.e.text);
        if (s.answer == HONE_END)
            break;
        if (s.answer != HONE_RECORD)
            continue;
        ck_assert_msg(hone_record_status(s.record) == HONE_CORRECT, "%s",
                      hone_record_message(s.record));
        records++;
    }
    end();
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); // all of them were reaped
    ck_assert_int_eq(errno, ECHILD);
    ck_assert_uint_eq(records, 12);
    ck_assert_uint_eq(count_events("load") + count_events("beside"), 12);
}
END_TEST

// ---- a tuner that is killed --------------------------------------------------------------------

static pid_t start_tuner(const char *behaviour)
{
    pid_t tuner = fork();
    ck_assert_int_ge(tuner, 0);
    if (tuner > 0)
        return tuner;
    const char *const configurations[] = {behaviour, NULL};
    const struct hone_record *r;
    struct hone_tune_options o = HONE_TUNE_OPTIONS_INIT;
    o.build_limit_ns = o.launch_limit_ns = UINT64_C(60000000000);
    begin(configurations, o);
    while (hone_tune_step(tune, 1000, &r, NULL) >= HONE_NOTHING)
        ;
    _exit(1);
}

static pid_t parent_of(pid_t pid)
{
    char path[64];
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *f = fopen(path, "r");
    if (!f || fscanf(f, "%*d (%*[^)]) %*c %d", &parent) != 1)
        parent = 0;
    if (f)
        fclose(f);
    return parent;
}

// Signals the group of each child.
static unsigned signal_workers(pid_t tuner, int number)
{
    unsigned count = 0;
    DIR *processes = opendir("/proc");
    ck_assert_ptr_nonnull(processes);
    for (struct dirent *d = readdir(processes); d; d = readdir(processes)) {
        pid_t pid = (pid_t)strtol(d->d_name, NULL, 10);
        if (pid > 0 && parent_of(pid) == tuner && kill(-pid, number) == 0)
            count++;
    }
    closedir(processes);
    return count;
}

// We adopt what a killed tuner leaves: milliseconds until all of it has ended.
static unsigned reap_everything(void)
{
    uint64_t start = now_ms();
    while (now_ms() - start < 5000) {
        if (waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD)
            break;
        usleep(5000);
    }
    return (unsigned)(now_ms() - start);
}

// Once so many workers have their device, and so watch their tuner, and the one that measures has
// noted the event, if there is one.
static void kill_tuner(const char *behaviour, const char *event, unsigned workers, bool stopped)
{
    pid_t tuner = start_tuner(behaviour);
    uint64_t start = now_ms();
    while (((event && count_events(event) == 0) || count_lines(frames_file, "open ") < workers) &&
           now_ms() - start < 20000)
        usleep(10000);
    usleep(1000000); // they are in it, and one that was started last watches its tuner
    ck_assert_uint_ge(signal_workers(tuner, stopped ? SIGSTOP : 0), workers);
    kill(tuner, SIGKILL);
    unsigned ms = reap_everything();
    ck_assert_msg(ms < 1500 + BEYOND_MS, "%s%s: something is left after %u ms", behaviour,
                  stopped ? ", stopped" : "", ms);
    unlink(events_file);
    unlink(frames_file);
}

START_TEST(workers_end_with_a_killed_tuner)
{
    ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    kill_tuner("FAKE=hang_running", "verify", 2, false);
    kill_tuner("FAKE=hang_running", "verify", 2, true);
    kill_tuner("FAKE=hang_building", NULL, 2, false);
    kill_tuner("FAKE=hang_building", NULL, 2, true);
}
END_TEST

// ---- how long a step takes ---------------------------------------------------------------------

#define STEP_MS        30
#define OTHER_HOLDS_MS 2000 // longer than any step may take: one that waits for the lock is seen

struct run {
    unsigned by_status[HONE_CONSTRAINTS + 1], records;
    unsigned longest_ms; // step
};

static struct run run_to_the_end(void)
{
    struct run run = {.records = 0};
    struct hone_error e = HONE_ERROR_INIT;
    const struct hone_record *r;
    for (;;) {
        uint64_t start = now_ms();
        enum hone_answer answer = hone_tune_step(tune, STEP_MS, &r, &e);
        unsigned took = (unsigned)(now_ms() - start);
        run.longest_ms = took > run.longest_ms ? took : run.longest_ms;
        ck_assert_msg(answer != HONE_BROKEN, "%s", e.text);
        if (answer == HONE_END)
            return run;
        if (answer == HONE_RECORD) {
            run.records++;
            run.by_status[hone_record_status(r)]++;
        }
    }
}

static void check_steps(const struct run *run)
{
    ck_assert_msg(run->longest_ms < STEP_MS + BEYOND_MS, "a step took %u ms", run->longest_ms);
}

// True where a process may trace another.
static bool was_held(void)
{
    if (count_events("held") > 0)
        return true;
    printf("skipped: a worker that cannot be reaped (nobody may trace here)\n");
    return false;
}

START_TEST(workers_that_cannot_be_reaped)
{
    static const char *const dying[] = {"ID=1,FAKE=held_dying_once", "ID=2,FAKE=good", NULL};
    static const char *const hanging[] = {"ID=1,FAKE=held_hanging", "ID=2,FAKE=good", NULL};
    struct hone_tune_options o = HONE_TUNE_OPTIONS_INIT;
    o.launch_limit_ns = 1000000000; // a worker that is traced, or watched by a sanitizer, is slow
    o.unranked = true;
    begin(dying, o);
    uint64_t start = now_ms();
    struct run run = run_to_the_end();
    uint64_t took = now_ms() - start;
    end();
    check_steps(&run);
    ck_assert_uint_eq(run.by_status[HONE_CORRECT], 2);
    ck_assert(!was_held() || took > 1500); // a worker that died is killed two seconds later
    begin(hanging, o);
    run = run_to_the_end();
    start = now_ms();
    end();
    check_steps(&run);
    ck_assert_uint_eq(run.by_status[HONE_CORRECT], 1);
    ck_assert_uint_eq(run.by_status[HONE_TIMEOUT], 1);
    ck_assert_uint_lt(now_ms() - start, 2000 + BEYOND_MS);
}
END_TEST

// Another process that does something for a while; it says when it has begun.
static pid_t start_other(void (*begin_it)(void), unsigned for_ms)
{
    int told[2];
    char begun;
    ck_assert_int_eq(pipe(told), 0);
    pid_t other = fork();
    if (other == 0) {
        begin_it();
        if (write(told[1], "b", 1) != 1)
            _exit(1);
        usleep(for_ms * 1000);
        _exit(0);
    }
    close(told[1]);
    ck_assert_int_eq(read(told[0], &begun, 1), 1);
    close(told[0]);
    return other;
}

static void lock_store(void)
{
    sqlite3 *db;
    if (sqlite3_open(store_file, &db) != SQLITE_OK ||
        sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK)
        _exit(1);
}

static void lock_device(void)
{
    char pattern[128];
    glob_t found;
    struct flock first = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
    snprintf(pattern, sizeof pattern, "%s/hone-device-*.lock", folder);
    int fd = glob(pattern, 0, NULL, &found) == 0 ? open(found.gl_pathv[0], O_RDWR) : -1;
    if (fd < 0 || fcntl(fd, F_OFD_SETLK, &first) != 0)
        _exit(1);
}

// All configurations are measured, and stored; then again, answered by the store, and ranked anew.
static void tune_beside(void (*lock)(void), bool ranked)
{
    static const char *const good[] = {"FAKE=good", NULL};
    struct hone_error e = HONE_ERROR_INIT;
    struct hone_tune_options o = HONE_TUNE_OPTIONS_INIT;
    o.store = hone_store_open(store_file, HONE_STORE_WRITE, &e);
    o.unranked = !ranked;
    begin(good, o);
    uint64_t start = now_ms();
    pid_t other = start_other(lock, OTHER_HOLDS_MS);
    struct run run = run_to_the_end();
    uint64_t took = now_ms() - start;
    end();
    hone_store_close(o.store);
    ck_assert_int_eq(waitpid(other, NULL, 0), other);
    check_steps(&run);
    ck_assert_uint_eq(run.by_status[HONE_CORRECT], 12);
    ck_assert_uint_ge(took, OTHER_HOLDS_MS - 500); // it was waited for
}

static unsigned stored_results(void)
{
    sqlite3 *db;
    sqlite3_stmt *s;
    ck_assert_int_eq(sqlite3_open(store_file, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_prepare_v2(db, "SELECT count(*) FROM result", -1, &s, NULL),
                     SQLITE_OK);
    ck_assert_int_eq(sqlite3_step(s), SQLITE_ROW);
    unsigned count = (unsigned)sqlite3_column_int(s, 0);
    sqlite3_finalize(s);
    sqlite3_close(db);
    return count;
}

START_TEST(locks_of_other_processes)
{
    tune_beside(lock_store, false);
    ck_assert_uint_eq(stored_results(), 12);
    tune_beside(lock_store, true); // its samples answer, but no ranking of them is known
    ck_assert_uint_gt(stored_results(), 12);
    unlink(store_file);
    tune_beside(lock_device, false);
}
END_TEST

// ---- what the surroundings may have caused -----------------------------------------------------

// The worker is killed with it, twice: told, and tried again by the next tune.
START_TEST(killed_workers_are_not_stored)
{
    static const char *const some[] = {"ID=1,FAKE=good", "ID=2,FAKE=killed_building", NULL};
    struct hone_error e = HONE_ERROR_INIT;
    struct hone_progress p = HONE_PROGRESS_INIT;
    for (unsigned i = 0; i < 2; i++) {
        struct hone_tune_options o = HONE_TUNE_OPTIONS_INIT;
        o.store = hone_store_open(store_file, HONE_STORE_WRITE, &e);
        o.unranked = true;
        begin(some, o);
        struct run run = run_to_the_end();
        hone_tune_progress(tune, &p);
        end();
        hone_store_close(o.store);
        ck_assert_uint_eq(run.by_status[HONE_CORRECT], 1);
        ck_assert_uint_eq(run.by_status[HONE_COMPILE], 1);
        ck_assert_uint_eq(p.reused, i); // the good one
        ck_assert_uint_eq(stored_results(), 1);
    }
}
END_TEST

#define NAIVE HONE_SOURCE_DIR "/kernels_cl/matmul_naive.json"
#define REAL  HONE_BINARY_DIR "/hone-worker"

static bool write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY);
    bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        close(fd);
    return ok;
}

// A file system of a megabyte of our own, where that is allowed: to root, or in a user namespace.
static bool mount_small(const char *path)
{
    char map[64];
    uid_t user = getuid();
    gid_t group = getgid();
    if (unshare(CLONE_NEWNS) != 0) {
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
            return false;
        snprintf(map, sizeof map, "0 %u 1", (unsigned)user);
        write_file("/proc/self/setgroups", "deny");
        if (!write_file("/proc/self/uid_map", map))
            return false;
        snprintf(map, sizeof map, "0 %u 1", (unsigned)group);
        write_file("/proc/self/gid_map", map);
    }
    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
    return (mkdir(path, 0777) == 0 || errno == EEXIST) &&
           mount("none", path, "tmpfs", 0, "size=1m") == 0;
}

#define POCL "Portable Computing Language"

// One configuration on PoCL; the answer that the tune came to.
static enum hone_answer tune_naive(const struct hone_worker *worker, struct hone_error *e,
                                   enum hone_status *status, bool *reused)
{
    static const char *const set[] = {"WIDTH=64", NULL};
    static const char *const one[] = {"block_size_x=16,block_size_y=4", NULL};
    const struct hone_record *r;
    struct hone_tune_options o = HONE_TUNE_OPTIONS_INIT;
    enum hone_answer answer = HONE_BROKEN;
    struct hone_spec_options so = HONE_SPEC_OPTIONS_INIT;
    so.set = set;
    spec = hone_spec_load(NAIVE, &so, e);
    devices = list_devices(worker, e);
    o.spec = spec;
    o.device = devices ? hone_devices_pick(devices, POCL, e) : NULL;
    o.worker = worker;
    o.store = hone_store_open(store_file, HONE_STORE_WRITE, e);
    o.configurations = one;
    o.lock_folder = folder;
    tune = o.device ? hone_tune_new(&o, e) : NULL;
    while (tune && (answer = hone_tune_step(tune, 1000, &r, e)) >= HONE_NOTHING &&
           answer != HONE_END) {
        if (answer == HONE_RECORD) {
            *status = hone_record_status(r);
            *reused = hone_record_reused(r);
        }
    }
    end();
    hone_store_close(o.store);
    return answer;
}

static int fail_with(const char *what, const struct hone_error *e)
{
    fprintf(stderr, "%s: %s\n", what, e->text);
    return 1;
}

// 77: it cannot be tried here.
static int play_full_disk(void)
{
    char small[96], cache[128];
    snprintf(small, sizeof small, "%s/small", folder);
    snprintf(cache, sizeof cache, "POCL_CACHE_DIR=%s/cache", small);
    const char *const with[] = {cache, NULL};
    const struct hone_worker real = {.size = sizeof real, .program = REAL, .environment = with};
    struct hone_error full = HONE_ERROR_INIT, e = HONE_ERROR_INIT;
    enum hone_status status = HONE_CORRECT;
    bool reused = false;
    struct hone_devices *d = access(REAL, X_OK) == 0 ? list_devices(&real, &e) : NULL;
    if (!d || !hone_devices_pick(d, POCL, &e) || !mount_small(small))
        return 77;
    hone_devices_free(d);
    // The driver's cache has no room: what fails with it works with an empty one elsewhere.
    if (tune_naive(&real, &full, &status, &reused) != HONE_END || status != HONE_CORRECT || reused)
        return fail_with("on a full disk", &full);
    if (mount("none", small, "tmpfs", MS_REMOUNT, "size=100m") != 0)
        return fail_with("mounting it with room", &e);
    if (tune_naive(&real, &e, &status, &reused) != HONE_END || status != HONE_CORRECT || !reused)
        return fail_with("with room again", &e);
    return 0;
}

START_TEST(full_disk_is_nobodys_failure)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(play_full_disk());
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        printf("skipped: a full disk (nothing may be mounted here, or PoCL is not there)\n");
    else
        ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("libhone's workers");
    TCase *c = tcase_create("workers");
    tcase_set_timeout(c, 100);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, each_step_in_a_thread_of_its_own);
    tcase_add_test(c, workers_end_with_a_killed_tuner);
    tcase_add_test(c, workers_that_cannot_be_reaped);
    tcase_add_test(c, locks_of_other_processes);
    tcase_add_test(c, killed_workers_are_not_stored);
    tcase_add_test(c, full_disk_is_nobodys_failure);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
