// The payloads of the frames: there and back, and damaged.
#include "worker/protocol.h"

#include "../base/suite.h"
#include "../model/hostile.h"
#include "../model/sample.h"

#include <string.h>

static struct arena arena;
static struct text bytes;

static void setup(void)
{
    arena_init(&arena);
}

static void teardown(void)
{
    arena_release(&arena);
    text_release(&bytes);
}

static struct wire writer(void)
{
    struct wire w;
    text_clear(&bytes);
    wire_writer(&w, &bytes);
    return w;
}

static struct wire reader(void)
{
    struct wire w;
    wire_reader(&w, bytes.data, bytes.length, &arena);
    return w;
}

START_TEST(test_hello)
{
    struct hello sent = {PROTOCOL_VERSION, "0.1.0"}, got = {0};
    struct wire w = writer();
    hello_codec(&w, &sent);
    w = reader();
    hello_codec(&w, &got);
    ck_assert(wire_done(&w) && got.protocol == PROTOCOL_VERSION);
    ck_assert_str_eq(got.version, "0.1.0");
}
END_TEST

START_TEST(test_blob_name)
{
    struct blob_name got = {.file.path = NULL};
    struct blob_name sent = {.file = {"/a/b.npy", 128, 7, UINT64_MAX, 129, -1, 999999999}};
    sent.digest.bytes[31] = 9;
    struct wire w = writer();
    blob_name_codec(&w, &sent);
    w = reader();
    blob_name_codec(&w, &got);
    ck_assert(wire_done(&w) && digest_equal(&got.digest, &sent.digest));
    ck_assert_str_eq(got.file.path, "/a/b.npy");
    ck_assert(got.file.offset == 128 && got.file.device == 7 && got.file.inode == UINT64_MAX &&
              got.file.size == 129);
    ck_assert(got.file.modified_s == -1 && got.file.modified_ns == 999999999);
    sent.file.size = 128;
    w = writer();
    blob_name_codec(&w, &sent);
    w = reader();
    blob_name_codec(&w, &got);
    ck_assert_msg(!wire_done(&w), "a file without contents was taken");
}
END_TEST

START_TEST(test_open_request)
{
    struct open_request sent = {.id = "opencl:cpu", .role = ROLE_BUILD}, got = {0};
    struct wire w = writer();
    open_request_codec(&w, &sent);
    w = reader();
    open_request_codec(&w, &got);
    ck_assert(wire_done(&w) && got.role == ROLE_BUILD);
    ck_assert_str_eq(got.id, "opencl:cpu");
    ck_assert_ptr_null(got.target);
}
END_TEST

// The device that a builder elsewhere makes images for goes along, whole; two are none.
START_TEST(test_open_request_with_a_target)
{
    struct device_info target = sample_device();
    struct open_request sent = {.id = "cuda/card", .role = ROLE_BUILD, .target = &target},
                        got = {0};
    struct digest there, here;
    struct wire w = writer();
    open_request_codec(&w, &sent);
    w = reader();
    open_request_codec(&w, &got);
    ck_assert(wire_done(&w) && got.target);
    device_info_digest(&target, &here);
    device_info_digest(got.target, &there);
    ck_assert(digest_equal(&there, &here));
    ck_assert_uint_eq(got.target->global_bytes, target.global_bytes);
    ck_assert_uint_eq(got.target->capability, target.capability);

    uint32_t two = 2;
    w = writer();
    sent.target = NULL;
    open_request_codec(&w, &sent);
    bytes.length -= sizeof two;
    wire_u32(&w, &two);
    device_info_codec(&w, &target);
    device_info_codec(&w, &target);
    w = reader();
    got = (struct open_request){.id = ""};
    open_request_codec(&w, &got);
    ck_assert(w.failed);
    ck_assert_str_eq(w.why, "images are for one device");
}
END_TEST

START_TEST(test_open_request_needs_an_id)
{
    struct open_request sent = {.role = ROLE_BENCH}, got = {0};
    struct wire w = writer();
    open_request_codec(&w, &sent);
    w = reader();
    open_request_codec(&w, &got);
    ck_assert(!wire_done(&w));
}
END_TEST

START_TEST(test_phase)
{
    struct phase sent = {PHASE_LAUNCHING, 7, true}, got = {0};
    struct wire w = writer();
    phase_codec(&w, &sent);
    w = reader();
    phase_codec(&w, &got);
    ck_assert(wire_done(&w) && got.kind == PHASE_LAUNCHING && got.launches == 7 && got.compiles);
}
END_TEST

START_TEST(test_image)
{
    struct image sent = {.primed = true, .bytes = "ptx", .length = 3}, got = {0};
    digest_of("code", 4, &sent.digest);
    struct wire w = writer();
    image_codec(&w, &sent);
    w = reader();
    image_codec(&w, &got);
    ck_assert(wire_done(&w) && got.primed && got.length == 3);
    ck_assert_mem_eq(got.bytes, "ptx", 3);
    ck_assert(digest_equal(&got.digest, &sent.digest));
}
END_TEST

static void write_report(void)
{
    struct device_info devices[] = {sample_device(), sample_device()};
    struct device_note notes[] = {{"a GPU", "no driver", "install one"}};
    struct device_report report = {devices, 2, notes, 1, "a problem", NULL};
    devices[1].name = "second";
    struct wire w = writer();
    device_report_codec(&w, &report);
    ck_assert(!w.failed);
}

START_TEST(test_device_report)
{
    struct device_report got = {0};
    write_report();
    struct wire w = reader();
    device_report_codec(&w, &got);
    ck_assert(wire_done(&w) && got.device_count == 2 && got.note_count == 1);
    ck_assert_str_eq(got.devices[1].name, "second");
    ck_assert(got.devices[1].max_item_sizes[2] == 11 && got.devices[1].timer_ns == 16);
    ck_assert(got.devices[1].shares_host && got.devices[1].base_align == 15);
    ck_assert_str_eq(got.notes[0].remedy, "install one");
    ck_assert_str_eq(got.problem, "a problem");
}
END_TEST

// A device whose texts are all empty is the least there is on the wire.
START_TEST(test_report_of_least_devices)
{
    struct device_info least = {.id = "",
                                .name = "",
                                .vendor = "",
                                .platform = "",
                                .platform_version = "",
                                .driver = "",
                                .compiler = "",
                                .language_version = "",
                                .extensions = "",
                                .uuid = "",
                                .pci = "",
                                .surroundings = ""};
    struct device_info devices[] = {least, least, least};
    struct device_report report = {devices, 3, NULL, 0, "", NULL}, got = {0};
    struct wire w = writer();
    device_report_codec(&w, &report);
    w = reader();
    device_report_codec(&w, &got);
    ck_assert_msg(wire_done(&w), "%s", w.why);
    ck_assert_uint_eq(got.device_count, 3);
}
END_TEST

static bool decode_report(const void *data, size_t length, struct text *again)
{
    struct device_report got = {0};
    struct arena own;
    struct wire w;
    arena_init(&own);
    wire_reader(&w, data, length, &own);
    device_report_codec(&w, &got);
    bool accepted = wire_done(&w);
    if (accepted) {
        wire_writer(&w, again);
        device_report_codec(&w, &got);
    }
    arena_release(&own);
    return accepted;
}

START_TEST(test_damaged_report)
{
    write_report();
    hostile_truncations(decode_report, &bytes);
    hostile_numbers(decode_report, &bytes);
    hostile_flips(decode_report, &bytes, 5000);
}
END_TEST

// A load frame as the worker reads it: handle, job, image, one after the other in one arena.
START_TEST(test_job_inside_a_frame)
{
    struct job *j = sample_job(), got = {0};
    struct image sent = {.bytes = "cubin", .length = 5}, image = {0};
    uint32_t handle = 42;
    struct wire w = writer();
    wire_u32(&w, &handle);
    job_codec(&w, j);
    image_codec(&w, &sent);
    handle = 0;
    w = reader();
    wire_u32(&w, &handle);
    job_codec(&w, &got);
    image_codec(&w, &image);
    ck_assert(wire_done(&w) && handle == 42 && image.length == 5);
    ck_assert_str_eq(got.launches[1].kernel, "second");
    job_free(j);
}
END_TEST

// What makes no sense is refused inside a frame too, without anybody asking for it.
START_TEST(test_wrong_job_inside_a_frame)
{
    struct job *j = sample_job(), got = {0};
    j->launches[1].program = 9;
    struct wire w = writer();
    job_codec(&w, j);
    w = reader();
    job_codec(&w, &got);
    ck_assert(w.failed);
    ck_assert_ptr_nonnull(strstr(w.why, "program that is not there"));
    job_free(j);
}
END_TEST

START_TEST(test_names)
{
    ck_assert_str_eq(verb_text(VERB_HELLO), "hello");
    ck_assert_str_eq(verb_text(VERB_REPLY_ERROR), "reply error");
    ck_assert_str_eq(verb_text(VERB_COUNT), "?");
    ck_assert_str_eq(phase_text(PHASE_LAUNCHING), "running");
    ck_assert_str_eq(phase_text((enum phase_kind) - 1), "?");
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, test_hello);
    tcase_add_test(tests, test_blob_name);
    tcase_add_test(tests, test_open_request);
    tcase_add_test(tests, test_open_request_with_a_target);
    tcase_add_test(tests, test_open_request_needs_an_id);
    tcase_add_test(tests, test_phase);
    tcase_add_test(tests, test_image);
    tcase_add_test(tests, test_device_report);
    tcase_add_test(tests, test_report_of_least_devices);
    tcase_add_test(tests, test_damaged_report);
    tcase_add_test(tests, test_job_inside_a_frame);
    tcase_add_test(tests, test_wrong_job_inside_a_frame);
    tcase_add_test(tests, test_names);
}

int main(void)
{
    return suite_run("frames", add);
}
