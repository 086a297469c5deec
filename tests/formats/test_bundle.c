// A bundle comes back as it was; an archive that a stranger made is refused, and nothing is written for it.
#include "../base/suite.h"
#include "extras/formats/bundle_file.h"
#include "extras/formats/ustar.h"
#include "os/file_replace.h"
#include "stored.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];
static struct arena arena;

static void write_file(const char *path, const char *text)
{
    struct error e = ERROR_INIT;
    struct text t = TEXT_INIT;
    text_add(&t, text);
    ck_assert_msg(file_replace(path, &t, &e), "%s", e.text);
    text_release(&t);
}

static void set_up(void)
{
    struct error e = ERROR_INIT;
    arena_init(&arena);
    snprintf(folder, sizeof folder, "/tmp/hone-bundle-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    ck_assert(folder_make("from/specs", &e) && folder_make("from/kernels", &e) &&
              folder_make("scratch", &e) && folder_make("to", &e));
    write_file("from/kernels/scale.cl",
               "#include \"scale.h\"\n__kernel void scale(__global float *c) { c[0] = a; }\n");
    write_file("from/kernels/scale.h", "#define NOTHING\n");
    write_file("from/data.bin", "0123456789abcdef");
    write_file(
        "from/specs/scale.json",
        "{\"name\": \"scale\", \"kernel\": \"../kernels/scale.cl\", \"constants\": {\"WIDTH\": "
        "256},"
        " \"parameters\": {\"a\": [16, 32]}, \"global\": [64], \"local\": [16], \"arguments\": "
        "{\"c\": {\"size\": 4, \"type\": \"float\", \"access\": \"readwrite\", \"fill\": "
        "\"../data.bin\"}}}");
}

static void tear_down(void)
{
    arena_release(&arena);
    ck_assert_int_eq(chdir("/"), 0);
    folder_remove(folder);
}

// ---- there and back ----------------------------------------------------------------------------

static void make_bundle(bool with_data, struct text *out)
{
    static const uint64_t samples[] = {100, 110};
    struct error e = ERROR_INIT;
    uint64_t results;
    const uint32_t choice[4] = {1, 0, 0, 0};
    struct spec *spec = spec_load("from/specs/scale.json", NULL, &e);
    ck_assert_msg(spec != NULL, "%s", e.text);
    struct store *store = stored_open("s.sqlite");
    stored_begin(store, spec, &stored_device);
    stored_put(store, spec, &stored_device, choice, stored_correct(samples, 2));
    store_close(store);
    const struct bundle_options o = {.spec = spec,
                                     .store = "s.sqlite",
                                     .scratch = "scratch",
                                     .date = "2026-05-06T07:08:09Z",
                                     .host = "here",
                                     .with_data = with_data};
    ck_assert_msg(bundle_make(&o, out, &results, &e), "%s", e.text);
    ck_assert_uint_eq(results, 1);
    spec_free(spec);
    unlink("scratch/results.sqlite");
}

static bool take(const char *path, struct bundle_taken *out, struct error *e)
{
    return bundle_take(path, "to/mine.sqlite", "scratch", store_import, &arena, out, e);
}

static void same_file(const char *a, const char *b)
{
    struct error e = ERROR_INIT;
    struct text x = TEXT_INIT, y = TEXT_INIT;
    ck_assert_msg(file_read(a, 0, &x, &e) && file_read(b, 0, &y, &e), "%s", e.text);
    ck_assert_str_eq(text_cstr(&x), text_cstr(&y));
    text_release(&x);
    text_release(&y);
}

START_TEST(there_and_back)
{
    const bool with_data = _i;
    struct error e = ERROR_INIT;
    struct bundle_taken taken;
    struct text bytes = TEXT_INIT;
    make_bundle(with_data, &bytes);
    ck_assert(file_replace("scale.tar", &bytes, &e));
    ck_assert(bundle_is_file("scale.tar") && !bundle_is_file("s.sqlite"));
    ck_assert_msg(take("scale.tar", &taken, &e), "%s", e.text);
    ck_assert_uint_eq(taken.counts.added, 1);
    ck_assert_str_eq(taken.spec, "scale/specs/scale.json");
    same_file("scale/specs/scale.json", "from/specs/scale.json");
    same_file("scale/kernels/scale.h", "from/kernels/scale.h");
    ck_assert_int_eq(access("scale/data.bin", F_OK) == 0, with_data);
    ck_assert_int_ne(access("scratch/results.sqlite", F_OK), 0);
    // Once more: nothing new. With a file that was changed: refused.
    ck_assert(take("scale.tar", &taken, &e) && taken.was_there && taken.counts.added == 0);
    write_file("scale/kernels/scale.h", "#define OTHER\n");
    ck_assert(!take("scale.tar", &taken, &e));
    ck_assert_msg(strstr(e.text, "it has others"), "%s", e.text);
    text_release(&bytes);
}
END_TEST

// ---- what strangers send -----------------------------------------------------------------------

// Puts the sum of a header right again.
static void sign(char *header)
{
    unsigned sum = 0;
    memset(header + 148, ' ', 8);
    for (int i = 0; i < 512; i++)
        sum += (unsigned char)header[i];
    snprintf(header + 148, 8, "%06o", sum);
}

// A field of the first header, and what is written there.
static const struct {
    int at;
    const char *text;
    size_t length;
    const char *said;
} hostile[] = {
    {0, "/etc/passwd", 12, "is absolute"},
    {0, "../up", 6, "leads out"},
    {0, "files/../../up", 15, "leads out"},
    {0, "files//x", 9, "an empty part"},
    {0, "files/x/", 9, "an empty part"},
    {0, ".", 2, "leads out"},
    {0, "a\nb", 4, "a control character"},
    {0, "\0", 1, "has no name"},
    {345, "..", 2, "leads out"},
    {156, "2", 1, "no regular file"},                       // a symbolic link
    {156, "1", 1, "no regular file"},                       // a hard link
    {156, "5", 1, "no regular file"},                       // a folder
    {156, "3", 1, "no regular file"},                       // a device
    {156, "x", 1, "no regular file"},                       // an extended header
    {156, "L", 1, "no regular file"},                       // GNU's long name
    {124, "77777777777", 11, "cut off"},                    // 8 GiB
    {124, "\x80\0\0\0\0\0\0\0\0\0\0\1", 12, "has no size"}, // GNU's binary numbers
    {124, "-1", 2, "has no size"},
    {257, "ustar  ", 8, "not written as"}, // GNU's own
};

static void refuse(const struct text *bytes, const char *said)
{
    struct error e = ERROR_INIT;
    struct bundle_taken taken;
    ck_assert(file_replace("bad.tar", bytes, &e));
    ck_assert_msg(!take("bad.tar", &taken, &e), "taken, though '%s'", said);
    ck_assert_msg(strstr(e.text, said) && str_starts(e.text, "bad.tar: "), "%s: no '%s'", e.text,
                  said);
    ck_assert_int_ne(access("bad", F_OK), 0);
    ck_assert_int_ne(access("to/mine.sqlite", F_OK), 0);
    DIR *here = opendir(".");
    const struct dirent *entry;
    while ((entry = readdir(here)))
        ck_assert_msg(!str_starts(entry->d_name, "bad.") || str_equal(entry->d_name, "bad.tar"),
                      "%s was left", entry->d_name);
    closedir(here);
}

START_TEST(hostile_headers)
{
    struct text bytes = TEXT_INIT;
    make_bundle(false, &bytes);
    memcpy(bytes.data + hostile[_i].at, hostile[_i].text, hostile[_i].length);
    sign(bytes.data);
    refuse(&bytes, hostile[_i].said);
    text_release(&bytes);
}
END_TEST

START_TEST(damaged_archives)
{
    struct error e = ERROR_INIT;
    struct text bytes = TEXT_INIT, twice = TEXT_INIT;
    make_bundle(false, &bytes);
    const size_t whole = bytes.length;
    // Cut at every block, whose sum is right up to there.
    for (bytes.length = 512; bytes.length < whole - 1024; bytes.length += 512)
        refuse(&bytes, "cut off");
    bytes.length = whole;
    bytes.data[1] ^= 1; // the name, and so the sum
    refuse(&bytes, "checksum is wrong");
    bytes.data[1] ^= 1;
    char *source = strstr(bytes.data + whole / 2, "c[0] = a");
    for (size_t i = 0; !source && i + 8 < whole; i++)
        source = memcmp(bytes.data + i, "c[0] = a", 8) == 0 ? bytes.data + i : NULL;
    ck_assert_ptr_nonnull(source);
    source[5] = '-';
    refuse(&bytes, "has not the digest");
    ck_assert(ustar_add("files/a", "x", 1, 0, &twice, &e) &&
              ustar_add("files/a", "y", 1, 0, &twice, &e));
    ustar_end(&twice);
    refuse(&twice, "is there twice");
    text_clear(&twice);
    ck_assert(ustar_add("files/a", "x", 1, 0, &twice, &e));
    ustar_end(&twice);
    refuse(&twice, "no bundle of hone's");
    // Files that are not listed, and a listed one that is missing.
    text_clear(&twice);
    static const char manifest[] = "{\"hone_bundle\":1,\"spec\":\"files/a\",\"files\":[]}";
    ck_assert(ustar_add("bundle.json", manifest, sizeof manifest - 1, 0, &twice, &e) &&
              ustar_add("results.sqlite", "x", 1, 0, &twice, &e) &&
              ustar_add("files/a", "x", 1, 0, &twice, &e));
    ustar_end(&twice);
    refuse(&twice, "bundle.json lists 0");
    text_release(&twice);
    text_release(&bytes);
}
END_TEST

START_TEST(long_names)
{
    struct error e = ERROR_INIT;
    struct text out = TEXT_INIT;
    struct ustar_entry *entries;
    size_t count;
    char name[300] = "";
    for (int i = 0; i < 24; i++)
        strcat(name, "folder-10/");
    strcat(name, "leaf");
    ck_assert_msg(ustar_add(name, "1", 1, 0, &out, &e), "%s", e.text);
    ustar_end(&out);
    ck_assert(ustar_read("long.tar", out.data, out.length, &arena, &entries, &count, &e));
    ck_assert_uint_eq(count, 1);
    ck_assert_str_eq(entries[0].name, name);
    strcat(name, "-and-twenty-more-letters");
    ck_assert(!ustar_add(name, "1", 1, 0, &out, &e));
    text_release(&out);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, there_and_back, 0, 2);
    tcase_add_loop_test(tests, hostile_headers, 0, sizeof hostile / sizeof *hostile);
    tcase_add_test(tests, damaged_archives);
    tcase_add_test(tests, long_names);
}

int main(void)
{
    return suite_run("bundle", add);
}
