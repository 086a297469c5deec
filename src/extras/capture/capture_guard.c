// Guards the definitions of whole numbers that stand outside of all conditions. A name that is undefined somewhere, or that a
// condition asks for before its definition, keeps its meaning: it is left alone.
#include "extras/capture/capture_guard.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct writing {
    char *text;
    size_t length;
};

static void put_bytes(struct writing *w, const char *bytes, size_t length)
{
    if (w->text)
        memcpy(w->text + w->length, bytes, length);
    w->length += length;
}

static const char *skip_white(const char *at)
{
    return at + strspn(at, " \t");
}

// The word of a directive, behind its '#'; NULL: the line is none.
static const char *directive_of(const char *line)
{
    const char *at = skip_white(line);
    return *at == '#' ? skip_white(at + 1) : NULL;
}

static bool starts_with(const char *at, const char *word)
{
    return strncmp(at, word, strlen(word)) == 0;
}

static size_t name_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    return length;
}

static bool is_name_at(const char *at, const char *name, size_t length)
{
    return memcmp(at, name, length) == 0 && name_length(at) == length &&
           !isalnum((unsigned char)at[-1]) && at[-1] != '_';
}

// Does a directive of [from, end) that begins with `word` ("if": also #ifdef) speak of the name?
static bool directive_names(const char *from, const char *end, const char *word, const char *name,
                            size_t length)
{
    for (const char *line = from; line < end; line += strcspn(line, "\n") + 1) {
        const char *at = directive_of(line), *stop = line + strcspn(line, "\n");
        if (!at || !starts_with(at, word))
            continue;
        for (; at + length <= stop; at++) {
            if (is_name_at(at, name, length))
                return true;
        }
    }
    return false;
}

// "#define NAME 16", with a comment at most behind it.
static bool is_number_defined(const char *line, const char **name, size_t *length)
{
    const char *at = directive_of(line);
    if (!at || !starts_with(at, "define") || (at[6] != ' ' && at[6] != '\t'))
        return false;
    *name = skip_white(at + 6);
    *length = name_length(*name);
    at = *name + *length;
    if (*length == 0 || (*at != ' ' && *at != '\t'))
        return false;
    at = skip_white(at);
    const size_t digits = strspn(at, "0123456789");
    at = skip_white(at + digits);
    return digits > 0 && digits < 10 &&
           (!*at || *at == '\n' || *at == '\r' || starts_with(at, "//"));
}

// How a line changes the depth of conditions.
static int depth_change(const char *line)
{
    const char *at = directive_of(line);
    return !at ? 0 : starts_with(at, "if") ? 1 : starts_with(at, "endif") ? -1 : 0;
}

// Is a comment open behind the line?
static bool leaves_comment(const char *line, const char *end, bool is_open)
{
    for (const char *at = line; at + 1 < end; at++) {
        if (is_open ? at[0] == '*' && at[1] == '/' : at[0] == '/' && at[1] == '*')
            is_open = !is_open, at++;
        else if (!is_open && at[0] == '/' && at[1] == '/')
            break;
    }
    return is_open;
}

static void guard_line(struct writing *w, const char *line, const char *end, const char *name,
                       size_t length)
{
    put_bytes(w, "#ifndef ", 8);
    put_bytes(w, name, length);
    put_bytes(w, "\n", 1);
    put_bytes(w, line, (size_t)(end - line));
    put_bytes(w, "\n#endif\n", 8);
}

// Without room it only counts.
static size_t write_guarded(const char *text, char *to)
{
    struct writing w = {to, 0};
    const char *whole = text + strlen(text);
    int depth = 0;
    bool is_comment = false, is_continued = false;
    for (const char *line = text; *line;) {
        const char *end = line + strcspn(line, "\n"), *name;
        size_t length;
        const bool is_plain = depth == 0 && !is_comment && !is_continued;
        if (is_plain && is_number_defined(line, &name, &length) &&
            !directive_names(text, whole, "undef", name, length) &&
            !directive_names(text, line, "if", name, length) &&
            !directive_names(text, line, "elif", name, length) &&
            !directive_names(text, line, "define", name, length)) {
            guard_line(&w, line, end, name, length);
        } else
            put_bytes(&w, line, (size_t)(end - line) + (*end == '\n'));
        if (!is_comment && !is_continued)
            depth += depth_change(line);
        is_comment = leaves_comment(line, end, is_comment);
        is_continued = end > line && end[-1] == '\\';
        line = end + (*end == '\n');
    }
    put_bytes(&w, "", 1);
    return w.length;
}

char *capture_guard_text(const char *text)
{
    char *to = malloc(write_guarded(text, NULL));
    if (to)
        write_guarded(text, to);
    return to;
}
