// Who is let in to a page that is served; and what is declared of libmicrohttpd, where its header is there to say it.
#include "serve/admission.h"
#include "serve/microhttpd.h"

#include "../base/suite.h"

#include <string.h>

#if __has_include(<microhttpd.h>)
#include <microhttpd.h>
#define SAME(own, theirs) _Static_assert((int)(own) == (int)(theirs), #theirs)
SAME(HTTPD_NO, MHD_NO);
SAME(HTTPD_YES, MHD_YES);
SAME(HTTPD_EPOLL, MHD_USE_EPOLL);
SAME(HTTPD_SUSPEND, MHD_ALLOW_SUSPEND_RESUME);
SAME(HTTPD_END, MHD_OPTION_END);
SAME(HTTPD_MEMORY, MHD_OPTION_CONNECTION_MEMORY_LIMIT);
SAME(HTTPD_CONNECTIONS, MHD_OPTION_CONNECTION_LIMIT);
SAME(HTTPD_TIMEOUT, MHD_OPTION_CONNECTION_TIMEOUT);
SAME(HTTPD_COMPLETED, MHD_OPTION_NOTIFY_COMPLETED);
SAME(HTTPD_LISTENING, MHD_OPTION_LISTEN_SOCKET);
SAME(HTTPD_EPOLL_FD, MHD_DAEMON_INFO_EPOLL_FD);
SAME(HTTPD_HEADER_KIND, MHD_HEADER_KIND);
SAME(HTTPD_MUST_FREE, MHD_RESPMEM_MUST_FREE);
SAME(HTTPD_MUST_COPY, MHD_RESPMEM_MUST_COPY);
SAME(HTTPD_END_OF_STREAM, MHD_CONTENT_READER_END_OF_STREAM);
SAME(sizeof(int), sizeof(enum MHD_Result));
#endif

static const struct serve_secret secret = {.token = "0123456789abcdef0123456789abcdef",
                                           .port = 8080};
#define PAGE "/0123456789abcdef0123456789abcdef/"

static unsigned refusal_of(const struct serve_request *r)
{
    enum serve_target target;
    return serve_refusal(&secret, r, &target);
}

START_TEST(own_requests_are_let_in)
{
    static const struct {
        struct serve_request request;
        enum serve_target target;
    } cases[] = {
        {{"GET", PAGE, .host = "127.0.0.1:8080"}, SERVE_PAGE},
        {{"HEAD", PAGE, .host = "127.0.0.1:8080"}, SERVE_PAGE},
        {{"GET", PAGE, .host = "LocalHost:8080"}, SERVE_PAGE},
        {{"GET", PAGE "events", .host = "127.0.0.1:8080"}, SERVE_EVENTS},
        {{"GET", PAGE, .host = "127.0.0.1:8080", .origin = "http://127.0.0.1:8080"}, SERVE_PAGE},
        {{"GET", PAGE, .host = "127.0.0.1:8080", .origin = "http://localhost:8080",
          .site = "same-origin"},
         SERVE_PAGE},
        {{"GET", PAGE, .host = "127.0.0.1:8080", .site = "none"}, SERVE_PAGE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum serve_target target = SERVE_PAGE;
        ck_assert_uint_eq(serve_refusal(&secret, &cases[i].request, &target), 0);
        ck_assert_int_eq(target, cases[i].target);
    }
}
END_TEST

// Browsers leave this port out of Host and Origin; others need not.
START_TEST(port_80_is_left_out)
{
    const struct serve_secret at_80 = {.token = "0123456789abcdef0123456789abcdef", .port = 80};
    static const struct serve_request own[] = {
        {"GET", PAGE, .host = "127.0.0.1"},
        {"GET", PAGE, .host = "127.0.0.1:80"},
        {"GET", PAGE, .host = "localhost", .origin = "http://localhost"}};
    static const struct serve_request others[] = {
        {"GET", PAGE, .host = "127.0.0.1:8080"},
        {"GET", PAGE, .host = "127.0.0.2"},
        {"GET", PAGE, .host = "localhost", .origin = "http://evil.example"},
        {"GET", PAGE, .host = "localhost", .origin = "https://localhost"}};
    enum serve_target target;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        ck_assert_uint_eq(serve_refusal(&at_80, &own[i], &target), 0);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ck_assert_uint_eq(serve_refusal(&at_80, &others[i], &target), 403);
}
END_TEST

START_TEST(all_others_are_refused)
{
    static const struct {
        struct serve_request request;
        unsigned status;
    } cases[] = {{{"GET", PAGE, .host = "127.0.0.1:8080", .is_doubtful = true}, 400},
                 {{"GET", PAGE, .host = NULL}, 403},
                 {{"GET", PAGE, .host = ""}, 403},
                 {{"GET", PAGE, .host = "127.0.0.1"}, 403},
                 {{"GET", PAGE, .host = "127.0.0.1:80800"}, 403},
                 {{"GET", PAGE, .host = "evil.example:8080"}, 403},
                 {{"GET", PAGE, .host = "http://127.0.0.1:8080"}, 403},
                 {{"GET", PAGE, .host = "127.0.0.1:8080", .origin = "null"}, 403},
                 {{"GET", PAGE, .host = "127.0.0.1:8080", .origin = ""}, 403},
                 {{"GET", PAGE, .host = "127.0.0.1:8080", .origin = "http://127.0.0.1:8081"}, 403},
                 {{"GET", PAGE, .host = "127.0.0.1:8080", .origin = "https://127.0.0.1:8080"}, 403},
                 {{"GET", PAGE, .host = "127.0.0.1:8080", .site = "cross-site"}, 403},
                 {{"GET", PAGE, .host = "127.0.0.1:8080", .site = "same-site"}, 403},
                 {{"GET", "", .host = "127.0.0.1:8080"}, 403},
                 {{"GET", "/", .host = "127.0.0.1:8080"}, 403},
                 {{"GET", "/0123456789abcdef0123456789abcde", .host = "127.0.0.1:8080"}, 403},
                 {{"GET", "/0123456789abcdef0123456789abcdee/", .host = "127.0.0.1:8080"}, 403},
                 {{"GET", "/0123456789ABCDEF0123456789abcdef/", .host = "127.0.0.1:8080"}, 403},
                 {{"GET", "//0123456789abcdef0123456789abcdef/", .host = "127.0.0.1:8080"}, 403},
                 {{"GET", "/0123456789abcdef0123456789abcdef", .host = "127.0.0.1:8080"}, 404},
                 {{"GET", PAGE "other", .host = "127.0.0.1:8080"}, 404},
                 {{"GET", PAGE "events/", .host = "127.0.0.1:8080"}, 404},
                 {{"POST", PAGE, .host = "127.0.0.1:8080"}, 405},
                 {{"get", PAGE, .host = "127.0.0.1:8080"}, 405},
                 {{"HEAD", PAGE "events", .host = "127.0.0.1:8080"}, 405}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_uint_eq(refusal_of(&cases[i].request), cases[i].status);
}
END_TEST

START_TEST(a_secret_is_new_each_time)
{
    struct error e = ERROR_INIT;
    struct serve_secret a = {.port = 1}, b = {.port = 1};
    ck_assert(serve_secret_make(&a, &e) && serve_secret_make(&b, &e));
    ck_assert_uint_eq(strlen(a.token), SERVE_TOKEN_SIZE - 1);
    ck_assert_uint_eq(strspn(a.token, "0123456789abcdef"), SERVE_TOKEN_SIZE - 1);
    ck_assert_str_ne(a.token, b.token);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, own_requests_are_let_in);
    tcase_add_test(tests, port_80_is_left_out);
    tcase_add_test(tests, all_others_are_refused);
    tcase_add_test(tests, a_secret_is_new_each_time);
}

int main(void)
{
    return suite_run("serve", add);
}
