// Commands as kernels: their words are read once, with expressions in braces; {program} and {output} are the worker's, which
// knows where they lie. What a program is made of stands outside: files that a word names (and what these include with quotes),
// files and folders of `files`, and the programs of the first words. Their digests are part of the source.
#include "problem/commands.h"

#include "problem/option_words.h"

#include "base/text.h"
#include "kernel_text/scan.h"
#include "os/tool.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_LIMIT   ((size_t)64 << 20)
#define FILES_MOST   1000
#define FOLDERS_MOST 16 // within each other

// ---- reading -----------------------------------------------------------------------------------

bool is_command_object(const json_t *kernel)
{
    return json_object_get(kernel, "run") || json_object_get(kernel, "build");
}

// The worker puts paths in the place of {program} and {output}; "{ " and "${" are the shell's.
static bool is_no_expression(const char *word, const char *open)
{
    return str_starts(open, "{program}") || str_starts(open, "{output}") || open[1] == ' ' ||
           (open > word && open[-1] == '$');
}

static bool names_place(const json_t *words, const char *place)
{
    size_t index;
    json_t *word;
    json_array_foreach((json_t *)words, index, word)
    {
        if (strstr(json_string_value(word) ? json_string_value(word) : "", place))
            return true;
    }
    return false;
}

// A text is one word.
static size_t count_words(const json_t *words)
{
    return json_is_string(words) ? 1 : json_array_size(words);
}

static bool add_words(const struct reader *r, const json_t *words, struct program_spec *p,
                      const char **options)
{
    for (size_t i = 0; i < count_words(words); i++) {
        const json_t *word = json_is_string(words) ? words : json_array_get(words, i);
        const char *text = json_string_value(word);
        const char *kept = text ? arena_strdup(r->arena, text) : NULL;
        if (!text || !kept)
            return text ? error_memory(r->error)
                        : error_set(r->error, ERROR_INPUT,
                                    "%s: a command is a list of texts, a word each", p->path);
        struct option_word *w = &p->words[p->option_count];
        options[p->option_count++] = kept;
        if (!read_word_holes(r, p->path, kept, is_no_expression, w))
            return false;
    }
    return true;
}

static bool add_files(const struct reader *r, const json_t *files, struct program_spec *p)
{
    const char **list = arena_array(r->arena, count_words(files) + 1, sizeof *list);
    p->files = list;
    for (size_t i = 0; list && i < count_words(files); i++) {
        const json_t *file = json_is_string(files) ? files : json_array_get(files, i);
        list[p->file_count] =
            arena_strdup(r->arena, json_string_value(file) ? json_string_value(file) : "");
        if (!list[p->file_count++])
            return error_memory(r->error);
    }
    return list || error_memory(r->error);
}

static bool check_command(const struct reader *r, const struct kernel_spec *k, const json_t *o,
                          const struct program_spec *p)
{
    const json_t *build = json_object_get(o, "build"), *run = json_object_get(o, "run");
    if (count_words(run) == 0)
        return error_set(r->error, ERROR_INPUT,
                         "%s.run: is missing: the command that runs the program", p->path);
    if (build && !names_place(build, "{program}"))
        return error_set(
            r->error, ERROR_INPUT,
            "%s.build: no word has {program}: the file that it is to make, which is this "
            "configuration's own",
            p->path);
    if (!build && names_place(run, "{program}"))
        return error_set(r->error, ERROR_INPUT,
                         "%s.run: {program} is what 'build' makes, and there is none", p->path);
    return k->argument_count == 0 || error_set(r->error, ERROR_INPUT,
                                               "%s: a program has no arguments of its own in a "
                                               "spec: what it is to know stands in the "
                                               "words of 'run'",
                                               k->arguments[0].path);
}

static bool read_object(const struct reader *r, const struct kernel_spec *k, const json_t *o,
                        struct program_spec *p)
{
    const json_t *build = json_object_get(o, "build"), *run = json_object_get(o, "run");
    const json_t *benchmark = json_object_get(o, "benchmark");
    size_t count = count_words(build) + count_words(run) + 1;
    const char **options = arena_array(r->arena, count + 1, sizeof *options);
    p->words = arena_array(r->arena, count + 1, sizeof *p->words);
    p->options = options;
    if (!options || !p->words)
        return error_memory(r->error);
    p->build_words = (uint32_t)count_words(build);
    p->run_words = (uint32_t)count_words(run);
    return check_command(r, k, o, p) && add_words(r, build, p, options) &&
           add_words(r, run, p, options) && add_words(r, benchmark, p, options) &&
           add_files(r, json_object_get(o, "files"), p);
}

bool read_command(const struct reader *r, const struct kernel_spec *k, struct program_spec *p)
{
    json_t *o = p->text ? json_loads(p->text, 0, NULL) : NULL;
    bool ok =
        json_is_object(o)
            ? read_object(r, k, o, p)
            : error_set(
                  r->error, ERROR_INPUT,
                  "%s: the kernel of a program is an object: {\"build\": [...], \"run\": [...]}",
                  p->path);
    json_decref(o);
    return ok;
}

// ---- files -------------------------------------------------------------------------------------

struct files {
    json_t *out; // path -> digest
    const char *directory;
    struct arena *arena;
    struct error *e;
    const struct program_spec *spec;
};

static const char *path_of(const struct files *f, const char *name)
{
    return name[0] == '/' ? name : arena_printf(f->arena, "%s/%s", f->directory, name);
}

static bool has_text(const char *name)
{
    static const char *const endings[] = {".c",  ".cc",  ".cpp", ".cxx", ".cu",  ".cuh", ".h",
                                          ".hh", ".hpp", ".hxx", ".inc", ".hip", ".cl",  NULL};
    const char *dot = strrchr(name, '.');
    return dot && str_listed(endings, dot);
}

static bool add_file_digest(struct files *f, const char *name);

// Adds what is included in quotes, beside the file that includes it or in a folder of the words ("-Iinclude").
static bool add_included(struct files *f, const char *from, const char *name)
{
    const char *slash = strrchr(from, '/');
    struct stat st;
    const char *beside =
        slash ? arena_printf(f->arena, "%.*s/%s", (int)(slash - from), from, name) : name;
    const char *path = beside ? path_of(f, beside) : NULL;
    if (!path)
        return error_memory(f->e);
    if (stat(path, &st) == 0)
        return add_file_digest(f, beside);
    for (uint32_t i = 0; i < f->spec->option_count; i++) {
        const char *word = f->spec->options[i];
        const char *in = str_starts(word, "-I") && word[2]
                             ? arena_printf(f->arena, "%s/%s", word + 2, name)
                             : NULL;
        path = in ? path_of(f, in) : NULL;
        if (path && stat(path, &st) == 0)
            return add_file_digest(f, in);
    }
    return true; // the compiler says it, if it is needed
}

static bool follow_includes(struct files *f, const char *name, const struct text *text)
{
    static const struct scan_names none = {NULL, 0};
    struct scan scan;
    bool ok = scan_text(text->data ? text->data : "", text->length, &none, f->arena, &scan) ||
              error_memory(f->e);
    for (uint32_t i = 0; ok && i < scan.count; i++) {
        const struct scan_item *item = &scan.items[i];
        if (item->kind == SCAN_INCLUDE && !item->angled)
            ok = add_included(f, name, item->text);
    }
    return ok;
}

static bool add_file_digest(struct files *f, const char *name)
{
    struct text text = TEXT_INIT;
    struct digest digest;
    char hex[65];
    const char *path = path_of(f, name);
    if (json_object_get(f->out, name))
        return true;
    if (json_object_size(f->out) >= FILES_MOST)
        return error_set(f->e, ERROR_INPUT, "%s: more than %d files", f->spec->path, FILES_MOST);
    bool ok = path ? file_read(path, FILE_LIMIT, &text, f->e) : error_memory(f->e);
    if (ok) {
        digest_of(text.data, text.length, &digest);
        digest_hex(&digest, hex);
        ok = json_object_set_new(f->out, name, json_string(hex)) == 0 || error_memory(f->e);
    }
    ok = ok && (!has_text(name) || follow_includes(f, name, &text));
    text_release(&text);
    return ok;
}

static int is_listed_entry(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool add_folder_digests(struct files *f, const char *name, int depth);

static bool add_path(struct files *f, const char *name, int depth)
{
    struct stat st;
    const char *path = path_of(f, name);
    if (!path)
        return error_memory(f->e);
    if (stat(path, &st) != 0)
        return error_set(f->e, ERROR_INPUT, "%s.files: there is no %s", f->spec->path, name);
    return S_ISDIR(st.st_mode)   ? add_folder_digests(f, name, depth)
           : S_ISREG(st.st_mode) ? add_file_digest(f, name)
                                 : true;
}

static bool add_folder_digests(struct files *f, const char *name, int depth)
{
    struct dirent **list;
    const char *path = path_of(f, name);
    int count = path && depth < FOLDERS_MOST ? scandir(path, &list, is_listed_entry, alphasort) : 0;
    bool ok = true;
    for (int i = 0; i < count; i++) {
        const char *below = ok ? arena_printf(f->arena, "%s/%s", name, list[i]->d_name) : NULL;
        ok = ok && (below ? add_path(f, below, depth + 1) : error_memory(f->e));
        free(list[i]);
    }
    if (count >= 0 && path && depth < FOLDERS_MOST)
        free(list);
    return ok;
}

// The word, or what stands behind its '=': a file of the spec's folder.
static bool add_word_file(struct files *f, const char *word)
{
    struct stat st;
    const char *path = *word ? path_of(f, word) : "";
    if (!path)
        return error_memory(f->e);
    if (*word && word[0] != '/' && stat(path, &st) == 0 && S_ISREG(st.st_mode))
        return add_file_digest(f, word);
    const char *equals = strchr(word, '=');
    return !equals || add_word_file(f, equals + 1);
}

// A program of the system's, such as a compiler.
static bool add_tool(struct files *f, const char *word)
{
    struct text path = TEXT_INIT;
    bool ok = strchr(word, '/') != NULL || strchr(word, '{') != NULL || !tool_find(word, &path) ||
              add_file_digest(f, arena_strdup(f->arena, text_cstr(&path)));
    text_release(&path);
    return ok;
}

const char *command_files(const struct program_spec *p, const char *directory, struct arena *a,
                          struct error *e)
{
    struct files f = {json_object(), directory, a, e, p};
    bool ok = f.out || error_memory(e);
    for (uint32_t i = 0; ok && i < p->build_words + p->run_words; i++)
        ok = ((i != 0 && i != p->build_words) || add_tool(&f, p->options[i])) &&
             (p->words[i].count > 0 || add_word_file(&f, p->options[i]));
    for (uint32_t i = 0; ok && i < p->file_count; i++)
        ok = add_path(&f, p->files[i], 0);
    char *text = ok ? json_dumps(f.out, JSON_SORT_KEYS | JSON_COMPACT) : NULL;
    const char *kept = text ? arena_strdup(a, text) : NULL;
    if (ok && !kept)
        error_memory(e);
    free(text);
    json_decref(f.out);
    return kept;
}

// ---- a configuration's -------------------------------------------------------------------------

// Adds the words from `first` on, with their values, and the files that only these values name.
static bool fill_words(struct maker *m, const struct program_spec *p, uint32_t first,
                       uint32_t count, struct files *f, json_t *to)
{
    for (uint32_t i = first; i < first + count; i++) {
        const char *word = fill_word(p->options[i], &p->words[i], m->slots, m->arena, m->e);
        if (!word || (f && p->words[i].count > 0 && !add_word_file(f, word)))
            return false;
        if (json_array_append_new(to, json_string(word)) < 0)
            return error_set(m->e, ERROR_INPUT, "%s: '%s' is not a text in UTF-8", p->path, word);
    }
    return true;
}

static const char *keep_json(struct maker *m, json_t *o)
{
    char *text = json_dumps(o, JSON_COMPACT);
    const char *kept = text ? arena_strdup(m->arena, text) : NULL;
    free(text);
    if (!kept)
        error_memory(m->e);
    return kept;
}

bool make_command(struct maker *m, const struct program_sources *sources,
                  const struct program_spec *spec, struct job_launch *launch, struct job_program *p)
{
    uint32_t both = spec->build_words + spec->run_words;
    json_t *build = json_array(), *run = json_array(), *rest = json_array();
    json_t *files = json_loads(sources->text, 0, NULL);
    struct files f = {files, sources->list[0].folder, m->arena, m->e, spec};
    bool ok = (build && run && rest && files) || error_memory(m->e);
    ok = ok && fill_words(m, spec, 0, spec->build_words, &f, build) &&
         fill_words(m, spec, spec->build_words, spec->run_words, &f, run) &&
         fill_words(m, spec, both, spec->option_count - both, NULL, rest);
    json_t *source = ok ? json_pack("{s:O,s:O}", "build", build, "files", files) : NULL;
    const json_t *benchmark = json_array_get(rest, 0);
    json_t *what = !ok         ? NULL
                   : benchmark ? json_pack("{s:O,s:O}", "run", run, "benchmark", benchmark)
                               : json_incref(run);
    p->source = source ? keep_json(m, source) : NULL;
    launch->kernel = what ? keep_json(m, what) : NULL;
    ok = ok && ((p->source && launch->kernel) || error_memory(m->e));
    p->length = p->source ? strlen(p->source) : 0;
    p->place = sources->list[0].folder;
    json_decref(source);
    json_decref(what);
    json_decref(build);
    json_decref(run);
    json_decref(rest);
    json_decref(files);
    return ok;
}
