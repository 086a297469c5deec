// hone run: one configuration, as a tune of it alone (hone_run_new()): what was measured, what the compiler gets or made
// of it, and the buffers it left.
#include "report/report.h"
#include "report/why.h"
#include "cli/run_workflow.h"
#include "cli/crash.h"
#include "cli/interrupt.h"
#include "cli/simulated_counters.h"
#include "cli/tuning.h"
#include "model/npy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

// The words of --show.
enum show {
    SHOW_RESULT,
    SHOW_SOURCE,
    // what the driver made of it
    SHOW_BINARY,
    SHOW_PTX,
    SHOW_SASS,
    SHOW_INSTRUCTIONS,
    SHOW_COUNT
};

struct run_settings {
    struct spec_settings given;
    struct measure_settings measure;
    enum show show;
    const char *output; // of buffers
    const char *inputs; // folder
};

// One `hone run`.
struct session {
    struct work work;
    const struct run_settings *settings;
    uint32_t *choice;
    const struct tune_record *record;
};

// ---- which configuration -----------------------------------------------------------------------

// The default, with what --config says.
static int choose_configuration(struct session *s)
{
    struct error e = ERROR_INIT;
    struct hone_error why = HONE_ERROR_INIT;
    struct work *w = &s->work;
    const struct list *given = &s->settings->given.config;
    s->choice = arena_array(&w->arena, hone_spec_parameters(w->loaded) + 1, sizeof *s->choice);
    if (!s->choice) {
        error_memory(&e);
        return work_failed(&e);
    }
    hone_spec_default(w->loaded, s->choice);
    for (uint32_t i = 0; i < given->count; i++) {
        if (hone_spec_read(w->loaded, given->items[i], s->choice, &why))
            continue;
        take_error(&why, &e);
        error_context(&e, "--config");
        return work_failed(&e);
    }
    return EXIT_DONE;
}

// ---- what the driver made of it ----------------------------------------------------------------

// A launch's program, as the worker hands it over.
struct compiled {
    struct text binary, ptx;
    char target[32];
    struct why_build build;
};

#define COMPILED_INIT                                                                              \
    {                                                                                              \
        .binary = TEXT_INIT, .ptx = TEXT_INIT                                                      \
    }

static bool fetch(struct work *t, const struct tune_record *record, uint32_t launch,
                  struct compiled *c, struct error *e)
{
    const struct device_info *d = t->device;
    const struct job_launch *l = &record->job->launches[launch];
    if (!tune_fetch(tune_of(t->handle), record, FETCH_BINARY, l->program, &c->binary, e) ||
        !tune_fetch(tune_of(t->handle), record, FETCH_PTX, l->program, &c->ptx, e))
        return false;
    why_target(d->capability, c->target);
    c->build = (struct why_build){.label = l->name,
                                  .kernel = l->kernel,
                                  .binary = text_cstr(&c->binary),
                                  .length = c->binary.length,
                                  .target = d->capability ? c->target : NULL};
    if (code_is_ptx(text_cstr(&c->ptx), c->ptx.length)) {
        c->build.ptx = text_cstr(&c->ptx);
        c->build.ptx_length = c->ptx.length;
    }
    return true;
}

static bool add_binary(const struct compiled *c, const struct code_tools *tools, struct text *out,
                       struct error *e)
{
    (void)tools, (void)e;
    text_addn(out, c->binary.data, c->binary.length);
    return true;
}

static bool add_ptx(const struct compiled *c, const struct code_tools *tools, struct text *out,
                    struct error *e)
{
    (void)tools;
    text_addn(out, c->build.ptx, c->build.ptx_length);
    return c->build.ptx ||
           error_set(e, ERROR_DEVICE, "this driver compiles to no PTX; NVIDIA's do");
}

static bool add_sass(const struct compiled *c, const struct code_tools *tools, struct text *out,
                     struct error *e)
{
    return why_sass(&c->build, tools, out, e);
}

static bool add_instructions(const struct compiled *c, const struct code_tools *tools,
                             struct text *out, struct error *e)
{
    struct view_why view;
    if (!why_make(&c->build, 1, tools, &view, e))
        return false;
    report_why(&view, out);
    return true;
}

static const struct {
    bool (*add)(const struct compiled *c, const struct code_tools *tools, struct text *out,
                struct error *e);
    bool each; // of every launch; else the first one's program
} shows[SHOW_COUNT] = {
    [SHOW_BINARY] = {add_binary, false},
    [SHOW_PTX] = {add_ptx, false},
    [SHOW_SASS] = {add_sass, false},
    [SHOW_INSTRUCTIONS] = {add_instructions, true},
};

static int show_compiled(struct work *t, const struct tune_record *record, enum show show)
{
    struct error e = ERROR_INIT;
    struct text out = TEXT_INIT;
    struct code_tools tools = {.scratch = t->environment.scratch.path};
    uint32_t count = shows[show].each ? record->job->launch_count : 1;
    bool ok = true;
    for (uint32_t i = 0; ok && i < count; i++) {
        struct compiled c = COMPILED_INIT;
        ok = fetch(t, record, i, &c, &e) && shows[show].add(&c, &tools, &out, &e);
        text_release(&c.binary);
        text_release(&c.ptx);
    }
    if (ok && out.failed)
        ok = error_memory(&e);
    if (ok)
        put_data(&out);
    text_release(&out);
    return ok ? EXIT_DONE : work_failed(&e);
}

// ---- the source --------------------------------------------------------------------------------

static int refuse_excluded(struct session *s)
{
    struct error e = ERROR_INIT;
    struct hone_error why = HONE_ERROR_INIT;
    struct work *w = &s->work;
    uint64_t index;
    const struct hone_space_options o = {
        .size = sizeof o, .device = w->chosen, .where = s->settings->given.where.items};
    struct hone_space *space = hone_space_new(w->loaded, &o, &why);
    if (!space) {
        take_error(&why, &e);
        return work_failed(&e);
    }
    int status = EXIT_DONE;
    if (!hone_space_find(space, s->choice, &index)) {
        char text[4096], reason[4096];
        hone_spec_text(w->loaded, s->choice, text, sizeof text);
        hone_space_why(space, s->choice, reason, sizeof reason);
        complain("%s: %s is excluded: %s", w->spec->path, text, reason);
        status = EXIT_USAGE;
    }
    hone_space_free(space);
    return status;
}

static void put_program(const struct hone_job *j, size_t index, struct text *out)
{
    struct hone_program p = HONE_PROGRAM_INIT;
    struct hone_file f = HONE_FILE_INIT;
    hone_job_program(j, index, &p);
    text_addf(out, "// %s, as the compiler gets it. Options:\n", p.name);
    for (const char *const *o = p.options; *o; o++)
        text_addf(out, "//   %s\n", *o);
    for (size_t i = 0; hone_job_file(j, index, i, &f); i++)
        text_addf(out, "// beside it: %s (%zu bytes)\n", f.path, f.text_bytes);
    text_addn(out, p.source, p.source_bytes);
    if (p.source_bytes > 0 && p.source[p.source_bytes - 1] != '\n')
        text_add(out, "\n");
}

static int show_source(struct session *s)
{
    struct error e = ERROR_INIT;
    struct hone_error why = HONE_ERROR_INIT;
    struct text out = TEXT_INIT;
    const struct work *w = &s->work;
    int status = refuse_excluded(s);
    if (status != EXIT_DONE)
        return status;
    struct hone_job *j = hone_job_new(w->loaded, w->chosen, s->choice, &w->notices, &why);
    for (size_t i = 0; j && i < hone_job_programs(j); i++)
        put_program(j, i, &out);
    put_data(&out);
    text_release(&out);
    hone_job_free(j);
    take_error(&why, &e);
    return j ? EXIT_DONE : workflow_failed(&e);
}

// ---- what is fetched ---------------------------------------------------------------------------

// "FILE", or with several outputs "FILE-C.npy" for "FILE.npy".
static void output_path(const char *file, const char *argument, bool single, struct text *out)
{
    const char *slash = strrchr(file, '/'), *dot = strrchr(slash ? slash : file, '.');
    size_t stem = dot ? (size_t)(dot - file) : strlen(file);
    if (single) {
        text_add(out, file);
        return;
    }
    text_addn(out, file, stem);
    text_addf(out, "-%s%s", argument, dot ? dot : ".npy");
}

static bool write_file(const char *path, const struct text *bytes, struct error *e)
{
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(text_cstr(bytes), 1, bytes->length, f) == bytes->length;
    int why = errno;
    if (f && fclose(f) != 0 && ok) {
        ok = false;
        why = errno;
    }
    return ok || error_set_driver(e, ERROR_IO, why, "%s: cannot write: %s", path, strerror(why));
}

static bool write_buffer(struct session *s, uint32_t index, const char *path, struct error *e)
{
    const struct job_buffer *b = &s->record->job->buffers[index];
    struct text bytes = TEXT_INIT, file = TEXT_INIT;
    bool ok = tune_fetch(tune_of(s->work.handle), s->record, FETCH_BUFFER, index, &bytes, e) &&
              npy_write(&b->element, b->count, text_cstr(&bytes), bytes.length, &file, e) &&
              write_file(path, &file, e);
    if (ok)
        say("%s: argument %s, %llu elements\n", path, b->name, (unsigned long long)b->count);
    text_release(&bytes);
    text_release(&file);
    return ok;
}

static uint32_t count_outputs(const struct job *job)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < job->buffer_count; i++)
        count += job->buffers[i].output;
    return count;
}

static int write_outputs(struct session *s)
{
    struct error e = ERROR_INIT;
    struct text path = TEXT_INIT;
    const struct job *job = s->record->job;
    uint32_t outputs = count_outputs(job);
    bool ok = outputs > 0 || error_set(&e, ERROR_USAGE, "--output: the spec has no output");
    for (uint32_t i = 0; ok && i < job->buffer_count; i++) {
        if (!job->buffers[i].output)
            continue;
        text_clear(&path);
        output_path(s->settings->output, job->buffers[i].name, outputs == 1, &path);
        ok = write_buffer(s, i, text_cstr(&path), &e);
    }
    text_release(&path);
    return ok ? EXIT_DONE : work_failed(&e);
}

static int write_inputs(struct session *s)
{
    struct error e = ERROR_INIT;
    uint32_t count;
    const struct work *w = &s->work;
    if (!inputs_write(w->spec, s->record->job, s->settings->inputs, &count, &e))
        return work_failed(&e);
    say("%s: %u input%s as .npy, and arguments.json\n", s->settings->inputs, (unsigned)count,
        count == 1 ? "" : "s");
    return EXIT_DONE;
}

// ---- running -----------------------------------------------------------------------------------

static int say_failure(const struct session *s)
{
    const struct result *r = s->record->result;
    complain("%s: %s: %s", s->record->configuration, result_word(r), r->message);
    if (r->log[0])
        say("%s\n", r->log);
    return EXIT_NOTHING;
}

static void show_result(struct session *s)
{
    struct record_frame frame;
    struct text out = TEXT_INIT;
    tuning_frame(&s->work, &frame);
    frame.peak = tuning_peak(&s->work);
    writer_record(&run_writers[s->settings->given.output.format], &frame, s->record, &out);
    put(&out);
    text_release(&out);
}

static int show_run(struct session *s)
{
    bool is_correct = s->record->result->status == STATUS_CORRECT;
    if (s->settings->show)
        return is_correct ? show_compiled(&s->work, s->record, s->settings->show) : say_failure(s);
    show_result(s);
    int status = s->settings->inputs ? write_inputs(s) : EXIT_DONE; // of what is wrong, too
    if (status == EXIT_DONE && !is_correct)
        status = EXIT_NOTHING;
    if (status == EXIT_DONE && s->settings->output)
        status = write_outputs(s);
    return status;
}

static void show_run_progress(void *context, const struct screen *screen, struct text *line)
{
    const struct session *s = context;
    struct hone_progress p = HONE_PROGRESS_INIT;
    (void)screen;
    hone_tune_progress(s->work.handle, &p);
    if (p.waiting)
        text_addf(line, "waiting: %s", p.waiting);
    else
        text_add(line, p.measuring ? "measuring" : "building");
}

static bool take_record(void *context, const void *record)
{
    ((struct session *)context)->record = record;
    return true;
}

static int wait_for_record(struct session *s)
{
    struct tune_view end;
    struct running running = {.workflow = tune_workflow(tune_of(s->work.handle)),
                              .work = &s->work,
                              .context = s,
                              .record = take_record,
                              .progress = show_run_progress,
                              .silent = true};
    workflow_run(&running);
    int status = workflow_status(&s->work.broken, workflow_failed, s->record != NULL);
    tune_view(tune_of(s->work.handle), &end);
    if (!interrupt_pending() && s->work.broken.code)
        crash_tell_reference(&s->work, &end.progress.common.evaluator);
    return status;
}

// Counts in a simulator what no device counts.
static int count_simulated(struct session *s, const struct invocation *i)
{
    struct text configuration = TEXT_INIT;
    const struct run_settings *o = s->settings;
    const struct result *r = s->record->result;
    bool is_wanted = r->counters && !r->counters->source[0] &&
                     language_traits(s->work.device->language)->is_simulated;
    if (!is_wanted)
        return EXIT_DONE;
    work_configuration(s->work.spec, s->choice, &configuration);
    int status = simulated_counters(i, &o->given, &o->measure, text_cstr(&configuration),
                                    &s->work.arena, r->counters);
    text_release(&configuration);
    return status;
}

static int run_one(struct invocation *i)
{
    struct session s = {.settings = i->settings};
    const struct run_settings *o = i->settings;
    work_init(&s.work, i, &o->given, &o->measure);
    interrupt_catch();
    int status = tuning_open(&s.work);
    if (status == EXIT_DONE)
        status = choose_configuration(&s);
    if (status == EXIT_DONE && o->show == SHOW_SOURCE) {
        status = show_source(&s);
    } else if (status == EXIT_DONE) {
        s.work.options.fresh = true; // a result of the store has no buffers
        s.work.options.configurations = NULL;
        status = tuning_start(&s.work, s.choice);
        if (status == EXIT_DONE)
            status = wait_for_record(&s);
        if (status == EXIT_DONE)
            status = count_simulated(&s, i);
        if (status == EXIT_DONE) {
            status = show_run(&s);
            tuning_tell_crash(&s.work, s.record);
        }
    }
    work_release(&s.work);
    return status;
}

// ---- the command -------------------------------------------------------------------------------

static bool option_show(void *field, const char *value, struct error *e)
{
    static const char *const names[SHOW_COUNT] = {[SHOW_SOURCE] = "source",
                                                  [SHOW_BINARY] = "binary",
                                                  [SHOW_PTX] = "ptx",
                                                  [SHOW_SASS] = "sass",
                                                  [SHOW_INSTRUCTIONS] = "instructions"};
    for (unsigned i = SHOW_SOURCE; i < SHOW_COUNT; i++) {
        if (!str_equal(value, names[i]))
            continue;
        *(enum show *)field = (enum show)i;
        return true;
    }
    return error_set(e, ERROR_USAGE, "'%s' is none of source, binary, ptx, sass and instructions",
                     value);
}

#define FIELD(member) offsetof(struct run_settings, member)

static const struct option options[] = {
    {OPTION("show", "source|binary|ptx|sass|instructions", option_show, FIELD(show)),
     .excludes = "json, format=json, output, inputs: it prints a program, and no result",
     .brief = "the text, or what became of it",
     .help =
         "Instead of a result print what the compiler gets (the text, its options in front), or "
         "what the driver made of it: the binary; on NVIDIA its PTX, its SASS (with nvdisasm, "
         "and ptxas for OpenCL, in PATH or /usr/local/cuda/bin), or both counted by classes of "
         "instructions, for the kernel and its hottest loop."},
    {OPTION("output", "FILE", option_text, FIELD(output)), .letter = 'o',
     .brief = "the outputs, as NumPy files",
     .help = "Write what the kernel computed as a NumPy file (.npy); with several outputs the "
             "argument's name is put before the ending: out-C.npy for out.npy."},
    {OPTION("inputs", "DIR", option_text, FIELD(inputs)), .brief = "the inputs, as NumPy files",
     .help =
         "Write the arrays as they are before the launch into this folder, each as NAME.npy, and "
         "arguments.json with constants, scalars, and the type and count of each array."},
    {0},
};

static const struct option_group groups[] = {{"What and where", spec_options, FIELD(given)},
                                             {"What and where", reference_options, FIELD(given)},
                                             {"Measuring", measure_options, FIELD(measure)},
                                             {"Measuring", counters_options, FIELD(measure)},
                                             {"Measuring", jobs_options, FIELD(measure)},
                                             {"Result", options, 0},
                                             {"Result", format_options, FIELD(given.output)},
                                             {"Help", help_options, 0},
                                             {0}};

static const struct example examples[] = {
    {"hone run kernels_cl/matmul_tiled.json --config block_size_x=32,block_size_y=16,tile_size_y=2",
     "everything about one configuration"},
    {"hone run kernels_cl/matmul_tiled.json --show source", "what the compiler gets"},
    {"hone run kernels_cl/matmul_tiled.json --show instructions",
     NEEDS_GPU "what the kernel and its inner loop consist of"},
    {"hone run kernels_cl/matmul_tiled.json --output C.npy", "the product, for NumPy"},
    {0},
};

static const struct json_record json_records[] = {
    {"result", &record_fields}, {"details", &report_details_fields}, {0}};

extern const char about_run[]; // about/run.txt

const struct command command_run = {
    .name = "run",
    .group = GROUP_MEASURE,
    .summary = "run one configuration and show everything about it",
    .arguments = "SPEC",
    .least = 1,
    .most = 1,
    .description = about_run,
    .json = "With --json one object: a result of hone tune and its details.",
    .records = json_records,
    .topics = "devices, json",
    .groups = groups,
    .examples = examples,
    .settings_size = sizeof(struct run_settings),
    .run = run_one,
    .compiles = true,
};
