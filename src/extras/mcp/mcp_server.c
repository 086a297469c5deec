// A line is a message; what is wrong with one is its answer, and the next line is read. Wrong arguments of a tool are the result of
// the call, not an error of the protocol: a model reads results, and mends its call.
#include "extras/mcp/mcp_server.h"

#include <stdlib.h>
#include <string.h>

// JSON-RPC's numbers.
enum {
    NOT_JSON = -32700,
    NOT_A_REQUEST = -32600,
    NO_METHOD = -32601,
    WRONG_PARAMETERS = -32602,
};

// Newest first.
static const char *const versions[] = {"2025-06-18", "2025-03-26", "2024-11-05", NULL};

static const char instructions[] =
    "hone tunes and judges kernels in OpenCL, CUDA and C. Files are named below the roots; "
    "relative paths begin in the first. Begin with devices; init makes a spec of a kernel; check "
    "verifies it; tune finds the fastest configuration; judge says of kernels that you wrote "
    "whether they are right and faster. Kernels run in a sandbox. A result's first text is what "
    "the command printed (JSON lines), the last an object with its exit status and command line.";

// ---- answers -----------------------------------------------------------------------------------

// `id` NULL: the request had none that can be answered.
static void begin_answer(struct mcp *m, struct emit *j, const json_t *id)
{
    char *text = id ? json_dumps(id, JSON_ENCODE_ANY) : NULL;
    emit_start(j, &m->out);
    emit_object(j);
    emit_text_at(j, "jsonrpc", "2.0");
    emit_raw_at(j, "id", text);
    free(text);
}

static void end_answer(struct mcp *m, struct emit *j)
{
    emit_object_end(j);
    text_add(&m->out, "\n");
}

static void answer_error(struct mcp *m, const json_t *id, int code, const char *message)
{
    struct emit j;
    begin_answer(m, &j, id);
    emit_object_at(&j, "error");
    emit_key(&j, "code");
    emit_i64(&j, code);
    emit_text_at(&j, "message", message);
    emit_object_end(&j);
    end_answer(m, &j);
}

void mcp_result(struct mcp *m, const json_t *id, const char *const *texts, size_t count,
                bool is_error)
{
    struct emit j;
    begin_answer(m, &j, id);
    emit_object_at(&j, "result");
    emit_array_at(&j, "content");
    for (size_t i = 0; i < count; i++) {
        emit_object(&j);
        emit_text_at(&j, "type", "text");
        emit_text_at(&j, "text", texts[i]);
        emit_object_end(&j);
    }
    emit_array_end(&j);
    emit_bool_at(&j, "isError", is_error);
    emit_object_end(&j);
    end_answer(m, &j);
}

// ---- methods -----------------------------------------------------------------------------------

static void answer_initialize(struct mcp *m, const json_t *id, const json_t *params)
{
    const char *wanted = json_string_value(json_object_get(params, "protocolVersion"));
    struct emit j;
    if (!wanted) {
        answer_error(m, id, WRONG_PARAMETERS, "protocolVersion: it has to be a text");
        return;
    }
    m->initialized = true;
    begin_answer(m, &j, id);
    emit_object_at(&j, "result");
    emit_text_at(&j, "protocolVersion", str_listed(versions, wanted) ? wanted : versions[0]);
    emit_object_at(&j, "capabilities");
    emit_object_at(&j, "tools");
    emit_object_end(&j);
    emit_object_end(&j);
    emit_object_at(&j, "serverInfo");
    emit_text_at(&j, "name", "hone");
    emit_text_at(&j, "version", HONE_VERSION);
    emit_object_end(&j);
    emit_text_at(&j, "instructions", instructions);
    emit_object_end(&j);
    end_answer(m, &j);
}

static void answer_ping(struct mcp *m, const json_t *id, const json_t *params)
{
    struct emit j;
    (void)params;
    begin_answer(m, &j, id);
    emit_object_at(&j, "result");
    emit_object_end(&j);
    end_answer(m, &j);
}

static void answer_list(struct mcp *m, const json_t *id, const json_t *params)
{
    struct emit j;
    (void)params; // one page has them all
    begin_answer(m, &j, id);
    emit_object_at(&j, "result");
    emit_array_at(&j, "tools");
    for (const struct mcp_tool *const *t = mcp_tools(); *t; t++)
        mcp_tool_describe(*t, &j);
    emit_array_end(&j);
    emit_object_end(&j);
    end_answer(m, &j);
}

static void answer_call(struct mcp *m, const json_t *id, const json_t *params)
{
    const char *name = json_string_value(json_object_get(params, "name"));
    const struct mcp_tool *tool = name ? mcp_tool_find(name) : NULL;
    struct error e = ERROR_INIT;
    struct mcp_tool_call call;
    struct arena arena;
    if (!tool) {
        answer_error(m, id, WRONG_PARAMETERS,
                     name ? "no tool has this name; tools/list has them all"
                          : "name: it has to be a text, a tool of tools/list");
        return;
    }
    arena_init(&arena);
    if (!mcp_tool_call_make(tool, json_object_get(params, "arguments"), &m->roots, &arena, &call,
                            &e) ||
        !m->ops->start(m->context, id, tool, &call, &e)) {
        const char *why = e.text;
        mcp_result(m, id, &why, 1, true);
    }
    arena_release(&arena);
}

static const struct method {
    const char *name;
    void (*answer)(struct mcp *m, const json_t *id, const json_t *params);
    bool always; // before initialize, too
} methods[] = {{"initialize", answer_initialize, true},
               {"ping", answer_ping, true},
               {"tools/list", answer_list, false},
               {"tools/call", answer_call, false}};

// ---- messages ----------------------------------------------------------------------------------

// Only one kind of notification asks for something; an unknown one is no error.
static void take_notification(struct mcp *m, const char *method, const json_t *params)
{
    const json_t *id = json_object_get(params, "requestId");
    if (str_equal(method, "notifications/cancelled") && id)
        m->ops->cancel(m->context, id);
}

static void take_request(struct mcp *m, const char *name, const json_t *id, const json_t *params)
{
    const struct method *method = NULL;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        if (str_equal(methods[i].name, name))
            method = &methods[i];
    }
    if (!method)
        answer_error(m, id, NO_METHOD,
                     "unknown method; there are initialize, ping, tools/list and tools/call");
    else if (!method->always && !m->initialized)
        answer_error(m, id, NOT_A_REQUEST, "initialize comes first");
    else if (params && !json_is_object(params))
        answer_error(m, id, WRONG_PARAMETERS, "params have to be an object");
    else if (m->ops->runs(m->context, id))
        answer_error(m, id, NOT_A_REQUEST, "a request with this id runs");
    else
        method->answer(m, id, params);
}

static void take_message(struct mcp *m, const json_t *message)
{
    const char *version = json_string_value(json_object_get(message, "jsonrpc"));
    const json_t *id = json_object_get(message, "id"), *params = json_object_get(message, "params");
    const char *method = json_string_value(json_object_get(message, "method"));
    bool has_id = json_is_string(id) || json_is_integer(id);
    bool is_answer = json_object_get(message, "result") || json_object_get(message, "error");
    if (!str_equal(version, "2.0"))
        answer_error(m, has_id ? id : NULL, NOT_A_REQUEST,
                     json_is_array(message) ? "one message a line, not an array of them"
                                            : "an object with \"jsonrpc\": \"2.0\" is a message");
    else if (!method && is_answer)
        return; // nothing was asked of the client
    else if (!method || (id && !has_id))
        answer_error(m, has_id ? id : NULL, NOT_A_REQUEST,
                     "a request has a text \"method\", and an \"id\" that is a text or an integer");
    else if (!id)
        take_notification(m, method, params);
    else
        take_request(m, method, id, params);
}

static void take_message_line(struct mcp *m, const char *line, size_t length)
{
    json_error_t where;
    if (length == 0 || (length == 1 && *line == '\r'))
        return;
    json_t *message = json_loadb(line, length, JSON_REJECT_DUPLICATES, &where);
    if (message)
        take_message(m, message);
    else
        answer_error(m, NULL, NOT_JSON, where.text);
    json_decref(message);
}

// ---- lines -------------------------------------------------------------------------------------

static void drop_long_line(struct mcp *m)
{
    if (!m->skips)
        answer_error(m, NULL, NOT_JSON, "a line of more than 1 MiB");
    m->skips = true;
    text_clear(&m->read);
}

void mcp_feed(struct mcp *m, const char *bytes, size_t length)
{
    const char *end;
    while ((end = memchr(bytes, '\n', length))) {
        size_t part = (size_t)(end - bytes);
        if (m->read.length + part > MCP_LINE_MOST)
            drop_long_line(m);
        if (!m->skips) {
            text_addn(&m->read, bytes, part);
            take_message_line(m, text_cstr(&m->read), m->read.length);
        }
        m->skips = false;
        text_clear(&m->read);
        bytes += part + 1;
        length -= part + 1;
    }
    if (m->read.length + length > MCP_LINE_MOST)
        drop_long_line(m);
    if (!m->skips)
        text_addn(&m->read, bytes, length);
}

void mcp_end(struct mcp *m)
{
    mcp_feed(m, "\n", 1);
}

void mcp_release(struct mcp *m)
{
    text_release(&m->read);
    text_release(&m->out);
}
