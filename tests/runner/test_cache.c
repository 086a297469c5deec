// Caches within bounds: the oldest go first, what may be in use stays.
#include "base/text.h"
#include "os/cache_folder.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char folder[64];

static void setup(void)
{
    snprintf(folder, sizeof folder, "/tmp/hone-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void teardown(void)
{
    folder_remove(folder);
}

// A file of 64 KiB below `parent`, last changed so many hours ago.
static void make(const char *parent, const char *name, unsigned hours)
{
    static const char block[65536] = "x";
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, parent);
    ck_assert(folder_make(path, NULL));
    snprintf(path, sizeof path, "%s/%s/%s", folder, parent, name);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(block, 1, sizeof block, f), sizeof block);
    fclose(f);
    struct timespec times[2] = {{.tv_sec = time(NULL) - (time_t)hours * 3600}, {0}};
    times[1] = times[0];
    ck_assert_int_eq(utimensat(0, path, times, 0), 0);
}

static bool is_there(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

START_TEST(test_below_the_limit)
{
    make(".", "a", 50);
    ck_assert_uint_eq(cache_trim(folder, 1, 1 << 20), 0);
    ck_assert(is_there("a"));
}
END_TEST

START_TEST(test_measured)
{
    make("a/b", "x", 50);
    make("a/b", "y", 3);
    make("c/d", "z", 7);
    struct cache_usage u = cache_measure(folder, 2), none = cache_measure("/nonexistent", 1);
    ck_assert_uint_eq(u.entries, 2);
    ck_assert_uint_ge(u.bytes, 3 * 65536);
    ck_assert_int_le(llabs((long long)(time(NULL) - u.oldest) - 7 * 3600), 60);
    ck_assert_int_le(llabs((long long)(time(NULL) - u.newest) - 3 * 3600), 60);
    struct cache_usage more = {.entries = 5, .bytes = 10};
    struct cache_usage went = cache_usage_less(&u, &more), grew = cache_usage_less(&none, &u);
    ck_assert(went.entries == 0 && went.bytes == u.bytes - 10);
    ck_assert(grew.entries == 0 && grew.bytes == 0);
    ck_assert(none.entries == 0 && none.bytes == 0 && none.oldest == 0 && none.newest == 0);
}
END_TEST

START_TEST(test_oldest_first)
{
    make(".", "old", 50);
    make(".", "older", 60);
    make(".", "new", 2);
    make(".", "now", 0);
    // 256 KiB; limit 200 KiB: down to 100 KiB, so that three must go, but never what is in use.
    ck_assert_uint_ge(cache_trim(folder, 1, 200 << 10), 3 * 65536);
    ck_assert(!is_there("older"));
    ck_assert(!is_there("old"));
    ck_assert(!is_there("new"));
    ck_assert(is_there("now"));
}
END_TEST

// An entry goes as a whole, and only when all of it is old.
START_TEST(test_trees)
{
    make("ab/entry", "one", 90);
    make("ab/entry", "two", 0);
    make("ab/stale", "one", 80);
    make("cd/stale", "one", 70);
    cache_trim(folder, 2, 100 << 10);
    ck_assert(is_there("ab/entry/one"));
    ck_assert(is_there("ab/entry/two"));
    ck_assert(!is_there("ab/stale"));
    ck_assert(!is_there("cd/stale"));
}
END_TEST

START_TEST(test_missing_folder)
{
    ck_assert_uint_eq(cache_trim("/nonexistent/folder", 1, 1), 0);
}
END_TEST

static void stamp_at(const char *stamp, long seconds_ago)
{
    struct timespec times[2] = {{.tv_sec = time(NULL) - seconds_ago}, {0}};
    times[1] = times[0];
    ck_assert_int_eq(utimensat(0, stamp, times, 0), 0);
}

// Once a day; a stamp that is missing or of the future is as old as any.
START_TEST(test_due_once_a_day)
{
    char stamp[128];
    snprintf(stamp, sizeof stamp, "%s/trimmed", folder);
    ck_assert(cache_trim_due(stamp));
    ck_assert(!cache_trim_due(stamp));
    stamp_at(stamp, 86400 - 60);
    ck_assert(!cache_trim_due(stamp));
    stamp_at(stamp, 86400 + 60);
    ck_assert(cache_trim_due(stamp));
    ck_assert(!cache_trim_due(stamp));
    stamp_at(stamp, -3600);
    ck_assert(cache_trim_due(stamp));
    ck_assert(!cache_trim_due(stamp));
    ck_assert(cache_trim_due("/nowhere/at/all"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cache");
    TCase *cases = tcase_create("cache");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, test_below_the_limit);
    tcase_add_test(cases, test_measured);
    tcase_add_test(cases, test_oldest_first);
    tcase_add_test(cases, test_trees);
    tcase_add_test(cases, test_missing_folder);
    tcase_add_test(cases, test_due_once_a_day);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
