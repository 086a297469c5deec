// The Model Context Protocol over lines of JSON-RPC 2.0: initialize, ping, tools/list, tools/call, notifications. Takes bytes and
// writes lines into a text; it starts nothing itself, so that a fuzzer can hold it.
#pragma once

#include "extras/mcp/mcp_tools.h"

#define MCP_LINE_MOST (1u << 20)

// Runs the calls.
struct mcp_operations {
    // Starts a call; it ends with mcp_result(). False with the reason, which the caller is told.
    bool (*start)(void *context, const json_t *id, const struct mcp_tool *tool,
                  const struct mcp_tool_call *call, struct error *e);
    bool (*runs)(void *context, const json_t *id);
    void (*cancel)(void *context, const json_t *id); // nothing if it does not run
};

struct mcp {
    struct mcp_tool_roots roots;
    const struct mcp_operations *ops;
    void *context;
    struct text read; // and not taken yet
    bool skips;       // the rest of a line that is too long
    bool initialized;
    struct text out; // lines for the client
};

void mcp_release(struct mcp *m);
void mcp_feed(struct mcp *m, const char *bytes, size_t length);
void mcp_end(struct mcp *m); // of the input: what stands behind the last line end is a line
// The result of a call: texts, each a part of its content.
void mcp_result(struct mcp *m, const json_t *id, const char *const *texts, size_t count,
                bool is_error);
