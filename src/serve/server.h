// Serves one page on 127.0.0.1 while a command runs. Server-sent events tell readers of a newer page and of the command's
// progress. Requests are read-only.
//
// Everything happens within serve_step(), in the caller's thread. Of a reader that is slow only the newest news are kept,
// so that it costs no memory; connections are limited, and one that says nothing for a while is closed.
#ifndef HONE_SERVE_SERVER_H
#define HONE_SERVE_SERVER_H

#include "base/error.h"
#include "base/text.h"

#include <stdint.h>

struct server;

enum { SERVE_CONNECTIONS_MOST = 32, SERVE_SECONDS_SILENT = 10 };

// On `port`, 0: one that is free. NULL with an error.
struct server *server_new(uint16_t port, struct error *e);
// Closes all connections. NULL is fine.
void server_free(struct server *s);

// "http://127.0.0.1:PORT/TOKEN/"
const char *server_address(const struct server *s);

// The version of the next page (page.h, `live`), by which its script knows what is newer.
uint64_t server_next_version(const struct server *s);
// From now on this is the page. Takes its memory.
bool server_publish(struct server *s, struct text *page, struct error *e);
// A line that the page shows until the next.
void server_say(struct server *s, const char *line);
// Tells all readers that the page will not change any more.
void server_finish(struct server *s);

// Waits at most so long for requests, or until the descriptor `also` (-1: none) can be read, and answers what has come.
void server_step(struct server *s, int timeout_ms, int also);

struct server_counts {
    uint64_t pages, refused; // answers so far
    uint64_t newest;         // of the pages: of the last server_publish()
    unsigned readers;        // connections that are told of news
};
void server_count(const struct server *s, struct server_counts *out);

#endif
