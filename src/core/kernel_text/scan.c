// The scanner: splits a text into logical lines (logical_lines.h), and these into items: a
// directive each, and runs of plain lines between them. Of each item it notes the watched names it
// mentions. Constructs that could make lines other than they look (trigraphs, raw strings,
// unbalanced conditionals) mark the text as strange.
#include "kernel_text/scan.h"

#include "base/text.h"
#include "kernel_text/logical_lines.h"

#include <ctype.h>
#include <string.h>

struct scanner {
    struct logical_lines lines;
    const struct scan_names *names;
    bool *mentioned; // by name, for the item being built
    struct arena *arena;
    struct scan *out;
    size_t capacity;
    uint32_t depth; // open conditionals
    size_t from;    // where the line begins
    bool is_odd;    // some compilers see other comments
};

// ---- names -------------------------------------------------------------------------------------

static bool is_word_character(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t scan_word_length(const char *at)
{
    size_t length = 0;
    while (is_word_character(at[length]))
        length++;
    return length;
}

uint32_t scan_name_index(const struct scan_names *names, const char *name, size_t length)
{
    for (uint32_t i = 0; i < names->count; i++) {
        const char *own = names->items[i]; // most differ in the first or the second character
        if (own[0] == name[0] && (length < 2 || own[1] == name[1]) &&
            strncmp(own, name, length) == 0 && own[length] == '\0')
            return i;
    }
    return UINT32_MAX;
}

// Notes the watched names in a line. Those inside strings count too: a _Pragma may hold them.
static void note_names(struct scanner *s, const char *at)
{
    while (*at) {
        size_t length = scan_word_length(at);
        if (length == 0) {
            at++;
            continue;
        }
        uint32_t index =
            isdigit((unsigned char)*at) ? UINT32_MAX : scan_name_index(s->names, at, length);
        if (index != UINT32_MAX)
            s->mentioned[index] = true;
        at += length;
    }
}

// R"mark(...)mark"
static bool has_raw_string(const char *line)
{
    while ((line = strstr(line, "R\""))) {
        line += 2;
        if (line[strcspn(line, "()\\\" \t")] == '(')
            return true;
    }
    return false;
}

// Has the line the part outside of what stands in quotes (assembly has comments there)? An apostrophe may be anything.
static bool has_unquoted(const char *line, const char *part)
{
    bool is_quoted = false;
    const bool is_plain = strchr(line, '\'') || strstr(line, "??") || strstr(line, "R\"");
    for (const char *c = line; *c; c++) {
        if (!is_quoted && str_starts(c, part))
            return true;
        is_quoted ^= !is_plain && *c == '"';
        c += is_quoted && *c == '\\' && c[1];
    }
    return false;
}

static void note_opaque(struct scanner *s, const char *line)
{
    static const struct {
        const char *part, *why;
    } parts[] = {
        {"##", "names may be pasted together with '##'"},
        {"%:", "it uses digraphs"},
        {"??", "it uses trigraphs"},
        {"R\"", "it uses raw strings"},
        {"/*", "a comment is written in an unusual way"}, // comments are gone by now
        {"//", "a comment is written in an unusual way"},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (!has_unquoted(line, parts[i].part))
            continue;
        if (!s->out->opaque)
            s->out->opaque = parts[i].why;
        s->out->strange |= i > 0; // '##' alone changes no line that stands there
    }
    s->is_odd |= has_raw_string(line);
}

// Its lines may not be what they look like.
static void make_strange(struct scan *out, const char *why)
{
    out->strange = true;
    if (!out->opaque)
        out->opaque = why;
}

// ---- items -------------------------------------------------------------------------------------

static struct scan_item *grow_items(struct scanner *s)
{
    struct scan *out = s->out;
    if (!ARENA_ROOM(s->arena, out->items, s->capacity, out->count + (size_t)1))
        return NULL;
    struct scan_item *item = &out->items[out->count++];
    *item = (struct scan_item){
        .first = s->lines.first, .last = s->lines.line, .from = s->from, .tested = UINT32_MAX};
    return item;
}

// Gives the item the names noted so far, and starts afresh.
static bool take_mentioned_names(struct scanner *s, struct scan_item *item)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->names->count; i++)
        count += s->mentioned[i];
    uint32_t *names = arena_array(s->arena, count + 1, sizeof *names);
    if (!names)
        return false;
    for (uint32_t i = 0; i < s->names->count; i++) {
        if (s->mentioned[i])
            names[item->name_count++] = i;
        s->mentioned[i] = false;
    }
    item->names = names;
    return true;
}

// Adds an item that mentions the names in `line`.
static struct scan_item *add_scan_item(struct scanner *s, enum scan_kind kind, const char *line)
{
    struct scan_item *item = grow_items(s);
    if (!item)
        return NULL;
    item->kind = kind;
    note_names(s, line);
    return take_mentioned_names(s, item) ? item : NULL;
}

// A line of plain text joins the one before it.
static bool add_text_line(struct scanner *s, const char *line)
{
    struct scan_item *last = s->out->count > 0 ? &s->out->items[s->out->count - 1] : NULL;
    if (!last || last->kind != SCAN_TEXT || last->reads)
        return add_scan_item(s, SCAN_TEXT, line) != NULL;
    for (uint32_t i = 0; i < last->name_count; i++)
        s->mentioned[last->names[i]] = true;
    last->last = s->lines.line;
    last->name_count = 0;
    note_names(s, line);
    return take_mentioned_names(s, last);
}

static bool add_include(struct scanner *s, const char *rest)
{
    char closing = *rest == '<' ? '>' : '"';
    const char *end = *rest == '<' || *rest == '"' ? strchr(rest + 1, closing) : NULL;
    struct scan_item *item = add_scan_item(s, SCAN_INCLUDE, end ? "" : rest);
    if (!item)
        return false;
    if (!end) {
        s->out->opaque = "it includes a file whose name a macro gives";
        item->kind = SCAN_TEXT;
        size_t length = scan_word_length(rest);
        bool alone = length > 0 && rest[length + strspn(rest + length, " \t\r")] == '\0';
        item->named = alone && !isdigit((unsigned char)*rest);
        item->reads = arena_strndup(s->arena, rest, alone ? length : strlen(rest));
        return item->reads != NULL;
    }
    item->angled = *rest == '<';
    item->text = arena_strndup(s->arena, rest + 1, (size_t)(end - rest - 1));
    return item->text != NULL;
}

struct directive {
    const char *word;
    enum scan_kind kind;
    int opens; // conditionals
};

static const struct directive *find_directive(const char *word, size_t length)
{
    static const struct directive directives[] = {
        {"if", SCAN_IF, 1},         {"ifdef", SCAN_IFDEF, 1}, {"ifndef", SCAN_IFNDEF, 1},
        {"elif", SCAN_ELIF, 0},     {"else", SCAN_ELSE, 0},   {"endif", SCAN_ENDIF, -1},
        {"define", SCAN_DEFINE, 0}, {"undef", SCAN_UNDEF, 0}, {"include", SCAN_INCLUDE, 0},
        {"error", SCAN_ERROR, 0},
    };
    for (size_t i = 0; i < sizeof directives / sizeof directives[0]; i++) {
        if (strlen(directives[i].word) == length && !strncmp(directives[i].word, word, length))
            return &directives[i];
    }
    return NULL;
}

// Directives that the scanner has no item for.
static bool add_other(struct scanner *s, const char *word, size_t length, const char *rest)
{
    static const struct {
        const char *word;
        bool reads; // a file
        bool next;
    } strange[] = {{"include_next", true, true},
                   {"import", true, false},
                   {"embed", true, false},
                   {"elifdef", false, false},
                   {"elifndef", false, false}};
    const char *read = NULL;
    bool next = false;
    for (size_t i = 0; i < sizeof strange / sizeof strange[0]; i++) {
        if (strlen(strange[i].word) != length || strncmp(strange[i].word, word, length) != 0)
            continue;
        s->out->opaque = "it uses a directive that is not followed here";
        read = strange[i].reads ? rest : NULL;
        next = strange[i].next;
    }
    if (length == 6 && strncmp(word, "pragma", 6) == 0 && strncmp(rest, "once", 4) == 0)
        s->out->once = true;
    if (!read)
        return add_text_line(s, rest);
    struct scan_item *item = add_scan_item(s, SCAN_TEXT, rest);
    if (item)
        item->next = next;
    return item && (item->reads = arena_strdup(s->arena, read));
}

static const char *skip_line_blanks(const char *at)
{
    while (*at && isspace((unsigned char)*at))
        at++;
    return at;
}

static bool add_directive(struct scanner *s, const char *word)
{
    size_t length = scan_word_length(word);
    const char *rest = skip_line_blanks(word + length);
    const struct directive *d = find_directive(word, length);
    if (!d)
        return add_other(s, word, length, rest);
    if (d->kind == SCAN_INCLUDE)
        return add_include(s, rest);
    if (s->depth == 0 && (d->opens < 0 || d->kind == SCAN_ELIF || d->kind == SCAN_ELSE))
        make_strange(s->out, "its conditionals are not balanced");
    s->depth = s->depth == 0 && d->opens < 0 ? 0 : s->depth + (uint32_t)d->opens;

    bool condition = d->kind == SCAN_IF || d->kind == SCAN_ELIF;
    size_t text = condition ? strlen(rest) : scan_word_length(rest);
    // A macro's own name is no mention of it.
    struct scan_item *item = add_scan_item(s, d->kind,
                                           d->kind == SCAN_DEFINE               ? rest + text
                                           : condition || d->kind == SCAN_ERROR ? rest
                                                                                : "");
    if (item && (d->kind == SCAN_IFDEF || d->kind == SCAN_IFNDEF))
        item->tested = scan_name_index(s->names, rest, text);
    if (!item || !(item->text = arena_strndup(s->arena, rest, text)))
        return false;
    if (d->kind != SCAN_DEFINE)
        return true;
    item->body = arena_strdup(s->arena, rest + text);
    item->value = item->body && rest[text] != '(' ? skip_line_blanks(item->body) : NULL;
    return item->body != NULL;
}

static bool add_logical_line(struct scanner *s)
{
    if (s->lines.text.failed)
        return false;
    const char *line = skip_line_blanks(text_cstr(&s->lines.text));
    note_opaque(s, line);
    size_t sign = *line == '#' ? 1 : str_starts(line, "%:") ? 2 : str_starts(line, "?\?=") ? 3 : 0;
    if (!sign)
        return add_text_line(s, line);
    line = skip_line_blanks(line + sign);
    return *line == '\0' || add_directive(s, line);
}

// Where the conditional that opens at `start` ends; the count when it has another branch or no end.
static uint32_t conditional_end(const struct scan *out, uint32_t start)
{
    uint32_t depth = 0;
    for (uint32_t i = start; i < out->count; i++) {
        enum scan_kind kind = out->items[i].kind;
        depth += kind == SCAN_IF || kind == SCAN_IFDEF || kind == SCAN_IFNDEF;
        depth -= kind == SCAN_ENDIF;
        if (depth == 0)
            return i;
        if (depth == 1 && (kind == SCAN_ELSE || kind == SCAN_ELIF))
            break;
    }
    return out->count;
}

// #ifndef G, #define G, ..., #endif with nothing but plain lines around it.
static void find_guard(struct scan *out)
{
    const struct scan_item *items = out->items;
    uint32_t first = out->count > 0 && items[0].kind == SCAN_TEXT ? 1 : 0;
    if (out->count - first < 3 || items[first].kind != SCAN_IFNDEF ||
        items[first + 1].kind != SCAN_DEFINE ||
        strcmp(items[first].text, items[first + 1].text) != 0)
        return;
    uint32_t end = conditional_end(out, first);
    bool last = end + 1 == out->count;
    bool plain = end + 2 == out->count && items[end + 1].kind == SCAN_TEXT;
    if (last || plain)
        out->guard = items[first].text;
}

// ---- hidden directives --------------------------------------------------------------------------

// Compilers differ in whether 1'000 begins a string, and what is a comment here may be lines there.
static bool reads_otherwise(const char *text)
{
    bool is_number = false,
         is_quoted = false; // is_quoted: an apostrophe of this line is in a number
    for (const char *c = text; *c; c++) {
        bool starts = c == text || !is_word_character(c[-1]);
        is_number = (*c == '\'' && is_number) ||
                    (is_word_character(*c) && (starts ? isdigit((unsigned char)*c) : is_number));
        is_quoted = *c != '\n' && (is_quoted || (*c == '\'' && is_number));
        if (is_quoted && str_starts(c, "/*"))
            return true;
    }
    return false;
}

// The last line that has one of the words with which a directive reads files or names them, if there
// are more of these words than items.
static uint32_t hidden_directive(const struct scan *scan, const char *text)
{
    static const char *const words[] = {"include", "include_next", "import",
                                        "embed",   "define",       NULL};
    uint32_t items = 0, found = 0, line = 1, last = 1;
    for (uint32_t i = 0; i < scan->count; i++) {
        enum scan_kind kind = scan->items[i].kind;
        items += kind == SCAN_INCLUDE || kind == SCAN_DEFINE || scan->items[i].reads;
    }
    while (*text) {
        char word[16];
        size_t length = scan_word_length(text);
        line += *text == '\n';
        str_format(word, sizeof word, "%.*s", (int)length, text);
        if (length > 0 && length < sizeof word && str_listed(words, word)) {
            found++;
            last = line;
        }
        text += length ? length : 1;
    }
    return found > items ? last : 0;
}

// A word may go on in the next line, and the two characters that open or end a comment, too.
static bool find_hidden(struct scanner *s, const char *text, size_t length)
{
    char *joined = arena_strndup(s->arena, text, length), *to = joined;
    if (!joined)
        return false;
    for (const char *at = joined; *at;) {
        bool is_trigraph = str_starts(at, "?\?/");
        size_t sign = *at == '\\' ? 1 : is_trigraph ? 3 : 0;
        size_t blanks = sign ? strspn(at + sign, " \t\r") : 0;
        s->is_odd |= is_trigraph;
        if (sign && at[sign + blanks] == '\n') {
            at += sign + blanks + 1;
            s->is_odd |= to > joined && ((to[-1] == '/' && (*at == '*' || *at == '/')) ||
                                         (to[-1] == '*' && *at == '/'));
        } else {
            *to++ = *at++;
        }
    }
    *to = '\0';
    if (s->is_odd || reads_otherwise(joined))
        s->out->hides = hidden_directive(s->out, joined);
    return true;
}

bool scan_text(const char *text, size_t length, const struct scan_names *names, struct arena *a,
               struct scan *out)
{
    *out = (struct scan){.count = 0};
    struct scanner s = {.names = names, .arena = a, .out = out};
    logical_lines_init(&s.lines, text, length);
    s.mentioned = arena_array(a, names->count + 1, sizeof *s.mentioned);
    bool ok = s.mentioned != NULL;
    if (length > 0 && memchr(text, '\0', length))
        make_strange(out, "it holds a NUL byte");
    while (ok) {
        s.from = (size_t)(s.lines.at - text);
        if (!logical_lines_next(&s.lines))
            break;
        ok = add_logical_line(&s);
    }
    logical_lines_release(&s.lines);
    if (s.depth > 0)
        make_strange(out, "its conditionals are not balanced");
    if (ok && !out->opaque)
        find_guard(out);
    return ok && find_hidden(&s, text, length);
}

bool scan_mentions(const struct scan *s, uint32_t name)
{
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->items[i].tested == name)
            return true;
        for (uint32_t n = 0; n < s->items[i].name_count; n++) {
            if (s->items[i].names[n] == name)
                return true;
        }
    }
    return false;
}

// ---- numbers that the text defines -------------------------------------------------------------

// "16", "(1024)", "0x40u": nothing in it depends on another name.
static bool is_plain_number(const char *text)
{
    size_t length = text ? strlen(text) : 0;
    while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    while (length > 1 && text[0] == '(' && text[length - 1] == ')') {
        text++;
        length -= 2;
    }
    while (length > 1 && strchr("uUlL", text[length - 1]))
        length--;
    const bool is_hex = length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = is_hex ? "0123456789abcdefABCDEF" : "0123456789";
    const size_t start = is_hex ? 2 : 0;
    return length > start && strspn(text + start, digits) >= length - start;
}

bool scan_is_own_number(const struct scan *s, uint32_t item)
{
    const struct scan_item *define = &s->items[item];
    uint32_t depth = 0, guards = 0, others = 0;
    if (define->kind != SCAN_DEFINE || !is_plain_number(define->value))
        return false;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct scan_item *one = &s->items[i], *next = i + 1 < s->count ? one + 1 : one;
        const bool is_guard = one->kind == SCAN_IFNDEF && next->kind == SCAN_DEFINE &&
                              str_equal(one->text, next->text) && next->value && !*next->value;
        if ((one->kind == SCAN_DEFINE || one->kind == SCAN_UNDEF) && i != item)
            others += str_equal(one->text, define->text);
        if (i >= item)
            continue;
        if (one->kind == SCAN_IF || one->kind == SCAN_IFDEF || one->kind == SCAN_IFNDEF)
            depth++;
        if (is_guard && guards + 1 == depth)
            guards++;
        if (one->kind == SCAN_ENDIF && depth)
            depth--;
        guards = guards < depth ? guards : depth;
    }
    return depth == guards && others == 0;
}
