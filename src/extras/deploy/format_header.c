// `hone deploy --format header`: one C header that is complete in itself. It holds the table as constants, its expressions
// as functions, the lookup that all such headers share (known/known_core.h), and functions that are typed for this table.
#include "extras/deploy/emit_c.h"
#include "extras/deploy/formats.h"
#include "extras/deploy/header_texts.h"
#include "extras/deploy/paste_source.h"
#include "extras/deploy/stamp.h"

#include "base/digest.h"
#include "problem/spec_kernels.h"

#include <string.h>

enum { LITERAL_MOST = 4000 }; // characters: a C99 compiler takes 4095

// One header that is being written.
struct header {
    const struct core_table *c;
    const struct deploy_table *t;
    const struct deploy_writing *w;
    const char *name;
    struct text *out;
};

// One of these, with or without underscores behind it: it gets one more, so that no two become one.
static bool is_taken(const char *const *taken, const char *name)
{
    size_t length = strlen(name);
    while (length > 0 && name[length - 1] == '_')
        length--;
    for (; *taken; taken++) {
        if (strlen(*taken) == length && memcmp(*taken, name, length) == 0)
            return true;
    }
    return false;
}

// ", int64_t M, int64_t N" or ", M, N".
static void add_sizes(const struct header *h, const char *before)
{
    // Names that the functions of the templates define themselves, and call.
    static const char *const taken[] = {"device", "device_name",  "c",     "out",    "size",
                                        "index",  "argument",     "shape", "found",  "i",
                                        "b",      "architecture", "NULL",  "size_t", "int64_t",
                                        "memcmp", "strcmp",       NULL};
    for (uint32_t i = 0; i < h->t->column_count; i++) {
        text_addf(h->out, ", %s", before);
        emit_c_name(h->t->columns[i], h->out);
        if (is_taken(taken, h->t->columns[i]))
            text_addc(h->out, '_');
    }
}

static void add_strings(const struct header *h, const char *what, const char *const *items,
                        uint32_t count)
{
    text_addf(h->out, "static const char *const %s_%s[] = {", h->name, what);
    for (uint32_t i = 0; i < count; i++) {
        text_add(h->out, i ? ", " : "");
        emit_c_string(items[i], h->out);
    }
    text_add(h->out, count ? "};\n" : "NULL};\n");
}

static void add_number(const struct header *h, uint32_t expression)
{
    if (expression == HONE_CORE_NONE)
        text_add(h->out, "HONE_CORE_NONE");
    else
        text_addf(h->out, "%u", (unsigned)expression);
}

static void add_numbers(const struct header *h, const uint32_t *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        text_add(h->out, i ? ", " : "");
        add_number(h, items[i]);
    }
}

// ---- the beginning -----------------------------------------------------------------------------

static void add_about(const struct header *h)
{
    const struct deploy_table *t = h->t;
    text_addf(
        h->out,
        "/* %s: configurations that hone measured, and which one is taken where.\n\n   Written by ",
        h->name);
    emit_c_comment(h->w->command ? h->w->command : "hone deploy --format header", h->out);
    text_addf(h->out, "\n   hone %s, spec ", t->hone_version);
    emit_c_comment(t->spec_path, h->out);
    text_addf(h->out, " in %s\n   ", language_title(t->language));
    deploy_stamp_add(t, h->out);
    text_add(h->out, "\n\n");
    text_addf(h->out, "   %u configuration%s for %u device%s. Use:\n\n", t->configuration_count,
              t->configuration_count == 1 ? "" : "s", t->device_count,
              t->device_count == 1 ? "" : "s");
    text_addf(h->out, "     %s_handle device = %s_device(name_of_the_device);\n", h->name, h->name);
    text_addf(h->out, "     const %s_configuration *best = %s_best_on(&device", h->name, h->name);
    add_sizes(h, "");
    text_addf(h->out,
              ");\n     char options[4096];\n     hone_deployed_launch launch;\n"
              "     %s_options(&device, best",
              h->name);
    add_sizes(h, "");
    text_addf(h->out, ", options, sizeof options);\n     %s_launch(&device, best, 0", h->name);
    add_sizes(h, "");
    text_addf(
        h->out,
        ", &launch);\n\n"
        "   Build the kernel's source with these options; launch.kernel then takes launch.global "
        "and launch.local, and its\n   arguments are those of launch.arguments, by the numbers of "
        "%s_argument. best is NULL where no configuration is\n   valid; %s_why() has the reason.\n",
        h->name, h->name);
    text_addf(h->out,
              "   C99 and C++11; no library, no allocation, no state. */\n"
              "#ifndef HONE_DEPLOYED_%s\n#define HONE_DEPLOYED_%s\n\n",
              h->name, h->name);
    text_add(h->out, known_core_text);
    text_addf(h->out, "\n#define %s_HONE_VERSION \"%s\"\n#define %s_SOURCE_DIGEST \"%s\"\n",
              h->name, t->hone_version, h->name, t->source_digest);
    text_addf(h->out, "#define %s_LANGUAGE \"%s\"\n\n", h->name, language_title(t->language));
}

// ---- the configurations ------------------------------------------------------------------------

// The kind that holds all values of a parameter.
static enum value_kind member_kind(const struct parameter *p)
{
    enum value_kind kind = VALUE_INT;
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->values[i].kind == VALUE_STRING ||
            (p->values[i].kind == VALUE_FLOAT && kind != VALUE_STRING))
            kind = p->values[i].kind;
    }
    return kind;
}

static void add_member(const struct header *h, const struct parameter *p, const struct value *v)
{
    char number[32];
    double f;
    text_add(h->out, ", ");
    enum value_kind kind = member_kind(p);
    if (kind == VALUE_STRING) {
        struct text shown = TEXT_INIT;
        if (v->kind != VALUE_STRING)
            value_print(v, &shown);
        emit_c_string(v->kind == VALUE_STRING ? v->s : text_cstr(&shown), h->out);
        text_release(&shown);
    } else if (kind == VALUE_FLOAT && value_to_f64(v, &f)) {
        f64_to_str(f, number);
        text_add(h->out, number);
    } else {
        emit_c_int(v->i, h->out);
    }
}

static void add_configuration_type(const struct header *h)
{
    text_addf(h->out, "typedef struct %s_configuration {\n", h->name);
    text_addf(h->out, "    uint32_t index;           /* in %s_configurations */\n", h->name);
    text_add(h->out, "    uint32_t launch_count;    /* at most; some shapes leave some out */\n"
                     "    const char *text;         /* all parameters */\n"
                     "    const char *options;      /* all but those that the shape decides */\n"
                     "    const char *const *kernels; /* of the launches */\n"
                     "    struct {\n");
    for (uint32_t i = 0; i < h->c->spec->parameter_count; i++) {
        text_add(h->out, "    ");
        enum value_kind kind = member_kind(&h->c->spec->parameters[i]);
        text_add(h->out, kind == VALUE_STRING  ? "    const char *"
                         : kind == VALUE_FLOAT ? "    double "
                                               : "    int64_t ");
        emit_c_name(h->c->spec->parameters[i].name, h->out);
        text_add(h->out, ";\n");
    }
    text_addf(h->out, "    %s} parameters;\n} %s_configuration;\n\n",
              h->c->spec->parameter_count ? "" : "    int none;\n    ", h->name);
}

static void add_typed_configurations(const struct header *h)
{
    const hone_core_table *core = &h->c->core;
    for (uint32_t i = 0; i < core->configuration_count; i++) {
        const hone_core_configuration *c = &core->configurations[i];
        text_addf(h->out, "static const char *const %s_kernels_%u[] = {", h->name, i);
        for (uint32_t k = 0; k < c->launch_count; k++) {
            emit_c_string(c->launches[k].kernel, h->out);
            text_add(h->out, ", ");
        }
        text_add(h->out, "NULL};\n");
    }
    text_addf(h->out, "static const %s_configuration %s_configurations[] = {\n", h->name, h->name);
    for (uint32_t i = 0; i < core->configuration_count; i++) {
        const hone_core_configuration *c = &core->configurations[i];
        text_addf(h->out, "    {%u, %u,\n     ", i, c->launch_count);
        emit_c_string(c->text, h->out);
        text_add(h->out, ",\n     ");
        emit_c_string(c->options, h->out);
        text_addf(h->out, ",\n     %s_kernels_%u, {", h->name, i);
        size_t start = h->out->length;
        for (uint32_t k = 0; k < h->c->spec->parameter_count; k++)
            add_member(h, &h->c->spec->parameters[k], &h->t->configurations[i].values[k]);
        if (!h->out->failed && h->out->length > start + 2) // without the first comma
            memmove(h->out->data + start, h->out->data + start + 2, h->out->length - start - 1),
                h->out->length -= 2;
        else
            text_add(h->out, "0");
        text_add(h->out, "}},\n");
    }
    text_add(h->out, "};\n\n");
}

// ---- the table ---------------------------------------------------------------------------------

static void add_evaluate(const struct header *h)
{
    for (uint32_t i = 0; i < h->c->program_count; i++)
        emit_c_program(&h->c->programs[i], h->name, i, h->out);
    text_addf(
        h->out,
        "static inline hone_core_value %s_evaluate(const void *context, uint32_t expression,\n"
        "                                          const hone_core_value *x)\n{\n    "
        "(void)context;\n"
        "    switch (expression) {\n",
        h->name);
    for (uint32_t i = 0; i < h->c->program_count; i++)
        text_addf(h->out, "    case %u:\n        return %s_x%u(x);\n", i, h->name, i);
    text_add(h->out,
             "    default:\n        return hone_core_fault(HONE_CORE_DOMAIN);\n    }\n}\n\n");
}

static void add_named(const struct header *h, const char *what, uint32_t index,
                      const hone_core_named *list, uint32_t count)
{
    if (count == 0)
        return;
    text_addf(h->out, "static const hone_core_named %s_%s_%u[] = {\n", h->name, what, index);
    for (uint32_t i = 0; i < count; i++) {
        text_add(h->out, "    {");
        emit_c_string(list[i].text, h->out);
        text_addf(h->out, ", %u},\n", list[i].expression);
    }
    text_add(h->out, "};\n");
}

static void add_launches(const struct header *h, uint32_t index, const hone_core_configuration *c)
{
    for (uint32_t i = 0; i < c->launch_count; i++) {
        const hone_core_launch *l = &c->launches[i];
        if (l->argument_count == 0)
            continue;
        text_addf(h->out, "static const uint32_t %s_arguments_%u_%u[] = {", h->name, index, i);
        add_numbers(h, l->arguments, l->argument_count);
        text_add(h->out, "};\n");
    }
    if (c->launch_count == 0)
        return;
    text_addf(h->out, "static const hone_core_launch %s_launches_%u[] = {\n", h->name, index);
    for (uint32_t i = 0; i < c->launch_count; i++) {
        const hone_core_launch *l = &c->launches[i];
        text_add(h->out, "    {");
        emit_c_string(l->kernel, h->out);
        text_add(h->out, ", ");
        add_number(h, l->when);
        text_add(h->out, ", {");
        add_numbers(h, l->global, 3);
        text_add(h->out, "}, {");
        add_numbers(h, l->local, 3);
        text_add(h->out, "}, ");
        add_number(h, l->local_memory);
        text_addf(h->out, ", %u, %u, ", l->dimensions, l->argument_count);
        if (l->argument_count)
            text_addf(h->out, "%s_arguments_%u_%u},\n", h->name, index, i);
        else
            text_add(h->out, "NULL},\n");
    }
    text_add(h->out, "};\n");
}

// The name of a list of this configuration, or NULL where it is empty.
static void add_list_name(const struct header *h, const char *what, uint32_t index, uint32_t count)
{
    if (count)
        text_addf(h->out, ", %s_%s_%u", h->name, what, index);
    else
        text_add(h->out, ", NULL");
}

static void add_configuration_rows(const struct header *h)
{
    const hone_core_table *core = &h->c->core;
    for (uint32_t i = 0; i < core->configuration_count; i++) {
        const hone_core_configuration *c = &core->configurations[i];
        add_named(h, "restrictions", i, c->restrictions, c->restriction_count);
        add_named(h, "defines", i, c->defines, c->define_count);
        add_launches(h, i, c);
        if (core->argument_count == 0)
            continue;
        text_addf(h->out, "static const uint32_t %s_bytes_%u[] = {", h->name, i);
        add_numbers(h, c->bytes, core->argument_count);
        text_add(h->out, "};\n");
    }
    text_addf(h->out, "static const hone_core_configuration %s_rows[] = {\n", h->name);
    for (uint32_t i = 0; i < core->configuration_count; i++) {
        const hone_core_configuration *c = &core->configurations[i];
        text_add(h->out, "    {");
        emit_c_string(c->text, h->out);
        text_add(h->out, ",\n     ");
        emit_c_string(c->options, h->out);
        text_add(h->out, ",\n     ");
        emit_c_string(c->target, h->out);
        text_add(h->out, ", ");
        add_number(h, c->retarget);
        text_addf(h->out, ", %u, %u, %u", c->restriction_count, c->define_count, c->launch_count);
        add_list_name(h, "restrictions", i, c->restriction_count);
        add_list_name(h, "defines", i, c->define_count);
        add_list_name(h, "launches", i, c->launch_count);
        add_list_name(h, "bytes", i, core->argument_count);
        text_add(h->out, "},\n");
    }
    text_add(h->out, "};\n\n");
}

// Four points a line.
static void add_columns(const struct header *h, uint32_t points)
{
    const hone_core_table *core = &h->c->core;
    const size_t columns = core->column_count, count = columns * points;
    text_addf(h->out, "static const int64_t %s_shapes[] = {", h->name);
    for (size_t i = 0; i < count; i++)
        text_addf(h->out, "%s%lld,", i % (columns * 4) == 0 ? "\n    " : " ",
                  (long long)core->shapes[i]);
    text_add(h->out, count ? "\n};\n" : "0};\n");
    text_addf(h->out, "static const int32_t %s_logarithms[] = {", h->name);
    for (size_t i = 0; i < count; i++)
        text_addf(h->out, "%s%d,", i % (columns * 4) == 0 ? "\n    " : " ",
                  (int)core->logarithms[i]);
    text_add(h->out, count ? "\n};\n" : "0};\n");
}

static void add_places(const struct header *h, const char *what, const uint32_t *items,
                       uint32_t count)
{
    text_addf(h->out, "static const uint32_t %s_%s[] = {", h->name, what);
    for (uint32_t i = 0; i < count; i++)
        text_addf(h->out, "%s%u,", i % 16 == 0 ? "\n    " : " ", items[i]);
    text_add(h->out, count ? "\n};\n" : "0};\n");
}

static void add_model(const struct header *h, uint32_t index, const hone_core_device *d)
{
    const hone_core_table *core = &h->c->core;
    text_addf(h->out, "static const uint32_t %s_groups_%u[] = {", h->name, index);
    add_numbers(h, d->model->groups, core->configuration_count);
    text_addf(h->out, "};\nstatic const int64_t %s_slopes_%u[] = {", h->name, index);
    for (uint32_t i = 0; i < core->column_count; i++)
        text_addf(h->out, "%s%lld", i ? ", " : "", (long long)d->model->slopes[i]);
    text_addf(h->out, "};\nstatic const uint32_t %s_resident_%u[] = {", h->name, index);
    add_numbers(h, d->model->resident, core->configuration_count);
    text_addf(h->out, "};\nstatic const int32_t %s_costs_%u[] = {", h->name, index);
    for (size_t i = 0; i < (size_t)d->count * core->configuration_count; i++) {
        text_add(h->out, i % core->configuration_count ? " " : "\n    ");
        if (d->model->costs[i] == HONE_CORE_UNTIMED)
            text_add(h->out, "HONE_CORE_UNTIMED,");
        else
            text_addf(h->out, "%d,", (int)d->model->costs[i]);
    }
    text_addf(h->out,
              "\n};\nstatic const hone_core_model %s_model_%u = {%u, %s_groups_%u, %s_slopes_%u, "
              "%s_resident_%u, %s_costs_%u};\n",
              h->name, index, d->model->launch, h->name, index, h->name, index, h->name, index,
              h->name, index);
}

static void add_devices(const struct header *h)
{
    const hone_core_table *core = &h->c->core;
    for (uint32_t i = 0; i < core->device_count; i++) {
        text_addf(h->out, "static const int64_t %s_facts_%u[] = {", h->name, i);
        for (uint32_t k = 0; k < core->fact_count; k++) {
            text_add(h->out, k ? ", " : "");
            emit_c_int(core->devices[i].facts[k], h->out);
        }
        text_add(h->out, "};\n");
        if (core->devices[i].model)
            add_model(h, i, &core->devices[i]);
    }
    text_addf(h->out, "static const hone_core_device %s_devices[] = {\n", h->name);
    for (uint32_t i = 0; i < core->device_count; i++) {
        const hone_core_device *d = &core->devices[i];
        const char *const texts[] = {d->name, d->identity, d->vendor, d->architecture};
        for (size_t k = 0; k < 4; k++) {
            text_add(h->out, k ? ", " : "    {");
            emit_c_string(texts[k], h->out);
        }
        text_addf(h->out, ", %lld, %u, %u, %u, %s_facts_%u, ", (long long)d->compute_units,
                  d->first, d->count, d->fallback, h->name, i);
        if (d->model)
            text_addf(h->out, "&%s_model_%u},\n", h->name, i);
        else
            text_add(h->out, "NULL},\n");
    }
    text_add(h->out, core->device_count
                         ? "};\n"
                         : "    {NULL, NULL, NULL, NULL, 0, 0, 0, 0, NULL, NULL},\n};\n");
}

static void add_table(const struct header *h)
{
    const hone_core_table *core = &h->c->core;
    uint32_t points = 0;
    for (uint32_t i = 0; i < core->device_count; i++)
        points += core->devices[i].count;
    add_strings(h, "columns", core->columns, core->column_count);
    add_strings(h, "fact_names", core->facts, core->fact_count);
    add_strings(h, "argument_names", core->arguments, core->argument_count);
    add_columns(h, points);
    add_places(h, "point_configurations", core->point_configurations, points);
    add_places(h, "tree", core->tree, points);
    add_places(h, "places", core->places, points);
    add_devices(h);
    text_addf(h->out, "static const hone_core_table %s_table = {\n    %u, %u, %u, %u, %u, %u,\n",
              h->name, core->column_count, core->fact_count, core->argument_count,
              core->configuration_count, core->device_count, core->fallback);
    static const char *const members[] = {
        "columns", "fact_names",           "argument_names", "rows",   "devices",
        "shapes",  "point_configurations", "tree",           "places", "logarithms",
        "evaluate"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        text_addf(h->out, "    %s_%s,\n", h->name, members[i]);
    text_add(h->out, "    NULL};\n\n");
}

// ---- the functions -----------------------------------------------------------------------------

// A template, in which is replaced: @ by the prefix, $T by ", int64_t M, ...", $S by "M, N", $A by ", M, N", $L by the list.
static void add_template(const struct header *h, const char *template, const char *list)
{
    for (const char *at = template; *at; at++) {
        if (*at == '@') {
            text_add(h->out, h->name);
        } else if (*at == '$' && at[1] == 'L') {
            text_add(h->out, list);
            at++;
        } else if (*at == '$') {
            at++;
            size_t start = h->out->length;
            add_sizes(h, *at == 'T' ? "int64_t " : "");
            if (*at == 'S' && !h->out->failed) // without the first comma
                memmove(h->out->data + start, h->out->data + start + 2, h->out->length - start - 1),
                    h->out->length -= 2;
        } else {
            text_addc(h->out, *at);
        }
    }
}

// A comment where the spec says that a buffer which the kernel reads and writes begins with zeros.
static const char *comment_on_zeros(const struct argument_spec *a)
{
    const char *value = a->fill.kind == FILL_CONSTANT ? a->fill.value.text : NULL;
    if (a->access != ACCESS_BOTH || !value || value[strspn(value, "0.")])
        return "";
    return a->keep ? " /* zeros before the first launch */" : " /* zeros before each launch */";
}

static void add_functions(const struct header *h)
{
    static const char *const taken[] = {"COUNT", NULL};
    struct text arguments = TEXT_INIT;
    for (uint32_t i = 0; i < h->c->core.argument_count; i++)
        text_addf(&arguments, "    %s_ARGUMENT_%s%s,%s\n", h->name, h->c->identifiers[i],
                  is_taken(taken, h->c->identifiers[i]) ? "_" : "",
                  comment_on_zeros(&h->c->spec->kernel->arguments[i]));
    add_template(h, header_functions, text_cstr(&arguments));
    h->out->failed |= arguments.failed;
    text_release(&arguments);
}

// ---- the kernel's source and compiled programs ----------------------------------------------------

static bool add_source(const struct header *h, struct error *e)
{
    struct text source = TEXT_INIT, parts = TEXT_INIT;
    bool ok = paste_source(h->t, &source, e);
    if (ok) {
        // The text as string literals, each of which a C99 compiler takes.
        const char *at = text_cstr(&source), *end = at + source.length;
        do {
            size_t used = 0;
            do {
                const char *stop = memchr(at, '\n', (size_t)(end - at));
                size_t length = stop ? (size_t)(stop - at) + 1 : (size_t)(end - at);
                length = length > LITERAL_MOST / 4 ? LITERAL_MOST / 4
                                                   : length; // an octal escape has four characters
                text_add(&parts, used ? "\n    \"" : "    \"");
                emit_c_bytes(at, length, &parts);
                text_add(&parts, "\"");
                used += length;
                at += length;
            } while (at < end && used < LITERAL_MOST / 2);
            text_add(&parts, ",\n");
        } while (at < end);
        add_template(h, header_source, text_cstr(&parts));
        h->out->failed |= parts.failed;
    }
    text_release(&parts);
    text_release(&source);
    return ok;
}

static void add_image_bytes(const struct header *h, uint32_t index,
                            const struct deploy_image *image)
{
    const unsigned char *bytes = image->bytes;
    text_addf(h->out, "static const unsigned char %s_image_%u[] = {", h->name, index);
    for (uint64_t i = 0; i < image->length; i++)
        text_addf(h->out, "%s%u,", i % 24 == 0 ? "\n    " : "", bytes[i]);
    text_add(h->out, image->length ? " 0\n};\n" : "0};\n"); // PTX is read as a text
    if (!image->shape)
        return;
    text_addf(h->out, "static const int64_t %s_image_shape_%u[] = {", h->name, index);
    for (uint32_t i = 0; i < h->t->column_count; i++) {
        text_add(h->out, i ? ", " : "");
        emit_c_int(image->shape[i], h->out);
    }
    text_add(h->out, "};\n");
}

static void add_images(const struct header *h)
{
    struct text rows = TEXT_INIT;
    for (uint32_t i = 0; i < h->w->image_count; i++) {
        const struct deploy_image *image = &h->w->images[i];
        struct digest digest;
        char hex[65];
        add_image_bytes(h, i, image);
        digest_of(image->bytes, (size_t)image->length, &digest);
        digest_hex(&digest, hex);
        text_add(&rows, "    {");
        emit_c_string(image->architecture, &rows);
        text_add(&rows, ", ");
        emit_c_string(image->kind, &rows);
        text_addf(&rows, ", \"%s\", %u, ", hex, image->configuration);
        if (image->shape)
            text_addf(&rows, "%s_image_shape_%u", h->name, i);
        else
            text_add(&rows, "NULL");
        text_addf(&rows, ", %s_image_%u, %llu},\n", h->name, i, (unsigned long long)image->length);
    }
    add_template(h, header_binaries, text_cstr(&rows));
    h->out->failed |= rows.failed;
    text_release(&rows);
}

// ---- the whole ---------------------------------------------------------------------------------

static bool write_parts(const struct header *h, struct error *e)
{
    add_about(h);
    add_configuration_type(h);
    add_evaluate(h);
    add_configuration_rows(h);
    add_typed_configurations(h);
    add_table(h);
    add_functions(h);
    if (h->w->with_source && !add_source(h, e))
        return false;
    if (h->w->image_count)
        add_images(h);
    text_addf(h->out, "#endif\n");
    return !h->out->failed || error_memory(e);
}

static bool write_header(const struct deploy_table *t, const struct deploy_writing *w,
                         struct text *out, struct error *e)
{
    struct core_table c;
    struct header h = {
        .c = &c, .t = t, .w = w, .name = w->prefix ? w->prefix : t->name, .out = out};
    bool ok = core_table_init(&c, t, e) && write_parts(&h, e);
    core_table_release(&c);
    return ok;
}

const struct deploy_format deploy_format_header = {
    .name = "header",
    .ending = ".h",
    .help = "a C99 and C++11 header that is complete in itself",
    .write = write_header,
    .is_binary_safe = true,
};
