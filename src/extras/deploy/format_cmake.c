// A dispatch table as set() lines of CMake, for builds that compile a kernel for the sizes and the device that they know.
#include "extras/deploy/formats.h"
#include "extras/deploy/stamp.h"

// A quoted argument: ${} and escapes stand for themselves.
static void add_quoted(const char *s, struct text *out)
{
    text_addc(out, '"');
    for (; *s; s++) {
        if (*s == '"' || *s == '\\' || *s == '$')
            text_addc(out, '\\');
        if (*s == '\n')
            text_add(out, "\\n");
        else
            text_addc(out, *s);
    }
    text_addc(out, '"');
}

static void add_cmake_configuration(const struct deploy_table *t, const char *prefix, uint32_t at,
                                    struct text *out)
{
    const struct deploy_configuration *c = &t->configurations[at];
    text_addf(out, "\nset(%s_%u_OPTIONS ", prefix, at);
    add_quoted(c->options, out);
    text_add(out, ")\n");
    for (uint32_t i = 0; i < t->spec->parameter_count; i++) {
        struct text value = TEXT_INIT;
        define_text(&c->values[i], &value);
        text_addf(out, "set(%s_%u_%s ", prefix, at, t->spec->parameters[i].name);
        add_quoted(text_cstr(&value), out);
        text_add(out, ")\n");
        out->failed |= value.failed;
        text_release(&value);
    }
}

static void add_cmake_device(const struct deploy_table *t, const char *prefix, uint32_t at,
                             struct text *out)
{
    const struct deploy_device *d = &t->devices[at];
    text_addf(out, "\nset(%s_DEVICE_%u ", prefix, at);
    add_quoted(d->name, out);
    text_addf(out, ")\nset(%s_DEVICE_%u_ARCHITECTURE ", prefix, at);
    add_quoted(d->architecture, out);
    text_addf(out, ")\nset(%s_DEVICE_%u_SHAPES", prefix, at);
    for (uint32_t i = 0; i < d->point_count; i++) {
        for (uint32_t c = 0; c < t->column_count; c++)
            text_addf(out, "%c%lld", c ? 'x' : ' ', (long long)d->points[i].shape[c]);
    }
    text_add(out, ")\n");
    for (uint32_t i = 0; i < d->point_count; i++) {
        text_addf(out, "set(%s_DEVICE_%u_AT_", prefix, at);
        for (uint32_t c = 0; c < t->column_count; c++)
            text_addf(out, "%s%lld", c ? "x" : "", (long long)d->points[i].shape[c]);
        text_addf(out, " %u)\n", d->points[i].configuration);
    }
}

static bool write_cmake(const struct deploy_table *t, const struct deploy_writing *w,
                        struct text *out, struct error *e)
{
    const char *prefix = w->prefix ? w->prefix : t->name;
    text_add(out, "# ");
    deploy_stamp_add(t, out);
    text_addf(out,
              "\n# %s_<number>_<parameter> and %s_<number>_OPTIONS: a configuration. "
              "%s_DEVICE_<number>_AT_<shape>: which one is taken there.\n"
              "set(%s_COLUMNS",
              prefix, prefix, prefix, prefix);
    for (uint32_t i = 0; i < t->column_count; i++)
        text_addf(out, " %s", t->columns[i]);
    text_addf(out, ")\nset(%s_CONFIGURATIONS %u)\nset(%s_DEFAULT %u)\nset(%s_DEVICES %u)\n", prefix,
              t->configuration_count, prefix, t->default_configuration, prefix, t->device_count);
    for (uint32_t i = 0; i < t->configuration_count; i++)
        add_cmake_configuration(t, prefix, i, out);
    for (uint32_t i = 0; i < t->device_count; i++)
        add_cmake_device(t, prefix, i, out);
    return !out->failed || error_memory(e);
}

const struct deploy_format deploy_format_cmake = {
    .name = "cmake",
    .ending = ".cmake",
    .help = "set() lines, for a build that compiles a kernel for sizes that it knows",
    .write = write_cmake,
};
