// The calls that run: each is a hone of its own, whose output is kept within bounds, and which ends with its limit, its cancellation
// or the server.
#pragma once

#include "extras/mcp/mcp_server.h"
#include "os/process.h"

#include <poll.h>

#define CALLS_MOST       4
#define CALLS_POLLED     (2 * CALLS_MOST)
#define CALL_OUTPUT_MOST (256u << 10)  // from its beginning
#define CALL_OUTPUT_LAST (32u << 10)   // and so much of its end
#define CALL_PATIENCE_NS 3000000000ull // from SIGTERM to SIGKILL

struct running_call {
    json_t *id; // NULL: this place is free
    struct process process;
    struct text line;        // the command as typed
    struct text first, last; // of what it printed
    uint64_t dropped;        // bytes between
    uint64_t limit_s, ends_ns, killed_ns;
    bool is_over_limit, is_cancelled;
};

struct mcp_calls {
    const char *program;            // hone
    const char *const *environment; // additions
    struct mcp *server;             // whom results are told
    struct running_call list[CALLS_MOST];
};

extern const struct mcp_operations mcp_calls_operations; // their context is struct mcp_calls
uint32_t mcp_calls_count(const struct mcp_calls *c);
// Fills in what to wait for; how many.
nfds_t mcp_calls_poll(const struct mcp_calls *c, struct pollfd out[CALLS_POLLED]);
// How long that may take, in ms, at most `most`.
int mcp_calls_timeout(const struct mcp_calls *c, int most);
// Reads, ends what is past its limit, tells results. Never waits but for what is dead.
void mcp_calls_step(struct mcp_calls *c);
// Ends them all, without results.
void mcp_calls_end(struct mcp_calls *c);
