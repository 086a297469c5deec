// The stream of frames: pieces, heaps, damage and ends.
#include "os/process.h"
#include "base/random.h"
#include "worker/protocol.h"

#include "../base/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// `near` is the end under test; `far` is its peer, or a bare socket to write bytes to.
static int sockets[2];
static struct channel near, far;
static struct frame frame;
static struct error e;

static void setup(void)
{
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    channel_init(&near, sockets[0]);
    channel_init(&far, sockets[1]);
    error_clear(&e);
}

static void hang_up(void)
{
    if (sockets[1] >= 0)
        close(sockets[1]);
    sockets[1] = -1;
}

static void teardown(void)
{
    hang_up();
    close(sockets[0]);
    channel_release(&near);
    channel_release(&far);
}

// A frame as bytes, to be sent in ways a channel would not.
static void add_frame(struct text *out, uint32_t magic, unsigned verb, unsigned flags,
                      uint32_t sequence, uint32_t length, const void *payload)
{
    const uint32_t words[] = {magic, verb | flags << 16, sequence, length};
    for (int i = 0; i < 4; i++)
        for (int shift = 0; shift < 32; shift += 8)
            text_addc(out, (char)(words[i] >> shift));
    if (payload != NULL)
        text_addn(out, payload, length);
}

static void write_all(const void *bytes, size_t length)
{
    ck_assert_int_eq(write(sockets[1], bytes, length), (ssize_t)length);
}

static void expect_frame(enum verb verb, uint32_t sequence, const void *payload, size_t length)
{
    int got = channel_next(&near, &frame, &e);
    ck_assert_msg(got == 1, "%d: %s", got, e.text);
    ck_assert_int_eq(frame.verb, verb);
    ck_assert_uint_eq(frame.sequence, sequence);
    ck_assert_uint_eq(frame.length, length);
    if (length > 0)
        ck_assert_mem_eq(frame.payload, payload, length);
}

static void expect_error(const char *part)
{
    ck_assert_int_eq(channel_next(&near, &frame, &e), -1);
    ck_assert_int_eq(e.code, ERROR_WORKER);
    ck_assert_msg(strstr(e.text, part) != NULL, "'%s' is not in '%s'", part, e.text);
}

START_TEST(test_layout_is_as_declared)
{
    static const uint8_t expected[] = {'h', 'o',  'n',  'e',  VERB_MEASURE, 0, 0,
                                       0,   0x04, 0x03, 0x02, 0x01,         3, 0,
                                       0,   0,    'a',  'b',  'c'};
    uint8_t bytes[32];
    ck_assert(channel_send(&far, VERB_MEASURE, 0x01020304, "abc", 3, &e));
    ck_assert(!channel_pending(&far));
    ck_assert_int_eq(read(sockets[0], bytes, sizeof bytes), sizeof expected);
    ck_assert_mem_eq(bytes, expected, sizeof expected);
}
END_TEST

START_TEST(test_frames_in_one_read)
{
    ck_assert(channel_send(&far, VERB_HELLO, 1, "one", 3, &e));
    ck_assert(channel_send(&far, VERB_STOP, 2, NULL, 0, &e));
    ck_assert(channel_send(&far, VERB_LOAD, 3, "three", 5, &e));
    ck_assert(channel_receive(&near, &e));
    expect_frame(VERB_HELLO, 1, "one", 3);
    expect_frame(VERB_STOP, 2, NULL, 0);
    expect_frame(VERB_LOAD, 3, "three", 5);
    ck_assert_int_eq(channel_next(&near, &frame, &e), 0);
    ck_assert(!near.ended);
}
END_TEST

// It goes with the next one, and neither polling nor flushing sends it.
START_TEST(test_a_frame_that_is_held)
{
    ck_assert(channel_hold(&far, VERB_UNLOAD, 1, "one", 3, &e));
    ck_assert(channel_hold(&far, VERB_UNLOAD, 2, NULL, 0, &e));
    ck_assert(!channel_pending(&far));
    ck_assert(channel_flush(&far, &e));
    ck_assert(channel_receive(&near, &e));
    ck_assert_int_eq(channel_next(&near, &frame, &e), 0);
    ck_assert(channel_send(&far, VERB_LOAD, 3, "three", 5, &e));
    ck_assert(!channel_pending(&far));
    ck_assert(channel_receive(&near, &e));
    expect_frame(VERB_UNLOAD, 1, "one", 3);
    expect_frame(VERB_UNLOAD, 2, NULL, 0);
    expect_frame(VERB_LOAD, 3, "three", 5);
}
END_TEST

START_TEST(test_frames_byte_by_byte)
{
    struct text bytes = TEXT_INIT;
    unsigned frames = 0;
    add_frame(&bytes, PROTOCOL_MAGIC, VERB_VERIFY, 0, 7, 2, "ab");
    add_frame(&bytes, PROTOCOL_MAGIC, VERB_PHASE, 0, 8, 0, NULL);
    for (size_t i = 0; i < bytes.length; i++) {
        write_all(bytes.data + i, 1);
        ck_assert(channel_receive(&near, &e));
        int got = channel_next(&near, &frame, &e);
        ck_assert_int_eq(got, i == 17 || i == 33);
        frames += got == 1;
    }
    ck_assert_uint_eq(frames, 2);
    ck_assert(frame.verb == VERB_PHASE && frame.sequence == 8);
    text_release(&bytes);
}
END_TEST

// A stream cut at random: every frame comes out once, in order, whole.
START_TEST(test_frames_in_random_pieces)
{
    enum { FRAMES = 400 };
    struct text bytes = TEXT_INIT;
    struct rng rng;
    char payload[700];
    rng_init(&rng, 5, 0);
    for (uint32_t i = 0; i < FRAMES; i++) {
        memset(payload, (int)(i & 0x7f), sizeof payload);
        add_frame(&bytes, PROTOCOL_MAGIC, VERB_PHASE, 0, i, i % sizeof payload, payload);
    }
    uint32_t seen = 0;
    for (size_t at = 0; at < bytes.length;) {
        size_t piece = 1 + rng_below(&rng, 3000);
        piece = piece < bytes.length - at ? piece : bytes.length - at;
        write_all(bytes.data + at, piece);
        at += piece;
        ck_assert(channel_receive(&near, &e));
        while (channel_next(&near, &frame, &e) == 1) {
            memset(payload, (int)(seen & 0x7f), sizeof payload);
            ck_assert(frame.sequence == seen && frame.length == seen % sizeof payload);
            ck_assert(memcmp(frame.payload, payload, frame.length) == 0);
            seen++;
        }
    }
    ck_assert_uint_eq(seen, FRAMES);
    text_release(&bytes);
}
END_TEST

// ---- bytes that are no frame --------------------------------------------------------------------

static void send_header(uint32_t magic, unsigned verb, unsigned flags, uint32_t length)
{
    struct text bytes = TEXT_INIT;
    add_frame(&bytes, magic, verb, flags, 1, length, NULL);
    write_all(bytes.data, bytes.length);
    text_release(&bytes);
    ck_assert(channel_receive(&near, &e));
}

START_TEST(test_wrong_magic)
{
    write_all("Segmentation fault\n", 19); // a program that prints where frames belong
    ck_assert(channel_receive(&near, &e));
    expect_error("not a frame");
    expect_error("hone-worker"); // and remains no frame
}
END_TEST

START_TEST(test_unknown_verb)
{
    send_header(PROTOCOL_MAGIC, VERB_COUNT, 0, 0);
    expect_error("unknown verb");
}
END_TEST

START_TEST(test_unknown_flags)
{
    send_header(PROTOCOL_MAGIC, VERB_HELLO, 1, 0);
    expect_error("unknown flags");
}
END_TEST

START_TEST(test_oversize_is_refused_before_allocation)
{
    send_header(PROTOCOL_MAGIC, VERB_LOAD, 0, PROTOCOL_MAX_FRAME + 1);
    expect_error("1073741825 bytes");
    ck_assert_uint_lt(near.in.capacity, 1 << 20);
}
END_TEST

START_TEST(test_largest_is_awaited_without_allocation)
{
    send_header(PROTOCOL_MAGIC, VERB_LOAD, 0, PROTOCOL_MAX_FRAME);
    ck_assert_int_eq(channel_next(&near, &frame, &e), 0);
    ck_assert_uint_lt(near.in.capacity, 1 << 20);
}
END_TEST

START_TEST(test_oversize_is_not_sent)
{
    ck_assert(!channel_send(&near, VERB_LOAD, 1, "", (size_t)PROTOCOL_MAX_FRAME + 1, &e));
    ck_assert_int_eq(e.code, ERROR_USAGE);
    ck_assert(!channel_pending(&near));
}
END_TEST

// ---- ends ---------------------------------------------------------------------------------------

START_TEST(test_end_between_frames)
{
    ck_assert(channel_send(&far, VERB_REPLY_RESULT, 9, "last", 4, &e));
    hang_up();
    ck_assert(channel_receive(&near, &e));
    ck_assert(near.ended);
    expect_frame(VERB_REPLY_RESULT, 9, "last", 4);
    ck_assert_int_eq(channel_next(&near, &frame, &e), 0);
    ck_assert_int_eq(e.code, ERROR_NONE);
}
END_TEST

START_TEST(test_end_in_the_middle_of_a_payload)
{
    struct text bytes = TEXT_INIT;
    add_frame(&bytes, PROTOCOL_MAGIC, VERB_REPLY_RESULT, 0, 1, 40, NULL);
    text_add(&bytes, "a dozen here");
    write_all(bytes.data, bytes.length);
    text_release(&bytes);
    hang_up();
    ck_assert(channel_receive(&near, &e));
    expect_error("in the middle of a frame 'reply result', after 12 of 40 bytes");
}
END_TEST

START_TEST(test_end_in_the_middle_of_a_header)
{
    write_all("hone\1", 5);
    hang_up();
    ck_assert(channel_receive(&near, &e));
    expect_error("in the middle of a frame's header, 5 of 16 bytes");
}
END_TEST

START_TEST(test_wait_says_that_the_stream_ended)
{
    hang_up();
    ck_assert_int_eq(channel_wait(&near, -1, &frame, &e), -1);
    ck_assert_ptr_nonnull(strstr(e.text, "closed the channel"));
}
END_TEST

START_TEST(test_wait_says_that_a_frame_is_cut)
{
    write_all("hone", 4);
    hang_up();
    ck_assert_int_eq(channel_wait(&near, -1, &frame, &e), -1);
    ck_assert_ptr_nonnull(strstr(e.text, "middle of a frame"));
}
END_TEST

// A worker that dies with requests unread resets the connection; its last words still arrive.
START_TEST(test_last_words_of_the_dead)
{
    ck_assert(channel_send(&near, VERB_MEASURE, 1, "unread", 6, &e));
    ck_assert(channel_send(&far, VERB_PHASE, 1, "dying", 5, &e));
    hang_up();
    ck_assert_int_eq(channel_wait(&near, -1, &frame, &e), 1);
    ck_assert_mem_eq(frame.payload, "dying", 5);
    ck_assert_int_eq(channel_wait(&near, -1, &frame, &e), -1);
    ck_assert(near.ended);
}
END_TEST

// The same while more is queued for it than the socket takes.
START_TEST(test_last_words_while_sending)
{
    size_t size = 4 << 20;
    char *payload = calloc(1, size);
    ck_assert(channel_send(&near, VERB_LOAD, 1, payload, size, &e));
    ck_assert(channel_pending(&near));
    ck_assert(channel_send(&far, VERB_PHASE, 1, "dying", 5, &e));
    hang_up();
    ck_assert_int_eq(channel_wait(&near, -1, &frame, &e), 1);
    ck_assert_int_eq(channel_wait(&near, -1, &frame, &e), -1);
    ck_assert_ptr_nonnull(strstr(e.text, "closed the channel"));
    free(payload);
}
END_TEST

// No signal, an error that says who went.
START_TEST(test_send_to_nobody)
{
    hang_up();
    ck_assert(!channel_send(&near, VERB_STOP, 1, NULL, 0, &e));
    ck_assert_int_eq(e.code, ERROR_WORKER);
    ck_assert_int_eq(e.driver, EPIPE);
}
END_TEST

START_TEST(test_bad_descriptor)
{
    struct channel none;
    channel_init(&none, -1);
    ck_assert(!channel_receive(&none, &e));
    ck_assert(e.code == ERROR_IO && e.driver == EBADF);
    channel_release(&none);
}
END_TEST

// ---- waiting ------------------------------------------------------------------------------------

START_TEST(test_wait_times_out)
{
    uint64_t start = clock_ns();
    ck_assert_int_eq(channel_wait(&near, 30, &frame, &e), 0);
    ck_assert_uint_ge(clock_ns() - start, 29000000);
    ck_assert_int_eq(channel_wait(&near, 0, &frame, &e), 0);
    ck_assert_int_eq(e.code, ERROR_NONE);
}
END_TEST

START_TEST(test_wait_gives_what_is_there_at_once)
{
    ck_assert(channel_send(&far, VERB_HELLO, 1, NULL, 0, &e));
    ck_assert(channel_send(&far, VERB_STOP, 2, NULL, 0, &e));
    ck_assert_int_eq(channel_wait(&near, 0, &frame, &e), 1);
    ck_assert_int_eq(frame.verb, VERB_HELLO);
    ck_assert_int_eq(channel_wait(&near, 0, &frame, &e), 1);
    ck_assert_int_eq(frame.verb, VERB_STOP);
    ck_assert_int_eq(channel_wait(&near, 0, &frame, &e), 0);
}
END_TEST

// ---- much ---------------------------------------------------------------------------------------

enum { LARGE = 50 * 1024 * 1024 };

// A byte for every place, so that a shifted or repeated piece is seen.
static char *large_payload(uint32_t salt)
{
    char *payload = malloc(LARGE);
    ck_assert_ptr_nonnull(payload);
    for (uint32_t i = 0; i < LARGE; i++)
        payload[i] = (char)((i * 2654435761u + salt) >> 24);
    return payload;
}

// What one end does: sends a large frame, receives the other's, and says whether it is right.
struct pump {
    struct channel *channel;
    char *sends, *expects;
    bool ok;
};

static void *pump(void *context)
{
    struct pump *p = context;
    struct error error = ERROR_INIT;
    struct frame got;
    p->ok = channel_send(p->channel, VERB_OUTPUT, 1, p->sends, LARGE, &error) &&
            channel_wait(p->channel, 30000, &got, &error) == 1 && got.length == LARGE &&
            memcmp(got.payload, p->expects, LARGE) == 0;
    // The other may still wait for the rest of ours: no reply comes, so this ends by timeout.
    while (p->ok && channel_pending(p->channel))
        p->ok = channel_wait(p->channel, 10, &got, &error) == 0;
    return NULL;
}

static void pump_both(void)
{
    char *one = large_payload(1), *two = large_payload(2);
    struct pump ours = {&near, one, two, false}, theirs = {&far, two, one, false};
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, pump, &theirs), 0);
    pump(&ours);
    pthread_join(thread, NULL);
    ck_assert(ours.ok && theirs.ok);
    // A large buffer is given back once it is empty.
    ck_assert_int_eq(channel_next(&near, &frame, &e), 0);
    ck_assert(near.in.capacity <= 1 << 20 && near.out.capacity <= 1 << 20);
    free(one);
    free(two);
}

START_TEST(test_large_both_ways)
{
    pump_both();
}
END_TEST

START_TEST(test_large_both_ways_not_blocking)
{
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(fcntl(sockets[i], F_SETFL, O_NONBLOCK), 0);
    pump_both();
}
END_TEST

// 300,000 frames queued at once, read as they come: with a move of the rest for each frame this
// would be terabytes, and the test would run into its limit.
START_TEST(test_many_small_frames)
{
    enum { FRAMES = SUITE_SANITIZED ? 60000 : 300000 };
    uint32_t seen = 0;
    for (uint32_t i = 0; i < FRAMES; i++)
        ck_assert(channel_send(&far, VERB_PHASE, i, &i, sizeof i, &e));
    while (seen < FRAMES) {
        ck_assert(channel_flush(&far, &e));
        ck_assert(channel_receive(&near, &e));
        while (channel_next(&near, &frame, &e) == 1) {
            ck_assert(frame.sequence == seen && memcmp(frame.payload, &seen, sizeof seen) == 0);
            seen++;
        }
    }
    ck_assert(!channel_pending(&far));
}
END_TEST

// The same with everything received before the first frame is taken.
START_TEST(test_many_small_frames_taken_late)
{
    enum { FRAMES = SUITE_SANITIZED ? 60000 : 300000 };
    struct text bytes = TEXT_INIT;
    for (uint32_t i = 0; i < FRAMES; i++)
        add_frame(&bytes, PROTOCOL_MAGIC, VERB_PHASE, 0, i, 0, NULL);
    text_addn(&near.in, bytes.data, bytes.length);
    text_release(&bytes);
    for (uint32_t i = 0; i < FRAMES; i++)
        expect_frame(VERB_PHASE, i, NULL, 0);
    ck_assert_int_eq(channel_next(&near, &frame, &e), 0);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, test_layout_is_as_declared);
    tcase_add_test(tests, test_frames_in_one_read);
    tcase_add_test(tests, test_a_frame_that_is_held);
    tcase_add_test(tests, test_frames_byte_by_byte);
    tcase_add_test(tests, test_frames_in_random_pieces);
    tcase_add_test(tests, test_wrong_magic);
    tcase_add_test(tests, test_unknown_verb);
    tcase_add_test(tests, test_unknown_flags);
    tcase_add_test(tests, test_oversize_is_refused_before_allocation);
    tcase_add_test(tests, test_largest_is_awaited_without_allocation);
    tcase_add_test(tests, test_oversize_is_not_sent);
    tcase_add_test(tests, test_end_between_frames);
    tcase_add_test(tests, test_end_in_the_middle_of_a_payload);
    tcase_add_test(tests, test_end_in_the_middle_of_a_header);
    tcase_add_test(tests, test_wait_says_that_the_stream_ended);
    tcase_add_test(tests, test_wait_says_that_a_frame_is_cut);
    tcase_add_test(tests, test_last_words_of_the_dead);
    tcase_add_test(tests, test_last_words_while_sending);
    tcase_add_test(tests, test_send_to_nobody);
    tcase_add_test(tests, test_bad_descriptor);
    tcase_add_test(tests, test_wait_times_out);
    tcase_add_test(tests, test_wait_gives_what_is_there_at_once);
    tcase_add_test(tests, test_large_both_ways);
    tcase_add_test(tests, test_large_both_ways_not_blocking);
    tcase_add_test(tests, test_many_small_frames);
    tcase_add_test(tests, test_many_small_frames_taken_late);
}

int main(void)
{
    return suite_run("channel", add);
}
