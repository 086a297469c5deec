// One configuration as macros: its parameters, and the derived ones, for a kernel and a host program that know their size
// and device. No lookup stands beside them, so the table has a single point.
#include "extras/deploy/formats.h"
#include "extras/deploy/stamp.h"

static void add_macro(const struct deploy_table *t, const char *prefix, uint32_t slot,
                      const struct value *v, struct text *out)
{
    if (!deploy_is_macro(t, slot, v))
        return;
    text_addf(out, "#define %s%s%s ", prefix ? prefix : "", prefix ? "_" : "",
              t->spec->symbols.items[slot].name);
    define_text(v, out);
    text_add(out, "\n");
}

// The names' values at the only point, in the arena; NULL with the error.
static struct value *bind_point(const struct deploy_table *t, const struct deploy_device *d,
                                struct arena *a, struct error *e)
{
    const struct spec *s = t->spec;
    uint32_t derived = 0;
    enum expr_fault fault = EXPR_FAULT_NONE;
    struct value *slots = arena_array(a, s->slots.count + (size_t)1, sizeof *slots);
    if (!slots) {
        error_memory(e);
        return NULL;
    }
    spec_bind_fixed(s, d->facts, slots);
    for (uint32_t i = 0; i < t->column_count; i++)
        slots[s->slots.constants + t->column_constants[i]] = value_int(d->points[0].shape[i]);
    if (spec_bind(s, t->configurations[d->points[0].configuration].choice, slots, a, &derived,
                  &fault))
        return slots;
    error_set(e, ERROR_INPUT, "%s: %s: %s", s->path, s->derived[derived].name,
              expr_fault_text(fault));
    return NULL;
}

// Before anything is measured the table has no device, and nothing can be wrong.
static bool write_params(const struct deploy_table *t, const struct deploy_writing *w,
                         struct text *out, struct error *e)
{
    const struct deploy_device *d = t->devices;
    struct arena a;
    if (t->device_count == 0)
        return true;
    arena_init(&a);
    const struct value *slots = bind_point(t, d, &a, e);
    if (slots) {
        text_add(out, "/* ");
        deploy_stamp_add(t, out);
        text_add(out, " */\n");
        // "/* n=1048576 on NVIDIA H200 */"
        text_add(out, "/* ");
        for (uint32_t i = 0; i < t->column_count; i++)
            text_addf(out, "%s%s=%lld", i ? ", " : "", t->columns[i],
                      (long long)d->points[0].shape[i]);
        text_add(out, " on ");
        for (const char *c = d->name; *c; c++)
            text_addc(out, *c == '/' || *c == '\n' || *c == '\\' ? ' ' : *c); // it ends no comment
        text_add(out, " */\n");
        text_addf(out, "#ifndef %s_PARAMS_H\n#define %s_PARAMS_H\n", t->name, t->name);
        const struct spec *s = t->spec;
        for (uint32_t k = 0; k < s->parameter_count; k++)
            add_macro(t, w->prefix, s->slots.parameters + k, &slots[s->slots.parameters + k], out);
        for (uint32_t k = 0; k < s->derived_count; k++)
            add_macro(t, w->prefix, s->slots.derived + k, &slots[s->slots.derived + k], out);
        text_add(out, "#endif\n");
    }
    arena_release(&a);
    return slots && (!out->failed || error_memory(e));
}

const struct deploy_format deploy_format_params = {
    .name = "params",
    .ending = ".params.h",
    .help = "a header of macros alone: the parameters of one size on one device",
    .write = write_params,
    .is_of_one = true,
};
