// The device's lock: one holder at a time, turns are taken, a holder's death frees it.
#include "os/process.h"
#include "base/text.h"
#include "worker/device_lock.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];
static const struct device_info cpu = {.type = DEVICE_CPU, .pci = "", .uuid = "", .id = "a"};

static void setup(void)
{
    snprintf(folder, sizeof folder, "/tmp/hone-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void teardown(void)
{
    folder_remove(folder);
}

START_TEST(test_one_holder)
{
    struct device_lock a, b;
    struct error e = ERROR_INIT;
    ck_assert(device_lock_open(&a, folder, &cpu, &e));
    ck_assert(device_lock_open(&b, folder, &cpu, &e));
    ck_assert_int_eq(device_lock_try(&a, &e), 1);
    ck_assert_int_eq(device_lock_try(&b, &e), 0);
    ck_assert(b.waiting);
    char mine[64];
    snprintf(mine, sizeof mine, "process %ld (test_", (long)getpid());
    ck_assert_msg(strstr(b.holder, mine) == b.holder, "%s", b.holder);
    ck_assert_msg(strstr(b.holder, ") of user ") && strstr(b.holder, folder), "%s", b.holder);
    device_lock_release(&a);
    // b waits: a must let it have its turn.
    ck_assert_int_eq(device_lock_try(&a, &e), 0);
    ck_assert_int_eq(device_lock_try(&b, &e), 1);
    ck_assert(!b.waiting);
    device_lock_release(&b);
    device_lock_close(&a);
    device_lock_close(&b);
}
END_TEST

START_TEST(test_other_device_is_free)
{
    static const struct device_info gpu = {.type = DEVICE_GPU, .pci = "0000:65:00.0", .uuid = ""};
    struct device_lock a, b;
    struct error e = ERROR_INIT;
    ck_assert(device_lock_open(&a, folder, &cpu, &e));
    ck_assert(device_lock_open(&b, folder, &gpu, &e));
    ck_assert_int_eq(device_lock_try(&a, &e), 1);
    ck_assert_int_eq(device_lock_try(&b, &e), 1);
    device_lock_close(&a);
    device_lock_close(&b);
}
END_TEST

// Two drivers write one card's address in two ways.
START_TEST(test_one_card_has_one_lock)
{
    static const struct device_info views[] = {
        {.type = DEVICE_GPU, .pci = "0000:6a:00.0", .uuid = ""},
        {.type = DEVICE_GPU, .pci = "00000000:6A:00.0", .uuid = "GPU-1"},
        {.type = DEVICE_GPU, .pci = "0000:6b:00.0", .uuid = ""}};
    char names[3][DEVICE_LOCK_NAME];
    for (int i = 0; i < 3; i++)
        device_lock_name(&views[i], names[i]);
    ck_assert_str_eq(names[0], names[1]);
    ck_assert_str_ne(names[0], names[2]);
}
END_TEST

START_TEST(test_death_frees_it)
{
    struct device_lock mine;
    struct error e = ERROR_INIT;
    int ready[2];
    ck_assert_int_eq(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        struct device_lock theirs;
        if (!device_lock_open(&theirs, folder, &cpu, NULL) || device_lock_try(&theirs, NULL) != 1)
            _exit(1);
        if (write(ready[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    char x;
    ck_assert_int_eq(read(ready[0], &x, 1), 1);
    ck_assert(device_lock_open(&mine, folder, &cpu, &e));
    ck_assert_int_eq(device_lock_try(&mine, &e), 0);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    ck_assert_int_eq(device_lock_try(&mine, &e), 1);
    device_lock_close(&mine);
}
END_TEST

// What is in the file was written by anybody: only a process's number is taken from it.
START_TEST(test_what_others_noted)
{
    static const struct {
        const char *note, *said;
    } notes[] = {
        {"process 1\n", " of user root, for "},
        {"process 2147483647\n", "2147483647, which has ended"},
        {"process 1\x1b[2Jx\n", "does not say which"},
        {"\x1b]0;title\x07", "does not say which"},
        {"process -1\n", "does not say which"},
        {"process 99999999999999999999\n", "does not say which"},
        {"", "does not say which"},
    };
    struct device_lock a, b;
    struct error e = ERROR_INIT;
    ck_assert(device_lock_open(&a, folder, &cpu, &e));
    ck_assert_int_eq(device_lock_try(&a, &e), 1);
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        ck_assert_int_eq(ftruncate(a.fd, 0), 0);
        ck_assert(pwrite(a.fd, notes[i].note, strlen(notes[i].note), 16) >= 0);
        ck_assert(device_lock_open(&b, folder, &cpu, &e));
        ck_assert_int_eq(device_lock_try(&b, &e), 0);
        ck_assert_msg(strstr(b.holder, notes[i].said), "%s: %s", notes[i].said, b.holder);
        ck_assert_ptr_null(strchr(b.holder, '\x1b'));
        device_lock_close(&b);
    }
    device_lock_close(&a);
}
END_TEST

// Who holds it for ever is named, after the limit.
START_TEST(test_waits_so_long)
{
    struct device_lock a, b;
    struct error e = ERROR_INIT;
    ck_assert(device_lock_open(&a, folder, &cpu, &e) && device_lock_open(&b, folder, &cpu, &e));
    ck_assert_int_eq(device_lock_try(&a, &e), 1);
    b.limit_ns = 50000000;
    ck_assert_int_eq(device_lock_try(&b, &e), 0);
    usleep(60000);
    ck_assert_int_eq(device_lock_try(&b, &e), -1);
    ck_assert_int_eq(e.code, ERROR_DEVICE);
    ck_assert_msg(strstr(e.text, "not free within 50.00 ms") && strstr(e.text, "process ") &&
                      strstr(e.text, "of user ") && strstr(e.text, folder) &&
                      strstr(e.text, "--timeout lock="),
                  "%s", e.text);
    device_lock_release(&a);
    ck_assert_int_eq(device_lock_try(&b, &e), 1);
    device_lock_close(&a);
    device_lock_close(&b);
}
END_TEST

START_TEST(test_bad_folder)
{
    struct device_lock l;
    struct error e = ERROR_INIT;
    ck_assert(!device_lock_open(&l, "/nonexistent", &cpu, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "/nonexistent"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lock");
    TCase *cases = tcase_create("lock");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, test_one_holder);
    tcase_add_test(cases, test_other_device_is_free);
    tcase_add_test(cases, test_one_card_has_one_lock);
    tcase_add_test(cases, test_death_frees_it);
    tcase_add_test(cases, test_what_others_noted);
    tcase_add_test(cases, test_waits_so_long);
    tcase_add_test(cases, test_bad_folder);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
