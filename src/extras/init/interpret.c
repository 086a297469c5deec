// The interpreter. Numbers are 64-bit integers and doubles; pointers are an object and an offset in
// bytes. An unknown value may still have a maximum, as the remainder of a division has. An unknown
// condition runs both branches, so that results err on the side of too much.
#include "extras/init/interpret.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

// Bytes of the stack, which has 8 MiB, that nested expressions and calls may take.
#define STACK_MOST   (2u << 20)
#define CALLS_MOST   24
#define UNKNOWN_RUNS 3   // of a loop whose condition is unknown
#define ENDLESS_RUNS 64  // of one that only an unknown condition leaves
#define MARKS_MOST   512 // of one branch of an unknown condition, to be compared with the other's

enum value_kind { VALUE_UNKNOWN, VALUE_INTEGER, VALUE_REAL, VALUE_POINTER, VALUE_VECTOR };

// A value is copied at every step: it fits a line of the cache.
struct value {
    enum value_kind kind;
    bool has_most;   // UNKNOWN: `integer` is the most it can be
    bool is_by_data; // POINTER: an index out of memory chose where
    union {
        uint16_t rest_count; // POINTER
        uint16_t lane_count; // VECTOR
    };
    union {
        int64_t integer;
        double real; // REAL
    };
    struct object *object;   // POINTER; UNKNOWN: where it was loaded from
    int64_t offset;          // POINTER: in bytes; UNKNOWN: the element
    const struct type *type; // POINTER: of what it points to
    // POINTER: bytes of what it points to; how many, 0: unknown. step of UNKNOWN: 1, the place behind a loaded one.
    int64_t step, extent;
    union {
        const int64_t *rest; // POINTER: the inner dimensions
        struct value *lanes; // VECTOR
    };
};

enum flow { FLOW_ON, FLOW_BREAK, FLOW_CONTINUE, FLOW_RETURN };

struct frame {
    struct value *slots;
    const struct type **types;
    struct value result;
};

struct machine {
    struct run *run;
    struct arena arena;
    struct frame *frame;
    int64_t group[3], item[3];
    unsigned calls;
    uintptr_t stack;     // where it began
    bool may_have_left;  // an unknown condition led to a break or a return
    bool may_have_ended; // and that ended the kernel
    bool stopped;
    unsigned doubt; // unknown conditions around what is executed
    // Components written under them, in objects that have a map.
    struct marked {
        struct object *object;
        size_t component;
    } * marks;
    size_t mark_count, mark_room;
};

// Where a value can be stored.
struct place {
    struct value *value; // a variable or lane
    const struct type *type;
    struct value memory; // POINTER to what is stored into, where `value` is NULL
    bool is_lane;        // memory: one component
};

static struct value evaluate(struct machine *m, const struct node *n);
static enum flow execute(struct machine *m, const struct node *n);

static struct value integer_value(int64_t i)
{
    return (struct value){.kind = VALUE_INTEGER, .integer = i};
}

static struct value real_value(double f)
{
    return (struct value){.kind = VALUE_REAL, .real = f};
}

static struct value unknown_value(void)
{
    return (struct value){.kind = VALUE_UNKNOWN};
}

static bool is_known_value(const struct value *v)
{
    return v->kind == VALUE_INTEGER || v->kind == VALUE_REAL;
}

static double as_real(const struct value *v)
{
    return v->kind == VALUE_REAL ? v->real : (double)v->integer;
}

static int64_t as_integer(const struct value *v)
{
    if (v->kind != VALUE_REAL)
        return v->integer;
    return v->real > -9e18 && v->real < 9e18 ? (int64_t)v->real : 0;
}

static bool as_truth(const struct value *v)
{
    return v->kind == VALUE_REAL ? v->real != 0 : v->integer != 0;
}

// ---- memory ------------------------------------------------------------------------------------

static void widen_span(struct span *s, int64_t low, int64_t high)
{
    if (!s->any || low < s->low)
        s->low = low;
    if (!s->any || high > s->high)
        s->high = high;
    s->any = true;
}

static void mark_written(struct machine *m, struct object *o, size_t component)
{
    const bool may_have_left = m->may_have_left || m->may_have_ended;
    if (!m->doubt && !may_have_left)
        o->map[component] = MAP_WRITTEN;
    else if (o->map[component] == 0)
        o->map[component] = MAP_PERHAPS;
    if (!m->doubt || may_have_left)
        return;
    if (ARENA_ROOM(&m->arena, m->marks, m->mark_room, m->mark_count + 1))
        m->marks[m->mark_count++] = (struct marked){o, component};
    else
        m->run->failed = m->stopped = true;
}

// Components that both branches mark, before and after `middle`, are written either way.
static void join_marks(struct machine *m, size_t first, size_t middle)
{
    const size_t end = m->mark_count;
    m->mark_count = first;
    for (size_t i = first; i < middle && middle - first <= MARKS_MOST && end - middle <= MARKS_MOST;
         i++) {
        const struct marked one = m->marks[i];
        for (size_t k = middle; k < end; k++) {
            if (m->marks[k].object != one.object || m->marks[k].component != one.component)
                continue;
            if (m->doubt)
                m->marks[m->mark_count++] = one;
            else
                one.object->map[one.component] = MAP_WRITTEN;
            break;
        }
    }
}

static void touch_memory(struct machine *m, const struct value *p, int64_t bytes, bool is_write)
{
    struct object *o = p->object;
    if (!o)
        return;
    if (o->space == SPACE_OWN || o->space == SPACE_SHARED)
        m->run->outside_local |= o->access.outside;
    m->run->writes += is_write && o->space != SPACE_OWN && o->space != SPACE_SHARED;
    // The buffer that chooses where chooses, and what chose there, too: dst[rows[queue[i]]].
    const struct object *from = is_write && p->is_by_data ? o->access.index : NULL;
    for (; from && !from->access.is_scatter; from = from->access.index)
        ((struct object *)from)->access.is_scatter = true;
    if (!p->is_by_data)
        widen_span(&o->access.plain, p->offset, p->offset + bytes);
    widen_span(is_write ? &o->access.written : &o->access.read, p->offset, p->offset + bytes);
    for (int64_t at = p->offset; is_write && o->map && at < p->offset + bytes; at += o->component) {
        if (at >= 0 && (size_t)(at / o->component) < o->map_size)
            mark_written(m, o, (size_t)(at / o->component));
    }
}

static int64_t bytes_of(const struct type *t)
{
    return t->stars ? 8 : (int64_t)t->component * t->lanes;
}

int64_t fill_most(const struct type *t)
{
    return t->component == 1 && t->is_unsigned ? 255 : 100;
}

static bool holds_integers(const struct run *r, const struct type *t, int64_t bytes)
{
    for (uint32_t i = 0; t->base == TYPE_RECORD && i < r->syntax->record_count; i++) {
        const struct record *x = &r->syntax->records[i];
        if (x->is_plain && x->component && str_equal(x->name, t->words))
            return !strstr(x->component, "float") && !strstr(x->component, "double") &&
                   !strstr(x->component, "half");
    }
    return t->base == TYPE_INTEGER && (t->lanes == 1 || bytes == t->component); // v[i].x
}

static struct value load_value(struct machine *m, const struct value *p)
{
    struct object *o = p->object;
    struct value v = unknown_value();
    if (!o)
        return v;
    touch_memory(m, p, p->step, false);
    bool is_integer = p->type && p->type->base == TYPE_INTEGER && p->type->lanes == 1;
    int64_t index = p->step ? p->offset / p->step : 0;
    if (is_integer && o->contents == CONTENTS_OFFSETS)
        return integer_value(index * o->content);
    if (is_integer && o->contents == CONTENTS_INDEX)
        return integer_value(m->run->data == DATA_LEAST ? 0 : o->content);
    bool is_filled = o->space != SPACE_OWN && o->space != SPACE_SHARED && !o->access.by_atomic;
    if (m->run->data != DATA_UNKNOWN && is_filled && p->type &&
        holds_integers(m->run, p->type, p->step))
        return integer_value(m->run->data == DATA_MOST ? fill_most(p->type) : 0);
    v.object = o;
    v.offset = index;
    if (p->type && p->type->base == TYPE_INTEGER && p->type->component == 1) {
        v.has_most = true;
        v.integer = p->type->is_unsigned ? 255 : 127;
    }
    return v;
}

// Pays for what costs more than one step.
static void pay(struct machine *m, uint64_t steps)
{
    m->run->budget -= steps < m->run->budget ? steps : m->run->budget;
}

// The value of an array or a pointer with an index.
static struct value index_pointer(struct machine *m, const struct value *p, const struct value *i)
{
    struct object *o = p->object;
    int64_t index = i->integer;
    bool is_by_data = p->is_by_data;
    const bool has_inner = p->rest_count > 0;
    pay(m, 1); // it costs as much as two others
    if (i->kind == VALUE_REAL)
        index = as_integer(i);
    if (i->kind != VALUE_INTEGER && i->kind != VALUE_REAL) {
        if (o && !i->has_most)
            o->access.by_data = true;
        if (o && i->object && i->object->space != SPACE_OWN && i->object->space != SPACE_SHARED) {
            o->access.index = i->object;
            i->object->access.is_index |= !i->has_most;
        }
        index = i->has_most ? i->integer : i->kind == VALUE_UNKNOWN && i->step == 1;
        is_by_data = true;
    }
    if (o && p->extent && (index < 0 || index >= p->extent))
        o->access.outside = true;
    const int64_t extent = has_inner ? p->rest[0] : 0;
    return (struct value){.kind = p->kind,
                          .has_most = p->has_most,
                          .is_by_data = is_by_data,
                          .rest_count = has_inner ? p->rest_count - 1 : p->rest_count,
                          .integer = p->integer,
                          .object = o,
                          .offset = p->offset + (int64_t)((uint64_t)index * (uint64_t)p->step),
                          .type = p->type,
                          .step = extent > 0 ? p->step / extent : p->step,
                          .extent = extent,
                          .rest = has_inner ? p->rest + 1 : p->rest};
}

static struct object *object_new(struct machine *m, const char *name, const struct type *t)
{
    struct object *o = arena_alloc(&m->arena, sizeof *o);
    if (!o) {
        m->run->failed = m->stopped = true;
        return NULL;
    }
    *o = (struct object){.name = name, .space = t->space, .type = t, .component = t->component};
    return o;
}

static struct value pointer_to(struct object *o, const struct type *t)
{
    return (struct value){.kind = VALUE_POINTER,
                          .object = o,
                          .type = t,
                          .step = (int64_t)t->component * (t->lanes ? t->lanes : 1)};
}

// An array that is declared: its dimensions are numbers now.
static struct value array_value(struct machine *m, struct object *o, const struct type *t)
{
    struct value p = pointer_to(o, t);
    int64_t *sizes = arena_array(&m->arena, DIMENSIONS_MOST, sizeof *sizes);
    if (!sizes) {
        m->run->failed = m->stopped = true;
        return p;
    }
    for (uint32_t i = 0; i < t->dimension_count; i++) {
        struct value d = t->dimensions[i] ? evaluate(m, t->dimensions[i]) : unknown_value();
        sizes[i] = is_known_value(&d) ? as_integer(&d) : 0;
        if (i > 0 && sizes[i] > 0)
            p.step *= sizes[i];
    }
    p.extent = t->dimension_count ? sizes[0] : 0;
    p.rest = sizes + 1;
    p.rest_count = t->dimension_count ? t->dimension_count - 1 : 0;
    return p;
}

// ---- places ------------------------------------------------------------------------------------

static int lane_of(const char *name)
{
    static const char letters[] = "xyzw";
    const char *found = name[0] && !name[1] ? strchr(letters, name[0]) : NULL;
    if (found)
        return (int)(found - letters);
    if (name[0] == 's' && name[1] && !name[2]) {
        const char *hex = "0123456789abcdef", *digit = strchr(hex, name[1] | 0x20);
        if (name[1] >= '0' && name[1] <= '9')
            return name[1] - '0';
        return digit ? (int)(digit - hex) : -1;
    }
    return -1;
}

static struct hint *hint_of_node(struct run *r, const struct node *n)
{
    return &r->hints[(uintptr_t)n / sizeof *n % HINTS];
}

static struct value name_value(struct machine *m, const struct node *n)
{
    struct run *r = m->run;
    if (n->slot != SLOT_NONE && n->slot & SLOT_SHARED) {
        struct object *o = r->shared[n->slot & ~SLOT_SHARED];
        const struct variable *v = &r->syntax->shared[n->slot & ~SLOT_SHARED];
        if (v->type->dimension_count || v->type->stars)
            return array_value(m, o, v->type);
        if (v->initial && v->type->is_const)
            return evaluate(m, v->initial);
        return unknown_value();
    }
    if (n->slot != SLOT_NONE)
        return m->frame->slots[n->slot];
    struct hint *hint = hint_of_node(r, n);
    if (hint->node == n)
        return integer_value(r->names[hint->index].value);
    for (size_t i = 0; i < r->name_count; i++) {
        if (strcmp(r->names[i].name, n->name) != 0)
            continue;
        *hint = (struct hint){.node = n, .index = i};
        return integer_value(r->names[i].value);
    }
    if (!r->lost)
        r->lost = n->name;
    return unknown_value();
}

static struct place place_of_node(struct machine *m, const struct node *n);

static struct place member_place(struct machine *m, const struct node *n)
{
    if (n->kind == NODE_ARROW)
        return (struct place){.memory = evaluate(m, n->a)};
    struct place p = place_of_node(m, n->a);
    int lane = lane_of(n->name);
    if (!p.value) {
        if (p.memory.kind == VALUE_POINTER && lane >= 0 && p.memory.type &&
            p.memory.type->lanes > (unsigned)lane && !p.memory.type->stars) {
            p.memory.step = p.memory.type->component;
            p.memory.offset += lane * p.memory.step;
        }
        return p;
    }
    if (p.value->kind == VALUE_VECTOR && lane >= 0 && (uint32_t)lane < p.value->lane_count)
        p.value = &p.value->lanes[lane];
    p.type = NULL;
    return p;
}

static struct place place_of_node(struct machine *m, const struct node *n)
{
    struct place p = {.value = NULL};
    switch (n->kind) {
    case NODE_NAME:
        if (n->slot == SLOT_NONE || n->slot & SLOT_SHARED) {
            p.memory = name_value(m, n);
            return p;
        }
        p.value = &m->frame->slots[n->slot];
        p.type = m->frame->types[n->slot];
        return p;
    case NODE_INDEX: {
        if (n->a->kind == NODE_MEMBER || n->a->kind == NODE_ARROW) {
            const struct place whole = place_of_node(m, n->a); // records[i].list[k]: of the record
            const struct type *t = whole.value ? NULL : whole.memory.type;
            if (whole.memory.kind == VALUE_POINTER && t && t->base == TYPE_RECORD) {
                evaluate(m, n->b);
                return whole;
            }
        }
        struct value base = evaluate(m, n->a), index = evaluate(m, n->b);
        p.memory = base.kind == VALUE_POINTER ? index_pointer(m, &base, &index) : unknown_value();
        return p;
    }
    case NODE_UNARY:
        p.memory = n->sign == SIGN('*', 0, 0) ? evaluate(m, n->a) : unknown_value();
        return p;
    case NODE_MEMBER:
    case NODE_ARROW:
        return member_place(m, n);
    case NODE_CAST:
        return n->a ? place_of_node(m, n->a) : p;
    default:
        p.memory = unknown_value();
        return p;
    }
}

static struct value converted(const struct value *v, const struct type *t)
{
    if (!t || t->stars || t->dimension_count || t->lanes > 1)
        return *v;
    if (t->base == TYPE_INTEGER && v->kind == VALUE_REAL)
        return integer_value(as_integer(v));
    if (t->base == TYPE_FLOAT && v->kind == VALUE_INTEGER)
        return real_value((double)v->integer);
    return *v;
}

// int2 v = 3: every lane. A copy, since lanes are changed in place.
static struct value spread_lanes(struct machine *m, const struct value *v, uint32_t lanes)
{
    struct value out = {.kind = VALUE_VECTOR, .lane_count = lanes};
    pay(m, lanes);
    out.lanes = arena_array(&m->arena, lanes, sizeof *out.lanes);
    if (!out.lanes) {
        m->run->failed = m->stopped = true;
        return unknown_value();
    }
    for (uint32_t i = 0; i < lanes; i++) {
        bool has_lane = v->kind == VALUE_VECTOR && i < v->lane_count;
        out.lanes[i] = has_lane ? v->lanes[i] : v->kind == VALUE_VECTOR ? unknown_value() : *v;
    }
    return out;
}

// A pointer counts in elements of the type that it is kept as.
static void point_as(struct value *v, const struct type *t)
{
    if (v->kind != VALUE_POINTER || !t || !t->stars || t->dimension_count)
        return;
    v->type = t;
    v->step = t->stars > 1 ? 8 : (int64_t)t->component * (t->lanes ? t->lanes : 1);
    v->extent = 0;
    v->rest_count = 0;
}

static void store_value(struct machine *m, const struct place *p, const struct value *v)
{
    if (p->value) {
        bool is_vector = p->type && p->type->lanes > 1 && !p->type->stars &&
                         p->type->base != TYPE_OPAQUE && p->type->base != TYPE_RECORD;
        *p->value = is_vector ? spread_lanes(m, v, p->type->lanes) : converted(v, p->type);
        point_as(p->value, p->type); // p = (char *)p + offset
    } else if (p->memory.kind == VALUE_POINTER) {
        touch_memory(m, &p->memory, p->memory.step, true);
    }
}

static struct value value_at(struct machine *m, const struct place *p)
{
    if (p->value)
        return *p->value;
    return p->memory.kind == VALUE_POINTER ? load_value(m, &p->memory) : p->memory;
}

// ---- operators ---------------------------------------------------------------------------------

static struct object *joined_object(const struct value *a, const struct value *b)
{
    return a->kind == VALUE_UNKNOWN && a->object   ? a->object
           : b->kind == VALUE_UNKNOWN && b->object ? b->object
                                                   : NULL;
}

static struct value join_unknown(const struct value *a, const struct value *b)
{
    return (struct value){.kind = VALUE_UNKNOWN, .object = joined_object(a, b)};
}

// An unknown result keeps only a maximum, and only if both operands are not negative.
static struct value unknown_binary(uint32_t sign, const struct value *a, const struct value *b)
{
    const bool is_next =
        sign == SIGN('+', 0, 0) && ((b->kind == VALUE_INTEGER && b->integer == 1) ||
                                    (a->kind == VALUE_INTEGER && a->integer == 1));
    struct value v = {.kind = VALUE_UNKNOWN, .object = joined_object(a, b), .step = is_next};
    bool has_a = a->kind == VALUE_INTEGER || a->has_most,
         has_b = b->kind == VALUE_INTEGER || b->has_most;
    int64_t x = a->integer, y = b->integer;
    bool is_number = b->kind == VALUE_INTEGER;
    if (sign == SIGN('%', 0, 0) && is_number && y > 0) {
        v.has_most = true;
        v.integer = y - 1;
    } else if (sign == SIGN('&', 0, 0) && (is_number || a->kind == VALUE_INTEGER)) {
        v.has_most = true;
        v.integer = is_number ? y : x;
    } else if (has_a && has_b && x >= 0 && y >= 0 && x < INT32_MAX && y < INT32_MAX) {
        v.has_most = true;
        switch (sign) {
        case SIGN('+', 0, 0):
            v.integer = x + y;
            break;
        case SIGN('*', 0, 0):
            v.integer = x * y;
            break;
        case SIGN('/', 0, 0):
            v.integer = is_number && y ? x / y : x;
            break;
        case SIGN('>', '>', 0):
            v.integer = is_number && y < 63 ? x >> y : x;
            break;
        case SIGN('-', 0, 0):
            v.integer = is_number ? x - y : x;
            break;
        default:
            v.has_most = false;
            break;
        }
    }
    if (!v.has_most)
        v.integer = 0;
    return v;
}

static struct value real_binary(uint32_t sign, double a, double b)
{
    switch (sign) {
    case SIGN('+', 0, 0):
        return real_value(a + b);
    case SIGN('-', 0, 0):
        return real_value(a - b);
    case SIGN('*', 0, 0):
        return real_value(a * b);
    case SIGN('/', 0, 0):
        return b != 0 ? real_value(a / b) : unknown_value();
    case SIGN('<', 0, 0):
        return integer_value(a < b);
    case SIGN('>', 0, 0):
        return integer_value(a > b);
    case SIGN('<', '=', 0):
        return integer_value(a <= b);
    case SIGN('>', '=', 0):
        return integer_value(a >= b);
    case SIGN('=', '=', 0):
        return integer_value(a == b);
    case SIGN('!', '=', 0):
        return integer_value(a != b);
    case SIGN('&', '&', 0):
        return integer_value(a != 0 && b != 0);
    case SIGN('|', '|', 0):
        return integer_value(a != 0 || b != 0);
    default:
        return unknown_value();
    }
}

static struct value integer_binary(uint32_t sign, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    bool is_shift = b >= 0 && b < 63;
    switch (sign) {
    case SIGN('+', 0, 0):
        return integer_value((int64_t)(x + y));
    case SIGN('-', 0, 0):
        return integer_value((int64_t)(x - y));
    case SIGN('*', 0, 0):
        return integer_value((int64_t)(x * y));
    case SIGN('/', 0, 0):
        return b != 0 && b != -1 ? integer_value(a / b) : unknown_value();
    case SIGN('%', 0, 0):
        return b != 0 && b != -1 ? integer_value(a % b) : unknown_value();
    case SIGN('<', '<', 0):
        return is_shift ? integer_value((int64_t)(x << b)) : unknown_value();
    case SIGN('>', '>', 0):
        return is_shift ? integer_value(a >> b) : unknown_value();
    case SIGN('&', 0, 0):
        return integer_value(a & b);
    case SIGN('|', 0, 0):
        return integer_value(a | b);
    case SIGN('^', 0, 0):
        return integer_value(a ^ b);
    case SIGN('<', 0, 0):
        return integer_value(a < b);
    case SIGN('>', 0, 0):
        return integer_value(a > b);
    case SIGN('<', '=', 0):
        return integer_value(a <= b);
    case SIGN('>', '=', 0):
        return integer_value(a >= b);
    case SIGN('=', '=', 0):
        return integer_value(a == b);
    case SIGN('!', '=', 0):
        return integer_value(a != b);
    case SIGN('&', '&', 0):
        return integer_value(a && b);
    case SIGN('|', '|', 0):
        return integer_value(a || b);
    default:
        return unknown_value();
    }
}

// Two neighbours of a buffer, which are compared or subtracted: where each row of something begins.
static void note_offsets(uint32_t sign, const struct value *a, const struct value *b)
{
    const bool is_length = sign == SIGN('-', 0, 0);
    const struct value *low = is_length ? b : a, *high = is_length ? a : b;
    const bool is_compared = sign == SIGN('<', 0, 0) || sign == SIGN('!', '=', 0);
    bool is_pair = a->kind == VALUE_UNKNOWN && b->kind == VALUE_UNKNOWN && a->object &&
                   a->object == b->object && high->offset == low->offset + 1;
    if (!is_pair || a->object->space == SPACE_OWN || a->object->space == SPACE_SHARED)
        return;
    a->object->access.is_offsets |= is_compared;
    a->object->access.is_length |= is_length;
}

static struct value combine(struct machine *m, uint32_t sign, const struct value *a,
                            const struct value *b)
{
    if (a->kind == VALUE_POINTER && is_known_value(b) &&
        (sign == SIGN('+', 0, 0) || sign == SIGN('-', 0, 0))) {
        struct value p = *a;
        int64_t by = as_integer(b);
        p.offset += (sign == SIGN('+', 0, 0) ? by : -by) * p.step;
        p.extent = 0;
        return p;
    }
    if (b->kind == VALUE_POINTER && is_known_value(a) && sign == SIGN('+', 0, 0))
        return combine(m, sign, b, a);
    if (a->kind == VALUE_POINTER) {
        struct value p = *a;
        if (p.object && b->kind == VALUE_UNKNOWN && sign == SIGN('+', 0, 0)) {
            struct value at = index_pointer(m, a, b);
            p.offset = at.offset;
        }
        p.extent = 0;
        return sign == SIGN('+', 0, 0) || sign == SIGN('-', 0, 0) ? p : unknown_value();
    }
    if (a->kind == VALUE_VECTOR || b->kind == VALUE_VECTOR) {
        uint32_t lanes = a->kind == VALUE_VECTOR ? a->lane_count : b->lane_count;
        pay(m, lanes);
        struct value x = spread_lanes(m, a, lanes), y = spread_lanes(m, b, lanes);
        for (uint32_t i = 0; i < lanes && x.kind == VALUE_VECTOR && y.kind == VALUE_VECTOR; i++)
            x.lanes[i] = combine(m, sign, &x.lanes[i], &y.lanes[i]);
        return x;
    }
    if (!is_known_value(a) || !is_known_value(b)) {
        note_offsets(sign, a, b);
        return unknown_binary(sign, a, b);
    }
    if (a->kind == VALUE_REAL || b->kind == VALUE_REAL)
        return real_binary(sign, as_real(a), as_real(b));
    return integer_binary(sign, a->integer, b->integer);
}

static struct value evaluate_binary(struct machine *m, const struct node *n)
{
    struct value a = evaluate(m, n->a);
    if (n->sign == SIGN(',', 0, 0))
        return evaluate(m, n->b);
    bool is_and = n->sign == SIGN('&', '&', 0), is_or = n->sign == SIGN('|', '|', 0);
    if ((is_and || is_or) && is_known_value(&a) && as_truth(&a) == is_or)
        return integer_value(is_or);
    struct value b = evaluate(m, n->b);
    if ((is_and || is_or) && is_known_value(&b) && as_truth(&b) == is_or)
        return integer_value(is_or);
    return combine(m, n->sign, &a, &b);
}

static struct value evaluate_unary(struct machine *m, const struct node *n)
{
    if (n->sign == SIGN('&', 0, 0)) {
        struct place p = place_of_node(m, n->a);
        if (!p.value)
            return p.memory;
        *p.value = unknown_value(); // code that has its address may change it
        struct value pointer = unknown_value();
        return pointer;
    }
    if (n->sign == SIGN('*', 0, 0)) {
        struct value p = evaluate(m, n->a), zero = integer_value(0);
        if (p.kind != VALUE_POINTER)
            return unknown_value();
        p = p.rest_count ? index_pointer(m, &p, &zero) : p;
        return p.rest_count || p.extent ? p : load_value(m, &p);
    }
    struct value a = evaluate(m, n->a), zero = integer_value(0);
    switch (n->sign) {
    case SIGN('-', 0, 0):
        return combine(m, SIGN('-', 0, 0), &zero, &a);
    case SIGN('!', 0, 0):
        return is_known_value(&a) ? integer_value(!as_truth(&a)) : unknown_value();
    case SIGN('~', 0, 0):
        return a.kind == VALUE_INTEGER ? integer_value(~a.integer) : unknown_value();
    default:
        return a;
    }
}

static struct value evaluate_step(struct machine *m, const struct node *n)
{
    struct place p = place_of_node(m, n->a);
    struct value before = value_at(m, &p), one = integer_value(1);
    struct value after = combine(m, SIGN(n->sign & 0xff, 0, 0), &before, &one);
    store_value(m, &p, &after);
    return n->is_postfix ? before : after;
}

static struct value evaluate_assign(struct machine *m, const struct node *n)
{
    struct value v = evaluate(m, n->b);
    struct place p = place_of_node(m, n->a);
    if (n->sign) {
        struct value before = value_at(m, &p);
        v = combine(m, n->sign, &before, &v);
    }
    store_value(m, &p, &v);
    return p.value ? *p.value : v;
}

static struct value evaluate_item(struct machine *m, const struct node *n)
{
    struct run *r = m->run;
    struct value axis = evaluate(m, n->a);
    int64_t a =
        axis.kind == VALUE_INTEGER && axis.integer >= 0 && axis.integer < 3 ? axis.integer : 0;
    if (r->axes < (uint32_t)a + 1)
        r->axes = (uint32_t)a + 1;
    r->asks_local |= n->item == ITEM_LOCAL;
    r->asks_sizes |= n->item == ITEM_LOCAL_SIZE || n->item == ITEM_ALL || n->item == ITEM_GLOBAL;
    r->asks_groups |= n->item == ITEM_GROUPS || n->item == ITEM_ALL;
    switch (n->item) {
    case ITEM_GLOBAL:
        return integer_value(m->group[a] * r->local[a] + m->item[a]);
    case ITEM_LOCAL:
        return integer_value(m->item[a]);
    case ITEM_GROUP:
        return integer_value(m->group[a]);
    case ITEM_LOCAL_SIZE:
        return integer_value(r->local[a]);
    case ITEM_GROUPS:
        return integer_value(r->groups[a]);
    default:
        return integer_value(r->groups[a] * r->local[a]);
    }
}

// ---- calls -------------------------------------------------------------------------------------

#define ARGUMENTS_MOST 24
#define FRAME_STEP     8 // variables that are made in the time of a step
#define NAMED_STEPS    2 // what a name is compared with, of a function that the text does not have

static struct value call_function(struct machine *m, const struct function *f,
                                  const struct node *call, const struct value *arguments)
{
    if (m->calls == CALLS_MOST || !f->body)
        return unknown_value();
    struct frame frame = {.result = unknown_value()}, *outer = m->frame;
    pay(m, f->slots / FRAME_STEP);
    frame.slots = arena_array(&m->arena, f->slots + 1, sizeof *frame.slots);
    frame.types = arena_array(&m->arena, f->slots + 1, sizeof *frame.types);
    if (!frame.slots || !frame.types) {
        m->run->failed = m->stopped = true;
        return unknown_value();
    }
    for (uint32_t i = 0; i < f->parameter_count; i++) {
        const uint32_t slot = f->parameters[i].slot;
        frame.types[slot] = f->parameters[i].type;
        struct place p = {.value = &frame.slots[slot], .type = frame.types[slot]};
        struct value none = unknown_value();
        store_value(m, &p, i < call->count ? &arguments[i] : &none);
    }
    bool left = m->may_have_left;
    m->calls++;
    m->frame = &frame;
    execute(m, f->body);
    m->frame = outer;
    m->calls--;
    m->may_have_left = left;
    for (uint32_t i = 0; i < f->parameter_count && i < call->count; i++) {
        if (!f->parameters[i].type->is_reference)
            continue;
        struct place p = place_of_node(m, call->list[i]);
        if (p.value)
            *p.value = frame.slots[f->parameters[i].slot];
    }
    return frame.result;
}

static struct value least_or_most(const struct value *a, const struct value *b, bool is_least)
{
    if (is_known_value(a) && is_known_value(b)) {
        bool is_real = a->kind == VALUE_REAL || b->kind == VALUE_REAL;
        bool takes_a =
            is_real ? (as_real(a) < as_real(b)) == is_least : (a->integer < b->integer) == is_least;
        return takes_a ? *a : *b;
    }
    struct value v = join_unknown(a, b);
    bool has_a = a->kind == VALUE_INTEGER || a->has_most,
         has_b = b->kind == VALUE_INTEGER || b->has_most;
    if (is_least && (has_a || has_b)) {
        v.has_most = true;
        v.integer = has_a ? a->integer : b->integer;
    }
    return v;
}

// Functions of the language that give numbers; UNKNOWN if it is not a known one.
static struct value call_number(const char *name, const struct value *a, uint32_t count)
{
    static const struct {
        const char *name;
        double (*function)(double);
    } reals[] = {{"floor", floor}, {"floorf", floor}, {"ceil", ceil},   {"ceilf", ceil},
                 {"sqrt", sqrt},   {"sqrtf", sqrt},   {"fabs", fabs},   {"fabsf", fabs},
                 {"log2", log2},   {"log2f", log2},   {"round", round}, {"roundf", round}};
    for (size_t i = 0; i < sizeof reals / sizeof *reals && count == 1; i++) {
        if (strcmp(reals[i].name, name) == 0)
            return is_known_value(a) ? real_value(reals[i].function(as_real(a))) : unknown_value();
    }
    const char *plain = name + strspn(name, "_");
    bool is_float = strcmp(plain, "fmin") == 0 || strcmp(plain, "fmax") == 0 ||
                    strcmp(plain, "fminf") == 0 || strcmp(plain, "fmaxf") == 0;
    plain += is_float;
    if (count == 2 && (str_starts(plain, "min") || str_starts(plain, "max")))
        return least_or_most(&a[0], &a[1], plain[1] == 'i');
    if (count == 3 && strcmp(plain, "clamp") == 0) {
        struct value low = least_or_most(&a[0], &a[1], false);
        return least_or_most(&low, &a[2], true);
    }
    if (count == 1 && (strcmp(plain, "abs") == 0) && is_known_value(a))
        return a->kind == VALUE_REAL ? real_value(fabs(a->real))
                                     : integer_value(a->integer < 0 ? -a->integer : a->integer);
    if (count == 1 && (str_starts(plain, "convert_int") || str_starts(plain, "convert_uint") ||
                       str_starts(plain, "float2int") || str_starts(plain, "convert_long")))
        return is_known_value(a) ? integer_value(as_integer(a)) : *a;
    if (count == 1 && str_starts(plain, "convert_"))
        return *a;
    return unknown_value();
}

// vload4(i, p), vstore4(v, i, p), vload_half(i, p): the width, 0 if it is not one of them.
static uint32_t width_of_call(const char *name, const char *start)
{
    uint64_t width;
    char digits[4];
    if (!str_starts(name, start))
        return 0;
    name += strlen(start);
    if (str_starts(name, "_half")) {
        name += strlen("_half");
        if (*name == 0 || *name == '_')
            return 1;
    }
    size_t count = strspn(name, "0123456789");
    if (count == 0 || count >= sizeof digits)
        return 0;
    memcpy(digits, name, count);
    digits[count] = 0;
    return str_to_u64(digits, &width) && width <= 16 ? (uint32_t)width : 0;
}

static struct value call_memory(struct machine *m, const char *name, struct value *a,
                                uint32_t count, bool *is_known)
{
    uint32_t load = width_of_call(name, "vload"), store = width_of_call(name, "vstore");
    struct value p = count ? a[count - 1] : unknown_value();
    *is_known = true;
    if ((load && count == 2) || (store && count == 3)) {
        struct value index = a[count - 2];
        if (p.kind != VALUE_POINTER)
            return unknown_value();
        p.step *= load ? load : store;
        p = index_pointer(m, &p, &index);
        touch_memory(m, &p, p.step, store != 0);
        return unknown_value();
    }
    p = count ? a[0] : unknown_value();
    if (str_starts(name, "atom") || strcmp(name, "__ldg") == 0 || strcmp(name, "__ldcg") == 0 ||
        strcmp(name, "__ldcs") == 0) {
        bool writes = name[0] == 'a';
        if (p.kind != VALUE_POINTER)
            return unknown_value();
        if (!writes)
            return load_value(m, &p);
        touch_memory(m, &p, p.step, true);
        if (p.object)
            p.object->access.by_atomic = true;
        return unknown_value();
    }
    bool is_copy = strstr(name, "memcpy") || str_starts(name, "async_work_group_copy");
    if (is_copy && count >= 3 && a[2].kind == VALUE_INTEGER) {
        bool counts_bytes = strstr(name, "memcpy") != NULL;
        for (int i = 0; i < 2; i++) {
            if (a[i].kind == VALUE_POINTER)
                touch_memory(m, &a[i], a[2].integer * (counts_bytes ? 1 : a[i].step), i == 0);
        }
        return unknown_value();
    }
    *is_known = false;
    return unknown_value();
}

// The coordinates of an element: a vector's lanes, or numbers that follow each other. False: one is unknown.
static bool image_place(const struct value *a, uint32_t count, int64_t out[3])
{
    const struct value *lanes = count && a->kind == VALUE_VECTOR ? a->lanes : a;
    uint32_t lane_count = count && a->kind == VALUE_VECTOR ? a->lane_count : count;
    memset(out, 0, 3 * sizeof *out);
    for (uint32_t i = 0; i < 3 && i < lane_count; i++) {
        if (!is_known_value(&lanes[i]))
            return i > 1; // the fourth of an int4 may be anything, as may the third of a plane
        out[i] = as_integer(&lanes[i]);
    }
    return lane_count > 1;
}

// An element beyond the image is neither read nor written.
static void touch_image(struct machine *m, const struct value *image, const struct value *a,
                        uint32_t count, bool is_write)
{
    const int64_t *size = m->run->image;
    int64_t at[3];
    struct value p = *image;
    if (!p.object || !image_place(a, count, at))
        return;
    for (int i = 0; i < 3; i++) {
        if (at[i] < 0 || at[i] >= size[i])
            return;
    }
    p.step = p.object->component;
    p.offset = ((at[2] * size[1] + at[1]) * size[0] + at[0]) * p.step;
    touch_memory(m, &p, p.step, is_write);
}

static struct value image_size(struct machine *m, const char *of)
{
    static const char *const names[] = {"width", "height", "depth"};
    struct value lanes[3];
    for (int i = 0; i < 3; i++) {
        lanes[i] = integer_value(m->run->image[i]);
        if (strcmp(of, names[i]) == 0)
            return lanes[i];
    }
    struct value all = {.kind = VALUE_VECTOR, .lanes = lanes, .lane_count = 3};
    return spread_lanes(m, &all, 3);
}

static const struct value *image_among(const struct value *a, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (a[i].kind == VALUE_POINTER && a[i].object && a[i].object->is_image)
            return &a[i];
    }
    return NULL;
}

// Reading, writing and asking for the size of images, textures and surfaces, in which x counts bytes.
static struct value call_image(struct machine *m, const char *name, struct value *a, uint32_t count,
                               bool *is_known)
{
    const struct value *image = image_among(a, count);
    struct value v = unknown_value();
    *is_known = image != NULL;
    if (!image)
        return v;
    uint32_t after = count - (uint32_t)(image + 1 - a);
    struct value *place = a + (count - after);
    if (str_starts(name, "get_image_"))
        return image_size(m, name + strlen("get_image_"));
    if (str_starts(name, "surf") && after && place->kind == VALUE_INTEGER)
        place->integer /= m->run->surface_bytes ? m->run->surface_bytes : 4;
    if (str_starts(name, "read_image") && after > 1) { // behind a sampler
        place++;
        after--;
    }
    touch_image(m, image, place, after, strstr(name, "write") != NULL);
    return v;
}

// make_int2(a, b)
static bool is_maker(const char *name)
{
    return str_starts(name, "make_");
}

static struct value call_unknown(struct machine *m, const char *name, const struct value *a,
                                 uint32_t count)
{
    static const char *const harmless[] = {"prefetch", "printf", "barrier", "mem_fence", NULL};
    for (uint32_t i = 0; i < count; i++) {
        if (a[i].kind != VALUE_POINTER || !a[i].object || str_listed(harmless, name))
            continue;
        touch_memory(m, &a[i], a[i].step, false);
        if (!a[i].object->type->is_const)
            touch_memory(m, &a[i], a[i].step, true);
    }
    return unknown_value();
}

static struct value evaluate_call(struct machine *m, const struct node *n)
{
    struct value a[ARGUMENTS_MOST];
    uint32_t count = n->count < ARGUMENTS_MOST ? n->count : ARGUMENTS_MOST;
    for (uint32_t i = 0; i < count; i++)
        a[i] = evaluate(m, n->list[i]);
    if (!n->name)
        return unknown_value();
    struct hint *hint = hint_of_node(m->run, n);
    if (hint->node != n)
        *hint = (struct hint){.node = n, .function = syntax_function(m->run->syntax, n->name)};
    const struct function *f = hint->function;
    if (f)
        return n->count <= ARGUMENTS_MOST ? call_function(m, f, n, a) : unknown_value();
    pay(m, NAMED_STEPS);
    if (is_maker(n->name) && count > 0) {
        struct value list = {.kind = VALUE_VECTOR, .lanes = a, .lane_count = count};
        return spread_lanes(m, &list, count);
    }
    bool multiplies = strstr(n->name, "mul24") != NULL || strstr(n->name, "mad24") != NULL;
    if ((multiplies || strcmp(n->name, "mad") == 0 || str_starts(n->name, "fma")) && count >= 2) {
        struct value product = combine(m, SIGN('*', 0, 0), &a[0], &a[1]);
        return count == 2 ? product : combine(m, SIGN('+', 0, 0), &product, &a[2]);
    }
    bool is_known;
    struct value v = call_image(m, n->name, a, count, &is_known);
    if (!is_known)
        v = call_memory(m, n->name, a, count, &is_known);
    if (is_known)
        return v;
    v = call_number(n->name, a, count);
    return v.kind == VALUE_UNKNOWN && !v.has_most && !v.object ? call_unknown(m, n->name, a, count)
                                                               : v;
}

// ---- expressions -------------------------------------------------------------------------------

static struct value evaluate_cast(struct machine *m, const struct node *n)
{
    const struct type *t = n->type;
    if (n->a) {
        struct value v = evaluate(m, n->a);
        point_as(&v, t);
        if (t->lanes > 1 && !t->stars && v.kind != VALUE_POINTER)
            return spread_lanes(m, &v, t->lanes);
        return converted(&v, t);
    }
    if (n->count == 1 && t->lanes <= 1) {
        struct value v = evaluate(m, n->list[0]);
        return converted(&v, t);
    }
    struct value list[ARGUMENTS_MOST];
    uint32_t count = 0;
    for (uint32_t i = 0; i < n->count && count < ARGUMENTS_MOST; i++) {
        struct value v = evaluate(m, n->list[i]);
        for (uint32_t k = 0; v.kind == VALUE_VECTOR && k < v.lane_count; k++) {
            if (count < ARGUMENTS_MOST)
                list[count++] = v.lanes[k];
        }
        if (v.kind != VALUE_VECTOR)
            list[count++] = v;
    }
    struct value all = {.kind = VALUE_VECTOR, .lanes = list, .lane_count = count};
    if (count == 1)
        return spread_lanes(m, &list[0], t->lanes);
    return t->lanes > 1 ? spread_lanes(m, &all, t->lanes) : unknown_value();
}

static struct value evaluate_member(struct machine *m, const struct node *n)
{
    int lane = lane_of(n->name);
    if (n->kind == NODE_MEMBER && n->a->kind != NODE_INDEX && n->a->kind != NODE_UNARY &&
        n->a->kind != NODE_MEMBER && n->a->kind != NODE_ARROW) {
        struct value v = evaluate(m, n->a);
        if (v.kind == VALUE_VECTOR && lane >= 0 && (uint32_t)lane < v.lane_count)
            return v.lanes[lane];
        return v.kind == VALUE_VECTOR || is_known_value(&v) ? unknown_value() : v;
    }
    struct place p = place_of_node(m, n);
    return value_at(m, &p);
}

static struct value evaluate_choice(struct machine *m, const struct node *n)
{
    struct value c = evaluate(m, n->a);
    if (is_known_value(&c))
        return evaluate(m, as_truth(&c) ? n->b : n->c);
    struct value yes = evaluate(m, n->b), no = evaluate(m, n->c);
    if (yes.kind == VALUE_INTEGER && no.kind == VALUE_INTEGER)
        return yes.integer > no.integer ? yes : no;
    if (yes.kind == VALUE_POINTER || no.kind == VALUE_POINTER)
        return yes.kind == VALUE_POINTER ? yes : no;
    return join_unknown(&yes, &no);
}

static struct value evaluate_list(struct machine *m, const struct node *n)
{
    struct value list[ARGUMENTS_MOST];
    uint32_t count = n->count < ARGUMENTS_MOST ? n->count : ARGUMENTS_MOST;
    for (uint32_t i = 0; i < count; i++)
        list[i] = evaluate(m, n->list[i]);
    struct value all = {.kind = VALUE_VECTOR, .lanes = list, .lane_count = (uint16_t)count};
    return count ? spread_lanes(m, &all, count) : unknown_value();
}

static struct value evaluate_real(struct machine *m, const struct node *n)
{
    (void)m;
    return real_value(n->real);
}

static struct value evaluate_index(struct machine *m, const struct node *n)
{
    struct place p = place_of_node(m, n);
    bool is_row = p.memory.kind == VALUE_POINTER && p.memory.extent;
    return is_row ? p.memory : value_at(m, &p);
}

static struct value evaluate_sizeof(struct machine *m, const struct node *n)
{
    (void)m;
    return n->type ? integer_value(bytes_of(n->type)) : unknown_value();
}

// By the kind of a node. A value is made where the caller wants it: copies on the way took half of the time,
// which is why evaluate() only returns what it calls.
typedef struct value evaluator(struct machine *, const struct node *);
static evaluator *const evaluators[NODE_RETURN + 1] = {
    [NODE_REAL] = evaluate_real,     [NODE_NAME] = name_value,
    [NODE_ITEM] = evaluate_item,     [NODE_UNARY] = evaluate_unary,
    [NODE_STEP] = evaluate_step,     [NODE_BINARY] = evaluate_binary,
    [NODE_ASSIGN] = evaluate_assign, [NODE_CHOICE] = evaluate_choice,
    [NODE_INDEX] = evaluate_index,   [NODE_MEMBER] = evaluate_member,
    [NODE_ARROW] = evaluate_member,  [NODE_CALL] = evaluate_call,
    [NODE_CAST] = evaluate_cast,     [NODE_SIZEOF] = evaluate_sizeof,
    [NODE_LIST] = evaluate_list};

// Measured: to count upwards and downwards would copy what the call returns.
static bool is_deep(const struct machine *m)
{
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return (here < m->stack ? m->stack - here : here - m->stack) > STACK_MOST;
}

static struct value evaluate(struct machine *m, const struct node *n)
{
    m->stopped |= m->run->budget == 0;
    if (m->stopped)
        return unknown_value();
    m->run->budget--;
    if (n->kind == NODE_NUMBER)
        return integer_value(n->integer);
    if (n->kind == NODE_NAME && n->slot < SLOT_SHARED)
        return m->frame->slots[n->slot];
    if (is_deep(m) || !evaluators[n->kind])
        return unknown_value();
    return evaluators[n->kind](m, n);
}

// ---- statements --------------------------------------------------------------------------------

// The group's own array, the same for all its items.
static struct object *group_array(struct machine *m, const struct node *n)
{
    struct run *r = m->run;
    for (uint32_t i = 0; i < r->group_count; i++) {
        if (r->group_nodes[i] == n)
            return r->group_arrays[i];
    }
    if (r->group_count == GROUP_ARRAYS_MOST)
        return object_new(m, n->name, n->type);
    struct object *o = arena_alloc(r->arena, sizeof *o);
    if (!o) {
        r->failed = m->stopped = true;
        return NULL;
    }
    *o = (struct object){
        .name = n->name, .space = SPACE_SHARED, .type = n->type, .component = n->type->component};
    for (uint32_t i = 0; i < 2 && i < n->type->dimension_count; i++) {
        struct value d =
            n->type->dimensions[i] ? evaluate(m, n->type->dimensions[i]) : unknown_value();
        r->group_dimensions[r->group_count][i] = is_known_value(&d) ? as_integer(&d) : 0;
    }
    r->group_nodes[r->group_count] = n;
    r->group_arrays[r->group_count++] = o;
    return o;
}

static void declare_slot(struct machine *m, const struct node *n)
{
    const struct type *t = n->type;
    struct place p = {.value = &m->frame->slots[n->slot], .type = t};
    m->frame->types[n->slot] = t;
    *p.value = unknown_value();
    if (t->dimension_count) {
        struct object *o = t->is_extern ? m->run->dynamic : NULL;
        if (!o)
            o = t->space == SPACE_SHARED ? group_array(m, n) : object_new(m, n->name, t);
        *p.value = o ? array_value(m, o, t) : unknown_value();
        if (n->a)
            evaluate(m, n->a);
        return;
    }
    if (!n->a)
        return;
    struct value v = evaluate(m, n->a);
    if (t->base == TYPE_RECORD && !t->stars)
        v = unknown_value();
    store_value(m, &p, &v);
    if (t->space == SPACE_SHARED && !t->stars)
        *p.value = unknown_value();
}

static enum flow execute_if(struct machine *m, const struct node *n)
{
    struct value c = evaluate(m, n->a);
    if (is_known_value(&c))
        return as_truth(&c) ? execute(m, n->b) : n->c ? execute(m, n->c) : FLOW_ON;
    const size_t first = m->mark_count;
    m->doubt++;
    enum flow yes = execute(m, n->b);
    const size_t middle = m->mark_count;
    enum flow no = n->c ? execute(m, n->c) : FLOW_ON;
    m->doubt--;
    join_marks(m, first, middle);
    m->may_have_left |= yes != FLOW_ON || no != FLOW_ON;
    m->may_have_ended |= m->calls == 0 && (yes == FLOW_RETURN) != (no == FLOW_RETURN);
    return yes == no ? yes : FLOW_ON;
}

// Does the loop's condition never end it?
static bool is_endless(const struct node *condition)
{
    return !condition || condition->kind == NODE_NUMBER;
}

static enum flow execute_loop(struct machine *m, const struct node *n)
{
    bool left = m->may_have_left;
    enum flow flow = FLOW_ON;
    uint32_t unknown = 0, endless = 0, tired = 0;
    const uint64_t started = m->run->budget, writes = m->run->writes;
    if (n->kind == NODE_FOR && n->a) {
        if (n->a->kind == NODE_BLOCK)
            execute(m, n->a);
        else
            evaluate(m, n->a);
    }
    for (bool first = n->kind == NODE_DO; !m->stopped; first = false) {
        const struct node *condition = n->kind == NODE_FOR ? n->b : n->a;
        struct value c = first || !condition ? integer_value(1) : evaluate(m, condition);
        if (is_known_value(&c) ? !as_truth(&c) : ++unknown > UNKNOWN_RUNS)
            break;
        if (m->run->patience && started - m->run->budget > m->run->patience && ++tired > 1) {
            m->run->is_cut |= m->run->writes != writes;
            break;
        }
        if (is_endless(condition) && ++endless > ENDLESS_RUNS && m->may_have_left)
            break;
        const size_t marks = m->mark_count;
        const bool is_sure = is_known_value(&c);
        m->doubt += !is_sure;
        flow = execute(m, n->d);
        m->doubt -= !is_sure;
        m->mark_count = is_sure ? m->mark_count : marks;
        if (flow == FLOW_BREAK || flow == FLOW_RETURN)
            break;
        if (n->kind == NODE_FOR && n->c)
            evaluate(m, n->c);
    }
    m->may_have_left = left;
    return flow == FLOW_RETURN ? flow : FLOW_ON;
}

static enum flow execute_switch(struct machine *m, const struct node *n)
{
    struct value v = evaluate(m, n->a);
    const struct node *block = n->d;
    uint32_t from = 0, otherwise = UINT32_MAX;
    bool found = !is_known_value(&v);
    for (uint32_t i = 0; i < block->count && !found; i++) {
        const struct node *c = block->list[i];
        if (c->kind != NODE_CASE)
            continue;
        struct value is = c->a ? evaluate(m, c->a) : unknown_value();
        if (!c->a)
            otherwise = i;
        found = c->a && is_known_value(&is) && as_integer(&is) == as_integer(&v);
        from = i;
    }
    if (!found)
        from = otherwise;
    enum flow flow = FLOW_ON;
    const size_t marks = m->mark_count;
    const bool is_sure = is_known_value(&v);
    m->doubt += !is_sure;
    for (uint32_t i = from; i < block->count && flow == FLOW_ON; i++) {
        flow = execute(m, block->list[i]);
        if (flow == FLOW_BREAK && !is_sure)
            flow = FLOW_ON; // all cases
    }
    m->doubt -= !is_sure;
    m->mark_count = is_sure ? m->mark_count : marks;
    return flow == FLOW_BREAK ? FLOW_ON : flow;
}

static enum flow execute(struct machine *m, const struct node *n)
{
    if (m->stopped)
        return FLOW_RETURN;
    switch (n->kind) {
    case NODE_DECLARE:
        declare_slot(m, n);
        return FLOW_ON;
    case NODE_EXPRESSION:
        evaluate(m, n->a);
        return FLOW_ON;
    case NODE_BLOCK:
        for (uint32_t i = 0; i < n->count; i++) {
            enum flow flow = execute(m, n->list[i]);
            if (flow != FLOW_ON)
                return flow;
        }
        return FLOW_ON;
    case NODE_IF:
        return execute_if(m, n);
    case NODE_FOR:
    case NODE_WHILE:
    case NODE_DO:
        return execute_loop(m, n);
    case NODE_SWITCH:
        return execute_switch(m, n);
    case NODE_BREAK:
        return FLOW_BREAK;
    case NODE_CONTINUE:
        return FLOW_CONTINUE;
    case NODE_RETURN:
        if (n->a)
            m->frame->result = evaluate(m, n->a);
        return FLOW_RETURN;
    default:
        return FLOW_ON;
    }
}

// ---- a work-item -------------------------------------------------------------------------------

void run_item(struct run *r, const int64_t group[3], const int64_t item[3])
{
    const struct function *f = r->kernel;
    struct machine m = {.run = r, .stack = (uintptr_t)__builtin_frame_address(0)};
    struct frame frame = {.result = unknown_value()};
    m.arena = r->scratch;
    memcpy(m.group, group, sizeof m.group);
    memcpy(m.item, item, sizeof m.item);
    pay(&m, f->slots / FRAME_STEP);
    frame.slots = arena_array(&m.arena, f->slots + 1, sizeof *frame.slots);
    frame.types = arena_array(&m.arena, f->slots + 1, sizeof *frame.types);
    if (!frame.slots || !frame.types || !f->body) {
        r->failed |= f->body != NULL;
        arena_empty(&m.arena);
        r->scratch = m.arena;
        return;
    }
    m.frame = &frame;
    for (uint32_t i = 0; i < f->parameter_count; i++) {
        const struct type *t = f->parameters[i].type;
        const uint32_t slot = f->parameters[i].slot;
        frame.types[slot] = t;
        if (r->objects[i])
            frame.slots[slot] = pointer_to(r->objects[i], t);
        else if (t->base == TYPE_INTEGER && t->lanes == 1)
            frame.slots[slot] = integer_value(r->scalars[i]);
        else if (t->base == TYPE_INTEGER && t->lanes > 1) {
            const struct value all = integer_value(r->scalars[i]);
            frame.slots[slot] = spread_lanes(&m, &all, t->lanes);
        } else if (t->base == TYPE_FLOAT && t->lanes == 1)
            frame.slots[slot] = unknown_value();
        if (r->objects[i] && t->dimension_count) { // float (*a)[N], float a[][N]
            frame.slots[slot] = array_value(&m, r->objects[i], t);
            frame.slots[slot].rest = frame.slots[slot].rest ? frame.slots[slot].rest - 1 : NULL;
            frame.slots[slot].rest_count = t->dimension_count;
            frame.slots[slot].step *= frame.slots[slot].extent;
            frame.slots[slot].extent = 0;
        }
    }
    execute(&m, f->body);
    arena_empty(&m.arena);
    r->scratch = m.arena;
}

void run_group(struct run *r, const int64_t group[3], bool corners)
{
    int64_t item[3];
    for (item[2] = 0; item[2] < r->local[2]; item[2]++) {
        for (item[1] = 0; item[1] < r->local[1]; item[1]++) {
            for (item[0] = 0; item[0] < r->local[0]; item[0]++) {
                bool is_corner = true;
                for (int axis = 0; axis < 3; axis++) {
                    int64_t i = item[axis], last = r->local[axis] - 1;
                    is_corner = is_corner && (i < 2 || i >= last - 1 || i == r->local[axis] / 2);
                }
                if ((!corners || is_corner) && r->budget && !r->failed)
                    run_item(r, group, item);
            }
        }
    }
}

void run_forget(struct run *r)
{
    for (uint32_t i = 0; i < r->kernel->parameter_count; i++) {
        if (r->objects[i])
            r->objects[i]->access = (struct touched){.by_data = false};
    }
    for (uint32_t i = 0; i < r->syntax->shared_count; i++) {
        if (r->shared[i])
            r->shared[i]->access = (struct touched){.by_data = false};
    }
    if (r->dynamic)
        r->dynamic->access = (struct touched){.by_data = false};
    r->group_count = 0;
    r->outside_local = r->is_cut = false;
}

bool run_constant(const struct run *r, const struct node *n, int64_t *out)
{
    struct run copy = *r;
    struct frame frame = {.slots = NULL};
    struct machine m = {
        .run = &copy, .frame = &frame, .stack = (uintptr_t)__builtin_frame_address(0)};
    copy.budget = 100000;
    copy.lost = NULL;
    arena_init(&m.arena);
    // A name of the kernel's own has no value here, and none is asked for outside functions.
    struct value v = evaluate(&m, n);
    arena_release(&m.arena);
    if (!is_known_value(&v))
        return false;
    *out = as_integer(&v);
    return true;
}

#undef ARGUMENTS_MOST
