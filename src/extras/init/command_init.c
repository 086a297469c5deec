// hone init: writes a spec for a kernel from its text, checks one configuration of it where there is
// a device, and says what is left to decide.
#include "cli/checking.h"
#include "cli/interrupt.h"
#include "extras/init/init_spec.h"
#include "extras/init/trial.h"
#include "extras/init/triton.h"
#include "cli/work.h"
#include "kernel_text/scan.h"
#include "extras/init/given.h"
#include "extras/init/host_launch.h"
#include "extras/init/includes.h"
#include "extras/init/infer.h"
#include "model/languages.h"
#include "os/beside.h"
#include "os/file_replace.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct init_settings {
    const char *kernel, *output, *inputs;
    struct list include, define, set;
    bool is_interactive, is_unchecked;
};

#define FOLDERS_MOST 32

// One `hone init`.
struct session {
    const struct invocation *call;
    const struct init_settings *settings;
    struct arena arena;
    struct text source, missing; // missing: files that it includes and that are nowhere
    bool is_told;                // the spec says the kernel's name, though the file has one
    struct text given;           // the source behind what --define says of it
    enum language language;
    struct inferred_kernels kernels;
    struct inferred found;
    const char *path;   // of the source
    const char *part;   // (or NULL) the file that was named, where `path` includes it
    const char *ahead;  // (or NULL) a file beside it that has its types, and stands in front of it
    int tried_ahead;    // files
    const char *wanted; // (or NULL) the kernel, where it is known
    const char *output; // of the spec
    // Where #include looks: --include, and folders above the source's that have what it includes.
    const char *folders[FOLDERS_MOST + 1]; // ends with NULL
    uint32_t folder_count;
};

// ---- questions ---------------------------------------------------------------------------------

// An answer, or NULL if the line is empty or the input has ended: the present value stays.
static const char *ask(struct session *s, const char *question, const char *now)
{
    char *line = NULL;
    size_t room = 0;
    const char *answer = NULL;
    say("%s [%s]: ", question, now);
    ssize_t length = getline(&line, &room, stdin);
    while (length > 0 && strchr(" \t\r\n", line[length - 1]))
        line[--length] = 0;
    const char *start = length > 0 ? line + strspn(line, " \t") : "";
    if (*start)
        answer = arena_strdup(&s->arena, start);
    free(line);
    return answer;
}

static void ask_values(struct session *s, struct inferred_name *n)
{
    char question[128];
    const char *answer;
    str_format(question, sizeof question, "Values of %s", n->name);
    struct error e = ERROR_INIT;
    while ((answer = ask(s, question, n->values)) && !given_values(n, answer, &s->arena, &e)) {
        say("%s\n", e.text);
        error_clear(&e);
    }
    n->is_guess = n->is_guess && feof(stdin); // else what was kept was seen
}

static void ask_constant(struct session *s, struct inferred_name *n)
{
    char question[128], now[32];
    const char *answer;
    int64_t value;
    str_format(question, sizeof question, "Value of %s", n->name);
    str_format(now, sizeof now, "%lld", (long long)n->value);
    while ((answer = ask(s, question, now)) != NULL) {
        if (str_to_i64(answer, &value)) {
            n->value = value;
            return;
        }
        say("'%s' is not an integer\n", answer);
    }
}

static void ask_names(struct session *s)
{
    for (uint32_t i = 0; i < s->found.name_count; i++) {
        struct inferred_name *n = &s->found.names[i];
        if (n->role == NAME_CONSTANT)
            ask_constant(s, n);
        else if (n->role == NAME_PARAMETER)
            ask_values(s, n);
    }
}

static void ask_arguments(struct session *s)
{
    for (uint32_t i = 0; i < s->found.argument_count; i++) {
        struct inferred_argument *a = &s->found.arguments[i];
        char question[128];
        bool is_scalar = a->kind == INFERRED_SCALAR || a->kind == INFERRED_MEMBER;
        if (!is_scalar && !a->is_guess)
            continue;
        if (is_scalar && a->is_integer && !a->is_guess)
            continue;
        str_format(question, sizeof question, is_scalar ? "Value of argument %s" : "Size of %s",
                   a->name);
        const char *answer = ask(s, question, is_scalar ? a->value : a->size);
        if (answer && is_scalar)
            a->value = answer;
        else if (answer)
            a->size = answer;
        a->is_guess = a->is_guess && !answer;
        a->is_settled = is_scalar && !feof(stdin);
    }
}

static void ask_launch(struct session *s)
{
    for (uint32_t axis = 0; axis < s->found.axes; axis++) {
        char question[64];
        str_format(question, sizeof question, "Work-items along %c", "XYZ"[axis]);
        const char *answer = ask(s, question, s->found.global[axis]);
        s->found.global[axis] = answer ? answer : s->found.global[axis];
    }
}

// ---- files -------------------------------------------------------------------------------------

// "dir/matmul.cl" -> "dir/matmul.json"
static char *default_output(const char *path)
{
    struct text out = TEXT_INIT;
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    text_addn(&out, path, dot && dot > path ? (size_t)(dot - path) : strlen(path));
    text_add(&out, ".json");
    return text_steal(&out);
}

// The source as the spec names it: relative where both are in one folder, else absolute.
static char *relative_to(const char *source, const char *output)
{
    const char *a = strrchr(source, '/'), *b = strrchr(output, '/');
    size_t source_folder = a ? (size_t)(a - source) : 0, folder = b ? (size_t)(b - output) : 0;
    bool is_same = source_folder == folder && strncmp(source, output, folder) == 0;
    return is_same ? strdup(a ? a + 1 : source) : realpath(source, NULL);
}

// The folder of an include as the spec names it: as it was typed where the spec is written into the folder that one is
// in, else absolute.
static char *folder_from(const char *folder, const char *output)
{
    return *folder == '/' || strchr(output, '/') ? realpath(folder, NULL) : strdup(folder);
}

static bool write_spec(struct session *s, const char *output, bool is_again, struct error *e)
{
    struct text spec = TEXT_INIT;
    bool to_stdout = str_equal(output, "-");
    char *kernel_file = relative_to(s->path, to_stdout ? s->path : output);
    char *ahead = s->ahead ? relative_to(s->ahead, to_stdout ? s->path : output) : NULL;
    char **folders = arena_array(&s->arena, s->folder_count + (size_t)1, sizeof *folders);
    bool ok = kernel_file && folders && (ahead || !s->ahead);
    for (uint32_t i = 0; ok && i < s->folder_count; i++) {
        folders[i] = folder_from(s->folders[i], to_stdout ? s->path : output);
        ok = folders[i] != NULL;
    }
    if (ok)
        init_spec_write(&s->found,
                        &(struct init_file){.path = kernel_file,
                                            .ahead = ahead,
                                            .language = language_traits(s->language)->text,
                                            .has_several = s->kernels.count > 1 ||
                                                           s->settings->kernel || s->ahead ||
                                                           s->is_told,
                                            .folders = folders,
                                            .folder_count = s->folder_count,
                                            .defines = s->settings->define.items,
                                            .define_count = (uint32_t)s->settings->define.count},
                        &spec);
    for (uint32_t i = 0; folders && i < s->folder_count; i++)
        free(folders[i]);
    ok = (ok && !spec.failed) || error_memory(e);
    if (ok && to_stdout)
        put_data(&spec);
    else if (ok)
        ok = is_again ? file_replace(output, &spec, e) : file_create(output, &spec, e);
    free(kernel_file);
    free(ahead);
    text_release(&spec);
    return ok;
}

// Has the spec say the kernel's name and each type, where its own reader does not see them in the text.
static bool settle_facts(struct session *s, const char *output, struct error *e)
{
    struct error why = ERROR_INIT;
    struct spec *spec = spec_load(output, NULL, &why);
    struct spec_sources *sources =
        spec ? spec_sources_read(spec, s->language, NULL, NULL, &why) : NULL;
    const bool lacks_any =
        !sources && (strstr(why.text, ".type: is missing") || strstr(why.text, "function: is"));
    spec_sources_free(sources);
    spec_free(spec);
    s->is_told = lacks_any;
    for (uint32_t i = 0; lacks_any && i < s->found.argument_count; i++)
        s->found.arguments[i].is_typed = true;
    return !lacks_any || write_spec(s, output, true, e);
}

// ---- the kernel --------------------------------------------------------------------------------

// By the file's ending, else by its text.
static bool choose_language(struct session *s, struct error *e)
{
    const char *slash = strrchr(s->path, '/'), *dot = strrchr(slash ? slash : s->path, '.');
    bool found = false;
    for (unsigned l = 0; l < LANGUAGE_COUNT && !found; l++) {
        const struct language_traits *traits = language_traits((enum language)l);
        found = dot && str_listed(traits->endings, dot);
        for (const char *const *word = traits->telling_words; !found && *word; word++)
            found = strstr(text_cstr(&s->source), *word) != NULL;
        s->language = (enum language)l;
    }
    return found || error_set(e, ERROR_INPUT,
                              "%s: neither its ending nor its text says a language; kernels are in "
                              "%s",
                              s->path, LANGUAGES_TITLES);
}

static const char *choose_kernel(struct session *s, struct error *e)
{
    const char *wanted = s->wanted ? s->wanted : s->settings->kernel, *found = NULL;
    const struct inferred_kernels *k = &s->kernels;
    struct text known = TEXT_INIT;
    for (uint32_t i = 0; i < k->count; i++)
        text_addf(&known, "%s%s", i ? ", " : "", k->names[i]);
    if (!wanted && k->count > 1 && s->settings->is_interactive) {
        say("%s has several kernels: %s\n", s->path, text_cstr(&known));
        wanted = ask(s, "Which one", k->names[0]);
        wanted = wanted ? wanted : k->names[0];
    }
    for (uint32_t i = 0; i < k->count; i++) {
        if (wanted ? str_equal(wanted, k->names[i]) : k->count == 1)
            found = k->names[i];
    }
    const char *word = language_traits(s->language)->kernel_words[0];
    if (*k->hidden && !found && (wanted || k->count == 0))
        error_set(e, ERROR_INPUT,
                  "%s: no %s%s%s is seen%s%s: %s; choose with -D NAME or -D NAME=VALUE", s->path,
                  wanted ? "kernel '" : word, wanted ? wanted : "", wanted ? "'" : "",
                  k->count ? " beside " : "", text_cstr(&known), k->hidden);
    else if (k->macro && word)
        error_set(
            e, ERROR_INPUT,
            "%s: there is no %s in it. %s stands before %s, and nothing here says what it is: "
            "give -D '%s=%s', or what shows its own #define",
            s->path, word, k->macro, k->behind, k->macro, word);
    else if (k->count == 0)
        error_set(e, ERROR_INPUT, "%s: there is no %s in it", s->path, word ? word : "function");
    else if (!found && wanted)
        error_set(e, ERROR_USAGE, "--kernel: %s has no kernel '%s'; there are %s", s->path, wanted,
                  text_cstr(&known));
    else if (!found)
        error_set(e, ERROR_USAGE, "%s has several kernels; name one with --kernel: %s", s->path,
                  text_cstr(&known));
    text_release(&known);
    return found;
}

static bool check_folders(const struct session *s, struct error *e)
{
    for (uint32_t i = 0; i < s->settings->include.count; i++) {
        const char *folder = s->settings->include.items[i];
        struct stat about;
        if (stat(folder, &about) != 0)
            return error_set(e, ERROR_INPUT, "--include: %s: %s", folder, strerror(errno));
        if (!S_ISDIR(about.st_mode))
            return error_set(e, ERROR_INPUT, "--include: %s is not a folder", folder);
    }
    return true;
}

static bool has_file_in(const char *folder, const char *name, size_t length)
{
    struct text path = TEXT_INIT;
    text_addf(&path, "%s/%.*s", folder, (int)length, name);
    bool found = !path.failed && access(text_cstr(&path), R_OK) == 0;
    text_release(&path);
    return found;
}

// The system's headers and a toolkit's are no project's, wherever the kernel lies.
static bool is_of_the_system(const char *folder)
{
    return has_file_in(folder, "stdio.h", 7) || has_file_in(folder, "cuda_runtime.h", 14);
}

// Looks for what is missing in the source's folder and those above, and in an `include` there: projects are
// built from there. True: a folder was found.
static bool find_folders(struct session *s)
{
    static const char *const inner[] = {"", "/include"};
    const char *slash = strrchr(s->path, '/');
    const char *above =
        slash ? arena_printf(&s->arena, "%.*s", (int)(slash - s->path), s->path) : ".";
    const uint32_t before = s->folder_count;
    for (int up = 0; above && up < 7; up++) {
        above = up ? arena_printf(&s->arena, "%s/..", above) : above;
        for (int i = 0; above && i < 2; i++) {
            const char *folder = arena_printf(&s->arena, "%s%s", above, inner[i]);
            const char *name = s->missing.length ? text_cstr(&s->missing) : "";
            bool found = false;
            for (size_t length; folder && *name && !found;
                 name += length + strspn(name + length, ", ")) {
                name += *name == '<';
                length = strcspn(name, ",");
                found = has_file_in(folder, name, length);
            }
            if (found && s->folder_count < FOLDERS_MOST && !is_of_the_system(folder))
                s->folders[s->folder_count++] = folder;
        }
    }
    return s->folder_count > before;
}

// The folders of what it includes by a path upwards: the spec has to name those.
static bool add_outer_folders(struct session *s, struct error *e)
{
    const struct scan_names none = {NULL, 0};
    const char *slash = strrchr(s->path, '/');
    struct text text = TEXT_INIT;
    struct scan scan;
    bool ok =
        file_read_text(s->path, 0, &text, e) &&
        (scan_text(text_cstr(&text), text.length, &none, &s->arena, &scan) || error_memory(e));
    for (uint32_t i = 0; ok && i < scan.count && s->folder_count < FOLDERS_MOST; i++) {
        const struct scan_item *item = &scan.items[i];
        const bool is_here = item->kind == SCAN_INCLUDE && str_starts(item->text, "./");
        if (item->kind != SCAN_INCLUDE || !str_starts(item->text + 2 * (size_t)is_here, "../"))
            continue;
        const char *folder =
            arena_printf(&s->arena, "%.*s%.*s", slash ? (int)(slash + 1 - s->path) : 0, s->path,
                         (int)(strrchr(item->text, '/') - item->text), item->text);
        struct stat about;
        if (folder && stat(folder, &about) == 0 && S_ISDIR(about.st_mode))
            s->folders[s->folder_count++] = folder;
    }
    text_release(&text);
    return ok;
}

static bool read_joined(struct session *s, struct error *e)
{
    if (s->ahead && !infer_read(s->ahead, s->folders, &s->source, NULL, e))
        return false;
    if (s->ahead)
        text_add(&s->source, "\n#line 1\n");
    return infer_read(s->path, s->folders, &s->source, &s->missing, e);
}

static bool read_source_text(struct session *s, struct error *e)
{
    if (!add_outer_folders(s, e))
        return false;
    for (uint32_t i = 0; i < s->settings->include.count && i < FOLDERS_MOST; i++)
        s->folders[s->folder_count++] = s->settings->include.items[i];
    if (!read_joined(s, e))
        return false;
    if (!s->missing.length || !find_folders(s))
        return true;
    text_clear(&s->source);
    text_clear(&s->missing);
    return read_joined(s, e);
}

// Puts the names of --define in front of the source, as the compiler has them.
static bool give_defines(struct session *s, struct error *e)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    for (uint32_t i = 0; i < s->settings->define.count; i++) {
        const char *define = s->settings->define.items[i];
        const size_t length = strspn(define, letters);
        const char *value = define[length] == '=' ? define + length + 1 : "1";
        if (length == 0 || (define[length] && define[length] != '=') ||
            (*define >= '0' && *define <= '9') || strpbrk(define, " \t\n"))
            return error_set(e, ERROR_USAGE, "--define: '%s' is not NAME or NAME=VALUE", define);
        text_addf(&s->given, "#define %.*s %s\n", (int)length, define, value);
    }
    if (s->given.length)
        text_add(&s->given, "#line 1\n");
    text_addn(&s->given, text_cstr(&s->source), s->source.length);
    return !s->given.failed || error_memory(e);
}

// --inputs and --set.
static bool take_given(struct session *s, struct error *e)
{
    const struct init_settings *given = s->settings;
    char *as = given->inputs ? folder_from(given->inputs, s->output) : NULL;
    bool ok = !given->inputs || as ||
              error_set(e, ERROR_INPUT, "--inputs: %s: %s", given->inputs, strerror(errno));
    ok = ok && (!as || given_arrays(&s->found, given->inputs, as, &s->arena, e));
    for (uint32_t i = 0; ok && i < given->set.count; i++)
        ok = given_value(&s->found, given->set.items[i], &s->arena, e);
    free(as);
    return ok;
}

typedef bool infer(const char *text, size_t length, enum language l, const char *kernel,
                   struct arena *a, struct inferred *out, struct error *e);

static bool infer_by(struct session *s, infer *by, struct error *e)
{
    return by(text_cstr(&s->given), s->given.length, s->language, s->wanted, &s->arena, &s->found,
              e) ||
           error_context(e, "%s", s->path);
}

static bool infer_source(struct session *s, infer *by, struct error *e)
{
    if (!check_folders(s, e) || !read_source_text(s, e) || !give_defines(s, e) ||
        !choose_language(s, e))
        return false;
    const char *text = text_cstr(&s->given);
    size_t length = s->given.length;
    if (strstr(text, "{%") && strstr(text, "%}"))
        return error_set(
            e, ERROR_INPUT,
            "%s is a template of a text ({%% ... %%}), which a program makes the kernel "
            "of; hone tunes what -D changes: give it a text that it makes",
            s->path);
    if (!infer_kernels(text, length, s->language, &s->arena, &s->kernels, e))
        return error_context(e, "%s", s->path);
    s->wanted = choose_kernel(s, e);
    return s->wanted && infer_by(s, by, e);
}

// ---- a part of another file --------------------------------------------------------------------

// Types that are nowhere in the source.
static uint32_t count_open_types(const struct inferred *f)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->name_count; i++)
        count += f->names[i].role == NAME_TYPE && !f->names[i].values;
    return count;
}

static bool includes_file(struct session *s, const char *path, const char *name)
{
    const struct scan_names none = {NULL, 0};
    struct text text = TEXT_INIT;
    struct scan scan;
    bool found = file_read_text(path, 1 << 20, &text, NULL) &&
                 scan_text(text_cstr(&text), text.length, &none, &s->arena, &scan);
    const uint32_t count = found ? scan.count : 0;
    found = false;
    for (uint32_t i = 0; i < count; i++) {
        const char *included = scan.items[i].kind == SCAN_INCLUDE ? scan.items[i].text : NULL;
        const char *slash = included ? strrchr(included, '/') : NULL;
        found |= included && (str_equal(included, name) ||
                              (str_starts(included, "./") && str_equal(slash + 1, name)));
    }
    text_release(&text);
    return found;
}

// Hands over the files beside the source, by name, until `use` takes one: its path, or NULL.
static const char *find_beside(struct session *s,
                               bool (*use)(struct session *s, const char *path, const char *ending))
{
    const char *slash = strrchr(s->path, '/'), *name = slash ? slash + 1 : s->path, *found = NULL;
    const char *folder =
        slash ? arena_printf(&s->arena, "%.*s", (int)(slash - s->path), s->path) : ".";
    struct dirent **list = NULL;
    const int count = folder && strrchr(name, '.') ? scandir(folder, &list, NULL, alphasort) : 0;
    for (int i = 0; i < count; i++) {
        const char *ending = strrchr(list[i]->d_name, '.');
        const char *path = slash ? arena_printf(&s->arena, "%s/%s", folder, list[i]->d_name)
                                 : arena_strdup(&s->arena, list[i]->d_name);
        if (!found && path && ending && !str_equal(list[i]->d_name, name) && use(s, path, ending))
            found = path;
        free(list[i]);
    }
    free(list);
    return found;
}

// A file of the source's ending that includes it.
static bool is_includer(struct session *s, const char *path, const char *ending)
{
    const char *slash = strrchr(s->path, '/');
    return str_equal(ending, strrchr(s->path, '.')) &&
           includes_file(s, path, slash ? slash + 1 : s->path);
}

// Reads `path` in place of the session's source, with `ahead` (or NULL) in front. False: the session stays as it is, since
// that is not understood, or no type more is known by it.
static bool infer_instead(struct session *s, const char *path, const char *ahead)
{
    struct session other = *s;
    struct error why = ERROR_INIT;
    other.part = ahead || s->part ? s->part : s->path;
    other.path = path;
    other.ahead = ahead;
    other.source = other.missing = other.given = (struct text)TEXT_INIT;
    other.folder_count = 0;
    memset(other.folders, 0, sizeof other.folders);
    const uint32_t open = count_open_types(&s->found);
    const bool ok =
        infer_source(&other, ahead ? infer_names : infer_kernel, &why) &&
        (!ahead || (count_open_types(&other.found) < open && infer_by(&other, infer_kernel, &why) &&
                    count_open_types(&other.found) < open));
    struct session *left = ok ? s : &other;
    text_release(&left->source);
    text_release(&left->missing);
    text_release(&left->given);
    if (ok)
        *s = other;
    return ok;
}

// Has the text one of the types that are missing, and no kernel of its own?
static bool may_define_types(const struct session *s, const char *text)
{
    bool found = false;
    for (uint32_t i = 0; i < s->found.name_count; i++) {
        const struct inferred_name *n = &s->found.names[i];
        found |= n->role == NAME_TYPE && !n->values && strlen(n->name) > 1 && strstr(text, n->name);
    }
    return found && !strstr(text, "kernel void") && !strstr(text, "__global__");
}

#define AHEAD_MOST 4 // files that are tried

// Programs put files together that include nothing: a file beside the source, of its ending or a header's, may have the
// types that it lacks.
static bool is_ahead(struct session *s, const char *path, const char *ending)
{
    static const char *const headers[] = {".h", ".hpp", ".cl", ".clh", ".cuh", ".inc", NULL};
    struct text text = TEXT_INIT;
    const bool may = s->tried_ahead < AHEAD_MOST &&
                     (str_equal(ending, strrchr(s->path, '.')) || str_listed(headers, ending)) &&
                     file_read_text(path, 1 << 18, &text, NULL) &&
                     may_define_types(s, text_cstr(&text));
    text_release(&text);
    s->tried_ahead += may;
    return may && infer_instead(s, s->path, path);
}

// A part of a program is read where it is included, if that is all it lacks; else behind a file that has its types.
static void infer_whole(struct session *s)
{
    for (int depth = 0; depth < 4 && count_open_types(&s->found) > 0; depth++) {
        const char *path = find_beside(s, is_includer);
        if (!path || !infer_instead(s, path, NULL))
            break;
    }
    if (count_open_types(&s->found) > 0)
        find_beside(s, is_ahead);
}

static bool infer_spec(struct session *s, struct error *e)
{
    if (!infer_source(s, infer_kernel, e))
        return false;
    infer_whole(s);
    int64_t block[3];
    if (language_traits(s->language)->own_compiler &&
        host_launch_find(text_cstr(&s->source), s->source.length, s->found.kernel, &s->arena,
                         block) &&
        !host_launch_apply(&s->found, block, &s->arena))
        return error_memory(e);
    if (!take_given(s, e))
        return false;
    if (s->settings->is_interactive) {
        ask_names(s);
        ask_launch(s);
        ask_arguments(s);
    }
    return true;
}

// ---- the output ---------------------------------------------------------------------------------

static void add_list(struct text *out, uint32_t *items, const char *text)
{
    text_addf(out, "%s%s", (*items)++ ? ", " : "", text);
}

static void add_names(const struct inferred *f, enum name_role role, const char *title,
                      struct text *out)
{
    uint32_t items = 0;
    for (uint32_t i = 0; i < f->name_count; i++) {
        const struct inferred_name *n = &f->names[i];
        char value[160];
        if (n->role != role)
            continue;
        if (role == NAME_CONSTANT)
            str_format(value, sizeof value, "%s=%lld", n->name, (long long)n->value);
        else
            str_format(value, sizeof value, "%s in %s", n->name, n->values);
        text_add(out, items ? "" : title);
        add_list(out, &items, value);
    }
    text_add(out, items ? "\n" : "");
}

static void add_typed(struct text *out, const char *before, const char *spec, const char *after)
{
    text_add(out, before ? before : "");
    text_add_shell(out, spec);
    text_add(out, after);
}

static void add_open(const struct session *s, uint32_t *number, const char *text, struct text *out)
{
    (void)s;
    text_addf(out, "  %u. %s\n", ++*number, text);
}

// The line that launches a kernel or begins the host's program; 0: there is none. The text has
// #line where other files were inserted.
static uint32_t find_host_code(const char *text)
{
    uint32_t line = 1;
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n', line++) {
        const size_t length = strcspn(at, "\n");
        int64_t named;
        char number[16];
        const char *start = at + strspn(at, " \t");
        bool is_comment = str_starts(start, "//") || *start == '*';
        if (!is_comment && (memmem(at, length, "<<<", 3) || str_starts(at, "int main(") ||
                            str_starts(at, "void main(")))
            return line;
        str_format(number, sizeof number, "%.*s", (int)(length < 15 ? length : 15), at);
        if (str_starts(number, "#line ") && str_to_i64(number + 6, &named))
            line = (uint32_t)named - 1;
    }
    return 0;
}

static bool has_expected(const struct inferred *f)
{
    bool found = false;
    for (uint32_t i = 0; i < f->argument_count; i++)
        found |= f->arguments[i].expect != NULL;
    return found;
}

// Lists the decisions left to the user, the most pressing first.
static void add_decisions(struct session *s, const char *output, struct text *out)
{
    const struct inferred *f = &s->found;
    struct text list = TEXT_INIT, scalars = TEXT_INIT, guesses = TEXT_INIT, written = TEXT_INIT;
    uint32_t number = 0, scalar_items = 0, guess_items = 0, written_items = 0;
    struct text missing = TEXT_INIT;
    for (const char *at = text_cstr(&s->missing); *at; at += strspn(at, ", ")) {
        const size_t length = strcspn(at, ",");
        if (*at != '<' && !str_starts(at, "cuda")) // CUDA's own are in quotes at times
            text_addf(&missing, "%s%.*s", missing.length ? ", " : "", (int)length, at);
        at += length;
    }
    if (missing.length)
        text_addf(
            &list,
            "  %u. what %s says, which is not beside the kernel: hone init -I DIR looks for it "
            "there\n",
            ++number, text_cstr(&missing));
    text_release(&missing);
    for (uint32_t i = 0; i < f->open_count; i++)
        add_open(s, &number, f->open[i], &list);
    for (uint32_t i = 0; i < f->argument_count; i++) {
        const struct inferred_argument *a = &f->arguments[i];
        char value[128];
        str_format(value, sizeof value, "%s = %s", a->name, a->value ? a->value : "");
        bool is_scalar = a->kind == INFERRED_SCALAR || a->kind == INFERRED_MEMBER;
        if (is_scalar && !a->is_settled && (a->is_guess || !a->is_integer))
            add_list(&scalars, &scalar_items, value);
        if ((a->kind == INFERRED_BUFFER || a->kind == INFERRED_IMAGE) &&
            a->access != INFERRED_READ && !a->expect)
            add_list(&written, &written_items, a->name);
    }
    for (uint32_t i = 0; i < f->name_count; i++) {
        const struct inferred_name *n = &f->names[i];
        if (n->role == NAME_PARAMETER && n->is_guess && !n->is_own)
            add_list(&guesses, &guess_items, n->name);
    }
    if (scalar_items)
        text_addf(&list, "  %u. the values of scalars: %s\n", ++number, text_cstr(&scalars));
    if (guess_items)
        text_addf(&list, "  %u. the values of %s: the source names none\n", ++number,
                  text_cstr(&guesses));
    if (written_items || !has_expected(f))
        text_addf(&list,
                  "  %u. what is right: until the spec says it (\"expect\", \"reference\"), %s %s "
                  "compared "
                  "only with the default configuration\n",
                  ++number, written_items ? text_cstr(&written) : "outputs",
                  written_items > 1 ? "are"
                  : written_items   ? "is"
                                    : "are");
    if (number)
        text_addf(out, "Still to be decided:\n%s", text_cstr(&list));
    add_typed(out, "Then: hone tune ", output, "\n");
    text_release(&list);
    text_release(&scalars);
    text_release(&guesses);
    text_release(&written);
}

static void tell_spec(struct session *s, const char *output)
{
    const struct inferred *f = &s->found;
    struct text out = TEXT_INIT;
    const char *guard = language_traits(s->language)->own_compiler;
    const uint32_t host =
        guard && !strstr(text_cstr(&s->source), guard) ? find_host_code(text_cstr(&s->source)) : 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->argument_count; i++)
        count += f->arguments[i].kind != INFERRED_MEMBER;
    text_addf(&out, "%s: kernel %s (%s), %u argument%s\n", output, f->kernel,
              language_title(s->language), count, count == 1 ? "" : "s");
    add_names(f, NAME_PARAMETER, "  parameters: ", &out);
    add_names(f, NAME_CONSTANT, "  constants:  ", &out);
    for (uint32_t axis = 0; axis < f->axes; axis++)
        text_addf(&out, "%s%s", axis ? " x " : "  work-items: ", f->global[axis]);
    for (uint32_t axis = 0; axis < f->axes; axis++)
        text_addf(&out, "%s%s", axis ? " x " : ", in groups of ", f->local[axis]);
    text_add(&out, f->axes ? "\n" : "");
    if (s->part)
        text_addf(&out, "  read from:  %s, which includes %s\n", s->path, s->part);
    if (s->ahead)
        text_addf(&out, "  behind:     %s, which has types that it lacks\n", s->ahead);
    if (host)
        text_addf(&out, "  left out:   the host's code (line %u)\n", host);
    put(&out);
    text_release(&out);
}

// ---- the check ---------------------------------------------------------------------------------

static bool has_device(const struct session *s, const char *output)
{
    struct work w;
    struct error e = ERROR_INIT;
    struct spec_settings given = {.output = {.format = REPORT_TEXT}};
    struct invocation call = *s->call;
    call.arguments = &output;
    work_init(&w, &call, &given, NULL);
    bool found = work_environment(&w) == EXIT_DONE &&
                 work_list(&w, NULL, language_traits(s->language)->text, &e) &&
                 w.devices.device_count > 0;
    work_release(&w);
    return found;
}

#define CHECK_SECONDS 40 // of a check: one that is longer is no help to begin with

// `hone check FILE --sample 1`, as a user types it next. *is_long: it did not end in time.
static int check_spec(const struct session *s, const char *output, bool *is_long)
{
    struct check_settings settings = {.sample = 1};
    struct invocation call = *s->call;
    struct text line = TEXT_INIT;
    add_typed(&line, "$ hone check ", output, " --sample 1\n");
    put(&line);
    add_typed(&line, "hone check ", output, " --sample 1");
    call.command = command_find("check");
    call.settings = &settings;
    call.arguments = &output;
    call.argument_count = 1;
    call.line = text_cstr(&line);
    interrupt_after(CHECK_SECONDS);
    int status = call.command->run(&call);
    interrupt_after(0);
    *is_long = interrupt_take_alarm();
    text_release(&line);
    return *is_long ? EXIT_NOTHING : status;
}

static bool write_again(void *owner, struct error *e)
{
    struct session *s = owner;
    return write_spec(s, s->output, true, e);
}

// Where the check fails, or nothing is left to tune: mends what checks of a few configurations show, and
// checks again. What was asked of the user stays.
static int try_spec(struct session *s, const char *output)
{
    bool is_long;
    const int status = check_spec(s, output, &is_long);
    char program[BESIDE_PATH_SIZE];
    struct error e = ERROR_INIT;
    bool is_changed;
    if ((status == EXIT_DONE && trial_has_parameters(&s->found)) || s->settings->is_interactive ||
        interrupt_pending() || !beside_program(program))
        return status;
    const struct trial t = {.found = &s->found,
                            .arena = &s->arena,
                            .program = program,
                            .spec = output,
                            .language = language_traits(s->language)->text,
                            .write = write_again,
                            .interrupted = interrupt_pending,
                            .is_long = is_long,
                            .owner = s};
    if (is_long)
        say("\nThe check did not end within %d s: smaller sizes are tried, with several "
            "configurations.\n",
            CHECK_SECONDS);
    else
        say("\nSeveral configurations are checked, to mend what fails.\n");
    if (!trial_run(&t, &is_changed, &e))
        return work_failed(&e);
    if (!is_changed || interrupt_pending()) {
        if (is_long)
            say("None of them ended in time, either: give smaller ones (--set NAME=VALUE).\n");
        return status;
    }
    say("After these checks the spec is written again:\n");
    tell_spec(s, output);
    return check_spec(s, output, &is_long);
}

static int finish_init(struct session *s, const char *output)
{
    struct text text = TEXT_INIT;
    int status = EXIT_DONE;
    tell_spec(s, output);
    bool is_checked = !s->settings->is_unchecked && has_device(s, output);
    if (is_checked)
        status = try_spec(s, output);
    else if (!s->settings->is_unchecked)
        add_typed(&text,
                  arena_printf(&s->arena, "No %s device is here; where there is one: hone check ",
                               language_title(s->language)),
                  output, " --sample 1\n");
    text_add(&text, "\n");
    add_decisions(s, output, &text);
    put(&text);
    text_release(&text);
    return status;
}

// ---- what Triton keeps -------------------------------------------------------------------------

static bool is_triton(const char *path)
{
    size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

// matmul.json and matmul.ptx become matmul.spec.json.
static bool write_triton_spec(struct session *s, const char *output, struct text *open,
                              struct error *e)
{
    struct text spec = TEXT_INIT;
    char *ptx = arena_printf(&s->arena, "%.*s.ptx", (int)(strlen(s->path) - 5), s->path);
    bool to_stdout = str_equal(output, "-");
    char *name = ptx ? relative_to(ptx, to_stdout ? s->path : output) : NULL;
    const struct triton_input in = {.path = s->path,
                                    .ptx = name,
                                    .defines = (const char *const *)s->settings->define.items,
                                    .define_count = s->settings->define.count};
    bool ok = name ? triton_spec(&in, &spec, open, e)
                   : error_set(e, ERROR_IO, "%s: there is no such file", ptx ? ptx : s->path);
    if (ok && to_stdout)
        put_data(&spec);
    else if (ok)
        ok = file_create(output, &spec, e);
    free(name);
    text_release(&spec);
    return ok;
}

static int run_triton(struct session *s)
{
    struct error e = ERROR_INIT;
    struct text open = TEXT_INIT, told = TEXT_INIT;
    const char *output = s->settings->output ? s->settings->output
                                             : arena_printf(&s->arena, "%.*s.spec.json",
                                                            (int)(strlen(s->path) - 5), s->path);
    int status = EXIT_DONE;
    if (!output || !write_triton_spec(s, output, &open, &e)) {
        status = e.code == ERROR_IO ? (work_failed(&e), EXIT_USAGE) : work_failed(&e);
    } else if (!str_equal(output, "-")) {
        text_addf(&told, "%s: a kernel that Triton compiled (CUDA)\n\nStill to be decided:\n%s",
                  output, text_cstr(&open));
        add_typed(&told, "Then: hone check ", output, "\n");
        put(&told);
    }
    text_release(&told);
    text_release(&open);
    return status;
}

static int run_init(struct invocation *i)
{
    struct error e = ERROR_INIT;
    struct session s = {.call = i, .settings = i->settings, .path = i->arguments[0]};
    arena_init(&s.arena);
    if (is_triton(s.path)) {
        int ended = run_triton(&s);
        arena_release(&s.arena);
        return ended;
    }
    char *output = s.settings->output ? strdup(s.settings->output) : default_output(s.path);
    s.output = !str_equal(output, "-") ? output : s.path;
    const bool to_stdout = str_equal(output, "-");
    bool ok = (output || error_memory(&e)) && infer_spec(&s, &e) &&
              write_spec(&s, output, false, &e) && (to_stdout || settle_facts(&s, output, &e));
    int status = EXIT_DONE;
    if (!ok)
        status = e.code == ERROR_IO ? (work_failed(&e), EXIT_USAGE) : work_failed(&e);
    else if (!to_stdout)
        status = finish_init(&s, output);
    text_release(&s.source);
    text_release(&s.given);
    text_release(&s.missing);
    arena_release(&s.arena);
    free(output);
    return status;
}

// ---- the command -------------------------------------------------------------------------------

#define FIELD(member) offsetof(struct init_settings, member)

static const struct option options[] = {
    {OPTION("kernel", "NAME", option_text, FIELD(kernel)), .letter = 'k',
     .brief = "the kernel, where the file has several",
     .help = "The kernel, where the file has several."},
    {OPTION("output", "FILE", option_text, FIELD(output)), .letter = 'o',
     .brief = "where the spec goes; - is standard output",
     .help =
         "Where the spec goes; - is standard output. Default: the kernel's file with the ending "
         ".json. A file that is there is not overwritten."},
    {OPTION("include", "DIR", option_list, FIELD(include)), .letter = 'I', .is_list = true,
     .brief = "a folder in which #include looks",
     .help =
         "A folder in which #include looks, beside the kernel's own; the spec names it, too. May "
         "be repeated."},
    {OPTION("define", "NAME=VALUE", option_list, FIELD(define)), .letter = 'D', .is_list = true,
     .brief = "a macro that the compiler is given",
     .help = "A macro that the compiler is given, 1 without a value: which of the kernels that "
             "stand in "
             "#if is meant. The spec has it among its options. May be repeated."},
    {OPTION("inputs", "DIR", option_text, FIELD(inputs)),
     .brief = "arrays as NumPy files, by argument",
     .help =
         "A folder of NumPy files: NAME.npy fills the argument NAME and gives its size, "
         "NAME.expect.npy is what the kernel has to leave in it. hone run --inputs writes such a "
         "folder."},
    {OPTION("set", "NAME=VALUES", option_list, FIELD(set)), .letter = 's', .is_list = true,
     .brief = "values, as TILE=8,16,32, or an output's: y=a*x[i]",
     .help = "The values of a parameter (TILE=8,16,32), that of a constant or a scalar argument "
             "(n=4096), or what each element of an output has to be ('y=a*x[i] + y[i]', as "
             "\"expect\" in the "
             "spec). May be repeated."},
    {OPTION("interactive", NULL, option_flag, FIELD(is_interactive)), .letter = 'i',
     .brief = "ask for what the text leaves open",
     .help =
         "Ask for the values of parameters and constants, the launch, and what is a guess, with "
         "what was found as the answer to an empty line. Answers are read from standard input, "
         "a line each; at its end the rest stays as it was found."},
    {OPTION("no-check", NULL, option_flag, FIELD(is_unchecked)), .brief = "only write the spec",
     .help = "Only write the spec: nothing is built and nothing runs."},
    {0},
};

static const struct option_group groups[] = {
    {"Options", options, 0}, {"Help", help_options, 0}, {0}};

static const struct example examples[] = {
    {"hone init my_kernel.cl", "writes my_kernel.json, and checks one configuration"},
    {"hone init kernels.cu --kernel reduce --output reduce.json", "one of several kernels"},
    {"hone init my_kernel.cl --set n=4096 --set 'y=a*x[i] + y[i]' --output told.json",
     "with what is right, and a size"},
    {"hone init my_kernel.cl --interactive --output asked.json",
     "asks for what the text leaves open"},
    {"hone init triton.json -D GRID_X=1024", "what Triton keeps, with triton.ptx beside it"},
    {0},
};

const struct command command_init = {
    .name = "init",
    .group = GROUP_PREPARE,
    .summary = "write a spec for a kernel, from its source",
    .arguments = "KERNEL.cl|.cu|.c|.json",
    .least = 1,
    .most = 1,
    .description =
        "Reads a kernel and writes its spec, then checks one configuration of it where there is a "
        "device, and says what is left to decide.\n\n"
        "Reads a kernel in OpenCL C, CUDA or C and writes its spec in the short form. Names that "
        "the text uses without defining them, or defines between #ifndef and #endif, are "
        "parameters; those that say how large the problem is, and integer arguments, are constants "
        "(--set n=4096). The kernel is then run on numbers, at several sizes and without its data: "
        "which names are the work-group's size, how many elements a group covers, where the kernel "
        "stops by itself, and how large each buffer is, is read from where it reads and writes. "
        "Restrictions are what the text demands (#error, static_assert, __launch_bounds__), where "
        "it "
        "divides one parameter by another, and where a group and its tile work together alone. "
        "What that does not tell is a guess, and said.\n\n"
        "Where there is a device the spec is tried: what fails in a few configurations is mended, "
        "if it "
        "can be, and said. --no-check leaves that out.\n\n"
        "Of a kernel that Triton compiled, NAME.json with NAME.ptx beside it as its cache has "
        "them, the "
        "work-group, the shared memory and the arguments are read; the grid is what --define "
        "GRID_X=128 "
        "says, and types and sizes are guesses. NAME.spec.json is written.\n\n"
        "The spec is written even where something is a guess; it ends with hone check --sample 1 "
        "on it, whose exit status it has, and with what is to be decided, in order.",
    .topics = "spec",
    .groups = groups,
    .examples = examples,
    .settings_size = sizeof(struct init_settings),
    .run = run_init,
};
