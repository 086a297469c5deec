// The types of a captured kernel's arguments. A driver says them in the words of the kernel, which may be a macro or a typedef
// (`T`, `pcl_out_type`): these are looked up in the options and the text until a known type stands there.
#include "extras/capture/capture_spec.h"

#include "extras/capture/capture_words.h"
#include "problem/layout.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOOKUPS_MOST = 8 };

static const struct scalar_name {
    const char *name, *spec;
    uint32_t bytes;
    char kind; // i: signed, u: unsigned, f: float
} scalars[] = {
    {"char", "int8", 1, 'i'},           {"uchar", "uint8", 1, 'u'},
    {"unsigned char", "uint8", 1, 'u'}, {"short", "int16", 2, 'i'},
    {"ushort", "uint16", 2, 'u'},       {"unsigned short", "uint16", 2, 'u'},
    {"int", "int32", 4, 'i'},           {"uint", "uint32", 4, 'u'},
    {"unsigned int", "uint32", 4, 'u'}, {"unsigned", "uint32", 4, 'u'},
    {"long", "int64", 8, 'i'},          {"size_t", "uint64", 8, 'u'},
    {"long long", "int64", 8, 'i'},     {"unsigned long long", "uint64", 8, 'u'},
    {"ulong", "uint64", 8, 'u'},        {"unsigned long", "uint64", 8, 'u'},
    {"half", "half", 2, 'f'},           {"float", "float", 4, 'f'},
    {"double", "double", 8, 'f'},       {"bool", "uint8", 1, 'u'},
    {"int8", "int8", 1, 'i'},           {"uint8", "uint8", 1, 'u'},
    {"int16", "int16", 2, 'i'},         {"uint16", "uint16", 2, 'u'},
    {"int32", "int32", 4, 'i'},         {"uint32", "uint32", 4, 'u'},
    {"int64", "int64", 8, 'i'},         {"uint64", "uint64", 8, 'u'},
};

// The scalar and the width of a vector's type; false: it is neither.
static bool read_type(const char *type, const struct scalar_name **scalar, uint32_t *width)
{
    size_t length = strcspn(type, "*");
    while (length && (type[length - 1] == ' '))
        length--;
    size_t digits = length;
    while (digits && isdigit((unsigned char)type[digits - 1]))
        digits--;
    *width = digits < length ? (uint32_t)strtoul(type + digits, NULL, 10) : 1;
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++) {
        if (strlen(scalars[i].name) == digits && memcmp(type, scalars[i].name, digits) == 0) {
            *scalar = &scalars[i];
            return *width == 1 || *width == 2 || *width == 3 || *width == 4 || *width == 8 ||
                   *width == 16;
        }
    }
    return false;
}

// ---- looking up --------------------------------------------------------------------------------

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// Where `name` stands as a word in [at, end); NULL: nowhere.
static const char *find_word(const char *at, const char *end, const char *name)
{
    const size_t length = strlen(name);
    const char *before = at;
    while (length && at < end && (at = memmem(at, (size_t)(end - at), name, length)) != NULL) {
        if ((at == before || !is_word(at[-1])) && !is_word(at[length]))
            return at;
        at += length;
    }
    return NULL;
}

// The words of "typedef WORDS NAME;", or NULL.
static const char *find_typedef(struct arena *a, const char *text, const char *name)
{
    for (const char *at = text; (at = strstr(at, "typedef")); at += 7) {
        const char *from = at + 7, *end = strchr(from, ';');
        const char *word = end ? find_word(from, end, name) : NULL;
        if (!word || memchr(from, '{', (size_t)(end - from)))
            continue;
        if (strspn(word + strlen(name), " \t\n") == (size_t)(end - word) - strlen(name))
            return arena_strndup(a, from, (size_t)(word - from));
    }
    return NULL;
}

// The words of "#define NAME WORDS", or NULL.
static const char *find_define(struct arena *a, const char *text, const char *name)
{
    for (const char *at = text; (at = strstr(at, "define")); at += 6) {
        const char *from = at + 6 + strspn(at + 6, " \t"), *end = from + strcspn(from, "\n");
        const size_t length = strlen(name);
        if (at > text && (at[-1] == '#' || at[-1] == ' ') && strncmp(from, name, length) == 0 &&
            (from[length] == ' ' || from[length] == '\t'))
            return arena_strndup(a, from + length, (size_t)(end - from) - length);
    }
    return NULL;
}

// The words without qualifiers, with one blank between them.
static const char *plain_words(struct arena *a, const char *words)
{
    static const char *const left_out[] = {"const",  "volatile",   "restrict", "__global", "global",
                                           "signed", "__constant", "constant", "__local",  "local"};
    struct text t = TEXT_INIT;
    for (const char *at = words; *(at += strspn(at, " \t\n"));) {
        const size_t length = *at == '*' ? 1 : strcspn(at, " \t\n*");
        bool is_left_out = false;
        for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
            is_left_out = is_left_out ||
                          (strlen(left_out[i]) == length && memcmp(at, left_out[i], length) == 0);
        if (!is_left_out) {
            text_addf(&t, "%s", t.length && *at != '*' ? " " : "");
            text_addn(&t, at, length);
        }
        at += length;
    }
    return text_to_arena(&t, a);
}

// A type that nobody explains is passed as its bytes: as a number of that size.
static const char *number_of_size(uint64_t bytes)
{
    return bytes == 1   ? "uchar"
           : bytes == 2 ? "ushort"
           : bytes == 4 ? "uint"
           : bytes == 8 ? "ulong"
                        : NULL;
}

// Looks a name up in the options, then in the text; NULL: it stands for nothing.
static const char *look_up_type(const struct making *m, const char *text, const char *name)
{
    const struct macro *x = making_macro(m, name);
    const char *words = x ? x->text : find_typedef(m->a, text, name);
    words = words ? words : find_define(m->a, text, name);
    return words ? plain_words(m->a, words) : NULL;
}

static const char *resolve_type(const struct making *m, const char *text, const char *type)
{
    const struct scalar_name *s;
    uint32_t width;
    const char *words = plain_words(m->a, type);
    for (int i = 0; words && i < LOOKUPS_MOST && !read_type(words, &s, &width); i++) {
        const char *name = arena_strndup(m->a, words, strcspn(words, "*"));
        const char *found = name && *name ? look_up_type(m, text, name) : NULL;
        if (!found)
            break;
        words = found;
    }
    return words && read_type(words, &s, &width) ? words : type;
}

static bool is_known_type(const char *type)
{
    const struct scalar_name *s;
    uint32_t width;
    return type && read_type(type, &s, &width);
}

// The components whose place a vector takes.
static uint32_t type_lanes(const struct making *m, uint32_t width)
{
    return width == 3 && !language_traits(m->language)->packs_three ? 4 : width;
}

// Is it a type, and of this size? What the text calls so may be another where it is compiled.
static bool has_size(const struct making *m, const char *type, uint64_t bytes)
{
    const struct scalar_name *s;
    uint32_t width;
    return type && read_type(type, &s, &width) && s->bytes * type_lanes(m, width) == bytes;
}

// The reader of `init` says a number's type as a spec does, "int16": where there are no such vectors, as a kernel says it.
static const char *kernel_words(const struct making *m, const char *inferred)
{
    for (size_t i = 0; inferred && language_traits(m->language)->vector_widths >> 5 == 0 &&
                       i < sizeof scalars / sizeof *scalars;
         i++) {
        if (str_equal(scalars[i].spec, inferred))
            return scalars[i].name;
    }
    return inferred;
}

// The reader of `init` sees which branch of a condition is compiled; what is looked up in the text alone comes last.
void making_learn_types(struct making *m, const char *text)
{
    m->types = arena_array(m->a, m->k->argument_count + (size_t)1, sizeof *m->types);
    for (uint32_t i = 0; m->types && i < m->k->argument_count; i++) {
        const char *said = m->k->arguments[i].type, *plain = plain_words(m->a, said);
        const char *inferred = m->is_inferred && i < m->f.argument_count
                                   ? kernel_words(m, m->f.arguments[i].type)
                                   : NULL;
        m->types[i] = is_known_type(plain) ? plain
                      : is_known_type(inferred)
                          ? inferred
                          : resolve_type(m, text, *said || !inferred ? said : inferred);
        const struct capture_value *v = &m->k->launches[0].values[i];
        const struct layout *l =
            m->is_inferred && i < m->f.argument_count ? m->f.arguments[i].layout : NULL;
        if (v->kind == CAPTURED_VALUE && !l && !has_size(m, m->types[i], v->bytes) &&
            !m->k->arguments[i].is_pointer && number_of_size(v->bytes))
            m->types[i] = number_of_size(v->bytes);
        if (!*said && m->types[i]) // by the text alone: replays are told
            m->k->arguments[i].type = m->types[i];
    }
}

static const char *plain_name(const struct making *m, const char *symbol)
{
    size_t length;
    const char *name = capture_symbol_name(symbol, &length);
    return arena_strndup(m->a, name, length);
}

static size_t count_mentions(const char *text, const char *name)
{
    size_t count = 0;
    for (const char *at = text, *end = at + strlen(at); (at = find_word(at, end, name)); at++)
        count++;
    return count;
}

// Does the kernel, or what it calls, use a variable of the text? Where it was not understood, any may be used.
static bool uses_variable(const struct making *m, const char *text, const char *name)
{
    return !m->is_inferred || count_mentions(m->f.reached, name) > 0 ||
           count_mentions(text, name) > 1 + count_mentions(m->f.others, name);
}

// A variable of the text that a launch may change: what a tuned kernel does to its own is lost. NULL: none.
static const char *find_variable(const struct making *m, const char *text)
{
    for (struct capture_variables v = {.at = text}; capture_next_variable(&v);) {
        const char *name = arena_strndup(m->a, v.name, v.length);
        if (!name ||
            (!v.is_constant && count_mentions(text, name) > 1 && uses_variable(m, text, name)))
            return name ? name : "";
    }
    return NULL;
}

bool making_learn_globals(struct making *m, const char *text)
{
    const struct capture_launch *l = &m->k->launches[0];
    m->globals = arena_array(m->a, l->symbol_count + (size_t)1, sizeof *m->globals);
    m->variable = find_variable(m, text);
    for (uint32_t i = 0; m->globals && i < l->symbol_count; i++) {
        const char *name = plain_name(m, l->symbols[i].name);
        if (!name)
            return false;
        if (uses_variable(m, text, name))
            m->globals[m->global_count++] = &l->symbols[i];
    }
    return m->globals != NULL;
}

bool making_global_type(const struct making *m, const struct capture_symbol *g, const char **spec,
                        uint32_t *bytes)
{
    const char *name = plain_name(m, g->name);
    const struct scalar_name *s = NULL;
    uint32_t width = 0;
    for (uint32_t i = 0; m->is_inferred && i < m->f.argument_count; i++) {
        const struct inferred_argument *a = &m->f.arguments[i];
        if (a->kind == INFERRED_SYMBOL && str_equal(a->name, name) && a->type &&
            !read_type(kernel_words(m, a->type), &s, &width))
            s = NULL;
    }
    const bool ok = s && width == 1 && m->k->launches[0].values[g->value].bytes % s->bytes == 0;
    *spec = ok ? s->spec : "custom";
    *bytes = ok ? s->bytes : 1;
    return ok;
}

const char *argument_type(const struct making *m, uint32_t at)
{
    return m->types && m->types[at] ? m->types[at] : "";
}

bool making_type(const struct making *m, uint32_t argument, const char **spec, uint32_t *bytes,
                 uint32_t *width)
{
    const struct scalar_name *s;
    if (!read_type(argument_type(m, argument), &s, width))
        return false;
    *spec = s->spec;
    *bytes = s->bytes * type_lanes(m, *width);
    return true;
}

// ---- values ------------------------------------------------------------------------------------

static bool read_integer(const struct scalar_name *s, const unsigned char *from, int64_t *out)
{
    uint64_t bits = 0;
    if (s->kind == 'f')
        return false;
    memcpy(&bits, from, s->bytes); // little-endian, as all that run OpenCL or CUDA are
    if (s->kind == 'i' && s->bytes < 8 && bits >> (8 * s->bytes - 1))
        bits |= ~UINT64_C(0) << 8 * s->bytes;
    *out = (int64_t)bits;
    return s->kind == 'i' || *out >= 0;
}

static bool add_number(const struct scalar_name *s, const unsigned char *from, struct text *out)
{
    int64_t i;
    float f;
    double d;
    char number[32];
    if (read_integer(s, from, &i)) {
        text_addf(out, "%lld", (long long)i);
        return true;
    }
    if (s->kind == 'u') { // beyond int64
        text_addf(out, "%llu", (unsigned long long)i);
        return true;
    }
    if (s->kind != 'f' || s->bytes < 4)
        return false;
    if (s->bytes == 4) {
        memcpy(&f, from, 4);
        d = f;
    } else
        memcpy(&d, from, 8);
    f64_to_str(d, number);
    text_add(out, number);
    return isfinite(d);
}

const char *making_number(struct making *m, const struct value_piece *p,
                          const struct capture_value *v)
{
    struct text t = TEXT_INIT;
    const bool ok = add_number(p->scalar, v->value + p->offset, &t);
    const char *number = ok ? text_to_arena(&t, m->a) : NULL;
    text_release(&t);
    return number;
}

// ---- parts of a value --------------------------------------------------------------------------

enum { PIECES_MOST = 1024 };

struct cutting {
    struct making *m;
    struct value_piece *pieces;
    uint32_t count;
};

static bool add_piece(struct cutting *c, struct value_piece p)
{
    if (c->count == PIECES_MOST)
        return false;
    c->pieces[c->count++] = p;
    return true;
}

// A number, or the list of a vector's components.
static bool cut_numbers(struct cutting *c, const char *key, const struct scalar_name *s,
                        uint32_t width, uint32_t offset)
{
    bool ok = width == 1 || add_piece(c, (struct value_piece){.kind = PIECE_LIST, .key = key});
    for (uint32_t i = 0; ok && i < width; i++)
        ok = add_piece(c, (struct value_piece){.kind = PIECE_NUMBER,
                                               .key = width == 1 ? key : NULL,
                                               .scalar = s,
                                               .offset = offset + i * s->bytes});
    return ok && (width == 1 || add_piece(c, (struct value_piece){.kind = PIECE_LIST_END}));
}

static const struct scalar_name *find_scalar(struct element e)
{
    char name[24];
    e.width = 1;
    e.packed = false;
    element_name(&e, name);
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++) {
        if (str_equal(scalars[i].spec, name))
            return &scalars[i];
    }
    return NULL;
}

static bool cut_struct(struct cutting *c, const char *key, const struct layout *l, uint32_t offset);

static bool cut_member(struct cutting *c, const char *key, const struct layout_member *m,
                       uint32_t offset)
{
    struct element e;
    uint32_t bytes, alignment;
    if (m->inner)
        return cut_struct(c, key, m->inner, offset);
    layout_of_member(m, c->m->language, &e, &bytes, &alignment);
    const struct scalar_name *s = find_scalar(e);
    return s && cut_numbers(c, key, s, layout_lanes(m), offset);
}

static bool cut_struct(struct cutting *c, const char *key, const struct layout *l, uint32_t offset)
{
    bool ok = add_piece(c, (struct value_piece){.kind = PIECE_OBJECT, .key = key});
    uint32_t at = 0;
    for (uint32_t i = 0; ok && i < l->count; i++) {
        const struct layout_member *m = &l->members[i];
        struct element e;
        uint32_t bytes, alignment;
        if (m->inner)
            ok = layout_measure(m->inner, c->m->language, &bytes, &alignment);
        else
            layout_of_member(m, c->m->language, &e, &bytes, &alignment);
        if (!ok)
            break;
        at = (at + alignment - 1) / alignment * alignment;
        if (m->count)
            ok = add_piece(c, (struct value_piece){.kind = PIECE_LIST, .key = m->name});
        for (uint32_t n = 0; ok && n < (m->count ? m->count : 1); n++, at += bytes)
            ok = cut_member(c, m->count ? NULL : m->name, m, offset + at);
        ok = ok && (!m->count || add_piece(c, (struct value_piece){.kind = PIECE_LIST_END}));
    }
    return ok && add_piece(c, (struct value_piece){.kind = PIECE_OBJECT_END});
}

const struct value_piece *making_pieces(struct making *m, uint32_t argument, uint32_t *count)
{
    const struct scalar_name *s;
    const struct capture_value *v = &m->k->launches[0].values[argument];
    const struct layout *l =
        m->is_inferred && argument < m->f.argument_count ? m->f.arguments[argument].layout : NULL;
    struct cutting c = {m, arena_array(m->a, PIECES_MOST, sizeof *c.pieces), 0};
    uint32_t width, bytes = 0, alignment;
    bool ok = c.pieces && v->kind == CAPTURED_VALUE;
    if (ok && read_type(argument_type(m, argument), &s, &width))
        ok = v->bytes == s->bytes * type_lanes(m, width) && cut_numbers(&c, NULL, s, width, 0);
    else
        ok = ok && l && layout_measure(l, m->language, &bytes, &alignment) && bytes == v->bytes &&
             cut_struct(&c, NULL, l, 0);
    for (uint32_t i = 0; ok && i < c.count; i++)
        ok = c.pieces[i].kind != PIECE_NUMBER || making_number(m, &c.pieces[i], v);
    *count = c.count;
    return ok ? c.pieces : NULL;
}

bool making_scalar(const struct making *m, uint32_t argument, const struct capture_launch *l,
                   int64_t *out)
{
    const struct scalar_name *s;
    const struct capture_value *v = &l->values[argument];
    uint32_t width;
    return read_type(argument_type(m, argument), &s, &width) && width == 1 &&
           !m->k->arguments[argument].is_pointer && v->kind == CAPTURED_VALUE &&
           v->bytes == s->bytes && read_integer(s, v->value, out);
}
