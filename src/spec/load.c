// From a file to a spec: the JSON is parsed, all keys are held against the table of keys, then each
// part is read in the order in which later parts need it: constants, parameters, symbols,
// restrictions, kernel, objective.
#include "spec/kernel_spec.h"
#include "spec/load.h"
#include "spec/relaxed_json.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define FILE_LIMIT ((size_t)64 << 20)

// ---- names and text ----------------------------------------------------------------------------

static bool keep_spec_text(struct reader *r, const char *text, size_t length)
{
    struct spec *s = r->spec;
    s->text = arena_strndup(r->arena, text, length);
    s->text_length = length;
    digest_of(text, length, &s->digest);
    return s->text || error_memory(r->error);
}

static bool read_file(struct reader *r, const char *path)
{
    struct text text = TEXT_INIT;
    if (!file_read(path, FILE_LIMIT, &text, r->error))
        return false;
    bool ok = keep_spec_text(r, text_cstr(&text), text.length);
    text_release(&text);
    return ok;
}

static bool read_spec_name(struct reader *r, struct node root)
{
    struct node n = node_get(r, node_get(r, root, "General"), "BenchmarkName");
    return !node_text(n) || read_text(r, n, &r->spec->name);
}

// ---- the document -----------------------------------------------------------------------------

// A spec that is refused anyway is refused for all that is wrong in it.
static bool keep_all_sizes(const struct reader *r)
{
    for (const struct late_fault *x = r->spec->kernel->late; x; x = x->next) {
        if (!read_on(r, error_set(r->error, ERROR_INPUT, "%s", x->text)))
            return false;
    }
    return true;
}

static bool read_document(struct reader *r, struct node root, const struct spec_options *options)
{
    if (!check_keys(r, root) || !read_on(r, read_spec_name(r, root)) ||
        !read_constants(r, root, options))
        return false;
    bool has_names = read_parameters(r, root);
    if (!read_on(r, has_names) || !read_formulas(r, root) || !read_settings(r, root) ||
        !read_on(r, read_kernel(r, root)))
        return false;
    if (r->faults->count > 0 && has_names && !keep_all_sizes(r))
        return false;
    return faults_end(r->faults, r->error);
}

// `text` NULL: it stands in the file.
static bool read_spec_text(struct reader *r, const char *path, const char *text, size_t length,
                           const struct spec_options *options)
{
    struct spec *s = r->spec;
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    size_t name_length = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    s->path = arena_strdup(r->arena, path);
    s->directory = slash == path ? "/"
                   : slash       ? arena_strndup(r->arena, path, (size_t)(slash - path))
                                 : ".";
    s->name = arena_strndup(r->arena, name, name_length);
    if (!s->path || !s->directory || !s->name)
        return error_memory(r->error);
    // A message about a file that cannot be read names it already.
    if (text ? !keep_spec_text(r, text, length) : !read_file(r, path))
        return false;
    json_t *json = relaxed_json_parse(r->spec->text, r->spec->text_length, r->strict, r->error);
    bool ok = json && read_document(r, node_root(json), options);
    json_decref(json);
    if (!ok && r->error->code != ERROR_USAGE)
        error_context(r->error, "%s", path);
    return ok;
}

static struct spec *make_spec(const char *path, const char *text, size_t length, const char *folder,
                              const struct spec_options *options, struct error *e)
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
    s->digests = options->digests;
    struct faults faults = {.count = 0};
    struct reader r = {.spec = s,
                       .arena = &s->arena,
                       .log = options->log,
                       .strict = options->strict,
                       .error = e ? e : &local,
                       .faults = &faults};
    bool ok = read_spec_text(&r, path, text, length, options);
    if (ok && folder && !(s->directory = arena_strdup(&s->arena, folder)))
        ok = error_memory(e);
    if (ok)
        return s;
    spec_free(s);
    return NULL;
}

struct spec *spec_load(const char *path, const struct spec_options *options, struct error *e)
{
    return make_spec(path, NULL, 0, NULL, options, e);
}

struct spec *spec_parse(const char *text, size_t length, const char *folder, const char *name,
                        const struct spec_options *options, struct error *e)
{
    return make_spec(name ? name : "spec", text, length, folder ? folder : ".", options, e);
}

void spec_free(struct spec *s)
{
    if (!s)
        return;
    arena_release(&s->arena);
    free(s);
}
