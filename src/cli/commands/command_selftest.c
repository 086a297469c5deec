// hone selftest: checks a few configurations of the gallery's kernels on every device, and writes what came of it as one file.
// Nothing is tuned and nothing stored: each check is one of `hone check --json`, and the file is their lines.
#include "cli/checking.h"
#include "cli/interrupt.h"
#include "cli/run_workflow.h"
#include "base/emit.h"
#include "lib/choose_device.h"
#include "os/beside.h"
#include "os/file_replace.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define SAMPLE      3
#define LEAST_SIZE  "=64" // where a check at the smallest size begins
#define SIZE_LEAST  256   // a whole constant from here on is a size
#define SPECS_MOST  256
#define DEFAULT_OUT "hone-selftest.json"

struct selftest_settings {
    struct spec_settings given; // --device alone
    const char *output;
};

struct session {
    struct invocation *call;
    const struct selftest_settings *settings;
    struct work work; // for the list of devices
    const char **specs;
    uint32_t spec_count, passed, failed;
    struct text file;
    struct checking *checking; // the one that runs
    bool is_ended;             // by Ctrl-C
};

// ---- which -------------------------------------------------------------------------------------

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool list_specs(struct session *s, const char *folder)
{
    struct arena *a = &s->work.arena;
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    s->specs = dir ? arena_array(a, SPECS_MOST, sizeof *s->specs) : NULL;
    while (s->specs && s->spec_count < SPECS_MOST && (entry = readdir(dir))) {
        const size_t length = strlen(entry->d_name);
        if (length > 5 && str_equal(entry->d_name + length - 5, ".json") &&
            (s->specs[s->spec_count] = arena_printf(a, "%s/%s", folder, entry->d_name)))
            s->spec_count++;
    }
    if (dir)
        closedir(dir);
    if (s->specs && s->spec_count > 0)
        qsort(s->specs, s->spec_count, sizeof *s->specs, by_name);
    return s->spec_count > 0;
}

// Refuses a spec that cannot be read: that is a mistake, not a device's failure.
static int read_given_specs(const struct session *s)
{
    for (uint32_t i = 0; i < s->spec_count; i++) {
        struct error e = ERROR_INIT;
        struct spec *spec = spec_load(s->specs[i], NULL, &e);
        spec_free(spec);
        if (spec)
            continue;
        if (e.code != ERROR_INPUT || !work_refuse_file(s->specs[i]))
            complain("%s", e.text);
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

// The gallery as it is installed, or beside the build.
static int find_specs(struct session *s)
{
    static const char *const places[] = {"../share/hone/kernels_cl/examples",
                                         "../kernels_cl/examples"};
    char folder[BESIDE_PATH_SIZE];
    if (s->call->argument_count > 0) {
        s->specs = s->call->arguments;
        s->spec_count = s->call->argument_count;
        return read_given_specs(s);
    }
    char *slash = beside_program(folder) ? strrchr(folder, '/') : NULL;
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        *slash = '\0';
        const char *path = arena_printf(&s->work.arena, "%s/%s", folder, places[i]);
        if (path && list_specs(s, path))
            return EXIT_DONE;
    }
    complain("the gallery is neither installed nor beside this program; name specs: hone selftest "
             "SPEC...");
    return EXIT_NOTHING;
}

// Every constant that is a size, at the smallest value from 64 on.
static struct list smallest_of(const struct spec *spec, struct arena *a)
{
    struct list out = {NULL, 0};
    const char **items = arena_array(a, spec->constant_count + (size_t)1, sizeof *items);
    out.items = items;
    for (uint32_t i = 0; items && i < spec->constant_count; i++) {
        const struct value *v = &spec->constants[i].value;
        if (v->kind == VALUE_INT && v->i >= SIZE_LEAST &&
            (items[out.count] = arena_printf(a, "%s" LEAST_SIZE, spec->constants[i].name)))
            out.count++;
    }
    return out;
}

// ---- one check ---------------------------------------------------------------------------------

static bool take_selftest_record(void *context, const void *record)
{
    struct session *s = context;
    struct check_report report;
    checking_report(s->checking, &report);
    writer_record(&check_writers[REPORT_JSON], &report, record, &s->file);
    return true;
}

static void run_check_of(struct session *s, struct checking *c, const char *title)
{
    const struct writer *w = &check_writers[REPORT_JSON];
    struct check_report report;
    struct text line = TEXT_INIT;
    struct running running = {.workflow = check_workflow(c->check),
                              .work = &c->work,
                              .context = s,
                              .record = take_selftest_record};
    c->work.environment.host = ""; // nobody who gets the file needs the machine's name
    checking_report(c, &report);
    writer_head(w, &report, &s->file);
    s->checking = c;
    workflow_run(&running);
    checking_report(c, &report);
    writer_end(w, &report, &s->file);
    const bool is_right = report_check_passed(&report) && c->work.broken.code == ERROR_NONE;
    *(is_right ? &s->passed : &s->failed) += 1;
    text_addf(&line, "  %-16s %s\n", title,
              is_right              ? "correct"
              : c->work.broken.code ? c->work.broken.text
              : running.ending      ? "ended"
                                    : "FAILED");
    put(&line);
    text_release(&line);
    s->is_ended = running.ending;
}

static void check_spec(struct session *s, const struct device_info *device, const char *path)
{
    struct error e = ERROR_INIT;
    struct checking c;
    struct arena a;
    struct spec *spec = spec_load(path, NULL, &e);
    if (spec && !spec_has_language(spec, device->language)) {
        spec_free(spec);
        return;
    }
    arena_init(&a);
    const struct check_settings settings = {.given = {.device = device->id,
                                                      .store = "none",
                                                      .language = {true, device->language},
                                                      .output = {true, REPORT_JSON}},
                                            .sample = SAMPLE,
                                            .smallest = spec ? smallest_of(spec, &a)
                                                             : (struct list){NULL, 0}};
    struct invocation call = *s->call;
    call.arguments = &path;
    call.argument_count = 1;
    checking_init(&c, &call, &settings);
    if (!spec)
        complain("%s", e.text);
    if (spec && checking_start(&c) == EXIT_DONE)
        run_check_of(s, &c, spec->name);
    else
        s->failed++;
    checking_release(&c);
    arena_release(&a);
    spec_free(spec);
}

// ---- all ---------------------------------------------------------------------------------------

static void put_first_line(struct session *s)
{
    char date[32];
    struct utsname system;
    struct emit j;
    environment_date(date);
    emit_start(&j, &s->file);
    emit_object(&j);
    emit_text_at(&j, "type", "selftest");
    emit_text_at(&j, "hone", HONE_VERSION);
    emit_text_at(&j, "date", date);
    if (uname(&system) == 0) {
        emit_text_at(&j, "system", system.sysname);
        emit_text_at(&j, "release", system.release);
        emit_text_at(&j, "machine", system.machine);
    }
    emit_object_end(&j);
    text_add(&s->file, "\n");
}

static bool has_kernel_for(const struct session *s, const struct device_info *device)
{
    bool any = false;
    for (uint32_t i = 0; i < s->spec_count && !any; i++) {
        struct error ignored = ERROR_INIT;
        struct spec *spec = spec_load(s->specs[i], NULL, &ignored);
        any = !spec ||
              spec_has_language(spec, device->language); // one that cannot be read fails there
        spec_free(spec);
    }
    return any;
}

static void check_device(struct session *s, const struct device_info *device)
{
    struct text head = TEXT_INIT;
    report_device(device, &head);
    put(&head);
    text_release(&head);
    for (uint32_t i = 0; i < s->spec_count && !s->is_ended; i++)
        check_spec(s, device, s->specs[i]);
}

static int check_devices(struct session *s)
{
    const struct device_report *r = &s->work.devices;
    const char *wanted = s->settings->given.device;
    uint32_t devices = 0;
    put_first_line(s);
    for (uint32_t i = 0; i < r->device_count && !s->is_ended; i++) {
        const struct device_info *d = &r->devices[i];
        if ((wanted && count_fitting_devices(d, 1, wanted) == 0) || !has_kernel_for(s, d))
            continue;
        devices++;
        check_device(s, d);
    }
    if (devices > 0)
        return EXIT_DONE;
    complain(wanted ? "no device '%s' runs these kernels; `hone devices` lists the devices"
                    : "no device runs these kernels%s; hone devices says what is missing",
             wanted ? wanted : "");
    return EXIT_NOTHING;
}

static int write_selftest(struct session *s)
{
    struct error e = ERROR_INIT;
    struct text text = TEXT_INIT;
    const char *output = s->settings->output ? s->settings->output : DEFAULT_OUT;
    if (!file_replace(output, &s->file, &e))
        return work_failed(&e);
    text_addf(&text,
              "%u of %u are correct. Written: %s; it has devices, drivers, results, paths and this "
              "command line, as you can read in it\n",
              s->passed, s->passed + s->failed, output);
    put(&text);
    text_release(&text);
    return s->failed > 0 || s->is_ended ? EXIT_NOTHING : EXIT_DONE;
}

static int run_selftest(struct invocation *i)
{
    struct session s = {.call = i, .settings = i->settings};
    work_init(&s.work, i, &s.settings->given, NULL);
    interrupt_catch();
    int status = find_specs(&s);
    if (status == EXIT_DONE)
        status = work_devices(&s.work, NULL, NULL);
    work_drop_workers(&s.work);
    if (status == EXIT_DONE)
        status = check_devices(&s);
    if (status == EXIT_DONE)
        status = write_selftest(&s);
    text_release(&s.file);
    work_release(&s.work);
    return status;
}

// ---- the command -------------------------------------------------------------------------------

#define FIELD(member) offsetof(struct selftest_settings, member)

static const struct option options[] = {
    {OPTION("output", "FILE", option_text, FIELD(output)), .letter = 'o',
     .brief = "the file; else " DEFAULT_OUT,
     .help = "The file that is written, a line of JSON for each part. Default: " DEFAULT_OUT "."},
    {OPTION("device", "NAME", option_text, FIELD(given.device)), .letter = 'd',
     .brief = "this device alone",
     .help = "This device alone, as `hone devices` names it. Default: all, in each language."},
    {0},
};

static const struct option_group groups[] = {
    {"Options", options, 0}, {"Help", help_options, 0}, {0}};

static const struct example examples[] = {
    {"hone selftest -o selftest.json", "every device here, in a few minutes"},
    {0},
};

const struct command command_selftest = {
    .name = "selftest",
    .group = GROUP_HELP,
    .summary = "check that hone works here, with a file to send",
    .arguments = "[SPEC...]",
    .least = 0,
    .most = 64,
    .description =
        "Checks three configurations of each kernel of the gallery (or of the specs that are "
        "named), at small sizes, on every device and in every language that it offers, and writes "
        "one file about it.\n\n"
        "The file has hone's version, the system, and for each check what `hone check --json` "
        "writes: device, driver, compiler, results and logs. Nothing is tuned or stored, and "
        "nothing is sent.\n\n"
        "Exit status 1: a kernel is not correct on a device.",
    .groups = groups,
    .examples = examples,
    .settings_size = sizeof(struct selftest_settings),
    .run = run_selftest,
    .compiles = true,
};
