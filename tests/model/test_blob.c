// Contents by their digest: the same from memory and from a file; a file that is not what it was is
// told, and what can be read only once is refused.
#include "base/text.h"
#include "model/job.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BYTES = BLOB_PART + 4711 };

static char path[64];
static uint8_t contents[BYTES];

static void write_file(size_t length)
{
    FILE *f = fopen(path, "wb");
    ck_assert(f && fwrite(contents, 1, length, f) == length && fclose(f) == 0);
}

static void setup(void)
{
    snprintf(path, sizeof path, "/tmp/hone-blob-XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    for (size_t i = 0; i < BYTES; i++)
        contents[i] = (uint8_t)(i * 2654435761u >> 13);
    write_file(BYTES);
}

static void teardown(void)
{
    remove(path);
}

START_TEST(test_file_as_memory)
{
    struct error e = ERROR_INIT;
    struct blob_file file;
    struct job_blob got, want;
    uint8_t some[100];
    for (uint64_t offset = 0; offset <= BYTES; offset += offset ? BYTES - 128 : 128) {
        ck_assert_msg(blob_file_look(path, &file, &e), "%s", e.text);
        file.offset = offset;
        ck_assert_msg(blob_of_file(&file, &got, &e), "%s", e.text);
        want = blob_of(contents + offset, BYTES - offset);
        ck_assert_uint_eq(got.length, want.length);
        ck_assert(digest_equal(&got.digest, &want.digest));
        if (offset == BYTES)
            break;
        ck_assert(blob_read(&got, 5, some, sizeof some, &e));
        ck_assert_mem_eq(some, contents + offset + 5, sizeof some);
        ck_assert(!blob_read(&got, got.length - 10, some, sizeof some, &e));
    }
}
END_TEST

START_TEST(test_change_is_told)
{
    struct error e = ERROR_INIT;
    struct blob_file file;
    struct job_blob b;
    uint8_t some[100];
    ck_assert(blob_file_look(path, &file, &e) && blob_of_file(&file, &b, &e));
    write_file(_i == 0 ? BYTES - 1 : BYTES);
    if (_i == 1) { // as long, and of another time
        const struct timespec times[2] = {{5, 0}, {5, 0}};
        ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
    }
    if (_i == 2) { // the same facts, of another file
        const struct timespec times[2] = {{file.modified_s, file.modified_ns},
                                          {file.modified_s, file.modified_ns}};
        char other[80];
        snprintf(other, sizeof other, "%s.old", path);
        ck_assert_int_eq(rename(path, other), 0);
        write_file(BYTES);
        ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
        remove(other);
    }
    ck_assert(!blob_read(&b, 0, some, sizeof some, &e));
    ck_assert_int_eq(e.code, ERROR_INPUT);
    ck_assert_msg(strstr(e.text, path) && strstr(e.text, "has changed"), "%s", e.text);
}
END_TEST

START_TEST(test_no_regular_file)
{
    struct error e = ERROR_INIT;
    struct blob_file file;
    ck_assert(!blob_file_look("/dev/zero", &file, &e) && strstr(e.text, "not a regular file"));
    error_clear(&e);
    ck_assert(!blob_file_look("/tmp", &file, &e) && strstr(e.text, "a folder"));
    error_clear(&e);
    remove(path);
    ck_assert(!blob_file_look(path, &file, &e) && strstr(e.text, "No such file"));
    error_clear(&e);
    ck_assert_int_eq(mkfifo(path, 0600), 0); // with nobody who writes
    ck_assert(!blob_file_look(path, &file, &e) && strstr(e.text, "not a regular file"));
}
END_TEST

// Up to BLOB_SMALL the key is made of the contents, beyond it of their digest; the digests that
// workers compute know the digest alone.
START_TEST(test_keys)
{
    struct digest key[3], recipe[3];
    struct device_info d = {.id = ""};
    for (int i = 0; i < 3; i++) {
        uint64_t length = BLOB_SMALL + (_i ? 1 : 0);
        struct job_buffer buffer = {.name = "in",
                                    .element = {.scalar = SCALAR_U8, .width = 1},
                                    .count = length,
                                    .fill = {.kind = FILL_DATA, .blob = blob_of(contents, length)}};
        struct job j = {.buffers = &buffer, .buffer_count = 1};
        if (i == 1) // not read
            buffer.fill.blob.digest.bytes[0] ^= 1;
        if (i == 2)
            buffer.fill.blob.data = NULL;
        job_key(&j, &d, &key[i]);
        job_buffer_digest(&buffer, &recipe[i]);
        struct digest old;
        ck_assert_int_eq(job_key_by_contents(&j, &d, &old), _i == 1 && i < 2);
    }
    ck_assert_int_eq(digest_equal(&key[0], &key[1]), _i == 0);
    ck_assert_int_eq(digest_equal(&key[0], &key[2]), _i == 1);
    ck_assert(!digest_equal(&recipe[0], &recipe[1]) && digest_equal(&recipe[0], &recipe[2]));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("blob");
    TCase *cases = tcase_create("blob");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, test_file_as_memory);
    tcase_add_loop_test(cases, test_change_is_told, 0, 3);
    tcase_add_test(cases, test_no_regular_file);
    tcase_add_loop_test(cases, test_keys, 0, 2);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
