// A member becomes a variable behind the others of the frame, and each use of it the name of that variable: what follows
// sees a kernel that takes its members one by one.
#include "extras/init/spread.h"

#include "base/text.h"

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

static const struct layout_member *number_named(const struct layout *l, const char *name)
{
    for (uint32_t i = 0; l && i < l->count; i++) {
        const struct layout_member *m = &l->members[i];
        if (!m->inner && !m->count && str_equal(m->name, name))
            return layout_lanes(m) == 1 ? m : NULL;
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

// The parameter that stands for the member; UINT32_MAX: it stays where it is.
static uint32_t parameter_of_member(struct spreading *s, uint32_t owner, const char *member)
{
    struct function *f = s->kernel;
    const struct layout_member *m = number_named(s->rows[owner].layout, member);
    for (uint32_t i = s->owners; i < f->parameter_count; i++)
        if (s->rows[i].owner == owner && str_equal(s->rows[i].member, member))
            return i;
    if (!m || f->parameter_count == s->owners + SPREAD_MOST)
        return UINT32_MAX;
    struct variable *v = &f->parameters[f->parameter_count];
    *v = (struct variable){.name = name_of_member(s, f->parameters[owner].name, member),
                           .type = type_of_member(s, m),
                           .from = f->parameters[owner].from,
                           .to = f->parameters[owner].to,
                           .slot = f->slots++};
    s->failed = s->failed || !v->name || !v->type;
    s->rows[f->parameter_count] = (struct spread_parameter){.owner = owner, .member = m->name};
    return f->parameter_count++;
}

static void spread_node(struct spreading *s, struct node *n)
{
    if (!n || s->failed)
        return;
    bool is_member = n->kind == NODE_MEMBER && n->a && n->a->kind == NODE_NAME &&
                     n->a->slot < s->owners && s->rows[n->a->slot].layout;
    uint32_t at = is_member ? parameter_of_member(s, n->a->slot, n->name) : UINT32_MAX;
    if (at != UINT32_MAX && !s->failed) {
        n->kind = NODE_NAME;
        n->name = s->kernel->parameters[at].name;
        n->slot = s->kernel->parameters[at].slot;
        n->a = NULL;
        return;
    }
    spread_node(s, n->a);
    spread_node(s, n->b);
    spread_node(s, n->c);
    spread_node(s, n->d);
    for (uint32_t i = 0; i < n->count; i++)
        spread_node(s, n->list[i]);
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
