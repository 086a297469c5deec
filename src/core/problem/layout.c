// Structs are read member by member, and laid out as C does it: each at a multiple of its alignment, the whole a multiple
// of the largest.
#include "problem/layout.h"

#include "base/text.h"
#include "model/job.h"

#include <ctype.h>
#include <string.h>

#define MOST_BYTES   4096 // CUDA takes so many of arguments
#define MOST_MEMBERS 1024

struct layout_reader {
    struct arena *arena;
    struct error *error;
    const char *at;
    unsigned depth;
};

static const struct layout *read_layout(struct layout_reader *r);

static void skip_space(struct layout_reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static bool accept_character(struct layout_reader *r, char c)
{
    skip_space(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static bool refuse_layout(const struct layout_reader *r, const char *wanted)
{
    return error_set(r->error, ERROR_INPUT,
                     "%s is expected at '%.20s'; a struct is written: "
                     "struct {int rows, cols; float gain[4];}",
                     wanted, *r->at ? r->at : "the end");
}

static size_t word_length(const char *at)
{
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '_')
        n++;
    return n;
}

bool layout_is_struct(const char *text)
{
    if (!text || strncmp(text, "struct", 6) != 0)
        return false;
    for (text += 6; isspace((unsigned char)*text);)
        text++;
    return *text == '{';
}

// In the words of this language, or else of any: a spec's layout serves all of its languages.
static bool parse_member_type(const char *words, enum language l, struct element *out)
{
    bool known = declared_parse(words, l, out);
    for (unsigned other = 0; !known && other < LANGUAGE_COUNT; other++)
        known = declared_parse(words, (enum language)other, out);
    return known;
}

// The words of a type: all but the last, which is the first member's name.
static bool read_type_words(struct layout_reader *r, const char **out)
{
    struct text words = TEXT_INIT;
    for (skip_space(r);; skip_space(r)) {
        size_t n = word_length(r->at);
        const char *behind = r->at + n;
        while (isspace((unsigned char)*behind))
            behind++;
        if (n == 0 || word_length(behind) == 0)
            break;
        if (n != 5 || strncmp(r->at, "const", 5) != 0)
            text_addf(&words, "%s%.*s", words.length ? " " : "", (int)n, r->at);
        r->at += n;
    }
    *out = text_to_arena(&words, r->arena);
    struct element el;
    if (!*out)
        return error_memory(r->error);
    if (!parse_member_type(*out, (enum language)0, &el))
        return error_set(
            r->error, ERROR_INPUT,
            "'%s' is not a type of a member that hone knows: int, float, uint4 and the "
            "like are, and struct {...}",
            *out);
    return true;
}

static bool read_member(struct layout_reader *r, struct layout_member *m)
{
    skip_space(r);
    size_t n = word_length(r->at);
    uint64_t count = 0;
    if (n == 0 || isdigit((unsigned char)*r->at))
        return refuse_layout(r, "a member's name");
    m->name = arena_strndup(r->arena, r->at, n);
    r->at += n;
    if (!m->name)
        return error_memory(r->error);
    if (!accept_character(r, '['))
        return true;
    for (skip_space(r); isdigit((unsigned char)*r->at) && count < MOST_BYTES; r->at++)
        count = count * 10 + (uint64_t)(*r->at - '0');
    m->count = (uint32_t)count;
    return (count > 0 && accept_character(r, ']')) || refuse_layout(r, "a number, and ']',");
}

// "int rows, cols;"
static bool read_members(struct layout_reader *r, struct layout *out, size_t *room)
{
    struct layout_member m = {.name = NULL};
    skip_space(r);
    if (layout_is_struct(r->at)) {
        if (!(m.inner = read_layout(r)))
            return false;
    } else if (!read_type_words(r, &m.type)) {
        return false;
    }
    do {
        m.count = 0;
        if (!read_member(r, &m))
            return false;
        if (out->count == MOST_MEMBERS)
            return refuse_layout(r, "no further member");
        if (!ARENA_ROOM(r->arena, out->members, *room, out->count + (size_t)1))
            return error_memory(r->error);
        out->members[out->count++] = m;
    } while (accept_character(r, ','));
    return accept_character(r, ';') || refuse_layout(r, "';'");
}

static const struct layout *read_layout(struct layout_reader *r)
{
    struct layout *out = arena_alloc(r->arena, sizeof *out);
    size_t room = 0;
    if (!out)
        return error_no_memory(r->error);
    *out = (struct layout){.members = NULL};
    r->at = strchr(r->at, '{') + 1;
    if (++r->depth > 16) {
        refuse_layout(r, "no struct that deep");
        return NULL;
    }
    while (!accept_character(r, '}'))
        if (!read_members(r, out, &room))
            return NULL;
    r->depth--;
    if (out->count > 0)
        return out;
    refuse_layout(r, "a member");
    return NULL;
}

const struct layout *layout_parse(struct arena *a, const char *text, struct error *e)
{
    struct layout_reader r = {.arena = a, .error = e, .at = text};
    const struct layout *out = read_layout(&r);
    skip_space(&r);
    if (!out || !*r.at)
        return out;
    refuse_layout(&r, "nothing more");
    return NULL;
}

// ---- where members lie --------------------------------------------------------------------------

uint32_t layout_lanes(const struct layout_member *m)
{
    struct element el = {.width = 1};
    return m->type && parse_member_type(m->type, (enum language)0, &el) ? el.width : 1;
}

void layout_of_member(const struct layout_member *m, enum language l, struct element *element,
                      uint32_t *bytes, uint32_t *alignment)
{
    *element = (struct element){.scalar = SCALAR_CUSTOM, .width = 1};
    if (m->inner) {
        if (!layout_measure(m->inner, l, bytes, alignment))
            *bytes = MOST_BYTES;
        element->custom_bytes = *bytes;
        return;
    }
    parse_member_type(m->type, l, element);
    bool packs = language_traits(l)->packs_three;
    element->packed = packs && element->width == 3;
    *bytes = element_bytes(element);
    *alignment = element->packed ? scalar_bytes(element->scalar) : *bytes;
    if (packs && *alignment > 16)
        *alignment = 16;
}

bool layout_measure(const struct layout *s, enum language l, uint32_t *bytes, uint32_t *alignment)
{
    uint64_t sum = 0;
    *alignment = 1;
    for (uint32_t i = 0; i < s->count && sum <= MOST_BYTES; i++) {
        struct element el;
        uint32_t own, to;
        layout_of_member(&s->members[i], l, &el, &own, &to);
        sum = (sum + to - 1) / to * to +
              (uint64_t)own * (s->members[i].count ? s->members[i].count : 1);
        *alignment = to > *alignment ? to : *alignment;
    }
    sum = (sum + *alignment - 1) / *alignment * *alignment;
    *bytes = (uint32_t)(sum < MOST_BYTES ? sum : MOST_BYTES);
    return sum <= MOST_BYTES;
}

static void mark_members(const struct layout *s, enum language l, char *out)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct layout_member *m = &s->members[i];
        struct element el;
        uint32_t bytes, alignment;
        layout_of_member(m, l, &el, &bytes, &alignment);
        at = (at + alignment - 1) / alignment * alignment;
        for (uint32_t k = 0; k < (m->count ? m->count : 1); k++, at += bytes) {
            if (m->inner)
                mark_members(m->inner, l, out + at);
            else
                memset(out + at, 'x', scalar_bytes(el.scalar) * el.width);
        }
    }
}

const char *layout_padding(struct arena *a, const struct layout *s, enum language l)
{
    uint32_t bytes, alignment;
    char *out = layout_measure(s, l, &bytes, &alignment) ? arena_alloc(a, bytes + (size_t)1) : NULL;
    if (!out)
        return NULL;
    memset(out, PADDING, bytes);
    out[bytes] = '\0';
    mark_members(s, l, out);
    return strchr(out, PADDING) ? out : "";
}
