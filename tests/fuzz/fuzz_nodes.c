// The frames of nodes. The first byte says who is spoken to: the streams and payloads alone, the link
// by an agent that says anything, or the tuner by such a link. No process is started: --wrap puts a
// socket in its place, on which all that is said lies already and has its end.
#include "fuzz.h"

#include "os/process.h"
#include "extras/nodes/node.h"
#include "extras/nodes/agent.h"
#include "worker/device_lock.h"
#include "extras/nodes/node_frames.h"
#include "worker/protocol.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SAID_MOST = 100000, WORKERS = 3, LOCK_NUMBER = WORKERS + 1, BUFFER = 1 << 20 };

bool __wrap_process_start(struct process *p, const char *const *argv,
                          const char *const *environment, struct error *e);

static struct text said; // by the process that is not started

bool __wrap_process_start(struct process *p, const char *const *argv,
                          const char *const *environment, struct error *e)
{
    int ends[2], room = BUFFER;
    (void)argv, (void)environment, (void)e;
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
    setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    *p = (struct process)PROCESS_NONE;
    p->channel = ends[0];
    for (size_t done = 0; done < said.length;) {
        ssize_t n = send(ends[1], said.data + done, said.length - done, MSG_NOSIGNAL);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    shutdown(ends[1], SHUT_WR);
    close(ends[1]);
    return true;
}

// ---- streams and payloads ----------------------------------------------------------------------

static void check_payload(const struct node_frame *f)
{
    struct arena arena;
    struct wire w;
    struct node_hello hello = {0};
    struct node_lease lease = {0, 0};
    struct node_start start = {NULL, 0};
    struct node_lock_request lock = {.name = ""};
    char text[256];
    uint32_t number;
    bool same;
    arena_init(&arena);
    wire_reader(&w, f->payload, f->length, &arena);
    node_hello_codec(&w, &hello, &same);
    REQUIRE(!same || (hello.version && hello.host));
    wire_reader(&w, f->payload, f->length, &arena);
    node_lease_codec(&w, &lease);
    wire_reader(&w, f->payload, f->length, &arena);
    node_start_codec(&w, &start);
    REQUIRE(!wire_done(&w) || start.count == 0 || start.environment[start.count - 1]);
    wire_reader(&w, f->payload, f->length, &arena);
    node_lock_codec(&w, &lock);
    if (wire_done(&w))
        device_lock_is_name(lock.name);
    node_frame_u32(f, &number);
    node_frame_text(f, text, sizeof text);
    REQUIRE(memchr(text, '\0', sizeof text));
    arena_release(&arena);
}

static void check_stream(const uint8_t *data, size_t size)
{
    int ends[2];
    struct node_stream s;
    struct node_frame f;
    struct error e = ERROR_INIT;
    int got = 0;
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
    node_stream_init(&s, ends[0], ends[0]);
    while (size > 0 && got == 0) {
        ssize_t n = send(ends[1], data, size < 1000 ? size : 1000, MSG_NOSIGNAL);
        REQUIRE(n > 0);
        data += n;
        size -= (size_t)n;
        REQUIRE(node_receive(&s, &e));
        while ((got = node_next(&s, &f, &e)) > 0) {
            REQUIRE((unsigned)f.verb < NODE_VERB_COUNT && f.length <= NODE_ITEM);
            check_payload(&f);
        }
        REQUIRE((got < 0) == (e.code != ERROR_NONE));
    }
    close(ends[1]);
    close(ends[0]);
    node_stream_release(&s);
}

// ---- the link ----------------------------------------------------------------------------------

static void add_frame(struct text *out, enum node_verb verb, uint32_t number, const struct text *p)
{
    struct node_stream s;
    node_stream_init(&s, -1, -1);
    REQUIRE(node_put(&s, verb, number, p ? p->data : NULL, p ? p->length : 0));
    text_addn(out, s.queued.data, s.queued.length);
    node_stream_release(&s);
}

static void add_hello(struct text *out)
{
    struct node_hello hello = {.protocol = NODE_PROTOCOL,
                               .version = HONE_VERSION,
                               .worker_protocol = PROTOCOL_VERSION,
                               .host = "host",
                               .cores = 2};
    struct text payload = TEXT_INIT;
    struct wire w;
    bool same;
    wire_writer(&w, &payload);
    node_hello_codec(&w, &hello, &same);
    add_frame(out, NODE_HELLO, 0, &payload);
    text_release(&payload);
}

static void send_start(int control, uint32_t number, int ours[2])
{
    int channel[2], printed[2];
    struct text frame = TEXT_INIT, none = TEXT_INIT;
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(2 * sizeof(int))];
    } with = {.room = {0}};
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) == 0);
    REQUIRE(pipe(printed) == 0);
    text_addn(&none, "\0\0\0\0", 4);
    add_frame(&frame, NODE_START, number, &none);
    struct iovec part = {frame.data, frame.length};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &with, .msg_controllen = sizeof with};
    const int theirs[] = {channel[1], printed[1]};
    with.header.cmsg_level = SOL_SOCKET;
    with.header.cmsg_type = SCM_RIGHTS;
    with.header.cmsg_len = CMSG_LEN(sizeof theirs);
    memcpy(CMSG_DATA(&with.header), theirs, sizeof theirs);
    REQUIRE(sendmsg(control, &message, MSG_NOSIGNAL) == (ssize_t)frame.length);
    close(channel[1]);
    close(printed[1]);
    ours[0] = channel[0];
    ours[1] = printed[0];
    text_release(&frame);
    text_release(&none);
}

// Workers were started and a lock was asked for when the agent begins to speak.
static void speak_to_link(bool greets, const uint8_t *data, size_t size)
{
    static const char *const launcher[] = {"launcher", NULL};
    const struct link_options o = {.launcher = launcher,
                                   .program = "hone-worker",
                                   .beat_ns = NODE_BEAT_NS,
                                   .lease_ns = NODE_LEASE_NS,
                                   .start_ns = NODE_START_NS};
    int control[2], ours[WORKERS][2];
    struct text frame = TEXT_INIT;
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control) == 0);
    for (uint32_t i = 0; i < WORKERS; i++)
        send_start(control[0], i + 1, ours[i]);
    add_frame(&frame, NODE_LOCK, LOCK_NUMBER, NULL);
    REQUIRE(send(control[0], frame.data, frame.length, MSG_NOSIGNAL) == (ssize_t)frame.length);
    text_release(&frame);
    if (greets)
        add_hello(&said);
    text_addn(&said, data, size);
    REQUIRE(link_run(control[1], &o) != 0); // whatever it said, it has ended
    char last[1 << 16];
    ssize_t n = recv(control[0], last, sizeof last, MSG_DONTWAIT);
    REQUIRE(n > 0); // and the tuner was told
    for (int i = 0; i < WORKERS; i++) {
        close(ours[i][0]);
        close(ours[i][1]);
    }
    close(control[0]);
}

// ---- the tuner ---------------------------------------------------------------------------------

static void speak_to_tuner(bool greets, const uint8_t *data, size_t size)
{
    static const char *const launcher[] = {"launcher", NULL};
    struct error e = ERROR_INIT;
    struct process p[WORKERS];
    struct device_lock lock;
    const struct device_info device = {.type = DEVICE_CPU};
    int status;
    if (greets)
        add_hello(&said);
    text_addn(&said, data, size);
    struct node *n = node_new(
        &(struct node_options){.name = "n", .worker = "hone-worker", .launcher = launcher}, &e);
    REQUIRE(n);
    node_open_lock(n, &lock, NULL, &device, NULL);
    for (int i = 0; i < WORKERS; i++) {
        struct error why = ERROR_INIT;
        p[i] = (struct process)PROCESS_NONE;
        REQUIRE(process_start_on(&n->host, &p[i], NULL, &why) == (why.code == ERROR_NONE));
    }
    device_lock_try(&lock, &e);
    REQUIRE(node_wait(&n, 1, 0));
    REQUIRE(node_state(n) == NODE_LOST && node_reason(n)[0]); // it has ended
    for (int i = 0; i < WORKERS; i++) {
        process_memory(&p[i]);
        REQUIRE(process_wait(&p[i], 0, &status));
        process_end(&p[i]);
    }
    device_lock_close(&lock);
    node_free(n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > SAID_MOST)
        return 0;
    bool greets = data[0] & 4;
    if (data[0] % 4 == 0)
        check_stream(data + 1, size - 1);
    else if (data[0] % 4 == 1)
        speak_to_tuner(greets, data + 1, size - 1);
    else
        speak_to_link(greets, data + 1, size - 1);
    text_release(&said);
    return 0;
}
