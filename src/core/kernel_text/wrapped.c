// The whole file is one such text, or several in a row, with nothing but comments, directives (an include guard) and
// "const char *name =" around them. A macro's text has \n for line ends before its directives; these are blanks here,
// since the lines are there.
#include "kernel_text/wrapped.h"

#include <ctype.h>
#include <string.h>

#define DELIMITER_MOST 16 // of R"DELIMITER( ... )DELIMITER", as the language has it

struct wrapped {
    char *text;
    size_t length, at;
    bool is_blanking; // else it only looks
};

static bool is_at(const struct wrapped *w, const char *what)
{
    const size_t length = strlen(what);
    return length <= w->length - w->at && memcmp(w->text + w->at, what, length) == 0;
}

static void skip_to(struct wrapped *w, const char *end)
{
    while (w->at < w->length && !is_at(w, end))
        w->at++;
    w->at += w->at < w->length ? strlen(end) : 0;
}

// Blanks and comments.
static void skip_between(struct wrapped *w)
{
    for (;;) {
        while (w->at < w->length && isspace((unsigned char)w->text[w->at]))
            w->at++;
        if (is_at(w, "//"))
            skip_to(w, "\n");
        else if (is_at(w, "/*"))
            skip_to(w, "*/");
        else
            return;
    }
}

// Directives, too: a file that is a text has a guard around it.
static void skip_outer(struct wrapped *w)
{
    for (skip_between(w); is_at(w, "#"); skip_between(w))
        skip_to(w, "\n");
}

static void pass(struct wrapped *w, size_t count)
{
    for (; count > 0; count--, w->at++) {
        if (w->is_blanking && w->text[w->at] != '\n')
            w->text[w->at] = ' ';
    }
}

static bool pass_raw(struct wrapped *w)
{
    char end[DELIMITER_MOST + 3] = ")";
    size_t length = 0;
    if (!is_at(w, "R\""))
        return false;
    const char *delimiter = w->text + w->at + 2;
    const size_t left = w->length - w->at - 2;
    while (length < left && length < DELIMITER_MOST && !strchr("()\\\"\n", delimiter[length]))
        length++;
    if (length == left || delimiter[length] != '(')
        return false;
    memcpy(end + 1, delimiter, length);
    end[length + 1] = '"';
    pass(w, length + 3);
    while (w->at < w->length && !is_at(w, end))
        w->at++;
    if (w->at == w->length)
        return false;
    pass(w, length + 2);
    return true;
}

static bool is_word_at(const struct wrapped *w, size_t at)
{
    const unsigned char c = (unsigned char)w->text[at];
    return isalnum(c) || c == '_';
}

// "static const char *name[] =", "std::string name =": a text begins behind it. Nothing is passed where none is.
static void pass_declaration(struct wrapped *w)
{
    bool is_text = false;
    size_t at = w->at;
    while (at < w->length && (is_word_at(w, at) || strchr(" \t\n*[]:", w->text[at]))) {
        const size_t from = at;
        while (at < w->length && is_word_at(w, at))
            at++;
        const char *word = w->text + from;
        is_text |=
            (at - from == 4 && (memcmp(word, "char", 4) == 0 || memcmp(word, "auto", 4) == 0)) ||
            (at - from == 6 && memcmp(word, "string", 6) == 0);
        at += at == from;
    }
    if (is_text && at < w->length && w->text[at] == '=')
        pass(w, at + 1 - w->at);
}

// One text after the other to the end of the file.
static bool pass_texts(struct wrapped *w, bool (*pass_one)(struct wrapped *))
{
    bool is_any = false;
    for (w->at = 0;; is_any = true) {
        skip_outer(w);
        if (is_any && is_at(w, ";"))
            pass(w, 1);
        skip_outer(w);
        if (w->at == w->length)
            return is_any;
        pass_declaration(w);
        skip_between(w);
        if (!pass_one(w))
            return false;
    }
}

static void skip_string(struct wrapped *w)
{
    const char quote = w->text[w->at++];
    while (w->at < w->length && w->text[w->at] != quote && w->text[w->at] != '\n')
        w->at += w->text[w->at] == '\\' && w->at + 1 < w->length ? 2 : 1;
    w->at += w->at < w->length;
}

// To the bracket that closes the one before it. What has no body between is a macro's own call.
static bool pass_inner(struct wrapped *w)
{
    bool has_body = false;
    for (int depth = 1; skip_between(w), w->at < w->length;) {
        const char c = w->text[w->at];
        depth += (c == '(') - (c == ')');
        has_body |= c == '{';
        if (depth == 0)
            return has_body;
        if (c == '"' || c == '\'')
            skip_string(w);
        else if (is_at(w, "\\n"))
            pass(w, 2);
        else
            w->at++;
    }
    return false;
}

static bool pass_call(struct wrapped *w)
{
    size_t name = 0;
    while (w->at + name < w->length && is_word_at(w, w->at + name))
        name++;
    if (name == 0 || isdigit((unsigned char)w->text[w->at]))
        return false;
    pass(w, name);
    skip_between(w);
    if (!is_at(w, "("))
        return false;
    pass(w, 1);
    if (!pass_inner(w))
        return false;
    pass(w, 1);
    return true;
}

void wrapped_open(char *text, size_t length)
{
    struct wrapped w = {.text = text, .length = length};
    bool (*const kinds[])(struct wrapped *) = {pass_raw, pass_call};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!pass_texts(&w, kinds[i]))
            continue;
        w.is_blanking = true;
        pass_texts(&w, kinds[i]);
        return;
    }
}
