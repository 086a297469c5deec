// JUnit's XML, as CI systems read it: <testsuite> with a <testcase> a configuration.
#include "report/junit.h"

#include "report/check_report.h"

// ---- XML ---------------------------------------------------------------------------------------

static const char *entity(unsigned char c, bool attribute)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\n':
        return attribute ? "&#10;" : NULL;
    case '\t':
        return attribute ? "&#9;" : NULL;
    default:
        return NULL;
    }
}

// XML cannot hold control characters, not even as references: they and bytes that are no UTF-8
// become "\x1b".
static void escape(const char *text, bool attribute, struct text *out)
{
    while (*text) {
        uint32_t code;
        unsigned char byte = (unsigned char)*text;
        size_t length = utf8_character(text, &code);
        const char *name = entity(byte, attribute);
        bool layout = byte == '\n' || byte == '\t';
        bool refused = code == 0xfffe || code == 0xffff; // XML has no place for these
        if (name)
            text_add(out, name);
        else if (length == 0 || (refused && length == 3))
            text_addf(out, "\\x%02x", byte), length = 1;
        else if (!layout && utf8_is_control(code))
            text_addf(out, code < 0x80 ? "\\x%02x" : "\\u%04x", (unsigned)code);
        else
            text_addn(out, text, length);
        text += length;
    }
}

void junit_attribute(const char *name, const char *value, struct text *out)
{
    text_addf(out, " %s=\"", name);
    escape(value ? value : "", true, out);
    text_add(out, "\"");
}

static void seconds(struct text *out, uint64_t ns)
{
    text_addf(out, " time=\"%llu.%03llu\"", (unsigned long long)(ns / 1000000000),
              (unsigned long long)(ns / 1000000 % 1000));
}

static void property(struct text *out, const char *name, const char *value)
{
    text_add(out, "    <property");
    junit_attribute("name", name, out);
    junit_attribute("value", value, out);
    text_add(out, "/>\n");
}

void junit_case(const char *suite, const char *name, struct text *out)
{
    text_add(out, "  <testcase");
    junit_attribute("classname", suite, out);
    junit_attribute("name", name, out);
    text_add(out, ">\n");
}

void junit_failure(const char *type, const char *message, const char *details, struct text *out)
{
    text_add(out, "    <failure");
    junit_attribute("type", type, out);
    junit_attribute("message", message, out);
    text_add(out, ">");
    escape(details ? details : "", false, out);
    text_add(out, "</failure>\n");
}

void junit_skipped(const char *why, struct text *out)
{
    text_add(out, "    <skipped");
    junit_attribute("message", why, out);
    text_add(out, "/>\n");
}

void junit_incomplete(const char *suite, const char *why, struct text *out)
{
    junit_case(suite, "hone check", out);
    text_add(out, "    <error");
    junit_attribute("type", "incomplete", out);
    junit_attribute("message", why, out);
    text_add(out, "/>\n  </testcase>\n");
}

// ---- cases -------------------------------------------------------------------------------------

static const char *message_of(const struct check_record *v)
{
    if (v->result->message[0])
        return v->result->message;
    bool raced = v->races && v->races->count > 0;
    return raced ? "the simulator found invalid accesses" : check_verdict_text(v->verdict);
}

static void failure(const struct check_report *run, const struct check_record *v, struct text *out)
{
    struct text details = TEXT_INIT;
    bool raced = v->races && v->races->count > 0;
    text_add(&details, v->result->log);
    text_add(&details, raced && v->result->log[0] ? "\n" : "");
    for (size_t i = 0; raced && i < v->races->count; i++)
        race_text(&v->races->races[i], &details);
    text_add(&details, "\n");
    run->command(run->context, v, &details);
    junit_failure(v->result->status != STATUS_CORRECT ? result_word(v->result)
                  : raced                             ? "race"
                                                      : check_verdict_text(v->verdict),
                  message_of(v), text_cstr(&details), out);
    out->failed |= details.failed;
    text_release(&details);
}

static void skipped(const struct check_record *v, struct text *out)
{
    struct text why = TEXT_INIT;
    text_addf(&why, "%s: %s: %s", check_verdict_text(v->verdict), status_text(v->result->status),
              message_of(v));
    junit_skipped(text_cstr(&why), out);
    text_release(&why);
}

static void notes(const struct check_record *v, const struct check_report *run, struct text *out)
{
    const struct result *r = v->result;
    bool unverified = check_outcome(v->verdict) == OUTCOME_PASSED &&
                      r->verification != VERIFICATION_REFERENCE && !run->run->build_only;
    if (!r->reused && !v->same_as && !unverified)
        return;
    text_add(out, "    <system-out>");
    if (unverified)
        text_addf(out, "%s%s", verification_text(r->verification),
                  r->verification == VERIFICATION_AGREES ? "; not verified" : "");
    text_add(out, unverified && (v->same_as || r->reused) ? "; " : "");
    if (v->same_as) {
        text_add(out, "identical to ");
        escape(v->same_as->configuration, false, out);
    } else if (r->reused) {
        text_add(out, "known from the store");
    }
    text_add(out, "</system-out>\n");
}

static uint64_t time_of(const struct check_record *v)
{
    const struct result *r = v->result;
    bool is_new = !r->reused && !v->same_as;
    return is_new ? r->build_ns + r->load_ns + r->inputs_ns + r->verify_ns + r->verify_launch_ns
                  : 0;
}

static void test_case(const struct check_record *v, const struct check_report *run,
                      const char *suite, struct text *out)
{
    struct text name = TEXT_INIT;
    report_check_name(v, &name);
    text_add(out, "  <testcase");
    junit_attribute("classname", suite, out);
    junit_attribute("name", text_cstr(&name), out);
    seconds(out, time_of(v));
    text_add(out, ">\n");
    if (check_outcome(v->verdict) == OUTCOME_FAILED)
        failure(run, v, out);
    else if (check_outcome(v->verdict) == OUTCOME_SKIPPED)
        skipped(v, out);
    notes(v, run, out);
    text_add(out, "  </testcase>\n");
    out->failed |= name.failed;
    text_release(&name);
}

// ---- the suite ---------------------------------------------------------------------------------

static const char *why_incomplete(const struct check_report *v)
{
    const char *broken = v->run->about->broken;
    if (broken || v->found.progress.common.cancelled)
        return broken ? broken : "ended by a signal";
    bool is_empty =
        report_check_count(v, OUTCOME_PASSED) + report_check_count(v, OUTCOME_FAILED) == 0;
    return is_empty ? "nothing was checked: all configurations are left out" : NULL;
}

void report_junit(const void *report, struct text *out)
{
    const struct check_report *v = report;
    const struct report_about *about = v->run->about;
    const char *suite = v->run->spec->name;
    const char *why = why_incomplete(v);
    size_t errors = why != NULL;
    text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite");
    junit_attribute("name", suite, out);
    text_addf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"",
              v->found.count + errors, report_check_count(v, OUTCOME_FAILED), errors,
              report_check_count(v, OUTCOME_SKIPPED));
    seconds(out, v->found.progress.common.elapsed_ns);
    junit_attribute("timestamp", about->date, out);
    junit_attribute("hostname", about->host, out);
    text_add(out, ">\n  <properties>\n");
    property(out, "device", v->run->device->name);
    property(out, "driver", v->run->device->driver);
    property(out, "command", about->command);
    if (!v->run->build_only) {
        struct text words = TEXT_INIT;
        report_check(&v->run->check, &words);
        property(out, "verification", text_cstr(&words));
        if (report_check_shown(v))
            property(out, "shown", report_check_shown(v));
        text_release(&words);
    }
    text_add(out, "  </properties>\n");
    for (size_t i = 0; i < v->found.count; i++)
        test_case(v->found.records[i], v, suite, out);
    if (why)
        junit_incomplete(suite, why, out);
    text_add(out, "</testsuite>\n</testsuites>\n");
}
