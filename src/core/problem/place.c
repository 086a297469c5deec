// Where a path stands in the spec's text: the parser of JSON gives values no lines, so the text is walked along the
// path when there is something to say about it. Commas, colons and comments separate; the text is valid by then.
#include "problem/spec.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct walker {
    const char *at, *end;
    uint32_t line, column; // of `at`, from 1
};

static void step(struct walker *w)
{
    char byte = *w->at++;
    w->column +=
        ((unsigned char)byte & 0xc0) != 0x80; // the rest of a character in UTF-8 counts with it
    if (byte == '\n') {
        w->line++;
        w->column = 1;
    }
}

static bool stands(const struct walker *w, const char *sign)
{
    size_t length = strlen(sign);
    return (size_t)(w->end - w->at) >= length && memcmp(w->at, sign, length) == 0;
}

// Does one of these characters stand there?
static bool stands_any(const struct walker *w, const char *signs)
{
    return w->at < w->end && *w->at && strchr(signs, *w->at);
}

static void skip_between(struct walker *w)
{
    while (w->at < w->end) {
        if (stands(w, "/*")) {
            while (w->at < w->end && !stands(w, "*/"))
                step(w);
            for (int i = 0; i < 2 && w->at < w->end; i++)
                step(w);
        } else if (*w->at == '#' || stands(w, "//")) {
            while (w->at < w->end && *w->at != '\n')
                step(w);
        } else if (stands_any(w, " \t\r\n,:")) {
            step(w);
        } else {
            return;
        }
    }
}

static void skip_string(struct walker *w)
{
    step(w);
    while (w->at < w->end && *w->at != '"') {
        if (*w->at == '\\' && w->at + 1 < w->end)
            step(w);
        step(w);
    }
    if (w->at < w->end)
        step(w);
}

// A value of any kind, from its first character.
static void skip_value(struct walker *w)
{
    size_t depth = 0;
    do {
        bool opens = stands_any(w, "[{");
        bool closes = stands_any(w, "]}");
        depth += opens;
        depth -= closes && depth > 0;
        if (w->at < w->end && *w->at == '"')
            skip_string(w);
        else if (opens || closes)
            step(w);
        else if (w->at < w->end) // a number, true, false or null
            do
                step(w);
            while (w->at < w->end && !stands_any(w, " \t\r\n,:]}/#\"[{"));
        if (depth > 0)
            skip_between(w);
    } while (depth > 0 && w->at < w->end);
}

// Is the key the path's next name? Then the path goes on behind it.
static bool takes_key(const char **path, const char *key, size_t length)
{
    const char *name = *path + (**path == '.');
    if (strncmp(name, key, length) != 0 || !strchr(".[:", name[length]))
        return false;
    *path = name + length;
    return true;
}

// Goes to the value of the object's key that the path names; *found is where the key stands.
static bool enter_object(struct walker *w, const char **path, struct walker *found)
{
    step(w);
    for (skip_between(w); w->at < w->end && *w->at == '"'; skip_between(w)) {
        struct walker key = *w;
        skip_string(w);
        size_t length = (size_t)(w->at - key.at);
        skip_between(w);
        if (length >= 2 && takes_key(path, key.at + 1, length - 2)) {
            *found = key;
            return true;
        }
        skip_value(w);
    }
    return false;
}

static bool enter_list(struct walker *w, const char **path, struct walker *found)
{
    char *behind;
    unsigned long index = strtoul(*path + 1, &behind, 10);
    step(w);
    for (skip_between(w); w->at < w->end && *w->at != ']'; skip_between(w)) {
        if (index-- == 0) {
            *path = behind + (*behind == ']');
            *found = *w;
            return true;
        }
        skip_value(w);
    }
    return false;
}

// Follows the path, which ends with the text or with ':', as far as the document has it. False where it has nothing
// of it.
static bool find_place(const struct spec *s, const char *path, struct walker *found)
{
    struct walker w = {s->text, s->text + s->text_length, 1, 1};
    bool is_found = false, goes_on = s->text != NULL;
    if (goes_on && stands(&w, "\xef\xbb\xbf"))
        w.at += 3;
    while (goes_on) {
        skip_between(&w);
        goes_on = w.at < w.end &&
                  ((*w.at == '{' && !strchr(":[", *path) && enter_object(&w, &path, found)) ||
                   (*w.at == '[' && *path == '[' && enter_list(&w, &path, found)));
        is_found = is_found || goes_on;
    }
    return is_found;
}

void spec_place(const struct spec *s, const char *message, struct text *out)
{
    struct walker found = {.line = 0};
    if (find_place(s, message, &found))
        text_addf(out, "%u:%u", (unsigned)found.line, (unsigned)found.column);
}

#undef spec_error // the analyser's
bool spec_error(const struct spec *s, struct error *e)
{
    struct text place = TEXT_INIT;
    if (e)
        spec_place(s, e->text, &place);
    error_context(e, "%s%s%s", s->path, place.length > 0 ? ":" : "", text_cstr(&place));
    text_release(&place);
    return false;
}

void spec_warn(const struct spec *s, const struct log *log, enum log_level level,
               const char *format, ...)
{
    struct error message = ERROR_INIT;
    va_list args;
    va_start(args, format);
    str_vformat(message.text, sizeof message.text, format, args);
    va_end(args);
    message.code = ERROR_INPUT;
    spec_error(s, &message);
    log_add(log, level, "%s", message.text);
}
