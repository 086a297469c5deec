#include "base/random.h"
#include "base/text.h"
#include "comma_locale.h"
#include "suite.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

// ---- the growable text

START_TEST(test_text_grows)
{
    struct text t = TEXT_INIT;
    ck_assert_str_eq(text_cstr(&t), "");
    for (int i = 0; i < 1000; i++)
        text_addf(&t, "%03d,", i);
    ck_assert_uint_eq(t.length, 4000);
    ck_assert(!t.failed && str_starts(t.data, "000,001,"));
    ck_assert_str_eq(t.data + 3992, "998,999,");

    text_clear(&t);
    ck_assert_str_eq(text_cstr(&t), "");
    text_addn(&t, "a\0b", 3);
    text_addc(&t, 'c');
    text_add(&t, "de");
    ck_assert_uint_eq(t.length, 6);
    ck_assert(memcmp(t.data, "a\0bcde", 7) == 0);
    text_release(&t);
    ck_assert_ptr_eq(t.data, NULL);
}
END_TEST

START_TEST(test_text_failure_is_sticky)
{
    struct text t = TEXT_INIT;
    volatile size_t huge = SIZE_MAX - 4;
    text_add(&t, "kept");
    text_addn(&t, "x", huge);
    ck_assert(t.failed);
    text_add(&t, "more");
    text_addf(&t, "%d", 1);
    ck_assert_str_eq(text_cstr(&t), "kept");
    ck_assert_ptr_eq(text_steal(&t), NULL);
    ck_assert(!t.failed && t.length == 0);
}
END_TEST

START_TEST(test_text_steal_gives_away)
{
    struct text t = TEXT_INIT;
    char *empty = text_steal(&t);
    ck_assert_str_eq(empty, "");
    text_add(&t, "mine");
    char *full = text_steal(&t);
    ck_assert_str_eq(full, "mine");
    ck_assert_ptr_eq(t.data, NULL);
    free(empty);
    free(full);
}
END_TEST

// ---- files and folders

static char folder[] = "/tmp/hone_text_XXXXXX";

static void folder_setup(void)
{
    ck_assert_ptr_ne(mkdtemp(folder), NULL);
}

static void folder_teardown(void)
{
    folder_remove(folder);
    ck_assert(access(folder, F_OK) != 0);
}

static const char *inside(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *path, size_t length)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_ne(file, NULL);
    for (size_t i = 0; i < length; i++)
        fputc((int)(i % 251), file);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(test_file_read_whole)
{
    static const size_t lengths[] = {0, 1, 16383, 16384, 16385, 100000};
    struct text t = TEXT_INIT;
    for (int i = 0; i < COUNT(lengths); i++) {
        struct error e = ERROR_INIT;
        write_file(inside("file"), lengths[i]);
        ck_assert(file_read(inside("file"), 0, &t, &e));
        ck_assert_uint_eq(t.length, lengths[i]);
        ck_assert(t.data && t.data[lengths[i]] == '\0');
        for (size_t k = 0; k < lengths[i]; k++)
            ck_assert_uint_eq((unsigned char)t.data[k], k % 251);
    }
    text_release(&t);
}
END_TEST

START_TEST(test_file_read_limit)
{
    struct text t = TEXT_INIT;
    struct error e = ERROR_INIT;
    write_file(inside("file"), 1000);
    ck_assert(file_read(inside("file"), 1000, &t, &e));
    ck_assert(!file_read(inside("file"), 999, &t, &e));
    ck_assert_uint_eq(t.length, 0);
    ck_assert_int_eq(e.code, ERROR_IO);
    ck_assert(strstr(e.text, "it is larger than 999 bytes"));
    // A file without an end stops at the limit.
    ck_assert(!file_read("/dev/zero", 100000, &t, NULL));
    text_release(&t);
}
END_TEST

START_TEST(test_file_read_refusals)
{
    struct text t = TEXT_INIT;
    struct error e = ERROR_INIT;
    ck_assert(!file_read("/nowhere/x", 0, &t, &e));
    ck_assert_int_eq(e.code, ERROR_IO);
    ck_assert_int_eq(e.driver, ENOENT);
    ck_assert_str_eq(e.text, "cannot read '/nowhere/x': No such file or directory");
    error_clear(&e);
    ck_assert(!file_read("/tmp", 0, &t, &e));
    ck_assert_int_eq(e.driver, EISDIR);
    ck_assert_str_eq(e.text, "cannot read '/tmp': it is a folder, not a file");
    text_release(&t);
}
END_TEST

START_TEST(test_file_read_text_refuses_nul)
{
    struct text t = TEXT_INIT;
    struct error e = ERROR_INIT, expected = ERROR_INIT;
    FILE *file = fopen(inside("file"), "wb");
    ck_assert(file && fwrite("one\ntwo\0three\n", 1, 14, file) == 14);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert(file_read(inside("file"), 0, &t, &e));
    ck_assert(!file_read_text(inside("file"), 0, &t, &e));
    ck_assert_uint_eq(t.length, 0);
    ck_assert_int_eq(e.code, ERROR_INPUT);
    error_set(&expected, ERROR_INPUT, "%s:2:4: a NUL byte (byte 8 of 14); a text has none",
              inside("file"));
    ck_assert_str_eq(e.text, expected.text);
    ck_assert(str_has_no_nul("nothing", NULL, 0, NULL));
    ck_assert(str_has_no_nul("text", "text", 4, NULL));
    ck_assert(!str_has_no_nul("text", "text", 5, NULL));
    text_release(&t);
}
END_TEST

static bool is_folder_at(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

START_TEST(test_folder_make)
{
    struct error e = ERROR_INIT;
    ck_assert(folder_make(inside("a/b//c/"), &e));
    ck_assert(is_folder_at(inside("a/b/c")));
    ck_assert(folder_make(inside("a/b/c"), &e));
    ck_assert(folder_make("/", &e));
    ck_assert(folder_make("/tmp", &e));

    write_file(inside("file"), 1);
    ck_assert(!folder_make(inside("file"), &e));
    ck_assert_int_eq(e.driver, ENOTDIR);
    ck_assert(str_starts(e.text, "cannot create folder '/tmp/hone_text_"));
    error_clear(&e);
    ck_assert(!folder_make(inside("file/below"), &e));
    ck_assert_int_eq(e.driver, ENOTDIR);
    error_clear(&e);
    ck_assert(!folder_make("", &e));
    ck_assert_int_eq(e.driver, ENOENT);
}
END_TEST

START_TEST(test_folder_remove_follows_no_links)
{
    char link[256];
    ck_assert(folder_make(inside("kept"), NULL));
    write_file(inside("kept/file"), 1);
    ck_assert(folder_make(inside("gone/deep"), NULL));
    write_file(inside("gone/deep/file"), 1);
    snprintf(link, sizeof link, "%s", inside("gone/link"));
    ck_assert_int_eq(symlink(inside("kept"), link), 0);
    folder_remove(inside("gone"));
    ck_assert(access(inside("gone"), F_OK) != 0);
    ck_assert(access(inside("kept/file"), F_OK) == 0);
    folder_remove(inside("never there"));
}
END_TEST

// ---- comparing

START_TEST(test_comparisons)
{
    ck_assert(str_equal(NULL, NULL) && !str_equal(NULL, "") && !str_equal("", NULL));
    ck_assert(str_equal("a", "a") && !str_equal("a", "A"));
    ck_assert(str_equal_nocase("NVIDIA", "nvidia") && !str_equal_nocase("a", "ab"));
    ck_assert(!str_equal_nocase("[", "{") && !str_equal_nocase("@", "`"));
    ck_assert(str_equal_nocase(NULL, NULL) && !str_equal_nocase(NULL, ""));
    ck_assert(str_starts("tile", "ti") && str_starts("tile", "") && !str_starts("ti", "tile"));
    ck_assert(str_contains_nocase("NVIDIA H200 NVL", "h200"));
    ck_assert(str_contains_nocase("aab", "AB") && str_contains_nocase("x", ""));
    ck_assert(str_contains_nocase("", "") && !str_contains_nocase("", "x"));
    ck_assert(!str_contains_nocase("H20", "h200"));
}
END_TEST

static const struct {
    const char *a, *b;
    size_t distance;
} distances[] = {
    {"", "", 0},
    {"", "abc", 3},
    {"kitten", "sitting", 3},
    {"saturday", "sunday", 3},
    {"tile", "TILE", 0},
    {"ab", "ba", 1},  // neighbours swapped
    {"ca", "abc", 3}, // no edit inside a swap (optimal string alignment)
    {"tile_sizex", "tile_size_x", 1},
    {"block", "blcok", 1},
};

START_TEST(test_distance)
{
    ck_assert_uint_eq(str_distance(distances[_i].a, distances[_i].b), distances[_i].distance);
    ck_assert_uint_eq(str_distance(distances[_i].b, distances[_i].a), distances[_i].distance);
}
END_TEST

START_TEST(test_nearest)
{
    static const char *const names[] = {"tile_size_x", "tile_size_y", "block_size", "x", "unroll"};
    ck_assert_str_eq(str_nearest("tile_sizex", names, 5), "tile_size_x");
    ck_assert_str_eq(str_nearest("tile_size", names, 5), "tile_size_x"); // the first of a tie
    ck_assert_str_eq(str_nearest("BLOCK_SIZE", names, 5), "block_size");
    ck_assert_str_eq(str_nearest("xx", names, 5), "x");
    ck_assert_str_eq(str_nearest("unrlol", names, 5), "unroll");
    ck_assert_ptr_eq(str_nearest("y", names, 5), NULL);
    ck_assert_ptr_eq(str_nearest("local_memory", names, 5), NULL);
    ck_assert_ptr_eq(str_nearest("", names, 5), NULL);
    ck_assert_ptr_eq(str_nearest("tile", names, 0), NULL);
}
END_TEST

// ---- numbers

static const struct {
    const char *s;
    bool ok;
    int64_t value;
} i64s[] = {
    {"0", true, 0},
    {"-0", true, 0},
    {"+7", true, 7},
    {"-1", true, -1},
    {"9223372036854775807", true, INT64_MAX},
    {"-9223372036854775808", true, INT64_MIN},
    {"9223372036854775808", false, 0},
    {"-9223372036854775809", false, 0},
    {"", false, 0},
    {"-", false, 0},
    {"+-1", false, 0},
    {" 1", false, 0},
    {"1 ", false, 0},
    {"1.0", false, 0},
    {"0x10", false, 0},
};

START_TEST(test_to_i64)
{
    int64_t value = 99;
    ck_assert_msg(str_to_i64(i64s[_i].s, &value) == i64s[_i].ok, "'%s'", i64s[_i].s);
    ck_assert_int_eq(value, i64s[_i].ok ? i64s[_i].value : 99);
}
END_TEST

START_TEST(test_to_u64)
{
    uint64_t value = 99;
    ck_assert(str_to_u64("18446744073709551615", &value) && value == UINT64_MAX);
    ck_assert(str_to_u64("007", &value) && value == 7);
    static const char *const wrong[] = {
        "18446744073709551616", "99999999999999999999", "-1", "+1", "", " 1", "1x"};
    for (int i = 0; i < COUNT(wrong); i++)
        ck_assert_msg(!str_to_u64(wrong[i], &value) && value == 7, "'%s'", wrong[i]);
    ck_assert(!str_to_u64(NULL, &value));
}
END_TEST

START_TEST(test_to_f64)
{
    double value = 99;
    ck_assert(str_to_f64("1.5e3", &value) && value == 1500);
    ck_assert(str_to_f64("-.5", &value) && value == -0.5);
    ck_assert(str_to_f64("5.", &value) && value == 5);
    ck_assert(str_to_f64("1e-400", &value) && value == 0);
    ck_assert(str_to_f64("4.9406564584124654e-324", &value) && value == 0x1p-1074);
    ck_assert(str_to_f64("-INF", &value) && isinf(value) && value < 0);
    ck_assert(str_to_f64("nan", &value) && isnan(value));
    value = 99;
    static const char *const wrong[] = {"",       "1e400",    "-1e400", "0x10", " 1", "1 ",
                                        "1,5",    "1e",       ".",      "-",    "e5", "1.2.3",
                                        "nan(1)", "infinite", "--1",    "1e5e5"};
    for (int i = 0; i < COUNT(wrong); i++)
        ck_assert_msg(!str_to_f64(wrong[i], &value) && value == 99, "'%s'", wrong[i]);
    ck_assert(!str_to_f64(NULL, &value));
}
END_TEST

static const struct {
    double value;
    const char *s;
} f64s[] = {
    {0.0, "0.0"},
    {-0.0, "-0.0"},
    {1.0, "1.0"},
    {0.1, "0.1"},
    {100.0, "100.0"},
    {1e300, "1e+300"},
    {1.0 / 3, "0.3333333333333333"},
    {0.1 + 0.2, "0.30000000000000004"},
    {123456789.0, "123456789.0"},
    {9007199254740992.0, "9007199254740992.0"},
    {1e15, "1000000000000000.0"},
    {1e16, "1e+16"},
    {0.0001, "0.0001"},
    {0.00001, "1e-05"},
    {-2.5, "-2.5"},
    {5e-324, "5e-324"},
    {DBL_MIN, "2.2250738585072014e-308"},
    {DBL_MAX, "1.7976931348623157e+308"},
    {-DBL_MAX, "-1.7976931348623157e+308"},
    {INFINITY, "inf"},
    {-INFINITY, "-inf"},
};

START_TEST(test_from_f64)
{
    char out[32];
    f64_to_str(f64s[_i].value, out);
    ck_assert_str_eq(out, f64s[_i].s);
}
END_TEST

// Any bits at all: what is printed reads back as the same double, and no shorter mantissa would.
START_TEST(test_f64_round_trip)
{
    struct rng r;
    rng_init(&r, 11, 0);
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = rng_u64(&r);
        double value, back;
        char out[32], shorter[32];
        memcpy(&value, &bits, sizeof value);
        f64_to_str(value, out);
        ck_assert(str_to_f64(out, &back));
        if (isnan(value)) {
            ck_assert_str_eq(out, "nan");
            continue;
        }
        ck_assert_msg(memcmp(&value, &back, sizeof value) == 0, "%a printed as %s", value, out);
        snprintf(shorter, sizeof shorter, "%.14e", value);
        ck_assert_msg(strtod(shorter, NULL) != value || strlen(out) <= strlen(shorter), "%s", out);
    }
}
END_TEST

START_TEST(test_numbers_do_not_follow_the_locale)
{
    char out[32];
    double value;
    if (!use_comma_locale())
        return;
    f64_to_str(1.5, out);
    ck_assert_str_eq(out, "1.5");
    f64_to_str(1.25e-300, out);
    ck_assert_str_eq(out, "1.25e-300");
    ck_assert(str_to_f64("1.5", &value) && value == 1.5);
    ck_assert(!str_to_f64("1,5", &value));
    duration_to_str(1234567, out);
    ck_assert_str_eq(out, "1.235 ms");
}
END_TEST

// ---- durations

static const struct {
    const char *s;
    uint64_t ns;
} durations[] = {
    {"90", 90000000000},
    {"1.5s", 1500000000},
    {"200ms", 200000000},
    {"3m", 180000000000},
    {"3min", 180000000000},
    {"2h", 7200000000000},
    {"10us", 10000},
    {"7ns", 7},
    {"0", 0},
    {".5", 500000000},
    {"0.1", 100000000},
    {"1h30m", 5400000000000},
    {"1m30", 90000000000},
    {"2m1.5s", 121500000000},
};

START_TEST(test_to_duration)
{
    uint64_t ns = 1;
    ck_assert(str_to_duration_ns(durations[_i].s, &ns));
    ck_assert_uint_eq(ns, durations[_i].ns);
}
END_TEST

START_TEST(test_wrong_durations)
{
    static const char *const wrong[] = {"",      "s",     "-1s",   "1 s",  "1d",  "1ss",
                                        "1e3",   "1..5s", "inf",   "nan",  "+1s", "6000000h",
                                        "30m1h", "1s1s",  "1h30x", "1h-1m"};
    uint64_t ns = 1;
    for (int i = 0; i < COUNT(wrong); i++)
        ck_assert_msg(!str_to_duration_ns(wrong[i], &ns) && ns == 1, "'%s'", wrong[i]);
    ck_assert(!str_to_duration_ns(NULL, &ns));
}
END_TEST

static const struct {
    double ns;
    const char *s;
} shown[] = {
    {1234567, "1.235 ms"}, {0, "0 ns"},          {0.25, "0.250 ns"},    {1, "1.000 ns"},
    {12.34, "12.34 ns"},   {999.94, "999.9 ns"}, {999.96, "1.000 us"},  {9999.6, "10.00 us"},
    {123456, "123.5 us"},  {999960, "1.000 ms"}, {1e9, "1.000 s"},      {90e9, "90.00 s"},
    {119e9, "119.0 s"},    {120e9, "2.000 min"}, {7199.9e9, "2.000 h"}, {36e12, "10.00 h"},
    {3600e13, "1e+04 h"},  {-1500, "-1.500 us"}, {INFINITY, "inf"},     {NAN, "nan"},
};

START_TEST(test_from_duration)
{
    char out[32];
    duration_to_str(shown[_i].ns, out);
    ck_assert_str_eq(out, shown[_i].s);
    duration_to_str(DBL_MAX, out);
    ck_assert_uint_lt(strlen(out), 32);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, folder_setup, folder_teardown);
    tcase_add_test(tests, test_text_grows);
    tcase_add_test(tests, test_text_failure_is_sticky);
    tcase_add_test(tests, test_text_steal_gives_away);
    tcase_add_test(tests, test_file_read_whole);
    tcase_add_test(tests, test_file_read_limit);
    tcase_add_test(tests, test_file_read_refusals);
    tcase_add_test(tests, test_file_read_text_refuses_nul);
    tcase_add_test(tests, test_folder_make);
    tcase_add_test(tests, test_folder_remove_follows_no_links);
    tcase_add_test(tests, test_comparisons);
    tcase_add_loop_test(tests, test_distance, 0, COUNT(distances));
    tcase_add_test(tests, test_nearest);
    tcase_add_loop_test(tests, test_to_i64, 0, COUNT(i64s));
    tcase_add_test(tests, test_to_u64);
    tcase_add_test(tests, test_to_f64);
    tcase_add_loop_test(tests, test_from_f64, 0, COUNT(f64s));
    tcase_add_test(tests, test_f64_round_trip);
    tcase_add_test(tests, test_numbers_do_not_follow_the_locale);
    tcase_add_loop_test(tests, test_to_duration, 0, COUNT(durations));
    tcase_add_test(tests, test_wrong_durations);
    tcase_add_loop_test(tests, test_from_duration, 0, COUNT(shown));
}

int main(void)
{
    return suite_run("text", add);
}
