// From a file to a spec.
#include "spec/load.h"

#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FILE_LIMIT ((size_t)64 << 20)

// ---- names and text ----------------------------------------------------------------------------

static bool read_file(struct reader *r, const char *path)
{
    struct spec *s = r->spec;
    struct text text = TEXT_INIT;
    if (!file_read(path, FILE_LIMIT, &text, r->error))
        return false;
    s->text = arena_strndup(r->arena, text_cstr(&text), text.length);
    s->text_length = text.length;
    digest_of(text_cstr(&text), text.length, &s->digest);
    text_release(&text);
    return s->text || error_memory(r->error);
}

static bool name_file(struct reader *r, const char *path)
{
    struct spec *s = r->spec;
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    size_t length = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    s->path = arena_strdup(r->arena, path);
    s->directory = slash == path ? "/"
                   : slash       ? arena_strndup(r->arena, path, (size_t)(slash - path))
                                 : ".";
    s->name = arena_strndup(r->arena, name, length);
    return (s->path && s->directory && s->name) || error_memory(r->error);
}

static bool read_name(struct reader *r, struct node root)
{
    struct node n = node_get(r, node_get(r, root, "General"), "BenchmarkName");
    return !node_text(n) || read_text(r, n, &r->spec->name);
}

// ---- JSON --------------------------------------------------------------------------------------

static json_t *parse_json(struct reader *r)
{
    json_error_t at;
    errno = 0;
    json_t *json = json_loadb(r->spec->text, r->spec->text_length, JSON_REJECT_DUPLICATES, &at);
    bool memory = errno == ENOMEM; // then the parser may speak of syntax
    if (json)
        return json;
    if (memory || json_error_code(&at) == json_error_out_of_memory)
        error_memory(r->error);
    else if (r->spec->text_length == 0)
        error_set(r->error, ERROR_INPUT, "the file is empty; a spec is a JSON object");
    else
        error_set(r->error, ERROR_INPUT, "line %d, column %d: not valid JSON: %s", at.line,
                  at.column, at.text);
    return NULL;
}

static bool read_document(struct reader *r, struct node root, const struct spec_options *options)
{
    return check_keys(r, root) && read_name(r, root) && read_constants(r, root, options) &&
           read_parameters(r, root) && read_formulas(r, root) && read_settings(r, root) &&
           read_kernel(r, root);
}

static bool read_spec(struct reader *r, const char *path, const struct spec_options *options)
{
    if (!name_file(r, path))
        return false;
    if (!read_file(r, path))
        return false; // the message names the file already
    json_t *json = parse_json(r);
    bool ok = json && read_document(r, node_root(json), options);
    json_decref(json);
    if (!ok && r->error && r->error->code != ERROR_USAGE)
        error_context(r->error, "%s", path);
    return ok;
}

struct spec *spec_load(const char *path, const struct spec_options *options, struct error *e)
{
    static const struct spec_options none;
    struct error local = ERROR_INIT;
    options = options ? options : &none;
    struct spec *s = calloc(1, sizeof *s);
    if (!s) {
        error_memory(e);
        return NULL;
    }
    arena_init(&s->arena);
    struct reader r = {.spec = s,
                       .arena = &s->arena,
                       .log = options->log,
                       .strict = options->strict,
                       .error = e ? e : &local};
    if (!read_spec(&r, path, options)) {
        spec_free(s);
        return NULL;
    }
    return s;
}

void spec_free(struct spec *s)
{
    if (!s)
        return;
    arena_release(&s->arena);
    free(s);
}
