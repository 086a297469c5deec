#include "../support/patience.h"

#include "os/process.h"
#include "base/text.h"
#include "suite.h"

#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 20000

static struct process child = PROCESS_NONE;

static void teardown(void)
{
    process_end(&child);
}

static void start_shell(const char *script, const char *const *environment)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    struct error e = ERROR_INIT;
    ck_assert_msg(process_start(&child, argv, environment, &e), "%s", e.text);
    ck_assert_int_gt(child.pid, 0);
}

static void say(const char *s)
{
    ck_assert_int_eq(send(child.channel, s, strlen(s), MSG_NOSIGNAL), (int)strlen(s));
}

// What the child answers, up to the end of a line or of the channel, within the time.
static const char *hear(int timeout_ms)
{
    static char line[1024];
    size_t length = 0;
    struct pollfd channel = {.fd = child.channel, .events = POLLIN};
    while (length < sizeof line - 1 && poll(&channel, 1, timeout_ms) == 1) {
        if (recv(child.channel, line + length, 1, 0) != 1 || line[length] == '\n')
            break;
        length++;
    }
    line[length] = '\0';
    return line;
}

static const char *wait_text(void)
{
    static char out[128];
    int status;
    ck_assert(process_wait(&child, PATIENCE_MS, &status));
    process_status_text(status, out, sizeof out);
    return out;
}

// The state letter of a process ('T' stopped, 'Z' dead and unreaped), '-' when there is none.
static char state_of(pid_t pid)
{
    char path[64];
    struct text stat = TEXT_INIT;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    char state = '-';
    if (file_read(path, 4096, &stat, NULL) && strrchr(stat.data, ')'))
        state = strrchr(stat.data, ')')[2];
    text_release(&stat);
    return state;
}

// Waits until the state of a process is one of `states`.
static bool reaches(pid_t pid, const char *states)
{
    for (int i = 0; i < 500; i++) {
        if (strchr(states, state_of(pid)))
            return true;
        poll(NULL, 0, 10);
    }
    return false;
}

static int open_descriptors(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

START_TEST(test_channel_is_input_and_output)
{
    const char *const argv[] = {"cat", NULL};
    int before = open_descriptors();
    ck_assert(process_start(&child, argv, NULL, NULL));
    ck_assert_int_eq(getpgid(child.pid), child.pid);
    say("hello\n");
    ck_assert_str_eq(hear(PATIENCE_MS), "hello");
    ck_assert_int_eq(shutdown(child.channel, SHUT_WR), 0);
    ck_assert_str_eq(wait_text(), "exited with status 0");
    ck_assert_int_eq(child.pid, 0);
    process_end(&child);
    ck_assert_int_eq(child.channel, -1);
    ck_assert_int_eq(child.printed, -1);
    ck_assert_int_eq(open_descriptors(), before);
}
END_TEST

START_TEST(test_last_words_are_read_after_the_end)
{
    start_shell("echo result; echo reason >&2; exit 3", NULL);
    ck_assert_str_eq(wait_text(), "exited with status 3");
    ck_assert_str_eq(hear(0), "result");
    ck_assert_str_eq(child.tail, "reason\n");
    ck_assert(send(child.channel, "x", 1, MSG_NOSIGNAL) == -1 && errno == EPIPE);
    process_end(&child);
    ck_assert_str_eq(child.tail, "reason\n");
}
END_TEST

START_TEST(test_missing_command_is_an_error)
{
    const char *const argv[] = {"/nowhere/hone-worker", NULL};
    struct error e = ERROR_INIT;
    int before = open_descriptors();
    ck_assert(!process_start(&child, argv, NULL, &e));
    ck_assert_str_eq(e.text, "cannot start '/nowhere/hone-worker': No such file or directory");
    ck_assert_int_eq(e.driver, ENOENT);
    ck_assert(child.pid == 0 && child.channel == -1 && child.printed == -1);
    ck_assert_int_eq(open_descriptors(), before);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
}
END_TEST

START_TEST(test_killed_child_says_by_what)
{
    start_shell("kill -SEGV $$", NULL);
    ck_assert_str_eq(wait_text(), "was killed by SIGSEGV (segmentation fault)");
}
END_TEST

START_TEST(test_status_texts)
{
    char out[64];
    process_status_text(SIGABRT, out, sizeof out);
    ck_assert_str_eq(out, "was killed by SIGABRT (aborted)");
    process_status_text(SIGSEGV | 0x80, out, sizeof out); // with a core dumped
    ck_assert_str_eq(out, "was killed by SIGSEGV (segmentation fault)");
    process_status_text(60, out, sizeof out);
    ck_assert_str_eq(out, "was killed by signal 60");
    process_status_text(255 << 8, out, sizeof out);
    ck_assert_str_eq(out, "exited with status 255");
    process_status_text(PROCESS_STATUS_UNKNOWN, out, sizeof out);
    ck_assert_str_eq(out, "ended for an unknown reason");
    process_status_text(SIGSEGV, out, 10);
    ck_assert_str_eq(out, "was ki...");
}
END_TEST

START_TEST(test_flood_is_drained_and_its_tail_kept)
{
    start_shell("yes flood | head -c 3000000 >&2; echo the last line >&2", NULL);
    ck_assert_str_eq(wait_text(), "exited with status 0");
    while (process_drain(&child))
        poll(NULL, 0, 1);
    ck_assert_uint_eq(child.tail_length, sizeof child.tail - 1);
    ck_assert_uint_eq(strlen(child.tail), child.tail_length);
    ck_assert(str_starts(strstr(child.tail, "flood\n"), "flood\nflood\n"));
    ck_assert_str_eq(child.tail + child.tail_length - 14, "the last line\n");
}
END_TEST

START_TEST(test_endless_flood_holds_nobody)
{
    start_shell("yes >&2", NULL);
    uint64_t start = clock_ns();
    int status;
    ck_assert(!process_wait(&child, 100, &status));
    for (int i = 0; i < 100; i++)
        ck_assert(process_drain(&child));
    process_end(&child);
    ck_assert_uint_lt(clock_ns() - start, patience() * 10000000000u);
    ck_assert(strstr(child.tail, "y\ny\n"));
}
END_TEST

START_TEST(test_tail_holds_no_nul)
{
    start_shell("printf 'a\\000b' >&2", NULL);
    wait_text();
    ck_assert_str_eq(child.tail, "a b");
    ck_assert_uint_eq(child.tail_length, 3);
}
END_TEST

START_TEST(test_stop_and_continue)
{
    start_shell("while read x; do echo got $x; done", NULL);
    say("one\n");
    ck_assert_str_eq(hear(PATIENCE_MS), "got one");
    process_stop(&child);
    ck_assert(child.stopped);
    ck_assert(reaches(child.pid, "T"));
    say("two\n");
    ck_assert_str_eq(hear(200), "");
    int status;
    ck_assert(!process_wait(&child, 0, &status)); // stopped is not gone
    process_continue(&child);
    ck_assert(!child.stopped);
    ck_assert_str_eq(hear(PATIENCE_MS), "got two");
}
END_TEST

START_TEST(test_end_of_a_stopped_child)
{
    start_shell("read x", NULL);
    pid_t pid = child.pid;
    process_stop(&child);
    ck_assert(reaches(pid, "T"));
    process_end(&child);
    ck_assert_int_eq(state_of(pid), '-');
    ck_assert(!child.stopped && child.pid == 0);
}
END_TEST

START_TEST(test_wait_ends_in_time)
{
    start_shell("exec sleep 100", NULL);
    int status;
    uint64_t start = clock_ns();
    ck_assert(!process_wait(&child, 0, &status));
    ck_assert(!process_wait(&child, 60, &status));
    uint64_t passed = clock_ns() - start;
    ck_assert_uint_ge(passed, 60000000);
    ck_assert_uint_lt(passed, UINT64_C(5000000000));
    process_signal(&child, SIGTERM);
    ck_assert(process_wait(&child, -1, &status));
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    ck_assert(process_wait(&child, -1, NULL)); // nobody is left to wait for
}
END_TEST

static pid_t hear_pid(void)
{
    int64_t pid;
    ck_assert(str_to_i64(hear(PATIENCE_MS), &pid));
    ck_assert_int_gt(pid, 0);
    return (pid_t)pid;
}

START_TEST(test_grandchildren_end_with_the_child)
{
    start_shell("sleep 100 & echo $!; wait", NULL);
    pid_t grandchild = hear_pid();
    process_end(&child);
    ck_assert(reaches(grandchild, "-Z"));
}
END_TEST

START_TEST(test_orphans_end_when_the_child_is_reaped)
{
    start_shell("sleep 100 & echo $!", NULL);
    pid_t grandchild = hear_pid();
    ck_assert_str_eq(wait_text(), "exited with status 0");
    ck_assert(reaches(grandchild, "-Z"));
}
END_TEST

START_TEST(test_environment_is_added_and_replaced)
{
    static const char *const additions[] = {"HONE_TEST_A=added", "HONE_TEST_B=child", NULL};
    setenv("HONE_TEST_B", "parent", 1);
    setenv("HONE_TEST_BC", "kept", 1);
    start_shell("echo $HONE_TEST_A $HONE_TEST_B $HONE_TEST_BC", additions);
    ck_assert_str_eq(hear(PATIENCE_MS), "added child kept");
    process_end(&child);
    start_shell("echo \"[$HONE_TEST_A]\" $HONE_TEST_B", NULL);
    ck_assert_str_eq(hear(PATIENCE_MS), "[] parent");
}
END_TEST

START_TEST(test_signals_are_reset)
{
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    const char *const argv[] = {"grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status", NULL};
    ck_assert(process_start(&child, argv, NULL, NULL));
    ck_assert_str_eq(hear(PATIENCE_MS), "SigBlk:\t0000000000000000");
    const char *ignored = hear(PATIENCE_MS);
    ck_assert(str_starts(ignored, "SigIgn:\t"));
    // The 31 standard signals; glibc itself starts children with its two internal ones ignored.
    ck_assert_uint_eq(strtoull(ignored + 8, NULL, 16) & 0x7fffffff, 0);
}
END_TEST

START_TEST(test_no_other_descriptor_is_inherited)
{
    const char *const argv[] = {"cat", NULL};
    struct process other = PROCESS_NONE;
    ck_assert(process_start(&other, argv, NULL, NULL));
    start_shell("for f in /proc/$$/fd/*; do readlink $f; done | grep -c socket", NULL);
    ck_assert_str_eq(hear(PATIENCE_MS), "2"); // its own 0 and 1
    process_end(&other);
}
END_TEST

// A daemon has closed its descriptors 0 to 2: the new ones then get these numbers.
START_TEST(test_start_without_standard_descriptors)
{
    int kept[3];
    for (int i = 0; i < 3; i++) {
        kept[i] = fcntl(i, F_DUPFD_CLOEXEC, 100);
        close(i);
    }
    const char *const argv[] = {"sh", "-c", "read x; echo $x; echo said >&2", NULL};
    bool ok = process_start(&child, argv, NULL, NULL);
    for (int i = 0; i < 3; i++)
        dup2(kept[i], i);
    ck_assert(ok);
    ck_assert_int_gt(child.channel, 2);
    say("through\n");
    ck_assert_str_eq(hear(PATIENCE_MS), "through");
    ck_assert_str_eq(wait_text(), "exited with status 0");
    ck_assert_str_eq(child.tail, "said\n");
}
END_TEST

START_TEST(test_ignored_sigchld_is_survived)
{
    int status = 0;
    signal(SIGCHLD, SIG_IGN);
    start_shell("exit 3", NULL);
    ck_assert(process_wait(&child, PATIENCE_MS, &status));
    ck_assert_int_eq(status, PROCESS_STATUS_UNKNOWN);
    ck_assert_int_eq(child.pid, 0);
}
END_TEST

START_TEST(test_none_is_harmless)
{
    struct process none = PROCESS_NONE;
    process_signal(&none, SIGKILL);
    process_stop(&none);
    process_continue(&none);
    ck_assert(!none.stopped && !process_drain(&none));
    process_end(&none);
    process_end(&none);
    ck_assert(none.pid == 0 && none.channel == -1 && none.printed == -1);
}
END_TEST

static int child_policy(void)
{
    start_shell("read x", NULL);
    int policy = sched_getscheduler(child.pid);
    process_end(&child);
    return policy;
}

// How a user had it scheduled stays; what is started meanwhile is scheduled as its parent is.
START_TEST(test_batch)
{
    static const struct sched_param none;
    if (sched_getscheduler(0) != SCHED_OTHER)
        return;
    ck_assert(process_batch());
    ck_assert_int_eq(sched_getscheduler(0), SCHED_BATCH);
    ck_assert_int_eq(child_policy(), SCHED_BATCH);
    process_batch_end();
    ck_assert_int_eq(child_policy(), SCHED_OTHER);
    ck_assert_int_eq(sched_setscheduler(0, SCHED_BATCH, &none), 0);
    ck_assert(!process_batch());
    ck_assert_int_eq(sched_getscheduler(0), SCHED_BATCH);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, NULL, teardown);
    tcase_add_test(tests, test_channel_is_input_and_output);
    tcase_add_test(tests, test_last_words_are_read_after_the_end);
    tcase_add_test(tests, test_missing_command_is_an_error);
    tcase_add_test(tests, test_killed_child_says_by_what);
    tcase_add_test(tests, test_status_texts);
    tcase_add_test(tests, test_flood_is_drained_and_its_tail_kept);
    tcase_add_test(tests, test_endless_flood_holds_nobody);
    tcase_add_test(tests, test_tail_holds_no_nul);
    tcase_add_test(tests, test_stop_and_continue);
    tcase_add_test(tests, test_end_of_a_stopped_child);
    tcase_add_test(tests, test_wait_ends_in_time);
    tcase_add_test(tests, test_grandchildren_end_with_the_child);
    tcase_add_test(tests, test_orphans_end_when_the_child_is_reaped);
    tcase_add_test(tests, test_environment_is_added_and_replaced);
    tcase_add_test(tests, test_signals_are_reset);
    tcase_add_test(tests, test_no_other_descriptor_is_inherited);
    tcase_add_test(tests, test_start_without_standard_descriptors);
    tcase_add_test(tests, test_ignored_sigchld_is_survived);
    tcase_add_test(tests, test_batch);
    tcase_add_test(tests, test_none_is_harmless);
}

int main(void)
{
    return suite_run("process", add);
}
