// A node that any launcher's standard input and output reaches.
// hone-worker --link, a child of this process, keeps the connection; hone-worker --node, the agent,
// starts the workers there. For who uses them they are processes like any other (os/process.h).
#pragma once

#include "base/digest.h"
#include "runner/place.h"

#include <stddef.h>

// Texts are copied.
struct node_options {
    const char *name;            // for messages: "n2"
    const char *worker;          // the path of this machine's hone-worker
    const char *const *launcher; // the whole command: {"srun", ..., "hone-worker", "--node", NULL}
    uint64_t beat_ns, lease_ns;  // 0: a second, and 20
    uint64_t start_ns;           // so long the agent may take to answer; 0: 60 seconds
};

enum node_state {
    NODE_STARTING, // its agent has not answered yet. Workers may be asked for: they wait
    NODE_UP,
    NODE_LOST // for good; see node_reason()
};

// The agent's report on its node, once it is up.
struct node_about {
    const char *host;     // its name for itself
    const char *version;  // of its hone-worker: this one's
    struct digest binary; // of its hone-worker, which may be another build
};

// Starts the launcher and waits for nothing.
struct node *node_new(const struct node_options *o, struct error *e);
// Reads what its link has said; never waits.
enum node_state node_state(struct node *n);
// Waits until none of them is starting any more, so long at most (-1: for ever). True when that is so.
bool node_wait(struct node *const *nodes, size_t count, int timeout_ms);
// Why it is lost, complete enough to print; "" otherwise.
const char *node_reason(const struct node *n);
const struct node_about *node_about(const struct node *n); // zeros until it is up

// From any thread, while another one waits for a worker there: the node is lost, and the wait ends.
void node_disconnect(const struct node *n);
// Lets it end, its workers with it, without waiting: to be called on all before the first is freed.
void node_end(struct node *n);
// Ends it and waits a few seconds for that. NULL is fine.
void node_free(struct node *n);
