// A kernel's parameters from its source. The lines that the compiler sees are found as for identity
// (follow.h), put together and read as tokens; of those the kernel's head and parameter list are
// understood, with -D options, plain #defines and plain typedefs replaced. Everything unusual ends
// the reading: the answer is then that nothing is known.
#include "problem/signature.h"

#include "base/text.h"
#include "kernel_text/tokens.h"

#include <string.h>

#define DEPTH_MOST 8    // of names that stand for names
#define WORDS_MOST 48   // of one parameter
#define EXPANSIONS 4096 // of words, for a kernel: macros that name each other need not end soon

// Lines of the text put together, and where they are from.
struct piece {
    uint32_t first; // line of the whole text
    uint32_t file, line;
    bool sure; // the compiler surely sees them
};

struct reading {
    const struct spec_sources *src;
    const struct language_traits *traits;
    const struct program_sources *program;
    const struct follow_macro *macros;
    struct arena *arena;
    struct text text;
    uint32_t lines;
    struct piece *pieces;
    uint32_t piece_count;
    size_t piece_room;
    const struct token *tokens;
    size_t count;
    uint32_t expansions;
    bool open; // something is included that is not here: a name may mean anything
    bool failed;
};

// The words of one parameter, macros replaced.
struct word_list {
    const struct token *items[WORDS_MOST];
    size_t count;
};

// ---- the text that the compiler sees ------------------------------------------------------------

// Where a line of the file's text begins.
static const char *line_start(const struct source_file *f, uint32_t line)
{
    const char *at = f->text, *end = f->text + f->length;
    for (uint32_t i = 1; i < line && at < end; i++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        at = stop ? stop + 1 : end;
    }
    return at;
}

static void add_seen_lines(void *context, uint32_t file, const struct scan_item *item, bool sure)
{
    struct reading *r = context;
    const struct source_file *f = &r->program->list[file];
    uint32_t next = (uint32_t)(item - f->scan.items) + 1;
    if (item->kind == SCAN_INCLUDE)
        return;
    const char *from = line_start(f, item->first);
    const char *to =
        next < f->scan.count ? line_start(f, f->scan.items[next].first) : f->text + f->length;
    if (!ARENA_ROOM(r->arena, r->pieces, r->piece_room, r->piece_count + (size_t)1)) {
        r->failed = true;
        return;
    }
    r->pieces[r->piece_count++] = (struct piece){r->lines, file, item->first, sure};
    text_addn(&r->text, from, (size_t)(to - from));
    for (const char *at = from; at < to; at++)
        r->lines += *at == '\n';
    if (to > from && to[-1] != '\n') {
        text_addc(&r->text, '\n');
        r->lines++;
    }
}

// False when nothing can be read.
static bool read_tokens(struct reading *r)
{
    const struct scan_names *names = &r->src->names;
    bool *seen = arena_array(r->arena, names->count + 1, sizeof *seen);
    struct follow f = {.files = r->program->follow,
                       .file_count = r->program->count,
                       .mains = r->program->main_indices,
                       .main_count = r->program->mains,
                       .names = names,
                       .macros = r->macros,
                       .regardless = true,
                       .live = add_seen_lines,
                       .context = r,
                       .seen = seen};
    r->lines = 1;
    if (!seen || !follow_run(&f, r->arena) || r->text.failed || r->failed) {
        r->failed = true;
        return false;
    }
    r->open = f.opaque != NULL;
    if (f.strange)
        return false;
    r->tokens = tokens_read(text_cstr(&r->text), r->text.length, r->arena, &r->count);
    r->failed = !r->tokens;
    return !r->failed;
}

static const struct piece *piece_of(const struct reading *r, const struct token *t)
{
    uint32_t low = 0, high = r->piece_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (r->pieces[middle].first <= t->line)
            low = middle;
        else
            high = middle;
    }
    return &r->pieces[low];
}

// ---- words -------------------------------------------------------------------------------------

static bool is_sign_token(const struct token *t, const char *text)
{
    return t->kind == TOKEN_SIGN && strcmp(t->text, text) == 0;
}

static bool is_word_token(const struct token *t, const char *text)
{
    return t->kind == TOKEN_NAME && strcmp(t->text, text) == 0;
}

// Words of C's types that go together: "unsigned long long int".
static bool joins(const char *word)
{
    static const char *const list[] = {"signed", "unsigned", "char", "short", "int", "long", NULL};
    return str_listed(list, word);
}

static bool is_builtin(const struct reading *r, const char *word)
{
    struct element el;
    return joins(word) || strcmp(word, "void") == 0 || declared_parse(word, r->src->language, &el);
}

static bool is_type_qualifier(const struct reading *r, const char *word)
{
    static const char *const c_words[] = {"const",        "volatile", "restrict", "__restrict",
                                          "__restrict__", "__const",  "register", NULL};
    return str_listed(c_words, word) || str_listed(r->traits->qualifiers, word);
}

// ---- names that stand for something ------------------------------------------------------------

// A word that some macro stands for, which is one word or none.
static const struct token unknown_word = {.kind = TOKEN_NAME, .text = "?", .directive = NULL};

// The #defines and #undefs of a name.
struct defines {
    uint32_t count;
    size_t at;     // the last one's name
    bool is_plain; // none has parameters, commas or parentheses: it makes no list longer
    bool has_undef;
};

static size_t body_length(const struct reading *r, size_t name)
{
    size_t count = 0;
    for (const struct token *t = &r->tokens[name + 1]; name + 1 + count < r->count; t++, count++) {
        if (!str_equal(t->directive, "define") || t->starts_directive)
            break;
    }
    return count;
}

static bool is_plain_body(const struct reading *r, size_t name)
{
    size_t count = body_length(r, name);
    for (size_t i = 1; i <= count; i++) {
        const struct token *t = &r->tokens[name + i];
        if (is_sign_token(t, ",") || is_sign_token(t, "(") || is_sign_token(t, ")"))
            return false;
    }
    return true;
}

static struct defines find_defines(const struct reading *r, const char *name)
{
    struct defines d = {.is_plain = true};
    for (size_t i = 0; i < r->count; i++) {
        const struct token *t = &r->tokens[i];
        bool undef = t->starts_directive && str_equal(t->directive, "undef");
        bool define = t->starts_directive && str_equal(t->directive, "define");
        if ((!undef && !define) || strcmp(t->text, name) != 0)
            continue;
        d.count++;
        d.at = i;
        d.has_undef |= undef;
        d.is_plain = d.is_plain && is_plain_body(r, i);
    }
    return d;
}

static bool expand_word(struct reading *r, const struct token *t, unsigned depth,
                        struct word_list *out);

static bool expand_all(struct reading *r, const struct token *from, size_t count, unsigned depth,
                       struct word_list *out)
{
    for (size_t i = 0; i < count; i++) {
        if (!expand_word(r, &from[i], depth, out))
            return false;
    }
    return true;
}

static bool expand_option(struct reading *r, const char *value, unsigned depth,
                          struct word_list *out)
{
    size_t count;
    const struct token *t = value ? tokens_read(value, strlen(value), r->arena, &count) : NULL;
    r->failed |= value && !t;
    return t && expand_all(r, t, count, depth, out);
}

static uint32_t option_of(const struct reading *r, const char *name)
{
    uint32_t option = scan_name_index(&r->src->names, name, strlen(name));
    return option != UINT32_MAX && r->macros[option].given ? option : UINT32_MAX;
}

// Appends what the preprocessor makes of a word; false when that may be several parameters.
static bool expand_word(struct reading *r, const struct token *t, unsigned depth,
                        struct word_list *out)
{
    bool is_name = t->kind == TOKEN_NAME;
    struct defines defines = {.count = 0};
    uint32_t option = is_name ? option_of(r, t->text) : UINT32_MAX;
    if (is_name)
        defines = find_defines(r, t->text);
    bool too_much = ++r->expansions > EXPANSIONS || out->count == WORDS_MOST;
    if (depth == DEPTH_MOST || too_much || (defines.count && option != UINT32_MAX))
        return false;
    if (defines.count) {
        // A single definition gives the name its meaning, surely seen or not: without it the name
        // would mean nothing. Among several the one in force is unknown.
        bool sure = piece_of(r, &r->tokens[defines.at])->sure || !r->open;
        if (!defines.is_plain)
            return false;
        if (defines.count == 1 && !defines.has_undef && sure)
            return expand_all(r, &r->tokens[defines.at + 1], body_length(r, defines.at), depth + 1,
                              out);
        out->items[out->count++] = &unknown_word;
        return true;
    }
    if (option != UINT32_MAX)
        return expand_option(r, r->macros[option].value, depth + 1, out);
    out->items[out->count++] = t;
    return true;
}

// ---- a parameter -------------------------------------------------------------------------------

struct declarator {
    struct declared declared;
    struct text words;       // of its type
    bool has_type, is_other; // is_other: a type that is not known
    bool is_foreign;         // and that the source does not define
    bool is_lone;            // perhaps no parameter at all
    uint32_t stars;
    bool has_name, is_const; // is_const: what it points to
    const char *name;
};

static void read_declared_type(struct reading *r, const char *name, unsigned depth,
                               struct declarator *d);

// The typedef or `using` of a name: the words of its type, and how many there are of them; 2
// if it is not sure.
static uint32_t find_typedef(const struct reading *r, const char *name, size_t *from, size_t *to)
{
    uint32_t count = 0;
    for (size_t i = 0; i + 1 < r->count; i++) {
        const struct token *t = &r->tokens[i];
        bool is_using =
            is_word_token(t, "using") && is_word_token(t + 1, name) && is_sign_token(t + 2, "=");
        if (t->directive || (!is_word_token(t, "typedef") && !is_using))
            continue;
        size_t end = i;
        while (end < r->count && !is_sign_token(&r->tokens[end], ";"))
            end++;
        if (!is_using && !is_word_token(&r->tokens[end - 1], name))
            continue;
        *from = is_using ? i + 3 : i + 1;
        *to = is_using ? end : end - 1;
        count++;
        if (!piece_of(r, t)->sure || !piece_of(r, &r->tokens[end - 1])->sure)
            return 2;
    }
    return count;
}

static void read_typedef(struct reading *r, const char *name, unsigned depth, struct declarator *d)
{
    size_t from, to;
    struct word_list list = {.count = 0};
    uint32_t count = find_typedef(r, name, &from, &to);
    d->is_foreign |= count == 0 && strcmp(name, unknown_word.text) != 0;
    if (depth == DEPTH_MOST || count != 1 || to <= from ||
        !expand_all(r, &r->tokens[from], to - from, 0, &list)) {
        d->is_other = true;
        return;
    }
    for (size_t i = 0; i < list.count; i++) {
        const struct token *t = list.items[i];
        if (t->kind != TOKEN_NAME)
            d->is_other = true;
        else if (!is_type_qualifier(r, t->text))
            read_declared_type(r, t->text, depth + 1, d);
    }
}

static void read_declared_type(struct reading *r, const char *name, unsigned depth,
                               struct declarator *d)
{
    size_t from, to;
    d->has_type = true;
    if (is_builtin(r, name) && (joins(name) || find_typedef(r, name, &from, &to) == 0))
        text_addf(&d->words, "%s%s", d->words.length ? " " : "", name);
    else
        read_typedef(r, name, depth, d);
}

// A name in a parameter: a qualifier, a word of its type, or its own.
static bool read_declared_name(struct reading *r, const struct word_list *list, size_t *at,
                               struct declarator *d)
{
    static const char *const compound[] = {"struct", "union", "enum", "class", NULL};
    static const char *const const_words[] = {"const", "__const", "constant", "__constant", NULL};
    const char *word = list->items[*at]->text;
    enum declared_space space = str_listed(r->traits->global_words, word)  ? SPACE_GLOBAL
                                : str_listed(r->traits->local_words, word) ? SPACE_LOCAL
                                                                           : SPACE_UNKNOWN;
    d->is_const |= d->stars == 0 && str_listed(const_words, word);
    if (is_type_qualifier(r, word))
        return true;
    if (space != SPACE_UNKNOWN) {
        d->declared.space = d->stars == 0 ? space : d->declared.space;
        return true;
    }
    if (d->has_name)
        return false;
    if (!d->has_type && str_listed(compound, word)) {
        d->has_type = d->is_other = true;
        ++*at; // its tag
        return *at < list->count;
    }
    bool goes_on = d->has_type && d->stars == 0 && !d->is_other && joins(word);
    if (!d->has_type || goes_on)
        read_declared_type(r, word, 0, d);
    else {
        d->has_name = true;
        d->name = word;
    }
    return true;
}

// `[...]` behind the name: a pointer.
static bool read_array(const struct word_list *list, size_t *at, struct declarator *d)
{
    while (*at < list->count && !is_sign_token(list->items[*at], "]"))
        ++*at;
    d->stars++;
    return d->has_name && *at < list->count;
}

// False if the declaration is not understood.
static bool read_declarator(struct reading *r, const struct word_list *list, struct declarator *d)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct token *t = list->items[i];
        bool ok = t->kind == TOKEN_NAME   ? read_declared_name(r, list, &i, d)
                  : is_sign_token(t, "*") ? d->has_type && !d->has_name && ++d->stars
                  : is_sign_token(t, "[") ? read_array(list, &i, d)
                                          : false;
        if (!ok)
            return false;
    }
    d->is_lone = d->is_other && !d->has_name;
    return d->has_type;
}

static void take_type(const struct reading *r, struct declarator *d)
{
    struct declared *out = &d->declared;
    const char *words = text_cstr(&d->words);
    if (d->is_other && !d->stars && !r->traits->takes_structs)
        return; // an image or a sampler is neither a value nor a pointer
    out->kind = d->stars > 0 ? DECLARED_POINTER : DECLARED_VALUE;
    out->has_element =
        !d->is_other && d->stars < 2 && declared_parse(words, r->src->language, &out->element);
}

// As the source has it, blanks between words.
static const char *parameter_text(struct reading *r, const struct token *from,
                                  const struct token *to)
{
    struct text out = TEXT_INIT;
    for (const struct token *t = from; t < to; t++) {
        bool joined = t == from || is_sign_token(t - 1, "*") || is_sign_token(t - 1, "[") ||
                      is_sign_token(t, "[") || is_sign_token(t, "]");
        text_addf(&out, "%s%s", joined ? "" : " ", t->text);
    }
    const char *copy = text_to_arena(&out, r->arena);
    r->failed |= !copy;
    return copy;
}

// Takes attributes out of the list. True if there was one: it may change the type in any way.
static bool drop_attributes(struct word_list *list)
{
    static const char *const words[] = {"__attribute__", "__align__", "alignas", NULL};
    size_t kept = 0, i = 0;
    while (i < list->count) {
        bool is_attribute = list->items[i]->kind == TOKEN_NAME &&
                            str_listed(words, list->items[i]->text) && i + 1 < list->count &&
                            is_sign_token(list->items[i + 1], "(");
        int depth = 0;
        if (!is_attribute)
            list->items[kept++] = list->items[i++];
        else
            for (i++; i < list->count; i++) {
                depth += is_sign_token(list->items[i], "(") - is_sign_token(list->items[i], ")");
                if (depth == 0 && i++)
                    break;
            }
    }
    bool found = kept < list->count;
    list->count = kept;
    return found;
}

// False when not even the number of parameters is sure.
static bool read_declared_parameter(struct reading *r, const struct token *from,
                                    const struct token *to, struct signature_parameter *out)
{
    struct word_list list = {.count = 0};
    struct declarator d = {.words = TEXT_INIT};
    bool ok = expand_all(r, from, (size_t)(to - from), 0, &list);
    bool is_plain = !drop_attributes(&list);
    for (size_t i = 0; ok && i < list.count; i++)
        ok = !is_sign_token(list.items[i], ",") && !is_sign_token(list.items[i], "(");
    if (ok && read_declarator(r, &list, &d) && is_plain && !d.words.failed)
        take_type(r, &d);
    ok = ok && list.count > 0 && !d.is_lone && !(r->open && d.is_foreign);
    *out = (struct signature_parameter){.declared = d.declared,
                                        .text = parameter_text(r, from, to),
                                        .name = d.name,
                                        .is_const = d.is_const && d.stars < 2,
                                        .use = PARAMETER_READ | PARAMETER_WRITTEN};
    text_release(&d.words);
    return ok;
}

// ---- the kernel --------------------------------------------------------------------------------

static bool is_kernel_word(const struct reading *r, const struct token *t)
{
    return t->kind == TOKEN_NAME && str_listed(r->traits->kernel_words, t->text);
}

// The word itself, or a macro for it: `#define KERNEL extern "C" __global__`.
static bool says_kernel(const struct reading *r, const struct token *t)
{
    bool found = is_kernel_word(r, t);
    for (size_t i = 0; t->kind == TOKEN_NAME && !found && i < r->count; i++) {
        const struct token *name = &r->tokens[i];
        if (!name->starts_directive || !str_equal(name->directive, "define") ||
            strcmp(name->text, t->text) != 0)
            continue;
        for (size_t n = body_length(r, i); n > 0 && !found; n--)
            found = is_kernel_word(r, name + n);
    }
    return found;
}

// Does a kernel's head end before this name: no template, and not a mere mention?
static bool is_kernel_head(const struct reading *r, size_t name, bool *is_template)
{
    bool found = false;
    *is_template = false;
    for (size_t i = name; i-- > 0;) {
        const struct token *t = &r->tokens[i];
        if (t->directive) // an attribute may depend on a condition
            continue;
        if (is_sign_token(t, ";") || is_sign_token(t, "}") || is_sign_token(t, "{"))
            break;
        found = found || says_kernel(r, t);
        *is_template |= is_word_token(t, "template");
    }
    return found;
}

// Is what the parameters end in a semicolon? A definition follows.
static bool is_prototype(const struct reading *r, const struct token *open)
{
    int depth = 0;
    for (const struct token *t = open; t < r->tokens + r->count; t++) {
        depth += is_sign_token(t, "(") - is_sign_token(t, ")");
        if (depth == 0)
            return is_sign_token(t + 1, ";");
    }
    return false;
}

// The name's place; SIZE_MAX unless there is exactly one definition, seen surely.
static size_t find_kernel(const struct reading *r, const char *kernel, bool *absent)
{
    size_t found = SIZE_MAX;
    bool is_template;
    *absent = false;
    if (find_defines(r, kernel).count > 0)
        return SIZE_MAX;
    for (size_t i = 0; i + 1 < r->count; i++) {
        const struct token *t = &r->tokens[i];
        if (!is_word_token(t, kernel) || t->directive || !is_sign_token(t + 1, "(") ||
            !is_kernel_head(r, i, &is_template) || is_prototype(r, t + 1))
            continue;
        if (is_template || found != SIZE_MAX || !piece_of(r, t)->sure)
            return SIZE_MAX;
        found = i;
    }
    *absent = found == SIZE_MAX;
    return found;
}

// The closing parenthesis of a list that is surely seen and has nothing unusual in it, else NULL.
static const struct token *find_end(const struct reading *r, const struct token *open)
{
    static const char *const strange[] = {"<", "=", "&", "&&", ".", "{", ";", ":", "##", NULL};
    int depth = 0;
    for (const struct token *t = open; t < r->tokens + r->count; t++) {
        depth += is_sign_token(t, "(") - is_sign_token(t, ")");
        bool unusual = t->kind == TOKEN_SIGN && str_listed(strange, t->text);
        if (t->directive || unusual || !piece_of(r, t)->sure)
            return NULL;
        if (depth == 0)
            return t;
    }
    return NULL;
}

// (void) is an empty list too.
static bool is_empty_list(const struct token *open, const struct token *end)
{
    return end == open + 1 || (end == open + 2 && is_word_token(open + 1, "void"));
}

static bool read_parameter_list(struct reading *r, const struct token *open,
                                const struct token *end, struct signature *out)
{
    const struct token *from = open + 1;
    out->parameters = arena_array(r->arena, (size_t)(end - open) + 1, sizeof *out->parameters);
    if (!out->parameters) {
        r->failed = true;
        return false;
    }
    int depth = 0;
    for (const struct token *t = from; t <= end && !is_empty_list(open, end); t++) {
        depth += is_sign_token(t, "(") - is_sign_token(t, ")");
        if (t != end && (depth > 0 || !is_sign_token(t, ",")))
            continue;
        if (!read_declared_parameter(r, from, t, &out->parameters[out->count++]))
            return false;
        from = t + 1;
    }
    return true;
}

// ---- what the kernel does with its pointers -----------------------------------------------------

// The closing bracket of the pair that opens here; the last token if there is none.
static const struct token *find_closing(const struct reading *r, const struct token *open)
{
    static const char *const opens[] = {"(", "[", "{", NULL}, *const closes[] = {")", "]", "}",
                                                                                 NULL};
    const struct token *last = r->tokens + r->count;
    int depth = 0;
    for (const struct token *t = open; t < last; t++) {
        bool is_code = t->kind == TOKEN_SIGN && !t->directive;
        depth += is_code && str_listed(opens, t->text);
        depth -= is_code && str_listed(closes, t->text);
        if (depth <= 0)
            return t;
    }
    return last;
}

// Is it in sizeof(...), which reads nothing?
static bool is_measured(const struct reading *r, const struct token *name)
{
    return name >= r->tokens + 2 && is_sign_token(name - 1, "(") &&
           is_word_token(name - 2, "sizeof");
}

// Beside enum parameter_use: a use other than reading or assigning an element may do both.
#define PARAMETER_UNSURE 4u

// The use that an expression with the pointer's name makes of its memory.
static unsigned use_at(const struct reading *r, const struct token *name)
{
    static const char *const changes[] = {"+=", "-=", "*=", "/=", "++", "--", NULL};
    static const char *const joined[] = {"|", "&", "^", "%", "<", ">", NULL};
    const unsigned both = PARAMETER_READ | PARAMETER_WRITTEN, unsure = both | PARAMETER_UNSURE;
    const struct token *before = name > r->tokens ? name - 1 : name;
    if (is_sign_token(before, ".") || is_sign_token(before, "->"))
        return 0; // a member of that name
    if (!is_sign_token(name + 1, "[") || is_sign_token(before, "&") ||
        is_sign_token(before, "++") || is_sign_token(before, "--") || is_measured(r, name))
        return unsure;
    const struct token *t = find_closing(r, name + 1);
    if (t >= r->tokens + r->count)
        return unsure;
    t++;
    if (is_sign_token(t, "[") || is_sign_token(t, "."))
        return unsure; // of what lies there
    if (is_sign_token(t, "="))
        return PARAMETER_WRITTEN;
    bool is_changed = t->kind == TOKEN_SIGN && str_listed(changes, t->text);
    bool is_joined =
        t->kind == TOKEN_SIGN && str_listed(joined, t->text) &&
        (is_sign_token(t + 1, "=") || is_sign_token(t + 1, ">=") || is_sign_token(t + 1, "<="));
    return is_changed || is_joined ? both : PARAMETER_READ;
}

// Does the text of a macro mention the name, other than as the macro's own parameter?
static bool is_in_macro(const struct reading *r, const char *name)
{
    bool is_own = false;
    for (size_t i = 0; i < r->count; i++) {
        const struct token *t = &r->tokens[i];
        if (!str_equal(t->directive, "define"))
            continue;
        if (t->starts_directive)
            is_own = false;
        if (t->starts_directive && is_sign_token(t + 1, "(") && t[1].is_glued) {
            for (const struct token *p = t + 2; p->kind != TOKEN_END && !is_sign_token(p, ")"); p++)
                is_own |= is_word_token(p, name);
        }
        if (!t->starts_directive && !is_own && is_word_token(t, name))
            return true;
    }
    return false;
}

// `name[...] = ... name[...] ...;` reads before it writes.
static bool reads_to_assign(const struct reading *r, const struct token *name)
{
    const struct token *last = r->tokens + r->count, *t = find_closing(r, name + 1) + 2;
    for (; t < last && !is_sign_token(t, ";"); t++) {
        if (!t->directive && is_word_token(t, name->text))
            return use_at(r, t) == PARAMETER_READ;
    }
    return false;
}

static void note_use(const struct reading *r, const struct token *t, struct signature_parameter *p,
                     unsigned *all)
{
    unsigned use = use_at(r, t);
    bool is_sure = !(use & PARAMETER_UNSURE) && piece_of(r, t)->sure, is_first = *all == 0;
    *all |= use;
    p->is_open = p->is_open || !piece_of(r, t)->sure;
    if (!is_sure)
        return;
    p->writes = p->writes || (use & PARAMETER_WRITTEN);
    if (is_first)
        p->reads_first = use == PARAMETER_WRITTEN ? reads_to_assign(r, t) : use != 0;
}

static void find_uses(const struct reading *r, const struct token *end, struct signature *out)
{
    const struct token *last = r->tokens + r->count, *from = end;
    while (from < last && !is_sign_token(from, "{"))
        from++;
    const struct token *to = find_closing(r, from);
    for (uint32_t i = 0; i < out->count; i++) {
        struct signature_parameter *p = &out->parameters[i];
        unsigned use = 0;
        if (p->declared.kind != DECLARED_POINTER || !p->name || is_in_macro(r, p->name))
            continue;
        for (const struct token *t = from; t < to; t++) {
            if (!t->directive && is_word_token(t, p->name))
                note_use(r, t, p, &use);
        }
        if (use)
            p->use = use & ~PARAMETER_UNSURE;
    }
}

static void read_signature_of(struct reading *r, const char *kernel, struct signature *out)
{
    size_t name = find_kernel(r, kernel, &out->absent);
    const struct token *end = name == SIZE_MAX ? NULL : find_end(r, &r->tokens[name + 1]);
    if (!end || !read_parameter_list(r, &r->tokens[name + 1], end, out))
        return;
    find_uses(r, end, out);
    const struct piece *p = piece_of(r, &r->tokens[name]);
    out->known = true;
    out->file = r->program->list[p->file].name;
    out->line = p->line + r->tokens[name].line - p->first;
}

static struct reading reading_of(const struct spec_sources *src, const struct program_sources *p,
                                 const struct follow_macro *macros, struct arena *a)
{
    return (struct reading){.src = src,
                            .traits = language_traits(src->language),
                            .program = p,
                            .macros = macros,
                            .arena = a,
                            .text = TEXT_INIT};
}

bool signature_read(const struct spec_sources *src, const struct program_sources *p,
                    const struct follow_macro *macros, const char *kernel, struct arena *a,
                    struct signature *out)
{
    struct reading r = reading_of(src, p, macros, a);
    *out = (struct signature){.known = false};
    if (read_tokens(&r))
        read_signature_of(&r, kernel, out);
    text_release(&r.text);
    return !r.failed;
}

// ---- all kernels -------------------------------------------------------------------------------

// A definition that a launch may name: not one of a template, or for its own file alone.
static bool is_launchable(const struct reading *r, size_t i)
{
    static const char *const inner[] = {"static", "inline", "__device__", NULL};
    const struct token *t = &r->tokens[i];
    bool is_template, is_inner = false;
    if (t->kind != TOKEN_NAME || t->directive || !is_sign_token(t + 1, "(") ||
        !is_kernel_head(r, i, &is_template) || is_template)
        return false;
    int depth = 0; // within an attribute's parentheses
    for (size_t at = i; at-- > 0;) {
        const struct token *head = &r->tokens[at];
        if (is_sign_token(head, ";") || is_sign_token(head, "}") || is_sign_token(head, "{"))
            break;
        depth += is_sign_token(head, "(") - is_sign_token(head, ")");
        is_inner |= head->kind == TOKEN_NAME && str_listed(inner, head->text);
    }
    const struct token *behind = find_closing(r, t + 1);
    bool is_defined = behind < r->tokens + r->count && is_sign_token(behind + 1, "{");
    return depth == 0 && is_defined && !is_inner;
}

static void list_kernels(struct reading *r, const char **names, uint32_t *count)
{
    for (size_t i = 0; i + 1 < r->count; i++) {
        bool is_new = is_launchable(r, i);
        for (uint32_t k = 0; is_new && k < *count; k++)
            is_new = strcmp(names[k], r->tokens[i].text) != 0;
        if (is_new)
            names[(*count)++] = r->tokens[i].text;
    }
}

bool signature_kernels(const struct spec_sources *src, const struct program_sources *p,
                       const struct follow_macro *macros, struct arena *a,
                       const char *const **names, uint32_t *count)
{
    struct reading r = reading_of(src, p, macros, a);
    const char **list = NULL;
    *count = 0;
    if (read_tokens(&r)) {
        list = arena_array(a, r.count + 1, sizeof *list);
        r.failed |= !list;
        if (list)
            list_kernels(&r, list, count);
    }
    *names = list;
    text_release(&r.text);
    return !r.failed;
}

// The last name in front of a comma or the list's end.
static void note_parameter_names(const struct reading *r, const struct token *open, bool *named)
{
    const struct token *end = find_closing(r, open), *name = NULL;
    for (const struct token *t = open + 1; t <= end && end < r->tokens + r->count; t++) {
        if (t == end || is_sign_token(t, ",")) {
            uint32_t index =
                name ? scan_name_index(&r->src->names, name->text, strlen(name->text)) : UINT32_MAX;
            // A single name is a type.
            if (index < r->src->first_extra && name > open + 1 && !is_sign_token(name - 1, ","))
                named[index] = true;
            name = NULL;
        } else if (is_sign_token(t, "[")) {
            t = find_closing(r, t);
        } else {
            name = t->kind == TOKEN_NAME && !t->directive ? t : NULL;
        }
    }
}

// template <int N, typename T>: as -D, N would break this line.
static void note_template_names(const struct reading *r, const struct token *open, bool *named)
{
    const struct token *name = NULL, *last = r->tokens + r->count;
    for (const struct token *t = open + 1; t < last; t++) {
        bool is_end = is_sign_token(t, ">") || is_sign_token(t, ";") || is_sign_token(t, "{");
        if (!is_end && !is_sign_token(t, ",") && !is_sign_token(t, "=")) {
            name = t->kind == TOKEN_NAME && !t->directive ? t : NULL;
            continue;
        }
        uint32_t index =
            name ? scan_name_index(&r->src->names, name->text, strlen(name->text)) : UINT32_MAX;
        if (index < r->src->first_extra)
            named[index] = true;
        if (is_end)
            return;
        name = NULL;
        while (is_sign_token(t, "=") && t + 1 < last && !is_sign_token(t + 1, ",") &&
               !is_sign_token(t + 1, ">"))
            t++; // its default: one word, as a rule
    }
}

bool signature_note_names(const struct spec_sources *src, const struct program_sources *p,
                          const char *kernel, struct arena *a, bool *named)
{
    struct follow_macro *macros = arena_array(a, src->names.count + 1, sizeof *macros);
    if (!macros)
        return false;
    for (uint32_t i = 0; i < src->names.count; i++)
        macros[i].given = true; // with a value that is not known
    struct reading r = reading_of(src, p, macros, a);
    bool is_template;
    if (read_tokens(&r)) {
        for (size_t i = 0; i + 1 < r.count; i++) {
            const struct token *t = &r.tokens[i];
            if (is_word_token(t, kernel) && !t->directive && is_sign_token(t + 1, "(") &&
                is_kernel_head(&r, i, &is_template))
                note_parameter_names(&r, t + 1, named);
            if (is_word_token(t, "template") && !t->directive && is_sign_token(t + 1, "<"))
                note_template_names(&r, t + 1, named);
        }
    }
    text_release(&r.text);
    return !r.failed;
}
