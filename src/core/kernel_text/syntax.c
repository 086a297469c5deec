// A recursive-descent reader of C, OpenCL C and the part of C++ that kernels are written in. What
// it does not understand ends the function in which it stands, never the file: the others are read.
#include "kernel_text/syntax.h"

#include "base/text.h"
#include "model/declared.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MOST  200 // of expressions and statements within each other
#define SCOPES_MOST 32
#define LINKS_MOST                                                                                 \
    2000 // operators one above the other in a tree: the functions that walk it are recursive

struct scope_name {
    const char *name;
    uint32_t slot;
};

struct type_name {
    const char *name;
    struct type type;
};

struct parser {
    const struct token *at, *end;
    const struct given_names *given; // (or NULL)
    struct arena *arena;
    enum language language;
    const struct language_traits *traits;
    struct syntax *out;
    struct type_name *types;
    size_t type_count, type_room;
    struct scope_name *names;
    size_t name_count, name_room, function_room, shared_room, record_room, open_room, demand_room;
    uint32_t slots, depth;
    // In LINKS_MOST, of the highest expression that was read within the one that is read.
    uint32_t height;
    bool trouble;              // the function is given up
    bool failed;               // no memory
    struct function *function; // whose head or body is read
    struct template_parameter *templates;
    uint32_t template_count;
    bool is_special; // template <>: what follows is a template for some arguments
    const char
        *scopes[SCOPES_MOST]; // "outer::inner::" of each brace that is open outside functions
    uint32_t scope_count;
    struct node *spare; // stands for any node once there is no memory
};

// ---- words -------------------------------------------------------------------------------------

static bool at_sign(const struct parser *p, const char *text)
{
    return p->at->kind == TOKEN_SIGN && strcmp(p->at->text, text) == 0;
}

static bool next_is_sign(const struct parser *p, size_t ahead, const char *text)
{
    const struct token *t = p->at + ahead;
    return t < p->end && t->kind == TOKEN_SIGN && strcmp(t->text, text) == 0;
}

static bool at_word(const struct parser *p, const char *text)
{
    return p->at->kind == TOKEN_NAME && strcmp(p->at->text, text) == 0;
}

static bool accept_sign(struct parser *p, const char *text)
{
    if (!at_sign(p, text))
        return false;
    p->at++;
    return true;
}

static bool accept_word(struct parser *p, const char *text)
{
    if (!at_word(p, text))
        return false;
    p->at++;
    return true;
}

static void give_up(struct parser *p)
{
    if (!p->trouble && p->function)
        p->function->trouble = p->at->line;
    p->trouble = true;
}

static void want_sign(struct parser *p, const char *text)
{
    if (!accept_sign(p, text))
        give_up(p);
}

static uint32_t sign_of(const char *text)
{
    return SIGN((unsigned char)text[0], text[0] ? (unsigned char)text[1] : 0,
                text[0] && text[1] ? (unsigned char)text[2] : 0);
}

// Behind the bracket that closes the one at p->at.
static void skip_brackets(struct parser *p)
{
    int depth = 0;
    while (p->at < p->end) {
        const char *text = p->at->kind == TOKEN_SIGN ? p->at->text : "";
        depth += *text && !text[1] && strchr("([{", *text) ? 1 : 0;
        depth -= *text && !text[1] && strchr(")]}", *text) ? 1 : 0;
        p->at++;
        if (depth <= 0)
            return;
    }
}

static struct node *node_new(struct parser *p, enum node_kind kind)
{
    struct node *n = arena_alloc(p->arena, sizeof *n);
    if (!n) {
        p->failed = p->trouble = true;
        n = p->spare;
    }
    n->kind = kind;
    n->line = p->at->line;
    n->slot = SLOT_NONE;
    return n;
}

static struct node *number_node(struct parser *p, int64_t value)
{
    struct node *n = node_new(p, NODE_NUMBER);
    n->integer = value;
    return n;
}

static void append_node(struct parser *p, struct node *list, size_t *room, struct node *item)
{
    if (ARENA_ROOM(p->arena, list->list, *room, list->count + (size_t)1))
        list->list[list->count++] = item;
    else
        p->failed = p->trouble = true;
}

// ---- names -------------------------------------------------------------------------------------

static uint32_t find_slot(const struct parser *p, const char *name)
{
    for (size_t i = p->name_count; i-- > 0;) {
        if (strcmp(p->names[i].name, name) == 0)
            return p->names[i].slot;
    }
    for (uint32_t i = p->out->shared_count; i-- > 0;) {
        if (strcmp(p->out->shared[i].name, name) == 0)
            return SLOT_SHARED | i;
    }
    return SLOT_NONE;
}

static uint32_t declare_name(struct parser *p, const char *name)
{
    if (!ARENA_ROOM(p->arena, p->names, p->name_room, p->name_count + 1)) {
        p->failed = p->trouble = true;
        return 0;
    }
    p->names[p->name_count++] = (struct scope_name){name, p->slots};
    return p->slots++;
}

static const struct type *find_type(const struct parser *p, const char *name)
{
    for (size_t i = p->type_count; i-- > 0;) {
        if (strcmp(p->types[i].name, name) == 0)
            return &p->types[i].type;
    }
    return NULL;
}

static bool is_same_type(const struct type *a, const struct type *b)
{
    return a->base == b->base && a->component == b->component && a->lanes == b->lanes &&
           a->stars == b->stars && str_equal(a->words, b->words);
}

// A name that means one thing or another, as what is not known decides, is of no known type.
static void declare_type(struct parser *p, const char *name, const struct type *type)
{
    struct type *before = (struct type *)find_type(p, name);
    if (before && !p->at->is_sure && !is_same_type(before, type)) {
        before->base = TYPE_OPAQUE;
        before->words = name;
        return;
    }
    if (!ARENA_ROOM(p->arena, p->types, p->type_room, p->type_count + 1)) {
        p->failed = true;
        return;
    }
    p->types[p->type_count++] = (struct type_name){name, *type};
}

static void note_open_type(struct parser *p, const char *name)
{
    for (uint32_t i = 0; i < p->out->open_type_count; i++) {
        if (strcmp(p->out->open_types[i], name) == 0)
            return;
    }
    if (!ARENA_ROOM(p->arena, p->out->open_types, p->open_room,
                    p->out->open_type_count + (size_t)1)) {
        p->failed = true;
        return;
    }
    p->out->open_types[p->out->open_type_count++] = name;
}

// ---- types -------------------------------------------------------------------------------------

static bool joins_type(const char *word)
{
    static const char *const list[] = {"signed", "unsigned", "char", "short", "int", "long", NULL};
    return str_listed(list, word);
}

static bool is_plain_word(const struct parser *p, const char *word)
{
    static const char *const list[] = {
        "volatile", "restrict",     "__restrict", "__restrict__",    "register",    "static",
        "inline",   "__inline__",   "__inline",   "__forceinline__", "__device__",  "__host__",
        "private",  "__noinline__", "typename",   "constexpr",       "__generic",   "__volatile__",
        "generic",  "read_only",    "write_only", "__read_only",     "__write_only"};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        // A name of the source's own may be one of these words in another language.
        if (strcmp(list[i], word) == 0)
            return find_slot(p, word) == SLOT_NONE &&
                   ((p->at + 1)->kind == TOKEN_NAME || (i == 0 && next_is_sign(p, 1, "*")));
    }
    return str_listed(p->traits->qualifiers, word);
}

// The space that a word puts a variable into.
static bool space_word(const struct parser *p, const char *word, enum type_space *space)
{
    bool is_fixed = strcmp(word, "__constant__") == 0;
    bool is_shared = strcmp(word, "__shared__") == 0 || str_listed(p->traits->local_words, word);
    bool is_device = str_listed(p->traits->global_words, word);
    if (is_fixed || (is_device && strstr(word, "constant")))
        *space = SPACE_FIXED;
    else if (is_shared)
        *space = SPACE_SHARED;
    else if (is_device)
        *space = SPACE_DEVICE;
    return is_fixed || is_shared || is_device;
}

static bool builtin_type(const struct parser *p, const char *words, struct type *t)
{
    static const struct {
        const char *name;
        enum type_base base;
        uint32_t bytes;
        bool is_unsigned;
    } others[] = {{"void", TYPE_VOID, 1, false},
                  {"size_t", TYPE_INTEGER, 8, true},
                  {"ptrdiff_t", TYPE_INTEGER, 8, false},
                  {"int8_t", TYPE_INTEGER, 1, false},
                  {"uint8_t", TYPE_INTEGER, 1, true},
                  {"int16_t", TYPE_INTEGER, 2, false},
                  {"uint16_t", TYPE_INTEGER, 2, true},
                  {"int32_t", TYPE_INTEGER, 4, false},
                  {"uint32_t", TYPE_INTEGER, 4, true},
                  {"int64_t", TYPE_INTEGER, 8, false},
                  {"uint64_t", TYPE_INTEGER, 8, true},
                  {"bool", TYPE_INTEGER, 1, true},
                  {"auto", TYPE_OPAQUE, 4, false},
                  {"event_t", TYPE_OPAQUE, 8, false},
                  {"image2d_t", TYPE_OPAQUE, 8, false},
                  {"image3d_t", TYPE_OPAQUE, 8, false},
                  {"sampler_t", TYPE_OPAQUE, 8, false},
                  {"cudaTextureObject_t", TYPE_OPAQUE, 8, false},
                  {"cudaSurfaceObject_t", TYPE_OPAQUE, 8, false},
                  {"clock_t", TYPE_INTEGER, 8, false},
                  // cuRAND's usual generator, of a header of CUDA's.
                  {"curandState", TYPE_RECORD, 48, false},
                  {"curandState_t", TYPE_RECORD, 48, false},
                  {"curandStateXORWOW_t", TYPE_RECORD, 48, false}};
    struct element el;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (strcmp(others[i].name, words) != 0)
            continue;
        t->base = others[i].base;
        t->component = others[i].bytes;
        t->is_unsigned = others[i].is_unsigned;
        t->lanes = 1;
        return true;
    }
    if (!declared_parse(words, p->language, &el) || el.scalar == SCALAR_CUSTOM)
        return false;
    t->base = scalar_is_float(el.scalar) ? TYPE_FLOAT : TYPE_INTEGER;
    t->is_unsigned = t->base == TYPE_INTEGER && !scalar_is_signed(el.scalar);
    t->component = scalar_bytes(el.scalar);
    t->lanes = el.width == 3 && !el.packed ? 4 : el.width;
    return true;
}

static bool is_type_word(const struct parser *p, const char *word)
{
    static const char *const compound[] = {"struct", "union", "enum", "const", "extern", NULL};
    struct type t;
    enum type_space space;
    return joins_type(word) || find_type(p, word) || builtin_type(p, word, &t) ||
           str_listed(compound, word) || space_word(p, word, &space) || is_plain_word(p, word);
}

// ns::tile<32, float> name
static bool at_template_type(const struct parser *p)
{
    const struct token *t = p->at;
    int depth = 0;
    while (t + 2 < p->end && strcmp(t[1].text, "::") == 0)
        t += 2;
    if (t->kind != TOKEN_NAME || strcmp(t[1].text, "<") != 0)
        return false;
    for (t++; t < p->end && t < p->at + 40; t++) {
        depth += strcmp(t->text, "<") == 0;
        depth -= strcmp(t->text, ">") == 0 ? 1 : strcmp(t->text, ">>") == 0 ? 2 : 0;
        if (depth <= 0)
            return t[1].kind == TOKEN_NAME && strchr("=;({,[", t[2].text[0]) && !t[2].text[1];
        if (t->kind == TOKEN_SIGN && !strchr("<>,*:", t->text[0]))
            return false;
    }
    return false;
}

// Does a declaration begin here? A name that nothing declares is a type where another follows.
static bool at_type(const struct parser *p)
{
    if (p->at->kind != TOKEN_NAME)
        return false;
    const char *word = p->at->text;
    if (find_slot(p, word) != SLOT_NONE)
        return false;
    if (is_type_word(p, word))
        return !next_is_sign(p, 1, "(") || strcmp(word, "const") == 0;
    if (strcmp(word, "return") == 0 || strcmp(word, "else") == 0 || strcmp(word, "case") == 0 ||
        strcmp(word, "goto") == 0 || strcmp(word, "typedef") == 0)
        return false;
    const struct token *next = p->at + 1, *third = p->at + 2, *fourth = p->at + 3;
    if (at_template_type(p))
        return true;
    if (next_is_sign(p, 1, "::"))
        return p->at + 3 < p->end && third->kind == TOKEN_NAME && fourth->kind == TOKEN_NAME;
    if (next->kind == TOKEN_NAME)
        return true;
    return next_is_sign(p, 1, "*") && third->kind == TOKEN_NAME && fourth->kind == TOKEN_SIGN &&
           strchr("=;", fourth->text[0]) && fourth->text[1] == 0;
}

static struct node *read_expression(struct parser *p);
static struct node *read_assignment(struct parser *p);
static void read_specifiers(struct parser *p, struct type *t);
static const char *read_declarator(struct parser *p, struct type *t);

// The attribute that says a kernel's work-group: its numbers.
static void read_attribute_sizes(struct parser *p)
{
    p->at++;
    want_sign(p, "(");
    for (uint32_t axis = 0; axis < 3 && !p->trouble; axis++) {
        struct node *n = read_assignment(p);
        if (p->function)
            p->function->required[axis] = n;
        if (axis < 2)
            want_sign(p, ",");
    }
}

// `__attribute__((...))`, `__launch_bounds__(...)`, `[[...]]` and similar; false if there is none.
static bool read_attribute(struct parser *p)
{
    if (at_sign(p, "[") && next_is_sign(p, 1, "[")) {
        skip_brackets(p);
        return true;
    }
    static const char *const words[] = {"__attribute__", "__align__",         "alignas",
                                        "__declspec",    "__launch_bounds__", NULL};
    if (p->at->kind != TOKEN_NAME || !str_listed(words, p->at->text) || !next_is_sign(p, 1, "("))
        return false;
    bool is_bound = at_word(p, "__launch_bounds__");
    p->at++;
    struct parser inside = *p;
    skip_brackets(p);
    if (is_bound && p->function) {
        inside.at++;
        p->function->bound = read_assignment(&inside);
    }
    for (; inside.at < p->at && !is_bound; inside.at++) {
        if (!at_word(&inside, "reqd_work_group_size"))
            continue;
        read_attribute_sizes(&inside);
        break;
    }
    bool trouble = inside.trouble;
    const struct token *at = p->at;
    *p = inside; // what it allocated
    p->at = at;
    p->trouble |= trouble;
    return true;
}

// A member function, a constructor or `public:`, which take no room; false: a member with a type.
static bool skip_method(struct parser *p)
{
    const struct token *t = p->at;
    if (t->kind == TOKEN_NAME && next_is_sign(p, 1, ":")) {
        p->at += 2;
        return true;
    }
    while (read_attribute(p))
        ;
    for (t = p->at; t < p->end && t->kind != TOKEN_END; t++) {
        if ((t->kind == TOKEN_SIGN && strchr("=;{}[", t->text[0])) ||
            strcmp(t->text, "__attribute__") == 0)
            return false;
        if (t->kind == TOKEN_SIGN && t->text[0] == '(')
            break;
    }
    if (t >= p->end)
        return false;
    while (p->at < p->end && !at_sign(p, ";") && !at_sign(p, "}")) {
        bool is_body = at_sign(p, "{");
        if (is_body || at_sign(p, "("))
            skip_brackets(p);
        else
            p->at++;
        if (is_body)
            break;
    }
    accept_sign(p, ";");
    return true;
}

static uint32_t align_member(uint32_t bytes, uint32_t to)
{
    return to ? (bytes + to - 1) / to * to : bytes;
}

// Where a member lies: behind the others at a multiple of its alignment, or, in a union, at the start.
static void lay_out(const struct parser *p, struct record *r, const struct type *t, uint64_t bytes)
{
    uint32_t own = t->stars                        ? 8
                   : t->alignment                  ? t->alignment
                   : t->lanes > 1 && t->lanes != 3 ? t->component * t->lanes
                                                   : t->component;
    if (p->traits->packs_three && own > 16)
        own = 16; // CUDA's vectors are aligned to 16 bytes at most
    own = own ? own : 1;
    r->alignment = r->alignment > own ? r->alignment : own;
    if (bytes >= UINT16_MAX)
        return;
    if (r->is_union)
        r->bytes = r->bytes > bytes ? r->bytes : (uint32_t)bytes;
    else
        r->bytes = align_member(r->bytes, own) + (uint32_t)bytes;
}

// struct NAME {...}: how many bytes it has, when all its members are known.
static const struct record *find_record(const struct parser *p, const char *name)
{
    const struct record *found = NULL;
    for (uint32_t i = 0; name && i < p->out->record_count; i++)
        if (p->out->records[i].name && strcmp(p->out->records[i].name, name) == 0)
            found = &p->out->records[i];
    return found;
}

// Appends "int rows; "; false where it has no value that can be written down. One type that nothing defines may be int,
// as -D is to say.
static bool write_member(const struct parser *p, const struct type *t, const char *name,
                         const struct record *inner, struct record *r, struct text *out)
{
    const struct record *known = t->base == TYPE_RECORD ? find_record(p, t->words) : NULL;
    inner = inner ? inner : known;
    const bool is_open = t->base == TYPE_OPEN && t->words && !strchr(t->words, '<') &&
                         (!r->open_type || str_equal(r->open_type, t->words));
    bool is_number =
        ((t->base == TYPE_INTEGER || t->base == TYPE_FLOAT) && t->words) || (is_open && !inner);
    if (t->stars || !name || !*name || t->dimension_count > 1 ||
        !(is_number || (inner && inner->text)) ||
        (t->dimension_count && (!t->dimensions[0] || t->dimensions[0]->kind != NODE_NUMBER)))
        return false;
    if (is_open && !inner)
        r->open_type = t->words;
    text_addf(out, "%s %s", is_open && !inner ? "int" : is_number ? t->words : inner->text, name);
    if (t->dimension_count)
        text_addf(out, "[%lld]", (long long)t->dimensions[0]->integer);
    text_add(out, "; ");
    return true;
}

// Is it a number, or made of numbers and of names that are given one?
static bool fold_length(const struct parser *p, const struct node *n, int64_t *out)
{
    int64_t a = 0, b = 0;
    *out = n ? n->integer : 0;
    if (!n || n->kind == NODE_NUMBER)
        return n != NULL;
    for (size_t i = 0; n->kind == NODE_NAME && p->given && i < p->given->count; i++) {
        *out = p->given->list[i].value;
        if (strcmp(p->given->list[i].name, n->name) == 0)
            return true;
    }
    const bool is_type = n->kind == NODE_SIZEOF && n->type && !n->type->stars;
    *out = is_type ? (int64_t)n->type->component * n->type->lanes : 0;
    if (n->kind != NODE_BINARY || !fold_length(p, n->a, &a) || !fold_length(p, n->b, &b))
        return is_type && *out > 0;
    const bool is_small = a >= 0 && b >= 0 && a < 1 << 30 && b < 1 << 30;
    *out = n->sign == SIGN('+', 0, 0)               ? a + b
           : n->sign == SIGN('-', 0, 0)             ? a - b
           : n->sign == SIGN('*', 0, 0)             ? a * b
           : n->sign == SIGN('/', 0, 0) && b        ? a / b
           : n->sign == SIGN('<', '<', 0) && b < 30 ? a << b
           : n->sign == SIGN('>', '>', 0) && b < 30 ? a >> b
                                                    : -1;
    return is_small && *out >= 0;
}

static void fold_lengths(struct parser *p, struct type *t)
{
    int64_t length;
    for (uint32_t i = 0; i < t->dimension_count; i++) {
        if (fold_length(p, t->dimensions[i], &length))
            t->dimensions[i] = number_node(p, length);
    }
}

// The size of a record whose members may have been read since its name was.
static void size_record(const struct parser *p, const char *name, struct type *t)
{
    const struct record *known = find_record(p, name);
    if (!known)
        return;
    t->alignment = known->alignment;
    t->component = known->is_plain ? known->component_bytes : known->bytes;
    t->lanes = t->component ? known->bytes / t->component : 1;
}

static void read_record(struct parser *p, struct type *t, bool is_union)
{
    struct text members = TEXT_INIT;
    bool is_written = !is_union;
    struct record r = {.is_plain = !is_union, .is_union = is_union};
    if (p->at->kind == TOKEN_NAME && !at_sign(p, "{"))
        r.name = (p->at++)->text;
    while (read_attribute(p))
        ;
    t->base = TYPE_RECORD;
    t->words = r.name ? r.name : "struct";
    t->component = 4;
    t->lanes = 1;
    if (!at_sign(p, "{")) {
        size_record(p, r.name, t);
        return;
    }
    p->at++;
    text_add(&members, "struct {");
    while (p->at < p->end && !at_sign(p, "}") && !p->trouble) {
        struct type member = {.base = TYPE_VOID};
        const uint32_t before = p->out->record_count;
        if (skip_method(p))
            continue;
        read_specifiers(p, &member);
        const struct record *inner =
            p->out->record_count > before ? &p->out->records[p->out->record_count - 1] : NULL;
        do {
            struct type one = member;
            uint64_t bytes = 1;
            const char *name = read_declarator(p, &one);
            fold_lengths(p, &one);
            is_written = is_written && write_member(p, &one, name, inner, &r, &members) &&
                         !at_sign(p, ":"); // bits
            for (uint32_t i = 0; i < one.dimension_count; i++) {
                const struct node *d = one.dimensions[i];
                r.is_plain &= d && d->kind == NODE_NUMBER;
                bytes *= d && d->kind == NODE_NUMBER ? (uint64_t)d->integer : 1;
            }
            bytes *= one.stars ? 8 : (uint64_t)one.component * one.lanes;
            r.is_plain &= !one.stars && (one.base == TYPE_FLOAT || one.base == TYPE_INTEGER) &&
                          (!r.component || r.component_bytes == one.component);
            if (!r.component)
                r.component = one.words;
            r.component_bytes = one.component;
            lay_out(p, &r, &one, bytes);
        } while (accept_sign(p, ","));
        want_sign(p, ";");
    }
    want_sign(p, "}");
    if (is_written && members.length > strlen("struct {") && !members.failed) {
        members.data[members.length - 1] = '}';
        r.text = arena_strdup(p->arena, text_cstr(&members));
        p->failed = p->failed || !r.text;
    }
    text_release(&members);
    r.bytes = align_member(r.bytes, r.alignment);
    t->alignment = r.alignment;
    t->component = r.is_plain && r.component_bytes ? r.component_bytes : r.bytes ? r.bytes : 4;
    t->lanes = r.bytes / t->component ? r.bytes / t->component : 1;
    if (!ARENA_ROOM(p->arena, p->out->records, p->record_room, p->out->record_count + (size_t)1)) {
        p->failed = true;
        return;
    }
    p->out->records[p->out->record_count++] = r;
    if (r.name)
        declare_type(p, r.name, t);
}

static void add_shared(struct parser *p, const char *name, const struct type *t,
                       struct node *initial);

// enum {A, B = 3}: its names are constants of the text's own.
static void read_enum(struct parser *p, struct type *t)
{
    const struct type integer = {
        .base = TYPE_INTEGER, .words = "int", .component = 4, .lanes = 1, .is_const = true};
    int64_t next = 0;
    accept_word(p, "class");
    if (p->at->kind == TOKEN_NAME)
        p->at++;
    if (accept_sign(p, ":")) {
        while (p->at->kind == TOKEN_NAME)
            p->at++;
    }
    *t = integer;
    t->is_const = false;
    if (!accept_sign(p, "{"))
        return;
    while (p->at < p->end && p->at->kind == TOKEN_NAME && !p->trouble) {
        const char *name = (p->at++)->text;
        const struct node *value = accept_sign(p, "=") ? read_assignment(p) : NULL;
        if (value && value->kind == NODE_NUMBER)
            next = value->integer;
        add_shared(p, name, &integer, number_node(p, next++));
        if (!accept_sign(p, ","))
            break;
    }
    want_sign(p, "}");
}

static void skip_template_arguments(struct parser *p);

static void take_type_word(struct parser *p, struct type *t)
{
    const char *word = (p->at++)->text;
    while (next_is_sign(p, 0, "::") && p->at + 1 < p->end) { // std::size_t
        word = p->at[1].text;
        p->at += 2;
    }
    const struct type *known = find_type(p, word);
    struct type found = {.base = TYPE_OPEN, .component = 4, .lanes = 1};
    bool is_builtin = !known && builtin_type(p, word, &found);
    if (known)
        found = *known;
    if (at_sign(p, "<") && !is_builtin) { // Pack<float, 4>: its layout hangs on the arguments
        skip_template_arguments(p);
        found.base = TYPE_OPEN;
        word = arena_printf(p->arena, "%s<>", word);
        known = NULL;
        p->failed |= !word;
    } else if (!known && !is_builtin) {
        note_open_type(p, word);
    }
    t->base = found.base;
    t->component = found.component;
    t->lanes = found.lanes;
    t->alignment = found.alignment;
    t->stars = found.stars;
    t->is_unsigned = found.is_unsigned;
    t->is_const |= found.is_const;
    t->words = known ? found.words : word;
    if (t->base == TYPE_RECORD && !t->stars)
        size_record(p, t->words, t);
    if (t->space == SPACE_OWN)
        t->space = found.space;
}

static const char *const inner_words[] = {"static",          "inline",     "__inline__", "__inline",
                                          "__forceinline__", "__device__", NULL};

// The function whose head is read, up to its name: words of its parameters and body say nothing of it.
static struct function *function_ahead(const struct parser *p)
{
    return p->function && !p->function->name ? p->function : NULL;
}

// A word that nothing explains in front of a type.
static bool is_export_word(const struct parser *p)
{
    struct type ignored = {.base = TYPE_VOID};
    const char *next = p->at + 1 < p->end && p->at[1].kind == TOKEN_NAME ? p->at[1].text : NULL;
    return next && !find_type(p, p->at->text) && !builtin_type(p, p->at->text, &ignored) &&
           find_slot(p, next) == SLOT_NONE &&
           (joins_type(next) || builtin_type(p, next, &ignored) || find_type(p, next));
}

// All that stands before the names that are declared.
static void read_specifiers(struct parser *p, struct type *t)
{
    struct text words = TEXT_INIT;
    bool has_type = false, is_const = false;
    while (p->at < p->end && !p->trouble) {
        const char *word = p->at->text;
        if (read_attribute(p))
            continue;
        if (p->at->kind != TOKEN_NAME)
            break;
        bool is_declared = find_slot(p, word) != SLOT_NONE;
        if (is_declared)
            break;
        if (strcmp(word, "const") == 0 || strcmp(word, "__const") == 0 ||
            strcmp(word, "constexpr") == 0) {
            is_const = true;
        } else if (strcmp(word, "extern") == 0) {
            t->is_extern = true;
            p->at += p->at[1].kind == TOKEN_TEXT;
        } else if (space_word(p, word, &t->space) || is_plain_word(p, word)) {
            if (function_ahead(p)) {
                p->function->is_inner |= str_listed(inner_words, word);
                p->function->is_device |= strcmp(word, "__device__") == 0;
            }
        } else if (!p->traits->is_plain_call && str_listed(p->traits->kernel_words, word)) {
            if (function_ahead(p))
                p->function->is_kernel = true;
        } else if (joins_type(word)) {
            text_addf(&words, "%s%s", words.length ? " " : "", word);
            has_type = true;
        } else if (!has_type && (strcmp(word, "struct") == 0 || strcmp(word, "union") == 0)) {
            p->at++;
            read_record(p, t, *word == 'u');
            has_type = true;
            continue;
        } else if (!has_type && strcmp(word, "enum") == 0) {
            p->at++;
            read_enum(p, t);
            has_type = true;
            continue;
        } else if (!has_type && is_export_word(p)) {
            // what a macro of the host leaves out: EXPORT void f()
        } else if (!has_type) {
            take_type_word(p, t);
            has_type = true;
            continue;
        } else {
            break;
        }
        p->at++;
    }
    p->failed |= words.failed;
    if (words.length && !words.failed) {
        const char *copy = arena_strdup(p->arena, text_cstr(&words));
        p->failed |= !copy;
        if (copy && !builtin_type(p, copy, t))
            *t = (struct type){.base = TYPE_INTEGER, .component = 4, .lanes = 1, .space = t->space};
        t->words = copy;
    }
    t->is_const |= is_const && !t->stars; // of a pointer's typedef it is the pointer
    if (!has_type)
        give_up(p);
    text_release(&words);
}

// Stars, the name ("" if there is none) and dimensions.
static const char *read_declarator(struct parser *p, struct type *t)
{
    const char *name = "";
    enum type_space space;
    while (p->at < p->end && !p->trouble) {
        if (accept_sign(p, "*"))
            t->stars++;
        else if (accept_sign(p, "&") || accept_sign(p, "&&"))
            t->is_reference = true;
        else if (read_attribute(p))
            continue;
        else if (at_word(p, "const") ||
                 (t->stars && p->at->kind == TOKEN_NAME &&
                  (is_plain_word(p, p->at->text) || strstr(p->at->text, "restrict") ||
                   space_word(p, p->at->text, &space))))
            p->at++;
        else
            break;
    }
    if (p->at->kind == TOKEN_NAME)
        name = (p->at++)->text;
    while (at_sign(p, "[") && !p->trouble) {
        do
            p->at++;
        while (at_word(p, "static") || at_word(p, "restrict") || at_word(p, "const"));
        struct node *size = at_sign(p, "]") ? NULL : read_expression(p);
        want_sign(p, "]");
        if (t->dimension_count < DIMENSIONS_MOST)
            t->dimensions[t->dimension_count++] = size;
        else
            give_up(p);
    }
    while (read_attribute(p))
        ;
    return name;
}

static const struct type *type_copy(struct parser *p, const struct type *t)
{
    static const struct type none;
    const struct type *copy = arena_copy(p->arena, t, sizeof *t);
    p->failed |= !copy;
    return copy ? copy : &none;
}

// (float4 *) and similar: without a name.
static const struct type *read_type_alone(struct parser *p)
{
    struct type t = {.base = TYPE_VOID};
    read_specifiers(p, &t);
    while (at_sign(p, "*") || at_sign(p, "&") || at_word(p, "const") ||
           (p->at->kind == TOKEN_NAME && strstr(p->at->text, "restrict"))) {
        t.stars += at_sign(p, "*");
        p->at++;
    }
    return type_copy(p, &t);
}

// ---- expressions -------------------------------------------------------------------------------

static struct node *read_unary(struct parser *p);

static struct node *read_number(struct parser *p)
{
    const char *text = p->at->text;
    bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    bool is_real = !is_hex && strpbrk(text, ".eEfFhH");
    struct node *n = node_new(p, is_real ? NODE_REAL : NODE_NUMBER);
    if (is_real)
        n->real = strtod(text, NULL);
    else
        n->integer = (int64_t)strtoull(text, NULL, 0);
    p->at++;
    return n;
}

// Reads the common part of get_global_id(0) and threadIdx.x; NULL: it is neither.
static struct node *read_item(struct parser *p)
{
    static const struct {
        const char *word;
        enum item_word item;
        bool is_call;
    } words[] = {{"get_global_id", ITEM_GLOBAL, true},
                 {"get_local_id", ITEM_LOCAL, true},
                 {"get_group_id", ITEM_GROUP, true},
                 {"get_local_size", ITEM_LOCAL_SIZE, true},
                 {"get_enqueued_local_size", ITEM_LOCAL_SIZE, true},
                 {"get_num_groups", ITEM_GROUPS, true},
                 {"get_global_size", ITEM_ALL, true},
                 {"threadIdx", ITEM_LOCAL, false},
                 {"blockIdx", ITEM_GROUP, false},
                 {"blockDim", ITEM_LOCAL_SIZE, false},
                 {"gridDim", ITEM_GROUPS, false}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!at_word(p, words[i].word) || !next_is_sign(p, 1, words[i].is_call ? "(" : "."))
            continue;
        struct node *n = node_new(p, NODE_ITEM);
        n->item = words[i].item;
        p->at += 2;
        if (words[i].is_call) {
            n->a = read_expression(p);
            want_sign(p, ")");
        } else {
            const char *axis = (p->at++)->text;
            n->a = number_node(p, axis[0] == 'y' ? 1 : axis[0] == 'z' ? 2 : 0);
        }
        return n;
    }
    return NULL;
}

// name<4, float>( ... ): is it a call of a template?
static bool at_template_call(const struct parser *p)
{
    const struct token *t = p->at;
    int depth = 0;
    if (!next_is_sign(p, 0, "<"))
        return false;
    for (; t < p->end && t < p->at + 32; t++) {
        bool is_sign = t->kind == TOKEN_SIGN;
        depth += is_sign && strcmp(t->text, "<") == 0;
        depth -= is_sign && strcmp(t->text, ">") == 0;
        if (depth == 0)
            return t[1].kind == TOKEN_SIGN && strcmp(t[1].text, "(") == 0;
        if (is_sign && !strchr("<,*:", t->text[0]))
            return false;
    }
    return false;
}

static void skip_template_arguments(struct parser *p)
{
    int depth = 0;
    do {
        depth += at_sign(p, "<");
        depth -= at_sign(p, ">>") ? 2 : at_sign(p, ">");
        p->at++;
    } while (depth > 0 && p->at < p->end);
}

static void read_arguments(struct parser *p, struct node *call, const char *end)
{
    size_t room = 0;
    while (p->at < p->end && !at_sign(p, end) && !p->trouble) {
        append_node(p, call, &room, at_sign(p, "{") ? read_unary(p) : read_assignment(p));
        if (!accept_sign(p, ","))
            break;
    }
    want_sign(p, end);
}

static struct node *read_named_cast(struct parser *p)
{
    struct node *n = node_new(p, NODE_CAST);
    p->at++;
    want_sign(p, "<");
    n->type = read_type_alone(p);
    want_sign(p, ">");
    want_sign(p, "(");
    n->a = read_expression(p);
    want_sign(p, ")");
    return n;
}

static struct node *read_name(struct parser *p)
{
    struct node *item = read_item(p);
    if (item)
        return item;
    const char *word = p->at->text;
    if (str_starts(word, "static_cast") || str_starts(word, "reinterpret_cast") ||
        str_starts(word, "const_cast"))
        return read_named_cast(p);
    if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0 || strcmp(word, "NULL") == 0 ||
        strcmp(word, "nullptr") == 0 || strcmp(word, "warpSize") == 0) {
        struct node *n = number_node(p, word[0] == 't' ? 1 : word[0] == 'w' ? 32 : 0);
        p->at++;
        return n;
    }
    struct type t = {.base = TYPE_VOID};
    bool is_variable = find_slot(p, word) != SLOT_NONE;
    struct node *n = node_new(p, NODE_NAME);
    p->at++;
    while (at_sign(p, "::") && p->at[1].kind == TOKEN_NAME) {
        word = p->at[1].text;
        p->at += 2;
        n->is_scoped = true;
    }
    // float(x), float4(a, b, c, d), T{}
    if (!is_variable && (at_sign(p, "(") || at_sign(p, "{")) &&
        (builtin_type(p, word, &t) || find_type(p, word))) {
        const struct type *known = find_type(p, word);
        bool is_brace = at_sign(p, "{");
        n->kind = NODE_CAST;
        t.words = word;
        n->type = type_copy(p, known ? known : &t);
        p->at++;
        read_arguments(p, n, is_brace ? "}" : ")");
        return n;
    }
    n->name = word;
    n->slot = find_slot(p, word);
    if (!is_variable && at_template_call(p))
        skip_template_arguments(p);
    if (accept_sign(p, "(")) {
        n->kind = NODE_CALL;
        read_arguments(p, n, ")");
    }
    return n;
}

static struct node *read_primary(struct parser *p)
{
    struct node *n;
    if (++p->depth > DEPTH_MOST || p->at >= p->end) {
        give_up(p);
        n = number_node(p, 0);
    } else if (p->at->kind == TOKEN_NUMBER) {
        n = read_number(p);
    } else if (p->at->kind == TOKEN_NAME) {
        n = read_name(p);
    } else if (p->at->kind == TOKEN_TEXT) {
        n = number_node(p, p->at->text[0] == '\'' ? p->at->text[1] : 0);
        p->at++;
    } else if (accept_sign(p, "(")) {
        n = read_expression(p);
        want_sign(p, ")");
    } else if (at_sign(p, "{")) {
        n = node_new(p, NODE_LIST);
        p->at++;
        read_arguments(p, n, "}");
    } else {
        if (accept_sign(p, "::"))
            n = read_primary(p);
        else {
            give_up(p);
            n = number_node(p, 0);
        }
    }
    p->depth--;
    return n;
}

// One more operator above what was read.
static void add_link(struct parser *p, uint32_t *height)
{
    *height = (*height > p->height ? *height : p->height) + 1;
    if (*height > LINKS_MOST)
        give_up(p);
}

static struct node *read_postfix(struct parser *p)
{
    struct node *n = read_primary(p);
    uint32_t height = p->height;
    while (p->at < p->end && !p->trouble && p->at->kind == TOKEN_SIGN) {
        struct node *outer;
        if (accept_sign(p, "[")) {
            outer = node_new(p, NODE_INDEX);
            outer->b = read_expression(p);
            want_sign(p, "]");
        } else if (at_sign(p, ".") || at_sign(p, "->")) {
            outer = node_new(p, at_sign(p, ".") ? NODE_MEMBER : NODE_ARROW);
            p->at++;
            outer->name = (p->at++)->text;
        } else if (at_sign(p, "++") || at_sign(p, "--")) {
            outer = node_new(p, NODE_STEP);
            outer->sign = sign_of((p->at++)->text);
            outer->is_postfix = true;
        } else if (at_sign(p, "(") && n->kind == NODE_MEMBER) { // a method: nothing is known of it
            outer = node_new(p, NODE_CALL);
            p->at++;
            read_arguments(p, outer, ")");
        } else {
            break;
        }
        outer->a = n;
        n = outer;
        add_link(p, &height);
        p->height = height;
    }
    return n;
}

// At "(": does a type stand in it?
static bool at_cast(struct parser *p)
{
    if (!at_sign(p, "(") || p->at[1].kind != TOKEN_NAME)
        return false;
    const char *word = p->at[1].text;
    if (find_slot(p, word) != SLOT_NONE)
        return false;
    struct parser inside = *p;
    inside.at++;
    if (is_type_word(&inside, word))
        return !next_is_sign(p, 2, "(");
    for (uint32_t i = 0; i < p->out->open_type_count; i++) {
        if (strcmp(p->out->open_types[i], word) == 0)
            return next_is_sign(p, 2, ")") || next_is_sign(p, 2, "*");
    }
    return false;
}

static struct node *read_cast(struct parser *p)
{
    struct node *n = node_new(p, NODE_CAST);
    p->at++;
    n->type = read_type_alone(p);
    want_sign(p, ")");
    if (n->type->lanes > 1 && n->type->stars == 0 && at_sign(p, "(")) {
        p->at++;
        read_arguments(p, n, ")");
        return n;
    }
    if (at_sign(p, "{"))
        return read_primary(p);
    n->a = read_unary(p);
    return n;
}

static struct node *read_sizeof(struct parser *p)
{
    struct node *n = node_new(p, NODE_SIZEOF);
    p->at++;
    if (at_cast(p)) {
        p->at++;
        n->type = read_type_alone(p);
        want_sign(p, ")");
    } else {
        n->a = read_unary(p);
    }
    return n;
}

static struct node *read_unary(struct parser *p)
{
    static const char *const signs[] = {"-", "+", "!", "~", "*", "&", NULL};
    struct node *n;
    if (++p->depth > DEPTH_MOST) {
        give_up(p);
        n = number_node(p, 0);
    } else if (at_sign(p, "++") || at_sign(p, "--")) {
        n = node_new(p, NODE_STEP);
        n->sign = sign_of((p->at++)->text);
        n->a = read_unary(p);
    } else if (p->at->kind == TOKEN_SIGN && str_listed(signs, p->at->text)) {
        n = node_new(p, NODE_UNARY);
        n->sign = sign_of((p->at++)->text);
        n->a = read_unary(p);
    } else if (at_word(p, "sizeof")) {
        n = read_sizeof(p);
    } else if (at_cast(p)) {
        n = read_cast(p);
    } else {
        n = read_postfix(p);
    }
    p->depth--;
    return n;
}

static unsigned level_of(const struct token *t)
{
    static const char *const levels[][5] = {{"||"},
                                            {"&&"},
                                            {"|"},
                                            {"^"},
                                            {"&"},
                                            {"==", "!="},
                                            {"<", ">", "<=", ">="},
                                            {"<<", ">>"},
                                            {"+", "-"},
                                            {"*", "/", "%"}};
    for (unsigned i = 0; t->kind == TOKEN_SIGN && i < sizeof levels / sizeof *levels; i++) {
        for (unsigned k = 0; k < 5 && levels[i][k]; k++) {
            if (strcmp(levels[i][k], t->text) == 0)
                return i + 1;
        }
    }
    return 0;
}

static struct node *read_binary(struct parser *p, unsigned level)
{
    const uint32_t outer = p->height;
    p->height = 0;
    struct node *left = read_unary(p);
    uint32_t height = p->height;
    for (unsigned mine; !p->trouble && p->at < p->end && (mine = level_of(p->at)) >= level;) {
        if (mine == 0)
            break;
        struct node *n = node_new(p, NODE_BINARY);
        n->sign = sign_of((p->at++)->text);
        n->a = left;
        n->b = read_binary(p, mine + 1);
        left = n;
        add_link(p, &height);
    }
    p->height = height > outer ? height : outer;
    return left;
}

// The right side of "=" and ":" is nested within the left side.
static struct node *read_right(struct parser *p)
{
    struct node *n = NULL;
    if (++p->depth > DEPTH_MOST)
        give_up(p);
    else
        n = at_sign(p, "{") ? read_primary(p) : read_assignment(p);
    p->depth--;
    return n ? n : number_node(p, 0);
}

static struct node *read_assignment(struct parser *p)
{
    struct node *left = read_binary(p, 1);
    if (p->trouble || p->at->kind != TOKEN_SIGN)
        return left;
    const char *text = p->at->text;
    size_t length = strlen(text);
    if (strcmp(text, "?") == 0) {
        struct node *n = node_new(p, NODE_CHOICE);
        p->at++;
        n->a = left;
        n->b = read_expression(p);
        want_sign(p, ":");
        n->c = read_right(p);
        return n;
    }
    bool is_compared = strcmp(text, "==") == 0 || strcmp(text, "!=") == 0 ||
                       strcmp(text, "<=") == 0 || strcmp(text, ">=") == 0;
    if (text[length - 1] != '=' || is_compared)
        return left;
    struct node *n = node_new(p, NODE_ASSIGN);
    char sign[4] = "";
    memcpy(sign, text, length < 4 ? length - 1 : 3);
    n->sign = sign_of(sign);
    p->at++;
    n->a = left;
    n->b = read_right(p);
    return n;
}

// With commas: the last one's value.
static struct node *read_expression(struct parser *p)
{
    const uint32_t outer = p->height;
    p->height = 0;
    struct node *left = read_assignment(p);
    uint32_t height = p->height;
    while (!p->trouble && at_sign(p, ",")) {
        struct node *n = node_new(p, NODE_BINARY);
        p->at++;
        n->sign = SIGN(',', 0, 0);
        n->a = left;
        n->b = read_assignment(p);
        left = n;
        add_link(p, &height);
    }
    p->height = height > outer ? height : outer;
    return left;
}

// ---- statements --------------------------------------------------------------------------------

static struct node *read_statement(struct parser *p);

static void add_demand(struct parser *p, const struct node *condition, bool is_refused,
                       const char *function)
{
    struct syntax *out = p->out;
    if (ARENA_ROOM(p->arena, out->demands, p->demand_room, out->demand_count + (size_t)1))
        out->demands[out->demand_count++] = (struct demand){condition, is_refused, function};
    else
        p->failed = true;
}

static bool at_assertion(const struct parser *p)
{
    return at_word(p, "static_assert") || at_word(p, "_Static_assert");
}

// static_assert(CONDITION, "why");
static void read_assertion(struct parser *p)
{
    const struct token *open = ++p->at;
    struct function *function = p->function;
    p->function = NULL; // one that is not understood gives up no function
    want_sign(p, "(");
    const struct node *condition = read_assignment(p);
    while (p->at < p->end && (at_sign(p, ",") || p->at->kind == TOKEN_TEXT))
        p->at++;
    want_sign(p, ")");
    p->function = function;
    if (!p->trouble)
        add_demand(p, condition, false, function ? function->name : NULL);
    p->trouble = false;
    p->at = open;
    skip_brackets(p);
    want_sign(p, ";");
}

static void read_typedef(struct parser *p)
{
    struct type t = {.base = TYPE_VOID};
    p->at++;
    read_specifiers(p, &t);
    const char *name = read_declarator(p, &t);
    // typedef struct {...} NAME;
    struct record *last = p->out->record_count ? &p->out->records[p->out->record_count - 1] : NULL;
    if (last && !last->name && t.base == TYPE_RECORD && strcmp(t.words, "struct") == 0 && *name)
        t.words = last->name = name;
    if (t.dimension_count == 0 && *name)
        declare_type(p, name, &t);
    want_sign(p, ";");
}

static struct node *read_initial(struct parser *p)
{
    if (accept_sign(p, "="))
        return at_sign(p, "{") ? read_primary(p) : read_assignment(p);
    if (at_sign(p, "{"))
        return read_primary(p);
    if (!at_sign(p, "("))
        return NULL;
    struct node *n = node_new(p, NODE_LIST); // dim3 d(1, 2)
    p->at++;
    read_arguments(p, n, ")");
    return n->count == 1 ? n->list[0] : n;
}

static struct node *read_declaration(struct parser *p)
{
    struct node *all = node_new(p, NODE_BLOCK);
    struct type base = {.base = TYPE_VOID};
    size_t room = 0;
    read_specifiers(p, &base);
    while (!p->trouble && !at_sign(p, ";")) {
        struct type t = base;
        struct node *n = node_new(p, NODE_DECLARE);
        n->name = read_declarator(p, &t);
        // `int x = x_of(...)`: the name is already visible in its initial value, but no code uses
        // it there.
        n->a = read_initial(p);
        n->slot = declare_name(p, n->name);
        n->type = type_copy(p, &t);
        append_node(p, all, &room, n);
        if (!accept_sign(p, ","))
            break;
    }
    want_sign(p, ";");
    return all;
}

static struct node *read_block(struct parser *p)
{
    struct node *n = node_new(p, NODE_BLOCK);
    size_t room = 0, names = p->name_count, types = p->type_count;
    want_sign(p, "{");
    while (p->at < p->end && !at_sign(p, "}") && !p->trouble)
        append_node(p, n, &room, read_statement(p));
    want_sign(p, "}");
    p->name_count = names;
    p->type_count = types;
    return n;
}

static struct node *read_bracketed(struct parser *p)
{
    want_sign(p, "(");
    struct node *n = read_expression(p);
    want_sign(p, ")");
    return n;
}

static struct node *read_for(struct parser *p)
{
    struct node *n = node_new(p, NODE_FOR);
    size_t names = p->name_count;
    p->at++;
    want_sign(p, "(");
    if (at_type(p)) {
        n->a = read_declaration(p);
    } else {
        n->a = at_sign(p, ";") ? NULL : read_expression(p);
        want_sign(p, ";");
    }
    n->b = at_sign(p, ";") ? NULL : read_expression(p);
    want_sign(p, ";");
    n->c = at_sign(p, ")") ? NULL : read_expression(p);
    want_sign(p, ")");
    n->d = read_statement(p);
    p->name_count = names;
    return n;
}

static struct node *read_control(struct parser *p)
{
    struct node *n;
    if (accept_word(p, "if")) {
        n = node_new(p, NODE_IF);
        accept_word(p, "constexpr");
        n->a = read_bracketed(p);
        n->b = read_statement(p);
        n->c = accept_word(p, "else") ? read_statement(p) : NULL;
        return n;
    }
    if (at_word(p, "for"))
        return read_for(p);
    if (accept_word(p, "while")) {
        n = node_new(p, NODE_WHILE);
        n->a = read_bracketed(p);
        n->d = read_statement(p);
        return n;
    }
    if (accept_word(p, "do")) {
        n = node_new(p, NODE_DO);
        n->d = read_statement(p);
        if (!accept_word(p, "while"))
            give_up(p);
        n->a = read_bracketed(p);
        want_sign(p, ";");
        return n;
    }
    if (accept_word(p, "switch")) {
        n = node_new(p, NODE_SWITCH);
        n->a = read_bracketed(p);
        n->d = read_statement(p);
        return n;
    }
    if (at_word(p, "case") || at_word(p, "default")) {
        n = node_new(p, NODE_CASE);
        n->a = (p->at++)->text[0] == 'c' ? read_assignment(p) : NULL;
        want_sign(p, ":");
        return n;
    }
    if (at_word(p, "break") || at_word(p, "continue")) {
        n = node_new(p, (p->at++)->text[0] == 'b' ? NODE_BREAK : NODE_CONTINUE);
        want_sign(p, ";");
        return n;
    }
    if (accept_word(p, "return")) {
        n = node_new(p, NODE_RETURN);
        n->a = at_sign(p, ";") ? NULL : read_expression(p);
        want_sign(p, ";");
        return n;
    }
    return NULL;
}

static struct node *read_statement(struct parser *p)
{
    struct node *n = NULL;
    while (at_word(p, "_Pragma")) {
        p->at++;
        skip_brackets(p);
    }
    if (++p->depth > DEPTH_MOST || p->at >= p->end)
        give_up(p);
    else if (at_sign(p, "{"))
        n = read_block(p);
    else if (accept_sign(p, ";"))
        n = node_new(p, NODE_BLOCK);
    else if (at_word(p, "typedef") || at_word(p, "using"))
        at_word(p, "typedef") ? read_typedef(p) : give_up(p);
    else if (at_assertion(p))
        read_assertion(p);
    else if (at_word(p, "asm") || at_word(p, "__asm__")) {
        while (p->at < p->end && !at_sign(p, "("))
            p->at++;
        skip_brackets(p);
        want_sign(p, ";");
    } else if (!(n = p->at->kind == TOKEN_NAME ? read_control(p) : NULL) && !p->trouble) {
        if (at_type(p)) {
            n = read_declaration(p);
        } else {
            n = node_new(p, NODE_EXPRESSION);
            n->a = read_expression(p);
            want_sign(p, ";");
        }
    }
    p->depth--;
    return n ? n : node_new(p, NODE_BLOCK);
}

// ---- the file ----------------------------------------------------------------------------------

static void read_parameters(struct parser *p, struct function *f)
{
    size_t room = 0;
    want_sign(p, "(");
    if (at_word(p, "void") && next_is_sign(p, 1, ")"))
        p->at++;
    while (p->at < p->end && !at_sign(p, ")") && !p->trouble) {
        struct type t = {.base = TYPE_VOID};
        const struct token *from = p->at;
        read_specifiers(p, &t);
        const char *name = read_declarator(p, &t);
        if (t.dimension_count) { // float a[][4] is a pointer to rows
            t.stars++;
            memmove(t.dimensions, t.dimensions + 1, (t.dimension_count - 1) * sizeof *t.dimensions);
            t.dimension_count--;
        }
        if (accept_sign(p, "="))
            read_assignment(p);
        if (!ARENA_ROOM(p->arena, f->parameters, room, f->parameter_count + (size_t)1)) {
            p->failed = true;
            return;
        }
        f->parameters[f->parameter_count] =
            (struct variable){.name = name, .type = type_copy(p, &t), .from = from, .to = p->at};
        f->parameters[f->parameter_count].slot = f->parameter_count;
        f->parameter_count++;
        declare_name(p, name);
        if (!accept_sign(p, ","))
            break;
    }
    want_sign(p, ")");
    f->has_head = !p->trouble;
    while (read_attribute(p))
        ;
}

static void add_function(struct parser *p, const struct function *f)
{
    if (p->is_special) // the template itself has the name
        return;
    for (uint32_t i = 0; i < p->out->function_count; i++) {
        if (strcmp(p->out->functions[i].name, f->name) == 0 &&
            strcmp(p->out->functions[i].scope, f->scope) == 0 && f->is_kernel &&
            p->out->functions[i].is_kernel) {
            p->out->functions[i] = *f; // the last one counts, as where macros choose one
            p->out->functions[i].is_several = true;
            return;
        }
    }
    if (!ARENA_ROOM(p->arena, p->out->functions, p->function_room,
                    p->out->function_count + (size_t)1)) {
        p->failed = true;
        return;
    }
    p->out->functions[p->out->function_count++] = *f;
}

static void read_function(struct parser *p, struct function *f)
{
    p->names = NULL;
    p->name_count = p->name_room = 0;
    p->slots = 0;
    p->depth = 0;
    f->from = p->at;
    read_parameters(p, f);
    f->templates = p->templates;
    f->template_count = p->template_count;
    if (accept_sign(p, ";"))
        return; // it is only announced
    if (p->trouble || !at_sign(p, "{")) {
        give_up(p);
        while (p->at < p->end && !at_sign(p, "{"))
            p->at++;
    }
    struct parser body = *p;
    if (p->at < p->end)
        skip_brackets(p);
    if (!p->trouble) {
        const struct token *end = p->at;
        struct node *block = read_block(&body);
        f->body = body.trouble ? NULL : block;
        f->slots = body.slots;
        *p = body;
        p->at = end;
    }
    f->to = p->at;
    p->name_count = 0;
    add_function(p, f);
}

static void add_shared(struct parser *p, const char *name, const struct type *t,
                       struct node *initial)
{
    if (!ARENA_ROOM(p->arena, p->out->shared, p->shared_room, p->out->shared_count + (size_t)1)) {
        p->failed = true;
        return;
    }
    p->out->shared[p->out->shared_count++] =
        (struct variable){.name = name, .type = type_copy(p, t), .initial = initial};
}

// typename IndexType: a type that counts.
static bool is_integer_type_name(const char *name)
{
    static const char *const words[] = {"index", "idx", "int", "ordinal", "offset", "size", NULL};
    for (const char *const *w = words; *w; w++) {
        if (str_contains_nocase(name, *w))
            return true;
    }
    return false;
}

// template <int N, typename T = float>
static void read_template(struct parser *p)
{
    size_t room = 0;
    p->at++;
    want_sign(p, "<");
    while (p->at < p->end && !at_sign(p, ">") && !p->trouble) {
        struct template_parameter one = {.is_type = at_word(p, "typename") || at_word(p, "class"),
                                         .is_switch = at_word(p, "bool")};
        struct type t = {.base = TYPE_VOID};
        if (one.is_type)
            p->at++;
        else
            read_specifiers(p, &t);
        one.name = (p->at++)->text;
        if (accept_sign(p, "="))
            one.initial = (p->at++)->text;
        bool is_integer = one.is_type && is_integer_type_name(one.name);
        if (is_integer && !one.initial)
            one.initial = "int";
        if (!ARENA_ROOM(p->arena, p->templates, room, p->template_count + (size_t)1)) {
            p->failed = true;
            return;
        }
        p->templates[p->template_count++] = one;
        if (is_integer) {
            t = (struct type){.base = TYPE_INTEGER, .words = "int", .component = 4, .lanes = 1};
            declare_type(p, one.name, &t);
        } else if (one.is_type) {
            t = (struct type){.base = TYPE_OPEN, .words = one.name, .component = 4, .lanes = 1};
            declare_type(p, one.name, &t);
            note_open_type(p, one.name);
        }
        if (!accept_sign(p, ","))
            break;
    }
    want_sign(p, ">");
}

// using NAME = type;
static void read_using(struct parser *p)
{
    const char *name = p->at[1].text;
    if (p->at[1].kind == TOKEN_NAME && next_is_sign(p, 2, "=")) {
        p->at += 3;
        declare_type(p, name, read_type_alone(p));
    }
    while (p->at < p->end && !at_sign(p, ";"))
        p->at++;
    accept_sign(p, ";");
}

static const char *scope_now(const struct parser *p)
{
    return p->scope_count ? p->scopes[p->scope_count - 1] : "";
}

static void read_declared_outside(struct parser *p)
{
    struct function f = {.line = p->at->line, .scope = scope_now(p)};
    struct type base = {.base = TYPE_VOID};
    // cppcheck-suppress autoVariables
    p->function = &f;
    read_specifiers(p, &base);
    while (!p->trouble && !at_sign(p, ";")) {
        struct type t = base;
        f.line = p->at->line;
        const char *name = read_declarator(p, &t);
        if (at_sign(p, "(") && *name) {
            f.name = name;
            f.name_token = p->at - 1;
            if (p->traits->is_plain_call) { // it returns nothing, and has no other mark
                f.is_kernel = t.base == TYPE_VOID && !t.stars;
                f.is_inner &= !t.is_extern;
            }
            read_function(p, &f);
            p->function = NULL;
            return;
        }
        struct node *initial = read_initial(p);
        add_shared(p, name, &t, initial);
        if (!accept_sign(p, ","))
            break;
    }
    p->function = NULL;
    want_sign(p, ";");
}

static void open_scope(struct parser *p, const char *name)
{
    const char *outer = scope_now(p);
    const char *scope = *name ? arena_printf(p->arena, "%s%s::", outer, name) : outer;
    p->failed |= !scope;
    if (scope && p->scope_count < SCOPES_MOST)
        p->scopes[p->scope_count++] = scope;
}

static void read_outside(struct parser *p)
{
    const struct token *start = p->at;
    p->trouble = false;
    if (at_word(p, "extern") && p->at[1].kind == TOKEN_TEXT && next_is_sign(p, 2, "{")) {
        p->at += 3;
        open_scope(p, "");
        return;
    }
    if (at_word(p, "namespace")) {
        const char *name = p->at[1].kind == TOKEN_NAME ? p->at[1].text : "";
        while (p->at < p->end && !at_sign(p, "{") && !at_sign(p, ";"))
            p->at++;
        if (at_sign(p, "{"))
            open_scope(p, name);
        p->at++;
        return;
    }
    if (at_sign(p, "}") || at_sign(p, ";")) {
        p->scope_count -= at_sign(p, "}") && p->scope_count > 0;
        p->at++;
        return;
    }
    if (at_word(p, "template")) {
        p->templates = NULL;
        p->template_count = 0;
        read_template(p);
        p->is_special = p->template_count == 0 && !p->trouble;
        return;
    }
    if (at_word(p, "typedef"))
        read_typedef(p);
    else if (at_word(p, "using"))
        read_using(p);
    else if (at_assertion(p))
        read_assertion(p);
    else if (at_word(p, "asm"))
        give_up(p);
    else
        read_declared_outside(p);
    p->templates = NULL;
    p->template_count = 0;
    p->is_special = false;
    if (!p->trouble)
        return;
    // Behind what is not understood: its first semicolon, or what stands in braces.
    const struct token *end = p->at;
    for (p->at = start; p->at < p->end && !at_sign(p, ";") && !at_sign(p, "}") && !p->failed;) {
        bool is_body = at_sign(p, "{");
        if (is_body || at_sign(p, "("))
            skip_brackets(p);
        else
            p->at++;
        if (is_body)
            break;
    }
    if (p->at < end && at_sign(p, "}"))
        p->at = end;
    p->at += p->at == start;
}

// The conditions around the text's #errors.
static void read_refused(struct parser *p, const struct preprocessed *text)
{
    for (size_t i = 0; i < text->refused_count && !p->failed; i++) {
        p->at = text->refused[i].tokens;
        p->end = p->at + text->refused[i].count;
        p->trouble = false;
        p->depth = 0;
        const struct node *condition = read_assignment(p);
        if (!p->trouble && p->at == p->end)
            add_demand(p, condition, true, NULL);
    }
}

bool syntax_read(const struct preprocessed *text, enum language l, struct arena *a,
                 struct syntax *out)
{
    struct parser p = {.at = text->tokens,
                       .end = text->tokens + text->count,
                       .given = text->given,
                       .arena = a,
                       .language = l,
                       .traits = language_traits(l),
                       .out = out,
                       .spare = arena_alloc(a, sizeof *p.spare)};
    *out = (struct syntax){.functions = NULL};
    p.failed = !p.spare;
    while (p.at < p.end && !p.failed)
        read_outside(&p);
    read_refused(&p, text);
    return !p.failed;
}

bool function_is_named(const struct function *f, const char *name)
{
    const char *last = strrchr(name, ':');
    if (!f->name || strcmp(last ? last + 1 : name, f->name) != 0)
        return false;
    const size_t length = last ? (size_t)(last + 1 - name) : 0, whole = strlen(f->scope);
    return length <= whole && strncmp(f->scope + whole - length, name, length) == 0;
}

const struct function *syntax_function(const struct syntax *s, const char *name)
{
    const struct function *found = NULL;
    for (uint32_t i = s->function_count; i-- > 0;) {
        const struct function *f = &s->functions[i];
        if (!function_is_named(f, name))
            continue;
        if (f->is_kernel) // the host's function that launches it may have its name
            return f;
        found = found ? found : f;
    }
    return found;
}
