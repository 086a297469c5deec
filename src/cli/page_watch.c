// hone report --watch. Twice a second the loop looks whether what it watches has changed, and then writes the page anew: at
// most every two seconds, and as rarely as its share of a core demands. The page says itself after how long it loads itself
// anew; the last one, written when a signal or the end of standard input comes, does not.
#include "cli/page_watch.h"

#include "cli/interrupt.h"
#include "os/file_replace.h"

#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define LOOK_MS   500
#define PAGE_NS   2000000000ull  // between two pages at least,
#define REST_NS   60000000000ull // and at most, however expensive they are
#define SHARE     100            // of a core: one of so many parts
#define GIVES_WAY 10             // how nice it is

struct watching {
    const struct page_watch *watch;
    uint64_t made_ns,
        pause_ns;   // when the last page was made, and how long after it the next one may be
    uint64_t state; // what the page was made of
    char line[512]; // of standard input, not ended yet
    size_t length;
    char news[512];
    bool is_told; // `news` is not on the page yet
};

static uint64_t page_pause(uint64_t spent_ns)
{
    uint64_t pause = spent_ns * SHARE;
    return pause < PAGE_NS ? PAGE_NS : pause > REST_NS ? REST_NS : pause;
}

// False: there is no new page.
static bool write_page(struct watching *w, bool is_first, bool is_last)
{
    struct error e = ERROR_INIT;
    struct text page = TEXT_INIT;
    uint64_t began_cpu_ns = clock_processor_ns();
    uint64_t state = w->watch->state(w->watch->context);
    const struct page_moment moment = {
        .reload_s = is_last ? 0 : (unsigned)((w->pause_ns + 999999999u) / 1000000000u),
        .news = w->news,
        .is_first = is_first};
    bool ok = w->watch->make(w->watch->context, &moment, &page);
    if (ok && !file_replace(w->watch->path, &page, &e)) {
        work_failed(&e);
        ok = false;
    }
    text_release(&page);
    // A page that could not be written is not tried again before its content has changed.
    w->state = state;
    w->is_told = false;
    w->pause_ns = page_pause(clock_processor_ns() - began_cpu_ns);
    w->made_ns = clock_ns();
    return ok;
}

// Keeps the last whole line of what is there; false at the end of standard input.
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
        str_format(w->news, sizeof w->news, "%s", line ? line + 1 : w->line);
        w->is_told = true;
        w->length -= (size_t)(end + 1 - w->line);
        memmove(w->line, end + 1, w->length);
    } else if (w->length == sizeof w->line - 1) {
        w->length = 0; // no line is that long
    }
    return true;
}

static void watch_to_end(struct watching *w)
{
    struct pollfd in = {.fd = w->watch->until_eof ? STDIN_FILENO : -1, .events = POLLIN};
    while (!interrupt_pending()) {
        poll(&in, 1, LOOK_MS);
        if (w->watch->until_eof && !take_input(w))
            break;
        if (clock_ns() - w->made_ns >= w->pause_ns &&
            (w->is_told || w->watch->state(w->watch->context) != w->state))
            write_page(w, false, false);
    }
}

int page_watch(const struct page_watch *watch)
{
    struct watching w = {.watch = watch, .pause_ns = PAGE_NS};
    interrupt_catch();
    if (!write_page(&w, true, false))
        return EXIT_NOTHING;
    if (!watch->until_eof)
        say("%s is written anew as results come, until Ctrl-C\n", watch->path);
    setpriority(PRIO_PROCESS, 0, GIVES_WAY);
    watch_to_end(&w);
    return write_page(&w, false, true) ? EXIT_DONE : EXIT_NOTHING;
}
