// The survey goes from directive to directive, in branches taken or not.
#include "extras/init/survey.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define NEST_MOST 128 // conditions within each other

static bool is_sign_of(const struct token *t, const char *text)
{
    return t && t->kind == TOKEN_SIGN && strcmp(t->text, text) == 0;
}

struct surveyor {
    struct arena *arena;
    struct survey_of_names *out;
    size_t room;
    const char *guarded; // the name of an #ifndef that was just opened
    // Names that the conditions that are open compare: their #else.
    uint32_t compared[NEST_MOST][4];
    uint32_t compared_count[NEST_MOST];
    uint32_t depth;
    // Braces and brackets of records that are open, and what their head has announced.
    uint32_t braces, brackets;
    bool in_record_head, in_enum, in_template;
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

static void survey_define(struct surveyor *s, const struct scan_item *item, const char *guarded)
{
    struct surveyed_name *n = note_name(s, item->text);
    bool has_value = item->value && *item->value; // it is no function
    if (!n)
        return;
    if (guarded && strcmp(guarded, item->text) == 0 && has_value) {
        n->initial = n->initial ? n->initial : item->value; // the first is the one that is compiled
        return;
    }
    n->is_defined = true;
    if (has_value)
        n->defined = item->value;
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

// #ifndef NAME, #if !defined NAME, #if !defined(NAME): the name that a #define behind it gives its
// default.
static const char *guarded_name(const struct scan_item *item, const struct token *t, size_t count)
{
    if (item->kind == SCAN_IFNDEF)
        return item->text;
    if (item->kind != SCAN_IF || count < 3 || !is_sign_of(t, "!") ||
        strcmp(t[1].text, "defined") != 0)
        return NULL;
    return is_sign_of(&t[2], "(") && count > 3 ? t[3].text : t[2].text;
}

// #pragma unroll NAME, or unroll(NAME)
static void survey_pragmas(struct surveyor *s, const struct item_tokens *t)
{
    for (size_t i = 0; i + 1 < t->count; i++) {
        const struct token *word = &t->list[i], *name = word + 1;
        if (!word->starts_directive || strcmp(word->directive, "pragma") != 0 ||
            strcmp(word->text, "unroll") != 0 || name->directive != word->directive)
            continue;
        name += is_sign_of(name, "(");
        bool is_last = name[1].directive != word->directive || is_sign_of(&name[1], ")");
        struct surveyed_name *n =
            name->kind == TOKEN_NAME && is_last ? note_name(s, name->text) : NULL;
        if (n)
            n->is_unroll = true;
    }
}

static bool is_capital_name(const struct token *t)
{
    return t->kind == TOKEN_NAME && !t->directive && strlen(t->text) > 1 &&
           t->text[strspn(t->text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == 0;
}

// struct { uchar v[NAME + 1]; }: the names that its layout needs, unless the language itself declares them.
static void survey_records(struct surveyor *s, const struct item_tokens *words)
{
    for (size_t i = 0; i < words->count; i++) {
        const struct token *t = &words->list[i], *next = i + 1 < words->count ? t + 1 : NULL;
        if (t->directive)
            continue;
        s->in_template = (s->in_template && !is_sign_of(t, ">")) || str_equal(t->text, "template");
        s->in_enum = (s->in_enum && !is_sign_of(t, "}")) || str_equal(t->text, "enum");
        if (str_equal(t->text, "struct") || str_equal(t->text, "union"))
            s->in_record_head = true;
        else if (is_sign_of(t, "{"))
            s->braces += s->in_record_head || s->braces;
        else if (is_sign_of(t, "}"))
            s->braces -= s->braces > 0;
        else if (is_sign_of(t, "[") || is_sign_of(t, "]"))
            s->brackets = is_sign_of(t, "[");
        if (t->kind == TOKEN_SIGN)
            s->in_record_head = false;
        const bool is_declared = s->in_enum || s->in_template || is_sign_of(next, "=");
        if (!is_capital_name(t) || !(is_declared || (s->braces && s->brackets)))
            continue;
        struct surveyed_name *n = note_name(s, t->text);
        if (!n)
            return;
        n->is_declared |= is_declared;
        n->is_length |= !is_declared;
    }
}

static void survey_item(struct surveyor *s, const struct scan_item *item)
{
    const char *guarded = s->guarded;
    bool opens = item->kind == SCAN_IF || item->kind == SCAN_IFDEF || item->kind == SCAN_IFNDEF;
    bool asks = item->kind == SCAN_IF || item->kind == SCAN_ELIF;
    size_t count = 0;
    struct token *t = asks ? tokens_read(item->text, strlen(item->text), s->arena, &count) : NULL;
    s->failed |= asks && !t;
    if (item->kind == SCAN_ERROR && guarded) // #ifndef NAME / #error
        note_name(s, guarded)->is_demanded = true;
    s->guarded = guarded_name(item, t, count);
    if (opens && s->depth < NEST_MOST)
        s->compared_count[s->depth++] = 0;
    if (item->kind == SCAN_DEFINE && *item->text)
        survey_define(s, item, guarded);
    else if (t)
        survey_condition(s, t, count);
    uint32_t depth = s->depth ? s->depth - 1 : 0;
    for (uint32_t i = 0; item->kind == SCAN_ELSE && i < s->compared_count[depth]; i++)
        s->out->list[s->compared[depth][i]].has_chain_end = true;
    if (item->kind == SCAN_ENDIF)
        s->depth -= s->depth > 0;
}

// Does the text between two items define a macro that [other, end) defines, too?
static bool defines_same(const struct scan *scan, uint32_t from, uint32_t other, uint32_t end)
{
    for (uint32_t i = from; i < other; i++) {
        for (uint32_t k = other; k < end && scan->items[i].kind == SCAN_DEFINE; k++) {
            if (scan->items[k].kind == SCAN_DEFINE &&
                strcmp(scan->items[i].text, scan->items[k].text) == 0)
                return true;
        }
    }
    return false;
}

// The one name that a head asks for: #ifdef NAME, #elif NAME, #if defined(NAME); NULL: another head.
static struct surveyed_name *asked_name(struct surveyor *s, const struct scan_item *item)
{
    size_t count = 0;
    if (item->kind == SCAN_IFDEF)
        return note_name(s, item->text);
    if (item->kind != SCAN_IF && item->kind != SCAN_ELIF)
        return NULL;
    const struct token *t = tokens_read(item->text, strlen(item->text), s->arena, &count);
    const struct token *name = NULL;
    s->failed |= !t;
    if (t && count == 1)
        name = t;
    else if (t && strcmp(t->text, "defined") == 0 && (count == 2 || count == 4))
        name = &t[count / 2];
    return name && name->kind == TOKEN_NAME ? note_name(s, name->text) : NULL;
}

// return 0; - what a text that has to be told more does without.
static bool does_nothing(struct lone_text *text, uint32_t item)
{
    struct item_tokens words;
    if (item >= text->scan.count || text->scan.items[item].kind != SCAN_TEXT ||
        !lone_text_words(text, item, &words))
        return false;
    size_t count = words.count;
    while (count && words.list[count - 1].kind == TOKEN_END)
        count--;
    return count == 3 && strcmp(words.list[0].text, "return") == 0 &&
           words.list[1].kind == TOKEN_NUMBER;
}

// #ifdef A / #elif B / #endif, each with a text of one macro: the text does not compile without one. Where #else only
// returns 0, it computes nothing without one.
static void survey_chain(struct surveyor *s, struct lone_text *text, uint32_t first)
{
    const struct scan *scan = &text->scan;
    bool is_idle = false;
    uint32_t heads[16], count = 0, depth = 0, end = first;
    for (; end < scan->count; end++) {
        const enum scan_kind kind = scan->items[end].kind;
        bool opens = kind == SCAN_IF || kind == SCAN_IFDEF || kind == SCAN_IFNDEF;
        depth += opens;
        bool refuses = end + 1 < scan->count && scan->items[end + 1].kind == SCAN_ERROR;
        is_idle |= depth == 1 && kind == SCAN_ELSE && does_nothing(text, end + 1);
        if (depth == 1 && kind == SCAN_ELSE && !refuses && !is_idle)
            return;
        if (depth == 1 && (opens || kind == SCAN_ELIF) && count < 16)
            heads[count++] = end;
        if (kind == SCAN_ENDIF && --depth == 0)
            break;
    }
    if (count < 2 || (!is_idle && !defines_same(scan, first, heads[1], end)))
        return;
    for (uint32_t i = 0; i < count; i++) {
        struct surveyed_name *n = asked_name(s, &scan->items[heads[i]]);
        if (n && i == 0)
            n->is_first = true;
        else if (n)
            n->is_later = true;
        else if (i == 0)
            return;
    }
}

// #ifdef A / #define B A / #else / #define B 256 / #endif: A is a name with a default.
static void survey_alias(struct surveyor *s, const struct scan *scan, uint32_t first)
{
    const struct scan_item *define = first + 1 < scan->count ? &scan->items[first + 1] : NULL;
    struct surveyed_name *n = asked_name(s, &scan->items[first]);
    uint32_t depth = 1;
    bool is_else = false;
    if (!n || !define || define->kind != SCAN_DEFINE || !str_equal(define->value, n->name))
        return;
    for (uint32_t i = first + 1; i < scan->count && depth; i++) {
        const struct scan_item *item = &scan->items[i];
        depth += item->kind == SCAN_IF || item->kind == SCAN_IFDEF || item->kind == SCAN_IFNDEF;
        depth -= item->kind == SCAN_ENDIF;
        is_else |= depth == 1 && item->kind == SCAN_ELSE;
        if (is_else && item->kind == SCAN_DEFINE && str_equal(item->text, define->text) &&
            item->value && !n->initial)
            n->initial = item->value;
    }
}

bool survey_read(struct lone_text *text, struct arena *a, struct survey_of_names *out)
{
    struct surveyor s = {.arena = a, .out = out};
    *out = (struct survey_of_names){.list = NULL};
    for (uint32_t i = 0; i < text->scan.count && !s.failed; i++) {
        struct item_tokens words;
        if (text->scan.items[i].kind != SCAN_TEXT)
            survey_item(&s, &text->scan.items[i]);
        else if (!lone_text_words(text, i, &words))
            return false;
        else {
            survey_pragmas(&s, &words);
            survey_records(&s, &words);
        }
    }
    for (uint32_t i = 0; i < text->scan.count && !s.failed; i++) {
        if (scan_is_own_number(&text->scan, i))
            note_name(&s, text->scan.items[i].text)->is_own_number = true;
        if (text->scan.items[i].kind == SCAN_IFDEF || text->scan.items[i].kind == SCAN_IF) {
            survey_chain(&s, text, i);
            survey_alias(&s, &text->scan, i);
        }
    }
    return !s.failed;
}
