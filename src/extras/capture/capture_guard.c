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

// A word of a directive that undefines, defines, or asks.
struct mention {
    const char *at;
    size_t length;
    bool is_undefined;
};

// By the word; of one word, an #undef comes first, then the others as they stand.
static int compare_mentions(const void *a, const void *b)
{
    const struct mention *x = a, *y = b;
    int order = (x->length > y->length) - (x->length < y->length);
    if (!order)
        order = memcmp(x->at, y->at, x->length);
    if (!order)
        order = (int)y->is_undefined - (int)x->is_undefined;
    return order ? order : (x->at > y->at) - (x->at < y->at);
}

// All of a text, sorted; without room it only counts.
static size_t list_mentions(const char *text, struct mention *out)
{
    size_t count = 0;
    for (const char *line = text, *end; *line; line = end + (*end == '\n')) {
        const char *at = directive_of(line);
        end = line + strcspn(line, "\n");
        if (!at || !(starts_with(at, "undef") || starts_with(at, "if") || starts_with(at, "elif") ||
                     starts_with(at, "define")))
            continue;
        const bool is_undefined = starts_with(at, "undef");
        for (size_t length; at < end; at += length + (length == 0)) {
            length = name_length(at);
            if (length && out)
                out[count] = (struct mention){at, length, is_undefined};
            count += length > 0;
        }
    }
    if (out)
        qsort(out, count, sizeof *out, compare_mentions);
    return count;
}

// Is the name undefined anywhere, or spoken of before the line?
static bool is_mentioned(const struct mention *list, size_t count, const char *name, size_t length,
                         const char *line)
{
    size_t from = 0, end = count;
    while (from < end) { // the first of that word
        const size_t middle = from + (end - from) / 2;
        if (list[middle].length < length ||
            (list[middle].length == length && memcmp(list[middle].at, name, length) < 0))
            from = middle + 1;
        else
            end = middle;
    }
    const bool is_found =
        from < count && list[from].length == length && memcmp(list[from].at, name, length) == 0;
    return is_found && (list[from].is_undefined || list[from].at < line);
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
static size_t write_guarded(const char *text, const struct mention *list, size_t count, char *to)
{
    struct writing w = {to, 0};
    int depth = 0;
    bool is_comment = false, is_continued = false;
    for (const char *line = text; *line;) {
        const char *end = line + strcspn(line, "\n"), *name;
        size_t length;
        const bool is_plain = depth == 0 && !is_comment && !is_continued;
        if (is_plain && is_number_defined(line, &name, &length) &&
            !is_mentioned(list, count, name, length, line))
            guard_line(&w, line, end, name, length);
        else
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
    const size_t count = list_mentions(text, NULL);
    struct mention *list = malloc((count + 1) * sizeof *list);
    char *to = list ? malloc(write_guarded(text, list, list_mentions(text, list), NULL)) : NULL;
    if (to)
        write_guarded(text, list, count, to);
    free(list);
    return to;
}
