// KTT's results as XML: <TuningData><Metadata .../><Results><KernelResult Status="Ok" TotalDuration="96.2"><Configuration><Pair
// ValueType="UnsignedInt" Name="BLOCK" Value="32"/></Configuration><ComputationResults>... A reader of tags one after the other:
// of XML no more than KTT writes, that is elements and attributes, with texts between them ignored.
#include "extras/formats/ktt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ATTRIBUTES_MOST 64
#define TAG_BYTES       ((size_t)1 << 20)

// ---- tags --------------------------------------------------------------------------------------

// The name, then names and values of attributes, each terminated.
struct tag {
    struct text text;
    size_t names[ATTRIBUTES_MOST], values[ATTRIBUTES_MOST], count;
    bool is_end, is_empty; // </name>, <name/>
    uint64_t line;
};

static const char *tag_name(const struct tag *t)
{
    return text_cstr(&t->text);
}

static const char *tag_value(const struct tag *t, const char *name)
{
    for (size_t i = 0; i < t->count; i++) {
        if (str_equal(t->text.data + t->names[i], name))
            return t->text.data + t->values[i];
    }
    return "";
}

static bool refuse_xml(struct reading *r, const char *what)
{
    return error_set(r->e, ERROR_INPUT, "%s: line %llu: %s", r->bytes.path,
                     (unsigned long long)r->bytes.line, what);
}

// The next byte; -1 with an error, that of a file which is cut off among them.
static int take_byte(struct reading *r)
{
    int c = bytes_peek(&r->bytes, r->e);
    if (c == -1)
        refuse_xml(r, "the file is cut off: it ends inside the document");
    if (c < 0)
        return -1;
    r->bytes.at++;
    r->bytes.line += c == '\n';
    return c;
}

static bool is_space(int c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// Behind `end`: of a comment, a declaration.
static bool skip_until(struct reading *r, const char *end)
{
    size_t length = strlen(end), same = 0;
    while (same < length) {
        int c = take_byte(r);
        if (c < 0)
            return false;
        same = c == end[same] ? same + 1 : c == end[0] ? same == 2 && c == end[1] ? 2 : 1 : 0;
    }
    return true;
}

// "amp;" and so on, behind the &.
static bool add_entity(struct reading *r, struct text *out)
{
    static const struct {
        const char *name, *text;
    } known[] = {{"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}};
    char name[12];
    size_t length = 0;
    int c;
    while ((c = take_byte(r)) != ';') {
        if (c < 0)
            return false;
        if (length + 1 == sizeof name)
            return refuse_xml(r, "an & without its ;");
        name[length++] = (char)c;
    }
    name[length] = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (str_equal(name, known[i].name)) {
            text_add(out, known[i].text);
            return true;
        }
    }
    bool is_hexadecimal = name[0] == '#' && name[1] == 'x';
    char *end = name;
    unsigned long code =
        name[0] == '#' ? strtoul(name + 1 + is_hexadecimal, &end, is_hexadecimal ? 16 : 10) : 0;
    if (code == 0 || *end)
        return refuse_xml(r, "an unknown entity behind &");
    text_addc(out, code < 0x80 ? (char)code : '?');
    return true;
}

static bool read_attribute_value(struct reading *r, struct tag *t)
{
    int quote = take_byte(r), c;
    if (quote != '"' && quote != '\'')
        return r->e->code ? false : refuse_xml(r, "an attribute's value without quotes");
    while ((c = take_byte(r)) != quote) {
        if (c < 0 || (c == '&' && !add_entity(r, &t->text)))
            return false;
        if (c != '&')
            text_addc(&t->text, (char)(c ? c : '?'));
        if (t->text.length > TAG_BYTES)
            return refuse_xml(r, "a tag of more than 1 MiB");
    }
    text_addc(&t->text, 0);
    return !t->text.failed || error_memory(r->e);
}

// A name up to `last`, which ends it: a space, '/', '>' or '='.
static bool read_name(struct reading *r, struct tag *t, int first, int *last)
{
    int c = first;
    while (c >= 0 && !is_space(c) && c != '/' && c != '>' && c != '=') {
        text_addc(&t->text, (char)(c ? c : '?'));
        if (t->text.length > TAG_BYTES)
            return refuse_xml(r, "a tag of more than 1 MiB");
        c = take_byte(r);
    }
    text_addc(&t->text, 0);
    *last = c;
    return c >= 0 && (!t->text.failed || error_memory(r->e));
}

// `c` is the first byte of its name.
static bool read_attribute(struct reading *r, struct tag *t, int *c)
{
    if (t->count == ATTRIBUTES_MOST)
        return refuse_xml(r, "more than 64 attributes");
    t->names[t->count] = t->text.length;
    if (!read_name(r, t, *c, c))
        return false;
    while (is_space(*c))
        *c = take_byte(r);
    if (*c != '=')
        return *c < 0 ? false : refuse_xml(r, "an attribute without a value");
    t->values[t->count++] = t->text.length;
    return read_attribute_value(r, t) && (*c = take_byte(r)) >= 0;
}

// `c` is the first byte behind the <.
static bool read_tag(struct reading *r, struct tag *t, int c)
{
    text_clear(&t->text);
    t->count = 0;
    t->line = r->bytes.line;
    t->is_end = c == '/';
    if (t->is_end)
        c = take_byte(r);
    if (!read_name(r, t, c, &c))
        return false;
    while (c != '>' && c != '/') {
        if (c < 0)
            return false;
        bool ok = is_space(c) ? (c = take_byte(r)) >= 0 : read_attribute(r, t, &c);
        if (!ok)
            return false;
    }
    t->is_empty = c == '/';
    if (t->is_empty && take_byte(r) != '>')
        return r->e->code ? false : refuse_xml(r, "a / within a tag");
    return true;
}

// The next element's beginning or end; false at the end of the file, and with an error.
static bool next_tag(struct reading *r, struct tag *t)
{
    for (;;) {
        int c = bytes_peek(&r->bytes, r->e);
        if (c < 0)
            return false;
        if (take_byte(r) != '<')
            continue;
        c = take_byte(r);
        if (c < 0)
            return false;
        if (c != '?' && c != '!')
            return read_tag(r, t, c);
        bool is_comment = c == '!' && bytes_peek(&r->bytes, r->e) == '-';
        if (!skip_until(r, c == '?' ? "?>" : is_comment ? "-->" : ">"))
            return false;
    }
}

// ---- what they say -----------------------------------------------------------------------------

struct document {
    struct tag tag;
    struct ktt_result result;
    uint64_t results, depth;
    bool in_result, in_kernel, has_pairs;
};

static double tag_number(const char *text)
{
    double number;
    return str_to_f64(text, &number) && isfinite(number) ? number : NAN;
}

static bool begin_result(struct reading *r, struct document *d)
{
    const struct tag *t = &d->tag;
    struct recorded *rec = r->gather.recorded;
    ktt_begin(r, &d->result, t->line, d->results++);
    d->in_result = true;
    d->has_pairs = false;
    for (size_t i = 0; i < t->count; i++)
        ktt_number(r, &d->result, t->text.data + t->names[i],
                   tag_number(t->text.data + t->values[i]));
    if (!rec->name[0] && !(rec->name = arena_strdup(&rec->arena, tag_value(t, "KernelName"))))
        return error_memory(r->e);
    return ktt_status(r, tag_value(t, "Status"));
}

// A text is a number or a truth if its type says so.
static bool set_pair(struct reading *r, struct document *d)
{
    struct value v;
    const char *text = tag_value(&d->tag, "Value"), *type = tag_value(&d->tag, "ValueType");
    struct arena scratch = {NULL, 0};
    d->has_pairs = true;
    bool ok = true;
    if (str_equal(type, "String"))
        v = value_string(text);
    else if (str_equal(type, "Bool"))
        v = value_bool(str_equal(text, "true"));
    else
        ok = value_parse_literal(text, &scratch, &v) || error_memory(r->e);
    if (ok && (v.kind == VALUE_NONE || v.kind == VALUE_LIST))
        v = value_string(text);
    ok = ok && gather_set(&r->gather, tag_value(&d->tag, "Name"), &v);
    arena_release(&scratch);
    return ok;
}

static bool begin_kernel(struct reading *r, struct document *d)
{
    static const char *const numbers[] = {"Duration", "PowerUsage", "EnergyConsumption"};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof numbers / sizeof *numbers; i++)
        ok = ktt_kernel(r, &d->result, numbers[i], tag_number(tag_value(&d->tag, numbers[i])));
    return ok;
}

static bool take_metadata(struct reading *r, const struct document *d)
{
    const char *unit = tag_value(&d->tag, "TimeUnit");
    return ktt_metadata(r, "Device", tag_value(&d->tag, "Device")) &&
           (!unit[0] || ktt_metadata(r, "TimeUnit", unit));
}

static bool take_begin(struct reading *r, struct document *d)
{
    const struct tag *t = &d->tag;
    const char *name = tag_name(t);
    if (d->depth == 0 && !str_equal(name, "TuningData"))
        return error_set(r->e, ERROR_INPUT,
                         "%s: no recorded results: XML, but not KTT's: its root is '%.60s', not "
                         "'TuningData'",
                         r->bytes.path, name);
    if (str_equal(name, "Results"))
        r->has_rows = true;
    if (str_equal(name, "Metadata"))
        return take_metadata(r, d);
    if (str_equal(name, "KernelResult"))
        return begin_result(r, d);
    if (!d->in_result)
        return true;
    return str_equal(name, "Pair")                ? set_pair(r, d)
           : str_equal(name, "ComputationResult") ? begin_kernel(r, d)
           : str_equal(name, "Counter")
               ? ktt_counter(r, &d->result, tag_value(t, "Name"), tag_number(tag_value(t, "Value")))
               : true;
}

static bool take_end(struct reading *r, struct document *d)
{
    if (str_equal(tag_name(&d->tag), "ComputationResult"))
        d->result.has_counters = true;
    if (!d->in_result || !str_equal(tag_name(&d->tag), "KernelResult"))
        return true;
    d->in_result = false;
    return d->has_pairs ? ktt_end(r, &d->result)
                        : gather_refuse(&r->gather, "it has no Configuration");
}

static bool take_tag(struct reading *r, struct document *d)
{
    const struct tag *t = &d->tag;
    if (t->is_end && d->depth == 0)
        return refuse_xml(r, "an end of an element that did not begin");
    if (!t->is_end && !take_begin(r, d))
        return false;
    if ((t->is_end || t->is_empty) && !take_end(r, d))
        return false;
    d->depth += !t->is_end && !t->is_empty;
    d->depth -= t->is_end;
    return true;
}

static bool read_ktt_xml(struct reading *r)
{
    struct document d = {.tag = {.text = TEXT_INIT}};
    r->gather.recorded->format = RECORDED_KTT;
    while (next_tag(r, &d.tag) && take_tag(r, &d))
        continue;
    text_release(&d.tag.text);
    r->gather.place[0] = 0;
    if (r->e->code == ERROR_NONE && d.depth > 0)
        refuse_xml(r, "the file is cut off: it ends inside the document");
    else if (r->e->code == ERROR_NONE && !r->has_rows)
        error_set(r->e, ERROR_INPUT, "%s: no recorded results: 'TuningData' without 'Results'",
                  r->bytes.path);
    return r->e->code == ERROR_NONE;
}

static bool is_xml(int first_byte)
{
    return first_byte == '<';
}

const struct recorded_reader ktt_xml_reader = {is_xml, read_ktt_xml};
