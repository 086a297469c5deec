// Files that are replaced: whole, with the mode and the links of what was there, and nothing left beside them.
#include "os/file_replace.h"
#include "suite.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[32], before[4096];

static void setup(void)
{
    strcpy(folder, "/tmp/hone-test-XXXXXX");
    ck_assert(getcwd(before, sizeof before) && mkdtemp(folder) && chdir(folder) == 0);
    umask(022);
}

static void teardown(void)
{
    ck_assert_int_eq(chdir(before), 0);
    folder_remove(folder);
}

static void replace(const char *path, const char *with)
{
    struct error e = ERROR_INIT;
    struct text t = TEXT_INIT;
    text_add(&t, with);
    ck_assert_msg(file_replaceable(path, &e), "%s", e.text);
    ck_assert_msg(file_replace(path, &t, &e), "%s", e.text);
    text_release(&t);
}

static void expect(const char *path, const char *holds)
{
    struct text t = TEXT_INIT;
    ck_assert(file_read(path, 0, &t, NULL));
    ck_assert_str_eq(text_cstr(&t), holds);
    text_release(&t);
}

static mode_t mode_of(const char *path)
{
    struct stat s;
    ck_assert_int_eq(lstat(path, &s), 0);
    return s.st_mode;
}

static int entries(const char *path)
{
    int count = 0;
    DIR *d = opendir(path);
    ck_assert_ptr_nonnull(d);
    for (struct dirent *x; (x = readdir(d));)
        count += x->d_name[0] != '.';
    closedir(d);
    return count;
}

START_TEST(test_a_new_file)
{
    replace("new", "one");
    expect("new", "one");
    ck_assert_uint_eq(mode_of("new"), S_IFREG | 0644);
    ck_assert_int_eq(entries("."), 1);
}
END_TEST

START_TEST(test_its_mode_stays)
{
    static const mode_t modes[] = {0600, 0640, 0664, 0755, 0444};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        replace("file", "old");
        ck_assert_int_eq(chmod("file", modes[i]), 0);
        replace("file", "new");
        expect("file", "new");
        ck_assert_uint_eq(mode_of("file"), S_IFREG | modes[i]);
    }
    ck_assert_int_eq(entries("."), 1);
}
END_TEST

// Only root can give a file away.
START_TEST(test_its_owner_stays)
{
    struct stat s;
    if (geteuid() != 0)
        return;
    replace("file", "old");
    ck_assert_int_eq(chmod("file", 0660), 0);
    ck_assert_int_eq(chown("file", 12345, 23456), 0);
    replace("file", "new");
    ck_assert_int_eq(stat("file", &s), 0);
    ck_assert_uint_eq(s.st_uid, 12345);
    ck_assert_uint_eq(s.st_gid, 23456);
    ck_assert_uint_eq(s.st_mode, S_IFREG | 0660);
}
END_TEST

START_TEST(test_links_stay)
{
    ck_assert(mkdir("there", 0777) == 0 && mkdir("here", 0777) == 0);
    ck_assert_int_eq(symlink("../there/link", "here/link"), 0);
    ck_assert_int_eq(symlink("file", "there/link"), 0);
    replace("here/link", "one"); // its target is not there yet
    replace("here/link", "two");
    expect("there/file", "two");
    ck_assert(S_ISLNK(mode_of("here/link")) && S_ISLNK(mode_of("there/link")));
    ck_assert(S_ISREG(mode_of("there/file")));
    ck_assert_int_eq(entries("here"), 1);
    ck_assert_int_eq(entries("there"), 2);
}
END_TEST

START_TEST(test_refusals)
{
    struct error e = ERROR_INIT;
    struct text t = TEXT_INIT;
    text_add(&t, "new");
    ck_assert(symlink("b", "a") == 0 && symlink("a", "b") == 0 && mkdir("folder", 0777) == 0);
    ck_assert(!file_replaceable("a", &e) && e.driver == ELOOP);
    ck_assert(!file_replace("a", &t, &e));
    error_clear(&e);
    ck_assert(!file_replaceable("folder", &e) && e.driver == EISDIR);
    error_clear(&e);
    ck_assert(!file_replace("folder", &t, &e) && e.driver == EISDIR);
    error_clear(&e);
    ck_assert(!file_replace("missing/file", &t, &e) && e.driver == ENOENT);
    ck_assert_str_eq(e.text, "missing/file: cannot write: No such file or directory");
    text_release(&t);
    ck_assert_int_eq(entries("."), 3);
}
END_TEST

// An open file of this process, here standard output, is printed to: it is the file that its reader has.
START_TEST(test_an_open_file)
{
    int file = open("printed", O_RDWR | O_CREAT, 0600), old = dup(1);
    struct stat is, was;
    ck_assert(file >= 0 && old >= 0 && write(file, "first ", 6) == 6 && dup2(file, 1) == 1);
    replace("/dev/stdout", "then");
    ck_assert_int_eq(dup2(old, 1), 1);
    ck_assert(fstat(file, &was) == 0 && stat("printed", &is) == 0);
    ck_assert_uint_eq(is.st_ino, was.st_ino);
    expect("printed", "first then");
    close(file);
    close(old);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, test_a_new_file);
    tcase_add_test(tests, test_its_mode_stays);
    tcase_add_test(tests, test_its_owner_stays);
    tcase_add_test(tests, test_links_stay);
    tcase_add_test(tests, test_refusals);
    tcase_add_test(tests, test_an_open_file);
}

int main(void)
{
    return suite_run("file_replace", add);
}
