// GNU libmicrohttpd, opened when a page is to be served: hone builds and runs without it.
#ifndef HONE_SERVE_MICROHTTPD_H
#define HONE_SERVE_MICROHTTPD_H

#include "base/error.h"

#include <stdint.h>
#include <sys/types.h>

#define MICROHTTPD_LIBRARY "libmicrohttpd.so.12"

// The few declarations that are needed, as the interface of this soname has them: its header is not on every machine
// that builds hone. tests/serve holds them against it where it is there.
struct MHD_Daemon;
struct MHD_Connection;
struct MHD_Response;

enum { HTTPD_NO = 0, HTTPD_YES = 1 };
enum {
    HTTPD_EPOLL = 512,
    HTTPD_SUSPEND = 8192 | 1024
};     // flags of a daemon, which is driven by run()
enum { // its options
    HTTPD_END = 0,
    HTTPD_MEMORY = 1,      // size_t: for what a connection says, in bytes
    HTTPD_CONNECTIONS = 2, // unsigned: at most
    HTTPD_TIMEOUT = 3,     // unsigned: seconds without a byte
    HTTPD_COMPLETED = 4,   // httpd_completed, void *
    HTTPD_LISTENING = 12,  // int: its socket
};
enum { HTTPD_EPOLL_FD = 3 }; // of info(): the first member of what it points to is the descriptor
enum { HTTPD_HEADER_KIND = 1 };                    // of values()
enum { HTTPD_MUST_FREE = 1, HTTPD_MUST_COPY = 2 }; // of a buffer
enum { HTTPD_END_OF_STREAM = -1 };                 // of a reader

typedef int (*httpd_access)(void *context, struct MHD_Connection *c, const char *path,
                            const char *method, const char *version, const char *body,
                            size_t *body_size, void **own);
typedef void (*httpd_completed)(void *context, struct MHD_Connection *c, void **own, int why);
typedef int (*httpd_value)(void *context, int kind, const char *name, const char *value);
typedef ssize_t (*httpd_reader)(void *context, uint64_t at, char *out, size_t most);

// X(member, name, type, parameters)
#define HTTPD_FUNCTIONS(X)                                                                         \
    X(start, MHD_start_daemon, struct MHD_Daemon *,                                                \
      (unsigned flags, uint16_t port, void *, void *, httpd_access, void *, ...))                  \
    X(stop, MHD_stop_daemon, void, (struct MHD_Daemon *))                                          \
    X(run, MHD_run, int, (struct MHD_Daemon *))                                                    \
    X(timeout, MHD_get_timeout, int, (struct MHD_Daemon *, unsigned long long *ms))                \
    X(info, MHD_get_daemon_info, const int *, (struct MHD_Daemon *, int what, ...))                \
    X(values, MHD_get_connection_values, int,                                                      \
      (struct MHD_Connection *, int kind, httpd_value, void *context))                             \
    X(suspend, MHD_suspend_connection, void, (struct MHD_Connection *))                            \
    X(resume, MHD_resume_connection, void, (struct MHD_Connection *))                              \
    X(of_buffer, MHD_create_response_from_buffer, struct MHD_Response *,                           \
      (size_t size, void *bytes, int mode))                                                        \
    X(of_reader, MHD_create_response_from_callback, struct MHD_Response *,                         \
      (uint64_t size, size_t block, httpd_reader, void *context, void *freeing))                   \
    X(add_header, MHD_add_response_header, int,                                                    \
      (struct MHD_Response *, const char *name, const char *value))                                \
    X(queue, MHD_queue_response, int,                                                              \
      (struct MHD_Connection *, unsigned status, struct MHD_Response *))                           \
    X(drop, MHD_destroy_response, void, (struct MHD_Response *))

struct microhttpd {
#define X(member, name, type, parameters) type(*member) parameters;
    HTTPD_FUNCTIONS(X)
#undef X
};

// False: it is not there or lacks a function; the error says what to install. It stays open.
bool microhttpd_open(struct microhttpd *m, struct error *e);

#endif
