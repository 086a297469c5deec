// hone store export: writes what the store knows of a spec in formats of others.
#include "base/fields.h"
#include "os/file_replace.h"
#include "cli/respec.h"
#include "cli/work.h"
#include "extras/formats/bundle_file.h"
#include "extras/formats/export.h"
#include "report/units.h"

#include <ctype.h>
#include <string.h>

struct export_settings {
    struct spec_settings given;
    const char *format, *output;
    bool all;
};

// One `hone store export`.
struct session {
    struct work work;
    const struct export_settings *settings;
    enum export_format format;
    struct stored_space *spaces; // those that are wanted
    size_t count;
};

// ---- which -------------------------------------------------------------------------------------

static int say_nothing(struct session *s)
{
    struct text list = TEXT_INIT;
    const struct work *w = &s->work;
    stored_spaces_list(s->spaces, s->count, &list);
    complain("%s: nothing to export of %s%s%s%s%s%s", store_path(w->store), w->spec->name,
             w->constants[0] ? " (" : "", w->constants, w->constants[0] ? ")" : "",
             s->count ? "; there is:" : "", text_cstr(&list));
    text_release(&list);
    return EXIT_NOTHING;
}

static int refuse_several(const struct session *s)
{
    struct text list = TEXT_INIT;
    stored_spaces_list(s->spaces, s->count, &list);
    complain("%zu sets of results fit; name one by --device (part of its name or platform) and "
             "--language, or write each to a file of its own with --all:%s",
             s->count, text_cstr(&list));
    text_release(&list);
    return EXIT_USAGE;
}

static bool find_all(struct session *s, const char *constants, struct error *e)
{
    struct work *w = &s->work;
    return stored_spaces(w->store, w->spec->name, constants, STORED_NEWEST, &w->arena, &s->spaces,
                         &s->count, e);
}

// --all is about all constants, unless --set names them.
static int choose_exported_space(struct session *s)
{
    struct error e = ERROR_INIT;
    const struct export_settings *o = s->settings;
    const char *device = o->given.device ? o->given.device : s->work.environment.device;
    bool any_constants = o->all && o->given.set.count == 0;
    if (!find_all(s, any_constants ? NULL : s->work.constants, &e))
        return work_failed(&e);
    if (device && device[0])
        s->count = stored_spaces_keep(s->spaces, s->count, device);
    if (o->given.language.is_given) {
        size_t kept = 0;
        for (size_t i = 0; i < s->count; i++) {
            if (str_equal(s->spaces[i].language, language_text(o->given.language.language)))
                s->spaces[kept++] = s->spaces[i];
        }
        s->count = kept;
    }
    if (s->count == 0)
        return find_all(s, NULL, &e) ? say_nothing(s) : work_failed(&e);
    return s->count == 1 || o->all ? EXIT_DONE : refuse_several(s);
}

// ---- writing -----------------------------------------------------------------------------------

// The part of the space that --config and --where select; *only is NULL if neither is given.
static bool narrow(const struct session *s, const struct spec *spec, struct space **only,
                   struct error *e)
{
    const struct export_settings *o = s->settings;
    const struct space_options options = work_space(&o->given);
    *only = NULL;
    if (o->given.config.count == 0 && o->given.where.count == 0)
        return true;
    *only = space_new(spec, &options, e);
    return *only != NULL;
}

static bool make_export(struct session *s, const struct stored_space *space, struct text *out,
                        uint64_t *results, struct error *e)
{
    struct work *w = &s->work;
    struct space *only = NULL;
    bool is_same = str_equal(space->constants, w->constants);
    struct spec *other =
        is_same ? NULL : respec(w->call->arguments[0], space->constants, &w->log, e);
    struct export_options o = {.spec = is_same ? w->spec : other,
                               .store = w->store,
                               .space = space,
                               .format = s->format,
                               .log = &w->log};
    bool ok = o.spec && narrow(s, o.spec, &only, e);
    o.only = only;
    ok = ok && export_space(&o, out, results, e);
    space_free(only);
    spec_free(other);
    return ok;
}

#define EXPORTED(X)                                                                                \
    X(TEXT, file, (c->path), "", "")                                                               \
    X(TEXT, format, (c->format), "", "")                                                           \
    X(TEXT, device, (v->device), "", "")                                                           \
    X(TEXT, platform, (v->platform), "", "")                                                       \
    X(TEXT, language, (v->language), "", "")                                                       \
    X(TEXT, constants, (v->constants), "", "")                                                     \
    X(U64, results, (c->results), "", "")

struct exported {
    const char *path, *format;
    uint64_t results;
};

FIELDS(exported_fields, struct stored_space, struct exported, EXPORTED)

static void say_file(const struct session *s, const char *path, const struct stored_space *space,
                     uint64_t results, struct text *out)
{
    const struct exported exported = {path, export_format_text(s->format), results};
    if (s->settings->given.output.format == REPORT_JSON)
        fields_line(&exported_fields, space, &exported, out);
    else
        text_addf(out, "%s\n", path);
}

static int write_one(struct session *s)
{
    struct error e = ERROR_INIT;
    struct text out = TEXT_INIT;
    uint64_t results;
    const char *path = s->settings->output;
    bool ok = make_export(s, &s->spaces[0], &out, &results, &e) &&
              (!path || file_replace(path, &out, &e));
    if (ok && path) {
        text_clear(&out);
        say_file(s, path, &s->spaces[0], results, &out);
    }
    if (ok)
        (path ? put : put_data)(&out);
    text_release(&out);
    return ok ? EXIT_DONE : work_failed(&e);
}

// Letters, digits, points and dashes.
static void add_plain(const char *part, struct text *out)
{
    bool is_dash = true;
    for (; *part; part++) {
        bool is_plain = isalnum((unsigned char)*part) || *part == '.' || *part == '=';
        if (is_plain || !is_dash)
            text_addc(out, is_plain ? *part : '-');
        is_dash = !is_plain;
    }
}

// matmul_WIDTH-256_NVIDIA-H200_opencl
static void add_name(const struct stored_space *space, struct text *out)
{
    add_plain(space->spec, out);
    if (space->constants[0]) {
        text_addc(out, '_');
        add_plain(space->constants, out);
    }
    text_addc(out, '_');
    add_plain(space->device, out);
    text_addf(out, "_%s", space->language);
}

// How many of those before it have the same name: other platforms, and devices that differ in what
// a name leaves out.
static size_t count_same(const struct session *s, size_t index, struct text *name)
{
    size_t same = 0;
    struct text other = TEXT_INIT;
    for (size_t i = 0; i < index; i++) {
        text_clear(&other);
        add_name(&s->spaces[i], &other);
        same += str_equal_nocase(text_cstr(&other), text_cstr(name));
    }
    name->failed |= other.failed;
    text_release(&other);
    return same;
}

// FOLDER/NAME.json, with a number where that is taken.
static const char *name_file(struct session *s, size_t index)
{
    struct text name = TEXT_INIT, path = TEXT_INIT;
    const char *folder = s->settings->output ? s->settings->output : ".";
    add_name(&s->spaces[index], &name);
    size_t same = count_same(s, index, &name);
    text_addf(&path, "%s/%s", folder, text_cstr(&name));
    if (same > 0)
        text_addf(&path, "_%zu", same + 1);
    text_add(&path, export_format_ending(s->format));
    bool failed = name.failed || path.failed;
    const char *own = failed ? NULL : arena_strdup(&s->work.arena, text_cstr(&path));
    text_release(&name);
    text_release(&path);
    return own;
}

static int write_all(struct session *s)
{
    struct error e = ERROR_INIT;
    struct text said = TEXT_INIT;
    bool ok = !s->settings->output || folder_make(s->settings->output, &e);
    for (size_t i = 0; ok && i < s->count; i++) {
        struct text out = TEXT_INIT;
        uint64_t results;
        const char *path = name_file(s, i);
        ok = path
                 ? make_export(s, &s->spaces[i], &out, &results, &e) && file_replace(path, &out, &e)
                 : error_memory(&e);
        if (ok)
            say_file(s, path, &s->spaces[i], results, &said);
        text_release(&out);
    }
    put(&said); // what was written before a failure is there
    text_release(&said);
    return ok ? EXIT_DONE : work_failed(&e);
}

// ---- a bundle ----------------------------------------------------------------------------------

static bool ends_as_bundle(const char *path)
{
    const size_t length = path ? strlen(path) : 0, ending = strlen(BUNDLE_ENDING);
    return length > ending && str_equal(path + length - ending, BUNDLE_ENDING);
}

static int refuse_part_of_bundle(const struct export_settings *o)
{
    const struct spec_settings *g = &o->given;
    if (!o->format && !g->device && !g->language.is_given && g->set.count == 0 &&
        g->config.count == 0 && g->where.count == 0)
        return EXIT_DONE;
    complain("-o %s: a bundle has all results of the spec: %s is for one of other formats",
             o->output,
             o->format              ? "--format"
             : g->device            ? "--device"
             : g->set.count         ? "--set"
             : g->language.is_given ? "--language"
             : g->config.count      ? "--config"
                                    : "--where");
    return EXIT_USAGE;
}

static int write_bundle(struct session *s)
{
    struct error e = ERROR_INIT;
    struct work *w = &s->work;
    struct text out = TEXT_INIT;
    char date[32];
    uint64_t results = 0;
    int status = work_environment(w);
    if (status != EXIT_DONE)
        return status;
    environment_date(date);
    const struct bundle_options o = {.spec = w->spec,
                                     .store = store_path(w->store),
                                     .scratch = w->environment.scratch.path,
                                     .date = date,
                                     .host = w->environment.host,
                                     .with_data = s->settings->all,
                                     .log = &w->log};
    bool ok = bundle_make(&o, &out, &results, &e) && file_replace(s->settings->output, &out, &e);
    if (ok) {
        const struct stored_space all = {
            .device = "", .platform = "", .language = "", .constants = ""};
        const struct exported exported = {s->settings->output, "bundle", results};
        text_clear(&out);
        if (s->settings->given.output.format == REPORT_JSON)
            fields_line(&exported_fields, &all, &exported, &out);
        else {
            text_addf(&out, "%s: ", s->settings->output);
            put_count(results, "result", &out);
            text_add(&out, " with spec and kernels\n");
        }
        put(&out);
    }
    text_release(&out);
    return ok ? EXIT_DONE : work_failed(&e);
}

// ---- the command -------------------------------------------------------------------------------

static int check_options(struct session *s)
{
    const char *format = s->settings->format;
    bool is_known = format && export_format_parse(format, &s->format);
    if (is_known && !((s->settings->given.output.format == REPORT_JSON) && !s->settings->output &&
                      !s->settings->all))
        return EXIT_DONE;
    if (is_known)
        complain("--json tells which files were written: add --output FILE or --all");
    else if (format)
        complain("--format: '%s' is none of t4, cache, csv", format);
    else
        complain(
            "say which format: --format t4, --format cache (Kernel Tuner) or --format csv; or -o "
            "NAME.tar, a bundle with spec and kernels");
    return EXIT_USAGE;
}

static int run_export(struct invocation *i)
{
    struct session s = {.settings = i->settings};
    const bool is_bundle = ends_as_bundle(s.settings->output);
    int status = is_bundle ? refuse_part_of_bundle(s.settings) : check_options(&s);
    if (status != EXIT_DONE)
        return status;
    work_init(&s.work, i, &s.settings->given, NULL);
    status = work_spec(&s.work);
    if (status == EXIT_DONE && s.settings->given.language.is_given)
        status = work_languages(&s.work);
    if (status == EXIT_DONE)
        status = work_store(&s.work, HONE_STORE_READ);
    if (status == EXIT_DONE && is_bundle)
        status = write_bundle(&s);
    else if (status == EXIT_DONE && (status = choose_exported_space(&s)) == EXIT_DONE)
        status = s.settings->all ? write_all(&s) : write_one(&s);
    work_release(&s.work);
    return status;
}

#define FIELD(member) offsetof(struct export_settings, member)

static const struct option options[] = {
    {OPTION("format", "t4|cache|csv", option_text, FIELD(format)), .letter = 'f',
     .brief = "t4, cache (Kernel Tuner) or csv",
     .help = "T4 results with metadata, a Kernel Tuner cache file, or CSV."},
    {OPTION("output", "FILE", option_text, FIELD(output)), .letter = 'o',
     .brief = "the file; else standard output",
     .help = "Write to this file, whole or not at all. Default: standard output. With --all a "
             "folder, made when missing. NAME.tar is a bundle: all results of the spec, the spec, "
             "and its kernels."},
    {OPTION("all", NULL, option_flag, FIELD(all)), .letter = 'a',
     .brief = "all that fit, a file each",
     .help = "All that fit, one file each; without --set with any constants. Prints their names. "
             "In a bundle: data files that the spec reads, too."},
    {0},
};

static const struct option_group groups[] = {{"Output", options, 0},
                                             {"What and where", spec_options, FIELD(given)},
                                             {"Help", help_options, 0},
                                             {0}};

static const struct example examples[] = {
    {"hone store export kernels_cl/matmul_tiled.json --format t4 --output matmul.json",
     "for other tuners and their analysis"},
    {"hone store export spec.json --format cache --output cache.json",
     "for Kernel Tuner's simulation mode"},
    {"hone store export spec.json -o spec.tar", "results, spec and kernels, for somebody else"},
    {"hone store export spec.json --format csv --all --output exported",
     "a table for each device and set of constants"},
    {0},
};

static const struct json_record json_records[] = {{"file", &exported_fields}, {0}};

const struct command command_export = {
    .name = "export",
    .under = "store",
    .former = "export",
    .group = GROUP_RESULTS,
    .summary = "write stored results as a bundle, T4, a Kernel Tuner cache file or CSV",
    .arguments = "SPEC",
    .least = 1,
    .most = 1,
    .description =
        "Writes the newest result of each configuration, failures too, for one device, language "
        "and set of "
        "constants.\n\n"
        "They are those under its newest driver and with the newest source of the kernel. Several "
        "sets that "
        "fit are refused with what there is, or written one file each with --all.\n\n"
        "The time is the median of the samples. T4 has it in milliseconds as the measurement "
        "'time' with its "
        "statistic beside it, and time_mean and time_minimum; one document holds results and "
        "metadata. CSV "
        "has nanoseconds. A result that was imported keeps the statistic that it came with.\n\n"
        "A bundle (-o NAME.tar, no --format) has every result of the spec with device, driver and "
        "clocks, the spec, and the sources of its kernels with what they include: `hone store "
        "import` takes it on another machine, and any tar unpacks it.\n\n"
        "Kernel Tuner takes the cache file in simulation mode, with the spec's parameters in the "
        "same order, "
        "and can append to it.\n\n"
        "Exit status 1: the store has nothing that fits.",
    .json = "With --json one object a line for each file.",
    .records = json_records,
    .topics = "formats",
    .groups = groups,
    .examples = examples,
    .settings_size = sizeof(struct export_settings),
    .run = run_export,
};
