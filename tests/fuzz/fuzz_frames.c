// What crosses the channel between hone and its worker: every codec on arbitrary bytes, and the
// stream of frames in arbitrary pieces. Beyond not crashing: what a codec accepts it writes back as
// the same bytes, so that no thing has two encodings.
#include "fuzz_frames.h"

#include "fuzz.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// ---- payloads ----------------------------------------------------------------------------------

// Large enough for each.
union payload {
    struct job job;
    struct result result;
    struct device_info device;
    struct hello hello;
    struct open_request open;
    struct image image;
    struct policy policy;
    struct phase phase;
    struct device_report report;
    struct blob_part part;
    struct blob_name name;
};

static void check_codec(frame_codec codec, const uint8_t *data, size_t size)
{
    struct arena arena;
    struct text again = TEXT_INIT;
    struct wire w;
    union payload value;
    memset(&value, 0, sizeof value);
    arena_init(&arena);
    wire_reader(&w, data, size, &arena);
    codec(&w, &value);
    REQUIRE(w.failed == (w.why != NULL));
    if (wire_done(&w)) {
        wire_writer(&w, &again);
        codec(&w, &value);
        REQUIRE(!w.failed && again.length == size);
        REQUIRE(size == 0 || memcmp(again.data, data, size) == 0);
    }
    text_release(&again);
    arena_release(&arena);
}

static void decode_job(const uint8_t *data, size_t size)
{
    struct error e = ERROR_INIT;
    struct digest digest;
    const struct device_info *none = &(struct device_info){.id = ""};
    struct job *job = job_decode(data, size, &e);
    REQUIRE((job != NULL) == (e.code == ERROR_NONE));
    if (job) {
        job_key(job, none, &digest);
        job_reference_digest(job, &digest);
    }
    job_free(job);
}

// What is accepted can be merged with itself and copied.
static void decode_result(const uint8_t *data, size_t size, int format)
{
    struct error e = ERROR_INIT;
    struct result *r = result_decode_format(data, size, format, &e);
    REQUIRE((r != NULL) == (e.code == ERROR_NONE));
    if (!r)
        return;
    struct result *copy = result_clone(r);
    REQUIRE(copy);
    REQUIRE(result_merge(copy, r));
    result_free(copy);
    result_free(r);
}

// ---- streams -----------------------------------------------------------------------------------

// Frames are handed out until there are none or the bytes are no frame. True to go on.
static bool take_frames(struct channel *c, size_t *taken)
{
    struct frame f;
    struct error e = ERROR_INIT;
    int got;
    while ((got = channel_next(c, &f, &e)) > 0) {
        REQUIRE((unsigned)f.verb < VERB_COUNT && f.length <= PROTOCOL_MAX_FRAME);
        check_codec(frame_codecs[f.sequence % KIND_CODECS], f.payload, f.length);
        *taken += f.length + 1;
    }
    REQUIRE((got < 0) == (e.code != ERROR_NONE));
    return got == 0;
}

static void check_stream(const uint8_t *data, size_t size, size_t piece)
{
    int ends[2];
    struct channel channel;
    struct error e = ERROR_INIT;
    size_t taken = 0;
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    channel_init(&channel, ends[0]);
    bool going = true;
    while (size > 0 && going) {
        ssize_t n = send(ends[1], data, size < piece ? size : piece, MSG_NOSIGNAL);
        REQUIRE(n > 0);
        data += n;
        size -= (size_t)n;
        REQUIRE(channel_receive(&channel, &e));
        going = take_frames(&channel, &taken);
    }
    close(ends[1]);
    REQUIRE(channel_receive(&channel, &e) && channel.ended);
    if (going)
        take_frames(&channel, &taken);
    channel_release(&channel);
    close(ends[0]);
}

// ------------------------------------------------------------------------------------------------

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    enum frame_kind kind = data[0] % KIND_COUNT;
    if (kind == KIND_JOB)
        decode_job(data + 1, size - 1);
    if (kind == KIND_RESULT)
        decode_result(data + 1, size - 1, RESULT_FORMAT);
    if (kind == KIND_RESULT_OLD)
        decode_result(data + 2, size - 2, data[1] % (RESULT_FORMAT + 2));
    if (kind == KIND_STREAM)
        check_stream(data + 2, size - 2, (size_t)data[1] * data[1] + 1);
    if (kind < KIND_CODECS)
        check_codec(frame_codecs[kind], data + 1, size - 1);
    return 0;
}
