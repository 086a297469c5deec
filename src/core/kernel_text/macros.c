// A table of macros, by the hash of their names, and the replacement of words as in C: function-like
// macros, ##, __VA_ARGS__ and rescanning. A macro whose text is only read where it is used. A name of
// which it is not known what it stands for stays, and is marked (struct token, `open`).
#include "kernel_text/macros.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define EXPANSION_MOST  64 // macros within each other
#define PARAMETERS_MOST 64
#define WORDS_MOST      (1u << 20) // put out: macros that double themselves end here
#define EXPANDED_MOST                                                                              \
    (3u << 18) // then macros stay names: the functions behind them are still found

bool macros_init(struct macros *m, struct arena *a)
{
    m->arena = a;
    m->touched = arena_array(a, m->terms.names->count + (size_t)1, sizeof *m->touched);
    memset(m->own, 0, sizeof m->own);
    m->words = 0;
    m->is_strange = m->failed = false;
    return m->touched != NULL;
}

void macros_forget(struct macros *m)
{
    memset(m->own, 0, sizeof m->own);
}

// ---- the table ---------------------------------------------------------------------------------

static struct macro **macro_place(struct macros *m, const char *name, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    struct macro **at = &m->own[hash % MACRO_CHAINS];
    while (*at && !(strncmp((*at)->name, name, length) == 0 && (*at)->name[length] == '\0'))
        at = &(*at)->next;
    return at;
}

const struct macro *macros_find(const struct macros *m, const char *name, size_t length)
{
    return *macro_place((struct macros *)m, name, length);
}

static bool is_plain_text(const char *text)
{
    return text && !strpbrk(text, ",()");
}

// Does a header explain a word of the language to a compiler: #define __global__ __location__(global)?
// Readers know the word, not what stands for it.
static bool is_explained_word(const char *name, const char *text)
{
    static const char *const ways[] = {"__location__(", "__annotate__(", "__attribute__(",
                                       "__declspec("};
    const size_t length = strlen(name);
    bool found = false;
    if (length < 5 || !str_starts(name, "__") || strcmp(name + length - 2, "__") != 0)
        return false;
    for (size_t i = 0; text && i < sizeof ways / sizeof *ways; i++)
        found |= strstr(text, ways[i]) != NULL;
    return found;
}

void macros_define(struct macros *m, const char *name, const char *text, bool sure)
{
    if (language_traits(m->terms.language)->own_compiler && is_explained_word(name, text))
        return;
    uint32_t watched = scan_name_index(m->terms.names, name, strlen(name));
    bool is_given = watched != UINT32_MAX && m->terms.given[watched].given;
    if (is_given && m->terms.keeps_given)
        return;
    if (is_given)
        m->touched[watched] = true;
    struct macro **at = macro_place(m, name, strlen(name)), *before = *at;
    if (!before && !(*at = arena_alloc(m->arena, sizeof **at))) {
        m->failed = true;
        return;
    }
    struct macro now = {.name = name,
                        .text = text,
                        .is_sure = sure,
                        .is_plain = is_plain_text(text),
                        .next = before ? before->next : NULL};
    // Defined once, surely or not, it has this text: without it the name would mean nothing.
    if (!sure && before && !(before->is_sure && !before->text)) {
        now.is_several = before->is_several || !str_equal(before->text, text);
        now.is_plain = now.is_plain && before->is_plain;
    }
    **at = now;
}

// A plain decimal integer.
static bool plain_integer(const char *text, int64_t *out)
{
    text += strspn(text, " \t");
    const char *digits = text + (*text == '-');
    size_t length = strspn(digits, "0123456789");
    if (length == 0 || length > 18 || (digits[0] == '0' && length > 1) ||
        digits[length + strspn(digits + length, " \t\r")] != '\0')
        return false;
    *out = strtoll(text, NULL, 10);
    return true;
}

struct macro_fact macros_look_up(struct macros *m, const char *name, size_t length)
{
    struct macro_fact fact = {.defined = false};
    uint32_t watched = scan_name_index(m->terms.names, name, length);
    if (watched != UINT32_MAX && m->terms.given[watched].given && !m->touched[watched]) {
        const char *value = m->terms.given[watched].value;
        fact.defined = true;
        fact.has_value = value && plain_integer(value, &fact.value);
        return fact;
    }
    const struct macro *own = macros_find(m, name, length);
    if (!own)
        return watched != UINT32_MAX && !m->terms.assumes
                   ? fact
                   : compiler_macro(m->terms.language, m->terms.assumes, name, length);
    fact.is_own = true;
    if (!own->is_sure)
        return fact;
    fact.defined = own->text != NULL;
    fact.absent = !fact.defined;
    fact.has_value = fact.defined && plain_integer(own->text, &fact.value);
    return fact;
}

// ---- a macro's text ----------------------------------------------------------------------------

static bool is_sign_of(const struct token *t, const char *text)
{
    return t->kind == TOKEN_SIGN && strcmp(t->text, text) == 0;
}

// (a, b, ...) at t[0]: returns the place behind it.
static size_t read_macro_parameters(struct macros *m, struct macro *o, const struct token *t,
                                    size_t count)
{
    size_t at = 1;
    o->is_function = true;
    o->parameters = arena_array(m->arena, PARAMETERS_MOST, sizeof *o->parameters);
    m->failed |= !o->parameters;
    for (; o->parameters && at < count && !is_sign_of(&t[at], ")"); at++) {
        bool is_rest = is_sign_of(&t[at], "...");
        if ((is_rest || t[at].kind == TOKEN_NAME) && o->parameter_count < PARAMETERS_MOST)
            o->parameters[o->parameter_count++] = is_rest ? "__VA_ARGS__" : t[at].text;
    }
    return at + 1;
}

static void read_macro(struct macros *m, struct macro *o)
{
    size_t count = 0, at = 0;
    const struct token *t = tokens_read(o->text, strlen(o->text), m->arena, &count);
    o->is_read = true;
    m->failed |= !t;
    if (!t)
        return;
    if (o->text[0] == '(')
        at = read_macro_parameters(m, o, t, count);
    o->body = t + (at < count ? at : count);
    o->body_count = at < count ? count - at : 0;
}

// ---- replacing ---------------------------------------------------------------------------------

void macros_add_token(struct macros *m, struct token_list *list, const struct token *t)
{
    if (m->words >= WORDS_MOST) {
        m->is_strange = true;
    } else if (!ARENA_ROOM(m->arena, list->items, list->room, list->count + 1)) {
        m->failed = m->is_strange = true;
    } else {
        list->items[list->count++] = *t;
        m->words++;
    }
}

static void replace_all(struct macros *m, const struct token *from, size_t count, unsigned depth,
                        struct token_list *out);

// The words of a call's arguments; the place behind it, or 0 where it does not end. The last
// parameter takes all the rest if it is __VA_ARGS__.
struct macro_call {
    size_t starts[PARAMETERS_MOST + 1], ends[PARAMETERS_MOST + 1];
    uint32_t count;
};

static size_t read_macro_call(const struct macro *o, const struct token *from, size_t count,
                              size_t open, struct macro_call *call)
{
    int depth = 0;
    bool is_variadic =
        o->parameter_count && strcmp(o->parameters[o->parameter_count - 1], "__VA_ARGS__") == 0;
    call->count = 0;
    call->starts[0] = open + 1;
    for (size_t i = open; i < count; i++) {
        depth += is_sign_of(&from[i], "(") - is_sign_of(&from[i], ")");
        bool is_end = depth == 0;
        bool is_rest = is_variadic && call->count + 1 == o->parameter_count;
        if (!is_end && !(depth == 1 && !is_rest && is_sign_of(&from[i], ",")))
            continue;
        call->ends[call->count++] = i;
        if (is_end)
            return i + 1;
        if (call->count == PARAMETERS_MOST)
            return 0;
        call->starts[call->count] = i + 1;
    }
    return 0;
}

static uint32_t macro_parameter(const struct macro *o, const struct token *t)
{
    for (uint32_t i = 0; t->kind == TOKEN_NAME && i < o->parameter_count; i++) {
        if (strcmp(o->parameters[i], t->text) == 0)
            return i;
    }
    return UINT32_MAX;
}

static const struct follow_macro *find_given(const struct macros *m, const char *name)
{
    uint32_t watched = scan_name_index(m->terms.names, name, strlen(name));
    return watched != UINT32_MAX && m->terms.given[watched].given ? &m->terms.given[watched] : NULL;
}

// a ## b: one word. A name that is given is pasted as its value: float ## WIDTH.
static void paste_token(struct macros *m, struct token_list *out, const struct token *t)
{
    struct token *last = out->count ? &out->items[out->count - 1] : NULL;
    if (!last) {
        macros_add_token(m, out, t);
        return;
    }
    const struct follow_macro *given =
        t->kind == TOKEN_NAME && m->terms.keeps_given ? find_given(m, t->text) : NULL;
    const char *joined =
        arena_printf(m->arena, "%s%s", last->text, given && given->value ? given->value : t->text);
    m->failed |= !joined;
    last->text = joined ? joined : last->text;
    if (last->kind == TOKEN_SIGN)
        last->kind = t->kind;
}

static void substitute_argument(struct macros *m, const struct token *words, size_t count,
                                bool pastes, bool is_pasted, unsigned depth, struct token_list *out)
{
    if (pastes && count) {
        paste_token(m, out, words);
        words++;
        count--;
    }
    if (!pastes && !is_pasted)
        replace_all(m, words, count, depth + 1, out);
    for (size_t k = 0; (pastes || is_pasted) && k < count; k++)
        macros_add_token(m, out, &words[k]);
}

static void substitute(struct macros *m, const struct macro *o, const struct token *from,
                       const struct macro_call *call, unsigned depth, struct token_list *out)
{
    for (size_t i = 0; i < o->body_count; i++) {
        const struct token *t = &o->body[i];
        bool pastes = i > 0 && is_sign_of(t - 1, "##");
        bool is_pasted = i + 1 < o->body_count && is_sign_of(t + 1, "##");
        uint32_t index = macro_parameter(o, t);
        if (is_sign_of(t, "##") || (o->is_function && is_sign_of(t, "#")))
            continue;
        if (index == UINT32_MAX && pastes)
            paste_token(m, out, t);
        else if (index == UINT32_MAX)
            macros_add_token(m, out, t);
        else if (index < call->count)
            substitute_argument(m, from + call->starts[index],
                                call->ends[index] - call->starts[index], pastes, is_pasted, depth,
                                out);
    }
}

// Replaces a macro at from[i]; returns the place behind the words read, or 0: it is no call.
static size_t replace_macro(struct macros *m, struct macro *o, const struct token *from,
                            size_t count, size_t i, unsigned depth, struct token_list *out)
{
    struct macro_call call = {.count = 0};
    struct token_list body = {.items = NULL};
    size_t next = i + 1;
    if (!o->is_read)
        read_macro(m, o);
    if (o->is_function) {
        next = next < count && is_sign_of(&from[next], "(")
                   ? read_macro_call(o, from, count, next, &call)
                   : 0;
        if (next == 0)
            return 0;
    }
    substitute(m, o, from, &call, depth, &body);
    o->is_busy = true;
    replace_all(m, body.items, body.count, depth + 1, out);
    o->is_busy = false;
    return next;
}

static void add_marked(struct macros *m, struct token_list *out, const struct token *t,
                       enum token_open open)
{
    struct token marked = *t;
    marked.open = open;
    macros_add_token(m, out, &marked);
}

// A name that -D gives.
static void replace_given(struct macros *m, const struct token *t, uint32_t watched, unsigned depth,
                          struct token_list *out)
{
    size_t count = 0;
    const char *value = m->touched[watched] ? NULL : m->terms.given[watched].value;
    struct token *words = value ? tokens_read(value, strlen(value), m->arena, &count) : NULL;
    m->failed |= value && !words;
    if (!words) {
        add_marked(m, out, t, TOKEN_IS_ANY);
        return;
    }
    for (size_t i = 0; i < count; i++) // one that names itself stays
        words[i].open = str_equal(words[i].text, t->text) ? TOKEN_IS_ONE : TOKEN_IS_KNOWN;
    replace_all(m, words, count, depth + 1, out);
}

static size_t replace_at(struct macros *m, const struct token *from, size_t count, size_t i,
                         unsigned depth, struct token_list *out)
{
    const struct token *t = &from[i];
    size_t next = 0;
    if (t->kind == TOKEN_NAME && !t->open && depth < EXPANSION_MOST) {
        uint32_t watched = scan_name_index(m->terms.names, t->text, strlen(t->text));
        bool is_given = watched != UINT32_MAX && m->terms.given[watched].given;
        struct macro *o = is_given ? NULL : *macro_place(m, t->text, strlen(t->text));
        if (is_given && !m->terms.keeps_given) {
            replace_given(m, t, watched, depth, out);
            return i + 1;
        }
        if (o && o->is_several) {
            add_marked(m, out, t, o->is_plain ? TOKEN_IS_ONE : TOKEN_IS_ANY);
            return i + 1;
        }
        if (o && o->text && !o->is_busy && m->words < EXPANDED_MOST)
            next = replace_macro(m, o, from, count, i, depth, out);
    }
    if (next == 0)
        macros_add_token(m, out, t);
    return next ? next : i + 1;
}

static void replace_all(struct macros *m, const struct token *from, size_t count, unsigned depth,
                        struct token_list *out)
{
    for (size_t i = 0; i < count && !m->is_strange;)
        i = replace_at(m, from, count, i, depth, out);
}

size_t macros_replace(struct macros *m, const struct token *from, size_t count, size_t i,
                      struct token_list *out)
{
    return replace_at(m, from, count, i, 0, out);
}

// ---- conditions --------------------------------------------------------------------------------

// `defined X` and `defined(X)`, where it is known, as a number; i: of `defined`, then of its last word.
static void add_defined(struct macros *m, const struct token *t, size_t count, size_t *i,
                        struct token_list *words)
{
    bool in_brackets = *i + 1 < count && is_sign_of(&t[*i + 1], "(");
    size_t name = *i + 1 + in_brackets, last = name + in_brackets;
    struct macro_fact fact = {.defined = false};
    if (name < count)
        fact = macros_look_up(m, t[name].text, strlen(t[name].text));
    struct token number = {.kind = TOKEN_NUMBER, .text = fact.defined ? "1" : "0"};
    if (fact.defined || fact.absent)
        macros_add_token(m, words, &number);
    for (size_t k = *i; k <= last && k < count && !fact.defined && !fact.absent; k++)
        add_marked(m, words, &t[k], TOKEN_IS_ONE);
    *i = last;
}

struct token_list macros_condition(struct macros *m, const char *condition)
{
    struct token_list words = {.items = NULL}, all = {.items = NULL};
    size_t count = 0;
    const struct token *t = tokens_read(condition, strlen(condition), m->arena, &count);
    m->failed |= !t;
    for (size_t i = 0; t && i < count; i++) {
        if (t[i].kind == TOKEN_NAME && strcmp(t[i].text, "defined") == 0)
            add_defined(m, t, count, &i, &words);
        else
            macros_add_token(m, &words, &t[i]);
    }
    bool keeps = m->terms.keeps_given; // a value that is no integer decides nothing
    m->terms.keeps_given = true;
    replace_all(m, words.items, words.count, 0, &all);
    m->terms.keeps_given = keeps;
    return all;
}

// As text. If names are assumed to be undefined, what is asked of the compiler, as by
// __has_builtin(x), is 0, and numbers lose what says their type.
static void join_condition(struct macros *m, const struct token_list *words, struct text *out)
{
    const struct token *t = words->items;
    for (size_t i = 0; i < words->count; i++) {
        bool is_call = t[i].kind == TOKEN_NAME && !t[i].open && i + 1 < words->count &&
                       is_sign_of(&t[i + 1], "(") && !find_given(m, t[i].text);
        bool is_number = t[i].kind == TOKEN_NUMBER && !strchr(t[i].text, '.');
        if (m->terms.assumes && is_call) {
            while (i < words->count && !is_sign_of(&t[i], ")"))
                i++;
            text_add(out, " 0");
        } else if (m->terms.assumes && is_number) {
            text_addf(out, " %llu", strtoull(t[i].text, NULL, 0));
        } else {
            text_addf(out, " %s", t[i].text);
        }
    }
}

static struct macro_fact look_up_word(void *context, const char *name, size_t length)
{
    return macros_look_up(context, name, length);
}

enum truth macros_test(struct macros *m, const char *condition)
{
    enum truth truth = condition_test(condition, look_up_word, m);
    if (truth != TRUTH_UNKNOWN)
        return truth;
    struct text text = TEXT_INIT;
    struct token_list words = macros_condition(m, condition);
    join_condition(m, &words, &text);
    m->failed |= text.failed;
    truth = condition_test(text_cstr(&text), look_up_word, m);
    text_release(&text);
    return truth;
}

// ---- the compiler's own ------------------------------------------------------------------------

struct macro_fact compiler_macro(enum language l, bool assumes, const char *name, size_t length)
{
    struct macro_fact fact = {.defined = false};
    char word[64];
    str_format(word, sizeof word, "%.*s", (int)length, name);
    if (length >= sizeof word)
        return (struct macro_fact){.absent = assumes};
    if (strcmp(word, "HONE") == 0) // -DHONE=1, always
        return (struct macro_fact){.defined = true, .has_value = true, .value = 1};
    const struct language_macro *usual = language_traits(l)->usual_macros;
    for (; assumes && usual && usual->name; usual++) {
        if (strcmp(usual->name, word) == 0)
            return (struct macro_fact){.defined = true, .has_value = true, .value = usual->value};
    }
    for (unsigned i = 0; i < LANGUAGE_COUNT && !assumes; i++) {
        const struct language_traits *traits = language_traits((enum language)i);
        bool always = str_listed(traits->macros, word), own = (enum language)i == l;
        if (!always && !str_listed(traits->some_macros, word))
            continue;
        fact.absent = !own;
        fact.defined = own && always;
    }
    fact.absent |= assumes;
    fact.value = assumes && strcmp(word, "true") == 0;
    return fact;
}
