// Kernels as a spec in the short form needs them. Constants are known where the text is read; parameters are not, and
// if the text says different things for different values, those of the default configuration are tried: of a
// vector's type the component is taken then, since how wide it is depends on them.
#include "problem/short_form_facts.h"

#include "base/text.h"

#include <string.h>

struct facts_reader {
    const struct spec *spec;
    const struct spec_sources *texts;
    struct arena *arena;
    struct value *slots; // of the default configuration
    struct error *e;
};

static const char *macro_text(struct facts_reader *f, uint32_t slot)
{
    const struct value *v = &f->slots[slot];
    struct text text = TEXT_INIT;
    if (v->kind == VALUE_BOOL)
        text_addf(&text, "%d", v->i != 0);
    else if (v->kind == VALUE_STRING)
        text_add(&text, v->s);
    else
        value_print(v, &text);
    return text_to_arena(&text, f->arena);
}

static void note_options(const struct facts_reader *f, const struct program_sources *p,
                         struct follow_macro *macros)
{
    for (uint32_t i = 0; i < p->option_count; i++) {
        size_t length;
        const char *value, *name = option_macro(p->options[i], &length, &value);
        uint32_t index = name ? scan_name_index(&f->texts->names, name, length) : UINT32_MAX;
        if (index != UINT32_MAX)
            macros[index] = (struct follow_macro){true, name[length] == '(' ? NULL : value};
    }
}

// The -D values as far as they are known: of the constants, and with `defaults` of everything.
static bool fill_macros(struct facts_reader *f, const struct program_sources *p, bool defaults,
                        struct follow_macro *macros)
{
    const struct spec *s = f->spec;
    for (uint32_t i = 0; i < f->texts->names.count; i++) {
        bool is_constant = i >= s->slots.constants && i < s->slots.derived;
        bool is_own = i < s->slots.facts;
        macros[i] = (struct follow_macro){.given = is_own ? !p->named || !p->named[i]
                                                          : program_mentions(p, i)};
        if (!macros[i].given || !is_own || !(is_constant || defaults))
            continue;
        bool is_value = f->slots[i].kind != VALUE_LIST && f->slots[i].kind != VALUE_NONE;
        if (is_value && !(macros[i].value = macro_text(f, i)))
            return error_memory(f->e);
    }
    note_options(f, p, macros);
    return true;
}

// Which of the text's kernels a launch without a name means: the only one.
static bool find_name(struct facts_reader *f, const struct program_sources *p,
                      const struct follow_macro *macros, struct launch_facts *out)
{
    const char *const *names;
    uint32_t count;
    struct text list = TEXT_INIT;
    if (!signature_kernels(f->texts, p, macros, f->arena, &names, &count))
        return error_memory(f->e);
    for (uint32_t i = 0; i < count; i++)
        text_addf(&list, "%s%s", i ? ", " : "", names[i]);
    out->kernels = text_to_arena(&list, f->arena);
    out->only = count == 1 ? names[0] : NULL;
    return out->kernels || error_memory(f->e);
}

// Fills unknown declarations with those that the default configuration's values settle.
static void settle(struct signature *open, const struct signature *settled)
{
    if (!open->known) {
        *open = *settled;
        return;
    }
    for (uint32_t i = 0; settled->known && i < open->count && i < settled->count; i++) {
        struct declared *to = &open->parameters[i].declared;
        const struct declared *from = &settled->parameters[i].declared;
        if (to->kind == DECLARED_UNKNOWN)
            open->parameters[i] = settled->parameters[i];
        bool is_buffer = to->kind == DECLARED_POINTER && from->kind == DECLARED_POINTER;
        if (to->has_element || !from->has_element || !is_buffer)
            continue;
        to->has_element = true;
        to->element = from->element;
        to->element.width = 1;
    }
}

static bool is_settled(const struct signature *s)
{
    bool all = s->known;
    for (uint32_t i = 0; i < s->count; i++)
        all = all && s->parameters[i].declared.kind != DECLARED_UNKNOWN &&
              s->parameters[i].declared.has_element;
    return all;
}

static bool read_launch_facts(struct facts_reader *f, const struct launch_spec *l,
                              struct launch_facts *out)
{
    struct program_sources *p = &f->texts->programs[l->program];
    struct follow_macro *macros = arena_array(f->arena, f->texts->names.count + 1, sizeof *macros);
    struct signature settled;
    *out = (struct launch_facts){.kernel = l->kernel, .kernels = "", .file = p->name};
    if (!macros)
        return error_memory(f->e);
    if (!fill_macros(f, p, false, macros))
        return false;
    bool is_open = l->kernel && strcmp(l->kernel, KERNEL_NAME_OPEN) == 0;
    if ((is_open || !f->spec->is_short) && !find_name(f, p, macros, out))
        return false;
    if (is_open)
        out->kernel = out->only;
    if (language_traits(f->texts->language)->is_command)
        return true;
    if (!out->kernel)
        return true; // an expression gives it, or the text has several
    if (!sources_note_parameters(f->texts, p, out->kernel) || !fill_macros(f, p, false, macros) ||
        !signature_read(f->texts, p, macros, out->kernel, f->arena, &out->signature))
        return error_memory(f->e);
    if (is_settled(&out->signature))
        return true;
    if (!fill_macros(f, p, true, macros) ||
        !signature_read(f->texts, p, macros, out->kernel, f->arena, &settled))
        return error_memory(f->e);
    settle(&out->signature, &settled);
    return true;
}

// Names as in a job; a derived parameter without a value is not known.
static bool bind_facts(struct facts_reader *f)
{
    const struct spec *s = f->spec;
    uint32_t *choice = arena_array(f->arena, (size_t)s->parameter_count + 1, sizeof *choice);
    f->slots = arena_array(f->arena, s->slots.count, sizeof *f->slots);
    if (!choice || !f->slots)
        return error_memory(f->e);
    spec_bind_fixed(s, s->device, f->slots);
    if (s->unbound)
        return true; // of an unknown device
    spec_default(s, choice);
    spec_bind(s, choice, f->slots, f->arena, NULL, NULL);
    return true;
}

bool kernel_facts_read(const struct spec *s, const struct spec_sources *texts, struct arena *a,
                       struct kernel_facts *out, struct error *e)
{
    const struct language_spec *l = &s->kernel->languages[texts->language];
    struct facts_reader f = {.spec = s, .texts = texts, .arena = a, .e = e};
    *out = (struct kernel_facts){.language = texts->language};
    out->launches = arena_array(a, (size_t)l->launch_count + 1, sizeof *out->launches);
    if (!out->launches)
        return error_memory(e);
    if (!bind_facts(&f))
        return false;
    for (; out->launch_count < l->launch_count; out->launch_count++) {
        if (!read_launch_facts(&f, &l->launches[out->launch_count],
                               &out->launches[out->launch_count]))
            return false;
    }
    if (!l->reference)
        return true;
    out->reference = &out->launches[l->launch_count];
    return read_launch_facts(&f, l->reference, out->reference);
}
