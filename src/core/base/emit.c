// A JSON writer: puts commas where they are due, writes numbers in the shortest form that reads
// back, and replaces bytes that are not UTF-8.
#include "base/emit.h"

#include <math.h>
#include <string.h>

void emit_start(struct emit *j, struct text *out)
{
    *j = (struct emit){.out = out};
}

static void separate(struct emit *j)
{
    if (j->comma)
        text_addc(j->out, ',');
    j->comma = true;
}

static void begin_value(struct emit *j, char bracket)
{
    separate(j);
    text_addc(j->out, bracket);
    j->comma = false;
}

static void end_value(struct emit *j, char bracket)
{
    text_addc(j->out, bracket);
    j->comma = true;
}

void emit_object(struct emit *j)
{
    begin_value(j, '{');
}

void emit_object_end(struct emit *j)
{
    end_value(j, '}');
}

void emit_array(struct emit *j)
{
    begin_value(j, '[');
}

void emit_array_end(struct emit *j)
{
    end_value(j, ']');
}

#define REPLACEMENT "\xef\xbf\xbd" // U+FFFD

// ---- strings -----------------------------------------------------------------------------------

// Code points beyond U+FFFF as the two halves that JSON writes them in.
static void escape_byte(struct text *out, uint32_t c)
{
    static const char plain[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *at = c && c < 0x80 ? strchr(plain, (int)c) : NULL;
    if (at)
        text_addf(out, "\\%c", letters[at - plain]);
    else if (c > 0xffff)
        text_addf(out, "\\u%04x\\u%04x", 0xd7c0 + (c >> 10), 0xdc00 + (c & 0x3ff));
    else
        text_addf(out, "\\u%04x", c);
}

static void quote(struct text *out, const char *value)
{
    text_addc(out, '"');
    for (const unsigned char *s = (const unsigned char *)value; *s;) {
        // How many bytes from `s` on stand for themselves.
        size_t run = 0;
        while (s[run] >= 0x20 && s[run] < 0x7f && s[run] != '"' && s[run] != '\\')
            run++;
        text_addn(out, s, run);
        s += run;
        if (!*s)
            break;
        uint32_t code;
        size_t length = utf8_character((const char *)s, &code);
        if (length == 0)
            text_add(out, REPLACEMENT);
        else if (code == '"' || code == '\\' || utf8_is_control(code))
            escape_byte(out, code);
        else
            text_addn(out, s, length);
        s += length ? length : 1;
    }
    text_addc(out, '"');
}

void emit_key(struct emit *j, const char *key)
{
    separate(j);
    quote(j->out, key);
    text_addc(j->out, ':');
    j->comma = false;
}

// ---- values ------------------------------------------------------------------------------------

void emit_raw(struct emit *j, const char *json)
{
    separate(j);
    for (const char *s = json ? json : "null"; *s;) {
        uint32_t code;
        size_t length = utf8_character(s, &code);
        if (length == 0)
            text_add(j->out, REPLACEMENT);
        else if (utf8_is_control(code) && !strchr("\t\n\r", *s))
            escape_byte(j->out, code); // it stands in a string
        else
            text_addn(j->out, s, length);
        s += length ? length : 1;
    }
}

void emit_null(struct emit *j)
{
    emit_raw(j, NULL);
}

void emit_text(struct emit *j, const char *value)
{
    separate(j);
    if (value)
        quote(j->out, value);
    else
        text_add(j->out, "null");
}

void emit_u64(struct emit *j, uint64_t value)
{
    separate(j);
    text_addf(j->out, "%llu", (unsigned long long)value);
}

void emit_i64(struct emit *j, int64_t value)
{
    separate(j);
    text_addf(j->out, "%lld", (long long)value);
}

void emit_f64(struct emit *j, double value)
{
    char digits[32];
    if (!isfinite(value)) {
        emit_null(j);
        return;
    }
    f64_to_str(value, digits);
    emit_raw(j, digits);
}

void emit_bool(struct emit *j, bool value)
{
    emit_raw(j, value ? "true" : "false");
}

// ---- keys with values --------------------------------------------------------------------------

void emit_text_at(struct emit *j, const char *key, const char *value)
{
    emit_key(j, key);
    emit_text(j, value);
}

void emit_u64_at(struct emit *j, const char *key, uint64_t value)
{
    emit_key(j, key);
    emit_u64(j, value);
}

void emit_f64_at(struct emit *j, const char *key, double value)
{
    emit_key(j, key);
    emit_f64(j, value);
}

void emit_bool_at(struct emit *j, const char *key, bool value)
{
    emit_key(j, key);
    emit_bool(j, value);
}

void emit_object_at(struct emit *j, const char *key)
{
    emit_key(j, key);
    emit_object(j);
}

void emit_array_at(struct emit *j, const char *key)
{
    emit_key(j, key);
    emit_array(j);
}

void emit_raw_at(struct emit *j, const char *key, const char *json)
{
    emit_key(j, key);
    emit_raw(j, json);
}

void emit_u64s_at(struct emit *j, const char *key, const uint64_t *values, size_t count)
{
    emit_array_at(j, key);
    for (size_t i = 0; i < count; i++)
        emit_u64(j, values[i]);
    emit_array_end(j);
}
