#include "cli/crash.h"
#include "cli/interrupt.h"
#include "cli/show_compiled.h"
#include "cli/tuning.h"
#include "report/npy.h"
#include "space/space.h"

#include "base/process.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define STEP_MS            100
#define DEFAULT_ITERATIONS 7

// One `hone run`.
struct session {
    struct tuning tuning;
    const struct settings *settings;
    uint32_t *choice;
    const char *configurations[1]; // complete
    const struct tune_record *record;
};

// ---- which configuration -----------------------------------------------------------------------

static int refuse_excluded(const struct session *s, const struct space *space)
{
    struct space_reason reason;
    struct text why = TEXT_INIT;
    const struct work *w = &s->tuning.work;
    space_why(space, s->choice, &reason);
    if (reason.restriction)
        space_reason_text(space, s->choice, &reason, &why);
    complain("%s: %s is excluded: %s", w->spec->path, s->configurations[0], text_cstr(&why));
    text_release(&why);
    return EXIT_USAGE;
}

static int check_valid(struct session *s)
{
    struct error e = ERROR_INIT;
    uint64_t index;
    struct space_options options = {.device = s->tuning.work.device,
                                    .where = s->settings->where.items,
                                    .where_count = s->settings->where.count};
    struct space *space = space_new(s->tuning.work.spec, &options, &e);
    if (!space)
        return work_failed(&e);
    int status = EXIT_DONE;
    if (!space_find(space, s->choice, &index))
        status = refuse_excluded(s, space);
    space_free(space);
    return status;
}

// The default, with what --config says.
static int choose(struct session *s)
{
    struct error e = ERROR_INIT;
    struct text text = TEXT_INIT;
    struct work *w = &s->tuning.work;
    s->choice = arena_array(&w->arena, w->spec->parameter_count + 1, sizeof *s->choice);
    if (!s->choice) {
        error_memory(&e);
        return work_failed(&e);
    }
    spec_default(w->spec, s->choice);
    for (uint32_t i = 0; i < s->settings->config.count; i++) {
        if (!spec_parse_configuration(w->spec, s->settings->config.items[i], s->choice, &e)) {
            error_context(&e, "--config");
            return work_failed(&e);
        }
    }
    spec_configuration_text(w->spec, s->choice, true, &text);
    s->configurations[0] = arena_strdup(&w->arena, text_cstr(&text));
    bool ok = s->configurations[0] && !text.failed;
    text_release(&text);
    if (ok)
        return check_valid(s);
    error_memory(&e);
    return work_failed(&e);
}

// ---- the source --------------------------------------------------------------------------------

static void put_program(const struct job_program *p, struct text *out)
{
    text_addf(out, "// %s, as the compiler gets it. Options:\n", p->name);
    for (uint32_t i = 0; i < p->option_count; i++)
        text_addf(out, "//   %s\n", p->options[i]);
    for (uint32_t i = 0; i < p->file_count; i++)
        text_addf(out, "// beside it: %s (%llu bytes)\n", p->files[i].path,
                  (unsigned long long)p->files[i].length);
    text_addn(out, p->source, p->length);
    if (p->length > 0 && ((const char *)p->source)[p->length - 1] != '\n')
        text_add(out, "\n");
}

static int show_source(struct session *s)
{
    struct error e = ERROR_INIT;
    struct job *job = NULL;
    struct text out = TEXT_INIT;
    const struct work *w = &s->tuning.work;
    struct spec_sources *sources =
        spec_sources_read(w->spec, w->device->language, w->device, &w->log, &e);
    bool ok = sources && spec_job(w->spec, sources, w->device, s->choice, &job, &e);
    for (uint32_t i = 0; ok && i < job->program_count; i++)
        put_program(&job->programs[i], &out);
    put_data(&out);
    text_release(&out);
    job_free(job);
    spec_sources_free(sources);
    return ok ? EXIT_DONE : tuning_failed(&e);
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
    bool ok = tune_fetch(s->tuning.tune, s->record, FETCH_BUFFER, index, &bytes, e) &&
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

// ---- running -----------------------------------------------------------------------------------

static int say_failure(const struct session *s)
{
    const struct result *r = s->record->result;
    complain("%s: %s: %s", s->record->configuration, result_word(r), r->message);
    if (r->log[0])
        say("%s\n", r->log);
    return EXIT_NOTHING;
}

static int show_result(struct session *s)
{
    struct view_result view;
    struct text out = TEXT_INIT;
    struct emit json;
    const struct device_info *d = s->tuning.work.device;
    if (!tuning_view(&s->tuning, s->record, &view)) {
        complain("out of memory");
        return EXIT_NOTHING;
    }
    view.peak = tuning_peak(&s->tuning);
    emit_start(&json, &out);
    if (s->settings->json) {
        report_result_json(&view, "result", true, &json);
        text_add(&out, "\n");
    } else {
        report_device(d, &out);
        report_result(&view, &out);
    }
    put(&out);
    text_release(&out);
    return EXIT_DONE;
}

static int show(struct session *s)
{
    bool is_correct = s->record->result->status == STATUS_CORRECT;
    if (s->settings->show)
        return is_correct ? show_compiled(&s->tuning, s->record, s->settings->show)
                          : say_failure(s);
    int status = show_result(s);
    if (status == EXIT_DONE && !is_correct)
        status = EXIT_NOTHING;
    if (status == EXIT_DONE && s->settings->output)
        status = write_outputs(s);
    return status;
}

static void show_waiting(struct session *s)
{
    struct tune_progress p;
    struct text line = TEXT_INIT;
    struct ticker *ticker = &s->tuning.work.ticker;
    uint64_t now = clock_ns();
    if (!ticker_due(ticker, now))
        return;
    tune_progress(s->tuning.tune, &p);
    if (p.evaluator.waiting)
        text_addf(&line, "waiting: %s", p.evaluator.waiting);
    else
        text_add(&line, p.evaluator.measuring ? "measuring" : "building");
    bool is_worth_a_line = ticker->terminal || p.evaluator.waiting;
    if (is_worth_a_line)
        ticker_show(ticker, text_cstr(&line), now);
    text_release(&line);
}

static int wait_for_record(struct session *s)
{
    const struct tune_record *record;
    struct error e = ERROR_INIT;
    enum tune_answer answer;
    bool ending = false;
    do {
        if (interrupt_pending() && !ending) {
            ending = true;
            tune_cancel(s->tuning.tune);
        }
        show_waiting(s);
        answer = tune_step(s->tuning.tune, STEP_MS, &record, &e);
        if (answer == TUNE_RECORD)
            s->record = record;
    } while (answer == TUNE_RECORD || answer == TUNE_NOTHING);
    ticker_clear(&s->tuning.work.ticker);
    if (interrupt_pending())
        return EXIT_SIGNAL + interrupt_pending();
    if (answer == TUNE_BROKEN) {
        int status = tuning_failed(&e);
        crash_tell_reference(&s->tuning.work, &e);
        return status;
    }
    return s->record ? EXIT_DONE : EXIT_NOTHING;
}

// A result of the store has no buffers: what is fetched has to run.
static void set_options(struct session *s)
{
    struct tune_options *o = &s->tuning.options;
    bool fetches = s->settings->output || s->settings->show;
    o->configurations = s->configurations;
    o->configuration_count = 1;
    o->keep = true;
    o->terms.energy = o->spec->uses_energy;
    o->terms.rules.unranked = true; // one alone is compared with nothing
    o->fresh = !s->settings->stored || fetches;
    if (!o->terms.rules.fixed && !s->settings->stored)
        o->terms.rules.fixed = DEFAULT_ITERATIONS;
}

static int run(struct invocation *i)
{
    struct session s = {.settings = &i->settings};
    const struct settings *o = &i->settings;
    if (o->show && (o->json || o->output)) {
        complain("--show and %s exclude each other", o->json ? "--json" : "--output");
        return EXIT_USAGE;
    }
    tuning_init(&s.tuning, i);
    interrupt_catch();
    int status = tuning_open(&s.tuning);
    if (status == EXIT_DONE)
        status = choose(&s);
    if (status == EXIT_DONE && i->settings.show == SHOW_SOURCE) {
        status = show_source(&s);
    } else if (status == EXIT_DONE) {
        set_options(&s);
        status = tuning_start(&s.tuning);
        if (status == EXIT_DONE)
            status = wait_for_record(&s);
        if (status == EXIT_DONE) {
            status = show(&s);
            tuning_tell_crash(&s.tuning, s.record);
        }
    }
    tuning_release(&s.tuning);
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

#define FIELD(member) offsetof(struct settings, member)

static const struct option options[] = {
    {.name = "show",
     .argument = "source|binary|ptx|sass|instructions",
     .help =
         "Instead of a result print what the compiler gets (the text, its options in front), or "
         "what the driver made of it: the binary; on NVIDIA its PTX, its SASS (with nvdisasm, "
         "and ptxas for OpenCL, in PATH or /usr/local/cuda/bin), or both counted by classes of "
         "instructions, for the kernel and its hottest loop.",
     .apply = option_show,
     .offset = FIELD(show)},
    {.name = "output",
     .argument = "FILE",
     .help = "Write what the kernel computed as a NumPy file (.npy); with several outputs the "
             "argument's name is put before the ending: out-C.npy for out.npy.",
     .apply = option_text,
     .offset = FIELD(output)},
    {.name = "stored",
     .help = "Take the result from the store if it is there.",
     .apply = option_flag,
     .offset = FIELD(stored)},
    {0},
};

static const struct option_group groups[] = {
    {"What and where", spec_options}, {"Measuring", measure_options},
    {"Measuring", jobs_options},      {"Result", options},
    {"Result", no_store_options},     {"Result", crash_options},
    {"Help", help_options},           {0}};

static const struct example examples[] = {
    {"hone run kernels_cl/matmul_tiled.json --config block_size_x=32,block_size_y=16,tile_size_y=2",
     "everything about one configuration"},
    {"hone run kernels_cl/matmul_tiled.json --show source", "what the compiler gets"},
    {"hone run kernels_cl/matmul_tiled.json --show instructions",
     "what the kernel and its inner loop consist of"},
    {"hone run kernels_cl/matmul_tiled.json --output C.npy", "the product, for NumPy"},
    {0},
};

const struct command command_run = {
    .name = "run",
    .summary = "run one configuration and show everything about it",
    .arguments = "SPEC",
    .least = 1,
    .most = 1,
    .description =
        "Builds, verifies and measures one configuration: the default one, or what --config says "
        "of "
        "it. Shows the options of the build, the build log, the launch geometry, the resources "
        "that the "
        "kernel takes, how far the result is from the reference, and every sample. It is measured "
        "anew, "
        "7 times unless the spec or --iterations says otherwise, and the result is kept in the "
        "store.\n\n"
        "With --json one object: a result as `hone tune --json` prints it, and also mean_ns, "
        "least_ns, "
        "most_ns, batch, launches (name, kernel, global_size, local_size, resources, "
        "median_part_ns), "
        "parts_ns, deviations, verify_launch_ns, options, log, output, fault and peak (null, or "
        "limits as `hone peak --json` prints them, and shares: of each metric in FLOP/s or B/s "
        "limit and share).\n\n"
        "Exit status 0: correct, 1: not, 2: the configuration is excluded or makes no sense.",
    .groups = groups,
    .examples = examples,
    .run = run,
    .compiles = true,
};
