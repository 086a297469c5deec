// A client of hone mcp: any bytes, in parts. Beyond not crashing: each line that comes back is a message of JSON-RPC, a call that
// begins has a command line in which a caller's words are values or paths below the root, and there is one answer at most to a line.
#include "base/text.h"
#include "extras/mcp/mcp_server.h"
#include "fuzz.h"

#include <string.h>

#define ROOT "/usr/share"

static bool start_nothing(void *context, const json_t *id, const struct mcp_tool *tool,
                          const struct mcp_tool_call *call, struct error *e)
{
    bool behind = false; // the dashes
    (void)context;
    REQUIRE(id && str_equal(call->words[0], mcp_tool_name(tool)));
    for (size_t i = 1; call->words[i]; i++) {
        const char *word = call->words[i];
        if (behind)
            REQUIRE(str_starts(word, ROOT) &&
                    (word[sizeof ROOT - 1] == '/' || !word[sizeof ROOT - 1]));
        else
            REQUIRE(str_starts(word, "--"));
        REQUIRE(!str_starts(word, "--strategy=exec") && !str_starts(word, "--on") &&
                !str_starts(word, "--store"));
        behind = behind || str_equal(word, "--");
    }
    REQUIRE(behind && call->limit_s > 0);
    return error_set(e, ERROR_USAGE, "nothing is started");
}

static bool runs_nothing(void *context, const json_t *id)
{
    (void)context;
    return json_is_integer(id) && json_integer_value(id) == 77;
}

static void cancel_nothing(void *context, const json_t *id)
{
    (void)context;
    REQUIRE(id);
}

static void check_answers(const struct text *out, size_t lines)
{
    const char *at = text_cstr(out), *end;
    size_t count = 0;
    for (; (end = strchr(at, '\n')); at = end + 1, count++) {
        json_error_t where;
        json_t *answer = json_loadb(at, (size_t)(end - at), 0, &where);
        REQUIRE(answer && str_equal(json_string_value(json_object_get(answer, "jsonrpc")), "2.0"));
        REQUIRE(!json_object_get(answer, "result") != !json_object_get(answer, "error"));
        json_decref(answer);
    }
    REQUIRE(*at == '\0' && count <= lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct mcp_operations operations = {
        .start = start_nothing, .runs = runs_nothing, .cancel = cancel_nothing};
    static const char *const roots[] = {ROOT, NULL};
    struct mcp m = {.roots = {roots}, .ops = &operations, .initialized = size % 2 == 0};
    size_t lines = 1;
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    size_t part = size / 3;
    mcp_feed(&m, (const char *)data, part);
    mcp_feed(&m, (const char *)data + part, size - part);
    mcp_end(&m);
    check_answers(&m.out, lines);
    mcp_release(&m);
    return 0;
}
