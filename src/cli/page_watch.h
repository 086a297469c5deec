// A page whose file is written anew while results come. `hone report --watch` follows what other processes write to a store
// (page_watch.c); `hone tune --report` starts such a process beside itself (page_beside.c), so that no page that is made
// takes more from the tune than that process's hundredth of a core.
#pragma once

#include "cli/work.h"
#include "os/process.h"

// ---- hone report --watch

// The circumstances in which a watched page is rewritten.
struct page_moment {
    unsigned reload_s; // after which it loads itself anew; 0: it is final
    const char *news;  // the last line of standard input; "": none
    bool is_first;     // no warning has been printed yet
};

struct page_watch {
    const char *path;
    bool until_eof; // ends with standard input, whose lines the page shows
    void *context;  // of these:
    // Makes the page; false: it cannot be made, and why was printed.
    bool (*make)(void *context, const struct page_moment *moment, struct text *out);
    // Another number if what is watched may have changed.
    uint64_t (*state)(void *context);
};

// Until a signal comes, or standard input ends; an exit status.
int page_watch(const struct page_watch *w);

// ---- hone tune --report

struct page_beside {
    struct process process;
    uint64_t next_ns; // when it is told again how far the tune is
};

#define PAGE_BESIDE_NONE                                                                           \
    {                                                                                              \
        .process = PROCESS_NONE                                                                    \
    }

// Writes the page of the work's spec, device and store to `path`, for what is optimised (--objective); an exit status.
int page_beside_start(struct page_beside *p, const struct work *w, const struct list *objective,
                      const char *path);
// To be called now and then: passes on how far the tune is, and reports a process that is gone.
void page_beside_turn(struct page_beside *p, const struct workflow_progress *progress);
// After the last result is stored: waits for the final page.
void page_beside_end(struct page_beside *p);
