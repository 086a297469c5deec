// Options, split as a compiler's driver does it, and joined; the device's variables of a text, and their names.
#include "extras/capture/capture_words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\n"

char *capture_words_next(const char **at)
{
    const char *from = *at + strspn(*at, BLANKS);
    char *word = *from ? malloc(strlen(from) + 1) : NULL, *to = word, quote = 0;
    if (!word)
        return NULL;
    for (; *from && (quote || !strchr(BLANKS, *from)); from++) {
        if (*from == '\\' && from[1])
            *to++ = *++from;
        else if (*from == quote)
            quote = 0;
        else if (!quote && (*from == '"' || *from == '\''))
            quote = *from;
        else
            *to++ = *from;
    }
    *to = 0;
    *at = from;
    return word;
}

// A value with blanks stands in quotes, which every compiler's driver takes; what has quotes itself is written with backslashes.
static char *write_word(char *to, const char *word)
{
    const char *value = strchr(word, '=');
    const bool is_quoted = !*word || (strpbrk(word, BLANKS) && !strpbrk(word, "\\\"'"));
    const char *from = value && is_quoted ? value + 1 : word;
    memcpy(to, word, (size_t)(from - word));
    to += from - word;
    if (is_quoted)
        *to++ = '"';
    for (; *from; from++) {
        if (!is_quoted && strchr(BLANKS "\\\"'", *from))
            *to++ = '\\';
        *to++ = *from;
    }
    if (is_quoted)
        *to++ = '"';
    return to;
}

char *capture_words_join(const char *const *words, size_t count)
{
    size_t length = 1;
    for (size_t i = 0; i < count; i++)
        length += 2 * strlen(words[i]) + 3;
    char *text = malloc(length), *to = text;
    for (size_t i = 0; text && i < count; i++) {
        if (i)
            *to++ = ' ';
        to = write_word(to, words[i]);
    }
    if (text)
        *to = 0;
    return text;
}

// ---- variables ---------------------------------------------------------------------------------

static size_t word_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    return length;
}

static bool is_among_words(const char *const *list, const char *at, size_t length)
{
    while (*list && (strlen(*list) != length || memcmp(*list, at, length) != 0))
        list++;
    return *list != NULL;
}

static const char *const fixed_words[] = {"const", "constexpr", "__constant__", NULL};

// Behind the bracket that closes the one at `at`, or at the end.
static const char *skip_brackets(const char *at)
{
    const bool is_angle = *at == '<';
    int depth = 0;
    do {
        depth += strchr(is_angle ? "<" : "([{", *at) != NULL;
        depth -= strchr(is_angle ? ">" : ")]}", *at) != NULL;
        at++;
    } while (*at && depth > 0);
    return at;
}

// Behind a comment that begins at `at`; else NULL.
static const char *skip_comment(const char *at)
{
    if (at[0] != '/' || (at[1] != '/' && at[1] != '*'))
        return NULL;
    const char *end = at[1] == '/' ? strchr(at, '\n') : strstr(at + 2, "*/");
    return end ? end + (at[1] == '*') : at + strlen(at) - 1; // the loops go on by one
}

// Begins the next declaration: behind its word. What stands before that on its line counts, too.
static bool find_declaration(struct capture_variables *v)
{
    static const char *const words[] = {"__device__", "__managed__", "__constant__", NULL};
    v->is_constant = false;
    for (; *v->at; v->at++) {
        const size_t length = word_length(v->at);
        const char *comment = skip_comment(v->at);
        v->at = comment ? comment : v->at;
        if (strchr("\n;{}", *v->at))
            v->is_constant = false;
        if (!length)
            continue;
        v->is_constant = v->is_constant || is_among_words(fixed_words, v->at, length);
        const bool is_found = is_among_words(words, v->at, length);
        v->at += is_found ? length : length - 1;
        if (is_found)
            return true;
    }
    return false;
}

static bool is_operator(const struct capture_variables *v)
{
    return v->length == 8 && memcmp(v->name, "operator", 8) == 0;
}

// Reads to the end of a declarator. False: it is a function's.
static bool read_declarator(struct capture_variables *v)
{
    static const char *const with_brackets[] = {"__attribute__", "__launch_bounds__", "alignas",
                                                "__align__",     "decltype",          NULL};
    v->length = 0;
    while (*v->at && !strchr(";,=[{()#}", *v->at)) {
        const size_t length = word_length(v->at);
        const char *comment = skip_comment(v->at);
        if (comment) {
            v->at = comment + 1;
        } else if (*v->at == '<' && !is_operator(v)) {
            v->at = skip_brackets(v->at);
        } else if (!length) {
            v->is_constant = v->is_constant && *v->at != '*'; // of a pointer it is what it leads to
            v->at++;
        } else if (is_among_words(with_brackets, v->at, length)) {
            v->at += length + strspn(v->at + length, BLANKS);
            v->at = *v->at == '(' ? skip_brackets(v->at) : v->at;
        } else {
            v->is_constant = v->is_constant || is_among_words(fixed_words, v->at, length);
            v->name = v->at;
            v->length = length;
            v->at += length;
        }
    }
    return v->length && *v->at && strchr(";,=[{", *v->at) && !is_operator(v);
}

bool capture_next_variable(struct capture_variables *v)
{
    while (v->is_inside || find_declaration(v)) {
        const bool is_variable = read_declarator(v), was_constant = v->is_constant;
        while (is_variable && *v->at && !strchr(";,", *v->at))
            v->at = strchr("[{(", *v->at) ? skip_brackets(v->at) : v->at + 1;
        v->is_inside = is_variable && *v->at == ',';
        v->at += v->is_inside;
        if (is_variable) {
            v->is_constant = was_constant;
            return true;
        }
    }
    return false;
}

const char *capture_symbol_name(const char *symbol, size_t *length)
{
    const char *at = symbol + strcspn(symbol, "0123456789"), *name = symbol;
    *length = strlen(symbol);
    while (strncmp(symbol, "_Z", 2) == 0 && isdigit((unsigned char)*at)) {
        char *end;
        const unsigned long own = strtoul(at, &end, 10);
        if (own == 0 || own > strlen(end))
            break;
        name = end, *length = own;
        at = end + own;
    }
    return name;
}
