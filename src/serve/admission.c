// The address has a token that no other page knows. Host is checked, because a name of somebody else's may be pointed at
// 127.0.0.1 after its page was loaded (DNS rebinding); Origin and Sec-Fetch-Site, because a page from elsewhere may send
// requests here, though it cannot read what is answered.
#include "serve/admission.h"

#include "base/text.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

bool serve_secret_make(struct serve_secret *s, struct error *e)
{
    uint8_t bytes[(SERVE_TOKEN_SIZE - 1) / 2];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return error_set_driver(e, ERROR_IO, errno, "the system has no random numbers: %s",
                                strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++)
        str_format(s->token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

// "127.0.0.1:8080" or "localhost:8080", behind `before`. Port 80 is left out by browsers.
static bool is_own_host(const struct serve_secret *s, const char *before, const char *text)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    char own[64];
    for (size_t i = 0; text && i < sizeof names / sizeof *names; i++) {
        str_format(own, sizeof own, "%s%s:%u", before, names[i], s->port);
        if (str_equal_nocase(text, own))
            return true;
        str_format(own, sizeof own, "%s%s", before, names[i]);
        if (s->port == 80 && str_equal_nocase(text, own))
            return true;
    }
    return false;
}

// Takes the same time wherever the tokens differ, so that timing does not reveal the token digit by
// digit.
static bool has_token(const struct serve_secret *s, const char *path)
{
    unsigned differ = 0;
    if (path[0] != '/' || strnlen(path + 1, SERVE_TOKEN_SIZE - 1) < SERVE_TOKEN_SIZE - 1)
        return false;
    for (size_t i = 0; i < SERVE_TOKEN_SIZE - 1; i++)
        differ |= (unsigned char)path[1 + i] ^ (unsigned char)s->token[i];
    return differ == 0;
}

unsigned serve_refusal(const struct serve_secret *s, const struct serve_request *r,
                       enum serve_target *target)
{
    if (r->is_doubtful)
        return 400;
    if (!is_own_host(s, "", r->host))
        return 403;
    if (r->origin && !is_own_host(s, "http://", r->origin))
        return 403;
    // "none": typed, or opened from a bookmark or a terminal
    if (r->site && !str_equal(r->site, "same-origin") && !str_equal(r->site, "none"))
        return 403;
    if (!has_token(s, r->path))
        return 403;
    const char *rest = r->path + SERVE_TOKEN_SIZE;
    if (!str_equal(rest, "/") && !str_equal(rest, "/events"))
        return 404;
    *target = rest[1] ? SERVE_EVENTS : SERVE_PAGE;
    if (!str_equal(r->method, "GET") && !(*target == SERVE_PAGE && str_equal(r->method, "HEAD")))
        return 405;
    return 0;
}
