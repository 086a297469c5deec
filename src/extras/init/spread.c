// A member becomes a variable behind the others of the frame, and each use of it the name of that variable: what follows
// sees a kernel that takes its members one by one.
#include "extras/init/spread.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define SPREAD_MOST 64

struct spreading {
    struct syntax *syntax;
    struct function *kernel;
    const char *text; // of the source
    enum language language;
    struct arena *arena;
    struct spread_parameter *rows;
    uint32_t owners; // parameters that the text has
    bool failed;
};

static const struct layout *layout_of_record(struct spreading *s, const struct type *t)
{
    struct error none = ERROR_INIT;
    const struct layout *found = NULL;
    for (uint32_t i = 0; i < s->syntax->record_count; i++) {
        const struct record *r = &s->syntax->records[i];
        if (r->text && str_equal(r->name, t->words))
            found = layout_parse(s->arena, r->text, &none);
    }
    return found;
}

static const struct type *type_of_member(struct spreading *s, const struct layout_member *m)
{
    struct element el;
    uint32_t bytes, alignment;
    struct type *t = arena_alloc(s->arena, sizeof *t);
    if (!t)
        return NULL;
    layout_of_member(m, s->language, &el, &bytes, &alignment);
    *t = (struct type){.base = scalar_is_float(el.scalar) ? TYPE_FLOAT : TYPE_INTEGER,
                       .words = m->type,
                       .component = bytes,
                       .lanes = 1};
    return t;
}

// A number, or where there is an index a number of an array that has it.
static const struct layout_member *number_named(const struct layout *l, const char *name,
                                                const struct node *index)
{
    for (uint32_t i = 0; l && i < l->count; i++) {
        const struct layout_member *m = &l->members[i];
        if (m->inner || !str_equal(m->name, name) || layout_lanes(m) != 1)
            continue;
        return !index                                             ? (m->count ? NULL : m)
               : index->integer >= 0 && index->integer < m->count ? m
                                                                  : NULL;
    }
    return NULL;
}

// "shape_rows": a -D of the member's own name would change the text.
static const char *name_of_member(struct spreading *s, const char *owner, const char *member)
{
    const char *name = arena_printf(s->arena, "%s_%s", owner, member);
    while (name && strstr(s->text, name))
        name = arena_printf(s->arena, "%s_", name);
    return name;
}

// The parameter that stands for the member, or for the element of an array (`index` is no NULL); UINT32_MAX: it stays
// where it is.
static uint32_t parameter_of_member(struct spreading *s, uint32_t owner, const char *member,
                                    const struct node *index)
{
    struct function *f = s->kernel;
    const struct layout_member *m = number_named(s->rows[owner].layout, member, index);
    const char *name = member;
    if (m && index) {
        name = arena_printf(s->arena, "%s_%lld", member, (long long)index->integer);
        member = arena_printf(s->arena, "%s[%lld]", member, (long long)index->integer);
        s->failed = s->failed || !name || !member;
        if (s->failed)
            return UINT32_MAX;
    }
    for (uint32_t i = s->owners; i < f->parameter_count; i++)
        if (s->rows[i].owner == owner && str_equal(s->rows[i].member, member))
            return i;
    if (!m || f->parameter_count == s->owners + SPREAD_MOST)
        return UINT32_MAX;
    struct variable *v = &f->parameters[f->parameter_count];
    *v = (struct variable){.name = name_of_member(s, f->parameters[owner].name, name),
                           .type = type_of_member(s, m),
                           .from = f->parameters[owner].from,
                           .to = f->parameters[owner].to,
                           .slot = f->slots++};
    s->failed = s->failed || !v->name || !v->type;
    s->rows[f->parameter_count] = (struct spread_parameter){.owner = owner, .member = member};
    return f->parameter_count++;
}

static const char *const extent_words[] = {"dims",    "dim",    "shape", "sizes",
                                           "extents", "extent", NULL};

int spread_extent(const char *member)
{
    char name[16];
    const char *bracket = member ? strchr(member, '[') : NULL;
    if (!bracket || bracket - member >= (ptrdiff_t)sizeof name)
        return -1;
    str_format(name, sizeof name, "%.*s", (int)(bracket - member), member);
    return str_listed(extent_words, name) ? atoi(bracket + 1) : -1;
}

const struct layout_member *spread_extents(const struct layout *l, const struct layout_member *m)
{
    for (uint32_t i = 0; m->count && str_contains_nocase(m->name, "stride") && i < l->count; i++) {
        const struct layout_member *x = &l->members[i];
        if (x != m && x->count == m->count && !x->inner && str_listed(extent_words, x->name))
            return x;
    }
    return NULL;
}

static struct node *new_node(struct spreading *s, enum node_kind kind, const struct node *like)
{
    struct node *n = arena_alloc(s->arena, sizeof *n);
    s->failed = s->failed || !n;
    if (n)
        *n = (struct node){.kind = kind, .line = like->line};
    return n;
}

static void name_parameter(const struct spreading *s, struct node *n, uint32_t at)
{
    n->kind = NODE_NAME;
    n->name = s->kernel->parameters[at].name;
    n->slot = s->kernel->parameters[at].slot;
    n->a = n->b = NULL;
}

// Makes of shape.strides[2] the product of the extents before it. False: it is no stride.
static bool spread_stride(struct spreading *s, struct node *n, const struct node *member)
{
    const uint32_t owner = member->a->slot;
    const struct layout *l = s->rows[owner].layout;
    const struct layout_member *m = number_named(l, member->name, n->b);
    const struct layout_member *extents = m ? spread_extents(l, m) : NULL;
    struct node *all = NULL;
    const int64_t count = extents ? n->b->integer : 0;
    for (int64_t i = 0; i < count && !s->failed; i++) {
        const struct node index = {.kind = NODE_NUMBER, .integer = i};
        const uint32_t at = parameter_of_member(s, owner, extents->name, &index);
        struct node *one = at == UINT32_MAX ? NULL : new_node(s, NODE_NAME, n);
        if (!one)
            return false;
        name_parameter(s, one, at);
        struct node *product = all ? new_node(s, NODE_BINARY, n) : one;
        if (all && product) {
            product->sign = SIGN('*', 0, 0);
            product->a = all;
            product->b = one;
        }
        all = product;
    }
    if (!extents || s->failed)
        return false;
    const uint32_t line = n->line;
    *n = all ? *all : (struct node){.kind = NODE_NUMBER, .integer = 1};
    n->line = line;
    return true;
}

static void spread_node(struct spreading *s, struct node *n)
{
    if (!n || s->failed)
        return;
    const bool is_element = n->kind == NODE_INDEX && n->b && n->b->kind == NODE_NUMBER;
    const struct node *m = is_element ? n->a : n;
    bool is_member = m && m->kind == NODE_MEMBER && m->a && m->a->kind == NODE_NAME &&
                     m->a->slot < s->owners && s->rows[m->a->slot].layout;
    if (is_member && is_element && spread_stride(s, n, m))
        return;
    uint32_t at = is_member ? parameter_of_member(s, m->a->slot, m->name, is_element ? n->b : NULL)
                            : UINT32_MAX;
    if (at != UINT32_MAX && !s->failed) {
        name_parameter(s, n, at);
        return;
    }
    for (uint32_t i = 0; i < node_parts(n); i++)
        spread_node(s, node_part(n, i));
}

bool spread_structs(struct syntax *syntax, struct function *kernel, const char *text,
                    enum language l, struct arena *a, struct spread_parameter **out)
{
    struct spreading s = {.syntax = syntax,
                          .kernel = kernel,
                          .text = text,
                          .language = l,
                          .arena = a,
                          .owners = kernel->parameter_count};
    const size_t room = kernel->parameter_count + (size_t)SPREAD_MOST + 1;
    struct variable *all = arena_array(a, room, sizeof *all);
    bool is_any = false;
    *out = s.rows = arena_array(a, room, sizeof *s.rows);
    if (!all || !s.rows)
        return false;
    for (uint32_t i = 0; i < s.owners; i++) {
        const struct type *t = kernel->parameters[i].type;
        all[i] = kernel->parameters[i];
        s.rows[i].owner = i;
        if (t->base == TYPE_RECORD && !t->stars && !t->is_reference)
            s.rows[i].layout = layout_of_record(&s, t);
        is_any = is_any || s.rows[i].layout;
    }
    kernel->parameters = all;
    if (is_any)
        spread_node(&s, kernel->body);
    return !s.failed;
}
