// Writes what was inferred of a kernel as a spec: a line for each thing that a person may want to
// change.
#include "extras/init/init_spec.h"

#include "extras/init/spread.h"
#include "base/emit.h"

#include <math.h>
#include <string.h>

struct spec_text {
    struct text *out;
    bool has_key; // one was written: the next needs a comma
};

static void add_quoted(struct text *out, const char *value)
{
    struct emit j;
    emit_start(&j, out);
    emit_text(&j, value);
}

static void start_key(struct spec_text *t, const char *key)
{
    text_addf(t->out, "%s\n  ", t->has_key ? "," : "");
    add_quoted(t->out, key);
    text_add(t->out, ": ");
    t->has_key = true;
}

static void put_member(struct spec_text *t, bool *any, bool lines, const char *key)
{
    text_addf(t->out, "%s%s", *any ? "," : "", lines ? "\n    " : *any ? " " : "");
    add_quoted(t->out, key);
    text_add(t->out, ": ");
    *any = true;
}

// A number as it is, anything else, such as a constant `inf`, as an expression.
static void put_expression(struct spec_text *t, const char *value)
{
    double number;
    if (str_to_f64(value, &number) && isfinite(number))
        text_add(t->out, value);
    else
        add_quoted(t->out, value);
}

static void put_constants(struct spec_text *t, const struct inferred *f)
{
    bool any = false;
    for (uint32_t i = 0; i < f->name_count; i++) {
        const struct inferred_name *n = &f->names[i];
        if (n->role != NAME_CONSTANT)
            continue;
        if (!any) {
            start_key(t, "constants");
            text_add(t->out, "{");
        }
        put_member(t, &any, false, n->name);
        if (n->follows)
            add_quoted(t->out, n->follows);
        else
            text_addf(t->out, "%lld", (long long)n->value);
    }
    if (any)
        text_add(t->out, "}");
}

static void put_parameters(struct spec_text *t, const struct inferred *f)
{
    bool any = false;
    start_key(t, "parameters");
    text_add(t->out, "{");
    for (uint32_t i = 0; i < f->name_count; i++) {
        const struct inferred_name *n = &f->names[i];
        if (n->role == NAME_CONSTANT)
            continue;
        put_member(t, &any, true, n->name);
        text_add(t->out, n->values ? n->values : n->is_integer ? "[\"int\"]" : "[\"float\"]");
    }
    text_add(t->out, any ? "\n  }" : "}");
    any = false;
    for (uint32_t i = 0; i < f->name_count; i++) {
        const struct inferred_name *n = &f->names[i];
        if (n->role != NAME_PARAMETER)
            continue;
        if (!any) {
            start_key(t, "defaults");
            text_add(t->out, "{");
        }
        put_member(t, &any, false, n->name);
        text_addf(t->out, "%lld", (long long)n->value);
    }
    if (any)
        text_add(t->out, "}");
}

static void put_list(struct spec_text *t, const char *key, const char *const *list, uint32_t count)
{
    start_key(t, key);
    text_add(t->out, "[");
    for (uint32_t i = 0; i < count; i++) {
        text_add(t->out, i ? ", " : "");
        put_expression(t, list[i]);
    }
    text_add(t->out, "]");
}

static void put_fill(struct spec_text *t, bool *any, const struct inferred_argument *a)
{
    if (a->file) {
        put_member(t, any, false, "fill");
        add_quoted(t->out, a->file);
    } else if (a->generator) {
        put_member(t, any, false, "fill");
        add_quoted(t->out, a->generator);
    } else if (a->is_zero) {
        put_member(t, any, false, "fill");
        text_add(t->out, "0");
    } else if (a->low) {
        put_member(t, any, false, "fill");
        text_add(t->out, "{\"random\": [");
        put_expression(t, a->low);
        text_add(t->out, ", ");
        put_expression(t, a->high);
        text_add(t->out, "]}");
    }
}

// {"image": ["WIDTH", "HEIGHT"]}: its type and access are what the source says.
static void put_image(struct spec_text *t, const struct inferred_argument *a)
{
    text_add(t->out, "{\"image\": [");
    for (int axis = 0; axis < 3 && a->image[axis]; axis++) {
        text_add(t->out, axis ? ", " : "");
        put_expression(t, a->image[axis]);
    }
    text_add(t->out, "]}");
}

static void put_buffer(struct spec_text *t, const struct inferred_argument *a)
{
    static const char *const access[] = {
        [INFERRED_READ] = "read", [INFERRED_WRITE] = "write", [INFERRED_BOTH] = "readwrite"};
    bool any = false, is_local = a->kind == INFERRED_LOCAL;
    text_add(t->out, "{");
    if (a->type_words || a->is_other_type || a->is_typed) {
        put_member(t, &any, false, "type");
        add_quoted(t->out, a->type_words ? a->type_words : a->type);
    }
    if (a->type_bytes && !a->type_words) {
        put_member(t, &any, false, "type_size");
        text_addf(t->out, "%u", a->type_bytes);
    }
    if (a->kind == INFERRED_SYMBOL) {
        put_member(t, &any, false, "memory");
        text_add(t->out, "\"symbol\"");
    }
    if (a->size) {
        put_member(t, &any, false, "size");
        put_expression(t, a->size);
    }
    if (!is_local && a->kind != INFERRED_SYMBOL) {
        put_member(t, &any, false, "access");
        add_quoted(t->out, access[a->access]);
    }
    if (a->is_scratch) {
        put_member(t, &any, false, "temporary");
        text_add(t->out, "true");
    } else if (!is_local && a->access != INFERRED_WRITE) {
        put_fill(t, &any, a);
    }
    if (a->expect) {
        put_member(t, &any, false, "expect");
        add_quoted(t->out, a->expect);
    }
    if (a->is_sum && !a->expect) {
        put_member(t, &any, false, "verify");
        text_add(t->out, "\"sum\"");
    }
    text_add(t->out, "}");
}

// A value, with its type where the kernel's source does not say it plainly.
static void put_scalar(struct spec_text *t, const struct inferred_argument *a)
{
    bool any = false;
    if (!a->is_typed) {
        put_expression(t, a->value);
        return;
    }
    text_add(t->out, "{");
    put_member(t, &any, false, "type");
    add_quoted(t->out, a->type_words ? a->type_words : a->type);
    put_member(t, &any, false, "value");
    put_expression(t, a->value);
    text_add(t->out, "}");
}

static void put_layout(struct spec_text *t, const struct inferred *f, const char *owner,
                       const struct layout *l);

// The value that the kernel has of `element` of an array, or of a number; NULL: it does not use it.
static const char *find_member(const struct inferred *f, const char *owner,
                               const struct layout_member *m, uint32_t element)
{
    char name[128];
    str_format(name, sizeof name, m->count ? "%s[%u]" : "%s", m->name, element);
    for (uint32_t i = 0; owner && i < f->argument_count; i++) {
        const struct inferred_argument *a = &f->arguments[i];
        if (a->kind == INFERRED_MEMBER && str_equal(a->owner, owner) && str_equal(a->member, name))
            return a->value;
    }
    return NULL;
}

// A stride is the product of the extents before it; of those that the kernel does not use each is 1.
static void put_stride(struct spec_text *t, const struct inferred *f, const char *owner,
                       const struct layout_member *extents, uint32_t element)
{
    struct text all = TEXT_INIT;
    for (uint32_t i = 0; i < element; i++) {
        const char *value = find_member(f, owner, extents, i);
        if (value && !str_equal(value, "1"))
            text_addf(&all, "%s%s", all.length ? " * " : "", value);
    }
    put_expression(t, all.length ? text_cstr(&all) : "1");
    text_release(&all);
}

static void put_member_value(struct spec_text *t, const struct inferred *f, const char *owner,
                             const struct layout_member *m, uint32_t element)
{
    const uint32_t lanes = layout_lanes(m);
    const char *value = find_member(f, owner, m, element);
    if (value) {
        put_expression(t, value);
        return;
    }
    if (m->inner) {
        put_layout(t, f, NULL, m->inner);
        return;
    }
    for (uint32_t i = 0; i < lanes; i++)
        text_addf(t->out, "%s0%s",
                  i           ? ", "
                  : lanes > 1 ? "["
                              : "",
                  i + 1 == lanes && lanes > 1 ? "]" : "");
}

// {"rows": "shape_rows", "from": [0, 0]}: what the kernel does not use is 0.
static void put_layout(struct spec_text *t, const struct inferred *f, const char *owner,
                       const struct layout *l)
{
    bool any = false;
    text_add(t->out, "{");
    for (uint32_t i = 0; i < l->count; i++) {
        const struct layout_member *m = &l->members[i];
        put_member(t, &any, false, m->name);
        text_add(t->out, m->count ? "[" : "");
        for (uint32_t k = 0; k < (m->count ? m->count : 1); k++) {
            text_add(t->out, k ? ", " : "");
            const struct layout_member *extents = owner ? spread_extents(l, m) : NULL;
            if (extents)
                put_stride(t, f, owner, extents, k);
            else
                put_member_value(t, f, owner, m, k);
        }
        text_add(t->out, m->count ? "]" : "");
    }
    text_add(t->out, "}");
}

static void put_struct(struct spec_text *t, const struct inferred *f,
                       const struct inferred_argument *a)
{
    bool any = false;
    text_add(t->out, "{");
    if (a->is_typed) {
        put_member(t, &any, false, "type");
        add_quoted(t->out, a->type);
    }
    put_member(t, &any, false, "value");
    put_layout(t, f, a->name, a->layout);
    text_add(t->out, "}");
}

static void put_arguments(struct spec_text *t, const struct inferred *f)
{
    bool any = false;
    start_key(t, "arguments");
    text_add(t->out, "{");
    for (uint32_t i = 0; i < f->argument_count; i++) {
        const struct inferred_argument *a = &f->arguments[i];
        if (a->kind == INFERRED_MEMBER)
            continue;
        put_member(t, &any, true, a->name);
        if (a->kind == INFERRED_STRUCT)
            put_struct(t, f, a);
        else if (a->kind == INFERRED_IMAGE)
            put_image(t, a);
        else if (a->kind == INFERRED_SAMPLER)
            text_add(t->out, "{\"sampler\": \"clamp_to_edge nearest\"}");
        else if (a->kind == INFERRED_SCALAR)
            put_scalar(t, a);
        else
            put_buffer(t, a);
    }
    text_add(t->out, any ? "\n  }" : "}");
}

static void put_texts(struct spec_text *t, const char *key, const char *start,
                      const char *const *texts, uint32_t count)
{
    if (!count)
        return;
    start_key(t, key);
    for (uint32_t i = 0; i < count; i++) {
        struct text whole = TEXT_INIT;
        text_addf(&whole, "%s%s", start, texts[i]);
        text_add(t->out, i ? ", " : "[");
        add_quoted(t->out, text_cstr(&whole));
        t->out->failed |= whole.failed;
        text_release(&whole);
    }
    text_add(t->out, "]");
}

void init_spec_write(const struct inferred *f, const struct init_file *file, struct text *out)
{
    struct spec_text t = {.out = out};
    text_add(out, "{");
    start_key(&t, "kernel");
    if (file->ahead) { // by language, since a header's ending does not say it
        text_addf(out, "{\"%s\": [", file->language);
        add_quoted(out, file->ahead);
        text_add(out, ", ");
    }
    add_quoted(out, file->path);
    text_add(out, file->ahead ? "]}" : "");
    if (file->has_several || f->name_expression || strchr(f->kernel, ':')) {
        start_key(&t, "function");
        add_quoted(out, f->name_expression ? f->name_expression : f->kernel);
    }
    if (f->option) {
        start_key(&t, "options");
        text_add(out, "[");
        for (uint32_t i = 0; i < file->define_count; i++) {
            struct text option = TEXT_INIT;
            text_addf(&option, "-D%s", file->defines[i]);
            add_quoted(out, text_cstr(&option));
            text_add(out, ", ");
            out->failed |= option.failed;
            text_release(&option);
        }
        add_quoted(out, f->option);
        text_add(out, "]");
    } else {
        put_texts(&t, "options", "-D", file->defines, file->define_count);
    }
    put_texts(&t, "include", "", (const char *const *)file->folders, file->folder_count);
    put_constants(&t, f);
    put_parameters(&t, f);
    if (f->restriction_count)
        put_list(&t, "restrictions", f->restrictions, f->restriction_count);
    if (!f->is_function) {
        put_list(&t, "global", f->global, f->axes);
        put_list(&t, "local", f->local, f->axes);
    }
    if (f->shared_bytes) {
        start_key(&t, "shared");
        put_expression(&t, f->shared_bytes);
    }
    put_arguments(&t, f);
    text_add(out, "\n}\n");
}
