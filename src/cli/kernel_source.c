// Reads a kernel's text for `hone init`: kernels with their arguments, and the names that the text
// leaves open, which may be parameters or constants.
#include "cli/kernel_source.h"

#include "base/text.h"
#include "spec/kernel_tokens.h"

#include <stdlib.h>
#include <string.h>

struct survey {
    struct arena *arena;
    const struct token *tokens;
    size_t count;
    const char **declared; // names that the source gives a meaning to
    size_t declared_count;
    struct kernel_source *out;
    bool failed;
};

// ---- what is known -----------------------------------------------------------------------------

static bool is_qualifier(const char *word)
{
    static const char *const words[] = {
        "const",    "volatile",  "restrict",   "static",      "inline",       "extern",
        "register", "global",    "local",      "constant",    "private",      "generic",
        "__global", "__local",   "__constant", "__private",   "__generic",    "__restrict",
        "__const",  "read_only", "write_only", "__read_only", "__write_only", NULL};
    return str_listed(words, word);
}

// OpenCL's scalar and vector types.
static bool is_type(const char *word)
{
    static const char *const vectors[] = {"char", "uchar", "short", "ushort", "int",  "uint",
                                          "long", "ulong", "float", "double", "half", NULL};
    static const char *const scalars[] = {
        "void",      "bool",    "size_t",    "ptrdiff_t", "unsigned",  "signed", "intptr_t",
        "uintptr_t", "event_t", "sampler_t", "image2d_t", "image3d_t", NULL};
    char base[16];
    size_t letters = strcspn(word, "0123456789");
    static const char *const widths[] = {"", "2", "3", "4", "8", "16", NULL};
    if (str_listed(scalars, word))
        return true;
    str_format(base, sizeof base, "%.*s", (int)(letters < 15 ? letters : 15), word);
    return str_listed(vectors, base) && str_listed(widths, word + letters);
}

static bool is_reserved(const char *word)
{
    static const char *const words[] = {
        "if",       "else",      "for",      "while",  "do",     "switch", "case",     "default",
        "break",    "continue",  "return",   "goto",   "sizeof", "struct", "union",    "enum",
        "typedef",  "kernel",    "defined",  "true",   "false",  "NULL",   "INFINITY", "NAN",
        "MAXFLOAT", "HUGE_VALF", "HUGE_VAL", "unroll", NULL};
    static const char *const families[] = {
        "__",    "CLK_",   "CL_",   "cl_",   "M_",     "FLT_",   "DBL_",   "HALF_", "INT_", "UINT_",
        "LONG_", "ULONG_", "CHAR_", "SHRT_", "UCHAR_", "USHRT_", "SCHAR_", "HONE",  NULL};
    for (const char *const *f = families; *f; f++) {
        if (str_starts(word, *f))
            return true;
    }
    return str_listed(words, word) || is_qualifier(word) || is_type(word);
}

static bool is_sign(const struct token *t, const char *text)
{
    return t->kind == TOKEN_SIGN && strcmp(t->text, text) == 0;
}

static bool is_word_named(const struct token *t, const char *text)
{
    return t->kind == TOKEN_NAME && strcmp(t->text, text) == 0;
}

// ---- declarations ------------------------------------------------------------------------------

static bool is_declared(const struct survey *s, const char *name)
{
    for (size_t i = 0; i < s->declared_count; i++) {
        if (strcmp(s->declared[i], name) == 0)
            return true;
    }
    return false;
}

static void declare(struct survey *s, const char *name)
{
    if (!is_reserved(name) && !is_declared(s, name))
        s->declared[s->declared_count++] = name;
}

// After a type: stars and qualifiers, then a name, and those after commas of the same depth.
static void declare_list(struct survey *s, size_t at)
{
    int depth = 0;
    bool expecting = true;
    for (; at < s->count && depth >= 0; at++) {
        const struct token *t = &s->tokens[at];
        bool opens = is_sign(t, "(") || is_sign(t, "[") || is_sign(t, "{");
        bool closes = is_sign(t, ")") || is_sign(t, "]") || is_sign(t, "}");
        depth += opens - closes;
        if (depth == 0 && is_sign(t, ";"))
            return;
        if (depth == 0 && is_sign(t, ","))
            expecting = true;
        else if (expecting && t->kind == TOKEN_NAME && !is_qualifier(t->text)) {
            if (is_type(t->text) || s->tokens[at + 1].kind == TOKEN_NAME)
                return; // the next argument's own type
            declare(s, t->text);
            expecting = false;
        } else if (expecting && t->kind != TOKEN_NAME && !is_sign(t, "*")) {
            return; // a cast, or a function's type
        }
    }
}

// A macro's parameters have a meaning in its text.
static void declare_macro(struct survey *s, size_t at)
{
    bool has_parameters = is_sign(&s->tokens[at + 1], "(") && s->tokens[at + 1].is_glued;
    declare(s, s->tokens[at].text);
    for (at += 2; has_parameters && at < s->count && !is_sign(&s->tokens[at], ")"); at++) {
        if (s->tokens[at].kind == TOKEN_NAME)
            declare(s, s->tokens[at].text);
    }
}

// `#ifndef NAME` with `#define NAME value` behind it leaves NAME open.
static bool is_guarded(const struct survey *s, size_t define)
{
    for (size_t at = define; at-- > 0;) {
        const struct token *t = &s->tokens[at];
        if (!t->starts_directive)
            continue;
        return str_equal(t->directive, "ifndef") && strcmp(t->text, s->tokens[define].text) == 0;
    }
    return false;
}

static void collect_declarations(struct survey *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct token *t = &s->tokens[i];
        bool is_define = t->starts_directive && str_equal(t->directive, "define");
        bool names_type =
            is_word_named(t, "struct") || is_word_named(t, "union") || is_word_named(t, "enum");
        if (is_define && !is_guarded(s, i))
            declare_macro(s, i);
        else if (t->kind != TOKEN_NAME || t->directive)
            continue;
        else if (is_type(t->text))
            declare_list(s, i + 1);
        else if (names_type && s->tokens[i + 1].kind == TOKEN_NAME)
            declare(s, s->tokens[i + 1].text);
        else if (!is_reserved(t->text) && s->tokens[i + 1].kind == TOKEN_NAME &&
                 !is_reserved(s->tokens[i + 1].text))
            declare_list(s, i + 1); // a type of the source's own, or one left open
    }
    for (size_t i = 0; i < s->count; i++) { // typedef struct {...} NAME;
        if (is_sign(&s->tokens[i], "}") && s->tokens[i + 1].kind == TOKEN_NAME &&
            is_sign(&s->tokens[i + 2], ";"))
            declare(s, s->tokens[i + 1].text);
    }
}

// ---- names that are left open ------------------------------------------------------------------

static struct found_name *find_open(struct survey *s, const char *name)
{
    for (uint32_t i = 0; i < s->out->name_count; i++) {
        if (strcmp(s->out->names[i].name, name) == 0)
            return &s->out->names[i];
    }
    return NULL;
}

static bool is_directive(const struct token *t, const char *const *list)
{
    return t->directive && str_listed(list, t->directive);
}

// Members, calls and what stands in directives without expressions are not meant.
static bool is_use(const struct survey *s, size_t i)
{
    static const char *const silent[] = {"include", "error", "line", "undef", "warning", NULL};
    const struct token *t = &s->tokens[i];
    bool is_pragma = t->directive && strcmp(t->directive, "pragma") == 0;
    bool is_unroll = is_pragma && i > 0 &&
                     (is_word_named(&s->tokens[i - 1], "unroll") ||
                      (i > 1 && is_word_named(&s->tokens[i - 2], "unroll")));
    if (t->kind != TOKEN_NAME || is_reserved(t->text) || is_directive(t, silent))
        return false;
    if (is_pragma && !is_unroll)
        return false;
    if (i > 0 && (is_sign(&s->tokens[i - 1], ".") || is_sign(&s->tokens[i - 1], "->")))
        return false;
    return !is_sign(&s->tokens[i + 1], "(");
}

// The tokens of a guarded definition, joined.
static const char *value_of(struct survey *s, size_t define)
{
    struct text value = TEXT_INIT;
    for (size_t i = define + 1; i < s->count; i++) {
        const struct token *t = &s->tokens[i];
        if (!str_equal(t->directive, "define") || t->starts_directive)
            break;
        text_addf(&value, "%s%s", value.length ? " " : "", t->text);
    }
    const char *copy = value.failed ? NULL : arena_strdup(s->arena, text_cstr(&value));
    s->failed |= !copy;
    text_release(&value);
    return copy;
}

static void collect_open_names(struct survey *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct token *t = &s->tokens[i];
        if (!is_use(s, i) || is_declared(s, t->text))
            continue;
        struct found_name *n = find_open(s, t->text);
        if (!n) {
            n = &s->out->names[s->out->name_count++];
            *n = (struct found_name){.name = t->text};
        }
        if (t->starts_directive && str_equal(t->directive, "define"))
            n->value = value_of(s, i);
        bool before_name =
            !t->directive && s->tokens[i + 1].kind == TOKEN_NAME && !s->tokens[i + 1].directive;
        n->is_type |= before_name;
    }
}

// ---- kernels -----------------------------------------------------------------------------------

static bool is_only_written(const struct survey *s, const char *name, size_t from)
{
    bool used = false;
    int braces = 0;
    for (size_t i = from; i < s->count; i++) {
        braces += is_sign(&s->tokens[i], "{") - is_sign(&s->tokens[i], "}");
        if (used && braces <= 0)
            break;
        if (!is_word_named(&s->tokens[i], name))
            continue;
        int depth = 0;
        size_t at = i + 1;
        for (; at < s->count; at++) {
            depth += is_sign(&s->tokens[at], "[") - is_sign(&s->tokens[at], "]");
            if (depth <= 0)
                break;
        }
        if (!is_sign(&s->tokens[i + 1], "[") || !is_sign(&s->tokens[at + 1], "="))
            return false;
        used = true;
    }
    return used;
}

static enum argument_place place_of(const char *word, enum argument_place place)
{
    static const char *const globals[] = {"global", "__global", NULL};
    static const char *const constants[] = {"constant", "__constant", NULL};
    static const char *const locals[] = {"local", "__local", NULL};
    if (str_listed(globals, word))
        return PLACE_GLOBAL;
    if (str_listed(constants, word))
        return PLACE_CONSTANT;
    return str_listed(locals, word) ? PLACE_LOCAL : place;
}

// The last name is the argument's; what stands before it and is no qualifier is its type.
static void read_argument(struct survey *s, size_t from, size_t to, struct found_argument *out)
{
    struct text type = TEXT_INIT;
    size_t name = to;
    while (name > from && s->tokens[name - 1].kind != TOKEN_NAME)
        name--;
    out->name = name > from ? s->tokens[--name].text : "";
    for (size_t i = from; i < name; i++) {
        const char *word = s->tokens[i].text;
        out->place = place_of(word, out->place);
        out->is_const |= strcmp(word, "const") == 0 || strcmp(word, "__const") == 0;
        if (s->tokens[i].kind == TOKEN_NAME && !is_qualifier(word))
            text_addf(&type, "%s%s", type.length ? " " : "", word);
    }
    out->type = type.failed ? NULL : arena_strdup(s->arena, text_cstr(&type));
    s->failed |= !out->type;
    text_release(&type);
}

static size_t closing(const struct survey *s, size_t open)
{
    int depth = 0;
    for (size_t i = open; i < s->count; i++) {
        depth += is_sign(&s->tokens[i], "(") - is_sign(&s->tokens[i], ")");
        if (depth == 0)
            return i;
    }
    return s->count;
}

static void read_kernel_arguments(struct survey *s, size_t open, struct found_kernel *k)
{
    size_t end = closing(s, open), from = open + 1;
    k->arguments = arena_array(s->arena, end - open + 1, sizeof *k->arguments);
    s->failed |= !k->arguments;
    for (size_t i = from; k->arguments && i <= end; i++) {
        if (i < end && !is_sign(&s->tokens[i], ","))
            continue;
        bool is_void = i == from + 1 && is_word_named(&s->tokens[from], "void");
        if (i > from && !is_void) {
            struct found_argument *a = &k->arguments[k->argument_count++];
            read_argument(s, from, i, a);
            a->is_written_only = is_only_written(s, a->name, end);
        }
        from = i + 1;
    }
}

// Its attributes stand between the end of what is before the kernel and its name.
static void read_group_size(const struct survey *s, size_t name, struct found_kernel *k)
{
    const struct token *t = s->tokens;
    size_t at = name;
    while (at > 0 && !is_word_named(&t[at], "reqd_work_group_size") && !is_sign(&t[at], "}") &&
           !is_sign(&t[at], ";"))
        at--;
    if (!is_word_named(&t[at], "reqd_work_group_size") || !is_sign(&t[at + 1], "("))
        return;
    at++;
    for (uint32_t axis = 0; axis < 3 && at + 2 < name; axis++, at += 2) {
        bool is_plain = t[at + 1].kind == TOKEN_NAME || t[at + 1].kind == TOKEN_NUMBER;
        if (!is_plain || !is_sign(&t[at + 2], axis < 2 ? "," : ")"))
            return;
        k->group_size[axis] = t[at + 1].text;
    }
}

// kernel [__attribute__((...))] void [__attribute__((...))] NAME (
static void collect_kernels(struct survey *s)
{
    for (size_t i = 0; i < s->count; i++) {
        if (!is_word_named(&s->tokens[i], "kernel") && !is_word_named(&s->tokens[i], "__kernel"))
            continue;
        size_t at = i + 1;
        while (at < s->count &&
               !(s->tokens[at].kind == TOKEN_NAME && is_sign(&s->tokens[at + 1], "(") &&
                 !is_word_named(&s->tokens[at], "__attribute__")) &&
               !is_sign(&s->tokens[at], "{") && !is_sign(&s->tokens[at], ";"))
            at = is_word_named(&s->tokens[at], "__attribute__") ? closing(s, at + 1) + 1 : at + 1;
        if (at >= s->count || s->tokens[at].kind != TOKEN_NAME)
            continue;
        struct found_kernel *k = &s->out->kernels[s->out->kernel_count++];
        k->name = s->tokens[at].text;
        read_group_size(s, at, k);
        read_kernel_arguments(s, at + 1, k);
    }
}

// get_global_id(1): two axes.
static void count_dimensions(struct survey *s)
{
    static const char *const asks[] = {"get_global_id",
                                       "get_local_id",
                                       "get_group_id",
                                       "get_local_size",
                                       "get_num_groups",
                                       "get_global_size",
                                       NULL};
    s->out->dimensions = 1;
    for (size_t i = 0; i + 2 < s->count; i++) {
        bool is_asked = s->tokens[i].kind == TOKEN_NAME && str_listed(asks, s->tokens[i].text);
        uint32_t axis = is_asked ? (uint32_t)strtoul(s->tokens[i + 2].text, NULL, 10) : 0;
        if (axis < 3 && axis + 1 > s->out->dimensions)
            s->out->dimensions = axis + 1;
    }
}

bool kernel_source_read(const char *text, size_t length, struct arena *a, struct kernel_source *out,
                        struct error *e)
{
    struct survey s = {.arena = a, .out = out};
    *out = (struct kernel_source){.kernels = NULL};
    s.tokens = tokens_read(text, length, a, &s.count);
    if (!s.tokens)
        return error_memory(e);
    s.declared = arena_array(a, s.count + 1, sizeof *s.declared);
    out->kernels = arena_array(a, s.count + 1, sizeof *out->kernels);
    out->names = arena_array(a, s.count + 1, sizeof *out->names);
    if (!s.declared || !out->kernels || !out->names)
        return error_memory(e);
    collect_kernels(&s);
    if (s.failed)
        return error_memory(e);
    for (uint32_t k = 0; k < s.out->kernel_count; k++) {
        declare(&s, s.out->kernels[k].name);
        for (uint32_t i = 0; i < s.out->kernels[k].argument_count; i++)
            declare(&s, s.out->kernels[k].arguments[i].name);
    }
    collect_declarations(&s);
    collect_open_names(&s);
    // A name that is an argument's type.
    for (uint32_t k = 0; k < s.out->kernel_count; k++) {
        for (uint32_t i = 0; i < s.out->kernels[k].argument_count; i++) {
            struct found_name *n = find_open(&s, s.out->kernels[k].arguments[i].type);
            if (n)
                n->is_type = true;
        }
    }
    count_dimensions(&s);
    return !s.failed || error_memory(e);
}
