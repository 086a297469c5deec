// Reads a bundle that a stranger may have made: every name, size and digest is checked before the first byte is written,
// files go into a folder that this run has just made, and nothing in the archive says where that is.
#include "extras/formats/bundle_file.h"

#include "base/digest.h"
#include "extras/formats/ustar.h"
#include "os/file_replace.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES "files/"

struct taking {
    const char *path;
    struct arena *arena;
    struct ustar_entry *entries;
    size_t count;
    const struct ustar_entry *results;
    const char *spec;          // "files/...": one of the entries
    const char *folder, *made; // where they go, and where they are unpacked before that
};

bool bundle_is_file(const char *path)
{
    char head[512];
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    const ssize_t length = pread(fd, head, sizeof head, 0);
    close(fd);
    return length > 0 && ustar_is(head, (size_t)length);
}

// ---- the contents ------------------------------------------------------------------------------

static const struct ustar_entry *find_entry(const struct taking *t, const char *name)
{
    for (size_t i = 0; i < t->count; i++) {
        if (str_equal(t->entries[i].name, name))
            return &t->entries[i];
    }
    return NULL;
}

static bool is_in_files(const char *name)
{
    return str_starts(name, FILES);
}

// One of `files`: it is there, and has the digest.
static bool check_listed(const struct taking *t, const json_t *listed, struct error *e)
{
    const char *name = json_string_value(json_object_get(listed, "file")),
               *hex = json_string_value(json_object_get(listed, "sha256"));
    const struct ustar_entry *entry = name && is_in_files(name) ? find_entry(t, name) : NULL;
    struct digest wanted, is;
    if (!entry || !hex || !digest_parse(hex, &wanted))
        return error_set(e, ERROR_INPUT, "%s: bundle.json lists a file '%s' that is not there",
                         t->path, name ? name : "");
    digest_of(entry->bytes, (size_t)entry->length, &is);
    return digest_equal(&wanted, &is) ||
           error_set(e, ERROR_INPUT, "%s: '%s' has not the digest that bundle.json says", t->path,
                     name);
}

static bool check_manifest(struct taking *t, const json_t *root, struct error *e)
{
    const json_t *files = json_object_get(root, "files");
    const char *spec = json_string_value(json_object_get(root, "spec"));
    const json_int_t version = json_integer_value(json_object_get(root, "hone_bundle"));
    if (version != 1)
        return error_set(e, ERROR_INPUT, "%s: bundle.json: hone_bundle is %lld; this hone reads 1",
                         t->path, (long long)version);
    if (json_array_size(files) + 2 != t->count)
        return error_set(e, ERROR_INPUT, "%s: it has %zu files, and bundle.json lists %zu", t->path,
                         t->count - 2, json_array_size(files));
    for (size_t i = 0; i < json_array_size(files); i++) {
        if (!check_listed(t, json_array_get(files, i), e))
            return false;
    }
    if (!spec || !is_in_files(spec) || !find_entry(t, spec))
        return error_set(e, ERROR_INPUT, "%s: bundle.json: spec: it is none of the files", t->path);
    t->spec = arena_strdup(t->arena, spec);
    return t->spec || error_memory(e);
}

static bool read_contents(struct taking *t, const struct text *bytes, struct error *e)
{
    json_error_t why;
    if (!ustar_read(t->path, text_cstr(bytes), bytes->length, t->arena, &t->entries, &t->count, e))
        return false;
    const struct ustar_entry *manifest = find_entry(t, "bundle.json");
    t->results = find_entry(t, "results.sqlite");
    if (!manifest || !t->results)
        return error_set(e, ERROR_INPUT, "%s: an archive, but no bundle of hone's: %s is not in it",
                         t->path, manifest ? "results.sqlite" : "bundle.json");
    json_t *root =
        json_loadb(manifest->bytes, (size_t)manifest->length, JSON_REJECT_DUPLICATES, &why);
    bool ok = root ? check_manifest(t, root, e)
                   : error_set(e, ERROR_INPUT, "%s: bundle.json:%d:%d: %s", t->path, why.line,
                               why.column, why.text);
    json_decref(root);
    return ok;
}

// ---- the folder --------------------------------------------------------------------------------

static bool name_folder(struct taking *t, struct error *e)
{
    const char *slash = strrchr(t->path, '/'), *name = slash ? slash + 1 : t->path;
    size_t length = strlen(name);
    const size_t ending = strlen(BUNDLE_ENDING);
    if (length > ending && str_equal(name + length - ending, BUNDLE_ENDING))
        length -= ending;
    else
        return error_set(e, ERROR_USAGE,
                         "%s: a bundle's name ends in " BUNDLE_ENDING
                         "; without it, it names the folder that it is unpacked into",
                         t->path);
    t->folder = arena_strndup(t->arena, name, length);
    t->made = t->folder ? arena_printf(t->arena, "%s.XXXXXX", t->folder) : NULL;
    if (!t->made)
        return error_memory(e);
    return !(t->folder[0] == '.' && (!t->folder[1] || str_equal(t->folder, ".."))) ||
           error_set(e, ERROR_USAGE, "%s: it names no folder", t->path);
}

// Does the folder have all files as they are in the bundle?
static bool is_unpacked(const struct taking *t)
{
    bool same = true;
    for (size_t i = 0; same && i < t->count; i++) {
        const struct ustar_entry *f = &t->entries[i];
        struct error ignored = ERROR_INIT;
        struct text path = TEXT_INIT, bytes = TEXT_INIT;
        if (!is_in_files(f->name))
            continue;
        text_addf(&path, "%s/%s", t->folder, f->name + strlen(FILES));
        same = file_read(text_cstr(&path), 0, &bytes, &ignored) && bytes.length == f->length &&
               memcmp(text_cstr(&bytes), f->bytes, bytes.length) == 0;
        text_release(&path);
        text_release(&bytes);
    }
    return same;
}

static bool unpack_one(const char *folder, const struct ustar_entry *f, const char *name,
                       struct error *e)
{
    struct text path = TEXT_INIT, bytes = TEXT_INIT;
    text_addf(&path, "%s/%s", folder, name);
    text_addn(&bytes, f->bytes, (size_t)f->length);
    bool ok = (!path.failed && !bytes.failed) || error_memory(e);
    char *slash = ok ? strrchr(path.data, '/') : NULL;
    if (ok) {
        *slash = '\0';
        ok = folder_make(path.data, e);
        *slash = '/';
    }
    ok = ok && file_create(path.data, &bytes, e);
    text_release(&path);
    text_release(&bytes);
    return ok;
}

// Into a folder that nobody else can have put anything into.
static bool unpack_files(struct taking *t, struct error *e)
{
    char *made = arena_strdup(t->arena, t->made);
    if (!made)
        return error_memory(e);
    if (!mkdtemp(made)) {
        t->made = NULL;
        return error_set_driver(e, ERROR_IO, errno, "%s: %s", made, strerror(errno));
    }
    t->made = made;
    for (size_t i = 0; i < t->count; i++) {
        const struct ustar_entry *f = &t->entries[i];
        if (is_in_files(f->name) && !unpack_one(made, f, f->name + strlen(FILES), e))
            return false;
    }
    return true;
}

static bool put_folder(const struct taking *t, struct error *e)
{
    return (chmod(t->made, 0755) == 0 && rename(t->made, t->folder) == 0) ||
           error_set_driver(e, ERROR_IO, errno, "%s: %s", t->folder, strerror(errno));
}

// ---- all ---------------------------------------------------------------------------------------

bool bundle_take(const char *path, const char *store, const char *scratch,
                 bool (*merge)(const char *, const char *const *, size_t, struct store_imported *,
                               struct error *),
                 struct arena *a, struct bundle_taken *out, struct error *e)
{
    struct taking t = {.path = path, .arena = a};
    struct text bytes = TEXT_INIT;
    struct stat st;
    const char *part = arena_printf(a, "%s/results.sqlite", scratch);
    bool ok = (part || error_memory(e)) && name_folder(&t, e) && file_read(path, 0, &bytes, e) &&
              read_contents(&t, &bytes, e);
    out->was_there = ok && lstat(t.folder, &st) == 0;
    if (out->was_there && !is_unpacked(&t))
        ok = error_set(e, ERROR_USAGE,
                       "%s: the files of %s go there, and it has others; move it away, or go to "
                       "another folder",
                       t.folder, path);
    bool is_made = ok && !out->was_there;
    ok = ok && (out->was_there || unpack_files(&t, e)) &&
         unpack_one(scratch, t.results, "results.sqlite", e) &&
         merge(store, &part, 1, &out->counts, e) && (out->was_there || put_folder(&t, e));
    if (!ok && is_made && t.made)
        folder_remove(t.made);
    if (part)
        unlink(part);
    out->spec = ok ? arena_printf(a, "%s/%s", t.folder, t.spec + strlen(FILES)) : NULL;
    text_release(&bytes);
    return ok && (out->spec || error_memory(e));
}
