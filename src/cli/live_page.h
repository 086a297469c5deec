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
    uint64_t next_ns; // when it is told again how far the tune is
};

#define LIVE_PAGE_NONE                                                                             \
    {                                                                                              \
        .process = PROCESS_NONE                                                                    \
    }

// Of the spec, device and store of the work, for what is looked for (--objective); says the address; an exit status.
int live_page_start(struct live_page *l, const struct work *w, const struct list *objective,
                    const struct given_live *given);
// Now and then: passes on how far it is, and says where the process is gone.
void live_page_turn(struct live_page *l, const struct workflow_progress *p);
// After the last result is stored: the page is brought up to date, and its readers are told that this was all.
void live_page_end(struct live_page *l);

#endif
