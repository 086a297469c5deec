// Puts recorded spaces into a store. Each row becomes a result under an id that is a digest of what it
// says, so that importing a file again adds nothing, and of a job whose key no live job can have.

#include "extras/formats/import.h"

#include "base/wire.h"
#include "space/space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- what a file must be -----------------------------------------------------------------------

static bool check_import_constants(const struct recorded *r, const struct spec *s, struct error *e)
{
    struct text now = TEXT_INIT;
    spec_constants_text(s, &now);
    bool ok = !now.failed || error_memory(e);
    if (ok && r->constants[0] && !str_equal(r->constants, text_cstr(&now)))
        ok = error_set(e, ERROR_INPUT,
                       "%s: recorded with %s, and %s has %s; say the same constants with --set",
                       r->path, r->constants, s->path, now.length ? text_cstr(&now) : "none");
    text_release(&now);
    return ok;
}

static bool check_device(const struct recorded *r, const char *wanted, struct error *e)
{
    return !wanted || !wanted[0] || !r->device[0] || str_contains_nocase(r->device, wanted) ||
           error_set(e, ERROR_INPUT, "%s: recorded on %s, not on '%s'", r->path, r->device, wanted);
}

// A restriction that was added since, or another spec with the same parameters.
static bool note_excluded(const struct recorded *r, const struct import_options *o, struct error *e)
{
    uint64_t index, excluded = 0;
    struct space *space = space_new(o->spec, NULL, e);
    if (!space)
        return false;
    for (uint64_t i = 0; i < r->count && !space_reads_device(space); i++)
        excluded +=
            r->rows[i].status == STATUS_CORRECT && !space_find(space, r->rows[i].choice, &index);
    space_free(space);
    if (excluded > 0)
        log_add(o->log, LOG_WARNING,
                "%s: %llu of %llu correct results are of configurations that the restrictions of "
                "%s exclude",
                r->path, (unsigned long long)excluded, (unsigned long long)r->correct,
                o->spec->path);
    return true;
}

static struct recorded *read_one(const char *path, const struct import_options *o, struct error *e)
{
    const struct recorded_options options = {.spec = o->spec, .log = o->log};
    struct recorded *r = recorded_read(path, &options, e);
    if (r && r->is_untimed)
        error_set(e, ERROR_INPUT, "%s: no times are recorded, and a store keeps times", path);
    else if (r && check_import_constants(r, o->spec, e) && check_device(r, o->device, e) &&
             note_excluded(r, o, e))
        return r;
    recorded_free(r);
    return NULL;
}

// ---- one file ----------------------------------------------------------------------------------

struct importing {
    struct store *store;
    const struct import_options *o;
    const struct recorded *recorded;
    struct device_info device;
    char platform[64], name[512];
    struct text constants, configuration, json, origin;
    struct job *job; // stands for each: what there is in place of a source
};

static const char *imported_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// No device has this platform; the statistic tells two imports of one device apart.
static void name_device(struct importing *m)
{
    const struct recorded *r = m->recorded;
    const char *wanted = m->o->device;
    bool is_said = wanted && wanted[0];
    str_format(m->name, sizeof m->name, "unknown device (%s)", imported_file_name(r->path));
    snprintf(m->platform, sizeof m->platform, IMPORTED_PLATFORM "%s", r->statistic);
    m->device = (struct device_info){.language = m->o->language,
                                     .type = DEVICE_ACCELERATOR,
                                     .id = "",
                                     .name = r->device[0] ? r->device
                                             : is_said    ? wanted
                                                          : m->name,
                                     .vendor = "",
                                     .platform = m->platform,
                                     DEVICE_INFO_UNSAID,
                                     .driver = "",
                                     .compiler = "",
                                     .surroundings = ""};
    if (!r->device[0] && !is_said)
        log_add(m->o->log, LOG_WARNING,
                "%s: it does not say on which device it was recorded; --device NAME does", r->path);
}

// The kernel's name, and in place of a source where it comes from.
static bool make_job(struct importing *m)
{
    const struct recorded *r = m->recorded;
    const char *kernel = r->name[0] ? r->name : m->o->spec->name;
    struct job *j = m->job = job_new();
    if (!j)
        return false;
    text_addf(&m->origin, "%s, recorded by others\n", recorded_format_text(r->format));
    j->language = m->o->language;
    j->program_count = j->launch_count = 1;
    j->programs = arena_array(&j->arena, 1, sizeof *j->programs);
    j->launches = arena_array(&j->arena, 1, sizeof *j->launches);
    if (!j->programs || !j->launches || m->origin.failed)
        return false;
    *j->programs = (struct job_program){.name = imported_file_name(r->path),
                                        .source = text_cstr(&m->origin),
                                        .length = m->origin.length};
    *j->launches = (struct job_launch){.name = kernel, .kernel = kernel};
    return true;
}

static bool begin_import(struct importing *m, struct error *e)
{
    const struct spec *s = m->o->spec;
    spec_constants_text(s, &m->constants);
    name_device(m);
    if (m->constants.failed || !make_job(m))
        return error_memory(e);
    const struct store_session session = {.command = m->o->command,
                                          .hone_version = HONE_VERSION,
                                          .spec_name = s->name,
                                          .spec_path = s->path,
                                          .spec_text = s->text,
                                          .constants = text_cstr(&m->constants),
                                          .host = m->o->host,
                                          .device = &m->device,
                                          .surroundings = ""};
    return store_begin(m->store, &session, e);
}

// ---- one row -----------------------------------------------------------------------------------

static void hash_text(struct wire *w, const char *text)
{
    wire_str(w, &text);
}

// Begins with a text that no job's codec begins with, and holds no measuring version: what others
// measured does not age with ours.
static void make_imported_key(struct importing *m, struct digest *out)
{
    struct digest_state state;
    struct wire w;
    digest_start(&state);
    wire_hasher(&w, &state);
    hash_text(&w, "hone: imported");
    hash_text(&w, m->o->spec->name);
    hash_text(&w, text_cstr(&m->constants));
    hash_text(&w, text_cstr(&m->json));
    device_info_identity(&w, &m->device);
    digest_finish(&state, out);
}

static uint64_t whole_nanoseconds(double ns)
{
    return ns >= 0 && ns < 0x1p63 ? (uint64_t)llround(ns) : 0;
}

static void make_id(const struct digest *key, const struct result *r, uint8_t id[STORE_ID_BYTES])
{
    struct digest_state state;
    struct digest whole;
    struct wire w;
    struct result copy = *r; // a codec's parameter is not const, though hashing only reads
    digest_start(&state);
    digest_add(&state, key->bytes, sizeof key->bytes);
    wire_hasher(&w, &state);
    result_codec(&w, &copy);
    if (r->exact_ns != (double)whole_nanoseconds(r->exact_ns))
        digest_add(&state, &r->exact_ns, sizeof r->exact_ns);
    digest_finish(&state, &whole);
    memcpy(id, whole.bytes, STORE_ID_BYTES);
}

// As a sample the time is a whole number of nanoseconds, as all are; the fraction is kept beside it.
static bool set_time(struct result *r, double ns)
{
    r->samples_ns = arena_array(&r->arena, 1, sizeof *r->samples_ns);
    if (!r->samples_ns)
        return false;
    r->samples_ns[0] = ns < 1 ? 1 : whole_nanoseconds(ns);
    r->sample_count = r->batch = 1;
    r->exact_ns = ns;
    return true;
}

// Without memory a failure says something else, which is another result.
static bool set_failure(struct result *r, const struct recorded_row *row)
{
    result_fail(r, row->status, FAULT_CONFIGURATION, "%s", row->message);
    return strlen(r->message) == strlen(row->message);
}

static struct result *make_result(const struct recorded *rec, const struct recorded_row *row)
{
    struct result *r = result_new();
    if (!r)
        return NULL;
    bool ok = row->status == STATUS_CORRECT ? set_time(r, row->time_ns) : set_failure(r, row);
    r->stop = STOP_IMPORTED;
    r->statistic = arena_strdup(&r->arena, rec->statistic);
    r->build_ns = whole_nanoseconds(row->costs.compile_ns);
    r->measure_ns = whole_nanoseconds(row->costs.run_ns);
    r->verify_ns = whole_nanoseconds(row->costs.verify_ns);
    r->load_ns = whole_nanoseconds(row->costs.framework_ns);
    if (ok && r->statistic)
        return r;
    result_free(r);
    return NULL;
}

static bool put_imported_row(struct importing *m, const struct recorded_row *row, bool *added,
                             struct error *e)
{
    static const struct policy policy = {.launches = 1, .batch = 1};
    const struct spec *s = m->o->spec;
    uint8_t id[STORE_ID_BYTES];
    text_clear(&m->configuration);
    text_clear(&m->json);
    spec_configuration_text(s, row->choice, false, &m->configuration);
    spec_configuration_json(s, row->choice, &m->json);
    struct result *r = make_result(m->recorded, row);
    if (!r || m->configuration.failed || m->json.failed) {
        result_free(r);
        return error_memory(e);
    }
    struct store_job job = {.job = m->job,
                            .as = {.spec_name = s->name, .constants = text_cstr(&m->constants)}};
    m->job->configuration = text_cstr(&m->configuration);
    m->job->configuration_json = text_cstr(&m->json);
    make_imported_key(m, &job.key);
    make_id(&job.key, r, id);
    digest_of(IMPORTED_PLATFORM, strlen(IMPORTED_PLATFORM), &job.as.source);
    bool ok = store_put_once(m->store, id, &job, &policy, r, added, e);
    result_free(r);
    return ok;
}

static bool put_imported_file(struct store *store, const struct recorded *r,
                              const struct import_options *o, struct store_imported *out,
                              struct error *e)
{
    struct importing m = {.store = store, .o = o, .recorded = r};
    bool ok = begin_import(&m, e);
    for (uint64_t i = 0; i < r->count && ok; i++) {
        bool added = false;
        ok = put_imported_row(&m, &r->rows[i], &added, e);
        out->results++;
        out->added += added;
    }
    job_free(m.job);
    text_release(&m.constants);
    text_release(&m.configuration);
    text_release(&m.json);
    text_release(&m.origin);
    return ok;
}

// ---- all ---------------------------------------------------------------------------------------

static bool put_imported_rows(const char *path, struct recorded *const *files, size_t count,
                              const struct import_options *o, struct store_imported *out,
                              struct error *e)
{
    struct store *store = store_open(path, STORE_WRITE, e);
    bool ok = store && store_together(store, e);
    if (ok) {
        for (size_t i = 0; i < count && ok; i++)
            ok = put_imported_file(store, files[i], o, &out[i], e);
        ok = store_together_end(store, ok, e) && ok;
    }
    store_close(store);
    return ok;
}

bool import_recorded(const char *path, const char *const *files, size_t count,
                     const struct import_options *o, struct store_imported *out, struct error *e)
{
    struct recorded **read = calloc(count + 1, sizeof(struct recorded *));
    bool ok = read != NULL || error_memory(e);
    memset(out, 0, count * sizeof *out);
    for (size_t i = 0; i < count && ok; i++) {
        read[i] = read_one(files[i], o, e);
        ok = read[i] != NULL;
    }
    ok = ok && put_imported_rows(path, read, count, o, out, e);
    for (size_t i = 0; read && i < count; i++)
        recorded_free(read[i]);
    free(read);
    return ok;
}
