// Types as kernels declare them, and the rules by which a spec's types agree with them.
#include "model/declared.h"

#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// ---- names -------------------------------------------------------------------------------------

// Types that one word names; a width may follow those with `is_base`.
static const struct {
    const char *name;
    enum scalar scalar;
    bool is_base;
} words[] = {
    {"char", SCALAR_I8, true},
    {"uchar", SCALAR_U8, true},
    {"short", SCALAR_I16, true},
    {"ushort", SCALAR_U16, true},
    {"int", SCALAR_I32, true},
    {"uint", SCALAR_U32, true},
    {"long", SCALAR_I64, true},
    {"ulong", SCALAR_U64, true},
    {"longlong", SCALAR_I64, true},
    {"ulonglong", SCALAR_U64, true},
    {"half", SCALAR_HALF, true},
    {"__half", SCALAR_HALF, true},
    {"float", SCALAR_FLOAT, true},
    {"double", SCALAR_DOUBLE, true},
    {"__nv_bfloat16", SCALAR_BFLOAT16, false},
    {"__nv_fp8_e4m3", SCALAR_E4M3, false},
    {"__nv_fp8_e5m2", SCALAR_E5M2, false},
    {"bool", SCALAR_BOOL, false},
    {"int8_t", SCALAR_I8, false},
    {"uint8_t", SCALAR_U8, false},
    {"int16_t", SCALAR_I16, false},
    {"uint16_t", SCALAR_U16, false},
    {"int32_t", SCALAR_I32, false},
    {"uint32_t", SCALAR_U32, false},
    {"int64_t", SCALAR_I64, false},
    {"uint64_t", SCALAR_U64, false},
};

static bool parse_width(const char *digits, enum language l, uint32_t *out)
{
    uint64_t width;
    bool is_number = *digits != '0' && str_to_u64(digits, &width) && width < 32;
    if (!is_number || !(language_traits(l)->vector_widths >> width & 1))
        return false;
    *out = (uint32_t)width;
    return true;
}

static bool parse_word(const char *word, enum language l, struct element *out)
{
    size_t base = strlen(word);
    *out = (struct element){.width = 1};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        out->scalar = words[i].scalar;
        if (strcmp(words[i].name, word) == 0)
            return true;
    }
    while (base > 0 && isdigit((unsigned char)word[base - 1]))
        base--;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        out->scalar = words[i].scalar;
        if (words[i].is_base && strlen(words[i].name) == base &&
            strncmp(words[i].name, word, base) == 0)
            return word[base] && parse_width(word + base, l, &out->width);
    }
    return false;
}

// How often each word of C's integers stands there; false for any other word.
struct integer_words {
    unsigned is_signed, is_unsigned, chars, shorts, ints, longs;
};

static bool count_words(const char *text, struct integer_words *out)
{
    *out = (struct integer_words){0};
    while (*text) {
        size_t n = strcspn(text, " ");
        char word[16];
        str_format(word, sizeof word, "%.*s", (int)(n < 15 ? n : 15), text);
        unsigned *count = strcmp(word, "signed") == 0     ? &out->is_signed
                          : strcmp(word, "unsigned") == 0 ? &out->is_unsigned
                          : strcmp(word, "char") == 0     ? &out->chars
                          : strcmp(word, "short") == 0    ? &out->shorts
                          : strcmp(word, "int") == 0      ? &out->ints
                          : strcmp(word, "long") == 0     ? &out->longs
                                                          : NULL;
        if (!count)
            return false;
        ++*count;
        text += n + strspn(text + n, " ");
    }
    return true;
}

static bool parse_integer(const char *text, struct element *out)
{
    struct integer_words n;
    if (!*text || !count_words(text, &n) || n.is_signed + n.is_unsigned > 1 || n.longs > 2 ||
        n.chars + n.shorts > 1 || (n.chars && n.ints + n.longs) || (n.shorts && n.longs))
        return false;
    unsigned signed_one = n.chars    ? SCALAR_I8
                          : n.shorts ? SCALAR_I16
                          : n.longs  ? SCALAR_I64
                                     : SCALAR_I32;
    // Each unsigned type stands behind its signed one.
    *out =
        (struct element){.scalar = (enum scalar)(signed_one + (n.is_unsigned ? 1 : 0)), .width = 1};
    return true;
}

_Static_assert(SCALAR_U8 == SCALAR_I8 + 1 && SCALAR_U16 == SCALAR_I16 + 1 &&
                   SCALAR_U32 == SCALAR_I32 + 1 && SCALAR_U64 == SCALAR_I64 + 1,
               "unsigned types stand behind their signed ones");

// Types of CUDA's libraries, which are others by another name.
static const char *library_type(const char *text)
{
    static const char *const names[][2] = {
        {"cuComplex", "float2"},           {"cuFloatComplex", "float2"},
        {"cuDoubleComplex", "double2"},    {"cufftReal", "float"},
        {"cufftDoubleReal", "double"},     {"cufftComplex", "float2"},
        {"cufftDoubleComplex", "double2"}, {"nv_bfloat16", "__nv_bfloat16"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i][0], text) == 0)
            return names[i][1];
    }
    return text;
}

bool declared_parse(const char *text, enum language l, struct element *out)
{
    text = library_type(text);
    bool is_size = language_traits(l)->has_size_type && strcmp(text, "size_t") == 0;
    bool known = is_size || parse_word(text, l, out) || parse_integer(text, out);
    if (is_size)
        *out = (struct element){.scalar = SCALAR_U64, .width = 1};
    if (known)
        out->packed = language_traits(l)->packs_three && out->width == 3;
    return known;
}

enum declared_kind declared_image_kind(const char *word)
{
    static const char *const starts[] = {"image2d", "image3d", "cudaTextureObject_t",
                                         "cudaSurfaceObject_t"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        if (str_starts(word, starts[i]))
            return DECLARED_IMAGE;
    }
    return strcmp(word, "sampler_t") == 0 ? DECLARED_SAMPLER : DECLARED_UNKNOWN;
}

// ---- agreement ---------------------------------------------------------------------------------

static bool is_byte(const struct element *el)
{
    return el->width == 1 && (el->scalar == SCALAR_I8 || el->scalar == SCALAR_U8);
}

// A kernel may take floats of 16 bits as their bits: OpenCL C has no name for some of them.
static bool same_component(const struct element *kernel, const struct element *given)
{
    bool to_float = scalar_is_float(kernel->scalar), is_float = scalar_is_float(given->scalar);
    if (to_float && is_float)
        return kernel->scalar == given->scalar;
    return scalar_bytes(kernel->scalar) == scalar_bytes(given->scalar) &&
           (to_float == is_float || (kernel->scalar == SCALAR_U16 && scalar_narrow(given->scalar)));
}

// A vector of three takes the room of one of four, unless the language packs it.
static bool same_width(const struct element *a, const struct element *b)
{
    return element_bytes(a) == element_bytes(b);
}

static enum declared_fault check_value(const struct element *kernel, const struct element *given)
{
    if (given->scalar == SCALAR_CUSTOM)
        return element_bytes(kernel) == element_bytes(given) ? DECLARED_FITS : DECLARED_OTHER_TYPE;
    if (!same_component(kernel, given))
        return DECLARED_OTHER_TYPE;
    return same_width(kernel, given) ? DECLARED_FITS : DECLARED_OTHER_WIDTH;
}

static enum declared_fault check_pointer(const struct declared *d, const struct passed *p)
{
    const struct element *kernel = &d->element, *given = &p->element;
    if (given->scalar == SCALAR_CUSTOM || is_byte(kernel) || (is_byte(given) && !p->generated))
        return DECLARED_FITS;
    if (!same_component(kernel, given))
        return DECLARED_OTHER_TYPE;
    bool differs = !same_width(kernel, given) && given->width > 1 && d->always;
    return differs ? DECLARED_OTHER_WIDTH : DECLARED_FITS;
}

// An address may be passed as a number of its size, where a language passes addresses.
static bool is_address(const struct declared *d, const struct passed *p, enum language l)
{
    const struct element *el = p->kind == ARGUMENT_SCALAR ? &p->element : &d->element;
    bool known = p->kind == ARGUMENT_SCALAR || d->has_element;
    return language_traits(l)->takes_addresses && (!known || element_bytes(el) == 8);
}

static enum declared_fault check_kind(const struct declared *d, const struct passed *p,
                                      enum language l)
{
    bool to_pointer = d->kind == DECLARED_POINTER, is_scalar = p->kind == ARGUMENT_SCALAR;
    if ((d->kind == DECLARED_IMAGE) != p->is_image ||
        (d->kind == DECLARED_SAMPLER) != (p->kind == ARGUMENT_SAMPLER))
        return DECLARED_OTHER_KIND;
    if (p->is_image || p->kind == ARGUMENT_SAMPLER)
        return DECLARED_FITS;
    if (to_pointer == is_scalar)
        return is_address(d, p, l) || (!to_pointer && !d->has_element) ? DECLARED_FITS
                                                                       : DECLARED_OTHER_KIND;
    if (p->kind == ARGUMENT_NULL)
        return DECLARED_FITS;
    enum declared_space other = p->kind == ARGUMENT_LOCAL ? SPACE_GLOBAL : SPACE_LOCAL;
    return to_pointer && d->space == other ? DECLARED_OTHER_KIND : DECLARED_FITS;
}

enum declared_fault declared_check(const struct declared *d, const struct passed *p,
                                   enum language l)
{
    if (d->kind == DECLARED_UNKNOWN)
        return DECLARED_FITS;
    enum declared_fault kind = check_kind(d, p, l);
    bool to_pointer = d->kind == DECLARED_POINTER, is_scalar = p->kind == ARGUMENT_SCALAR;
    // Local memory has no contents: its size in bytes is all that counts.
    if (kind != DECLARED_FITS || !d->has_element || to_pointer == is_scalar ||
        p->kind == ARGUMENT_LOCAL || p->kind == ARGUMENT_NULL || p->is_image)
        return kind;
    return is_scalar ? check_value(&d->element, &p->element) : check_pointer(d, p);
}

static bool is_generated(const struct job_fill *f)
{
    return f->kind == FILL_UNIFORM || f->kind == FILL_NORMAL || f->kind == FILL_GENERATOR;
}

struct passed declared_passed(const struct job *j, const struct job_argument *a)
{
    struct passed p = {.kind = a->kind, .element = a->element};
    if (a->kind != ARGUMENT_BUFFER)
        return p;
    const struct job_buffer *b = &j->buffers[a->buffer];
    p.element = b->element;
    p.generated = is_generated(&b->fill);
    p.is_image = b->image.dimensions > 0;
    return p;
}
