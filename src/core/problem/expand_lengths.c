// len(x) in the short form: how many elements the .npy file has that fills the argument x. It is replaced by the number
// in every text of a copy of the document, before anything else is read, so that constants, sizes and values may use it.
#include "problem/expand.h"

#include "base/text.h"

#include <ctype.h>
#include <string.h>

// ---- the arguments that files fill -------------------------------------------------------------

static bool is_npy(const char *file)
{
    const size_t length = file ? strlen(file) : 0;
    return length > 4 && strcmp(file + length - 4, ".npy") == 0 && !strchr(file, '{');
}

// The file that fills it, else the one that it is to be compared with.
static struct node file_of_argument(const struct expansion *x, struct node argument)
{
    struct node fill = node_get(x->r, argument, "fill");
    struct node file = json_is_object(fill.json) ? node_get(x->r, fill, "file") : fill;
    return is_npy(node_text(file)) ? file : node_get(x->r, argument, "expect");
}

bool expand_data(const struct expansion *x, struct node argument, struct data_file *out,
                 struct error *e)
{
    struct node file = file_of_argument(x, argument);
    const char *name = node_text(file), *directory = x->r->spec->directory;
    if (!json_is_object(argument.json) || !is_npy(name))
        return false;
    const char *path = name[0] == '/' ? name : arena_printf(x->r->arena, "%s/%s", directory, name);
    if (!path)
        return error_memory(e);
    return data_look(path, x->r->arena, out, e) || error_context(e, "%s", file.path);
}

// ---- len(NAME) ---------------------------------------------------------------------------------

static size_t name_length(const char *text)
{
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_')
        n++;
    return n;
}

// "len(x)" at `text`: its length, and the name; 0: it is not one.
static size_t length_call(const char *text, const char **name, size_t *count)
{
    const char *at = text;
    if (!str_starts(at, "len"))
        return 0;
    at += 3 + strspn(at + 3, " ");
    if (*at++ != '(')
        return 0;
    *name = at += strspn(at, " ");
    *count = name_length(at);
    at += *count;
    at += strspn(at, " ");
    return *count && *at == ')' ? (size_t)(at + 1 - text) : 0;
}

// Writes the text with numbers. *changed: there was a len() of an argument that a file fills.
static bool write_lengths(const struct expansion *x, const char *text, struct text *out,
                          bool *changed)
{
    struct node arguments = node_get(x->r, x->root, "arguments");
    char quote = 0;
    for (const char *at = text; *at;) {
        const char *name;
        size_t count, whole = quote ? 0 : length_call(at, &name, &count);
        struct data_file file;
        struct error why = ERROR_INIT;
        const char *own = whole ? arena_strndup(x->r->arena, name, count) : NULL;
        struct node argument = own ? node_get(x->r, arguments, own) : (struct node){NULL, ""};
        if (whole && node_present(argument) && expand_data(x, argument, &file, &why)) {
            text_addf(out, "%llu", (unsigned long long)file.components);
            *changed = true;
        } else if (why.code != ERROR_NONE) {
            return error_set(x->r->error, why.code, "len(%s): %s", own, why.text);
        } else {
            whole = whole ? whole : name_length(at);
            whole = whole ? whole : 1;
            quote = quote ? (*at == quote ? 0 : quote) : *at == '\'' || *at == '"' ? *at : 0;
            text_addn(out, at, whole);
        }
        at += whole;
    }
    return !out->failed || error_memory(x->r->error);
}

// The value with its texts replaced; NULL: there is nothing to replace, or (with an error) a file cannot be read.
static json_t *replace_text(const struct expansion *x, const char *text)
{
    struct text out = TEXT_INIT;
    json_t *made = NULL;
    bool changed = false;
    int64_t number;
    if (strstr(text, "len") && write_lengths(x, text, &out, &changed) && changed)
        made = str_to_i64(text_cstr(&out), &number) ? json_integer(number)
                                                    : json_string(text_cstr(&out));
    if (changed && !made && x->r->error->code == ERROR_NONE)
        error_memory(x->r->error);
    text_release(&out);
    return made;
}

// In a copy of the document: its own objects and lists are changed.
static bool replace_lengths(const struct expansion *x, json_t *in)
{
    const char *key;
    json_t *value;
    size_t index;
    bool ok = true;
    json_object_foreach(in, key, value)
    {
        json_t *made = json_is_string(value) ? replace_text(x, json_string_value(value)) : NULL;
        ok = ok && x->r->error->code == ERROR_NONE && replace_lengths(x, value) &&
             (!made || json_object_set(in, key, made) == 0 || error_memory(x->r->error));
        json_decref(made);
    }
    json_array_foreach(in, index, value)
    {
        json_t *made = json_is_string(value) ? replace_text(x, json_string_value(value)) : NULL;
        ok = ok && x->r->error->code == ERROR_NONE && replace_lengths(x, value) &&
             (!made || json_array_set(in, index, made) == 0 || error_memory(x->r->error));
        json_decref(made);
    }
    return ok;
}

static bool has_data(const struct expansion *x)
{
    struct node arguments = node_get(x->r, x->root, "arguments");
    const char *name;
    json_t *value;
    bool found = false;
    json_object_foreach((json_t *)arguments.json, name, value)
    {
        found |= json_is_object(value) &&
                 is_npy(node_text(file_of_argument(x, node_get(x->r, arguments, name))));
    }
    return found;
}

bool expand_lengths(struct expansion *x, json_t **copy)
{
    *copy = has_data(x) ? json_deep_copy(x->root.json) : NULL;
    if (!*copy)
        return true;
    const bool ok = replace_lengths(x, *copy);
    x->root.json = *copy;
    return ok;
}
