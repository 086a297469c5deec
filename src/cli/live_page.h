// A page that is served while it changes. `hone report --live` watches what other processes write and serves its page
// (live_watch.c); `hone tune --live` starts such a process beside itself (live_tune.c), so that no request and no page
// that is made takes anything from the tune but that process's hundredth of a core.
#ifndef HONE_CLI_LIVE_PAGE_H
#define HONE_CLI_LIVE_PAGE_H

#include "cli/work.h"
#include "os/process.h"

struct given_live {
    bool is_given;
    uint16_t port; // 0: one that is free
};

// For `apply` and `is_meant` of --live [PORT].
bool option_live(void *field, const char *value, struct error *e); // struct given_live
bool option_is_port(const char *word);

// ---- hone report --live

struct live_watch {
    struct given_live given;
    bool until_eof; // ends with standard input, whose lines the page shows
    void *context;  // of these:
    // Writes the page of this version; false: it cannot be, and that was said. `is_first`: what else is noteworthy has
    // not been said yet.
    bool (*write)(void *context, uint64_t version, bool is_first, struct text *out);
    // Another number where what is watched may have changed.
    uint64_t (*state)(void *context);
};

// Serves until a signal comes, or standard input ends; an exit status.
int live_watch(const struct live_watch *w);

// ---- hone tune --live

struct live_page {
    struct process process;
    uint64_t next_ns; // when progress is sent again
};

#define LIVE_PAGE_NONE                                                                             \
    {                                                                                              \
        .process = PROCESS_NONE                                                                    \
    }

// Starts the page of the work's spec, device and store, with the goal of --objective; prints the
// address; an exit status.
int live_page_start(struct live_page *l, const struct work *w, const struct list *objective,
                    const struct given_live *given);
// Sends progress now and then, and reports if the page's process has gone.
void live_page_turn(struct live_page *l, const struct workflow_progress *p);
// After the last result is stored: brings the page up to date and announces to its readers that
// this is the final one.
void live_page_end(struct live_page *l);

#endif
