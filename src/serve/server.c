// A libmicrohttpd daemon without a thread: its epoll descriptor is waited for here, and run()
// answers the requests that have come. A connection for events is suspended while there are no
// news; news resume it, and its reader then composes the part that it has not sent yet.
#include "serve/server.h"

#include "os/process.h"
#include "serve/admission.h"
#include "serve/microhttpd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BEAT_NS                                                                                    \
    (15ull *                                                                                       \
     1000000000) // so often a reader that hears nothing is told so, which finds those that are gone
#define REQUEST_BYTES ((size_t)16 * 1024) // of a request's line and headers together
#define LINE_BYTES    400

// A connection for events.
struct reader {
    struct server *server;
    struct MHD_Connection *connection; // NULL: free
    uint64_t version, line;            // that it was told
    bool told_end, wants_beat, is_suspended;
    char pending[LINE_BYTES + 64]; // what is being told
    size_t from, to;
};

struct server {
    struct microhttpd api;
    struct MHD_Daemon *daemon;
    int epoll;
    struct serve_secret secret;
    char address[96];
    struct MHD_Response *page; // of `version`
    uint64_t version, line_version;
    char line[LINE_BYTES];
    bool is_finished;
    uint64_t next_beat_ns;
    struct server_counts counts;
    struct reader readers[SERVE_CONNECTIONS_MOST];
};

// ---- what is answered --------------------------------------------------------------------------

static bool add_headers(struct server *s, struct MHD_Response *r, const char *type)
{
    static const char *const always[][2] = {{"Cache-Control", "no-store"},
                                            {"X-Content-Type-Options", "nosniff"},
                                            {"Referrer-Policy", "no-referrer"},
                                            {"Content-Security-Policy", "frame-ancestors 'none'"},
                                            {"X-Frame-Options", "DENY"},
                                            {"Cross-Origin-Opener-Policy", "same-origin"},
                                            {"Cross-Origin-Resource-Policy", "same-origin"}};
    bool ok = s->api.add_header(r, "Content-Type", type) == HTTPD_YES;
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        ok = ok && s->api.add_header(r, always[i][0], always[i][1]) == HTTPD_YES;
    return ok;
}

static int answer_refused(struct server *s, struct MHD_Connection *c, unsigned status)
{
    static const char *const texts[] = {[0] = "bad request\n",
                                        [3] = "forbidden: ask hone for the address\n",
                                        [4] = "not found\n",
                                        [5] = "this page can only be read\n"};
    const char *text = status == 503 ? "too many readers\n" : texts[status - 400];
    struct MHD_Response *r =
        s->api.of_buffer(strlen(text), (void *)(uintptr_t)text, HTTPD_MUST_COPY);
    s->counts.refused++;
    if (!r)
        return HTTPD_NO;
    bool ok = add_headers(s, r, "text/plain; charset=utf-8");
    if (status == 405)
        ok = ok && s->api.add_header(r, "Allow", "GET, HEAD") == HTTPD_YES;
    int queued = ok ? s->api.queue(c, status, r) : HTTPD_NO;
    s->api.drop(r);
    return queued;
}

// Composes the news that the reader has not sent yet, or nothing.
static void compose_news(struct reader *r)
{
    const struct server *s = r->server;
    r->from = r->to = 0;
    if (r->version != s->version) {
        r->version = s->version;
        str_format(r->pending, sizeof r->pending, "event: page\ndata: %llu\n\n",
                   (unsigned long long)s->version);
    } else if (r->line != s->line_version) {
        r->line = s->line_version;
        str_format(r->pending, sizeof r->pending, "event: said\ndata: %s\n\n", s->line);
    } else if (s->is_finished && !r->told_end) {
        r->told_end = true;
        str_format(r->pending, sizeof r->pending, "event: end\ndata: %llu\n\n",
                   (unsigned long long)s->version);
    } else if (r->wants_beat) {
        str_format(r->pending, sizeof r->pending, ":\n\n");
    } else {
        return;
    }
    r->wants_beat = false;
    r->to = strlen(r->pending);
}

static ssize_t read_news(void *context, uint64_t at, char *out, size_t most)
{
    struct reader *r = context;
    (void)at;
    if (r->from == r->to)
        compose_news(r);
    if (r->from == r->to && r->told_end)
        return HTTPD_END_OF_STREAM;
    if (r->from == r->to) {
        r->is_suspended = true;
        r->server->api.suspend(r->connection);
        return 0;
    }
    size_t count = r->to - r->from < most ? r->to - r->from : most;
    memcpy(out, r->pending + r->from, count);
    r->from += count;
    return (ssize_t)count;
}

static int answer_events(struct server *s, struct MHD_Connection *c, void **own)
{
    struct reader *r = NULL;
    for (size_t i = 0; i < SERVE_CONNECTIONS_MOST && !r; i++)
        r = s->readers[i].connection ? NULL : &s->readers[i];
    struct MHD_Response *news = r ? s->api.of_reader(UINT64_MAX, 512, read_news, r, NULL) : NULL;
    if (!news)
        return answer_refused(s, c, 503);
    *r = (struct reader){.server = s, .connection = c};
    *own = r;
    s->counts.readers++;
    bool ok = add_headers(s, news, "text/event-stream");
    int queued = ok ? s->api.queue(c, 200, news) : HTTPD_NO;
    s->api.drop(news);
    return queued;
}

static int take_header(void *context, int kind, const char *name, const char *value)
{
    struct serve_request *r = context;
    const struct {
        const char *name;
        const char **value;
    } wanted[] = {{"Host", &r->host}, {"Origin", &r->origin}, {"Sec-Fetch-Site", &r->site}};
    (void)kind;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        if (!str_equal_nocase(name, wanted[i].name))
            continue;
        r->is_doubtful |= *wanted[i].value != NULL || !value;
        *wanted[i].value = value;
    }
    return HTTPD_YES;
}

// Called when the headers are there, and again at the end of a body, which no request has that is let in.
static int answer_request(void *context, struct MHD_Connection *c, const char *path,
                          const char *method, const char *version, const char *body,
                          size_t *body_size, void **own)
{
    struct server *s = context;
    enum serve_target target;
    struct serve_request r = {.method = method, .path = path};
    (void)version;
    (void)body;
    r.is_doubtful = *body_size > 0;
    s->api.values(c, HTTPD_HEADER_KIND, take_header, &r);
    unsigned refusal = serve_refusal(&s->secret, &r, &target);
    if (refusal)
        return answer_refused(s, c, refusal);
    if (target == SERVE_EVENTS)
        return answer_events(s, c, own);
    if (!s->page)
        return answer_refused(s, c, 503);
    s->counts.pages++;
    s->counts.newest++;
    return s->api.queue(c, 200, s->page);
}

static void note_completed(void *context, struct MHD_Connection *c, void **own, int why)
{
    struct server *s = context;
    struct reader *r = *own;
    (void)c;
    (void)why;
    if (!r)
        return;
    r->connection = NULL;
    s->counts.readers--;
    *own = NULL;
}

// ---- the daemon --------------------------------------------------------------------------------

// A socket on 127.0.0.1; -1 with an error.
static int listen_at(uint16_t *port, struct error *e)
{
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons(*port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int on = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    // A port that was served a moment ago is free again.
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(fd, (struct sockaddr *)&at, size) != 0 || listen(fd, SERVE_CONNECTIONS_MOST) != 0 ||
        getsockname(fd, (struct sockaddr *)&at, &size) != 0) {
        int code = errno;
        error_set_driver(e, ERROR_IO, code, "port %u of 127.0.0.1 cannot be served: %s%s", *port,
                         strerror(code),
                         code == EADDRINUSE ? "; name another, or none for one that is free" : "");
        if (fd >= 0)
            close(fd);
        return -1;
    }
    *port = ntohs(at.sin_port);
    return fd;
}

static bool start_daemon(struct server *s, struct error *e)
{
    int fd = listen_at(&s->secret.port, e);
    if (fd < 0)
        return false;
    s->daemon = s->api.start(HTTPD_EPOLL | HTTPD_SUSPEND, s->secret.port, NULL, NULL,
                             answer_request, s, HTTPD_LISTENING, fd, HTTPD_MEMORY, REQUEST_BYTES,
                             HTTPD_CONNECTIONS, (unsigned)SERVE_CONNECTIONS_MOST, HTTPD_TIMEOUT,
                             (unsigned)SERVE_SECONDS_SILENT, HTTPD_COMPLETED, note_completed,
                             (void *)s, HTTPD_END);
    const int *info = s->daemon ? s->api.info(s->daemon, HTTPD_EPOLL_FD) : NULL;
    if (!s->daemon)
        close(fd);
    if (!info)
        return error_set(e, ERROR_IO, "%s cannot serve port %u", MICROHTTPD_LIBRARY,
                         s->secret.port);
    s->epoll = *info;
    str_format(s->address, sizeof s->address, "http://127.0.0.1:%u/%s/", s->secret.port,
               s->secret.token);
    return true;
}

struct server *server_new(uint16_t port, struct error *e)
{
    struct server *s = alloc_zeroed(sizeof *s, e);
    if (!s)
        return NULL;
    s->secret.port = port;
    s->next_beat_ns = clock_ns() + BEAT_NS;
    if (microhttpd_open(&s->api, e) && serve_secret_make(&s->secret, e) && start_daemon(s, e))
        return s;
    server_free(s);
    return NULL;
}

void server_free(struct server *s)
{
    if (!s)
        return;
    // A suspended connection cannot be closed.
    for (size_t i = 0; i < SERVE_CONNECTIONS_MOST; i++) {
        if (s->readers[i].connection && s->readers[i].is_suspended)
            s->api.resume(s->readers[i].connection);
        s->readers[i].is_suspended = false;
    }
    if (s->daemon)
        s->api.stop(s->daemon);
    if (s->page)
        s->api.drop(s->page);
    free(s);
}

const char *server_address(const struct server *s)
{
    return s->address;
}

// ---- news --------------------------------------------------------------------------------------

static void wake_readers(struct server *s)
{
    for (size_t i = 0; i < SERVE_CONNECTIONS_MOST; i++) {
        struct reader *r = &s->readers[i];
        if (!r->connection || !r->is_suspended)
            continue;
        r->is_suspended = false;
        s->api.resume(r->connection);
    }
}

uint64_t server_next_version(const struct server *s)
{
    return s->version + 1;
}

bool server_publish(struct server *s, struct text *page, struct error *e)
{
    size_t size = page->length;
    char *bytes = text_steal(page);
    struct MHD_Response *r = bytes ? s->api.of_buffer(size, bytes, HTTPD_MUST_FREE) : NULL;
    if (!r) {
        free(bytes);
        return error_memory(e);
    }
    if (!add_headers(s, r, "text/html; charset=utf-8")) {
        s->api.drop(r);
        return error_memory(e);
    }
    if (s->page)
        s->api.drop(s->page);
    s->page = r;
    s->version++;
    s->counts.newest = 0;
    wake_readers(s);
    return true;
}

void server_say(struct server *s, const char *line)
{
    struct text visible = TEXT_INIT;
    text_add_visible(&visible, line, strlen(line), false);
    const char *said = visible.failed ? "" : text_cstr(&visible);
    if (!str_equal(said, s->line)) {
        str_format(s->line, sizeof s->line, "%s", said);
        s->line_version++;
        wake_readers(s);
    }
    text_release(&visible);
}

void server_finish(struct server *s)
{
    s->is_finished = true;
    wake_readers(s);
}

// ---- steps -------------------------------------------------------------------------------------

void server_step(struct server *s, int timeout_ms, int also)
{
    struct pollfd on[] = {{.fd = s->epoll, .events = POLLIN}, {.fd = also, .events = POLLIN}};
    unsigned long long most;
    if (s->api.timeout(s->daemon, &most) == HTTPD_YES && most < (unsigned long long)timeout_ms)
        timeout_ms = (int)most;
    poll(on, 2, timeout_ms);
    uint64_t now = clock_ns();
    if (now >= s->next_beat_ns) {
        s->next_beat_ns = now + BEAT_NS;
        for (size_t i = 0; i < SERVE_CONNECTIONS_MOST; i++)
            s->readers[i].wants_beat = true;
        wake_readers(s);
    }
    s->api.run(s->daemon);
}

void server_count(const struct server *s, struct server_counts *out)
{
    *out = s->counts;
}
