// Reads JSON token by token from a stream of bytes: what is open (lists and objects, at most 64 deep)
// is all that is kept, so that a document of any size takes the same memory.

#include "recorded/tokens.h"

#include <math.h>
#include <string.h>

#define TOKEN_BYTES ((size_t)16 << 20) // of one key, string or number

void tokens_init(struct tokens *t, struct bytes *bytes)
{
    memset(t, 0, sizeof *t);
    t->bytes = bytes;
    t->kind = TOKEN_NULL;
}

void tokens_release(struct tokens *t)
{
    text_release(&t->text);
}

const char *token_text(enum token k)
{
    static const char *const names[] = {
        [TOKEN_OBJECT] = "an object", [TOKEN_OBJECT_END] = "'}'", [TOKEN_ARRAY] = "a list",
        [TOKEN_ARRAY_END] = "']'",    [TOKEN_KEY] = "a key",      [TOKEN_STRING] = "text",
        [TOKEN_NUMBER] = "a number",  [TOKEN_MISSING] = "NaN",    [TOKEN_TRUE] = "true",
        [TOKEN_FALSE] = "false",      [TOKEN_NULL] = "null",      [TOKEN_END] = "the end",
        [TOKEN_TORN] = "a torn end",  [TOKEN_BROKEN] = "no token"};
    return names[k];
}

// ---- characters --------------------------------------------------------------------------------

static enum token refuse_broken_token(struct tokens *t, struct error *e, const char *what)
{
    error_set(e, ERROR_INPUT, "%s: line %llu: not JSON: %s", t->bytes->path,
              (unsigned long long)t->bytes->line, what);
    return t->kind = TOKEN_BROKEN;
}

static enum token torn(struct tokens *t, int peeked)
{
    return t->kind = peeked == -1 ? TOKEN_TORN : TOKEN_BROKEN;
}

// The next byte that is not blank, left unread.
static int skip_token_blanks(struct tokens *t, struct error *e)
{
    struct bytes *b = t->bytes;
    for (;;) {
        int c = bytes_peek(b, e);
        if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
            return c;
        b->line += c == '\n';
        b->at++;
    }
}

static bool too_long(struct tokens *t, struct error *e)
{
    if (t->text.failed) {
        error_memory(e);
        t->kind = TOKEN_BROKEN;
    } else if (t->text.length > TOKEN_BYTES) {
        refuse_broken_token(t, e, "a text of more than 16 MiB");
    }
    return t->kind == TOKEN_BROKEN;
}

// ---- strings -----------------------------------------------------------------------------------

static void add_utf8(struct text *out, uint32_t c)
{
    if (c < 0x80) {
        text_addc(out, (char)c);
    } else if (c < 0x800) {
        text_addc(out, (char)(0xc0 | c >> 6));
        text_addc(out, (char)(0x80 | (c & 0x3f)));
    } else if (c < 0x10000) {
        text_addc(out, (char)(0xe0 | c >> 12));
        text_addc(out, (char)(0x80 | (c >> 6 & 0x3f)));
        text_addc(out, (char)(0x80 | (c & 0x3f)));
    } else {
        text_addc(out, (char)(0xf0 | c >> 18));
        text_addc(out, (char)(0x80 | (c >> 12 & 0x3f)));
        text_addc(out, (char)(0x80 | (c >> 6 & 0x3f)));
        text_addc(out, (char)(0x80 | (c & 0x3f)));
    }
}

// Four digits of \uXXXX; -1: torn, -2: an error was set, -3: no digits.
static int32_t read_code_unit(struct tokens *t, struct error *e)
{
    int32_t unit = 0;
    for (int i = 0; i < 4; i++) {
        int c = bytes_peek(t->bytes, e);
        if (c < 0)
            return c;
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return -3;
        t->bytes->at++;
        unit = unit * 16 + digit;
    }
    return unit;
}

// After the backslash. False: t->kind says why.
static bool read_escape(struct tokens *t, int32_t *high, struct error *e)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    int c = bytes_peek(t->bytes, e);
    if (c < 0) {
        torn(t, c);
        return false;
    }
    t->bytes->at++;
    if (c == 'u') {
        int32_t unit = read_code_unit(t, e);
        if (unit >= 0) {
            // Half a pair stands for itself as U+FFFD, and so does NUL, which would end a text of
            // C.
            bool is_low = unit >= 0xdc00 && unit < 0xe000;
            if (*high && is_low) {
                add_utf8(&t->text,
                         0x10000u + ((uint32_t)(*high - 0xd800) << 10) + (uint32_t)(unit - 0xdc00));
                *high = 0;
                return true;
            }
            if (*high)
                add_utf8(&t->text, 0xfffd);
            *high = unit >= 0xd800 && unit < 0xdc00 ? unit : 0;
            if (!*high)
                add_utf8(&t->text, is_low || unit == 0 ? 0xfffd : (uint32_t)unit);
            return true;
        }
        if (unit == -3)
            refuse_broken_token(t, e, "\\u without four digits");
        else
            torn(t, unit);
        return false;
    }
    const char *known = c ? strchr(from, c) : NULL;
    if (!known) {
        refuse_broken_token(t, e, "an unknown escape in a text");
        return false;
    }
    if (*high)
        add_utf8(&t->text, 0xfffd);
    *high = 0;
    text_addc(&t->text, to[known - from]);
    return true;
}

// Adds the buffer's bytes up to the next quote, backslash or control character.
static void add_token_run(struct tokens *t, int32_t *high)
{
    struct bytes *b = t->bytes;
    const unsigned char *from = b->at;
    while (b->at < b->end && *b->at != '"' && *b->at != '\\' && *b->at >= ' ')
        b->at++;
    if (b->at > from && *high) {
        add_utf8(&t->text, 0xfffd);
        *high = 0;
    }
    text_addn(&t->text, from, (size_t)(b->at - from));
}

// After the opening quote.
static bool read_string_token(struct tokens *t, struct error *e)
{
    int32_t high = 0;
    text_clear(&t->text);
    for (;;) {
        int c = bytes_peek(t->bytes, e);
        if (c < 0) {
            torn(t, c);
            return false;
        }
        if (c == '"') {
            if (high)
                add_utf8(&t->text, 0xfffd);
            t->bytes->at++;
            return !too_long(t, e);
        }
        if (c == '\\') {
            t->bytes->at++;
            if (!read_escape(t, &high, e))
                return false;
        } else if (c < ' ') {
            refuse_broken_token(t, e, "a line break or control character in a text");
            return false;
        } else {
            add_token_run(t, &high);
        }
        if (too_long(t, e))
            return false;
    }
}

// ---- words and numbers -------------------------------------------------------------------------

static bool is_literal_token(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '+' || c == '.';
}

// -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?
static bool is_number_token(const char *s)
{
    s += *s == '-';
    size_t whole = strspn(s, "0123456789");
    if (whole == 0 || (whole > 1 && *s == '0'))
        return false;
    s += whole;
    if (*s == '.') {
        size_t digits = strspn(s + 1, "0123456789");
        if (digits == 0)
            return false;
        s += 1 + digits;
    }
    if (*s == 'e' || *s == 'E') {
        s += 1 + (s[1] == '+' || s[1] == '-');
        size_t digits = strspn(s, "0123456789");
        if (digits == 0)
            return false;
        s += digits;
    }
    return *s == 0;
}

static enum token read_word(struct tokens *t, struct error *e)
{
    static const struct {
        const char *word;
        enum token kind;
    } words[] = {{"true", TOKEN_TRUE},   {"false", TOKEN_FALSE},      {"null", TOKEN_NULL},
                 {"NaN", TOKEN_MISSING}, {"Infinity", TOKEN_MISSING}, {"-Infinity", TOKEN_MISSING}};
    int c;
    text_clear(&t->text);
    while ((c = bytes_peek(t->bytes, e)) >= 0 && is_literal_token(c)) {
        const unsigned char *from = t->bytes->at;
        while (t->bytes->at < t->bytes->end && is_literal_token(*t->bytes->at))
            t->bytes->at++;
        text_addn(&t->text, from, (size_t)(t->bytes->at - from));
        if (too_long(t, e))
            return TOKEN_BROKEN;
    }
    if (c < 0) // a number at the very end may go on
        return torn(t, c);
    if (is_number_token(text_cstr(&t->text)))
        return t->kind = TOKEN_NUMBER;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (str_equal(text_cstr(&t->text), words[i].word))
            return t->kind = words[i].kind;
    }
    if (t->text.length == 0)
        return refuse_broken_token(t, e, "a value was expected");
    char what[64];
    str_format(what, sizeof what, "unknown word '%s'", text_cstr(&t->text));
    return refuse_broken_token(t, e, what);
}

// ---- structure ---------------------------------------------------------------------------------

static bool in_object(const struct tokens *t)
{
    return t->depth > 0 && (t->objects >> (t->depth - 1) & 1);
}

static enum token open_one(struct tokens *t, bool object, struct error *e)
{
    t->bytes->at++;
    if (t->depth == TOKENS_DEPTH)
        return refuse_broken_token(t, e, "more than 64 levels");
    uint64_t bit = UINT64_C(1) << t->depth;
    t->objects = object ? t->objects | bit : t->objects & ~bit;
    t->depth++;
    t->at = AT_FIRST;
    return t->kind = object ? TOKEN_OBJECT : TOKEN_ARRAY;
}

static void value_is_over(struct tokens *t)
{
    t->at = t->depth == 0 ? AT_END : AT_NEXT;
}

static enum token close_token_level(struct tokens *t, struct error *e)
{
    bool object = *t->bytes->at == '}';
    if (object != in_object(t))
        return refuse_broken_token(t, e, object ? "a '}' closes a list" : "a ']' closes an object");
    t->bytes->at++;
    t->depth--;
    value_is_over(t);
    return t->kind = object ? TOKEN_OBJECT_END : TOKEN_ARRAY_END;
}

static enum token read_key(struct tokens *t, struct error *e)
{
    if (*t->bytes->at != '"')
        return refuse_broken_token(t, e, "a key in quotes was expected");
    t->bytes->at++;
    if (!read_string_token(t, e))
        return t->kind;
    int c = skip_token_blanks(t, e);
    if (c < 0)
        return torn(t, c);
    if (c != ':')
        return refuse_broken_token(t, e, "a ':' after a key was expected");
    t->bytes->at++;
    t->at = AT_VALUE;
    return t->kind = TOKEN_KEY;
}

enum token tokens_next(struct tokens *t, struct error *e)
{
    if (t->kind == TOKEN_BROKEN || t->kind == TOKEN_TORN)
        return t->kind;
    int c = skip_token_blanks(t, e);
    t->line = t->bytes->line;
    t->is_cut = false;
    if (c < 0)
        return t->at == AT_END && c == -1 ? t->kind = TOKEN_END : torn(t, c);
    if (t->at == AT_END)
        return refuse_broken_token(t, e, "something follows the document");
    if ((t->at == AT_FIRST || t->at == AT_NEXT) && (c == '}' || c == ']'))
        return close_token_level(t, e);
    if (t->at == AT_NEXT) {
        if (c != ',')
            return refuse_broken_token(t, e, "a comma or the end of a list or object was expected");
        t->bytes->at++;
        c = skip_token_blanks(t, e);
        t->line = t->bytes->line;
        if (c < 0)
            return torn(t, c);
    }
    t->is_cut = true;
    if (in_object(t) && t->at != AT_VALUE)
        return read_key(t, e);
    if (c == '{' || c == '[')
        return open_one(t, c == '{', e);
    value_is_over(t);
    if (c != '"')
        return read_word(t, e);
    t->bytes->at++;
    return read_string_token(t, e) ? t->kind = TOKEN_STRING : t->kind;
}

bool tokens_skip(struct tokens *t, struct error *e)
{
    if (t->kind != TOKEN_OBJECT && t->kind != TOKEN_ARRAY)
        return t->kind < TOKEN_TORN;
    uint32_t outside = t->depth - 1;
    while (tokens_next(t, e) < TOKEN_TORN) {
        if (t->depth == outside)
            return true;
    }
    return false;
}

// ---- values ------------------------------------------------------------------------------------

bool tokens_f64(const struct tokens *t, double *out)
{
    return t->kind == TOKEN_NUMBER && str_to_f64(text_cstr(&t->text), out);
}

double tokens_near(const struct tokens *t)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    uint64_t digits = 0;
    size_t after = 0;
    bool point = false, negative = false;
    const char *s = text_cstr(&t->text);
    negative = *s == '-';
    for (s += negative; (*s >= '0' && *s <= '9') || *s == '.'; s++) {
        if (*s == '.') {
            point = true;
            continue;
        }
        if (digits < UINT64_MAX / 10 - 1) {
            digits = digits * 10 + (uint64_t)(*s - '0');
            after += point;
        } else if (!point) {
            break;
        }
    }
    double value = NAN;
    if (*s || after >= sizeof powers / sizeof *powers) // an exponent, or very many digits
        return tokens_f64(t, &value) ? value : NAN;
    value = (double)digits / powers[after];
    return negative ? -value : value;
}

bool tokens_value(const struct tokens *t, struct value *out)
{
    int64_t whole;
    double real;
    if (t->kind == TOKEN_TRUE || t->kind == TOKEN_FALSE)
        *out = value_bool(t->kind == TOKEN_TRUE);
    else if (t->kind == TOKEN_STRING)
        *out = value_string(text_cstr(&t->text));
    else if (t->kind == TOKEN_NUMBER && str_to_i64(text_cstr(&t->text), &whole))
        *out = value_int(whole);
    else if (tokens_f64(t, &real))
        *out = value_float(real);
    else
        return false;
    return true;
}
