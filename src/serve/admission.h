// Decides which requests are answered: a request to the server of serve/server.h must come from a
// page of its own, or from a user who was given the address.
#ifndef HONE_SERVE_ADMISSION_H
#define HONE_SERVE_ADMISSION_H

#include "base/error.h"

#include <stdint.h>

enum { SERVE_TOKEN_SIZE = 33 }; // 128 bits in hexadecimal digits

struct serve_secret {
    char token[SERVE_TOKEN_SIZE];
    uint16_t port; // on 127.0.0.1
};

// False with an error where the system has no random numbers.
bool serve_secret_make(struct serve_secret *s, struct error *e);

// A request as it was read; NULL: it has no such header.
struct serve_request {
    const char *method, *path;
    const char *host, *origin, *site; // Host, Origin, Sec-Fetch-Site
    bool is_doubtful;                 // one of these stands there twice, or it has a body
};

enum serve_target { SERVE_PAGE, SERVE_EVENTS };

// 0: *target is answered. Else the status that refuses it:
//   400  doubtful;
//   403  another Host than this server's, an Origin or Sec-Fetch-Site that is not its own page's, a wrong token;
//   404  the token is right, and there is nothing of that name;
//   405  not GET, nor HEAD of the page.
unsigned serve_refusal(const struct serve_secret *s, const struct serve_request *r,
                       enum serve_target *target);

#endif
