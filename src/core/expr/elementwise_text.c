// Splits the text into lines and each line into names and an expression, which the language's parser reads: the names
// that lines before assigned are further symbols for it.
#include "expr/elementwise_text.h"

#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct line_reader {
    struct arena *arena;
    struct error *error;
    struct elementwise_text *out;
    struct expr_symbol *symbols; // the caller's, then room for LINE_NAMES_LIMIT
    size_t own;                  // of the caller
    bool *used;                  // of the caller's
    const char *at;
    bool in_loop;
};

// A part of the text that is one line.
struct piece {
    const char *start, *end;
    const char *assigns; // its '=' outside of brackets, or NULL
    const char *colon;   // likewise
};

static unsigned line_number(const struct line_reader *r, const char *place)
{
    unsigned line = 1;
    for (const char *p = r->out->text; p < place; p++)
        line += *p == '\n';
    return line;
}

static bool refuse_line(const struct line_reader *r, const char *place, const char *why)
{
    if (strpbrk(r->out->text, "\n;"))
        return error_set(r->error, ERROR_INPUT, "line %u: %s", line_number(r, place), why);
    return error_set(r->error, ERROR_INPUT, "%s", why);
}

static const char *skip_string(const char *p)
{
    char quote = *p++;
    while (*p && *p != quote && *p != '\n')
        p += *p == '\\' && p[1] ? 2 : 1;
    return p;
}

// `=`, and no part of ==, <=, >=, != or an augmented assignment.
static bool is_assignment(const char *text, const char *p)
{
    return p[1] != '=' && (p == text || !strchr("=<>!+-*/%&|^:", p[-1]));
}

// The line from there on; `whole`: a loop's, which only a line break ends.
static void next_piece(const struct line_reader *r, const char *from, bool whole, struct piece *out)
{
    int depth = 0;
    const char *p = from;
    *out = (struct piece){.start = from};
    for (; *p && (depth > 0 || (*p != '\n' && (whole || *p != ';'))); p++) {
        depth += strchr("([{", *p) != NULL;
        depth -= strchr(")]}", *p) != NULL;
        if (*p == '\'' || *p == '"')
            p = skip_string(p);
        else if (depth == 0 && *p == '=' && !out->assigns && is_assignment(r->out->text, p))
            out->assigns = p;
        else if (depth == 0 && *p == ':' && !out->colon)
            out->colon = p;
        if (!*p)
            break;
    }
    out->end = p;
}

static bool is_blank(const struct piece *p)
{
    const char *c = p->start;
    while (c < p->end && isspace((unsigned char)*c))
        c++;
    return c == p->end;
}

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r'))
        p++;
    return p;
}

// ---- names --------------------------------------------------------------------------------------

static bool find_target(const struct line_reader *r, const char *name, uint32_t *out)
{
    for (uint32_t i = 0; i < r->out->name_count; i++) {
        if (strcmp(r->symbols[r->own + i].name, name) == 0) {
            *out = (uint32_t)r->own + i;
            return true;
        }
    }
    return false;
}

static bool declare_target(const struct line_reader *r, const char *place, const char *name,
                           uint32_t *out)
{
    char why[160];
    if (find_target(r, name, out))
        return true;
    for (size_t i = 0; i < r->own; i++) {
        if (strcmp(r->symbols[i].name, name) == 0) {
            snprintf(why, sizeof why, "'%.80s' stands for something else; choose another name",
                     name);
            return refuse_line(r, place, why);
        }
    }
    if (r->out->name_count == LINE_NAMES_LIMIT)
        return refuse_line(r, place, "it assigns too many names");
    *out = (uint32_t)r->own + r->out->name_count;
    r->symbols[r->own + r->out->name_count++].name = name;
    return true;
}

// "a, b" up to `end`; declared once the values have been read, which may not see them.
static bool read_targets(const struct line_reader *r, const char *from, const char *end,
                         const char **names, uint32_t *count)
{
    for (*count = 0; from < end;) {
        from = skip_blanks(from, end);
        const char *start = from;
        while (from < end && (isalnum((unsigned char)*from) || *from == '_'))
            from++;
        if (from == start || isdigit((unsigned char)*start))
            return refuse_line(r, start, "names stand before '='; compare with '=='");
        if (*count == LINE_TARGETS_LIMIT)
            return refuse_line(r, start, "one line assigns at most 16 names");
        names[*count] = arena_strndup(r->arena, start, (size_t)(from - start));
        if (!names[(*count)++])
            return error_memory(r->error);
        from = skip_blanks(from, end);
        if (from < end && *from++ != ',')
            return refuse_line(r, start, "names stand before '='; compare with '=='");
    }
    return true;
}

// ---- lines --------------------------------------------------------------------------------------

static const struct expr *read_value(struct line_reader *r, const char *from, const char *end)
{
    const struct expr_symbols symbols = {r->symbols, r->own + r->out->name_count};
    struct error why = ERROR_INIT;
    const uint32_t *slots;
    const char *line = from;
    while (line > r->out->text && line[-1] != '\n')
        line--;
    // Blanks take the place of what stands before, so that columns are those of the line.
    char *text = arena_strndup(r->arena, line, (size_t)(end - line));
    if (text)
        memset(text, ' ', (size_t)(from - line));
    const struct expr *x = text ? expr_parse(r->arena, text, &symbols, &why) : NULL;
    if (!x) {
        if (text)
            refuse_line(r, from, why.text);
        else
            error_memory(r->error);
        return NULL;
    }
    size_t count = expr_slots(x, &slots);
    for (size_t i = 0; i < count; i++)
        if (slots[i] < r->own)
            r->used[slots[i]] = true;
    return x;
}

static bool read_assignment(struct line_reader *r, const struct piece *p, struct text_line *out)
{
    const char *names[LINE_TARGETS_LIMIT];
    const char *start = skip_blanks(p->start, p->end);
    *out = (struct text_line){.place = start};
    if (!p->assigns)
        return refuse_line(r, start,
                           r->in_loop ? "a loop's body assigns names: c = c + 1"
                                      : "the value stands in the last line; lines before it "
                                        "assign names: c = x[i]");
    if (!read_targets(r, start, p->assigns, names, &out->target_count) ||
        !(out->value = read_value(r, p->assigns + 1, p->end)))
        return false;
    for (uint32_t i = 0; i < out->target_count; i++)
        if (!declare_target(r, start, names[i], &out->targets[i]))
            return false;
    return true;
}

static bool add_line(const struct line_reader *r, struct text_line **list, uint32_t *count,
                     struct text_line **out)
{
    struct text_line *grown = arena_array(r->arena, (size_t)*count + 1, sizeof *grown);
    if (!grown)
        return error_memory(r->error);
    if (*count)
        memcpy(grown, *list, *count * sizeof *grown);
    *list = grown;
    *out = &grown[(*count)++];
    return true;
}

static bool starts_word(const char *p, const char *end, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(end - p) > length && strncmp(p, word, length) == 0 &&
           isspace((unsigned char)p[length]);
}

// Names that the body assigns first, and the loop's variable, are hidden behind it.
static void hide_names(const struct line_reader *r, uint32_t from)
{
    for (uint32_t i = from; i < r->out->name_count; i++)
        r->symbols[r->own + i].name = "";
}

static bool read_body_line(struct line_reader *r, const struct piece *p, struct text_line *loop)
{
    struct text_line *line;
    const char *start = skip_blanks(p->start, p->end);
    if (starts_word(start, p->end, "for"))
        return refuse_line(r, start, "a loop stands in no other; sum() and the like may");
    return add_line(r, &loop->body, &loop->body_count, &line) && read_assignment(r, p, line);
}

static bool read_body(struct line_reader *r, const struct piece *head, struct text_line *loop)
{
    struct piece p;
    const char *at = head->colon + 1;
    bool below;
    for (; at < head->end; at = p.end + (*p.end == ';')) {
        next_piece(r, at, false, &p);
        if (!is_blank(&p) && !read_body_line(r, &p, loop))
            return false;
    }
    below = loop->body_count == 0;
    for (r->at = head->end; below && r->at[0] == '\n' && isblank((unsigned char)r->at[1]);
         r->at = p.end) {
        next_piece(r, r->at + 1, true, &p);
        for (const char *end = p.end; p.start < end; p.start = p.end + (*p.end == ';')) {
            next_piece(r, p.start, false, &p);
            if (!is_blank(&p) && !read_body_line(r, &p, loop))
                return false;
        }
    }
    return loop->body_count > 0 ||
           refuse_line(r, head->start, "the loop does nothing; write for k in range(8): c = ...");
}

static bool read_loop(struct line_reader *r, const struct piece *p, struct text_line *out)
{
    const char *start = skip_blanks(p->start, p->end), *names[LINE_TARGETS_LIMIT], *in = start;
    uint32_t count, before = r->out->name_count;
    *out = (struct text_line){.loops = true, .place = start, .target_count = 1};
    while (in < p->end && !starts_word(in, p->end, " in"))
        in++;
    if (!p->colon || in > p->colon)
        return refuse_line(r, start, "a loop is written: for k in range(8): c = c + k");
    if (!read_targets(r, start + 4, in, names, &count) ||
        !(out->value = read_value(r, in + 4, p->colon)))
        return false;
    if (count != 1)
        return refuse_line(r, start, "a loop here has one variable");
    if (find_target(r, names[0], &out->targets[0]))
        return refuse_line(r, start, "the loop's variable is assigned before; choose another name");
    if (!declare_target(r, start, names[0], &out->targets[0]))
        return false;
    r->in_loop = true;
    bool ok = read_body(r, p, out);
    r->in_loop = false;
    hide_names(r, before);
    return ok;
}

// Is there a line that assigns? Else it is an expression, on however many lines.
static bool has_lines(const struct line_reader *r)
{
    struct piece p;
    for (const char *at = r->out->text; *at; at = p.end + (*p.end != 0)) {
        next_piece(r, at, false, &p);
        if (p.assigns || starts_word(skip_blanks(p.start, p.end), p.end, "for"))
            return true;
    }
    return false;
}

static bool read_lines(struct line_reader *r)
{
    struct elementwise_text *t = r->out;
    struct piece p, next;
    if (!has_lines(r))
        return (t->value = read_value(r, t->text, t->text + strlen(t->text))) != NULL;
    for (r->at = t->text; *r->at;) {
        struct text_line *line;
        const char *from = r->at;
        next_piece(r, from, false, &p);
        bool loops = starts_word(skip_blanks(p.start, p.end), p.end, "for");
        if (loops)
            next_piece(r, from, true, &p);
        r->at = p.end + (*p.end != 0);
        if (is_blank(&p))
            continue;
        bool last = !p.assigns && !loops;
        for (const char *c = r->at; last && *c; c = next.end + (*next.end != 0)) {
            next_piece(r, c, false, &next);
            last = is_blank(&next);
        }
        if (last)
            return (t->value = read_value(r, p.start, p.end)) != NULL;
        if (!add_line(r, &t->lines, &t->line_count, &line) ||
            !(loops ? read_loop(r, &p, line) : read_assignment(r, &p, line)))
            return false;
    }
    return refuse_line(r, r->at,
                       t->line_count ? "the last line gives the value; add one: c"
                                     : "an expression is missing");
}

static bool collect_used(struct line_reader *r)
{
    struct elementwise_text *t = r->out;
    t->slots = arena_array(r->arena, r->own + 1, sizeof *t->slots);
    if (!t->slots)
        return error_memory(r->error);
    for (uint32_t i = 0; i < r->own; i++)
        if (r->used[i])
            t->slots[t->slot_count++] = i;
    return true;
}

struct elementwise_text *elementwise_parse(struct arena *a, const char *text,
                                           const struct expr_symbols *symbols, struct error *e)
{
    struct elementwise_text *t = arena_alloc(a, sizeof *t);
    struct line_reader r = {.arena = a, .error = e, .out = t, .own = symbols->count};
    r.symbols = arena_array(a, r.own + LINE_NAMES_LIMIT, sizeof *r.symbols);
    r.used = arena_array(a, r.own + 1, sizeof *r.used);
    if (!t || !r.symbols || !r.used)
        return error_no_memory(e);
    *t = (struct elementwise_text){.text = text};
    for (size_t i = 0; i < r.own; i++)
        r.symbols[i] = symbols->items[i];
    return read_lines(&r) && collect_used(&r) ? t : NULL;
}
