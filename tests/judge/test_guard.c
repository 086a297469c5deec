// What a worker leaves behind, and what this process has started itself; and a stop that holds for whatever was started.
#include "extras/judge/judging_guard.h"

#include "os/descendants.h"
#include "os/process.h"

#include <check.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// The state of a process, as a letter, once it is that one; or the last that was seen.
static char await_state(pid_t pid, char wanted)
{
    char path[64], line[512], state = '?';
    for (int i = 0; i < 2000 && state != wanted; i++) {
        snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
        FILE *f = fopen(path, "r");
        const char *rest = f && fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
        state = rest ? rest[2] : '?';
        if (f)
            fclose(f);
        usleep(1000);
    }
    return state;
}

// A filter of seccomp that refuses nothing.
static void enter_filter(void)
{
    struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog program = {1, &allow};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        _exit(EXIT_FAILURE);
}

// The child of a child, which has left its group and lost its parent.
static pid_t leave_stray(bool is_enclosed)
{
    int ends[2];
    pid_t stray = 0;
    ck_assert(pipe(ends) == 0);
    pid_t between = fork();
    if (between == 0) {
        stray = fork();
        if (stray == 0) {
            setsid();
            if (is_enclosed)
                enter_filter();
            stray = getpid();
            if (write(ends[1], &stray, sizeof stray) != sizeof stray)
                _exit(EXIT_FAILURE);
            for (;;)
                pause();
        }
        _exit(EXIT_SUCCESS);
    }
    ck_assert(read(ends[0], &stray, sizeof stray) == sizeof stray);
    ck_assert(waitpid(between, NULL, 0) == between);
    close(ends[0]);
    close(ends[1]);
    return stray;
}

START_TEST(test_strays)
{
    static const char *const sleeps[] = {"sleep", "100", NULL};
    struct error e = ERROR_INIT;
    struct process own;
    int status;
    ck_assert(descendants_adopt() && process_start(&own, sleeps, NULL, &e));
    ck_assert_ptr_null(guard_kill_strays());
    pid_t other = leave_stray(false); // as from a shell that became this program
    ck_assert_ptr_null(guard_kill_strays());
    pid_t stray = leave_stray(true);
    ck_assert_ptr_nonnull(guard_kill_strays());
    ck_assert(waitpid(stray, &status, 0) == stray && WIFSIGNALED(status));
    ck_assert_ptr_null(guard_kill_strays());
    stray = leave_stray(true);
    uint64_t looked_ns = 0; // a look kills it, too, and blames no one
    ck_assert_ptr_null(guard_look(UINT64_C(1) << 40, &looked_ns));
    ck_assert(waitpid(stray, &status, 0) == stray && WIFSIGNALED(status));
    ck_assert(!process_has_ended(&own) && kill(other, SIGKILL) == 0);
    process_end(&own);
}
END_TEST

START_TEST(test_stop)
{
    static const char *const leaves[] = {"sh", "-c", "setsid sleep 100 & wait", NULL};
    struct error e = ERROR_INIT;
    struct process own;
    pid_t below[8];
    ck_assert(process_start(&own, leaves, NULL, &e));
    size_t count = 0;
    for (int i = 0; i < 2000 && (count != 1 || getsid(below[0]) != below[0]); i++) {
        count = descendants_list(own.pid, below, 8);
        usleep(1000);
    }
    ck_assert(count == 1 && getpgid(below[0]) != own.pid);
    descendants_signal(own.pid, SIGSTOP);
    ck_assert_int_eq(await_state(below[0], 'T'), 'T');
    descendants_signal(own.pid, SIGCONT);
    ck_assert_int_eq(await_state(below[0], 'S'), 'S');
    process_end(&own);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("guard");
    TCase *t = tcase_create("guard");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, test_strays);
    tcase_add_test(t, test_stop);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
