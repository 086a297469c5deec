// Contents of data files on their way to a worker: once each, to the bench worker alone, by the file's name or in parts,
// whatever their size; and what is said of a file that changed.
#include "fixture.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 4, JOBS = 5, SMALL_BYTES = 4096 };

static char frames_file[80], frames_variable[96], paths[FILES][96];
static struct blob_file files[FILES];

static void setup_frames(void)
{
    setup();
    snprintf(frames_file, sizeof frames_file, "%s/frames", folder);
    snprintf(frames_variable, sizeof frames_variable, "FAKE_FRAMES=%s", frames_file);
    add_environment(frames_variable);
}

// Names of files in the folder of this process say nothing to a worker, so that these are sent in parts.
static void make_files(uint64_t bytes, bool in_parts)
{
    ck_assert(!in_parts || chdir(folder) == 0);
    for (int i = 0; i < FILES; i++) {
        snprintf(paths[i], sizeof paths[i], "%s%sdata-%d", in_parts ? "" : folder,
                 in_parts ? "" : "/", i);
        int fd = open(paths[i], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        ck_assert_int_ge(fd, 0);
        ck_assert_int_eq(ftruncate(fd, (off_t)bytes), 0); // no block of it is written
        close(fd);
        ck_assert(blob_file_look(paths[i], &files[i], NULL));
    }
}

// The worker does not compute digests, so that these are made up.
static struct job_blob blob_at(int i)
{
    struct job_blob b = {.file = &files[i], .length = files[i].size};
    b.digest.bytes[0] = (uint8_t)(i + 1);
    return b;
}

static struct job *job_with_files(const char *behaviour, unsigned id, int count)
{
    struct job *j = make_job(behaviour, 1000, id);
    j->buffers = arena_array(&j->arena, FILES, sizeof *j->buffers);
    j->buffer_count = (uint32_t)count;
    for (int i = 0; i < count; i++)
        j->buffers[i] = (struct job_buffer){.name = "in",
                                            .element = {.scalar = SCALAR_U8, .width = 1},
                                            .count = files[i].size,
                                            .fill = {.kind = FILL_DATA, .blob = blob_at(i)}};
    return j;
}

static void run(unsigned jobs, const char *behaviour, int count)
{
    struct device_info d = device(false);
    struct live_options o = options(&d);
    struct error e = ERROR_INIT;
    uint64_t ticket;
    struct evaluator *ev = make_live(&o);
    for (unsigned i = 0; i < jobs; i++)
        ck_assert(evaluator_submit(ev, i, job_with_files(behaviour, i, count), &e));
    for (unsigned i = 0; i < jobs; i++) {
        struct result *r = take(ev, &ticket);
        ck_assert_msg(r->status == STATUS_CORRECT, "%s", r->message);
        result_free(r);
        evaluator_drop(ev, ticket);
    }
    evaluator_free(ev);
}

struct sums {
    uint64_t blobs, blob_frames, names, largest, to_builders, others, loads;
};

static struct sums read_frames(void)
{
    struct sums s = {0};
    char verb[32], role[32];
    unsigned long long bytes;
    FILE *f = fopen(frames_file, "r");
    ck_assert_ptr_nonnull(f);
    while (fscanf(f, "%31s %31s %llu", verb, role, &bytes) == 3) {
        bool name = str_equal(verb, "file"), blob = str_equal(verb, "blob");
        s.names += name;
        s.blobs += blob ? bytes : 0;
        s.blob_frames += blob;
        s.to_builders += (blob || name) && str_equal(role, "builder");
        s.others +=
            blob || name || str_equal(verb, "unload") ? 0 : bytes; // the last may come too late
        s.loads += str_equal(verb, "load");
        s.largest = bytes > s.largest ? bytes : s.largest;
    }
    fclose(f);
    remove(frames_file);
    return s;
}

static uint64_t resident_bytes(void)
{
    unsigned long long pages = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    ck_assert(f && fscanf(f, "%llu %llu", &pages, &resident) == 2);
    fclose(f);
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

// Beside the contents, which go once, every frame is as long as with small files.
START_TEST(test_once_a_worker)
{
    make_files(SMALL_BYTES, true);
    run(JOBS, "good", FILES);
    struct sums small = read_frames();
    make_files(24 * (uint64_t)BLOB_PART + 5, true);
    run(JOBS, "good", FILES);
    struct sums large = read_frames();
    ck_assert_uint_eq(small.blob_frames, FILES);
    ck_assert_uint_eq(large.blob_frames, FILES * 25);
    ck_assert_uint_ge(large.blobs, FILES * files[0].size);
    ck_assert_uint_le(large.blobs, FILES * files[0].size + large.blob_frames * 64);
    ck_assert_uint_le(large.largest, BLOB_PART + 64);
    ck_assert_uint_eq(small.to_builders + large.to_builders + small.names + large.names, 0);
    ck_assert_uint_eq(small.loads, JOBS);
    ck_assert_uint_eq(large.loads, JOBS);
    ck_assert_uint_eq(small.others, large.others);
    ck_assert_uint_le(large.others, 4096 * (2 * JOBS + 1));
}
END_TEST

// A worker of this machine gets the name alone of what it can read.
START_TEST(test_once_by_name)
{
    make_files(24 * (uint64_t)BLOB_PART + 5, false);
    run(JOBS, "good", FILES);
    struct sums s = read_frames();
    ck_assert_uint_eq(s.names, FILES);
    ck_assert_uint_eq(s.blob_frames + s.to_builders, 0);
    ck_assert_uint_eq(s.loads, JOBS);
}
END_TEST

// More than a frame may have, and not held by the tuner.
START_TEST(test_beyond_a_frame)
{
    make_files((uint64_t)PROTOCOL_MAX_FRAME + 3, false);
    uint64_t before = resident_bytes();
    run(2, "good", 1);
    struct sums s = read_frames();
    ck_assert_uint_eq(s.blob_frames, PROTOCOL_MAX_FRAME / BLOB_PART + 1);
    ck_assert_uint_gt(s.blobs, PROTOCOL_MAX_FRAME);
    ck_assert_uint_lt(resident_bytes(), before + (64u << 20));
}
END_TEST

// What is read before one answer is limited in all: the last one is sent.
START_TEST(test_beyond_what_is_named)
{
    const uint64_t limit = 1u << 30, size = limit / (FILES - 1), rest = limit % (FILES - 1);
    make_files(size, false);
    ck_assert_int_eq(truncate(paths[FILES - 1], (off_t)(rest + 1)), 0);
    ck_assert(blob_file_look(paths[FILES - 1], &files[FILES - 1], NULL));
    run(1, "good", FILES);
    struct sums s = read_frames();
    ck_assert_uint_eq(s.names, FILES - 1);
    ck_assert_uint_eq(s.blob_frames, 1);
}
END_TEST

// A fresh worker has nothing of what the one before it had.
START_TEST(test_again_to_a_fresh_worker)
{
    make_files(SMALL_BYTES, _i == 1);
    run(1, "die_running_once", 1);
    struct sums s = read_frames();
    ck_assert_uint_eq(s.names, _i == 1 ? 0 : 2);
    ck_assert_uint_eq(s.names + s.blob_frames, 3); // the small kernel between them has one, too
}
END_TEST

enum { WAYS = 3 };

static void change_file(int how)
{
    char other[128];
    snprintf(other, sizeof other, "%s.new", paths[0]);
    int fd = open(how == 0 ? paths[0] : other, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(ftruncate(fd, SMALL_BYTES), 0);
    ck_assert_int_eq(futimens(fd, (struct timespec[2]){{1, 0}, {1, 0}}), 0);
    close(fd);
    if (how == 1)
        ck_assert_int_eq(rename(other, paths[0]), 0);
    if (how == 2)
        ck_assert_int_eq(unlink(paths[0]), 0);
}

// Written to, replaced, removed: nothing is measured with it, and the file is named.
START_TEST(test_changed_file)
{
    static const char *const said[WAYS] = {"has changed", "has changed", "cannot read"};
    struct device_info d = device(false);
    struct live_options o = options(&d);
    struct error e = ERROR_INIT;
    struct outcome out = {0};
    make_files(SMALL_BYTES, _i >= WAYS);
    struct evaluator *ev = make_live(&o);
    change_file(_i % WAYS);
    ck_assert(evaluator_submit(ev, 0, job_with_files("good", 0, 1), &e));
    ck_assert_int_eq(evaluator_take(ev, 20000, &out, &e), -1);
    ck_assert_int_eq(e.code, ERROR_INPUT);
    ck_assert_msg(strstr(e.text, paths[0]) && strstr(e.text, said[_i % WAYS]), "%s", e.text);
    evaluator_free(ev);
}
END_TEST

int main(void)
{
    TCase *cases = make_cases("blobs", setup_frames, 60);
    tcase_add_test(cases, test_once_a_worker);
    tcase_add_test(cases, test_once_by_name);
    tcase_add_test(cases, test_beyond_a_frame);
    tcase_add_test(cases, test_beyond_what_is_named);
    tcase_add_loop_test(cases, test_again_to_a_fresh_worker, 0, 2);
    tcase_add_loop_test(cases, test_changed_file, 0, 2 * WAYS);
    return run_cases(cases);
}
