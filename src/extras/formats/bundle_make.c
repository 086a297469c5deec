// Writes a bundle. Paths are made relative to the last folder that spec and sources have in common, so that the spec
// finds its kernels where it is unpacked.
#include "extras/formats/bundle_file.h"

#include "base/digest.h"
#include "base/emit.h"
#include "extras/formats/ustar.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

struct bundled_file {
    const char *path; // absolute, without "." and ".."
    const char *name; // in the archive
    struct digest digest;
};

struct bundling {
    const struct bundle_options *o;
    struct arena arena;
    struct bundled_file *files; // the spec is the first
    size_t count, room;
    struct text left_out; // data files, as texts of JSON with ", " between them
    struct text devices;  // JSON, as they are found
    uint64_t results;
    bool failed; // no memory
    struct text out;
    int64_t time;
};

// ---- which files -------------------------------------------------------------------------------

// The file under its real folder; its own name stays, since a link may lie elsewhere.
static const char *absolute_path(struct bundling *b, const char *path, struct error *e)
{
    const char *slash = strrchr(path, '/');
    const char *folder =
        slash ? arena_strndup(&b->arena, path, slash == path ? 1 : (size_t)(slash - path)) : ".";
    char *real = folder ? realpath(folder, NULL) : NULL;
    const char *name = slash ? slash + 1 : path, *out = NULL;
    if (!real)
        error_set(e, ERROR_IO, "%s: there is no such folder", folder ? folder : path);
    else if (!(out = arena_printf(&b->arena, "%s/%s", str_equal(real, "/") ? "" : real, name)))
        error_memory(e);
    free(real);
    return out;
}

static bool add_bundled_file(struct bundling *b, const char *given, struct error *e)
{
    const char *path = absolute_path(b, given, e);
    if (!path)
        return false;
    for (size_t i = 0; i < b->count; i++) {
        if (str_equal(b->files[i].path, path))
            return true;
    }
    if (b->count == b->room) {
        struct bundled_file *more =
            arena_array(&b->arena, b->room = 2 * b->room + 16, sizeof *more);
        if (!more)
            return error_memory(e);
        if (b->count > 0)
            memcpy(more, b->files, b->count * sizeof *more);
        b->files = more;
    }
    b->files[b->count++] = (struct bundled_file){.path = path};
    return true;
}

static bool add_data(struct bundling *b, const char *path, struct error *e)
{
    if (b->o->with_data)
        return add_bundled_file(b, path, e);
    struct text quoted = TEXT_INIT;
    struct emit j;
    emit_start(&j, &quoted);
    emit_text(&j, path);
    if (!strstr(text_cstr(&b->left_out), text_cstr(&quoted)))
        text_addf(&b->left_out, "%s%s", b->left_out.length ? ", " : "", text_cstr(&quoted));
    text_release(&quoted);
    return true;
}

static bool add_sources(struct bundling *b, enum language l, struct error *e)
{
    const struct spec *spec = b->o->spec;
    struct spec_sources *sources = spec_sources_read(spec, l, NULL, NULL, e);
    const char *path;
    bool ok = sources != NULL;
    for (uint32_t i = 0; ok && (path = spec_sources_path(sources, i)); i++)
        ok = add_bundled_file(b, path, e);
    for (uint32_t i = 0; ok && (path = spec_sources_data(sources, i)); i++)
        ok = add_data(b, path, e);
    spec_sources_free(sources);
    return ok;
}

static bool find_files(struct bundling *b, struct error *e)
{
    struct spec_languages languages;
    if (!add_bundled_file(b, b->o->spec->path, e) || !spec_languages(b->o->spec, &languages, e))
        return false;
    for (uint32_t i = 0; i < languages.count; i++) {
        if (!add_sources(b, languages.list[i], e))
            return false;
    }
    return true;
}

// "files/..." of each, by the folder that all have in common.
static bool name_files(struct bundling *b, struct error *e)
{
    size_t common = strrchr(b->files[0].path, '/') - b->files[0].path + 1u;
    for (size_t i = 1; i < b->count; i++) {
        while (strncmp(b->files[i].path, b->files[0].path, common) != 0) {
            do
                common--;
            while (b->files[0].path[common - 1] != '/');
        }
    }
    if (common == 1 && b->count > 1)
        return error_set(e, ERROR_INPUT,
                         "%s and its sources have no folder in common, so one archive cannot hold "
                         "them as they lie to each other",
                         b->o->spec->path);
    for (size_t i = 0; i < b->count; i++) {
        b->files[i].name = arena_printf(&b->arena, "files/%s", b->files[i].path + common);
        if (!b->files[i].name)
            return error_memory(e);
    }
    return true;
}

// ---- which results -----------------------------------------------------------------------------

// The spec's own, and those that commands keep under "NAME (deploy)" and the like.
static bool is_of_spec(const struct spec *spec, const char *name)
{
    const size_t length = strlen(spec->name);
    return strncmp(name, spec->name, length) == 0 &&
           (!name[length] || (name[length] == ' ' && name[length + 1] == '('));
}

struct wanted {
    struct bundling *b;
    uint8_t (*ids)[STORE_ID_BYTES];
    size_t count, room;
};

static bool want_row(void *context, const struct store_row *row)
{
    struct wanted *w = context;
    struct arena *a = &w->b->arena;
    if (!is_of_spec(w->b->o->spec, row->spec_name))
        return true;
    if (w->count == w->room) {
        uint8_t(*more)[STORE_ID_BYTES] = arena_array(a, w->room = 2 * w->room + 256, sizeof *more);
        w->b->failed |= !more;
        if (!more)
            return false;
        if (w->count > 0)
            memcpy(more, w->ids, w->count * sizeof *more);
        w->ids = more;
    }
    memcpy(w->ids[w->count++], row->id_bytes, STORE_ID_BYTES);
    struct text device = TEXT_INIT;
    struct emit j;
    emit_start(&j, &device);
    emit_object(&j);
    emit_text_at(&j, "name", row->device);
    emit_text_at(&j, "platform", row->platform);
    emit_text_at(&j, "driver", row->driver);
    emit_text_at(&j, "language", row->language);
    emit_object_end(&j);
    if (!strstr(text_cstr(&w->b->devices), text_cstr(&device)))
        text_addf(&w->b->devices, "%s%s", w->b->devices.length ? "," : "", text_cstr(&device));
    text_release(&device);
    return true;
}

static int by_bytes(const void *a, const void *b)
{
    return memcmp(a, b, STORE_ID_BYTES);
}

static bool is_wanted(void *context, const uint8_t id[STORE_ID_BYTES])
{
    const struct wanted *w = context;
    return bsearch(id, w->ids, w->count, STORE_ID_BYTES, by_bytes) != NULL;
}

// Copies the spec's results into a store of their own, and adds that.
static bool add_results(struct bundling *b, struct error *e)
{
    struct wanted w = {.b = b};
    const struct store_query all = {.all_runs = true};
    struct store_imported counts = {0, 0};
    struct text bytes = TEXT_INIT;
    const char *part = arena_printf(&b->arena, "%s/results.sqlite", b->o->scratch);
    struct store *s = store_open(b->o->store, STORE_READ, e);
    bool ok = s && (part || error_memory(e)) && store_each(s, &all, want_row, &w, e) &&
              (!b->failed || error_memory(e));
    store_close(s);
    if (ok && w.count == 0)
        return error_set(e, ERROR_STORE, "%s: it has no results of %s; hone tune %s measures some",
                         b->o->store, b->o->spec->name, b->o->spec->path);
    if (ok)
        qsort(w.ids, w.count, STORE_ID_BYTES, by_bytes);
    ok = ok && store_import_some(part, &b->o->store, 1, is_wanted, &w, &counts, e) &&
         file_read(part, 0, &bytes, e) &&
         ustar_add("results.sqlite", bytes.data, bytes.length, b->time, &b->out, e);
    b->results = counts.results;
    text_release(&bytes);
    return ok;
}

// ---- all ---------------------------------------------------------------------------------------

static bool add_contents(struct bundling *b, struct error *e)
{
    for (size_t i = 0; i < b->count; i++) {
        struct bundled_file *f = &b->files[i];
        struct text bytes = TEXT_INIT;
        bool ok = file_read(f->path, 0, &bytes, e) &&
                  ustar_add(f->name, text_cstr(&bytes), bytes.length, b->time, &b->out, e);
        digest_of(text_cstr(&bytes), bytes.length, &f->digest);
        text_release(&bytes);
        if (!ok)
            return false;
    }
    return true;
}

// The contents, written in front of the archive that `rest` has.
static bool add_manifest(struct bundling *b, struct text *out, struct error *e)
{
    struct text json = TEXT_INIT, system = TEXT_INIT;
    struct utsname name;
    struct emit j;
    char hex[65];
    if (uname(&name) == 0)
        text_addf(&system, "%s %s %s", name.sysname, name.release, name.machine);
    emit_start(&j, &json);
    emit_object(&j);
    emit_u64_at(&j, "hone_bundle", 1);
    emit_text_at(&j, "hone", HONE_VERSION);
    emit_text_at(&j, "date", b->o->date);
    emit_text_at(&j, "host", b->o->host);
    emit_text_at(&j, "system", text_cstr(&system));
    emit_text_at(&j, "spec", b->files[0].name);
    emit_u64_at(&j, "results", b->results);
    text_addf(&json, ",\"devices\":[%s]", text_cstr(&b->devices));
    emit_array_at(&j, "files");
    for (size_t i = 0; i < b->count; i++) {
        digest_hex(&b->files[i].digest, hex);
        emit_object(&j);
        emit_text_at(&j, "file", b->files[i].name);
        emit_text_at(&j, "sha256", hex);
        emit_object_end(&j);
    }
    emit_array_end(&j);
    text_addf(&json, ",\"left_out\":[%s]", text_cstr(&b->left_out));
    emit_object_end(&j);
    text_add(&json, "\n");
    bool ok = (!json.failed && !system.failed && !b->devices.failed && !b->left_out.failed) ||
              error_memory(e);
    ok = ok && ustar_add("bundle.json", json.data, json.length, b->time, out, e);
    text_release(&json);
    text_release(&system);
    return ok;
}

// "2026-05-06T07:08:09Z" in seconds since 1970; 0: it is not a date.
static int64_t seconds_of(const char *date)
{
    struct tm t = {.tm_isdst = 0};
    return date && strptime(date, "%Y-%m-%dT%H:%M:%SZ", &t) ? timegm(&t) : 0;
}

bool bundle_make(const struct bundle_options *o, struct text *out, uint64_t *results,
                 struct error *e)
{
    struct bundling b = {.o = o, .time = seconds_of(o->date)};
    arena_init(&b.arena);
    bool ok = find_files(&b, e) && name_files(&b, e) && add_results(&b, e) && add_contents(&b, e) &&
              add_manifest(&b, out, e);
    if (ok) {
        text_addn(out, b.out.data, b.out.length);
        ustar_end(out);
        ok = !out->failed || error_memory(e);
    }
    if (ok && b.left_out.length > 0)
        log_add(o->log, LOG_WARNING,
                "data files are not in it: %s; --all takes them, and whoever gets the bundle sees "
                "them",
                text_cstr(&b.left_out));
    *results = b.results;
    text_release(&b.left_out);
    text_release(&b.devices);
    text_release(&b.out);
    arena_release(&b.arena);
    return ok;
}
