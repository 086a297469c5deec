// A check: a line a configuration, and its end.
#include "base/fields.h"
#include "report/check_report.h"
#include "model/result_fields.h"
#include "report/units.h"
#include "report/values.h"
#include "report/verified.h"

#include <stdlib.h>
#include <string.h>

#define SIZES_MOST    12 // named; the rest in a word
#define LOG_LINES     30 // of a build log, unless everything is wanted
#define FAILURES_MOST 10 // in a line each, beside the first of each kind in full

static const char *const outcome_texts[] = {
    [OUTCOME_PASSED] = "passed", [OUTCOME_SKIPPED] = "skipped", [OUTCOME_FAILED] = "failed"};

enum check_outcome check_outcome(enum check_verdict v)
{
    return v == CHECK_PASSED                          ? OUTCOME_PASSED
           : v == CHECK_LIMITED || v == CHECK_ALLOWED ? OUTCOME_SKIPPED
                                                      : OUTCOME_FAILED;
}

uint64_t report_check_count(const struct check_report *v, enum check_outcome outcome)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < CHECK_VERDICT_COUNT; i++) {
        if (check_outcome((enum check_verdict)i) == outcome)
            count += v->found.progress.by_verdict[i];
    }
    return count;
}

bool report_check_passed(const struct check_report *v)
{
    bool is_whole = !v->run->about->broken && !v->found.progress.common.cancelled &&
                    v->found.count == v->found.progress.common.planned;
    return is_whole && report_check_count(v, OUTCOME_FAILED) == 0 &&
           report_check_count(v, OUTCOME_PASSED) > 0;
}

static bool has_races(const struct check_record *r)
{
    return r->races && r->races->count > 0;
}

// Why it counts as it does, where it is not simply its status.
static const char *kind_of(const struct check_record *v)
{
    if (v->result->status == STATUS_CORRECT && has_races(v))
        return "race";
    if (v->result->status == STATUS_CORRECT && check_outcome(v->verdict) == OUTCOME_FAILED)
        return check_verdict_text(v->verdict);
    return result_word(v->result);
}

void report_check_name(const struct check_record *v, struct text *out)
{
    text_add(out, v->configuration[0] ? v->configuration : "(the only configuration)");
    if (v->sizes[0])
        text_addf(out, " at %s", v->sizes);
}

// ---- a line ------------------------------------------------------------------------------------

// ": 38 registers, 8 KiB local memory": what decides how many work-groups run at once, and spills.
static void put_needs(const struct resources *r, const char *separator, struct text *out)
{
    char bytes[UNITS_SIZE];
    if (r->registers >= 0) {
        text_addf(out, "%s%lld registers", separator, (long long)r->registers);
        separator = ", ";
    }
    if (r->spill_bytes >= 0) {
        bytes_to_str((uint64_t)r->spill_bytes, bytes);
        text_addf(out, "%s%s spilled", separator, bytes);
        separator = ", ";
    }
    if (r->local_bytes >= 0) {
        bytes_to_str((uint64_t)r->local_bytes, bytes);
        text_addf(out, "%s%s local memory", separator, bytes);
        separator = ", ";
    }
    if (r->groups_per_unit >= 0)
        text_addf(out, "%s%lld work-groups a unit", separator, (long long)r->groups_per_unit);
}

static void put_built(const struct result *r, struct text *out)
{
    text_add(out, ", built");
    for (uint32_t i = 0; i < r->resource_count; i++)
        put_needs(&r->resources[i], i ? "; " : ": ", out);
}

static void put_record(const struct check_report *run, const struct check_record *v,
                       struct text *out)
{
    const struct result *r = v->result;
    report_check_name(v, out);
    bool agrees = r->status == STATUS_CORRECT && r->verification != VERIFICATION_REFERENCE &&
                  check_outcome(v->verdict) == OUTCOME_PASSED && !run->run->build_only;
    text_addf(out, ": %s", agrees ? "ran" : kind_of(v));
    if (r->message[0])
        text_addf(out, ": %s", r->message);
    else if (run->run->build_only)
        put_built(r, out);
    else if (r->status == STATUS_CORRECT && check_outcome(v->verdict) != OUTCOME_FAILED)
        text_addf(out, ", %s", verification_text(r->verification));
    if (!run->run->build_only)
        report_written_part(r, out);
    if (check_outcome(v->verdict) == OUTCOME_SKIPPED)
        text_addf(out, " (%s: no failure)", check_verdict_text(v->verdict));
    if (v->same_as)
        text_add(out, " (identical to one that was checked)");
    else if (r->reused)
        text_add(out, " (known from the store)");
    text_add(out, "\n");
}

// ---- what they show ----------------------------------------------------------------------------

static struct checked_outcome outcome_at(const void *records, size_t i)
{
    const struct check_record *r = ((const struct check_record *const *)records)[i];
    return (struct checked_outcome){r->configuration, r->same_as ? r->same_as->configuration : NULL,
                                    r->result};
}

static struct checked_outcomes check_outcomes(const struct check_report *v)
{
    return (struct checked_outcomes){v->found.records, v->found.count, outcome_at};
}

enum evidence report_check_evidence(const struct check_report *v)
{
    const struct checked_outcomes all = check_outcomes(v);
    return report_shown(&v->run->check, &all);
}

// ---- failures ----------------------------------------------------------------------------------

// The lines of a text, indented; at most `most`.
static void put_lines(const char *body, size_t most, struct text *out)
{
    size_t count = 0;
    while (*body && count++ < most) {
        size_t length = strcspn(body, "\n");
        text_add(out, length ? "    " : "");
        text_addn(out, body, length);
        text_add(out, "\n");
        body += length + (body[length] == '\n');
    }
    if (*body)
        text_add(out, "    ...\n");
}

static void put_failure(const struct check_report *run, const struct check_record *v,
                        struct text *out)
{
    bool whole = run->verbose;
    text_add(out, "  ");
    report_check_name(v, out);
    text_add(out, v->result->reused ? " (known from the store)\n" : "\n");
    if (v->result->message[0])
        put_lines(v->result->message, SIZE_MAX, out);
    put_lines(v->result->log, whole ? SIZE_MAX : LOG_LINES, out);
    struct text races = TEXT_INIT;
    for (size_t i = 0; whole && v->races && i < v->races->count; i++)
        race_text(&v->races->races[i], &races);
    put_lines(text_cstr(&races), SIZE_MAX, out);
    out->failed |= races.failed;
    text_release(&races);
    text_add(out, "    ");
    run->command(run->context, v, out);
    text_add(out, "\n");
}

static bool is_of_kind(const struct check_record *v, enum check_outcome outcome, const char *kind)
{
    return check_outcome(v->verdict) == outcome && str_equal(kind_of(v), kind);
}

static uint64_t count_kind(const struct check_report *v, enum check_outcome outcome,
                           const char *kind)
{
    uint64_t count = 0;
    for (size_t i = 0; i < v->found.count; i++)
        count += is_of_kind(v->found.records[i], outcome, kind);
    return count;
}

// Prints the failures of one kind: the first in full, then at most `*left` others, a line each.
static void put_kind(const struct check_report *v, const char *kind, size_t *left, struct text *out)
{
    uint64_t count = count_kind(v, OUTCOME_FAILED, kind), shown = 0;
    if (count == 0)
        return;
    text_addf(out, "\nFAILED: %s: %llu configuration%s\n", kind, (unsigned long long)count,
              count == 1 ? "" : "s");
    for (size_t i = 0; i < v->found.count && (shown == 0 || v->verbose || *left > 0); i++) {
        if (!is_of_kind(v->found.records[i], OUTCOME_FAILED, kind))
            continue;
        if (shown == 0 || v->verbose) {
            put_failure(v, v->found.records[i], out);
        } else {
            text_add(out, "  ");
            report_check_name(v->found.records[i], out);
            if (v->found.records[i]->result->message[0])
                text_addf(out, ": %s", v->found.records[i]->result->message);
            text_add(out, "\n");
            --*left;
        }
        shown++;
    }
    if (shown < count)
        text_addf(out, "  ... and %llu more; --verbose shows all\n",
                  (unsigned long long)(count - shown));
}

static const char *const other_kinds[] = {"spec error", "race", "not verified"};
#define OTHER_KINDS (sizeof other_kinds / sizeof *other_kinds)

static const char *kind_at(size_t i)
{
    return i < STATUS_COUNT ? status_text((enum status)i) : other_kinds[i - STATUS_COUNT];
}

// Counts the skipped configurations of a verdict, with the reason and the first of them.
static void put_skipped(const struct check_report *v, enum check_verdict verdict,
                        const char *meaning, struct text *out)
{
    const struct check_record *first = NULL;
    uint64_t count = v->found.progress.by_verdict[verdict];
    for (size_t i = 0; i < v->found.count && !first; i++)
        first = v->found.records[i]->verdict == verdict ? v->found.records[i] : NULL;
    if (!first)
        return;
    text_addf(out, "\nNo failure, %s: %llu configuration%s\n  ", meaning, (unsigned long long)count,
              count == 1 ? "" : "s");
    report_check_name(first, out);
    text_addf(out, ": %s: %s\n", status_text(first->result->status), first->result->message);
}

// ---- the end -----------------------------------------------------------------------------------

// Configurations that were checked at one choice of sizes.
struct size {
    const char *sizes;
    uint64_t count;
};

// By the numbers in them: "N=16" before "N=128".
static int by_sizes(const void *a, const void *b)
{
    return strverscmp(((const struct size *)a)->sizes, ((const struct size *)b)->sizes);
}

static void put_sizes(const struct check_report *v, struct text *out)
{
    struct size *list = calloc(v->found.count + 1, sizeof *list);
    size_t count = 0;
    out->failed |= !list;
    for (size_t i = 0; list && i < v->found.count; i++) {
        size_t at = 0;
        if (!v->found.records[i]->sizes[0])
            continue;
        while (at < count && !str_equal(list[at].sizes, v->found.records[i]->sizes))
            at++;
        count += at == count;
        list[at].sizes = v->found.records[i]->sizes;
        list[at].count++;
    }
    if (count > 0) {
        qsort(list, count, sizeof *list, by_sizes);
        text_add(out, "Checked at");
        for (size_t i = 0; i < count && i < SIZES_MOST; i++)
            text_addf(out, "%s %s (%llu)", i ? "," : "", list[i].sizes,
                      (unsigned long long)list[i].count);
        if (count > SIZES_MOST)
            text_addf(out, " and %zu more sizes, up to %s", count - SIZES_MOST,
                      list[count - 1].sizes);
        text_add(out, "\n");
    }
    free(list);
}

// The word for configurations that passed.
static const char *passed_text(const struct check_report *v)
{
    if (v->run->build_only)
        return "built";
    return v->run->check.kind == VERIFICATION_REFERENCE ? status_text(STATUS_CORRECT)
           : v->run->check.kind == VERIFICATION_AGREES  ? "in agreement"
           : v->run->check.kind == VERIFICATION_CLAIMED ? "valid by its own word"
                                                        : "ran";
}

static void put_counts(const struct check_report *v, struct text *out)
{
    const char *separator = ": ";
    for (size_t i = 0; i < STATUS_COUNT + OTHER_KINDS; i++) {
        uint64_t count = 0;
        for (int outcome = OUTCOME_PASSED; outcome <= OUTCOME_FAILED; outcome++)
            count += count_kind(v, (enum check_outcome)outcome, kind_at(i));
        if (count == 0)
            continue;
        text_addf(out, "%s%llu %s", separator, (unsigned long long)count,
                  i == STATUS_CORRECT ? passed_text(v) : kind_at(i));
        separator = ", ";
    }
    if (v->found.progress.reused)
        text_addf(out, "; %llu known from the store", (unsigned long long)v->found.progress.reused);
    if (v->found.progress.identical)
        text_addf(out, "; %llu identical to another",
                  (unsigned long long)v->found.progress.identical);
    text_add(out, "\n");
}

// States that configurations passed without a reference, which does not show that they are correct.
static void put_unverified(enum evidence shown, uint64_t passed, struct text *out)
{
    text_add(out, shown == SHOWN_AGREEMENT ? "AGREEMENT: " : "NOT VERIFIED: ");
    put_count(passed, "configuration", out);
    if (shown == SHOWN_AGREEMENT && passed > 1)
        text_add(out, " agree with each other; not verified: the spec has no Reference");
    else if (shown == SHOWN_AGREEMENT)
        text_add(out, " agrees with the default configuration; not verified: the spec has no "
                      "Reference");
    else if (shown == SHOWN_REPEATS)
        text_addf(
            out,
            " gave the same result in two launches%s; there is nothing else to compare it with",
            passed > 1 ? ", all of them one kernel" : "");
    else if (shown == SHOWN_CLAIMED)
        text_add(out, passed > 1 ? " are valid by the program's own word; hone compared nothing"
                                 : " is valid by the program's own word; hone compared nothing");
    else
        text_add(out, " ran; no result was compared with anything");
}

// Also printed without failures: a check in which nothing passed has shown nothing.
static void put_verdict(const struct check_report *v, struct text *out)
{
    enum evidence shown = report_check_evidence(v);
    uint64_t failed = report_check_count(v, OUTCOME_FAILED),
             left = v->found.progress.common.planned - v->found.count;
    if (v->run->about->broken) // the reason is the error
        text_add(out, "Broken off\n");
    if (left) {
        put_share(left, v->found.progress.common.planned, "configuration", out);
        text_addf(out, " %s not checked\n", left == 1 ? "was" : "were");
    }
    if (failed) {
        text_add(out, "FAILED: ");
        put_share(failed, v->found.count, "configuration", out);
        text_add(out, "\n");
    } else if (report_check_passed(v)) {
        uint64_t passed = report_check_count(v, OUTCOME_PASSED), skipped = v->found.count - passed;
        if (!v->run->build_only && shown != SHOWN_CORRECT) {
            put_unverified(shown, passed, out);
        } else {
            text_add(out, "OK: ");
            put_count(passed, "configuration", out);
            if (v->run->build_only)
                text_add(out, passed == 1 ? " builds" : " build");
            else
                text_add(out, passed == 1 ? " is correct" : " are correct");
        }
        if (v->simulated)
            text_add(out, ", no race or invalid access was found");
        if (skipped)
            text_addf(out, ", %llu left out", (unsigned long long)skipped);
        text_add(out, "\n");
    } else if (left || v->run->about->broken || v->found.progress.common.cancelled) {
        text_add(out, "INCOMPLETE: no failure so far\n");
    } else {
        text_add(out, "NOTHING CHECKED: ");
        put_share(0, v->found.count, "configuration", out);
        text_addf(out, " shown to %s\n", v->run->build_only ? "build" : "be correct");
    }
}

// Mutants of the kernel, of those that are other code.
static size_t count_mutants(const struct check_report *v, bool that_pass)
{
    size_t count = 0;
    for (size_t i = 0; i < v->found.mutant_count; i++) {
        const struct checked_mutant *m = &v->found.mutants[i];
        count += !m->is_same && m->status != STATUS_COMPILE && (m->passes || !that_pass);
    }
    return count;
}

static void put_mutants(const struct check_report *v, struct text *out)
{
    const size_t all = count_mutants(v, false), passing = count_mutants(v, true);
    if (all == 0)
        return;
    text_addf(out, "Mutants of the kernel: %zu of %zu refused%s\n", all - passing, all,
              passing ? "; not told from right, or the same at this size:" : "");
    for (size_t i = 0; i < v->found.mutant_count; i++) {
        const struct checked_mutant *m = &v->found.mutants[i];
        if (!m->passes || m->is_same)
            continue;
        text_addf(out, "  %s: ", m->change);
        text_add_visible(out, m->line, strlen(m->line), false);
        text_add(out, "\n");
    }
}

static void write_check_end(const void *report, struct text *out)
{
    const struct check_report *v = report;
    const struct checked_outcomes all = check_outcomes(v);
    char time[UNITS_SIZE];
    size_t left = FAILURES_MOST;
    for (size_t i = 0; i < STATUS_COUNT + OTHER_KINDS; i++)
        put_kind(v, kind_at(i), &left, out);
    for (size_t i = 0; i < v->found.finding_count; i++) {
        const struct check_finding *f = &v->found.findings[i];
        text_add(out, i ? "" : "\n");
        race_text(&f->race, out);
        const char *choice = f->example->configuration, *sizes = f->example->sizes;
        text_addf(out, "  in %llu configuration%s%s%s%s%s%s\n  ",
                  (unsigned long long)f->configurations, f->configurations == 1 ? "" : "s",
                  choice[0] || sizes[0] ? ", for example" : "", choice[0] ? " " : "", choice,
                  sizes[0] ? " at " : "", sizes);
        v->command(v->context, f->example, out);
        text_add(out, "\n");
    }
    put_skipped(v, CHECK_LIMITED, "exceeds the device's limits", out);
    put_skipped(v, CHECK_ALLOWED, "allowed", out);
    span_to_str(v->found.progress.common.elapsed_ns, time);
    text_add(out, out->length ? "\n" : "");
    put_sizes(v, out);
    text_addf(out, "%zu configuration%s %s in %s", v->found.count, v->found.count == 1 ? "" : "s",
              v->run->build_only ? "built" : "checked", time);
    if (!v->run->build_only) {
        const struct verified_by check = report_verified(&v->run->check, &all);
        text_add(out, ", ");
        report_check(&check, out);
    }
    put_counts(v, out);
    if (!v->run->build_only)
        report_written(&all, v->run->check.kind != VERIFICATION_REFERENCE, out);
    report_check_notes(&all, out);
    put_mutants(v, out);
    put_verdict(v, out);
}

const char *report_check_shown(const struct check_report *v)
{
    bool any = !v->run->build_only && report_check_count(v, OUTCOME_PASSED) > 0;
    return any ? report_shown_text(report_check_evidence(v)) : NULL;
}

// ---- JSON --------------------------------------------------------------------------------------

#define RACE_PLACE(X)                                                                              \
    X(SOME, file, (v->file), "", "")                                                               \
    X(U64, line, (v->line), "", "")                                                                \
    X(U64, column, (v->column), "", "")                                                            \
    X(SOME, text, (v->text), "", "")                                                               \
    X(SOME, item, (v->item), "", "work-item")
FIELDS(race_place_fields, struct race_place, void, RACE_PLACE)

#define HAS_OTHER (*v->other.item || v->other.line)
#define RACE(X)                                                                                    \
    X(TEXT, kind, (race_kind_name(v->kind)), "", "")                                               \
    X(TEXT, kernel, (v->kernel), "", "")                                                           \
    X(MEMBERS, at, (race_place_fields, &v->at), "", "")                                            \
    X(SOME, memory, (v->memory), "", "")                                                           \
    X(U64, bytes, (v->bytes), "", "")                                                              \
    X(RECORD, other, (race_place_fields, HAS_OTHER ? &v->other : NULL), "", "")                    \
    X(SOME, detail, (v->detail), "", "")                                                           \
    X(U64, count, (v->count), "", "")                                                              \
    X(BOOL, more, (v->more), "", "")
FIELDS(race_fields, struct race, void, RACE)

// The command line that shows a failure again.
static const char *check_command(const struct check_report *run, const struct check_record *v,
                                 struct arena *a)
{
    struct text command = TEXT_INIT;
    if (check_outcome(v->verdict) != OUTCOME_FAILED)
        return NULL;
    run->command(run->context, v, &command);
    return text_to_arena(&command, a);
}

#define CHECK_TIMES(X)                                                                             \
    X(U64, build, (v->build_ns), "ns", "")                                                         \
    X(U64, verify, (v->verify_ns), "ns", "")                                                       \
    X(U64, launch, (v->verify_launch_ns), "ns", "")
FIELDS(check_times_fields, struct result, void, CHECK_TIMES)

#define RACES (c->simulated && v->races ? v->races->races : NULL)
#define CHECKED(X)                                                                                 \
    X(TEXT, type, ("check"), "", "")                                                               \
    X(JSON, configuration, (v->configuration_json), "{}", "")                                      \
    X(PUT, constants, (emit_constants, v->spec), "{}", "")                                         \
    X(TEXT, status, (status_text(v->result->status)), "", "as of hone tune")                       \
    X(TEXT, outcome, (outcome_texts[check_outcome(v->verdict)]), "", "passed, skipped or failed")  \
    X(TEXT, verdict, (check_verdict_text(v->verdict)), "",                                         \
      "passed, device limit, allowed, not verified or failed")                                     \
    X(BOOL, verified, (result_is_verified(v->result)), "", "")                                     \
    X(TEXT, verification, (verification_text(v->result->verification)), "", "")                    \
    X(EACH, outputs, (output_fields, result_emit_outputs, v->result), "", "")                      \
    X(TEXT, message, (v->result->message), "", "")                                                 \
    X(TEXT, fault, (fault_text(v->result->fault)), "", "")                                         \
    X(TEXT, log, (v->result->log), "", "of the build")                                             \
    X(BOOL, reused, (v->result->reused), "", "")                                                   \
    X(TEXT, same_as, (v->same_as ? v->same_as->configuration : NULL), "", "")                      \
    X(LIST, races, (race_fields, c->simulated, RACES, RACES ? v->races->count : 0), "", "")        \
    X(TEXT, command, (check_command(c, v, a)), "", "that shows a failure again")                   \
    X(RECORDS, resources,                                                                          \
      (result_resources_fields, v->result->resources, v->result->resource_count), "",              \
      "of each launch")                                                                            \
    X(RECORD, times_ns, (check_times_fields, v->result), "", "")
FIELDS_SHARED(check_fields, struct check_record, struct check_report, CHECKED)

static uint64_t count_spec_errors(const struct check_report *v)
{
    uint64_t count = 0;
    for (size_t i = 0; i < v->found.count; i++)
        count += fault_is_spec(v->found.records[i]->result->fault);
    return count;
}

static const char *check_words(const struct check_report *v, struct arena *a)
{
    const struct checked_outcomes all = check_outcomes(v);
    const struct verified_by check = report_verified(&v->run->check, &all);
    return report_check_words(&check, a);
}

static void emit_check_notes(const void *record, const void *context, struct emit *j)
{
    const struct checked_outcomes all = check_outcomes(record);
    (void)context;
    report_emit_check_notes(&all, j);
}

#define MUTANT(X)                                                                                  \
    X(TEXT, change, (v->change), "", "")                                                           \
    X(TEXT, line, (v->line), "", "that was changed")                                               \
    X(TEXT, status, (status_text(v->status)), "", "")                                              \
    X(BOOL, same, (v->is_same), "", "it is built to the kernel's own code")                        \
    X(BOOL, passes, (v->passes), "", "taken for right, or it does the same at this size")
FIELDS(check_mutant_fields, struct checked_mutant, struct check_report, MUTANT)

#define CHECK_SUMMARY(X)                                                                           \
    X(TEXT, type, ("summary"), "", "")                                                             \
    X(BOOL, ok, (report_check_passed(v)), "", "")                                                  \
    X(U64, passed, (report_check_count(v, OUTCOME_PASSED)), "", "")                                \
    X(U64, skipped, (report_check_count(v, OUTCOME_SKIPPED)), "", "")                              \
    X(U64, failed, (report_check_count(v, OUTCOME_FAILED)), "", "")                                \
    X(RECORD, counts, (report_counts_fields, v->found.progress.by_status), "", "")                 \
    X(U64, spec_errors, (count_spec_errors(v)), "", "of these: the spec is wrong there")           \
    X(U64, done, (v->found.count), "", "")                                                         \
    X(U64, planned, (v->found.progress.common.planned), "", "")                                    \
    X(U64, valid, (v->found.progress.valid), "", "")                                               \
    X(U64, reused, (v->found.progress.reused), "", "")                                             \
    X(U64, identical, (v->found.progress.identical), "", "")                                       \
    X(KNOWN, races, (v->simulated, v->found.finding_count), "", "null: none were looked for")      \
    X(TEXT, verification, (check_words(v, a)), "", "how results were verified")                    \
    X(EACH, check_notes, (report_check_note_fields, emit_check_notes, v), "", "the first of each") \
    X(LIST, mutants,                                                                               \
      (check_mutant_fields, v->found.mutants != NULL, v->found.mutants, v->found.mutant_count),    \
      "", "of the kernel; null: none were made")                                                   \
    X(BOOL, verified, (report_check_shown(v) && report_check_evidence(v) == SHOWN_CORRECT), "",    \
      "by a reference")                                                                            \
    X(TEXT, shown, (report_check_shown(v)), "",                                                    \
      "without a reference at best \"agree with each other; not verified\"")                       \
    X(BOOL, cancelled, (v->found.progress.common.cancelled), "", "")                               \
    X(TEXT, error, (v->run->about->broken), "", "")                                                \
    X(U64, elapsed_ns, (v->found.progress.common.elapsed_ns), "ns", "")
FIELDS_SHARED(check_summary_fields, struct check_report, void, CHECK_SUMMARY)

// ---- the writers -------------------------------------------------------------------------------

static void write_check_head(const void *report, struct text *out)
{
    report_run(((const struct check_report *)report)->run, out);
}

static void write_check_record(const void *report, const void *record, struct text *out)
{
    const struct check_report *v = report;
    if (v->verbose)
        put_record(v, record, out);
}

static void write_check_head_json(const void *report, struct text *out)
{
    fields_line(&report_run_fields, ((const struct check_report *)report)->run, NULL, out);
}

const writers check_writers = {
    [REPORT_TEXT] = {write_check_head, write_check_record, write_check_end},
    [REPORT_JSON] = {.head = write_check_head_json,
                     .record_fields = &check_fields,
                     .end_fields = &check_summary_fields},
    [REPORT_MARKDOWN] = {write_check_head, write_check_record, write_check_end},
    [REPORT_JUNIT] = {.end = report_junit},
};
