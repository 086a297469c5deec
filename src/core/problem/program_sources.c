// A program's files: the ones that are compiled, joined, and everything they include, laid out in a
// virtual tree that keeps their places relative to each other.
#include "problem/sources.h"

#include "base/text.h"
#include "kernel_text/wrapped.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_LIMIT  ((size_t)64 << 20)
#define FILES_LIMIT 1000
// With those that are read where they lie: <cuda/std/...> has a thousand.
#define OUTSIDE_LIMIT   4000
#define WORD_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

struct loader {
    struct spec_sources *src;
    struct arena *arena;
    const struct program_spec *spec;
    struct program_sources *out;
    const char *directory; // absolute, of the spec
    const char **folders;  // where #include looks: the compiled files' own, then IncludeFolders
    bool *folder_used;
    uint32_t folder_count;
    size_t capacity;
    const char **outside; // where it looks then, in place: options' folders, the compiler's own
    uint32_t outside_count;
    const char **before; // files that options include
    uint32_t before_count;
    const char **roots; // no link in their paths: what may be included lies below one of them
    uint32_t root_count;
    uint32_t inside_count; // files that are not outside
    bool again;            // a file is needed in the tree that was thought to be outside
    struct error *e;
};

// ---- paths -------------------------------------------------------------------------------------

// Takes "." and ".." out of an absolute path, by its text alone.
static void normalise(char *path)
{
    char *to = path;
    for (const char *at = path; *at;) {
        at += strspn(at, "/");
        size_t length = strcspn(at, "/");
        if (length == 2 && strncmp(at, "..", 2) == 0) {
            while (to > path && *--to != '/')
                ;
        } else if (length > 0 && !(length == 1 && *at == '.')) {
            *to++ = '/';
            memmove(to, at, length);
            to += length;
        }
        at += length;
    }
    if (to == path)
        *to++ = '/';
    *to = '\0';
}

static const char *join_path(const struct loader *l, const char *folder, const char *name)
{
    char *path = name[0] == '/' ? arena_strdup(l->arena, name)
                                : arena_printf(l->arena, "%s/%s", folder, name);
    if (path)
        normalise(path);
    return path;
}

static const char *folder_of(struct arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == path ? "/" : arena_strndup(a, path, (size_t)(slash - path));
}

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

// The part of `path` below `root`; "" for the root itself, NULL when it is not below.
static const char *below(const char *root, const char *path)
{
    size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);
    if (strncmp(root, path, length) != 0 || (path[length] != '/' && path[length] != '\0'))
        return NULL;
    return path[length] ? path + length + 1 : "";
}

// ---- files -------------------------------------------------------------------------------------

static struct source_file *new_file(struct loader *l)
{
    struct program_sources *out = l->out;
    if (!ARENA_ROOM(l->arena, out->list, l->capacity, out->count + (size_t)1))
        return NULL;
    return &out->list[out->count];
}

// Compiled code is not read: whatever the spec names may be in it.
static bool take_code(struct loader *l, struct source_file *f, const char *code, size_t length)
{
    f->text = arena_bytes(l->arena, code, length);
    f->length = length;
    f->is_code = true;
    f->targets = arena_array(l->arena, 1, sizeof *f->targets);
    f->leads = arena_array(l->arena, 1, sizeof *f->leads);
    bool ok =
        f->text && f->targets && f->leads && scan_text("", 0, &l->src->names, l->arena, &f->scan);
    f->scan.opaque = "a compiler made it";
    return ok || error_memory(l->e);
}

static bool take_text(struct loader *l, struct source_file *f, const char *text, size_t length)
{
    if (code_form_of(text, length) != FORM_SOURCE)
        return take_code(l, f, text, length);
    if (!str_has_no_nul(f->path ? f->path : f->name, text, length, l->e))
        return false;
    // Something may be put in front of it for the compiler, and a mark is not valid in the middle.
    const size_t mark = str_mark_length(text, length);
    text += mark;
    length -= mark;
    char *own = arena_strndup(l->arena, text, length);
    bool changed;
    f->text = own;
    f->length = length;
    if (own)
        wrapped_open(own, length);
    if (!own || !scan_text(own, length, &l->src->names, l->arena, &f->scan) ||
        !sources_yield_defines(l->src, l->spec, f, own, &changed) ||
        (changed && !scan_text(own, length, &l->src->names, l->arena, &f->scan)))
        return error_memory(l->e);
    f->targets = arena_array(l->arena, f->scan.count + 1, sizeof *f->targets);
    f->leads = arena_array(l->arena, f->scan.count + 1, sizeof *f->leads);
    return (f->targets && f->leads) || error_memory(l->e);
}

// `name` is what messages call the file at `path`.
static bool add_file(struct loader *l, const char *name, const char *path)
{
    struct text text = TEXT_INIT;
    struct source_file *f = new_file(l);
    if (!f || !path || !(f->folder = folder_of(l->arena, path)))
        return error_memory(l->e);
    f->name = name;
    f->path = path;
    bool ok =
        file_read(path, FILE_LIMIT, &text, l->e) && take_text(l, f, text_cstr(&text), text.length);
    text_release(&text);
    l->out->count += ok;
    return ok;
}

static bool ends_in_hip(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".hip") == 0;
}

// Files of AMD's dialect that stand under another language's name.
static bool refuse_hip(const struct loader *l, const char *name)
{
    struct text message = TEXT_INIT;
    const char *plain = arena_strndup(l->arena, name, strlen(name) - 4);
    const char *path = plain ? join_path(l, l->directory, plain) : NULL;
    if (!path)
        return error_memory(l->e);
    text_addf(&message, "%s: '%s' is HIP, which is outside what hone runs", l->spec->path, name);
    if (access(path, R_OK) == 0)
        text_addf(&message, "; '%s' stands beside it: name that", plain);
    error_set(l->e, ERROR_INPUT, "%s", text_cstr(&message));
    text_release(&message);
    return false;
}

static bool add_main_text(struct loader *l, const char *name, const char *text, size_t length)
{
    struct source_file *f = new_file(l);
    if (!f)
        return error_memory(l->e);
    f->name = name;
    f->path = join_path(l, l->directory, name);
    f->folder = f->path ? folder_of(l->arena, f->path) : NULL;
    if (!f->folder)
        return error_memory(l->e);
    bool ok = take_text(l, f, text, length);
    l->out->count += ok;
    return ok;
}

static bool add_default_variant(struct loader *l)
{
    const char *name, *text;
    size_t length;
    return variant_default(l->src->spec, l->spec, l->src->language, l->arena, &name, &text, &length,
                           l->e) &&
           add_main_text(l, name, text, length);
}

static bool add_mains(struct loader *l)
{
    if (l->spec->variant_count > 0)
        return add_default_variant(l);
    if (l->spec->text)
        return add_main_text(l, l->spec->text_name ? l->spec->text_name : "KernelSource",
                             l->spec->text,
                             l->spec->text_length ? l->spec->text_length : strlen(l->spec->text));
    for (uint32_t i = 0; i < l->spec->file_count; i++) {
        const char *name = l->spec->files[i];
        if (ends_in_hip(name))
            return refuse_hip(l, name);
        if (!add_file(l, name, join_path(l, l->directory, name)))
            return error_context(l->e, "%s", l->spec->path);
    }
    return true;
}

// ---- options and folders -----------------------------------------------------------------------

static void add_include_folder(struct loader *l, const char *path)
{
    for (uint32_t i = 0; i < l->folder_count; i++) {
        if (strcmp(l->folders[i], path) == 0)
            return;
    }
    l->folders[l->folder_count++] = path;
}

// Options that have the compiler read files, each with what it reads joined to it or as the next
// word. A name that ends with "=" has it joined.
enum reading { READS_FILE, READS_FOLDER, READS_UNKNOWN };
static const struct reader {
    const char *name;
    enum reading what;
} readers[] = {
    {"-include-pch", READS_UNKNOWN},
    {"-include=", READS_FILE},
    {"-include", READS_FILE},
    {"--include=", READS_FILE},
    {"--pre-include=", READS_FILE},
    {"--pre-include", READS_FILE},
    {"-imacros", READS_FILE},
    {"--imacros=", READS_FILE},
    {"-isystem", READS_FOLDER},
    {"-iquote", READS_FOLDER},
    {"-idirafter", READS_FOLDER},
    {"--include-path=", READS_FOLDER},
    {"--include-path", READS_FOLDER},
    {"--include-directory=", READS_FOLDER},
    {"--include-directory", READS_FOLDER},
    {"--include", READS_FILE},
    {"-isysroot", READS_UNKNOWN},
    {"--sysroot", READS_UNKNOWN},
    {"-iwithprefix", READS_UNKNOWN},
    {"-ivfsoverlay", READS_UNKNOWN},
    {"--options-file", READS_UNKNOWN},
    {"-optf", READS_UNKNOWN},
    {"@", READS_UNKNOWN},
};

static const struct reader *find_reader(const char *option)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (str_starts(option, readers[i].name))
            return &readers[i];
    return NULL;
}

static void note_option(struct loader *l, const char *option)
{
    if (!l->out->unseen.file)
        l->out->unseen = (struct unseen){.file = l->spec->path, .what = option};
}

// The option stays; what it reads is noted. A folder that is not named whole is another for each
// compiler: it depends on where that runs.
static void note_reader(struct loader *l, const struct reader *r, uint32_t i)
{
    const struct program_spec *p = l->spec;
    const char *name = p->options[i] + strlen(r->name);
    if (!*name && i + 1 < p->option_count)
        name = p->options[i + 1];
    if (r->what == READS_FILE && *name)
        l->before[l->before_count++] = name;
    else if (r->what == READS_FOLDER && name[0] == '/')
        l->outside[l->outside_count++] = name;
    else
        note_option(l, p->options[i]);
}

static void add_option(struct loader *l, const char *option, uint32_t place)
{
    l->out->option_places[l->out->option_count] = place;
    l->out->options[l->out->option_count++] = option;
}

// "-Ifolder" and "-I", "folder" become folders of the virtual tree; other options stay.
static bool take_options(struct loader *l)
{
    const struct program_spec *p = l->spec;
    l->out->options = arena_array(l->arena, p->option_count + 1, sizeof *l->out->options);
    l->out->ignored = arena_array(l->arena, p->option_count + 1, sizeof *l->out->ignored);
    l->out->option_places =
        arena_array(l->arena, p->option_count + 1, sizeof *l->out->option_places);
    if (!l->out->options || !l->out->ignored || !l->out->option_places)
        return error_memory(l->e);
    for (uint32_t i = 0; i < p->option_count; i++) {
        const char *option = p->options[i], *folder = NULL;
        const char *why = language_refuses(l->src->language, option, i ? p->options[i - 1] : NULL);
        bool next;
        if (why && (*option != '{' || p->words[i].count == 0)) // else option_word_text() asks
            return error_set(l->e, ERROR_INPUT, "CompilerOptions: '%s' is refused: %s", option,
                             why);
        if (language_ignores(l->src->language, option, &next)) {
            l->out->ignored[l->out->ignored_count++] = option;
            i += next;
            continue;
        }
        const struct reader *reader = find_reader(option);
        if (reader)
            note_reader(l, reader, i);
        if (strncmp(option, "-I", 2) == 0)
            folder = option[2] ? option + 2 : i + 1 < p->option_count ? p->options[++i] : NULL;
        const char *path = folder ? join_path(l, l->directory, folder) : NULL;
        if (folder && !path)
            return error_memory(l->e);
        if (path)
            add_include_folder(l, path);
        else
            add_option(l, option, i);
    }
    return true;
}

#define OWN_FOLDERS_MOST 16

static bool find_folders(struct loader *l)
{
    const struct program_spec *p = l->spec;
    size_t most = (size_t)l->out->count + p->folder_count + p->option_count + 1;
    l->folders = arena_array(l->arena, most, sizeof *l->folders);
    l->folder_used = arena_array(l->arena, most, sizeof *l->folder_used);
    l->before = arena_array(l->arena, most, sizeof *l->before);
    l->outside = arena_array(l->arena, most + OWN_FOLDERS_MOST, sizeof *l->outside);
    if (!l->folders || !l->folder_used || !l->before || !l->outside)
        return error_memory(l->e);
    for (uint32_t i = 0; i < l->out->count; i++)
        add_include_folder(l, l->out->list[i].folder);
    for (uint32_t i = 0; i < p->folder_count; i++) {
        const char *path = join_path(l, l->directory, p->folders[i]);
        struct stat st;
        if (!path)
            return error_memory(l->e);
        if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
            return error_set_driver(l->e, ERROR_IO, errno, "IncludeFolders: there is no folder %s",
                                    path);
        add_include_folder(l, path);
    }
    // The compiler's own, separated by colons.
    if (!take_options(l))
        return false;
    const char *at = l->src->include_folders ? l->src->include_folders : "";
    for (int i = 0; *at && i < OWN_FOLDERS_MOST; i++) {
        size_t length = strcspn(at, ":");
        const char *folder = arena_strndup(l->arena, at, length);
        if (!folder)
            return error_memory(l->e);
        if (length > 0)
            l->outside[l->outside_count++] = folder;
        at += length + (at[length] == ':');
    }
    return true;
}

// ---- what may be included ----------------------------------------------------------------------

static bool add_root(struct loader *l, const char *folder)
{
    char *real = realpath(folder, NULL); // one that is not there holds nothing
    const char *kept = real ? arena_strdup(l->arena, real) : NULL;
    bool ok = !real || kept;
    free(real);
    if (kept)
        l->roots[l->root_count++] = kept;
    return ok || error_memory(l->e);
}

// The folders of the spec and of the kernel, where links lead, too; what the spec names; and the
// compiler's own.
static bool find_roots(struct loader *l)
{
    size_t most = (size_t)l->folder_count + l->outside_count + l->out->mains + 1;
    l->roots = arena_array(l->arena, most, sizeof *l->roots);
    bool ok = (l->roots || error_memory(l->e)) && add_root(l, l->directory);
    for (uint32_t i = 0; ok && i < l->folder_count; i++)
        ok = add_root(l, l->folders[i]);
    for (uint32_t i = 0; ok && i < l->outside_count; i++)
        ok = add_root(l, l->outside[i]);
    for (uint32_t i = 0; ok && i < l->out->mains; i++) {
        char *real = realpath(l->out->list[i].path, NULL);
        const char *folder = real ? folder_of(l->arena, real) : NULL;
        ok = !real || (folder ? add_root(l, folder) : error_memory(l->e));
        free(real);
    }
    return ok;
}

// Would a compiler that reads it show lines of a file that nobody named? `is_own`: it was found in the
// compiler's own folders, whose links are theirs.
static bool leads_out(const struct loader *l, const char *path, bool is_own)
{
    char *real = is_own ? NULL : realpath(path, NULL);
    bool is_in = is_own || !real;
    for (uint32_t i = 0; !is_in && i < l->root_count; i++)
        is_in = below(l->roots[i], real) != NULL;
    free(real);
    return !is_in;
}

#define FOLDERS_NAMED                                                                              \
    "outside of the folders of the spec, of the kernel and of what IncludeFolders (`include`) "    \
    "names"
#define LEADS_OUT_TEXT "leads " FOLDERS_NAMED "; name its folder there if it is meant"

// ---- includes ----------------------------------------------------------------------------------

static bool known_file(const struct loader *l, const char *path, uint32_t *index)
{
    for (uint32_t i = 0; i < l->out->count; i++) {
        *index = i;
        if (strcmp(l->out->list[i].path, path) == 0)
            return true;
    }
    return false;
}

// Where a compiler would find it: "..." beside an included file, then in the folders. The compiled
// text itself lies nowhere, so its own folder is the first of those. *outside: it is read there.
static const char *locate_file(struct loader *l, const struct source_file *f, bool compiled,
                               const char *name, bool angled, bool *outside)
{
    const char *path;
    *outside = true;
    if (name[0] == '/') {
        path = join_path(l, "/", name);
        return path && is_file(path) ? path : NULL;
    }
    if (!angled && !compiled) {
        path = join_path(l, f->folder, name);
        *outside = f->outside;
        if (path && is_file(path))
            return path;
    }
    *outside = false;
    for (uint32_t i = 0; i < l->folder_count; i++) {
        path = join_path(l, l->folders[i], name);
        if (!path || !is_file(path))
            continue;
        l->folder_used[i] = true;
        return path;
    }
    *outside = true;
    for (uint32_t i = 0; i < l->outside_count; i++) {
        path = join_path(l, l->outside[i], name);
        if (path && is_file(path))
            return path;
    }
    return NULL;
}

// The file that `#include_next` reads: the one of that name in the folders behind the one in which this
// file was found. Compilers' own headers include those of the C library this way.
static const char *locate_next(struct loader *l, const struct source_file *f, const char *name,
                               bool *outside)
{
    uint32_t count = l->folder_count + l->outside_count;
    bool is_behind = false;
    for (uint32_t i = 0; i < count; i++) {
        *outside = i >= l->folder_count;
        const char *folder = *outside ? l->outside[i - l->folder_count] : l->folders[i];
        const char *path = join_path(l, folder, is_behind ? name : f->name);
        if (is_behind && path && is_file(path))
            return path;
        is_behind = is_behind || (path && strcmp(path, f->path) == 0);
    }
    return NULL;
}

// The file's index, added where it is not there; false: it cannot be read. More files outside than
// a toolkit has, or a larger one, are not read by the tuner: *target is then unresolved.
static bool take_file(struct loader *l, const char *name, const char *path, bool outside,
                      uint32_t *target)
{
    if (known_file(l, path, target)) {
        struct source_file *f = &l->out->list[*target];
        l->again |= f->outside && !outside;
        f->outside = f->outside && outside;
        return true;
    }
    *target = FOLLOW_UNRESOLVED;
    if (outside && l->out->count >= OUTSIDE_LIMIT)
        return true;
    if (!outside && l->inside_count == FILES_LIMIT)
        return error_set(l->e, ERROR_INPUT, "includes more than %d files", FILES_LIMIT);
    struct error why = ERROR_INIT;
    struct error *e = l->e;
    l->e = &why;
    bool ok = add_file(l, name, path);
    l->e = e;
    if (!ok && outside && why.code != ERROR_MEMORY)
        return true;
    if (!ok)
        return error_set_driver(e, why.code, why.driver, "%s", why.text);
    *target = l->out->count - 1;
    l->out->list[*target].outside = outside;
    l->inside_count += !outside;
    return true;
}

// Files that options include are looked for as "..." of the compiled text. Which lines of the rest
// they change is not followed.
static bool resolve_options(struct loader *l)
{
    for (uint32_t i = 0; i < l->before_count; i++) {
        bool outside;
        uint32_t target = FOLLOW_UNRESOLVED;
        const struct source_file f = l->out->list[0];
        const char *path = locate_file(l, &f, true, l->before[i], false, &outside);
        if (path && leads_out(l, path, outside && l->before[i][0] != '/'))
            return error_set(l->e, ERROR_INPUT,
                             "%s: CompilerOptions: '-include %s' is refused: it " LEADS_OUT_TEXT,
                             l->spec->path, l->before[i]);
        if (path && !take_file(l, l->before[i], path, outside, &target))
            return false;
        if (target == FOLLOW_UNRESOLVED)
            note_option(l, arena_printf(l->arena, "-include %s", l->before[i]));
        else
            l->out->list[target].by_option = true;
        l->out->list[0].scan.opaque = "an option includes a file";
    }
    return true;
}

// Item i of a file includes `name`.
static bool resolve_include(struct loader *l, uint32_t file, uint32_t i, const char *name,
                            bool angled)
{
    const struct source_file f = l->out->list[file]; // files may be added
    bool outside;
    const char *path = f.scan.items[i].next
                           ? locate_next(l, &f, name, &outside)
                           : locate_file(l, &f, file < l->out->mains, name, angled, &outside);
    f.targets[i] = FOLLOW_UNRESOLVED;
    bool is_out = path && leads_out(l, path, f.outside || (outside && name[0] != '/'));
    if (is_out)
        f.leads[i] = LEADS_OUT;
    return !path || is_out || take_file(l, name, path, outside, &f.targets[i]) ||
           error_context(l->e, "%s, line %u", f.name, f.scan.items[i].first);
}

static bool resolve_all(struct loader *l)
{
    for (uint32_t file = 0; file < l->out->count; file++) {
        for (uint32_t i = 0; i < l->out->list[file].scan.count; i++) {
            const struct scan_item *item = &l->out->list[file].scan.items[i];
            if (item->kind == SCAN_INCLUDE &&
                !resolve_include(l, file, i, item->text, item->angled))
                return false;
        }
    }
    return true;
}

// ---- includes that a macro names ---------------------------------------------------------------

// A macro's text where it is the name of a file, "..." or <...>; NULL where it is anything else.
// In the value that an option defines, quotes stand behind backslashes.
static const char *name_in(struct loader *l, const char *value, bool *angled)
{
    size_t quote = value[0] == '\\';
    char closing = value[quote] == '<' ? '>' : value[quote] == '"' ? '"' : '\0';
    const char *start = value + quote + 1;
    const char *end = closing ? strchr(start, closing) : NULL;
    size_t length = end ? (size_t)(end - start) : 0;
    if (length <= quote || end[1 + strspn(end + 1, " \t\r")] != '\0')
        return NULL;
    *angled = closing == '>';
    return arena_strndup(l->arena, start, length - quote);
}

// The one text that all definitions of a macro give it, in files and in options; NULL where there
// is none, or another one, or a configuration may decide it.
struct definition {
    const char *value;
    bool unclear;
};

static void define(struct definition *d, const char *value)
{
    d->unclear = d->unclear || !value || (d->value && strcmp(d->value, value) != 0);
    d->value = value;
}

static const char *find_definition(const struct loader *l, const char *name)
{
    struct definition d = {NULL, false};
    for (uint32_t i = 0; i < l->src->first_extra; i++)
        d.unclear |= strcmp(l->src->names.items[i], name) == 0;
    for (uint32_t i = 0; i < l->spec->option_count; i++) {
        size_t length;
        const char *value, *macro = option_macro(l->spec->options[i], &length, &value);
        if (macro && strlen(name) == length && strncmp(macro, name, length) == 0)
            define(&d, macro[length] == '(' ? NULL : value);
    }
    for (uint32_t file = 0; file < l->out->count; file++) {
        const struct scan *scan = &l->out->list[file].scan;
        for (uint32_t i = 0; i < scan->count; i++) {
            const struct scan_item *item = &scan->items[i];
            bool either = item->kind == SCAN_DEFINE || item->kind == SCAN_UNDEF;
            if (either && strcmp(item->text, name) == 0)
                define(&d, item->kind == SCAN_DEFINE ? item->value : NULL);
        }
    }
    return d.unclear ? NULL : d.value;
}

#define ALIAS_MOST 8 // macros that are each the next one's name

static enum leading worse_leading(enum leading a, enum leading b)
{
    return a > b ? a : b;
}

static enum leading macro_leads(struct loader *l, const struct source_file *f, bool compiled,
                                const char *name, unsigned depth);

// Where the file lies that one text of a macro names.
static enum leading value_leads(struct loader *l, const struct source_file *f, bool compiled,
                                const char *value, unsigned depth)
{
    bool angled = false, outside;
    const char *name = value ? name_in(l, value, &angled) : NULL;
    if (!name) {
        bool is_alias = value && !isdigit((unsigned char)*value) && value[0] &&
                        value[strspn(value, WORD_CHARACTERS)] == '\0';
        return is_alias && depth > 0 ? macro_leads(l, f, compiled, value, depth - 1)
                                     : LEADS_ANYWHERE;
    }
    const char *path = locate_file(l, f, compiled, name, angled, &outside);
    bool is_out = path && leads_out(l, path, outside && name[0] != '/');
    return is_out ? LEADS_OUT : LEADS_IN;
}

// Any of the macro's texts may be in force, and one that no text defines may be anything.
static enum leading macro_leads(struct loader *l, const struct source_file *f, bool compiled,
                                const char *name, unsigned depth)
{
    enum leading leads = LEADS_IN;
    bool is_found = false;
    for (uint32_t i = 0; i < l->src->first_extra; i++) {
        if (strcmp(l->src->names.items[i], name) == 0)
            return LEADS_ANYWHERE; // a configuration decides it
    }
    for (uint32_t i = 0; i < l->spec->option_count; i++) {
        size_t length;
        const char *value, *macro = option_macro(l->spec->options[i], &length, &value);
        if (!macro || strlen(name) != length || strncmp(macro, name, length) != 0)
            continue;
        is_found = true;
        value = macro[length] == '(' ? NULL : value;
        leads = worse_leading(leads, value_leads(l, f, compiled, value, depth));
    }
    for (uint32_t file = 0; file < l->out->count; file++) {
        const struct scan *scan = &l->out->list[file].scan;
        for (uint32_t i = 0; i < scan->count; i++) {
            if (scan->items[i].kind != SCAN_DEFINE || strcmp(scan->items[i].text, name) != 0)
                continue;
            is_found = true;
            leads = worse_leading(leads, value_leads(l, f, compiled, scan->items[i].value, depth));
        }
    }
    return is_found ? leads : LEADS_ANYWHERE;
}

// Item i reads a file that the scanner has no name of.
static void judge_reading(struct loader *l, uint32_t file, uint32_t i)
{
    const struct source_file f = l->out->list[file];
    const char *reads = f.scan.items[i].reads;
    char closing = *reads == '<' ? '>' : '"';
    const char *end = *reads == '<' || *reads == '"' ? strchr(reads + 1, closing) : NULL;
    bool compiled = file < l->out->mains;
    f.targets[i] = FOLLOW_UNRESOLVED;
    if (f.outside)
        f.leads[i] = LEADS_IN; // the compiler's own
    else if (!end)
        f.leads[i] = macro_leads(l, &f, compiled, reads, ALIAS_MOST);
    else // #embed "x" limit(4)
        f.leads[i] = value_leads(l, &f, compiled,
                                 arena_strndup(l->arena, reads, (size_t)(end + 1 - reads)), 0);
}

static bool resolve_all_named(struct loader *l)
{
    for (uint32_t file = 0; file < l->out->count; file++) {
        for (uint32_t i = 0; i < l->out->list[file].scan.count; i++) {
            const struct scan_item *item = &l->out->list[file].scan.items[i];
            const char *value = item->named  ? find_definition(l, item->reads)
                                : item->next ? item->reads
                                             : NULL;
            bool angled = false;
            const char *name = value ? name_in(l, value, &angled) : NULL;
            if (item->reads)
                judge_reading(l, file, i);
            if (item->reads && name && !resolve_include(l, file, i, name, angled))
                return false;
        }
    }
    return true;
}

// ---- the virtual tree --------------------------------------------------------------------------

// The deepest folder that holds all of the program's files and used folders.
static const char *common_root(const struct loader *l)
{
    const struct program_sources *out = l->out;
    char *root = arena_strdup(l->arena, out->list[0].folder);
    if (!root)
        return NULL;
    for (uint32_t i = 0; i < out->count + l->folder_count; i++) {
        if (i < out->count && out->list[i].outside)
            continue;
        const char *path = i < out->count ? out->list[i].folder : l->folders[i - out->count];
        if (i >= out->count && !l->folder_used[i - out->count])
            continue;
        while (!below(root, path)) {
            char *slash = strrchr(root, '/');
            slash[slash == root] = '\0';
        }
    }
    return root;
}

// "my headers/sub" -> "my_headers/sub", of the first `length` characters. OpenCL's options have no form for a blank
// that every compiler knows.
static const char *without_blanks(struct arena *a, const char *path, size_t length)
{
    char *copy = arena_strdup(a, path);
    for (size_t i = 0; copy && i < length; i++)
        copy[i] = copy[i] == ' ' ? '_' : copy[i];
    return copy;
}

// Files in a folder with a blank stand in one without, too: what names them by their folder finds them in either.
static bool add_without_blanks(struct loader *l)
{
    struct program_sources *out = l->out;
    const uint32_t count = out->file_count;
    for (uint32_t i = 0; i < count; i++) {
        const struct job_file f = out->files[i];
        const char *slash = strrchr(f.path, '/');
        const size_t length = slash ? (size_t)(slash - f.path) : 0;
        if (!memchr(f.path, ' ', length))
            continue;
        const char *path = without_blanks(l->arena, f.path, length);
        if (!path)
            return error_memory(l->e);
        for (uint32_t k = 0; k < count; k++) {
            if (strcmp(out->files[k].path, path) == 0)
                return error_set(
                    l->e, ERROR_INPUT,
                    "IncludeFolders: %s and %s cannot be told apart by a compiler that "
                    "takes no blank in a folder's name",
                    f.path, path);
        }
        out->files[out->file_count++] = (struct job_file){path, f.text, f.length};
    }
    return true;
}

static bool lay_out_files(struct loader *l)
{
    struct program_sources *out = l->out;
    const char *root = common_root(l);
    uint32_t own = out->mains;
    out->files = arena_array(l->arena, 2 * (size_t)out->count + 1, sizeof *out->files);
    out->folders = arena_array(l->arena, l->folder_count + 1, sizeof *out->folders);
    if (!root || !out->files || !out->folders)
        return error_memory(l->e);
    for (uint32_t i = 0; i < out->count; i++) {
        struct source_file *f = &out->list[i];
        f->tree = f->outside ? NULL : below(root, f->path);
        out->outside |= f->outside;
        if (i >= own && !f->outside)
            out->files[out->file_count++] = (struct job_file){f->tree, f->text, f->length};
    }
    for (uint32_t i = 0; i < l->folder_count && out->file_count > 0; i++) {
        const char *folder = l->folder_used[i] ? below(root, l->folders[i]) : NULL;
        if (folder && !(folder = without_blanks(l->arena, folder, strlen(folder))))
            return error_memory(l->e);
        if (folder)
            out->folders[out->folder_count++] = folder;
    }
    return add_without_blanks(l);
}

// ---- joining -----------------------------------------------------------------------------------

static bool join_texts(struct loader *l)
{
    struct program_sources *out = l->out;
    struct text text = TEXT_INIT;
    out->name = out->list[0].name;
    out->text = out->list[0].text;
    out->length = out->list[0].length;
    if (out->mains == 1)
        return true;
    for (uint32_t i = 0; i < out->mains; i++) {
        if (out->list[i].is_code)
            return error_set(l->e, ERROR_INPUT,
                             "%s: '%s' is compiled code, which is not joined with others",
                             l->spec->path, out->list[i].name);
    }
    for (uint32_t i = 0; i < out->mains; i++) {
        const struct source_file *f = &out->list[i];
        const char *name = f->name;
        text_add(&text, "#line 1 \"");
        for (; *name; name++)
            text_addf(&text, *name == '"' || *name == '\\' ? "\\%c" : "%c", *name);
        text_add(&text, "\"\n");
        text_addn(&text, f->text, f->length);
        if (f->length > 0 && f->text[f->length - 1] != '\n')
            text_addc(&text, '\n');
    }
    out->length = text.length;
    out->text = text_to_arena(&text, l->arena);
    return out->text || error_memory(l->e);
}

static bool prepare_follow(struct loader *l)
{
    struct program_sources *out = l->out;
    struct follow_file *files = arena_array(l->arena, out->count, sizeof *files);
    if (!files)
        return error_memory(l->e);
    for (uint32_t i = 0; i < out->count; i++)
        files[i] = (struct follow_file){.scan = &out->list[i].scan,
                                        .targets = out->list[i].targets,
                                        .text = out->list[i].is_code ? "" : out->list[i].text,
                                        .length = out->list[i].is_code ? 0 : out->list[i].length,
                                        .is_outside = out->list[i].outside};
    out->follow = (struct follow){.terms = {&l->src->names, .language = l->src->language},
                                  .files = files,
                                  .file_count = out->count,
                                  .main_count = out->mains};
    return true;
}

// A command has no text but its files' digests.
static bool load_command(struct loader *l)
{
    const char *files = command_files(l->spec, l->directory, l->arena, l->e);
    if (!files)
        return false;
    l->out->text = files;
    l->out->length = strlen(files);
    l->out->name = "the program";
    return prepare_follow(l);
}

bool sources_read_program(struct spec_sources *src, const struct program_spec *p,
                          const char *directory, struct program_sources *out, struct error *e)
{
    struct loader l = {
        .src = src, .arena = &src->arena, .spec = p, .out = out, .directory = directory, .e = e};
    if (!add_mains(&l))
        return false;
    out->mains = out->count;
    if (language_traits(src->language)->is_command)
        return load_command(&l);
    // A file that is added may define a macro that names one otherwise, so that all are looked at
    // again.
    if (!find_folders(&l) || !find_roots(&l))
        return false;
    uint32_t count;
    l.inside_count = l.out->count;
    if (!resolve_options(&l))
        return false;
    do {
        l.again = false;
        count = l.out->count;
        if (!resolve_all(&l) || !resolve_all_named(&l))
            return false;
    } while (l.again || l.out->count > count);
    if (!lay_out_files(&l) || !join_texts(&l) || !prepare_follow(&l))
        return false;
    if (!unseen_find(src, &src->arena, out))
        return error_memory(e);
    const struct unseen *u = &out->leads_out;
    const char *why = u->leads == LEADS_ANYWHERE ? "may lead " FOLDERS_NAMED
                                                   ", for hone cannot tell which file it "
                                                   "names; write the file's name there"
                                                 : LEADS_OUT_TEXT;
    return !u->file || error_set(e, ERROR_INPUT, "%s: %s, line %u: '#include %s' is refused: it %s",
                                 p->path, u->file, u->line, u->what, why);
}

bool program_mentions(const struct program_sources *p, uint32_t name)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (scan_mentions(&p->list[i].scan, name))
            return true;
    }
    return false;
}
