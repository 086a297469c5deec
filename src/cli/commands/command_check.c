#include "cli/architecture.h"
#include "cli/checking.h"
#include "cli/crash.h"
#include "cli/file_replace.h"
#include "cli/interrupt.h"
#include "report/progress.h"

#include "base/process.h"

#include <stdlib.h>
#include <string.h>

#define STEP_MS       100
#define FAILURES_MOST 10 // in a line each, beside the first of each kind in full

// One `hone check`.
struct session {
    struct checking checking;
    const struct settings *settings;
    bool ending; // Ctrl-C
};

// ---- progress ----------------------------------------------------------------------------------

static void show_progress(struct session *s)
{
    struct work *w = &s->checking.work;
    struct check_progress p;
    struct text line = TEXT_INIT;
    uint64_t now = clock_ns();
    if (!ticker_due(&w->ticker, now))
        return;
    check_progress(s->checking.check, &p);
    struct view_progress view = {.planned = p.planned,
                                 .done = p.done,
                                 .reused = p.reused,
                                 .elapsed_ns = p.elapsed_ns,
                                 .left_ns = p.left_ns,
                                 .building = p.evaluator.building,
                                 .measuring = p.evaluator.measuring,
                                 .waiting = p.evaluator.waiting,
                                 .cancelled = p.cancelled};
    memcpy(view.by_status, p.failed_by_status, sizeof view.by_status);
    memcpy(view.spec_by_status, p.spec_by_status, sizeof view.spec_by_status);
    for (unsigned i = 0; i < STATUS_COUNT; i++)
        view.spec_errors += p.spec_by_status[i];
    if (p.sized < p.planned)
        text_addf(&line, "choosing sizes: %llu of %llu", (unsigned long long)p.sized,
                  (unsigned long long)p.planned);
    else
        report_progress(&view, ticker_width(&w->ticker), &line);
    ticker_show(&w->ticker, text_cstr(&line), now);
    text_release(&line);
}

// ---- results -----------------------------------------------------------------------------------

static void write_text(struct session *s, struct text *text)
{
    ticker_clear(&s->checking.work.ticker);
    put(text);
    fflush(stdout); // a script that reads along sees each result when it is there
    text_release(text);
}

static void show_head(struct session *s)
{
    struct view_run view;
    struct text text = TEXT_INIT;
    struct emit json;
    checking_run_view(&s->checking, &view);
    emit_start(&json, &text);
    if (s->settings->json) {
        report_run_json(&view, &json);
        text_add(&text, "\n");
    } else {
        report_run(&view, &text);
    }
    write_text(s, &text);
}

static bool show_record(struct session *s, const struct check_record *record)
{
    struct view_checked view;
    struct view_check_end kind = {.build_only = s->settings->build_only};
    struct text line = TEXT_INIT;
    struct emit json;
    if (!s->settings->json && !s->settings->verbose)
        return true;
    if (!checking_view(&s->checking, record, &view))
        return error_memory(&s->checking.broken);
    emit_start(&json, &line);
    if (s->settings->json) {
        report_checked_json(&view, &json);
        text_add(&line, "\n");
    } else {
        report_checked_line(&view, &kind, &line);
    }
    write_text(s, &line);
    return true;
}

static bool write_junit(struct session *s, const struct view_check_end *end)
{
    struct error e = ERROR_INIT;
    struct text xml = TEXT_INIT;
    struct view_run head;
    checking_run_view(&s->checking, &head);
    struct view_junit about = {.suite = head.spec_name,
                               .host = head.host,
                               .date = head.date,
                               .device = head.device,
                               .command = head.command};
    report_junit(end, &about, &xml);
    bool ok = file_replace(s->settings->junit, &xml, &e);
    text_release(&xml);
    if (!ok)
        complain("--junit: %s", e.text);
    return ok;
}

static int status_of(struct session *s, const struct view_check_end *end)
{
    int failed = s->checking.broken.code ? checking_failed(&s->checking.broken) : EXIT_DONE;
    if (interrupt_pending())
        return EXIT_SIGNAL + interrupt_pending();
    if (failed)
        return failed;
    return report_check_passed(end) ? EXIT_DONE : EXIT_NOTHING;
}

static int show_end(struct session *s)
{
    struct view_check_end end;
    struct text text = TEXT_INIT;
    struct emit json;
    bool is_whole = checking_end_view(&s->checking, &end);
    emit_start(&json, &text);
    if (s->settings->json) {
        report_check_end_json(&end, &json);
        text_add(&text, "\n");
    } else {
        report_check_end(&end, FAILURES_MOST, s->settings->verbose, &text);
    }
    write_text(s, &text);
    bool is_written = !s->settings->junit || write_junit(s, &end);
    int status = status_of(s, &end);
    if (!is_whole)
        complain("out of memory: the report is not complete");
    return status == EXIT_DONE && !(is_whole && is_written) ? EXIT_NOTHING : status;
}

// ---- the loop ----------------------------------------------------------------------------------

static void obey_interrupt(struct session *s)
{
    if (s->ending || !interrupt_pending())
        return;
    s->ending = true;
    ticker_clear(&s->checking.work.ticker);
    say("Ending after the running launch; once more Ctrl-C ends at once.\n");
    check_cancel(s->checking.check);
}

// A failed write to stdout ends the check too: nobody reads along.
static void work_off(struct session *s)
{
    const struct check_record *record;
    enum check_answer answer;
    do {
        obey_interrupt(s);
        answer = check_step(s->checking.check, STEP_MS, &record, &s->checking.broken);
        if (answer == CHECK_RECORD && !show_record(s, record))
            return;
        if (ferror(stdout) && !s->ending) {
            s->ending = true;
            check_cancel(s->checking.check);
        }
        show_progress(s);
    } while (answer == CHECK_RECORD || answer == CHECK_NOTHING);
    ticker_clear(&s->checking.work.ticker);
}

static bool is_junit_writable(const struct settings *s)
{
    struct error e = ERROR_INIT;
    if (!s->junit || file_replaceable(s->junit, &e))
        return true;
    complain("--junit: %s", e.text);
    return false;
}

// The first crash, of a configuration or of the reference, else the first write out of bounds. What
// is simulated does not crash.
static void tell_crash(const struct session *s)
{
    size_t count;
    const struct checking *c = &s->checking;
    const struct check_record *const *records = check_records(c->check, &count);
    const struct check_record *first = NULL;
    for (size_t i = 0; i < count; i++) {
        bool worse = crash_is_worse(records[i]->result, first ? first->result : NULL);
        first = worse && !records[i]->sizes[0] ? records[i] : first;
    }
    if (c->races_log)
        return;
    if (first)
        crash_tell(&c->work, first->choice, first->result, s->settings->allow.unverified);
    crash_tell_reference(&c->work, &c->broken);
}

static bool is_sensible(const struct settings *s)
{
    if (s->races && s->build_only) {
        complain("--races and --build-only exclude each other: races show when the kernel runs");
        return false;
    }
    if (s->of_reference && !s->races) {
        complain(
            "--reference goes with --races: what the reference computes is held against nothing");
        return false;
    }
    if (s->assume.count > 0 && !s->races && !s->arch) {
        complain("--assume says what --races simulates, or what --arch does not tell; a check "
                 "without them has a device");
        return false;
    }
    return architecture_fits(s) && is_junit_writable(s);
}

static int run(struct invocation *i)
{
    struct session s = {.settings = &i->settings};
    if (!is_sensible(&i->settings))
        return EXIT_USAGE;
    checking_init(&s.checking, i);
    interrupt_catch();
    int status = checking_start(&s.checking);
    if (status == EXIT_DONE) {
        show_head(&s);
        work_off(&s);
        status = show_end(&s);
        tell_crash(&s);
    }
    checking_release(&s.checking);
    return status;
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

#define FIELD(member) offsetof(struct settings, member)

static const struct option check_options[] = {
    {.name = "sample",
     .argument = "N",
     .help = "Only N of the valid configurations, each as likely as any other, none twice.",
     .apply = option_count,
     .offset = FIELD(sample)},
    {.name = "smallest",
     .argument = "NAME",
     .help = "Check each configuration at the smallest value of this constant, from 1 up to the "
             "spec's own, at which the restrictions hold and sizes come out: a check takes seconds "
             "where the spec's size would take minutes. NAME=33 begins at 33, which a kernel that "
             "guards its "
             "edges needs: every size is allowed there, and 1 shows little. A reference that "
             "cannot be made at a "
             "size fails the configurations of that size. M,N gives both one "
             "value; --smallest M --smallest N chooses M first, with N as in the spec, then N.",
     .apply = option_list,
     .offset = FIELD(smallest)},
    {.name = "build-only",
     .help = "Only build: nothing runs, and the store is neither asked nor written.",
     .apply = option_flag,
     .offset = FIELD(build_only)},
    {.name = "arch",
     .argument = "NAME",
     .help = "With --build-only: build CUDA for this architecture of NVIDIA's, such as sm_90 or "
             "sm_90a, with NVRTC; no GPU and no driver is needed.",
     .apply = option_text,
     .offset = FIELD(arch)},
    {.name = "races",
     .help =
         "Run inside the simulator Oclgrind, which sees every data race and every access outside "
         "a buffer, and needs no GPU; it is slow, so name a --smallest. With --device (or "
         "HONE_DEVICE) it has that device's local memory and work-group size, else those of "
         "common GPUs. The store is neither asked nor written.",
     .apply = option_flag,
     .offset = FIELD(races)},
    {.name = "reference",
     .help = "With --races: check what results are held against, where that is a kernel or a "
             "configuration, in place of the configurations.",
     .apply = option_flag,
     .offset = FIELD(of_reference)},
    {.name = "assume",
     .argument = "FACT=VALUE",
     .help = "With --races: what the simulated device is said to be, such as "
             "device_local_memory=65536. With --arch: what differs between its devices, such as "
             "device_compute_units=132. May be repeated.",
     .apply = option_list,
     .offset = FIELD(assume)},
    {.name = "timeout",
     .argument = "TIME",
     .help = "The longest a launch may take (30s; with --races 5m), or build=60s,launch=30s.",
     .apply = option_limits,
     .offset = FIELD(limits)},
    {0},
};

static const struct option result_options[] = {
    {.name = "allow",
     .argument = "STATUS,...",
     .help = "These are no failures: compile, runtime, timeout, correctness, constraints; and "
             "unverified, for a spec that has nothing to hold results against.",
     .apply = option_allow,
     .offset = FIELD(allow)},
    {.name = "junit",
     .argument = "FILE",
     .help = "Also write a JUnit file, as CI systems read it: a test case a configuration.",
     .apply = option_text,
     .offset = FIELD(junit)},
    {0},
};

static const struct option_group groups[] = {{"What and where", spec_options},
                                             {"Checking", check_options},
                                             {"Checking", seed_options},
                                             {"Checking", jobs_options},
                                             {"Results", result_options},
                                             {"Results", again_options},
                                             {"Results", verbose_options},
                                             {"Results", no_store_options},
                                             {"Results", crash_options},
                                             {"Help", help_options},
                                             {0}};

static const struct example examples[] = {
    {"hone check kernels_cl/matmul_tiled.json", "every valid configuration, at the spec's size"},
    {"hone check kernels_cl/matmul_tiled.json --smallest WIDTH --junit check.xml",
     "in CI: at small sizes, with a file for the CI system"},
    {"hone check kernels_cl/matmul_register.json --sample 50 --seed 7 --smallest M,N,K=33 --races",
     "data races in fifty of them, without a GPU"},
    {"hone check kernels_cl/matmul_tiled.json --language cuda --arch sm_90 --build-only",
     "does every configuration of the CUDA kernel build? without a GPU"},
    {0},
};

const struct command command_check = {
    .name = "check",
    .summary = "check that every configuration is right, for CI",
    .arguments = "SPEC",
    .least = 1,
    .most = 1,
    .description =
        "Builds each valid configuration, launches it once and holds its result against the "
        "spec's reference; nothing is timed. Exit status 0: all are correct; 1: not, or it did "
        "not come to its end; 2: the command line or the spec makes no sense; 130: Ctrl-C.\n\n"
        "What needs more than this device offers (local memory, work-group size) is told, and is "
        "no failure; but a check in which nothing was right, because all is left out, has shown "
        "nothing and exits with 1. A spec without a reference is refused unless --allow unverified "
        "says that "
        "crashes and writes out of bounds are all that is wanted.\n\n"
        "Results are kept in the store, and what is known is not checked again: a failure there "
        "is a failure here. They have no times, so a tune measures what was checked.\n\n"
        "With --json stdout has one object a line, times in nanoseconds, unknown values null:\n\n"
        "  {\"type\":\"run\", ...}                as of hone tune\n"
        "  {\"type\":\"check\", \"configuration\":{}, \"constants\":{}, \"status\", \"outcome\",\n"
        "   \"verdict\", \"verified\", \"verification\", \"outputs\":[], \"message\", "
        "\"fault\", \"log\", "
        "\"reused\",\n"
        "   \"same_as\", \"races\":[], \"command\", \"resources\":[], \"times_ns\":{}}\n"
        "                                        one a configuration; resources: one a launch\n"
        "  {\"type\":\"summary\", \"ok\", \"passed\", \"skipped\", \"failed\", \"counts\":{}, "
        "\"spec_errors\", \"done\",\n"
        "   \"planned\", \"valid\", \"reused\", \"identical\", \"races\", \"verification\",\n"
        "   \"verified\", \"shown\", \"cancelled\", \"error\", \"elapsed_ns\"}\n\n"
        "shown is correct only where a reference says so: where there is none, configurations at "
        "best \"agree with each other; not verified\". outputs say how much of each argument the "
        "kernel wrote: argument, compared, components, written (null where the kernel reads it, "
        "too), left_by_reference, nans, reference_nans. "
        "outcome is passed, skipped or failed; verdict is passed, device limit, allowed, not "
        "verified or failed.",
    .groups = groups,
    .examples = examples,
    .run = run,
    .compiles = true,
};
