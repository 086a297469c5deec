// Reads candidates, and writes the spec of one: the judge's document with another kernel file, found by walking its
// members; a candidate's own values replace the lists of the parameters that they name.
#include "extras/judge/candidates.h"

#include "base/digest.h"
#include "base/text.h"
#include "model/languages.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define VALUES_MARK "hone:"
#define MARK_WITHIN 4096 // bytes from the text's beginning

void candidates_init(struct candidates *c)
{
    memset(c, 0, sizeof *c);
    arena_init(&c->arena);
}

void candidates_release(struct candidates *c)
{
    arena_release(&c->arena);
}

// ---- reading -----------------------------------------------------------------------------------

// The rest of the first comment line that begins with the mark.
static const char *values_of_text(struct arena *a, const char *text)
{
    const char *end = text + strnlen(text, MARK_WITHIN);
    for (const char *line = text; line < end; line += strcspn(line, "\n") + 1) {
        const char *at = line + strspn(line, " \t");
        if (!str_starts(at, "//"))
            continue;
        at += 2 + strspn(at + 2, " \t");
        if (!str_starts(at, VALUES_MARK))
            continue;
        at += strlen(VALUES_MARK);
        at += strspn(at, " \t");
        return arena_strndup(a, at, strcspn(at, "\r\n"));
    }
    return "";
}

static bool read_candidate(struct candidates *all, struct candidate *c)
{
    struct error why = ERROR_INIT;
    struct text text = TEXT_INIT;
    struct stat s;
    if (stat(c->path, &s) == 0 && !S_ISREG(s.st_mode))
        error_set(&why, ERROR_INPUT, "%s is not a file", c->path);
    else if (file_read_text(c->path, CANDIDATE_TEXT_MOST, &text, &why)) {
        c->length = text.length;
        digest_of(text_cstr(&text), text.length, &c->digest);
        c->text = text_to_arena(&text, &all->arena);
        c->values = c->text ? values_of_text(&all->arena, c->text) : NULL;
        return c->values != NULL;
    }
    text_release(&text);
    c->why = arena_strdup(&all->arena, why.text);
    return c->why != NULL;
}

static bool add_file(struct candidates *all, const char *name, struct error *e)
{
    char *path = realpath(name, NULL);
    struct candidate *c = arena_alloc(&all->arena, sizeof *c);
    bool ok = c && ARENA_ROOM(&all->arena, all->list, all->capacity, all->count + 1);
    if (ok) {
        memset(c, 0, sizeof *c);
        c->values = "";
        c->name = arena_strdup(&all->arena, name);
        c->path = arena_strdup(&all->arena, path ? path : name);
        ok = c->name && c->path && read_candidate(all, c);
        all->list[all->count++] = c;
    }
    free(path);
    return ok || error_memory(e);
}

// ---- folders -----------------------------------------------------------------------------------

static bool has_language_ending(const char *name, enum language l)
{
    const char *dot = strrchr(name, '.');
    return dot && dot != name && str_listed(language_traits(l)->endings, dot);
}

static int compare_file_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool add_folder(struct candidates *all, const char *folder, enum language l, struct error *e)
{
    const char **names = NULL;
    size_t count = 0, capacity = 0;
    bool ok = true;
    DIR *d = opendir(folder);
    if (!d)
        return error_set_driver(e, ERROR_INPUT, errno, "%s: %s", folder, strerror(errno));
    for (struct dirent *f; ok && (f = readdir(d));) {
        if (!has_language_ending(f->d_name, l))
            continue;
        ok = ARENA_ROOM(&all->arena, names, capacity, count + 1) &&
             (names[count] = arena_printf(&all->arena, "%s/%s", folder, f->d_name));
        count++;
    }
    closedir(d);
    if (!ok)
        return error_memory(e);
    if (count == 0)
        return error_set(e, ERROR_INPUT, "%s: there is no candidate in it, a file that ends in %s",
                         folder, language_traits(l)->endings[0]);
    qsort(names, count, sizeof *names, compare_file_names);
    for (size_t i = 0; ok && i < count; i++)
        ok = add_file(all, names[i], e);
    return ok;
}

bool candidates_add(struct candidates *c, const char *path, enum language l, struct error *e)
{
    struct stat s;
    size_t length = strlen(path);
    char folder[4096];
    str_format(folder, sizeof folder, "%.*s",
               (int)(length > 1 && path[length - 1] == '/' ? length - 1 : length), path);
    bool ok = stat(folder, &s) == 0 && S_ISDIR(s.st_mode) ? add_folder(c, folder, l, e)
                                                          : add_file(c, path, e);
    if (ok && c->count > CANDIDATES_MOST)
        ok = error_set(e, ERROR_INPUT, "%s: more than %d candidates", path, CANDIDATES_MOST);
    return ok;
}

// ---- variants ----------------------------------------------------------------------------------

#define VALUE_ENDS ", \t"

// One word of values: "NAME=a|b|c", or whatever stands there.
struct value_word {
    size_t length, name; // name: of "NAME=", 0 if it has none
    uint64_t choices;
};

static struct value_word read_value_word(const char *at)
{
    struct value_word w = {.length = strcspn(at, VALUE_ENDS), .choices = 1};
    const char *equals = memchr(at, '=', w.length);
    w.name = equals ? (size_t)(equals + 1 - at) : 0;
    for (size_t i = w.name; i < w.length; i++)
        w.choices += at[i] == '|';
    return w;
}

static const char *next_value_word(const char *at, const struct value_word *w)
{
    return at + w->length + strspn(at + w->length, VALUE_ENDS);
}

// All that there are, UINT32_MAX at most.
static uint64_t count_combinations(const char *values)
{
    uint64_t product = 1;
    while (*values && product < UINT32_MAX) {
        struct value_word w = read_value_word(values);
        product *= w.choices;
        values = next_value_word(values, &w);
    }
    return product < UINT32_MAX ? product : UINT32_MAX;
}

uint32_t candidate_variants(const struct candidate *c, uint32_t most)
{
    uint64_t all = count_combinations(c->values);
    return (uint32_t)(all < most ? all : most);
}

// The choice'th of "a|b|c".
static void add_choice(const char *list, size_t length, uint64_t choice, struct text *out)
{
    const char *end = list + length;
    for (; choice > 0; choice--)
        list = (const char *)memchr(list, '|', (size_t)(end - list)) + 1;
    const char *bar = memchr(list, '|', (size_t)(end - list));
    text_addn(out, list, (size_t)((bar ? bar : end) - list));
}

const char *candidate_values(const struct candidate *c, uint32_t variant, uint32_t of,
                             struct arena *a)
{
    struct text out = TEXT_INIT;
    uint64_t index = count_combinations(c->values) * variant / of;
    for (const char *at = c->values; *at;) {
        struct value_word w = read_value_word(at);
        text_addf(&out, "%s%.*s", out.length ? ", " : "", (int)w.name, at);
        add_choice(at + w.name, w.length - w.name, index % w.choices, &out);
        index /= w.choices;
        at = next_value_word(at, &w);
    }
    return text_to_arena(&out, a);
}

// ---- the spec of one ---------------------------------------------------------------------------

// In a block: the language's own object has the file where there is one, else the block itself.
static bool set_file(json_t *block, const char *path, const char *language)
{
    json_t *own = json_object_get(json_object_get(block, "Languages"), language);
    json_t *at = json_is_object(own) ? own : block;
    return json_object_set_new(at, "KernelFile", json_string(path)) == 0;
}

static bool use_file(json_t *root, const char *path, enum language l)
{
    json_t *kernel = json_object_get(root, "KernelSpecification"), *launch;
    const char *language = language_traits(l)->title;
    size_t index;
    bool ok = set_file(kernel, path, language);
    json_array_foreach(json_object_get(kernel, "Launches"), index, launch)
    {
        bool is_own = json_object_get(launch, "KernelFile") || json_object_get(launch, "Languages");
        ok = ok && (!is_own || set_file(launch, path, language));
    }
    return ok;
}

static json_t *parameter_named(json_t *root, const char *name)
{
    json_t *list = json_object_get(json_object_get(root, "ConfigurationSpace"), "TuningParameters");
    json_t *p;
    size_t index;
    json_array_foreach(list, index, p)
    {
        const char *own = json_string_value(json_object_get(p, "Name"));
        if (own && str_equal(own, name))
            return p;
    }
    return NULL;
}

// Is it a value that a list can hold: a number or a plain word? It stands in an expression.
static bool is_plain_value(const char *value)
{
    return value[0] &&
           value[strspn(value, "0123456789.-+eE"
                               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")] == 0;
}

static json_t *list_of_value(const char *value)
{
    double number;
    return str_to_f64(value, &number) ? json_sprintf("[%s]", value) : json_sprintf("['%s']", value);
}

static bool set_value(json_t *root, const char *name, const char *value, struct error *e)
{
    json_t *p = parameter_named(root, name);
    if (!p)
        return error_set(e, ERROR_INPUT, "'" VALUES_MARK " %s=%s': the spec has no parameter %s",
                         name, value, name);
    if (!is_plain_value(value))
        return error_set(e, ERROR_INPUT,
                         "'" VALUES_MARK " %s=...': '%s' is neither a number nor a word", name,
                         value);
    json_object_del(p, "Default");
    return json_object_set_new(p, "Values", list_of_value(value)) == 0 || error_memory(e);
}

// A value that is named twice would mean one thing to who reads the first and another to who reads the last.
static bool use_value(json_t *root, json_t *named, const char *name, const char *value,
                      struct error *e)
{
    if (json_object_get(named, name))
        return error_set(e, ERROR_INPUT, "'" VALUES_MARK " ...': %s is named twice", name);
    json_object_set_new(named, name, json_true());
    return set_value(root, name, value, e);
}

static bool use_values(const struct candidate *c, json_t *root, struct error *e)
{
    char *copy = strdup(c->values), *rest = NULL;
    json_t *named = json_object();
    bool ok = (copy && named) || error_memory(e);
    for (char *word = copy ? strtok_r(copy, ", \t", &rest) : NULL; ok && word;
         word = strtok_r(NULL, ", \t", &rest)) {
        char *equals = strchr(word, '=');
        if (equals)
            *equals = 0;
        ok = equals ? use_value(root, named, word, equals + 1, e)
                    : error_set(e, ERROR_INPUT, "'" VALUES_MARK " %s': write NAME=VALUE", word);
    }
    json_decref(named);
    free(copy);
    return ok;
}

bool candidate_spec(const struct candidate *c, const char *spec, size_t length, enum language l,
                    struct text *out, struct error *e)
{
    json_t *root = json_loadb(spec, length, 0, NULL);
    bool ok = root || error_set(e, ERROR_INTERNAL, "the judge's spec is not JSON");
    ok = ok && (use_file(root, c->path, l) || error_memory(e)) && use_values(c, root, e);
    char *made = ok ? json_dumps(root, 0) : NULL;
    if (made)
        text_add(out, made);
    free(made);
    json_decref(root);
    return ok && ((made && !out->failed) || error_memory(e));
}
