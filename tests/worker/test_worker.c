// The real hone-worker, spoken to over its channel as hone does.
#include "../support/patience.h"

#include "kit.h"

#include "os/process.h"
#include "model/probe.h"
#include "worker/protocol.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORKER      HONE_BINARY_DIR "/hone-worker"
#define PATIENCE    60000 // ms for any one answer
#define N           1024
#define PHASES_MOST 64

struct talk {
    struct process process;
    struct channel channel;
    uint32_t sequence;
    struct arena arena;
    // Phases of the last request.
    struct phase phases[PHASES_MOST];
    unsigned phase_count;
    const char *error; // of the last request that was answered with one
};

static struct talk t;

static void start_worker(void)
{
    const char *const argv[] = {WORKER, NULL};
    struct error e = ERROR_INIT;
    t = (struct talk){.process = PROCESS_NONE};
    arena_init(&t.arena);
    ck_assert_msg(process_start(&t.process, argv, NULL, &e), "%s", e.text);
    channel_init(&t.channel, t.process.channel);
}

static void end_worker(void)
{
    channel_release(&t.channel);
    process_end(&t.process);
    arena_release(&t.arena);
}

// ---- asking

static void keep_phase(const struct frame *f)
{
    struct wire in;
    ck_assert_uint_lt(t.phase_count, PHASES_MOST);
    wire_reader(&in, f->payload, f->length, &t.arena);
    phase_codec(&in, &t.phases[t.phase_count++]);
    ck_assert(wire_done(&in));
}

static void keep_error(const struct frame *f)
{
    struct wire in;
    wire_reader(&in, f->payload, f->length, &t.arena);
    wire_str(&in, &t.error);
    ck_assert(wire_done(&in) && t.error);
}

static void expect_verb(const struct frame *f, enum verb verb)
{
    ck_assert_msg(f->verb == verb, "'%s' instead of '%s': %s", verb_text(f->verb), verb_text(verb),
                  f->verb == VERB_REPLY_ERROR ? t.error : "");
}

// Sends a request and returns its final reply; phases on the way are kept.
static struct frame ask(enum verb verb, const struct text *payload)
{
    struct error e = ERROR_INIT;
    struct frame f;
    t.sequence++;
    t.phase_count = 0;
    ck_assert_msg(channel_send(&t.channel, verb, t.sequence, payload->data, payload->length, &e),
                  "%s", e.text);
    for (;;) {
        process_drain(&t.process);
        int got = channel_wait(&t.channel, PATIENCE, &f, &e);
        ck_assert_msg(got == 1, "%s: no answer (%d): %s; printed: %s", verb_text(verb), got, e.text,
                      t.process.tail);
        ck_assert_uint_eq(f.sequence, t.sequence);
        if (f.verb == VERB_REPLY_ERROR)
            keep_error(&f);
        if (f.verb != VERB_PHASE)
            return f;
        keep_phase(&f);
    }
}

static bool passed_phase(enum phase_kind kind)
{
    for (unsigned i = 0; i < t.phase_count; i++) {
        if (t.phases[i].kind == kind)
            return true;
    }
    return false;
}

// The payload of a request, begun afresh.
static struct wire payload(struct text *out)
{
    struct wire w;
    text_clear(out);
    wire_writer(&w, out);
    return w;
}

static const char *ask_error(enum verb verb, const struct text *request)
{
    struct frame f = ask(verb, request);
    expect_verb(&f, VERB_REPLY_ERROR);
    return t.error;
}

static struct result *read_result(const struct frame *f, struct wire *in)
{
    struct result *r = result_new();
    wire_reader(in, f->payload, f->length, &r->arena);
    result_codec(in, r);
    ck_assert_msg(!in->failed, "%s", in->why);
    return r;
}

static struct result *ask_result(enum verb verb, const struct text *request)
{
    struct frame f = ask(verb, request);
    struct wire in;
    expect_verb(&f, VERB_REPLY_RESULT);
    struct result *r = read_result(&f, &in);
    ck_assert(wire_done(&in));
    return r;
}

static void ask_hello(void)
{
    struct hello h = {PROTOCOL_VERSION, "test"};
    struct text request = TEXT_INIT;
    struct wire w = payload(&request), in;
    hello_codec(&w, &h);
    struct frame f = ask(VERB_HELLO, &request);
    expect_verb(&f, VERB_REPLY_HELLO);
    h = (struct hello){0};
    wire_reader(&in, f.payload, f.length, &t.arena);
    hello_codec(&in, &h);
    ck_assert(wire_done(&in));
    ck_assert_uint_eq(h.protocol, PROTOCOL_VERSION);
    ck_assert_str_eq(h.version, HONE_VERSION);
    text_release(&request);
}

static struct device_report ask_devices(void)
{
    struct device_report report = {0};
    struct text request = TEXT_INIT;
    struct wire in, w;
    uint32_t languages = languages_unnamed();
    wire_writer(&w, &request);
    wire_u32(&w, &languages);
    struct frame f = ask(VERB_DEVICES, &request);
    text_release(&request);
    expect_verb(&f, VERB_REPLY_DEVICES);
    wire_reader(&in, f.payload, f.length, &t.arena);
    device_report_codec(&in, &report);
    ck_assert(wire_done(&in));
    return report;
}

static const char *wanted_device(const struct device_report *report)
{
    const char *wanted = getenv("HONE_TEST_DEVICE");
    for (uint32_t i = 0; i < report->device_count; i++) {
        const struct device_info *d = &report->devices[i];
        if (wanted ? str_contains_nocase(d->id, wanted) : d->type == DEVICE_CPU)
            return d->id;
    }
    ck_assert_uint_gt(report->device_count, 0);
    return report->devices[0].id;
}

static void ask_open(enum worker_role role)
{
    struct device_report report = ask_devices();
    struct open_request open = {.id = wanted_device(&report), .role = role};
    struct opened opened = {.folders = NULL};
    struct text request = TEXT_INIT;
    struct wire w = payload(&request), in;
    open_request_codec(&w, &open);
    struct frame f = ask(VERB_OPEN, &request);
    expect_verb(&f, VERB_REPLY_OPENED);
    wire_reader(&in, f.payload, f.length, &t.arena);
    opened_codec(&in, &opened);
    ck_assert(wire_done(&in));
    ck_assert_str_eq(opened.info.id, open.id);
    ck_assert_ptr_nonnull(strchr(opened.folders, '/'));
    text_release(&request);
}

// ---- a job: b[i] = 2 * a[i]

static struct job *doubling(void)
{
    struct job *j = kit_job("__kernel void twice(__global const float *a, __global float *b) {\n"
                            "    size_t i = get_global_id(0);\n"
                            "    if (i == 0) printf(\"printed by a kernel\\n\");\n"
                            "    b[i] = FACTOR * a[i];\n"
                            "}\n");
    float expected[N];
    kit_option(j, "-DFACTOR=2");
    kit_buffer(j, "a", N, ACCESS_READ);
    kit_buffer(j, "b", N, ACCESS_WRITE);
    kit_constant(j, 0, 1.5);
    kit_launch(j, "twice", N, 64);
    for (int i = 0; i < N; i++)
        expected[i] = 3;
    kit_expect(j, 1, expected);
    return j;
}

static bool send_blob(void *context, struct job_blob *b)
{
    struct error e = ERROR_INIT;
    struct blob_part part = {b->digest, b->length, 0, b->data, b->length};
    struct text bytes = TEXT_INIT;
    struct wire w = payload(&bytes);
    (void)context;
    blob_part_codec(&w, &part);
    ck_assert_msg(channel_send(&t.channel, VERB_BLOB, 0, bytes.data, bytes.length, &e), "%s",
                  e.text);
    text_release(&bytes);
    return true;
}

// What a job names, before what makes inputs and references of it.
static void give(struct job *j)
{
    ck_assert(job_each_blob(j, send_blob, NULL));
}

static struct image ask_build(struct job *j)
{
    struct policy policy = {.launches = 1, .batch = 1};
    struct image image = {0};
    struct text request = TEXT_INIT;
    struct wire w = payload(&request), in;
    job_codec(&w, j);
    policy_codec(&w, &policy);
    struct frame f = ask(VERB_BUILD, &request);
    expect_verb(&f, VERB_REPLY_IMAGE);
    struct result *r = read_result(&f, &in);
    in.arena = &t.arena;
    image_codec(&in, &image);
    ck_assert(wire_done(&in));
    ck_status(r, STATUS_CORRECT);
    ck_assert(passed_phase(PHASE_BUILDING));
    result_free(r);
    text_release(&request);
    return image;
}

static struct result *ask_load(uint32_t handle, struct job *j, struct image *image)
{
    struct text request = TEXT_INIT;
    struct wire w = payload(&request);
    give(j);
    wire_u32(&w, &handle);
    job_codec(&w, j);
    image_codec(&w, image);
    struct result *r = ask_result(VERB_LOAD, &request);
    text_release(&request);
    return r;
}

static struct result *ask_step(enum verb verb, uint32_t handle)
{
    struct policy policy = {.launches = 5, .batch = 1};
    struct text request = TEXT_INIT;
    struct wire w = payload(&request);
    wire_u32(&w, &handle);
    policy_codec(&w, &policy);
    struct result *r = ask_result(verb, &request);
    text_release(&request);
    return r;
}

static struct text *handle_request(struct text *request, uint32_t handle, uint32_t which, bool both)
{
    struct wire w = payload(request);
    wire_u32(&w, &handle);
    if (both)
        wire_u32(&w, &which);
    return request;
}

static void expect_output(uint32_t handle)
{
    struct text request = TEXT_INIT;
    struct wire in;
    const void *data;
    uint64_t length;
    float first;
    struct frame f = ask(VERB_OUTPUT, handle_request(&request, handle, 1, true));
    expect_verb(&f, VERB_REPLY_BYTES);
    wire_reader(&in, f.payload, f.length, &t.arena);
    wire_bytes(&in, &data, &length);
    ck_assert(wire_done(&in));
    ck_assert_uint_eq(length, N * sizeof(float));
    memcpy(&first, data, sizeof first);
    ck_assert(first == 3.0F);
    text_release(&request);
}

static void expect_stop(int expected)
{
    int status = 0;
    ck_assert_msg(process_wait(&t.process, PATIENCE, &status), "the worker goes on");
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == expected, "status 0x%x", status);
}

static void send_stop(void)
{
    struct error e = ERROR_INIT;
    ck_assert(channel_send(&t.channel, VERB_STOP, ++t.sequence, NULL, 0, &e));
}

// ---- the tests

START_TEST(a_job_goes_all_the_way)
{
    struct job *j = doubling();
    struct text request = TEXT_INIT;
    struct image none = {0};
    ask_hello();
    ask_open(ROLE_BENCH);
    ck_assert(passed_phase(PHASE_OPENING));
    struct result *r = ask_load(7, j, &none);
    ck_status(r, STATUS_CORRECT);
    result_free(r);
    r = ask_step(VERB_VERIFY, 7);
    ck_status(r, STATUS_CORRECT);
    ck_assert_int_eq(r->verification, VERIFICATION_REFERENCE);
    ck_assert(passed_phase(PHASE_LAUNCHING) && passed_phase(PHASE_CHECKING));
    result_free(r);
    r = ask_step(VERB_MEASURE, 7);
    ck_status(r, STATUS_CORRECT);
    ck_assert_uint_eq(r->sample_count, 5);
    ck_assert_uint_eq(t.phases[0].kind, PHASE_LAUNCHING);
    ck_assert_uint_eq(t.phases[0].launches, 5);
    result_free(r);
    expect_output(7);
    r = ask_result(VERB_UNLOAD, handle_request(&request, 7, 0, false));
    ck_status(r, STATUS_CORRECT);
    result_free(r);
    ck_assert(strstr(ask_error(VERB_UNLOAD, &request), "no job is loaded"));
    send_stop();
    expect_stop(0);
    ck_assert_msg(strstr(t.process.tail, "printed by a kernel"), "tail: %s", t.process.tail);
    text_release(&request);
    job_free(j);
}
END_TEST

// Parts of the output of the job under this handle, into `out`; how many bytes have come.
static uint64_t ask_outputs(uint32_t handle, float *out)
{
    struct text request = TEXT_INIT;
    struct wire w = payload(&request), in;
    struct error e = ERROR_INIT;
    uint64_t which = 1, bytes = 0;
    struct frame f = {.verb = VERB_PART};
    wire_u32(&w, &handle);
    wire_u64(&w, &which);
    ck_assert(
        channel_send(&t.channel, VERB_OUTPUTS, ++t.sequence, request.data, request.length, &e));
    while (channel_wait(&t.channel, PATIENCE, &f, &e) == 1 && f.verb != VERB_REPLY_RESULT) {
        struct output_part part;
        if (f.verb != VERB_PART)
            continue;
        wire_reader(&in, f.payload, f.length, &t.arena);
        output_part_codec(&in, &part);
        ck_assert(wire_done(&in) && part.buffer == 1 && part.offset == bytes);
        ck_assert_uint_le(part.offset + part.size, N * sizeof *out);
        memcpy((char *)out + part.offset, part.data, part.size);
        bytes += part.size;
    }
    text_release(&request);
    return bytes;
}

static struct result *ask_compare(struct job *j, const float *values, uint64_t count)
{
    struct output_part part = {.buffer = 1, .data = values, .size = count * sizeof *values};
    struct check_apart check = {.inputs = 0};
    struct text bytes = TEXT_INIT, request = TEXT_INIT;
    struct error e = ERROR_INIT;
    struct wire w = payload(&bytes);
    output_part_codec(&w, &part);
    ck_assert(channel_send(&t.channel, VERB_PART, 0, bytes.data, bytes.length, &e));
    w = payload(&request);
    check_apart_codec(&w, &check);
    job_codec(&w, j);
    give(j);
    struct result *r = count == N ? ask_result(VERB_COMPARE, &request) : NULL;
    if (!r)
        ck_assert(strstr(ask_error(VERB_COMPARE, &request), "have come"));
    text_release(&request);
    text_release(&bytes);
    return r;
}

// As two workers do it: one is told of no reference, and hands out what it has computed.
START_TEST(outputs_are_compared_apart)
{
    struct job *j = doubling(), untold = *j;
    struct image none = {0};
    float values[N];
    untold.reference = (struct job_reference){.kind = REFERENCE_NONE};
    ask_open(ROLE_BENCH);
    struct result *r = ask_load(7, &untold, &none);
    ck_status(r, STATUS_CORRECT);
    result_free(r);
    r = ask_step(VERB_VERIFY, 7);
    ck_assert(r->status == STATUS_CORRECT && r->verification == VERIFICATION_NONE);
    result_free(r);
    ck_assert_uint_eq(ask_outputs(7, values), sizeof values);
    r = ask_compare(j, values, N);
    ck_status(r, STATUS_CORRECT);
    ck_assert_int_eq(r->verification, VERIFICATION_REFERENCE);
    result_free(r);
    values[N / 2] += 1;
    r = ask_compare(j, values, N);
    ck_assert_msg(r->status == STATUS_CORRECTNESS && r->deviations[0].wrong == 1, "%s", r->message);
    result_free(r);
    ck_assert_ptr_null(ask_compare(j, values, N - 1));
    send_stop();
    expect_stop(0);
    job_free(j);
}
END_TEST

// Without a build worker's image, as it runs after a worker was lost.
START_TEST(a_probe_shows_that_the_device_works)
{
    struct job *j = job_probe(LANGUAGE_OPENCL);
    struct image none = {0};
    ask_hello();
    ask_open(ROLE_BENCH);
    struct result *r = ask_load(1, j, &none);
    ck_status(r, STATUS_CORRECT);
    result_free(r);
    r = ask_step(VERB_VERIFY, 1);
    ck_status(r, STATUS_CORRECT);
    ck_assert_int_eq(r->verification, VERIFICATION_REFERENCE);
    result_free(r);
    send_stop();
    expect_stop(0);
    job_free(j);
}
END_TEST

START_TEST(an_image_of_a_build_worker_is_loaded_by_another)
{
    struct job *j = doubling();
    ask_open(ROLE_BUILD);
    struct image image = ask_build(j);
    void *bytes = malloc(image.length + 1);
    ck_assert(bytes != NULL);
    if (image.length)
        memcpy(bytes, image.bytes, image.length);
    image.bytes = bytes;
    end_worker();
    start_worker();
    ask_open(ROLE_BENCH);
    struct result *r = ask_load(1, j, &image);
    ck_status(r, STATUS_CORRECT);
    result_free(r);
    r = ask_step(VERB_VERIFY, 1);
    ck_status(r, STATUS_CORRECT);
    bool ready = image.primed || image.length > 0;
    for (unsigned i = 0; i < t.phase_count; i++)
        ck_assert(t.phases[i].kind != PHASE_LAUNCHING || t.phases[i].compiles == !ready);
    result_free(r);
    free(bytes);
    job_free(j);
}
END_TEST

START_TEST(inputs_and_reference_are_prepared)
{
    struct job *j = doubling();
    struct text request = TEXT_INIT;
    ask_open(ROLE_BENCH);
    give(j);
    struct wire w = payload(&request);
    job_codec(&w, j);
    struct result *r = ask_result(VERB_PREPARE, &request);
    ck_status(r, STATUS_CORRECT);
    ck_assert(passed_phase(PHASE_INPUTS) && passed_phase(PHASE_REFERENCE));
    result_free(r);
    text_release(&request);
    job_free(j);
}
END_TEST

static void send_part(const struct job_blob *b, uint64_t from, uint64_t size)
{
    struct blob_part part = {b->digest, b->length, from, (const char *)b->data + from, size};
    struct text bytes = TEXT_INIT;
    struct wire w = payload(&bytes);
    blob_part_codec(&w, &part);
    ck_assert(channel_send(&t.channel, VERB_BLOB, 0, bytes.data, bytes.length, NULL));
    text_release(&bytes);
}

// How the contents that a job names can be sent, and what is said when it is prepared.
START_TEST(contents_are_checked_when_a_job_wants_them)
{
    struct job *j = doubling();
    struct job_blob *b = &j->reference.data[0].blob;
    uint64_t half = b->length / 2;
    struct text request = TEXT_INIT;
    ask_open(ROLE_BENCH);
    struct wire w = payload(&request);
    job_codec(&w, j);
    ck_assert_ptr_nonnull(strstr(ask_error(VERB_PREPARE, &request), "it was not sent"));
    send_part(b, 0, half);
    ck_assert_ptr_nonnull(strstr(ask_error(VERB_PREPARE, &request), "a part of it was not sent"));
    send_part(b, half, b->length - half);
    send_part(b, half, half); // once whole nothing takes it back
    struct result *r = ask_result(VERB_PREPARE, &request);
    ck_status(r, STATUS_CORRECT);
    result_free(r);

    struct job_blob lie = *b;
    lie.digest.bytes[7] ^= 1;
    b->digest = lie.digest;
    w = payload(&request);
    job_codec(&w, j);
    send_part(&lie, 0, lie.length);
    ck_assert_ptr_nonnull(strstr(ask_error(VERB_PREPARE, &request), "another digest"));
    b->digest.bytes[8] ^= 1;
    w = payload(&request);
    job_codec(&w, j);
    send_part(b, half, half);
    send_part(b, 0, half);
    ck_assert_ptr_nonnull(strstr(ask_error(VERB_PREPARE, &request), "do not follow each other"));
    ask_hello(); // still there
    text_release(&request);
    job_free(j);
}
END_TEST

static void send_name(const struct digest *digest, const struct blob_file *file)
{
    struct blob_name name = {*digest, *file};
    struct text bytes = TEXT_INIT;
    struct wire w = payload(&bytes);
    blob_name_codec(&w, &name);
    ck_assert(channel_send(&t.channel, VERB_BLOB_FILE, 0, bytes.data, bytes.length, NULL));
    text_release(&bytes);
}

static void write_data(const char *path, const struct job_blob *b, struct blob_file *file)
{
    FILE *f = fopen(path, "w");
    ck_assert(f && fwrite("head", 1, 4, f) == 4 && fwrite(b->data, 1, b->length, f) == b->length);
    ck_assert_int_eq(fclose(f), 0);
    ck_assert(blob_file_look(path, file, NULL));
    file->offset = 4;
}

// The same of a file: what is wrong with it is told by its name.
START_TEST(contents_are_read_from_a_file)
{
    struct job *j = doubling();
    struct job_blob *b = &j->reference.data[0].blob;
    struct text request = TEXT_INIT;
    struct blob_file file;
    char path[] = "/tmp/hone-test-data-XXXXXX";
    close(mkstemp(path));
    write_data(path, b, &file);
    ask_open(ROLE_BENCH);
    struct digest right = b->digest;
    for (int wrong = 1; wrong <= 3; wrong++) {
        struct blob_file named = file;
        static const char *const said[] = {"", "another digest", "has changed", "cannot read"};
        b->digest.bytes[7] = (uint8_t)(right.bytes[7] + wrong);
        named.size += wrong == 2; // which would be too much memory, too
        named.path = wrong == 3 ? "/nowhere/data" : path;
        send_name(&b->digest, &named);
        struct wire w = payload(&request);
        job_codec(&w, j);
        const char *answer = ask_error(VERB_PREPARE, &request);
        ck_assert_msg(strstr(answer, said[wrong]) && (wrong == 1 || strstr(answer, named.path)),
                      "%s", answer);
    }
    b->digest = right;
    send_name(&b->digest, &file);
    send_name(&b->digest, &file); // once is enough
    struct wire w = payload(&request);
    job_codec(&w, j);
    struct result *r = ask_result(VERB_PREPARE, &request);
    ck_status(r, STATUS_CORRECT);
    result_free(r);
    remove(path);
    text_release(&request);
    job_free(j);
}
END_TEST

START_TEST(senseless_requests_are_answered)
{
    struct text junk = TEXT_INIT;
    text_addn(&junk, "\xff\xff\xff\xffjunk", 8);
    ck_assert(strstr(ask_error(VERB_BUILD, &junk), "no device is open"));
    ck_assert(strstr(ask_error(VERB_OPEN, &junk), "cannot be read"));
    ck_assert(strstr(ask_error(VERB_HELLO, &junk), "cannot be read"));
    ck_assert(strstr(ask_error(VERB_REPLY_HELLO, &junk), "not a request"));
    ask_open(ROLE_BENCH);
    ck_assert(strlen(ask_error(VERB_BUILD, &junk)) > 0);
    ck_assert(strlen(ask_error(VERB_LOAD, &junk)) > 0);
    ck_assert(strlen(ask_error(VERB_PREPARE, &junk)) > 0);
    ck_assert(strlen(ask_error(VERB_VERIFY, &junk)) > 0);
    ck_assert(strlen(ask_error(VERB_OUTPUT, &junk)) > 0);
    ask_hello(); // still there
    text_release(&junk);
}
END_TEST

START_TEST(unknown_device_is_answered_with_those_there_are)
{
    struct open_request open = {.id = "opencl/nobody/nothing/0", .role = ROLE_BENCH};
    struct text request = TEXT_INIT;
    struct wire w = payload(&request);
    open_request_codec(&w, &open);
    const char *message = ask_error(VERB_OPEN, &request);
    ck_assert_msg(strstr(message, "opencl/nobody/nothing/0"), "%s", message);
    struct device_report report = ask_devices();
    ck_assert_msg(strstr(message, report.devices[0].id), "%s", message);
    text_release(&request);
}
END_TEST

START_TEST(bytes_that_are_no_frame_end_it)
{
    char garbage[64];
    struct frame f;
    struct error e = ERROR_INIT;
    memset(garbage, 'x', sizeof garbage);
    ck_assert_int_eq(send(t.process.channel, garbage, sizeof garbage, MSG_NOSIGNAL),
                     sizeof garbage);
    ck_assert_int_eq(channel_wait(&t.channel, PATIENCE, &f, &e), 1);
    ck_assert_int_eq(f.verb, VERB_REPLY_ERROR);
    expect_stop(EXIT_FAILURE);
}
END_TEST

START_TEST(closed_channel_ends_it)
{
    ask_hello();
    shutdown(t.process.channel, SHUT_RDWR);
    int status = 0;
    ck_assert(process_wait(&t.process, PATIENCE, &status));
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL); // with all of its group
}
END_TEST

// ---- who ends with whom

static void start_and_ask(void)
{
    start_worker();
    ask_hello();
}

static void *start_in_thread(void *nothing)
{
    start_and_ask();
    return nothing;
}

static void start_by_thread_that_ends(void)
{
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, start_in_thread, NULL), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
}

START_TEST(it_outlives_the_thread_that_started_it)
{
    end_worker();
    start_by_thread_that_ends();
    usleep(600000); // longer than it takes to end
    ask_hello();
    send_stop();
    expect_stop(0);
}
END_TEST

// What becomes of a worker before its tuner, a process between us and it, is killed.
struct scene {
    const char *what;
    bool thread;    // started by a thread that has ended
    bool compiler;  // has a child
    bool stopped;   // all of its group, by SIGSTOP
    bool inherited; // another process holds the tuner's end of the channel
    bool session;   // the tuner leads a session of its own: nobody of that is left
    bool closed;    // the tuner lives, and closes the channel
};

static void idle(void)
{
    for (;;)
        pause();
}

static void play_tuner(const struct scene *s, int told)
{
    pid_t pids[2] = {0, 0}; // the worker, who holds the channel
    if (s->session)
        setsid();
    if (s->thread)
        start_by_thread_that_ends();
    else
        start_and_ask();
    pids[0] = t.process.pid;
    pid_t compiler = s->compiler ? fork() : -1;
    if (compiler == 0)
        close(t.process.channel), close(told), idle();
    if (compiler > 0 && setpgid(compiler, pids[0]) != 0)
        _exit(1);
    if (s->inherited && (pids[1] = fork()) == 0)
        close(told), idle();
    if (s->stopped)
        process_stop(&t.process);
    if (write(told, pids, sizeof pids) != sizeof pids)
        _exit(1);
    if (s->closed) {
        usleep(100000);
        close(t.process.channel);
        waitpid(t.process.pid, NULL, 0);
    }
    idle();
}

// We adopt and reap what a process leaves that ends: milliseconds until the group is gone.
static unsigned reap_group(pid_t group)
{
    uint64_t start = clock_ns();
    while ((waitpid(-group, NULL, WNOHANG) >= 0 || kill(-group, 0) == 0) &&
           clock_ns() - start < patience() * 5000000000u)
        usleep(5000);
    return (unsigned)((clock_ns() - start) / 1000000);
}

static void play(const struct scene *s)
{
    int told[2];
    pid_t pids[2] = {0, 0};
    ck_assert_int_eq(pipe(told), 0);
    pid_t tuner = fork();
    ck_assert_int_ge(tuner, 0);
    if (tuner == 0)
        play_tuner(s, told[1]);
    close(told[1]);
    ck_assert_msg(read(told[0], pids, sizeof pids) == sizeof pids, "%s: no worker", s->what);
    close(told[0]);
    usleep(50000);
    ck_assert_msg(kill(pids[0], 0) == 0, "%s: it has ended before its tuner", s->what);
    if (!s->closed)
        kill(tuner, SIGKILL), waitpid(tuner, NULL, 0);
    unsigned ms = reap_group(pids[0]);
    if (s->closed)
        kill(tuner, SIGKILL), waitpid(tuner, NULL, 0);
    if (pids[1] > 0)
        kill(pids[1], SIGKILL), waitpid(pids[1], NULL, 0);
    kill(-pids[0], SIGKILL);
    ck_assert_msg(ms < patience() * 2000, "%s: something is left after %u ms", s->what, ms);
}

// In the session of who adopts the orphans the kernel does not continue those that are stopped
// (POSIX's orphaned process groups); in another it does.
START_TEST(it_ends_with_its_tuner)
{
    static const struct scene scenes[] = {
        {"idle", .thread = false},
        {"with a compiler", .compiler = true},
        {"with a compiler, started by a thread", .compiler = true, .thread = true},
        {"stopped", .stopped = true, .compiler = true},
        {"stopped, started by a thread", .stopped = true, .compiler = true, .thread = true},
        {"stopped, in another session", .stopped = true, .compiler = true, .session = true},
        {"the channel is inherited", .inherited = true},
        {"stopped, the channel is inherited", .inherited = true, .stopped = true},
        {"the channel is closed", .closed = true},
        {"stopped, the channel is closed", .closed = true, .stopped = true},
    };
    end_worker();
    ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        play(&scenes[i]);
    start_worker();
}
END_TEST

START_TEST(scratch_folder_goes_with_a_clean_end)
{
    char parent[] = "/tmp/hone-test-scratch-XXXXXX", variable[128];
    ck_assert(mkdtemp(parent) != NULL);
    snprintf(variable, sizeof variable, "HONE_WORKER_SCRATCH=%s", parent);
    const char *const argv[] = {WORKER, NULL}, *const environment[] = {variable, NULL};
    struct error e = ERROR_INIT;
    end_worker();
    t = (struct talk){.process = PROCESS_NONE};
    arena_init(&t.arena);
    ck_assert(process_start(&t.process, argv, environment, &e));
    channel_init(&t.channel, t.process.channel);
    ask_hello();
    ck_assert_int_ne(rmdir(parent), 0); // the worker's folder is in it
    send_stop();
    expect_stop(0);
    ck_assert_int_eq(rmdir(parent), 0);
}
END_TEST

START_TEST(help_and_version_are_for_people)
{
    ck_assert_int_eq(system("'" WORKER "' --help | grep -q 'usage: hone-worker'"), 0);
    ck_assert_int_eq(system("'" WORKER "' --version | grep -q '^hone-worker " HONE_VERSION "$'"),
                     0);
    ck_assert_int_eq(WEXITSTATUS(system("'" WORKER "' --nonsense 2>/dev/null")), 2);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, start_worker, end_worker);
    tcase_add_test(tests, bytes_that_are_no_frame_end_it);
    tcase_add_test(tests, closed_channel_ends_it);
    tcase_add_test(tests, it_outlives_the_thread_that_started_it);
    tcase_add_test(tests, it_ends_with_its_tuner);
    tcase_add_test(tests, scratch_folder_goes_with_a_clean_end);
    tcase_add_test(tests, help_and_version_are_for_people);
}

static void add_device(TCase *tests)
{
    tcase_add_checked_fixture(tests, start_worker, end_worker);
    tcase_add_test(tests, a_job_goes_all_the_way);
    tcase_add_test(tests, outputs_are_compared_apart);
    tcase_add_test(tests, a_probe_shows_that_the_device_works);
    tcase_add_test(tests, an_image_of_a_build_worker_is_loaded_by_another);
    tcase_add_test(tests, inputs_and_reference_are_prepared);
    tcase_add_test(tests, contents_are_checked_when_a_job_wants_them);
    tcase_add_test(tests, contents_are_read_from_a_file);
    tcase_add_test(tests, senseless_requests_are_answered);
    tcase_add_test(tests, unknown_device_is_answered_with_those_there_are);
}

int main(void)
{
    int failed = kit_run("worker", add);
    if (!kit_has_device())
        return failed ? failed : KIT_SKIPPED;
    return kit_run("worker on a device", add_device) | failed;
}
