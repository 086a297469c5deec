// Generators run where buffers are filled, without the spec: its names are replaced by values.
#include "problem/job_formulas.h"

#include "base/text.h"

#include <ctype.h>
#include <string.h>

static size_t generator_word_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    return length;
}

static size_t generator_string_length(const char *at)
{
    size_t length = 1;
    while (at[length] && at[length] != at[0])
        length += at[length] == '\\' && at[length + 1] ? 2 : 1;
    return at[length] ? length + 1 : length;
}

// Is the word the sole argument of max() or min()? Those mean the parameter's largest or smallest
// value.
static bool asks_for_domain(const struct text *before, const char *after)
{
    size_t length = before->length;
    while (length > 0 && isspace((unsigned char)before->data[length - 1]))
        length--;
    if (length < 4 || before->data[length - 1] != '(' || after[strspn(after, " \t")] != ')')
        return false;
    const char *name = before->data + length - 4;
    return strncmp(name, "max", 3) == 0 || strncmp(name, "min", 3) == 0;
}

static void put_word(const struct maker *m, const char *word, size_t length, struct text *out)
{
    const struct expr_symbols *symbols = &m->kernel->generator_symbols;
    for (size_t i = 0; i < m->spec->slots.count; i++) {
        const struct expr_symbol *symbol = &symbols->items[i];
        if (strlen(symbol->name) != length || strncmp(symbol->name, word, length) != 0)
            continue;
        bool domain = symbol->domain && asks_for_domain(out, word + length);
        const struct value *v = domain ? symbol->domain : &m->slots[i];
        bool number = v->kind == VALUE_INT || v->kind == VALUE_FLOAT;
        text_add(out, number ? "(" : "");
        value_print(v, out);
        text_add(out, number ? ")" : "");
        return;
    }
    text_addn(out, word, length);
}

bool make_generator(struct maker *m, const struct formula *f, const char **out)
{
    struct text text = TEXT_INIT;
    for (const char *at = f->text; *at;) {
        size_t length =
            *at == '"' || *at == '\'' ? generator_string_length(at) : generator_word_length(at);
        if (length > 0 && (isalpha((unsigned char)*at) || *at == '_'))
            put_word(m, at, length, &text);
        else
            text_addn(&text, at, length > 0 ? length : 1);
        at += length > 0 ? length : 1;
    }
    *out = text_to_arena(&text, m->arena);
    return *out || error_memory(m->e);
}
