// From a file to a spec: the JSON is parsed, all keys are compared with the table of keys, then
// each part is read in the order in which later parts need it: constants, parameters, symbols,
// restrictions, kernel, objective.
#include "problem/spec_kernels.h"
#include "problem/read_spec.h"
#include "problem/complete.h"
#include "problem/expand.h"
#include "problem/relaxed_json.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define FILE_LIMIT ((size_t)64 << 20)

// ---- names and text ----------------------------------------------------------------------------

static bool keep_spec_text(struct reader *r, const char *text, size_t length)
{
    struct spec *s = r->spec;
    if (!str_has_no_nul(s->path, text, length, r->error))
        return false;
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

// The parameters of reading a document, and its text.
struct request {
    const char *path, *text; // NULL: it stands in the file
    size_t length;
    const char *folder; // (optional)
    const struct spec_options *options;
    const struct spec *open;          // (optional) the spec in the short form that is completed ...
    const struct spec_sources *texts; // ... by these
};

// A spec that is refused anyway is refused for all that is wrong in it.
static bool keep_all_sizes(const struct reader *r)
{
    for (const struct late_fault *x = r->spec->kernel->late; x; x = x->next) {
        if (!read_on(r, error_set(r->error, ERROR_INPUT, "%s", x->text)))
            return false;
    }
    return true;
}

static bool read_t1(struct reader *r, struct node root, const struct spec_options *options)
{
    if (!check_keys(r, &t1_keys, root) || !read_on(r, read_spec_name(r, root)) ||
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

static bool read_short(struct reader *r, struct node root, const struct request *q)
{
    struct kernel_facts facts;
    struct origins *origins;
    json_t *t1 = NULL;
    if (r->strict)
        return node_error(r, root,
                          "is in hone's short form, and no T1; hone spec FILE --to t1 converts it");
    if (!check_keys(r, &short_keys, root) ||
        (q->texts && !kernel_facts_read(q->open, q->texts, r->arena, &facts, r->error)))
        return false;
    r->spec->extended = true; // a file of others is in T1
    bool ok = short_form_expand(r, root, q->texts ? &facts : NULL, &origins, &t1);
    r->origins = origins;
    ok = ok && read_t1(r, node_root(t1), q->options);
    r->spec->is_short = !q->texts;
    json_decref(t1);
    return ok;
}

// ---- what was said -----------------------------------------------------------------------------

struct spec_message {
    const char *text;
    struct spec_message *next;
};

struct teller {
    struct spec *spec;
    const struct spec *open;
    const struct log *log;
};

static bool was_told(const struct spec *s, const char *message)
{
    const struct spec_message *m = s ? s->told : NULL;
    while (m && strcmp(m->text, message) != 0)
        m = m->next;
    return m != NULL;
}

// A document in the short form is read more than once, and reports each thing once.
static void tell(void *context, enum log_level level, const char *message)
{
    struct teller *t = context;
    struct spec_message *m = arena_alloc(&t->spec->arena, sizeof *m);
    if (was_told(t->open, message) || was_told(t->spec, message))
        return;
    if (m && (m->text = arena_strdup(&t->spec->arena, message))) {
        m->next = t->spec->told;
        t->spec->told = m;
    }
    log_add(t->log, level, "%s", message);
}

// ---- the whole ---------------------------------------------------------------------------------

static bool name_spec(struct reader *r, const char *path)
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
    return (s->path && s->directory && s->name) || error_memory(r->error);
}

// A short form is read again, once its kernel's source is there.
static bool keep_request(struct reader *r, const struct request *q)
{
    struct spec *s = r->spec;
    const char **set = arena_array(r->arena, q->options->set_count + (size_t)1, sizeof *set);
    s->set = set;
    for (; set && s->set_count < q->options->set_count; s->set_count++) {
        if (!(set[s->set_count] = arena_strdup(r->arena, q->options->set[s->set_count])))
            return error_memory(r->error);
    }
    s->folder = q->folder ? arena_strdup(r->arena, q->folder) : NULL;
    return (set && (s->folder || !q->folder)) || error_memory(r->error);
}

static bool read_spec_text(struct reader *r, const struct request *q)
{
    struct spec *s = r->spec;
    if (!name_spec(r, q->path))
        return false;
    // A message about a file that cannot be read names it already.
    if (q->text ? !keep_spec_text(r, q->text, q->length) : !read_file(r, q->path))
        return false;
    json_t *json = relaxed_json_parse(s->path, s->text, s->text_length, r->strict, r->error);
    struct node root = node_root(json);
    bool is_json = json != NULL;
    bool ok = is_json && short_form_check(r, root) &&
              (short_form_is(json) ? keep_request(r, q) && read_short(r, root, q)
                                   : read_t1(r, root, q->options));
    json_decref(json);
    if (ok && q->folder && !(s->directory = arena_strdup(r->arena, q->folder)))
        ok = error_memory(r->error);
    if (is_json && !ok && !q->open && r->error->code != ERROR_USAGE)
        spec_error(s, r->error);
    return ok;
}

static struct spec *make_spec(const struct request *given, struct error *e)
{
    static const struct spec_options none;
    struct error local = ERROR_INIT;
    struct request q = *given;
    q.options = q.options ? q.options : &none;
    struct spec *s = alloc_zeroed(sizeof *s, e);
    if (!s)
        return NULL;
    arena_init(&s->arena);
    s->digests = q.options->digests;
    s->device = q.options->device;
    struct faults faults = {.spec = s};
    struct teller teller = {.spec = s, .open = q.open, .log = q.options->log};
    const struct log log = {tell, &teller};
    struct reader r = {.spec = s,
                       .arena = &s->arena,
                       .log = &log,
                       .strict = q.options->strict,
                       .error = e ? e : &local,
                       .faults = &faults,
                       .device = q.options->device,
                       .refuses_commands = q.options->refuses_commands};
    if (read_spec_text(&r, &q))
        return s;
    spec_free(s);
    return NULL;
}

struct spec *spec_load(const char *path, const struct spec_options *options, struct error *e)
{
    return make_spec(&(struct request){.path = path, .options = options}, e);
}

struct spec *spec_parse(const char *text, size_t length, const char *folder, const char *name,
                        const struct spec_options *options, struct error *e)
{
    return make_spec(&(struct request){.path = name ? name : "spec",
                                       .text = text,
                                       .length = length,
                                       .folder = folder ? folder : ".",
                                       .options = options},
                     e);
}

static struct request request_again(const struct spec *s, const struct spec_options *options)
{
    return (struct request){.path = s->path,
                            .text = s->text,
                            .length = (size_t)s->text_length,
                            .folder = s->folder,
                            .options = options};
}

struct spec *spec_read_again(const struct spec *s, const struct spec_options *options,
                             struct error *e)
{
    const struct request q = request_again(s, options);
    return make_spec(&q, e);
}

struct spec *spec_complete(const struct spec *s, const struct spec_sources *texts,
                           const struct log *log, struct error *e)
{
    const struct spec_options options = {.set = s->set,
                                         .set_count = s->set_count,
                                         .log = log,
                                         .digests = s->digests,
                                         .device = s->device};
    struct request q = request_again(s, &options);
    q.open = s;
    q.texts = texts;
    struct spec *complete = make_spec(&q, e);
    if (!complete || spec_hold_again(s, complete, e))
        return complete;
    spec_free(complete);
    return NULL;
}

bool spec_is_bound(const struct spec *s, struct error *e)
{
    return !s->unbound ||
           error_set(
               e, ERROR_INPUT,
               "%s: %s.Values: the values of '%s' depend on the device, and none is known here",
               s->path, s->unbound->path, s->unbound->name);
}

void spec_free(struct spec *s)
{
    if (!s)
        return;
    arena_release(&s->arena);
    free(s);
}
