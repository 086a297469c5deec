// Comments and commas behind the last item become blanks, one for each character, and a parser of plain JSON reads
// what is left: so the lines and columns that it names are those of the text. Hexadecimal integers become decimal
// ones, and those from 2^63 on, which that parser does not hold, texts of their digits.
#include "problem/relaxed_json.h"

#include "base/text.h"
#include "problem/respell.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

struct cleaner {
    const char *name; // of the file
    const char *at, *end;
    uint32_t line, column; // of `at`, from 1
    struct text out;
    size_t
        comma;   // in `out`: of one that may turn out to stand behind the last item; SIZE_MAX: none
    char before; // what stands before that comma, or else last
};

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80; // of a character in UTF-8
}

// Takes a byte, as itself or as part of a comment.
static void take_byte(struct cleaner *c, bool is_comment)
{
    char byte = *c->at++;
    if (!is_comment || byte == '\n')
        text_addc(&c->out, byte);
    else if (!is_continuation(byte))
        text_addc(&c->out, ' ');
    c->column += !is_continuation(byte);
    if (byte == '\n') {
        c->line++;
        c->column = 1;
    }
}

static bool starts_here(const struct cleaner *c, const char *sign)
{
    size_t length = strlen(sign);
    return (size_t)(c->end - c->at) >= length && memcmp(c->at, sign, length) == 0;
}

static bool take_block_comment(struct cleaner *c, struct error *e)
{
    uint32_t line = c->line, column = c->column;
    take_byte(c, true);
    take_byte(c, true);
    while (c->at < c->end && !starts_here(c, "*/"))
        take_byte(c, true);
    if (c->at == c->end)
        return error_set(e, ERROR_INPUT, "%s:%u:%u: this comment does not end: '*/' is missing",
                         c->name, line, column);
    take_byte(c, true);
    take_byte(c, true);
    return true;
}

static void take_string(struct cleaner *c)
{
    take_byte(c, false);
    while (c->at < c->end && *c->at != '"' && *c->at != '\n') {
        if (*c->at == '\\' && c->at + 1 < c->end)
            take_byte(c, false);
        take_byte(c, false);
    }
    if (c->at < c->end)
        take_byte(c, false);
}

static bool starts_number(const struct cleaner *c)
{
    unsigned char before = c->out.length ? (unsigned char)c->out.data[c->out.length - 1] : ' ';
    return isdigit((unsigned char)*c->at) && !isalnum(before) && !strchr("._+-", before);
}

// An integer that plain JSON, or its parser, does not know. False: it stays as it is.
static bool take_integer(struct cleaner *c)
{
    const char *p = c->at;
    bool is_hex = p + 2 < c->end && p[0] == '0' && (p[1] | 32) == 'x';
    uint64_t value = 0, base = is_hex ? 16 : 10;
    size_t length = is_hex ? 2 : 0;
    for (; p + length < c->end; length++) {
        unsigned char sign = (unsigned char)p[length];
        uint64_t digit = isdigit(sign) ? sign - 48u : isxdigit(sign) ? (sign | 32u) - 87u : 16u;
        if (digit >= base)
            break;
        if (__builtin_mul_overflow(value, base, &value) ||
            __builtin_add_overflow(value, digit, &value))
            return false;
    }
    if (length == (is_hex ? 2 : 0) || (!is_hex && value <= INT64_MAX) ||
        (p + length < c->end && strchr(".eE", p[length])))
        return false;
    const char *quote = value > INT64_MAX ? "\"" : "";
    text_addf(&c->out, "%s%llu%s", quote, (unsigned long long)value, quote);
    c->at += length;
    c->column += (uint32_t)length;
    return true;
}

// A comma is one too many where a bracket closes behind it, and something stands before it.
static void note_sign(struct cleaner *c)
{
    char sign = *c->at;
    bool closes = sign == '}' || sign == ']';
    if (closes && c->comma != SIZE_MAX && !strchr("[{,", c->before) && c->out.data)
        c->out.data[c->comma] = ' ';
    if (sign == ',' && c->comma == SIZE_MAX) {
        c->comma = c->out.length;
        return;
    }
    c->before = sign;
    c->comma = SIZE_MAX;
}

static bool clean(struct cleaner *c, struct error *e)
{
    while (c->at < c->end) {
        if (starts_here(c, "/*")) {
            if (!take_block_comment(c, e))
                return false;
        } else if (*c->at == '#' || starts_here(c, "//")) {
            while (c->at < c->end && *c->at != '\n')
                take_byte(c, true);
        } else if (*c->at == ' ' || *c->at == '\t' || *c->at == '\r' || *c->at == '\n') {
            take_byte(c, false);
        } else {
            bool is_string = *c->at == '"', is_number = starts_number(c);
            note_sign(c);
            if (is_string)
                take_string(c);
            else if (!is_number || !take_integer(c))
                take_byte(c, false);
        }
    }
    return !c->out.failed || error_memory(e);
}

json_t *relaxed_json_parse(const char *name, const char *text, size_t length, bool strict,
                           struct error *e)
{
    json_error_t at;
    const size_t mark = str_mark_length(text, length);
    text += mark;
    length -= mark;
    struct cleaner c = {.name = name,
                        .at = text,
                        .end = text + length,
                        .line = 1,
                        .column = 1,
                        .comma = SIZE_MAX,
                        .before = '['};
    json_t *json = NULL;
    if (!strict && !clean(&c, e)) {
        text_release(&c.out);
        return NULL;
    }
    errno = 0;
    json = strict ? json_loadb(text, length, JSON_REJECT_DUPLICATES, &at)
                  : json_loadb(text_cstr(&c.out), c.out.length, JSON_REJECT_DUPLICATES, &at);
    bool memory = errno == ENOMEM; // then the parser may speak of syntax
    text_release(&c.out);
    if (json && (strict || respell_t1(json)))
        return json;
    if (json || memory || json_error_code(&at) == json_error_out_of_memory)
        error_memory(e);
    else if (length == 0)
        error_set(e, ERROR_INPUT, "%s: the file is empty; a spec is a JSON object", name);
    else
        error_set(e, ERROR_INPUT, "%s:%d:%d: not valid JSON: %s%s", name, at.line, at.column,
                  at.text,
                  strstr(at.text, "near '''")                    ? "; texts stand in double quotes"
                  : str_starts(at.text, "'}' expected near '\"") ? "; is a comma missing before it?"
                                                                 : "");
    return NULL;
}
