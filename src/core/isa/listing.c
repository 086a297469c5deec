// Lists of instructions, with labels resolved in the end: a hash table from name and scope to the
// instruction behind it.
#include "isa/listing.h"

#include "base/text.h"

#include <string.h>

void listing_init(struct listing *l)
{
    *l = (struct listing){.count = 0};
    arena_init(&l->arena);
    listing_scope(l, 0);
}

void listing_release(struct listing *l)
{
    arena_release(&l->arena);
}

// Room for one more; what is outgrown stays in the arena.
#define LISTING_ROOM(l, items, count, room)                                                        \
    ((l)->failed |=                                                                                \
     (count) >= NOWHERE / 2 || !ARENA_ROOM(&(l)->arena, items, room, (size_t)(count) + 1),         \
     !(l)->failed)

struct instruction *listing_add(struct listing *l, size_t line)
{
    if (!LISTING_ROOM(l, l->instructions, l->count, l->room))
        return NULL;
    l->instructions[l->count] =
        (struct instruction){.line = line, .width = -1, .first_target = l->target_count};
    return &l->instructions[l->count++];
}

void listing_label(struct listing *l, const char *name, size_t length, uint32_t scope)
{
    if (!LISTING_ROOM(l, l->labels, l->label_count, l->label_room))
        return;
    l->labels[l->label_count++] =
        (struct name){.text = name, .length = length, .scope = scope, .at = l->count};
}

void listing_target(struct listing *l, const char *name, size_t length, uint32_t scope)
{
    if (!LISTING_ROOM(l, l->targets, l->target_count, l->target_room) || l->count == 0)
        return;
    l->targets[l->target_count++] =
        (struct name){.text = name, .length = length, .scope = scope, .at = NOWHERE};
    l->instructions[l->count - 1].target_count++;
}

uint32_t listing_scope(struct listing *l, uint32_t around)
{
    if (!LISTING_ROOM(l, l->scopes, l->scope_count, l->scope_room))
        return 0;
    l->scopes[l->scope_count] = around;
    return l->scope_count++;
}

// ---- resolving ---------------------------------------------------------------------------------

// A table of labels by their names' hashes, open addressing.
struct label_table {
    const struct listing *listing;
    uint32_t *slots; // index of a label, or NOWHERE
    uint32_t mask;
};

static uint32_t hash_of_name(const struct name *n, uint32_t scope)
{
    uint32_t hash = 2166136261u ^ scope;
    for (size_t i = 0; i < n->length; i++)
        hash = (hash ^ (unsigned char)n->text[i]) * 16777619u;
    return hash;
}

// The slot of the label of this name and scope, or the empty one where it would be.
static uint32_t *slot_of_name(const struct label_table *t, const struct name *n, uint32_t scope)
{
    uint32_t at = hash_of_name(n, scope) & t->mask;
    for (;; at = (at + 1) & t->mask) {
        if (t->slots[at] == NOWHERE)
            return &t->slots[at];
        const struct name *label = &t->listing->labels[t->slots[at]];
        if (label->scope == scope && label->length == n->length &&
            memcmp(label->text, n->text, n->length) == 0)
            return &t->slots[at];
    }
}

static bool fill_table(struct listing *l, struct label_table *t)
{
    uint32_t size = 16;
    while (size < l->label_count * 2 && size < NOWHERE / 4)
        size *= 2;
    *t = (struct label_table){.listing = l, .mask = size - 1};
    t->slots = arena_array(&l->arena, size, sizeof *t->slots);
    if (!t->slots)
        return false;
    for (uint32_t i = 0; i < size; i++)
        t->slots[i] = NOWHERE;
    for (uint32_t i = 0; i < l->label_count; i++)
        *slot_of_name(t, &l->labels[i], l->labels[i].scope) = i;
    return true;
}

void listing_resolve(struct listing *l)
{
    struct label_table table;
    if (l->failed || !fill_table(l, &table)) {
        l->failed = true;
        return;
    }
    for (uint32_t i = 0; i < l->target_count; i++) {
        struct name *target = &l->targets[i];
        uint32_t scope = target->scope, label = *slot_of_name(&table, target, scope);
        while (label == NOWHERE && scope != 0) {
            scope = l->scopes[scope];
            label = *slot_of_name(&table, target, scope);
        }
        if (label != NOWHERE && l->labels[label].at < l->count)
            target->at = l->labels[label].at;
    }
}

// ---- opcodes -----------------------------------------------------------------------------------

bool opcode_part(const char *opcode, unsigned index, char *out, size_t size)
{
    for (; index > 0; index--) {
        opcode = strchr(opcode, '.');
        if (!opcode)
            return false;
        opcode++;
    }
    size_t n = strcspn(opcode, ".");
    n = n < size ? n : size - 1;
    memcpy(out, opcode, n);
    out[n] = '\0';
    return true;
}

bool opcode_has(const char *opcode, const char *part)
{
    size_t length = strlen(part);
    for (const char *at = strchr(opcode, '.'); at; at = strchr(at, '.')) {
        at++;
        if (strncmp(at, part, length) == 0 && (at[length] == '.' || at[length] == '\0'))
            return true;
    }
    return false;
}

bool opcode_in(const char *opcodes, const char *opcode)
{
    size_t length = strlen(opcode), n;
    for (const char *o = opcodes; *o; o += n + (o[n] == ' ')) {
        n = strcspn(o, " ");
        const char *star = memchr(o, '*', n);
        size_t before = star ? (size_t)(star - o) : n, behind = star ? n - before - 1 : 0;
        if ((star ? length >= n - 1 : length == n) && memcmp(o, opcode, before) == 0 &&
            memcmp(o + n - behind, opcode + length - behind, behind) == 0)
            return true;
    }
    return false;
}

static const unsigned widths[CODE_WIDTHS] = {8, 16, 32, 64, 128, 256};

int width_index(unsigned bits)
{
    for (int i = 0; i < CODE_WIDTHS; i++) {
        if (widths[i] == bits)
            return i;
    }
    return -1;
}

unsigned code_width_bits(unsigned width)
{
    return width < CODE_WIDTHS ? widths[width] : 0;
}

// ---- kernels -----------------------------------------------------------------------------------

static bool has_name(const struct kernel_name *n, const char *kernel, size_t length)
{
    return length > 0 && memmem(n->text, n->length, kernel, length);
}

bool kernel_choose(const struct kernel_name *names, size_t count, const char *kernel, size_t *out,
                   struct error *e)
{
    size_t like = 0, stem = kernel ? strcspn(kernel, "<") : 0;
    for (size_t i = 0; i < count; i++) {
        bool is_it = kernel ? strlen(kernel) == names[i].length &&
                                  memcmp(kernel, names[i].text, names[i].length) == 0
                            : count == 1;
        if (is_it) {
            *out = i;
            return true;
        }
        if (kernel && has_name(&names[i], kernel, stem)) {
            like++;
            *out = i;
        }
    }
    if (like == 1)
        return true;
    struct text list = TEXT_INIT;
    for (size_t i = 0; i < count; i++)
        text_addf(&list, "%s%.*s", i ? ", " : "", (int)(names[i].length & 0xffff), names[i].text);
    if (count == 0)
        error_set(e, ERROR_INPUT, "there is no kernel in it");
    else if (kernel)
        error_set(e, ERROR_INPUT, "there is no kernel '%s' in it, but: %s", kernel,
                  text_cstr(&list));
    else
        error_set(e, ERROR_INPUT, "there are several kernels in it, one must be named: %s",
                  text_cstr(&list));
    text_release(&list);
    return false;
}
