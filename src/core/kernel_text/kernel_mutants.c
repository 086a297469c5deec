// Places of a text where a mutant can be made, line by line: a token's place in the text is known as far as its logical line is the
// text itself, without a comment or a joined line before it.
#include "kernel_text/kernel_mutants.h"

#include "base/text.h"
#include "kernel_text/kernel_tokens.h"
#include "kernel_text/logical_lines.h"

#include <ctype.h>
#include <string.h>

// Bytes of the text, and what is put in their place.
struct mutation {
    size_t at, length;
    const char *put;
    const char *change;
    size_t line, line_length;
};

struct mutating {
    struct arena *arena;
    const char *text;
    struct mutation *list;
    size_t count, room;
    unsigned depth, condition; // of parentheses; at which those of a condition are open, 0: none
    bool opens;                // a word that a condition follows was the last
    bool failed;
};

// A token, and where it stands in the text.
struct placed {
    const struct token *token;
    size_t at;
};

static void add_mutation(struct mutating *m, const struct mutation *of)
{
    if (of->change && ARENA_ROOM(m->arena, m->list, m->room, m->count + 1))
        m->list[m->count++] = *of;
    else
        m->failed = true;
}

// ---- barriers ----------------------------------------------------------------------------------

static bool is_barrier(const char *name)
{
    static const char *const names[] = {"barrier", "work_group_barrier", "__syncthreads",
                                        "__syncwarp"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

// The call ends in the same line.
static void mutate_barrier(struct mutating *m, const struct placed *p, size_t left,
                           struct mutation of)
{
    unsigned depth = 0;
    for (size_t i = 1; i < left; i++) {
        const char *word = p[i].token->text;
        depth += strcmp(word, "(") == 0;
        if (depth == 0)
            return;
        if (strcmp(word, ")") != 0 || --depth > 0)
            continue;
        if (p[i].at == SIZE_MAX) // it has no place of its own
            return;
        of.at = p->at;
        of.length = p[i].at + 1 - p->at;
        of.put = "(void)0";
        of.change =
            arena_printf(m->arena, "without %.*s", (int)(of.length & 0xffff), m->text + of.at);
        add_mutation(m, &of);
        return;
    }
}

// ---- bounds ------------------------------------------------------------------------------------

static const struct {
    const char *sign, *put, *change;
} bounds[] = {{"<", "<=", "<= for <"},
              {"<", "< -1 +", "one less behind <"},
              {"<=", "<", "< for <="},
              {">", ">=", ">= for >"},
              {">=", ">", "> for >="}};

static void mutate_bound(struct mutating *m, const struct placed *p, struct mutation of)
{
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        if (strcmp(p->token->text, bounds[i].sign) != 0)
            continue;
        of.at = p->at;
        of.length = strlen(bounds[i].sign);
        of.put = bounds[i].put;
        of.change = bounds[i].change;
        add_mutation(m, &of);
    }
}

// ---- lines -------------------------------------------------------------------------------------

// A word goes by: is one inside the parentheses of a condition?
static void follow_condition(struct mutating *m, const struct token *t)
{
    const char *word = t->text;
    if (t->kind == TOKEN_SIGN && word[0] == '(') {
        m->depth++;
        m->condition = m->condition == 0 && m->opens ? m->depth : m->condition;
    } else if (t->kind == TOKEN_SIGN && word[0] == ')' && m->depth > 0) {
        m->condition = m->condition == m->depth ? 0 : m->condition;
        m->depth--;
    }
    m->opens = t->kind == TOKEN_NAME &&
               (strcmp(word, "if") == 0 || strcmp(word, "for") == 0 || strcmp(word, "while") == 0);
}

// Places of the tokens of a line whose first bytes are those of the text from `from` on; 0 of one beyond, and of a directive's.
static struct placed *place_tokens(struct mutating *m, const struct token *tokens, size_t count,
                                   const char *line, size_t from, size_t known)
{
    struct placed *p = arena_array(m->arena, count + 1, sizeof *p);
    size_t at = 0;
    for (size_t i = 0; p && i < count; i++) {
        at += strspn(line + at, " \t\r\v\f");
        const size_t length = strlen(tokens[i].text);
        const bool is_known = at + length <= known && !tokens[i].directive;
        p[i] = (struct placed){&tokens[i], is_known ? from + at : SIZE_MAX};
        at += length;
    }
    return p;
}

static void mutate_line(struct mutating *m, const struct logical_lines *l, size_t from)
{
    const char *line = text_cstr(&l->text);
    size_t known = 0, count, trimmed = strspn(line, " \t");
    while (known < l->text.length && m->text + from + known < l->end &&
           line[known] == m->text[from + known])
        known++;
    struct token *tokens = tokens_read(line, l->text.length, m->arena, &count);
    struct placed *p = tokens ? place_tokens(m, tokens, count, line, from, known) : NULL;
    struct mutation of = {.line = from + trimmed,
                          .line_length = known > trimmed ? known - trimmed : 0};
    m->failed |= !p;
    for (size_t i = 0; p && i < count && !tokens[0].directive; i++) {
        const bool is_known = p[i].at != SIZE_MAX;
        follow_condition(m, &tokens[i]);
        if (is_known && tokens[i].kind == TOKEN_NAME && is_barrier(tokens[i].text))
            mutate_barrier(m, p + i, count - i, of);
        else if (is_known && tokens[i].kind == TOKEN_SIGN && m->condition > 0)
            mutate_bound(m, &p[i], of);
    }
}

// ---- texts -------------------------------------------------------------------------------------

static bool make_mutant(struct mutating *m, const struct mutation *of, size_t length,
                        struct kernel_mutant *out)
{
    const size_t put = strlen(of->put), behind = of->at + of->length;
    size_t shown = of->line_length;
    while (shown > 0 && isspace((unsigned char)m->text[of->line + shown - 1]))
        shown--;
    char *text = arena_alloc(m->arena, length - of->length + put + 1);
    *out = (struct kernel_mutant){.text = text,
                                  .length = length - of->length + put,
                                  .line = arena_strndup(m->arena, m->text + of->line, shown),
                                  .change = of->change};
    if (!text || !out->line)
        return false;
    memcpy(text, m->text, of->at);
    memcpy(text + of->at, of->put, put);
    memcpy(text + of->at + put, m->text + behind, length - behind);
    text[out->length] = '\0';
    return true;
}

bool kernel_mutants_make(const char *text, size_t length, size_t most, struct arena *a,
                         struct kernel_mutant **out, size_t *count)
{
    struct mutating m = {.arena = a, .text = text};
    struct logical_lines lines;
    logical_lines_init(&lines, text, length);
    for (const char *from = lines.at; !m.failed && logical_lines_next(&lines); from = lines.at) {
        m.failed |= lines.text.failed;
        mutate_line(&m, &lines, (size_t)(from - text));
    }
    logical_lines_release(&lines);
    *count = m.count < most ? m.count : most;
    *out = arena_array(a, *count + 1, sizeof **out);
    bool ok = !m.failed && *out;
    for (size_t i = 0; ok && i < *count; i++)
        ok = make_mutant(&m, &m.list[i * m.count / *count], length, &(*out)[i]);
    return ok;
}
