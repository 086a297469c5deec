// The lexer: from text to one token at a time, with the column for messages. Numbers and strings
// are Python's, their escapes and underscores included; prefixed strings but r'' are refused.
#include "expr/lex.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// The longest that fits is the right one. What Python or C has and the language has not is listed with the remedy.
static const struct {
    const char *texts;  // a blank between two
    const char *remedy; // NULL: part of the language
} symbols[] = {
    {"===", "compare with '=='"},
    {"!== <>", "compare with '!='"},
    {"**= //= <<= >>= := += -= *= /= %= &= |= ^= =",
     "an expression assigns nothing; compare with '=='"},
    {"...", "write the values out, or range(first, last + 1)"},
    {"** // << >> <= >= == != + - * / % & | ^ ~ < > ( ) [ ] { } , : .", NULL},
    {"&&", "write 'and'"},
    {"||", "write 'or'"},
    {"->", "values have no members"},
    {"!", "write 'not'"},
    {"?", "write 'a if condition else b' for 'condition ? a : b'"},
    {";", "write a single expression"},
    {"#", "an expression has no comments"},
    {"@", "matrices are unknown here; multiply with '*'"},
    {"$", "write names bare"},
    {"`", "quote strings with ' or \""},
    {"\\", "a line needs no continuation mark"},
};

uint32_t lexer_column(const struct lexer *l, const char *place)
{
    uint32_t column = 1;
    for (const char *p = l->text; p < place; p++)
        column += ((unsigned char)*p & 0xC0) != 0x80;
    return column;
}

bool lexer_error(struct lexer *l, const char *place, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    l->token.kind = TOKEN_END;
    return error_set(l->error, ERROR_INPUT, "column %u: %s", (unsigned)lexer_column(l, place),
                     message);
}

static bool is_name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool is_name_part(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool finish_token(struct lexer *l, enum token_kind kind, const char *end)
{
    l->token.kind = kind;
    l->token.length = (size_t)(end - l->token.start);
    l->at = end;
    return true;
}

// -1 when `c` is no digit of any base.
static int digit_of(char c)
{
    if (isdigit((unsigned char)c))
        return c - '0';
    return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

// Digits of the base with single underscores between them; the end, or NULL at a misplaced
// underscore. *value saturates with *over set.
static const char *read_digits(const char *p, int base, uint64_t *value, bool *over)
{
    *value = 0;
    *over = false;
    while (true) {
        int digit = digit_of(*p);
        if (digit < 0 || digit >= base)
            return p;
        if (__builtin_mul_overflow(*value, (uint64_t)base, value) ||
            __builtin_add_overflow(*value, (uint64_t)digit, value))
            *over = true;
        p++;
        if (*p == '_' && (digit_of(p[1]) < 0 || digit_of(p[1]) >= base))
            return NULL;
        p += *p == '_';
    }
}

// A number must not run into a letter: 10u, 1.5f, 3x.
static bool check_number_end(struct lexer *l, const char *end)
{
    if (!is_name_part(*end))
        return true;
    if (strchr("fFlLuU", *end))
        return lexer_error(l, end, "a number carries no suffix; remove '%c'", *end);
    return lexer_error(l, end, "'%c' cannot follow a number; an operator is missing", *end);
}

static bool lex_integer(struct lexer *l, const char *digits, int base)
{
    uint64_t value;
    bool over;
    const char *end = read_digits(digits, base, &value, &over);
    if (!end)
        return lexer_error(l, digits, "an underscore belongs between two digits");
    if (end == digits)
        return lexer_error(l, l->token.start, "the number has no digits");
    if (!check_number_end(l, end))
        return false;
    if (over)
        return lexer_error(l, l->token.start,
                           "the integer is outside the 64-bit range; write a float (1e20)");
    l->token.value = value_uint(value);
    return finish_token(l, TOKEN_LITERAL, end);
}

// The end of a decimal number with a point or an exponent; NULL at a misplaced underscore.
// *is_float says which it was.
static const char *scan_decimal(const char *p, bool *is_float)
{
    uint64_t value;
    bool over;
    *is_float = false;
    if (!(p = read_digits(p, 10, &value, &over)))
        return NULL;
    if (*p == '.') {
        *is_float = true;
        if (!(p = read_digits(p + 1, 10, &value, &over)))
            return NULL;
    }
    const char *mark = p;
    if (*p != 'e' && *p != 'E')
        return p;
    p += p[1] == '+' || p[1] == '-' ? 2 : 1;
    if (!isdigit((unsigned char)*p))
        return mark;
    *is_float = true;
    return read_digits(p, 10, &value, &over);
}

static bool lex_number(struct lexer *l)
{
    static const struct {
        char letter;
        int base;
    } bases[] = {{'x', 16}, {'o', 8}, {'b', 2}};
    const char *start = l->token.start;
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        if (*start == '0' && tolower((unsigned char)start[1]) == bases[i].letter)
            return lex_integer(l, start + 2 + (start[2] == '_'), bases[i].base);
    bool is_float;
    const char *end = scan_decimal(start, &is_float);
    if (!end)
        return lexer_error(l, start, "an underscore belongs between two digits");
    if (is_float) {
        char digits[512];
        size_t length = 0;
        for (const char *p = l->token.start; p < end; p++) {
            if (length == sizeof digits - 1)
                return lexer_error(l, l->token.start, "the number has too many digits");
            if (*p != '_')
                digits[length++] = *p;
        }
        digits[length] = 0;
        double value;
        if (!str_to_f64(digits, &value))
            return lexer_error(l, l->token.start, "the number is outside the range of a float");
        l->token.value = value_float(value);
        return check_number_end(l, end) && finish_token(l, TOKEN_LITERAL, end);
    }
    if (*start == '0' && strspn(start, "0_") < (size_t)(end - start))
        return lexer_error(l, start, "a decimal number starts with no zero; octal is 0o17");
    return lex_integer(l, start, 10);
}

// One character of a code, as UTF-8.
static size_t put_utf8(uint32_t code, char *out)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t extra = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char marks[] = {0, 0xC0, 0xE0, 0xF0};
    for (size_t i = extra; i > 0; i--, code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3F));
    out[0] = (char)(marks[extra] | code);
    return extra + 1;
}

// \xHH, \uHHHH, \UHHHHHHHH: `p` is at the letter. The end, or NULL.
static const char *read_code(const char *p, uint32_t *code)
{
    int digits = *p == 'x' ? 2 : *p == 'u' ? 4 : 8;
    *code = 0;
    for (p++; digits > 0; digits--, p++) {
        int digit = digit_of(*p);
        if (digit < 0)
            return NULL;
        *code = *code << 4 | (uint32_t)digit;
    }
    return p;
}

// `p` is behind a backslash. Appends what it means to *out; the end of the escape, or NULL after an
// error.
static const char *read_string_escape(struct lexer *l, const char *p, char **out)
{
    static const char named[] = "n\nt\tr\r\\\\'\'\"\"a\ab\bf\fv\v";
    for (const char *n = named; *n; n += 2)
        if (*n == *p) {
            *(*out)++ = n[1];
            return p + 1;
        }
    if (*p == '\n')
        return p + 1;
    uint32_t code;
    const char *end = *p && strchr("xuU", *p) ? read_code(p, &code) : NULL;
    if (!end) {
        lexer_error(l, p - 1, "unknown escape in a string; a backslash itself is written '\\\\'");
        return NULL;
    }
    if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
        lexer_error(l, p - 1, "the escape names no character that a string can hold");
        return NULL;
    }
    *out += put_utf8(code, *out);
    return end;
}

// Between the quotes, as written: no escape is shorter than its meaning.
static size_t quoted_length(const char *open)
{
    const char *p = open + 1;
    while (*p && *p != *open)
        p += *p == '\\' && p[1] ? 2 : 1;
    return (size_t)(p - open) - 1;
}

// From the opening quote `open` on.
static bool lex_string(struct lexer *l, const char *open, bool raw)
{
    if (open[1] == *open && open[2] == *open)
        return lexer_error(l, l->token.start, "a string is quoted by one ' or \"");
    char *text = arena_alloc(l->arena, quoted_length(open) + 1);
    if (!text)
        return error_memory(l->error);
    char *out = text;
    const char *p = open + 1;
    while (*p && *p != *open) {
        if (*p != '\\') {
            *out++ = *p++;
        } else if (raw) {
            *out++ = *p++;
            if (*p)
                *out++ = *p++;
        } else if (!(p = read_string_escape(l, p + 1, &out))) {
            return false;
        }
    }
    if (!*p)
        return lexer_error(l, l->token.start, "the string has no closing %c", *open);
    *out = 0;
    l->token.value = value_string(text);
    return finish_token(l, TOKEN_LITERAL, p + 1);
}

static bool lex_symbol(struct lexer *l)
{
    const char *start = l->token.start, *remedy = NULL;
    size_t longest = 0, n;
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        for (const char *s = symbols[i].texts; *s; s += n + (s[n] == ' ')) {
            n = strcspn(s, " ");
            if (n > longest && strncmp(start, s, n) == 0) {
                longest = n;
                remedy = symbols[i].remedy;
            }
        }
    }
    if (remedy)
        return lexer_error(l, start, "'%.*s' is not part of the language; %s", (int)longest, start,
                           remedy);
    if (longest)
        return finish_token(l, TOKEN_SYMBOL, start + longest);
    int length = 1;
    while (((unsigned char)start[length] & 0xC0) == 0x80)
        length++;
    if (isprint((unsigned char)*start) || length > 1)
        return lexer_error(l, start,
                           "'%.*s' is not part of the language; names are ASCII letters, "
                           "digits and '_'",
                           length, start);
    return lexer_error(l, start, "byte 0x%02x is not part of the language; remove it",
                       (unsigned char)*start);
}

bool lexer_next(struct lexer *l)
{
    while (*l->at && strchr(" \t\r\n\f\v", *l->at))
        l->at++;
    const char *start = l->at;
    l->token = (struct token){.start = start};
    if (!*start)
        return finish_token(l, TOKEN_END, start);
    if (isdigit((unsigned char)*start) || (*start == '.' && isdigit((unsigned char)start[1])))
        return lex_number(l);
    if (is_name_start(*start)) {
        const char *end = l->token.start;
        while (is_name_part(*end))
            end++;
        size_t length = (size_t)(end - l->token.start);
        if ((*end == '\'' || *end == '"') && length <= 2) {
            char first = (char)tolower((unsigned char)*l->token.start);
            if (length == 1 && first == 'r')
                return lex_string(l, end, true);
            return lexer_error(l, l->token.start,
                               "a string takes no prefix '%.*s'; join parts with '+' and str()",
                               (int)length, l->token.start);
        }
        return finish_token(l, TOKEN_NAME, end);
    }
    if (*start == '\'' || *start == '"')
        return lex_string(l, start, false);
    return lex_symbol(l);
}

void lexer_init(struct lexer *l, struct arena *a, const char *text, struct error *e)
{
    *l = (struct lexer){.text = text, .at = text, .arena = a, .error = e};
    lexer_next(l);
}

bool lexer_is(const struct lexer *l, const char *text)
{
    return (l->token.kind == TOKEN_NAME || l->token.kind == TOKEN_SYMBOL) &&
           strlen(text) == l->token.length && strncmp(l->token.start, text, l->token.length) == 0;
}
