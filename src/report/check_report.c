// A check: a line a configuration, and its end.
#include "report/check.h"
#include "report/units.h"
#include "report/verified.h"

#include <string.h>

#define SIZES_MOST 12 // named; the rest in a word
#define LOG_LINES  30 // of a build log, unless everything is wanted

static const char *const outcome_texts[] = {
    [VIEW_PASSED] = "passed", [VIEW_SKIPPED] = "skipped", [VIEW_FAILED] = "failed"};

static uint64_t count_of(const struct view_check_end *v, enum view_verdict outcome)
{
    uint64_t count = 0;
    for (size_t i = 0; i < v->count; i++)
        count += v->records[i].outcome == outcome;
    return count;
}

bool report_check_passed(const struct view_check_end *v)
{
    bool is_whole = !v->broken && !v->cancelled && v->count == v->planned;
    return is_whole && count_of(v, VIEW_FAILED) == 0 && count_of(v, VIEW_PASSED) > 0;
}

// Why it counts as it does, where it is not simply its status.
static const char *kind_of(const struct view_checked *v)
{
    if (v->result->status == STATUS_CORRECT && v->races)
        return "race";
    if (v->result->status == STATUS_CORRECT && v->outcome == VIEW_FAILED)
        return v->verdict;
    return result_word(v->result);
}

static void put_name(const struct view_checked *v, struct text *out)
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

void report_checked_line(const struct view_checked *v, const struct view_check_end *run,
                         struct text *out)
{
    const struct result *r = v->result;
    put_name(v, out);
    bool agrees = r->status == STATUS_CORRECT && r->verification != VERIFICATION_REFERENCE &&
                  v->outcome == VIEW_PASSED && !run->build_only;
    text_addf(out, ": %s", agrees ? "ran" : kind_of(v));
    if (r->message[0])
        text_addf(out, ": %s", r->message);
    else if (run->build_only)
        put_built(r, out);
    else if (r->status == STATUS_CORRECT && v->outcome != VIEW_FAILED)
        text_addf(out, ", %s", verification_text(r->verification));
    if (!run->build_only)
        report_written_part(r, out);
    if (v->outcome == VIEW_SKIPPED)
        text_addf(out, " (%s: no failure)", v->verdict);
    if (v->same_as)
        text_add(out, " (identical to one that was checked)");
    else if (r->reused)
        text_add(out, " (known from the store)");
    text_add(out, "\n");
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

static void put_failure(const struct view_checked *v, bool whole, struct text *out)
{
    text_add(out, "  ");
    put_name(v, out);
    text_add(out, v->result->reused ? " (known from the store)\n" : "\n");
    if (v->result->message[0])
        put_lines(v->result->message, SIZE_MAX, out);
    put_lines(v->result->log, whole ? SIZE_MAX : LOG_LINES, out);
    if (v->races && whole)
        put_lines(v->races, SIZE_MAX, out);
    if (v->command)
        text_addf(out, "    %s\n", v->command);
}

static void put_short(const struct view_checked *v, struct text *out)
{
    text_add(out, "  ");
    put_name(v, out);
    if (v->result->message[0])
        text_addf(out, ": %s", v->result->message);
    text_add(out, "\n");
}

static bool is_of_kind(const struct view_checked *v, enum view_verdict outcome, const char *kind)
{
    return v->outcome == outcome && str_equal(kind_of(v), kind);
}

static uint64_t count_kind(const struct view_check_end *v, enum view_verdict outcome,
                           const char *kind)
{
    uint64_t count = 0;
    for (size_t i = 0; i < v->count; i++)
        count += is_of_kind(&v->records[i], outcome, kind);
    return count;
}

// Of one kind: the first in full, then `*left` in all, a line each.
static void put_kind(const struct view_check_end *v, const char *kind, bool verbose, size_t *left,
                     struct text *out)
{
    uint64_t count = count_kind(v, VIEW_FAILED, kind), shown = 0;
    if (count == 0)
        return;
    text_addf(out, "\nFAILED: %s: %llu configuration%s\n", kind, (unsigned long long)count,
              count == 1 ? "" : "s");
    for (size_t i = 0; i < v->count && (shown == 0 || verbose || *left > 0); i++) {
        if (!is_of_kind(&v->records[i], VIEW_FAILED, kind))
            continue;
        if (shown == 0 || verbose) {
            put_failure(&v->records[i], verbose, out);
        } else {
            put_short(&v->records[i], out);
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

static void put_findings(const struct view_check_end *v, struct text *out)
{
    for (size_t i = 0; i < v->finding_count; i++) {
        const struct view_finding *f = &v->findings[i];
        text_addf(out, "%s%s", i ? "" : "\n", f->text);
        text_addf(out, "  in %llu configuration%s, for example %s\n",
                  (unsigned long long)f->configurations, f->configurations == 1 ? "" : "s",
                  f->example);
        text_addf(out, "  %s\n", f->command);
    }
}

// What is no failure: how many, why, and the first.
static void put_skipped(const struct view_check_end *v, const char *verdict, const char *meaning,
                        struct text *out)
{
    const struct view_checked *first = NULL;
    uint64_t count = 0;
    for (size_t i = 0; i < v->count; i++) {
        const struct view_checked *r = &v->records[i];
        if (r->outcome != VIEW_SKIPPED || !str_equal(r->verdict, verdict))
            continue;
        first = first ? first : r;
        count++;
    }
    if (count == 0)
        return;
    text_addf(out, "\nNo failure, %s: %llu configuration%s\n  ", meaning, (unsigned long long)count,
              count == 1 ? "" : "s");
    put_name(first, out);
    text_addf(out, ": %s: %s\n", status_text(first->result->status), first->result->message);
}

// ---- the end -----------------------------------------------------------------------------------

static void put_sizes(const struct view_check_end *v, struct text *out)
{
    if (v->size_count == 0)
        return;
    text_add(out, "Checked at");
    for (size_t i = 0; i < v->size_count && i < SIZES_MOST; i++)
        text_addf(out, "%s %s (%llu)", i ? "," : "", v->sizes[i].sizes,
                  (unsigned long long)v->sizes[i].count);
    if (v->size_count > SIZES_MOST)
        text_addf(out, " and %zu more sizes, up to %s", v->size_count - SIZES_MOST,
                  v->sizes[v->size_count - 1].sizes);
    text_add(out, "\n");
}

// What those that are no failure are called.
static const char *passed_text(const struct view_check_end *v)
{
    if (v->build_only)
        return "built";
    return v->check.kind == VERIFICATION_REFERENCE ? status_text(STATUS_CORRECT)
           : v->check.kind == VERIFICATION_AGREES  ? "in agreement"
                                                   : "ran";
}

static void put_counts(const struct view_check_end *v, struct text *out)
{
    const char *separator = ": ";
    for (size_t i = 0; i < STATUS_COUNT + OTHER_KINDS; i++) {
        uint64_t count = 0;
        for (int outcome = VIEW_PASSED; outcome <= VIEW_FAILED; outcome++)
            count += count_kind(v, (enum view_verdict)outcome, kind_at(i));
        if (count == 0)
            continue;
        text_addf(out, "%s%llu %s", separator, (unsigned long long)count,
                  i == STATUS_CORRECT ? passed_text(v) : kind_at(i));
        separator = ", ";
    }
    if (v->reused)
        text_addf(out, "; %llu known from the store", (unsigned long long)v->reused);
    if (v->identical)
        text_addf(out, "; %llu identical to another", (unsigned long long)v->identical);
    text_add(out, "\n");
}

// One that ran is no failure; that it is right nobody knows where nothing else says it.
static void put_unverified(const struct view_check_end *v, uint64_t passed, struct text *out)
{
    text_add(out, v->shown == SHOWN_AGREEMENT ? "AGREEMENT: " : "NOT VERIFIED: ");
    put_count(passed, "configuration", out);
    if (v->shown == SHOWN_AGREEMENT && passed > 1)
        text_add(out, " agree with each other; not verified: the spec has no Reference");
    else if (v->shown == SHOWN_AGREEMENT)
        text_add(out, " agrees with the default configuration; not verified: the spec has no "
                      "Reference");
    else if (v->shown == SHOWN_REPEATS)
        text_addf(out,
                  " gave the same result in two launches%s; there is nothing else to hold it "
                  "against",
                  passed > 1 ? ", all of them one kernel" : "");
    else
        text_add(out, " ran; no result was held against anything");
}

static void put_passed(const struct view_check_end *v, struct text *out)
{
    uint64_t passed = count_of(v, VIEW_PASSED), skipped = v->count - passed;
    if (!v->build_only && v->shown != SHOWN_CORRECT) {
        put_unverified(v, passed, out);
    } else {
        text_add(out, "OK: ");
        put_count(passed, "configuration", out);
        if (v->build_only)
            text_add(out, passed == 1 ? " builds" : " build");
        else
            text_add(out, passed == 1 ? " is correct" : " are correct");
    }
    if (v->simulated)
        text_add(out, ", no race or invalid access was found");
    if (skipped)
        text_addf(out, ", %llu left out", (unsigned long long)skipped);
    text_add(out, "\n");
}

// Whatever is no failure: a check that found nothing right has shown nothing.
static void put_verdict(const struct view_check_end *v, struct text *out)
{
    uint64_t failed = count_of(v, VIEW_FAILED), left = v->planned - v->count;
    if (v->broken)
        text_addf(out, "Broken off: %s\n", v->broken);
    if (left) {
        put_share(left, v->planned, "configuration", out);
        text_addf(out, " %s not checked\n", left == 1 ? "was" : "were");
    }
    if (failed) {
        text_add(out, "FAILED: ");
        put_share(failed, v->count, "configuration", out);
        text_add(out, "\n");
    } else if (report_check_passed(v)) {
        put_passed(v, out);
    } else if (left || v->broken || v->cancelled) {
        text_add(out, "INCOMPLETE: no failure so far\n");
    } else {
        text_add(out, "NOTHING CHECKED: ");
        put_share(0, v->count, "configuration", out);
        text_addf(out, " shown to %s\n", v->build_only ? "build" : "be correct");
    }
}

void report_check_end(const struct view_check_end *v, size_t most, bool verbose, struct text *out)
{
    char time[UNITS_SIZE];
    size_t left = most;
    for (size_t i = 0; i < STATUS_COUNT + OTHER_KINDS; i++)
        put_kind(v, kind_at(i), verbose, &left, out);
    put_findings(v, out);
    put_skipped(v, "device limit", "more than this device offers", out);
    put_skipped(v, "allowed", "allowed", out);
    span_to_str(v->elapsed_ns, time);
    text_add(out, out->length ? "\n" : "");
    put_sizes(v, out);
    text_addf(out, "%zu configuration%s %s in %s", v->count, v->count == 1 ? "" : "s",
              v->build_only ? "built" : "checked", time);
    if (!v->build_only) {
        text_add(out, ", ");
        report_check(&v->check, out);
    }
    put_counts(v, out);
    if (!v->build_only)
        report_written(v->outcomes, v->count, v->check.kind != VERIFICATION_REFERENCE, out);
    put_verdict(v, out);
}

// ---- JSON --------------------------------------------------------------------------------------

static void resources_at(const struct result *r, struct emit *j)
{
    emit_key(j, "resources");
    emit_array(j);
    for (uint32_t i = 0; i < r->resource_count; i++)
        report_resources_json(&r->resources[i], j);
    emit_array_end(j);
}

static void times_at(const struct result *r, struct emit *j)
{
    emit_key(j, "times_ns");
    emit_object(j);
    emit_u64_at(j, "build", r->build_ns);
    emit_u64_at(j, "verify", r->verify_ns);
    emit_u64_at(j, "launch", r->verify_launch_ns);
    emit_object_end(j);
}

void report_checked_json(const struct view_checked *v, struct emit *j)
{
    const struct result *r = v->result;
    bool is_correct = r->status == STATUS_CORRECT;
    emit_object(j);
    emit_text_at(j, "type", "check");
    emit_raw_at(j, "configuration", v->configuration_json);
    emit_raw_at(j, "constants", v->constants_json);
    emit_text_at(j, "status", status_text(r->status));
    emit_text_at(j, "outcome", outcome_texts[v->outcome]);
    emit_text_at(j, "verdict", v->verdict);
    emit_bool_at(j, "verified", is_correct && r->verification == VERIFICATION_REFERENCE);
    emit_text_at(j, "verification", verification_text(r->verification));
    emit_key(j, "outputs");
    report_outputs_json(r, j);
    emit_text_at(j, "message", r->message);
    emit_text_at(j, "fault", fault_text(r->fault));
    emit_text_at(j, "log", r->log);
    emit_bool_at(j, "reused", r->reused);
    emit_text_at(j, "same_as", v->same_as);
    emit_raw_at(j, "races", v->races_json);
    emit_text_at(j, "command", v->command);
    resources_at(r, j);
    times_at(r, j);
    emit_object_end(j);
}

static void counts_at(const struct view_check_end *v, struct emit *j)
{
    uint64_t by_status[STATUS_COUNT] = {0};
    for (size_t i = 0; i < v->count; i++)
        by_status[v->records[i].result->status]++;
    uint64_t spec_errors = 0;
    for (size_t i = 0; i < v->count; i++)
        spec_errors += fault_is_spec(v->records[i].result->fault);
    emit_key(j, "counts");
    emit_object(j);
    for (unsigned s = 0; s < STATUS_COUNT; s++)
        emit_u64_at(j, status_text((enum status)s), by_status[s]);
    emit_object_end(j);
    emit_u64_at(j, "spec_errors", spec_errors);
}

const char *report_check_shown(const struct view_check_end *v)
{
    bool any = !v->build_only && count_of(v, VIEW_PASSED) > 0;
    return any ? report_shown_text(v->shown) : NULL;
}

void report_check_end_json(const struct view_check_end *v, struct emit *j)
{
    struct text words = TEXT_INIT;
    report_check(&v->check, &words);
    emit_object(j);
    emit_text_at(j, "type", "summary");
    emit_bool_at(j, "ok", report_check_passed(v));
    for (int outcome = VIEW_PASSED; outcome <= VIEW_FAILED; outcome++)
        emit_u64_at(j, outcome_texts[outcome], count_of(v, (enum view_verdict)outcome));
    counts_at(v, j);
    emit_u64_at(j, "done", v->count);
    emit_u64_at(j, "planned", v->planned);
    emit_u64_at(j, "valid", v->valid);
    emit_u64_at(j, "reused", v->reused);
    emit_u64_at(j, "identical", v->identical);
    if (v->simulated)
        emit_u64_at(j, "races", v->finding_count);
    else
        emit_null_at(j, "races");
    emit_text_at(j, "verification", text_cstr(&words));
    const char *shown = report_check_shown(v);
    emit_bool_at(j, "verified", shown && v->shown == SHOWN_CORRECT);
    emit_text_at(j, "shown", shown);
    emit_bool_at(j, "cancelled", v->cancelled);
    emit_text_at(j, "error", v->broken);
    emit_u64_at(j, "elapsed_ns", v->elapsed_ns);
    emit_object_end(j);
    text_release(&words);
}
