// Everything a run needs from disk, read once: kernel texts with their includes, and data files.
// The digest of a program covers the text of every file that was found; types and definitions are
// checked against the spec here, before a launch.
#include "problem/complete.h"
#include "problem/signature.h"

#include "base/text.h"

#include <errno.h>
#include <sys/random.h>
#include <stdlib.h>
#include <string.h>

// ---- watched names -----------------------------------------------------------------------------

static const char *const extra_names[EXTRA_COUNT] = {
    [EXTRA_HONE] = "HONE",
    [EXTRA_HONE_SOURCE] = "HONE_SOURCE",
    [EXTRA_KERNEL_TUNER] = "kernel_tuner",
    [EXTRA_GRID_X] = "grid_size_x",
    [EXTRA_GRID_Y] = "grid_size_y",
    [EXTRA_GRID_Z] = "grid_size_z",
};

const char *option_macro(const char *option, size_t *length, const char **value)
{
    if (strncmp(option, "-D", 2) != 0 || !option[2])
        return NULL;
    *length = strcspn(option + 2, "=(");
    const char *equals = strchr(option, '=');
    *value = equals ? equals + 1 : "1";
    return option + 2;
}

static size_t count_options(const struct language_spec *l)
{
    size_t count = 0;
    for (uint32_t i = 0; i < l->program_count; i++)
        count += l->programs[i].option_count;
    return count;
}

// Names that CompilerOptions define.
static bool add_option_names(struct spec_sources *src, const struct language_spec *l,
                             const char **names)
{
    for (uint32_t i = 0; i < l->program_count; i++) {
        for (uint32_t o = 0; o < l->programs[i].option_count; o++) {
            size_t length;
            const char *value, *name = option_macro(l->programs[i].options[o], &length, &value);
            struct scan_names known = {names, src->names.count};
            if (!name || scan_name_index(&known, name, length) != UINT32_MAX)
                continue;
            names[src->names.count] = arena_strndup(&src->arena, name, length);
            if (!names[src->names.count++])
                return false;
        }
    }
    return true;
}

// ---- programs ----------------------------------------------------------------------------------

// By the name that the text uses: where a toolkit is installed makes no difference.
static void digest_outside(struct digest_state *state, const struct program_sources *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        const struct source_file *f = &p->list[i];
        if (!f->outside)
            continue;
        digest_add(state, f->name, strlen(f->name) + 1);
        digest_add(state, &f->length, sizeof f->length);
        digest_add(state, f->text, (size_t)f->length);
    }
}

static void digest_programs(struct spec_sources *src)
{
    struct digest_state state;
    digest_start(&state);
    for (uint32_t i = 0; i < src->program_count; i++) {
        const struct program_sources *p = &src->programs[i];
        uint64_t length = p->length;
        digest_add(&state, &length, sizeof length);
        digest_add(&state, p->text, (size_t)length);
        for (uint32_t f = 0; f < p->file_count; f++) {
            length = p->files[f].length;
            digest_add(&state, p->files[f].path, strlen(p->files[f].path) + 1);
            digest_add(&state, &length, sizeof length);
            digest_add(&state, p->files[f].text, (size_t)length);
        }
        digest_outside(&state, p);
    }
    digest_finish(&state, &src->digest);
}

static bool read_programs(struct spec_sources *src, const struct language_spec *l, struct error *e)
{
    const struct spec *s = src->spec;
    char *directory = realpath(s->directory, NULL);
    if (!directory && errno == ENOMEM)
        return error_memory(e);
    if (!directory)
        return error_set_driver(e, ERROR_IO, errno, "%s: there is no such folder", s->directory);
    const char *home = arena_strdup(&src->arena, directory);
    free(directory);
    src->programs = arena_array(&src->arena, l->program_count + 1, sizeof *src->programs);
    if (!home || !src->programs)
        return error_memory(e);
    for (uint32_t i = 0; i < l->program_count; i++) {
        bool ok = sources_read_program(src, &l->programs[i], home, &src->programs[i], e);
        if (!faults_keep(&src->faults, &src->arena, ok, e))
            return false;
        src->programs[i].named =
            arena_array(&src->arena, src->first_extra + (size_t)1, sizeof *src->programs[i].named);
        if (!src->programs[i].named)
            return error_memory(e);
        src->program_count++;
        src->incomplete |= !ok;
    }
    if (!src->incomplete)
        digest_programs(src);
    return true;
}

// A kernel may take what the spec names `n` as its argument `n`.
bool sources_note_parameters(const struct spec_sources *src, const struct program_sources *p,
                             const char *kernel)
{
    struct arena scratch;
    arena_init(&scratch);
    bool ok = signature_note_names(src, p, kernel, &scratch, p->named);
    arena_release(&scratch);
    return ok;
}

// The name in `'gemv<' + str(WARPS) + '>'`, or NULL: up to what is computed of it.
static const char *name_in_expression(struct spec_sources *src, const struct launch_spec *l,
                                      bool *failed)
{
    const char *text = l->kernel ? NULL : l->kernel_expression.text;
    const char *start = text ? text + strcspn(text, "'\"") : "";
    size_t length = *start ? strcspn(start + 1, "<'\"") : 0;
    const char *name = length ? arena_strndup(&src->arena, start + 1, length) : NULL;
    *failed = length && !name;
    return l->kernel ? l->kernel : name;
}

static bool note_all_parameters(struct spec_sources *src, const struct language_spec *l,
                                struct error *e)
{
    for (uint32_t i = 0; !src->incomplete && i < l->launch_count + (l->reference != NULL); i++) {
        const struct launch_spec *launch = i < l->launch_count ? &l->launches[i] : l->reference;
        bool failed;
        const char *kernel = name_in_expression(src, launch, &failed);
        if (failed ||
            (kernel && !sources_note_parameters(src, &src->programs[launch->program], kernel)))
            return error_memory(e);
    }
    return true;
}

// ---- data --------------------------------------------------------------------------------------

// Fills and where their files go, arguments first; and, once each, the files that are read.
struct data_list {
    const struct fill_spec **fills;
    struct data_file **files;
    struct data_reading *readings;
    size_t count, reading_count;
};

static bool list_data(struct spec_sources *src, struct data_list *list, struct error *e)
{
    const struct kernel_spec *k = src->spec->kernel;
    const struct reference_spec *r = &k->reference;
    size_t most = (size_t)k->argument_count + r->expected_count + 1;
    src->arguments = arena_array(&src->arena, k->argument_count + 1, sizeof *src->arguments);
    src->expected = arena_array(&src->arena, r->expected_count + 1, sizeof *src->expected);
    list->fills = arena_array(&src->arena, most, sizeof(void *));
    list->files = arena_array(&src->arena, most, sizeof(void *));
    list->readings = calloc(most, sizeof *list->readings);
    if (!src->arguments || !src->expected || !list->fills || !list->files || !list->readings)
        return error_memory(e);
    for (uint32_t i = 0; i < k->argument_count + r->expected_count; i++) {
        bool argument = i < k->argument_count;
        uint32_t n = argument ? i : i - k->argument_count;
        const struct fill_spec *fill = argument ? &k->arguments[n].fill : &r->expected[n].fill;
        if (fill->kind != FILL_DATA)
            continue;
        list->fills[list->count] = fill;
        list->files[list->count++] = argument ? &src->arguments[n] : &src->expected[n];
    }
    return true;
}

// The file, if it is read for an argument or output before this one.
static const struct data_file *known_data(const struct data_list *list, size_t before,
                                          const char *path)
{
    for (size_t i = 0; i < before; i++) {
        if (list->files[i]->path && strcmp(list->files[i]->path, path) == 0)
            return list->files[i];
    }
    return NULL;
}

static bool look_at_data(struct spec_sources *src, struct data_list *list, size_t i,
                         struct error *e)
{
    const char *file = list->fills[i]->file, *directory = src->spec->directory;
    bool is_here = file[0] == '/' || strcmp(directory, ".") == 0;
    const char *path = is_here ? file : arena_printf(&src->arena, "%s/%s", directory, file);
    if (!path)
        return error_memory(e);
    if (known_data(list, i, path)) {
        list->files[i]->path = path;
        return true;
    }
    if (!data_look(path, &src->arena, list->files[i], e))
        return error_context(e, "%s", list->fills[i]->path);
    list->readings[list->reading_count++].file = list->files[i];
    return true;
}

static bool read_listed_data(struct spec_sources *src, struct data_list *list, struct error *e)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!faults_keep(&src->faults, &src->arena, look_at_data(src, list, i, e), e))
            return false;
    }
    data_read_all(list->readings, list->reading_count, &src->arena, src->spec->digests);
    size_t at = 0;
    for (size_t i = 0; i < list->count; i++) {
        struct data_file *file = list->files[i];
        const struct data_file *known = file->path ? known_data(list, i, file->path) : NULL;
        if (known)
            *file = *known;
        if (at >= list->reading_count || list->readings[at].file != file)
            continue;
        struct data_reading *r = &list->readings[at++];
        if (!r->ok)
            error_context(&r->e, "%s", list->fills[i]->path);
        if (!faults_keep(&src->faults, &src->arena, r->ok, &r->e)) {
            *e = r->e;
            return false;
        }
    }
    return true;
}

static bool read_all_data(struct spec_sources *src, struct error *e)
{
    struct data_list list = {.count = 0};
    bool ok = list_data(src, &list, e) && read_listed_data(src, &list, e);
    free(list.readings);
    return ok;
}

// ---- all ---------------------------------------------------------------------------------------

// Caches of drivers do not see the files either: with a number of its own in each run of the
// program they are not asked.
static bool tell_unseen(struct spec_sources *src, const struct log *log, struct error *e)
{
    const struct unseen *u = NULL;
    for (uint32_t i = 0; i < src->program_count && !u; i++)
        u = src->programs[i].unseen.file ? &src->programs[i].unseen : NULL;
    if (!u)
        return true;
    if (getrandom(&src->run, sizeof src->run, 0) != (ssize_t)sizeof src->run)
        return error_set_driver(e, ERROR_IO, errno, "no random numbers from the system: %s",
                                strerror(errno));
    src->run |= 1;
    char line[32] = "";
    if (u->line)
        str_format(line, sizeof line, ", line %u", (unsigned)u->line);
    log_add(log, LOG_WARNING,
            "%s%s: hone does not find the file that '%s' has the compiler read, and cannot tell "
            "whether it changes: results answer in this run alone (name the file directly, or give "
            "its folder in IncludeFolders; --also unseen takes earlier results all the same)",
            u->file, line, u->what);
    return true;
}

// Sizes that could not be read when the spec was: now they are needed.
static bool keep_late_faults(struct spec_sources *src, struct error *e)
{
    for (const struct late_fault *x = src->spec->kernel->late; x; x = x->next) {
        bool ok = !(x->languages & 1u << src->language) || error_set(e, ERROR_INPUT, "%s", x->text);
        if (!faults_keep(&src->faults, &src->arena, ok, e))
            return false;
    }
    return true;
}

static bool read_texts(struct spec_sources *src, struct error *e)
{
    const struct language_spec *l = &src->spec->kernel->languages[src->language];
    const struct spec *s = src->spec;
    size_t most = s->slots.facts + EXTRA_COUNT + count_options(l) + 1;
    const char **names = arena_array(&src->arena, most, sizeof *names);
    if (!names)
        return error_memory(e);
    for (uint32_t i = 0; i < s->slots.facts; i++)
        names[i] = s->symbols.items[i].name;
    src->first_extra = s->slots.facts;
    for (uint32_t i = 0; i < EXTRA_COUNT; i++)
        names[src->first_extra + i] = extra_names[i];
    src->names = (struct scan_names){names, src->first_extra + EXTRA_COUNT};
    if (!add_option_names(src, l, names))
        return error_memory(e);
    return read_programs(src, l, e);
}

static struct spec_sources *start_sources(const struct spec *s, enum language l, struct error *e)
{
    struct spec_sources *src = alloc_zeroed(sizeof *src, e);
    if (!src)
        return NULL;
    arena_init(&src->arena);
    src->spec = src->faults.spec = s;
    src->language = l;
    return src;
}

struct spec_sources *sources_read_texts(const struct spec *s, struct error *e)
{
    struct spec_languages languages;
    if (!sources_languages(s, &languages, e))
        return NULL;
    struct spec_sources *src = start_sources(s, languages.list[0], e);
    if (src && read_texts(src, e) && faults_end(&src->faults, e))
        return src;
    spec_sources_free(src);
    return NULL;
}

// The text in the spec's own language says what a spec in the short form leaves to it.
static bool find_texts(struct spec_sources *src, struct error *e)
{
    struct spec_languages languages;
    if (!src->spec->is_short)
        return true;
    if (!sources_languages(src->spec, &languages, e))
        return false;
    src->texts = src;
    if (languages.list[0] == src->language)
        return true;
    src->texts = start_sources(src->spec, languages.list[0], e);
    return src->texts && read_texts(src->texts, e);
}

// Completes a spec in the short form with facts from its sources, if they are found.
static bool complete_spec(struct spec_sources *src, const struct log *log, struct error *e)
{
    if (!find_texts(src, e))
        return false;
    if (!src->texts)
        return true;
    if (!faults_end(&src->faults, e) || !faults_end(&src->texts->faults, e))
        return false;
    src->spec = src->completed = spec_complete(src->spec, src->texts, log, e);
    return src->completed != NULL;
}

static bool read_sources(struct spec_sources *src, const struct log *log, struct error *e)
{
    if (!keep_late_faults(src, e) || !read_texts(src, e) || !complete_spec(src, log, e))
        return false;
    const struct language_spec *l = &src->spec->kernel->languages[src->language];
    // Checks against the contents of a missing file are skipped.
    return note_all_parameters(src, l, e) && (src->incomplete || sources_check_types(src, e)) &&
           read_all_data(src, e) && (src->incomplete || sources_check(src, log, e)) &&
           faults_end(&src->faults, e) && tell_unseen(src, log, e);
}

struct spec_sources *spec_sources_read(const struct spec *s, enum language l,
                                       const struct device_info *device, const struct log *log,
                                       struct error *e)
{
    struct spec_sources *src = start_sources(s, l, e);
    if (!src)
        return NULL;
    if (device && device->language == l && device->include_folders)
        src->include_folders = arena_strdup(&src->arena, device->include_folders);
    bool has_kernel = spec_is_bound(s, e) && spec_check_language(s, l, e); // they name the file
    if (has_kernel && read_sources(src, log, e))
        return src;
    if (has_kernel)
        spec_error(s, e);
    spec_sources_free(src);
    return NULL;
}

struct spec_sources *spec_sources_share(const struct spec_sources *src, const struct spec *s,
                                        struct error *e)
{
    struct spec_sources *shared = malloc(sizeof *shared);
    if (!shared)
        return error_no_memory(e);
    *shared = *src;
    arena_init(&shared->arena); // what it points to stays the other's
    shared->is_shared = true;
    shared->spec = s;
    shared->completed = NULL;
    shared->stand_in = NULL; // it need not be valid there
    if (!s->is_short)
        return shared;
    shared->spec = shared->completed = spec_complete(s, src->texts, NULL, e);
    if (shared->completed)
        return shared;
    spec_error(s, e);
    spec_sources_free(shared);
    return NULL;
}

void spec_sources_free(struct spec_sources *src)
{
    if (!src)
        return;
    if (!src->is_shared && src->texts != src)
        spec_sources_free(src->texts);
    spec_texts_drop(src);
    spec_free(src->completed);
    arena_release(&src->arena);
    free(src);
}

const char *spec_sources_path(const struct spec_sources *src, uint32_t index)
{
    for (uint32_t i = 0; i < src->program_count; i++) {
        const struct program_sources *p = &src->programs[i];
        if (index < p->count)
            return p->list[index].path;
        index -= p->count;
    }
    return NULL;
}

const char *spec_sources_data(const struct spec_sources *src, uint32_t index)
{
    const struct kernel_spec *k = src->spec->kernel;
    const uint32_t all = k->argument_count + k->reference.expected_count;
    for (uint32_t i = 0; i < all; i++) {
        const struct data_file *file =
            i < k->argument_count ? &src->arguments[i] : &src->expected[i - k->argument_count];
        if (file->path && index-- == 0)
            return file->path;
    }
    return NULL;
}

void spec_sources_digest(const struct spec_sources *src, struct digest *out)
{
    *out = src->digest;
}
