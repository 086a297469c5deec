// A kernel's parameters from its source, as kernel_text reads it: the lines that the compiler sees,
// -D options and the text's own macros replaced, and of that the function's head. What -D gives
// without a value that is known, what only may be compiled, and types that are written nowhere leave
// a parameter, or the whole of it, unknown.
#include "problem/signature.h"

#include "base/text.h"
#include "kernel_text/preprocess.h"
#include "kernel_text/syntax.h"

#include <string.h>

struct reading {
    const struct spec_sources *src;
    const struct language_traits *traits;
    const struct program_sources *program;
    struct arena *arena;
    struct preprocessed text;
    struct syntax syntax;
};

enum outcome { READ_IS_DONE, READ_IS_STRANGE, READ_HAS_NO_MEMORY };

// `keeps`: -D options stay names.
static enum outcome read_program(struct reading *r, const struct spec_sources *src,
                                 const struct program_sources *p, const struct follow_macro *macros,
                                 bool keeps, struct arena *a)
{
    struct follow f = p->follow;
    f.terms.given = macros;
    f.terms.assumes = true;
    f.terms.keeps_given = keeps;
    *r = (struct reading){
        .src = src, .traits = language_traits(src->language), .program = p, .arena = a};
    if (!preprocess_run(&f, a, &r->text))
        return READ_HAS_NO_MEMORY;
    if (r->text.failed)
        return READ_IS_STRANGE;
    return syntax_read(&r->text, src->language, a, &r->syntax) ? READ_IS_DONE : READ_HAS_NO_MEMORY;
}

static bool is_sign_token(const struct token *t, const char *text)
{
    return t->kind == TOKEN_SIGN && strcmp(t->text, text) == 0;
}

static bool is_word_token(const struct token *t, const char *text)
{
    return t->kind == TOKEN_NAME && strcmp(t->text, text) == 0;
}

// ---- a parameter -------------------------------------------------------------------------------

// As the source has it, blanks between words. What several macros made is one text of the source's
// only if it stands there in one piece.
static const char *parameter_text(const struct reading *r, const struct variable *v)
{
    const struct token *from = v->from, *to = v->to;
    const struct token *first = from->origin, *last = to[-1].origin;
    struct text out = TEXT_INIT;
    if (first <= last && last - first < 64 && from->file == to[-1].file &&
        (first < last || to - from == 1)) {
        from = first;
        to = last + 1;
    }
    for (const struct token *t = from; t < to; t++) {
        bool joined = out.length == 0 || is_sign_token(t - 1, "*") || is_sign_token(t - 1, "[") ||
                      is_sign_token(t, "[") || is_sign_token(t, "]");
        if (!t->directive)
            text_addf(&out, "%s%s", joined ? "" : " ", t->text);
    }
    return text_to_arena(&out, r->arena);
}

// Attributes may change the type in any way, and so may a name that a macro stands for.
static bool is_plain_declaration(const struct variable *v)
{
    static const char *const words[] = {"__attribute__", "__align__", "alignas", NULL};
    for (const struct token *t = v->from; t < v->to; t++) {
        if (t->open || (t->kind == TOKEN_NAME && str_listed(words, t->text)))
            return false;
    }
    return true;
}

static struct declared declared_of(const struct reading *r, const struct type *t)
{
    const bool is_other = t->base == TYPE_RECORD || t->base == TYPE_OPEN || t->base == TYPE_OPAQUE;
    struct declared d = {.kind = t->stars > 0 ? DECLARED_POINTER : DECLARED_VALUE};
    d.space = t->space == SPACE_SHARED ? SPACE_LOCAL
              : t->space == SPACE_OWN  ? SPACE_UNKNOWN
                                       : SPACE_GLOBAL;
    const enum declared_kind image = declared_image_kind(t->words ? t->words : "");
    if (image != DECLARED_UNKNOWN && !t->stars)
        d.kind = image;
    else if (t->is_reference || (is_other && !t->stars && !r->traits->takes_structs))
        d.kind = DECLARED_UNKNOWN; // neither a value nor a pointer
    else
        d.has_element = !is_other && t->stars < 2 && t->words &&
                        declared_parse(t->words, r->src->language, &d.element);
    return d;
}

// False when not even the number of parameters is sure: a name that stands alone may be none.
static bool read_parameter(const struct reading *r, const struct variable *v,
                           struct signature_parameter *out)
{
    const struct type *t = v->type;
    const bool is_open = t->base == TYPE_OPEN || t->base == TYPE_OPAQUE;
    *out = (struct signature_parameter){.text = parameter_text(r, v),
                                        .name = *v->name ? v->name : NULL,
                                        .is_const = (t->is_const || t->space == SPACE_FIXED) &&
                                                    t->stars < 2,
                                        .use = PARAMETER_READ | PARAMETER_WRITTEN};
    if (is_plain_declaration(v))
        out->declared = declared_of(r, t);
    for (uint32_t i = 0; t->base == TYPE_RECORD && !t->stars && i < r->syntax.record_count; i++)
        if (str_equal(r->syntax.records[i].name, t->words))
            out->record = r->syntax.records[i].text;
    return !(is_open && (!out->name || (r->text.is_open && t->base == TYPE_OPEN)));
}

// ---- the kernel --------------------------------------------------------------------------------

// Is the list, from its opening bracket, surely seen, with nothing in it that may be several parameters?
static bool is_list_sure(const struct function *f)
{
    int depth = 0;
    for (const struct token *t = f->name_token; t < f->to; t++) {
        if (!t->is_sure || t->open == TOKEN_IS_ANY)
            return false;
        depth += is_sign_token(t, "(") - is_sign_token(t, ")");
        if (depth == 0 && is_sign_token(t, ")"))
            return true;
    }
    return false;
}

// ---- what the kernel does with its pointers -----------------------------------------------------

// The closing bracket of the pair that opens here; the last token if there is none.
static const struct token *find_closing(const struct reading *r, const struct token *open)
{
    static const char *const opens[] = {"(", "[", "{", NULL}, *const closes[] = {")", "]", "}",
                                                                                 NULL};
    const struct token *last = r->text.tokens + r->text.count;
    int depth = 0;
    for (const struct token *t = open; t < last; t++) {
        bool is_code = t->kind == TOKEN_SIGN;
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
    return name >= r->text.tokens + 2 && is_sign_token(name - 1, "(") &&
           is_word_token(name - 2, "sizeof");
}

// Beside enum parameter_use: a use other than reading or assigning an element may do both.
#define PARAMETER_UNSURE 4u

// `(name[i]) = 1`, as a macro writes it: the sign behind the brackets around an element, where it assigns; else `t`,
// what stands behind the element. `if (name[i]) ++k;` is none.
static const struct token *skip_own_brackets(const struct reading *r, const struct token *before,
                                             const struct token *t)
{
    const struct token *after = t;
    while (before > r->text.tokens && is_sign_token(before, "(") && is_sign_token(after, ")")) {
        before--;
        after++;
    }
    const bool is_sign = after > t && after->kind == TOKEN_SIGN;
    const size_t length = is_sign ? strlen(after->text) : 0;
    const bool is_assigning = length && after->text[length - 1] == '=' &&
                              (length == 1 || !strchr("=!<>", after->text[0]) || length == 3);
    return is_assigning ? after : t;
}

// The use that an expression with the pointer's name makes of its memory.
static unsigned use_at(const struct reading *r, const struct token *name)
{
    static const char *const changes[] = {
        "+=", "-=", "*=", "/=", "++", "--", "|=", "&=", "^=", "%=", "<<=", ">>=", NULL};
    const unsigned both = PARAMETER_READ | PARAMETER_WRITTEN, unsure = both | PARAMETER_UNSURE;
    const struct token *before = name > r->text.tokens ? name - 1 : name;
    if (is_sign_token(before, ".") || is_sign_token(before, "->"))
        return 0; // a member of that name
    if (!is_sign_token(name + 1, "[") || is_sign_token(before, "&") ||
        is_sign_token(before, "++") || is_sign_token(before, "--") || is_measured(r, name))
        return unsure;
    const struct token *t = find_closing(r, name + 1);
    if (t >= r->text.tokens + r->text.count)
        return unsure;
    t++;
    if (is_sign_token(t, "[") || is_sign_token(t, "."))
        return unsure; // of what lies there
    t = skip_own_brackets(r, before, t);
    if (is_sign_token(t, "="))
        return PARAMETER_WRITTEN;
    bool is_changed = t->kind == TOKEN_SIGN && str_listed(changes, t->text);
    return is_changed ? both : PARAMETER_READ;
}

// `name[...] = ... name[...] ...;` reads before it writes.
static bool reads_to_assign(const struct reading *r, const struct token *name)
{
    const struct token *last = r->text.tokens + r->text.count, *t = find_closing(r, name + 1) + 2;
    for (; t < last && !is_sign_token(t, ";"); t++) {
        if (is_word_token(t, name->text))
            return use_at(r, t) == PARAMETER_READ;
    }
    return false;
}

static void note_use(const struct reading *r, const struct token *t, struct signature_parameter *p,
                     unsigned *all)
{
    unsigned use = use_at(r, t);
    bool is_sure = !(use & PARAMETER_UNSURE) && t->is_sure, is_first = *all == 0;
    *all |= use;
    p->is_open = p->is_open || !t->is_sure;
    if (!is_sure)
        return;
    p->writes = p->writes || (use & PARAMETER_WRITTEN);
    if (is_first)
        p->reads_first = use == PARAMETER_WRITTEN ? reads_to_assign(r, t) : use != 0;
}

// ---- what the kernel does with its images ----------------------------------------------------

// The name of the function in whose call's brackets a token stands; NULL: it stands in no call's.
static const struct token *find_call(const struct reading *r, const struct token *t)
{
    const struct token *first = r->text.tokens, *at = t - 1;
    for (int depth = 0; at > first && (depth > 0 || !is_sign_token(at, "(")); at--) {
        if (is_sign_token(at, ";") || is_sign_token(at, "{"))
            return NULL;
        depth += is_sign_token(at, ")") - is_sign_token(at, "(");
    }
    at--;
    if (at > first && is_sign_token(at, ">")) {
        while (at > first && !is_sign_token(at, "<"))
            at--;
        at--;
    }
    return at > first && at->kind == TOKEN_NAME ? at : NULL;
}

// Reading or writing by read_imagef, tex2D<float>, surf2Dwrite<uchar4> and the like, and the elements
// if it says them; 0: it is none of these.
static unsigned image_use_of(const struct reading *r, const struct token *call, struct element *el,
                             bool *has_element)
{
    static const struct {
        const char *start, *type;
        unsigned use;
    } calls[] = {
        {"read_imagef", "float4", PARAMETER_READ},
        {"read_imageui", "uint4", PARAMETER_READ},
        {"read_imagei", "int4", PARAMETER_READ},
        {"read_imageh", "half4", PARAMETER_READ},
        {"write_imagef", "float4", PARAMETER_WRITTEN},
        {"write_imageui", "uint4", PARAMETER_WRITTEN},
        {"write_imagei", "int4", PARAMETER_WRITTEN},
        {"write_imageh", "half4", PARAMETER_WRITTEN},
        {"tex2D", NULL, PARAMETER_READ},
        {"tex3D", NULL, PARAMETER_READ},
        {"surf2Dread", NULL, PARAMETER_READ},
        {"surf3Dread", NULL, PARAMETER_READ},
        {"surf2Dwrite", NULL, PARAMETER_WRITTEN},
        {"surf3Dwrite", NULL, PARAMETER_WRITTEN},
    };
    size_t i = 0;
    while (i < sizeof calls / sizeof *calls && !str_starts(call->text, calls[i].start))
        i++;
    if (i == sizeof calls / sizeof *calls || call->kind != TOKEN_NAME)
        return 0;
    struct text type = TEXT_INIT;
    const struct token *last = r->text.tokens + r->text.count, *word = call + 2;
    for (; is_sign_token(call + 1, "<") && word < last && !is_sign_token(word, ">"); word++)
        text_addf(&type, "%s%s", type.length ? " " : "", word->text);
    *has_element =
        declared_parse(calls[i].type ? calls[i].type : text_cstr(&type), r->src->language, el);
    text_release(&type);
    return calls[i].use;
}

// A kernel that hands its images to other functions: what all such calls of the text agree on.
static void find_texel_anywhere(const struct reading *r, struct signature_parameter *p)
{
    const struct token *last = r->text.tokens + r->text.count;
    bool differs = false;
    for (const struct token *t = r->text.tokens; t + 1 < last; t++) {
        struct element el;
        bool has_element = false;
        if (!(image_use_of(r, t, &el, &has_element) & p->use) || !has_element)
            continue;
        differs = differs ||
                  (p->has_texel && (p->texel.scalar != el.scalar || p->texel.width != el.width));
        p->has_texel = true;
        p->texel = el;
    }
    p->has_texel = p->has_texel && !differs;
}

// OpenCL says the access in the declaration, and where it does not, the image is only read.
static void find_image_uses(const struct reading *r, const struct variable *v,
                            const struct token *from, const struct token *to,
                            struct signature_parameter *p)
{
    unsigned use = 0;
    const bool is_surface = strstr(v->type->words, "Surface") != NULL;
    for (const struct token *t = from; t < to; t++) {
        const struct token *call = is_word_token(t, p->name) ? find_call(r, t) : NULL;
        struct element el;
        bool has_element = false;
        if (!call)
            continue;
        use |= image_use_of(r, call, &el, &has_element);
        if (has_element && !p->has_texel)
            p->texel = el;
        p->has_texel = p->has_texel || has_element;
    }
    p->use = !is_surface ? PARAMETER_READ : use ? use : PARAMETER_READ | PARAMETER_WRITTEN;
    for (const struct token *t = v->from; t < v->to; t++) {
        if (is_word_token(t, "write_only") || is_word_token(t, "__write_only"))
            p->use = PARAMETER_WRITTEN;
        else if (is_word_token(t, "read_write") || is_word_token(t, "__read_write"))
            p->use = PARAMETER_READ | PARAMETER_WRITTEN;
    }
    p->is_const = p->use == PARAMETER_READ;
    if (!p->has_texel)
        find_texel_anywhere(r, p);
}

static void find_uses(const struct reading *r, const struct function *f, struct signature *out)
{
    const struct token *from =
        f->parameter_count ? f->parameters[f->parameter_count - 1].to : f->to;
    while (from < f->to && !is_sign_token(from, "{"))
        from++;
    for (uint32_t i = 0; i < out->count; i++) {
        struct signature_parameter *p = &out->parameters[i];
        unsigned use = 0;
        if (p->declared.kind == DECLARED_IMAGE && p->name)
            find_image_uses(r, &f->parameters[i], from, f->to, p);
        if (p->declared.kind != DECLARED_POINTER || !p->name)
            continue;
        for (const struct token *t = from; t < f->to; t++) {
            if (is_word_token(t, p->name))
                note_use(r, t, p, &use);
        }
        if (use)
            p->use = use & ~PARAMETER_UNSURE;
    }
}

// Is the name nowhere in front of a bracket, other than in a call?
static bool is_absent(const struct reading *r, const char *kernel)
{
    const char *last = strrchr(kernel, ':');
    kernel = last ? last + 1 : kernel;
    int depth = 0;
    for (const struct token *t = r->text.tokens; t < r->text.tokens + r->text.count; t++) {
        depth += is_sign_token(t, "{") - is_sign_token(t, "}");
        if (t->open == TOKEN_IS_ANY && depth == 0)
            return false;
        bool is_call = t > r->text.tokens && t[-1].kind == TOKEN_SIGN && !is_sign_token(t - 1, "*");
        if (is_word_token(t, kernel) && is_sign_token(t + 1, "(") && !is_call)
            return false;
    }
    return true;
}

static bool read_signature_of(struct reading *r, const char *kernel, struct signature *out)
{
    const struct function *f = syntax_function(&r->syntax, kernel);
    if (!f || !f->is_kernel) {
        out->absent = is_absent(r, kernel);
        return true;
    }
    if (f->is_several || f->template_count || !f->has_head || !is_list_sure(f))
        return true;
    out->parameters =
        arena_array(r->arena, f->parameter_count + (size_t)1, sizeof *out->parameters);
    if (!out->parameters)
        return false;
    for (; out->count < f->parameter_count; out->count++) {
        if (!read_parameter(r, &f->parameters[out->count], &out->parameters[out->count]))
            return true;
        if (!out->parameters[out->count].text)
            return false;
    }
    find_uses(r, f, out);
    out->known = true;
    out->file = r->program->list[f->name_token->file].name;
    out->line = f->name_token->origin->line;
    return true;
}

bool signature_read(const struct spec_sources *src, const struct program_sources *p,
                    const struct follow_macro *macros, const char *kernel, struct arena *a,
                    struct signature *out)
{
    struct reading r;
    enum outcome outcome = read_program(&r, src, p, macros, false, a);
    *out = (struct signature){.known = false};
    return outcome == READ_IS_DONE ? read_signature_of(&r, kernel, out)
                                   : outcome == READ_IS_STRANGE;
}

// PTX: ".visible .entry NAME(".
static bool list_ptx_kernels(const char *text, struct arena *a, const char *const **names,
                             uint32_t *count)
{
    static const char word[] = ".entry ";
    size_t room = 0;
    const char **list = NULL;
    bool ok = true;
    for (const char *at = text; ok && (at = strstr(at, word)); (*count)++) {
        at += strlen(word);
        ok = ARENA_ROOM(a, list, room, *count + (size_t)1);
        if (ok)
            ok = (list[*count] = arena_strndup(a, at, strcspn(at, " (\t\n"))) != NULL;
    }
    *names = list;
    return ok;
}

// ---- all kernels -------------------------------------------------------------------------------

bool signature_kernels(const struct spec_sources *src, const struct program_sources *p,
                       const struct follow_macro *macros, struct arena *a,
                       const char *const **names, uint32_t *count)
{
    struct reading r;
    *count = 0;
    if (code_form_of(p->text, p->length) == FORM_PTX)
        return list_ptx_kernels(p->text, a, names, count);
    enum outcome outcome = read_program(&r, src, p, macros, false, a);
    const uint32_t most = outcome == READ_IS_DONE ? r.syntax.function_count : 0;
    const char **list = arena_array(a, most + (size_t)1, sizeof *list);
    *count = 0;
    *names = list;
    for (uint32_t i = 0; list && i < most; i++) {
        const struct function *f = &r.syntax.functions[i];
        if (f->is_kernel && !f->template_count && !(f->is_inner && r.traits->is_plain_call))
            list[(*count)++] = f->name;
    }
    return list && outcome != READ_HAS_NO_MEMORY;
}

static void note_name(const struct reading *r, const char *name, bool *named)
{
    uint32_t index = scan_name_index(&r->src->names, name, strlen(name));
    if (index < r->src->first_extra)
        named[index] = true;
}

// In front of a comma or the list's end, whatever stands there: the kernel may take what no reader
// understands.
static void note_parameter_names(const struct reading *r, const struct function *f, bool *named)
{
    const struct token *end = find_closing(r, f->from), *name = NULL;
    bool has_default = false;
    for (const struct token *t = f->from + 1; t <= end && t < f->to; t++) {
        has_default = has_default || is_sign_token(t, "=");
        if (t == end || is_sign_token(t, ",")) {
            // A single name is a type.
            if (name && name > f->from + 1 && !is_sign_token(name - 1, ","))
                note_name(r, name->text, named);
            name = NULL;
            has_default = false;
        } else if (is_sign_token(t, "[")) {
            t = find_closing(r, t);
        } else if (!has_default) {
            name = t->kind == TOKEN_NAME ? t : NULL;
        }
    }
}

bool signature_note_names(const struct spec_sources *src, const struct program_sources *p,
                          const char *kernel, struct arena *a, bool *named)
{
    struct reading r;
    struct follow_macro *macros = arena_array(a, src->names.count + (size_t)1, sizeof *macros);
    if (!macros)
        return false;
    for (uint32_t i = 0; i < src->names.count; i++)
        macros[i].given = true; // with a value that is not known
    enum outcome outcome = read_program(&r, src, p, macros, true, a);
    for (uint32_t i = 0; outcome == READ_IS_DONE && i < r.syntax.function_count; i++) {
        const struct function *f = &r.syntax.functions[i];
        // A name given as -D would break the head of any function that has it.
        if (function_is_named(f, kernel) || !p->list[f->name_token->file].outside)
            note_parameter_names(&r, f, named);
        for (uint32_t k = 0; k < f->template_count; k++) // as -D it would break this line
            note_name(&r, f->templates[k].name, named);
    }
    return outcome != READ_HAS_NO_MEMORY;
}
