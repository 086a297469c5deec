// A kernel's source with the files that its #include lines name, where they are: "FILE" beside the file that has the
// line, and both "FILE" and <FILE> in the folders that are given. Others stay as they are, as unknown to the preprocessor as a compiler's own headers. A file comes once, at its
// first line: what guards it, or #pragma once, need not be understood.
#include "extras/init/includes.h"

#include "kernel_text/logical_lines.h"
#include "kernel_text/wrapped.h"

#include <stdlib.h>
#include <string.h>

#define INCLUDES_MOST 64
#define DEPTH_MOST    16
#define TEXT_MOST     (4u << 20)

struct includer {
    char *paths[INCLUDES_MOST]; // of files that were put in
    uint32_t count, depth;
    const char *const *folders;
    struct text *out, *missing;
    struct error *error; // why a file that is there is refused
    bool is_refused;
};

static bool add_file(struct includer *in, const char *path, struct text *source);

// The FILE of #include "FILE" or <FILE>, to be freed; NULL: the line is not one.
static char *included_name(const char *line, bool *is_quoted)
{
    line += strspn(line, " \t");
    if (*line != '#')
        return NULL;
    line += 1 + strspn(line + 1, " \t");
    if (!str_starts(line, "include"))
        return NULL;
    line += 7 + strspn(line + 7, " \t");
    *is_quoted = *line == '"';
    const char end = *line == '"' ? '"' : '>';
    size_t length = *line == '"' || *line == '<' ? strcspn(line + 1, end == '"' ? "\"" : ">") : 0;
    return length && line[length + 1] == end ? strndup(line + 1, length) : NULL;
}

// "DIR/NAME", DIR being the folder of `path`; to be freed.
static char *path_beside(const char *path, const char *name)
{
    struct text t = TEXT_INIT;
    const char *slash = *name == '/' ? NULL : strrchr(path, '/');
    if (slash)
        text_addn(&t, path, (size_t)(slash - path) + 1);
    text_add(&t, name);
    return text_steal(&t);
}

static char *path_in(const char *folder, const char *name)
{
    struct text t = TEXT_INIT;
    text_addf(&t, "%s/%s", folder, name);
    return text_steal(&t);
}

// False where it cannot be used; one that is no text is refused.
static bool read_found(struct includer *in, const char *file, struct text *source)
{
    struct error why = ERROR_INIT;
    if (file_read_text(file, TEXT_MOST, source, &why))
        return true;
    if (why.code == ERROR_INPUT && !in->is_refused)
        in->is_refused = !error_set(in->error, why.code, "%s", why.text);
    return false;
}

// Appends the file, nothing where it was included before; takes its path. False where it cannot be used.
static bool add_found(struct includer *in, char *file)
{
    struct text source = TEXT_INIT;
    bool done = false;
    for (uint32_t i = 0; file && i < in->count && !done; i++)
        done = strcmp(in->paths[i], file) == 0;
    if (!done && file && in->depth < DEPTH_MOST && in->count < INCLUDES_MOST &&
        read_found(in, file, &source) && in->out->length + source.length < TEXT_MOST) {
        in->paths[in->count++] = file;
        in->depth++;
        done = add_file(in, file, &source);
        in->depth--;
        file = NULL;
    }
    text_release(&source);
    free(file);
    return done;
}

// Is it one of the names in a list, "a.h, <b.h"?
static bool has_missing(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += length) {
        bool is_start = at == list || at[-1] == ' ' || at[-1] == '<';
        if (is_start && (at[length] == '\0' || at[length] == ','))
            return true;
    }
    return false;
}

// Appends what the included file has in place of the line. False if there is none that can be used.
static bool add_include(struct includer *in, const char *path, const char *line)
{
    bool is_quoted = false;
    char *name = included_name(line, &is_quoted);
    bool done = name && is_quoted && add_found(in, path_beside(path, name));
    for (uint32_t i = 0; name && !done && in->folders && in->folders[i]; i++)
        done = add_found(in, path_in(in->folders[i], name));
    if (name && !done && in->missing && !has_missing(text_cstr(in->missing), name))
        text_addf(in->missing, "%s%s%s", in->missing->length ? ", " : "", is_quoted ? "" : "<",
                  name);
    free(name);
    return done;
}

static bool add_file(struct includer *in, const char *path, struct text *source)
{
    struct logical_lines lines;
    wrapped_open(source->data, source->length);
    logical_lines_init(&lines, source->data, source->length);
    const char *from = lines.at;
    while (logical_lines_next(&lines)) {
        if (!lines.text.failed && add_include(in, path, text_cstr(&lines.text)))
            text_addf(in->out, "\n#line %u\n", lines.line);
        else
            text_addn(in->out, from, (size_t)(lines.at - from));
        from = lines.at;
    }
    bool ok = !lines.text.failed;
    logical_lines_release(&lines);
    return ok;
}

bool infer_read(const char *path, const char *const *folders, struct text *out,
                struct text *missing, struct error *e)
{
    struct includer in = {.folders = folders, .out = out, .missing = missing, .error = e};
    struct text source = TEXT_INIT;
    bool ok = file_read_text(path, 0, &source, e);
    if (ok && source.length)
        ok = (add_file(&in, path, &source) && !out->failed) || error_memory(e);
    ok = ok && !in.is_refused;
    for (uint32_t i = 0; i < in.count; i++)
        free(in.paths[i]);
    text_release(&source);
    return ok;
}
