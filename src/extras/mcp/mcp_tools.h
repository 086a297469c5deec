// The tools of `hone mcp`: a table, of which tools/list is written and by which a call becomes a command line. Whatever a caller
// can ask for is a property here: no word of a caller is an option, paths lie in the roots, and no property names a program.
#pragma once

#include "base/arena.h"
#include "base/emit.h"
#include "base/error.h"

#include <jansson.h>

// The folders that a caller may name files in, absolute and without links; the first is where relative paths begin.
struct mcp_tool_roots {
    const char *const *paths; // NULL-terminated
};

struct mcp_tool;
// All of them, NULL-terminated.
const struct mcp_tool *const *mcp_tools(void);
const struct mcp_tool *mcp_tool_find(const char *name);
const char *mcp_tool_name(const struct mcp_tool *t);

// Its name, description, inputSchema and annotations, as an object.
void mcp_tool_describe(const struct mcp_tool *t, struct emit *out);

// A call, in the arena.
struct mcp_tool_call {
    const char *const *words; // of hone's command line, without its own name; NULL-terminated
    uint64_t limit_s;
};
// `arguments` NULL: there are none. False with what is wrong with them, and what would be right.
bool mcp_tool_call_make(const struct mcp_tool *t, const json_t *arguments,
                        const struct mcp_tool_roots *roots, struct arena *a,
                        struct mcp_tool_call *out, struct error *e);

// Where a path leads, links resolved: in the arena, and below a root. NULL with an error. Of one that `is_new` the folder has to be
// there, the file need not.
const char *mcp_tool_path(const struct mcp_tool_roots *roots, const char *path, bool is_new,
                          struct arena *a, struct error *e);
