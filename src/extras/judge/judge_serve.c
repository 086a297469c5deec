// Reads lines without stdio, so that poll() knows what is left, and makes a candidate of each.
#include "extras/judge/judge_serve.h"

#include "base/emit.h"
#include "model/languages.h"
#include "os/file_replace.h"

#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define PART 65536

static bool is_readable(int input, int timeout_ms)
{
    struct pollfd fd = {.fd = input, .events = POLLIN};
    return poll(&fd, 1, timeout_ms) > 0;
}

static bool read_part(struct serving *s, struct error *e)
{
    char part[PART];
    ssize_t n = read(s->input, part, sizeof part);
    if (n < 0 && errno == EINTR)
        return true;
    if (n < 0)
        return error_set_driver(e, ERROR_IO, errno, "standard input: %s", strerror(errno));
    s->ended = n == 0;
    text_addn(&s->read, part, (size_t)n);
    return !s->read.failed || error_memory(e);
}

static void tell_wrong(const struct serving *s, const char *why, struct text *wrong)
{
    struct emit j;
    emit_start(&j, wrong);
    emit_object(&j);
    emit_text_at(&j, "type", "error");
    emit_u64_at(&j, "line", s->lines);
    emit_text_at(&j, "message", why);
    emit_object_end(&j);
    text_add(wrong, "\n");
}

// A text is a file in a folder of its own, from which it can include no other's; the candidate has the name that was given.
static bool add_text(struct serving *s, struct candidates *out, const char *name, const char *text,
                     size_t length, struct error *e)
{
    struct text content = TEXT_INIT;
    const char *folder =
        arena_printf(&out->arena, "%s/%llu", s->folder, (unsigned long long)s->lines);
    const char *path = arena_printf(&out->arena, "%s/text%s", folder ? folder : "",
                                    language_traits(s->language)->endings[0]);
    text_addn(&content, text, length);
    bool ok = (folder && path && !content.failed) || error_memory(e);
    ok = ok && folder_make(folder, e);
    ok = ok && file_replace(path, &content, e) && candidates_add(out, path, s->language, e);
    text_release(&content);
    if (!ok)
        return false;
    out->list[out->count - 1]->name = arena_strdup(&out->arena, name);
    return out->list[out->count - 1]->name || error_memory(e);
}

// A folder without candidates is a wrong line, and the stream goes on.
static bool add_named(const struct serving *s, struct candidates *out, const char *name,
                      struct text *wrong, struct error *e)
{
    struct error why = ERROR_INIT;
    const size_t before = out->count;
    if (candidates_add(out, name, s->language, &why))
        return true;
    if (why.code == ERROR_MEMORY)
        return error_memory(e);
    out->count = before; // of more than there may be, none
    tell_wrong(s, why.text, wrong);
    return true;
}

static bool take_line(struct serving *s, const char *line, size_t length, struct candidates *out,
                      struct text *wrong, struct error *e)
{
    json_error_t where;
    json_t *root = json_loadb(line, length, JSON_REJECT_DUPLICATES, &where);
    const json_t *text = json_object_get(root, "text");
    const char *name = json_string_value(json_object_get(root, "candidate"));
    bool ok = true;
    s->lines++;
    if (!root)
        tell_wrong(s, where.text, wrong);
    else if (!name || (text && !json_is_string(text)))
        tell_wrong(s, "an object with a text \"candidate\", and \"text\" if it is not a file",
                   wrong);
    else if (text)
        ok = add_text(s, out, name, json_string_value(text), json_string_length(text), e);
    else
        ok = add_named(s, out, name, wrong, e);
    json_decref(root);
    return ok;
}

static bool take_lines(struct serving *s, struct candidates *out, struct text *wrong,
                       struct error *e)
{
    size_t from = 0;
    bool ok = true;
    while (ok && out->count < SERVE_BATCH && from < s->read.length) {
        const char *line = s->read.data + from;
        const char *end = memchr(line, '\n', s->read.length - from);
        size_t length = end ? (size_t)(end - line) : s->read.length - from;
        const bool is_long = length > SERVE_LINE_MOST;
        if (!end && !s->ended && !is_long && !s->skips)
            break;
        if (is_long && !s->skips) {
            s->lines++;
            tell_wrong(s, "a line of more than 4 MiB", wrong);
        } else if (!s->skips && *line != '\n') {
            ok = take_line(s, line, length, out, wrong, e);
        }
        s->skips = !end && (is_long || s->skips);
        from += length + (end != NULL);
    }
    memmove(s->read.data, s->read.data + from, s->read.length - from);
    s->read.length -= from;
    return ok;
}

bool serving_batch(struct serving *s, struct candidates *out, struct text *wrong, struct error *e)
{
    bool ok = true;
    while (ok && out->count == 0 && wrong->length == 0) {
        if (s->read.length > 0 && !take_lines(s, out, wrong, e))
            return false;
        if (out->count > 0 || wrong->length > 0)
            break;
        if (s->ended)
            return false;
        ok = read_part(s, e);
    }
    while (ok && !s->ended && out->count < SERVE_BATCH && is_readable(s->input, 0))
        ok = read_part(s, e) && take_lines(s, out, wrong, e);
    return ok;
}

void serving_release(struct serving *s)
{
    text_release(&s->read);
}
