// JUnit's XML, as CI systems read it: <testsuite> with a <testcase> a configuration.
#include "report/check.h"

#include <string.h>

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

static void attribute(struct text *out, const char *name, const char *value)
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
    attribute(out, "name", name);
    attribute(out, "value", value);
    text_add(out, "/>\n");
}

// ---- cases -------------------------------------------------------------------------------------

static const char *message_of(const struct view_checked *v)
{
    if (v->result->message[0])
        return v->result->message;
    return v->races ? "the simulator found invalid accesses" : v->verdict;
}

static void failure(const struct view_checked *v, struct text *out)
{
    bool raced = v->result->status == STATUS_CORRECT && v->races;
    const char *kind = raced ? "race" : result_word(v->result);
    text_add(out, "    <failure");
    attribute(out, "type", v->result->status == STATUS_CORRECT && !raced ? v->verdict : kind);
    attribute(out, "message", message_of(v));
    text_add(out, ">");
    escape(v->result->log, false, out);
    if (v->races) {
        text_add(out, v->result->log[0] ? "\n" : "");
        escape(v->races, false, out);
    }
    if (v->command) {
        text_add(out, "\n");
        escape(v->command, false, out);
    }
    text_add(out, "</failure>\n");
}

static void skipped(const struct view_checked *v, struct text *out)
{
    struct text why = TEXT_INIT;
    text_addf(&why, "%s: %s: %s", v->verdict, status_text(v->result->status), message_of(v));
    text_add(out, "    <skipped");
    attribute(out, "message", text_cstr(&why));
    text_add(out, "/>\n");
    text_release(&why);
}

static void notes(const struct view_checked *v, const struct view_check_end *run, struct text *out)
{
    const struct result *r = v->result;
    bool unverified =
        v->outcome == VIEW_PASSED && r->verification != VERIFICATION_REFERENCE && !run->build_only;
    if (!r->reused && !v->same_as && !unverified)
        return;
    text_add(out, "    <system-out>");
    if (unverified)
        text_addf(out, "%s%s", verification_text(r->verification),
                  r->verification == VERIFICATION_AGREES ? "; not verified" : "");
    text_add(out, unverified && (v->same_as || r->reused) ? "; " : "");
    if (v->same_as) {
        text_add(out, "identical to ");
        escape(v->same_as, false, out);
    } else if (r->reused) {
        text_add(out, "known from the store");
    }
    text_add(out, "</system-out>\n");
}

static uint64_t time_of(const struct view_checked *v)
{
    const struct result *r = v->result;
    bool is_new = !r->reused && !v->same_as;
    return is_new ? r->build_ns + r->load_ns + r->inputs_ns + r->verify_ns + r->verify_launch_ns
                  : 0;
}

static void test_case(const struct view_checked *v, const struct view_check_end *run,
                      const char *suite, struct text *out)
{
    struct text name = TEXT_INIT;
    text_add(&name, v->configuration[0] ? v->configuration : "(the only configuration)");
    if (v->sizes[0])
        text_addf(&name, " at %s", v->sizes);
    text_add(out, "  <testcase");
    attribute(out, "classname", suite);
    attribute(out, "name", text_cstr(&name));
    seconds(out, time_of(v));
    text_add(out, ">\n");
    if (v->outcome == VIEW_FAILED)
        failure(v, out);
    else if (v->outcome == VIEW_SKIPPED)
        skipped(v, out);
    notes(v, run, out);
    text_add(out, "  </testcase>\n");
    out->failed |= name.failed;
    text_release(&name);
}

// ---- the suite ---------------------------------------------------------------------------------

static size_t count_of(const struct view_check_end *v, enum view_verdict outcome)
{
    size_t count = 0;
    for (size_t i = 0; i < v->count; i++)
        count += v->records[i].outcome == outcome;
    return count;
}

static const char *why_incomplete(const struct view_check_end *v)
{
    if (v->broken || v->cancelled)
        return v->broken ? v->broken : "ended by a signal";
    bool is_empty = count_of(v, VIEW_PASSED) + count_of(v, VIEW_FAILED) == 0;
    return is_empty ? "nothing was checked: all configurations are left out" : NULL;
}

// The check itself, where it did not come to its end.
static void broken_case(const char *why, const char *suite, struct text *out)
{
    text_add(out, "  <testcase");
    attribute(out, "classname", suite);
    attribute(out, "name", "hone check");
    text_add(out, ">\n    <error");
    attribute(out, "type", "incomplete");
    attribute(out, "message", why);
    text_add(out, "/>\n  </testcase>\n");
}

static void verification_properties(const struct view_check_end *v, struct text *out)
{
    struct text words = TEXT_INIT;
    report_check(&v->check, &words);
    property(out, "verification", text_cstr(&words));
    if (report_check_shown(v))
        property(out, "shown", report_check_shown(v));
    text_release(&words);
}

void report_junit(const struct view_check_end *v, const struct view_junit *about, struct text *out)
{
    const char *why = why_incomplete(v);
    size_t errors = why != NULL;
    text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite");
    attribute(out, "name", about->suite);
    text_addf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"",
              v->count + errors, count_of(v, VIEW_FAILED), errors, count_of(v, VIEW_SKIPPED));
    seconds(out, v->elapsed_ns);
    attribute(out, "timestamp", about->date);
    attribute(out, "hostname", about->host);
    text_add(out, ">\n  <properties>\n");
    property(out, "device", about->device->name);
    property(out, "driver", about->device->driver);
    property(out, "command", about->command);
    if (!v->build_only)
        verification_properties(v, out);
    text_add(out, "  </properties>\n");
    for (size_t i = 0; i < v->count; i++)
        test_case(&v->records[i], v, about->suite, out);
    if (why)
        broken_case(why, about->suite, out);
    text_add(out, "</testsuite>\n</testsuites>\n");
}
