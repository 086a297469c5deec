// hone check: every configuration is built, launched once and compared with the reference.
#include "report/check_report.h"
#include "cli/completion.h"
#include "cli/architecture.h"
#include "cli/checking.h"
#include "cli/checking_known.h"
#include "cli/crash.h"
#include "os/file_replace.h"
#include "cli/interrupt.h"
#include "cli/nodes.h"
#include "cli/run_workflow.h"
#include "report/progress.h"

#include <stdlib.h>
#include <string.h>

// One `hone check`.
struct session {
    struct checking checking;
    const struct check_settings *settings;
    const struct writer *writer;
};

// ---- results -----------------------------------------------------------------------------------

static bool show_record(void *context, const void *record)
{
    struct session *s = context;
    struct check_report report;
    struct text line = TEXT_INIT;
    checking_report(&s->checking, &report);
    writer_record(s->writer, &report, record, &line);
    if (line.length)
        workflow_write(&s->checking.work.ticker, &line);
    text_release(&line);
    return true;
}

static bool write_junit(const struct session *s, const struct check_report *report)
{
    struct error e = ERROR_INIT;
    struct text xml = TEXT_INIT;
    report_junit(report, &xml);
    bool ok = file_replace(s->settings->junit, &xml, &e);
    text_release(&xml);
    if (!ok)
        complain("--output: %s", e.text);
    return ok;
}

static int show_end(struct session *s)
{
    struct check_report report;
    struct text text = TEXT_INIT;
    checking_report(&s->checking, &report);
    writer_end(s->writer, &report, &text);
    workflow_write(&s->checking.work.ticker, &text);
    bool is_written = !s->settings->junit || write_junit(s, &report);
    int status =
        workflow_status(&s->checking.work.broken, workflow_failed, report_check_passed(&report));
    return status == EXIT_DONE && !is_written ? EXIT_NOTHING : status;
}

// ---- the loop ----------------------------------------------------------------------------------

static void show_check_progress(void *context, const struct screen *screen, struct text *line)
{
    struct session *s = context;
    struct check_view checked;
    check_view(s->checking.check, &checked);
    report_check_progress(&checked.progress, screen, line);
}

static bool is_junit_writable(const struct check_settings *s)
{
    struct error e = ERROR_INIT;
    if (!s->junit || file_replaceable(s->junit, &e))
        return true;
    complain("--output: %s", e.text);
    return false;
}

// The first crash, of a configuration or of the reference, else the first write out of bounds. What
// is simulated does not crash.
static void tell_crash(const struct session *s)
{
    const struct checking *c = &s->checking;
    const struct check_record *first = NULL;
    struct check_view checked;
    check_view(c->check, &checked);
    for (size_t i = 0; i < checked.count; i++) {
        const struct check_record *r = checked.records[i];
        bool worse = crash_is_worse(r->result, first ? first->result : NULL);
        first = worse && !r->sizes[0] ? r : first;
    }
    if (c->races_log)
        return;
    if (first)
        crash_tell(&c->work, first->choice, first->result, s->settings->allow.unverified);
    crash_tell_reference(&c->work, &checked.progress.common.evaluator);
}

static int check_one(struct invocation *i, const struct check_settings *settings)
{
    struct session s = {.settings = settings};
    s.writer = &check_writers[s.settings->given.output.format];
    checking_init(&s.checking, i, s.settings);
    interrupt_catch();
    int status = checking_start(&s.checking);
    if (status == EXIT_DONE) {
        struct check_report report;
        struct text text = TEXT_INIT;
        checking_report(&s.checking, &report);
        writer_head(s.writer, &report, &text);
        workflow_write(&s.checking.work.ticker, &text);
        struct running running = {.workflow = check_workflow(s.checking.check),
                                  .work = &s.checking.work,
                                  .context = &s,
                                  .record = show_record,
                                  .progress = show_check_progress};
        workflow_run(&running);
        status = show_end(&s);
        tell_crash(&s);
    }
    checking_release(&s.checking);
    return status;
}

static int run_check(struct invocation *i)
{
    const struct check_settings *s = i->settings;
    if (!architecture_fits(s) || !is_junit_writable(s))
        return EXIT_USAGE;
    if (s->known)
        return checking_known(i, s, check_one);
    if (i->argument_count > 0)
        return check_one(i, s);
    complain("a spec is needed; without one --known checks the best of each that the store knows");
    return EXIT_USAGE;
}

// ---- the command -------------------------------------------------------------------------------

static bool allow_word(struct allow *allow, const char *word, struct error *e)
{
    enum status status;
    if (str_equal(word, "unverified")) {
        allow->unverified = true;
        return true;
    }
    if (!status_parse(word, &status) || status == STATUS_CORRECT)
        return error_set(e, ERROR_USAGE,
                         "'%s' is nothing to allow; there are compile, runtime, timeout, "
                         "correctness, constraints and unverified",
                         word);
    allow->statuses |= 1u << status;
    return true;
}

static bool option_allow(void *field, const char *value, struct error *e)
{
    char *copy = strdup(value), *rest = NULL;
    if (!copy)
        return error_memory(e);
    bool ok = value[0] || allow_word(field, "", e);
    for (char *word = strtok_r(copy, ",", &rest); word && ok; word = strtok_r(NULL, ",", &rest))
        ok = allow_word(field, word, e);
    free(copy);
    return ok;
}

static bool option_races(void *field, const char *value, struct error *e)
{
    *(struct given_races *)field = (struct given_races){true, value != NULL};
    return !value || str_equal(value, "reference") ||
           error_set(e, ERROR_USAGE, "'%s': only =reference can follow", value);
}

#define FIELD(member) offsetof(struct check_settings, member)

static const struct option check_options[] = {
    {OPTION("sample", "N", option_count, FIELD(sample)), .letter = 'n',
     .brief = "only N of the configurations",
     .help =
         "Only N of the valid configurations: the default one, then others at random, none twice."},
    {OPTION("smallest", "NAME", option_list, FIELD(smallest)), .offer = offer_constants,
     .excludes = "reference-by: the program computes for one size, which --set gives",
     .brief = "at the smallest value of a constant", .is_list = true,
     .help =
         "Check each configuration at the smallest value of this constant, from 1 up to the spec's "
         "own, at which the restrictions hold and all sizes are whole: a check takes seconds "
         "instead of minutes. NAME=33 begins at 33, which a kernel that "
         "guards its edges needs: every size is allowed there, and 1 shows little. A reference "
         "that cannot be made at a size fails the configurations of that size. M,N gives both "
         "one value; --smallest M --smallest N chooses M first, with N as in the spec, then N."},
    {OPTION("known", NULL, option_flag, FIELD(known)),
     .excludes =
         "races, build-only, sample, smallest, config, where, part, on, output, store=none: it "
         "verifies the best that the store knows, on this machine",
     .brief = "again the best that the store knows",
     .help = "Verify again the stored bests of this machine's devices, for every spec (or the "
             "named one) with all its constants. Results that an earlier hone verified by an older "
             "rule are verified by today's."},
    {OPTION("audit", NULL, option_flag, FIELD(audit)),
     .excludes = "build-only, races: an audit needs a kernel that ran\n"
                 "allow: finding checks that pass wrong results is its purpose",
     .brief = "put wrong results to the check",
     .help = "Also audit the check itself: a correct result is replaced by typical wrong ones "
             "(zeros, a copy of an argument, one element that is 0, the last row or a tile "
             "missing, values halved or rounded to half precision, the output's old contents, "
             "nothing written), and each must be refused. One that passes is reported as an error "
             "of the spec. Then mutants of the first kernel that passed (a barrier removed, a "
             "bound off by one) are launched; one that passes is reported, and is no error: it may "
             "do the same at this size. Stored results are not used."},
    {OPTION("build-only", NULL, option_flag, FIELD(build_only)), .brief = "only build, run nothing",
     .help = "Only build: nothing runs, and the store is neither read nor written."},
    {OPTION("arch", "NAME", option_text, FIELD(arch)),
     .excludes = "device, on, build-on: what is built for an architecture runs on no device",
     .needs = "build-only: without a device nothing can run",
     .brief = "with it: build CUDA without a GPU",
     .help = "Build CUDA for this architecture of NVIDIA's, such as sm_90 or "
             "sm_90a, with NVRTC; no GPU and no driver is needed."},
    {OPTION("races", "reference", option_races, FIELD(races)), .optional = true,
     .excludes = "build-only: races show only while the kernel runs\n"
                 "on, build-on: no device runs anything in a simulator",
     .brief = "find data races, without a GPU",
     .help =
         "Run inside the simulator Oclgrind, which sees every data race and every access outside a "
         "buffer, and needs no GPU; it is slow, so name a --smallest. With --device (or "
         "HONE_DEVICE) it has that device's local memory and work-group size, else those of common "
         "GPUs. The store is neither read nor written. With =reference the reference itself is "
         "checked, if it is a kernel or a configuration, in place of the configurations."},
    {OPTION("assume", "FACT=VALUE", option_list, FIELD(assume)), .is_list = true,
     .needs = "races, arch: without them a real device states its facts",
     .help = "With --races: a fact of the simulated device, such as device_local_memory=65536. "
             "With --arch: a fact that differs between its devices, such as "
             "device_compute_units=132. May be repeated."},
    {0},
};

static const struct option result_options[] = {
    {OPTION("allow", "STATUS,...", option_allow, FIELD(allow)), .offer = offer_statuses,
     .brief = "these are not failures",
     .help = "These are not failures: compile, runtime, timeout, correctness, constraints; and "
             "unverified, for a spec that has nothing to hold results against."},
    {OPTION("output", "FILE", option_text, FIELD(junit)), .letter = 'o',
     .brief = "also write a JUnit file",
     .help = "Also write a JUnit file, as CI systems read it: a test case a configuration."},
    {0},
};

static const struct option_group groups[] = {{"What and where", spec_options, FIELD(given)},
                                             {"What and where", part_options, FIELD(given)},
                                             {"What and where", NODE_OPTIONS, FIELD(given)},
                                             {"What and where", BUILD_OPTIONS, FIELD(given)},
                                             {"What and where", reference_options, FIELD(given)},
                                             {"Checking", check_options, 0},
                                             {"Checking", timeout_options, FIELD(measure)},
                                             {"Checking", seed_options, FIELD(measure)},
                                             {"Checking", jobs_options, FIELD(measure)},
                                             {"Results", result_options, 0},
                                             {"Results", fresh_options, FIELD(measure)},
                                             {"Results", verbose_options, FIELD(verbose)},
                                             {"Results", format_options, FIELD(given.output)},
                                             {"Help", help_options, 0},
                                             {0}};

static const struct example examples[] = {
    {"hone check kernels_cl/matmul_tiled.json", "every valid configuration, at the spec's size"},
    {"hone check kernels_cl/matmul_tiled.json --smallest WIDTH -o check.xml",
     "in CI: at small sizes, with a file for the CI system"},
    {"hone check kernels_cl/matmul_register.json --sample 5 --seed 7 --smallest M,N,K=33 --races",
     "data races in five of them, without a GPU"},
    {"hone check --known", "verify the stored best of each spec again"},
    {"hone check kernels_cl/matmul_tiled.json --language cuda --arch sm_90 --build-only",
     "does every configuration of the CUDA kernel build? without a GPU"},
    {0},
};

static const struct json_record json_records[] = {
    {"check", &check_fields}, {"summary", &check_summary_fields}, {0}};

const struct command command_check = {
    .name = "check",
    .group = GROUP_PREPARE,
    .summary = "check that every configuration is correct, for CI",
    .arguments = "SPEC",
    .least = 0,
    .most = 1,
    .description =
        "Builds each valid configuration, launches it once and compares its result with the spec's "
        "reference; nothing is timed. Exit status 0: all are correct; 1: one is not, or the check "
        "did not finish.\n\n"
        "Exit status 2: the command line or the spec is wrong; 130: Ctrl-C.\n\n"
        "Configurations that exceed the device's limits (local memory, work-group size) are "
        "listed, and are not failures; but a check in which all are left out has shown nothing and "
        "exits with 1. A spec without a reference is refused unless --allow unverified says that "
        "crashes and writes out of bounds are all that is wanted.\n\n"
        "Results are kept in the store, and what is known is not checked again: a failure there is "
        "a failure here. They have no times, so a tune measures what was checked.",
    .json = "With --json stdout has one object a line: run, as of hone tune; check, one a "
            "configuration; summary.",
    .records = json_records,
    .topics = "devices, status, json",
    .groups = groups,
    .examples = examples,
    .settings_size = sizeof(struct check_settings),
    .own_formats = 1u << REPORT_JUNIT,
    .run = run_check,
    .compiles = true,
};
