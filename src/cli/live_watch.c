// hone report --live. One loop: answers requests, checks twice a second whether the watched store
// has changed, and if somebody reads the page makes a new one. Its processor time is bounded:
// pages, and everything else, above all requests, may each use half a hundredth of the elapsed
// time. New pages and requests each wait for their own budget: an expensive page delays no request,
// and its news are still sent.
#include "cli/live_page.h"

#include "cli/interrupt.h"
#include "serve/server.h"

#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS      500
#define PAGE_NS      1000000000ull // between two pages at least
#define LAST_NS      2000000000ull // for telling all readers that this was all,
#define LAST_LOOKS   30            // and so often, on a machine that is busy;
#define LAST_MOST_NS 8000000000ull // but no longer
#define SHARE        200 // of a core: one of so many parts, for pages, and one for requests
#define BEGINNING    300000000ull // ns of processor time for pages that need not be saved first
#define REQUESTS_NS  200000000ull // and for requests
#define REST_MS      250
#define GIVES_WAY    10 // how nice it is

bool option_is_port(const char *word)
{
    uint64_t port;
    return str_to_u64(word, &port) && port <= UINT16_MAX;
}

bool option_live(void *field, const char *value, struct error *e)
{
    struct given_live *g = field;
    uint64_t port = 0;
    if (value && (!str_to_u64(value, &port) || port == 0 || port > UINT16_MAX))
        return error_set(e, ERROR_USAGE, "'%s' is no port from 1 to %u", value, UINT16_MAX);
    *g = (struct given_live){true, (uint16_t)port};
    return true;
}

struct watching {
    const struct live_watch *watch;
    struct server *server;
    uint64_t started_ns, started_cpu_ns, made_ns;
    uint64_t pages_ns; // processor time since then that went into pages
    uint64_t state;    // what the page was made of
    char line[512];    // of standard input, not ended yet
    size_t length;
};

static bool may_spend(const struct watching *w, uint64_t spent_ns, uint64_t beginning_ns)
{
    return spent_ns <= beginning_ns + (clock_ns() - w->started_ns) / SHARE;
}

// False: there is no new page.
static bool make_page(struct watching *w, bool is_first)
{
    struct error e = ERROR_INIT;
    struct text page = TEXT_INIT;
    uint64_t began_cpu_ns = clock_processor_ns();
    uint64_t state = w->watch->state(w->watch->context);
    w->made_ns = clock_ns();
    bool ok = w->watch->write(w->watch->context, server_next_version(w->server), is_first, &page);
    if (ok && !server_publish(w->server, &page, &e)) {
        work_failed(&e);
        ok = false;
    }
    text_release(&page);
    // A page that could not be shown is not retried until its data have changed.
    w->state = state;
    w->pages_ns += clock_processor_ns() - began_cpu_ns;
    return ok;
}

static bool has_changed(const struct watching *w)
{
    return w->watch->state(w->watch->context) != w->state;
}

static void follow_changes(struct watching *w)
{
    struct server_counts counts;
    server_count(w->server, &counts);
    if ((counts.readers > 0 || counts.newest > 0) && clock_ns() - w->made_ns >= PAGE_NS &&
        may_spend(w, w->pages_ns, BEGINNING) && has_changed(w))
        make_page(w, false);
}

// Shows the last whole line of what is there; false at the end of standard input.
static bool take_input(struct watching *w)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    if (poll(&in, 1, 0) <= 0)
        return true;
    ssize_t n = read(STDIN_FILENO, w->line + w->length, sizeof w->line - 1 - w->length);
    if (n <= 0)
        return false;
    w->length += (size_t)n;
    w->line[w->length] = '\0';
    char *end = memrchr(w->line, '\n', w->length);
    if (end) {
        *end = '\0';
        char *line = strrchr(w->line, '\n');
        server_say(w->server, line ? line + 1 : w->line);
        w->length -= (size_t)(end + 1 - w->line);
        memmove(w->line, end + 1, w->length);
    } else if (w->length == sizeof w->line - 1) {
        w->length = 0; // no line is that long
    }
    return true;
}

static void serve_to_end(struct watching *w)
{
    int also = w->watch->until_eof ? STDIN_FILENO : -1;
    while (!interrupt_pending()) {
        if (may_spend(w, clock_processor_ns() - w->started_cpu_ns - w->pages_ns, REQUESTS_NS))
            server_step(w->server, LOOK_MS, also);
        else
            poll(&(struct pollfd){.fd = also, .events = POLLIN}, 1, REST_MS);
        if (also >= 0 && !take_input(w))
            break;
        follow_changes(w);
    }
}

// Goes on until as many pages were fetched, or no reader is left, but not for long.
static void serve_until(struct watching *w, bool all_gone)
{
    struct server_counts counts;
    uint64_t began = clock_ns(), passed = 0;
    server_count(w->server, &counts);
    for (int looks = 0; (all_gone ? counts.readers > 0 : counts.newest < counts.readers) &&
                        (passed < LAST_NS || (looks < LAST_LOOKS && passed < LAST_MOST_NS));
         looks++) {
        server_step(w->server, 50, -1);
        server_count(w->server, &counts);
        passed = clock_ns() - began;
    }
}

// Announce the final page, serve it, then send the end event.
static void serve_last(struct watching *w)
{
    struct server_counts counts;
    server_count(w->server, &counts);
    if (counts.readers > 0 && has_changed(w))
        make_page(w, false);
    serve_until(w, false);
    server_finish(w->server);
    serve_until(w, true);
}

static void say_served(const struct watching *w)
{
    struct server_counts counts;
    char spent[32];
    server_count(w->server, &counts);
    duration_to_str((double)(clock_processor_ns() - w->started_cpu_ns), spent);
    say("Served %llu pages and refused %llu requests, in %s of processor time.\n",
        (unsigned long long)counts.pages, (unsigned long long)counts.refused, spent);
}

int live_watch(const struct live_watch *watch)
{
    struct error e = ERROR_INIT;
    struct watching w = {.watch = watch, .server = server_new(watch->given.port, &e)};
    if (!w.server)
        return work_failed(&e);
    interrupt_catch();
    if (!make_page(&w, true)) {
        server_free(w.server);
        return EXIT_NOTHING;
    }
    struct text address = TEXT_INIT;
    text_addf(&address, "%s\n", server_address(w.server));
    put(&address);
    fflush(stdout);
    text_release(&address);
    setpriority(PRIO_PROCESS, 0, GIVES_WAY);
    w.started_ns = clock_ns();
    w.started_cpu_ns = clock_processor_ns();
    w.pages_ns = 0; // the first one was the command's
    serve_to_end(&w);
    serve_last(&w);
    if (!watch->until_eof)
        say_served(&w);
    server_free(w.server);
    return EXIT_DONE;
}
