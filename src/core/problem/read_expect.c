// Expect of an argument: what the kernel is to leave in it, as an expression over the index, or a file. Names are those of
// the spec and of the arguments, which hide them; what is right must not depend on a parameter that is tuned.
#include "problem/complete.h"
#include "problem/read_kernels.h"

#include "base/text.h"
#include "expr/elementwise_text.h"

#include <string.h>

static bool is_file_name(const char *text)
{
    size_t length = text ? strlen(text) : 0;
    return length > 4 && strcmp(text + length - 4, ".npy") == 0;
}

bool has_expectations(const struct reader *r, struct node kernel)
{
    struct node list = node_get(r, kernel, "Arguments");
    for (size_t i = 0; i < node_count(list); i++)
        if (node_present(node_get(r, node_item(r, list, i), "Expect")))
            return true;
    return false;
}

// Names of the spec that an argument has, too, or that mean the index, are hidden by an empty one: slots stay theirs. So are those
// that have no value before a launch.
static bool make_expect_symbols(const struct reader *r, struct kernel_spec *k)
{
    const struct expr_symbols *own = &r->spec->symbols;
    size_t count = own->count + k->argument_count + 2;
    struct expr_symbol *items = arena_array(r->arena, count, sizeof *items);
    if (!items)
        return error_memory(r->error);
    for (size_t i = 0; i < own->count; i++) {
        bool hidden = i >= r->spec->slots.special || strcmp(own->items[i].name, "i") == 0;
        for (uint32_t a = 0; a < k->argument_count; a++)
            hidden = hidden || strcmp(own->items[i].name, k->arguments[a].name) == 0;
        items[i].name = hidden ? "" : own->items[i].name;
        items[i].is_builtin = own->items[i].is_builtin;
    }
    items[own->count].name = "i";
    for (uint32_t a = 0; a < k->argument_count; a++)
        items[own->count + 1 + a].name = k->arguments[a].name;
    items[count - 1].name = "size";
    k->expect_symbols = (struct expr_symbols){items, count};
    return true;
}

// The tuned parameter that an expression over the spec's names depends on; NULL: none.
static const char *tuned_parameter(const struct spec *s, const struct expr *x);

static const char *tuned_slot(const struct spec *s, const uint32_t *slots, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t slot = slots[i];
        if (slot >= s->slots.parameters && slot < s->slots.parameters + s->parameter_count &&
            s->parameters[slot - s->slots.parameters].count > 1)
            return s->parameters[slot - s->slots.parameters].name;
        // A derived one depends on those before it alone.
        bool derived = slot >= s->slots.derived && slot < s->slots.derived + s->derived_count;
        const char *name =
            derived ? tuned_parameter(s, s->derived[slot - s->slots.derived].expr) : NULL;
        if (name)
            return name;
    }
    return NULL;
}

static const char *tuned_parameter(const struct spec *s, const struct expr *x)
{
    const uint32_t *slots = NULL;
    size_t count = x ? expr_slots(x, &slots) : 0;
    return tuned_slot(s, slots, count);
}

// An expression, or a list of lines.
static bool read_expected_text(const struct reader *r, const struct kernel_spec *k, struct node n,
                               struct expected_spec *out)
{
    out->text_path = n.path;
    out->text = node_lines(r, n);
    if (!out->text)
        return error_memory(r->error);
    const struct elementwise_text *t =
        elementwise_parse(r->arena, out->text, &k->expect_symbols, r->error);
    if (!t)
        return error_context(r->error, "%s", n.path);
    out->slots = t->slots;
    out->slot_count = t->slot_count;
    return true;
}

static bool check_expectation(const struct reader *r, const struct kernel_spec *k, struct node n,
                              const struct expected_spec *x)
{
    const uint32_t *slots = x->slots;
    size_t count = x->slot_count, own = r->spec->symbols.count;
    const char *name = tuned_slot(r->spec, slots, count);
    if (name)
        return node_error(r, n,
                          "'%s' is tuned, and what is right must not depend on it: use constants, "
                          "or give the spec a Reference",
                          name);
    for (size_t i = 0; i < count; i++) {
        if (slots[i] <= own || slots[i] - own - 1 >= k->argument_count)
            continue;
        const struct argument_spec *a = &k->arguments[slots[i] - own - 1];
        name = a->memory == MEMORY_SCALAR ? tuned_parameter(r->spec, a->fill.value.expr) : NULL;
        if (name)
            return node_error(
                r, n, "argument '%s' depends on '%s', which is tuned: what is right must not",
                a->name, name);
        if (a->memory == MEMORY_LOCAL || a->memory == MEMORY_SAMPLER)
            return node_error(r, n, "argument '%s' is %s, which has no contents before the launch",
                              a->name, a->memory == MEMORY_LOCAL ? "local memory" : "a sampler");
        if (a->memory != MEMORY_SCALAR && a->fill.kind == FILL_NONE)
            return node_error(r, n, "argument '%s' has no contents before the launch: it is %s",
                              a->name, a->access == ACCESS_WRITE ? "WriteOnly" : "not filled");
    }
    return true;
}

// The tuned parameter that an argument's contents depend on, or NULL.
static const char *tuned_argument(const struct spec *s, const struct argument_spec *a)
{
    const struct formula *formulas[] = {&a->type,          &a->size,          &a->fill.value,
                                        &a->fill.low,      &a->fill.high,     &a->fill.generator,
                                        &a->image.size[0], &a->image.size[1], &a->image.size[2]};
    const char *name = NULL;
    bool counts = !a->temporary && a->memory != MEMORY_LOCAL;
    for (size_t i = 0; counts && !name && i < sizeof formulas / sizeof *formulas; i++)
        name = tuned_parameter(s, formulas[i]->expr);
    return name;
}

struct spec_held {
    const char *by;
    const struct spec_contents *contents;
    uint32_t count;
};

// In the short form the arguments are known once the kernel's source is: then it is done again.
static bool remember_held(struct spec *s, const char *by, const struct spec_contents *contents,
                          uint32_t count, struct error *e)
{
    struct spec_held *held = arena_alloc(&s->arena, sizeof *held);
    struct spec_contents *copy = arena_array(&s->arena, (size_t)count + 1, sizeof *copy);
    bool ok = held && copy;
    for (uint32_t i = 0; ok && i < count; i++) {
        copy[i].argument = arena_strdup(&s->arena, contents[i].argument);
        copy[i].file = arena_strdup(&s->arena, contents[i].file);
        ok = copy[i].argument && copy[i].file;
    }
    if (!ok || !(by = arena_strdup(&s->arena, by)))
        return error_memory(e);
    *held = (struct spec_held){by, copy, count};
    s->held = held;
    return true;
}

bool spec_hold_again(const struct spec *from, struct spec *to, struct error *e)
{
    const struct spec_held *held = from->held;
    return !held || spec_hold_against(to, held->by, held->contents, held->count, e);
}

bool spec_hold_against(struct spec *s, const char *by, const struct spec_contents *contents,
                       uint32_t count, struct error *e)
{
    struct kernel_spec *k = (struct kernel_spec *)s->kernel; // in the spec's arena
    struct reference_spec r = {.source = REFERENCE_BY_CONTENTS,
                               .path = arena_strdup(&s->arena, by)};
    for (uint32_t a = 0; a < k->argument_count; a++) {
        const char *name = tuned_argument(s, &k->arguments[a]);
        if (name)
            return error_set(e, ERROR_INPUT,
                             "%s: argument '%s' depends on '%s', which is tuned: what %s computes "
                             "for one configuration is not right for the others",
                             k->arguments[a].path, k->arguments[a].name, name, by);
    }
    r.name = r.path;
    r.expected = arena_array(&s->arena, (size_t)count + 1, sizeof *r.expected);
    if (!r.path || !r.expected)
        return error_memory(e);
    for (uint32_t i = 0; i < count; i++) {
        struct expected_spec *x = &r.expected[r.expected_count];
        const char *file = arena_strdup(&s->arena, contents[i].file);
        if (!file)
            return error_memory(e);
        *x = (struct expected_spec){.argument = UINT32_MAX,
                                    .fill = {.kind = FILL_DATA, .path = r.path, .file = file}};
        for (uint32_t a = 0; a < k->argument_count; a++)
            x->argument = strcmp(k->arguments[a].name, contents[i].argument) == 0 ? a : x->argument;
        r.expected_count += x->argument != UINT32_MAX;
    }
    k->reference = r;
    return remember_held(s, by, contents, count, e);
}

bool read_expectations(const struct reader *r, struct node kernel, struct kernel_spec *k)
{
    struct node list = node_get(r, kernel, "Arguments");
    struct reference_spec *out = &k->reference;
    out->source = REFERENCE_BY_CONTENTS;
    out->path = list.path;
    out->name = "KernelSpecification.Arguments";
    out->expected = arena_array(r->arena, node_count(list) + 1, sizeof *out->expected);
    if (!out->expected)
        return error_memory(r->error);
    if (!make_expect_symbols(r, k))
        return false;
    for (uint32_t i = 0; i < k->argument_count; i++) {
        struct node n = node_get(r, node_item(r, list, i), "Expect");
        struct expected_spec *x = &out->expected[out->expected_count];
        if (!node_present(n))
            continue;
        *x = (struct expected_spec){.argument = i, .fill = {.kind = FILL_NONE, .path = n.path}};
        if (!output_named(r, k, n, k->arguments[i].name, &x->argument))
            return false;
        if (is_file_name(node_text(n))) {
            x->fill = (struct fill_spec){.kind = FILL_DATA, .path = n.path};
            if (!read_text(r, n, &x->fill.file))
                return false;
        } else if (!read_expected_text(r, k, n, x) || !check_expectation(r, k, n, x)) {
            return false;
        }
        out->expected_count++;
    }
    warn_uncompared(r, k, list);
    return true;
}
