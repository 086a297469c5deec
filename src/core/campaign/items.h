// The configurations of a campaign on their way, from the question for one to its record: each gets a ticket, its job is
// submitted unless an earlier one is the same work (then it shares that one's result), and is answered in any order. A
// workflow adds what it wants to try, and makes its record of what comes back.
#pragma once

#include "campaign/subject.h"
#include "campaign/workflow.h"

#define ITEMS_BUCKETS 4096

// An item's place in a table of those that are the same work.
struct twin {
    void *owner;             // the caller's
    const void *scope;       // the caller's: those of other scopes are other work
    struct digest effective; // what the device really runs
    struct twin *next;
};

struct twins {
    struct twin *buckets[ITEMS_BUCKETS];
};

// The owner of an earlier one of the same scope that runs the same code on the same data, or NULL;
// `n` is then registered.
void *twins_find(struct twins *t, struct twin *n, const struct spec *spec,
                 const struct spec_sources *sources, const struct job *job);

// The first member of the struct that a workflow has of each.
struct item {
    uint64_t ticket, index; // index: in the space
    uint32_t *choice;
    const char *configuration, *configuration_json;
    struct twin twin;
    struct item *primary;  // (or NULL) the same work, done instead
    struct result *result; // NULL: not answered yet
    double pace;           // of its times, as outcome.pace; 1 if that is not known
    uint32_t place;        // the device that measured it, as outcome.place
    bool is_handed_out;
};

// A workflow's part.
struct items_plan {
    // An item has its result (is_answer: from the evaluator): its record, complete, after items_hand_out(). NULL with an error.
    const void *(*told)(struct workflow *w, struct item *n, bool is_answer, struct error *e);
    // (optional) The evaluator cannot go on, for the reason *e. True: there is another one.
    bool (*recover)(struct workflow *w, struct error *e);
};

struct items {
    const struct items_plan *plan;
    struct workflow *w; // whose evaluator does the work
    const struct subject *subject;
    struct arena *arena;
    struct item **list; // by ticket
    uint64_t count;
    const void **records; // handed out, in this order
    uint64_t record_count;
    uint64_t outstanding; // items that are not handed out yet
    uint64_t correct;     // of those handed out
    bool is_ended;        // nothing more is asked
    struct error why;     // then with a code: the workflow breaks once what runs has ended
    // Private:
    size_t room, record_room;
    uint64_t first_open; // items below are handed out
    struct twins twins;
    uint64_t fresh, first_done_ns, first_locked_ns; // what was done here, and when the first was
};

// `s` is zeroed. Everything that it is made of outlives it.
void items_init(struct items *s, const struct items_plan *plan, struct workflow *w,
                const struct subject *subject, struct arena *arena);
void items_release(struct items *s);

// A new item of `size` bytes, which begin with a struct item, in the arena. NULL without memory.
void *items_add(struct items *s, size_t size, uint64_t index);
// Submits its job, or finds that it is the same work as another item's: n->primary; *job is then freed, and NULL.
bool items_give(struct items *s, struct item *n, const void *scope, const struct spec *spec,
                const struct spec_sources *sources, struct job **job, struct error *e);
bool items_submit(struct items *s, struct item *n, struct job *job, struct error *e);

// Takes the next item that is done, by an answer or because it needs none, and has the plan told of it; what it makes of that is
// *record. END: all of it is over.
enum workflow_answer items_step(struct items *s, int timeout_ms, const void **record,
                                struct error *e);
// The item's record is complete: it is handed out. Returns which it is, from 0.
uint64_t items_hand_out(struct items *s, struct item *n, const void *record);
// Breaks: no more is asked, and what runs ends.
void items_break(struct items *s);

// As workflow_progress(); the time that is left from how long each of those that were done here took.
void items_progress(const struct items *s, uint64_t planned, struct workflow_progress *out);
