// A small preprocessor. Logical lines are read one after the other; directives change a table of
// macros and a stack of conditions, and the words of all other lines are replaced and put out.
// Function-like macros, ## and rescanning work as in C, but for calls that a directive interrupts.
#include "kernel_text/preprocess.h"

#include "base/text.h"
#include "kernel_text/condition.h"
#include "kernel_text/logical_lines.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define NEST_MOST       128 // conditions within each other
#define EXPANSION_MOST  64  // macros within each other
#define PARAMETERS_MOST 32
#define WORDS_MOST      (1u << 20) // put out: macros that double themselves end here
#define REFUSED_MOST    64         // #errors that are looked at
#define REFUSED_WORDS   4096       // of the conditions around one

struct macro {
    const char *name;
    const struct token *body;
    size_t body_count;
    const char *parameters[PARAMETERS_MOST];
    uint32_t parameter_count;
    bool is_function, is_busy;
};

struct token_list {
    struct token *items;
    size_t count, room;
};

struct preprocessor {
    struct arena *arena;
    const struct given_names *given;
    struct macro *macros;
    size_t macro_count, macro_room;
    struct token_list out, pending; // pending: words of lines, not yet replaced
    bool live[NEST_MOST], done[NEST_MOST];
    // For each open #if, the words of the branch that is read, and of those before it.
    struct token_list condition[NEST_MOST], earlier[NEST_MOST];
    uint32_t depth;
    struct refused *refused;
    size_t refused_count, refused_room;
    bool failed, is_strange;
};

static bool is_sign_of(const struct token *t, const char *text)
{
    return t->kind == TOKEN_SIGN && strcmp(t->text, text) == 0;
}

static void add_token(struct preprocessor *p, struct token_list *list, const struct token *t)
{
    if (!ARENA_ROOM(p->arena, list->items, list->room, list->count + 1))
        p->failed = p->is_strange = true;
    else if (list->count >= WORDS_MOST)
        p->is_strange = true;
    else
        list->items[list->count++] = *t;
}

static struct macro *find_macro(const struct preprocessor *p, const char *name)
{
    for (size_t i = p->macro_count; i-- > 0;) {
        if (strcmp(p->macros[i].name, name) == 0)
            return &p->macros[i];
    }
    return NULL;
}

static const struct given_name *find_given(const struct given_names *given, const char *name)
{
    for (size_t i = 0; i < given->count; i++) {
        if (strcmp(given->list[i].name, name) == 0)
            return &given->list[i];
    }
    return NULL;
}

// ---- replacing ---------------------------------------------------------------------------------

static void expand_tokens(struct preprocessor *p, const struct token *from, size_t count,
                          unsigned depth, struct token_list *out);

// The words of a call's arguments; the place behind it, or 0 where it does not end.
static size_t read_call(const struct token *from, size_t count, size_t open, size_t *starts,
                        size_t *ends, uint32_t *arguments)
{
    int depth = 0;
    *arguments = 0;
    starts[0] = open + 1;
    for (size_t i = open; i < count; i++) {
        depth += is_sign_of(&from[i], "(") - is_sign_of(&from[i], ")");
        bool is_end = depth == 0;
        if (!is_end && !(depth == 1 && is_sign_of(&from[i], ",")))
            continue;
        ends[(*arguments)++] = i;
        if (is_end)
            return i + 1;
        if (*arguments == PARAMETERS_MOST)
            return 0;
        starts[*arguments] = i + 1;
    }
    return 0;
}

static uint32_t parameter_index(const struct macro *m, const struct token *t)
{
    for (uint32_t i = 0; t->kind == TOKEN_NAME && i < m->parameter_count; i++) {
        if (strcmp(m->parameters[i], t->text) == 0)
            return i;
    }
    return UINT32_MAX;
}

// a ## b: one word.
static void paste_token(struct preprocessor *p, struct token_list *out, const struct token *t)
{
    struct token *last = out->count ? &out->items[out->count - 1] : NULL;
    if (!last) {
        add_token(p, out, t);
        return;
    }
    // A name that is to come as -D is pasted as its value: float ## WIDTH.
    const struct given_name *given = t->kind == TOKEN_NAME ? find_given(p->given, t->text) : NULL;
    const char *joined = given
                             ? arena_printf(p->arena, "%s%lld", last->text, (long long)given->value)
                             : arena_printf(p->arena, "%s%s", last->text, t->text);
    p->failed |= !joined;
    if (joined)
        last->text = joined;
    if (last->kind == TOKEN_SIGN)
        last->kind = t->kind;
}

static void substitute(struct preprocessor *p, const struct macro *m, const struct token *from,
                       const size_t *starts, const size_t *ends, uint32_t arguments, unsigned depth,
                       struct token_list *out)
{
    for (size_t i = 0; i < m->body_count; i++) {
        const struct token *t = &m->body[i];
        bool pastes = i > 0 && is_sign_of(t - 1, "##");
        bool is_pasted = i + 1 < m->body_count && is_sign_of(t + 1, "##");
        uint32_t index = parameter_index(m, t);
        if (is_sign_of(t, "##") || is_sign_of(t, "#"))
            continue;
        if (index == UINT32_MAX || index >= arguments) {
            if (index == UINT32_MAX && pastes)
                paste_token(p, out, t);
            else if (index == UINT32_MAX)
                add_token(p, out, t);
            continue;
        }
        const struct token *words = from + starts[index];
        size_t count = ends[index] - starts[index];
        if (pastes && count) {
            paste_token(p, out, words);
            words++;
            count--;
        }
        if (pastes || is_pasted) {
            for (size_t k = 0; k < count; k++)
                add_token(p, out, &words[k]);
        } else {
            expand_tokens(p, words, count, depth + 1, out);
        }
    }
}

// Replaces a macro at from[i]; returns the place after the tokens read, or 0: it is not a call.
static size_t expand_macro(struct preprocessor *p, struct macro *m, const struct token *from,
                           size_t count, size_t i, unsigned depth, struct token_list *out)
{
    size_t starts[PARAMETERS_MOST + 1], ends[PARAMETERS_MOST + 1], next = i + 1;
    uint32_t arguments = 0;
    struct token_list body = {.items = NULL};
    if (m->is_function) {
        if (next >= count || !is_sign_of(&from[next], "("))
            return 0;
        next = read_call(from, count, next, starts, ends, &arguments);
        if (next == 0)
            return 0;
        substitute(p, m, from, starts, ends, arguments, depth, &body);
    } else {
        substitute(p, m, NULL, NULL, NULL, 0, depth, &body);
    }
    m->is_busy = true;
    size_t index = (size_t)(m - p->macros);
    expand_tokens(p, body.items, body.count, depth + 1, out);
    p->macros[index].is_busy = false;
    return next;
}

static void expand_tokens(struct preprocessor *p, const struct token *from, size_t count,
                          unsigned depth, struct token_list *out)
{
    for (size_t i = 0; i < count && !p->is_strange;) {
        struct macro *m = from[i].kind == TOKEN_NAME ? find_macro(p, from[i].text) : NULL;
        size_t next = 0;
        if (m && !m->is_busy && depth < EXPANSION_MOST)
            next = expand_macro(p, m, from, count, i, depth, out);
        if (next == 0) {
            add_token(p, out, &from[i]);
            next = i + 1;
        }
        i = next;
    }
}

static void flush_pending(struct preprocessor *p)
{
    expand_tokens(p, p->pending.items, p->pending.count, 0, &p->out);
    p->pending.count = 0;
}

// ---- conditions --------------------------------------------------------------------------------

static bool is_name_defined(const struct preprocessor *p, const char *name)
{
    return find_given(p->given, name) || find_macro(p, name);
}

// A name that no macro replaced.
static struct macro_fact fact_of(void *context, const char *name, size_t length)
{
    const struct given_names *given = context;
    for (size_t i = 0; i < given->count; i++) {
        if (strlen(given->list[i].name) == length && memcmp(given->list[i].name, name, length) == 0)
            return (struct macro_fact){
                .defined = true, .has_value = true, .value = given->list[i].value};
    }
    return (struct macro_fact){.absent = true,
                               .value = length == 4 && memcmp(name, "true", 4) == 0};
}

// The words of a condition, all macros replaced, as text; what is asked of the compiler, as by __has_builtin(x), is 0.
static void join_condition(const struct given_names *given, const struct token *t, size_t count,
                           struct text *out)
{
    for (size_t i = 0; i < count; i++) {
        if (t[i].kind == TOKEN_NAME && i + 1 < count && is_sign_of(&t[i + 1], "(") &&
            !find_given(given, t[i].text)) {
            while (i < count && !is_sign_of(&t[i], ")"))
                i++;
            text_add(out, " 0");
        } else if (t[i].kind == TOKEN_NUMBER && !strchr(t[i].text, '.')) {
            text_addf(out, " %llu", strtoull(t[i].text, NULL, 0)); // without what says its type
        } else {
            text_addf(out, "%s%s", t[i].is_glued ? "" : " ", t[i].text);
        }
    }
}

// A condition's words with all macros replaced; `defined X` and `defined(X)` become numbers before.
static struct token_list expand_condition(struct preprocessor *p, const struct token *from,
                                          size_t count)
{
    struct token_list words = {.items = NULL}, all = {.items = NULL};
    for (size_t i = 0; i < count; i++) {
        struct token t = from[i];
        if (t.kind == TOKEN_NAME && strcmp(t.text, "defined") == 0 && i + 1 < count) {
            bool in_brackets = is_sign_of(&from[i + 1], "(");
            size_t name = i + 1 + in_brackets;
            bool is_there = name < count && is_name_defined(p, from[name].text);
            t = (struct token){.kind = TOKEN_NUMBER, .text = is_there ? "1" : "0"};
            i = name + in_brackets;
        }
        add_token(p, &words, &t);
    }
    expand_tokens(p, words.items, words.count, 0, &all);
    return all;
}

static bool is_condition_true(struct preprocessor *p, const struct token_list *words)
{
    struct text text = TEXT_INIT;
    if (words->count == 0)
        return false;
    join_condition(p->given, words->items, words->count, &text);
    enum truth truth = condition_test(text_cstr(&text), fact_of, (void *)p->given);
    p->is_strange |= truth == TRUTH_UNKNOWN;
    p->failed |= text.failed;
    text_release(&text);
    return truth == TRUTH_YES;
}

// ---- directives --------------------------------------------------------------------------------

static void define_macro(struct preprocessor *p, const struct token *t, size_t count)
{
    if (count == 0 || t->kind != TOKEN_NAME || find_given(p->given, t->text))
        return;
    struct macro m = {.name = t->text};
    size_t at = 1;
    if (count > 1 && is_sign_of(&t[1], "(") && t[1].is_glued) {
        m.is_function = true;
        for (at = 2; at < count && !is_sign_of(&t[at], ")"); at++) {
            if (t[at].kind == TOKEN_NAME && m.parameter_count < PARAMETERS_MOST)
                m.parameters[m.parameter_count++] = t[at].text;
        }
        at++;
    }
    m.body = t + (at < count ? at : count);
    m.body_count = at < count ? count - at : 0;
    if (!ARENA_ROOM(p->arena, p->macros, p->macro_room, p->macro_count + 1)) {
        p->failed = true;
        return;
    }
    p->macros[p->macro_count++] = m;
}

static void undefine_macro(struct preprocessor *p, const char *name)
{
    struct macro *m;
    while ((m = find_macro(p, name)))
        *m = p->macros[--p->macro_count];
}

static bool is_live(const struct preprocessor *p)
{
    return p->depth == 0 || p->live[p->depth - 1];
}

static void add_sign(struct preprocessor *p, struct token_list *list, const char *text)
{
    add_token(p, list, &(struct token){.kind = TOKEN_SIGN, .text = text});
}

// ( words )
static void add_in_brackets(struct preprocessor *p, struct token_list *list,
                            const struct token_list *words)
{
    add_sign(p, list, "(");
    for (size_t i = 0; i < words->count; i++)
        add_token(p, list, &words->items[i]);
    add_sign(p, list, ")");
}

static void open_condition(struct preprocessor *p, bool value, struct token_list words)
{
    if (p->depth == NEST_MOST) {
        p->is_strange = true;
        return;
    }
    bool outer = is_live(p);
    p->condition[p->depth] = words;
    p->earlier[p->depth] = (struct token_list){.items = NULL};
    p->live[p->depth] = outer && value;
    p->done[p->depth++] = !outer || value;
}

// #elif and #else (no words).
static void next_condition(struct preprocessor *p, struct token_list words)
{
    struct token_list *before = &p->earlier[p->depth - 1], *now = &p->condition[p->depth - 1];
    if (before->count)
        add_sign(p, before, "||");
    add_in_brackets(p, before, now);
    *now = words;
}

// An #error stands here.
static void note_refused(struct preprocessor *p)
{
    static const struct token end = {.kind = TOKEN_END, .text = ""};
    struct token_list all = {.items = NULL};
    size_t words = 0;
    for (uint32_t i = 0; i < p->depth; i++)
        words += p->condition[i].count + p->earlier[i].count;
    if (p->refused_count >= REFUSED_MOST || words > REFUSED_WORDS)
        return;
    for (uint32_t i = 0; i < p->depth; i++) {
        const struct token_list *const lists[] = {&p->condition[i], &p->earlier[i]};
        for (int k = 0; k < 2; k++) {
            if (lists[k]->count == 0)
                continue;
            if (all.count)
                add_sign(p, &all, "&&");
            if (k == 1)
                add_sign(p, &all, "!");
            add_in_brackets(p, &all, lists[k]);
        }
    }
    const size_t count = all.count;
    for (size_t i = 0; count && i < TOKENS_AHEAD; i++)
        add_token(p, &all, &end);
    if (count && all.count == count + TOKENS_AHEAD &&
        ARENA_ROOM(p->arena, p->refused, p->refused_room, p->refused_count + 1))
        p->refused[p->refused_count++] = (struct refused){all.items, count};
}

static void obey_directive(struct preprocessor *p, const char *word, const struct token *t,
                           size_t count)
{
    bool live = is_live(p), is_name = count > 0 && t->kind == TOKEN_NAME;
    flush_pending(p);
    if (strcmp(word, "if") == 0) {
        struct token_list words = expand_condition(p, t, count);
        open_condition(p, live && is_condition_true(p, &words), words);
    } else if (strcmp(word, "ifdef") == 0 || strcmp(word, "ifndef") == 0) {
        bool value = is_name && is_name_defined(p, t->text) == (word[2] == 'd');
        struct token_list words = {.items = NULL};
        add_token(p, &words, &(struct token){.kind = TOKEN_NUMBER, .text = value ? "1" : "0"});
        open_condition(p, value, words);
    } else if (strcmp(word, "elif") == 0 || strcmp(word, "else") == 0) {
        if (p->depth == 0)
            return;
        bool *mine = &p->live[p->depth - 1], *done = &p->done[p->depth - 1];
        struct token_list words = {.items = NULL};
        if (word[2] == 'i')
            words = expand_condition(p, t, count);
        *mine = !*done && (word[2] == 's' || is_condition_true(p, &words));
        *done |= *mine;
        next_condition(p, words);
    } else if (strcmp(word, "error") == 0) {
        note_refused(p);
    } else if (strcmp(word, "endif") == 0) {
        p->depth -= p->depth > 0;
    } else if (live && strcmp(word, "define") == 0) {
        define_macro(p, t, count);
    } else if (live && strcmp(word, "undef") == 0 && is_name) {
        undefine_macro(p, t->text);
    }
}

// The directive's word, NULL if the line is not one; *rest is the text after it.
static const char *directive_of(struct arena *a, const char *line, const char **rest)
{
    line += strspn(line, " \t\r\v\f");
    if (*line != '#')
        return NULL;
    line += 1 + strspn(line + 1, " \t\r\v\f");
    size_t length = 0;
    while (isalpha((unsigned char)line[length]))
        length++;
    *rest = line + length;
    return arena_strndup(a, line, length);
}

// Signs of one character that belong together, and floats with an exponent's sign.
static void glue_tokens(struct preprocessor *p, struct preprocessed *out)
{
    static const char *const longer[] = {
        "<<=", ">>=", "<<", ">>", "%=", "&=", "|=", "^=", "::", NULL};
    struct token *t = p->out.items;
    size_t count = p->out.count, kept = 0;
    for (size_t i = 0; i < count;) {
        struct token joined = t[i++];
        while (i < count && t[i].is_glued) {
            const char *text = joined.text;
            size_t length = strlen(text);
            bool is_exponent = joined.kind == TOKEN_NUMBER && length > 1 &&
                               strchr("eE", text[length - 1]) && !strchr("xX", text[1]) &&
                               (is_sign_of(&t[i], "+") || is_sign_of(&t[i], "-"));
            bool goes_on = joined.kind == TOKEN_NUMBER && length > 1 &&
                           strchr("+-", text[length - 1]) && t[i].kind == TOKEN_NUMBER;
            bool starts_point = is_sign_of(&joined, ".") && t[i].kind == TOKEN_NUMBER &&
                                (kept == 0 || t[kept - 1].kind != TOKEN_NAME);
            const char *both = arena_printf(p->arena, "%s%s", text, t[i].text);
            bool is_sign = false;
            p->failed |= !both;
            for (size_t k = 0; both && longer[k] && joined.kind == TOKEN_SIGN; k++)
                is_sign |= strcmp(both, longer[k]) == 0;
            if (!both || !(is_exponent || goes_on || starts_point || is_sign))
                break;
            joined.text = both;
            if (starts_point)
                joined.kind = TOKEN_NUMBER;
            i++;
        }
        t[kept++] = joined;
    }
    out->count = kept;
}

static void finish_tokens(struct preprocessor *p, struct preprocessed *out)
{
    struct token end = {.kind = TOKEN_END, .text = ""};
    flush_pending(p);
    glue_tokens(p, out);
    p->out.count = out->count;
    for (size_t i = 0; i < TOKENS_AHEAD; i++)
        add_token(p, &p->out, &end);
    out->tokens = p->out.items;
    out->failed = p->is_strange || p->depth > 0;
    out->refused = p->refused;
    out->refused_count = p->refused_count;
}

bool preprocess_run(const char *text, size_t length, const struct given_names *given,
                    struct arena *a, struct preprocessed *out)
{
    struct preprocessor p = {.arena = a, .given = given};
    struct logical_lines lines;
    int64_t named, shift = 0; // what #line says, less where it stands
    *out = (struct preprocessed){.tokens = NULL};
    logical_lines_init(&lines, text, length);
    while (!p.failed && logical_lines_next(&lines)) {
        const char *line = text_cstr(&lines.text), *rest = line;
        p.failed |= lines.text.failed;
        const char *word = directive_of(a, line, &rest);
        size_t count = 0;
        if (!word && !is_live(&p))
            continue;
        struct token *t = tokens_read(rest, strlen(rest), a, &count);
        p.failed |= !t;
        for (size_t i = 0; t && i < count; i++)
            t[i].line = (uint32_t)(lines.code + shift);
        if (word && strcmp(word, "line") == 0 && str_to_i64(rest + strspn(rest, " \t"), &named))
            shift = named - lines.line;
        if (t && word)
            obey_directive(&p, word, t, count);
        for (size_t i = 0; t && !word && i < count; i++)
            add_token(&p, &p.pending, &t[i]);
    }
    logical_lines_release(&lines);
    finish_tokens(&p, out);
    return !p.failed && out->tokens;
}

// ---- what the directives say of names ----------------------------------------------------------

struct surveyor {
    struct arena *arena;
    struct survey_of_names *out;
    size_t room;
    const char *guarded; // the name of an #ifndef that was just opened
    // Names that the conditions that are open compare: their #else.
    uint32_t compared[NEST_MOST][4];
    uint32_t compared_count[NEST_MOST];
    uint32_t depth;
    bool failed;
};

const struct surveyed_name *survey_find(const struct survey_of_names *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++) {
        if (strcmp(s->list[i].name, name) == 0)
            return &s->list[i];
    }
    return NULL;
}

static struct surveyed_name *note_name(struct surveyor *s, const char *name)
{
    for (size_t i = 0; i < s->out->count; i++) {
        if (strcmp(s->out->list[i].name, name) == 0)
            return &s->out->list[i];
    }
    if (!ARENA_ROOM(s->arena, s->out->list, s->room, s->out->count + 1)) {
        s->failed = true;
        return NULL;
    }
    s->out->list[s->out->count] = (struct surveyed_name){.name = name};
    return &s->out->list[s->out->count++];
}

static const char *join_tokens(struct surveyor *s, const struct token *t, size_t count)
{
    struct text all = TEXT_INIT;
    for (size_t i = 0; i < count; i++)
        text_addf(&all, "%s%s", i && !t[i].is_glued ? " " : "", t[i].text);
    const char *copy = all.failed ? NULL : arena_strdup(s->arena, text_cstr(&all));
    s->failed |= !copy;
    text_release(&all);
    return copy;
}

static void survey_define(struct surveyor *s, const struct token *t, size_t count,
                          const char *guarded)
{
    struct surveyed_name *n = note_name(s, t->text);
    bool is_function = count > 1 && is_sign_of(&t[1], "(") && t[1].is_glued;
    if (!n)
        return;
    bool is_guarded = guarded && strcmp(guarded, t->text) == 0 && count > 1 && !is_function;
    const char *value = join_tokens(s, t + 1, count - 1);
    if (is_guarded)
        n->initial = value;
    else
        n->is_defined = true;
    if (!is_guarded && !is_function && count > 1)
        n->defined = value;
}

static void survey_compared(struct surveyor *s, struct surveyed_name *n, int64_t value)
{
    for (uint32_t i = 0; i < n->compared_count; i++) {
        if (n->compared[i] == value)
            return;
    }
    if (n->compared_count < COMPARED_MOST)
        n->compared[n->compared_count++] = value;
    uint32_t depth = s->depth ? s->depth - 1 : 0;
    if (depth < NEST_MOST && s->compared_count[depth] < 4)
        s->compared[depth][s->compared_count[depth]++] = (uint32_t)(n - s->out->list);
}

static void survey_condition(struct surveyor *s, const struct token *t, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool is_asked = i > 0 && (strcmp(t[i - 1].text, "defined") == 0 ||
                                  (i > 1 && strcmp(t[i - 2].text, "defined") == 0));
        if (t[i].kind != TOKEN_NAME || is_asked || strcmp(t[i].text, "defined") == 0 ||
            is_sign_of(&t[i + 1], "("))
            continue;
        struct surveyed_name *n = note_name(s, t[i].text);
        if (!n)
            return;
        n->in_condition = true;
        const struct token *sign = &t[i + 1];
        bool is_equal = is_sign_of(sign, "==") || is_sign_of(sign, "!=");
        bool is_number = i + 2 < count && t[i + 2].kind == TOKEN_NUMBER;
        bool starts = i == 0 || is_sign_of(&t[i - 1], "!") || is_sign_of(&t[i - 1], "(") ||
                      is_sign_of(&t[i - 1], "&&") || is_sign_of(&t[i - 1], "||");
        bool ends = i + 1 == count || is_sign_of(sign, ")") || is_sign_of(sign, "&&") ||
                    is_sign_of(sign, "||");
        if (is_equal && is_number)
            survey_compared(s, n, (int64_t)strtoull(t[i + 2].text, NULL, 0));
        else if (starts && ends)
            n->is_bare = true;
        else
            n->compared_order = true;
    }
}

static void survey_directive(struct surveyor *s, const char *word, const struct token *t,
                             size_t count)
{
    const char *guarded = s->guarded;
    bool opens = str_starts(word, "if");
    s->guarded = NULL;
    if (opens && s->depth < NEST_MOST)
        s->compared_count[s->depth++] = 0;
    if (strcmp(word, "ifndef") == 0 && count)
        s->guarded = t->text;
    else if (strcmp(word, "define") == 0 && count && t->kind == TOKEN_NAME)
        survey_define(s, t, count, guarded);
    else if (strcmp(word, "if") == 0 || strcmp(word, "elif") == 0)
        survey_condition(s, t, count);
    bool is_unroll = strcmp(word, "pragma") == 0 && count == 2 && t[1].kind == TOKEN_NAME &&
                     strcmp(t->text, "unroll") == 0;
    struct surveyed_name *unrolled = is_unroll ? note_name(s, t[1].text) : NULL;
    if (unrolled)
        unrolled->is_unroll = true;
    // #if !defined(X)
    if (strcmp(word, "if") == 0 && count >= 3 && is_sign_of(t, "!") &&
        strcmp(t[1].text, "defined") == 0)
        s->guarded = is_sign_of(&t[2], "(") && count > 3 ? t[3].text : t[2].text;
    uint32_t depth = s->depth ? s->depth - 1 : 0;
    for (uint32_t i = 0; strcmp(word, "else") == 0 && i < s->compared_count[depth]; i++)
        s->out->list[s->compared[depth][i]].has_chain_end = true;
    if (strcmp(word, "endif") == 0)
        s->depth -= s->depth > 0;
}

bool preprocess_survey(const char *text, size_t length, struct arena *a,
                       struct survey_of_names *out)
{
    struct surveyor s = {.arena = a, .out = out};
    struct logical_lines lines;
    *out = (struct survey_of_names){.list = NULL};
    logical_lines_init(&lines, text, length);
    while (!s.failed && logical_lines_next(&lines)) {
        const char *rest = NULL, *word = directive_of(a, text_cstr(&lines.text), &rest);
        s.failed |= lines.text.failed;
        size_t count = 0;
        struct token *t = word ? tokens_read(rest, strlen(rest), a, &count) : NULL;
        s.failed |= word && !t;
        if (t)
            survey_directive(&s, word, t, count);
    }
    logical_lines_release(&lines);
    return !s.failed;
}
